"""What `import costproof` offers; each verb does what the package behind it does, with the command line's defaults."""

import ast
import importlib
import inspect
import json
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import costproof
from bounds.errors import InputError
from mechanism import episode
from mechanism.platform import reference_mechanism
from mechanism.policies import POLICIES
from proofs_checks.claims.registry import all_claims
from proofs_checks.cli.main import main
from proofs_checks.proofs.kernel.check import KernelCheck
from tests.refusals import assert_refused

NAME = "gpqa-strong"
SETTING = costproof.load_setting(NAME)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    main([*arguments, "--json"])
    return json.loads(capsys.readouterr().out)


@pytest.mark.for_each(
    ("verb", "wrong"),
    [
        *(("bounds", wrong) for wrong in ({"horizon": 3}, {"horizon": 1.5}, {"method": "x"})),
        *(("simulate", wrong) for wrong in ({"horizon": 0}, {"seed": -1}, {"seed": 0.5}, {"seed": None}, {"run": -1})),
        *(("simulate", wrong) for wrong in ({"policy": "plattform"}, {"policy": ["platform"]})),
        *(("verify", wrong) for wrong in ({"horizon": 3}, {"runs": 0}, {"instances": -1}, {"instances": 0.5})),
        ("verify", {"settings": [NAME, NAME]}),
    ],
)
def test_a_bad_argument_is_named(verb: str, wrong: dict) -> None:
    with pytest.raises(InputError) as error:
        getattr(costproof, verb)(**{"settings" if verb == "verify" else "setting": NAME, **wrong})
    assert [error.value.argument] == [*wrong]


class TestBounds:
    def test_is_the_command(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert costproof.bounds(NAME, method="sharp", advice=True).to_data() == printed(
            capsys, "bounds", NAME, "--method", "sharp"
        )

    @pytest.mark.long("70,001 providers")
    def test_a_market_of_more_providers_than_the_usual_horizon(self) -> None:
        platform = costproof.PlatformParameters(0.5, 0.05, 1.0, 2.0, 0.75)
        providers = [costproof.Provider(f"p{i}", 0.9, 0.5) for i in range(70_001)]
        wide = costproof.Setting("wide", platform, providers)
        assert len(costproof.simulate(wide)) == 70_001


class TestSimulate:
    @pytest.mark.for_each("policy", POLICIES)
    def test_equals_the_plain_episode(self, policy: str) -> None:
        plain = episode.simulate(SETTING, horizon=500, seed=3, run=2, policy=POLICIES[policy])
        assert costproof.simulate(NAME, 500, policy=policy, seed=3, run=2) == plain
        assert costproof.simulate(NAME, 500, policy=POLICIES[policy], seed=3, run=2) == plain

    def test_the_usual_horizon_is_the_papers(self) -> None:
        assert len(costproof.simulate(NAME)) == 70_000


class TestMeasure:
    def test_windows(self) -> None:
        trace = costproof.simulate(NAME, 2_000)
        assert costproof.measure(NAME, trace).window == 546  # the benchmark's questions
        assert costproof.measure(NAME, trace, window=10).window == 10
        unknown = costproof.Setting("mine", SETTING.platform, SETTING.providers[::-1])
        assert costproof.measure(unknown, trace).window == 40  # a fiftieth
        assert costproof.measure(NAME, trace.head(300)).window == 300

    @pytest.mark.for_each("window", [0, -5, 2.5, "all", True])
    def test_bad_windows(self, window: object) -> None:
        assert_refused(r"^window=", costproof.measure, NAME, costproof.simulate(NAME, 100), window=window)


class TestVerify:
    def test_the_usual_settings_are_the_papers(self) -> None:
        found = costproof.verify(labels="eq:payment", quick=True, horizon=20, instances=0)
        assert found.settings == ("gsm8k-full", "gsm8k-ladder", "gpqa-full", "gpqa-ladder", "gpqa-strong")


class TestCheck:
    def test_a_factory_and_its_name_are_one(self) -> None:
        by_name = costproof.check("mechanism.platform:reference_mechanism", only="lone-payment", quick=True, seed=2)
        by_object = costproof.check(reference_mechanism, only="lone-payment", quick=True, seed=2)
        assert by_name.conforms
        assert by_name.to_data() == by_object.to_data()

    @pytest.mark.parametrize(
        ("wrong", "told"),
        [
            (3, "^mechanism=3 must be callable"),
            ("reference", "^mechanism='reference' names no object"),
            ("mechanism.platform:reference", "^mechanism=.*did you mean reference_mechanism"),
        ],
    )
    def test_no_mechanism(self, wrong: object, told: str) -> None:
        assert_refused(told, costproof.check, wrong, quick=True)


class TestProve:
    def test_has_coq_check_first_where_that_is_asked_for(self, monkeypatch: pytest.MonkeyPatch) -> None:
        check = KernelCheck(coq="8.99", theorems=1, files=1, problems=("a: b",), seconds=1.0)
        monkeypatch.setattr("costproof.evidence.check_kernel", lambda: check)
        plain, checked = (costproof.prove("lem:one-step", kernel=kernel).claims[0] for kernel in (False, True))
        assert (plain.verdict, checked.verdict) == (costproof.Verdict.PROVED, costproof.Verdict.SKIPPED)
        assert "Coq 8.99 on this machine does not confirm it (a: b)" in checked.reason


class TestReproduce:
    def test_only_what_the_paper_prints(self) -> None:
        mine = costproof.Setting(NAME, SETTING.platform, SETTING.providers[:3])
        assert_refused(r"^settings='gpqa-strong' is not a setting of the paper", costproof.reproduce, mine)


def test_claims_and_witnesses() -> None:
    label = "lem:payment-range:under-deviations"
    assert costproof.claim(label) is all_claims()[label]
    found = costproof.verify([], labels=label, quick=True, instances=0)
    witnesses = [evidence.witness for result in found.results for evidence in result.evidence if evidence.witness]
    assert witnesses
    assert all(costproof.replays(witness) for witness in witnesses)


VERBS = "load_setting published bounds simulate measure verify claim check audit prove reproduce read_trace replays"


def loaded_after(code: str) -> set[str]:
    """The modules that some code loads in a process of its own."""
    program = f"import sys\n{code}\nprint(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    return set(done.stdout.split())


def test_every_verb_and_noun_is_there() -> None:
    assert {*VERBS.split(), "Setting", "Trace", "InputError", "Verdict"} <= set(costproof.__all__)
    assert {name for name in costproof.__all__ if not callable(getattr(costproof, name))} == {"symbols"}


def test_it_loads_nothing_but_itself_and_what_finds_its_names() -> None:
    library = "__future__, collections.abc, functools, importlib.util, os, typing, warnings"
    extra = loaded_after("import costproof") - loaded_after(f"import {library}")
    finding = {"bounds", "bounds.exports", "bounds.extras", "proofs_checks", "proofs_checks.installation"}
    assert extra == {"costproof", *finding}


def test_no_module_hides_a_verb() -> None:
    """Importing a submodule binds its name in the package: a verb of that name would be lost."""
    modules = {module.name for module in pkgutil.iter_modules(costproof.__path__)}
    assert modules
    assert not modules & set(costproof.__all__)
    for module in modules:
        importlib.import_module(f"costproof.{module}")
    assert inspect.isfunction(costproof.bounds)


def test_type_checkers_and_editors_see_the_same_names_from_the_same_places() -> None:
    tree = ast.parse(Path(costproof.__file__).read_text(encoding="utf-8"))
    [guarded] = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {
        alias.name: node.module for node in guarded.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert set(seen) == set(costproof.__all__)
    for name, module in seen.items():
        assert getattr(importlib.import_module(module), name) is getattr(costproof, name)


@pytest.mark.for_each(
    "name",
    [
        *("audit", "bounds", "check", "compare", "coverage", "measure", "prove", "read_trace", "reproduce", "simulate"),
        "verify",
    ],
)
def test_every_verb_documents_its_arguments(name: str) -> None:
    """Each by its name, and at most two that may be given without it; with an example."""
    verb = getattr(costproof, name)
    parameters = inspect.signature(verb).parameters.values()
    documentation = inspect.getdoc(verb)
    described, examples = documentation.split("Returns\n---")[0], documentation.split("Examples\n---")[1]
    assert [parameter.name for parameter in parameters if f"{parameter.name}" not in described] == []
    assert ">>> " in examples
    assert sum(parameter.kind is not parameter.KEYWORD_ONLY for parameter in parameters) <= 2
