(* The event of the sharpest bounds, under the dynamics of Game.v, with probability at least 1 - delta.

   The good event costs 6 delta/pi^2 times the sum of 1/m^2 over the counts m beyond m0 alone: up to m0 the radius is 1 or more, and
   no mean of values in [0, 1] is further than 1 from its expectation. What the count 1 would cost, 6 delta/pi^2, pays for the
   exclusion of each unqualified provider i at the one count M i + 1. Half of what the counts 2, ..., m0 would cost pays for the
   stitched radius of the mean cost of one provider. Three numbers are computed outside and enter with a property: m0, each M i, and
   whose mean cost it is. *)
Require Import Reals Lra Lia List Arith Psatz FunctionalExtensionality.
From Costproof Require Import Radius Basel Auction RadiusSum Formulas Runs Payments Statements Findings Limits Game
  Dynamics Hoeffding Plays GameLikely AnyRadius Sharp Corollaries SingleTime AnyRadiusEvent Sharpest Stitched.
Import ListNotations.
Open Scope R_scope.

Section Event.
Variables (N : nat) (delta cmax qmin gamma : R) (g : nat -> R).
Variables (p : platform) (theta : nat -> (observation -> R) -> R) (first : ((nat -> observation) -> R) -> R) (profile : nat -> strategy).
(* the last count at which no mean leaves its band, the selections after which an unqualified provider may still be eligible, and the
   provider whose mean cost has a stitched radius *)
Variables (m0 : nat) (M : nat -> nat) (rival : nat).
Notation quality := (quality theta).
Notation cost_of := (cost_of theta).
Notation radius m := (beta (INR N) delta (INR m)).
Notation unqualified := (unqualified N qmin quality).
Notation whole := (Dynamics.whole N delta qmin g p theta first profile).
Notation probability := (Dynamics.probability N delta qmin g p theta first profile).
Notation reached := (Dynamics.reached N delta cmax qmin gamma g profile).
Notation not_good := (not_good N delta cmax theta).
Notation off := (off N delta theta).
Notation play := (play N delta cmax qmin gamma g profile).

(* What the computed numbers must satisfy: beta(m0) >= 1, and at its count M i + 1 each unqualified provider is excluded but for a
   probability of 6 delta/(pi^2 u), by Chernoff's bound. *)
Definition event_numbers : Prop := ((1 <= m0)%nat /\ 1 <= radius m0) /\ (rival < N)%nat /\
  forall i, (i < N)%nat -> quality i < qmin -> excludes N delta qmin (INR (length unqualified)) (quality i) (S (M i)).
(* i is eligible after M i + 1 selections *)
Definition survives (i : nat) (H : history) : Prop := (S (M i) <= length (own_history i H))%nat /\
  qmin <= average score (first_own H i (S (M i))) + radius (S (M i)).
(* the mean cost of the rival was above its expectation by more than its stitched radius, where there is one *)
Definition rival_above (H : history) : Prop := (1 < m0)%nat /\ exists m, (1 <= m <= length (own_history rival H))%nat /\
  cost_of rival + cmax * stitched_radius (spare delta m0 / 2) (INR m) < mean_cost (first_own H rival m).
(* the failure of the event: a mean is off its band, an unqualified provider survives its count, or the rival's mean cost is too high *)
Definition sharpest_failure (H : history) : Prop :=
  not_good H \/ (exists i, (i < N)%nat /\ quality i < qmin /\ survives i H) \/ rival_above H.
(* The event fails with probability at most delta at every horizon, and the claim holds of every play on it. *)
Definition holds_on_sharpest_event (claim : (nat -> history) -> Prop) : Prop :=
  (forall n, probability n sharpest_failure <= delta) /\ (forall w, play w -> (forall t, ~ sharpest_failure (w t)) -> claim w).

Hypothesis Hdyn : dynamics N delta cmax qmin gamma g p theta first.
Hypothesis HN : (2 <= N)%nat.
Hypothesis Hd : 0 < delta < 1.
Hypothesis Hc : 0 < cmax.
Hypothesis Hqm : qmin <= 1.
Hypothesis Hnumbers : event_numbers.
Let Htheta : forall j, Game.law cmax (theta j) := proj1 (proj2 Hdyn).

(* ---- the good event beyond m0 *)
Lemma never_off_early value most i m n H : 0 < most -> (forall o, possible cmax o -> 0 <= value o <= most) -> (i < N)%nat -> (1 <= m <= m0)%nat ->
  reached n H -> ~ off value most i m H.
Proof.
  intros Hmost Hv Hi Hm Hre [Hl Hoff]. destruct Hnumbers as ([_ Hm0] & _).
  assert (Hb : 1 <= radius m).
  { eapply Rle_trans; [apply Hm0|]. apply radius_monotone; [apply (le_INR 2); exact HN|exact Hd|apply (le_INR 1); lia|apply le_INR; lia]. }
  assert (H1 : 0 <= average value (first_own H i m) <= most).
  { apply average_between.
    - unfold first_own. intros E. apply (f_equal (@length observation)) in E. rewrite skipn_length in E. simpl in E. lia.
    - intros o Ho. apply Hv. apply (reached_possible N delta cmax qmin gamma g profile n H i Hre Hi). exact (in_skipn _ _ _ Ho). }
  assert (H2 : 0 <= theta i value <= most) by (apply (law_between cmax); [apply Htheta|]; intros o Ho; apply Hv; exact Ho).
  assert (H3 : Rabs (average value (first_own H i m) - theta i value) <= most) by (apply Rabs_le; lra). nra.
Qed.
(* The good event fails with probability delta - 6 delta/pi^2 times the sum of 1/m^2 up to m0 at most. *)
Theorem good_event_beyond_impossible_counts n : probability n not_good <= delta - 6 * delta / PI ^ 2 * basel m0.
Proof.
  pose (event := fun i m H => (m0 < m)%nat /\ (off score 1 i m H \/ off Game.cost cmax i m H)).
  pose proof (whole_isE N delta cmax qmin gamma g p theta first profile Hdyn n) as HE. set (T := (m0 + S n)%nat).
  apply Rle_trans with (whole n (fun H => ind _ (excluded_middle (exists i m, (i < N)%nat /\ (1 <= m <= T)%nat /\ event i m H)))).
  - apply (whole_monotone N delta cmax qmin gamma g p theta first profile Hdyn); try apply bounded_ind. intros H Hre. unfold ind.
    destruct (excluded_middle (not_good H)) as [(i & m & Hi & Hm & Hev)|_]; destruct (excluded_middle _) as [_|Hno]; try lra.
    exfalso. apply Hno. exists i, m. split; [exact Hi|]. pose proof Hre as (o & _ & Hr).
    pose proof (own_history_grows N delta cmax qmin gamma g profile ltac:(lia) i _ _ _ Hr) as Hle. simpl in Hle. split; [unfold T; lia|]. split; [|exact Hev].
    destruct (le_lt_dec m m0) as [Hmm|]; [|assumption]. exfalso. destruct Hev as [Hev|Hev]; revert Hev; eapply never_off_early; eauto; try lra; try lia.
    + intros x Hx. apply Hx.
    + intros x Hx. apply Hx.
  - eapply Rle_trans; [apply (union_at_most _ HE N T event)|].
    assert (HNp : 1 <= INR N) by (apply (le_INR 1); lia). pose proof PI_RGT_0 as Hpi. assert (Hpi2 : 0 < PI ^ 2) by nra.
    set (a := 6 * delta / (PI ^ 2 * INR N)). assert (Ha : 0 <= a) by (apply Rlt_le, Rdiv_lt_0_compat; nra).
    assert (Hrow : forall i, (i < N)%nat -> sumN T (fun k => whole n (fun H => ind _ (excluded_middle (event i (S k) H)))) <= a * (basel T - basel m0)).
    { intros i Hi. assert (Hterm : forall k, whole n (fun H => ind _ (excluded_middle (event i (S k) H))) <= if le_lt_dec (S k) m0 then 0 else a * / INR (S k) ^ 2).
      { intros k. destruct (le_lt_dec (S k) m0) as [Hk|Hk].
        - right. rewrite <- (E_const _ HE 0). f_equal. apply functional_extensionality. intros H. unfold ind, event.
          destruct (excluded_middle _) as [[Hl _]|]; [lia|reflexivity].
        - apply Rle_trans with (whole n (fun H => ind _ (excluded_middle (off score 1 i (S k) H))) + whole n (fun H => ind _ (excluded_middle (off Game.cost cmax i (S k) H)))).
          + apply (either_at_most _ HE). intros H [_ Hor]. exact Hor.
          + pose proof (off_rarely N delta cmax qmin gamma g p theta first profile Hdyn ltac:(lia) Hd score 1 i (S k) n Rlt_0_1 (fun o Ho => proj2 Ho) Hi ltac:(lia)).
            pose proof (off_rarely N delta cmax qmin gamma g p theta first profile Hdyn ltac:(lia) Hd Game.cost cmax i (S k) n Hc (fun o Ho => proj1 Ho) Hi ltac:(lia)).
            assert (Hmp : 1 <= INR (S k)) by (apply (le_INR 1); lia).
            replace (a * / INR (S k) ^ 2) with
              (3 * delta / (PI ^ 2 * INR N * INR (S k) ^ 2) + 3 * delta / (PI ^ 2 * INR N * INR (S k) ^ 2)) by (unfold a; field; repeat split; lra). lra. }
      apply Rle_trans with (sumN T (fun k => if le_lt_dec (S k) m0 then 0 else a * / INR (S k) ^ 2)); [apply sumN_le; auto|].
      assert (Hb : forall j, sumN j (fun k => if le_lt_dec (S k) m0 then 0 else a * / INR (S k) ^ 2) = a * (basel j - basel (Nat.min j m0))).
      { induction j as [|j IH]; [simpl; ring|]. cbn [sumN]. rewrite IH. destruct (le_lt_dec (S j) m0) as [Hj|Hj].
        - rewrite (Nat.min_l j), (Nat.min_l (S j)) by lia. cbn [basel]. ring.
        - rewrite (Nat.min_r j), (Nat.min_r (S j)) by lia. cbn [basel]. ring. }
      rewrite Hb, Nat.min_r by (unfold T; lia). lra. }
    apply Rle_trans with (sumN N (fun _ => a * (basel T - basel m0))); [apply sumN_le; exact Hrow|]. rewrite sumN_constant.
    pose proof (basel_le T) as HB. assert (Hx : INR N * a = 6 * delta / PI ^ 2) by (unfold a; field; lra).
    replace (INR N * (a * (basel T - basel m0))) with (INR N * a * (basel T - basel m0)) by ring. rewrite Hx.
    apply Rle_trans with (6 * delta / PI ^ 2 * (PI ^ 2 / 6 - basel m0)); [apply Rmult_le_compat_l; [apply Rlt_le, Rdiv_lt_0_compat; lra|lra]|].
    right. field. lra.
Qed.

(* ---- the exclusions, each at one count *)
Lemma survives_rarely i n : (i < N)%nat -> quality i < qmin ->
  whole n (fun H => ind _ (excluded_middle (survives i H))) <= 6 * delta / (PI ^ 2 * INR (length unqualified)).
Proof.
  intros Hi Hqi. destruct Hnumbers as (_ & _ & HM). specialize (HM i Hi Hqi).
  assert (Hu : 1 <= INR (length unqualified)).
  { assert (Hin : In i unqualified) by (unfold Runs.unqualified; rewrite filter_In, in_seq; split; [lia|]; destruct (Rlt_dec _ _); [reflexivity|contradiction]).
    apply (le_INR 1). destruct unqualified; [destruct Hin|simpl; lia]. }
  set (f := fun o => clip 1 (score o)). assert (Hf : forall o, 0 <= f o <= 1) by (intros o; apply clip_between; lra).
  assert (Hq : quality i = theta i f).
  { unfold Dynamics.quality, f. symmetry. apply (law_clipped cmax (theta i) score 1 (Htheta i)); [lra|]. intros o Ho. apply Ho. }
  set (a := qmin - radius (S (M i))). set (F := fun own => ind _ (Rle_dec a (mean f own))).
  assert (HF : forall own, 0 <= F own <= 1) by (intros own; apply ind_nonneg).
  apply Rle_trans with (whole n (happened i (S (M i)) F)).
  - apply (whole_monotone N delta cmax qmin gamma g p theta first profile Hdyn); [apply bounded_ind|apply (bounded_between _ 0 1), happened_between, HF|].
    intros H Hre. unfold ind at 1. destruct (excluded_middle _) as [[Hl Hs]|_]; [|apply happened_between, HF].
    unfold happened. destruct (le_dec (S (M i)) (length (own_history i H))) as [_|]; [|contradiction].
    unfold of_first, F, ind. destruct (Rle_dec _ _) as [_|Hn]; [lra|]. exfalso. apply Hn. unfold a.
    enough (E : mean f (first_own H i (S (M i))) = average score (first_own H i (S (M i)))) by (unfold first_own in E; rewrite E; unfold first_own in Hs; lra).
    symmetry. apply average_agrees. intros o Ho. unfold f. symmetry. apply clip_inside.
    apply (reached_possible N delta cmax qmin gamma g profile n H i Hre Hi). exact (in_skipn _ _ _ Ho).
  - eapply Rle_trans; [apply (first_observations_are_as_independent N delta cmax qmin gamma g p theta first profile Hdyn); auto; lia|].
    rewrite (EM_agrees _ _ _ (fun l => ind _ (Rle_dec a (mean f l)))) by (intros l _; unfold F; rewrite mean_rev; reflexivity).
    apply (excluded_but_for_its_share (theta i) (law_isE cmax _ (Htheta i)) f (quality i) Hf Hq N delta qmin); auto. lia.
Qed.
Lemma exclusions_fail_rarely n :
  whole n (fun H => ind _ (excluded_middle (exists i, (i < N)%nat /\ quality i < qmin /\ survives i H))) <= 6 * delta / PI ^ 2.
Proof.
  pose proof (whole_isE N delta cmax qmin gamma g p theta first profile Hdyn n) as HE.
  pose (event := fun i (m : nat) H => quality i < qmin /\ survives i H). pose proof PI_RGT_0 as Hpi. assert (Hpi2 : 0 < PI ^ 2) by nra.
  apply Rle_trans with (whole n (fun H => ind _ (excluded_middle (exists i m, (i < N)%nat /\ (1 <= m <= 1)%nat /\ event i m H)))).
  - apply (E_mono _ HE); try apply bounded_ind. intros H. unfold ind. destruct (excluded_middle (exists i, _)) as [(i & Hi & Hqi & Hpa)|_];
      destruct (excluded_middle _) as [_|Hno]; try lra. exfalso. apply Hno. exists i, 1%nat. split; [exact Hi|]. split; [lia|]. split; assumption.
  - eapply Rle_trans; [apply (union_at_most _ HE N 1 event)|]. cbn [sumN]. set (u := INR (length unqualified)).
    apply Rle_trans with (sumN N (fun i => if Rlt_dec (quality i) qmin then 6 * delta / (PI ^ 2 * u) else 0)).
    + apply sumN_le. intros i Hi. rewrite Rplus_0_l. destruct (Rlt_dec (quality i) qmin) as [Hqi|Hqi].
      * eapply Rle_trans; [|apply (survives_rarely i n Hi Hqi)]. apply (E_mono _ HE); try apply bounded_ind. intros H. unfold ind, event.
        destruct (excluded_middle (_ /\ _)) as [[_ Hpa]|_]; destruct (excluded_middle (survives i H)); try lra. contradiction.
      * right. rewrite <- (E_const _ HE 0). f_equal. apply functional_extensionality. intros H. unfold ind, event.
        destruct (excluded_middle _) as [[Hl _]|]; [lra|reflexivity].
    + assert (Hsum : forall x, sumN N (fun i => if Rlt_dec (quality i) qmin then x else 0) = u * x).
      { intros x. unfold u. rewrite <- (total_over_constant unqualified x). unfold Runs.unqualified. rewrite total_over_filter.
        assert (Hb : forall f k, sumN k f = bsum k f) by (intros f k; induction k as [|k IH]; [reflexivity|]; cbn [sumN bsum]; rewrite IH; reflexivity).
        rewrite Hb. apply bsum_ext. intros i _. destruct (Rlt_dec (quality i) qmin); reflexivity. }
      rewrite Hsum. destruct (Req_dec u 0) as [E|Hne]; [rewrite E, Rmult_0_l; apply Rlt_le, Rdiv_lt_0_compat; lra|].
      right. field. split; lra.
Qed.

(* ---- the stitched radius *)
Lemma spare_between : (1 < m0)%nat -> 0 < spare delta m0 / 2 < 1.
Proof.
  intros H. pose proof PI_RGT_0 as Hpi. assert (Hpi2 : 0 < PI ^ 2) by nra. unfold spare.
  assert (H1 : 1 < basel m0).
  { destruct m0 as [|[|m]]; [lia|lia|]. clear. induction m as [|m IH]; [simpl; lra|]. cbn [basel] in *.
    assert (0 < / INR (S (S (S m))) ^ 2) by (apply Rinv_0_lt_compat, pow_lt, lt_0_INR; lia). lra. }
  pose proof (basel_le m0) as HB. assert (H0 : 0 < 6 * delta / PI ^ 2) by (apply Rdiv_lt_0_compat; lra).
  split; [apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; lra|].
  assert (Hle : 6 * delta / PI ^ 2 * (basel m0 - 1) <= 6 * delta / PI ^ 2 * (PI ^ 2 / 6)) by (apply Rmult_le_compat_l; lra).
  replace (6 * delta / PI ^ 2 * (PI ^ 2 / 6)) with delta in Hle by (field; lra). lra.
Qed.
Lemma stitched_radius_nonneg failure m : 0 <= stitched_radius failure m.
Proof.
  unfold stitched_radius. apply Rmult_le_pos; [|apply sqrt_pos]. pose proof (exp_pos (1 / 4 * ln 2)). pose proof (exp_pos (- (1 / 4) * ln 2)).
  unfold Rpower. lra.
Qed.
Lemma rival_rarely_above n : (1 < m0)%nat -> probability n rival_above <= spare delta m0 / 2.
Proof.
  intros Hm0. pose proof (spare_between Hm0) as Hfailure. set (failure := spare delta m0 / 2) in *. destruct Hnumbers as (_ & Hi & _).
  pose proof Hdyn as (Hp & _ & Hfirst). set (f := fun o => / cmax * clip cmax (Game.cost o)). set (i := rival) in *.
  assert (Hinv : 0 < / cmax) by (apply Rinv_0_lt_compat; exact Hc).
  assert (Hf : forall o, 0 <= f o <= 1).
  { intros o. pose proof (clip_between cmax (Game.cost o) ltac:(lra)) as Hcl. unfold f. split; [nra|].
    apply Rmult_le_reg_l with cmax; [exact Hc|]. rewrite <- Rmult_assoc, Rinv_r by lra. lra. }
  assert (Hq : theta i f = / cmax * cost_of i).
  { unfold f, Dynamics.cost_of. rewrite <- (law_clipped cmax (theta i) Game.cost cmax (Htheta i) ltac:(lra) (fun o Ho => proj1 Ho)).
    apply (E_scal (theta i) (law_isE cmax _ (Htheta i))). apply (bounded_between _ 0 cmax). intros o. apply clip_between. lra. }
  pose (draw := fun H => allocate N delta qmin g p H (bids_at N profile H)).
  assert (Hdraw : forall H, over (fun i => (i < N)%nat) (draw H)).
  { intros H. destruct (Hp H (bids_at N profile H)) as (H1 & H2 & H3). split; [exact H1|]. split; [|exact H3].
    intros f1 f2 Hle. apply H2. intros j Hj. apply Hle. eapply served_lt; eauto. }
  assert (E : forall m value H, expected N delta qmin g p theta profile m value H = expected_any theta draw m value H).
  { intros m value. induction m as [|m IH]; intros H; [reflexivity|]. cbn [expected expected_any]. unfold draw at 1. f_equal.
    apply functional_extensionality. intros j. f_equal. apply functional_extensionality. intros o. apply IH. }
  set (exceeds := fun l => exists m, (1 <= m <= length l)%nat /\ theta i f + stitched_radius failure (INR m) < mean f (firstn m l)).
  set (F := fun own : list observation => ind _ (excluded_middle (exceeds (rev own)))).
  assert (HFbetween : forall own, 0 <= F own <= 1) by (intros own; apply ind_nonneg).
  apply Rle_trans with (whole n (fun H => F (own_history i H))).
  - apply (whole_monotone N delta cmax qmin gamma g p theta first profile Hdyn); [apply bounded_ind|apply (bounded_between _ 0 1); intros; apply HFbetween|].
    intros H Hre. unfold ind at 1. destruct (excluded_middle _) as [(_ & m & Hm & Hlt)|_]; [|apply HFbetween].
    unfold F, ind. destruct (excluded_middle _) as [_|Hno]; [lra|]. exfalso. apply Hno. exists m. rewrite rev_length. split; [exact Hm|].
    rewrite <- (mean_rev f), <- (rev_involutive (own_history i H)), rev_involutive, firstn_rev, rev_involutive.
    change (skipn (length (own_history i H) - m) (own_history i H)) with (first_own H i m). fold i failure in Hlt.
    assert (Em : mean f (first_own H i m) = / cmax * mean_cost (first_own H i m)).
    { unfold f. rewrite mean_scaled. f_equal. symmetry. apply average_agrees. intros o Ho. symmetry. apply clip_inside.
      apply (reached_possible N delta cmax qmin gamma g profile n H i Hre Hi). exact (in_skipn _ _ _ Ho). }
    rewrite Em, Hq. apply Rmult_lt_reg_l with cmax; [exact Hc|]. rewrite Rmult_plus_distr_l, <- !Rmult_assoc, Rinv_r by lra. lra.
  - apply Rle_trans with (whole_any theta first draw n (fun H => F (own_history i H))).
    { right. unfold Dynamics.whole, whole_any. f_equal. apply functional_extensionality. intros o. rewrite E. reflexivity. }
    eapply Rle_trans; [apply (lasting_as_independent N cmax theta first draw Hdraw Htheta Hfirst i F Hi)|].
    + exact HFbetween.
    + intros own o. unfold F, ind. destruct (excluded_middle _) as [(m & Hm & Hlt)|]; destruct (excluded_middle _) as [|Hno]; try lra.
      exfalso. apply Hno. exists m. rewrite rev_length in *. cbn [length rev]. split; [lia|]. rewrite firstn_app.
      replace (m - length (rev own))%nat with 0%nat by (rewrite rev_length; lia). rewrite firstn_O, app_nil_r. exact Hlt.
    + eapply Rle_trans; [|apply (stitched_radius_is_seldom_exceeded (theta i) f failure (S n) (law_isE cmax _ (Htheta i)) Hf Hfailure)].
      right. apply EM_agrees. intros l _. unfold F. rewrite rev_involutive. reflexivity.
Qed.
(* ---- delta is spent once *)
Theorem sharpest_event_fails_rarely n : probability n sharpest_failure <= delta.
Proof.
  pose proof (whole_isE N delta cmax qmin gamma g p theta first profile Hdyn n) as HE.
  pose (excluded := fun H => exists i, (i < N)%nat /\ quality i < qmin /\ survives i H).
  pose proof (good_event_beyond_impossible_counts n) as Hg. pose proof (exclusions_fail_rarely n) as Hex.
  assert (Hrival : probability n rival_above <= spare delta m0).
  { destruct (le_lt_dec m0 1) as [Hm|Hm]; [|pose proof (rival_rarely_above n Hm); pose proof (spare_between Hm); lra].
    destruct Hnumbers as ([H1 _] & _). assert (E1 : m0 = 1%nat) by lia. unfold spare. rewrite E1. cbn [basel]. change (INR 1) with 1.
    right. transitivity (whole n (fun _ => 0)); [|rewrite (E_const _ HE 0); field; pose proof PI_RGT_0; lra].
    unfold Dynamics.probability. f_equal. apply functional_extensionality. intros H. unfold ind, rival_above.
    destruct (excluded_middle _) as [[Hl _]|]; [lia|reflexivity]. }
  unfold Dynamics.probability in *. change (whole n (fun H => ind _ (excluded_middle (excluded H))) <= 6 * delta / PI ^ 2) in Hex.
  eapply Rle_trans; [apply (either_at_most _ HE not_good (fun H => excluded H \/ rival_above H)); intros H HF; exact HF|].
  pose proof (either_at_most _ HE excluded rival_above (fun H => excluded H \/ rival_above H) (fun H HF => HF)) as H1.
  unfold spare in Hrival. lra.
Qed.

(* ---- along plays *)
Lemma sharpest_failure_remains H j o : sharpest_failure H -> sharpest_failure (after H j o).
Proof.
  assert (Hown : forall i, exists more, own_history i (after H j o) = more ++ own_history i H).
  { intros i. unfold own_history, after. simpl. destruct (Nat.eqb j i); [exists [o]|exists []]; reflexivity. }
  assert (Hfirst : forall i m, (m <= length (own_history i H))%nat ->
    (m <= length (own_history i (after H j o)))%nat /\ first_own (after H j o) i m = first_own H i m).
  { intros i m Hm. destruct (Hown i) as (more & E). unfold first_own. rewrite E, app_length. split; [lia|].
    rewrite <- app_length, first_of_more by exact Hm. reflexivity. }
  intros [Hng|[(i & Hi & Hq & Hl & Hs)|(Hm0 & m & Hm & Hs)]]; [left; apply not_good_remains; exact Hng|right; left|right; right].
  - destruct (Hfirst i (S (M i)) Hl) as [Hl' E]. exists i. split; [exact Hi|]. split; [exact Hq|]. split; [exact Hl'|]. rewrite E. exact Hs.
  - destruct (Hfirst rival m ltac:(lia)) as [Hl' E]. split; [exact Hm0|]. exists m. split; [lia|]. rewrite E. exact Hs.
Qed.
Lemma off_sharpest_failure (claim : (nat -> history) -> Prop) : (forall w, play w -> (forall t, ~ sharpest_failure (w t)) -> claim w) ->
  holds_on_sharpest_event claim.
Proof. intros H. split; [exact sharpest_event_fails_rarely|exact H]. Qed.
Lemma likely_on_sharpest_event (claim : (nat -> history) -> Prop) : holds_on_sharpest_event claim ->
  with_probability_at_least N delta cmax qmin gamma g p theta first profile (1 - delta) claim.
Proof.
  intros [Hpr H]. exists sharpest_failure. split; [exact sharpest_failure_remains|]. split; [|exact H]. intros n.
  replace (1 - (1 - delta)) with delta by ring. apply Hpr.
Qed.
(* What holds of the history so far on the event has probability at least 1 - delta at every horizon. *)
Corollary sharpest_event_at_every_horizon (claim : history -> Prop) : holds_on_sharpest_event (fun w => forall t, claim (w t)) ->
  forall n, 1 - delta <= probability n claim.
Proof.
  intros H. apply (at_every_horizon N delta cmax qmin gamma g p theta first profile); [exact Hdyn|]. apply likely_on_sharpest_event. exact H.
Qed.
Lemma excluded_along_play w : play w -> (forall t, ~ sharpest_failure (w t)) ->
  excluded_at_one_count N delta qmin quality (scores_along theta w) M.
Proof.
  intros Hw Hgood i Hi Hq. destruct Hnumbers as (_ & _ & HM). destruct (HM i Hi Hq) as (_ & Hr & _).
  exists (S (M i)). split; [lia|]. unfold scores_along, bt. apply (along_case w (fun x => x + radius (S (M i)) < qmin)).
  - intros t Ht. apply Rnot_le_lt. intros Hle. apply (Hgood t). right. left. exists i. split; [exact Hi|]. split; [exact Hq|]. split; assumption.
  - lra.
Qed.
Lemma below_rival_radius (w : nat -> history) t m : (forall t, ~ sharpest_failure (w t)) -> (1 <= m <= length (own_history rival (w t)))%nat ->
  mean_cost (first_own (w t) rival m) <= cost_of rival + cmax * rival_radius N delta m0 m.
Proof.
  intros Hgood Hm. destruct Hnumbers as (_ & Hi & _).
  destruct (in_band N delta cmax theta w t rival m (fun HF => Hgood t (or_introl HF)) Hi Hm) as [_ Hband]. apply Rabs_le_inv in Hband.
  unfold rival_radius, bt. destruct (lt_dec 1 m0) as [Hm0|_]; [|lra]. unfold Rmin. destruct (Rle_dec _ _); [lra|].
  apply Rnot_lt_le. intros Hlt. apply (Hgood t). right. right. split; [exact Hm0|]. exists m. split; assumption.
Qed.
Lemma rival_below_along_play w estimate : 0 <= gamma -> estimates_near N delta cmax gamma estimate -> play w ->
  (forall t, ~ sharpest_failure (w t)) ->
  cost_stays_below N delta cmax gamma cost_of (along w estimate cost_of) rival (rival_radius N delta m0).
Proof.
  intros Hga Hest Hw Hgood m Hm. pose proof Hnumbers as (_ & Hi & _).
  apply (along_case w (fun x => x <= cost_of rival + cmax * (rival_radius N delta m0 m + gamma * bt N delta m))).
  - intros t Ht. pose proof (below_rival_radius w t m Hgood (conj Hm Ht)) as Hr.
    destruct (Hest rival (first_own (w t) rival m) Hi (first_own_not_empty w rival m t (conj Hm Ht))
      (first_own_possible N delta cmax qmin gamma g profile w Hw rival m t Hi)) as [H1 _].
    rewrite (first_own_length w rival m t Ht) in H1. apply Rabs_le_inv in H1. unfold bt. lra.
  - assert (Hb : 0 <= bt N delta m) by apply sqrt_pos.
    assert (Hr : 0 <= rival_radius N delta m0 m).
    { unfold rival_radius. destruct (lt_dec 1 m0); [apply Rmin_glb; [exact Hb|apply stitched_radius_nonneg]|exact Hb]. }
    assert (0 <= cmax * (rival_radius N delta m0 m + gamma * bt N delta m)) by (apply Rmult_le_pos; [lra|nra]). lra.
Qed.
(* With probability at least 1 - delta, together: all means are within their radii, each unqualified provider is ineligible after
   M i + 1 selections, and the mean cost of the rival stays below its stitched radius (or that of its band, where that is smaller). *)
Theorem lem_good_event_sharpest : holds_on_sharpest_event (fun w => forall t,
  (forall i m, (i < N)%nat -> (1 <= m <= length (own_history i (w t)))%nat ->
    Rabs (average score (first_own (w t) i m) - quality i) <= radius m /\
    Rabs (mean_cost (first_own (w t) i m) - cost_of i) <= cmax * radius m) /\
  (forall i, (i < N)%nat -> quality i < qmin -> (S (M i) <= length (own_history i (w t)))%nat ->
    average score (first_own (w t) i (S (M i))) + radius (S (M i)) < qmin) /\
  (forall m, (1 <= m <= length (own_history rival (w t)))%nat ->
    mean_cost (first_own (w t) rival m) <= cost_of rival + cmax * rival_radius N delta m0 m)).
Proof.
  apply off_sharpest_failure. intros w Hw Hgood t. split; [|split].
  - intros i m Hi Hm. exact (in_band N delta cmax theta w t i m (fun HF => Hgood t (or_introl HF)) Hi Hm).
  - intros i Hi Hq Hl. apply Rnot_le_lt. intros Hle. apply (Hgood t). right. left. exists i. split; [exact Hi|]. split; [exact Hq|]. split; assumption.
  - intros m Hm. apply below_rival_radius; assumption.
Qed.
End Event.

(* Whatever the strategies, on the event an unqualified provider i is selected at most M i times after initialization. *)
Theorem lem_unqualified_elimination_chernoff N delta cmax qmin gamma g best p theta first profile m0 M rival :
  market N delta cmax qmin gamma 0 0 (quality theta) (cost_of theta) best -> dynamics N delta cmax qmin gamma g p theta first ->
  event_numbers N delta qmin theta m0 M rival ->
  holds_on_sharpest_event N delta cmax qmin gamma g p theta first profile m0 M rival (fun w => forall t i,
    (i < N)%nat -> quality theta i < qmin -> (times (served (w t)) i <= M i)%nat).
Proof.
  intros Hm Hdyn Hnumbers. pose proof Hm as (HN & Hd & Hc & Hga & _ & Hqm & _). apply off_sharpest_failure; try assumption.
  intros w Hw Hgood t i Hi Hq. set (bid := bids_on N profile w (fun _ _ => 0)).
  assert (Hr : run N delta cmax qmin gamma (scores_along theta w) bid g (served (w t)))
    by exact (play_is_run N delta cmax qmin gamma g theta profile w Hw bid (bids_on_play N delta cmax qmin gamma g profile w Hw _) t).
  assert (Hng : forall t, ~ not_good N delta cmax theta (w t)) by (intros s HF; apply (Hgood s); left; exact HF).
  assert (Hslack : estimates_near N delta cmax gamma (fun _ => mean_cost)).
  { intros j own Hj Hne Ho. destruct (sample_means_are_near N delta cmax j own Hj Hne Ho) as [H1 H2]. split; [|exact H2].
    eapply Rle_trans; [exact H1|]. apply Rmult_le_compat_r; [apply sqrt_pos|]. nra. }
  exact (unqualified_elimination_at_one_count N delta cmax qmin gamma 0 0 (quality theta) (cost_of theta) best _ _ bid g M Hm
    (good_play_is_good N delta cmax qmin gamma gamma g theta profile _ Hga Hc Hslack w Hw Hng)
    (excluded_along_play N delta cmax qmin gamma g theta profile m0 M rival HN Hnumbers w Hw Hgood) (served (w t)) i Hr Hi Hq).
Qed.

(* ---- what a play on the event is for Runs.v: the theorems on runs apply *)
Section OnRuns.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus : R) (g : nat -> R) (best : nat).
Variables (p : platform) (theta : nat -> (observation -> R) -> R) (first : ((nat -> observation) -> R) -> R) (profile : nat -> strategy).
Variables (m0 : nat) (M : nat -> nat) (rival : nat) (estimate : nat -> list observation -> R).
Notation quality := (quality theta).
Notation cost_of := (cost_of theta).
Notation scores w := (scores_along theta w).
Notation estimates w := (along w estimate cost_of).
Notation bids w := (bids_on N profile w (estimates w)).
(* A market, dynamics, estimates within gamma radii of the sample means, bids at most d_- below and d_+ above them, and numbers of the
   event: what each label of the sharpest bounds assumes. *)
Definition sharpest_setting : Prop :=
  market N delta cmax qmin gamma d_minus d_plus quality cost_of best /\ dynamics N delta cmax qmin gamma g p theta first /\
  event_numbers N delta qmin theta m0 M rival /\ estimates_near N delta cmax gamma estimate /\ bids_near N cmax d_minus d_plus estimate profile.
(* what a theorem on runs may assume of a play on the event *)
Record sharpest_play (w : nat -> history) : Prop := {
  is_play : play N delta cmax qmin gamma g profile w;
  play_good : Statements.good_event N delta cmax gamma quality cost_of (scores w) (estimates w);
  play_bids_follow : bids_follow N delta cmax qmin gamma d_minus d_plus (scores w) (estimates w) (bids w) g;
  play_excluded : excluded_at_one_count N delta qmin quality (scores w) M;
  play_below : cost_stays_below N delta cmax gamma cost_of (estimates w) rival (rival_radius N delta m0);
  play_bids : forall t, bids w (served (w t)) = bids_at N profile (w t);
  play_run : forall t, run N delta cmax qmin gamma (scores w) (bids w) g (served (w t)) }.
Theorem on_sharpest_plays (claim : (nat -> history) -> Prop) : sharpest_setting -> (forall w, sharpest_play w -> claim w) ->
  holds_on_sharpest_event N delta cmax qmin gamma g p theta first profile m0 M rival claim.
Proof.
  intros (Hm & Hdyn & Hnumbers & Hest & Hbids) H. pose proof Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & _).
  pose proof Hdyn as (_ & Htheta & _). apply off_sharpest_failure; try assumption. intros w Hw Hgood. apply H.
  assert (Hng : forall t, ~ not_good N delta cmax theta (w t)) by (intros t HF; apply (Hgood t); left; exact HF). split.
  - exact Hw.
  - exact (good_play_is_good N delta cmax qmin gamma gamma g theta profile estimate Hga Hc Hest w Hw Hng).
  - exact (good_play_bids_follow N delta cmax qmin gamma gamma d_minus d_plus g theta profile estimate Hdev Htheta Hest Hbids w Hw).
  - exact (excluded_along_play N delta cmax qmin gamma g theta profile m0 M rival HN Hnumbers w Hw Hgood).
  - exact (rival_below_along_play N delta cmax qmin gamma g theta profile m0 M rival Hc Hnumbers w estimate Hga Hest Hw Hgood).
  - exact (bids_on_play N delta cmax qmin gamma g profile w Hw (estimates w)).
  - exact (play_is_run N delta cmax qmin gamma g theta profile w Hw _ (bids_on_play N delta cmax qmin gamma g profile w Hw (estimates w))).
Qed.
End OnRuns.

(* ---- the labels, all on one event: truthful bids are gamma = d_- = d_+ = 0 *)
Section Labels.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus k alpha : R) (best : nat).
Variables (p : platform) (theta : nat -> (observation -> R) -> R) (first : ((nat -> observation) -> R) -> R) (profile : nat -> strategy).
Variables (m0 : nat) (M : nat -> nat) (rival : nat) (estimate : nat -> list observation -> R).
Notation quality := (quality theta).
Notation cost_of := (cost_of theta).
Notation g := (target N k alpha).
Notation queries H := (N + length (later H))%nat.
Notation on_the_event := (holds_on_sharpest_event N delta cmax qmin gamma g p theta first profile m0 M rival).
Notation unqualified := (unqualified N qmin quality).
Notation competitors := (competitors N qmin quality best).
Notation unqualified_cap := (sharpest_unqualified_cap N delta cmax qmin gamma d_minus d_plus quality cost_of best g M).
Notation competitor_cap := (sharp_competitor_cap N delta cmax gamma d_minus d_plus cost_of best g).
Notation identification := (sharpest_identification N delta cmax qmin gamma d_minus d_plus quality cost_of best g M).
Notation leads_at := (sharpest_leads_at N delta cmax qmin gamma d_minus d_plus quality cost_of best g M).
Hypothesis Hsetting : sharpest_setting N delta cmax qmin gamma d_minus d_plus g best p theta first profile m0 M rival estimate.
Hypothesis Hk : 0 < k.
Hypothesis Ha : 0 < alpha < 1.
Let Hm : market N delta cmax qmin gamma d_minus d_plus quality cost_of best := proj1 Hsetting.
Let Hmono : never_falls g. Proof. destruct Hm as (HN & _). intros s t. apply g_mono; assumption. Qed.
Let Hpos : forall t, 0 < g t. Proof. intros. apply g_pos. assumption. Qed.
Ltac on_event w Hplay := apply (on_sharpest_plays N delta cmax qmin gamma d_minus d_plus g best p theta first profile m0 M rival estimate _ Hsetting);
  intros w [_ Hgood Hbids Hex _ _ Hplay].
Lemma queries_served (w : nat -> history) t : queries (w t) = (N + length (served (w t)))%nat.
Proof. unfold served. rewrite map_length. reflexivity. Qed.

(* On the event an unqualified provider i is selected after initialization at most M i times, and at most as often as its cost allows. *)
Theorem lem_unqualified_elimination_sharpest_game : on_the_event (fun w => forall t i, (i < N)%nat -> quality i < qmin ->
  INR (times (served (w t)) i) <= unqualified_cap (queries (w t)) i).
Proof.
  on_event w Hplay. intros t i Hi Hq. rewrite queries_served.
  exact (lem_unqualified_elimination_sharpest N delta cmax qmin gamma d_minus d_plus quality cost_of best _ _ _ g M Hm Hgood Hex _ i Hbids Hmono (Hplay t) (Hpos _) Hi Hq).
Qed.
Hypothesis Hsep : separated N qmin d_minus d_plus quality cost_of best.
(* On the event at most N - 1 plus the sum of the sharpest caps queries miss i*, initialization included. *)
Theorem thm_sample_complexity_sharpest_game : on_the_event (fun w => forall t,
  nonoptimal_steps N best (served (w t)) <= INR N - 1 + identification (queries (w t))).
Proof.
  on_event w Hplay. intros t. rewrite queries_served.
  exact (thm_sample_complexity_sharpest N delta cmax qmin gamma d_minus d_plus quality cost_of best _ _ _ g M Hm Hgood Hex _ Hbids Hmono Hsep (Hplay t) (Hpos _)).
Qed.
(* On the event i* has more selections than any other provider from T_id on, where T > N + B(T) + cap_i(T) for all T >= T_id and i. *)
Theorem claim_T_id_sharpest_game T_id : (forall T, (T_id <= T)%nat -> leads_at T) -> on_the_event (fun w => forall t i,
  (T_id <= queries (w t))%nat -> (i < N)%nat -> i <> best -> (m (served (w t)) i < m (served (w t)) best)%nat).
Proof.
  intros Hlead. on_event w Hplay. intros t i HT Hi Hne. rewrite queries_served in HT.
  exact (claim_T_id_sharpest N delta cmax qmin gamma d_minus d_plus quality cost_of best _ _ _ g M Hm Hgood Hex T_id _ i Hbids Hmono Hsep (Hplay t) (Hpos _) Hlead HT Hi Hne).
Qed.
(* On the event the quality regret is at most that of the radii of unqualified providers alone, and at most that of the sharpest caps. *)
Theorem thm_quality_guarantee_sharpest_game : on_the_event (fun w => forall t, let h := served (w t) in let T := queries (w t) in
  run_quality_regret N qmin quality h <=
    Rmin (total_over unqualified (fun i => qmin - quality i) + 2 * equal_radii N delta (length unqualified) (length h))
      (total_over unqualified (fun i => (qmin - quality i) * (1 + unqualified_cap T i)))).
Proof.
  on_event w Hplay. intros t h T. unfold T. rewrite queries_served. fold h.
  exact (proj1 (regrets_sharpest N delta cmax qmin gamma d_minus d_plus quality cost_of best _ _ _ g M Hm Hgood Hex h Hbids Hmono Hsep (Hplay t) (Hpos _))).
Qed.
(* On the event the generation regret is at most that of the radii of all but i*, and at most that of the sharpest caps. *)
Theorem thm_generation_regret_sharpest_game : on_the_event (fun w => forall t, let h := served (w t) in let T := queries (w t) in
  run_generation_regret N cost_of best h <=
    Rmin ((INR N - 1) * ceiling (g T) * cmax + 2 * ((1 + gamma) * cmax) * equal_radii N delta (N - 1) (length h) + (d_minus + d_plus) * INR (length h))
      (total_over competitors (fun i => (cost_of i - cost_of best) * (1 + competitor_cap T i))
        + total_over unqualified (fun i => (1 + unqualified_cap T i) * Rmax 0 (cost_of i - cost_of best)))).
Proof.
  on_event w Hplay. intros t h T. unfold T. rewrite queries_served. fold h.
  exact (proj2 (regrets_sharpest N delta cmax qmin gamma d_minus d_plus quality cost_of best _ _ _ g M Hm Hgood Hex h Hbids Hmono Hsep (Hplay t) (Hpos _))).
Qed.
End Labels.
