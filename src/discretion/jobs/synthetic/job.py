"""The job of ``discretion synthetic``: three tables read and coded alike, attacked, and compared."""

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

# (person, synthetic record): of more a sample of the people is attacked.
MAX_RECORDS_COMPARED = 1 << 32

# Of fewer attacks a rate shows next to nothing.
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
    """Return the risk of the people that a synthetic table was made from, beyond that of others like them.

    ``risk = (r − c)/(1 − c)`` of each attack, which succeeds on r of the original's people and c of those held out

    Parameters
    ----------
    original, synthetic, control
        Anything that `discretion.Population` takes, a row a person: the table that the synthetic one was made from, the
        synthetic one, and people like the original's who took no part in it.
    columns
        The columns to look at; None is all, which all three must have then.
    sensitive
        The columns that are guessed, each from all columns that are not sensitive.
    keep
        Columns to compare though they look as if they name people. Identifiers and free texts are left out otherwise,
        as `discretion.anonymity.column_kinds` recognizes them: a row number of the synthetic table's own is no fact
        about anybody. What is in ``sensitive`` or ``linked`` is kept.
    linked
        What either of two parties knows of a person, two sets of columns; None deals the columns out in turn, those
        with the most values first.
    neighbours
        How many nearest synthetic records either party looks at.
    attacks
        How many people of each table are attacked at most, and by how many conditions of either kind, at least 20; None
        attacks all, or a sample where that would take minutes.
    confidence
        With which all intervals hold together, in (0, 1).
    seed
        The same one gives the same result; None draws one.
    header, delimiter, encoding, memory
        As for `discretion.Population`.
    progress
        Called with what is being worked on.

    Returns
    -------
    SyntheticRisk
        The counts of each attack, and its risk with an interval. It measures these attacks only.

    Raises
    ------
    InvalidTableError, UnknownColumnError
        If a table cannot be read as it stands, lacks a column, holds another kind of value in it, or is too small; or
        if its people look to have several rows each.

    Notes
    -----
    Who is in the original and who is held out must be chosen at random. Source: Giomi, Boenisch, Wehmeyer and Tasnádi,
    A Unified Framework for Quantifying Privacy Risk in Synthetic Data, PoPETs 2023; the attacks are in
    ``discretion.anonymity.synthetic``.

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
        raise InvalidValueError("each column is sensitive, so that none is left to guess from; name fewer")
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
        """Return what each attack did, and of others why they were not made."""
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
                    f"fewer than {MIN_ATTACKS} conditions single a synthetic record out"
                )
            else:
                attacks.append(one)
        if self.linked is None:
            not_attacked["linkability"] = "it takes two columns, one for either party"
        else:
            report("linkability")
            attacks.append(linkability(tables, *self.linked, self.neighbours, chosen))
        for name in self.sensitive:
            if tables.is_of_one_value(name):
                not_attacked[f"inference:{name}"] = "all people, held out or not, have the same value or none"
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
                f"{which} must have at least {MIN_ATTACKS} people, to compare those that the synthetic table was made "
                f"from with others; got {size}. Hold out more, at random, before the synthetic table is made"
            )
    if records < 2:
        raise InvalidTableError(f"{NAMES[1]} has one record; attacks by the nearest records need two")


def _parties(linked: LinkedColumns) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what either party knows, if they are two and know different columns."""
    if isinstance(linked, str) or len(linked) != 2:  # pyright: ignore[reportUnnecessaryComparison, reportUnnecessaryIsInstance]
        raise InvalidValueError(f"linked must be two sets of columns, what either party knows; got {linked!r}")
    first, second = (distinct_names(party) for party in linked)
    if not first or not second or set(first) & set(second):
        raise InvalidValueError(
            f"linked must be two sets of columns of which none is empty and none in both, got {linked!r}"
        )
    return first, second


def _dealt(tables: Tables) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """Return the columns dealt out to two parties in turn, those of the most synthetic values first."""
    many = sorted(tables.columns, key=lambda name: -np.unique(tables.columns[name].synthetic).size)
    return (tuple(many[::2]), tuple(many[1::2])) if len(many) > 1 else None


def _of_each(confidence: float, count: int) -> float:
    """Return with which confidence each of so many holds if all together hold with this one."""
    misses = (1 - confidence) / count
    step = 10.0 ** (floor(log10(misses)) - 1)  # two digits, which read better
    return round(1 - floor(misses / step * (1 + 1e-12)) * step, 15)
