(* thm:regret:sharp: what is paid, with the improved counts, the improved sum of the radii and the improved start. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements Findings Rates Limits
  AnyRadius ExactInverse Unwidened EqualShares SharpRegrets.
Import ListNotations.
Open Scope R_scope.

Section Excess.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus : R) (quality cost : nat -> R) (best : nat) (c2 : R).
Variables (quality_estimate cost_estimate : nat -> nat -> R) (bid : list nat -> nat -> R) (g : nat -> R).
Notation n := (INR N).
Notation run := (run N delta cmax qmin gamma quality_estimate bid g).
Notation horizon h := (N + length h)%nat.
(* the excess payment: initialization and as many explorations as the improved caps allow, at cmax - c_(2) each; the radii; d_+ *)
Theorem excess_payment_sharp h :
  market N delta cmax qmin gamma d_minus d_plus quality cost best ->
  Statements.good_event N delta cmax gamma quality cost quality_estimate cost_estimate ->
  bids_follow N delta cmax qmin gamma d_minus d_plus quality_estimate cost_estimate bid g ->
  second_lowest N qmin quality cost best c2 -> never_falls g -> run h -> 0 < g (horizon h) ->
  run_excess_payment N delta cmax qmin gamma quality_estimate bid g c2 h <=
    (n + sharp_exploration_steps N delta qmin quality g (horizon h)) * (cmax - c2)
    + (1 + gamma) * cmax * sharp_radius_sum N delta (horizon h) + d_plus * INR (length h).
Proof.
  intros Hm He Hb (Q & HQ & H2) Hg Hr Hp. pose proof (bids_are_near _ _ _ _ _ _ _ _ _ _ _ Hb). pose proof (cost_range _ _ _ _ _ _ _ _ _ _ Hm).
  pose proof (lem_forced_exploration_bound_sharp _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hm He h Hg Hr Hp) as Hx.
  pose proof (sharp_radii _ _ _ _ _ _ _ _ _ _ _ _ bid g Hm He h Hr) as Hrad.
  destruct Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest). destruct He as (Hquality & Hcost).
  assert (Hc2 : 0 <= c2 <= cmax) by (eapply c2_range; eauto). unfold run_excess_payment.
  assert (H1 : total (fun t s => Rmax 0 (payment N delta cmax qmin gamma quality_estimate bid g t s - c2)) h
    <= total (fun t s => (cmax - c2) * explored N delta qmin quality_estimate g t + ((1 + gamma) * cmax * bt N delta (m t s) + d_plus)) h).
  { eapply total_along; [exact Hr|apply le_n|]. intros t s Ht Hs _.
    assert (E : Rmax 0 (payment N delta cmax qmin gamma quality_estimate bid g t s - c2)
      <= explored N delta qmin quality_estimate g t * (cmax - c2) + (rad N delta cmax gamma (m t s) + d_plus)) by (eapply excess_step; eauto).
    unfold rad in E. lra. }
  rewrite total_plus, total_plus, !total_scal, total_const in H1.
  apply Rmult_le_compat_l with (r := cmax - c2) in Hx; [|lra].
  apply Rmult_le_compat_l with (r := (1 + gamma) * cmax) in Hrad; [|nra]. lra.
Qed.
End Excess.

(* ---- the average deviation, under g(t) = k (t/N)^alpha *)
Section Average.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus k alpha : R) (quality cost : nat -> R) (best : nat) (c2 : R).
Variables (quality_estimate cost_estimate : nat -> nat -> R) (bid : list nat -> nat -> R).
Notation n := (INR N).
Notation g := (target N k alpha).
Notation run := (run N delta cmax qmin gamma quality_estimate bid g).
Notation step := (step N delta cmax qmin gamma quality_estimate bid g).
Notation explores := (explores N delta qmin quality_estimate g).
Notation payment := (payment N delta cmax qmin gamma quality_estimate bid g).
Notation horizon h := (INR (N + length h)).
Notation m_star a := (m_star N delta a).
(* the largest exact inverse, 1 at least, and the improved T_0 *)
Definition sharp_largest : R := Rmax 1 (largest_over (unqualified N qmin quality) (fun i => m_star (qmin - quality i))).
Definition sharp_T0 : R := Payments.T0 N k alpha sharp_largest.
Notation root T := (sqrt (1 / (2 * k) * Rpower (n / T) alpha * ln (2 * PI ^ 2 * n * k ^ 2 / (3 * delta) * Rpower (T / n) (2 * alpha)))).
Hypothesis Hmp : market_of_payments N delta cmax qmin gamma d_minus d_plus k alpha quality cost best c2.
Hypothesis Hgood : on_good_event N delta cmax qmin gamma d_minus d_plus k alpha quality cost quality_estimate cost_estimate bid.

Lemma after_sharp_T0 t : sharp_T0 < INR t -> INR N < INR t /\ sharp_largest < g t.
Proof.
  intros Ht. destruct Hmp as ((HN & Hd & _) & _ & Hk & Ha).
  apply (after_T0 N delta 0 k alpha (fun _ => 0) sharp_largest HN Hd Hk Ha); [|exact Ht]. split; [apply Rmax_l|]. intros i _ Hlt. lra.
Qed.
(* lem:ordinary-qualified-set with the improved T_0 *)
Lemma sharp_ordinary_set h : ~ explores h -> sharp_T0 < INR (now N h) ->
  forall j, In j (Qh N delta qmin quality_estimate h) -> (j < N)%nat /\ qmin <= quality j /\ g (now N h) <= INR (m h j).
Proof.
  intros Hn Ht j Hj. destruct (after_sharp_T0 _ Ht) as [_ Hg]. destruct Hmp as (Hm & _). destruct Hgood as [He _].
  assert (Hcount : g (now N h) <= INR (m h j)) by (destruct (Rle_lt_dec (g (now N h)) (INR (m h j))); [assumption|exfalso; apply Hn; exists j; auto]).
  pose proof Hj as Hj'. apply in_Qh_iff in Hj'. destruct Hj' as [HjN Hin]. split; [exact HjN|]. split; [|exact Hcount].
  apply Rnot_lt_le. intros Hlt. pose proof (proj1 He j (m h j) HjN ltac:(unfold m; lia)) as H. apply Rabs_le_inv in H.
  assert (Hle : INR (m h j) <= m_star (qmin - quality j)).
  { apply (m_star_count N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate Hm He); [unfold m; lia|lra|lra]. }
  assert (Hlargest : m_star (qmin - quality j) <= sharp_largest).
  { unfold sharp_largest. eapply Rle_trans; [|apply Rmax_r].
    apply (largest_over_above (unqualified N qmin quality) (fun i => m_star (qmin - quality i))).
    unfold unqualified. rewrite filter_In, in_seq. split; [lia|]. destruct (Rlt_dec _ _); [reflexivity|contradiction]. }
  lra.
Qed.
Notation E := (Rmax c2 (cmax - c2)).
Lemma sharp_deviation_step T h s : run h -> step h s -> (now N h <= T)%nat ->
  Rabs (payment h s - c2) <= E * early N k alpha sharp_largest h
    + ((cmax - c2) * explored N delta qmin quality_estimate g h + (2 * ((1 + gamma) * cmax) * Wc N delta k alpha T * decay N alpha h + Rmax d_minus d_plus)).
Proof.
  intros Hr Hs HT. pose proof (c2_inside _ _ _ _ _ _ _ _ _ _ _ _ _ Hmp) as Hc2. pose proof (Wc_nonneg N delta k alpha T) as HW.
  assert (Hv : 0 < decay N alpha h) by apply Rpower_positive.
  pose proof (after_sharp_T0 (now N h)) as Hafter. pose proof (sharp_ordinary_set h) as Hset.
  pose proof Hmp as (Hm & (Q & HQ & H2) & Hk & Ha). pose proof Hgood as [He Hb].
  pose proof (bids_are_near _ _ _ _ _ _ _ _ _ _ _ Hb) as Hnear. pose proof (bids_in_range _ _ _ _ _ _ _ _ _ _ _ Hb) as Hbr.
  pose proof (cost_range _ _ _ _ _ _ _ _ _ _ Hm) as Hcr.
  destruct Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest). destruct He as (Hquality & Hcost).
  assert (HD : 0 <= Rmax d_minus d_plus) by (pose proof (Rmax_l d_minus d_plus); lra).
  assert (HG : 0 <= (1 + gamma) * cmax) by nra.
  assert (HB : 0 <= 2 * ((1 + gamma) * cmax) * Wc N delta k alpha T * decay N alpha h) by (apply Rmult_le_pos; [apply Rmult_le_pos; [lra|assumption]|lra]).
  assert (Hx : 0 <= explored N delta qmin quality_estimate g h <= 1) by (unfold Runs.explored; destruct (explores_dec _ _ _ _ _ h); lra).
  assert (Hp : 0 <= payment h s <= cmax) by (eapply payment_range_run; eauto).
  unfold early. destruct (Rle_dec (INR (now N h)) (Payments.T0 N k alpha sharp_largest)) as [Hle|Hgt].
  - assert (Rabs (payment h s - c2) <= E).
    { pose proof (Rmax_l c2 (cmax - c2)). pose proof (Rmax_r c2 (cmax - c2)). apply Rabs_le. lra. }
    assert (0 <= (cmax - c2) * explored N delta qmin quality_estimate g h) by (apply Rmult_le_pos; lra). lra.
  - rewrite Rmult_0_r, Rplus_0_l. apply Rnot_le_lt in Hgt. unfold Runs.explored. destruct (explores_dec N delta qmin quality_estimate g h) as [Hex|Hn] eqn:Ed.
    + assert (Ep : payment h s = cmax) by (unfold Runs.payment; rewrite Ed; reflexivity). rewrite Ep, Rabs_pos_eq by lra. lra.
    + specialize (Hset Hn Hgt). destruct (Hafter Hgt) as [HtN HgM]. assert (Hg1 : 1 <= g (now N h)) by (pose proof (Rmax_l 1 (largest_over (unqualified N qmin quality) (fun i => m_star (qmin - quality i)))); unfold sharp_largest in HgM; lra).
      assert (H3 : c2 - 2 * ((1 + gamma) * cmax * beta n delta (g (now N h))) - d_minus <= payment h s <= c2 + (1 + gamma) * cmax * beta n delta (g (now N h)) + d_plus).
      { eapply two_sided_run with (Q := Q); eauto.
        - intros j Hj. apply HQ. destruct (Hset j Hj) as (H & H' & _). split; assumption.
        - intros j Hj. unfold rad, bt. apply Rmult_le_compat_l; [lra|]. apply radius_monotone; [apply (le_INR 2); exact HN|exact Hd|exact Hg1|].
          apply Hset. apply HQ in Hj. eapply eligible; eauto; tauto. }
      assert (Hbg : beta n delta (g (now N h)) <= Wc N delta k alpha T * decay N alpha h)
        by (eapply (beta_g N delta qmin k alpha quality cost best); eauto; unfold now; lia).
      assert (Hb0 : 0 <= beta n delta (g (now N h))) by apply sqrt_pos.
      assert (Hr0 : 0 <= (1 + gamma) * cmax * beta n delta (g (now N h))) by (apply Rmult_le_pos; assumption).
      assert (Hr1 : (1 + gamma) * cmax * beta n delta (g (now N h)) <= (1 + gamma) * cmax * (Wc N delta k alpha T * decay N alpha h))
        by (apply Rmult_le_compat_l; assumption).
      pose proof (Rmax_l d_minus d_plus). pose proof (Rmax_r d_minus d_plus). apply Rabs_le. lra.
Qed.
(* the average of |payment - c_(2)|, initialization included: 4/(2 - alpha) for 6/(2 - alpha), the improved T_0, and
   max{c_(2), cmax - c_(2)} for cmax until then *)
Theorem average_deviation_improved h : run h ->
  let T := horizon h in
  run_deviation N delta cmax qmin gamma k alpha quality_estimate bid c2 h / T <=
    sharp_T0 / T * E + k * Rpower (n / T) (1 - alpha) * (cmax - c2) + 4 * ((1 + gamma) * cmax) / (2 - alpha) * root T + Rmax d_minus d_plus.
Proof.
  intros Hr T. pose proof (c2_inside _ _ _ _ _ _ _ _ _ _ _ _ _ Hmp) as Hc2. pose proof (Wc_nonneg N delta k alpha (N + length h)) as HW.
  pose proof (horizon_positive _ _ _ _ _ _ _ _ _ _ _ _ _ Hmp h) as HT. pose proof (at_least_2 _ _ _ _ _ _ _ _ _ _ _ _ _ Hmp) as Hn2.
  pose proof (exploration_per_step _ _ _ _ _ _ _ _ _ _ _ _ _ Hmp (N + length h) HT) as Hexp.
  pose proof (root_per_step _ _ _ _ _ _ _ _ _ _ _ _ _ Hmp (N + length h) HT) as Hroot.
  pose proof Hmp as (Hm & _ & Hk & Ha). pose proof Hm as (HN & Hd & Hc & Hga & Hdev & _).
  assert (H1 : total (fun t s => Rabs (payment t s - c2)) h <= total (fun t _ => E * early N k alpha sharp_largest t
    + ((cmax - c2) * explored N delta qmin quality_estimate g t + (2 * ((1 + gamma) * cmax) * Wc N delta k alpha (N + length h) * decay N alpha t + Rmax d_minus d_plus))) h).
  { eapply total_along; [exact Hr|apply le_n|]. intros t s Ht Hs HT'. apply sharp_deviation_step; auto. }
  rewrite !total_plus, !total_scal, total_const in H1.
  pose proof (early_total N k alpha sharp_largest HN h) as H2. pose proof (Rmin_r (n + INR (length h)) (Payments.T0 N k alpha sharp_largest)) as H3.
  assert (H4 : total (fun t _ => explored N delta qmin quality_estimate g t) h <= n * (ceiling (g (N + length h)) - 1)).
  { eapply explored_bound; eauto; [intros s t; apply g_mono; assumption|apply g_pos; assumption]. }
  pose proof (decay_total N delta alpha HN Hd Ha h) as H5. rewrite <- plus_INR in H5.
  assert (HEE : cmax - c2 <= E /\ 0 <= E) by (pose proof (Rmax_l c2 (cmax - c2)); pose proof (Rmax_r c2 (cmax - c2)); lra).
  assert (H6 : 2 * ((1 + gamma) * cmax) * Wc N delta k alpha (N + length h) * total (fun t _ => decay N alpha t) h
    <= 4 * ((1 + gamma) * cmax) / (2 - alpha) * (Wc N delta k alpha (N + length h) * Rpower (horizon h) (1 - alpha / 2))).
  { replace (4 * ((1 + gamma) * cmax) / (2 - alpha) * (Wc N delta k alpha (N + length h) * Rpower (horizon h) (1 - alpha / 2)))
      with (2 * ((1 + gamma) * cmax) * Wc N delta k alpha (N + length h) * (Rpower (horizon h) (1 - alpha / 2) / (1 - alpha / 2))) by (field; lra).
    apply Rmult_le_compat_l; [apply Rmult_le_pos; [nra|assumption]|].
    apply Rmult_le_reg_r with (1 - alpha / 2); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (H7 : (cmax - c2) * total (fun t _ => explored N delta qmin quality_estimate g t) h <= (cmax - c2) * (n * (ceiling (g (N + length h)) - 1)))
    by (apply Rmult_le_compat_l; lra).
  assert (H8 : E * total (fun t _ => early N k alpha sharp_largest t) h <= E * (Payments.T0 N k alpha sharp_largest - n)) by (apply Rmult_le_compat_l; lra).
  assert (H9 : n * (cmax - c2) <= E * n) by (rewrite (Rmult_comm E); apply Rmult_le_compat_l; lra).
  assert (Hs : run_deviation N delta cmax qmin gamma k alpha quality_estimate bid c2 h <=
    sharp_T0 * E + n * (ceiling (g (N + length h)) - 1) * (cmax - c2)
    + 4 * ((1 + gamma) * cmax) / (2 - alpha) * (Wc N delta k alpha (N + length h) * Rpower (horizon h) (1 - alpha / 2)) + Rmax d_minus d_plus * INR (length h)).
  { unfold run_deviation, sharp_T0. lra. }
  fold T in HT, Hexp, Hroot, Hs |- *. eapply Rle_trans; [apply per_step_at_most; [exact HT|exact Hs]|].
  rewrite <- Hroot. apply Rmult_le_compat_r with (r := cmax - c2) in Hexp; [|lra].
  assert (HD : 0 <= Rmax d_minus d_plus) by (pose proof (Rmax_l d_minus d_plus); lra).
  assert (Hl : Rmax d_minus d_plus * INR (length h) / T <= Rmax d_minus d_plus).
  { apply Rmult_le_reg_r with T; [exact HT|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply Rmult_le_compat_l; [exact HD|]. unfold T. rewrite plus_INR. lra. }
  unfold Rdiv in *. lra.
Qed.
(* Excess payment with the improved counts; average deviation with 4/(2 - alpha) and a smaller start. *)
Theorem thm_regret_sharp h : run h -> let T := horizon h in
  run_excess_payment N delta cmax qmin gamma quality_estimate bid g c2 h <=
    (n + sharp_exploration_steps N delta qmin quality g (N + length h)) * (cmax - c2)
    + (1 + gamma) * cmax * sharp_radius_sum N delta (N + length h) + d_plus * INR (length h) /\
  run_deviation N delta cmax qmin gamma k alpha quality_estimate bid c2 h / T <=
    sharp_T0 / T * E + k * Rpower (n / T) (1 - alpha) * (cmax - c2) + 4 * ((1 + gamma) * cmax) / (2 - alpha) * root T + Rmax d_minus d_plus.
Proof.
  intros Hr T. pose proof Hmp as (Hm & H2 & Hk & Ha). pose proof Hm as (HN & _). destruct Hgood as [He Hb]. split.
  - apply (excess_payment_sharp N delta cmax qmin gamma d_minus d_plus quality cost best c2 quality_estimate cost_estimate); auto.
    + intros s t. apply g_mono; assumption.
    + apply g_pos. assumption.
  - apply average_deviation_improved. exact Hr.
Qed.
(* An auction after T_0 pays at least c_(2) - 2 c_max beta(g(t)) (2 instead of 3, and 2 is optimal). *)
Theorem lem_two_sided_payment_sharp h s : run h -> step h s -> ~ explores h -> sharp_T0 < INR (now N h) ->
  let r := (1 + gamma) * cmax * beta n delta (g (now N h)) in c2 - 2 * r - d_minus <= payment h s <= c2 + r + d_plus.
Proof.
  intros Hr Hs Hn Ht r. pose proof (sharp_ordinary_set h Hn Ht) as Hset. destruct (after_sharp_T0 _ Ht) as [HtN HgM].
  assert (Hg1 : 1 <= g (now N h)) by (pose proof (Rmax_l 1 (largest_over (unqualified N qmin quality) (fun i => m_star (qmin - quality i)))); unfold sharp_largest in HgM; lra).
  pose proof Hmp as (Hm & (Q & HQ & H2) & Hk & Ha). pose proof Hgood as [He Hb].
  pose proof (bids_are_near _ _ _ _ _ _ _ _ _ _ _ Hb) as Hnear. pose proof (cost_range _ _ _ _ _ _ _ _ _ _ Hm) as Hcr.
  destruct Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest). destruct He as (Hquality & Hcost).
  eapply two_sided_run with (Q := Q); eauto.
  - intros j Hj. apply HQ. destruct (Hset j Hj) as (H & H' & _). split; assumption.
  - intros j Hj. unfold r, rad, bt. apply Rmult_le_compat_l; [nra|]. apply radius_monotone; [apply (le_INR 2); exact HN|exact Hd|exact Hg1|].
    apply Hset. apply HQ in Hj. eapply eligible; eauto; tauto.
Qed.
End Average.
