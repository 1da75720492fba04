"""Measures: public functions that first plan and then compute.

A planner validates its arguments and selects the algorithm for this system; the measure runs that algorithm, and
`method` returns its name and its rung. A structured system registers its own algorithms on the planner's
`singledispatch`, next to its own definition.
"""

import functools
import inspect
import typing
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, Literal, NamedTuple, ParamSpec, Protocol, TypeVar, cast, overload

from numpy.typing import ArrayLike

from discretion.adversaries.priors import as_prior
from discretion.channels.channel import System, as_system
from discretion.errors import UnsupportedError
from discretion.estimate import Estimate, answer_type, as_answer, at_safe_end
from discretion.exact import Exact, ExactFraction
from discretion.intervals import End
from discretion.numerics.arrays import Reals
from discretion.numerics.elementwise import Answer, Answers, Levels, elementwise

P = ParamSpec("P")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


Rung = Literal["closed form", "exact", "bound", "estimate"]


class Method(NamedTuple):
    """The name of an algorithm, and its rung on the ladder from closed forms to estimates; `method` returns one.

    A closed form and an exact algorithm return an exact number. An exact algorithm that would take too long, or whose
    rounding errors exceed the precision of a float, returns certified bounds instead. A bound is a certified
    `discretion.Estimate`; an estimate is a `discretion.Estimate` with a confidence.
    """

    name: str
    rung: Rung


@dataclass(frozen=True)
class Plan(Generic[T_co]):
    """An algorithm with its arguments, ready to run."""

    method: Method
    compute: Callable[[], T_co]

    @property
    def rung(self) -> Rung:
        """The rung of the algorithm on the ladder from closed forms to estimates."""
        return self.method.rung

    @property
    def is_exact(self) -> bool:
        """Whether the algorithm computes the exact number."""
        return self.rung in ("closed form", "exact")

    def then(self, function: Callable[[T_co], T]) -> "Plan[T]":
        """Return the plan of a function of this plan's result."""
        return Plan(self.method, lambda: function(self.compute()))

    def named(self, name: str) -> "Plan[T_co]":
        """Return the same plan with another name."""
        return Plan(Method(name, self.rung), self.compute)


class Measure(Protocol[P, T_co]):
    """A function that computes a quantity, and whose ``plan`` selects the algorithm without running it."""

    __name__: str
    safe: End

    @property
    def plan(self) -> Callable[P, Plan[typing.Any]]:
        """The planner of this measure."""
        ...

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T_co:
        """Compute the quantity."""
        ...


class Measuring(Protocol):
    """A decorator of planners: it gives each computed number a value, bounds and a kind."""

    @overload
    def __call__(  # pyright: ignore[reportOverlappingOverload] - a bool is a float for type checkers
        self, planner: Callable[P, Plan[bool]], /
    ) -> Measure[P, bool]: ...
    @overload
    def __call__(self, planner: Callable[P, Plan[float]], /) -> Measure[P, Exact]: ...
    @overload
    def __call__(self, planner: Callable[P, Plan[Estimate]], /) -> Measure[P, Estimate]: ...
    @overload
    def __call__(self, planner: Callable[P, Plan[float | Estimate]], /) -> Measure[P, Exact | Estimate]: ...
    @overload
    def __call__(
        self, planner: Callable[P, Plan[float | Fraction | Estimate]], /
    ) -> Measure[P, Exact | ExactFraction | Estimate]: ...
    @overload
    def __call__(self, planner: Callable[P, Plan[T]], /) -> Measure[P, T]: ...
    @overload
    def __call__(self, *, safe: End) -> "Measuring": ...


def _measure(planner: Callable[P, Plan[T]] | None = None, *, safe: End = "high") -> Any:
    """Make a public measure of a planner: with the same arguments and documentation, it returns the result.

    Parameters
    ----------
    planner
        A function that validates its arguments and returns a plan.
    safe
        The bound on which a decision is safe: "high" for leakage, "low" for protection or utility. A result whose
        bounds are far apart has this bound as its value, for any algorithm.
    """
    if planner is None:
        return functools.partial(_measure, safe=safe)

    @functools.wraps(planner)
    def plan(*args: P.args, **kwargs: P.kwargs) -> Plan[T]:
        return planner(*args, **kwargs).then(lambda answer: at_safe_end(answer, safe))

    @functools.wraps(planner)
    def quantity(*args: P.args, **kwargs: P.kwargs) -> object:
        return as_answer(plan(*args, **kwargs).compute())

    (numbers,) = typing.get_args(planner.__annotations__["return"])
    answer = answer_type(numbers)
    quantity.__annotations__["return"] = answer
    signature = inspect.signature(planner).replace(return_annotation=answer)
    vars(quantity).update(plan=plan, safe=safe, __signature__=signature)
    return quantity


measure = cast(Measuring, _measure)


class OfEpsilon(Protocol):
    """A measure at a privacy loss ε, or at each of several."""

    __name__: str

    @property
    def plan(self) -> Callable[[System, float], Plan[Answer]]:
        """The planner for a single argument."""
        ...

    @overload
    def __call__(self, system: System, epsilon: float) -> Answer: ...
    @overload
    def __call__(self, system: System, epsilon: Levels) -> Answers: ...


class OfDelta(Protocol):
    """A measure at a failure probability δ, or at each of several."""

    __name__: str

    @property
    def plan(self) -> Callable[[System, float], Plan[Answer]]:
        """The planner for a single argument."""
        ...

    @overload
    def __call__(self, system: System, delta: float) -> Answer: ...
    @overload
    def __call__(self, system: System, delta: Levels) -> Answers: ...


class OfOrder(Protocol):
    """A measure of an order α, or of each of several."""

    __name__: str

    @property
    def plan(self) -> Callable[[System, float], Plan[Answer]]:
        """The planner for a single argument."""
        ...

    @overload
    def __call__(self, system: System, order: float) -> Answer: ...
    @overload
    def __call__(self, system: System, order: Levels) -> Answers: ...


M = TypeVar("M")
Planner = Callable[[System, float], Plan[float | Estimate]]


def measure_at(kind: type[M]) -> Callable[[Planner], M]:
    """Return a decorator that makes a measure, of this static type, whose last argument may be an array.

    For an array the measure returns an array of the same shape: of floats if every result is exact, else of objects.
    """

    def made(planner: Planner) -> M:
        once = measure(planner)
        _, level = inspect.signature(once).parameters

        @functools.wraps(once)
        def quantity(*args: typing.Any, **kwargs: typing.Any) -> Answer | Answers:
            given = inspect.signature(once).bind(*args, **kwargs).arguments

            def answer(one: float) -> Answer:
                return once(given["system"], one)

            return elementwise(answer, given[level])

        annotations = {**once.__annotations__, level: float | Levels, "return": Answer | Answers}
        signature = inspect.Signature(
            [
                parameter.replace(annotation=annotations[name])
                for name, parameter in inspect.signature(once).parameters.items()
            ],
            return_annotation=annotations["return"],
        )
        vars(quantity).update(plan=once.plan, safe=once.safe, __signature__=signature)
        quantity.__annotations__ = annotations
        return cast(M, quantity)

    return made


class Planned(Protocol[P]):
    """A function whose ``plan`` selects its algorithm."""

    @property
    def plan(self) -> Callable[P, Plan[typing.Any]]:
        """The planner of the function."""
        ...


def method(measure: Planned[P], *args: P.args, **kwargs: P.kwargs) -> Method:
    """Return the algorithm that the measure would run on these arguments, without running it.

    Parameters
    ----------
    measure
        A measure, such as `discretion.posterior_vulnerability`.
    *args, **kwargs
        The arguments of the measure.

    Returns
    -------
    Method
        ``.name`` and ``.rung``: ``"closed form"``, ``"exact"``, ``"bound"`` or ``"estimate"``.

    Raises
    ------
    UnsupportedError
        If it is not a measure of a system.
    DiscretionError
        Any error that the measure raises on these arguments before it computes.

    Examples
    --------
    >>> import discretion as dc
    >>> dc.method(dc.bayes_security, dc.RandomizedResponse(1000, epsilon=1))
    Method(name='closed form of k-RR (Bayes-sec eq. 7)', rung='closed form')
    """
    planner = getattr(measure, "plan", None)
    if planner is None:
        raise UnsupportedError(
            f"method needs a measure of a system such as discretion.posterior_vulnerability, got {measure!r}"
        )
    return cast(Plan[object], planner(*args, **kwargs)).method


def as_plain(system: object) -> System:
    """Return the simplest system with the same leakage; raise if the object is not a system."""
    return plainest(as_system(system))


@functools.singledispatch
def plainest(system: System) -> System:
    """Return the simplest system with the same leakage: the system itself, unless it reduces to another one."""
    return system


@functools.singledispatch
def reported_alone(system: System) -> System:
    """Return the simplest system if its observation is one person's report; raise for a crowd's."""
    return plainest(system)


@functools.singledispatch
def prior_on(system: System, prior: ArrayLike | None) -> Reals | None:
    """Return the law of the secret, where None means uniform; a system with its own law accepts no other."""
    return as_prior(prior, system.secrets)
