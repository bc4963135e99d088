(* The rules of Algorithm 1 as programs over rational numbers. Providers are numbered from 0. *)
Require Import QArith List Bool Arith.
Import ListNotations.
Open Scope Q_scope.

(* What the platform knows of a provider before a query: the estimate of its quality, the radius beta around it, its
   standing bid, the radius cmax beta around its cost, and how often it was selected. *)
Record provider := { quality : Q; radius : Q; bid : Q; cost_radius : Q; count : nat }.
Definition nobody := {| quality := 0; radius := 0; bid := 0; cost_radius := 0; count := 0 |}.

Section Rules.
Variables (providers : list provider) (threshold cost_bound : Q) (target : nat).

Definition provider_at (i : nat) : provider := nth i providers nobody.
Definition everybody : list nat := seq 0 (length providers).

(* eq:qualified-set *)
Definition may_qualify (i : nat) : bool :=
  Qle_bool threshold (quality (provider_at i) + radius (provider_at i)).
Definition eligible : list nat := filter may_qualify everybody.

(* S_t of eq:allocation *)
Definition under_sampled : list nat := filter (fun i => Nat.ltb (count (provider_at i)) target) eligible.

Definition adjusted (i : nat) : Q := bid (provider_at i) - cost_radius (provider_at i).
Definition lowest (among : list nat) : list nat :=
  filter (fun i => forallb (fun j => Qle_bool (adjusted i) (adjusted j)) among) among.

Definition rivals (i : nat) : list nat := filter (fun j => negb (Nat.eqb j i)) eligible.
Fixpoint least (first : Q) (others : list Q) : Q :=
  match others with
  | [] => first
  | next :: rest => least (if Qle_bool first next then first else next) rest
  end.

(* eq:critical-payment; None, an infinite payment, without a rival *)
Definition critical_payment (i : nat) : option Q :=
  match map adjusted (rivals i) with
  | [] => None
  | first :: others => Some (cost_radius (provider_at i) + least first others)
  end.

(* eq:payment *)
Definition auction_payment (i : nat) : Q :=
  match critical_payment i with
  | None => cost_bound
  | Some critical => if Qle_bool cost_bound critical then cost_bound else critical
  end.

Inductive kind := Exploration | Auction | Empty.
Definition kind_of_query : kind :=
  match eligible, under_sampled with [], _ => Empty | _, [] => Auction | _, _ => Exploration end.

(* Among whom the query is allocated, and what each of them would be paid. *)
Definition candidates : list nat :=
  match kind_of_query with Empty => everybody | Exploration => under_sampled | Auction => lowest eligible end.
Definition payment (i : nat) : Q :=
  match kind_of_query with Auction => auction_payment i | _ => cost_bound end.
End Rules.

(* One query, and what the program that runs in Python said of it. *)
Record answered := {
  providers_of : list provider; threshold_of : Q; cost_bound_of : Q; target_of : nat;
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
  same_kind (kind_of_query (providers_of a) (threshold_of a) (target_of a)) (kind_said a)
  && same_list Nat.eqb (candidates (providers_of a) (threshold_of a) (target_of a)) (candidates_said a)
  && same_list Qeq_bool
       (map (payment (providers_of a) (threshold_of a) (cost_bound_of a) (target_of a))
            (candidates (providers_of a) (threshold_of a) (target_of a)))
       (payments_said a).
