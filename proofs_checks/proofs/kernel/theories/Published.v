(* Two of the paper's markets, GSM8K-full and GPQA-strong, as rational numbers, and what the theorems say of them.

   The numbers are those of settings.json; a test compares them. Each example or definition in Section OnGsm8k applies a theorem,
   and leaves none of what it assumes open. *)
Require Import Reals Lra Lia List Arith FunctionalExtensionality.
From Coquelicot Require Import Rbar.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements Rates Limits AsStated Game
  Hoeffding Dynamics Plays Additive GameLikely Beliefs Instances AnyRadius Sharp Sharpest Stitched
  AnyRadiusEvent SharpestEvent Existence.
Import ListNotations.
Open Scope R_scope.

(* Of each provider the quality in 10^-8, and the mean cost in 10^-7 of 10^-6 US dollars. *)
Definition quality_in (providers : list (Z * Z)) (i : nat) : R := IZR (fst (nth i providers (0, 0)%Z)) / 100000000.
Definition cost_in (providers : list (Z * Z)) (i : nat) : R := IZR (snd (nth i providers (0, 0)%Z)) / 10000000.
Definition gsm8k_full : list (Z * Z) := [
  (69177007, 125461632); (* Llama-3.2-3B *)
  (35054900, 144825760); (* Qwen2-0.5B *)
  (57447837, 151433440); (* Qwen2-1.5B *)
  (36445100, 159056000); (* Llama-3.2-1B *)
  (83874900, 160911712); (* Qwen2.5-3B *)
  (64952527, 223484392); (* Llama-3-8B *)
  (64788703, 232513610); (* Llama-3.1-8B *)
  (90725100, 343721933); (* Qwen2.5-7B *)
  (83594900, 373671840) (* Qwen2-7B *)
  ]%Z.
Definition gpqa_strong : list (Z * Z) := [
  (5099569, 147245520); (* Qwen2-0.5B *)
  (10782967, 294480960); (* Llama-3.2-1B *)
  (18235100, 430310744); (* Llama-3.1-8B *)
  (19715100, 507290355) (* Qwen2.5-7B *)
  ]%Z.

Ltac qualified := cbn [nth fst snd In]; split;
  [intros H; first [split; [lia|lra]|exfalso; lia]|intros [_ H]; first [exfalso; lra|lia]].
Lemma gsm8k_in_range i : 0 <= quality_in gsm8k_full i <= 1 /\ 0 <= cost_in gsm8k_full i <= 1024 / 10.
Proof. unfold quality_in, cost_in, gsm8k_full. do 9 (destruct i as [|i]; [cbn [nth fst snd]; lra|]). destruct i; cbn [nth fst snd]; lra. Qed.
Lemma gpqa_in_range i : 0 <= quality_in gpqa_strong i <= 1 /\ 0 <= cost_in gpqa_strong i <= 75008 / 1000.
Proof. unfold quality_in, cost_in, gpqa_strong. do 4 (destruct i as [|i]; [cbn [nth fst snd]; lra|]). destruct i; cbn [nth fst snd]; lra. Qed.
(* GSM8K-full, with q_min = 0.764, c_max = 102.4 and delta = 0.05, is a market: Qwen2.5-3B is the cheapest of the three that are
   qualified, and four unqualified providers are cheaper. *)
Theorem gsm8k_is_a_market gamma d_minus d_plus : 0 <= gamma -> 0 <= d_minus -> 0 <= d_plus ->
  market 9 (5 / 100) (1024 / 10) (764 / 1000) gamma d_minus d_plus (quality_in gsm8k_full) (cost_in gsm8k_full) 4.
Proof.
  intros Hg Hm Hp. unfold market. repeat (split; [first [lia|lra|intros; apply gsm8k_in_range]|]).
  unfold quality_in, cost_in, gsm8k_full. split; [cbn [nth fst snd]; lra|]. intros j Hj Hq Hne.
  do 9 (destruct j as [|j]; [cbn [nth fst snd] in *; lra || contradiction|]). lia.
Qed.
(* Its second-lowest mean cost among the qualified is that of Qwen2.5-7B. *)
Theorem gsm8k_second_lowest : second_lowest 9 (764 / 1000) (quality_in gsm8k_full) (cost_in gsm8k_full) 4 (cost_in gsm8k_full 7).
Proof.
  exists [4; 7; 8]%nat. split.
  - unfold quality_in, gsm8k_full. intros j. do 9 (destruct j as [|j]; [qualified|]). cbn [In]. lia.
  - cbn [filter Nat.eqb negb minl]. f_equal. unfold cost_in, gsm8k_full. cbn [nth fst snd]. apply Rmin_left. lra.
Qed.
(* Every qualified competitor costs more than the best by more than deviations of 1 below and 2 above. *)
Theorem gsm8k_is_separated : separated 9 (764 / 1000) 1 2 (quality_in gsm8k_full) (cost_in gsm8k_full) 4.
Proof.
  intros j Hj Hq Hne. unfold quality_in, cost_in, gsm8k_full in *.
  do 9 (destruct j as [|j]; [cbn [nth fst snd] in *; lra || contradiction|]). lia.
Qed.
(* With k = 2 and alpha = 3/4 it is a market of payments. *)
Theorem gsm8k_has_payments gamma d_minus d_plus : 0 <= gamma -> 0 <= d_minus -> 0 <= d_plus ->
  market_of_payments 9 (5 / 100) (1024 / 10) (764 / 1000) gamma d_minus d_plus 2 (3 / 4)
    (quality_in gsm8k_full) (cost_in gsm8k_full) 4 (cost_in gsm8k_full 7).
Proof. intros. split; [apply gsm8k_is_a_market; assumption|]. split; [exact gsm8k_second_lowest|lra]. Qed.
(* GPQA-strong, with q_min = 0.1451107, c_max = 75.008 and delta = 0.05: Llama-3.1-8B is the cheapest of the two that are
   qualified, Qwen2.5-7B the second, and both others are cheaper. *)
Theorem gpqa_has_payments gamma d_minus d_plus : 0 <= gamma -> 0 <= d_minus -> 0 <= d_plus ->
  market_of_payments 4 (5 / 100) (75008 / 1000) (1451107 / 10000000) gamma d_minus d_plus 2 (3 / 4)
    (quality_in gpqa_strong) (cost_in gpqa_strong) 2 (cost_in gpqa_strong 3).
Proof.
  intros Hg Hm Hp. split; [|split; [|lra]].
  - unfold market. repeat (split; [first [lia|lra|intros; apply gpqa_in_range]|]).
    unfold quality_in, cost_in, gpqa_strong. split; [cbn [nth fst snd]; lra|]. intros j Hj Hq Hne.
    do 4 (destruct j as [|j]; [cbn [nth fst snd] in *; lra || contradiction|]). lia.
  - exists [2; 3]%nat. split; [|reflexivity].
    unfold quality_in, gpqa_strong. intros j. do 4 (destruct j as [|j]; [qualified|]). cbn [In]. lia.
Qed.

(* Beliefs that are higher than the sample means by gamma radii, or by half the room below c_max. *)
Definition the_beliefs N delta cmax gamma (c : nat -> R) (i n : nat) : R :=
  c i + Rmin (gamma * cmax * beta (INR N) delta (INR n)) ((cmax - c i) / 2).
Theorem providers_that_believe N delta cmax gamma c : 0 < cmax -> 0 <= gamma -> (forall i, 0 <= c i <= cmax) ->
  beliefs N delta cmax gamma (the_estimates c) (the_beliefs N delta cmax gamma c) /\
  estimates_in_range N cmax (the_beliefs N delta cmax gamma c).
Proof.
  intros Hc Hg Hrange. assert (Hradius : forall n, 0 <= gamma * cmax * beta (INR N) delta (INR n))
    by (intros n; apply Rmult_le_pos; [nra|apply sqrt_pos]).
  split; intros i n _ _; unfold the_beliefs; specialize (Hrange i); specialize (Hradius n);
    pose proof (Rmin_l (gamma * cmax * beta (INR N) delta (INR n)) ((cmax - c i) / 2));
    pose proof (Rmin_r (gamma * cmax * beta (INR N) delta (INR n)) ((cmax - c i) / 2));
    assert (0 <= Rmin (gamma * cmax * beta (INR N) delta (INR n)) ((cmax - c i) / 2)) by (apply Rmin_glb; lra);
    [unfold the_estimates; rewrite Rabs_right by lra|]; lra.
Qed.

(* ---- the theorems applied to GSM8K-full *)
Section OnGsm8k.
Notation q := (quality_in gsm8k_full).
Notation c := (cost_in gsm8k_full).
Notation g := (target 9 2 (3 / 4)).
Notation theta := (draws (1024 / 10) q c).
Notation platform gamma := (uniform_platform 9 (5 / 100) (1024 / 10) (764 / 1000) gamma g).
Notation first := (one_by_one theta 9).
Notation queries H := (9 + length (later H))%nat.

(* Laws with the means of GSM8K-full are a market with its numbers, and take part in dynamics. *)
Theorem gsm8k_draws gamma : 
  dynamics 9 (5 / 100) (1024 / 10) (764 / 1000) gamma g (platform gamma) theta first /\
  forall d_minus d_plus, 0 <= gamma -> 0 <= d_minus -> 0 <= d_plus ->
    market_of_payments 9 (5 / 100) (1024 / 10) (764 / 1000) gamma d_minus d_plus 2 (3 / 4) (quality theta) (cost_of theta) 4 (c 7%nat).
Proof.
  destruct (dynamics_of_any_market 9 (5 / 100) (1024 / 10) (764 / 1000) gamma g q c ltac:(lia) ltac:(lra) gsm8k_in_range) as (Hdyn & Eq & Ec).
  split; [exact Hdyn|]. intros. rewrite Eq, Ec. apply gsm8k_has_payments; assumption.
Qed.
Let Hdyn : dynamics 9 (5 / 100) (1024 / 10) (764 / 1000) 0 g (platform 0) theta first := proj1 (gsm8k_draws 0).
Let Hmarket : market_of_payments 9 (5 / 100) (1024 / 10) (764 / 1000) 0 0 0 2 (3 / 4) (quality theta) (cost_of theta) 4 (c 7%nat) :=
  proj2 (gsm8k_draws 0) 0 0 (Rle_refl 0) (Rle_refl 0) (Rle_refl 0).
(* thm:regret for GSM8K-full: its payments are, on E, within the three terms on average, and tend to 34.37. *)
Example regret_on_gsm8k : holds_on_E 9 (5 / 100) (1024 / 10) (764 / 1000) 0 g (platform 0) theta first sigma_star (fun w =>
  (forall t, let T := INR (queries (w t)) in
    all_payments 9 (5 / 100) (1024 / 10) (764 / 1000) 0 g sigma_star (fun x => Rabs (x - 343721933 / 10000000)) (w t) / T
      <= Limits.T0 9 (5 / 100) (764 / 1000) 2 (3 / 4) (quality theta) / T * (1024 / 10)
        + 2 * Rpower (INR 9 / T) (1 - 3 / 4) * (1024 / 10 - 343721933 / 10000000)
        + 6 * (1024 / 10) / (2 - 3 / 4) * sqrt (1 / (2 * 2) * Rpower (INR 9 / T) (3 / 4)
            * ln (2 * PI ^ 2 * INR 9 * 2 ^ 2 / (3 * (5 / 100)) * Rpower (T / INR 9) (2 * (3 / 4))))) /\
  (forall epsilon, 0 < epsilon -> exists T1, forall t, (T1 <= queries (w t))%nat ->
    Rabs (all_payments 9 (5 / 100) (1024 / 10) (764 / 1000) 0 g sigma_star (fun x => x) (w t) / INR (queries (w t))
      - 343721933 / 10000000) <= epsilon)).
Proof. exact (thm_regret_game 9 _ _ _ theta 4 2 (3 / 4) _ (platform 0) first Hmarket Hdyn). Qed.
(* Its endless plays have one probability, and what holds on E fails with probability at most 0.05: thm:regret does. *)
Example endless_plays_of_gsm8k : exists P, probability_of_plays 9 (5 / 100) (1024 / 10) (764 / 1000) 0 g (platform 0) theta first sigma_star P /\
  P (fun w => ~ forall epsilon, 0 < epsilon -> exists T1, forall t, (T1 <= queries (w t))%nat ->
    Rabs (all_payments 9 (5 / 100) (1024 / 10) (764 / 1000) 0 g sigma_star (fun x => x) (w t) / INR (queries (w t))
      - 343721933 / 10000000) <= epsilon) <= 5 / 100.
Proof.
  destruct (E_for_plays_without_end 9 (5 / 100) (1024 / 10) (764 / 1000) 0 g (platform 0) theta first sigma_star Hdyn
    (draws_that_are_countably_additive 9 (5 / 100) (1024 / 10) (764 / 1000) 0 g q c ltac:(lia) ltac:(lra) gsm8k_in_range)) as (P & HP & Hclaims).
  exists P. split; [exact HP|]. apply Hclaims.
  apply (on_E_follows 9 (5 / 100) (1024 / 10) (764 / 1000) 0 g (platform 0) theta first sigma_star) with (2 := regret_on_gsm8k).
  intros w _ [_ H]. exact H.
Qed.
(* After any number of queries some history of it is on E. *)
Definition histories_on_E_on_gsm8k := a_history_on_E 9 (5 / 100) (1024 / 10) (764 / 1000) 0 g q c sigma_star ltac:(lia) ltac:(lra) ltac:(lra)
  gsm8k_in_range.
(* What the other labels with a probability say of it: no hypothesis is left. *)
Definition good_event_on_gsm8k profile :=
  lem_good_event_game 9 (5 / 100) (1024 / 10) (764 / 1000) 0 g (platform 0) theta first profile Hdyn ltac:(lia) ltac:(lra) ltac:(lra).
Definition sample_complexity_on_gsm8k :=
  thm_sample_complexity_game 9 _ _ _ theta 4 2 (3 / 4) (platform 0) first (proj1 Hmarket) Hdyn ltac:(lra) ltac:(lra).
Definition vanishing_selections_on_gsm8k :=
  cor_vanishing_nonoptimal_selections_game 9 _ _ _ theta 4 2 (3 / 4) (platform 0) first (proj1 Hmarket) Hdyn ltac:(lra) ltac:(lra).
Definition payment_convergence_on_gsm8k := thm_payment_convergence_game 9 _ _ _ theta 4 2 (3 / 4) _ (platform 0) first Hmarket Hdyn.
(* Bids that deviate: the best provider bids 2 above its mean cost, and the others 1 below. *)
Definition deviating (i _step : nat) (own : list observation) : R :=
  if Nat.eq_dec i 4 then Rmin (1024 / 10) (mean_cost own + 2) else Rmax 0 (mean_cost own - 1).
Theorem bids_that_deviate N : bids_near N (1024 / 10) 1 2 (fun _ => mean_cost) deviating.
Proof.
  intros i t own _ Hne Ho. pose proof (mean_cost_in_range (1024 / 10) own Hne Ho) as H. unfold deviating.
  destruct (Nat.eq_dec i 4); [unfold Rmin; destruct (Rle_dec _ _)|unfold Rmax; destruct (Rle_dec _ _)]; lra.
Qed.
Definition deviations_on_gsm8k := thm_deviation_payment_convergence_game 9 _ _ _ theta 4 2 (3 / 4) _ (platform 0) first 1 2 deviating Hdyn
  (bids_that_deviate 9) (proj2 (gsm8k_draws 0) 1 2 (Rle_refl 0) ltac:(lra) ltac:(lra)).
(* Beliefs that are above the sample means by half a radius, or by half the room below c_max. *)
Definition believed_costs (_provider : nat) (own : list observation) : R :=
  mean_cost own + Rmin (1 / 2 * (1024 / 10) * beta (INR 9) (5 / 100) (INR (length own))) ((1024 / 10 - mean_cost own) / 2).
Theorem estimates_that_are_near : estimates_near 9 (5 / 100) (1024 / 10) (1 / 2) believed_costs.
Proof.
  intros i own _ Hne Ho. pose proof (mean_cost_in_range (1024 / 10) own Hne Ho) as H. unfold believed_costs.
  set (radius := 1 / 2 * (1024 / 10) * beta (INR 9) (5 / 100) (INR (length own))).
  assert (0 <= radius) by (apply Rmult_le_pos; [lra|apply sqrt_pos]).
  pose proof (Rmin_l radius ((1024 / 10 - mean_cost own) / 2)). pose proof (Rmin_r radius ((1024 / 10 - mean_cost own) / 2)).
  assert (0 <= Rmin radius ((1024 / 10 - mean_cost own) / 2)) by (apply Rmin_glb; lra). rewrite Rabs_right by lra. lra.
Qed.
Definition beliefs_on_gsm8k := prop_bayesian_substitution_game 9 _ _ _ (1 / 2) 2 (3 / 4) g theta 4 (platform (1 / 2)) first
  (proj1 (proj2 (gsm8k_draws (1 / 2)) 0 0 ltac:(lra) (Rle_refl 0) (Rle_refl 0))) (proj1 (gsm8k_draws (1 / 2))).
Definition believing_on_gsm8k := proj2 (proj2 (proj2 (proj2 beliefs_on_gsm8k))) believed_costs estimates_that_are_near.
(* The game of any provider after any history. *)
Theorem games_on_gsm8k i H : (i < 9)%nat -> possible_history 9 (1024 / 10) H ->
  any_game 9 (5 / 100) (1024 / 10) (764 / 1000) 0 g (platform 0) (theta i) sigma_star i H.
Proof.
  intros Hi HH. split; [apply Hdyn|]. split; [apply Hdyn|]. split; [exact Hi|]. split; [exact HH|].
  intros j _ _. apply truthful_range, mean_cost_in_range.
Qed.
(* The same where it charges itself what it believes. *)
Theorem games_of_estimates i H : (i < 9)%nat -> possible_history 9 (1024 / 10) H ->
  a_game 9 (5 / 100) (1024 / 10) (764 / 1000) 0 g (fun _ => 1024 / 10) (platform 0) (theta i) sigma_star i H.
Proof.
  intros Hi HH. destruct (games_on_gsm8k i H Hi HH) as (Hp & Ho & _ & _ & Hrivals). split; [exact Hp|]. split; [intros own _ _; lra|].
  split; [exact Ho|]. split; [exact Hi|]. split; [exact HH|exact Hrivals].
Qed.
Definition once : history := {| initial := fun i => {| cost := c i; score := 1 |}; later := [] |}.
Theorem a_possible_history N : possible_history N (1024 / 10) once.
Proof. split; [|intros query []]. intros i _. split; simpl; [apply gsm8k_in_range|lra]. Qed.
Definition robust_dominance_on_gsm8k := thm_robust_dominant 9 (5 / 100) (1024 / 10) (764 / 1000) 0 g ltac:(lra) (platform 0) (theta 4%nat)
  sigma_star 4 once (games_on_gsm8k 4 once ltac:(lia) (a_possible_history 9)).

(* What the theorems about runs say of its runs, where estimates are the means: of each a case that occurs. *)
Notation exact_q := (the_estimates q).
Notation exact_c := (the_estimates c).
Notation bids := (the_bids c).
Let Hprices : market_of_payments 9 (5 / 100) (1024 / 10) (764 / 1000) 0 0 0 2 (3 / 4) q c 4 (c 7%nat) :=
  gsm8k_has_payments 0 0 0 (Rle_refl 0) (Rle_refl 0) (Rle_refl 0).
Let HE : Statements.good_event 9 (5 / 100) (1024 / 10) 0 q c exact_q exact_c := a_good_event 9 (5 / 100) (1024 / 10) 0 q c ltac:(lra) (Rle_refl 0).
Let Htruthful : bids_truthfully 9 (5 / 100) (1024 / 10) (764 / 1000) exact_q exact_c bids g :=
  bids_that_are_truthful 9 _ _ _ q c g (fun i => proj2 (gsm8k_in_range i)).
Let Hg : never_falls g := fun s t => g_mono 9 2 (3 / 4) ltac:(lia) ltac:(lra) ltac:(lra) s t.
Let Hpositive t : 0 < g t := g_pos 9 2 (3 / 4) ltac:(lra) t.
(* Runs of every length exist: `run` of what follows is not empty. *)
Definition runs_of_gsm8k := runs_exist 9 (5 / 100) (1024 / 10) (764 / 1000) 0 exact_q bids g ltac:(lia).
Lemma gsm8k_qualities : q 0%nat < 764 / 1000 <= q 4%nat.
Proof. unfold quality_in, gsm8k_full. cbn [nth fst]. lra. Qed.
Definition qualified_eligibility_on_gsm8k h :=
  lem_qualified_eligibility 9 _ _ _ 0 0 0 q c 4 exact_q exact_c bids g h 4 (proj1 Hprices) HE ltac:(lia) (proj2 gsm8k_qualities).
Definition unqualified_elimination_on_gsm8k h Hr :=
  lem_unqualified_elimination 9 _ _ _ 0 0 0 q c 4 exact_q exact_c bids g h 0 (proj1 Hprices) HE Hr ltac:(lia) (proj1 gsm8k_qualities).
Definition quality_guarantee_on_gsm8k :=
  thm_quality_guarantee_per_step 9 _ _ _ 0 0 0 q c 4 exact_q exact_c bids g (proj1 Hprices) HE.
Definition generation_regret_on_gsm8k h Hr :=
  thm_generation_regret_truthful 9 _ _ _ q c 4 exact_q exact_c bids g (proj1 Hprices) HE Htruthful h Hg Hr (Hpositive _).
Definition excess_payment_on_gsm8k h Hr :=
  thm_excess_payment_general_truthful 9 _ _ _ q c 4 exact_q exact_c bids g _ (proj1 Hprices) HE Htruthful h
    (proj1 (proj2 Hprices)) Hg Hr (Hpositive _).
Definition two_sided_payment_on_gsm8k h i :=
  lem_two_sided_payment_truthful 9 _ _ _ q c 4 exact_q exact_c bids 2 (3 / 4) _ h i Hprices HE Htruthful.
Definition deviation_selection_on_gsm8k :=
  prop_deviation_selection_whole 9 _ _ _ q c 4 exact_q exact_c bids 1 2 2 (3 / 4)
    (gsm8k_is_a_market 0 1 2 (Rle_refl 0) ltac:(lra) ltac:(lra)) HE
    (bids_that_follow 9 _ _ _ 0 1 2 q c g ltac:(lra) ltac:(lra) (fun i => proj2 (gsm8k_in_range i))) ltac:(lra) ltac:(lra).
(* The improved bounds, as they are printed, and their theorems. *)
Let Hfollow := truthful_bids_follow 9 (5 / 100) (1024 / 10) (764 / 1000) exact_q exact_c bids g Htruthful.
Let Hevent : on_good_event 9 (5 / 100) (1024 / 10) (764 / 1000) 0 0 0 2 (3 / 4) q c exact_q exact_c bids := conj HE Hfollow.
Lemma gsm8k_is_separated_by_0 : separated 9 (764 / 1000) 0 0 q c 4.
Proof. intros j Hj Hq Hne. pose proof (gsm8k_is_separated j Hj Hq Hne). lra. Qed.
Definition sample_complexity_sharp_on_gsm8k h Hr :=
  thm_sample_complexity_sharp 9 _ _ _ 0 0 0 q c 4 exact_q exact_c bids g (proj1 Hprices) HE h Hfollow Hg gsm8k_is_separated_by_0 Hr (Hpositive _).
Definition generation_regret_sharp_on_gsm8k h Hr :=
  thm_generation_regret_sharp 9 _ _ _ 0 0 0 q c 4 exact_q exact_c bids g (proj1 Hprices) HE h Hfollow Hg Hr (Hpositive _).
Definition regret_sharp_on_gsm8k :=
  thm_regret_sharp 9 _ _ _ 0 0 0 2 (3 / 4) q c 4 _ exact_q exact_c bids Hprices Hevent.
Definition two_sided_payment_sharp_on_gsm8k h i :=
  lem_two_sided_payment_sharp 9 _ _ _ 0 0 0 2 (3 / 4) q c 4 _ exact_q exact_c bids Hprices Hevent h i.
(* Estimates that are the means exclude each unqualified provider of GSM8K-full at some count. *)
Theorem gsm8k_exclusions : exists M, excluded_at_one_count 9 (5 / 100) (764 / 1000) q exact_q M.
Proof.
  assert (Hgap : forall i, {n0 | q i < 764 / 1000 -> q i + bt 9 (5 / 100) (S n0) < 764 / 1000}).
  { intros i. apply ConstructiveEpsilon.constructive_indefinite_ground_description_nat; [intros; apply excluded_middle|].
    destruct (Rlt_dec (q i) (764 / 1000)) as [Hq|Hq]; [|exists 0%nat; contradiction].
    destruct (radius_below 9 (5 / 100) (764 / 1000 - q i) ltac:(lia) ltac:(lra) ltac:(lra)) as (n0 & Hn). exists n0. intros _.
    specialize (Hn (S n0) ltac:(lia)). lra. }
  exists (fun i => proj1_sig (Hgap i)). intros i Hi Hq. exists (S (proj1_sig (Hgap i))). split; [lia|].
  exact (proj2_sig (Hgap i) Hq).
Qed.
(* Its draws are expectations of bounded functions. *)
Theorem gsm8k_expectations i : isE (theta i).
Proof. apply (law_isE (1024 / 10)), Hdyn. Qed.
(* With m0 = 5, Qwen2.5-7B as the rival, and some counts that exclude its six unqualified providers, GSM8K-full with truthful bids is
   what the sharpest bounds assume. *)
Theorem sharpest_setting_of_gsm8k : exists M,
  sharpest_setting 9 (5 / 100) (1024 / 10) (764 / 1000) 0 0 0 g 4 (platform 0) theta first sigma_star 5 M 7 (fun _ => mean_cost).
Proof.
  destruct (sharpest_settings_exist 9 _ _ _ g 4 (platform 0) theta first 7 (proj1 Hmarket) Hdyn ltac:(lia)) as (M & HM).
  exists M. apply HM; [lia|exact beta_at_five].
Qed.
(* lem:good-event:sharpest for GSM8K-full, whatever is bid. *)
Example sharpest_event_on_gsm8k : exists M, forall profile,
  holds_on_sharpest_event 9 (5 / 100) (1024 / 10) (764 / 1000) 0 g (platform 0) theta first profile 5 M 7 (fun w => forall t,
    (forall i m, (i < 9)%nat -> (1 <= m <= length (own_history i (w t)))%nat ->
      Rabs (average score (first_own (w t) i m) - quality theta i) <= beta (INR 9) (5 / 100) (INR m) /\
      Rabs (mean_cost (first_own (w t) i m) - cost_of theta i) <= 1024 / 10 * beta (INR 9) (5 / 100) (INR m)) /\
    (forall i, (i < 9)%nat -> quality theta i < 764 / 1000 -> (S (M i) <= length (own_history i (w t)))%nat ->
      average score (first_own (w t) i (S (M i))) + beta (INR 9) (5 / 100) (INR (S (M i))) < 764 / 1000) /\
    (forall m, (1 <= m <= length (own_history 7 (w t)))%nat ->
      mean_cost (first_own (w t) 7 m) <= cost_of theta 7 + 1024 / 10 * rival_radius 9 (5 / 100) 5 m)).
Proof. destruct sharpest_setting_of_gsm8k as (M & _ & _ & HM & _). exists M. intros. apply lem_good_event_sharpest; try lia; try lra; [exact Hdyn|exact HM]. Qed.
(* With the paper's radius for the test of quality and for costs it has a best provider, and counts that eliminate and beat. *)
Theorem gsm8k_has_a_best : best_of 9 (764 / 1000) q c 4.
Proof. destruct (gsm8k_is_a_market 0 0 0) as (_ & _ & _ & _ & _ & _ & _ & Hbest); [lra..|exact Hbest]. Qed.
Theorem gsm8k_has_counts : let radius := bt 9 (5 / 100) in let cost_radius n := 1024 / 10 * radius n in
  exists M L, counts 9 (764 / 1000) radius cost_radius 0 0 q c 4 (fun _ => radius) M L /\
    forall i, (i < 9)%nat -> q i < 764 / 1000 -> eliminated_at (764 / 1000) radius q (fun _ => radius) i (M i).
Proof.
  cbv zeta. assert (Hzero : forall x, 0 < x -> exists n0, forall n, (n0 <= n)%nat -> bt 9 (5 / 100) n < x).
  { intros x Hx. destruct (radius_below 9 (5 / 100) x ltac:(lia) ltac:(lra) Hx) as (n0 & Hn). exists n0. intros n Hle.
    specialize (Hn n Hle). lra. }
  destruct (counts_exist 9 (764 / 1000) (bt 9 (5 / 100)) (fun n => 1024 / 10 * bt 9 (5 / 100) n) 0 0 q c 4 (fun _ => bt 9 (5 / 100)))
    as (M & L & Hcounts & _).
  - intros i _ x Hx. destruct (Hzero (x / 2) ltac:(lra)) as (n0 & Hn). exists n0. intros n Hle. specialize (Hn n Hle). lra.
  - intros x Hx. destruct (Hzero (x / (4 * (1024 / 10))) ltac:(apply Rdiv_lt_0_compat; lra)) as (n0 & Hn). exists n0. intros n Hle.
    specialize (Hn n Hle). apply (Rmult_lt_compat_l (2 * (1024 / 10))) in Hn; [|lra].
    replace (2 * (1024 / 10) * (x / (4 * (1024 / 10)))) with (x / 2) in Hn by (field; lra). lra.
  - intros i Hi Hq Hne. pose proof (gsm8k_is_separated i Hi Hq Hne). lra.
  - exists M, L. split; [exact Hcounts|]. exact (proj1 Hcounts).
Qed.
(* Whatever has arrived, no auction of it comes before a provider's first score, since the exploration target is positive. *)
Theorem gsm8k_auctions_have_bids rho cr qhat bid seen : auctions_have_bids 9 (764 / 1000) rho cr qhat bid g seen.
Proof. apply bids_where_target_positive. intros t _. apply Hpositive. Qed.
End OnGsm8k.

(* ---- and to GPQA-strong *)
Section OnGpqa.
Notation q := (quality_in gpqa_strong).
Notation c := (cost_in gpqa_strong).
Notation g := (target 4 2 (3 / 4)).
Notation theta := (draws (75008 / 1000) q c).
Notation platform := (uniform_platform 4 (5 / 100) (75008 / 1000) (1451107 / 10000000) 0 g).
Theorem gpqa_draws : dynamics 4 (5 / 100) (75008 / 1000) (1451107 / 10000000) 0 g platform theta (one_by_one theta 4) /\
  market_of_payments 4 (5 / 100) (75008 / 1000) (1451107 / 10000000) 0 0 0 2 (3 / 4) (quality theta) (cost_of theta) 2 (c 3%nat).
Proof.
  destruct (dynamics_of_any_market 4 (5 / 100) (75008 / 1000) (1451107 / 10000000) 0 g q c ltac:(lia) ltac:(lra) gpqa_in_range)
    as (Hdyn & Eq & Ec).
  split; [exact Hdyn|]. rewrite Eq, Ec. apply gpqa_has_payments; lra.
Qed.
Definition regret_on_gpqa := thm_regret_game 4 _ _ _ theta 2 2 (3 / 4) _ platform _ (proj2 gpqa_draws) (proj1 gpqa_draws).
Definition sample_complexity_on_gpqa :=
  thm_sample_complexity_game 4 _ _ _ theta 2 2 (3 / 4) platform _ (proj1 (proj2 gpqa_draws)) (proj1 gpqa_draws) ltac:(lra) ltac:(lra).
End OnGpqa.

(* ---- with any radius *)
(* The market GSM8K-full of the paper, where four unqualified providers, 0 to 3, are cheaper than the best, 4: the theorems for any
   radius apply to it, with M_i alone as the caps of these four. *)
Theorem any_radius_covers_gsm8k :
  let q := quality_in gsm8k_full in let c := cost_in gsm8k_full in let g := target 9 2 (3 / 4) in let theta := draws (1024 / 10) q c in
  let radius := bt 9 (5 / 100) in let cr := fun count => (1 + 0) * (1024 / 10) * radius count in
  let truthful := fun _ : nat => Game.truthful mean_cost in
  exists draw M L, dynamics_any 9 (1024 / 10) (764 / 1000) radius cr g theta (one_by_one theta 9) draw truthful /\
    counts 9 (764 / 1000) radius cr 0 0 (quality theta) (cost_of theta) 4 (fun _ => radius) M L /\
    (forall i T, (i < 4)%nat -> L i = None /\ cap (764 / 1000) g (quality theta) M L T i = M i) /\
    likely_any 9 (1024 / 10) (764 / 1000) radius cr g theta (one_by_one theta 9) draw truthful (1 - 5 / 100) (fun w => forall t,
      nonoptimal_steps 9 4 (served (w t)) <= INR 9 - 1 + B 9 (764 / 1000) g (quality theta) 4 M L (9 + length (later (w t))) /\
      forall i, (i < 4)%nat -> INR (times (served (w t)) i) <= M i).
Proof.
  cbv zeta. set (q := quality_in gsm8k_full). set (c := cost_in gsm8k_full). set (theta := draws (1024 / 10) q c).
  destruct (dynamics_of_any_market 9 (5 / 100) (1024 / 10) (764 / 1000) 0 (target 9 2 (3 / 4)) q c ltac:(lia) ltac:(lra) gsm8k_in_range) as (Hdyn & Eq & Ec).
  fold theta in Hdyn, Eq, Ec.
  assert (Hm : market 9 (5 / 100) (1024 / 10) (764 / 1000) 0 0 0 (quality theta) (cost_of theta) 4) by (rewrite Eq, Ec; apply gsm8k_is_a_market; lra).
  assert (Hsep : separated 9 (764 / 1000) 0 0 (quality theta) (cost_of theta) 4).
  { destruct Hm as (_ & _ & _ & _ & _ & _ & _ & _ & _ & Hbest). intros i Hi Hq Hne. specialize (Hbest i Hi Hq Hne). lra. }
  destruct (counts_of_every_market 9 (5 / 100) (1024 / 10) (764 / 1000) 0 0 0 _ _ 4 Hm Hsep) as (M & L & Hcounts & HL).
  pose proof (game_has_the_paper_radius 9 (5 / 100) (1024 / 10) (764 / 1000) 0 _ _ theta _ (fun _ => Game.truthful mean_cost) Hdyn) as Hany.
  assert (Hcheap : forall i T, (i < 4)%nat -> L i = None /\ cap (764 / 1000) (target 9 2 (3 / 4)) (quality theta) M L T i = M i).
  { intros i T Hi. assert (HLi : L i = None).
    { apply HL. rewrite Ec. unfold c, cost_in, gsm8k_full. do 4 (destruct i as [|i]; [cbn [nth fst snd]; lra|]). lia. }
    split; [exact HLi|]. unfold cap. rewrite HLi. reflexivity. }
  eexists _, M, L. split; [exact Hany|]. split; [exact Hcounts|]. split; [exact Hcheap|].
  destruct (thm_sample_complexity_any_radius 9 (5 / 100) (1024 / 10) (764 / 1000) 0 0 0 2 (3 / 4) (bt 9 (5 / 100)) (bt 9 (5 / 100)) (fun _ => bt 9 (5 / 100))
    theta (one_by_one theta 9) _ (fun _ => Game.truthful mean_cost) 4 (fun _ => mean_cost) M L Hm Hany) as (failure & Hlast & Hpr & Hclaim); try lra.
  - apply paper_radius_pays_for_bands; try lra; [exact (proj1 (proj2 Hany))|lia].
  - apply paper_radii_not_negative.
  - apply sample_means_as_beliefs; [lra|lra|intros n; apply sqrt_pos].
  - exact Hcounts.
  - exists failure. split; [exact Hlast|]. split; [exact Hpr|]. intros w Hw Hav t. destruct (Hclaim w Hw Hav t) as [H1 H2]. split; [exact H1|].
    intros i Hi. specialize (H2 i ltac:(lia) ltac:(lia)). destruct (Hcheap i (9 + length (later (w t)))%nat Hi) as [_ E]. rewrite <- E. exact H2.
Qed.
