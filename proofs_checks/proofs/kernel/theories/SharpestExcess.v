(* thm:excess-payment-general:sharpest: what each query is paid above c_(2), count by count. The event has one more part than that of
   SingleTime.v: the estimates of the competitor of cost c_(2) are not above it by more than a radius of its own, `above`. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements Findings Limits AnyRadius Sharp
  Sharpest.
Import ListNotations.
Open Scope R_scope.

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

Section Excess.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus : R) (quality cost : nat -> R) (best second : nat).
Variables (quality_estimate cost_estimate : nat -> nat -> R) (bid : list nat -> nat -> R) (g : nat -> R).
Notation run := (run N delta cmax qmin gamma quality_estimate bid g).
Notation step := (step N delta cmax qmin gamma quality_estimate bid g).
Notation explores := (explores N delta qmin quality_estimate g).
Notation payment := (payment N delta cmax qmin gamma quality_estimate bid g).
Notation eligible_set := (Qh N delta qmin quality_estimate).
Notation market := (market N delta cmax qmin gamma d_minus d_plus quality cost best).
Notation good_event := (Statements.good_event N delta cmax gamma quality cost quality_estimate cost_estimate).
Notation bids_follow := (bids_follow N delta cmax qmin gamma d_minus d_plus quality_estimate cost_estimate bid g).
Notation horizon h := (N + length h)%nat.
Notation rad := (rad N delta cmax gamma).
(* the competitor of cost c_(2) *)
Notation c2 := (cost second).
Hypothesis Hm : market.
Hypothesis He : good_event.
Hypothesis Hb : bids_follow.
Hypothesis Hg : never_falls g.
Hypothesis Hsecond : (second < N)%nat /\ qmin <= quality second /\ second <> best /\
  forall j, (j < N)%nat -> qmin <= quality j -> j <> best -> c2 <= cost j.
(* its estimates are not above c_(2) by more than this *)
Variable above : nat -> R.
Hypothesis Habove : forall count, (1 <= count)%nat -> cost_estimate second count - c2 <= above count.
(* T: the horizon. X i, A i: the counts at which i is explored, or wins, until T, at most; cap i of them in all. shortfall count: by how
   much the rival of the best falls short of c_(2), where the best wins at that count *)
Variables (T : nat) (X A cap : nat -> nat) (shortfall : nat -> R).
Hypothesis HX : forall t i, run t -> step t i -> (now N t <= T)%nat -> explores t -> (m t i <= X i)%nat.
Hypothesis HA : forall t i, run t -> step t i -> (now N t <= T)%nat -> ~ explores t -> i <> best -> (m t i <= A i)%nat.
Hypothesis Hcap : forall h i, run h -> (horizon h <= T)%nat -> (i < N)%nat -> (times h i <= cap i)%nat.
Hypothesis Hshort : forall count others, g (N + count)%nat <= INR others -> (1 <= others <= S (cap second))%nat ->
  shortfall count <= rad others - above others.
Definition saved i count : R := if Nat.eq_dec i best then shortfall count else c2 - cost best.
Definition excess_of i count : R :=
  if le_dec count (X i) then cmax - c2
  else if Nat.eq_dec i best then Rmin (cmax - c2) (Rmax 0 (rad count + d_plus - saved i count))
  else if le_dec count (A i) then Rmin (cmax - c2) (Rmax 0 (rad count + d_plus - saved i count)) else 0.
Lemma second_range : 0 <= c2 <= cmax.
Proof. apply (cost_range _ _ _ _ _ _ _ _ _ _ Hm). apply Hsecond. Qed.
Lemma excess_nonneg i count : 0 <= excess_of i count.
Proof.
  pose proof second_range. unfold excess_of. destruct (le_dec _ _); [lra|]. pose proof (Rmax_l 0 (rad count + d_plus - saved i count)).
  destruct (Nat.eq_dec _ _); [apply Rmin_glb; lra|]. destruct (le_dec _ _); [apply Rmin_glb; lra|lra].
Qed.
(* price-of-another-winner and price-of-the-optimal-winner *)
Lemma auction_price t s : run t -> step t s -> ~ explores t -> (now N t <= T)%nat ->
  payment t s <= c2 + rad (m t s) + d_plus - saved s (m t s) /\ payment t s <= cmax.
Proof.
  intros Hr Hs Hn HT. pose proof (bids_are_near _ _ _ _ _ _ _ _ _ _ _ Hb) as Hnear.
  pose proof Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest). pose proof He as (Hquality & Hcost).
  assert (Hsel : selected (eligible_set t) (radii N delta cmax gamma t) (bid t) s) by (eapply ordinary_selected; eauto).
  assert (Epay : payment t s = pay (eligible_set t) (radii N delta cmax gamma t) cmax (bid t) s).
  { unfold Runs.payment. destruct (explores_dec _ _ _ _ _ _); [contradiction|]. destruct (eligible_set t) eqn:E; [destruct (proj1 Hsel)|reflexivity]. }
  assert (Helig : forall j, (j < N)%nat -> qmin <= quality j -> In j (eligible_set t)).
  { intros j Hj Hq. apply in_Qh_iff. split; [exact Hj|]. pose proof (Hquality j (m t j) Hj ltac:(unfold m; lia)) as H. apply Rabs_le_inv in H. lra. }
  assert (Hrival : forall j x, In j (eligible_set t) -> j <> s -> bid t j - rad (m t j) <= x -> payment t s <= rad (m t s) + x /\ payment t s <= cmax).
  { intros j x Hj Hjs Hx. rewrite Epay. unfold pay, crit. assert (Ho : In j (others (eligible_set t) s)) by (apply in_others; auto).
    destruct (minl (adj (radii N delta cmax gamma t) (bid t)) (others (eligible_set t) s)) as [v|] eqn:E; [|apply minl_none in E; rewrite E in Ho; destruct Ho].
    pose proof (minl_lb _ _ _ E j Ho) as Hv. unfold adj, radii in Hv. split; [|apply Rmin_r]. eapply Rle_trans; [apply Rmin_l|]. unfold radii. lra. }
  unfold saved. destruct (Nat.eq_dec s best) as [->|Hne].
  - destruct Hsecond as (H2N & H2q & H2ne & _). pose proof (Helig second H2N H2q) as Hin.
    assert (Hm2 : (1 <= m t second)%nat) by (unfold m; lia). pose proof (Habove (m t second) Hm2) as Hab. pose proof (Hnear t second Hr H2N) as Hbid.
    assert (Hcount : g (now N t) <= INR (m t second)) by (destruct (Rle_lt_dec (g (now N t)) (INR (m t second))); [assumption|exfalso; apply Hn; exists second; auto]).
    assert (Hsh : shortfall (m t best) <= rad (m t second) - above (m t second)).
    { apply Hshort.
      - eapply Rle_trans; [|exact Hcount]. apply Hg; [unfold m; lia|]. unfold now, m, times. pose proof (count_occ_bound Nat.eq_dec best t). lia.
      - split; [exact Hm2|]. unfold m. assert (times t second <= cap second)%nat by (apply Hcap; auto; unfold now in HT; lia). lia. }
    destruct (Hrival second (c2 + d_plus - shortfall (m t best)) Hin H2ne ltac:(lra)) as [H1 H1']. split; [lra|exact H1'].
  - pose proof (Helig best (proj1 Hbest) (proj1 (proj2 Hbest))) as Hin. pose proof (Hnear t best Hr (proj1 Hbest)) as Hbid.
    pose proof (Hcost best (m t best) (proj1 Hbest) ltac:(unfold m; lia)) as H1. apply Rabs_le_inv in H1.
    destruct (Hrival best (cost best + d_plus) Hin ltac:(auto) ltac:(lra)) as [H2' H2'']. split; [lra|exact H2''].
Qed.
(* What each query is paid above c_(2), added up: initialization, the explorations, and at auctions the radii of i*
   beyond the shortfall of its rival and those of others while they can win; and the same without exploration. *)
Theorem thm_excess_payment_general_sharpest h : run h -> (horizon h <= T)%nat ->
  run_excess_payment N delta cmax qmin gamma quality_estimate bid g c2 h <=
    INR N * (cmax - c2) + bsum N (fun i => bsum (cap i) (fun l => excess_of i (S l))).
Proof.
  intros Hr HT. pose proof second_range as Hc2. unfold run_excess_payment. apply Rplus_le_compat_l.
  apply Rle_trans with (total (fun t s => excess_of s (m t s)) h).
  - eapply total_along; [exact Hr|exact HT|]. intros t s Ht Hs HnT.
    destruct (explores_dec N delta qmin quality_estimate g t) as [Hx|Hn] eqn:E.
    + assert (Ep : payment t s = cmax) by (unfold Runs.payment; rewrite E; reflexivity). rewrite Ep.
      pose proof (HX t s Ht Hs HnT Hx). unfold excess_of. destruct (le_dec (m t s) (X s)); [apply Rmax_lub; lra|contradiction].
    + destruct (auction_price t s Ht Hs Hn HnT) as [H1 H3]. pose proof (HA t s Ht Hs HnT Hn) as HAs. unfold excess_of.
      destruct (le_dec (m t s) (X s)); [apply Rmax_lub; lra|].
      assert (Hclip : Rmax 0 (payment t s - c2) <= Rmin (cmax - c2) (Rmax 0 (rad (m t s) + d_plus - saved s (m t s)))).
      { apply Rmin_glb; [apply Rmax_lub; lra|]. apply Rmax_lub; [apply Rmax_l|]. eapply Rle_trans; [|apply Rmax_r]. lra. }
      destruct (Nat.eq_dec s best) as [|Hne]; [exact Hclip|]. destruct (le_dec (m t s) (A s)); [exact Hclip|exfalso; auto].
  - rewrite (by_provider_and_count N excess_of) by (eapply run_lt; eauto). apply bsum_le. intros i Hi.
    apply bsum_longer; [apply Hcap; auto|]. intros l. apply excess_nonneg.
Qed.
(* the same without exploration: what auctions alone are paid above c_(2) *)
Definition auction_excess_of i count : R :=
  if Nat.eq_dec i best then Rmin (cmax - c2) (Rmax 0 (rad count + d_plus - saved i count))
  else if le_dec count (A i) then Rmin (cmax - c2) (Rmax 0 (rad count + d_plus - saved i count)) else 0.
Theorem excess_of_auctions_sharpest h : run h -> (horizon h <= T)%nat ->
  total (fun t s => (1 - explored N delta qmin quality_estimate g t) * Rmax 0 (payment t s - c2)) h
    <= bsum N (fun i => bsum (cap i) (fun l => auction_excess_of i (S l))).
Proof.
  intros Hr HT. pose proof second_range as Hc2.
  assert (Hnn : forall i count, 0 <= auction_excess_of i count).
  { intros i count. unfold auction_excess_of. pose proof (Rmax_l 0 (rad count + d_plus - saved i count)).
    destruct (Nat.eq_dec _ _); [apply Rmin_glb; lra|]. destruct (le_dec _ _); [apply Rmin_glb; lra|lra]. }
  apply Rle_trans with (total (fun t s => auction_excess_of s (m t s)) h).
  - eapply total_along; [exact Hr|exact HT|]. intros t s Ht Hs HnT. unfold explored.
    destruct (explores_dec N delta qmin quality_estimate g t) as [Hx|Hn]; [rewrite Rminus_eq_0, Rmult_0_l; apply Hnn|].
    rewrite Rminus_0_r, Rmult_1_l. destruct (auction_price t s Ht Hs Hn HnT) as [H1 H3]. pose proof (HA t s Ht Hs HnT Hn) as HAs.
    assert (Hclip : Rmax 0 (payment t s - c2) <= Rmin (cmax - c2) (Rmax 0 (rad (m t s) + d_plus - saved s (m t s)))).
    { apply Rmin_glb; [apply Rmax_lub; lra|]. apply Rmax_lub; [apply Rmax_l|]. eapply Rle_trans; [|apply Rmax_r]. lra. }
    unfold auction_excess_of. destruct (Nat.eq_dec s best) as [|Hne]; [exact Hclip|]. destruct (le_dec (m t s) (A s)); [exact Hclip|exfalso; auto].
  - rewrite (by_provider_and_count N auction_excess_of) by (eapply run_lt; eauto). apply bsum_le. intros i Hi.
    apply bsum_longer; [apply Hcap; auto|]. intros l. apply Hnn.
Qed.
End Excess.

(* the counts, from the caps of Sharpest.v: X from exploration until T, A from the exact inverse of the cost gap or the elimination at
   one count, and in all the larger of the two; the best provider may have all T - N *)
Section FromCaps.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus : R) (quality cost : nat -> R) (best second : nat).
Variables (quality_estimate cost_estimate : nat -> nat -> R) (bid : list nat -> nat -> R) (g : nat -> R).
Variables (M : nat -> nat) (above : nat -> R) (T : nat) (X A : nat -> nat) (shortfall : nat -> R).
Notation run := (run N delta cmax qmin gamma quality_estimate bid g).
Definition cap_of_counts i : nat := if Nat.eq_dec i best then (T - N)%nat else Nat.max (X i) (A i).
Theorem excess_payment_from_caps h :
  market N delta cmax qmin gamma d_minus d_plus quality cost best ->
  Statements.good_event N delta cmax gamma quality cost quality_estimate cost_estimate ->
  bids_follow N delta cmax qmin gamma d_minus d_plus quality_estimate cost_estimate bid g -> never_falls g ->
  excluded_at_one_count N delta qmin quality quality_estimate M ->
  ((second < N)%nat /\ qmin <= quality second /\ second <> best /\
    forall j, (j < N)%nat -> qmin <= quality j -> j <> best -> cost second <= cost j) ->
  (forall count, (1 <= count)%nat -> cost_estimate second count - cost second <= above count) ->
  (forall i, (i < N)%nat -> ceiling (g T) - 1 <= INR (X i)) ->
  (forall i, (i < N)%nat -> i <> best ->
    (0 < relative_gap cmax gamma d_minus d_plus cost best i /\ (exact_inverse N delta (relative_gap cmax gamma d_minus d_plus cost best i) <= A i)%nat) \/
    (quality i < qmin /\ (M i <= A i)%nat)) ->
  (forall count others, g (N + count)%nat <= INR others -> (1 <= others <= S (cap_of_counts second))%nat ->
    shortfall count <= rad N delta cmax gamma others - above others) ->
  run h -> (N + length h <= T)%nat ->
  run_excess_payment N delta cmax qmin gamma quality_estimate bid g (cost second) h <=
    INR N * (cmax - cost second)
    + bsum N (fun i => bsum (cap_of_counts i) (fun l => excess_of N delta cmax gamma d_plus cost best second X A shortfall i (S l))).
Proof.
  intros Hm He Hb Hg Hex Hsecond Habove HX HA Hshort Hr HT.
  assert (HXs : forall t i, run t -> step N delta cmax qmin gamma quality_estimate bid g t i -> (now N t <= T)%nat ->
    explores N delta qmin quality_estimate g t -> (m t i <= X i)%nat).
  { intros t i _ Hs HnT Hx. apply INR_le. eapply Rle_trans; [apply (explored_step_below N delta cmax qmin gamma quality_estimate bid g t i T Hg Hs Hx HnT)|].
    apply HX. eapply (step_lt N delta cmax qmin gamma quality cost _ cost_estimate); eauto. }
  assert (HAs : forall t i, run t -> step N delta cmax qmin gamma quality_estimate bid g t i -> (now N t <= T)%nat ->
    ~ explores N delta qmin quality_estimate g t -> i <> best -> (m t i <= A i)%nat).
  { intros t i Ht Hs _ Hn Hne. assert (Hi : (i < N)%nat) by (eapply (step_lt N delta cmax qmin gamma quality cost _ cost_estimate); eauto).
    destruct (HA i Hi Hne) as [[Hgap Hle]|[Hq Hle]].
    - eapply Nat.le_trans; [|exact Hle]. apply INR_le.
      apply (m_star_count N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate Hm He); [unfold m; lia|exact Hgap|].
      exact (relative_step_gap N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate bid g Hm He t i Hb Ht Hs Hn).
    - eapply Nat.le_trans; [|exact Hle].
      apply (unqualified_eligible_below N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate bid g M Hm He Hex t i Ht Hi Hq).
      exact (step_in_Qh N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate bid g Hm He t i Hs). }
  assert (Hcap : forall h i, run h -> (N + length h <= T)%nat -> (i < N)%nat -> (times h i <= cap_of_counts i)%nat).
  { intros t i Ht HtT Hi. unfold cap_of_counts. destruct (Nat.eq_dec i best) as [->|Hne].
    - unfold times. pose proof (count_occ_bound Nat.eq_dec best t). lia.
    - apply INR_le. rewrite <- times_if_all. apply (steps_below N delta cmax qmin gamma quality_estimate bid g (fun _ => true)); [apply pos_INR|exact Ht|].
      intros s Hs Hst HsT _. apply le_INR. destruct (explores_dec N delta qmin quality_estimate g s) as [Hx|Hn].
      + pose proof (HXs s i Hs Hst ltac:(lia) Hx). lia.
      + pose proof (HAs s i Hs Hst ltac:(lia) Hn Hne). lia. }
  exact (thm_excess_payment_general_sharpest N delta cmax qmin gamma d_minus d_plus quality cost best second quality_estimate cost_estimate bid g
    Hm He Hb Hg Hsecond above Habove T X A cap_of_counts shortfall HXs HAs Hcap Hshort h Hr HT).
Qed.
End FromCaps.
