(* The sides of the theorems are the formulas that the program computes with, for the exploration target k (t/N)^alpha.

   Formulas.v is printed from the program. A formula, a label or a theorem that drifts breaks a proof here. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements Rates Limits AnyRadius Sharp.
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
Theorem link_auction_payment_upper count : 1 <= count ->
  auction_payment_upper gamma delta cmax count n d_plus c2 = Rmin cmax (c2 + (1 + gamma) * cmax * beta n delta count + d_plus).
Proof. intros. unfold auction_payment_upper. rewrite link_radius by assumption. f_equal. ring. Qed.
End Links.

(* ---- averages over the horizon, under g(t) = k (t/N)^alpha *)
Lemma half_root x : 0 < x -> 1 / 2 * sqrt 2 * / sqrt x = sqrt (1 / (2 * x)).
Proof.
  intros Hx. replace (1 / (2 * x)) with (1 / 2 * (1 / 2) * 2 * / x) by (field; lra).
  assert (0 < / x) by (apply Rinv_0_lt_compat; assumption).
  rewrite (sqrt_mult (1 / 2 * (1 / 2) * 2)), (sqrt_mult (1 / 2 * (1 / 2))), sqrt_square, sqrt_inv by lra. reflexivity.
Qed.

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
  set (l := ln (2 * PI ^ 2 * n * k ^ 2 / (3 * delta) * Rpower (T / n) (2 * alpha))).
  replace (ln (2 / 3 * n * PI ^ 2 * / delta * k ^ 2 * Rpower (T * / n) (2 * alpha))) with l
    by (unfold l; f_equal; change (T * / n) with (T / n); field; lra).
  change (n * / T) with (n / T). set (r := Rpower (n / T) alpha).
  replace (1 / (2 * k) * r * l) with (1 / (2 * k) * (r * l)) by ring.
  rewrite (sqrt_mult_alt (1 / (2 * k))), <- half_root by (try apply Rlt_le, Rdiv_lt_0_compat; lra).
  pose proof (sqrt_lt_R0 k Hk). field. lra.
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
