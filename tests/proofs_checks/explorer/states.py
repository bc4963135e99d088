"""States of the page for tests: small markets, with every kind of bidder, and one with hostile names."""

from dataclasses import replace
from typing import Any

from bounds.published import published
from bounds.setting.model import PlatformParameters, Provider, Setting
from proofs_checks.explorer.controls import Focus, PageState, SimulatedMarket

#: A tag, quotes, an entity, marks of direction, an escape of plotly.js, a template of its hovers, and a line's end.
HOSTILE = (
    "<script>document.title='run'</script>",
    "<img src=x onerror=\"document.title='run'\">",
    "</style><b>bold</b>&amp;%{x}",
    "\u202eright\u202c to 'left' \"quoted\"\n\u2066",
)


def hostile_setting() -> Setting:
    platform = PlatformParameters(0.5, 0.05, 1.0, 1.0, 0.6)
    providers = [Provider(name, 0.9 - 0.2 * i, 0.1 + 0.2 * i) for i, name in enumerate(HOSTILE)]
    return Setting("<script>alert('setting')</script>", platform, providers)


def small_state(
    *,
    bidders: str = "truthful",
    setting: Setting | None = None,
    horizon: int = 1500,
    runs: int = 3,
    policies: tuple[str, ...] = ("platform",),
    **focus: object,
) -> PageState:
    chosen = setting or published("gpqa-strong").setting
    if bidders == "deviating":
        chosen = replace(chosen, platform=replace(chosen.platform, underbid=1.5, overbid=2.5))
    market = SimulatedMarket(setting=chosen, horizon=horizon, runs=runs, seed=5, bidders=bidders, policies=policies)
    return PageState(market=market, focus=Focus(**{"step": horizon, **focus}))  # type: ignore[arg-type]


def asking(callback: dict[str, Any], value: Any) -> dict[str, Any]:
    """Return the request of a callback, as the page's script knows it, that has one value everywhere."""
    output = callback["output"]
    several = output.startswith("..")
    parts = [part.rsplit(".", 1) for part in (output[2:-2].split("...") if several else [output])]
    outputs = [{"id": name, "property": of.partition("@")[0]} for name, of in parts]
    return {
        "output": output,
        "outputs": outputs if several else outputs[0],
        "inputs": [{**each, "value": value} for each in callback["inputs"]],
        "state": [{**each, "value": value} for each in callback["state"]],
        "changedPropIds": [f"{each['id']}.{each['property']}" for each in callback["inputs"][:1]],
    }
