(* `independent_draws` of Statements.v is false as soon as some event of one draw has a probability p in (0, 1).

   Let a be the event. "a happens first at draw k" has probability p (1 - p)^k, for every k, and these events exclude each
   other. So the function that is k / (p (1 - p)^k) where a first happens at draw k has an expectation of at least k, for
   every k. But `isE` gives every function an expectation, a real number. Functions that are bounded have none such. *)
Require Import Reals Lra Lia ZArith List Psatz.
From Costproof Require Import Radius Hoeffding Statements.
Import ListNotations.
Open Scope R_scope.

Section Draws.
Variables (X Omega : Type) (N : nat) (cmax : R) (law : nat -> (X -> R) -> R) (expectation : (Omega -> R) -> R).
Variables (draw : nat -> nat -> Omega -> X) (score price : X -> R) (quality cost : nat -> R).
Hypothesis H : independent_draws X Omega N cmax law expectation draw score price quality cost.
Variables (i : nat) (a : X -> bool).
Hypothesis Hi : (i < N)%nat.
Let b x := if a x then 1 else 0.
Let p := law i b.
Hypothesis Hp : 0 < p < 1.

Fixpoint F (l : list X) : R := match l with [] => 0 | x :: t => match t with [] => b x | _ => (1 - b x) * F t end end.
Lemma EL : isE (law i). Proof. destruct H as (_ & _ & K & _). apply K. Qed.
Lemma EO : isE expectation. Proof. destruct H as (K & _). exact K. Qed.
Lemma b01 x : 0 <= b x <= 1. Proof. unfold b. destruct (a x); lra. Qed.
Lemma F0 l : 0 <= F l.
Proof. induction l as [|x t IH]; simpl; [lra|]. pose proof (b01 x). destruct t; [lra|]. apply Rmult_le_pos; lra. Qed.
Lemma EMF k : EM (law i) (S k) F = p * (1 - p) ^ k.
Proof.
  induction k.
  - simpl. transitivity (law i b); [|unfold p; lra]. apply (E_ext _ EL). intros. reflexivity.
  - transitivity (law i (fun x => (1 - b x) * EM (law i) (S k) F)).
    + change (law i (fun x => EM (law i) (S k) (fun l => F (x :: l))) = law i (fun x => (1 - b x) * EM (law i) (S k) F)).
      apply (E_ext _ EL). intros x.
      transitivity (EM (law i) (S k) (fun l => (1 - b x) * F l + 0 * F l)).
      * apply Rle_antisym; apply (EM_mono _ EL); intros l Hl; (destruct l; [discriminate|]); simpl; lra.
      * rewrite (EM_lin _ EL). ring.
    + rewrite IHk. transitivity (law i (fun x => (p * (1 - p) ^ k) * 1 + (- (p * (1 - p) ^ k)) * b x)).
      * apply (E_ext _ EL). intros. ring.
      * rewrite (E_lin _ EL), (E_one _ EL). fold p. simpl. ring.
Qed.
Let c k := INR k / (p * (1 - p) ^ k).
Lemma c0 k : 0 <= c k.
Proof. unfold c. apply Rmult_le_pos; [apply pos_INR|]. apply Rlt_le, Rinv_0_lt_compat, Rmult_lt_0_compat; [lra|apply pow_lt; lra]. Qed.
Let g k w := c k * F (row X Omega draw i (S k) w).
Lemma g0 k w : 0 <= g k w. Proof. apply Rmult_le_pos; [apply c0|apply F0]. Qed.
Lemma Eg k : expectation (g k) = INR k.
Proof.
  unfold g. rewrite (E_scal _ EO (c k) (fun w => F (row X Omega draw i (S k) w))).
  destruct H as (_ & _ & _ & _ & _ & _ & _ & Hiid). rewrite (Hiid i (S k) F Hi), EMF. unfold c. field.
  split; [apply pow_nonzero; lra|lra].
Qed.
Fixpoint upto n w := match n with O => g 0 w | S k => upto k w + g (S k) w end.
Lemma upto_ge n w k : (k <= n)%nat -> g k w <= upto n w.
Proof.
  induction n; intros Hk; [replace k with 0%nat by lia; simpl; lra|]. simpl.
  assert (P : forall m, 0 <= upto m w) by (induction m; simpl; [apply g0|pose proof (g0 (S m) w); lra]).
  destruct (Nat.eq_dec k (S n)) as [->|]; [specialize (P n); lra|]. specialize (IHn ltac:(lia)). pose proof (g0 (S n) w). lra.
Qed.
(* where F of the first k + 1 draws is not 0, no draw before k has a *)
Lemma F_late l : forall s k, F (map (fun j => draw i j l) (seq s (S k))) <> 0 -> forall n, (s <= n < s + k)%nat -> a (draw i n l) = false.
Proof.
  intros s k. revert s. induction k; intros s HF n Hn; [lia|].
  change (seq s (S (S k))) with (s :: seq (S s) (S k)) in HF.
  change (F (draw i s l :: map (fun j => draw i j l) (seq (S s) (S k))) <> 0) in HF.
  destruct (Nat.eq_dec n s) as [->|Hne].
  - destruct (a (draw i s l)) eqn:E; auto. exfalso. apply HF. simpl. unfold b. rewrite E. ring.
  - apply (IHk (S s)); [|lia]. intros HZ. apply HF. simpl in *. rewrite HZ. ring.
Qed.
Let f w := match ClassicalDedekindReals.sig_forall_dec (fun n => a (draw i n w) = false) (fun n => Bool.bool_dec _ _) with
  | inleft (exist n _) => upto n w | inright _ => 0 end.
Lemma f_ge k w : g k w <= f w.
Proof.
  unfold f. destruct (ClassicalDedekindReals.sig_forall_dec _ _) as [[n Hn]|Ha].
  - destruct (le_lt_dec k n) as [L|L]; [apply upto_ge; auto|].
    assert (P : forall m, 0 <= upto m w) by (induction m; simpl; [apply g0|pose proof (g0 (S m) w); lra]).
    destruct (Req_dec (F (row X Omega draw i (S k) w)) 0) as [Z|Z]; [unfold g; rewrite Z; specialize (P n); lra|].
    exfalso. apply Hn. apply (F_late w 0 k); [exact Z|lia].
  - assert (Z : F (row X Omega draw i (S k) w) = 0).
    { unfold row. generalize 0%nat at 1. induction k; intros s; [simpl; unfold b; rewrite Ha; reflexivity|].
      change (seq s (S (S k))) with (s :: seq (S s) (S k)). simpl. simpl in IHk. rewrite IHk. ring. }
    unfold g. rewrite Z. lra.
Qed.
Theorem no_draw_varies : False.
Proof.
  destruct (archimed (expectation f)) as [Hn _]. set (n := Z.to_nat (up (expectation f))). assert (Hk : expectation f < INR n).
  { unfold n. rewrite INR_IZR_INZ. apply Rlt_le_trans with (IZR (up (expectation f))); [lra|]. apply IZR_le. lia. } pose proof (E_mono _ EO (g n) f (f_ge n)) as K. rewrite Eg in K. lra.
Qed.
End Draws.
