(* Runs that are built to show what cannot be had: fewer than two radii below the second-lowest cost, optimism without widening, the
   best provider in every auction where a competitor costs at most d_- + d_+ more.

   Each is on the good event, and its sample means are means of observations: `means_of_observations`. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements Instances Findings Rates Limits
  AsStated Sharpness AnyRadius Sharp Unwidened.
Import ListNotations.
Open Scope R_scope.

(* Each estimate is, at every count, the mean of so many observations in [0, most]: a table of estimates that a run may have. *)
Definition means_of_observations (N : nat) (most : R) (estimate : nat -> nat -> R) : Prop :=
  forall i, (i < N)%nat -> exists observed : nat -> R, (forall l, 0 <= observed l <= most) /\
    forall count, (1 <= count)%nat -> estimate i count = bsum count observed / INR count.

(* ---- the radius at counts that are a little, or much, larger *)
Section RadiusRatios.
Variables (N : nat) (delta : R).
Hypothesis HN : (2 <= N)%nat.
Hypothesis Hd : 0 < delta < 1.
Notation n := (INR N).
Notation C := (2 * PI ^ 2 * n / (3 * delta)).
Lemma beta_squared x : 1 <= x -> beta n delta x * beta n delta x = 1 / (2 * x) * ln (C * x ^ 2).
Proof.
  intros Hx. assert (Hn : 2 <= n) by (apply (le_INR 2); exact HN). rewrite beta_sq by lra. do 2 f_equal. field. lra.
Qed.
Lemma log_at_least_2 x : 1 <= x -> 2 <= ln (C * x ^ 2).
Proof.
  intros Hx. rewrite (log_of N delta HN Hd) by lra. pose proof (constant_large N delta HN Hd). pose proof (ln_nonneg x Hx). lra.
Qed.
Lemma next_radius x : 1 <= x -> x / (x + 1) * beta n delta x <= beta n delta (x + 1).
Proof.
  intros Hx. assert (Hb : 0 <= beta n delta x) by apply sqrt_pos. assert (Hb' : 0 <= beta n delta (x + 1)) by apply sqrt_pos.
  assert (Hq : 0 <= x / (x + 1) <= 1).
  { split; [apply Rlt_le, Rdiv_lt_0_compat; lra|]. apply Rmult_le_reg_r with (x + 1); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  apply Rsqr_incr_0_var; [unfold Rsqr|exact Hb'].
  replace (x / (x + 1) * beta n delta x * (x / (x + 1) * beta n delta x)) with (x / (x + 1) * (x / (x + 1) * (beta n delta x * beta n delta x))) by ring.
  rewrite !beta_squared by lra. assert (Hl : ln (C * x ^ 2) <= ln (C * (x + 1) ^ 2)).
  { rewrite !(log_of N delta HN Hd) by lra. pose proof (ln_increasing x (x + 1) ltac:(lra) ltac:(lra)). lra. }
  pose proof (log_at_least_2 x Hx). apply Rle_trans with (1 * (x / (x + 1) * (1 / (2 * x) * ln (C * x ^ 2)))).
  - apply Rmult_le_compat_r; [|lra]. apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [apply Rlt_le, Rdiv_lt_0_compat; lra|lra].
  - replace (1 * (x / (x + 1) * (1 / (2 * x) * ln (C * x ^ 2)))) with (1 / (2 * (x + 1)) * ln (C * x ^ 2)) by (field; lra).
    apply Rmult_le_compat_l; [apply Rlt_le, Rdiv_lt_0_compat; lra|exact Hl].
Qed.
Lemma much_later_radius x s epsilon : 1 <= x -> 1 <= s -> 0 < epsilon -> 2 / s <= epsilon * epsilon ->
  beta n delta (s * s * x) <= epsilon * beta n delta x.
Proof.
  intros Hx Hs He Hsm. assert (Hb : 0 <= beta n delta x) by apply sqrt_pos. assert (Hss : 1 <= s * s) by nra. assert (Hsx : 1 <= s * s * x) by nra.
  apply Rsqr_incr_0_var; [unfold Rsqr|apply Rmult_le_pos; lra].
  replace (epsilon * beta n delta x * (epsilon * beta n delta x)) with (epsilon * epsilon * (beta n delta x * beta n delta x)) by ring.
  rewrite !beta_squared by lra. pose proof (log_at_least_2 x Hx) as HL.
  assert (El : ln (C * (s * s * x) ^ 2) <= 4 * s - 3 - 1 + ln (C * x ^ 2)).
  { rewrite !(log_of N delta HN Hd) by lra. rewrite (ln_mult (s * s)), (ln_mult s s) by nra. pose proof (ln_le_pred s ltac:(lra)). lra. }
  assert (Hup : ln (C * (s * s * x) ^ 2) <= 2 * s * ln (C * x ^ 2)) by nra.
  apply Rle_trans with (1 / (2 * (s * s * x)) * (2 * s * ln (C * x ^ 2))).
  - apply Rmult_le_compat_l; [apply Rlt_le, Rdiv_lt_0_compat; nra|exact Hup].
  - replace (1 / (2 * (s * s * x)) * (2 * s * ln (C * x ^ 2))) with (2 / s * (1 / (2 * x) * ln (C * x ^ 2))) by (field; lra).
    apply Rmult_le_compat_r; [|exact Hsm]. apply Rmult_le_pos; [apply Rlt_le, Rdiv_lt_0_compat; lra|lra].
Qed.
End RadiusRatios.


(* ---- the ends of a band, kept within [0, most], are means of observations in [0, most] *)
Lemma telescopes (e : nat -> R) count :
  bsum count (fun l => INR (S l) * e (S l) - INR l * e l) = INR count * e count.
Proof. induction count as [|count IH]; [simpl; ring|]. cbn [bsum]. rewrite IH. ring. Qed.
Lemma falling_means (e : nat -> R) most : (forall l, (1 <= l)%nat -> 0 <= e l <= most) -> (forall l, (1 <= l)%nat -> e (S l) <= e l) ->
  (forall l, (1 <= l)%nat -> INR l * e l <= INR (S l) * e (S l)) ->
  exists observed : nat -> R, (forall l, 0 <= observed l <= most) /\ forall count, (1 <= count)%nat -> e count = bsum count observed / INR count.
Proof.
  intros Hrange Hfalls Hgrows. exists (fun l => INR (S l) * e (S l) - INR l * e l). split.
  - intros l. pose proof (Hrange (S l) ltac:(lia)). destruct (Nat.eq_dec l 0) as [->|Hl]; [simpl; lra|].
    specialize (Hgrows l ltac:(lia)). specialize (Hfalls l ltac:(lia)). pose proof (pos_INR l). split; [lra|]. rewrite S_INR. nra.
  - intros count Hc. rewrite telescopes. assert (0 < INR count) by (apply lt_0_INR; lia). field. lra.
Qed.
Lemma constant_is_mean most c : 0 <= c <= most -> exists observed : nat -> R, (forall l, 0 <= observed l <= most) /\
  forall count, (1 <= count)%nat -> c = bsum count observed / INR count.
Proof.
  intros Hc. exists (fun _ => c). split; [auto|]. intros count Hcount. rewrite bsum_const. assert (0 < INR count) by (apply lt_0_INR; lia). field. lra.
Qed.
Section Ends.
Variables (N : nat) (delta most : R).
Hypothesis HN : (2 <= N)%nat.
Hypothesis Hd : 0 < delta < 1.
Lemma upper_end_is_mean a c : 0 <= a -> 0 <= c <= most -> exists observed : nat -> R, (forall l, 0 <= observed l <= most) /\
  forall count, (1 <= count)%nat -> Rmin most (c + a * bt N delta count) = bsum count observed / INR count.
Proof.
  intros Ha Hc. assert (Hb : forall l, 0 <= bt N delta l) by (intros; apply sqrt_pos). assert (HN2 : 2 <= INR N) by (apply (le_INR 2); exact HN).
  apply falling_means.
  - intros l _. specialize (Hb l). split; [apply Rmin_glb; nra|apply Rmin_l].
  - intros l Hl. apply Rle_min_compat_l, Rplus_le_compat_l, Rmult_le_compat_l; [exact Ha|].
    apply radius_monotone; [exact HN2|exact Hd|apply (le_INR 1); exact Hl|apply le_INR; lia].
  - intros l Hl. assert (Hl1 : 1 <= INR l) by (apply (le_INR 1); exact Hl). pose proof (next_radius N delta HN Hd (INR l) Hl1) as Hnext.
    rewrite <- S_INR in Hnext. fold (bt N delta l) in Hnext. fold (bt N delta (S l)) in Hnext. pose proof (S_INR l) as HS. specialize (Hb l).
    assert (Hm : INR l * bt N delta l <= INR (S l) * bt N delta (S l)).
    { apply Rmult_le_compat_l with (r := INR (S l)) in Hnext; [|lra].
      replace (INR (S l) * (INR l / INR (S l) * bt N delta l)) with (INR l * bt N delta l) in Hnext by (field; lra). exact Hnext. }
    pose proof (Rmin_l most (c + a * bt N delta l)) as M1. pose proof (Rmin_r most (c + a * bt N delta l)) as M2.
    unfold Rmin at 2. destruct (Rle_dec most (c + a * bt N delta (S l))) as [_|_].
    + apply Rle_trans with (INR l * most); [apply Rmult_le_compat_l; lra|nra].
    + apply Rle_trans with (INR l * (c + a * bt N delta l)); [apply Rmult_le_compat_l; lra|].
      apply Rmult_le_compat_l with (r := a) in Hm; [nra|exact Ha].
Qed.
Lemma lower_end_is_mean a c : 0 <= a -> 0 <= c <= most -> exists observed : nat -> R, (forall l, 0 <= observed l <= most) /\
  forall count, (1 <= count)%nat -> Rmax 0 (c - a * bt N delta count) = bsum count observed / INR count.
Proof.
  intros Ha Hc. destruct (upper_end_is_mean a (most - c) Ha ltac:(lra)) as (observed & Hrange & Hmean).
  exists (fun l => most - observed l). split; [intros l; specialize (Hrange l); lra|]. intros count Hcount. specialize (Hmean count Hcount).
  assert (Hpos : 0 < INR count) by (apply lt_0_INR; lia).
  assert (Hsum : forall x, bsum x (fun l => most - observed l) = INR x * most - bsum x observed).
  { induction x as [|x IH]; [simpl; ring|]. cbn [bsum]. rewrite IH, S_INR. ring. }
  rewrite Hsum. replace ((INR count * most - bsum count observed) / INR count) with (most - bsum count observed / INR count) by (field; lra).
  rewrite <- Hmean. unfold Rmax, Rmin. destruct (Rle_dec 0 _); destruct (Rle_dec most _); lra.
Qed.
End Ends.
(* an auction comes again, in every run that is long enough *)
Lemma auctions_come_again N delta cmax qmin gamma qhat bid k alpha T1 : (2 <= N)%nat -> 0 < k -> 0 < alpha < 1 ->
  exists steps, forall h, run N delta cmax qmin gamma qhat bid (target N k alpha) h -> (steps <= length h)%nat ->
    exists t s, run N delta cmax qmin gamma qhat bid (target N k alpha) t /\
      step N delta cmax qmin gamma qhat bid (target N k alpha) t s /\ ~ explores N delta qmin qhat (target N k alpha) t /\ (T1 <= length t)%nat.
Proof.
  intros HN Hk Ha. set (g := target N k alpha). destruct (target_sublinear N k alpha ltac:(lia) Ha (INR N + INR T1)) as (start & Hstart).
  exists start. intros h Hr Hlen. specialize (Hstart (N + length h)%nat ltac:(lia)). rewrite plus_INR in Hstart.
  assert (Hg : never_falls g) by (apply Findings.target_never_falls; [lia|assumption|assumption]).
  assert (Hpos : 0 < g (N + length h)%nat) by (apply g_pos; exact Hk).
  destruct (lem_forced_exploration_bound N delta cmax qmin gamma qhat qhat bid g h 0 Hg Hr Hpos) as [_ Hex].
  pose proof (ceiling_below (g (N + length h)%nat)) as Hceil. pose proof (pos_INR N).
  assert (Hfew : INR T1 + total (fun t _ => explored N delta qmin qhat g t) h < INR (length h)) by (unfold g in *; nra).
  clear Hstart Hex Hceil Hpos Hlen. induction Hr as [|h s Hr IH Hs].
  - simpl in Hfew. pose proof (pos_INR T1). lra.
  - cbn [length total] in Hfew. rewrite S_INR in Hfew. unfold explored at 1 in Hfew.
    destruct (explores_dec N delta qmin qhat g h) as [Hx|Hn]; [apply IH; lra|].
    destruct (le_lt_dec T1 (length h)) as [Hle|Hlt]; [exists h, s; auto|].
    exfalso. apply le_INR in Hlt. rewrite S_INR in Hlt.
    assert (0 <= total (fun t _ => explored N delta qmin qhat g t) h) by (apply total_nonneg; intros; unfold explored; destruct (explores_dec _ _ _ _ _ _); lra).
    lra.
Qed.

Section TwoRadii.
Variables (delta k alpha : R).
Hypothesis Hd : 0 < delta < 1.
Hypothesis Hk : 0 < k.
Hypothesis Ha : 0 < alpha < 1.
(* Two providers, of quality 1 and of costs 0 and 1/2. The best bids its cost, the other the lower end of its band. *)
Definition two_qualities (i : nat) : R := 1.
Definition two_costs (i : nat) : R := match i with O => 0 | _ => 1 / 2 end.
Definition two_estimates (i count : nat) : R := match i with O => 0 | _ => Rmax 0 (1 / 2 - bt 2 delta count) end.
Definition two_bids (h : list nat) (i : nat) : R := two_estimates i (m h i).
Notation g := (target 2 k alpha).
Notation run := (run 2 delta 1 0 0 (fun i _ => two_qualities i) two_bids g).
Notation step := (step 2 delta 1 0 0 (fun i _ => two_qualities i) two_bids g).
Notation explores := (explores 2 delta 0 (fun i _ => two_qualities i) g).
Notation payment := (payment 2 delta 1 0 0 (fun i _ => two_qualities i) two_bids g).
Lemma two_market : market 2 delta 1 0 0 0 0 two_qualities two_costs 0.
Proof.
  unfold market, two_qualities. split; [lia|]. split; [exact Hd|]. split; [lra|]. split; [lra|]. split; [lra|]. split; [lra|].
  split; [intros [|i] _; unfold two_costs; lra|]. split; [lia|]. split; [lra|]. intros [|j] Hj _ Hne; [contradiction|]. unfold two_costs. lra.
Qed.
Lemma two_good : Statements.good_event 2 delta 1 0 two_qualities two_costs (fun i _ => two_qualities i) two_estimates.
Proof.
  split; intros i count Hi Hn.
  - rewrite Rminus_eq_0, Rabs_R0. apply sqrt_pos.
  - assert (0 <= bt 2 delta count) by apply sqrt_pos. unfold rad, two_estimates, two_costs. apply Rabs_le. destruct i; [lra|].
    unfold Rmax. destruct (Rle_dec _ _); lra.
Qed.
Lemma two_follow : bids_follow 2 delta 1 0 0 0 0 (fun i _ => two_qualities i) two_estimates two_bids g.
Proof.
  intros h i _ Hi. unfold two_bids. assert (0 <= bt 2 delta (m h i)) by apply sqrt_pos. split; [lra|]. unfold two_estimates. destruct i; [lra|].
  unfold Rmax. destruct (Rle_dec _ _); lra.
Qed.
Lemma two_second : second_lowest 2 0 two_qualities two_costs 0 (1 / 2).
Proof.
  exists [0; 1]%nat. split; [|reflexivity]. intros j. unfold two_qualities. simpl. split; [intros; split; [lia|lra]|lia].
Qed.
Lemma two_separated : separated 2 0 0 0 two_qualities two_costs 0.
Proof. intros [|i] Hi _ Hne; [contradiction|]. unfold two_costs. lra. Qed.
Lemma two_pool h : Qh 2 delta 0 (fun i _ => two_qualities i) h = [0; 1]%nat.
Proof.
  unfold Qh. simpl seq. simpl filter. assert (E : forall i, inQh 2 delta 0 (fun i _ => two_qualities i) h i = true); [|rewrite !E; reflexivity].
  intros i. unfold inQh. destruct (Rle_dec _ _) as [|Hn]; [reflexivity|]. exfalso. apply Hn. unfold two_qualities.
  assert (0 <= bt 2 delta (m h i)) by apply sqrt_pos. lra.
Qed.
Lemma two_radii_are_needed constant : constant < 2 -> forall start, exists h s, run h /\ step h s /\ ~ explores h /\ (start <= now 2 h)%nat /\
  payment h s < 1 / 2 - constant * (1 * beta (INR 2) delta (g (now 2 h))).
Proof.
  intros Hconst start. set (e := (2 - constant) / 3). assert (He : 0 < e) by (unfold e; lra).
  set (s := Rmax 1 (2 / (e * e))). assert (Hs1 : 1 <= s) by apply Rmax_l.
  assert (Hs2 : 2 / s <= e * e).
  { assert (Hle : 2 / (e * e) <= s) by apply Rmax_r. assert (Hee : 0 < e * e) by nra.
    apply Rmult_le_reg_r with s; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    apply Rmult_le_compat_l with (r := e * e) in Hle; [|lra]. replace (e * e * (2 / (e * e))) with 2 in Hle by (field; lra). lra. }
  destruct (radius_below 2 delta (1 / 2) ltac:(lia) Hd ltac:(lra)) as (n0 & Hn0).
  set (L1 := Runs.L 2 delta 1 0 0 0 two_costs 0 1).
  destruct (target_unbounded 2 k alpha ltac:(lia) Hk Ha (Rmax (INR n0) (Rmax (2 / e) (Rmax 1 (Rabs L1 + 1))))) as (t0 & Ht0 & Hlarge).
  destruct (target_sublinear 2 ((s * s + 1) * k) alpha ltac:(lia) Ha 2) as (t1 & Ht1).
  destruct (auctions_come_again 2 delta 1 0 0 (fun i _ => two_qualities i) two_bids k alpha (start + t0 + t1) ltac:(lia) Hk Ha) as (steps & Hsteps).
  destruct (runs_exist 2 delta 1 0 0 (fun i _ => two_qualities i) two_bids g ltac:(lia) steps) as (h0 & Hr0 & Hl0).
  destruct (Hsteps h0 Hr0 ltac:(lia)) as (h & w & Hr & Hs & Hn & Hlen). exists h, w.
  split; [exact Hr|]. split; [exact Hs|]. split; [exact Hn|]. split; [unfold now; lia|].
  assert (Hmono : never_falls g) by (apply Findings.target_never_falls; [lia|assumption|assumption]).
  set (G := g (now 2 h)). set (T := (2 + length h)%nat).
  assert (HGT : g T <= G) by (apply Hmono; unfold T, now; lia). assert (HgT : g t0 <= g T) by (apply Hmono; unfold T; lia).
  pose proof (Rmax_l (INR n0) (Rmax (2 / e) (Rmax 1 (Rabs L1 + 1)))). pose proof (Rmax_r (INR n0) (Rmax (2 / e) (Rmax 1 (Rabs L1 + 1)))).
  pose proof (Rmax_l (2 / e) (Rmax 1 (Rabs L1 + 1))). pose proof (Rmax_r (2 / e) (Rmax 1 (Rabs L1 + 1))).
  pose proof (Rmax_l 1 (Rabs L1 + 1)). pose proof (Rmax_r 1 (Rabs L1 + 1)). pose proof (Rle_abs L1).
  assert (HG1 : 1 <= G) by lra.
  (* the competitor has at least g(t) and less than g(t) + 1 queries; the best has all others *)
  assert (Hin1 : In 1%nat (Qh 2 delta 0 (fun i _ => two_qualities i) h)) by (rewrite two_pool; simpl; auto).
  assert (Hm1 : G <= INR (m h 1)).
  { destruct (Rle_lt_dec G (INR (m h 1))); [assumption|]. exfalso. apply Hn. exists 1%nat. auto. }
  assert (HgTpos : 0 < g T) by lra.
  assert (Hm1up : INR (m h 1) <= G + 1).
  { pose proof (lem_qualified_suboptimal_selection 2 delta 1 0 0 0 0 two_qualities two_costs 0 _ two_estimates two_bids g h 1 two_market two_good
      two_follow Hmono Hr HgTpos ltac:(lia) ltac:(unfold two_costs; lra)) as Hcap. fold L1 T in Hcap.
    assert (Hx : Rmax L1 (ceiling (g T) - 1) <= g T).
    { apply Rmax_lub; [lra|]. pose proof (ceiling_below (g T)). lra. }
    unfold m. rewrite S_INR. lra. }
  assert (Hm0 : s * s * G <= INR (m h 0)).
  { pose proof (times_sum 2 h ltac:(eapply run_lt; eauto)) as E. simpl in E. specialize (Ht1 (now 2 h) ltac:(unfold now; lia)).
    assert (EG : target 2 ((s * s + 1) * k) alpha (now 2 h) = (s * s + 1) * G) by (unfold G, target; ring). rewrite EG in Ht1.
    unfold now in Ht1. rewrite !plus_INR in Ht1. change (INR 1) with 1 in Ht1. change (INR 2) with 2 in Ht1.
    unfold m in *. rewrite S_INR in *. assert (0 <= s * s * G) by (apply Rmult_le_pos; nra). nra. }
  assert (Hwin : w = 0%nat).
  { apply (cor_eventual_ordinary_optimality 2 delta 1 0 0 0 0 two_qualities two_costs 0 _ two_estimates two_bids g h w two_market two_good two_follow
      two_separated Hr Hs Hn).
    - intros j _ Hq. unfold two_qualities in Hq. lra.
    - intros [|[|j]] Hj _ Hne; [contradiction| |lia]. fold L1. lra. }
  subst w. assert (Epay : payment h 0 <= bt 2 delta (m h 0) + (1 / 2 - 2 * bt 2 delta (m h 1))).
  { unfold Runs.payment. destruct (explores_dec _ _ _ _ _ h) as [Hx|_]; [contradiction|]. rewrite two_pool. unfold pay, crit, others, adj, radii, rad. simpl.
    eapply Rle_trans; [apply Rmin_l|]. unfold two_bids, two_estimates. specialize (Hn0 (m h 1) ltac:(apply INR_le; lra)).
    rewrite Rmax_right by lra. lra. }
  eapply Rle_lt_trans; [exact Epay|].
  assert (HN2 : 2 <= INR 2) by (simpl; lra).
  assert (HB : 0 < beta (INR 2) delta G).
  { apply sqrt_lt_R0. apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra|]. pose proof (log_at_least_2 2 delta ltac:(lia) Hd G HG1) as Hl.
    replace (2 * PI ^ 2 * INR 2 * G ^ 2 / (3 * delta)) with (2 * PI ^ 2 * INR 2 / (3 * delta) * G ^ 2) by (field; lra). lra. }
  assert (Hfirst : bt 2 delta (m h 0) <= e * beta (INR 2) delta G).
  { eapply Rle_trans; [|apply (much_later_radius 2 delta ltac:(lia) Hd G s e HG1 Hs1 He Hs2)].
    apply radius_monotone; [exact HN2|exact Hd| |exact Hm0]. assert (1 <= s * s) by nra. nra. }
  assert (Hsecond : (1 - e / 2) * beta (INR 2) delta G <= bt 2 delta (m h 1)).
  { apply Rle_trans with (beta (INR 2) delta (G + 1)).
    - eapply Rle_trans; [|apply (next_radius 2 delta ltac:(lia) Hd G HG1)]. apply Rmult_le_compat_r; [lra|].
      assert (H2e : 2 <= e * (G + 1)).
      { assert (Hle : 2 / e <= G) by lra. apply Rmult_le_compat_l with (r := e) in Hle; [|lra]. replace (e * (2 / e)) with 2 in Hle by (field; lra). lra. }
      replace (G / (G + 1)) with (1 - / (G + 1)) by (field; lra). assert (/ (G + 1) <= e / 2); [|lra].
      apply Rmult_le_reg_r with (G + 1); [lra|]. rewrite Rinv_l by lra. lra.
    - apply radius_monotone; [exact HN2|exact Hd| |exact Hm1up]. lra. }
  assert (Hc : constant = 2 - 3 * e) by (unfold e; field). rewrite Hc. fold G. nra.
Qed.
Lemma two_means : means_of_observations 2 1 (fun i _ => two_qualities i) /\ means_of_observations 2 1 two_estimates.
Proof.
  split; intros i _.
  - apply constant_is_mean. unfold two_qualities. lra.
  - unfold two_estimates. destruct i; [apply constant_is_mean; lra|].
    destruct (lower_end_is_mean 2 delta 1 ltac:(lia) Hd 1 (1 / 2) ltac:(lra) ltac:(lra)) as (observed & Hrange & Hmean).
    exists observed. split; [exact Hrange|]. intros count Hc. rewrite <- (Hmean count Hc), Rmult_1_l. reflexivity.
Qed.
(* 2 is optimal: in a market of two providers, with truthful bids and sample means of observations in [0, 1] on the good event, for every
   constant below 2 some auction after T_0 pays less than c_(2) - constant c_max beta(g(t)), whatever delta, k and alpha. *)
Theorem lem_two_sided_payment_two_is_optimal constant : constant < 2 ->
  market_of_payments 2 delta 1 0 0 0 0 k alpha two_qualities two_costs 0 (1 / 2) /\
  Statements.good_event 2 delta 1 0 two_qualities two_costs (fun i _ => two_qualities i) two_estimates /\
  bids_truthfully 2 delta 1 0 (fun i _ => two_qualities i) two_estimates two_bids g /\
  means_of_observations 2 1 (fun i _ => two_qualities i) /\ means_of_observations 2 1 two_estimates /\
  exists h s, run h /\ step h s /\ ~ explores h /\ Limits.T0 2 delta 0 k alpha two_qualities < INR (now 2 h) /\
    payment h s < 1 / 2 - constant * (1 * beta (INR 2) delta (g (now 2 h))).
Proof.
  intros Hc. split; [exact (conj two_market (conj two_second (conj Hk Ha)))|]. split; [exact two_good|].
  split; [intros h i Hr Hi; destruct (two_follow h i Hr Hi) as [_ H]; unfold two_bids in H; split; [reflexivity|exact H]|].
  split; [apply two_means|]. split; [apply two_means|].
  destruct (eventually_above (Limits.T0 2 delta 0 k alpha two_qualities + 1)) as (start & Hstart).
  destruct (two_radii_are_needed constant Hc start) as (h & s & Hr & Hs & Hn & Hlen & Hp). exists h, s.
  split; [exact Hr|]. split; [exact Hs|]. split; [exact Hn|]. split; [|exact Hp].
  specialize (Hstart _ Hlen). lra.
Qed.
End TwoRadii.

(* ---- the exact inverse: an unqualified provider at the upper end of its band is explored as often as the improved bounds allow *)
Definition upper_scores (N : nat) (delta : R) (quality : nat -> R) (j count : nat) : R := Rmin 1 (quality j + 1 * bt N delta count).
(* Of any market with an unqualified provider i some run on the good event, with mean scores of observations in [0, 1], explores i
   m*(q_min - q_i) times after initialization: as often as the improved bounds allow. *)
Theorem the_improved_caps_are_attained N delta cmax qmin gamma d_minus d_plus quality cost best bid i :
  market N delta cmax qmin gamma d_minus d_plus quality cost best -> (i < N)%nat -> quality i < qmin -> exists g h,
  Statements.good_event N delta cmax gamma quality cost (upper_scores N delta quality) (fun j _ => cost j) /\
  means_of_observations N 1 (upper_scores N delta quality) /\ never_falls g /\ 0 < g (N + length h)%nat /\
  run N delta cmax qmin gamma (upper_scores N delta quality) bid g h /\
  INR (times h i) = sharp_unqualified_cap N delta cmax qmin gamma d_minus d_plus quality cost best g (N + length h) i /\
  INR (explorations N delta qmin (upper_scores N delta quality) g h i) = Rmin (sharp_elimination N delta qmin quality i) (ceiling (g (N + length h)%nat) - 1).
Proof.
  intros (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest) Hi Hq. set (most := exact_inverse N delta (qmin - quality i)).
  set (g := fun _ : nat => INR (S most)). assert (HN1 : (1 <= N)%nat) by lia. assert (Hgap : 0 < qmin - quality i) by lra.
  destruct (exact_inverse_is_largest N delta _ HN1 Hd Hgap) as [Hone _]. fold most in Hone.
  assert (Hb : forall l, 0 <= bt N delta l) by (intros; apply sqrt_pos).
  assert (Hrun : forall l, (l <= most)%nat -> run N delta cmax qmin gamma (upper_scores N delta quality) bid g (repeat i l) /\
    times (repeat i l) i = l /\ explorations N delta qmin (upper_scores N delta quality) g (repeat i l) i = l).
  { induction l as [|l IH]; intros Hl; [split; [constructor|split; reflexivity]|]. destruct (IH ltac:(lia)) as (Hr & Ht & He).
    assert (Hin : In i (Qh N delta qmin (upper_scores N delta quality) (repeat i l))).
    { apply in_Qh_iff. split; [exact Hi|]. unfold m. rewrite Ht. destruct Hone as [Hz|[Hpos Hle]]; [lia|].
      assert (Hmono : bt N delta most <= bt N delta (S l)).
      { apply radius_monotone; [apply (le_INR 2); exact HN|exact Hd|apply (le_INR 1); lia|apply le_INR; lia]. }
      unfold upper_scores, Rmin. specialize (Hb (S l)). destruct (Rle_dec _ _); lra. }
    assert (Hx : INR (m (repeat i l) i) < g (now N (repeat i l))) by (unfold m, g; rewrite Ht; apply lt_INR; lia).
    assert (Hex : explores N delta qmin (upper_scores N delta quality) g (repeat i l)) by (exists i; auto).
    split; [constructor; [exact Hr|left; auto]|]. cbn [repeat]. split; [rewrite times_cons_same, Ht; reflexivity|].
    cbn [explorations]. rewrite He. destruct (Nat.eq_dec i i); [|contradiction]. destruct (explores_dec _ _ _ _ _ _); [reflexivity|contradiction]. }
  destruct (Hrun most (le_n _)) as (Hr & Ht & He). exists g, (repeat i most).
  split.
  { split; intros j count Hj Hcount.
    - pose proof (Hrange j Hj) as [Hqj _]. specialize (Hb count). unfold upper_scores, Rmin. apply Rabs_le. destruct (Rle_dec _ _); lra.
    - rewrite Rminus_eq_0, Rabs_R0. unfold rad. apply Rmult_le_pos; [nra|apply Hb]. }
  split; [intros j Hj; apply upper_end_is_mean; try assumption; [lra|apply Hrange; exact Hj]|].
  split; [intros s t _ _; apply Rle_refl|]. split; [apply lt_0_INR; lia|]. split; [exact Hr|].
  assert (Eceil : ceiling (g (N + length (repeat i most))%nat) - 1 = INR most).
  { unfold g. rewrite Sharpness.ceiling_whole, S_INR. ring. }
  assert (Em : sharp_elimination N delta qmin quality i = INR most) by reflexivity.
  unfold sharp_unqualified_cap. rewrite Eceil, Em, Ht, He. split.
  - rewrite Rmin_left; [reflexivity|apply Rmax_r].
  - rewrite Rmin_left; [reflexivity|lra].
Qed.

(* ---- claim:widening-necessary *)
(* Without widening, optimism b - c_max beta <= cbar can fail. For each qualified provider that costs less than c_max there are sample
   means of observations on the good event, and estimates within gamma radii of them, with which it fails from some step on. *)
Theorem claim_widening_necessary N delta cmax qmin gamma k alpha quality cost best i :
  market N delta cmax qmin gamma 0 0 quality cost best -> 0 < gamma -> 0 < k -> 0 < alpha < 1 ->
  (i < N)%nat -> qmin <= quality i -> cost i < cmax ->
  exists quality_estimate sample_mean estimate,
    within_gamma_radii N delta cmax gamma quality cost quality_estimate sample_mean estimate /\
    means_of_observations N 1 quality_estimate /\ means_of_observations N cmax sample_mean /\
    (forall j count, (j < N)%nat -> (1 <= count)%nat -> 0 <= estimate j count <= cmax) /\
    exists steps, forall h, run N delta cmax qmin 0 quality_estimate (fun h j => estimate j (m h j)) (target N k alpha) h ->
      (steps <= length h)%nat -> cost i < estimate i (m h i) - cmax * bt N delta (m h i).
Proof.
  intros Hm Hgp Hk Ha Hi Hq Hci. pose proof Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest).
  pose (sm := fun j count => Rmin cmax (cost j + cmax * bt N delta count)).
  pose (est := fun j count => Rmin cmax (cost j + (1 + gamma) * (cmax * bt N delta count))).
  assert (Hb0 : forall count, 0 <= cmax * bt N delta count) by (intros; apply Rmult_le_pos; [lra|apply sqrt_pos]).
  assert (Hgood : Statements.good_event N delta cmax 0 quality cost (fun j _ => quality j) sm).
  { split; intros j count Hj Hn.
    - rewrite Rminus_eq_0, Rabs_R0. apply sqrt_pos.
    - unfold sm, rad. specialize (Hb0 count). pose proof (Hrange j Hj) as [_ Hcj]. apply Rabs_le.
      unfold Rmin. destruct (Rle_dec _ _); lra. }
  exists (fun j _ => quality j), sm, est. split; [split; [exact Hgood|]|split; [|split; [|split]]].
  - intros j count Hj Hn. unfold est, sm. specialize (Hb0 count). pose proof (Hrange j Hj) as [_ Hcj].
    assert (0 <= gamma * (cmax * bt N delta count)) by (apply Rmult_le_pos; lra). apply Rabs_le.
    unfold Rmin. destruct (Rle_dec _ _); destruct (Rle_dec _ _); lra.
  - intros j Hj. apply constant_is_mean. apply Hrange. exact Hj.
  - intros j Hj. apply upper_end_is_mean; [exact HN|exact Hd|lra|]. apply Hrange. exact Hj.
  - intros j count Hj Hn. pose proof (Hrange j Hj) as [Hqj Hcj]. specialize (Hb0 count).
    assert (0 <= gamma * (cmax * bt N delta count)) by (apply Rmult_le_pos; lra).
    unfold est. split; [apply Rmin_glb; lra|apply Rmin_l].
  - destruct (radius_below N delta ((cmax - cost i) / ((1 + gamma) * cmax)) ltac:(lia) Hd) as (n0 & Hn0).
    { apply Rdiv_lt_0_compat; nra. }
    assert (Hm0 : market N delta cmax qmin 0 0 0 quality cost best) by (repeat split; try tauto; try lra; apply Hrange; assumption).
    destruct (every_qualified_provider_is_selected_again N delta cmax qmin 0 0 0 quality cost best (fun j _ => quality j) sm
      (fun h j => est j (m h j)) (target N k alpha) i n0 Hm0 Hgood) as (steps & Hsteps); try assumption.
    + apply Findings.target_never_falls; [lia|assumption|assumption].
    + apply target_unbounded; [lia|assumption|assumption].
    + apply target_sublinear; [lia|assumption].
    + exists steps. intros h Hr Hlen. specialize (Hsteps h Hr Hlen).
      specialize (Hn0 (m h i) ltac:(unfold m; lia)). pose proof (radius_positive N delta (m h i) ltac:(lia) Hd ltac:(unfold m; lia)) as Hbp.
      assert (Hp : 0 < (1 + gamma) * cmax) by nra.
      assert (Hlt : (1 + gamma) * cmax * bt N delta (m h i) < cmax - cost i).
      { apply Rmult_lt_compat_l with (r := (1 + gamma) * cmax) in Hn0; [|exact Hp].
        replace ((1 + gamma) * cmax * ((cmax - cost i) / ((1 + gamma) * cmax))) with (cmax - cost i) in Hn0 by (field; lra). exact Hn0. }
      unfold est. rewrite Rmin_right by lra. assert (0 < gamma * (cmax * bt N delta (m h i))) by (apply Rmult_lt_0_compat; [lra|apply Rmult_lt_0_compat; lra]).
      lra.
Qed.

(* ---- claim:condition-cannot-be-dropped *)
Section CannotDrop.
Variables (N : nat) (delta cmax qmin d_minus d_plus alpha : R) (quality cost : nat -> R) (best i : nat).
Hypothesis Hm : market N delta cmax qmin 0 d_minus d_plus quality cost best.
Hypothesis Ha : 0 < alpha < 1.
Hypothesis Hi : (i < N)%nat /\ i <> best.
Hypothesis Hqi : qmin <= quality i.
Hypothesis gap_small : cost i - cost best <= d_minus + d_plus.
Hypothesis room : cost i - d_minus < cmax.

(* the estimates: the sample means at the ends of their bands, within [0, cmax]; and the bids *)
Definition extreme_estimate (j count : nat) : R :=
  if Nat.eq_dec j i then Rmax 0 (cost j - cmax * bt N delta count) else Rmin cmax (cost j + cmax * bt N delta count).
Definition extreme_bid (h : list nat) (j : nat) : R :=
  if Nat.eq_dec j i then Rmax 0 (extreme_estimate j (m h j) - d_minus) else Rmin cmax (extreme_estimate j (m h j) + d_plus).
Notation true_scores := (fun j _ : nat => quality j).
Notation run g := (run N delta cmax qmin 0 true_scores extreme_bid g).
Notation step g := (step N delta cmax qmin 0 true_scores extreme_bid g).
Notation explores g := (explores N delta qmin true_scores g).
Ltac opened := pose proof Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest).

Lemma extreme_is_good : Statements.good_event N delta cmax 0 quality cost true_scores extreme_estimate.
Proof.
  opened. split; intros j count Hj Hn.
  - rewrite Rminus_eq_0, Rabs_R0. apply sqrt_pos.
  - assert (0 <= cmax * bt N delta count) by (apply Rmult_le_pos; [lra|apply sqrt_pos]). pose proof (Hrange j Hj) as [_ Hcj].
    unfold extreme_estimate, rad. apply Rabs_le. destruct (Nat.eq_dec j i); [unfold Rmax|unfold Rmin]; destruct (Rle_dec _ _); lra.
Qed.
Lemma extreme_range j count : (j < N)%nat -> 0 <= extreme_estimate j count <= cmax.
Proof.
  opened. intros Hj. assert (0 <= cmax * bt N delta count) by (apply Rmult_le_pos; [lra|apply sqrt_pos]). pose proof (Hrange j Hj) as [_ Hcj].
  unfold extreme_estimate. destruct (Nat.eq_dec j i); [unfold Rmax|unfold Rmin]; destruct (Rle_dec _ _); lra.
Qed.
Lemma extreme_bids_follow g : bids_follow N delta cmax qmin 0 d_minus d_plus true_scores extreme_estimate extreme_bid g.
Proof.
  opened. intros h j _ Hj. pose proof (extreme_range j (m h j) Hj). unfold extreme_bid.
  destruct (Nat.eq_dec j i); [unfold Rmax|unfold Rmin]; destruct (Rle_dec _ _); lra.
Qed.
Lemma extreme_means : means_of_observations N 1 true_scores /\ means_of_observations N cmax extreme_estimate.
Proof.
  opened. split; intros j Hj.
  - apply constant_is_mean. apply Hrange. exact Hj.
  - pose proof (Hrange j Hj) as [_ Hcj]. unfold extreme_estimate. destruct (Nat.eq_dec j i).
    + apply lower_end_is_mean; [exact HN|exact Hd|lra|exact Hcj].
    + apply upper_end_is_mean; [exact HN|exact Hd|lra|exact Hcj].
Qed.
(* Where Delta_i <= d_- + d_+ and c_i - d_- < c_max, the competitor i may win every auction: from some exploration scale on, with sample
   means of observations on the good event and bids within the deviations, every auction of every run goes to i, and there are as many
   as one likes. *)
Theorem claim_condition_cannot_be_dropped : exists k0, 0 < k0 /\ forall k, k0 <= k ->
  let g := target N k alpha in
  Statements.good_event N delta cmax 0 quality cost true_scores extreme_estimate /\
  means_of_observations N 1 true_scores /\ means_of_observations N cmax extreme_estimate /\
  bids_follow N delta cmax qmin 0 d_minus d_plus true_scores extreme_estimate extreme_bid g /\
  (forall h s, run g h -> step g h s -> ~ explores g h -> s = i) /\
  (forall most, exists steps, forall h, run g h -> (steps <= length h)%nat ->
    most <= INR (times_if (fun t => if explores_dec N delta qmin true_scores g t then false else true) h i)).
Proof.
  opened. destruct Hi as [HiN Hne].
  destruct (radius_below N delta (Rmin 1 ((cmax - (cost i - d_minus)) / cmax)) ltac:(lia) Hd) as (n0 & Hn0).
  { apply Rmin_glb_lt; [lra|apply Rdiv_lt_0_compat; lra]. }
  (* so large a scale that whoever is eligible at an auction is qualified, and has a small radius *)
  exists (Rmax (INR (S n0)) (1 + largest_elimination N delta qmin quality)).
  split; [eapply Rlt_le_trans; [|apply Rmax_l]; apply lt_0_INR; lia|]. intros k Hk01. cbv zeta.
  assert (Hk0 : INR (S n0) <= k) by (eapply Rle_trans; [apply Rmax_l|exact Hk01]).
  assert (Hk1 : 1 + largest_elimination N delta qmin quality <= k) by (eapply Rle_trans; [apply Rmax_r|exact Hk01]).
  assert (Hk : 0 < k) by (eapply Rlt_le_trans; [|exact Hk0]; apply lt_0_INR; lia). set (g := target N k alpha).
  split; [exact extreme_is_good|]. split; [apply extreme_means|]. split; [apply extreme_means|]. split; [apply extreme_bids_follow|].
  assert (Hwins : forall h s, run g h -> step g h s -> ~ explores g h -> s = i).
  { intros h s Hr Hs Hn. destruct (Nat.eq_dec s i) as [|Hsi]; [assumption|exfalso].
    assert (Hsel : selected (Qh N delta qmin true_scores h) (radii N delta cmax 0 h) (extreme_bid h) s)
      by exact (ordinary_selected N delta cmax qmin 0 quality cost best true_scores extreme_estimate extreme_bid g HN Hbest
        (proj1 extreme_is_good) h s Hs Hn).
    destruct Hsel as [Hin Hmin].
    assert (HinI : In i (Qh N delta qmin true_scores h)).
    { apply in_Qh_iff. split; [exact HiN|]. pose proof Hqi.
      assert (0 <= bt N delta (m h i)) by apply sqrt_pos. lra. }
    specialize (Hmin i HinI). assert (HsN : (s < N)%nat) by (apply in_Qh_iff in Hin; tauto).
    assert (HkS : k <= INR (m h s)).
    { apply Rle_trans with (g (now N h)).
      - unfold g, target. rewrite <- (Rmult_1_r k) at 1. apply Rmult_le_compat_l; [lra|]. assert (HN2 : 2 <= INR N) by (apply (le_INR 2); exact HN).
        rewrite <- (Rpower_O (INR (now N h) / INR N)).
        + apply Rle_Rpower; [|lra]. apply Rmult_le_reg_r with (INR N); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra.
          apply le_INR. unfold now. lia.
        + apply Rdiv_lt_0_compat; [apply lt_0_INR; unfold now; lia|lra].
      - destruct (Rle_lt_dec (g (now N h)) (INR (m h s))); [assumption|]. exfalso. apply Hn. exists s. auto. }
    assert (Hcount : (n0 <= m h s)%nat) by (apply INR_le; rewrite S_INR in Hk0; lra).
    assert (Hqs : qmin <= quality s).
    { apply Rnot_lt_le. intros Hlt.
      pose proof (lem_unqualified_exclusion N delta cmax qmin 0 d_minus d_plus quality cost best true_scores extreme_estimate extreme_bid g h s Hm extreme_is_good HsN Hlt Hin) as Hex.
      assert (Hle : Runs.M N delta (qmin - quality s) <= largest_elimination N delta qmin quality); [|lra].
      unfold largest_elimination. eapply Rle_trans; [|apply Rmax_r]. apply (largest_over_above (unqualified N qmin quality) (fun i => Runs.M N delta (qmin - quality i))).
      unfold unqualified. rewrite filter_In, in_seq. split; [lia|]. destruct (Rlt_dec _ _); [reflexivity|contradiction]. }
    specialize (Hn0 (m h s) Hcount). pose proof (Rmin_l 1 ((cmax - (cost i - d_minus)) / cmax)).
    pose proof (Rmin_r 1 ((cmax - (cost i - d_minus)) / cmax)).
    assert (Hr1 : cmax * bt N delta (m h s) < cmax) by (rewrite <- (Rmult_1_r cmax) at 2; apply Rmult_lt_compat_l; lra).
    assert (Hr2 : cmax * bt N delta (m h s) < cmax - (cost i - d_minus)).
    { replace (cmax - (cost i - d_minus)) with (cmax * ((cmax - (cost i - d_minus)) / cmax)) by (field; lra).
      apply Rmult_lt_compat_l; lra. }
    pose proof (radius_positive N delta (m h i) ltac:(lia) Hd ltac:(unfold m; lia)) as Hip.
    assert (Hri : 0 < cmax * bt N delta (m h i)) by (apply Rmult_lt_0_compat; lra).
    assert (Hrs : 0 <= cmax * bt N delta (m h s)) by (apply Rmult_le_pos; [lra|apply sqrt_pos]).
    pose proof (Hrange i HiN) as [_ Hci]. pose proof (Hrange s HsN) as [_ Hcs]. pose proof (Hrange best (proj1 Hbest)) as [_ Hcb].
    assert (Hcost : cost best <= cost s).
    { destruct (Nat.eq_dec s best) as [->|Hsb]; [lra|]. left. apply Hbest; auto. }
    unfold adj, radii, rad, extreme_bid, extreme_estimate in Hmin.
    destruct (Nat.eq_dec s i); [contradiction|]. destruct (Nat.eq_dec i i); [|contradiction].
    assert (Hx : forall x y, x = cmax * bt N delta y -> (1 + 0) * cmax * bt N delta y = x) by (intros x y ->; ring).
    rewrite (Hx _ _ eq_refl), (Hx _ _ eq_refl) in Hmin.
    set (rs := cmax * bt N delta (m h s)) in *. set (ri := cmax * bt N delta (m h i)) in *.
    unfold Rmax, Rmin in Hmin. repeat (destruct (Rle_dec _ _) in Hmin; try lra). }
  split; [exact Hwins|]. intros most.
  assert (Hg : never_falls g) by (apply Findings.target_never_falls; [lia|assumption|assumption]).
  destruct (target_sublinear N k alpha ltac:(lia) Ha (INR N + most)) as (start & Hstart). exists start. intros h Hr Hlen.
  specialize (Hstart (N + length h)%nat ltac:(lia)). rewrite plus_INR in Hstart.
  assert (Hpos : 0 < g (N + length h)%nat) by (apply g_pos; exact Hk).
  destruct (lem_forced_exploration_bound N delta cmax qmin 0 true_scores extreme_estimate extreme_bid g h i Hg Hr Hpos) as [_ Hex].
  pose proof (ceiling_below (g (N + length h)%nat)) as Hceil.
  assert (Hsplit : INR (length h) = INR (times_if (fun t => if explores_dec N delta qmin true_scores g t then false else true) h i)
    + total (fun t _ => explored N delta qmin true_scores g t) h).
  { clear Hstart Hlen Hpos Hex Hceil. induction Hr as [|h s Hr IH Hs]; [simpl; lra|]. cbn [length times_if total]. rewrite S_INR, IH.
    unfold explored at 2. destruct (explores_dec N delta qmin true_scores g h) as [Hx|Hn].
    - destruct (Nat.eq_dec s i); rewrite Nat.add_0_l; lra.
    - rewrite (Hwins h s Hr Hs Hn). destruct (Nat.eq_dec i i); [|contradiction]. rewrite plus_INR. change (INR 1) with 1. lra. }
  pose proof (pos_INR N). unfold g in *. nra.
Qed.
End CannotDrop.
