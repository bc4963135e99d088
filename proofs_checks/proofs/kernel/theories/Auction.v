(* One ordinary (non-exploration) step of the mechanism, any finite set of providers (list Qh of nats),
   the TRUE minimum over a list (None = +oo for the empty competitor set), arbitrary tie-breaking,
   arbitrary radii rho (so: the paper's c_max*beta(m) and the Bayesian (1+gamma)*c_max*beta(m)). *)
Require Import Reals Lra List Arith Lia.
Import ListNotations.
Open Scope R_scope.

Lemma Rabs_le_inv x y : Rabs x <= y -> - y <= x <= y.
Proof. intros H. pose proof (Rle_abs x). pose proof (Rle_abs (- x)) as H1. rewrite Rabs_Ropp in H1. lra. Qed.

Fixpoint minl (f : nat -> R) (l : list nat) : option R :=
  match l with
  | [] => None
  | x :: t => match minl f t with None => Some (f x) | Some v => Some (Rmin (f x) v) end
  end.

Lemma minl_lb f l v : minl f l = Some v -> forall j, In j l -> v <= f j.
Proof.
  revert v. induction l as [|x t IH]; intros v Hv j Hj; [destruct Hj|].
  simpl in Hv. destruct (minl f t) as [w|] eqn:E.
  - injection Hv as <-. destruct Hj as [->|Hj]; [apply Rmin_l|].
    eapply Rle_trans; [apply Rmin_r|]. apply IH; auto.
  - injection Hv as <-. destruct Hj as [->|Hj]; [lra|].
    destruct t; [destruct Hj|]. simpl in E. destruct (minl f t); discriminate.
Qed.

Lemma minl_att f l v : minl f l = Some v -> exists j, In j l /\ v = f j.
Proof.
  revert v. induction l as [|x t IH]; intros v Hv; [discriminate|].
  simpl in Hv. destruct (minl f t) as [w|] eqn:E; injection Hv as <-.
  - unfold Rmin. destruct (Rle_dec (f x) w).
    + exists x. simpl. auto.
    + destruct (IH w eq_refl) as (j & Hj & Ej). exists j. simpl. auto.
  - exists x. simpl. auto.
Qed.

Lemma minl_none f l : minl f l = None -> l = [].
Proof. destruct l; auto. simpl. destruct (minl f l); discriminate. Qed.

Lemma minl_ext f g l : (forall j, In j l -> f j = g j) -> minl f l = minl g l.
Proof.
  induction l as [|x t IH]; intros H; auto. simpl.
  rewrite IH by (intros; apply H; simpl; auto). rewrite (H x) by (simpl; auto). reflexivity.
Qed.

Section Step.
Variable Qh : list nat.          (* estimated-qualified set, any length *)
Variable rho : nat -> R.         (* cost radii *)
Variable cmax : R.
Hypothesis rho_nn : forall j, 0 <= rho j.
Hypothesis cmax_pos : 0 < cmax.

Definition others (i : nat) := filter (fun j => negb (Nat.eqb j i)) Qh.
Lemma in_others i j : In j (others i) <-> In j Qh /\ j <> i.
Proof. unfold others. rewrite filter_In, Bool.negb_true_iff, Nat.eqb_neq. tauto. Qed.

Definition adj (b : nat -> R) j := b j - rho j.
Definition crit (b : nat -> R) i : option R :=
  match minl (adj b) (others i) with None => None | Some v => Some (rho i + v) end.
Definition pay (b : nat -> R) i : R := match crit b i with None => cmax | Some p => Rmin p cmax end.
Definition selected (b : nat -> R) s := In s Qh /\ forall j, In j Qh -> adj b s <= adj b j.
Definition lt_opt x (p : option R) := match p with None => True | Some p => x < p end.
Definition gt_opt x (p : option R) := match p with None => False | Some p => p < x end.

(* P_i does not depend on i's own bid *)
Lemma crit_own b b' i : (forall j, j <> i -> b j = b' j) -> crit b i = crit b' i.
Proof.
  intros H. unfold crit. rewrite (minl_ext (adj b) (adj b') (others i)); auto.
  intros j Hj. apply in_others in Hj. unfold adj. rewrite H; tauto.
Qed.

(* prop:selection-threshold *)
Theorem selection_threshold_win b i s : In i Qh -> selected b s -> lt_opt (b i) (crit b i) -> s = i.
Proof.
  intros Hi [Hs Hmin] Hlt. destruct (Nat.eq_dec s i) as [|Hne]; auto. exfalso.
  assert (Ho : In s (others i)) by (apply in_others; auto).
  unfold crit in Hlt. destruct (minl (adj b) (others i)) as [v|] eqn:E.
  - simpl in Hlt. pose proof (minl_lb _ _ _ E s Ho). specialize (Hmin i Hi). unfold adj in *. lra.
  - apply minl_none in E. rewrite E in Ho. destruct Ho.
Qed.

Theorem selection_threshold_lose b i s : selected b s -> gt_opt (b i) (crit b i) -> s <> i.
Proof.
  intros [Hs Hmin] Hgt ->. unfold crit in Hgt. destruct (minl (adj b) (others i)) as [v|] eqn:E; [|destruct Hgt].
  simpl in Hgt. destruct (minl_att _ _ _ E) as (j & Hj & ->). apply in_others in Hj.
  specialize (Hmin j (proj1 Hj)). unfold adj in *. lra.
Qed.

(* lem:payment-range *)
Theorem payment_range b s : (forall j, In j Qh -> 0 <= b j <= cmax) -> selected b s -> b s <= pay b s <= cmax.
Proof.
  intros Hb Hs. unfold pay. pose proof (selection_threshold_lose b s s Hs) as Hl.
  destruct (crit b s) as [p|]; simpl in Hl.
  - split; [|apply Rmin_r]. apply Rmin_glb; [|apply Hb; apply Hs].
    destruct (Rle_lt_dec (b s) p); auto. exfalso. apply Hl; auto.
  - specialize (Hb s (proj1 Hs)). lra.
Qed.

(* lem:one-step: G = (pay - e) if i selected, else 0; e = any estimate in [0,cmax] *)
Definition gain (b : nat -> R) s i e := if Nat.eq_dec s i then pay b i - e else 0.

Section OneStep.
Variables (b b' : nat -> R) (i s s' : nat) (e : R).
Hypothesis He : 0 <= e <= cmax.
Hypothesis Htruth : b i = e.
Hypothesis Hdev : 0 <= b' i <= cmax.
Hypothesis Hoth : forall j, j <> i -> b j = b' j.
Hypothesis Hs : selected b s.
Hypothesis Hs' : selected b' s'.

Lemma pay_same : pay b' i = pay b i.
Proof. unfold pay. rewrite <- (crit_own b b' i Hoth). reflexivity. Qed.

Theorem one_step_a : 0 <= gain b s i e.
Proof.
  unfold gain. destruct (Nat.eq_dec s i) as [->|]; [|lra].
  pose proof (selection_threshold_lose b i i Hs). unfold pay. destruct (crit b i) as [p|]; simpl in *; [|lra].
  assert (e <= p) by (destruct (Rle_lt_dec e p); auto; exfalso; apply H; [rewrite Htruth; assumption|reflexivity]).
  assert (e <= Rmin p cmax) by (apply Rmin_glb; lra). lra.
Qed.

Theorem one_step_b : gain b' s' i e <= gain b s i e.
Proof.
  pose proof one_step_a as Ha. unfold gain at 1. destruct (Nat.eq_dec s' i) as [E'|]; [|assumption]. subst s'.
  rewrite pay_same. assert (Hi : In i Qh) by apply Hs'.
  destruct (Rlt_le_dec (pay b i) e) as [Hlt|Hge]; [lra|].
  unfold gain. destruct (Nat.eq_dec s i) as [|Hne]; [lra|].
  (* i not selected under truth: then crit <= e, so pay <= e *)
  assert (~ lt_opt (b i) (crit b i)) as Hn by (intro; apply Hne; eapply selection_threshold_win; eauto).
  unfold pay in *. destruct (crit b i) as [p|]; simpl in Hn; [|tauto].
  pose proof (Rmin_l p cmax). lra.
Qed.

Theorem one_step_c p : In i Qh -> crit b i = Some p -> (e - p) * (b' i - p) < 0 -> gain b' s' i e < gain b s i e.
Proof.
  intros Hi Hp Hprod. assert (Hp' : crit b' i = Some p) by (rewrite <- (crit_own b b' i Hoth); auto).
  pose proof (selection_threshold_win b i s Hi Hs). pose proof (selection_threshold_lose b i s Hs).
  pose proof (selection_threshold_win b' i s' Hi Hs'). pose proof (selection_threshold_lose b' i s' Hs').
  rewrite Hp in *. rewrite Hp' in *. simpl in *. rewrite Htruth in *.
  assert (Hcase : (e < p /\ p < b' i) \/ (b' i < p /\ p < e)).
  { destruct (Rlt_le_dec e p), (Rlt_le_dec (b' i) p); try (exfalso; nra).
    - left. split; auto. destruct (Rle_lt_or_eq_dec _ _ r0); auto. exfalso; nra.
    - right. split; auto. destruct (Rle_lt_or_eq_dec _ _ r); auto. exfalso; nra. }
  unfold gain. destruct Hcase as [[h1 h2]|[h1 h2]].
  - rewrite (H h1). destruct (Nat.eq_dec i i); [|congruence]. destruct (Nat.eq_dec s' i) as [q|]; [exfalso; apply (H2 h2 q)|].
    unfold pay. rewrite Hp. assert (e < Rmin p cmax) by (apply Rmin_glb_lt; lra). lra.
  - rewrite (H1 h1). destruct (Nat.eq_dec i i); [|congruence]. destruct (Nat.eq_dec s i) as [q|]; [exfalso; apply (H0 h2 q)|].
    unfold pay. rewrite Hp'. pose proof (Rmin_l p cmax). lra.
Qed.
End OneStep.

(* ---- one step on the good event, with bounded deviations dm, dp (dm=dp=0: the paper's main lemmas) *)
Section GoodEvent.
Variables (Q : list nat) (b cbar chat : nat -> R) (dm dp c2 : R) (istar s : nat).
Hypothesis Hd : 0 <= dm /\ 0 <= dp.
Hypothesis HE : forall j, In j Qh -> Rabs (chat j - cbar j) <= rho j.
Hypothesis Hbid : forall j, In j Qh -> - dm <= b j - chat j <= dp.
Hypothesis Helig : forall j, In j Q -> In j Qh.              (* lem:qualified-eligibility *)
Hypothesis Hstar : In istar Q /\ forall j, In j Q -> j <> istar -> cbar istar < cbar j.
Hypothesis Hc2 : minl cbar (filter (fun j => negb (Nat.eqb j istar)) Q) = Some c2.   (* true second-lowest *)
Hypothesis Hc2max : c2 <= cmax.
Hypothesis Hsel : selected b s.

Lemma c2_lb j : In j Q -> j <> istar -> c2 <= cbar j.
Proof. intros. apply (minl_lb _ _ _ Hc2). rewrite filter_In, Bool.negb_true_iff, Nat.eqb_neq. tauto. Qed.
Lemma c2_att : exists j, In j Q /\ j <> istar /\ c2 = cbar j.
Proof. destruct (minl_att _ _ _ Hc2) as (j & Hj & E). rewrite filter_In, Bool.negb_true_iff, Nat.eqb_neq in Hj. exists j. tauto. Qed.

Lemma adjusted_bid_bounds j : In j Qh -> cbar j - 2 * rho j - dm <= adj b j <= cbar j + dp.
Proof. intros Hj. specialize (HE j Hj). specialize (Hbid j Hj). unfold adj. apply Rabs_le_inv in HE. lra. Qed.

Theorem selection_gap : cbar s - cbar istar <= 2 * rho s + dm + dp.
Proof.
  destruct Hsel as [Hs H]. pose proof (Helig _ (proj1 Hstar)) as Hi. specialize (H istar Hi).
  pose proof (adjusted_bid_bounds s Hs). pose proof (adjusted_bid_bounds istar Hi). lra.
Qed.

Lemma comp_exists : exists j, In j Q /\ j <> s /\ cbar j <= c2.
Proof.
  destruct (Nat.eq_dec s istar) as [->|Hne].
  - destruct c2_att as (j & ? & ? & ->). exists j. repeat split; auto. lra.
  - exists istar. repeat split; [tauto|auto|]. destruct c2_att as (j & ? & ? & ->). left. apply Hstar; auto.
Qed.

Theorem ordinary_payment : pay b s <= Rmin cmax (c2 + rho s + dp).
Proof.
  destruct comp_exists as (j & Hj & Hjs & Hjc). unfold pay, crit.
  assert (Ho : In j (others s)) by (apply in_others; auto).
  destruct (minl (adj b) (others s)) as [v|] eqn:E; [|apply minl_none in E; rewrite E in Ho; destruct Ho].
  pose proof (minl_lb _ _ _ E j Ho). pose proof (adjusted_bid_bounds j (Helig j Hj)).
  apply Rmin_glb; [apply Rmin_r|]. eapply Rle_trans; [apply Rmin_l|]. lra.
Qed.

Theorem two_sided_payment r :
  (forall j, In j Qh -> In j Q) -> (forall j, In j Q -> rho j <= r) ->
  c2 - 2 * r - dm <= pay b s <= c2 + r + dp.
Proof.
  intros HQ Hr. assert (Hs : In s Q) by (apply HQ, Hsel). pose proof (rho_nn s). pose proof (Hr s Hs). split.
  - unfold pay, crit. destruct (minl (adj b) (others s)) as [v|] eqn:E; [|lra].
    destruct (minl_att _ _ _ E) as (j & Hj & ->). apply in_others in Hj. destruct Hj as [Hj Hjs].
    pose proof (Hr j (HQ j Hj)). pose proof (adjusted_bid_bounds j Hj).
    apply Rmin_glb; [|lra]. destruct (Nat.eq_dec j istar) as [->|Hne].
    + (* then s <> istar; selection gives adj istar >= adj s *)
      destruct Hsel as [_ Hm]. specialize (Hm istar (Helig _ (proj1 Hstar))).
      pose proof (adjusted_bid_bounds s (proj1 Hsel)). assert (c2 <= cbar s) by (apply c2_lb; auto).
      specialize (HE s (proj1 Hsel)). specialize (Hbid s (proj1 Hsel)). apply Rabs_le_inv in HE. unfold adj in *. lra.
    + assert (c2 <= cbar j) by (apply c2_lb; auto). lra.
  - eapply Rle_trans; [apply ordinary_payment|]. eapply Rle_trans; [apply Rmin_r|]. lra.
Qed.
End GoodEvent.
End Step.

