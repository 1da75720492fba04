"""The synthetic job: read three tables in the same codes, attack them, and compare the attacks' successes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import floor, log10
from typing import Any

import numpy as np

from discretion import limits
from discretion.anonymity.synthetic.attack import SyntheticAttack
from discretion.anonymity.synthetic.copies import copied_values, copies
from discretion.anonymity.synthetic.neighbours import linkability, neighbour_inference
from discretion.anonymity.synthetic.singling_out import singling_out
from discretion.anonymity.synthetic.tables import NAMES, Tables
from discretion.errors import InvalidTableError, InvalidValueError
from discretion.jobs.options import LinkedColumns
from discretion.jobs.options.tables import SyntheticOptions
from discretion.jobs.synthetic.reading import TablesRead, read_tables
from discretion.jobs.synthetic.result import AttackResult, SyntheticRisk
from discretion.numerics.draws import fresh_seed
from discretion.presenting.names import table_name
from discretion.tables.layouts.headers import Header
from discretion.tables.layouts.names import distinct_names
from discretion.validation import as_confidence, as_count

# Pairs of a person and a synthetic record: with more, a sample of the people is attacked.
MAX_RECORDS_COMPARED = 1 << 32

# With fewer attacks, a rate shows next to nothing.
MIN_ATTACKS = 20


def synthetic_risk(
    original: Any,
    synthetic: Any,
    control: Any,
    columns: Sequence[str] | None = None,
    *,
    sensitive: str | Sequence[str] = (),
    keep: str | Sequence[str] = (),
    linked: LinkedColumns | None = None,
    neighbours: int = 1,
    attacks: int | None = None,
    confidence: float = 0.95,
    seed: int | None = None,
    header: Header = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    memory: int | str | None = None,
    progress: Callable[[str], None] | None = None,
) -> SyntheticRisk:
    """Measure the risk of a synthetic table for the people it was made from, beyond that of others like them.

    ``risk = (r − c)/(1 − c)`` for each attack, which succeeds on a share r of the original's people and a share c of
    those held out

    Parameters
    ----------
    original, synthetic, control
        Tables that `discretion.Population` takes, with one row per person: the table that the synthetic one was made
        from, the synthetic one, and people like the original's, without whom it was made.
    columns
        The columns to compare; None means all, which all three tables must then have.
    sensitive
        The columns that are guessed, each from all columns that are not sensitive.
    keep
        Columns to compare although they look like names of people. Other identifiers and free texts, as
        `discretion.anonymity.column_kinds` recognizes them, are left out: a row number of the synthetic table is no
        fact about anybody. Columns in ``sensitive`` or ``linked`` are kept.
    linked
        The columns that each of two parties knows about a person; None deals the columns out to the parties in turn,
        those with the most values first.
    neighbours
        The number of nearest synthetic records that each party considers.
    attacks
        The largest number of people of each table to attack, and of conditions of each kind, at least 20; None
        attacks all, or a sample if that would take minutes.
    confidence
        The confidence with which all intervals hold together, in (0, 1).
    seed
        The seed of the random draws: the same seed gives the same result; None draws one.
    header, delimiter, encoding, memory
        As for `discretion.Population`.
    progress
        A function that is called with the name of each step.

    Returns
    -------
    SyntheticRisk
        The counts of each attack, and its risk with an interval. It measures these attacks only.

    Raises
    ------
    InvalidTableError, UnknownColumnError
        If a table cannot be read, lacks a column, has another kind of value in it, or is too small; or if a column
        looks like the name of people with several rows.

    Notes
    -----
    The people of the original and the held-out people must be chosen at random from the same population. Source: Giomi,
    Boenisch, Wehmeyer and Tasnádi, A Unified Framework for Quantifying Privacy Risk in Synthetic Data, PoPETs 2023; the
    attacks are in ``discretion.anonymity.synthetic``.

    Examples
    --------
    >>> import numpy as np, pyarrow as pa
    >>> drawn = np.random.default_rng(0).integers([[50, 50, 9, 2]], size=(400, 4)).T
    >>> people = pa.table(dict(zip(["age", "town", "job", "ill"], drawn)))
    >>> original, others = people.slice(0, 200), people.slice(200)
    >>> result = synthetic_risk(original, original, others, sensitive="ill", seed=1)
    >>> result.decision, [(each.attack, each.risk.value) for each in result.attacks][-2:]
    ('tells more', [('linkability', 1.0), ('inference:ill', 1.0)])
    """
    options = SyntheticOptions.of_parameters(locals())
    return run_synthetic_risk(original, synthetic, control, options, memory=memory, progress=progress)


def run_synthetic_risk(
    original: Any,
    synthetic: Any,
    control: Any,
    options: SyntheticOptions,
    *,
    memory: int | str | None = None,
    progress: Callable[[str], None] | None = None,
) -> SyntheticRisk:
    """Attack people by these options, as `synthetic_risk` does."""
    k, confidence = as_count(options.neighbours, "neighbours", at_least=1), as_confidence(options.confidence)
    most = None if options.attacks is None else as_count(options.attacks, "attacks", at_least=MIN_ATTACKS)
    seed = fresh_seed() if options.seed is None else as_count(options.seed, "seed", at_least=0)
    secrets = distinct_names(options.sensitive)
    parties = None if options.linked is None else _parties(options.linked)
    named = [*secrets, *(name for party in parties or () for name in party)]
    kept = [*named, *distinct_names(options.keep)]
    wanted = None if options.columns is None else list(dict.fromkeys([*distinct_names(options.columns), *kept]))
    report: Callable[[str], None] = progress or (lambda _: None)
    report("reading the tables")
    read = read_tables((original, synthetic, control), wanted, kept, options.form, memory)
    tables, names = read.tables, read.columns
    _check_sizes(tables)
    known = [name for name in names if name not in secrets]
    if secrets and not known:
        raise InvalidValueError(
            "all columns are sensitive, so there is none to guess from; name fewer sensitive columns"
        )
    dealt = parties or _dealt(tables)
    outcomes, not_attacked = _Attacks(read, known, secrets, dealt, k, most, seed).made(report)
    each = _of_each(confidence, len(outcomes))
    people, records, held_out = tables.sizes
    return SyntheticRisk(
        *map(table_name, (original, synthetic, control), NAMES),
        people=people,
        records=records,
        held_out=held_out,
        columns=names,
        left_out=read.left_out,
        newly_made=tables.newly_made,
        overlap=read.overlap,
        linked=dealt,
        neighbours=k,
        seed=seed,
        confidence=confidence,
        attacks=tuple(
            AttackResult(
                one.name,
                one.original,
                one.control,
                one.control_rate,
                one.naive,
                one.risk(each, others=read.overlap is None),
            )
            for one in outcomes
        ),
        not_attacked=not_attacked,
    )


@dataclass(frozen=True)
class _Attacks:
    """The attacks that the options select."""

    read: TablesRead
    known: Sequence[str]
    sensitive: Sequence[str]
    linked: tuple[tuple[str, ...], tuple[str, ...]] | None
    neighbours: int
    most: int | None
    seed: int

    def made(self, report: Callable[[str], None]) -> tuple[list[SyntheticAttack], dict[str, str]]:
        """Return the counts of each attack, and the reasons for attacks that were not made."""
        tables, rng = self.read.tables, np.random.default_rng(self.seed)
        people, records, held_out = tables.sizes
        affordable = limits.current().steps(MAX_RECORDS_COMPARED)
        targets = self.most or max(MIN_ATTACKS, affordable // (2 * records))
        chosen = np.sort(rng.permutation(people)[:targets]), np.sort(rng.permutation(held_out)[:targets])
        conditions = self.most or max(MIN_ATTACKS, affordable // (people + held_out + records))
        not_attacked: dict[str, str] = {}
        report("copies")
        attacks = [
            *copies(tables.without(tables.newly_made)),
            *(copied_values(named, name) for name, named in self.read.naming.items()),
        ]
        for how in ("univariate", "multivariate"):
            report(f"singling out, {how}")
            one = singling_out(tables, how, conditions, rng)
            if one is None or one.original.attacks < MIN_ATTACKS:
                not_attacked[f"singling_out_{how}"] = (
                    f"fewer than {MIN_ATTACKS} conditions single out a synthetic record"
                )
            else:
                attacks.append(one)
        if self.linked is None:
            not_attacked["linkability"] = "it needs at least two columns, one for each party"
        else:
            report("linkability")
            attacks.append(linkability(tables, *self.linked, self.neighbours, chosen))
        for name in self.sensitive:
            if tables.is_of_one_value(name):
                not_attacked[f"inference:{name}"] = "all people, held out or not, have the same value or no value"
                continue
            report(f"inference of {name}")
            attacks.append(neighbour_inference(tables, self.known, name, chosen))
        if not self.sensitive:
            not_attacked["inference"] = "no sensitive column is named (--sensitive, sensitive=)"
        return attacks, not_attacked


def _check_sizes(tables: Tables) -> None:
    people, records, held_out = tables.sizes
    for size, which in ((people, NAMES[0]), (held_out, NAMES[2])):
        if size < MIN_ATTACKS:
            raise InvalidTableError(
                f"{which} must have at least {MIN_ATTACKS} people, to compare the people that the synthetic table was "
                f"made from with others; got {size}. Hold out more people, at random, before you make the synthetic "
                "table"
            )
    if records < 2:
        raise InvalidTableError(f"{NAMES[1]} has one record; attacks by the nearest records need two")


def _parties(linked: LinkedColumns) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns of each party, if there are two parties with different columns."""
    if isinstance(linked, str) or len(linked) != 2:  # pyright: ignore[reportUnnecessaryComparison, reportUnnecessaryIsInstance]
        raise InvalidValueError(f"linked must be two sets of columns, one for each party; got {linked!r}")
    first, second = (distinct_names(party) for party in linked)
    if not first or not second or set(first) & set(second):
        raise InvalidValueError(
            f"linked must be two sets of columns, not empty and without a common column, got {linked!r}"
        )
    return first, second


def _dealt(tables: Tables) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the columns dealt out to two parties in turn, those with the most synthetic values first."""
    many = sorted(tables.columns, key=lambda name: -np.unique(tables.columns[name].synthetic).size)
    return (tuple(many[::2]), tuple(many[1::2])) if len(many) > 1 else None


def _of_each(confidence: float, count: int) -> float:
    """Return the confidence of each of several intervals that together hold with this confidence."""
    misses = (1 - confidence) / count
    step = 10.0 ** (floor(log10(misses)) - 1)  # two digits, which read better
    return round(1 - floor(misses / step * (1 + 1e-12)) * step, 15)
