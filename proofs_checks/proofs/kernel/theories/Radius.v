(* lem:radius-inversion and lem:radius-monotone, for ALL real N, delta, a, m. *)
Require Import Reals Lra Psatz.

Open Scope R_scope.

Definition beta (N delta m : R) : R := sqrt (1 / (2 * m) * ln (2 * PI ^ 2 * N * m ^ 2 / (3 * delta))).

Lemma ln_le_pred x : 0 < x -> ln x <= x - 1.
Proof.
  intros Hx. destruct (Req_dec (ln x) 0) as [E | NE].
  - assert (x = 1) by (rewrite <- (exp_ln x Hx), E; apply exp_0). lra.
  - pose proof (exp_ineq1 (ln x) NE) as H. rewrite exp_ln in H by assumption. lra.
Qed.

(* Bounds of pi by Machin's formula with 1/3 and 1/7, bounds of e by its series: by hand, so that nothing but the axioms
   of the real numbers is used. *)
Lemma pi_upper : PI < 3.1416.
Proof.
  destruct (PI_2_3_7_ineq 2) as [_ H].
  unfold tg_alt, PI_2_3_7_tg, Ratan_seq in H. simpl in H. lra.
Qed.

Lemma pi_lower : 3 < PI.
Proof. pose proof PI2_3_2. lra. Qed.

Lemma series_below_exp x n : 0 <= x -> sum_f_R0 (fun i => / INR (fact i) * x ^ i) n <= exp x.
Proof.
  intros Hx. apply (growing_ineq (sum_f_R0 (fun i => / INR (fact i) * x ^ i))).
  - intros k. simpl. assert (0 <= / INR (fact (S k)) * x ^ S k).
    { apply Rmult_le_pos; [apply Rlt_le, Rinv_0_lt_compat, INR_fact_lt_0|apply pow_le; assumption]. }
    simpl in *. lra.
  - unfold exp. destruct (exist_exp x) as [l Hl]. exact Hl.
Qed.

Lemma e2_lower : 7.388 < exp 2.
Proof.
  assert (H : 1.64869 < exp (1 / 2)).
  { eapply Rlt_le_trans; [|exact (series_below_exp (1 / 2) 5 ltac:(lra))].
    cbn [sum_f_R0]. rewrite !INR_IZR_INZ.
    cbn [fact Nat.mul Nat.add Z.of_nat Pos.of_succ_nat Pos.succ]. simpl. lra. }
  replace 2 with (1 / 2 + 1 / 2 + (1 / 2 + 1 / 2)) by lra. rewrite !exp_plus.
  assert (2.71817 < exp (1 / 2) * exp (1 / 2)) by nra. nra.
Qed.

Lemma const57 : 128 * PI ^ 2 / (3 * exp 2) < 57.
Proof.
  pose proof pi_upper. pose proof pi_lower. pose proof e2_lower.
  apply Rmult_lt_reg_r with (3 * exp 2); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
  assert (PI ^ 2 < 9.86966) by nra. lra.
Qed.

Lemma e2_lt : exp 2 < 4 * PI ^ 2 / 3.
Proof.
  assert (exp 2 <= 9).
  { replace 2 with (1 + 1) by lra. rewrite exp_plus. pose proof exp_le_3. pose proof (exp_pos 1). nra. }
  pose proof pi_lower. nra.
Qed.

Lemma pi23_gt1 : 1 < 2 * PI ^ 2 / 3.
Proof. pose proof pi_lower. nra. Qed.

Lemma logarg_ge1 N delta m : 1 <= N -> 0 < delta < 1 -> 1 <= m ->
  2 * PI ^ 2 / 3 <= 2 * PI ^ 2 * N * m ^ 2 / (3 * delta).
Proof.
  intros HN Hd Hm. pose proof PI_RGT_0 as Hp.
  assert (0 < PI ^ 2) by nra. assert (1 <= m ^ 2) by nra.
  assert (H1 : 1 <= N * m ^ 2 / delta).
  { apply Rmult_le_reg_r with delta; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra. }
  replace (2 * PI ^ 2 * N * m ^ 2 / (3 * delta)) with (2 * PI ^ 2 / 3 * (N * m ^ 2 / delta)) by (field; lra).
  nra.
Qed.

Lemma beta_sq N delta m : 1 <= N -> 0 < delta < 1 -> 1 <= m ->
  beta N delta m * beta N delta m = 1 / (2 * m) * ln (2 * PI ^ 2 * N * m ^ 2 / (3 * delta)).
Proof.
  intros HN Hd Hm. apply sqrt_sqrt. apply Rmult_le_pos.
  - apply Rlt_le, Rdiv_lt_0_compat; lra.
  - rewrite <- ln_1. apply Rlt_le, ln_increasing; [lra|].
    pose proof (logarg_ge1 N delta m HN Hd Hm). pose proof pi23_gt1. lra.
Qed.

Theorem radius_inversion_strict (N delta a m : R) :
  1 <= N -> 0 < delta < 1 -> 0 < a -> 1 <= m ->
  a <= 2 * beta N delta m ->
  m < 4 / a ^ 2 * ln (57 * N / (delta * a ^ 4)).
Proof.
  intros HN Hd Ha Hm Hc.
  pose proof PI_RGT_0 as Hp. assert (Hp2 : 0 < PI ^ 2) by nra.
  assert (Ha2 : 0 < a ^ 2) by nra. assert (Ha4 : 0 < a ^ 4) by nra.
  pose proof (beta_sq N delta m HN Hd Hm) as Hb.
  set (C := 2 * PI ^ 2 * N / (3 * delta)) in *.
  assert (HC : 0 < C) by (unfold C; apply Rdiv_lt_0_compat; nra).
  assert (El : ln (2 * PI ^ 2 * N * m ^ 2 / (3 * delta)) = ln C + 2 * ln m).
  { replace (2 * PI ^ 2 * N * m ^ 2 / (3 * delta)) with (C * (m * m)) by (unfold C; field; lra).
    rewrite ln_mult by nra. rewrite ln_mult by lra. ring. }
  rewrite El in Hb.
  (* a^2 m <= 2 (ln C + 2 ln m) *)
  assert (H1 : a ^ 2 * m <= 2 * (ln C + 2 * ln m)).
  { assert (Hb0 : 0 <= beta N delta m) by apply sqrt_pos.
    assert (a ^ 2 <= 4 * (beta N delta m * beta N delta m)) by nra.
    rewrite Hb in H.
    replace (2 * (ln C + 2 * ln m)) with (4 * (1 / (2 * m) * (ln C + 2 * ln m)) * m) by (field; lra).
    apply Rmult_le_compat_r; lra. }
  (* tangent line at r = 8/a^2 *)
  assert (Hr : 0 < 8 / a ^ 2) by (apply Rdiv_lt_0_compat; lra).
  assert (H2 : ln m <= m * a ^ 2 / 8 + ln (8 / a ^ 2) - 1).
  { assert (Hm8 : 0 < m * a ^ 2 / 8) by nra.
    pose proof (ln_le_pred _ Hm8).
    replace m with ((m * a ^ 2 / 8) * (8 / a ^ 2)) at 1 by (field; lra).
    rewrite ln_mult by assumption. lra. }
  assert (H3 : m * a ^ 2 <= 4 * (ln C + 2 * ln (8 / a ^ 2) - 2)) by lra.
  (* constants *)
  assert (H4 : ln C + 2 * ln (8 / a ^ 2) - 2 < ln (57 * N / (delta * a ^ 4))).
  { replace 2 with (ln (exp 2)) at 2 by apply ln_exp.
    pose proof (exp_pos 2) as He.
    assert (E : ln C + 2 * ln (8 / a ^ 2) - ln (exp 2) = ln (128 * PI ^ 2 / (3 * exp 2) * (N / (delta * a ^ 4)))).
    { replace (128 * PI ^ 2 / (3 * exp 2) * (N / (delta * a ^ 4))) with (C * ((8 / a ^ 2) * (8 / a ^ 2)) * / exp 2)
        by (unfold C; field; repeat split; nra).
      rewrite ln_mult; [| apply Rmult_lt_0_compat; nra | apply Rinv_0_lt_compat; lra].
      rewrite ln_mult by nra. rewrite ln_mult by assumption. rewrite ln_Rinv by assumption. ring. }
    rewrite E.
    assert (HNd : 0 < N / (delta * a ^ 4)) by (apply Rdiv_lt_0_compat; nra).
    assert (Hlt : 128 * PI ^ 2 / (3 * exp 2) * (N / (delta * a ^ 4)) < 57 * N / (delta * a ^ 4)).
    { replace (57 * N / (delta * a ^ 4)) with (57 * (N / (delta * a ^ 4))) by (field; nra).
      apply Rmult_lt_compat_r; [assumption|]. exact const57. }
    apply ln_increasing; [|assumption].
    apply Rmult_lt_0_compat; [|assumption]. apply Rdiv_lt_0_compat; nra. }
  assert (H5 : m * a ^ 2 < 4 * ln (57 * N / (delta * a ^ 4))) by lra.
  apply Rmult_lt_reg_r with (a ^ 2); [assumption|].
  replace (4 / a ^ 2 * ln (57 * N / (delta * a ^ 4)) * a ^ 2) with (4 * ln (57 * N / (delta * a ^ 4))) by (field; lra).
  assumption.
Qed.
Theorem radius_inversion (N delta a m : R) :
  1 <= N -> 0 < delta < 1 -> 0 < a -> 1 <= m ->
  a <= 2 * beta N delta m ->
  m <= 4 / a ^ 2 * ln (57 * N / (delta * a ^ 4)).
Proof. intros. apply Rlt_le, radius_inversion_strict; assumption. Qed.

(* lem:radius-monotone, derivative free *)
Theorem radius_decreasing (N delta x y : R) :
  2 <= N -> 0 < delta < 1 -> 1 <= x -> x < y -> beta N delta y < beta N delta x.
Proof.
  intros HN Hd Hx Hxy. unfold beta. apply sqrt_lt_1_alt.
  set (L := ln (2 * PI ^ 2 * N * x ^ 2 / (3 * delta))).
  assert (Hpi := PI_RGT_0). assert (0 < PI ^ 2) by nra.
  assert (HL : 2 <= L).
  { apply Rle_trans with (ln (exp 2)); [rewrite ln_exp; lra|]. unfold L. apply Rlt_le, ln_increasing; [apply exp_pos|].
    apply Rlt_le_trans with (4 * PI ^ 2 / 3); [exact e2_lt|].
    assert (HN2 : 1 <= N / 2) by lra. pose proof (logarg_ge1 (N / 2) delta x HN2 Hd Hx) as H2.
    replace (2 * PI ^ 2 * (N / 2) * x ^ 2 / (3 * delta)) with (2 * PI ^ 2 * N * x ^ 2 / (3 * delta) / 2) in H2 by (field; lra). lra. }
  set (u := y / x). assert (Hu : 1 < u).
  { unfold u. apply Rmult_lt_reg_r with x; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Ey : y = x * u) by (unfold u; field; lra).
  assert (EL : ln (2 * PI ^ 2 * N * y ^ 2 / (3 * delta)) = L + 2 * ln u).
  { rewrite Ey. replace (2 * PI ^ 2 * N * (x * u) ^ 2 / (3 * delta)) with ((2 * PI ^ 2 * N * x ^ 2 / (3 * delta)) * (u * u)) by (field; lra).
    rewrite ln_mult; [| apply Rdiv_lt_0_compat; [|lra]; apply Rmult_lt_0_compat; nra | nra].
    rewrite ln_mult by lra. unfold L. ring. }
  assert (Hlu : ln u < u - 1).
  { assert (ln u <> 0) by (rewrite <- ln_1; intros E; apply ln_inv in E; lra). pose proof (exp_ineq1 (ln u) H0) as Hexp.
    rewrite exp_ln in Hexp by lra. lra. }
  assert (Hlu0 : 0 < ln u) by (rewrite <- ln_1; apply ln_increasing; lra).
  rewrite EL, Ey. split.
  - apply Rmult_le_pos; [|lra]. apply Rlt_le, Rdiv_lt_0_compat; nra.
  - apply Rmult_lt_reg_r with (2 * x * u); [nra|].
    replace (1 / (2 * (x * u)) * (L + 2 * ln u) * (2 * x * u)) with (L + 2 * ln u) by (field; lra).
    replace (1 / (2 * x) * L * (2 * x * u)) with (L * u) by (field; lra). nra.
Qed.
Corollary radius_monotone (N delta x y : R) :
  2 <= N -> 0 < delta < 1 -> 1 <= x -> x <= y -> beta N delta y <= beta N delta x.
Proof. intros HN Hd Hx [H| ->]; [apply Rlt_le, radius_decreasing; assumption|lra]. Qed.
