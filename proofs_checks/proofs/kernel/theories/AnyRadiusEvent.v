(* The labels for any confidence radius, with their probability.

   First lem:good-event:any-radius. Whatever rule the platform selects by, and whatever is bid: 4N sides of bands that each fail
   with probability delta/(4N) at most for independent draws, over all counts, hold together with probability at least 1 - delta.
   Then the plays of the mechanism with a radius of scores, rho, and a radius of costs over c_max, r: on every play that stays
   within the bands, the theorems of AnyRadius.v hold.

   That each mean leaves its band so rarely is a statement about independent draws, and a hypothesis here
   (`each_band_is_paid_for`; `each_side_is_paid_for` is more). It is a theorem
   - for the radius of the paper, by Hoeffding and a sum over counts: `paper_radius_is_paid_for`;
   - for a one-sided mixture of likelihoods, as the beta-binomial radius has it, whatever the law that mixes: by Ville's
     inequality, `mixture_radius_is_paid_for`;
   - for a two-sided mixture of exponentials, whatever the law that mixes: `two_sided_mixture_is_paid_for`; and for the radius of
     the normal mixture in closed form from the value of its Gaussian integral: `normal_mixture_is_paid_for`.
   Not proved here: that a normal law, and a Beta law below a threshold, are such laws, and the values of their two integrals. *)
Require Import Reals Lra Lia List Arith FunctionalExtensionality ConstructiveEpsilon.
From Costproof Require Import Radius Basel Auction RadiusSum Formulas Runs Payments Statements Game Hoeffding Dynamics Plays
  AnyRadius Sharp Unwidened SingleTime.
Import ListNotations.
Open Scope R_scope.

Lemma own_of_other i H j o : j <> i -> own_history i (after H j o) = own_history i H.
Proof. intros Hj. unfold own_history, after. simpl. destruct (Nat.eqb_spec j i); [contradiction|reflexivity]. Qed.
Lemma own_of_self i H o : own_history i (after H i o) = o :: own_history i H.
Proof. unfold own_history, after. simpl. rewrite Nat.eqb_refl. reflexivity. Qed.

Section AnyRule.
Variables (N : nat) (cmax : R) (theta : nat -> (observation -> R) -> R) (first : ((nat -> observation) -> R) -> R).
(* draw H: the expectation over whom the platform serves after H, by any rule; bids may depend on H in any way *)
Variable draw : history -> (nat -> R) -> R.
Notation possible := (possible cmax).
Notation law := (law cmax).
Hypothesis Hdraw : forall H, over (fun i => (i < N)%nat) (draw H).
Hypothesis Htheta : forall j, law (theta j).
Hypothesis Hfirst : initialization N cmax theta first.
Fixpoint expected_any (n : nat) (value : history -> R) (H : history) : R :=
  match n with O => value H | S n => draw H (fun i => theta i (fun o => expected_any n value (after H i o))) end.
Definition whole_any (n : nat) (value : history -> R) : R := first (fun o => expected_any n value (start o)).
Lemma any_within n value b : (forall H, Rabs (value H) <= b) -> forall H, Rabs (expected_any n value H) <= b.
Proof.
  intros Hv. induction n as [|n IH]; intros H; [apply Hv|]. cbn [expected_any]. apply Rabs_le.
  apply (over_between _ _ _ _ _ (Hdraw H)). intros j _. apply (law_between cmax _ _ _ _ (Htheta j)). intros o _. apply Rabs_le_inv, IH.
Qed.
Lemma any_monotone n v v' : Hoeffding.bounded v -> Hoeffding.bounded v' -> (forall H, v H <= v' H) -> forall H, expected_any n v H <= expected_any n v' H.
Proof.
  intros (b & Hb) (b' & Hb') Hle. induction n as [|n IH]; intros H; [apply Hle|]. cbn [expected_any].
  apply (proj1 (proj2 (Hdraw H))). intros j _. apply (law_monotone _ _ (Htheta j)).
  - exists b. intros o _. apply any_within. exact Hb.
  - exists b'. intros o _. apply any_within. exact Hb'.
  - intros o _. apply IH.
Qed.
Lemma any_linear n a c v v' : Hoeffding.bounded v -> Hoeffding.bounded v' -> forall H,
  expected_any n (fun H => a * v H + c * v' H) H = a * expected_any n v H + c * expected_any n v' H.
Proof.
  intros (b & Hb) (b' & Hb'). induction n as [|n IH]; intros H; [reflexivity|]. cbn [expected_any].
  rewrite <- (proj2 (proj2 (Hdraw H))). f_equal. apply functional_extensionality. intros j. rewrite <- (law_linear _ _ (Htheta j)).
  - f_equal. apply functional_extensionality. intros o. apply IH.
  - exists b. intros o _. apply any_within. exact Hb.
  - exists b'. intros o _. apply any_within. exact Hb'.
Qed.
Lemma any_one n : forall H, expected_any n (fun _ => 1) H = 1.
Proof.
  induction n as [|n IH]; intros H; [reflexivity|]. cbn [expected_any]. transitivity (draw H (fun _ => 1)); [|apply (proj1 (Hdraw H))].
  f_equal. apply functional_extensionality. intros j. transitivity (theta j (fun _ => 1)); [|apply (law_one _ _ (Htheta j))].
  f_equal. apply functional_extensionality. intros o. apply IH.
Qed.
Lemma any_bounded n v : Hoeffding.bounded v -> bounded_start N cmax (fun o => expected_any n v (start o)).
Proof. intros (b & Hb). exists b. intros o _. apply any_within. exact Hb. Qed.
Lemma whole_any_isE n : isE (whole_any n).
Proof.
  split.
  - unfold whole_any. transitivity (first (fun _ => 1)); [|apply (first_one _ _ _ _ Hfirst)]. f_equal. apply functional_extensionality. intros o. apply any_one.
  - intros v v' Hv Hv' Hle. apply (first_monotone _ _ _ _ Hfirst); auto using any_bounded. intros o _. apply any_monotone; auto.
  - intros a c v v' Hv Hv'. unfold whole_any. rewrite <- (first_linear _ _ _ _ Hfirst) by auto using any_bounded. f_equal.
    apply functional_extensionality. intros o. apply any_linear; assumption.
Qed.

(* ---- what, once true of the observations of a provider, stays true: adaptive selection does not make it likelier *)
Section Lasting.
Variables (i : nat) (F : list observation -> R).
Hypothesis Hi : (i < N)%nat.
Hypothesis HF : forall own, 0 <= F own <= 1.
Hypothesis HFgrows : forall own o, F own <= F (o :: own).
Lemma rest_between k : forall own, 0 <= future (theta i) k F own <= 1.
Proof.
  induction k as [|k IH]; intros own; [apply HF|]. cbn [future]. apply (law_between cmax _ _ _ _ (Htheta i)). intros o _. apply IH.
Qed.
Lemma rest_bounded k own : Game.bounded cmax (fun o => future (theta i) k F (o :: own)).
Proof. exists 1. intros o _. pose proof (rest_between k (o :: own)). apply Rabs_le. lra. Qed.
Lemma rest_grows k : forall own, future (theta i) k F own <= future (theta i) (S k) F own.
Proof.
  induction k as [|k IH]; intros own.
  - cbn [future]. apply (law_between cmax (theta i) _ (F own) 1 (Htheta i)). intros o _. split; [apply HFgrows|apply HF].
  - change (future (theta i) (S k) F own) with (theta i (fun o => future (theta i) k F (o :: own))).
    change (future (theta i) (S (S k)) F own) with (theta i (fun o => future (theta i) (S k) F (o :: own))).
    apply (law_monotone _ _ (Htheta i)); [apply rest_bounded|apply rest_bounded|]. intros o _. apply IH.
Qed.
Lemma lasting_at_most n : forall H, 0 <= expected_any n (fun H => F (own_history i H)) H <= future (theta i) n F (own_history i H).
Proof.
  induction n as [|n IH]; intros H; cbn [expected_any]; [split; [apply HF|simpl; lra]|].
  apply (over_between _ _ _ _ _ (Hdraw H)). intros j _. destruct (Nat.eq_dec j i) as [->|Hj].
  - split; [apply (law_between cmax (theta i) _ 0 1 (Htheta i)); intros o _; specialize (IH (after H i o)); pose proof (rest_between n (own_history i (after H i o))); lra|].
    cbn [future]. apply (law_monotone _ _ (Htheta i)).
    + exists 1. intros o _. specialize (IH (after H i o)). pose proof (rest_between n (own_history i (after H i o))). apply Rabs_le. lra.
    + apply rest_bounded.
    + intros o _. specialize (IH (after H i o)). rewrite own_of_self in IH. apply IH.
  - apply (law_between cmax (theta j) _ 0 _ (Htheta j)). intros o _. specialize (IH (after H j o)). rewrite own_of_other in IH by exact Hj.
    pose proof (rest_grows n (own_history i H)). lra.
Qed.
Theorem lasting_as_independent n : whole_any n (fun H => F (own_history i H)) <= EM (theta i) (S n) (fun l => F (rev l)).
Proof.
  apply Rle_trans with (first (fun o => future (theta i) n F [o i])).
  - apply (first_monotone _ _ _ _ Hfirst).
    + apply any_bounded. apply (bounded_between _ 0 1). intros H. apply HF.
    + exists 1. intros o _. pose proof (rest_between n [o i]). apply Rabs_le. lra.
    + intros o _. apply (lasting_at_most n (start o)).
  - rewrite (first_draws _ _ _ _ Hfirst i (fun x => future (theta i) n F [x]) Hi (rest_bounded n [])).
    right. change (theta i (fun x => future (theta i) n F [x])) with (future (theta i) (S n) F []). rewrite future_is_EM.
    apply EM_agrees. intros l _. rewrite app_nil_r. reflexivity.
Qed.
End Lasting.

(* ---- bands *)
Variable delta : R.
Hypothesis HN : (1 <= N)%nat.
(* leaves i side l: l, the first observations of i, newest first, are beyond that side of the band for their number *)
Variable leaves : nat -> nat -> list observation -> Prop.
Definition left_by_draws i side (l : list observation) : Prop := exists m, (1 <= m <= length l)%nat /\ leaves i side (rev (firstn m l)).
Definition left_band i side (own : list observation) : Prop := exists m, (1 <= m <= length own)%nat /\ leaves i side (skipn (length own - m) own).
(* each of so many sides of i fails with probability delta/(sides N) at most for independent draws, however many *)
Variable sides : nat.
Hypothesis Hsides : (1 <= sides)%nat.
Hypothesis each_side : forall i side n, (i < N)%nat -> (1 <= side <= sides)%nat ->
  EM (theta i) n (fun l => ind _ (excluded_middle (left_by_draws i side l))) <= delta / (INR sides * INR N).
Lemma left_band_lasts i side own o : left_band i side own -> left_band i side (o :: own).
Proof using leaves.
  clear HN Hsides.
  intros (m & Hm & Hl). exists m. cbn [length]. split; [lia|]. replace (S (length own) - m)%nat with (S (length own - m)) by lia. exact Hl.
Qed.
(* Where each of so many sides of each provider fails with probability delta/(sides N) at most for independent draws, all means stay
   within their bands with probability at least 1 - delta, whatever rule selects: 4 sides, or 2 means with both of theirs. *)
Theorem good_event_of_sides n :
  whole_any n (fun H => ind _ (excluded_middle (exists i side, (i < N)%nat /\ (1 <= side <= sides)%nat /\ left_band i side (own_history i H)))) <= delta.
Proof.
  pose proof (whole_any_isE n) as HE. pose (event := fun i side H => left_band i side (own_history i H)).
  eapply Rle_trans; [apply (union_at_most _ HE N sides event)|]. assert (HN1 : 1 <= INR N) by (apply (le_INR 1); exact HN).
  apply Rle_trans with (sumN N (fun _ => sumN sides (fun _ => delta / (INR sides * INR N)))).
  - apply sumN_le. intros i Hi. apply sumN_le. intros k Hk.
    set (F := fun own => ind _ (excluded_middle (left_band i (S k) own))).
    apply Rle_trans with (whole_any n (fun H => F (own_history i H))); [right; reflexivity|].
    eapply Rle_trans; [apply (lasting_as_independent i F Hi)|].
    + intros own. apply ind_nonneg.
    + intros own o. unfold F, ind. destruct (excluded_middle _) as [Hl|]; destruct (excluded_middle _) as [|Hno]; try lra.
      exfalso. apply Hno, left_band_lasts, Hl.
    + eapply Rle_trans; [|apply (each_side i (S k) (S n) Hi ltac:(lia))]. right. apply EM_agrees. intros l _. unfold F, ind.
      assert (Hsame : left_band i (S k) (rev l) <-> left_by_draws i (S k) l).
      { unfold left_band, left_by_draws. rewrite rev_length. split; intros (m & Hm & Hl); exists m; (split; [exact Hm|]); rewrite skipn_rev in *;
          replace (length l - (length l - m))%nat with m in * by lia; exact Hl. }
      destruct (excluded_middle _) as [H1|H1]; destruct (excluded_middle _) as [H2|H2]; try reflexivity; tauto.
  - rewrite !sumN_constant. assert (1 <= INR sides) by (apply (le_INR 1); exact Hsides). right. field. lra.
Qed.
End AnyRule.

(* Where each of 4N sides of the bands of a confidence radius fails with probability delta/(4N) at most for independent draws, all
   means stay within them with probability at least 1 - delta, whatever rule selects. *)
Theorem lem_good_event_any_radius N cmax theta first draw delta leaves n : (forall H, over (fun i => (i < N)%nat) (draw H)) ->
  (forall j, law cmax (theta j)) -> initialization N cmax theta first -> (1 <= N)%nat ->
  (forall i side n, (i < N)%nat -> (1 <= side <= 4)%nat ->
    EM (theta i) n (fun l => ind _ (excluded_middle (left_by_draws leaves i side l))) <= delta / (4 * INR N)) ->
  whole_any theta first draw n (fun H => ind _ (excluded_middle (exists i side, (i < N)%nat /\ (1 <= side <= 4)%nat /\ left_band leaves i side (own_history i H)))) <= delta.
Proof.
  intros Hdraw Htheta Hfirst HN Hside. apply (good_event_of_sides N cmax theta first draw Hdraw Htheta Hfirst delta HN leaves 4 ltac:(lia)).
  intros i side k Hi Hs. replace (INR 4) with 4 by (simpl; ring). apply Hside; assumption.
Qed.
(* for the plays of Game.v, whatever the platform and the strategies: their expectation is an instance *)
Theorem lem_good_event_any_radius_game N delta cmax qmin gamma g p theta first profile leaves n :
  dynamics N delta cmax qmin gamma g p theta first -> (1 <= N)%nat ->
  (forall i side n, (i < N)%nat -> (1 <= side <= 4)%nat ->
    EM (theta i) n (fun l => ind _ (excluded_middle (left_by_draws leaves i side l))) <= delta / (4 * INR N)) ->
  Dynamics.probability N delta qmin g p theta first profile n
    (fun H => exists i side, (i < N)%nat /\ (1 <= side <= 4)%nat /\ left_band leaves i side (own_history i H)) <= delta.
Proof.
  intros (Hp & Htheta & Hfirst) HN Hside. pose (draw := fun H => allocate N delta qmin g p H (bids_at N profile H)).
  assert (Hdraw : forall H, over (fun i => (i < N)%nat) (draw H)).
  { intros H. destruct (Hp H (bids_at N profile H)) as (H1 & H2 & H3). split; [exact H1|]. split; [|exact H3].
    intros f f' Hf. apply H2. intros j Hj. apply Hf. eapply served_lt; eauto. }
  assert (E : forall m value H, expected N delta qmin g p theta profile m value H = expected_any theta draw m value H).
  { intros m value. induction m as [|m IH]; intros H; [reflexivity|]. cbn [expected expected_any]. unfold draw at 1. f_equal.
    apply functional_extensionality. intros i. f_equal. apply functional_extensionality. intros o. apply IH. }
  pose proof (lem_good_event_any_radius N cmax theta first draw delta leaves n Hdraw Htheta Hfirst HN Hside) as H.
  unfold Dynamics.probability, Dynamics.whole. unfold whole_any in H. eapply Rle_trans; [|exact H]. right. f_equal.
  apply functional_extensionality. intros o. apply E.
Qed.

(* ---- the radius of the paper has sides that fail with probability delta/(4N) at most: a sum over counts *)
Section PaperSides.
Context {X : Type} (EX : (X -> R) -> R) (H : isE EX).
Lemma EM_prefix m : forall n (G : list X -> R), (m <= n)%nat -> EM EX n (fun l => G (firstn m l)) = EM EX m G.
Proof.
  induction m as [|m IH]; intros n G Hmn; [exact (EM_constant EX H n (G []))|]. destruct n as [|n]; [lia|]. cbn [EM]. f_equal. apply functional_extensionality.
  intros x. change (EM EX n (fun l => (fun l' => G (x :: l')) (firstn m l)) = EM EX m (fun l => G (x :: l))). apply IH. lia.
Qed.
Variables (f : X -> R) (N : nat) (delta : R).
Hypothesis Hf : forall x, 0 <= f x <= 1.
Hypothesis HN : (1 <= N)%nat.
Hypothesis Hd : 0 < delta < 1.
(* With the radius of the paper a mean is ever above its expectation by more than its radius with probability delta/(4 N) at most. *)
Theorem paper_radius_has_sides n :
  EM EX n (fun l => ind _ (excluded_middle (exists m, (1 <= m <= length l)%nat /\ EX f + beta (INR N) delta (INR m) < mean f (rev (firstn m l)))))
    <= delta / (4 * INR N).
Proof.
  pose proof (EM_isE EX H n) as HE. pose (event := fun (_ m : nat) l => EX f + beta (INR N) delta (INR m) <= mean f (firstn m l)).
  assert (HN1 : 1 <= INR N) by (apply (le_INR 1); exact HN). pose proof PI_RGT_0 as Hpi. assert (Hpi2 : 0 < PI ^ 2) by nra.
  apply Rle_trans with (EM EX n (fun l => ind _ (excluded_middle (exists i m, (i < 1)%nat /\ (1 <= m <= n)%nat /\ event i m l)))).
  - apply (EM_mono EX H); try (apply bounded_everywhere, bounded_ind). intros l Hl. unfold ind. destruct (excluded_middle _) as [(m & Hm & Hlt)|_];
      destruct (excluded_middle _) as [|Hno]; try lra. exfalso. apply Hno. exists 0%nat, m. split; [lia|]. split; [lia|]. unfold event.
    rewrite mean_rev in Hlt. lra.
  - eapply Rle_trans; [apply (union_at_most _ HE 1 n event)|]. cbn [sumN]. rewrite Rplus_0_l.
    set (a := 3 * delta / (2 * PI ^ 2 * INR N)).
    apply Rle_trans with (sumN n (fun k => a * / INR (S k) ^ 2)).
    + apply sumN_le. intros k Hk. unfold event. rewrite (EM_prefix (S k) n (fun l => ind _ (excluded_middle (EX f + beta (INR N) delta (INR (S k)) <= mean f l)))) by lia.
      assert (Hk1 : 1 <= INR (S k)) by (apply (le_INR 1); lia).
      apply Rle_trans with (EM EX (S k) (fun l => ind _ (Rle_dec (EX f + beta (INR N) delta (INR (S k))) (mean f l)))).
      * apply (EM_mono EX H); try (apply bounded_everywhere, bounded_ind). intros l _. unfold ind.
        destruct (excluded_middle _); destruct (Rle_dec _ _); try lra; contradiction.
      * eapply Rle_trans; [apply (one_sided_hoeffding EX H f (EX f) Hf eq_refl (S k) (beta (INR N) delta (INR (S k))) ltac:(lia)); apply sqrt_pos|].
        pose proof (B_exp N delta HN Hd (S k) ltac:(lia)) as HB. unfold Hoeffding.B in HB. right.
        replace (a * / INR (S k) ^ 2) with (3 * delta / (PI ^ 2 * INR N * INR (S k) ^ 2) / 2) by (unfold a; field; repeat split; lra). lra.
    + assert (Hb : sumN n (fun k => a * / INR (S k) ^ 2) = a * basel n).
      { clear. generalize a. intros x. induction n as [|j IH]; [simpl; ring|]. cbn [sumN basel]. rewrite IH. ring. }
      rewrite Hb. pose proof (basel_le n) as Hbn. assert (Ha : 0 <= a) by (apply Rlt_le, Rdiv_lt_0_compat; nra).
      apply Rle_trans with (a * (PI ^ 2 / 6)); [apply Rmult_le_compat_l; assumption|]. right. unfold a. field. split; lra.
Qed.
End PaperSides.

(* ---- the mechanism with a radius rho of scores and a radius cr of costs *)
Section Mechanism.
Variables (N : nat) (cmax qmin : R) (rho cr : nat -> R) (g : nat -> R).
Variables (theta : nat -> (observation -> R) -> R) (first : ((nat -> observation) -> R) -> R).
Variables (draw : history -> (nat -> R) -> R) (profile : nat -> strategy).
Notation bids_now H := (bids_at N profile H).
(* whom the rules of AnyRadius.v permit to be served next, feedback being immediate *)
Definition may_be_served (H : history) (j : nat) : Prop :=
  AnyRadius.serves N qmin rho cr (quality_estimate H) (fun _ => bids_now H) g m (served H) j.
(* the platform serves whom the rules permit, by any draw that may depend on the past; nothing is assumed of one provider's
   observations and another's *)
Definition dynamics_any : Prop :=
  (forall H, over (may_be_served H) (draw H)) /\ (forall j, law cmax (theta j)) /\ initialization N cmax theta first.
Definition play_any : (nat -> history) -> Prop := play_by N cmax may_be_served.
(* as in Plays.v: a claim is likely if it holds on every play that avoids an event which lasts, once it has happened, and has at
   most the remaining probability after every number of queries *)
Definition likely_any (least : R) (claim : (nat -> history) -> Prop) : Prop := exists failure : history -> Prop,
  (forall H j o, failure H -> failure (after H j o)) /\
  (forall n, whole_any theta first draw n (fun H => ind _ (excluded_middle (failure H))) <= 1 - least) /\
  (forall w, play_any w -> (forall t, ~ failure (w t)) -> claim w).

Lemma may_be_served_lt : forall H j, may_be_served H j -> (j < N)%nat.
Proof. intros H j. apply AnyRadius.serves_lt. Qed.
Lemma pool_agrees qhat qhat' seen h : (forall i, qhat i (seen h i) = qhat' i (seen h i)) ->
  pool N qmin rho qhat seen h = pool N qmin rho qhat' seen h.
Proof.
  intros E. unfold pool. apply filter_ext. intros i.
  destruct (passes_dec _ _ _ _ _ _) as [H|H]; destruct (passes_dec _ _ _ _ _ _) as [H'|H']; try reflexivity;
    exfalso; unfold passes in *; rewrite E in *; contradiction.
Qed.
Lemma serves_agrees qhat qhat' bid bid' seen h j : (forall i, qhat i (seen h i) = qhat' i (seen h i)) -> bid h = bid' h ->
  AnyRadius.serves N qmin rho cr qhat bid g seen h j -> AnyRadius.serves N qmin rho cr qhat' bid' g seen h j.
Proof.
  intros E Eb. unfold AnyRadius.serves, samples. rewrite (pool_agrees qhat qhat' seen h E), Eb. auto.
Qed.
Lemma play_is_course w bid : play_any w -> (forall t, bid (served (w t)) = bids_now (w t)) ->
  forall t, course N qmin rho cr (scores_along theta w) bid g m (served (w t)).
Proof.
  intros Hw Hbid t. induction t as [|t IH].
  - unfold served. rewrite (proj1 (starts_by N cmax may_be_served w Hw)). constructor.
  - destruct (proj2 Hw t) as [->|(j & o & Hs & _ & ->)]; [exact IH|]. unfold served, after. simpl. constructor; [exact IH|].
    apply (serves_agrees (quality_estimate (w t)) (scores_along theta w) (fun _ => bids_now (w t)) bid m (served (w t)) j);
      [|symmetry; apply Hbid|exact Hs]. intros i. apply (scores_now N cmax may_be_served w Hw theta t i).
Qed.
End Mechanism.

(* ---- the bands, and plays that stay within them *)
Section Bands.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus : R) (rho r : nat -> R) (own : nat -> nat -> R) (g : nat -> R).
Variables (theta : nat -> (observation -> R) -> R) (first : ((nat -> observation) -> R) -> R).
Variables (draw : history -> (nat -> R) -> R) (profile : nat -> strategy) (belief : nat -> list observation -> R).
Notation quality := (quality theta).
Notation cost_of := (cost_of theta).
(* the radius of costs of the mechanism *)
Notation cr := (fun n => (1 + gamma) * cmax * r n).
(* The four sides of provider i, for its first observations l: scores below the test of a qualified provider, scores above the
   quality of an unqualified one, costs below, costs above. *)
Definition leaves (i side : nat) (l : list observation) : Prop :=
  match side with
  | 1%nat => qmin <= quality i /\ average score l < qmin - rho (length l)
  | 2%nat => quality i < qmin /\ quality i + own i (length l) < average score l
  | 3%nat => mean_cost l < cost_of i - cmax * r (length l)
  | _ => cost_of i + cmax * r (length l) < mean_cost l
  end.
Definition each_side_is_paid_for : Prop := forall i side n, (i < N)%nat -> (1 <= side <= 4)%nat ->
  EM (theta i) n (fun l => ind _ (excluded_middle (left_by_draws leaves i side l))) <= delta / (4 * INR N).
(* Both sides of one mean together, of scores and of costs: less is asked where they are paid for together, as by a two-sided
   mixture. *)
Definition leaves_band (i band : nat) (l : list observation) : Prop :=
  match band with 1%nat => leaves i 1 l \/ leaves i 2 l | _ => leaves i 3 l \/ leaves i 4 l end.
Definition each_band_is_paid_for : Prop := forall i band n, (i < N)%nat -> (1 <= band <= 2)%nat ->
  EM (theta i) n (fun l => ind _ (excluded_middle (left_by_draws leaves_band i band l))) <= delta / (2 * INR N).
Theorem sides_pay_for_bands : (forall j, Game.law cmax (theta j)) -> (1 <= N)%nat -> each_side_is_paid_for -> each_band_is_paid_for.
Proof.
  intros Htheta HN H i band n Hi Hband. pose proof (law_isE _ _ (Htheta i)) as HE. pose proof (EM_isE (theta i) HE n) as HEn.
  assert (HN1 : 1 <= INR N) by (apply (le_INR 1); exact HN).
  assert (Htwo : forall a b, (1 <= a <= 4)%nat -> (1 <= b <= 4)%nat -> (forall l, leaves_band i band l -> leaves i a l \/ leaves i b l) ->
    EM (theta i) n (fun l => ind _ (excluded_middle (left_by_draws leaves_band i band l))) <= delta / (2 * INR N)).
  { intros a b Ha Hb Hor. apply Rle_trans with (EM (theta i) n (fun l => ind _ (excluded_middle (left_by_draws leaves i a l)) + ind _ (excluded_middle (left_by_draws leaves i b l)))).
    - apply (E_mono _ HEn); [apply bounded_ind|apply bounded_sum; apply bounded_ind|]. intros l. unfold ind.
      destruct (excluded_middle _) as [(m & Hm & Hl)|]; destruct (excluded_middle (left_by_draws leaves i a l)) as [|Hna];
        destruct (excluded_middle (left_by_draws leaves i b l)) as [|Hnb]; try lra.
      exfalso. destruct (Hor _ Hl); [apply Hna|apply Hnb]; exists m; split; assumption.
    - rewrite (E_plus _ HEn) by apply bounded_ind. pose proof (H i a n Hi Ha). pose proof (H i b n Hi Hb).
      replace (delta / (2 * INR N)) with (delta / (4 * INR N) + delta / (4 * INR N)) by (field; lra). lra. }
  destruct band as [|[|[|band]]]; [lia| | |lia].
  - apply (Htwo 1%nat 2%nat); [lia|lia|auto].
  - apply (Htwo 3%nat 4%nat); [lia|lia|auto].
Qed.
Definition radii_not_negative : Prop := forall i n, 0 <= rho n /\ 0 <= r n /\ 0 <= own i n.
(* bids within d_minus and d_plus of beliefs about costs, which are within gamma radii of the sample mean *)
Definition bids_near_beliefs : Prop := forall i t obs, (i < N)%nat -> obs <> [] -> (forall o, In o obs -> possible cmax o) ->
  Rabs (belief i obs - mean_cost obs) <= gamma * cmax * r (length obs) /\ - d_minus <= profile i t obs - belief i obs <= d_plus.
Definition off_any (H : history) : Prop := exists i band, (i < N)%nat /\ (1 <= band <= 2)%nat /\ left_band leaves_band i band (own_history i H).
Lemma off_any_remains H j o : off_any H -> off_any (after H j o).
Proof.
  intros (i & side & Hi & Hside & Hoff). exists i, side. split; [exact Hi|]. split; [exact Hside|]. destruct (Nat.eq_dec j i) as [->|Hj].
  - rewrite own_of_self. apply left_band_lasts. exact Hoff.
  - rewrite own_of_other by exact Hj. exact Hoff.
Qed.
Section Within.
Variable cost_radius : nat -> R.
Notation dynamics := (dynamics_any N cmax qmin rho cost_radius g theta first draw profile).
Notation play := (play_any N cmax qmin rho cost_radius g profile).
Notation likely := (likely_any N cmax qmin rho cost_radius g theta first draw profile).
Lemma on_bands (claim : (nat -> history) -> Prop) : dynamics -> (1 <= N)%nat -> each_band_is_paid_for ->
  (forall w, play w -> (forall t, ~ off_any (w t)) -> claim w) -> likely (1 - delta) claim.
Proof.
  intros (Hdraw & Htheta & Hfirst) HN Hsides H. exists off_any. split; [exact off_any_remains|]. split; [|exact H].
  intros n. replace (1 - (1 - delta)) with delta by ring.
  assert (Hdraw' : forall H', over (fun j => (j < N)%nat) (draw H')).
  { intros H'. destruct (Hdraw H') as (H1 & H2 & H3).
    split; [exact H1|]. split; [|exact H3]. intros f f' Hf. apply H2. intros j Hj. apply Hf. eapply may_be_served_lt. exact Hj. }
  assert (Hbands : forall i band k, (i < N)%nat -> (1 <= band <= 2)%nat ->
    EM (theta i) k (fun l => ind _ (excluded_middle (left_by_draws leaves_band i band l))) <= delta / (INR 2 * INR N)).
  { intros i band k Hi Hb. replace (INR 2) with 2 by (simpl; ring). apply Hsides; assumption. }
  exact (good_event_of_sides N cmax theta first draw Hdraw' Htheta Hfirst delta HN leaves_band 2 ltac:(lia) Hbands n).
Qed.
Variable w : nat -> history.
Hypothesis Hw : play w.
Hypothesis Hin : forall t, ~ off_any (w t).
Hypothesis Hpos : radii_not_negative.
Lemma side_holds i side n t : (i < N)%nat -> (1 <= side <= 4)%nat -> (1 <= n <= length (own_history i (w t)))%nat ->
  ~ leaves i side (first_own (w t) i n).
Proof.
  intros Hi Hside Hn Hl. apply (Hin t). exists i, (if le_dec side 2 then 1%nat else 2%nat). split; [exact Hi|].
  split; [destruct (le_dec side 2); lia|]. exists n. split; [exact Hn|]. change (skipn (length (own_history i (w t)) - n) (own_history i (w t))) with (first_own (w t) i n).
  destruct (le_dec side 2) as [H2|H2]; unfold leaves_band.
  - destruct side as [|[|[|side]]]; [lia|left; exact Hl|right; exact Hl|lia].
  - destruct side as [|[|[|[|[|side]]]]]; try lia; [left; exact Hl|right; exact Hl].
Qed.
Lemma scores_in_band i n : (i < N)%nat -> (1 <= n)%nat ->
  (qmin <= quality i -> qmin - rho n <= scores_along theta w i n) /\ (quality i < qmin -> scores_along theta w i n <= quality i + own i n).
Proof.
  intros Hi Hn. destruct (Hpos i n) as (H1 & _ & H3). split; intros Hq.
  - apply (along_case w (fun x => qmin - rho n <= x)); [|lra]. intros t Ht.
    pose proof (side_holds i 1 n t Hi ltac:(lia) ltac:(lia)) as H. unfold leaves in H. rewrite (first_own_length w i n t Ht) in H.
    apply Rnot_lt_le. intros Hlt. apply H. split; assumption.
  - apply (along_case w (fun x => x <= quality i + own i n)); [|lra]. intros t Ht.
    pose proof (side_holds i 2 n t Hi ltac:(lia) ltac:(lia)) as H. unfold leaves in H. rewrite (first_own_length w i n t Ht) in H.
    apply Rnot_lt_le. intros Hlt. apply H. split; assumption.
Qed.
Notation believed := (along w belief cost_of).
Notation bid := (bids_on N profile w believed).
Hypothesis Hcmax : 0 < cmax.
Hypothesis Hgamma : 0 <= gamma.
Hypothesis Hdev : 0 <= d_minus /\ 0 <= d_plus.
Hypothesis Hbids : bids_near_beliefs.
Lemma beliefs_in_band i n : (i < N)%nat -> (1 <= n)%nat -> Rabs (believed i n - cost_of i) <= (1 + gamma) * cmax * r n.
Proof.
  intros Hi Hn. destruct (Hpos i n) as (_ & H2 & _). apply (along_case w (fun x => Rabs (x - cost_of i) <= (1 + gamma) * cmax * r n)).
  - intros t Ht. pose proof (first_own_length w i n t Ht) as Hl.
    pose proof (side_holds i 3 n t Hi ltac:(lia) ltac:(lia)) as H3. pose proof (side_holds i 4 n t Hi ltac:(lia) ltac:(lia)) as H4.
    unfold leaves in H3, H4. rewrite Hl in H3, H4. apply Rnot_lt_le in H3. apply Rnot_lt_le in H4.
    destruct (Hbids i 0%nat (first_own (w t) i n) Hi) as [Hb _].
    + intros E. rewrite E in Hl. simpl in Hl. lia.
    + exact (first_own_possible_by N cmax _ w (may_be_served_lt N qmin rho cost_radius g profile) Hw i n t Hi).
    + rewrite Hl in Hb. apply Rabs_le_inv in Hb. apply Rabs_le. lra.
  - rewrite Rminus_eq_0, Rabs_R0. apply Rmult_le_pos; [nra|exact H2].
Qed.
Lemma bids_near_here h i : (i < N)%nat -> (1 <= m h i)%nat -> - d_minus <= bid h i - believed i (m h i) <= d_plus.
Proof.
  intros Hi _. unfold bids_on. destruct (visited w h) as [[t Ht]|_]; cbn [proj1_sig]; [|lra].
  rewrite <- Ht, (along_now_by N cmax _ w Hw). apply Hbids; [exact Hi|apply own_history_not_empty|].
  apply (own_history_possible N cmax i (w t) Hi). exact (possible_by N cmax _ w (may_be_served_lt N qmin rho cost_radius g profile) Hw t).
Qed.
End Within.
End Bands.

(* ---- the labels *)
Section Labels.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus k alpha : R) (rho r : nat -> R) (own : nat -> nat -> R).
Variables (theta : nat -> (observation -> R) -> R) (first : ((nat -> observation) -> R) -> R).
Variables (draw : history -> (nat -> R) -> R) (profile : nat -> strategy) (best : nat).
Notation quality := (quality theta).
Notation cost_of := (cost_of theta).
Notation g := (target N k alpha).
Notation market := (market N delta cmax qmin gamma d_minus d_plus quality cost_of best).
Notation paid_for := (each_band_is_paid_for N delta cmax qmin rho r own theta).
Notation queries H := (N + length (later H))%nat.
Lemma queries_served H : (N + length (served H) = queries H)%nat.
Proof. unfold served. rewrite map_length. reflexivity. Qed.
Lemma nothing_in_flight_now h : D N m best h = 0.
Proof.
  unfold D, over_others. rewrite (bsum_ext N _ (fun _ => 0)); [rewrite bsum_const; ring|].
  intros j _. rewrite nothing_in_flight by reflexivity. simpl. destruct (Nat.eq_dec j best); reflexivity.
Qed.

(* With probability at least 1 - delta an unqualified provider is selected at most as often as its gap is within the radius of
   the test and that of its own scores, at every time and whatever the bids. *)
Theorem lem_unqualified_elimination_any_radius cost_radius (M : nat -> R) : market ->
  dynamics_any N cmax qmin rho cost_radius g theta first draw profile -> paid_for -> radii_not_negative rho r own ->
  (forall i, (i < N)%nat -> quality i < qmin -> eliminated_at qmin rho quality own i (M i)) ->
  likely_any N cmax qmin rho cost_radius g theta first draw profile (1 - delta) (fun w =>
    forall t i, (i < N)%nat -> quality i < qmin -> INR (times (served (w t)) i) <= M i).
Proof.
  intros Hm Hdyn Hsides Hpos HM. pose proof Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest).
  apply (on_bands N delta cmax qmin rho r own g theta first draw profile cost_radius _ Hdyn ltac:(lia) Hsides).
  intros w Hw Hin t i Hi Hq.
  pose proof (scores_in_band N cmax qmin rho r own theta w Hin Hpos) as Hscores.
  pose proof (unqualified_elimination_any_radius N qmin rho cost_radius (scores_along theta w) (bids_on N profile w (fun _ _ => 0)) g m quality cost_of best own Hbest
    (fun i count Hi Hn => proj1 (Hscores i count Hi Hn)) (fun i count Hi Hn => proj2 (Hscores i count Hi Hn)) (M i) (served (w t)) i) as H.
  rewrite nothing_in_flight, Rplus_0_r in H by reflexivity. apply H; auto.
  apply (play_is_course N cmax qmin rho cost_radius g theta profile w _ Hw). intros s.
  exact (bids_on_play_by N cmax _ profile w _ Hw s).
Qed.

(* how often i was explored until t *)
Definition explorations_in (w : nat -> history) (t i : nat) : R :=
  INR (times_if (sampling N qmin rho (scores_along theta w) g m) (served (w t)) i).
(* With probability at least 1 - delta a provider is explored at most ceil(g(T)) - 1 times, an unqualified one at most M_i times
   besides, and all together no more than that: at every time, whatever the bids and the gaps of costs. *)
Theorem exploration_steps_any_radius cost_radius (M : nat -> R) : market ->
  dynamics_any N cmax qmin rho cost_radius g theta first draw profile -> paid_for -> radii_not_negative rho r own ->
  (forall i, (i < N)%nat -> quality i < qmin -> eliminated_at qmin rho quality own i (M i)) -> 0 < k -> 0 < alpha < 1 ->
  likely_any N cmax qmin rho cost_radius g theta first draw profile (1 - delta) (fun w => forall t,
    let explored := ceiling (g (queries (w t))) - 1 in
    bsum N (explorations_in w t) <= bsum N (fun i => if Rlt_dec (quality i) qmin then Rmin (M i) explored else explored)).
Proof.
  intros Hm Hdyn Hsides Hpos HM Hk Ha. pose proof Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest).
  apply (on_bands N delta cmax qmin rho r own g theta first draw profile cost_radius _ Hdyn ltac:(lia) Hsides).
  intros w Hw Hin t explored. unfold explored. clear explored.
  pose proof (scores_in_band N cmax qmin rho r own theta w Hin Hpos) as Hscores.
  set (bid := bids_on N profile w (fun _ _ => 0)).
  assert (Hr : course N qmin rho cost_radius (scores_along theta w) bid g m (served (w t))).
  { apply (play_is_course N cmax qmin rho cost_radius g theta profile w _ Hw). intros s.
    exact (bids_on_play_by N cmax _ profile w _ Hw s). }
  assert (Hrising : forall s t, (1 <= s)%nat -> (s <= t)%nat -> g s <= g t) by (intros s u; apply g_mono; assumption).
  assert (Hpositive : 0 < g (N + length (served (w t)))%nat) by (apply g_pos; exact Hk).
  apply bsum_le. intros i Hi. rewrite <- (queries_served (w t)). destruct (Rlt_dec _ _) as [Hq|Hq].
  - pose proof (unqualified_explored_at_most N qmin rho cost_radius (scores_along theta w) bid g m Hrising quality cost_of best own Hbest
      (fun i count Hi Hn => proj1 (Hscores i count Hi Hn)) (fun i count Hi Hn => proj2 (Hscores i count Hi Hn))
      (M i) (served (w t)) i Hr Hi Hq (HM i Hi Hq) Hpositive) as H.
    rewrite nothing_in_flight, Rplus_0_r in H by reflexivity. exact H.
  - pose proof (explored_at_most N qmin rho cost_radius (scores_along theta w) bid g m Hrising (served (w t)) _ i Hr (le_n _) Hpositive) as H.
    rewrite nothing_in_flight, Rplus_0_r in H by reflexivity. exact H.
Qed.

(* what rests on bids: of beliefs about costs, with deviations *)
Variables (belief : nat -> list observation -> R) (M : nat -> R) (L : nat -> option R).
Notation cr := (fun count => (1 + gamma) * cmax * r count).
Notation dynamics := (dynamics_any N cmax qmin rho cr g theta first draw profile).
Notation near_beliefs := (bids_near_beliefs N cmax gamma d_minus d_plus r profile belief).
Notation the_counts := (counts N qmin rho cr d_minus d_plus quality cost_of best own M L).
Notation likely := (likely_any N cmax qmin rho cr g theta first draw profile).
Notation cap := (cap qmin g quality M L).
Notation B := (B N qmin g quality best M L).
Notation settled := (settled N qmin g quality best M L).
Section OnePlay.
Variable w : nat -> history.
Notation estimates := (along w belief cost_of).
Notation bid := (bids_on N profile w estimates).
Notation course := (course N qmin rho cr (scores_along theta w) bid g m).
Hypothesis Hm : market.
Hypothesis Hk : 0 < k.
Hypothesis Ha : 0 < alpha < 1.
Hypothesis Hpos : radii_not_negative rho r own.
Hypothesis Hbids : near_beliefs.
Hypothesis Hw : play_any N cmax qmin rho cr g profile w.
Hypothesis Hin : forall t, ~ off_any N cmax qmin rho r own theta (w t).
Ltac opened := pose proof Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest).
Lemma course_here t : course (served (w t)).
Proof.
  apply (play_is_course N cmax qmin rho cr g theta profile w _ Hw). intros s. exact (bids_on_play_by N cmax _ profile w _ Hw s).
Qed.
Lemma rising : forall s t, (1 <= s)%nat -> (s <= t)%nat -> g s <= g t.
Proof. opened. intros s t. apply g_mono; assumption. Qed.
Lemma positive t : 0 < g t. Proof. apply g_pos. exact Hk. Qed.
Lemma qualified_here : forall i count, (i < N)%nat -> (1 <= count)%nat -> qmin <= quality i -> qmin - rho count <= scores_along theta w i count.
Proof. intros i count Hi Hn. exact (proj1 (scores_in_band N cmax qmin rho r own theta w Hin Hpos i count Hi Hn)). Qed.
Lemma unqualified_here : forall i count, (i < N)%nat -> (1 <= count)%nat -> quality i < qmin -> scores_along theta w i count <= quality i + own i count.
Proof. intros i count Hi Hn. exact (proj2 (scores_in_band N cmax qmin rho r own theta w Hin Hpos i count Hi Hn)). Qed.
Lemma costs_here : forall i count, (i < N)%nat -> (1 <= count)%nat -> Rabs (estimates i count - cost_of i) <= cr count.
Proof.
  opened. intros i count Hi Hn. exact (beliefs_in_band N cmax qmin gamma d_minus d_plus rho r own g theta profile belief cr w Hw Hin Hpos Hc Hga Hbids i count Hi Hn).
Qed.
Lemma bids_here : forall h i, course h -> (i < N)%nat -> (1 <= m h i)%nat -> - d_minus <= bid h i - estimates i (m h i) <= d_plus.
Proof.
  opened. intros h i _ Hi Hs. exact (bids_near_here N cmax qmin gamma d_minus d_plus rho r g theta profile belief cr w Hw Hdev Hbids h i Hi Hs).
Qed.
Lemma everybody_seen : auctions_have_bids N qmin rho cr (scores_along theta w) bid g m.
Proof. apply bids_where_immediate. reflexivity. Qed.
Hypothesis Hcounts : the_counts.
Lemma misses_here t : nonoptimal_steps N best (served (w t)) <= INR N - 1 + B (queries (w t)).
Proof.
  opened. pose proof (sample_complexity_any_radius N qmin rho cr (scores_along theta w) bid g m rising d_minus d_plus quality cost_of best estimates own
    Hbest qualified_here unqualified_here costs_here bids_here everybody_seen M L Hcounts (served (w t)) (course_here t) (positive _)) as H.
  rewrite nothing_in_flight_now, Rplus_0_r, queries_served in H. exact H.
Qed.
Lemma times_here t i : (i < N)%nat -> i <> best -> INR (times (served (w t)) i) <= cap (queries (w t)) i.
Proof.
  opened. intros Hi Hne. pose proof (times_at_most_cap N qmin rho cr (scores_along theta w) bid g m rising d_minus d_plus quality cost_of best estimates own
    Hbest qualified_here unqualified_here costs_here bids_here everybody_seen M L Hcounts (served (w t)) i (course_here t) Hi Hne (positive _)) as H.
  rewrite nothing_in_flight, Rplus_0_r, queries_served in H by reflexivity. exact H.
Qed.
Lemma leads_here T_id t i : (forall T, (T_id <= T)%nat -> settled T) -> (T_id <= queries (w t))%nat -> (i < N)%nat -> i <> best ->
  (m (served (w t)) i < m (served (w t)) best)%nat.
Proof.
  opened. intros Hset HT Hi Hne. apply (identification_any_radius N qmin rho cr (scores_along theta w) bid g m rising d_minus d_plus quality cost_of best estimates own
    Hbest qualified_here unqualified_here costs_here bids_here everybody_seen M L Hcounts T_id (served (w t)) i); auto using positive, course_here.
  rewrite queries_served. exact HT.
Qed.
End OnePlay.

(* With probability at least 1 - delta at most N - 1 plus the sum of caps, at every time: max{L_i, ceil(g(T)) - 1} of a
   qualified provider other than i*, L_i the largest count at which its cost gap is within two cost radii, and of an unqualified
   one M_i, or the smaller of both where it is dearer and has an L_i. *)
Theorem thm_sample_complexity_any_radius : market -> dynamics -> paid_for -> radii_not_negative rho r own -> near_beliefs ->
  the_counts -> 0 < k -> 0 < alpha < 1 ->
  likely (1 - delta) (fun w => forall t,
    nonoptimal_steps N best (served (w t)) <= INR N - 1 + B (queries (w t)) /\
    forall i, (i < N)%nat -> i <> best -> INR (times (served (w t)) i) <= cap (queries (w t)) i).
Proof.
  intros Hm Hdyn Hsides Hpos Hbids Hcounts Hk Ha. pose proof Hm as (HN & _).
  apply (on_bands N delta cmax qmin rho r own g theta first draw profile cr _ Hdyn ltac:(lia) Hsides). intros w Hw Hin t.
  split; [apply misses_here; assumption|]. intros i Hi Hne. apply times_here; assumption.
Qed.
(* With probability at least 1 - delta the best provider leads from the least T with T' > N + B(T') + max_i cap_i(T') for every
   T' >= T on, with the caps of the radius at hand. *)
Theorem claim_T_id_any_radius T_id : market -> dynamics -> paid_for -> radii_not_negative rho r own -> near_beliefs ->
  the_counts -> 0 < k -> 0 < alpha < 1 -> (forall T, (T_id <= T)%nat -> settled T) ->
  likely (1 - delta) (fun w => forall t i, (T_id <= queries (w t))%nat -> (i < N)%nat -> i <> best ->
    (m (served (w t)) i < m (served (w t)) best)%nat).
Proof.
  intros Hm Hdyn Hsides Hpos Hbids Hcounts Hk Ha Hset. pose proof Hm as (HN & _).
  apply (on_bands N delta cmax qmin rho r own g theta first draw profile cr _ Hdyn ltac:(lia) Hsides). intros w Hw Hin t i.
  apply leads_here; assumption.
Qed.
End Labels.

(* ---- one-sided mixtures: the beta-binomial radius *)
(* A mixing law below q: an expectation over t in (0, q] that is normalized, monotone and linear on bounded functions, such as that
   of a Beta law given that it is at most q. *)
Record mixing (q : R) (I : (R -> R) -> R) : Prop := {
  mixing_one : I (fun _ => 1) = 1;
  mixing_monotone : forall u v, (exists b, forall t, 0 < t <= q -> Rabs (u t) <= b) -> (exists b, forall t, 0 < t <= q -> Rabs (v t) <= b) ->
    (forall t, 0 < t <= q -> u t <= v t) -> I u <= I v;
  mixing_linear : forall a b u v, (exists b, forall t, 0 < t <= q -> Rabs (u t) <= b) -> (exists b, forall t, 0 < t <= q -> Rabs (v t) <= b) ->
    I (fun t => a * u t + b * v t) = a * I u + b * I v }.
Section Mixture.
Variables (q : R) (I : (R -> R) -> R).
Hypothesis Hq01 : 0 < q < 1.
Hypothesis HI : mixing q I.
(* the likelihood of a sum S of m scores under t, over that under q; and its mixture, M_m *)
Definition ratio (S : R) (m : nat) (t : R) : R := Rpower (t / q) S * Rpower ((1 - t) / (1 - q)) (INR m - S).
Definition mixture (S : R) (m : nat) : R := I (ratio S m).
Lemma shares_of t : 0 < t <= q -> 0 < t / q <= 1 /\ 1 <= (1 - t) / (1 - q) <= / (1 - q).
Proof.
  intros Ht. assert (0 < / q) by (apply Rinv_0_lt_compat; lra). assert (0 < / (1 - q)) by (apply Rinv_0_lt_compat; lra). repeat split.
  - apply Rdiv_lt_0_compat; lra.
  - apply Rmult_le_reg_r with q; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - apply Rmult_le_reg_r with (1 - q); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
  - unfold Rdiv. rewrite <- (Rmult_1_l (/ (1 - q))) at 2. apply Rmult_le_compat_r; lra.
Qed.
Lemma power_at_most_1 x y : 0 < x <= 1 -> 0 <= y -> 0 < Rpower x y <= 1.
Proof.
  intros Hx Hy. split; [apply exp_pos|]. unfold Rpower. rewrite <- exp_0. apply exp_at_most.
  assert (ln x <= 0) by (rewrite <- ln_1; destruct (Req_dec x 1) as [->|]; [lra|apply Rlt_le, ln_increasing; lra]). nra.
Qed.
Lemma ratio_bounded S m : 0 <= S <= INR m -> exists b, forall t, 0 < t <= q -> Rabs (ratio S m t) <= b.
Proof.
  intros HS. exists (Rpower (/ (1 - q)) (INR m - S)). intros t Ht. destruct (shares_of t Ht) as [H1 H2].
  pose proof (power_at_most_1 (t / q) S H1 (proj1 HS)) as Hp. unfold ratio. assert (0 < Rpower ((1 - t) / (1 - q)) (INR m - S)) by apply exp_pos.
  rewrite Rabs_pos_eq by nra. apply Rle_trans with (1 * Rpower ((1 - t) / (1 - q)) (INR m - S)); [apply Rmult_le_compat_r; lra|]. rewrite Rmult_1_l.
  apply Rle_Rpower_l; lra.
Qed.
(* the weighted mean of two numbers is at least their geometric one *)
Lemma geometric_below x u v : 0 < u -> 0 < v -> 0 <= x <= 1 -> Rpower u x * Rpower v (1 - x) <= x * u + (1 - x) * v.
Proof.
  intros Hu Hv Hx. unfold Rpower. rewrite <- exp_plus. set (z := x * ln u + (1 - x) * ln v).
  pose proof (exp_tangent z (ln u)) as H1. pose proof (exp_tangent z (ln v)) as H2. rewrite !exp_ln in * by assumption.
  apply Rmult_le_compat_l with (r := x) in H1; [|lra]. apply Rmult_le_compat_l with (r := 1 - x) in H2; [|lra].
  assert (E : x * (exp z * (1 + (ln u - z))) + (1 - x) * (exp z * (1 + (ln v - z))) = exp z) by (unfold z; ring). lra.
Qed.
Lemma ratio_after S m x t : 0 < t <= q -> ratio (S + x) (Datatypes.S m) t = ratio S m t * (Rpower (t / q) x * Rpower ((1 - t) / (1 - q)) (1 - x)).
Proof.
  intros _. unfold ratio. rewrite S_INR. replace (INR m + 1 - (S + x)) with (INR m - S + (1 - x)) by ring. rewrite !Rpower_plus. ring.
Qed.
Lemma ratio_positive S m t : 0 < ratio S m t.
Proof. unfold ratio. apply Rmult_lt_0_compat; apply exp_pos. Qed.
Lemma mixture_falls S S' m : 0 <= S <= S' -> S' <= INR m -> mixture S' m <= mixture S m.
Proof.
  intros HS HS'. apply (mixing_monotone q I HI); [apply ratio_bounded; lra|apply ratio_bounded; lra|]. intros t Ht. destruct (shares_of t Ht) as [H1 H2].
  unfold ratio. replace S' with (S + (S' - S)) at 1 by ring. replace (INR m - S) with (INR m - S' + (S' - S)) by ring. rewrite !Rpower_plus.
  pose proof (power_at_most_1 (t / q) (S' - S) H1 ltac:(lra)) as H3.
  assert (H4 : 1 <= Rpower ((1 - t) / (1 - q)) (S' - S)).
  { apply Rle_trans with (Rpower ((1 - t) / (1 - q)) 0); [right; symmetry; apply Rpower_O; lra|apply Rle_Rpower; lra]. }
  assert (H5 : 0 < Rpower (t / q) S * Rpower ((1 - t) / (1 - q)) (INR m - S')) by (apply Rmult_lt_0_compat; apply exp_pos).
  set (a := Rpower (t / q) (S' - S)) in *. set (b := Rpower ((1 - t) / (1 - q)) (S' - S)) in *.
  set (c := Rpower (t / q) S) in *. set (d := Rpower ((1 - t) / (1 - q)) (INR m - S')) in *.
  replace (c * a * d) with (c * d * a) by ring. replace (c * (d * b)) with (c * d * b) by ring. apply Rmult_le_compat_l; lra.
Qed.
Lemma mixture_nonneg S m : 0 <= S <= INR m -> 0 <= mixture S m.
Proof.
  intros HS.
  assert (E : I (fun _ => 0 * 1 + 0 * 1) = 0 * I (fun _ => 1) + 0 * I (fun _ => 1)).
  { apply (mixing_linear q I HI 0 0 (fun _ => 1) (fun _ => 1)); exists 1; intros; rewrite Rabs_R1; lra. }
  replace 0 with (I (fun _ : R => 0 * 1 + 0 * 1)) by (rewrite E; ring).
  apply (mixing_monotone q I HI); [exists 0; intros; rewrite Rmult_0_l, Rplus_0_r, Rabs_R0; lra|apply ratio_bounded; lra|].
  intros t _. pose proof (ratio_positive S m t). lra.
Qed.
Section Step.
Variables (S : R) (m : nat).
Hypothesis HS : 0 <= S <= INR m.
Notation A := (mixture (S + 1) (Datatypes.S m)).
Notation B := (mixture S (Datatypes.S m)).
Lemma next_range x : 0 <= x <= 1 -> 0 <= S + x <= INR (Datatypes.S m).
Proof. intros Hx. rewrite S_INR. lra. Qed.
Lemma ratio_next x : 0 <= x <= 1 -> exists b, forall t, 0 < t <= q -> Rabs (ratio (S + x) (Datatypes.S m) t) <= b.
Proof. intros Hx. apply ratio_bounded, next_range, Hx. Qed.
Lemma ratio_same : exists b, forall t, 0 < t <= q -> Rabs (ratio S (Datatypes.S m) t) <= b.
Proof. apply ratio_bounded. rewrite S_INR. lra. Qed.
Lemma ratio_success t : 0 < t <= q -> ratio (S + 1) (Datatypes.S m) t = ratio S m t * (t / q).
Proof.
  intros Ht. destruct (shares_of t Ht) as [H1 H2]. rewrite ratio_after by exact Ht. rewrite Rminus_eq_0, Rpower_1, Rpower_O by lra. ring.
Qed.
Lemma ratio_failure t : 0 < t <= q -> ratio S (Datatypes.S m) t = ratio S m t * ((1 - t) / (1 - q)).
Proof.
  intros Ht. destruct (shares_of t Ht) as [H1 H2]. rewrite <- (Rplus_0_r S) at 1. rewrite ratio_after by exact Ht.
  rewrite Rminus_0_r, Rpower_1, Rpower_O by lra. ring.
Qed.
Lemma combination_bounded a b u v : (exists c, forall t, 0 < t <= q -> Rabs (u t) <= c) -> (exists c, forall t, 0 < t <= q -> Rabs (v t) <= c) ->
  exists c, forall t, 0 < t <= q -> Rabs (a * u t + b * v t) <= c.
Proof.
  intros (c & Hc) (d & Hd). exists (Rabs a * c + Rabs b * d). intros t Ht. specialize (Hc t Ht). specialize (Hd t Ht).
  eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult. apply Rplus_le_compat; apply Rmult_le_compat_l; auto using Rabs_pos.
Qed.
Lemma mixture_of_score x : 0 <= x <= 1 -> mixture (S + x) (Datatypes.S m) <= x * A + (1 - x) * B.
Proof.
  intros Hx. unfold mixture. rewrite <- (mixing_linear q I HI) by (try apply ratio_same; apply ratio_next; lra).
  apply (mixing_monotone q I HI); [apply ratio_next; exact Hx|apply combination_bounded; [apply ratio_next; lra|apply ratio_same]|].
  intros t Ht. destruct (shares_of t Ht) as [H1 H2]. rewrite (ratio_success t Ht), (ratio_failure t Ht), (ratio_after S m x t Ht).
  pose proof (ratio_positive S m t). pose proof (geometric_below x (t / q) ((1 - t) / (1 - q)) ltac:(lra) ltac:(lra) Hx) as Hg.
  apply Rmult_le_compat_l with (r := ratio S m t) in Hg; [|lra]. lra.
Qed.
Lemma mixture_splits : q * A + (1 - q) * B = mixture S m.
Proof.
  unfold mixture. rewrite <- (mixing_linear q I HI) by (try apply ratio_same; apply ratio_next; lra).
  assert (E : forall t, 0 < t <= q -> q * ratio (S + 1) (Datatypes.S m) t + (1 - q) * ratio S (Datatypes.S m) t = ratio S m t).
  { intros t Ht. rewrite (ratio_success t Ht), (ratio_failure t Ht). field. lra. }
  assert (Hcb := combination_bounded q (1 - q) _ _ (ratio_next 1 ltac:(lra)) ratio_same).
  apply Rle_antisym; apply (mixing_monotone q I HI); try exact Hcb; try (apply ratio_bounded; exact HS); intros t Ht; rewrite (E t Ht); lra.
Qed.
Lemma success_below_failure : A <= B.
Proof.
  apply (mixing_monotone q I HI); [apply ratio_next; lra|apply ratio_same|]. intros t Ht. destruct (shares_of t Ht) as [H1 H2].
  rewrite (ratio_success t Ht), (ratio_failure t Ht). apply Rmult_le_compat_l; [apply Rlt_le, ratio_positive|lra].
Qed.
End Step.
(* independent scores of expectation q at least *)
Context {X : Type} (EX : (X -> R) -> R) (H : isE EX).
Variable f : X -> R.
Hypothesis Hf : forall x, 0 <= f x <= 1.
Hypothesis Hmean : q <= EX f.
Lemma mixture_score_range S m x : 0 <= S <= INR m -> 0 <= mixture (S + f x) (Datatypes.S m) <= mixture S (Datatypes.S m).
Proof.
  intros HS. split; [apply mixture_nonneg, next_range; auto|]. apply mixture_falls; [specialize (Hf x); lra|]. apply next_range; auto.
Qed.
Lemma mixture_is_super S m : 0 <= S <= INR m -> EX (fun x => mixture (S + f x) (Datatypes.S m)) <= mixture S m.
Proof.
  intros HS. set (A := mixture (S + 1) (Datatypes.S m)). set (B := mixture S (Datatypes.S m)).
  pose proof (success_below_failure S m HS) as HAB. fold A B in HAB. pose proof (mixture_splits S m HS) as Hsplit. fold A B in Hsplit.
  assert (Hfb : Hoeffding.bounded f) by (exact (bounded_between f 0 1 Hf)).
  apply Rle_trans with (EX (fun x => (A - B) * f x + B * 1)).
  - apply (E_mono _ H).
    + apply (bounded_between _ 0 B). intros x. apply mixture_score_range. exact HS.
    + apply (bounded_sum (fun x => (A - B) * f x) (fun _ => B * 1)); [apply bounded_times; exact Hfb|apply bounded_constant].
    + intros x. pose proof (mixture_of_score S m HS (f x) (Hf x)) as Hx. fold A B in Hx. lra.
  - rewrite (E_lin _ H (A - B) B f (fun _ => 1)) by (try exact Hfb; apply bounded_constant). rewrite (E_one _ H). nra.
Qed.
Definition sum_of (l : list X) : R := fold_right (fun x s => f x + s) 0 l.
Definition reaches_mixture (L S : R) (m : nat) (l : list X) : Prop := exists j, (j <= length l)%nat /\ L <= mixture (S + sum_of (firstn j l)) (m + j).
(* Ville's inequality for a finite number of draws: the mixture ever reaches L with probability 1/L at most *)
Theorem ville_of_mixture L n : 0 < L -> forall S m, 0 <= S <= INR m ->
  EM EX n (fun l => ind _ (excluded_middle (reaches_mixture L S m l))) <= mixture S m / L.
Proof.
  intros HL. assert (Hone : forall y, L <= y -> 1 <= y / L).
  { intros y Hy. apply Rmult_le_reg_r with L; [exact HL|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  induction n as [|n IH]; intros S m HS.
  - cbn [Hoeffding.EM]. unfold ind. destruct (excluded_middle _) as [(j & Hj & Hle)|_].
    + rewrite firstn_nil in Hle. simpl in Hj, Hle. assert (j = 0%nat) by lia. subst j. rewrite Rplus_0_r, Nat.add_0_r in Hle. apply Hone. exact Hle.
    + apply Rmult_le_pos; [apply mixture_nonneg; exact HS|apply Rlt_le, Rinv_0_lt_compat; exact HL].
  - destruct (Rle_lt_dec L (mixture S m)) as [Hle|Hlt].
    + apply Rle_trans with (EM EX (Datatypes.S n) (fun _ => 1)).
      * apply (EM_mono EX H); [apply bounded_everywhere, bounded_ind|apply bounded_everywhere, bounded_constant|]. intros l _. apply ind_nonneg.
      * rewrite (EM_constant EX H). apply Hone. exact Hle.
    + cbn [Hoeffding.EM]. apply Rle_trans with (EX (fun x => / L * mixture (S + f x) (Datatypes.S m))).
      * apply (E_mono _ H).
        -- apply (bounded_after EX H n (fun l => ind _ (excluded_middle (reaches_mixture L S m l)))). apply bounded_everywhere, bounded_ind.
        -- apply bounded_times, (bounded_between _ 0 (mixture S (Datatypes.S m))). intros x. apply mixture_score_range. exact HS.
        -- intros x. rewrite Rmult_comm. eapply Rle_trans; [|apply (IH (S + f x) (Datatypes.S m)); apply next_range; auto].
           apply (EM_mono EX H); try (apply bounded_everywhere, bounded_ind). intros l _. unfold ind.
           destruct (excluded_middle (reaches_mixture L S m (x :: l))) as [(j & Hj & Hle)|]; destruct (excluded_middle _) as [|Hno]; try lra.
           exfalso. apply Hno. destruct j as [|j]; [simpl in Hle; rewrite Rplus_0_r, Nat.add_0_r in Hle; lra|]. exists j. cbn [length firstn] in *. split; [lia|].
           unfold sum_of in *. cbn [fold_right] in Hle. replace (Datatypes.S m + j)%nat with (m + Datatypes.S j)%nat by lia. rewrite Rplus_assoc. exact Hle.
      * rewrite (E_scal EX H) by (apply (bounded_between _ 0 (mixture S (Datatypes.S m))); intros x; apply mixture_score_range; exact HS).
        pose proof (mixture_is_super S m HS). assert (0 < / L) by (apply Rinv_0_lt_compat; exact HL). unfold Rdiv. rewrite Rmult_comm. apply Rmult_le_compat_r; lra.
Qed.
Lemma mixture_starts : mixture 0 0 = 1.
Proof.
  unfold mixture. transitivity (I (fun _ => 1)); [|apply (mixing_one q I HI)]. f_equal. apply functional_extensionality. intros t.
  unfold ratio, Rpower. simpl (INR 0). rewrite Rminus_0_r, !Rmult_0_l, exp_0. ring.
Qed.
(* rho m is a radius of the mixture: the whole mean, or such that the mixture reaches 1/share where the mean is rho m below q *)
Definition radius_of_mixture (share : R) (rho : nat -> R) : Prop := forall m, (1 <= m)%nat ->
  0 <= rho m /\ (q <= rho m \/ / share <= mixture (INR m * (q - rho m)) m).
(* No mean of scores whose expectation is q at least is ever below q by more than the radius, but for a probability of share. *)
Theorem mixture_radius share rho n : 0 < share -> radius_of_mixture share rho ->
  EM EX n (fun l => ind _ (excluded_middle (exists m, (1 <= m <= length l)%nat /\ mean f (firstn m l) < q - rho m))) <= share.
Proof.
  intros Hs Hrho. assert (HL : 0 < / share) by (apply Rinv_0_lt_compat; exact Hs).
  pose proof (ville_of_mixture (/ share) n HL 0 0 ltac:(simpl; lra)) as Hv. rewrite mixture_starts in Hv.
  replace (1 / / share) with share in Hv by (field; lra). eapply Rle_trans; [|exact Hv].
  apply (EM_mono EX H); try (apply bounded_everywhere, bounded_ind). intros l _. unfold ind.
  destruct (excluded_middle _) as [(m & Hm & Hlt)|]; destruct (excluded_middle _) as [|Hno]; try lra. exfalso. apply Hno. exists m. split; [lia|].
  assert (Hlen : length (firstn m l) = m) by (rewrite firstn_length; lia). assert (Hm1 : 1 <= INR m) by (apply (le_INR 1); lia).
  assert (Hsum : 0 <= sum_of (firstn m l)).
  { generalize (firstn m l). intros l'. induction l' as [|x l' IH]; [simpl; lra|]. unfold sum_of in *. cbn [fold_right]. specialize (Hf x). lra. }
  assert (E : sum_of (firstn m l) = INR m * mean f (firstn m l)) by (unfold sum_of, mean; rewrite Hlen; field; lra).
  assert (Hpos : 0 <= mean f (firstn m l)) by (apply Rmult_le_reg_l with (INR m); lra).
  destruct (Hrho m ltac:(lia)) as [Hr0 [Hr|Hr]]; [lra|]. rewrite Rplus_0_l, Nat.add_0_l. eapply Rle_trans; [exact Hr|].
  apply mixture_falls; [split; [exact Hsum|rewrite E; apply Rmult_le_compat_l; lra]|]. nra.
Qed.
End Mixture.
(* ---- two-sided mixtures: the normal mixture *)
(* A mixing law of the line: as above, but over all reals, such as a normal law. *)
Record mixing_of_line (I : (R -> R) -> R) : Prop := {
  line_one : I (fun _ => 1) = 1;
  line_monotone : forall u v, Hoeffding.bounded u -> Hoeffding.bounded v -> (forall s, u s <= v s) -> I u <= I v;
  line_linear : forall a b u v, Hoeffding.bounded u -> Hoeffding.bounded v -> I (fun s => a * u s + b * v s) = a * I u + b * I v }.
Section Line.
Variable I : (R -> R) -> R.
Hypothesis HI : mixing_of_line I.
(* the mixture of exp(s D - s^2 m/8), D being by how much a sum of m values exceeds its expectation *)
Definition tilt (D : R) (m : nat) (s : R) : R := exp (s * D - s * s * INR m / 8).
Definition line_mixture (D : R) (m : nat) : R := I (tilt D m).
Lemma tilt_bounded D m : (1 <= m)%nat \/ D = 0 -> Hoeffding.bounded (tilt D m).
Proof.
  intros Hm. apply (bounded_between _ 0 (exp (2 * (D * D)))). intros s. split; [apply Rlt_le, exp_pos|]. apply exp_at_most.
  destruct Hm as [Hm| ->].
  - assert (1 <= INR m) by (apply (le_INR 1); exact Hm). assert (0 <= s * s) by nra. pose proof (Rle_0_sqr (s / 4 - D)) as Hsq. unfold Rsqr in Hsq. nra.
  - pose proof (pos_INR m). assert (0 <= s * s * INR m) by (apply Rmult_le_pos; nra). lra.
Qed.
Lemma line_mixture_nonneg D m : (1 <= m)%nat \/ D = 0 -> 0 <= line_mixture D m.
Proof.
  intros Hm. assert (E : I (fun _ => 0 * 1 + 0 * 1) = 0 * I (fun _ => 1) + 0 * I (fun _ => 1))
    by (apply (line_linear I HI 0 0 (fun _ => 1) (fun _ => 1)); apply bounded_constant).
  replace 0 with (I (fun _ : R => 0 * 1 + 0 * 1)) by (rewrite E; ring).
  apply (line_monotone I HI); [exists 0; intros; rewrite Rmult_0_l, Rplus_0_r, Rabs_R0; lra|apply tilt_bounded; exact Hm|].
  intros s. pose proof (exp_pos (s * D - s * s * INR m / 8)). unfold tilt. lra.
Qed.
Context {X : Type} (EX : (X -> R) -> R) (H : isE EX).
Variables (f : X -> R) (q : R).
Hypothesis Hf : forall x, 0 <= f x <= 1.
Hypothesis Hq : q = EX f.
Lemma expectation_in_range : 0 <= q <= 1.
Proof. exact (q01 EX H f q Hf Hq). Qed.
Section Step.
Variables (D : R) (m : nat).
Hypothesis HD : (1 <= m)%nat \/ D = 0.
Notation A := (line_mixture (D + (1 - q)) (S m)).
Notation B := (line_mixture (D - q) (S m)).
Lemma tilt_next y : Hoeffding.bounded (tilt (D + y) (S m)).
Proof. apply tilt_bounded. left. lia. Qed.
Lemma tilt_after y s : tilt (D + y) (S m) s = tilt D m s * (exp (s * y) * exp (- (s * s / 8))).
Proof. unfold tilt. rewrite <- !exp_plus, S_INR. f_equal. field. Qed.
Lemma chord x y : 0 <= x <= 1 -> exp (x * y) <= x * exp y + (1 - x).
Proof.
  intros Hx. pose proof (exp_tangent (x * y) 0) as T0. pose proof (exp_tangent (x * y) y) as T1. rewrite exp_0 in T0.
  apply Rmult_le_compat_l with (r := 1 - x) in T0; [|lra]. apply Rmult_le_compat_l with (r := x) in T1; [|lra].
  assert (E : (1 - x) * (exp (x * y) * (1 + (0 - x * y))) + x * (exp (x * y) * (1 + (y - x * y))) = exp (x * y)) by ring. lra.
Qed.
Lemma line_mixture_of_value x : 0 <= x <= 1 -> line_mixture (D + (x - q)) (S m) <= x * A + (1 - x) * B.
Proof.
  intros Hx. unfold line_mixture. replace (D - q) with (D + - q) by ring. rewrite <- (line_linear I HI) by apply tilt_next.
  apply (line_monotone I HI); [apply tilt_next|apply (bounded_sum (fun s => x * tilt (D + (1 - q)) (S m) s)); apply bounded_times, tilt_next|].
  intros s. rewrite !tilt_after. pose proof (exp_pos (s * D - s * s * INR m / 8)) as Hp. fold (tilt D m s) in Hp.
  pose proof (exp_pos (- (s * s / 8))). pose proof (chord x s Hx) as Hch. pose proof (exp_pos (s * - q)).
  replace (s * (x - q)) with (x * s + s * - q) by ring. replace (s * (1 - q)) with (s + s * - q) by ring. rewrite !exp_plus.
  set (a := tilt D m s) in *. set (b := exp (- (s * s / 8))) in *. set (c := exp (s * - q)) in *.
  assert (Habc : 0 < a * (c * b)) by (apply Rmult_lt_0_compat; [exact Hp|apply Rmult_lt_0_compat; assumption]).
  apply Rmult_le_compat_l with (r := a * (c * b)) in Hch; [|lra]. lra.
Qed.
Lemma line_mixture_splits : q * A + (1 - q) * B <= line_mixture D m.
Proof.
  unfold line_mixture. replace (D - q) with (D + - q) by ring. rewrite <- (line_linear I HI) by apply tilt_next.
  apply (line_monotone I HI); [apply (bounded_sum (fun s => q * tilt (D + (1 - q)) (S m) s)); apply bounded_times, tilt_next|apply tilt_bounded; exact HD|].
  intros s. rewrite !tilt_after. pose proof (exp_pos (s * D - s * s * INR m / 8)) as Hp. fold (tilt D m s) in Hp.
  pose proof (bernoulli_mgf q s expectation_in_range) as Hb.
  replace (s * (1 - q)) with (s + s * - q) by ring. rewrite exp_plus.
  assert (E : exp (s * - q) * exp (- (s * s / 8)) * exp (s * q + s * s / 8) = 1).
  { rewrite <- !exp_plus. replace (s * - q + - (s * s / 8) + (s * q + s * s / 8)) with 0 by ring. apply exp_0. }
  pose proof (exp_pos (s * - q)) as H1. pose proof (exp_pos (- (s * s / 8))) as H2. set (b := exp (- (s * s / 8))) in *. set (c := exp (s * - q)) in *.
  set (a := tilt D m s) in *. assert (Habc : 0 < a * (c * b)) by (apply Rmult_lt_0_compat; [exact Hp|apply Rmult_lt_0_compat; assumption]).
  apply Rmult_le_compat_l with (r := a * (c * b)) in Hb; [|lra]. replace (a * (c * b) * exp (s * q + s * s / 8)) with a in Hb by (rewrite <- (Rmult_1_r a) at 1; rewrite <- E; ring).
  lra.
Qed.
Lemma line_is_super : EX (fun x => line_mixture (D + (f x - q)) (S m)) <= line_mixture D m.
Proof.
  assert (Hfb : Hoeffding.bounded f) by (exact (bounded_between f 0 1 Hf)).
  assert (HA : 0 <= A) by (apply line_mixture_nonneg; left; lia). assert (HB : 0 <= B) by (apply line_mixture_nonneg; left; lia).
  apply Rle_trans with (EX (fun x => (A - B) * f x + B * 1)).
  - apply (E_mono _ H).
    + apply (bounded_between _ 0 (A + B)). intros x. split; [apply line_mixture_nonneg; left; lia|].
      pose proof (line_mixture_of_value (f x) (Hf x)). specialize (Hf x). nra.
    + apply (bounded_sum (fun x => (A - B) * f x) (fun _ => B * 1)); [apply bounded_times; exact Hfb|apply bounded_constant].
    + intros x. pose proof (line_mixture_of_value (f x) (Hf x)). lra.
  - rewrite (E_lin _ H (A - B) B f (fun _ => 1)) by (try exact Hfb; apply bounded_constant). rewrite (E_one _ H), <- Hq.
    pose proof line_mixture_splits. lra.
Qed.
End Step.
Definition reaches_line (L D : R) (m : nat) (l : list X) : Prop := exists j, (j <= length l)%nat /\ L <= line_mixture (D + dev f q (firstn j l)) (m + j).
Theorem ville_of_line L n : 0 < L -> forall D m, (1 <= m)%nat \/ D = 0 ->
  EM EX n (fun l => ind _ (excluded_middle (reaches_line L D m l))) <= line_mixture D m / L.
Proof.
  intros HL. assert (Hone : forall y, L <= y -> 1 <= y / L).
  { intros y Hy. apply Rmult_le_reg_r with L; [exact HL|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  induction n as [|n IH]; intros D m HD.
  - cbn [Hoeffding.EM]. unfold ind. destruct (excluded_middle _) as [(j & Hj & Hle)|_].
    + rewrite firstn_nil in Hle. simpl in Hj, Hle. assert (j = 0%nat) by lia. subst j. rewrite Rplus_0_r, Nat.add_0_r in Hle. apply Hone. exact Hle.
    + apply Rmult_le_pos; [apply line_mixture_nonneg; exact HD|apply Rlt_le, Rinv_0_lt_compat; exact HL].
  - destruct (Rle_lt_dec L (line_mixture D m)) as [Hle|Hlt].
    + apply Rle_trans with (EM EX (S n) (fun _ => 1)).
      * apply (EM_mono EX H); [apply bounded_everywhere, bounded_ind|apply bounded_everywhere, bounded_constant|]. intros l _. apply ind_nonneg.
      * rewrite (EM_constant EX H). apply Hone. exact Hle.
    + assert (HVb : Hoeffding.bounded (fun x => line_mixture (D + (f x - q)) (S m))).
      { apply (bounded_between _ 0 (line_mixture (D + (1 - q)) (S m) + line_mixture (D - q) (S m))). intros x. split; [apply line_mixture_nonneg; left; lia|].
        pose proof (line_mixture_of_value D m HD (f x) (Hf x)). assert (0 <= line_mixture (D + (1 - q)) (S m)) by (apply line_mixture_nonneg; left; lia).
        assert (0 <= line_mixture (D - q) (S m)) by (apply line_mixture_nonneg; left; lia). specialize (Hf x). nra. }
      cbn [Hoeffding.EM]. apply Rle_trans with (EX (fun x => / L * line_mixture (D + (f x - q)) (S m))).
      * apply (E_mono _ H).
        -- apply (bounded_after EX H n (fun l => ind _ (excluded_middle (reaches_line L D m l)))). apply bounded_everywhere, bounded_ind.
        -- apply bounded_times, HVb.
        -- intros x. rewrite Rmult_comm. eapply Rle_trans; [|apply (IH (D + (f x - q)) (S m)); left; lia].
           apply (EM_mono EX H); try (apply bounded_everywhere, bounded_ind). intros l _. unfold ind.
           destruct (excluded_middle (reaches_line L D m (x :: l))) as [(j & Hj & Hle)|]; destruct (excluded_middle _) as [|Hno]; try lra.
           exfalso. apply Hno. destruct j as [|j]; [simpl in Hle; rewrite Rplus_0_r, Nat.add_0_r in Hle; lra|]. exists j. cbn [length firstn] in *. split; [lia|].
           cbn [dev] in Hle. replace (S m + j)%nat with (m + S j)%nat by lia. rewrite Rplus_assoc. exact Hle.
      * rewrite (E_scal EX H) by exact HVb.
        pose proof (line_is_super D m HD). assert (0 < / L) by (apply Rinv_0_lt_compat; exact HL). unfold Rdiv. rewrite Rmult_comm. apply Rmult_le_compat_r; lra.
Qed.
(* r is a radius of the mixture: wherever a sum is further from its expectation than m r(m), the mixture reaches 1/share *)
Definition radius_of_line (share : R) (r : nat -> R) : Prop := forall m D, (1 <= m)%nat -> INR m * r m < Rabs D -> / share <= line_mixture D m.
(* No mean is ever off its expectation by more than the radius, but for a probability of share. *)
Theorem line_radius share r n : 0 < share -> radius_of_line share r ->
  EM EX n (fun l => ind _ (excluded_middle (exists m, (1 <= m <= length l)%nat /\ r m < Rabs (mean f (firstn m l) - q)))) <= share.
Proof.
  intros Hs Hr. assert (HL : 0 < / share) by (apply Rinv_0_lt_compat; exact Hs).
  pose proof (ville_of_line (/ share) n HL 0 0 (or_intror eq_refl)) as Hv.
  assert (E0 : line_mixture 0 0 = 1).
  { unfold line_mixture. transitivity (I (fun _ => 1)); [|apply (line_one I HI)]. f_equal. apply functional_extensionality. intros s.
    unfold tilt. simpl (INR 0). replace (s * 0 - s * s * 0 / 8) with 0 by field. apply exp_0. }
  rewrite E0 in Hv. replace (1 / / share) with share in Hv by (field; lra). eapply Rle_trans; [|exact Hv].
  apply (EM_mono EX H); try (apply bounded_everywhere, bounded_ind). intros l _. unfold ind.
  destruct (excluded_middle _) as [(m & Hm & Hlt)|]; destruct (excluded_middle _) as [|Hno]; try lra. exfalso. apply Hno. exists m. split; [lia|].
  assert (Hlen : length (firstn m l) = m) by (rewrite firstn_length; lia). assert (Hm1 : 1 <= INR m) by (apply (le_INR 1); lia).
  rewrite Rplus_0_l, Nat.add_0_l. apply Hr; [lia|]. rewrite (dev_mean f q) by (rewrite Hlen; lia). rewrite Hlen, Rabs_mult, (Rabs_pos_eq (INR m)) by lra.
  apply Rmult_lt_compat_l; lra.
Qed.
End Line.

(* ---- such laws and radii exist: all weight on one point, or on two *)
Theorem one_point_below q t : 0 < t <= q -> mixing q (fun u => u t).
Proof. intros Ht. split; [reflexivity| |reflexivity]. intros u v _ _ H. apply H. exact Ht. Qed.
Theorem whole_mean_as_radius q I share : 0 <= q -> radius_of_mixture q I share (fun _ => q).
Proof. intros Hq m _. split; [exact Hq|left; apply Rle_refl]. Qed.
Definition two_slopes (s : R) (u : R -> R) : R := (u s + u (- s)) / 2.
Theorem two_slopes_on_line s : mixing_of_line (two_slopes s).
Proof.
  unfold two_slopes. split; [field| |intros; field]. intros u v _ _ H. pose proof (H s). pose proof (H (- s)). lra.
Qed.
(* lines: |D| > (ln(2/share))/s + s m/8 *)
Theorem radius_of_two_slopes s share : 0 < s -> 0 < share ->
  radius_of_line (two_slopes s) share (fun m => ln (2 / share) / (s * INR m) + s / 8).
Proof.
  intros Hs Hshare m D Hm Hlt. assert (Hm1 : 1 <= INR m) by (apply (le_INR 1); exact Hm).
  replace (INR m * (ln (2 / share) / (s * INR m) + s / 8)) with (ln (2 / share) / s + s * INR m / 8) in Hlt by (field; lra).
  assert (Hx : ln (2 / share) <= s * Rabs D - s * s * INR m / 8).
  { apply Rmult_lt_compat_l with (r := s) in Hlt; [|exact Hs].
    replace (s * (ln (2 / share) / s + s * INR m / 8)) with (ln (2 / share) + s * s * INR m / 8) in Hlt by (field; lra). lra. }
  assert (Hone : 2 / share <= exp (s * Rabs D - s * s * INR m / 8)).
  { rewrite <- (exp_ln (2 / share)) by (apply Rdiv_lt_0_compat; lra). apply exp_at_most. exact Hx. }
  unfold line_mixture, two_slopes, tilt. replace (- s * - s) with (s * s) by ring.
  pose proof (exp_pos (s * D - s * s * INR m / 8)). pose proof (exp_pos (- s * D - s * s * INR m / 8)).
  replace (/ share) with (2 / share / 2) by (field; lra). unfold Rdiv at 1. apply Rmult_le_compat_r; [lra|].
  unfold Rabs in Hone. destruct (Rcase_abs D).
  - replace (s * - D) with (- s * D) in Hone by ring. lra.
  - lra.
Qed.


(* ---- the radius of the paper is paid for *)
Section PaperRadius.
Variables (N : nat) (delta cmax qmin : R) (theta : nat -> (observation -> R) -> R).
Notation possible := (possible cmax).
Hypothesis Htheta : forall j, Game.law cmax (theta j).
Hypothesis HN : (1 <= N)%nat.
Hypothesis Hd : 0 < delta < 1.
Hypothesis Hc : 0 < cmax.
Notation beta_of count := (beta (INR N) delta (INR count)).
(* what is so of all lists of possible observations counts, and nothing else *)
Lemma EM_of_possible E F G : Game.law cmax E -> (forall l, 0 <= F l <= 1) -> (forall l, 0 <= G l <= 1) -> forall n,
  (forall l, length l = n -> (forall o, In o l -> possible o) -> F l <= G l) -> EM E n F <= EM E n G.
Proof.
  intros HE HF HG n. revert F G HF HG. induction n as [|n IH]; intros F G HF HG H; [apply H; [reflexivity|intros o []]|]. cbn [EM].
  assert (Hb : forall F', (forall l, 0 <= F' l <= 1) -> Game.bounded cmax (fun x => EM E n (fun l => F' (x :: l)))).
  { intros F' HF'. exists 1. intros o _. apply (EM_within E (law_isE _ _ HE)). intros l _. apply Rabs_le. specialize (HF' (o :: l)). lra. }
  apply (law_monotone _ _ HE); auto. intros o Ho. apply IH; auto. intros l Hl Hp. apply H; [simpl; lia|]. intros o' [<-|Ho']; auto.
Qed.
Section OneSide.
Variables (i : nat) (event : list observation -> Prop) (f : observation -> R).
Hypothesis Hf : forall o, 0 <= f o <= 1.
Hypothesis Hevent : forall l, (1 <= length l)%nat -> (forall o, In o l -> possible o) -> event l -> theta i f + beta_of (length l) < mean f l.
Lemma one_side n : EM (theta i) n (fun l => ind _ (excluded_middle (exists m, (1 <= m <= length l)%nat /\ event (rev (firstn m l))))) <= delta / (4 * INR N).
Proof.
  eapply Rle_trans; [|apply (paper_radius_has_sides (theta i) (law_isE _ _ (Htheta i)) f N delta Hf HN Hd n)].
  apply (EM_of_possible _ _ _ (Htheta i)); [intros l; apply ind_nonneg|intros l; apply ind_nonneg|]. intros l _ Hp. unfold ind.
  destruct (excluded_middle _) as [(m & Hm & He)|_]; destruct (excluded_middle _) as [|Hno]; try lra. exfalso. apply Hno. exists m. split; [exact Hm|].
  assert (Hl : length (rev (firstn m l)) = m) by (rewrite rev_length, firstn_length; lia).
  pose proof (Hevent (rev (firstn m l))) as H. rewrite Hl in H. apply H; [lia| |exact He]. intros o Ho. apply Hp.
  apply in_rev in Ho. rewrite <- (firstn_skipn m l). apply in_or_app. left. exact Ho.
Qed.
End OneSide.
(* a value in [0, most], as a share of it *)
Section Shares.
Variables (value : observation -> R) (most : R).
Hypothesis Hmost : 0 < most.
Hypothesis Hvalue : forall o, possible o -> 0 <= value o <= most.
Definition share (o : observation) : R := / most * clip most (value o).
Lemma share_between o : 0 <= share o <= 1.
Proof.
  pose proof (clip_between most (value o) ltac:(lra)) as H. pose proof (Rinv_0_lt_compat _ Hmost). unfold share. split; [nra|].
  apply Rmult_le_reg_l with most; [exact Hmost|]. rewrite <- Rmult_assoc, Rinv_r by lra. lra.
Qed.
Lemma share_expected i : theta i share = theta i value / most.
Proof.
  unfold share. rewrite (E_scal _ (law_isE _ _ (Htheta i)) (/ most) (fun o => clip most (value o))).
  - rewrite (law_clipped cmax _ value most (Htheta i) ltac:(lra) Hvalue). unfold Rdiv. ring.
  - apply (bounded_between _ 0 most). intros o. apply clip_between. lra.
Qed.
Lemma rest_expected i : theta i (fun o => 1 - share o) = 1 - theta i value / most.
Proof.
  rewrite <- share_expected, <- (E_one _ (law_isE _ _ (Htheta i))) at 1.
  transitivity (theta i (fun o => 1 * 1 + (-1) * share o)); [f_equal; apply functional_extensionality; intros o; ring|].
  rewrite (E_lin _ (law_isE _ _ (Htheta i)) 1 (-1) (fun _ => 1) share); [ring|apply (bounded_between _ 1 1); intros; lra|].
  apply (bounded_between _ 0 1). exact share_between.
Qed.
Lemma share_mean l : (forall o, In o l -> possible o) -> mean share l = average value l / most.
Proof.
  intros Hp. rewrite (average_agrees value (fun o => clip most (value o))).
  - unfold share. rewrite mean_scaled. unfold Rdiv. ring.
  - intros o Ho. symmetry. apply clip_inside, Hvalue, Hp, Ho.
Qed.
Lemma mean_of_rest {X : Type} (f : X -> R) l : (1 <= length l)%nat -> mean (fun x => 1 - f x) l = 1 - mean f l.
Proof.
  intros Hl. assert (0 < INR (length l)) by (apply lt_0_INR; lia). unfold mean.
  assert (E : fold_right (fun x s => 1 - f x + s) 0 l = INR (length l) - fold_right (fun x s => f x + s) 0 l).
  { clear. induction l as [|x l IH]; [simpl; ring|]. cbn [fold_right length]. rewrite S_INR, IH. ring. }
  rewrite E. field. lra.
Qed.
(* the mean is above its expectation, or below it, by more than so many shares of the radius *)
Lemma above_share i l : (forall o, In o l -> possible o) -> theta i value + most * beta_of (length l) < average value l ->
  theta i share + beta_of (length l) < mean share l.
Proof.
  intros Hp H. rewrite share_expected, (share_mean l Hp). apply Rmult_lt_reg_l with most; [exact Hmost|]. unfold Rdiv.
  rewrite Rmult_plus_distr_l. replace (most * (theta i value * / most)) with (theta i value) by (field; lra).
  replace (most * (average value l * / most)) with (average value l) by (field; lra). exact H.
Qed.
Lemma below_share i l : (1 <= length l)%nat -> (forall o, In o l -> possible o) -> average value l < theta i value - most * beta_of (length l) ->
  theta i (fun o => 1 - share o) + beta_of (length l) < mean (fun o => 1 - share o) l.
Proof.
  intros Hl Hp H. rewrite rest_expected, (mean_of_rest share l Hl), (share_mean l Hp). apply Rmult_lt_reg_l with most; [exact Hmost|]. unfold Rdiv.
  replace (most * (1 - theta i value * / most + beta_of (length l))) with (most - theta i value + most * beta_of (length l)) by (field; lra).
  replace (most * (1 - average value l * / most)) with (most - average value l) by (field; lra). lra.
Qed.
End Shares.
(* The paper's radius, for scores, for their upper sides and for costs: each of the 4N sides fails with probability delta/(4N) at
   most, over all counts at once. *)
Theorem paper_radius_is_paid_for : each_side_is_paid_for N delta cmax qmin (bt N delta) (bt N delta) (fun _ => bt N delta) theta.
Proof.
  assert (Hs : forall o, possible o -> 0 <= score o <= 1) by (intros o Ho; apply Ho).
  assert (Hcost : forall o, possible o -> 0 <= Game.cost o <= cmax) by (intros o Ho; apply Ho).
  assert (Hrest : forall value most, 0 < most -> forall o : observation, 0 <= 1 - share value most o <= 1).
  { intros value most Hm o. pose proof (share_between value most Hm o). lra. }
  intros i side n Hi Hside. unfold left_by_draws. destruct side as [|[|[|[|side]]]]; [lia| | | |].
  - apply (one_side i _ (fun o => 1 - share score 1 o)); [apply Hrest; lra|]. intros l Hl Hp [Hq He].
    apply (below_share score 1 Rlt_0_1 Hs i l Hl Hp). unfold quality, bt in *. lra.
  - apply (one_side i _ (share score 1)); [apply share_between; lra|]. intros l Hl Hp [Hq He].
    apply (above_share score 1 Rlt_0_1 Hs i l Hp). unfold quality, bt in *. lra.
  - apply (one_side i _ (fun o => 1 - share Game.cost cmax o)); [apply Hrest; exact Hc|]. intros l Hl Hp He.
    apply (below_share Game.cost cmax Hc Hcost i l Hl Hp). exact He.
  - apply (one_side i _ (share Game.cost cmax)); [apply share_between; exact Hc|]. intros l Hl Hp He.
    apply (above_share Game.cost cmax Hc Hcost i l Hp). exact He.
Qed.
(* so that either mean of every provider leaves its band with probability delta/(2N) at most *)
Theorem paper_radius_pays_for_bands : each_band_is_paid_for N delta cmax qmin (bt N delta) (bt N delta) (fun _ => bt N delta) theta.
Proof. exact (sides_pay_for_bands N delta cmax qmin _ _ _ theta Htheta HN paper_radius_is_paid_for). Qed.
(* an event of the first observations, through the mean of their shares *)
Lemma through_means i (event : list observation -> Prop) (f : observation -> R) (beyond : nat -> R -> Prop) n :
  (forall l, (1 <= length l)%nat -> (forall o, In o l -> possible o) -> event l -> beyond (length l) (mean f l)) ->
  EM (theta i) n (fun l => ind _ (excluded_middle (exists m, (1 <= m <= length l)%nat /\ event (rev (firstn m l)))))
    <= EM (theta i) n (fun l => ind _ (excluded_middle (exists m, (1 <= m <= length l)%nat /\ beyond m (mean f (firstn m l))))).
Proof.
  intros Hevent. apply (EM_of_possible _ _ _ (Htheta i)); [intros l; apply ind_nonneg|intros l; apply ind_nonneg|]. intros l _ Hp. unfold ind.
  destruct (excluded_middle _) as [(m & Hm & He)|_]; destruct (excluded_middle _) as [|Hno]; try lra. exfalso. apply Hno. exists m. split; [exact Hm|].
  assert (Hl : length (rev (firstn m l)) = m) by (rewrite rev_length, firstn_length; lia).
  pose proof (Hevent (rev (firstn m l))) as H. rewrite Hl, mean_rev in H. apply H; [lia| |exact He]. intros o Ho. apply Hp.
  apply in_rev in Ho. rewrite <- (firstn_skipn m l). apply in_or_app. left. exact Ho.
Qed.
(* With a mixture for scores, below q_min for the test and below 1 - q_i for the scores 1 - s of an unqualified provider, and the
   paper's radius for costs, as the beta-binomial radius has it: each side fails with probability delta/(4N) at most. *)
Theorem mixture_radius_is_paid_for rho own below (below_own : nat -> (R -> R) -> R) : 0 < qmin < 1 -> mixing qmin below ->
  radius_of_mixture qmin below (delta / (4 * INR N)) rho ->
  (forall i, (i < N)%nat -> quality theta i < qmin -> 0 < quality theta i /\ mixing (1 - quality theta i) (below_own i) /\
    radius_of_mixture (1 - quality theta i) (below_own i) (delta / (4 * INR N)) (own i)) ->
  each_side_is_paid_for N delta cmax qmin rho (bt N delta) own theta.
Proof.
  intros Hq HI Hrho Hown i side n Hi Hside. assert (HN1 : 1 <= INR N) by (apply (le_INR 1); exact HN).
  assert (Hs : forall o, possible o -> 0 <= score o <= 1) by (intros o Ho; apply Ho).
  assert (Hshare : 0 < delta / (4 * INR N)) by (apply Rdiv_lt_0_compat; lra).
  assert (Hf : forall o, 0 <= share score 1 o <= 1) by (apply share_between; lra).
  pose proof (law_isE _ _ (Htheta i)) as HE. destruct side as [|[|[|[|[|side]]]]]; try lia.
  - unfold left_by_draws. destruct (Rle_lt_dec qmin (quality theta i)) as [Hqual|Hunq].
    + eapply Rle_trans; [apply (through_means i _ (share score 1) (fun m x => x < qmin - rho m))|].
      * intros l _ Hp [_ He]. rewrite (share_mean score 1 Hs l Hp). unfold Rdiv. rewrite Rinv_1, Rmult_1_r. exact He.
      * apply (mixture_radius qmin below Hq HI (theta i) HE (share score 1) Hf); [|exact Hshare|exact Hrho].
        rewrite (share_expected score 1 Rlt_0_1 Hs). unfold Rdiv. rewrite Rinv_1, Rmult_1_r. exact Hqual.
    + apply Rle_trans with (EM (theta i) n (fun _ => 0)); [|rewrite (EM_constant _ HE); lra].
      apply (EM_mono _ HE); try (apply bounded_everywhere; try apply bounded_ind; apply bounded_constant). intros l _. unfold ind.
      destruct (excluded_middle _) as [(m & _ & [Hqual _])|]; lra.
  - unfold left_by_draws. destruct (Rlt_dec (quality theta i) qmin) as [Hunq|Hqual].
    + destruct (Hown i Hi Hunq) as (H0 & HJ & Hr).
      eapply Rle_trans; [apply (through_means i _ (fun o => 1 - share score 1 o) (fun m x => x < 1 - quality theta i - own i m))|].
      * intros l Hl Hp [_ He]. rewrite (mean_of_rest (share score 1) l Hl), (share_mean score 1 Hs l Hp). unfold Rdiv. rewrite Rinv_1, Rmult_1_r. lra.
      * apply (mixture_radius (1 - quality theta i) (below_own i) ltac:(lra) HJ (theta i) HE); [intros o; specialize (Hf o); lra| |exact Hshare|exact Hr].
        rewrite (rest_expected score 1 Rlt_0_1 Hs). unfold Rdiv. rewrite Rinv_1, Rmult_1_r. apply Rle_refl.
    + apply Rle_trans with (EM (theta i) n (fun _ => 0)); [|rewrite (EM_constant _ HE); lra].
      apply (EM_mono _ HE); try (apply bounded_everywhere; try apply bounded_ind; apply bounded_constant). intros l _. unfold ind.
      destruct (excluded_middle _) as [(m & _ & [Hu _])|]; lra.
  - exact (paper_radius_is_paid_for i 3%nat n Hi Hside).
  - exact (paper_radius_is_paid_for i 4%nat n Hi Hside).
Qed.
(* With a two-sided mixture for scores and costs: either mean leaves its band with probability delta/(2N) at most. *)
Theorem two_sided_mixture_is_paid_for I r : mixing_of_line I -> radius_of_line I (delta / (2 * INR N)) r ->
  each_band_is_paid_for N delta cmax qmin r r (fun _ => r) theta.
Proof.
  intros HI Hr i band n Hi Hband. assert (HN1 : 1 <= INR N) by (apply (le_INR 1); exact HN). pose proof (law_isE _ _ (Htheta i)) as HE.
  assert (Hs : forall o, possible o -> 0 <= score o <= 1) by (intros o Ho; apply Ho).
  assert (Hcost : forall o, possible o -> 0 <= Game.cost o <= cmax) by (intros o Ho; apply Ho).
  assert (Hshare : 0 < delta / (2 * INR N)) by (apply Rdiv_lt_0_compat; lra).
  destruct band as [|[|[|band]]]; [lia| | |lia]; unfold left_by_draws.
  - eapply Rle_trans; [apply (through_means i _ (share score 1) (fun m x => r m < Rabs (x - quality theta i)))|].
    + intros l _ Hp He. rewrite (share_mean score 1 Hs l Hp). unfold Rdiv. rewrite Rinv_1, Rmult_1_r. destruct He as [[Hq He]|[Hq He]].
      * rewrite <- Rabs_Ropp. eapply Rlt_le_trans; [|apply Rle_abs]. lra.
      * eapply Rlt_le_trans; [|apply Rle_abs]. lra.
    + apply (line_radius I HI (theta i) HE (share score 1) (quality theta i)); [apply share_between; lra| |exact Hshare|exact Hr].
      rewrite (share_expected score 1 Rlt_0_1 Hs). unfold quality, Rdiv. rewrite Rinv_1, Rmult_1_r. reflexivity.
  - eapply Rle_trans; [apply (through_means i _ (share Game.cost cmax) (fun m x => r m < Rabs (x - cost_of theta i / cmax)))|].
    + intros l _ Hp He. rewrite (share_mean Game.cost cmax Hcost l Hp).
      replace (average Game.cost l / cmax - cost_of theta i / cmax) with ((average Game.cost l - cost_of theta i) * / cmax) by (unfold Rdiv; ring).
      rewrite Rabs_mult, (Rabs_pos_eq (/ cmax)) by (apply Rlt_le, Rinv_0_lt_compat; exact Hc).
      apply Rmult_lt_reg_l with cmax; [exact Hc|]. rewrite (Rmult_comm (Rabs _)), <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
      destruct He as [He|He]; unfold leaves, mean_cost in He.
      * rewrite <- Rabs_Ropp. eapply Rlt_le_trans; [|apply Rle_abs]. lra.
      * eapply Rlt_le_trans; [|apply Rle_abs]. lra.
    + apply (line_radius I HI (theta i) HE (share Game.cost cmax) (cost_of theta i / cmax)); [apply share_between; exact Hc| |exact Hshare|exact Hr].
      rewrite (share_expected Game.cost cmax Hc Hcost). reflexivity.
Qed.
(* The radius of the normal mixture that weighs eta observations, where b is ln(2N/delta); and what a normal law of expectation 0
   and variance 4/eta makes of the mixture. *)
Definition normal_radius (eta : R) (m : nat) : R :=
  sqrt ((INR m + eta) * (ln ((INR m + eta) / eta) + 2 * ln (2 * INR N / delta))) / (2 * INR m).
Definition normal_law (eta : R) (I : (R -> R) -> R) : Prop := mixing_of_line I /\ forall D m, (1 <= m)%nat ->
  line_mixture I D m = sqrt (eta / (INR m + eta)) * exp (2 * (D * D) / (INR m + eta)).
(* With the normal mixture: either mean leaves its band with probability delta/(2N) at most. *)
Theorem normal_mixture_is_paid_for eta I : 0 < eta -> normal_law eta I ->
  each_band_is_paid_for N delta cmax qmin (normal_radius eta) (normal_radius eta) (fun _ => normal_radius eta) theta.
Proof.
  intros Heta [HI Hnormal]. apply (two_sided_mixture_is_paid_for I); [exact HI|]. intros m D Hm Hlt. rewrite Hnormal by exact Hm.
  assert (HN1 : 1 <= INR N) by (apply (le_INR 1); exact HN). assert (Hm1 : 1 <= INR m) by (apply (le_INR 1); exact Hm).
  unfold normal_radius in Hlt. set (b := ln (2 * INR N / delta)) in *. set (u := (INR m + eta) / eta) in *. set (c := INR m + eta) in *.
  assert (Hc0 : 0 < c) by (unfold c; lra). assert (Hu : 1 < u).
  { unfold u. apply Rmult_lt_reg_r with eta; [exact Heta|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. unfold c. lra. }
  assert (Hl : 0 < ln u) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (Hb1 : 1 < 2 * INR N / delta).
  { apply Rmult_lt_reg_r with delta; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Hb : 0 < b) by (unfold b; rewrite <- ln_1; apply ln_increasing; lra).
  assert (Eb : / (delta / (2 * INR N)) = exp b) by (unfold b; rewrite exp_ln by lra; field; lra).
  assert (Es : sqrt (eta / c) = exp (- (ln u / 2))).
  { replace (eta / c) with (/ u) by (unfold u; field; unfold c in *; lra). rewrite sqrt_inv by lra. rewrite <- Rpower_sqrt by lra. unfold Rpower.
    rewrite <- exp_Ropp. f_equal. field. }
  rewrite Eb, Es, <- exp_plus. apply exp_at_most.
  assert (HA : 0 <= c * (ln u + 2 * b)) by (apply Rmult_le_pos; lra).
  pose proof (sqrt_pos (c * (ln u + 2 * b))) as Hsq0. pose proof (sqrt_sqrt _ HA) as Hsq. set (x := sqrt (c * (ln u + 2 * b))) in *.
  replace (INR m * (x / (2 * INR m))) with (x / 2) in Hlt by (field; lra).
  assert (HD : D * D = Rabs D * Rabs D) by (rewrite <- Rabs_mult; symmetry; apply Rabs_pos_eq; nra).
  assert (Hxx : x * x <= 4 * (D * D)) by (rewrite HD; nra). rewrite Hsq in Hxx.
  assert (Hdiv : (ln u + 2 * b) / 2 <= 2 * (D * D) / c).
  { apply Rmult_le_reg_r with (2 * c); [lra|]. replace ((ln u + 2 * b) / 2 * (2 * c)) with (c * (ln u + 2 * b)) by field.
    replace (2 * (D * D) / c * (2 * c)) with (4 * (D * D)) by (field; lra). exact Hxx. }
  lra.
Qed.
End PaperRadius.

(* ---- the dynamics of Game.v are those of the paper's radius *)
Theorem game_has_the_paper_radius N delta cmax qmin gamma g p theta first profile : dynamics N delta cmax qmin gamma g p theta first ->
  dynamics_any N cmax qmin (bt N delta) (rad N delta cmax gamma) g theta first
    (fun H => allocate N delta qmin g p H (bids_at N profile H)) profile.
Proof.
  intros (Hp & Htheta & Hfirst). split; [|split; assumption]. intros H.
  destruct (Hp H (bids_at N profile H)) as (H1 & H2 & H3). split; [exact H1|]. split; [|exact H3].
  intros f f' Hf. apply H2. intros j Hj. apply Hf. apply serves_is. exact Hj.
Qed.

(* ---- the hypotheses are met: certain costs and scores, whatever the numbers of the market and the radii *)
Section Certain.
Variables (N : nat) (cmax qmin : R) (rho cr : nat -> R) (g : nat -> R) (q c : nat -> R) (profile : nat -> strategy).
Definition always (i : nat) : observation := {| Game.cost := c i; score := q i |}.
Definition certain (i : nat) (f : observation -> R) : R := f (always i).
Definition certain_first (f : (nat -> observation) -> R) : R := f always.
Hypothesis HN : (1 <= N)%nat.
Definition somebody (H : history) : {j | may_be_served N qmin rho cr g profile H j}.
Proof.
  apply constructive_indefinite_ground_description_nat; [intros j; apply excluded_middle|].
  apply somebody_is_served. exact HN.
Defined.
Definition certain_draw (H : history) (f : nat -> R) : R := f (proj1_sig (somebody H)).
Theorem certain_dynamics : (forall i, 0 <= q i <= 1 /\ 0 <= c i <= cmax) ->
  dynamics_any N cmax qmin rho cr g certain certain_first certain_draw profile.
Proof.
  intros Hr. assert (Hp : forall i, possible cmax (always i)) by (intros i; destruct (Hr i); split; assumption).
  split; [|split].
  - intros H. split; [reflexivity|]. split; [|reflexivity]. intros f f' Hf. apply Hf. exact (proj2_sig (somebody H)).
  - intros j. split; [reflexivity| |reflexivity]. intros f f' _ _ Hle. apply Hle, Hp.
  - split; [reflexivity| |reflexivity|reflexivity]. intros f f' _ _ Hle. apply Hle. intros i _. apply Hp.
Qed.
End Certain.
(* everybody bids the mean of its costs, and believes it *)
Theorem sample_means_as_beliefs N cmax gamma r : 0 < cmax -> 0 <= gamma -> (forall n, 0 <= r n) ->
  bids_near_beliefs N cmax gamma 0 0 r (fun _ => Game.truthful mean_cost) (fun _ => mean_cost).
Proof.
  intros Hc Hga Hr i t obs _ _ _. unfold Game.truthful. rewrite !Rminus_eq_0, Rabs_R0. split; [|lra].
  apply Rmult_le_pos; [nra|apply Hr].
Qed.
Theorem paper_radii_not_negative N delta : radii_not_negative (bt N delta) (bt N delta) (fun _ => bt N delta).
Proof. intros i n. repeat split; apply sqrt_pos. Qed.
Lemma paper_radius_tends_to_zero N delta x : (1 <= N)%nat -> 0 < delta < 1 -> 0 < x -> tends_to_zero (fun n => x * bt N delta n).
Proof.
  intros HN Hd Hx e He. destruct (radius_below N delta (e / x) HN Hd ltac:(apply Rdiv_lt_0_compat; lra)) as (n0 & Hn0).
  exists (S n0). intros n Hn. specialize (Hn0 n ltac:(lia)). apply Rmult_lt_compat_l with (r := x) in Hn0; [|exact Hx].
  replace (x * (e / x)) with e in Hn0 by (field; lra). exact Hn0.
Qed.
(* With the paper's radius every market whose competitors are separated from the best has such counts, and only a provider that is
   no dearer than the best, unqualified therefore, has no L_i. *)
Theorem counts_of_every_market N delta cmax qmin gamma d_minus d_plus quality cost best :
  market N delta cmax qmin gamma d_minus d_plus quality cost best -> separated N qmin d_minus d_plus quality cost best ->
  exists M L, counts N qmin (bt N delta) (fun count => (1 + gamma) * cmax * bt N delta count) d_minus d_plus quality cost best (fun _ => bt N delta) M L /\
    forall i, L i = None <-> cost i - cost best <= d_minus + d_plus.
Proof.
  intros (HN & Hd & Hc & Hga & _) Hsep. apply counts_exist.
  - intros i _ e He. destruct (paper_radius_tends_to_zero N delta 2 ltac:(lia) Hd ltac:(lra) e He) as (n0 & Hn0).
    exists n0. intros n Hn. specialize (Hn0 n Hn). lra.
  - intros e He. destruct (paper_radius_tends_to_zero N delta (2 * ((1 + gamma) * cmax)) ltac:(lia) Hd ltac:(nra) e He) as (n0 & Hn0).
    exists n0. intros n Hn. specialize (Hn0 n Hn). lra.
  - exact Hsep.
Qed.
