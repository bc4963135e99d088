(* prop:bayesian-substitution with its probability, and with the averages and limits of Limits.v.

   In every world the platform estimates qualities by sample means of scores and widens the radii of costs, and every
   provider bids what it believes its cost to be, within gamma radii of the sample mean of its costs. *)
Require Import Reals Lra Lia List Arith.
From Coquelicot Require Import Rbar.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Hoeffding Statements Rates Limits Probability AsStated Game Claims Beliefs.
Open Scope R_scope.

Section Averages.
Variables (N : nat) (delta cmax qmin gamma k alpha : R) (quality cost : nat -> R) (best : nat).
Variables (quality_estimate estimate : nat -> nat -> R).
Notation g := (target N k alpha).
Notation bid := (believed estimate).
Notation horizon h := (INR (N + length h)).
Notation run := (run N delta cmax qmin gamma quality_estimate bid g).
Notation step := (step N delta cmax qmin gamma quality_estimate bid g).
Notation explores := (explores N delta qmin quality_estimate g).
Notation payment := (payment N delta cmax qmin gamma quality_estimate bid g).
Notation average_payment h := (run_payment N delta cmax qmin gamma k alpha quality_estimate bid h / horizon h).
Notation average_deviation c2 h := (run_deviation N delta cmax qmin gamma k alpha quality_estimate bid c2 h / horizon h).
Notation average_excess c2 h := (run_excess_payment N delta cmax qmin gamma quality_estimate bid g c2 h / horizon h).
(* with (1 + gamma) cmax in the place of cmax in their last terms *)
Notation deviation_per_step c2 := (deviation_per_step N delta cmax qmin gamma k alpha quality c2).
Notation excess_per_step c2 := (excess_per_step N delta cmax gamma k alpha c2).

Definition on_average : Prop :=
  (* cor:vanishing-nonoptimal-selections *)
  (forall epsilon, 0 < epsilon -> exists T1, forall h, run h -> (T1 <= N + length h)%nat ->
    nonoptimal_steps N best h / horizon h <= epsilon) /\
  forall c2, second_lowest N qmin quality cost best c2 ->
    (* thm:payment-convergence, thm:regret *)
    (forall h, run h -> average_deviation c2 h <= deviation_per_step c2 (horizon h)) /\
    (forall epsilon, 0 < epsilon -> exists t1, forall h i, run h -> step h i -> ~ explores h -> (t1 <= now N h)%nat ->
      Rabs (payment h i - c2) <= epsilon) /\
    (forall epsilon, 0 < epsilon -> exists T1, forall h, run h -> (T1 <= N + length h)%nat ->
      Rabs (average_payment h - c2) <= epsilon) /\
    (* cor:excess-payment-polynomial *)
    (forall h, run h -> average_excess c2 h <= excess_per_step c2 (horizon h)).

Lemma averages_with_beliefs : market N delta cmax qmin gamma 0 0 quality cost best -> 0 < k -> 0 < alpha < 1 ->
  Statements.good_event N delta cmax gamma quality cost quality_estimate estimate -> estimates_in_range N cmax estimate -> on_average.
Proof.
  intros Hm Hk Ha Hnear Hrange.
  assert (He : on_good_event N delta cmax qmin gamma 0 0 k alpha quality cost quality_estimate estimate bid)
    by (split; [exact Hnear|apply beliefs_follow; exact Hrange]).
  split.
  - apply (vanishing_nonoptimal_selections _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hm He); auto. eapply market_separated; eauto.
  - intros c2 H2. assert (Hp : market_of_payments N delta cmax qmin gamma 0 0 k alpha quality cost best c2) by exact (conj Hm (conj H2 (conj Hk Ha))).
    split; [|split; [|split]].
    + intros h Hr. pose proof (average_deviation_bound _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ h Hp He Hr) as H.
      rewrite Rmax_left, Rplus_0_r in H by lra. exact H.
    + intros epsilon Hep. destruct (auction_payment_limits _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hp He epsilon Hep) as (t1 & H).
      exists t1. intros h i Hr Hs Hx Ht. specialize (H h i Hr Hs Hx Ht). apply Rabs_le. lra.
    + intros epsilon Hep. destruct (average_payment_limits _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hp He epsilon Hep) as (T1 & H).
      exists T1. intros h Hr HT. specialize (H h Hr HT). apply Rabs_le. lra.
    + intros h Hr. pose proof (cor_excess_payment_polynomial _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ h Hp He Hr) as H.
      cbv zeta in H. rewrite Rplus_0_r in H. exact H.
Qed.
End Averages.

(* What a theorem states. *)
Definition statement_of {stated : Prop} (theorem : stated) : Prop := stated.
(* The lemmas of the proposition about the radius, one step, or the bound alone: for any radii, estimates and gamma already. *)
Definition of_any_radii : Prop :=
  statement_of lem_radius_inversion /\ statement_of lem_radius_decreasing /\ statement_of lem_radius_sum /\
  statement_of prop_selection_threshold /\ statement_of lem_one_step_at_every_step /\ statement_of cor_optimal_alpha.

(* The incentives hold for any estimator, whatever happens. The rest has the probability of the good event: part i) as it
   stands under any bids, part ii) with (1 + gamma) cmax beta in the place of cmax beta, sums, averages and limits. *)
Theorem prop_bayesian_substitution_likely (X World : Type) N delta cmax qmin gamma k alpha
  (law : nat -> (X -> R) -> R) (expectation : nat -> (World -> R) -> R) (draw : nat -> nat -> World -> X)
  (score price : X -> R) (quality cost : nat -> R) best (estimate : World -> nat -> nat -> R) (bid : World -> list nat -> nat -> R) g :
  market N delta cmax qmin gamma 0 0 quality cost best ->
  independent_queries X World N cmax law expectation draw score price quality cost ->
  (forall w, beliefs N delta cmax gamma (fun i n => mean price (row X World draw i n w)) (estimate w)) ->
  (forall w, estimates_in_range N cmax (estimate w)) ->
  of_any_radii /\
  (forall e p own rivals i H, a_game N delta cmax qmin gamma g e p own rivals i H ->
    worst_case_optimal N delta cmax qmin gamma g e p own rivals i H) /\
  (forall estimates p own i H sigma, obeys_rules N delta cmax qmin gamma g p -> (forall j, in_range cmax (estimates j)) ->
    Game.law cmax own -> (i < N)%nat -> possible_history N cmax H -> bids_in_range cmax sigma ->
    let profile j := Game.truthful (estimates j) in
    Rbar_le (worst_case N delta cmax qmin gamma g (estimates i) p own profile i H sigma)
      (worst_case N delta cmax qmin gamma g (estimates i) p own profile i H (profile i))) /\
  with_probability_at_least X World N expectation draw (1 - delta) (fun w =>
    let quality_estimate i n := mean score (row X World draw i n w) in
    unchanged N delta cmax qmin gamma k alpha quality cost best quality_estimate (bid w) g /\
    widened N delta cmax qmin gamma k alpha quality cost best quality_estimate (estimate w) g /\
    (0 < k -> 0 < alpha < 1 -> on_average N delta cmax qmin gamma k alpha quality cost best quality_estimate (estimate w))).
Proof.
  intros Hm Hi Hb Hrange. pose proof Hm as (HN & Hd & Hc & _). split; [|split; [|split]].
  - exact (conj lem_radius_inversion (conj lem_radius_decreasing (conj lem_radius_sum
      (conj prop_selection_threshold (conj lem_one_step_at_every_step cor_optimal_alpha))))).
  - intros e p own rivals i H. apply robust_dominant. exact Hc.
  - intros. apply robust_equilibrium_of_estimates; assumption.
  - apply (likely X World N delta cmax law expectation draw score price quality cost); auto; [lia|].
    intros w Hw. cbv zeta. split; [|split].
    + eapply bayesian_substitution_without_beliefs; eauto.
    + eapply bayesian_substitution_with_beliefs; eauto.
    + intros Hk Ha. apply averages_with_beliefs; auto. eapply beliefs_are_near; eauto.
Qed.

(* The hypotheses have an instance: the coins of Probability.v, where providers believe the sample means of their costs. *)
Definition what_coins_say (w : nat -> bool) (i count : nat) : R :=
  mean cost_of_answer (row (nat * bool) (nat -> bool) draw_of i count w).
Theorem coins_are_believed :
  market 2 (1 / 2) 1 (1 / 2) 0 0 0 (fun _ => 1 / 2) Probability.mean_cost 0 /\
  forall w, beliefs 2 (1 / 2) 1 0 (what_coins_say w) (what_coins_say w) /\ estimates_in_range 2 1 (what_coins_say w).
Proof.
  split; [exact (proj1 coins_have_a_market)|]. intros w. split; intros i count _ Hcount.
  - rewrite Rminus_eq_0, Rabs_R0. lra.
  - apply mean_between; [|unfold row; rewrite map_length, seq_length; lia].
    intros [[|j] []]; unfold cost_of_answer; simpl; lra.
Qed.
