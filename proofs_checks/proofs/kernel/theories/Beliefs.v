(* prop:bayesian-substitution: providers bid other estimates of their costs than the sample mean, and the platform widens the
   cost radius cmax beta to (1 + gamma) cmax beta.

   `unchanged` lists what holds as it stands under any bids, `widened` what holds with the wider radius for
   estimates within gamma radii of the sample means, and `on_average` the averages and limits among these.
   prop_bayesian_substitution_game, at the end, says so of the plays of Game.v, with probability at least 1 - delta. *)
Require Import Reals Lra Lia List Arith Psatz FunctionalExtensionality.
From Coquelicot Require Import Rbar.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements Rates Limits AsStated Game
  Claims Hoeffding Dynamics Plays GameLikely.
Import ListNotations.
Open Scope R_scope.

Section Beliefs.
Variables (N : nat) (delta cmax qmin gamma k alpha : R) (quality cost : nat -> R) (best : nat).
(* sample_mean i n: hat c_{i,n}; estimate i n: e_{i,n}, what provider i believes after n selections *)
Variables (quality_estimate sample_mean estimate : nat -> nat -> R) (bid : list nat -> nat -> R) (g : nat -> R).
Notation market := (market N delta cmax qmin gamma 0 0 quality cost best).
(* E of lem:good-event *)
Notation event_E := (Statements.good_event N delta cmax 0 quality cost quality_estimate sample_mean).
Notation eligible_set := (Qh N delta qmin quality_estimate).
Notation M := (Runs.M N delta).
Notation gap i := (cost i - cost best).
Notation cost_radius h i := ((1 + gamma) * cmax * bt N delta (m h i)).
Notation horizon h := (INR (N + length h)).
(* L_i^(gamma) *)
Notation L_gamma i := (M (gap i / ((1 + gamma) * cmax))).
Notation explored_at g := (explored N delta qmin quality_estimate g).
Notation second_lowest := (second_lowest N qmin quality cost best).

(* asmp:beliefs *)
Definition beliefs : Prop := forall i n, (i < N)%nat -> (1 <= n)%nat ->
  Rabs (estimate i n - sample_mean i n) <= gamma * cmax * beta (INR N) delta (INR n).
Definition estimates_in_range : Prop := forall i n, (i < N)%nat -> (1 <= n)%nat -> 0 <= estimate i n <= cmax.
(* b_{i,t} = e_{i,t} *)
Definition believed (h : list nat) (i : nat) : R := estimate i (m h i).

(* ---- part i): what holds as it stands, under any bids *)
Section AnyBids.
Notation run g := (run N delta cmax qmin gamma quality_estimate bid g).
Notation step g := (step N delta cmax qmin gamma quality_estimate bid g).
Notation payment g := (payment N delta cmax qmin gamma quality_estimate bid g).
Notation explores_at t := (explores N delta qmin quality_estimate g t).
Definition unchanged : Prop :=
  (* lem:qualified-eligibility *)
  (forall h i, (i < N)%nat -> qmin <= quality i -> In i (eligible_set h)) /\
  (* lem:forced-exploration-bound: at every exploration step t, and over the run *)
  (forall h later i t, never_falls g -> run g h -> h = later ++ i :: t -> explores_at t ->
    INR (m t i) < g (now N t) <= g (N + length h)%nat) /\
  (forall h i, never_falls g -> run g h -> 0 < g (N + length h)%nat ->
    INR (explorations N delta qmin quality_estimate g h i) <= ceiling (g (N + length h)%nat) - 1 /\
    total (fun t _ => explored_at g t) h <= INR N * (ceiling (g (N + length h)%nat) - 1)) /\
  (* lem:unqualified-exclusion, lem:unqualified-elimination *)
  (forall h i, (i < N)%nat -> quality i < qmin -> In i (eligible_set h) -> INR (m h i) <= M (qmin - quality i)) /\
  (forall h i, run g h -> (i < N)%nat -> quality i < qmin -> INR (times h i) <= M (qmin - quality i)) /\
  (* thm:quality-guarantee *)
  ((forall h, run g h -> let regret := run_quality_regret N qmin quality h in
    let gaps := total_over (unqualified N qmin quality) (fun i => (M (qmin - quality i) + 1) * (qmin - quality i)) in
    let selections := total_over (unqualified N qmin quality) (fun i => M (qmin - quality i) + 1) in
    regret <= Rmin (INR N + 2 * radius_sum_bound delta (horizon h) (INR N)) gaps /\
    unqualified_steps N qmin quality h <= selections /\
    regret / horizon h <= gaps / horizon h /\ unqualified_steps N qmin quality h / horizon h <= selections / horizon h) /\
   (forall epsilon, 0 < epsilon -> exists T1, forall h, run g h -> (T1 <= N + length h)%nat ->
     run_quality_regret N qmin quality h / horizon h <= epsilon /\ unqualified_steps N qmin quality h / horizon h <= epsilon)) /\
  (* lem:payment-range *)
  (forall h i c2, (forall j, (j < N)%nat -> 0 <= bid h j <= cmax) -> second_lowest c2 -> step g h i ->
    0 <= payment g h i <= cmax /\ Rabs (payment g h i - c2) <= cmax) /\
  (* lem:ordinary-qualified-set, with T_0 as it is *)
  (forall h j, ~ explores N delta qmin quality_estimate g h -> In j (eligible_set h) -> g (now N h) <= INR (m h j)) /\
  (0 < k -> 0 < alpha < 1 -> forall h, ~ explores N delta qmin quality_estimate (target N k alpha) h ->
    Limits.T0 N delta qmin k alpha quality < INR (now N h) ->
    forall j, In j (eligible_set h) <-> (j < N)%nat /\ qmin <= quality j).

(* whatever is bid deviates from the mean cost by cmax at most *)
Notation loose_market := (Statements.market N delta cmax qmin gamma cmax cmax quality cost best).
Notation loose_event := (Statements.good_event N delta cmax gamma quality cost quality_estimate (fun i _ => cost i)).
Lemma loosen : market -> event_E -> loose_market /\ loose_event.
Proof.
  intros (HN & Hd & Hc & Hga & _ & Hqm & Hrange & Hbest) [Hquality _]. split.
  - repeat (split; [first [assumption|split; lra]|]). exact Hbest.
  - split; [exact Hquality|]. intros i n _ _. rewrite Rminus_eq_0, Rabs_R0. unfold rad. apply Rmult_le_pos; [nra|apply sqrt_pos].
Qed.
Notation loosely statement :=
  (statement N delta cmax qmin gamma cmax cmax quality cost best quality_estimate (fun i _ => cost i) bid g) (only parsing).
Theorem bayesian_substitution_without_beliefs : market -> event_E -> unchanged.
Proof.
  intros Hm He. destruct (loosen Hm He) as [Hlm Hle].
  split; [|split; [|split; [|split; [|split; [|split; [|split; [|split]]]]]]].
  - intros h i. exact (loosely lem_qualified_eligibility h i Hlm Hle).
  - intros h later i t. exact (explored_below_target N delta cmax qmin gamma quality_estimate bid g h later i t).
  - intros h i. exact (lem_forced_exploration_bound N delta cmax qmin gamma quality_estimate (fun _ _ => 0) bid g h i).
  - intros h i. exact (loosely lem_unqualified_exclusion h i Hlm Hle).
  - intros h i. exact (loosely lem_unqualified_elimination h i Hlm Hle).
  - exact (loosely thm_quality_guarantee_per_step Hlm Hle).
  - intros h i c2 Hb H2 Hs. destruct Hm as (_ & _ & _ & _ & _ & _ & Hrange & _).
    exact (payment_range_at_bids N delta cmax qmin gamma quality cost best quality_estimate bid g c2 h i (fun j Hj => proj2 (Hrange j Hj)) H2 Hb Hs).
  - intros h j Hx Hj. apply Rnot_lt_le. intros H. apply Hx. exists j. split; assumption.
  - intros Hk Ha. destruct Hm as (HN & Hd & Hc & _ & Hdev & Hqm & Hrange & Hbest).
    refine (proj2 (lem_ordinary_qualified_set_always N delta cmax qmin quality cost best quality_estimate sample_mean bid k alpha) _ He Hk Ha).
    exact (conj HN (conj Hd (conj Hc (conj (Rle_refl 0) (conj Hdev (conj Hqm (conj Hrange Hbest))))))).
Qed.
End AnyBids.

(* ---- part ii): what holds with the radius (1 + gamma) cmax beta in the place of cmax beta, and L_i^(gamma) in that of L_i *)
Notation run g := (run N delta cmax qmin gamma quality_estimate believed g).
Notation step g := (step N delta cmax qmin gamma quality_estimate believed g).
Notation payment g := (payment N delta cmax qmin gamma quality_estimate believed g).
Notation explores g := (explores N delta qmin quality_estimate g).
Notation target := (target N k alpha).
Notation radius_at t := ((1 + gamma) * cmax * beta (INR N) delta (target t)).
Definition widened : Prop :=
  (* lem:adjusted-bid-bounds *)
  (forall h i, run g h -> (i < N)%nat ->
    cost i - 2 * cost_radius h i <= believed h i - cost_radius h i <= cost i) /\
  (* lem:ordinary-selection-gap, lem:ordinary-selection-threshold *)
  (forall h i, run g h -> step g h i -> ~ explores g h -> gap i <= 2 * cost_radius h i) /\
  (forall h i, run g h -> step g h i -> ~ explores g h -> 0 < gap i -> INR (m h i) <= L_gamma i) /\
  (* lem:qualified-suboptimal-selection *)
  (forall h i, never_falls g -> run g h -> 0 < g (N + length h)%nat -> (i < N)%nat -> 0 < gap i ->
    INR (times h i) <= Rmax (L_gamma i) (ceiling (g (N + length h)%nat) - 1)) /\
  (* cor:eventual-ordinary-optimality: once the counts are above the bounds, at every later auction *)
  (forall h later i,
    (forall j, (j < N)%nat -> quality j < qmin -> M (qmin - quality j) < INR (m h j)) ->
    (forall j, (j < N)%nat -> qmin <= quality j -> j <> best -> L_gamma j < INR (m h j)) ->
    run g (later ++ h) -> step g (later ++ h) i -> ~ explores g (later ++ h) -> i = best) /\
  (* thm:sample-complexity *)
  (forall h, never_falls g -> run g h -> 0 < g (N + length h)%nat ->
    nonoptimal_steps N best h <= INR N - 1 +
      (total_over (competitors N qmin quality best) (fun i => Rmax (L_gamma i) (ceiling (g (N + length h)%nat) - 1))
       + total_over (unqualified N qmin quality) (fun i => M (qmin - quality i)))) /\
  (* thm:generation-regret *)
  (forall h, never_falls g -> run g h -> 0 < g (N + length h)%nat ->
    let regret := run_generation_regret N cost best h in
    regret <= (INR N - 1) * ceiling (g (N + length h)%nat) * cmax
      + 2 * ((1 + gamma) * cmax) * radius_sum_bound delta (horizon h) (INR N) /\
    regret <=
      total_over (competitors N qmin quality best) (fun i => gap i * (1 + Rmax (L_gamma i) (ceiling (g (N + length h)%nat) - 1)))
      + total_over (unqualified N qmin quality) (fun i => (1 + M (qmin - quality i)) * Rmax 0 (gap i))) /\
  (* lem:ordinary-payment *)
  (forall h i c2, second_lowest c2 -> run g h -> step g h i -> ~ explores g h ->
    payment g h i <= Rmin cmax (c2 + cost_radius h i)) /\
  (* thm:excess-payment-general *)
  (forall h c2, second_lowest c2 -> never_falls g -> run g h -> 0 < g (N + length h)%nat ->
    run_excess_payment N delta cmax qmin gamma quality_estimate believed g c2 h <=
      (INR N + INR N * (ceiling (g (N + length h)%nat) - 1)) * (cmax - c2)
      + (1 + gamma) * cmax * radius_sum_bound delta (horizon h) (INR N)) /\
  (* lem:two-sided-payment, thm:payment-convergence *)
  (forall h c2 Mbar, second_lowest c2 -> 0 < k -> 0 < alpha < 1 ->
    1 <= Mbar -> (forall i, (i < N)%nat -> quality i < qmin -> M (qmin - quality i) <= Mbar) -> run target h ->
    (forall i, step target h i -> ~ explores target h -> Payments.T0 N k alpha Mbar < INR (now N h) ->
      c2 - 3 * radius_at (now N h) <= payment target h i <= c2 + radius_at (now N h)) /\
    let T := (N + length h)%nat in
    run_deviation N delta cmax qmin gamma k alpha quality_estimate believed c2 h <=
      Payments.T0 N k alpha Mbar * cmax + INR N * (ceiling (target T) - 1) * (cmax - c2)
      + 4 * ((1 + gamma) * cmax) / (2 - alpha) * (Wc N delta k alpha T * Rpower (INR T) (1 - alpha / 2))).

(* lem:bayesian-cost-concentration for every provider and count *)
Lemma beliefs_are_near : event_E -> beliefs -> Statements.good_event N delta cmax gamma quality cost quality_estimate estimate.
Proof.
  intros [Hquality Hcost] Hb. split; [exact Hquality|]. intros i n Hi Hn. specialize (Hb i n Hi Hn). specialize (Hcost i n Hi Hn).
  unfold rad, bt in *. rewrite Rplus_0_r, Rmult_1_l in Hcost. eapply lem_bayesian_cost_concentration; eauto.
Qed.
Lemma beliefs_follow g' : estimates_in_range -> bids_follow N delta cmax qmin gamma 0 0 quality_estimate estimate believed g'.
Proof.
  intros He h i _ Hi. unfold believed. pose proof (He i (m h i) Hi ltac:(unfold m; lia)). lra.
Qed.
Lemma L_is_L_gamma i : Runs.L N delta cmax gamma 0 0 cost best i = L_gamma i.
Proof. unfold Runs.L. rewrite !Rminus_0_r. reflexivity. Qed.
Lemma market_separated : market -> separated N qmin 0 0 quality cost best.
Proof. intros (_ & _ & _ & _ & _ & _ & _ & (_ & _ & Hbest)) i Hi Hq Hne. specialize (Hbest i Hi Hq Hne). lra. Qed.

Notation widely statement :=
  (statement N delta cmax qmin gamma 0 0 quality cost best quality_estimate estimate believed g) (only parsing).
Theorem bayesian_substitution_with_beliefs : market -> event_E -> beliefs -> estimates_in_range -> widened.
Proof.
  intros Hm He Hbeliefs Hrange. pose proof (beliefs_are_near He Hbeliefs) as Hnear. pose proof (beliefs_follow g Hrange) as Hbid.
  pose proof (market_separated Hm) as Hsep.
  assert (HL : forall l f, total_over l (fun i => f i (Runs.L N delta cmax gamma 0 0 cost best i)) = total_over l (fun i => f i (L_gamma i)))
    by (intros; apply total_over_ext; intros; rewrite L_is_L_gamma; reflexivity).
  split; [|split; [|split; [|split; [|split; [|split; [|split; [|split; [|split]]]]]]]].
  - intros h i Hr Hi. pose proof (lem_adjusted_bid_bounds N delta cmax qmin gamma 0 0 quality cost quality_estimate estimate believed g h i
      Hnear Hbid Hr Hi) as H. unfold rad in H. lra.
  - intros h i Hr Hs Hn. pose proof (widely lem_ordinary_selection_gap h i Hm Hnear Hbid Hr Hs Hn) as H. unfold rad in H. lra.
  - intros h i Hr Hs Hn Hgap. rewrite <- L_is_L_gamma. apply (widely lem_ordinary_selection_threshold h i); auto. lra.
  - intros h i Hg Hr Hp Hi Hgap. rewrite <- L_is_L_gamma. apply (widely lem_qualified_suboptimal_selection h i); auto. lra.
  - intros h later i Hu Hl Hr Hs Hn. apply (widely cor_eventual_ordinary_optimality (later ++ h) i); auto.
    + intros j Hj Hq. eapply Rlt_le_trans; [apply (Hu j Hj Hq)|apply counts_grow].
    + intros j Hj Hq Hne. rewrite L_is_L_gamma. eapply Rlt_le_trans; [apply (Hl j Hj Hq Hne)|apply counts_grow].
  - intros h Hg Hr Hp. pose proof (widely thm_sample_complexity_on_good_event h Hm Hnear Hbid Hg Hsep Hr Hp) as H.
    rewrite (HL _ (fun i x => Rmax x (ceiling (g (N + length h)%nat) - 1))) in H. exact H.
  - intros h Hg Hr Hp. pose proof (widely thm_generation_regret h Hm Hnear Hbid Hg Hr Hp) as [H1 H2]. specialize (H2 Hsep).
    rewrite (HL _ (fun i x => gap i * (1 + Rmax x (ceiling (g (N + length h)%nat) - 1)))) in H2. split; [lra|exact H2].
  - intros h i c2 H2 Hr Hs Hn. pose proof (widely lem_ordinary_payment h i c2 Hm Hnear Hbid H2 Hr Hs Hn) as H.
    unfold rad in H. rewrite Rplus_0_r in H. exact H.
  - intros h c2 H2 Hg Hr Hp. pose proof (widely thm_excess_payment_general h c2 Hm Hnear Hbid H2 Hg Hr Hp). lra.
  - intros h c2 Mbar H2 Hk Ha HM1 HM Hr.
    assert (Hconv : converging N delta cmax qmin gamma 0 0 k alpha quality cost best quality_estimate estimate believed Mbar c2)
      by exact (conj Hm (conj Hnear (conj (beliefs_follow _ Hrange) (conj H2 (conj Hk (conj Ha (conj HM1 HM))))))).
    split.
    + intros i Hs Hn Ht. pose proof (lem_two_sided_payment N delta cmax qmin gamma 0 0 k alpha quality cost best quality_estimate
        estimate believed Mbar c2 h i Hconv Hr Hs Hn Ht) as [H3 H4]. lra.
    + pose proof (thm_payment_convergence N delta cmax qmin gamma 0 0 k alpha quality cost best quality_estimate
        estimate believed Mbar c2 h Hconv Hr) as H. cbv zeta in *. rewrite (Rmax_left 0 0) in H by lra. lra.
Qed.
End Beliefs.

(* ---- averages and limits *)
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

Section Likely.
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
End Likely.
