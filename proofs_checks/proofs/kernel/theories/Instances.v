(* The theorems are not about nothing: laws, platforms, plays, estimates and bids that satisfy what they assume.

   Any numbers have an instance: for qualities in [0, 1] and mean costs in [0, cmax] there are laws with these means, and
   dynamics in which first draws are independent and a platform that chooses uniformly obeys the rules. Published.v has two
   markets of the paper, and applies the theorems to one of them. *)
Require Import Reals Lra Lia List Arith FunctionalExtensionality.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements Limits AsStated Game Hoeffding
  Dynamics Plays Additive.
Import ListNotations.
Open Scope R_scope.

(* ---- laws with given means *)
(* Two draws apart from each other: a score of 1 with probability q, else 0, and a cost of cmax with probability c / cmax, else 0. *)
Definition draws_of (cmax q c : R) (f : observation -> R) : R :=
  q * (c / cmax * f {| cost := cmax; score := 1 |} + (1 - c / cmax) * f {| cost := 0; score := 1 |})
  + (1 - q) * (c / cmax * f {| cost := cmax; score := 0 |} + (1 - c / cmax) * f {| cost := 0; score := 0 |}).
(* For any quality in [0, 1] and any mean cost in [0, c_max] there is a law of costs and scores with these means. *)
Theorem laws_with_given_means cmax q c : 0 < cmax -> 0 <= q <= 1 -> 0 <= c <= cmax ->
  Game.law cmax (draws_of cmax q c) /\ draws_of cmax q c score = q /\ draws_of cmax q c Game.cost = c.
Proof.
  intros Hc Hq Hcost. assert (Hx : 0 <= c / cmax <= 1).
  { split; [apply Rmult_le_pos; [lra|apply Rlt_le, Rinv_0_lt_compat; exact Hc]|].
    apply Rmult_le_reg_r with cmax; [exact Hc|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  unfold draws_of. set (x := c / cmax) in *. split; [split|split; simpl].
  - ring.
  - intros f f' _ _ Hf. apply Rplus_le_compat; (apply Rmult_le_compat_l; [lra|]); apply Rplus_le_compat;
      (apply Rmult_le_compat_l; [lra|]); apply Hf; split; simpl; lra.
  - intros. ring.
  - ring.
  - unfold x. field. lra.
Qed.
Section Averages.
Context {A : Type}.
Lemma average_linear a b (f f' : A -> R) among : average (fun one => a * f one + b * f' one) among = a * average f among + b * average f' among.
Proof.
  assert (E : fold_right (fun one sum => a * f one + b * f' one + sum) 0 among
    = a * fold_right (fun one sum => f one + sum) 0 among + b * fold_right (fun one sum => f' one + sum) 0 among)
    by (induction among as [|one l IH]; simpl; [lra|rewrite IH; lra]).
  unfold average. rewrite E. unfold Rdiv. ring.
Qed.
Lemma average_const c (among : list A) : among <> [] -> average (fun _ => c) among = c.
Proof. intros Hne. pose proof (average_between (fun _ => c) c c among Hne) as H. destruct H; [intros; lra|lra]. Qed.
Lemma average_monotone (f f' : A -> R) among : among <> [] -> (forall one, In one among -> f one <= f' one) -> average f among <= average f' among.
Proof.
  intros Hne Hf. pose proof (average_linear 1 (-1) f' f among) as E.
  pose proof (average_between (fun one => 1 * f' one + -1 * f one) 0 (Rmax 0 (average (fun one => 1 * f' one + -1 * f one) among)) among Hne) as H.
  assert (Hpos : 0 <= average (fun one => 1 * f' one + -1 * f one) among).
  { assert (Hsum : 0 <= fold_right (fun one sum => 1 * f' one + -1 * f one + sum) 0 among).
    { clear -Hf. induction among as [|one l IH]; simpl; [lra|]. specialize (IH (fun o Ho => Hf o (or_intror Ho))).
      specialize (Hf one (or_introl eq_refl)). lra. }
    unfold average. apply Rmult_le_pos; [exact Hsum|]. apply Rlt_le, Rinv_0_lt_compat. destruct among; [contradiction|apply lt_0_INR; simpl; lia]. }
  lra.
Qed.
End Averages.
(* costs and scores that are the same always, and those of a fair coin *)
Theorem a_constant_law cmax o : possible cmax o -> law cmax (fun f => f o).
Proof. intros Ho. split; auto. Qed.
Theorem a_coin cmax o o' : possible cmax o -> possible cmax o' -> law cmax (fun f => average f [o; o']).
Proof.
  intros Ho Ho'. split.
  - apply average_const. discriminate.
  - intros f f' _ _ Hf. apply average_monotone; [discriminate|]. intros one [<-|[<-|[]]]; auto.
  - intros. apply average_linear.
Qed.
Section Uniform.
Variables (N : nat) (delta cmax qmin gamma : R) (g : nat -> R).
Definition under_sampled (H : history) : list nat :=
  filter (fun j => if Rlt_dec (INR (m (served H) j)) (g (at_step N H)) then true else false) (eligible_set N delta qmin H).
Definition lowest (H : history) (bids : nat -> R) : list nat :=
  let adjusted := adj (radii N delta cmax gamma (served H)) bids in
  filter (fun i => forallb (fun j => if Rle_dec (adjusted i) (adjusted j) then true else false) (eligible_set N delta qmin H))
    (eligible_set N delta qmin H).
(* Algorithm 1: uniform among the under-sampled, or among all where nobody is eligible; here among ties, too *)
Definition uniform_platform : platform := {|
  explore := fun H f => average f (match under_sampled H with [] => seq 0 N | among => among end);
  break_ties := fun H bids f => average f (lowest H bids) |}.

Lemma in_under_sampled H j : In j (under_sampled H) <-> In j (eligible_set N delta qmin H) /\ INR (m (served H) j) < g (at_step N H).
Proof. unfold under_sampled. rewrite filter_In. destruct (Rlt_dec _ _); intuition discriminate. Qed.
Lemma in_lowest H bids i : In i (lowest H bids) <-> selected (eligible_set N delta qmin H) (radii N delta cmax gamma (served H)) bids i.
Proof.
  unfold lowest, selected. rewrite filter_In, forallb_forall. split; intros [Hi Hj]; split; auto; intros j Hin; specialize (Hj j Hin);
    destruct (Rle_dec _ _); auto; discriminate.
Qed.
Theorem a_uniform_platform : (1 <= N)%nat -> obeys_rules N delta cmax qmin gamma g uniform_platform.
Proof.
  intros HN H bids.
  assert (Hover : forall among, among <> [] -> (forall i, In i among -> may_serve N delta cmax qmin gamma g H bids i) ->
    over (may_serve N delta cmax qmin gamma g H bids) (fun f => average f among)).
  { intros among Hne Hin. split; [apply average_const; exact Hne|]. split; [|intros; apply average_linear].
    intros f f' Hf. apply average_monotone; auto. }
  unfold allocate. destruct (auction_dec N delta qmin g H) as [Ha|Hn].
  - apply Hover.
    + destruct Ha as [_ Hq]. destruct (minl (adj (radii N delta cmax gamma (served H)) bids) (eligible_set N delta qmin H)) as [v|] eqn:E.
      * destruct (minl_att _ _ _ E) as (i & Hi & Ev). intros Hl. assert (Hin : In i (lowest H bids)); [|rewrite Hl in Hin; destruct Hin].
        apply in_lowest. split; [exact Hi|]. intros j Hj. rewrite <- Ev. apply (minl_lb _ _ _ E j Hj).
      * apply minl_none in E. contradiction.
    + intros i Hi. apply in_lowest in Hi. right. right. split; [exact (proj1 Ha)|exact Hi].
  - apply Hover.
    + destruct (under_sampled H); [destruct N; [lia|discriminate]|discriminate].
    + intros i Hi. destruct (under_sampled H) as [|x l] eqn:E.
      * right. left. split; [|apply in_seq in Hi; lia]. destruct (Qh N delta qmin (quality_estimate H) (served H)) eqn:Eq; [reflexivity|].
        exfalso. apply Hn. split; [|unfold eligible_set; rewrite Eq; discriminate]. intros (j & Hj & Hm).
        assert (Hin : In j (under_sampled H)) by (apply in_under_sampled; split; assumption). rewrite E in Hin. destruct Hin.
      * rewrite <- E in Hi. apply in_under_sampled in Hi. left. split; [|exact Hi]. exists i. exact Hi.
Qed.
End Uniform.
(* one provider after another, each by its own law *)
Section Independent.
Variables (cmax : R) (theta : nat -> (observation -> R) -> R).
Hypothesis Htheta : forall j, Game.law cmax (theta j).
Definition drawn (o : nat -> observation) (i : nat) (x : observation) (j : nat) : observation := if Nat.eq_dec j i then x else o j.
Fixpoint one_by_one (N : nat) (f : (nat -> observation) -> R) : R :=
  match N with
  | O => f (fun _ => {| cost := 0; score := 0 |})
  | S N => one_by_one N (fun o => theta N (fun x => f (drawn o N x)))
  end.
Lemma drawn_possible N o x : possible_start N cmax o -> possible cmax x -> possible_start (S N) cmax (drawn o N x).
Proof. intros Ho Hx j Hj. unfold drawn. destruct (Nat.eq_dec j N); [exact Hx|apply Ho; lia]. Qed.
Lemma bounded_drawn N f : bounded_start (S N) cmax f ->
  (forall o, possible_start N cmax o -> Game.bounded cmax (fun x => f (drawn o N x))) /\
  bounded_start N cmax (fun o => theta N (fun x => f (drawn o N x))).
Proof.
  intros (b & Hb). assert (H : forall o, possible_start N cmax o -> forall x, possible cmax x -> Rabs (f (drawn o N x)) <= b)
    by (intros o Ho x Hx; apply Hb, drawn_possible; assumption).
  split; [intros o Ho; exists b; apply H; exact Ho|]. exists b. intros o Ho. apply Rabs_le.
  apply (law_between cmax); [apply Htheta|]. intros x Hx. apply Rabs_le_inv, H; assumption.
Qed.
Theorem independent_initialization N : initialization N cmax theta (one_by_one N).
Proof.
  induction N as [|N [I1 I2 I3 I4]].
  - split; [reflexivity| |reflexivity|intros; lia]. intros f f' _ _ H. apply H. intros i Hi. lia.
  - split; cbn [one_by_one].
    + transitivity (one_by_one N (fun _ => 1)); [|exact I1]. f_equal. apply functional_extensionality. intros o. apply (law_one cmax), Htheta.
    + intros f f' Hf Hf' H. destruct (bounded_drawn N f Hf) as [B1 B2]. destruct (bounded_drawn N f' Hf') as [B1' B2'].
      apply I2; auto. intros o Ho. apply (law_monotone cmax); auto. intros x Hx. apply H, drawn_possible; assumption.
    + intros a b f f' Hf Hf'. destruct (bounded_drawn N f Hf) as [B1 B2]. destruct (bounded_drawn N f' Hf') as [B1' B2'].
      rewrite <- I3 by assumption.
      assert (Hsum : bounded_start N cmax (fun o => a * theta N (fun x => f (drawn o N x)) + b * theta N (fun x => f' (drawn o N x)))).
      { destruct B2 as (c & Hc). destruct B2' as (c' & Hc'). exists (Rabs a * c + Rabs b * c'). intros o Ho.
        eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult. apply Rplus_le_compat; apply Rmult_le_compat_l; auto using Rabs_pos. }
      assert (Heq : forall o, possible_start N cmax o -> theta N (fun x => a * f (drawn o N x) + b * f' (drawn o N x))
        = a * theta N (fun x => f (drawn o N x)) + b * theta N (fun x => f' (drawn o N x)))
        by (intros o Ho; apply (law_linear cmax); auto).
      assert (Hsum' : bounded_start N cmax (fun o => theta N (fun x => a * f (drawn o N x) + b * f' (drawn o N x)))).
      { destruct Hsum as (c & Hc). exists c. intros o Ho. rewrite Heq by exact Ho. apply Hc. exact Ho. }
      apply Rle_antisym; apply I2; auto; intros o Ho; rewrite Heq by exact Ho; lra.
    + intros i f Hi Hf. destruct (Nat.eq_dec i N) as [->|Hne].
      * transitivity (one_by_one N (fun o => theta N f * 1)).
        -- f_equal. apply functional_extensionality. intros o. rewrite Rmult_1_r. f_equal. apply functional_extensionality. intros x.
           unfold drawn. destruct (Nat.eq_dec N N); [reflexivity|contradiction].
        -- assert (B : bounded_start N cmax (fun _ => 1)) by (exists 1; intros; rewrite Rabs_R1; lra).
           pose proof (I3 (theta N f) 0 (fun _ => 1) (fun _ => 1) B B) as H. cbv beta in H. rewrite I1 in H.
           replace (fun _ : nat -> observation => theta N f * 1) with (fun _ : nat -> observation => theta N f * 1 + 0 * 1)
             by (apply functional_extensionality; intros; ring). rewrite H. ring.
      * rewrite <- (I4 i f) by (lia || assumption). f_equal. apply functional_extensionality. intros o.
        rewrite <- (law_const cmax (theta N) (f (o i))) by apply Htheta. f_equal. apply functional_extensionality. intros x.
        unfold drawn. destruct (Nat.eq_dec i N); [contradiction|reflexivity].
Qed.
End Independent.

(* ---- any market *)
Definition draws (cmax : R) (q c : nat -> R) (i : nat) : (observation -> R) -> R := draws_of cmax (q i) (c i).
(* Whatever the qualities and mean costs, there are dynamics: laws with these means, first draws that are independent, and a
   platform that chooses uniformly. *)
Theorem dynamics_of_any_market N delta cmax qmin gamma g (q c : nat -> R) :
  (1 <= N)%nat -> 0 < cmax -> (forall i, 0 <= q i <= 1 /\ 0 <= c i <= cmax) ->
  let theta := draws cmax q c in
  dynamics N delta cmax qmin gamma g (uniform_platform N delta cmax qmin gamma g) theta (one_by_one theta N) /\
  quality theta = q /\ cost_of theta = c.
Proof.
  intros HN Hc Hrange theta. assert (H : forall i, Game.law cmax (theta i) /\ theta i score = q i /\ theta i Game.cost = c i).
  { intros i. destruct (Hrange i) as [Hq Hcost]. exact (laws_with_given_means cmax (q i) (c i) Hc Hq Hcost). }
  split; [|split; apply functional_extensionality; intros i; apply (H i)].
  split; [apply a_uniform_platform; exact HN|]. split; [intros i; apply (H i)|]. apply independent_initialization. intros i. apply (H i).
Qed.
(* In these dynamics, after any number of queries, some history is on the good event. *)
Theorem a_history_on_E N delta cmax qmin gamma g q c profile : (1 <= N)%nat -> 0 < delta < 1 -> 0 < cmax ->
  (forall i, 0 <= q i <= 1 /\ 0 <= c i <= cmax) -> forall n, exists H,
  reached N delta cmax qmin gamma g profile n H /\ ~ not_good N delta cmax (draws cmax q c) H.
Proof.
  intros HN Hd Hc Hrange. destruct (dynamics_of_any_market N delta cmax qmin gamma g q c HN Hc Hrange) as (Hdyn & _).
  exact (histories_on_E_exist N delta cmax qmin gamma g _ _ _ profile Hdyn HN Hd Hc).
Qed.

(* ---- its draws are countably additive *)
Lemma average_is_weighted {A : Type} (f : A -> R) l : average f l = weighted (map (fun x => (/ INR (length l), x)) l) f.
Proof.
  unfold average, Rdiv. rewrite Rmult_comm. generalize (/ INR (length l)). intros c.
  induction l as [|x l IH]; simpl; [ring|]. rewrite <- IH. ring.
Qed.
Lemma over_finitely_many chosen (E : (nat -> R) -> R) l : over chosen E -> (forall a x, In (a, x) l -> 0 <= a) ->
  (forall f, E f = weighted l f) -> averages E.
Proof.
  intros HE Hl H. split.
  - intros f Hf. apply (over_between chosen E); [exact HE|]. intros j _. apply Hf.
  - intros f f' _ _ Hf. apply (proj1 (proj2 HE)). auto.
  - intros f limit most _ _ Hf Hmost. rewrite H. pose proof (weighted_limit l Hl f limit 0 most Hf) as Hw. rewrite Rplus_0_l in Hw.
    apply Hw. intros n. rewrite Rplus_0_l, <- H. apply Hmost.
Qed.
Lemma one_by_one_averages theta N : (forall j, averages (theta j)) -> averages (one_by_one theta N).
Proof.
  intros Ht. induction N as [|N IH]; cbn [one_by_one]; [apply averages_at|].
  apply (averages_then (one_by_one theta N) (fun o f => theta N (fun x => f (drawn o N x)))); [exact IH|]. intros o.
  apply (averages_then (theta N) (fun x f => f (drawn o N x))); [apply Ht|]. intros x. apply averages_at.
Qed.
Definition outcome (cmax : R) (k : nat) : observation :=
  match k with 0 => {| cost := cmax; score := 1 |} | 1 => {| cost := 0; score := 1 |} | 2 => {| cost := cmax; score := 0 |}
  | _ => {| cost := 0; score := 0 |} end%nat.
(* Draws of finitely many outcomes by a platform that chooses uniformly are countably additive. *)
Theorem draws_that_are_countably_additive N delta cmax qmin gamma g (q c : nat -> R) :
  (1 <= N)%nat -> 0 < cmax -> (forall i, 0 <= q i <= 1 /\ 0 <= c i <= cmax) ->
  countably_additive N delta cmax qmin g (uniform_platform N delta cmax qmin gamma g) (draws cmax q c) (one_by_one (draws cmax q c) N).
Proof.
  intros HN Hc Hrange.
  assert (Hx : forall j, 0 <= q j <= 1 /\ 0 <= c j / cmax <= 1).
  { intros j. destruct (Hrange j) as [Hq Hcost]. split; [exact Hq|]. split; [apply Rmult_le_pos; [lra|apply Rlt_le, Rinv_0_lt_compat; exact Hc]|].
    apply Rmult_le_reg_r with cmax; [exact Hc|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  assert (Ht : forall j, averages (draws cmax q c j)).
  { intros j. destruct (Hx j) as [Hq Hr]. set (x := c j / cmax) in *.
    apply (averages_agree (weighted [(q j * x, outcome cmax 0); (q j * (1 - x), outcome cmax 1); ((1 - q j) * x, outcome cmax 2);
      ((1 - q j) * (1 - x), outcome cmax 3)])).
    - apply weighted_averages; [|simpl; ring]. intros a o Ho.
      repeat (destruct Ho as [Ho|Ho]; [injection Ho as <- _; apply Rmult_le_pos; lra|]). destruct Ho.
    - intros f. unfold draws, draws_of. fold x. simpl. ring. }
  split; [|split; [exact Ht|split; [apply one_by_one_averages; exact Ht|]]].
  - intros H bids. pose proof (a_uniform_platform N delta cmax qmin gamma g HN H bids) as Hover.
    assert (Hweights : forall l, (forall a x, In (a, x) (map (fun x : nat => (/ INR (length l), x)) l) -> 0 <= a)).
    { intros l a x Hin. apply in_map_iff in Hin. destruct Hin as (y & E & Hy). injection E as <- _.
      apply Rlt_le, Rinv_0_lt_compat, lt_0_INR. destruct l; [destruct Hy|simpl; lia]. }
    unfold allocate in *. destruct (auction_dec N delta qmin g H); cbn [break_ties explore uniform_platform] in *;
      (eapply over_finitely_many; [exact Hover| |intros f; apply average_is_weighted]; apply Hweights).
  - exists (fun _ => outcome cmax). intros j. split.
    + intros k. destruct k as [|[|[|k]]]; split; simpl; lra.
    + intros f f' _ _ Hk. destruct (Hx j) as [Hq Hr]. unfold draws, draws_of. set (x := c j / cmax) in *.
      pose proof (Hk 0%nat). pose proof (Hk 1%nat). pose proof (Hk 2%nat). pose proof (Hk 3%nat). cbn [outcome] in *.
      apply Rplus_le_compat; (apply Rmult_le_compat_l; [lra|]); apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
Qed.

(* What the theorems about runs assume of estimates and bids: estimates that are the means, and bids at the mean cost. *)
Definition the_estimates (f : nat -> R) : nat -> nat -> R := fun i _ => f i.
Definition the_bids (f : nat -> R) : list nat -> nat -> R := fun _ i => f i.
(* Estimates that equal the means are on the good event. *)
Theorem a_good_event N delta cmax gamma q c : 0 < cmax -> 0 <= gamma ->
  Statements.good_event N delta cmax gamma q c (the_estimates q) (the_estimates c).
Proof.
  intros Hc Hg. split; intros i n _ _; unfold the_estimates; rewrite Rminus_eq_0, Rabs_R0; [apply sqrt_pos|].
  unfold rad. apply Rmult_le_pos; [nra|apply sqrt_pos].
Qed.
(* Bids at the mean costs follow the estimates, whatever deviations are allowed. *)
Theorem bids_that_follow N delta cmax qmin gamma d_minus d_plus q c g : 0 <= d_minus -> 0 <= d_plus ->
  (forall i, 0 <= c i <= cmax) ->
  bids_follow N delta cmax qmin gamma d_minus d_plus (the_estimates q) (the_estimates c) (the_bids c) g.
Proof. intros H1 H2 Hc h i _ _. unfold the_bids, the_estimates. specialize (Hc i). lra. Qed.
(* They are truthful. *)
Theorem bids_that_are_truthful N delta cmax qmin q c g : (forall i, 0 <= c i <= cmax) ->
  bids_truthfully N delta cmax qmin (the_estimates q) (the_estimates c) (the_bids c) g.
Proof. intros Hc h i _ _. unfold the_bids, the_estimates. specialize (Hc i). lra. Qed.
(* Both together are what the theorems about payments assume. *)
Theorem a_good_event_of_payments N delta cmax qmin gamma d_minus d_plus k alpha q c :
  0 < cmax -> 0 <= gamma -> 0 <= d_minus -> 0 <= d_plus -> (forall i, 0 <= c i <= cmax) ->
  on_good_event N delta cmax qmin gamma d_minus d_plus k alpha q c (the_estimates q) (the_estimates c) (the_bids c).
Proof. intros. split; [apply a_good_event|apply bids_that_follow]; assumption. Qed.
(* An exploration target that never falls. *)
Theorem a_target_that_never_falls : never_falls (fun t => INR t).
Proof. intros s t _ H. apply le_INR. exact H. Qed.
(* Whatever happened, a query can be served: runs of every length exist, in every market. *)
Theorem runs_exist N delta cmax qmin gamma (quality_estimate : nat -> nat -> R) bid g : (1 <= N)%nat ->
  forall steps, exists h, run N delta cmax qmin gamma quality_estimate bid g h /\ length h = steps.
Proof.
  intros HN steps. induction steps as [|steps (h & Hr & Hl)]; [exists []; split; [constructor|reflexivity]|].
  assert (Hs : exists s, step N delta cmax qmin gamma quality_estimate bid g h s).
  { destruct (explores_dec N delta qmin quality_estimate g h) as [(j & Hj & Hm)|Hn]; [exists j; left; split; [exists j|]; auto|].
    set (f := adj (radii N delta cmax gamma h) (bid h)).
    destruct (minl f (Qh N delta qmin quality_estimate h)) as [v|] eqn:E.
    - destruct (minl_att _ _ _ E) as (s & Hs & Ev). exists s. right. right. split; auto. split; auto.
      intros j Hj. unfold f in *. rewrite <- Ev. apply (minl_lb _ _ _ E j Hj).
    - apply minl_none in E. exists 0%nat. right. left. split; [assumption|lia]. }
  destruct Hs as (s & Hs). exists (s :: h). split; [constructor; auto|simpl; lia].
Qed.

(* ---- a game of two providers of quality 1 that have served once: an auction at step 3, exploration at step 4 *)
Definition the_quality (i : nat) : R := 1.
Definition costs_once (first second : R) : history :=
  {| initial := fun i => {| cost := match i with O => first | _ => second end; score := 1 |}; later := [] |}.
Lemma costs_once_possible N first second : 0 <= first <= 1 -> 0 <= second <= 1 -> possible_history N 1 (costs_once first second).
Proof. intros H1 H2. split; [|intros query []]. intros [|i] _; split; simpl; lra. Qed.
(* g(t) = k (t/N)^alpha with k = 4/5 and alpha = 1/2 *)
Definition slow_target : nat -> R := target 2 (4 / 5) (1 / 2).
Lemma slow_target_at t : (1 <= t)%nat -> slow_target t = 4 / 5 * sqrt (INR t / 2).
Proof.
  intros Ht. unfold slow_target, target. replace (1 / 2) with (/ 2) by lra. rewrite Rpower_sqrt; [reflexivity|].
  apply Rdiv_lt_0_compat; [apply lt_0_INR; lia|simpl; lra].
Qed.
Lemma slow_target_3 : slow_target 3 <= 1.
Proof.
  rewrite slow_target_at by lia. assert (sqrt (INR 3 / 2) <= 5 / 4); [|lra].
  rewrite <- (sqrt_square (5 / 4)) by lra. apply sqrt_le_1_alt. simpl. lra.
Qed.
Lemma slow_target_4 : 1 < slow_target 4 <= 2.
Proof.
  rewrite slow_target_at by lia. assert (5 / 4 < sqrt (INR 4 / 2) <= 5 / 2); [|lra]. split.
  - rewrite <- (sqrt_square (5 / 4)) by lra. apply sqrt_lt_1_alt. simpl. lra.
  - rewrite <- (sqrt_square (5 / 2)) by lra. apply sqrt_le_1_alt. simpl. lra.
Qed.

Section TwoProviders.
Variables (delta : R) (p : platform).
Hypothesis Hp : obeys_rules 2 delta 1 0 0 slow_target p.
Notation may_serve := (may_serve 2 delta 1 0 0 slow_target).
Notation paid := (paid 2 delta 1 0 0 slow_target).
Notation utility := (utility 2 delta 1 0 0 slow_target).

Lemma both_eligible H : possible_history 2 1 H -> eligible_set 2 delta 0 H = [0; 1]%nat.
Proof.
  intros HH.
  unfold eligible_set, Qh. simpl seq. simpl filter.
  assert (E : forall i, (i < 2)%nat -> inQh 2 delta 0 (quality_estimate H) (served H) i = true).
  { intros i Hi. unfold inQh. destruct (Rle_dec _ _) as [|Hn]; [reflexivity|]. exfalso. apply Hn.
    assert (0 <= quality_estimate H i (m (served H) i) <= 1).
    { apply average_between; [apply own_history_not_empty|]. intros o Ho. eapply own_history_possible; eauto. }
    pose proof (sqrt_pos (1 / (2 * INR (m (served H) i)) * ln (2 * PI ^ 2 * INR 2 * INR (m (served H) i) ^ 2 / (3 * delta)))) as Hb.
    unfold bt, beta. lra. }
  rewrite !E by lia. reflexivity.
Qed.
Lemma allocate_only H bids j f : (forall k, may_serve H bids k -> k = j) -> allocate 2 delta 0 slow_target p H bids f = f j.
Proof.
  intros Hj. pose proof (over_between _ _ f (f j) (f j) (Hp H bids)) as E.
  destruct E; [intros k Hk; rewrite (Hj k Hk); lra|lra].
Qed.

Section Start.
Variables (first second : R).
Hypothesis Hfirst : 0 <= first <= 1.
Hypothesis Hsecond : 0 <= second <= 1.
Notation start := (costs_once first second).

Lemma start_possible : possible_history 2 1 start. Proof. apply costs_once_possible; assumption. Qed.
Lemma start_auction : auction_at 2 delta 0 slow_target start.
Proof.
  split; [|rewrite both_eligible by apply start_possible; discriminate].
  intros (j & _ & Hm). pose proof slow_target_3. unfold m, now, times in Hm. simpl in Hm. lra.
Qed.
Lemma start_serves bids k : may_serve start bids k -> (k < 2)%nat /\ bids k <= bids 0%nat /\ bids k <= bids 1%nat.
Proof.
  intros Hs. split; [eapply served_lt; exact Hs|]. pose proof (auction_selects _ _ _ _ _ _ _ _ _ start_auction Hs) as [_ Hmin].
  rewrite both_eligible in Hmin by apply start_possible. pose proof (Hmin 0%nat ltac:(simpl; auto)) as H0.
  pose proof (Hmin 1%nat ltac:(simpl; auto)) as H1. unfold adj, radii, m, times in *. simpl in *. lra.
Qed.
Lemma start_pays bids : paid start bids 0 = Rmin (bids 1%nat) 1.
Proof.
  rewrite auction_pays by apply start_auction. rewrite both_eligible by apply start_possible.
  unfold pay, crit, others, adj, radii, m, times. simpl. f_equal. ring.
Qed.
(* whoever served, the other one is explored next *)
Lemma next_no_auction j o : (j < 2)%nat -> possible 1 o -> ~ auction_at 2 delta 0 slow_target (after start j o).
Proof.
  intros Hj Ho [Hn _]. apply Hn. exists (1 - j)%nat. split.
  - change (In (1 - j)%nat (eligible_set 2 delta 0 (after start j o))).
    rewrite both_eligible by (apply possible_after; auto; apply start_possible). destruct j as [|[|j]]; [right; left; reflexivity|left; reflexivity|lia].
  - pose proof slow_target_4. destruct j as [|[|j]]; [| |lia]; unfold m, now, times; simpl; lra.
Qed.
Lemma next_serves j o bids k : (j < 2)%nat -> possible 1 o -> may_serve (after start j o) bids k -> k = (1 - j)%nat.
Proof.
  intros Hj Ho Hs. pose proof (served_lt _ _ _ _ _ _ _ _ _ Hs) as Hk. pose proof slow_target_4.
  assert (Hm : INR (m [j] k) < slow_target 4 -> k = (1 - j)%nat).
  { intros Hlt. destruct j as [|[|j]], k as [|[|k]]; try lia; exfalso; unfold m, times in Hlt; simpl in Hlt; lra. }
  assert (Ha := next_no_auction j o Hj Ho).
  destruct Hs as [(_ & _ & Hlt)|[(E & _)|(Hn & _)]]; [apply Hm; exact Hlt| |].
  - exfalso. change (eligible_set 2 delta 0 (after start j o) = []) in E.
    rewrite both_eligible in E by (apply possible_after; auto; apply start_possible). discriminate.
  - exfalso. apply Ha. split; [exact Hn|]. rewrite both_eligible by (apply possible_after; auto; apply start_possible). discriminate.
Qed.
(* two steps, costs being the same always: who serves first, then the other *)
Definition same_costs (i : nat) (f : observation -> R) : R := f (initial start i).
Lemma two_steps charge profile i j : (j < 2)%nat -> (forall k, may_serve start (bids_at 2 profile start) k -> k = j) ->
  let next := after start j (initial start j) in
  utility charge p same_costs profile i start 4 =
    net_payment 2 delta 1 0 0 slow_target charge profile i next (1 - j) + net_payment 2 delta 1 0 0 slow_target charge profile i start j.
Proof.
  intros Hj Hfirst_served. cbv zeta. unfold Game.utility, at_step, now. simpl Nat.sub. cbn [expected].
  rewrite (allocate_only _ _ j) by exact Hfirst_served. unfold same_costs at 1.
  assert (Ho : possible 1 (initial start j)) by (apply start_possible; exact Hj).
  rewrite (allocate_only _ _ (1 - j)) by (intros k Hk; eapply next_serves; eauto). unfold same_costs.
  simpl. unfold after. simpl. rewrite Rplus_0_r. reflexivity.
Qed.
Lemma same_costs_law j : law 1 (same_costs j).
Proof. apply a_constant_law. unfold same_costs. destruct j; split; simpl; lra. Qed.
End Start.
End TwoProviders.

(* What part iii) of thm:robust-dominant asks for occurs: an auction, an eligible provider, and a bid on the other side of
   the critical payment than its estimate. *)
Theorem a_deviation_across_the_critical_payment delta :
  let H := costs_once (1 / 4) (1 / 2) in
  let profile := playing 0 (truthful mean_cost) (fun _ => truthful mean_cost) in
  ~ explores_at 2 delta 0 slow_target H /\ In 0%nat (eligible_set 2 delta 0 H) /\
  critical 2 delta 1 0 0 H (bids_at 2 profile H) 0 = Some (1 / 2) /\
  (truthful mean_cost (at_step 2 H) (own_history 0 H) - 1 / 2) * (3 / 4 - 1 / 2) < 0.
Proof.
  cbv zeta. assert (Hq : 0 <= 1 / 4 <= 1) by lra. assert (Hh : 0 <= 1 / 2 <= 1) by lra.
  assert (Hown : average cost (own_history 0 (costs_once (1 / 4) (1 / 2))) = 1 / 4
    /\ average cost (own_history 1 (costs_once (1 / 4) (1 / 2))) = 1 / 2) by (unfold own_history, average; simpl; split; field).
  split; [apply start_auction; lra|]. split; [rewrite both_eligible by (apply start_possible; lra); left; reflexivity|]. split.
  - unfold critical, crit. rewrite both_eligible by (apply start_possible; lra). unfold others, adj, radii, m, times. simpl. f_equal.
    unfold bids_at, playing, truthful, mean_cost. destruct (Nat.eq_dec 1 0); [discriminate|]. rewrite (proj2 Hown). ring.
  - unfold truthful, mean_cost. rewrite (proj1 Hown). lra.
Qed.
