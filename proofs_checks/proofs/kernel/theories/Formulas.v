(* Made by `python -m proofs_checks.proofs.kernel` from the formulas of the package `bounds`: do not edit.
   A quantity of a provider is a function of its number, a sum over providers is over a list of their numbers. What is
   called `lambert` is the branch of the Lambert function below -1, a number w with w exp w = z: Links.v says so. *)
Require Import Reals List.
Open Scope R_scope.

Definition floor (x : R) : R := IZR (Int_part x).
Definition ceiling (x : R) : R := - floor (- x).
Definition total_over (providers : list nat) (value : nat -> R) : R :=
  fold_right (fun i total => value i + total) 0 providers.
Definition largest_over (providers : list nat) (value : nat -> R) : R :=
  fold_right (fun i most => Rmax (value i) most) 0 providers.

(* eq:qualified-set *)
Definition radius (confidence : R) (count : R) (n_providers : R) : R :=
  (1 / 2) * (sqrt 2) * (/ (sqrt count)) * (sqrt (ln ((2 / 3) * n_providers * (PI ^ 2) * (/ confidence) * (count ^ 2)))).

(* thm:sample-complexity *)
Definition selection_bound (confidence : R) (gap : R) (n_providers : R) : R :=
  ceiling (4 * (/ (gap ^ 2)) * (ln (57 * n_providers * (/ confidence) * (/ (gap ^ 4))))).

(* lem:radius-inversion, solved exactly *)
Definition exact_count (confidence : R) (gap : R) (n_providers : R) (lambert : R -> R) : R :=
  (-4) * (/ (gap ^ 2)) * (lambert (((-1) / 8) * (sqrt 6) * (/ PI) * (sqrt confidence) * (gap ^ 2) * (/ (sqrt n_providers)))).

(* lem:radius-inversion, solved exactly *)
Definition exact_selection_bound (confidence : R) (gap : R) (n_providers : R) (lambert : R -> R) : R :=
  floor ((-4) * (/ (gap ^ 2)) * (lambert (((-1) / 8) * (sqrt 6) * (/ PI) * (sqrt confidence) * (gap ^ 2) * (/ (sqrt n_providers))))).

(* lem:forced-exploration-bound *)
Definition exploration_cap (exploration_exponent : R) (exploration_scale : R) (horizon : R) (n_providers : R) : R :=
  (-1) + (ceiling (exploration_scale * (Rpower (horizon * (/ n_providers)) exploration_exponent))).

(* eq:optimal-provider *)
Definition cost_gap (competitor_cost : nat -> R) (optimal_cost : R) (i : nat) : R :=
  (competitor_cost i) + ((-1) * optimal_cost).

(* lem:ordinary-selection-threshold; prop:bayesian-substitution; prop:deviation-selection *)
Definition ordinary_bound (belief_slack : R) (competitor_cost : nat -> R) (confidence : R) (cost_bound : R) (n_providers : R) (optimal_cost : R) (overbid : R) (underbid : R) (i : nat) : R :=
  ceiling (4 * (cost_bound ^ 2) * ((1 + belief_slack) ^ 2) * (/ (((cost_gap competitor_cost optimal_cost i) + ((-1) * overbid) + ((-1) * underbid)) ^ 2)) * (ln (57 * n_providers * (/ confidence) * (cost_bound ^ 4) * ((1 + belief_slack) ^ 4) * (/ (((cost_gap competitor_cost optimal_cost i) + ((-1) * overbid) + ((-1) * underbid)) ^ 4))))).

(* lem:qualified-suboptimal-selection *)
Definition competitor_cap (belief_slack : R) (competitor_cost : nat -> R) (confidence : R) (cost_bound : R) (exploration_exponent : R) (exploration_scale : R) (horizon : R) (n_providers : R) (optimal_cost : R) (overbid : R) (underbid : R) (i : nat) : R :=
  Rmax (exploration_cap exploration_exponent exploration_scale horizon n_providers) (ordinary_bound belief_slack competitor_cost confidence cost_bound n_providers optimal_cost overbid underbid i).

(* eq:optimal-provider *)
Definition quality_gap (quality_threshold : R) (unqualified_quality : nat -> R) (i : nat) : R :=
  quality_threshold + ((-1) * (unqualified_quality i)).

(* lem:unqualified-elimination *)
Definition elimination_bound (confidence : R) (n_providers : R) (quality_threshold : R) (unqualified_quality : nat -> R) (i : nat) : R :=
  ceiling (4 * (/ ((quality_gap quality_threshold unqualified_quality i) ^ 2)) * (ln (57 * n_providers * (/ ((quality_gap quality_threshold unqualified_quality i) ^ 4)) * (/ confidence)))).

(* lem:radius-sum *)
Definition radius_sum_bound (confidence : R) (horizon : R) (n_providers : R) : R :=
  (sqrt 2) * (sqrt n_providers) * (sqrt ((horizon + ((-1) * n_providers)) * (ln ((2 / 3) * n_providers * (PI ^ 2) * (/ confidence) * (horizon ^ 2))))).

(* thm:quality-guarantee *)
Definition quality_regret_anytime (confidence : R) (horizon : R) (n_providers : R) : R :=
  n_providers + (2 * (radius_sum_bound confidence horizon n_providers)).

(* thm:quality-guarantee *)
Definition quality_regret_gap_dependent (confidence : R) (n_providers : R) (quality_threshold : R) (unqualified_quality : nat -> R) (unqualified : list nat) : R :=
  total_over unqualified (fun i => ((quality_gap quality_threshold unqualified_quality i) * (1 + (elimination_bound confidence n_providers quality_threshold unqualified_quality i)))).

(* thm:quality-guarantee *)
Definition quality_regret (confidence : R) (horizon : R) (n_providers : R) (quality_threshold : R) (unqualified_quality : nat -> R) (unqualified : list nat) : R :=
  Rmin (quality_regret_anytime confidence horizon n_providers) (quality_regret_gap_dependent confidence n_providers quality_threshold unqualified_quality unqualified).

(* thm:generation-regret; thm:deviation-generation-regret *)
Definition generation_regret_anytime (belief_slack : R) (confidence : R) (cost_bound : R) (exploration_exponent : R) (exploration_scale : R) (horizon : R) (n_providers : R) (overbid : R) (underbid : R) : R :=
  ((overbid + underbid) * (horizon + ((-1) * n_providers))) + ((radius_sum_bound confidence horizon n_providers) * cost_bound * (2 + (2 * belief_slack))) + (cost_bound * (1 + (exploration_cap exploration_exponent exploration_scale horizon n_providers)) * ((-1) + n_providers)).

(* thm:generation-regret; thm:deviation-generation-regret *)
Definition generation_regret_gap_dependent (belief_slack : R) (competitor_cost : nat -> R) (confidence : R) (cost_bound : R) (exploration_exponent : R) (exploration_scale : R) (horizon : R) (n_providers : R) (optimal_cost : R) (overbid : R) (quality_threshold : R) (underbid : R) (unqualified_cost : nat -> R) (unqualified_quality : nat -> R) (competitors : list nat) (unqualified : list nat) : R :=
  (total_over competitors (fun i => ((cost_gap competitor_cost optimal_cost i) * (1 + (competitor_cap belief_slack competitor_cost confidence cost_bound exploration_exponent exploration_scale horizon n_providers optimal_cost overbid underbid i))))) + (total_over unqualified (fun i => ((1 + (elimination_bound confidence n_providers quality_threshold unqualified_quality i)) * (Rmax 0 ((unqualified_cost i) + ((-1) * optimal_cost)))))).

(* thm:generation-regret *)
Definition generation_regret (belief_slack : R) (competitor_cost : nat -> R) (confidence : R) (cost_bound : R) (exploration_exponent : R) (exploration_scale : R) (horizon : R) (n_providers : R) (optimal_cost : R) (overbid : R) (quality_threshold : R) (underbid : R) (unqualified_cost : nat -> R) (unqualified_quality : nat -> R) (competitors : list nat) (unqualified : list nat) : R :=
  Rmin (generation_regret_anytime belief_slack confidence cost_bound exploration_exponent exploration_scale horizon n_providers overbid underbid) (generation_regret_gap_dependent belief_slack competitor_cost confidence cost_bound exploration_exponent exploration_scale horizon n_providers optimal_cost overbid quality_threshold underbid unqualified_cost unqualified_quality competitors unqualified).

(* definition of the regret *)
Definition trivial_quality_regret (horizon : R) (quality_threshold : R) (unqualified_quality : nat -> R) (unqualified : list nat) : R :=
  horizon * (largest_over unqualified (fun i => (quality_gap quality_threshold unqualified_quality i))).

(* definition of the regret *)
Definition trivial_generation_regret (competitor_cost : nat -> R) (horizon : R) (optimal_cost : R) (unqualified_cost : nat -> R) (competitors : list nat) (unqualified : list nat) : R :=
  horizon * (Rmax (largest_over competitors (fun i => (cost_gap competitor_cost optimal_cost i))) (largest_over unqualified (fun i => (Rmax 0 ((unqualified_cost i) + ((-1) * optimal_cost)))))).

(* thm:regret *)
Definition largest_elimination_bound (confidence : R) (n_providers : R) (quality_threshold : R) (unqualified_quality : nat -> R) (unqualified : list nat) : R :=
  Rmax 1 (largest_over unqualified (fun i => (elimination_bound confidence n_providers quality_threshold unqualified_quality i))).

(* thm:regret *)
Definition burn_in (confidence : R) (exploration_exponent : R) (exploration_scale : R) (n_providers : R) (quality_threshold : R) (unqualified_quality : nat -> R) (unqualified : list nat) : R :=
  n_providers * (Rmax 1 (Rpower ((largest_elimination_bound confidence n_providers quality_threshold unqualified_quality unqualified) * (/ exploration_scale)) (/ exploration_exponent))).

(* lem:forced-exploration-bound *)
Definition exploration_steps_bound (exploration_exponent : R) (exploration_scale : R) (horizon : R) (n_providers : R) : R :=
  (exploration_cap exploration_exponent exploration_scale horizon n_providers) * n_providers.

(* alg:platform *)
Definition exploration_target (exploration_exponent : R) (exploration_scale : R) (n_providers : R) (step : R) : R :=
  exploration_scale * (Rpower (step * (/ n_providers)) exploration_exponent).

(* lem:radius-monotone *)
Definition radius_at_target (confidence : R) (exploration_exponent : R) (exploration_scale : R) (n_providers : R) (step : R) : R :=
  (1 / 2) * (sqrt 2) * (/ (sqrt exploration_scale)) * (Rpower (step * (/ n_providers)) (((-1) / 2) * exploration_exponent)) * (sqrt (ln ((2 / 3) * n_providers * (PI ^ 2) * (/ confidence) * (exploration_scale ^ 2) * (Rpower (step * (/ n_providers)) (2 * exploration_exponent))))).

(* lem:ordinary-payment; prop:bayesian-substitution; lem:deviation-payment *)
Definition auction_payment_upper (belief_slack : R) (confidence : R) (cost_bound : R) (count : R) (n_providers : R) (overbid : R) (second_lowest_cost : R) : R :=
  Rmin cost_bound (overbid + second_lowest_cost + ((radius confidence count n_providers) * cost_bound * (1 + belief_slack))).

(* appendix D (claim:payment-lower-appD) *)
Definition auction_payment_lower_served (belief_slack : R) (confidence : R) (cost_bound : R) (count : R) (n_providers : R) (served_cost : R) (underbid : R) : R :=
  Rmax 0 (served_cost + ((-1) * underbid) + ((-1) * (radius confidence count n_providers) * cost_bound * (1 + belief_slack))).

(* lem:two-sided-payment; thm:payment-convergence; lem:deviation-payment *)
Definition late_payment_upper (belief_slack : R) (confidence : R) (cost_bound : R) (exploration_exponent : R) (exploration_scale : R) (n_providers : R) (overbid : R) (second_lowest_cost : R) (step : R) : R :=
  overbid + second_lowest_cost + ((radius_at_target confidence exploration_exponent exploration_scale n_providers step) * cost_bound * (1 + belief_slack)).

(* lem:two-sided-payment; thm:payment-convergence; lem:deviation-payment *)
Definition late_payment_lower (belief_slack : R) (confidence : R) (cost_bound : R) (exploration_exponent : R) (exploration_scale : R) (n_providers : R) (second_lowest_cost : R) (step : R) (underbid : R) : R :=
  second_lowest_cost + ((-1) * underbid) + ((-3) * (radius_at_target confidence exploration_exponent exploration_scale n_providers step) * cost_bound * (1 + belief_slack)).

(* thm:excess-payment-general, without its exploration term *)
Definition excess_payment_without_exploration (belief_slack : R) (confidence : R) (cost_bound : R) (horizon : R) (n_providers : R) (overbid : R) (second_lowest_cost : R) : R :=
  (overbid * (horizon + ((-1) * n_providers))) + (n_providers * (cost_bound + ((-1) * second_lowest_cost))) + ((radius_sum_bound confidence horizon n_providers) * cost_bound * (1 + belief_slack)).

(* thm:excess-payment-general; thm:deviation-payment-convergence *)
Definition excess_payment (belief_slack : R) (confidence : R) (cost_bound : R) (exploration_exponent : R) (exploration_scale : R) (horizon : R) (n_providers : R) (overbid : R) (second_lowest_cost : R) : R :=
  (excess_payment_without_exploration belief_slack confidence cost_bound horizon n_providers overbid second_lowest_cost) + ((exploration_steps_bound exploration_exponent exploration_scale horizon n_providers) * (cost_bound + ((-1) * second_lowest_cost))).

(* cor:excess-payment-polynomial; thm:deviation-payment-convergence *)
Definition average_excess_payment (belief_slack : R) (confidence : R) (cost_bound : R) (exploration_exponent : R) (exploration_scale : R) (horizon : R) (n_providers : R) (overbid : R) (second_lowest_cost : R) : R :=
  overbid + ((cost_bound + ((-1) * second_lowest_cost)) * ((exploration_scale * (Rpower (n_providers * (/ horizon)) (1 + ((-1) * exploration_exponent)))) + (n_providers * (/ horizon)))) + (cost_bound * (sqrt 2) * (/ (sqrt horizon)) * (sqrt n_providers) * (sqrt (ln ((2 / 3) * n_providers * (PI ^ 2) * (/ confidence) * (horizon ^ 2)))) * (1 + belief_slack)).

(* thm:regret; thm:payment-convergence; prop:bayesian-substitution; thm:deviation-payment-convergence *)
Definition average_payment_deviation (belief_slack : R) (confidence : R) (cost_bound : R) (exploration_exponent : R) (exploration_scale : R) (horizon : R) (n_providers : R) (overbid : R) (quality_threshold : R) (second_lowest_cost : R) (underbid : R) (unqualified_quality : nat -> R) (unqualified : list nat) : R :=
  ((burn_in confidence exploration_exponent exploration_scale n_providers quality_threshold unqualified_quality unqualified) * cost_bound * (/ horizon)) + (exploration_scale * (Rpower (n_providers * (/ horizon)) (1 + ((-1) * exploration_exponent))) * (cost_bound + ((-1) * second_lowest_cost))) + ((1 / 2) * cost_bound * (sqrt 2) * (/ (sqrt exploration_scale)) * (sqrt ((Rpower (n_providers * (/ horizon)) exploration_exponent) * (ln ((2 / 3) * n_providers * (PI ^ 2) * (/ confidence) * (exploration_scale ^ 2) * (Rpower (horizon * (/ n_providers)) (2 * exploration_exponent)))))) * (/ (2 + ((-1) * exploration_exponent))) * (6 + (6 * belief_slack))) + (Rmax overbid underbid).

(* lem:payment-range *)
Definition trivial_payment_deviation (cost_bound : R) (second_lowest_cost : R) : R :=
  Rmax second_lowest_cost (cost_bound + ((-1) * second_lowest_cost)).

(* lem:payment-range *)
Definition trivial_excess_payment (cost_bound : R) (horizon : R) (second_lowest_cost : R) : R :=
  horizon * (cost_bound + ((-1) * second_lowest_cost)).

(* lem:unqualified-elimination *)
Definition sum_quality_selection_bounds (confidence : R) (n_providers : R) (quality_threshold : R) (unqualified_quality : nat -> R) (unqualified : list nat) : R :=
  total_over unqualified (fun i => (elimination_bound confidence n_providers quality_threshold unqualified_quality i)).

(* lem:ordinary-selection-threshold *)
Definition sum_cost_selection_bounds (belief_slack : R) (competitor_cost : nat -> R) (confidence : R) (cost_bound : R) (n_providers : R) (optimal_cost : R) (overbid : R) (underbid : R) (competitors : list nat) : R :=
  total_over competitors (fun i => (ordinary_bound belief_slack competitor_cost confidence cost_bound n_providers optimal_cost overbid underbid i)).

(* thm:quality-guarantee *)
Definition unqualified_selections_bound (confidence : R) (n_providers : R) (quality_threshold : R) (unqualified_quality : nat -> R) (unqualified : list nat) : R :=
  total_over unqualified (fun i => (1 + (elimination_bound confidence n_providers quality_threshold unqualified_quality i))).

(* thm:sample-complexity, tightened as in appendix D *)
Definition identification_bound (belief_slack : R) (competitor_cost : nat -> R) (confidence : R) (cost_bound : R) (exploration_exponent : R) (exploration_scale : R) (horizon : R) (n_providers : R) (optimal_cost : R) (overbid : R) (quality_threshold : R) (underbid : R) (unqualified_quality : nat -> R) (competitors : list nat) (unqualified : list nat) : R :=
  (total_over competitors (fun i => (competitor_cap belief_slack competitor_cost confidence cost_bound exploration_exponent exploration_scale horizon n_providers optimal_cost overbid underbid i))) + (total_over unqualified (fun i => (elimination_bound confidence n_providers quality_threshold unqualified_quality i))).

(* thm:sample-complexity, as printed in the main text *)
Definition identification_bound_main_text (belief_slack : R) (competitor_cost : nat -> R) (confidence : R) (cost_bound : R) (exploration_exponent : R) (exploration_scale : R) (horizon : R) (n_providers : R) (optimal_cost : R) (overbid : R) (quality_threshold : R) (underbid : R) (unqualified_quality : nat -> R) (competitors : list nat) (unqualified : list nat) : R :=
  (total_over competitors (fun i => (Rmax (ordinary_bound belief_slack competitor_cost confidence cost_bound n_providers optimal_cost overbid underbid i) (exploration_scale * (Rpower (horizon * (/ n_providers)) exploration_exponent))))) + (total_over unqualified (fun i => (elimination_bound confidence n_providers quality_threshold unqualified_quality i))).

(* definition of the count *)
Definition trivial_identification_bound (horizon : R) (n_providers : R) : R :=
  horizon + ((-1) * n_providers).

(* thm:sample-complexity *)
Definition non_optimal_steps_bound (belief_slack : R) (competitor_cost : nat -> R) (confidence : R) (cost_bound : R) (exploration_exponent : R) (exploration_scale : R) (horizon : R) (n_providers : R) (optimal_cost : R) (overbid : R) (quality_threshold : R) (underbid : R) (unqualified_quality : nat -> R) (competitors : list nat) (unqualified : list nat) : R :=
  (-1) + (identification_bound belief_slack competitor_cost confidence cost_bound exploration_exponent exploration_scale horizon n_providers optimal_cost overbid quality_threshold underbid unqualified_quality competitors unqualified) + n_providers.

(* alg:platform *)
Definition target_floor (exploration_exponent : R) (exploration_scale : R) (horizon : R) (n_providers : R) : R :=
  floor (exploration_scale * (Rpower (horizon * (/ n_providers)) exploration_exponent)).

(* lem:unqualified-elimination, improved *)
Definition sharp_elimination_bound (confidence : R) (n_providers : R) (quality_threshold : R) (unqualified_quality : nat -> R) (lambert : R -> R) (i : nat) : R :=
  floor ((-4) * (/ ((quality_gap quality_threshold unqualified_quality i) ^ 2)) * (lambert (((-1) / 8) * (sqrt 6) * (/ PI) * ((quality_gap quality_threshold unqualified_quality i) ^ 2) * (sqrt confidence) * (/ (sqrt n_providers))))).

(* lem:ordinary-selection-threshold, improved *)
Definition sharp_ordinary_bound (belief_slack : R) (competitor_cost : nat -> R) (confidence : R) (cost_bound : R) (n_providers : R) (optimal_cost : R) (overbid : R) (underbid : R) (lambert : R -> R) (i : nat) : R :=
  floor ((-4) * (cost_bound ^ 2) * ((1 + belief_slack) ^ 2) * (/ (((cost_gap competitor_cost optimal_cost i) + ((-1) * overbid) + ((-1) * underbid)) ^ 2)) * (lambert (((-1) / 8) * (sqrt 6) * (/ PI) * (sqrt confidence) * (/ (cost_bound ^ 2)) * (/ (sqrt n_providers)) * (/ ((1 + belief_slack) ^ 2)) * (((cost_gap competitor_cost optimal_cost i) + ((-1) * overbid) + ((-1) * underbid)) ^ 2)))).

(* lem:unqualified-elimination and lem:ordinary-selection-gap, improved *)
Definition sharp_unqualified_cap (belief_slack : R) (confidence : R) (cost_bound : R) (exploration_exponent : R) (exploration_scale : R) (horizon : R) (n_providers : R) (optimal_cost : R) (overbid : R) (quality_threshold : R) (underbid : R) (unqualified_cost : nat -> R) (unqualified_quality : nat -> R) (lambert : R -> R) (i : nat) : R :=
  Rmin (sharp_elimination_bound confidence n_providers quality_threshold unqualified_quality lambert i) (Rmax (exploration_cap exploration_exponent exploration_scale horizon n_providers) (floor ((-4) * (/ ((Rmax (quality_gap quality_threshold unqualified_quality i) ((/ cost_bound) * (/ (1 + belief_slack)) * ((unqualified_cost i) + ((-1) * optimal_cost) + ((-1) * overbid) + ((-1) * underbid)))) ^ 2)) * (lambert (((-1) / 8) * (sqrt 6) * (/ PI) * (sqrt confidence) * (/ (sqrt n_providers)) * ((Rmax (quality_gap quality_threshold unqualified_quality i) ((/ cost_bound) * (/ (1 + belief_slack)) * ((unqualified_cost i) + ((-1) * optimal_cost) + ((-1) * overbid) + ((-1) * underbid)))) ^ 2)))))).

(* lem:qualified-suboptimal-selection, improved *)
Definition sharp_competitor_cap (belief_slack : R) (competitor_cost : nat -> R) (confidence : R) (cost_bound : R) (exploration_exponent : R) (exploration_scale : R) (horizon : R) (n_providers : R) (optimal_cost : R) (overbid : R) (underbid : R) (lambert : R -> R) (i : nat) : R :=
  Rmax (exploration_cap exploration_exponent exploration_scale horizon n_providers) (sharp_ordinary_bound belief_slack competitor_cost confidence cost_bound n_providers optimal_cost overbid underbid lambert i).

(* thm:sample-complexity, improved *)
Definition sharp_identification_bound (belief_slack : R) (competitor_cost : nat -> R) (confidence : R) (cost_bound : R) (exploration_exponent : R) (exploration_scale : R) (horizon : R) (n_providers : R) (optimal_cost : R) (overbid : R) (quality_threshold : R) (underbid : R) (unqualified_cost : nat -> R) (unqualified_quality : nat -> R) (competitors : list nat) (unqualified : list nat) (lambert : R -> R) : R :=
  (total_over competitors (fun i => (sharp_competitor_cap belief_slack competitor_cost confidence cost_bound exploration_exponent exploration_scale horizon n_providers optimal_cost overbid underbid lambert i))) + (total_over unqualified (fun i => (sharp_unqualified_cap belief_slack confidence cost_bound exploration_exponent exploration_scale horizon n_providers optimal_cost overbid quality_threshold underbid unqualified_cost unqualified_quality lambert i))).

(* claim:T_id, improved *)
Definition sharp_lead_bound (belief_slack : R) (competitor_cost : nat -> R) (confidence : R) (cost_bound : R) (exploration_exponent : R) (exploration_scale : R) (horizon : R) (n_providers : R) (optimal_cost : R) (overbid : R) (quality_threshold : R) (underbid : R) (unqualified_cost : nat -> R) (unqualified_quality : nat -> R) (competitors : list nat) (unqualified : list nat) (lambert : R -> R) : R :=
  (sharp_identification_bound belief_slack competitor_cost confidence cost_bound exploration_exponent exploration_scale horizon n_providers optimal_cost overbid quality_threshold underbid unqualified_cost unqualified_quality competitors unqualified lambert) + (Rmax (largest_over competitors (fun i => (sharp_competitor_cap belief_slack competitor_cost confidence cost_bound exploration_exponent exploration_scale horizon n_providers optimal_cost overbid underbid lambert i))) (largest_over unqualified (fun i => (sharp_unqualified_cap belief_slack confidence cost_bound exploration_exponent exploration_scale horizon n_providers optimal_cost overbid quality_threshold underbid unqualified_cost unqualified_quality lambert i)))).

(* lem:forced-exploration-bound, improved on the good event *)
Definition sharp_exploration_steps_bound (confidence : R) (exploration_exponent : R) (exploration_scale : R) (horizon : R) (n_providers : R) (n_qualified : R) (quality_threshold : R) (unqualified_quality : nat -> R) (unqualified : list nat) (lambert : R -> R) : R :=
  ((exploration_cap exploration_exponent exploration_scale horizon n_providers) * n_qualified) + (total_over unqualified (fun i => (Rmin (exploration_cap exploration_exponent exploration_scale horizon n_providers) (sharp_elimination_bound confidence n_providers quality_threshold unqualified_quality lambert i)))).

(* lem:radius-sum, improved *)
Definition sharp_radius_sum_bound (confidence : R) (horizon : R) (n_providers : R) : R :=
  (sqrt 2) * (sqrt n_providers) * (sqrt ((horizon + ((-1) * n_providers)) * (ln ((2 / 3) * n_providers * (PI ^ 2) * (/ confidence) * ((Rmax 1 ((/ n_providers) * (horizon + ((-1) * n_providers)))) ^ 2))))).

(* thm:quality-guarantee, improved *)
Definition sharp_quality_regret_anytime (confidence : R) (horizon : R) (n_providers : R) : R :=
  n_providers + (2 * (sharp_radius_sum_bound confidence horizon n_providers)).

(* thm:quality-guarantee, improved *)
Definition sharp_quality_regret_by_quality (confidence : R) (n_providers : R) (quality_threshold : R) (unqualified_quality : nat -> R) (unqualified : list nat) (lambert : R -> R) : R :=
  total_over unqualified (fun i => ((quality_gap quality_threshold unqualified_quality i) * (1 + (sharp_elimination_bound confidence n_providers quality_threshold unqualified_quality lambert i)))).

(* thm:quality-guarantee, improved *)
Definition sharp_quality_regret_gap_dependent (belief_slack : R) (confidence : R) (cost_bound : R) (exploration_exponent : R) (exploration_scale : R) (horizon : R) (n_providers : R) (optimal_cost : R) (overbid : R) (quality_threshold : R) (underbid : R) (unqualified_cost : nat -> R) (unqualified_quality : nat -> R) (unqualified : list nat) (lambert : R -> R) : R :=
  total_over unqualified (fun i => ((quality_gap quality_threshold unqualified_quality i) * (1 + (sharp_unqualified_cap belief_slack confidence cost_bound exploration_exponent exploration_scale horizon n_providers optimal_cost overbid quality_threshold underbid unqualified_cost unqualified_quality lambert i)))).

(* thm:quality-guarantee, improved *)
Definition sharp_quality_regret (belief_slack : R) (confidence : R) (cost_bound : R) (exploration_exponent : R) (exploration_scale : R) (horizon : R) (n_providers : R) (optimal_cost : R) (overbid : R) (quality_threshold : R) (underbid : R) (unqualified_cost : nat -> R) (unqualified_quality : nat -> R) (unqualified : list nat) (lambert : R -> R) : R :=
  Rmin (sharp_quality_regret_anytime confidence horizon n_providers) (sharp_quality_regret_gap_dependent belief_slack confidence cost_bound exploration_exponent exploration_scale horizon n_providers optimal_cost overbid quality_threshold underbid unqualified_cost unqualified_quality unqualified lambert).

(* thm:generation-regret, improved *)
Definition sharp_generation_regret_anytime (belief_slack : R) (confidence : R) (cost_bound : R) (exploration_exponent : R) (exploration_scale : R) (horizon : R) (n_providers : R) (overbid : R) (underbid : R) : R :=
  ((overbid + underbid) * (horizon + ((-1) * n_providers))) + ((sharp_radius_sum_bound confidence horizon n_providers) * cost_bound * (2 + (2 * belief_slack))) + (cost_bound * (1 + (exploration_cap exploration_exponent exploration_scale horizon n_providers)) * ((-1) + n_providers)).

(* thm:generation-regret, improved *)
Definition sharp_generation_regret_gap_dependent (belief_slack : R) (competitor_cost : nat -> R) (confidence : R) (cost_bound : R) (exploration_exponent : R) (exploration_scale : R) (horizon : R) (n_providers : R) (optimal_cost : R) (overbid : R) (quality_threshold : R) (underbid : R) (unqualified_cost : nat -> R) (unqualified_quality : nat -> R) (competitors : list nat) (unqualified : list nat) (lambert : R -> R) : R :=
  (total_over competitors (fun i => ((cost_gap competitor_cost optimal_cost i) * (1 + (sharp_competitor_cap belief_slack competitor_cost confidence cost_bound exploration_exponent exploration_scale horizon n_providers optimal_cost overbid underbid lambert i))))) + (total_over unqualified (fun i => ((1 + (sharp_unqualified_cap belief_slack confidence cost_bound exploration_exponent exploration_scale horizon n_providers optimal_cost overbid quality_threshold underbid unqualified_cost unqualified_quality lambert i)) * (Rmax 0 ((unqualified_cost i) + ((-1) * optimal_cost)))))).

(* thm:generation-regret, improved *)
Definition sharp_generation_regret (belief_slack : R) (competitor_cost : nat -> R) (confidence : R) (cost_bound : R) (exploration_exponent : R) (exploration_scale : R) (horizon : R) (n_providers : R) (optimal_cost : R) (overbid : R) (quality_threshold : R) (underbid : R) (unqualified_cost : nat -> R) (unqualified_quality : nat -> R) (competitors : list nat) (unqualified : list nat) (lambert : R -> R) : R :=
  Rmin (sharp_generation_regret_anytime belief_slack confidence cost_bound exploration_exponent exploration_scale horizon n_providers overbid underbid) (sharp_generation_regret_gap_dependent belief_slack competitor_cost confidence cost_bound exploration_exponent exploration_scale horizon n_providers optimal_cost overbid quality_threshold underbid unqualified_cost unqualified_quality competitors unqualified lambert).

(* thm:excess-payment-general, improved *)
Definition sharp_excess_payment_without_exploration (belief_slack : R) (confidence : R) (cost_bound : R) (horizon : R) (n_providers : R) (overbid : R) (second_lowest_cost : R) : R :=
  (overbid * (horizon + ((-1) * n_providers))) + (n_providers * (cost_bound + ((-1) * second_lowest_cost))) + ((sharp_radius_sum_bound confidence horizon n_providers) * cost_bound * (1 + belief_slack)).

(* thm:excess-payment-general, improved *)
Definition sharp_excess_payment (belief_slack : R) (confidence : R) (cost_bound : R) (exploration_exponent : R) (exploration_scale : R) (horizon : R) (n_providers : R) (n_qualified : R) (overbid : R) (quality_threshold : R) (second_lowest_cost : R) (unqualified_quality : nat -> R) (unqualified : list nat) (lambert : R -> R) : R :=
  (sharp_excess_payment_without_exploration belief_slack confidence cost_bound horizon n_providers overbid second_lowest_cost) + ((sharp_exploration_steps_bound confidence exploration_exponent exploration_scale horizon n_providers n_qualified quality_threshold unqualified_quality unqualified lambert) * (cost_bound + ((-1) * second_lowest_cost))).

(* lem:two-sided-payment, improved; lem:deviation-payment proves it *)
Definition sharp_late_payment_lower (belief_slack : R) (confidence : R) (cost_bound : R) (exploration_exponent : R) (exploration_scale : R) (n_providers : R) (second_lowest_cost : R) (step : R) (underbid : R) : R :=
  second_lowest_cost + ((-1) * underbid) + ((-2) * (radius_at_target confidence exploration_exponent exploration_scale n_providers step) * cost_bound * (1 + belief_slack)).

(* thm:regret, improved *)
Definition sharp_largest_elimination_bound (confidence : R) (n_providers : R) (quality_threshold : R) (unqualified_quality : nat -> R) (unqualified : list nat) (lambert : R -> R) : R :=
  Rmax 1 (largest_over unqualified (fun i => (sharp_elimination_bound confidence n_providers quality_threshold unqualified_quality lambert i))).

(* thm:regret, improved *)
Definition sharp_burn_in (confidence : R) (exploration_exponent : R) (exploration_scale : R) (n_providers : R) (quality_threshold : R) (unqualified_quality : nat -> R) (unqualified : list nat) (lambert : R -> R) : R :=
  n_providers * (Rmax 1 (Rpower ((sharp_largest_elimination_bound confidence n_providers quality_threshold unqualified_quality unqualified lambert) * (/ exploration_scale)) (/ exploration_exponent))).

(* thm:regret, improved *)
Definition sharp_average_payment_deviation (belief_slack : R) (confidence : R) (cost_bound : R) (exploration_exponent : R) (exploration_scale : R) (horizon : R) (n_providers : R) (overbid : R) (quality_threshold : R) (second_lowest_cost : R) (underbid : R) (unqualified_quality : nat -> R) (unqualified : list nat) (lambert : R -> R) : R :=
  ((sharp_burn_in confidence exploration_exponent exploration_scale n_providers quality_threshold unqualified_quality unqualified lambert) * (/ horizon) * (Rmax second_lowest_cost (cost_bound + ((-1) * second_lowest_cost)))) + (exploration_scale * (Rpower (n_providers * (/ horizon)) (1 + ((-1) * exploration_exponent))) * (cost_bound + ((-1) * second_lowest_cost))) + ((1 / 3) * cost_bound * (sqrt 2) * (/ (sqrt exploration_scale)) * (sqrt ((Rpower (n_providers * (/ horizon)) exploration_exponent) * (ln ((2 / 3) * n_providers * (PI ^ 2) * (/ confidence) * (exploration_scale ^ 2) * (Rpower (horizon * (/ n_providers)) (2 * exploration_exponent)))))) * (/ (2 + ((-1) * exploration_exponent))) * (6 + (6 * belief_slack))) + (Rmax overbid underbid).

(* asmp:beliefs, for a posterior mean (n_0 mu_0 + sum of costs) / (n_0 + m) *)
Definition shrinkage_slack (confidence : R) (cost_bound : R) (count : R) (n_providers : R) (prior_spread : R) (prior_strength : R) : R :=
  prior_spread * prior_strength * (/ (radius confidence count n_providers)) * (/ cost_bound) * (/ (prior_strength + count)).

(* claim:own-unwidened-wins-stop *)
Definition unwidened_target_at_win (belief_slack : R) (competitor_cost : nat -> R) (confidence : R) (cost_bound : R) (n_providers : R) (optimal_cost : R) (overbid : R) (underbid : R) (lambert : R -> R) (i : nat) : R :=
  floor ((-4) * (cost_bound ^ 2) * ((1 + belief_slack) ^ 2) * (/ (((cost_gap competitor_cost optimal_cost i) + ((-1) * overbid) + ((-1) * underbid)) ^ 2)) * (lambert (((-1) / 8) * (sqrt 6) * (/ PI) * (sqrt confidence) * (/ (cost_bound ^ 2)) * (/ (sqrt n_providers)) * (/ ((1 + belief_slack) ^ 2)) * (((cost_gap competitor_cost optimal_cost i) + ((-1) * overbid) + ((-1) * underbid)) ^ 2)))).

(* claim:own-unwidened-wins-stop *)
Definition last_unwidened_win (belief_slack : R) (competitor_cost : nat -> R) (confidence : R) (cost_bound : R) (exploration_exponent : R) (exploration_scale : R) (n_providers : R) (optimal_cost : R) (overbid : R) (underbid : R) (lambert : R -> R) (i : nat) : R :=
  n_providers * (Rpower ((unwidened_target_at_win belief_slack competitor_cost confidence cost_bound n_providers optimal_cost overbid underbid lambert i) * (/ exploration_scale)) (/ exploration_exponent)).

