(* The improved bounds (`--method sharp`): the exact inverse m* of the radius for M and L, and elimination by cost of unqualified
   providers that are dearer than the best. One market for truthful bids (gamma = 0, d_minus = d_plus = 0), beliefs and bounded
   deviations, as in Statements.v. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Statements Findings AnyRadius.
Import ListNotations.
Open Scope R_scope.

(* ---- the exact inverse of the radius *)
Fixpoint largest_below (width : nat -> R) (gap : R) (n : nat) : nat :=
  match n with O => 0%nat | S k => if Rle_dec gap (width (S k)) then S k else largest_below width gap k end.
Lemma largest_below_is width gap n : (forall j, (1 <= j)%nat -> gap <= width j -> (j <= n)%nat) ->
  largest_count width gap (largest_below width gap n).
Proof.
  induction n as [|n IH]; intros H; cbn [largest_below].
  - split; [auto|exact H].
  - destruct (Rle_dec gap (width (S n))) as [Hle|Hgt].
    + split; [right; split; [lia|exact Hle]|exact H].
    + apply IH. intros j Hj Hg. specialize (H j Hj Hg). destruct (Nat.eq_dec j (S n)) as [->|]; [contradiction|lia].
Qed.
(* floor(m*(a)): the largest count m with a <= 2 beta(m), or 0 where there is none. M(a) bounds the search. *)
Definition exact_inverse (N : nat) (delta a : R) : nat :=
  largest_below (fun n => 2 * bt N delta n) a (Z.to_nat (up (selection_bound delta a (INR N)))).
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
(* it is no larger than M(a), so every bound that has it in place of M(a) is at least as good *)
Theorem exact_inverse_at_most_bound N delta a : (1 <= N)%nat -> 0 < delta < 1 -> 0 < a <= 1 ->
  INR (exact_inverse N delta a) <= selection_bound delta a (INR N).
Proof.
  intros HN Hd [Ha Ha1]. destruct (exact_inverse_is_largest N delta a HN Hd Ha) as [[->|[Hn Hle]] _].
  - change (INR 0) with 0. pose proof (M_at_least_1 N delta a HN Hd (conj Ha Ha1)). unfold Runs.M in *. lra.
  - assert (HN1 : 1 <= INR N) by (apply (le_INR 1); exact HN). assert (Hn1 := le_INR 1 _ Hn). simpl in Hn1.
    rewrite <- (radius_is_beta (INR N) delta _ HN1 Hd Hn1 : _ = bt N delta _) in Hle.
    destruct (lem_radius_inversion (INR N) delta a _ HN1 Hd Ha Hn1 Hle) as [H1 H2]. lra.
Qed.
(* it is floor(x) for the real x at which the radius is a/2: the formula's m*, a value of the Lambert function, is that x *)
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

Definition m_star (a : R) : R := INR (exact_inverse N delta a).
(* (gap - d_- - d_+) / ((1 + gamma) c_max) *)
Definition relative_gap i : R := (gap i - d_minus - d_plus) / ((1 + gamma) * cmax).
Definition sharp_elimination i : R := m_star (qmin - quality i).
Definition sharp_unqualified_cap (T i : nat) : R :=
  Rmin (sharp_elimination i) (Rmax (m_star (Rmax (relative_gap i) (qmin - quality i))) (ceiling (g T) - 1)).
Definition sharp_competitor_cap (T i : nat) : R := Rmax (m_star (relative_gap i)) (ceiling (g T) - 1).

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
  open_all. unfold relative_gap. assert (Hp : 0 < (1 + gamma) * cmax) by nra.
  apply Rmult_le_reg_r with ((1 + gamma) * cmax); [exact Hp|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. unfold rad in H. lra.
Qed.
Lemma explored_step_below t i T : never_falls g -> step t i -> explores t -> (now N t <= T)%nat -> INR (m t i) <= ceiling (g T) - 1.
Proof.
  intros Hg Hs Hx HT. destruct (exploration_count N delta cmax qmin gamma quality_estimate bid g Hg t i T Hs Hx HT) as [H1 H2].
  apply below_ceiling. lra.
Qed.

(* lem:unqualified-elimination:sharp, first by quality alone, whatever the bids, then by both gaps *)
Theorem sharp_unqualified_elimination h i : run h -> (i < N)%nat -> quality i < qmin -> INR (times h i) <= sharp_elimination i.
Proof.
  intros Hr Hi Hq. rewrite <- times_if_all. apply steps_below; [apply m_star_nonneg|exact Hr|]. intros t Ht Hs _ _.
  apply m_star_count; [apply m_pos|lra|apply quality_step_gap; exact Hs].
Qed.
(* Exact inverse of the radius, and elimination by cost of unqualified providers dearer than i*. *)
Theorem lem_unqualified_elimination_sharp h i : bids_follow -> never_falls g -> run h -> 0 < g (horizon h) ->
  (i < N)%nat -> quality i < qmin -> INR (times h i) <= sharp_unqualified_cap (horizon h) i.
Proof.
  intros Hb Hg Hr Hp Hi Hq. unfold sharp_unqualified_cap. rewrite <- times_if_all. apply steps_below; [|exact Hr|].
  - apply Rmin_glb; [apply m_star_nonneg|]. eapply Rle_trans; [apply (m_star_nonneg)|apply Rmax_l].
  - intros t Ht Hs HT _. apply Rmin_glb.
    + apply m_star_count; [apply m_pos|lra|apply quality_step_gap; exact Hs].
    + destruct (explores_dec N delta qmin quality_estimate g t) as [Hx|Hn].
      * eapply Rle_trans; [|apply Rmax_r]. apply explored_step_below; assumption.
      * eapply Rle_trans; [|apply Rmax_l]. apply m_star_count; [apply m_pos| |].
        -- eapply Rlt_le_trans; [|apply Rmax_r]. lra.
        -- apply Rmax_lub; [apply relative_step_gap; assumption|apply quality_step_gap; exact Hs].
Qed.
(* lem:qualified-suboptimal-selection:sharp *)
Theorem lem_qualified_suboptimal_selection_sharp h i : bids_follow -> never_falls g -> run h -> 0 < g (horizon h) ->
  (i < N)%nat -> d_minus + d_plus < gap i -> INR (times h i) <= sharp_competitor_cap (horizon h) i.
Proof.
  intros Hb Hg Hr Hp Hi Hgap. assert (Ha : 0 < relative_gap i).
  { open_all. unfold relative_gap. apply Rdiv_lt_0_compat; [lra|nra]. }
  unfold sharp_competitor_cap. rewrite <- times_if_all. apply steps_below; [|exact Hr|].
  - eapply Rle_trans; [apply (m_star_nonneg)|apply Rmax_l].
  - intros t Ht Hs HT _. destruct (explores_dec N delta qmin quality_estimate g t) as [Hx|Hn].
    + eapply Rle_trans; [|apply Rmax_r]. apply explored_step_below; assumption.
    + eapply Rle_trans; [|apply Rmax_l]. apply m_star_count; [apply m_pos|exact Ha|apply relative_step_gap; assumption].
Qed.
(* lem:forced-exploration-bound:sharp: one by one, and all together *)
Theorem sharp_explorations h i : never_falls g -> run h -> 0 < g (horizon h) -> (i < N)%nat -> quality i < qmin ->
  INR (explorations N delta qmin quality_estimate g h i) <= Rmin (sharp_elimination i) (ceiling (g (horizon h)) - 1).
Proof.
  intros Hg Hr Hp Hi Hq. apply Rmin_glb.
  - eapply Rle_trans; [apply le_INR, explorations_le|]. apply sharp_unqualified_elimination; assumption.
  - eapply explorations_bound; eauto.
Qed.
Definition qualified : list nat := filter (fun i => if Rle_dec qmin (quality i) then true else false) (seq 0 N).
Definition sharp_exploration_steps (T : nat) : R :=
  INR (length qualified) * (ceiling (g T) - 1) + total_over unqualified (fun i => Rmin (sharp_elimination i) (ceiling (g T) - 1)).
Lemma total_over_constant l c : total_over l (fun _ => c) = INR (length l) * c.
Proof. induction l as [|i l IH]; [simpl; lra|]. unfold total_over in *. cbn [fold_right length]. rewrite S_INR, IH. lra. Qed.
(* An unqualified provider is explored at most min{M_i, ceil(g(T)) - 1} times. *)
Theorem lem_forced_exploration_bound_sharp h : never_falls g -> run h -> 0 < g (horizon h) ->
  total (fun t _ => explored N delta qmin quality_estimate g t) h <= sharp_exploration_steps (horizon h).
Proof.
  intros Hg Hr Hp. rewrite (explored_total N delta cmax qmin gamma quality cost quality_estimate cost_estimate bid g) by exact Hr.
  unfold sharp_exploration_steps. rewrite <- total_over_constant. unfold qualified, Runs.unqualified.
  rewrite !total_over_filter, <- bsum_plus. apply bsum_le. intros i Hi.
  destruct (Rle_dec qmin (quality i)) as [Hq|Hq]; destruct (Rlt_dec (quality i) qmin) as [Hu|Hu]; try lra.
  - rewrite Rplus_0_r. eapply explorations_bound; eauto.
  - rewrite Rplus_0_l. apply sharp_explorations; auto.
Qed.

(* ---- thm:sample-complexity:sharp and claim:T_id:sharp *)
Definition sharp_cap (T i : nat) : R := if Rlt_dec (quality i) qmin then sharp_unqualified_cap T i else sharp_competitor_cap T i.
Definition sharp_identification (T : nat) : R :=
  total_over unqualified (sharp_unqualified_cap T) + total_over competitors (sharp_competitor_cap T).
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
Theorem times_below_sharp_cap h i : bids_follow -> never_falls g -> separated -> run h -> 0 < g (horizon h) ->
  (i < N)%nat -> i <> best -> INR (times h i) <= sharp_cap (horizon h) i.
Proof.
  intros Hb Hg Hsep Hr Hp Hi Hne. unfold sharp_cap. destruct (Rlt_dec (quality i) qmin) as [Hq|Hq].
  - apply lem_unqualified_elimination_sharp; assumption.
  - apply lem_qualified_suboptimal_selection_sharp; try assumption. apply Hsep; auto. lra.
Qed.
(* N - 1 plus the sum of the improved caps: those of competitors have the exact inverse of the radius for L_i. *)
Theorem thm_sample_complexity_sharp h : bids_follow -> never_falls g -> separated -> run h -> 0 < g (horizon h) ->
  nonoptimal_steps N best h <= INR N - 1 + sharp_identification (horizon h).
Proof.
  intros Hb Hg Hsep Hr Hp. unfold sharp_identification. rewrite <- caps_of_others. apply misses_by_caps.
  - eapply run_lt; eauto.
  - open_all. apply Hbest.
  - intros i Hi Hne. apply times_below_sharp_cap; assumption.
Qed.
(* the best provider has more queries than any rival wherever T > N + B(T) + cap_i(T) for every rival i *)
Definition sharp_leads_at (T : nat) : Prop :=
  forall i, (i < N)%nat -> i <> best -> INR N + sharp_identification T + sharp_cap T i < INR T.
Theorem sharp_lead h i : bids_follow -> never_falls g -> separated -> run h -> 0 < g (horizon h) ->
  sharp_leads_at (horizon h) -> (i < N)%nat -> i <> best -> (m h i < m h best)%nat.
Proof.
  intros Hb Hg Hsep Hr Hp Hlead Hi Hne. specialize (Hlead i Hi Hne). apply INR_lt.
  assert (Hcap : forall j, (j < N)%nat -> j <> best -> INR (times h j) <= sharp_cap (horizon h) j)
    by (intros; apply times_below_sharp_cap; assumption).
  pose proof (lead_by_caps N best h (sharp_cap (horizon h)) i ltac:(eapply run_lt; eauto) (proj1 (proj2 (proj2 (proj2 (proj2 (proj2 (proj2 (proj2 Hmarket)))))))) Hcap Hi Hne) as H.
  unfold sharp_identification in Hlead. rewrite <- caps_of_others in Hlead.
  change (over_others N best (fun i => if Rlt_dec (quality i) qmin then sharp_unqualified_cap (horizon h) i else sharp_competitor_cap (horizon h) i))
    with (over_others N best (sharp_cap (horizon h))) in Hlead. lra.
Qed.
(* I* leads from the least T with T' > N + B(T') + max_i cap_i(T') for every T' >= T on. *)
Theorem claim_T_id_sharp T_id h i : bids_follow -> never_falls g -> separated -> run h -> 0 < g (horizon h) ->
  (forall T, (T_id <= T)%nat -> sharp_leads_at T) -> (T_id <= horizon h)%nat -> (i < N)%nat -> i <> best -> (m h i < m h best)%nat.
Proof. intros Hb Hg Hsep Hr Hp Hlead HT. apply sharp_lead; auto. Qed.
End Sharp.
