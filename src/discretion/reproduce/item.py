"""The reproduction of a table or figure: its rows, a chart, and a comparison with the printed numbers."""

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from discretion.errors import InvalidValueError, one_of
from discretion.estimate import Estimate
from discretion.presenting.views.document import Bullets, Document, Figure, Grid, Section
from discretion.presenting.views.result import JobResult

Row = Mapping[str, Any]
Answer = float | Fraction | Estimate

# A number printed without rounding (a formula, a fraction, a count) must agree to the precision of a float.
_EXACTLY = 1e-12


@dataclass(frozen=True)
class Published:
    """A number that a paper prints, and ours.

    Parameters
    ----------
    where
        The section, table or caption that prints it.
    what
        The quantity.
    printed
        The number or formula as printed.
    value
        The value of the printed text.
    ours
        The value that we compute.
    rounding
        The largest difference from ours at which a rounded number still agrees.
    slip
        The reason why the printed number is wrong; empty if it is not.

    Examples
    --------
    >>> Published.number("section IV-B", "V at n = 200, p = 0.9", "0.5225", 0.522539).agrees
    True
    """

    where: str
    what: str
    printed: str
    value: float
    ours: float
    rounding: float = _EXACTLY
    slip: str = ""

    @classmethod
    def number(cls, where: str, what: str, printed: str, ours: float, slip: str = "") -> "Published":
        """Return the record of a number printed as a rounded decimal, or exactly as a fraction or whole number."""
        _, point, decimals = printed.partition(".")
        rounding = 0.5 * 10.0 ** -len(decimals) if point else _EXACTLY
        return cls(where, what, printed, float(Fraction(printed)), ours, rounding, slip)

    @property
    def difference(self) -> float:
        """The difference: ours minus the printed value."""
        return self.ours - self.value

    @property
    def agrees(self) -> bool:
        """Whether ours is the printed number, to the digits printed."""
        return abs(self.difference) <= self.rounding

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain data."""
        return {
            "where": self.where,
            "what": self.what,
            "printed": self.printed,
            "published": self.value,
            "ours": self.ours,
            "difference": self.difference,
            "agrees": self.agrees,
            "remark": self.slip,
        }

    def in_table(self) -> Row:
        """Return the record of an entry of a table, ``what`` being its row and column with an arrow between."""
        row, _, column = self.what.partition(" → ")
        return {"row": row, "column": column} | {
            name: value for name, value in self.to_dict().items() if name not in ("where", "what", "agrees")
        }


@dataclass(frozen=True)
class Reproduction:
    """A table or figure, computed again.

    Parameters
    ----------
    rows
        Its numbers: mappings with the same keys, the columns of its CSV file.
    chart
        A function that draws it as an Altair chart.
    published
        The numbers that the paper prints about it, with ours.
    remarks
        Remarks for the reader, in sentences.
    """

    rows: tuple[Row, ...]
    chart: Callable[[], Any]
    published: tuple[Published, ...] = ()
    remarks: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[str, ...]:
        """The findings: the reasons why printed numbers are wrong, grouped by reason, and the remarks."""
        reasons: dict[str, list[str]] = {}
        for number in self.published:
            if number.slip:
                reasons.setdefault(number.slip, []).append(f"{number.what} (printed {number.printed})")
        return (*(f"{'; '.join(which)}: {why}." for why, which in reasons.items()), *self.remarks)

    def to_csv(self) -> str:
        """Return the rows as CSV text with a header; numbers with all their digits."""
        text = io.StringIO()
        writer = csv.DictWriter(text, list(self.rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        return text.getvalue()


@dataclass(frozen=True)
class Item:
    """A table or figure of a paper, not yet computed."""

    title: str
    reproduce: Callable[[], Reproduction]


@dataclass(frozen=True)
class Paper:
    """A paper: its tables and figures that can be computed, and the reasons for the other parts, each by name."""

    citation: str
    items: Mapping[str, Item]
    reasons: Mapping[str, str]

    def item_name(self, text: str) -> str:
        """Return the name of an item, or raise InvalidValueError with the reason why there is no such item.

        Examples
        --------
        >>> paper = Paper("A paper", {}, reasons_by_name({"is a diagram; there is nothing to compute": "figure-1"}))
        >>> paper.item_name("Figure 1")
        Traceback (most recent call last):
            ...
        discretion.errors.InvalidValueError: Figure 1 is a diagram; there is nothing to compute
        """
        name = text.lower().replace(" ", "-").replace(".", "-")
        if name in self.reasons:
            raise InvalidValueError(self.reasons[name])
        return one_of(name, self.items, "table or figure called")


def reasons_by_name(names: Mapping[str, str]) -> Mapping[str, str]:
    """Return the reasons, as sentences, by name, given the names for each reason, separated by spaces.

    Examples
    --------
    >>> dict(reasons_by_name({"is a step of a proof": "lemma-1 lemma-c-10"}))
    {'lemma-1': 'Lemma 1 is a step of a proof', 'lemma-c-10': 'Lemma C.10 is a step of a proof'}
    """
    reasons: dict[str, str] = {}
    for reason, each in names.items():
        for name in each.split():
            kind, *number = name.split("-")
            reasons[name] = f"{kind.capitalize()} {'.'.join(number).upper()} {reason}"
    return MappingProxyType(reasons)


@dataclass(frozen=True, repr=False)
class Contents(JobResult):
    """The tables, figures and other items of papers that can be computed."""

    papers: Mapping[str, Paper]

    def to_dict(self) -> dict[str, Any]:
        """Return the title of each item, by the names of papers and items."""
        return {
            name: {"citation": paper.citation, "items": {item: paper.items[item].title for item in paper.items}}
            for name, paper in self.papers.items()
        }

    def table_rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield a row for each item."""
        for name, paper in self.papers.items():
            yield from ({"paper": name, "name": item, "shows": paper.items[item].title} for item in paper.items)

    def document(self) -> Document:
        """Return the document: a table of the items of each paper."""
        heads = ("name", "shows")
        sections = tuple(
            Section(paper.citation, (Grid(heads, rows, frozenset(heads), first=len(rows)),))
            for paper in self.papers.values()
            if (rows := tuple((item, paper.items[item].title) for item in paper.items))
        )
        return Document("The papers' tables and figures", (), sections, kind="reproduce")


@dataclass(frozen=True, repr=False)
class PaperReproduction(JobResult):
    """Tables and figures of a paper, computed again, and the folder of their files, if there is one."""

    paper: Paper
    reproductions: Mapping[str, Reproduction]
    folder: str | None = None

    @property
    def counts(self) -> dict[str, int]:
        """The number of numbers that the paper prints, and the numbers of those that agree with ours and do not."""
        agreements = [number.agrees for each in self.reproductions.values() for number in each.published]
        agree = sum(agreements)
        return {"published": len(agreements), "agree": agree, "disagree": len(agreements) - agree}

    def to_dict(self) -> dict[str, Any]:
        """Return the printed numbers with ours, and the findings, as plain data."""
        items = {
            name: {
                "published": [number.to_dict() for number in each.published],
                "agree": sum(number.agrees for number in each.published),
                "findings": each.findings,
                "files": [] if self.folder is None else files_of(name),
            }
            for name, each in self.reproductions.items()
        }
        return {"citation": self.paper.citation, "folder": self.folder, "items": items}

    def table_rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield a row for each number that the paper prints."""
        return (
            {"name": name, **number.to_dict()} for name, each in self.reproductions.items() for number in each.published
        )

    def document(self) -> Document:
        """Return the document: each table or figure with the numbers that agree, and the findings."""
        heads = ("name", "shows", "printed", "ours agree", "within")
        rows = tuple(
            (name, self.paper.items[name].title, *_agreement(each)) for name, each in self.reproductions.items()
        )
        names: dict[str, str] = {}
        for name, each in self.reproductions.items():
            for finding in each.findings:
                names.setdefault(finding, name)
        findings = tuple(f"{name}: {finding}" for finding, name in names.items())
        figures = tuple(
            Figure(name, self.paper.items[name].title, each.chart) for name, each in self.reproductions.items()
        )
        sections = [Section("Findings", (Bullets(findings),))] if findings else []
        counts = self.counts
        table = Grid(heads, rows, frozenset(heads[:2]), first=len(rows))
        files = f"Files: {self.folder}/NAME.csv, all digits of the numbers, and NAME.svg, .pdf and .png, the chart."
        written = () if self.folder is None else (files,)
        return Document(
            self.paper.citation,
            (),
            (Section("Numbers that the paper prints, and ours", (table, *written, *figures)), *sections),
            kind="reproduce",
            line=f"{counts['agree']} of {counts['published']} printed numbers agree",
        )


def files_of(name: str) -> list[str]:
    """Return the names of the files of a table or figure: its rows, and its chart in three formats.

    Examples
    --------
    >>> files_of("figure-2")
    ['figure-2.csv', 'figure-2.svg', 'figure-2.pdf', 'figure-2.png']
    """
    return [f"{name}.{suffix}" for suffix in ("csv", "svg", "pdf", "png")]


def _agreement(reproduction: Reproduction) -> tuple[str, str, str]:
    """Return the number of printed numbers, the number that agree with ours, and the largest difference, as text."""
    if not reproduction.published:
        return "—", "—", "—"
    agreeing = [abs(number.difference) for number in reproduction.published if number.agrees]
    return str(len(reproduction.published)), str(len(agreeing)), f"{max(agreeing):.1g}" if agreeing else "—"


def exact(result: Answer) -> float:
    """Return a number that must be exact."""
    if isinstance(result, Estimate):
        raise TypeError(f"an exact number is needed here, got {result}")
    return float(result)
