(* lem:good-event:any-radius. Whatever rule the platform selects by, and whatever is bid: 4N sides of bands that each fail with
   probability delta/(4N) at most for independent draws, over all counts, hold together with probability at least 1 - delta.

   That a given radius has such sides is a statement about independent draws, and the hypothesis here: for the radius of the paper it
   is Hoeffding.v; for others it is Ville's inequality, which is not proved here. *)
Require Import Reals Lra Lia List Arith FunctionalExtensionality.
From Costproof Require Import Radius Auction Runs Game Hoeffding Dynamics SingleTime.
Import ListNotations.
Open Scope R_scope.

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
Lemma own_of_other H j o : j <> i -> own_history i (after H j o) = own_history i H.
Proof. intros Hj. unfold own_history, after. simpl. destruct (Nat.eqb_spec j i); [contradiction|reflexivity]. Qed.
Lemma own_of_self H o : own_history i (after H i o) = o :: own_history i H.
Proof. unfold own_history, after. simpl. rewrite Nat.eqb_refl. reflexivity. Qed.
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
(* each of the four sides of i fails with probability delta/(4N) at most for independent draws, however many *)
Hypothesis each_side : forall i side n, (i < N)%nat -> (1 <= side <= 4)%nat ->
  EM (theta i) n (fun l => ind _ (excluded_middle (left_by_draws i side l))) <= delta / (4 * INR N).
Lemma left_band_lasts i side own o : left_band i side own -> left_band i side (o :: own).
Proof.
  intros (m & Hm & Hl). exists m. cbn [length]. split; [lia|]. replace (S (length own) - m)%nat with (S (length own - m)) by lia. exact Hl.
Qed.
(* With probability 1 - delta all means stay within the bands of the confidence radius at hand: each of 4N sides fails
   with probability delta/(4N) at most. *)
Theorem lem_good_event_any_radius n :
  whole_any n (fun H => ind _ (excluded_middle (exists i side, (i < N)%nat /\ (1 <= side <= 4)%nat /\ left_band i side (own_history i H)))) <= delta.
Proof.
  pose proof (whole_any_isE n) as HE. pose (event := fun i side H => left_band i side (own_history i H)).
  eapply Rle_trans; [apply (union_at_most _ HE N 4 event)|]. assert (HN1 : 1 <= INR N) by (apply (le_INR 1); exact HN).
  apply Rle_trans with (sumN N (fun _ => sumN 4 (fun _ => delta / (4 * INR N)))).
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
  - rewrite !sumN_constant. right. change (INR 4) with (2 * 2) || idtac. simpl (INR 4). field. lra.
Qed.
End AnyRule.

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
  pose proof (lem_good_event_any_radius N cmax theta first draw Hdraw Htheta Hfirst delta HN leaves Hside n) as H.
  unfold Dynamics.probability, Dynamics.whole. unfold whole_any in H. eapply Rle_trans; [|exact H]. right. f_equal.
  apply functional_extensionality. intros o. apply E.
Qed.
