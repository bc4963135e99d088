(* thm:regret:sharpest: the average of |payment - c_(2)| from T = N on. What T_0 stands for in the paper is counted: the auctions that
   an unqualified provider cheaper than c_(2) disturbs, since it is eligible still. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements Findings Limits Hoeffding
  AnyRadius Sharp Sharpest.
Import ListNotations.
Open Scope R_scope.

Section Deviation.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus : R) (quality cost : nat -> R) (best : nat) (c2 : R).
Variables (quality_estimate cost_estimate : nat -> nat -> R) (bid : list nat -> nat -> R) (g : nat -> R).
Notation run := (run N delta cmax qmin gamma quality_estimate bid g).
Notation step := (step N delta cmax qmin gamma quality_estimate bid g).
Notation explores := (explores N delta qmin quality_estimate g).
Notation explored := (explored N delta qmin quality_estimate g).
Notation payment := (payment N delta cmax qmin gamma quality_estimate bid g).
Notation eligible_set := (Qh N delta qmin quality_estimate).
Notation market := (market N delta cmax qmin gamma d_minus d_plus quality cost best).
Notation good_event := (Statements.good_event N delta cmax gamma quality cost quality_estimate cost_estimate).
Notation bids_follow := (bids_follow N delta cmax qmin gamma d_minus d_plus quality_estimate cost_estimate bid g).
Notation horizon h := (N + length h)%nat.
Variable M : nat -> nat.
Hypothesis Hm : market.
Hypothesis He : good_event.
Hypothesis Hb : bids_follow.
Hypothesis Hg : never_falls g.
Hypothesis H2 : second_lowest N qmin quality cost best c2.
Hypothesis Hexcluded : excluded_at_one_count N delta qmin quality quality_estimate M.

(* an auction is disturbed where an unqualified provider that costs less than c_(2) is eligible; least: at most what such ones cost *)
Definition cheap j : Prop := (j < N)%nat /\ quality j < qmin /\ cost j < c2.
Definition disturbed h : Prop := ~ explores h /\ exists j, In j (eligible_set h) /\ cheap j.
Definition is_disturbed h : bool := if excluded_middle (disturbed h) then true else false.
Variable least : R.
Hypothesis Hleast : least <= c2 /\ forall j, cheap j -> least <= cost j.
(* the radius at the target, and the most that a payment can deviate *)
Definition radius_at_step h : R := (1 + gamma) * cmax * beta (INR N) delta (Rmax 1 (g (now N h))).
Notation most := (Rmax c2 (cmax - c2)).
Notation band h := (Rmin most (2 * radius_at_step h + Rmax d_minus d_plus)).
Lemma c2_in : 0 <= c2 <= cmax.
Proof.
  destruct H2 as (Q & HQ & Hmin). pose proof (cost_range _ _ _ _ _ _ _ _ _ _ Hm). destruct Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest).
  eapply c2_range; eauto.
Qed.
Lemma auction_deviation h s : run h -> step h s -> ~ explores h ->
  Rabs (payment h s - c2) <= band h + (if is_disturbed h then Rmin most (c2 - least) else 0).
Proof.
  intros Hr Hs Hn. pose proof c2_in as Hc2. pose proof H2 as (Q & HQ & Hmin).
  pose proof (bids_are_near _ _ _ _ _ _ _ _ _ _ _ Hb) as Hnear. pose proof (bids_in_range _ _ _ _ _ _ _ _ _ _ _ Hb) as Hbr.
  pose proof (cost_range _ _ _ _ _ _ _ _ _ _ Hm) as Hcr. pose proof Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest). pose proof He as (Hquality & Hcost).
  assert (Hp : 0 <= payment h s <= cmax) by (eapply payment_range_run; eauto).
  assert (Hup : payment h s <= Rmin cmax (c2 + rad N delta cmax gamma (m h s) + d_plus)) by (eapply ordinary_payment_run; eauto).
  assert (Hsel : selected (eligible_set h) (radii N delta cmax gamma h) (bid h) s) by (eapply ordinary_selected; eauto).
  assert (Epay : payment h s = pay (eligible_set h) (radii N delta cmax gamma h) cmax (bid h) s).
  { unfold Runs.payment. destruct (explores_dec _ _ _ _ _ _); [contradiction|]. destruct (eligible_set h) eqn:E; [destruct (proj1 Hsel)|reflexivity]. }
  set (r := radius_at_step h).
  assert (Hrad : forall j, In j (eligible_set h) -> 0 <= rad N delta cmax gamma (m h j) <= r).
  { intros j Hj. unfold r, radius_at_step, rad, bt. split; [apply Rmult_le_pos; [nra|apply sqrt_pos]|]. apply Rmult_le_compat_l; [nra|].
    apply radius_monotone; [apply (le_INR 2); exact HN|exact Hd|apply Rmax_l|]. apply Rmax_lub; [apply (le_INR 1); unfold m; lia|].
    destruct (Rle_lt_dec (g (now N h)) (INR (m h j))); [assumption|]. exfalso. apply Hn. exists j. auto. }
  set (F := if is_disturbed h then least else c2).
  assert (HF : F <= c2 /\ forall j, In j (eligible_set h) -> j <> best -> F <= cost j).
  { split; [unfold F; destruct (is_disturbed h); [apply Hleast|lra]|]. intros j Hj Hne. pose proof Hj as Hj'. apply in_Qh_iff in Hj'. destruct Hj' as [HjN _].
    destruct (Rle_lt_dec c2 (cost j)) as [|Hlt]; [apply Rle_trans with c2; [unfold F; destruct (is_disturbed h); [apply Hleast|lra]|assumption]|].
    destruct (Rlt_le_dec (quality j) qmin) as [Hq|Hq].
    - assert (Hch : cheap j) by (split; [exact HjN|split; assumption]). unfold F, is_disturbed.
      destruct (excluded_middle (disturbed h)) as [_|Hno]; [apply Hleast; exact Hch|]. exfalso. apply Hno. split; [exact Hn|]. exists j. auto.
    - exfalso. assert (Hle : c2 <= cost j); [|lra]. apply (minl_lb _ _ _ Hmin). rewrite filter_In, Bool.negb_true_iff, Nat.eqb_neq.
      split; [apply HQ; auto|exact Hne]. }
  assert (Hbounds : forall j, In j (eligible_set h) -> cost j - rad N delta cmax gamma (m h j) - d_minus <= bid h j).
  { intros j Hj. apply in_Qh_iff in Hj. pose proof (Hcost j (m h j) (proj1 Hj) ltac:(unfold m; lia)) as H1. apply Rabs_le_inv in H1.
    pose proof (Hnear h j Hr (proj1 Hj)). lra. }
  assert (Hlow : F - 2 * r - d_minus <= payment h s).
  { rewrite Epay. unfold pay. pose proof (selection_threshold_lose _ _ _ s s Hsel) as Hl. unfold crit in *.
    assert (HsQ : In s (eligible_set h)) by apply Hsel. pose proof (Hrad s HsQ) as Hrs.
    destruct (minl (adj (radii N delta cmax gamma h) (bid h)) (others (eligible_set h) s)) as [v|] eqn:E; [|lra]. simpl in Hl.
    apply Rmin_glb; [|lra]. destruct (Nat.eq_dec s best) as [->|Hne].
    - destruct (minl_att _ _ _ E) as (j & Hj & ->). apply in_others in Hj. destruct Hj as [Hj Hjne].
      pose proof (Hbounds j Hj). pose proof (Hrad j Hj). pose proof (proj2 HF j Hj Hjne). unfold adj, radii in *. lra.
    - assert (Hbs : bid h s <= radii N delta cmax gamma h s + v).
      { destruct (Rle_lt_dec (bid h s) (radii N delta cmax gamma h s + v)); [assumption|]. exfalso. apply Hl; [assumption|reflexivity]. }
      pose proof (Hbounds s HsQ). pose proof (proj2 HF s HsQ Hne). lra. }
  pose proof (Rmin_r cmax (c2 + rad N delta cmax gamma (m h s) + d_plus)). pose proof (Hrad s (proj1 Hsel)).
  pose proof (Rmax_l d_minus d_plus). pose proof (Rmax_r d_minus d_plus). pose proof (Rmax_l c2 (cmax - c2)). pose proof (Rmax_r c2 (cmax - c2)).
  assert (Hone : Rabs (payment h s - c2) <= most) by (apply Rabs_le; lra).
  assert (Htwo : Rabs (payment h s - c2) <= (2 * r + Rmax d_minus d_plus) + (c2 - F)) by (apply Rabs_le; lra).
  fold r. unfold F in *. destruct (is_disturbed h); unfold Rmin; repeat destruct (Rle_dec _ _); lra.
Qed.
Notation disturbed_steps h := (total (fun t _ => if is_disturbed t then 1 else 0) h).
(* the deviations of T queries, initialization included *)
Theorem deviation_without_T0 h : run h ->
  INR N * (cmax - c2) + total (fun t s => Rabs (payment t s - c2)) h <=
    (INR N + total (fun t _ => explored t) h) * (cmax - c2) + total (fun t _ => band t) h + disturbed_steps h * Rmin most (c2 - least).
Proof.
  intros Hr. pose proof c2_in as Hc2.
  assert (Hband : forall t, 0 <= band t).
  { intros t. destruct Hm as (HN & Hd & Hc & Hga & Hdev & _). pose proof (Rmax_l c2 (cmax - c2)). pose proof (Rmax_l d_minus d_plus).
    assert (0 <= radius_at_step t) by (apply Rmult_le_pos; [nra|apply sqrt_pos]). apply Rmin_glb; lra. }
  assert (H1 : total (fun t s => Rabs (payment t s - c2)) h
    <= total (fun t _ => (cmax - c2) * explored t + (band t + Rmin most (c2 - least) * (if is_disturbed t then 1 else 0))) h).
  { eapply total_along; [exact Hr|apply le_n|]. intros t s Ht Hs _. unfold Runs.explored. destruct (explores_dec N delta qmin quality_estimate g t) as [Hx|Hn] eqn:E.
    - assert (Ep : payment t s = cmax) by (unfold Runs.payment; rewrite E; reflexivity). rewrite Ep, Rabs_pos_eq by lra. specialize (Hband t).
      assert (0 <= Rmin most (c2 - least)) by (apply Rmin_glb; [pose proof (Rmax_l c2 (cmax - c2)); lra|pose proof (proj1 Hleast); lra]).
      assert (0 <= Rmin most (c2 - least) * (if is_disturbed t then 1 else 0)) by (apply Rmult_le_pos; [assumption|destruct (is_disturbed t); lra]). lra.
    - pose proof (auction_deviation t s Ht Hs Hn). destruct (is_disturbed t); lra. }
  rewrite !total_plus, !total_scal in H1. lra.
Qed.
(* W, by time: no auction after `last` is disturbed, if the target is beyond the counts M j of the cheap ones there *)
Theorem disturbed_by_time h last : run h -> (N <= last)%nat -> (forall t j, (last < t)%nat -> cheap j -> INR (M j) < g t) ->
  disturbed_steps h <= INR last - INR N.
Proof.
  intros Hr HlN Hlast. assert (H : disturbed_steps h <= Rmin (INR (horizon h)) (INR last) - INR N); [|pose proof (Rmin_r (INR (horizon h)) (INR last)); lra].
  induction Hr as [|h s Hr IH Hs].
  - simpl. rewrite Nat.add_0_r, Rmin_left by (apply le_INR; exact HlN). lra.
  - cbn [total length]. rewrite Nat.add_succ_r, S_INR. unfold is_disturbed at 1. destruct (excluded_middle (disturbed h)) as [(Hn & j & Hj & Hch)|_].
    + assert (Hnow : (now N h <= last)%nat).
      { destruct (le_lt_dec (now N h) last) as [|Hlt]; [assumption|exfalso]. specialize (Hlast _ j Hlt Hch).
        assert (Hcount : g (now N h) <= INR (m h j)) by (destruct (Rle_lt_dec (g (now N h)) (INR (m h j))); [assumption|exfalso; apply Hn; exists j; auto]).
        destruct Hch as (HjN & Hq & _).
        pose proof (unqualified_eligible_below N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate bid g M Hm He Hexcluded h j Hr HjN Hq Hj) as Hle.
        apply le_INR in Hle. lra. }
      unfold now in Hnow. apply le_INR in Hnow. rewrite !plus_INR in Hnow. change (INR 1) with 1 in Hnow.
      rewrite plus_INR in *. rewrite (Rmin_left (INR N + INR (length h) + 1)) by lra. rewrite Rmin_left in IH by lra. lra.
    + assert (Rmin (INR (horizon h)) (INR last) <= Rmin (INR (horizon h) + 1) (INR last)) by (apply Rle_min_compat_r; lra). lra.
Qed.
(* W, by counts: auctions at which one of a set of cheap ones is eligible. Each of the set wins at most M i of them, everybody else as
   many as its gap to the dearest of the set allows. *)
Definition disturbed_by (A : list nat) h : Prop := ~ explores h /\ exists j, In j (eligible_set h) /\ In j A.
Definition is_disturbed_by A h : bool := if excluded_middle (disturbed_by A h) then true else false.
Theorem disturbed_by_counts (A : list nat) dearest h (cap : nat -> R) : run h ->
  (forall j, In j A -> quality j < qmin /\ cost j <= cost dearest) ->
  (forall i, (i < N)%nat -> (In i A /\ INR (M i) <= cap i) \/
    (0 < gap_to cmax gamma d_minus d_plus cost dearest i /\ m_star N delta (gap_to cmax gamma d_minus d_plus cost dearest i) <= cap i)) ->
  total (fun t _ => if is_disturbed_by A t then 1 else 0) h <= bsum N cap.
Proof.
  intros Hr HA Hcap. pose proof Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest).
  assert (E : total (fun t _ => if is_disturbed_by A t then 1 else 0) h = bsum N (fun i => INR (times_if (is_disturbed_by A) h i))).
  { clear Hcap. induction Hr as [|h s Hr IH Hs].
    - simpl. clear. induction N; simpl; lra.
    - cbn [total]. rewrite IH. assert (HsN : (s < N)%nat) by (eapply step_lt; eauto).
      rewrite (bsum_update N (fun i => INR (times_if (is_disturbed_by A) h i)) (fun i => INR (times_if (is_disturbed_by A) (s :: h) i)) s HsN).
      + cbn [times_if]. destruct (Nat.eq_dec s s); [|contradiction]. rewrite plus_INR. destruct (is_disturbed_by A h); simpl INR; lra.
      + intros i _ Hi. cbn [times_if]. destruct (Nat.eq_dec s i); [subst; contradiction|reflexivity]. }
  rewrite E. apply bsum_le. intros i Hi.
  apply (steps_below N delta cmax qmin gamma quality_estimate bid g (is_disturbed_by A) (cap i) h i); [| exact Hr|].
  - destruct (Hcap i Hi) as [[_ H]|[_ H]]; eapply Rle_trans; try exact H; apply pos_INR.
  - intros t Ht Hs _ Hdis. unfold is_disturbed_by in Hdis. destruct (excluded_middle (disturbed_by A t)) as [(Hn & j & Hj & HjA)|]; [|discriminate].
    destruct (Hcap i Hi) as [[HiA Hle]|[Hgap Hle]]; eapply Rle_trans; try exact Hle.
    + apply le_INR. apply (unqualified_eligible_below N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate bid g M Hm He Hexcluded t i Ht Hi (proj1 (HA i HiA))).
      exact (step_in_Qh N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate bid g Hm He t i Hs).
    + apply (m_star_count N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate Hm He); [unfold m; lia|exact Hgap|].
      pose proof (winner_gap_to_eligible N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate bid g Hm He t i j Hb Ht Hs Hn Hj) as Hw.
      eapply Rle_trans; [|exact Hw]. unfold gap_to. apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; nra|].
      pose proof (proj2 (HA j HjA)). lra.
Qed.
(* The average of |payment - c_(2)|, from T = N on: what T_0 stood for is counted. *)
Theorem thm_regret_sharpest h X W : run h -> total (fun t _ => explored t) h <= X -> disturbed_steps h <= W ->
  (INR N * (cmax - c2) + total (fun t s => Rabs (payment t s - c2)) h) / INR (horizon h) <=
    ((INR N + X) * (cmax - c2) + total (fun t _ => band t) h + W * Rmin most (c2 - least)) / INR (horizon h).
Proof.
  intros Hr HX HW. pose proof c2_in as Hc2. destruct Hm as (HN & _).
  assert (HT : 0 < INR (horizon h)) by (apply lt_0_INR; lia). apply per_step_at_most; [exact HT|].
  eapply Rle_trans; [apply deviation_without_T0; exact Hr|].
  assert (H0 : 0 <= Rmin most (c2 - least)) by (apply Rmin_glb; [pose proof (Rmax_l c2 (cmax - c2)); lra|pose proof (proj1 Hleast); lra]).
  apply Rmult_le_compat_r with (r := Rmin most (c2 - least)) in HW; [|exact H0].
  assert ((INR N + total (fun t _ => explored t) h) * (cmax - c2) <= (INR N + X) * (cmax - c2)) by (apply Rmult_le_compat_r; lra). lra.
Qed.
End Deviation.
