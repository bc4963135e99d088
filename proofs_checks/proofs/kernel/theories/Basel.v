(* sum_{m<=n} 1/m^2 <= pi^2/6 for every n (Daners' telescoping argument).  Coquelicot integrals. *)
Require Import Reals Lra Lia Psatz.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Lemma ftc (F f : R -> R) a b : (forall x, is_derive F x (f x)) -> (forall x, continuous f x) -> is_RInt f a b (F b - F a).
Proof. intros HF Hf. apply (is_RInt_derive F f); intros; auto. Qed.

Definition fI (n : nat) (x : R) := cos x ^ (2 * n).
Definition fJ (n : nat) (x : R) := x ^ 2 * cos x ^ (2 * n).
Lemma contI n x : continuous (fI n) x.
Proof. apply (ex_derive_continuous (fI n)). unfold fI. auto_derive. auto. Qed.
Lemma contJ n x : continuous (fJ n) x.
Proof. apply (ex_derive_continuous (fJ n)). unfold fJ. auto_derive. auto. Qed.
Lemma exI n a b : ex_RInt (fI n) a b. Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)); intros; apply contI. Qed.
Lemma exJ n a b : ex_RInt (fJ n) a b. Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)); intros; apply contJ. Qed.
Definition I (n : nat) : R := RInt (fI n) 0 (PI / 2).
Definition J (n : nat) : R := RInt (fJ n) 0 (PI / 2).
Lemma isI n : is_RInt (fI n) 0 (PI / 2) (I n). Proof. apply (RInt_correct (V := R_CompleteNormedModule)), exI. Qed.
Lemma isJ n : is_RInt (fJ n) 0 (PI / 2) (J n). Proof. apply (RInt_correct (V := R_CompleteNormedModule)), exJ. Qed.

Lemma pow2S c n : c ^ (2 * S n) = c * c * c ^ (2 * n).
Proof. replace (2 * S n)%nat with (S (S (2 * n))) by lia. simpl. ring. Qed.
Lemma pow1S c n : c ^ (2 * n + 1) = c * c ^ (2 * n).
Proof. replace (2 * n + 1)%nat with (S (2 * n)) by lia. reflexivity. Qed.
Lemma s2 x : sin x * sin x = 1 - cos x * cos x.
Proof. pose proof (sin2_cos2 x) as E. unfold Rsqr in E. lra. Qed.
Lemma INR2n n : INR (2 * n + 1) = 2 * INR n + 1.
Proof. rewrite plus_INR, mult_INR. simpl. ring. Qed.

(* derivative of sin * cos^(2n+1) *)
Lemma d1 n x : is_derive (fun x => sin x * cos x ^ (2 * n + 1)) x (2 * INR (S n) * fI (S n) x - (2 * INR n + 1) * fI n x).
Proof.
  auto_derive; auto. change (n + (n + 0))%nat with (2 * n)%nat. unfold fI. rewrite pow2S, pow1S.
  replace (Init.Nat.pred (2 * n + 1)) with (2 * n)%nat by lia.
  rewrite INR2n, S_INR. generalize (cos x ^ (2 * n)); intros p.
  transitivity (cos x * cos x * p - (2 * INR n + 1) * (sin x * sin x) * p); [ring|]. rewrite s2. ring.
Qed.

Lemma recI n : 2 * INR (S n) * I (S n) = (2 * INR n + 1) * I n.
Proof.
  assert (H1 := ftc _ _ 0 (PI / 2) (d1 n)). cbv beta in H1.
  assert (H2 : is_RInt (fun x => 2 * INR (S n) * fI (S n) x - (2 * INR n + 1) * fI n x) 0 (PI / 2) (2 * INR (S n) * I (S n) - (2 * INR n + 1) * I n)).
  { apply (is_RInt_minus (V := R_NormedModule) (fun x => 2 * INR (S n) * fI (S n) x) (fun x => (2 * INR n + 1) * fI n x));
    apply (is_RInt_scal (V := R_NormedModule)); apply isI. }
  apply (is_RInt_unique (V := R_CompleteNormedModule)) in H2. apply (is_RInt_unique (V := R_CompleteNormedModule)) in H1; [|].
  - pose proof (eq_trans (eq_sym H2) H1) as E. rewrite cos_PI2, sin_0, pow_i in E by lia. lra.
  - intros x. apply (ex_derive_continuous (V := R_NormedModule)). unfold fI. auto_derive. auto.
Qed.

(* derivative of x cos^(2n+2) + (n+1) x^2 sin cos^(2n+1) *)
Lemma d2 n x : is_derive (fun x => x * cos x ^ (2 * S n) + INR (S n) * (x ^ 2 * (sin x * cos x ^ (2 * n + 1)))) x
  (fI (S n) x + 2 * INR (S n) ^ 2 * fJ (S n) x - INR (S n) * (2 * INR n + 1) * fJ n x).
Proof.
  auto_derive; auto.
  change (match n with O => 1 | S _ => INR n + 1 end) with (INR (S n)).
  change (match (n + S (n + 0))%nat with O => 1 | S _ => INR (n + S (n + 0)) + 1 end) with (INR (S (n + S (n + 0)))).
  replace (n + S (n + 0))%nat with (2 * n + 1)%nat by lia. change (n + (n + 0))%nat with (2 * n)%nat.
  unfold fI, fJ. rewrite pow2S, pow1S.
  replace (Init.Nat.pred (2 * n + 1)) with (2 * n)%nat by lia.
  replace (INR (S (2 * n + 1))) with (2 * INR n + 2) by (rewrite S_INR, INR2n; ring).
  rewrite INR2n, S_INR. generalize (cos x ^ (2 * n)); intros p. set (k := INR n).
  transitivity (cos x * cos x * p + (k + 1) * x ^ 2 * (cos x * cos x * p) - (k + 1) * (2 * k + 1) * x ^ 2 * (sin x * sin x) * p); [simpl; ring|].
  rewrite s2. simpl. ring.
Qed.

Lemma recJ n : I (S n) + 2 * INR (S n) ^ 2 * J (S n) = INR (S n) * (2 * INR n + 1) * J n.
Proof.
  assert (H1 := ftc _ _ 0 (PI / 2) (d2 n)). cbv beta in H1.
  assert (H2 : is_RInt (fun x => fI (S n) x + 2 * INR (S n) ^ 2 * fJ (S n) x - INR (S n) * (2 * INR n + 1) * fJ n x) 0 (PI / 2)
     (I (S n) + 2 * INR (S n) ^ 2 * J (S n) - INR (S n) * (2 * INR n + 1) * J n)).
  { apply (is_RInt_minus (V := R_NormedModule) (fun x => fI (S n) x + 2 * INR (S n) ^ 2 * fJ (S n) x) (fun x => INR (S n) * (2 * INR n + 1) * fJ n x)).
    - apply (is_RInt_plus (V := R_NormedModule) (fI (S n))); [apply isI|]. apply (is_RInt_scal (V := R_NormedModule)); apply isJ.
    - apply (is_RInt_scal (V := R_NormedModule)); apply isJ. }
  apply (is_RInt_unique (V := R_CompleteNormedModule)) in H2. apply (is_RInt_unique (V := R_CompleteNormedModule)) in H1.
  - pose proof (eq_trans (eq_sym H2) H1) as E. rewrite cos_PI2, sin_0, !pow_i in E by lia. lra.
  - intros x. apply (ex_derive_continuous (V := R_NormedModule)). unfold fI, fJ. auto_derive. auto.
Qed.

Lemma I0 : I 0 = PI / 2.
Proof. apply (is_RInt_unique (V := R_CompleteNormedModule)). replace (PI / 2) with ((fun x : R => x) (PI / 2) - (fun x : R => x) 0) at 2 by ring. apply (ftc (fun x => x)); intros; unfold fI; simpl; [auto_derive; auto | apply continuous_const]. Qed.
Lemma J0 : J 0 = PI ^ 3 / 24.
Proof.
  apply (is_RInt_unique (V := R_CompleteNormedModule)). replace (PI ^ 3 / 24) with ((fun x : R => x ^ 3 / 3) (PI / 2) - (fun x : R => x ^ 3 / 3) 0) by (cbv beta; field).
  apply (ftc (fun x => x ^ 3 / 3)); intros; unfold fJ; [auto_derive; auto; simpl; field | ].
  apply (ex_derive_continuous (V := R_NormedModule)). auto_derive. auto.
Qed.
Lemma Ipos n : 0 < I n.
Proof.
  induction n; [rewrite I0; pose proof PI_RGT_0; lra|]. pose proof (recI n) as H. pose proof (pos_INR n). rewrite S_INR in H.
  apply Rmult_lt_reg_l with (2 * (INR n + 1)); [lra|]. rewrite Rmult_0_r, H. apply Rmult_lt_0_compat; lra.
Qed.
Lemma Jnonneg n : 0 <= J n.
Proof.
  apply RInt_ge_0; [pose proof PI_RGT_0; lra | apply exJ |]. intros x _. unfold fJ. apply Rmult_le_pos; [simpl; nra|].
  rewrite pow_mult. apply pow_le. simpl. nra.
Qed.

Fixpoint basel (n : nat) : R := match n with O => 0 | S k => basel k + / INR (S k) ^ 2 end.
Lemma basel_tel n : basel n = PI ^ 2 / 6 - 2 * (J n / I n).
Proof.
  induction n.
  - cbn [basel]. rewrite I0, J0. field. pose proof PI_RGT_0. lra.
  - cbn [basel]. rewrite IHn. pose proof (recI n) as H1. pose proof (recJ n) as H2. pose proof (Ipos n). pose proof (Ipos (S n)).
    pose proof (pos_INR n). assert (HS : 0 < INR (S n)) by (rewrite S_INR; lra).
    assert (E : J n = (I (S n) + 2 * INR (S n) ^ 2 * J (S n)) / (INR (S n) * (2 * INR n + 1))) by (rewrite H2; field; lra).
    assert (E2 : I n = 2 * INR (S n) * I (S n) / (2 * INR n + 1)) by (rewrite H1; field; lra).
    rewrite E, E2. field. repeat split; lra.
Qed.
Theorem basel_le n : basel n <= PI ^ 2 / 6.
Proof.
  rewrite basel_tel. pose proof (Ipos n). pose proof (Jnonneg n).
  assert (0 <= J n / I n); [|lra]. apply Rmult_le_pos; [assumption|]. apply Rlt_le, Rinv_0_lt_compat. assumption.
Qed.
