"""How a measure is made: a public function that plans first and computes then.

A planner validates and says which algorithm answers for this system; the measure runs that algorithm, `method` names
it and its rung. A structured system registers its own algorithms on the planner's `singledispatch`, beside its own
definition.
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
    """What an algorithm is called, and where on the ladder it stands; `method` returns one.

    A closed form and an exact algorithm answer with an exact number, but for one that finds too late that it takes too
    long, or that rounding keeps it from the digits of a float: it falls back on certified bounds. A bound is a
    certified `discretion.Estimate`, an estimate one with a confidence.
    """

    name: str
    rung: Rung


@dataclass(frozen=True)
class Plan(Generic[T_co]):
    """An algorithm that is ready to answer."""

    method: Method
    compute: Callable[[], T_co]

    @property
    def rung(self) -> Rung:
        """Where on the ladder the algorithm stands."""
        return self.method.rung

    @property
    def is_exact(self) -> bool:
        """Whether it sums or solves for the number itself."""
        return self.rung in ("closed form", "exact")

    def then(self, function: Callable[[T_co], T]) -> "Plan[T]":
        """Return the plan to answer with a function of this one's answer."""
        return Plan(self.method, lambda: function(self.compute()))

    def named(self, name: str) -> "Plan[T_co]":
        """Return the same plan by another name."""
        return Plan(Method(name, self.rung), self.compute)


class Measure(Protocol[P, T_co]):
    """A function that answers, and can say how it would."""

    __name__: str
    safe: End

    @property
    def plan(self) -> Callable[P, Plan[typing.Any]]:
        """What plans the answer."""
        ...

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T_co:
        """Compute the quantity."""
        ...


class Measuring(Protocol):
    """A decorator of planners: a number that a planner computes has a value, ends and a kind as the answer."""

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
    """Make a public measure of a planner: same arguments, same documentation, the answer instead of the plan.

    Parameters
    ----------
    planner
        Validates, and plans how to answer.
    safe
        The end of a bound on which a decision is safe: "high" of what leaks, "low" of what protects or is useful. An
        answer whose ends are far apart has its value there, whichever algorithm gave it.
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
        """What plans the answer at one."""
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
        """What plans the answer at one."""
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
        """What plans the answer at one."""
        ...

    @overload
    def __call__(self, system: System, order: float) -> Answer: ...
    @overload
    def __call__(self, system: System, order: Levels) -> Answers: ...


M = TypeVar("M")
Planner = Callable[[System, float], Plan[float | Estimate]]


def measure_at(kind: type[M]) -> Callable[[Planner], M]:
    """Return what makes a public measure of a planner whose last argument may be an array, of this static type.

    Of an array the measure returns an array of the same shape: of floats where every answer is exact, else of objects.
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
    """What can say how it would answer."""

    @property
    def plan(self) -> Callable[P, Plan[typing.Any]]:
        """What plans the answer."""
        ...


def method(measure: Planned[P], *args: P.args, **kwargs: P.kwargs) -> Method:
    """Return the algorithm with which the measure would answer, without running it.

    Parameters
    ----------
    measure
        A measure, such as `discretion.posterior_vulnerability`.
    *args, **kwargs
        What the measure would be called with.

    Returns
    -------
    Method
        ``.name`` and ``.rung``: ``"closed form"``, ``"exact"``, ``"bound"`` or ``"estimate"``.

    Raises
    ------
    UnsupportedError
        If it is not a measure of a system.
    DiscretionError
        Whatever the measure would raise on these arguments before it computes.

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
    """Return the plainest system whose reports say the same, or say why this is none."""
    return plainest(as_system(system))


@functools.singledispatch
def plainest(system: System) -> System:
    """Return the plainest system whose reports say the same: the system itself, unless it is another in disguise."""
    return system


@functools.singledispatch
def reported_alone(system: System) -> System:
    """Return the plainest system, if what is seen of it is one person's report, or say that it is a crowd's."""
    return plainest(system)


@functools.singledispatch
def prior_on(system: System, prior: ArrayLike | None) -> Reals | None:
    """Return the law of the secret, None being uniform; a system that comes with one takes no other."""
    return as_prior(prior, system.secrets)
