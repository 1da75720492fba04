"""The trade-off between trust, privacy and utility: the information of each party of a collection, by design."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any, Literal, cast

import numpy as np

from discretion import limits
from discretion.anonymity.choosing.choices import Columns
from discretion.anonymity.choosing.questions import (
    MAX_ANSWERS_COMBINED,
    Question,
    histogram_bits,
    linked,
    table_bits_of,
)
from discretion.anonymity.choosing.redaction import expected_exposed, redacted_exposure, redaction_rules
from discretion.anonymity.choosing.redaction_rule import RedactionRule
from discretion.anonymity.choosing.rounds import hierarchical_rounds
from discretion.anonymity.choosing.selection import Selection, select_columns
from discretion.anonymity.choosing.value_rounds import value_rounds
from discretion.anonymity.exposure.bounds import COUNTING, counting_lines, exposed_below, rounded_outward
from discretion.anonymity.people.conversion import People, as_population_of_rows
from discretion.anonymity.people.population import Population
from discretion.anonymity.people.records import Records
from discretion.errors import InvalidValueError, TooLargeError
from discretion.estimate import Estimate
from discretion.notebook import Chartable, Tabular
from discretion.numerics.arrays import Integers, Reals
from discretion.tables.counting.class_sizes import ClassSizes
from discretion.tables.counting.threshold import Threshold, least_unexposed
from discretion.validation import as_epsilon

Party = Literal["curator", "analyst", "participants", "shuffler"]
PARTIES: tuple[Party, ...] = ("curator", "analyst", "participants", "shuffler")

_NOTHING_CERTIFIED = Estimate(1.0, 0.0, 1.0, None, "nothing certified")


@dataclass(frozen=True)
class ReceivedInformation:
    """The information that a party receives: answers to questions, which it cannot link to one another.

    Parameters
    ----------
    questions
        The number of questions that each person answers to the party.
    record_bits
        The bits of one message about a person's record: the mutual information between the record of a person drawn at
        random and the person's answer to a question, the largest over the questions; exact.
    linked_bits
        The same for all answers of the person together, if the party could link them; a shuffler prevents this. Exact.
    table_bits
        The bits about the table: the capacity of the party's observation, which is the largest mutual information
        between the table and the numbers of people with each answer, over all laws of the table. Exact for one question
        that is not randomized, ``log₂ C(n + cells - 1, n)``, and for questions without a common column; else certified
        bounds.
    """

    questions: int
    record_bits: float
    linked_bits: float
    table_bits: float | Estimate


_NOTHING = ReceivedInformation(0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class TrustDesign:
    """A design of a collection: the information of each party, the published table, and its exposure.

    Parameters
    ----------
    name
        The name of the design.
    curator, analyst, participants, shuffler
        The information that each receives about other people's records. The shuffler sees the number of messages and
        sealed contents; the questions are known to all parties and do not count.
    columns
        The published columns: the answers on these columns together.
    kept
        A column → how many of its most frequent values are distinguished there, if not all.
    cells
        The number of possible combinations of answers.
    utility
        The bits of information of the published answer of a person drawn at random about their record; exact.
    certified_exposure
        An upper bound on the share of the people whom the published table exposes, by the answers that the curator or
        the participants know; exact if they know the whole table. With randomized answers it bounds the expectation.
    exposure
        The share of the people whom the published table exposes, exact; with randomized answers the expectation.
    """

    name: str
    curator: ReceivedInformation
    analyst: ReceivedInformation
    participants: ReceivedInformation
    shuffler: ReceivedInformation
    columns: Columns
    kept: Mapping[str, int] = field(hash=False)
    cells: int
    utility: float
    certified_exposure: float | Estimate
    exposure: float | Estimate


@dataclass(frozen=True)
class TrustTradeoff(Tabular, Chartable):
    """A comparison of designs of a collection by trust, privacy and utility.

    Parameters
    ----------
    people
        The number of people.
    columns
        The columns that are asked for.
    record_bits
        The bits of the whole record of a person drawn at random: the entropy of the records.
    table_bits
        The largest number of bits of the whole table: ``log₂ C(n + cells - 1, n)``.
    designs
        The designs.
    """

    people: int
    columns: Columns
    record_bits: float
    table_bits: float
    designs: tuple[TrustDesign, ...]

    def __repr__(self) -> str:
        return f"TrustTradeoff({len(self.designs)} designs, {self.people} people; {', '.join(self.columns)})"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as dicts, lists, numbers and text, each estimate with its kind."""
        return {each.name: _plain(getattr(self, each.name)) for each in fields(self)}


def trust_tradeoff(
    P: People,
    budget: Threshold,
    k: int | None = None,
    threshold: Threshold | None = None,
    columns: Iterable[str] | None = None,
    *,
    rounds: int = 3,
    epsilon: float = 1.0,
    time_limit: float | None = None,
) -> TrustTradeoff:
    """Return the information that each party receives in each design, with the exposure and utility of the release.

    - trusted curator: the curator gets all records, and publishes the most useful columns within the budget
      (`select_columns`).
    - two rounds: the curator gets each column by itself, and publishes the columns that their counts certify.
    - two rounds, coarsened: the same, but less frequent values of a column may become one value.
    - rounds by column: `hierarchical_rounds`, and the largest set that they certify.
    - rounds by value: `value_rounds`, and the release that they certify.
    - redaction rules: two rounds; then everybody suppresses values by the `redaction_rules` for the published columns.
    - randomized answers: everybody sends all columns together to the analyst, each by randomized response.
    - no curator: two rounds, where all participants get the counts of each column and make the same choice.

    Parameters
    ----------
    P
        The people, with one row each.
    budget
        The share of the people in [0, 1] who may be exposed.
    k, threshold
        Exactly one. A person is exposed if their equivalence class has fewer than k people, or fewer than this share
        of all people, in [0, 1].
    columns
        The columns to ask for; None is all of them.
    rounds
        The largest number of rounds of the designs by column and by value, at least 1.
    epsilon
        The privacy parameter ε of each column's randomized response, at least 0.
    time_limit
        When each selection of columns stops, in seconds; None is when it is proved to be the most useful one.

    Returns
    -------
    TrustTradeoff
        One :class:`TrustDesign` per design, in the order above.

    Raises
    ------
    InvalidValueError
        If there is no column to ask for.
    UnsupportedError
        If the people of P have several rows.
    TooLargeError
        If the randomized answers need more than 16,777,216 numbers: one for each combination of values, and for each
        set of columns on which it may agree with another combination.

    Notes
    -----
    All answers come through a shuffler, so a party cannot link a person's answers to different questions.
    :class:`ReceivedInformation` defines the two measures of information: about a record, the mutual information of one
    message; about the table, the capacity of all answers, for any prior of a party. Source: Anonymity, section 3 (trust
    as the information given to the curator), sections 5 and 8; the two definitions: Discretion.

    Examples
    --------
    >>> adult = Population("example:adult", columns=["sex", "race", "workclass"])
    >>> for design in trust_tradeoff(adult, budget=0.01, k=10).designs:
    ...     bits = [design.curator.record_bits, float(design.curator.table_bits), design.utility]
    ...     print(f"{design.name}: {', '.join(f'{each:.2f}' for each in bits)}")
    trusted curator: 3.33, 881.86, 3.33
    two rounds: 1.65, 175.00, 1.70
    two rounds, coarsened: 1.65, 175.00, 3.20
    rounds by column: 2.54, 264.74, 1.70
    rounds by value: 3.31, 803.86, 3.33
    redaction rules: 1.65, 175.00, 1.70
    randomized answers: 0.00, 0.00, 0.25
    no curator: 0.00, 0.00, 1.70
    """
    population = as_population_of_rows(
        P, "each person answers a question once, but several rows of a person are several answers; use a row per person"
    )
    least = least_unexposed(population.people, k, threshold)
    chosen = population.known(columns)
    if not chosen:
        raise InvalidValueError("trust_tradeoff needs at least one column to ask for")
    epsilon = as_epsilon(epsilon)
    designer = _Designer(population, chosen, least)

    def selected(**options: Any) -> Selection:
        return select_columns(population, budget, k, threshold, columns=chosen, time_limit=time_limit, **options)

    measured, certified = selected(), selected(by="certified")
    coarse = selected(by="certified", coarsen=True)
    by_column = hierarchical_rounds(population, budget, k, threshold, chosen, rounds=rounds)
    by_value = value_rounds(population, budget, k, threshold, chosen, rounds=rounds)
    release = next((each.release for each in by_value[::-1] if each.release), None)
    singles = [designer.question((name,)) for name in chosen]
    of_rounds = [designer.question(each.columns) for done in by_column for each in done.questions]
    of_values = [
        designer.question(each.columns, dict(zip(each.columns, each.kept, strict=True)))
        for done in by_value
        for each in done.questions
    ]
    designs = [
        designer.selection("trusted curator", measured, [designer.question(chosen)]),
        designer.selection("two rounds", certified, singles),
        designer.selection("two rounds, coarsened", coarse, singles),
        designer.release(
            "rounds by column",
            designer.question(by_column[-1].largest_certified),
            by_column[-1].largest_certified_bound,
            of_rounds,
        ),
        designer.selection("rounds by value", certified, of_values)
        if release is None
        else designer.release(
            "rounds by value",
            designer.question(release.columns, dict(zip(release.columns, release.kept, strict=True))),
            rounded_outward(
                Fraction(0), Fraction(round(release.certified * population.people), population.people), "cells"
            ),
            of_values,
        ),
        designer.redacted("redaction rules", certified.columns, singles),
        designer.randomized("randomized answers", epsilon),
        designer.selection("no curator", certified, [], participants=singles),
    ]
    return TrustTradeoff(
        population.people,
        chosen,
        designer.question(chosen).record_bits(designer.records),
        histogram_bits(population.people, designer.question(chosen).cells),
        tuple(designs),
    )


class _Designer:
    """The designs for a table: its people's answers, and the information in them."""

    def __init__(self, population: Population, names: Columns, least: int) -> None:
        self._population, self._names, self._least = population, names, least
        self.records = Records.of(*population.coded_classes(names))

    def question(self, columns: Iterable[str], kept: Mapping[str, int] | None = None) -> Question:
        """Return a question for columns, with the numbers of values that it distinguishes; all values by default."""
        chosen, fewer = set(columns), kept or {}
        places = tuple(place for place, name in enumerate(self._names) if name in chosen)
        most = ((fewer.get(self._names[place], self.records.most_kept[place]), place) for place in places)
        return Question(places, tuple(min(told, self.records.most_kept[place]) for told, place in most))

    def selection(
        self, name: str, selection: Selection, curator: Sequence[Question], participants: Sequence[Question] = ()
    ) -> TrustDesign:
        """Return a design that publishes the best set; no column if no set is within the budget."""
        best = selection.best
        published = self.question(selection.columns, best.kept if best else {})
        certified = best.exposure if best else float(self._population.people < self._least)
        return self.release(name, published, certified, curator, participants)

    def release(  # noqa: PLR0917 - what a design is
        self,
        name: str,
        published: Question,
        certified: float | Estimate,
        curator: Sequence[Question],
        participants: Sequence[Question] = (),
        exposure: float | Estimate | None = None,
    ) -> TrustDesign:
        """Return a design, with the information of its parties."""
        sizes, people = self.records.class_sizes(published.places, published.kept), self.records.people
        most_kept = self.records.most_kept
        analyst = self._received([published] if published.places else [])
        return TrustDesign(
            name=name,
            curator=self._received(curator),
            analyst=analyst,
            participants=self._received(participants),
            shuffler=_NOTHING,
            columns=tuple(self._names[place] for place in published.places),
            kept={
                self._names[place]: kept
                for place, kept in zip(published.places, published.kept, strict=True)
                if kept < most_kept[place]
            },
            cells=published.cells,
            utility=analyst.record_bits,
            certified_exposure=certified,
            exposure=exposed_below(sizes, self._least) / people if exposure is None else exposure,
        )

    def _received(self, questions: Sequence[Question]) -> ReceivedInformation:
        if not questions:
            return _NOTHING
        bits = [question.record_bits(self.records) for question in questions]
        together = bits[0] if len(bits) == 1 else linked(questions).record_bits(self.records)
        return ReceivedInformation(len(questions), max(bits), together, table_bits_of(questions, self.records.people))

    def redacted(self, name: str, columns: Columns, curator: Sequence[Question]) -> TrustDesign:
        """Return a design where everybody suppresses rare values of the published columns, and others as decoys."""
        least = max(1, self._least)
        rules = {rule.column: rule for rule in redaction_rules(self._population, least, columns)}
        alone = {column: self._population.class_sizes([column]) for column in columns}
        common = {column: int(alone[column].counts[alone[column].sizes >= least].sum()) for column in rules}
        published = self.question(columns, common)
        if rules:
            coins = tuple(
                _redacting(most + 1, rules[self._names[place]].decoys if self._names[place] in rules else 0.0)
                for place, most in zip(published.places, published.kept, strict=True)
            )
            published = Question(published.places, published.kept, coins)
        exposure = redacted_exposure(self._population, rules.values(), least, columns=columns)
        # The exposure of a single column is known, except for the effect of decoys.
        certified = self._certified_redacted(alone, rules) if rules or len(columns) > 1 else exposure
        return self.release(name, published, certified, curator, exposure=exposure)

    def _certified_redacted(self, alone: Mapping[str, ClassSizes], rules: Mapping[str, RedactionRule]) -> Estimate:
        """Return an upper bound on the exposure of people who suppress values, whatever coins they toss.

        ``Σ_j R_j(c_j) + (k - 1)·Π_j (N_j(c_j) + 1)``, the counting bound where "redacted" is one more frequent value of
        a column with a rule, and nobody whose value a rule suppresses counts as rare
        """
        people, slack = self.records.people, min(self._least - 1, self.records.people)
        if slack < 1:
            return Estimate(0.0, 0.0, 0.0, None, COUNTING)
        known: dict[int, ClassSizes] = {}
        for j, (column, sizes) in enumerate(alone.items()):
            common = sizes.sizes >= self._least
            ends = np.append(sizes.sizes[common], people + 1), np.append(sizes.counts[common], 1)
            known[1 << j] = ClassSizes(*ends) if column in rules else sizes
        lines = counting_lines(known, slack)
        bound = min([people, *(rare + slack * cells for rare, cells, _ in lines)])
        return rounded_outward(Fraction(0), Fraction(bound, people), f"{COUNTING}, with redacted as a value")

    def randomized(self, name: str, epsilon: float) -> TrustDesign:
        """Return a design where everybody sends all columns, each randomized, to the analyst."""
        from discretion.mechanisms.protocols.randomized_response import RandomizedResponse  # noqa: PLC0415

        question = self.question(self._names)
        truths = [RandomizedResponse(most + 1, epsilon).p if most else 1.0 for most in question.kept]
        coins = tuple(_responses(most + 1, truth) for most, truth in zip(question.kept, truths, strict=True))
        published = Question(question.places, question.kept, coins)
        if (entries := question.cells << len(truths)) > (most := limits.current().numbers(MAX_ANSWERS_COMBINED)):
            raise TooLargeError(
                f"whose randomized answers agree takes {entries:,} numbers, more than {most:,}; ask for fewer columns"
            )
        table = self.records.table(question.places, question.kept)
        exposure = _exposed_by_responses(table, truths, self._least) / self.records.people
        return self.release(name, published, _NOTHING_CERTIFIED, [], exposure=exposure)


def _redacting(answers: int, decoys: float) -> Reals:
    """Return the answer probabilities of a column with a last answer "redacted", which replaces others at random."""
    coins = (1 - decoys) * np.eye(answers)
    coins[:, -1] += decoys
    return coins


def _responses(values: int, truth: float) -> Reals:
    """Return the answer probabilities of randomized response with this probability of the true answer."""
    lie = (1 - truth) / (values - 1) if values > 1 else 0.0
    return np.full((values, values), lie) + (truth - lie) * np.eye(values)


def _exposed_by_responses(table: Integers, truths: Sequence[float], least: int) -> float:
    """Return the expected number of people whose randomized response fewer than ``least`` people give.

    ``Σ_y E[N_y·1{N_y < k}]``, ``N_y = Σ_S Bin(n_S(y), Π_{j∈S} p_j Π_{j∉S} q_j)``, where the true values of n_S(y)
    people agree with y on exactly the columns S
    """
    if int(table.sum()) < least:
        return float(table.sum())
    agreeing = table[np.newaxis]
    chances = np.ones(1)
    for axis, truth in enumerate(truths, 1):
        values = table.shape[axis - 1]
        agreeing = np.concatenate([agreeing, agreeing.sum(axis=axis, keepdims=True) - agreeing])
        chances = np.concatenate([chances * truth, chances * ((1 - truth) / max(1, values - 1))])
    logs = [math.log(chance) if chance else -math.inf for chance in chances.tolist()]
    givers = (
        (1, [(count, log) for count, log in zip(people, logs, strict=True) if count and log > -math.inf])
        for people in agreeing.reshape(chances.size, -1).T.tolist()
    )
    return expected_exposed(givers, least)


def _plain(value: Any) -> Any:
    match value:
        case Estimate():
            return value.to_dict()
        case TrustDesign() | ReceivedInformation():
            return {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
        case tuple():
            return [_plain(each) for each in cast("tuple[Any, ...]", value)]
        case _:
            return value
