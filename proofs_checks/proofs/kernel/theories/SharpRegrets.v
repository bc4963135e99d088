(* Regrets and payments with improved caps of the selections and improved sums of radii: `--method sharp` and the sums by equal shares. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements Findings Rates Limits
  AnyRadius ExactInverse Unwidened EqualShares.
Import ListNotations.
Open Scope R_scope.

Section Regrets.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus : R) (quality cost : nat -> R) (best : nat).
Variables (quality_estimate cost_estimate : nat -> nat -> R) (bid : list nat -> nat -> R) (g : nat -> R).
Notation n := (INR N).
Notation run := (run N delta cmax qmin gamma quality_estimate bid g).
Notation step := (step N delta cmax qmin gamma quality_estimate bid g).
Notation explores := (explores N delta qmin quality_estimate g).
Notation explored := (explored N delta qmin quality_estimate g).
Notation payment := (payment N delta cmax qmin gamma quality_estimate bid g).
Notation market := (market N delta cmax qmin gamma d_minus d_plus quality cost best).
Notation good_event := (Statements.good_event N delta cmax gamma quality cost quality_estimate cost_estimate).
Notation bids_follow := (bids_follow N delta cmax qmin gamma d_minus d_plus quality_estimate cost_estimate bid g).
Notation separated := (separated N qmin d_minus d_plus quality cost best).
Notation gap i := (cost i - cost best).
Notation unqualified := (unqualified N qmin quality).
Notation competitors := (competitors N qmin quality best).
Notation horizon h := (N + length h)%nat.
Notation quality_regret := (run_quality_regret N qmin quality).
Notation generation_regret := (run_generation_regret N cost best).
Hypothesis Hm : market.
Hypothesis He : good_event.
Ltac opened := pose proof Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest); pose proof He as (Hquality & Hcost).

(* ---- with any caps of the selections *)
Theorem quality_regret_by_caps h (cap : nat -> R) : run h ->
  (forall i, (i < N)%nat -> quality i < qmin -> INR (times h i) <= cap i) ->
  quality_regret h <= total_over unqualified (fun i => (qmin - quality i) * (1 + cap i)).
Proof.
  intros Hr Hcap. unfold run_quality_regret, Runs.unqualified.
  rewrite total_over_filter, (total_by_provider N (quality_loss qmin quality)) by (eapply run_lt; eauto).
  rewrite <- bsum_plus. apply bsum_le. intros i Hi. unfold quality_loss. destruct (Rlt_dec (quality i) qmin) as [Hlt|Hge].
  - rewrite Rmax_right by lra. specialize (Hcap i Hi Hlt). nra.
  - rewrite Rmax_left by lra. lra.
Qed.
Theorem generation_regret_by_caps h (u c : nat -> R) : run h ->
  (forall i, (i < N)%nat -> quality i < qmin -> INR (times h i) <= u i) ->
  (forall i, (i < N)%nat -> qmin <= quality i -> i <> best -> INR (times h i) <= c i) ->
  generation_regret h <= total_over competitors (fun i => gap i * (1 + c i)) + total_over unqualified (fun i => (1 + u i) * Rmax 0 (gap i)).
Proof.
  intros Hr Hu Hcap. opened. unfold run_generation_regret.
  rewrite (total_by_provider N (cost_loss cost best)) by (eapply run_lt; eauto). rewrite <- bsum_plus.
  unfold Runs.competitors, Runs.unqualified. rewrite !total_over_filter, <- bsum_plus. apply bsum_le. intros i Hi.
  destruct (Nat.eq_dec i best) as [->|Hne].
  - rewrite cost_loss_star, Nat.eqb_refl. destruct (Rle_dec qmin (quality best)) as [|Hn]; [|exfalso; apply Hn, Hbest].
    destruct (Rlt_dec (quality best) qmin); [lra|]. simpl. lra.
  - apply Nat.eqb_neq in Hne as E. rewrite E. unfold cost_loss. pose proof (Rmax_l 0 (gap i)). destruct (Rle_dec qmin (quality i)) as [Hq|Hq].
    + destruct (Rlt_dec (quality i) qmin); [lra|]. simpl negb. cbv iota. pose proof (Hcap i Hi Hq Hne).
      pose proof (proj2 (proj2 Hbest) i Hi Hq Hne). rewrite Rmax_right in * by lra. nra.
    + destruct (Rlt_dec (quality i) qmin); [|lra]. pose proof (Hu i Hi r). nra.
Qed.
(* ---- with any bound of the sum of the radii *)
Notation radii_of h := (total (fun t s => bt N delta (m t s)) h).
Theorem quality_regret_by_radii h S : run h -> radii_of h <= S -> quality_regret h <= n + 2 * S.
Proof.
  intros Hr HS. opened. unfold run_quality_regret. apply Rplus_le_compat.
  - replace n with (n * 1) by ring. rewrite <- bsum_const. apply bsum_le. intros i Hi. eapply quality_loss_range; eauto.
    intros j Hj. apply Hrange. exact Hj.
  - apply Rle_trans with (total (fun t s => 2 * bt N delta (m t s)) h).
    + eapply total_along; [exact Hr|apply le_n|]. intros t s _ Hs _. eapply quality_step; eauto.
    + rewrite total_scal. lra.
Qed.
Lemma initial_costs : bsum N (cost_loss cost best) <= cmax * (n - 1).
Proof.
  opened. rewrite <- (bsum_one_less best N (proj1 Hbest)), <- bsum_scal. apply bsum_le. intros i Hi.
  destruct (Nat.eq_dec i best) as [->|]; [rewrite cost_loss_star; lra|].
  pose proof (cost_loss_range N cmax qmin quality cost best Hc Hbest (cost_range _ _ _ _ _ _ _ _ _ _ Hm) i Hi). lra.
Qed.
(* where only steps that do not serve the best provider count: S bounds their radii *)
Theorem generation_regret_by_radii h S : bids_follow -> never_falls g -> run h -> 0 < g (horizon h) ->
  total (fun t s => (if Nat.eq_dec s best then 0 else 1) * bt N delta (m t s)) h <= S ->
  generation_regret h <= (n - 1) * ceiling (g (horizon h)) * cmax + 2 * ((1 + gamma) * cmax) * S + (d_minus + d_plus) * INR (length h).
Proof.
  intros Hb Hg Hr Hp HS. pose proof initial_costs as H0. pose proof (cost_range _ _ _ _ _ _ _ _ _ _ Hm) as Hcr.
  pose proof (bids_are_near _ _ _ _ _ _ _ _ _ _ _ Hb) as Hnear. opened. unfold run_generation_regret.
  assert (H1 : total (fun _ s => cost_loss cost best s) h
    <= total (fun t s => explored t * cost_loss cost best s + (2 * ((1 + gamma) * cmax) * ((if Nat.eq_dec s best then 0 else 1) * bt N delta (m t s)) + (d_minus + d_plus))) h).
  { eapply total_along; [exact Hr|apply le_n|]. intros t s Ht Hs _.
    assert (Hstep : cost_loss cost best s <= explored t * cost_loss cost best s + (2 * rad N delta cmax gamma (m t s) + (d_minus + d_plus)))
      by (eapply generation_step; eauto).
    destruct (Nat.eq_dec s best) as [->|]; [rewrite cost_loss_star; lra|]. unfold rad in Hstep. lra. }
  rewrite total_plus, total_plus, total_scal, total_const in H1.
  assert (Hx : total (fun t s => explored t * cost_loss cost best s) h <= cmax * ((n - 1) * (ceiling (g (horizon h)) - 1)))
    by (eapply explored_others; eauto).
  assert (H2 : 2 * ((1 + gamma) * cmax) * total (fun t s => (if Nat.eq_dec s best then 0 else 1) * bt N delta (m t s)) h <= 2 * ((1 + gamma) * cmax) * S)
    by (apply Rmult_le_compat_l; [nra|exact HS]).
  lra.
Qed.
Lemma radii_of_others_at_most h : total (fun t s => (if Nat.eq_dec s best then 0 else 1) * bt N delta (m t s)) h <= radii_of h.
Proof.
  induction h as [|s h IH]; [simpl; lra|]. cbn [total]. pose proof (sqrt_pos (1 / (2 * INR (m h s)) * ln (2 * PI ^ 2 * n * INR (m h s) ^ 2 / (3 * delta)))) as Hp.
  fold (beta n delta (INR (m h s))) in Hp. fold (bt N delta (m h s)) in Hp. destruct (Nat.eq_dec s best); lra.
Qed.

(* ---- thm:generation-regret:sharp: both regrets with the improved caps and the improved sum of the radii *)
Definition sharp_radius_sum (T : nat) : R :=
  sqrt (2 * n * (INR T - n) * ln (2 * PI ^ 2 * n / (3 * delta) * Rmax 1 ((INR T - n) / n) ^ 2)).
Lemma sharp_radii h : run h -> radii_of h <= sharp_radius_sum (horizon h).
Proof.
  intros Hr. opened. pose proof (lem_radius_sum_sharp N delta HN Hd h ltac:(eapply run_lt; eauto)) as H. cbv zeta in H.
  unfold sharp_radius_sum. rewrite plus_INR. replace (n + INR (length h) - n) with (INR (length h)) by ring. exact H.
Qed.
Notation unqualified_cap := (sharp_unqualified_cap N delta cmax qmin gamma d_minus d_plus quality cost best g).
Notation competitor_cap := (sharp_competitor_cap N delta cmax gamma d_minus d_plus cost best g).
(* Quality and generation regret with the improved caps, and with (T - N)/N for T in the logarithm of the radius sum,
   by Jensen. *)
Theorem thm_generation_regret_sharp h : bids_follow -> never_falls g -> run h -> 0 < g (horizon h) ->
  let T := horizon h in
  quality_regret h <= Rmin (n + 2 * sharp_radius_sum T) (total_over unqualified (fun i => (qmin - quality i) * (1 + unqualified_cap T i))) /\
  generation_regret h <= (n - 1) * ceiling (g T) * cmax + 2 * ((1 + gamma) * cmax) * sharp_radius_sum T + (d_minus + d_plus) * INR (length h) /\
  (separated -> generation_regret h <= total_over competitors (fun i => gap i * (1 + competitor_cap T i))
    + total_over unqualified (fun i => (1 + unqualified_cap T i) * Rmax 0 (gap i))).
Proof.
  intros Hb Hg Hr Hp T. split; [|split].
  - apply Rmin_glb.
    + apply quality_regret_by_radii; [exact Hr|apply sharp_radii; exact Hr].
    + apply quality_regret_by_caps; [exact Hr|]. intros i Hi Hq. eapply lem_unqualified_elimination_sharp; eauto.
  - apply generation_regret_by_radii; auto. eapply Rle_trans; [apply radii_of_others_at_most|apply sharp_radii; exact Hr].
  - intros Hsep. apply generation_regret_by_caps; [exact Hr| |].
    + intros i Hi Hq. eapply lem_unqualified_elimination_sharp; eauto.
    + intros i Hi Hq Hne. eapply lem_qualified_suboptimal_selection_sharp; eauto.
Qed.
(* Quality regret with the radii of unqualified providers alone, and with the sharpest caps. *)
Theorem thm_quality_guarantee_sharpest h (cap : nat -> R) : run h ->
  (forall i, (i < N)%nat -> quality i < qmin -> INR (times h i) <= cap i) ->
  quality_regret h <= Rmin (total_over unqualified (fun i => qmin - quality i) + 2 * equal_radii N delta (length unqualified) (length h))
    (total_over unqualified (fun i => (qmin - quality i) * (1 + cap i))).
Proof.
  intros Hr Hcap. apply Rmin_glb; [|apply quality_regret_by_caps; assumption]. opened.
  assert (Hlt : forall i, In i h -> (i < N)%nat) by (eapply run_lt; eauto).
  pose (p := fun i => if Rlt_dec (quality i) qmin then true else false).
  assert (Hstart : bsum N (quality_loss qmin quality) <= total_over unqualified (fun i => qmin - quality i)).
  { unfold Runs.unqualified. rewrite total_over_filter. apply bsum_le. intros i Hi. unfold quality_loss.
    destruct (Rlt_dec (quality i) qmin); [apply Rmax_lub; lra|rewrite Rmax_left; lra]. }
  unfold run_quality_regret. apply Rplus_le_compat; [exact Hstart|].
  assert (Hsteps : total (fun _ s => quality_loss qmin quality s) h <= total (fun t s => 2 * ((if p s then 1 else 0) * bt N delta (m t s))) h).
  { eapply total_along; [exact Hr|apply le_n|]. intros t s _ Hs _.
    assert (Hstep : quality_loss qmin quality s <= 2 * bt N delta (m t s)) by (eapply quality_step; eauto).
    unfold p. destruct (Rlt_dec (quality s) qmin); [lra|]. unfold quality_loss. rewrite Rmax_left; lra. }
  rewrite total_scal in Hsteps. eapply Rle_trans; [exact Hsteps|]. apply Rmult_le_compat_l; [lra|].
  destruct unqualified as [|x l] eqn:E.
  - (* nobody is unqualified: nothing is lost *)
    assert (Hz : forall t, (forall i, In i t -> (i < N)%nat) -> total (fun t s => (if p s then 1 else 0) * bt N delta (m t s)) t = 0).
    { induction t as [|s t IH]; intros Ht; [reflexivity|]. cbn [total]. rewrite IH by (intros; apply Ht; simpl; auto).
      destruct (p s) eqn:Ep; [|ring]. exfalso. assert (Hin : In s unqualified).
      { unfold Runs.unqualified. rewrite filter_In, in_seq. split; [pose proof (Ht s (or_introl eq_refl)); lia|exact Ep]. }
      rewrite E in Hin. destruct Hin. }
    rewrite Hz by exact Hlt. unfold equal_radii, equal_shares. simpl. pose proof (sqrt_pos (1 / (2 * 1) * ln (2 * PI ^ 2 * n * 1 ^ 2 / (3 * delta)))) as Hb1.
    fold (beta n delta 1) in Hb1. change (beta n delta 1) with (bt N delta 1) in Hb1. pose proof (pos_INR (length h)). nra.
  - rewrite <- E. apply (lem_radius_sum_sharpest N delta HN Hd p h); [|exact Hlt]. change (filter p (seq 0 N)) with unqualified. rewrite E. discriminate.
Qed.
(* Generation regret with the radii of all providers but i*, exactly, as those of equal shares, and with the sharpest
   caps. *)
Theorem thm_generation_regret_sharpest h (u c : nat -> R) : bids_follow -> never_falls g -> run h -> 0 < g (horizon h) ->
  generation_regret h <= (n - 1) * ceiling (g (horizon h)) * cmax + 2 * ((1 + gamma) * cmax) * equal_radii N delta (N - 1) (length h)
    + (d_minus + d_plus) * INR (length h) /\
  ((forall i, (i < N)%nat -> quality i < qmin -> INR (times h i) <= u i) ->
   (forall i, (i < N)%nat -> qmin <= quality i -> i <> best -> INR (times h i) <= c i) ->
   generation_regret h <= total_over competitors (fun i => gap i * (1 + c i)) + total_over unqualified (fun i => (1 + u i) * Rmax 0 (gap i))).
Proof.
  intros Hb Hg Hr Hp. split; [|apply generation_regret_by_caps; exact Hr]. opened.
  apply generation_regret_by_radii; auto. pose (p := fun i => negb (Nat.eqb i best)).
  assert (Hlen : length (filter p (seq 0 N)) = (N - 1)%nat).
  { apply INR_eq. rewrite minus_INR by lia. change (INR 1) with 1. rewrite <- (bsum_one_less best N (proj1 Hbest)).
    rewrite <- (Rmult_1_r (INR (length _))), <- (total_over_constant (filter p (seq 0 N)) 1), total_over_filter. apply bsum_ext.
    intros i _. unfold p. destruct (Nat.eqb_spec i best); destruct (Nat.eq_dec i best); try contradiction; reflexivity. }
  assert (Hne : filter p (seq 0 N) <> []) by (intros E; rewrite E in Hlen; simpl in Hlen; lia).
  pose proof (lem_radius_sum_sharpest N delta HN Hd p h Hne ltac:(eapply run_lt; eauto)) as H. rewrite Hlen in H.
  eapply Rle_trans; [|exact H]. right. clear. induction h as [|s h IH]; [reflexivity|]. cbn [total]. rewrite IH. unfold p.
  destruct (Nat.eqb_spec s best); destruct (Nat.eq_dec s best); try contradiction; simpl; ring.
Qed.
End Regrets.
