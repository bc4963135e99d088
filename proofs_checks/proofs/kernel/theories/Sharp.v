(* The improved bounds (`--method sharp`): the same mechanism and the same good event, sharper sums.

   Read the definitions first. m* is the exact inverse of the radius, in place of the bounds M and L; an unqualified provider that is
   dear loses auctions as well; the radii of the served are summed with equal shares, exactly and in closed form; an auction pays at
   least c_(2) less two radii. Then come the theorems, each with what it needs: counts, sums of radii, regrets, payments.
   One market serves truthful bids (gamma = 0, d_minus = d_plus = 0), beliefs with slack gamma, and bounded deviations. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements Findings Rates Limits
  AnyRadius.
Import ListNotations.
Open Scope R_scope.

(* ---- what the theorems are about *)
(* floor(m*(a)): the largest count m with a <= 2 beta(m), or 0 where there is none. M(a) bounds the search. *)
Fixpoint largest_below (width : nat -> R) (gap : R) (n : nat) : nat :=
  match n with O => 0%nat | S k => if Rle_dec gap (width (S k)) then S k else largest_below width gap k end.
Definition exact_inverse (N : nat) (delta a : R) : nat :=
  largest_below (fun n => 2 * bt N delta n) a (Z.to_nat (up (selection_bound delta a (INR N)))).
Definition m_star (N : nat) (delta a : R) : R := INR (exact_inverse N delta a).
(* b summed over n shares of `all` steps that differ by one at most: all mod n of them are all/n + 1, the others all/n *)
Definition equal_shares (b : nat -> R) (n all : nat) : R :=
  INR (all mod n) * bsum (S (all / n)) b + (INR n - INR (all mod n)) * bsum (all / n) b.
(* the radii of one provider at its first selections after initialization, and those of equal shares of all selections *)
Definition radii_up_to (N : nat) (delta : R) (count : nat) : R := bsum count (fun l => bt N delta (S l)).
Definition equal_radii (N : nat) (delta : R) (shares all : nat) : R := equal_shares (fun l => bt N delta (S l)) shares all.

Section Definitions.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus k alpha : R) (quality cost : nat -> R) (best : nat) (g : nat -> R).
Notation n := (INR N).
Notation gap i := (cost i - cost best).
Notation unqualified := (unqualified N qmin quality).
Notation competitors := (competitors N qmin quality best).
Definition qualified : list nat := filter (fun i => if Rle_dec qmin (quality i) then true else false) (seq 0 N).
(* the cost gap, in radii *)
Definition relative_gap i : R := (gap i - d_minus - d_plus) / ((1 + gamma) * cmax).
(* the most selections after initialization: by quality; of an unqualified provider, by quality or by both gaps; of a competitor *)
Definition sharp_elimination i : R := m_star N delta (qmin - quality i).
Definition sharp_unqualified_cap (T i : nat) : R :=
  Rmin (sharp_elimination i) (Rmax (m_star N delta (Rmax (relative_gap i) (qmin - quality i))) (ceiling (g T) - 1)).
Definition sharp_competitor_cap (T i : nat) : R := Rmax (m_star N delta (relative_gap i)) (ceiling (g T) - 1).
Definition sharp_cap (T i : nat) : R := if Rlt_dec (quality i) qmin then sharp_unqualified_cap T i else sharp_competitor_cap T i.
Definition sharp_identification (T : nat) : R :=
  total_over unqualified (sharp_unqualified_cap T) + total_over competitors (sharp_competitor_cap T).
(* T > N + B(T) + cap_i(T) for every rival i of the best *)
Definition sharp_leads_at (T : nat) : Prop :=
  forall i, (i < N)%nat -> i <> best -> n + sharp_identification T + sharp_cap T i < INR T.
Definition sharp_exploration_steps (T : nat) : R :=
  INR (length qualified) * (ceiling (g T) - 1) + total_over unqualified (fun i => Rmin (sharp_elimination i) (ceiling (g T) - 1)).
(* the sum of the radii of the served: (T - N)/N for T in the logarithm *)
Definition sharp_radius_sum (T : nat) : R :=
  sqrt (2 * n * (INR T - n) * ln (2 * PI ^ 2 * n / (3 * delta) * Rmax 1 ((INR T - n) / n) ^ 2)).
(* the largest exact inverse, 1 at least, and T_0 with it *)
Definition sharp_largest : R := Rmax 1 (largest_over unqualified (fun i => m_star N delta (qmin - quality i))).
Definition sharp_T0 : R := Payments.T0 N k alpha sharp_largest.
End Definitions.

(* ---- the exact inverse of the radius *)
Lemma largest_below_is width gap n : (forall j, (1 <= j)%nat -> gap <= width j -> (j <= n)%nat) ->
  largest_count width gap (largest_below width gap n).
Proof.
  induction n as [|n IH]; intros H; cbn [largest_below].
  - split; [auto|exact H].
  - destruct (Rle_dec gap (width (S n))) as [Hle|Hgt].
    + split; [right; split; [lia|exact Hle]|exact H].
    + apply IH. intros j Hj Hg. specialize (H j Hj Hg). destruct (Nat.eq_dec j (S n)) as [->|]; [contradiction|lia].
Qed.
(* floor(m*(a)) is the largest count m with a <= 2 beta(m), or 0 where there is none. *)
Theorem exact_inverse_is_largest N delta a : (1 <= N)%nat -> 0 < delta < 1 -> 0 < a ->
  largest_count (fun n => 2 * bt N delta n) a (exact_inverse N delta a).
Proof.
  intros HN Hd Ha. apply largest_below_is. intros j Hj Hle.
  assert (HN1 : 1 <= INR N) by (apply (le_INR 1); exact HN). assert (Hj1 : 1 <= INR j) by (apply (le_INR 1); exact Hj).
  rewrite <- (radius_is_beta (INR N) delta (INR j) HN1 Hd Hj1 : _ = bt N delta j) in Hle.
  destruct (lem_radius_inversion (INR N) delta a (INR j) HN1 Hd Ha Hj1 Hle) as [H1 H2].
  set (M := selection_bound delta a (INR N)) in *. destruct (archimed M) as [Hup _].
  assert (Hlt : IZR (Z.of_nat j) < IZR (up M)) by (rewrite <- INR_IZR_INZ; lra). apply lt_IZR in Hlt. lia.
Qed.
(* m*(a) is at most M(a): a bound with m*(a) for M(a) is at least as good. *)
Theorem exact_inverse_at_most_bound N delta a : (1 <= N)%nat -> 0 < delta < 1 -> 0 < a <= 1 ->
  INR (exact_inverse N delta a) <= selection_bound delta a (INR N).
Proof.
  intros HN Hd [Ha Ha1]. destruct (exact_inverse_is_largest N delta a HN Hd Ha) as [[->|[Hn Hle]] _].
  - change (INR 0) with 0. pose proof (M_at_least_1 N delta a HN Hd (conj Ha Ha1)). unfold Runs.M in *. lra.
  - assert (HN1 : 1 <= INR N) by (apply (le_INR 1); exact HN). assert (Hn1 := le_INR 1 _ Hn). simpl in Hn1.
    rewrite <- (radius_is_beta (INR N) delta _ HN1 Hd Hn1 : _ = bt N delta _) in Hle.
    destruct (lem_radius_inversion (INR N) delta a _ HN1 Hd Ha Hn1 Hle) as [H1 H2]. lra.
Qed.
(* It is floor(x) for the real x at which the radius is a/2. *)
Theorem exact_inverse_is_floor_of_root N delta a x : (2 <= N)%nat -> 0 < delta < 1 -> 0 < a -> 1 <= x ->
  2 * beta (INR N) delta x = a -> INR (exact_inverse N delta a) <= x < INR (exact_inverse N delta a) + 1.
Proof.
  intros HN Hd Ha Hx E. assert (HN2 : 2 <= INR N) by (apply (le_INR 2); exact HN).
  destruct (exact_inverse_is_largest N delta a ltac:(lia) Hd Ha) as [Hone Hall]. set (n := exact_inverse N delta a) in *.
  assert (Hfloor : forall k, (1 <= k)%nat -> INR k <= x -> (k <= n)%nat).
  { intros k Hk Hkx. apply Hall; [exact Hk|]. rewrite <- E. apply Rmult_le_compat_l; [lra|].
    apply radius_monotone; try assumption. apply (le_INR 1). exact Hk. }
  split.
  - destruct Hone as [->|[Hn Hle]]; [simpl; lra|]. destruct (Rle_lt_dec (INR n) x) as [|Hlt]; [assumption|exfalso].
    pose proof (radius_decreasing (INR N) delta x (INR n) HN2 Hd Hx Hlt). unfold bt in Hle. lra.
  - rewrite <- S_INR. apply Rnot_le_lt. intros Hle. specialize (Hfloor (S n) ltac:(lia) Hle). lia.
Qed.

(* This x is -4 w/a^2, where w = W(-a^2/(4 sqrt C)) on the branch of the Lambert function below -1, and C = 2 pi^2 N/(3 delta). *)
Theorem exact_inverse_is_lambert N delta a w : (2 <= N)%nat -> 0 < delta < 1 -> 0 < a <= 2 -> w <= -1 ->
  w * exp w = - (a ^ 2) / (4 * sqrt (2 * PI ^ 2 * INR N / (3 * delta))) -> m_star N delta a = floor (-4 / a ^ 2 * w).
Proof.
  intros HN Hd Ha Hw E. set (C := 2 * PI ^ 2 * INR N / (3 * delta)) in *. set (x := -4 / a ^ 2 * w).
  assert (HN2 : 2 <= INR N) by (apply (le_INR 2); exact HN). pose proof PI_RGT_0 as Hpi.
  assert (HC : 0 < C) by (apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; nra|lra]). assert (Hs : 0 < sqrt C) by (apply sqrt_lt_R0; exact HC).
  assert (Ha2 : 0 < a ^ 2 <= 4) by nra. assert (Ex : w = - (a ^ 2 * x / 4)) by (unfold x; field; lra).
  assert (Hx : 1 <= x).
  { apply Rmult_le_reg_l with (a ^ 2); [lra|]. replace (a ^ 2 * x) with (- 4 * w) by (rewrite Ex; field). lra. }
  assert (Eexp : exp (- w) = sqrt C * x).
  { rewrite exp_Ropp. apply Rmult_eq_reg_l with (exp w); [|pose proof (exp_pos w); lra]. rewrite Rinv_r by (pose proof (exp_pos w); lra).
    rewrite Ex in E at 1. apply Rmult_eq_compat_r with (r := - (4 * sqrt C / a ^ 2)) in E.
    replace (- (a ^ 2) / (4 * sqrt C) * - (4 * sqrt C / a ^ 2)) with 1 in E by (field; lra).
    replace (- (a ^ 2 * x / 4) * exp w * - (4 * sqrt C / a ^ 2)) with (exp w * (sqrt C * x)) in E by (field; lra). lra. }
  assert (Elog : ln (C * x ^ 2) = - 2 * w).
  { replace (C * x ^ 2) with ((sqrt C * x) * (sqrt C * x)) by (rewrite <- (sqrt_sqrt C) at 3 by lra; ring).
    rewrite <- Eexp, <- exp_plus, ln_exp. ring. }
  assert (Ebeta : 2 * beta (INR N) delta x = a).
  { unfold beta. replace (2 * PI ^ 2 * INR N * x ^ 2 / (3 * delta)) with (C * x ^ 2) by (unfold C; field; lra). rewrite Elog, Ex.
    replace (1 / (2 * x) * (- 2 * - (a ^ 2 * x / 4))) with ((a / 2) * (a / 2)) by (field; lra). rewrite sqrt_square by lra. field. }
  destruct (exact_inverse_is_floor_of_root N delta a x HN Hd ltac:(lra) Hx Ebeta) as [H1 H2]. unfold m_star, floor. fold x.
  destruct (base_Int_part x) as [B1 B2]. rewrite INR_IZR_INZ in *. apply f_equal.
  assert (L1 : IZR (Int_part x) < IZR (Z.of_nat (exact_inverse N delta a) + 1)) by (rewrite plus_IZR; lra).
  assert (L2 : IZR (Z.of_nat (exact_inverse N delta a)) < IZR (Int_part x + 1)) by (rewrite plus_IZR; lra).
  apply lt_IZR in L1. apply lt_IZR in L2. lia.
Qed.
(* the radius is positive, and tends to 0 *)
Lemma radius_below N delta x : (1 <= N)%nat -> 0 < delta < 1 -> 0 < x ->
  exists n0, forall n, (n0 <= n)%nat -> bt N delta n < x.
Proof.
  intros HN Hd Hx. exists (S (exact_inverse N delta (2 * x))). intros n Hn. apply Rnot_le_lt. intros Hle.
  destruct (exact_inverse_is_largest N delta (2 * x) HN Hd ltac:(lra)) as [_ H]. specialize (H n ltac:(lia) ltac:(lra)). lia.
Qed.
Lemma radius_positive N delta n : (1 <= N)%nat -> 0 < delta < 1 -> (1 <= n)%nat -> 0 < bt N delta n.
Proof.
  intros HN Hd Hn. unfold bt, beta. apply sqrt_lt_R0. assert (HN1 : 1 <= INR N) by (apply (le_INR 1); exact HN).
  assert (Hn1 : 1 <= INR n) by (apply (le_INR 1); exact Hn). apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra|].
  rewrite <- ln_1. apply ln_increasing; [lra|]. pose proof (logarg_ge1 (INR N) delta (INR n) HN1 Hd Hn1). pose proof pi23_gt1. lra.
Qed.


(* ---- a run of Runs.v is a course of AnyRadius.v with the paper's radius and nothing in flight *)
Lemma in_Qh_iff N delta qmin qhat h i :
  In i (Qh N delta qmin qhat h) <-> (i < N)%nat /\ qmin <= qhat i (m h i) + bt N delta (m h i).
Proof.
  unfold Qh. rewrite filter_In, in_seq. unfold inQh.
  destruct (Rle_dec qmin _); intuition (auto with arith; try lia; try discriminate).
Qed.
Section Link.
Variables (N : nat) (delta cmax qmin gamma : R) (qhat : nat -> nat -> R) (bid : list nat -> nat -> R) (g : nat -> R).
Notation pool := (pool N qmin (bt N delta) qhat m).
Notation samples := (samples N qmin (bt N delta) qhat g m).
Notation serves := (serves N qmin (bt N delta) (rad N delta cmax gamma) qhat bid g m).
Notation course := (course N qmin (bt N delta) (rad N delta cmax gamma) qhat bid g m).
Lemma pool_is h : pool h = Qh N delta qmin qhat h.
Proof.
  unfold AnyRadius.pool, Qh. apply filter_ext. intros i. unfold inQh.
  destruct (passes_dec _ _ _ _ _ _) as [[H|H]|H]; destruct (Rle_dec _ _) as [H'|H']; try reflexivity.
  - unfold m in H. lia.
  - contradiction.
  - exfalso. apply H. right. exact H'.
Qed.
Lemma samples_is h : samples h <-> explores N delta qmin qhat g h.
Proof. unfold AnyRadius.samples, explores. rewrite pool_is. reflexivity. Qed.
Lemma serves_is h s : serves h s <-> step N delta cmax qmin gamma qhat bid g h s.
Proof. unfold AnyRadius.serves, step, radii. rewrite pool_is, samples_is. reflexivity. Qed.
Lemma course_of_run h : run N delta cmax qmin gamma qhat bid g h -> course h.
Proof. induction 1 as [|h s Hr IH Hs]; constructor; [exact IH|]. apply serves_is. exact Hs. Qed.
Lemma run_of_course h : course h -> run N delta cmax qmin gamma qhat bid g h.
Proof. induction 1 as [|h s Hr IH Hs]; constructor; [exact IH|]. apply serves_is. exact Hs. Qed.
Lemma explored_times h i : times_if (sampling N qmin (bt N delta) qhat g m) h i = explorations N delta qmin qhat g h i.
Proof.
  induction h as [|s h IH]; [reflexivity|]. cbn [times_if explorations]. rewrite IH. destruct (Nat.eq_dec s i); [|reflexivity].
  unfold sampling. destruct (samples_dec _ _ _ _ _ _ _) as [H|H]; destruct (explores_dec _ _ _ _ _ _) as [H'|H']; try reflexivity;
    exfalso; apply samples_is in H || apply H; try contradiction; apply samples_is; exact H'.
Qed.
End Link.

(* ---- counts *)
Section Sharp.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus : R) (quality cost : nat -> R) (best : nat).
Variables (quality_estimate cost_estimate : nat -> nat -> R) (bid : list nat -> nat -> R) (g : nat -> R).
Notation run := (run N delta cmax qmin gamma quality_estimate bid g).
Notation step := (step N delta cmax qmin gamma quality_estimate bid g).
Notation explores := (explores N delta qmin quality_estimate g).
Notation market := (market N delta cmax qmin gamma d_minus d_plus quality cost best).
Notation good_event := (Statements.good_event N delta cmax gamma quality cost quality_estimate cost_estimate).
Notation bids_follow := (bids_follow N delta cmax qmin gamma d_minus d_plus quality_estimate cost_estimate bid g).
Notation separated := (separated N qmin d_minus d_plus quality cost best).
Notation gap i := (cost i - cost best).
Notation horizon h := (N + length h)%nat.
Notation unqualified := (unqualified N qmin quality).
Notation competitors := (competitors N qmin quality best).
Notation m_star := (m_star N delta).
Notation relative_gap := (relative_gap cmax gamma d_minus d_plus cost best).
Notation sharp_elimination := (sharp_elimination N delta qmin quality).
Notation sharp_unqualified_cap := (sharp_unqualified_cap N delta cmax qmin gamma d_minus d_plus quality cost best g).
Notation sharp_competitor_cap := (sharp_competitor_cap N delta cmax gamma d_minus d_plus cost best g).
Notation sharp_cap := (sharp_cap N delta cmax qmin gamma d_minus d_plus quality cost best g).
Notation sharp_identification := (sharp_identification N delta cmax qmin gamma d_minus d_plus quality cost best g).
Notation sharp_leads_at := (sharp_leads_at N delta cmax qmin gamma d_minus d_plus quality cost best g).
Notation sharp_exploration_steps := (sharp_exploration_steps N delta qmin quality g).

Hypothesis Hmarket : market.
Hypothesis Hgood : good_event.
Notation course := (course N qmin (bt N delta) (rad N delta cmax gamma) quality_estimate bid g m).
Notation serves := (serves N qmin (bt N delta) (rad N delta cmax gamma) quality_estimate bid g m).
Notation in_flight := (in_flight m).
Ltac open_all := destruct Hmarket as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest); destruct Hgood as (Hquality & Hcost).
Lemma m_star_count n a : (1 <= n)%nat -> 0 < a -> a <= 2 * bt N delta n -> INR n <= m_star a.
Proof.
  open_all. intros Hn Ha Hle. apply le_INR. destruct (exact_inverse_is_largest N delta a ltac:(lia) Hd Ha) as [_ H]. auto.
Qed.
Lemma m_star_nonneg a : 0 <= m_star a. Proof. apply pos_INR. Qed.
Lemma m_pos h i : (1 <= m h i)%nat. Proof. unfold m. lia. Qed.
Lemma steps_below (p : list nat -> bool) (C : R) h i : 0 <= C -> run h ->
  (forall t, run t -> step t i -> (now N t <= horizon h)%nat -> p t = true -> INR (m t i) <= C) -> INR (times_if p h i) <= C.
Proof.
  intros HC Hr H. rewrite <- (Rplus_0_r C). change 0 with (INR 0).
  rewrite <- (nothing_in_flight m (fun _ _ => eq_refl) h i).
  apply (capped N qmin (bt N delta) (rad N delta cmax gamma) quality_estimate bid g m p C (horizon h)); auto.
  - apply course_of_run. exact Hr.
  - intros t Ht Hs HT Hp. apply H; auto; [apply run_of_course; exact Ht|apply serves_is; exact Hs].
Qed.
Lemma step_in_Qh t i : step t i -> In i (Qh N delta qmin quality_estimate t).
Proof. open_all. intros Hs. eapply step_eligible; eauto. Qed.
Lemma quality_step_gap t i : step t i -> qmin - quality i <= 2 * bt N delta (m t i).
Proof.
  intros Hs. pose proof (step_in_Qh t i Hs) as Hin. open_all. apply in_Qh_iff in Hin. destruct Hin as [Hi Hin].
  pose proof (Hquality i (m t i) Hi (m_pos t i)) as H. apply Rabs_le_inv in H. lra.
Qed.
Lemma relative_step_gap t i : bids_follow -> run t -> step t i -> ~ explores t -> relative_gap i <= 2 * bt N delta (m t i).
Proof.
  intros Hb Hr Hs Hn. pose proof (lem_ordinary_selection_gap _ _ _ _ _ _ _ _ _ _ _ _ _ _ t i Hmarket Hgood Hb Hr Hs Hn) as H.
  open_all. unfold Sharp.relative_gap. assert (Hp : 0 < (1 + gamma) * cmax) by nra.
  apply Rmult_le_reg_r with ((1 + gamma) * cmax); [exact Hp|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. unfold rad in H. lra.
Qed.
Lemma explored_step_below t i T : never_falls g -> step t i -> explores t -> (now N t <= T)%nat -> INR (m t i) <= ceiling (g T) - 1.
Proof.
  intros Hg Hs Hx HT. destruct (exploration_count N delta cmax qmin gamma quality_estimate bid g Hg t i T Hs Hx HT) as [H1 H2].
  apply below_ceiling. lra.
Qed.

(* On the good event, whatever the bids, a run selects an unqualified provider at most m*(q_min - q_i) times after initialization. *)
Theorem sharp_unqualified_elimination h i : run h -> (i < N)%nat -> quality i < qmin -> INR (times h i) <= sharp_elimination i.
Proof.
  intros Hr Hi Hq. rewrite <- times_if_all. apply steps_below; [apply m_star_nonneg|exact Hr|]. intros t Ht Hs _ _.
  apply m_star_count; [apply m_pos|lra|apply quality_step_gap; exact Hs].
Qed.
(* On the good event a run selects an unqualified provider after initialization at most m*(q_min - q_i) times, and, where it is dearer
   than i* by Delta_i, at most max{m*(max{Delta_i/c_max, q_min - q_i}), ceil(g(T)) - 1} times. *)
Theorem lem_unqualified_elimination_sharp h i : bids_follow -> never_falls g -> run h -> 0 < g (horizon h) ->
  (i < N)%nat -> quality i < qmin -> INR (times h i) <= sharp_unqualified_cap (horizon h) i.
Proof.
  intros Hb Hg Hr Hp Hi Hq. unfold Sharp.sharp_unqualified_cap. rewrite <- times_if_all. apply steps_below; [|exact Hr|].
  - apply Rmin_glb; [apply m_star_nonneg|]. eapply Rle_trans; [apply (m_star_nonneg)|apply Rmax_l].
  - intros t Ht Hs HT _. apply Rmin_glb.
    + apply m_star_count; [apply m_pos|lra|apply quality_step_gap; exact Hs].
    + destruct (explores_dec N delta qmin quality_estimate g t) as [Hx|Hn].
      * eapply Rle_trans; [|apply Rmax_r]. apply explored_step_below; assumption.
      * eapply Rle_trans; [|apply Rmax_l]. apply m_star_count; [apply m_pos| |].
        -- eapply Rlt_le_trans; [|apply Rmax_r]. lra.
        -- apply Rmax_lub; [apply relative_step_gap; assumption|apply quality_step_gap; exact Hs].
Qed.
(* On the good event a run selects a competitor at most max{m*(Delta_i/c_max), ceil(g(T)) - 1} times after initialization. *)
Theorem lem_qualified_suboptimal_selection_sharp h i : bids_follow -> never_falls g -> run h -> 0 < g (horizon h) ->
  (i < N)%nat -> d_minus + d_plus < gap i -> INR (times h i) <= sharp_competitor_cap (horizon h) i.
Proof.
  intros Hb Hg Hr Hp Hi Hgap. assert (Ha : 0 < relative_gap i).
  { open_all. unfold Sharp.relative_gap. apply Rdiv_lt_0_compat; [lra|nra]. }
  unfold Sharp.sharp_competitor_cap. rewrite <- times_if_all. apply steps_below; [|exact Hr|].
  - eapply Rle_trans; [apply (m_star_nonneg)|apply Rmax_l].
  - intros t Ht Hs HT _. destruct (explores_dec N delta qmin quality_estimate g t) as [Hx|Hn].
    + eapply Rle_trans; [|apply Rmax_r]. apply explored_step_below; assumption.
    + eapply Rle_trans; [|apply Rmax_l]. apply m_star_count; [apply m_pos|exact Ha|apply relative_step_gap; assumption].
Qed.
Lemma sharp_explorations h i : never_falls g -> run h -> 0 < g (horizon h) -> (i < N)%nat -> quality i < qmin ->
  INR (explorations N delta qmin quality_estimate g h i) <= Rmin (sharp_elimination i) (ceiling (g (horizon h)) - 1).
Proof.
  intros Hg Hr Hp Hi Hq. apply Rmin_glb.
  - eapply Rle_trans; [apply le_INR, explorations_le|]. apply sharp_unqualified_elimination; assumption.
  - eapply explorations_bound; eauto.
Qed.
Lemma total_over_constant l c : total_over l (fun _ => c) = INR (length l) * c.
Proof. induction l as [|i l IH]; [simpl; lra|]. unfold total_over in *. cbn [fold_right length]. rewrite S_INR, IH. lra. Qed.
(* On the good event an unqualified provider is explored at most min{m*(q_min - q_i), ceil(g(T)) - 1} times, m* being at most M_i, and
   all providers together so often, and ceil(g(T)) - 1 times for each qualified one. *)
Theorem lem_forced_exploration_bound_sharp h : never_falls g -> run h -> 0 < g (horizon h) ->
  (forall i, (i < N)%nat -> quality i < qmin ->
    INR (explorations N delta qmin quality_estimate g h i) <= Rmin (sharp_elimination i) (ceiling (g (horizon h)) - 1) /\
    sharp_elimination i <= Runs.M N delta (qmin - quality i)) /\
  total (fun t _ => explored N delta qmin quality_estimate g t) h <= sharp_exploration_steps (horizon h).
Proof.
  intros Hg Hr Hp. split.
  { intros i Hi Hq. split; [apply sharp_explorations; assumption|]. open_all. apply exact_inverse_at_most_bound; [lia|exact Hd|].
    pose proof (Hrange i Hi). lra. }
  rewrite (explored_total N delta cmax qmin gamma quality cost quality_estimate cost_estimate bid g) by exact Hr.
  unfold Sharp.sharp_exploration_steps. rewrite <- total_over_constant. unfold Sharp.qualified, Runs.unqualified.
  rewrite !total_over_filter, <- bsum_plus. apply bsum_le. intros i Hi.
  destruct (Rle_dec qmin (quality i)) as [Hq|Hq]; destruct (Rlt_dec (quality i) qmin) as [Hu|Hu]; try lra.
  - rewrite Rplus_0_r. eapply explorations_bound; eauto.
  - rewrite Rplus_0_l. apply sharp_explorations; auto.
Qed.

(* ---- thm:sample-complexity:sharp and claim:T_id:sharp *)
Lemma caps_of_others (u c : nat -> R) :
  over_others N best (fun i => if Rlt_dec (quality i) qmin then u i else c i) = total_over unqualified u + total_over competitors c.
Proof.
  open_all. unfold over_others, Runs.unqualified, Runs.competitors. rewrite !total_over_filter, <- bsum_plus. apply bsum_ext.
  intros i Hi. destruct (Nat.eq_dec i best) as [->|Hne].
  - destruct (Rle_dec qmin (quality best)) as [|Hn]; [|exfalso; apply Hn, Hbest]. destruct (Rlt_dec (quality best) qmin); [lra|].
    rewrite Nat.eqb_refl. simpl. lra.
  - apply Nat.eqb_neq in Hne as E. destruct (Rle_dec qmin (quality i)); destruct (Rlt_dec (quality i) qmin); try lra.
    rewrite E. simpl. lra.
Qed.
Lemma times_below_sharp_cap h i : bids_follow -> never_falls g -> separated -> run h -> 0 < g (horizon h) ->
  (i < N)%nat -> i <> best -> INR (times h i) <= sharp_cap (horizon h) i.
Proof.
  intros Hb Hg Hsep Hr Hp Hi Hne. unfold Sharp.sharp_cap. destruct (Rlt_dec (quality i) qmin) as [Hq|Hq].
  - apply lem_unqualified_elimination_sharp; assumption.
  - apply lem_qualified_suboptimal_selection_sharp; try assumption. apply Hsep; auto. lra.
Qed.
(* On the good event the non-optimal steps of a run are at most N - 1 and the sum of the improved caps: those of competitors have the
   exact inverse of the radius for L_i. *)
Theorem thm_sample_complexity_sharp h : bids_follow -> never_falls g -> separated -> run h -> 0 < g (horizon h) ->
  nonoptimal_steps N best h <= INR N - 1 + sharp_identification (horizon h).
Proof.
  intros Hb Hg Hsep Hr Hp. unfold Sharp.sharp_identification. rewrite <- caps_of_others. apply misses_by_caps.
  - eapply run_lt; eauto.
  - open_all. apply Hbest.
  - intros i Hi Hne. apply times_below_sharp_cap; assumption.
Qed.
Lemma sharp_lead h i : bids_follow -> never_falls g -> separated -> run h -> 0 < g (horizon h) ->
  sharp_leads_at (horizon h) -> (i < N)%nat -> i <> best -> (m h i < m h best)%nat.
Proof.
  intros Hb Hg Hsep Hr Hp Hlead Hi Hne. specialize (Hlead i Hi Hne). apply INR_lt.
  assert (Hcap : forall j, (j < N)%nat -> j <> best -> INR (times h j) <= sharp_cap (horizon h) j)
    by (intros; apply times_below_sharp_cap; assumption).
  pose proof (lead_by_caps N best h (sharp_cap (horizon h)) i ltac:(eapply run_lt; eauto) (proj1 (proj2 (proj2 (proj2 (proj2 (proj2 (proj2 (proj2 Hmarket)))))))) Hcap Hi Hne) as H.
  unfold Sharp.sharp_identification in Hlead. rewrite <- caps_of_others in Hlead.
  change (over_others N best (fun i => if Rlt_dec (quality i) qmin then sharp_unqualified_cap (horizon h) i else sharp_competitor_cap (horizon h) i))
    with (over_others N best (sharp_cap (horizon h))) in Hlead. lra.
Qed.
(* On the good event i* has more queries than any rival from any T on from which T' > N + B(T') + cap_i(T') holds for every T' and every
   rival i: T_id is the least such T. *)
Theorem claim_T_id_sharp T_id h i : bids_follow -> never_falls g -> separated -> run h -> 0 < g (horizon h) ->
  (forall T, (T_id <= T)%nat -> sharp_leads_at T) -> (T_id <= horizon h)%nat -> (i < N)%nat -> i <> best -> (m h i < m h best)%nat.
Proof. intros Hb Hg Hsep Hr Hp Hlead HT. apply sharp_lead; auto. Qed.
End Sharp.

(* ---- sums of a sequence that does not increase lie below their tangents *)
Section Tangent.
Variable b : nat -> R.
Hypothesis b_falls : forall x y, (x <= y)%nat -> b y <= b x.
Lemma above_tangent s d : bsum (s + d) b <= bsum s b + INR d * b s.
Proof.
  induction d as [|d IH]; [rewrite Nat.add_0_r; simpl; lra|]. rewrite Nat.add_succ_r. cbn [bsum]. rewrite S_INR.
  pose proof (b_falls s (s + d) ltac:(lia)). lra.
Qed.
Lemma below_tangent d e : bsum d b + INR e * b (d + e)%nat <= bsum (d + e) b.
Proof.
  induction e as [|e IH]; [rewrite Nat.add_0_r; simpl; lra|]. rewrite Nat.add_succ_r. cbn [bsum]. rewrite S_INR.
  pose proof (b_falls (d + e) (S (d + e)) ltac:(lia)). assert (INR e * b (S (d + e)) <= INR e * b (d + e)%nat) by (apply Rmult_le_compat_l; [apply pos_INR|assumption]).
  lra.
Qed.
Lemma below_tangent_at s D : bsum D b <= bsum s b + (INR D - INR s) * b s.
Proof.
  destruct (le_lt_dec s D) as [H|H].
  - replace D with (s + (D - s))%nat at 1 by lia. rewrite <- minus_INR by exact H. apply above_tangent.
  - pose proof (below_tangent D (s - D)) as E. replace (D + (s - D))%nat with s in E by lia. rewrite minus_INR in E by lia. lra.
Qed.
Hypothesis b_nonneg : forall x, 0 <= b x.
(* weighted shares that add up to `all` at most: equal shares are the worst case *)
Lemma shares_at_most (A : list nat) (D : nat -> nat) all : A <> [] -> total_over A (fun i => INR (D i)) <= INR all ->
  total_over A (fun i => bsum (D i) b) <= equal_shares b (length A) all.
Proof.
  intros Hne Hall. set (n := length A). assert (Hn : n <> 0%nat) by (unfold n; destruct A; [contradiction|simpl; lia]).
  set (s := (all / n)%nat). set (r := (all mod n)%nat).
  assert (E : all = (n * s + r)%nat) by (apply Nat.div_mod; exact Hn).
  assert (H : total_over A (fun i => bsum (D i) b) <= INR n * bsum s b + (total_over A (fun i => INR (D i)) - INR n * INR s) * b s).
  { unfold n. generalize s. clear -b_falls. intros s. induction A as [|i A IH]; [simpl; lra|].
    unfold total_over in *. cbn [fold_right length]. rewrite S_INR. pose proof (below_tangent_at s (D i)). lra. }
  assert (Hr : (total_over A (fun i => INR (D i)) - INR n * INR s) * b s <= INR r * b s).
  { apply Rmult_le_compat_r; [apply b_nonneg|]. rewrite E, plus_INR, mult_INR in Hall. lra. }
  unfold equal_shares. fold n s r. cbn [bsum]. lra.
Qed.
End Tangent.

(* what is added up along a run, by provider and count: the l-th selection of i after initialization happens at m = l *)
Lemma by_provider_and_count (N : nat) (f : nat -> nat -> R) h : (forall i, In i h -> (i < N)%nat) ->
  total (fun t s => f s (m t s)) h = bsum N (fun i => bsum (times h i) (fun l => f i (S l))).
Proof.
  induction h as [|s h IH]; intros H.
  - simpl. unfold times. simpl. clear. induction N as [|k IH]; simpl; [reflexivity|]. rewrite <- IH. ring.
  - cbn [total]. rewrite IH by (intros; apply H; simpl; auto).
    rewrite (bsum_update N (fun i => bsum (times h i) (fun l => f i (S l))) (fun i => bsum (times (s :: h) i) (fun l => f i (S l))) s).
    + rewrite times_cons_same. cbn [bsum]. unfold m. ring.
    + apply H. simpl. auto.
    + intros i _ Hi. rewrite times_cons_other by (intros ->; apply Hi; reflexivity). reflexivity.
Qed.
Lemma bsum_longer f a b : (a <= b)%nat -> (forall l, 0 <= f l) -> bsum a f <= bsum b f.
Proof. intros Hab Hf. induction Hab as [|b Hab IH]; [lra|]. cbn [bsum]. specialize (Hf b). lra. Qed.

Section Radii.
Variables (N : nat) (delta : R).
Hypothesis HN : (2 <= N)%nat.
Hypothesis Hd : 0 < delta < 1.
Notation n := (INR N).
(* the radius at the l-th selection after initialization, l = 1, 2, ..., and the sum of the first of them *)
Notation radius_of l := (bt N delta (S l)).
Notation radii_up_to := (radii_up_to N delta).
Notation equal_radii := (equal_radii N delta).
Lemma n2 : 2 <= n. Proof. apply (le_INR 2). exact HN. Qed.
Lemma radius_falls x y : (x <= y)%nat -> radius_of y <= radius_of x.
Proof.
  intros H. apply radius_monotone; [exact n2|exact Hd|apply (le_INR 1); lia|apply le_INR; lia].
Qed.
Lemma radius_nonneg x : 0 <= radius_of x. Proof. apply sqrt_pos. Qed.
(* the radii of the selected, each with a weight of its provider, are the sums of the first radii *)
Lemma radii_by_provider (w : nat -> R) h : (forall i, In i h -> (i < N)%nat) ->
  total (fun t s => w s * bt N delta (m t s)) h = bsum N (fun i => w i * radii_up_to (times h i)).
Proof.
  intros H. rewrite (by_provider_and_count N (fun i count => w i * bt N delta count)) by exact H. apply bsum_ext. intros i _.
  unfold Sharp.radii_up_to. rewrite bsum_scal. reflexivity.
Qed.
(* The radii of any group of providers add up to at most those of equal shares of all selections. *)
Theorem lem_radius_sum_sharpest (p : nat -> bool) h : let A := filter p (seq 0 N) in A <> [] ->
  (forall i, In i h -> (i < N)%nat) ->
  total (fun t s => (if p s then 1 else 0) * bt N delta (m t s)) h <= equal_radii (length A) (length h).
Proof.
  intros A Hne H. rewrite (radii_by_provider (fun s => if p s then 1 else 0)) by exact H.
  apply Rle_trans with (total_over A (fun i => radii_up_to (times h i))).
  - right. unfold A. rewrite total_over_filter. apply bsum_ext. intros i _. destruct (p i); ring.
  - apply shares_at_most; [exact radius_falls|exact radius_nonneg|exact Hne|].
    unfold A. rewrite total_over_filter. rewrite <- (times_sum N h H). apply bsum_le. intros i _.
    pose proof (pos_INR (times h i)). destruct (p i); lra.
Qed.
Lemma filter_all (l : list nat) : filter (fun _ => true) l = l.
Proof. induction l as [|x l IH]; [reflexivity|]. simpl. rewrite IH. reflexivity. Qed.
(* So do those of all providers. *)
Corollary lem_radius_sum_sharpest_of_all h : (forall i, In i h -> (i < N)%nat) ->
  total (fun t s => bt N delta (m t s)) h <= equal_radii N (length h).
Proof.
  intros H. pose proof (lem_radius_sum_sharpest (fun _ => true) h) as Hall. cbv zeta in Hall.
  rewrite (filter_all (seq 0 N)), seq_length in Hall.
  assert (Hne : seq 0 N <> []) by (intros E; apply (f_equal (@length nat)) in E; rewrite seq_length in E; simpl in E; lia).
  eapply Rle_trans; [|exact (Hall Hne H)]. right. clear. induction h as [|s h IH]; [reflexivity|]. cbn [total]. rewrite IH. ring.
Qed.
Definition round_robin (all : nat) : list nat :=
  flat_map (fun i => repeat i (if Nat.ltb i (all mod N) then S (all / N) else (all / N)%nat)) (seq 0 N).
(* Serving the providers in turn attains the sum of equal shares: no bound of the number of queries alone is better. *)
Theorem equal_radii_are_attained all : length (round_robin all) = all /\ (forall i, In i (round_robin all) -> (i < N)%nat) /\
  total (fun t s => bt N delta (m t s)) (round_robin all) = equal_radii N all.
Proof.
  set (D := fun i => if Nat.ltb i (all mod N) then S (all / N) else (all / N)%nat).
  assert (Hmod : (all mod N < N)%nat) by (apply Nat.mod_upper_bound; lia).
  assert (Hin : forall i, In i (round_robin all) -> (i < N)%nat).
  { intros i Hi. apply in_flat_map in Hi. destruct Hi as (j & Hj & Hij). apply repeat_spec in Hij. subst. apply in_seq in Hj. lia. }
  assert (Htimes : forall i, (i < N)%nat -> times (round_robin all) i = D i).
  { intros i Hi. change (times (flat_map (fun i => repeat i (D i)) (seq 0 N)) i = D i).
    assert (Hgen : forall k a, times (flat_map (fun i => repeat i (D i)) (seq a k)) i = if (a <=? i)%nat then if (i <? a + k)%nat then D i else 0%nat else 0%nat).
    { unfold times. intros k. induction k as [|k IH]; intros a.
      - simpl. destruct (Nat.leb_spec a i); destruct (Nat.ltb_spec i (a + 0)); lia.
      - cbn [seq flat_map]. rewrite count_occ_app, IH. destruct (Nat.eq_dec a i) as [->|Hne].
        + rewrite count_occ_repeat_eq by reflexivity. destruct (Nat.leb_spec (S i) i); [lia|]. destruct (Nat.leb_spec i i); [|lia].
          destruct (Nat.ltb_spec i (i + S k)); lia.
        + rewrite count_occ_repeat_neq by (intros E; apply Hne; congruence).
          destruct (Nat.leb_spec (S a) i); destruct (Nat.leb_spec a i); destruct (Nat.ltb_spec i (S a + k)); destruct (Nat.ltb_spec i (a + S k)); lia. }
    rewrite (Hgen N 0%nat). simpl. destruct (Nat.ltb_spec i N); [reflexivity|lia]. }
  assert (Hsum : forall f : nat -> R, bsum N (fun i => f (D i)) = INR (all mod N) * f (S (all / N)) + (n - INR (all mod N)) * f (all / N)%nat).
  { intros f. unfold D. assert (Hk : forall k, bsum k (fun i => f (if Nat.ltb i (all mod N) then S (all / N) else (all / N)%nat))
      = INR (Nat.min k (all mod N)) * f (S (all / N)) + (INR k - INR (Nat.min k (all mod N))) * f (all / N)%nat).
    { induction k as [|k IH]; [simpl; ring|]. cbn [bsum]. rewrite IH. destruct (Nat.ltb_spec k (all mod N)) as [Hlt|Hge].
      - rewrite (Nat.min_l k), (Nat.min_l (S k)) by lia. rewrite S_INR. ring.
      - rewrite (Nat.min_r k), (Nat.min_r (S k)) by lia. rewrite S_INR. ring. }
    rewrite Hk, Nat.min_r by lia. reflexivity. }
  split; [|split; [exact Hin|]].
  - apply INR_eq. rewrite <- (times_sum N _ Hin). rewrite (bsum_ext N _ (fun i => INR (D i))) by (intros i Hi; rewrite Htimes by exact Hi; reflexivity).
    rewrite (Hsum INR). rewrite (Nat.div_mod all N) at 5 by lia. rewrite plus_INR, mult_INR, S_INR. ring.
  - transitivity (total (fun t s => (fun _ => 1) s * bt N delta (m t s)) (round_robin all)).
    + generalize (round_robin all). intros l. induction l as [|s l IH]; [reflexivity|]. cbn [total]. rewrite IH. ring.
    + rewrite (radii_by_provider (fun _ => 1)) by exact Hin.
      rewrite (bsum_ext N _ (fun i => radii_up_to (D i))) by (intros i Hi; rewrite Htimes by exact Hi; ring).
      rewrite (Hsum radii_up_to). reflexivity.
Qed.

(* ---- in closed form: (T - N)/N for T in the logarithm, since roots are concave *)
Notation C := (2 * PI ^ 2 * n / (3 * delta)).
Notation root D := (sqrt (D * ln (C * D ^ 2))).
Lemma constant_large : 2 < ln C.
Proof.
  pose proof n2. assert (HC : exp 2 < C).
  { eapply Rlt_le_trans; [exact e2_lt|]. pose proof (logarg_ge1 (n / 2) delta 1 ltac:(lra) Hd (Rle_refl 1)) as H1.
    replace (2 * PI ^ 2 * (n / 2) * 1 ^ 2 / (3 * delta)) with (C / 2) in H1 by (field; lra). lra. }
  apply Rle_lt_trans with (ln (exp 2)); [rewrite ln_exp; lra|]. apply ln_increasing; [apply exp_pos|exact HC].
Qed.
Lemma C_pos : 0 < C.
Proof. pose proof n2. pose proof PI_RGT_0. apply Rdiv_lt_0_compat; [|lra]. apply Rmult_lt_0_compat; [nra|lra]. Qed.
Lemma log_of x : 0 < x -> ln (C * x ^ 2) = ln C + 2 * ln x.
Proof.
  intros Hx. pose proof C_pos. replace (x ^ 2) with (x * x) by ring. rewrite ln_mult; [|assumption|nra]. rewrite ln_mult by assumption. ring.
Qed.
Lemma ln_nonneg x : 1 <= x -> 0 <= ln x.
Proof. intros [H|<-]; [rewrite <- ln_1; apply Rlt_le, ln_increasing; lra|rewrite ln_1; lra]. Qed.
(* the radii of one provider: the bound of the lemma for counts up to its own *)
Lemma radii_below_root D : radii_up_to D <= sqrt 2 * root (INR D).
Proof.
  destruct D as [|d]; [unfold Sharp.radii_up_to; simpl; apply Rmult_le_pos; apply sqrt_pos|]. set (D := S d).
  assert (HD : 1 <= INR D) by (apply (le_INR 1); unfold D; lia).
  assert (EL : Lam N delta (INR D) = ln (C * INR D ^ 2)).
  { unfold Lam. f_equal. field. lra. }
  set (c := sqrt (Lam N delta (INR D) / 2)).
  assert (HL : 0 <= ln (C * INR D ^ 2)) by (rewrite log_of by lra; pose proof constant_large; pose proof (ln_nonneg _ HD); lra).
  apply Rle_trans with (bsum D (fun l => c * / sqrt (INR (S l)))).
  - apply bsum_le. intros l Hl. apply (bta_le N delta ltac:(lia) Hd); [lia|apply le_INR; lia].
  - rewrite bsum_scal. pose proof (sum_inv_sqrt D) as H. assert (0 <= c) by apply sqrt_pos.
    apply Rle_trans with (c * (2 * sqrt (INR D))); [apply Rmult_le_compat_l; assumption|]. unfold c. rewrite EL. right.
    set (l := ln (C * INR D ^ 2)) in *. assert (Ec : sqrt (l / 2) * sqrt 2 = sqrt l) by (rewrite <- sqrt_mult by lra; f_equal; field).
    assert (Hs2 : sqrt 2 * sqrt 2 = 2) by (apply sqrt_sqrt; lra). rewrite (sqrt_mult (INR D) l) by lra. rewrite <- Ec.
    transitivity (sqrt (l / 2) * ((sqrt 2 * sqrt 2) * sqrt (INR D))); [rewrite Hs2; reflexivity|ring].
Qed.
(* the tangent of the root at s *)
Lemma root_below_tangent s D : 1 <= s -> 0 <= D -> (D = 0 \/ 1 <= D) ->
  2 * root s * root D <= 2 * ln (C * s ^ 2) * s + (ln (C * s ^ 2) + 2) * (D - s).
Proof.
  intros Hs HD0 HD. assert (HL0 : 2 < ln (C * s ^ 2)) by (rewrite log_of by lra; pose proof constant_large; pose proof (ln_nonneg s Hs); lra).
  assert (Elog0 : 1 <= D -> ln (C * D ^ 2) = ln (C * s ^ 2) + 2 * ln (D / s)).
  { intros HD1. assert (Eq : ln (D / s) = ln D - ln s).
    { unfold Rdiv. rewrite ln_mult by (try apply Rinv_0_lt_compat; lra). rewrite ln_Rinv by lra. ring. }
    rewrite !log_of by lra. rewrite Eq. ring. }
  generalize dependent (ln (C * s ^ 2)). intros L HL Elog0.
  assert (Hright : 0 <= 2 * L * s + (L + 2) * (D - s)) by nra.
  destruct HD as [->|HD]; [rewrite Rmult_0_l, sqrt_0; lra|]. pose proof (Elog0 HD) as Elog.
  assert (Hlog0 : 0 <= ln (C * D ^ 2)) by (rewrite log_of by lra; pose proof constant_large; pose proof (ln_nonneg D HD); lra).
  assert (Htan : s * ln (D / s) <= D - s).
  { assert (Hx : 0 < D / s) by (apply Rdiv_lt_0_compat; lra). pose proof (ln_le_pred (D / s) Hx).
    replace (D - s) with (s * (D / s - 1)) by (field; lra). apply Rmult_le_compat_l; lra. }
  apply Rsqr_incr_0_var; [unfold Rsqr|exact Hright].
  assert (E1 : sqrt (s * L) * sqrt (s * L) = s * L) by (apply sqrt_sqrt, Rmult_le_pos; lra).
  assert (E2 : root D * root D = D * (L + 2 * ln (D / s))) by (rewrite <- Elog; apply sqrt_sqrt, Rmult_le_pos; lra).
  replace (2 * sqrt (s * L) * root D * (2 * sqrt (s * L) * root D)) with (4 * (sqrt (s * L) * sqrt (s * L)) * (root D * root D)) by ring.
  rewrite E1, E2. apply Rle_trans with (4 * L * D * (s * L + 2 * (D - s))).
  - replace (4 * (s * L) * (D * (L + 2 * ln (D / s)))) with (4 * L * D * (s * L + 2 * (s * ln (D / s)))) by ring.
    apply Rmult_le_compat_l; [|lra]. apply Rmult_le_pos; lra.
  - assert (0 <= (L - 2) * (D - s) * ((L - 2) * (D - s))) by apply Rle_0_sqr. nra.
Qed.
(* roots of whole numbers that add up to N s are at most N roots of s *)
Lemma count_cases (D : nat) : INR D = 0 \/ 1 <= INR D.
Proof. destruct D; [left; reflexivity|right; apply (le_INR 1); lia]. Qed.
(* The radii of the served add up to at most sqrt(2 N D ln(C max{1, D/N}^2)) over D queries. *)
Theorem lem_radius_sum_sharp h : (forall i, In i h -> (i < N)%nat) -> let D := INR (length h) in
  total (fun t s => bt N delta (m t s)) h <= sqrt (2 * n * D * ln (C * Rmax 1 (D / n) ^ 2)).
Proof.
  intros H D. pose proof n2 as Hn. pose proof constant_large as HC. assert (HD0 : 0 <= D) by apply pos_INR.
  assert (Hsum : total (fun t s => bt N delta (m t s)) h <= sqrt 2 * bsum N (fun i => root (INR (times h i)))).
  { rewrite <- bsum_scal. apply Rle_trans with (bsum N (fun i => radii_up_to (times h i))).
    - right. transitivity (total (fun t s => (fun _ => 1) s * bt N delta (m t s)) h).
      + clear. induction h as [|s l IH]; [reflexivity|]. cbn [total]. rewrite IH. ring.
      + rewrite (radii_by_provider (fun _ => 1)) by exact H. apply bsum_ext. intros. ring.
    - apply bsum_le. intros i _. apply radii_below_root. }
  assert (Htot : bsum N (fun i => INR (times h i)) = D) by (apply times_sum; exact H).
  eapply Rle_trans; [exact Hsum|]. destruct (Rle_lt_dec 1 (D / n)) as [Hs|Hs].
  - rewrite Rmax_right by exact Hs. set (s := D / n) in *. assert (ED : D = n * s) by (unfold s; field; lra).
    assert (HL : 2 < ln (C * s ^ 2)) by (rewrite log_of by lra; pose proof (ln_nonneg s Hs); lra).
    assert (E1 : root s * root s = s * ln (C * s ^ 2)) by (apply sqrt_sqrt, Rmult_le_pos; lra).
    assert (Hr : 0 < root s) by (apply sqrt_lt_R0, Rmult_lt_0_compat; lra).
    assert (Htan : 2 * root s * bsum N (fun i => root (INR (times h i))) <= 2 * ln (C * s ^ 2) * s * n).
    { rewrite <- bsum_scal. apply Rle_trans with (bsum N (fun i => (2 * ln (C * s ^ 2) * s - (ln (C * s ^ 2) + 2) * s) + (ln (C * s ^ 2) + 2) * INR (times h i))).
      - apply bsum_le. intros i _. pose proof (root_below_tangent s (INR (times h i)) Hs (pos_INR _) (count_cases _)) as Ht. lra.
      - rewrite bsum_plus, bsum_scal, bsum_const, Htot, ED. right. ring. }
    assert (Hb : bsum N (fun i => root (INR (times h i))) <= n * root s).
    { apply Rmult_le_reg_l with (2 * root s); [lra|]. eapply Rle_trans; [exact Htan|]. right.
      replace (2 * root s * (n * root s)) with (2 * n * (root s * root s)) by ring. rewrite E1. ring. }
    apply Rle_trans with (sqrt 2 * (n * root s)); [apply Rmult_le_compat_l; [apply sqrt_pos|exact Hb]|].
    right. set (l := ln (C * s ^ 2)) in *. assert (Esq : forall x y z, 0 <= x -> 0 <= y -> 0 <= z -> sqrt x * (y * sqrt z) = sqrt (x * (y * y * z))).
    { intros x y z Hx Hy Hz. rewrite (sqrt_mult x), (sqrt_mult (y * y)), (sqrt_square y); try lra; nra. }
    rewrite Esq by (try apply Rmult_le_pos; lra). f_equal. rewrite ED. ring.
  - rewrite Rmax_left by lra. assert (HDn : D <= n).
    { apply Rmult_lt_compat_r with (r := n) in Hs; [|lra]. unfold Rdiv in Hs. rewrite Rmult_assoc, Rinv_l in Hs by lra. lra. }
    replace (C * 1 ^ 2) with C by ring. assert (Hb : bsum N (fun i => root (INR (times h i))) <= sqrt (ln C) * D).
    { rewrite <- Htot, <- bsum_scal. apply bsum_le. intros i _. set (x := INR (times h i)). pose proof (pos_INR (times h i) : 0 <= x) as Hx0.
      destruct (count_cases (times h i)) as [E|Hx]; fold x in E || fold x in Hx.
      - rewrite E, Rmult_0_l, sqrt_0, Rmult_0_r. apply Rle_refl.
      - rewrite <- (sqrt_square x) at 3 by lra. rewrite <- sqrt_mult by nra. apply sqrt_le_1_alt. rewrite log_of by lra.
        pose proof (ln_le_pred x ltac:(lra)). assert (Hin : ln C + 2 * ln x <= ln C * x) by nra.
        replace (ln C * (x * x)) with (x * (ln C * x)) by ring. apply Rmult_le_compat_l; lra. }
    apply Rle_trans with (sqrt 2 * (sqrt (ln C) * D)); [apply Rmult_le_compat_l; [apply sqrt_pos|exact Hb]|].
    assert (Esq : sqrt 2 * (sqrt (ln C) * D) = sqrt (2 * ln C * (D * D))).
    { rewrite (sqrt_mult (2 * ln C)), (sqrt_mult 2), (sqrt_square D); try lra; nra. }
    rewrite Esq. apply sqrt_le_1_alt. assert (D * D <= n * D) by (apply Rmult_le_compat_r; lra).
    assert (2 * ln C * (D * D) <= 2 * ln C * (n * D)) by (apply Rmult_le_compat_l; lra). lra.
Qed.
End Radii.

(* ---- regrets *)
Section Regrets.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus : R) (quality cost : nat -> R) (best : nat).
Variables (quality_estimate cost_estimate : nat -> nat -> R) (bid : list nat -> nat -> R) (g : nat -> R).
Notation n := (INR N).
Notation run := (run N delta cmax qmin gamma quality_estimate bid g).
Notation step := (step N delta cmax qmin gamma quality_estimate bid g).
Notation explores := (explores N delta qmin quality_estimate g).
Notation explored := (explored N delta qmin quality_estimate g).
Notation payment := (payment N delta cmax qmin gamma quality_estimate bid g).
Notation market := (market N delta cmax qmin gamma d_minus d_plus quality cost best).
Notation good_event := (Statements.good_event N delta cmax gamma quality cost quality_estimate cost_estimate).
Notation bids_follow := (bids_follow N delta cmax qmin gamma d_minus d_plus quality_estimate cost_estimate bid g).
Notation separated := (separated N qmin d_minus d_plus quality cost best).
Notation gap i := (cost i - cost best).
Notation unqualified := (unqualified N qmin quality).
Notation competitors := (competitors N qmin quality best).
Notation horizon h := (N + length h)%nat.
Notation quality_regret := (run_quality_regret N qmin quality).
Notation generation_regret := (run_generation_regret N cost best).
Hypothesis Hm : market.
Hypothesis He : good_event.
Ltac opened := pose proof Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest); pose proof He as (Hquality & Hcost).

(* ---- with any caps of the selections *)
Theorem quality_regret_by_caps h (cap : nat -> R) : run h ->
  (forall i, (i < N)%nat -> quality i < qmin -> INR (times h i) <= cap i) ->
  quality_regret h <= total_over unqualified (fun i => (qmin - quality i) * (1 + cap i)).
Proof.
  intros Hr Hcap. unfold run_quality_regret, Runs.unqualified.
  rewrite total_over_filter, (total_by_provider N (quality_loss qmin quality)) by (eapply run_lt; eauto).
  rewrite <- bsum_plus. apply bsum_le. intros i Hi. unfold quality_loss. destruct (Rlt_dec (quality i) qmin) as [Hlt|Hge].
  - rewrite Rmax_right by lra. specialize (Hcap i Hi Hlt). nra.
  - rewrite Rmax_left by lra. lra.
Qed.
Lemma generation_regret_by_caps h (u c : nat -> R) : run h ->
  (forall i, (i < N)%nat -> quality i < qmin -> INR (times h i) <= u i) ->
  (forall i, (i < N)%nat -> qmin <= quality i -> i <> best -> INR (times h i) <= c i) ->
  generation_regret h <= total_over competitors (fun i => gap i * (1 + c i)) + total_over unqualified (fun i => (1 + u i) * Rmax 0 (gap i)).
Proof.
  intros Hr Hu Hcap. opened. unfold run_generation_regret.
  rewrite (total_by_provider N (cost_loss cost best)) by (eapply run_lt; eauto). rewrite <- bsum_plus.
  unfold Runs.competitors, Runs.unqualified. rewrite !total_over_filter, <- bsum_plus. apply bsum_le. intros i Hi.
  destruct (Nat.eq_dec i best) as [->|Hne].
  - rewrite cost_loss_star, Nat.eqb_refl. destruct (Rle_dec qmin (quality best)) as [|Hn]; [|exfalso; apply Hn, Hbest].
    destruct (Rlt_dec (quality best) qmin); [lra|]. simpl. lra.
  - apply Nat.eqb_neq in Hne as E. rewrite E. unfold cost_loss. pose proof (Rmax_l 0 (gap i)). destruct (Rle_dec qmin (quality i)) as [Hq|Hq].
    + destruct (Rlt_dec (quality i) qmin); [lra|]. simpl negb. cbv iota. pose proof (Hcap i Hi Hq Hne).
      pose proof (proj2 (proj2 Hbest) i Hi Hq Hne). rewrite Rmax_right in * by lra. nra.
    + destruct (Rlt_dec (quality i) qmin); [|lra]. pose proof (Hu i Hi r). nra.
Qed.
(* ---- with any bound of the sum of the radii *)
Notation radii_of h := (total (fun t s => bt N delta (m t s)) h).
Lemma quality_regret_by_radii h S : run h -> radii_of h <= S -> quality_regret h <= n + 2 * S.
Proof.
  intros Hr HS. opened. unfold run_quality_regret. apply Rplus_le_compat.
  - replace n with (n * 1) by ring. rewrite <- bsum_const. apply bsum_le. intros i Hi. eapply quality_loss_range; eauto.
    intros j Hj. apply Hrange. exact Hj.
  - apply Rle_trans with (total (fun t s => 2 * bt N delta (m t s)) h).
    + eapply total_along; [exact Hr|apply le_n|]. intros t s _ Hs _. eapply quality_step; eauto.
    + rewrite total_scal. lra.
Qed.
Lemma initial_costs : bsum N (cost_loss cost best) <= cmax * (n - 1).
Proof.
  opened. rewrite <- (bsum_one_less best N (proj1 Hbest)), <- bsum_scal. apply bsum_le. intros i Hi.
  destruct (Nat.eq_dec i best) as [->|]; [rewrite cost_loss_star; lra|].
  pose proof (cost_loss_range N cmax qmin quality cost best Hc Hbest (cost_range _ _ _ _ _ _ _ _ _ _ Hm) i Hi). lra.
Qed.
(* where only steps that do not serve the best provider count: S bounds their radii *)
Theorem generation_regret_by_radii h S : bids_follow -> never_falls g -> run h -> 0 < g (horizon h) ->
  total (fun t s => (if Nat.eq_dec s best then 0 else 1) * bt N delta (m t s)) h <= S ->
  generation_regret h <= (n - 1) * ceiling (g (horizon h)) * cmax + 2 * ((1 + gamma) * cmax) * S + (d_minus + d_plus) * INR (length h).
Proof.
  intros Hb Hg Hr Hp HS. pose proof initial_costs as H0. pose proof (cost_range _ _ _ _ _ _ _ _ _ _ Hm) as Hcr.
  pose proof (bids_are_near _ _ _ _ _ _ _ _ _ _ _ Hb) as Hnear. opened. unfold run_generation_regret.
  assert (H1 : total (fun _ s => cost_loss cost best s) h
    <= total (fun t s => explored t * cost_loss cost best s + (2 * ((1 + gamma) * cmax) * ((if Nat.eq_dec s best then 0 else 1) * bt N delta (m t s)) + (d_minus + d_plus))) h).
  { eapply total_along; [exact Hr|apply le_n|]. intros t s Ht Hs _.
    assert (Hstep : cost_loss cost best s <= explored t * cost_loss cost best s + (2 * rad N delta cmax gamma (m t s) + (d_minus + d_plus)))
      by (eapply generation_step; eauto).
    destruct (Nat.eq_dec s best) as [->|]; [rewrite cost_loss_star; lra|]. unfold rad in Hstep. lra. }
  rewrite total_plus, total_plus, total_scal, total_const in H1.
  assert (Hx : total (fun t s => explored t * cost_loss cost best s) h <= cmax * ((n - 1) * (ceiling (g (horizon h)) - 1)))
    by (eapply explored_others; eauto).
  assert (H2 : 2 * ((1 + gamma) * cmax) * total (fun t s => (if Nat.eq_dec s best then 0 else 1) * bt N delta (m t s)) h <= 2 * ((1 + gamma) * cmax) * S)
    by (apply Rmult_le_compat_l; [nra|exact HS]).
  lra.
Qed.
Lemma radii_of_others_at_most h : total (fun t s => (if Nat.eq_dec s best then 0 else 1) * bt N delta (m t s)) h <= radii_of h.
Proof.
  induction h as [|s h IH]; [simpl; lra|]. cbn [total]. pose proof (sqrt_pos (1 / (2 * INR (m h s)) * ln (2 * PI ^ 2 * n * INR (m h s) ^ 2 / (3 * delta)))) as Hp.
  fold (beta n delta (INR (m h s))) in Hp. fold (bt N delta (m h s)) in Hp. destruct (Nat.eq_dec s best); lra.
Qed.

(* ---- thm:generation-regret:sharp: both regrets with the improved caps and the improved sum of the radii *)
Notation sharp_radius_sum := (sharp_radius_sum N delta).
Lemma sharp_radii h : run h -> radii_of h <= sharp_radius_sum (horizon h).
Proof.
  intros Hr. opened. pose proof (lem_radius_sum_sharp N delta HN Hd h ltac:(eapply run_lt; eauto)) as H. cbv zeta in H.
  unfold Sharp.sharp_radius_sum. rewrite plus_INR. replace (n + INR (length h) - n) with (INR (length h)) by ring. exact H.
Qed.
Notation unqualified_cap := (sharp_unqualified_cap N delta cmax qmin gamma d_minus d_plus quality cost best g).
Notation competitor_cap := (sharp_competitor_cap N delta cmax gamma d_minus d_plus cost best g).
(* On the good event quality and generation regret are within the bounds with the improved caps, and within those with the improved sum
   of the radii, which has (T - N)/N for T in its logarithm. *)
Theorem thm_generation_regret_sharp h : bids_follow -> never_falls g -> run h -> 0 < g (horizon h) ->
  let T := horizon h in
  quality_regret h <= Rmin (n + 2 * sharp_radius_sum T) (total_over unqualified (fun i => (qmin - quality i) * (1 + unqualified_cap T i))) /\
  generation_regret h <= (n - 1) * ceiling (g T) * cmax + 2 * ((1 + gamma) * cmax) * sharp_radius_sum T + (d_minus + d_plus) * INR (length h) /\
  (separated -> generation_regret h <= total_over competitors (fun i => gap i * (1 + competitor_cap T i))
    + total_over unqualified (fun i => (1 + unqualified_cap T i) * Rmax 0 (gap i))).
Proof.
  intros Hb Hg Hr Hp T. split; [|split].
  - apply Rmin_glb.
    + apply quality_regret_by_radii; [exact Hr|apply sharp_radii; exact Hr].
    + apply quality_regret_by_caps; [exact Hr|]. intros i Hi Hq. eapply lem_unqualified_elimination_sharp; eauto.
  - apply generation_regret_by_radii; auto. eapply Rle_trans; [apply radii_of_others_at_most|apply sharp_radii; exact Hr].
  - intros Hsep. apply generation_regret_by_caps; [exact Hr| |].
    + intros i Hi Hq. eapply lem_unqualified_elimination_sharp; eauto.
    + intros i Hi Hq Hne. eapply lem_qualified_suboptimal_selection_sharp; eauto.
Qed.
(* Whatever the bids, quality regret is within the bounds with the improved sum of the radii and with the quality gaps alone. *)
Theorem quality_regret_sharp_for_any_bids h : run h ->
  quality_regret h <= Rmin (n + 2 * sharp_radius_sum (horizon h)) (total_over unqualified (fun i => (qmin - quality i) * (1 + sharp_elimination N delta qmin quality i))).
Proof.
  intros Hr. apply Rmin_glb; [apply quality_regret_by_radii; [exact Hr|apply sharp_radii; exact Hr]|].
  apply quality_regret_by_caps; [exact Hr|]. intros i Hi Hq. eapply sharp_unqualified_elimination; eauto.
Qed.
(* On the good event quality regret is within the bound with the radii of unqualified providers alone, which are at most those of equal
   shares of all queries, and within that with any caps of the selections of unqualified providers. *)
Theorem thm_quality_guarantee_sharpest h (cap : nat -> R) : run h ->
  (forall i, (i < N)%nat -> quality i < qmin -> INR (times h i) <= cap i) ->
  quality_regret h <= Rmin (total_over unqualified (fun i => qmin - quality i) + 2 * equal_radii N delta (length unqualified) (length h))
    (total_over unqualified (fun i => (qmin - quality i) * (1 + cap i))).
Proof.
  intros Hr Hcap. apply Rmin_glb; [|apply quality_regret_by_caps; assumption]. opened.
  assert (Hlt : forall i, In i h -> (i < N)%nat) by (eapply run_lt; eauto).
  pose (p := fun i => if Rlt_dec (quality i) qmin then true else false).
  assert (Hstart : bsum N (quality_loss qmin quality) <= total_over unqualified (fun i => qmin - quality i)).
  { unfold Runs.unqualified. rewrite total_over_filter. apply bsum_le. intros i Hi. unfold quality_loss.
    destruct (Rlt_dec (quality i) qmin); [apply Rmax_lub; lra|rewrite Rmax_left; lra]. }
  unfold run_quality_regret. apply Rplus_le_compat; [exact Hstart|].
  assert (Hsteps : total (fun _ s => quality_loss qmin quality s) h <= total (fun t s => 2 * ((if p s then 1 else 0) * bt N delta (m t s))) h).
  { eapply total_along; [exact Hr|apply le_n|]. intros t s _ Hs _.
    assert (Hstep : quality_loss qmin quality s <= 2 * bt N delta (m t s)) by (eapply quality_step; eauto).
    unfold p. destruct (Rlt_dec (quality s) qmin); [lra|]. unfold quality_loss. rewrite Rmax_left; lra. }
  rewrite total_scal in Hsteps. eapply Rle_trans; [exact Hsteps|]. apply Rmult_le_compat_l; [lra|].
  destruct unqualified as [|x l] eqn:E.
  - (* nobody is unqualified: nothing is lost *)
    assert (Hz : forall t, (forall i, In i t -> (i < N)%nat) -> total (fun t s => (if p s then 1 else 0) * bt N delta (m t s)) t = 0).
    { induction t as [|s t IH]; intros Ht; [reflexivity|]. cbn [total]. rewrite IH by (intros; apply Ht; simpl; auto).
      destruct (p s) eqn:Ep; [|ring]. exfalso. assert (Hin : In s unqualified).
      { unfold Runs.unqualified. rewrite filter_In, in_seq. split; [pose proof (Ht s (or_introl eq_refl)); lia|exact Ep]. }
      rewrite E in Hin. destruct Hin. }
    rewrite Hz by exact Hlt. unfold equal_radii, equal_shares. simpl. pose proof (sqrt_pos (1 / (2 * 1) * ln (2 * PI ^ 2 * n * 1 ^ 2 / (3 * delta)))) as Hb1.
    fold (beta n delta 1) in Hb1. change (beta n delta 1) with (bt N delta 1) in Hb1. pose proof (pos_INR (length h)). nra.
  - rewrite <- E. apply (lem_radius_sum_sharpest N delta HN Hd p h); [|exact Hlt]. change (filter p (seq 0 N)) with unqualified. rewrite E. discriminate.
Qed.
(* On the good event generation regret is within the bound with the radii of all providers but i*, which are at most those of equal
   shares of all queries, and within that with any caps of the selections. *)
Theorem thm_generation_regret_sharpest h (u c : nat -> R) : bids_follow -> never_falls g -> run h -> 0 < g (horizon h) ->
  generation_regret h <= (n - 1) * ceiling (g (horizon h)) * cmax + 2 * ((1 + gamma) * cmax) * equal_radii N delta (N - 1) (length h)
    + (d_minus + d_plus) * INR (length h) /\
  ((forall i, (i < N)%nat -> quality i < qmin -> INR (times h i) <= u i) ->
   (forall i, (i < N)%nat -> qmin <= quality i -> i <> best -> INR (times h i) <= c i) ->
   generation_regret h <= total_over competitors (fun i => gap i * (1 + c i)) + total_over unqualified (fun i => (1 + u i) * Rmax 0 (gap i))).
Proof.
  intros Hb Hg Hr Hp. split; [|apply generation_regret_by_caps; exact Hr]. opened.
  apply generation_regret_by_radii; auto. pose (p := fun i => negb (Nat.eqb i best)).
  assert (Hlen : length (filter p (seq 0 N)) = (N - 1)%nat).
  { apply INR_eq. rewrite minus_INR by lia. change (INR 1) with 1. rewrite <- (bsum_one_less best N (proj1 Hbest)).
    rewrite <- (Rmult_1_r (INR (length _))), <- (total_over_constant (filter p (seq 0 N)) 1), total_over_filter. apply bsum_ext.
    intros i _. unfold p. destruct (Nat.eqb_spec i best); destruct (Nat.eq_dec i best); try contradiction; reflexivity. }
  assert (Hne : filter p (seq 0 N) <> []) by (intros E; rewrite E in Hlen; simpl in Hlen; lia).
  pose proof (lem_radius_sum_sharpest N delta HN Hd p h Hne ltac:(eapply run_lt; eauto)) as H. rewrite Hlen in H.
  eapply Rle_trans; [|exact H]. right. clear. induction h as [|s h IH]; [reflexivity|]. cbn [total]. rewrite IH. unfold p.
  destruct (Nat.eqb_spec s best); destruct (Nat.eq_dec s best); try contradiction; simpl; ring.
Qed.
End Regrets.

(* ---- payments *)
Section Excess.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus : R) (quality cost : nat -> R) (best : nat) (c2 : R).
Variables (quality_estimate cost_estimate : nat -> nat -> R) (bid : list nat -> nat -> R) (g : nat -> R).
Notation n := (INR N).
Notation run := (run N delta cmax qmin gamma quality_estimate bid g).
Notation horizon h := (N + length h)%nat.
(* the excess payment: initialization and as many explorations as the improved caps allow, at cmax - c_(2) each; the radii; d_+ *)
Theorem excess_payment_sharp h :
  market N delta cmax qmin gamma d_minus d_plus quality cost best ->
  Statements.good_event N delta cmax gamma quality cost quality_estimate cost_estimate ->
  bids_follow N delta cmax qmin gamma d_minus d_plus quality_estimate cost_estimate bid g ->
  second_lowest N qmin quality cost best c2 -> never_falls g -> run h -> 0 < g (horizon h) ->
  run_excess_payment N delta cmax qmin gamma quality_estimate bid g c2 h <=
    (n + sharp_exploration_steps N delta qmin quality g (horizon h)) * (cmax - c2)
    + (1 + gamma) * cmax * sharp_radius_sum N delta (horizon h) + d_plus * INR (length h).
Proof.
  intros Hm He Hb (Q & HQ & H2) Hg Hr Hp. pose proof (bids_are_near _ _ _ _ _ _ _ _ _ _ _ Hb). pose proof (cost_range _ _ _ _ _ _ _ _ _ _ Hm).
  pose proof (proj2 (lem_forced_exploration_bound_sharp _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hm He h Hg Hr Hp)) as Hx.
  pose proof (sharp_radii _ _ _ _ _ _ _ _ _ _ _ _ bid g Hm He h Hr) as Hrad.
  destruct Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest). destruct He as (Hquality & Hcost).
  assert (Hc2 : 0 <= c2 <= cmax) by (eapply c2_range; eauto). unfold run_excess_payment.
  assert (H1 : total (fun t s => Rmax 0 (payment N delta cmax qmin gamma quality_estimate bid g t s - c2)) h
    <= total (fun t s => (cmax - c2) * explored N delta qmin quality_estimate g t + ((1 + gamma) * cmax * bt N delta (m t s) + d_plus)) h).
  { eapply total_along; [exact Hr|apply le_n|]. intros t s Ht Hs _.
    assert (E : Rmax 0 (payment N delta cmax qmin gamma quality_estimate bid g t s - c2)
      <= explored N delta qmin quality_estimate g t * (cmax - c2) + (rad N delta cmax gamma (m t s) + d_plus)) by (eapply excess_step; eauto).
    unfold rad in E. lra. }
  rewrite total_plus, total_plus, !total_scal, total_const in H1.
  apply Rmult_le_compat_l with (r := cmax - c2) in Hx; [|lra].
  apply Rmult_le_compat_l with (r := (1 + gamma) * cmax) in Hrad; [|nra]. lra.
Qed.
End Excess.

(* ---- the average deviation, under g(t) = k (t/N)^alpha *)
Section Average.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus k alpha : R) (quality cost : nat -> R) (best : nat) (c2 : R).
Variables (quality_estimate cost_estimate : nat -> nat -> R) (bid : list nat -> nat -> R).
Notation n := (INR N).
Notation g := (target N k alpha).
Notation run := (run N delta cmax qmin gamma quality_estimate bid g).
Notation step := (step N delta cmax qmin gamma quality_estimate bid g).
Notation explores := (explores N delta qmin quality_estimate g).
Notation payment := (payment N delta cmax qmin gamma quality_estimate bid g).
Notation horizon h := (INR (N + length h)).
Notation m_star a := (m_star N delta a).
Notation sharp_largest := (sharp_largest N delta qmin quality).
Notation sharp_T0 := (sharp_T0 N delta qmin k alpha quality).
Notation root T := (sqrt (1 / (2 * k) * Rpower (n / T) alpha * ln (2 * PI ^ 2 * n * k ^ 2 / (3 * delta) * Rpower (T / n) (2 * alpha)))).
Hypothesis Hmp : market_of_payments N delta cmax qmin gamma d_minus d_plus k alpha quality cost best c2.
Hypothesis Hgood : on_good_event N delta cmax qmin gamma d_minus d_plus k alpha quality cost quality_estimate cost_estimate bid.

Lemma after_sharp_T0 t : sharp_T0 < INR t -> INR N < INR t /\ sharp_largest < g t.
Proof.
  intros Ht. destruct Hmp as ((HN & Hd & _) & _ & Hk & Ha).
  apply (after_T0 N delta 0 k alpha (fun _ => 0) sharp_largest HN Hd Hk Ha); [|exact Ht]. split; [apply Rmax_l|]. intros i _ Hlt. lra.
Qed.
(* lem:ordinary-qualified-set with the improved T_0 *)
Lemma sharp_ordinary_set h : ~ explores h -> sharp_T0 < INR (now N h) ->
  forall j, In j (Qh N delta qmin quality_estimate h) -> (j < N)%nat /\ qmin <= quality j /\ g (now N h) <= INR (m h j).
Proof.
  intros Hn Ht j Hj. destruct (after_sharp_T0 _ Ht) as [_ Hg]. destruct Hmp as (Hm & _). destruct Hgood as [He _].
  assert (Hcount : g (now N h) <= INR (m h j)) by (destruct (Rle_lt_dec (g (now N h)) (INR (m h j))); [assumption|exfalso; apply Hn; exists j; auto]).
  pose proof Hj as Hj'. apply in_Qh_iff in Hj'. destruct Hj' as [HjN Hin]. split; [exact HjN|]. split; [|exact Hcount].
  apply Rnot_lt_le. intros Hlt. pose proof (proj1 He j (m h j) HjN ltac:(unfold m; lia)) as H. apply Rabs_le_inv in H.
  assert (Hle : INR (m h j) <= m_star (qmin - quality j)).
  { apply (m_star_count N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate Hm He); [unfold m; lia|lra|lra]. }
  assert (Hlargest : m_star (qmin - quality j) <= sharp_largest).
  { unfold Sharp.sharp_largest. eapply Rle_trans; [|apply Rmax_r].
    apply (largest_over_above (unqualified N qmin quality) (fun i => m_star (qmin - quality i))).
    unfold unqualified. rewrite filter_In, in_seq. split; [lia|]. destruct (Rlt_dec _ _); [reflexivity|contradiction]. }
  lra.
Qed.
Notation E := (Rmax c2 (cmax - c2)).
Lemma sharp_deviation_step T h s : run h -> step h s -> (now N h <= T)%nat ->
  Rabs (payment h s - c2) <= E * early N k alpha sharp_largest h
    + ((cmax - c2) * explored N delta qmin quality_estimate g h + (2 * ((1 + gamma) * cmax) * Wc N delta k alpha T * decay N alpha h + Rmax d_minus d_plus)).
Proof.
  intros Hr Hs HT. pose proof (c2_inside _ _ _ _ _ _ _ _ _ _ _ _ _ Hmp) as Hc2. pose proof (Wc_nonneg N delta k alpha T) as HW.
  assert (Hv : 0 < decay N alpha h) by apply Rpower_positive.
  pose proof (after_sharp_T0 (now N h)) as Hafter. pose proof (sharp_ordinary_set h) as Hset.
  pose proof Hmp as (Hm & (Q & HQ & H2) & Hk & Ha). pose proof Hgood as [He Hb].
  pose proof (bids_are_near _ _ _ _ _ _ _ _ _ _ _ Hb) as Hnear. pose proof (bids_in_range _ _ _ _ _ _ _ _ _ _ _ Hb) as Hbr.
  pose proof (cost_range _ _ _ _ _ _ _ _ _ _ Hm) as Hcr.
  destruct Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest). destruct He as (Hquality & Hcost).
  assert (HD : 0 <= Rmax d_minus d_plus) by (pose proof (Rmax_l d_minus d_plus); lra).
  assert (HG : 0 <= (1 + gamma) * cmax) by nra.
  assert (HB : 0 <= 2 * ((1 + gamma) * cmax) * Wc N delta k alpha T * decay N alpha h) by (apply Rmult_le_pos; [apply Rmult_le_pos; [lra|assumption]|lra]).
  assert (Hx : 0 <= explored N delta qmin quality_estimate g h <= 1) by (unfold Runs.explored; destruct (explores_dec _ _ _ _ _ h); lra).
  assert (Hp : 0 <= payment h s <= cmax) by (eapply payment_range_run; eauto).
  unfold early. destruct (Rle_dec (INR (now N h)) (Payments.T0 N k alpha sharp_largest)) as [Hle|Hgt].
  - assert (Rabs (payment h s - c2) <= E).
    { pose proof (Rmax_l c2 (cmax - c2)). pose proof (Rmax_r c2 (cmax - c2)). apply Rabs_le. lra. }
    assert (0 <= (cmax - c2) * explored N delta qmin quality_estimate g h) by (apply Rmult_le_pos; lra). lra.
  - rewrite Rmult_0_r, Rplus_0_l. apply Rnot_le_lt in Hgt. unfold Runs.explored. destruct (explores_dec N delta qmin quality_estimate g h) as [Hex|Hn] eqn:Ed.
    + assert (Ep : payment h s = cmax) by (unfold Runs.payment; rewrite Ed; reflexivity). rewrite Ep, Rabs_pos_eq by lra. lra.
    + specialize (Hset Hn Hgt). destruct (Hafter Hgt) as [HtN HgM]. assert (Hg1 : 1 <= g (now N h)) by (pose proof (Rmax_l 1 (largest_over (unqualified N qmin quality) (fun i => m_star (qmin - quality i)))); unfold Sharp.sharp_largest in HgM; lra).
      assert (H3 : c2 - 2 * ((1 + gamma) * cmax * beta n delta (g (now N h))) - d_minus <= payment h s <= c2 + (1 + gamma) * cmax * beta n delta (g (now N h)) + d_plus).
      { eapply two_sided_run with (Q := Q); eauto.
        - intros j Hj. apply HQ. destruct (Hset j Hj) as (H & H' & _). split; assumption.
        - intros j Hj. unfold rad, bt. apply Rmult_le_compat_l; [lra|]. apply radius_monotone; [apply (le_INR 2); exact HN|exact Hd|exact Hg1|].
          apply Hset. apply HQ in Hj. eapply eligible; eauto; tauto. }
      assert (Hbg : beta n delta (g (now N h)) <= Wc N delta k alpha T * decay N alpha h)
        by (eapply (beta_g N delta qmin k alpha quality cost best); eauto; unfold now; lia).
      assert (Hb0 : 0 <= beta n delta (g (now N h))) by apply sqrt_pos.
      assert (Hr0 : 0 <= (1 + gamma) * cmax * beta n delta (g (now N h))) by (apply Rmult_le_pos; assumption).
      assert (Hr1 : (1 + gamma) * cmax * beta n delta (g (now N h)) <= (1 + gamma) * cmax * (Wc N delta k alpha T * decay N alpha h))
        by (apply Rmult_le_compat_l; assumption).
      pose proof (Rmax_l d_minus d_plus). pose proof (Rmax_r d_minus d_plus). apply Rabs_le. lra.
Qed.
(* the average of |payment - c_(2)|, initialization included: 4/(2 - alpha) for 6/(2 - alpha), the improved T_0, and
   max{c_(2), cmax - c_(2)} for cmax until then *)
Theorem average_deviation_improved h : run h ->
  let T := horizon h in
  run_deviation N delta cmax qmin gamma k alpha quality_estimate bid c2 h / T <=
    sharp_T0 / T * E + k * Rpower (n / T) (1 - alpha) * (cmax - c2) + 4 * ((1 + gamma) * cmax) / (2 - alpha) * root T + Rmax d_minus d_plus.
Proof.
  intros Hr T. pose proof (c2_inside _ _ _ _ _ _ _ _ _ _ _ _ _ Hmp) as Hc2. pose proof (Wc_nonneg N delta k alpha (N + length h)) as HW.
  pose proof (horizon_positive _ _ _ _ _ _ _ _ _ _ _ _ _ Hmp h) as HT. pose proof (at_least_2 _ _ _ _ _ _ _ _ _ _ _ _ _ Hmp) as Hn2.
  pose proof (exploration_per_step _ _ _ _ _ _ _ _ _ _ _ _ _ Hmp (N + length h) HT) as Hexp.
  pose proof (root_per_step _ _ _ _ _ _ _ _ _ _ _ _ _ Hmp (N + length h) HT) as Hroot.
  pose proof Hmp as (Hm & _ & Hk & Ha). pose proof Hm as (HN & Hd & Hc & Hga & Hdev & _).
  assert (H1 : total (fun t s => Rabs (payment t s - c2)) h <= total (fun t _ => E * early N k alpha sharp_largest t
    + ((cmax - c2) * explored N delta qmin quality_estimate g t + (2 * ((1 + gamma) * cmax) * Wc N delta k alpha (N + length h) * decay N alpha t + Rmax d_minus d_plus))) h).
  { eapply total_along; [exact Hr|apply le_n|]. intros t s Ht Hs HT'. apply sharp_deviation_step; auto. }
  rewrite !total_plus, !total_scal, total_const in H1.
  pose proof (early_total N k alpha sharp_largest HN h) as H2. pose proof (Rmin_r (n + INR (length h)) (Payments.T0 N k alpha sharp_largest)) as H3.
  assert (H4 : total (fun t _ => explored N delta qmin quality_estimate g t) h <= n * (ceiling (g (N + length h)) - 1)).
  { eapply explored_bound; eauto; [intros s t; apply g_mono; assumption|apply g_pos; assumption]. }
  pose proof (decay_total N delta alpha HN Hd Ha h) as H5. rewrite <- plus_INR in H5.
  assert (HEE : cmax - c2 <= E /\ 0 <= E) by (pose proof (Rmax_l c2 (cmax - c2)); pose proof (Rmax_r c2 (cmax - c2)); lra).
  assert (H6 : 2 * ((1 + gamma) * cmax) * Wc N delta k alpha (N + length h) * total (fun t _ => decay N alpha t) h
    <= 4 * ((1 + gamma) * cmax) / (2 - alpha) * (Wc N delta k alpha (N + length h) * Rpower (horizon h) (1 - alpha / 2))).
  { replace (4 * ((1 + gamma) * cmax) / (2 - alpha) * (Wc N delta k alpha (N + length h) * Rpower (horizon h) (1 - alpha / 2)))
      with (2 * ((1 + gamma) * cmax) * Wc N delta k alpha (N + length h) * (Rpower (horizon h) (1 - alpha / 2) / (1 - alpha / 2))) by (field; lra).
    apply Rmult_le_compat_l; [apply Rmult_le_pos; [nra|assumption]|].
    apply Rmult_le_reg_r with (1 - alpha / 2); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (H7 : (cmax - c2) * total (fun t _ => explored N delta qmin quality_estimate g t) h <= (cmax - c2) * (n * (ceiling (g (N + length h)) - 1)))
    by (apply Rmult_le_compat_l; lra).
  assert (H8 : E * total (fun t _ => early N k alpha sharp_largest t) h <= E * (Payments.T0 N k alpha sharp_largest - n)) by (apply Rmult_le_compat_l; lra).
  assert (H9 : n * (cmax - c2) <= E * n) by (rewrite (Rmult_comm E); apply Rmult_le_compat_l; lra).
  assert (Hs : run_deviation N delta cmax qmin gamma k alpha quality_estimate bid c2 h <=
    sharp_T0 * E + n * (ceiling (g (N + length h)) - 1) * (cmax - c2)
    + 4 * ((1 + gamma) * cmax) / (2 - alpha) * (Wc N delta k alpha (N + length h) * Rpower (horizon h) (1 - alpha / 2)) + Rmax d_minus d_plus * INR (length h)).
  { unfold run_deviation, Sharp.sharp_T0. lra. }
  fold T in HT, Hexp, Hroot, Hs |- *. eapply Rle_trans; [apply per_step_at_most; [exact HT|exact Hs]|].
  rewrite <- Hroot. apply Rmult_le_compat_r with (r := cmax - c2) in Hexp; [|lra].
  assert (HD : 0 <= Rmax d_minus d_plus) by (pose proof (Rmax_l d_minus d_plus); lra).
  assert (Hl : Rmax d_minus d_plus * INR (length h) / T <= Rmax d_minus d_plus).
  { apply Rmult_le_reg_r with T; [exact HT|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply Rmult_le_compat_l; [exact HD|]. unfold T. rewrite plus_INR. lra. }
  unfold Rdiv in *. lra.
Qed.
(* On the good event the excess payment is within the bound with the improved counts and sum of radii, and the average deviation within
   that with 4/(2 - alpha) for 6/(2 - alpha), the smaller T_0, and max{c_(2), c_max - c_(2)} for c_max until then. *)
Theorem thm_regret_sharp h : run h -> let T := horizon h in
  run_excess_payment N delta cmax qmin gamma quality_estimate bid g c2 h <=
    (n + sharp_exploration_steps N delta qmin quality g (N + length h)) * (cmax - c2)
    + (1 + gamma) * cmax * sharp_radius_sum N delta (N + length h) + d_plus * INR (length h) /\
  run_deviation N delta cmax qmin gamma k alpha quality_estimate bid c2 h / T <=
    sharp_T0 / T * E + k * Rpower (n / T) (1 - alpha) * (cmax - c2) + 4 * ((1 + gamma) * cmax) / (2 - alpha) * root T + Rmax d_minus d_plus.
Proof.
  intros Hr T. pose proof Hmp as (Hm & H2 & Hk & Ha). pose proof Hm as (HN & _). destruct Hgood as [He Hb]. split.
  - apply (excess_payment_sharp N delta cmax qmin gamma d_minus d_plus quality cost best c2 quality_estimate cost_estimate); auto.
    + intros s t. apply g_mono; assumption.
    + apply g_pos. assumption.
  - apply average_deviation_improved. exact Hr.
Qed.
(* On the good event an auction after T_0 pays at least c_(2) - 2 c_max beta(g(t)), and at most c_(2) + c_max beta(g(t)), already after
   the smaller T_0 with the exact inverse. *)
Theorem lem_two_sided_payment_sharp h s : run h -> step h s -> ~ explores h -> sharp_T0 < INR (now N h) ->
  let r := (1 + gamma) * cmax * beta n delta (g (now N h)) in c2 - 2 * r - d_minus <= payment h s <= c2 + r + d_plus.
Proof.
  intros Hr Hs Hn Ht r. pose proof (sharp_ordinary_set h Hn Ht) as Hset. destruct (after_sharp_T0 _ Ht) as [HtN HgM].
  assert (Hg1 : 1 <= g (now N h)) by (pose proof (Rmax_l 1 (largest_over (unqualified N qmin quality) (fun i => m_star (qmin - quality i)))); unfold Sharp.sharp_largest in HgM; lra).
  pose proof Hmp as (Hm & (Q & HQ & H2) & Hk & Ha). pose proof Hgood as [He Hb].
  pose proof (bids_are_near _ _ _ _ _ _ _ _ _ _ _ Hb) as Hnear. pose proof (cost_range _ _ _ _ _ _ _ _ _ _ Hm) as Hcr.
  destruct Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest). destruct He as (Hquality & Hcost).
  eapply two_sided_run with (Q := Q); eauto.
  - intros j Hj. apply HQ. destruct (Hset j Hj) as (H & H' & _). split; assumption.
  - intros j Hj. unfold r, rad, bt. apply Rmult_le_compat_l; [nra|]. apply radius_monotone; [apply (le_INR 2); exact HN|exact Hd|exact Hg1|].
    apply Hset. apply HQ in Hj. eapply eligible; eauto; tauto.
Qed.
End Average.
