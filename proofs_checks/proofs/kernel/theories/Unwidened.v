(* Appendix B without widening: estimates are within gamma radii of the sample means, and the rules have the radius of the paper, not
   widened (`run` with gamma = 0). Payments converge still, and competitors stop winning. BuiltRuns.v shows what fails. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements Findings Limits AnyRadius
  Sharp.
Import ListNotations.
Open Scope R_scope.

(* ---- one auction: bids within (1 + gamma) radii of the mean costs, radii at most r *)
Section OneAuction.
Variables (Qh Q : list nat) (rho b cost : nat -> R) (cmax gamma c2 r : R) (best s : nat).
Hypothesis rho_range : forall j, In j Qh -> 0 <= rho j <= r.
Hypothesis Hga : 0 <= gamma.
Hypothesis Hb : forall j, In j Qh -> Rabs (b j - cost j) <= (1 + gamma) * rho j.
Hypothesis Hset : forall j, In j Qh <-> In j Q.
Hypothesis Hbest : In best Q /\ forall j, In j Q -> j <> best -> cost best < cost j.
Hypothesis Hc2 : minl cost (filter (fun j => negb (Nat.eqb j best)) Q) = Some c2.
Hypothesis Hc2max : c2 <= cmax.
Hypothesis Hsel : selected Qh rho b s.
Lemma unwidened_adjusted_bid j : In j Qh -> cost j - (2 + gamma) * r <= adj rho b j <= cost j + gamma * r.
Proof.
  intros Hj. specialize (rho_range j Hj). specialize (Hb j Hj). apply Rabs_le_inv in Hb. unfold adj. nra.
Qed.
Lemma unwidened_auction : c2 - (2 + gamma) * r <= pay Qh rho cmax b s <= c2 + (1 + gamma) * r.
Proof.
  assert (Hs : In s Qh) by apply Hsel. pose proof (rho_range s Hs) as Hrs.
  destruct (comp_exists Qh rho cmax Q b cost 0 0 c2 best s (conj (Rle_refl 0) (Rle_refl 0)) Hbest Hc2 Hc2max Hsel) as (j & Hj & Hjs & Hjc).
  apply Hset in Hj. split.
  - unfold pay. pose proof (selection_threshold_lose Qh rho b s s Hsel) as Hl. unfold crit in *.
    destruct (minl (adj rho b) (others Qh s)) as [v|] eqn:E; [|nra]. simpl in Hl.
    apply Rmin_glb; [|nra]. destruct (Nat.eq_dec s best) as [->|Hne].
    + destruct (minl_att _ _ _ E) as (l & Hlin & ->). apply in_others in Hlin. destruct Hlin as [Hlin Hlne].
      pose proof (unwidened_adjusted_bid l Hlin).
      assert (c2 <= cost l).
      { apply (minl_lb _ _ _ Hc2). rewrite filter_In, Bool.negb_true_iff, Nat.eqb_neq. split; [apply Hset; exact Hlin|exact Hlne]. }
      lra.
    + assert (Hbs : b s <= rho s + v).
      { destruct (Rle_lt_dec (b s) (rho s + v)); [assumption|]. exfalso. apply Hl; [assumption|reflexivity]. }
      assert (c2 <= cost s).
      { apply (minl_lb _ _ _ Hc2). rewrite filter_In, Bool.negb_true_iff, Nat.eqb_neq. split; [apply Hset; exact Hs|exact Hne]. }
      pose proof (Hb s Hs) as H1. apply Rabs_le_inv in H1. nra.
  - unfold pay, crit. assert (Ho : In j (others Qh s)) by (apply in_others; auto).
    destruct (minl (adj rho b) (others Qh s)) as [v|] eqn:E; [|apply minl_none in E; rewrite E in Ho; destruct Ho].
    pose proof (minl_lb _ _ _ E j Ho). pose proof (unwidened_adjusted_bid j Hj).
    eapply Rle_trans; [apply Rmin_l|]. lra.
Qed.
Lemma unwidened_winner : (forall j, In j Q -> j <> best -> 2 * (1 + gamma) * r < cost j - cost best) -> s = best.
Proof.
  intros Hgap. destruct (Nat.eq_dec s best) as [|Hne]; [assumption|exfalso]. destruct Hsel as [Hs Hmin].
  pose proof (Hgap s (proj1 (Hset s) Hs) Hne). specialize (Hmin best (proj2 (Hset best) (proj1 Hbest))).
  pose proof (unwidened_adjusted_bid s Hs). pose proof (unwidened_adjusted_bid best (proj2 (Hset best) (proj1 Hbest))). lra.
Qed.
End OneAuction.

Section Unwidened.
Variables (N : nat) (delta cmax qmin gamma k alpha : R) (quality cost : nat -> R) (best : nat) (c2 : R).
(* bid i n: what i bids after n selections, its estimate *)
Variables (quality_estimate sample_mean estimate : nat -> nat -> R).
Notation n := (INR N).
Notation g := (target N k alpha).
Notation bid := (fun h i => estimate i (m h i)).
Notation run := (run N delta cmax qmin 0 quality_estimate bid g).
Notation step := (step N delta cmax qmin 0 quality_estimate bid g).
Notation explores := (explores N delta qmin quality_estimate g).
Notation payment := (payment N delta cmax qmin 0 quality_estimate bid g).
Notation eligible_set := (Qh N delta qmin quality_estimate).
Notation market := (market N delta cmax qmin gamma 0 0 quality cost best).
Notation gap i := (cost i - cost best).
Notation T0 := (Limits.T0 N delta qmin k alpha quality).
Notation m_star a := (INR (exact_inverse N delta a)).
(* E, and estimates within gamma radii of the sample means *)
Definition within_gamma_radii : Prop :=
  Statements.good_event N delta cmax 0 quality cost quality_estimate sample_mean /\
  (forall i count, (i < N)%nat -> (1 <= count)%nat -> Rabs (estimate i count - sample_mean i count) <= gamma * cmax * bt N delta count).
Hypothesis Hm : market.
Hypothesis Hk : 0 < k.
Hypothesis Ha : 0 < alpha < 1.
Hypothesis Hwithin : within_gamma_radii.
Ltac opened := pose proof Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest); pose proof Hwithin as ((Hquality & Hcost) & Hnear).
Lemma estimate_near i count : (i < N)%nat -> (1 <= count)%nat ->
  Rabs (estimate i count - cost i) <= (1 + gamma) * (cmax * bt N delta count).
Proof.
  opened. intros Hi Hn. specialize (Hcost i count Hi Hn). specialize (Hnear i count Hi Hn). unfold rad in Hcost.
  apply Rabs_le_inv in Hcost. apply Rabs_le_inv in Hnear. apply Rabs_le. lra.
Qed.
Lemma auction_counts_here h j : ~ explores h -> In j (eligible_set h) -> g (now N h) <= INR (m h j).
Proof. intros Hn Hj. destruct (Rle_lt_dec (g (now N h)) (INR (m h j))); [assumption|]. exfalso. apply Hn. exists j. auto. Qed.
Lemma auction_selected h s : step h s -> ~ explores h -> selected (eligible_set h) (radii N delta cmax 0 h) (bid h) s.
Proof.
  opened. intros Hs Hn. exact (ordinary_selected N delta cmax qmin 0 quality cost best quality_estimate estimate
    (fun h i => estimate i (m h i)) g HN Hbest Hquality h s Hs Hn).
Qed.
Lemma late_eligible_are_qualified h : ~ explores h -> T0 < INR (now N h) -> 1 <= g (now N h) /\
  forall j, In j (eligible_set h) <-> In j (qualified N qmin quality).
Proof.
  opened. intros Hn Ht. unfold Limits.T0 in Ht.
  assert (HM : 1 <= largest_elimination N delta qmin quality /\
    (forall i, (i < N)%nat -> quality i < qmin -> Runs.M N delta (qmin - quality i) <= largest_elimination N delta qmin quality)).
  { split; [apply Rmax_l|]. intros i Hi Hq. unfold largest_elimination. eapply Rle_trans; [|apply Rmax_r].
    apply (largest_over_above (unqualified N qmin quality) (fun i => Runs.M N delta (qmin - quality i))).
    unfold unqualified. rewrite filter_In, in_seq. split; [lia|]. destruct (Rlt_dec _ _); [reflexivity|contradiction]. }
  destruct (after_T0 N delta qmin k alpha quality (largest_elimination N delta qmin quality) HN Hd Hk Ha HM (now N h) Ht) as [_ Hg].
  split; [lra|]. intros j. unfold qualified. rewrite filter_In, in_seq. split.
  - intros Hj. pose proof (auction_counts_here h j Hn Hj) as Hcount. apply in_Qh_iff in Hj. destruct Hj as [HjN Hj].
    split; [lia|]. destruct (Rle_dec qmin (quality j)) as [|Hno]; [reflexivity|exfalso].
    pose proof (Hquality j (m h j) HjN ltac:(unfold m; lia)) as H. apply Rabs_le_inv in H.
    pose proof (M_above_strict N delta (m h j) (qmin - quality j) ltac:(lia) Hd ltac:(unfold m; lia) ltac:(lra) ltac:(lra)) as H1.
    pose proof (proj2 HM j HjN ltac:(lra)). rewrite S_INR in H1. lra.
  - intros [HjN Hj]. apply in_Qh_iff. split; [lia|]. destruct (Rle_dec qmin (quality j)) as [Hq|]; [|discriminate].
    pose proof (Hquality j (m h j) ltac:(lia) ltac:(unfold m; lia)) as H. apply Rabs_le_inv in H. lra.
Qed.
Lemma in_qualified j : In j (qualified N qmin quality) <-> (j < N)%nat /\ qmin <= quality j.
Proof.
  unfold qualified. rewrite filter_In, in_seq. destruct (Rle_dec qmin (quality j)); intuition (try lia; try discriminate; try contradiction).
Qed.
(* With estimates within gamma radii of sample means on the good event, and no widening, an auction after T_0 pays at least c_(2) less
   2 + gamma radii at g(t), and at most c_(2) and 1 + gamma radii; it goes to i* once 2 (1 + gamma) radii are below every gap. *)
Theorem claim_widening_necessary_repaired h s : second_lowest N qmin quality cost best c2 -> run h -> step h s -> ~ explores h -> T0 < INR (now N h) ->
  let r := cmax * beta n delta (g (now N h)) in
  c2 - (2 + gamma) * r <= payment h s <= c2 + (1 + gamma) * r /\
  ((forall j, (j < N)%nat -> qmin <= quality j -> j <> best -> 2 * (1 + gamma) * r < gap j) -> s = best).
Proof.
  intros (Q & HQ & H2) Hr Hs Hn Ht. cbv zeta. destruct (late_eligible_are_qualified h Hn Ht) as [Hg1 Hset].
  pose proof (auction_selected h s Hs Hn) as Hsel. opened.
  assert (HsetQ : forall j, In j (eligible_set h) <-> In j Q) by (intros j; rewrite Hset, HQ; apply in_qualified).
  assert (Hrho : forall j, In j (eligible_set h) -> 0 <= radii N delta cmax 0 h j <= cmax * beta n delta (g (now N h))).
  { intros j Hj. unfold radii, rad, bt. split.
    - apply Rmult_le_pos; [lra|apply sqrt_pos].
    - rewrite Rplus_0_r, Rmult_1_l. apply Rmult_le_compat_l; [lra|].
      apply radius_monotone; [apply (le_INR 2); exact HN|exact Hd|exact Hg1|apply auction_counts_here; assumption]. }
  assert (Hb : forall j, In j (eligible_set h) -> Rabs (bid h j - cost j) <= (1 + gamma) * radii N delta cmax 0 h j).
  { intros j Hj. apply in_Qh_iff in Hj. pose proof (estimate_near j (m h j) (proj1 Hj) ltac:(unfold m; lia)) as H.
    unfold radii, rad. replace ((1 + 0) * cmax * bt N delta (m h j)) with (cmax * bt N delta (m h j)) by ring. exact H. }
  assert (HbestQ : In best Q /\ forall j, In j Q -> j <> best -> cost best < cost j).
  { split; [apply HQ; tauto|]. intros j Hj. apply HQ in Hj. apply Hbest; tauto. }
  assert (Hc2max : c2 <= cmax).
  { destruct (minl_att _ _ _ H2) as (j & Hj & ->). rewrite filter_In in Hj. destruct Hj as [Hj _]. apply HQ in Hj. apply Hrange; tauto. }
  assert (Epay : payment h s = pay (eligible_set h) (radii N delta cmax 0 h) cmax (bid h) s).
  { unfold Runs.payment. destruct (explores_dec _ _ _ _ _ _); [contradiction|].
    destruct (eligible_set h) eqn:E; [destruct (proj1 Hsel)|reflexivity]. }
  split.
  - rewrite Epay. eapply unwidened_auction; eauto.
  - intros Hgap. eapply (unwidened_winner (eligible_set h) Q (radii N delta cmax 0 h) (bid h) cost); eauto.
    intros j Hj Hne. apply HQ in Hj. apply Hgap; tauto.
Qed.

(* how many auctions i has won, and the last step at which it may *)
Definition wins h i : nat := times_if (fun t => if explores_dec N delta qmin quality_estimate g t then false else true) h i.
Notation stop i := (n * Rpower (m_star (gap i / ((1 + gamma) * cmax)) / k) (1 / alpha)).
(* Without widening, a competitor i wins auctions only while g(t) <= m*(Delta_i/((1 + gamma) c_max)), that is up to t =
   N (m*(Delta_i/((1 + gamma) c_max))/k)^(1/alpha); so it wins at most that many less N, whatever T. *)
Theorem claim_own_unwidened_wins_stop h i : run h -> (i < N)%nat -> qmin <= quality i -> i <> best ->
  (step h i -> ~ explores h -> g (now N h) <= m_star (gap i / ((1 + gamma) * cmax)) /\ INR (now N h) <= stop i) /\
  INR (wins h i) <= Rmax 0 (stop i - n).
Proof.
  intros Hr Hi Hq Hne. opened. assert (HN2 : 2 <= n) by (apply (le_INR 2); exact HN).
  assert (Hgap : 0 < gap i) by (pose proof (proj2 (proj2 Hbest) i Hi Hq Hne); lra).
  assert (Hp : 0 < (1 + gamma) * cmax) by nra. set (a := gap i / ((1 + gamma) * cmax)) in *.
  assert (Ha0 : 0 < a) by (apply Rdiv_lt_0_compat; lra).
  assert (Hwin : forall t, step t i -> ~ explores t -> g (now N t) <= m_star a /\ INR (now N t) <= stop i).
  { intros t Hs Hn. pose proof (auction_selected t i Hs Hn) as [Hin Hmin].
    assert (HinB : In best (eligible_set t)).
    { apply in_Qh_iff. split; [apply Hbest|]. pose proof (Hquality best (m t best) (proj1 Hbest) ltac:(unfold m; lia)) as H. apply Rabs_le_inv in H.
      pose proof (proj1 (proj2 Hbest)). lra. }
    specialize (Hmin best HinB). unfold adj, radii, rad in Hmin.
    pose proof (estimate_near i (m t i) Hi ltac:(unfold m; lia)) as H1. apply Rabs_le_inv in H1.
    pose proof (estimate_near best (m t best) (proj1 Hbest) ltac:(unfold m; lia)) as H2. apply Rabs_le_inv in H2.
    set (least := Nat.min (m t i) (m t best)).
    assert (Hmono : forall x, (least <= x)%nat -> bt N delta x <= bt N delta least).
    { intros x Hx. apply radius_monotone; [exact HN2|exact Hd| |apply le_INR; exact Hx].
      apply (le_INR 1). unfold least, m. lia. }
    pose proof (Hmono (m t i) ltac:(unfold least; lia)) as B1. pose proof (Hmono (m t best) ltac:(unfold least; lia)) as B2.
    assert (Hle : a <= 2 * bt N delta least).
    { unfold a. apply Rmult_le_reg_r with ((1 + gamma) * cmax); [exact Hp|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
      assert (G1 : gap i <= (2 + gamma) * (cmax * bt N delta (m t i)) + gamma * (cmax * bt N delta (m t best))) by lra.
      assert (G2 : (2 + gamma) * (cmax * bt N delta (m t i)) <= (2 + gamma) * (cmax * bt N delta least)) by (apply Rmult_le_compat_l; nra).
      assert (G3 : gamma * (cmax * bt N delta (m t best)) <= gamma * (cmax * bt N delta least)) by (apply Rmult_le_compat_l; nra).
      nra. }
    destruct (exact_inverse_is_largest N delta a ltac:(lia) Hd Ha0) as [_ Hlargest].
    specialize (Hlargest least ltac:(unfold least, m; lia) Hle). apply le_INR in Hlargest.
    assert (Hg : g (now N t) <= m_star a).
    { eapply Rle_trans; [|exact Hlargest]. unfold least.
      destruct (Nat.min_dec (m t i) (m t best)) as [->| ->]; apply auction_counts_here; assumption. }
    split; [exact Hg|]. assert (Hnow : 0 < INR (now N t)) by (apply lt_0_INR; unfold now; lia).
    assert (Hb : Rpower (INR (now N t) / n) alpha <= m_star a / k).
    { apply Rmult_le_reg_r with k; [exact Hk|]. unfold target in Hg. unfold Rdiv at 2. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    assert (Hx : INR (now N t) / n <= Rpower (m_star a / k) (1 / alpha)).
    { assert (Hpos : 0 < INR (now N t) / n) by (apply Rdiv_lt_0_compat; lra).
      rewrite <- (Rpower_1 (INR (now N t) / n)) at 1 by exact Hpos. replace 1 with (alpha * (1 / alpha)) at 1 by (field; lra).
      rewrite <- Rpower_mult. apply Rle_Rpower_l; [apply Rlt_le, Rdiv_lt_0_compat; lra|]. split; [apply exp_pos|exact Hb]. }
    apply Rmult_le_compat_l with (r := n) in Hx; [|lra]. replace (n * (INR (now N t) / n)) with (INR (now N t)) in Hx by (field; lra). exact Hx. }
  split; [intros Hs Hn; apply Hwin; assumption|].
  induction Hr as [|h s Hr IH Hs]; [simpl; apply Rmax_l|]. unfold wins in *. cbn [times_if].
  destruct (Nat.eq_dec s i) as [->|Hsi]; [|exact IH]. destruct (explores_dec _ _ _ _ _ _) as [Hx|Hn]; [exact IH|].
  destruct (Hwin h Hs Hn) as [_ Hnow]. unfold now in Hnow. rewrite !plus_INR in Hnow. change (INR 1) with 1 in Hnow.
  eapply Rle_trans; [|apply Rmax_r]. rewrite plus_INR. change (INR 1) with 1.
  assert (Hlen : INR (times_if (fun t => if explores_dec N delta qmin quality_estimate g t then false else true) h i) <= INR (length h)).
  { apply le_INR. eapply Nat.le_trans; [apply times_if_le|]. unfold times. apply count_occ_bound. }
  fold a in Hnow. lra.
Qed.
End Unwidened.
