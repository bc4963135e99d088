(* Constants that the paper chose and that cannot be smaller: for each an instance in which its bound is met.

   Where a bound and its instance are an equality, the upper half of the proof is the paper's theorem itself: a theorem
   with a weaker constant does not meet its instance, and breaks this file. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements.
Import ListNotations.
Open Scope R_scope.

Lemma ceiling_whole (k : nat) : ceiling (INR k) = INR k.
Proof.
  apply Rle_antisym; [|apply ceiling_above]. unfold ceiling, floor. destruct (base_Int_part (- INR k)) as [_ H].
  rewrite INR_IZR_INZ, <- opp_IZR in *. rewrite <- opp_IZR. apply IZR_le.
  assert (Hz : IZR (- Z.of_nat k) < IZR (Int_part (IZR (- Z.of_nat k)) + 1)) by (rewrite plus_IZR; lra). apply lt_IZR in Hz. lia.
Qed.

(* ---- histories in which every estimate of quality is 1, so that everybody is always eligible *)
Definition sure : nat -> nat -> R := fun _ _ => 1.
Lemma everybody_eligible N delta qmin h i : qmin <= 1 -> (i < N)%nat -> In i (Qh N delta qmin sure h).
Proof.
  intros Hq Hi. apply filter_In. split; [apply in_seq; lia|]. unfold inQh, sure.
  pose proof (sqrt_pos (1 / (2 * INR (m h i)) * ln (2 * PI ^ 2 * INR N * INR (m h i) ^ 2 / (3 * delta)))) as H.
  fold (beta (INR N) delta (INR (m h i))) in H. unfold bt. destruct (Rle_dec _ _); [reflexivity|lra].
Qed.

(* everybody served n times, and the target n + 1: all of it is exploration *)
Fixpoint everyone (N n : nat) : list nat := match N with O => [] | S k => repeat k n ++ everyone k n end.
Definition always (x : R) : nat -> R := fun _ => x.
Lemma times_app h h' i : times (h ++ h') i = (times h i + times h' i)%nat.
Proof. unfold times. induction h as [|x h IH]; [reflexivity|]. simpl. destruct (Nat.eq_dec x i); lia. Qed.
Lemma times_repeat k n i : times (repeat k n) i = if Nat.eq_dec k i then n else 0%nat.
Proof.
  unfold times. induction n as [|n IH]; simpl; [destruct (Nat.eq_dec k i); reflexivity|].
  destruct (Nat.eq_dec k i); lia.
Qed.
Lemma times_everyone N n i : times (everyone N n) i = if Nat.ltb i N then n else 0%nat.
Proof.
  induction N as [|N IH]; [reflexivity|]. cbn [everyone]. rewrite times_app, times_repeat, IH.
  destruct (Nat.eq_dec N i); destruct (Nat.ltb_spec i N); destruct (Nat.ltb_spec i (S N)); lia.
Qed.
Lemma everyone_lt N n i : In i (everyone N n) -> (i < N)%nat.
Proof.
  intros H. apply (count_occ_In Nat.eq_dec) in H. change (times (everyone N n) i > 0)%nat in H. rewrite times_everyone in H.
  destruct (Nat.ltb_spec i N); lia.
Qed.

Section Explored.
Variables (N : nat) (delta cmax qmin gamma : R) (bid : list nat -> nat -> R) (n : nat).
Hypothesis Hq : qmin <= 1.
Notation g := (always (INR (S n))).
Lemma explored_only h : (forall i, In i h -> (i < N)%nat) -> (forall i, (times h i <= n)%nat) ->
  run N delta cmax qmin gamma sure bid g h /\ forall i, explorations N delta qmin sure g h i = times h i.
Proof.
  induction h as [|s h IH]; intros Hlt Hle; [split; [constructor|reflexivity]|].
  assert (Hs : (m h s <= n)%nat) by (specialize (Hle s); rewrite times_cons_same in Hle; exact Hle).
  assert (Hs' : INR (m h s) < g (now N h)) by (apply lt_INR; lia).
  assert (Hin : In s (Qh N delta qmin sure h)) by (apply everybody_eligible; [exact Hq|apply Hlt; simpl; auto]).
  assert (He : explores N delta qmin sure g h) by (exists s; auto).
  destruct IH as [Hr Hx].
  - intros i Hi. apply Hlt. simpl. auto.
  - intros i. specialize (Hle i). unfold times in *. simpl in Hle. destruct (Nat.eq_dec s i); lia.
  - split; [constructor; [exact Hr|left; auto]|]. intros i. cbn [explorations]. rewrite Hx. unfold times. cbn [count_occ].
    destruct (Nat.eq_dec s i); [|reflexivity]. destruct (explores_dec N delta qmin sure g h); [reflexivity|contradiction].
Qed.

(* lem:forced-exploration-bound: ceil(g(T)) - 1 explorations of every provider, and N times as many of all *)
Theorem forced_exploration_bound_is_attained : exists h, run N delta cmax qmin gamma sure bid g h /\
  (forall i, (i < N)%nat -> INR (explorations N delta qmin sure g h i) = ceiling (g (N + length h)%nat) - 1) /\
  total (fun t _ => explored N delta qmin sure g t) h = INR N * (ceiling (g (N + length h)%nat) - 1).
Proof.
  destruct (explored_only (everyone N n) (everyone_lt N n)) as [Hr Hx].
  { intros i. rewrite times_everyone. destruct (Nat.ltb i N); lia. }
  assert (Hp : 0 < g (N + length (everyone N n))%nat) by (apply lt_0_INR; lia).
  assert (Hg : never_falls g) by (intros s t _ _; apply Rle_refl).
  assert (E : ceiling (g (N + length (everyone N n))%nat) - 1 = INR n) by (unfold always; rewrite ceiling_whole, S_INR; ring).
  exists (everyone N n). split; [exact Hr|split].
  - intros i Hi. apply Rle_antisym.
    + apply (proj1 (lem_forced_exploration_bound N delta cmax qmin gamma sure sure bid g _ i Hg Hr Hp)).
    + rewrite E, Hx, times_everyone. destruct (Nat.ltb_spec i N); [lra|lia].
  - apply Rle_antisym.
    + apply (proj2 (lem_forced_exploration_bound N delta cmax qmin gamma sure sure bid g _ 0%nat Hg Hr Hp)).
    + rewrite (explored_total N delta cmax qmin gamma (always 0) (always 0) sure sure bid g _ Hr). rewrite E, <- bsum_const. apply bsum_le. intros i Hi.
      rewrite Hx, times_everyone. destruct (Nat.ltb_spec i N); [lra|lia].
Qed.
End Explored.

(* ... and where the target is not positive, the bound is false *)
Theorem forced_exploration_bound_needs_a_positive_target N delta qmin quality_estimate :
  ~ INR (explorations N delta qmin quality_estimate (always 0) [] 0) <= ceiling (always 0 N) - 1.
Proof. simpl. unfold always. change 0 with (INR 0) at 2. rewrite ceiling_whole. simpl. lra. Qed.

(* ---- prop:selection-threshold: at the critical payment itself a provider may win, and may lose *)
Theorem at_the_critical_payment_either_may_win eligible cost_radius bid i :
  In i eligible -> crit eligible cost_radius bid i = Some (bid i) ->
  selected eligible cost_radius bid i /\ exists s, s <> i /\ selected eligible cost_radius bid s.
Proof.
  intros Hi Hc. unfold crit in Hc. destruct (minl _ _) as [v|] eqn:E; [|discriminate]. injection Hc as Hv.
  assert (Ev : adj cost_radius bid i = v) by (unfold adj; lra).
  assert (Hall : forall j, In j eligible -> v <= adj cost_radius bid j).
  { intros j Hj. destruct (Nat.eq_dec j i) as [->|Hne]; [lra|]. apply (minl_lb _ _ _ E). apply in_others. auto. }
  split; [split; [exact Hi|rewrite Ev; exact Hall]|].
  destruct (minl_att _ _ _ E) as (s & Hs & Es). apply in_others in Hs. exists s. split; [apply Hs|].
  split; [apply Hs|rewrite <- Es; exact Hall].
Qed.

(* ---- lem:bayesian-cost-concentration: 1 + gamma radii *)
Theorem bayesian_slack_is_attained (cmax gamma r : R) : 0 <= gamma -> 0 <= cmax -> 0 <= r ->
  exists estimate sample_mean mean_cost,
    Rabs (estimate - sample_mean) = gamma * cmax * r /\ Rabs (sample_mean - mean_cost) = cmax * r /\
    Rabs (estimate - mean_cost) = (1 + gamma) * cmax * r.
Proof.
  intros Hg Hc Hr. assert (0 <= cmax * r) by nra. assert (0 <= gamma * cmax * r) by nra.
  exists ((1 + gamma) * cmax * r), (cmax * r), 0.
  assert (E1 : Rabs ((1 + gamma) * cmax * r - cmax * r) = gamma * cmax * r) by (rewrite Rabs_pos_eq; lra).
  assert (E2 : Rabs (cmax * r - 0) = cmax * r) by (rewrite Rabs_pos_eq; lra).
  split; [exact E1|split; [exact E2|]]. apply Rle_antisym; [|rewrite Rabs_pos_eq; lra].
  apply (lem_bayesian_cost_concentration _ _ _ _ (cmax * r)); lra.
Qed.

(* ---- two providers of quality 1, served k + 1 times each; their costs, and estimates and bids after that, are given *)
Definition two (a b : R) (i : nat) : R := match i with O => a | _ => b end.
Lemma Qh_two delta qmin h : qmin <= 1 -> Qh 2 delta qmin sure h = [0; 1]%nat.
Proof.
  intros Hq. assert (H : forall i, (i < 2)%nat -> inQh 2 delta qmin sure h i = true).
  { intros i Hi. pose proof (everybody_eligible 2 delta qmin h i Hq Hi) as H. apply filter_In in H. apply H. }
  unfold Qh. cbn [seq filter]. rewrite !H by lia. reflexivity.
Qed.

Section TwoProviders.
Variables (k : nat) (delta d_minus d_plus c0 c1 e0 e1 b0 b1 : R) (g : nat -> R) (h : list nat).
Notation r := (rad 2 delta 1 0 (S k)).
Hypothesis Hd : 0 < delta < 1.
Hypothesis Hdev : 0 <= d_minus /\ 0 <= d_plus.
Hypothesis Hc : 0 <= c0 /\ c0 < c1 /\ c1 <= 1.
Hypothesis He : Rabs (e0 - c0) <= r /\ Rabs (e1 - c1) <= r.
Hypothesis Hb0 : - d_minus <= b0 - e0 <= d_plus /\ 0 <= b0 <= 1.
Hypothesis Hb1 : - d_minus <= b1 - e1 <= d_plus /\ 0 <= b1 <= 1.
Definition estimates (i n : nat) : R := if Nat.eqb n (S k) then two e0 e1 i else two c0 c1 i.
Definition bids (t : list nat) (i : nat) : R := if Nat.eqb (m t i) (S k) then two b0 b1 i else two c0 c1 i.
Notation the_market := (market 2 delta 1 1 0 d_minus d_plus (fun _ => 1) (two c0 c1) 0).
Notation the_event := (good_event 2 delta 1 0 (fun _ => 1) (two c0 c1) sure estimates).
Notation the_bids := (bids_follow 2 delta 1 1 0 d_minus d_plus sure estimates bids g).

Lemma two_market : the_market.
Proof.
  split; [lia|]. split; [exact Hd|]. split; [lra|]. split; [lra|]. split; [exact Hdev|]. split; [lra|]. split.
  - intros i _. split; [lra|]. destruct i; simpl; lra.
  - split; [lia|split; [lra|]]. intros j _ _ Hj. destruct j; [lia|simpl; lra].
Qed.
Lemma two_event : the_event.
Proof.
  split; intros i n _ Hn.
  - unfold sure. rewrite Rminus_eq_0, Rabs_R0. apply sqrt_pos.
  - unfold estimates. destruct (Nat.eqb_spec n (S k)) as [->|_]; [destruct i; simpl; apply He|].
    rewrite Rminus_eq_0, Rabs_R0. apply Rmult_le_pos; [lra|apply sqrt_pos].
Qed.
Lemma two_bids : the_bids.
Proof.
  intros t i _ Hi. unfold bids, estimates. destruct (Nat.eqb (m t i) (S k)); destruct i; simpl; lra.
Qed.
Lemma two_second_lowest : second_lowest 2 1 (fun _ => 1) (two c0 c1) 0 c1.
Proof. exists [0; 1]%nat. split; [|reflexivity]. intros j. simpl. split; [intros; split; [lia|lra]|lia]. Qed.

(* after a history with k + 1 selections of each, and no target above that *)
Hypothesis Hm : forall i, (i < 2)%nat -> m h i = S k.
Hypothesis Hg : g (now 2 h) <= INR (S k).
Lemma two_ordinary : ~ explores 2 delta 1 sure g h.
Proof. intros (j & Hj & Hlt). rewrite Qh_two in Hj by lra. rewrite Hm in Hlt by (simpl in Hj; lia). lra. Qed.
Lemma adj_two i : (i < 2)%nat -> adj (radii 2 delta 1 0 h) (bids h) i = two b0 b1 i - r.
Proof. intros Hi. unfold adj, radii, bids. rewrite Hm by exact Hi. rewrite Nat.eqb_refl. reflexivity. Qed.
Lemma two_step s : (s < 2)%nat -> (forall j, (j < 2)%nat -> two b0 b1 s <= two b0 b1 j) -> step 2 delta 1 1 0 sure bids g h s.
Proof.
  intros Hs H. right. right. split; [exact two_ordinary|]. rewrite Qh_two by lra. split; [simpl; lia|].
  intros j Hj. assert (Hj2 : (j < 2)%nat) by (simpl in Hj; lia). rewrite !adj_two by assumption. specialize (H j Hj2). lra.
Qed.
Lemma two_payment : payment 2 delta 1 1 0 sure bids g h 0 = Rmin b1 1.
Proof.
  unfold payment. destruct (explores_dec _ _ _ _ _ _) as [H|_]; [destruct (two_ordinary H)|]. rewrite Qh_two by lra.
  unfold pay, crit. cbn [others filter Nat.eqb negb minl]. rewrite adj_two by lia. unfold radii. rewrite Hm by lia.
  f_equal. simpl. ring.
Qed.
End TwoProviders.

(* after k selections of each by exploration, k + 1 with initialization *)
Section AfterRounds.
Variables (k : nat) (delta : R) (bid : list nat -> nat -> R).
Notation h := (everyone 2 k).
Notation g := (always (INR (S k))).
Lemma rounds_count i : (i < 2)%nat -> m h i = S k.
Proof. intros Hi. unfold m. rewrite times_everyone. destruct (Nat.ltb_spec i 2); [reflexivity|lia]. Qed.
Lemma rounds_run : run 2 delta 1 1 0 sure bid g h.
Proof. apply explored_only; [lra|apply everyone_lt|]. intros i. rewrite times_everyone. destruct (Nat.ltb i 2); lia. Qed.
Lemma rounds_target : g (now 2 h) <= INR (S k).
Proof. apply Rle_refl. Qed.
End AfterRounds.

(* twenty selections each: a radius of at most a half *)
Notation r := (rad 2 (1 / 2) 1 0 20).
Lemma r_range : 0 < r <= 1 / 2.
Proof.
  unfold rad, bt. replace ((1 + 0) * 1) with 1 by ring. rewrite Rmult_1_l.
  assert (E2 : INR 2 = 2) by (simpl; ring). assert (E20 : INR 20 = 20) by (simpl; ring). rewrite E2, E20.
  pose proof (beta_sq 2 (1 / 2) 20 ltac:(lra) ltac:(lra) ltac:(lra)) as H.
  set (x := 2 * PI ^ 2 * 2 * 20 ^ 2 / (3 * (1 / 2))) in *.
  assert (Ex : x = PI ^ 2 * (3200 / 3)) by (unfold x; field). pose proof pi_upper. pose proof pi_lower.
  assert (Hx : 1 < x) by (rewrite Ex; nra).
  assert (Hln : 0 < ln x) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (H10 : ln x <= 10).
  { rewrite <- (ln_exp 10). apply Rlt_le, ln_increasing; [lra|]. replace 10 with (2 + 2 + (2 + 2) + 2) by ring. rewrite !exp_plus.
    pose proof e2_lower. assert (54 < exp 2 * exp 2) by nra. assert (2916 < exp 2 * exp 2 * (exp 2 * exp 2)) by nra. rewrite Ex. nra. }
  pose proof (sqrt_pos (1 / (2 * 20) * ln x)) as Hp. fold x in Hp. unfold beta in *. fold x in H |- *.
  set (b := sqrt (1 / (2 * 20) * ln x)) in *. nra.
Qed.

(* lem:adjusted-bid-bounds, both ends at once; lem:ordinary-selection-gap: two radii of whoever is served *)
Theorem two_radii_are_attained (d_minus d_plus : R) :
  0 <= d_minus -> 0 <= d_plus -> 0 < 2 * r + d_minus + d_plus <= 1 ->
  exists cost cost_estimate bid g h,
    market 2 (1 / 2) 1 1 0 d_minus d_plus (fun _ => 1) cost 0 /\
    good_event 2 (1 / 2) 1 0 (fun _ => 1) cost sure cost_estimate /\
    bids_follow 2 (1 / 2) 1 1 0 d_minus d_plus sure cost_estimate bid g /\
    run 2 (1 / 2) 1 1 0 sure bid g h /\ step 2 (1 / 2) 1 1 0 sure bid g h 1 /\ ~ explores 2 (1 / 2) 1 sure g h /\
    bid h 0%nat - rad 2 (1 / 2) 1 0 (m h 0) = cost 0%nat + d_plus /\
    bid h 1%nat - rad 2 (1 / 2) 1 0 (m h 1) = cost 1%nat - 2 * rad 2 (1 / 2) 1 0 (m h 1) - d_minus /\
    cost 1%nat - cost 0%nat = 2 * rad 2 (1 / 2) 1 0 (m h 1) + d_minus + d_plus.
Proof.
  intros Hm Hp Hsum. pose proof r_range as Hr. set (h := everyone 2 19). set (g := always (INR 20)).
  set (c1 := 2 * r + d_minus + d_plus). set (cost := two 0 c1). set (est := estimates 19 0 c1 r (c1 - r)).
  set (b := bids 19 0 c1 (r + d_plus) (c1 - r - d_minus)).
  assert (Hd : 0 < 1 / 2 < 1) by lra. assert (Hdev : 0 <= d_minus /\ 0 <= d_plus) by lra.
  assert (Hc : 0 <= 0 /\ 0 < c1 /\ c1 <= 1) by (unfold c1; lra).
  assert (HM : market 2 (1 / 2) 1 1 0 d_minus d_plus (fun _ => 1) cost 0) by (apply two_market; assumption).
  assert (HE : good_event 2 (1 / 2) 1 0 (fun _ => 1) cost sure est).
  { apply two_event. split; apply Rabs_le; lra. }
  assert (HB : bids_follow 2 (1 / 2) 1 1 0 d_minus d_plus sure est b g).
  { apply two_bids; try assumption; unfold c1; lra. }
  assert (HR : run 2 (1 / 2) 1 1 0 sure b g h) by apply rounds_run.
  assert (Hcount : forall i, (i < 2)%nat -> m h i = 20%nat) by apply (rounds_count 19).
  assert (HO : ~ explores 2 (1 / 2) 1 sure g h) by (apply (two_ordinary 19); [exact Hcount|apply rounds_target]).
  assert (HS : step 2 (1 / 2) 1 1 0 sure b g h 1).
  { apply two_step; [exact Hcount|apply rounds_target|lia|]. intros j Hj. unfold c1. destruct j as [|j]; simpl; lra. }
  exists cost, est, b, g, h. repeat (split; [assumption|]).
  pose proof (lem_adjusted_bid_bounds _ _ _ _ _ _ _ _ _ _ _ _ _ h 0%nat HE HB HR ltac:(lia)) as [_ H0].
  pose proof (lem_adjusted_bid_bounds _ _ _ _ _ _ _ _ _ _ _ _ _ h 1%nat HE HB HR ltac:(lia)) as [H1 _].
  pose proof (lem_ordinary_selection_gap _ _ _ _ _ _ _ _ _ _ _ _ _ _ h 1%nat HM HE HB HR HS HO) as H2.
  rewrite (Hcount 0%nat), (Hcount 1%nat) by lia. rewrite Hcount in H0, H1, H2 by lia.
  assert (B0 : b h 0%nat = r + d_plus) by (unfold b, bids; rewrite Hcount by lia; reflexivity).
  assert (B1 : b h 1%nat = c1 - r - d_minus) by (unfold b, bids; rewrite Hcount by lia; reflexivity).
  rewrite B0 in H0. rewrite B1 in H1. rewrite B0, B1. change (cost 0%nat) with 0 in *. change (cost 1%nat) with c1 in *.
  split; [|split]; apply Rle_antisym; try assumption; unfold c1; lra.
Qed.

(* lem:ordinary-payment and lem:deviation-payment: one radius and d_plus above the second-lowest cost *)
Theorem one_radius_above_is_paid (d_minus d_plus : R) : 0 <= d_minus -> 0 <= d_plus <= 1 / 4 ->
  exists cost cost_estimate bid g h,
    market 2 (1 / 2) 1 1 0 d_minus d_plus (fun _ => 1) cost 0 /\
    good_event 2 (1 / 2) 1 0 (fun _ => 1) cost sure cost_estimate /\
    bids_follow 2 (1 / 2) 1 1 0 d_minus d_plus sure cost_estimate bid g /\
    second_lowest 2 1 (fun _ => 1) cost 0 (1 / 4) /\
    run 2 (1 / 2) 1 1 0 sure bid g h /\ step 2 (1 / 2) 1 1 0 sure bid g h 0 /\ ~ explores 2 (1 / 2) 1 sure g h /\
    payment 2 (1 / 2) 1 1 0 sure bid g h 0 = Rmin 1 (1 / 4 + rad 2 (1 / 2) 1 0 (m h 0) + d_plus).
Proof.
  intros Hm Hp. pose proof r_range as Hr. set (h := everyone 2 19). set (g := always (INR 20)).
  set (cost := two 0 (1 / 4)). set (est := estimates 19 0 (1 / 4) 0 (1 / 4 + r)). set (b := bids 19 0 (1 / 4) 0 (1 / 4 + r + d_plus)).
  assert (Hd : 0 < 1 / 2 < 1) by lra. assert (Hdev : 0 <= d_minus /\ 0 <= d_plus) by lra.
  assert (Hc : 0 <= 0 /\ 0 < 1 / 4 /\ 1 / 4 <= 1) by lra.
  assert (HM : market 2 (1 / 2) 1 1 0 d_minus d_plus (fun _ => 1) cost 0) by (apply two_market; assumption).
  assert (HE : good_event 2 (1 / 2) 1 0 (fun _ => 1) cost sure est) by (apply two_event; split; apply Rabs_le; lra).
  assert (HB : bids_follow 2 (1 / 2) 1 1 0 d_minus d_plus sure est b g) by (apply two_bids; try assumption; lra).
  assert (HR : run 2 (1 / 2) 1 1 0 sure b g h) by apply rounds_run. assert (Hcount : forall i, (i < 2)%nat -> m h i = 20%nat) by apply (rounds_count 19).
  assert (HO : ~ explores 2 (1 / 2) 1 sure g h) by (apply (two_ordinary 19); [exact Hcount|apply rounds_target]).
  assert (HS : step 2 (1 / 2) 1 1 0 sure b g h 0).
  { apply two_step; [exact Hcount|apply rounds_target|lia|]. intros j Hj. destruct j as [|j]; simpl; lra. }
  assert (H2 : second_lowest 2 1 (fun _ => 1) cost 0 (1 / 4)) by apply two_second_lowest.
  exists cost, est, b, g, h. repeat (split; [assumption|]). apply Rle_antisym.
  - eapply lem_ordinary_payment; eassumption.
  - assert (P : payment 2 (1 / 2) 1 1 0 sure b g h 0 = Rmin (1 / 4 + r + d_plus) 1).
    { apply two_payment with (k := 19%nat); [exact Hcount|apply rounds_target]. }
    rewrite P, (Hcount 0%nat) by lia. rewrite Rmin_comm. apply Rle_refl.
Qed.

(* lem:two-sided-payment: one radius at g(t) and d_plus above the second-lowest cost. The target is 20 sqrt(t / 41); nineteen
   rounds of exploration end at t = 41, where it is 20. *)
Definition the_scale : R := 20 / sqrt (41 / 2).
Notation the_target := (target 2 the_scale (1 / 2)).
Fixpoint rounds (n : nat) : list nat := match n with O => [] | S n => 1%nat :: 0%nat :: rounds n end.
Lemma scale_above_one : 1 < the_scale.
Proof.
  unfold the_scale. assert (H : 0 < sqrt (41 / 2)) by (apply sqrt_lt_R0; lra).
  assert (H1 : sqrt (41 / 2) < 5) by (rewrite <- (sqrt_square 5) by lra; apply sqrt_lt_1_alt; lra).
  apply Rmult_lt_reg_r with (sqrt (41 / 2)); [exact H|]. unfold Rdiv at 2. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
Lemma the_target_is t : (0 < t)%nat -> the_target t = 20 * sqrt (INR t / 41).
Proof.
  intros Ht. apply lt_0_INR in Ht. unfold target, the_scale. change (INR 2) with (1 + 1).
  replace (1 / 2) with (/ 2) by field. rewrite Rpower_sqrt by (apply Rdiv_lt_0_compat; lra).
  replace (INR t / 41) with (INR t / (1 + 1) / (41 / 2)) by field. rewrite (sqrt_div_alt _ (41 / 2)) by lra.
  field. apply Rgt_not_eq, sqrt_lt_R0. lra.
Qed.
Lemma below_the_target n t : (n <= 19)%nat -> (2 * n + 1 <= t)%nat -> INR n < the_target t.
Proof.
  intros Hn Ht. rewrite the_target_is by lia. apply le_INR in Hn, Ht. rewrite plus_INR, mult_INR in Ht. simpl in Hn, Ht.
  pose proof (pos_INR n). replace (INR n) with (20 * (INR n / 20)) by field. apply Rmult_lt_compat_l; [lra|].
  rewrite <- (sqrt_square (INR n / 20)) by lra. apply sqrt_lt_1_alt. split; [nra|]. nra.
Qed.
Lemma rounds_times n i : (i < 2)%nat -> times (rounds n) i = n.
Proof.
  intros Hi. unfold times. induction n as [|n IH]; [reflexivity|]. cbn [rounds]. destruct i as [|[|i]]; [| |lia]; simpl in *; lia.
Qed.
Lemma rounds_length n : length (rounds n) = (2 * n)%nat.
Proof. induction n as [|n IH]; [reflexivity|]. cbn [rounds length]. lia. Qed.
Lemma rounds_are_a_run n bid : (n <= 19)%nat -> run 2 (1 / 2) 1 1 0 sure bid the_target (rounds n).
Proof.
  assert (Hexplore : forall h s, (s < 2)%nat -> INR (m h s) < the_target (now 2 h) -> step 2 (1 / 2) 1 1 0 sure bid the_target h s).
  { intros h s Hs H. assert (Hin : In s (Qh 2 (1 / 2) 1 sure h)) by (apply everybody_eligible; [lra|exact Hs]).
    left. split; [exists s; auto|auto]. }
  induction n as [|n IH]; intros Hn; [constructor|]. cbn [rounds].
  constructor; [constructor; [apply IH; lia|]|]; (apply Hexplore; [lia|]); apply below_the_target.
  - unfold m. rewrite rounds_times; lia.
  - unfold m, now. rewrite rounds_times, rounds_length; lia.
  - unfold m. rewrite times_cons_other, rounds_times; lia.
  - unfold m, now. rewrite times_cons_other, rounds_times by lia. cbn [length]. rewrite rounds_length. lia.
Qed.
(* On the good event some auction after T_0 pays one radius at g(t) and d_+ above the second-lowest cost. *)
Theorem one_radius_above_is_paid_late (d_minus d_plus : R) : 0 <= d_minus -> 0 <= d_plus <= 1 / 4 ->
  exists scale cost cost_estimate bid h,
    converging 2 (1 / 2) 1 1 0 d_minus d_plus scale (1 / 2) (fun _ => 1) cost 0 sure cost_estimate bid 1 (1 / 4) /\
    run 2 (1 / 2) 1 1 0 sure bid (target 2 scale (1 / 2)) h /\ step 2 (1 / 2) 1 1 0 sure bid (target 2 scale (1 / 2)) h 0 /\
    ~ explores 2 (1 / 2) 1 sure (target 2 scale (1 / 2)) h /\ T0 2 scale (1 / 2) 1 < INR (now 2 h) /\
    payment 2 (1 / 2) 1 1 0 sure bid (target 2 scale (1 / 2)) h 0
    = 1 / 4 + (1 + 0) * 1 * beta (INR 2) (1 / 2) (target 2 scale (1 / 2) (now 2 h)) + d_plus.
Proof.
  intros Hm Hp. pose proof r_range as Hr. pose proof scale_above_one as Hk. set (h := rounds 19).
  set (cost := two 0 (1 / 4)). set (est := estimates 19 0 (1 / 4) 0 (1 / 4 + r)). set (b := bids 19 0 (1 / 4) 0 (1 / 4 + r + d_plus)).
  assert (Hd : 0 < 1 / 2 < 1) by lra. assert (Hdev : 0 <= d_minus /\ 0 <= d_plus) by lra.
  assert (Hc : 0 <= 0 /\ 0 < 1 / 4 /\ 1 / 4 <= 1) by lra.
  assert (HM : market 2 (1 / 2) 1 1 0 d_minus d_plus (fun _ => 1) cost 0) by (apply two_market; assumption).
  assert (HE : good_event 2 (1 / 2) 1 0 (fun _ => 1) cost sure est) by (apply two_event; split; apply Rabs_le; lra).
  assert (HB : bids_follow 2 (1 / 2) 1 1 0 d_minus d_plus sure est b the_target) by (apply two_bids; try assumption; lra).
  assert (H2 : second_lowest 2 1 (fun _ => 1) cost 0 (1 / 4)) by apply two_second_lowest.
  assert (HR : run 2 (1 / 2) 1 1 0 sure b the_target h) by (apply rounds_are_a_run; lia).
  assert (Hcount : forall i, (i < 2)%nat -> m h i = 20%nat) by (intros i Hi; unfold m, h; rewrite rounds_times; auto).
  assert (Hg : the_target (now 2 h) = INR 20).
  { change (now 2 h) with 41%nat. rewrite the_target_is by lia. replace (INR 41 / 41) with 1 by (simpl; field).
    rewrite sqrt_1. simpl. ring. }
  assert (Hg' : the_target (now 2 h) <= INR 20) by (rewrite Hg; apply Rle_refl).
  assert (HO : ~ explores 2 (1 / 2) 1 sure the_target h) by (apply (two_ordinary 19); assumption).
  assert (HS : step 2 (1 / 2) 1 1 0 sure b the_target h 0).
  { apply two_step; [exact Hcount|exact Hg'|lia|]. intros j Hj. destruct j as [|j]; simpl; lra. }
  assert (HT : T0 2 the_scale (1 / 2) 1 < INR (now 2 h)).
  { change (now 2 h) with 41%nat. unfold T0. replace (1 / (1 / 2)) with (1 + 1) by field.
    assert (Hs : 0 < 1 / the_scale < 1).
    { split; [apply Rdiv_lt_0_compat; lra|]. apply Rmult_lt_reg_r with the_scale; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    rewrite Rpower_plus, Rpower_1 by apply Hs. rewrite Rmax_left by nra. simpl. lra. }
  assert (HC : converging 2 (1 / 2) 1 1 0 d_minus d_plus the_scale (1 / 2) (fun _ => 1) cost 0 sure est b 1 (1 / 4)).
  { split; [exact HM|]. split; [exact HE|]. split; [exact HB|]. split; [exact H2|]. split; [lra|]. split; [lra|]. split; [lra|].
    intros i _ Hlow. lra. }
  exists the_scale, cost, est, b, h. repeat (split; [assumption|]). apply Rle_antisym.
  - eapply lem_two_sided_payment; eassumption.
  - assert (P : payment 2 (1 / 2) 1 1 0 sure b the_target h 0 = Rmin (1 / 4 + r + d_plus) 1).
    { apply two_payment with (k := 19%nat); assumption. }
    rewrite P, Hg. fold (bt 2 (1 / 2) 20). fold (rad 2 (1 / 2) 1 0 20). rewrite Rmin_left by lra. apply Rle_refl.
Qed.

(* lem:payment-range: both ends, and a distance of cmax from the second-lowest cost *)
Lemma radius_of_one : 1 <= rad 2 (1 / 2) 1 0 1.
Proof.
  unfold rad, bt. replace ((1 + 0) * 1) with 1 by ring. rewrite Rmult_1_l. assert (E2 : INR 2 = 2) by (simpl; ring).
  rewrite E2. change (INR 1) with 1. unfold beta. rewrite <- sqrt_1 at 1. apply sqrt_le_1_alt.
  assert (H : 2 <= ln (2 * PI ^ 2 * 2 * 1 ^ 2 / (3 * (1 / 2)))).
  { rewrite <- (ln_exp 2) at 1. apply Rlt_le, ln_increasing; [apply exp_pos|]. pose proof e2_lt. pose proof PI_RGT_0. nra. }
  set (l := ln _) in *. replace (1 / (2 * 1) * l) with (l / 2) by field. lra.
Qed.
(* Both ends of the range are paid, and a payment is c_max away from the second-lowest cost. *)
Theorem payment_range_is_attained : exists cost cost_estimate bid,
    market 2 (1 / 2) 1 1 0 0 0 (fun _ => 1) cost 0 /\ good_event 2 (1 / 2) 1 0 (fun _ => 1) cost sure cost_estimate /\
    second_lowest 2 1 (fun _ => 1) cost 0 1 /\ (forall g, bids_follow 2 (1 / 2) 1 1 0 0 0 sure cost_estimate bid g) /\
    (exists g, step 2 (1 / 2) 1 1 0 sure bid g [] 0 /\ payment 2 (1 / 2) 1 1 0 sure bid g [] 0 = 0 /\
       Rabs (payment 2 (1 / 2) 1 1 0 sure bid g [] 0 - 1) = 1) /\
    (exists g, step 2 (1 / 2) 1 1 0 sure bid g [] 0 /\ payment 2 (1 / 2) 1 1 0 sure bid g [] 0 = 1).
Proof.
  pose proof radius_of_one as Hr. set (cost := two 0 1). set (est := estimates 0 0 1 0 0). set (b := bids 0 0 1 0 0).
  assert (Hd : 0 < 1 / 2 < 1) by lra. assert (Hdev : 0 <= 0 /\ 0 <= 0) by lra. assert (Hc : 0 <= 0 /\ 0 < 1 /\ 1 <= 1) by lra.
  assert (HM : market 2 (1 / 2) 1 1 0 0 0 (fun _ => 1) cost 0) by (apply two_market; assumption).
  assert (HE : good_event 2 (1 / 2) 1 0 (fun _ => 1) cost sure est) by (apply two_event; split; apply Rabs_le; lra).
  assert (HB : forall g, bids_follow 2 (1 / 2) 1 1 0 0 0 sure est b g) by (intros g; apply two_bids; try assumption; lra).
  assert (H2 : second_lowest 2 1 (fun _ => 1) cost 0 1) by apply two_second_lowest.
  assert (Hcount : forall i, (i < 2)%nat -> m [] i = 1%nat) by (intros; reflexivity).
  exists cost, est, b. repeat (split; [assumption|]). split; [exists (always 1)|exists (always 2)].
  - assert (Hg : always 1 (now 2 []) <= INR 1) by (apply Rle_refl).
    assert (HS : step 2 (1 / 2) 1 1 0 sure b (always 1) [] 0).
    { apply two_step; [exact Hcount|exact Hg|lia|]. intros j _. destruct j; simpl; lra. }
    assert (P : payment 2 (1 / 2) 1 1 0 sure b (always 1) [] 0 = 0).
    { unfold b. rewrite two_payment with (k := 0%nat) by assumption. apply Rmin_left. lra. }
    pose proof (run_nil 2 (1 / 2) 1 1 0 sure b (always 1)) as HR.
    destruct (lem_payment_range _ _ _ _ _ _ _ _ _ _ _ _ _ _ [] 0%nat 1 HM HE (HB _) H2 HR HS) as [[H0 _] H1].
    split; [exact HS|]. split; [exact P|]. apply Rle_antisym; [exact H1|]. rewrite P, Rabs_left; lra.
  - assert (Hx : explores 2 (1 / 2) 1 sure (always 2) []).
    { exists 0%nat. split; [apply everybody_eligible; [lra|lia]|]. unfold always, m, times. simpl. lra. }
    assert (HS : step 2 (1 / 2) 1 1 0 sure b (always 2) [] 0).
    { left. split; [exact Hx|]. split; [apply everybody_eligible; [lra|lia]|]. unfold always, m, times. simpl. lra. }
    pose proof (run_nil 2 (1 / 2) 1 1 0 sure b (always 2)) as HR.
    destruct (lem_payment_range _ _ _ _ _ _ _ _ _ _ _ _ _ _ [] 0%nat 1 HM HE (HB _) H2 HR HS) as [[_ H1] _].
    split; [exact HS|]. apply Rle_antisym; [exact H1|]. unfold payment. destruct (explores_dec _ _ _ _ _ _); [lra|contradiction].
Qed.

(* lem:qualified-eligibility: a qualified provider may be eligible by no margin at all *)
Theorem a_whole_radius_is_needed_to_stay_eligible (g : nat -> R) : exists quality_estimate,
  good_event 2 (1 / 2) 1 0 (fun _ => 1) (two 0 1) quality_estimate (fun i _ => two 0 1 i) /\
  forall h i, (i < 2)%nat -> quality_estimate i (m h i) + bt 2 (1 / 2) (m h i) = 1.
Proof.
  exists (fun _ n => 1 - bt 2 (1 / 2) n). split; [split|].
  - intros i n _ _. replace (1 - bt 2 (1 / 2) n - 1) with (- bt 2 (1 / 2) n) by ring. rewrite Rabs_Ropp, Rabs_pos_eq; [lra|apply sqrt_pos].
  - intros i n _ _. rewrite Rminus_eq_0, Rabs_R0. apply Rmult_le_pos; [lra|apply sqrt_pos].
  - intros h i _. ring.
Qed.

(* lem:two-sided-payment in one auction: two radii below the second-lowest cost, where whoever wins has no radius *)
Theorem two_radii_below_are_paid (radius d_minus : R) : 0 < radius -> 0 <= d_minus ->
  let cost := two 0 (2 * radius + d_minus) in let cost_radius := two 0 radius in let bid := two 0 radius in
  (forall j, 0 <= cost_radius j <= radius) /\
  (exists estimate, forall j, Rabs (estimate j - cost j) <= cost_radius j /\ - d_minus <= bid j - estimate j <= 0) /\
  selected [0; 1]%nat cost_radius bid 0 /\
  pay [0; 1]%nat cost_radius (cost 1%nat) bid 0 = cost 1%nat - 2 * radius - d_minus.
Proof.
  intros Hr Hm. cbv zeta. split; [intros [|j]; simpl; lra|split; [|split]].
  - exists (two 0 (radius + d_minus)). intros [|j]; simpl; (split; [apply Rabs_le|]); lra.
  - split; [simpl; auto|]. intros j Hj. unfold adj. destruct j; simpl; lra.
  - unfold pay, crit. simpl. unfold adj. simpl. rewrite Rmin_left; lra.
Qed.

(* claim:widening-necessary:repaired in one auction: 2 + gamma radii below the second-lowest cost, where whoever wins has no radius,
   and 1 + gamma radii above it *)
Theorem unwidened_band_is_attained (radius gamma c2 : R) : 0 < radius -> 0 <= gamma -> 0 <= c2 ->
  let within cost cost_radius bid := forall j, Rabs (bid j - cost j) <= (1 + gamma) * cost_radius j in
  (within (two 0 ((2 + gamma) * radius)) (two 0 radius) (two 0 radius) /\ selected [0; 1]%nat (two 0 radius) (two 0 radius) 0 /\
   pay [0; 1]%nat (two 0 radius) ((2 + gamma) * radius) (two 0 radius) 0 = (2 + gamma) * radius - (2 + gamma) * radius) /\
  (within (two 0 c2) (two radius radius) (two 0 (c2 + (1 + gamma) * radius)) /\
   selected [0; 1]%nat (two radius radius) (two 0 (c2 + (1 + gamma) * radius)) 0 /\
   pay [0; 1]%nat (two radius radius) (c2 + (1 + gamma) * radius) (two 0 (c2 + (1 + gamma) * radius)) 0 = c2 + (1 + gamma) * radius).
Proof.
  intros Hr Hg Hc. cbv zeta. assert (Hp : 0 <= gamma * radius) by nra. split; (split; [|split]).
  - intros [|j]; simpl; apply Rabs_le; nra.
  - split; [simpl; auto|]. intros j _. unfold adj. destruct j; simpl; lra.
  - unfold pay, crit. simpl. unfold adj. simpl. rewrite Rmin_left; nra.
  - intros [|j]; simpl; apply Rabs_le; nra.
  - split; [simpl; auto|]. intros j _. unfold adj. destruct j; simpl; nra.
  - unfold pay, crit. simpl. unfold adj. simpl. rewrite Rmin_left; lra.
Qed.

(* ---- lem:radius-inversion: 57 and 4 *)
Lemma e2_upper : exp 2 < 7.5.
Proof.
  assert (H : 127 / 128 < exp (- (1 / 128))).
  { pose proof (exp_ineq1 (- (1 / 128)) ltac:(lra)). lra. }
  assert (square : forall a b x, 0 < a -> a < exp (- x) -> b <= a * a -> b < exp (- (x + x))).
  { intros a b x Ha Hx Hb. replace (- (x + x)) with (- x + - x) by ring. rewrite exp_plus. nra. }
  apply (square _ (984436 / 1000000)) in H; [|lra|lra]. apply (square _ (969114 / 1000000)) in H; [|lra|lra].
  apply (square _ (939181 / 1000000)) in H; [|lra|lra]. apply (square _ (882060 / 1000000)) in H; [|lra|lra].
  apply (square _ (778029 / 1000000)) in H; [|lra|lra]. apply (square _ (605329 / 1000000)) in H; [|lra|lra].
  apply (square _ (366423 / 1000000)) in H; [|lra|lra]. apply (square _ (134265 / 1000000)) in H; [|lra|lra].
  match type of H with _ < exp (- ?x) => replace x with 2 in H by lra end.
  pose proof (exp_pos 2). rewrite exp_Ropp in H. apply (Rmult_lt_compat_r (exp 2)) in H; [|assumption].
  rewrite Rinv_l in H by lra. lra.
Qed.
Lemma pi_above : 3.14 < PI.
Proof. destruct (PI_2_3_7_ineq 2) as [H _]. unfold tg_alt, PI_2_3_7_tg, Ratan_seq in H. simpl in H. lra. Qed.

(* With two providers, two selections and a gap of 2, which is two radii, for this delta. *)
Notation sharp_delta := (16 * PI ^ 2 / (3 * exp 4)).
Lemma e4 : exp 4 = exp 2 * exp 2. Proof. rewrite <- exp_plus. f_equal. ring. Qed.
Lemma sharp_delta_range : 0 < sharp_delta < 1.
Proof.
  pose proof (exp_pos 4). pose proof PI_RGT_0. pose proof pi_upper. pose proof e2_lower. rewrite e4 in *. split.
  - apply Rdiv_lt_0_compat; nra.
  - apply Rmult_lt_reg_r with (3 * (exp 2 * exp 2)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by nra. nra.
Qed.
Lemma sharp_radius : radius sharp_delta 2 2 = 1.
Proof.
  pose proof (exp_pos 4). pose proof PI_RGT_0. rewrite radius_is_beta by (try apply sharp_delta_range; lra). unfold beta.
  replace (2 * PI ^ 2 * 2 * 2 ^ 2 / (3 * sharp_delta)) with (exp 4) by (field; split; nra).
  rewrite ln_exp. replace (1 / (2 * 2) * 4) with 1 by field. apply sqrt_1.
Qed.

Definition inverts_with (factor constant : R) : Prop := forall N delta gap count : R,
  1 <= N -> 0 < delta < 1 -> 0 < gap -> 1 <= count -> gap <= 2 * radius delta count N ->
  count <= factor / gap ^ 2 * ln (constant * N / (delta * gap ^ 4)).
(* The constants of the paper. *)
Theorem radius_inverts_with_4_and_57 : inverts_with 4 57.
Proof. intros N delta gap count HN Hd Hg Hc H. apply (lem_radius_inversion N delta gap count); assumption. Qed.
Lemma at_the_sharp_point factor constant : 0 < constant -> inverts_with factor constant ->
  8 <= factor * (2 + ln (constant * 3 * exp 2 / (128 * PI ^ 2))).
Proof.
  intros HC H. specialize (H 2 sharp_delta 2 2 ltac:(lra) sharp_delta_range ltac:(lra) ltac:(lra)).
  rewrite sharp_radius in H. specialize (H ltac:(lra)). pose proof (exp_pos 2). pose proof PI_RGT_0.
  replace (constant * 2 / (sharp_delta * 2 ^ 4)) with (exp 2 * (constant * 3 * exp 2 / (128 * PI ^ 2))) in H.
  - rewrite ln_mult, ln_exp in H; [lra|apply exp_pos|]. apply Rdiv_lt_0_compat; nra.
  - rewrite e4. field. split; nra.
Qed.
(* 56 does not do in place of 57, nor any constant below 128 pi^2 / (3 e^2) *)
Theorem inversion_constant_cannot_be_smaller constant : 0 < constant -> inverts_with 4 constant ->
  128 * PI ^ 2 / (3 * exp 2) <= constant.
Proof.
  intros HC H. apply at_the_sharp_point in H; [|exact HC]. pose proof (exp_pos 2). pose proof PI_RGT_0.
  destruct (Rle_lt_dec (128 * PI ^ 2 / (3 * exp 2)) constant) as [|Hlt]; [assumption|exfalso].
  assert (Hx : constant * 3 * exp 2 / (128 * PI ^ 2) < 1).
  { apply Rmult_lt_reg_r with (128 * PI ^ 2 / (3 * exp 2)); [apply Rdiv_lt_0_compat; nra|].
    replace (constant * 3 * exp 2 / (128 * PI ^ 2) * (128 * PI ^ 2 / (3 * exp 2))) with constant by (field; split; nra). lra. }
  assert (Hp : 0 < constant * 3 * exp 2 / (128 * PI ^ 2)) by (apply Rdiv_lt_0_compat; nra).
  apply (ln_increasing _ _ Hp) in Hx. rewrite ln_1 in Hx. lra.
Qed.
(* 56 does not do in place of 57. *)
Theorem inversion_with_56_is_false : ~ inverts_with 4 56.
Proof.
  intros H. apply inversion_constant_cannot_be_smaller in H; [|lra]. pose proof e2_upper. pose proof pi_above. pose proof (exp_pos 2).
  apply (Rmult_le_compat_r (3 * exp 2)) in H; [|lra]. unfold Rdiv in H. rewrite Rmult_assoc, Rinv_l in H by lra. nra.
Qed.
(* 39/10 does not do in place of 4 *)
Theorem inversion_factor_cannot_be_smaller factor : inverts_with factor 57 -> 39 / 10 < factor.
Proof.
  intros H. apply at_the_sharp_point in H; [|lra]. pose proof e2_upper. pose proof pi_above. pose proof (exp_pos 2). pose proof PI_RGT_0.
  set (x := 57 * 3 * exp 2 / (128 * PI ^ 2)) in *.
  assert (Hx : 0 < x) by (apply Rdiv_lt_0_compat; nra).
  assert (Hx1 : x < 51 / 50).
  { unfold x. apply Rmult_lt_reg_r with (128 * PI ^ 2); [nra|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by nra. nra. }
  assert (Hx0 : 1 < x).
  { unfold x. apply Rmult_lt_reg_r with (128 * PI ^ 2); [nra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by nra.
    pose proof const57 as H57. apply (Rmult_lt_compat_r (3 * exp 2)) in H57; [|lra]. unfold Rdiv in H57.
    rewrite Rmult_assoc, Rinv_l in H57 by lra. lra. }
  apply (ln_increasing 1) in Hx0; [|lra]. rewrite ln_1 in Hx0. pose proof (ln_le_pred x Hx). nra.
Qed.
