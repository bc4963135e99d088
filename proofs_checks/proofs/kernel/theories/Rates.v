(* How fast the terms of the bounds vanish as the horizon T grows: powers of T, and their products with sqrt (ln T). *)
Require Import Reals Lra Lia Psatz.
From Costproof Require Import Radius.
Open Scope R_scope.

(* f T tends to 0 *)
Definition vanishes (f : nat -> R) : Prop :=
  forall epsilon, 0 < epsilon -> exists T1, forall T, (T1 <= T)%nat -> Rabs (f T) <= epsilon.
(* f T = O(scale T) *)
Definition big_O (f scale : nat -> R) : Prop :=
  exists constant T1, forall T, (T1 <= T)%nat -> Rabs (f T) <= constant * scale T.

Lemma eventually_above (x : R) : exists T1, forall T, (T1 <= T)%nat -> x <= INR T.
Proof.
  exists (Z.to_nat (up x)). intros T HT. destruct (archimed x) as [H _]. apply le_INR in HT.
  assert (IZR (up x) <= INR (Z.to_nat (up x))); [|lra].
  rewrite INR_IZR_INZ. apply IZR_le. lia.
Qed.
Lemma ln_increases x y : 0 < x -> x <= y -> ln x <= ln y.
Proof. intros Hx [H|<-]; [apply Rlt_le, ln_increasing; assumption|lra]. Qed.
Lemma ln_T_at_least_1 x : 3 <= x -> 1 <= ln x.
Proof.
  intros H. rewrite <- (ln_exp 1). apply ln_increases; [apply exp_pos|]. pose proof exp_le_3. lra.
Qed.
Lemma sqrt_of_power x p : sqrt (Rpower x p) = Rpower x (p / 2).
Proof.
  replace (Rpower x p) with (Rpower x (p / 2) * Rpower x (p / 2)) by (rewrite <- Rpower_plus; f_equal; field).
  apply sqrt_square. apply Rlt_le, exp_pos.
Qed.
Lemma power_of_ratio n x p : 0 < n -> 0 < x -> Rpower (n / x) p = Rpower n p * Rpower x (- p).
Proof.
  intros Hn Hx. unfold Rdiv. rewrite <- Rpower_mult_distr by (auto; apply Rinv_0_lt_compat; auto). f_equal.
  unfold Rpower. f_equal. rewrite ln_Rinv by auto. ring.
Qed.

(* ---- rules *)
Lemma vanishes_at_most f f' : vanishes f' -> (exists T1, forall T, (T1 <= T)%nat -> Rabs (f T) <= f' T) -> vanishes f.
Proof.
  intros H (T1 & H1) epsilon He. destruct (H epsilon He) as (T2 & H2). exists (max T1 T2). intros T HT.
  specialize (H1 T ltac:(lia)). specialize (H2 T ltac:(lia)). pose proof (Rle_abs (f' T)). lra.
Qed.
Lemma vanishes_plus f f' : vanishes f -> vanishes f' -> vanishes (fun T => f T + f' T).
Proof.
  intros H H' epsilon He. destruct (H (epsilon / 2) ltac:(lra)) as (T1 & H1). destruct (H' (epsilon / 2) ltac:(lra)) as (T2 & H2).
  exists (max T1 T2). intros T HT. specialize (H1 T ltac:(lia)). specialize (H2 T ltac:(lia)).
  pose proof (Rabs_triang (f T) (f' T)). lra.
Qed.
Lemma vanishes_times c f : vanishes f -> vanishes (fun T => c * f T).
Proof.
  intros H epsilon He. pose proof (Rabs_pos c). destruct (H (epsilon / (Rabs c + 1))) as (T1 & H1).
  { apply Rdiv_lt_0_compat; lra. }
  exists T1. intros T HT. specialize (H1 T HT). rewrite Rabs_mult. pose proof (Rabs_pos (f T)).
  apply Rle_trans with ((Rabs c + 1) * (epsilon / (Rabs c + 1))).
  - apply Rmult_le_compat; lra.
  - right. field. lra.
Qed.
Lemma vanishes_of_order f scale : big_O f scale -> vanishes scale -> vanishes f.
Proof.
  intros (c & T1 & H) Hs. apply (vanishes_at_most f (fun T => Rabs c * Rabs (scale T))).
  - apply (vanishes_at_most _ _ (vanishes_times (Rabs c) (fun T => Rabs (scale T)) ltac:(intros e He; destruct (Hs e He) as (T2 & H2);
      exists T2; intros T HT; rewrite Rabs_Rabsolu; auto))).
    exists 0%nat. intros T _. rewrite Rabs_mult, !Rabs_Rabsolu. lra.
  - exists T1. intros T HT. rewrite <- Rabs_mult. pose proof (Rle_abs (c * scale T)). specialize (H T HT). lra.
Qed.
Lemma order_plus f f' scale : big_O f scale -> big_O f' scale -> big_O (fun T => f T + f' T) scale.
Proof.
  intros (c & T1 & H1) (c' & T2 & H2). exists (c + c'), (max T1 T2). intros T HT.
  specialize (H1 T ltac:(lia)). specialize (H2 T ltac:(lia)). pose proof (Rabs_triang (f T) (f' T)). lra.
Qed.
Lemma order_times a f scale : big_O f scale -> big_O (fun T => a * f T) scale.
Proof.
  intros (c & T1 & H1). exists (Rabs a * c), T1. intros T HT. rewrite Rabs_mult. specialize (H1 T HT).
  pose proof (Rabs_pos a). nra.
Qed.
Lemma order_up f scale scale' : big_O f scale -> (exists T1, forall T, (T1 <= T)%nat -> 0 <= scale T <= scale' T) -> big_O f scale'.
Proof.
  intros (c & T1 & H1) (T2 & H2). exists (Rabs c), (max T1 T2). intros T HT.
  specialize (H1 T ltac:(lia)). specialize (H2 T ltac:(lia)). pose proof (Rle_abs c). pose proof (Rabs_pos c).
  apply Rle_trans with (Rabs c * scale T); [|apply Rmult_le_compat_l; lra]. nra.
Qed.
Lemma order_same f f' scale : (exists T1, forall T, (T1 <= T)%nat -> f T = f' T) -> big_O f' scale -> big_O f scale.
Proof.
  intros (T1 & H1) (c & T2 & H2). exists c, (max T1 T2). intros T HT. rewrite H1 by lia. apply H2. lia.
Qed.

(* ---- powers and logarithms *)
Notation power p := (fun T => Rpower (INR T) (- p)).
Notation power_and_log p := (fun T => Rpower (INR T) (- p) * sqrt (ln (INR T))).

Lemma power_nonneg p T : 0 <= Rpower (INR T) (- p).
Proof. apply Rlt_le, exp_pos. Qed.
Lemma power_smaller p p' T : 1 <= INR T -> p <= p' -> Rpower (INR T) (- p') <= Rpower (INR T) (- p).
Proof. intros. apply Rle_Rpower; lra. Qed.
Lemma power_vanishes p : 0 < p -> vanishes (power p).
Proof.
  intros Hp epsilon He. destruct (eventually_above (exp (- ln epsilon / p))) as (T1 & H1). exists T1. intros T HT.
  rewrite Rabs_pos_eq by apply power_nonneg. specialize (H1 T HT). pose proof (exp_pos (- ln epsilon / p)).
  apply Rle_trans with (exp (ln epsilon)); [|right; apply exp_ln; assumption].
  assert (Hl : - ln epsilon / p <= ln (INR T)) by (rewrite <- (ln_exp (- ln epsilon / p)); apply ln_increases; assumption).
  assert (H2 : - p * ln (INR T) <= ln epsilon).
  { apply Rmult_le_compat_l with (r := p) in Hl; [|lra]. replace (p * (- ln epsilon / p)) with (- ln epsilon) in Hl by (field; lra). lra. }
  unfold Rpower. destruct H2 as [H2| ->]; [apply Rlt_le, exp_increasing; assumption|lra].
Qed.
(* ln T <= T^p / p *)
Lemma log_below_power p x : 0 < p -> 0 < x -> ln x <= Rpower x p / p.
Proof.
  intros Hp Hx. apply Rmult_le_reg_l with p; [assumption|]. replace (p * (Rpower x p / p)) with (Rpower x p) by (field; lra).
  pose proof (ln_le_pred (Rpower x p) (exp_pos _)) as H. unfold Rpower in H at 1. rewrite ln_exp in H. lra.
Qed.
Lemma power_and_log_vanishes p : 0 < p -> vanishes (power_and_log p).
Proof.
  intros Hp. apply (vanishes_at_most _ (fun T => sqrt (/ p) * Rpower (INR T) (- (p / 2)))).
  - apply vanishes_times, power_vanishes. lra.
  - exists 1%nat. intros T HT. assert (H1 : 1 <= INR T) by (apply (le_INR 1); assumption).
    rewrite Rabs_pos_eq by (apply Rmult_le_pos; [apply power_nonneg|apply sqrt_pos]).
    apply Rle_trans with (Rpower (INR T) (- p) * (sqrt (/ p) * Rpower (INR T) (p / 2))).
    + apply Rmult_le_compat_l; [apply power_nonneg|]. rewrite <- sqrt_of_power.
      rewrite <- sqrt_mult by (try (apply Rlt_le, exp_pos); apply Rlt_le, Rinv_0_lt_compat; lra).
      apply sqrt_le_1_alt. pose proof (log_below_power p (INR T) Hp ltac:(lra)). unfold Rdiv in H. lra.
    + right. replace (- (p / 2)) with (- p + p / 2) by field. rewrite Rpower_plus. ring.
Qed.
Lemma power_below_log p : exists T1, forall T, (T1 <= T)%nat -> 0 <= Rpower (INR T) (- p) <= Rpower (INR T) (- p) * sqrt (ln (INR T)).
Proof.
  destruct (eventually_above 3) as (T1 & H1). exists T1. intros T HT. split; [apply power_nonneg|].
  pose proof (ln_T_at_least_1 (INR T) (H1 T HT)) as Hl. apply sqrt_le_1_alt in Hl. rewrite sqrt_1 in Hl.
  pose proof (power_nonneg p T). nra.
Qed.
Lemma order_of_inverse c p : p <= 1 -> big_O (fun T => c / INR T) (power p).
Proof.
  intros Hp. exists (Rabs c), 1%nat. intros T HT. assert (H1 : 1 <= INR T) by (apply (le_INR 1); assumption).
  unfold Rdiv. rewrite Rabs_mult. apply Rmult_le_compat_l; [apply Rabs_pos|].
  rewrite Rabs_pos_eq by (apply Rlt_le, Rinv_0_lt_compat; lra).
  rewrite <- (Rpower_1 (INR T)) at 1 by lra. rewrite <- Rpower_Ropp. apply power_smaller; lra.
Qed.
Lemma order_of_ratio n p : 0 < n -> big_O (fun T => Rpower (n / INR T) p) (power p).
Proof.
  intros Hn. exists (Rpower n p), 1%nat. intros T HT. assert (H1 : 1 <= INR T) by (apply (le_INR 1); assumption).
  rewrite power_of_ratio by lra. rewrite Rabs_pos_eq; [lra|]. apply Rmult_le_pos; apply Rlt_le, exp_pos.
Qed.
(* sqrt (a (n/T)^p ln (K (T/n)^r)) = O(T^(-p/2) sqrt (ln T)) *)
Lemma order_of_log a n p K r : 0 <= a -> 1 <= n -> 0 < K -> 0 <= r ->
  big_O (fun T => sqrt (a * Rpower (n / INR T) p * ln (K * Rpower (INR T / n) r))) (power_and_log (p / 2)).
Proof.
  intros Ha Hn HK Hr. exists (sqrt (a * Rpower n p * (Rabs (ln K) + r))). destruct (eventually_above 3) as (T1 & H1).
  exists T1. intros T HT. specialize (H1 T HT). pose proof (ln_T_at_least_1 _ H1) as Hl. rewrite Rabs_pos_eq by apply sqrt_pos.
  assert (E : ln (K * Rpower (INR T / n) r) <= (Rabs (ln K) + r) * ln (INR T)).
  { rewrite ln_mult by (auto; apply exp_pos). unfold Rpower. rewrite ln_exp. unfold Rdiv.
    rewrite ln_mult by (try apply Rinv_0_lt_compat; lra). rewrite ln_Rinv by lra.
    assert (0 <= ln n) by (rewrite <- ln_1; apply ln_increases; lra). pose proof (Rle_abs (ln K)). pose proof (Rabs_pos (ln K)). nra. }
  assert (Hp : 0 <= a * Rpower n p) by (apply Rmult_le_pos; [assumption|apply Rlt_le, exp_pos]).
  pose proof (Rabs_pos (ln K)). pose proof (power_nonneg p T) as Hpow.
  replace (- (p / 2)) with ((- p) / 2) by field. rewrite <- sqrt_of_power.
  rewrite <- !sqrt_mult; try lra; try (apply Rmult_le_pos; lra).
  - apply sqrt_le_1_alt. rewrite power_of_ratio by lra.
    replace (a * (Rpower n p * Rpower (INR T) (- p)) * ln (K * Rpower (INR T / n) r))
      with (a * Rpower n p * Rpower (INR T) (- p) * ln (K * Rpower (INR T / n) r)) by ring.
    replace (a * Rpower n p * (Rabs (ln K) + r) * (Rpower (INR T) (- p) * ln (INR T)))
      with (a * Rpower n p * Rpower (INR T) (- p) * ((Rabs (ln K) + r) * ln (INR T))) by ring.
    apply Rmult_le_compat_l; [apply Rmult_le_pos; lra|assumption].
Qed.
(* and it is not smaller than T^(-p/2), up to a constant *)
Lemma log_not_smaller a n p K r : 0 < a -> 0 < n -> 0 < K -> 0 < r ->
  exists c T1, 0 < c /\ forall T, (T1 <= T)%nat ->
    c * Rpower (INR T) (- (p / 2)) <= sqrt (a * Rpower (n / INR T) p * ln (K * Rpower (INR T / n) r)).
Proof.
  intros Ha Hn HK Hr. exists (sqrt (a * Rpower n p)).
  destruct (eventually_above (n * exp ((1 - ln K) / r) + 1)) as (T1 & H1). exists T1.
  assert (Hp : 0 < a * Rpower n p) by (apply Rmult_lt_0_compat; [assumption|apply exp_pos]).
  split; [apply sqrt_lt_R0; assumption|]. intros T HT. specialize (H1 T HT).
  assert (He : 0 < n * exp ((1 - ln K) / r)) by (apply Rmult_lt_0_compat; [assumption|apply exp_pos]).
  assert (E : 1 <= ln (K * Rpower (INR T / n) r)).
  { rewrite ln_mult by (auto; apply exp_pos). unfold Rpower. rewrite ln_exp.
    assert (Hl : (1 - ln K) / r <= ln (INR T / n)).
    { rewrite <- (ln_exp ((1 - ln K) / r)). apply ln_increases; [apply exp_pos|].
      apply Rmult_le_reg_l with n; [assumption|]. replace (n * (INR T / n)) with (INR T) by (field; lra). lra. }
    apply Rmult_le_compat_l with (r := r) in Hl; [|lra]. replace (r * ((1 - ln K) / r)) with (1 - ln K) in Hl by (field; lra). lra. }
  replace (- (p / 2)) with ((- p) / 2) by field. rewrite <- sqrt_of_power. pose proof (power_nonneg p T) as Hpow.
  rewrite <- sqrt_mult by lra. apply sqrt_le_1_alt. rewrite power_of_ratio by lra.
  assert (0 <= a * Rpower n p * Rpower (INR T) (- p)) by (apply Rmult_le_pos; lra). nra.
Qed.
(* what vanishes no faster than T^(-p) is above O(T^(-p') sqrt (ln T)) in the end, where p < p' *)
Lemma slower_is_above p p' slow fast c T0 : p < p' -> 0 < c -> (forall T, (T0 <= T)%nat -> c * Rpower (INR T) (- p) <= slow T) ->
  big_O fast (power_and_log p') -> exists T1, forall T, (T1 <= T)%nat -> fast T < slow T.
Proof.
  intros Hp Hc Hslow (C & T2 & Hfast). pose proof (Rabs_pos C).
  destruct (power_and_log_vanishes (p' - p) ltac:(lra) (c / (2 * (Rabs C + 1)))) as (T3 & H3).
  { apply Rdiv_lt_0_compat; lra. }
  exists (max T0 (max T2 T3)). intros T HT. specialize (Hslow T ltac:(lia)). specialize (Hfast T ltac:(lia)). specialize (H3 T ltac:(lia)).
  cbv beta in H3. rewrite Rabs_pos_eq in H3 by (apply Rmult_le_pos; [apply power_nonneg|apply sqrt_pos]).
  assert (E : Rpower (INR T) (- p') * sqrt (ln (INR T)) = Rpower (INR T) (- p) * (Rpower (INR T) (- (p' - p)) * sqrt (ln (INR T)))).
  { replace (- p') with (- p + - (p' - p)) by ring. rewrite Rpower_plus. ring. }
  rewrite E in Hfast. set (u := Rpower (INR T) (- (p' - p)) * sqrt (ln (INR T))) in *.
  assert (Hu : 0 <= u) by (apply Rmult_le_pos; [apply power_nonneg|apply sqrt_pos]).
  assert (Hpow : 0 < Rpower (INR T) (- p)) by apply exp_pos. set (w := Rpower (INR T) (- p)) in *.
  pose proof (Rle_abs (fast T)). pose proof (Rle_abs C).
  assert (H4 : C * (w * u) <= (Rabs C + 1) * (w * u)) by (apply Rmult_le_compat_r; [apply Rmult_le_pos|]; lra).
  assert (H5 : (Rabs C + 1) * u <= c / 2).
  { apply Rmult_le_compat_l with (r := Rabs C + 1) in H3; [|lra].
    replace ((Rabs C + 1) * (c / (2 * (Rabs C + 1)))) with (c / 2) in H3 by (field; lra). exact H3. }
  nra.
Qed.
