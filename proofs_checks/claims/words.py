"""Words as people vary them: "payment converges" and "convergence of payments" are the same two words."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: Words that say nothing of what is searched for.
_SMALL = frozenset(
    (
        *("a", "an", "and", "are", "as", "at", "be", "by", "do", "does", "for", "from", "has", "in", "into", "is"),
        *("it", "its", "of", "on", "or", "than", "that", "the", "then", "to", "was", "when", "which", "with"),
    )
)
#: English endings, each longer one before those that it ends in; what is left of a word has four letters at least.
_ENDINGS = (
    *("ications", "ication", "bility", "icity", "ations", "ation", "ating", "ences", "ence", "ated", "ates", "ities"),
    *("ness", "ions", "ying", "ent", "ion", "ing", "ate", "ity", "ary", "ful", "ied", "ies", "ble", "ous"),
    *("es", "ed", "ly", "al", "um", "us", "e", "i", "y", "s"),
)
_SHORTEST = 4


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text in small letters; hyphens and underscores part them, as spaces do.

    Examples
    --------
    >>> sorted(words_of("Second-lowest cost"))
    ['cost', 'lowest', 'second']
    """
    return frozenset(re.findall(r"[^\W_]+", text.lower()))


def telling(text: str) -> frozenset[str]:
    """Return the words of a text without small ones such as "of"; all, if there are no others.

    Examples
    --------
    >>> sorted(telling("convergence of payments"))
    ['convergence', 'payments']
    """
    words = words_of(text)
    return words - _SMALL or words


def stem(word: str) -> str:
    """Return what the forms of a word have in common, in small letters.

    Examples
    --------
    >>> {stem(word) for word in ("converge", "converges", "convergence", "convergent")}
    {'converg'}
    >>> stem("optimal") == stem("optimality") == stem("optimum")
    True
    """
    if word.endswith("s") and not word.endswith(("ss", "us")) and len(word) == _SHORTEST:
        return word[:-1]
    found = word
    while ending := next((each for each in _ENDINGS if _ends(found, each)), ""):
        found = found[: -len(ending)]
        # "bidding" is of "bid".
        if ending in ("ing", "ed") and found[-1] == found[-2] and found[-1] not in "ls":
            found = found[:-1]
    # An exclusion excludes.
    return found[:-1] if found.endswith(("clud", "clus")) else found


def stems(words: Iterable[str]) -> frozenset[str]:
    """Return the stems of words."""
    return frozenset(map(stem, words))


def fits(wanted: Iterable[str], text: str) -> bool:
    """Return whether every word stands in a text, in any form, or begins a word of it; a number stands as a whole.

    Examples
    --------
    >>> fits(telling("payments converge"), "Payment convergence")
    True
    >>> fits(telling("payment 3"), "Payment 35")
    False
    """
    known = words_of(text)
    known_stems = stems(known)

    def stands(word: str) -> bool:
        if word.isdigit():
            return word in known
        return stem(word) in known_stems or any(each.startswith(word) for each in known)

    asked = frozenset(wanted)
    return bool(asked) and all(map(stands, asked))


def _ends(word: str, ending: str) -> bool:
    if ending in ("s", "us") and word.endswith(("ss", "clus")):
        return False
    # A payment is no form of "paym".
    if ending == "ent" and word.endswith("ment"):
        return False
    return word.endswith(ending) and len(word) - len(ending) >= _SHORTEST
