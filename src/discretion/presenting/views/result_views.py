"""The views of each kind of result: its numbers with their kinds, and the first of many rows.

A result of a package that imports this one registers itself on `document`, `frame`, `figures`, and on `page` if it has
a page of its own.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from functools import singledispatch
from importlib import import_module
from typing import Any

import numpy as np

from discretion.anonymity.attacks.households import HouseholdRisks
from discretion.anonymity.attacks.special_uniques import SpecialUniques
from discretion.anonymity.attacks.wildcards import WildcardGroups
from discretion.anonymity.choosing.selection import SelectedSet, Selection
from discretion.anonymity.choosing.trust import PARTIES, ReceivedInformation, TrustDesign, TrustTradeoff
from discretion.anonymity.exposure.bound_curve import ExposureBoundCurve
from discretion.errors import UnsupportedError
from discretion.escaping import printable
from discretion.estimate import Estimate, highest, lowest
from discretion.measures.attack_curves.curve import AttackCurve
from discretion.measures.guesses.hyper import Hyper
from discretion.presenting.names import listed, with_kept
from discretion.presenting.numbers import bits, bounded, in_full, number, people, percent, percent_upwards, within
from discretion.presenting.sentences import ENDED, kind_words
from discretion.presenting.views.document import Block, Bullets, Document, Grid, Section, first_rows
from discretion.presenting.views.html import to_html
from discretion.presenting.views.markdown import to_markdown
from discretion.presenting.views.page import to_page
from discretion.presenting.views.result import JobResult
from discretion.refinement.order import Order
from discretion.tables.counting.class_sizes import ClassSizes, ExposureCurve

# A bound is listed at up to this many numbers between one person and all.
_STEPS = 300
_IN_FRAME = ".to_frame()"
# More columns would not fit next to each other.
_SECRETS_SHOWN = 8
# The rates of false positives per decade at which a curve of attacks is listed.
_IN_A_DECADE = 8


@singledispatch
def document(result: object) -> Document:
    """Return a result as a document."""
    raise _nothing(result, "to be shown as a document")


@document.register
def _job_document(result: JobResult) -> Document:
    return result.document()


@singledispatch
def page(result: object) -> str:
    """Return a result as HTML for a file."""
    return fragment(result)


@page.register
def _job_page(result: JobResult) -> str:
    return to_page(result.document())


@singledispatch
def frame(result: object) -> Any:
    """Return a result's rows as an Arrow table."""
    raise _nothing(result, "to be a table")


@frame.register
def _job_frame(result: JobResult) -> Any:
    pa: Any = import_module("pyarrow")
    return pa.Table.from_pylist([dict(row) for row in result.table_rows()])


@singledispatch
def figures(result: object) -> Iterator[tuple[str, Any]]:
    """Yield a result's figures by their names, the main one first."""
    raise _nothing(result, "to be drawn")


@figures.register
def _job_figures(result: JobResult) -> Iterator[tuple[str, Any]]:
    yield from ((figure.name, figure.make()) for figure in result.document().figures.values())


def fragment(result: object) -> str:
    """Return a result as an HTML element for a notebook.

    Examples
    --------
    >>> fragment(ClassSizes([1, 3], [2, 1])).count("<table")
    1
    """
    return to_html(document(result))


def markdown(result: object) -> str:
    """Return a result as Markdown.

    Examples
    --------
    >>> print(markdown(ClassSizes([1, 3], [2, 1])))  # doctest: +ELLIPSIS
    # Equivalence classes
    <BLANKLINE>
    5 people in 3 classes of 1 to 3 people with the same values; 2 people are unique.
    ...
    """
    return to_markdown(document(result))


def steps_of(curve: ExposureBoundCurve) -> list[int]:
    """Return some class sizes, ascending from 1 to all people, at which a bound is listed.

    Examples
    --------
    >>> steps_of(ExposureBoundCurve(4, np.array([0]), np.array([3])))
    [1, 2, 3, 4]
    """
    if curve.itself is not None:
        return curve.itself.sizes.tolist()
    return np.unique(np.geomspace(1, curve.people, _STEPS).round().astype(np.int64)).tolist()


def rates_of(least: float = 1e-6) -> list[float]:
    """Return some rates, ascending from the least to ½, with at least four in each decade.

    Examples
    --------
    >>> [round(rate, 6) for rate in rates_of(0.1)][:3]
    [0.1, 0.133352, 0.177828]
    """
    steps = math.ceil(_IN_A_DECADE * math.log10(0.5 / least))
    return [least * 10 ** (step / _IN_A_DECADE) for step in range(steps)] + [0.5]


@document.register
def _estimate(result: Estimate) -> Document:
    words = ("kind", "method")
    row = (in_full(result), within(result), result.method)
    return Document("", (Grid(("value", *words), (row,), frozenset(words)),))


@document.register
def _attack_curve(result: AttackCurve) -> Document:
    whose = "two secrets" if result.pair is None else "{!r} and {!r}".format(*result.pair)
    sentence = (
        f"The largest share of the guilty that any attack which distinguishes {whose} finds, for each share of the "
        f"innocent that it falsely accuses. Its advantage is at most {in_full(result.advantage)}: the Bayes security "
        f"is {in_full(result.bayes_security)}."
    )
    rates = [10.0**power for power in range(-6, 0)]
    hit_rates = [result.true_positive_rate(rate) for rate in rates]
    rows = [(percent(rate), in_full(hits), kind_words(hits)) for rate, hits in zip(rates, hit_rates, strict=True)]
    heads = ("falsely accused", "found", "kind")
    noted = () if result.note is None else (result.note,)
    return Document("The best attack", (*noted, sentence, first_rows(heads, rows, ("kind",), _IN_FRAME)))


@document.register
def _class_sizes(result: ClassSizes) -> Document:
    sentence = (
        f"{people(result.people)} in {result.classes:,} {'class' if result.classes == 1 else 'classes'} of "
        f"{result.smallest:,} to {result.largest:,} people with the same values; {_unique(result.unique)}."
    )
    rows = [
        (f"{size:,}", f"{count:,}", f"{size * count:,}")
        for size, count in zip(result.sizes.tolist(), result.counts.tolist(), strict=True)
    ]
    return Document("Equivalence classes", (sentence, first_rows(("size", "classes", "people"), rows, (), _IN_FRAME)))


@document.register
def _curve(result: ExposureCurve) -> Document:
    unique = int(result.at_most(1))
    sentence = (
        f"Of {people(result.people)}, those are exposed whose values fewer than k people share, the person included; "
        f"{_unique(unique)}."
    )
    return Document("Who stands out", (sentence, _at_round_numbers(result, "exposed", percent)))


@document.register
def _bound_curve(result: ExposureBoundCurve) -> Document:
    sentence = (
        f"Of {people(result.people)}, at most this number is exposed: fewer than k people share their values, the "
        "person included. The counts of columns, one by one or in groups, certify this bound."
    )
    return Document(
        "Upper bounds on exposure", (sentence, _at_round_numbers(result, "exposed, at most", percent_upwards))
    )


@document.register
def _selection(result: Selection) -> Document:
    sentence = "No set of columns is within the budget: even the empty set exposes too many people."
    if result.best is not None:
        sentence = (
            f"{_columns_of(result.best) or 'No column'} can go out{' together' * (len(result.columns) > 1)}: "
            f"{_exposed(result.best)} exposed, utility {in_full(result.best.utility)}."
        )
    over = "over the budget" if result.by == "measured" else "not certified to be within the budget"
    counted = f"Examined {number(result.examined)} of {number(result.possible)} sets; {_rest(result, over)}."
    tables = {
        "The trade-off": ("Sets within the budget; no other set is as useful and exposes less:", result.front),
        "The largest sets within the budget": ("No other set within the budget contains one of these:", result.maximal),
        f"The smallest sets {over}": (f"Every set that contains one of these is {over}:", result.smallest_over),
    }
    sections = (Section(head, (note, _sets(chosen))) for head, (note, chosen) in tables.items() if chosen)
    return Document("Columns that may go out together", (sentence, counted), tuple(sections))


def _rest(result: Selection, over: str) -> str:
    if result.complete:
        return f"every other set contains one that is {over}, and so is {over} too"
    most = f"no other set within the budget has a utility above {in_full(result.bound)}"
    return most if result.proved else f"the search {ENDED[result.ended]}; {most}"


@document.register
def _trust_tradeoff(result: TrustTradeoff) -> Document:
    received = (
        f"The information that each party receives about the answers of {people(result.people)} on "
        f"{listed(result.columns)}. A record has {bits(result.record_bits)} bits, and the table at most "
        f"{bits(result.table_bits)}."
    )
    meaning = (
        "Of a record: the mutual information of a random person's record and one of their messages, exact. Of the "
        "table: the most information that the numbers of people with each answer can have about it, for any prior. A "
        "party that is not listed, such as the shuffler, receives no answers."
    )
    rows = tuple(
        (each.name, party, bits(given.record_bits), _at_most_bits(given.table_bits))
        for each in result.designs
        for party, given in _receiving(each)
    )
    published = tuple(
        (
            each.name,
            listed(with_kept(each.columns, each.kept)) or "none",
            bits(each.utility),
            "nothing" if highest(each.certified_exposure) >= 1 else bounded(each.certified_exposure),
            bounded(each.exposure),
        )
        for each in result.designs
    )
    words = frozenset(["design", "party", "columns"])
    goes_out = (
        "Utility is the information of the published answer about a person's record in bits, exact; certified is the "
        "curator's bound on the share of exposed people, before publishing.",
        Grid(("design", "columns", "utility", "certified", "exposed"), published, words),
    )
    return Document(
        "Trust, privacy and utility",
        (received, meaning, Grid(("design", "party", "of a record", "of the table"), rows, words)),
        (Section("The published columns", goes_out),),
    )


def _at_most_bits(result: float | Estimate) -> str:
    return f"at most {bits(result.high)}" if isinstance(result, Estimate) else bits(result)


def _receiving(design: TrustDesign) -> Iterator[tuple[str, ReceivedInformation]]:
    """Yield the parties that receive answers."""
    for party in PARTIES:
        given: ReceivedInformation = getattr(design, party)
        if given.questions:
            yield party, given


@document.register
def _special_uniques(result: SpecialUniques) -> Document:
    n, few = result.scores.size, min(result.max_size, len(result.columns))
    sentence = (
        f"{result.special_people:,} of {people(n)} ({percent(result.special_people / n)}, exact) "
        f"{'is' if result.special_people == 1 else 'are'} unique by at most {few} of the {len(result.columns)} columns."
    )
    meaning = (
        "A minimal unique is a set of columns on which a person is unique, and without any one of which they are not. "
        "The fewer its columns, the more it counts for the person's score (SUDA)."
    )
    sizes = [(f"{size}", f"{count:,}") for size, count in enumerate(result.minimal_uniques, 1) if count]
    blocks: list[Block] = [sentence, meaning]
    if sizes:
        by_share = sorted(result.contributions.items(), key=lambda item: -item[1])
        shares = [(printable(column), percent(share)) for column, share in by_share]
        blocks += [
            Grid(("columns in a minimal unique", "minimal uniques"), tuple(sizes), frozenset()),
            Grid(("column", "share of all scores with it"), tuple(shares), frozenset(["column"]), rest="more columns"),
        ]
    return Document("Who is unique by few columns", tuple(blocks))


@frame.register
def _special_uniques_frame(result: SpecialUniques) -> Any:
    return _table(row=np.arange(1, result.scores.size + 1), score=result.scores, size=result.sizes)


@document.register
def _household_risks(result: HouseholdRisks) -> Document:
    risk, exposed = result.risk, result.exposed_households
    one = result.certain_households
    return Document(
        "Whose household stands out",
        (
            f"{exposed:,} of {result.households:,} households ({percent(result.household_exposure)}, exact) "
            f"{'is' if exposed == 1 else 'are'} exposed: fewer than {result.k:,} households have members with the same "
            "values.",
            f"{one:,} of {result.households:,} households ({percent(one / result.households)}, exact) can be "
            "recognized with certainty by one member: nobody elsewhere has the same values.",
            "For a person drawn at random, the chance that somebody of the household is found is between "
            f"{percent(risk.low)} and {percent(risk.high)} (certified), and "
            f"{percent(result.risk_if_independent.value)} if members are found independently of each other.",
        ),
    )


@frame.register
def _household_risks_frame(result: HouseholdRisks) -> Any:
    return _table(row=np.arange(1, result.risks.size + 1), risk_if_independent=result.risks)


@document.register
def _wildcard_groups(result: WildcardGroups) -> Document:
    exposed, everyone = result.exposed_people, result.sizes.size
    named = " or ".join(printable(value) if value else "a blank" for value in result.wildcards)
    own = result.classes.exposed(k=result.k)
    return Document(
        "Who stands out if a suppressed value could be anything",
        (
            f"{exposed:,} of {people(everyone)} ({percent(result.exposure)}, exact) {'is' if exposed == 1 else 'are'} "
            f"exposed if {named} could be any value: fewer than {result.k:,} people have a record that could be the "
            f"person's. The smallest class has {people(result.k_anonymity)}.",
            f"{own:,} are exposed if it is a value of its own, as elsewhere in this report: against an adversary that "
            "knows which values were suppressed.",
            f"{result.people_with_wildcards:,} of {people(everyone)} have such a value.",
        ),
    )


@frame.register
def _wildcard_groups_frame(result: WildcardGroups) -> Any:
    return _table(row=np.arange(1, result.sizes.size + 1), could_be=result.sizes)


@document.register
def _hyper(result: Hyper) -> Document:
    secrets, shown = len(result.secrets), min(len(result.secrets), _SECRETS_SHOWN)
    posteriors = f"{result.outer.size:,} posterior{'s' * (result.outer.size > 1)}"
    left_out = f"; the table has the first {shown} secrets" if secrets > shown else ""
    heads = ("probability", *(printable(str(result.secrets[x])) for x in range(shown)))
    order = np.argsort(-result.outer, kind="stable")
    shares: list[list[float]] = np.column_stack([result.outer, result.inners[:, :shown]])[order].tolist()
    return Document(
        "The posteriors of the secret",
        (
            f"{posteriors} of {secrets:,} secret{'s' * (secrets > 1)}{left_out}.",
            first_rows(heads, [[percent(share) for share in row] for row in shares], (), _IN_FRAME),
        ),
    )


@document.register
def _order(result: Order) -> Document:
    heads = ("system", "at least as safe")
    blocks: list[Block] = [
        f"{listed(some)} leak the same to every adversary." for some in result.classes if len(some) > 1
    ]
    if result.covers:
        blocks.append(Grid(heads, tuple((listed(low), listed(high)) for low, high in result.covers), frozenset(heads)))
    if result.incomparable:
        blocks += [
            "Neither is safer against every adversary:",
            Bullets(tuple(map(listed, result.incomparable))),
        ]
    if result.undecided:
        reasons = tuple(f"{listed(two)}: {why}." for two, why in result.undecided.items())
        blocks += ["Not decided:", Bullets(reasons)]
    return Document("Which is safer against every adversary", tuple(blocks))


@frame.register
def _order_frame(result: Order) -> Any:
    pairs = [(list(low), list(high)) for low, high in result.covers]
    return _table(refined=[low for low, _ in pairs], by=[high for _, high in pairs])


@frame.register
def _hyper_frame(result: Hyper) -> Any:
    pa: Any = import_module("pyarrow")
    return pa.table([result.outer, *result.inners.T], names=["probability", *map(str, result.secrets)])


@frame.register
def _class_sizes_frame(result: ClassSizes) -> Any:
    return _table(size=result.sizes, classes=result.counts, people=result.sizes * result.counts)


@frame.register
def _attack_curve_frame(result: AttackCurve) -> Any:
    few = rates_of()
    rates = [0.0, *few, *(1 - rate for rate in few[-2::-1]), 1.0]
    missed, hit_rates = ([read(rate) for rate in rates] for read in (result.at, result.true_positive_rate))
    return _table(
        false_positive_rate=rates,
        false_negative_rate=[float(each) for each in missed],
        true_positive_rate=[float(each) for each in hit_rates],
        true_positive_rate_low=[lowest(each) for each in hit_rates],
        true_positive_rate_high=[highest(each) for each in hit_rates],
    )


@frame.register
def _curve_frame(result: ExposureCurve) -> Any:
    return _table(fewer_than=result.sizes + 1, people=result.exposed, exposure=result.exposed / result.people)


@frame.register
def _bound_curve_frame(result: ExposureBoundCurve) -> Any:
    sizes = steps_of(result)
    bounds = [result.fewer_than(size + 1) for size in sizes]
    return _table(fewer_than=np.array(sizes) + 1, people=result.at_most(sizes), exposure=bounds)


@frame.register
def _selection_frame(result: Selection) -> Any:
    within_budget = dict.fromkeys((*result.front, *result.maximal))
    sets = [*within_budget, *result.smallest_over]
    return _table(
        columns=[list(chosen.columns) for chosen in sets],
        kept=[[chosen.kept.get(name) for name in chosen.columns] for chosen in sets],
        utility=[chosen.utility for chosen in sets],
        exposure=[float(chosen.exposure) for chosen in sets],
        within_budget=[chosen in within_budget for chosen in sets],
        in_front=[chosen in result.front for chosen in sets],
        maximal=[chosen in result.maximal for chosen in sets],
    )


@frame.register
def _trust_tradeoff_frame(result: TrustTradeoff) -> Any:
    pa: Any = import_module("pyarrow")
    return pa.Table.from_pylist([
        {
            "design": each.name,
            **{
                f"{party}_{name}": value
                for party in PARTIES
                for given in [getattr(each, party)]
                for name, value in {
                    "questions": given.questions,
                    "record_bits": given.record_bits,
                    "linked_bits": given.linked_bits,
                    "table_bits_low": lowest(given.table_bits),
                    "table_bits_high": highest(given.table_bits),
                }.items()
            },
            "columns": list(each.columns),
            "kept": [each.kept.get(name) for name in each.columns],
            "cells": each.cells,
            "utility": each.utility,
            "certified_exposure": highest(each.certified_exposure),
            "exposure": each.exposure,
        }
        for each in result.designs
    ])  # fmt: skip


def _table(**columns: Iterable[Any]) -> Any:
    pa: Any = import_module("pyarrow")
    return pa.table(columns)


def _at_round_numbers(
    curve: ExposureCurve | ExposureBoundCurve, share: str, share_words: Callable[[float], str]
) -> Grid:
    """Return the exposure at k = 2, 5, 10, 20, … until everybody is exposed."""
    rows: list[tuple[str, ...]] = []
    for k in (lead * 10**zeros for zeros in range(19) for lead in (1, 2, 5)):
        exposed = int(curve.at_most(k - 1))
        if k > 1:
            rows.append((f"{k:,}", f"{exposed:,}", share_words(curve.fewer_than(k))))
        if exposed == curve.people:
            break
    return Grid(("k", "people", share), tuple(rows), frozenset())


def _sets(chosen: tuple[SelectedSet, ...]) -> Grid:
    rows = [(_columns_of(each) or "none", in_full(each.utility), bounded(each.exposure)) for each in chosen]
    return first_rows(("columns", "utility", "exposed"), rows, ("columns",), _IN_FRAME)


def _columns_of(chosen: SelectedSet) -> str:
    return listed(with_kept(chosen.columns, chosen.kept))


def _exposed(chosen: SelectedSet) -> str:
    return f"{bounded(chosen.exposure)} of the people"


def _unique(count: int) -> str:
    return f"{people(count)} {'is' if count < 2 else 'are'} unique"


def _nothing(result: object, what: str) -> UnsupportedError:
    return UnsupportedError(f"a {type(result).__name__} has nothing {what}; see its attributes")
