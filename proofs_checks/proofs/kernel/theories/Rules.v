(* The rules of Algorithm 1 as programs over any ordered numbers. Providers are numbered from 0.

   Over rational numbers they run, and are compared with the program in Python. Over real numbers RulesRefineRuns.v proves
   that they are the steps and the payments of Runs.v. *)
Require Import QArith List Bool Arith.
Import ListNotations.

Record numbers := {
  number : Type; zero : number; plus : number -> number -> number; minus : number -> number -> number;
  at_most : number -> number -> bool
}.
Definition rationals : numbers :=
  {| number := Q; zero := 0; plus := Qplus; minus := Qminus; at_most := Qle_bool |}.

(* What the platform knows of a provider before a query: the estimate of its quality, the radius beta around it, its
   standing bid, the radius cmax beta around its cost, and how often it was selected. *)
Record provider (A : Type) := { quality : A; radius : A; bid : A; cost_radius : A; count : nat }.
Arguments Build_provider {A}.
Arguments quality {A}. Arguments radius {A}. Arguments bid {A}. Arguments cost_radius {A}. Arguments count {A}.

Inductive kind := Exploration | Auction | Empty.

Section Rules.
Variable numeric : numbers.
Notation N := (number numeric).
Notation "a + b" := (plus numeric a b).
Notation "a - b" := (minus numeric a b).
Notation "a <= b" := (at_most numeric a b).
Definition nobody : provider N :=
  {| quality := zero numeric; radius := zero numeric; bid := zero numeric; cost_radius := zero numeric; count := 0 |}.
Variables (providers : list (provider N)) (threshold cost_bound : N) (target : nat).

Definition provider_at (i : nat) : provider N := nth i providers nobody.
Definition everybody : list nat := seq 0 (length providers).

(* eq:qualified-set *)
Definition may_qualify (i : nat) : bool := threshold <= quality (provider_at i) + radius (provider_at i).
Definition eligible : list nat := filter may_qualify everybody.

(* S_t of eq:allocation *)
Definition under_sampled : list nat := filter (fun i => Nat.ltb (count (provider_at i)) target) eligible.

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

(* One query, and what the program that runs in Python said of it. *)
Record answered := {
  providers_of : list (provider Q); threshold_of : Q; cost_bound_of : Q; target_of : nat;
  kind_said : kind; candidates_said : list nat; payments_said : list Q
}.

Definition same_kind (a b : kind) : bool :=
  match a, b with Exploration, Exploration | Auction, Auction | Empty, Empty => true | _, _ => false end.
Fixpoint same_list {A} (same : A -> A -> bool) (left right : list A) : bool :=
  match left, right with
  | [], [] => true
  | a :: l, b :: r => same a b && same_list same l r
  | _, _ => false
  end.

Definition as_said (a : answered) : bool :=
  let permitted := candidates rationals (providers_of a) (threshold_of a) (target_of a) in
  same_kind (kind_of_query rationals (providers_of a) (threshold_of a) (target_of a)) (kind_said a)
  && same_list Nat.eqb permitted (candidates_said a)
  && same_list Qeq_bool
       (map (payment rationals (providers_of a) (threshold_of a) (cost_bound_of a) (target_of a)) permitted)
       (payments_said a).
