(* The theorems are not about nothing: a market, bids and runs of every length satisfy their hypotheses.

   Two providers of quality 1 whose costs are 1/4 and 1/2, always. Probability.v has a market in which fair coins fall. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Hoeffding Statements.
Import ListNotations.
Open Scope R_scope.

Definition the_quality (i : nat) : R := 1.
Definition the_cost (i : nat) : R := match i with O => 1 / 4 | _ => 1 / 2 end.
Definition the_estimates (f : nat -> R) : nat -> nat -> R := fun i _ => f i.
Definition the_bids : list nat -> nat -> R := fun _ i => the_cost i.

Lemma the_cost_range i : 1 / 4 <= the_cost i <= 1 / 2.
Proof. destruct i; simpl; lra. Qed.

Theorem a_market : market 2 (1 / 2) 1 (1 / 2) 0 0 0 the_quality the_cost 0.
Proof.
  unfold market, the_quality. repeat split; try lra; try lia.
  - pose proof (the_cost_range i). lra.
  - pose proof (the_cost_range i). lra.
  - intros j Hj _ Hne. destruct j as [|j]; [lia|]. simpl. lra.
Qed.
Theorem a_good_event :
  Statements.good_event 2 (1 / 2) 1 0 the_quality the_cost (the_estimates the_quality) (the_estimates the_cost).
Proof.
  split; intros i n _ _; unfold the_estimates; rewrite Rminus_eq_0, Rabs_R0.
  - apply sqrt_pos.
  - unfold rad. apply Rmult_le_pos; [lra|apply sqrt_pos].
Qed.
Theorem bids_that_follow (g : nat -> R) :
  bids_follow 2 (1 / 2) 1 (1 / 2) 0 0 0 (the_estimates the_quality) (the_estimates the_cost) the_bids g.
Proof.
  intros h i _ _. unfold the_bids, the_estimates. pose proof (the_cost_range i). lra.
Qed.
Theorem a_second_lowest : second_lowest 2 (1 / 2) the_quality the_cost 0 (1 / 2).
Proof.
  exists [0; 1]%nat. split; [|reflexivity]. intros j. unfold the_quality. simpl. split; [intros; split; [lia|lra]|lia].
Qed.
Theorem a_separated_market : separated 2 (1 / 2) 0 0 the_quality the_cost 0.
Proof. intros i Hi _ Hne. destruct i as [|i]; [lia|]. simpl. lra. Qed.

Theorem a_target_that_never_falls : never_falls (fun t => INR t).
Proof. intros s t _ H. apply le_INR. exact H. Qed.

(* Whatever happened, a query can be served: runs of every length exist, in every market. *)
Theorem runs_exist N delta cmax qmin gamma (quality_estimate : nat -> nat -> R) bid g : (1 <= N)%nat ->
  forall steps, exists h, run N delta cmax qmin gamma quality_estimate bid g h /\ length h = steps.
Proof.
  intros HN steps. induction steps as [|steps (h & Hr & Hl)]; [exists []; split; [constructor|reflexivity]|].
  assert (Hs : exists s, step N delta cmax qmin gamma quality_estimate bid g h s).
  { destruct (explores_dec N delta qmin quality_estimate g h) as [(j & Hj & Hm)|Hn]; [exists j; left; split; [exists j|]; auto|].
    set (f := adj (radii N delta cmax gamma h) (bid h)).
    destruct (minl f (Qh N delta qmin quality_estimate h)) as [v|] eqn:E.
    - destruct (minl_att _ _ _ E) as (s & Hs & Ev). exists s. right. right. split; auto. split; auto.
      intros j Hj. unfold f in *. rewrite <- Ev. apply (minl_lb _ _ _ E j Hj).
    - apply minl_none in E. exists 0%nat. right. left. split; [assumption|lia]. }
  destruct Hs as (s & Hs). exists (s :: h). split; [constructor; auto|simpl; lia].
Qed.
