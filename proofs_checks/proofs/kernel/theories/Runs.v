(* Runs of Algorithm 1, and what holds along every one of them.

   A history lists the providers that served after initialization, the newest first. One model serves three readings of
   the paper: truthful bids (gamma = 0, dm = dp = 0), beliefs with slack gamma (Section 6), and bounded deviations
   dm, dp. Nothing is assumed of ties, of the order of exploration, or of what happened off the path. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction RadiusSum Formulas.
Import ListNotations.
Open Scope R_scope.

Lemma Int_part_le x : IZR (Int_part x) <= x.
Proof. apply base_Int_part. Qed.
Lemma ceiling_above x : x <= ceiling x.
Proof. unfold ceiling, floor. pose proof (Int_part_le (- x)). lra. Qed.
Lemma below_ceiling n x : INR n < x -> INR n <= ceiling x - 1.
Proof.
  intros H. unfold ceiling, floor. pose proof (Int_part_le (- x)). rewrite INR_IZR_INZ in *.
  assert (Hz : IZR (Int_part (- x)) < IZR (- Z.of_nat n)) by (rewrite opp_IZR; lra).
  apply lt_IZR in Hz. assert (Hz' : (Z.of_nat n <= - Int_part (- x) - 1)%Z) by lia. apply IZR_le in Hz'.
  rewrite minus_IZR, opp_IZR in Hz'. lra.
Qed.
Lemma ceiling_mono x y : x <= y -> ceiling x <= ceiling y.
Proof.
  intros H. unfold ceiling, floor. apply Ropp_le_contravar. apply IZR_le. 
  destruct (Z_le_gt_dec (Int_part (- y)) (Int_part (- x))) as [|Hgt]; auto. exfalso.
  assert (Hz : (Int_part (- x) + 1 <= Int_part (- y))%Z) by lia. apply IZR_le in Hz. rewrite plus_IZR in Hz.
  pose proof (Int_part_le (- y)). destruct (base_Int_part (- x)) as [_ H2]. lra.
Qed.

(* A value summed over the steps of a history. *)
Fixpoint total (value : list nat -> nat -> R) (h : list nat) : R :=
  match h with [] => 0 | s :: t => value t s + total value t end.
Lemma total_plus f g h : total (fun t s => f t s + g t s) h = total f h + total g h.
Proof. induction h; simpl; lra. Qed.
Lemma total_scal c f h : total (fun t s => c * f t s) h = c * total f h.
Proof. induction h; simpl; [lra|rewrite IHh; lra]. Qed.
Lemma total_const c h : total (fun _ _ => c) h = c * INR (length h).
Proof. induction h; [simpl; lra|]. cbn [total length]. rewrite S_INR, IHh. lra. Qed.
Lemma total_nonneg f h : (forall t s, 0 <= f t s) -> 0 <= total f h.
Proof. intros H. induction h; simpl; [lra|]. specialize (H h a). lra. Qed.

Definition times (h : list nat) (i : nat) : nat := count_occ Nat.eq_dec h i.
Lemma times_cons_same h i : times (i :: h) i = S (times h i).
Proof. unfold times. apply count_occ_cons_eq. reflexivity. Qed.
Lemma times_cons_other h s i : s <> i -> times (s :: h) i = times h i.
Proof. intros. unfold times. apply count_occ_cons_neq. assumption. Qed.
Lemma total_by_provider N (v : nat -> R) h :
  (forall i, In i h -> (i < N)%nat) -> total (fun _ s => v s) h = bsum N (fun i => v i * INR (times h i)).
Proof.
  induction h as [|s h IH]; intros H.
  - simpl. clear. induction N; simpl; [reflexivity|]. rewrite <- IHN. lra.
  - cbn [total]. rewrite IH by (intros; apply H; simpl; auto).
    rewrite (bsum_update N (fun i => v i * INR (times h i)) (fun i => v i * INR (times (s :: h) i)) s).
    + rewrite times_cons_same, S_INR. lra.
    + apply H. simpl; auto.
    + intros i _ Hi. rewrite times_cons_other; auto.
Qed.

Section Runs.
Variables (N : nat) (delta cmax qmin gamma dm dp : R) (q cbar : nat -> R) (istar : nat).
(* qhat i n, est i n: the estimates of provider i's quality and cost after n selections; bid h i: its standing bid. *)
Variables (qhat est : nat -> nat -> R) (bid : list nat -> nat -> R) (g : nat -> R).

Definition bt (n : nat) : R := beta (INR N) delta (INR n).
Definition rad (n : nat) : R := (1 + gamma) * cmax * bt n.
(* m_{i,t}: initialization selects each provider once *)
Definition m (h : list nat) (i : nat) : nat := S (times h i).
(* the step that comes after a history *)
Definition now (h : list nat) : nat := (N + length h + 1)%nat.
Definition inQh h i : bool := if Rle_dec qmin (qhat i (m h i) + bt (m h i)) then true else false.
Definition Qh h : list nat := filter (inQh h) (seq 0 N).
Definition explores h : Prop := exists j, In j (Qh h) /\ INR (m h j) < g (now h).
Definition radii h : nat -> R := fun j => rad (m h j).
(* A step serves an under-sampled provider if there is one; nobody eligible: anybody; else a lowest adjusted bid. *)
Definition step h s : Prop :=
  (explores h /\ In s (Qh h) /\ INR (m h s) < g (now h)) \/
  (Qh h = [] /\ (s < N)%nat) \/
  (~ explores h /\ selected (Qh h) (radii h) (bid h) s).
Inductive run : list nat -> Prop := run_nil : run [] | run_cons h s : run h -> step h s -> run (s :: h).

Lemma in_Qh h i : In i (Qh h) <-> (i < N)%nat /\ qmin <= qhat i (m h i) + bt (m h i).
Proof.
  unfold Qh. rewrite filter_In, in_seq. unfold inQh.
  destruct (Rle_dec qmin _); intuition (auto with arith; try lia; try discriminate).
Qed.
Lemma step_lt h s : step h s -> (s < N)%nat.
Proof.
  intros [(_ & H & _)|[[_ H]|[_ [H _]]]]; auto; apply in_Qh in H; tauto.
Qed.
Lemma run_lt h : run h -> forall i, In i h -> (i < N)%nat.
Proof.
  induction 1 as [|h s Hr IH Hs]; intros i Hi; [destruct Hi|]. destruct Hi as [<-|Hi]; [eapply step_lt; eauto|auto].
Qed.
Lemma explores_dec h : {explores h} + {~ explores h}.
Proof.
  destruct (Exists_dec (fun j => INR (m h j) < g (now h)) (Qh h)) as [He|Hn].
  - intros j. apply Rlt_dec.
  - left. apply Exists_exists in He. destruct He as (j & H1 & H2). exists j; auto.
  - right. intros (j & H1 & H2). apply Hn, Exists_exists. exists j; auto.
Qed.
Definition explored (h : list nat) : R := if explores_dec h then 1 else 0.
Fixpoint explorations (h : list nat) (i : nat) : nat :=
  match h with
  | [] => 0
  | s :: t => (if Nat.eq_dec s i then if explores_dec t then 1 else 0 else 0) + explorations t i
  end.
(* the price: the critical payment, at most cmax; cmax for exploration and where nobody is eligible *)
Definition payment h s : R :=
  if explores_dec h then cmax else
  match Qh h with [] => cmax | _ => pay (Qh h) (radii h) cmax (bid h) s end.

Lemma total_along (f f' : list nat -> nat -> R) T h :
  run h -> (N + length h <= T)%nat ->
  (forall t s, run t -> step t s -> (now t <= T)%nat -> f t s <= f' t s) -> total f h <= total f' h.
Proof.
  intros Hr HT H. induction Hr as [|h s Hr IH Hs]; simpl in *; [lra|].
  assert (f h s <= f' h s) by (apply H; auto; unfold now; lia). assert (total f h <= total f' h) by (apply IH; lia). lra.
Qed.

(* ---- without the good event *)
Section Counting.
Hypothesis g_mono : forall s t, (1 <= s)%nat -> (s <= t)%nat -> g s <= g t.

Lemma explorations_le h i : (explorations h i <= times h i)%nat.
Proof.
  induction h as [|s h IH]; simpl; [unfold times; simpl; lia|]. unfold times in *. simpl.
  destruct (Nat.eq_dec s i); [destruct (explores_dec h); lia|lia].
Qed.
Lemma exploration_count h s T : step h s -> explores h -> (now h <= T)%nat -> INR (m h s) < g (now h) /\ g (now h) <= g T.
Proof.
  intros Hs He HT. split; [|apply g_mono; unfold now in *; lia]. destruct Hs as [(_ & _ & H)|[[H _]|[H _]]]; auto; [|contradiction].
  destruct He as (j & Hj & _). rewrite H in Hj. destruct Hj.
Qed.
Lemma explorations_bound h T i : run h -> (N + length h <= T)%nat -> 0 < g T -> INR (explorations h i) <= ceiling (g T) - 1.
Proof.
  intros Hr HT Hg. induction Hr as [|h s Hr IH Hs]; simpl in HT.
  - apply below_ceiling. simpl. assumption.
  - cbn [explorations]. destruct (Nat.eq_dec s i) as [->|]; [|apply IH; lia].
    destruct (explores_dec h) as [He|]; [|apply IH; lia].
    apply below_ceiling. destruct (exploration_count h i T Hs He ltac:(unfold now; lia)) as [H1 H2].
    apply Rle_lt_trans with (INR (m h i)); [|lra]. apply le_INR. unfold m. pose proof (explorations_le h i). lia.
Qed.
Lemma explored_total h : run h -> total (fun t _ => explored t) h = bsum N (fun i => INR (explorations h i)).
Proof.
  induction 1 as [|h s Hr IH Hs].
  - simpl. clear. induction N; simpl; lra.
  - cbn [total]. rewrite IH. pose proof (step_lt h s Hs).
    rewrite (bsum_update N (fun i => INR (explorations h i)) (fun i => INR (explorations (s :: h) i)) s).
    + simpl explorations. destruct (Nat.eq_dec s s); [|contradiction]. unfold explored. destruct (explores_dec h).
      * rewrite plus_INR. simpl. lra.
      * simpl. lra.
    + assumption.
    + intros i _ Hi. simpl. destruct (Nat.eq_dec s i); [subst; contradiction|reflexivity].
Qed.
Lemma bsum_const n x : bsum n (fun _ => x) = INR n * x.
Proof. induction n; [simpl; lra|]. cbn [bsum]. rewrite S_INR, IHn. lra. Qed.
Lemma explored_bound h T : run h -> (N + length h <= T)%nat -> 0 < g T ->
  total (fun t _ => explored t) h <= INR N * (ceiling (g T) - 1).
Proof.
  intros Hr HT Hg. rewrite explored_total by assumption. rewrite <- bsum_const. apply bsum_le. intros. apply explorations_bound; auto.
Qed.
End Counting.

Lemma radii_of_list h : (1 <= N)%nat -> 0 < delta < 1 -> (forall i, In i h -> (i < N)%nat) ->
  total (fun t s => bt (m t s)) h <= radius_sum_bound delta (INR (N + length h)) (INR N).
Proof.
  intros HN Hd Hlt. pose proof (radius_sum N delta HN Hd h Hlt) as H. cbv zeta in H.
  replace (total (fun t s => bt (m t s)) h) with (rsum N delta h).
  - eapply Rle_trans; [exact H|]. right. unfold radius_sum_bound, Lam. rewrite plus_INR.
    pose proof (pos_INR N). pose proof (pos_INR (length h)).
    assert (HN1 : 1 <= INR N) by (apply (le_INR 1); auto).
    set (L := ln (2 * PI ^ 2 * INR N * (INR N + INR (length h)) ^ 2 / (3 * delta))).
    replace (ln (2 / 3 * INR N * PI ^ 2 * / delta * (INR N + INR (length h)) ^ 2)) with L
      by (unfold L; f_equal; field; lra).
    assert (HL : 0 <= L).
    { unfold L. rewrite <- ln_1. apply Rlt_le, ln_increasing; [lra|].
      pose proof (logarg_ge1 (INR N) delta (INR N + INR (length h)) HN1 Hd ltac:(lra)). pose proof pi23_gt1. lra. }
    replace (INR N + INR (length h) + -1 * INR N) with (INR (length h)) by ring.
    rewrite <- !sqrt_mult; try lra; try (apply Rmult_le_pos; try lra; apply Rmult_le_pos; lra).
    f_equal. ring.
  - clear. induction h as [|s h IH]; [reflexivity|]. cbn [total rsum]. rewrite <- IH. reflexivity.
Qed.
Lemma radius_total h : (1 <= N)%nat -> 0 < delta < 1 -> run h ->
  total (fun t s => bt (m t s)) h <= radius_sum_bound delta (INR (N + length h)) (INR N).
Proof. intros HN Hd Hr. apply radii_of_list; [exact HN|exact Hd|apply run_lt; exact Hr]. Qed.

(* ---- on the good event *)
Section OnGoodEvent.
Hypothesis HN : (2 <= N)%nat.
Hypothesis Hd : 0 < delta < 1.
Hypothesis Hc : 0 < cmax.
Hypothesis Hga : 0 <= gamma.
Hypothesis Hdev : 0 <= dm /\ 0 <= dp.
Hypothesis Hstar : (istar < N)%nat /\ qmin <= q istar /\
  forall j, (j < N)%nat -> qmin <= q j -> j <> istar -> cbar istar < cbar j.
Hypothesis good_quality : forall i n, (i < N)%nat -> (1 <= n)%nat -> Rabs (qhat i n - q i) <= bt n.
Hypothesis good_cost : forall i n, (i < N)%nat -> (1 <= n)%nat -> Rabs (est i n - cbar i) <= rad n.
Hypothesis bids_near : forall h i, run h -> (i < N)%nat -> - dm <= bid h i - est i (m h i) <= dp.

Lemma m_pos h i : (1 <= m h i)%nat. Proof. unfold m. lia. Qed.
Lemma INR_m h i : 1 <= INR (m h i). Proof. apply (le_INR 1), m_pos. Qed.
Lemma N1 : 1 <= INR N. Proof. apply (le_INR 1). lia. Qed.
Lemma rad_pos n : 0 <= rad n.
Proof. unfold rad. apply Rmult_le_pos; [nra|apply sqrt_pos]. Qed.

Lemma eligible h i : (i < N)%nat -> qmin <= q i -> In i (Qh h).
Proof.
  intros Hi Hq. apply in_Qh. split; auto. pose proof (good_quality i (m h i) Hi (m_pos h i)) as H.
  apply Rabs_le_inv in H. lra.
Qed.
Lemma Qh_not_empty h : Qh h <> [].
Proof. intros E. pose proof (eligible h istar (proj1 Hstar) (proj1 (proj2 Hstar))) as H. rewrite E in H. destruct H. Qed.
Lemma step_eligible h s : step h s -> In s (Qh h).
Proof. intros [(_ & H & _)|[[H _]|[_ [H _]]]]; auto. exfalso. apply (Qh_not_empty h H). Qed.

Definition M (x : R) : R := selection_bound delta x (INR N).
Lemma M_above n x : (1 <= n)%nat -> 0 < x -> x <= 2 * bt n -> INR n <= M x.
Proof.
  intros Hn Hx H. unfold M, selection_bound. eapply Rle_trans; [|apply ceiling_above].
  eapply Rle_trans; [apply (radius_inversion (INR N) delta x (INR n)); auto using N1; apply (le_INR 1); auto|].
  right. assert (x <> 0) by lra. replace (57 * INR N * / delta * / x ^ 4) with (57 * INR N / (delta * x ^ 4)) by (field; split; lra).
  field. auto.
Qed.

Lemma unqualified_exclusion h i : (i < N)%nat -> q i < qmin -> In i (Qh h) -> INR (m h i) <= M (qmin - q i).
Proof.
  intros Hi Hq Hin. apply in_Qh in Hin. pose proof (good_quality i (m h i) Hi (m_pos h i)) as H. apply Rabs_le_inv in H.
  apply M_above; [apply m_pos|lra|lra].
Qed.
Lemma M_nonneg_of_one x : 0 < x -> x <= 2 * bt 1 -> 0 <= M x.
Proof. intros Hx H. pose proof (M_above 1 x ltac:(lia) Hx H). simpl in *. lra. Qed.

(* Each count below is a whole number, and a bound of the count before a selection is one of the count after it. *)
Lemma unqualified_elimination h i : run h -> (i < N)%nat -> q i < qmin -> INR (times h i) <= Rmax 0 (M (qmin - q i)).
Proof.
  intros Hr Hi Hq. induction Hr as [|h s Hr IH Hs]; [unfold times; simpl; apply Rmax_l|].
  destruct (Nat.eq_dec s i) as [->|Hne]; [|rewrite times_cons_other; auto].
  rewrite times_cons_same. eapply Rle_trans; [apply (unqualified_exclusion h i Hi Hq (step_eligible h i Hs))|apply Rmax_r].
Qed.

Section Ordinary.
Variables (h : list nat) (s : nat).
Hypothesis Hrun : run h.
Hypothesis Hstep : step h s.
Hypothesis Hord : ~ explores h.

Lemma ordinary_selected : selected (Qh h) (radii h) (bid h) s.
Proof. destruct Hstep as [(H & _)|[[H _]|[_ H]]]; [contradiction|exfalso; apply (Qh_not_empty h H)|auto]. Qed.
Lemma ordinary_counts j : In j (Qh h) -> g (now h) <= INR (m h j).
Proof. intros Hj. destruct (Rle_lt_dec (g (now h)) (INR (m h j))); auto. exfalso. apply Hord. exists j; auto. Qed.
Lemma ordinary_gap : cbar s - cbar istar <= 2 * rad (m h s) + dm + dp.
Proof.
  pose proof ordinary_selected as [Hs Hm]. assert (HsN : (s < N)%nat) by (apply in_Qh in Hs; tauto).
  specialize (Hm istar (eligible h istar (proj1 Hstar) (proj1 (proj2 Hstar)))). unfold adj, radii in Hm.
  pose proof (good_cost s (m h s) HsN (m_pos h s)) as H1. apply Rabs_le_inv in H1.
  pose proof (good_cost istar (m h istar) (proj1 Hstar) (m_pos h istar)) as H2. apply Rabs_le_inv in H2.
  pose proof (bids_near h s Hrun HsN). pose proof (bids_near h istar Hrun (proj1 Hstar)). lra.
Qed.
Lemma ordinary_threshold : dm + dp < cbar s - cbar istar ->
  INR (m h s) <= M ((cbar s - cbar istar - dm - dp) / ((1 + gamma) * cmax)).
Proof.
  intros Hgap. pose proof ordinary_gap as H. assert (Hp : 0 < (1 + gamma) * cmax) by nra.
  apply M_above; [apply m_pos|apply Rdiv_lt_0_compat; lra|].
  apply Rmult_le_reg_r with ((1 + gamma) * cmax); auto. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
  unfold rad in H. lra.
Qed.
End Ordinary.

(* L_i with slack and deviations *)
Definition L i : R := M ((cbar i - cbar istar - dm - dp) / ((1 + gamma) * cmax)).

Lemma qualified_suboptimal (g_mono : forall s t, (1 <= s)%nat -> (s <= t)%nat -> g s <= g t) h T i :
  run h -> (N + length h <= T)%nat -> 0 < g T -> (i < N)%nat -> dm + dp < cbar i - cbar istar ->
  INR (times h i) <= Rmax (L i) (ceiling (g T) - 1).
Proof.
  intros Hr HT Hg Hi Hgap. induction Hr as [|h s Hr IH Hs]; simpl in HT.
  - eapply Rle_trans; [|apply Rmax_r]. apply below_ceiling. simpl. assumption.
  - destruct (Nat.eq_dec s i) as [->|Hne]; [|rewrite times_cons_other by auto; apply IH; lia].
    rewrite times_cons_same. change (INR (m h i) <= Rmax (L i) (ceiling (g T) - 1)).
    destruct (explores_dec h) as [He|Hn].
    + eapply Rle_trans; [|apply Rmax_r]. apply below_ceiling.
      destruct (exploration_count g_mono h i T Hs He ltac:(unfold now; lia)). lra.
    + eapply Rle_trans; [|apply Rmax_l]. apply ordinary_threshold; auto.
Qed.

(* ---- payments *)
Variables (Q : list nat) (c2 : R).
Hypothesis HQ : forall j, In j Q <-> (j < N)%nat /\ qmin <= q j.
Hypothesis Hc2 : minl cbar (filter (fun j => negb (Nat.eqb j istar)) Q) = Some c2.
Hypothesis Hcbar : forall j, (j < N)%nat -> 0 <= cbar j <= cmax.
Hypothesis bids_range : forall h i, run h -> (i < N)%nat -> 0 <= bid h i <= cmax.

Lemma c2_range : 0 <= c2 <= cmax.
Proof.
  destruct (minl_att _ _ _ Hc2) as (j & Hj & ->). rewrite filter_In in Hj. destruct Hj as [Hj _]. apply HQ in Hj. apply Hcbar. tauto.
Qed.
Lemma c2_above_star : cbar istar < c2.
Proof.
  destruct (minl_att _ _ _ Hc2) as (j & Hj & ->). rewrite filter_In, Bool.negb_true_iff, Nat.eqb_neq in Hj.
  destruct Hj as [Hj Hne]. apply HQ in Hj. apply Hstar; tauto.
Qed.
Lemma payment_range_run h s : run h -> step h s -> 0 <= payment h s <= cmax.
Proof.
  intros Hr Hs. unfold payment. destruct (explores_dec h) as [|Hn]; [lra|]. destruct (Qh h) as [|x l] eqn:E; [lra|]. rewrite <- E.
  pose proof (ordinary_selected h s Hs Hn) as Hsel.
  assert (Hb : forall j, In j (Qh h) -> 0 <= bid h j <= cmax) by (intros j Hj; apply bids_range; auto; apply in_Qh in Hj; tauto).
  pose proof (payment_range (Qh h) (radii h) cmax (bid h) s Hb Hsel). pose proof (Hb s (proj1 Hsel)). lra.
Qed.
Lemma ordinary_is_pay h s : ~ explores h -> payment h s = pay (Qh h) (radii h) cmax (bid h) s.
Proof.
  intros Hn. unfold payment. destruct (explores_dec h); [contradiction|]. pose proof (Qh_not_empty h). destruct (Qh h); [contradiction|reflexivity].
Qed.
Lemma good_here h j : In j (Qh h) -> Rabs (est j (m h j) - cbar j) <= radii h j.
Proof. intros Hj. apply in_Qh in Hj. apply good_cost; [tauto|apply m_pos]. Qed.
Lemma near_here h j : run h -> In j (Qh h) -> - dm <= bid h j - est j (m h j) <= dp.
Proof. intros Hr Hj. apply in_Qh in Hj. apply bids_near; tauto. Qed.
Lemma Q_eligible h j : In j Q -> In j (Qh h).
Proof. intros Hj. apply HQ in Hj. apply eligible; tauto. Qed.
Lemma star_in_Q : In istar Q /\ forall j, In j Q -> j <> istar -> cbar istar < cbar j.
Proof. split; [apply HQ; tauto|]. intros j Hj. apply HQ in Hj. apply Hstar; tauto. Qed.

Lemma ordinary_payment_run h s : run h -> step h s -> ~ explores h ->
  payment h s <= Rmin cmax (c2 + rad (m h s) + dp).
Proof.
  intros Hr Hs Hn. rewrite ordinary_is_pay by assumption.
  exact (ordinary_payment (Qh h) (radii h) cmax Q (bid h) cbar (fun j => est j (m h j)) dm dp c2 istar s
    Hdev (good_here h) (fun j => near_here h j Hr) (Q_eligible h) star_in_Q Hc2 (proj2 c2_range)
    (ordinary_selected h s Hs Hn)).
Qed.
Lemma excess_step h s : run h -> step h s ->
  Rmax 0 (payment h s - c2) <= explored h * (cmax - c2) + (rad (m h s) + dp).
Proof.
  intros Hr Hs. pose proof (rad_pos (m h s)). pose proof c2_range. unfold explored. destruct (explores_dec h) as [He|Hn].
  - assert (E : payment h s = cmax) by (unfold payment; destruct (explores_dec h); [reflexivity|contradiction]).
    rewrite E. apply Rmax_lub; lra.
  - pose proof (ordinary_payment_run h s Hr Hs Hn) as Hp. pose proof (Rmin_r cmax (c2 + rad (m h s) + dp)).
    apply Rmax_lub; lra.
Qed.
Lemma unqualified_all_out h : (forall i, (i < N)%nat -> q i < qmin -> M (qmin - q i) < INR (m h i)) ->
  forall j, In j (Qh h) -> In j Q.
Proof.
  intros Hall j Hj. assert (HjN : (j < N)%nat) by (apply in_Qh in Hj; tauto). apply HQ. split; auto.
  destruct (Rle_lt_dec qmin (q j)); auto. exfalso.
  pose proof (unqualified_exclusion h j HjN r Hj). pose proof (Hall j HjN r). lra.
Qed.
Lemma two_sided_run h s r : run h -> step h s -> ~ explores h -> (forall j, In j (Qh h) -> In j Q) ->
  (forall j, In j Q -> rad (m h j) <= r) -> c2 - 2 * r - dm <= payment h s <= c2 + r + dp.
Proof.
  intros Hr Hs Hn Hout Hrad. rewrite ordinary_is_pay by assumption.
  exact (two_sided_payment (Qh h) (radii h) cmax (fun j => rad_pos (m h j)) Q (bid h) cbar (fun j => est j (m h j)) dm dp c2 istar s
    Hdev (good_here h) (fun j => near_here h j Hr) (Q_eligible h) star_in_Q Hc2 (proj2 c2_range) (ordinary_selected h s Hs Hn) r Hout Hrad).
Qed.

(* ---- sums along a run *)
Definition unqualified : list nat := filter (fun i => if Rlt_dec (q i) qmin then true else false) (seq 0 N).
Definition competitors : list nat :=
  filter (fun i => if Rle_dec qmin (q i) then negb (Nat.eqb i istar) else false) (seq 0 N).
Lemma total_over_filter (p : nat -> bool) (f : nat -> R) n :
  total_over (filter p (seq 0 n)) f = bsum n (fun i => if p i then f i else 0).
Proof.
  unfold total_over. induction n; [reflexivity|]. rewrite seq_S, filter_app, fold_right_app. simpl.
  assert (E : forall l x, fold_right (fun i total => f i + total) x l = fold_right (fun i total => f i + total) 0 l + x).
  { clear. induction l; intros x; simpl; [lra|]. rewrite IHl. lra. }
  rewrite E, IHn. destruct (p n); simpl; lra.
Qed.
Lemma bsum_plus n (f f' : nat -> R) : bsum n (fun i => f i + f' i) = bsum n f + bsum n f'.
Proof. induction n; simpl; [lra|]. rewrite IHn. lra. Qed.

Hypothesis Hqr : forall i, (i < N)%nat -> 0 <= q i <= 1.
Hypothesis Hqm : qmin <= 1.
Hypothesis g_mono : forall s t, (1 <= s)%nat -> (s <= t)%nat -> g s <= g t.

Lemma M_nonneg x : 0 < x <= 1 -> 0 <= M x.
Proof.
  intros [Hx Hx1]. unfold M, selection_bound. eapply Rle_trans; [|apply ceiling_above].
  assert (Hx2 : 0 < x ^ 2) by (apply pow_lt; auto). assert (Hx4 : 0 < x ^ 4) by (apply pow_lt; auto).
  assert (x ^ 4 <= 1) by (rewrite <- (pow1 4); apply pow_incr; lra). pose proof N1.
  assert (1 <= 57 * INR N * / delta * / x ^ 4).
  { assert (1 <= / delta) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra).
    assert (1 <= / x ^ 4) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra). 
    assert (1 <= 57 * INR N) by lra. assert (1 <= 57 * INR N * / delta) by nra. nra. }
  assert (0 <= ln (57 * INR N * / delta * / x ^ 4)).
  { rewrite <- ln_1. destruct (Req_dec 1 (57 * INR N * / delta * / x ^ 4)) as [<-|]; [lra|]. apply Rlt_le, ln_increasing; lra. }
  apply Rmult_le_pos; [|assumption]. apply Rmult_le_pos; [lra|]. apply Rlt_le, Rinv_0_lt_compat; auto.
Qed.
Lemma unqualified_count h i : run h -> (i < N)%nat -> q i < qmin -> INR (times h i) <= M (qmin - q i).
Proof.
  intros Hr Hi Hq. pose proof (unqualified_elimination h i Hr Hi Hq). pose proof (Hqr i Hi).
  rewrite Rmax_right in H; auto. apply M_nonneg. lra.
Qed.

(* Quality regret: initialization once for every provider, then step by step. *)
Definition quality_loss i : R := Rmax 0 (qmin - q i).
Definition run_quality_regret h : R := bsum N quality_loss + total (fun _ s => quality_loss s) h.
Lemma quality_loss_range i : (i < N)%nat -> 0 <= quality_loss i <= 1.
Proof. intros Hi. pose proof (Hqr i Hi). unfold quality_loss. split; [apply Rmax_l|apply Rmax_lub; lra]. Qed.
Lemma quality_step h s : step h s -> quality_loss s <= 2 * bt (m h s).
Proof.
  intros Hs. pose proof (step_eligible h s Hs) as Hin. apply in_Qh in Hin. destruct Hin as [Hi Hin].
  pose proof (good_quality s (m h s) Hi (m_pos h s)) as H. apply Rabs_le_inv in H.
  assert (0 <= bt (m h s)) by apply sqrt_pos. unfold quality_loss. apply Rmax_lub; lra.
Qed.
Lemma quality_anytime h : run h ->
  run_quality_regret h <= INR N + 2 * radius_sum_bound delta (INR (N + length h)) (INR N).
Proof.
  intros Hr. unfold run_quality_regret. apply Rplus_le_compat.
  - replace (INR N) with (INR N * 1) by ring. rewrite <- bsum_const. apply bsum_le. intros i Hi. apply quality_loss_range; auto.
  - apply Rle_trans with (total (fun t s => 2 * bt (m t s)) h).
    + apply (total_along _ _ (N + length h)); auto. intros t s _ Hs _. apply quality_step; auto.
    + rewrite total_scal. apply Rmult_le_compat_l; [lra|]. apply radius_total; auto. lia.
Qed.
Lemma quality_by_gap h : run h ->
  run_quality_regret h <= total_over unqualified (fun i => (qmin - q i) * (1 + M (qmin - q i))).
Proof.
  intros Hr. unfold run_quality_regret, unqualified. rewrite total_over_filter, (total_by_provider N) by (apply run_lt; auto).
  rewrite <- bsum_plus. apply bsum_le. intros i Hi. unfold quality_loss. destruct (Rlt_dec (q i) qmin) as [Hlt|Hge].
  - rewrite Rmax_right by lra. pose proof (unqualified_count h i Hr Hi Hlt). nra.
  - rewrite Rmax_left by lra. lra.
Qed.
Definition unqualified_steps h : R :=
  bsum N (fun i => if Rlt_dec (q i) qmin then 1 else 0) + total (fun _ s => if Rlt_dec (q s) qmin then 1 else 0) h.
Lemma unqualified_steps_bound h : run h -> unqualified_steps h <= total_over unqualified (fun i => 1 + M (qmin - q i)).
Proof.
  intros Hr. unfold unqualified_steps, unqualified.
  rewrite total_over_filter, (total_by_provider N (fun s => if Rlt_dec (q s) qmin then 1 else 0)) by (apply run_lt; auto).
  rewrite <- bsum_plus. apply bsum_le. intros i Hi. destruct (Rlt_dec (q i) qmin) as [Hlt|]; [|lra].
  pose proof (unqualified_count h i Hr Hi Hlt). lra.
Qed.

(* Steps not served by the best provider, initialization included. *)
Definition nonoptimal_steps h : R :=
  bsum N (fun i => if Nat.eq_dec i istar then 0 else 1) + total (fun _ s => if Nat.eq_dec s istar then 0 else 1) h.
Lemma bsum_one_less n : (istar < n)%nat -> bsum n (fun i => if Nat.eq_dec i istar then 0 else 1) = INR n - 1.
Proof.
  intros Hi. rewrite (bsum_update n (fun _ => 1) _ istar Hi).
  - rewrite bsum_const. destruct (Nat.eq_dec istar istar); [lra|contradiction].
  - intros i _ Hne. destruct (Nat.eq_dec i istar); [contradiction|reflexivity].
Qed.
Lemma identification h T : run h -> (N + length h <= T)%nat -> 0 < g T ->
  (forall i, (i < N)%nat -> qmin <= q i -> i <> istar -> dm + dp < cbar i - cbar istar) ->
  nonoptimal_steps h <= INR N - 1 +
    (total_over competitors (fun i => Rmax (L i) (ceiling (g T) - 1)) + total_over unqualified (fun i => M (qmin - q i))).
Proof.
  intros Hr HT Hg Hgap. unfold nonoptimal_steps. rewrite bsum_one_less by apply Hstar. apply Rplus_le_compat_l.
  rewrite (total_by_provider N (fun s => if Nat.eq_dec s istar then 0 else 1)) by (apply run_lt; auto).
  unfold competitors, unqualified. rewrite !total_over_filter, <- bsum_plus. apply bsum_le. intros i Hi.
  destruct (Nat.eq_dec i istar) as [->|Hne].
  - destruct (Rle_dec qmin (q istar)) as [|Hn]; [|exfalso; apply Hn, Hstar]. destruct (Rlt_dec (q istar) qmin); [lra|].
    rewrite Nat.eqb_refl. simpl. lra.
  - rewrite Rmult_1_l. destruct (Rle_dec qmin (q i)) as [Hq|Hq].
    + apply Nat.eqb_neq in Hne as E. rewrite E. destruct (Rlt_dec (q i) qmin); [lra|]. simpl negb. cbv iota.
      rewrite Rplus_0_r. apply qualified_suboptimal; auto.
    + destruct (Rlt_dec (q i) qmin); [|lra]. rewrite Rplus_0_l. apply unqualified_count; auto.
Qed.
Lemma eventual_optimality h s : run h -> step h s -> ~ explores h ->
  (forall i, (i < N)%nat -> q i < qmin -> M (qmin - q i) < INR (m h i)) ->
  (forall i, (i < N)%nat -> qmin <= q i -> i <> istar -> dm + dp < cbar i - cbar istar /\ L i < INR (m h i)) -> s = istar.
Proof.
  intros Hr Hs Hn Hu Hl. destruct (Nat.eq_dec s istar); auto. exfalso.
  pose proof (step_lt h s Hs) as HsN. destruct (Rle_lt_dec qmin (q s)) as [Hq|Hq].
  - destruct (Hl s HsN Hq n) as [Hgap HL]. pose proof (ordinary_threshold h s Hr Hs Hn Hgap). unfold L in HL. lra.
  - pose proof (unqualified_exclusion h s HsN Hq (step_eligible h s Hs)). pose proof (Hu s HsN Hq). lra.
Qed.

(* Generation regret. *)
Definition cost_loss i : R := Rmax 0 (cbar i - cbar istar).
Definition run_generation_regret h : R := bsum N cost_loss + total (fun _ s => cost_loss s) h.
Lemma cost_loss_range i : (i < N)%nat -> 0 <= cost_loss i <= cmax.
Proof.
  intros Hi. pose proof (Hcbar i Hi). pose proof (Hcbar istar (proj1 Hstar)). unfold cost_loss. split; [apply Rmax_l|apply Rmax_lub; lra].
Qed.
Lemma cost_loss_star : cost_loss istar = 0.
Proof. unfold cost_loss. rewrite Rminus_eq_0. apply Rmax_left. lra. Qed.
(* exploration selections of the others *)
Lemma explored_others h T : run h -> (N + length h <= T)%nat -> 0 < g T ->
  total (fun t s => explored t * cost_loss s) h <= cmax * ((INR N - 1) * (ceiling (g T) - 1)).
Proof.
  intros Hr HT Hg.
  assert (E : total (fun t s => explored t * cost_loss s) h = bsum N (fun i => cost_loss i * INR (explorations h i))).
  { clear HT. induction Hr as [|h s Hr IH Hs].
    - simpl. clear. induction N; simpl; lra.
    - cbn [total]. rewrite IH. pose proof (step_lt h s Hs).
      rewrite (bsum_update N (fun i => cost_loss i * INR (explorations h i)) (fun i => cost_loss i * INR (explorations (s :: h) i)) s).
      + simpl explorations. destruct (Nat.eq_dec s s); [|contradiction]. unfold explored. destruct (explores_dec h).
        * rewrite plus_INR. simpl. lra.
        * simpl. lra.
      + assumption.
      + intros i _ Hi. simpl. destruct (Nat.eq_dec s i); [subst; contradiction|reflexivity]. }
  rewrite E. assert (HC : 0 <= ceiling (g T) - 1) by (apply (below_ceiling 0 (g T)); simpl; assumption).
  apply Rle_trans with (bsum N (fun i => (cmax * (ceiling (g T) - 1)) * (if Nat.eq_dec i istar then 0 else 1))).
  - apply bsum_le. intros i Hi. destruct (Nat.eq_dec i istar) as [->|].
    + rewrite cost_loss_star. lra.
    + pose proof (cost_loss_range i Hi). pose proof (explorations_bound g_mono h T i Hr HT Hg). pose proof (pos_INR (explorations h i)).
      rewrite Rmult_1_r. apply Rmult_le_compat; lra.
  - rewrite bsum_scal, bsum_one_less by apply Hstar. right. ring.
Qed.
Lemma generation_step h s : run h -> step h s -> cost_loss s <= explored h * cost_loss s + (2 * rad (m h s) + (dm + dp)).
Proof.
  intros Hr Hs. pose proof (rad_pos (m h s)). pose proof (cost_loss_range s (step_lt h s Hs)). unfold explored.
  destruct (explores_dec h) as [|Hn]; [lra|]. pose proof (ordinary_gap h s Hr Hs Hn).
  rewrite Rmult_0_l, Rplus_0_l. unfold cost_loss. apply Rmax_lub; lra.
Qed.
Lemma rad_total h : run h ->
  total (fun t s => rad (m t s)) h <= (1 + gamma) * cmax * radius_sum_bound delta (INR (N + length h)) (INR N).
Proof.
  intros Hr. unfold rad. rewrite total_scal. apply Rmult_le_compat_l; [nra|]. apply radius_total; auto. lia.
Qed.
Lemma generation_anytime h T : run h -> (N + length h = T)%nat -> 0 < g T ->
  run_generation_regret h <= (INR N - 1) * ceiling (g T) * cmax
    + 2 * ((1 + gamma) * cmax) * radius_sum_bound delta (INR T) (INR N) + (dm + dp) * INR (length h).
Proof.
  intros Hr HT Hg. unfold run_generation_regret.
  assert (H0 : bsum N cost_loss <= cmax * (INR N - 1)).
  { rewrite <- (bsum_one_less N (proj1 Hstar)), <- bsum_scal. apply bsum_le. intros i Hi.
    destruct (Nat.eq_dec i istar) as [->|]; [rewrite cost_loss_star; lra|]. pose proof (cost_loss_range i Hi). lra. }
  assert (H1 : total (fun _ s => cost_loss s) h <= total (fun t s => explored t * cost_loss s + (2 * rad (m t s) + (dm + dp))) h).
  { apply (total_along _ _ T); [auto|lia|]. intros t s Ht Hs _. apply generation_step; auto. }
  rewrite total_plus, total_plus, total_scal, total_const in H1.
  pose proof (explored_others h T Hr ltac:(lia) Hg). pose proof (rad_total h Hr) as H3. rewrite HT in H3. lra.
Qed.
Lemma generation_by_gap h T : run h -> (N + length h <= T)%nat -> 0 < g T ->
  (forall i, (i < N)%nat -> qmin <= q i -> i <> istar -> dm + dp < cbar i - cbar istar) ->
  run_generation_regret h <=
    total_over competitors (fun i => (cbar i - cbar istar) * (1 + Rmax (L i) (ceiling (g T) - 1)))
    + total_over unqualified (fun i => (1 + M (qmin - q i)) * Rmax 0 (cbar i - cbar istar)).
Proof.
  intros Hr HT Hg Hgap. unfold run_generation_regret.
  rewrite (total_by_provider N cost_loss) by (apply run_lt; auto). rewrite <- bsum_plus.
  unfold competitors, unqualified. rewrite !total_over_filter, <- bsum_plus. apply bsum_le. intros i Hi.
  pose proof (cost_loss_range i Hi) as [Hp _]. destruct (Nat.eq_dec i istar) as [->|Hne].
  - rewrite cost_loss_star, Nat.eqb_refl. destruct (Rle_dec qmin (q istar)) as [|Hn]; [|exfalso; apply Hn, Hstar].
    destruct (Rlt_dec (q istar) qmin); [lra|]. simpl. lra.
  - apply Nat.eqb_neq in Hne as E. rewrite E. destruct (Rle_dec qmin (q i)) as [Hq|Hq].
    + destruct (Rlt_dec (q i) qmin); [lra|]. simpl negb. cbv iota.
      pose proof (qualified_suboptimal g_mono h T i Hr HT Hg Hi (Hgap i Hi Hq Hne)). pose proof (Hgap i Hi Hq Hne).
      assert (Ec : cost_loss i = cbar i - cbar istar) by (unfold cost_loss; apply Rmax_right; lra). rewrite Ec in *. nra.
    + destruct (Rlt_dec (q i) qmin); [|lra]. pose proof (unqualified_count h i Hr Hi r). fold (cost_loss i). nra.
Qed.

(* Excess payment: every provider is paid cmax once in initialization. *)
Definition run_excess_payment h : R := INR N * (cmax - c2) + total (fun t s => Rmax 0 (payment t s - c2)) h.
Lemma excess_bound h T : run h -> (N + length h = T)%nat -> 0 < g T ->
  run_excess_payment h <= (INR N + INR N * (ceiling (g T) - 1)) * (cmax - c2)
    + (1 + gamma) * cmax * radius_sum_bound delta (INR T) (INR N) + dp * INR (length h).
Proof.
  intros Hr HT Hg. unfold run_excess_payment. pose proof c2_range.
  assert (H1 : total (fun t s => Rmax 0 (payment t s - c2)) h <= total (fun t s => (cmax - c2) * explored t + (rad (m t s) + dp)) h).
  { apply (total_along _ _ T); [auto|lia|]. intros t s Ht Hs _. pose proof (excess_step t s Ht Hs). lra. }
  rewrite total_plus, total_plus, total_scal, total_const in H1.
  pose proof (explored_bound g_mono h T Hr ltac:(lia) Hg) as H2. pose proof (rad_total h Hr) as H3. rewrite HT in H3.
  assert ((cmax - c2) * total (fun t _ => explored t) h <= (cmax - c2) * (INR N * (ceiling (g T) - 1))) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.
(* Initialization and auctions alone. *)
Definition run_excess_without_exploration h : R :=
  INR N * (cmax - c2) + total (fun t s => if explores_dec t then 0 else Rmax 0 (payment t s - c2)) h.
Lemma excess_bound_without_exploration h : run h ->
  run_excess_without_exploration h <= INR N * (cmax - c2)
    + (1 + gamma) * cmax * radius_sum_bound delta (INR (N + length h)) (INR N) + dp * INR (length h).
Proof.
  intros Hr. unfold run_excess_without_exploration. pose proof (rad_total h Hr) as H3.
  assert (H1 : total (fun t s => if explores_dec t then 0 else Rmax 0 (payment t s - c2)) h <= total (fun t s => rad (m t s) + dp) h).
  { apply (total_along _ _ (N + length h)); [auto|lia|]. intros t s Ht Hs _. pose proof (excess_step t s Ht Hs) as H. pose proof (rad_pos (m t s)).
    unfold explored in H. destruct (explores_dec t); lra. }
  rewrite total_plus, total_const in H1. lra.
Qed.
End OnGoodEvent.
End Runs.
