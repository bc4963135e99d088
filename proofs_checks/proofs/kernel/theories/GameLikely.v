(* The paper's statements with probability at least 1 - delta, over the dynamics of Game.v.

   Providers observe what they serve and bid by strategies; the platform selects by its rules. Every statement is about what
   is served and paid along the play itself. Plays.v says what a play is, and what "with probability at least" means. *)
Require Import Reals Lra Lia List Arith.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements Rates Limits Game Dynamics
  Hoeffding Plays.
Import ListNotations.
Open Scope R_scope.

(* ---- what is paid along a history, initialization included *)
Section Paid.
Variables (N : nat) (delta cmax qmin gamma : R) (g : nat -> R) (profile : nat -> strategy) (value : R -> R).
(* a value of the payment of every query, summed *)
Fixpoint over_payments (start : nat -> observation) (queries : list (nat * observation)) : R :=
  match queries with
  | [] => INR N * value cmax
  | (j, _) :: before =>
      let H := {| initial := start; later := before |} in
      value (paid N delta cmax qmin gamma g H (bids_at N profile H) j) + over_payments start before
  end.
Definition all_payments (H : history) : R := over_payments (initial H) (later H).
Lemma all_payments_after H j o :
  all_payments (after H j o) = value (paid N delta cmax qmin gamma g H (bids_at N profile H) j) + all_payments H.
Proof. destruct H. reflexivity. Qed.
Lemma payments_along theta w bid t : play N delta cmax qmin gamma g profile w -> (forall t, bid (served (w t)) = bids_at N profile (w t)) ->
  all_payments (w t) = INR N * value cmax
    + total (fun h s => value (payment N delta cmax qmin gamma (scores_along theta w) bid g h s)) (served (w t)).
Proof.
  intros Hw Hbid. induction t as [|t IH].
  - destruct Hw as [(o & _ & ->) _]. unfold all_payments, start. simpl. lra.
  - destruct (proj2 Hw t) as [->|(j & o & _ & _ & ->)]; [exact IH|]. rewrite all_payments_after, IH.
    change (served (after (w t) j o)) with (j :: served (w t)). cbn [total].
    rewrite (payment_now N delta cmax qmin gamma g theta profile w Hw bid Hbid t j). lra.
Qed.
End Paid.

Lemma average_is_near N delta cmax qmin gamma g profile c2 H :
  Rabs (all_payments N delta cmax qmin gamma g profile (fun x => x) H - c2 * INR (N + length (later H)))
  <= all_payments N delta cmax qmin gamma g profile (fun x => Rabs (x - c2)) H.
Proof.
  destruct H as [start queries]. unfold all_payments. simpl. induction queries as [|[j o] before IH].
  - simpl. rewrite Nat.add_0_r. replace (INR N * cmax - c2 * INR N) with (INR N * (cmax - c2)) by ring.
    rewrite Rabs_mult, (Rabs_pos_eq (INR N)) by apply pos_INR. lra.
  - cbn [over_payments length]. replace (N + S (length before))%nat with (S (N + length before)) by lia. rewrite S_INR.
    set (x := paid _ _ _ _ _ _ _ _ _) in *.
    eapply Rle_trans; [|apply Rplus_le_compat_l; exact IH]. eapply Rle_trans; [|apply Rabs_triang]. right. f_equal. ring.
Qed.

(* ---- strategies *)
(* bids in [0, cmax], at most d_minus below and d_plus above an estimate of the cost, at every history *)
Definition bids_near (N : nat) (cmax d_minus d_plus : R) (estimate : nat -> list observation -> R) (profile : nat -> strategy) : Prop :=
  forall i t own, (i < N)%nat -> own <> [] -> (forall o, In o own -> possible cmax o) ->
    - d_minus <= profile i t own - estimate i own <= d_plus /\ 0 <= profile i t own <= cmax.
(* estimates in [0, cmax], within a slack of so many radii of the sample mean *)
Definition estimates_near (N : nat) (delta cmax slack : R) (estimate : nat -> list observation -> R) : Prop :=
  forall i own, (i < N)%nat -> own <> [] -> (forall o, In o own -> possible cmax o) ->
    Rabs (estimate i own - mean_cost own) <= slack * cmax * beta (INR N) delta (INR (length own)) /\ 0 <= estimate i own <= cmax.
Lemma sample_means_are_near N delta cmax : estimates_near N delta cmax 0 (fun _ => mean_cost).
Proof. intros i own _ Hne Ho. split; [rewrite Rminus_eq_0, Rabs_R0; lra|apply mean_cost_in_range; assumption]. Qed.
(* sigma^*: everybody bids the sample mean of its costs *)
Definition sigma_star : nat -> strategy := fun _ => Game.truthful mean_cost.
Lemma sigma_star_is_near N cmax : bids_near N cmax 0 0 (fun _ => mean_cost) sigma_star.
Proof. intros i t own _ Hne Ho. unfold sigma_star, Game.truthful. split; [lra|]. apply mean_cost_in_range; assumption. Qed.

(* ---- a play on which nothing is off is a run on the good event *)
Section GoodPlays.
Variables (N : nat) (delta cmax qmin gamma slack d_minus d_plus : R) (g : nat -> R).
Variables (theta : nat -> (observation -> R) -> R) (profile : nat -> strategy) (estimate : nat -> list observation -> R).
Notation quality := (quality theta).
Notation cost_of := (cost_of theta).
Hypothesis Hslack : 0 <= slack.
Hypothesis Hc : 0 < cmax.
Hypothesis Hdev : 0 <= d_minus /\ 0 <= d_plus.
Hypothesis Htheta : forall j, Game.law cmax (theta j).
Hypothesis Hestimate : estimates_near N delta cmax slack estimate.
Hypothesis Hbids : bids_near N cmax d_minus d_plus estimate profile.
Variable w : nat -> history.
Hypothesis Hw : play N delta cmax qmin gamma g profile w.
Hypothesis Hgood : forall t, ~ not_good N delta cmax theta (w t).
Notation estimates := (along w estimate cost_of).

Lemma first_own_not_empty i n t : (1 <= n <= length (own_history i (w t)))%nat -> first_own (w t) i n <> [].
Proof. intros Hn E. pose proof (first_own_length w i n t ltac:(lia)) as Hl. rewrite E in Hl. simpl in Hl. lia. Qed.
Lemma cost_of_range i : 0 <= cost_of i <= cmax.
Proof. apply (law_between cmax); [apply Htheta|]. intros o Ho. apply Ho. Qed.
Lemma good_play_is_good : Statements.good_event N delta cmax slack quality cost_of (scores_along theta w) estimates.
Proof.
  split; intros i n Hi Hn.
  - apply (along_case w (fun x => Rabs (x - quality i) <= bt N delta n)).
    + intros t Ht. apply (in_band N delta cmax theta w t i n (Hgood t) Hi ltac:(lia)).
    + unfold Rminus. rewrite Rplus_opp_r, Rabs_R0. apply sqrt_pos.
  - apply (along_case w (fun x => Rabs (x - cost_of i) <= rad N delta cmax slack n)).
    + intros t Ht. destruct (in_band N delta cmax theta w t i n (Hgood t) Hi ltac:(lia)) as [_ H2].
      destruct (Hestimate i (first_own (w t) i n) Hi (first_own_not_empty i n t ltac:(lia))
        (first_own_possible N delta cmax qmin gamma g profile w Hw i n t Hi)) as [H1 _].
      rewrite (first_own_length w i n t Ht) in H1.
      unfold rad, bt. apply lem_bayesian_cost_concentration with (sample_mean := mean_cost (first_own (w t) i n)); assumption.
    + unfold Rminus. rewrite Rplus_opp_r, Rabs_R0. unfold rad. apply Rmult_le_pos; [nra|apply sqrt_pos].
Qed.
Lemma good_play_bids_follow :
  bids_follow N delta cmax qmin gamma d_minus d_plus (scores_along theta w) estimates (bids_on N profile w estimates) g.
Proof.
  intros h i _ Hi. unfold bids_on. destruct (visited w h) as [[t Ht]|_]; cbn [proj1_sig].
  - rewrite <- Ht, (along_now N delta cmax qmin gamma g profile w Hw). apply Hbids; [exact Hi|apply own_history_not_empty|].
    apply (own_history_possible N cmax i (w t) Hi). exact (play_possible N delta cmax qmin gamma g profile w Hw t).
  - split; [lra|]. apply (along_case w (fun x => 0 <= x <= cmax)); [|apply cost_of_range].
    intros t Ht. apply (Hestimate i); [exact Hi|apply first_own_not_empty; unfold m in *; lia|].
    exact (first_own_possible N delta cmax qmin gamma g profile w Hw i _ t Hi).
Qed.
End GoodPlays.

(* ---- the labels, with gamma = 0 *)
Section Labels.
Variables (N : nat) (delta cmax qmin : R) (theta : nat -> (observation -> R) -> R) (best : nat) (k alpha c2 : R).
Variables (p : platform) (first : ((nat -> observation) -> R) -> R).
Notation n := (INR N).
Notation quality := (quality theta).
Notation cost_of := (cost_of theta).
Notation g := (target N k alpha).
Notation dynamics := (dynamics N delta cmax qmin 0 g p theta first).
(* on E, which fails with probability at most delta at every horizon *)
Notation likely_with profile := (holds_on_E N delta cmax qmin 0 g p theta first profile).
Notation market_with d_minus d_plus := (market_of_payments N delta cmax qmin 0 d_minus d_plus k alpha quality cost_of best c2).
Notation at_horizon := (Dynamics.probability N delta qmin g p theta first sigma_star).
Notation queries H := (N + length (later H))%nat.
Notation T_of H := (INR (N + length (later H))).
Notation T0 := (Limits.T0 N delta qmin k alpha quality).
Notation deviation_per_step := (deviation_per_step N delta cmax qmin 0 k alpha quality c2).
Notation excess_per_step := (excess_per_step N delta cmax 0 k alpha c2).
Notation payments profile := (all_payments N delta cmax qmin 0 g profile).
Notation average_payment profile H := (payments profile (fun x => x) H / T_of H).
Notation average_deviation profile H := (payments profile (fun x => Rabs (x - c2)) H / T_of H).
Notation average_excess profile H := (payments profile (fun x => Rmax 0 (x - c2)) H / T_of H).
Notation bids_now profile H := (bids_at N profile H).
Notation serves profile H := (may_serve N delta cmax qmin 0 g H (bids_now profile H)).
Notation exploring H := (explores_at N delta qmin g H).
Notation paid_now profile H := (paid N delta cmax qmin 0 g H (bids_now profile H)).

Section OnGoodPlays.
Variables (d_minus d_plus : R) (profile : nat -> strategy).
Hypothesis Hdyn : dynamics.
Hypothesis Hbids : bids_near N cmax d_minus d_plus (fun _ => mean_cost) profile.
Notation estimates w := (along w (fun _ => mean_cost) cost_of).
Notation bid w := (bids_on N profile w (estimates w)).
Notation run_in w := (run N delta cmax qmin 0 (scores_along theta w) (bid w) g).
Lemma good_play (w : nat -> history) : 0 < cmax -> 0 <= d_minus /\ 0 <= d_plus -> play N delta cmax qmin 0 g profile w ->
  (forall t, ~ not_good N delta cmax theta (w t)) ->
  on_good_event N delta cmax qmin 0 d_minus d_plus k alpha quality cost_of (scores_along theta w) (estimates w) (bid w) /\
  forall t, run_in w (served (w t)).
Proof.
  intros Hc Hdev Hw Hgood. pose proof (sample_means_are_near N delta cmax) as Hmean. destruct Hdyn as (Hp & Htheta & _). split; [split|].
  - exact (good_play_is_good N delta cmax qmin 0 0 g theta profile (fun _ => mean_cost) (Rle_refl 0) Hc Hmean w Hw Hgood).
  - exact (good_play_bids_follow N delta cmax qmin 0 0 d_minus d_plus g theta profile (fun _ => mean_cost) Hdev Htheta Hmean Hbids w Hw).
  - exact (play_is_run N delta cmax qmin 0 g theta profile w Hw (bid w) (bids_on_play N delta cmax qmin 0 g profile w Hw (estimates w))).
Qed.
Lemma served_queries H : (N + length (served H) = queries H)%nat.
Proof. unfold served. rewrite map_length. reflexivity. Qed.
Lemma on_good_plays (claim : (nat -> history) -> Prop) : market N delta cmax qmin 0 d_minus d_plus quality cost_of best ->
  (forall w, play N delta cmax qmin 0 g profile w ->
    on_good_event N delta cmax qmin 0 d_minus d_plus k alpha quality cost_of (scores_along theta w) (estimates w) (bid w) ->
    (forall t, run_in w (served (w t))) -> claim w) ->
  likely_with profile claim.
Proof.
  intros (HN & Hd & Hc & _ & Hdev & _) H. apply on_E; auto; [lia|]. intros w Hw Hgood.
  destruct (good_play w Hc Hdev Hw Hgood) as [He Hr]. apply H; assumption.
Qed.
Lemma on_the_play w : play N delta cmax qmin 0 g profile w -> forall t, bid w (served (w t)) = bids_now profile (w t).
Proof. intros Hw. exact (bids_on_play N delta cmax qmin 0 g profile w Hw (estimates w)). Qed.
Lemma deviation_along w t : market_with d_minus d_plus -> play N delta cmax qmin 0 g profile w ->
  payments profile (fun x => Rabs (x - c2)) (w t)
  = run_deviation N delta cmax qmin 0 k alpha (scores_along theta w) (bid w) c2 (served (w t)).
Proof.
  intros Hm Hw. rewrite (payments_along N delta cmax qmin 0 g profile (fun x => Rabs (x - c2)) theta w (bid w) t Hw (on_the_play w Hw)).
  unfold run_deviation. rewrite (Rabs_pos_eq (cmax - c2)); [reflexivity|].
  pose proof (c2_inside N delta cmax qmin 0 d_minus d_plus k alpha quality cost_of best c2 Hm). lra.
Qed.
Lemma excess_along w t : market_with d_minus d_plus -> play N delta cmax qmin 0 g profile w ->
  payments profile (fun x => Rmax 0 (x - c2)) (w t)
  = run_excess_payment N delta cmax qmin 0 (scores_along theta w) (bid w) g c2 (served (w t)).
Proof.
  intros Hm Hw. rewrite (payments_along N delta cmax qmin 0 g profile (fun x => Rmax 0 (x - c2)) theta w (bid w) t Hw (on_the_play w Hw)).
  unfold run_excess_payment. rewrite (Rmax_right 0 (cmax - c2)); [reflexivity|].
  pose proof (c2_inside N delta cmax qmin 0 d_minus d_plus k alpha quality cost_of best c2 Hm). lra.
Qed.
Lemma payment_along w t : play N delta cmax qmin 0 g profile w ->
  payments profile (fun x => x) (w t) = run_payment N delta cmax qmin 0 k alpha (scores_along theta w) (bid w) (served (w t)).
Proof. intros Hw. exact (payments_along N delta cmax qmin 0 g profile (fun x => x) theta w (bid w) t Hw (on_the_play w Hw)). Qed.
(* With bounded deviations and probability at least 1 - delta the average deviation of every run is within the bound
   and max{d_-, d_+}, the average payment is between c_(2) - d_- and c_(2) + d_+ in the limit, and the average excess
   payment is within its bound and d_+. *)
Theorem thm_deviation_payment_convergence_game : market_with d_minus d_plus ->
  likely_with profile (fun w =>
    (forall t, average_deviation profile (w t) <= deviation_per_step (T_of (w t)) + Rmax d_minus d_plus) /\
    (forall epsilon, 0 < epsilon -> exists T1, forall t, (T1 <= queries (w t))%nat ->
      c2 - d_minus - epsilon <= average_payment profile (w t) <= c2 + d_plus + epsilon) /\
    (forall t, average_excess profile (w t) <= excess_per_step (T_of (w t)) + d_plus)).
Proof.
  intros Hm. apply on_good_plays; [exact (proj1 Hm)|]. intros w Hw He Hr. split; [|split].
  - intros t. rewrite (deviation_along w t Hm Hw), <- served_queries.
    exact (average_deviation_bound _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ (served (w t)) Hm He (Hr t)).
  - intros epsilon Hep. destruct (average_payment_limits _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hm He epsilon Hep) as (T1 & H).
    exists T1. intros t HT. rewrite (payment_along w t Hw), <- served_queries. apply H; [apply Hr|rewrite served_queries; exact HT].
  - intros t. rewrite (excess_along w t Hm Hw), <- served_queries.
    exact (cor_excess_payment_polynomial _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ (served (w t)) Hm He (Hr t)).
Qed.
End OnGoodPlays.
(* With probability at least 1 - delta the average deviation of every run of every length is within the three terms,
   and the average payment tends to the second-lowest cost. *)
Theorem thm_regret_game : market_with 0 0 -> dynamics ->
  likely_with sigma_star (fun w =>
    (forall t, let T := T_of (w t) in
      average_deviation sigma_star (w t) <= T0 / T * cmax + k * Rpower (n / T) (1 - alpha) * (cmax - c2)
        + 6 * cmax / (2 - alpha)
          * sqrt (1 / (2 * k) * Rpower (n / T) alpha * ln (2 * PI ^ 2 * n * k ^ 2 / (3 * delta) * Rpower (T / n) (2 * alpha)))) /\
    (forall epsilon, 0 < epsilon -> exists T1, forall t, (T1 <= queries (w t))%nat ->
      Rabs (average_payment sigma_star (w t) - c2) <= epsilon)).
Proof.
  intros Hm Hdyn. apply (on_E_follows N delta cmax qmin 0 g p theta first sigma_star) with
    (2 := thm_deviation_payment_convergence_game 0 0 sigma_star Hdyn (sigma_star_is_near N cmax) Hm).
  intros w _ (Hdev & Hlim & _). split.
  - intros t. cbv zeta. specialize (Hdev t). rewrite Rmax_left, Rplus_0_r in Hdev by lra.
    unfold Limits.deviation_per_step in Hdev. rewrite Rplus_0_r, Rmult_1_l in Hdev. exact Hdev.
  - intros epsilon Hep. destruct (Hlim epsilon Hep) as (T1 & H). exists T1. intros t HT. specialize (H t HT). apply Rabs_le. lra.
Qed.
(* its probabilities at every horizon T = N + j, of Game.v alone: T1 is the same for all plays *)
Corollary thm_regret_at_every_horizon : market_with 0 0 -> dynamics ->
  (forall j, 1 - delta <= at_horizon j (fun H => let T := T_of H in
    average_deviation sigma_star H <= T0 / T * cmax + k * Rpower (n / T) (1 - alpha) * (cmax - c2)
      + 6 * cmax / (2 - alpha)
        * sqrt (1 / (2 * k) * Rpower (n / T) alpha * ln (2 * PI ^ 2 * n * k ^ 2 / (3 * delta) * Rpower (T / n) (2 * alpha))))) /\
  (forall epsilon, 0 < epsilon -> exists T1, forall j, (T1 <= N + j)%nat ->
    1 - delta <= at_horizon j (fun H => Rabs (average_payment sigma_star H - c2) <= epsilon)).
Proof.
  intros Hm Hdyn. split.
  - apply (E_at_every_horizon N delta cmax qmin 0 g p theta first sigma_star); [exact Hdyn|].
    apply (on_E_follows N delta cmax qmin 0 g p theta first sigma_star) with (2 := thm_regret_game Hm Hdyn). intros w _ [H _]. exact H.
  - intros epsilon Hep.
    destruct (deviation_vanishes N delta cmax qmin 0 0 0 k alpha quality cost_of best c2 Hm epsilon Hep) as (T1 & HT1).
    exists T1. intros j Hj.
    pose (claim := fun H => (T1 <= queries H)%nat -> Rabs (average_payment sigma_star H - c2) <= epsilon).
    apply Rle_trans with (at_horizon j claim).
    + apply (E_at_every_horizon N delta cmax qmin 0 g p theta first sigma_star); [exact Hdyn|].
      apply (on_E_follows N delta cmax qmin 0 g p theta first sigma_star) with
        (2 := thm_deviation_payment_convergence_game 0 0 sigma_star Hdyn (sigma_star_is_near N cmax) Hm).
      intros w _ (Hdev & _) t HT. specialize (Hdev t). rewrite Rmax_left, Rplus_0_r in Hdev by lra. specialize (HT1 _ HT). cbv beta in HT1.
      pose proof Hm as ((HN & _) & _). assert (HTpos : 0 < T_of (w t)) by (apply lt_0_INR; lia).
      pose proof (average_is_near N delta cmax qmin 0 g sigma_star c2 (w t)) as Hnear. pose proof (Rle_abs (deviation_per_step (T_of (w t)))).
      replace (average_payment sigma_star (w t) - c2)
        with ((payments sigma_star (fun x => x) (w t) - c2 * T_of (w t)) / T_of (w t)) by (field; lra).
      unfold Rdiv at 1. rewrite Rabs_mult, (Rabs_pos_eq (/ T_of (w t))) by (apply Rlt_le, Rinv_0_lt_compat; exact HTpos).
      apply Rle_trans with (average_deviation sigma_star (w t)); [|lra].
      apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; exact HTpos|exact Hnear].
    + apply (whole_monotone N delta cmax qmin 0 g p theta first sigma_star Hdyn); try apply bounded_ind.
      intros H (o & _ & Hr). unfold ind. destruct (excluded_middle (claim H)) as [HC|]; destruct (excluded_middle _) as [|Hno]; try lra.
      exfalso. apply Hno, HC. destruct (reaches_split _ _ _ _ _ _ _ _ _ _ Hr) as (_ & l & Hl & El). rewrite El, app_length. simpl. lia.
Qed.
(* With probability at least 1 - delta every auction after T_0 pays within three radii of the second-lowest cost,
   these payments tend to it, and the average deviation of every run is within the bound. *)
Theorem thm_payment_convergence_game : market_with 0 0 -> dynamics ->
  likely_with sigma_star (fun w =>
    (forall t i, serves sigma_star (w t) i -> ~ exploring (w t) -> let s := at_step N (w t) in T0 < INR s ->
      c2 - 3 * cmax * beta n delta (g s) <= paid_now sigma_star (w t) i <= c2 + cmax * beta n delta (g s)) /\
    (forall epsilon, 0 < epsilon -> exists t1, forall t i, serves sigma_star (w t) i -> ~ exploring (w t) ->
      (t1 <= at_step N (w t))%nat -> Rabs (paid_now sigma_star (w t) i - c2) <= epsilon) /\
    (forall t, average_deviation sigma_star (w t) <= deviation_per_step (T_of (w t)))).
Proof.
  intros Hm Hdyn. apply (on_good_plays 0 0 sigma_star Hdyn (sigma_star_is_near N cmax)); [exact (proj1 Hm)|].
  intros w Hw He Hr. set (est := along w (fun _ => mean_cost) cost_of) in *.
  pose proof (bids_on_play N delta cmax qmin 0 g sigma_star w Hw est) as Hbid.
  assert (Hstep : forall t i, serves sigma_star (w t) i ->
    step N delta cmax qmin 0 (scores_along theta w) (bids_on N sigma_star w est) g (served (w t)) i)
    by exact (step_now N delta cmax qmin 0 g theta sigma_star w Hw _ Hbid).
  assert (Hx : forall t, ~ exploring (w t) -> ~ explores N delta qmin (scores_along theta w) g (served (w t))).
  { intros t H H'. apply H. apply (explores_now N delta cmax qmin 0 g theta sigma_star w Hw t). exact H'. }
  split; [|split].
  - intros t i Hs Hn. cbv zeta. intros Ht. rewrite <- (payment_now N delta cmax qmin 0 g theta sigma_star w Hw _ Hbid t i).
    destruct (lem_two_sided_payment _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ (served (w t)) i
      (converging_payments _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hm He) (Hr t) (Hstep t i Hs) (Hx t Hn) Ht) as [[_ Hup] Hlow].
    rewrite !Rplus_0_r, Rmult_1_l in Hup. rewrite !Rplus_0_r, Rminus_0_r, Rmult_1_l, <- Rmult_assoc in Hlow. split; assumption.
  - intros epsilon Hep. destruct (auction_payment_limits _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hm He epsilon Hep) as (t1 & H).
    exists t1. intros t i Hs Hn Ht. rewrite <- (payment_now N delta cmax qmin 0 g theta sigma_star w Hw _ Hbid t i).
    specialize (H (served (w t)) i (Hr t) (Hstep t i Hs) (Hx t Hn) Ht). apply Rabs_le. lra.
  - intros t. rewrite (deviation_along 0 0 sigma_star w t Hm Hw), <- served_queries.
    pose proof (average_deviation_bound _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ (served (w t)) Hm He (Hr t)) as H.
    rewrite Rmax_left, Rplus_0_r in H by lra. exact H.
Qed.

(* What is about selections alone needs no c_(2). *)
Lemma truthful_separates : market N delta cmax qmin 0 0 0 quality cost_of best -> separated N qmin 0 0 quality cost_of best.
Proof. intros (_ & _ & _ & _ & _ & _ & _ & _ & _ & Hbest) i Hi Hq Hne. specialize (Hbest i Hi Hq Hne). lra. Qed.
(* With probability at least 1 - delta no run of any length has more non-optimal steps than N - 1 + B_id(T). *)
Theorem thm_sample_complexity_game :
  market N delta cmax qmin 0 0 0 quality cost_of best -> dynamics -> 0 < k -> 0 < alpha < 1 ->
  likely_with sigma_star (fun w => forall t,
    nonoptimal_steps N best (served (w t)) <= n - 1 +
      (total_over (unqualified N qmin quality) (fun i => selection_bound delta (qmin - quality i) n)
       + total_over (competitors N qmin quality best)
           (fun i => Rmax (selection_bound delta ((cost_of i - cost_of best) / cmax) n) (k * Rpower (T_of (w t) / n) alpha)))).
Proof.
  intros Hm Hdyn Hk Ha. pose proof Hm as (HN & Hd & Hc & _).
  apply (on_good_plays 0 0 sigma_star Hdyn (sigma_star_is_near N cmax)); [exact Hm|]. intros w Hw [He Hbids] Hr t.
  rewrite <- served_queries.
  eapply Rle_trans; [apply (thm_sample_complexity_on_good_event _ _ _ _ _ _ _ _ _ _ _ _ _ g (served (w t)) Hm He Hbids); auto|].
  - intros s u. apply g_mono; assumption.
  - exact (truthful_separates Hm).
  - apply g_pos. assumption.
  - apply Rplus_le_compat_l. rewrite Rplus_comm. apply Rplus_le_compat_l, rounded_caps_below. intros i.
    unfold Runs.L, Runs.M. f_equal. field. lra.
Qed.
(* its probability at every horizon: after j queries beyond initialization, T = N + j *)
Corollary thm_sample_complexity_at_every_horizon :
  market N delta cmax qmin 0 0 0 quality cost_of best -> dynamics -> 0 < k -> 0 < alpha < 1 -> forall j,
  1 - delta <= at_horizon j (fun H =>
    nonoptimal_steps N best (served H) <= n - 1 +
      (total_over (unqualified N qmin quality) (fun i => selection_bound delta (qmin - quality i) n)
       + total_over (competitors N qmin quality best)
           (fun i => Rmax (selection_bound delta ((cost_of i - cost_of best) / cmax) n) (k * Rpower (T_of H / n) alpha)))).
Proof.
  intros Hm Hdyn Hk Ha. apply (E_at_every_horizon N delta cmax qmin 0 g p theta first sigma_star); [exact Hdyn|].
  apply thm_sample_complexity_game; assumption.
Qed.
(* With probability at least 1 - delta the share of the steps that the best provider does not serve tends to 0. *)
Theorem cor_vanishing_nonoptimal_selections_game :
  market N delta cmax qmin 0 0 0 quality cost_of best -> dynamics -> 0 < k -> 0 < alpha < 1 ->
  likely_with sigma_star (fun w => forall epsilon, 0 < epsilon -> exists T1, forall t, (T1 <= queries (w t))%nat ->
    nonoptimal_steps N best (served (w t)) / T_of (w t) <= epsilon).
Proof.
  intros Hm Hdyn Hk Ha. apply (on_good_plays 0 0 sigma_star Hdyn (sigma_star_is_near N cmax)); [exact Hm|].
  intros w Hw He Hr epsilon Hep.
  destruct (vanishing_nonoptimal_selections _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hm He
    (truthful_separates Hm) Hk Ha epsilon Hep) as (T1 & H).
  exists T1. intros t HT. rewrite <- served_queries in *. apply H; [apply Hr|exact HT].
Qed.
End Labels.
