(* What the sharpest bounds (`--method sharpest`) say of explorations and payments, as the program prints it: how often each provider is
   explored, the excess payment with exploration and without it, and the average deviation of payments from c_(2).

   Four kinds of numbers are searched for, and enter with the property that makes them right: M_i, a count at which an unqualified
   provider is excluded at the latest (`excluded_at_one_count`); t_i, after which i is not explored (`explored_until`); the shortfall of
   the cheapest competitor (`falls_short`); and a step after which cheap unqualified providers are out of auctions (`out_of_auctions`). *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements Findings Limits Game Hoeffding
  Dynamics Plays GameLikely Instances AnyRadius Sharp Stitched Sharpest SharpestEvent Existence Published.
Import ListNotations.
Open Scope R_scope.

(* f(after + 1) + ... + f(last), or 0 where there is no such count *)
Definition over_counts (f : nat -> R) (after last : nat) : R := bsum (last - after) (fun l => f (after + S l)%nat).
(* how many counts are below x: ceil(x) - 1, or 0 for x <= 0 *)
Definition counts_below (x : R) : nat := Z.to_nat (- Int_part (- x) - 1).

Section Numbers.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus : R) (quality cost : nat -> R) (best second : nat) (g : nat -> R).
Variables (M last : nat -> nat).
Notation radius m := (bt N delta m).
Notation cost_radius m := (rad N delta cmax gamma m).
Notation gap_to j i := (gap_to cmax gamma d_minus d_plus cost j i).
Notation m_star a := (exact_inverse N delta a).
(* c_(2) is what the cheapest competitor costs *)
Notation c2 := (cost second).
Definition cheapest_competitor : Prop := (second < N)%nat /\ qmin <= quality second /\ second <> best /\
  forall j, (j < N)%nat -> qmin <= quality j -> j <> best -> c2 <= cost j.

(* ---- counts. An unqualified provider i is eligible at counts up to M_i only. *)
Definition while_eligible (i limit : nat) : nat := if Rlt_dec (quality i) qmin then Nat.min (M i) limit else limit.
(* at counts up to this one i wins auctions until T in which j is eligible: min{M_i, m*((c_i - c_j - d_- - d_+)/((1 + gamma) cmax)),
   T - N}, without the first for a qualified i, and without the second where c_i - c_j <= d_- + d_+ *)
Definition most_wins (T j i : nat) : nat :=
  while_eligible i (if Rlt_dec 0 (gap_to j i) then Nat.min (m_star (gap_to j i)) (T - N) else (T - N)%nat).
(* so often i is selected until T while j is eligible: min{M_i, max{m*(...), ceil(g(T)) - 1}, T - N} *)
Definition most_selected (T j i : nat) : nat :=
  while_eligible i (if Rlt_dec 0 (gap_to j i) then Nat.min (Nat.max (m_star (gap_to j i)) (counts_below (g T))) (T - N) else (T - N)%nat).
(* t_j: at all later steps t until T, t - N >= B_j(t - 1) + g(t), where B_j adds up how often the others are selected *)
Definition explored_until (T j : nat) : Prop := forall t, (N < t <= T)%nat -> (last j < t)%nat ->
  INR N + over_others N j (fun i => INR (most_selected (t - 1) j i)) + g t <= INR t.
(* X_i = min{ceil(g(min{T, t_i})) - 1, M_i}, and all of them *)
Definition most_explored (T i : nat) : nat := while_eligible i (counts_below (g (Nat.min T (last i)))).
Definition exploration_steps (T : nat) : R := bsum N (fun i => INR (most_explored T i)).

(* ---- what an auction pays above c_(2) at most, where the winner's count is m: a radius and d_+, less what is known of the rival *)
Definition price_excess (less : R) (m : nat) : R := Rmin (cmax - c2) (Rmax 0 (cost_radius m + d_plus - less)).
(* The mean cost of the cheapest competitor stays below c_(2) + cmax r(m) (`cost_stays_below`). Then its adjusted bid is at most
   c_(2) + d_+ - cmax * short in auctions that the best wins beyond the count `start`, until T: at all counts that it can have there, from
   g(N + start + 1) on, beta - r is at least `short`. *)
Definition falls_short (T start : nat) (r : nat -> R) (short : R) : Prop := forall n, g (N + S start)%nat <= INR n ->
  (1 <= n <= S (most_selected T best second))%nat -> short <= Rmax 0 (radius n - r n).
(* A_T, where X i counts of i are left out. By provider: each other one as often as it can win against the best, the best at all counts,
   beyond `start` with the shortfall. Or by equal shares of all auctions, as anybody may win them. *)
Definition excess_by_provider (X : nat -> nat) (T start : nat) (short : R) : R :=
  over_others N best (fun i => over_counts (price_excess (c2 - cost best)) (X i) (most_wins T best i))
  + over_counts (price_excess 0) (X best) (Nat.min start (T - N))
  + over_counts (price_excess (cmax * short)) (Nat.max (X best) start) (T - N).
Definition auction_excess (X : nat -> nat) (T start : nat) (short : R) : R :=
  Rmin (excess_by_provider X T start short) (equal_shares (fun l => price_excess 0 (S l)) N (T - N)).

(* ---- what payments deviate from c_(2) by. An unqualified provider that is cheaper disturbs auctions while it is eligible. *)
Notation most := (Rmax c2 (cmax - c2)).
Definition cheap (j : nat) : Prop := (j < N)%nat /\ quality j < qmin /\ cost j < c2.
(* two radii at the target and the larger deviation of bids, at step t; and the sum over t = N + 1, ..., T *)
Definition band_at (t : nat) : R := Rmin most (2 * ((1 + gamma) * cmax * beta (INR N) delta (Rmax 1 (ceiling (g t)))) + Rmax d_minus d_plus).
Definition radii_at_target (T : nat) : R := over_counts band_at N T.
(* W: a set A of unqualified providers that cost at most what `dearest` costs is counted out by selections, each of them M_i and each
   other one as often as it wins against `dearest`; the other cheap ones by time: none of them is in an auction after step s *)
Definition out_of_auctions (A : nat -> bool) (T s : nat) : Prop := forall t j, (s < t <= T)%nat -> cheap j -> A j = false -> INR (M j) < g t.
Definition disturbed_auctions (A : nat -> bool) (dearest s T : nat) : R :=
  (if existsb A (seq 0 N) then bsum N (fun i => INR (if A i then M i else most_wins T dearest i)) else 0) + INR (s - N).
Definition cheaper_than (A : nat -> bool) (dearest : nat) : Prop := forall j, A j = true -> quality j < qmin /\ cost j <= cost dearest.
(* such an auction pays at least `least` less two radii: at most the cost of each cheap one; c_(2) where there is none *)
Definition cheap_cost (least : R) : Prop := least <= c2 /\ forall j, cheap j -> least <= cost j.
Definition disturbance (A : nat -> bool) (dearest s T : nat) (least : R) : R :=
  Rmin (disturbed_auctions A dearest s T) (INR (T - N)) * Rmin most (c2 - least).
End Numbers.

(* ---- lemmas on sums and counts *)
Lemma below_counts n x : INR n < x -> (n <= counts_below x)%nat.
Proof.
  intros H. apply below_ceiling in H. unfold ceiling, floor in H. rewrite INR_IZR_INZ in H.
  assert (Hz : (Z.of_nat n <= - Int_part (- x) - 1)%Z) by (apply le_IZR; rewrite minus_IZR, opp_IZR; exact H).
  unfold counts_below. lia.
Qed.
Lemma counts_below_is x : ceiling x - 1 <= INR (counts_below x).
Proof.
  unfold ceiling, floor, counts_below. rewrite INR_IZR_INZ, <- opp_IZR, <- (minus_IZR _ 1). apply IZR_le. lia.
Qed.
Lemma counts_below_most x : 0 < x -> INR (counts_below x) = ceiling x - 1.
Proof.
  intros H. apply Rle_antisym; [|apply counts_below_is]. pose proof (below_ceiling 0 x H) as H0.
  unfold ceiling, floor, counts_below in *. rewrite INR_IZR_INZ in *. rewrite <- opp_IZR, <- (minus_IZR _ 1) in *. apply le_IZR in H0.
  apply IZR_le. lia.
Qed.
Lemma ceiling_of_count x n : x <= INR n -> ceiling x <= INR n.
Proof.
  intros H. apply Rnot_lt_le. intros Hlt. unfold ceiling, floor in Hlt. rewrite INR_IZR_INZ in *. rewrite <- opp_IZR in Hlt. apply lt_IZR in Hlt.
  assert (Hz : (Z.of_nat n <= - Int_part (- x) - 1)%Z) by lia. apply IZR_le in Hz. rewrite minus_IZR, opp_IZR in Hz.
  destruct (base_Int_part (- x)) as [_ H2]. lra.
Qed.
Lemma over_counts_next f after last : over_counts f after (S last) = over_counts f after last + (if le_lt_dec (S last) after then 0 else f (S last)).
Proof.
  unfold over_counts. destruct (le_lt_dec (S last) after) as [H|H].
  - replace (S last - after)%nat with 0%nat by lia. replace (last - after)%nat with 0%nat by lia. simpl. ring.
  - replace (S last - after)%nat with (S (last - after)) by lia. cbn [bsum]. do 2 f_equal. lia.
Qed.
Lemma over_counts_nonneg f after last : (forall m, 0 <= f m) -> 0 <= over_counts f after last.
Proof. intros H. apply bsum_nonneg. intros l. apply H. Qed.
Lemma over_counts_empty f after last : (last <= after)%nat -> over_counts f after last = 0.
Proof. intros H. unfold over_counts. replace (last - after)%nat with 0%nat by lia. reflexivity. Qed.
Lemma over_counts_longer f after a b : (a <= b)%nat -> (forall m, 0 <= f m) -> over_counts f after a <= over_counts f after b.
Proof.
  intros Hab Hf. induction Hab as [|b Hab IH]; [lra|]. rewrite over_counts_next. specialize (Hf (S b)). destruct (le_lt_dec _ _); lra.
Qed.
Lemma over_counts_all f n : over_counts f 0 n = bsum n (fun l => f (S l)).
Proof. unfold over_counts. rewrite Nat.sub_0_r. apply bsum_ext. intros l _. f_equal. Qed.
(* `first` up to the count s, and `then_` beyond it *)
Lemma over_counts_split (f f1 f2 : nat -> R) after s last : (forall m, (m <= s)%nat -> f m = f1 m) -> (forall m, (s < m)%nat -> f m = f2 m) ->
  over_counts f after last = over_counts f1 after (Nat.min s last) + over_counts f2 (Nat.max after s) last.
Proof.
  intros H1 H2. induction last as [|n IH].
  - rewrite !over_counts_empty by lia. ring.
  - rewrite over_counts_next, IH, (over_counts_next f2). destruct (le_lt_dec (S n) s) as [Hs|Hs].
    + rewrite (Nat.min_r s n), (Nat.min_r s (S n)) by lia. rewrite (over_counts_next f1), H1 by exact Hs.
      destruct (le_lt_dec (S n) (Nat.max after s)); [|lia]. destruct (le_lt_dec _ _); ring.
    + rewrite (Nat.min_l s n), (Nat.min_l s (S n)) by lia. rewrite H2 by exact Hs.
      destruct (le_lt_dec (S n) after); destruct (le_lt_dec (S n) (Nat.max after s)); try lia; ring.
Qed.
(* a fixed charge at the first x counts, and p at those up to a *)
Lemma charged_counts (c : R) (p : nat -> R) (x a n : nat) : 0 <= c -> (forall m, 0 <= p m) ->
  bsum n (fun l => if le_dec (S l) x then c else if le_dec (S l) a then p (S l) else 0) <= INR x * c + over_counts p x a.
Proof.
  intros Hc Hp. set (f := fun m => if le_dec m x then c else if le_dec m a then p m else 0).
  change (bsum n (fun l => f (S l)) <= INR x * c + over_counts p x a). rewrite <- over_counts_all.
  rewrite (over_counts_split f (fun _ => c) (fun m => if le_dec m a then p m else 0) 0 x n).
  - apply Rplus_le_compat.
    + unfold over_counts. rewrite bsum_const. apply Rmult_le_compat_r; [exact Hc|]. apply le_INR. lia.
    + rewrite Nat.max_r by lia. rewrite (over_counts_split _ p (fun _ => 0) x a n).
      * unfold over_counts at 2. rewrite bsum_const, Rmult_0_r, Rplus_0_r. apply over_counts_longer; [lia|exact Hp].
      * intros m Hm. destruct (le_dec m a); [reflexivity|lia].
      * intros m Hm. destruct (le_dec m a); [lia|reflexivity].
  - intros m Hm. unfold f. destruct (le_dec m x); [reflexivity|lia].
  - intros m Hm. unfold f. destruct (le_dec m x); [lia|reflexivity].
Qed.
Lemma one_and_others N best (f : nat -> R) : (best < N)%nat -> bsum N f = over_others N best f + f best.
Proof.
  intros H. unfold over_others. rewrite (bsum_update N f (fun i => if Nat.eq_dec i best then 0 else f i) best H).
  - destruct (Nat.eq_dec best best); [ring|contradiction].
  - intros i _ Hi. destruct (Nat.eq_dec i best); [contradiction|reflexivity].
Qed.
Lemma total_over_all N (f : nat -> R) : total_over (seq 0 N) f = bsum N f.
Proof. rewrite <- (filter_all (seq 0 N)), total_over_filter. reflexivity. Qed.

Section Runs.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus : R) (quality cost : nat -> R) (best second : nat).
Variables (quality_estimate cost_estimate : nat -> nat -> R) (bid : list nat -> nat -> R) (g : nat -> R) (M last : nat -> nat).
Notation run := (run N delta cmax qmin gamma quality_estimate bid g).
Notation step := (step N delta cmax qmin gamma quality_estimate bid g).
Notation explores := (explores N delta qmin quality_estimate g).
Notation explored := (explored N delta qmin quality_estimate g).
Notation explorations := (explorations N delta qmin quality_estimate g).
Notation payment := (payment N delta cmax qmin gamma quality_estimate bid g).
Notation eligible_set := (Qh N delta qmin quality_estimate).
Notation market := (market N delta cmax qmin gamma d_minus d_plus quality cost best).
Notation good_event := (Statements.good_event N delta cmax gamma quality cost quality_estimate cost_estimate).
Notation bids_follow := (bids_follow N delta cmax qmin gamma d_minus d_plus quality_estimate cost_estimate bid g).
Notation excluded := (excluded_at_one_count N delta qmin quality quality_estimate M).
Notation horizon h := (N + length h)%nat.
Notation rad := (rad N delta cmax gamma).
Notation gap_to j i := (gap_to cmax gamma d_minus d_plus cost j i).
Notation c2 := (cost second).
Notation while_eligible := (while_eligible qmin quality M).
Notation most_wins := (most_wins N delta cmax qmin gamma d_minus d_plus quality cost M).
Notation most_selected := (most_selected N delta cmax qmin gamma d_minus d_plus quality cost g M).
Notation explored_until := (explored_until N delta cmax qmin gamma d_minus d_plus quality cost g M last).
Notation most_explored := (most_explored qmin quality g M last).
Notation exploration_steps := (exploration_steps N qmin quality g M last).
Notation price_excess := (price_excess N delta cmax gamma d_plus cost second).
Notation falls_short := (falls_short N delta cmax qmin gamma d_minus d_plus quality cost best second g M).
Notation excess_by_provider := (excess_by_provider N delta cmax qmin gamma d_minus d_plus quality cost best second M).
Notation auction_excess := (auction_excess N delta cmax qmin gamma d_minus d_plus quality cost best second M).
Notation cheap := (cheap N qmin quality cost second).
Notation band_at := (band_at N delta cmax gamma d_minus d_plus cost second g).
Notation radii_at_target := (radii_at_target N delta cmax gamma d_minus d_plus cost second g).
Notation disturbed_auctions := (disturbed_auctions N delta cmax qmin gamma d_minus d_plus quality cost M).
Notation disturbance := (disturbance N delta cmax qmin gamma d_minus d_plus quality cost second M).
Notation most := (Rmax c2 (cmax - c2)).
Hypothesis Hm : market.
Hypothesis He : good_event.
Hypothesis Hb : bids_follow.
Hypothesis Hg : never_falls g.
Hypothesis Hex : excluded.

Lemma eligible_at_most t i limit : run t -> In i (eligible_set t) -> (m t i <= limit)%nat -> (m t i <= while_eligible i limit)%nat.
Proof.
  intros Hr Hi Hle. unfold SharpestPayments.while_eligible. destruct (Rlt_dec (quality i) qmin) as [Hq|]; [|exact Hle]. apply Nat.min_glb; [|exact Hle].
  apply (unqualified_eligible_below N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate bid g M Hm He Hex t i Hr); [|exact Hq|exact Hi].
  apply in_Qh_iff in Hi. tauto.
Qed.
Lemma in_eligible_set t i : step t i -> In i (eligible_set t).
Proof. exact (step_in_Qh N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate bid g Hm He t i). Qed.
Lemma served_is_provider t i : step t i -> (i < N)%nat.
Proof. eapply (step_lt N delta cmax qmin gamma quality cost _ cost_estimate); eauto. Qed.
Lemma qualified_eligible t i : (i < N)%nat -> qmin <= quality i -> In i (eligible_set t).
Proof.
  intros Hi Hq. apply in_Qh_iff. split; [exact Hi|]. pose proof (proj1 He i (m t i) Hi ltac:(unfold m; lia)) as H. apply Rabs_le_inv in H. lra.
Qed.
Lemma count_within_horizon t i T : (now N t <= T)%nat -> (m t i <= T - N)%nat.
Proof. intros H. unfold now in H. unfold m, times. pose proof (count_occ_bound Nat.eq_dec i t). lia. Qed.
Lemma wins_at_most t i j T : run t -> step t i -> ~ explores t -> In j (eligible_set t) -> (now N t <= T)%nat -> (m t i <= most_wins T j i)%nat.
Proof.
  intros Hr Hs Hn Hj HT. apply eligible_at_most; [exact Hr|apply in_eligible_set; exact Hs|]. pose proof (count_within_horizon t i T HT).
  destruct (Rlt_dec 0 (gap_to j i)) as [Hgap|]; [|assumption]. apply Nat.min_glb; [|assumption]. apply INR_le.
  apply (m_star_count N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate Hm He); [unfold m; lia|exact Hgap|].
  apply (winner_gap_to_eligible N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate bid g Hm He); assumption.
Qed.
Lemma caps_while_eligible j T : capped_while_eligible N delta cmax qmin gamma d_minus d_plus quality cost g M j T (fun i => INR (most_selected T j i)).
Proof.
  intros i Hi Hne. unfold SharpestPayments.most_selected, SharpestPayments.while_eligible.
  assert (Hl : forall l : nat, (0 < gap_to j i /\ Rmax (m_star N delta (gap_to j i)) (ceiling (g T) - 1) <= INR l) \/ INR (T - N) <= INR l ->
    (0 < gap_to j i /\ Rmax (m_star N delta (gap_to j i)) (ceiling (g T) - 1) <= INR (if Rlt_dec (quality i) qmin then Nat.min (M i) l else l)) \/
    (quality i < qmin /\ INR (M i) <= INR (if Rlt_dec (quality i) qmin then Nat.min (M i) l else l)) \/
    INR (T - N) <= INR (if Rlt_dec (quality i) qmin then Nat.min (M i) l else l)).
  { intros l Hl. destruct (Rlt_dec (quality i) qmin) as [Hq|]; [|tauto]. destruct (le_lt_dec (M i) l) as [Hle|Hlt].
    - right. left. rewrite Nat.min_l by exact Hle. split; [exact Hq|lra].
    - rewrite Nat.min_r by lia. tauto. }
  apply Hl. destruct (Rlt_dec 0 (gap_to j i)) as [Hgap|]; [|right; lra].
  destruct (le_lt_dec (Nat.max (exact_inverse N delta (gap_to j i)) (counts_below (g T))) (T - N)) as [Hle|Hlt].
  - left. rewrite Nat.min_l by exact Hle. split; [exact Hgap|]. apply Rmax_lub; [unfold m_star; apply le_INR; lia|].
    eapply Rle_trans; [apply counts_below_is|]. apply le_INR. lia.
  - right. rewrite Nat.min_r by lia. lra.
Qed.
Lemma selected_at_most h i j : run h -> In j (eligible_set h) -> (i < N)%nat -> i <> j -> (times h i <= most_selected (horizon h) j i)%nat.
Proof.
  intros Hr Hj Hi Hne. apply INR_le.
  apply (times_while_eligible N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate bid g M Hm He Hex h i j
    (fun i => INR (most_selected (horizon h) j i)) Hb Hg Hr Hj (caps_while_eligible j (horizon h)) Hi Hne).
Qed.
(* the count at an exploration, and so how many there are *)
Lemma count_when_explored t i T : run t -> step t i -> explores t -> (now N t <= T)%nat -> explored_until T i -> (m t i <= most_explored T i)%nat.
Proof.
  intros Hr Hs Hx HT Huntil. apply eligible_at_most; [exact Hr|apply in_eligible_set; exact Hs|]. apply below_counts.
  destruct (exploration_count N delta cmax qmin gamma quality_estimate bid g Hg t i T Hs Hx HT) as [H1 _].
  eapply Rlt_le_trans; [exact H1|]. apply Hg; [unfold now; lia|]. apply Nat.min_glb; [exact HT|].
  destruct (le_lt_dec (now N t) (last i)) as [|Hlt]; [assumption|exfalso].
  specialize (Huntil (now N t) ltac:(unfold now in *; lia) Hlt). replace (now N t - 1)%nat with (horizon t) in Huntil by (unfold now; lia).
  pose proof (explored_only_before_its_end N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate bid g M Hm He Hex
    t i _ Hb Hg Hr Hs Hx (caps_while_eligible i (horizon t))). lra.
Qed.
Lemma explorations_at_most h i : run h -> explored_until (horizon h) i -> (explorations h i <= most_explored (horizon h) i)%nat.
Proof.
  intros Hr Huntil. apply INR_le. rewrite <- (explored_times N delta qmin quality_estimate g).
  apply (steps_below N delta cmax qmin gamma quality_estimate bid g); [apply pos_INR|exact Hr|].
  intros t Ht Hs HT Hx. apply le_INR. apply count_when_explored; try assumption.
  apply (samples_is N delta qmin quality_estimate g). unfold sampling in Hx. destruct (samples_dec _ _ _ _ _ _ _); [assumption|discriminate].
Qed.
Lemma explored_steps_at_most h : run h -> (forall i, (i < N)%nat -> explored_until (horizon h) i) ->
  total (fun t _ => explored t) h <= exploration_steps (horizon h).
Proof.
  intros Hr Huntil. rewrite (explored_total N delta cmax qmin gamma quality cost quality_estimate cost_estimate bid g) by exact Hr.
  apply bsum_le. intros i Hi. apply le_INR, explorations_at_most; auto.
Qed.

(* ---- prices *)
Hypothesis Hsecond : cheapest_competitor N qmin quality cost best second.
Lemma second_is_second_lowest : second_lowest N qmin quality cost best c2.
Proof.
  destruct Hsecond as (H2N & H2q & H2ne & H2min). exists (filter (fun j => if Rle_dec qmin (quality j) then true else false) (seq 0 N)).
  assert (HQ : forall j, In j (filter (fun j => if Rle_dec qmin (quality j) then true else false) (seq 0 N)) <-> (j < N)%nat /\ qmin <= quality j).
  { intros j. rewrite filter_In, in_seq. destruct (Rle_dec qmin (quality j)); intuition (auto with arith; try lia; try discriminate). }
  split; [exact HQ|]. set (l := filter _ (filter _ _)).
  assert (Hl : forall j, In j l <-> ((j < N)%nat /\ qmin <= quality j) /\ j <> best).
  { intros j. unfold l. rewrite filter_In, HQ, Bool.negb_true_iff, Nat.eqb_neq. reflexivity. }
  destruct (minl cost l) as [v|] eqn:E.
  - f_equal. apply Rle_antisym.
    + apply (minl_lb _ _ _ E). apply Hl. auto.
    + destruct (minl_att _ _ _ E) as (j & Hj & ->). apply Hl in Hj. apply H2min; tauto.
  - apply minl_none in E. exfalso. assert (Hin : In second l) by (apply Hl; auto). rewrite E in Hin. destruct Hin.
Qed.
Lemma second_range : 0 <= c2 <= cmax.
Proof. apply (cost_range _ _ _ _ _ _ _ _ _ _ Hm). apply Hsecond. Qed.
Lemma price_excess_nonneg less count : 0 <= price_excess less count.
Proof. pose proof second_range. apply Rmin_glb; [lra|apply Rmax_l]. Qed.
Lemma price_excess_covers less count x : x <= cmax -> x <= c2 + rad count + d_plus - less -> Rmax 0 (x - c2) <= price_excess less count.
Proof.
  intros H1 H2. pose proof second_range. apply Rmin_glb; [apply Rmax_lub; lra|]. apply Rmax_lub; [apply Rmax_l|]. eapply Rle_trans; [|apply Rmax_r]. lra.
Qed.
Lemma price_excess_falls less x y : (1 <= x <= y)%nat -> price_excess less y <= price_excess less x.
Proof.
  intros H. pose proof Hm as (HN & Hd & Hc & Hga & _). apply Rmin_glb; [apply Rmin_l|]. eapply Rle_trans; [apply Rmin_r|].
  apply Rmax_lub; [apply Rmax_l|]. eapply Rle_trans; [|apply Rmax_r]. enough (rad y <= rad x) by lra.
  unfold Runs.rad, bt. apply Rmult_le_compat_l; [nra|]. apply radius_monotone; [apply (le_INR 2); exact HN|exact Hd|apply (le_INR 1); lia|apply le_INR; lia].
Qed.
Lemma auction_is_pay t s : step t s -> ~ explores t -> payment t s = pay (eligible_set t) (radii N delta cmax gamma t) cmax (bid t) s.
Proof.
  intros Hs Hn. pose proof (in_eligible_set t s Hs) as Hin. unfold Runs.payment. destruct (explores_dec _ _ _ _ _ _); [contradiction|].
  destruct (eligible_set t); [destruct Hin|reflexivity].
Qed.
(* a rival that is eligible bounds the price *)
Lemma priced_by_rival t s j x : step t s -> ~ explores t -> In j (eligible_set t) -> j <> s -> bid t j - rad (m t j) <= x ->
  payment t s <= rad (m t s) + x.
Proof.
  intros Hs Hn Hj Hjs Hx. rewrite auction_is_pay by assumption. unfold pay, crit. assert (Ho : In j (others (eligible_set t) s)) by (apply in_others; auto).
  destruct (minl (adj (radii N delta cmax gamma t) (bid t)) (others (eligible_set t) s)) as [v|] eqn:E; [|apply minl_none in E; rewrite E in Ho; destruct Ho].
  pose proof (minl_lb _ _ _ E j Ho) as Hv. unfold adj, radii in Hv. eapply Rle_trans; [apply Rmin_l|]. unfold radii. lra.
Qed.
Lemma auction_at_most_cmax t s : step t s -> ~ explores t -> payment t s <= cmax.
Proof. intros Hs Hn. rewrite auction_is_pay by assumption. unfold pay. destruct (crit _ _ _ _); [apply Rmin_r|lra]. Qed.
Variables (r : nat -> R) (start : nat) (short : R).
Hypothesis Hbelow : cost_stays_below N delta cmax gamma cost cost_estimate second r.
Definition saved (i count : nat) : R := if Nat.eq_dec i best then if le_dec count start then 0 else cmax * short else c2 - cost best.
Lemma auction_price t s T : falls_short T start r short -> run t -> step t s -> ~ explores t -> (now N t <= T)%nat ->
  payment t s <= c2 + rad (m t s) + d_plus - saved s (m t s).
Proof.
  intros Hshort Hr Hs Hn HT. pose proof (bids_are_near _ _ _ _ _ _ _ _ _ _ _ Hb) as Hnear.
  pose proof Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest). pose proof (proj2 He) as Hcost.
  unfold saved. destruct (Nat.eq_dec s best) as [->|Hne].
  - destruct Hsecond as (H2N & H2q & H2ne & _). pose proof (qualified_eligible t second H2N H2q) as Hin.
    pose proof (Hnear t second Hr H2N) as Hbid. assert (Hm2 : (1 <= m t second)%nat) by (unfold m; lia).
    pose proof (Hcost second (m t second) H2N Hm2) as Hband. apply Rabs_le_inv in Hband.
    assert (Hplain : payment t best <= c2 + rad (m t best) + d_plus)
      by (pose proof (priced_by_rival t best second (c2 + d_plus) Hs Hn Hin H2ne ltac:(lra)); lra).
    destruct (le_dec (m t best) start) as [|Hbeyond]; [lra|].
    assert (Hcount : g (now N t) <= INR (m t second)) by (destruct (Rle_lt_dec (g (now N t)) (INR (m t second))); [assumption|exfalso; apply Hn; exists second; auto]).
    assert (Hsh : short <= Rmax 0 (bt N delta (m t second) - r (m t second))).
    { apply Hshort.
      - eapply Rle_trans; [|exact Hcount]. apply Hg; [lia|]. unfold m, times in Hbeyond. unfold now. pose proof (count_occ_bound Nat.eq_dec best t). lia.
      - split; [exact Hm2|]. unfold m. apply le_n_S.
        assert (Hsel : (times t second <= most_selected (horizon t) best second)%nat).
        { apply selected_at_most; [exact Hr|apply qualified_eligible; apply Hbest|exact H2N|exact H2ne]. }
        eapply Nat.le_trans; [exact Hsel|]. unfold now in HT.
        assert (Hcounts : (counts_below (g (horizon t)) <= counts_below (g T))%nat).
        { pose proof (Hg (horizon t) T ltac:(lia) ltac:(lia)) as Hle. apply ceiling_mono in Hle. unfold ceiling, floor in Hle. rewrite <- !opp_IZR in Hle.
          apply le_IZR in Hle. unfold counts_below. lia. }
        unfold SharpestPayments.most_selected, SharpestPayments.while_eligible. destruct (Rlt_dec _ _); destruct (Rlt_dec _ _); lia. }
    apply Rle_trans with (rad (m t best) + (c2 + d_plus - cmax * short)); [|lra]. apply (priced_by_rival t best second _ Hs Hn Hin H2ne).
    pose proof (Hbelow (m t second) Hm2) as Hab. unfold Runs.rad in *. unfold Rmax in Hsh. destruct (Rle_dec 0 (bt N delta (m t second) - r (m t second))).
    + apply Rmult_le_compat_l with (r := cmax) in Hsh; [|lra]. lra.
    + apply Rmult_le_compat_l with (r := cmax) in Hsh; lra.
  - pose proof (qualified_eligible t best (proj1 Hbest) (proj1 (proj2 Hbest))) as Hin. pose proof (Hnear t best Hr (proj1 Hbest)) as Hbid.
    pose proof (Hcost best (m t best) (proj1 Hbest) ltac:(unfold m; lia)) as H1. apply Rabs_le_inv in H1.
    pose proof (priced_by_rival t s best (cost best + d_plus) Hs Hn Hin ltac:(auto) ltac:(lra)). lra.
Qed.
Lemma plain_price t s : run t -> step t s -> ~ explores t -> payment t s <= c2 + rad (m t s) + d_plus.
Proof.
  intros Hr Hs Hn. pose proof (bids_are_near _ _ _ _ _ _ _ _ _ _ _ Hb) as Hnear.
  pose proof Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest). pose proof (proj2 He) as Hcost. destruct Hsecond as (H2N & H2q & H2ne & _).
  assert (Hrival : forall j, (j < N)%nat -> qmin <= quality j -> j <> s -> cost j <= c2 -> payment t s <= c2 + rad (m t s) + d_plus).
  { intros j Hj Hq Hjs Hle. pose proof (Hcost j (m t j) Hj ltac:(unfold m; lia)) as H1. apply Rabs_le_inv in H1. pose proof (Hnear t j Hr Hj).
    pose proof (priced_by_rival t s j (cost j + d_plus) Hs Hn (qualified_eligible t j Hj Hq) Hjs ltac:(lra)). lra. }
  destruct (Nat.eq_dec s best) as [->|Hne]; [apply (Hrival second); auto; lra|].
  apply (Hrival best); [apply Hbest|apply Hbest|auto|]. apply Rlt_le. apply Hbest; auto.
Qed.

(* ---- sums along a run *)
Definition wins_until (T i : nat) : nat := if Nat.eq_dec i best then (T - N)%nat else most_wins T best i.
Lemma provider_sums X T : bsum N (fun i => over_counts (fun count => price_excess (saved i count) count) (X i) (wins_until T i)) = excess_by_provider X T start short.
Proof.
  pose proof Hm as (_ & _ & _ & _ & _ & _ & _ & Hbest). rewrite (one_and_others N best) by apply Hbest. unfold SharpestPayments.excess_by_provider. rewrite Rplus_assoc. f_equal.
  - unfold over_others. apply bsum_ext. intros i _. unfold wins_until. destruct (Nat.eq_dec i best) as [|Hne]; [reflexivity|].
    unfold over_counts. apply bsum_ext. intros l _. unfold saved. destruct (Nat.eq_dec i best); [contradiction|reflexivity].
  - unfold wins_until. destruct (Nat.eq_dec best best); [|contradiction]. apply over_counts_split; intros count Hcount; unfold saved;
      (destruct (Nat.eq_dec best best); [|contradiction]); destruct (le_dec count start); try lia; reflexivity.
Qed.
Lemma auction_within t s T : falls_short T start r short -> run t -> step t s -> ~ explores t -> (now N t <= T)%nat ->
  (m t s <= wins_until T s)%nat /\ Rmax 0 (payment t s - c2) <= price_excess (saved s (m t s)) (m t s).
Proof.
  intros Hshort Hr Hs Hn HT. pose proof Hm as (_ & _ & _ & _ & _ & _ & _ & Hbest). split.
  - unfold wins_until. destruct (Nat.eq_dec s best) as [|Hne]; [apply count_within_horizon; exact HT|].
    apply wins_at_most; try assumption. apply qualified_eligible; apply Hbest.
  - apply price_excess_covers; [apply auction_at_most_cmax; assumption|]. apply (auction_price t s T); assumption.
Qed.
(* what is charged count by count, X i counts of each i at cmax - c_(2): all queries, if these are the explored counts; else auctions only *)
Lemma charged_by_provider (X : nat -> nat) (value : list nat -> nat -> R) h : run h -> falls_short (horizon h) start r short ->
  (forall t s, run t -> step t s -> (now N t <= horizon h)%nat -> explores t -> value t s <= if le_dec (m t s) (X s) then cmax - c2 else 0) ->
  (forall t s, run t -> step t s -> ~ explores t -> value t s <= Rmax 0 (payment t s - c2)) ->
  total value h <= bsum N (fun i => INR (X i)) * (cmax - c2) + excess_by_provider X (horizon h) start short.
Proof.
  intros Hr Hshort Hx Hn. pose proof second_range as Hc2.
  set (charge := fun i count => if le_dec count (X i) then cmax - c2 else if le_dec count (wins_until (horizon h) i) then price_excess (saved i count) count else 0).
  apply Rle_trans with (total (fun t s => charge s (m t s)) h).
  - eapply total_along; [exact Hr|apply le_n|]. intros t s Ht Hs HT. unfold charge.
    destruct (explores_dec N delta qmin quality_estimate g t) as [Hxt|Hnt].
    + specialize (Hx t s Ht Hs HT Hxt). pose proof (price_excess_nonneg (saved s (m t s)) (m t s)). destruct (le_dec (m t s) (X s)); [exact Hx|]. destruct (le_dec _ _); lra.
    + specialize (Hn t s Ht Hs Hnt). destruct (auction_within t s _ Hshort Ht Hs Hnt HT) as [H1 H2]. pose proof (auction_at_most_cmax t s Hs Hnt) as H3.
      eapply Rle_trans; [exact Hn|]. destruct (le_dec (m t s) (X s)); [apply Rmax_lub; lra|]. destruct (le_dec _ _); [exact H2|contradiction].
  - rewrite (by_provider_and_count N charge) by (eapply run_lt; eauto). rewrite <- provider_sums, Rmult_comm, <- bsum_scal, <- bsum_plus.
    apply bsum_le. intros i _. rewrite (Rmult_comm (cmax - c2)). unfold charge.
    apply (charged_counts (cmax - c2) (fun count => price_excess (saved i count) count) (X i) (wins_until (horizon h) i)); [lra|].
    intros count. apply price_excess_nonneg.
Qed.
Lemma auctions_by_equal_shares h : run h ->
  total (fun t s => (1 - explored t) * Rmax 0 (payment t s - c2)) h <= equal_shares (fun l => price_excess 0 (S l)) N (horizon h - N).
Proof.
  intros Hr. apply Rle_trans with (total (fun t s => price_excess 0 (m t s)) h).
  - eapply total_along; [exact Hr|apply le_n|]. intros t s Ht Hs HT. unfold Runs.explored.
    destruct (explores_dec N delta qmin quality_estimate g t) as [|Hn]; [rewrite Rminus_eq_0, Rmult_0_l; apply price_excess_nonneg|].
    rewrite Rminus_0_r, Rmult_1_l. apply price_excess_covers; [apply auction_at_most_cmax; assumption|]. rewrite Rminus_0_r. apply plain_price; assumption.
  - pose proof Hm as (HN & _). rewrite (by_provider_and_count N (fun _ count => price_excess 0 count)) by (eapply run_lt; eauto).
    rewrite <- (seq_length N 0) at 2. replace (horizon h - N)%nat with (length h) by lia.
    rewrite <- (total_over_all N (fun i => bsum (times h i) (fun l => price_excess 0 (S l)))).
    apply (shares_at_most (fun l => price_excess 0 (S l))).
    + intros x y Hxy. apply price_excess_falls. lia.
    + intros x. apply price_excess_nonneg.
    + intros E. apply (f_equal (@length nat)) in E. rewrite seq_length in E. simpl in E. lia.
    + rewrite total_over_all, times_sum by (eapply run_lt; eauto). lra.
Qed.
Lemma excess_of_auctions h : run h -> falls_short (horizon h) start r short ->
  total (fun t s => (1 - explored t) * Rmax 0 (payment t s - c2)) h <= auction_excess (fun _ => 0%nat) (horizon h) start short.
Proof.
  intros Hr Hshort. apply Rmin_glb; [|apply auctions_by_equal_shares; exact Hr].
  eapply Rle_trans; [apply (charged_by_provider (fun _ => 0%nat)); [exact Hr|exact Hshort| |]|].
  - intros t s _ _ _ Hx. unfold Runs.explored. destruct (explores_dec _ _ _ _ _ t) as [|]; [|contradiction]. rewrite Rminus_eq_0, Rmult_0_l.
    destruct (le_dec _ _); [unfold m in *; lia|lra].
  - intros t s _ _ Hn. unfold Runs.explored. destruct (explores_dec _ _ _ _ _ t) as [|]; [contradiction|lra].
  - rewrite bsum_const. simpl INR. lra.
Qed.
Lemma excess_split h : total (fun t s => Rmax 0 (payment t s - c2)) h
  <= (cmax - c2) * total (fun t _ => explored t) h + total (fun t s => (1 - explored t) * Rmax 0 (payment t s - c2)) h.
Proof.
  pose proof second_range. rewrite <- total_scal, <- total_plus. induction h as [|s h IH]; [simpl; lra|]. cbn [total]. apply Rplus_le_compat; [|exact IH].
  unfold Runs.explored. destruct (explores_dec N delta qmin quality_estimate g h) as [Hx|] eqn:E; [|lra].
  assert (Ep : payment h s = cmax) by (unfold Runs.payment; rewrite E; reflexivity). rewrite Ep. rewrite Rmax_right by lra. lra.
Qed.

(* ---- what payments deviate from c_(2) by *)
Section Deviation.
Variable least : R.
Hypothesis Hleast : cheap_cost N qmin quality cost second least.
Definition disturbed t : Prop := ~ explores t /\ exists j, In j (eligible_set t) /\ cheap j.
Definition is (P : list nat -> Prop) (t : list nat) : bool := if excluded_middle (P t) then true else false.
Lemma band_nonneg t : 0 <= band_at t.
Proof.
  pose proof second_range. pose proof Hm as (HN & Hd & Hc & Hga & Hdev & _). pose proof (Rmax_l c2 (cmax - c2)). pose proof (Rmax_l d_minus d_plus).
  assert (0 <= (1 + gamma) * cmax * beta (INR N) delta (Rmax 1 (ceiling (g t)))) by (apply Rmult_le_pos; [nra|apply sqrt_pos]). apply Rmin_glb; lra.
Qed.
Lemma auction_deviation t s : run t -> step t s -> ~ explores t ->
  Rabs (payment t s - c2) <= band_at (now N t) + (if is disturbed t then Rmin most (c2 - least) else 0).
Proof.
  intros Hr Hs Hn. pose proof second_range as Hc2. destruct Hsecond as (H2N & H2q & H2ne & H2min).
  pose proof (bids_are_near _ _ _ _ _ _ _ _ _ _ _ Hb) as Hnear. pose proof (Statements.bids_in_range _ _ _ _ _ _ _ _ _ _ _ Hb) as Hbr.
  pose proof Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest). pose proof He as (Hquality & Hcost).
  assert (Hp : 0 <= payment t s <= cmax) by (eapply payment_range_run; eauto). pose proof (plain_price t s Hr Hs Hn) as Hup.
  assert (Hsel : selected (eligible_set t) (radii N delta cmax gamma t) (bid t) s) by (eapply ordinary_selected; eauto).
  set (x := (1 + gamma) * cmax * beta (INR N) delta (Rmax 1 (ceiling (g (now N t))))).
  assert (Hrad : forall j, In j (eligible_set t) -> 0 <= rad (m t j) <= x).
  { intros j Hj. unfold x, Runs.rad, bt. split; [apply Rmult_le_pos; [nra|apply sqrt_pos]|]. apply Rmult_le_compat_l; [nra|].
    apply radius_monotone; [apply (le_INR 2); exact HN|exact Hd|apply Rmax_l|]. apply Rmax_lub; [apply (le_INR 1); unfold m; lia|].
    apply ceiling_of_count. destruct (Rle_lt_dec (g (now N t)) (INR (m t j))); [assumption|]. exfalso. apply Hn. exists j. auto. }
  set (F := if is disturbed t then least else c2).
  assert (HF : F <= c2 /\ forall j, In j (eligible_set t) -> j <> best -> F <= cost j).
  { split; [unfold F; destruct (is disturbed t); [apply (proj1 Hleast)|lra]|]. intros j Hj Hne. pose proof Hj as Hj'. apply in_Qh_iff in Hj'. destruct Hj' as [HjN _].
    destruct (Rle_lt_dec c2 (cost j)) as [|Hlt]; [apply Rle_trans with c2; [unfold F; destruct (is disturbed t); [apply (proj1 Hleast)|lra]|assumption]|].
    destruct (Rlt_le_dec (quality j) qmin) as [Hq|Hq].
    - assert (Hch : cheap j) by (split; [exact HjN|split; assumption]). unfold F, is.
      destruct (excluded_middle (disturbed t)) as [_|Hno]; [apply (proj2 Hleast); exact Hch|]. exfalso. apply Hno. split; [exact Hn|]. exists j. auto.
    - exfalso. pose proof (H2min j HjN Hq Hne). lra. }
  assert (Hbounds : forall j, In j (eligible_set t) -> cost j - rad (m t j) - d_minus <= bid t j).
  { intros j Hj. apply in_Qh_iff in Hj. pose proof (Hcost j (m t j) (proj1 Hj) ltac:(unfold m; lia)) as H1. apply Rabs_le_inv in H1.
    pose proof (Hnear t j Hr (proj1 Hj)). lra. }
  assert (Hlow : F - 2 * x - d_minus <= payment t s).
  { rewrite auction_is_pay by assumption. unfold pay. pose proof (selection_threshold_lose _ _ _ s s Hsel) as Hl. unfold crit in *.
    assert (HsQ : In s (eligible_set t)) by apply Hsel. pose proof (Hrad s HsQ) as Hrs.
    destruct (minl (adj (radii N delta cmax gamma t) (bid t)) (others (eligible_set t) s)) as [v|] eqn:E; [|lra]. simpl in Hl.
    apply Rmin_glb; [|lra]. destruct (Nat.eq_dec s best) as [->|Hne].
    - destruct (minl_att _ _ _ E) as (j & Hj & ->). apply in_others in Hj. destruct Hj as [Hj Hjne].
      pose proof (Hbounds j Hj). pose proof (Hrad j Hj). pose proof (proj2 HF j Hj Hjne). unfold adj, radii in *. lra.
    - assert (Hbs : bid t s <= radii N delta cmax gamma t s + v).
      { destruct (Rle_lt_dec (bid t s) (radii N delta cmax gamma t s + v)); [assumption|]. exfalso. apply Hl; [assumption|reflexivity]. }
      pose proof (Hbounds s HsQ). pose proof (proj2 HF s HsQ Hne). lra. }
  pose proof (Hrad s (proj1 Hsel)). pose proof (Rmax_l d_minus d_plus). pose proof (Rmax_r d_minus d_plus).
  pose proof (Rmax_l c2 (cmax - c2)). pose proof (Rmax_r c2 (cmax - c2)).
  assert (Hone : Rabs (payment t s - c2) <= most) by (apply Rabs_le; lra).
  assert (Htwo : Rabs (payment t s - c2) <= (2 * x + Rmax d_minus d_plus) + (c2 - F)) by (apply Rabs_le; lra).
  unfold SharpestPayments.band_at. fold x. unfold F in *. destruct (is disturbed t); unfold Rmin; repeat destruct (Rle_dec _ _); lra.
Qed.
Notation counted P h := (total (fun t _ => if is P t then 1 else 0) h).
Lemma counted_within P h : counted P h <= INR (length h).
Proof. induction h as [|s h IH]; [simpl; lra|]. cbn [total length]. rewrite S_INR. destruct (is P h); lra. Qed.
Lemma counted_until (P : list nat -> Prop) (s : nat) h : (forall t j l, h = l ++ j :: t -> P t -> (now N t <= s)%nat) -> counted P h <= INR (s - N).
Proof.
  intros H. assert (Hle : counted P h <= INR (Nat.min (length h) (s - N))).
  { induction h as [|i h IH]; [simpl; lra|].
    assert (IH' : counted P h <= INR (Nat.min (length h) (s - N))).
    { apply IH. intros t j l E. apply (H t j (i :: l)). rewrite E. reflexivity. }
    cbn [total]. unfold is at 1. destruct (excluded_middle (P h)) as [HP|].
    - specialize (H h i [] eq_refl HP). unfold now in H. cbn [length]. replace (Nat.min (S (length h)) (s - N)) with (S (Nat.min (length h) (s - N))) by lia.
      rewrite S_INR. lra.
    - apply Rle_trans with (INR (Nat.min (length h) (s - N))); [lra|]. apply le_INR. cbn [length]. lia. }
  eapply Rle_trans; [exact Hle|]. apply le_INR. lia.
Qed.
Lemma counted_by_provider (P : list nat -> Prop) (cap : nat -> nat) h : run h ->
  (forall t i, run t -> step t i -> (now N t <= horizon h)%nat -> P t -> (m t i <= cap i)%nat) -> counted P h <= bsum N (fun i => INR (cap i)).
Proof.
  intros Hr H. set (f := fun i count => if le_dec count (cap i) then 1 else 0).
  apply Rle_trans with (total (fun t s => f s (m t s)) h).
  - eapply total_along; [exact Hr|apply le_n|]. intros t s Ht Hs HT. unfold is, f. destruct (excluded_middle (P t)) as [HP|].
    + specialize (H t s Ht Hs HT HP). destruct (le_dec _ _); [lra|contradiction].
    + destruct (le_dec _ _); lra.
  - rewrite (by_provider_and_count N f) by (eapply run_lt; eauto). apply bsum_le. intros i _.
    pose proof (charged_counts 1 (fun _ => 0) (cap i) 0 (times h i) ltac:(lra) ltac:(intros; lra)) as Hc.
    rewrite (over_counts_empty (fun _ => 0) (cap i) 0) in Hc by lia. eapply Rle_trans; [|rewrite Rmult_1_r, Rplus_0_r in Hc; exact Hc].
    right. apply bsum_ext. intros l _. unfold f. destruct (le_dec (S l) (cap i)); [reflexivity|]. destruct (le_dec (S l) 0); reflexivity.
Qed.
Lemma disturbed_at_most (A : nat -> bool) (dearest s : nat) h : run h -> cheaper_than qmin quality cost A dearest ->
  out_of_auctions N qmin quality cost second g M A (horizon h) s -> counted disturbed h <= disturbed_auctions A dearest s (horizon h).
Proof.
  intros Hr HA Hout. pose (by_counts := fun t => ~ explores t /\ exists j, In j (eligible_set t) /\ A j = true).
  pose (by_time := fun t => ~ explores t /\ exists j, In j (eligible_set t) /\ cheap j /\ A j = false).
  apply Rle_trans with (counted by_counts h + counted by_time h).
  { rewrite <- total_plus. eapply total_along; [exact Hr|apply le_n|]. intros t i Ht Hs _. unfold is.
    destruct (excluded_middle (disturbed t)) as [(Hn & j & Hj & Hch)|].
    - destruct (excluded_middle (by_counts t)) as [|Hno1]; [destruct (excluded_middle (by_time t)); lra|].
      destruct (excluded_middle (by_time t)) as [|Hno2]; [lra|]. exfalso. destruct (A j) eqn:E; [apply Hno1|apply Hno2]; (split; [exact Hn|]); exists j; auto.
    - destruct (excluded_middle (by_counts t)); destruct (excluded_middle (by_time t)); lra. }
  unfold SharpestPayments.disturbed_auctions. apply Rplus_le_compat.
  - destruct (existsb A (seq 0 N)) eqn:E.
    + apply counted_by_provider; [exact Hr|]. intros t i Ht Hs HT (Hn & j & Hj & HAj). destruct (A i) eqn:EA.
      * destruct (HA i EA) as [Hq _].
        apply (unqualified_eligible_below N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate bid g M Hm He Hex t i Ht
          (served_is_provider t i Hs) Hq (in_eligible_set t i Hs)).
      * apply eligible_at_most; [exact Ht|apply in_eligible_set; exact Hs|]. pose proof (count_within_horizon t i _ HT).
        destruct (Rlt_dec 0 (gap_to dearest i)) as [Hgap|]; [|assumption]. apply Nat.min_glb; [|assumption]. apply INR_le.
        apply (m_star_count N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate Hm He); [unfold m; lia|exact Hgap|].
        pose proof (winner_gap_to_eligible N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate bid g Hm He t i j Hb Ht Hs Hn Hj) as Hw.
        eapply Rle_trans; [|exact Hw]. pose proof Hm as (_ & _ & Hc & Hga & _). unfold Sharpest.gap_to.
        apply Rmult_le_compat_r; [apply Rlt_le, Rinv_0_lt_compat; nra|]. pose proof (proj2 (HA j HAj)). lra.
    + right. clear Hout. induction Hr as [|t i Ht IH Hs]; [reflexivity|]. cbn [total]. rewrite IH. unfold is.
      destruct (excluded_middle (by_counts t)) as [(_ & j & Hj & HAj)|]; [|ring]. exfalso. apply in_Qh_iff in Hj.
      assert (Ht' : existsb A (seq 0 N) = true) by (apply existsb_exists; exists j; rewrite in_seq; split; [lia|exact HAj]). congruence.
  - apply counted_until. intros t j l El (Hn & i & Hi & Hch & HAi). destruct (le_lt_dec (now N t) s) as [|Hlt]; [assumption|exfalso].
    assert (HT : (now N t <= horizon h)%nat) by (rewrite El, app_length; unfold now; simpl; lia).
    assert (Ht : run t) by (clear - Hr El; subst h; induction l as [|i l IH]; inversion Hr; auto).
    pose proof (Hout (now N t) i ltac:(lia) Hch HAi) as Hlt'.
    assert (Hcount : g (now N t) <= INR (m t i)) by (destruct (Rle_lt_dec (g (now N t)) (INR (m t i))); [assumption|exfalso; apply Hn; exists i; auto]).
    destruct Hch as (HiN & Hq & _).
    pose proof (unqualified_eligible_below N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate bid g M Hm He Hex t i Ht HiN Hq Hi) as Hle.
    apply le_INR in Hle. lra.
Qed.
Lemma bands_of h : total (fun t _ => band_at (now N t)) h = radii_at_target (horizon h).
Proof.
  induction h as [|s h IH]; [unfold SharpestPayments.radii_at_target; rewrite over_counts_empty by (simpl; lia); reflexivity|].
  cbn [total length]. rewrite IH. unfold SharpestPayments.radii_at_target. replace (N + S (length h))%nat with (S (horizon h)) by lia.
  rewrite over_counts_next. destruct (le_lt_dec (S (horizon h)) N); [lia|]. unfold now. replace (N + length h + 1)%nat with (S (horizon h)) by lia. ring.
Qed.
Lemma total_deviation (A : nat -> bool) (dearest s : nat) h : run h -> (forall i, (i < N)%nat -> explored_until (horizon h) i) ->
  cheaper_than qmin quality cost A dearest -> out_of_auctions N qmin quality cost second g M A (horizon h) s ->
  total (fun t s => Rabs (payment t s - c2)) h <=
    exploration_steps (horizon h) * (cmax - c2) + radii_at_target (horizon h) + disturbance A dearest s (horizon h) least.
Proof.
  intros Hr Huntil HA Hout. pose proof second_range as Hc2.
  assert (Hl : 0 <= Rmin most (c2 - least)) by (apply Rmin_glb; [pose proof (Rmax_l c2 (cmax - c2)); lra|pose proof (proj1 Hleast); lra]).
  assert (H1 : total (fun t s => Rabs (payment t s - c2)) h
    <= total (fun t _ => (cmax - c2) * explored t + (band_at (now N t) + Rmin most (c2 - least) * (if is disturbed t then 1 else 0))) h).
  { eapply total_along; [exact Hr|apply le_n|]. intros t i Ht Hs _. unfold Runs.explored. destruct (explores_dec N delta qmin quality_estimate g t) as [Hx|Hn] eqn:E.
    - assert (Ep : payment t i = cmax) by (unfold Runs.payment; rewrite E; reflexivity). rewrite Ep, Rabs_pos_eq by lra. pose proof (band_nonneg (now N t)).
      assert (0 <= Rmin most (c2 - least) * (if is disturbed t then 1 else 0)) by (apply Rmult_le_pos; [assumption|destruct (is disturbed t); lra]). lra.
    - pose proof (auction_deviation t i Ht Hs Hn). destruct (is disturbed t); lra. }
  rewrite !total_plus, !total_scal, bands_of in H1.
  pose proof (explored_steps_at_most h Hr Huntil) as H2. apply Rmult_le_compat_l with (r := cmax - c2) in H2; [|lra].
  assert (H3 : counted disturbed h <= Rmin (disturbed_auctions A dearest s (horizon h)) (INR (horizon h - N))).
  { apply Rmin_glb; [apply disturbed_at_most; assumption|]. replace (horizon h - N)%nat with (length h) by lia. apply counted_within. }
  apply Rmult_le_compat_l with (r := Rmin most (c2 - least)) in H3; [|exact Hl]. unfold SharpestPayments.disturbance. lra.
Qed.
End Deviation.
End Runs.

(* ---- what holds along every run of length T - N on the event *)
Section Theorems.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus : R) (quality cost : nat -> R) (best second : nat).
Variables (quality_estimate cost_estimate : nat -> nat -> R) (bid : list nat -> nat -> R) (g : nat -> R) (M last : nat -> nat).
Notation n := (INR N).
Notation payment := (payment N delta cmax qmin gamma quality_estimate bid g).
Notation explored := (explored N delta qmin quality_estimate g).
Notation explored_until := (explored_until N delta cmax qmin gamma d_minus d_plus quality cost g M last).
Notation most_explored := (most_explored qmin quality g M last).
Notation exploration_steps := (exploration_steps N qmin quality g M last).
Notation falls_short := (falls_short N delta cmax qmin gamma d_minus d_plus quality cost best second g M).
Notation auction_excess := (auction_excess N delta cmax qmin gamma d_minus d_plus quality cost best second M).
Notation radii_at_target := (radii_at_target N delta cmax gamma d_minus d_plus cost second g).
Notation disturbance := (disturbance N delta cmax qmin gamma d_minus d_plus quality cost second M).
Notation c2 := (cost second).
(* what all of them rest on: a market, the good event, bids near estimates, and that each unqualified i is excluded at count M_i + 1 or before *)
Definition on_sharpest_event : Prop :=
  market N delta cmax qmin gamma d_minus d_plus quality cost best /\
  Statements.good_event N delta cmax gamma quality cost quality_estimate cost_estimate /\
  bids_follow N delta cmax qmin gamma d_minus d_plus quality_estimate cost_estimate bid g /\ never_falls g /\
  excluded_at_one_count N delta qmin quality quality_estimate M.
(* a run of T queries, N of initialization among them *)
Definition run_until (T : nat) (h : list nat) : Prop := run N delta cmax qmin gamma quality_estimate bid g h /\ (N + length h)%nat = T.

(* A provider is explored up to a time only, after which it has won too often, and not after its exclusion. *)
Theorem explorations_sharpest T h : on_sharpest_event -> (forall i, (i < N)%nat -> explored_until T i) -> run_until T h ->
  (forall i, (i < N)%nat -> (explorations N delta qmin quality_estimate g h i <= most_explored T i)%nat) /\
  total (fun t _ => explored t) h <= exploration_steps T.
Proof.
  intros (Hm & He & Hb & Hg & Hex) Huntil [Hr <-]. split.
  - intros i Hi. eapply explorations_at_most; eauto.
  - eapply explored_steps_at_most; eauto.
Qed.
(* What each query is paid above c_(2), added up: initialization and the explorations at cmax - c_(2) each, and at auctions beyond the
   explored counts the radii of i* less the shortfall of its rival and those of others while they can win, or equal shares of all
   auctions where that is less; and the same without exploration. *)
Theorem thm_excess_payment_general_sharpest T h (r : nat -> R) (start : nat) (short : R) : on_sharpest_event ->
  cheapest_competitor N qmin quality cost best second -> cost_stays_below N delta cmax gamma cost cost_estimate second r ->
  falls_short T start r short -> (forall i, (i < N)%nat -> explored_until T i) -> run_until T h ->
  run_excess_payment N delta cmax qmin gamma quality_estimate bid g c2 h <=
    n * (cmax - c2) + exploration_steps T * (cmax - c2) + auction_excess (most_explored T) T start short /\
  n * (cmax - c2) + total (fun t s => (1 - explored t) * Rmax 0 (payment t s - c2)) h <=
    n * (cmax - c2) + auction_excess (fun _ => 0%nat) T start short.
Proof.
  intros (Hm & He & Hb & Hg & Hex) H2 Hbelow Hshort Huntil [Hr <-].
  assert (Hauctions : total (fun t s => (1 - explored t) * Rmax 0 (payment t s - c2)) h <= auction_excess (fun _ => 0%nat) (N + length h) start short)
    by (eapply excess_of_auctions; eauto).
  split; [|lra]. unfold run_excess_payment. rewrite Rplus_assoc. apply Rplus_le_compat_l. unfold SharpestPayments.auction_excess, Rmin.
  destruct (Rle_dec _ _).
  - eapply charged_by_provider; eauto; [|intros; lra]. intros t s Ht Hs HT Hx.
    assert (Hle : (m t s <= most_explored (N + length h) s)%nat).
    { eapply count_when_explored; eauto. apply Huntil. eapply (step_lt N delta cmax qmin gamma quality cost _ cost_estimate); eauto. }
    destruct (le_dec _ _); [|contradiction]. unfold Runs.payment. destruct (explores_dec _ _ _ _ _ t) as [|]; [|contradiction].
    assert (0 <= c2 <= cmax) by (eapply second_range; eauto). apply Rmax_lub; lra.
  - eapply Rle_trans; [eapply excess_split; eauto|]. rewrite (Rmult_comm (cmax - c2)). apply Rplus_le_compat.
    + apply Rmult_le_compat_r; [assert (0 <= c2 <= cmax) by (eapply second_range; eauto); lra|]. eapply explored_steps_at_most; eauto.
    + eapply auctions_by_equal_shares; eauto.
Qed.
(* A larger bound needs nothing of the competitor's mean cost: over T it does not rise but for the exploration caps. *)
Theorem settling_excess_payment_sharpest T h : on_sharpest_event -> cheapest_competitor N qmin quality cost best second ->
  (forall i, (i < N)%nat -> explored_until T i) -> run_until T h ->
  run_excess_payment N delta cmax qmin gamma quality_estimate bid g c2 h <=
    n * (cmax - c2) + exploration_steps T * (cmax - c2) + auction_excess (fun _ => 0%nat) T 0 0.
Proof.
  intros (Hm & He & Hb & Hg & Hex) H2 Huntil [Hr <-]. unfold run_excess_payment. rewrite Rplus_assoc. apply Rplus_le_compat_l.
  eapply Rle_trans; [eapply excess_split; eauto|]. rewrite (Rmult_comm (cmax - c2)). apply Rplus_le_compat.
  - apply Rmult_le_compat_r; [assert (0 <= c2 <= cmax) by (eapply second_range; eauto); lra|]. eapply explored_steps_at_most; eauto.
  - apply (excess_of_auctions N delta cmax qmin gamma d_minus d_plus quality cost best second quality_estimate cost_estimate bid g M last Hm He Hb Hg Hex H2
      (bt N delta) 0%nat 0); [|exact Hr|].
    + intros count Hcount. destruct H2 as (H2N & _). pose proof (proj2 He second count H2N Hcount) as H. apply Rabs_le_inv in H. unfold rad in H.
      replace (cmax * (bt N delta count + gamma * bt N delta count)) with ((1 + gamma) * cmax * bt N delta count) by ring. lra.
    + intros k _ _. apply Rmax_l.
Qed.
(* The average of |payment - c_(2)|, from T = N on: initialization and the explorations at cmax - c_(2) each, two radii at the target,
   and what is paid less in auctions that a cheap unqualified provider disturbs, which are counted. *)
Theorem thm_regret_sharpest T h (A : nat -> bool) (dearest s : nat) (least : R) : on_sharpest_event ->
  cheapest_competitor N qmin quality cost best second -> (forall i, (i < N)%nat -> explored_until T i) ->
  cheap_cost N qmin quality cost second least -> cheaper_than qmin quality cost A dearest ->
  out_of_auctions N qmin quality cost second g M A T s -> run_until T h ->
  (n * (cmax - c2) + total (fun t s => Rabs (payment t s - c2)) h) / INR T <=
    n * (cmax - c2) / INR T + exploration_steps T * (cmax - c2) / INR T + radii_at_target T / INR T + disturbance A dearest s T least / INR T.
Proof.
  intros (Hm & He & Hb & Hg & Hex) H2 Huntil Hleast HA Hout [Hr <-]. pose proof Hm as (HN & _).
  replace (n * (cmax - c2) / INR (N + length h) + exploration_steps (N + length h) * (cmax - c2) / INR (N + length h)
      + radii_at_target (N + length h) / INR (N + length h) + disturbance A dearest s (N + length h) least / INR (N + length h))
    with ((n * (cmax - c2) + (exploration_steps (N + length h) * (cmax - c2) + radii_at_target (N + length h)
      + disturbance A dearest s (N + length h) least)) / INR (N + length h)) by (unfold Rdiv; ring).
  apply per_step_at_most; [apply lt_0_INR; lia|]. apply Rplus_le_compat_l. eapply total_deviation; eauto.
Qed.
End Theorems.

(* ---- with probability at least 1 - delta: on the event of SharpestEvent.v, whose rival is the cheapest competitor *)
Section Game.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus k alpha : R) (best : nat).
Variables (p : platform) (theta : nat -> (observation -> R) -> R) (first : ((nat -> observation) -> R) -> R) (profile : nat -> strategy).
Variables (m0 : nat) (M : nat -> nat) (second : nat) (estimate : nat -> list observation -> R).
Notation n := (INR N).
Notation quality := (quality theta).
Notation cost_of := (cost_of theta).
Notation c2 := (cost_of second).
Notation g := (target N k alpha).
Notation queries H := (N + length (later H))%nat.
Notation on_the_event := (holds_on_sharpest_event N delta cmax qmin gamma g p theta first profile m0 M second).
Notation payments := (all_payments N delta cmax qmin gamma g profile).
Notation explored_until last := (explored_until N delta cmax qmin gamma d_minus d_plus quality cost_of g M last).
Notation most_explored last := (most_explored qmin quality g M last).
Notation exploration_steps last := (exploration_steps N qmin quality g M last).
Notation auction_excess := (auction_excess N delta cmax qmin gamma d_minus d_plus quality cost_of best second M).
Notation falls_short := (falls_short N delta cmax qmin gamma d_minus d_plus quality cost_of best second g M).
Notation radii_at_target := (radii_at_target N delta cmax gamma d_minus d_plus cost_of second g).
Notation disturbance := (disturbance N delta cmax qmin gamma d_minus d_plus quality cost_of second M).
(* what auctions pay above c_(2), explorations left out *)
Fixpoint auctions_above (start : nat -> observation) (later : list (nat * observation)) : R :=
  match later with
  | [] => 0
  | (j, _) :: before =>
      let H := {| initial := start; later := before |} in
      (if excluded_middle (explores_at N delta qmin g H) then 0 else Rmax 0 (paid N delta cmax qmin gamma g H (bids_at N profile H) j - c2))
        + auctions_above start before
  end.
Hypothesis Hsetting : sharpest_setting N delta cmax qmin gamma d_minus d_plus g best p theta first profile m0 M second estimate.
Hypothesis Hsecond : cheapest_competitor N qmin quality cost_of best second.
Hypothesis Hk : 0 < k.
Hypothesis Ha : 0 < alpha < 1.
Lemma auctions_along w bid t : play N delta cmax qmin gamma g profile w -> (forall t, bid (served (w t)) = bids_at N profile (w t)) ->
  auctions_above (initial (w t)) (later (w t))
  = total (fun h s => (1 - explored N delta qmin (scores_along theta w) g h) * Rmax 0 (payment N delta cmax qmin gamma (scores_along theta w) bid g h s - c2)) (served (w t)).
Proof.
  intros Hw Hbid. induction t as [|t IH].
  - destruct Hw as [(o & _ & ->) _]. reflexivity.
  - destruct (proj2 Hw t) as [->|(j & o & _ & _ & ->)]; [exact IH|]. unfold after, served in *. cbn [later initial map fst auctions_above total].
    rewrite IH. f_equal.
    pose proof (payment_now N delta cmax qmin gamma g theta profile w Hw bid Hbid t j) as Ep. unfold served in Ep. rewrite Ep.
    pose proof (explores_now N delta cmax qmin gamma g theta profile w Hw t) as Ex. unfold served in Ex.
    replace {| initial := initial (w t); later := later (w t) |} with (w t) by (destruct (w t); reflexivity).
    unfold explored. destruct (explores_dec _ _ _ _ _ _) as [H1|H1]; destruct (excluded_middle _) as [H2|H2]; try (exfalso; tauto); ring.
Qed.
Lemma on_run w : sharpest_play N delta cmax qmin gamma d_minus d_plus g theta profile m0 M second estimate w ->
  on_sharpest_event N delta cmax qmin gamma d_minus d_plus quality cost_of best (scores_along theta w) (along w estimate cost_of)
    (bids_on N profile w (along w estimate cost_of)) g M /\
  forall t, run_until N delta cmax qmin gamma (scores_along theta w) (bids_on N profile w (along w estimate cost_of)) g (queries (w t)) (served (w t)).
Proof.
  intros [_ Hgood Hbids Hex _ _ Hrun]. destruct Hsetting as (Hm & _). pose proof Hm as (HN & _). split.
  - split; [exact Hm|]. split; [exact Hgood|]. split; [exact Hbids|]. split; [|exact Hex]. intros s t. apply g_mono; assumption.
  - intros t. split; [apply Hrun|]. unfold served. rewrite map_length. reflexivity.
Qed.
Ltac on_event w := apply (on_sharpest_plays N delta cmax qmin gamma d_minus d_plus g best p theta first profile m0 M second estimate _ Hsetting);
  intros w Hplay; destruct (on_run w Hplay) as [Hev Hrun]; pose proof Hplay as [Hw _ _ _ Hbelow Hbid _].

(* With probability at least 1 - delta, at all T at once: a provider i is explored at most X_i times. *)
Theorem explorations_sharpest_game : on_the_event (fun w => forall t last, let T := queries (w t) in
  (forall i, (i < N)%nat -> explored_until last T i) ->
  (forall i, (i < N)%nat -> (explorations N delta qmin (scores_along theta w) g (served (w t)) i <= most_explored last T i)%nat) /\
  total (fun h _ => explored N delta qmin (scores_along theta w) g h) (served (w t)) <= exploration_steps last T).
Proof. on_event w. intros t last T Huntil. eapply explorations_sharpest; eauto. Qed.
(* With probability at least 1 - delta, at all T at once: the payments above c_(2) of all queries, and of auctions alone, are at most what
   the program prints. *)
Theorem thm_excess_payment_general_sharpest_game : on_the_event (fun w => forall t last start short, let T := queries (w t) in
  (forall i, (i < N)%nat -> explored_until last T i) -> falls_short T start (rival_radius N delta m0) short ->
  payments (fun x => Rmax 0 (x - c2)) (w t) <=
    n * (cmax - c2) + exploration_steps last T * (cmax - c2) + auction_excess (most_explored last T) T start short /\
  n * (cmax - c2) + auctions_above (initial (w t)) (later (w t)) <= n * (cmax - c2) + auction_excess (fun _ => 0%nat) T start short).
Proof.
  on_event w. intros t last start short T Huntil Hshort.
  pose proof (thm_excess_payment_general_sharpest N delta cmax qmin gamma d_minus d_plus quality cost_of best second _ _ _ g M last T (served (w t))
    (rival_radius N delta m0) start short Hev Hsecond Hbelow Hshort Huntil (Hrun t)) as [H1 H2].
  rewrite (auctions_along w _ t Hw Hbid), (payments_along N delta cmax qmin gamma g profile _ theta w _ t Hw Hbid). split; [|exact H2].
  destruct Hev as (Hm & _). pose proof (second_range N delta cmax qmin gamma d_minus d_plus quality cost_of best second Hm Hsecond).
  rewrite (Rmax_right 0 (cmax - c2)) by lra. exact H1.
Qed.
(* With probability at least 1 - delta, at all T >= N at once: the average of |payment - c_(2)| over all queries is at most this. The
   program prints N max{c_(2), cmax - c_(2)} for the first term, which is no less. *)
Theorem thm_regret_sharpest_game : on_the_event (fun w => forall t last (A : nat -> bool) (dearest s : nat) (least : R), let T := queries (w t) in
  (forall i, (i < N)%nat -> explored_until last T i) -> cheap_cost N qmin quality cost_of second least ->
  cheaper_than qmin quality cost_of A dearest -> out_of_auctions N qmin quality cost_of second g M A T s ->
  payments (fun x => Rabs (x - c2)) (w t) / INR T <=
    n * (cmax - c2) / INR T + exploration_steps last T * (cmax - c2) / INR T + radii_at_target T / INR T + disturbance A dearest s T least / INR T).
Proof.
  on_event w. intros t last A dearest s least T Huntil Hleast HA Hout.
  pose proof (thm_regret_sharpest N delta cmax qmin gamma d_minus d_plus quality cost_of best second _ _ _ g M last T (served (w t))
    A dearest s least Hev Hsecond Huntil Hleast HA Hout (Hrun t)) as H1.
  rewrite (payments_along N delta cmax qmin gamma g profile _ theta w _ t Hw Hbid).
  destruct Hev as (Hm & _). pose proof (second_range N delta cmax qmin gamma d_minus d_plus quality cost_of best second Hm Hsecond).
  rewrite (Rabs_pos_eq (cmax - c2)) by lra. exact H1.
Qed.
End Game.

(* ---- these numbers exist *)
(* Where everybody else is dearer than j or unqualified, the exploration of j ends, at a time that is right for all T. *)
Theorem exploration_ends N delta cmax qmin gamma d_minus d_plus quality cost k alpha M j : (2 <= N)%nat -> 0 < k -> 0 < alpha < 1 ->
  (forall i, (i < N)%nat -> i <> j -> 0 < gap_to cmax gamma d_minus d_plus cost j i \/ quality i < qmin) ->
  exists e, forall last T, last j = e -> explored_until N delta cmax qmin gamma d_minus d_plus quality cost (target N k alpha) M last T j.
Proof.
  intros HN Hk Ha Hall. set (g := target N k alpha). set (a := fun i => exact_inverse N delta (gap_to cmax gamma d_minus d_plus cost j i)).
  assert (Hp : forall t, 0 < g t) by (intros; apply g_pos; assumption).
  assert (Hmono : forall s t, (1 <= s)%nat -> (s <= t)%nat -> g s <= g t) by (intros s t; apply g_mono; assumption).
  pose (cap := fun T i => INR (M i) + INR (a i) + g T).
  destruct (caps_are_outgrown N k alpha j cap (fun i => INR (M i) + INR (a i)) HN Hk Ha) as (e & He); [intros; unfold cap, g; lra|].
  exists e. intros last T <- t Ht Hlate. specialize (He t ltac:(lia)).
  assert (Hsel : over_others N j (fun i => INR (most_selected N delta cmax qmin gamma d_minus d_plus quality cost g M (t - 1) j i)) <= over_others N j (cap t)).
  { apply bsum_le. intros i Hi. destruct (Nat.eq_dec i j) as [|Hne]; [lra|]. unfold cap.
    assert (Hcounts : INR (counts_below (g (t - 1)%nat)) <= g t).
    { rewrite counts_below_most by apply Hp. pose proof (ceiling_below (g (t - 1)%nat)). pose proof (Hmono (t - 1)%nat t ltac:(lia) ltac:(lia)). lra. }
    assert (Hmax : INR (Nat.max (a i) (counts_below (g (t - 1)%nat))) <= INR (a i) + g t).
    { pose proof (pos_INR (a i)). pose proof (Hp t). destruct (le_lt_dec (a i) (counts_below (g (t - 1)%nat))); [rewrite Nat.max_r by lia|rewrite Nat.max_l by lia]; lra. }
    pose proof (pos_INR (M i)). pose proof (pos_INR (a i)). pose proof (Hp t). unfold most_selected, while_eligible. fold (a i).
    destruct (Rlt_dec (quality i) qmin) as [Hq|Hq].
    - set (limit := if Rlt_dec _ _ then _ else _). assert (INR (Nat.min (M i) limit) <= INR (M i)) by (apply le_INR; lia). lra.
    - destruct (Hall i Hi Hne) as [Hgap|]; [|contradiction]. destruct (Rlt_dec _ _) as [_|]; [|contradiction].
      apply Rle_trans with (INR (Nat.max (a i) (counts_below (g (t - 1)%nat)))); [apply le_INR; lia|lra]. }
  assert (Hone : g t <= over_others N j (cap t)).
  { set (i := if Nat.eq_dec j 0 then 1%nat else 0%nat).
    assert (Hi : (i < N)%nat /\ i <> j) by (unfold i; destruct (Nat.eq_dec j 0); lia).
    apply Rle_trans with (cap t i); [unfold cap; pose proof (pos_INR (M i)); pose proof (pos_INR (a i)); lra|].
    apply one_of_others; try apply Hi. intros l _ _. unfold cap. pose proof (pos_INR (M l)). pose proof (pos_INR (a l)). pose proof (Hp t). lra. }
  lra.
Qed.

(* ---- the theorems are not about nothing: GSM8K-full, with delta = 0.05, m0 = 5 and truthful bids *)
Section OnGsm8k.
Notation q := (quality_in gsm8k_full).
Notation c := (cost_in gsm8k_full).
Notation g := (target 9 2 (3 / 4)).
Notation theta := (draws (1024 / 10) q c).
Notation platform := (uniform_platform 9 (5 / 100) (1024 / 10) (764 / 1000) 0 g).
Notation first := (one_by_one theta 9).
Notation explored_until M last T i := (explored_until 9 (5 / 100) (1024 / 10) (764 / 1000) 0 0 0 q c g M last T i).
(* the four that are cheaper than the best; t_i is e for these and for the best, and T for the others *)
Definition cheaper_four (i : nat) : bool := Nat.leb i 3.
Definition last_of_five (e T i : nat) : nat := if Nat.leb i 4 then e else T.
Lemma ends_of_five M : exists e, forall T i, (i < 9)%nat -> explored_until M (last_of_five e T) T i.
Proof.
  assert (H : forall j, (j < 5)%nat -> exists e, forall last T, last j = e -> explored_until M last T j).
  { intros j Hj. apply exploration_ends; try lia; try lra. unfold gap_to, quality_in, cost_in, gsm8k_full. intros i Hi Hne.
    do 5 (destruct j as [|j]; [do 9 (destruct i as [|i];
      [cbn [nth fst snd]; first [exfalso; lia|right; lra|left; apply Rdiv_lt_0_compat; lra]|]); exfalso; lia|]). exfalso. lia. }
  destruct (H 0%nat ltac:(lia)) as (e0 & H0). destruct (H 1%nat ltac:(lia)) as (e1 & H1). destruct (H 2%nat ltac:(lia)) as (e2 & H2).
  destruct (H 3%nat ltac:(lia)) as (e3 & H3). destruct (H 4%nat ltac:(lia)) as (e4 & H4). clear H.
  exists (e0 + e1 + e2 + e3 + e4)%nat. intros T i Hi t Ht Hlate. unfold last_of_five in Hlate.
  destruct (Nat.leb_spec i 4) as [Hle|Hgt]; [|lia].
  do 5 (destruct i as [|i]; [first [apply (H0 (fun _ => e0) T eq_refl); lia|apply (H1 (fun _ => e1) T eq_refl); lia|apply (H2 (fun _ => e2) T eq_refl); lia
    |apply (H3 (fun _ => e3) T eq_refl); lia|apply (H4 (fun _ => e4) T eq_refl); lia]|]). lia.
Qed.
Lemma others_leave (M : nat -> nat) : exists s, forall T, out_of_auctions 9 (764 / 1000) q c 7 g M cheaper_four T s.
Proof.
  set (most := 1 + INR (M 5%nat) + INR (M 6%nat)). pose proof (pos_INR (M 5%nat)). pose proof (pos_INR (M 6%nat)).
  destruct (Rates.eventually_above (Payments.T0 9 2 (3 / 4) most + 1)) as (s & Hs). exists s. intros T t j Ht (Hj & Hq & _) Hno.
  assert (Hlate : most < g t).
  { apply (after_T0 9 (5 / 100) 0 2 (3 / 4) (fun _ => 0) most); try lia; try lra.
    - split; [unfold most; lra|]. intros i _ Hlt. lra.
    - specialize (Hs t ltac:(lia)). lra. }
  unfold quality_in, gsm8k_full in Hq. unfold cheaper_four in Hno. apply Nat.leb_gt in Hno. unfold most in Hlate.
  do 9 (destruct j as [|j]; [cbn [nth fst snd] in Hq; first [exfalso; lia|exfalso; lra|lra]|]). lia.
Qed.
(* GSM8K-full has such dynamics and such numbers, for every T: the exploration of the best and of the four cheaper ones ends, these four
   are counted out by selections, and the two dearer ones by time. *)
Theorem gsm8k_has_sharpest_numbers : exists M e s,
  sharpest_setting 9 (5 / 100) (1024 / 10) (764 / 1000) 0 0 0 g 4 platform theta first sigma_star 5 M 7 (fun _ => mean_cost) /\
  quality theta = q /\ cost_of theta = c /\ cheapest_competitor 9 (764 / 1000) q c 4 7 /\ forall T,
  (forall i, (i < 9)%nat -> explored_until M (last_of_five e T) T i) /\
  falls_short 9 (5 / 100) (1024 / 10) (764 / 1000) 0 0 0 q c 4 7 g M T 0 (rival_radius 9 (5 / 100) 5) 0 /\
  cheap_cost 9 (764 / 1000) q c 7 (c 0%nat) /\ cheaper_than (764 / 1000) q c cheaper_four 3 /\
  out_of_auctions 9 (764 / 1000) q c 7 g M cheaper_four T s.
Proof.
  destruct (dynamics_of_any_market 9 (5 / 100) (1024 / 10) (764 / 1000) 0 g q c ltac:(lia) ltac:(lra) gsm8k_in_range) as (Hdyn & Eq & Ec).
  assert (Hm : market 9 (5 / 100) (1024 / 10) (764 / 1000) 0 0 0 (quality theta) (cost_of theta) 4) by (rewrite Eq, Ec; apply gsm8k_is_a_market; lra).
  destruct (sharpest_settings_exist 9 (5 / 100) (1024 / 10) (764 / 1000) g 4 platform theta first 7 Hm Hdyn ltac:(lia)) as (M & HM).
  destruct (ends_of_five M) as (e & He). destruct (others_leave M) as (s & Hs). exists M, e, s.
  split; [apply HM; [lia|exact beta_at_five]|]. split; [exact Eq|]. split; [exact Ec|]. split; [|intros T; split; [apply He|split; [|split; [|split; [|apply Hs]]]]].
  - unfold cheapest_competitor, quality_in, cost_in, gsm8k_full. split; [lia|]. split; [cbn [nth fst snd]; lra|]. split; [lia|]. intros j Hj Hq Hne.
    do 9 (destruct j as [|j]; [cbn [nth fst snd] in *; lra || contradiction|]). lia.
  - intros m _ _. apply Rmax_l.
  - unfold cheap_cost, cheap, quality_in, cost_in, gsm8k_full. split; [cbn [nth fst snd]; lra|]. intros j (Hj & _).
    do 9 (destruct j as [|j]; [cbn [nth fst snd]; lra|]). lia.
  - unfold cheaper_than, quality_in, cost_in, gsm8k_full, cheaper_four. intros j Hj. apply Nat.leb_le in Hj.
    do 4 (destruct j as [|j]; [cbn [nth fst snd]; lra|]). lia.
Qed.
(* And runs of every length, with estimates that are the means and bids at the mean costs. *)
Theorem gsm8k_has_sharpest_runs : exists M, forall T, (9 <= T)%nat -> exists h,
  on_sharpest_event 9 (5 / 100) (1024 / 10) (764 / 1000) 0 0 0 q c 4 (the_estimates q) (the_estimates c) (the_bids c) g M /\
  run_until 9 (5 / 100) (1024 / 10) (764 / 1000) 0 (the_estimates q) (the_bids c) g T h /\
  cost_stays_below 9 (5 / 100) (1024 / 10) 0 c (the_estimates c) 7 (rival_radius 9 (5 / 100) 5).
Proof.
  destruct gsm8k_has_sharpest_numbers as (M & _ & _ & (_ & _ & (_ & _ & HM) & _) & Eq & _ & _). exists M. intros T HT.
  destruct (runs_exist 9 (5 / 100) (1024 / 10) (764 / 1000) 0 (the_estimates q) (the_bids c) g ltac:(lia) (T - 9)) as (h & Hr & Hl).
  exists h. split; [|split; [split; [exact Hr|lia]|]].
  - split; [apply gsm8k_is_a_market; lra|]. split; [apply a_good_event; lra|].
    split; [apply bids_that_follow; try lra; intros i; apply gsm8k_in_range|]. split; [intros s t; apply g_mono; try lia; lra|].
    rewrite Eq in HM. intros i Hi Hq. destruct (HM i Hi Hq) as (_ & H & _). exists (S (M i)). split; [lia|]. unfold bt, the_estimates. lra.
  - intros m Hm. assert (0 <= bt 9 (5 / 100) m) by apply sqrt_pos. unfold the_estimates.
    assert (0 <= rival_radius 9 (5 / 100) 5 m) by (unfold rival_radius; destruct (lt_dec 1 5); [apply Rmin_glb; [assumption|apply stitched_radius_nonneg]|assumption]).
    assert (0 <= 1024 / 10 * (rival_radius 9 (5 / 100) 5 m + 0 * bt 9 (5 / 100) m)) by (apply Rmult_le_pos; lra). lra.
Qed.
End OnGsm8k.
