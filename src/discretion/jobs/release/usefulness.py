"""The usefulness of a released file to an analyst: its distributions, and the accuracy of a model trained on it."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from discretion.escaping import printable
from discretion.estimate import Estimate
from discretion.presenting.numbers import in_points, interval, people, percent
from discretion.presenting.views.document import Figure, Grid, Section


@dataclass(frozen=True)
class Bin:
    """A value or range of a column, and its shares in the table and in the file."""

    label: str
    before: float
    after: float


@dataclass(frozen=True)
class ColumnDistribution:
    """The distribution of a column that goes out, in the bins of the file.

    Parameters
    ----------
    column
        The column.
    distance
        The total variation distance, ``½ Σ |before - after|`` over all values of the file, and its blank cells.
    bins
        The values, at most the 20 most common ones, and the others together.
    """

    column: str
    distance: float
    bins: tuple[Bin, ...]


@dataclass(frozen=True)
class Prediction:
    """The accuracy of a model trained on the table, and of one trained on the file, in predicting a column.

    Parameters
    ----------
    target
        The predicted column.
    values
        The number of its values in the file.
    people
        The number of predicted people, each predicted by models that were not trained on them.
    majority
        The share of them with the most common value: the accuracy without a model.
    original, file
        The share predicted correctly by a model of the table, and by a model of the file.
    lost
        The first share minus the second, for the same people.
    """

    target: str
    values: int
    people: int
    majority: float
    original: Estimate
    file: Estimate
    lost: Estimate

    @property
    def measures(self) -> dict[str, Estimate]:
        """The numbers that a gate may name."""
        return {"accuracy_original": self.original, "accuracy_file": self.file, "accuracy_lost": self.lost}


#: The numbers of a prediction that a gate may name.
ACCURACIES = ("accuracy_original", "accuracy_file", "accuracy_lost")


def usefulness_sections(
    distributions: Sequence[ColumnDistribution], prediction: Prediction | None
) -> Iterator[Section]:
    """Yield the sections on the usefulness of the file."""
    if prediction is not None:
        yield _prediction_section(prediction)
    if distributions:
        most_first = sorted(distributions, key=lambda each: -each.distance)
        rows = [(printable(each.column), percent(each.distance)) for each in most_first]
        rows_of_chart = [asdict(each) for each in distributions]

        def chart() -> Any:
            from discretion.charts import distributions_before_and_after  # noqa: PLC0415 - half a second

            return distributions_before_and_after(rows_of_chart)

        yield Section(
            "Before and after",
            (
                "Each column's distribution among the people of the table and among those in the file, in the bins of "
                "the file. They differ by the people who are left out and by blank cells (exact).",
                Grid(("column", "total variation distance"), tuple(rows), frozenset(["column"]), rest="more columns"),
                Figure("distributions", "Each column in the table and in the file", chart),
            ),
            "full",
        )


def _prediction_section(prediction: Prediction) -> Section:
    target, lost = printable(prediction.target), prediction.lost
    rows = (
        ("the table", interval(prediction.original)),
        ("the file", interval(prediction.file)),
        ("nothing (always the most common value)", percent(prediction.majority)),
    )
    return Section(
        f"How well {target} is predicted",
        (
            f"Gradient-boosted trees predict {target} ({prediction.values} values in the file) from the other "
            f"columns, for {people(prediction.people)} whose rows they were not trained on. One model is trained on "
            f"the table, and one on the file. The file costs {in_points(lost.value)} points of accuracy "
            f"({percent(lost.confidence or 1)}: {in_points(lost.low)} to {in_points(lost.high)}).",
            Grid(("trained on", "predicted correctly"), rows, frozenset(["trained on"])),
        ),
    )
