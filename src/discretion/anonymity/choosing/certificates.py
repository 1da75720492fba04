"""The least information that certifies a set of columns to expose few people."""

import heapq
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, count, product

from discretion import limits
from discretion.anonymity.choosing.choices import Columns
from discretion.anonymity.choosing.partial_tables import most_exposed_in
from discretion.anonymity.choosing.questions import Question
from discretion.anonymity.people.conversion import People, as_population_of_rows
from discretion.anonymity.people.records import Kept, Places, Records, as_kept
from discretion.errors import InvalidValueError
from discretion.numerics.arrays import Integers
from discretion.tables.counting.threshold import Threshold, least_unexposed, most_exposed
from discretion.validation import as_count

# Sets of questions that are examined before the best one known is returned.
MAX_CERTIFICATES_EXAMINED = 20_000


@dataclass(frozen=True)
class CertifyingQuestion:
    """A question whose answers help to certify a set of columns.

    Parameters
    ----------
    columns
        Its columns.
    kept
        How many of the most frequent values of each column are distinguished; a person with another value answers
        "other".
    bits
        The entropy of the answer in bits: its information about the record of a person drawn at random.
    """

    columns: Columns
    kept: Kept
    bits: float


@dataclass(frozen=True)
class CheapestQuestions:
    """The questions with the least information that certify a set of columns.

    Parameters
    ----------
    questions
        The questions; empty if the set is certified without any, or if no such questions certify it.
    bits
        The sum of the bits of all answers of a person; infinite if no such questions certify the set.
    bits_at_least
        A lower bound on the bits of any questions that certify the set.
    certified
        An upper bound on the share of the people whom the set exposes, by the answers to these questions; if no
        questions certify the set, by the answers to all questions.
    proved
        Whether no cheaper questions certify the set: ``bits`` equals ``bits_at_least``.
    """

    questions: tuple[CertifyingQuestion, ...]
    bits: float
    bits_at_least: float
    certified: float
    proved: bool


def cheapest_questions(
    P: People,
    budget: Threshold,
    k: int | None = None,
    threshold: Threshold | None = None,
    columns: Iterable[str] | None = None,
    *,
    kept: Mapping[str, int] | None = None,
    most_columns: int = 2,
) -> CheapestQuestions:
    """Return the questions with the least information that let a curator certify a set of columns for publication.

    ``argmin Σ_q H(answer to q)`` subject to: no table that agrees with the answers exposes more than the budget

    Parameters
    ----------
    P
        The people, with one row each.
    budget
        The share of the people in [0, 1] whom the set may expose.
    k, threshold
        Exactly one. A person is exposed if their equivalence class has fewer than k people, or fewer than this share
        of all people, in [0, 1].
    columns
        The columns to publish together; None is all of them.
    kept
        A column → how many of its most frequent values are distinguished in the published table; columns that are not
        named keep all values.
    most_columns
        The largest number of columns of a question, at least 1. Each set of at most this many columns may have one
        question, which distinguishes any numbers of values.

    Returns
    -------
    CheapestQuestions
        Exact where ``proved``. After 20,000 sets of questions the search stops and returns the cheapest one so far.

    Raises
    ------
    InvalidValueError
        If there is no column to publish.
    UnsupportedError
        If the people of P have several rows.

    Notes
    -----
    The search examines sets of questions by rising information (uniform-cost search). It skips a set if even all
    questions that may still be added would not certify it, or if one of its questions follows from another one. The
    certificate is that of :func:`value_rounds`: an upper bound on the exposure of any table that agrees with the
    answers; a tighter bound might need less information. The function uses the table itself to choose the questions:
    the result is how little information a curator needs, not a way to choose the questions without the table. Source:
    Discretion; trust as information, Anonymity, section 3.

    Examples
    --------
    >>> found = cheapest_questions("example:adult", 0.01, k=10, columns=["sex", "race"])
    >>> [(each.columns, each.kept) for each in found.questions], round(found.bits, 3), found.proved
    ([(('race',), (1,))], 0.599, True)
    """
    population = as_population_of_rows(
        P, "each person answers a question once, but several rows of a person are several answers; use a row per person"
    )
    least = least_unexposed(population.people, k, threshold)
    chosen = population.known(columns)
    if not chosen:
        raise InvalidValueError("cheapest_questions needs at least one column to publish")
    fewer = as_kept(kept, population.columns)
    most_columns = as_count(most_columns, "most_columns", at_least=1)
    records = Records.of(*population.coded_classes(chosen))
    asked = tuple(min(fewer.get(name, most), most) for name, most in zip(chosen, records.most_kept, strict=True))
    search = _Search(records, asked, least, most_columns)
    questions, at_least, proved = search.run(most_exposed(records.people, budget))
    certified = search.bound(search.finest if questions is None else questions) / records.people
    if questions is None:
        return CheapestQuestions((), math.inf, math.inf, certified, proved=True)
    found = tuple(
        CertifyingQuestion(tuple(chosen[place] for place in places), told, search.bits[places, told])
        for places, told in questions.items()
    )
    bits = math.fsum(each.bits for each in found)
    return CheapestQuestions(found, bits, bits if proved else at_least, certified, proved)


class _Search:
    """The search through sets of questions by rising information."""

    def __init__(self, records: Records, asked: Kept, least: int, most_columns: int) -> None:
        self._records, self._asked, self._least = records, asked, least
        telling = [place for place, most in enumerate(asked) if most]
        self._sets = [
            places for size in range(1, min(most_columns, len(telling)) + 1) for places in combinations(telling, size)
        ]
        self._tables: dict[tuple[Places, Kept], Integers] = {}
        self.bits = {
            (places, told): Question(places, told).record_bits(records)
            for places in self._sets
            for told in product(*(range(1, asked[place] + 1) for place in places))
        }
        self._options = {
            places: sorted((bits, told) for (whose, told), bits in self.bits.items() if whose == places)
            for places in self._sets
        }
        self.finest = {places: tuple(asked[place] for place in places) for places in self._sets}

    def bound(self, questions: Mapping[Places, Kept]) -> int:
        """Return an upper bound on the number of people whom the set exposes, by the answers to these questions."""
        known: dict[Places, Integers] = {}
        for places, told in questions.items():
            if (places, told) not in self._tables:
                self._tables[places, told] = self._records.table(places, told)
            known[places] = self._tables[places, told]
        return most_exposed_in(tuple(range(len(self._asked))), self._asked, known, self._records.people, self._least)

    def run(self, allowed: int) -> tuple[dict[Places, Kept] | None, float, bool]:
        """Return the cheapest certifying questions, a lower bound on the cost, and whether they are proved cheapest."""
        if self.bound(self.finest) > allowed:
            return None, math.inf, True
        order, most = count(), limits.current().steps(MAX_CERTIFICATES_EXAMINED, each=1 << 20)
        open_sets: list[tuple[float, int, int, dict[Places, Kept]]] = [(0.0, next(order), 0, {})]
        for _ in range(most):
            bits, _, start, questions = heapq.heappop(open_sets)
            if self.bound(questions) <= allowed:
                return questions, bits, True
            rest = {places: self.finest[places] for places in self._sets[start:]}
            if self.bound(questions | rest) > allowed:
                continue
            for place, places in enumerate(self._sets[start:], start + 1):
                for more, told in self._options[places]:
                    if not any(_is_part(question, (places, told)) for question in questions.items()):
                        heapq.heappush(open_sets, (bits + more, next(order), place, {**questions, places: told}))
        return self._coarsened(allowed), open_sets[0][0], False

    def _coarsened(self, allowed: int) -> dict[Places, Kept]:
        """Return certifying questions: start with the finest ones, and repeat the step that saves most bits."""
        questions = dict(self.finest)
        while True:
            offers: list[tuple[float, dict[Places, Kept]]] = []
            for places, told in questions.items():
                bits, others = self.bits[places, told], {each: its for each, its in questions.items() if each != places}
                offers.append((bits, others))
                offers += [
                    (bits - fewer, others | {places: coarse})
                    for fewer, coarse in self._options[places]
                    if all(map(int.__le__, coarse, told)) and coarse != told
                ]
            offers.sort(key=lambda offer: -offer[0])
            better = next((cheaper for _, cheaper in offers if self.bound(cheaper) <= allowed), None)
            if better is None:
                return questions
            questions = better


def _is_part(one: tuple[Places, Sequence[int]], other: tuple[Places, Sequence[int]]) -> bool:
    """Return whether the answer to one question follows from the answer to another one."""
    most = dict(zip(*other, strict=True))
    return all(kept <= most.get(place, -1) for place, kept in zip(*one, strict=True))
