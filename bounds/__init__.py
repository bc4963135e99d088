"""What the paper promises, as formulas: settings, bounds, their numbers, enclosures and LaTeX.

- `characters`: which characters of a text from outside are shown as escapes.
- `errors`: the one error that bad input raises, and how values and nearest words are shown.
- `language`: quantities, number systems, the evaluator, and `Formula`: a SymPy expression.
- `formulas`: every formula of the paper and its improvements, one module per subject, and the catalogue.
- `setting`: platform and providers, the file they are written in, and the inputs of formulas taken from them.
- `published`: the five settings of the paper, and every number that its tables print.
- `loading`: a setting by its built-in name, by its path, or by itself.
- `guarantees`: what is guaranteed: the label, the unit and the formulas of each quantity that a report bounds.
- `coverage`: how probable it is that a confidence band fails, and when a provider is eliminated, enclosed.
- `machine_code`: functions that Numba compiles, kept on disk.
- `worth`: what a bound is worth beside its trivial value, from which horizon on, because of whom, and what would help.
- `ranges`: the range of every bound over the region of uncertain inputs.
- `report`: every bound of a setting at a horizon.
- `grid`: grids over any number of a setting, and every bound on many settings at once.
- `extras`: the extras of the distribution, each with what it installs.
- `exports`: the public names of a package, loaded when they are asked for; every package uses it.

Imports run from characters and errors to language, from there to formulas and to setting, published, coverage, worth,
loading, to report, and to grid last. What users need is importable from here; it is loaded when it is asked for.

Examples
--------
>>> import bounds
>>> report = bounds.evaluate_bounds(bounds.load_setting("gpqa-strong"), 70_000)
>>> report.identification_horizon
153697
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bounds.exports import exports

if TYPE_CHECKING:
    from bounds.errors import InputError as InputError
    from bounds.formulas.catalogue import all_formulas as all_formulas
    from bounds.language.formula import Formula as Formula
    from bounds.loading import load_setting as load_setting
    from bounds.published import PUBLISHED_NAMES as PUBLISHED_NAMES, printed_numbers as printed_numbers
    from bounds.report import BoundsReport as BoundsReport, evaluate_bounds as evaluate_bounds
    from bounds.setting.file import (
        format_setting as format_setting,
        parse_setting as parse_setting,
        read_setting as read_setting,
    )
    from bounds.setting.formula_inputs import formula_inputs as formula_inputs
    from bounds.setting.model import (
        PlatformParameters as PlatformParameters,
        Pricing as Pricing,
        Provider as Provider,
        Setting as Setting,
    )

_NAMES = {
    "errors": "InputError",
    "formulas.catalogue": "all_formulas",
    "language.formula": "Formula",
    "loading": "load_setting",
    "published": "PUBLISHED_NAMES printed_numbers",
    "report": "BoundsReport evaluate_bounds",
    "setting.file": "format_setting parse_setting read_setting",
    "setting.formula_inputs": "formula_inputs",
    "setting.model": "PlatformParameters Pricing Provider Setting",
}
__all__, __getattr__, __dir__ = exports(__name__, _NAMES, inside=__name__)
