(* lem:good-event:sharpest: the stitched radius of one mean cost by Ville's inequality, and the event of the sharpest bounds with all
   its parts. What the counts at which no mean can leave its band would cost is spent on the other parts, so that delta is spent once. *)
Require Import Reals Lra Lia List Arith Psatz FunctionalExtensionality.
From Costproof Require Import Radius Basel Auction RadiusSum Formulas Runs Payments Statements Findings Limits Game
  Adaptive Hoeffding Dynamics Plays GameLikely AnyRadius Sharp SingleTime AnyRadiusEvent Existence.
Import ListNotations.
Open Scope R_scope.

Section Ville.
Context {X : Type} (EX : (X -> R) -> R) (H : isE EX).
Variables (f : X -> R) (q : R).
Hypothesis Hf : forall x, 0 <= f x <= 1.
Hypothesis Hq : q = EX f.
Notation EM := (EM EX).
Notation mean := (mean f).
Notation dev := (dev f q).
(* evidence that the mean is above q: a product whose factors are 1 at most in the mean *)
Definition factor (s : R) (x : X) : R := exp (s * (f x - q) - s * s / 8).
Definition product (s : R) (l : list X) : R := fold_right (fun x y => factor s x * y) 1 l.
Lemma factor_bounded s : Hoeffding.bounded (factor s).
Proof.
  unfold factor. apply (exp_bounded (fun x => s * (f x - q) - s * s / 8)). apply (bounded_sum (fun x => s * (f x - q)) (fun _ => - (s * s / 8))).
  - apply bounded_times, (bounded_sum f (fun _ => - q)); [exact (bounded_between f 0 1 Hf)|apply bounded_constant].
  - apply bounded_constant.
Qed.
Lemma factor_mean s : EX (factor s) <= 1.
Proof.
  assert (Hb : Hoeffding.bounded (fun x => exp (s * (f x - q)))).
  { apply exp_bounded, bounded_times, (bounded_sum f (fun _ => - q)); [exact (bounded_between f 0 1 Hf)|apply bounded_constant]. }
  assert (E : EX (factor s) = exp (- (s * s / 8)) * EX (fun x => exp (s * (f x - q)))).
  { rewrite <- (E_scal EX H) by exact Hb. f_equal. apply functional_extensionality. intros x. unfold factor. rewrite <- exp_plus. f_equal. ring. }
  rewrite E. pose proof (mgf EX H f q Hf Hq s) as Hm. pose proof (exp_pos (- (s * s / 8))).
  apply Rle_trans with (exp (- (s * s / 8)) * exp (s * s / 8)); [apply Rmult_le_compat_l; lra|]. rewrite <- exp_plus.
  replace (- (s * s / 8) + s * s / 8) with 0 by ring. rewrite exp_0. lra.
Qed.
Definition reaches_level s a x0 (l : list X) : Prop := exists m, (m <= length l)%nat /\ a <= x0 * product s (firstn m l).
(* Ville's inequality, for a finite number of draws *)
Theorem ville s a n : 0 < a -> forall x0, 0 <= x0 -> EM n (fun l => ind _ (excluded_middle (reaches_level s a x0 l))) <= x0 / a.
Proof.
  intros Ha. induction n as [|n IH]; intros x0 Hx0.
  - cbn [Hoeffding.EM]. unfold ind. destruct (excluded_middle _) as [(m & Hm & Hle)|_].
    + rewrite firstn_nil in Hle. simpl in Hle. apply Rmult_le_reg_r with a; [exact Ha|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
    + apply Rmult_le_pos; [exact Hx0|apply Rlt_le, Rinv_0_lt_compat; exact Ha].
  - destruct (Rle_lt_dec a x0) as [Hle|Hlt].
    + apply Rle_trans with (EM (S n) (fun _ => 1)).
      * apply (EM_mono EX H); [apply bounded_everywhere, bounded_ind|apply bounded_everywhere, bounded_constant|]. intros l _. apply ind_nonneg.
      * rewrite (EM_constant EX H). apply Rmult_le_reg_r with a; [exact Ha|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
    + cbn [Hoeffding.EM]. apply Rle_trans with (EX (fun x => x0 / a * factor s x)).
      * apply (E_mono _ H); [|apply bounded_times, factor_bounded|].
        -- apply (bounded_after EX H n (fun l => ind _ (excluded_middle (reaches_level s a x0 l)))). apply bounded_everywhere, bounded_ind.
        -- intros x. assert (Hw : 0 <= factor s x) by (apply Rlt_le, exp_pos). replace (x0 / a * factor s x) with (x0 * factor s x / a) by (unfold Rdiv; ring).
           eapply Rle_trans; [|apply (IH (x0 * factor s x)); apply Rmult_le_pos; assumption].
           apply (EM_mono EX H); try (apply bounded_everywhere, bounded_ind). intros l _. unfold ind.
           destruct (excluded_middle (reaches_level s a x0 (x :: l))) as [(m & Hm & Hle)|]; destruct (excluded_middle _) as [|Hno]; try lra.
           exfalso. apply Hno. destruct m as [|m]; [simpl in Hle; lra|]. exists m. cbn [length firstn] in *. split; [lia|].
           unfold product in *. cbn [fold_right] in Hle. lra.
      * rewrite (E_scal EX H) by apply factor_bounded. pose proof (factor_mean s). assert (0 <= x0 / a) by (apply Rmult_le_pos; [exact Hx0|apply Rlt_le, Rinv_0_lt_compat; exact Ha]). nra.
Qed.
Lemma product_is s l : product s l = exp (s * dev l - INR (length l) * (s * s / 8)).
Proof.
  induction l as [|x l IH]; [simpl; rewrite Rmult_0_r, Rmult_0_l, Rminus_0_r, exp_0; reflexivity|].
  unfold product in *. cbn [fold_right Hoeffding.dev length]. rewrite IH, S_INR. unfold factor. rewrite <- exp_plus. f_equal. ring.
Qed.
(* no mean is ever above q by more than L/(s m) + s/8, but for a probability of exp(-L) *)
Theorem line_crossing s L n : 0 < s ->
  EM n (fun l => ind _ (excluded_middle (exists m, (1 <= m <= length l)%nat /\ q + (L / (s * INR m) + s / 8) < mean (firstn m l)))) <= exp (- L).
Proof.
  intros Hs. replace (exp (- L)) with (1 / exp L) by (rewrite exp_Ropp; unfold Rdiv; ring).
  eapply Rle_trans; [|apply (ville s (exp L) n (exp_pos L) 1 ltac:(lra))].
  apply (EM_mono EX H); try (apply bounded_everywhere, bounded_ind). intros l _. unfold ind.
  destruct (excluded_middle _) as [(m & Hm & Hlt)|]; destruct (excluded_middle _) as [|Hno]; try lra.
  exfalso. apply Hno. exists m. split; [lia|]. rewrite Rmult_1_l, product_is. apply exp_at_most.
  assert (Hlen : length (firstn m l) = m) by (rewrite firstn_length; lia).
  rewrite dev_mean by (rewrite Hlen; lia). rewrite Hlen. assert (Hm1 : 1 <= INR m) by (apply (le_INR 1); lia).
  assert (Hd : L / (s * INR m) + s / 8 <= mean (firstn m l) - q) by lra.
  apply Rmult_le_compat_l with (r := s * INR m) in Hd; [|nra]. replace (s * INR m * (L / (s * INR m) + s / 8)) with (L + INR m * (s * s / 8)) in Hd by (field; lra). lra.
Qed.
(* a radius that is stitched of such lines, one for each epoch of counts *)
Variables (epoch : nat -> nat) (slope budget : nat -> R) (r : nat -> R).
Definition stitched : Prop := (forall j, 0 < slope j) /\
  forall m, (1 <= m)%nat -> budget (epoch m) / (slope (epoch m) * INR m) + slope (epoch m) / 8 <= r m.
Theorem stitched_radius share n : stitched -> (forall J, sumN J (fun j => exp (- budget j)) <= share) ->
  EM n (fun l => ind _ (excluded_middle (exists m, (1 <= m <= length l)%nat /\ q + r m < mean (firstn m l)))) <= share.
Proof.
  intros [Hslope Hr] Hshare. pose proof (EM_isE EX H n) as HE. set (J := S (fold_right Nat.max 0%nat (map epoch (seq 0 (S n))))).
  assert (HJ : forall m, (m <= n)%nat -> (epoch m < J)%nat).
  { intros m Hm. unfold J. assert (Hin : In (epoch m) (map epoch (seq 0 (S n)))) by (apply in_map, in_seq; lia).
    revert Hin. generalize (map epoch (seq 0 (S n))). intros l. induction l as [|x l IH]; intros Hin; [destruct Hin|].
    simpl. destruct Hin as [->|Hin]; [lia|specialize (IH Hin); lia]. }
  pose (event := fun j (_ : nat) l => exists m, (1 <= m <= length l)%nat /\ q + (budget j / (slope j * INR m) + slope j / 8) < mean (firstn m l)).
  apply Rle_trans with (EM n (fun l => ind _ (excluded_middle (exists i m, (i < J)%nat /\ (1 <= m <= 1)%nat /\ event i m l)))).
  - apply (EM_mono EX H); try (apply bounded_everywhere, bounded_ind). intros l Hl. unfold ind.
    destruct (excluded_middle (exists m, _)) as [(m & Hm & Hlt)|]; destruct (excluded_middle _) as [|Hno]; try lra.
    exfalso. apply Hno. exists (epoch m), 1%nat. split; [apply HJ; lia|]. split; [lia|]. exists m. split; [exact Hm|]. specialize (Hr m ltac:(lia)). lra.
  - eapply Rle_trans; [apply (union_at_most _ HE J 1 event)|]. eapply Rle_trans; [|apply (Hshare J)]. apply sumN_le. intros j _. cbn [sumN].
    rewrite Rplus_0_l. apply line_crossing, Hslope.
Qed.
End Ville.
(* the stitched band: within a factor c^2 of W, with slope sqrt(8 L/W), the line is at most sqrt(L/(8 m)) (c + 1/c) *)
Theorem stitched_band L W c m : 0 <= L -> 0 < W -> 1 <= c -> 1 <= m -> W / (c * c) <= m <= W * (c * c) -> 0 < L ->
  L / (sqrt (8 * L / W) * m) + sqrt (8 * L / W) / 8 <= sqrt (L / (8 * m)) * (c + / c).
Proof.
  intros _ HW Hc Hm [Hlo Hhi] HL. set (x := sqrt (m / W)). set (u := sqrt (L / (8 * m))).
  assert (Hmw : 0 < m / W) by (apply Rdiv_lt_0_compat; lra). assert (Hx : 0 < x) by (apply sqrt_lt_R0; exact Hmw).
  assert (Hu : 0 < u) by (apply sqrt_lt_R0, Rdiv_lt_0_compat; lra).
  assert (Es : sqrt (8 * L / W) = 8 * (u * x)).
  { unfold u, x. rewrite <- sqrt_mult by (apply Rlt_le; try assumption; apply Rdiv_lt_0_compat; lra).
    replace (8 * L / W) with (8 * 8 * (L / (8 * m) * (m / W))) by (field; lra).
    rewrite sqrt_mult, sqrt_square; try lra. apply Rmult_le_pos; apply Rlt_le; [apply Rdiv_lt_0_compat; lra|exact Hmw]. }
  assert (Eu : u * u = L / (8 * m)) by (apply sqrt_sqrt, Rlt_le, Rdiv_lt_0_compat; lra).
  assert (EL : L = 8 * m * (u * u)) by (rewrite Eu; field; lra).
  rewrite Es. replace (L / (8 * (u * x) * m) + 8 * (u * x) / 8) with (u * (x + / x)) by (rewrite EL at 1; field; lra).
  apply Rmult_le_compat_l; [lra|].
  assert (Hx2 : x * x = m / W) by (apply sqrt_sqrt, Rlt_le, Hmw).
  assert (Hxc : x <= c).
  { apply Rsqr_incr_0_var; [unfold Rsqr; rewrite Hx2|lra]. apply Rmult_le_reg_r with W; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Hcx : 1 <= c * x).
  { apply Rsqr_incr_0_var; [unfold Rsqr|apply Rmult_le_pos; lra]. replace (c * x * (c * x)) with (c * c * (x * x)) by ring. rewrite Hx2.
    apply Rmult_le_compat_r with (r := c * c / W) in Hlo; [|apply Rlt_le, Rdiv_lt_0_compat; nra].
    replace (W / (c * c) * (c * c / W)) with 1 in Hlo by (field; lra). replace (m * (c * c / W)) with (c * c * (m / W)) in Hlo by (field; lra). lra. }
  apply Rmult_le_reg_r with (c * x); [apply Rmult_lt_0_compat; lra|].
  replace ((x + / x) * (c * x)) with (c * (x * x) + c) by (field; lra). replace ((c + / c) * (c * x)) with (c * c * x + x) by (field; lra).
  assert (0 <= (c - x) * (c * x - 1)) by (apply Rmult_le_pos; lra). nra.
Qed.

(* ---- the event, under the dynamics of Game.v *)
Section Event.
Variables (N : nat) (delta cmax qmin gamma : R) (g : nat -> R).
Variables (p : platform) (theta : nat -> (observation -> R) -> R) (first : ((nat -> observation) -> R) -> R) (profile : nat -> strategy).
Notation quality := (quality theta).
Notation cost_of := (cost_of theta).
Notation radius m := (beta (INR N) delta (INR m)).
Notation whole := (Dynamics.whole N delta qmin g p theta first profile).
Notation probability := (Dynamics.probability N delta qmin g p theta first profile).
Notation reached := (Dynamics.reached N delta cmax qmin gamma g profile).
Notation not_good := (not_good N delta cmax theta).
Notation off := (off N delta theta).
Hypothesis Hdyn : dynamics N delta cmax qmin gamma g p theta first.
Hypothesis HN : (2 <= N)%nat.
Hypothesis Hd : 0 < delta < 1.
Hypothesis Hc : 0 < cmax.
Let Htheta : forall j, Game.law cmax (theta j) := proj1 (proj2 Hdyn).
(* no mean leaves its band at a count with a radius of 1 at least: there are m0 such counts *)
Variable m0 : nat.
Hypothesis Hm0 : (1 <= m0)%nat /\ 1 <= radius m0.
Lemma never_off_early value most i m n H : 0 < most -> (forall o, possible cmax o -> 0 <= value o <= most) -> (i < N)%nat -> (1 <= m <= m0)%nat ->
  reached n H -> ~ off value most i m H.
Proof.
  intros Hmost Hv Hi Hm Hre [Hl Hoff].
  assert (Hb : 1 <= radius m).
  { eapply Rle_trans; [apply Hm0|]. apply radius_monotone; [apply (le_INR 2); exact HN|exact Hd|apply (le_INR 1); lia|apply le_INR; lia]. }
  assert (H1 : 0 <= average value (first_own H i m) <= most).
  { apply average_between.
    - unfold first_own. intros E. apply (f_equal (@length observation)) in E. rewrite skipn_length in E. simpl in E. lia.
    - intros o Ho. apply Hv. apply (reached_possible N delta cmax qmin gamma g profile n H i Hre Hi). exact (in_skipn _ _ _ Ho). }
  assert (H2 : 0 <= theta i value <= most) by (apply (law_between cmax); [apply Htheta|]; intros o Ho; apply Hv; exact Ho).
  assert (H3 : Rabs (average value (first_own H i m) - theta i value) <= most) by (apply Rabs_le; lra). nra.
Qed.
Theorem good_event_beyond_impossible_counts n : probability n not_good <= delta - 6 * delta / PI ^ 2 * basel m0.
Proof.
  pose (event := fun i m H => (m0 < m)%nat /\ (off score 1 i m H \/ off Game.cost cmax i m H)).
  pose proof (whole_isE N delta cmax qmin gamma g p theta first profile Hdyn n) as HE. set (T := (m0 + S n)%nat).
  apply Rle_trans with (whole n (fun H => ind _ (excluded_middle (exists i m, (i < N)%nat /\ (1 <= m <= T)%nat /\ event i m H)))).
  - apply (whole_monotone N delta cmax qmin gamma g p theta first profile Hdyn); try apply bounded_ind. intros H Hre. unfold ind.
    destruct (excluded_middle (not_good H)) as [(i & m & Hi & Hm & Hev)|_]; destruct (excluded_middle _) as [_|Hno]; try lra.
    exfalso. apply Hno. exists i, m. split; [exact Hi|]. pose proof Hre as (o & _ & Hr).
    pose proof (own_history_grows N delta cmax qmin gamma g profile ltac:(lia) i _ _ _ Hr) as Hle. simpl in Hle. split; [unfold T; lia|]. split; [|exact Hev].
    destruct (le_lt_dec m m0) as [Hmm|]; [|assumption]. exfalso. destruct Hev as [Hev|Hev]; revert Hev; eapply never_off_early; eauto; try lra; try lia.
    + intros x Hx. apply Hx.
    + intros x Hx. apply Hx.
  - eapply Rle_trans; [apply (union_at_most _ HE N T event)|].
    assert (HNp : 1 <= INR N) by (apply (le_INR 1); lia). pose proof PI_RGT_0 as Hpi. assert (Hpi2 : 0 < PI ^ 2) by nra.
    set (a := 6 * delta / (PI ^ 2 * INR N)). assert (Ha : 0 <= a) by (apply Rlt_le, Rdiv_lt_0_compat; nra).
    assert (Hrow : forall i, (i < N)%nat -> sumN T (fun k => whole n (fun H => ind _ (excluded_middle (event i (S k) H)))) <= a * (basel T - basel m0)).
    { intros i Hi. assert (Hterm : forall k, whole n (fun H => ind _ (excluded_middle (event i (S k) H))) <= if le_lt_dec (S k) m0 then 0 else a * / INR (S k) ^ 2).
      { intros k. destruct (le_lt_dec (S k) m0) as [Hk|Hk].
        - right. rewrite <- (E_const _ HE 0). f_equal. apply functional_extensionality. intros H. unfold ind, event.
          destruct (excluded_middle _) as [[Hl _]|]; [lia|reflexivity].
        - apply Rle_trans with (whole n (fun H => ind _ (excluded_middle (off score 1 i (S k) H))) + whole n (fun H => ind _ (excluded_middle (off Game.cost cmax i (S k) H)))).
          + apply (either_at_most _ HE). intros H [_ Hor]. exact Hor.
          + pose proof (off_rarely N delta cmax qmin gamma g p theta first profile Hdyn ltac:(lia) Hd score 1 i (S k) n Rlt_0_1 (fun o Ho => proj2 Ho) Hi ltac:(lia)).
            pose proof (off_rarely N delta cmax qmin gamma g p theta first profile Hdyn ltac:(lia) Hd Game.cost cmax i (S k) n Hc (fun o Ho => proj1 Ho) Hi ltac:(lia)).
            assert (Hmp : 1 <= INR (S k)) by (apply (le_INR 1); lia).
            replace (a * / INR (S k) ^ 2) with
              (3 * delta / (PI ^ 2 * INR N * INR (S k) ^ 2) + 3 * delta / (PI ^ 2 * INR N * INR (S k) ^ 2)) by (unfold a; field; repeat split; lra). lra. }
      apply Rle_trans with (sumN T (fun k => if le_lt_dec (S k) m0 then 0 else a * / INR (S k) ^ 2)); [apply sumN_le; auto|].
      assert (Hb : forall j, sumN j (fun k => if le_lt_dec (S k) m0 then 0 else a * / INR (S k) ^ 2) = a * (basel j - basel (Nat.min j m0))).
      { induction j as [|j IH]; [simpl; ring|]. cbn [sumN]. rewrite IH. destruct (le_lt_dec (S j) m0) as [Hj|Hj].
        - rewrite (Nat.min_l j), (Nat.min_l (S j)) by lia. cbn [basel]. ring.
        - rewrite (Nat.min_r j), (Nat.min_r (S j)) by lia. cbn [basel]. ring. }
      rewrite Hb, Nat.min_r by (unfold T; lia). lra. }
    apply Rle_trans with (sumN N (fun _ => a * (basel T - basel m0))); [apply sumN_le; exact Hrow|]. rewrite sumN_constant.
    pose proof (basel_le T) as HB. assert (Hx : INR N * a = 6 * delta / PI ^ 2) by (unfold a; field; lra).
    replace (INR N * (a * (basel T - basel m0))) with (INR N * a * (basel T - basel m0)) by ring. rewrite Hx.
    apply Rle_trans with (6 * delta / PI ^ 2 * (PI ^ 2 / 6 - basel m0)); [apply Rmult_le_compat_l; [apply Rlt_le, Rdiv_lt_0_compat; lra|lra]|].
    right. field. lra.
Qed.
(* the mean cost of a provider is never above its expectation by more than cmax times a stitched radius *)
Definition above_stitched (i : nat) (r : nat -> R) (H : history) : Prop := exists m, (1 <= m <= length (own_history i H))%nat /\
  / cmax * cost_of i + r m < mean (fun o => / cmax * clip cmax (Game.cost o)) (first_own H i m).
Theorem stitched_cost_rarely i epoch slope budget r share n : (i < N)%nat -> stitched epoch slope budget r ->
  (forall J, sumN J (fun j => exp (- budget j)) <= share) -> probability n (above_stitched i r) <= share.
Proof.
  intros Hi Hst Hshare. pose proof Hdyn as (Hp & _ & Hfirst). set (f := fun o => / cmax * clip cmax (Game.cost o)).
  assert (Hf : forall o, 0 <= f o <= 1).
  { intros o. pose proof (clip_between cmax (Game.cost o) ltac:(lra)) as Hcl. pose proof (Rinv_0_lt_compat _ Hc). unfold f. split; [nra|].
    apply Rmult_le_reg_l with cmax; [exact Hc|]. rewrite <- Rmult_assoc, Rinv_r by lra. lra. }
  assert (Hq : / cmax * cost_of i = theta i f).
  { unfold f, Dynamics.cost_of. rewrite <- (law_clipped cmax (theta i) Game.cost cmax (Htheta i) ltac:(lra) (fun o Ho => proj1 Ho)). symmetry.
    apply (E_scal (theta i) (law_isE cmax _ (Htheta i))). apply (bounded_between _ 0 cmax). intros o. apply clip_between. lra. }
  pose (draw := fun H => allocate N delta qmin g p H (bids_at N profile H)).
  assert (Hdraw : forall H, over (fun i => (i < N)%nat) (draw H)).
  { intros H. destruct (Hp H (bids_at N profile H)) as (H1 & H2 & H3). split; [exact H1|]. split; [|exact H3].
    intros f1 f2 Hle. apply H2. intros j Hj. apply Hle. eapply served_lt; eauto. }
  assert (E : forall m value H, expected N delta qmin g p theta profile m value H = expected_any theta draw m value H).
  { intros m value. induction m as [|m IH]; intros H; [reflexivity|]. cbn [expected expected_any]. unfold draw at 1. f_equal.
    apply functional_extensionality. intros j. f_equal. apply functional_extensionality. intros o. apply IH. }
  set (F := fun own => ind _ (excluded_middle (exists m, (1 <= m <= length own)%nat /\ / cmax * cost_of i + r m < mean f (skipn (length own - m) own)))).
  apply Rle_trans with (whole_any theta first draw n (fun H => F (own_history i H))).
  - right. unfold Dynamics.probability, Dynamics.whole, whole_any. f_equal. apply functional_extensionality. intros o. rewrite E. reflexivity.
  - eapply Rle_trans; [apply (lasting_as_independent N cmax theta first draw Hdraw Htheta Hfirst i F Hi)|].
    + intros own. apply ind_nonneg.
    + intros own o. unfold F, ind. destruct (excluded_middle _) as [(m & Hm & Hlt)|]; destruct (excluded_middle _) as [|Hno]; try lra.
      exfalso. apply Hno. exists m. cbn [length]. split; [lia|]. replace (S (length own) - m)%nat with (S (length own - m)) by lia. exact Hlt.
    + eapply Rle_trans; [|apply (stitched_radius (theta i) (law_isE cmax _ (Htheta i)) f (theta i f) Hf eq_refl epoch slope budget r share (S n) Hst Hshare)].
      right. apply EM_agrees. intros l _. unfold F, ind. rewrite rev_length, Hq.
      destruct (excluded_middle _) as [(m & Hm & H1)|H1]; destruct (excluded_middle _) as [(m' & Hm' & H2)|H2]; try reflexivity; exfalso; [apply H2; exists m|apply H1; exists m'];
        (split; [assumption|]); rewrite skipn_rev, mean_rev in *; [replace (length l - (length l - m))%nat with m in H1 by lia; exact H1|].
      replace (length l - (length l - m'))%nat with m' by lia. exact H2.
Qed.
(* lem:good-event:sharpest: good event, exclusions, the stitched mean cost of one provider, and any further event (the joint law of the
   exclusions), whose shares are what the impossible counts 2, ..., m0 would have cost *)
Variables (K : nat -> nat) (second : nat) (epoch : nat -> nat) (slope budget r : nat -> R) (share joint_share : R) (joint : history -> Prop).
Hypothesis HK : forall i, (i < N)%nat -> quality i < qmin -> excludes N delta qmin theta K i.
Definition sharpest_failure (H : history) : Prop :=
  sharp_failure N delta cmax qmin theta K H \/ (above_stitched second r H \/ joint H).
(* With probability 1 - delta, together: all means within their radii, each unqualified provider excluded at one
   count, and the cheapest competitor's mean cost below its stitched radius. *)
Theorem lem_good_event_sharpest n : (second < N)%nat -> stitched epoch slope budget r -> (forall J, sumN J (fun j => exp (- budget j)) <= share) ->
  probability n joint <= joint_share -> share + joint_share <= 6 * delta / PI ^ 2 * (basel m0 - 1) ->
  probability n sharpest_failure <= delta.
Proof.
  intros Hs Hst Hshare Hj Hbudget. pose proof (whole_isE N delta cmax qmin gamma g p theta first profile Hdyn n) as HE.
  pose (excluded := fun H => exists i, (i < N)%nat /\ quality i < qmin /\ passed N delta qmin K i H).
  pose proof (good_event_beyond_impossible_counts n) as Hg. pose proof (stitched_cost_rarely second epoch slope budget r share n Hs Hst Hshare) as Hcost.
  pose proof (exclusions_fail_rarely N delta cmax qmin gamma g p theta first profile Hdyn HN Hd K HK n) as Hex.
  unfold Dynamics.probability in *. change (whole n (fun H => ind _ (excluded_middle (excluded H))) <= 6 * delta / PI ^ 2) in Hex.
  eapply Rle_trans; [apply (either_at_most _ HE not_good (fun H => excluded H \/ (above_stitched second r H \/ joint H)))|].
  - intros H [[HF|HF]|HF]; [left; exact HF|right; left; exact HF|right; right; exact HF].
  - pose proof (either_at_most _ HE excluded (fun H => above_stitched second r H \/ joint H) (fun H => excluded H \/ (above_stitched second r H \/ joint H)) (fun H HF => HF)) as H1.
    pose proof (either_at_most _ HE (above_stitched second r) joint (fun H => above_stitched second r H \/ joint H) (fun H HF => HF)) as H2. lra.
Qed.
End Event.
