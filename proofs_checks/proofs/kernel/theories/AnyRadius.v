(* Algorithm 1 with any confidence radius, and with feedback that may be late: one set of theorems for both.

   A decision rests on what has arrived. `seen h i` is how many of provider i's queries have their score and bid there when
   the next query is assigned, h being who was served after initialization, newest first. With `seen h i = m h i` feedback
   is immediate; with the paper's radius besides, a course is a run of Runs.v, as Sharp.v says. Whoever has no
   observation yet passes the test. rho n is the radius of the test of quality and cr n that of a cost, after n observations.
   Estimates are those of the first n observations in the order of their arrival.

   Statements: the rules and the caps come first; then what holds of lists, of all courses, and of courses whose
   means stay in their bands. AnyRadiusEvent.v says how probable the bands are, and states the labels for plays.
   InFlightTotals.v has what late feedback adds to regrets and payments under the paper's radius. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Rates.
Import ListNotations.
Open Scope R_scope.

(* ---- the rules, for what has arrived instead of what was assigned *)
Section Rules.
Variables (N : nat) (qmin : R) (rho cr : nat -> R) (qhat : nat -> nat -> R) (bid : list nat -> nat -> R) (g : nat -> R).
Variable seen : list nat -> nat -> nat.
Definition passes h i : Prop := seen h i = 0%nat \/ qmin <= qhat i (seen h i) + rho (seen h i).
Definition passes_dec h i : {passes h i} + {~ passes h i} :=
  match Nat.eq_dec (seen h i) 0, Rle_dec qmin (qhat i (seen h i) + rho (seen h i)) with
  | left E, _ => left (or_introl E)
  | _, left Hle => left (or_intror Hle)
  | right Hn, right Hgt => right (fun H => match H with or_introl E => Hn E | or_intror Hle => Hgt Hle end)
  end.
Definition pool h : list nat := filter (fun i => if passes_dec h i then true else false) (seq 0 N).
(* somebody eligible is under-sampled *)
Definition samples h : Prop := exists j, In j (pool h) /\ INR (seen h j) < g (now N h).
Definition serves h s : Prop :=
  (samples h /\ In s (pool h) /\ INR (seen h s) < g (now N h)) \/
  (pool h = [] /\ (s < N)%nat) \/
  (~ samples h /\ selected (pool h) (fun j => cr (seen h j)) (bid h) s).
Inductive course : list nat -> Prop := course_nil : course [] | course_cons h s : course h -> serves h s -> course (s :: h).
(* d_i: the most queries of i that were in flight when it was served after initialization *)
Fixpoint in_flight (h : list nat) (i : nat) : nat :=
  match h with [] => 0%nat | s :: t => Nat.max (if Nat.eq_dec s i then m t i - seen t i else 0) (in_flight t i) end.
(* feedback: what has arrived was assigned before, and stays *)
Definition arrives : Prop := forall h i, (seen h i <= m h i)%nat /\ forall s, (seen h i <= seen (s :: h) i)%nat.
End Rules.

(* ---- the caps *)
Section Caps.
Variables (N : nat) (qmin : R) (rho cr : nat -> R) (g : nat -> R).
Variables (dm dp : R) (q cbar : nat -> R) (best : nat) (own : nat -> nat -> R).
(* the cheapest of the qualified providers, and no other is as cheap *)
Definition best_of : Prop := (best < N)%nat /\ qmin <= q best /\
  forall j, (j < N)%nat -> qmin <= q j -> j <> best -> cbar best < cbar j.
(* C is 0 at least, and no count at which a width reaches a gap is larger *)
Definition reached_by (width : nat -> R) (gap C : R) : Prop :=
  0 <= C /\ forall n, (1 <= n)%nat -> gap <= width n -> INR n <= C.
(* the largest count at which it does, or 0 where there is none *)
Definition largest_count (width : nat -> R) (gap : R) (L : nat) : Prop :=
  (L = 0%nat \/ ((1 <= L)%nat /\ gap <= width L)) /\ forall n, (1 <= n)%nat -> gap <= width n -> (n <= L)%nat.
(* M_i: an unqualified provider is eligible at no larger count. L_i: i wins no auction at a larger count. *)
Definition eliminated_at i (M : R) : Prop := reached_by (fun n => rho n + own i n) (qmin - q i) M.
Definition beaten_at i (L : R) : Prop := reached_by (fun n => 2 * cr n) (cbar i - cbar best - dm - dp) L.
(* M_i of every unqualified provider; L_i of every qualified one but the best, and of an unqualified one where it exists: one
   that is no dearer than the best may win auctions at every count at which it is eligible *)
Definition counts (M : nat -> R) (L : nat -> option R) : Prop :=
  (forall i, (i < N)%nat -> q i < qmin -> eliminated_at i (M i)) /\
  (forall i, (i < N)%nat -> i <> best -> match L i with Some l => beaten_at i l | None => q i < qmin end).
Variables (M : nat -> R) (L : nat -> option R).
(* max{L_i, ceil(g(T)) - 1} of a qualified provider; M_i of an unqualified one, or the smaller of both where L_i exists *)
Definition cap (T i : nat) : R :=
  match L i with
  | None => M i
  | Some l => let most := Rmax l (ceiling (g T) - 1) in if Rlt_dec (q i) qmin then Rmin (M i) most else most
  end.
(* the sum of a number of every provider but the best *)
Definition over_others (cap : nat -> R) : R := bsum N (fun i => if Nat.eq_dec i best then 0 else cap i).
(* B(T), and what T must exceed for the best provider to lead *)
Definition B (T : nat) : R := over_others (cap T).
Definition settled (T : nat) : Prop := forall i, (i < N)%nat -> i <> best -> INR N + B T + cap T i < INR T.
End Caps.

(* ---- counting along a list of who was served, whatever the rules *)
(* lem:selection-counting, first part: at its l-th selection after initialization a provider has m = l *)
Theorem selection_counting (i : nat) (before : list nat) (l : nat) :
  times (i :: before) i = l -> m before i = l.
Proof. intros <-. unfold m. rewrite times_cons_same. reflexivity. Qed.
(* how many selections of i are at histories that p holds of *)
Fixpoint times_if (p : list nat -> bool) (h : list nat) (i : nat) : nat :=
  match h with [] => 0%nat | s :: t => ((if Nat.eq_dec s i then if p t then 1 else 0 else 0) + times_if p t i)%nat end.
Lemma times_if_le p h i : (times_if p h i <= times h i)%nat.
Proof.
  induction h as [|s h IH]; [unfold times; simpl; lia|]. cbn [times_if]. destruct (Nat.eq_dec s i) as [->|Hne].
  - rewrite times_cons_same. destruct (p h); lia.
  - rewrite times_cons_other by exact Hne. lia.
Qed.
Lemma times_if_all h i : times_if (fun _ => true) h i = times h i.
Proof.
  induction h as [|s h IH]; [reflexivity|]. cbn [times_if]. destruct (Nat.eq_dec s i) as [->|Hne].
  - rewrite times_cons_same, IH. reflexivity.
  - rewrite times_cons_other by exact Hne. exact IH.
Qed.
Lemma times_sum N h : (forall i, In i h -> (i < N)%nat) -> bsum N (fun i => INR (times h i)) = INR (length h).
Proof.
  intros H. pose proof (total_by_provider N (fun _ => 1) h H) as E. pose proof (total_const 1 h) as E1. cbv beta in E, E1.
  rewrite E, Rmult_1_l in E1. rewrite <- E1. apply bsum_ext. intros i _. ring.
Qed.
Lemma over_others_times N best h : (forall i, In i h -> (i < N)%nat) -> (best < N)%nat ->
  over_others N best (fun i => INR (times h i)) = INR (length h) - INR (times h best).
Proof.
  intros H Hb. unfold over_others. rewrite (bsum_update N (fun i => INR (times h i)) _ best Hb).
  - rewrite times_sum by exact H. destruct (Nat.eq_dec best best); [lra|contradiction].
  - intros i _ Hne. destruct (Nat.eq_dec i best); [contradiction|reflexivity].
Qed.
Lemma over_others_plus N best f f' : over_others N best (fun i => f i + f' i) = over_others N best f + over_others N best f'.
Proof.
  unfold over_others. rewrite <- bsum_plus. apply bsum_ext. intros i _. destruct (Nat.eq_dec i best); lra.
Qed.
Lemma largest_is_reached width gap L : largest_count width gap L -> reached_by width gap (INR L).
Proof. intros [_ H]. split; [apply pos_INR|]. intros n Hn Hg. apply le_INR. auto. Qed.
(* steps until T that do not serve the best provider, N - 1 of initialization among them: N - 1 and the caps of the others *)
Theorem misses_by_caps N best h cap : (forall i, In i h -> (i < N)%nat) -> (best < N)%nat ->
  (forall i, (i < N)%nat -> i <> best -> INR (times h i) <= cap i) ->
  nonoptimal_steps N best h <= INR N - 1 + over_others N best cap.
Proof.
  intros H Hb Hcap. unfold nonoptimal_steps.
  assert (E1 : bsum N (fun i => if Nat.eq_dec i best then 0 else 1) = INR N - 1).
  { rewrite (bsum_update N (fun _ => 1) _ best Hb).
    - rewrite bsum_const. destruct (Nat.eq_dec best best); [lra|contradiction].
    - intros i _ Hne. destruct (Nat.eq_dec i best); [contradiction|reflexivity]. }
  rewrite E1. apply Rplus_le_compat_l. rewrite (total_by_provider N (fun s => if Nat.eq_dec s best then 0 else 1)) by exact H.
  apply bsum_le. intros i Hi. destruct (Nat.eq_dec i best); [lra|]. rewrite Rmult_1_l. auto.
Qed.
(* how far the best provider leads at T: T - N, less the caps of all others and once more that of the rival *)
Theorem lead_by_caps N best h cap i : (forall i, In i h -> (i < N)%nat) -> (best < N)%nat ->
  (forall i, (i < N)%nat -> i <> best -> INR (times h i) <= cap i) -> (i < N)%nat -> i <> best ->
  INR (N + length h) - INR N - over_others N best cap - cap i <= INR (m h best) - INR (m h i).
Proof.
  intros H Hb Hcap Hi Hne. pose proof (over_others_times N best h H Hb) as E.
  assert (Hle : over_others N best (fun i => INR (times h i)) <= over_others N best cap).
  { apply bsum_le. intros j Hj. destruct (Nat.eq_dec j best); [lra|auto]. }
  specialize (Hcap i Hi Hne). unfold m. rewrite !S_INR, plus_INR. lra.
Qed.
Lemma one_of_others N best cap i : (forall j, (j < N)%nat -> j <> best -> 0 <= cap j) -> (i < N)%nat -> i <> best ->
  cap i <= over_others N best cap.
Proof.
  intros Hpos Hi Hne. unfold over_others. revert Hi. induction N as [|n IH]; intros Hi; [lia|]. cbn [bsum].
  assert (Hrest : forall k, (k <= n)%nat -> 0 <= bsum k (fun i => if Nat.eq_dec i best then 0 else cap i)).
  { intros k Hk. induction k as [|k IHk]; [simpl; lra|]. cbn [bsum]. specialize (IHk ltac:(lia)).
    destruct (Nat.eq_dec k best) as [|Hn]; [lra|]. specialize (Hpos k ltac:(lia) Hn). lra. }
  destruct (Nat.eq_dec i n) as [->|Hin].
  - specialize (Hrest n ltac:(lia)). destruct (Nat.eq_dec n best); [contradiction|lra].
  - assert (Hi' : (i < n)%nat) by lia. specialize (IH (fun j Hj => Hpos j ltac:(lia)) Hi').
    destruct (Nat.eq_dec n best) as [|Hn]; [lra|]. specialize (Hpos n ltac:(lia) Hn). lra.
Qed.

Section Courses.
Variables (N : nat) (qmin : R) (rho cr : nat -> R) (qhat : nat -> nat -> R) (bid : list nat -> nat -> R) (g : nat -> R).
Variable seen : list nat -> nat -> nat.
Notation passes := (passes qmin rho qhat seen).
Notation passes_dec := (passes_dec qmin rho qhat seen).
Notation pool := (pool N qmin rho qhat seen).
Notation samples := (samples N qmin rho qhat g seen).
Notation serves := (serves N qmin rho cr qhat bid g seen).
Notation course := (course N qmin rho cr qhat bid g seen).
Notation in_flight := (in_flight seen).
Lemma in_pool h i : In i (pool h) <-> (i < N)%nat /\ passes h i.
Proof using N qmin rho qhat seen.
  unfold AnyRadius.pool. rewrite filter_In, in_seq. destruct (passes_dec h i) as [H|H].
  - split; [intros [[_ Hi] _]; auto|intros [Hi _]; repeat split; auto using Nat.le_0_l].
  - split; [intros [_ E]; discriminate E|intros [_ H']; contradiction].
Qed.
Lemma samples_dec h : {samples h} + {~ samples h}.
Proof using N qmin rho qhat g seen.
  destruct (Exists_dec (fun j => INR (seen h j) < g (now N h)) (pool h) (fun j => Rlt_dec _ _)) as [He|Hn].
  - left. apply Exists_exists in He. exact He.
  - right. intros H. apply Hn, Exists_exists. exact H.
Defined.
Lemma serves_lt h s : serves h s -> (s < N)%nat.
Proof. intros [(_ & H & _)|[[_ H]|[_ [H _]]]]; auto; apply in_pool in H; tauto. Qed.
Lemma course_lt h : course h -> forall i, In i h -> (i < N)%nat.
Proof.
  induction 1 as [|h s Hr IH Hs]; intros i Hi; [destruct Hi|]. destruct Hi as [<-|Hi]; [eapply serves_lt; eauto|auto].
Qed.
Lemma nothing_in_flight : (forall h i, seen h i = m h i) -> forall h i, in_flight h i = 0%nat.
Proof.
  intros E h i. induction h as [|s h IH]; [reflexivity|]. cbn [in_flight]. rewrite IH, E. destruct (Nat.eq_dec s i); lia.
Qed.
Definition sampling h : bool := if samples_dec h then true else false.

(* lem:selection-counting, second part, with queries in flight: served at p-steps only while at most C has arrived, a provider
   is served at such steps at most C + d_i times *)
Theorem capped (p : list nat -> bool) (C : R) (T i : nat) h : 0 <= C -> course h -> (N + length h <= T)%nat ->
  (forall t, course t -> serves t i -> (now N t <= T)%nat -> p t = true -> INR (seen t i) <= C) ->
  INR (times_if p h i) <= C + INR (in_flight h i).
Proof.
  intros HC Hr HT Hcap. induction Hr as [|h s Hr IH Hs]; [simpl; lra|]. simpl in HT. specialize (IH ltac:(lia)).
  cbn [times_if in_flight]. set (new := if Nat.eq_dec s i then (m h i - seen h i)%nat else 0%nat).
  assert (Hmax : INR (in_flight h i) <= INR (Nat.max new (in_flight h i)) /\ INR new <= INR (Nat.max new (in_flight h i)))
    by (split; apply le_INR; lia).
  subst new. destruct (Nat.eq_dec s i) as [->|Hne]; [|simpl (0 + _)%nat; lra].
  destruct (p h) eqn:Ep; [|simpl (0 + _)%nat; lra].
  specialize (Hcap h Hr Hs ltac:(unfold now; lia) Ep).
  assert (Hle : INR (1 + times_if p h i) <= INR (seen h i) + INR (m h i - seen h i)).
  { rewrite <- plus_INR. apply le_INR. pose proof (times_if_le p h i). unfold m. lia. }
  lra.
Qed.
Corollary capped_times C T i h : 0 <= C -> course h -> (N + length h <= T)%nat ->
  (forall t, course t -> serves t i -> (now N t <= T)%nat -> INR (seen t i) <= C) ->
  INR (times h i) <= C + INR (in_flight h i).
Proof.
  intros HC Hr HT Hcap. rewrite <- times_if_all. apply (capped (fun _ => true) C T); auto.
Qed.

(* Whatever happened, a query can be served: courses of every length exist. *)
Lemma somebody_is_served h : (1 <= N)%nat -> exists s, serves h s.
Proof.
  intros HN. destruct (samples_dec h) as [(j & Hj & Hm)|Hn]; [exists j; left; split; [exists j|]; auto|].
  set (f := adj (fun j => cr (seen h j)) (bid h)). destruct (minl f (pool h)) as [v|] eqn:E.
  - destruct (minl_att _ _ _ E) as (s & Hs & Ev). exists s. right. right. split; [exact Hn|]. split; [exact Hs|].
    intros j Hj. unfold f in *. rewrite <- Ev. apply (minl_lb _ _ _ E j Hj).
  - apply minl_none in E. exists 0%nat. right. left. split; [exact E|lia].
Qed.
Theorem courses_exist : (1 <= N)%nat -> forall steps, exists h, course h /\ length h = steps.
Proof.
  intros HN steps. induction steps as [|steps (h & Hr & Hl)]; [exists []; split; [constructor|reflexivity]|].
  destruct (somebody_is_served h HN) as (s & Hs). exists (s :: h). split; [constructor; assumption|simpl; lia].
Qed.

(* lem:forced-exploration-bound: whatever the radius, the event and the delays, a provider is explored at most
   ceil(g(T)) - 1 + d_i times, all together at most N (ceil(g(T)) - 1) and the d_i *)
Hypothesis g_mono : forall s t, (1 <= s)%nat -> (s <= t)%nat -> g s <= g t.
Lemma sampled_below t i T : serves t i -> samples t -> (now N t <= T)%nat -> INR (seen t i) <= ceiling (g T) - 1.
Proof.
  intros Hs Hx HT. apply below_ceiling. apply Rlt_le_trans with (g (now N t)); [|apply g_mono; unfold now in *; lia].
  destruct Hs as [(_ & _ & H)|[[H _]|[H _]]]; [exact H| |contradiction]. destruct Hx as (j & Hj & _). rewrite H in Hj. destruct Hj.
Qed.
Lemma target_cap T : 0 < g T -> 0 <= ceiling (g T) - 1.
Proof. intros H. apply (below_ceiling 0). exact H. Qed.
Theorem explored_at_most h T i : course h -> (N + length h <= T)%nat -> 0 < g T ->
  INR (times_if sampling h i) <= ceiling (g T) - 1 + INR (in_flight h i).
Proof.
  intros Hr HT Hg. apply (capped sampling _ T); auto using target_cap. intros t _ Hs Ht Hp. apply sampled_below; auto.
  unfold sampling in Hp. destruct (samples_dec t); [assumption|discriminate].
Qed.
Theorem all_explored_at_most h T : course h -> (N + length h <= T)%nat -> 0 < g T ->
  bsum N (fun i => INR (times_if sampling h i)) <= INR N * (ceiling (g T) - 1) + bsum N (fun i => INR (in_flight h i)).
Proof.
  intros Hr HT Hg. rewrite <- bsum_const, <- bsum_plus. apply bsum_le. intros i _. apply explored_at_most; auto.
Qed.

(* ---- on the event that the means are within their bands *)
Variables (cmax dm dp : R) (q cbar : nat -> R) (best : nat) (est : nat -> nat -> R) (own : nat -> nat -> R).
Hypothesis Hbest : best_of N qmin q cbar best.
Notation eliminated_at := (eliminated_at qmin rho q own).
Notation beaten_at := (beaten_at cr dm dp cbar best).
Hypothesis scores_of_qualified : forall i n, (i < N)%nat -> (1 <= n)%nat -> qmin <= q i -> qmin - rho n <= qhat i n.
Hypothesis scores_of_unqualified : forall i n, (i < N)%nat -> (1 <= n)%nat -> q i < qmin -> qhat i n <= q i + own i n.
Hypothesis costs_in_band : forall i n, (i < N)%nat -> (1 <= n)%nat -> Rabs (est i n - cbar i) <= cr n.
Hypothesis bids_near : forall h i, course h -> (i < N)%nat -> (1 <= seen h i)%nat -> - dm <= bid h i - est i (seen h i) <= dp.
(* at an auction everybody eligible has an observation: so it is where g > 0, or where feedback is immediate *)
Definition auctions_have_bids : Prop := forall h j, course h -> ~ samples h -> In j (pool h) -> (1 <= seen h j)%nat.
Lemma bids_where_target_positive : (forall t, (1 <= t)%nat -> 0 < g t) -> auctions_have_bids.
Proof.
  intros Hg h j _ Hn Hj. destruct (seen h j) eqn:E; [|lia]. exfalso. apply Hn. exists j. split; [exact Hj|]. rewrite E.
  simpl. apply Hg. unfold now. lia.
Qed.
Lemma bids_where_immediate : (forall h i, seen h i = m h i) -> auctions_have_bids.
Proof. intros E h j _ _ _. rewrite E. unfold m. lia. Qed.
Hypothesis Hbids : auctions_have_bids.

(* lem:qualified-eligibility *)
Lemma qualified_in_pool h i : (i < N)%nat -> qmin <= q i -> In i (pool h).
Proof.
  intros Hi Hq. apply in_pool. split; [exact Hi|]. unfold passes. destruct (Nat.eq_dec (seen h i) 0); [auto|right].
  pose proof (scores_of_qualified i (seen h i) Hi ltac:(lia) Hq). lra.
Qed.
Lemma pool_not_empty h : pool h <> [].
Proof. intros E. pose proof (qualified_in_pool h best (proj1 Hbest) (proj1 (proj2 Hbest))) as H. rewrite E in H. destruct H. Qed.
Lemma served_in_pool h s : serves h s -> In s (pool h).
Proof. intros [(_ & H & _)|[[H _]|[_ [H _]]]]; auto. exfalso. apply (pool_not_empty h H). Qed.
Lemma served_at_auction h s : serves h s -> ~ samples h -> selected (pool h) (fun j => cr (seen h j)) (bid h) s.
Proof. intros [(H & _)|[[H _]|[_ H]]] Hn; [contradiction|exfalso; apply (pool_not_empty h H)|exact H]. Qed.
(* an unqualified provider with observations is eligible only while its gap is at most the radius of the test and its own *)
Lemma unqualified_in_pool h i : (i < N)%nat -> q i < qmin -> In i (pool h) -> (1 <= seen h i)%nat ->
  qmin - q i <= rho (seen h i) + own i (seen h i).
Proof.
  intros Hi Hq Hin Hs. apply in_pool in Hin. destruct Hin as [_ [H|H]]; [lia|].
  pose proof (scores_of_unqualified i (seen h i) Hi Hs Hq). lra.
Qed.
(* the winner of an auction, qualified or not, costs at most two radii and the deviations more than anybody eligible *)
Lemma winner_gap h s j : course h -> serves h s -> ~ samples h -> In j (pool h) ->
  cbar s - cbar j <= 2 * cr (seen h s) + dm + dp.
Proof.
  intros Hr Hs Hn Hj. destruct (served_at_auction h s Hs Hn) as [Hin Hm]. specialize (Hm j Hj). unfold adj in Hm.
  pose proof (Hbids h s Hr Hn Hin) as Hsees. pose proof (Hbids h j Hr Hn Hj) as Hjsees.
  assert (HsN : (s < N)%nat) by (apply in_pool in Hin; tauto). assert (HjN : (j < N)%nat) by (apply in_pool in Hj; tauto).
  pose proof (costs_in_band s _ HsN Hsees) as H1. apply Rabs_le_inv in H1.
  pose proof (costs_in_band j _ HjN Hjsees) as H2. apply Rabs_le_inv in H2.
  pose proof (bids_near h s Hr HsN Hsees). pose proof (bids_near h j Hr HjN Hjsees). lra.
Qed.

Lemma unqualified_served_below M h i : serves h i -> q i < qmin -> eliminated_at i M -> INR (seen h i) <= M.
Proof.
  intros Hs Hq [HM H]. destruct (Nat.eq_dec (seen h i) 0) as [E|Hne]; [rewrite E; exact HM|]. apply H; [lia|].
  apply unqualified_in_pool; [eapply serves_lt; eauto|exact Hq|apply served_in_pool; exact Hs|lia].
Qed.
Lemma winner_served_below L h i : course h -> serves h i -> ~ samples h -> beaten_at i L -> INR (seen h i) <= L.
Proof.
  intros Hr Hs Hn [HL H]. apply H; [apply (Hbids h i Hr Hn), served_in_pool; exact Hs|].
  pose proof (winner_gap h i best Hr Hs Hn (qualified_in_pool h best (proj1 Hbest) (proj1 (proj2 Hbest)))). lra.
Qed.
(* An unqualified provider is selected at most as often as its gap is within the radius of the test and that of its
   own scores, whatever the bids. *)
Theorem unqualified_elimination_any_radius M h i : course h -> (i < N)%nat -> q i < qmin -> eliminated_at i M ->
  INR (times h i) <= M + INR (in_flight h i).
Proof.
  intros Hr Hi Hq HM. apply (capped_times M (N + length h)); auto; [exact (proj1 HM)|]. intros t _ Hs _.
  apply unqualified_served_below; auto.
Qed.
(* lem:qualified-suboptimal-selection:any-radius, for any provider that is dearer than the best, qualified or not *)
Theorem suboptimal_selection_any_radius L h i : course h -> (i < N)%nat -> beaten_at i L -> 0 < g (N + length h)%nat ->
  INR (times h i) <= Rmax L (ceiling (g (N + length h)%nat) - 1) + INR (in_flight h i).
Proof.
  intros Hr Hi HL Hg. apply (capped_times _ (N + length h)); auto.
  - eapply Rle_trans; [exact (proj1 HL)|apply Rmax_l].
  - intros t Ht Hs HT. destruct (samples_dec t) as [Hx|Hn].
    + eapply Rle_trans; [|apply Rmax_r]. apply sampled_below; auto.
    + eapply Rle_trans; [|apply Rmax_l]. apply winner_served_below; auto.
Qed.
(* and an unqualified one at most min{M_i, max{L_i, ceil(g(T)) - 1}} times *)
Theorem unqualified_selection_any_radius M L h i : course h -> (i < N)%nat -> q i < qmin -> eliminated_at i M -> beaten_at i L ->
  0 < g (N + length h)%nat -> INR (times h i) <= Rmin M (Rmax L (ceiling (g (N + length h)%nat) - 1)) + INR (in_flight h i).
Proof.
  intros Hr Hi Hq HM HL Hg. pose proof (unqualified_elimination_any_radius M h i Hr Hi Hq HM).
  pose proof (suboptimal_selection_any_radius L h i Hr Hi HL Hg).
  unfold Rmin. destruct (Rle_dec _ _); lra.
Qed.
(* an unqualified provider is explored at most min{M_i, ceil(g(T)) - 1} + d_i times *)
Theorem unqualified_explored_at_most M h i : course h -> (i < N)%nat -> q i < qmin -> eliminated_at i M -> 0 < g (N + length h)%nat ->
  INR (times_if sampling h i) <= Rmin M (ceiling (g (N + length h)%nat) - 1) + INR (in_flight h i).
Proof.
  intros Hr Hi Hq HM Hg. pose proof (unqualified_elimination_any_radius M h i Hr Hi Hq HM).
  pose proof (explored_at_most h (N + length h) i Hr (le_n _) Hg). pose proof (le_INR _ _ (times_if_le sampling h i)).
  unfold Rmin. destruct (Rle_dec _ _); lra.
Qed.

(* ---- what all of them add up to. M i and L i: the counts of provider i *)
Variables (M : nat -> R) (L : nat -> option R).
Hypothesis Hcounts : counts N qmin rho cr dm dp q cbar best own M L.
Notation cap := (cap qmin g q M L).
Notation B := (B N qmin g q best M L).
Notation settled := (settled N qmin g q best M L).
Lemma cap_nonneg T i : (i < N)%nat -> i <> best -> 0 < g T -> 0 <= cap T i.
Proof.
  intros Hi Hne Hg. destruct Hcounts as [HM HL]. specialize (HL i Hi Hne). unfold AnyRadius.cap. destruct (L i) as [l|].
  - assert (0 <= Rmax l (ceiling (g T) - 1)) by (eapply Rle_trans; [exact (proj1 HL)|apply Rmax_l]).
    destruct (Rlt_dec _ _) as [Hq|]; [|assumption]. apply Rmin_glb; [exact (proj1 (HM i Hi Hq))|assumption].
  - exact (proj1 (HM i Hi HL)).
Qed.
Theorem times_at_most_cap h i : course h -> (i < N)%nat -> i <> best -> 0 < g (N + length h)%nat ->
  INR (times h i) <= cap (N + length h) i + INR (in_flight h i).
Proof.
  intros Hr Hi Hne Hg. destruct Hcounts as [HM HL]. specialize (HL i Hi Hne). unfold AnyRadius.cap. destruct (L i) as [l|].
  - cbv zeta. destruct (Rlt_dec _ _) as [Hq|Hq].
    + apply unqualified_selection_any_radius; auto.
    + apply suboptimal_selection_any_radius; auto.
  - apply unqualified_elimination_any_radius; auto.
Qed.
(* what is in flight of the others *)
Definition D h : R := over_others N best (fun i => INR (in_flight h i)).
(* At most N - 1 plus the sum of caps: max{L_i, ceil(g(T)) - 1} of a provider other than i*, L_i the largest count at
   which its cost gap is within two cost radii, and of an unqualified one M_i at most besides. *)
Theorem sample_complexity_any_radius h : course h -> 0 < g (N + length h)%nat ->
  nonoptimal_steps N best h <= INR N - 1 + B (N + length h) + D h.
Proof.
  intros Hr Hg. unfold AnyRadius.B, D. rewrite Rplus_assoc, <- over_others_plus. apply misses_by_caps.
  - apply course_lt. exact Hr.
  - apply Hbest.
  - intros i Hi Hne. apply times_at_most_cap; auto.
Qed.
(* the lead of the best provider over any other, in queries, at every T *)
Theorem lead_any_radius h i : course h -> 0 < g (N + length h)%nat -> (i < N)%nat -> i <> best ->
  INR (N + length h) - INR N - (B (N + length h) + D h) - (cap (N + length h) i + INR (in_flight h i))
    <= INR (m h best) - INR (m h i).
Proof.
  intros Hr Hg Hi Hne. unfold AnyRadius.B, D. rewrite <- over_others_plus.
  apply (lead_by_caps N best h (fun i => cap (N + length h) i + INR (in_flight h i)) i); auto.
  - apply course_lt. exact Hr.
  - apply Hbest.
  - intros j Hj Hjne. apply times_at_most_cap; auto.
Qed.
Theorem lead_in_flight h i : course h -> 0 < g (N + length h)%nat -> (i < N)%nat -> i <> best ->
  INR (N + length h) - INR N - 2 * (B (N + length h) + D h) <= INR (m h best) - INR (m h i).
Proof.
  intros Hr Hg Hi Hne. pose proof (lead_any_radius h i Hr Hg Hi Hne).
  assert (cap (N + length h) i <= B (N + length h)) by (apply one_of_others; auto using cap_nonneg).
  assert (INR (in_flight h i) <= D h) by (apply (one_of_others N best (fun i => INR (in_flight h i))); auto using pos_INR). lra.
Qed.
(* The best provider leads from the least T with T' > N + B(T') + max_i cap_i(T') for every T' >= T on, with the caps of the radius
   at hand. *)
Theorem identification_any_radius T_id h i : (forall T, (T_id <= T)%nat -> settled T) -> (forall h i, seen h i = m h i) ->
  course h -> (T_id <= N + length h)%nat -> 0 < g (N + length h)%nat -> (i < N)%nat -> i <> best -> (m h i < m h best)%nat.
Proof.
  intros Hset E Hr HT Hg Hi Hne. pose proof (lead_any_radius h i Hr Hg Hi Hne) as H. specialize (Hset _ HT i Hi Hne).
  assert (ED : D h = 0).
  { unfold D, over_others. rewrite (bsum_ext N _ (fun _ => 0)); [rewrite bsum_const; ring|].
    intros j _. rewrite nothing_in_flight by exact E. simpl. destruct (Nat.eq_dec j best); reflexivity. }
  rewrite ED, nothing_in_flight in H by exact E. change (INR 0) with 0 in H. apply INR_lt. lra.
Qed.
(* An auction goes to the best provider where every unqualified one is beyond M_i or ineligible, and every other is beyond L_i. *)
Theorem eventual_optimality_any_radius h i : course h -> serves h i -> ~ samples h ->
  (forall j, In j (pool h) -> q j < qmin -> M j < INR (seen h j)) ->
  (forall j l, (j < N)%nat -> qmin <= q j -> j <> best -> L j = Some l -> l < INR (seen h j)) -> i = best.
Proof.
  intros Hr Hs Hn Hu Hl. destruct (Nat.eq_dec i best) as [|Hne]; [assumption|exfalso]. destruct Hcounts as [HM HL].
  pose proof (serves_lt h i Hs) as Hi. destruct (Rlt_le_dec (q i) qmin) as [Hq|Hq].
  - pose proof (unqualified_served_below (M i) h i Hs Hq (HM i Hi Hq)).
    specialize (Hu i (served_in_pool h i Hs) Hq). lra.
  - specialize (HL i Hi Hne). specialize (Hl i). destruct (L i) as [l|]; [|lra].
    pose proof (winner_served_below l h i Hr Hs Hn HL). specialize (Hl l Hi Hq Hne eq_refl). lra.
Qed.
End Courses.

(* ---- on every market there are such counts, where radii tend to 0: without L_i for who is no dearer, and for nobody else *)
Definition tends_to_zero (f : nat -> R) : Prop := forall e, 0 < e -> exists n0, forall n, (n0 <= n)%nat -> f n < e.
Lemma finitely_many (n : nat) (P : nat -> R -> Prop) : (forall i, (i < n)%nat -> exists x, P i x) -> exists f, forall i, (i < n)%nat -> P i (f i).
Proof.
  induction n as [|n IH]; intros H; [exists (fun _ => 0); intros; lia|]. destruct (IH (fun i Hi => H i ltac:(lia))) as (f & Hf).
  destruct (H n ltac:(lia)) as (x & Hx). exists (fun i => if Nat.eq_dec i n then x else f i). intros i Hi.
  destruct (Nat.eq_dec i n) as [->|]; [exact Hx|apply Hf; lia].
Qed.
Lemma some_count_is_reached width gap : tends_to_zero width -> 0 < gap -> exists C, reached_by width gap C.
Proof.
  intros Hw Hg. destruct (Hw gap Hg) as (n0 & Hn0). exists (INR n0). split; [apply pos_INR|]. intros n _ Hle.
  destruct (le_lt_dec n0 n) as [Hn|Hn]; [specialize (Hn0 n Hn); lra|apply le_INR; lia].
Qed.
(* No count bounds the auctions of a provider that is no dearer than the best, whatever the radii of costs. *)
Theorem no_dearer_is_never_beaten cr dm dp cbar best i : (forall n, 0 <= cr n) -> cbar i - cbar best <= dm + dp ->
  ~ exists l, beaten_at cr dm dp cbar best i l.
Proof.
  intros Hcr Hle (l & _ & H). destruct (eventually_above (l + 1)) as (n0 & Hn0). specialize (Hn0 (S n0) ltac:(lia)).
  specialize (H (S n0) ltac:(lia)). specialize (Hcr (S n0)). assert (INR (S n0) <= l) by (apply H; lra). lra.
Qed.
Theorem counts_exist N qmin rho cr dm dp (q cbar : nat -> R) best own :
  (forall i, (i < N)%nat -> tends_to_zero (fun n => rho n + own i n)) -> tends_to_zero (fun n => 2 * cr n) ->
  (forall i, (i < N)%nat -> qmin <= q i -> i <> best -> dm + dp < cbar i - cbar best) ->
  exists M L, counts N qmin rho cr dm dp q cbar best own M L /\
    forall i, L i = None <-> cbar i - cbar best <= dm + dp.
Proof.
  intros Hown Hcr Hsep.
  destruct (finitely_many N (fun i C => q i < qmin -> eliminated_at qmin rho q own i C)) as (M & HM).
  { intros i Hi. destruct (Rlt_dec (q i) qmin) as [Hq|Hq]; [|exists 0; intros; contradiction].
    destruct (some_count_is_reached (fun n => rho n + own i n) (qmin - q i) (Hown i Hi) ltac:(lra)) as (C & HC). exists C. auto. }
  destruct (finitely_many N (fun i l => dm + dp < cbar i - cbar best -> beaten_at cr dm dp cbar best i l)) as (l & Hl).
  { intros i _. destruct (Rlt_dec (dm + dp) (cbar i - cbar best)) as [Hd|Hd]; [|exists 0; intros; contradiction].
    destruct (some_count_is_reached (fun n => 2 * cr n) (cbar i - cbar best - dm - dp) Hcr ltac:(lra)) as (C & HC). exists C. auto. }
  exists M, (fun i => if Rlt_dec (dm + dp) (cbar i - cbar best) then Some (l i) else None). split; [split|].
  - exact HM.
  - intros i Hi Hne. destruct (Rlt_dec _ _) as [Hd|Hd]; [exact (Hl i Hi Hd)|]. apply Rnot_le_lt. intros Hq. auto.
  - intros i. destruct (Rlt_dec _ _) as [Hd|Hd]; split; intros H; try reflexivity; try discriminate; lra.
Qed.
