(* Convergence of payments under the exploration target g(t) = k (t/N)^alpha. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs.
Import ListNotations.
Open Scope R_scope.

Lemma Rpower_positive x y : 0 < Rpower x y. Proof. apply exp_pos. Qed.
Lemma Rpower_step p y : 0 < p < 1 -> 1 <= y ->
  (1 - p) * Rpower (y + 1) (- p) <= Rpower (y + 1) (1 - p) - Rpower y (1 - p).
Proof.
  intros Hp Hy. destruct (MVT_cor2 (fun x => Rpower x (1 - p)) (fun x => (1 - p) * Rpower x (1 - p - 1)) y (y + 1)) as (c & E & Hc).
  - lra.
  - intros c Hc. apply derivable_pt_lim_power. lra.
  - rewrite E. replace (y + 1 - y) with 1 by ring. rewrite Rmult_1_r. replace (1 - p - 1) with (- p) by ring.
    apply Rmult_le_compat_l; [lra|]. rewrite !Rpower_Ropp. apply Rinv_le_contravar; [apply exp_pos|]. apply Rle_Rpower_l; lra.
Qed.

(* g(t) = k (t/N)^alpha *)
Definition target (N : nat) (k al : R) (t : nat) : R := k * Rpower (INR t / INR N) al.

Section Polynomial.
Variables (N : nat) (delta cmax qmin gamma dm dp k al : R) (q cbar : nat -> R) (istar : nat).
Variables (qhat est : nat -> nat -> R) (bid : list nat -> nat -> R) (Q : list nat) (c2 Mbar : R).
Notation g := (target N k al).
Notation now := (now N).
Notation bt := (bt N delta).
Notation rad := (rad N delta cmax gamma).
Notation Qh := (Qh N delta qmin qhat).
Notation explores := (explores N delta qmin qhat g).
Notation explored := (explored N delta qmin qhat g).
Notation explores_dec := (explores_dec N delta qmin qhat g).
Notation step := (step N delta cmax qmin gamma qhat bid g).
Notation run := (run N delta cmax qmin gamma qhat bid g).
Notation payment := (payment N delta cmax qmin gamma qhat bid g).
Notation M := (M N delta).

Hypothesis HN : (2 <= N)%nat.
Hypothesis Hd : 0 < delta < 1.
Hypothesis Hc : 0 < cmax.
Hypothesis Hga : 0 <= gamma.
Hypothesis Hdev : 0 <= dm /\ 0 <= dp.
Hypothesis Hk : 0 < k.
Hypothesis Hal : 0 < al < 1.
Hypothesis Hstar : (istar < N)%nat /\ qmin <= q istar /\
  forall j, (j < N)%nat -> qmin <= q j -> j <> istar -> cbar istar < cbar j.
Hypothesis good_quality : forall i n, (i < N)%nat -> (1 <= n)%nat -> Rabs (qhat i n - q i) <= bt n.
Hypothesis good_cost : forall i n, (i < N)%nat -> (1 <= n)%nat -> Rabs (est i n - cbar i) <= rad n.
Hypothesis bids_near : forall h i, run h -> (i < N)%nat -> - dm <= bid h i - est i (m h i) <= dp.
Hypothesis HQ : forall j, In j Q <-> (j < N)%nat /\ qmin <= q j.
Hypothesis Hc2 : minl cbar (filter (fun j => negb (Nat.eqb j istar)) Q) = Some c2.
Hypothesis Hcbar : forall j, (j < N)%nat -> 0 <= cbar j <= cmax.
Hypothesis bids_range : forall h i, run h -> (i < N)%nat -> 0 <= bid h i <= cmax.
Hypothesis HMbar : 1 <= Mbar /\ forall i, (i < N)%nat -> q i < qmin -> M (qmin - q i) <= Mbar.

Definition T0 : R := INR N * Rmax 1 (Rpower (Mbar / k) (1 / al)).

Lemma N2 : 2 <= INR N. Proof. apply (le_INR 2); auto. Qed.
Lemma g_pos t : 0 < g t. Proof. unfold target. apply Rmult_lt_0_compat; [lra|apply Rpower_positive]. Qed.
Lemma g_mono s t : (1 <= s)%nat -> (s <= t)%nat -> g s <= g t.
Proof.
  intros H1 H2. unfold target. apply Rmult_le_compat_l; [lra|]. pose proof N2. apply Rle_Rpower_l; [lra|].
  assert (1 <= INR s) by (apply (le_INR 1); auto). apply le_INR in H2. split; [apply Rdiv_lt_0_compat; lra|].
  apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra|lra].
Qed.
Lemma T0_above_N : INR N <= T0.
Proof. unfold T0. pose proof N2. pose proof (Rmax_l 1 (Rpower (Mbar / k) (1 / al))). nra. Qed.
Lemma after_T0 t : T0 < INR t -> INR N < INR t /\ Mbar < g t.
Proof.
  intros Ht. unfold T0 in Ht. pose proof N2. destruct HMbar as [HM _].
  set (z := Rpower (Mbar / k) (1 / al)) in *. assert (Hz : 0 < z) by apply Rpower_positive.
  pose proof (Rmax_l 1 z). pose proof (Rmax_r 1 z). split; [nra|].
  assert (Hlt : z < INR t / INR N).
  { apply Rmult_lt_reg_r with (INR N); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra. }
  assert (E : k * Rpower z al = Mbar).
  { unfold z. rewrite Rpower_mult. replace (1 / al * al) with 1 by (field; lra).
    rewrite Rpower_1 by (apply Rdiv_lt_0_compat; lra). field. lra. }
  rewrite <- E. unfold target. apply Rmult_lt_compat_l; [lra|]. unfold Rpower. apply exp_increasing.
  apply Rmult_lt_compat_l; [lra|]. apply ln_increasing; auto.
Qed.
Definition radius_at (t : nat) : R := (1 + gamma) * cmax * beta (INR N) delta (g t).

(* lem:ordinary-qualified-set: after T0 an ordinary step leaves nobody unqualified in, and keeps everybody qualified *)
Lemma ordinary_set h : ~ explores h -> T0 < INR (now h) ->
  (forall j, In j (Qh h) -> g (now h) <= INR (m h j)) /\ (forall j, In j (Qh h) <-> In j Q).
Proof.
  intros Hn Ht. destruct (after_T0 _ Ht) as [HtN Hg]. destruct HMbar as [HM1 HM].
  assert (Hcount : forall j, In j (Qh h) -> g (now h) <= INR (m h j)).
  { intros j Hj. destruct (Rle_lt_dec (g (now h)) (INR (m h j))); auto. exfalso. apply Hn. exists j; auto. }
  split; auto. intros j. split.
  - intros Hj. assert (HjN : (j < N)%nat) by (apply in_Qh in Hj; tauto). apply HQ. split; auto.
    destruct (Rle_lt_dec qmin (q j)); auto. exfalso.
    assert (INR (m h j) <= M (qmin - q j)) by (eapply unqualified_exclusion; eauto).
    specialize (HM j HjN r). specialize (Hcount j Hj). lra.
  - intros Hj. apply HQ in Hj. eapply eligible; eauto; tauto.
Qed.
Lemma ordinary_two_sided h s : run h -> step h s -> ~ explores h -> T0 < INR (now h) ->
  c2 - 2 * radius_at (now h) - dm <= payment h s <= c2 + radius_at (now h) + dp.
Proof.
  intros Hr Hs Hn Ht. destruct (after_T0 _ Ht) as [HtN Hg]. destruct HMbar as [HM1 _].
  destruct (ordinary_set h Hn Ht) as [Hcount Hset].
  eapply two_sided_run with (r := radius_at (now h)); try eassumption.
  - intros j Hj. apply Hset; auto.
  - intros j Hj. apply Hset in Hj. unfold radius_at, Runs.rad, Runs.bt. apply Rmult_le_compat_l; [nra|].
    apply radius_monotone; [exact N2|exact Hd|lra|apply Hcount; exact Hj].
Qed.

(* ---- the average deviation *)
Definition early (h : list nat) : R := if Rle_dec (INR (now h)) T0 then 1 else 0.
Definition decay (h : list nat) : R := Rpower (INR (now h)) (- (al / 2)).
Definition Wc (T : nat) : R := sqrt (ln (2 * PI ^ 2 * INR N * (g T) ^ 2 / (3 * delta)) / (2 * k)) * Rpower (INR N) (al / 2).

Lemma INR_now h : INR (now h) = INR N + INR (length h) + 1.
Proof. unfold Runs.now. rewrite !plus_INR. reflexivity. Qed.
Lemma early_total h : total (fun t _ => early t) h <= Rmin (INR N + INR (length h)) T0 - INR N.
Proof.
  pose proof T0_above_N. induction h as [|s h IH]; [simpl; rewrite Rmin_left; lra|].
  cbn [total length]. rewrite S_INR. unfold early at 1. rewrite INR_now. destruct (Rle_dec _ _) as [Hle|Hgt].
  - rewrite (Rmin_left (INR N + (INR (length h) + 1))) by lra. rewrite Rmin_left in IH by lra. lra.
  - assert (Rmin (INR N + INR (length h)) T0 <= Rmin (INR N + (INR (length h) + 1)) T0) by (apply Rle_min_compat_r; lra). lra.
Qed.
Lemma decay_total h : (1 - al / 2) * total (fun t _ => decay t) h <= Rpower (INR N + INR (length h)) (1 - al / 2).
Proof.
  pose proof N2. induction h as [|s h IH]; [simpl; rewrite Rmult_0_r; apply Rlt_le, Rpower_positive|].
  cbn [total length]. pose proof (pos_INR (length h)).
  pose proof (Rpower_step (al / 2) (INR N + INR (length h)) ltac:(lra) ltac:(lra)) as H1.
  unfold decay at 1. rewrite INR_now. replace (INR N + INR (S (length h))) with (INR N + INR (length h) + 1) by (rewrite S_INR; ring). lra.
Qed.
Lemma beta_g t T : (N < t)%nat -> (t <= T)%nat -> 1 <= g t -> beta (INR N) delta (g t) <= Wc T * Rpower (INR t) (- (al / 2)).
Proof.
  intros Ht HtT Hg1. pose proof N2. pose proof PI_RGT_0. assert (0 < PI ^ 2) by nra.
  assert (Ht0 : 0 < INR t) by (apply lt_0_INR; lia). pose proof (g_mono t T ltac:(lia) HtT) as Hgm.
  set (LT := ln (2 * PI ^ 2 * INR N * g T ^ 2 / (3 * delta))).
  assert (Hpos : forall y, 1 <= y -> 0 < 2 * PI ^ 2 * INR N * y ^ 2 / (3 * delta)).
  { intros y Hy. apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; nra|lra]. }
  assert (HL : ln (2 * PI ^ 2 * INR N * g t ^ 2 / (3 * delta)) <= LT).
  { unfold LT. destruct (Req_dec (g t) (g T)) as [->|Hne]; [lra|]. apply Rlt_le, ln_increasing; [apply Hpos; auto|].
    unfold Rdiv. apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat; lra|]. apply Rmult_lt_compat_l; nra. }
  assert (HL0 : 0 <= LT).
  { eapply Rle_trans; [|exact HL]. rewrite <- ln_1. apply Rlt_le, ln_increasing; [lra|].
    pose proof (logarg_ge1 (INR N) delta (g t) ltac:(lra) Hd Hg1). pose proof pi23_gt1. lra. }
  unfold Wc. fold LT. set (v := Rpower (INR N) (al / 2) * Rpower (INR t) (- (al / 2))).
  assert (Hv : 0 < v) by (apply Rmult_lt_0_compat; apply Rpower_positive).
  assert (Ev : v * v * g t = k).
  { unfold v, target. change (INR t / INR N) with (INR t * / INR N).
    rewrite <- Rpower_mult_distr by (auto; apply Rinv_0_lt_compat; lra).
    replace (Rpower (/ INR N) al) with (Rpower (INR N) (- al)) by (unfold Rpower; f_equal; rewrite ln_Rinv by lra; ring).
    transitivity (k * (Rpower (INR N) (al / 2) * Rpower (INR N) (al / 2) * Rpower (INR N) (- al))
      * (Rpower (INR t) (- (al / 2)) * Rpower (INR t) (- (al / 2)) * Rpower (INR t) al)); [ring|].
    rewrite <- !Rpower_plus. replace (al / 2 + al / 2 + - al) with 0 by field. replace (- (al / 2) + - (al / 2) + al) with 0 by field.
    rewrite !Rpower_O by lra. ring. }
  rewrite Rmult_assoc. fold v. unfold beta. rewrite <- (sqrt_square v) by lra.
  rewrite <- sqrt_mult; [|apply Rmult_le_pos; [auto|apply Rlt_le, Rinv_0_lt_compat; lra]|nra].
  apply sqrt_le_1_alt. pose proof (g_pos t) as HG. set (G := target N k al t) in *. replace (LT / (2 * k) * (v * v)) with (1 / (2 * G) * LT).
  - apply Rmult_le_compat_l; [apply Rlt_le, Rdiv_lt_0_compat; lra|assumption].
  - rewrite <- Ev. field. split; lra.
Qed.
Lemma Wc_nonneg T : 0 <= Wc T. Proof. apply Rmult_le_pos; [apply sqrt_pos|apply Rlt_le, Rpower_positive]. Qed.

Definition run_deviation h : R := INR N * (cmax - c2) + total (fun t s => Rabs (payment t s - c2)) h.

Lemma c2_between : 0 <= c2 <= cmax.
Proof. eapply c2_range; eauto. Qed.
Lemma deviation_step T h s : run h -> step h s -> (now h <= T)%nat ->
  Rabs (payment h s - c2) <= cmax * early h + ((cmax - c2) * explored h + (2 * ((1 + gamma) * cmax) * Wc T * decay h + Rmax dm dp)).
Proof.
  intros Hr Hs HT. pose proof c2_between. pose proof (Wc_nonneg T) as HW.
  assert (Hv : 0 < decay h) by apply Rpower_positive.
  assert (HD : 0 <= Rmax dm dp) by (pose proof (Rmax_l dm dp); lra).
  assert (HG : 0 <= (1 + gamma) * cmax) by nra.
  assert (HB : 0 <= 2 * ((1 + gamma) * cmax) * Wc T * decay h) by (apply Rmult_le_pos; [apply Rmult_le_pos; [lra|assumption]|lra]).
  assert (Hx : 0 <= explored h <= 1) by (unfold Runs.explored; destruct (explores_dec h); lra).
  assert (Hp : 0 <= payment h s <= cmax) by (eapply payment_range_run; eauto).
  unfold early. destruct (Rle_dec (INR (now h)) T0) as [Hle|Hgt].
  - assert (Rabs (payment h s - c2) <= cmax) by (apply Rabs_le; lra).
    assert (0 <= (cmax - c2) * explored h) by (apply Rmult_le_pos; lra). lra.
  - rewrite Rmult_0_r, Rplus_0_l. unfold Runs.explored. destruct (explores_dec h) as [He|Hn] eqn:Ed.
    + assert (E : payment h s = cmax) by (unfold Runs.payment; rewrite Ed; reflexivity). rewrite E, Rabs_pos_eq by lra. lra.
    + pose proof (ordinary_two_sided h s Hr Hs Hn ltac:(lra)) as H2.
      destruct (after_T0 (now h) ltac:(lra)) as [HtN HgM]. destruct HMbar as [HM1 _].
      pose proof (beta_g (now h) T ltac:(unfold Runs.now; lia) HT ltac:(lra)) as Hbg. fold (decay h) in Hbg.
      assert (Hb0 : 0 <= beta (INR N) delta (g (now h))) by apply sqrt_pos.
      assert (Hra : 0 <= radius_at (now h)) by (unfold radius_at; apply Rmult_le_pos; [nra|assumption]).
      assert (2 * radius_at (now h) <= 2 * ((1 + gamma) * cmax) * Wc T * decay h).
      { unfold radius_at. replace (2 * ((1 + gamma) * cmax) * Wc T * decay h) with (2 * ((1 + gamma) * cmax * (Wc T * decay h))) by ring.
        apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; [nra|assumption]. }
      pose proof (Rmax_l dm dp). pose proof (Rmax_r dm dp). apply Rabs_le. lra.
Qed.

(* the paper has 6 / (2 - alpha): with the sharper lower bound 4 is enough *)
Theorem deviation_bound h : run h ->
  let T := (N + length h)%nat in
  run_deviation h <= T0 * cmax + INR N * (ceiling (g T) - 1) * (cmax - c2)
    + 4 * ((1 + gamma) * cmax) / (2 - al) * (Wc T * Rpower (INR T) (1 - al / 2)) + Rmax dm dp * INR (length h).
Proof.
  intros Hr T. unfold run_deviation. pose proof c2_between. pose proof N2. pose proof (Wc_nonneg T) as HW.
  assert (H1 : total (fun t s => Rabs (payment t s - c2)) h <= total (fun t _ => cmax * early t
    + ((cmax - c2) * explored t + (2 * ((1 + gamma) * cmax) * Wc T * decay t + Rmax dm dp))) h).
  { eapply total_along; [exact Hr|apply le_n|]. intros t s Ht Hs HT. apply deviation_step; auto. }
  rewrite !total_plus, !total_scal, total_const in H1.
  pose proof (early_total h) as H2. pose proof (Rmin_r (INR N + INR (length h)) T0) as H3.
  assert (H4 : total (fun t _ => explored t) h <= INR N * (ceiling (g T) - 1)).
  { eapply explored_bound; eauto using g_mono, g_pos. }
  pose proof (decay_total h) as H5. rewrite <- plus_INR in H5. fold T in H5.
  assert (H6 : 2 * ((1 + gamma) * cmax) * Wc T * total (fun t _ => decay t) h
    <= 4 * ((1 + gamma) * cmax) / (2 - al) * (Wc T * Rpower (INR T) (1 - al / 2))).
  { replace (4 * ((1 + gamma) * cmax) / (2 - al) * (Wc T * Rpower (INR T) (1 - al / 2)))
      with (2 * ((1 + gamma) * cmax) * Wc T * (Rpower (INR T) (1 - al / 2) / (1 - al / 2))) by (field; lra).
    apply Rmult_le_compat_l; [apply Rmult_le_pos; [nra|assumption]|].
    apply Rmult_le_reg_r with (1 - al / 2); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (H7 : (cmax - c2) * total (fun t _ => explored t) h <= (cmax - c2) * (INR N * (ceiling (g T) - 1))).
  { apply Rmult_le_compat_l; lra. }
  assert (H8 : cmax * total (fun t _ => early t) h <= cmax * (T0 - INR N)) by (apply Rmult_le_compat_l; lra).
  assert (H9 : 0 <= INR N * c2) by (apply Rmult_le_pos; lra). lra.
Qed.
End Polynomial.
