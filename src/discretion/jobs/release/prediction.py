"""Prediction of a column by models that an analyst would train on the table and on the released file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from discretion import limits
from discretion.anonymity import Population, column_kinds
from discretion.anonymity.people.column_kinds import NAMING
from discretion.anonymity.releasing.generalizations import Generalization
from discretion.anonymity.releasing.suppression import suppressed_column
from discretion.blackbox.classifiers import predictions
from discretion.errors import InvalidValueError, MissingExtraError
from discretion.escaping import printable
from discretion.estimate import Estimate
from discretion.jobs.release.candidates import Candidates, rare_rows
from discretion.jobs.release.decision import ReleaseDecision
from discretion.jobs.release.usefulness import Prediction
from discretion.numerics.arrays import Booleans, Integers, Reals
from discretion.numerics.equivalence_classes import Column
from discretion.numerics.laws.binomial_limits import lower_limit, upper_limit
from discretion.tables.counting.codes import column_values

# Models are trained on at most this many people, drawn at random.
MAX_PEOPLE_LEARNED = 100_000

_FOLDS, _CONFIDENCE, _SEED = 5, 0.95, 0
# The classifier takes this many categories of a column, and grows a tree for each value of the target.
_CATEGORIES, _VALUES = 255, 50
_METHOD = "gradient-boosted trees, five-fold cross-validation"


@dataclass(frozen=True, eq=False)
class _Feature:
    """A column as a model uses it: the values for training and for predicting, as numbers or categories."""

    learned: Reals
    predicted: Reals
    are_categories: bool


def check_target(candidates: Candidates) -> None:
    """Raise an error, before the search, for a target that cannot be in the file or cannot be predicted."""
    target = candidates.options.target
    if target is None:
        return
    candidates.people.known([target])
    if target in candidates.reasons:
        raise InvalidValueError(_not_in_file(target, candidates.reasons[target]))
    _classifier([])


def predict_target(decision: ReleaseDecision) -> Prediction | None:
    """Return the accuracy of models of the table and of the file for the target; None if there is no target.

    With five folds, each model is trained on the people of four folds (the model of the file on those of them who are
    in the file), and predicts all people of the fifth. The model of the table uses all columns unchanged except those
    that name people; the model of the file uses the columns that go out, unchanged numbers as numbers and everything
    else as categories. Both predict the target as it is in the file.

    Raises
    ------
    InvalidValueError
        If the target is not in the file, has one value or more than 50 in it, or there are fewer than ten people.
    MissingExtraError
        If scikit-learn is not installed.
    """
    candidates, target = decision.candidates, decision.candidates.options.target
    if target is None:
        return None
    if target not in decision.shown:
        raise InvalidValueError(_not_in_file(target, "no generalization of it fits with the others"))
    kept = ~decision.best.cut.out
    blank = {name: np.zeros_like(kept) for name in decision.shown}
    blank |= dict(zip(decision.best.views, decision.best.cut.blank, strict=True))
    known = kept & ~blank[target]
    # People with a value that is not in the file are not predicted.
    y = decision.shown[target].column.codes.astype(np.int64)
    in_file = np.unique(y[known])
    if not 1 < in_file.size <= _VALUES:
        raise InvalidValueError(
            f"the target {printable(target)} has {in_file.size:,} values in the file, and must have between 2 and "
            f"{_VALUES} to be predicted; use another target"
        )
    people = np.flatnonzero(np.isin(y, in_file))
    rng = np.random.default_rng(_SEED)
    people = rng.permutation(people)[: limits.current().steps(MAX_PEOPLE_LEARNED, each=1000)]
    if people.size < 2 * _FOLDS:
        raise InvalidValueError(f"a prediction needs at least {2 * _FOLDS} people, got {people.size:,}")
    table = [*_table_features(candidates, target)]
    file = [
        _file_feature(candidates, name, each, blank[name]) for name, each in decision.shown.items() if name != target
    ]
    folds = _folds(y[people])
    by_table = _guesses(table, people, y, np.ones_like(known), folds) == y[people]
    by_file = _guesses(file, people, y, known, folds) == y[people]
    n = people.size
    worse, better = int((by_table & ~by_file).sum()), int((by_file & ~by_table).sum())
    misses = (1 - _CONFIDENCE) / 4
    low = float(lower_limit(worse, n, misses) - upper_limit(better, n, misses))
    high = float(upper_limit(worse, n, misses) - lower_limit(better, n, misses))
    return Prediction(
        target,
        int(in_file.size),
        n,
        float(np.bincount(y[people]).max()) / n,
        _accuracy(int(by_table.sum()), n),
        _accuracy(int(by_file.sum()), n),
        Estimate((worse - better) / n, low, high, _CONFIDENCE, _METHOD),
    )


def _not_in_file(target: str, why: str) -> str:
    name = printable(target)
    return (
        f"the target {name} is not in the file ({why}), so no model can learn it from the file; use --keep {name} "
        "(keep=), or another target"
    )


def _accuracy(right: int, people: int) -> Estimate:
    misses = (1 - _CONFIDENCE) / 2
    low, high = float(lower_limit(right, people, misses)), float(upper_limit(right, people, misses))
    return Estimate(right / people, low, high, _CONFIDENCE, _METHOD)


def _table_features(candidates: Candidates, target: str) -> Iterator[_Feature]:
    """Yield the unchanged columns of the people who may go out, except columns that name people."""
    people, guarded, k = candidates.people, candidates.guarded, candidates.goal.k
    kinds = column_kinds(people, [name for name in people.columns if name not in candidates.generalizations])
    naming = {each.column for each in kinds if each.kind in NAMING}
    secrets = {name: column for name in guarded if (coded := _coded(people, name)) for column in [coded[0]]}
    left = ~rare_rows(secrets, k, people.people)
    for name in people.columns:
        if name != target and name not in naming and (coded := _coded(people, name)):
            column, labels = coded
            by_code, are_categories = _meanings(labels, column.sizes())
            values = by_code[column.codes[left]]
            yield _Feature(values, values, are_categories)


def _coded(people: Population, name: str) -> tuple[Column, Sequence[Any]] | None:
    """Return the codes of a column and their values; None for lists and other nested values."""
    coded = people.read_rows(lambda rows, length: column_values(rows, [name], length))
    return None if coded is None else (coded[name][0], coded[name][1].to_pylist())


def _file_feature(candidates: Candidates, name: str, view: Generalization, blank: Booleans) -> _Feature:
    """Return a column of the file: its values for training, and the values of new people for predicting."""
    seen = suppressed_column(view, blank).codes
    labels = view.labels if len(view.labels) else candidates.values[name].to_pylist()
    by_code, are_categories = _meanings(
        [*labels, None] if view.is_as_it_was else None, np.bincount(seen, minlength=view.column.count + 1)
    )
    return _Feature(by_code[seen], by_code[view.column.codes], are_categories)


def _meanings(labels: Sequence[Any] | None, sizes: Integers) -> tuple[Reals, bool]:
    """Return the meaning of each code: numbers if all labels are numbers, else categories (the rarest ones merged)."""
    if labels is not None and any(label is not None for label in labels):
        try:
            return np.array([np.nan if label is None else float(label) for label in labels]), False
        except (TypeError, ValueError):
            pass
    places = np.argsort(np.argsort(-sizes, kind="stable"), kind="stable")
    return np.minimum(places, _CATEGORIES - 1).astype(np.float64), True


def _folds(y: Integers) -> Integers:
    """Return a fold for each person, already in random order, with every value spread over all folds."""
    folds = np.empty(y.size, np.int64)
    folds[np.argsort(y, kind="stable")] = np.arange(y.size) % _FOLDS
    return folds


def _guesses(features: Sequence[_Feature], people: Integers, y: Integers, known: Booleans, folds: Integers) -> Integers:
    """Return the guess for each person by a model that was trained on other people with a known target."""
    guesses = np.empty(people.size, np.int64)
    if not features:  # nothing to learn from but the values themselves
        features = [_Feature(np.zeros(y.size), np.zeros(y.size), are_categories=False)]
    classifier = _classifier([each.are_categories for each in features])
    learned = np.column_stack([each.learned[people] for each in features])
    predicted = np.column_stack([each.predicted[people] for each in features])
    with _one_thread():
        for fold in range(_FOLDS):
            rest, these = (folds != fold) & known[people], folds == fold
            right = predictions(classifier, learned[rest], y[people][rest], predicted[these]) if rest.any() else -1
            guesses[these] = right
    return guesses


def _one_thread() -> Any:
    """Return a context with one thread: the trees are small, and threads that wait for each other are much slower."""
    return import_module("threadpoolctl").threadpool_limits(limits=1)


def _classifier(categorical: Sequence[bool]) -> Any:
    try:
        ensemble: Any = import_module("sklearn.ensemble")
    except ModuleNotFoundError as missing:
        raise MissingExtraError(f"a target needs {missing.name}: install discretion[predict]") from None
    return ensemble.HistGradientBoostingClassifier(
        categorical_features=list(categorical) or None, early_stopping=False, random_state=_SEED
    )
