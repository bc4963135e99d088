(* The radius is as small as the union bound allows: the bounds of Hoeffding at all counts, of both bands of every
   provider, sum to delta, and with any smaller radius of the same form to more. *)
Require Import Reals Lra Lia List Arith Psatz.
From Coquelicot Require Import Coquelicot.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements.
From Costproof Require Basel.
Import ListNotations.
Open Scope R_scope.

Lemma x_cos_below_sin x : 0 <= x <= PI / 2 -> 0 <= x * cos x <= sin x.
Proof.
  intros Hx. split; [apply Rmult_le_pos; [lra|apply cos_ge_0; lra]|].
  destruct (Req_dec x 0) as [->|Hne]; [rewrite sin_0; lra|].
  destruct (MVT_gen (fun y => sin y - y * cos y) 0 x (fun y => y * sin y)) as (c & Hc & E).
  - intros y _. auto_derive; [exact I|ring].
  - intros y _. apply derivable_continuous_pt. exists (y * sin y). apply is_derive_Reals. auto_derive; [exact I|ring].
  - rewrite Rmin_left, Rmax_right in Hc by lra. rewrite sin_0 in E.
    assert (0 <= sin c) by (apply sin_ge_0; lra). assert (0 <= c * sin c * (x - 0)) by (repeat apply Rmult_le_pos; lra). lra.
Qed.
Lemma basel_above n : PI ^ 2 / 6 - 2 / (2 * INR n + 1) <= Basel.basel (S n).
Proof.
  rewrite Basel.basel_tel. pose proof (Basel.Ipos (S n)) as HI. pose proof (Basel.recI n) as Hrec. rewrite S_INR in Hrec.
  assert (HJ : Basel.J (S n) <= Basel.I n - Basel.I (S n)).
  { refine (is_RInt_le _ _ 0 (PI / 2) _ _ ltac:(pose proof PI_RGT_0; lra) (Basel.isJ (S n))
      (is_RInt_minus _ _ 0 (PI / 2) _ _ (Basel.isI n) (Basel.isI (S n))) _).
    intros x Hx. pose proof (x_cos_below_sin x ltac:(lra)) as Hs. unfold Basel.fJ, Basel.fI. rewrite !Basel.pow2S.
    change (minus ?a ?b) with (a - b). pose proof (Basel.s2 x) as H2.
    assert (Hp : 0 <= cos x ^ (2 * n)) by (rewrite pow_mult; apply pow_le; nra).
    assert (Hq : x * cos x * (x * cos x) <= sin x * sin x) by (apply Rmult_le_compat; lra).
    apply (Rmult_le_compat_r _ _ _ Hp) in Hq. unfold minus, plus, opp. simpl in *. nra. }
  pose proof (pos_INR n) as Hn. assert (E : Basel.I n - Basel.I (S n) = Basel.I (S n) / (2 * INR n + 1)).
  { apply Rmult_eq_reg_r with (2 * INR n + 1); [|lra]. unfold Rdiv. rewrite (Rmult_assoc (Basel.I (S n))), Rinv_l by lra. lra. }
  assert (Hratio : Basel.J (S n) / Basel.I (S n) <= 1 / (2 * INR n + 1)).
  { apply Rmult_le_reg_r with (Basel.I (S n)); [exact HI|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra.
    rewrite E in HJ. unfold Rdiv in *. lra. }
  unfold Rdiv in *. lra.
Qed.

(* what Hoeffding's inequality and the union bound allow within M selections of each provider *)
Definition union_bound (N : nat) (delta : R) (M : nat) : R :=
  bsum N (fun _ => bsum M (fun k => 2 * (2 * exp (-2 * INR (S k) * (bt N delta (S k) * bt N delta (S k)))))).
Lemma union_bound_is N delta M : (1 <= N)%nat -> 0 < delta < 1 -> union_bound N delta M = 6 * delta / PI ^ 2 * Basel.basel M.
Proof.
  intros HN Hd. assert (HN1 : 1 <= INR N) by (apply (le_INR 1); exact HN). pose proof PI_RGT_0 as Hpi. assert (0 < PI ^ 2) by nra.
  assert (E : bsum M (fun k => 2 * (2 * exp (-2 * INR (S k) * (bt N delta (S k) * bt N delta (S k)))))
    = 6 * delta / (PI ^ 2 * INR N) * Basel.basel M).
  { induction M as [|M IH]; [simpl; ring|]. cbn [bsum Basel.basel]. rewrite IH. unfold bt at 1 2.
    assert (Hm : 1 <= INR (S M)) by (apply (le_INR 1); lia). set (x := INR (S M)) in *. rewrite beta_sq by assumption.
    replace (-2 * x * (1 / (2 * x) * ln (2 * PI ^ 2 * INR N * x ^ 2 / (3 * delta)))) with (- ln (2 * PI ^ 2 * INR N * x ^ 2 / (3 * delta))) by (field; lra).
    rewrite exp_Ropp, exp_ln by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; nra|lra]). field. repeat split; lra. }
  unfold union_bound. rewrite (bsum_ext N _ (fun _ => 6 * delta / (PI ^ 2 * INR N) * Basel.basel M)) by (intros; exact E).
  rewrite bsum_const. field. split; lra.
Qed.
Theorem the_budget_is_kept N delta M : (1 <= N)%nat -> 0 < delta < 1 -> union_bound N delta M <= delta.
Proof.
  intros HN Hd. rewrite union_bound_is by assumption. pose proof (Basel.basel_le M) as H. pose proof PI_RGT_0. assert (0 < PI ^ 2) by nra.
  apply Rle_trans with (6 * delta / PI ^ 2 * (PI ^ 2 / 6)); [|right; field; lra].
  apply Rmult_le_compat_l; [apply Rlt_le, Rdiv_lt_0_compat; lra|exact H].
Qed.
(* the radius for a larger delta is smaller *)
Theorem a_smaller_radius_breaks_the_budget N delta larger : (1 <= N)%nat -> 0 < delta < larger -> larger < 1 ->
  exists M, delta < union_bound N larger M.
Proof.
  intros HN Hd Hl. pose proof PI_RGT_0. assert (Hp : 0 < PI ^ 2) by nra.
  assert (Hx : 0 < 6 * larger / (larger - delta)) by (apply Rdiv_lt_0_compat; lra).
  destruct (archimed (6 * larger / (larger - delta))) as [Hn _]. set (n := Z.to_nat (up (6 * larger / (larger - delta)))).
  assert (En : IZR (up (6 * larger / (larger - delta))) = INR n).
  { unfold n. rewrite INR_IZR_INZ, Z2Nat.id; [reflexivity|]. apply le_IZR. lra. }
  rewrite En in Hn. apply Rgt_lt in Hn. exists (S n). rewrite union_bound_is by (auto; lra).
  pose proof (basel_above n) as HB. pose proof (pos_INR n).
  apply Rlt_le_trans with (6 * larger / PI ^ 2 * (PI ^ 2 / 6 - 2 / (2 * INR n + 1))).
  - replace (6 * larger / PI ^ 2 * (PI ^ 2 / 6 - 2 / (2 * INR n + 1))) with (larger - 6 * larger * 2 / (PI ^ 2 * (2 * INR n + 1))) by (field; lra).
    assert (12 * larger / (PI ^ 2 * (2 * INR n + 1)) < larger - delta).
    { apply (Rmult_lt_compat_r (larger - delta)) in Hn; [|lra]. unfold Rdiv in Hn. rewrite Rmult_assoc, Rinv_l in Hn by lra.
      pose proof pi_lower. assert (9 <= PI ^ 2) by nra.
      apply Rmult_lt_reg_r with (PI ^ 2 * (2 * INR n + 1)); [nra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by nra. nra. }
    replace (6 * larger * 2) with (12 * larger) by ring. lra.
  - apply Rmult_le_compat_l; [apply Rlt_le, Rdiv_lt_0_compat; lra|exact HB].
Qed.
