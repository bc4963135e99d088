"""What is assumed of the published settings' markets."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bounds.published import PUBLISHED_NAMES, published
from mechanism.market.market import market_laws
from mechanism.market.published import COST_VARIATIONS, published_market


@pytest.mark.parametrize("name", PUBLISHED_NAMES)
class TestPublishedSettings:
    def test_the_pool_is_the_benchmark(self, name: str) -> None:
        paper = published(name)
        options = market_laws(paper.setting).options
        assert options.questions == published_market(paper.setting).questions == paper.questions
        assert options.score_difficulty_bits == published_market(paper.setting).score_difficulty_bits

    def test_providers_of_one_model_share_a_spread(self, name: str) -> None:
        paper = published(name)
        spreads = published_market(paper.setting).cost_variation
        by_model = dict(zip(paper.base_models, spreads, strict=True))
        assert tuple(by_model[model] for model in paper.base_models) == spreads

    def test_the_laws_have_the_spread(self, name: str) -> None:
        paper = published(name)
        wanted = published_market(paper.setting).cost_variation
        for laws, variation in zip(market_laws(paper.setting).providers, wanted, strict=True):
            law = laws.market.candidate_law
            assert laws.cost_shape == "tokens"
            assert float(law.variance) ** 0.5 / float(law.mean) == pytest.approx(variation, abs=2e-3)


def test_every_exception_is_about_a_published_provider() -> None:
    papers = [published(name) for name in PUBLISHED_NAMES]
    assert COST_VARIATIONS.keys() <= {(paper.benchmark, model) for paper in papers for model in paper.base_models}


def test_other_settings_have_no_assumptions() -> None:
    setting = published("gpqa-strong").setting
    dearer = (replace(setting.providers[0], mean_cost=15.0), *setting.providers[1:])
    assert published_market(replace(setting, providers=dearer)) is None
    assert market_laws(replace(setting, providers=dearer)).options.questions == 0


def test_the_same_providers_under_another_name_keep_the_market() -> None:
    """`costproof settings NAME > my.toml` and NAME itself are one market."""
    setting = published("gpqa-strong").setting
    assert published_market(replace(setting, name="mine")) == published_market(setting)


def test_another_platform_keeps_the_market() -> None:
    setting = published("gpqa-strong").setting
    other = replace(setting, platform=replace(setting.platform, exploration_scale=3.0))
    assert published_market(other) == published_market(setting)
