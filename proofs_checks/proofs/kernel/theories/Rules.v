(* The rules of Algorithm 1 as programs over any ordered numbers. Providers are numbered from 0.

   Over rational numbers they run: Coq extracts them, and the programs that people use are compared with them. Over real
   numbers RulesRefineRuns.v proves that they are the steps and the payments of Runs.v. Radii and g(t) enter as numbers:
   they are irrational, so that rational numbers can only enclose them. *)
Require Import QArith List Bool Arith.
Import ListNotations.

Record numbers := {
  number : Type; plus : number -> number -> number; minus : number -> number -> number;
  over : number -> number -> number; whole : nat -> number; at_most : number -> number -> bool
}.
Definition rationals : numbers :=
  {| number := Q; plus := Qplus; minus := Qminus; over := Qdiv; whole := fun n => inject_Z (Z.of_nat n);
     at_most := Qle_bool |}.

(* What the platform knows of a provider before a query: the estimate of its quality, the radius beta around it, its
   standing bid, the radius cmax beta around its cost, and how often it was selected. *)
Record provider (A : Type) := { quality : A; radius : A; bid : A; cost_radius : A; count : nat }.
Arguments Build_provider {A}.
Arguments quality {A}. Arguments radius {A}. Arguments bid {A}. Arguments cost_radius {A}. Arguments count {A}.

(* What has become of a provider's queries: how many were settled, the sum of their scores, and the bid that stands. *)
Record tally (A : Type) := { served : nat; scores : A; standing : A }.
Arguments Build_tally {A}. Arguments served {A}. Arguments scores {A}. Arguments standing {A}.

(* A settled query: who served it, its score, and the bid that its provider left behind. *)
Record query (A : Type) := { server : nat; score : A; offer : A }.
Arguments Build_query {A}. Arguments server {A}. Arguments score {A}. Arguments offer {A}.

Inductive kind := Exploration | Auction | Empty.

Section Rules.
Variable numeric : numbers.
Notation N := (number numeric).
Notation "a + b" := (plus numeric a b).
Notation "a - b" := (minus numeric a b).
Notation "a / b" := (over numeric a b).
Notation "a <= b" := (at_most numeric a b).
Definition nobody : provider N :=
  {| quality := whole numeric 0; radius := whole numeric 0; bid := whole numeric 0; cost_radius := whole numeric 0;
     count := 0 |}.
Variables (providers : list (provider N)) (threshold cost_bound goal : N).

Definition provider_at (i : nat) : provider N := nth i providers nobody.
Definition everybody : list nat := seq 0 (length providers).

(* eq:qualified-set *)
Definition may_qualify (i : nat) : bool := threshold <= quality (provider_at i) + radius (provider_at i).
Definition eligible : list nat := filter may_qualify everybody.

(* S_t of eq:allocation: fewer selections than the goal g(t) *)
Definition below_goal (i : nat) : bool := negb (goal <= whole numeric (count (provider_at i))).
Definition under_sampled : list nat := filter below_goal eligible.

Definition adjusted (i : nat) : N := bid (provider_at i) - cost_radius (provider_at i).
Definition lowest (among : list nat) : list nat :=
  filter (fun i => forallb (fun j => adjusted i <= adjusted j) among) among.

Definition rivals (i : nat) : list nat := filter (fun j => negb (Nat.eqb j i)) eligible.
Fixpoint least (first : N) (others : list N) : N :=
  match others with
  | [] => first
  | next :: rest => least (if first <= next then first else next) rest
  end.

(* eq:critical-payment; None, an infinite payment, without a rival *)
Definition critical_payment (i : nat) : option N :=
  match map adjusted (rivals i) with
  | [] => None
  | first :: others => Some (cost_radius (provider_at i) + least first others)
  end.

(* eq:payment *)
Definition auction_payment (i : nat) : N :=
  match critical_payment i with
  | None => cost_bound
  | Some critical => if cost_bound <= critical then cost_bound else critical
  end.

Definition kind_of_query : kind :=
  match eligible, under_sampled with [], _ => Empty | _, [] => Auction | _, _ => Exploration end.

(* Among whom the query is allocated, and what each of them would be paid. *)
Definition candidates : list nat :=
  match kind_of_query with Empty => everybody | Exploration => under_sampled | Auction => lowest eligible end.
Definition payment (i : nat) : N :=
  match kind_of_query with Auction => auction_payment i | _ => cost_bound end.
End Rules.

(* What a settled query changes, and what follows from it before the next one. *)
Section Learning.
Variable numeric : numbers.
Notation N := (number numeric).

(* The estimate of a quality is the mean of its scores; a truthful bid is the mean of the costs of the queries served. *)
Definition mean (total : N) (n : nat) : N := over numeric total (whole numeric n).

Definition unheard : tally N := {| served := 0; scores := whole numeric 0; standing := whole numeric 0 |}.
Definition tally_at (tallies : list (tally N)) (i : nat) : tally N := nth i tallies unheard.
Definition told (one : tally N) (q : query N) : tally N :=
  {| served := S (served one); scores := plus numeric (scores one) (score q); standing := offer q |}.
Definition settled (tallies : list (tally N)) (q : query N) : list (tally N) :=
  map (fun i => if Nat.eqb i (server q) then told (tally_at tallies i) q else tally_at tallies i)
    (seq 0 (length tallies)).

(* The radii of scores and of costs, by the number of selections, and g, by the step. *)
Variables (beta width : nat -> N) (g : nat -> N) (threshold cost_bound : N).
Definition known_of (one : tally N) : provider N :=
  {| quality := mean (scores one) (served one); radius := beta (served one); bid := standing one;
     cost_radius := width (served one); count := served one |}.

(* Initialization serves everybody once, each at the cost bound. *)
Definition fresh (tallies : list (tally N)) : list nat :=
  filter (fun i => Nat.eqb (served (tally_at tallies i)) 0) (seq 0 (length tallies)).
Definition may_serve (step : nat) (tallies : list (tally N)) : list nat :=
  if Nat.leb step (length tallies) then fresh tallies
  else candidates numeric (map known_of tallies) threshold (g step).
Definition price (step : nat) (tallies : list (tally N)) (i : nat) : N :=
  if Nat.leb step (length tallies) then cost_bound
  else payment numeric (map known_of tallies) threshold cost_bound (g step) i.

(* What is known after a log, the newest query first; and whether each query went to one that might serve. *)
Variable n : nat.
Fixpoint after (log : list (query N)) : list (tally N) :=
  match log with [] => repeat unheard n | q :: earlier => settled (after earlier) q end.
Fixpoint permitted (log : list (query N)) : bool :=
  match log with
  | [] => true
  | q :: earlier => existsb (Nat.eqb (server q)) (may_serve (S (length earlier)) (after earlier)) && permitted earlier
  end.
End Learning.

(* Rational numbers enclose a radius or g(t): each provider twice, with both its radii at their low ends and at their
   high ends, and both ends of g(t). The query is decided where both ends say the same. *)
Section Enclosed.
Variable numeric : numbers.
Notation N := (number numeric).
Notation "a <= b" := (at_most numeric a b).
Variables (low high : list (provider N)) (threshold goal_low goal_high : N).
Notation able := (eligible numeric low threshold).

Definition may_qualify_decided (i : nat) : bool :=
  eqb (may_qualify numeric low threshold i) (may_qualify numeric high threshold i).
Definition goal_decided (i : nat) : bool :=
  eqb (below_goal numeric low goal_low i) (below_goal numeric low goal_high i).

(* The low end of a radius gives the high end of an adjusted bid. After as many selections the radius is the same. *)
Definition order_decided (i j : nat) : bool :=
  Nat.eqb (count (provider_at numeric low i)) (count (provider_at numeric low j))
  || (adjusted numeric low i <= adjusted numeric high j)
  || negb (adjusted numeric high i <= adjusted numeric low j).
Definition decided : bool :=
  forallb may_qualify_decided (everybody numeric low) && forallb goal_decided able
  && forallb (fun i => forallb (order_decided i) able) able.
End Enclosed.
