(* Statements of the paper that have no number, repaired ones, and one step of the game with and without an auction. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements Game.
Import ListNotations.
Open Scope R_scope.
(* At every step the bid at one's own estimate gains at least 0, at least as much as any other bid, and at an auction
   more where the critical payment lies between. *)
Theorem lem_one_step_at_every_step N delta cmax qmin gamma g H (b b' : nat -> R) (i served served' : nat) (e : R) :
  0 < cmax -> (i < N)%nat -> (forall j, (j < N)%nat -> 0 <= b j <= cmax) -> b i = e -> 0 <= b' i <= cmax ->
  (forall j, j <> i -> b j = b' j) ->
  may_serve N delta cmax qmin gamma g H b served -> may_serve N delta cmax qmin gamma g H b' served' ->
  (~ auction_at N delta qmin g H -> served = served') ->
  let G bids who := if Nat.eq_dec who i then paid N delta cmax qmin gamma g H bids i - e else 0 in
  0 <= G b served /\ G b' served' <= G b served /\
  (forall P, ~ explores_at N delta qmin g H -> In i (eligible_set N delta qmin H) ->
    critical N delta cmax qmin gamma H b i = Some P -> (e - P) * (b' i - P) < 0 -> G b' served' < G b served).
Proof.
  intros Hc Hi Hb He Hb' Hother Hs Hs' Hdraw. cbv zeta.
  assert (Hpaid : 0 <= (if Nat.eq_dec served i then paid N delta cmax qmin gamma g H b i - e else 0)).
  { destruct (Nat.eq_dec served i) as [->|]; [|lra].
    pose proof (paid_covers_bid N delta cmax qmin gamma g H b i Hb Hs). lra. }
  pose proof (Hb i Hi) as Hei. rewrite He in Hei.
  destruct (auction_dec N delta qmin g H) as [Ha|Hn].
  - pose proof (auction_selects _ _ _ _ _ _ _ _ _ Ha Hs) as Hsel. pose proof (auction_selects _ _ _ _ _ _ _ _ _ Ha Hs') as Hsel'.
    rewrite !(auction_pays N delta cmax qmin gamma g H) in * by exact Ha.
    split; [exact Hpaid|split].
    + change (Auction.gain (eligible_set N delta qmin H) (radii N delta cmax gamma (Game.served H)) cmax b' served' i e
        <= Auction.gain (eligible_set N delta qmin H) (radii N delta cmax gamma (Game.served H)) cmax b served i e).
      eapply one_step_b; eauto.
    + intros P _ Hin HP Hlt.
      change (Auction.gain (eligible_set N delta qmin H) (radii N delta cmax gamma (Game.served H)) cmax b' served' i e
        < Auction.gain (eligible_set N delta qmin H) (radii N delta cmax gamma (Game.served H)) cmax b served i e).
      eapply one_step_c; eauto.
  - specialize (Hdraw Hn). subst served'. rewrite !(paid_without_auction N delta cmax qmin gamma g H) in * by exact Hn.
    split; [exact Hpaid|split; [apply Rle_refl|]]. intros P Hno Hin. exfalso. apply Hn. split; [exact Hno|].
    intros E. rewrite E in Hin. destruct Hin.
Qed.

Section Runs.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus : R) (quality cost : nat -> R) (best : nat).
Variables (quality_estimate cost_estimate : nat -> nat -> R) (bid : list nat -> nat -> R) (g : nat -> R).
Notation market := (market N delta cmax qmin gamma d_minus d_plus quality cost best).
Notation good_event := (Statements.good_event N delta cmax gamma quality cost quality_estimate cost_estimate).
Notation bids_follow := (bids_follow N delta cmax qmin gamma d_minus d_plus quality_estimate cost_estimate bid g).
Notation run := (run N delta cmax qmin gamma quality_estimate bid g).
Notation step := (step N delta cmax qmin gamma quality_estimate bid g).
Notation explores := (explores N delta qmin quality_estimate g).
Notation eligible_set := (Qh N delta qmin quality_estimate).
Notation payment := (payment N delta cmax qmin gamma quality_estimate bid g).
(* With bids at most d_- below estimates that are not negative, every payment lies in [-d_-, c_max]. *)
Theorem payment_range_repaired h i :
  0 < cmax -> 0 <= d_minus -> (forall j n, (j < N)%nat -> (1 <= n)%nat -> 0 <= cost_estimate j n) ->
  (forall j, (j < N)%nat -> - d_minus <= bid h j - cost_estimate j (m h j)) ->
  step h i -> - d_minus <= payment h i <= cmax.
Proof.
  intros Hc Hd He Hb Hs. unfold Runs.payment. destruct (explores_dec N delta qmin quality_estimate g h) as [|Hn]; [lra|].
  destruct (Qh N delta qmin quality_estimate h) as [|x l] eqn:E; [lra|]. rewrite <- E.
  destruct Hs as [(Hex & _)|[(E0 & _)|(_ & Hsel)]]; [contradiction|rewrite E0 in E; discriminate|].
  assert (Hi : (i < N)%nat).
  { destruct Hsel as [Hin _]. unfold Qh in Hin. apply filter_In in Hin. destruct Hin as [Hin _]. apply in_seq in Hin. lia. }
  pose proof (Hb i Hi) as Hbid. pose proof (He i (m h i) Hi ltac:(unfold m; lia)) as Hest.
  pose proof (selection_threshold_lose (Qh N delta qmin quality_estimate h) (radii N delta cmax gamma h) (bid h) i i Hsel) as Hl.
  unfold pay. destruct (crit _ _ _ i) as [P|]; [|lra]. simpl in Hl. split; [|apply Rmin_r]. apply Rmin_glb; [|lra].
  destruct (Rle_lt_dec (bid h i) P); [lra|]. exfalso. apply Hl; [assumption|reflexivity].
Qed.
(* On the good event an auction pays at least 0, and at least the mean cost of who serves less one of its radii. *)
Theorem auction_pays_nearly_the_cost h i : market -> good_event -> bids_follow -> run h -> step h i -> ~ explores h ->
  Rmax 0 (cost i - rad N delta cmax gamma (m h i) - d_minus) <= payment h i.
Proof.
  intros Hm [Hquality Hcost] Hb Hr Hs Hn. pose proof Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest).
  assert (Hi : (i < N)%nat) by (eapply (step_lt N delta cmax qmin gamma quality cost _ cost_estimate); eauto).
  destruct (Hb h i Hr Hi) as [Hnear Hrange_i]. pose proof (Hcost i (m h i) Hi ltac:(unfold m; lia)) as H. apply Rabs_le_inv in H.
  assert (Hle : bid h i <= payment h i).
  { unfold Runs.payment. destruct (explores_dec N delta qmin quality_estimate g h) as [|_]; [lra|].
    destruct (Qh N delta qmin quality_estimate h) as [|x l] eqn:E; [lra|]. rewrite <- E.
    destruct Hs as [(Hex & _)|[(E0 & _)|(_ & Hsel)]]; [contradiction|rewrite E0 in E; discriminate|].
    apply payment_range; [|exact Hsel]. intros j Hj. unfold Qh in Hj. apply filter_In in Hj. destruct Hj as [Hj _]. apply in_seq in Hj.
    apply (Hb h j Hr). lia. }
  apply Rmax_lub; lra.
Qed.
End Runs.
