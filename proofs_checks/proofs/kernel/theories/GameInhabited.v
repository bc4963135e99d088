(* The theorems about the game are not about nothing: a platform that obeys the rules, laws, and a game. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Auction Runs Payments Hoeffding Game.
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
Lemma average_is_expectation (among : list A) : among <> [] -> isE (fun f => average f among).
Proof. intros Hne. split; [apply average_const; exact Hne|intros; apply average_monotone; auto|intros; apply average_linear]. Qed.
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
  { intros among Hne Hin. split; [apply average_is_expectation; exact Hne|]. intros f f' Hf. apply average_monotone; auto. }
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
Lemma costs_once_possible N first second : 0 <= first <= 1 -> 0 <= second <= 1 -> possible_history N 1 (costs_once first second).
Proof. intros H1 H2. split; [|intros query []]. intros [|i] _; split; simpl; lra. Qed.
Theorem a_game_of_two delta g : any_game 2 delta 1 0 0 g (uniform_platform 2 delta 1 0 0 g)
  (fun f => f {| cost := 1 / 4; score := 1 |}) (fun _ => truthful mean_cost) 0 (costs_once (1 / 4) (1 / 2)).
Proof.
  split; [apply a_uniform_platform; lia|]. split; [apply a_constant_law; split; simpl; lra|]. split; [lia|].
  split; [apply costs_once_possible; lra|]. intros j _ _. apply truthful_range, mean_cost_in_range.
Qed.
