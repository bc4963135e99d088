(* claim:own-information-bound. How many queries any platform must send to a provider that is unqualified, and cheaper than i*.

   Read: `with_quality` (two markets that differ in the mean score of i alone), `optimal`, `names_rightly`, `information_count`
   (the number that the program prints); then the two theorems at the end. Scores of i are 0 or 1, and do not depend on its costs. The
   first draws are independent. Whom the platform serves, and whom it names, may depend on the whole history, in any way, and be drawn.

   The proof is a change of measure: the likelihood ratio of the scores of i turns means of the one market into means of the other, and
   the mean of its logarithm is the mean number of queries to i, times kl(q_i, q_min). *)
Require Import Reals Lra Lia List Arith Psatz FunctionalExtensionality.
From Costproof Require Import Radius Auction Runs Game Dynamics Hoeffding SingleTime AnyRadiusEvent Instances.
Import ListNotations.
Open Scope R_scope.

(* ---- what the theorems say *)
(* the law of an observation whose score is 1 with probability x, else 0, and whose cost has the law `costs`, whatever the score *)
Definition coin_scores (costs : (observation -> R) -> R) (x : R) (f : observation -> R) : R :=
  x * costs (fun o => f {| cost := cost o; score := 1 |}) + (1 - x) * costs (fun o => f {| cost := cost o; score := 0 |}).
(* kl(delta, 1 - delta)/kl(q_i, q_min); 0 where nothing need be told apart, and where one score of 0 tells all *)
Definition information_count (delta q qmin : R) : R :=
  if Rlt_dec delta (1 / 2) then if Rlt_dec qmin 1 then kl delta (1 - delta) / kl q qmin else 0 else 0.
(* who is optimal in a market of such laws: i* *)
Definition optimal (N : nat) (qmin : R) (theta : nat -> (observation -> R) -> R) (best : nat) : Prop :=
  (best < N)%nat /\ qmin <= theta best score /\
  forall j, (j < N)%nat -> qmin <= theta j score -> j <> best -> theta best cost < theta j cost.

Section Information.
Variables (N : nat) (cmax qmin : R).
(* i, whose mean score differs between the markets; the law of its costs; the laws of all others *)
Variables (i : nat) (costs : (observation -> R) -> R) (others : nat -> (observation -> R) -> R).
(* whom the platform serves after a history, and whom it names as optimal: expectations over its draws *)
Variables (draw names : history -> (nat -> R) -> R).
Definition with_quality (x : R) (j : nat) : (observation -> R) -> R := if Nat.eq_dec j i then coin_scores costs x else others j.
(* the mean of a value after n more queries than initialization has, whose draws are independent *)
Definition mean_after (x : R) (n : nat) (value : history -> R) : R :=
  whole_any (with_quality x) (one_by_one (with_quality x) N) draw n value.
Definition names_it (j : nat) (H : history) : R := names H (fun answer => if Nat.eq_dec answer j then 1 else 0).
Definition names_rightly (delta x : R) (n : nat) : Prop :=
  forall best, optimal N qmin (with_quality x) best -> 1 - delta <= mean_after x n (names_it best).
(* the first one included *)
Definition queries_of (H : history) : R := INR (length (own_history i H)).

Hypothesis Hdraw : forall H, over (fun j => (j < N)%nat) (draw H).
Hypothesis Hnames : forall H, over (fun j => (j < N)%nat) (names H).
Hypothesis Hcosts : law cmax costs.
Hypothesis Hothers : forall j, law cmax (others j).
Hypothesis Hi : (i < N)%nat.
Notation possible := (possible cmax).
Notation law := (law cmax).

(* ---- laws *)
Lemma bounded_const (c : R) : Game.bounded cmax (fun _ => c).
Proof. exists (Rabs c). intros o _. lra. Qed.
Lemma law_constant E c : law E -> E (fun _ => c) = c.
Proof.
  intros HE. transitivity (c * E (fun _ => 1) + 0 * E (fun _ => 1)); [|rewrite (law_one _ _ HE); ring].
  rewrite <- (law_linear _ _ HE) by apply bounded_const. f_equal. apply functional_extensionality. intros o. ring.
Qed.
Lemma law_times E c f : law E -> Game.bounded cmax f -> E (fun o => c * f o) = c * E f.
Proof.
  intros HE Hf. transitivity (c * E f + 0 * E f); [|ring]. rewrite <- (law_linear _ _ HE) by assumption. f_equal.
  apply functional_extensionality. intros o. ring.
Qed.
Lemma possible_scored o s : possible o -> 0 <= s <= 1 -> possible {| cost := cost o; score := s |}.
Proof. intros [Hc _] Hs. split; assumption. Qed.
Lemma bounded_scored f s : 0 <= s <= 1 -> Game.bounded cmax f -> Game.bounded cmax (fun o => f {| cost := cost o; score := s |}).
Proof. intros Hs (b & Hb). exists b. intros o Ho. apply Hb, possible_scored; assumption. Qed.
Lemma coin_is_law x : 0 <= x <= 1 -> law (coin_scores costs x).
Proof.
  intros Hx. split; unfold coin_scores.
  - rewrite (law_one _ _ Hcosts). ring.
  - intros f f' Hf Hf' Hle. apply Rplus_le_compat; apply Rmult_le_compat_l; try lra; apply (law_monotone _ _ Hcosts);
      try (apply bounded_scored; [lra|assumption]); intros o Ho; apply Hle, possible_scored; auto; lra.
  - intros a b f f' Hf Hf'. rewrite !(law_linear _ _ Hcosts) by (apply bounded_scored; [lra|assumption]). ring.
Qed.
Lemma laws x : 0 <= x <= 1 -> forall j, law (with_quality x j).
Proof. intros Hx j. unfold with_quality. destruct (Nat.eq_dec j i); [apply coin_is_law; exact Hx|apply Hothers]. Qed.
Lemma initial_draws x : 0 <= x <= 1 -> initialization N cmax (with_quality x) (one_by_one (with_quality x) N).
Proof. intros Hx. apply independent_initialization, laws, Hx. Qed.
Lemma own_law x : with_quality x i = coin_scores costs x.
Proof. unfold with_quality. destruct (Nat.eq_dec i i); [reflexivity|contradiction]. Qed.
Lemma same_law x y j : j <> i -> with_quality x j = with_quality y j.
Proof. intros Hj. unfold with_quality. destruct (Nat.eq_dec j i); [contradiction|reflexivity]. Qed.
Lemma coin_quality x : with_quality x i score = x.
Proof. rewrite own_law. unfold coin_scores. simpl. rewrite !(law_constant costs) by exact Hcosts. ring. Qed.
Lemma coin_cost x : with_quality x i cost = costs cost.
Proof. rewrite own_law. unfold coin_scores. simpl. change (fun o : observation => cost o) with cost. ring. Qed.

Section TwoMarkets.
Variable q : R.
Hypothesis Hq : 0 <= q < qmin.
Hypothesis Hqmin : qmin < 1.
Notation theta := (with_quality q).
Notation other := (with_quality qmin).
Notation mean_here := (mean_after q).
Lemma laws_here j : law (theta j). Proof. apply laws. lra. Qed.
Lemma laws_there j : law (other j). Proof. apply laws. lra. Qed.

(* ---- the likelihood ratio of a score; where q_i = 0, a score of 1 never comes *)
Definition ratio (o : observation) : R :=
  if Req_EM_T (score o) 1 then if Rlt_dec 0 q then qmin / q else 1 else (1 - qmin) / (1 - q).
Definition low : R := (1 - qmin) / (1 - q).
Definition high : R := Rmax 1 (qmin / q).
Lemma low_range : 0 < low <= 1.
Proof.
  unfold low. split; [apply Rdiv_lt_0_compat; lra|]. apply Rmult_le_reg_r with (1 - q); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
Lemma high_range : 1 <= high. Proof. apply Rmax_l. Qed.
Lemma ratio_range o : low <= ratio o <= high.
Proof.
  pose proof low_range. pose proof high_range. unfold ratio. fold low. destruct (Req_EM_T (score o) 1); [|lra].
  destruct (Rlt_dec 0 q) as [Hp|_]; [|lra]. split; [|apply Rmax_r]. apply Rle_trans with 1; [lra|].
  apply Rmult_le_reg_r with q; [exact Hp|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
Lemma ratio_positive o : 0 < ratio o. Proof. pose proof (ratio_range o). pose proof low_range. lra. Qed.
Lemma bounded_ratio : Game.bounded cmax ratio.
Proof. exists high. intros o _. pose proof (ratio_range o). pose proof low_range. apply Rabs_le. lra. Qed.
Lemma bounded_product f f' : Game.bounded cmax f -> Game.bounded cmax f' -> Game.bounded cmax (fun o => f o * f' o).
Proof.
  intros (b & Hb) (b' & Hb'). exists (Rabs b * Rabs b'). intros o Ho. rewrite Rabs_mult. specialize (Hb o Ho). specialize (Hb' o Ho).
  pose proof (Rle_abs b). pose proof (Rle_abs b'). apply Rmult_le_compat; try apply Rabs_pos; lra.
Qed.
Lemma ratio_of_score c : ratio {| cost := c; score := 1 |} = (if Rlt_dec 0 q then qmin / q else 1) /\
  ratio {| cost := c; score := 0 |} = (1 - qmin) / (1 - q).
Proof. unfold ratio. simpl. destruct (Req_EM_T 1 1); [|contradiction]. destruct (Req_EM_T 0 1); [lra|]. split; reflexivity. Qed.
(* a mean there is at least the weighted mean here: the same, unless scores of 1 come there alone *)
Lemma reweighted f : Game.bounded cmax f -> (forall o, 0 <= f o) -> theta i (fun o => ratio o * f o) <= other i f.
Proof.
  intros Hf Hpos. rewrite !own_law. unfold coin_scores. pose proof (bounded_scored f 1 ltac:(lra) Hf) as B1. pose proof (bounded_scored f 0 ltac:(lra) Hf) as B0.
  assert (E1 : costs (fun o => ratio {| cost := cost o; score := 1 |} * f {| cost := cost o; score := 1 |})
    = (if Rlt_dec 0 q then qmin / q else 1) * costs (fun o => f {| cost := cost o; score := 1 |})).
  { rewrite <- (law_times costs) by assumption. f_equal. apply functional_extensionality. intros o. rewrite (proj1 (ratio_of_score _)). reflexivity. }
  assert (E0 : costs (fun o => ratio {| cost := cost o; score := 0 |} * f {| cost := cost o; score := 0 |})
    = (1 - qmin) / (1 - q) * costs (fun o => f {| cost := cost o; score := 0 |})).
  { rewrite <- (law_times costs) by assumption. f_equal. apply functional_extensionality. intros o. rewrite (proj2 (ratio_of_score _)). reflexivity. }
  rewrite E1, E0. assert (P1 : 0 <= costs (fun o => f {| cost := cost o; score := 1 |})).
  { rewrite <- (law_constant costs 0 Hcosts). apply (law_monotone _ _ Hcosts); [apply bounded_const|exact B1|]. intros o _. apply Hpos. }
  set (x := costs (fun o => f {| cost := cost o; score := 1 |})) in *. set (y := costs (fun o => f {| cost := cost o; score := 0 |})).
  replace ((1 - q) * ((1 - qmin) / (1 - q) * y)) with ((1 - qmin) * y) by (field; lra). apply Rplus_le_compat_r.
  destruct (Rlt_dec 0 q); [right; field; lra|]. assert (Eq : q = 0) by lra. rewrite Eq. nra.
Qed.
Notation divergence := (kl q qmin).
Lemma log_mean : theta i (fun o => - ln (ratio o)) = divergence.
Proof.
  rewrite own_law. unfold coin_scores.
  transitivity (q * costs (fun _ => - ln (if Rlt_dec 0 q then qmin / q else 1)) + (1 - q) * costs (fun _ => - ln ((1 - qmin) / (1 - q)))).
  - f_equal; f_equal; f_equal; apply functional_extensionality; intros o; do 2 f_equal; apply ratio_of_score.
  - rewrite !(law_constant costs) by exact Hcosts. unfold kl. rewrite <- (ln_Rinv ((1 - qmin) / (1 - q))) by (apply Rdiv_lt_0_compat; lra).
    replace (/ ((1 - qmin) / (1 - q))) with ((1 - q) / (1 - qmin)) by (field; lra). f_equal.
    destruct (Rlt_dec 0 q) as [Hp|Hn]; [|assert (Eq : q = 0) by lra; rewrite Eq; ring].
    rewrite <- ln_Rinv by (apply Rdiv_lt_0_compat; lra). do 2 f_equal. field. lra.
Qed.
Lemma bounded_log : Game.bounded cmax (fun o => - ln (ratio o)).
Proof.
  exists (Rabs (ln low) + Rabs (ln high)). intros o _. pose proof (ratio_range o) as [H1 H2]. pose proof low_range.
  assert (L1 : ln low <= ln (ratio o)) by (destruct H1 as [H1|H1]; [apply Rlt_le, ln_increasing; lra|rewrite H1; lra]).
  assert (L2 : ln (ratio o) <= ln high) by (destruct H2 as [H2|H2]; [apply Rlt_le, ln_increasing; lra|rewrite H2; lra]).
  pose proof (Rle_abs (ln high)). pose proof (Rle_abs (- ln low)) as H3. rewrite Rabs_Ropp in H3.
  pose proof (Rabs_pos (ln low)). pose proof (Rabs_pos (ln high)). apply Rabs_le. lra.
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
Lemma likelihood_start o : likelihood (start o) = ratio (o i).
Proof. unfold likelihood, start, own_history. simpl. ring. Qed.
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
Lemma likelihood_positive H : 0 < likelihood H.
Proof.
  pose proof (likelihood_range (length (later H)) H (le_n _)). pose proof (pow_lt low (S (length (later H))) (proj1 low_range)). lra.
Qed.
Lemma any_agrees law_of n (v v' : history -> R) : forall H, (forall H', length (later H') = (length (later H) + n)%nat -> v H' = v' H') ->
  expected_any law_of draw n v H = expected_any law_of draw n v' H.
Proof.
  induction n as [|n IH]; intros H Hv; [apply Hv; lia|]. cbn [expected_any]. f_equal. apply functional_extensionality. intros j. f_equal.
  apply functional_extensionality. intros o. apply IH. intros H' Hl. apply Hv. rewrite Hl. simpl. lia.
Qed.
Definition cut (n : nat) (v : history -> R) (H : history) : R := if le_dec (length (later H)) n then v H else 0.
Lemma mean_cut n v : mean_here n (cut n v) = mean_here n v.
Proof.
  unfold mean_after, whole_any. f_equal. apply functional_extensionality. intros o. apply any_agrees. intros H' Hl. unfold cut. simpl in Hl.
  destruct (le_dec _ _); [reflexivity|lia].
Qed.
Lemma bounded_cut n v b : 0 <= b -> (forall H, (length (later H) <= n)%nat -> Rabs (v H) <= b) -> Hoeffding.bounded (cut n v).
Proof. intros Hb Hv. exists b. intros H. unfold cut. destruct (le_dec _ _); [apply Hv; assumption|rewrite Rabs_R0; exact Hb]. Qed.

(* ---- change of measure *)
Lemma draw_times H c f : draw H (fun j => c * f j) = c * draw H f.
Proof.
  transitivity (c * draw H f + 0 * draw H f); [|ring]. rewrite <- (proj2 (proj2 (Hdraw H))). f_equal. apply functional_extensionality. intros j. ring.
Qed.
Lemma draw_const H c : draw H (fun _ => c) = c.
Proof.
  transitivity (c * draw H (fun _ => 1)); [|rewrite (proj1 (Hdraw H)); ring]. rewrite <- draw_times. f_equal. apply functional_extensionality. intros j. ring.
Qed.
Section Change.
Variables (v : history -> R) (b : R).
Hypothesis Hv : forall H, 0 <= v H <= b.
Lemma there_between n : forall H, 0 <= expected_any other draw n v H <= b.
Proof.
  induction n as [|n IH]; intros H; [apply Hv|]. cbn [expected_any]. apply (over_between _ _ _ _ _ (Hdraw H)). intros j _.
  apply (law_between cmax _ _ _ _ (laws_there j)). intros o _. apply IH.
Qed.
Lemma weighted_between n : forall H, 0 <= expected_any theta draw n (fun H => likelihood H * v H) H <= high ^ n * likelihood H * b.
Proof.
  pose proof high_range as Hh. induction n as [|n IH]; intros H.
  - simpl. pose proof (likelihood_positive H). specialize (Hv H). nra.
  - cbn [expected_any]. apply (over_between _ _ _ _ _ (Hdraw H)). intros j _. apply (law_between cmax _ _ _ _ (laws_here j)). intros o _.
    specialize (IH (after H j o)). split; [apply IH|]. eapply Rle_trans; [apply IH|]. pose proof (likelihood_positive H) as Hl.
    assert (Hb : 0 <= b) by (specialize (Hv H); lra). assert (Hpow : 0 <= high ^ n) by (apply pow_le; lra).
    assert (Hgrow : likelihood (after H j o) <= high * likelihood H).
    { destruct (Nat.eq_dec j i) as [->|Hj]; [rewrite likelihood_self; pose proof (ratio_range o); apply Rmult_le_compat_r; lra|rewrite likelihood_other by exact Hj; nra]. }
    simpl. rewrite (Rmult_comm high), !Rmult_assoc. apply Rmult_le_compat_l; [exact Hpow|]. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; assumption.
Qed.
Lemma change_of_measure n : forall H,
  expected_any theta draw n (fun H => likelihood H * v H) H <= likelihood H * expected_any other draw n v H.
Proof.
  induction n as [|n IH]; intros H; [simpl; lra|]. cbn [expected_any]. rewrite <- draw_times. apply (proj1 (proj2 (Hdraw H))). intros j _.
  assert (Hb : Game.bounded cmax (fun o => expected_any other draw n v (after H j o))).
  { exists b. intros o _. pose proof (there_between n (after H j o)). apply Rabs_le. lra. }
  assert (Hwb : Game.bounded cmax (fun o => expected_any theta draw n (fun H => likelihood H * v H) (after H j o))).
  { exists (high ^ n * (high * likelihood H) * b). intros o _. pose proof (weighted_between n (after H j o)) as [W1 W2]. rewrite Rabs_pos_eq by exact W1.
    eapply Rle_trans; [exact W2|]. pose proof high_range. pose proof (likelihood_positive H). assert (0 <= b) by (specialize (Hv H); lra).
    apply Rmult_le_compat_r; [assumption|]. apply Rmult_le_compat_l; [apply pow_le; lra|].
    destruct (Nat.eq_dec j i) as [->|Hj]; [rewrite likelihood_self; pose proof (ratio_range o); apply Rmult_le_compat_r; lra|rewrite likelihood_other by exact Hj; nra]. }
  pose proof (likelihood_positive H) as Hl. destruct (Nat.eq_dec j i) as [->|Hj].
  - eapply Rle_trans; [|apply Rmult_le_compat_l; [lra|apply (reweighted _ Hb); intros o; apply there_between]].
    rewrite <- (law_times (theta i)); [|apply laws_here|apply bounded_product; [apply bounded_ratio|exact Hb]].
    apply (law_monotone _ _ (laws_here i)); [exact Hwb| |].
    + apply bounded_product; [apply bounded_const|]. apply bounded_product; [apply bounded_ratio|exact Hb].
    + intros o _. specialize (IH (after H i o)). rewrite likelihood_self in IH. lra.
  - rewrite <- (same_law q qmin j Hj). rewrite <- (law_times (theta j)); [|apply laws_here|exact Hb].
    apply (law_monotone _ _ (laws_here j)); [exact Hwb|apply bounded_product; [apply bounded_const|exact Hb]|].
    intros o _. specialize (IH (after H j o)). rewrite (likelihood_other H j o Hj) in IH. exact IH.
Qed.
(* the first draws *)
Lemma first_other k f : (k <= i)%nat -> one_by_one theta k f = one_by_one other k f.
Proof.
  revert f. induction k as [|k IH]; intros f Hk; [reflexivity|]. cbn [one_by_one]. rewrite IH by lia. f_equal.
  apply functional_extensionality. intros o. rewrite (same_law q qmin k) by lia. reflexivity.
Qed.
Lemma first_reweighted c k : forall f : (nat -> observation) -> R, (forall o, 0 <= f o <= c) -> (i < k)%nat ->
  one_by_one theta k (fun o => ratio (o i) * f o) <= one_by_one other k f.
Proof.
  pose proof high_range as Hh. induction k as [|k IH]; intros f Hf Hik; [lia|]. cbn [one_by_one].
  assert (Hin : forall E, law E -> forall o, 0 <= E (fun x => f (drawn o k x)) <= c).
  { intros E HE o. apply (law_between cmax _ _ _ _ HE). intros x _. apply Hf. }
  assert (Hfb : forall o, Game.bounded cmax (fun x => f (drawn o k x))).
  { intros o. exists c. intros x _. specialize (Hf (drawn o k x)). apply Rabs_le. lra. }
  destruct (Nat.eq_dec i k) as [Eik|Hne].
  - subst k. rewrite <- first_other by lia.
    apply (first_monotone _ _ _ _ (independent_initialization cmax theta laws_here i)).
    + exists (high * c). intros o _. rewrite Rabs_pos_eq.
      * apply (law_between cmax (theta i) _ 0 (high * c) (laws_here i)). intros x _. specialize (Hf (drawn o i x)). pose proof (ratio_range (drawn o i x i)). pose proof low_range. nra.
      * apply (law_between cmax (theta i) _ 0 (high * c) (laws_here i)). intros x _. specialize (Hf (drawn o i x)). pose proof (ratio_range (drawn o i x i)). pose proof low_range. nra.
    + exists c. intros o _. specialize (Hin (other i) (laws_there i) o). apply Rabs_le. lra.
    + intros o _. eapply Rle_trans; [|apply (reweighted (fun x => f (drawn o i x)) (Hfb o)); intros x; apply Hf].
      right. f_equal. apply functional_extensionality. intros x. f_equal. unfold drawn. destruct (Nat.eq_dec i i); [reflexivity|contradiction].
  - eapply Rle_trans; [|apply IH; [|lia]].
    + right. f_equal. apply functional_extensionality. intros o. rewrite (same_law qmin q k) by lia.
      rewrite <- (law_times (theta k)) by (apply laws_here || apply Hfb). f_equal. apply functional_extensionality. intros x.
      f_equal. unfold drawn. destruct (Nat.eq_dec i k); [contradiction|reflexivity].
    + intros o. apply Hin, laws_there.
Qed.
Lemma measure_changed n : mean_here n (fun H => likelihood H * v H) <= mean_after qmin n v.
Proof.
  unfold mean_after, whole_any. eapply Rle_trans; [|apply (first_reweighted b N); [intros o; apply there_between|exact Hi]].
  apply (first_monotone _ _ _ _ (initial_draws q ltac:(lra))).
  - exists (high ^ n * high * b). intros o _. pose proof (weighted_between n (start o)) as [W1 W2]. rewrite Rabs_pos_eq by exact W1.
    eapply Rle_trans; [exact W2|]. rewrite likelihood_start. pose proof high_range. assert (0 <= b) by (specialize (Hv (start o)); lra).
    apply Rmult_le_compat_r; [assumption|]. apply Rmult_le_compat_l; [apply pow_le; lra|apply ratio_range].
  - exists (high * b). intros o _. pose proof (there_between n (start o)). pose proof (ratio_range (o i)). pose proof low_range.
    rewrite Rabs_pos_eq by (apply Rmult_le_pos; lra). apply Rmult_le_compat; lra.
  - intros o _. pose proof (change_of_measure n (start o)) as H. rewrite likelihood_start in H. exact H.
Qed.
End Change.
Lemma mean_of_one x n : 0 <= x <= 1 -> mean_after x n (fun _ => 1) = 1.
Proof. intros Hx. apply (E_one _ (whole_any_isE N cmax _ _ draw Hdraw (laws x Hx) (initial_draws x Hx) n)). Qed.

(* ---- the log-likelihood is, in the mean, the number of queries of i times kl *)
Definition evidence (H : history) : R := - ln (likelihood H).
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
    + rewrite (law_linear _ _ (laws_here i) _ _ (fun _ => 1)) by (apply bounded_const || apply bounded_log). rewrite (law_one _ _ (laws_here i)), log_mean. ring.
  - transitivity (theta j (fun _ => excess_evidence H)); [|apply law_constant, laws_here]. f_equal. apply functional_extensionality. intros o.
    rewrite IH. apply excess_other. exact Hj.
Qed.
Lemma mean_excess n : mean_here n excess_evidence = 0.
Proof.
  unfold mean_after, whole_any. transitivity (one_by_one theta N (fun o => (fun x => (- divergence) * 1 + 1 * (- ln (ratio x))) (o i))).
  - f_equal. apply functional_extensionality. intros o. rewrite excess_stays. unfold excess_evidence, evidence, queries_of. rewrite likelihood_start.
    unfold own_history. simpl. ring.
  - rewrite (first_draws _ _ _ _ (initial_draws q ltac:(lra)) i (fun x => (- divergence) * 1 + 1 * (- ln (ratio x))) Hi).
    + rewrite (law_linear _ _ (laws_here i) _ _ (fun _ => 1)) by (apply bounded_const || apply bounded_log). rewrite (law_one _ _ (laws_here i)), log_mean. ring.
    + destruct bounded_log as (b & Hb). exists (Rabs divergence + b). intros o Ho. specialize (Hb o Ho). cbv beta in Hb.
      eapply Rle_trans; [apply Rabs_triang|]. rewrite Rmult_1_r, Rmult_1_l, (Rabs_Ropp divergence). lra.
Qed.

(* ---- what is at least 1 - delta here and at most delta there needs evidence *)
Lemma evidence_needed n (A : history -> R) delta : 0 < delta < 1 / 2 -> (forall H, 0 <= A H <= 1) ->
  1 - delta <= mean_here n A -> mean_after qmin n A <= delta -> kl delta (1 - delta) <= divergence * mean_here n queries_of.
Proof.
  intros Hdel HA Hx Hy. assert (HE : isE (mean_here n)) by exact (whole_any_isE N cmax _ _ draw Hdraw laws_here (initial_draws q ltac:(lra)) n).
  set (l := ln ((1 - delta) / delta)).
  assert (Hone : mean_here n likelihood <= 1).
  { rewrite <- (mean_of_one qmin n ltac:(lra)). eapply Rle_trans; [|apply (measure_changed (fun _ => 1) 1); intros; lra].
    right. f_equal. apply functional_extensionality. intros H. ring. }
  pose proof (measure_changed A 1 HA n) as Hyw.
  assert (Hl : 0 <= l).
  { unfold l. rewrite <- ln_1. apply Rlt_le, ln_increasing; [lra|]. apply Rmult_lt_reg_r with delta; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  set (c := delta / (1 - delta)). assert (Hc : 0 < c) by (apply Rdiv_lt_0_compat; lra).
  assert (Ec : (1 - delta) / delta = / c) by (unfold c; field; lra). assert (Elc : ln c = - l) by (unfold l; rewrite Ec, ln_Rinv by exact Hc; ring).
  (* two tangents of the logarithm, weighted by the chances that the answer is this one, and another *)
  assert (Hpoint : forall H, (1 - l) * 1 + 1 * ((2 * l) * A H + 1 * ((- c) * likelihood H + (c - / c) * (likelihood H * A H))) <= evidence H).
  { intros H. pose proof (likelihood_positive H) as Hp. specialize (HA H). unfold evidence.
    assert (Ht1 : ln (likelihood H) <= likelihood H * / c - l - 1).
    { assert (Hx1 : 0 < likelihood H * / c) by (apply Rmult_lt_0_compat; [assumption|apply Rinv_0_lt_compat; exact Hc]).
      pose proof (ln_le_pred _ Hx1) as Ht. rewrite ln_mult, ln_Rinv in Ht by (try apply Rinv_0_lt_compat; assumption). rewrite Elc in Ht. lra. }
    assert (Ht0 : ln (likelihood H) <= likelihood H * c + l - 1).
    { assert (Hx1 : 0 < likelihood H * c) by (apply Rmult_lt_0_compat; assumption). pose proof (ln_le_pred _ Hx1) as Ht.
      rewrite ln_mult in Ht by assumption. rewrite Elc in Ht. lra. }
    apply Rmult_le_compat_l with (r := A H) in Ht1; [|lra]. apply Rmult_le_compat_l with (r := 1 - A H) in Ht0; [|lra].
    set (a := A H) in *. set (w := likelihood H) in *. set (z := ln w) in *. set (d := / c) in *. lra. }
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
  assert (Hmain : mean_here n right_side <= mean_here n left_side).
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
  rewrite !mean_cut, (E_one _ HE), mean_excess in Hmain.
  (* the worst case of x and y *)
  set (x := mean_here n A) in *. set (y := mean_here n (fun H => likelihood H * A H)) in *.
  assert (Hcc : c <= / c).
  { rewrite <- Ec. unfold c. apply Rmult_le_reg_r with (delta * (1 - delta)); [nra|]. replace (delta / (1 - delta) * (delta * (1 - delta))) with (delta * delta) by (field; lra).
    replace ((1 - delta) / delta * (delta * (1 - delta))) with ((1 - delta) * (1 - delta)) by (field; lra). nra. }
  assert (Hyc : (c - / c) * delta <= (c - / c) * y) by nra. assert (Hxl : 2 * l * (1 - delta) <= 2 * l * x) by (apply Rmult_le_compat_l; lra).
  assert (Hlk : (- c) * 1 <= (- c) * mean_here n likelihood) by nra.
  assert (Ekl : kl delta (1 - delta) = (1 - 2 * delta) * l).
  { unfold kl. replace (1 - (1 - delta)) with delta by ring. change (delta / (1 - delta)) with c. rewrite Elc. change (ln ((1 - delta) / delta)) with l. ring. }
  assert (Eend : - c + (c - / c) * delta = - 1) by (rewrite <- Ec; unfold c; field; lra).
  rewrite Ekl. lra.
Qed.
Lemma divergence_positive : 0 < divergence.
Proof.
  unfold kl. assert (Hb : qmin - q <= (1 - q) * ln ((1 - q) / (1 - qmin))).
  { assert (E : ln ((1 - q) / (1 - qmin)) = - ln ((1 - qmin) / (1 - q))) by (rewrite <- ln_Rinv by (apply Rdiv_lt_0_compat; lra); f_equal; field; lra).
    rewrite E. pose proof (ln_le_pred ((1 - qmin) / (1 - q)) ltac:(apply Rdiv_lt_0_compat; lra)) as H.
    apply Rmult_le_compat_l with (r := 1 - q) in H; [|lra]. replace ((1 - q) * ((1 - qmin) / (1 - q) - 1)) with (q - qmin) in H by (field; lra). lra. }
  destruct (Rle_lt_dec q 0) as [H0|H0].
  - assert (Eq : q = 0) by lra. rewrite Eq, Rmult_0_l, Rplus_0_l, Rminus_0_r, Rmult_1_l, <- ln_1. apply ln_increasing; [lra|].
    apply Rmult_lt_reg_r with (1 - qmin); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - set (a := ln (qmin / q)). assert (Ea : ln (q / qmin) = - a) by (unfold a; rewrite <- ln_Rinv by (apply Rdiv_lt_0_compat; lra); f_equal; field; lra).
    assert (Hgt : 1 < qmin / q) by (apply Rmult_lt_reg_r with q; [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra).
    assert (Hne : a <> 0) by (assert (0 < a) by (unfold a; rewrite <- ln_1; apply ln_increasing; lra); lra).
    pose proof (exp_ineq1 a Hne) as He. unfold a in He at 2. rewrite exp_ln in He by lra.
    apply Rmult_lt_compat_l with (r := q) in He; [|lra]. replace (q * (qmin / q)) with qmin in He by (field; lra). rewrite Ea. lra.
Qed.
End TwoMarkets.

Lemma queries_nonneg x n : 0 <= x <= 1 -> 0 <= mean_after x n queries_of.
Proof.
  intros Hx. assert (Hr : forall k H, 0 <= expected_any (with_quality x) draw k queries_of H <= INR (S (length (later H) + k))).
  { induction k as [|k IH]; intros H; cbn [expected_any].
    - split; [apply pos_INR|]. unfold queries_of. apply le_INR. rewrite Nat.add_0_r. apply own_length.
    - apply (over_between _ _ _ _ _ (Hdraw H)). intros j _. apply (law_between cmax _ _ _ _ (laws x Hx j)). intros o _.
      specialize (IH (after H j o)). simpl length in IH. rewrite Nat.add_succ_r. exact IH. }
  pose proof (initial_draws x Hx) as Hfirst. assert (B1 : bounded_start N cmax (fun _ => 1)) by (exists 1; intros; rewrite Rabs_R1; lra).
  pose proof (first_linear _ _ _ _ Hfirst 0 0 _ _ B1 B1) as Hzero. rewrite !Rmult_0_l, Rplus_0_l in Hzero. eapply Rle_trans; [right; symmetry; exact Hzero|].
  apply (first_monotone _ _ _ _ Hfirst).
  - exists 0. intros o _. replace (0 * 1 + 0 * 1) with 0 by ring. rewrite Rabs_R0. lra.
  - exists (INR (S n)). intros o _. specialize (Hr n (start o)). simpl length in Hr. rewrite Rabs_pos_eq; apply Hr.
  - intros o _. replace (0 * 1 + 0 * 1) with 0 by ring. apply Hr.
Qed.
(* Where i is unqualified and cheaper than i*, and everybody else is as here, the market in which the mean score of i is q_min is one:
   laws and first draws are as a market has them, costs are as here, i is qualified, and the optimal provider. *)
Theorem the_other_market q best : 0 <= q < qmin -> qmin <= 1 -> optimal N qmin (with_quality q) best -> costs cost < with_quality q best cost ->
  (forall j, law (with_quality qmin j)) /\ initialization N cmax (with_quality qmin) (one_by_one (with_quality qmin) N) /\
  (forall j, with_quality qmin j cost = with_quality q j cost) /\ (forall j, j <> i -> with_quality qmin j = with_quality q j) /\
  with_quality qmin i score = qmin /\ optimal N qmin (with_quality qmin) i.
Proof.
  intros Hq Hmin (Hbest & Hqb & Hopt) Hcheap.
  assert (Hcost : forall j, with_quality qmin j cost = with_quality q j cost).
  { intros j. destruct (Nat.eq_dec j i) as [->|Hj]; [rewrite !coin_cost; reflexivity|rewrite (same_law qmin q j Hj); reflexivity]. }
  split; [apply laws; lra|]. split; [apply initial_draws; lra|]. split; [exact Hcost|]. split; [intros j; apply same_law|].
  split; [apply coin_quality|]. split; [exact Hi|]. split; [rewrite coin_quality; lra|]. intros j Hj Hqj Hne.
  rewrite !Hcost, (coin_cost q). rewrite (same_law qmin q j Hne) in Hqj. destruct (Nat.eq_dec j best) as [->|Hjb]; [exact Hcheap|].
  specialize (Hopt j Hj Hqj Hjb). lra.
Qed.
(* A platform that names the optimal provider rightly with probability 1 - delta, here and where i, unqualified and cheaper than i*, is
   qualified and all else is as here, sends i at least kl(delta, 1 - delta)/kl(q_i, q_min) queries in the mean, for scores of 0 and 1;
   the number that is printed is 0 for delta >= 1/2 and for q_min = 1. *)
Theorem claim_own_information_bound n q delta best : 0 <= q < qmin -> qmin <= 1 -> 0 < delta < 1 ->
  optimal N qmin (with_quality q) best -> costs cost < with_quality q best cost ->
  names_rightly delta q n -> names_rightly delta qmin n -> information_count delta q qmin <= mean_after q n queries_of.
Proof.
  intros Hq Hmin Hdel Hbest Hcheap Hhere Hthere.
  pose proof (queries_nonneg q n ltac:(lra)) as Hpos.
  unfold information_count. destruct (Rlt_dec delta (1 / 2)) as [Hd2|_]; [|exact Hpos]. destruct (Rlt_dec qmin 1) as [Hm1|_]; [|exact Hpos].
  destruct (the_other_market q best Hq Hmin Hbest Hcheap) as (_ & _ & _ & _ & _ & Hopt).
  assert (Hne : best <> i) by (intros ->; destruct Hbest as (_ & Hb & _); rewrite coin_quality in Hb; lra).
  specialize (Hhere best Hbest). specialize (Hthere i Hopt).
  assert (HA : forall j H, 0 <= names_it j H <= 1).
  { intros j H. apply (over_between _ _ _ _ _ (Hnames H)). intros x _. destruct (Nat.eq_dec x j); lra. }
  assert (Hsum : forall H, names_it best H + names_it i H <= 1).
  { intros H. unfold names_it. destruct (Hnames H) as (H1 & Hmono & Hlin).
    replace (names H (fun answer => if Nat.eq_dec answer best then 1 else 0) + names H (fun answer => if Nat.eq_dec answer i then 1 else 0))
      with (names H (fun answer => 1 * (if Nat.eq_dec answer best then 1 else 0) + 1 * (if Nat.eq_dec answer i then 1 else 0))) by (rewrite Hlin; ring).
    eapply Rle_trans; [apply Hmono|right; exact H1]. intros x _. destruct (Nat.eq_dec x best); destruct (Nat.eq_dec x i); try lra. exfalso. congruence. }
  assert (Hless : mean_after qmin n (names_it best) <= delta).
  { assert (HE : isE (mean_after qmin n)) by exact (whole_any_isE N cmax _ _ draw Hdraw (laws qmin ltac:(lra)) (initial_draws qmin ltac:(lra)) n).
    assert (B : forall j, Hoeffding.bounded (names_it j)) by (intros j; apply (bounded_between _ 0 1); apply HA).
    assert (Hle : mean_after qmin n (fun H => names_it best H + names_it i H) <= mean_after qmin n (fun _ => 1))
      by (apply (E_mono _ HE); [apply bounded_sum; apply B|apply bounded_constant|exact Hsum]).
    rewrite (E_plus _ HE), (E_one _ HE) in Hle by apply B. lra. }
  pose proof (evidence_needed q ltac:(lra) Hm1 n (names_it best) delta ltac:(lra) (HA best) Hhere Hless) as H.
  pose proof (divergence_positive q ltac:(lra) Hm1) as Hk. apply Rmult_le_reg_r with (kl q qmin); [exact Hk|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
End Information.

(* The hypotheses can be met: of two providers the second never scores, and would score nine times of ten in the other market. A
   platform that serves nobody else names the second where its first score is 1. It is right in both markets with probability 3/4. *)
Section Told.
Definition sure_of (o : observation) (f : observation -> R) : R := f o.
Definition first_costs : (observation -> R) -> R := sure_of {| cost := 0; score := 0 |}.
Definition the_others (_ : nat) : (observation -> R) -> R := sure_of {| cost := 1 / 2; score := 1 |}.
Definition serves_first (_ : history) (f : nat -> R) : R := f 0%nat.
Definition names_by_first_score (H : history) (f : nat -> R) : R := f (if Req_EM_T (score (initial H 1%nat)) 1 then 1%nat else 0%nat).
(* Every hypothesis of the bound holds of two providers, and of a platform that names the second where its first score is 1. *)
Theorem two_markets_told_apart : let markets := with_quality 1 first_costs the_others in
  (forall H, over (fun j => (j < 2)%nat) (serves_first H)) /\ (forall H, over (fun j => (j < 2)%nat) (names_by_first_score H)) /\
  law 1 first_costs /\ (forall j, law 1 (the_others j)) /\ optimal 2 (9 / 10) (markets 0) 0 /\ first_costs cost < markets 0 0%nat cost /\
  names_rightly 2 (9 / 10) 1 first_costs the_others serves_first names_by_first_score (1 / 4) 0 0 /\
  names_rightly 2 (9 / 10) 1 first_costs the_others serves_first names_by_first_score (1 / 4) (9 / 10) 0.
Proof.
  cbv zeta. assert (Hsure : forall o, possible 1 o -> law 1 (sure_of o)) by (intros o Ho; split; unfold sure_of; auto).
  assert (Hover : forall j, (j < 2)%nat -> over (fun j => (j < 2)%nat) (fun f => f j)) by (intros j Hj; split; [reflexivity|split; [intros f f' Hf; apply Hf; exact Hj|reflexivity]]).
  assert (H0 : optimal 2 (9 / 10) (with_quality 1 first_costs the_others 0) 0).
  { split; [lia|]. split; [unfold with_quality, the_others, sure_of; simpl; lra|]. intros j Hj Hqj Hne.
    assert (Ej : j = 1%nat) by lia. subst j. unfold with_quality, coin_scores, first_costs, sure_of in Hqj. simpl in Hqj. lra. }
  assert (H1 : forall best, optimal 2 (9 / 10) (with_quality 1 first_costs the_others (9 / 10)) best -> best = 1%nat).
  { intros best (Hb & _ & Hopt). destruct (Nat.eq_dec best 1) as [|Hne]; [assumption|]. assert (Eb : best = 0%nat) by lia. subst best.
    specialize (Hopt 1%nat ltac:(lia)). unfold with_quality, coin_scores, the_others, first_costs, sure_of in Hopt. simpl in Hopt. specialize (Hopt ltac:(lra) ltac:(lia)). lra. }
  split; [intros H; apply Hover; lia|]. split; [intros H; apply Hover; destruct (Req_EM_T _ _); lia|].
  split; [apply Hsure; split; simpl; lra|]. split; [intros j; apply Hsure; split; simpl; lra|]. split; [exact H0|].
  split; [unfold with_quality, the_others, first_costs, sure_of; simpl; lra|].
  assert (E : forall x j, mean_after 2 1 first_costs the_others serves_first x 0 (names_it names_by_first_score j)
    = x * (if Nat.eq_dec 1 j then 1 else 0) + (1 - x) * (if Nat.eq_dec 0 j then 1 else 0)).
  { intros x j. unfold mean_after, whole_any, names_it, names_by_first_score, with_quality, coin_scores, the_others, first_costs, sure_of, drawn. simpl.
    destruct (Req_EM_T 1 1) as [_|Hn]; [|contradiction]. destruct (Req_EM_T 0 1); [lra|]. reflexivity. }
  split; intros best Hbest; rewrite E.
  - destruct Hbest as (Hb & Hq & Hopt). assert (Eb : best = 0%nat).
    { destruct (Nat.eq_dec best 0) as [|Hne]; [assumption|]. assert (Eb : best = 1%nat) by lia. subst best.
      unfold with_quality, coin_scores, first_costs, sure_of in Hq. simpl in Hq. lra. }
    subst best. simpl. lra.
  - rewrite (H1 best Hbest). simpl. lra.
Qed.
End Told.
