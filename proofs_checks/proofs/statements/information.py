"""What any platform must ask of a cheaper unqualified provider: two markets are told apart by that provider's scores.

Source: Kaufmann, Cappe and Garivier (2016), lemma 1, whose inequality is the axiom data-processing. What is proved here
is the step from it to kl(delta, 1 - delta): x >= 1 - delta and y <= delta mean kl(x, y) >= kl(delta, 1 - delta).
"""

from __future__ import annotations

from proofs_checks.proofs.language.axioms import data_processing, log_product, log_tangent
from proofs_checks.proofs.language.obligation import Mutant, Obligation, Proof
from proofs_checks.proofs.language.terms import all_of, constant, constants, equal
from proofs_checks.proofs.language.vocabulary import assuming, concluded, defining, only, read

#: Why obligations have hypotheses that their goals do not need.
_FOR_THE_AXIOM = "the axiom needs it: an argument of ln is positive"
_SAID_TWICE = "what is cited follows from it, or it from that: solvers are faster with both"
#: An event: its probability here and there. Any two positive numbers, and the logarithm of their quotient.
_HERE, _THERE, _LOG = constants("probability_here probability_there log_of_probabilities")
_SURE, _DELTA, _LOG_ODDS = constants("sure delta log_of_odds")
_TANGENT = _HERE * _LOG >= _HERE * _LOG_ODDS + _HERE - _SURE / _DELTA * _THERE
OUTCOME = Obligation(
    "evidence-of-an-outcome",
    "x ln(x/y) >= x ln(a/b) + x - (a/b) y for any a, b > 0: the tangent of ln",
    {"tangent": log_tangent(_LOG_ODDS - _LOG, _SURE * _THERE / (_DELTA * _HERE))}
    | assuming(positive=all_of(_HERE > 0, _THERE > 0, _SURE > 0, _DELTA > 0)),
    _TANGENT,
    (
        Mutant("strictly", goal=_HERE * _LOG > _HERE * _LOG_ODDS + _HERE - _SURE / _DELTA * _THERE),
        Mutant("without the last term", goal=_HERE * _LOG >= _HERE * _LOG_ODDS + _HERE),
    ),
)
_CONFIDENT = defining(sure=equal(_SURE, 1 - _DELTA)) | assuming(
    delta_positive=_DELTA > 0, delta_below_half=2 * _DELTA < 1
)
ODDS = Obligation(
    "log-of-odds-non-negative",
    "ln((1 - delta)/delta) >= 0 for delta < 1/2",
    _CONFIDENT | {"tangent": log_tangent(-_LOG_ODDS, _DELTA / _SURE)},
    _LOG_ODDS >= 0,
    (Mutant("a large delta", {"delta-below-half": 3 * _DELTA < 2}),),
    redundant={"delta-positive": _FOR_THE_AXIOM},
)
_WRONG = assuming(wrong_there=_THERE <= _DELTA)
_ABOVE_INVERSE = _SURE / _DELTA >= _DELTA / _SURE
ABOVE_INVERSE = Obligation(
    "odds-at-least-their-inverse",
    "(1 - delta)/delta >= delta/(1 - delta) for delta < 1/2",
    _CONFIDENT,
    _ABOVE_INVERSE,
    (Mutant("a large delta", {"delta-below-half": 3 * _DELTA < 2}),),
)
_WEIGHTS = _SURE / _DELTA * _THERE + _DELTA / _SURE * (1 - _THERE) <= 1
WEIGHTS = Obligation(
    "weights-of-outcomes-at-most-one",
    "y (1 - delta)/delta + (1 - y) delta/(1 - delta) <= 1 for y <= delta: at y = delta it is 1, and it grows with y",
    _CONFIDENT | _WRONG | concluded("odds-at-least-their-inverse", above_inverse=_ABOVE_INVERSE),
    _WEIGHTS,
    (Mutant("named more often there", {"wrong-there": _THERE <= 2 * _DELTA}),),
    redundant=dict.fromkeys(["delta-positive", "delta-below-half", "above-inverse"], _SAID_TWICE),
)
_LOG_OTHER = constant("log_of_other_probabilities")
_TOLD = _HERE * _LOG + (1 - _HERE) * _LOG_OTHER
_NEEDED = (1 - 2 * _DELTA) * _LOG_ODDS
_INSIDE = assuming(inside=all_of(_HERE > 0, _HERE < 1, _THERE > 0, _THERE < 1))
_OTHER_TANGENT = (1 - _HERE) * _LOG_OTHER >= (1 - _HERE) * -_LOG_ODDS + (1 - _HERE) - _DELTA / _SURE * (1 - _THERE)
_BOTH = _TOLD >= (2 * _HERE - 1) * _LOG_ODDS
BOTH = Obligation(
    "evidence-of-both-outcomes",
    "y <= delta means kl(x, y) >= (2 x - 1) ln((1 - delta)/delta)",
    concluded("evidence-of-an-outcome", named=_TANGENT)
    | read(
        concluded("evidence-of-an-outcome", not_named=_OTHER_TANGENT),
        {_HERE: 1 - _HERE, _THERE: 1 - _THERE, _LOG: _LOG_OTHER, _LOG_ODDS: -_LOG_ODDS, _SURE: _DELTA, _DELTA: _SURE},
    )
    | concluded("weights-of-outcomes-at-most-one", weights=_WEIGHTS),
    _BOTH,
    (Mutant("without the other outcome", goal=_TOLD >= _HERE * _LOG_ODDS),),
)
TOLD = Obligation(
    "evidence-of-a-right-name",
    "x >= 1 - delta as well means kl(x, y) >= (1 - 2 delta) ln((1 - delta)/delta)",
    only(_CONFIDENT, "sure")
    | assuming(right_here=_HERE >= _SURE)
    | concluded("evidence-of-both-outcomes", both=_BOTH)
    | concluded("log-of-odds-non-negative", odds=_LOG_ODDS >= 0),
    _TOLD >= _NEEDED,
    (
        Mutant("wrong more often here", {"right-here": _HERE >= _SURE - _DELTA}),
        Mutant("without the errors", goal=_TOLD >= (1 - _DELTA) * _LOG_ODDS),
    ),
)
_QUERIES, _DIVERGENCE, _QUALITY, _THRESHOLD = constants("mean_queries divergence quality_of_one threshold")
_ENTROPY, _LOG_INVERSE_ODDS = constants("entropy_of_delta log_of_inverse_odds")
QUERIES = Obligation(
    "queries-that-tell-markets-apart",
    "so n kl(q_i, q_min) >= kl(delta, 1 - delta)",
    _CONFIDENT
    | _INSIDE
    | assuming(qualities=all_of(_QUALITY > 0, _QUALITY < _THRESHOLD, _THRESHOLD < 1))
    | concluded("evidence-of-a-right-name", told=_TOLD >= _NEEDED)
    | defining(entropy=equal(_ENTROPY, _DELTA * _LOG_INVERSE_ODDS + _SURE * _LOG_ODDS))
    | {
        "inverse": log_product(
            _LOG_INVERSE_ODDS, -_LOG_ODDS, {_LOG_INVERSE_ODDS: _DELTA / _SURE, _LOG_ODDS: _SURE / _DELTA}
        ),
        "scores": data_processing(_QUERIES, _DIVERGENCE, _HERE, _THERE, _LOG, _LOG_OTHER, _QUALITY, _THRESHOLD),
    },
    _QUERIES * _DIVERGENCE >= _ENTROPY,
    (Mutant("strictly", goal=_QUERIES * _DIVERGENCE > _ENTROPY),),
    redundant=dict.fromkeys(["delta-positive", "delta-below-half", "inside", "qualities"], _FOR_THE_AXIOM),
)
INFORMATION = Proof(
    "claim:own-information-bound",
    (OUTCOME, ODDS, ABOVE_INVERSE, WEIGHTS, BOTH, TOLD, QUERIES),
    "Let i be unqualified and cheaper than i*, and the other market the one in which its scores have mean q_min: there "
    "it is the optimal provider. The event is that the platform names i*: of probability x >= 1 - delta here, and "
    "y <= delta there. Two tangents of ln bound kl(x, y) below by kl(delta, 1 - delta). The data-processing inequality "
    "with Wald's identity is an axiom.",
    beyond="That a platform names one provider, so that naming i* there is an error. That q_i = 0, x = 1 and y = 0 "
    "follow as limits: a platform may err on purpose with a small probability. Where delta >= 1/2 or q_min = 1 the "
    "bound is 0.",
)
