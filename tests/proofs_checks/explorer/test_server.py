"""Callbacks as functions, and the server: this machine alone, no other site's page, nothing from outside."""

from __future__ import annotations

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextvars import copy_context
from dataclasses import replace
from typing import Any

import pytest

pytest.importorskip("dash", reason="needs dash: pip install '.[long]'")
from dash import no_update
from dash._callback_context import context_value
from dash._utils import AttributeDict

from bounds.errors import InputError
from bounds.published import published
from bounds.setting.file import parse_setting
from bounds.worth.words import at_most
from proofs_checks.explorer import market_view, server
from proofs_checks.explorer.controls import VIEWS, PageState
from proofs_checks.explorer.page import GRAPH
from tests.proofs_checks.explorer.states import HOSTILE, hostile_setting, small_state

pytestmark = pytest.mark.long("needs dash")
FIRST = published("gpqa-strong").setting


def asked(state: PageState, **more: Any) -> dict[str, Any]:
    return {**state.to_data(), "theme": "light", "serial": 7, **more}


def written(part: Any) -> str:
    """Return what the browser gets of a part of the page."""
    from dash._utils import to_json

    return str(to_json(part))


class TestTheMarket:
    def test_it_is_drawn(self) -> None:
        drawn = server.draw_market(asked(small_state()))
        metric, selections, _, tiles, meaning, caption, _, under, headline, *titles = drawn[:11]
        looser, wider, message, served, reset, _, runs, pin = drawn[11:]
        assert metric["data"]
        assert len(selections["data"][0]["x"]) == 4
        assert (written(tiles).count("over all 1,500 queries"), written(tiles).count("over the last ")) == (4, 1)
        assert "under platform" in under
        assert "Quality regret" in meaning
        assert "Median of 3 runs" in caption
        assert "gpqa-strong: 4 providers, 1,500 queries" in headline
        assert [title.partition(" under")[0].partition(":")[0] for title in titles] == [
            "Quality regret over time",
            "Queries that each provider served",
        ]
        assert (looser, wider, message, runs, pin) == ("", "", "", "", no_update)
        assert served == {"serial": 7, "next": 1, "total": 1}
        assert reset == "Reset to gpqa-strong"  # 1,500 queries and 3 runs are not where it began

    def test_nothing_is_drawn_of_nothing_and_nonsense_is_refused(self) -> None:
        assert set(server.draw_market(None)) == set(server.draw_details(None)) == {no_update}
        for data in ({}, {"setting": 3}, {"serial": 1, "market": None}):
            assert server.STALE in written(server.draw_market(data)[-6])

    def test_the_numbers_above_name_their_policy(self) -> None:
        drawn = server.draw_market(asked(small_state(policies=("uniform-eligible", "platform"))))
        assert written(drawn[3]).count(" under uniform-eligible") == 5
        assert "the paper's bound" not in drawn[6]
        assert "the paper's bound" in server.draw_market(asked(small_state(policies=("platform",))))[6]

    def test_a_changed_setting_is_called_so(self) -> None:
        own = replace(FIRST, name="my market", platform=replace(FIRST.platform, quality_threshold=0.12))
        state = asked(small_state(setting=own))
        assert server.draw_market(state, first=own)[8].startswith("my market: 4 providers")
        assert server.save_setting(1, state, first=own)["filename"] == "my-market.toml"
        state["setting"]["platform"]["exploration_scale"] = 5.0
        assert server.draw_market(state, first=own)[8].startswith("my market, changed: 4 providers")
        assert server.save_setting(1, state, first=own)["filename"] == "my-market-changed.toml"
        # A built-in setting beside it stays what it is.
        assert server.draw_market(asked(small_state()), first=own)[8].startswith("gpqa-strong: 4")
        assert (server.way_back(state, own), server.way_back(asked(small_state()))) == (own.name, FIRST.name)
        assert server.way_back(asked(PageState.of(own)), own) == ""

    def test_guarantees_wait_for_no_run(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(market: object) -> None:
            raise AssertionError("simulated")

        monkeypatch.setattr(market_view, "simulated", refuse)
        above, beside = server.draw_guaranteed(asked(small_state(view="guarantees", horizon=1501)))
        assert beside is no_update
        assert "Guarantees for runs of 1,501 queries" in written(above)
        assert "median of runs" not in written(above)
        assert server.draw_guaranteed(asked(small_state(view="auction"))) == (no_update, no_update)
        assert server.draw_guaranteed(None) == (no_update, no_update)
        # The market has its guarantees before its first runs; what stands beside runs stays.
        state = small_state(horizon=700_000, runs=30)
        above, beside = server.draw_guaranteed({**asked(state), "stages": 1})
        assert above is no_update
        assert written(beside).count(market_view.NOT_PLAYED_YET) == 4
        bound = market_view.promises(state.market, played=False).rows[0].bound.value
        assert bound is not None
        assert at_most(bound) in written(beside)
        assert server.draw_guaranteed({**asked(state), "stages": 2}) == (no_update, no_update)

    def test_what_is_wrong_is_one_line_and_the_next_question_may_come(self) -> None:
        state = asked(small_state())
        state["setting"]["platform"]["confidence"] = 1.5
        *unchanged, message, served, reset, back, runs, pin = server.draw_market(state)
        assert all(each is no_update for each in unchanged)
        assert message[0].startswith("Failure probability of the guarantees δ = 1.5 must lie in (0, 1)")
        assert served == {"serial": 7, "next": 0, "total": 0}
        assert (runs, pin) == ("", no_update)
        assert (reset, back) == ("Reset to gpqa-strong", "gpqa-strong")

    def test_what_is_not_promised_is_said_above_every_view_and_in_the_table(self) -> None:
        state = small_state(bidders="bayesian")
        assert "the platform is widened by γ = 0.2" in server.draw_market(asked(state))[-7]
        state = replace(state, market=replace(state.market, keep_gamma=True))
        assert "the platform keeps γ = 0" in server.draw_market(asked(state))[-7]
        assert written(server.draw_details(asked(state))[0]).count("not promised here") == 5  # four and T_id
        assert written(server.draw_roster(state, asked(state))).count("not promised here") == 2  # a gap, and below
        assert "band of the theory is not promised here" in written(server.draw_payoffs(state, asked(state)))

    def test_details_hold_the_link(self) -> None:
        guarantees, query = server.draw_details(asked(small_state()))
        assert "Generation regret" in written(guarantees)
        assert PageState.from_query(query, FIRST) == small_state()


class TestViews:
    @pytest.mark.for_each("view", [name for name in VIEWS if name != "market"])
    def test_a_view_is_drawn_where_it_is_looked_at(self, view: str) -> None:
        state = small_state(view=view, horizon=300)
        for name, draw in server._VIEWS.items():
            found = server._drawn_view(name, draw, asked(state))
            assert (found is not no_update) == (name == view)

    @pytest.mark.for_each("view", VIEWS)
    def test_hostile_names_are_text(self, view: str) -> None:
        """Dash writes text as text; only a property that is read as HTML could run it, and there is none."""
        state = small_state(view=view, setting=hostile_setting(), horizon=200)
        drawn = [server.draw_market(asked(state)), server._drawn(state, "gpqa-strong")]
        drawn += [server._drawn_view(name, draw, asked(state)) for name, draw in server._VIEWS.items()]
        text = written([each for each in drawn if each is not no_update])
        assert "dangerously_allow_html" not in text
        assert "Markdown" not in text
        assert "\u202e" not in json.loads(json.dumps(text)).replace(json.dumps(HOSTILE[3])[1:-1], "")

    @pytest.mark.parametrize(("bidders", "said"), [("truthful", True), ("bayesian", True), ("deviating", False)])
    def test_bounds_that_allow_for_deviations_nobody_makes_are_named(self, bidders: str, said: bool) -> None:
        data = asked(small_state(bidders="deviating"))
        data["market"]["bidders"] = bidders
        looser = server.draw_market(data)[-8]
        assert ("d₋ = 1.5 below and d₊ = 2.5 above" in looser) is said
        assert (looser != "") is said

    def test_the_setting_is_saved(self) -> None:
        state = small_state(bidders="deviating")
        saved = server.save_setting(1, asked(state))
        assert parse_setting(saved["content"], state.market.setting.name) == state.market.setting
        assert server.save_setting(1, None) is no_update


class TestSweep:
    """What the page asks for, one threshold after the other."""

    def test_the_page_asks_until_all_are_done(self) -> None:
        state, at, rows = small_state(), 0, []
        while True:
            results, said, value, most, done = server.draw_sweep(asked(state, at=at))
            rows.append(written(results).count('"scope": "row"') or written(results).count('"scope":"row"'))
            assert (value, most, done["serial"]) == (at + 1, 3, 7)
            if done["next"] == done["total"]:
                break
            at = done["next"]
        assert rows == [1, 2, 3]
        assert said == "3 of 3 thresholds: complete."


class TestPlaces:
    def test_a_midpoint(self) -> None:
        state = asked(small_state())
        placed = {way: server.place_number({"way": way, "at": 1}, state) for way in ("earlier", "later")}
        assert [placed[way]["value"] for way in placed] == [0.14509, 0.189751]
        assert {placed[way]["key"] for way in placed} == {"quality_threshold"}
        state["setting"]["platform"]["quality_threshold"] = 0.9
        assert server.place_number({"way": "later"}, state) is no_update

    def test_a_provider_of_the_benchmark_joins_also_where_it_is_dearer_than_c_max(self) -> None:
        found = server.with_known_provider(asked(small_state()), "Qwen2.5-7B@2").market.setting
        assert (found.n_providers, found.providers[-1].multiplicity) == (5, 2)
        assert found.platform.cost_bound == found.providers[-1].mean_cost
        assert server.with_known_provider(asked(small_state()), "nobody").market.setting.n_providers == 4


class TestControls:
    def structured(
        self, event: Any, state: Any = None, base: Any = "known", horizon: int | None = None, **more: Any
    ) -> tuple[Any, ...]:
        """Return what the callback of the controls answers to an event."""
        inputs = {"search": None, "picked": None, "added": None, "removed": [], **more}

        def ask() -> tuple[Any, ...]:
            context_value.set(AttributeDict(triggered_inputs=[{"prop_id": event}]))
            found: tuple[Any, ...] = server._restructured(FIRST, horizon, *inputs.values(), state, base)
            return found

        return copy_context().run(ask)

    def test_the_page_opens_with_the_horizon_of_the_command(self) -> None:
        """A link that names no horizon keeps its own; the way back leads to where the page began."""
        for search, horizon in (("", "50000"), ("?setting=gpqa-strong&horizon=900", "900"), ("?runs=3", "70000")):
            controls, *_ = self.structured("url.search", base=None, search=search, horizon=50_000)
            assert f'"value":{horizon},"type":"number","step":"any","id":{{"knob":"horizon"' in written(controls)
        began = asked(PageState.of(FIRST, 50_000))
        assert server.draw_market(began, first=FIRST, horizon=50_000)[-3] == ""
        assert server.way_back(began, FIRST) == FIRST.name

    def test_a_link_that_says_nothing_sensible_is_told_and_the_page_opens(self) -> None:
        *_, base, _, message, _ = self.structured("url.search", base=None, search="?runs=none")
        assert base["name"] == "gpqa-strong"
        assert message.startswith("The link is not understood: runs='none' must be a number")

    def test_a_provider_is_added_and_removed(self) -> None:
        *_, base, _, _, _ = self.structured("add.n_clicks", asked(small_state()), added=1)
        assert base["providers"] == 5
        *_, base, _, _, _ = self.structured(
            '{"remove":0}.n_clicks', asked(small_state()), removed=[1, None, None, None]
        )
        assert base["providers"] == 3

    def test_the_last_two_providers_stay(self) -> None:
        state = server.without_provider(server.without_provider(asked(small_state()), 0).to_data(), 0)
        answer = self.structured('{"remove":0}.n_clicks', asked(state), removed=[1, None])
        assert answer[0] is no_update
        assert answer[-1].startswith("Providers = 1 is too few")


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with server.serving(hostile_setting()) as (found, running):
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield found
        running.shutdown()
        thread.join()


def fetched(url: str, **headers: str) -> tuple[int, dict[str, str], str]:
    """Return status, headers and body, without any proxy of this machine."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(urllib.request.Request(url, headers=headers), timeout=60) as answer:
            return answer.status, dict(answer.headers), answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, {}, ""


class TestServer:
    def test_pictures_are_not_uploaded(self) -> None:
        buttons = [button for group in GRAPH["modeBarButtons"] for button in group]  # type: ignore[attr-defined]
        assert "sendChartToCloud" not in buttons
        assert (GRAPH["plotlyServerURL"], GRAPH["showSendToCloud"]) == ("", False)

    def test_it_answers_on_this_machine(self, address: str) -> None:
        status, headers, body = fetched(address)
        assert status == 200
        assert '<html lang="en">' in body
        policy = headers["Content-Security-Policy"]
        assert "default-src 'self'" in policy
        assert "unsafe-eval" not in policy
        assert "script-src 'self' 'sha256-" in policy

    def test_a_port_that_is_taken_is_bad_input(self, address: str) -> None:
        port = int(address.rstrip("/").rpartition(":")[2])
        with pytest.raises(InputError, match="cannot be had"), server.serving(FIRST, port):
            pass
