(* One mean at all counts: a radius that the mean of independent draws in [0, 1] ever exceeds with a given probability at most, by
   Ville's inequality in epochs of counts that double. SharpestEvent.v carries it over to the mean cost of one provider. *)
Require Import Reals Lra Lia List Arith Psatz FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
From Costproof Require Import Radius Basel Runs Hoeffding SingleTime.
Import ListNotations.
Open Scope R_scope.

(* zeta(7/5), the sum of 1/j^(7/5) over j = 1, 2, ... *)
Definition zeta : R := Series (fun j => Rpower (INR (S j)) (- (7 / 5))).
(* r(m) = (2^(1/4) + 2^(-1/4))/2 sqrt(ln(zeta(7/5) (1 + log_2 m)^(7/5)/failure)/(2 m)) *)
Definition stitched_radius (failure m : R) : R :=
  (Rpower 2 (1 / 4) + Rpower 2 (- (1 / 4))) / 2 * sqrt (ln (zeta * Rpower (1 + ln m / ln 2) (7 / 5) / failure) / (2 * m)).
(* What the counts 2, ..., m0 would cost, at which no mean can leave its band: 6 delta/pi^2 times the sum of 1/m^2. Half of it pays
   for the stitched radius. *)
Definition spare (delta : R) (m0 : nat) : R := 6 * delta / PI ^ 2 * (basel m0 - 1).
(* The radius above the mean cost of one provider: of its band, or the stitched one where that is smaller. Where m0 = 1 nothing is
   left to pay for the stitched radius. *)
Definition rival_radius (N : nat) (delta : R) (m0 m : nat) : R :=
  if lt_dec 1 m0 then Rmin (bt N delta m) (stitched_radius (spare delta m0 / 2) (INR m)) else bt N delta m.
(* Of a run, with a belief of its cost within gamma radii of its sample mean: the estimate of provider i is never above its mean cost
   by more than cmax (r(m) + gamma beta(m)). *)
Definition cost_stays_below (N : nat) (delta cmax gamma : R) (cost : nat -> R) (cost_estimate : nat -> nat -> R) (i : nat)
  (r : nat -> R) : Prop := forall m, (1 <= m)%nat -> cost_estimate i m <= cost i + cmax * (r m + gamma * bt N delta m).
Lemma rival_radius_at_most_beta N delta m0 m : rival_radius N delta m0 m <= bt N delta m.
Proof. unfold rival_radius. destruct (lt_dec 1 m0); [apply Rmin_l|apply Rle_refl]. Qed.

(* ---- Ville's inequality *)
Section Ville.
Context {X : Type} (EX : (X -> R) -> R) (H : isE EX).
Variables (f : X -> R) (q : R).
Hypothesis Hf : forall x, 0 <= f x <= 1.
Hypothesis Hq : q = EX f.
Notation EM := (EM EX).
Notation mean := (mean f).
Notation dev := (dev f q).
Definition factor (s : R) (x : X) : R := exp (s * (f x - q) - s * s / 8).
Definition product (s : R) (l : list X) : R := fold_right (fun x y => factor s x * y) 1 l.
Lemma factor_bounded s : Hoeffding.bounded (factor s).
Proof.
  unfold factor. apply (exp_bounded (fun x => s * (f x - q) - s * s / 8)). apply (bounded_sum (fun x => s * (f x - q)) (fun _ => - (s * s / 8))).
  - apply bounded_times, (bounded_sum f (fun _ => - q)); [exact (bounded_between f 0 1 Hf)|apply bounded_constant].
  - apply bounded_constant.
Qed.
Lemma factor_mean s : EX (factor s) <= 1.
Proof.
  assert (Hb : Hoeffding.bounded (fun x => exp (s * (f x - q)))).
  { apply exp_bounded, bounded_times, (bounded_sum f (fun _ => - q)); [exact (bounded_between f 0 1 Hf)|apply bounded_constant]. }
  assert (E : EX (factor s) = exp (- (s * s / 8)) * EX (fun x => exp (s * (f x - q)))).
  { rewrite <- (E_scal EX H) by exact Hb. f_equal. apply functional_extensionality. intros x. unfold factor. rewrite <- exp_plus. f_equal. ring. }
  rewrite E. pose proof (mgf EX H f q Hf Hq s) as Hm. pose proof (exp_pos (- (s * s / 8))).
  apply Rle_trans with (exp (- (s * s / 8)) * exp (s * s / 8)); [apply Rmult_le_compat_l; lra|]. rewrite <- exp_plus.
  replace (- (s * s / 8) + s * s / 8) with 0 by ring. rewrite exp_0. lra.
Qed.
Definition reaches_level s a x0 (l : list X) : Prop := exists m, (m <= length l)%nat /\ a <= x0 * product s (firstn m l).
(* Ville: a product of independent factors that are at most 1 in the mean, from x0 on, ever reaches a with probability x0/a at most,
   whatever the number of draws. *)
Theorem ville s a n : 0 < a -> forall x0, 0 <= x0 -> EM n (fun l => ind _ (excluded_middle (reaches_level s a x0 l))) <= x0 / a.
Proof.
  intros Ha. induction n as [|n IH]; intros x0 Hx0.
  - cbn [Hoeffding.EM]. unfold ind. destruct (excluded_middle _) as [(m & Hm & Hle)|_].
    + rewrite firstn_nil in Hle. simpl in Hle. apply Rmult_le_reg_r with a; [exact Ha|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
    + apply Rmult_le_pos; [exact Hx0|apply Rlt_le, Rinv_0_lt_compat; exact Ha].
  - destruct (Rle_lt_dec a x0) as [Hle|Hlt].
    + apply Rle_trans with (EM (S n) (fun _ => 1)).
      * apply (EM_mono EX H); [apply bounded_everywhere, bounded_ind|apply bounded_everywhere, bounded_constant|]. intros l _. apply ind_nonneg.
      * rewrite (EM_constant EX H). apply Rmult_le_reg_r with a; [exact Ha|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
    + cbn [Hoeffding.EM]. apply Rle_trans with (EX (fun x => x0 / a * factor s x)).
      * apply (E_mono _ H); [|apply bounded_times, factor_bounded|].
        -- apply (bounded_after EX H n (fun l => ind _ (excluded_middle (reaches_level s a x0 l)))). apply bounded_everywhere, bounded_ind.
        -- intros x. assert (Hw : 0 <= factor s x) by (apply Rlt_le, exp_pos). replace (x0 / a * factor s x) with (x0 * factor s x / a) by (unfold Rdiv; ring).
           eapply Rle_trans; [|apply (IH (x0 * factor s x)); apply Rmult_le_pos; assumption].
           apply (EM_mono EX H); try (apply bounded_everywhere, bounded_ind). intros l _. unfold ind.
           destruct (excluded_middle (reaches_level s a x0 (x :: l))) as [(m & Hm & Hle)|]; destruct (excluded_middle _) as [|Hno]; try lra.
           exfalso. apply Hno. destruct m as [|m]; [simpl in Hle; lra|]. exists m. cbn [length firstn] in *. split; [lia|].
           unfold product in *. cbn [fold_right] in Hle. lra.
      * rewrite (E_scal EX H) by apply factor_bounded. pose proof (factor_mean s). assert (0 <= x0 / a) by (apply Rmult_le_pos; [exact Hx0|apply Rlt_le, Rinv_0_lt_compat; exact Ha]). nra.
Qed.
Lemma product_is s l : product s l = exp (s * dev l - INR (length l) * (s * s / 8)).
Proof.
  induction l as [|x l IH]; [simpl; rewrite Rmult_0_r, Rmult_0_l, Rminus_0_r, exp_0; reflexivity|].
  unfold product in *. cbn [fold_right Hoeffding.dev length]. rewrite IH, S_INR. unfold factor. rewrite <- exp_plus. f_equal. ring.
Qed.
(* The mean is ever above q by more than L/(s m) + s/8 with probability exp(-L) at most. *)
Theorem line_crossing s L n : 0 < s ->
  EM n (fun l => ind _ (excluded_middle (exists m, (1 <= m <= length l)%nat /\ q + (L / (s * INR m) + s / 8) < mean (firstn m l)))) <= exp (- L).
Proof.
  intros Hs. replace (exp (- L)) with (1 / exp L) by (rewrite exp_Ropp; unfold Rdiv; ring).
  eapply Rle_trans; [|apply (ville s (exp L) n (exp_pos L) 1 ltac:(lra))].
  apply (EM_mono EX H); try (apply bounded_everywhere, bounded_ind). intros l _. unfold ind.
  destruct (excluded_middle _) as [(m & Hm & Hlt)|]; destruct (excluded_middle _) as [|Hno]; try lra.
  exfalso. apply Hno. exists m. split; [lia|]. rewrite Rmult_1_l, product_is. apply exp_at_most.
  assert (Hlen : length (firstn m l) = m) by (rewrite firstn_length; lia).
  rewrite dev_mean by (rewrite Hlen; lia). rewrite Hlen. assert (Hm1 : 1 <= INR m) by (apply (le_INR 1); lia).
  assert (Hd : L / (s * INR m) + s / 8 <= mean (firstn m l) - q) by lra.
  apply Rmult_le_compat_l with (r := s * INR m) in Hd; [|nra]. replace (s * INR m * (L / (s * INR m) + s / 8)) with (L + INR m * (s * s / 8)) in Hd by (field; lra). lra.
Qed.
(* a radius no smaller than such a line, one for each epoch of counts *)
Variables (epoch : nat -> nat) (slope budget : nat -> R) (r : nat -> R).
Definition stitched : Prop := (forall j, 0 < slope j) /\
  forall m, (1 <= m)%nat -> budget (epoch m) / (slope (epoch m) * INR m) + slope (epoch m) / 8 <= r m.
(* It is ever exceeded with probability at most the sum of exp(-budget) over the epochs. *)
Theorem stitched_lines share n : stitched -> (forall J, sumN J (fun j => exp (- budget j)) <= share) ->
  EM n (fun l => ind _ (excluded_middle (exists m, (1 <= m <= length l)%nat /\ q + r m < mean (firstn m l)))) <= share.
Proof.
  intros [Hslope Hr] Hshare. pose proof (EM_isE EX H n) as HE. set (J := S (fold_right Nat.max 0%nat (map epoch (seq 0 (S n))))).
  assert (HJ : forall m, (m <= n)%nat -> (epoch m < J)%nat).
  { intros m Hm. unfold J. assert (Hin : In (epoch m) (map epoch (seq 0 (S n)))) by (apply in_map, in_seq; lia).
    revert Hin. generalize (map epoch (seq 0 (S n))). intros l. induction l as [|x l IH]; intros Hin; [destruct Hin|].
    simpl. destruct Hin as [->|Hin]; [lia|specialize (IH Hin); lia]. }
  pose (event := fun j (_ : nat) l => exists m, (1 <= m <= length l)%nat /\ q + (budget j / (slope j * INR m) + slope j / 8) < mean (firstn m l)).
  apply Rle_trans with (EM n (fun l => ind _ (excluded_middle (exists i m, (i < J)%nat /\ (1 <= m <= 1)%nat /\ event i m l)))).
  - apply (EM_mono EX H); try (apply bounded_everywhere, bounded_ind). intros l Hl. unfold ind.
    destruct (excluded_middle (exists m, _)) as [(m & Hm & Hlt)|]; destruct (excluded_middle _) as [|Hno]; try lra.
    exfalso. apply Hno. exists (epoch m), 1%nat. split; [apply HJ; lia|]. split; [lia|]. exists m. split; [exact Hm|]. specialize (Hr m ltac:(lia)). lra.
  - eapply Rle_trans; [apply (union_at_most _ HE J 1 event)|]. eapply Rle_trans; [|apply (Hshare J)]. apply sumN_le. intros j _. cbn [sumN].
    rewrite Rplus_0_l. apply line_crossing, Hslope.
Qed.
End Ville.
(* Within a factor c^2 of W the line of slope sqrt(8 L/W) is at most sqrt(L/(8 m)) (c + 1/c). *)
Theorem stitched_band L W c m : 0 < W -> 1 <= c -> 1 <= m -> W / (c * c) <= m <= W * (c * c) -> 0 < L ->
  L / (sqrt (8 * L / W) * m) + sqrt (8 * L / W) / 8 <= sqrt (L / (8 * m)) * (c + / c).
Proof.
  intros HW Hc Hm [Hlo Hhi] HL. set (x := sqrt (m / W)). set (u := sqrt (L / (8 * m))).
  assert (Hmw : 0 < m / W) by (apply Rdiv_lt_0_compat; lra). assert (Hx : 0 < x) by (apply sqrt_lt_R0; exact Hmw).
  assert (Hu : 0 < u) by (apply sqrt_lt_R0, Rdiv_lt_0_compat; lra).
  assert (Es : sqrt (8 * L / W) = 8 * (u * x)).
  { unfold u, x. rewrite <- sqrt_mult by (apply Rlt_le; try assumption; apply Rdiv_lt_0_compat; lra).
    replace (8 * L / W) with (8 * 8 * (L / (8 * m) * (m / W))) by (field; lra).
    rewrite sqrt_mult, sqrt_square; try lra. apply Rmult_le_pos; apply Rlt_le; [apply Rdiv_lt_0_compat; lra|exact Hmw]. }
  assert (Eu : u * u = L / (8 * m)) by (apply sqrt_sqrt, Rlt_le, Rdiv_lt_0_compat; lra).
  assert (EL : L = 8 * m * (u * u)) by (rewrite Eu; field; lra).
  rewrite Es. replace (L / (8 * (u * x) * m) + 8 * (u * x) / 8) with (u * (x + / x)) by (rewrite EL at 1; field; lra).
  apply Rmult_le_compat_l; [lra|].
  assert (Hx2 : x * x = m / W) by (apply sqrt_sqrt, Rlt_le, Hmw).
  assert (Hxc : x <= c).
  { apply Rsqr_incr_0_var; [unfold Rsqr; rewrite Hx2|lra]. apply Rmult_le_reg_r with W; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Hcx : 1 <= c * x).
  { apply Rsqr_incr_0_var; [unfold Rsqr|apply Rmult_le_pos; lra]. replace (c * x * (c * x)) with (c * c * (x * x)) by ring. rewrite Hx2.
    apply Rmult_le_compat_r with (r := c * c / W) in Hlo; [|apply Rlt_le, Rdiv_lt_0_compat; nra].
    replace (W / (c * c) * (c * c / W)) with 1 in Hlo by (field; lra). replace (m * (c * c / W)) with (c * c * (m / W)) in Hlo by (field; lra). lra. }
  apply Rmult_le_reg_r with (c * x); [apply Rmult_lt_0_compat; lra|].
  replace ((x + / x) * (c * x)) with (c * (x * x) + c) by (field; lra). replace ((c + / c) * (c * x)) with (c * c * x + x) by (field; lra).
  assert (0 <= (c - x) * (c * x - 1)) by (apply Rmult_le_pos; lra). nra.
Qed.


(* ---- zeta(7/5) *)
Section Zeta.
Notation weight j := (Rpower (INR (S j)) (- (7 / 5))).
Lemma weight_falls j : (1 <= j)%nat -> weight j <= 5 / 2 * (Rpower (INR j) (- (2 / 5)) - Rpower (INR (S j)) (- (2 / 5))).
Proof.
  intros Hj. assert (H1 : 1 <= INR j) by (apply (le_INR 1); exact Hj).
  destruct (MVT_cor2 (fun x => Rpower x (- (2 / 5))) (fun x => - (2 / 5) * Rpower x (- (2 / 5) - 1)) (INR j) (INR (S j))) as (c & E & Hc).
  - rewrite S_INR. lra.
  - intros x Hx. apply derivable_pt_lim_power. lra.
  - assert (Hle : weight j <= Rpower c (- (2 / 5) - 1)).
    { replace (- (2 / 5) - 1) with (- (7 / 5)) by lra. rewrite !Rpower_Ropp. apply Rinv_le_contravar; [apply exp_pos|].
      apply Rle_Rpower_l; lra. }
    replace (INR (S j) - INR j) with 1 in E by (rewrite S_INR; ring). lra.
Qed.
Lemma weights_bounded n : sumN (S n) (fun j => weight j) <= 7 / 2 - 5 / 2 * Rpower (INR (S n)) (- (2 / 5)).
Proof.
  induction n as [|n IH].
  - cbn [sumN]. change (INR 1) with 1. unfold Rpower. rewrite ln_1, !Rmult_0_r, exp_0. lra.
  - pose proof (weight_falls (S n) ltac:(lia)). cbn [sumN] in *. lra.
Qed.
Lemma partial_sums n : sum_n (fun j => weight j) n = sumN (S n) (fun j => weight j).
Proof.
  induction n as [|n IH]; [rewrite sum_O; simpl; ring|]. rewrite sum_Sn, IH. reflexivity.
Qed.
Lemma partial_sums_grow n : sum_n (fun j => weight j) n <= sum_n (fun j => weight j) (S n).
Proof. rewrite !partial_sums. cbn [sumN]. pose proof (exp_pos (- (7 / 5) * ln (INR (S (S n))))). unfold Rpower. lra. Qed.
Lemma zeta_is_limit : is_lim_seq (sum_n (fun j => weight j)) zeta.
Proof.
  destruct (ex_finite_lim_seq_incr (sum_n (fun j => weight j)) (7 / 2)) as (l & Hl).
  - exact partial_sums_grow.
  - intros n. rewrite partial_sums. pose proof (weights_bounded n). pose proof (exp_pos (- (2 / 5) * ln (INR (S n)))). unfold Rpower in *. lra.
  - unfold zeta. rewrite (is_series_unique _ _ Hl). exact Hl.
Qed.
Theorem weights_at_most_zeta n : sumN n (fun j => weight j) <= zeta.
Proof.
  assert (Hgrow : forall n, sum_n (fun j => weight j) n <= sum_n (fun j => weight j) (S n)) by (intros k; apply partial_sums_grow).
  destruct n as [|n].
  - apply Rle_trans with (sum_n (fun j => weight j) 0); [rewrite sum_O; apply Rlt_le, exp_pos|].
    exact (is_lim_seq_incr_compare _ zeta zeta_is_limit Hgrow 0%nat).
  - rewrite <- partial_sums. exact (is_lim_seq_incr_compare _ zeta zeta_is_limit Hgrow n).
Qed.
Lemma zeta_at_least_one : 1 <= zeta.
Proof.
  pose proof (weights_at_most_zeta 1) as H. cbn [sumN] in H. change (INR 1) with 1 in H. unfold Rpower in H.
  rewrite ln_1, Rmult_0_r, exp_0 in H. lra.
Qed.
End Zeta.

(* ---- the radius: in the epoch of the counts from 2^j to 2^(j+1), W = 2^j sqrt 2 and L = ln(zeta(7/5) (j + 1)^(7/5)/failure) *)
Section Stitching.
Variable failure : R.
Hypothesis Hfailure : 0 < failure < 1.
Definition epoch_budget (j : nat) : R := ln (zeta * Rpower (INR (S j)) (7 / 5) / failure).
Definition epoch_middle (j : nat) : R := 2 ^ j * Rpower 2 (1 / 2).
Definition epoch_slope (j : nat) : R := sqrt (8 * epoch_budget j / epoch_middle j).
Lemma budget_argument x : 1 <= x -> 1 < zeta * Rpower x (7 / 5) / failure.
Proof.
  intros Hx. pose proof zeta_at_least_one as Hz. assert (H1 : 1 <= Rpower x (7 / 5)).
  { rewrite <- (Rpower_O x) by lra. apply Rle_Rpower; lra. }
  apply Rmult_lt_reg_r with failure; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.
Lemma epoch_budget_positive j : 0 < epoch_budget j.
Proof.
  unfold epoch_budget. rewrite <- ln_1. apply ln_increasing; [lra|]. apply budget_argument. apply (le_INR 1). lia.
Qed.
Lemma epoch_middle_positive j : 0 < epoch_middle j.
Proof. apply Rmult_lt_0_compat; [apply pow_lt; lra|apply exp_pos]. Qed.
Lemma fourth_root_squared : Rpower 2 (1 / 4) * Rpower 2 (1 / 4) = Rpower 2 (1 / 2).
Proof. rewrite <- Rpower_plus. f_equal. lra. Qed.
Lemma epoch_of (m : nat) : (1 <= m)%nat -> 2 ^ Nat.log2 m <= INR m <= 2 * 2 ^ Nat.log2 m /\ INR (S (Nat.log2 m)) <= 1 + ln (INR m) / ln 2.
Proof.
  intros Hm. destruct (Nat.log2_spec m ltac:(lia)) as [Hlo Hhi].
  assert (Hpow : forall j, INR (2 ^ j) = 2 ^ j) by (intros j; rewrite pow_INR; reflexivity).
  assert (H1 : 2 ^ Nat.log2 m <= INR m) by (rewrite <- Hpow; apply le_INR, Hlo).
  assert (H2 : INR m <= 2 * 2 ^ Nat.log2 m) by (change (2 * 2 ^ Nat.log2 m) with (2 ^ S (Nat.log2 m)); rewrite <- Hpow; apply le_INR, Nat.lt_le_incl, Hhi).
  split; [lra|]. assert (Hl2 : 0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (Hln : INR (Nat.log2 m) * ln 2 <= ln (INR m)).
  { rewrite <- Rpower_pow in H1 by lra. rewrite <- (ln_exp (INR (Nat.log2 m) * ln 2)). change (exp (INR (Nat.log2 m) * ln 2)) with (Rpower 2 (INR (Nat.log2 m))).
    destruct H1 as [H1|H1]; [apply Rlt_le, ln_increasing; [apply exp_pos|exact H1]|rewrite H1; apply Rle_refl]. }
  rewrite S_INR. apply Rmult_le_reg_r with (ln 2); [exact Hl2|]. replace ((1 + ln (INR m) / ln 2) * ln 2) with (ln 2 + ln (INR m)) by (field; lra). lra.
Qed.
Lemma stitched_of_epochs : stitched (fun m => Nat.log2 m) epoch_slope epoch_budget (fun m => stitched_radius failure (INR m)).
Proof.
  split.
  - intros j. apply sqrt_lt_R0, Rdiv_lt_0_compat; [pose proof (epoch_budget_positive j); lra|apply epoch_middle_positive].
  - intros m Hm. destruct (epoch_of m Hm) as [[Hlo Hhi] Hj]. set (j := Nat.log2 m) in *. assert (Hm1 : 1 <= INR m) by (apply (le_INR 1); exact Hm).
    set (c := Rpower 2 (1 / 4)). assert (Hc : Rpower 2 0 <= c) by (apply Rle_Rpower; lra).
    rewrite Rpower_O in Hc by lra.
    assert (Hsq : Rpower 2 (1 / 2) * Rpower 2 (1 / 2) = 2) by (rewrite <- Rpower_plus; replace (1 / 2 + 1 / 2) with 1 by lra; apply Rpower_1; lra).
    pose proof (exp_pos (1 / 2 * ln 2)) as Hr. change (0 < Rpower 2 (1 / 2)) in Hr.
    eapply Rle_trans; [apply (stitched_band (epoch_budget j) (epoch_middle j) c (INR m) (epoch_middle_positive j) Hc Hm1); [|apply epoch_budget_positive]|].
    + unfold c. rewrite fourth_root_squared. unfold epoch_middle. split.
      * replace (2 ^ j * Rpower 2 (1 / 2) / Rpower 2 (1 / 2)) with (2 ^ j) by (field; lra). exact Hlo.
      * rewrite Rmult_assoc, Hsq. lra.
    + assert (Hinv : / c = Rpower 2 (- (1 / 4))) by (unfold c; rewrite Rpower_Ropp; reflexivity). rewrite Hinv. unfold stitched_radius. fold c.
      set (s := c + Rpower 2 (- (1 / 4))). assert (Hs : 0 < s) by (unfold s; pose proof (exp_pos (- (1 / 4) * ln 2)); unfold Rpower at 1; lra).
      set (L := ln (zeta * Rpower (1 + ln (INR m) / ln 2) (7 / 5) / failure)).
      assert (HL : epoch_budget j <= L).
      { assert (Hj1 : 1 <= INR (S j)) by (apply (le_INR 1); lia). pose proof zeta_at_least_one. pose proof (budget_argument _ Hj1).
        assert (Hle : zeta * Rpower (INR (S j)) (7 / 5) / failure <= zeta * Rpower (1 + ln (INR m) / ln 2) (7 / 5) / failure).
        { apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra|]. apply Rmult_le_compat_l; [lra|]. apply Rle_Rpower_l; lra. }
        unfold epoch_budget, L. destruct Hle as [Hlt|E]; [apply Rlt_le, ln_increasing; lra|right; exact (f_equal ln E)]. }
      replace (s / 2 * sqrt (L / (2 * INR m))) with (sqrt (L / (8 * INR m)) * s).
      * apply Rmult_le_compat_r; [lra|]. apply sqrt_le_1_alt. apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; lra|exact HL].
      * replace (L / (2 * INR m)) with (2 * 2 * (L / (8 * INR m))) by (field; lra). rewrite sqrt_mult_alt, sqrt_square by lra. field.
Qed.
Lemma epochs_fail_rarely J : sumN J (fun j => exp (- epoch_budget j)) <= failure.
Proof.
  pose proof zeta_at_least_one as Hz. apply Rle_trans with (failure / zeta * sumN J (fun j => Rpower (INR (S j)) (- (7 / 5)))).
  - right. induction J as [|J IH]; [simpl; ring|]. cbn [sumN]. rewrite IH.
    assert (E : exp (- epoch_budget J) = failure / zeta * Rpower (INR (S J)) (- (7 / 5))); [|rewrite E; ring].
    pose proof (exp_pos (7 / 5 * ln (INR (S J)))) as Hp. change (0 < Rpower (INR (S J)) (7 / 5)) in Hp. rewrite Rpower_Ropp.
    unfold epoch_budget. rewrite exp_Ropp, exp_ln; [field; lra|]. apply Rdiv_lt_0_compat; [|lra]. apply Rmult_lt_0_compat; lra.
  - pose proof (weights_at_most_zeta J) as HJ. apply Rmult_le_compat_l with (r := failure / zeta) in HJ; [|apply Rmult_le_pos; [lra|apply Rlt_le, Rinv_0_lt_compat; lra]].
    replace (failure / zeta * zeta) with failure in HJ by (field; lra). exact HJ.
Qed.
End Stitching.
(* The mean of independent draws in [0, 1] is ever above their expectation by more than the stitched radius with probability `failure`
   at most, whatever the number of draws. *)
Theorem stitched_radius_is_seldom_exceeded {X : Type} (EX : (X -> R) -> R) (f : X -> R) failure n : isE EX -> (forall x, 0 <= f x <= 1) ->
  0 < failure < 1 ->
  EM EX n (fun l => ind _ (excluded_middle (exists m, (1 <= m <= length l)%nat /\ EX f + stitched_radius failure (INR m) < mean f (firstn m l))))
    <= failure.
Proof.
  intros H Hf Hfailure. exact (stitched_lines EX H f (EX f) Hf eq_refl _ _ _ _ failure n (stitched_of_epochs failure Hfailure) (epochs_fail_rarely failure Hfailure)).
Qed.
