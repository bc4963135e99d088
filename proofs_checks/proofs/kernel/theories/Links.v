(* The sides of the theorems are the formulas that the program computes with, for the exploration target k (t/N)^alpha.

   Formulas.v is printed from the program. A formula, a label or a theorem that drifts breaks a proof here. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements Rates Limits Findings AnyRadius
  Sharp Corollaries.
Import ListNotations.
Open Scope R_scope.

Section Links.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus k alpha c2 : R) (quality cost : nat -> R) (best : nat).
Hypothesis HN : (2 <= N)%nat.
Hypothesis Hd : 0 < delta < 1.
Hypothesis Hc : 0 < cmax.
Hypothesis Hga : 0 <= gamma.
Notation n := (INR N).
Notation unqualified_ones := (unqualified N qmin quality).
Notation competing_ones := (competitors N qmin quality best).
Notation g := (target N k alpha).
Notation M i := (Runs.M N delta (qmin - quality i)).
Notation L i := (Runs.L N delta cmax gamma d_minus d_plus cost best i).

Theorem link_radius count : 1 <= count -> radius delta count n = beta n delta count.
Proof. intros. apply radius_is_beta; auto. apply (le_INR 1). lia. Qed.
Theorem link_exploration_target t : exploration_target alpha k n (INR t) = g t.
Proof. reflexivity. Qed.
Theorem link_exploration_cap T : exploration_cap alpha k (INR T) n = ceiling (g T) - 1.
Proof. unfold exploration_cap, target, Rdiv. ring. Qed.
Theorem link_elimination_bound i : elimination_bound delta n qmin quality i = M i.
Proof.
  unfold elimination_bound, Runs.M, selection_bound, quality_gap. replace (qmin + -1 * quality i) with (qmin - quality i) by ring.
  f_equal. f_equal. f_equal. ring.
Qed.
Theorem link_ordinary_bound i : d_minus + d_plus < cost i - cost best ->
  ordinary_bound gamma cost delta cmax n (cost best) d_plus d_minus i = L i.
Proof.
  intros H. unfold ordinary_bound, Runs.L, Runs.M, selection_bound, cost_gap.
  replace (cost i + -1 * cost best + -1 * d_plus + -1 * d_minus) with (cost i - cost best - d_minus - d_plus) by ring.
  set (D := cost i - cost best - d_minus - d_plus). assert (HD : 0 < D) by (unfold D; lra). assert (0 < 1 + gamma) by lra.
  f_equal. f_equal; [field; repeat split; lra|]. f_equal. field. repeat split; lra.
Qed.
Theorem link_competitor_cap i T : d_minus + d_plus < cost i - cost best ->
  competitor_cap gamma cost delta cmax alpha k (INR T) n (cost best) d_plus d_minus i = Rmax (L i) (ceiling (g T) - 1).
Proof. intros H. unfold competitor_cap. rewrite link_exploration_cap, link_ordinary_bound by assumption. apply Rmax_comm. Qed.

Hypothesis Hseparated : separated N qmin d_minus d_plus quality cost best.
Lemma competing_gap i : In i competing_ones -> d_minus + d_plus < cost i - cost best.
Proof.
  unfold competitors. rewrite filter_In, in_seq. intros [Hi H]. destruct (Rle_dec qmin (quality i)); [|discriminate].
  apply Bool.negb_true_iff, Nat.eqb_neq in H. apply Hseparated; auto; lia.
Qed.

Theorem link_non_optimal_steps_bound T :
  non_optimal_steps_bound gamma cost delta cmax alpha k (INR T) n (cost best) d_plus qmin d_minus quality competing_ones unqualified_ones
  = n - 1 + (total_over competing_ones (fun i => Rmax (L i) (ceiling (g T) - 1)) + total_over unqualified_ones (fun i => M i)).
Proof.
  unfold non_optimal_steps_bound, identification_bound.
  rewrite (total_over_ext competing_ones _ (fun i => Rmax (L i) (ceiling (g T) - 1)))
    by (intros; apply link_competitor_cap, competing_gap; assumption).
  rewrite (total_over_ext unqualified_ones _ (fun i => M i)) by (intros; apply link_elimination_bound). ring.
Qed.
Theorem link_quality_regret_anytime T : quality_regret_anytime delta (INR T) n = n + 2 * radius_sum_bound delta (INR T) n.
Proof. reflexivity. Qed.
Theorem link_quality_regret_gap_dependent :
  quality_regret_gap_dependent delta n qmin quality unqualified_ones
  = total_over unqualified_ones (fun i => (qmin - quality i) * (1 + M i)).
Proof.
  apply total_over_ext. intros. rewrite link_elimination_bound. unfold quality_gap. ring.
Qed.
Theorem link_unqualified_selections_bound :
  unqualified_selections_bound delta n qmin quality unqualified_ones = total_over unqualified_ones (fun i => 1 + M i).
Proof. apply total_over_ext. intros. rewrite link_elimination_bound. ring. Qed.
Theorem link_generation_regret_anytime T :
  generation_regret_anytime gamma delta cmax alpha k (INR T) n d_plus d_minus
  = (n - 1) * ceiling (g T) * cmax + 2 * ((1 + gamma) * cmax) * radius_sum_bound delta (INR T) n
    + (d_minus + d_plus) * (INR T - n).
Proof. unfold generation_regret_anytime. rewrite link_exploration_cap. ring. Qed.
Theorem link_generation_regret_gap_dependent T :
  generation_regret_gap_dependent gamma cost delta cmax alpha k (INR T) n (cost best) d_plus qmin d_minus cost quality
    competing_ones unqualified_ones
  = total_over competing_ones (fun i => (cost i - cost best) * (1 + Rmax (L i) (ceiling (g T) - 1)))
    + total_over unqualified_ones (fun i => (1 + M i) * Rmax 0 (cost i - cost best)).
Proof.
  unfold generation_regret_gap_dependent.
  rewrite (total_over_ext competing_ones _ (fun i => (cost i - cost best) * (1 + Rmax (L i) (ceiling (g T) - 1)))).
  - rewrite (total_over_ext unqualified_ones _ (fun i => (1 + M i) * Rmax 0 (cost i - cost best))); [reflexivity|].
    intros i _. rewrite link_elimination_bound. f_equal. f_equal. ring.
  - intros i Hi. rewrite link_competitor_cap by (apply competing_gap; assumption). unfold cost_gap. ring.
Qed.
Theorem link_excess_payment T :
  excess_payment gamma delta cmax alpha k (INR T) n d_plus c2
  = (n + n * (ceiling (g T) - 1)) * (cmax - c2) + (1 + gamma) * cmax * radius_sum_bound delta (INR T) n + d_plus * (INR T - n).
Proof. unfold excess_payment, excess_payment_without_exploration, exploration_steps_bound. rewrite link_exploration_cap. ring. Qed.
Theorem link_excess_payment_without_exploration T :
  excess_payment_without_exploration gamma delta cmax (INR T) n d_plus c2
  = n * (cmax - c2) + (1 + gamma) * cmax * radius_sum_bound delta (INR T) n + d_plus * (INR T - n).
Proof. unfold excess_payment_without_exploration. ring. Qed.
Theorem link_auction_payment_upper count : 1 <= count ->
  auction_payment_upper gamma delta cmax count n d_plus c2 = Rmin cmax (c2 + (1 + gamma) * cmax * beta n delta count + d_plus).
Proof. intros. unfold auction_payment_upper. rewrite link_radius by assumption. f_equal. ring. Qed.
Theorem link_auction_payment_lower_served count i : 1 <= count ->
  auction_payment_lower_served gamma delta cmax count n (cost i) d_minus = Rmax 0 (cost i - (1 + gamma) * cmax * beta n delta count - d_minus).
Proof. intros. unfold auction_payment_lower_served. rewrite link_radius by assumption. f_equal. ring. Qed.
End Links.

(* ---- averages over the horizon, under g(t) = k (t/N)^alpha *)
Lemma half_root x : 0 < x -> 1 / 2 * sqrt 2 * / sqrt x = sqrt (1 / (2 * x)).
Proof.
  intros Hx. replace (1 / (2 * x)) with (1 / 2 * (1 / 2) * 2 * / x) by (field; lra).
  assert (0 < / x) by (apply Rinv_0_lt_compat; assumption).
  rewrite (sqrt_mult (1 / 2 * (1 / 2) * 2)), (sqrt_mult (1 / 2 * (1 / 2))), sqrt_square, sqrt_inv by lra. reflexivity.
Qed.

(* The root in a printed deviation is that of the theorem: its logarithm is written otherwise, and 1/(2k) stands before it. *)
Ltac printed_root n k alpha delta T Hk :=
  set (l := ln (2 * PI ^ 2 * n * k ^ 2 / (3 * delta) * Rpower (T / n) (2 * alpha)));
  replace (ln (2 / 3 * n * PI ^ 2 * / delta * k ^ 2 * Rpower (T * / n) (2 * alpha))) with l
    by (unfold l; f_equal; change (T * / n) with (T / n); field; lra);
  change (n * / T) with (n / T); set (r := Rpower (n / T) alpha);
  replace (1 / (2 * k) * r * l) with (1 / (2 * k) * (r * l)) by ring;
  rewrite (sqrt_mult_alt (1 / (2 * k))), <- half_root by (try apply Rlt_le, Rdiv_lt_0_compat; lra);
  pose proof (sqrt_lt_R0 k Hk); field; lra.

Section AverageLinks.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus k alpha c2 : R) (quality cost : nat -> R) (best : nat).
Hypothesis HN : (2 <= N)%nat.
Hypothesis Hd : 0 < delta < 1.
Hypothesis Hc : 0 < cmax.
Hypothesis Hga : 0 <= gamma.
Hypothesis Hk : 0 < k.
Hypothesis Ha : 0 < alpha < 1.
Notation n := (INR N).
Notation unqualified_ones := (unqualified N qmin quality).
Notation competing_ones := (competitors N qmin quality best).
Notation g := (target N k alpha).

Theorem link_largest_elimination_bound :
  largest_elimination_bound delta n qmin quality unqualified_ones = largest_elimination N delta qmin quality.
Proof.
  unfold largest_elimination_bound, largest_elimination, largest_over. f_equal.
  induction unqualified_ones as [|i l IH]; [reflexivity|]. simpl. rewrite IH. f_equal. apply link_elimination_bound.
Qed.
Theorem link_burn_in : burn_in delta alpha k n qmin quality unqualified_ones = T0 N delta qmin k alpha quality.
Proof. unfold burn_in, T0. rewrite link_largest_elimination_bound. unfold Rdiv. rewrite Rmult_1_l. reflexivity. Qed.
Theorem link_average_payment_deviation T : 0 < T ->
  average_payment_deviation gamma delta cmax alpha k T n d_plus qmin c2 d_minus quality unqualified_ones
  = deviation_per_step N delta cmax qmin gamma k alpha quality c2 T + Rmax d_minus d_plus.
Proof.
  intros HT. assert (Hn : 2 <= n) by (apply (le_INR 2); assumption).
  unfold average_payment_deviation, deviation_per_step. rewrite link_burn_in, (Rmax_comm d_plus).
  replace (1 + -1 * alpha) with (1 - alpha) by ring.
  printed_root (INR N) k alpha delta T Hk.
Qed.
Theorem link_average_excess_payment T : 0 < T ->
  average_excess_payment gamma delta cmax alpha k T n d_plus c2 = excess_per_step N delta cmax gamma k alpha c2 T + d_plus.
Proof.
  intros HT. assert (Hn : 2 <= n) by (apply (le_INR 2); assumption). unfold average_excess_payment, excess_per_step.
  replace (2 / 3 * n * PI ^ 2 * / delta * T ^ 2) with (2 * PI ^ 2 * n * T ^ 2 / (3 * delta)) by (field; lra). set (l := ln _).
  assert (0 < / T) by (apply Rinv_0_lt_compat; assumption).
  replace (2 * n / T * l) with (2 * (n * (/ T * l))) by (field; lra).
  rewrite !sqrt_mult_alt, sqrt_inv by lra. replace (1 + -1 * alpha) with (1 - alpha) by ring.
  change (n * / T) with (n / T). ring.
Qed.
Theorem link_radius_at_target t : (1 <= t)%nat -> radius_at_target delta alpha k n (INR t) = beta n delta (g t).
Proof.
  intros Ht. assert (Hn : 2 <= n) by (apply (le_INR 2); assumption). assert (1 <= INR t) by (apply (le_INR 1); assumption).
  unfold radius_at_target, beta. set (x := INR t / n). change (INR t * / n) with x.
  assert (Hg : g t = k * Rpower x alpha) by reflexivity. rewrite Hg.
  replace (2 * PI ^ 2 * n * (k * Rpower x alpha) ^ 2 / (3 * delta))
    with (2 / 3 * n * PI ^ 2 * / delta * k ^ 2 * Rpower x (2 * alpha)).
  2:{ rewrite Rpow_mult_distr. replace (Rpower x (2 * alpha)) with (Rpower x alpha ^ 2); [field; lra|].
      rewrite <- Rpower_pow by apply exp_pos. rewrite Rpower_mult. f_equal. simpl. ring. }
  set (l := ln _). replace (1 / (2 * (k * Rpower x alpha)) * l) with (1 / (2 * k) * (Rpower x (- alpha) * l)).
  2:{ rewrite Rpower_Ropp. pose proof (exp_pos (alpha * ln x)) as He. fold (Rpower x alpha) in He. field. lra. }
  rewrite (sqrt_mult_alt (1 / (2 * k))), <- half_root by (try apply Rlt_le, Rdiv_lt_0_compat; lra).
  rewrite sqrt_mult_alt by (apply Rlt_le, exp_pos). rewrite sqrt_of_power.
  replace (-1 / 2 * alpha) with (- alpha / 2) by field. ring.
Qed.
Theorem link_late_payment_upper t : (1 <= t)%nat ->
  late_payment_upper gamma delta cmax alpha k n d_plus c2 (INR t) = c2 + (1 + gamma) * cmax * beta n delta (g t) + d_plus.
Proof. intros. unfold late_payment_upper. rewrite link_radius_at_target by assumption. ring. Qed.
Theorem link_late_payment_lower t : (1 <= t)%nat ->
  late_payment_lower gamma delta cmax alpha k n c2 (INR t) d_minus = c2 - 3 * ((1 + gamma) * cmax * beta n delta (g t)) - d_minus.
Proof. intros. unfold late_payment_lower. rewrite link_radius_at_target by assumption. ring. Qed.
(* thm:sample-complexity as printed in the main text *)
Theorem link_identification_bound_main_text T : separated N qmin d_minus d_plus quality cost best ->
  identification_bound_main_text gamma cost delta cmax alpha k (INR T) n (cost best) d_plus qmin d_minus quality
    competing_ones unqualified_ones
  = total_over unqualified_ones (fun i => Runs.M N delta (qmin - quality i))
    + total_over competing_ones (fun i => Rmax (Runs.L N delta cmax gamma d_minus d_plus cost best i) (k * Rpower (INR T / n) alpha)).
Proof.
  intros Hsep. unfold identification_bound_main_text. rewrite Rplus_comm. f_equal; apply total_over_ext; intros i Hi.
  - apply link_elimination_bound.
  - f_equal. apply link_ordinary_bound; auto. eapply competing_gap; eauto.
Qed.
End AverageLinks.

(* ---- so every bound of the paper that is printed is one *)
Section PrintedBounds.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus k alpha c2 : R) (quality cost : nat -> R) (best : nat).
Notation n := (INR N).
Notation g := (target N k alpha).
Notation unqualified_ones := (unqualified N qmin quality).
Notation competing_ones := (competitors N qmin quality best).
(* On the good event every bound of the paper that is printed is one: of non-optimal steps, unqualified steps, explorations, both regrets,
   excess payment, that of initialization and auctions alone, its average, and average deviation, for truthful bids, beliefs and bounded
   deviations. *)
Theorem printed_bounds_hold quality_estimate cost_estimate bid h :
  market_of_payments N delta cmax qmin gamma d_minus d_plus k alpha quality cost best c2 -> separated N qmin d_minus d_plus quality cost best ->
  on_good_event N delta cmax qmin gamma d_minus d_plus k alpha quality cost quality_estimate cost_estimate bid ->
  Runs.run N delta cmax qmin gamma quality_estimate bid g h -> let T := (N + length h)%nat in
  nonoptimal_steps N best h <= non_optimal_steps_bound gamma cost delta cmax alpha k (INR T) n (cost best) d_plus qmin d_minus quality
    competing_ones unqualified_ones /\
  unqualified_steps N qmin quality h <= unqualified_selections_bound delta n qmin quality unqualified_ones /\
  total (fun t _ => explored N delta qmin quality_estimate g t) h <= exploration_steps_bound alpha k (INR T) n /\
  run_quality_regret N qmin quality h <= quality_regret delta (INR T) n qmin quality unqualified_ones /\
  run_generation_regret N cost best h <= generation_regret gamma cost delta cmax alpha k (INR T) n (cost best) d_plus qmin d_minus cost quality
    competing_ones unqualified_ones /\
  run_excess_payment N delta cmax qmin gamma quality_estimate bid g c2 h <= excess_payment gamma delta cmax alpha k (INR T) n d_plus c2 /\
  run_excess_without_exploration N delta cmax qmin gamma quality_estimate bid g c2 h
    <= excess_payment_without_exploration gamma delta cmax (INR T) n d_plus c2 /\
  run_excess_payment N delta cmax qmin gamma quality_estimate bid g c2 h / INR T
    <= average_excess_payment gamma delta cmax alpha k (INR T) n d_plus c2 /\
  run_deviation N delta cmax qmin gamma k alpha quality_estimate bid c2 h / INR T
    <= average_payment_deviation gamma delta cmax alpha k (INR T) n d_plus qmin c2 d_minus quality unqualified_ones.
Proof.
  intros Hmp Hsep [He Hb] Hr T. pose proof Hmp as (Hm & H2 & Hk & Ha). pose proof Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest).
  assert (Hmono : never_falls g) by (intros s t; apply g_mono; assumption). assert (Hpos : 0 < g T) by (apply g_pos; exact Hk).
  assert (Hsteps : INR T - n = INR (length h)) by (unfold T; rewrite plus_INR; ring).
  destruct (thm_quality_guarantee _ _ _ _ _ _ _ _ _ _ _ _ _ _ h Hm He Hr) as (Hq1 & Hq2 & Hu).
  destruct (thm_generation_regret _ _ _ _ _ _ _ _ _ _ _ _ _ _ h Hm He Hb Hmono Hr Hpos) as (Hg1 & Hg2).
  pose proof (thm_excess_payment_general _ _ _ _ _ _ _ _ _ _ _ _ _ _ h c2 Hm He Hb H2 Hmono Hr Hpos) as Hexcess.
  pose proof (average_deviation_bound _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ h Hmp (conj He Hb) Hr) as Hdeviation.
  pose proof (cor_excess_payment_polynomial _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ h Hmp (conj He Hb) Hr) as Haverage.
  split; [|split; [|split; [|split; [|split; [|split; [|split; [|split]]]]]]].
  - rewrite link_non_optimal_steps_bound by assumption.
    exact (thm_sample_complexity_on_good_event _ _ _ _ _ _ _ _ _ _ _ _ _ g h Hm He Hb Hmono Hsep Hr Hpos).
  - rewrite link_unqualified_selections_bound. exact Hu.
  - unfold exploration_steps_bound. rewrite link_exploration_cap, Rmult_comm.
    exact (proj2 (lem_forced_exploration_bound N delta cmax qmin gamma quality_estimate cost_estimate bid g h 0%nat Hmono Hr Hpos)).
  - unfold quality_regret. apply Rmin_glb; [exact Hq1|rewrite link_quality_regret_gap_dependent; exact Hq2].
  - unfold generation_regret. apply Rmin_glb.
    + rewrite link_generation_regret_anytime, Hsteps. exact Hg1.
    + rewrite link_generation_regret_gap_dependent by assumption. exact (Hg2 Hsep).
  - rewrite link_excess_payment, Hsteps. exact Hexcess.
  - rewrite link_excess_payment_without_exploration, Hsteps.
    exact (excess_payment_of_auctions_alone _ _ _ _ _ _ _ _ _ _ _ _ _ _ h c2 Hm He Hb H2 Hr).
  - rewrite (link_average_excess_payment N) by (try assumption; apply lt_0_INR; lia). exact Haverage.
  - rewrite (link_average_payment_deviation N delta cmax qmin gamma d_minus d_plus k alpha c2 quality) by (try assumption; apply lt_0_INR; lia).
    exact Hdeviation.
Qed.
End PrintedBounds.

(* ---- the improved bounds *)
(* The branch of the Lambert function below -1: on [-1/e, 0) there is a number w <= -1 with w exp w = z. *)
Lemma lambert_at z : {w | - / exp 1 <= z < 0 -> w <= -1 /\ w * exp w = z}.
Proof.
  destruct (Rle_dec (- / exp 1) z) as [Hlow|Hno]; [|exists 0; tauto]. destruct (Rlt_dec z 0) as [Hneg|Hno]; [|exists 0; tauto].
  set (u := 4 / - z + 1). assert (H4 : 0 < 4 / - z) by (apply Rdiv_lt_0_compat; lra). assert (Hu : 1 < u) by (unfold u; lra).
  assert (Hbig : u * exp (- u) <= - z).
  { pose proof (exp_ineq1_le (u / 2)) as He. assert (Esq : exp u = exp (u / 2) * exp (u / 2)) by (rewrite <- exp_plus; f_equal; field).
    rewrite exp_Ropp. pose proof (exp_pos u). apply Rmult_le_reg_r with (exp u); [assumption|]. rewrite Rmult_assoc, Rinv_l by lra.
    assert (Hq : u * u / 4 <= exp u) by (rewrite Esq; nra). apply Rle_trans with (- z * (u * u / 4)); [|apply Rmult_le_compat_l; lra].
    assert (Ez : - z * (u - 1) = 4) by (unfold u; field; lra). nra. }
  destruct (IVT_cor (fun w => w * exp w - z) (- u) (-1)) as (w & Hw & E).
  - apply continuity_minus; [apply continuity_mult; [apply derivable_continuous, derivable_id|apply derivable_continuous, derivable_exp]|].
    apply continuity_const. intros x y. reflexivity.
  - lra.
  - assert (E1 : exp (-1) = / exp 1) by (rewrite <- exp_Ropp; f_equal; lra). rewrite E1. nra.
  - exists w. intros _. split; [apply Hw|lra].
Qed.
(* There is such a function. *)
Theorem a_lambert_function : exists lambert : R -> R, forall z, - / exp 1 <= z < 0 -> lambert z <= -1 /\ lambert z * exp (lambert z) = z.
Proof. exists (fun z => proj1_sig (lambert_at z)). intros z. exact (proj2_sig (lambert_at z)). Qed.
Section SharpLinks.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus k alpha c2 : R) (quality cost : nat -> R) (best : nat).
Hypothesis Hm : market N delta cmax qmin gamma d_minus d_plus quality cost best.
Hypothesis Hseparated : separated N qmin d_minus d_plus quality cost best.
Hypothesis Hk : 0 < k.
Hypothesis Ha : 0 < alpha < 1.
(* the branch of the Lambert function below -1 *)
Variable lambert : R -> R.
Hypothesis Hlambert : forall z, - / exp 1 <= z < 0 -> lambert z <= -1 /\ lambert z * exp (lambert z) = z.
Notation n := (INR N).
Notation unqualified_ones := (unqualified N qmin quality).
Notation competing_ones := (competitors N qmin quality best).
Notation g := (target N k alpha).
Notation m_star := (m_star N delta).
Notation relative_gap := (relative_gap cmax gamma d_minus d_plus cost best).
Notation the_unqualified_cap := (Sharp.sharp_unqualified_cap N delta cmax qmin gamma d_minus d_plus quality cost best g).
Notation the_competitor_cap := (Sharp.sharp_competitor_cap N delta cmax gamma d_minus d_plus cost best g).
Ltac opened := pose proof Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest).

Lemma printed_m_star a : 0 < a <= 2 ->
  floor (-4 / a ^ 2 * lambert (- (a ^ 2) / (4 * sqrt (2 * PI ^ 2 * n / (3 * delta))))) = m_star a.
Proof.
  opened. intros Ha2. set (z := - (a ^ 2) / (4 * sqrt (2 * PI ^ 2 * n / (3 * delta)))).
  pose proof (Sharp.constant_large N delta HN Hd) as HC. assert (HN2 : 2 <= n) by (apply (le_INR 2); exact HN). pose proof PI_RGT_0 as Hpi.
  set (C := 2 * PI ^ 2 * n / (3 * delta)) in *.
  assert (HC0 : 0 < C) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; nra|lra]).
  assert (Hroot : exp 1 <= sqrt C).
  { rewrite <- (sqrt_square (exp 1)) by (apply Rlt_le, exp_pos). apply sqrt_le_1_alt. rewrite <- exp_plus. replace (1 + 1) with 2 by ring.
    rewrite <- (exp_ln C) by exact HC0. apply Rlt_le, exp_increasing. lra. }
  assert (He : 0 < exp 1) by apply exp_pos. assert (Ha4 : 0 < a ^ 2 <= 4) by nra.
  assert (Hz : - / exp 1 <= z < 0).
  { assert (Hinv : / sqrt C <= / exp 1) by (apply Rinv_le_contravar; lra). assert (0 < / sqrt C) by (apply Rinv_0_lt_compat; lra).
    replace z with (- (a ^ 2 / 4 * / sqrt C)) by (unfold z; field; lra). split; nra. }
  destruct (Hlambert z Hz) as [H1 H2]. symmetry. apply (exact_inverse_is_lambert N delta a (lambert z) HN Hd Ha2 H1 H2).
Qed.
(* the printed argument of the function *)
Lemma printed_argument y : (-1) / 8 * sqrt 6 * / PI * y * sqrt delta * / sqrt n = - y / (4 * sqrt (2 * PI ^ 2 * n / (3 * delta))).
Proof.
  opened. assert (HN2 : 2 <= n) by (apply (le_INR 2); exact HN). pose proof PI_RGT_0 as Hpi.
  assert (E : sqrt (2 * PI ^ 2 * n / (3 * delta)) = 2 * PI * sqrt n / (sqrt 6 * sqrt delta)).
  { assert (S6 : 0 < sqrt 6) by (apply sqrt_lt_R0; lra). assert (Sd : 0 < sqrt delta) by (apply sqrt_lt_R0; lra). pose proof (sqrt_pos n).
    assert (Hp : 0 <= 2 * PI * sqrt n / (sqrt 6 * sqrt delta)).
    { apply Rmult_le_pos; [nra|apply Rlt_le, Rinv_0_lt_compat, Rmult_lt_0_compat; assumption]. }
    rewrite <- (sqrt_square _ Hp). f_equal.
    replace (2 * PI * sqrt n / (sqrt 6 * sqrt delta) * (2 * PI * sqrt n / (sqrt 6 * sqrt delta)))
      with (4 * PI ^ 2 * (sqrt n * sqrt n) / ((sqrt 6 * sqrt 6) * (sqrt delta * sqrt delta))) by (field; lra).
    rewrite !sqrt_sqrt by lra. field. lra. }
  rewrite E. assert (0 < sqrt 6) by (apply sqrt_lt_R0; lra). assert (0 < sqrt delta) by (apply sqrt_lt_R0; lra). assert (0 < sqrt n) by (apply sqrt_lt_R0; lra).
  field. lra.
Qed.
Theorem link_exact_selection_bound a : 0 < a <= 2 -> exact_selection_bound delta a n lambert = m_star a.
Proof.
  intros Ha2. rewrite <- (printed_m_star a Ha2), <- printed_argument. unfold exact_selection_bound. f_equal. unfold Rdiv. do 2 f_equal. ring.
Qed.
Lemma gap_of_quality i : In i unqualified_ones -> 0 < qmin - quality i <= 1.
Proof.
  opened. unfold unqualified. rewrite filter_In, in_seq. intros [Hi H]. destruct (Rlt_dec (quality i) qmin); [|discriminate].
  pose proof (Hrange i ltac:(lia)). lra.
Qed.
Lemma gap_at_most_one i : (i < N)%nat -> relative_gap i <= 1.
Proof.
  opened. intros Hi. pose proof (Hrange i Hi) as [_ H1]. pose proof (Hrange best (proj1 Hbest)) as [_ H2]. unfold Sharp.relative_gap.
  apply Rmult_le_reg_r with ((1 + gamma) * cmax); [nra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by nra. nra.
Qed.
Lemma number_of i (p : nat -> bool) : In i (filter p (seq 0 N)) -> (i < N)%nat.
Proof. rewrite filter_In, in_seq. lia. Qed.
Theorem link_sharp_elimination_bound i : In i unqualified_ones ->
  sharp_elimination_bound delta n qmin quality lambert i = sharp_elimination N delta qmin quality i.
Proof.
  intros Hi. pose proof (gap_of_quality i Hi). unfold sharp_elimination. rewrite <- (printed_m_star (qmin - quality i)) by lra.
  rewrite <- printed_argument. unfold sharp_elimination_bound, quality_gap. replace (qmin + -1 * quality i) with (qmin - quality i) by ring.
  f_equal.
Qed.
Theorem link_sharp_ordinary_bound i : In i competing_ones ->
  sharp_ordinary_bound gamma cost delta cmax n (cost best) d_plus d_minus lambert i = m_star (relative_gap i).
Proof.
  intros Hi. assert (HiN : (i < N)%nat) by (eapply number_of; exact Hi). pose proof (gap_at_most_one i HiN) as Hle.
  assert (Hpos : 0 < relative_gap i).
  { opened. assert (d_minus + d_plus < cost i - cost best) by (eapply competing_gap; eauto). unfold Sharp.relative_gap. apply Rdiv_lt_0_compat; [lra|nra]. }
  rewrite <- (printed_m_star (relative_gap i)) by lra. rewrite <- printed_argument. opened. unfold sharp_ordinary_bound, cost_gap.
  replace (cost i + -1 * cost best + -1 * d_plus + -1 * d_minus) with (cost i - cost best - d_minus - d_plus) by ring.
  assert (HD : cost i - cost best - d_minus - d_plus = relative_gap i * ((1 + gamma) * cmax)) by (unfold Sharp.relative_gap; field; lra).
  rewrite HD. set (a := relative_gap i) in *. f_equal. f_equal; [field; lra|]. f_equal. field.
  repeat split; try lra; apply Rgt_not_eq; try apply sqrt_lt_R0; try exact PI_RGT_0. apply lt_0_INR. lia.
Qed.
(* claim:own-unwidened-wins-stop, for truthful estimates: d_- = d_+ = 0 *)
Theorem link_last_unwidened_win i : d_minus = 0 -> d_plus = 0 -> In i competing_ones ->
  last_unwidened_win gamma cost delta cmax alpha k n (cost best) d_plus d_minus lambert i
  = n * Rpower (m_star ((cost i - cost best) / ((1 + gamma) * cmax)) / k) (1 / alpha).
Proof.
  intros E1 E2 Hi. replace ((cost i - cost best) / ((1 + gamma) * cmax)) with (relative_gap i).
  - rewrite <- (link_sharp_ordinary_bound i Hi). unfold last_unwidened_win, Rdiv. rewrite Rmult_1_l. reflexivity.
  - unfold Sharp.relative_gap. rewrite E1, E2. f_equal. ring.
Qed.
Theorem link_sharp_unqualified_cap T i : In i unqualified_ones ->
  Formulas.sharp_unqualified_cap gamma delta cmax alpha k (INR T) n (cost best) d_plus qmin d_minus cost quality lambert i = the_unqualified_cap T i.
Proof.
  intros Hi. assert (HiN : (i < N)%nat) by (eapply number_of; exact Hi). pose proof (gap_at_most_one i HiN). pose proof (gap_of_quality i Hi).
  unfold Formulas.sharp_unqualified_cap, Sharp.sharp_unqualified_cap. rewrite link_sharp_elimination_bound by exact Hi. rewrite link_exploration_cap, Rmax_comm.
  do 2 f_equal. assert (Ea : Rmax (quality_gap qmin quality i) (/ cmax * / (1 + gamma) * (cost i + -1 * cost best + -1 * d_plus + -1 * d_minus))
    = Rmax (relative_gap i) (qmin - quality i)).
  { rewrite Rmax_comm. opened. unfold quality_gap, Sharp.relative_gap. f_equal; [field; lra|ring]. }
  rewrite Ea. assert (Hrange2 : 0 < Rmax (relative_gap i) (qmin - quality i) <= 2).
  { split; [eapply Rlt_le_trans; [|apply Rmax_r]; lra|apply Rmax_lub; lra]. }
  rewrite <- (printed_m_star _ Hrange2), <- printed_argument. f_equal. f_equal. f_equal. ring.
Qed.
Theorem link_sharp_competitor_cap T i : In i competing_ones ->
  Formulas.sharp_competitor_cap gamma cost delta cmax alpha k (INR T) n (cost best) d_plus d_minus lambert i = the_competitor_cap T i.
Proof.
  intros Hi. unfold Formulas.sharp_competitor_cap, Sharp.sharp_competitor_cap. rewrite link_exploration_cap, link_sharp_ordinary_bound by exact Hi. apply Rmax_comm.
Qed.
Theorem link_sharp_identification_bound T :
  sharp_identification_bound gamma cost delta cmax alpha k (INR T) n (cost best) d_plus qmin d_minus cost quality competing_ones unqualified_ones lambert
  = sharp_identification N delta cmax qmin gamma d_minus d_plus quality cost best g T.
Proof.
  unfold sharp_identification_bound, sharp_identification. rewrite Rplus_comm.
  f_equal; apply total_over_ext; intros i Hi; [apply link_sharp_unqualified_cap|apply link_sharp_competitor_cap]; exact Hi.
Qed.
(* claim:T_id:sharp: whoever compares T with N and the printed bound compares as the theorem does *)
Theorem link_sharp_lead_bound T :
  n + sharp_lead_bound gamma cost delta cmax alpha k (INR T) n (cost best) d_plus qmin d_minus cost quality competing_ones unqualified_ones lambert < INR T ->
  sharp_leads_at N delta cmax qmin gamma d_minus d_plus quality cost best g T.
Proof.
  unfold sharp_lead_bound. rewrite link_sharp_identification_bound. intros H i Hi Hne. eapply Rle_lt_trans; [|exact H]. rewrite Rplus_assoc.
  apply Rplus_le_compat_l, Rplus_le_compat_l. unfold sharp_cap. destruct (Rlt_dec (quality i) qmin) as [Hq|Hq].
  - assert (Hin : In i unqualified_ones) by (unfold unqualified; rewrite filter_In, in_seq; split; [lia|destruct (Rlt_dec _ _); [reflexivity|contradiction]]).
    rewrite <- link_sharp_unqualified_cap by exact Hin. eapply Rle_trans; [|apply Rmax_r].
    apply (largest_over_above unqualified_ones (fun i => Formulas.sharp_unqualified_cap gamma delta cmax alpha k (INR T) n (cost best) d_plus qmin d_minus cost quality lambert i)).
    exact Hin.
  - assert (Hin : In i competing_ones).
    { unfold competitors. rewrite filter_In, in_seq. split; [lia|]. destruct (Rle_dec qmin (quality i)); [|lra]. apply Bool.negb_true_iff, Nat.eqb_neq. exact Hne. }
    rewrite <- link_sharp_competitor_cap by exact Hin. eapply Rle_trans; [|apply Rmax_l].
    apply (largest_over_above competing_ones (fun i => Formulas.sharp_competitor_cap gamma cost delta cmax alpha k (INR T) n (cost best) d_plus d_minus lambert i)).
    exact Hin.
Qed.
Theorem link_sharp_exploration_steps_bound T :
  sharp_exploration_steps_bound delta alpha k (INR T) n (INR (length (qualified N qmin quality))) qmin quality unqualified_ones lambert
  = sharp_exploration_steps N delta qmin quality g T.
Proof.
  unfold sharp_exploration_steps_bound, sharp_exploration_steps. rewrite link_exploration_cap, Rmult_comm. f_equal.
  apply total_over_ext. intros i Hi. rewrite link_sharp_elimination_bound by exact Hi. apply Rmin_comm.
Qed.
Theorem link_sharp_radius_sum_bound T : (N <= T)%nat -> sharp_radius_sum_bound delta (INR T) n = sharp_radius_sum N delta T.
Proof.
  opened. intros HT. apply le_INR in HT. assert (HN2 : 2 <= n) by (apply (le_INR 2); exact HN). unfold sharp_radius_sum_bound, sharp_radius_sum.
  replace (/ n * (INR T + -1 * n)) with ((INR T - n) / n) by (field; lra).
  replace (2 / 3 * n * PI ^ 2 * / delta * Rmax 1 ((INR T - n) / n) ^ 2) with (2 * PI ^ 2 * n / (3 * delta) * Rmax 1 ((INR T - n) / n) ^ 2) by (field; lra).
  set (l := ln _). replace (INR T + -1 * n) with (INR T - n) by ring.
  rewrite <- sqrt_mult_alt by lra. rewrite <- sqrt_mult_alt by lra. f_equal. ring.
Qed.
Theorem link_sharp_quality_regret T : (N <= T)%nat ->
  sharp_quality_regret gamma delta cmax alpha k (INR T) n (cost best) d_plus qmin d_minus cost quality unqualified_ones lambert
  = Rmin (n + 2 * sharp_radius_sum N delta T) (total_over unqualified_ones (fun i => (qmin - quality i) * (1 + the_unqualified_cap T i))).
Proof.
  intros HT. unfold sharp_quality_regret, sharp_quality_regret_anytime, sharp_quality_regret_gap_dependent. rewrite link_sharp_radius_sum_bound by exact HT. f_equal.
  apply total_over_ext. intros i Hi. rewrite link_sharp_unqualified_cap by exact Hi. unfold quality_gap. ring.
Qed.
Theorem link_sharp_quality_regret_by_quality :
  sharp_quality_regret_by_quality delta n qmin quality unqualified_ones lambert
  = total_over unqualified_ones (fun i => (qmin - quality i) * (1 + sharp_elimination N delta qmin quality i)).
Proof. apply total_over_ext. intros i Hi. rewrite link_sharp_elimination_bound by exact Hi. unfold quality_gap. ring. Qed.
Theorem link_sharp_generation_regret T : (N <= T)%nat ->
  sharp_generation_regret gamma cost delta cmax alpha k (INR T) n (cost best) d_plus qmin d_minus cost quality competing_ones unqualified_ones lambert
  = Rmin ((n - 1) * ceiling (g T) * cmax + 2 * ((1 + gamma) * cmax) * sharp_radius_sum N delta T + (d_minus + d_plus) * (INR T - n))
      (total_over competing_ones (fun i => (cost i - cost best) * (1 + the_competitor_cap T i))
       + total_over unqualified_ones (fun i => (1 + the_unqualified_cap T i) * Rmax 0 (cost i - cost best))).
Proof.
  intros HT. unfold sharp_generation_regret, sharp_generation_regret_anytime, sharp_generation_regret_gap_dependent.
  rewrite link_sharp_radius_sum_bound by exact HT. rewrite link_exploration_cap. f_equal; [ring|].
  f_equal; apply total_over_ext; intros i Hi.
  - rewrite link_sharp_competitor_cap by exact Hi. unfold cost_gap. ring.
  - rewrite link_sharp_unqualified_cap by exact Hi. f_equal. f_equal. ring.
Qed.
Theorem link_sharp_excess_payment T : (N <= T)%nat ->
  sharp_excess_payment gamma delta cmax alpha k (INR T) n (INR (length (qualified N qmin quality))) d_plus qmin c2 quality unqualified_ones lambert
  = (n + sharp_exploration_steps N delta qmin quality g T) * (cmax - c2) + (1 + gamma) * cmax * sharp_radius_sum N delta T + d_plus * (INR T - n).
Proof.
  intros HT. unfold sharp_excess_payment, sharp_excess_payment_without_exploration.
  rewrite link_sharp_radius_sum_bound by exact HT. rewrite link_sharp_exploration_steps_bound. ring.
Qed.
Theorem link_sharp_late_payment_lower t : (1 <= t)%nat ->
  sharp_late_payment_lower gamma delta cmax alpha k n c2 (INR t) d_minus = c2 - 2 * ((1 + gamma) * cmax * beta n delta (g t)) - d_minus.
Proof.
  intros Ht. destruct Hm as (HN & Hd & _). unfold sharp_late_payment_lower. rewrite link_radius_at_target by assumption. ring.
Qed.
Theorem link_sharp_burn_in : sharp_burn_in delta alpha k n qmin quality unqualified_ones lambert = sharp_T0 N delta qmin k alpha quality.
Proof.
  unfold sharp_burn_in, sharp_T0, Payments.T0. assert (E : sharp_largest_elimination_bound delta n qmin quality unqualified_ones lambert = sharp_largest N delta qmin quality).
  { unfold sharp_largest_elimination_bound, sharp_largest, largest_over. f_equal. pose proof link_sharp_elimination_bound as H. unfold sharp_elimination in H.
    induction unqualified_ones as [|i l IH]; [reflexivity|]. cbn [fold_right]. rewrite IH by (intros; apply H; right; assumption).
    rewrite H by (left; reflexivity). reflexivity. }
  rewrite E. unfold Rdiv. rewrite Rmult_1_l. reflexivity.
Qed.
Theorem link_sharp_average_payment_deviation T : 0 < T ->
  sharp_average_payment_deviation gamma delta cmax alpha k T n d_plus qmin c2 d_minus quality unqualified_ones lambert
  = sharp_T0 N delta qmin k alpha quality / T * Rmax c2 (cmax - c2) + k * Rpower (n / T) (1 - alpha) * (cmax - c2)
    + 4 * ((1 + gamma) * cmax) / (2 - alpha)
      * sqrt (1 / (2 * k) * Rpower (n / T) alpha * ln (2 * PI ^ 2 * n * k ^ 2 / (3 * delta) * Rpower (T / n) (2 * alpha)))
    + Rmax d_minus d_plus.
Proof.
  intros HT. destruct Hm as (HN & Hd & _). assert (Hn : 2 <= n) by (apply (le_INR 2); exact HN).
  unfold sharp_average_payment_deviation. rewrite link_sharp_burn_in, (Rmax_comm d_plus). replace (1 + -1 * alpha) with (1 - alpha) by ring.
  replace (cmax + -1 * c2) with (cmax - c2) by ring.
  printed_root (INR N) k alpha delta T Hk.
Qed.
(* claim:T_id:repaired, claim:B_id-tightened *)
Theorem link_identification_bound T :
  identification_bound gamma cost delta cmax alpha k (INR T) n (cost best) d_plus qmin d_minus quality competing_ones unqualified_ones
  = B_id N delta cmax qmin gamma d_minus d_plus quality cost best g T.
Proof.
  opened. unfold identification_bound, B_id. rewrite Rplus_comm. f_equal; apply total_over_ext; intros i Hi; [apply link_elimination_bound|].
  apply link_competitor_cap; try assumption. eapply competing_gap; eauto.
Qed.
(* On the good event every improved bound that is printed is one: of non-optimal steps, explorations, both regrets, excess payment and
   average deviation, for truthful bids, beliefs and bounded deviations. *)
Theorem printed_improved_bounds_hold quality_estimate cost_estimate bid h : second_lowest N qmin quality cost best c2 ->
  on_good_event N delta cmax qmin gamma d_minus d_plus k alpha quality cost quality_estimate cost_estimate bid ->
  Runs.run N delta cmax qmin gamma quality_estimate bid g h -> let T := (N + length h)%nat in
  nonoptimal_steps N best h <= n - 1 + sharp_identification_bound gamma cost delta cmax alpha k (INR T) n (cost best) d_plus qmin d_minus cost quality
    competing_ones unqualified_ones lambert /\
  total (fun t _ => explored N delta qmin quality_estimate g t) h
    <= sharp_exploration_steps_bound delta alpha k (INR T) n (INR (length (qualified N qmin quality))) qmin quality unqualified_ones lambert /\
  run_quality_regret N qmin quality h
    <= sharp_quality_regret gamma delta cmax alpha k (INR T) n (cost best) d_plus qmin d_minus cost quality unqualified_ones lambert /\
  run_generation_regret N cost best h <= sharp_generation_regret gamma cost delta cmax alpha k (INR T) n (cost best) d_plus qmin d_minus cost quality
    competing_ones unqualified_ones lambert /\
  run_excess_payment N delta cmax qmin gamma quality_estimate bid g c2 h
    <= sharp_excess_payment gamma delta cmax alpha k (INR T) n (INR (length (qualified N qmin quality))) d_plus qmin c2 quality unqualified_ones lambert /\
  run_deviation N delta cmax qmin gamma k alpha quality_estimate bid c2 h / INR T
    <= sharp_average_payment_deviation gamma delta cmax alpha k (INR T) n d_plus qmin c2 d_minus quality unqualified_ones lambert.
Proof.
  intros H2 [He Hb] Hr T. opened. assert (HT : (N <= T)%nat) by (unfold T; lia).
  assert (Hmono : never_falls g) by (intros s t; apply g_mono; assumption). assert (Hpos : 0 < g T) by (apply g_pos; exact Hk).
  assert (Hsteps : INR T - n = INR (length h)) by (unfold T; rewrite plus_INR; ring).
  destruct (thm_generation_regret_sharp _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hm He h Hb Hmono Hr Hpos) as (Hq & Hanytime & Hgaps).
  destruct (thm_regret_sharp _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ (conj Hm (conj H2 (conj Hk Ha))) (conj He Hb) h Hr) as [Hexcess Hdeviation].
  rewrite link_sharp_identification_bound, link_sharp_exploration_steps_bound, (link_sharp_quality_regret T HT), (link_sharp_generation_regret T HT),
    (link_sharp_excess_payment T HT), Hsteps.
  split; [exact (thm_sample_complexity_sharp _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hm He h Hb Hmono Hseparated Hr Hpos)|].
  split; [exact (proj2 (lem_forced_exploration_bound_sharp _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hm He h Hmono Hr Hpos))|].
  split; [exact Hq|]. split; [apply Rmin_glb; [exact Hanytime|exact (Hgaps Hseparated)]|]. split; [exact Hexcess|].
  rewrite link_sharp_average_payment_deviation by (apply lt_0_INR; lia). exact Hdeviation.
Qed.
End SharpLinks.
