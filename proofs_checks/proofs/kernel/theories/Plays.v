(* With probability at least 1 - delta, for the plays of Game.v: what is likely under the sequential dynamics.

   A play lists the histories of a game, one after another, from initialization on; it may stop. A claim about plays has
   probability at least 1 - delta where it holds of every play that avoids an event which, once it has happened, remains, and
   whose probability after n queries is at most delta for every n. No expectation of what depends on infinitely many queries is
   needed; for a claim about the first n queries this is its probability in Game.v (at_every_horizon).
   What a play is, and what i observes along it, is said for any rule by which a platform serves: AnyRadiusEvent.v has that of
   another radius. Under the rules of Runs.v a play outside the failure of lem:good-event is a run on the good event, so that
   the theorems there apply. *)
Require Import Reals Lra Lia List Arith ConstructiveEpsilon.
From Costproof Require Import Radius Auction Formulas Runs Payments Statements Limits Game Hoeffding Dynamics.
Import ListNotations.
Open Scope R_scope.

(* ---- plays, by any rule: rule H j says that j may be served after H *)
Section AnyRule.
Variables (N : nat) (cmax : R) (rule : history -> nat -> Prop) (profile : nat -> strategy).
Notation possible := (possible cmax).
Notation bids_now H := (bids_at N profile H).
(* one query later, or the same where the play has stopped *)
Definition follows_by (H H' : history) : Prop := H' = H \/ exists j o, rule H j /\ possible o /\ H' = after H j o.
Definition play_by (w : nat -> history) : Prop :=
  (exists o, possible_start N cmax o /\ w 0%nat = start o) /\ forall t, follows_by (w t) (w (S t)).

Section Observed.
Variable w : nat -> history.
(* What i makes of its first n observations; where there are never as many, what the law says, so that nothing is off there. *)
Definition observed (i n : nat) : {t | (n <= length (own_history i (w t)))%nat} + {~ exists t, (n <= length (own_history i (w t)))%nat}.
Proof.
  destruct (excluded_middle (exists t, (n <= length (own_history i (w t)))%nat)) as [H|H]; [left|right; exact H].
  apply constructive_indefinite_ground_description_nat; [intros t; apply le_dec|exact H].
Defined.
Definition along (value : nat -> list observation -> R) (otherwise : nat -> R) (i n : nat) : R :=
  match observed i n with inleft t => value i (first_own (w (proj1_sig t)) i n) | inright _ => otherwise i end.
Lemma along_case (P : R -> Prop) value otherwise i n :
  (forall t, (n <= length (own_history i (w t)))%nat -> P (value i (first_own (w t) i n))) -> P (otherwise i) ->
  P (along value otherwise i n).
Proof. intros H1 H2. unfold along. destruct (observed i n) as [[t Ht]|_]; auto. Qed.
Lemma first_own_length i n t : (n <= length (own_history i (w t)))%nat -> length (first_own (w t) i n) = n.
Proof. intros H. unfold first_own. rewrite skipn_length. lia. Qed.
(* bids that are those of the play along it, whatever is bid off the play *)
Variable estimates : nat -> nat -> R.
Definition visited (h : list nat) : {t | served (w t) = h} + {~ exists t, served (w t) = h}.
Proof.
  destruct (excluded_middle (exists t, served (w t) = h)) as [H|H]; [left|right; exact H].
  apply constructive_indefinite_ground_description_nat; [intros t; apply (list_eq_dec Nat.eq_dec)|exact H].
Defined.
Definition bids_on (h : list nat) (i : nat) : R :=
  match visited h with inleft t => bids_now (w (proj1_sig t)) i | inright _ => estimates i (m h i) end.
End Observed.
(* what the platform estimates of scores, as Runs.v has it *)
Definition scores_along (theta : nat -> (observation -> R) -> R) (w : nat -> history) : nat -> nat -> R :=
  along w (fun _ => average score) (quality theta).

Section Along.
Variable w : nat -> history.
Variable estimates : nat -> nat -> R.
Hypothesis Hrule : forall H j, rule H j -> (j < N)%nat.
Hypothesis Hw : play_by w.
Lemma grows_by s t : (s <= t)%nat -> initial (w t) = initial (w s) /\ exists queries, later (w t) = queries ++ later (w s).
Proof.
  induction 1 as [|t Hst [E (queries & Eq)]]; [split; [reflexivity|exists []; reflexivity]|].
  destruct (proj2 Hw t) as [->|(j & o & _ & _ & ->)]; [split; [exact E|exists queries; exact Eq]|].
  split; [exact E|]. exists ((j, o) :: queries). simpl. rewrite Eq. reflexivity.
Qed.
Lemma starts_by : later (w 0%nat) = [] /\ possible_history N cmax (w 0%nat).
Proof. destruct Hw as [(o & Ho & ->) _]. split; [reflexivity|]. split; [exact Ho|intros query []]. Qed.
Lemma possible_by t : possible_history N cmax (w t).
Proof.
  induction t as [|t IH]; [apply starts_by|]. destruct (proj2 Hw t) as [->|(j & o & Hs & Ho & ->)]; [exact IH|].
  apply possible_after; auto. apply (Hrule _ _ Hs).
Qed.
Lemma own_grows i s t : (s <= t)%nat -> exists more, own_history i (w t) = more ++ own_history i (w s).
Proof.
  intros Hst. destruct (grows_by s t Hst) as (E & queries & Eq). unfold own_history. rewrite E, Eq, filter_app, map_app, <- app_assoc.
  eexists. reflexivity.
Qed.
Lemma first_of_more {A} (more l : list A) n : (n <= length l)%nat -> skipn (length (more ++ l) - n) (more ++ l) = skipn (length l - n) l.
Proof.
  intros H. rewrite skipn_app, app_length, skipn_all2 by lia. simpl. f_equal. lia.
Qed.
Lemma first_own_same i n s t : (n <= length (own_history i (w s)))%nat -> (n <= length (own_history i (w t)))%nat ->
  first_own (w t) i n = first_own (w s) i n.
Proof.
  intros Hs Ht. unfold first_own. destruct (le_ge_dec s t) as [Hst|Hst].
  - destruct (own_grows i s t Hst) as (more & ->). apply first_of_more. exact Hs.
  - destruct (own_grows i t s Hst) as (more & ->). symmetry. apply first_of_more. exact Ht.
Qed.
Lemma same_history s t : served (w s) = served (w t) -> w s = w t.
Proof.
  assert (Hle : forall s t, (s <= t)%nat -> served (w s) = served (w t) -> w s = w t).
  { clear s t. intros s t Hst E. destruct (grows_by s t Hst) as (Ei & queries & Eq). apply (f_equal (@length nat)) in E.
    unfold served in E. rewrite !map_length, Eq, app_length in E. destruct queries; [|simpl in E; lia]. destruct (w s), (w t). simpl in *.
    subst. reflexivity. }
  intros E. destruct (le_ge_dec s t); [apply Hle; assumption|symmetry; apply Hle; [assumption|symmetry; assumption]].
Qed.
Lemma own_history_at t i : length (own_history i (w t)) = m (served (w t)) i.
Proof. apply own_history_length. Qed.

Lemma along_at_by value otherwise i n t : (n <= length (own_history i (w t)))%nat ->
  along w value otherwise i n = value i (first_own (w t) i n).
Proof.
  intros Ht. unfold along. destruct (observed w i n) as [[s Hs]|Hno]; [f_equal; apply first_own_same; assumption|].
  exfalso. apply Hno. exists t. exact Ht.
Qed.
Lemma along_now_by value otherwise i t : along w value otherwise i (m (served (w t)) i) = value i (own_history i (w t)).
Proof.
  rewrite (along_at_by _ _ _ _ t) by (rewrite own_history_at; lia). unfold first_own. rewrite own_history_at, Nat.sub_diag. reflexivity.
Qed.
Lemma first_own_possible_by i n t : (i < N)%nat -> forall o, In o (first_own (w t) i n) -> possible o.
Proof. intros Hi o Ho. apply (own_history_possible N cmax i (w t) Hi (possible_by t)). exact (in_skipn _ _ _ Ho). Qed.

Lemma scores_now theta t i : quality_estimate (w t) i (m (served (w t)) i) = scores_along theta w i (m (served (w t)) i).
Proof. symmetry. exact (along_now_by (fun _ => average score) (quality theta) i t). Qed.
Lemma bids_on_play_by t : bids_on w estimates (served (w t)) = bids_now (w t).
Proof.
  unfold bids_on. destruct (visited w (served (w t))) as [[s Hs]|Hno]; [cbn [proj1_sig]; rewrite (same_history s t Hs); reflexivity|].
  exfalso. apply Hno. exists t. reflexivity.
Qed.
End Along.
End AnyRule.

Section Plays.
Variables (N : nat) (delta cmax qmin gamma : R) (g : nat -> R).
Variables (p : platform) (theta : nat -> (observation -> R) -> R) (first : ((nat -> observation) -> R) -> R) (profile : nat -> strategy).
Notation possible := (possible cmax).
Notation bids_now H := (bids_at N profile H).
Notation may_serve := (may_serve N delta cmax qmin gamma g).
Notation reaches := (reaches N delta cmax qmin gamma g profile).
Notation reached := (reached N delta cmax qmin gamma g profile).
Notation probability := (Dynamics.probability N delta qmin g p theta first profile).
Notation dynamics := (dynamics N delta cmax qmin gamma g p theta first).
Notation not_good := (not_good N delta cmax theta).
Notation quality := (quality theta).
Notation cost_of := (cost_of theta).
Notation radius m := (beta (INR N) delta (INR m)).

Notation rule := (fun H j => may_serve H (bids_now H) j).
Definition follows : history -> history -> Prop := follows_by cmax rule.
Definition play : (nat -> history) -> Prop := play_by N cmax rule.
Definition with_probability_at_least (least : R) (claim : (nat -> history) -> Prop) : Prop := exists failure : history -> Prop,
  (forall H j o, failure H -> failure (after H j o)) /\ (forall n, probability n failure <= 1 - least) /\
  (forall w, play w -> (forall t, ~ failure (w t)) -> claim w).

(* ---- along a play *)
Section Along.
Variable w : nat -> history.
Hypothesis Hw : play w.
Lemma rule_lt : forall H j, may_serve H (bids_now H) j -> (j < N)%nat.
Proof. intros H j. apply served_lt. Qed.
Lemma play_possible t : possible_history N cmax (w t).
Proof. exact (possible_by N cmax rule w rule_lt Hw t). Qed.
Lemma first_own_possible i n t : (i < N)%nat -> forall o, In o (first_own (w t) i n) -> possible o.
Proof. exact (first_own_possible_by N cmax rule w rule_lt Hw i n t). Qed.
Lemma along_at value otherwise i n t : (n <= length (own_history i (w t)))%nat ->
  along w value otherwise i n = value i (first_own (w t) i n).
Proof. exact (along_at_by N cmax rule w Hw value otherwise i n t). Qed.
Lemma along_now value otherwise i t : along w value otherwise i (m (served (w t)) i) = value i (own_history i (w t)).
Proof. exact (along_now_by N cmax rule w Hw value otherwise i t). Qed.
Lemma bids_on_play estimates t : bids_on N profile w estimates (served (w t)) = bids_now (w t).
Proof. exact (bids_on_play_by N cmax rule profile w estimates Hw t). Qed.
Notation scores_along := (scores_along theta w).
Lemma scores_here t i : quality_estimate (w t) i (m (served (w t)) i) = scores_along i (m (served (w t)) i).
Proof. exact (scores_now N cmax rule w Hw theta t i). Qed.
(* bids of Runs.v that are those of the play along it *)
Section Bids.
Variable bid : list nat -> nat -> R.
Hypothesis Hbid : forall t, bid (served (w t)) = bids_now (w t).
Theorem play_is_run t : run N delta cmax qmin gamma scores_along bid g (served (w t)).
Proof.
  induction t as [|t IH]; [unfold served; rewrite (proj1 (starts_by N cmax rule w Hw)); constructor|].
  destruct (proj2 Hw t) as [->|(j & o & Hs & _ & ->)]; [exact IH|]. unfold served, after. simpl. constructor; [exact IH|].
  apply (step_agrees N delta cmax qmin gamma g (quality_estimate (w t)) scores_along (fun _ => bids_now (w t)) bid);
    [apply scores_here|symmetry; apply Hbid|exact Hs].
Qed.
Lemma eligible_now t : Qh N delta qmin scores_along (served (w t)) = eligible_set N delta qmin (w t).
Proof. unfold eligible_set, Qh. apply filter_ext. intros i. unfold inQh. rewrite scores_here. reflexivity. Qed.
Lemma explores_now t : explores N delta qmin scores_along g (served (w t)) <-> explores_at N delta qmin g (w t).
Proof. unfold explores_at, explores. rewrite eligible_now. reflexivity. Qed.
Lemma step_now t j : may_serve (w t) (bids_now (w t)) j -> step N delta cmax qmin gamma scores_along bid g (served (w t)) j.
Proof.
  apply (step_agrees N delta cmax qmin gamma g (quality_estimate (w t)) scores_along (fun _ => bids_now (w t)) bid);
    [apply scores_here|symmetry; apply Hbid].
Qed.
Lemma payment_now t j : payment N delta cmax qmin gamma scores_along bid g (served (w t)) j
  = paid N delta cmax qmin gamma g (w t) (bids_now (w t)) j.
Proof.
  unfold paid, payment. pose proof (explores_now t) as Hx. pose proof (eligible_now t) as E. unfold explores_at, eligible_set in *.
  destruct (explores_dec N delta qmin scores_along g _) as [H1|H1]; destruct (explores_dec N delta qmin (quality_estimate (w t)) g _) as [H2|H2];
    [reflexivity|tauto|tauto|]. rewrite E, Hbid. reflexivity.
Qed.
End Bids.
End Along.

(* ---- the good event *)
Lemma not_good_remains H j o : not_good H -> not_good (after H j o).
Proof.
  assert (Hown : forall i, exists more, own_history i (after H j o) = more ++ own_history i H).
  { intros i. unfold own_history, after. simpl. destruct (Nat.eqb j i); [exists [o]|exists []]; reflexivity. }
  assert (Hoff : forall value most i m, off N delta theta value most i m H -> off N delta theta value most i m (after H j o)).
  { intros value most i m [Hm H']. destruct (Hown i) as (more & E). split.
    - rewrite E, app_length. lia.
    - unfold first_own in *. rewrite E, first_of_more by exact Hm. exact H'. }
  intros (i & m & Hi & Hm & Hev). exists i, m. split; [exact Hi|]. destruct (Hown i) as (more & E). rewrite E, app_length.
  split; [lia|]. destruct Hev as [H'|H']; [left|right]; apply Hoff; exact H'.
Qed.
(* What holds on E: E is explicit, and at every horizon it fails with probability at most delta. *)
Definition holds_on_E (claim : (nat -> history) -> Prop) : Prop :=
  (forall n, probability n not_good <= delta) /\ (forall w, play w -> (forall t, ~ not_good (w t)) -> claim w).
Lemma on_E (claim : (nat -> history) -> Prop) : dynamics -> (1 <= N)%nat -> 0 < delta < 1 -> 0 < cmax ->
  (forall w, play w -> (forall t, ~ not_good (w t)) -> claim w) -> holds_on_E claim.
Proof. intros Hdyn HN Hd Hc H. split; [|exact H]. intros n. apply (lem_good_event_dynamics N delta cmax qmin gamma g); assumption. Qed.
Lemma likely (claim : (nat -> history) -> Prop) : holds_on_E claim -> with_probability_at_least (1 - delta) claim.
Proof.
  intros [Hpr H]. exists not_good. split; [exact not_good_remains|split; [|exact H]]. intros n.
  replace (1 - (1 - delta)) with delta by ring. apply Hpr.
Qed.
Lemma on_E_follows (claim claim' : (nat -> history) -> Prop) : (forall w, play w -> claim w -> claim' w) -> holds_on_E claim -> holds_on_E claim'.
Proof. intros Hf [Hpr H]. split; [exact Hpr|]. intros w Hw Hg. apply Hf; auto. Qed.
Lemma in_band (w : nat -> history) t i n : ~ not_good (w t) -> (i < N)%nat -> (1 <= n <= length (own_history i (w t)))%nat ->
  Rabs (average score (first_own (w t) i n) - quality i) <= radius n /\
  Rabs (mean_cost (first_own (w t) i n) - cost_of i) <= cmax * radius n.
Proof.
  intros Hg Hi Hn. split; apply Rnot_lt_le; intros H; apply Hg; exists i, n; (split; [exact Hi|split; [exact Hn|]]); [left|right];
    (split; [lia|]); [rewrite Rmult_1_l|]; exact H.
Qed.
(* With probability at least 1 - delta every mean of every provider stays in its band at every count. *)
Theorem lem_good_event_game : dynamics -> (1 <= N)%nat -> 0 < delta < 1 -> 0 < cmax ->
  holds_on_E (fun w => forall t i n, (i < N)%nat -> (1 <= n <= length (own_history i (w t)))%nat ->
    Rabs (average score (first_own (w t) i n) - quality i) <= radius n /\
    Rabs (mean_cost (first_own (w t) i n) - cost_of i) <= cmax * radius n).
Proof. intros Hdyn HN Hd Hc. apply on_E; auto. intros w _ Hg t i n Hi Hn. apply in_band; auto. Qed.

(* for a claim about the history so far it is a probability in Game.v, at every horizon *)
Lemma reached_by_play n H H' : reaches n H H' -> exists w, w 0%nat = H /\ (forall t, follows (w t) (w (S t))) /\ w n = H' /\
  forall t (failure : history -> Prop), (forall H j o, failure H -> failure (after H j o)) -> failure (w t) -> failure H'.
Proof.
  induction 1 as [H|n H j o H' Hs Ho Hr (w & H0 & Hf & Hn & Hfail)].
  - exists (fun _ => H). split; [reflexivity|]. split; [left; reflexivity|]. split; [reflexivity|auto].
  - exists (fun t => match t with O => H | S t => w t end). split; [reflexivity|]. split; [|split; [exact Hn|]].
    + intros [|t]; [|apply Hf]. right. exists j, o. rewrite H0. auto.
    + intros [|t] failure Hre HF; [|eapply Hfail; eauto]. apply (Hfail 0%nat failure Hre). rewrite H0. apply Hre. exact HF.
Qed.
Theorem at_every_horizon least (claim : history -> Prop) : dynamics ->
  with_probability_at_least least (fun w => forall t, claim (w t)) -> forall n, least <= probability n claim.
Proof.
  intros Hdyn (failure & Hre & Hpr & Hcl) n. specialize (Hpr n). pose proof (whole_isE N delta cmax qmin gamma g p theta first profile Hdyn n) as HE.
  apply Rle_trans with (1 - probability n failure); [lra|]. unfold Dynamics.probability in *.
  set (E := Dynamics.whole N delta qmin g p theta first profile n) in *. rewrite <- (E_one _ HE).
  set (f := fun H => ind _ (excluded_middle (failure H))). replace (E (fun _ => 1) - E f) with (1 * E (fun _ => 1) + (-1) * E f) by ring.
  rewrite <- (E_lin _ HE) by (auto using bounded_constant; apply bounded_ind).
  apply (whole_monotone N delta cmax qmin gamma g p theta first profile Hdyn).
  - apply bounded_sum; [apply bounded_constant|apply bounded_times, bounded_ind].
  - apply bounded_ind.
  - intros H (o & Ho & Hr). unfold f, ind. destruct (excluded_middle (failure H)) as [|Hnf]; destruct (excluded_middle (claim H)) as [|Hnc]; try lra.
    exfalso. apply Hnc. destruct (reached_by_play n _ _ Hr) as (w & H0 & Hf & Hn & Hfail). rewrite <- Hn. apply Hcl.
    + split; [exists o; auto|exact Hf].
    + intros t HF. apply Hnf. exact (Hfail t failure Hre HF).
Qed.
(* Countable additivity, and no more of it than is used: where plays that never stop have a probability that grows with events,
   gives the failure of E at each horizon what Game.v gives it, and gives the union of these failures, which grow, no more than
   the most that it gives one of them, what holds on E fails with probability at most delta. So it is with the outer measure of
   a countably additive probability for which these failures are measurable. Additive.v has such a P, where draws are countably
   additive. *)
Definition endless (w : nat -> history) : Prop := play w /\ forall t, length (later (w t)) = t.
Record probability_of_plays (P : ((nat -> history) -> Prop) -> R) : Prop := {
  plays_grow : forall A B : (nat -> history) -> Prop, (forall w, endless w -> A w -> B w) -> P A <= P B;
  plays_agree : forall n, P (fun w => not_good (w n)) = probability n not_good;
  plays_continuous : forall most, (forall n, P (fun w => not_good (w n)) <= most) -> P (fun w => exists n, not_good (w n)) <= most }.
(* What holds on E fails with probability at most delta, for such a probability of endless plays. *)
Theorem E_for_endless_plays P claim : probability_of_plays P -> holds_on_E claim -> P (fun w => ~ claim w) <= delta.
Proof.
  intros HP [Hpr H]. apply Rle_trans with (P (fun w => exists t, not_good (w t))).
  - apply (plays_grow P HP). intros w [Hw _] Hno. destruct (excluded_middle (exists t, not_good (w t))) as [|Hn]; [assumption|].
    exfalso. apply Hno, H; [exact Hw|]. intros t Ht. apply Hn. exists t. exact Ht.
  - apply (plays_continuous P HP). intros t. rewrite (plays_agree P HP). apply Hpr.
Qed.
(* The statements are not about nothing: some play never stops, and at every horizon some history is on E. *)
Lemma somebody_serves H : dynamics -> exists j, may_serve H (bids_now H) j.
Proof.
  intros (Hp & _). destruct (excluded_middle (exists j, may_serve H (bids_now H) j)) as [|Hno]; [assumption|]. exfalso.
  destruct (Hp H (bids_now H)) as (H1 & Hmono & Hlin). specialize (Hlin 0 0 (fun _ => 1) (fun _ => 1)).
  assert (Hle : forall f f' : nat -> R, allocate N delta qmin g p H (bids_now H) f <= allocate N delta qmin g p H (bids_now H) f')
    by (intros f f'; apply Hmono; intros j Hj; exfalso; apply Hno; exists j; exact Hj).
  specialize (Hle (fun _ => 1) (fun i : nat => 0 * 1 + 0 * 1)). lra.
Qed.
Theorem endless_plays_exist o : dynamics -> possible_start N cmax o -> exists w, endless w /\ w 0%nat = start o.
Proof.
  intros Hdyn Ho. pose (seen := {| cost := 0; score := 0 |}).
  assert (Hnext : forall H, {j | may_serve H (bids_now H) j}).
  { intros H. apply constructive_indefinite_ground_description_nat; [intros j; apply excluded_middle|apply somebody_serves; exact Hdyn]. }
  pose (w := fix w t := match t with O => start o | S t => after (w t) (proj1_sig (Hnext (w t))) seen end).
  destruct (excluded_middle (0 <= cmax)) as [Hc|Hc].
  - exists w. split; [split; [split|]|reflexivity].
    + exists o. auto.
    + intros t. right. exists (proj1_sig (Hnext (w t))), seen. split; [apply (proj2_sig (Hnext (w t)))|]. split; [|reflexivity].
      split; simpl; lra.
    + induction t as [|t IH]; [reflexivity|]. simpl. rewrite IH. reflexivity.
  - exfalso. destruct (somebody_serves (start o) Hdyn) as (j & Hj). apply Hc. pose proof (Ho j (served_lt _ _ _ _ _ _ _ _ _ Hj)) as [H _]. lra.
Qed.
Theorem histories_on_E_exist : dynamics -> (1 <= N)%nat -> 0 < delta < 1 -> 0 < cmax -> forall n, exists H, reached n H /\ ~ not_good H.
Proof.
  intros Hdyn HN Hd Hc n. destruct (excluded_middle (exists H, reached n H /\ ~ not_good H)) as [|Hno]; [assumption|]. exfalso.
  pose proof (lem_good_event_dynamics N delta cmax qmin gamma g p theta first profile Hdyn HN Hd Hc n) as Hle.
  pose proof (E_one _ (whole_isE N delta cmax qmin gamma g p theta first profile Hdyn n)) as H1.
  enough (1 <= probability n not_good) by lra. rewrite <- H1 at 1. unfold Dynamics.probability.
  apply (whole_monotone N delta cmax qmin gamma g p theta first profile Hdyn); [apply bounded_constant|apply bounded_ind|].
  intros H Hr. unfold ind. destruct (excluded_middle (not_good H)) as [|Hg]; [lra|]. exfalso. apply Hno. exists H. auto.
Qed.
Corollary E_at_every_horizon (claim : history -> Prop) : dynamics -> holds_on_E (fun w => forall t, claim (w t)) ->
  forall n, 1 - delta <= probability n claim.
Proof. intros Hdyn H. apply at_every_horizon; [exact Hdyn|]. apply likely. exact H. Qed.
(* After n queries every mean of every provider is in its band at every count so far with probability at least 1 - delta. *)
Corollary lem_good_event_at_every_horizon : dynamics -> (1 <= N)%nat -> 0 < delta < 1 -> 0 < cmax ->
  forall n, 1 - delta <= probability n (fun H => forall i m, (i < N)%nat -> (1 <= m <= length (own_history i H))%nat ->
    Rabs (average score (first_own H i m) - quality i) <= radius m /\
    Rabs (mean_cost (first_own H i m) - cost_of i) <= cmax * radius m).
Proof. intros Hdyn HN Hd Hc. apply E_at_every_horizon; [exact Hdyn|]. apply lem_good_event_game; assumption. Qed.
End Plays.
