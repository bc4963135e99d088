(* What the paper says per step, and as the horizon T grows.

   Statements.v bounds sums over a run; here they are divided by T, and the bounds vanish. A limit is spelled out: for every
   epsilon > 0 there is a T1 from which on every run is within epsilon. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements Rates.
Import ListNotations.
Open Scope R_scope.

(* ---- sums and ratios *)
Lemma ceiling_below x : ceiling x - 1 <= x.
Proof. unfold ceiling, floor. destruct (base_Int_part (- x)). lra. Qed.
Lemma total_over_le l (f f' : nat -> R) : (forall i, In i l -> f i <= f' i) -> total_over l f <= total_over l f'.
Proof.
  unfold total_over. induction l as [|i l IH]; intros H; simpl; [lra|].
  pose proof (H i (or_introl eq_refl)). assert (forall j, In j l -> f j <= f' j) by (intros; apply H; simpl; auto). specialize (IH H1). lra.
Qed.
Lemma total_over_plus_constant l (f : nat -> R) c : total_over l (fun i => f i + c) = total_over l f + INR (length l) * c.
Proof.
  unfold total_over. induction l as [|i l IH]; [simpl; ring|]. cbn [fold_right length]. rewrite IH, S_INR. ring.
Qed.
Lemma rounded_caps_below l (f f' : nat -> R) x : (forall i, f i = f' i) ->
  total_over l (fun i => Rmax (f i) (ceiling x - 1)) <= total_over l (fun i => Rmax (f' i) x).
Proof.
  intros E. apply total_over_le. intros i _. rewrite E. apply Rmax_lub; [apply Rmax_l|].
  eapply Rle_trans; [apply ceiling_below|apply Rmax_r].
Qed.
Lemma largest_over_above l (f : nat -> R) i : In i l -> f i <= largest_over l f.
Proof.
  unfold largest_over. induction l as [|j l IH]; intros H; [destruct H|]. simpl. destruct H as [->|H]; [apply Rmax_l|].
  eapply Rle_trans; [apply IH; assumption|apply Rmax_r].
Qed.
Lemma over_is_power a x : 0 < x -> a / x = a * Rpower x (- (1)).
Proof. intros Hx. rewrite Rpower_Ropp, Rpower_1 by assumption. reflexivity. Qed.
(* (T/n)^p / T = (n/T)^(1-p) / n *)
Lemma power_per_step n T p : 0 < n -> 0 < T -> n * Rpower (T / n) p / T = Rpower (n / T) (1 - p).
Proof.
  intros Hn HT. rewrite over_is_power, !power_of_ratio by assumption. rewrite <- (Rpower_1 n) at 1 by assumption.
  replace (Rpower n 1 * (Rpower T p * Rpower n (- p)) * Rpower T (- (1)))
    with ((Rpower n 1 * Rpower n (- p)) * (Rpower T p * Rpower T (- (1)))) by ring.
  rewrite <- !Rpower_plus. f_equal; f_equal; ring.
Qed.
Lemma per_step_at_most a b T : 0 < T -> a <= b -> a / T <= b / T.
Proof. intros HT H. apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; assumption|assumption]. Qed.

Section Limits.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus : R) (quality cost : nat -> R) (best : nat).
Variables (quality_estimate cost_estimate : nat -> nat -> R) (bid : list nat -> nat -> R) (g : nat -> R).
Notation run := (run N delta cmax qmin gamma quality_estimate bid g).
Notation horizon h := (INR (N + length h)).
Notation M i := (Runs.M N delta (qmin - quality i)).
(* On the good event the quality regret of every run is within both bounds, and so is the number of its unqualified
   steps; per step both are at most a constant over T. *)
Theorem thm_quality_guarantee_per_step :
  market N delta cmax qmin gamma d_minus d_plus quality cost best ->
  good_event N delta cmax gamma quality cost quality_estimate cost_estimate ->
  (forall h, run h ->
    let regret := run_quality_regret N qmin quality h in
    let gaps := total_over (unqualified N qmin quality) (fun i => (M i + 1) * (qmin - quality i)) in
    let selections := total_over (unqualified N qmin quality) (fun i => M i + 1) in
    regret <= Rmin (INR N + 2 * radius_sum_bound delta (horizon h) (INR N)) gaps /\
    unqualified_steps N qmin quality h <= selections /\
    regret / horizon h <= gaps / horizon h /\ unqualified_steps N qmin quality h / horizon h <= selections / horizon h) /\
  (forall epsilon, 0 < epsilon -> exists T1, forall h, run h -> (T1 <= N + length h)%nat ->
    run_quality_regret N qmin quality h / horizon h <= epsilon /\ unqualified_steps N qmin quality h / horizon h <= epsilon).
Proof.
  intros Hm He.
  assert (HT : forall h : list nat, 0 < horizon h) by (intros; destruct Hm as (HN & _); apply lt_0_INR; lia).
  assert (Hall : forall h, run h ->
    run_quality_regret N qmin quality h <= INR N + 2 * radius_sum_bound delta (horizon h) (INR N) /\
    run_quality_regret N qmin quality h <= total_over (unqualified N qmin quality) (fun i => (M i + 1) * (qmin - quality i)) /\
    unqualified_steps N qmin quality h <= total_over (unqualified N qmin quality) (fun i => M i + 1)).
  { intros h Hr. destruct (thm_quality_guarantee N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate
      bid g h Hm He Hr) as (H1 & H2 & H3). split; [exact H1|split].
    - eapply Rle_trans; [exact H2|]. apply total_over_le. intros. lra.
    - eapply Rle_trans; [exact H3|]. apply total_over_le. intros. lra. }
  set (gaps := total_over (unqualified N qmin quality) (fun i => (M i + 1) * (qmin - quality i))) in *.
  set (selections := total_over (unqualified N qmin quality) (fun i => M i + 1)) in *. split.
  - intros h Hr. cbv zeta. destruct (Hall h Hr) as (H1 & H2 & H3). repeat split; auto.
    + apply Rmin_glb; assumption.
    + apply per_step_at_most; auto.
    + apply per_step_at_most; auto.
  - assert (V : forall c, vanishes (fun T => c / INR T)).
    { intros c. apply (vanishes_of_order _ _ (order_of_inverse c 1 ltac:(lra))). apply power_vanishes. lra. }
    intros epsilon Hep. destruct (V gaps epsilon Hep) as (T1 & H1). destruct (V selections epsilon Hep) as (T2 & H2).
    exists (max T1 T2). intros h Hr Hlong. destruct (Hall h Hr) as (_ & H3 & H4).
    specialize (H1 (N + length h)%nat ltac:(lia)). specialize (H2 (N + length h)%nat ltac:(lia)). cbv beta in *.
    pose proof (Rle_abs (gaps / horizon h)). pose proof (Rle_abs (selections / horizon h)).
    pose proof (per_step_at_most _ _ _ (HT h) H3). pose proof (per_step_at_most _ _ _ (HT h) H4). lra.
Qed.
End Limits.

(* ---- payments, under g(t) = k (t/N)^alpha *)
Section PerStep.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus k alpha : R) (quality cost : nat -> R) (best : nat).
Variables (quality_estimate cost_estimate : nat -> nat -> R) (bid : list nat -> nat -> R) (c2 : R).
Notation n := (INR N).
Notation g := (target N k alpha).
Notation run := (run N delta cmax qmin gamma quality_estimate bid g).
Notation step := (step N delta cmax qmin gamma quality_estimate bid g).
Notation explores := (explores N delta qmin quality_estimate g).
Notation payment := (payment N delta cmax qmin gamma quality_estimate bid g).
Notation horizon h := (INR (N + length h)).

(* a market, its second-lowest qualified cost, and the parameters of the exploration target *)
Definition market_of_payments : Prop :=
  market N delta cmax qmin gamma d_minus d_plus quality cost best /\ second_lowest N qmin quality cost best c2 /\
  0 < k /\ 0 < alpha < 1.
(* E, and bids near the estimates *)
Definition on_good_event : Prop :=
  good_event N delta cmax gamma quality cost quality_estimate cost_estimate /\
  bids_follow N delta cmax qmin gamma d_minus d_plus quality_estimate cost_estimate bid g.

(* \bar M, the largest elimination bound, 1 at least; and T_0 *)
Definition largest_elimination : R :=
  Rmax 1 (largest_over (unqualified N qmin quality) (fun i => Runs.M N delta (qmin - quality i))).
Definition T0 : R := n * Rmax 1 (Rpower (largest_elimination / k) (1 / alpha)).
(* the right-hand sides of the paper: of the average deviation, and of the average excess payment *)
Definition deviation_per_step (T : R) : R :=
  T0 / T * cmax + k * Rpower (n / T) (1 - alpha) * (cmax - c2)
  + 6 * ((1 + gamma) * cmax) / (2 - alpha)
    * sqrt (1 / (2 * k) * Rpower (n / T) alpha * ln (2 * PI ^ 2 * n * k ^ 2 / (3 * delta) * Rpower (T / n) (2 * alpha))).
Definition excess_per_step (T : R) : R :=
  (n / T + k * Rpower (n / T) (1 - alpha)) * (cmax - c2)
  + (1 + gamma) * cmax * sqrt (2 * n / T * ln (2 * PI ^ 2 * n * T ^ 2 / (3 * delta))).

(* what a run pays in all: initialization pays cmax to everybody, and each later step its payment *)
Definition run_payment h : R := n * cmax + total payment h.
Notation average_payment h := (run_payment h / horizon h).
Notation average_deviation h := (run_deviation N delta cmax qmin gamma k alpha quality_estimate bid c2 h / horizon h).
Notation average_excess h := (run_excess_payment N delta cmax qmin gamma quality_estimate bid g c2 h / horizon h).

Lemma converging_payments : market_of_payments -> on_good_event ->
  converging N delta cmax qmin gamma d_minus d_plus k alpha quality cost best quality_estimate cost_estimate bid largest_elimination c2.
Proof.
  intros (Hm & H2 & Hk & Ha) (He & Hb). split; [exact Hm|split; [exact He|split; [exact Hb|split; [exact H2|split; [exact Hk|split; [exact Ha|]]]]]].
  split; [apply Rmax_l|]. intros i Hi Hq. unfold largest_elimination. eapply Rle_trans; [|apply Rmax_r].
  apply (largest_over_above _ (fun i => Runs.M N delta (qmin - quality i))). unfold unqualified. apply filter_In. split; [apply in_seq; lia|].
  destruct (Rlt_dec (quality i) qmin); [reflexivity|contradiction].
Qed.

Notation root T := (sqrt (1 / (2 * k) * Rpower (n / INR T) alpha * ln (2 * PI ^ 2 * n * k ^ 2 / (3 * delta) * Rpower (INR T / n) (2 * alpha)))).

Section Bounds.
Hypothesis Hmarket : market_of_payments.
Lemma at_least_2 : 2 <= n. Proof. destruct Hmarket as ((HN & _) & _). apply (le_INR 2); assumption. Qed.
Lemma horizon_positive (h : list nat) : 0 < horizon h.
Proof. pose proof at_least_2. rewrite plus_INR. pose proof (pos_INR (length h)). lra. Qed.
Lemma c2_inside : 0 <= c2 <= cmax.
Proof.
  destruct Hmarket as (Hm & (Q & HQ & H2) & _). pose proof (cost_range _ _ _ _ _ _ _ _ _ _ Hm). destruct Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest).
  eapply c2_range; eauto.
Qed.
(* N (ceil(g(T)) - 1) / T <= k (N/T)^(1 - alpha) *)
Lemma exploration_per_step T : 0 < INR T -> n * (ceiling (g T) - 1) / INR T <= k * Rpower (n / INR T) (1 - alpha).
Proof.
  intros HT. pose proof at_least_2. rewrite <- power_per_step by lra. pose proof (ceiling_below (g T)).
  replace (k * (n * Rpower (INR T / n) alpha / INR T)) with (n * g T / INR T) by (unfold target; field; lra).
  apply per_step_at_most; [assumption|]. apply Rmult_le_compat_l; lra.
Qed.
Lemma root_per_step T : 0 < INR T -> Wc N delta k alpha T * Rpower (INR T) (1 - alpha / 2) / INR T
  = sqrt (1 / (2 * k) * Rpower (n / INR T) alpha * ln (2 * PI ^ 2 * n * k ^ 2 / (3 * delta) * Rpower (INR T / n) (2 * alpha))).
Proof.
  intros HT. pose proof at_least_2. destruct Hmarket as ((_ & Hd & _) & _ & Hk & Ha).
  assert (E : Rpower (INR T) (1 - alpha / 2) / INR T = sqrt (Rpower (INR T) (- alpha))).
  { rewrite sqrt_of_power, over_is_power by assumption. rewrite <- Rpower_plus. f_equal. field. }
  transitivity (Wc N delta k alpha T * (Rpower (INR T) (1 - alpha / 2) / INR T)); [unfold Rdiv; ring|]. rewrite E.
  unfold Wc. rewrite <- sqrt_of_power. replace (g T ^ 2) with (k ^ 2 * Rpower (INR T / n) (2 * alpha)).
  2:{ unfold target. rewrite Rpow_mult_distr. f_equal. rewrite <- Rpower_pow by apply exp_pos. rewrite Rpower_mult. f_equal. simpl. ring. }
  replace (2 * PI ^ 2 * n * (k ^ 2 * Rpower (INR T / n) (2 * alpha)) / (3 * delta))
    with (2 * PI ^ 2 * n * k ^ 2 / (3 * delta) * Rpower (INR T / n) (2 * alpha)) by (field; lra).
  set (l := ln _). rewrite power_of_ratio by lra.
  pose proof (exp_pos (alpha * ln n)) as Hn. fold (Rpower n alpha) in Hn. pose proof (power_nonneg alpha T) as Hp.
  replace (1 / (2 * k) * (Rpower n alpha * Rpower (INR T) (- alpha)) * l)
    with (Rpower n alpha * (Rpower (INR T) (- alpha) * (l / (2 * k)))) by (field; lra).
  rewrite !sqrt_mult_alt by lra. ring.
Qed.
(* the sum bounds of Statements.v, divided by T *)
Lemma deviation_divided (s d : R) (h : list nat) : 0 <= d ->
  s <= Payments.T0 N k alpha largest_elimination * cmax + n * (ceiling (g (N + length h)) - 1) * (cmax - c2)
    + 4 * ((1 + gamma) * cmax) / (2 - alpha) * (Wc N delta k alpha (N + length h) * Rpower (horizon h) (1 - alpha / 2))
    + d * INR (length h) ->
  s / horizon h <= T0 / horizon h * cmax + k * Rpower (n / horizon h) (1 - alpha) * (cmax - c2)
    + 4 * ((1 + gamma) * cmax) / (2 - alpha) * root (N + length h) + d.
Proof.
  intros Hd Hs. pose proof (horizon_positive h) as HT. pose proof c2_inside.
  eapply Rle_trans; [apply per_step_at_most; [exact HT|exact Hs]|].
  rewrite <- (root_per_step (N + length h) HT). pose proof (exploration_per_step (N + length h) HT) as He.
  apply Rmult_le_compat_r with (r := cmax - c2) in He; [|lra].
  assert (Hl : d * INR (length h) / horizon h <= d).
  { apply Rmult_le_reg_r with (horizon h); [assumption|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply Rmult_le_compat_l; [assumption|]. rewrite plus_INR. pose proof at_least_2. lra. }
  change (Payments.T0 N k alpha largest_elimination) with T0. unfold Rdiv in *. lra.
Qed.
Lemma logarithm_of_positive x : 0 < x -> 0 < 2 * PI ^ 2 * n * x ^ 2 / (3 * delta).
Proof.
  intros Hx. pose proof at_least_2. destruct Hmarket as ((_ & Hd & _) & _). pose proof PI_RGT_0. assert (0 < PI ^ 2) by nra.
  assert (0 < x ^ 2) by nra. apply Rdiv_lt_0_compat; [|lra]. apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; lra|assumption].
Qed.
Lemma root_shrinks : big_O (fun T => root T) (power_and_log (alpha / 2)).
Proof.
  pose proof at_least_2. pose proof (logarithm_of_positive k). destruct Hmarket as ((_ & Hd & _) & _ & Hk & Ha).
  apply order_of_log; try lra; auto. apply Rlt_le, Rdiv_lt_0_compat; lra.
Qed.
Lemma deviation_vanishes : vanishes (fun T => deviation_per_step (INR T)).
Proof.
  pose proof at_least_2. destruct Hmarket as (_ & _ & Hk & Ha). unfold deviation_per_step. apply vanishes_plus; [apply vanishes_plus|].
  - apply (vanishes_at_most _ (fun T => Rabs cmax * (Rabs T0 * Rpower (INR T) (- (1))))).
    + apply vanishes_times, vanishes_times, power_vanishes. lra.
    + exists 1%nat. intros T HT. assert (1 <= INR T) by (apply (le_INR 1); assumption). right.
      unfold Rdiv. rewrite !Rabs_mult, Rpower_Ropp, Rpower_1 by lra. rewrite (Rabs_pos_eq (/ INR T)) by (apply Rlt_le, Rinv_0_lt_compat; lra). ring.
  - apply (vanishes_at_most _ (fun T => Rabs (k * (cmax - c2)) * Rpower (n / INR T) (1 - alpha))).
    + apply vanishes_times. apply (vanishes_of_order _ _ (order_of_ratio n (1 - alpha) ltac:(lra))). apply power_vanishes. lra.
    + exists 0%nat. intros T _. right. rewrite !Rabs_mult, (Rabs_pos_eq (Rpower _ _)) by (apply Rlt_le, exp_pos). ring.
  - apply vanishes_times. apply (vanishes_of_order _ _ root_shrinks). apply power_and_log_vanishes. lra.
Qed.
Lemma excess_vanishes : vanishes (fun T => excess_per_step (INR T)).
Proof.
  pose proof at_least_2. pose proof (logarithm_of_positive n ltac:(lra)). destruct Hmarket as ((_ & Hd & _) & _ & Hk & Ha). unfold excess_per_step. apply vanishes_plus.
  - apply (vanishes_at_most _ (fun T => Rabs (cmax - c2) * (Rpower (n / INR T) 1 + k * Rpower (n / INR T) (1 - alpha)))).
    + apply vanishes_times, vanishes_plus; [|apply vanishes_times].
      * apply (vanishes_of_order _ _ (order_of_ratio n 1 ltac:(lra))). apply power_vanishes. lra.
      * apply (vanishes_of_order _ _ (order_of_ratio n (1 - alpha) ltac:(lra))). apply power_vanishes. lra.
    + exists 1%nat. intros T HT. assert (1 <= INR T) by (apply (le_INR 1); assumption).
      assert (0 < n / INR T) by (apply Rdiv_lt_0_compat; lra). assert (0 < Rpower (n / INR T) (1 - alpha)) by apply exp_pos.
      rewrite Rabs_mult, Rpower_1 by assumption. right. rewrite Rabs_pos_eq; [ring|]. apply Rplus_le_le_0_compat; [lra|].
      apply Rmult_le_pos; lra.
  - apply vanishes_times.
    assert (O : big_O (fun T => sqrt (2 * Rpower (n / INR T) 1 * ln (2 * PI ^ 2 * n * n ^ 2 / (3 * delta) * Rpower (INR T / n) 2)))
      (power_and_log (1 / 2))).
    { apply order_of_log; lra. }
    apply vanishes_of_order with (2 := power_and_log_vanishes (1 / 2) ltac:(lra)).
    eapply order_same; [|exact O]. exists 1%nat. intros T HT. assert (1 <= INR T) by (apply (le_INR 1); assumption).
    assert (0 < INR T / n) by (apply Rdiv_lt_0_compat; lra).
    rewrite Rpower_1 by (apply Rdiv_lt_0_compat; lra).
    replace (Rpower (INR T / n) 2) with ((INR T / n) ^ 2) by (rewrite <- Rpower_pow by assumption; f_equal; simpl; ring).
    replace (2 * PI ^ 2 * n * INR T ^ 2 / (3 * delta)) with (2 * PI ^ 2 * n * n ^ 2 / (3 * delta) * (INR T / n) ^ 2) by (field; lra).
    f_equal. field. lra.
Qed.
Lemma target_never_falls : never_falls g.
Proof. destruct Hmarket as ((HN & _) & _ & Hk & Ha). intros s t. apply g_mono; assumption. Qed.
Lemma target_positive t : 0 < g t.
Proof. destruct Hmarket as (_ & _ & Hk & _). apply g_pos; assumption. Qed.
End Bounds.

(* eq:average-absolute-payment, with 4 where the paper has 6: on the good event the average deviation is at most the bound *)
Theorem average_deviation_sharp h : market_of_payments -> on_good_event -> run h ->
  let T := horizon h in
  average_deviation h <= T0 / T * cmax + k * Rpower (n / T) (1 - alpha) * (cmax - c2)
    + 4 * ((1 + gamma) * cmax) / (2 - alpha)
      * sqrt (1 / (2 * k) * Rpower (n / T) alpha * ln (2 * PI ^ 2 * n * k ^ 2 / (3 * delta) * Rpower (T / n) (2 * alpha)))
    + Rmax d_minus d_plus.
Proof.
  intros Hm He Hr. cbv zeta. pose proof (thm_payment_convergence _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ (converging_payments Hm He) Hr) as H.
  apply deviation_divided; [assumption| |exact H]. destruct Hm as ((_ & _ & _ & _ & Hdev & _) & _).
  pose proof (Rmax_l d_minus d_plus). lra.
Qed.
(* eq:average-absolute-payment and eq:deviation-average-absolute-payment *)
Theorem average_deviation_bound h : market_of_payments -> on_good_event -> run h ->
  average_deviation h <= deviation_per_step (horizon h) + Rmax d_minus d_plus.
Proof.
  intros Hm He Hr. pose proof (average_deviation_sharp h Hm He Hr) as H. cbv zeta in H. eapply Rle_trans; [exact H|].
  unfold deviation_per_step. apply Rplus_le_compat_r, Rplus_le_compat_l, Rmult_le_compat_r; [apply sqrt_pos|].
  destruct Hm as ((_ & _ & Hc & Hga & _) & _ & _ & Ha). unfold Rdiv.
  apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra|]. nra.
Qed.
(* cor:excess-payment-polynomial: on the good event the average excess payment is at most the bound *)
Theorem cor_excess_payment_polynomial h : market_of_payments -> on_good_event -> run h ->
  let T := horizon h in
  average_excess h <= (n / T + k * Rpower (n / T) (1 - alpha)) * (cmax - c2)
    + (1 + gamma) * cmax * sqrt (2 * n / T * ln (2 * PI ^ 2 * n * T ^ 2 / (3 * delta))) + d_plus.
Proof.
  intros Hmarket [He Hb] Hr. cbv zeta. pose proof (horizon_positive Hmarket h) as HT. pose proof (at_least_2 Hmarket) as Hn. pose proof (c2_inside Hmarket) as Hc2.
  pose proof Hmarket as (Hm & H2 & Hk & Ha).
  pose proof (thm_excess_payment_general _ _ _ _ _ _ _ _ _ _ _ _ _ _ h c2 Hm He Hb H2 (target_never_falls Hmarket) Hr (target_positive Hmarket _)) as H.
  eapply Rle_trans; [apply per_step_at_most; [exact HT|exact H]|]. destruct Hm as (HN & Hd & Hc & Hga & Hdev & _).
  pose proof (exploration_per_step Hmarket (N + length h) HT) as Hx. apply Rmult_le_compat_r with (r := cmax - c2) in Hx; [|lra].
  assert (Hl : d_plus * INR (length h) / horizon h <= d_plus).
  { apply Rmult_le_reg_r with (horizon h); [assumption|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply Rmult_le_compat_l; [lra|]. rewrite plus_INR. lra. }
  assert (Hroot : radius_sum_bound delta (horizon h) n / horizon h <= sqrt (2 * n / horizon h * ln (2 * PI ^ 2 * n * horizon h ^ 2 / (3 * delta)))).
  { set (T := horizon h) in *. unfold radius_sum_bound.
    replace (2 / 3 * n * PI ^ 2 * / delta * T ^ 2) with (2 * PI ^ 2 * n * T ^ 2 / (3 * delta)) by (field; lra).
    set (l := ln _). assert (HT1 : 1 <= T) by (unfold T; rewrite plus_INR; pose proof (pos_INR (length h)); lra).
    assert (Hl0 : 0 <= l).
    { unfold l. rewrite <- ln_1. apply ln_increases; [lra|]. pose proof (logarg_ge1 n delta T ltac:(lra) Hd HT1). pose proof pi23_gt1. lra. }
    apply Rle_trans with (sqrt 2 * sqrt n * sqrt (T * l) / T).
    - apply per_step_at_most; [assumption|]. apply Rmult_le_compat_l; [apply Rmult_le_pos; apply sqrt_pos|]. apply sqrt_le_1_alt.
      apply Rmult_le_compat_r; lra.
    - right. apply Rmult_eq_reg_r with T; [|lra]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
      rewrite <- (sqrt_square T) at 3 by lra. assert (0 <= 2 * n / T) by (apply Rlt_le, Rdiv_lt_0_compat; lra).
      assert (0 <= 2 * n / T * l) by (apply Rmult_le_pos; assumption).
      assert (0 <= T * l) by (apply Rmult_le_pos; lra). assert (0 <= T * T) by nra.
      rewrite <- !sqrt_mult by lra. f_equal. field. lra. }
  assert (HG : 0 <= (1 + gamma) * cmax) by nra. apply Rmult_le_compat_l with (r := (1 + gamma) * cmax) in Hroot; [|assumption].
  unfold Rdiv in *. lra.
Qed.
(* beta(g(t)) is at most a root that vanishes *)
Lemma radius_below_root (t T : nat) : market_of_payments -> on_good_event -> T0 < INR t -> (t <= T)%nat ->
  0 <= beta n delta (g t) <= Wc N delta k alpha T * Rpower (INR t) (- (alpha / 2)).
Proof.
  intros Hm He Ht HtT. destruct (converging_payments Hm He) as (_ & _ & _ & _ & _ & _ & HM1 & HM).
  destruct Hm as ((HN & Hd & _ & _ & _ & _ & _ & Hbest) & _ & Hk & Ha). split; [apply sqrt_pos|].
  destruct (after_T0 N delta qmin k alpha quality largest_elimination HN Hd Hk Ha (conj HM1 HM) t Ht) as [HNt Hg].
  apply (beta_g N delta qmin k alpha quality cost best HN Hd Hk Ha Hbest); [apply INR_lt; assumption|assumption|lra].
Qed.
(* what payments fall short of c2, in sum *)
Lemma shortfall_bound h : market_of_payments -> on_good_event -> run h ->
  c2 * horizon h - run_payment h <= T0 * cmax + n * (ceiling (g (N + length h)) - 1) * (cmax - c2)
    + 4 * ((1 + gamma) * cmax) / (2 - alpha) * (Wc N delta k alpha (N + length h) * Rpower (horizon h) (1 - alpha / 2))
    + d_minus * INR (length h).
Proof.
  intros Hmarket Hgood Hr. pose proof (converging_payments Hmarket Hgood) as Hconv. pose proof (at_least_2 Hmarket) as Hn.
  pose proof (c2_inside Hmarket) as Hc2. pose proof Hmarket as ((HN & Hd & Hc & Hga & Hdev & _) & _ & Hk & Ha).
  pose proof (T0_above_N N k alpha largest_elimination HN : n <= T0) as HT0.
  set (T := (N + length h)%nat). set (W := Wc N delta k alpha T). set (G := (1 + gamma) * cmax).
  assert (HG : 0 <= G) by (unfold G; nra).
  assert (HW : 0 <= W) by (unfold W; apply Rmult_le_pos; [apply sqrt_pos|apply Rlt_le, exp_pos]).
  assert (H1 : total (fun t s => (-1) * payment t s + c2) h <= total (fun t _ => cmax * early N k alpha largest_elimination t
    + (2 * G * W * decay N alpha t + d_minus)) h).
  { eapply total_along; [exact Hr|apply le_n|]. intros t s Ht Hs HT.
    destruct (lem_payment_range _ _ _ _ _ _ _ _ _ _ _ _ _ _ t s c2 (proj1 Hmarket) (proj1 Hgood) (proj2 Hgood) (proj1 (proj2 Hmarket)) Ht Hs) as [Hpay _].
    assert (HD : 0 <= 2 * G * W * decay N alpha t) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|apply Rlt_le, exp_pos]).
    unfold early. destruct (Rle_dec (INR (now N t)) (Payments.T0 N k alpha largest_elimination)) as [Hearly|Hlate].
    { rewrite Rmult_1_r. lra. }
    apply Rnot_le_lt in Hlate. rewrite Rmult_0_r, Rplus_0_l.
    destruct (explores_dec N delta qmin quality_estimate g t) as [Hx|Hx] eqn:Ed.
    - assert (E : payment t s = cmax) by (unfold Runs.payment; rewrite Ed; reflexivity). rewrite E. lra.
    - destruct (lem_two_sided_payment _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ t s Hconv Ht Hs Hx Hlate) as [[Hlow _] _].
      destruct (radius_below_root (now N t) T Hmarket Hgood Hlate HT) as [Hb0 Hb]. fold W in Hb. fold (decay N alpha t) in Hb. fold G in Hlow.
      assert (2 * (G * beta n delta (g (now N t))) <= 2 * G * W * decay N alpha t); [|lra].
      replace (2 * G * W * decay N alpha t) with (2 * (G * (W * decay N alpha t))) by ring.
      apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; assumption. }
  rewrite !total_plus, !total_scal, !total_const in H1. fold (run_payment h) in H1.
  pose proof (early_total N k alpha largest_elimination HN h) as H2. pose proof (Rmin_r (n + INR (length h)) T0) as H3.
  change (Payments.T0 N k alpha largest_elimination) with T0 in H2.
  pose proof (decay_total N delta alpha HN Hd Ha h) as H4. rewrite <- plus_INR in H4. fold T in H4 |- *.
  assert (H5 : 2 * G * W * total (fun t _ => decay N alpha t) h <= 4 * G / (2 - alpha) * (W * Rpower (INR T) (1 - alpha / 2))).
  { replace (4 * G / (2 - alpha) * (W * Rpower (INR T) (1 - alpha / 2))) with (2 * G * W * (Rpower (INR T) (1 - alpha / 2) / (1 - alpha / 2))) by (field; lra).
    apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|].
    apply Rmult_le_reg_r with (1 - alpha / 2); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (H6 : cmax * total (fun t _ => early N k alpha largest_elimination t) h <= cmax * (T0 - n)) by (apply Rmult_le_compat_l; lra).
  assert (H7 : 0 <= n * (ceiling (g T) - 1) * (cmax - c2)).
  { apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; [lra|]. pose proof (below_ceiling 0 (g T) (target_positive Hmarket T)). simpl in H. lra. }
  assert (H8 : c2 * n <= cmax * n) by (apply Rmult_le_compat_r; lra).
  assert (H9 : 0 <= cmax * n) by (apply Rmult_le_pos; lra). unfold run_payment. unfold T at 1. rewrite plus_INR. lra.
Qed.
Lemma payment_below_excess h : market_of_payments -> on_good_event -> run h ->
  run_payment h - c2 * horizon h <= run_excess_payment N delta cmax qmin gamma quality_estimate bid g c2 h.
Proof.
  intros Hmarket _ _. unfold run_payment, run_excess_payment. rewrite plus_INR.
  assert (H : total payment h - c2 * INR (length h) <= total (fun t s => Rmax 0 (payment t s - c2)) h).
  { induction h as [|s h IH]; [simpl; lra|]. cbn [total length]. rewrite S_INR. pose proof (Rmax_r 0 (payment h s - c2)). lra. }
  lra.
Qed.

(* "the average payment tends to c_(2)", eq:deviation-payment-limits: from some T1 on it is between c_(2) - d_- and c_(2) + d_+,
   up to epsilon, on the good event *)
Theorem average_payment_limits : market_of_payments -> on_good_event -> forall epsilon, 0 < epsilon ->
  exists T1, forall h, run h -> (T1 <= N + length h)%nat ->
  c2 - d_minus - epsilon <= average_payment h <= c2 + d_plus + epsilon.
Proof.
  intros Hm He epsilon Hep. destruct (deviation_vanishes Hm epsilon Hep) as (T1 & H1).
  destruct (excess_vanishes Hm epsilon Hep) as (T2 & H2). exists (max T1 T2). intros h Hr HT.
  specialize (H1 (N + length h)%nat ltac:(lia)). specialize (H2 (N + length h)%nat ltac:(lia)).
  pose proof (horizon_positive Hm h) as Hpos. pose proof Hm as ((_ & _ & Hc & Hga & Hdev & _) & _ & _ & Ha). split.
  - pose proof (deviation_divided Hm _ _ h (proj1 Hdev) (shortfall_bound h Hm He Hr)) as H.
    replace ((c2 * horizon h - run_payment h) / horizon h) with (c2 - average_payment h) in H by (field; lra).
    pose proof (Rle_abs (deviation_per_step (horizon h))). unfold deviation_per_step in *.
    set (r := sqrt _) in *. assert (Hr0 : 0 <= r) by apply sqrt_pos.
    assert (4 * ((1 + gamma) * cmax) / (2 - alpha) * r <= 6 * ((1 + gamma) * cmax) / (2 - alpha) * r).
    { apply Rmult_le_compat_r; [assumption|]. unfold Rdiv. apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra|nra]. }
    lra.
  - pose proof (cor_excess_payment_polynomial h Hm He Hr) as H. cbv zeta in H. fold (excess_per_step (horizon h)) in H.
    pose proof (per_step_at_most _ _ _ Hpos (payment_below_excess h Hm He Hr)) as H3.
    replace ((run_payment h - c2 * horizon h) / horizon h) with (average_payment h - c2) in H3 by (field; lra).
    pose proof (Rle_abs (excess_per_step (horizon h))). lra.
Qed.
(* "pi_t tends to c_(2) along the steps that are not exploration", with deviations, on the good event *)
Theorem auction_payment_limits : market_of_payments -> on_good_event -> forall epsilon, 0 < epsilon ->
  exists t1, forall h i, run h -> step h i -> ~ explores h -> (t1 <= now N h)%nat ->
  c2 - d_minus - epsilon <= payment h i <= c2 + d_plus + epsilon.
Proof.
  intros Hm He epsilon Hep. pose proof Hm as ((_ & _ & Hc & Hga & Hdev & _) & _ & _ & Ha).
  assert (HG : 0 <= (1 + gamma) * cmax) by nra.
  assert (V : vanishes (fun T => 2 * ((1 + gamma) * cmax) * root T)).
  { apply vanishes_times, (vanishes_of_order _ _ (root_shrinks Hm)), power_and_log_vanishes. lra. }
  destruct (V epsilon Hep) as (t1 & H1). destruct (eventually_above (T0 + 1)) as (t2 & H2). exists (max t1 t2). intros h i Hr Hs Hx Ht.
  specialize (H1 (now N h) ltac:(lia)). specialize (H2 (now N h) ltac:(lia)). cbv beta in H1.
  assert (Hlate : T0 < INR (now N h)) by lra.
  destruct (lem_two_sided_payment _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ h i (converging_payments Hm He) Hr Hs Hx Hlate) as [[Hlow Hup] _].
  destruct (radius_below_root (now N h) (now N h) Hm He Hlate (le_n _)) as [Hb0 Hb].
  assert (Hpos : 0 < INR (now N h)) by (apply lt_0_INR; unfold now; lia).
  assert (E : Wc N delta k alpha (now N h) * Rpower (INR (now N h)) (- (alpha / 2)) = root (now N h)).
  { rewrite <- (root_per_step Hm (now N h) Hpos), (over_is_power _ (INR (now N h))), Rmult_assoc, <- Rpower_plus by assumption. f_equal. f_equal. field. }
  rewrite E in Hb. pose proof (Rle_abs (2 * ((1 + gamma) * cmax) * root (now N h))).
  assert ((1 + gamma) * cmax * beta n delta (g (now N h)) <= (1 + gamma) * cmax * root (now N h)) by (apply Rmult_le_compat_l; assumption).
  assert (0 <= (1 + gamma) * cmax * beta n delta (g (now N h))) by (apply Rmult_le_pos; assumption). lra.
Qed.

(* cor:vanishing-nonoptimal-selections: the share of steps that the best provider does not serve tends to 0, on the good event *)
Theorem vanishing_nonoptimal_selections :
  market N delta cmax qmin gamma d_minus d_plus quality cost best -> on_good_event ->
  separated N qmin d_minus d_plus quality cost best -> 0 < k -> 0 < alpha < 1 -> forall epsilon, 0 < epsilon ->
  exists T1, forall h, run h -> (T1 <= N + length h)%nat -> nonoptimal_steps N best h / horizon h <= epsilon.
Proof.
  intros Hm [He Hb] Hsep Hk Ha epsilon Hep. pose proof Hm as (HN & _). assert (Hn : 2 <= n) by (apply (le_INR 2); assumption).
  set (l := competitors N qmin quality best). set (Li := Runs.L N delta cmax gamma d_minus d_plus cost best).
  set (c := n - 1 + (total_over l (fun i => Rabs (Li i)) + total_over (unqualified N qmin quality) (fun i => Runs.M N delta (qmin - quality i)))).
  assert (V : vanishes (fun T => c / INR T + INR (length l) * k / n * Rpower (n / INR T) (1 - alpha))).
  { apply vanishes_plus.
    - apply (vanishes_of_order _ _ (order_of_inverse c 1 ltac:(lra))), power_vanishes. lra.
    - apply vanishes_times, (vanishes_of_order _ _ (order_of_ratio n (1 - alpha) ltac:(lra))), power_vanishes. lra. }
  destruct (V epsilon Hep) as (T1 & H1). exists T1. intros h Hr HT. specialize (H1 _ HT). cbv beta in H1.
  assert (Hpos : 0 < horizon h) by (apply lt_0_INR; lia). assert (Hg : forall t, 0 < g t) by (intros; apply g_pos; assumption).
  assert (H2 : nonoptimal_steps N best h <= c + INR (length l) * g (N + length h)%nat).
  { eapply Rle_trans; [apply (thm_sample_complexity_on_good_event _ _ _ _ _ _ _ _ _ _ _ _ _ g h Hm He Hb); auto|].
    - intros s t. apply g_mono; assumption.
    - unfold c. fold l Li. assert (total_over l (fun i => Rmax (Li i) (ceiling (g (N + length h)%nat) - 1))
        <= total_over l (fun i => Rabs (Li i) + g (N + length h)%nat)); [|rewrite total_over_plus_constant in H; lra].
      apply total_over_le. intros i _. pose proof (Rle_abs (Li i)). pose proof (Rabs_pos (Li i)).
      pose proof (ceiling_below (g (N + length h)%nat)). pose proof (Hg (N + length h)%nat). apply Rmax_lub; lra. }
  apply (per_step_at_most _ _ _ Hpos) in H2. eapply Rle_trans; [exact H2|]. eapply Rle_trans; [|apply Rle_trans with (1 := Rle_abs _) (2 := H1)].
  right. rewrite <- power_per_step by lra. unfold target. field. lra.
Qed.
End PerStep.
(* The bound is O(T^-min{1-alpha, alpha/2} sqrt(ln T)); the exponent is largest at alpha = 2/3, where it is 1/3, and
   there alone; if c_(2) < c_max, the bound at 2/3 is below that at every other alpha from some T on. *)
Theorem cor_optimal_alpha N delta cmax qmin gamma d_minus d_plus k quality cost best c2 :
  market N delta cmax qmin gamma d_minus d_plus quality cost best -> second_lowest N qmin quality cost best c2 -> 0 < k ->
  let bound alpha T := deviation_per_step N delta cmax qmin gamma k alpha quality c2 (INR T) in
  let exponent alpha := Rmin (1 - alpha) (alpha / 2) in
  (* O(T^-(1-alpha)) + O(T^-(alpha/2) sqrt(ln T)), and so O(T^-min{1-alpha, alpha/2} sqrt(ln T)) *)
  (forall alpha, 0 < alpha < 1 ->
    (exists first second, (forall T, bound alpha T = first T + second T) /\
      big_O first (fun T => Rpower (INR T) (- (1 - alpha))) /\
      big_O second (fun T => Rpower (INR T) (- (alpha / 2)) * sqrt (ln (INR T)))) /\
    big_O (bound alpha) (fun T => Rpower (INR T) (- exponent alpha) * sqrt (ln (INR T)))) /\
  (* the exponent is largest at 2/3, and there alone *)
  (forall alpha, alpha <> 2 / 3 -> exponent alpha < exponent (2 / 3)) /\ exponent (2 / 3) = 1 / 3 /\
  big_O (bound (2 / 3)) (fun T => Rpower (INR T) (- (1 / 3)) * sqrt (ln (INR T))) /\
  (* more than the exponent: where c_(2) < c_max, the bound itself is below that of every other alpha from some T on *)
  (c2 < cmax -> forall alpha, 0 < alpha < 1 -> alpha <> 2 / 3 -> exists T1, forall T, (T1 <= T)%nat -> bound (2 / 3) T < bound alpha T).
Proof.
  intros Hm H2 Hk. cbv zeta. set (bound := fun alpha T => deviation_per_step N delta cmax qmin gamma k alpha quality c2 (INR T)).
  assert (Hmk : forall alpha, 0 < alpha < 1 -> market_of_payments N delta cmax qmin gamma d_minus d_plus k alpha quality cost best c2).
  { intros alpha Ha. exact (conj Hm (conj H2 (conj Hk Ha))). }
  pose proof (at_least_2 _ _ _ _ _ _ _ _ _ _ _ _ _ (Hmk (1 / 2) ltac:(lra))) as Hn.
  pose proof (c2_inside _ _ _ _ _ _ _ _ _ _ _ _ _ (Hmk (1 / 2) ltac:(lra))) as Hc2.
  pose proof Hm as (HN & Hd & Hc & Hga & _). set (n := INR N) in *.
  set (root := fun alpha T => sqrt (1 / (2 * k) * Rpower (n / INR T) alpha * ln (2 * PI ^ 2 * n * k ^ 2 / (3 * delta) * Rpower (INR T / n) (2 * alpha)))).
  assert (HK : 0 < 2 * PI ^ 2 * n * k ^ 2 / (3 * delta)) by (apply (logarithm_of_positive _ _ _ _ _ _ _ _ _ _ _ _ _ (Hmk (1 / 2) ltac:(lra)) k Hk)).
  assert (Hparts : forall alpha, 0 < alpha < 1 -> exists first second, (forall T, bound alpha T = first T + second T) /\
      big_O first (power (1 - alpha)) /\ big_O second (power_and_log (alpha / 2))).
  { intros alpha Ha. exists (fun T => T0 N delta qmin k alpha quality / INR T * cmax + k * Rpower (n / INR T) (1 - alpha) * (cmax - c2)),
      (fun T => 6 * ((1 + gamma) * cmax) / (2 - alpha) * root alpha T). split; [reflexivity|split].
    - apply order_plus.
      + eapply order_same; [|apply (order_times cmax), (order_of_inverse (T0 N delta qmin k alpha quality) (1 - alpha) ltac:(lra))].
        exists 0%nat. intros T _. cbv beta. ring.
      + eapply order_same; [|apply (order_times (k * (cmax - c2))), (order_of_ratio n (1 - alpha) ltac:(lra))].
        exists 0%nat. intros T _. cbv beta. ring.
    - apply order_times, (root_shrinks _ _ _ _ _ _ _ _ _ _ _ _ _ (Hmk alpha Ha)). }
  assert (Hwhole : forall alpha, 0 < alpha < 1 -> big_O (bound alpha) (power_and_log (Rmin (1 - alpha) (alpha / 2)))).
  { intros alpha Ha. destruct (Hparts alpha Ha) as (first & second & E & O1 & O2).
    apply (order_same _ (fun T => first T + second T)); [exists 0%nat; intros; apply E|]. apply order_plus.
    - apply (order_up _ _ _ O1). destruct (power_below_log (1 - alpha)) as (T1 & H1). exists (max 1 T1). intros T HT.
      specialize (H1 T ltac:(lia)). assert (1 <= INR T) by (apply (le_INR 1); lia). split; [apply H1|].
      eapply Rle_trans; [apply H1|]. apply Rmult_le_compat_r; [apply sqrt_pos|]. apply power_smaller; [assumption|apply Rmin_l].
    - apply (order_up _ _ _ O2). exists 1%nat. intros T HT. assert (1 <= INR T) by (apply (le_INR 1); lia).
      split; [apply Rmult_le_pos; [apply power_nonneg|apply sqrt_pos]|]. apply Rmult_le_compat_r; [apply sqrt_pos|].
      apply power_smaller; [assumption|apply Rmin_r]. }
  assert (Ebest : Rmin (1 - 2 / 3) (2 / 3 / 2) = 1 / 3) by (rewrite Rmin_left; lra).
  assert (Hbest : big_O (bound (2 / 3)) (power_and_log (1 / 3))) by (pose proof (Hwhole (2 / 3) ltac:(lra)) as H; rewrite Ebest in H; exact H).
  split; [intros alpha Ha; split; auto|split; [|split; [exact Ebest|split; [exact Hbest|]]]].
  - intros alpha Hne. rewrite Ebest. destruct (Rlt_dec alpha (2 / 3)).
    + eapply Rle_lt_trans; [apply Rmin_r|]. lra.
    + eapply Rle_lt_trans; [apply Rmin_l|]. lra.
  - intros Hlt alpha Ha Hne. destruct (Hmk alpha Ha) as (_ & _).
    assert (Hroot : forall T, 0 <= 6 * ((1 + gamma) * cmax) / (2 - alpha) * root alpha T).
    { intros T. apply Rmult_le_pos; [|apply sqrt_pos]. apply Rlt_le, Rdiv_lt_0_compat; nra. }
    assert (Hfirst : forall T, (1 <= T)%nat -> 0 <= T0 N delta qmin k alpha quality / INR T * cmax).
    { intros T HT. assert (1 <= INR T) by (apply (le_INR 1); assumption). apply Rmult_le_pos; [|lra].
      apply Rmult_le_pos; [|apply Rlt_le, Rinv_0_lt_compat; lra]. assert (n <= T0 N delta qmin k alpha quality) by exact (T0_above_N N k alpha _ HN).
      lra. }
    assert (Hsecond : forall T, 0 <= k * Rpower (n / INR T) (1 - alpha) * (cmax - c2)).
    { intros T. apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; [lra|apply Rlt_le, exp_pos]. }
    destruct (Rlt_dec alpha (2 / 3)) as [Hless|Hmore].
    + destruct (log_not_smaller (1 / (2 * k)) n alpha (2 * PI ^ 2 * n * k ^ 2 / (3 * delta)) (2 * alpha)) as (c & T1 & Hcp & Hlow); try lra.
      { apply Rdiv_lt_0_compat; lra. }
      assert (Hfactor : 0 < 6 * ((1 + gamma) * cmax) / (2 - alpha)) by (apply Rdiv_lt_0_compat; nra).
      apply (slower_is_above (alpha / 2) (1 / 3) _ _ (6 * ((1 + gamma) * cmax) / (2 - alpha) * c) (max 1 T1)); [lra|apply Rmult_lt_0_compat; assumption| |exact Hbest].
      intros T HT. specialize (Hlow T ltac:(lia)). specialize (Hfirst T ltac:(lia)). specialize (Hsecond T).
      rewrite Rmult_assoc. apply Rmult_le_compat_l with (r := 6 * ((1 + gamma) * cmax) / (2 - alpha)) in Hlow; [|lra].
      unfold bound, deviation_per_step. fold n. lra.
    + apply (slower_is_above (1 - alpha) (1 / 3) _ _ (k * (cmax - c2) * Rpower n (1 - alpha)) 1); [lra| | |exact Hbest].
      * apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; lra|apply exp_pos].
      * intros T HT. specialize (Hroot T). specialize (Hfirst T HT). assert (1 <= INR T) by (apply (le_INR 1); assumption).
        assert (E : k * (cmax - c2) * Rpower n (1 - alpha) * Rpower (INR T) (- (1 - alpha)) = k * Rpower (n / INR T) (1 - alpha) * (cmax - c2)).
        { rewrite power_of_ratio by lra. ring. }
        rewrite E. unfold bound, deviation_per_step. fold n. unfold root in Hroot. lra.
Qed.
