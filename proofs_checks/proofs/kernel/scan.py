"""What the sources may not hold: left-out proofs, assumptions, weakened checks, what hides the meaning of a statement.

This scan names the line at once, and refuses every command but those that the sources need. What Coq and `coqchk`
print after a build is compared as well (`coq.py`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping

#: Strings and the ends of comments. Comments nest, and neither end counts inside a string.
_STRING_OR_COMMENT = re.compile(r'"(?:[^"]|"")*"|\(\*|\*\)')
#: What a string may not hold: a notation with it would read as a comment, a string or the end of a sentence.
_MISLEADING = re.compile(r"\(\*|\*\)|\"\"|\.")
#: What is refused within a sentence: what leaves a proof out or hides what a statement says, another name of a file of
#: ours than in its import, letters that look like others, and strings and comments that mislead.
_REFUSED = re.compile(r"\b(?:admit|give_up|[Cc]anonical)\b|(?<!From )\bCostproof\b|\bwhere\s*\"|:>|\(\*|[^\x00-\x7f]")
#: The word with which a sentence begins that is a command; tactics begin with small letters.
_COMMAND = re.compile(r"(?:[^\w#\[]|\d|\[\s*\w+\s*\]\s*:|\[)*([A-Z]\w*|#)?", re.ASCII)
#: The commands that may stand in the sources, as `reading.py` finds them: no other assumes, weakens or hides a thing.
_READ = re.compile(
    r"[\s{}*+-]*(?:Arguments|Proof|Qed|Defined)\b"
    r"|\s*^(?:From \w+ Require (?!Export)(?:Import )?\w|Require Import|Import ListNotations|Open Scope R_scope"
    r"|(?:Section|End) \w+\.|Context [({]|(?:Variables?|Hypothesis) [(\w]"
    r"|(?:Corollary|Definition|Example|Fixpoint|Inductive|Lemma|Let|Ltac|Notation|Record|Theorem) \w|Notation \")",
    re.ASCII | re.MULTILINE,
)
_PLAIN_NAME = re.compile(r"[A-Za-z]\w*\.v", re.ASCII)
#: What is local to a section, and outside of one declares an axiom or changes how every statement is printed.
_DECLARES = re.compile(r'\b(?:Variables?|Hypothesis|Context|Notation(?= "))\b')
_SECTION = re.compile(r"\s*(Section|End)\s+[\w']+\s*")
_SECTION_WORD = re.compile(r"\b(Section|End)\b")
#: The words with which a sentence defines or states something. A second name, after `with`, would not be shown.
_DEFINES = re.compile(r"\s*(Corollary|Definition|Example|Fixpoint|Inductive|Lemma|Let|Record|Theorem)\b")
_END_OF_SENTENCE = re.compile(r"\.(?=\s|\Z)")


def refused_in(texts: Mapping[str, str], library: Collection[str] = ()) -> list[str]:
    """Return each place at which the sources assume something, weaken Coq's checks, or hide what a statement says.

    A file with the name of a library file, or of another folder, is such a place as well.

    Examples
    --------
    >>> refused_in({"A.v": "(* Admitted. *)\\nHypothesis a : False."})
    ['A.v:2: Hypothesis outside a section']
    >>> refused_in({"Reals.v": ""}, library={"Reals"})
    ['Reals.v: a file of the library has this name']
    """
    shadowing = [f"{name}: a file of the library has this name" for name in texts if name.removesuffix(".v") in library]
    elsewhere = [f"{name}: the name is not plain" for name in texts if not _PLAIN_NAME.fullmatch(name)]
    return (
        shadowing
        + elsewhere
        + [
            f"{name}:{text.count(chr(10), 0, place) + 1}: {what}"
            for name, text in texts.items()
            for place, what in sorted(_refused(code_of(text)))
        ]
    )


def code_of(text: str) -> str:
    """Return a text with blanks in place of comments and of what is in strings, `(*` before what misleads, lines kept.

    A comment begins after a blank: elsewhere a token may end with its parenthesis, and Coq reads what follows.

    Examples
    --------
    >>> code_of('a (* b (* "*)" *) c *) d "e" "f."')
    'a                      d " " (*  '
    """
    kept, depth, start = [], 0, 0
    for found in _STRING_OR_COMMENT.finditer(text):
        part = text[start : found.start()]
        mark = found.group()
        in_token = mark == "(*" and part[-1:].strip()
        if depth:
            kept += [_blank(part), _blank(mark)]
        else:
            kept += [part, mark if in_token else _without_content(mark)]
        start = found.end()
        depth = max(0, depth + {"(*": 1, "*)": -1}.get(mark, 0))
    return "".join([*kept, _blank(text[start:]) if depth else text[start:]])


def _without_content(mark: str) -> str:
    """Return blanks for the end of a comment, and a string with blanks in it."""
    if not mark.startswith('"'):
        return _blank(mark)
    content = mark[1:-1]
    return f"(*{_blank(content)}" if _MISLEADING.search(content) else f'"{_blank(content)}"'


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _refused(code: str) -> Iterator[tuple[int, str]]:
    """Yield each refused word of a text without comments, with its place."""
    for found in _REFUSED.finditer(code):
        word = " ".join(found.group().split())
        yield found.start(), "a string or comment that could hide code" if word == "(*" else word
    depth = start = 0
    for end in [*(found.start() for found in _END_OF_SENTENCE.finditer(code)), len(code)]:
        command = _COMMAND.match(code, start, end)
        if command is not None and command[1] and not _READ.match(code, start):
            yield (
                command.start(1),
                f"{command[1]}: another command than those that are read, or not on a line of its own",
            )
        defines = _DEFINES.match(code, start, end)
        if defines is not None and _defines_more(code[start:end]):
            yield defines.start(1), "with: a second definition in one sentence"
        section = _SECTION.fullmatch(code, start, end)
        if section is not None:
            depth = max(0, depth + (1 if section[1] == "Section" else -1))
        else:
            hidden = [(found, "within a sentence") for found in _SECTION_WORD.finditer(code, start, end)]
            if depth == 0:
                hidden += [(found, "outside a section") for found in _DECLARES.finditer(code, start, end)]
            for found, how in hidden:
                yield found.start(), f"{found.group()} {how}"
        start = end + 1


def _defines_more(sentence: str) -> bool:
    """Whether a sentence has a `with` that is not that of a `match`."""
    words = re.findall(r"\b(?:match|with)\b", sentence)
    return words.count("with") != words.count("match")
