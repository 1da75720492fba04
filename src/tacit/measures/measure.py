"""How a measure is made: a public function that plans first and computes then.

A planner validates and says which algorithm answers for this system; the measure runs that algorithm, `method` names
it. A structured system registers its own algorithms on the planner's `singledispatch`, beside its own definition.
"""

import functools
import inspect
import typing
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, ParamSpec, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.adversaries.knowledge import Knowledge
from tacit.adversaries.priors import as_prior
from tacit.channels.channel import System, as_system
from tacit.errors import InvalidPriorError, UnsupportedError
from tacit.numerics.randomness import Seed

Reals = NDArray[np.float64]

P = ParamSpec("P")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True)
class Plan(Generic[T_co]):
    """An algorithm that is ready to answer, and its name."""

    method: str
    compute: Callable[[], T_co]


class Measure(Protocol[P, T_co]):
    """A function that answers, and can say how it would."""

    __name__: str
    plan: Callable[P, Plan[typing.Any]]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T_co:
        """Compute the quantity."""
        ...


class Crowd(ABC):
    """A system in which the secret is one user's value among others': only it has an ``adversary`` argument."""

    @abstractmethod
    def seen_by(self, adversary: Knowledge | None, rng: Seed) -> System:
        """Return the system that an adversary with this knowledge of the others sees, or say why she cannot be."""


def measure(planner: Callable[P, Plan[T]]) -> Measure[P, T]:
    """Make a public measure of a planner: same arguments, same documentation, the answer instead of the plan."""

    @functools.wraps(planner)
    def quantity(*args: P.args, **kwargs: P.kwargs) -> T:
        return planner(*args, **kwargs).compute()

    (answer,) = typing.get_args(planner.__annotations__["return"])
    quantity.__annotations__["return"] = answer
    signature = inspect.signature(planner).replace(return_annotation=answer)
    vars(quantity).update(plan=planner, __signature__=signature)
    return cast(Measure[P, T], quantity)


def method(measure: Measure[P, typing.Any], *args: P.args, **kwargs: P.kwargs) -> str:
    """Return the name of the algorithm with which the measure would answer, without running it.

    Parameters
    ----------
    measure
        A measure, such as `tacit.posterior_vulnerability`.
    *args, **kwargs
        What the measure would be called with.

    Raises
    ------
    UnsupportedError
        If ``measure`` is not a measure of a system.
    TacitError
        Whatever the measure would raise on these arguments before it computes.

    Examples
    --------
    >>> import tacit as tc
    >>> tc.method(tc.bayes_security, tc.RandomizedResponse(1000, epsilon=1))
    'closed form of k-RR (Bayes-sec eq. 7)'
    """
    planner = getattr(measure, "plan", None)
    if planner is None:
        raise UnsupportedError(
            f"method needs a measure of a system such as tacit.posterior_vulnerability, got {measure!r}"
        )
    return cast(Plan[object], planner(*args, **kwargs)).method


def system_seen_by(system: object, adversary: Knowledge | None = None, rng: Seed = None) -> System:
    """Return what the adversary sees: a crowd as her knowledge of the others shows it, any other system as it is."""
    checked = as_system(system)
    if isinstance(checked, Crowd):
        return checked.seen_by(adversary, rng)
    if adversary is not None:
        raise UnsupportedError(
            f"adversary says what is known of the other users, and {type(system).__name__} has none; "
            "wrap it with tacit.Shuffled(mechanism, n)"
        )
    return plainest(checked)


@functools.singledispatch
def plainest(system: System) -> System:
    """Return the plainest system whose reports say the same: the system itself, unless it is another in disguise."""
    return system


def prior_on(system: System, prior: ArrayLike | None) -> Reals | None:
    """Return the law of the secret, None being uniform; a system that comes with one takes no other."""
    own: Reals | None = getattr(system, "prior", None)
    if own is None:
        return as_prior(prior, system.secrets)
    if prior is not None:
        raise InvalidPriorError(
            "an exchangeable target is drawn as all others are, so that her prior is alpha/sum(alpha); leave prior out"
        )
    return as_prior(own, system.secrets)
