(* claim:condition-cannot-be-dropped. Where a competitor i has a cost gap of at most d_- + d_+, it may win every auction.

   In any market whose providers are all qualified, where cost i - d_- < cmax, from some exploration scale k0 on: on the good event
   costs may be such (i at the lower end of its band, everybody else at the upper end) that with bids within the deviations (i as far
   below its estimate as they allow, everybody else as far above) every auction of every run goes to i. All values are in [0, cmax]. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements Inhabited Findings Limits
  AnyRadius ExactInverse Unwidened.
Import ListNotations.
Open Scope R_scope.

Section CannotDrop.
Variables (N : nat) (delta cmax qmin d_minus d_plus alpha : R) (quality cost : nat -> R) (best i : nat).
Hypothesis Hm : market N delta cmax qmin 0 d_minus d_plus quality cost best.
Hypothesis Ha : 0 < alpha < 1.
Hypothesis all_qualified : forall j, (j < N)%nat -> qmin <= quality j.
Hypothesis Hi : (i < N)%nat /\ i <> best.
Hypothesis gap_small : cost i - cost best <= d_minus + d_plus.
Hypothesis room : cost i - d_minus < cmax.

(* the estimates: the sample means at the ends of their bands, within [0, cmax]; and the bids *)
Definition extreme_estimate (j count : nat) : R :=
  if Nat.eq_dec j i then Rmax 0 (cost j - cmax * bt N delta count) else Rmin cmax (cost j + cmax * bt N delta count).
Definition extreme_bid (h : list nat) (j : nat) : R :=
  if Nat.eq_dec j i then Rmax 0 (extreme_estimate j (m h j) - d_minus) else Rmin cmax (extreme_estimate j (m h j) + d_plus).
Notation true_scores := (fun j _ : nat => quality j).
Notation run g := (run N delta cmax qmin 0 true_scores extreme_bid g).
Notation step g := (step N delta cmax qmin 0 true_scores extreme_bid g).
Notation explores g := (explores N delta qmin true_scores g).
Ltac opened := pose proof Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest).

Lemma extreme_is_good : Statements.good_event N delta cmax 0 quality cost true_scores extreme_estimate.
Proof.
  opened. split; intros j count Hj Hn.
  - rewrite Rminus_eq_0, Rabs_R0. apply sqrt_pos.
  - assert (0 <= cmax * bt N delta count) by (apply Rmult_le_pos; [lra|apply sqrt_pos]). pose proof (Hrange j Hj) as [_ Hcj].
    unfold extreme_estimate, rad. apply Rabs_le. destruct (Nat.eq_dec j i); [unfold Rmax|unfold Rmin]; destruct (Rle_dec _ _); lra.
Qed.
Lemma extreme_range j count : (j < N)%nat -> 0 <= extreme_estimate j count <= cmax.
Proof.
  opened. intros Hj. assert (0 <= cmax * bt N delta count) by (apply Rmult_le_pos; [lra|apply sqrt_pos]). pose proof (Hrange j Hj) as [_ Hcj].
  unfold extreme_estimate. destruct (Nat.eq_dec j i); [unfold Rmax|unfold Rmin]; destruct (Rle_dec _ _); lra.
Qed.
Lemma extreme_bids_follow g : bids_follow N delta cmax qmin 0 d_minus d_plus true_scores extreme_estimate extreme_bid g.
Proof.
  opened. intros h j _ Hj. pose proof (extreme_range j (m h j) Hj). unfold extreme_bid.
  destruct (Nat.eq_dec j i); [unfold Rmax|unfold Rmin]; destruct (Rle_dec _ _); lra.
Qed.
(* If Delta_i <= d_- + d_+, the competitor may win every auction. *)
Theorem claim_condition_cannot_be_dropped : exists k0, 0 < k0 /\ forall k, k0 <= k ->
  let g := target N k alpha in
  Statements.good_event N delta cmax 0 quality cost true_scores extreme_estimate /\
  bids_follow N delta cmax qmin 0 d_minus d_plus true_scores extreme_estimate extreme_bid g /\
  (* every auction of every run goes to i; and from some number of steps on every run has had one, as many as one likes *)
  (forall h s, run g h -> step g h s -> ~ explores g h -> s = i) /\
  (forall most, exists steps, forall h, run g h -> (steps <= length h)%nat ->
    most <= INR (times_if (fun t => if explores_dec N delta qmin true_scores g t then false else true) h i)).
Proof.
  opened. destruct Hi as [HiN Hne].
  destruct (radius_below N delta (Rmin 1 ((cmax - (cost i - d_minus)) / cmax)) ltac:(lia) Hd) as (n0 & Hn0).
  { apply Rmin_glb_lt; [lra|apply Rdiv_lt_0_compat; lra]. }
  exists (INR (S n0)). split; [apply lt_0_INR; lia|]. intros k Hk0. cbv zeta.
  assert (Hk : 0 < k) by (eapply Rlt_le_trans; [|exact Hk0]; apply lt_0_INR; lia). set (g := target N k alpha).
  split; [exact extreme_is_good|]. split; [apply extreme_bids_follow|].
  assert (Hwins : forall h s, run g h -> step g h s -> ~ explores g h -> s = i).
  { intros h s Hr Hs Hn. destruct (Nat.eq_dec s i) as [|Hsi]; [assumption|exfalso].
    assert (Hsel : selected (Qh N delta qmin true_scores h) (radii N delta cmax 0 h) (extreme_bid h) s)
      by exact (ordinary_selected N delta cmax qmin 0 quality cost best true_scores extreme_estimate extreme_bid g HN Hbest
        (proj1 extreme_is_good) h s Hs Hn).
    destruct Hsel as [Hin Hmin].
    assert (HinI : In i (Qh N delta qmin true_scores h)).
    { apply in_Qh_iff. split; [exact HiN|]. pose proof (all_qualified i HiN).
      assert (0 <= bt N delta (m h i)) by apply sqrt_pos. lra. }
    specialize (Hmin i HinI). assert (HsN : (s < N)%nat) by (apply in_Qh_iff in Hin; tauto).
    (* the radius of the winner is small, since it was explored often enough *)
    assert (Hcount : (n0 <= m h s)%nat).
    { apply INR_le. apply Rle_trans with (g (now N h)).
      - apply Rle_trans with k; [eapply Rle_trans; [|exact Hk0]; apply le_INR; lia|]. unfold g, target.
        rewrite <- (Rmult_1_r k) at 1. apply Rmult_le_compat_l; [lra|]. assert (HN2 : 2 <= INR N) by (apply (le_INR 2); exact HN).
        rewrite <- (Rpower_O (INR (now N h) / INR N)).
        + apply Rle_Rpower; [|lra]. apply Rmult_le_reg_r with (INR N); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra.
          apply le_INR. unfold now. lia.
        + apply Rdiv_lt_0_compat; [apply lt_0_INR; unfold now; lia|lra].
      - destruct (Rle_lt_dec (g (now N h)) (INR (m h s))); [assumption|]. exfalso. apply Hn. exists s. auto. }
    specialize (Hn0 (m h s) Hcount). pose proof (Rmin_l 1 ((cmax - (cost i - d_minus)) / cmax)).
    pose proof (Rmin_r 1 ((cmax - (cost i - d_minus)) / cmax)).
    assert (Hr1 : cmax * bt N delta (m h s) < cmax) by (rewrite <- (Rmult_1_r cmax) at 2; apply Rmult_lt_compat_l; lra).
    assert (Hr2 : cmax * bt N delta (m h s) < cmax - (cost i - d_minus)).
    { replace (cmax - (cost i - d_minus)) with (cmax * ((cmax - (cost i - d_minus)) / cmax)) by (field; lra).
      apply Rmult_lt_compat_l; lra. }
    pose proof (radius_positive N delta (m h i) ltac:(lia) Hd ltac:(unfold m; lia)) as Hip.
    assert (Hri : 0 < cmax * bt N delta (m h i)) by (apply Rmult_lt_0_compat; lra).
    assert (Hrs : 0 <= cmax * bt N delta (m h s)) by (apply Rmult_le_pos; [lra|apply sqrt_pos]).
    pose proof (Hrange i HiN) as [_ Hci]. pose proof (Hrange s HsN) as [_ Hcs]. pose proof (Hrange best (proj1 Hbest)) as [_ Hcb].
    assert (Hcost : cost best <= cost s).
    { destruct (Nat.eq_dec s best) as [->|Hsb]; [lra|]. left. apply Hbest; auto. }
    unfold adj, radii, rad, extreme_bid, extreme_estimate in Hmin.
    destruct (Nat.eq_dec s i); [contradiction|]. destruct (Nat.eq_dec i i); [|contradiction].
    assert (Hx : forall x y, x = cmax * bt N delta y -> (1 + 0) * cmax * bt N delta y = x) by (intros x y ->; ring).
    rewrite (Hx _ _ eq_refl), (Hx _ _ eq_refl) in Hmin.
    set (rs := cmax * bt N delta (m h s)) in *. set (ri := cmax * bt N delta (m h i)) in *.
    unfold Rmax, Rmin in Hmin. repeat (destruct (Rle_dec _ _) in Hmin; try lra). }
  split; [exact Hwins|]. intros most.
  assert (Hg : never_falls g) by (apply Findings.target_never_falls; [lia|assumption|assumption]).
  destruct (target_sublinear N k alpha ltac:(lia) Ha (INR N + most)) as (start & Hstart). exists start. intros h Hr Hlen.
  specialize (Hstart (N + length h)%nat ltac:(lia)). rewrite plus_INR in Hstart.
  assert (Hpos : 0 < g (N + length h)%nat) by (apply g_pos; exact Hk).
  destruct (lem_forced_exploration_bound N delta cmax qmin 0 true_scores extreme_estimate extreme_bid g h i Hg Hr Hpos) as [_ Hex].
  pose proof (ceiling_below (g (N + length h)%nat)) as Hceil.
  assert (Hsplit : INR (length h) = INR (times_if (fun t => if explores_dec N delta qmin true_scores g t then false else true) h i)
    + total (fun t _ => explored N delta qmin true_scores g t) h).
  { clear Hstart Hlen Hpos Hex Hceil. induction Hr as [|h s Hr IH Hs]; [simpl; lra|]. cbn [length times_if total]. rewrite S_INR, IH.
    unfold explored at 2. destruct (explores_dec N delta qmin true_scores g h) as [Hx|Hn].
    - destruct (Nat.eq_dec s i); rewrite Nat.add_0_l; lra.
    - rewrite (Hwins h s Hr Hs Hn). destruct (Nat.eq_dec i i); [|contradiction]. rewrite plus_INR. change (INR 1) with 1. lra. }
  pose proof (pos_INR N). unfold g in *. nra.
Qed.
End CannotDrop.
