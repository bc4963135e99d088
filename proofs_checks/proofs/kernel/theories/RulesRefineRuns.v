(* The programs of Rules.v are the mechanism of Runs.v.

   Over real numbers, with exact radii: after every history, for every N, the candidates are the steps, and the payment is
   the payment. Over rational numbers, which run: the programs decide and pay as over the same real numbers. Exact radii
   are seldom rational: where rounded numbers compare as the exact ones do, the programs decide as the mechanism, and
   where each is within epsilon, they pay it within 3 epsilon. *)
Require Import Reals QArith Qreals Lra Lia List Bool Arith.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs.
From Costproof Require Rules.
Import ListNotations.
Open Scope R_scope.

Definition le_bool (x y : R) : bool := if Rle_dec x y then true else false.
Definition reals : Rules.numbers :=
  {| Rules.number := R; Rules.zero := 0; Rules.plus := Rplus; Rules.minus := Rminus; Rules.at_most := le_bool |}.
(* the least whole number that is not below x; 0 where x is negative *)
Definition rounded_up (x : R) : nat := Z.to_nat (- Int_part (- x)).

Lemma le_bool_true x y : le_bool x y = true <-> x <= y.
Proof. unfold le_bool. destruct (Rle_dec x y); split; auto; discriminate. Qed.
Lemma if_le (x y : R) : (if le_bool x y then x else y) = Rmin x y.
Proof. unfold le_bool, Rmin. destruct (Rle_dec x y); reflexivity. Qed.

(* Counts are whole: below the target, and below the target rounded up, are the same. *)
Theorem below_rounded_up n x : (n < rounded_up x)%nat <-> INR n < x.
Proof.
  unfold rounded_up. destruct (base_Int_part (- x)) as [H1 H2]. rewrite INR_IZR_INZ. split; intros H.
  - assert (Hz : (Z.of_nat n + 1 <= - Int_part (- x))%Z) by lia. apply IZR_le in Hz. rewrite plus_IZR, opp_IZR in Hz. lra.
  - assert (Hz : IZR (Z.of_nat n) < IZR (- Int_part (- x))) by (rewrite opp_IZR; lra). apply lt_IZR in Hz. lia.
Qed.
Theorem rounded_up_is_ceiling x : 0 <= x -> INR (rounded_up x) = ceiling x.
Proof.
  intros Hx. unfold rounded_up, ceiling, floor. destruct (base_Int_part (- x)) as [H1 _].
  assert (Hz : (Int_part (- x) <= 0)%Z) by (apply le_IZR; lra). rewrite INR_IZR_INZ, Z2Nat.id by lia. apply opp_IZR.
Qed.

(* ---- the least of a list, twice *)
Lemma least_is_minl (f : nat -> R) first others :
  minl f (first :: others) = Some (Rules.least reals (f first) (map f others)).
Proof.
  revert first. induction others as [|next rest IH]; intros first; [reflexivity|].
  assert (Hleast : forall l a b, Rules.least reals (Rmin a b) l = Rmin a (Rules.least reals b l)).
  { clear. induction l as [|c l IH]; intros a b; [reflexivity|]. cbn [Rules.least].
    change (Rules.at_most reals) with le_bool. rewrite !if_le, <- Rmin_assoc. apply IH. }
  change (minl f (first :: next :: rest)) with
    (match minl f (next :: rest) with None => Some (f first) | Some v => Some (Rmin (f first) v) end).
  rewrite IH. cbn [map Rules.least]. change (Rules.at_most reals) with le_bool. rewrite if_le, Hleast. reflexivity.
Qed.

Lemma filter_empty (A : Type) (f : A -> bool) l : filter f l = [] <-> forall x, In x l -> f x = false.
Proof.
  split.
  - intros H x Hx. destruct (f x) eqn:E; auto. assert (Hin : In x (filter f l)) by (apply filter_In; auto). rewrite H in Hin. destruct Hin.
  - induction l as [|x l IH]; intros H; [reflexivity|]. simpl. rewrite (H x) by (simpl; auto). apply IH. intros; apply H; simpl; auto.
Qed.

(* ---- over real numbers, after a history of a run *)
Section Refinement.
Variables (N : nat) (delta cmax qmin gamma : R).
Variables (quality_estimate : nat -> nat -> R) (bid : list nat -> nat -> R) (g : nat -> R) (h : list nat).
Notation eligible_set := (Qh N delta qmin quality_estimate h).
Notation explores := (explores N delta qmin quality_estimate g h).
Notation step := (step N delta cmax qmin gamma quality_estimate bid g h).
Notation payment := (payment N delta cmax qmin gamma quality_estimate bid g h).

(* What the platform knows after the history, and the target of the step that comes. *)
Definition known (i : nat) : Rules.provider R :=
  {| Rules.quality := quality_estimate i (m h i); Rules.radius := bt N delta (m h i); Rules.bid := bid h i;
     Rules.cost_radius := rad N delta cmax gamma (m h i); Rules.count := m h i |}.
Definition providers : list (Rules.provider R) := map known (seq 0 N).
Definition whole_target : nat := rounded_up (g (now N h)).

Lemma provider_at_is i : (i < N)%nat -> Rules.provider_at reals providers i = known i.
Proof.
  intros Hi. unfold Rules.provider_at, providers. rewrite (nth_indep _ _ (known 0)) by (rewrite map_length, seq_length; exact Hi).
  rewrite map_nth, seq_nth by exact Hi. reflexivity.
Qed.
Lemma everybody_is : Rules.everybody reals providers = seq 0 N.
Proof. unfold Rules.everybody, providers. rewrite map_length, seq_length. reflexivity. Qed.

Theorem eligible_is_Qh : Rules.eligible reals providers qmin = eligible_set.
Proof.
  unfold Rules.eligible, Qh. rewrite everybody_is. apply filter_ext_in. intros i Hi. apply in_seq in Hi.
  unfold Rules.may_qualify. rewrite provider_at_is by lia. reflexivity.
Qed.
Lemma eligible_lt i : In i eligible_set -> (i < N)%nat. Proof. unfold Qh. rewrite filter_In, in_seq. lia. Qed.

Theorem under_sampled_is i :
  In i (Rules.under_sampled reals providers qmin whole_target) <-> In i eligible_set /\ INR (m h i) < g (now N h).
Proof.
  unfold Rules.under_sampled. rewrite filter_In, eligible_is_Qh. split; intros [Hi H]; split; auto.
  - rewrite provider_at_is in H by (apply eligible_lt; auto). apply Nat.ltb_lt in H. apply below_rounded_up. exact H.
  - rewrite provider_at_is by (apply eligible_lt; auto). apply Nat.ltb_lt. apply below_rounded_up. exact H.
Qed.
Lemma under_sampled_empty : Rules.under_sampled reals providers qmin whole_target = [] <-> ~ explores.
Proof.
  split.
  - intros E (j & Hj & Hm). assert (Hin : In j (Rules.under_sampled reals providers qmin whole_target)) by (apply under_sampled_is; auto).
    rewrite E in Hin. destruct Hin.
  - intros Hn. destruct (Rules.under_sampled reals providers qmin whole_target) as [|j l] eqn:E; auto. exfalso. apply Hn. exists j.
    apply under_sampled_is. rewrite E. simpl; auto.
Qed.

Theorem kind_of_query_is :
  match Rules.kind_of_query reals providers qmin whole_target with
  | Rules.Empty => eligible_set = [] | Rules.Exploration => explores | Rules.Auction => eligible_set <> [] /\ ~ explores
  end.
Proof.
  unfold Rules.kind_of_query. rewrite eligible_is_Qh. destruct eligible_set as [|x l] eqn:E; [reflexivity|].
  destruct (Rules.under_sampled reals providers qmin whole_target) as [|j rest] eqn:Eu.
  - split; [discriminate|]. apply under_sampled_empty. exact Eu.
  - exists j. apply under_sampled_is. rewrite Eu. simpl; auto.
Qed.

Lemma adjusted_is i : (i < N)%nat -> Rules.adjusted reals providers i = adj (radii N delta cmax gamma h) (bid h) i.
Proof. intros Hi. unfold Rules.adjusted. rewrite provider_at_is by exact Hi. reflexivity. Qed.
Lemma lowest_is s : In s (Rules.lowest reals providers eligible_set) <-> selected eligible_set (radii N delta cmax gamma h) (bid h) s.
Proof.
  unfold Rules.lowest, selected. rewrite filter_In, forallb_forall. split; intros [Hs H]; split; auto; intros j Hj; specialize (H j Hj).
  - rewrite !adjusted_is in H by (apply eligible_lt; auto). apply le_bool_true. exact H.
  - rewrite !adjusted_is by (apply eligible_lt; auto). apply le_bool_true. exact H.
Qed.

(* Every candidate is a step, and every step is a candidate. *)
Theorem candidates_are_steps s : In s (Rules.candidates reals providers qmin whole_target) <-> step s.
Proof.
  pose proof kind_of_query_is as Hk. unfold Rules.candidates, Runs.step.
  destruct (Rules.kind_of_query reals providers qmin whole_target).
  - rewrite under_sampled_is. split; [left; auto|]. intros [(_ & H)|[[E _]|[Hn _]]]; [exact H| |contradiction].
    destruct Hk as (j & Hj & _). rewrite E in Hj. destruct Hj.
  - rewrite eligible_is_Qh, lowest_is. destruct Hk as [Hne Hn]. split; [right; right; auto|].
    intros [(He & _)|[[E _]|[_ H]]]; [contradiction|contradiction|exact H].
  - rewrite everybody_is, in_seq. split; [right; left; split; [exact Hk|lia]|].
    intros [((j & Hj & _) & _)|[[_ H]|[_ [H _]]]]; [rewrite Hk in Hj; destruct Hj|lia|rewrite Hk in H; destruct H].
Qed.

Theorem critical_payment_is i : (i < N)%nat ->
  Rules.critical_payment reals providers qmin i = crit eligible_set (radii N delta cmax gamma h) (bid h) i.
Proof.
  intros Hi. unfold Rules.critical_payment, crit, Rules.rivals. rewrite eligible_is_Qh. fold (others eligible_set i).
  rewrite (map_ext_in _ (adj (radii N delta cmax gamma h) (bid h))).
  2:{ intros j Hj. apply in_others in Hj. apply adjusted_is, eligible_lt, Hj. }
  destruct (others eligible_set i) as [|first rest]; [reflexivity|]. rewrite least_is_minl. rewrite provider_at_is by exact Hi. reflexivity.
Qed.
Lemma auction_payment_is i : (i < N)%nat ->
  Rules.auction_payment reals providers qmin cmax i = pay eligible_set (radii N delta cmax gamma h) cmax (bid h) i.
Proof.
  intros Hi. unfold Rules.auction_payment, pay. rewrite critical_payment_is by exact Hi. destruct (crit _ _ _ _) as [p|]; [|reflexivity].
  rewrite Rmin_comm. apply if_le.
Qed.
Theorem payment_is i : (i < N)%nat -> Rules.payment reals providers qmin cmax whole_target i = payment i.
Proof.
  intros Hi. pose proof kind_of_query_is as Hk. unfold Rules.payment, Runs.payment.
  destruct (Rules.kind_of_query reals providers qmin whole_target); destruct (explores_dec N delta qmin quality_estimate g h) as [He|Hn]; try reflexivity.
  - contradiction.
  - destruct Hk. contradiction.
  - rewrite auction_payment_is by exact Hi. destruct eligible_set; [destruct Hk; contradiction|reflexivity].
  - rewrite Hk. reflexivity.
Qed.
End Refinement.

(* The same of whole runs: a history is a run if and only if every provider in it was a candidate when it was served. *)
Theorem runs_of_the_program N delta cmax qmin gamma quality_estimate bid g h s :
  run N delta cmax qmin gamma quality_estimate bid g (s :: h) <->
  run N delta cmax qmin gamma quality_estimate bid g h /\
  In s (Rules.candidates reals (providers N delta cmax gamma quality_estimate bid h) qmin (whole_target N g h)).
Proof.
  rewrite candidates_are_steps. split; [intros H; inversion H; auto|intros [Hr Hs]; constructor; auto].
Qed.

(* ---- numbers that compare alike are decided alike: two lists of providers, over any numbers *)
Section Alike.
Variables (A B : Rules.numbers).
Notation one := (Rules.number A).
Notation two := (Rules.number B).
Variables (left : list (Rules.provider one)) (right : list (Rules.provider two)) (low : one) (low' : two) (target : nat).
Notation at_left := (Rules.provider_at A left).
Notation at_right := (Rules.provider_at B right).

Definition compare_alike : Prop :=
  length left = length right /\
  (forall i, (i < length left)%nat -> Rules.count (at_left i) = Rules.count (at_right i) /\
    Rules.may_qualify A left low i = Rules.may_qualify B right low' i) /\
  (forall i j, (i < length left)%nat -> (j < length left)%nat ->
    Rules.at_most A (Rules.adjusted A left i) (Rules.adjusted A left j)
    = Rules.at_most B (Rules.adjusted B right i) (Rules.adjusted B right j)).
Hypothesis alike : compare_alike.

Theorem eligible_alike : Rules.eligible A left low = Rules.eligible B right low'.
Proof.
  destruct alike as (Hl & Hi & _). unfold Rules.eligible, Rules.everybody. rewrite <- Hl. apply filter_ext_in.
  intros i H. apply in_seq in H. apply Hi. lia.
Qed.
Lemma eligible_within i : In i (Rules.eligible A left low) -> (i < length left)%nat.
Proof. unfold Rules.eligible, Rules.everybody. rewrite filter_In, in_seq. lia. Qed.
Lemma under_sampled_alike : Rules.under_sampled A left low target = Rules.under_sampled B right low' target.
Proof.
  unfold Rules.under_sampled. rewrite <- eligible_alike. apply filter_ext_in. intros i Hi.
  destruct alike as (_ & H & _). destruct (H i (eligible_within i Hi)) as [-> _]. reflexivity.
Qed.
Theorem kind_alike : Rules.kind_of_query A left low target = Rules.kind_of_query B right low' target.
Proof. unfold Rules.kind_of_query. rewrite eligible_alike, under_sampled_alike. reflexivity. Qed.
Lemma forallb_ext_in (f f' : nat -> bool) l : (forall i, In i l -> f i = f' i) -> forallb f l = forallb f' l.
Proof.
  induction l as [|x l IH]; intros H; [reflexivity|]. simpl. rewrite (H x) by (simpl; auto). rewrite IH; auto. intros; apply H; simpl; auto.
Qed.
Theorem candidates_alike : Rules.candidates A left low target = Rules.candidates B right low' target.
Proof.
  unfold Rules.candidates. rewrite <- kind_alike, <- under_sampled_alike, <- eligible_alike. destruct alike as (Hl & _ & Hc).
  destruct (Rules.kind_of_query A left low target); [reflexivity| |unfold Rules.everybody; rewrite Hl; reflexivity].
  unfold Rules.lowest. apply filter_ext_in. intros i Hi. apply forallb_ext_in. intros j Hj. apply Hc; apply eligible_within; assumption.
Qed.
End Alike.

(* ---- over rational numbers: decided and paid as over the same real numbers *)
Definition as_real (p : Rules.provider Q) : Rules.provider R :=
  {| Rules.quality := Q2R (Rules.quality p); Rules.radius := Q2R (Rules.radius p); Rules.bid := Q2R (Rules.bid p);
     Rules.cost_radius := Q2R (Rules.cost_radius p); Rules.count := Rules.count p |}.
Lemma Qle_bool_as_real x y : Qle_bool x y = le_bool (Q2R x) (Q2R y).
Proof.
  unfold le_bool. destruct (Rle_dec (Q2R x) (Q2R y)) as [H|H].
  - apply Qle_bool_iff. apply Rle_Qle. exact H.
  - destruct (Qle_bool x y) eqn:E; auto. exfalso. apply H, Qle_Rle, Qle_bool_iff, E.
Qed.

Section Rationals.
Variables (some : list (Rules.provider Q)) (low high : Q) (target : nat).
Notation real := (map as_real some).
Notation exact := Rules.rationals.

Lemma at_as_real i : Rules.provider_at reals real i = as_real (Rules.provider_at exact some i).
Proof.
  unfold Rules.provider_at. replace (Rules.nobody reals) with (as_real (Rules.nobody exact)); [apply map_nth|].
  unfold as_real, Rules.nobody. simpl. rewrite RMicromega.Q2R_0. reflexivity.
Qed.
Lemma adjusted_as_real i : Rules.adjusted reals real i = Q2R (Rules.adjusted exact some i).
Proof. unfold Rules.adjusted. rewrite at_as_real. simpl. rewrite Q2R_minus. reflexivity. Qed.
Lemma rationals_compare_alike : compare_alike exact reals some real low (Q2R low).
Proof.
  split; [rewrite map_length; reflexivity|]. split; intros i.
  - intros _. rewrite at_as_real. split; [reflexivity|]. unfold Rules.may_qualify. rewrite at_as_real. simpl.
    rewrite Qle_bool_as_real, Q2R_plus. reflexivity.
  - intros j _ _. rewrite !adjusted_as_real. apply Qle_bool_as_real.
Qed.
Theorem rational_kind : Rules.kind_of_query exact some low target = Rules.kind_of_query reals real (Q2R low) target.
Proof. apply kind_alike, rationals_compare_alike. Qed.
Theorem rational_candidates : Rules.candidates exact some low target = Rules.candidates reals real (Q2R low) target.
Proof. apply candidates_alike, rationals_compare_alike. Qed.

Lemma least_as_real first others : Q2R (Rules.least exact first others) = Rules.least reals (Q2R first) (map Q2R others).
Proof.
  revert first. induction others as [|next rest IH]; intros first; [reflexivity|]. cbn [Rules.least map]. rewrite IH. f_equal.
  change (Rules.at_most exact) with Qle_bool. change (Rules.at_most reals) with le_bool. rewrite Qle_bool_as_real.
  destruct (le_bool _ _); reflexivity.
Qed.
Lemma critical_as_real i : option_map Q2R (Rules.critical_payment exact some low i) = Rules.critical_payment reals real (Q2R low) i.
Proof.
  unfold Rules.critical_payment, Rules.rivals. rewrite <- (eligible_alike _ _ _ _ _ _ rationals_compare_alike).
  set (l := filter _ _). rewrite (map_ext_in (Rules.adjusted reals real) (fun j => Q2R (Rules.adjusted exact some j)))
    by (intros; apply adjusted_as_real).
  rewrite <- (map_map (Rules.adjusted exact some) Q2R). destruct (map (Rules.adjusted exact some) l) as [|first rest]; [reflexivity|].
  cbn [option_map map]. rewrite at_as_real. rewrite <- least_as_real. simpl. rewrite Q2R_plus. reflexivity.
Qed.
Theorem rational_payment i :
  Q2R (Rules.payment exact some low high target i) = Rules.payment reals real (Q2R low) (Q2R high) target i.
Proof.
  unfold Rules.payment. rewrite <- rational_kind. destruct (Rules.kind_of_query exact some low target); try reflexivity.
  unfold Rules.auction_payment. rewrite <- critical_as_real. destruct (Rules.critical_payment exact some low i) as [p|]; [|reflexivity].
  cbn [option_map]. change (Rules.at_most exact) with Qle_bool. change (Rules.at_most reals) with le_bool.
  rewrite Qle_bool_as_real. destruct (le_bool _ _); reflexivity.
Qed.
End Rationals.

(* ---- rounded numbers that compare as the exact ones do, each within epsilon of it: paid within 3 epsilon *)
Lemma Rmin_near a b a' b' e : Rabs (a - a') <= e -> Rabs (b - b') <= e -> Rabs (Rmin a b - Rmin a' b') <= e.
Proof.
  intros Ha Hb. apply Rabs_le_inv in Ha. apply Rabs_le_inv in Hb. apply Rabs_le.
  unfold Rmin. destruct (Rle_dec a b); destruct (Rle_dec a' b'); lra.
Qed.
Lemma least_near (f f' : nat -> R) e first others :
  (forall j, In j (first :: others) -> Rabs (f j - f' j) <= e) ->
  Rabs (Rules.least reals (f first) (map f others) - Rules.least reals (f' first) (map f' others)) <= e.
Proof.
  intros H. assert (Hmin : forall l v v', minl f l = Some v -> minl f' l = Some v' ->
    (forall j, In j l -> Rabs (f j - f' j) <= e) -> Rabs (v - v') <= e).
  { clear. induction l as [|x l IH]; intros v v' E E' H; [discriminate|]. simpl in E, E'.
    assert (Hx : Rabs (f x - f' x) <= e) by (apply H; simpl; auto).
    destruct (minl f l) as [w|] eqn:Ew; destruct (minl f' l) as [w'|] eqn:Ew'.
    - injection E as <-. injection E' as <-. apply Rmin_near; [exact Hx|]. apply IH; auto. intros; apply H; simpl; auto.
    - apply minl_none in Ew'. subst l. discriminate.
    - apply minl_none in Ew. subst l. discriminate.
    - injection E as <-. injection E' as <-. exact Hx. }
  exact (Hmin _ _ _ (least_is_minl f first others) (least_is_minl f' first others) H).
Qed.

Section Rounded.
Variables (left right : list (Rules.provider R)) (low low' high high' epsilon : R) (target : nat).
Hypothesis alike : compare_alike reals reals left right low low'.
Hypothesis near : forall i, (i < length left)%nat ->
  Rabs (Rules.bid (Rules.provider_at reals left i) - Rules.bid (Rules.provider_at reals right i)) <= epsilon /\
  Rabs (Rules.cost_radius (Rules.provider_at reals left i) - Rules.cost_radius (Rules.provider_at reals right i)) <= epsilon.
Hypothesis near_bound : Rabs (high - high') <= epsilon.

Theorem payment_near i : (i < length left)%nat ->
  Rabs (Rules.payment reals left low high target i - Rules.payment reals right low' high' target i) <= 3 * epsilon.
Proof.
  intros Hi. assert (He : 0 <= epsilon) by (eapply Rle_trans; [apply Rabs_pos|exact near_bound]).
  unfold Rules.payment. rewrite <- (kind_alike _ _ _ _ _ _ _ alike).
  destruct (Rules.kind_of_query reals left low target); try lra.
  unfold Rules.auction_payment, Rules.critical_payment, Rules.rivals. rewrite <- (eligible_alike _ _ _ _ _ _ alike).
  assert (Hl : forall j, In j (filter (fun j => negb (Nat.eqb j i)) (Rules.eligible reals left low)) ->
    Rabs (Rules.adjusted reals left j - Rules.adjusted reals right j) <= 2 * epsilon).
  { intros j Hj. apply filter_In in Hj. destruct (near j (eligible_within _ _ _ _ (proj1 Hj))) as [H1 H2].
    apply Rabs_le_inv in H1. apply Rabs_le_inv in H2. apply Rabs_le. unfold Rules.adjusted. change (Rules.minus reals) with Rminus. lra. }
  destruct (filter (fun j => negb (Nat.eqb j i)) (Rules.eligible reals left low)) as [|first rest]; cbn [map]; [lra|].
  pose proof (least_near _ _ _ _ _ Hl) as H1. destruct (near i Hi) as [_ H2].
  cbn [Rules.plus Rules.at_most reals]. rewrite !if_le. apply Rmin_near; [lra|].
  apply Rabs_le_inv in H1. apply Rabs_le_inv in H2. apply Rabs_le. change (Rules.number reals) with R in *. lra.
Qed.
End Rounded.

Section RoundedRun.
Variables (N : nat) (delta cmax qmin gamma : R).
Variables (quality_estimate : nat -> nat -> R) (bid : list nat -> nat -> R) (g : nat -> R) (h : list nat).
Variables (rounded : list (Rules.provider Q)) (low high : Q) (epsilon : R).
Notation known := (providers N delta cmax gamma quality_estimate bid h).
Notation target := (whole_target N g h).

Definition rounded_numbers : Prop :=
  compare_alike Rules.rationals reals rounded known low qmin /\ Rabs (Q2R high - cmax) <= epsilon /\
  forall i, (i < N)%nat -> let p := Rules.provider_at Rules.rationals rounded i in
    Rabs (Q2R (Rules.bid p) - bid h i) <= epsilon /\
    Rabs (Q2R (Rules.cost_radius p) - rad N delta cmax gamma (m h i)) <= epsilon.

Theorem rounded_steps s : rounded_numbers ->
  In s (Rules.candidates Rules.rationals rounded low target) <-> step N delta cmax qmin gamma quality_estimate bid g h s.
Proof. intros (Ha & _). rewrite (candidates_alike _ _ _ _ _ _ _ Ha). apply candidates_are_steps. Qed.

Theorem rounded_payment i : rounded_numbers -> (i < N)%nat ->
  Rabs (Q2R (Rules.payment Rules.rationals rounded low high target i)
        - payment N delta cmax qmin gamma quality_estimate bid g h i) <= 3 * epsilon.
Proof.
  intros (Ha & Hh & Hn) Hi. rewrite rational_payment. rewrite <- payment_is by exact Hi.
  pose proof (rationals_compare_alike rounded low) as (Hl1 & Hq1 & Hc1). destruct Ha as (Hl2 & Hq2 & Hc2).
  assert (HN : length (map as_real rounded) = N).
  { transitivity (length rounded); [apply map_length|]. transitivity (length known); [exact Hl2|].
    unfold providers. rewrite map_length. apply seq_length. }
  apply payment_near; [|intros j Hj|exact Hh|rewrite HN; exact Hi].
  - split; [exact (eq_trans (eq_sym Hl1) Hl2)|]. split.
    + intros j Hj. rewrite map_length in Hj. destruct (Hq1 j Hj) as [E1 E2]. destruct (Hq2 j Hj) as [E3 E4].
      split; [exact (eq_trans (eq_sym E1) E3)|exact (eq_trans (eq_sym E2) E4)].
    + intros j k Hj Hk. rewrite map_length in Hj, Hk. exact (eq_trans (eq_sym (Hc1 j k Hj Hk)) (Hc2 j k Hj Hk)).
  - rewrite HN in Hj. rewrite provider_at_is by exact Hj. rewrite at_as_real. exact (Hn j Hj).
Qed.
End RoundedRun.

(* Rounded numbers of that kind exist, where the exact ones are not rational: both radii are rounded to 1 here. *)
Definition rounded_provider (cost : Q) : Rules.provider Q :=
  {| Rules.quality := 1%Q; Rules.radius := 1%Q; Rules.bid := cost; Rules.cost_radius := 1%Q; Rules.count := 1 |}.
Example a_rounded_query : exists epsilon, rounded_numbers 2 (1 / 2) 1 (1 / 2) 0 (fun _ _ => 1)
  (fun _ i => match i with O => 1 / 4 | _ => 1 / 2 end) [] [rounded_provider (1 # 4)%Q; rounded_provider (1 # 2)%Q] (1 # 2)%Q 1%Q epsilon.
Proof.
  set (b := bt 2 (1 / 2) 1). assert (Hb : 0 <= b) by apply sqrt_pos. exists (Rabs (1 - b)).
  pose proof (Rabs_pos (1 - b)). assert (Hr : rad 2 (1 / 2) 1 0 1 = b) by (unfold rad; fold b; ring).
  split; [split; [reflexivity|split]|split].
  - intros i Hi. destruct i as [|[|i]]; [| |simpl in Hi; lia]; (split; [reflexivity|]); unfold Rules.may_qualify; simpl;
      symmetry; apply le_bool_true; change (bt 2 (1 / 2) (m [] _)) with b; lra.
  - intros i j Hi Hj. destruct i as [|[|i]]; destruct j as [|[|j]]; simpl in Hi, Hj; try lia; unfold Rules.adjusted;
      cbn; change (m [] _) with 1%nat; rewrite Hr; unfold le_bool; destruct (Rle_dec _ _) as [H0|H0]; try reflexivity; lra.
  - unfold Q2R. simpl. replace (1 * / 1 - 1) with 0 by field. rewrite Rabs_R0. assumption.
  - intros i Hi. destruct i as [|[|i]]; [| |lia]; cbn; unfold Q2R; simpl; change (m [] _) with 1%nat; rewrite Hr; split;
      first [replace (1 * / 1 - b) with (1 - b) by field; lra | match goal with |- Rabs ?x <= _ => replace x with 0 by field end; rewrite Rabs_R0; assumption].
Qed.
