(* What follows from the other theorems: claims between the numbered ones of the paper, and repaired wordings.

   In order: how selections are counted; B_id with integer caps, and T_id with it; when auctions go to the best for good; the first
   branch of the generation regret; the summary of appendix C; T_id with the B_id of Section 4; what of these has probability at least
   1 - delta; the rate. *)
Require Import Reals Lra Lia List Arith Psatz.
From Costproof Require Import Radius Auction RadiusSum Formulas Runs Payments Statements Findings Rates Limits AsStated
  Game Dynamics Hoeffding Plays GameLikely AnyRadius Sharp.
Import ListNotations.
Open Scope R_scope.
(* The l-th selection of i after initialization happens at m_{i,t} = l; so if no selection happens above a count B, there are at most
   floor(B) of them. *)
Theorem lem_selection_counting (h : list nat) (i : nat) :
  (forall later before, h = later ++ i :: before -> m before i = times (i :: before) i) /\
  (forall B, 0 <= B -> (forall later before, h = later ++ i :: before -> INR (m before i) <= B) -> INR (times h i) <= floor B).
Proof.
  split.
  - intros later before _. exact (selection_counting i before _ eq_refl).
  - intros B HB. induction h as [|s h IH]; intros Hle.
    + unfold times, floor. simpl. destruct (base_Int_part B) as [_ H]. assert (Hz : IZR (-1) < IZR (Int_part B)) by lra.
      apply lt_IZR in Hz. apply IZR_le. lia.
    + assert (IH' : INR (times h i) <= floor B) by (apply IH; intros later before E; apply (Hle (s :: later) before); rewrite E; reflexivity).
      destruct (Nat.eq_dec s i) as [->|Hne]; [|rewrite times_cons_other by exact Hne; exact IH'].
      specialize (Hle [] h eq_refl). rewrite times_cons_same. change (S (times h i)) with (m h i).
      unfold floor. destruct (base_Int_part B) as [_ H]. rewrite INR_IZR_INZ in *.
      assert (Hz : IZR (Z.of_nat (m h i) - 1) < IZR (Int_part B)) by (rewrite minus_IZR; lra). apply lt_IZR in Hz. apply IZR_le. lia.
Qed.

Section OnRuns.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus : R) (quality cost : nat -> R) (best : nat).
Variables (quality_estimate cost_estimate : nat -> nat -> R) (bid : list nat -> nat -> R) (g : nat -> R).
Notation run := (run N delta cmax qmin gamma quality_estimate bid g).
Notation step := (step N delta cmax qmin gamma quality_estimate bid g).
Notation explores := (explores N delta qmin quality_estimate g).
Notation eligible_set := (Qh N delta qmin quality_estimate).
Notation market := (market N delta cmax qmin gamma d_minus d_plus quality cost best).
Notation good_event := (Statements.good_event N delta cmax gamma quality cost quality_estimate cost_estimate).
Notation bids_follow := (bids_follow N delta cmax qmin gamma d_minus d_plus quality_estimate cost_estimate bid g).
Notation separated := (separated N qmin d_minus d_plus quality cost best).
Notation gap i := (cost i - cost best).
Notation M := (Runs.M N delta).
Notation L := (Runs.L N delta cmax gamma d_minus d_plus cost best).
Notation unqualified := (unqualified N qmin quality).
Notation competitors := (competitors N qmin quality best).
Notation horizon h := (N + length h)%nat.

(* B_id(T) of appendix D: M_i of the unqualified, max{L_i, ceil(g(T)) - 1} of the competitors *)
Definition B_id (T : nat) : R :=
  total_over unqualified (fun i => M (qmin - quality i)) + total_over competitors (fun i => Rmax (L i) (ceiling (g T) - 1)).
(* On the good event a run has at most N - 1 + B_id(T) non-optimal steps, with ceil(g(T)) - 1 for k (T/N)^alpha in B_id(T). *)
Theorem claim_B_id_tightened h : market -> good_event -> bids_follow -> never_falls g -> separated -> run h -> 0 < g (horizon h) ->
  nonoptimal_steps N best h <= INR N - 1 + B_id (horizon h).
Proof.
  intros Hm He Hb Hg Hsep Hr Hp. unfold B_id. rewrite (Rplus_comm (total_over unqualified _)).
  exact (thm_sample_complexity_on_good_event _ _ _ _ _ _ _ _ _ _ _ _ _ g h Hm He Hb Hg Hsep Hr Hp).
Qed.
(* T > N + 2 B_id(T) *)
Definition leads_at (T : nat) : Prop := INR N + 2 * B_id T < INR T.
Lemma times_below_cap h i : market -> good_event -> bids_follow -> never_falls g -> separated -> run h -> 0 < g (horizon h) ->
  (i < N)%nat -> i <> best -> INR (times h i) <= (if Rlt_dec (quality i) qmin then M (qmin - quality i) else Rmax (L i) (ceiling (g (horizon h)) - 1)).
Proof.
  intros Hm He Hb Hg Hsep Hr Hp Hi Hne. destruct (Rlt_dec (quality i) qmin) as [Hq|Hq].
  - eapply lem_unqualified_elimination; eauto.
  - eapply lem_qualified_suboptimal_selection; eauto. apply Hsep; auto. lra.
Qed.
Lemma claim_T_id_repaired_at h i : market -> good_event -> bids_follow -> never_falls g -> separated -> run h -> 0 < g (horizon h) ->
  leads_at (horizon h) -> (i < N)%nat -> i <> best -> (m h i < m h best)%nat.
Proof.
  intros Hm He Hb Hg Hsep Hr Hp Hlead Hi Hne. pose proof Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest).
  set (cap := fun i => if Rlt_dec (quality i) qmin then M (qmin - quality i) else Rmax (L i) (ceiling (g (horizon h)) - 1)).
  assert (Hcap : forall j, (j < N)%nat -> j <> best -> INR (times h j) <= cap j) by (intros; apply times_below_cap; assumption).
  pose proof (lead_by_caps N best h cap i ltac:(eapply run_lt; eauto) (proj1 Hbest) Hcap Hi Hne) as H.
  assert (Hpos : forall j, (j < N)%nat -> j <> best -> 0 <= cap j).
  { intros j Hj Hjne. pose proof (Hcap j Hj Hjne). pose proof (pos_INR (times h j)). lra. }
  pose proof (one_of_others N best cap i Hpos Hi Hne) as H1.
  assert (E : over_others N best cap = B_id (horizon h)).
  { unfold cap, B_id. exact (caps_of_others N delta cmax qmin gamma d_minus d_plus quality cost best quality_estimate cost_estimate Hm He
      (fun i => M (qmin - quality i)) (fun i => Rmax (L i) (ceiling (g (horizon h)) - 1))). }
  rewrite E in *. unfold leads_at in Hlead. apply INR_lt. lra.
Qed.
(* On the good event i* is the unique most selected provider, initialization included, from any T on from which T' > N + 2 B_id(T')
   holds for every T', with appendix D's B_id: T_id is the least such T. *)
Theorem claim_T_id_repaired T_id h i : market -> good_event -> bids_follow -> never_falls g -> separated -> run h -> 0 < g (horizon h) ->
  (forall T, (T_id <= T)%nat -> leads_at T) -> (T_id <= horizon h)%nat -> (i < N)%nat -> i <> best -> (m h i < m h best)%nat.
Proof. intros Hm He Hb Hg Hsep Hr Hp Hlead HT. apply claim_T_id_repaired_at; auto. Qed.

(* Whoever is not eligible is not served, so it stays as it is. *)
Lemma ineligible_stays later h j : market -> good_event -> run (later ++ h) -> ~ In j (eligible_set h) ->
  times (later ++ h) j = times h j /\ ~ In j (eligible_set (later ++ h)).
Proof.
  intros Hm He. destruct Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest). destruct He as [Hquality Hcost].
  induction later as [|s later IH]; intros Hr Hout; [auto|]. simpl in Hr. inversion Hr as [|h' s' Hr' Hs E1]; subst.
  destruct (IH Hr' Hout) as [Et Hl]. assert (Hne : s <> j).
  { intros ->. apply Hl. eapply step_eligible; eauto. }
  assert (E : times (s :: later ++ h) j = times (later ++ h) j) by (apply times_cons_other; exact Hne).
  simpl app. split; [rewrite E; exact Et|]. intros Hin. apply Hl. apply in_Qh_iff in Hin. apply in_Qh_iff.
  unfold m in *. rewrite E in Hin. exact Hin.
Qed.
(* On the good event, once no unqualified provider is eligible and m >= L_i for every competitor, every auction from then on goes to i*:
   m > L_i is not needed. *)
Theorem cor_eventual_ordinary_optimality_repaired later h i : market -> good_event -> bids_follow -> separated ->
  run (later ++ h) -> step (later ++ h) i -> ~ explores (later ++ h) ->
  (forall j, In j (eligible_set h) -> qmin <= quality j) ->
  (forall j, (j < N)%nat -> qmin <= quality j -> j <> best -> L j <= INR (m h j)) -> i = best.
Proof.
  intros Hm He Hb Hsep Hr Hs Hn Hout Hl. destruct (Nat.eq_dec i best) as [|Hne]; [assumption|exfalso].
  pose proof Hm as (HN & Hd & Hc & Hga & Hdev & Hqm & Hrange & Hbest). pose proof He as [Hquality Hcost].
  assert (Hin : In i (eligible_set (later ++ h))) by (eapply step_eligible; eauto).
  assert (Hi : (i < N)%nat) by (apply in_Qh_iff in Hin; tauto).
  assert (Hq : qmin <= quality i).
  { apply Hout. destruct (in_dec Nat.eq_dec i (eligible_set h)) as [|Hno]; [assumption|exfalso].
    exact (proj2 (ineligible_stays later h i Hm He Hr Hno) Hin). }
  pose proof (lem_ordinary_selection_gap _ _ _ _ _ _ _ _ _ _ _ _ _ _ (later ++ h) i Hm He Hb Hr Hs Hn) as Hgap.
  specialize (Hsep i Hi Hq Hne). assert (Hp : 0 < (1 + gamma) * cmax) by nra.
  assert (Hx : (gap i - d_minus - d_plus) / ((1 + gamma) * cmax) <= 2 * bt N delta (m (later ++ h) i)).
  { apply Rmult_le_reg_r with ((1 + gamma) * cmax); [exact Hp|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. unfold rad in Hgap. lra. }
  assert (H0 : 0 < (gap i - d_minus - d_plus) / ((1 + gamma) * cmax)) by (apply Rdiv_lt_0_compat; lra).
  pose proof (M_above_strict N delta (m (later ++ h) i) _ ltac:(lia) Hd ltac:(unfold m; lia) H0 Hx) as HM.
  specialize (Hl i Hi Hq Hne). pose proof (counts_grow later h i) as Hgrow. rewrite S_INR in HM.
  unfold Runs.L, Runs.M in *. lra.
Qed.
(* On the good event the generation regret of a run with bounded deviations is at most the first branch of thm:generation-regret plus
   (d_- + d_+)(T - N), whatever the cost gaps. *)
Theorem thm_deviation_generation_regret_anytime h : market -> good_event -> bids_follow -> never_falls g -> run h -> 0 < g (horizon h) ->
  run_generation_regret N cost best h <= (INR N - 1) * ceiling (g (horizon h)) * cmax
    + 2 * ((1 + gamma) * cmax) * radius_sum_bound delta (INR (horizon h)) (INR N) + (d_minus + d_plus) * INR (length h).
Proof.
  intros Hm He Hb Hg Hr Hp.
  exact (proj1 (thm_generation_regret _ _ _ _ _ _ _ _ _ _ _ _ _ _ h Hm He Hb Hg Hr Hp)).
Qed.
End OnRuns.

(* ---- claim:summary-appC *)
Section SummaryAppC.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus k alpha : R) (quality cost : nat -> R) (best : nat) (c2 : R).
Variables (quality_estimate sample_mean cost_estimate : nat -> nat -> R) (bid : list nat -> nat -> R).
Notation n := (INR N).
Notation g := (target N k alpha).
Notation run := (run N delta cmax qmin gamma quality_estimate bid g).
Notation step := (step N delta cmax qmin gamma quality_estimate bid g).
Notation explores := (explores N delta qmin quality_estimate g).
Notation payment := (payment N delta cmax qmin gamma quality_estimate bid g).
Notation gap i := (cost i - cost best).
Notation horizon h := (INR (N + length h)).
Notation radius h i := ((1 + gamma) * cmax * beta n delta (INR (m h i))).
Notation L i := (selection_bound delta ((gap i - d_minus - d_plus) / ((1 + gamma) * cmax)) n).
Notation M i := (selection_bound delta (qmin - quality i) n).
(* The last sentence of the summary of appendix C: for bids within d_- and d_+ of Bayesian estimates, on the good event, the bounds and
   limits of lem:deviation-adjusted-bid-bounds, thm:quality-guarantee, prop:deviation-selection, lem:deviation-payment and the two theorems
   on deviations hold with (1 + gamma) c_max beta for c_max beta, and with M((Delta_i - d_- - d_+)/((1 + gamma) c_max)) for L_i^(d). *)
Theorem claim_summary_appC :
  market_of_payments N delta cmax qmin gamma d_minus d_plus k alpha quality cost best c2 ->
  (* E, and beliefs within gamma radii of the sample means *)
  Statements.good_event N delta cmax 0 quality cost quality_estimate sample_mean ->
  (forall i count, (i < N)%nat -> (1 <= count)%nat ->
    Rabs (cost_estimate i count - sample_mean i count) <= gamma * cmax * beta n delta (INR count)) ->
  bids_follow N delta cmax qmin gamma d_minus d_plus quality_estimate cost_estimate bid g ->
  (* lem:deviation-adjusted-bid-bounds *)
  (forall h i, run h -> (i < N)%nat -> cost i - 2 * radius h i - d_minus <= bid h i - radius h i <= cost i + d_plus) /\
  (* thm:quality-guarantee *)
  (forall h, run h -> let regret := run_quality_regret N qmin quality h in
    regret <= n + 2 * radius_sum_bound delta (horizon h) n /\
    regret <= total_over (unqualified N qmin quality) (fun i => (qmin - quality i) * (1 + M i))) /\
  (* prop:deviation-selection: i, ii, and iii *)
  (forall h i, run h -> step h i -> ~ explores h -> gap i <= 2 * radius h i + d_minus + d_plus) /\
  (forall h i, run h -> (i < N)%nat -> d_minus + d_plus < gap i ->
    INR (times h i) <= Rmax (L i) (ceiling (g (N + length h)%nat) - 1)) /\
  (separated N qmin d_minus d_plus quality cost best ->
    (forall h, run h -> nonoptimal_steps N best h <= n - 1 +
      (total_over (competitors N qmin quality best) (fun i => Rmax (L i) (ceiling (g (N + length h)%nat) - 1))
       + total_over (unqualified N qmin quality) (fun i => M i))) /\
    (forall epsilon, 0 < epsilon -> exists T1, forall h, run h -> (T1 <= N + length h)%nat ->
      nonoptimal_steps N best h / horizon h <= epsilon) /\
    (forall h later i,
      (forall j, (j < N)%nat -> quality j < qmin -> M j < INR (m h j)) ->
      (forall j, (j < N)%nat -> qmin <= quality j -> j <> best -> L j < INR (m h j)) ->
      run (later ++ h) -> step (later ++ h) i -> ~ explores (later ++ h) -> i = best)) /\
  (* lem:deviation-payment *)
  (forall h i, run h -> step h i -> ~ explores h ->
    payment h i <= Rmin cmax (c2 + radius h i + d_plus) /\
    (T0 N delta qmin k alpha quality < INR (now N h) ->
      c2 - 3 * ((1 + gamma) * cmax * beta n delta (g (now N h))) - d_minus <= payment h i)) /\
  (* thm:deviation-payment-convergence *)
  (forall h, run h -> run_deviation N delta cmax qmin gamma k alpha quality_estimate bid c2 h / horizon h
    <= deviation_per_step N delta cmax qmin gamma k alpha quality c2 (horizon h) + Rmax d_minus d_plus) /\
  (forall epsilon, 0 < epsilon -> exists T1, forall h, run h -> (T1 <= N + length h)%nat ->
    c2 - d_minus - epsilon <= run_payment N delta cmax qmin gamma k alpha quality_estimate bid h / horizon h <= c2 + d_plus + epsilon) /\
  (forall h, run h -> run_excess_payment N delta cmax qmin gamma quality_estimate bid g c2 h / horizon h
    <= excess_per_step N delta cmax gamma k alpha c2 (horizon h) + d_plus) /\
  (forall h, run h -> run_excess_payment N delta cmax qmin gamma quality_estimate bid g c2 h
    <= (n + n * (ceiling (g (N + length h)%nat) - 1)) * (cmax - c2) + (1 + gamma) * cmax * radius_sum_bound delta (horizon h) n
      + d_plus * INR (length h)) /\
  (* thm:deviation-generation-regret *)
  (forall h, run h -> run_generation_regret N cost best h <= (n - 1) * ceiling (g (N + length h)%nat) * cmax
    + 2 * ((1 + gamma) * cmax) * radius_sum_bound delta (horizon h) n + (d_minus + d_plus) * INR (length h)) /\
  (separated N qmin d_minus d_plus quality cost best -> forall h, run h -> run_generation_regret N cost best h <=
    total_over (competitors N qmin quality best) (fun i => gap i * (1 + Rmax (L i) (ceiling (g (N + length h)%nat) - 1)))
    + total_over (unqualified N qmin quality) (fun i => (1 + M i) * Rmax 0 (gap i))).
Proof.
  intros Hmp [Hq Hc] Hbel Hb. pose proof Hmp as (Hm & H2 & Hk & Ha). pose proof Hm as (HN & Hd & Hcm & Hga & Hdev & Hqm & Hrange & Hbest).
  assert (Hmono : never_falls g) by (intros s t; apply g_mono; assumption).
  assert (Hpos : forall t, 0 < g t) by (intros; apply g_pos; assumption).
  assert (He : Statements.good_event N delta cmax gamma quality cost quality_estimate cost_estimate).
  { split; [exact Hq|]. intros i count Hi Hn. specialize (Hc i count Hi Hn). specialize (Hbel i count Hi Hn). unfold rad, bt in *.
    apply lem_bayesian_cost_concentration with (sample_mean := sample_mean i count); [exact Hbel|].
    eapply Rle_trans; [exact Hc|]. right. ring. }
  split; [|split; [|split; [|split; [|split; [|split; [|split; [|split; [|split; [|split; [|split]]]]]]]]]].
  - intros h i Hr Hi. exact (lem_adjusted_bid_bounds _ _ _ _ _ _ _ _ _ _ _ _ _ h i He Hb Hr Hi).
  - intros h Hr. destruct (thm_quality_guarantee _ _ _ _ _ _ _ _ _ _ _ _ _ _ h Hm He Hr) as (H1 & H3 & _). split; [exact H1|exact H3].
  - intros h i Hr Hs Hn. exact (lem_ordinary_selection_gap _ _ _ _ _ _ _ _ _ _ _ _ _ _ h i Hm He Hb Hr Hs Hn).
  - intros h i Hr Hi Hgap. exact (lem_qualified_suboptimal_selection _ _ _ _ _ _ _ _ _ _ _ _ _ _ h i Hm He Hb Hmono Hr (Hpos _) Hi Hgap).
  - intros Hsep. split; [|split].
    + intros h Hr. exact (thm_sample_complexity_on_good_event _ _ _ _ _ _ _ _ _ _ _ _ _ g h Hm He Hb Hmono Hsep Hr (Hpos _)).
    + exact (vanishing_nonoptimal_selections _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hm (conj He Hb) Hsep Hk Ha).
    + intros h later i HM HL Hr Hs Hn.
      apply (cor_eventual_ordinary_optimality _ _ _ _ _ _ _ _ _ _ _ _ _ _ (later ++ h) i Hm He Hb Hsep Hr Hs Hn).
      * intros j Hj Hq'. eapply Rlt_le_trans; [apply (HM j Hj Hq')|apply counts_grow].
      * intros j Hj Hq' Hne. eapply Rlt_le_trans; [apply (HL j Hj Hq' Hne)|apply counts_grow].
  - intros h i Hr Hs Hn. split.
    + exact (lem_ordinary_payment _ _ _ _ _ _ _ _ _ _ _ _ _ _ h i c2 Hm He Hb H2 Hr Hs Hn).
    + intros Ht. destruct (lem_two_sided_payment _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ h i
        (converging_payments _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hmp (conj He Hb)) Hr Hs Hn Ht) as [_ H]. exact H.
  - intros h Hr. exact (average_deviation_bound _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ h Hmp (conj He Hb) Hr).
  - intros epsilon Hep. destruct (average_payment_limits _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hmp (conj He Hb) epsilon Hep) as (T1 & H).
    exists T1. intros h Hr HT. specialize (H h Hr HT). lra.
  - intros h Hr. exact (cor_excess_payment_polynomial _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ h Hmp (conj He Hb) Hr).
  - intros h Hr. exact (thm_excess_payment_general _ _ _ _ _ _ _ _ _ _ _ _ _ _ h c2 Hm He Hb H2 Hmono Hr (Hpos _)).
  - intros h Hr. exact (thm_deviation_generation_regret_anytime _ _ _ _ _ _ _ _ _ _ _ _ _ _ h Hm He Hb Hmono Hr (Hpos _)).
  - intros Hsep h Hr. destruct (thm_generation_regret _ _ _ _ _ _ _ _ _ _ _ _ _ _ h Hm He Hb Hmono Hr (Hpos _)) as [_ H]. exact (H Hsep).
Qed.
End SummaryAppC.

(* ---- claim:T_id, with the B_id of thm:sample-complexity *)
Section MainText.
Variables (N : nat) (delta cmax qmin gamma d_minus d_plus k alpha : R) (quality cost : nat -> R) (best : nat).
Variables (quality_estimate cost_estimate : nat -> nat -> R) (bid : list nat -> nat -> R).
Notation n := (INR N).
Notation g := (target N k alpha).
Notation run := (run N delta cmax qmin gamma quality_estimate bid g).
Notation M i := (Runs.M N delta (qmin - quality i)).
Notation L i := (Runs.L N delta cmax gamma d_minus d_plus cost best i).
Definition B_id_of_main_text (T : nat) : R :=
  total_over (unqualified N qmin quality) (fun i => M i)
  + total_over (competitors N qmin quality best) (fun i => Rmax (L i) (k * Rpower (INR T / n) alpha)).
(* T > N + 2 B_id(T) *)
Definition leads_in_main_text (T : nat) : Prop := n + 2 * B_id_of_main_text T < INR T.

Lemma total_over_scaled l (f f' : nat -> R) c : (forall i, In i l -> f' i <= c * f i) -> total_over l f' <= c * total_over l f.
Proof.
  unfold total_over. induction l as [|i l IH]; intros H; simpl; [lra|]. pose proof (H i (or_introl eq_refl)).
  assert (forall j, In j l -> f' j <= c * f j) as Hl by (intros; apply H; simpl; auto). specialize (IH Hl). lra.
Qed.
Lemma power_grows_slower x c : 0 < x -> 1 <= c -> 0 < alpha < 1 -> Rpower (c * x) alpha <= c * Rpower x alpha.
Proof.
  intros Hx Hc Ha. rewrite <- Rpower_mult_distr by lra. apply Rmult_le_compat_r; [apply Rlt_le, exp_pos|].
  rewrite <- (Rpower_1 c) at 2 by lra. apply Rle_Rpower; lra.
Qed.
(* B_id(T)/T never rises. *)
Lemma B_id_of_main_text_grows T T' : market N delta cmax qmin gamma d_minus d_plus quality cost best -> 0 < k -> 0 < alpha < 1 ->
  (1 <= T)%nat -> (T <= T')%nat -> B_id_of_main_text T' <= INR T' / INR T * B_id_of_main_text T.
Proof.
  intros (HN & Hd & _ & _ & _ & Hqm & Hrange & _) Hk Ha HT HTT. assert (0 < INR T) by (apply lt_0_INR; lia).
  assert (Hn : 0 < n) by (apply lt_0_INR; lia). apply le_INR in HTT.
  assert (Hc : 1 <= INR T' / INR T) by (apply Rmult_le_reg_r with (INR T); [assumption|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra).
  set (c := INR T' / INR T) in *. unfold B_id_of_main_text. rewrite Rmult_plus_distr_l. apply Rplus_le_compat; apply total_over_scaled; intros i Hi.
  - unfold unqualified in Hi. apply filter_In in Hi. destruct Hi as [Hi Hq]. apply in_seq in Hi. destruct (Rlt_dec (quality i) qmin); [|discriminate].
    assert (1 <= M i) by (apply M_at_least_1; [lia|assumption|]; specialize (Hrange i ltac:(lia)); lra). nra.
  - assert (Hp : 0 < Rpower (INR T / n) alpha) by apply exp_pos. set (p := Rpower (INR T / n) alpha) in *.
    assert (0 < k * p) by nra. pose proof (Rmax_l (L i) (k * p)). pose proof (Rmax_r (L i) (k * p)). apply Rmax_lub; [nra|].
    replace (INR T' / n) with (c * (INR T / n)) by (unfold c; field; lra).
    assert (Hx : 0 < INR T / n) by (apply Rdiv_lt_0_compat; lra).
    pose proof (power_grows_slower (INR T / n) c Hx Hc Ha) as H4. fold p in H4. nra.
Qed.
(* Where T > N + 2 B_id(T) holds with the B_id of thm:sample-complexity, it holds from T on, and on the good event i* is the unique most
   selected provider from T on, initialization included: so T_id is the least such T. *)
Theorem claim_T_id T : market N delta cmax qmin gamma d_minus d_plus quality cost best -> 0 < k -> 0 < alpha < 1 ->
  (1 <= T)%nat -> leads_in_main_text T ->
  (forall T', (T <= T')%nat -> leads_in_main_text T') /\
  (Statements.good_event N delta cmax gamma quality cost quality_estimate cost_estimate ->
    bids_follow N delta cmax qmin gamma d_minus d_plus quality_estimate cost_estimate bid g ->
    separated N qmin d_minus d_plus quality cost best ->
    forall h i, run h -> (T <= N + length h)%nat -> (i < N)%nat -> i <> best -> (m h i < m h best)%nat).
Proof.
  intros Hm Hk Ha HT Hlead. pose proof Hm as (HN & _).
  assert (Hlast : forall T', (T <= T')%nat -> leads_in_main_text T').
  { intros T' HTT. pose proof (B_id_of_main_text_grows T T' Hm Hk Ha HT HTT) as Hgrow. unfold leads_in_main_text in *.
    assert (H0 : 0 < INR T) by (apply lt_0_INR; lia). assert (Hn : 0 < n) by (apply lt_0_INR; lia). apply le_INR in HTT.
    assert (Hc : 1 <= INR T' / INR T) by (apply Rmult_le_reg_r with (INR T); [assumption|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra).
    assert (E : INR T' = INR T' / INR T * INR T) by (field; lra). set (c := INR T' / INR T) in *. rewrite E. nra. }
  split; [exact Hlast|]. intros He Hb Hsep h i Hr HTh Hi Hne. apply (claim_T_id_repaired_at N delta cmax qmin gamma d_minus d_plus quality cost best
    quality_estimate cost_estimate bid g h i); auto.
  - intros s t Hs Ht. apply g_mono; assumption.
  - apply g_pos; assumption.
  - specialize (Hlast _ HTh). unfold leads_in_main_text, B_id_of_main_text in Hlast. unfold leads_at, B_id.
    pose proof (rounded_caps_below (competitors N qmin quality best) (fun i => L i) (fun i => L i) (g (N + length h)%nat) (fun _ => eq_refl)) as H.
    unfold target in *. lra.
Qed.
End MainText.

(* ---- with probability at least 1 - delta, over the dynamics of Game.v *)
Section OverDynamics.
Variables (N : nat) (delta cmax qmin : R) (theta : nat -> (observation -> R) -> R) (best : nat) (k alpha c2 : R).
Variables (p : platform) (first : ((nat -> observation) -> R) -> R).
Notation n := (INR N).
Notation quality := (quality theta).
Notation cost_of := (cost_of theta).
Notation g := (target N k alpha).
Notation dynamics := (dynamics N delta cmax qmin 0 g p theta first).
Notation likely_with profile := (holds_on_E N delta cmax qmin 0 g p theta first profile).
Notation market0 := (market N delta cmax qmin 0 0 0 quality cost_of best).
Notation queries H := (N + length (later H))%nat.
Notation T_of H := (INR (N + length (later H))).
(* With probability at least 1 - delta every qualified provider is eligible at every step after initialization, whatever is bid. *)
Theorem claim_Q_subset_Qhat profile : dynamics -> (1 <= N)%nat -> 0 < delta < 1 -> 0 < cmax ->
  likely_with profile (fun w => forall t i, (i < N)%nat -> qmin <= quality i -> In i (eligible_set N delta qmin (w t))).
Proof.
  intros Hdyn HN Hd Hc. apply on_E; auto. intros w Hw Hgood t i Hi Hq. unfold eligible_set. apply in_Qh_iff. split; [exact Hi|].
  assert (Hne : (1 <= length (own_history i (w t)))%nat).
  { pose proof (own_history_not_empty i (w t)) as H. destruct (own_history i (w t)); [contradiction|simpl; lia]. }
  destruct (in_band N delta cmax theta w t i (length (own_history i (w t))) (Hgood t) Hi ltac:(lia)) as [H _].
  unfold first_own in H. rewrite Nat.sub_diag in H. cbn [skipn] in H. apply Rabs_le_inv in H.
  unfold quality_estimate. rewrite <- own_history_length. unfold bt. lra.
Qed.
(* And at every horizon the probability of that is at least 1 - delta. *)
Corollary claim_Q_subset_Qhat_probability profile : dynamics -> (1 <= N)%nat -> 0 < delta < 1 -> 0 < cmax -> forall j,
  1 - delta <= Dynamics.probability N delta qmin g p theta first profile j
    (fun H => forall i, (i < N)%nat -> qmin <= quality i -> In i (eligible_set N delta qmin H)).
Proof.
  intros Hdyn HN Hd Hc. apply (E_at_every_horizon N delta cmax qmin 0 g p theta first profile); [exact Hdyn|].
  apply claim_Q_subset_Qhat; assumption.
Qed.

Hypothesis Hm : market0.
Hypothesis Hdyn : dynamics.
Hypothesis Hk : 0 < k.
Hypothesis Ha : 0 < alpha < 1.
Let Hmono : never_falls g. Proof. destruct Hm as (HN & _). intros s t. apply g_mono; assumption. Qed.
Let Hpos : forall t, 0 < g t. Proof. intros. apply g_pos. assumption. Qed.
(* The bounds on non-optimal steps, and the horizons of identification, with probability at least 1 - delta. *)
Theorem claim_B_id_tightened_game : likely_with sigma_star (fun w => forall t,
  nonoptimal_steps N best (served (w t)) <= n - 1 + B_id N delta cmax qmin 0 0 0 quality cost_of best g (queries (w t))).
Proof.
  apply (on_good_plays N delta cmax qmin theta best k alpha p first 0 0 sigma_star Hdyn (sigma_star_is_near N cmax)); [exact Hm|].
  intros w Hw [He Hb] Hr t. rewrite <- served_queries.
  exact (claim_B_id_tightened _ _ _ _ _ _ _ _ _ _ _ _ _ _ (served (w t)) Hm He Hb Hmono (truthful_separates N delta cmax qmin theta best Hm) (Hr t) (Hpos _)).
Qed.
(* With probability at least 1 - delta every play has at most N - 1 and the sum of the improved caps of non-optimal steps. *)
Theorem thm_sample_complexity_sharp_game : likely_with sigma_star (fun w => forall t,
  nonoptimal_steps N best (served (w t)) <= n - 1 + sharp_identification N delta cmax qmin 0 0 0 quality cost_of best g (queries (w t))).
Proof.
  apply (on_good_plays N delta cmax qmin theta best k alpha p first 0 0 sigma_star Hdyn (sigma_star_is_near N cmax)); [exact Hm|].
  intros w Hw [He Hb] Hr t. rewrite <- served_queries.
  exact (thm_sample_complexity_sharp _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hm He (served (w t)) Hb Hmono (truthful_separates N delta cmax qmin theta best Hm) (Hr t) (Hpos _)).
Qed.
(* With probability at least 1 - delta quality and generation regret are within both improved bounds, at every time. *)
Theorem thm_generation_regret_sharp_game : likely_with sigma_star (fun w => forall t, let h := served (w t) in let T := queries (w t) in
  run_quality_regret N qmin quality h <= Rmin (n + 2 * sharp_radius_sum N delta T)
    (total_over (unqualified N qmin quality) (fun i => (qmin - quality i) * (1 + sharp_unqualified_cap N delta cmax qmin 0 0 0 quality cost_of best g T i))) /\
  run_generation_regret N cost_of best h <= Rmin ((n - 1) * ceiling (g T) * cmax + 2 * cmax * sharp_radius_sum N delta T)
    (total_over (competitors N qmin quality best)
       (fun i => (cost_of i - cost_of best) * (1 + sharp_competitor_cap N delta cmax 0 0 0 cost_of best g T i))
     + total_over (unqualified N qmin quality)
       (fun i => (1 + sharp_unqualified_cap N delta cmax qmin 0 0 0 quality cost_of best g T i) * Rmax 0 (cost_of i - cost_of best)))).
Proof.
  apply (on_good_plays N delta cmax qmin theta best k alpha p first 0 0 sigma_star Hdyn (sigma_star_is_near N cmax)); [exact Hm|].
  intros w Hw [He Hb] Hr t. cbn zeta. rewrite <- served_queries.
  destruct (thm_generation_regret_sharp _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hm He (served (w t)) Hb Hmono (Hr t) (Hpos _)) as (Hq & Hany & Hgap).
  split; [exact Hq|]. apply Rmin_glb; [|exact (Hgap (truthful_separates N delta cmax qmin theta best Hm))].
  replace (2 * cmax) with (2 * ((1 + 0) * cmax)) by ring. lra.
Qed.
(* With probability at least 1 - delta what is paid above c_(2) by all queries, and the average of |payment - c_(2)|, are within the
   improved bounds, at every time. *)
Theorem thm_regret_sharp_game : second_lowest N qmin quality cost_of best c2 -> likely_with sigma_star (fun w => forall t,
  let payments value := all_payments N delta cmax qmin 0 g sigma_star value (w t) in let T := T_of (w t) in
  payments (fun x => Rmax 0 (x - c2))
    <= (n + sharp_exploration_steps N delta qmin quality g (queries (w t))) * (cmax - c2) + cmax * sharp_radius_sum N delta (queries (w t)) /\
  payments (fun x => Rabs (x - c2)) / T <= sharp_T0 N delta qmin k alpha quality / T * Rmax c2 (cmax - c2)
    + k * Rpower (n / T) (1 - alpha) * (cmax - c2) + 4 * cmax / (2 - alpha)
      * sqrt (1 / (2 * k) * Rpower (n / T) alpha * ln (2 * PI ^ 2 * n * k ^ 2 / (3 * delta) * Rpower (T / n) (2 * alpha)))).
Proof.
  intros Hc2. assert (Hmp : market_of_payments N delta cmax qmin 0 0 0 k alpha quality cost_of best c2) by exact (conj Hm (conj Hc2 (conj Hk Ha))).
  apply (on_good_plays N delta cmax qmin theta best k alpha p first 0 0 sigma_star Hdyn (sigma_star_is_near N cmax)); [exact Hm|].
  intros w Hw He Hr t. cbv beta zeta.
  rewrite (deviation_along N delta cmax qmin theta best k alpha c2 0 0 sigma_star w t Hmp Hw).
  rewrite (excess_along N delta cmax qmin theta best k alpha c2 0 0 sigma_star w t Hmp Hw).
  rewrite <- served_queries.
  destruct (thm_regret_sharp _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hmp He (served (w t)) (Hr t)) as (Hexcess & Hdeviation).
  rewrite (Rmax_left 0 0) in Hdeviation by lra. replace ((1 + 0) * cmax) with cmax in Hexcess, Hdeviation by ring. split; lra.
Qed.
(* claim:T_id:repaired and claim:T_id:sharp: from a T on from which its condition stays true *)
Theorem claim_T_id_repaired_game T_id : (forall T, (T_id <= T)%nat -> leads_at N delta cmax qmin 0 0 0 quality cost_of best g T) ->
  likely_with sigma_star (fun w => forall t i, (T_id <= queries (w t))%nat -> (i < N)%nat -> i <> best ->
    (m (served (w t)) i < m (served (w t)) best)%nat).
Proof.
  intros Hlead.
  apply (on_good_plays N delta cmax qmin theta best k alpha p first 0 0 sigma_star Hdyn (sigma_star_is_near N cmax)); [exact Hm|].
  intros w Hw [He Hb] Hr t i HT Hi Hne. rewrite <- served_queries in HT.
  exact (claim_T_id_repaired _ _ _ _ _ _ _ _ _ _ _ _ _ _ T_id (served (w t)) i Hm He Hb Hmono
    (truthful_separates N delta cmax qmin theta best Hm) (Hr t) (Hpos _) Hlead HT Hi Hne).
Qed.
(* The same with the improved caps and T > N + B(T) + max_i cap_i(T). *)
Theorem claim_T_id_sharp_game T_id : (forall T, (T_id <= T)%nat -> sharp_leads_at N delta cmax qmin 0 0 0 quality cost_of best g T) ->
  likely_with sigma_star (fun w => forall t i, (T_id <= queries (w t))%nat -> (i < N)%nat -> i <> best ->
    (m (served (w t)) i < m (served (w t)) best)%nat).
Proof.
  intros Hlead.
  apply (on_good_plays N delta cmax qmin theta best k alpha p first 0 0 sigma_star Hdyn (sigma_star_is_near N cmax)); [exact Hm|].
  intros w Hw [He Hb] Hr t i HT Hi Hne. rewrite <- served_queries in HT.
  exact (claim_T_id_sharp _ _ _ _ _ _ _ _ _ _ _ _ _ _ Hm He T_id (served (w t)) i Hb Hmono
    (truthful_separates N delta cmax qmin theta best Hm) (Hr t) (Hpos _) Hlead HT Hi Hne).
Qed.
End OverDynamics.

(* ---- claim:rate-after-thm-regret *)
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
(* With probability at least 1 - delta the average absolute payment deviation is at most a constant times max{T^-(1-alpha), T^-(alpha/2)}
   sqrt(ln T), from some T on, with a constant that no play depends on; this power is least for alpha = 2/3, and for no other. *)
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
