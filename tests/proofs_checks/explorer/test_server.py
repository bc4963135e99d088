"""Callbacks as functions, and the server: this machine alone, no other site's page, nothing from outside."""

from __future__ import annotations

import json
import socket
import threading
import unicodedata
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextvars import copy_context
from dataclasses import replace
from typing import Any

import pytest
from dash import no_update
from dash._callback_context import context_value
from dash._utils import AttributeDict
from hypothesis import given, strategies as st

from bounds.errors import InputError
from bounds.published import published
from bounds.setting.file import parse_setting
from bounds.worth.words import at_most
from proofs_checks.claims.registry import all_claims
from proofs_checks.explorer import market_view, server
from proofs_checks.explorer.controls import VIEWS, PageState
from proofs_checks.explorer.set_text import set_text
from tests.proofs_checks.explorer.states import HOSTILE, hostile_setting, small_state

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
        (
            metric,
            selections,
            style,
            tiles,
            meaning,
            caption,
            _,
            under,
            headline,
            *titles,
            looser,
            wider,
            message,
            served,
            reset,
            _,
            runs,
            pin,
        ) = drawn
        assert metric["data"]
        assert len(selections["data"][0]["x"]) == 4
        assert len(tiles) == 5
        assert (written(tiles).count("over all 1,500 queries"), written(tiles).count("over the last ")) == (4, 1)
        assert "At the end of a run under platform," in under
        assert "Quality regret" in meaning
        assert "Median of 3 runs" in caption
        assert "gpqa-strong: 4 providers, 1,500 queries" in headline
        assert titles == [
            "Quality regret over time: gpqa-strong",
            "Queries that each provider served under platform: gpqa-strong",
        ]
        assert style == {"height": f"{selections['layout']['height']}px"}
        assert (looser, wider, message, runs, pin) == ("", "", "", "", no_update)
        assert served == {"serial": 7, "next": 1, "total": 1}
        assert reset == "Reset to gpqa-strong"  # 1,500 queries and 3 runs are not where it began

    def test_a_radius_wider_than_its_slider_says_is_named(self) -> None:
        wider = server.draw_market(asked(small_state(bidders="bayesian")))[-7]
        assert wider.startswith(
            "γ = 0 does not cover the prior of bayesian bidders; the platform is widened by γ = 0.2"
        )
        assert "All views" in wider

    def test_the_numbers_above_name_their_policy(self) -> None:
        drawn = server.draw_market(asked(small_state(policies=("uniform-eligible", "platform"))))
        assert written(drawn[3]).count(" under uniform-eligible") == 5
        assert "the paper's bound" not in drawn[6]
        assert "the paper's bound" in server.draw_market(asked(small_state(policies=("platform",))))[6]

    def test_without_a_qualified_provider_that_is_what_is_said(self) -> None:
        state = asked(small_state())
        state["setting"]["platform"]["quality_threshold"] = 1.0
        assert "not defined: no single optimal provider" in written(server.draw_market(state)[3])
        assert "has no value here" in written(server.draw_details(state)[0])

    def test_a_changed_setting_is_not_called_the_papers(self) -> None:
        state = asked(small_state())
        state["setting"]["platform"]["exploration_scale"] = 5.0
        assert server.draw_market(state)[8].startswith("gpqa-strong, changed: 4 providers")

    def test_a_changed_setting_of_the_users_own_file_is_called_so(self) -> None:
        own = replace(FIRST, name="my market", platform=replace(FIRST.platform, quality_threshold=0.12))
        state = asked(small_state(setting=own))
        assert server.draw_market(state, first=own)[8].startswith("my market: 4 providers")
        assert server.save_setting(1, state, first=own)["filename"] == "my-market.toml"
        state["setting"]["platform"]["exploration_scale"] = 5.0
        drawn = server.draw_market(state, first=own)
        assert drawn[8].startswith("my market, changed: 4 providers")
        assert drawn[9] == "Quality regret over time: my market, changed"
        saved = server.save_setting(1, state, first=own)
        assert saved["filename"] == "my-market-changed.toml"
        state["focus"]["view"] = "export"
        assert "my-market-changed.toml" in written(server._drawn_view("export", server.draw_export, state, first=own))
        # A built-in setting beside it stays what it is.
        assert server.draw_market(asked(small_state()), first=own)[8].startswith("gpqa-strong: 4")

    def test_what_the_page_began_with_is_no_part_of_a_link(self) -> None:
        own = replace(FIRST, name="my market")
        state = server.read_state(asked(small_state(setting=own)), own)
        assert state.market.began == own
        assert "began" not in state.to_query()
        assert "began" not in state.to_data()["market"]
        assert PageState.from_query(state.to_query(), own) == state

    def test_guarantees_wait_for_no_run(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(market: object) -> None:
            raise AssertionError("simulated")

        monkeypatch.setattr(market_view, "simulated", refuse)
        for horizon in (1500, 1501):
            above, beside = server.draw_guaranteed(asked(small_state(view="guarantees", horizon=horizon)))
            assert beside is no_update
            assert f"Guarantees for runs of {horizon:,} queries" in written(above)
            assert "Generation regret" in written(above)
            assert "median of runs" not in written(above)
        assert server.draw_guaranteed(asked(small_state(view="auction"))) == (no_update, no_update)
        assert server.draw_guaranteed({"focus": {"view": "guarantees"}}) == (no_update, no_update)
        assert server.draw_guaranteed(None) == (no_update, no_update)

    def test_the_market_has_its_guarantees_before_its_first_runs(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(market: object) -> None:
            raise AssertionError("simulated")

        state = small_state(horizon=700_000, runs=30)
        assert len(state.market.stages()) > 1
        with monkeypatch.context() as patched:
            patched.setattr(market_view, "simulated", refuse)
            above, beside = server.draw_guaranteed({**asked(state), "stages": 1})
        assert above is no_update
        assert "Guarantees for runs of 700,000 queries" in written(beside)
        assert written(beside).count(market_view.NOT_PLAYED_YET) == 4
        bound = market_view.promises(state.market, played=False).rows[0].bound.value
        assert bound is not None
        assert at_most(bound) in written(beside)
        # What stands beside runs stays.
        assert server.draw_guaranteed({**asked(state), "stages": 2}) == (no_update, no_update)

    def test_a_slider_changes_the_picture(self) -> None:
        state = asked(small_state())
        before = server.draw_market(state)[0]
        state["setting"]["platform"]["exploration_scale"] = 5.0
        assert server.draw_market(state)[0] != before

    def test_what_is_wrong_is_one_line_and_the_next_question_may_come(self) -> None:
        state = asked(small_state())
        state["setting"]["platform"]["confidence"] = 1.5
        *unchanged, message, served, reset, back, runs, pin = server.draw_market(state)
        assert all(each is no_update for each in unchanged)
        wrong = "Failure probability of the guarantees δ = 1.5 must lie in (0, 1): it is the failure probability delta"
        assert message[0] == f"{wrong}. "
        assert "earlier, valid input" in written(message[1])
        assert served == {"serial": 7, "next": 0, "total": 0}
        assert (runs, pin) == ("", no_update)
        assert (reset, back) == ("Reset to gpqa-strong", "gpqa-strong")

    def test_the_way_back_is_offered_while_something_is_changed(self) -> None:
        own = replace(FIRST, name="my market")
        for setting in (FIRST, own):
            state = asked(PageState.of(setting))
            assert server.way_back(state, own) == ""
            state["setting"]["provider"][0]["mean_cost"] += 1
            assert server.way_back(state, own) == setting.name
        assert server.way_back(asked(small_state(setting=own))) == ""
        assert server.way_back(None, own) == "my market"

    def test_a_drag_says_how_many_runs_it_shows(self) -> None:
        state = asked(small_state(horizon=700_000, runs=5), draft=True)
        assert "3 of 5 runs while you drag" in server.draw_market(state)[5]

    def test_runs_are_added_stage_by_stage_and_stay_where_they_are_stopped(self) -> None:
        state = small_state(horizon=700_000, runs=5, view="policies")
        said = []
        for more in ({"stages": 1}, {"stages": 1, "stopped": True}, {"stages": 2}):
            drawn = server.draw_market(asked(state, **more))
            said.append((drawn[-2], drawn[-5]["next"], drawn[-5]["total"]))
        assert said == [("3 of 5 runs so far", 1, 2), ("3 of 5 runs before you stopped", 1, 2), ("", 2, 2)]
        for more, runs, note in (({"stages": 1}, 3, " (3 of 5 runs)"), ({}, 5, "")):
            settled = asked(state, **more)
            assert f'under the platform{note}"' in written(server.draw_details(settled)[0])
            assert f"by auction, {runs} runs" in written(server.draw_policies(state, settled))

    def test_c_max_that_is_kept_at_the_least_moves_its_slider(self) -> None:
        state = asked(small_state())
        state["setting"]["platform"]["cost_bound"] = 80.0
        assert server.draw_market(state)[-1] is no_update
        state["market"]["pinned"] = True
        assert server.draw_market(state)[-1] == {"key": "cost_bound", "value": 75.008, "serial": 7}
        state["setting"]["platform"]["cost_bound"] = 75.008
        assert server.draw_market(state)[-1] is no_update

    def test_the_picture_has_a_logarithmic_axis_where_that_is_asked_for(self) -> None:
        figures = [server.draw_market(asked(small_state(), log=log))[0] for log in (False, True)]
        assert [figure["layout"]["yaxis"].get("type") for figure in figures] == [None, "log"]

    def test_what_is_not_promised_is_said_above_every_view_and_in_the_table(self) -> None:
        state = small_state(bidders="bayesian")
        state = replace(state, market=replace(state.market, keep_gamma=True))
        above = server.draw_market(asked(state))[-7]
        assert "the platform keeps γ = 0, and of the guarantees only that on quality is promised" in above
        assert "In every view" in above
        table = written(server.draw_details(asked(state))[0])
        assert table.count("not promised here") == 5  # four guarantees and T_id
        assert written(server.draw_roster(state, asked(state))).count("not promised here") == 2  # a gap, and below
        payoffs = written(server.draw_payoffs(state, asked(state)))
        assert "band of the theory is not promised here" in payoffs
        assert "Payments in their band" not in payoffs

    @pytest.mark.parametrize("data", [{}, {"setting": 3}, {"serial": 1, "market": None}])
    def test_nonsense_is_refused(self, data: dict[str, Any]) -> None:
        assert server.STALE in written(server.draw_market(data)[-6])

    def test_nothing_is_drawn_before_the_page_has_gathered(self) -> None:
        assert set(server.draw_market(None)) == {no_update}
        assert set(server.draw_details(None)) == {no_update}

    def test_details_hold_the_link(self) -> None:
        guarantees, query = server.draw_details(asked(small_state()))
        assert "Generation regret" in written(guarantees)
        assert PageState.from_query(query, FIRST) == small_state()


class TestViews:
    @pytest.mark.parametrize("view", [name for name in VIEWS if name != "market"])
    def test_a_view_is_drawn_where_it_is_looked_at(self, view: str) -> None:
        state = small_state(view=view, horizon=300)
        for name, draw in server._VIEWS.items():
            found = server._drawn_view(name, draw, asked(state))
            assert (found is not no_update) == (name == view)

    @pytest.mark.parametrize("view", list(VIEWS))
    def test_hostile_names_are_text(self, view: str) -> None:
        """Dash writes text as text; only a property that is read as HTML could run it, and there is none."""
        state = small_state(view=view, setting=hostile_setting(), horizon=200)
        drawn = [server.draw_market(asked(state)), server._drawn(state, "gpqa-strong")]
        drawn += [server._drawn_view(name, draw, asked(state)) for name, draw in server._VIEWS.items()]
        text = written([each for each in drawn if each is not no_update])
        assert "dangerously_allow_html" not in text
        assert "Markdown" not in text
        assert "\u202e" not in json.loads(json.dumps(text)).replace(json.dumps(HOSTILE[3])[1:-1], "")

    def test_claims_are_filtered_by_verdict(self) -> None:
        state = small_state(view="claims", horizon=300)
        whole, some = (written(server.draw_claims(state, {"verdict": each})) for each in ("all", "VACUOUS"))
        assert "lem:payment-range" in whole
        assert "lem:payment-range" not in some
        assert len(some) < len(whole)
        assert written(server.draw_claims(state, {"verdict": "<script>"})) != some

    def test_the_claims_say_how_this_page_draws_questions(self) -> None:
        found = written(server.draw_claims(small_state(view="claims", horizon=300), {"verdict": "all"}))
        assert "in passes without replacement, while costproof verify draws independent queries" in found
        assert found.count("no evidence either way") == 1
        assert "The good event held in 3 of 3 runs." in found

    def test_claims_that_do_not_apply_stand_last_and_the_rest_in_the_papers_order(self) -> None:
        (card,) = server.draw_claims(small_state(view="claims", horizon=300), {"verdict": "all"})
        rows = [row.children for row in card.children[-1].children[1].children.children[2].children]
        labels = [cells[0].children[1].children for cells in rows]
        verdicts = [cells[2].children[0].children for cells in rows]
        away = verdicts.index("does not apply here")
        assert set(verdicts[away:]) == {"does not apply here"}
        assert "REFUTED" not in verdicts
        known = list(all_claims())
        for part in (labels[:away], labels[away:]):
            assert part == sorted(part, key=known.index)

    def test_formulas_are_set(self) -> None:
        found = written(server.draw_claims(small_state(view="claims", horizon=300), {"verdict": "all"}))
        assert "c_max" not in found
        assert "qhat" not in found
        assert "ASSUMPTION_VIOLATED (" not in found

    @given(st.text(max_size=40))
    def test_a_sentence_of_any_letters_is_set_whole(self, text: str) -> None:
        def letters(part: Any) -> str:
            if isinstance(part, list):
                return "".join(map(letters, part))
            return part if isinstance(part, str) else letters(part.children)

        assert unicodedata.normalize("NFKC", letters(set_text("a word: " + text))).startswith("a word:")

    def test_every_claim_can_be_set(self) -> None:
        for claim in all_claims().values():
            assert set_text(claim.statement)

    def test_a_view_stays_while_the_input_is_not_valid(self) -> None:
        data = asked(small_state(view="auction"))
        data["focus"]["step"] = 10**9
        assert server._drawn_view("auction", server.draw_step, data) is no_update

    def test_an_error_of_a_view_is_a_sentence(self) -> None:
        def refuse(state: PageState, settled: dict[str, Any]) -> Any:
            raise InputError("step", state.focus.step, "cannot be drawn", "choose another")

        data = asked(small_state(view="auction"))
        assert "cannot be drawn" in written(server._drawn_view("auction", refuse, data))

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

    @pytest.mark.parametrize("at", [-5, 99, "x", None])
    def test_a_threshold_that_there_is_not_is_one_that_there_is(self, at: Any) -> None:
        assert server.draw_sweep(asked(small_state(), at=at))[4]["total"] == 3

    def test_a_market_that_is_not_valid_is_not_swept(self) -> None:
        state = asked(small_state(), at=0)
        state["setting"]["platform"]["confidence"] = 7
        results, said, *_, done = server.draw_sweep(state)
        assert results is no_update
        assert "must lie in (0, 1)" in said
        assert done["next"] == done["total"] == 0

    def test_results_of_another_market_are_told(self) -> None:
        now = asked(small_state(view="sweep"))
        assert server.SWEPT_BEFORE not in written(server.draw_sweep_plan(now, None))
        assert server.SWEPT_BEFORE not in written(server.draw_sweep_plan(now, now))
        other = asked(small_state(view="sweep", horizon=1600))
        assert server.SWEPT_BEFORE in written(server.draw_sweep_plan(now, other))

    def test_without_two_qualities_it_says_so(self) -> None:
        state = asked(small_state(view="sweep"))
        for provider in state["setting"]["provider"]:
            provider["quality"] = 0.5
        assert "There is no threshold to try" in written(server.draw_sweep_plan(state, None))
        assert server.draw_sweep(state)[4]["total"] == 0


class TestPlaces:
    def test_a_midpoint(self) -> None:
        state = asked(small_state())
        placed = {way: server.place_number({"way": way, "at": 1}, state) for way in ("earlier", "later")}
        assert [placed[way]["value"] for way in placed] == [0.14509, 0.189751]
        assert [placed[way]["key"] for way in placed] == ["quality_threshold", "quality_threshold"]

    def test_where_there_is_none_nothing_moves(self) -> None:
        state = asked(small_state())
        state["setting"]["platform"]["quality_threshold"] = 0.9
        assert server.place_number({"way": "later"}, state) is no_update
        state["setting"]["platform"]["confidence"] = 7
        assert server.place_number({"way": "earlier"}, state) is no_update

    def test_a_provider_of_the_benchmark_joins_also_where_it_is_dearer_than_c_max(self) -> None:
        found = server.with_known_provider(asked(small_state()), "Qwen2.5-7B@2").market.setting
        assert (found.n_providers, found.providers[-1].multiplicity) == (5, 2)
        assert found.platform.cost_bound == found.providers[-1].mean_cost
        assert server.with_known_provider(asked(small_state()), "nobody").market.setting.n_providers == 4

    def test_the_results_are_saved(self) -> None:
        saved = server.save_results(1, asked(small_state(policies=("platform", "lowest-price"))))
        document = json.loads(saved["content"])
        assert saved["filename"] == "gpqa-strong-results.json"
        assert list(document["policies"]) == ["platform", "lowest-price"]
        assert len(document["policies"]["platform"]["quality_regret"]) == 3
        wrong = asked(small_state())
        wrong["market"]["runs"] = 0
        assert server.save_results(1, wrong) is no_update


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

    def test_the_page_opens_with_the_setting_of_the_command(self) -> None:
        *_, base, begun, trouble, message = self.structured("url.search", base=None, search="")
        assert (base["name"], base["providers"], trouble, message) == ("gpqa-strong", 4, "", "")
        assert begun["view"] == "market"

    def test_the_page_opens_with_the_horizon_of_the_command(self) -> None:
        """A link that names no horizon keeps its own; the way back leads to where the page began."""
        for search, horizon in (("", "50000"), ("?setting=gpqa-strong&horizon=900", "900"), ("?runs=3", "70000")):
            controls, *_ = self.structured("url.search", base=None, search=search, horizon=50_000)
            assert f'"value":{horizon},"type":"number","step":"any","id":{{"knob":"horizon"' in written(controls)
        began = asked(PageState.of(FIRST, 50_000))
        assert server.draw_market(began, first=FIRST, horizon=50_000)[-3] == ""
        assert server.way_back(began, FIRST) == FIRST.name

    def test_a_link_opens_its_view(self) -> None:
        *_, base, begun, _, _ = self.structured(
            "url.search", base=None, search="?setting=gsm8k-full&view=claims&bidders=bayesian"
        )
        assert (base["name"], begun["view"], begun["bidders"]) == ("gsm8k-full", "claims", "bayesian")

    def test_a_link_that_says_nothing_sensible_is_told_and_the_page_opens(self) -> None:
        *_, base, _, message, _ = self.structured("url.search", base=None, search="?runs=none")
        assert base["name"] == "gpqa-strong"
        assert message.startswith("The link is not understood: runs='none' must be a number")

    def test_a_preset(self) -> None:
        picked = {"key": "preset", "value": "gsm8k-ladder"}
        *_, base, _, _, _ = self.structured("picked.data", asked(small_state()), picked=picked)
        assert base["name"] == "gsm8k-ladder"

    def test_a_preset_replaces_invalid_numbers_too(self) -> None:
        state = asked(small_state(view="claims", metric="accuracy"))
        state["setting"]["provider"][0]["mean_cost"] = 200.0
        picked = {"key": "preset", "value": "gpqa-strong"}
        *_, base, begun, _, message = self.structured("picked.data", state, picked=picked)
        assert (base["name"], message) == ("gpqa-strong", "")
        assert (begun["view"], begun["metric"], begun["bidders"]) == ("claims", "accuracy", "truthful")

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

    def test_new_names_are_new(self) -> None:
        state = server.with_provider(server.with_provider(asked(small_state())).to_data())
        assert [provider.name for provider in state.market.setting.providers][-2:] == ["Provider 5", "Provider 6"]

    def test_other_events_change_nothing(self) -> None:
        assert (
            self.structured("picked.data", asked(small_state()), picked={"key": "metric", "value": "accuracy"})[0]
            is no_update
        )


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
    def test_it_answers_on_this_machine(self, address: str) -> None:
        status, headers, body = fetched(address)
        assert status == 200
        assert '<html lang="en">' in body
        policy = headers["Content-Security-Policy"]
        assert "default-src 'self'" in policy
        assert "unsafe-eval" not in policy
        assert "script-src 'self' 'sha256-" in policy

    def test_the_page_names_no_other_place(self, address: str) -> None:
        _, _, body = fetched(address)
        assert "http://" not in body
        assert "https://" not in body
        assert "//cdn" not in body

    @pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example"])
    def test_another_name_that_points_here_is_refused(self, address: str, host: str) -> None:
        assert fetched(address, Host=host)[0] == 400

    def test_another_sites_page_is_refused(self, address: str) -> None:
        assert fetched(f"{address}_dash-layout", Origin="http://evil.example")[0] == 403
        assert fetched(f"{address}_dash-layout", Origin=address.rstrip("/"))[0] == 200

    def test_it_listens_on_this_machine_alone(self, address: str) -> None:
        port = int(address.rstrip("/").rpartition(":")[2])
        others = {entry[4][0] for entry in socket.getaddrinfo(socket.gethostname(), port, socket.AF_INET)} - {
            "127.0.0.1"
        }
        for other in sorted(others):
            with socket.socket() as tried:
                tried.settimeout(5)
                assert tried.connect_ex((str(other), port)) != 0 or str(other).startswith("127.")

    def test_a_port_that_is_taken_is_bad_input(self, address: str) -> None:
        port = int(address.rstrip("/").rpartition(":")[2])
        with pytest.raises(InputError, match="cannot be had"), server.serving(FIRST, port):
            pass

    def test_nothing_is_in_debug_mode(self) -> None:
        app = server.make_app(FIRST)
        assert not app.server.debug
        assert app.config.serve_locally
