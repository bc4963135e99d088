"""Under which hypotheses a claim is stated: the paper's for its own claims, ours for our variants and additions."""

from __future__ import annotations

from proofs_checks.claims.model.claim import Claim
from proofs_checks.claims.paper_statements import paper_assumptions

#: How reports call them, before the list.
STATED_UNDER = "stated under"
#: What is compared without a precondition is about every run.
_ANY_RUN = ("any bids",)


def stated_under(stated: Claim) -> tuple[str, ...]:
    """Return the hypotheses under which a claim is stated; none for what assumes nothing.

    Of the paper's claims these are the paper's, in its words. A variant or an addition of ours is stated where its test
    compares it. One that has no such test is a reading of its claim in the paper, and has the hypotheses of that.

    Examples
    --------
    >>> from proofs_checks.claims.registry import claim
    >>> stated_under(claim("lem:payment-range")), stated_under(claim("lem:payment-range:repaired"))
    (('any bids in [0, c_max]',), ('bids within [-d_-, d_+] of the mean cost',))
    >>> stated_under(claim("claim:T_id:tightened")), stated_under(claim("lem:radius-sum"))
    (('truthful bids', 'the good event'), ('any bids',))
    """
    if stated.label not in paper_assumptions() and stated.checks:
        return tuple(each.name for each in stated.preconditions) or _ANY_RUN
    return paper_assumptions().get(stated.label, paper_assumptions().get(stated.varied, ()))
