(* The paper's own form of statements that Statements.v has more generally: with truthful bids, gamma = 0, and in its words.

   One statement a label. Where the paper speaks of bounded deviations, so do these. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements Rates Limits.
Import ListNotations.
Open Scope R_scope.
(* The radius decreases strictly with the count, from 1 on, for two providers or more. *)
Theorem lem_radius_decreasing (N delta : R) : 2 <= N -> 0 < delta < 1 ->
  (forall x y, 1 <= x -> x < y -> radius delta y N < radius delta x N) /\
  (forall count x, 1 <= x -> x <= count -> radius delta count N <= radius delta x N).
Proof.
  intros HN Hd. split.
  - intros x y Hx Hxy. rewrite !radius_is_beta by lra. apply radius_decreasing; assumption.
  - intros count x Hx H. apply lem_radius_monotone; assumption.
Qed.

(* A payment depends on the bids of its own step alone. *)
Theorem payment_range_at_bids (N : nat) (delta cmax qmin gamma : R) (quality cost : nat -> R) (best : nat)
    (quality_estimate : nat -> nat -> R) (bid : list nat -> nat -> R) (g : nat -> R) (c2 : R) h i :
  (forall j, (j < N)%nat -> 0 <= cost j <= cmax) -> second_lowest N qmin quality cost best c2 ->
  (forall j, (j < N)%nat -> 0 <= bid h j <= cmax) -> step N delta cmax qmin gamma quality_estimate bid g h i ->
  0 <= payment N delta cmax qmin gamma quality_estimate bid g h i <= cmax /\
  Rabs (payment N delta cmax qmin gamma quality_estimate bid g h i - c2) <= cmax.
Proof.
  intros Hcost (Q & HQ & H2) Hbid Hs.
  assert (Hc2 : 0 <= c2 <= cmax).
  { destruct (minl_att _ _ _ H2) as (j & Hj & ->). apply filter_In in Hj. apply Hcost, HQ, Hj. }
  enough (Hp : 0 <= payment N delta cmax qmin gamma quality_estimate bid g h i <= cmax) by (split; [exact Hp|apply Rabs_le; lra]).
  unfold payment. destruct (explores_dec N delta qmin quality_estimate g h) as [|Hx]; [lra|].
  destruct (Qh N delta qmin quality_estimate h) as [|x l] eqn:E; [lra|]. rewrite <- E.
  destruct Hs as [(H & _)|[[H _]|[_ Hsel]]]; [contradiction|rewrite E in H; discriminate|].
  assert (Hb : forall j, In j (Qh N delta qmin quality_estimate h) -> 0 <= bid h j <= cmax).
  { intros j Hj. apply Hbid. unfold Qh in Hj. apply filter_In in Hj. destruct Hj as [Hj _]. apply in_seq in Hj. lia. }
  pose proof (payment_range _ _ cmax (bid h) i Hb Hsel). pose proof (Hb i (proj1 Hsel)). lra.
Qed.

Section AsStated.
Variables (N : nat) (delta cmax qmin : R) (quality cost : nat -> R) (best : nat).
Variables (quality_estimate cost_estimate : nat -> nat -> R) (bid : list nat -> nat -> R).
Notation n := (INR N).
Notation horizon h := (INR (N + length h)).
Notation eligible_set := (Qh N delta qmin quality_estimate).
Notation gap i := (cost i - cost best).
Notation beta_of h i := (beta n delta (INR (m h i))).
Notation M i := (selection_bound delta (qmin - quality i) n).
Notation on_E := (good_event N delta cmax 0 quality cost quality_estimate cost_estimate).

(* ---- whatever is bid *)
Section AnyBids.
Variables (g : nat -> R) (c2 : R).
Notation run := (run N delta cmax qmin 0 quality_estimate bid g).
Notation step := (step N delta cmax qmin 0 quality_estimate bid g).
Notation explores := (explores N delta qmin quality_estimate g).
Notation payment := (payment N delta cmax qmin 0 quality_estimate bid g).
(* Every payment of a run lies in [0, c_max], at most c_max from the second-lowest cost. *)
Theorem lem_payment_range_always h i :
  (forall j, (j < N)%nat -> 0 <= cost j <= cmax) -> second_lowest N qmin quality cost best c2 ->
  (forall t j, run t -> (j < N)%nat -> 0 <= bid t j <= cmax) -> run h -> step h i ->
  0 <= payment h i <= cmax /\ Rabs (payment h i - c2) <= cmax.
Proof. intros Hcost H2 Hbid Hr. apply (payment_range_at_bids N delta cmax qmin 0 quality cost best); auto. Qed.
(* A provider that a run explores at t has a count below g(t) <= g(T); a run explores a provider at most ceil(g(T)) -
   1 times, and all of them N times as often. *)
Theorem lem_forced_exploration_bound_whole h : never_falls g -> run h ->
  (forall later i t, h = later ++ i :: t -> explores t -> INR (m t i) < g (now N t) <= g (N + length h)%nat) /\
  (0 < g (N + length h)%nat ->
    (forall i, INR (explorations N delta qmin quality_estimate g h i) <= ceiling (g (N + length h)%nat) - 1) /\
    total (fun t _ => explored N delta qmin quality_estimate g t) h <= INR N * (ceiling (g (N + length h)%nat) - 1)).
Proof.
  intros Hg Hr. split.
  - intros later i t. exact (explored_below_target N delta cmax qmin 0 quality_estimate bid g h later i t Hg Hr).
  - intros Hp. split.
    + intros i. apply (lem_forced_exploration_bound _ _ _ _ _ _ cost_estimate bid g h i Hg Hr Hp).
    + apply (lem_forced_exploration_bound _ _ _ _ _ _ cost_estimate bid g h 0%nat Hg Hr Hp).
Qed.
End AnyBids.
(* At an auction every eligible provider has g(t) selections; on the good event the eligible are the qualified after
   T_0. *)
Theorem lem_ordinary_qualified_set_always (k alpha : R) :
  let g := target N k alpha in
  (forall h, ~ explores N delta qmin quality_estimate g h -> forall j, In j (eligible_set h) -> g (now N h) <= INR (m h j)) /\
  (market N delta cmax qmin 0 0 0 quality cost best -> on_E -> 0 < k -> 0 < alpha < 1 ->
   forall h, ~ explores N delta qmin quality_estimate g h -> T0 N delta qmin k alpha quality < INR (now N h) ->
   forall j, In j (eligible_set h) <-> (j < N)%nat /\ qmin <= quality j).
Proof.
  cbv zeta. split.
  - intros h Hx j Hj. apply Rnot_lt_le. intros H. apply Hx. exists j. split; assumption.
  - intros (HN & Hd & _ & _ & _ & _ & _ & Hbest) (Hq & _) Hk Ha h Hx Ht j.
    set (Q := filter (fun j => if Rle_dec qmin (quality j) then true else false) (seq 0 N)).
    assert (HQ : forall j, In j Q <-> (j < N)%nat /\ qmin <= quality j).
    { intros i. unfold Q. rewrite filter_In, in_seq. destruct (Rle_dec qmin (quality i)); intuition (try lia; try lra; try discriminate). }
    rewrite <- HQ. apply (ordinary_set N delta qmin 0 0 k alpha quality cost best quality_estimate cost_estimate bid Q
      (largest_elimination N delta qmin quality)); auto; [lra|].
    split; [apply Rmax_l|]. intros i Hi Hlt. eapply Rle_trans; [|apply Rmax_r].
    apply (largest_over_above _ (fun i => Runs.M N delta (qmin - quality i))). unfold unqualified. apply filter_In.
    split; [apply in_seq; lia|]. destruct (Rlt_dec (quality i) qmin); [reflexivity|contradiction].
Qed.

(* ---- truthful bids: everybody bids its estimate, the sample mean of its costs in [0, cmax] *)
Definition bids_truthfully (g : nat -> R) : Prop := forall h i, run N delta cmax qmin 0 quality_estimate bid g h -> (i < N)%nat ->
  bid h i = cost_estimate i (m h i) /\ 0 <= cost_estimate i (m h i) <= cmax.
Lemma truthful_bids_follow g : bids_truthfully g -> bids_follow N delta cmax qmin 0 0 0 quality_estimate cost_estimate bid g.
Proof. intros H h i Hr Hi. destruct (H h i Hr Hi) as [E Hrange]. rewrite E. lra. Qed.

Section Truthful.
Variables (g : nat -> R) (c2 : R).
Hypothesis Hmarket : market N delta cmax qmin 0 0 0 quality cost best.
Hypothesis HE : on_E.
Hypothesis Htruthful : bids_truthfully g.
Notation run := (run N delta cmax qmin 0 quality_estimate bid g).
Notation step := (step N delta cmax qmin 0 quality_estimate bid g).
Notation explores := (explores N delta qmin quality_estimate g).
Notation payment := (payment N delta cmax qmin 0 quality_estimate bid g).
Notation L i := (selection_bound delta (gap i / cmax) n).
Let Hfollow := truthful_bids_follow g Htruthful.

Lemma a_radius h i : rad N delta cmax 0 (m h i) = cmax * beta_of h i.
Proof. unfold rad, bt. ring. Qed.
Lemma truthful_threshold i : Runs.L N delta cmax 0 0 0 cost best i = L i.
Proof.
  destruct Hmarket as (_ & _ & Hc & _). unfold Runs.L, Runs.M. f_equal. field. lra.
Qed.
Lemma competitor_costs_more i : (i < N)%nat -> qmin <= quality i -> i <> best -> 0 + 0 < gap i.
Proof. intros Hi Hq Hne. destruct Hmarket as (_ & _ & _ & _ & _ & _ & _ & _ & _ & Hbest). specialize (Hbest i Hi Hq Hne). lra. Qed.
(* On the good event an adjusted bid lies between the mean cost minus two radii and the mean cost. *)
Theorem lem_adjusted_bid_bounds_truthful h i : run h -> (i < N)%nat ->
  cost i - 2 * cmax * beta_of h i <= bid h i - cmax * beta_of h i <= cost i.
Proof.
  intros Hr Hi. pose proof (lem_adjusted_bid_bounds _ _ _ _ _ _ _ _ _ _ _ _ _ h i HE Hfollow Hr Hi) as H.
  rewrite a_radius, Rminus_0_r, Rplus_0_r, <- Rmult_assoc in H. exact H.
Qed.
(* On the good event a qualified provider that wins an auction of a run costs at most two of its radii more than the
   best. *)
Theorem lem_ordinary_selection_gap_truthful h i : run h -> step h i -> ~ explores h -> qmin <= quality i -> i <> best ->
  gap i <= 2 * cmax * beta_of h i.
Proof.
  intros Hr Hs Hx _ _. pose proof (lem_ordinary_selection_gap _ _ _ _ _ _ _ _ _ _ _ _ _ _ h i Hmarket HE Hfollow Hr Hs Hx) as H.
  rewrite a_radius in H. lra.
Qed.
(* On the good event a qualified provider that is not the best wins auctions only while its count is at most L_i. *)
Theorem lem_ordinary_selection_threshold_truthful h i : run h -> step h i -> ~ explores h -> qmin <= quality i -> i <> best ->
  INR (m h i) <= ceiling (4 * cmax ^ 2 / gap i ^ 2 * ln (57 * n * cmax ^ 4 / (delta * gap i ^ 4))).
Proof.
  intros Hr Hs Hx Hq Hne. pose proof (step_lt _ _ _ _ _ quality cost _ cost_estimate _ _ h i Hs) as Hi. pose proof (competitor_costs_more i Hi Hq Hne) as Hgap.
  pose proof (lem_ordinary_selection_threshold _ _ _ _ _ _ _ _ _ _ _ _ _ _ h i Hmarket HE Hfollow Hr Hs Hx Hgap) as H.
  rewrite truthful_threshold in H. unfold selection_bound in H. destruct Hmarket as (_ & Hd & Hc & _).
  replace (4 * cmax ^ 2 / gap i ^ 2) with (4 * / (gap i / cmax) ^ 2) by (field; lra).
  replace (57 * n * cmax ^ 4 / (delta * gap i ^ 4)) with (57 * n * / delta * / (gap i / cmax) ^ 4) by (field; lra). exact H.
Qed.
(* On the good event a run selects a qualified provider that is not the best at most max{L_i, ceil(g(T)) - 1} times
   after initialization. *)
Theorem lem_qualified_suboptimal_selection_truthful h i : never_falls g -> run h -> 0 < g (N + length h)%nat ->
  (i < N)%nat -> qmin <= quality i -> i <> best -> INR (times h i) <= Rmax (L i) (ceiling (g (N + length h)%nat) - 1).
Proof.
  intros Hg Hr Hp Hi Hq Hne. rewrite <- truthful_threshold.
  apply (lem_qualified_suboptimal_selection _ _ _ _ _ _ _ _ _ _ _ _ _ _ h i Hmarket HE Hfollow Hg Hr Hp Hi). apply competitor_costs_more; assumption.
Qed.
(* On the good event, once every count is above its bound, every later ordinary step serves the best provider. *)
Theorem cor_eventual_ordinary_optimality_truthful h later i :
  (forall j, (j < N)%nat -> quality j < qmin -> M j < INR (m h j)) ->
  (forall j, (j < N)%nat -> qmin <= quality j -> j <> best -> L j < INR (m h j)) ->
  run (later ++ h) -> step (later ++ h) i -> ~ explores (later ++ h) -> i = best.
Proof.
  intros Hu Hl Hr Hs Hx.
  apply (cor_eventual_ordinary_optimality _ _ _ _ _ _ _ _ _ _ _ _ _ _ (later ++ h) i Hmarket HE Hfollow); auto.
  - intros j Hj Hq Hne. apply competitor_costs_more; assumption.
  - intros j Hj Hq. eapply Rlt_le_trans; [apply (Hu j Hj Hq)|apply counts_grow].
  - intros j Hj Hq Hne. rewrite truthful_threshold. eapply Rlt_le_trans; [apply (Hl j Hj Hq Hne)|apply counts_grow].
Qed.
(* On the good event the generation regret of every run is within both bounds. *)
Theorem thm_generation_regret_truthful h : never_falls g -> run h -> 0 < g (N + length h)%nat ->
  let T := horizon h in
  run_generation_regret N cost best h <= Rmin
    ((n - 1) * ceiling (g (N + length h)%nat) * cmax + 2 * cmax * radius_sum_bound delta T n)
    (total_over (unqualified N qmin quality) (fun i => (M i + 1) * Rmax 0 (gap i))
     + total_over (competitors N qmin quality best) (fun i => (Rmax (L i) (ceiling (g (N + length h)%nat) - 1) + 1) * gap i)).
Proof.
  intros Hg Hr Hp. cbv zeta.
  destruct (thm_generation_regret _ _ _ _ _ _ _ _ _ _ _ _ _ _ h Hmarket HE Hfollow Hg Hr Hp) as [H1 H2]. apply Rmin_glb; [lra|].
  eapply Rle_trans; [apply H2; intros j Hj Hq Hne; apply competitor_costs_more; assumption|]. rewrite Rplus_comm. apply Rplus_le_compat.
  - apply total_over_le. intros i _. unfold Runs.M. lra.
  - apply total_over_le. intros i _. rewrite truthful_threshold. lra.
Qed.
(* On the good event an auction of a run pays at most c_max, and at most the second-lowest cost and a radius. *)
Theorem lem_ordinary_payment_truthful h i : second_lowest N qmin quality cost best c2 -> run h -> step h i -> ~ explores h ->
  payment h i <= Rmin cmax (c2 + cmax * beta_of h i) /\ Rmax 0 (payment h i - c2) <= cmax * beta_of h i.
Proof.
  intros H2 Hr Hs Hx. pose proof (lem_ordinary_payment _ _ _ _ _ _ _ _ _ _ _ _ _ _ h i c2 Hmarket HE Hfollow H2 Hr Hs Hx) as H.
  rewrite a_radius, Rplus_0_r in H. split; [exact H|]. pose proof (Rmin_r cmax (c2 + cmax * beta_of h i)).
  destruct Hmarket as (_ & _ & Hc & _). apply Rmax_lub; [apply Rmult_le_pos; [lra|apply sqrt_pos]|lra].
Qed.
(* On the good event the excess payment of every run is within the bound, for every exploration target that does not
   fall. *)
Theorem thm_excess_payment_general_truthful h : second_lowest N qmin quality cost best c2 -> never_falls g -> run h ->
  0 < g (N + length h)%nat ->
  run_excess_payment N delta cmax qmin 0 quality_estimate bid g c2 h <=
    (n + n * (ceiling (g (N + length h)%nat) - 1)) * (cmax - c2) + cmax * radius_sum_bound delta (horizon h) n.
Proof.
  intros H2 Hg Hr Hp. pose proof (thm_excess_payment_general _ _ _ _ _ _ _ _ _ _ _ _ _ _ h c2 Hmarket HE Hfollow H2 Hg Hr Hp). lra.
Qed.
End Truthful.

(* ---- under g(t) = k (t/N)^alpha *)
Section Polynomial.
Variables (d_minus d_plus k alpha c2 : R).
Notation g := (target N k alpha).
Notation run := (run N delta cmax qmin 0 quality_estimate bid g).
Notation step := (step N delta cmax qmin 0 quality_estimate bid g).
Notation explores := (explores N delta qmin quality_estimate g).
Notation payment := (payment N delta cmax qmin 0 quality_estimate bid g).
Notation T0 := (T0 N delta qmin k alpha quality).
Notation market_with d_minus d_plus := (market_of_payments N delta cmax qmin 0 d_minus d_plus k alpha quality cost best c2).
(* After T_0 an auction pays at most the second-lowest cost and a radius at g(t), and at least it less three. *)
Theorem lem_two_sided_payment_truthful h i : market_with 0 0 -> on_E -> bids_truthfully g -> run h -> step h i -> ~ explores h ->
  T0 < INR (now N h) ->
  c2 - 3 * cmax * beta n delta (g (now N h)) <= payment h i <= c2 + cmax * beta n delta (g (now N h)).
Proof.
  intros Hm HE Hb Hr Hs Hx Ht. destruct (lem_two_sided_payment _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ h i
    (converging_payments _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hm (conj HE (truthful_bids_follow g Hb))) Hr Hs Hx Ht) as [[_ H1] H2].
  rewrite !Rplus_0_r, Rmult_1_l in H1. rewrite !Rplus_0_r, Rminus_0_r, Rmult_1_l, <- Rmult_assoc in H2. split; assumption.
Qed.
(* On the good event the average excess payment of every run is within the bound under g(t) = k (t/N)^alpha. *)
Theorem cor_excess_payment_polynomial_truthful h : market_with 0 0 -> on_E -> bids_truthfully g -> run h ->
  let T := horizon h in
  run_excess_payment N delta cmax qmin 0 quality_estimate bid g c2 h / T <=
    (n / T + k * Rpower (n / T) (1 - alpha)) * (cmax - c2) + cmax * sqrt (2 * n / T * ln (2 * PI ^ 2 * n * T ^ 2 / (3 * delta))).
Proof.
  intros Hm HE Hb Hr. cbv zeta. pose proof (cor_excess_payment_polynomial _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ h Hm
    (conj HE (truthful_bids_follow g Hb)) Hr) as H. cbv zeta in H. rewrite !Rplus_0_r, Rmult_1_l in H. exact H.
Qed.
(* With bounded deviations an auction pays at most the second-lowest cost, a radius and d_+, and after T_0 at least it
   less three radii and d_-. *)
Theorem lem_deviation_payment_three_radii h i : market_with d_minus d_plus -> on_E ->
  bids_follow N delta cmax qmin 0 d_minus d_plus quality_estimate cost_estimate bid g -> run h -> step h i -> ~ explores h ->
  payment h i <= Rmin cmax (c2 + cmax * beta_of h i + d_plus) /\
  (T0 < INR (now N h) -> c2 - 3 * cmax * beta n delta (g (now N h)) - d_minus <= payment h i).
Proof.
  intros Hm HE Hb Hr Hs Hx. pose proof Hm as (Hmarket & H2 & _). split.
  - pose proof (lem_ordinary_payment _ _ _ _ _ _ _ _ _ _ _ _ _ _ h i c2 Hmarket HE Hb H2 Hr Hs Hx) as H.
    rewrite a_radius in H. exact H.
  - intros Ht. destruct (lem_two_sided_payment _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ h i
      (converging_payments _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hm (conj HE Hb)) Hr Hs Hx Ht) as [_ H].
    rewrite Rplus_0_r, Rmult_1_l in H. lra.
Qed.
(* With bounded deviations, on the good event: the gap at an auction, the number of selections, the number of
   non-optimal steps of every run, that their share vanishes, and that the best provider wins in the end. *)
Theorem prop_deviation_selection_whole :
  market N delta cmax qmin 0 d_minus d_plus quality cost best -> on_E ->
  bids_follow N delta cmax qmin 0 d_minus d_plus quality_estimate cost_estimate bid g -> 0 < k -> 0 < alpha < 1 ->
  let L i := selection_bound delta ((gap i - d_minus - d_plus) / cmax) n in
  (forall h i, run h -> step h i -> ~ explores h -> gap i <= 2 * cmax * beta_of h i + d_minus + d_plus) /\
  (forall h i, run h -> (i < N)%nat -> qmin <= quality i -> d_minus + d_plus < gap i ->
    INR (times h i) <= Rmax (L i) (ceiling (g (N + length h)%nat) - 1)) /\
  (separated N qmin d_minus d_plus quality cost best ->
    (forall h, run h -> nonoptimal_steps N best h <= n - 1 +
      (total_over (unqualified N qmin quality) (fun i => M i)
       + total_over (competitors N qmin quality best) (fun i => Rmax (L i) (k * Rpower (horizon h / n) alpha)))) /\
    (forall epsilon, 0 < epsilon -> exists T1, forall h, run h -> (T1 <= N + length h)%nat ->
      nonoptimal_steps N best h / horizon h <= epsilon) /\
    (forall h later i,
      (forall j, (j < N)%nat -> quality j < qmin -> M j < INR (m h j)) ->
      (forall j, (j < N)%nat -> qmin <= quality j -> j <> best -> L j < INR (m h j)) ->
      run (later ++ h) -> step (later ++ h) i -> ~ explores (later ++ h) -> i = best)).
Proof.
  intros Hm HE Hb Hk Ha. cbv zeta. pose proof Hm as (HN & Hd & Hc & _).
  assert (Hmono : never_falls g) by (intros s t; apply g_mono; assumption).
  assert (Hpos : forall t, 0 < g t) by (intros; apply g_pos; assumption).
  assert (EL : forall i, Runs.L N delta cmax 0 d_minus d_plus cost best i = selection_bound delta ((gap i - d_minus - d_plus) / cmax) n).
  { intros i. unfold Runs.L, Runs.M. f_equal. field. lra. }
  split; [|split].
  - intros h i Hr Hs Hx. pose proof (lem_ordinary_selection_gap _ _ _ _ _ _ _ _ _ _ _ _ _ _ h i Hm HE Hb Hr Hs Hx) as H.
    rewrite a_radius in H. lra.
  - intros h i Hr Hi _ Hgap. rewrite <- EL. apply (lem_qualified_suboptimal_selection _ _ _ _ _ _ _ _ _ _ _ _ _ _ h i Hm HE Hb); auto.
  - intros Hsep. split; [|split].
    + intros h Hr. eapply Rle_trans; [apply (thm_sample_complexity_on_good_event _ _ _ _ _ _ _ _ _ _ _ _ _ g h Hm HE Hb); auto|].
      apply Rplus_le_compat_l. rewrite Rplus_comm. apply Rplus_le_compat_l, rounded_caps_below. exact EL.
    + exact (vanishing_nonoptimal_selections _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hm (conj HE Hb) Hsep Hk Ha).
    + intros h later i Hu Hl Hr Hs Hx.
      apply (cor_eventual_ordinary_optimality _ _ _ _ _ _ _ _ _ _ _ _ _ _ (later ++ h) i Hm HE Hb); auto.
      * intros j Hj Hq. eapply Rlt_le_trans; [apply (Hu j Hj Hq)|apply counts_grow].
      * intros j Hj Hq Hne. rewrite EL. eapply Rlt_le_trans; [apply (Hl j Hj Hq Hne)|apply counts_grow].
Qed.
End Polynomial.
End AsStated.
