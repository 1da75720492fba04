"""Gates: limits on measures, spelled ``measure>value`` or ``measure<value``, and verdicts on results against them."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, Literal, cast

from discretion.errors import InvalidValueError, one_of
from discretion.estimate import Estimate
from discretion.presenting.numbers import in_full, spelled_number, within

Number = int | float | Fraction | Estimate
Word = Literal["passed", "failed", "not decided"]

# The last sign is the gate's: a column that a measure names may have others.
_SPELLED = re.compile(r"\s*(.*\S)\s*([<>])\s*(\S+)\s*", re.DOTALL)
_LARGEST_EXPONENT = 300
# How to decide a gate whose limit is within the interval of a mechanism's measure.
SETTLED = "fewer users, whose reports are summed exactly, or a limit outside of this interval"
# The relative error of a float: a value this near to a limit counts as equal to it.
_ROUNDING = 1e-10


@dataclass(frozen=True)
class Gate:
    """A measure and its limit: the measure must not be above (``>``) or below (``<``) it."""

    measure: str
    operator: Literal["<", ">"]
    limit: Fraction


@dataclass(frozen=True)
class Verdict:
    """Whether a measure is within a gate; ``settle`` is how to decide a gate that is not decided.

    ``of`` is the mechanism or the file that was measured, if a command measures several.
    """

    of: str | None
    measure: str
    operator: Literal["<", ">"]
    limit: float
    value: float | Estimate | None
    verdict: Word
    settle: str | None

    def __str__(self) -> str:
        return f"{verdict_word(self.verdict)} {'' if self.of is None else f'{self.of}: '}{self.sentence}"

    @property
    def sentence(self) -> str:
        """The comparison and its result."""
        sign, limit = self.operator, spelled_number(self.limit)
        if self.value is None:
            return f"{self.measure} {sign} {limit}: {self.settle}"
        value = in_full(self.value)
        if isinstance(self.value, Estimate):
            value += f" ({within(self.value)})"
        if self.settle is not None:
            return f"{self.measure} {sign} {limit}: it is {value}; to decide it, take {self.settle}"
        if self.verdict == "passed":
            sign = "<=" if sign == ">" else ">="
        return f"{self.measure} {value} {sign} {limit}"


def verdict_word(verdict: Word) -> str:
    """Return a verdict as the first word of a line."""
    return "FAILED" if verdict == "failed" else verdict


def gate_of(text: str) -> Gate:
    """Return the gate that is spelled as ``measure>value`` or ``measure<value``.

    Examples
    --------
    >>> gate_of("exposure>0.01")
    Gate(measure='exposure', operator='>', limit=Fraction(1, 100))
    """
    parts = _SPELLED.fullmatch(text)
    limit = None if parts is None else limit_of(parts[3])
    if parts is None or limit is None:
        raise InvalidValueError(
            'a gate must be a measure, > (too much) or < (too little), and a number, as in "exposure>0.01" or '
            f'"k_anonymity<5", got {text!r}'
        )
    return Gate(parts[1], cast('Literal["<", ">"]', parts[2]), limit)


def gates_of(texts: Iterable[str], measures: Iterable[str]) -> tuple[Gate, ...]:
    """Return the gates for these texts, or raise an error if one is of another measure."""
    gates, known = tuple(map(gate_of, texts)), tuple(measures)
    for gate in gates:
        one_of(gate.measure, known, "measure here called")
    return gates


def numbers_in(results: Mapping[str, Any]) -> dict[str, Number]:
    """Return the numbers among results by their names; a number in a nested part is named ``part.name``.

    Examples
    --------
    >>> numbers_in({"leakage": 2.0, "leakiest_pair": (0, 1), "frequency_error": {"share": 0.1}})
    {'leakage': 2.0, 'frequency_error.share': 0.1}
    """
    numbers: dict[str, Number] = {}
    for name, value in results.items():
        if isinstance(value, Mapping):
            part = numbers_in(cast(Mapping[str, Any], value))
            numbers |= {f"{name}.{inner}": number for inner, number in part.items()}
        elif isinstance(value, int | float | Fraction | Estimate) and not isinstance(value, bool):
            numbers[name] = value
    return numbers


def judged(
    gates: Sequence[Gate],
    numbers: Mapping[str, Number | None],
    settle: str = "a limit outside of this",
    missing: Mapping[str, str] | None = None,
    of: str | None = None,
) -> tuple[Verdict, ...]:
    """Return the verdict of each gate.

    Parameters
    ----------
    gates
        The gates.
    numbers
        The value of each measure by its name; None if it has no value.
    settle
        How to decide a gate whose limit is within the interval of a measure.
    missing
        The reason for each measure without a value.
    of
        The name of the measured object, if there are several.

    Raises
    ------
    InvalidValueError
        If a gate is of another measure.

    Examples
    --------
    >>> bound = Estimate(0.3, 0.0, 0.3, None, "bound")
    >>> gates = [gate_of("exposure_bound>0.5"), gate_of("exposure_bound>0.1"), gate_of("k_anonymity<5")]
    >>> [verdict.verdict for verdict in judged(gates, {"exposure_bound": bound, "k_anonymity": 3}, "count the people")]
    ['passed', 'not decided', 'failed']
    """
    reasons = missing or {}
    verdicts: list[Verdict] = []
    for gate in gates:
        value = numbers[one_of(gate.measure, numbers, "measure here called")]
        if value is None or (isinstance(value, float) and math.isnan(value)):
            value, word = None, "not decided"
            way = reasons.get(gate.measure, "it was not computed; give it more time (--time)")
        else:
            word, way = _word(gate, value), settle
        verdicts.append(
            Verdict(
                of,
                gate.measure,
                gate.operator,
                float(gate.limit),
                float(value) if isinstance(value, Fraction) else value,
                word,
                way if word == "not decided" else None,
            )
        )
    return tuple(verdicts)


def _word(gate: Gate, value: Number) -> Word:
    ends = [_beyond(gate, end) for end in _both(value)]
    return "failed" if all(ends) else "not decided" if any(ends) else "passed"


def _beyond(gate: Gate, value: float | Fraction) -> bool:
    """Whether a number is on the forbidden side of the limit, exactly except for the rounding of floats."""
    if isinstance(value, float) and (
        math.isinf(value) or math.isclose(value, gate.limit, rel_tol=_ROUNDING, abs_tol=0)
    ):
        return math.isinf(value) and (value > 0) == (gate.operator == ">")
    if isinstance(value, Fraction) and float(value) == float(gate.limit):
        return False  # the limit is the share as a double prints it
    return Fraction(value) > gate.limit if gate.operator == ">" else Fraction(value) < gate.limit


def _both(value: Number) -> tuple[float | Fraction, float | Fraction]:
    return (value.low, value.high) if isinstance(value, Estimate) else (value, value)


def limit_of(text: str) -> Fraction | None:
    """Return a text as an exact number; None if it is not a number, or a number that no double holds."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    if not number.is_finite() or abs(number.adjusted()) > _LARGEST_EXPONENT or len(text) > _LARGEST_EXPONENT:
        return None
    return Fraction(number)
