(* The theorems about the game are not about nothing: a platform that obeys the rules, laws, and a game. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction Runs Payments Game.
Import ListNotations.
Open Scope R_scope.

Section Averages.
Context {A : Type}.
Lemma average_linear a b (f f' : A -> R) among : average (fun one => a * f one + b * f' one) among = a * average f among + b * average f' among.
Proof.
  assert (E : fold_right (fun one sum => a * f one + b * f' one + sum) 0 among
    = a * fold_right (fun one sum => f one + sum) 0 among + b * fold_right (fun one sum => f' one + sum) 0 among)
    by (induction among as [|one l IH]; simpl; [lra|rewrite IH; lra]).
  unfold average. rewrite E. unfold Rdiv. ring.
Qed.
Lemma average_const c (among : list A) : among <> [] -> average (fun _ => c) among = c.
Proof. intros Hne. pose proof (average_between (fun _ => c) c c among Hne) as H. destruct H; [intros; lra|lra]. Qed.
Lemma average_monotone (f f' : A -> R) among : among <> [] -> (forall one, In one among -> f one <= f' one) -> average f among <= average f' among.
Proof.
  intros Hne Hf. pose proof (average_linear 1 (-1) f' f among) as E.
  pose proof (average_between (fun one => 1 * f' one + -1 * f one) 0 (Rmax 0 (average (fun one => 1 * f' one + -1 * f one) among)) among Hne) as H.
  assert (Hpos : 0 <= average (fun one => 1 * f' one + -1 * f one) among).
  { assert (Hsum : 0 <= fold_right (fun one sum => 1 * f' one + -1 * f one + sum) 0 among).
    { clear -Hf. induction among as [|one l IH]; simpl; [lra|]. specialize (IH (fun o Ho => Hf o (or_intror Ho))).
      specialize (Hf one (or_introl eq_refl)). lra. }
    unfold average. apply Rmult_le_pos; [exact Hsum|]. apply Rlt_le, Rinv_0_lt_compat. destruct among; [contradiction|apply lt_0_INR; simpl; lia]. }
  lra.
Qed.
End Averages.

Section Uniform.
Variables (N : nat) (delta cmax qmin gamma : R) (g : nat -> R).
Definition under_sampled (H : history) : list nat :=
  filter (fun j => if Rlt_dec (INR (m (served H) j)) (g (at_step N H)) then true else false) (eligible_set N delta qmin H).
Definition lowest (H : history) (bids : nat -> R) : list nat :=
  let adjusted := adj (radii N delta cmax gamma (served H)) bids in
  filter (fun i => forallb (fun j => if Rle_dec (adjusted i) (adjusted j) then true else false) (eligible_set N delta qmin H))
    (eligible_set N delta qmin H).
(* Algorithm 1: uniform among the under-sampled, or among all where nobody is eligible; here among ties, too *)
Definition uniform_platform : platform := {|
  explore := fun H f => average f (match under_sampled H with [] => seq 0 N | among => among end);
  break_ties := fun H bids f => average f (lowest H bids) |}.

Lemma in_under_sampled H j : In j (under_sampled H) <-> In j (eligible_set N delta qmin H) /\ INR (m (served H) j) < g (at_step N H).
Proof. unfold under_sampled. rewrite filter_In. destruct (Rlt_dec _ _); intuition discriminate. Qed.
Lemma in_lowest H bids i : In i (lowest H bids) <-> selected (eligible_set N delta qmin H) (radii N delta cmax gamma (served H)) bids i.
Proof.
  unfold lowest, selected. rewrite filter_In, forallb_forall. split; intros [Hi Hj]; split; auto; intros j Hin; specialize (Hj j Hin);
    destruct (Rle_dec _ _); auto; discriminate.
Qed.
Theorem a_uniform_platform : (1 <= N)%nat -> obeys_rules N delta cmax qmin gamma g uniform_platform.
Proof.
  intros HN H bids.
  assert (Hover : forall among, among <> [] -> (forall i, In i among -> may_serve N delta cmax qmin gamma g H bids i) ->
    over (may_serve N delta cmax qmin gamma g H bids) (fun f => average f among)).
  { intros among Hne Hin. split; [apply average_const; exact Hne|]. split; [|intros; apply average_linear].
    intros f f' Hf. apply average_monotone; auto. }
  unfold allocate. destruct (auction_dec N delta qmin g H) as [Ha|Hn].
  - apply Hover.
    + destruct Ha as [_ Hq]. destruct (minl (adj (radii N delta cmax gamma (served H)) bids) (eligible_set N delta qmin H)) as [v|] eqn:E.
      * destruct (minl_att _ _ _ E) as (i & Hi & Ev). intros Hl. assert (Hin : In i (lowest H bids)); [|rewrite Hl in Hin; destruct Hin].
        apply in_lowest. split; [exact Hi|]. intros j Hj. rewrite <- Ev. apply (minl_lb _ _ _ E j Hj).
      * apply minl_none in E. contradiction.
    + intros i Hi. apply in_lowest in Hi. right. right. split; [exact (proj1 Ha)|exact Hi].
  - apply Hover.
    + destruct (under_sampled H); [destruct N; [lia|discriminate]|discriminate].
    + intros i Hi. destruct (under_sampled H) as [|x l] eqn:E.
      * right. left. split; [|apply in_seq in Hi; lia]. destruct (Qh N delta qmin (quality_estimate H) (served H)) eqn:Eq; [reflexivity|].
        exfalso. apply Hn. split; [|unfold eligible_set; rewrite Eq; discriminate]. intros (j & Hj & Hm).
        assert (Hin : In j (under_sampled H)) by (apply in_under_sampled; split; assumption). rewrite E in Hin. destruct Hin.
      * rewrite <- E in Hi. apply in_under_sampled in Hi. left. split; [|exact Hi]. exists i. exact Hi.
Qed.
End Uniform.

(* costs and scores that are the same always, and those of a fair coin *)
Theorem a_constant_law cmax o : possible cmax o -> law cmax (fun f => f o).
Proof. intros Ho. split; auto. Qed.
Theorem a_coin cmax o o' : possible cmax o -> possible cmax o' -> law cmax (fun f => average f [o; o']).
Proof.
  intros Ho Ho'. split.
  - apply average_const. discriminate.
  - intros f f' _ _ Hf. apply average_monotone; [discriminate|]. intros one [<-|[<-|[]]]; auto.
  - intros. apply average_linear.
Qed.

(* Two providers that have served once, at costs 1/4 and 1/2; both bid their mean cost. *)
Definition costs_once (first second : R) : history :=
  {| initial := fun i => {| cost := match i with O => first | _ => second end; score := 1 |}; later := [] |}.
Theorem costs_once_possible N first second : 0 <= first <= 1 -> 0 <= second <= 1 -> possible_history N 1 (costs_once first second).
Proof. intros H1 H2. split; [|intros query []]. intros [|i] _; split; simpl; lra. Qed.
Theorem a_game_of_two delta g : any_game 2 delta 1 0 0 g (uniform_platform 2 delta 1 0 0 g)
  (fun f => f {| cost := 1 / 4; score := 1 |}) (fun _ => truthful mean_cost) 0 (costs_once (1 / 4) (1 / 2)).
Proof.
  split; [apply a_uniform_platform; lia|]. split; [apply a_constant_law; split; simpl; lra|]. split; [lia|].
  split; [apply costs_once_possible; lra|]. intros j _ _. apply truthful_range, mean_cost_in_range.
Qed.

(* ---- the game of two providers that have served once: an auction at step 3, exploration at step 4 *)
(* g(t) = k (t/N)^alpha with k = 4/5 and alpha = 1/2 *)
Definition slow_target : nat -> R := target 2 (4 / 5) (1 / 2).
Lemma slow_target_at t : (1 <= t)%nat -> slow_target t = 4 / 5 * sqrt (INR t / 2).
Proof.
  intros Ht. unfold slow_target, target. replace (1 / 2) with (/ 2) by lra. rewrite Rpower_sqrt; [reflexivity|].
  apply Rdiv_lt_0_compat; [apply lt_0_INR; lia|simpl; lra].
Qed.
Lemma slow_target_3 : slow_target 3 <= 1.
Proof.
  rewrite slow_target_at by lia. assert (sqrt (INR 3 / 2) <= 5 / 4); [|lra].
  rewrite <- (sqrt_square (5 / 4)) by lra. apply sqrt_le_1_alt. simpl. lra.
Qed.
Lemma slow_target_4 : 1 < slow_target 4 <= 2.
Proof.
  rewrite slow_target_at by lia. assert (5 / 4 < sqrt (INR 4 / 2) <= 5 / 2); [|lra]. split.
  - rewrite <- (sqrt_square (5 / 4)) by lra. apply sqrt_lt_1_alt. simpl. lra.
  - rewrite <- (sqrt_square (5 / 2)) by lra. apply sqrt_le_1_alt. simpl. lra.
Qed.

Section TwoProviders.
Variables (delta : R) (p : platform).
Hypothesis Hp : obeys_rules 2 delta 1 0 0 slow_target p.
Notation may_serve := (may_serve 2 delta 1 0 0 slow_target).
Notation paid := (paid 2 delta 1 0 0 slow_target).
Notation utility := (utility 2 delta 1 0 0 slow_target).

Lemma both_eligible H : possible_history 2 1 H -> eligible_set 2 delta 0 H = [0; 1]%nat.
Proof.
  intros HH.
  unfold eligible_set, Qh. simpl seq. simpl filter.
  assert (E : forall i, (i < 2)%nat -> inQh 2 delta 0 (quality_estimate H) (served H) i = true).
  { intros i Hi. unfold inQh. destruct (Rle_dec _ _) as [|Hn]; [reflexivity|]. exfalso. apply Hn.
    assert (0 <= quality_estimate H i (m (served H) i) <= 1).
    { apply average_between; [apply own_history_not_empty|]. intros o Ho. eapply own_history_possible; eauto. }
    pose proof (sqrt_pos (1 / (2 * INR (m (served H) i)) * ln (2 * PI ^ 2 * INR 2 * INR (m (served H) i) ^ 2 / (3 * delta)))) as Hb.
    unfold bt, beta. lra. }
  rewrite !E by lia. reflexivity.
Qed.
Lemma allocate_only H bids j f : (forall k, may_serve H bids k -> k = j) -> allocate 2 delta 0 slow_target p H bids f = f j.
Proof.
  intros Hj. pose proof (over_between _ _ f (f j) (f j) (Hp H bids)) as E.
  destruct E; [intros k Hk; rewrite (Hj k Hk); lra|lra].
Qed.

Section Start.
Variables (first second : R).
Hypothesis Hfirst : 0 <= first <= 1.
Hypothesis Hsecond : 0 <= second <= 1.
Notation start := (costs_once first second).

Lemma start_possible : possible_history 2 1 start. Proof. apply costs_once_possible; assumption. Qed.
Lemma start_auction : auction_at 2 delta 0 slow_target start.
Proof.
  split; [|rewrite both_eligible by apply start_possible; discriminate].
  intros (j & _ & Hm). pose proof slow_target_3. unfold m, now, times in Hm. simpl in Hm. lra.
Qed.
Lemma start_serves bids k : may_serve start bids k -> (k < 2)%nat /\ bids k <= bids 0%nat /\ bids k <= bids 1%nat.
Proof.
  intros Hs. split; [eapply served_lt; exact Hs|]. pose proof (auction_selects _ _ _ _ _ _ _ _ _ start_auction Hs) as [_ Hmin].
  rewrite both_eligible in Hmin by apply start_possible. pose proof (Hmin 0%nat ltac:(simpl; auto)) as H0.
  pose proof (Hmin 1%nat ltac:(simpl; auto)) as H1. unfold adj, radii, m, times in *. simpl in *. lra.
Qed.
Lemma start_pays bids : paid start bids 0 = Rmin (bids 1%nat) 1.
Proof.
  rewrite auction_pays by apply start_auction. rewrite both_eligible by apply start_possible.
  unfold pay, crit, others, adj, radii, m, times. simpl. f_equal. ring.
Qed.
(* whoever served, the other one is explored next *)
Lemma next_no_auction j o : (j < 2)%nat -> possible 1 o -> ~ auction_at 2 delta 0 slow_target (after start j o).
Proof.
  intros Hj Ho [Hn _]. apply Hn. exists (1 - j)%nat. split.
  - change (In (1 - j)%nat (eligible_set 2 delta 0 (after start j o))).
    rewrite both_eligible by (apply possible_after; auto; apply start_possible). destruct j as [|[|j]]; [right; left; reflexivity|left; reflexivity|lia].
  - pose proof slow_target_4. destruct j as [|[|j]]; [| |lia]; unfold m, now, times; simpl; lra.
Qed.
Lemma next_serves j o bids k : (j < 2)%nat -> possible 1 o -> may_serve (after start j o) bids k -> k = (1 - j)%nat.
Proof.
  intros Hj Ho Hs. pose proof (served_lt _ _ _ _ _ _ _ _ _ Hs) as Hk. pose proof slow_target_4.
  assert (Hm : INR (m [j] k) < slow_target 4 -> k = (1 - j)%nat).
  { intros Hlt. destruct j as [|[|j]], k as [|[|k]]; try lia; exfalso; unfold m, times in Hlt; simpl in Hlt; lra. }
  assert (Ha := next_no_auction j o Hj Ho).
  destruct Hs as [(_ & _ & Hlt)|[(E & _)|(Hn & _)]]; [apply Hm; exact Hlt| |].
  - exfalso. change (eligible_set 2 delta 0 (after start j o) = []) in E.
    rewrite both_eligible in E by (apply possible_after; auto; apply start_possible). discriminate.
  - exfalso. apply Ha. split; [exact Hn|]. rewrite both_eligible by (apply possible_after; auto; apply start_possible). discriminate.
Qed.
(* two steps, costs being the same always: who serves first, then the other *)
Definition same_costs (i : nat) (f : observation -> R) : R := f (initial start i).
Lemma two_steps charge profile i j : (j < 2)%nat -> (forall k, may_serve start (bids_at 2 profile start) k -> k = j) ->
  let next := after start j (initial start j) in
  utility charge p same_costs profile i start 4 =
    net_payment 2 delta 1 0 0 slow_target charge profile i next (1 - j) + net_payment 2 delta 1 0 0 slow_target charge profile i start j.
Proof.
  intros Hj Hfirst_served. cbv zeta. unfold Game.utility, at_step, now. simpl Nat.sub. cbn [expected].
  rewrite (allocate_only _ _ j) by exact Hfirst_served. unfold same_costs at 1.
  assert (Ho : possible 1 (initial start j)) by (apply start_possible; exact Hj).
  rewrite (allocate_only _ _ (1 - j)) by (intros k Hk; eapply next_serves; eauto). unfold same_costs.
  simpl. unfold after. simpl. rewrite Rplus_0_r. reflexivity.
Qed.
Lemma same_costs_law j : law 1 (same_costs j).
Proof. apply a_constant_law. unfold same_costs. destruct j; split; simpl; lra. Qed.
End Start.
End TwoProviders.

(* what iii) of thm:robust-dominant asks for: an auction, an eligible provider, and a bid on the other side of the critical
   payment than its estimate *)
Theorem a_deviation_across_the_critical_payment delta :
  let H := costs_once (1 / 4) (1 / 2) in
  let profile := playing 0 (truthful mean_cost) (fun _ => truthful mean_cost) in
  ~ explores_at 2 delta 0 slow_target H /\ In 0%nat (eligible_set 2 delta 0 H) /\
  critical 2 delta 1 0 0 H (bids_at 2 profile H) 0 = Some (1 / 2) /\
  (truthful mean_cost (at_step 2 H) (own_history 0 H) - 1 / 2) * (3 / 4 - 1 / 2) < 0.
Proof.
  cbv zeta. assert (Hq : 0 <= 1 / 4 <= 1) by lra. assert (Hh : 0 <= 1 / 2 <= 1) by lra.
  assert (Hown : average cost (own_history 0 (costs_once (1 / 4) (1 / 2))) = 1 / 4
    /\ average cost (own_history 1 (costs_once (1 / 4) (1 / 2))) = 1 / 2) by (unfold own_history, average; simpl; split; field).
  split; [apply start_auction; lra|]. split; [rewrite both_eligible by (apply start_possible; lra); left; reflexivity|]. split.
  - unfold critical, crit. rewrite both_eligible by (apply start_possible; lra). unfold others, adj, radii, m, times. simpl. f_equal.
    unfold bids_at, playing, truthful, mean_cost. destruct (Nat.eq_dec 1 0); [discriminate|]. rewrite (proj2 Hown). ring.
  - unfold truthful, mean_cost. rewrite (proj1 Hown). lra.
Qed.
