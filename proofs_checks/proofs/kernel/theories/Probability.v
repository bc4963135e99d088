(* With probability at least 1 - delta: the paper's statements about payments and selections, for all horizons at once.

   A world holds every draw of every provider. For each horizon M there is an expectation of what the first M draws decide;
   no expectation of anything else is needed, so that a market of fair coins is an instance (below). A claim has probability
   at least p where it holds outside of events that grow with M, each decided by the first M draws and of probability at
   most 1 - p. *)
Require Import Reals Lra Lia List Arith Psatz Classical.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Hoeffding Statements Rates Limits.
Import ListNotations.
Open Scope R_scope.

(* Whether something holds is decided by the axioms of the real numbers. *)
Lemma excluded_middle (P : Prop) : {P} + {~ P}.
Proof. destruct (ClassicalDedekindReals.sig_not_dec P) as [H|H]; [left; apply NNPP; exact H|right; exact H]. Qed.

Lemma mean_between (X : Type) (f : X -> R) most l : (forall x, 0 <= f x <= most) -> (0 < length l)%nat -> 0 <= mean f l <= most.
Proof.
  intros Hf Hl. assert (Hs : 0 <= fold_right (fun x s => f x + s) 0 l <= INR (length l) * most).
  { clear Hl. induction l as [|x l IH]; [simpl; lra|]. cbn [fold_right length]. rewrite S_INR. specialize (Hf x). lra. }
  assert (HL : 0 < INR (length l)) by (apply lt_0_INR; assumption). unfold mean. split.
  - apply Rmult_le_pos; [apply Hs|apply Rlt_le, Rinv_0_lt_compat; assumption].
  - apply Rmult_le_reg_r with (INR (length l)); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. lra.
Qed.

Section Probability.
Variables (X World : Type) (N : nat) (delta cmax qmin : R).
Variables (law : nat -> (X -> R) -> R) (expectation : nat -> (World -> R) -> R) (draw : nat -> nat -> World -> X).
Variables (score price : X -> R) (quality cost : nat -> R) (best : nat).
Notation score_mean w := (fun i count => mean score (row X World draw i count w)).
Notation price_mean w := (fun i count => mean price (row X World draw i count w)).

(* Queries are drawn independently: the draws of one provider are. Nothing is assumed between providers, or between the score
   and the cost of one draw. *)
Definition independent_queries : Prop :=
  (forall M, isE (expectation M)) /\ (forall i, isE (law i)) /\
  (forall x, 0 <= score x <= 1) /\ (forall x, 0 <= price x <= cmax) /\
  (forall i, quality i = law i score) /\ (forall i, cost i = law i price) /\
  (forall M i count F, (i < N)%nat -> (count <= M)%nat -> bounded F ->
    expectation M (fun w => F (row X World draw i count w)) = EM (law i) count F).

Definition probability (M : nat) (event : World -> Prop) : R := expectation M (fun w => ind _ (excluded_middle (event w))).
Definition decided_by_first (M : nat) (event : World -> Prop) : Prop :=
  forall w w', (forall i k, (i < N)%nat -> (k < M)%nat -> draw i k w = draw i k w') -> event w -> event w'.
Definition with_probability_at_least (p : R) (claim : World -> Prop) : Prop := exists failure : nat -> World -> Prop,
  (forall M, decided_by_first M (failure M)) /\ (forall M w, failure M w -> failure (S M) w) /\
  (forall M, probability M (failure M) <= 1 - p) /\
  (forall w, (forall M, ~ failure M w) -> claim w).

(* lem:good-event: with probability at least 1 - delta every mean of every provider stays in its band at every count *)
Theorem lem_good_event_likely : (1 <= N)%nat -> 0 < delta < 1 -> 0 < cmax -> independent_queries ->
  with_probability_at_least (1 - delta) (fun w => Statements.good_event N delta cmax 0 quality cost (score_mean w) (price_mean w)).
Proof.
  intros HN Hd Hc (HE & Hlaw & Hs & Hp & Hq & Hco & Hiid).
  exists (fun M w => bad X World N delta cmax draw score price quality cost M w). split; [|split; [|split]].
  - intros M w w' Heq (i & j & Hi & Hj & H). exists i, j. split; [assumption|split; [assumption|]].
    assert (E : row X World draw i j w = row X World draw i j w').
    { unfold row. apply map_ext_in. intros a Ha. apply in_seq in Ha. apply Heq; [assumption|lia]. }
    unfold badq, badc in *. rewrite E in H. exact H.
  - intros M w (i & j & Hi & Hj & H). exists i, j. split; [assumption|split; [lia|assumption]].
  - intros M. replace (1 - (1 - delta)) with delta by ring. unfold probability.
    apply (Hoeffding.good_event X World N delta cmax law (expectation M) draw score price quality cost) with (M := M); auto.
  - intros w Hw. split; intros i j Hi Hj; apply Rnot_lt_le; intros Hlt; apply (Hw j); exists i, j; (split; [assumption|split; [lia|]]).
    + left. exact Hlt.
    + right. unfold badc, rad, bt in *. rewrite Rplus_0_r, Rmult_1_l in Hlt. exact Hlt.
Qed.
(* what follows from the good event has its probability *)
Lemma likely (claim : World -> Prop) : (1 <= N)%nat -> 0 < delta < 1 -> 0 < cmax -> independent_queries ->
  (forall w, Statements.good_event N delta cmax 0 quality cost (score_mean w) (price_mean w) -> claim w) ->
  with_probability_at_least (1 - delta) claim.
Proof.
  intros HN Hd Hc Hi H. destruct (lem_good_event_likely HN Hd Hc Hi) as (A & H1 & H2 & H3 & H4).
  exists A. split; [exact H1|split; [exact H2|split; [exact H3|]]]. intros w Hw. apply H, H4. exact Hw.
Qed.

(* In every world the platform estimates qualities by sample means of scores; what providers bid may differ with the world. *)
Variables (bid : World -> list nat -> nat -> R).
Notation run_in w g := (run N delta cmax qmin 0 (score_mean w) (bid w) g).
(* the equilibrium strategy: to bid the sample mean of one's costs *)
Definition truthful (g : nat -> R) : Prop := forall w h i, run_in w g h -> (i < N)%nat -> bid w h i = price_mean w i (m h i).
(* bids in [0, cmax] that are at most d_minus below and d_plus above it *)
Definition deviating (d_minus d_plus : R) (g : nat -> R) : Prop := forall w h i, run_in w g h -> (i < N)%nat ->
  - d_minus <= bid w h i - price_mean w i (m h i) <= d_plus /\ 0 <= bid w h i <= cmax.
Lemma truthful_is_no_deviation g : independent_queries -> truthful g -> deviating 0 0 g.
Proof.
  intros (_ & _ & _ & Hp & _) H w h i Hr Hi. rewrite (H w h i Hr Hi). split; [lra|]. apply mean_between; [exact Hp|].
  unfold row, m. rewrite map_length, seq_length. lia.
Qed.

(* under the exploration target g(t) = k (t/N)^alpha *)
Section Payments.
Variables (k alpha c2 : R).
Notation n := (INR N).
Notation g := (target N k alpha).
Notation market_with d_minus d_plus := (market_of_payments N delta cmax qmin 0 d_minus d_plus k alpha quality cost best c2).
Notation step_in w := (step N delta cmax qmin 0 (score_mean w) (bid w) g).
Notation explores_in w := (explores N delta qmin (score_mean w) g).
Notation horizon h := (INR (N + length h)).
Notation payment w := (payment N delta cmax qmin 0 (score_mean w) (bid w) g).
Notation average_payment w h := (run_payment N delta cmax qmin 0 k alpha (score_mean w) (bid w) h / horizon h).
Notation average_deviation w h := (run_deviation N delta cmax qmin 0 k alpha (score_mean w) (bid w) c2 h / horizon h).
Notation average_excess w h := (run_excess_payment N delta cmax qmin 0 (score_mean w) (bid w) g c2 h / horizon h).
Notation T0 := (Limits.T0 N delta qmin k alpha quality).
Notation deviation_per_step := (deviation_per_step N delta cmax qmin 0 k alpha quality c2).
Notation excess_per_step := (excess_per_step N delta cmax 0 k alpha c2).

Lemma likely_payments (d_minus d_plus : R) (claim : World -> Prop) : market_with d_minus d_plus -> independent_queries -> deviating d_minus d_plus g ->
  (forall w, on_good_event N delta cmax qmin 0 d_minus d_plus k alpha quality cost (score_mean w) (price_mean w) (bid w) -> claim w) ->
  with_probability_at_least (1 - delta) claim.
Proof.
  intros Hm Hi Hb H. pose proof Hm as ((HN & Hd & Hc & _) & _). apply likely; auto; [lia|].
  intros w Hw. apply H. split; [exact Hw|]. intros h i Hr Hlt. apply (Hb w h i Hr Hlt).
Qed.

(* thm:deviation-payment-convergence *)
Theorem thm_deviation_payment_convergence (d_minus d_plus : R) :
  market_with d_minus d_plus -> independent_queries -> deviating d_minus d_plus g ->
  with_probability_at_least (1 - delta) (fun w =>
    (forall h, run_in w g h -> average_deviation w h <= deviation_per_step (horizon h) + Rmax d_minus d_plus) /\
    (forall epsilon, 0 < epsilon -> exists T1, forall h, run_in w g h -> (T1 <= N + length h)%nat ->
      c2 - d_minus - epsilon <= average_payment w h <= c2 + d_plus + epsilon) /\
    (forall h, run_in w g h -> average_excess w h <= excess_per_step (horizon h) + d_plus)).
Proof.
  intros Hm Hi Hb. apply (likely_payments d_minus d_plus); auto. intros w He. split; [|split].
  - intros h Hr. exact (average_deviation_bound _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ h Hm He Hr).
  - exact (average_payment_limits _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hm He).
  - intros h Hr. exact (cor_excess_payment_polynomial _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ h Hm He Hr).
Qed.

(* thm:regret. T0 is N max{1, (\bar M / k)^(1/alpha)}, and the first part holds before it, too *)
Theorem thm_regret_likely :
  market_with 0 0 -> independent_queries -> truthful g ->
  with_probability_at_least (1 - delta) (fun w =>
    (forall h, run_in w g h ->
      let T := horizon h in
      average_deviation w h <= T0 / T * cmax + k * Rpower (n / T) (1 - alpha) * (cmax - c2)
        + 6 * cmax / (2 - alpha)
          * sqrt (1 / (2 * k) * Rpower (n / T) alpha * ln (2 * PI ^ 2 * n * k ^ 2 / (3 * delta) * Rpower (T / n) (2 * alpha)))) /\
    (forall epsilon, 0 < epsilon -> exists T1, forall h, run_in w g h -> (T1 <= N + length h)%nat ->
      Rabs (average_payment w h - c2) <= epsilon)).
Proof.
  intros Hm Hi Hb. apply (likely_payments 0 0); auto; [apply truthful_is_no_deviation; assumption|]. intros w He. split.
  - intros h Hr. cbv zeta. pose proof (average_deviation_bound _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ h Hm He Hr) as H.
    rewrite Rmax_left, Rplus_0_r in H by lra. unfold Limits.deviation_per_step in H. rewrite Rplus_0_r, Rmult_1_l in H. exact H.
  - intros epsilon Hep. destruct (average_payment_limits _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hm He epsilon Hep) as (T1 & H).
    exists T1. intros h Hr HT. specialize (H h Hr HT). apply Rabs_le. lra.
Qed.
(* thm:payment-convergence: at every auction after T0; along the auctions; on average *)
Theorem thm_payment_convergence_likely :
  market_with 0 0 -> independent_queries -> truthful g ->
  with_probability_at_least (1 - delta) (fun w =>
    (forall h i, run_in w g h -> step_in w h i -> ~ explores_in w h -> let t := now N h in T0 < INR t ->
      c2 - 3 * cmax * beta n delta (g t) <= payment w h i <= c2 + cmax * beta n delta (g t)) /\
    (forall epsilon, 0 < epsilon -> exists t1, forall h i, run_in w g h -> step_in w h i -> ~ explores_in w h ->
      (t1 <= now N h)%nat -> Rabs (payment w h i - c2) <= epsilon) /\
    (forall h, run_in w g h -> average_deviation w h <= deviation_per_step (horizon h))).
Proof.
  intros Hm Hi Hb. apply (likely_payments 0 0); auto; [apply truthful_is_no_deviation; assumption|]. intros w He. split; [|split].
  - intros h i Hr Hs Hx. cbv zeta. intros Ht.
    destruct (lem_two_sided_payment _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ h i
      (converging_payments _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hm He) Hr Hs Hx Ht) as [[_ Hup] Hlow].
    rewrite !Rplus_0_r, Rmult_1_l in Hup. rewrite !Rplus_0_r, Rminus_0_r, Rmult_1_l, <- Rmult_assoc in Hlow. split; assumption.
  - intros epsilon Hep. destruct (auction_payment_limits _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hm He epsilon Hep) as (t1 & H).
    exists t1. intros h i Hr Hs Hx Ht. specialize (H h i Hr Hs Hx Ht). apply Rabs_le. lra.
  - intros h Hr. pose proof (average_deviation_bound _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ h Hm He Hr) as H.
    rewrite Rmax_left, Rplus_0_r in H by lra. exact H.
Qed.

(* What is about selections alone needs no c_(2). *)
Lemma likely_selections (claim : World -> Prop) : market N delta cmax qmin 0 0 0 quality cost best -> independent_queries -> truthful g ->
  (forall w, on_good_event N delta cmax qmin 0 0 0 k alpha quality cost (score_mean w) (price_mean w) (bid w) -> claim w) ->
  with_probability_at_least (1 - delta) claim.
Proof.
  intros Hm Hi Hb H. pose proof Hm as (HN & Hd & Hc & _). apply likely; auto; [lia|].
  intros w Hw. apply H. split; [exact Hw|]. intros h i Hr Hlt. apply (truthful_is_no_deviation g Hi Hb w h i Hr Hlt).
Qed.
Lemma truthful_separates : market N delta cmax qmin 0 0 0 quality cost best -> separated N qmin 0 0 quality cost best.
Proof. intros (_ & _ & _ & _ & _ & _ & _ & _ & _ & Hbest) i Hi Hq Hne. specialize (Hbest i Hi Hq Hne). lra. Qed.
(* thm:sample-complexity *)
Theorem thm_sample_complexity_likely :
  market N delta cmax qmin 0 0 0 quality cost best -> independent_queries -> truthful g -> 0 < k -> 0 < alpha < 1 ->
  with_probability_at_least (1 - delta) (fun w => forall h, run_in w g h ->
    nonoptimal_steps N best h <= n - 1 +
      (total_over (unqualified N qmin quality) (fun i => selection_bound delta (qmin - quality i) n)
       + total_over (competitors N qmin quality best)
           (fun i => Rmax (selection_bound delta ((cost i - cost best) / cmax) n) (k * Rpower (horizon h / n) alpha)))).
Proof.
  intros Hm Hi Hb Hk Ha. pose proof Hm as (HN & Hd & Hc & _). apply likely_selections; auto. intros w [He Hbids] h Hr.
  eapply Rle_trans; [apply (thm_sample_complexity_on_good_event _ _ _ _ _ _ _ _ _ _ _ _ _ g h Hm He Hbids); auto|].
  - intros s t. apply g_mono; assumption.
  - apply truthful_separates. exact Hm.
  - apply g_pos. assumption.
  - apply Rplus_le_compat_l. rewrite Rplus_comm. apply Rplus_le_compat_l, rounded_caps_below. intros i.
    unfold Runs.L, Runs.M. f_equal. field. lra.
Qed.
(* cor:vanishing-nonoptimal-selections *)
Theorem cor_vanishing_nonoptimal_selections :
  market N delta cmax qmin 0 0 0 quality cost best -> independent_queries -> truthful g -> 0 < k -> 0 < alpha < 1 ->
  with_probability_at_least (1 - delta) (fun w => forall epsilon, 0 < epsilon -> exists T1, forall h, run_in w g h ->
    (T1 <= N + length h)%nat -> nonoptimal_steps N best h / horizon h <= epsilon).
Proof.
  intros Hm Hi Hb Hk Ha. apply likely_selections; auto. intros w He.
  exact (vanishing_nonoptimal_selections _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hm He (truthful_separates Hm) Hk Ha).
Qed.
End Payments.
End Probability.

(* ---- The theorems above are not about nothing: two providers and fair coins. A query of the first provider costs 1/2 or
   nothing, one of the second 1 or nothing; an answer is right or wrong. *)
Section Coins.
Definition draw_of (i k : nat) (w : nat -> bool) : nat * bool := (i, w k).
Definition law_of (i : nat) (f : nat * bool -> R) : R := coin (fun b => f (i, b)).
Definition expectation_of (M : nat) (f : (nat -> bool) -> R) : R := EM coin M (fun l => f (fun k => nth k l false)).
Definition right_answer (x : nat * bool) : R := if snd x then 1 else 0.
Definition cost_of_answer (x : nat * bool) : R := if snd x then (match fst x with O => 1 / 2 | _ => 1 end) else 0.
Definition mean_cost (i : nat) : R := match i with O => 1 / 4 | _ => 1 / 2 end.
Definition mean_bids (w : nat -> bool) (h : list nat) (i : nat) : R :=
  mean cost_of_answer (row (nat * bool) (nat -> bool) draw_of i (m h i) w).

Lemma law_is_expectation i : isE (law_of i).
Proof.
  assert (Hb : forall f : nat * bool -> R, bounded f -> bounded (fun b => f (i, b))) by (intros f (most & H); exists most; auto).
  split; unfold law_of; intros; [apply coin_E|apply (E_mono _ coin_E); auto|].
  apply (E_lin _ coin_E a b (fun y => f (i, y)) (fun y => g (i, y))); auto.
Qed.
Lemma draws_of_one i m F : EM (law_of i) m F = EM coin m (fun l => F (map (pair i) l)).
Proof.
  revert F. induction m as [|m IH]; intros F; [reflexivity|]. cbn [EM]. unfold law_of at 1, coin at 1 2. f_equal.
  f_equal; apply IH.
Qed.
Theorem coins_are_independent_queries :
  independent_queries (nat * bool) (nat -> bool) 2 1 law_of expectation_of draw_of right_answer cost_of_answer (fun _ => 1 / 2) mean_cost.
Proof.
  assert (Hb : forall f : (nat -> bool) -> R, bounded f -> bounded (fun l : list bool => f (fun k => nth k l false)))
    by (intros f (most & H); exists most; auto).
  split; [|split; [exact law_is_expectation|split; [|split; [|split; [|split]]]]].
  - intros M. pose proof (EM_E M) as H. split; unfold expectation_of.
    + apply (E_one _ H).
    + intros f g Hf Hg Hfg. apply (E_mono _ H); auto.
    + intros a b f g Hf Hg. apply (E_lin _ H a b (fun l => f (fun k => nth k l false)) (fun l => g (fun k => nth k l false))); auto.
  - intros [i []]; unfold right_answer; simpl; lra.
  - intros [[|i] []]; unfold cost_of_answer; simpl; lra.
  - intros i. unfold law_of, coin, right_answer. simpl. lra.
  - intros [|i]; unfold law_of, coin, cost_of_answer, mean_cost; simpl; lra.
  - intros M i count F _ Hcount _. unfold expectation_of. rewrite draws_of_one, <- (coin_iid M count) by assumption.
    apply EM_ext. intros l. unfold row, draw_of. rewrite map_map. reflexivity.
Qed.
Theorem coins_have_a_market : market_of_payments 2 (1 / 2) 1 (1 / 2) 0 0 0 1 (1 / 2) (fun _ => 1 / 2) mean_cost 0 (1 / 2).
Proof.
  split; [|split; [|lra]].
  - unfold market. repeat split; try lra; try lia; try (destruct i; simpl; lra).
    intros j Hj _ Hne. destruct j as [|j]; [lia|]. simpl. lra.
  - exists [0; 1]%nat. split; [|reflexivity]. intros j. simpl. split; [intros; split; [lia|lra]|lia].
Qed.
Theorem coins_are_bid_for_truthfully g :
  truthful (nat * bool) (nat -> bool) 2 (1 / 2) 1 (1 / 2) draw_of right_answer cost_of_answer mean_bids g.
Proof. intros w h i _ _. reflexivity. Qed.
Theorem coins_are_bid_for_without_deviation g :
  deviating (nat * bool) (nat -> bool) 2 (1 / 2) 1 (1 / 2) draw_of right_answer cost_of_answer mean_bids 0 0 g.
Proof.
  eapply truthful_is_no_deviation; [exact coins_are_independent_queries|exact (coins_are_bid_for_truthfully g)].
Qed.
(* so that the payments of this market of coins tend to 1/2 with probability at least 1/2 *)
Notation scores w := (fun i count => mean right_answer (row (nat * bool) (nat -> bool) draw_of i count w)).
Theorem coins_converge :
  with_probability_at_least (nat * bool) (nat -> bool) 2 expectation_of draw_of (1 - 1 / 2) (fun w =>
    forall epsilon, 0 < epsilon -> exists T1, forall h,
    run 2 (1 / 2) 1 (1 / 2) 0 (scores w) (mean_bids w) (target 2 1 (1 / 2)) h -> (T1 <= 2 + length h)%nat ->
    Rabs (run_payment 2 (1 / 2) 1 (1 / 2) 0 1 (1 / 2) (scores w) (mean_bids w) h / INR (2 + length h) - 1 / 2) <= epsilon).
Proof.
  destruct (thm_regret_likely (nat * bool) (nat -> bool) 2 (1 / 2) 1 (1 / 2) law_of expectation_of draw_of
    right_answer cost_of_answer (fun _ => 1 / 2) mean_cost 0 mean_bids 1 (1 / 2) (1 / 2)
    coins_have_a_market coins_are_independent_queries (coins_are_bid_for_truthfully _)) as (failure & H1 & H2 & H3 & H4).
  exists failure. split; [exact H1|split; [exact H2|split; [exact H3|]]]. intros w Hw. exact (proj2 (H4 w Hw)).
Qed.
End Coins.
