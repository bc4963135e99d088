"""Readers of written tables that share no code with what writes them; each says with a ValueError what is wrong."""

import csv
import io
import re
from html.parser import HTMLParser

from markdown_it import MarkdownIt

#: What a hostile or careless person may call a setting, a provider, a mechanism or a file.
HOSTILE = (
    "<script>alert(1)</script>",
    "a|b\\|c",
    "R&D &lt;",
    "under_score_*bold*_",
    "$x^2$ \\input{x} 100% #1 ~",
    "line\nbreak\r\ttab",
    "\x1b[31mred\x07\x00\x9b2J",
    "\u202egnp.exe\u2028\u200b",
    "[0pt] *starred -- [link](http://x) `code` ![i](x)",
    "=\"quoted\", 'cell'",
    "Ünïcode 模型",
)


def read_csv(text: str) -> list[list[str]]:
    """The rows of a CSV text, head first, all of one length."""
    check_printable(text)
    try:
        return same_length(list(csv.reader(io.StringIO(text), strict=True)))
    except csv.Error as error:
        raise ValueError(str(error)) from error


def read_markdown(text: str) -> list[list[str]]:
    """The rows of a Markdown text that is one table, head first, as a reader of CommonMark shows them."""
    check_printable(text)
    html = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(text)
    rows = read_html(html, caption=False)
    if len(rows) + 1 != len(text.splitlines()):
        raise ValueError("not every line is a row of the table")
    bars = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in text.splitlines()}
    if len(bars) > 1:
        raise ValueError("rows have different numbers of columns")
    return rows


class _Html(HTMLParser):
    """Collects the cells of one table, and refuses every tag that no table has."""

    KNOWN = ("table", "caption", "thead", "tbody", "tr", "th", "td")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.captions: list[str] = []
        self.scopes: list[str | None] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in self.KNOWN:
            raise ValueError(f"a tag <{tag}> in the table")
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")
        if tag == "th":
            self.scopes.append(dict(attrs).get("scope"))
        if tag == "caption":
            self.captions.append("")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            raise ValueError(f"</{tag}> closes nothing")

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("th", "td"):
            self.rows[-1][-1] += data
        elif self.open and self.open[-1] == "caption":
            self.captions[-1] += data
        elif data.strip():
            raise ValueError(f"text outside cells: {data!r}")

    def handle_comment(self, data: str) -> None:
        raise ValueError(f"a comment: {data!r}")


def read_html(text: str, *, caption: bool = True) -> list[list[str]]:
    """The rows of an HTML text that is one table with a caption, head first, all of one length."""
    check_printable(text)
    reader = _Html()
    reader.feed(text)
    reader.close()
    if reader.open:
        raise ValueError(f"not closed: {reader.open}")
    if caption and len(reader.captions) != 1:
        raise ValueError("no caption, or several")
    if caption and reader.scopes != ["col"] * len(reader.rows[0]) + ["row"] * (len(reader.rows) - 1):
        raise ValueError("a head of a column or of a row is not marked")
    return same_length(reader.rows)


def caption_of(text: str) -> str:
    reader = _Html()
    reader.feed(text)
    return reader.captions[0]


#: The commands that stand for one sign in a cell.
_SIGNS = {
    "textbackslash": "\\",
    "textasciitilde": "~",
    "textasciicircum": "^",
    "textless": "<",
    "textgreater": ">",
    "textbar": "|",
}
_NUMBER = re.compile(r"\$(-?[\d{},.]+)(?: \\times 10\^\{(-?\d+)\})?\$")
_PAIR = re.compile(r"\$(.+) \\pm (.+)\$")
_TOKEN = re.compile(r"\\([a-zA-Z]+)\{\}|\\([&%$#_{}])|\{([\[\]*])\}|-(\{\})(?=-)|([^\\&%$#_{}~^<>|*\[\]])")


def read_latex(text: str) -> list[list[str]]:
    """The rows of a LaTeX text that is one tabular of booktabs, head first, as LaTeX would set them."""
    check_printable(text)
    comment, needed, begin, top, head, middle, *body, bottom, end = text.splitlines()
    frame = re.fullmatch(r"\\begin\{tabular\}\{((?:[lr]|p\{\d+cm\})+)\}", begin)
    rules = (top, middle, bottom) == (r"\toprule", r"\midrule", r"\bottomrule")
    said = comment.startswith("% ") and needed == r"% needs \usepackage{booktabs} in the preamble"
    if not (said and frame and rules and end == r"\end{tabular}"):
        raise ValueError("no tabular with the rules of booktabs")
    columns = len(re.findall(r"[lr]|p\{\d+cm\}", frame[1]))
    rows = [_latex_row(line) for line in (head, *body)]
    if {len(row) for row in rows} != {columns}:
        raise ValueError("rows of other lengths than the columns")
    return rows


def _latex_row(line: str) -> list[str]:
    if not line.endswith(r" \\") or re.match(r"\s*[\[*]", line):
        raise ValueError(f"no row: {line!r}")
    return [_latex_cell(cell) for cell in re.split(r"(?<!\\) & ", line.removesuffix(r" \\"))]


def _latex_cell(cell: str) -> str:
    if number := _NUMBER.fullmatch(cell):
        return number[1].replace("{,}", ",") + (f"e{int(number[2]):+03d}" if number[2] else "")
    if pair := _PAIR.fullmatch(cell):
        return " ± ".join(_latex_cell(f"${each}$") for each in pair.groups())
    shown, at = "", 0
    while at < len(cell):
        token = _TOKEN.match(cell, at)
        if token is None or cell.startswith("--", at):
            raise ValueError(f"LaTeX would not set {cell[at : at + 9]!r} as it is")
        command, escaped, braced, hyphen, plain = token.groups()
        shown += _SIGNS[command] if command else escaped or braced or ("-" if hyphen else plain)
        at = token.end()
    return shown


def check_printable(text: str) -> None:
    """Refuse what may speak to the terminal or reorder a line."""
    odd = {sign for sign in text if not sign.isprintable() and sign != "\n"}
    if odd:
        raise ValueError(f"signs that cannot be printed: {sorted(odd)!r}")


def same_length(rows: list[list[str]]) -> list[list[str]]:
    if len({len(row) for row in rows}) != 1:
        raise ValueError("rows have different numbers of columns")
    return rows
