"""A table as a questionnaire: a question for each column, and the answers of each person."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from discretion.anonymity import Population
from discretion.collection.wire.task import Feature
from discretion.errors import InvalidValueError
from discretion.numerics.arrays import Integers
from discretion.tables.counting.codes import column_values

# The most listed answers; all rarer ones are "other".
_ANSWERS = 1000


@dataclass(frozen=True)
class Questionnaire:
    """A table as a questionnaire.

    Parameters
    ----------
    features
        A question for each column.
    texts
        The different texts of each column; None is a missing value.
    places
        The places of each person's texts among these, a row for each person.
    """

    features: tuple[Feature, ...]
    texts: tuple[list[str | None], ...]
    places: Integers

    @property
    def people(self) -> int:
        """The number of people."""
        return len(self.places)

    @property
    def codes(self) -> Integers:
        """The code of each person's true answer to each question, a row for each person."""
        return np.column_stack(
            [
                np.array([feature.code_of(text) for text in texts], np.int64)[places]
                for feature, texts, places in zip(self.features, self.texts, self.places.T, strict=True)
            ]
        )

    def answers(self) -> Iterator[dict[str, str | None]]:
        """Yield the answers of each person."""
        names = [feature.name for feature in self.features]
        for row in self.places.tolist():
            yield {name: texts[place] for name, texts, place in zip(names, self.texts, row, strict=True)}


def questionnaire_of(
    table: Any,
    columns: Sequence[str] | None,
    people: int | None,
    randomizers: Mapping[str, str | None],
    rng: np.random.Generator,
    **reading: Any,
) -> Questionnaire:
    """Return the questionnaire for people of a table, drawn without replacement, or for all of them.

    Parameters
    ----------
    table, columns, reading
        As for `discretion.Population`.
    people
        The number of people to draw; None means all.
    randomizers
        The randomizer of each column's answers; the name "" stands for all other columns.

    Raises
    ------
    InvalidValueError
        If the table has fewer people, or its rows stay in their engine.
    """
    population = Population(table, columns, **reading)
    column_codes = population.read_rows(lambda rows, length: column_values(rows, population.columns, length))
    if column_codes is None:
        raise InvalidValueError("the rows of this table stay in their engine; simulate with a file or a frame")
    there = population.rows
    if people is not None and people > there:
        raise InvalidValueError(f"the table has only {there:,} people; got {people:,}, take fewer")
    some = np.arange(there) if people is None else rng.choice(there, people, replace=False)
    features: list[Feature] = []
    texts: list[list[str | None]] = []
    for name, (column, labels) in column_codes.items():
        values: list[object] = labels.to_pylist()
        column_texts = [None if value is None else str(value) for value in values]
        common: list[int] = np.argsort(-np.bincount(column.codes, minlength=len(column_texts)), kind="stable").tolist()
        listed = list(dict.fromkeys(text for place in common if (text := column_texts[place]) is not None))[:_ANSWERS]
        if not listed:
            raise InvalidValueError(f"nobody has a value of {name!r}; leave it out with --columns")
        features.append(Feature(name, tuple(sorted(listed)), randomizers.get(name, randomizers.get(""))))
        texts.append(column_texts)
    places = np.column_stack([column.codes[some].astype(np.int64) for column, _ in column_codes.values()])
    return Questionnaire(tuple(features), tuple(texts), places)
