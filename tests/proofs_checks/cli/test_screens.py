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
from tests.proofs_checks.cli.test_bounds_output import SEVEN
from tests.proofs_checks.outcomes import Outcome, parsers

#: Lines of a default answer at most, unless LIMITS says otherwise.
LINES, COLUMNS = 30, 80
LOGS = Path(__file__).parents[3] / "examples" / "logs"
LIMITS = {"bounds": 25, "claims": 40}
FAST = ("--horizon", "300", "--runs", "2", "--jobs", "1")
WRONG = "proofs_checks.conformance.mutants.pricing:FirstPrice"
RIGHT = "mechanism.platform:Platform"
ROUTING = ("--profile", "router", "--in-flight", "3", "--only", "routing", "--only", "restart")
#: Commands as a person types them first; SETTING stands for the market. None of them is given `--all`.
COMMANDS: dict[str, tuple[str, ...]] = {
    "settings": ("settings",),
    "bounds": ("bounds", "SETTING"),
    "bounds sharp": ("bounds", "SETTING", "--method", "sharp"),
    "bounds sharpest": ("bounds", "SETTING", "--method", "sharpest"),
    "simulate": ("simulate", "SETTING", *FAST),
    "verify": ("verify", "SETTING", *FAST, "--instances", "1"),
    "verify --claim": ("verify", "SETTING", *FAST, "--instances", "1", "--claim", "thm:regret"),
    "verify of a lemma": ("verify", "SETTING", *FAST, "--instances", "1", "--claim", "lem:radius-inversion"),
    "check": ("check", RIGHT, "--quick", "--only", "critical-payment"),
    "check of a wrong mechanism": ("check", WRONG, "--quick"),
    "check of a router": ("check", "mechanism.platform:concurrent_mechanism", "--quick", *ROUTING),
    "audit": ("audit", "log.csv", "--setting", "SETTING", "--jobs", "1"),
    "audit of a wrong log": ("audit", "wrong.csv", "--setting", "SETTING", "--jobs", "1"),
    "audit of a gateway's log": (
        *("audit", "litellm_spend_logs.jsonl.gz", "--setting", "gpqa-strong", "--jobs", "1"),
        *("--join", "litellm_feedback.csv", "--on", "request_id"),
    ),
    "prove": ("prove",),
    "prove one": ("prove", "thm:regret"),
    "claims": ("claims",),
    "claims --findings": ("claims", "--findings"),
    "claims one": ("claims", "thm:regret"),
    "coverage": ("coverage", "SETTING", "--horizon", "50"),
    "plan": ("plan", "SETTING", "--goal", "identify-by=70k", "--runs", "0"),
    "sweep": ("sweep", "SETTING", "--over", "k=1:4:4", "--over", "alpha=0.6:0.8:3", "--runs", "0"),
    "compare": ("compare", "platform", "uniform-eligible", "SETTING", "--horizon", "300", "--runs", "2"),
    "reproduce": ("reproduce", "gpqa-strong", "--runs", "2", "--jobs", "1"),
    "play": ("play", RIGHT, "SETTING", "--horizon", "300"),
    "docs": ("docs",),
    "cite": ("cite",),
    "figures": ("figures", "--list"),
}
QUICK = sorted(
    COMMANDS.keys()
    - {"plan", "sweep", "coverage", "check of a wrong mechanism", "verify", "reproduce", "audit of a wrong log"}
    - {"audit of a gateway's log", "check of a router"}
)


#: Commands without a screen: a script, a setting file, a page in the browser, files; `replay` needs a report.
SCREENLESS = {"completion", "explore", "market", "page", "replay"}


def test_every_command_has_its_screen_here() -> None:
    assert {command for command, *_ in COMMANDS.values()} == parsers().keys() - SCREENLESS


@pytest.fixture
def markets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with seven.toml, and for each market a log and one with a wrong payment."""
    (tmp_path / "seven.toml").write_text(SEVEN)
    monkeypatch.chdir(tmp_path)


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


@pytest.mark.parametrize("setting", ["gpqa-strong", "seven.toml"])
@pytest.mark.parametrize("name", long_but(QUICK, COMMANDS, reason="runs a command"))
def test_a_screen(markets: None, run: Callable[..., Outcome], name: str, setting: str) -> None:
    if name.startswith("audit"):
        _write_logs(setting)
    lines = run(*_command(name, setting)).out.splitlines()
    assert max(map(len, lines)) <= COLUMNS
    assert 0 < len(lines) <= LIMITS.get(COMMANDS[name][0], LINES), "\n".join(lines)


#: Numbers on a screen that belong to the run or to the screen, not to the result.
_SECONDS = re.compile(r"[\d.,]+ ?(s|steps/s|more failed|more skipped)\b")


def _numbers(text: str) -> set[str]:
    return set(re.findall(r"\d[\d,]*(?:\.\d+)?(?:e-?\d+)?%?", _SECONDS.sub("", text)))


@pytest.mark.long("runs each command twice")
@pytest.mark.parametrize("setting", ["gpqa-strong", "seven.toml"])
@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ("settings", "docs", "cite")])
def test_all_has_every_number_of_the_screen(
    markets: None, run: Callable[..., Outcome], name: str, setting: str
) -> None:
    if name.startswith("audit"):
        _write_logs(setting)
    command = _command(name, setting)
    lacking = _numbers(run(*command).out) - _numbers(run(*command, "--all").out)
    assert not lacking
