(* The programs of Rules.v are the mechanism of Runs.v.

   Over real numbers, with exact radii: after every history, for every N, the candidates are the steps, and the payment is
   the payment; a log that the programs permit, with the counts, means and bids that they keep, is a run. Over rational
   numbers, which run: the programs decide and pay as over the same real numbers. Exact radii are seldom rational: where
   rational ends that enclose them decide a query, the programs decide as the mechanism, and pay it within 3 epsilon. *)
Require Import Reals QArith Qreals Lra Lia List Bool Arith.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs.
From Costproof Require Rules.
Import ListNotations.
Open Scope R_scope.

Definition le_bool (x y : R) : bool := if Rle_dec x y then true else false.
Definition reals : Rules.numbers :=
  {| Rules.number := R; Rules.plus := Rplus; Rules.minus := Rminus; Rules.over := Rdiv; Rules.whole := INR;
     Rules.at_most := le_bool |}.
(* the least whole number that is not below x; 0 where x is negative *)
Definition rounded_up (x : R) : nat := Z.to_nat (- Int_part (- x)).

Lemma le_bool_true x y : le_bool x y = true <-> x <= y.
Proof. unfold le_bool. destruct (Rle_dec x y); split; auto; discriminate. Qed.
Lemma if_le (x y : R) : (if le_bool x y then x else y) = Rmin x y.
Proof. unfold le_bool, Rmin. destruct (Rle_dec x y); reflexivity. Qed.

(* Counts are whole: below g(t), and below g(t) rounded up, as the programs in Python keep it, are the same. *)
Theorem below_rounded_up n x : (n < rounded_up x)%nat <-> INR n < x.
Proof.
  unfold rounded_up. destruct (base_Int_part (- x)) as [H1 H2]. rewrite INR_IZR_INZ. split; intros H.
  - assert (Hz : (Z.of_nat n + 1 <= - Int_part (- x))%Z) by lia. apply IZR_le in Hz. rewrite plus_IZR, opp_IZR in Hz. lra.
  - assert (Hz : IZR (Z.of_nat n) < IZR (- Int_part (- x))) by (rewrite opp_IZR; lra). apply lt_IZR in Hz. lia.
Qed.
(* A count that is a ceiling of Runs.v is the number rounded up. *)
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

(* What the platform knows after the history. *)
Definition known (i : nat) : Rules.provider R :=
  {| Rules.quality := quality_estimate i (m h i); Rules.radius := bt N delta (m h i); Rules.bid := bid h i;
     Rules.cost_radius := rad N delta cmax gamma (m h i); Rules.count := m h i |}.
Definition providers : list (Rules.provider R) := map known (seq 0 N).
Notation goal := (g (now N h)).

Lemma provider_at_is i : (i < N)%nat -> Rules.provider_at reals providers i = known i.
Proof.
  intros Hi. unfold Rules.provider_at, providers. rewrite (nth_indep _ _ (known 0)) by (rewrite map_length, seq_length; exact Hi).
  rewrite map_nth, seq_nth by exact Hi. reflexivity.
Qed.
Lemma everybody_is : Rules.everybody reals providers = seq 0 N.
Proof. unfold Rules.everybody, providers. rewrite map_length, seq_length. reflexivity. Qed.

(* The eligible providers are the estimated-qualified set. *)
Theorem eligible_is_Qh : Rules.eligible reals providers qmin = eligible_set.
Proof.
  unfold Rules.eligible, Qh. rewrite everybody_is. apply filter_ext_in. intros i Hi. apply in_seq in Hi.
  unfold Rules.may_qualify. rewrite provider_at_is by lia. reflexivity.
Qed.
Lemma eligible_lt i : In i eligible_set -> (i < N)%nat. Proof. unfold Qh. rewrite filter_In, in_seq. lia. Qed.

Lemma below_goal_is i : (i < N)%nat -> Rules.below_goal reals providers goal i = true <-> INR (m h i) < goal.
Proof.
  intros Hi. unfold Rules.below_goal. rewrite provider_at_is by exact Hi. rewrite negb_true_iff.
  change (le_bool goal (INR (m h i)) = false <-> INR (m h i) < goal). unfold le_bool. destruct (Rle_dec goal (INR (m h i))).
  - split; [discriminate|lra].
  - split; [lra|reflexivity].
Qed.
(* The under-sampled providers are the eligible ones with m_{i,t} < g(t). *)
Theorem under_sampled_is i :
  In i (Rules.under_sampled reals providers qmin goal) <-> In i eligible_set /\ INR (m h i) < goal.
Proof.
  unfold Rules.under_sampled. rewrite filter_In, eligible_is_Qh.
  split; intros [Hi H]; split; auto; apply below_goal_is; auto; apply eligible_lt; exact Hi.
Qed.
Lemma under_sampled_empty : Rules.under_sampled reals providers qmin goal = [] <-> ~ explores.
Proof.
  split.
  - intros E (j & Hj & Hm). assert (Hin : In j (Rules.under_sampled reals providers qmin goal)) by (apply under_sampled_is; auto).
    rewrite E in Hin. destruct Hin.
  - intros Hn. destruct (Rules.under_sampled reals providers qmin goal) as [|j l] eqn:E; auto. exfalso. apply Hn. exists j.
    apply under_sampled_is. rewrite E. simpl; auto.
Qed.

(* A query is an exploration, an auction or neither where the mechanism says so. *)
Theorem kind_of_query_is :
  match Rules.kind_of_query reals providers qmin goal with
  | Rules.Empty => eligible_set = [] | Rules.Exploration => explores | Rules.Auction => eligible_set <> [] /\ ~ explores
  end.
Proof.
  unfold Rules.kind_of_query. rewrite eligible_is_Qh. destruct eligible_set as [|x l] eqn:E; [reflexivity|].
  destruct (Rules.under_sampled reals providers qmin goal) as [|j rest] eqn:Eu.
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
Theorem candidates_are_steps s : In s (Rules.candidates reals providers qmin goal) <-> step s.
Proof.
  pose proof kind_of_query_is as Hk. unfold Rules.candidates, Runs.step.
  destruct (Rules.kind_of_query reals providers qmin goal).
  - rewrite under_sampled_is. split; [left; auto|]. intros [(_ & H)|[[E _]|[Hn _]]]; [exact H| |contradiction].
    destruct Hk as (j & Hj & _). rewrite E in Hj. destruct Hj.
  - rewrite eligible_is_Qh, lowest_is. destruct Hk as [Hne Hn]. split; [right; right; auto|].
    intros [(He & _)|[[E _]|[_ H]]]; [contradiction|contradiction|exact H].
  - rewrite everybody_is, in_seq. split; [right; left; split; [exact Hk|lia]|].
    intros [((j & Hj & _) & _)|[[_ H]|[_ [H _]]]]; [rewrite Hk in Hj; destruct Hj|lia|rewrite Hk in H; destruct H].
Qed.

(* The critical payment is P_{i,t}. *)
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
(* Whoever serves is paid what the mechanism pays. *)
Theorem payment_is i : (i < N)%nat -> Rules.payment reals providers qmin cmax goal i = payment i.
Proof.
  intros Hi. pose proof kind_of_query_is as Hk. unfold Rules.payment, Runs.payment.
  destruct (Rules.kind_of_query reals providers qmin goal); destruct (explores_dec N delta qmin quality_estimate g h) as [He|Hn]; try reflexivity.
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
  In s (Rules.candidates reals (providers N delta cmax gamma quality_estimate bid h) qmin (g (now N h))).
Proof.
  rewrite candidates_are_steps. split; [intros H; inversion H; auto|intros [Hr Hs]; constructor; auto].
Qed.

(* ---- numbers that compare alike are decided alike: two lists of providers, over any numbers *)
Section Alike.
Variables (A B : Rules.numbers).
Notation one := (Rules.number A).
Notation two := (Rules.number B).
Variables (left : list (Rules.provider one)) (right : list (Rules.provider two)) (low goal : one) (low' goal' : two).

Definition compare_alike : Prop :=
  length left = length right /\
  (forall i, (i < length left)%nat -> Rules.may_qualify A left low i = Rules.may_qualify B right low' i) /\
  (forall i, In i (Rules.eligible A left low) -> Rules.below_goal A left goal i = Rules.below_goal B right goal' i) /\
  (forall i j, In i (Rules.eligible A left low) -> In j (Rules.eligible A left low) ->
    Rules.at_most A (Rules.adjusted A left i) (Rules.adjusted A left j)
    = Rules.at_most B (Rules.adjusted B right i) (Rules.adjusted B right j)).
Hypothesis alike : compare_alike.

(* Lists that compare alike have the same eligible providers. *)
Theorem eligible_alike : Rules.eligible A left low = Rules.eligible B right low'.
Proof.
  destruct alike as (Hl & Hi & _). unfold Rules.eligible, Rules.everybody. rewrite <- Hl. apply filter_ext_in.
  intros i H. apply in_seq in H. apply Hi. lia.
Qed.
Lemma eligible_within i : In i (Rules.eligible A left low) -> (i < length left)%nat.
Proof. unfold Rules.eligible, Rules.everybody. rewrite filter_In, in_seq. lia. Qed.
Lemma under_sampled_alike : Rules.under_sampled A left low goal = Rules.under_sampled B right low' goal'.
Proof.
  unfold Rules.under_sampled. rewrite <- eligible_alike. apply filter_ext_in. intros i Hi.
  destruct alike as (_ & _ & H & _). exact (H i Hi).
Qed.
(* They make a query of the same kind. *)
Theorem kind_alike : Rules.kind_of_query A left low goal = Rules.kind_of_query B right low' goal'.
Proof. unfold Rules.kind_of_query. rewrite eligible_alike, under_sampled_alike. reflexivity. Qed.
Lemma forallb_ext_in (f f' : nat -> bool) l : (forall i, In i l -> f i = f' i) -> forallb f l = forallb f' l.
Proof.
  induction l as [|x l IH]; intros H; [reflexivity|]. simpl. rewrite (H x) by (simpl; auto). rewrite IH; auto. intros; apply H; simpl; auto.
Qed.
(* They allocate it among the same providers. *)
Theorem candidates_alike : Rules.candidates A left low goal = Rules.candidates B right low' goal'.
Proof.
  unfold Rules.candidates. rewrite <- kind_alike, <- under_sampled_alike, <- eligible_alike. destruct alike as (Hl & _ & _ & Hc).
  destruct (Rules.kind_of_query A left low goal); [reflexivity| |unfold Rules.everybody; rewrite Hl; reflexivity].
  unfold Rules.lowest. apply filter_ext_in. intros i Hi. apply forallb_ext_in. intros j Hj. apply Hc; assumption.
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
Variables (some : list (Rules.provider Q)) (low high goal : Q).
Notation real := (map as_real some).
Notation exact := Rules.rationals.

Lemma Q2R_whole n : Q2R (Rules.whole exact n) = INR n.
Proof. cbn. unfold Q2R, inject_Z. cbn. rewrite <- INR_IZR_INZ. lra. Qed.
Lemma at_as_real i : Rules.provider_at reals real i = as_real (Rules.provider_at exact some i).
Proof.
  unfold Rules.provider_at. replace (Rules.nobody reals) with (as_real (Rules.nobody exact)); [apply map_nth|].
  unfold as_real, Rules.nobody. cbn [Rules.quality Rules.radius Rules.bid Rules.cost_radius Rules.count].
  rewrite (Q2R_whole 0). reflexivity.
Qed.
Lemma adjusted_as_real i : Rules.adjusted reals real i = Q2R (Rules.adjusted exact some i).
Proof. unfold Rules.adjusted. rewrite at_as_real. simpl. rewrite Q2R_minus. reflexivity. Qed.
Lemma rationals_compare_alike : compare_alike exact reals some real low goal (Q2R low) (Q2R goal).
Proof.
  split; [rewrite map_length; reflexivity|]. split; [|split]; intros i.
  - intros _. unfold Rules.may_qualify. rewrite at_as_real. simpl. rewrite Qle_bool_as_real, Q2R_plus. reflexivity.
  - intros _. unfold Rules.below_goal. rewrite at_as_real. f_equal. rewrite <- (Q2R_whole _). apply Qle_bool_as_real.
  - intros j _ _. rewrite !adjusted_as_real. apply Qle_bool_as_real.
Qed.
(* Over rational numbers a query is of the kind that it has over the same real numbers. *)
Theorem rational_kind : Rules.kind_of_query exact some low goal = Rules.kind_of_query reals real (Q2R low) (Q2R goal).
Proof. apply kind_alike, rationals_compare_alike. Qed.
(* It is allocated among the same providers. *)
Theorem rational_candidates : Rules.candidates exact some low goal = Rules.candidates reals real (Q2R low) (Q2R goal).
Proof. apply candidates_alike, rationals_compare_alike. Qed.

Lemma least_as_real first others : Q2R (Rules.least exact first others) = Rules.least reals (Q2R first) (map Q2R others).
Proof.
  revert first. induction others as [|next rest IH]; intros first; [reflexivity|]. cbn [Rules.least map]. rewrite IH. f_equal.
  change (Rules.at_most exact) with Qle_bool. change (Rules.at_most reals) with le_bool. rewrite Qle_bool_as_real.
  destruct (le_bool _ _); reflexivity.
Qed.
Lemma critical_as_real i : option_map Q2R (Rules.critical_payment exact some low i) = Rules.critical_payment reals real (Q2R low) i.
Proof.
  unfold Rules.critical_payment, Rules.rivals. rewrite <- (eligible_alike _ _ _ _ _ _ _ _ rationals_compare_alike).
  set (l := filter _ _). rewrite (map_ext_in (Rules.adjusted reals real) (fun j => Q2R (Rules.adjusted exact some j)))
    by (intros; apply adjusted_as_real).
  rewrite <- (map_map (Rules.adjusted exact some) Q2R). destruct (map (Rules.adjusted exact some) l) as [|first rest]; [reflexivity|].
  cbn [option_map map]. rewrite at_as_real. rewrite <- least_as_real. simpl. rewrite Q2R_plus. reflexivity.
Qed.
(* It is paid the same. *)
Theorem rational_payment i :
  Q2R (Rules.payment exact some low high goal i) = Rules.payment reals real (Q2R low) (Q2R high) (Q2R goal) i.
Proof.
  unfold Rules.payment. rewrite <- rational_kind. destruct (Rules.kind_of_query exact some low goal); try reflexivity.
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

Section Near.
Variables (left right : list (Rules.provider R)) (low low' goal goal' high high' epsilon : R).
Hypothesis alike : compare_alike reals reals left right low goal low' goal'.
Hypothesis near : forall i, (i < length left)%nat ->
  Rabs (Rules.bid (Rules.provider_at reals left i) - Rules.bid (Rules.provider_at reals right i)) <= epsilon /\
  Rabs (Rules.cost_radius (Rules.provider_at reals left i) - Rules.cost_radius (Rules.provider_at reals right i)) <= epsilon.
Hypothesis near_bound : Rabs (high - high') <= epsilon.

(* Lists that compare alike, with money within epsilon of each other, pay within 3 epsilon of each other. *)
Theorem payment_near i : (i < length left)%nat ->
  Rabs (Rules.payment reals left low high goal i - Rules.payment reals right low' high' goal' i) <= 3 * epsilon.
Proof.
  intros Hi. assert (He : 0 <= epsilon) by (eapply Rle_trans; [apply Rabs_pos|exact near_bound]).
  unfold Rules.payment. rewrite <- (kind_alike _ _ _ _ _ _ _ _ alike).
  destruct (Rules.kind_of_query reals left low goal); try lra.
  unfold Rules.auction_payment, Rules.critical_payment, Rules.rivals. rewrite <- (eligible_alike _ _ _ _ _ _ _ _ alike).
  assert (Hl : forall j, In j (filter (fun j => negb (Nat.eqb j i)) (Rules.eligible reals left low)) ->
    Rabs (Rules.adjusted reals left j - Rules.adjusted reals right j) <= 2 * epsilon).
  { intros j Hj. apply filter_In in Hj. destruct (near j (eligible_within _ _ _ _ (proj1 Hj))) as [H1 H2].
    apply Rabs_le_inv in H1. apply Rabs_le_inv in H2. apply Rabs_le. unfold Rules.adjusted. change (Rules.minus reals) with Rminus. lra. }
  destruct (filter (fun j => negb (Nat.eqb j i)) (Rules.eligible reals left low)) as [|first rest]; cbn [map]; [lra|].
  pose proof (least_near _ _ _ _ _ Hl) as H1. destruct (near i Hi) as [_ H2].
  cbn [Rules.plus Rules.at_most reals]. rewrite !if_le. apply Rmin_near; [lra|].
  apply Rabs_le_inv in H1. apply Rabs_le_inv in H2. apply Rabs_le. change (Rules.number reals) with R in *. lra.
Qed.
End Near.

(* ---- rational ends that enclose what the platform knows after a history of a run *)
Section Enclosed.
Variables (N : nat) (delta cmax qmin gamma : R).
Variables (quality_estimate : nat -> nat -> R) (bid : list nat -> nat -> R) (g : nat -> R) (h : list nat).
Variables (lows highs : list (Rules.provider Q)) (threshold cost_bound goal_low goal_high : Q) (epsilon : R).
Notation seen := (providers N delta cmax gamma quality_estimate bid h).
Notation goal := (g (now N h)).
Notation exact := Rules.rationals.
Notation low_at := (Rules.provider_at exact lows).
Notation high_at := (Rules.provider_at exact highs).

(* The estimates, bids and counts are as they are, in both lists; radii and g(t) lie between their ends, the radii of
   costs within epsilon of the low one; after as many selections these have the same ends. *)
Definition encloses : Prop :=
  length lows = N /\ length highs = N /\ Q2R threshold = qmin /\ Q2R cost_bound = cmax /\
  Q2R goal_low <= goal <= Q2R goal_high /\
  (forall i, (i < N)%nat ->
    Q2R (Rules.quality (low_at i)) = quality_estimate i (m h i) /\ Rules.quality (high_at i) = Rules.quality (low_at i) /\
    Q2R (Rules.bid (low_at i)) = bid h i /\ Rules.bid (high_at i) = Rules.bid (low_at i) /\
    Rules.count (low_at i) = m h i /\
    Q2R (Rules.radius (low_at i)) <= bt N delta (m h i) <= Q2R (Rules.radius (high_at i)) /\
    Q2R (Rules.cost_radius (low_at i)) <= rad N delta cmax gamma (m h i) <= Q2R (Rules.cost_radius (high_at i)) /\
    rad N delta cmax gamma (m h i) - Q2R (Rules.cost_radius (low_at i)) <= epsilon) /\
  (forall i j, (i < N)%nat -> (j < N)%nat -> m h i = m h j ->
    Rules.cost_radius (low_at i) = Rules.cost_radius (low_at j)).
Hypothesis enclosed : encloses.
Hypothesis is_decided : Rules.decided exact lows highs threshold goal_low goal_high = true.

Lemma lows_eligible_lt i : In i (Rules.eligible exact lows threshold) -> (i < N)%nat.
Proof. destruct enclosed as (Hl & _). intros Hi. rewrite <- Hl. exact (eligible_within _ _ _ _ Hi). Qed.
Lemma Qle_bool_is x y : Qle_bool x y = true <-> Q2R x <= Q2R y.
Proof. rewrite Qle_bool_as_real. apply le_bool_true. Qed.
Lemma le_bool_is (b : bool) x y : (b = true <-> x <= y) -> b = le_bool x y.
Proof.
  intros H. unfold le_bool. destruct (Rle_dec x y) as [Hle|Hn]; [apply H; exact Hle|].
  destruct b; auto. exfalso. apply Hn, H. reflexivity.
Qed.

Lemma ends_compare_alike : compare_alike exact reals lows seen threshold goal_low qmin goal.
Proof.
  destruct enclosed as (Hl & Hh & Hq & _ & Hg & Hp & Hs). apply andb_true_iff in is_decided.
  destruct is_decided as [Hd Ho]. apply andb_true_iff in Hd. destruct Hd as [Hd Hgoal].
  rewrite forallb_forall in Hd, Hgoal, Ho.
  split; [unfold providers; rewrite map_length, seq_length; exact Hl|]. split; [|split].
  - intros i Hi'. assert (Hi : (i < N)%nat) by (rewrite <- Hl; exact Hi'). specialize (Hd i).
    unfold Rules.everybody in Hd. rewrite in_seq in Hd. specialize (Hd (conj (Nat.le_0_l i) Hi')). apply Bool.eqb_prop in Hd.
    destruct (Hp i Hi) as (E & Eh & _ & _ & _ & Hb & _). unfold Rules.may_qualify in *.
    rewrite provider_at_is by exact Hi. cbn [Rules.quality Rules.radius known].
    change (Qle_bool threshold (Rules.quality (low_at i) + Rules.radius (low_at i))
      = le_bool qmin (quality_estimate i (m h i) + bt N delta (m h i))).
    change (Qle_bool threshold (Rules.quality (low_at i) + Rules.radius (low_at i))
      = Qle_bool threshold (Rules.quality (high_at i) + Rules.radius (high_at i))) in Hd.
    apply le_bool_is. split.
    + rewrite Qle_bool_is, Q2R_plus. lra.
    + intros H. rewrite Hd, Qle_bool_is, Q2R_plus, Eh. lra.
  - intros i Hi. pose proof (lows_eligible_lt i Hi) as HiN. specialize (Hgoal i Hi). apply Bool.eqb_prop in Hgoal.
    destruct (Hp i HiN) as (_ & _ & _ & _ & Ec & _). unfold Rules.below_goal in *. rewrite provider_at_is by exact HiN.
    f_equal. apply (f_equal negb) in Hgoal. rewrite !negb_involutive in Hgoal.
    change (Qle_bool goal_low (Rules.whole exact (Rules.count (low_at i)))
      = Qle_bool goal_high (Rules.whole exact (Rules.count (low_at i)))) in Hgoal.
    change (Qle_bool goal_low (Rules.whole exact (Rules.count (low_at i))) = le_bool goal (INR (m h i))).
    apply le_bool_is. rewrite <- Ec. split.
    + rewrite Hgoal, Qle_bool_is, Q2R_whole. lra.
    + intros H. rewrite Qle_bool_is, Q2R_whole. lra.
  - intros i j Hi Hj. pose proof (lows_eligible_lt i Hi) as HiN. pose proof (lows_eligible_lt j Hj) as HjN.
    specialize (Ho i Hi). rewrite forallb_forall in Ho. specialize (Ho j Hj).
    rewrite !adjusted_is by assumption. unfold Rules.adjusted, Rules.order_decided, adj in *.
    destruct (Hp i HiN) as (_ & _ & Ei & Ehi & Eci & _ & Hri & _). destruct (Hp j HjN) as (_ & _ & Ej & Ehj & Ecj & _ & Hrj & _).
    change (Qle_bool (Rules.bid (low_at i) - Rules.cost_radius (low_at i)) (Rules.bid (low_at j) - Rules.cost_radius (low_at j))
      = le_bool (bid h i - rad N delta cmax gamma (m h i)) (bid h j - rad N delta cmax gamma (m h j))).
    apply le_bool_is. rewrite Qle_bool_is, !Q2R_minus, Ei, Ej.
    apply orb_true_iff in Ho. destruct Ho as [Ho|Ho]; [apply orb_true_iff in Ho; destruct Ho as [Ho|Ho]|].
    + apply Nat.eqb_eq in Ho. rewrite Eci, Ecj in Ho. rewrite (Hs i j HiN HjN Ho), Ho. lra.
    + change (Qle_bool (Rules.bid (low_at i) - Rules.cost_radius (low_at i)) (Rules.bid (high_at j) - Rules.cost_radius (high_at j)) = true) in Ho.
      rewrite Qle_bool_is, !Q2R_minus, Ehj, Ei, Ej in Ho. lra.
    + apply negb_true_iff in Ho.
      change (Qle_bool (Rules.bid (high_at i) - Rules.cost_radius (high_at i)) (Rules.bid (low_at j) - Rules.cost_radius (low_at j)) = false) in Ho.
      rewrite Qle_bool_as_real in Ho. unfold le_bool in Ho. destruct (Rle_dec _ _) as [|Hn]; [discriminate|].
      rewrite !Q2R_minus, Ehi, Ei, Ej in Hn. lra.
Qed.

(* A query that the ends decide is of the kind that the exact numbers give it. *)
Theorem enclosed_kind : Rules.kind_of_query exact lows threshold goal_low = Rules.kind_of_query reals seen qmin goal.
Proof. apply kind_alike, ends_compare_alike. Qed.
(* It is allocated among the providers that may serve next. *)
Theorem enclosed_steps s :
  In s (Rules.candidates exact lows threshold goal_low) <-> step N delta cmax qmin gamma quality_estimate bid g h s.
Proof. rewrite (candidates_alike _ _ _ _ _ _ _ _ ends_compare_alike). apply candidates_are_steps. Qed.
(* What the low ends pay is within 3 epsilon of the payment. *)
Theorem enclosed_payment i : (i < N)%nat ->
  Rabs (Q2R (Rules.payment exact lows threshold cost_bound goal_low i)
        - payment N delta cmax qmin gamma quality_estimate bid g h i) <= 3 * epsilon.
Proof.
  intros Hi. rewrite rational_payment, <- payment_is by exact Hi.
  pose proof (rationals_compare_alike lows threshold goal_low) as (Hl1 & Hq1 & Hg1 & Hc1).
  destruct ends_compare_alike as (Hl2 & Hq2 & Hg2 & Hc2). destruct enclosed as (Hl & _ & Hq & Hc & _ & Hp & _).
  pose proof (eligible_alike _ _ _ _ _ _ _ _ (rationals_compare_alike lows threshold goal_low)) as He.
  assert (HN : length (map as_real lows) = N) by (rewrite map_length; exact Hl).
  apply payment_near; [|intros j Hj|rewrite Hc, Rminus_eq_0, Rabs_R0; destruct (Hp i Hi) as (_ & _ & _ & _ & _ & _ & H); lra|
    rewrite HN; exact Hi].
  - split; [exact (eq_trans (eq_sym Hl1) Hl2)|]. rewrite <- He. split; [|split].
    + intros j Hj. rewrite map_length in Hj. exact (eq_trans (eq_sym (Hq1 j Hj)) (Hq2 j Hj)).
    + intros j Hj. exact (eq_trans (eq_sym (Hg1 j Hj)) (Hg2 j Hj)).
    + intros j k Hj Hk. exact (eq_trans (eq_sym (Hc1 j k Hj Hk)) (Hc2 j k Hj Hk)).
  - rewrite HN in Hj. rewrite provider_at_is by exact Hj. rewrite at_as_real.
    destruct (Hp j Hj) as (_ & _ & Eb & _ & _ & _ & Hr & Hw).
    change (Rabs (Q2R (Rules.bid (low_at j)) - bid h j) <= epsilon
      /\ Rabs (Q2R (Rules.cost_radius (low_at j)) - rad N delta cmax gamma (m h j)) <= epsilon).
    rewrite Eb, Rminus_eq_0, Rabs_R0.
    split; [lra|apply Rabs_le; lra].
Qed.
End Enclosed.

(* ---- logs: a log that the programs permit is a run, with the counts, means and bids that they keep *)
Section Logs.
Variables (N : nat) (delta cmax qmin gamma : R) (g : nat -> R).
Notation log := (list (Rules.query (Rules.number reals))).
Notation after := (Rules.after reals N).
Notation tally := (Rules.tally_at reals).
Notation permitted := (Rules.permitted reals (bt N delta) (rad N delta cmax gamma) g qmin N).
Notation servers := (map (@Rules.server (Rules.number reals))).

(* The scores of a provider in a log, the newest first, and the mean of its first n; who served after initialization;
   and the bid that stands at a later step. *)
Definition scores_of (i : nat) (L : log) : list R := map (@Rules.score (Rules.number reals)) (filter (fun q => Nat.eqb i (Rules.server q)) L).
Definition sum (l : list R) : R := fold_right (fun x total => total + x) 0 l.
Definition estimate_in (L : log) (i n : nat) : R := sum (firstn n (rev (scores_of i L))) / INR n.
Definition later (L : log) : list nat := servers (firstn (length L - N) L).
Definition bid_in (L : log) (h : list nat) (i : nat) : R :=
  Rules.standing (tally (after (skipn (length L - (N + length h)) L)) i).

(* The bids of a truthful provider: the mean of its costs so far; cost i k is what its query k cost, from 0. *)
Definition costs_before (cost : nat -> nat -> R) (i n : nat) : R := sum (map (cost i) (rev (seq 0 n))).
Fixpoint truthful_log (cost : nat -> nat -> R) (L : log) : Prop :=
  match L with
  | [] => True
  | q :: earlier =>
    let n := S (Rules.served (tally (after earlier) (Rules.server q))) in
    Rules.offer q = Rules.mean reals (costs_before cost (Rules.server q) n) n /\ truthful_log cost earlier
  end.

Lemma after_length (L : log) : length (after L) = N.
Proof.
  induction L as [|q L IH]; [apply repeat_length|]. cbn [Rules.after]. unfold Rules.settled.
  rewrite map_length, seq_length. exact IH.
Qed.
Lemma tally_after (q : Rules.query (Rules.number reals)) (L : log) i : (i < N)%nat ->
  tally (after (q :: L)) i = if Nat.eqb i (Rules.server q) then Rules.told reals (tally (after L) i) q else tally (after L) i.
Proof.
  intros Hi. cbn [Rules.after]. unfold Rules.settled.
  set (f := fun i => if Nat.eqb i (Rules.server q) then Rules.told reals (tally (after L) i) q else tally (after L) i).
  change (nth i (map f (seq 0 (length (after L)))) (Rules.unheard reals) = f i). rewrite after_length.
  rewrite (nth_indep _ _ (f 0%nat)) by (rewrite map_length, seq_length; exact Hi).
  rewrite map_nth, seq_nth by exact Hi. reflexivity.
Qed.
Lemma served_after (L : log) i : (i < N)%nat -> Rules.served (tally (after L) i) = count_occ Nat.eq_dec (servers L) i.
Proof.
  intros Hi. induction L as [|q L IH].
  - cbn [Rules.after]. unfold Rules.tally_at. rewrite nth_repeat. reflexivity.
  - rewrite tally_after by exact Hi. cbn [map count_occ].
    destruct (Nat.eqb_spec i (Rules.server q)) as [E|E]; destruct (Nat.eq_dec (Rules.server q) i); try congruence.
    cbn [Rules.told Rules.served]. f_equal. exact IH.
Qed.
Lemma scores_after (L : log) i : (i < N)%nat -> Rules.scores (tally (after L) i) = sum (scores_of i L).
Proof.
  intros Hi. induction L as [|q L IH].
  - cbn [Rules.after]. unfold Rules.tally_at. rewrite nth_repeat. reflexivity.
  - rewrite tally_after by exact Hi. unfold scores_of in *. cbn [filter]. destruct (Nat.eqb i (Rules.server q)); [|exact IH].
    cbn [Rules.told Rules.scores map sum fold_right]. rewrite IH. reflexivity.
Qed.
Lemma scores_count i (L : log) : length (scores_of i L) = count_occ Nat.eq_dec (servers L) i.
Proof.
  unfold scores_of. rewrite map_length. induction L as [|q L IH]; [reflexivity|]. cbn [filter map count_occ].
  destruct (Nat.eqb_spec i (Rules.server q)) as [E|E]; destruct (Nat.eq_dec (Rules.server q) i); try congruence. cbn [length]. congruence.
Qed.
Lemma sum_app l l' : sum (l ++ l') = sum l + sum l'.
Proof.
  induction l as [|x l IH]; [change (sum l' = 0 + sum l'); lra|].
  change (sum (l ++ l') + x = sum l + x + sum l'). lra.
Qed.
Lemma sum_rev l : sum (rev l) = sum l.
Proof.
  induction l as [|x l IH]; [reflexivity|]. cbn [rev]. rewrite sum_app, IH. change (sum l + (0 + x) = sum l + x). lra.
Qed.

(* In initialization everybody serves once. *)
Lemma permitted_initial (L : log) : permitted L = true -> (length L <= N)%nat ->
  NoDup (servers L) /\ forall i, In i (servers L) -> (i < N)%nat.
Proof.
  induction L as [|q L IH]; intros Hp HL; [split; [constructor|intros i []]|]. cbn [length] in HL.
  cbn [Rules.permitted] in Hp. apply andb_true_iff in Hp. destruct Hp as [Hq Hp]. destruct (IH Hp ltac:(lia)) as [Hd Hb].
  apply existsb_exists in Hq. destruct Hq as (s & Hs & E). apply Nat.eqb_eq in E. subst s.
  unfold Rules.may_serve in Hs. rewrite after_length in Hs. destruct (Nat.leb_spec (S (length L)) N) as [_|]; [|lia].
  unfold Rules.fresh in Hs. rewrite filter_In, in_seq, after_length in Hs. destruct Hs as [Hi H0]. apply Nat.eqb_eq in H0.
  rewrite served_after in H0 by lia. split.
  - cbn [map]. constructor; [|exact Hd]. apply (count_occ_not_In Nat.eq_dec). exact H0.
  - intros i [<-|H]; [lia|auto].
Qed.
Lemma permitted_app (L L' : log) : permitted (L ++ L') = true -> permitted L' = true.
Proof.
  induction L as [|q L IH]; [auto|]. cbn [app Rules.permitted]. intros H. apply andb_true_iff in H. apply IH, H.
Qed.
Lemma counts_after (L : log) i : permitted L = true -> (N <= length L)%nat -> (i < N)%nat ->
  count_occ Nat.eq_dec (servers L) i = m (later L) i.
Proof.
  intros Hp HL Hi. unfold later, m, times. set (k := (length L - N)%nat).
  assert (E : servers L = servers (firstn k L) ++ servers (skipn k L)) by (rewrite <- map_app, firstn_skipn; reflexivity).
  rewrite E, count_occ_app. assert (Hk : length (skipn k L) = N) by (rewrite skipn_length; unfold k; lia).
  assert (Hs : permitted (skipn k L) = true) by (apply (permitted_app (firstn k L)); rewrite firstn_skipn; exact Hp).
  destruct (permitted_initial _ Hs ltac:(lia)) as [Hd Hb].
  assert (Hin : In i (servers (skipn k L))).
  { apply (NoDup_length_incl Hd (l' := seq 0 N)).
    - rewrite map_length, Hk, seq_length. lia.
    - intros j Hj. apply in_seq. specialize (Hb j Hj). lia.
    - apply in_seq. lia. }
  rewrite (proj1 (NoDup_count_occ' Nat.eq_dec _) Hd i Hin). lia.
Qed.

(* Whatever the log goes on with, its means and bids so far are those of the whole log. *)
Section Within.
Variables (newer L : log).
Hypothesis Hp : permitted L = true.
Hypothesis HL : (N <= length L)%nat.

Lemma estimate_within i : (i < N)%nat ->
  Rules.mean reals (Rules.scores (tally (after L) i)) (Rules.served (tally (after L) i))
  = estimate_in (newer ++ L) i (m (later L) i).
Proof.
  intros Hi. rewrite scores_after, served_after, counts_after by assumption. unfold estimate_in. change (Rules.mean reals) with (fun x n => x / INR n).
  cbv beta. f_equal.
  assert (Es : rev (scores_of i (newer ++ L)) = rev (scores_of i L) ++ rev (scores_of i newer))
    by (unfold scores_of; rewrite filter_app, map_app, rev_app_distr; reflexivity).
  assert (E : length (rev (scores_of i L)) = m (later L) i) by (rewrite rev_length, scores_count; apply counts_after; assumption).
  rewrite Es, firstn_app, E, Nat.sub_diag, firstn_O, app_nil_r, <- E, firstn_all, sum_rev. reflexivity.
Qed.
Lemma later_length : (N + length (later L) = length L)%nat.
Proof. unfold later. rewrite map_length, firstn_length. lia. Qed.
Lemma bid_within i : bid_in (newer ++ L) (later L) i = Rules.standing (tally (after L) i).
Proof.
  unfold bid_in. rewrite later_length, app_length, Nat.add_sub, skipn_app, skipn_all, Nat.sub_diag. reflexivity.
Qed.
Lemma known_within : map (Rules.known_of reals (bt N delta) (rad N delta cmax gamma)) (after L)
  = providers N delta cmax gamma (estimate_in (newer ++ L)) (bid_in (newer ++ L)) (later L).
Proof.
  assert (E : after L = map (tally (after L)) (seq 0 N)).
  { apply (nth_ext _ _ (Rules.unheard reals) (tally (after L) 0%nat)).
    - rewrite map_length, seq_length. apply after_length.
    - intros i Hi. rewrite after_length in Hi. rewrite map_nth, seq_nth by exact Hi. reflexivity. }
  rewrite E at 1. rewrite map_map. unfold providers. apply map_ext_in. intros i Hi. apply in_seq in Hi.
  unfold Rules.known_of, known. rewrite estimate_within, bid_within by lia. rewrite served_after, counts_after by (assumption || lia).
  reflexivity.
Qed.
Lemma now_within : S (length L) = now N (later L).
Proof. unfold now. rewrite later_length. lia. Qed.
End Within.

Lemma log_is_run_within (newer L : log) : permitted L = true -> (N <= length L)%nat ->
  run N delta cmax qmin gamma (estimate_in (newer ++ L)) (bid_in (newer ++ L)) g (later L).
Proof.
  revert newer. induction L as [|q L IH]; intros newer Hp HL.
  - unfold later. cbn. constructor.
  - destruct (Nat.eq_dec (length (q :: L)) N) as [E|E].
    + unfold later. rewrite E, Nat.sub_diag. constructor.
    + cbn [length] in *. assert (HL' : (N <= length L)%nat) by lia. cbn [Rules.permitted] in Hp. apply andb_true_iff in Hp.
      destruct Hp as [Hq Hp]. replace (newer ++ q :: L) with ((newer ++ [q]) ++ L) by (rewrite <- app_assoc; reflexivity).
      assert (El : later (q :: L) = Rules.server q :: later L).
      { unfold later. cbn [length]. rewrite Nat.sub_succ_l by exact HL'. reflexivity. }
      rewrite El. apply runs_of_the_program. split; [apply IH; assumption|].
      apply existsb_exists in Hq. destruct Hq as (s & Hs & Es). apply Nat.eqb_eq in Es. subst s.
      unfold Rules.may_serve in Hs. rewrite after_length in Hs. destruct (Nat.leb_spec (S (length L)) N) as [|_]; [lia|].
      rewrite (known_within (newer ++ [q]) L Hp HL'), (now_within L HL') in Hs. exact Hs.
Qed.

(* A log of N queries or more that the programs permit is, after initialization, a run. *)
Theorem permitted_log_is_run (L : log) : permitted L = true -> (N <= length L)%nat ->
  run N delta cmax qmin gamma (estimate_in L) (bid_in L) g (later L).
Proof. exact (log_is_run_within [] L). Qed.
(* The counts that the programs keep are m_{i,t}. *)
Theorem log_counts (L : log) i : permitted L = true -> (N <= length L)%nat -> (i < N)%nat ->
  Rules.served (tally (after L) i) = m (later L) i.
Proof. intros Hp HL Hi. rewrite served_after by exact Hi. apply counts_after; assumption. Qed.
(* The price that the programs state is the payment. *)
Theorem log_price (L : log) i : permitted L = true -> (N <= length L)%nat -> (i < N)%nat ->
  Rules.price reals (bt N delta) (rad N delta cmax gamma) g qmin cmax (S (length L)) (after L) i
  = payment N delta cmax qmin gamma (estimate_in L) (bid_in L) g (later L) i.
Proof.
  intros Hp HL Hi. unfold Rules.price. rewrite after_length. destruct (Nat.leb_spec (S (length L)) N) as [|_]; [lia|].
  rewrite (known_within [] L Hp HL), (now_within L HL). apply payment_is. exact Hi.
Qed.
(* In initialization it is the cost bound. *)
Theorem initial_price (L : log) i : (length L < N)%nat ->
  Rules.price reals (bt N delta) (rad N delta cmax gamma) g qmin cmax (S (length L)) (after L) i = cmax.
Proof.
  intros HL. unfold Rules.price. rewrite after_length. destruct (Nat.leb_spec (S (length L)) N); [reflexivity|lia].
Qed.
(* Where every bid is the mean of the provider's costs, the bids of the run are these means. *)
Theorem truthful_bids_follow cost (L : log) i : permitted L = true -> (N <= length L)%nat -> (i < N)%nat -> truthful_log cost L ->
  bid_in L (later L) i = costs_before cost i (m (later L) i) / INR (m (later L) i).
Proof.
  intros Hp HL Hi Ht. rewrite (bid_within [] L HL). rewrite <- (log_counts L i Hp HL Hi).
  assert (Hs : (0 < Rules.served (tally (after L) i))%nat) by (rewrite log_counts by assumption; unfold m; lia).
  clear Hp HL. induction L as [|q L IH].
  - rewrite served_after in Hs by exact Hi. cbn in Hs. lia.
  - destruct Ht as [Hq Ht]. rewrite tally_after in * by exact Hi. destruct (Nat.eqb_spec i (Rules.server q)) as [->|]; [|auto].
    exact Hq.
Qed.
End Logs.

(* Ends of that kind exist: here whatever encloses the radii decides, since both providers qualify anyway and were
   selected as often. *)
Definition an_end (cost radius : Q) : Rules.provider Q :=
  {| Rules.quality := 1%Q; Rules.radius := radius; Rules.bid := cost; Rules.cost_radius := radius; Rules.count := 1 |}.
Definition both_ends (radius : Q) : list (Rules.provider Q) := [an_end (1 # 4)%Q radius; an_end (1 # 2)%Q radius].
Example an_enclosed_query : exists high epsilon,
  encloses 2 (1 / 2) 1 (1 / 2) 0 (fun _ _ => 1) (fun _ i => match i with O => 1 / 4 | _ => 1 / 2 end) (fun _ => 1 / 2) []
    (both_ends 0%Q) (both_ends high) (1 # 2)%Q 1%Q (1 # 2)%Q (1 # 2)%Q epsilon /\
  Rules.decided Rules.rationals (both_ends 0%Q) (both_ends high) (1 # 2)%Q (1 # 2)%Q (1 # 2)%Q = true.
Proof.
  set (b := bt 2 (1 / 2) 1). assert (Hb : 0 <= b) by apply sqrt_pos.
  destruct (archimed b) as [Hz _]. assert (Hr : rad 2 (1 / 2) 1 0 1 = b) by (unfold rad; fold b; ring).
  exists (inject_Z (up b)), b. assert (Hu : Q2R (inject_Z (up b)) = IZR (up b)) by (unfold Q2R, inject_Z; simpl; field).
  split.
  - assert (H0 : Q2R 0 = 0) by (unfold Q2R; simpl; lra). assert (H1 : Q2R 1 = 1) by (unfold Q2R; simpl; lra).
    assert (H2 : Q2R (1 # 2) = 1 / 2) by (unfold Q2R; simpl; lra). assert (H4 : Q2R (1 # 4) = 1 / 4) by (unfold Q2R; simpl; lra).
    split; [reflexivity|]. split; [reflexivity|]. split; [exact H2|]. split; [exact H1|]. split; [lra|]. split.
    + intros i Hi. assert (E : m [] i = 1%nat) by reflexivity. rewrite E, Hr. change (bt 2 (1 / 2) 1) with b.
      destruct i as [|[|i]]; [| |lia]; cbn -[Q2R inject_Z IZR]; rewrite ?Hu, ?H0, ?H1, ?H2, ?H4; repeat split; lra.
    + intros i j Hi Hj _. destruct i as [|[|i]]; destruct j as [|[|j]]; try lia; reflexivity.
  - assert (Hz0 : (0 <= up b)%Z) by (apply le_IZR; lra).
    assert (Hq : Qle_bool (1 # 2) (1 + inject_Z (up b)) = true).
    { apply Qle_bool_iff, Rle_Qle. rewrite Q2R_plus, Hu. unfold Q2R. simpl. lra. }
    unfold Rules.decided, Rules.may_qualify_decided, Rules.may_qualify. cbn -[Qle_bool inject_Z Qplus]. rewrite Hq. reflexivity.
Qed.

(* In a market of two, a log of one query of each is permitted, and its bids are truthful where each is a cost. *)
Example a_permitted_log : let L := [Rules.Build_query 0%nat 1 (1 / 4) : Rules.query (Rules.number reals); Rules.Build_query 1%nat 0 (1 / 2)] in
  Rules.permitted reals (bt 2 (1 / 2)) (rad 2 (1 / 2) 1 0) (fun _ => 1 / 2) (1 / 2) 2 L = true /\
  truthful_log 2 (fun i _ => match i with O => 1 / 4 | _ => 1 / 2 end) L.
Proof. cbv zeta. split; [reflexivity|]. cbn. unfold costs_before. cbn. repeat split; field. Qed.
