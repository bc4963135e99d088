"""The extras of the distribution: what is missing without one, and the command that installs it."""

from __future__ import annotations

#: The extras, and the modules that each installs.
EXTRAS = {
    "cluster": "distributed",
    "completion": "shtab",
    "explore": "dash flask plotly werkzeug",
    "figures": "matplotlib",
    "frames": "pandas",
    "gpu": "numba_cuda",
    "hub": "huggingface_hub",
    "pages": "jinja2 jsonschema latex2mathml markupsafe",
    "prove": "cvc5 z3",
}


def lacking_extra(missing: ModuleNotFoundError) -> str:
    """Return what module of which extra is missing, and the command that installs it; empty for any other module.

    Examples
    --------
    >>> lacking_extra(ModuleNotFoundError(name="jinja2.ext"))
    "jinja2 is not installed: pip install 'costproof[pages]'"
    """
    module = f"{missing.name}".partition(".")[0]
    extra = next((extra for extra, modules in EXTRAS.items() if module in modules.split()), None)
    return f"{module} is not installed: pip install 'costproof[{extra}]'" if extra else ""
