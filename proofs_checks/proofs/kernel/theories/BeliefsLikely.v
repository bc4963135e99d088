(* prop:bayesian-substitution with its probability, and with the averages and limits of Limits.v.

   In every world the platform estimates qualities by sample means of scores and widens the radii of costs, and every
   provider bids what it believes its cost to be, within gamma radii of the sample mean of its costs. *)
Require Import Reals Lra Lia List Arith FunctionalExtensionality.
From Coquelicot Require Import Rbar.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements Rates Limits AsStated Game
  Claims Beliefs Adaptive Hoeffding Dynamics Plays GameLikely.
Import ListNotations.
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

Section Beliefs.
Variables (N : nat) (delta cmax qmin gamma k alpha : R) (g : nat -> R) (theta : nat -> (observation -> R) -> R) (best : nat).
Variables (p : platform) (first : ((nat -> observation) -> R) -> R).
Notation quality := (quality theta).
Notation cost_of := (cost_of theta).

Section Described.
Variables (profile : nat -> strategy) (w : nat -> history) (quality_estimate : nat -> nat -> R) (bid : list nat -> nat -> R).
Definition describes : Prop := forall t,
  run N delta cmax qmin gamma quality_estimate bid g (served (w t)) /\
  (forall i, quality_estimate i (m (served (w t)) i) = average score (own_history i (w t))) /\
  bid (served (w t)) = bids_at N profile (w t) /\
  (explores N delta qmin quality_estimate g (served (w t)) <-> explores_at N delta qmin g (w t)) /\
  (forall j, may_serve N delta cmax qmin gamma g (w t) (bids_at N profile (w t)) j ->
    step N delta cmax qmin gamma quality_estimate bid g (served (w t)) j) /\
  (forall j, payment N delta cmax qmin gamma quality_estimate bid g (served (w t)) j
    = paid N delta cmax qmin gamma g (w t) (bids_at N profile (w t)) j).
End Described.
Lemma play_is_described profile w bid : play N delta cmax qmin gamma g profile w ->
  (forall t, bid (served (w t)) = bids_at N profile (w t)) -> describes profile w (scores_along theta w) bid.
Proof.
  intros Hw Hbid t. split; [apply (play_is_run N delta cmax qmin gamma g theta profile w Hw bid Hbid)|].
  split; [intros i; unfold scores_along; apply (along_now N delta cmax qmin gamma g profile w Hw)|]. split; [apply Hbid|].
  split; [apply (explores_now N delta cmax qmin gamma g theta profile w Hw)|].
  split; [apply (step_now N delta cmax qmin gamma g theta profile w Hw bid Hbid)|].
  apply (payment_now N delta cmax qmin gamma g theta profile w Hw bid Hbid).
Qed.

(* everybody bids what it believes its cost to be *)
Definition believing (estimate : nat -> list observation -> R) : nat -> strategy := fun i => Game.truthful (estimate i).
(* With probability at least 1 - delta the results without cost estimates hold under any bids, and the others, the
   averages and limits among them, with the radius (1 + gamma) cmax beta for estimates within gamma radii of the
   sample means; the incentives hold for any estimator. *)
Theorem prop_bayesian_substitution_game :
  market N delta cmax qmin gamma 0 0 quality cost_of best -> dynamics N delta cmax qmin gamma g p theta first ->
  of_any_radii /\
  (forall e p own rivals i H, a_game N delta cmax qmin gamma g e p own rivals i H ->
    worst_case_optimal N delta cmax qmin gamma g e p own rivals i H) /\
  (forall estimates p own i H sigma, obeys_rules N delta cmax qmin gamma g p -> (forall j, in_range cmax (estimates j)) ->
    Game.law cmax own -> (i < N)%nat -> possible_history N cmax H -> bids_in_range cmax sigma ->
    let profile j := Game.truthful (estimates j) in
    Rbar_le (worst_case N delta cmax qmin gamma g (estimates i) p own profile i H sigma)
      (worst_case N delta cmax qmin gamma g (estimates i) p own profile i H (profile i))) /\
  (* i) whatever is bid *)
  (forall profile, holds_on_E N delta cmax qmin gamma g p theta first profile (fun w => exists quality_estimate bid,
    describes profile w quality_estimate bid /\
    unchanged N delta cmax qmin gamma k alpha quality cost_of best quality_estimate bid g)) /\
  (* ii) with beliefs in [0, cmax], within gamma radii of the sample means *)
  (forall estimate, estimates_near N delta cmax gamma estimate ->
    holds_on_E N delta cmax qmin gamma g p theta first (believing estimate) (fun w => exists quality_estimate e,
      describes (believing estimate) w quality_estimate (believed e) /\
      (forall t i, e i (m (served (w t)) i) = estimate i (own_history i (w t))) /\
      widened N delta cmax qmin gamma k alpha quality cost_of best quality_estimate e g /\
      (0 < k -> 0 < alpha < 1 -> on_average N delta cmax qmin gamma k alpha quality cost_of best quality_estimate e))).
Proof.
  intros Hm Hdyn. pose proof Hm as (HN & Hd & Hc & Hga & _). pose proof Hdyn as (_ & Htheta & _).
  assert (HE : forall profile w, play N delta cmax qmin gamma g profile w -> (forall t, ~ not_good N delta cmax theta (w t)) ->
    Statements.good_event N delta cmax 0 quality cost_of (scores_along theta w) (along w (fun _ => mean_cost) cost_of)).
  { intros profile w Hw Hgood. exact (good_play_is_good N delta cmax qmin gamma 0 g theta profile (fun _ => mean_cost) (Rle_refl 0) Hc
      (sample_means_are_near N delta cmax) w Hw Hgood). }
  split; [|split; [|split; [|split]]].
  - exact (conj lem_radius_inversion (conj lem_radius_decreasing (conj lem_radius_sum
      (conj prop_selection_threshold (conj lem_one_step_at_every_step cor_optimal_alpha))))).
  - intros e p' own rivals i H. apply robust_dominant. exact Hc.
  - intros. apply robust_equilibrium_of_estimates; assumption.
  - intros profile. apply on_E; auto; [lia|]. intros w Hw Hgood. set (bid := bids_on N profile w (fun _ _ => 0)).
    exists (scores_along theta w), bid. split.
    + apply play_is_described; [exact Hw|]. exact (bids_on_play N delta cmax qmin gamma g profile w Hw _).
    + eapply bayesian_substitution_without_beliefs; [exact Hm|exact (HE profile w Hw Hgood)].
  - intros estimate Hest. apply on_E; auto; [lia|]. intros w Hw Hgood. set (e := along w estimate cost_of).
    assert (Hnow : forall t i, e i (m (served (w t)) i) = estimate i (own_history i (w t)))
      by (intros t i; exact (along_now N delta cmax qmin gamma g _ w Hw estimate cost_of i t)).
    exists (scores_along theta w), e. split; [|split; [exact Hnow|]].
    + apply play_is_described; [exact Hw|]. intros t. apply functional_extensionality. intros i. exact (Hnow t i).
    + assert (Hne : forall i count t, (1 <= count)%nat -> (count <= length (own_history i (w t)))%nat -> first_own (w t) i count <> []).
      { intros i count t Hcount Ht E. pose proof (first_own_length w i count t Ht) as Hl. rewrite E in Hl. simpl in Hl. lia. }
      assert (Hpos : forall i count t, (i < N)%nat -> forall o, In o (first_own (w t) i count) -> possible cmax o)
        by (intros i count t Hi; exact (first_own_possible N delta cmax qmin gamma g _ w Hw i count t Hi)).
      assert (Hbel : beliefs N delta cmax gamma (along w (fun _ => mean_cost) cost_of) e).
      { intros i count Hi Hcount. unfold e, along. destruct (observed w i count) as [[t Ht]|_]; cbn [proj1_sig].
        - destruct (Hest i (first_own (w t) i count) Hi (Hne i count t Hcount Ht) (Hpos i count t Hi)) as [H _].
          rewrite (first_own_length w i count t Ht) in H. exact H.
        - rewrite Rminus_eq_0, Rabs_R0. apply Rmult_le_pos; [nra|apply sqrt_pos]. }
      assert (Hrange : estimates_in_range N cmax e).
      { intros i count Hi Hcount. apply (along_case w (fun x => 0 <= x <= cmax)).
        - intros t Ht. apply (Hest i _ Hi (Hne i count t Hcount Ht) (Hpos i count t Hi)).
        - apply (law_between cmax); [apply Htheta|]. intros o Ho. apply Ho. }
      split.
      * eapply bayesian_substitution_with_beliefs; eauto.
      * intros Hk Ha. apply averages_with_beliefs; auto.
        exact (good_play_is_good N delta cmax qmin gamma gamma g theta _ estimate Hga Hc Hest w Hw Hgood).
Qed.
End Beliefs.
