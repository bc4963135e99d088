(* One probability for endless plays, where draws are countably additive.

   Game.v gives a probability to what is decided after n queries, for each n. Where the draws of scores, costs and providers
   are limits of what grows (`averages`), and scores and costs come from countably many, there is one function of events of
   endless plays that agrees with all of these, and gives the union of events that grow no more than their limit:
   plays_have_a_probability. The probability of an event is the least that Game.v allows of what covers it, where a cover is
   a failure that, once it has happened, remains. *)
Require Import Reals Lra Lia List Arith ConstructiveEpsilon FunctionalExtensionality.
From Coquelicot Require Import Rbar Lub.
From Costproof Require Import Radius Auction Runs Statements Game Hoeffding Dynamics Plays.
Import ListNotations.
Open Scope R_scope.

(* ---- expectations of a countably additive law *)
Section Averages.
Context {X : Type}.
Definition between_0_and_1 (f : X -> R) : Prop := forall x, 0 <= f x <= 1.
(* f n grows with n, and tends to limit *)
Definition grows_to (f : nat -> X -> R) (limit : X -> R) : Prop :=
  (forall n x, f n x <= f (S n) x) /\ (forall n x, f n x <= limit x) /\
  (forall x most, (forall n, f n x <= most) -> limit x <= most).
Record averages (E : (X -> R) -> R) : Prop := {
  av_within : forall f, between_0_and_1 f -> 0 <= E f <= 1;
  av_monotone : forall f f', between_0_and_1 f -> between_0_and_1 f' -> (forall x, f x <= f' x) -> E f <= E f';
  av_limit : forall f limit most, (forall n, between_0_and_1 (f n)) -> between_0_and_1 limit -> grows_to f limit ->
    (forall n, E (f n) <= most) -> E limit <= most }.
Lemma averages_at x : averages (fun f => f x).
Proof. split; [intros f Hf; apply Hf|intros f f' _ _ H; apply H|]. intros f limit most _ _ (_ & _ & H). apply H. Qed.
Lemma grows_later (f : nat -> X -> R) limit n k x : grows_to f limit -> f n x <= f (n + k)%nat x.
Proof.
  intros (H & _). induction k as [|k IH]; [rewrite Nat.add_0_r; lra|]. rewrite Nat.add_succ_r. specialize (H (n + k)%nat x). lra.
Qed.

(* finitely many outcomes *)
Fixpoint weighted (outcomes : list (R * X)) (f : X -> R) : R :=
  match outcomes with [] => 0 | (a, x) :: l => a * f x + weighted l f end.
Lemma weighted_monotone l f f' : (forall a x, In (a, x) l -> 0 <= a) -> (forall x, f x <= f' x) -> weighted l f <= weighted l f'.
Proof.
  induction l as [|[a x] l IH]; intros Ha Hf; simpl; [lra|]. specialize (IH (fun b y Hb => Ha b y (or_intror Hb)) Hf).
  pose proof (Rmult_le_compat_l a _ _ (Ha a x (or_introl eq_refl)) (Hf x)). lra.
Qed.
Lemma weighted_limit l : (forall a x, In (a, x) l -> 0 <= a) -> forall f limit c most, grows_to f limit ->
  (forall n, c + weighted l (f n) <= most) -> c + weighted l limit <= most.
Proof.
  induction l as [|[a x] l IH]; intros Ha f limit c most Hf Hmost; cbn [weighted] in *; [apply (Hmost 0%nat)|].
  assert (Hpos : 0 <= a) by (apply (Ha a x); left; reflexivity).
  assert (Hl : forall b y, In (b, y) l -> 0 <= b) by (intros b y Hb; apply (Ha b y); right; exact Hb).
  assert (Hm : forall n, c + a * f n x + weighted l limit <= most).
  { intros n. apply (IH Hl f); [exact Hf|]. intros k. specialize (Hmost (k + n)%nat).
    pose proof (weighted_monotone l (f k) (f (k + n)%nat) Hl (fun y => grows_later f limit k n y Hf)) as Hk.
    pose proof (grows_later f limit n k x Hf) as Hn. rewrite Nat.add_comm in Hn.
    pose proof (Rmult_le_compat_l a _ _ Hpos Hn). lra. }
  destruct (Req_dec a 0) as [->|Hne]; [specialize (Hm 0%nat); lra|].
  assert (limit x <= (most - c - weighted l limit) / a).
  { apply Hf. intros n. apply Rmult_le_reg_l with a; [lra|]. specialize (Hm n).
    replace (a * ((most - c - weighted l limit) / a)) with (most - c - weighted l limit) by (field; exact Hne). lra. }
  apply (Rmult_le_compat_l a) in H; [|lra].
  replace (a * ((most - c - weighted l limit) / a)) with (most - c - weighted l limit) in H by (field; exact Hne). lra.
Qed.
Lemma weighted_const l c : weighted l (fun _ => c) = c * weighted l (fun _ => 1).
Proof. induction l as [|[a x] l IH]; simpl; [ring|rewrite IH; ring]. Qed.
Theorem weighted_averages l : (forall a x, In (a, x) l -> 0 <= a) -> weighted l (fun _ => 1) = 1 -> averages (weighted l).
Proof.
  intros Ha H1. split.
  - intros f Hf. pose proof (weighted_monotone l (fun _ => 0) f Ha (fun x => proj1 (Hf x))) as H0.
    pose proof (weighted_monotone l f (fun _ => 1) Ha (fun x => proj2 (Hf x))). rewrite weighted_const in H0. lra.
  - intros f f' _ _ H. apply weighted_monotone; assumption.
  - intros f limit most _ _ Hf Hmost. pose proof (weighted_limit l Ha f limit 0 most Hf) as H. rewrite Rplus_0_l in H. apply H.
    intros n. rewrite Rplus_0_l. apply Hmost.
Qed.
Lemma averages_agree E E' : averages E -> (forall f, E' f = E f) -> averages E'.
Proof.
  intros [H1 H2 H3] H. split; intros; rewrite ?H in *; auto. apply (H3 f limit); auto. intros n. rewrite <- H. auto.
Qed.
End Averages.
(* one draw after another *)
Lemma averages_then {X Y : Type} (E : (X -> R) -> R) (G : X -> (Y -> R) -> R) :
  averages E -> (forall x, averages (G x)) -> averages (fun f => E (fun x => G x f)).
Proof.
  intros HE HG. split.
  - intros f Hf. apply (av_within E HE). intros x. apply (av_within _ (HG x)). exact Hf.
  - intros f f' Hf Hf' H. apply (av_monotone E HE); [intros x; apply (av_within _ (HG x)); assumption..|].
    intros x. apply (av_monotone _ (HG x)); assumption.
  - intros f limit most Hf Hlimit Hgrow Hmost. pose proof Hgrow as (Hup & Hbelow & Hleast).
    apply (av_limit E HE (fun n x => G x (f n)) (fun x => G x limit) most).
    + intros n x. apply (av_within _ (HG x)), Hf.
    + intros x. apply (av_within _ (HG x)), Hlimit.
    + split; [|split].
      * intros n x. apply (av_monotone _ (HG x)); auto.
      * intros n x. apply (av_monotone _ (HG x)); auto.
      * intros x least. apply (av_limit _ (HG x)); assumption.
    + exact Hmost.
Qed.

Section Additive.
Variables (N : nat) (delta cmax qmin gamma : R) (g : nat -> R).
Variables (p : platform) (theta : nat -> (observation -> R) -> R) (first : ((nat -> observation) -> R) -> R) (profile : nat -> strategy).
Notation expected := (expected N delta qmin g p theta profile).
Notation may_serve := (may_serve N delta cmax qmin gamma g).
Notation bids_now H := (bids_at N profile H).
Notation reaches := (reaches N delta cmax qmin gamma g profile).
Notation reached := (reached N delta cmax qmin gamma g profile).
Notation probability := (Dynamics.probability N delta qmin g p theta first profile).
Notation whole := (Dynamics.whole N delta qmin g p theta first profile).
Notation dynamics := (dynamics N delta cmax qmin gamma g p theta first).
Notation endless := (endless N delta cmax qmin gamma g profile).
Notation indicator event := (fun H => ind _ (excluded_middle (event H))).

(* What is drawn is countably additive, and each provider's observations are among countably many. *)
Definition countably_additive : Prop :=
  (forall H bids, averages (allocate N delta qmin g p H bids)) /\ (forall j, averages (theta j)) /\ averages first /\
  exists atoms : nat -> nat -> observation, forall j, (forall k, possible cmax (atoms j k)) /\
    forall f f', between_0_and_1 f -> between_0_and_1 f' -> (forall k, f (atoms j k) <= f' (atoms j k)) -> theta j f <= theta j f'.
(* what, once it has happened, remains; and what covers an event of endless plays *)
Definition remains (failure : history -> Prop) : Prop := forall H j o, failure H -> failure (after H j o).
Definition covers (failure : history -> Prop) (event : (nat -> history) -> Prop) : Prop :=
  remains failure /\ forall w, endless w -> event w -> exists t, failure (w t).
(* the least upper bound, by Game.v, of what covers an event *)
Definition measure (event : (nat -> history) -> Prop) : R := real (Glb_Rbar (fun x => 0 <= x /\ exists failure,
  covers failure event /\ forall n, probability n failure <= x)).

Hypothesis Hdyn : dynamics.
Hypothesis Hadd : countably_additive.
Let Hp := proj1 Hdyn.
Let Htheta := proj1 (proj2 Hdyn).

Lemma ind_between event : @between_0_and_1 history (indicator event).
Proof. intros H. apply ind_nonneg. Qed.
Lemma expected_averages n : forall H, averages (fun v => expected n v H).
Proof.
  destruct Hadd as (Ha & Ht & _). induction n as [|n IH]; intros H; cbn [Game.expected]; [apply averages_at|].
  apply (averages_then (allocate N delta qmin g p H (bids_now H)) (fun i v => theta i (fun o => expected n v (after H i o)))); [apply Ha|].
  intros i. apply (averages_then (theta i) (fun o v => expected n v (after H i o))); [apply Ht|]. intros o. apply IH.
Qed.
Lemma whole_averages n : averages (whole n).
Proof.
  destruct Hadd as (_ & _ & Hf & _). apply (averages_then first (fun o v => expected n v (start o))); [exact Hf|].
  intros o. apply expected_averages.
Qed.
Lemma expected_split n k v : forall H, expected (n + k) v H = expected n (fun H' => expected k v H') H.
Proof.
  induction n as [|n IH]; intros H; [reflexivity|]. cbn [Nat.add Game.expected]. f_equal. apply functional_extensionality. intros i.
  f_equal. apply functional_extensionality. intros o. apply IH.
Qed.
Lemma expected_is n c v H : (forall H', reaches n H H' -> v H' = c) -> expected n v H = c.
Proof.
  intros Hv. pose proof (expected_between N delta cmax qmin gamma g p theta Hp Htheta profile n v H c c) as Hc.
  destruct Hc; [intros H' Hr; rewrite (Hv H' Hr); lra|lra].
Qed.

(* ---- the chance that a failure that remains ever happens *)
Section Failure.
Variable failure : history -> Prop.
Hypothesis Hremains : remains failure.
Notation by_then n H := (expected n (indicator failure) H).
Definition ever (H : history) : R := real (Lub_Rbar (fun x => exists n, x = by_then n H)).
Lemma by_then_between n H : 0 <= by_then n H <= 1.
Proof. apply (av_within _ (expected_averages n H)), ind_between. Qed.
Lemma ever_is_least H : (forall n, by_then n H <= ever H) /\ (forall most, (forall n, by_then n H <= most) -> ever H <= most).
Proof.
  unfold ever. destruct (Lub_Rbar_correct (fun x => exists n, x = by_then n H)) as [Hub Hleast].
  set (l := Lub_Rbar _) in *.
  assert (H0 : Rbar_le (by_then 0 H) l) by (apply Hub; exists 0%nat; reflexivity).
  assert (H1 : Rbar_le l 1) by (apply Hleast; intros x (n & ->); apply (by_then_between n H)).
  destruct l as [l| |]; simpl in *; try contradiction. split.
  - intros n. apply (Hub (by_then n H)). exists n. reflexivity.
  - intros most Hm. apply (Hleast most). intros x (n & ->). apply (Hm n).
Qed.
Lemma ever_between : between_0_and_1 ever.
Proof.
  intros H. destruct (ever_is_least H) as [Hub Hleast]. split.
  - eapply Rle_trans; [|apply (Hub 0%nat)]. apply by_then_between.
  - apply Hleast. intros n. apply by_then_between.
Qed.
Lemma by_then_grows n H : by_then n H <= by_then (S n) H.
Proof.
  rewrite <- Nat.add_1_r, expected_split. apply (av_monotone _ (expected_averages n H)).
  - apply ind_between.
  - intros H'. apply by_then_between.
  - intros H'. unfold ind. destruct (excluded_middle (failure H')) as [HF|]; [|apply (by_then_between 1 H')].
    right. symmetry. apply expected_is. intros H2 Hr. inversion Hr as [|n0 H0 j o H1 Hs Ho Hr1]; subst. inversion Hr1; subst.
    destruct (excluded_middle (failure (after H' j o))) as [|Hn]; [reflexivity|]. exfalso. apply Hn, Hremains. exact HF.
Qed.
Lemma by_then_to_ever : grows_to (fun n H => by_then n H) ever.
Proof. split; [exact by_then_grows|]. split; [intros n H; apply ever_is_least|intros H most; apply ever_is_least]. Qed.
Lemma ever_now H : ever H < 1 -> ~ failure H.
Proof.
  intros Hlt HF. destruct (ever_is_least H) as [Hub _]. specialize (Hub 0%nat). cbn [Game.expected] in Hub. unfold ind in Hub.
  destruct (excluded_middle (failure H)); [lra|contradiction].
Qed.
Lemma ever_is_expected H : expected 1 ever H <= ever H.
Proof.
  apply (av_limit _ (expected_averages 1 H) (fun n H => by_then n H)).
  - intros n H'. apply by_then_between.
  - exact ever_between.
  - exact by_then_to_ever.
  - intros n. rewrite <- expected_split. apply (proj1 (ever_is_least H) (1 + n)%nat).
Qed.
End Failure.

(* ---- plays that never stop, one query after another *)
Definition next (H H' : history) : Prop := exists j o, may_serve H (bids_now H) j /\ possible cmax o /\ H' = after H j o.
Lemma joined n H H' (rest : nat -> history) : reaches n H H' -> rest 0%nat = H' -> (forall t, next (rest t) (rest (S t))) ->
  exists w, w 0%nat = H /\ (forall t, next (w t) (w (S t))) /\ forall t, w (n + t)%nat = rest t.
Proof.
  intros Hr H0 Hrest. induction Hr as [H|n H j o H' Hs Ho Hr IH]; [exists rest; auto|]. destruct (IH H0) as (w & Hw & Hstep & Hlater).
  exists (fun t => match t with O => H | S t => w t end). split; [reflexivity|]. split; [|intros t; apply Hlater].
  intros [|t]; [|apply Hstep]. rewrite Hw. exists j, o. auto.
Qed.
Lemma joined_is_endless w o : possible_start N cmax o -> w 0%nat = start o -> (forall t, next (w t) (w (S t))) -> endless w.
Proof.
  intros Ho H0 Hstep. split; [split; [exists o; auto|]|].
  - intros t. right. destruct (Hstep t) as (j & x & H). exists j, x. exact H.
  - induction t as [|t IH]; [rewrite H0; reflexivity|]. destruct (Hstep t) as (j & x & _ & _ & ->). simpl. rewrite IH. reflexivity.
Qed.
(* Where a failure is not certain, some play avoids it for ever. *)
Lemma a_play_avoids failure H : remains failure -> ever failure H < 1 -> exists rest : nat -> history,
  rest 0%nat = H /\ (forall t, next (rest t) (rest (S t))) /\ forall t, ~ failure (rest t).
Proof.
  intros Hremains Hlt. destruct Hadd as (_ & _ & _ & atoms & Hatoms).
  assert (Hone : forall H, ever failure H < 1 -> exists j k, may_serve H (bids_now H) j /\ ever failure (after H j (atoms j k)) < 1).
  { clear H Hlt. intros H Hlt. destruct (excluded_middle (exists j k, may_serve H (bids_now H) j /\ ever failure (after H j (atoms j k)) < 1))
      as [|Hno]; [assumption|]. exfalso. pose proof (ever_is_expected failure Hremains H) as Hle. cbn [Game.expected] in Hle.
    pose proof (ever_between failure) as Hever. assert (H1 : 1 <= ever failure H); [|lra]. eapply Rle_trans; [|exact Hle].
    apply (over_between _ _ _ 1 1 (Hp H (bids_now H))). intros j Hj.
    assert (Hb : 0 <= theta j (fun o => ever failure (after H j o)) <= 1)
      by (apply (av_within _ (proj1 (proj2 Hadd) j)); intros o; apply Hever).
    split; [|apply Hb]. rewrite <- (law_one _ _ (Htheta j)) at 1. apply (proj2 (Hatoms j)).
    - intros o. lra.
    - intros o. apply Hever.
    - intros k. apply Rnot_lt_le. intros Hk. apply Hno. exists j, k. auto. }
  assert (Hnext : forall here : {H | ever failure H < 1}, {there : {H | ever failure H < 1} | next (proj1_sig here) (proj1_sig there)}).
  { intros [here Hhere]. destruct (constructive_indefinite_ground_description_nat (fun j => exists k, may_serve here (bids_now here) j /\
      ever failure (after here j (atoms j k)) < 1) (fun j => excluded_middle _) (Hone here Hhere)) as (j & Hj).
    destruct (constructive_indefinite_ground_description_nat _ (fun k => excluded_middle _) Hj) as (k & Hs & Hk).
    exists (exist _ (after here j (atoms j k)) Hk). exists j, (atoms j k). split; [exact Hs|]. split; [apply Hatoms|reflexivity]. }
  pose (rest := fix rest t := match t with O => exist _ H Hlt | S t => proj1_sig (Hnext (rest t)) end).
  exists (fun t => proj1_sig (rest t)). split; [reflexivity|]. split.
  - intros t. exact (proj2_sig (Hnext (rest t))).
  - intros t. apply ever_now. exact (proj2_sig (rest t)).
Qed.
Lemma remains_along failure w s t : remains failure -> (forall t, next (w t) (w (S t))) -> (s <= t)%nat -> failure (w s) -> failure (w t).
Proof.
  intros Hremains Hstep Hst HF. induction Hst as [|t Hst IH]; [exact HF|]. destruct (Hstep t) as (j & o & _ & _ & ->). apply Hremains, IH.
Qed.

(* ---- what is decided after n queries *)
Definition first_queries (n : nat) (H : history) : history :=
  {| initial := initial H; later := skipn (length (later H) - n) (later H) |}.
Lemma first_queries_all H n : length (later H) = n -> first_queries n H = H.
Proof. intros Hn. unfold first_queries. rewrite Hn, Nat.sub_diag. destruct H. reflexivity. Qed.
Lemma first_queries_after H n j o : (n <= length (later H))%nat -> first_queries n (after H j o) = first_queries n H.
Proof.
  intros Hn. unfold first_queries, after. cbn [later initial length]. rewrite Nat.sub_succ_l by exact Hn. reflexivity.
Qed.
Lemma reaches_length n H H' : reaches n H H' -> length (later H') = (length (later H) + n)%nat.
Proof. intros Hr. destruct (reaches_split _ _ _ _ _ _ _ _ _ _ Hr) as (_ & queries & Hl & ->). rewrite app_length. lia. Qed.
Lemma reaches_first_queries n k H H' : reaches k H H' -> (n <= length (later H))%nat -> first_queries n H' = first_queries n H.
Proof.
  induction 1 as [H|k H j o H' Hs Ho Hr IH]; intros Hn; [reflexivity|].
  rewrite IH, first_queries_after by (simpl; lia). reflexivity.
Qed.
Definition decided (n : nat) (event : history -> Prop) (H : history) : Prop := (n <= length (later H))%nat /\ event (first_queries n H).
Lemma decided_remains n event : remains (decided n event).
Proof.
  intros H j o [Hn He]. split; [simpl; lia|]. rewrite first_queries_after by exact Hn. exact He.
Qed.
Lemma probability_nonneg n event : 0 <= probability n event.
Proof. apply (av_within _ (whole_averages n)), ind_between. Qed.
Lemma reached_length n H : reached n H -> length (later H) = n.
Proof. intros (o & _ & Hr). rewrite (reaches_length _ _ _ Hr). reflexivity. Qed.
Lemma probability_decided n event k : probability k (decided n event) <= probability n event.
Proof.
  assert (Hb : forall m A, Hoeffding.bounded (fun H => expected m (indicator A) H)).
  { intros m A. apply (bounded_between _ 0 1). intros H. apply (av_within _ (expected_averages m H)), ind_between. }
  destruct (le_lt_dec n k) as [Hle|Hlt].
  - replace k with (n + (k - n))%nat by lia. unfold Dynamics.probability.
    replace (whole (n + (k - n)) (indicator (decided n event))) with (whole n (fun H => expected (k - n) (indicator (decided n event)) H))
      by (unfold Dynamics.whole; f_equal; apply functional_extensionality; intros o; symmetry; apply expected_split).
    apply (whole_monotone N delta cmax qmin gamma g p theta first profile Hdyn); [apply Hb|apply bounded_ind|].
    intros H Hr. right. apply expected_is. intros H' Hr'. pose proof (reached_length n H Hr) as Hl.
    pose proof (reaches_length _ _ _ Hr') as Hl'. pose proof (reaches_first_queries n _ _ _ Hr' ltac:(lia)) as E.
    rewrite (first_queries_all H n Hl) in E. unfold ind, decided. rewrite E.
    destruct (excluded_middle (_ /\ _)) as [[_ He]|Hno]; destruct (excluded_middle (event H)) as [|Hn]; try reflexivity; exfalso; auto.
    apply Hno. split; [lia|assumption].
  - apply Rle_trans with 0; [|apply probability_nonneg]. unfold Dynamics.probability.
    rewrite <- (E_const (whole k) (whole_isE N delta cmax qmin gamma g p theta first profile Hdyn k) 0).
    apply (whole_monotone N delta cmax qmin gamma g p theta first profile Hdyn); [apply bounded_ind|apply bounded_constant|].
    intros H Hr. pose proof (reached_length k H Hr). unfold ind. destruct (excluded_middle _) as [[Hn _]|_]; [lia|lra].
Qed.
(* What covers an event that is decided after n queries has no smaller a limit than the probability of the event. *)
Lemma covered_at_least failure n event most : covers failure (fun w => event (w n)) -> (forall k, probability k failure <= most) ->
  probability n event <= most.
Proof.
  intros [Hremains Hcovers] Hmost. apply Rle_trans with (whole n (ever failure)).
  - apply (whole_monotone N delta cmax qmin gamma g p theta first profile Hdyn).
    + apply bounded_ind.
    + apply (bounded_between _ 0 1), ever_between.
    + intros H (o & Ho & Hr). pose proof (ever_between failure H) as Hever. unfold ind. destruct (excluded_middle (event H)) as [He|]; [|lra].
      apply Rnot_lt_le. intros Hlt. destruct (a_play_avoids failure H Hremains Hlt) as (rest & H0 & Hstep & Hno).
      destruct (joined n (start o) H rest Hr H0 Hstep) as (w & Hw & Hsteps & Hlater).
      destruct (Hcovers w (joined_is_endless w o Ho Hw Hsteps)) as (t & HF).
      * specialize (Hlater 0%nat). rewrite Nat.add_0_r in Hlater. rewrite Hlater, H0. exact He.
      * apply (Hno t). rewrite <- Hlater. apply (remains_along failure w t (n + t) Hremains Hsteps ltac:(lia) HF).
  - apply (av_limit _ (whole_averages n) (fun k H => expected k (indicator failure) H)).
    + intros k H. apply by_then_between.
    + apply ever_between.
    + apply by_then_to_ever. exact Hremains.
    + intros k. specialize (Hmost (n + k)%nat). unfold Dynamics.probability, Dynamics.whole in Hmost.
      replace (fun o => expected (n + k) (indicator failure) (start o)) with
        (fun o => expected n (fun H => expected k (indicator failure) H) (start o)) in Hmost
        by (apply functional_extensionality; intros o; symmetry; apply expected_split). exact Hmost.
Qed.

Lemma measure_at_most failure event most : 0 <= most -> covers failure event -> (forall n, probability n failure <= most) ->
  measure event <= most.
Proof.
  intros H0 Hc Hmost. unfold measure. set (bounds := fun x => _). destruct (Glb_Rbar_correct bounds) as [Hlow Hgreatest].
  assert (Hl : Rbar_le (Glb_Rbar bounds) most) by (apply Hlow; split; [exact H0|exists failure; auto]).
  assert (Hz : Rbar_le 0 (Glb_Rbar bounds)) by (apply Hgreatest; intros x [Hx _]; exact Hx).
  destruct (Glb_Rbar bounds); simpl in *; [exact Hl|contradiction|contradiction].
Qed.
Lemma everything_covers event : covers (fun _ => True) event.
Proof. split; [intros H j o _; exact I|]. intros w _ _. exists 0%nat. exact I. Qed.
Lemma measure_at_least least event : 0 <= least ->
  (forall failure most, covers failure event -> (forall n, probability n failure <= most) -> least <= most) -> least <= measure event.
Proof.
  intros H0 Hleast. unfold measure. set (bounds := fun x => _). destruct (Glb_Rbar_correct bounds) as [Hlow Hgreatest].
  assert (Hl : Rbar_le least (Glb_Rbar bounds)).
  { apply Hgreatest. intros x (_ & failure & Hc & Hmost). apply (Hleast failure); assumption. }
  assert (H1 : Rbar_le (Glb_Rbar bounds) 1).
  { apply Hlow. split; [lra|]. exists (fun _ => True). split; [apply everything_covers|].
    intros n. apply (av_within _ (whole_averages n)), ind_between. }
  destruct (Glb_Rbar bounds); simpl in *; [exact Hl|contradiction|contradiction].
Qed.
(* Where draws are countably additive, one probability of events of endless plays agrees with Game.v on what is decided
   after n queries, for every n, and gives what remains once it has happened no more than it gives it at all n. *)
Theorem plays_have_a_probability : exists P : ((nat -> history) -> Prop) -> R,
  (forall A B : (nat -> history) -> Prop, (forall w, endless w -> A w -> B w) -> P A <= P B) /\
  (forall n event, P (fun w => event (w n)) = probability n event) /\
  (forall failure most, remains failure -> (forall n, P (fun w => failure (w n)) <= most) -> P (fun w => exists n, failure (w n)) <= most).
Proof.
  exists measure. assert (Hagree : forall n event, measure (fun w => event (w n)) = probability n event).
  { intros n event. apply Rle_antisym.
    - apply (measure_at_most (decided n event)); [apply probability_nonneg| |apply probability_decided].
      split; [apply decided_remains|]. intros w [_ Hl] He. exists n. split; [rewrite Hl; lia|].
      rewrite first_queries_all by apply Hl. exact He.
    - apply measure_at_least; [apply probability_nonneg|]. intros failure most. apply covered_at_least. }
  split; [|split; [exact Hagree|]].
  - intros A B HAB. apply measure_at_least.
    + unfold measure. set (bounds := fun x => _). destruct (Glb_Rbar_correct bounds) as [_ Hgreatest].
      assert (Hz : Rbar_le 0 (Glb_Rbar bounds)) by (apply Hgreatest; intros x [Hx _]; exact Hx).
      destruct (Glb_Rbar bounds); simpl in *; [exact Hz|lra|lra].
    + intros failure most [Hremains Hc] Hmost. apply (measure_at_most failure).
      * eapply Rle_trans; [apply (probability_nonneg 0)|apply Hmost].
      * split; [exact Hremains|]. intros w Hw HA. apply (Hc w Hw), HAB; assumption.
      * exact Hmost.
  - intros failure most Hremains Hmost. apply (measure_at_most failure).
    + eapply Rle_trans; [apply (probability_nonneg 0 failure)|]. rewrite <- Hagree. apply Hmost.
    + split; [exact Hremains|]. intros w _ H. exact H.
    + intros n. rewrite <- Hagree. apply Hmost.
Qed.
(* So E, over endless plays, has one probability, and what holds on E fails with probability at most delta. *)
Theorem E_for_plays_without_end : exists P, probability_of_plays N delta cmax qmin gamma g p theta first profile P /\
  forall claim, holds_on_E N delta cmax qmin gamma g p theta first profile claim -> P (fun w => ~ claim w) <= delta.
Proof.
  destruct plays_have_a_probability as (P & H1 & H2 & H3). exists P.
  assert (HP : probability_of_plays N delta cmax qmin gamma g p theta first profile P).
  { split; [exact H1|intros n; apply H2|]. intros most. apply H3. intros H j o. apply not_good_remains. }
  split; [exact HP|]. intros claim. apply E_for_endless_plays. exact HP.
Qed.
End Additive.
