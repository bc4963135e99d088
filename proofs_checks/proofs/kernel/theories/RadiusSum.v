(* lem:radius-sum at TRACE level: any N, any horizon, any sequence of selections (list h, newest first),
   m_{i,t} = 1 + number of earlier post-initialization selections of i. No solver, no oracle. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius.
Import ListNotations.
Open Scope R_scope.

Fixpoint bsum (n : nat) (f : nat -> R) : R := match n with O => 0 | S k => bsum k f + f k end.
Lemma bsum_ext n f g : (forall i, (i < n)%nat -> f i = g i) -> bsum n f = bsum n g.
Proof. induction n; intros H; simpl; auto. rewrite IHn, (H n); auto. Qed.
Lemma bsum_le n f g : (forall i, (i < n)%nat -> f i <= g i) -> bsum n f <= bsum n g.
Proof. induction n; intros H; simpl; [lra|]. pose proof (H n ltac:(lia)). assert (bsum n f <= bsum n g) by (apply IHn; auto). lra. Qed.
Lemma bsum_scal n c f : bsum n (fun i => c * f i) = c * bsum n f.
Proof. induction n; simpl; [lra|]. rewrite IHn. lra. Qed.
Lemma bsum_update n f g k : (k < n)%nat -> (forall i, (i < n)%nat -> i <> k -> g i = f i) -> bsum n g = bsum n f + (g k - f k).
Proof.
  induction n; intros Hk H; [lia|]. simpl. destruct (Nat.eq_dec k n) as [->|Hne].
  - rewrite (bsum_ext n g f); [lra|]. intros. apply H; lia.
  - rewrite IHn by (try lia; intros; apply H; lia). rewrite (H n) by lia. lra.
Qed.
Lemma bsum_nonneg n f : (forall i, 0 <= f i) -> 0 <= bsum n f.
Proof. intros H. induction n; simpl; [lra|]. specialize (H n). lra. Qed.

(* Cauchy-Schwarz *)
Lemma cauchy_sqrt n (d : nat -> R) : (forall i, 0 <= d i) -> bsum n (fun i => sqrt (d i)) <= sqrt (INR n * bsum n d).
Proof.
  intros Hd. set (A := bsum n (fun i => sqrt (d i))).
  assert (H : 0 <= A /\ A * A <= INR n * bsum n d).
  { unfold A. clear A. induction n; cbn [bsum]; [simpl; lra|]. destruct IHn as [H1 H2].
    set (A := bsum n (fun i => sqrt (d i))) in *. set (B := bsum n d) in *.
    pose proof (sqrt_pos (d n)). pose proof (sqrt_sqrt _ (Hd n)) as E. set (x := sqrt (d n)) in *.
    assert (0 <= B) by (apply bsum_nonneg; auto). pose proof (pos_INR n). rewrite S_INR. split; [lra|].
    rewrite <- E. set (n' := INR n) in *.
    assert (Hsq : 2 * A * x <= B + n' * (x * x)).
    { (* (2Ax)^2 = 4 A^2 x^2 <= 4 n B x^2 <= (B + n x^2)^2 *)
      assert (Hx2 : 0 <= x * x) by nra. assert (Hn2 : 0 <= n' * (x * x)) by (apply Rmult_le_pos; lra).
      apply Rsqr_incr_0_var; [unfold Rsqr|lra].
      assert ((A * A) * (x * x) <= (n' * B) * (x * x)) by (apply Rmult_le_compat_r; lra).
      pose proof (Rle_0_sqr (B - n' * (x * x))) as Hq. unfold Rsqr in Hq. nra. }
    replace ((A + x) * (A + x)) with (A * A + 2 * A * x + x * x) by ring.
    replace ((n' + 1) * (B + x * x)) with (n' * B + B + n' * (x * x) + x * x) by ring. lra. }
  rewrite <- (sqrt_Rsqr A) by tauto. apply sqrt_le_1_alt. unfold Rsqr. tauto.
Qed.

Lemma sum_inv_sqrt d : bsum d (fun l => / sqrt (INR (S l))) <= 2 * sqrt (INR d).
Proof.
  induction d; [simpl; rewrite sqrt_0; lra|]. cbn [bsum].
  assert (Hs := sqrt_pos (INR d)). assert (Et := sqrt_sqrt (INR (S d)) (pos_INR _)). assert (Es := sqrt_sqrt (INR d) (pos_INR _)).
  assert (Ht : 0 < sqrt (INR (S d))) by (apply sqrt_lt_R0; apply lt_0_INR; lia).
  rewrite S_INR in *. set (s := sqrt (INR d)) in *. set (t := sqrt (INR d + 1)) in *.
  assert (/ t <= 2 * t - 2 * s); [|lra].
  apply Rmult_le_reg_r with t; [assumption|]. rewrite Rinv_l by lra. pose proof (Rle_0_sqr (t - s)) as Hq. unfold Rsqr in Hq. nra.
Qed.

Section RS.
Variables (N : nat) (delta : R).
Hypothesis HN : (1 <= N)%nat.
Hypothesis Hd : 0 < delta < 1.
Definition cnt (i : nat) (h : list nat) := count_occ Nat.eq_dec h i.
Definition bta (m : nat) := beta (INR N) delta (INR m).
Fixpoint rsum (h : list nat) : R := match h with [] => 0 | i :: t => bta (1 + cnt i t) + rsum t end.
Definition F (d : nat) := bsum d (fun l => bta (S l)).

Lemma reindex h : (forall i, In i h -> (i < N)%nat) -> rsum h = bsum N (fun i => F (cnt i h)).
Proof.
  induction h as [|x t IH]; intros H.
  - simpl. unfold F. simpl. clear. induction N; simpl; lra.
  - simpl rsum. rewrite IH by (intros; apply H; simpl; auto).
    rewrite (bsum_update N (fun i => F (cnt i t)) (fun i => F (cnt i (x :: t))) x).
    + unfold cnt at 4. rewrite count_occ_cons_eq by auto. fold (cnt x t). unfold F at 3. cbn [bsum]. fold (F (cnt x t)). simpl plus. lra.
    + apply H. simpl; auto.
    + intros i _ Hi. unfold cnt. rewrite count_occ_cons_neq; auto.
Qed.

Lemma total h : (forall i, In i h -> (i < N)%nat) -> bsum N (fun i => INR (cnt i h)) = INR (length h).
Proof.
  induction h as [|x t IH]; intros H.
  - simpl. clear. induction N; simpl; lra.
  - rewrite (bsum_update N (fun i => INR (cnt i t)) _ x).
    + rewrite IH by (intros; apply H; simpl; auto). unfold cnt. rewrite count_occ_cons_eq by auto. simpl length. rewrite !S_INR. lra.
    + apply H. simpl; auto.
    + intros i _ Hi. unfold cnt. rewrite count_occ_cons_neq; auto.
Qed.

Definition Lam (T : R) := ln (2 * PI ^ 2 * INR N * T ^ 2 / (3 * delta)).

Lemma bta_le m T : (1 <= m)%nat -> INR m <= T -> bta m <= sqrt (Lam T / 2) * / sqrt (INR m).
Proof.
  intros Hm HT. assert (1 <= INR m) by (apply (le_INR 1); auto). assert (HN1 : 1 <= INR N) by (apply (le_INR 1); auto).
  pose proof PI_RGT_0. assert (0 < PI ^ 2) by nra. assert (Hd3 : 0 < 3 * delta) by lra.
  assert (Hpos : forall y, 1 <= y -> 0 < 2 * PI ^ 2 * INR N * y ^ 2 / (3 * delta)).
  { intros y Hy. apply Rdiv_lt_0_compat; [|lra]. apply Rmult_lt_0_compat; nra. }
  assert (HL : ln (2 * PI ^ 2 * INR N * INR m ^ 2 / (3 * delta)) <= Lam T).
  { unfold Lam. destruct (Req_dec (INR m) T) as [->|Hne]; [lra|]. apply Rlt_le, ln_increasing; [apply Hpos; auto|].
    unfold Rdiv. apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat; lra|]. apply Rmult_lt_compat_l; nra. }
  unfold bta, beta. rewrite <- sqrt_inv. 
  assert (H0L : 0 <= Lam T).
  { eapply Rle_trans; [|exact HL]. rewrite <- ln_1. apply Rlt_le, ln_increasing; [lra|].
    pose proof (logarg_ge1 (INR N) delta (INR m) HN1 Hd ltac:(lra)). pose proof pi23_gt1. lra. }
  rewrite <- sqrt_mult; [|lra|apply Rlt_le, Rinv_0_lt_compat; lra].
  apply sqrt_le_1_alt. replace (Lam T / 2 * / INR m) with (1 / (2 * INR m) * Lam T) by (field; lra).
  apply Rmult_le_compat_l; [|assumption]. apply Rlt_le, Rdiv_lt_0_compat; lra.
Qed.

Theorem radius_sum (h : list nat) : (forall i, In i h -> (i < N)%nat) ->
  let D := INR (length h) in let T := INR N + D in
  rsum h <= sqrt (2 * INR N * D * Lam T).
Proof.
  intros H D T. assert (HN1 : 1 <= INR N) by (apply (le_INR 1); auto). assert (HD : 0 <= D) by apply pos_INR.
  assert (HT : forall i, INR (cnt i h) <= T).
  { intros i. unfold T, D. pose proof (count_occ_bound Nat.eq_dec i h) as Hb. apply le_INR in Hb. unfold cnt. lra. }
  assert (HL0 : 0 <= Lam T).
  { unfold Lam. rewrite <- ln_1. apply Rlt_le, ln_increasing; [lra|].
    pose proof (logarg_ge1 (INR N) delta T HN1 Hd ltac:(unfold T; lra)). pose proof pi23_gt1. lra. }
  set (c := sqrt (Lam T / 2)). assert (Hc : 0 <= c) by apply sqrt_pos.
  rewrite reindex by assumption.
  apply Rle_trans with (bsum N (fun i => 2 * c * sqrt (INR (cnt i h)))).
  { apply bsum_le. intros i _. unfold F.
    apply Rle_trans with (bsum (cnt i h) (fun l => c * / sqrt (INR (S l)))).
    - apply bsum_le. intros l Hl. apply bta_le; [lia|]. eapply Rle_trans; [|apply (HT i)]. apply le_INR. lia.
    - rewrite bsum_scal. pose proof (sum_inv_sqrt (cnt i h)). nra. }
  rewrite bsum_scal.
  pose proof (cauchy_sqrt N (fun i => INR (cnt i h)) (fun i => pos_INR _)) as HC. rewrite total in HC by assumption. fold D in HC.
  apply Rle_trans with (2 * c * sqrt (INR N * D)). { apply Rmult_le_compat_l; [lra|assumption]. }
  unfold c. replace 2 with (sqrt 4) at 1 by (replace 4 with (2 * 2) by lra; apply sqrt_square; lra).
  rewrite <- sqrt_mult by lra. rewrite <- sqrt_mult by nra.
  right. f_equal. field.
Qed.
End RS.
