"""What an audit decides, as plain frozen data: what to do with each column, and what goes out together."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from discretion.jobs.table_measures import GuessReport
from discretion.numerics.search.looked_at import Ended

Columns = tuple[str, ...]
Verdict = Literal["publish", "coarsen", "redact", "drop"]

#: Why a column is dropped that goes out in no case.
AS_TOLD = "as told"


@dataclass(frozen=True)
class Offer:
    """A set of columns that may go out together, the most useful one that was found by a measure of use.

    ``by``: "columns", as many as it has of which none is a function of another; or "bits", the entropy of these. No set
    within the budgets is worth more than ``bound``; ``ended`` is "proved" if that is its utility, or what ended the
    search before. ``guesses`` are of each sensitive column by who knows the set.
    """

    by: Literal["columns", "bits"]
    columns: Columns
    exposed_people: int
    exposure: float
    bits: float
    utility: float
    bound: float
    ended: Ended
    guesses: tuple[GuessReport, ...]


@dataclass(frozen=True)
class FrontSet:
    """A set of columns within the budgets: what it is worth, and how many people it exposes."""

    columns: Columns
    utility: float
    exposed_people: int
    exposure: float


@dataclass(frozen=True)
class ColumnDecision:
    """What to do with a column, and why in a few words."""

    column: str
    verdict: Verdict
    reason: str


@dataclass(frozen=True)
class Decision:
    """What to do: each column's verdict, and the set that is recommended, with another one where bits count instead.

    ``offers`` is empty if no set is within the budgets. ``question``: what has to be answered first, or None; ``key``
    is the column that it is about.
    ``functions``: a column that is a copy or a function of another → that one; ``nearly``: one that nearly is.
    ``front``: sets that were looked at, by rising utility, each exposing more people than the one before. ``kept``: the
    columns that were to go out in any case, which they do if some set with them is within the budgets.
    """

    columns: tuple[ColumnDecision, ...]
    offers: tuple[Offer, ...]
    question: str | None
    functions: Mapping[str, str]
    nearly: Mapping[str, str]
    front: tuple[FrontSet, ...]
    kept: Columns
    key: str | None = None

    @property
    def recommended(self) -> Columns:
        """The columns that go out together."""
        return self.offers[0].columns if self.offers else ()
