"""Mutants of the theorems in Coq: one constant or rule is another.

Hashes and stored texts are left out here: a mutant is killed where Coq does not accept it, or a file that rests on it.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from proofs_checks.proofs.kernel.coq import KernelError, check_file

_SENTENCE = re.compile(
    r"^ *(?:Theorem|(Definition|Fixpoint|Inductive|Record)) (?P<name>\w+).*?(?(1)\.(?=\s)|(?=^ *Proof))",
    re.DOTALL | re.MULTILINE,
)
_COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
_IMPORTS = re.compile(r"From Costproof Require (?:Import |Export )?([\w\s]+)\.")

#: Of processor time for a file: a proof that no longer fits can keep Coq busy without end. The longest takes 5.
_SECONDS = 60


class Sentence(NamedTuple):
    """A definition or the statement of a theorem: where it stands in its file."""

    file: str
    name: str
    start: int
    end: int


class Mutant(NamedTuple):
    """A file with one thing in a sentence changed."""

    file: str
    sentence: str
    was: str
    now: str
    text: str

    def __str__(self) -> str:
        now = self.now.strip() or "nothing"
        return f"{self.file} {self.sentence}: {' '.join(self.was.split())} -> {now}"


def sentences(file: str, text: str) -> list[Sentence]:
    hidden = _COMMENT.sub(lambda comment: " " * len(comment.group()), text)
    return [Sentence(file, found["name"], found.start(), found.end()) for found in _SENTENCE.finditer(hidden)]


def rule_mutants(texts: Mapping[str, str]) -> list[Mutant]:
    found = []
    for file, name, right, wrong in (*_RULES, *_CONSTANTS):
        one = _holding(texts, file, name, right)
        text = texts[one.file]
        start = text.index(right, one.start, one.end)
        found.append(Mutant(one.file, one.name, right, wrong, text[:start] + wrong + text[start + len(right) :]))
    return found


def _holding(texts: Mapping[str, str], file: str, name: str, right: str) -> Sentence:
    """Return the definition of a name that holds a text, in its file, or in the one to which it has moved."""
    for place in sorted(texts, key=lambda each: each != file):
        for one in sentences(place, texts[place]):
            if one.name == name and right in texts[place][one.start : one.end]:
                return one
    raise ValueError(f"no definition of {name} holds {right!r}: say in _RULES what it is now")


def needed(texts: Mapping[str, str], files: Iterable[str]) -> dict[str, str]:
    """Return files with all that they import, in order."""
    wanted = set(files)
    for file in reversed(texts):
        if file in wanted:
            wanted |= {f"{word}.v" for line in _IMPORTS.findall(texts[file]) for word in line.split()}
    return {file: text for file, text in texts.items() if file in wanted}


class Build:
    """A folder with all files checked, in which one after the other is changed and what rests on it checked again."""

    def __init__(self, folder: Path, texts: Mapping[str, str]) -> None:
        self._folder, self._texts = folder, texts
        for name, text in texts.items():
            check_file(folder, name, text)

    def killer(self, mutant: Mutant) -> str:
        """Return the first file that Coq does not accept, empty if it accepts all."""
        checked = [mutant.file, *self._after(mutant.file)]
        with tempfile.TemporaryDirectory() as name:
            kept = Path(name)
            for file in checked:
                shutil.copy(self._compiled(file), kept)
            try:
                for file in checked:
                    text = mutant.text if file == mutant.file else self._texts[file]
                    check_file(self._folder, file, text, seconds=_SECONDS)
            except KernelError as error:
                return str(error).split(":", 1)[0]
            finally:
                for file in checked:
                    (self._folder / file).write_text(self._texts[file], encoding="utf-8")
                    shutil.copy(kept / self._compiled(file).name, self._folder)
        return ""

    def _compiled(self, file: str) -> Path:
        return (self._folder / file).with_suffix(".vo")

    def _after(self, file: str) -> list[str]:
        """Return the files that rest on one, in order."""
        found = {Path(file).stem}
        for name, text in self._texts.items():
            used = {word for line in _IMPORTS.findall(text) for word in line.split()}
            if used & found:
                found.add(Path(name).stem)
        return [name for name in self._texts if Path(name).stem in found and name != file]


#: A file, a definition in it, what it says there, and a rule that is wrong.
_RULES = (
    ("Auction.v", "others", "negb (Nat.eqb j i)", "true"),
    ("Auction.v", "adj", "b j - rho j", "b j"),
    ("Auction.v", "crit", "rho i + v", "v"),
    ("Auction.v", "pay", "Rmin p cmax", "p"),
    ("Auction.v", "pay", "None => cmax", "None => 0"),
    ("Auction.v", "selected", "In s Qh /\\", "True /\\"),
    ("Auction.v", "selected", "adj b s <= adj b j", "b s <= b j"),
    ("Auction.v", "gain", "pay b i - e", "b i - e"),
    ("Runs.v", "rad", "(1 + gamma) * cmax * bt n", "cmax * bt n"),
    ("Runs.v", "m", "S (times h i)", "times h i"),
    ("Runs.v", "now", "N + length h + 1", "length h + 1"),
    ("Runs.v", "inQh", "qhat i (m h i) + bt (m h i)", "qhat i (m h i)"),
    ("Runs.v", "Qh", "seq 0 N", "seq 1 N"),
    ("Runs.v", "explores", "In j (Qh h) /\\", "(j < N)%nat /\\"),
    ("Runs.v", "explores", "INR (m h j) < g (now h)", "INR (m h j) < g (length h)"),
    ("Runs.v", "step", "In s (Qh h) /\\ INR (m h s)", "INR (m h s)"),
    ("Runs.v", "step", "/\\ INR (m h s) < g (now h)", ""),
    ("Runs.v", "step", "(explores h /\\ In s", "(In s"),
    ("Runs.v", "step", "(Qh h = [] /\\ (s < N)%nat)", "False"),
    ("Runs.v", "step", "(s < N)%nat", "True"),
    ("Runs.v", "step", "(~ explores h /\\ selected", "(selected"),
    ("Runs.v", "payment", "then cmax else", "then 0 else"),
    ("Runs.v", "payment", "[] => cmax", "[] => 0"),
    ("Runs.v", "explorations", "+ explorations t i", "+ 0"),
    ("Runs.v", "times", "count_occ Nat.eq_dec h i", "length h"),
    ("Runs.v", "quality_loss", "Rmax 0 (qmin - q i)", "qmin"),
    ("Runs.v", "cost_loss", "Rmax 0 (cbar i - cbar istar)", "cbar i"),
    ("Runs.v", "run_quality_regret", "bsum N quality_loss + ", "2 * bsum N quality_loss + "),
    ("Runs.v", "run_excess_payment", "INR N * (cmax - c2)", "INR N * (cmax + c2)"),
    ("Payments.v", "target", "INR t / INR N", "INR t"),
    ("Payments.v", "T0", "Mbar / k", "k / Mbar"),
    ("Payments.v", "run_deviation", "INR N * (cmax - c2)", "INR N * (cmax + c2)"),
    ("Radius.v", "beta", "m ^ 2", "m"),
    ("Radius.v", "beta", "* N *", "*"),
    ("Formulas.v", "ceiling", "- floor (- x)", "floor x"),
    ("Formulas.v", "total_over", "value i + total", "value i"),
    ("Statements.v", "market", "0 < delta < 1", "0 < delta"),
    ("Statements.v", "market", "0 <= gamma", "True"),
    ("Statements.v", "bids_follow", "cost_estimate i (m h i)", "cost i"),
    ("Game.v", "allocate", "else explore p H.", "else break_ties p H bids."),
    ("Game.v", "own_history", "map snd (filter (fun query => Nat.eqb (fst query) i) (later H))", "map snd (later H)"),
    ("Game.v", "truthful", "fun _ own => estimate own.", "fun _ own => estimate own / 2."),
    ("Game.v", "net_payment", "(bids_at profile H) i - charge", "(bids_at profile H) i + charge"),
    ("Game.v", "utilities", "(at_step H <= T)%nat /\\ environment", "(at_step H < T)%nat /\\ environment"),
    ("Game.v", "utility", "(T + 1 - at_step H)%nat in", "(T - at_step H)%nat in"),
    ("Game.v", "worst_case_optimal", "-> 0 <= U sigma_star theta T)", "-> 0 < U sigma_star theta T)"),
    (
        "Game.v",
        "worst_case_optimal",
        "Rbar_le (worst_case_of sigma) (worst_case_of sigma_star)",
        "Rbar_lt (worst_case_of sigma) (worst_case_of sigma_star)",
    ),
    ("Game.v", "worst_case_optimal", "(own_history i H) - P) < 0 ->", "(own_history i H) - P) <= 0 ->"),
    ("Rules.v", "may_qualify", "+ radius (provider_at i)", "- radius (provider_at i)"),
    (
        "Rules.v",
        "below_goal",
        "negb (goal <= whole numeric (count (provider_at i)))",
        "(whole numeric (count (provider_at i)) <= goal)",
    ),
    ("Rules.v", "adjusted", "- cost_radius", "+ cost_radius"),
    ("Rules.v", "lowest", "adjusted i <= adjusted j", "adjusted j <= adjusted i"),
    ("Rules.v", "rivals", "negb (Nat.eqb j i)", "true"),
    ("Rules.v", "least", "if first <= next then first else next", "next"),
    ("Rules.v", "critical_payment", "cost_radius (provider_at i) + least", "least"),
    ("Rules.v", "auction_payment", "then cost_bound else critical", "then critical else critical"),
    ("Rules.v", "kind_of_query", "with [], _ => Empty", "with [], _ => Auction"),
    ("Rules.v", "candidates", "Exploration => under_sampled", "Exploration => eligible"),
    ("Rules.v", "payment", "| _ => cost_bound", "| _ => auction_payment i"),
    ("Rules.v", "told", "S (served one)", "served one"),
    ("Rules.v", "told", "plus numeric (scores one) (score q)", "score q"),
    ("Rules.v", "told", "offer q", "standing one"),
    ("Rules.v", "mean", "whole numeric n", "whole numeric (S n)"),
    ("Rules.v", "settled", "if Nat.eqb i (server q)", "if Nat.leb i (server q)"),
    ("Rules.v", "known_of", "width (served one)", "beta (served one)"),
    ("Rules.v", "known_of", "beta (served one)", "beta (S (served one))"),
    ("Rules.v", "fresh", "Nat.eqb (served (tally_at tallies i)) 0", "Nat.leb (served (tally_at tallies i)) 1"),
    ("Rules.v", "may_serve", "Nat.leb step (length tallies)", "Nat.ltb step (length tallies)"),
    ("Rules.v", "may_serve", "(g step)", "(g (S step))"),
    ("Rules.v", "price", "then cost_bound", "then g step"),
    ("Rules.v", "permitted", "S (length earlier)", "length earlier"),
    ("Rules.v", "may_qualify_decided", "numeric high", "numeric low"),
    ("Rules.v", "goal_decided", "numeric low goal_high", "numeric low goal_low"),
    ("Rules.v", "order_decided", "adjusted numeric high j)", "adjusted numeric low j)"),
    ("Rules.v", "order_decided", "negb (adjusted numeric high i <= adjusted numeric low j)", "true"),
    ("Rules.v", "decided", "&& forallb goal_decided able", ""),
)

#: A file, a labelled theorem in it, a constant of its statement, and one with which the bound is not proved, mostly as
#: it is false then.
_CONSTANTS = (
    ("AnyRadiusEvent.v", "lem_good_event_any_radius", "delta / (4 * INR N)", "delta / (3 * INR N)"),
    ("AsStated.v", "lem_adjusted_bid_bounds_truthful", "cost i - 2 * cmax", "cost i - 1 * cmax"),
    ("AsStated.v", "lem_deviation_payment_three_radii", "c2 - 3 * cmax", "c2 - 1 * cmax"),
    ("AsStated.v", "lem_ordinary_selection_gap_truthful", "2 * cmax * beta_of h i", "1 * cmax * beta_of h i"),
    ("AsStated.v", "lem_ordinary_selection_threshold_truthful", "ln (57 *", "ln (56 *"),
    ("AsStated.v", "lem_two_sided_payment_truthful", "c2 - 3 * cmax", "c2 - 1 * cmax"),
    ("AsStated.v", "thm_generation_regret_truthful", "2 * cmax * radius_sum_bound", "1 * cmax * radius_sum_bound"),
    ("AsStated.v", "cor_excess_payment_polynomial_truthful", "sqrt (2 * n / T", "sqrt (1 * n / T"),
    ("Corollaries.v", "claim_rate_after_thm_regret", "alpha <> 2 / 3 -> 1 < T", "alpha <> 1 / 3 -> 1 < T"),
    ("GameLikely.v", "thm_regret_game", "6 * cmax", "3 * cmax"),
    ("GameLikely.v", "thm_payment_convergence_game", "c2 - 3 * cmax", "c2 - 1 * cmax"),
    ("InFlightTotals.v", "thm_quality_guarantee_in_flight", "2 * radius_sum_bound", "0 * radius_sum_bound"),
    ("Limits.v", "cor_optimal_alpha", "exponent (2 / 3) = 1 / 3", "exponent (2 / 3) = 1 / 2"),
    ("Limits.v", "thm_quality_guarantee_per_step", "2 * radius_sum_bound", "0 * radius_sum_bound"),
    ("Sharp.v", "lem_two_sided_payment_sharp", "c2 - 2 * r", "c2 - 1 * r"),
    ("Sharp.v", "thm_regret_sharp", "4 * ((1 + gamma)", "3 * ((1 + gamma)"),
    ("Sharpest.v", "regrets_sharpest", "2 * equal_radii", "1 * equal_radii"),
    ("Statements.v", "lem_radius_inversion", "57 * N", "56 * N"),
    ("Statements.v", "lem_radius_inversion", "4 / gap ^ 2", "3 / gap ^ 2"),
    ("Unwidened.v", "claim_widening_necessary_repaired", "c2 - (2 + gamma) * r", "c2 - (1 + gamma) * r"),
)
