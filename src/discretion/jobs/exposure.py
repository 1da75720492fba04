"""The exposure job: the exposure of a table by a set of columns, and the bounds that single columns certify."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from discretion.anonymity import (
    ExposureBoundCurve,
    HouseholdRisks,
    Marginals,
    Population,
    SpecialUniques,
    WildcardGroups,
    column_kinds,
    exposure as exposure_of,
    exposure_bound,
    exposure_bound_curve,
    exposure_curve,
    exposure_if_independent,
    household_risks,
    special_uniques,
    theorem_bound,
    wildcard_groups,
)
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate
from discretion.jobs.gates import Number, numbers_in
from discretion.jobs.options.tables import DEFAULT_K, ExposureOptions
from discretion.jobs.persons import open_people, with_columns
from discretion.jobs.table_numbers import EngineCounts, TableNumbers
from discretion.presenting.names import briefly, listed
from discretion.presenting.numbers import bounded, interval, is_any_share, odds, people, percent
from discretion.presenting.sentences import not_read
from discretion.presenting.views.document import Abridged, Block, Document, Figure, Section
from discretion.presenting.views.result import JobResult, number_row
from discretion.presenting.views.result_views import document as document_of
from discretion.tables.counting.class_sizes import ExposureCurve
from discretion.tables.counting.threshold import as_fraction
from discretion.validation import as_count


@dataclass(frozen=True)
class ColumnBounds:
    """Bounds on the exposure from the counts of single columns, and the exposure of independent columns."""

    exposure_bound: Estimate
    theorem_bound: Estimate
    exposure_if_independent: Estimate

    def sentences(self) -> Iterator[str]:
        """Yield the bounds that the columns alone certify."""
        bound, theorem = self.exposure_bound, self.theorem_bound
        if is_any_share(bound):
            yield f"Nothing can be concluded from the columns alone: up to 100 % may be exposed ({bound.method})."
        else:
            yield (
                f"The columns alone certify {bounded(bound)} ({bound.method}); {theorem.method} of the paper would "
                f"give {bounded(theorem)}."
            )
        yield f"If the columns were independent, they would expose {interval(self.exposure_if_independent)}."


@dataclass(frozen=True, repr=False)
class TableExposure(JobResult):
    """The exposure of a table's people by the columns that are not sensitive.

    Parameters
    ----------
    columns, sensitive
        The columns that the adversary knows, and those that it does not know.
    k, threshold
        A person is exposed if fewer than k people, or less than this share of the people, share their values.
    exposure, exposed_people, people
        The share of the people who are exposed, their number, and the number of all.
    classes, unique_rows
        The number of different rows, and of those that occur once.
    certified
        The bounds that the single columns certify, if they were computed.
    special
        The special uniques: people who are unique by few of the columns, if requested.
    homes
        The risks of households, if a column names them.
    with_wildcards
        The classes in which a suppressed value matches any value, if such values were named.
    curve, bound_curve
        The exposure at every threshold, and its certified bound; None without a chart.
    numbers
        The numbers that a gate may name.
    left_out
        The parts of the table's source that were not read.
    """

    columns: tuple[str, ...]
    sensitive: tuple[str, ...]
    k: int | None
    threshold: str | None
    exposure: float
    exposed_people: int
    people: int
    classes: int
    unique_rows: int
    certified: ColumnBounds | None
    special: SpecialUniques | None
    homes: HouseholdRisks | None
    with_wildcards: WildcardGroups | None
    curve: ExposureCurve | None
    bound_curve: ExposureBoundCurve | None
    numbers: TableNumbers
    left_out: tuple[str, ...] = ()

    @property
    def measures(self) -> dict[str, Callable[[], Number]]:
        """The numbers that a gate may name, each counted when it is needed."""
        of_table = {name: partial(self.numbers.__getitem__, name) for name in self.numbers}
        own: dict[str, Callable[[], Number]] = {"unique_rows": lambda: self.unique_rows}
        bounds = {} if self.certified is None else vars(self.certified)
        if (special := self.special) is not None:
            own["special_people"] = lambda: special.special_people
            own["minimal_uniques"] = lambda: sum(special.minimal_uniques)
        homes = {} if self.homes is None else numbers_in(self.homes.to_dict())
        wild = {} if self.with_wildcards is None else numbers_in(self.with_wildcards.to_dict())
        own |= {name: lambda number=number: number for name, number in (homes | wild).items()}
        return of_table | own | {name: lambda bound=bound: bound for name, bound in bounds.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as one object for JSON."""
        counted = ("exposure", "exposed_people", "people", "classes", "unique_rows", "left_out")
        bounds = {} if self.certified is None else vars(self.certified)
        special = {} if self.special is None else {"special_uniques": self.special.to_dict()}
        homes = {} if self.homes is None else {"households": self.homes.to_dict()}
        wild = {} if self.with_wildcards is None else {"wildcards": self.with_wildcards.to_dict()}
        return {name: getattr(self, name) for name in counted} | bounds | special | homes | wild

    def table_rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield a row for each number."""
        return (number_row(name, value) for name, value in numbers_in(self.to_dict()).items())

    def document(self) -> Document:
        """Return the document: the exposure, and the bounds that the columns alone certify."""
        few, least = ("fewer than", "at least") if self.k is not None else ("less than", "no less than")
        many = f"{self.k} people" if self.k is not None else f"a share of {self.threshold} of the people"
        alike = (
            f"{few} {many} share their values" if self.exposed_people else f"{least} {many} share every person's values"
        )
        rate = odds(self.exposure)
        who = {"none": "nobody is", "all": "everybody is"}.get(rate, f"{rate} people are")
        blocks: list[Block] = [
            f"{self.exposed_people:,} of {people(self.people)} ({percent(self.exposure)}, exact): {alike}.",
            f"{self.classes:,} different rows; {self.unique_rows:,} of them occur once.",
            *([] if self.certified is None else self.certified.sentences()),
            *not_read(self.left_out),
        ]
        if self.curve is not None:
            blocks.append(Figure("exposure", "The share of people exposed at every threshold", self._chart))
        if (names := briefly(self.columns)) != listed(self.columns):
            blocks.append(Abridged((), (f"The columns: {listed(self.columns)}.",)))
        title = f"{names}: {who} exposed"
        if self.homes is not None:
            title += f", and so are {percent(self.homes.household_exposure)} of the households"
        parts = [document_of(part) for part in (self.special, self.homes, self.with_wildcards) if part is not None]
        sections = tuple(Section(part.title, part.blocks) for part in parts)
        line = f"{title} ({percent(self.exposure)})"
        return Document(title, tuple(blocks), sections, kind="exposure", line=line)

    def _chart(self) -> Any:
        from discretion.charts import exposure_over_threshold  # noqa: PLC0415 - half a second

        steps, bound = self.curve, self.bound_curve
        assert steps is not None
        certified = None if bound is None else bound.at_most(steps.sizes).tolist()
        return exposure_over_threshold(steps.sizes.tolist(), steps.exposed.tolist(), steps.people, certified)


@dataclass(frozen=True, repr=False)
class MarginalsExposure(JobResult):
    """The bounds on exposure that the counts of columns certify without a table."""

    columns: tuple[str, ...]
    people: int
    certified: ColumnBounds
    k: int | None = None
    threshold: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as one object for JSON."""
        return {"people": self.people} | vars(self.certified)

    def table_rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield a row for each number."""
        return (number_row(name, value) for name, value in numbers_in(self.to_dict()).items())

    def document(self) -> Document:
        """Return the document: the bounds that the columns alone certify."""
        title = f"{listed(self.columns)}: {self.people:,} people, from the counts of the columns only"
        few = f"fewer than {self.k:,}" if self.k is not None else f"less than a share of {self.threshold} of the"
        exposed = f"A person is exposed if {few} people share their values."
        return Document(title, (exposed, *self.certified.sentences()), kind="exposure", line=title)


def with_threshold(options: ExposureOptions) -> ExposureOptions:
    """Return the options with a threshold: by default, fewer than 10 people who share their values are exposed.

    Examples
    --------
    >>> with_threshold(ExposureOptions()).k, with_threshold(ExposureOptions(threshold="1/1000")).k
    (10, None)
    """
    if options.threshold is None:
        return replace(options, k=as_count(DEFAULT_K if options.k is None else options.k, "k", at_least=1))
    if options.k is not None:
        raise InvalidValueError(
            f"k = {options.k} and threshold = {options.threshold} are both given; use either --k (k=), a number of "
            "people, or --threshold (threshold=), a share of them"
        )
    as_fraction(options.threshold)
    return options


def table_exposure(
    table: Any, options: ExposureOptions, *, curve: bool = False, memory: int | str | None = None
) -> TableExposure:
    """Return the exposure of a table's people by all its columns together, except the sensitive ones.

    Parameters
    ----------
    table
        Any table that `discretion.Population` takes, or a Population.
    options
        The columns, and the threshold of exposure.
    curve
        Whether to add the exposure at every threshold and, with bounds, its certified bound.
    memory
        The memory limit of the engine, as for `discretion.Population`.

    Examples
    --------
    >>> result = table_exposure("example:adult", ExposureOptions(columns=["sex", "race"], k=500))
    >>> result.exposed_people, result.people, result.classes
    (928, 32561, 10)
    """
    options = with_threshold(options)
    k, threshold = options.k, options.threshold
    if options.household is not None and k is None:
        raise InvalidValueError(
            "the exposure of households needs a number of households: use --k (k=) with --household (household=)"
        )
    if options.wildcards and k is None:
        raise InvalidValueError("classes with wildcards need a number of people: use --k (k=) with --wildcards")
    home = [] if options.household is None else [options.household]
    wanted = None if options.columns is None else list(dict.fromkeys([*options.columns, *options.sensitive, *home]))
    population = open_people(
        table, wanted, options.person, options.form, memory=memory,
        kinds_of=lambda people: [kind for kind in column_kinds(people) if kind.column not in home],
    )  # fmt: skip
    secrets, home = population.known(options.sensitive), population.known(home)
    known = tuple(name for name in population.columns if name not in (*secrets, *home))
    share = exposure_of(population, k=k, threshold=threshold, columns=known)
    sizes = population.class_sizes(known)
    size = options.special_uniques
    described = tuple(name for name in population.columns if name not in home)
    bounded_people = with_columns(population, known) if described != known or home else population
    return TableExposure(
        columns=known,
        sensitive=secrets,
        k=k,
        threshold=threshold,
        exposure=share,
        exposed_people=sizes.exposed(k=k, threshold=threshold),
        people=sizes.people,
        classes=sizes.classes,
        unique_rows=sizes.unique,
        certified=_certified_of(bounded_people, options) if options.bounds else None,
        special=None if size is None else special_uniques(population, known, size),
        homes=household_risks(population, home[0], known, k) if home and k is not None else None,
        with_wildcards=wildcard_groups(population, options.wildcards, known, k)
        if options.wildcards and k is not None
        else None,
        curve=exposure_curve(population, known) if curve else None,
        bound_curve=exposure_bound_curve(bounded_people) if curve and options.bounds else None,
        numbers=TableNumbers(EngineCounts(population), described, secrets, k=k, threshold=threshold),
        left_out=population.left_out,
    )


def marginals_exposure(counts: Any, options: ExposureOptions) -> MarginalsExposure:
    """Return the bounds on exposure that the counts of columns certify without a table.

    Parameters
    ----------
    counts
        The counts of single columns, as `discretion.Marginals` takes them; counts of groups of the columns are used
        too.
    options
        The columns that the adversary knows together, and the threshold of exposure.

    Raises
    ------
    UnknownColumnError
        If a column has no counts.

    Examples
    --------
    >>> counts = {"sex": {"f": 6, "m": 4}, "blood": {"0": 9, "AB": 1}}
    >>> marginals_exposure(counts, ExposureOptions(k=2)).certified.exposure_bound.value
    0.3
    """
    options = with_threshold(options)
    whole = Marginals(counts)
    chosen = whole.known(options.columns)
    groups = [group for group in whole.groups if set(group) <= set(chosen)]
    certified = _certified_of(whole.marginals(chosen, groups), options)
    return MarginalsExposure(chosen, whole.people, certified, options.k, options.threshold)


def _certified_of(people: Population | Marginals, options: ExposureOptions) -> ColumnBounds:
    """Return the bounds on the exposure by all columns together, from their single counts."""
    k, threshold = options.k, options.threshold
    groups = people.groups if isinstance(people, Marginals) else ()
    return ColumnBounds(
        exposure_bound(people, k=k, threshold=threshold, groups=groups),
        theorem_bound(people, k=k, threshold=threshold),
        exposure_if_independent(people, k=k, threshold=threshold),
    )
