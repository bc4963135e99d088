"""`costproof play`: the headline, the log, and misbehaviour in one line."""

import re
from pathlib import Path

import pytest

from bounds.published import published
from mechanism.tabular.traces import read_trace
from tests.proofs_checks.outcomes import Run, assert_bad_input

SETTING = published("gsm8k-full").setting
ROUTER = """
class Cheapest:
    def __init__(self, config, rng):
        self.config, self.step, self.bids = config, 0, {}
    def assign(self):
        self.step += 1
        if self.step <= self.config.n_providers:
            self.served = self.step - 1
            return self.served, self.config.cost_bound
        self.served = min(self.bids, key=self.bids.get)
        return self.served, sorted(self.bids.values())[1]
    def settle(self, score, bid):
        self.bids[self.served] = bid
class Raises(Cheapest):
    def assign(self):
        if self.step > 20:
            raise RuntimeError("no\\nroute")
        return super().assign()
class Impatient(Cheapest):
    def assign(self):
        if self.step == 30:
            raise KeyboardInterrupt
        return super().assign()
class Outside(Cheapest):
    def assign(self):
        raise NotImplementedError("two providers only")
class InTurn(Cheapest):
    def assign(self):
        self.step += 1
        self.served = self.step % self.config.n_providers
        return self.served, self.config.cost_bound
class Broken:
    def __init__(self, config, rng):
        raise ValueError("never")
"""


@pytest.fixture
def router(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("COLUMNS", "80")
    path = tmp_path / "router.py"
    path.write_text(ROUTER)
    return str(path)


def test_says_first_what_became_of_the_queries(router: str, passed: Run) -> None:
    out = passed("play", f"{router}:Cheapest", "gsm8k-full", "--horizon", "2000").out
    first, second = " ".join(out.split()).split(". ")[:2]
    assert re.fullmatch(r"0\.\d+% of queries went to the optimal provider, Qwen2.5-3B", first)
    assert re.fullmatch(r"99\.\d+% went to unqualified providers, most of them to Qwen2-1.5B .* threshold\)", second)
    assert max(map(len, out.splitlines())) <= 80
    assert "in the last 1,319 queries, one pass of GSM8K" in out
    shown = passed("play", f"{router}:Cheapest", "gsm8k-full", "--horizon", "300").out
    assert "in the last 300 queries, all of them" in shown


@pytest.mark.long("plays and audits")
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_the_log_is_what_audit_reads(router: str, tmp_path: Path, passed: Run, run: Run, ending: str) -> None:
    log = tmp_path / f"log{ending}"
    shown = passed("play", f"{router}:Cheapest", "gsm8k-full", "--horizon", "150", "--out", str(log)).out
    assert f"costproof audit {log} --setting gsm8k-full" in shown
    trace = read_trace(log, SETTING)
    assert len(trace) == 150
    assert trace.cost is not None
    audited = run("audit", log, "--setting", "gsm8k-full", "--json", "--jobs", "1", "--claim", "eq:payment")
    assert audited.code == 1
    assert audited.data["violation_counts"]["exploration-payment"] > 0


@pytest.mark.parametrize(
    ("name", "code", "told"),
    [
        ("Raises", 1, "router.py:17); `costproof check"),
        ("Outside", 1, "raised NotImplementedError: two providers only"),
        ("Broken", 1, "factory(config, rng) raised ValueError: never"),
        ("Nope", 2, "has no 'Nope'"),
    ],
)
def test_misbehaviour_is_one_line(router: str, run: Run, name: str, code: int, told: str) -> None:
    said = run("play", f"{router}:{name}", "gsm8k-full", "--horizon", "100")
    assert (said.code, said.out, said.err.count("\n")) == (code, "", 1)
    assert told in said.err


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_ctrl_c_keeps_the_log_so_far(router: str, tmp_path: Path, run: Run, passed: Run, form: tuple[str, ...]) -> None:
    log = tmp_path / "log.csv"
    command = ["play", f"{router}:Impatient", "gsm8k-full", "--horizon", "300", *form]
    said = run(*command, "--out", log)
    assert (said.code, said.out) == (130, "")
    assert said.err == f"costproof: 30 of 300 queries were played: their log is {log}\ncostproof: interrupted\n"
    whole = tmp_path / "whole.csv"
    passed("play", f"{router}:Cheapest", "gsm8k-full", "--horizon", "300", "--out", whole)
    assert log.read_text().splitlines() == whole.read_text().splitlines()[:31]
    assert len(read_trace(log, SETTING)) == 30


def test_a_mechanism_that_fails_leaves_the_log_so_far(router: str, tmp_path: Path, run: Run) -> None:
    log = tmp_path / "log.csv"
    ended = run("play", f"{router}:Raises", "gsm8k-full", "--horizon", "300", "--out", log)
    assert ended.code == 1
    kept, failed = ended.err.splitlines()
    assert kept == f"costproof: 21 of 300 queries were played: their log is {log}"
    assert "assign() at step 22 raised RuntimeError: no route" in failed
    assert len(read_trace(log, SETTING)) == 21


@pytest.mark.parametrize(("out", "told"), [("log.txt", "must end in"), ("no/log.csv", "cannot be written")])
def test_a_log_that_cannot_be_written_is_refused_before_playing(
    router: str, run: Run, monkeypatch: pytest.MonkeyPatch, out: str, told: str
) -> None:
    monkeypatch.chdir(Path(router).parent)
    assert_bad_input(run("play", f"{router}:Raises", "gsm8k-full", "--out", out), f"costproof: --out='{out}' {told}")


def test_in_flight_a_settle_without_query_is_told_what_it_must_take(router: str, run: Run) -> None:
    takes = "with queries in flight settle takes (score, bid, query): `costproof docs queries-in-flight`"
    code, _, said = run("play", f"{router}:InTurn", "gsm8k-full", "--horizon", "100", "--in-flight", "3")
    assert code == 1
    assert takes in said
    assert f"`costproof check {router}:InTurn --in-flight 3` gives details" in said
    assert "TypeError" not in said
    done = run("check", f"{router}:InTurn", "--in-flight", "3", "--only", "answers", "--quick")
    assert done.code == 1
    checked = done.told
    assert takes in checked
    assert "settle(1.0, 0.5, 1) at step 1 was refused" in checked
    assert "NotImplementedError" not in checked
