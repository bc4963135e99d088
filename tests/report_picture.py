"""Makes docs/images/report.png anew: `python -m tests.report_picture`, after a change of verdicts or of the page.

It takes half a minute, and Chromium. The picture carries the verdicts that it shows: a test notices when
they are no longer those of the claims.
"""

import io
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from PIL import Image, PngImagePlugin

import costproof
from proofs_checks.pages.page import page_of

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "report.png"
#: Neighbours on the page, of several verdicts.
SHOWN = (
    "eq:truthful-strategy",
    "thm:robust-dominant:strict-at-ties",
    "claim:robust-equilibrium",
    "eq:optimal-provider",
    "thm:sample-complexity",
    "thm:sample-complexity:any-radius",
)
#: Pixels: the picture is read on a phone, too.
_WIDTH, _MARGIN = 520, 4
_KEY = "verdicts"


def verdicts_shown(picture: Path = PICTURE) -> dict[str, str]:
    """Return the verdicts in a picture, by claim."""
    with Image.open(picture) as image:
        found: dict[str, str] = json.loads(image.info[_KEY])
    return found


def rows_of(page: str, labels: Sequence[str]) -> tuple[bytes, Mapping[str, str]]:
    """Return a picture of the rows of some claims on a page, and the verdicts of these rows."""
    from tests.running_browser import running_browser

    with running_browser() as browser:
        tab = browser.new_page(viewport={"width": _WIDTH, "height": 900}, color_scheme="light")
        tab.set_content(page)
        rows = [
            tab.locator("details.claim").filter(
                has=tab.locator("summary .label", has_text=re.compile(rf"(^|\s){re.escape(label)}$"))
            )
            for label in labels
        ]
        tab.evaluate("document.querySelectorAll('.part').forEach((part) => { part.open = true; })")
        # A finding has a mark of its own; its verdict is that it is refuted.
        marks = [(row.get_attribute("data-verdict") or "").replace("FINDING", "REFUTED") for row in rows]
        verdicts = dict(zip(labels, marks, strict=True))
        boxes = [box for row in rows if (box := row.locator(":scope > summary").bounding_box())]
        top, bottom = min(box["y"] for box in boxes), max(box["y"] + box["height"] for box in boxes)
        left, wide = boxes[0]["x"] - _MARGIN, boxes[0]["width"] + 2 * _MARGIN
        clip = {"x": left, "y": top, "width": wide, "height": bottom - top}
        return tab.screenshot(clip=clip, full_page=True), verdicts


def main() -> None:
    """Verify, draw and write."""
    report = costproof.verify("gpqa-strong", labels=list(SHOWN), quick=True)
    picture, verdicts = rows_of(page_of(report.to_data()), SHOWN)
    told = PngImagePlugin.PngInfo()
    told.add_text(_KEY, json.dumps(verdicts))
    # 64 colours are enough for text and bars, and the page loads faster.
    Image.open(io.BytesIO(picture)).convert("RGB").quantize(64).save(PICTURE, pnginfo=told, optimize=True)


if __name__ == "__main__":
    main()
