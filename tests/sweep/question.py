"""A question to the library with the truth by another route, and what is wrong with the answer, if anything is."""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

import pytest

import discretion
from discretion.errors import DiscretionError

mpmath = pytest.importorskip("mpmath")

# Enough for all that the oracles take differences of; what is small is summed as it is.
DIGITS = 100
# What a float promises: either of both.
RELATIVE, ABSOLUTE = mpmath.mpf("1e-10"), mpmath.mpf("1e-12")


@dataclass(frozen=True)
class Call:
    """A call of a public name, which reads as one would type it."""

    name: str
    positional: tuple[Any, ...]
    named: dict[str, Any]
    part: str | None = None

    def __repr__(self) -> str:
        given = [repr(value) for value in self.positional]
        given += [f"{name}={value!r}" for name, value in self.named.items() if value is not None]
        return f"{self.name}({', '.join(given)})" + (f".{self.part}" if self.part else "")

    def answer(self) -> Any:
        named = {name: _answer(value) for name, value in self.named.items()}
        whole = attrgetter(self.name)(discretion)(*map(_answer, self.positional), **named)
        return getattr(whole, self.part) if self.part else whole


@dataclass(frozen=True)
class Seen:
    """A crowd as one adversary sees it."""

    crowd: Call
    knowledge: Call

    def __repr__(self) -> str:
        return f"{self.crowd!r}.seen_by({self.knowledge!r}, seed=1)"

    def answer(self) -> Any:
        return self.crowd.answer().seen_by(self.knowledge.answer(), seed=1)


def _answer(value: Any) -> Any:
    if isinstance(value, list):
        return [_answer(part) for part in value]
    return value.answer() if hasattr(value, "answer") else value


def call(name: str, *positional: Any, **named: Any) -> Call:
    return Call(name, positional, named)


def part_of(part: str, name: str, *positional: Any, **named: Any) -> Call:
    return Call(name, positional, named, part)


@dataclass(frozen=True)
class Question:
    """What is asked, and the truth: a number, or the two ends between which it lies."""

    asked: Call
    truth: Callable[[], Any]
    may_be_refused: bool = False


@dataclass(frozen=True)
class Agreement:
    """Two answers of the library that must agree, and what says in which way they do not."""

    asked: str
    fault: Callable[[], str | None]


@dataclass(frozen=True)
class Verdict:
    """What kind of answer it was, what is wrong with it, and for one with a confidence whether it missed."""

    kind: str
    fault: str | None = None
    confidence: float | None = None
    missed: bool = False


def judged(question: Question | Agreement) -> Verdict:
    """Ask, and compare with the truth, or with the other answer."""
    if isinstance(question, Agreement):
        return _agreed(question)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            answer = question.asked.answer()
    except DiscretionError as error:
        fault = None if question.may_be_refused else f"refused: {type(error).__name__}: {error}"
        return Verdict("refused", _line(question, fault))
    except Exception as error:
        return Verdict("raised", _line(question, f"raised {error!r}"))
    with mpmath.workdps(DIGITS):
        truth = question.truth()
        low, high = truth if isinstance(truth, tuple) else (truth, truth)
        return _compared(question, answer, low, high)


def _agreed(question: Agreement) -> Verdict:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            fault = question.fault()
    except Exception as error:
        fault = f"raised {error!r}"
    return Verdict("in agreement", fault and f"{question.asked}: {fault}")


def _compared(question: Question, answer: Any, low: Any, high: Any) -> Verdict:
    ends = f"right is {_shown(low)}" + ("" if low == high else f" to {_shown(high)}")
    if isinstance(answer, discretion.Estimate):
        missed = not (answer.low <= high and low <= answer.high)
        if answer.confidence is not None:
            return Verdict("with a confidence", None, answer.confidence, missed)
        if answer.certified:
            return Verdict("certified", _line(question, f"{answer} misses, {ends}") if missed else None)
        off = not _near(answer.value, low, high)
        return Verdict("under an assumption", _line(question, f"{answer.value!r}, {ends}") if off else None)
    off = math.isnan(answer) or not _near(answer, low, high)
    return Verdict("exact", _line(question, f"{answer!r}, {ends}") if off else None)


def _near(answer: float, low: Any, high: Any) -> bool:
    if math.isinf(answer):
        return answer in (low, high)
    below, above = (max(ABSOLUTE, RELATIVE * abs(end)) if mpmath.isfinite(end) else 0 for end in (low, high))
    return low - below <= answer <= high + above


def _shown(number: Any) -> str:
    return mpmath.nstr(mpmath.mpf(number), 18)


def _line(question: Question, fault: str | None) -> str | None:
    return fault and f"{question.asked!r}: {fault}"
