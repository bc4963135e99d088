"""The examples run as their documentation says."""

import ast
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from fractions import Fraction
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from mechanism.config import MechanismConfig
from mechanism.platform import Platform
from proofs_checks.cli.main import main
from proofs_checks.conformance import QUICK
from proofs_checks.conformance.loading import load_factory
from proofs_checks.conformance.suite import check_mechanism

pytestmark = pytest.mark.long("runs the examples")

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
ROUTER, ADAPTERS = EXAMPLES / "router_adapter.py", EXAMPLES / "remote_adapters.py"
LOGS = EXAMPLES / "logs"


def test_the_router_knows_nothing_of_this_toolkit() -> None:
    before_main = ROUTER.read_text(encoding="utf-8").split("def main()")[0]
    assert not re.search(r"^\s*(from|import) (costproof|mechanism|bounds|proofs_checks)", before_main, re.MULTILINE)


def test_it_runs_as_a_program_and_passes_every_check() -> None:
    done = subprocess.run(
        [sys.executable, str(ROUTER)], capture_output=True, text=True, timeout=120, check=False, cwd=EXAMPLES.parent
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "not a proof" in done.stdout


def test_a_broken_router_is_caught() -> None:
    """The adapter hides nothing: a margin forgotten in the price is found."""
    make = load_factory(f"{ROUTER}:make_checked_router")
    names = make.__globals__

    class Forgetful(names["HouseRouter"]):
        def _margin(self, name: str) -> int:
            return 0

    names["HouseRouter"] = Forgetful
    report = check_mechanism(make, effort=QUICK, only=["index-minimizer", "critical-payment"])
    assert report.failed


def ran(name: str) -> list[str]:
    found = subprocess.run(
        [sys.executable, "-W", "error", str(ROOT / "examples" / name)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT / "examples",
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert found.returncode == 0, found.stderr
    assert found.stderr == ""
    return found.stdout.splitlines()


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Serve the reference mechanism over HTTP, and return the paths of the requests."""
    routers: list[Platform] = []
    paths: list[str] = []

    class Served(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            paths.append(self.path)
            data = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            _, number, method = [*self.path.strip("/").split("/"), "", ""][:3]
            if method:
                answer = getattr(routers[int(number)], method)(**data)
            else:
                rng = np.random.default_rng(data.pop("seed"))
                answer = len(routers)
                routers.append(Platform(MechanismConfig(**data), rng))
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Length", f"{len(body)}")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *given: object) -> None:
            """Keep quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Served) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        monkeypatch.setenv("ROUTER_URL", f"http://127.0.0.1:{server.server_port}")
        yield paths
        server.shutdown()
        thread.join()


def test_a_router_behind_http(served: list[str]) -> None:
    only = ["answers", "reproducible", "critical-payment"]
    report = check_mechanism(f"{ADAPTERS}:HttpRouter", effort=QUICK, only=only)
    assert report.conforms, report.headline
    assert {path.rpartition("/")[2] for path in served if path.count("/") > 1} == {"assign", "settle"}


#: An asynchronous router, which waits for something at each call; it is right if it is `Platform`'s.
ASYNCHRONOUS = """
import asyncio
from mechanism.platform import Platform
from proofs_checks.conformance.mutants.pricing import FirstPrice
from remote_adapters import AwaitedRouter


class Asynchronous:
    def __init__(self, config, rng):
        self.made = {made}(config, rng)

    async def assign(self):
        return await asyncio.wait_for(asyncio.sleep(0, self.made.assign()), 5)

    async def settle(self, score, bid):
        await asyncio.gather(asyncio.sleep(0), asyncio.to_thread(self.made.settle, score, bid))


class Router(AwaitedRouter):
    make = Asynchronous
"""


@pytest.mark.parametrize(("made", "failed"), [("Platform", 0), ("FirstPrice", 1)])
def test_a_router_of_coroutines(tmp_path: Path, made: str, failed: int) -> None:
    shutil.copy(ADAPTERS, tmp_path)
    file = tmp_path / "asynchronous.py"
    file.write_text(ASYNCHRONOUS.format(made=made))
    only = ["answers", "reproducible", "critical-payment"]
    report = check_mechanism(f"{file}:Router", effort=QUICK, only=only, explain=False)
    assert (report.failed, report.warned) == (failed, ())


def test_second_price_with_a_reserve() -> None:
    no_loss, no_gain, discounted, replayed = ran("second_price_with_reserve.py")
    assert no_loss == "PROVED (by z3 and by cvc5): a truthful provider never loses"
    assert no_gain == "PROVED (by z3 and by cvc5): no other bid gives more than the estimate"
    assert discounted.startswith("REFUTED (2 providers, found by ")
    nets = re.fullmatch(r"  the winner nets (-\d+(/\d+)?) by the rules of the mechanism", replayed)
    assert nets is not None
    assert Fraction(nets[1]) < 0


def test_a_router_is_played_and_its_log_audited(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / "play_and_audit.py"), str(log)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.startswith("Passed: none of 20,000 steps breaks a rule")
    assert len(log.read_text().splitlines()) == 20_001


NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))


def cells(notebook: Path) -> list[dict[str, object]]:
    return json.loads(notebook.read_text(encoding="utf-8"))["cells"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_top_to_bottom(notebook: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a kernel does it: in one namespace, and what a cell ends with is shown as HTML where it can be."""
    monkeypatch.setenv("MPLBACKEND", "agg")
    names: dict[str, object] = {"__name__": "__main__"}
    for place, cell in enumerate(cells(notebook)):
        if cell["cell_type"] == "code":
            code = ast.parse("".join(cell["source"]))
            last = code.body.pop() if isinstance(code.body[-1], ast.Expr) else None
            exec(compile(code, f"{notebook.name}:{place}", "exec"), names)
            if last is not None:
                shown = eval(compile(ast.Expression(last.value), f"{notebook.name}:{place}", "eval"), names)
                getattr(shown, "_repr_html_", shown.__repr__)()


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_outputs(notebook: Path) -> None:
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in cells(notebook))


def commands() -> dict[str, str]:
    """Return the one command that the pages have for each of the logs, by its file."""
    pages = [ROOT / "README.md", EXAMPLES / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages).replace("\\\n", "")
    found = re.findall(r"^costproof (audit .*)$", text, re.MULTILINE)
    ours = [command for command in found if (LOGS / command.split()[1]).is_file()]
    by_file = {command.split()[1]: command for command in ours}
    assert len(by_file) == len(ours)
    return by_file


def test_there_is_one_command_for_each() -> None:
    used = [word for command in commands().values() for word in shlex.split(command) if (LOGS / word).is_file()]
    assert sorted(used) == sorted(path.name for path in LOGS.iterdir())


def test_the_logs_say_the_same(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """They are of the same queries; the authors' alone has costs, and lacks the bids that were left last."""
    monkeypatch.chdir(LOGS)
    found = []
    for command in commands().values():
        assert main([*shlex.split(command), "--jobs", "1", "--claim", "lem:payment-range", "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert {data["steps"] for data in found} == {300}
    ratios = [claim["tightest_ratio"] for data in found for claim in data["claims"]]
    assert ratios == pytest.approx([ratios[0]] * len(ratios), rel=1e-9)
