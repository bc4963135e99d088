"""What `costproof market` prints: a setting as TOML, with what it rests on as comments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bounds.characters import escaped
from bounds.setting.file import format_setting
from bounds.words import counted, listed, share
from mechanism.answers.evaluated import EvaluatedMarket, EvaluatedProvider
from mechanism.answers.prices import TokenPrice
from proofs_checks.cli.prose import wrapped

_COLUMNS = 100
_PROVIDER = "[[provider]]\n"


def market_toml(market: EvaluatedMarket, remarks: Sequence[str]) -> str:
    """Return the setting as TOML; comments say what it assumes, remarks on the answers, and what is known of each."""
    each = "one answer" if market.answers_per_question == 1 else f"{market.answers_per_question:,} answers"
    source = f"{market.evaluation} (format {market.format}): {market.questions:,} questions, {each} of each model"
    above = [f"Made by costproof market from {source}.", "Assumed:", *(f"- {text}" for text in market.assumed)]
    doubts = (*market.warnings, *remarks)
    above += ["To know:", *(f"- {text}" for text in doubts)] if doubts else []
    _, platform, rest = format_setting(market.setting).partition("[platform]\n")
    platform, *providers = (platform + rest).split(_PROVIDER)
    known = [_known(provider) for provider in market.providers]
    tables = [f"{_PROVIDER}{_comments(about)}{text}" for about, text in zip(known, providers, strict=True)]
    return f"{_comments(above)}\n{platform}{''.join(tables)}"


def _comments(texts: Iterable[str]) -> str:
    """Return lines of comments; what is hidden in a name is escaped, so that none ends a comment."""
    lines = (wrapped(escaped(text), hanging=2 * text.startswith("- "), columns=_COLUMNS - 2) for text in texts)
    return "".join(f"# {line}\n" for text in lines for line in text.splitlines())


def _known(provider: EvaluatedProvider) -> list[str]:
    tokens = [f"{round(mean, 1):,.9g} {kind}" for kind, mean in provider.mean_tokens.items()]
    length = f"{listed(tokens)} tokens on average" if tokens else "no tokens recorded"
    if provider.most_tokens is not None:
        length += f", {provider.most_tokens:,} output tokens at most ({counted(provider.longest, 'answer')})"
    return [length, "costs as recorded" if provider.price is None else _price(provider.price)]


def _price(price: TokenPrice) -> str:
    kinds = {"input": price.input, "cached input": price.cached, "output": price.output}
    shown = [f"{kind} {number:.6g}" for kind, number in kinds.items() if number is not None]
    request = f", and {price.request:g} USD for each answer" if price.request else ""
    since = f", of {price.effective}" if price.effective else ""
    less = f", discounted by {share(price.discount)}" if price.discount else ""
    return f"prices in USD per 10^6 tokens: {listed(shown)}{request}{since}{less}"
