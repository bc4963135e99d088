(* claim:rate-after-thm-regret. On E, for truthful bids, the average absolute payment deviation of every play is
   O(max{T^-(1-alpha), T^-(alpha/2)} sqrt(ln T)), with a constant that no play depends on; the larger of the two powers is smallest,
   T^-(1/3), for alpha = 2/3 and no other. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements Rates Limits Game Adaptive Hoeffding
  Dynamics Plays GameLikely.
Import ListNotations.
Open Scope R_scope.

Lemma larger_power x a b : 1 <= x -> Rpower x (- Rmin a b) = Rmax (Rpower x (- a)) (Rpower x (- b)).
Proof.
  intros Hx. unfold Rmin. destruct (Rle_dec a b) as [Hle|Hgt].
  - symmetry. apply Rmax_left. apply Rle_Rpower; lra.
  - symmetry. apply Rmax_right. apply Rle_Rpower; lra.
Qed.
Section Rate.
Variables (N : nat) (delta cmax qmin : R) (theta : nat -> (observation -> R) -> R) (best : nat) (k c2 : R).
Variables (p : platform) (first : ((nat -> observation) -> R) -> R).
Notation quality := (quality theta).
Notation cost_of := (cost_of theta).
Notation T_of H := (INR (N + length (later H))).
Notation average_deviation alpha H := (all_payments N delta cmax qmin 0 (target N k alpha) sigma_star (fun x => Rabs (x - c2)) H / T_of H).
(* The deviation vanishes as max{T^-(1-alpha), T^-(alpha/2)} up to logarithms; alpha = 2/3 is best. *)
Theorem claim_rate_after_thm_regret :
  market N delta cmax qmin 0 0 0 quality cost_of best -> second_lowest N qmin quality cost_of best c2 -> 0 < k ->
  (forall alpha, 0 < alpha < 1 -> dynamics N delta cmax qmin 0 (target N k alpha) p theta first -> exists constant T1,
    holds_on_E N delta cmax qmin 0 (target N k alpha) p theta first sigma_star (fun w => forall t, (T1 <= N + length (later (w t)))%nat ->
      let T := T_of (w t) in
      average_deviation alpha (w t) <= constant * (Rmax (Rpower T (- (1 - alpha))) (Rpower T (- (alpha / 2))) * sqrt (ln T)))) /\
  (forall alpha T, alpha <> 2 / 3 -> 1 < T -> Rpower T (- (1 / 3)) < Rmax (Rpower T (- (1 - alpha))) (Rpower T (- (alpha / 2)))) /\
  (forall T, 1 <= T -> Rmax (Rpower T (- (1 - 2 / 3))) (Rpower T (- (2 / 3 / 2))) = Rpower T (- (1 / 3))).
Proof.
  intros Hm H2 Hk. destruct (cor_optimal_alpha N delta cmax qmin 0 0 0 k quality cost_of best c2 Hm H2 Hk) as (HO & Hstrict & E23 & _).
  split; [|split].
  - intros alpha Ha Hdyn. destruct (HO alpha Ha) as (_ & constant & T1 & Hbound). exists constant, (max 1 T1).
    assert (Hmp : market_of_payments N delta cmax qmin 0 0 0 k alpha quality cost_of best c2) by exact (conj Hm (conj H2 (conj Hk Ha))).
    apply (on_E_follows N delta cmax qmin 0 (target N k alpha) p theta first sigma_star) with
      (2 := thm_deviation_payment_convergence_game N delta cmax qmin theta best k alpha c2 p first 0 0 sigma_star Hdyn (sigma_star_is_near N cmax) Hmp).
    intros w _ (Hdev & _) t HT. cbv zeta. specialize (Hdev t). rewrite Rmax_left, Rplus_0_r in Hdev by lra.
    specialize (Hbound _ (Nat.le_trans _ _ _ (Nat.le_max_r 1 T1) HT)). pose proof (Rle_abs (deviation_per_step N delta cmax qmin 0 k alpha quality c2 (T_of (w t)))).
    assert (HT1 : 1 <= T_of (w t)) by (apply (le_INR 1); lia). rewrite larger_power in Hbound by exact HT1. lra.
  - intros alpha T Hne HT. rewrite <- larger_power by lra. specialize (Hstrict alpha Hne). rewrite E23 in Hstrict. apply Rpower_lt; lra.
  - intros T HT. rewrite <- larger_power by exact HT. rewrite E23. reflexivity.
Qed.
End Rate.
