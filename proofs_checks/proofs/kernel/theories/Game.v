(* thm:robust-dominant, as a game: histories, strategies, rivals, laws, the horizon, and the worst case over them.

   One query is served by the rules of Runs.v and Auction.v: Runs.step says who may be served, Runs.payment what is paid.
   Here providers observe what they serve, bid by strategies, and are compared by their worst cases. Read Section Game down
   to worst_case, then the theorems at the end. *)
Require Import Reals Lra Lia List Arith Psatz.
From Coquelicot Require Import Rbar Lub.
From Costproof Require Import Auction Runs.
Import ListNotations.
Open Scope R_scope.

(* What a provider observes when it serves a query, and H_t: one query for each provider, then the others, newest first. *)
Record observation := { cost : R; score : R }.
Record history := { initial : nat -> observation; later : list (nat * observation) }.
Definition after (H : history) (i : nat) (o : observation) : history :=
  {| initial := initial H; later := (i, o) :: later H |}.
Definition served (H : history) : list nat := map fst (later H).
(* H_{i,t}, newest first *)
Definition own_history (i : nat) (H : history) : list observation :=
  map snd (filter (fun query => Nat.eqb (fst query) i) (later H)) ++ [initial H i].
Definition average {A : Type} (value : A -> R) (among : list A) : R :=
  fold_right (fun one sum => value one + sum) 0 among / INR (length among).

(* sigma_{i,t}, which may vary with the step: from one's own history to a bid *)
Definition strategy : Type := nat -> list observation -> R.
(* sigma_i^*: bid the estimate of one's own cost, whatever the step *)
Definition truthful (estimate : list observation -> R) : strategy := fun _ own => estimate own.
(* the profile in which i plays sigma and everybody else as in the profile rivals *)
Definition playing (i : nat) (sigma : strategy) (rivals : nat -> strategy) (j : nat) : strategy :=
  if Nat.eq_dec j i then sigma else rivals j.

Lemma average_between {A : Type} (value : A -> R) lo hi among :
  among <> [] -> (forall one, In one among -> lo <= value one <= hi) -> lo <= average value among <= hi.
Proof.
  intros Hne Hv.
  assert (Hsum : INR (length among) * lo <= fold_right (fun one sum => value one + sum) 0 among <= INR (length among) * hi).
  { clear Hne. induction among as [|one among IH]; [simpl; lra|]. cbn [length fold_right]. rewrite S_INR.
    specialize (IH (fun one' H' => Hv one' (or_intror H'))). specialize (Hv one (or_introl eq_refl)). lra. }
  assert (Hlen : 0 < INR (length among)) by (destruct among; [contradiction|apply lt_0_INR; simpl; lia]).
  unfold average. split; apply Rmult_le_reg_l with (INR (length among)); auto; unfold Rdiv;
    rewrite (Rmult_comm _ (/ _)), <- (Rmult_assoc (INR _)), Rinv_r, Rmult_1_l by lra; lra.
Qed.

Section Game.
Variables (N : nat) (delta cmax qmin gamma : R) (g : nat -> R).

(* costs lie in [0, cmax], scores in [0, 1] *)
Definition possible (o : observation) : Prop := 0 <= cost o <= cmax /\ 0 <= score o <= 1.
Definition possible_history (H : history) : Prop :=
  (forall i, (i < N)%nat -> possible (initial H i)) /\
  (forall query, In query (later H) -> (fst query < N)%nat /\ possible (snd query)).
(* a bid or an estimate in [0, cmax] *)
Definition in_range (value : list observation -> R) : Prop :=
  forall own, own <> [] -> (forall o, In o own -> possible o) -> 0 <= value own <= cmax.
Definition bids_in_range (sigma : strategy) : Prop := forall t, in_range (sigma t).

(* ---- one query *)
Definition quality_estimate (H : history) (i _count : nat) : R := average score (own_history i H).
Definition eligible_set (H : history) : list nat := Qh N delta qmin (quality_estimate H) (served H).
Definition explores_at (H : history) : Prop := explores N delta qmin (quality_estimate H) g (served H).
Definition may_serve (H : history) (bids : nat -> R) : nat -> Prop :=
  step N delta cmax qmin gamma (quality_estimate H) (fun _ => bids) g (served H).
Definition paid (H : history) (bids : nat -> R) : nat -> R :=
  payment N delta cmax qmin gamma (quality_estimate H) (fun _ => bids) g (served H).
Definition critical (H : history) (bids : nat -> R) (i : nat) : option R :=
  crit (eligible_set H) (radii N delta cmax gamma (served H)) bids i.
(* t, the step that comes after a history *)
Definition at_step (H : history) : nat := now N (served H).
Definition bids_at (profile : nat -> strategy) (H : history) (j : nat) : R := profile j (at_step H) (own_history j H).

(* ---- what is random: whom the platform serves, and what the served provider observes *)
(* explore: among the under-sampled, or among all where nobody is eligible, whatever the bids. break_ties: among the lowest
   adjusted bids. Each is an expectation over the platform's draw. *)
Record platform := { explore : history -> (nat -> R) -> R; break_ties : history -> (nat -> R) -> (nat -> R) -> R }.
Definition auction_at (H : history) : Prop := ~ explores_at H /\ eligible_set H <> [].
Lemma auction_dec H : {auction_at H} + {~ auction_at H}.
Proof.
  unfold auction_at. destruct (explores_dec N delta qmin (quality_estimate H) g (served H)) as [He|Hn].
  - right. intros [Hn _]. exact (Hn He).
  - destruct (eligible_set H) eqn:E; [right; intros [_ Hq]; exact (Hq eq_refl)|left; split; [exact Hn|discriminate]].
Qed.
Definition allocate (p : platform) (H : history) (bids : nat -> R) : (nat -> R) -> R :=
  if auction_dec H then break_ties p H bids else explore p H.
(* an expectation over a draw among the chosen, finitely many: normalized, monotone and linear *)
Definition over (chosen : nat -> Prop) (E : (nat -> R) -> R) : Prop :=
  E (fun _ => 1) = 1 /\ (forall f f', (forall i, chosen i -> f i <= f' i) -> E f <= E f') /\
  (forall a b f f', E (fun i => a * f i + b * f' i) = a * E f + b * E f').
(* the platform serves whom the rules permit *)
Definition obeys_rules (p : platform) : Prop := forall H bids, over (may_serve H bids) (allocate p H bids).

(* theta_j: an expectation over costs and scores that is normalized, monotone and linear on bounded functions, the only ones
   that occur. A probability law is one for what can be measured, and extends to every bounded function (Hahn and Banach). *)
Definition bounded (f : observation -> R) : Prop := exists b, forall o, possible o -> Rabs (f o) <= b.
Record law (E : (observation -> R) -> R) : Prop := {
  law_one : E (fun _ => 1) = 1;
  law_monotone : forall f f', bounded f -> bounded f' -> (forall o, possible o -> f o <= f' o) -> E f <= E f';
  law_linear : forall a b f f', bounded f -> bounded f' -> E (fun o => a * f o + b * f' o) = a * E f + b * E f' }.

(* E[value(H_{t+n}) | H_t]: n more queries are served *)
Fixpoint expected (p : platform) (theta : nat -> (observation -> R) -> R) (profile : nat -> strategy) (n : nat)
    (value : history -> R) (H : history) : R :=
  match n with
  | O => value H
  | S n => allocate p H (bids_at profile H) (fun i => theta i (fun o => expected p theta profile n value (after H i o)))
  end.

(* ---- what a provider gains; charge: what it charges itself for a query that it serves, from its own history *)
(* G_{i,s} where the query of step s is served by j *)
Definition net_payment (charge : list observation -> R) (profile : nat -> strategy) (i : nat) (H : history) (j : nat) : R :=
  if Nat.eq_dec j i then paid H (bids_at profile H) i - charge (own_history i H) else 0.
(* the sum of G_{i,s} over the last n steps of a history *)
Fixpoint net_payments charge profile i (start : nat -> observation) (queries : list (nat * observation)) (n : nat) {struct n} : R :=
  match n, queries with
  | S n, (j, _) :: before =>
      net_payment charge profile i {| initial := start; later := before |} j + net_payments charge profile i start before n
  | _, _ => 0
  end.
(* eq:utilities: E[sum over s = t, ..., T of (pi_s - charge) 1{I_s = i} | H_t] *)
Definition utility charge (p : platform) (theta : nat -> (observation -> R) -> R) (profile : nat -> strategy)
    (i : nat) (H : history) (T : nat) : R :=
  let steps := (T + 1 - at_step H)%nat in
  expected p theta profile steps (fun H' => net_payments charge profile i (initial H') (later H') steps) H.

(* theta_{-i} is any, theta_i is fixed *)
Definition environment (i : nat) (own : (observation -> R) -> R) (theta : nat -> (observation -> R) -> R) : Prop :=
  (forall j, law (theta j)) /\ theta i = own.
(* every utility that T >= t and theta_{-i} allow, and inf over T >= t and theta_{-i}: a real, or minus infinity *)
Definition utilities charge p own rivals i H sigma (u : R) : Prop := exists T theta,
  (at_step H <= T)%nat /\ environment i own theta /\ u = utility charge p theta (playing i sigma rivals) i H T.
Definition worst_case charge p own rivals i H sigma : Rbar := Glb_Rbar (utilities charge p own rivals i H sigma).

(* ---- a step *)
Lemma own_history_not_empty i H : own_history i H <> [].
Proof. unfold own_history. destruct (map snd _); discriminate. Qed.
Lemma own_history_possible i H : (i < N)%nat -> possible_history H -> forall o, In o (own_history i H) -> possible o.
Proof.
  intros Hi [H0 Hl] o Ho. apply in_app_or in Ho. destruct Ho as [Ho|[<-|[]]]; [|apply H0; assumption].
  apply in_map_iff in Ho. destruct Ho as (query & <- & Hq). apply filter_In in Hq. apply Hl. exact (proj1 Hq).
Qed.
(* m_{i,t} of Runs.v is the number of one's own observations *)
Lemma own_history_length i H : length (own_history i H) = m (served H) i.
Proof.
  unfold own_history, m, times, served. rewrite app_length, map_length. simpl. rewrite Nat.add_1_r. f_equal.
  induction (later H) as [|[j o] l IH]; [reflexivity|]. simpl.
  destruct (Nat.eqb_spec j i), (Nat.eq_dec j i); try contradiction; simpl; rewrite IH; reflexivity.
Qed.
Lemma value_in_range value i H : in_range value -> (i < N)%nat -> possible_history H -> 0 <= value (own_history i H) <= cmax.
Proof. intros Hv Hi HH. apply Hv; [apply own_history_not_empty|apply own_history_possible; assumption]. Qed.
Lemma possible_after H i o : (i < N)%nat -> possible o -> possible_history H -> possible_history (after H i o).
Proof. intros Hi Ho [H0 Hl]. split; [exact H0|]. intros query [<-|Hq]; [split; assumption|apply Hl; exact Hq]. Qed.
Lemma served_lt H bids i : may_serve H bids i -> (i < N)%nat.
Proof. exact (step_lt N delta cmax qmin gamma (fun _ => 0) (fun _ => 0) _ (fun _ _ => 0) _ g (served H) i). Qed.
Lemma eligible_lt H i : In i (eligible_set H) -> (i < N)%nat.
Proof. unfold eligible_set, Qh. rewrite filter_In, in_seq. lia. Qed.

Hypothesis Hcmax : 0 < cmax.

(* whoever is served is paid its bid at least *)
Lemma paid_covers_bid H bids i : (forall j, (j < N)%nat -> 0 <= bids j <= cmax) -> may_serve H bids i ->
  bids i <= paid H bids i <= cmax.
Proof.
  intros Hb Hs. pose proof (Hb i (served_lt _ _ _ Hs)) as Hi. unfold paid, payment.
  destruct (explores_dec _ _ _ _ _ _) as [|Hn]; [lra|].
  destruct (Qh N delta qmin (quality_estimate H) (served H)) as [|x l] eqn:E; [lra|]. rewrite <- E.
  destruct Hs as [(He & _)|[(E0 & _)|(_ & Hsel)]]; [contradiction|rewrite E0 in E; discriminate|].
  apply payment_range; auto. intros j Hj. apply Hb, (eligible_lt H). exact Hj.
Qed.
Lemma paid_without_auction H bids i : ~ auction_at H -> paid H bids i = cmax.
Proof.
  intros Hn. unfold paid, payment. destruct (explores_dec _ _ _ _ _ _) as [|He]; [reflexivity|].
  destruct (Qh N delta qmin (quality_estimate H) (served H)) eqn:E; [reflexivity|].
  exfalso. apply Hn. split; [exact He|]. unfold eligible_set. rewrite E. discriminate.
Qed.
Lemma auction_selects H bids i : auction_at H -> may_serve H bids i ->
  selected (eligible_set H) (radii N delta cmax gamma (served H)) bids i.
Proof. intros [Hn Hq] [(He & _)|[(E & _)|(_ & Hsel)]]; [contradiction|exfalso; exact (Hq E)|exact Hsel]. Qed.
Lemma auction_pays H bids i : auction_at H ->
  paid H bids i = pay (eligible_set H) (radii N delta cmax gamma (served H)) cmax bids i.
Proof.
  intros [Hn Hq]. unfold paid, payment. destruct (explores_dec _ _ _ _ _ _) as [He|_]; [contradiction|].
  unfold eligible_set in *. destruct (Qh N delta qmin (quality_estimate H) (served H)); [contradiction|reflexivity].
Qed.

Definition all_in_range (profile : nat -> strategy) : Prop := forall j, (j < N)%nat -> bids_in_range (profile j).
Lemma bids_at_range profile H j : all_in_range profile -> possible_history H -> (j < N)%nat -> 0 <= bids_at profile H j <= cmax.
Proof. intros Hp HH Hj. apply (value_in_range (profile j (at_step H))); auto. apply Hp. exact Hj. Qed.

(* ---- plays *)
Inductive reaches (profile : nat -> strategy) : nat -> history -> history -> Prop :=
  | reaches_here H : reaches profile 0 H H
  | reaches_after n H j o H' : may_serve H (bids_at profile H) j -> possible o ->
      reaches profile n (after H j o) H' -> reaches profile (S n) H H'.

Lemma reaches_possible profile n H H' : reaches profile n H H' -> possible_history H -> possible_history H'.
Proof. induction 1 as [|n H j o H' Hs Ho Hr IH]; intros HH; [exact HH|]. apply IH, possible_after; auto. eapply served_lt; eauto. Qed.
Lemma reaches_split profile n H H' : reaches profile n H H' ->
  initial H' = initial H /\ exists queries, length queries = n /\ later H' = queries ++ later H.
Proof.
  induction 1 as [|n H j o H' Hs Ho Hr (E & queries & Hl & Eq)]; [split; [reflexivity|exists []; split; reflexivity]|].
  split; [rewrite E; reflexivity|]. exists (queries ++ [(j, o)]). split; [rewrite app_length; simpl; lia|].
  rewrite Eq, <- app_assoc. reflexivity.
Qed.

Section Provider.
Variables (charge : list observation -> R) (i : nat).
Hypothesis Hi : (i < N)%nat.
Hypothesis Hcharge : in_range charge.

Lemma net_payment_bound profile H j : all_in_range profile -> possible_history H -> may_serve H (bids_at profile H) j ->
  - cmax <= net_payment charge profile i H j <= cmax.
Proof.
  intros Hp HH Hs. unfold net_payment. destruct (Nat.eq_dec j i) as [->|]; [|lra].
  pose proof (paid_covers_bid H _ i (fun j => bids_at_range profile H j Hp HH) Hs). pose proof (bids_at_range profile H i Hp HH Hi).
  pose proof (value_in_range charge i H Hcharge Hi HH). lra.
Qed.
(* the reason of claim i): a bid that covers the charge loses nothing *)
Lemma net_payment_nonneg profile H j : all_in_range profile -> possible_history H -> may_serve H (bids_at profile H) j ->
  charge (own_history i H) <= bids_at profile H i -> 0 <= net_payment charge profile i H j.
Proof.
  intros Hp HH Hs Hb. unfold net_payment. destruct (Nat.eq_dec j i) as [->|]; [|lra].
  pose proof (paid_covers_bid H _ i (fun j => bids_at_range profile H j Hp HH) Hs). lra.
Qed.

Lemma law_const E c : law E -> E (fun _ => c) = c.
Proof.
  intros HE. assert (Hb : bounded (fun _ => 1)) by (exists 1; intros; rewrite Rabs_R1; lra).
  pose proof (law_linear E HE c 0 (fun _ => 1) (fun _ => 1) Hb Hb) as H. rewrite (law_one E HE) in H.
  replace (c * 1 + 0 * 1) with c in H by ring. exact H.
Qed.
Lemma law_between E f lo hi : law E -> (forall o, possible o -> lo <= f o <= hi) -> lo <= E f <= hi.
Proof.
  intros HE Hf. assert (Hc : forall c, bounded (fun _ => c)) by (intros c; exists (Rabs c); intros; lra).
  assert (Hb : bounded f).
  { exists (Rmax (Rabs lo) (Rabs hi)). intros o Ho. specialize (Hf o Ho). pose proof (Rmax_l (Rabs lo) (Rabs hi)).
    pose proof (Rmax_r (Rabs lo) (Rabs hi)). pose proof (Rle_abs hi). pose proof (Rle_abs (- lo)) as Hl. rewrite Rabs_Ropp in Hl.
    apply Rabs_le. lra. }
  rewrite <- (law_const E lo HE) at 1. rewrite <- (law_const E hi HE). split; apply (law_monotone E HE); auto; intros o Ho; apply Hf; exact Ho.
Qed.
Lemma over_const chosen E c : over chosen E -> E (fun _ => c) = c.
Proof.
  intros (H1 & _ & Hlin). pose proof (Hlin c 0 (fun _ => 1) (fun _ => 1)) as H. rewrite H1 in H.
  replace (c * 1 + 0 * 1) with c in H by ring. exact H.
Qed.
Lemma over_between chosen E f lo hi : over chosen E -> (forall j, chosen j -> lo <= f j <= hi) -> lo <= E f <= hi.
Proof.
  intros HE Hf. rewrite <- (over_const chosen E lo HE) at 1. rewrite <- (over_const chosen E hi HE).
  split; apply (proj1 (proj2 HE)); intros j Hj; apply Hf; exact Hj.
Qed.
Lemma over_agrees chosen E f f' : over chosen E -> (forall j, f j = f' j) -> E f = E f'.
Proof. intros HE Hf. apply Rle_antisym; apply (proj1 (proj2 HE)); intros j _; rewrite Hf; lra. Qed.

Variables (p : platform) (theta : nat -> (observation -> R) -> R).
Hypothesis Hp : obeys_rules p.
Hypothesis Htheta : forall j, law (theta j).

Lemma expected_between profile n : forall value H lo hi,
  (forall H', reaches profile n H H' -> lo <= value H' <= hi) -> lo <= expected p theta profile n value H <= hi.
Proof.
  induction n as [|n IH]; intros value H lo hi Hv; cbn [expected]; [apply Hv; constructor|].
  apply (over_between _ _ _ _ _ (Hp H (bids_at profile H))). intros j Hj. apply law_between; [apply Htheta|].
  intros o Ho. apply IH. intros H' HH'. apply Hv. econstructor; eauto.
Qed.
Lemma net_payments_split profile start before k queries :
  net_payments charge profile i start (queries ++ before) (length queries + k)
  = net_payments charge profile i start (queries ++ before) (length queries) + net_payments charge profile i start before k.
Proof. induction queries as [|[j o] l IH]; simpl; [lra|]. rewrite IH. lra. Qed.
(* the first of n + 1 steps apart from the others *)
Lemma net_payments_after profile n H j o H' : reaches profile n (after H j o) H' ->
  net_payments charge profile i (initial H') (later H') (S n)
  = net_payments charge profile i (initial H') (later H') n + net_payment charge profile i H j.
Proof.
  intros Hr. destruct (reaches_split _ _ _ _ Hr) as (E & queries & Hl & Eq). rewrite E, Eq, <- Hl.
  replace (S (length queries)) with (length queries + 1)%nat by lia. rewrite net_payments_split. simpl. destruct H; simpl. lra.
Qed.
(* what lies between bounds at every step adds up to what lies between n times these *)
Lemma net_payments_between profile lo hi : all_in_range profile ->
  (forall H j, possible_history H -> may_serve H (bids_at profile H) j -> lo <= net_payment charge profile i H j <= hi) ->
  forall n H H', reaches profile n H H' -> possible_history H ->
  INR n * lo <= net_payments charge profile i (initial H') (later H') n <= INR n * hi.
Proof.
  intros Hr Hstep n H H' Hreach. induction Hreach as [|n H j o H' Hs Ho Hreach IH]; intros HH; [simpl; lra|].
  rewrite (net_payments_after _ _ _ _ _ _ Hreach), S_INR.
  pose proof (Hstep H j HH Hs). assert (Hlt : (j < N)%nat) by (eapply served_lt; eauto).
  specialize (IH (possible_after _ _ _ Hlt Ho HH)). lra.
Qed.

Lemma utility_now profile H : utility charge p theta profile i H (at_step H)
  = allocate p H (bids_at profile H) (net_payment charge profile i H).
Proof.
  unfold utility. replace (at_step H + 1 - at_step H)%nat with 1%nat by lia. cbn [expected].
  apply (over_agrees _ _ _ _ (Hp H (bids_at profile H))). intros j. rewrite <- (law_const (theta j) (net_payment charge profile i H j)) by apply Htheta.
  f_equal. apply FunctionalExtensionality.functional_extensionality. intros o. destruct H. simpl. lra.
Qed.
(* a strategy that loses nothing at any step gains in T steps what it gains in one, at least *)
Lemma utility_grows profile H T : all_in_range profile -> possible_history H -> (at_step H <= T)%nat ->
  (forall H j, possible_history H -> may_serve H (bids_at profile H) j -> 0 <= net_payment charge profile i H j) ->
  utility charge p theta profile i H (at_step H) <= utility charge p theta profile i H T.
Proof.
  intros Hr HH HT Hpos. rewrite utility_now. unfold utility. replace (T + 1 - at_step H)%nat with (S (T - at_step H)) by lia.
  set (n := (T - at_step H)%nat). cbn [expected]. apply (proj1 (proj2 (Hp H (bids_at profile H)))). intros j Hj.
  match goal with |- _ <= theta j ?f =>
    enough (Hf : forall o, possible o -> net_payment charge profile i H j <= f o <= INR (S n) * cmax)
      by (apply (law_between (theta j) _ _ (INR (S n) * cmax) (Htheta j) Hf)) end.
  intros o Ho. apply expected_between. intros H' HH'. assert (Hlt : (j < N)%nat) by (eapply served_lt; eauto).
  assert (Hb : forall lo, (forall H j, possible_history H -> may_serve H (bids_at profile H) j -> lo <= net_payment charge profile i H j) ->
    INR n * lo <= net_payments charge profile i (initial H') (later H') n <= INR n * cmax).
  { intros lo Hlo. eapply net_payments_between; [exact Hr| |exact HH'|apply possible_after; auto].
    intros H1 j1 HH1 Hs1. split; [apply Hlo; auto|]. apply net_payment_bound; auto. }
  specialize (Hb 0 Hpos). rewrite (net_payments_after _ _ _ _ _ _ HH'), S_INR.
  pose proof (net_payment_bound profile H j Hr HH Hj). lra.
Qed.
Lemma utility_nonneg profile H T : all_in_range profile -> possible_history H -> (at_step H <= T)%nat ->
  (forall H j, possible_history H -> may_serve H (bids_at profile H) j -> 0 <= net_payment charge profile i H j) ->
  0 <= utility charge p theta profile i H T.
Proof.
  intros Hr HH HT Hpos. eapply Rle_trans; [|apply utility_grows; auto]. rewrite utility_now.
  apply (over_between _ _ _ 0 cmax (Hp H (bids_at profile H))). intros j Hj. split; [apply Hpos; auto|apply net_payment_bound; auto].
Qed.

(* ---- one step: lem:one-step under the platform's draw *)
Variables (rivals : nat -> strategy) (sigma : strategy).
Hypothesis Hrivals : forall j, (j < N)%nat -> j <> i -> bids_in_range (rivals j).
Hypothesis Hsigma : bids_in_range sigma.
Notation truth := (playing i (truthful charge) rivals).
Notation deviation := (playing i sigma rivals).

Lemma playing_own tau H : bids_at (playing i tau rivals) H i = tau (at_step H) (own_history i H).
Proof. unfold bids_at, playing. destruct (Nat.eq_dec i i); [reflexivity|contradiction]. Qed.
Lemma playing_other tau H j : j <> i -> bids_at (playing i tau rivals) H j = rivals j (at_step H) (own_history j H).
Proof. intros Hj. unfold bids_at, playing. destruct (Nat.eq_dec j i); [contradiction|reflexivity]. Qed.
Lemma playing_range tau : bids_in_range tau -> all_in_range (playing i tau rivals).
Proof. intros Ht j Hj. unfold playing. destruct (Nat.eq_dec j i); auto. Qed.
Lemma truthful_range : bids_in_range (truthful charge).
Proof. intros t. exact Hcharge. Qed.
Lemma truth_loses_nothing H j : possible_history H -> may_serve H (bids_at truth H) j -> 0 <= net_payment charge truth i H j.
Proof.
  intros HH Hs. apply net_payment_nonneg; auto using playing_range, truthful_range. rewrite playing_own. unfold truthful. lra.
Qed.

Lemma auction_net_payment profile H j : auction_at H -> net_payment charge profile i H j
  = Auction.gain (eligible_set H) (radii N delta cmax gamma (served H)) cmax (bids_at profile H) j i (charge (own_history i H)).
Proof. intros Ha. unfold net_payment, Auction.gain. rewrite auction_pays by exact Ha. reflexivity. Qed.

Lemma truth_is_best_now H : possible_history H ->
  allocate p H (bids_at deviation H) (net_payment charge deviation i H) <= allocate p H (bids_at truth H) (net_payment charge truth i H).
Proof.
  intros HH. pose proof (Hp H (bids_at truth H)) as Ht. pose proof (Hp H (bids_at deviation H)) as Hd.
  pose proof (value_in_range charge i H Hcharge Hi HH) as He.
  pose proof (bids_at_range deviation H i (playing_range sigma Hsigma) HH Hi) as Hb.
  destruct (auction_dec H) as [Ha|Hn].
  - apply (over_between _ _ _ (- cmax) _ Hd). intros j' Hj'. split; [apply net_payment_bound; auto using playing_range|].
    apply (over_between _ _ _ _ cmax Ht). intros j Hj. split; [|apply net_payment_bound; auto using playing_range, truthful_range].
    rewrite !auction_net_payment by exact Ha. eapply one_step_b; eauto using auction_selects.
    + rewrite playing_own. reflexivity.
    + intros k Hk. rewrite !playing_other by exact Hk. reflexivity.
  - replace (allocate p H (bids_at deviation H)) with (allocate p H (bids_at truth H)) in *.
    + apply (proj1 (proj2 Ht)). intros j Hj. unfold net_payment. rewrite !paid_without_auction by exact Hn. lra.
    + unfold allocate. destruct (auction_dec H); [contradiction|reflexivity].
Qed.
Lemma truth_is_better_now H P : possible_history H -> ~ explores_at H -> In i (eligible_set H) ->
  critical H (bids_at truth H) i = Some P ->
  (charge (own_history i H) - P) * (sigma (at_step H) (own_history i H) - P) < 0 ->
  allocate p H (bids_at deviation H) (net_payment charge deviation i H) < allocate p H (bids_at truth H) (net_payment charge truth i H).
Proof.
  intros HH Hn Hin Hc Hlt. pose proof (Hp H (bids_at truth H)) as Ht. pose proof (Hp H (bids_at deviation H)) as Hd.
  pose proof (value_in_range charge i H Hcharge Hi HH) as He.
  pose proof (bids_at_range deviation H i (playing_range sigma Hsigma) HH Hi) as Hb.
  assert (Ha : auction_at H) by (split; [exact Hn|intros E; rewrite E in Hin; destruct Hin]).
  assert (Hother : forall k, k <> i -> bids_at truth H k = bids_at deviation H k) by (intros k Hk; rewrite !playing_other by exact Hk; reflexivity).
  assert (Hc' : critical H (bids_at deviation H) i = Some P) by (unfold critical in *; rewrite <- (crit_own _ _ _ _ i Hother); exact Hc).
  assert (Hbest : bids_at truth H i = charge (own_history i H)) by (rewrite playing_own; reflexivity).
  rewrite <- (playing_own sigma H) in Hlt.
  set (e := charge (own_history i H)) in *. set (b := bids_at deviation H i) in *.
  assert (Hv : forall profile, critical H (bids_at profile H) i = Some P ->
    forall j, net_payment charge profile i H j = if Nat.eq_dec j i then Rmin P cmax - e else 0).
  { intros profile HcP j. unfold net_payment. destruct (Nat.eq_dec j i); [|reflexivity]. rewrite auction_pays by exact Ha.
    unfold pay. unfold critical in HcP. rewrite HcP. reflexivity. }
  assert (Hwin : forall profile, critical H (bids_at profile H) i = Some P -> bids_at profile H i < P ->
    forall j, may_serve H (bids_at profile H) j -> j = i).
  { intros profile HcP HP j Hj. eapply selection_threshold_win; eauto using auction_selects.
    unfold critical in HcP. rewrite HcP. exact HP. }
  assert (Hlose : forall profile, critical H (bids_at profile H) i = Some P -> P < bids_at profile H i ->
    forall j, may_serve H (bids_at profile H) j -> j <> i).
  { intros profile HcP HP j Hj. eapply selection_threshold_lose; eauto using auction_selects.
    unfold critical in HcP. rewrite HcP. exact HP. }
  assert (Hcase : (e < P /\ P < b) \/ (b < P /\ P < e)).
  { destruct (Rlt_le_dec e P); [left|right]; split; nra. }
  destruct Hcase as [[h1 h2]|[h1 h2]].
  - assert (H1 : Rmin P cmax - e <= allocate p H (bids_at truth H) (net_payment charge truth i H) <= Rmin P cmax - e).
    { apply (over_between _ _ _ _ _ Ht). intros j Hj. rewrite Hv by exact Hc. rewrite (Hwin truth Hc ltac:(lra) j Hj).
      destruct (Nat.eq_dec i i); [lra|contradiction]. }
    assert (H2 : 0 <= allocate p H (bids_at deviation H) (net_payment charge deviation i H) <= 0).
    { apply (over_between _ _ _ _ _ Hd). intros j Hj. rewrite Hv by exact Hc'. pose proof (Hlose deviation Hc' h2 j Hj).
      destruct (Nat.eq_dec j i); [contradiction|lra]. }
    assert (e < Rmin P cmax) by (apply Rmin_glb_lt; lra). lra.
  - assert (H1 : 0 <= allocate p H (bids_at truth H) (net_payment charge truth i H) <= 0).
    { apply (over_between _ _ _ _ _ Ht). intros j Hj. rewrite Hv by exact Hc. pose proof (Hlose truth Hc ltac:(lra) j Hj).
      destruct (Nat.eq_dec j i); [contradiction|lra]. }
    assert (H2 : Rmin P cmax - e <= allocate p H (bids_at deviation H) (net_payment charge deviation i H) <= Rmin P cmax - e).
    { apply (over_between _ _ _ _ _ Hd). intros j Hj. rewrite Hv by exact Hc'. rewrite (Hwin deviation Hc' h1 j Hj).
      destruct (Nat.eq_dec i i); [lra|contradiction]. }
    pose proof (Rmin_l P cmax). lra.
Qed.
End Provider.

(* ---- the theorems *)
Section Theorems.
Variables (estimate : list observation -> R) (p : platform) (own : (observation -> R) -> R) (rivals : nat -> strategy).
Variables (i : nat) (H : history).
Notation U sigma := (fun theta T => utility estimate p theta (playing i sigma rivals) i H T).
Notation worst_case_of sigma := (worst_case estimate p own rivals i H sigma).
Notation sigma_star := (truthful estimate).

(* any provider i, of any type, any rivals, and any history with t > N *)
Definition a_game : Prop :=
  obeys_rules p /\ in_range estimate /\ law own /\ (i < N)%nat /\ possible_history H /\
  (forall j, (j < N)%nat -> j <> i -> bids_in_range (rivals j)).

(* eq:truthful-worst-case: the worst case of truthful bids is that this query is the last one *)
Theorem worst_case_of_truth theta : a_game -> environment i own theta -> worst_case_of sigma_star = Finite (U sigma_star theta (at_step H)).
Proof.
  intros (Hp & He & Ho & Hi & HH & Hr) [Ht Eo]. apply is_glb_Rbar_unique. split.
  - intros u (T & theta' & HT & [Ht' _] & ->). simpl.
    replace (U sigma_star theta (at_step H)) with (U sigma_star theta' (at_step H)) by (rewrite !utility_now by auto; reflexivity).
    apply utility_grows; auto using truth_loses_nothing, playing_range, truthful_range.
  - intros lower Hl. apply Hl. exists (at_step H), theta. split; [apply le_n|]. split; [split; assumption|reflexivity].
Qed.
Lemma worst_case_at_most sigma theta T : (at_step H <= T)%nat -> environment i own theta ->
  Rbar_le (worst_case_of sigma) (U sigma theta T).
Proof.
  intros HT Hth. destruct (Glb_Rbar_correct (utilities estimate p own rivals i H sigma)) as [Hlb _]. apply Hlb.
  exists T, theta. split; [exact HT|]. split; [exact Hth|reflexivity].
Qed.

(* ii) without infima: if this query is the last one, no strategy gains more than bidding the estimate gains, however many
   queries follow and whatever the laws of the others *)
Theorem no_strategy_guarantees_more sigma theta theta' T : a_game -> bids_in_range sigma ->
  environment i own theta -> environment i own theta' -> (at_step H <= T)%nat -> U sigma theta (at_step H) <= U sigma_star theta' T.
Proof.
  intros (Hp & He & Ho & Hi & HH & Hr) Hs [Ht _] [Ht' _] HT.
  apply Rle_trans with (U sigma_star theta' (at_step H)); [rewrite !utility_now by auto; apply truth_is_best_now; auto|].
  apply utility_grows; auto using truth_loses_nothing, playing_range, truthful_range.
Qed.
(* what thm:robust-dominant says of sigma_star, spelled out below *)
Definition worst_case_optimal : Prop :=
  (forall T theta, (at_step H <= T)%nat -> environment i own theta -> 0 <= U sigma_star theta T) /\
  (forall sigma, bids_in_range sigma -> Rbar_le (worst_case_of sigma) (worst_case_of sigma_star)) /\
  (forall sigma P, bids_in_range sigma -> ~ explores_at H -> In i (eligible_set H) ->
    critical H (bids_at (playing i sigma_star rivals) H) i = Some P ->
    (sigma_star (at_step H) (own_history i H) - P) * (sigma (at_step H) (own_history i H) - P) < 0 ->
    Rbar_lt (worst_case_of sigma) (worst_case_of sigma_star)) /\
  (* ii) and iii) without infima, and so for those over any set of laws *)
  (forall sigma theta theta' T, bids_in_range sigma -> environment i own theta -> environment i own theta' -> (at_step H <= T)%nat ->
    U sigma theta (at_step H) <= U sigma_star theta' T /\
    (forall P, ~ explores_at H -> In i (eligible_set H) -> critical H (bids_at (playing i sigma_star rivals) H) i = Some P ->
      (sigma_star (at_step H) (own_history i H) - P) * (sigma (at_step H) (own_history i H) - P) < 0 ->
      U sigma theta (at_step H) < U sigma_star theta' T)).
(* thm:robust-dominant, for any estimator with values in [0, cmax] *)
Theorem robust_dominant : a_game -> worst_case_optimal.
Proof.
  intros HG. pose proof HG as (Hp & He & Ho & Hi & HH & Hr).
  assert (Hth : environment i own (fun _ => own)) by (split; [intros; exact Ho|reflexivity]).
  split; [|split; [|split]].
  - intros T theta HT [Ht _]. apply utility_nonneg; auto using truth_loses_nothing, playing_range, truthful_range.
  - intros sigma Hs. rewrite (worst_case_of_truth _ HG Hth). eapply Rbar_le_trans; [apply (worst_case_at_most sigma _ (at_step H) (le_n _) Hth)|].
    simpl. rewrite !utility_now by (auto; intros; exact Ho). apply truth_is_best_now; auto.
  - intros sigma P Hs Hn Hin Hc Hlt. rewrite (worst_case_of_truth _ HG Hth).
    eapply Rbar_le_lt_trans; [apply (worst_case_at_most sigma _ (at_step H) (le_n _) Hth)|].
    simpl. rewrite !utility_now by (auto; intros; exact Ho). eapply truth_is_better_now; eauto.
  - intros sigma theta theta' T Hs Hth1 Hth2 HT. split; [exact (no_strategy_guarantees_more sigma theta theta' T HG Hs Hth1 Hth2 HT)|].
    intros P Hn Hin Hc Hlt. destruct Hth1 as [Ht _]. destruct Hth2 as [Ht' _].
    apply Rlt_le_trans with (U sigma_star theta' (at_step H)); [rewrite !utility_now by auto; eapply truth_is_better_now; eauto|].
    apply utility_grows; auto using truth_loses_nothing, playing_range, truthful_range.
Qed.
End Theorems.

(* hat c_{i,t}, the running mean of one's own costs *)
Definition mean_cost : list observation -> R := average cost.
Lemma mean_cost_in_range : in_range mean_cost.
Proof. intros own Hne Ho. apply average_between; auto. intros o Hin. apply Ho. exact Hin. Qed.

(* a step depends on the estimates and bids at hand alone: Plays.v reads these off a play *)
Lemma step_agrees qhat qhat' bid bid' h j : (forall i, qhat i (m h i) = qhat' i (m h i)) -> bid h = bid' h ->
  step N delta cmax qmin gamma qhat bid g h j -> step N delta cmax qmin gamma qhat' bid' g h j.
Proof.
  intros Hq Hb. assert (E : Qh N delta qmin qhat h = Qh N delta qmin qhat' h).
  { unfold Qh. apply filter_ext. intros i. unfold inQh. rewrite Hq. reflexivity. }
  unfold step, explores. rewrite E, Hb. exact (fun x => x).
Qed.

Definition any_game p own rivals i H : Prop :=
  obeys_rules p /\ law own /\ (i < N)%nat /\ possible_history H /\ (forall j, (j < N)%nat -> j <> i -> bids_in_range (rivals j)).
(* Bidding the mean of one's own costs never loses in expectation, has a worst case over T and theta_{-i} no lower
   than any strategy's, and a higher one than that of a bid on the other side of the critical payment: over all laws, and over any
   set of laws of the others. *)
Theorem thm_robust_dominant p own rivals i H : any_game p own rivals i H ->
  let sigma_star := truthful mean_cost in
  let U sigma theta T := utility mean_cost p theta (playing i sigma rivals) i H T in
  let worst sigma := worst_case mean_cost p own rivals i H sigma in
  (forall T theta, (at_step H <= T)%nat -> environment i own theta -> 0 <= U sigma_star theta T) /\
  (forall sigma, bids_in_range sigma -> Rbar_le (worst sigma) (worst sigma_star)) /\
  (forall sigma P, bids_in_range sigma -> ~ explores_at H -> In i (eligible_set H) ->
    critical H (bids_at (playing i sigma_star rivals) H) i = Some P ->
    (sigma_star (at_step H) (own_history i H) - P) * (sigma (at_step H) (own_history i H) - P) < 0 ->
    Rbar_lt (worst sigma) (worst sigma_star)) /\
  (* ii) and iii) without infima, and so for those over any set of laws *)
  (forall sigma theta theta' T, bids_in_range sigma -> environment i own theta -> environment i own theta' -> (at_step H <= T)%nat ->
    U sigma theta (at_step H) <= U sigma_star theta' T /\
    (forall P, ~ explores_at H -> In i (eligible_set H) -> critical H (bids_at (playing i sigma_star rivals) H) i = Some P ->
      (sigma_star (at_step H) (own_history i H) - P) * (sigma (at_step H) (own_history i H) - P) < 0 ->
      U sigma theta (at_step H) < U sigma_star theta' T)).
Proof.
  intros (Hp & Ho & Hi & HH & Hr). exact (robust_dominant mean_cost p own rivals i H
    (conj Hp (conj mean_cost_in_range (conj Ho (conj Hi (conj HH Hr)))))).
Qed.

(* Where all bid their estimates, nobody improves its worst case by another strategy, at any step and after any history. *)
Theorem robust_equilibrium_of_estimates (estimates : nat -> list observation -> R) p own i H :
  obeys_rules p -> (forall j, in_range (estimates j)) -> law own -> (i < N)%nat -> possible_history H ->
  let profile j := truthful (estimates j) in
  forall sigma, bids_in_range sigma ->
  Rbar_le (worst_case (estimates i) p own profile i H sigma) (worst_case (estimates i) p own profile i H (profile i)).
Proof.
  intros Hp He Ho Hi HH profile sigma Hs. apply (robust_dominant (estimates i) p own profile i H); [|exact Hs].
  split; [exact Hp|]. split; [apply He|]. split; [exact Ho|]. split; [exact Hi|]. split; [exact HH|].
  intros j _ _. apply truthful_range, He.
Qed.
(* Where all bid the mean of their own costs, nobody improves its worst case by another strategy, at any step and
   after any history. *)
Theorem robust_equilibrium p own i H : obeys_rules p -> law own -> (i < N)%nat -> possible_history H ->
  let profile (j : nat) := truthful mean_cost in
  forall sigma, bids_in_range sigma ->
  Rbar_le (worst_case mean_cost p own profile i H sigma) (worst_case mean_cost p own profile i H (profile i)).
Proof.
  intros Hp Ho Hi HH profile sigma Hs.
  exact (robust_equilibrium_of_estimates (fun _ => mean_cost) p own i H Hp (fun _ => mean_cost_in_range) Ho Hi HH sigma Hs).
Qed.
End Game.
