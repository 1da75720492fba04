"""The files of a design: parameters for any client, code for client and server, and a notebook of checks."""

import json
import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pprint import pformat
from typing import Any, cast

import numpy as np

from discretion.adversaries.priors import as_prior, prior_vector
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate, highest, lowest
from discretion.mechanisms import Mechanism, reporting
from discretion.mechanisms.mechanism import as_mechanism
from discretion.presenting.json_answers import as_json, finite, plain
from discretion.spelling import mechanism_of, read_by, spelled
from discretion.validation import as_crowd

PARAMETERS_VERSION = 1
#: The files of every design.
FILES = ("parameters.json", "parameters.js", "randomize_and_tally.py", "check.ipynb")
#: The description of a collection, for designs that a collection can carry out.
TASK = "collect.toml"
# Answers that every question of a collection has in addition to those that it names.
_UNNAMED = ("other", "missing")
# The most answers that a task file names one by one.
_NAMED = 1000

# The largest difference of a probability between two machines.
_ROUNDING = 1e-12
# The most people whose reports a notebook draws one by one, and the most bits or values of these.
_PEOPLE_SAMPLED, _VALUES_SAMPLED = 100_000, 10**7


@dataclass(frozen=True)
class DesignNumber:
    """A number of a design, and the expression with which a notebook computes it again.

    Parameters
    ----------
    name
        The name of the number, for the reader.
    expression
        A Python expression of ``dc``, ``np``, ``mechanism``, ``n`` (the number of people) and ``shares``.
    value
        The number in the design: the notebook checks that the intervals of both overlap.

    Examples
    --------
    >>> DesignNumber("local ε", "dc.ldp_epsilon(mechanism)", 5.61).name
    'local ε'
    """

    name: str
    expression: str
    value: float | Estimate


@dataclass(frozen=True, eq=False)
class Shipment:
    """The files that a team ships for one design, by their names in `files`.

    Parameters
    ----------
    mechanism
        The local mechanism.
    users
        n, the number of people who report.
    labels
        The names of the values, in order; empty for their numbers.
    shares
        The true shares that the notebook simulates; None means all equal.
    command
        The arguments of the command that repeats the design, beginning with ``discretion``.
    numbers
        The numbers of the design, which the notebook checks.

    Examples
    --------
    >>> import discretion as dc
    >>> shipment = Shipment(dc.RandomizedResponse(12, epsilon=5.61), 50_000)
    >>> sorted(shipment.files)
    ['check.ipynb', 'collect.toml', 'parameters.js', 'parameters.json', 'randomize_and_tally.py']
    """

    mechanism: Mechanism
    users: int
    labels: Sequence[str] = ()
    shares: Sequence[float] | None = None
    command: Sequence[str] = ()
    numbers: Sequence[DesignNumber] = field(default_factory=tuple[DesignNumber, ...])

    def __post_init__(self) -> None:
        as_mechanism(self.mechanism, "a shipment")
        as_crowd(self.users, "users")
        as_prior(self.shares, self.mechanism.k)
        if self.labels and len(self.labels) != self.mechanism.k:
            raise InvalidValueError(
                f"labels must be {self.mechanism.k:,}, one for each value of the mechanism, got {len(self.labels):,}"
            )

    @property
    def files(self) -> dict[str, str]:
        """The content of each file, by its name."""
        notebook = json.dumps(self.notebook, indent=1) + "\n"
        contents = as_json(self.parameters) + "\n", self.javascript, self.python, notebook
        files: dict[str, str] = dict(zip(FILES, contents, strict=True))
        return files if self.task is None else files | {TASK: self.task}

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """The parameters, as `parameters_of` returns them."""
        return parameters_of(self.mechanism, self.labels)

    @property
    def javascript(self) -> str:
        """The parameters as a JavaScript module that exports them as ``parameters``."""
        return f"export const parameters = {as_json(self.parameters)};\n"

    @property
    def task(self) -> str | None:
        """The description of a collection with this question, from which ``discretion collect init`` makes a task.

        None if no collection can ask it: a collection needs randomized response, with "other" and "missing" as two of
        the answers, and few enough other answers to name them.
        """
        response, named = reporting(self.mechanism).response, self.mechanism.k - len(_UNNAMED)
        if response is None or not 1 <= named <= _NAMED:
            return None
        labels = list(self.labels[:named]) or [f"answer {place + 1}" for place in range(named)]
        parameters = self.parameters["mechanism"].partition(":")[2].partition(",")[2]
        return f"""# For discretion collect init. First name the question, its answers and the parties.
purpose = "what the answers are for"    # shown to participants
k = 10                                  # a person is exposed among fewer than ten with the same answers
budget = 0.01                           # the analyst gets a table that exposes at most 1 % of the people
smallest_batch = {self.users:<23}# fewer answers are destroyed: design for those who will answer
invited = {2 * self.users:<30}# the most people that are admitted; not all of them answer
opens = "0 minutes"
closes = "28 days"
redaction = 0.5                         # a suppressed answer is a rare one with at most this probability

[[features]]
name = "question"
# With "other" and "missing", which every question has, these are the {self.mechanism.k} answers of the design.
values = {json.dumps(labels, ensure_ascii=False)}
randomizer = "krr:{parameters}"

[[shufflers]]                           # in order; one honest shuffler hides who sent which report
url = "https://first.example"

[[shufflers]]
url = "https://second.example"

[curator]
url = "https://curator.example"

[analyst]
url = "https://analyst.example"
"""

    @property
    def python(self) -> str:
        """A Python module with the client's and the server's code; run as a script, it tries both."""
        name, width = self.parameters["mechanism"], self.mechanism.report_width
        return f'''"""The clients and the server of {name}."""

import tempfile
from pathlib import Path

import discretion as dc
from discretion.spelling import mechanism_of

MECHANISM = mechanism_of({name!r})
LABELS = {self._labels_code}


def report(answer):
    """Return the report on an answer, {width} bytes in hex. Run this on the device: only the report leaves it."""
    (randomized,) = MECHANISM.sample([LABELS.index(answer)])  # drawn from the system's cryptographic source
    return MECHANISM.encode(randomized).hex()


def tally(path):
    """Return the share of each answer, with its interval, from a file with a report per line. Run it on the server."""
    return dc.tally(path, MECHANISM, labels=LABELS, encoding="hex")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        reports = Path(folder, "reports.hex")
        reports.write_text("".join(report(LABELS[i % len(LABELS)]) + "\\n" for i in range(1000)))
        print(tally(reports).to_markdown())
'''

    @property
    def notebook(self) -> dict[str, Any]:
        """A notebook of format 4 that samples, tallies and checks the numbers; every check is an ``assert``."""
        name, n, k = self.parameters["mechanism"], self.users, self.mechanism.k
        shares = prior_vector(as_prior(self.shares, k), k)
        people = min(n, _PEOPLE_SAMPLED, max(1, _VALUES_SAMPLED // self._row_length))
        again = f"\n\n`{shlex.join(self.command)}` repeats the design." if self.command else ""
        spread = f"np.full({k}, 1 / {k})" if self.shares is None else f"np.array({shares.tolist()})"
        cells = [
            ("markdown", f"# {name}: {n:,} people\n\nThis notebook checks the numbers of a design.{again}"),
            (
                "code",
                "import numpy as np\n\nimport discretion as dc\n"
                "from discretion.jobs.shipping import read_parameters\n\n"
                f"parameters = {pformat(self.parameters, sort_dicts=False, width=100)}\n"
                f"mechanism = read_parameters(parameters)\nmechanism",
            ),
            (
                "markdown",
                f"## Sample\n\n{people:,} people, with these shares. The last line shows a report as a client sends "
                "it.",
            ),
            (
                "code",
                f"n, people = {n}, {people}\nshares = {spread}\nrng = np.random.default_rng(1)\n"
                "counts = rng.multinomial(people, shares / shares.sum())\n"
                "reports = mechanism.sample(np.repeat(np.arange(mechanism.k), counts), rng)\n"
                "mechanism.encode(reports[0]).hex()",
            ),
            ("markdown", "## Tally\n\nAll intervals cover the true shares at once, except in 1 of 10,000 notebooks."),
            (
                "code",
                f"labels = {self._labels_code}\n"
                "result = dc.tally(reports, mechanism, labels=labels, confidence=0.9999, simultaneous=True)\n"
                "true = counts / people\n"
                "assert ((result.low <= true) & (true <= result.high)).all()\nresult",
            ),
            ("markdown", "## The error\n\nThe error of 200 simulated tallies agrees with the formula."),
            (
                "code",
                "some = min(people, 10_000)\nsome_counts = rng.multinomial(some, shares / shares.sum())\n"
                "errors = [\n"
                "    mechanism.estimate_from_aggregate(mechanism.sample_aggregate(some_counts, rng), some)"
                " - some_counts / some\n"
                "    for _ in range(200)\n]\n"
                "measured = float(np.sqrt(np.mean(np.square(errors))))\n"
                "expected = float(dc.frequency_error(mechanism, some, some_counts / some).share)\n"
                "assert abs(measured - expected) <= 0.35 * expected + 1 / some, (measured, expected)\n"
                "measured, expected",
            ),
        ]
        if self.numbers:
            cells += [
                ("markdown", "## The numbers of the design"),
                (
                    "code",
                    "def check(value, low, high):\n"
                    '    """Check that a number, or its interval, meets the one of the design."""\n'
                    '    ends = [float(getattr(value, end, value)) for end in ("low", "high")]\n'
                    "    slack = 1e-9 * max(abs(end) for end in (*ends, 1e-3))\n"
                    "    assert ends[0] <= high + slack and low <= ends[1] + slack, (value, low, high)\n"
                    "    return value",
                ),
            ]
        for number in self.numbers:
            ends = ", ".join(map(_float_code, (lowest(number.value), highest(number.value))))
            cells += [("markdown", f"{number.name}:"), ("code", f"check({number.expression}, {ends})")]
        return _notebook(cells)

    @property
    def _row_length(self) -> int:
        return int(np.prod(self.mechanism.checked_reports([]).shape[1:]))

    @property
    def _labels_code(self) -> str:
        return repr([*self.labels]) if self.labels else f"[str(value) for value in range({self.mechanism.k})]"


def parameters_of(mechanism: Mechanism, labels: Sequence[str] = ()) -> dict[str, Any]:
    """Return the parameters of a mechanism for JSON, for a client in any language.

    Parameters
    ----------
    mechanism
        A local mechanism.
    labels
        The names of its values, in order.

    Returns
    -------
    dict
        ``mechanism`` (its spelling, from which `read_parameters` makes it again), ``k``, ``epsilon``, ``labels``;
        ``device``: the device's steps to make a report (`Mechanism.device_recipe`), in whole numbers and `coin`
        thresholds; ``wire``: the bytes and bits of a report and their layout; ``work`` (`Mechanism.device_work`); and
        ``support``: the probabilities that a report supports its sender's value, and another value, from which a server
        estimates shares (None if the mechanism has none). Numbers that are not finite are strings.

    Raises
    ------
    UnsupportedError
        If the mechanism has no spelling, or no known steps with which a device makes its reports.

    Examples
    --------
    >>> import discretion as dc
    >>> parameters = parameters_of(dc.UnaryEncoding(10, kappa=0.5, lam=0.25))
    >>> parameters["mechanism"], parameters["device"]["coins"]["other"], parameters["wire"]["bits"]
    ('ue:k=10,kappa=0.5,lam=0.25', {'rarer_face': 1, 'threshold': '40'}, 16)
    """
    mechanism = as_mechanism(mechanism, "a shipment")
    support: Any = getattr(mechanism, "support", None)
    work = mechanism.device_work
    parameters: dict[str, Any] = {
        "parameters_version": PARAMETERS_VERSION,
        "mechanism": spelled(mechanism),
        "k": mechanism.k,
        "epsilon": float(mechanism.epsilon),
        "labels": [*labels] or None,
        "device": mechanism.device_recipe(),
        "wire": {
            "bytes": mechanism.report_width,
            "bits": 8 * mechanism.report_width,
            "layout": mechanism.wire.layout,
        },
        "work": work._asdict(),
        "support": None if support is None else {"own": support.own, "other": support.other, "gap": support.gap},
    }
    return finite(plain(parameters))


def read_parameters(parameters: Mapping[str, Any]) -> Mechanism:
    """Return the mechanism of parameters that `parameters_of` returned.

    Raises
    ------
    InvalidValueError
        If they are not the parameters of the mechanism that they name: some are missing, changed, or of another
        version.

    Examples
    --------
    >>> import discretion as dc
    >>> read_parameters(parameters_of(dc.UnaryEncoding.oue(3, epsilon=1)))
    UnaryEncoding(k=3, kappa=0.5, lam=0.268941)
    """
    name, labels = parameters.get("mechanism"), parameters.get("labels") or ()
    if not isinstance(name, str):
        raise InvalidValueError("parameters must have the text of their mechanism, such as 'krr:k=5,epsilon=1'")
    if read_by(name) is not None:
        raise InvalidValueError(f"the mechanism of parameters must not name a file, got {name!r:.80}")
    mechanism = as_mechanism(mechanism_of(name), "a shipment")
    expected = parameters_of(mechanism, labels)
    different = [key for key in {**expected, **parameters} if not _agree(parameters.get(key), expected.get(key), key)]
    if different:
        raise InvalidValueError(
            f"parameters must be those of their mechanism, {name!r:.80}, but {', '.join(map(repr, different))} "
            f"{'is' if len(different) == 1 else 'are'} not; use parameters as they were written, or write them again"
        )
    return mechanism


def _agree(given: Any, expected: Any, key: str) -> bool:
    """Return whether two parts of parameters are the same, except for digits that machines round differently."""
    if isinstance(given, dict) and isinstance(expected, dict):
        parts, others = cast("dict[str, Any]", given), cast("dict[str, Any]", expected)
        return parts.keys() == others.keys() and all(_agree(parts[name], others[name], name) for name in others)
    if isinstance(given, list) and isinstance(expected, list):
        rows, others = cast("list[Any]", given), cast("list[Any]", expected)
        return len(rows) == len(others) and all(_agree(*pair, key) for pair in zip(rows, others, strict=True))
    if key == "threshold" and isinstance(given, str):
        return math.isclose(_probability(given), _probability(expected), rel_tol=_ROUNDING)
    if key == "thresholds" and isinstance(given, int):
        return abs(given - expected) <= _ROUNDING * 2**53
    if isinstance(given, float) and isinstance(expected, float):
        return math.isclose(given, expected, rel_tol=_ROUNDING)
    return given == expected


def _probability(threshold: str) -> float:
    """Return the probability of a coin's rarer face; NaN if the text is no hex."""
    try:
        digits = bytes.fromhex(threshold)
    except ValueError:
        return math.nan
    return float(Fraction(int.from_bytes(digits, "big"), 256 ** len(digits)))


def _float_code(number: float) -> str:
    return repr(float(number)) if math.isfinite(number) else f"float('{float(number)}')"


def _notebook(cells: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Return cells, each of a kind and a text, as a notebook of format 4.5."""
    of_code: dict[str, Any] = {"execution_count": None, "outputs": []}
    return {
        "cells": [
            {
                "cell_type": kind,
                "id": f"cell-{number}",
                "metadata": {},
                "source": text.splitlines(keepends=True),
                **(of_code if kind == "code" else {}),
            }
            for number, (kind, text) in enumerate(cells, start=1)
        ],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }
