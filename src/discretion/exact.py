"""Exact answers: a float, or a fraction, with the value, the ends and the kind that an `Estimate` has."""

from fractions import Fraction
from typing import TYPE_CHECKING, Literal, Protocol

Kind = Literal["exact", "bound", "estimate", "assumption"]


class Answer(Protocol):
    """The result of every measure, for systems of any size: an exact number, or a number with its interval.

    Examples
    --------
    >>> import discretion as dc
    >>> def largest(answers: list[dc.Answer]) -> float:
    ...     return max(answer.high for answer in answers)
    >>> largest([dc.bayes_security(dc.RandomizedResponse(2, p=0.75)), dc.Estimate(0.4, 0.3, 0.5, 0.95, "tries")])
    0.5
    """

    @property
    def value(self) -> float:
        """The number to quote."""
        ...

    @property
    def low(self) -> float:
        """The lower end of its interval."""
        ...

    @property
    def high(self) -> float:
        """The upper end of its interval."""
        ...

    @property
    def kind(self) -> Kind:
        """The kind of the number: exact, bound, estimate or assumption."""
        ...

    @property
    def confidence(self) -> float | None:
        """The confidence of the interval, or None if the interval is certain."""
        ...

    @property
    def assuming(self) -> str | None:
        """The assumption that it rests on, if any."""
        ...

    @property
    def certified(self) -> bool:
        """Whether its interval holds without exception, not only with a confidence or under an assumption."""
        ...

    def __float__(self) -> float:
        """Return the number to quote."""
        ...


class _Point:
    """A number whose interval is the number itself."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __float__(self) -> float: ...

    @property
    def value(self) -> float:
        """The number as a plain float; for a fraction, the float nearest to it."""
        return float(self)

    @property
    def low(self) -> float:
        """The lower end of its interval: the value."""
        return float(self)

    @property
    def high(self) -> float:
        """The upper end of its interval: the value."""
        return float(self)

    @property
    def kind(self) -> Literal["exact"]:
        """The kind of the number: always exact."""
        return "exact"

    @property
    def confidence(self) -> None:
        """None: the number is certain."""

    @property
    def assuming(self) -> None:
        """None: the number rests on no assumption."""

    @property
    def certified(self) -> Literal[True]:
        """Whether the number holds without exception: always true."""
        return True


class Exact(_Point, float):
    """A float that is an exact answer: its relative error is at most 1e-10, or its absolute error at most 1e-12.

    It can be used wherever a float can. Its arithmetic returns plain floats, because the result may be less precise:
    the difference of two nearly equal numbers has fewer correct digits.

    Examples
    --------
    >>> import discretion as dc
    >>> security = dc.bayes_security(dc.RandomizedResponse(2, p=0.75))
    >>> security, security.kind, security.low == security == security.high
    (0.5, 'exact', True)
    """

    __slots__ = ()


class ExactFraction(_Point, Fraction):
    """A fraction that is an exact answer: the rational number itself, computed from a channel of fractions.

    Examples
    --------
    >>> from fractions import Fraction
    >>> import discretion as dc
    >>> C = dc.Channel([[Fraction(2, 3), Fraction(1, 3)], [0, 1]])
    >>> dc.bayes_risk(C), dc.bayes_risk(C).kind
    (Fraction(1, 6), 'exact')
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Fraction({self.numerator}, {self.denominator})"
