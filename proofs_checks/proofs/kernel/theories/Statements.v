(* The paper's statements about runs. AsStated.v has the truthful form of those that are more general here, Limits.v the
   averages and limits, GameLikely.v what has probability at least 1 - delta, Beliefs.v what is so with beliefs.

   What a theorem is about is defined in Auction.v (one auction: adjusted bids, critical payment, who is selected) and
   Runs.v (runs of the mechanism: estimates, radii, who is eligible, who is explored, who is paid what). The bounds are
   those of Formulas.v, which is printed from the formulas that the program computes with.

   One market serves three readings: truthful bids (gamma = 0, d_minus = d_plus = 0), beliefs with slack gamma, bounded
   deviations d_minus and d_plus. Where the paper states a result for each, one theorem here holds for all. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Hoeffding.
Import ListNotations.
Open Scope R_scope.

(* ---- the radius *)
Lemma radius_is_beta (N delta m : R) : 1 <= N -> 0 < delta < 1 -> 1 <= m -> radius delta m N = beta N delta m.
Proof.
  intros HN Hd Hm. unfold radius, beta.
  assert (HL : 0 <= ln (2 / 3 * N * PI ^ 2 * / delta * m ^ 2)).
  { replace (2 / 3 * N * PI ^ 2 * / delta * m ^ 2) with (2 * PI ^ 2 * N * m ^ 2 / (3 * delta)) by (field; lra).
    rewrite <- ln_1. apply Rlt_le, ln_increasing; [lra|].
    pose proof (logarg_ge1 N delta m HN Hd Hm). pose proof pi23_gt1. lra. }
  replace (2 * PI ^ 2 * N * m ^ 2 / (3 * delta)) with (2 / 3 * N * PI ^ 2 * / delta * m ^ 2) by (field; lra).
  set (l := ln (2 / 3 * N * PI ^ 2 * / delta * m ^ 2)) in *.
  assert (E : 1 / 2 * sqrt 2 * / sqrt m = sqrt (1 / (2 * m))).
  { replace (1 / (2 * m)) with ((1 / 2) * (1 / 2) * 2 * / m) by (field; lra).
    rewrite (sqrt_mult (1 / 2 * (1 / 2) * 2)), (sqrt_mult (1 / 2 * (1 / 2))); try lra; [|apply Rlt_le, Rinv_0_lt_compat; lra].
    rewrite sqrt_square, sqrt_inv by lra. reflexivity. }
  rewrite E. rewrite <- sqrt_mult; [reflexivity| |assumption]. apply Rlt_le, Rdiv_lt_0_compat; lra.
Qed.
(* A gap of at most twice the radius bounds the count, for every real number of providers from 1 on. *)
Theorem lem_radius_inversion (N delta gap count : R) :
  1 <= N -> 0 < delta < 1 -> 0 < gap -> 1 <= count -> gap <= 2 * radius delta count N ->
  count <= 4 / gap ^ 2 * ln (57 * N / (delta * gap ^ 4)) <= selection_bound delta gap N.
Proof.
  intros HN Hd Hg Hc H. rewrite radius_is_beta in H by assumption. split; [apply radius_inversion; assumption|].
  unfold selection_bound. eapply Rle_trans; [|apply ceiling_above]. right.
  replace (57 * N * / delta * / gap ^ 4) with (57 * N / (delta * gap ^ 4)) by (field; split; lra). field. lra.
Qed.
(* The radius does not increase with the count, from 1 on, for two providers or more. *)
Theorem lem_radius_monotone (N delta count more : R) :
  2 <= N -> 0 < delta < 1 -> 1 <= count -> count <= more -> radius delta more N <= radius delta count N.
Proof. intros. rewrite !radius_is_beta by lra. apply radius_monotone; assumption. Qed.
(* Below its critical payment an eligible provider wins an auction, above it loses, whatever the ties. *)
Theorem prop_selection_threshold (eligible : list nat) (cost_radius bid : nat -> R) (i served : nat) :
  selected eligible cost_radius bid served ->
  (In i eligible -> lt_opt (bid i) (crit eligible cost_radius bid i) -> served = i) /\
  (gt_opt (bid i) (crit eligible cost_radius bid i) -> served <> i).
Proof.
  intros Hs. split; [intros Hi H; eapply selection_threshold_win; eauto|].
  intros H. eapply selection_threshold_lose; eauto.
Qed.

(* e is the provider's estimate of its own cost; bid' differs from bid in its own bid only *)
Theorem lem_one_step (eligible : list nat) (cost_radius bid bid' : nat -> R) (cmax e : R) (i served served' : nat) :
  (forall j, 0 <= cost_radius j) -> 0 < cmax -> 0 <= e <= cmax -> bid i = e -> 0 <= bid' i <= cmax ->
  (forall j, j <> i -> bid j = bid' j) ->
  selected eligible cost_radius bid served -> selected eligible cost_radius bid' served' ->
  let truthful := gain eligible cost_radius cmax bid served i e in
  let deviating := gain eligible cost_radius cmax bid' served' i e in
  0 <= truthful /\ deviating <= truthful /\
  (forall p, In i eligible -> crit eligible cost_radius bid i = Some p -> (e - p) * (bid' i - p) < 0 -> deviating < truthful).
Proof.
  intros Hr Hc He Ht Hd Ho Hs Hs'. cbv zeta. split; [|split].
  - eapply one_step_a; eauto.
  - eapply one_step_b; eauto.
  - intros. eapply one_step_c; eauto.
Qed.
(* An estimate within gamma radii of the sample mean is within 1 + gamma radii of the mean cost. *)
Theorem lem_bayesian_cost_concentration (cmax gamma radius_of_count estimate sample_mean mean_cost : R) :
  Rabs (estimate - sample_mean) <= gamma * cmax * radius_of_count ->
  Rabs (sample_mean - mean_cost) <= cmax * radius_of_count ->
  Rabs (estimate - mean_cost) <= (1 + gamma) * cmax * radius_of_count.
Proof.
  intros H1 H2. apply Rabs_le_inv in H1. apply Rabs_le_inv in H2. apply Rabs_le. lra.
Qed.

(* ---- runs *)
Lemma total_over_ext l (f f' : nat -> R) : (forall i, In i l -> f i = f' i) -> total_over l f = total_over l f'.
Proof.
  unfold total_over. induction l as [|i l IH]; intros H; [reflexivity|]. simpl. rewrite (H i) by (simpl; auto).
  rewrite IH; [reflexivity|]. intros; apply H; simpl; auto.
Qed.

Section Statements.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus : R) (quality cost : nat -> R) (best : nat).
Variables (quality_estimate cost_estimate : nat -> nat -> R) (bid : list nat -> nat -> R) (g : nat -> R).

Notation run := (run N delta cmax qmin gamma quality_estimate bid g).
Notation step := (step N delta cmax qmin gamma quality_estimate bid g).
Notation eligible_set := (Qh N delta qmin quality_estimate).
Notation explores := (explores N delta qmin quality_estimate g).
Notation payment := (payment N delta cmax qmin gamma quality_estimate bid g).
Notation cost_radius h i := (rad N delta cmax gamma (m h i)).
Notation horizon h := (INR (N + length h)).
Notation gap i := (cost i - cost best).
Notation M := (Runs.M N delta).
Notation L := (Runs.L N delta cmax gamma d_minus d_plus cost best).

(* Section 2: at least two providers, and one of the qualified ones has the lowest mean cost *)
Definition market : Prop :=
  (2 <= N)%nat /\ 0 < delta < 1 /\ 0 < cmax /\ 0 <= gamma /\ (0 <= d_minus /\ 0 <= d_plus) /\ qmin <= 1 /\
  (forall i, (i < N)%nat -> 0 <= quality i <= 1 /\ 0 <= cost i <= cmax) /\
  ((best < N)%nat /\ qmin <= quality best /\
   forall j, (j < N)%nat -> qmin <= quality j -> j <> best -> cost best < cost j).
(* E, for the estimates that bids rest on: with truthful bids these are the sample means *)
Definition good_event : Prop :=
  (forall i n, (i < N)%nat -> (1 <= n)%nat -> Rabs (quality_estimate i n - quality i) <= bt N delta n) /\
  (forall i n, (i < N)%nat -> (1 <= n)%nat -> Rabs (cost_estimate i n - cost i) <= rad N delta cmax gamma n).
(* Assumption on bids: in [0, cmax], and near the estimate of the cost *)
Definition bids_follow : Prop := forall h i, run h -> (i < N)%nat ->
  - d_minus <= bid h i - cost_estimate i (m h i) <= d_plus /\ 0 <= bid h i <= cmax.
Definition never_falls : Prop := forall s t, (1 <= s)%nat -> (s <= t)%nat -> g s <= g t.
(* the qualified providers, and the second-lowest mean cost among them *)
Definition second_lowest (c2 : R) : Prop := exists Q, (forall j, In j Q <-> (j < N)%nat /\ qmin <= quality j) /\
  minl cost (filter (fun j => negb (Nat.eqb j best)) Q) = Some c2.
Definition separated : Prop := forall i, (i < N)%nat -> qmin <= quality i -> i <> best -> d_minus + d_plus < gap i.

Ltac opened := repeat match goal with
  | H : market |- _ => destruct H as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest)
  | H : good_event |- _ => destruct H as (Hquality & Hcost)
  end.

Lemma quality_range : market -> forall i, (i < N)%nat -> 0 <= quality i <= 1.
Proof. intros H i Hi. opened. apply Hrange; auto. Qed.
Lemma cost_range : market -> forall i, (i < N)%nat -> 0 <= cost i <= cmax.
Proof. intros H i Hi. opened. apply Hrange; auto. Qed.
Lemma bids_are_near : bids_follow -> forall h i, run h -> (i < N)%nat -> - d_minus <= bid h i - cost_estimate i (m h i) <= d_plus.
Proof. intros H h i Hr Hi. apply (H h i Hr Hi). Qed.
Lemma bids_in_range : bids_follow -> forall h i, run h -> (i < N)%nat -> 0 <= bid h i <= cmax.
Proof. intros H h i Hr Hi. apply (H h i Hr Hi). Qed.
(* On the good event every qualified provider is eligible after every history. *)
Theorem lem_qualified_eligibility h i :
  market -> good_event -> (i < N)%nat -> qmin <= quality i -> In i (eligible_set h).
Proof. intros. opened. eapply eligible; eauto. Qed.
(* A run explores a provider at most ceil(g(T)) - 1 times, and all of them N times as often. *)
Theorem lem_forced_exploration_bound h i :
  never_falls -> run h -> 0 < g (N + length h) ->
  INR (explorations N delta qmin quality_estimate g h i) <= ceiling (g (N + length h)) - 1 /\
  total (fun t _ => explored N delta qmin quality_estimate g t) h <= INR N * (ceiling (g (N + length h)) - 1).
Proof. intros Hg Hr Hp. split; [eapply explorations_bound; eauto|eapply explored_bound; eauto]. Qed.
(* its first inequality: whom a run explores at t has fewer selections than g(t), and so than g(T) *)
Lemma explored_below_target h later i t :
  never_falls -> run h -> h = later ++ i :: t -> explores t -> INR (m t i) < g (now N t) <= g (N + length h).
Proof.
  intros Hg Hr E Hx. assert (Hs : step t i).
  { revert h Hr E. induction later as [|j later IH]; intros h Hr E; subst h; inversion Hr; subst; [assumption|]. eapply IH; eauto. }
  split; [|apply Hg; unfold now; [lia|subst h; rewrite app_length; simpl; lia]].
  destruct Hs as [(_ & _ & H)|[[H _]|[H _]]]; [exact H| |contradiction].
  destruct Hx as (j & Hj & _). rewrite H in Hj. destruct Hj.
Qed.
(* On the good event an adjusted bid lies between the mean cost minus two radii and d_-, and the mean cost plus d_+.
   *)
Theorem lem_adjusted_bid_bounds h i :
  good_event -> bids_follow -> run h -> (i < N)%nat ->
  cost i - 2 * cost_radius h i - d_minus <= bid h i - cost_radius h i <= cost i + d_plus.
Proof.
  intros He Hb Hr Hi. opened. pose proof (Hcost i (m h i) Hi ltac:(unfold m; lia)) as H. apply Rabs_le_inv in H.
  pose proof (bids_are_near Hb h i Hr Hi). lra.
Qed.
(* On the good event whoever wins an auction costs at most two of its radii, d_- and d_+ more than the best. *)
Theorem lem_ordinary_selection_gap h i :
  market -> good_event -> bids_follow -> run h -> step h i -> ~ explores h ->
  gap i <= 2 * cost_radius h i + d_minus + d_plus.
Proof. intros Hm He Hb Hr Hs Hn. pose proof (bids_are_near Hb). opened. eapply ordinary_gap; eauto. Qed.
(* On the good event whoever costs more than d_- + d_+ above the best wins auctions only while its count is at most L_i. *)
Theorem lem_ordinary_selection_threshold h i :
  market -> good_event -> bids_follow -> run h -> step h i -> ~ explores h -> d_minus + d_plus < gap i ->
  INR (m h i) <= L i.
Proof. intros Hm He Hb Hr Hs Hn Hg. pose proof (bids_are_near Hb). opened. eapply ordinary_threshold; eauto. Qed.
(* On the good event an unqualified provider is eligible only while its count is at most M_i. *)
Theorem lem_unqualified_exclusion h i :
  market -> good_event -> (i < N)%nat -> quality i < qmin -> In i (eligible_set h) -> INR (m h i) <= M (qmin - quality i).
Proof. intros. opened. eapply unqualified_exclusion; eauto. Qed.
(* On the good event a run selects an unqualified provider at most M_i times after initialization. *)
Theorem lem_unqualified_elimination h i :
  market -> good_event -> run h -> (i < N)%nat -> quality i < qmin -> INR (times h i) <= M (qmin - quality i).
Proof. intros Hm. pose proof (quality_range Hm). intros. opened. eapply unqualified_count; eauto. Qed.
(* On the good event a run selects it at most max{L_i, ceil(g(T)) - 1} times after initialization. *)
Theorem lem_qualified_suboptimal_selection h i :
  market -> good_event -> bids_follow -> never_falls -> run h -> 0 < g (N + length h) -> (i < N)%nat ->
  d_minus + d_plus < gap i -> INR (times h i) <= Rmax (L i) (ceiling (g (N + length h)) - 1).
Proof. intros Hm He Hb. pose proof (bids_are_near Hb). intros. opened. eapply qualified_suboptimal; eauto. Qed.

Lemma counts_grow later h j : INR (Runs.m h j) <= INR (Runs.m (later ++ h) j).
Proof. apply le_INR. unfold Runs.m, times. rewrite count_occ_app. lia. Qed.
(* On the good event, where every count is above its bound, an auction goes to the best provider. *)
Theorem cor_eventual_ordinary_optimality h i :
  market -> good_event -> bids_follow -> separated -> run h -> step h i -> ~ explores h ->
  (forall j, (j < N)%nat -> quality j < qmin -> M (qmin - quality j) < INR (m h j)) ->
  (forall j, (j < N)%nat -> qmin <= quality j -> j <> best -> L j < INR (m h j)) -> i = best.
Proof.
  intros Hm He Hb Hsep Hr Hs Hn Hu Hl. pose proof (bids_are_near Hb). opened. eapply eventual_optimality; eauto.
Qed.
(* What is at most kappa radii at every step sums to at most kappa times the bound over any run. *)
Theorem lem_radius_sum h (kappa : R) (value : list nat -> nat -> R) :
  (1 <= N)%nat -> 0 < delta < 1 -> 0 <= kappa -> run h ->
  (forall t s, run t -> step t s -> 0 <= value t s <= kappa * radius delta (INR (m t s)) (INR N)) ->
  total value h <= kappa * radius_sum_bound delta (horizon h) (INR N).
Proof.
  intros HN Hd Hk Hr Hv. apply Rle_trans with (total (fun t s => kappa * bt N delta (m t s)) h).
  - eapply total_along; [exact Hr|apply le_n|]. intros t s Ht Hs _. destruct (Hv t s Ht Hs) as [_ H].
    rewrite radius_is_beta in H; auto; [apply (le_INR 1); auto|]. apply (le_INR 1). unfold m. lia.
  - rewrite total_scal. apply Rmult_le_compat_l; [assumption|]. eapply radius_total; eauto.
Qed.

(* regret of quality and of cost over all steps, initialization included: Runs.v *)
Theorem thm_quality_guarantee h :
  market -> good_event -> run h ->
  let regret := run_quality_regret N qmin quality h in
  regret <= INR N + 2 * radius_sum_bound delta (horizon h) (INR N) /\
  regret <= total_over (unqualified N qmin quality) (fun i => (qmin - quality i) * (1 + M (qmin - quality i))) /\
  unqualified_steps N qmin quality h <= total_over (unqualified N qmin quality) (fun i => 1 + M (qmin - quality i)).
Proof.
  intros Hm He Hr. pose proof (quality_range Hm). opened. cbv zeta.
  split; [eapply quality_anytime; eauto|split; [eapply quality_by_gap; eauto|eapply unqualified_steps_bound; eauto]].
Qed.
(* On the good event a run has at most N - 1 and the sum of the caps of non-optimal steps. *)
Theorem thm_sample_complexity_on_good_event h :
  market -> good_event -> bids_follow -> never_falls -> separated -> run h -> 0 < g (N + length h) ->
  nonoptimal_steps N best h <= INR N - 1 +
    (total_over (competitors N qmin quality best) (fun i => Rmax (L i) (ceiling (g (N + length h)) - 1))
     + total_over (unqualified N qmin quality) (fun i => M (qmin - quality i))).
Proof.
  intros Hm He Hb. pose proof (bids_are_near Hb). pose proof (quality_range Hm). intros. opened.
  eapply identification; eauto.
Qed.
(* On the good event the generation regret of every run with bounded deviations is within both bounds. *)
Theorem thm_generation_regret h :
  market -> good_event -> bids_follow -> never_falls -> run h -> 0 < g (N + length h) ->
  let regret := run_generation_regret N cost best h in
  regret <= (INR N - 1) * ceiling (g (N + length h)) * cmax
    + 2 * ((1 + gamma) * cmax) * radius_sum_bound delta (horizon h) (INR N) + (d_minus + d_plus) * INR (length h) /\
  (separated -> regret <=
    total_over (competitors N qmin quality best) (fun i => gap i * (1 + Rmax (L i) (ceiling (g (N + length h)) - 1)))
    + total_over (unqualified N qmin quality) (fun i => (1 + M (qmin - quality i)) * Rmax 0 (gap i))).
Proof.
  intros Hm He Hb. pose proof (bids_are_near Hb). pose proof (quality_range Hm). pose proof (cost_range Hm). intros. cbv zeta. opened.
  split; [eapply generation_anytime; eauto|intros; eapply generation_by_gap; eauto].
Qed.

(* what is paid, c2 being the second-lowest qualified cost *)
Theorem lem_payment_range h i c2 :
  market -> good_event -> bids_follow -> second_lowest c2 -> run h -> step h i ->
  0 <= payment h i <= cmax /\ Rabs (payment h i - c2) <= cmax.
Proof.
  intros Hm He Hb (Q & HQ & H2) Hr Hs. pose proof (bids_are_near Hb). pose proof (bids_in_range Hb). pose proof (cost_range Hm). opened.
  assert (0 <= payment h i <= cmax) by (eapply payment_range_run; eauto).
  assert (0 <= c2 <= cmax) by (eapply c2_range; eauto). split; [assumption|]. apply Rabs_le. lra.
Qed.
(* On the good event an auction pays at most c_max, and at most the second-lowest cost, a radius and d_+. *)
Theorem lem_ordinary_payment h i c2 :
  market -> good_event -> bids_follow -> second_lowest c2 -> run h -> step h i -> ~ explores h ->
  payment h i <= Rmin cmax (c2 + cost_radius h i + d_plus).
Proof.
  intros Hm He Hb (Q & HQ & H2) Hr Hs Hn. pose proof (bids_are_near Hb). pose proof (cost_range Hm). opened.
  eapply ordinary_payment_run; eauto.
Qed.
(* On the good event the excess payment of every run is within the bound, for every target that does not fall. *)
Theorem thm_excess_payment_general h c2 :
  market -> good_event -> bids_follow -> second_lowest c2 -> never_falls -> run h -> 0 < g (N + length h) ->
  run_excess_payment N delta cmax qmin gamma quality_estimate bid g c2 h <=
    (INR N + INR N * (ceiling (g (N + length h)) - 1)) * (cmax - c2)
    + (1 + gamma) * cmax * radius_sum_bound delta (horizon h) (INR N) + d_plus * INR (length h).
Proof.
  intros Hm He Hb (Q & HQ & H2) Hg Hr Hp. pose proof (bids_are_near Hb). pose proof (cost_range Hm). pose proof (quality_range Hm). opened.
  eapply excess_bound; eauto.
Qed.
(* On the good event the excess payment of initialization and auctions alone is within the bound without its exploration term. *)
Theorem excess_payment_of_auctions_alone h c2 : market -> good_event -> bids_follow -> second_lowest c2 -> run h ->
  run_excess_without_exploration N delta cmax qmin gamma quality_estimate bid g c2 h <=
    INR N * (cmax - c2) + (1 + gamma) * cmax * radius_sum_bound delta (horizon h) (INR N) + d_plus * INR (length h).
Proof.
  intros Hm He Hb (Q & HQ & H2) Hr. pose proof (bids_are_near Hb). pose proof (cost_range Hm). pose proof (quality_range Hm). opened.
  eapply excess_bound_without_exploration; eauto.
Qed.
(* The three bounds on selections with bounded deviations, at once. *)
Theorem prop_deviation_selection h :
  market -> good_event -> bids_follow -> never_falls -> run h -> 0 < g (N + length h) ->
  (forall i, step h i -> ~ explores h -> gap i <= 2 * cost_radius h i + d_minus + d_plus) /\
  (forall i, (i < N)%nat -> d_minus + d_plus < gap i ->
    INR (times h i) <= Rmax (L i) (ceiling (g (N + length h)) - 1)) /\
  (separated -> nonoptimal_steps N best h <= INR N - 1 +
    (total_over (competitors N qmin quality best) (fun i => Rmax (L i) (ceiling (g (N + length h)) - 1))
     + total_over (unqualified N qmin quality) (fun i => M (qmin - quality i)))).
Proof.
  intros Hm He Hb Hg Hr Hp. split; [|split].
  - intros. apply lem_ordinary_selection_gap; auto.
  - intros. apply lem_qualified_suboptimal_selection; auto.
  - intros. apply thm_sample_complexity_on_good_event; auto.
Qed.
End Statements.

(* ---- convergence of payments under g(t) = k (t/N)^alpha *)
Section Convergence.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus k alpha : R) (quality cost : nat -> R) (best : nat).
Variables (quality_estimate cost_estimate : nat -> nat -> R) (bid : list nat -> nat -> R) (Mbar c2 : R).
Notation g := (target N k alpha).
Notation run := (run N delta cmax qmin gamma quality_estimate bid g).
Notation step := (step N delta cmax qmin gamma quality_estimate bid g).
Notation eligible_set := (Qh N delta qmin quality_estimate).
Notation explores := (explores N delta qmin quality_estimate g).
Notation payment := (payment N delta cmax qmin gamma quality_estimate bid g).
Notation T0 := (Payments.T0 N k alpha Mbar).
Notation radius_at t := ((1 + gamma) * cmax * beta (INR N) delta (g t)).

Definition converging : Prop :=
  market N delta cmax qmin gamma d_minus d_plus quality cost best /\
  good_event N delta cmax gamma quality cost quality_estimate cost_estimate /\
  bids_follow N delta cmax qmin gamma d_minus d_plus quality_estimate cost_estimate bid g /\
  second_lowest N qmin quality cost best c2 /\ 0 < k /\ 0 < alpha < 1 /\
  (* Mbar: the largest elimination bound, 1 at least *)
  1 <= Mbar /\ (forall i, (i < N)%nat -> quality i < qmin -> Runs.M N delta (qmin - quality i) <= Mbar).

Ltac converge H := destruct H as (Hm & He & Hb & (Q & HQ & H2) & Hk & Ha & HM);
  pose proof (bids_are_near _ _ _ _ _ _ _ _ _ _ _ Hb); pose proof (bids_in_range _ _ _ _ _ _ _ _ _ _ _ Hb);
  pose proof (cost_range _ _ _ _ _ _ _ _ _ _ Hm);
  destruct Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest); destruct He as (Hquality & Hcost).
(* At an auction after T_0 every eligible provider has g(t) selections, and the eligible are the qualified. *)
Theorem lem_ordinary_qualified_set h :
  converging -> ~ explores h -> T0 < INR (now N h) ->
  (forall j, In j (eligible_set h) -> g (now N h) <= INR (m h j)) /\
  (forall j, In j (eligible_set h) <-> (j < N)%nat /\ qmin <= quality j).
Proof.
  intros H Hn Ht. converge H.
  assert (E : (forall j, In j (eligible_set h) -> g (now N h) <= INR (m h j)) /\ (forall j, In j (eligible_set h) <-> In j Q))
    by (eapply ordinary_set; eauto).
  destruct E as [E1 E2]. split; [exact E1|]. intros j. rewrite E2. apply HQ.
Qed.

(* the paper has 3 radii below; 2 are enough *)
Theorem lem_two_sided_payment h i :
  converging -> run h -> step h i -> ~ explores h -> T0 < INR (now N h) ->
  c2 - 2 * radius_at (now N h) - d_minus <= payment h i <= c2 + radius_at (now N h) + d_plus /\
  c2 - 3 * radius_at (now N h) - d_minus <= payment h i.
Proof.
  intros H Hr Hs Hn Ht. converge H.
  assert (E : c2 - 2 * radius_at (now N h) - d_minus <= payment h i <= c2 + radius_at (now N h) + d_plus)
    by (eapply (ordinary_two_sided N delta cmax qmin gamma d_minus d_plus k alpha); eauto).
  assert (0 <= radius_at (now N h)) by (apply Rmult_le_pos; [nra|apply sqrt_pos]). split; [exact E|lra].
Qed.
(* With bounded deviations an auction pays at most the second-lowest cost, a radius and d_+, and after T_0 at least it less
   two radii and d_-. *)
Theorem lem_deviation_payment h i :
  converging -> run h -> step h i -> ~ explores h ->
  payment h i <= Rmin cmax (c2 + rad N delta cmax gamma (m h i) + d_plus) /\
  (T0 < INR (now N h) -> c2 - 2 * radius_at (now N h) - d_minus <= payment h i).
Proof.
  intros H Hr Hs Hn. split.
  - destruct H as (Hm & He & Hb & H2 & _). eapply lem_ordinary_payment; eauto.
  - intros Ht. apply lem_two_sided_payment; auto.
Qed.

(* the sum of |payment - c2| over all T steps; divided by T it is the average of the paper, with 4 where the paper has 6 *)
Theorem thm_payment_convergence h :
  converging -> run h ->
  let T := (N + length h)%nat in
  run_deviation N delta cmax qmin gamma k alpha quality_estimate bid c2 h <=
    T0 * cmax + INR N * (ceiling (g T) - 1) * (cmax - c2)
    + 4 * ((1 + gamma) * cmax) / (2 - alpha) * (Wc N delta k alpha T * Rpower (INR T) (1 - alpha / 2))
    + Rmax d_minus d_plus * INR (length h).
Proof. intros H Hr. converge H. eapply deviation_bound; eauto. Qed.
End Convergence.
