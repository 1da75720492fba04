"""The tally job: the shares of people by value, from randomized reports, with intervals for any number of reports."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike

from discretion.errors import InvalidValueError, UnsupportedError, one_of
from discretion.estimate import Estimate
from discretion.jobs.monitor import Monitor
from discretion.jobs.options.mechanisms import Encoding, Estimator, TallyOptions
from discretion.jobs.received_reports import BadLines, encoding_of, read_reports
from discretion.mechanisms import Mechanism, iterative_bayesian_update
from discretion.mechanisms.estimating.postprocessing import POSTPROCESSING
from discretion.mechanisms.mechanism import as_mechanism
from discretion.numerics.arrays import Reals
from discretion.presenting.names import short
from discretion.presenting.numbers import between, counted, percent
from discretion.presenting.views.document import MOST_ROWS, Block, Bullets, Document, Figure, Grid, Section
from discretion.presenting.views.result import JobResult
from discretion.spelling import spelled
from discretion.validation import as_confidence

_ESTIMATORS: dict[Estimator, str] = {
    "raw": "Raw shares are unbiased, but noise may make them negative or greater than 1; the other estimators return "
    "shares that sum to 1.",
    "clipped": "Negative raw shares are set to 0, and the others divided by their sum, so that frequent ones shrink.",
    "norm_sub": "The shares are the nearest to the raw shares that are at least 0 and sum to 1.",
    "ibu": "The shares are those that make the reports most likely.",
}


@dataclass(frozen=True, repr=False, eq=False)
class Tally(JobResult):
    """The shares of people by their values.

    Parameters
    ----------
    mechanism
        The spelling of the mechanism that made the reports.
    labels
        The names of the values.
    reports
        n, the number of counted reports.
    bad_reports, bad_lines
        The number of lines of a file that are no reports and are left out, and the reasons for the first ones.
    estimator
        The estimator of the shares.
    confidence, simultaneous
        The probability with which each interval covers its share; and whether all intervals cover at once with it.
    shares
        The estimated shares, shape ``(k,)``.
    low, high
        The bounds of each share's interval, in [0, 1], shape ``(k,)``.
    """

    mechanism: str
    labels: tuple[str, ...]
    reports: int
    bad_reports: int
    bad_lines: tuple[str, ...]
    estimator: Estimator
    confidence: float
    simultaneous: bool
    shares: Reals
    low: Reals
    high: Reals

    def share(self, label: str) -> Estimate:
        """Return the share of a value, clipped to its interval, with the interval.

        Examples
        --------
        >>> import discretion as dc
        >>> share = tally([0, 0, 0, 1], dc.RandomizedResponse(2, p=0.9), labels=["yes", "no"]).share("yes")
        >>> print(f"{share:.2f}")
        0.81 [0.25, 1.00]
        """
        place = self.labels.index(one_of(label, self.labels, "value called"))
        low, high = float(self.low[place]), float(self.high[place])
        share = min(max(float(self.shares[place]), low), high)
        return Estimate(share, low, high, self.confidence, "confidence limits of the counts of reports")

    def to_dict(self) -> dict[str, Any]:
        """Return the result as one object for JSON."""
        return {
            "mechanism": self.mechanism,
            "reports": self.reports,
            "bad_reports": self.bad_reports,
            "bad_lines": [*self.bad_lines],
            "estimator": self.estimator,
            "confidence": self.confidence,
            "simultaneous": self.simultaneous,
            "values": [*self.table_rows()],
        }

    def table_rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each value: its share and its number of people, each with its interval."""
        n = self.reports
        ends = zip(self.labels, self.shares.tolist(), self.low.tolist(), self.high.tolist(), strict=True)
        for label, share, low, high in ends:
            people = {"people": n * share, "people_low": n * low, "people_high": n * high}
            yield {"value": label, "share": share, "low": low, "high": high, **people}

    def document(self) -> Document:
        """Return the document: the shares with their intervals, and an explanation of the numbers."""
        rows = [
            (short(row["value"]), percent(row["share"]), between(row["low"], row["high"]), counted(row["people"]))
            for row in self.table_rows()
        ]
        heads = ("value", "share", f"{percent(self.confidence)} interval", "people")
        n, k = self.reports, len(rows)
        shown = [rows[place] for place in self._shown]
        caption = "" if k <= MOST_ROWS else f"The {MOST_ROWS} largest of {k:,} shares."
        words = frozenset(heads[::2])
        figure = Figure("shares", caption or "The shares, with their intervals.", self._chart)
        blocks: list[Block] = [
            f"{n:,} {'report' if n == 1 else 'reports'} of {self.mechanism}.",
            Grid(heads, tuple(shown), words, caption=caption, first=MOST_ROWS),
            figure,
        ]
        if self.bad_reports:
            lines = "line that is no report" if self.bad_reports == 1 else "lines that are no reports"
            more = "" if self.bad_reports == len(self.bad_lines) else "; …"
            blocks.insert(1, f"Left out: {self.bad_reports:,} {lines} ({'; '.join(self.bad_lines)}{more}).")
        sections = [Section("What the numbers mean", (Bullets(self._meanings()),))]
        if k > MOST_ROWS:
            sections.append(Section("All values", (Grid(heads, tuple(rows), words),), level="full"))
        line = f"{self.mechanism}: {n:,} reports, {k:,} values"
        return Document(self.mechanism, tuple(blocks), tuple(sections), kind="tally", line=line)

    @property
    def _shown(self) -> list[int]:
        """The places of the values in a figure: all in order, or the largest ones."""
        k = len(self.labels)
        return [*range(k)] if k <= MOST_ROWS else np.argsort(-self.shares, kind="stable")[:MOST_ROWS].tolist()

    def _meanings(self) -> tuple[str, ...]:
        covers = (
            f"All intervals cover the shares at once with a probability of at least {percent(self.confidence)}."
            if self.simultaneous
            else f"Each interval covers its share with a probability of at least {percent(self.confidence)}; with many "
            "intervals, some miss. Add --simultaneous for intervals that cover all shares at once."
        )
        return (
            covers,
            "The intervals hold for any number of reports, any values of the people, and every estimator.",
            "The shares are those of the people who reported. If they are a sample of a population, the intervals are "
            "too narrow for the shares in that population.",
            _ESTIMATORS[self.estimator],
        )

    def _chart(self) -> Any:
        from discretion import charts  # noqa: PLC0415 - Altair takes half a second

        # Noise takes raw shares out of the chart.
        shares, low, high = np.clip(self.shares, self.low, self.high).tolist(), self.low.tolist(), self.high.tolist()
        drawn = [
            {"answers": [self.labels[place]], "share": shares[place], "low": low[place], "high": high[place]}
            for place in self._shown
        ]
        return charts.answered_shares(drawn, together=self.simultaneous)


def tally(
    reports: ArrayLike | str | os.PathLike[str],
    mechanism: Mechanism,
    *,
    labels: Sequence[str] | None = None,
    encoding: Encoding | None = None,
    confidence: float = 0.95,
    simultaneous: bool = False,
    estimator: Estimator = "raw",
    monitor: Monitor | None = None,
) -> Tally:
    """Estimate the share of each value among the people who sent reports, with an interval.

    Parameters
    ----------
    reports
        The reports that ``mechanism.sample`` returned, or the path of a text file with a report on each line. A file is
        read part by part; a line that is no report is left out, counted and listed.
    mechanism
        The local mechanism that made the reports.
    labels
        The names of the values, in order, all different; None means their numbers.
    encoding
        The encoding of a report in a line of a file: ``"hex"``, the bytes of ``mechanism.encode`` in hex, or
        ``"json"``, a whole number or a list of whole numbers; None uses the suffix ``.hex``, ``.jsonl`` or ``.ndjson``.
    confidence
        The probability with which each interval covers, in (0, 1).
    simultaneous
        Whether the intervals of all values cover at once with that probability.
    estimator
        ``"raw"`` (`Mechanism.estimate_frequencies`, unbiased), ``"clipped"``, ``"norm_sub"`` or ``"ibu"``
        (`iterative_bayesian_update`). The intervals are the same for all.
    monitor
        Follows each step, and may end it.

    Returns
    -------
    Tally
        The shares, their intervals, the number of reports and of bad lines.

    Notes
    -----
    The intervals are `Mechanism.frequency_limits`: they hold for any number of reports.

    Examples
    --------
    >>> import discretion as dc
    >>> krr = dc.RandomizedResponse(3, epsilon=2)
    >>> result = tally(krr.sample([0] * 600 + [1] * 300 + [2] * 100, rng=1), krr, labels=["yes", "no", "maybe"])
    >>> for row in result.table_rows():
    ...     print(row["value"], round(row["share"], 3), row["low"], row["high"])
    yes 0.624 0.59 0.659
    no 0.293 0.262 0.325
    maybe 0.083 0.054 0.112
    """
    options = TallyOptions(
        labels=labels or (),
        encoding=encoding,
        confidence=confidence,
        simultaneous=simultaneous,
        estimator=estimator,
    )
    return run_tally(reports, mechanism, options, monitor)


def run_tally(
    reports: ArrayLike | str | os.PathLike[str],
    mechanism: Mechanism,
    options: TallyOptions,
    monitor: Monitor | None = None,
) -> Tally:
    """Estimate the shares by these options, as `tally` does."""
    mechanism, monitor = as_mechanism(mechanism, "a tally"), monitor or Monitor()
    mechanism.check_informative()
    confidence, labels = as_confidence(options.confidence), labels_of(options, mechanism.k)
    one_of(options.estimator, get_args(Estimator), "estimator called")
    bad = BadLines()
    if isinstance(reports, str | os.PathLike):
        path = os.fspath(reports)
        blocks = read_reports(path, mechanism, encoding_of(path, options.encoding), bad)
    else:
        blocks = iter([mechanism.informative_reports(reports)])
    keep = options.estimator == "ibu"
    kept: list[Any] = []
    tallies, n = mechanism.aggregate(mechanism.checked_reports([])), 0
    with monitor.step("reading and counting the reports"):
        for block in blocks:
            tallies, n = tallies + mechanism.aggregate(block), n + len(block)
            if keep:
                kept.append(block)
    with monitor.step("estimating the shares"):
        shares = mechanism.estimate_from_aggregate(tallies, n)
        if keep:
            shares = iterative_bayesian_update(mechanism, np.concatenate(kept)).frequencies
        else:
            shares = POSTPROCESSING[options.estimator](shares)
    with monitor.step("the intervals"):
        low, high = mechanism.frequency_limits(tallies, n, confidence, simultaneous=options.simultaneous)
    for array in (shares, low, high):
        array.setflags(write=False)
    return Tally(
        mechanism=_name(mechanism),
        labels=labels,
        reports=n,
        bad_reports=bad.count,
        bad_lines=tuple(bad.reasons),
        estimator=options.estimator,
        confidence=confidence,
        simultaneous=options.simultaneous,
        shares=shares,
        low=low,
        high=high,
    )


def labels_of(options: TallyOptions, k: int) -> tuple[str, ...]:
    """Return the names of k values, from the options, or else their numbers."""
    labels = options.labels
    if not labels:
        return tuple(map(str, range(k)))
    if len(labels) != k or not all(isinstance(label, str) for label in labels):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidValueError(f"labels must be {k:,} texts, one for each value of the mechanism, got {len(labels):,}")
    if len(set(labels)) != k:
        twice = next(label for label in labels if labels.count(label) > 1)
        raise InvalidValueError(f"labels must be different, got {twice!r:.60} twice")
    return tuple(labels)


def _name(mechanism: Mechanism) -> str:
    try:
        return spelled(mechanism)
    except UnsupportedError:
        return repr(mechanism)
