(* claim:own-information-bound. For scores of 0 and 1: a platform that names the optimal provider rightly with probability 1 - delta
   here, and where an unqualified provider i is qualified instead, sends i at least kl(delta, 1 - delta)/kl(q_i, q_min) queries in the mean.

   Any rule of selection, any n. The other market weighs the observations of i by the likelihood ratio of its scores. Proved here: the
   change of measure, that the mean of the log-likelihood is the number of queries times kl, and the inequality. Whoever else's law is
   as it was, and so is that of initialization where its draws are independent between providers (Dynamics.v does not ask for that);
   the mean cost of i is as it was where costs do not depend on scores. That i is optimal there is for the reader: the hypothesis is
   that the platform names `names_best` there with probability delta at most. *)
Require Import Reals Lra Lia List Arith Psatz FunctionalExtensionality.
From Costproof Require Import Radius Auction Runs Game Adaptive Hoeffding Dynamics SingleTime AnyRadiusEvent.
Import ListNotations.
Open Scope R_scope.

Section Information.
Variables (N : nat) (cmax : R) (theta : nat -> (observation -> R) -> R) (first : ((nat -> observation) -> R) -> R).
Variable draw : history -> (nat -> R) -> R.
Notation possible := (possible cmax).
Notation law := (law cmax).
Hypothesis Hdraw : forall H, over (fun i => (i < N)%nat) (draw H).
Hypothesis Htheta : forall j, law (theta j).
Hypothesis Hfirst : initialization N cmax theta first.
Variables (i : nat) (qmin : R).
Hypothesis Hi : (i < N)%nat.
Notation q := (theta i score).
Hypothesis Hq : 0 < q < 1.
Hypothesis Hqmin : 0 < qmin < 1.
(* the scores of i are 0 or 1 *)
Hypothesis binary : forall f f', Game.bounded cmax f -> Game.bounded cmax f' ->
  (forall o, possible o -> score o = 0 \/ score o = 1 -> f o = f' o) -> theta i f = theta i f'.

(* the likelihood ratio of a score, and the other market *)
Definition unit_score (o : observation) : R := clip 1 (score o).
Definition ratio (o : observation) : R := unit_score o * (qmin / q) + (1 - unit_score o) * ((1 - qmin) / (1 - q)).
Definition other (j : nat) : (observation -> R) -> R := if Nat.eq_dec j i then fun f => theta i (fun o => ratio o * f o) else theta j.
Definition other_first (f : (nat -> observation) -> R) : R := first (fun o => ratio (o i) * f o).
Definition low : R := Rmin 1 (Rmin (qmin / q) ((1 - qmin) / (1 - q))).
Definition high : R := Rmax 1 (Rmax (qmin / q) ((1 - qmin) / (1 - q))).
Lemma ratio_parts : 0 < qmin / q /\ 0 < (1 - qmin) / (1 - q).
Proof. split; apply Rdiv_lt_0_compat; lra. Qed.
Lemma low_range : 0 < low <= 1.
Proof. destruct ratio_parts. unfold low. split; [repeat apply Rmin_glb_lt; lra|apply Rmin_l]. Qed.
Lemma high_range : 1 <= high. Proof. apply Rmax_l. Qed.
Lemma ratio_range o : low <= ratio o <= high.
Proof.
  assert (Hs : 0 <= unit_score o <= 1) by (apply clip_between; lra). set (a := qmin / q). set (b := (1 - qmin) / (1 - q)).
  pose proof (Rmin_l a b). pose proof (Rmin_r a b). pose proof (Rmin_r 1 (Rmin a b)).
  pose proof (Rmax_l a b). pose proof (Rmax_r a b). pose proof (Rmax_r 1 (Rmax a b)).
  unfold ratio, low, high. fold a b. split; nra.
Qed.
Lemma bounded_all (f : observation -> R) b : (forall o, Rabs (f o) <= b) -> Game.bounded cmax f.
Proof. intros H. exists b. intros o _. apply H. Qed.
Lemma bounded_ratio : Game.bounded cmax ratio.
Proof. apply (bounded_all _ high). intros o. pose proof (ratio_range o). pose proof low_range. apply Rabs_le. lra. Qed.
Lemma bounded_unit : Game.bounded cmax unit_score.
Proof. apply (bounded_all _ 1). intros o. assert (0 <= unit_score o <= 1) by (apply clip_between; lra). apply Rabs_le. lra. Qed.
Lemma bounded_const (c : R) : Game.bounded cmax (fun _ => c).
Proof. apply (bounded_all _ (Rabs c)). intros o. lra. Qed.
Lemma bounded_product f f' : Game.bounded cmax f -> Game.bounded cmax f' -> Game.bounded cmax (fun o => f o * f' o).
Proof.
  intros (b & Hb) (b' & Hb'). exists (Rabs b * Rabs b'). intros o Ho. rewrite Rabs_mult. specialize (Hb o Ho). specialize (Hb' o Ho).
  pose proof (Rle_abs b). pose proof (Rle_abs b'). apply Rmult_le_compat; try apply Rabs_pos; lra.
Qed.
Lemma law_const E c : law E -> E (fun _ => c) = c.
Proof.
  intros HE. transitivity (c * E (fun _ => 1) + 0 * E (fun _ => 1)); [|rewrite (law_one _ _ HE); ring].
  rewrite <- (law_linear _ _ HE) by apply bounded_const. f_equal. apply functional_extensionality. intros o. ring.
Qed.
Lemma law_times E c f : law E -> Game.bounded cmax f -> E (fun o => c * f o) = c * E f.
Proof.
  intros HE Hf. transitivity (c * E f + 0 * E f); [|ring]. rewrite <- (law_linear _ _ HE) by assumption. f_equal.
  apply functional_extensionality. intros o. ring.
Qed.
Lemma unit_mean : theta i unit_score = q.
Proof. unfold unit_score. apply (law_clipped cmax (theta i) score 1 (Htheta i)); [lra|]. intros o Ho. apply Ho. Qed.
Lemma affine_mean a b : theta i (fun o => unit_score o * a + (1 - unit_score o) * b) = q * a + (1 - q) * b.
Proof.
  transitivity ((a - b) * theta i unit_score + b * theta i (fun _ => 1)); [|rewrite unit_mean, (law_one _ _ (Htheta i)); ring].
  rewrite <- (law_linear _ _ (Htheta i)) by (apply bounded_unit || apply bounded_const). f_equal. apply functional_extensionality. intros o. ring.
Qed.
Lemma ratio_mean : theta i ratio = 1.
Proof. unfold ratio. rewrite affine_mean. field. lra. Qed.
(* the other market is one: laws, initialization, and a mean score of q_min of i; nobody else's law changes *)
Theorem other_is_law j : law (other j).
Proof.
  unfold other. destruct (Nat.eq_dec j i) as [_|]; [|apply Htheta]. split.
  - transitivity (theta i ratio); [|apply ratio_mean]. f_equal. apply functional_extensionality. intros o. ring.
  - intros f f' Hf Hf' Hle. apply (law_monotone _ _ (Htheta i)); try (apply bounded_product; auto using bounded_ratio).
    intros o Ho. pose proof (ratio_range o). pose proof low_range. apply Rmult_le_compat_l; [lra|auto].
  - intros a b f f' Hf Hf'. rewrite <- (law_linear _ _ (Htheta i)) by (apply bounded_product; auto using bounded_ratio). f_equal.
    apply functional_extensionality. intros o. ring.
Qed.
Theorem other_quality : other i score = qmin.
Proof.
  unfold other. destruct (Nat.eq_dec i i) as [_|]; [|contradiction].
  transitivity (theta i (fun o => unit_score o * (qmin / q) + (1 - unit_score o) * 0)); [|rewrite affine_mean; field; lra].
  apply binary.
  - apply bounded_product; [apply bounded_ratio|]. exists 1. intros o Ho. destruct Ho. apply Rabs_le. lra.
  - apply (bounded_all _ (qmin / q)). intros o. destruct ratio_parts. assert (0 <= unit_score o <= 1) by (apply clip_between; lra). apply Rabs_le. nra.
  - intros o Ho [E|E]; unfold ratio, unit_score; rewrite E, clip_inside by lra; ring.
Qed.

(* ---- the likelihood ratio along a history, and what depends on histories of one length only *)
Definition likelihood (H : history) : R := fold_right (fun o x => ratio o * x) 1 (own_history i H).
Lemma own_self H o : own_history i (after H i o) = o :: own_history i H.
Proof. unfold own_history, after. simpl. rewrite Nat.eqb_refl. reflexivity. Qed.
Lemma own_other H j o : j <> i -> own_history i (after H j o) = own_history i H.
Proof. intros Hj. unfold own_history, after. simpl. destruct (Nat.eqb_spec j i); [contradiction|reflexivity]. Qed.
Lemma likelihood_self H o : likelihood (after H i o) = ratio o * likelihood H.
Proof. unfold likelihood. rewrite own_self. reflexivity. Qed.
Lemma likelihood_other H j o : j <> i -> likelihood (after H j o) = likelihood H.
Proof. intros Hj. unfold likelihood. rewrite own_other by exact Hj. reflexivity. Qed.
Lemma filter_shorter {A} (f : A -> bool) l : (length (filter f l) <= length l)%nat.
Proof. induction l as [|x l IH]; [simpl; lia|]. simpl. destruct (f x); simpl; lia. Qed.
Lemma own_length H : (length (own_history i H) <= S (length (later H)))%nat.
Proof.
  unfold own_history. rewrite app_length, map_length. simpl. pose proof (filter_shorter (fun query => Nat.eqb (fst query) i) (later H)). lia.
Qed.
Lemma likelihood_range n H : (length (later H) <= n)%nat -> low ^ S n <= likelihood H <= high ^ S n.
Proof.
  intros Hn. pose proof (own_length H) as Hl. pose proof low_range. pose proof high_range. unfold likelihood. generalize dependent (own_history i H).
  intros l Hl. assert (Hk : (length l <= S n)%nat) by lia. clear Hl Hn. generalize dependent (S n). intros k Hk.
  assert (Hpow : low ^ length l <= fold_right (fun o x => ratio o * x) 1 l <= high ^ length l).
  { clear Hk. induction l as [|o l IH]; [simpl; lra|]. cbn [length fold_right pow]. pose proof (ratio_range o).
    assert (0 < low ^ length l) by (apply pow_lt; lra). split; apply Rmult_le_compat; lra. }
  split.
  - eapply Rle_trans; [|apply Hpow]. replace k with (length l + (k - length l))%nat by lia. rewrite pow_add.
    rewrite <- (Rmult_1_r (low ^ length l)) at 2. apply Rmult_le_compat_l; [apply Rlt_le, pow_lt; lra|].
    rewrite <- (pow1 (k - length l)). apply pow_incr. lra.
  - eapply Rle_trans; [apply Hpow|]. apply Rle_pow; assumption.
Qed.
Lemma any_agrees law_of n (v v' : history -> R) : forall H, (forall H', length (later H') = (length (later H) + n)%nat -> v H' = v' H') ->
  expected_any law_of draw n v H = expected_any law_of draw n v' H.
Proof.
  induction n as [|n IH]; intros H Hv; [apply Hv; lia|]. cbn [expected_any]. f_equal. apply functional_extensionality. intros j. f_equal.
  apply functional_extensionality. intros o. apply IH. intros H' Hl. apply Hv. rewrite Hl. simpl. lia.
Qed.
Definition cut (n : nat) (v : history -> R) (H : history) : R := if le_dec (length (later H)) n then v H else 0.
Notation whole := (whole_any theta first draw).
Lemma whole_cut n v : whole n (cut n v) = whole n v.
Proof.
  unfold whole_any. f_equal. apply functional_extensionality. intros o. apply any_agrees. intros H' Hl. unfold cut. simpl in Hl.
  destruct (le_dec _ _); [reflexivity|lia].
Qed.
Lemma bounded_cut n v b : 0 <= b -> (forall H, (length (later H) <= n)%nat -> Rabs (v H) <= b) -> Hoeffding.bounded (cut n v).
Proof. intros Hb Hv. exists b. intros H. unfold cut. destruct (le_dec _ _); [apply Hv; assumption|rewrite Rabs_R0; exact Hb]. Qed.

(* change of measure *)
Lemma draw_times H c f : draw H (fun j => c * f j) = c * draw H f.
Proof.
  transitivity (c * draw H f + 0 * draw H f); [|ring]. rewrite <- (proj2 (proj2 (Hdraw H))). f_equal. apply functional_extensionality. intros j. ring.
Qed.
Lemma draw_const H c : draw H (fun _ => c) = c.
Proof.
  transitivity (c * draw H (fun _ => 1)); [|rewrite (proj1 (Hdraw H)); ring]. rewrite <- draw_times. f_equal. apply functional_extensionality. intros j. ring.
Qed.
Lemma change_of_measure n v b : (forall H, Rabs (v H) <= b) -> forall H,
  likelihood H * expected_any other draw n v H = expected_any theta draw n (fun H => likelihood H * v H) H.
Proof.
  intros Hv. induction n as [|n IH]; intros H; [reflexivity|]. cbn [expected_any]. rewrite <- draw_times. f_equal. apply functional_extensionality.
  intros j. assert (Hb : Game.bounded cmax (fun o => expected_any other draw n v (after H j o))).
  { exists b. intros o _. apply (any_within N cmax other draw Hdraw other_is_law n v b Hv). }
  unfold other at 1. destruct (Nat.eq_dec j i) as [->|Hj].
  - rewrite <- (law_times (theta i)); [|apply Htheta|apply bounded_product; [apply bounded_ratio|exact Hb]]. f_equal.
    apply functional_extensionality. intros o. rewrite <- IH, likelihood_self. ring.
  - rewrite <- (law_times (theta j)); [|apply Htheta|exact Hb]. f_equal. apply functional_extensionality. intros o.
    rewrite <- IH, (likelihood_other H j o Hj). reflexivity.
Qed.
Lemma whole_other n v b : (forall H, Rabs (v H) <= b) -> whole_any other other_first draw n v = whole n (fun H => likelihood H * v H).
Proof.
  intros Hv. unfold whole_any, other_first. f_equal. apply functional_extensionality. intros o. rewrite <- (change_of_measure n v b Hv).
  f_equal. unfold likelihood, start, own_history. simpl. ring.
Qed.
Lemma other_one n : whole_any other other_first draw n (fun _ => 1) = 1.
Proof.
  unfold whole_any, other_first. transitivity (first (fun o => ratio (o i))).
  - f_equal. apply functional_extensionality. intros o. rewrite (any_one N cmax other draw Hdraw other_is_law n). ring.
  - rewrite (first_draws _ _ _ _ Hfirst i ratio Hi bounded_ratio). apply ratio_mean.
Qed.

(* the log-likelihood is, in the mean, the number of queries of i times kl *)
Notation divergence := (kl q qmin).
Definition evidence (H : history) : R := - ln (likelihood H).
Definition queries_of (H : history) : R := INR (length (own_history i H)).
Lemma likelihood_positive H : 0 < likelihood H.
Proof.
  pose proof (likelihood_range (length (later H)) H (le_n _)). pose proof (pow_lt low (S (length (later H))) (proj1 low_range)). lra.
Qed.
Lemma ratio_positive o : 0 < ratio o. Proof. pose proof (ratio_range o). pose proof low_range. lra. Qed.
Lemma bounded_log : Game.bounded cmax (fun o => - ln (ratio o)).
Proof.
  apply (bounded_all _ (Rabs (ln low) + Rabs (ln high))). intros o. pose proof (ratio_range o) as [H1 H2]. pose proof low_range.
  assert (L1 : ln low <= ln (ratio o)) by (destruct H1 as [H1| ->]; [apply Rlt_le, ln_increasing; lra|lra]).
  assert (L2 : ln (ratio o) <= ln high) by (destruct H2 as [H2|H2]; [apply Rlt_le, ln_increasing; lra|rewrite H2; lra]).
  pose proof (Rle_abs (ln high)). pose proof (Rle_abs (- ln low)) as H3. rewrite Rabs_Ropp in H3. pose proof (Rabs_pos (ln low)). pose proof (Rabs_pos (ln high)).
  apply Rabs_le. lra.
Qed.
Lemma log_mean : theta i (fun o => - ln (ratio o)) = divergence.
Proof.
  transitivity (theta i (fun o => unit_score o * ln (q / qmin) + (1 - unit_score o) * ln ((1 - q) / (1 - qmin)))); [|apply affine_mean].
  apply binary; [apply bounded_log| |].
  - apply (bounded_all _ (Rabs (ln (q / qmin)) + Rabs (ln ((1 - q) / (1 - qmin))))). intros o. assert (0 <= unit_score o <= 1) by (apply clip_between; lra).
    eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult, (Rabs_pos_eq (unit_score o)), (Rabs_pos_eq (1 - unit_score o)) by lra.
    pose proof (Rabs_pos (ln (q / qmin))). pose proof (Rabs_pos (ln ((1 - q) / (1 - qmin)))). nra.
  - intros o _ [E|E]; unfold ratio, unit_score; rewrite E, clip_inside by lra.
    + replace (0 * (qmin / q) + (1 - 0) * ((1 - qmin) / (1 - q))) with (/ ((1 - q) / (1 - qmin))) by (field; lra). rewrite ln_Rinv by (apply Rdiv_lt_0_compat; lra). ring.
    + replace (1 * (qmin / q) + (1 - 1) * ((1 - qmin) / (1 - q))) with (/ (q / qmin)) by (field; lra). rewrite ln_Rinv by (apply Rdiv_lt_0_compat; lra). ring.
Qed.
Definition excess_evidence (H : history) : R := evidence H - divergence * queries_of H.
Lemma excess_self H o : excess_evidence (after H i o) = excess_evidence H + (- ln (ratio o) - divergence).
Proof.
  unfold excess_evidence, evidence, queries_of. rewrite likelihood_self, own_self. cbn [length]. rewrite S_INR.
  rewrite ln_mult by (apply ratio_positive || apply likelihood_positive). ring.
Qed.
Lemma excess_other H j o : j <> i -> excess_evidence (after H j o) = excess_evidence H.
Proof. intros Hj. unfold excess_evidence, evidence, queries_of. rewrite (likelihood_other H j o Hj), (own_other H j o Hj). reflexivity. Qed.
Lemma excess_stays n : forall H, expected_any theta draw n excess_evidence H = excess_evidence H.
Proof.
  induction n as [|n IH]; intros H; [reflexivity|]. cbn [expected_any]. transitivity (draw H (fun _ => excess_evidence H)); [|apply draw_const].
  f_equal. apply functional_extensionality. intros j. destruct (Nat.eq_dec j i) as [->|Hj].
  - transitivity (theta i (fun o => (excess_evidence H - divergence) * 1 + 1 * (- ln (ratio o)))).
    + f_equal. apply functional_extensionality. intros o. rewrite IH, excess_self. ring.
    + rewrite (law_linear _ _ (Htheta i) _ _ (fun _ => 1)) by (apply bounded_const || apply bounded_log). rewrite (law_one _ _ (Htheta i)), log_mean. ring.
  - transitivity (theta j (fun _ => excess_evidence H)); [|apply law_const, Htheta]. f_equal. apply functional_extensionality. intros o.
    rewrite IH. apply excess_other. exact Hj.
Qed.
Lemma whole_excess n : whole n excess_evidence = 0.
Proof.
  unfold whole_any. transitivity (first (fun o => (fun x => (- divergence) * 1 + 1 * (- ln (ratio x))) (o i))).
  - f_equal. apply functional_extensionality. intros o. rewrite excess_stays. unfold excess_evidence, evidence, queries_of, likelihood, start, own_history.
    simpl. rewrite Rmult_1_r. ring.
  - rewrite (first_draws _ _ _ _ Hfirst i (fun x => (- divergence) * 1 + 1 * (- ln (ratio x))) Hi).
    + rewrite (law_linear _ _ (Htheta i) _ _ (fun _ => 1)) by (apply bounded_const || apply bounded_log). rewrite (law_one _ _ (Htheta i)), log_mean. ring.
    + destruct bounded_log as (b & Hb). exists (Rabs divergence + b). intros o Ho. specialize (Hb o Ho). cbv beta in Hb.
      eapply Rle_trans; [apply Rabs_triang|]. rewrite Rmult_1_r, Rmult_1_l, (Rabs_Ropp divergence). lra.
Qed.
(* A platform that names the optimal provider rightly with probability 1 - delta, here and where one cheaper
   unqualified provider is qualified, sends it at least kl(delta, 1 - delta)/kl(q_i, q_min) queries in the mean, for
   scores of 0 and 1. *)
Theorem claim_own_information_bound n (names_best : history -> Prop) delta : 0 < delta < 1 / 2 ->
  1 - delta <= whole n (fun H => ind _ (excluded_middle (names_best H))) ->
  whole_any other other_first draw n (fun H => ind _ (excluded_middle (names_best H))) <= delta ->
  kl delta (1 - delta) <= divergence * whole n queries_of.
Proof.
  intros Hdel Hx Hy. pose proof (whole_any_isE N cmax theta first draw Hdraw Htheta Hfirst n) as HE.
  set (A := fun H => ind _ (excluded_middle (names_best H))) in *. set (l := ln ((1 - delta) / delta)).
  assert (HA : forall H, 0 <= A H <= 1) by (intros; apply ind_nonneg).
  rewrite (whole_other n A 1) in Hy by (intros H; specialize (HA H); apply Rabs_le; lra).
  assert (Hone : whole n likelihood = 1).
  { rewrite <- (other_one n). rewrite (whole_other n (fun _ => 1) 1) by (intros; rewrite Rabs_R1; lra). f_equal. apply functional_extensionality. intros H. ring. }
  assert (Hl : 0 <= l).
  { unfold l. rewrite <- ln_1. apply Rlt_le, ln_increasing; [lra|]. apply Rmult_lt_reg_r with delta; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  set (c := delta / (1 - delta)). assert (Hc : 0 < c) by (apply Rdiv_lt_0_compat; lra).
  assert (Ec : (1 - delta) / delta = / c) by (unfold c; field; lra). assert (Elc : ln c = - l) by (unfold l; rewrite Ec, ln_Rinv by exact Hc; ring).
  (* two tangents of the logarithm *)
  assert (Hpoint : forall H, (1 - l) * 1 + 1 * ((2 * l) * A H + 1 * ((- c) * likelihood H + (c - / c) * (likelihood H * A H))) <= evidence H).
  { intros H. pose proof (likelihood_positive H) as Hp. unfold evidence, A, ind. destruct (excluded_middle (names_best H)) as [_|_].
    - assert (Hx1 : 0 < likelihood H / c) by (apply Rdiv_lt_0_compat; assumption). pose proof (ln_le_pred _ Hx1) as Ht.
      unfold Rdiv in Ht. rewrite ln_mult, ln_Rinv in Ht by (try apply Rinv_0_lt_compat; assumption). rewrite Elc in Ht. lra.
    - assert (Hx1 : 0 < likelihood H * c) by (apply Rmult_lt_0_compat; assumption). pose proof (ln_le_pred _ Hx1) as Ht.
      rewrite ln_mult in Ht by assumption. rewrite Elc in Ht. lra. }
  assert (Hlb : forall H, (length (later H) <= n)%nat -> Rabs (likelihood H) <= high ^ S n).
  { intros H Hn. pose proof (likelihood_range n H Hn). pose proof (likelihood_positive H). apply Rabs_le. lra. }
  assert (Hh : 0 <= high ^ S n) by (apply pow_le; pose proof high_range; lra).
  assert (B1 : Hoeffding.bounded (cut n (fun _ => 1))) by (apply (bounded_cut n _ 1); [lra|intros; rewrite Rabs_R1; lra]).
  assert (BA : Hoeffding.bounded (cut n A)) by (apply (bounded_cut n _ 1); [lra|intros H _; specialize (HA H); apply Rabs_le; lra]).
  assert (BL : Hoeffding.bounded (cut n likelihood)) by (apply (bounded_cut n _ (high ^ S n)); assumption).
  assert (BLA : Hoeffding.bounded (cut n (fun H => likelihood H * A H))).
  { apply (bounded_cut n _ (high ^ S n)); [exact Hh|]. intros H Hn. specialize (Hlb H Hn). specialize (HA H). rewrite Rabs_mult, (Rabs_pos_eq (A H)) by lra.
    pose proof (Rabs_pos (likelihood H)). nra. }
  assert (BZ : Hoeffding.bounded (cut n queries_of)).
  { apply (bounded_cut n _ (INR (S n))); [apply pos_INR|]. intros H Hn. unfold queries_of. rewrite Rabs_pos_eq by apply pos_INR. apply le_INR.
    pose proof (own_length H). lia. }
  assert (BE : Hoeffding.bounded (cut n excess_evidence)).
  { apply (bounded_cut n _ (Rabs (ln (low ^ S n)) + Rabs (ln (high ^ S n)) + Rabs divergence * INR (S n))).
    - pose proof (Rabs_pos (ln (low ^ S n))). pose proof (Rabs_pos (ln (high ^ S n))). pose proof (Rabs_pos divergence). pose proof (pos_INR (S n)). nra.
    - intros H Hn. pose proof (likelihood_range n H Hn) as [L1 L2]. pose proof (pow_lt low (S n) (proj1 low_range)) as Hlow. pose proof (likelihood_positive H).
      assert (G1 : ln (low ^ S n) <= ln (likelihood H)) by (destruct L1 as [L1|L1]; [apply Rlt_le, ln_increasing; assumption|rewrite L1; lra]).
      assert (G2 : ln (likelihood H) <= ln (high ^ S n)) by (destruct L2 as [L2|L2]; [apply Rlt_le, ln_increasing; assumption|rewrite L2; lra]).
      unfold excess_evidence, evidence. eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_Ropp, Rabs_mult. apply Rplus_le_compat.
      + pose proof (Rle_abs (ln (high ^ S n))). pose proof (Rle_abs (- ln (low ^ S n))) as H3. rewrite Rabs_Ropp in H3.
        pose proof (Rabs_pos (ln (low ^ S n))). pose proof (Rabs_pos (ln (high ^ S n))). apply Rabs_le. lra.
      + apply Rmult_le_compat_l; [apply Rabs_pos|]. unfold queries_of. rewrite Rabs_pos_eq by apply pos_INR. apply le_INR. pose proof (own_length H). lia. }
  pose (right_side := fun H => (1 - l) * cut n (fun _ => 1) H + 1 * ((2 * l) * cut n A H + 1 * ((- c) * cut n likelihood H + (c - / c) * cut n (fun H => likelihood H * A H) H))).
  pose (left_side := fun H => 1 * cut n excess_evidence H + divergence * cut n queries_of H).
  assert (Hmain : whole n right_side <= whole n left_side).
  { apply (E_mono _ HE).
    - apply bounded_sum; [apply bounded_times, B1|]. apply bounded_times, bounded_sum; [apply bounded_times, BA|]. apply bounded_times, bounded_sum; apply bounded_times; assumption.
    - apply bounded_sum; apply bounded_times; assumption.
    - intros H. specialize (Hpoint H). unfold right_side, left_side, cut. destruct (le_dec _ _); [unfold excess_evidence; lra|lra]. }
  unfold right_side, left_side in Hmain.
  assert (S3 : Hoeffding.bounded (fun H => (- c) * cut n likelihood H + (c - / c) * cut n (fun H => likelihood H * A H) H))
    by (apply bounded_sum; apply bounded_times; assumption).
  assert (S2 : Hoeffding.bounded (fun H => (2 * l) * cut n A H + 1 * ((- c) * cut n likelihood H + (c - / c) * cut n (fun H => likelihood H * A H) H)))
    by (apply bounded_sum; apply bounded_times; assumption).
  rewrite (E_lin _ HE (1 - l) 1 (cut n (fun _ => 1)) _ B1 S2) in Hmain. rewrite (E_lin _ HE (2 * l) 1 (cut n A) _ BA S3) in Hmain.
  rewrite (E_lin _ HE (- c) (c - / c) _ _ BL BLA) in Hmain. rewrite (E_lin _ HE 1 divergence _ _ BE BZ) in Hmain.
  rewrite !whole_cut, (E_one _ HE), Hone, whole_excess in Hmain.
  (* the worst case of x and y *)
  set (x := whole n A) in *. set (y := whole n (fun H => likelihood H * A H)) in *.
  assert (Hcc : c <= / c).
  { rewrite <- Ec. unfold c. apply Rmult_le_reg_r with (delta * (1 - delta)); [nra|]. replace (delta / (1 - delta) * (delta * (1 - delta))) with (delta * delta) by (field; lra).
    replace ((1 - delta) / delta * (delta * (1 - delta))) with ((1 - delta) * (1 - delta)) by (field; lra). nra. }
  assert (Hyc : (c - / c) * delta <= (c - / c) * y) by nra. assert (Hxl : 2 * l * (1 - delta) <= 2 * l * x) by (apply Rmult_le_compat_l; lra).
  assert (Ekl : kl delta (1 - delta) = (1 - 2 * delta) * l).
  { unfold kl. replace (1 - (1 - delta)) with delta by ring. change (delta / (1 - delta)) with c. rewrite Elc. change (ln ((1 - delta) / delta)) with l. ring. }
  assert (Eend : - c + (c - / c) * delta = - 1) by (rewrite <- Ec; unfold c; field; lra).
  rewrite Ekl. lra.
Qed.
(* the number of queries, where i is unqualified *)
Corollary information_bound_of_queries n names_best delta : 0 < delta < 1 / 2 -> q < qmin ->
  1 - delta <= whole n (fun H => ind _ (excluded_middle (names_best H))) ->
  whole_any other other_first draw n (fun H => ind _ (excluded_middle (names_best H))) <= delta ->
  kl delta (1 - delta) / kl q qmin <= whole n queries_of.
Proof.
  intros Hdel Hlt Hx Hy. pose proof (claim_own_information_bound n names_best delta Hdel Hx Hy) as H.
  assert (Hpos : 0 < divergence).
  { unfold kl. set (a := ln (qmin / q)). set (b := ln ((1 - qmin) / (1 - q))).
    assert (Ea : ln (q / qmin) = - a) by (unfold a; rewrite <- ln_Rinv by (apply Rdiv_lt_0_compat; lra); f_equal; field; lra).
    assert (Eb : ln ((1 - q) / (1 - qmin)) = - b) by (unfold b; rewrite <- ln_Rinv by (apply Rdiv_lt_0_compat; lra); f_equal; field; lra).
    rewrite Ea, Eb. assert (Ha : a < qmin / q - 1).
    { assert (Hne : a <> 0) by (unfold a; rewrite <- ln_1; intros E; apply ln_inv in E; [|apply Rdiv_lt_0_compat; lra|lra]; apply Rmult_eq_compat_r with (r := q) in E; unfold Rdiv in E; rewrite Rmult_assoc, Rinv_l in E by lra; lra).
      pose proof (exp_ineq1 a Hne) as He. unfold a in He at 2. rewrite exp_ln in He by (apply Rdiv_lt_0_compat; lra). lra. }
    assert (Hb : b <= (1 - qmin) / (1 - q) - 1) by (apply ln_le_pred, Rdiv_lt_0_compat; lra).
    apply Rmult_lt_compat_l with (r := q) in Ha; [|lra]. apply Rmult_le_compat_l with (r := 1 - q) in Hb; [|lra].
    replace (q * (qmin / q - 1)) with (qmin - q) in Ha by (field; lra). replace ((1 - q) * ((1 - qmin) / (1 - q) - 1)) with (q - qmin) in Hb by (field; lra). lra. }
  apply Rmult_le_reg_r with divergence; [exact Hpos|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
End Information.
