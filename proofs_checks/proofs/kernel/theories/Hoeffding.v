(* Hoeffding for any normalized, monotone, linear functional EX (every probability law on a type X gives one on
   bounded functions; finite-support laws give one on all functions), iterated m times; then lem:good-event. *)
Require Import Reals Lra Lia List Psatz.
From Coquelicot Require Import Coquelicot.
From Costproof Require Import Radius Basel.
Import ListNotations.
Open Scope R_scope.

Lemma exp_tangent z y : exp z * (1 + (y - z)) <= exp y.
Proof.
  replace y with (z + (y - z)) at 2 by ring. rewrite exp_plus. apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|].
  destruct (Req_dec (y - z) 0) as [->|H]; [rewrite exp_0; lra|]. apply Rlt_le, exp_ineq1; assumption.
Qed.

Section Scalar.
Variable p : R.
Hypothesis Hp : 0 <= p <= 1.
Let D l := 1 - p + p * exp l.
Lemma Dpos l : 0 < D l.
Proof. unfold D. pose proof (exp_pos l). destruct (Req_dec p 0) as [->|]; [lra|]. assert (0 < p * exp l) by (apply Rmult_lt_0_compat; lra). lra. Qed.
Let g l := l * l / 8 + l * p - ln (D l).
Let g' l := l / 4 + p - p * exp l / D l.
Let g'' l := 1 / 4 - (p * exp l / D l) * (1 - p * exp l / D l).
Lemma dg l : is_derive g l (g' l).
Proof. unfold g, g', D. pose proof (Dpos l) as H. unfold D in H. auto_derive; [lra|]. field. lra. Qed.
Lemma dg' l : is_derive g' l (g'' l).
Proof. unfold g', g'', D. pose proof (Dpos l) as H. unfold D in H. auto_derive; [lra|]. field. lra. Qed.
Lemma g''_nn l : 0 <= g'' l.
Proof. unfold g''. set (u := p * exp l / D l). pose proof (Rle_0_sqr (u - 1 / 2)) as Hs. unfold Rsqr in Hs. lra. Qed.
Lemma g0 : g 0 = 0. Proof. unfold g, D. rewrite exp_0. replace (1 - p + p * 1) with 1 by ring. rewrite ln_1. field. Qed.
Lemma g'0 : g' 0 = 0. Proof. unfold g', D. rewrite exp_0. replace (1 - p + p * 1) with 1 by ring. field. Qed.
Lemma mvt (f df : R -> R) a b : a < b -> (forall x, is_derive f x (df x)) -> exists c, a < c < b /\ f b - f a = df c * (b - a).
Proof.
  intros Hab H. destruct (MVT_cor2 f df a b Hab) as (c & E & Hc); [|exists c; auto].
  intros c _. apply is_derive_Reals, H.
Qed.
Lemma g_nn l : 0 <= l -> 0 <= g l.
Proof.
  intros [Hl|<-]; [|rewrite g0; lra].
  destruct (mvt g g' 0 l Hl dg) as (c & [Hc1 Hc2] & E). destruct (mvt g' g'' 0 c Hc1 dg') as (d & _ & E').
  rewrite g0 in E. rewrite g'0 in E'. pose proof (g''_nn d). assert (0 <= g' c) by nra. nra.
Qed.
Lemma bernoulli_mgf_pos l : 0 <= l -> 1 - p + p * exp l <= exp (l * p + l * l / 8).
Proof.
  intros Hl. pose proof (g_nn l Hl) as H. unfold g in H. fold (D l). rewrite <- (exp_ln (D l)) by apply Dpos.
  destruct (Rle_lt_or_eq_dec (ln (D l)) (l * p + l * l / 8)) as [Hlt|He]; [lra|apply Rlt_le, exp_increasing; auto|rewrite He; lra].
Qed.
End Scalar.

Lemma bernoulli_mgf p l : 0 <= p <= 1 -> 1 - p + p * exp l <= exp (l * p + l * l / 8).
Proof.
  intros Hp. destruct (Rle_lt_dec 0 l) as [Hl|Hl]; [apply bernoulli_mgf_pos; auto|].
  pose proof (bernoulli_mgf_pos (1 - p) ltac:(lra) (- l) ltac:(lra)) as H.
  replace (l * p + l * l / 8) with (l + (- l * (1 - p) + - l * - l / 8)) by field.
  rewrite exp_plus. pose proof (exp_pos l) as He.
  replace (1 - p + p * exp l) with (exp l * (1 - (1 - p) + (1 - p) * exp (- l))).
  - apply Rmult_le_compat_l; lra.
  - rewrite exp_Ropp. field. lra.
Qed.

Definition ind (P : Prop) (d : {P} + {~ P}) : R := if d then 1 else 0.

Definition bounded {X : Type} (f : X -> R) : Prop := exists most, forall x, Rabs (f x) <= most.
(* an expectation: normalized, monotone and linear on bounded functions, and arbitrary on others. (On all functions it could
   not be one: where 2^-n is a probability for every n, what has the value 2^n there has no expectation.) *)
Record isE {X : Type} (EX : (X -> R) -> R) : Prop := mkE {
  E_one : EX (fun _ => 1) = 1;
  E_mono : forall f g, bounded f -> bounded g -> (forall x, f x <= g x) -> EX f <= EX g;
  E_lin : forall a b f g, bounded f -> bounded g -> EX (fun x => a * f x + b * g x) = a * EX f + b * EX g }.

Section Bounded.
Context {X : Type}.
Lemma bounded_between (f : X -> R) low high : (forall x, low <= f x <= high) -> bounded f.
Proof.
  intros H. exists (Rabs low + Rabs high). intros x. specialize (H x). apply Rabs_le.
  pose proof (Rle_abs low). pose proof (Rle_abs (- low)). rewrite Rabs_Ropp in *. pose proof (Rle_abs high). pose proof (Rabs_pos low).
  pose proof (Rabs_pos high). lra.
Qed.
Lemma bounded_constant (c : R) : bounded (fun _ : X => c).
Proof. exists (Rabs c). intros. lra. Qed.
Lemma bounded_times c (f : X -> R) : bounded f -> bounded (fun x => c * f x).
Proof. intros (b & H). exists (Rabs c * b). intros x. rewrite Rabs_mult. apply Rmult_le_compat_l; [apply Rabs_pos|apply H]. Qed.
Lemma bounded_sum (f g : X -> R) : bounded f -> bounded g -> bounded (fun x => f x + g x).
Proof.
  intros (b & H) (b' & H'). exists (b + b'). intros x. specialize (H x). specialize (H' x). pose proof (Rabs_triang (f x) (g x)). lra.
Qed.
Lemma bounded_ind (P : X -> Prop) (d : forall x, {P x} + {~ P x}) : bounded (fun x => ind _ (d x)).
Proof. apply (bounded_between _ 0 1). intros x. unfold ind. destruct (d x); lra. Qed.
End Bounded.

Section EL.
Context {X : Type} (EX : (X -> R) -> R) (H : isE EX).
Lemma E_ext f g : bounded f -> (forall x, f x = g x) -> EX f = EX g.
Proof.
  intros Hb Hfg. assert (bounded g) by (destruct Hb as (b & Hb); exists b; intros x; rewrite <- Hfg; apply Hb).
  apply Rle_antisym; apply (E_mono _ H); auto; intros x; rewrite Hfg; lra.
Qed.
Lemma E_scal a f : bounded f -> EX (fun x => a * f x) = a * EX f.
Proof.
  intros Hb. transitivity (EX (fun x => a * f x + 0 * f x)); [apply E_ext; [apply bounded_times; assumption|intros; ring]|].
  rewrite (E_lin _ H) by assumption. ring.
Qed.
Lemma E_plus f g : bounded f -> bounded g -> EX (fun x => f x + g x) = EX f + EX g.
Proof.
  intros Hf Hg. transitivity (EX (fun x => 1 * f x + 1 * g x)); [apply E_ext; [apply bounded_sum; assumption|intros; ring]|].
  rewrite (E_lin _ H) by assumption. ring.
Qed.
Lemma E_const c : EX (fun _ => c) = c.
Proof.
  transitivity (EX (fun x => c * 1)); [apply E_ext; [apply bounded_constant|intros; ring]|].
  rewrite (E_scal c (fun _ => 1)), (E_one _ H) by apply bounded_constant. ring.
Qed.
Lemma E_within f b : (forall x, Rabs (f x) <= b) -> Rabs (EX f) <= b.
Proof.
  intros Hb. assert (Hf : bounded f) by (exists b; assumption). apply Rabs_le_between.
  assert (Hx : forall x, - b <= f x <= b) by (intros; apply Rabs_le_between, Hb). split.
  - rewrite <- (E_const (- b)). apply (E_mono _ H); auto using bounded_constant. apply Hx.
  - rewrite <- (E_const b). apply (E_mono _ H); auto using bounded_constant. apply Hx.
Qed.

Variables (f : X -> R) (q : R).
Hypothesis Hf : forall x, 0 <= f x <= 1.
Hypothesis Hq : q = EX f.
Lemma f_bounded : bounded f. Proof. exact (bounded_between f 0 1 Hf). Qed.
Lemma q01 : 0 <= q <= 1.
Proof.
  rewrite Hq. pose proof f_bounded. split.
  - apply Rle_trans with (EX (fun _ => 0)); [right; symmetry; apply E_const|apply (E_mono _ H); auto using bounded_constant; intros x; apply Hf].
  - apply Rle_trans with (EX (fun _ => 1)); [apply (E_mono _ H); auto using bounded_constant; intros x; apply Hf|right; apply E_const].
Qed.
Lemma exp_at_most x y : x <= y -> exp x <= exp y.
Proof. intros [Hlt| ->]; [apply Rlt_le, exp_increasing; assumption|lra]. Qed.
Lemma exp_bounded {Y : Type} (g : Y -> R) : bounded g -> bounded (fun y => exp (g y)).
Proof.
  intros (b & Hb). apply (bounded_between _ 0 (exp b)). intros y. split; [apply Rlt_le, exp_pos|].
  apply exp_at_most. specialize (Hb y). pose proof (Rle_abs (g y)). lra.
Qed.
Lemma mgf l : EX (fun x => exp (l * (f x - q))) <= exp (l * l / 8).
Proof.
  pose proof f_bounded as Hfb.
  assert (Hd : bounded (fun x => f x - q)) by (apply (bounded_sum f (fun _ => - q)); auto using bounded_constant).
  apply Rle_trans with (EX (fun x => exp (- l * q) * 1 + exp (- l * q) * ((exp l - 1) * f x))).
  - apply (E_mono _ H).
    + apply exp_bounded, bounded_times, Hd.
    + apply (bounded_sum (fun _ => exp (- l * q) * 1)); [apply bounded_constant|apply bounded_times, bounded_times, Hfb].
    + intros x. specialize (Hf x).
    replace (l * (f x - q)) with (- l * q + l * f x) by ring. rewrite exp_plus.
    pose proof (exp_pos (- l * q)). pose proof (exp_tangent (l * f x) 0) as T0. pose proof (exp_tangent (l * f x) l) as T1. rewrite exp_0 in T0.
    assert (exp (l * f x) <= 1 + (exp l - 1) * f x); [|nra].
    assert (W0 := Rmult_le_compat_l (1 - f x) _ _ ltac:(lra) T0). assert (W1 := Rmult_le_compat_l (f x) _ _ ltac:(lra) T1). lra.
  - rewrite (E_plus (fun _ => exp (- l * q) * 1)), E_const, E_scal, E_scal, <- Hq, Rmult_1_r by auto using bounded_constant, bounded_times.
    pose proof (bernoulli_mgf q l q01) as B.
    replace (l * l / 8) with (- l * q + (l * q + l * l / 8)) by ring. rewrite exp_plus.
    pose proof (exp_pos (- l * q)). nra.
Qed.

(* m independent draws: iterated functional *)
Fixpoint EM (m : nat) (F : list X -> R) : R := match m with O => F [] | S k => EX (fun x => EM k (fun l => F (x :: l))) end.
Fixpoint dev (l : list X) : R := match l with [] => 0 | x :: t => (f x - q) + dev t end.
Definition bounded_on (m : nat) (F : list X -> R) : Prop := exists most, forall l, length l = m -> Rabs (F l) <= most.
Lemma bounded_everywhere m F : bounded F -> bounded_on m F.
Proof. intros (b & Hb). exists b. intros. apply Hb. Qed.
Lemma EM_within m F b : (forall l, length l = m -> Rabs (F l) <= b) -> Rabs (EM m F) <= b.
Proof.
  revert F. induction m; intros F Hb; simpl; [apply Hb; reflexivity|]. apply E_within. intros x. apply IHm.
  intros l Hl. apply Hb. simpl. lia.
Qed.
Lemma bounded_after m F : bounded_on (S m) F -> bounded (fun x => EM m (fun l => F (x :: l))).
Proof. intros (b & Hb). exists b. intros x. apply EM_within. intros l Hl. apply Hb. simpl. lia. Qed.
Lemma bounded_rest m F x : bounded_on (S m) F -> bounded_on m (fun l => F (x :: l)).
Proof. intros (b & Hb). exists b. intros l Hl. apply Hb. simpl. lia. Qed.
Lemma bounded_on_lin m a b F G : bounded_on m F -> bounded_on m G -> bounded_on m (fun l => a * F l + b * G l).
Proof.
  intros (c & Hc) (d & Hd). exists (Rabs a * c + Rabs b * d). intros l Hl. specialize (Hc l Hl). specialize (Hd l Hl).
  eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult. apply Rplus_le_compat; apply Rmult_le_compat_l; auto using Rabs_pos.
Qed.
Lemma EM_mono m F G : bounded_on m F -> bounded_on m G -> (forall l, length l = m -> F l <= G l) -> EM m F <= EM m G.
Proof.
  revert F G. induction m; intros F G HbF HbG HFG; simpl; [apply HFG; reflexivity|].
  apply (E_mono _ H); auto using bounded_after. intros x. apply IHm; auto using bounded_rest. intros l Hl. apply HFG. simpl. lia.
Qed.
Lemma EM_lin m a b F G : bounded_on m F -> bounded_on m G -> EM m (fun l => a * F l + b * G l) = a * EM m F + b * EM m G.
Proof.
  revert F G. induction m; intros F G HbF HbG; simpl; auto. rewrite <- (E_lin _ H) by auto using bounded_after.
  apply E_ext; [apply (bounded_after m (fun l => a * F l + b * G l)), bounded_on_lin; assumption|]. intros x.
  apply (IHm (fun l => F (x :: l)) (fun l => G (x :: l))); auto using bounded_rest.
Qed.
Lemma dev_bounded m l : bounded_on m (fun xs => exp (l * dev xs)).
Proof.
  exists (exp (Rabs l * INR m)). intros xs Hxs. rewrite Rabs_pos_eq by (apply Rlt_le, exp_pos). apply exp_at_most.
  assert (Hd : Rabs (dev xs) <= INR m).
  { rewrite <- Hxs. clear Hxs. induction xs as [|x xs IH]; [simpl; rewrite Rabs_R0; lra|]. cbn [dev length]. rewrite S_INR.
    pose proof (Hf x). pose proof q01. assert (Rabs (f x - q) <= 1) by (apply Rabs_le; lra).
    pose proof (Rabs_triang (f x - q) (dev xs)). lra. }
  pose proof (Rle_abs (l * dev xs)). rewrite Rabs_mult in *. pose proof (Rabs_pos l). nra.
Qed.
Lemma EM_mgf m l : EM m (fun xs => exp (l * dev xs)) <= exp (INR m * (l * l / 8)).
Proof.
  induction m; [simpl; rewrite Rmult_0_r, Rmult_0_l; lra|]. cbn [EM dev].
  assert (Hd : bounded (fun x => exp (l * (f x - q)))).
  { apply exp_bounded, bounded_times, (bounded_sum f (fun _ => - q)); auto using bounded_constant, f_bounded. }
  apply Rle_trans with (EX (fun x => exp (INR m * (l * l / 8)) * exp (l * (f x - q)))).
  - apply (E_mono _ H); [exact (bounded_after m _ (dev_bounded (S m) l))|apply bounded_times, Hd|]. intros x.
    assert (E : EM m (fun xs => exp (l * (f x - q + dev xs))) = exp (l * (f x - q)) * EM m (fun xs => exp (l * dev xs))).
    { pose proof (dev_bounded m l) as Hdev. pose proof (bounded_rest m _ x (dev_bounded (S m) l)) as Hrest. cbn [dev] in Hrest.
      transitivity (EM m (fun xs => exp (l * (f x - q)) * exp (l * dev xs) + 0 * exp (l * dev xs))).
      - apply Rle_antisym; apply EM_mono; auto using bounded_on_lin; intros xs _; rewrite <- exp_plus; right; [rewrite Rmult_plus_distr_l|rewrite Rmult_plus_distr_l]; ring.
      - rewrite (EM_lin m (exp (l * (f x - q))) 0 (fun xs => exp (l * dev xs)) (fun xs => exp (l * dev xs))) by assumption. ring. }
    rewrite E, Rmult_comm. apply Rmult_le_compat_r; [apply Rlt_le, exp_pos|assumption].
  - rewrite E_scal by assumption. rewrite S_INR. replace ((INR m + 1) * (l * l / 8)) with (INR m * (l * l / 8) + l * l / 8) by ring. rewrite exp_plus.
    apply Rmult_le_compat_l; [apply Rlt_le, exp_pos|apply mgf].
Qed.

Definition mean (l : list X) := fold_right (fun x s => f x + s) 0 l / INR (length l).
Lemma dev_mean l : (0 < length l)%nat -> dev l = INR (length l) * (mean l - q).
Proof.
  intros Hl. assert (E : dev l = fold_right (fun x s => f x + s) 0 l - INR (length l) * q).
  { clear Hl. induction l; [simpl; ring|]. cbn [dev fold_right length]. rewrite S_INR, IHl. ring. }
  rewrite E. unfold mean. field. apply not_0_INR. lia.
Qed.

Theorem hoeffding m eps : (0 < m)%nat -> 0 <= eps ->
  EM m (fun xs => ind _ (Rlt_dec eps (Rabs (mean xs - q)))) <= 2 * exp (- 2 * INR m * (eps * eps)).
Proof.
  intros Hm He. set (l := 4 * eps). set (k := INR m * (l * eps)).
  pose proof (dev_bounded m l) as D1. pose proof (dev_bounded m (- l)) as D2.
  apply Rle_trans with (EM m (fun xs => exp (- k) * exp (l * dev xs) + exp (- k) * exp (- l * dev xs))).
  - apply EM_mono; [apply bounded_everywhere, (bounded_ind (fun xs => eps < Rabs (mean xs - q)))|apply bounded_on_lin; assumption|].
    intros xs Hxs. unfold ind. rewrite <- !exp_plus. destruct (Rlt_dec eps (Rabs (mean xs - q))) as [Hd|_].
    + pose proof (exp_pos (- k + l * dev xs)). pose proof (exp_pos (- k + - l * dev xs)).
      rewrite dev_mean in * by lia. rewrite Hxs in *. assert (HM : 0 < INR m) by (apply lt_0_INR; auto).
      assert (G : forall y, eps < y -> 1 <= exp (- k + l * (INR m * y))).
      { intros y Hy. rewrite <- exp_0. assert (0 <= - k + l * (INR m * y)) as [L|L]; [|apply Rlt_le, exp_increasing; auto|rewrite <- L; lra].
        unfold k, l. replace (- (INR m * (4 * eps * eps)) + 4 * eps * (INR m * y)) with (4 * INR m * (eps * (y - eps))) by ring. apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; lra. }
      unfold Rabs in Hd. destruct (Rcase_abs (mean xs - q)).
      * specialize (G _ Hd). replace (- k + - l * (INR m * (mean xs - q))) with (- k + l * (INR m * - (mean xs - q))) in * by ring. lra.
      * specialize (G _ Hd). lra.
    + pose proof (exp_pos (- k + l * dev xs)). pose proof (exp_pos (- k + - l * dev xs)). lra.
  - rewrite EM_lin by assumption. pose proof (EM_mgf m l) as M1. pose proof (EM_mgf m (- l)) as M2. replace (- l * - l) with (l * l) in M2 by ring.
    replace (- 2 * INR m * (eps * eps)) with (- k + INR m * (l * l / 8)) by (unfold k, l; field). rewrite exp_plus. pose proof (exp_pos (- k)). nra.
Qed.
End EL.

(* ------------------------------------------------------------------ lem:good-event *)
Section GoodEvent.
Variables (X Omega : Type) (N : nat) (delta cmax : R).
Variables (EX : nat -> (X -> R) -> R) (E : (Omega -> R) -> R) (obs : nat -> nat -> Omega -> X).
Variables (r c : X -> R) (q cbar : nat -> R).
Hypothesis HN : (1 <= N)%nat.
Hypothesis Hd : 0 < delta < 1.
Hypothesis Hc : 0 < cmax.
Hypothesis HE : isE E.
Hypothesis HEX : forall i, isE (EX i).
Hypothesis Hr : forall x, 0 <= r x <= 1.
Hypothesis Hcr : forall x, 0 <= c x <= cmax.
Hypothesis Hq : forall i, q i = EX i r.
Hypothesis Hcb : forall i, cbar i = EX i c.
Definition row i m w := map (fun k => obs i k w) (seq 0 m).
Variable M : nat.   (* horizon; only rows up to M are constrained, and NO independence across providers or between scores and costs is used *)
Hypothesis iid : forall i m F, (i < N)%nat -> (m <= M)%nat -> bounded F -> E (fun w => F (row i m w)) = EM (EX i) m F.

Definition B m := beta (INR N) delta (INR m).
Definition badq i m w := B m < Rabs (mean r (row i m w) - q i).
Definition badc i m w := cmax * B m < Rabs (mean c (row i m w) - cbar i).
Definition bad w := exists i m, (i < N)%nat /\ (1 <= m <= M)%nat /\ (badq i m w \/ badc i m w).

Lemma B_exp m : (1 <= m)%nat -> 2 * exp (- 2 * INR m * (B m * B m)) = 3 * delta / (PI ^ 2 * INR N * INR m ^ 2).
Proof.
  intros Hm. assert (1 <= INR m) by (apply (le_INR 1); auto). assert (1 <= INR N) by (apply (le_INR 1); auto). unfold B. rewrite beta_sq by lra.
  pose proof PI_RGT_0. assert (0 < PI ^ 2) by nra.
  replace (-2 * INR m * (1 / (2 * INR m) * ln (2 * PI ^ 2 * INR N * INR m ^ 2 / (3 * delta)))) with (- ln (2 * PI ^ 2 * INR N * INR m ^ 2 / (3 * delta))) by (field; lra).
  rewrite exp_Ropp, exp_ln; [field; repeat split; lra|]. apply Rdiv_lt_0_compat; [|lra]. apply Rmult_lt_0_compat; nra.
Qed.
Lemma pq i m : (i < N)%nat -> (1 <= m <= M)%nat -> E (fun w => ind _ (Rlt_dec (B m) (Rabs (mean r (row i m w) - q i)))) <= 3 * delta / (PI ^ 2 * INR N * INR m ^ 2).
Proof.
  intros Hi [Hm HmM]. rewrite (iid i m (fun xs => ind _ (Rlt_dec (B m) (Rabs (mean r xs - q i))))) by (try apply bounded_ind; assumption). rewrite <- B_exp by assumption.
  apply hoeffding; auto. apply sqrt_pos.
Qed.
Lemma pc i m : (i < N)%nat -> (1 <= m <= M)%nat -> E (fun w => ind _ (Rlt_dec (cmax * B m) (Rabs (mean c (row i m w) - cbar i)))) <= 3 * delta / (PI ^ 2 * INR N * INR m ^ 2).
Proof.
  intros Hi [Hm HmM]. rewrite (iid i m (fun xs => ind _ (Rlt_dec (cmax * B m) (Rabs (mean c xs - cbar i))))) by (try apply bounded_ind; assumption). rewrite <- B_exp by assumption.
  eapply Rle_trans; [|apply (hoeffding (EX i) (HEX i) (fun x => c x / cmax) (cbar i / cmax)); [| | exact Hm | apply sqrt_pos]].
  - apply EM_mono; [apply HEX|apply bounded_everywhere, bounded_ind|apply bounded_everywhere, bounded_ind|]. intros l Hl. unfold ind.
    assert (Em : mean (fun x => c x / cmax) l = mean c l / cmax).
    { unfold mean. assert (Ef : fold_right (fun x s => c x / cmax + s) 0 l = fold_right (fun x s => c x + s) 0 l / cmax).
      { clear - Hc. induction l; simpl; [field; lra|rewrite IHl; field; lra]. } rewrite Ef. field. split; [apply not_0_INR; lia|lra]. }
    destruct (Rlt_dec (cmax * B m) _) as [H1|H1]; destruct (Rlt_dec (B m) _) as [H2|H2]; try lra. exfalso. apply H2. rewrite Em.
    replace (mean c l / cmax - cbar i / cmax) with ((mean c l - cbar i) / cmax) by (field; lra). unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ cmax)) by (apply Rlt_le, Rinv_0_lt_compat; auto).
    apply Rmult_lt_reg_l with cmax; auto. replace (cmax * (Rabs (mean c l - cbar i) * / cmax)) with (Rabs (mean c l - cbar i)) by (field; lra). assumption.
  - intros x. specialize (Hcr x). split; [apply Rmult_le_pos; [lra|apply Rlt_le, Rinv_0_lt_compat; auto]|]. apply Rmult_le_reg_r with cmax; auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  - rewrite Hcb. unfold Rdiv. rewrite Rmult_comm. assert (bounded c) by exact (bounded_between c 0 cmax Hcr).
    rewrite <- (E_scal (EX i) (HEX i)) by assumption. apply E_ext; [apply HEX|apply bounded_times; assumption|]. intros x. ring.
Qed.

Fixpoint sumN (n : nat) (f : nat -> R) := match n with O => 0 | S k => sumN k f + f k end.
Lemma sumN_ge n f k : (forall i, 0 <= f i) -> (k < n)%nat -> f k <= sumN n f.
Proof. intros Hf. assert (P : forall n, 0 <= sumN n f) by (induction n0; simpl; [lra|specialize (Hf n0); lra]). induction n; intros Hk; [lia|]. simpl. destruct (Nat.eq_dec k n) as [->|]; [specialize (P n); lra|]. specialize (Hf n). assert (f k <= sumN n f) by (apply IHn; lia). lra. Qed.
Lemma sumN_nn n f : (forall i, 0 <= f i) -> 0 <= sumN n f.
Proof. intros Hf. induction n; simpl; [lra|specialize (Hf n); lra]. Qed.
Lemma bounded_sumN n (f : nat -> Omega -> R) : (forall k, bounded (f k)) -> bounded (fun w => sumN n (fun k => f k w)).
Proof.
  intros Hf. induction n; simpl; [apply bounded_constant|]. apply (bounded_sum (fun w => sumN n (fun k => f k w)) (f n)); auto.
Qed.
Lemma E_sumN n (f : nat -> Omega -> R) : (forall k, bounded (f k)) ->
  E (fun w => sumN n (fun k => f k w)) = sumN n (fun k => E (f k)).
Proof.
  intros Hf. induction n; simpl; [apply (E_const E HE)|]. rewrite <- IHn.
  apply (E_plus E HE (fun w => sumN n (fun k => f k w)) (f n)); auto using bounded_sumN.
Qed.
Lemma sumN_le n f g : (forall i, (i < n)%nat -> f i <= g i) -> sumN n f <= sumN n g.
Proof. induction n; intros Hfg; simpl; [lra|]. pose proof (Hfg n ltac:(lia)). assert (sumN n f <= sumN n g) by (apply IHn; auto). lra. Qed.

Theorem good_event (dec : forall w, {bad w} + {~ bad w}) : E (fun w => ind _ (dec w)) <= delta.
Proof.
  pose (Iq := fun i m w => ind _ (Rlt_dec (B m) (Rabs (mean r (row i m w) - q i)))).
  pose (Ic := fun i m w => ind _ (Rlt_dec (cmax * B m) (Rabs (mean c (row i m w) - cbar i)))).
  assert (I0 : forall P (d : {P} + {~ P}), 0 <= ind P d) by (intros P d; unfold ind; destruct d; lra).
  assert (Bq : forall i m, bounded (Iq i m)) by (intros; apply (bounded_ind (fun w => B m < Rabs (mean r (row i m w) - q i)))).
  assert (Bc : forall i m, bounded (Ic i m)) by (intros; apply (bounded_ind (fun w => cmax * B m < Rabs (mean c (row i m w) - cbar i)))).
  assert (Bs : forall i k, bounded (fun w => Iq i (S k) w + Ic i (S k) w)) by (intros; apply bounded_sum; auto).
  assert (Bb : forall i, bounded (fun w => sumN M (fun k => Iq i (S k) w + Ic i (S k) w))).
  { intros i. apply (bounded_sumN M (fun k w => Iq i (S k) w + Ic i (S k) w)); auto. }
  apply Rle_trans with (E (fun w => sumN N (fun i => sumN M (fun k => Iq i (S k) w + Ic i (S k) w)))).
  - apply (E_mono _ HE); [apply (bounded_ind bad)|apply (bounded_sumN N (fun i w => sumN M (fun k => Iq i (S k) w + Ic i (S k) w))); auto|]. intros w.
    assert (NN : forall i k, 0 <= Iq i (S k) w + Ic i (S k) w) by (intros; apply Rplus_le_le_0_compat; apply I0).
    unfold ind at 1. destruct (dec w) as [(i & m & Hi & [Hm1 Hm2] & Hb)|_].
    + apply Rle_trans with (sumN M (fun k => Iq i (S k) w + Ic i (S k) w)).
      * destruct m as [|k]; [lia|]. apply Rle_trans with (Iq i (S k) w + Ic i (S k) w); [|apply (sumN_ge M (fun k => Iq i (S k) w + Ic i (S k) w)); [intros; apply NN|lia]].
        unfold Iq, Ic. destruct Hb as [Hb|Hb]; unfold badq, badc in Hb; unfold ind; destruct (Rlt_dec (B (S k)) _); destruct (Rlt_dec (cmax * B (S k)) _); try lra; contradiction.
      * apply (sumN_ge N (fun i => sumN M (fun k => Iq i (S k) w + Ic i (S k) w))); [intros; apply sumN_nn; intros; apply NN|assumption].
    + apply sumN_nn. intros. apply sumN_nn. intros. apply NN.
  - rewrite (E_sumN N (fun i w => sumN M (fun k => Iq i (S k) w + Ic i (S k) w))) by assumption.
    assert (HNp : 1 <= INR N) by (apply (le_INR 1); auto). pose proof PI_RGT_0. assert (0 < PI ^ 2) by nra.
    apply Rle_trans with (sumN N (fun _ => 6 * delta / (PI ^ 2 * INR N) * basel M)).
    + apply sumN_le. intros i Hi. rewrite (E_sumN M (fun k w => Iq i (S k) w + Ic i (S k) w)) by auto.
      apply Rle_trans with (sumN M (fun k => 6 * delta / (PI ^ 2 * INR N) * / INR (S k) ^ 2)).
      * apply sumN_le. intros k Hk. rewrite (E_plus E HE (Iq i (S k)) (Ic i (S k))) by auto. pose proof (pq i (S k) Hi ltac:(lia)). pose proof (pc i (S k) Hi ltac:(lia)).
        assert (0 < INR (S k)) by (apply lt_0_INR; lia). unfold Iq, Ic.
        replace (6 * delta / (PI ^ 2 * INR N) * / INR (S k) ^ 2) with (3 * delta / (PI ^ 2 * INR N * INR (S k) ^ 2) + 3 * delta / (PI ^ 2 * INR N * INR (S k) ^ 2)) by (field; repeat split; lra). lra.
      * right. generalize (6 * delta / (PI ^ 2 * INR N)). clear. intros a. induction M; [simpl; ring|]. cbn [sumN basel]. rewrite IHn. ring.
    + assert (HS : forall x, sumN N (fun _ => x) = INR N * x).
      { clear. intros x. induction N; [simpl; ring|]. cbn [sumN]. rewrite S_INR, IHn. ring. }
      rewrite HS. pose proof (basel_le M) as HB.
      replace (INR N * (6 * delta / (PI ^ 2 * INR N) * basel M)) with (6 * delta / PI ^ 2 * basel M) by (field; split; lra).
      apply Rle_trans with (6 * delta / PI ^ 2 * (PI ^ 2 / 6)); [|right; field; lra]. apply Rmult_le_compat_l; [|assumption].
      apply Rlt_le, Rdiv_lt_0_compat; lra.
Qed.
Corollary good_event_prob (dec : forall w, {bad w} + {~ bad w}) : 1 - delta <= E (fun w => 1 - ind _ (dec w)).
Proof.
  pose proof (good_event dec). assert (Bi : bounded (fun w => ind _ (dec w))) by apply (bounded_ind bad).
  assert (Bo : bounded (fun w => 1 * 1 + (-1) * ind _ (dec w))) by (apply bounded_sum; [apply bounded_constant|apply bounded_times; assumption]).
  rewrite (E_ext E HE (fun w => 1 - ind _ (dec w)) (fun w => 1 * 1 + (-1) * ind _ (dec w))).
  - rewrite (E_lin _ HE 1 (-1) (fun _ => 1)), (E_one _ HE) by auto using bounded_constant. lra.
  - destruct Bo as (b & Hb). exists b. intros w. specialize (Hb w). cbv beta in Hb.
    replace (1 * 1 + -1 * ind _ (dec w)) with (1 - ind _ (dec w)) in Hb by ring. exact Hb.
  - intros w. ring.
Qed.
End GoodEvent.

(* non-vacuity: a fair coin, horizon M; Omega = lists, E = the M-fold product of the fair-coin law. *)
Section Coin.
Definition coin (f : bool -> R) : R := (f true + f false) / 2.
Lemma coin_E : isE coin.
Proof. split; unfold coin; intros; try lra. pose proof (H1 true). pose proof (H1 false). lra. Qed.
Lemma EM_ext m (F G : list bool -> R) : (forall l, F l = G l) -> EM coin m F = EM coin m G.
Proof.
  revert F G. induction m; intros F G HFG; [apply HFG|]. cbn [EM]. unfold coin at 1 3. f_equal. f_equal; apply IHm; auto.
Qed.
Lemma EM_E M : isE (EM coin M).
Proof.
  split.
  - induction M; [reflexivity|]. cbn [EM]. unfold coin at 1. rewrite IHM. lra.
  - intros f g Hf Hg Hfg. apply (EM_mono coin coin_E); auto using bounded_everywhere.
  - intros a b f g Hf Hg. apply (EM_lin coin coin_E); auto using bounded_everywhere.
Qed.
Lemma EM_const m c : EM coin m (fun _ => c) = c.
Proof. induction m; [reflexivity|]. cbn [EM]. unfold coin at 1. rewrite IHm. lra. Qed.
Lemma coin_iid M : forall m F, (m <= M)%nat -> EM coin M (fun w => F (map (fun k => nth k w false) (seq 0 m))) = EM coin m F.
Proof.
  induction M as [|M IH]; intros m F Hm.
  - replace m with 0%nat by lia. reflexivity.
  - destruct m as [|m]; [exact (EM_const (S M) (F []))|]. cbn [EM]. unfold coin at 1 3.
    assert (E : forall x, EM coin M (fun l => F (map (fun k => nth k (x :: l) false) (seq 0 (S m)))) = EM coin m (fun l => F (x :: l))).
    { intros x. rewrite <- (IH m (fun l => F (x :: l))) by lia. apply EM_ext. intros w. simpl. rewrite <- seq_shift, map_map. reflexivity. }
    rewrite !E. reflexivity.
Qed.
Definition sc (x : bool) : R := if x then 1 else 0.
Theorem good_event_instance (M : nat)
  (dec : forall w, {bad bool (list bool) 2 (1/2) 1 (fun _ k w => nth k w false) sc sc (fun _ => 1/2) (fun _ => 1/2) M w} + {~ bad bool (list bool) 2 (1/2) 1 (fun _ k w => nth k w false) sc sc (fun _ => 1/2) (fun _ => 1/2) M w}) :
  EM coin M (fun w => ind _ (dec w)) <= 1 / 2.
Proof.
  apply (good_event bool (list bool) 2 (1/2) 1 (fun _ => coin) (EM coin M) (fun _ k w => nth k w false) sc sc (fun _ => 1/2) (fun _ => 1/2)); try lia; try lra.
  - apply EM_E.
  - intros; apply coin_E.
  - intros []; simpl; lra.
  - intros []; simpl; lra.
  - intros; unfold coin; simpl; lra.
  - intros; unfold coin; simpl; lra.
  - intros i m F _ Hm _. unfold row. apply (coin_iid M m F Hm).
Qed.
End Coin.
