"""Mutants of the theorems in Coq: one constant, rule or premise is another, and what notices it.

Hashes and stored texts are left out here: a mutant is killed where Coq does not accept it, or a file that rests on it.
`python -m tests.proofs_checks.proofs.kernel_mutants` prints what kills each of a sample, with `all` of every mutant.
"""

from __future__ import annotations

import hashlib
import re
import resource
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from proofs_checks.proofs.kernel.coq import KernelError, check_file
from proofs_checks.proofs.kernel.theorems import named_theorems, sources

#: Files whose theorems say what is linked to the definitions that they use.
_LINKING = ("Links.v", "RulesRefineRuns.v", "Sharpness.v", "Budget.v", "Instances.v", "Published.v")
_SENTENCE = re.compile(
    r"^ *(?:(?P<theorem>Theorem) (?P<stated>\w+).*?(?=^ *Proof)"
    r"|(?:Definition|Fixpoint|Inductive|Record) (?P<defined>\w+).*?\.(?=\s))",
    re.DOTALL | re.MULTILINE,
)
_COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
_IMPORTS = re.compile(r"From Costproof Require (?:Import |Export )?([\w\s]+)\.")
#: What stands in the place of what, one place at a time; a number becomes the next one.
_INSTEAD: Mapping[str, Callable[[str], str]] = {
    r"(?<![\w.])\d+(?![\w.%])": lambda found: str(int(found) + 1),
    r"(?<=\s)<=(?=\s)": lambda found: "<",
    r"(?<=\s)<(?=\s)": lambda found: "<=",
    r"(?<=\s)\+(?=\s)": lambda found: "-",
    r"(?<=\s)-(?=\s)": lambda found: "+",
    r"\bRmin\b": lambda found: "Rmax",
    r"\bRmax\b": lambda found: "Rmin",
    r"~ ": lambda found: "",
    r"\bnegb\b": lambda found: "",
}

#: Of processor time for a file: a proof that no longer fits can keep Coq busy without end. The longest takes 5.
_SECONDS = 60

#: Why Coq accepts a mutant of the sample: the stored statements and hashes alone notice these.
_SAYS_LESS = "it says less: it assumes more, or claims less, than the proof gives"
_REFUTES_LESS = "the wording that it refutes says less, and is false as well"
_ANOTHER_MARKET = "it is false, or so, of the market with this number as well"

#: Mutants that Coq accepts, and why, as far as they were looked at.
WEAKER: Mapping[str, str] = {
    "AsStated.v bids_truthfully: <= -> < (2)": _SAYS_LESS,
    "AsStated.v lem_ordinary_qualified_set_always: 0 -> 1 (3)": _SAYS_LESS,
    "Claims.v payment_range_repaired: 0 -> 1 (2)": _SAYS_LESS,
    "Claims.v payment_range_repaired: <= -> < (4)": _SAYS_LESS,
    "Findings.v best_reply_at_known_horizon: <= -> < (2)": _REFUTES_LESS,
    "Findings.v no_loss_in_mean: 0 -> 1 (3)": _REFUTES_LESS,
    "Findings.v payment_range_under_deviations_is_false: 1 -> 2 (3)": _ANOTHER_MARKET,
    "Findings.v tightened_T_id_condition_is_not_monotone: 2 -> 3 (7)": _ANOTHER_MARKET,
    "Findings.v tightened_T_id_condition_is_not_monotone: 0 -> 1 (8)": _ANOTHER_MARKET,
    "Formulas.v largest_over: 0 -> 1 (1)": "the one linked formula that takes it takes the larger of it and 1",
    "Statements.v lem_one_step: 0 -> 1 (1)": "its proof does not use that radii are not negative",
}


class Sentence(NamedTuple):
    """A definition or the statement of a theorem: where it stands in its file."""

    file: str
    name: str
    start: int
    end: int
    theorem: bool


class Mutant(NamedTuple):
    """A file with one thing in a sentence changed; `place` counts the same change in the same sentence from 1."""

    file: str
    sentence: str
    was: str
    now: str
    place: int
    text: str

    def __str__(self) -> str:
        now = self.now.strip() or "nothing"
        return f"{self.file} {self.sentence}: {' '.join(self.was.split())} -> {now} ({self.place})"


def sentences(file: str, text: str) -> list[Sentence]:
    """Return the definitions and statements of a file."""
    hidden = _COMMENT.sub(lambda comment: " " * len(comment.group()), text)
    return [
        Sentence(file, found["stated"] or found["defined"], found.start(), found.end(), bool(found["theorem"]))
        for found in _SENTENCE.finditer(hidden)
    ]


def surface(texts: Mapping[str, str]) -> list[Sentence]:
    """Return what a reader has to trust: labelled statements, and all definitions that they or the links use."""
    found = [one for file, text in texts.items() for one in sentences(file, text)]
    labelled = {place.partition(".")[2] for named in named_theorems().values() for place in named["theorems"]}
    stated = [one for one in found if one.theorem and (one.name in labelled or one.file == "Statements.v")]
    roots = stated + [one for one in found if one.theorem and one.file in _LINKING]
    defined: dict[str, list[Sentence]] = {}
    for one in found:
        if not one.theorem and one.file not in _LINKING:
            defined.setdefault(one.name, []).append(one)
    used: list[Sentence] = []
    while roots:
        words = set(re.findall(r"\w+", _text(roots.pop(), texts)))
        for name in sorted(words & defined.keys()):
            used += defined[name]
            roots += defined.pop(name)
    return sorted({*stated, *used})


def _text(sentence: Sentence, texts: Mapping[str, str]) -> str:
    return texts[sentence.file][sentence.start : sentence.end]


def mutants(texts: Mapping[str, str]) -> list[Mutant]:
    """Return every mutant of the surface: a number, a comparison, a sign, a bound, a negation, a premise."""
    return [mutant for one in surface(texts) for mutant in (*_changed(one, texts), *_without_a_premise(one, texts))]


def sample(texts: Mapping[str, str]) -> list[Mutant]:
    """Return a third of the numbers and a twelfth of the others; which ones does not change when files are added."""
    return [one for one in mutants(texts) if _share(one) % (3 if one.was.isdigit() else 12) == 0]


def _share(mutant: Mutant) -> int:
    return int(hashlib.sha256(str(mutant).encode()).hexdigest(), 16)


def _changed(sentence: Sentence, texts: Mapping[str, str]) -> Iterator[Mutant]:
    text = texts[sentence.file]
    hidden = _COMMENT.sub(lambda comment: " " * len(comment.group()), text)
    for pattern, instead in _INSTEAD.items():
        places: dict[str, int] = {}
        for found in re.compile(pattern).finditer(hidden, sentence.start, sentence.end):
            was = found.group()
            places[was] = places.get(was, 0) + 1
            yield _mutant(sentence, text, found.start(), found.end(), instead(was), places[was])


def _without_a_premise(sentence: Sentence, texts: Mapping[str, str]) -> Iterator[Mutant]:
    """Yield a statement without each of its premises, which end in an arrow outside parentheses."""
    if not sentence.theorem:
        return
    text = texts[sentence.file]
    depth, start = 0, None
    for at in range(sentence.start, sentence.end):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        if depth == 0 and start is None and text[at] == ":":
            start = at + 1
        elif depth == 0 and start is not None and text.startswith(("forall ", "let ", "/\\"), at):
            return
        elif depth == 0 and start is not None and text.startswith("->", at):
            yield _mutant(sentence, text, start, at + 2, " ", 1)
            start = at + 2


def _mutant(sentence: Sentence, text: str, start: int, end: int, now: str, place: int) -> Mutant:
    return Mutant(sentence.file, sentence.name, text[start:end], now, place, text[:start] + now + text[end:])


def rule_mutants(texts: Mapping[str, str]) -> list[Mutant]:
    """Return the mutants that are written by hand: rules of the mechanism, and constants of bounds, that are wrong."""
    found = []
    for file, name, right, wrong in (*_RULES, *_CONSTANTS):
        one = _holding(texts, file, name, right)
        start = texts[one.file].index(right, one.start, one.end)
        found.append(_mutant(one, texts[one.file], start, start + len(right), wrong, 1))
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


def main() -> None:
    """Print what kills each mutant, and the processor time of it all."""
    texts = sources()
    tried = rule_mutants(texts) + (mutants(texts) if sys.argv[1:] == ["all"] else sample(texts))
    with tempfile.TemporaryDirectory() as name:
        build = Build(Path(name), texts)
        for mutant in tried:
            killer = build.killer(mutant) or "the stored text alone"
            print(f"{killer:22} {mutant} {WEAKER.get(str(mutant), '')}", flush=True)  # noqa: T201
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{used.ru_utime + used.ru_stime:.0f} s of processor time", file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    main()
