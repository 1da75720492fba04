"""The Bayes risk of a black box while samples stream in."""

from collections import Counter
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from discretion.blackbox.bayes_risk import risk_estimate
from discretion.blackbox.classifiers import Classifier, Method, features, is_classifier, predictions
from discretion.blackbox.distinct import distinct, distinct_integers
from discretion.blackbox.nearest_neighbours import NearestNeighbours
from discretion.blackbox.progressive_validation import Validation
from discretion.blackbox.samples import Rows, check_secrets_repeat, checked_pairs, columns, join_samples
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate
from discretion.validation import as_confidence

# A batch joins the one before it until both reach this share of the samples that they were guessed from.
_BLOCKS_TO_DOUBLE = 16


class BayesRiskStream:
    """An estimate of the Bayes risk from a stream: each batch is guessed from all before it, and then learned.

    Parameters
    ----------
    method
        As in `estimate_bayes_risk`, except ``"auto"``. The frequentist method, the default, keeps a count for each
        distinct pair of a secret and an observation; the others keep all samples and learn them again for each batch.
    confidence
        The probability with which an interval contains the Bayes risk, in (0, 1).

    Notes
    -----
    Samples must come in random order: independent pairs from one law. An interval holds if the number of samples and
    the sizes of batches were fixed beforehand; it need not hold if you stop when you like the result. The first batch
    is used for learning only.

    Examples
    --------
    >>> stream = BayesRiskStream()
    >>> for _ in range(10):
    ...     stream.add(["a", "b"] * 50, [0, 1] * 50)
    >>> stream.estimate().low, round(stream.estimate().high, 3)
    (0.0, 0.004)
    """

    def __init__(self, method: Method = "frequentist", confidence: float = 0.95) -> None:
        self.confidence = as_confidence(confidence)
        if method == "frequentist":
            self._memory: _Memory = _Counts()
        elif method == "nearest-neighbours":
            self._memory = _All(NearestNeighbours())
        elif is_classifier(method):
            self._memory = _All(method)
        else:
            raise InvalidValueError(
                f"a stream's method must be 'frequentist', {'nearest-neighbours'!r} or a classifier with fit and "
                f"predict, got {method!r}"
            )
        self._blocks: list[tuple[int, int, int, int]] = []
        self._shape: tuple[int, ...] = ()

    def add(self, secrets: ArrayLike, observations: ArrayLike) -> None:
        """Guess the secrets of the batch from the batches before it, then learn it.

        Parameters
        ----------
        secrets, observations
            As in `estimate_bayes_risk`.

        Raises
        ------
        InvalidValueError
            If `estimate_bayes_risk` would refuse the samples, except for a single secret, or if an observation has
            another number of columns than before.
        """
        inputs, outputs = checked_pairs(secrets, observations)
        if self._blocks and outputs.shape[1:] != self._shape:
            raise InvalidValueError(
                f"observations must have one shape in all batches, got {columns(outputs.shape[1:])} after "
                f"{columns(self._shape)}"
            )
        errors = self._memory.errors_then_learned(inputs, outputs)
        self._shape = outputs.shape[1:]
        least = self._memory.least_errors or 0
        if not self._blocks:
            self._blocks.append((inputs.size, 0, 0, least))
            return
        known, tested, wrong, _ = self._blocks[-1]
        if 0 < _BLOCKS_TO_DOUBLE * tested < known:
            self._blocks[-1] = known, tested + inputs.size, wrong + errors, least
        else:
            self._blocks.append((known + tested, inputs.size, errors, least))

    def estimate(self) -> Estimate:
        """Return the estimate from all samples so far, as `estimate_bayes_risk` does."""
        counts = self._memory.samples_of_secrets()
        if len(counts) < 2:
            raise InvalidValueError(
                f"samples must have at least two different secrets, got {len(counts)} so far; add more samples"
            )
        check_secrets_repeat(counts.count(1), sum(counts))
        known, tested, errors, least = np.array(self._blocks).T
        validation = Validation(known, tested, errors, None if self._memory.least_errors is None else least)
        return risk_estimate(validation, self.confidence, self._memory.classifier)


class _Memory(Protocol):
    @property
    def classifier(self) -> Classifier | None: ...

    def samples_of_secrets(self) -> list[int]: ...

    @property
    def least_errors(self) -> int | None: ...

    def errors_then_learned(self, secrets: Rows, observations: Rows) -> int: ...


class _Counts:
    """The counts of each secret with each observation, and the most frequent secret of each observation."""

    classifier = None

    def __init__(self) -> None:
        self._counts: dict[Any, dict[Any, int]] = {}
        self._best: dict[Any, Any] = {}
        self._overall: dict[Any, int] = {}
        self._samples = self._right = 0

    def samples_of_secrets(self) -> list[int]:
        return list(self._overall.values())

    @property
    def least_errors(self) -> int:
        return self._samples - self._right

    def errors_then_learned(self, secrets: Rows, observations: Rows) -> int:
        rows = observations if observations.ndim == 1 else _as_tuples(observations)
        inputs, of_input = distinct(secrets, "secrets")
        outputs, of_output = distinct(rows, "observations")
        cells, of_cell = distinct_integers(of_output * inputs.size + of_input)
        counts = np.bincount(of_cell).tolist()
        names, seen = inputs.tolist(), outputs.tolist()
        pairs = [(names[cell % inputs.size], seen[cell // inputs.size]) for cell in cells.tolist()]
        most = max(self._overall, key=self._overall.__getitem__, default=None)
        right = sum(
            count
            for (secret, output), count in zip(pairs, counts, strict=True)
            if self._best.get(output, most) == secret
        )
        for (secret, output), count in zip(pairs, counts, strict=True):
            self._learn(secret, output, count)
        return secrets.size - right

    def _learn(self, secret: Any, output: Any, count: int) -> None:
        of_output = self._counts.setdefault(output, {})
        before = of_output.get(self._best.get(output), 0)
        of_output[secret] = of_output.get(secret, 0) + count
        if of_output[secret] > before:
            self._best[output] = secret
            self._right += of_output[secret] - before
        self._overall[secret] = self._overall.get(secret, 0) + count
        self._samples += count


class _All:
    """All samples, for a classifier that learns them again for each batch."""

    least_errors = None

    def __init__(self, classifier: Classifier) -> None:
        self.classifier = classifier
        self._secrets: list[Rows] = []
        self._observations: list[Rows] = []

    def samples_of_secrets(self) -> list[int]:
        return list(Counter(secret for batch in self._secrets for secret in batch.tolist()).values())

    def errors_then_learned(self, secrets: Rows, observations: Rows) -> int:
        rows = features(self.classifier, observations)
        errors = 0
        if self._secrets:
            known, learned = join_samples(self._observations), join_samples(self._secrets)
            errors = int(np.sum(predictions(self.classifier, known, learned, rows) != secrets))
        self._secrets.append(secrets.copy())  # the caller may write the next batch over this one
        self._observations.append(rows.copy())
        return errors


def _as_tuples(rows: Rows) -> Rows:
    tuples = np.empty(len(rows), dtype=object)
    tuples[:] = [tuple(row) for row in rows.tolist()]
    return tuples
