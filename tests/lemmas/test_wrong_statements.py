"""Every module of lemmas fails if what it states is made wrong.

A line that ends with ``# wrong: OLD -> NEW`` says how: by a smaller constant, a hypothesis dropped, or an inequality
reversed.
"""

import re
import types
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

from proofs_checks.claims.registry import all_claims

FIRST = ("thm:robust-dominant", "lem:good-event")
#: It stands in the source of the paper, but not in the paper.
COMMENTED_OUT = "lem:selection-counting"
MODULES = sorted(Path(__file__).parent.glob("test_[0-9]*.py"))
#: A line of code, what is replaced in it, and by what.
WRONG = re.compile(r"^(?P<code>.*?)  # wrong: (?P<old>.+?) -> (?P<new>.+)$")
#: Without shrinking: one failure is enough.
BRIEFLY = settings(
    database=None,
    derandomize=True,
    max_examples=100,
    phases=[Phase.explicit, Phase.generate],
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)
#: It compares the statement with the program, which says nothing about whether it is true.
COMPARISON = "test_bounds_prints_it"


def wrong_lines(module: Path) -> dict[int, str]:
    """Return the lines that can be made wrong, by number, as they then read."""
    found = {}
    for number, line in enumerate(module.read_text().splitlines()):
        if match := WRONG.match(line):
            code, old, new = match["code"], match["old"], match["new"]
            assert code.count(old) == 1, f"{module.name}:{number + 1}: {old!r} does not stand in the line once"
            found[number] = code.replace(old, new)
    return found


def is_caught(module: Path, number: int, line: str) -> bool:
    """Return whether a test of a module fails if one of its lines reads otherwise."""
    lines = module.read_text().splitlines()
    lines[number] = line
    changed = types.ModuleType(f"wrong_{module.stem}")
    exec(compile("\n".join(lines), str(module), "exec"), changed.__dict__)
    tests = [value for name, value in vars(changed).items() if name.startswith("test_") and name != COMPARISON]
    # Instances first: they take less time than properties.
    return any(_fails(test) for test in sorted(tests, key=lambda test: hasattr(test, "hypothesis")))


def _fails(test: object) -> bool:
    assert callable(test)
    try:
        (BRIEFLY(test) if hasattr(test, "hypothesis") else test)()
    except AssertionError:
        return True
    return False


def test_there_is_a_module_for_each_numbered_statement() -> None:
    """A module begins with the label of its statement; they follow the paper, but for the two that stand first."""
    stated = [re.findall(r'^"""([\w:-]+)\. ', module.read_text())[0] for module in MODULES]
    numbered = [label for label in all_claims() if re.fullmatch(r"(thm|lem|cor|prop):[\w-]+", label)]
    others = [label for label in numbered if label not in {*FIRST, COMMENTED_OUT}]
    assert stated == [*FIRST, *others]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.stem)
def test_a_wrong_statement_fails(module: Path) -> None:
    lines = wrong_lines(module)
    assert lines, "no line says how to make the statement wrong"
    for number, line in lines.items():
        assert is_caught(module, number, line), f"line {number + 1} may read: {line.strip()}"
