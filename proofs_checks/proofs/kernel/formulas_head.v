(* Made by `python -m proofs_checks.proofs.kernel` from the formulas of the package `bounds`: do not edit.
   A quantity of a provider is a function of its number, a sum over providers is over a list of their numbers. What is
   called `lambert` is the branch of the Lambert function below -1, a number w with w exp w = z: Links.v says so. *)
Require Import Reals List.
Open Scope R_scope.

Definition floor (x : R) : R := IZR (Int_part x).
Definition ceiling (x : R) : R := - floor (- x).
Definition total_over (providers : list nat) (value : nat -> R) : R :=
  fold_right (fun i total => value i + total) 0 providers.
Definition largest_over (providers : list nat) (value : nat -> R) : R :=
  fold_right (fun i most => Rmax (value i) most) 0 providers.
