(* prop:bayesian-substitution: what the theorems say of providers that bid other estimates of their costs than the sample
   mean, where the platform widens the cost radius cmax beta to (1 + gamma) cmax beta.

   Part i) needs nothing of the estimates, part ii) that they are within gamma radii of the sample means. The lemmas about the
   radius alone (lem_radius_inversion, lem_radius_monotone, lem_radius_sum) and the probability of E
   (lem_good_event) speak of no bids. *)
Require Import Reals Lra Lia List Arith Psatz.
From Coquelicot Require Import Rbar.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements Inhabited Game.
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

(* ---- part i): what holds as it stands, under any bids in [0, cmax] *)
Section AnyBids.
Notation run g := (run N delta cmax qmin gamma quality_estimate bid g).
Notation step g := (step N delta cmax qmin gamma quality_estimate bid g).
Notation payment g := (payment N delta cmax qmin gamma quality_estimate bid g).
Notation explores_at t := (explores N delta qmin quality_estimate g t).
Definition bids_within (g : nat -> R) : Prop := forall h i, run g h -> (i < N)%nat -> 0 <= bid h i <= cmax.
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
  (forall h, run g h -> let regret := run_quality_regret N qmin quality h in
    regret <= INR N + 2 * radius_sum_bound delta (horizon h) (INR N) /\
    regret <= total_over (unqualified N qmin quality) (fun i => (qmin - quality i) * (1 + M (qmin - quality i))) /\
    unqualified_steps N qmin quality h <= total_over (unqualified N qmin quality) (fun i => 1 + M (qmin - quality i))) /\
  (* lem:payment-range *)
  (forall h i c2, bids_within g -> second_lowest c2 -> run g h -> step g h i ->
    0 <= payment g h i <= cmax /\ Rabs (payment g h i - c2) <= cmax) /\
  (* lem:ordinary-qualified-set, with T_0 as it is *)
  (forall h c2 Mbar, bids_within (target N k alpha) -> second_lowest c2 -> 0 < k -> 0 < alpha < 1 ->
    1 <= Mbar -> (forall i, (i < N)%nat -> quality i < qmin -> M (qmin - quality i) <= Mbar) ->
    ~ explores N delta qmin quality_estimate (target N k alpha) h -> T0 N k alpha Mbar < INR (now N h) ->
    (forall j, In j (eligible_set h) -> target N k alpha (now N h) <= INR (m h j)) /\
    (forall j, In j (eligible_set h) <-> (j < N)%nat /\ qmin <= quality j)).

(* whatever is bid deviates from the mean cost by cmax at most *)
Notation loose_market := (Statements.market N delta cmax qmin gamma cmax cmax quality cost best).
Notation loose_event := (Statements.good_event N delta cmax gamma quality cost quality_estimate (fun i _ => cost i)).
Lemma any_bids_follow g' : market -> bids_within g' ->
  bids_follow N delta cmax qmin gamma cmax cmax quality_estimate (fun i _ => cost i) bid g'.
Proof.
  intros (_ & _ & _ & _ & _ & _ & Hrange & _) Hb h i Hr Hi. pose proof (Hb h i Hr Hi). pose proof (Hrange i Hi). lra.
Qed.
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
  split; [|split; [|split; [|split; [|split; [|split; [|split]]]]]].
  - intros h i. exact (loosely lem_qualified_eligibility h i Hlm Hle).
  - intros h later i t. exact (explored_below_target N delta cmax qmin gamma quality_estimate bid g h later i t).
  - intros h i. exact (lem_forced_exploration_bound N delta cmax qmin gamma quality_estimate (fun _ _ => 0) bid g h i).
  - intros h i. exact (loosely lem_unqualified_exclusion h i Hlm Hle).
  - intros h i. exact (loosely lem_unqualified_elimination h i Hlm Hle).
  - intros h. exact (loosely thm_quality_guarantee h Hlm Hle).
  - intros h i c2 Hb. exact (loosely lem_payment_range h i c2 Hlm Hle (any_bids_follow g Hm Hb)).
  - intros h c2 Mbar Hb H2 Hk Ha HM1 HM.
    exact (lem_ordinary_qualified_set N delta cmax qmin gamma cmax cmax k alpha quality cost best quality_estimate (fun i _ => cost i) bid
      Mbar c2 h (conj Hlm (conj Hle (conj (any_bids_follow _ Hm Hb) (conj H2 (conj Hk (conj Ha (conj HM1 HM)))))))).
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
    (forall i, step target h i -> ~ explores target h -> T0 N k alpha Mbar < INR (now N h) ->
      c2 - 3 * radius_at (now N h) <= payment target h i <= c2 + radius_at (now N h)) /\
    let T := (N + length h)%nat in
    run_deviation N delta cmax qmin gamma k alpha quality_estimate believed c2 h <=
      T0 N k alpha Mbar * cmax + INR N * (ceiling (target T) - 1) * (cmax - c2)
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

(* On the event E of lem:good-event:
   i) under any bids in [0, cmax] the results without cost estimates hold as they stand; the incentives hold for any estimator
   with values in [0, cmax], with the widened radius: thm:robust-dominant and the equilibrium here, prop:selection-threshold and
   lem:one-step as prop_selection_threshold and lem_one_step, which are about any radii and any estimate;
   ii) under beliefs with slack gamma the others hold with (1 + gamma) cmax beta in the place of cmax beta. *)
Theorem prop_bayesian_substitution : market -> event_E ->
  unchanged /\
  (forall e p own rivals i H, a_game N delta cmax qmin gamma g e p own rivals i H ->
    worst_case_optimal N delta cmax qmin gamma g e p own rivals i H) /\
  (forall estimates p own i H sigma, obeys_rules N delta cmax qmin gamma g p -> (forall j, in_range cmax (estimates j)) ->
    law cmax own -> (i < N)%nat -> possible_history N cmax H -> bids_in_range cmax sigma ->
    let profile j := truthful (estimates j) in
    Rbar_le (worst_case N delta cmax qmin gamma g (estimates i) p own profile i H sigma)
      (worst_case N delta cmax qmin gamma g (estimates i) p own profile i H (profile i))) /\
  (beliefs -> estimates_in_range -> widened).
Proof.
  intros Hm He. pose proof Hm as (HN & Hd & Hc & _). split; [|split; [|split]].
  - apply bayesian_substitution_without_beliefs; assumption.
  - intros e p own rivals i H. apply robust_dominant. exact Hc.
  - intros. apply robust_equilibrium_of_estimates; assumption.
  - apply bayesian_substitution_with_beliefs; assumption.
Qed.
End Beliefs.

(* With the probability of E: where "likely" is any property of claims about worlds that E has, and with a claim whatever follows
   from it, as having probability at least 1 - delta. A world holds the sample means, what is believed, and what is bid. *)
Theorem bayesian_substitution_is_likely (World : Type) (likely : (World -> Prop) -> Prop)
  N delta cmax qmin gamma k alpha quality cost best (quality_estimate sample_mean estimate : World -> nat -> nat -> R)
  (bid : World -> list nat -> nat -> R) g :
  (forall claim claim' : World -> Prop, (forall w, claim w -> claim' w) -> likely claim -> likely claim') ->
  likely (fun w => Statements.good_event N delta cmax 0 quality cost (quality_estimate w) (sample_mean w)) ->
  market N delta cmax qmin gamma 0 0 quality cost best ->
  (forall w, beliefs N delta cmax gamma (sample_mean w) (estimate w) /\ estimates_in_range N cmax (estimate w)) ->
  likely (fun w => unchanged N delta cmax qmin gamma k alpha quality cost best (quality_estimate w) (bid w) g /\
    widened N delta cmax qmin gamma k alpha quality cost best (quality_estimate w) (estimate w) g).
Proof.
  intros Hfollows HE Hm Hb. revert HE. apply Hfollows. intros w Hw. destruct (Hb w).
  split; [eapply bayesian_substitution_without_beliefs|eapply bayesian_substitution_with_beliefs]; eauto.
Qed.

(* The proposition is not about nothing: in the market of Inhabited.v, where sample means are the mean costs, both providers
   believe their costs to be higher, by half a radius, or by 1/4 if that is less. *)
Theorem a_market_with_slack gamma : 0 <= gamma -> market 2 (1 / 2) 1 (1 / 2) gamma 0 0 the_quality the_cost 0.
Proof.
  intros Hgamma. destruct a_market as (HN & Hd & Hc & _ & Hrest). exact (conj HN (conj Hd (conj Hc (conj Hgamma Hrest)))).
Qed.
Definition the_beliefs (i n : nat) : R := the_cost i + Rmin (1 / 2 * 1 * beta (INR 2) (1 / 2) (INR n)) (1 / 4).
Theorem providers_that_believe :
  beliefs 2 (1 / 2) 1 (1 / 2) (the_estimates the_cost) the_beliefs /\ estimates_in_range 2 1 the_beliefs.
Proof.
  assert (Hshift : forall n, 0 <= Rmin (1 / 2 * 1 * beta (INR 2) (1 / 2) (INR n)) (1 / 4)).
  { intros n. apply Rmin_glb; [|lra]. apply Rmult_le_pos; [lra|apply sqrt_pos]. }
  split; intros i n _ Hn; unfold the_beliefs; specialize (Hshift n).
  - unfold the_estimates. rewrite Rabs_right by lra. pose proof (Rmin_l (1 / 2 * 1 * beta (INR 2) (1 / 2) (INR n)) (1 / 4)). lra.
  - pose proof (Rmin_r (1 / 2 * 1 * beta (INR 2) (1 / 2) (INR n)) (1 / 4)). pose proof (the_cost_range i). lra.
Qed.
