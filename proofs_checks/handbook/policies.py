"""A page for each policy: what it does with a query, what it needs, and how to play it."""

from __future__ import annotations

from collections.abc import Mapping

from mechanism.policies import ALL_POLICIES, POLICIES, POLICY_MEANINGS, POLICY_NAMES, Policy
from proofs_checks.handbook.markdown import ORPHAN, block, code, link, page, table, text


def policy_pages() -> Mapping[str, str]:
    """Return the page of every policy and their index, by file.

    Examples
    --------
    >>> "holds auctions | yes" in policy_pages()["platform.md"]
    True
    """
    return {f"{name}.md": policy_page(name) for name in ALL_POLICIES} | {"index.md": _index()}


def _index() -> str:
    rows = ([link(code(name), f"{name}.md"), _of_the_paper(name), text(POLICY_MEANINGS[name])] for name in ALL_POLICIES)
    return page(
        "# Policies",
        f"A policy decides who serves each query. {len(POLICIES)} of these are the paper's. `simulate`, `compare` and "
        "`sweep` take any of them by name, or a mechanism of your own as `MODULE:OBJECT`.",
        table(["policy", "in the paper", "does"], rows),
        "What is measured of a run: [Metrics](../../metrics.md).",
    )


def _of_the_paper(name: str) -> str:
    return text(POLICY_NAMES.get(name, "")) or "no"


def policy_page(name: str) -> str:
    """Return the page of a policy."""
    policy = ALL_POLICIES[name]
    called = f"The paper calls it “{text(POLICY_NAMES[name])}”." if name in POLICY_NAMES else "It is not in the paper."
    said = POLICY_MEANINGS[name]
    return ORPHAN + page(
        f"# {code(name)}",
        link("Policies", "index.md"),
        f"{text(said[:1].upper() + said[1:])}. {called}",
        table(["the policy", "yes or no"], _traits(policy)),
        "## Play it",
        block("sh", f"costproof simulate gpqa-strong --policy {name}"),
    )


def _traits(policy: Policy) -> list[list[str]]:
    traits = {
        "screens providers by quality": policy.screens,
        "explores the under-sampled": policy.explores,
        "holds auctions": policy.auctions,
        "needs listed prices": policy.needs_prices,
        "knows what no platform can know (an oracle)": policy.known is not None,
        "runs as machine code": policy.compiled,
    }
    return [[trait, "yes" if has else "no"] for trait, has in traits.items()]
