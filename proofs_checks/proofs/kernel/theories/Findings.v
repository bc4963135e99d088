(* Wordings of the paper, and tempting readings of it, that are false or say nothing: docs/findings.md has each in words. *)
Require Import Reals Lra Lia List Arith Psatz.
From Coquelicot Require Import Rbar Lub.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements Game Instances.
Import ListNotations.
Open Scope R_scope.

(* ---- the game of two providers of Instances.v: an auction at step 3, exploration at step 4 *)
Section TwoProviders.
Variables (delta : R) (p : platform).
Hypothesis Hp : obeys_rules 2 delta 1 0 0 slow_target p.
Notation may_serve := (may_serve 2 delta 1 0 0 slow_target).
Notation paid := (paid 2 delta 1 0 0 slow_target).
Notation utility := (utility 2 delta 1 0 0 slow_target).

(* thm:robust-dominant:best-reply. Truthful bids are not a best reply to known rivals at a known horizon: with costs 1/4
   and 1/2, the cheaper gains 1/4 from two steps, and 3/4 by a bid that loses the first and is explored at the second. *)
Definition best_reply_at_known_horizon : Prop := forall own rivals i H theta T sigma,
  any_game 2 delta 1 0 0 slow_target p own rivals i H -> environment 1 i own theta -> (at_step 2 H <= T)%nat -> bids_in_range 1 sigma ->
  utility mean_cost p theta (playing i sigma rivals) i H T <= utility mean_cost p theta (playing i (truthful mean_cost) rivals) i H T.
(* The reading is false: of two providers with costs 1/4 and 1/2 the cheaper gains 1/4 in two steps by truthful bids,
   and 3/4 by a bid that loses the first and is explored at the second. *)
Theorem best_reply_at_known_horizon_is_false : ~ best_reply_at_known_horizon.
Proof.
  intros Hbest. assert (Hq : 0 <= 1 / 4 <= 1) by lra. assert (Hh : 0 <= 1 / 2 <= 1) by lra.
  set (start := costs_once (1 / 4) (1 / 2)). set (theta := same_costs (1 / 4) (1 / 2)).
  set (rivals := fun _ : nat => truthful mean_cost). set (high := (fun _ _ => 3 / 4) : strategy).
  assert (Hgame : any_game 2 delta 1 0 0 slow_target p (theta 0%nat) rivals 0 start).
  { split; [exact Hp|]. split; [apply same_costs_law; lra|]. split; [lia|].
    split; [apply start_possible; lra|]. intros j _ _. apply truthful_range, mean_cost_in_range. }
  assert (Henv : environment 1 0 (theta 0%nat) theta) by (split; [intros j; apply same_costs_law; lra|reflexivity]).
  assert (Hhigh : bids_in_range 1 high) by (intros t own _ _; unfold high; lra).
  assert (Hnow : (at_step 2 start <= 4)%nat) by (unfold at_step, now; simpl; lia).
  specialize (Hbest (theta 0%nat) rivals 0%nat start theta 4%nat high Hgame Henv Hnow Hhigh).
  assert (Hown : average cost (own_history 0 start) = 1 / 4 /\ average cost (own_history 1 start) = 1 / 2)
    by (unfold own_history, average; simpl; split; field).
  destruct Hown as [Hown Hrival].
  unfold theta, start in Hbest. rewrite (two_steps delta p Hp (1 / 4) (1 / 2) Hq Hh _ _ 0 1) in Hbest; [|lia|].
  2:{ intros k Hk. apply start_serves in Hk; try lra. destruct Hk as (Hk & H0 & H1). destruct k as [|[|k]]; [|reflexivity|lia].
      exfalso. unfold bids_at, playing, rivals, high, truthful, mean_cost in H1. simpl in H1. fold start in H1.
      rewrite Hrival in H1. lra. }
  rewrite (two_steps delta p Hp (1 / 4) (1 / 2) Hq Hh _ _ 0 0) in Hbest; [|lia|].
  2:{ intros k Hk. apply start_serves in Hk; try lra. destruct Hk as (Hk & H0 & H1). destruct k as [|[|k]]; [reflexivity| |lia].
      exfalso. unfold bids_at, playing, rivals, truthful, mean_cost in H0. simpl in H0. fold start in H0.
      rewrite Hown, Hrival in H0. lra. }
  unfold net_payment in Hbest. simpl Nat.sub in Hbest. simpl Nat.eq_dec in Hbest. cbv iota in Hbest.
  assert (Ho : possible 1 (initial start 1)) by (split; simpl; lra).
  rewrite (paid_without_auction _ _ _ _ _ _ _ _ _ (next_no_auction delta (1 / 4) (1 / 2) Hq Hh 1 _ ltac:(lia) Ho)) in Hbest.
  rewrite (start_pays delta (1 / 4) (1 / 2) Hq Hh) in Hbest. unfold bids_at at 1, playing, rivals, truthful, mean_cost in Hbest. simpl Nat.eq_dec in Hbest. cbv iota in Hbest.
  fold start in Hbest. destruct (Nat.eq_dec 1 0); [discriminate|]. rewrite Hown, Hrival in Hbest. rewrite Rmin_left in Hbest by lra.
  assert (E : average cost (own_history 0 (after start 1 (initial start 1))) = 1 / 4) by (unfold own_history, average; simpl; field).
  rewrite E in Hbest. lra.
Qed.

(* thm:robust-dominant:no-loss-in-mean. Truthful bids may lose against the mean cost, which they do not know: a provider
   whose cost is 0 or 1, each half of the time, was lucky once, bids 0, and is paid 1/4. *)
Definition no_loss_in_mean : Prop := forall own rivals i H theta T,
  any_game 2 delta 1 0 0 slow_target p own rivals i H -> environment 1 i own theta -> (at_step 2 H <= T)%nat ->
  0 <= utility (fun _ => own cost) p theta (playing i (truthful mean_cost) rivals) i H T.
(* The reading is false: a provider whose cost is 0 or 1, each half of the time, and was 0 once, bids 0, is paid 1/4
   and loses 1/4 in the mean. *)
Theorem no_loss_in_mean_is_false : ~ no_loss_in_mean.
Proof.
  intros Hclaim. set (coin := fun f : observation -> R => average f [{| cost := 0; score := 1 |}; {| cost := 1; score := 1 |}]).
  set (start := costs_once 0 (1 / 4)). set (rivals := fun _ : nat => truthful mean_cost).
  assert (Hq : 0 <= 0 <= 1) by lra. assert (Hh : 0 <= 1 / 4 <= 1) by lra.
  assert (Hcoin : law 1 coin) by (apply a_coin; split; simpl; lra).
  assert (Hgame : any_game 2 delta 1 0 0 slow_target p coin rivals 0 start).
  { split; [exact Hp|]. split; [exact Hcoin|]. split; [lia|].
    split; [apply start_possible; lra|]. intros j _ _. apply truthful_range, mean_cost_in_range. }
  assert (Henv : environment 1 0 coin (fun _ => coin)) by (split; [intros; exact Hcoin|reflexivity]).
  specialize (Hclaim coin rivals 0%nat start (fun _ => coin) 3%nat Hgame Henv ltac:(unfold at_step, now; simpl; lia)).
  change 3%nat with (at_step 2 start) in Hclaim.
  rewrite (utility_now 2 delta 1 0 0 slow_target) in Hclaim by (auto; intros; exact Hcoin).
  assert (Hown : average cost (own_history 0 start) = 0 /\ average cost (own_history 1 start) = 1 / 4)
    by (unfold own_history, average; simpl; split; field).
  destruct Hown as [Hown Hrival].
  rewrite (allocate_only delta p Hp _ _ 0) in Hclaim.
  2:{ intros k Hk. apply start_serves in Hk; try lra. destruct Hk as (Hk & H0 & H1). destruct k as [|[|k]]; [reflexivity| |lia].
      exfalso. unfold bids_at, playing, rivals, truthful, mean_cost in H0. simpl in H0. fold start in H0.
      rewrite Hown, Hrival in H0. lra. }
  unfold net_payment in Hclaim. simpl Nat.eq_dec in Hclaim. cbv iota in Hclaim. unfold start in Hclaim at 1.
  rewrite (start_pays delta 0 (1 / 4) Hq Hh) in Hclaim. unfold bids_at, playing, rivals, truthful, mean_cost in Hclaim.
  destruct (Nat.eq_dec 1 0); [discriminate|]. fold start in Hclaim. rewrite Hrival, Rmin_left in Hclaim by lra.
  unfold coin, average in Hclaim. simpl in Hclaim. lra.
Qed.

(* thm:robust-dominant:strict-at-ties. Where estimate and critical payment are both 1/2, a higher bid loses the query, and
   its worst case is the same: 0. *)
Definition changes_assignment rivals i H sigma : Prop :=
  may_serve H (bids_at 2 (playing i (truthful mean_cost) rivals) H) i /\ ~ may_serve H (bids_at 2 (playing i sigma rivals) H) i.
Definition strict_wherever_assignment_changes : Prop := forall own rivals i H sigma,
  any_game 2 delta 1 0 0 slow_target p own rivals i H -> bids_in_range 1 sigma ->
  ~ explores_at 2 delta 0 slow_target H -> In i (eligible_set 2 delta 0 H) -> changes_assignment rivals i H sigma ->
  Rbar_lt (worst_case 2 delta 1 0 0 slow_target mean_cost p own rivals i H sigma)
    (worst_case 2 delta 1 0 0 slow_target mean_cost p own rivals i H (truthful mean_cost)).
(* The wording is false: where estimate and critical payment are 1/2, a bid of 3/4 loses the query, and both worst
   cases are 0. *)
Theorem strict_wherever_assignment_changes_is_false : ~ strict_wherever_assignment_changes.
Proof.
  intros Hclaim. set (start := costs_once (1 / 2) (1 / 2)). set (theta := same_costs (1 / 2) (1 / 2)).
  set (rivals := fun _ : nat => truthful mean_cost). set (higher := (fun _ own => Rmax (3 / 4) (mean_cost own)) : strategy).
  assert (Hq : 0 <= 1 / 2 <= 1) by lra.
  assert (Htrue : bids_in_range 1 (truthful mean_cost)) by (apply truthful_range, mean_cost_in_range).
  assert (Hrivals : forall j, (j < 2)%nat -> j <> 0%nat -> bids_in_range 1 (rivals j)) by (intros; exact Htrue).
  assert (Hhigher : bids_in_range 1 higher).
  { intros t own Hne Ho. pose proof (Htrue t own Hne Ho) as Hm. unfold truthful in Hm. unfold higher.
    split; [eapply Rle_trans; [|apply Rmax_l]; lra|apply Rmax_lub; lra]. }
  assert (Hpossible : possible_history 2 1 start) by (apply start_possible; lra).
  assert (Hgame : any_game 2 delta 1 0 0 slow_target p (theta 0%nat) rivals 0 start)
    by (split; [exact Hp|split; [apply same_costs_law; lra|split; [lia|split; [exact Hpossible|exact Hrivals]]]]).
  assert (Henv : environment 1 0 (theta 0%nat) theta) by (split; [intros j; apply same_costs_law; lra|reflexivity]).
  assert (Hauction : auction_at 2 delta 0 slow_target start) by (apply start_auction; lra).
  assert (Hown : forall j, average cost (own_history j start) = 1 / 2)
    by (intros j; unfold own_history, average; destruct j; simpl; field).
  assert (Htruth_bids : forall j, bids_at 2 (playing 0 (truthful mean_cost) rivals) start j = 1 / 2).
  { intros j. unfold bids_at, playing, rivals, truthful, mean_cost. destruct (Nat.eq_dec j 0); apply Hown. }
  assert (Hhigher_bids : bids_at 2 (playing 0 higher rivals) start 0 = 3 / 4 /\ bids_at 2 (playing 0 higher rivals) start 1 = 1 / 2).
  { unfold bids_at, playing, rivals. destruct (Nat.eq_dec 0 0); [|contradiction]. destruct (Nat.eq_dec 1 0); [discriminate|].
    unfold higher, truthful, mean_cost. rewrite !Hown. split; [apply Rmax_left; lra|reflexivity]. }
  assert (Hloses : forall k, may_serve start (bids_at 2 (playing 0 higher rivals) start) k -> k = 1%nat).
  { intros k Hk. apply start_serves in Hk; try lra. destruct Hk as (Hk & _ & H1). destruct k as [|[|k]]; [|reflexivity|lia].
    exfalso. fold start in H1. lra. }
  assert (Hpays : forall profile, bids_at 2 profile start 1 = 1 / 2 -> paid start (bids_at 2 profile start) 0 = 1 / 2).
  { intros profile E. unfold start at 1. rewrite (start_pays delta (1 / 2) (1 / 2) Hq Hq), E. apply Rmin_left. lra. }
  specialize (Hclaim (theta 0%nat) rivals 0%nat start higher Hgame Hhigher (proj1 Hauction)
    ltac:(rewrite both_eligible by exact Hpossible; left; reflexivity)).
  rewrite (worst_case_of_truth 2 delta 1 0 0 slow_target ltac:(lra) mean_cost p (theta 0%nat) rivals 0 start theta) in Hclaim;
    [|split; [exact Hp|split; [apply mean_cost_in_range|apply Hgame]]|exact Henv].
  assert (Hbelow : Rbar_le 0 (worst_case 2 delta 1 0 0 slow_target mean_cost p (theta 0%nat) rivals 0 start higher)).
  { apply (proj2 (Glb_Rbar_correct _)). intros u (T & theta' & HT & [Ht _] & ->). simpl.
    apply utility_nonneg; auto using mean_cost_in_range, playing_range; [lra|].
    intros H j HH Hs. apply net_payment_nonneg; auto using playing_range.
    rewrite playing_own. apply Rmax_r. }
  assert (Hzero : utility mean_cost p theta (playing 0 (truthful mean_cost) rivals) 0 start (at_step 2 start) = 0).
  { rewrite (utility_now 2 delta 1 0 0 slow_target) by (auto; apply Henv).
    assert (E : 0 <= allocate 2 delta 0 slow_target p start (bids_at 2 (playing 0 (truthful mean_cost) rivals) start)
      (net_payment 2 delta 1 0 0 slow_target mean_cost (playing 0 (truthful mean_cost) rivals) 0 start) <= 0); [|lra].
    apply (over_between _ _ _ _ _ (Hp _ _)). intros j _. unfold net_payment. destruct (Nat.eq_dec j 0); [|lra].
    rewrite Hpays by apply Htruth_bids. unfold mean_cost. rewrite Hown. lra. }
  rewrite Hzero in Hclaim. refine (Rbar_lt_not_le _ _ (Hclaim _) Hbelow). split.
  - right. right. split; [apply Hauction|]. change (Qh 2 delta 0 (quality_estimate start) (served start)) with (eligible_set 2 delta 0 start).
    rewrite both_eligible by exact Hpossible. split; [left; reflexivity|]. intros j _. unfold adj, radii, m, times. rewrite !Htruth_bids. simpl. lra.
  - intros Hs. discriminate (Hloses 0%nat Hs).
Qed.
End TwoProviders.

Lemma ceiling_is x z : IZR z - 1 < x <= IZR z -> ceiling x = IZR z.
Proof.
  intros H. unfold ceiling, floor. destruct (base_Int_part (- x)) as [H1 H2]. set (n := Int_part (- x)) in *.
  assert (n = (- z)%Z) as ->; [|rewrite opp_IZR; lra]. apply Z.le_antisymm; apply Z.lt_succ_r, lt_IZR; rewrite succ_IZR, ?opp_IZR; lra.
Qed.
(* The wording is false: with g = -1/2 nobody is explored, and 0 is above the bound of -1, for any number of
   providers. *)
Theorem forced_exploration_bound_for_any_g_is_false N delta cmax qmin gamma quality_estimate bid i :
  ~ forall g h, never_falls g -> run N delta cmax qmin gamma quality_estimate bid g h ->
    INR (explorations N delta qmin quality_estimate g h i) <= ceiling (g (N + length h)%nat) - 1.
Proof.
  intros Hclaim. specialize (Hclaim (fun _ => - (1 / 2)) [] ltac:(intros ? ? _ _; lra) (run_nil _ _ _ _ _ _ _ _)).
  simpl in Hclaim. rewrite (ceiling_is _ 0) in Hclaim by lra. lra.
Qed.
(* The reading is false: for one provider and delta from 0.95 on, the radius at the count 21/20 is above that at 1. *)
Theorem radius_monotone_for_one_provider_is_false delta : 95 / 100 <= delta < 1 ->
  ~ forall count more, 1 <= count -> count <= more -> radius delta more 1 <= radius delta count 1.
Proof.
  intros Hd Hclaim. specialize (Hclaim 1 (21 / 20) ltac:(lra) ltac:(lra)). apply (Rle_not_lt _ _ Hclaim).
  rewrite !radius_is_beta by lra. unfold beta. pose proof pi_upper. pose proof pi_lower.
  set (c := 2 * PI ^ 2 * 1 * 1 ^ 2 / (3 * delta)).
  assert (Hc : 0 < c < (21 / 20) ^ 40).
  { unfold c. split; [apply Rdiv_lt_0_compat; nra|]. apply Rmult_lt_reg_r with (3 * delta); [lra|].
    unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. assert (PI ^ 2 < 9.87) by nra.
    assert (7 < (21 / 20) ^ 40) by lra. nra. }
  assert (Hc1 : 1 <= c) by (unfold c; pose proof (logarg_ge1 1 delta 1 ltac:(lra) ltac:(lra) ltac:(lra)); pose proof pi23_gt1; lra).
  assert (Hl0 : 0 <= ln c).
  { destruct Hc1 as [Hc1|<-]; [rewrite <- ln_1; apply Rlt_le, ln_increasing; lra|rewrite ln_1; lra]. }
  assert (Hl : ln c < 40 * ln (21 / 20)).
  { replace (40 * ln (21 / 20)) with (ln ((21 / 20) ^ 40)); [apply ln_increasing; lra|].
    rewrite ln_pow by lra. rewrite INR_IZR_INZ. simpl. lra. }
  replace (2 * PI ^ 2 * 1 * (21 / 20) ^ 2 / (3 * delta)) with (c * (21 / 20 * (21 / 20))) by (unfold c; field; lra).
  rewrite !ln_mult by lra. apply sqrt_lt_1_alt. split; [|lra].
  apply Rmult_le_pos; lra.
Qed.

(* ---- lem:payment-range:under-deviations. Near the estimates alone, bids may be negative, and so may payments. *)
Definition payment_range_under_deviations N delta cmax qmin gamma d_minus d_plus : Prop :=
  forall quality cost best quality_estimate cost_estimate bid g c2 h i,
  market N delta cmax qmin gamma d_minus d_plus quality cost best ->
  Statements.good_event N delta cmax gamma quality cost quality_estimate cost_estimate ->
  (forall h j, run N delta cmax qmin gamma quality_estimate bid g h -> (j < N)%nat ->
    - d_minus <= bid h j - cost_estimate j (m h j) <= d_plus) ->
  second_lowest N qmin quality cost best c2 ->
  run N delta cmax qmin gamma quality_estimate bid g h -> step N delta cmax qmin gamma quality_estimate bid g h i ->
  0 <= payment N delta cmax qmin gamma quality_estimate bid g h i.
(* The reading is false: with bids half below estimates of 0 and 1/4 the winner is paid -1/4. *)
Theorem payment_range_under_deviations_is_false delta : 0 < delta < 1 -> ~ payment_range_under_deviations 2 delta 1 0 0 (1 / 2) 0.
Proof.
  intros Hd Hclaim. set (costs := fun i : nat => match i with O => 0 | _ => 1 / 4 end).
  set (bids := fun (_ : list nat) (i : nat) => costs i - 1 / 2).
  assert (Hcosts : forall i, costs i = 0 \/ costs i = 1 / 4) by (intros [|i]; auto).
  assert (Hq : Qh 2 delta 0 (the_estimates the_quality) [] = [0; 1]%nat).
  { unfold Qh. simpl seq. simpl filter.
    assert (E : forall i, inQh 2 delta 0 (the_estimates the_quality) [] i = true); [|rewrite !E; reflexivity].
    intros i. unfold inQh. destruct (Rle_dec _ _) as [|Hn]; [reflexivity|]. exfalso. apply Hn.
    unfold the_estimates, the_quality, bt, beta. match goal with |- _ <= _ + sqrt ?x => pose proof (sqrt_pos x) end. lra. }
  assert (Hn : ~ explores 2 delta 0 (the_estimates the_quality) (fun _ => 0) []).
  { intros (j & _ & Hm). pose proof (pos_INR (m [] j)). lra. }
  specialize (Hclaim the_quality costs 0%nat (the_estimates the_quality) (the_estimates costs) bids (fun _ => 0) (1 / 4) [] 0%nat).
  apply (Rlt_not_le 0 (payment 2 delta 1 0 0 (the_estimates the_quality) bids (fun _ => 0) [] 0)).
  - unfold payment. destruct (explores_dec _ _ _ _ _ _) as [He|_]; [contradiction|]. rewrite Hq.
    unfold pay, crit, others, adj, radii, m, times, bids, costs. simpl.
    eapply Rle_lt_trans; [apply Rmin_l|]. lra.
  - apply Hclaim.
    + unfold market, the_quality. repeat split; try lra; try lia; try (destruct (Hcosts i); lra).
      intros j Hj _ Hne. destruct j as [|j]; [contradiction|]. simpl. lra.
    + split; intros i n _ _; unfold the_estimates; rewrite Rminus_eq_0, Rabs_R0; [apply sqrt_pos|].
      unfold rad. apply Rmult_le_pos; [lra|apply sqrt_pos].
    + intros h j _ _. unfold bids, the_estimates. lra.
    + exists [0; 1]%nat. split; [|reflexivity]. intros j. unfold the_quality. simpl. split; [intros; split; [lia|lra]|lia].
    + constructor.
    + right. right. split; [exact Hn|]. rewrite Hq. split; [left; reflexivity|]. intros j _. unfold adj, radii, m, times, bids.
      simpl. destruct (Hcosts j) as [E|E]; rewrite E; lra.
Qed.

(* ---- cor:eventual-ordinary-optimality. As worded it waits until m > M_i for every unqualified i: on the good event no
   unqualified provider reaches that, in any run. *)
Section Eventually.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus : R) (quality cost : nat -> R) (best : nat).
Variables (quality_estimate cost_estimate : nat -> nat -> R) (bid : list nat -> nat -> R) (g : nat -> R).
Notation market := (market N delta cmax qmin gamma d_minus d_plus quality cost best).
Notation good_event := (Statements.good_event N delta cmax gamma quality cost quality_estimate cost_estimate).
Notation bids_follow := (bids_follow N delta cmax qmin gamma d_minus d_plus quality_estimate cost_estimate bid g).
Notation run := (run N delta cmax qmin gamma quality_estimate bid g).
Notation step := (step N delta cmax qmin gamma quality_estimate bid g).
Notation explores := (explores N delta qmin quality_estimate g).
Notation eligible_set := (Qh N delta qmin quality_estimate).
Notation M := (Runs.M N delta).
Notation L := (Runs.L N delta cmax gamma d_minus d_plus cost best).

Lemma M_above_strict n x : (1 <= N)%nat -> 0 < delta < 1 -> (1 <= n)%nat -> 0 < x -> x <= 2 * bt N delta n -> INR (S n) <= M x.
Proof.
  intros HN Hd Hn Hx H. unfold Runs.M, selection_bound.
  assert (Hlt : INR n < 4 * / x ^ 2 * ln (57 * INR N * / delta * / x ^ 4)).
  { pose proof (radius_inversion_strict (INR N) delta x (INR n) (le_INR 1 N HN) Hd Hx (le_INR 1 n Hn) H) as Hs.
    replace (57 * INR N * / delta * / x ^ 4) with (57 * INR N / (delta * x ^ 4)) by (field; split; lra). exact Hs. }
  apply below_ceiling in Hlt. rewrite S_INR. lra.
Qed.
Lemma M_at_least_1 x : (1 <= N)%nat -> 0 < delta < 1 -> 0 < x <= 1 -> 1 <= M x.
Proof.
  intros HN Hd [Hx Hx1]. unfold Runs.M, selection_bound.
  assert (Hlt : INR 0 < 4 * / x ^ 2 * ln (57 * INR N * / delta * / x ^ 4)).
  { assert (0 < x ^ 2) by (apply pow_lt; auto). assert (0 < x ^ 4) by (apply pow_lt; auto).
    assert (x ^ 4 <= 1) by (rewrite <- (pow1 4); apply pow_incr; lra). pose proof (le_INR 1 N HN) as HN1. simpl in HN1.
    assert (1 <= / delta) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
    assert (1 <= / x ^ 4) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
    assert (57 <= 57 * INR N * / delta) by nra. simpl INR.
    apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; [lra|apply Rinv_0_lt_compat; auto]|].
    rewrite <- ln_1. apply ln_increasing; nra. }
  apply below_ceiling in Hlt. change (INR 0) with 0 in Hlt. lra.
Qed.
(* On the good event no step of a run meets the condition as worded, while a provider is unqualified: no count of it is ever
   above M_i. *)
Theorem eventual_ordinary_optimality_as_worded_is_empty h i :
  market -> good_event -> run h -> (i < N)%nat -> quality i < qmin -> ~ M (qmin - quality i) < INR (m h i).
Proof.
  intros Hm He Hr Hi Hq. apply Rle_not_lt. pose proof Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest).
  destruct (Hrange i Hi) as [Hqi _]. destruct He as [Hquality Hcost].
  induction Hr as [|h s Hr IH Hs]; [unfold m, times; simpl; apply M_at_least_1; [lia|assumption|lra]|].
  unfold m in *. destruct (Nat.eq_dec s i) as [->|Hne]; [|rewrite times_cons_other by exact Hne; exact IH].
  rewrite times_cons_same. apply M_above_strict; [lia|assumption|lia|lra|].
  assert (Hin : In i (eligible_set h)) by (eapply step_eligible; eauto).
  unfold Qh in Hin. apply filter_In in Hin. destruct Hin as [_ Hin]. unfold inQh in Hin.
  destruct (Rle_dec _ _) as [Hle|]; [|discriminate]. pose proof (Hquality i (m h i) Hi ltac:(unfold m; lia)) as H.
  apply Rabs_le_inv in H. unfold m in *. lra.
Qed.

(* ---- claim:summary-appC:selection. "otherwise selects a qualified provider within d_- + d_+ of the best", on all but a
   bounded number of rounds: exploration never ends, and reaches every qualified provider, however dear. *)
Definition dear (i : nat) : R :=
  if Rle_dec qmin (quality i) then if Rlt_dec (d_minus + d_plus) (cost i - cost best) then 1 else 0 else 0.
Definition unbounded : Prop := forall x, exists t, (1 <= t)%nat /\ x < g t.
Definition sublinear : Prop := forall x, exists start, forall t, (start <= t)%nat -> x + INR N * g t < INR t.
Lemma explored_while_rare h i n t : never_falls g -> good_event -> (i < N)%nat -> qmin <= quality i ->
  (1 <= t)%nat -> INR (S n) < g t -> run h -> (times h i <= n)%nat ->
  INR (length h) <= INR t + total (fun past _ => explored N delta qmin quality_estimate g past) h.
Proof.
  intros Hg [Hquality _] Hi Hq Ht Hlt Hr. induction Hr as [|h s Hr IH Hs]; intros Hn; [simpl; pose proof (pos_INR t); lra|].
  assert (Hn' : (times h i <= n)%nat) by (unfold times in *; simpl in Hn; destruct (Nat.eq_dec s i); lia).
  specialize (IH Hn'). cbn [length total]. rewrite S_INR.
  assert (Hpos : 0 <= total (fun past _ => explored N delta qmin quality_estimate g past) h)
    by (apply total_nonneg; intros; unfold explored; destruct (explores_dec _ _ _ _ _ _); lra).
  unfold explored at 1. destruct (explores_dec _ _ _ _ _ _) as [He|Hno]; [lra|].
  destruct (Nat.lt_ge_cases (length h) t) as [Hshort|Hlong].
  - apply le_INR in Hshort. rewrite S_INR in Hshort. lra.
  - exfalso. apply Hno. exists i. split.
    + unfold Qh. rewrite filter_In, in_seq. split; [lia|]. unfold inQh. pose proof (Hquality i (m h i) Hi ltac:(unfold m; lia)) as H.
      apply Rabs_le_inv in H. destruct (Rle_dec _ _); [reflexivity|lra].
    + apply Rle_lt_trans with (INR (S n)); [apply le_INR; unfold m; lia|]. eapply Rlt_le_trans; [exact Hlt|].
      apply Hg; [exact Ht|unfold now; lia].
Qed.
(* On the good event every qualified provider is selected as often as one likes, in every run that is long enough. *)
Theorem every_qualified_provider_is_selected_again i n : market -> good_event -> never_falls g -> unbounded -> sublinear ->
  (i < N)%nat -> qmin <= quality i -> exists steps, forall h, run h -> (steps <= length h)%nat -> (n < times h i)%nat.
Proof.
  intros Hm He Hg Hu Hs Hi Hq. pose proof Hm as (HN & _). destruct (Hu (INR (S n))) as (t & Ht & Hlt).
  destruct (Hs (INR t + INR N)) as (start & Hstart). exists (start + t)%nat. intros h Hr Hlong.
  destruct (Nat.lt_ge_cases n (times h i)) as [|Hfew]; [assumption|exfalso].
  pose proof (explored_while_rare h i n t Hg He Hi Hq Ht Hlt Hr Hfew) as H1.
  assert (Hpos : 0 < g (N + length h)%nat).
  { apply Rlt_le_trans with (g t); [pose proof (pos_INR (S n)); lra|apply Hg; lia]. }
  assert (H2 : total (fun past _ => explored N delta qmin quality_estimate g past) h <= INR N * (ceiling (g (N + length h)%nat) - 1))
    by (eapply lem_forced_exploration_bound; eauto).
  specialize (Hstart (N + length h)%nat ltac:(lia)). rewrite plus_INR in Hstart.
  assert (H3 : ceiling (g (N + length h)%nat) - 1 < g (N + length h)%nat).
  { unfold ceiling, floor. destruct (base_Int_part (- g (N + length h)%nat)). lra. }
  pose proof (pos_INR N). nra.
Qed.
(* On the good event no number bounds the steps that serve a qualified provider more than d_- + d_+ dearer than the best. *)
Theorem selection_within_deviations_is_false i : market -> good_event -> never_falls g -> unbounded -> sublinear ->
  (i < N)%nat -> qmin <= quality i -> d_minus + d_plus < cost i - cost best ->
  ~ exists most, forall h, run h -> total (fun _ s => dear s) h <= most.
Proof.
  intros Hm He Hg Hu Hs Hi Hq Hgap (most & Hclaim). pose proof Hm as (HN & _).
  assert (exists n, most < INR n) as (n & Hn).
  { exists (Z.to_nat (up most)). destruct (archimed most) as [Hup _]. rewrite INR_IZR_INZ.
    apply Rlt_le_trans with (IZR (up most)); [lra|apply IZR_le; lia]. }
  destruct (every_qualified_provider_is_selected_again i n Hm He Hg Hu Hs Hi Hq) as (steps & Hsteps).
  destruct (runs_exist N delta cmax qmin gamma quality_estimate bid g ltac:(lia) steps) as (h & Hr & Hl).
  specialize (Hsteps h Hr ltac:(lia)). specialize (Hclaim h Hr).
  assert (Hcount : INR (times h i) <= total (fun _ s => dear s) h).
  { clear -Hgap Hq. induction h as [|s h IH]; [unfold times; simpl; lra|]. cbn [total]. destruct (Nat.eq_dec s i) as [->|Hne].
    - rewrite times_cons_same, S_INR. unfold dear at 1. destruct (Rle_dec _ _); [|contradiction]. destruct (Rlt_dec _ _); [lra|contradiction].
    - rewrite times_cons_other by exact Hne. unfold dear at 1. destruct (Rle_dec _ _); [destruct (Rlt_dec _ _)|]; lra. }
  apply lt_INR in Hsteps. lra.
Qed.
End Eventually.

(* g(t) = k (t/N)^alpha grows without bound, and more slowly than t *)
Section PolynomialTarget.
Variables (N : nat) (k alpha : R).
Hypothesis HN : (1 <= N)%nat.
Hypothesis Hk : 0 < k.
Hypothesis Halpha : 0 < alpha < 1.
Notation g := (target N k alpha).
Lemma N_pos : 1 <= INR N. Proof. apply (le_INR 1). exact HN. Qed.
Lemma steps_above x : exists t, (1 <= t)%nat /\ x < INR t.
Proof.
  exists (S (Z.to_nat (up x))). split; [lia|]. destruct (archimed x) as [Hup _]. rewrite S_INR, INR_IZR_INZ.
  assert (IZR (up x) <= IZR (Z.of_nat (Z.to_nat (up x)))) by (apply IZR_le; lia). lra.
Qed.
Lemma target_never_falls : never_falls g.
Proof.
  intros s t Hs Ht. unfold target. pose proof N_pos. apply Rmult_le_compat_l; [lra|]. apply Rle_Rpower_l; [lra|].
  assert (1 <= INR s) by (apply (le_INR 1); exact Hs). apply le_INR in Ht. split; [apply Rdiv_lt_0_compat; lra|].
  apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra|lra].
Qed.
Lemma target_unbounded : unbounded g.
Proof.
  intros x. pose proof N_pos. set (level := Rmax 1 (x / k + 1)).
  assert (Hlevel : 1 <= level /\ x / k + 1 <= level) by (split; [apply Rmax_l|apply Rmax_r]).
  destruct (steps_above (INR N * Rpower level (/ alpha))) as (t & Ht & Hlarge). exists t. split; [exact Ht|].
  assert (Hbase : Rpower level (/ alpha) <= INR t / INR N).
  { apply Rmult_le_reg_l with (INR N); [lra|]. unfold Rdiv. rewrite (Rmult_comm (INR t)), <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. lra. }
  assert (Hpow : level <= Rpower (INR t / INR N) alpha).
  { rewrite <- (Rpower_1 level) at 1 by lra. replace 1 with (/ alpha * alpha) by (field; lra). rewrite <- Rpower_mult.
    apply Rle_Rpower_l; [lra|]. split; [apply exp_pos|exact Hbase]. }
  unfold target. apply Rlt_le_trans with (k * level); [|apply Rmult_le_compat_l; lra].
  apply Rlt_le_trans with (k * (x / k + 1)); [|apply Rmult_le_compat_l; lra].
  replace (k * (x / k + 1)) with (x + k) by (field; lra). lra.
Qed.
Lemma target_sublinear : sublinear N g.
Proof.
  intros x. pose proof N_pos. set (level := Rmax 1 (2 * k)).
  assert (Hlevel : 1 <= level /\ 2 * k <= level) by (split; [apply Rmax_l|apply Rmax_r]).
  destruct (steps_above (Rmax (2 * x) (INR N * Rpower level (/ (1 - alpha))))) as (start & Hstart & Hlarge). exists start.
  intros t Ht. apply le_INR in Ht. assert (1 <= INR start) by (apply (le_INR 1); exact Hstart).
  pose proof (Rmax_l (2 * x) (INR N * Rpower level (/ (1 - alpha)))). pose proof (Rmax_r (2 * x) (INR N * Rpower level (/ (1 - alpha)))).
  set (u := INR t / INR N). assert (Eu : INR t = INR N * u) by (unfold u; field; lra).
  assert (Hu : 0 < u) by (apply Rdiv_lt_0_compat; lra).
  assert (Hbase : Rpower level (/ (1 - alpha)) <= u).
  { apply Rmult_le_reg_l with (INR N); [lra|]. rewrite <- Eu. lra. }
  assert (Hpow : 2 * k <= Rpower u (1 - alpha)).
  { apply Rle_trans with level; [lra|]. rewrite <- (Rpower_1 level) at 1 by lra.
    replace 1 with (/ (1 - alpha) * (1 - alpha)) at 1 by (field; lra). rewrite <- Rpower_mult.
    apply Rle_Rpower_l; [lra|]. split; [apply exp_pos|exact Hbase]. }
  assert (Hhalf : k * Rpower u alpha <= u / 2).
  { assert (E : u = Rpower u alpha * Rpower u (1 - alpha)) by (rewrite <- Rpower_plus; replace (alpha + (1 - alpha)) with 1 by ring; rewrite Rpower_1; auto).
    assert (0 < Rpower u alpha) by apply exp_pos. rewrite E at 2. nra. }
  unfold target. fold u. assert (INR N * (k * Rpower u alpha) <= INR N * (u / 2)) by (apply Rmult_le_compat_l; lra).
  rewrite Eu in *. lra.
Qed.
End PolynomialTarget.
(* The reading is false: on the good event no number bounds the steps that serve a qualified provider more than d_- +
   d_+ dearer than the best, in the runs of any market that has one. *)
Theorem summary_appC_selection_is_false N delta cmax qmin gamma d_minus d_plus k alpha quality cost best quality_estimate cost_estimate bid i :
  market N delta cmax qmin gamma d_minus d_plus quality cost best ->
  Statements.good_event N delta cmax gamma quality cost quality_estimate cost_estimate -> 0 < k -> 0 < alpha < 1 ->
  (i < N)%nat -> qmin <= quality i -> d_minus + d_plus < cost i - cost best ->
  ~ exists most, forall h, run N delta cmax qmin gamma quality_estimate bid (target N k alpha) h ->
    total (fun _ served => if Rle_dec qmin (quality served)
      then if Rlt_dec (d_minus + d_plus) (cost served - cost best) then 1 else 0 else 0) h <= most.
Proof.
  intros Hm He Hk Ha. assert (HN : (1 <= N)%nat) by (destruct Hm as [HN _]; lia).
  apply (selection_within_deviations_is_false N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate
    bid (target N k alpha) i); auto using target_never_falls, target_unbounded, target_sublinear.
Qed.

(* ---- claim:T_id:tightened. With ceil(g(T)) - 1 in B_id(T) the condition T > N + 2 B_id(T) may hold and fail again, so that
   its least T is not the time from which the best provider leads. Two providers of costs 0 and 1, k = 11/2, alpha = 1/2:
   it holds at T = 63, and not at T = 64. *)
Definition leads N delta cmax qmin gamma d_minus d_plus k alpha quality cost best (T : nat) : Prop :=
  INR N + 2 * identification_bound gamma cost delta cmax alpha k (INR T) (INR N) (cost best) d_plus qmin d_minus quality
    (competitors N qmin quality best) (unqualified N qmin quality) < INR T.
(* The wording is false: with ceil(g(T)) - 1 in B_id(T) the condition T > N + 2 B_id(T) may hold at T = 63 and fail at
   64. *)
Theorem tightened_T_id_condition_is_not_monotone delta : 1 / 2 <= delta < 1 ->
  let cost i := match i with O => 0 | _ => 1 end in
  let holds := leads 2 delta 1 (1 / 2) 0 0 0 (11 / 2) (1 / 2) the_quality cost 0 in
  market 2 delta 1 (1 / 2) 0 0 0 the_quality cost 0 /\ holds 63%nat /\ ~ holds 64%nat.
Proof.
  intros Hd. cbv zeta. set (cost := fun i : nat => match i with O => 0 | _ => 1 end). split.
  { unfold market, the_quality. repeat split; try lra; try lia; try (destruct i; simpl; lra).
    intros j Hj _ Hne. destruct j as [|j]; [contradiction|]. simpl. lra. }
  assert (E : competitors 2 (1 / 2) the_quality 0 = [1%nat] /\ unqualified 2 (1 / 2) the_quality = []).
  { unfold competitors, unqualified, the_quality. simpl. destruct (Rle_dec (1 / 2) 1); [|lra]. destruct (Rlt_dec 1 (1 / 2)); [lra|]. split; reflexivity. }
  destruct E as [E1 E2].
  assert (Hln : 4 * ln (57 * 2 / delta) <= 30).
  { assert (Hle : ln (57 * 2 / delta) <= 15 * (1 / 2)); [|lra]. rewrite <- (ln_exp (15 * (1 / 2))).
    assert (Hx : 57 * 2 / delta <= 228) by (apply Rmult_le_reg_r with delta; [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra).
    assert (H15 : 228 < exp (15 * (1 / 2))).
    { pose proof (exp_ineq1 (1 / 2) ltac:(lra)) as H1. assert (Hpow : exp (15 * (1 / 2)) = exp (1 / 2) ^ 15).
      { rewrite <- (exp_ln (exp (1 / 2) ^ 15)) by (apply pow_lt, exp_pos). rewrite ln_pow by apply exp_pos. rewrite ln_exp. f_equal. rewrite INR_IZR_INZ. reflexivity. }
      rewrite Hpow. apply Rlt_le_trans with ((3 / 2) ^ 15); [lra|apply pow_incr; lra]. }
    apply Rlt_le, ln_increasing; [apply Rdiv_lt_0_compat; lra|lra]. }
  assert (Hbound : forall T, (1 <= T)%nat -> identification_bound 0 cost delta 1 (1 / 2) (11 / 2) (INR T) (INR 2) (cost 0%nat) 0 (1 / 2) 0 the_quality
      (competitors 2 (1 / 2) the_quality 0) (unqualified 2 (1 / 2) the_quality)
    = Rmax (-1 + ceiling (11 / 2 * sqrt (INR T / 2))) (ceiling (4 * ln (57 * 2 / delta)))).
  { intros T HT. rewrite E1, E2. unfold identification_bound, total_over, competitor_cap, exploration_cap, ordinary_bound, cost_gap. simpl.
    rewrite !Rplus_0_r. f_equal.
    - f_equal. f_equal. f_equal. replace (1 / 2) with (/ 2) by lra. rewrite Rpower_sqrt; [reflexivity|].
      apply Rmult_lt_0_compat; [apply lt_0_INR; lia|lra].
    - f_equal. replace (1 + -1 * 0 + -1 * 0 + -1 * 0) with 1 by ring. rewrite ?Rmult_1_r, ?Rmult_1_l, ?Rinv_1, ?Rmult_1_r. reflexivity. }
  assert (HL : ceiling (4 * ln (57 * 2 / delta)) <= 30) by (rewrite <- (ceiling_is 30 30) by lra; apply ceiling_mono; exact Hln).
  assert (H63 : ceiling (11 / 2 * sqrt (INR 63 / 2)) = 31).
  { apply ceiling_is. replace (INR 63) with 63 by (rewrite INR_IZR_INZ; reflexivity).
    assert (60 / 11 < sqrt (63 / 2) <= 62 / 11); [|lra]. split.
    - rewrite <- (sqrt_square (60 / 11)) by lra. apply sqrt_lt_1_alt. lra.
    - rewrite <- (sqrt_square (62 / 11)) by lra. apply sqrt_le_1_alt. lra. }
  assert (H64 : ceiling (11 / 2 * sqrt (INR 64 / 2)) = 32).
  { apply ceiling_is. replace (INR 64) with 64 by (rewrite INR_IZR_INZ; reflexivity).
    assert (62 / 11 < sqrt (64 / 2) <= 64 / 11); [|lra]. split.
    - rewrite <- (sqrt_square (62 / 11)) by lra. apply sqrt_lt_1_alt. lra.
    - rewrite <- (sqrt_square (64 / 11)) by lra. apply sqrt_le_1_alt. lra. }
  unfold leads. rewrite !Hbound, H63, H64, !Rmax_left by (lia || lra). replace (INR 2) with 2 by (simpl; lra).
  replace (INR 63) with 63 by (rewrite INR_IZR_INZ; reflexivity).
  replace (INR 64) with 64 by (rewrite INR_IZR_INZ; reflexivity). lra.
Qed.
