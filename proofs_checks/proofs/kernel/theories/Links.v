(* The sides of the theorems are the formulas that the program computes with, for the exploration target k (t/N)^alpha.

   Formulas.v is printed from the program. A formula, a label or a theorem that drifts breaks a proof here. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements.
Import ListNotations.
Open Scope R_scope.

Lemma total_over_ext l (f f' : nat -> R) : (forall i, In i l -> f i = f' i) -> total_over l f = total_over l f'.
Proof.
  unfold total_over. induction l as [|i l IH]; intros H; [reflexivity|]. simpl. rewrite (H i) by (simpl; auto).
  rewrite IH; [reflexivity|]. intros; apply H; simpl; auto.
Qed.

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
