"""By default a command answers in one screen: few lines of 80 columns; `--all` has all its numbers."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from bounds.loading import load_setting
from mechanism.tabular.traces import write_trace
from proofs_checks.claims.cases.variants import play
from tests.parametrized import long_but
from tests.proofs_checks.cli.known import slow_ones_once
from tests.proofs_checks.cli.test_bounds_output import SEVEN, market
from tests.proofs_checks.outcomes import Outcome, parsers
from tests.tabled import rows_of

#: Lines of a default answer at most, unless LIMITS says otherwise.
LINES, COLUMNS = 30, 80
LOGS = Path(__file__).parents[3] / "examples" / "logs"
LIMITS = {"bounds": 25, "claims": 40}
#: Commands as a person types them first; SETTING stands for the market. None of them is given `--all`.
COMMANDS = {name: tuple(command.split()) for name, command in rows_of(__file__, "screens.csv")}
QUICK = sorted(
    COMMANDS.keys()
    - {"plan", "sweep", "coverage", "check of a wrong mechanism", "verify", "reproduce", "audit of a wrong log"}
    - {"audit of a gateway's log", "check of a router", "bounds sharp", "bounds sharpest"}
)


#: Commands without a screen: a script, a setting file, a page in the browser, files; `replay` needs a report.
SCREENLESS = {"completion", "explore", "market", "page", "replay"}


def test_every_command_has_its_screen_here() -> None:
    assert {command for command, *_ in COMMANDS.values()} == parsers().keys() - SCREENLESS


once = slow_ones_once()


@pytest.fixture
def markets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with seven.toml, and for each market a log and one with a wrong payment."""
    (tmp_path / "seven.toml").write_text(SEVEN)
    monkeypatch.chdir(tmp_path)
    once(monkeypatch)


def _command(name: str, setting: str) -> list[str]:
    return [setting if word == "SETTING" else word for word in COMMANDS[name]]


def _write_logs(setting: str) -> None:
    for example in LOGS.glob("litellm*"):
        shutil.copy(example, ".")
    trace = play(load_setting(setting), "truthful", horizon=300, seed=0, run=0).trace
    write_trace(trace, "log.csv")
    rows = Path("log.csv").read_text().splitlines()
    heading, cells = rows[0].split(","), rows[200].split(",")
    payment = heading.index("payment")
    cells[payment] = str(float(cells[payment]) * 0.5)
    Path("wrong.csv").write_text("\n".join([*rows[:200], ",".join(cells), *rows[201:]]) + "\n")


#: Numbers on a screen that belong to the run or to the screen, not to the result.
_SECONDS = re.compile(r"[\d.,]+ ?(s|steps/s|more failed|more skipped)\b")


def _numbers(text: str) -> set[str]:
    return set(re.findall(r"\d[\d,]*(?:\.\d+)?(?:e-?\d+)?%?", _SECONDS.sub("", text)))


def _screen(outcome: Outcome, command: str) -> str:
    """Return what a command prints, which fits on a screen."""
    lines = outcome.out.splitlines()
    assert max(map(len, lines)) <= COLUMNS
    assert 0 < len(lines) <= LIMITS.get(command, LINES), outcome.out
    return outcome.out


@pytest.mark.parametrize("setting", ["gpqa-strong", "seven.toml"])
@pytest.mark.parametrize("name", long_but(QUICK, COMMANDS, reason="runs a command twice"))
def test_a_screen_has_few_lines_and_all_its_numbers_are_in_all(
    markets: None, run: Callable[..., Outcome], name: str, setting: str
) -> None:
    if name.startswith("audit"):
        _write_logs(setting)
    command = _command(name, setting)
    shown = _screen(run(*command), command[0])
    if command[0] not in ("settings", "docs", "cite"):
        assert not _numbers(shown) - _numbers(run(*command, "--all").out)


def test_a_sweep_names_the_guarantees_that_it_leaves_out(run: Callable[..., Outcome]) -> None:
    told = "Not shown (--all): quality regret, generation regret and average payment deviation."
    command = ("sweep", "gsm8k-full", "--over", "k=1:4:3")
    assert told in run(*command).told
    assert "Not shown" not in run(*command, "--all").out


LONG = "a-model-of-thirty-characters-"
SEVERAL = ((0.41, 0.0002), (0.58, 0.0005), (0.69, 0.0009), (0.74, 0.0014), (0.79, 0.0022), (0.86, 0.0041))
MARKETS = {
    "long names": market(0.7, 0.01, *((f"{LONG}{i}", *pair) for i, pair in enumerate(SEVERAL))),
    "forty": market(0.7, 0.01, *((f"{LONG[:-1]}{i:02}", 0.3 + i / 64, 0.001 + i / 9000) for i in range(40))),
    "two": market(0.7, 10, ("a", 0.5, 1.0), ("b", 0.9, 3.0)),
    "none qualified": market(0.95, 0.01, *((f"{LONG}{i}", *pair) for i, pair in enumerate(SEVERAL))),
    "equal costs": market(0.5, 10, *((f"{LONG}{i}", 0.8, 2.0) for i in range(3))),
    "next to the threshold": market(0.7, 10, (f"{LONG}1", 0.6999999, 1.0), (f"{LONG}2", 0.7000001, 3.0)),
    "another radius": market(
        0.7, 0.01, *((f"{LONG}{i:02}", 0.3 + i / 64, 0.001 + i / 9000) for i in range(40))
    ).replace("[platform]\n", '[platform]\nradius = "beta-binomial"\n'),
    "deviating": market(0.7, 0.01, *((f"{LONG}{i}", *pair) for i, pair in enumerate(SEVERAL))).replace(
        "[platform]\n", "[platform]\nunderbid = 0.0004\noverbid = 0.0004\n"
    ),
}
_CLOSE = market(0.7, 10, *((f"{LONG}{i}", 0.7 + i / 99, 1.0 + i / 9) for i in range(-3, 5)))
#: Estimates of 200 questions each: who is qualified, and the optimum, are unsettled.
MARKETS["uncertain"] = re.sub(
    r"quality = (0\.\d+)\nmean_cost = (\S+)",
    lambda found: (
        f"quality = {{correct = {round(200 * float(found[1]))}, of = 200}}\n"
        f"mean_cost = {{mean = {found[2]}, standard_error = 0.1}}"
    ),
    _CLOSE,
)
OF_MARKETS = {name: tuple(command.split()) for name, command in rows_of(__file__, "screens_of_markets.csv")}


@pytest.mark.long("runs commands in many markets")
@pytest.mark.parametrize(("place", "name"), list(enumerate(OF_MARKETS)))
def test_a_screen_of_any_market(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Callable[..., Outcome], place: int, name: str
) -> None:
    """Of any size, and with long names: each command in every third market, in turns."""
    monkeypatch.chdir(tmp_path)
    for kind in [*MARKETS][place % 3 :: 3]:
        if (kind, name) != ("another radius", "coverage"):  # it follows the paper's radius alone
            Path("m.toml").write_text(MARKETS[kind])
            outcome = run(*OF_MARKETS[name])
            assert outcome.code == 0
            _screen(outcome, OF_MARKETS[name][0])
