"""The protocols that designs and comparisons choose from, and the grids of ε and numbers of people that they print."""

from collections.abc import Callable
from dataclasses import dataclass, field

from discretion.mechanisms import Mechanism
from discretion.mechanisms.mechanism import as_mechanism
from discretion.numerics.bisection import bracketed
from discretion.presenting.numbers import spelled_number
from discretion.spelling import family_of

# By how the command line spells them. Binary local hashing is left out: local hashing is never worse.
PROTOCOLS = {
    "krr": "k-ary randomized response",
    "ss": "subset selection",
    "oue": "optimized unary encoding",
    "olh": "optimal local hashing",
    "hadamard": "Hadamard response",
    "rappor": "basic RAPPOR",
}

_PER_DECADE = 900
_LEAST_POWER = -5  # 100e-5, the least ε of three digits


@dataclass(frozen=True)
class Protocol:
    """A family of mechanisms, one for each ε.

    Parameters
    ----------
    name
        The name on the command line.
    k
        The number of answers to the question.
    """

    name: str
    k: int
    _made: dict[float, Mechanism] = field(default_factory=dict[float, Mechanism], init=False, repr=False, compare=False)

    @property
    def title(self) -> str:
        """The usual name of the protocol."""
        return PROTOCOLS[self.name]

    def at(self, epsilon: float) -> Mechanism:
        """Return the mechanism with this ε, the same one each time."""
        if epsilon not in self._made:
            self._made[epsilon] = as_mechanism(family_of(self.spelled(epsilon))(epsilon), "a design")
        return self._made[epsilon]

    def spelled(self, epsilon: float) -> str:
        """Return the protocol with this ε, as the command line spells it."""
        return f"{self.name}:k={self.k},epsilon={spelled_number(epsilon)}"


class Grid:
    """Numbers of three significant digits in ascending order, as a person would write them into a configuration.

    Place 0 has 0.001, the next places have 0.00101, 0.00102, …

    Examples
    --------
    >>> EPSILONS[0], EPSILONS[2700], EPSILONS[EPSILONS.last], PEOPLE[0], PEOPLE[105]
    (0.001, 1.0, 25.0, 1, 106)
    """

    def __init__(self, at: Callable[[int], float], last: int) -> None:
        self._at, self.last = at, last

    def __getitem__(self, place: int) -> float:
        return self._at(place)


def _epsilon(place: int) -> float:
    return float(f"{100 + place % _PER_DECADE}e{place // _PER_DECADE + _LEAST_POWER}")


def _people(place: int) -> int:
    if place < 99:
        return place + 1
    power, rest = divmod(place - 99, _PER_DECADE)
    return (100 + rest) * 10**power


#: From 0.001 to 25, beyond which a report is as good as an honest answer.
EPSILONS = Grid(_epsilon, 4 * _PER_DECADE + 150)
#: From 1 to ten billion.
PEOPLE = Grid(_people, 99 + 8 * _PER_DECADE)


def last_place(margin: Callable[[int], float], last: int, start: int) -> int | None:
    """Return the last place in ``0..last`` whose margin is not negative, where margins fall from place to place.

    It evaluates few margins: in steps that double from the start, then by interpolation.

    Examples
    --------
    >>> last_place(lambda place: 37.5 - place, 100, start=50), last_place(lambda place: -1, 100, start=50)
    (37, None)
    """
    meets, fails, margins = -1, last + 1, dict[int, float]()
    step, place = 64, start
    while meets < place < fails:
        margins[place] = margin(place)
        meets, fails = (place, fails) if margins[place] >= 0 else (meets, place)
        place = min(place + step, last) if margins[place] >= 0 else max(place - step, 0)
        step *= 2
    if meets < 0:
        return None
    if fails > last:
        return last
    ends = (meets, margins[meets]), (fails, margins[fails])
    return int(bracketed(lambda place: margin(int(place)), *ends, precision=1, whole=True))
