(* The sharpest bounds (`--method sharpest`): caps with an elimination at one count, explorations up to a time only, and their
   probability under the dynamics of Game.v. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements Findings Limits Game Dynamics
  Hoeffding Plays GameLikely AnyRadius Sharp Corollaries SingleTime.
Import ListNotations.
Open Scope R_scope.

Section Sharpest.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus : R) (quality cost : nat -> R) (best : nat).
Variables (quality_estimate cost_estimate : nat -> nat -> R) (bid : list nat -> nat -> R) (g : nat -> R).
Notation run := (run N delta cmax qmin gamma quality_estimate bid g).
Notation step := (step N delta cmax qmin gamma quality_estimate bid g).
Notation explores := (explores N delta qmin quality_estimate g).
Notation eligible_set := (Qh N delta qmin quality_estimate).
Notation market := (market N delta cmax qmin gamma d_minus d_plus quality cost best).
Notation good_event := (Statements.good_event N delta cmax gamma quality cost quality_estimate cost_estimate).
Notation bids_follow := (bids_follow N delta cmax qmin gamma d_minus d_plus quality_estimate cost_estimate bid g).
Notation separated := (separated N qmin d_minus d_plus quality cost best).
Notation horizon h := (N + length h)%nat.
Notation unqualified := (unqualified N qmin quality).
Notation competitors := (competitors N qmin quality best).
Notation m_star a := (m_star N delta a).
Notation relative_gap := (relative_gap cmax gamma d_minus d_plus cost best).
(* M i: an unqualified provider i is excluded at the count M i + 1, or at an earlier one *)
Variable M : nat -> nat.
Definition excluded_at_one_count : Prop := forall i, (i < N)%nat -> quality i < qmin ->
  exists count, (1 <= count <= S (M i))%nat /\ quality_estimate i count + bt N delta count < qmin.
Hypothesis Hmarket : market.
Hypothesis Hgood : good_event.
Hypothesis Hexcluded : excluded_at_one_count.

(* lem:unqualified-elimination:chernoff, along a run: whatever the bids, and lem:unqualified-elimination:sharpest *)
Theorem unqualified_elimination_at_one_count h i : run h -> (i < N)%nat -> quality i < qmin -> (times h i <= M i)%nat.
Proof.
  intros Hr Hi Hq. destruct (Hexcluded i Hi Hq) as (count & Hcount & Hex). enough (m h i <= count)%nat by (unfold m in *; lia).
  induction Hr as [|h s Hr IH Hs]; [unfold m, times; simpl; lia|]. unfold m in *.
  destruct (Nat.eq_dec s i) as [->|Hne]; [|rewrite times_cons_other by exact Hne; exact IH]. rewrite times_cons_same.
  assert (Hin : In i (eligible_set h)) by exact (step_in_Qh N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate bid g Hmarket Hgood h i Hs).
  apply in_Qh_iff in Hin. destruct Hin as [_ Hin]. unfold m in Hin. destruct (Nat.eq_dec (S (times h i)) count) as [E|]; [|lia].
  exfalso. rewrite E in Hin. lra.
Qed.
(* it is eligible at counts up to M i only *)
Lemma unqualified_eligible_below h i : run h -> (i < N)%nat -> quality i < qmin -> In i (eligible_set h) -> (m h i <= M i)%nat.
Proof.
  intros Hr Hi Hq Hin. destruct (Hexcluded i Hi Hq) as (count & Hcount & Hex).
  assert (Hle : (m h i <= count)%nat).
  { clear Hin. induction Hr as [|h s Hr IH Hs]; [unfold m, times; simpl; lia|]. unfold m in *.
    destruct (Nat.eq_dec s i) as [->|Hne]; [|rewrite times_cons_other by exact Hne; exact IH]. rewrite times_cons_same.
    assert (Hin : In i (eligible_set h)) by exact (step_in_Qh N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate bid g Hmarket Hgood h i Hs).
    apply in_Qh_iff in Hin. destruct Hin as [_ Hin]. unfold m in Hin. destruct (Nat.eq_dec (S (times h i)) count) as [E|]; [|lia].
    exfalso. rewrite E in Hin. lra. }
  apply in_Qh_iff in Hin. destruct Hin as [_ Hin]. destruct (Nat.eq_dec (m h i) count) as [E|]; [|lia]. exfalso. rewrite E in Hin. lra.
Qed.
Definition sharpest_unqualified_cap (T i : nat) : R :=
  Rmin (INR (M i)) (Rmax (m_star (Rmax (relative_gap i) (qmin - quality i))) (ceiling (g T) - 1)).
Notation competitor_cap := (sharp_competitor_cap N delta cmax gamma d_minus d_plus cost best g).
(* Chernoff's bound at the one count that excludes a provider, and elimination by cost. *)
Theorem lem_unqualified_elimination_sharpest h i : bids_follow -> never_falls g -> run h -> 0 < g (horizon h) ->
  (i < N)%nat -> quality i < qmin -> INR (times h i) <= sharpest_unqualified_cap (horizon h) i.
Proof.
  intros Hb Hg Hr Hp Hi Hq. apply Rmin_glb; [apply le_INR, unqualified_elimination_at_one_count; assumption|].
  eapply Rle_trans; [exact (lem_unqualified_elimination_sharp N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate bid g Hmarket Hgood h i Hb Hg Hr Hp Hi Hq)|apply Rmin_r].
Qed.
(* thm:sample-complexity:sharpest and claim:T_id:sharpest *)
Definition sharpest_cap (T i : nat) : R := if Rlt_dec (quality i) qmin then sharpest_unqualified_cap T i else competitor_cap T i.
Definition sharpest_identification (T : nat) : R :=
  total_over unqualified (sharpest_unqualified_cap T) + total_over competitors (competitor_cap T).
Lemma times_below_sharpest_cap h i : bids_follow -> never_falls g -> separated -> run h -> 0 < g (horizon h) ->
  (i < N)%nat -> i <> best -> INR (times h i) <= sharpest_cap (horizon h) i.
Proof.
  intros Hb Hg Hsep Hr Hp Hi Hne. unfold sharpest_cap. destruct (Rlt_dec (quality i) qmin) as [Hq|Hq].
  - apply lem_unqualified_elimination_sharpest; assumption.
  - apply (lem_qualified_suboptimal_selection_sharp N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate bid g Hmarket Hgood); try assumption. apply Hsep; auto. lra.
Qed.
Lemma sharpest_caps_of_others T : over_others N best (sharpest_cap T) = sharpest_identification T.
Proof.
  exact (caps_of_others N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate Hmarket Hgood (sharpest_unqualified_cap T) (competitor_cap T)).
Qed.
(* N - 1 plus the sum of the sharpest caps. *)
Theorem thm_sample_complexity_sharpest h : bids_follow -> never_falls g -> separated -> run h -> 0 < g (horizon h) ->
  nonoptimal_steps N best h <= INR N - 1 + sharpest_identification (horizon h).
Proof.
  intros Hb Hg Hsep Hr Hp. rewrite <- sharpest_caps_of_others. apply misses_by_caps.
  - eapply run_lt; eauto.
  - apply Hmarket.
  - intros i Hi Hne. apply times_below_sharpest_cap; assumption.
Qed.
Definition sharpest_leads_at (T : nat) : Prop :=
  forall i, (i < N)%nat -> i <> best -> INR N + sharpest_identification T + sharpest_cap T i < INR T.
(* I* leads from the least T with T' > N + B(T') + max_i cap_i(T') for every T' >= T on, with the sharpest caps. *)
Theorem claim_T_id_sharpest T_id h i : bids_follow -> never_falls g -> separated -> run h -> 0 < g (horizon h) ->
  (forall T, (T_id <= T)%nat -> sharpest_leads_at T) -> (T_id <= horizon h)%nat -> (i < N)%nat -> i <> best -> (m h i < m h best)%nat.
Proof.
  intros Hb Hg Hsep Hr Hp Hlead HT Hi Hne. specialize (Hlead _ HT i Hi Hne). apply INR_lt.
  assert (Hbest : (best < N)%nat) by apply Hmarket.
  pose proof (lead_by_caps N best h (sharpest_cap (horizon h)) i ltac:(eapply run_lt; eauto) Hbest
    (fun j Hj Hjne => times_below_sharpest_cap h j Hb Hg Hsep Hr Hp Hj Hjne) Hi Hne) as H.
  rewrite sharpest_caps_of_others in H. lra.
Qed.
(* On the sharpest event the quality regret and the generation regret of every run are each within two bounds: by equal
   shares of the radii, and by gaps times these caps. *)
Theorem regrets_sharpest h : bids_follow -> never_falls g -> separated -> run h -> 0 < g (horizon h) -> let T := horizon h in
  run_quality_regret N qmin quality h <=
    Rmin (total_over unqualified (fun i => qmin - quality i) + 2 * equal_radii N delta (length unqualified) (length h))
      (total_over unqualified (fun i => (qmin - quality i) * (1 + sharpest_unqualified_cap T i))) /\
  run_generation_regret N cost best h <=
    Rmin ((INR N - 1) * ceiling (g T) * cmax + 2 * ((1 + gamma) * cmax) * equal_radii N delta (N - 1) (length h) + (d_minus + d_plus) * INR (length h))
      (total_over competitors (fun i => (cost i - cost best) * (1 + competitor_cap T i))
        + total_over unqualified (fun i => (1 + sharpest_unqualified_cap T i) * Rmax 0 (cost i - cost best))).
Proof.
  intros Hb Hg Hsep Hr Hp T. split.
  - apply (thm_quality_guarantee_sharpest N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate bid g Hmarket Hgood); [exact Hr|].
    intros i Hi Hq. apply lem_unqualified_elimination_sharpest; assumption.
  - destruct (thm_generation_regret_sharpest N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate bid g Hmarket Hgood h (sharpest_unqualified_cap T) (competitor_cap T) Hb Hg Hr Hp) as [H1 H2].
    apply Rmin_glb; [exact H1|]. apply H2.
    + intros i Hi Hq. apply lem_unqualified_elimination_sharpest; assumption.
    + intros i Hi Hq Hne. apply (lem_qualified_suboptimal_selection_sharp N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate bid g Hmarket Hgood); try assumption. apply Hsep; auto.
Qed.

(* ---- lem:forced-exploration-bound:sharpest. While j is eligible, i wins auctions at counts up to m*(a) only, for the relative gap a
   of their costs, and is explored below ceil(g) - 1; an unqualified one is selected M i times at most besides, and nobody more than
   T - N times. cap i is such a cap. *)
Definition gap_to (j i : nat) : R := (cost i - cost j - d_minus - d_plus) / ((1 + gamma) * cmax).
Definition capped_while_eligible (j T : nat) (cap : nat -> R) : Prop := forall i, (i < N)%nat -> i <> j ->
  (0 < gap_to j i /\ Rmax (m_star (gap_to j i)) (ceiling (g T) - 1) <= cap i) \/ (quality i < qmin /\ INR (M i) <= cap i) \/
  INR (T - N) <= cap i.
Lemma winner_gap_to_eligible h i j : bids_follow -> run h -> step h i -> ~ explores h -> In j (eligible_set h) ->
  gap_to j i <= 2 * bt N delta (m h i).
Proof.
  intros Hb Hr Hs Hn Hj. pose proof (bids_are_near _ _ _ _ _ _ _ _ _ _ _ Hb) as Hnear.
  pose proof Hmarket as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest). pose proof Hgood as (Hquality & Hcost).
  assert (Hsel : selected (eligible_set h) (radii N delta cmax gamma h) (bid h) i) by (eapply ordinary_selected; eauto).
  destruct Hsel as [Hin Hmin]. specialize (Hmin j Hj). apply in_Qh_iff in Hin. apply in_Qh_iff in Hj.
  pose proof (Hcost i (m h i) (proj1 Hin) ltac:(unfold m; lia)) as H1. apply Rabs_le_inv in H1.
  pose proof (Hcost j (m h j) (proj1 Hj) ltac:(unfold m; lia)) as H2. apply Rabs_le_inv in H2.
  pose proof (Hnear h i Hr (proj1 Hin)). pose proof (Hnear h j Hr (proj1 Hj)). unfold adj, radii in Hmin.
  assert (Hp : 0 < (1 + gamma) * cmax) by nra. unfold gap_to. apply Rmult_le_reg_r with ((1 + gamma) * cmax); [exact Hp|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. unfold rad in *. lra.
Qed.
Lemma selected_while_eligible later h j : run (later ++ h) -> In j (eligible_set (later ++ h)) -> In j (eligible_set h).
Proof.
  intros Hr Hj. destruct (in_dec Nat.eq_dec j (eligible_set h)) as [|Hno]; [assumption|exfalso].
  exact (proj2 (ineligible_stays N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate bid g later h j Hmarket Hgood Hr Hno) Hj).
Qed.
Lemma times_while_eligible h i j cap : bids_follow -> never_falls g -> run h -> In j (eligible_set h) ->
  capped_while_eligible j (horizon h) cap -> (i < N)%nat -> i <> j -> INR (times h i) <= cap i.
Proof.
  intros Hb Hg Hr Hj Hcap Hi Hne. destruct (Hcap i Hi Hne) as [[Ha Hle]|[[Hq Hle]|Hle]].
  3:{ eapply Rle_trans; [|exact Hle]. apply le_INR. unfold times. pose proof (count_occ_bound Nat.eq_dec i h). lia. }
  2:{ eapply Rle_trans; [|exact Hle]. apply le_INR, unqualified_elimination_at_one_count; assumption. }
  eapply Rle_trans; [|exact Hle]. clear Hcap Hle.
  assert (Hgen : forall t, (exists later, h = later ++ t) -> run t -> INR (times t i) <= Rmax (m_star (gap_to j i)) (ceiling (g (horizon h)) - 1)).
  { intros t Hsuf Ht. induction Ht as [|t s Ht IH Hs].
    - eapply Rle_trans; [|apply Rmax_l]. unfold times. simpl. apply pos_INR.
    - destruct Hsuf as (later & E). assert (Hsuf : exists later, h = later ++ t) by (exists (later ++ [s]); rewrite <- app_assoc; exact E).
      specialize (IH Hsuf). destruct (Nat.eq_dec s i) as [->|Hsi]; [|rewrite times_cons_other by exact Hsi; exact IH].
      rewrite times_cons_same. change (INR (m t i) <= Rmax (m_star (gap_to j i)) (ceiling (g (horizon h)) - 1)).
      destruct (explores_dec N delta qmin quality_estimate g t) as [Hx|Hn].
      + eapply Rle_trans; [|apply Rmax_r].
        apply (explored_step_below N delta cmax qmin gamma quality_estimate bid g t i (horizon h) Hg Hs Hx).
        apply (f_equal (@length nat)) in E. rewrite app_length in E. simpl in E. unfold now. lia.
      + eapply Rle_trans; [|apply Rmax_l].
        apply (m_star_count N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate Hmarket Hgood); [unfold m; lia|exact Ha|].
        apply winner_gap_to_eligible; auto. destruct Hsuf as (later' & E'). apply (selected_while_eligible later' t j); rewrite <- E'; assumption. }
  apply Hgen; [exists []; reflexivity|exact Hr].
Qed.
(* j is explored at t only if t < N + B_j(t - 1) + g(t), where B_j adds up the caps of all others *)
Theorem explored_only_before_its_end h j cap : bids_follow -> never_falls g -> run h ->
  step h j -> explores h -> capped_while_eligible j (horizon h) cap ->
  INR (now N h) < INR N + over_others N j cap + g (now N h).
Proof.
  intros Hb Hg Hr Hs Hx Hcap.
  assert (Hj : In j (eligible_set h)) by exact (step_in_Qh N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate bid g Hmarket Hgood h j Hs).
  assert (HjN : (j < N)%nat) by (apply in_Qh_iff in Hj; tauto).
  pose proof (over_others_times N j h ltac:(eapply run_lt; eauto) HjN) as E.
  assert (Hle : over_others N j (fun i => INR (times h i)) <= over_others N j cap).
  { apply bsum_le. intros i Hi. destruct (Nat.eq_dec i j); [lra|]. apply times_while_eligible with (j := j); auto. }
  assert (Hm : INR (m h j) < g (now N h)).
  { destruct Hs as [(_ & _ & H)|[[H _]|[H _]]]; [exact H| |contradiction]. rewrite H in Hj. destruct Hj. }
  unfold m in Hm. rewrite S_INR in Hm. unfold now at 1. rewrite !plus_INR. change (INR 1) with 1. lra.
Qed.
End Sharpest.
