"""The spelling of mechanisms: ``name:key=value,…``, and channels by their rows or files."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from discretion.channels import Channel, StoredChannel, System
from discretion.channels.labels import unlabelled
from discretion.channels.stored import STORED
from discretion.errors import InvalidValueError, UnsupportedError, one_of
from discretion.mechanisms import (
    ChannelMechanism,
    DBitFlip,
    DiscreteGaussian,
    DominatingPair,
    Exponential,
    Gaussian,
    Geometric,
    HadamardResponse,
    Laplace,
    LocalHashing,
    Longitudinal,
    RandomizedResponse,
    SubsampledGaussian,
    SubsetSelection,
    UnaryEncoding,
)
from discretion.presenting.numbers import spelled_number
from discretion.spelling.numbers import file_in, matrix_of, spelled_matrix
from discretion.spelling.spelled import spelled

Maker = Callable[..., System]

MECHANISMS: Mapping[str, Maker] = {
    "krr": RandomizedResponse,
    "olh": LocalHashing,
    "ue": UnaryEncoding,
    "rappor": UnaryEncoding.rappor,
    "oue": UnaryEncoding.oue,
    "blh": UnaryEncoding.blh,
    "hadamard": HadamardResponse,
    "ss": SubsetSelection,
    "laplace": Laplace,
    "gaussian": Gaussian,
    "geometric": Geometric,
    "discrete-gaussian": DiscreteGaussian,
    "dpsgd": SubsampledGaussian,
    "exponential": Exponential,
    "dbitflip": DBitFlip,
    "dp": DominatingPair,
}


def _in_rounds(protocol: Callable[[int, float, float], Longitudinal]) -> Maker:
    def made(k: int, permanent_epsilon: float, first_epsilon: float, rounds: float) -> System:
        whole = int(rounds) if rounds.is_integer() else rounds  # inf is none, and is all rounds
        return protocol(k, permanent_epsilon, first_epsilon).rounds(whole)

    return made


# What an observer sees of one client in several rounds. These are read, not written: of the steps' probabilities, the ε
# that they were made from is no longer known to the last digit.
LONGITUDINAL: Mapping[str, Maker] = {
    "l-sue": _in_rounds(Longitudinal.rappor),
    "l-osue": _in_rounds(Longitudinal.osue),
    "l-oue": _in_rounds(Longitudinal.oue),
    "l-grr": _in_rounds(Longitudinal.grr),
}
_MAKERS: Mapping[str, Maker] = {**MECHANISMS, **LONGITUDINAL}


def _explicit(text: str) -> System:
    return StoredChannel(text) if text.endswith(STORED) else Channel(matrix_of(text))


def _explicit_mechanism(text: str) -> System:
    return ChannelMechanism(Channel(matrix_of(text)))


_EXPLICIT: Mapping[str, Callable[[str], System]] = {
    "channel": _explicit,
    "channel-mechanism": _explicit_mechanism,
}


def mechanism_of(text: str) -> System:
    """Return the mechanism spelled as ``name:key=value,…``, or the channel in ``channel:FILE`` or ``channel:ROWS``.

    Examples
    --------
    >>> import discretion as dc
    >>> mechanism_of("krr:k=2,p=0.75").p, mechanism_of("channel:0.9,0.1;0.2,0.8").shape
    (0.75, (2, 2))
    >>> dc.ldp_epsilon(mechanism_of("l-grr:k=5,permanent_epsilon=2,first_epsilon=1,rounds=inf"))
    2.0
    """
    name, _, rest = text.partition(":")
    if one_of(name, [*_MAKERS, *_EXPLICIT], "mechanism") in _EXPLICIT:
        return _EXPLICIT[name](rest)
    make = _MAKERS[name]
    return make(**_parameters(make, name, rest))


def family_of(text: str) -> Callable[[float], System]:
    """Return the family of mechanisms by epsilon, with the other parameters of a spelling."""
    name, _, rest = text.partition(":")
    one_of(name, [*_MAKERS, *_EXPLICIT], "mechanism")
    make = _MAKERS.get(name)
    if make is None or "epsilon" not in inspect.signature(make).parameters:
        raise InvalidValueError(f"{name} has no parameter epsilon that could be changed")
    if name == "exponential":
        raise InvalidValueError(
            f"the epsilon of {name} is not always that of all secrets, so it cannot vary; change scores"
        )
    given = _parameters(make, name, rest)
    if "epsilon" not in given:  # what stands in its place, such as p, cannot stay
        allowed = inspect.signature(make).parameters
        given = {key: value for key, value in given.items() if allowed[key].default is inspect.Parameter.empty}
    return lambda epsilon: make(**(given | {"epsilon": epsilon}))


def read_by(text: str) -> str | None:
    """Return the file that a mechanism's spelling names, or None.

    Examples
    --------
    >>> read_by("channel:rows.csv"), read_by("krr:k=5,epsilon=1")
    ('rows.csv', None)
    """
    name, _, rest = text.partition(":")
    if name in _EXPLICIT:
        return file_in(rest)
    _, found, matrix = rest.partition("scores=")
    return file_in(matrix) if name == "exponential" and found else None


def _parameters(make: Maker, name: str, text: str) -> dict[str, Any]:
    allowed = inspect.signature(make).parameters
    parameters: dict[str, Any] = {}
    for key, value in _pairs(text, allowed):
        one_of(key, allowed, f"parameter of {name},")
        if key in parameters:
            raise InvalidValueError(f"{name} has {key} twice, got {text!r}")
        parameters[key] = matrix_of(value) if _is_matrix(allowed[key]) else _number(key, value, allowed[key])
    for key, parameter in allowed.items():
        if parameter.default is parameter.empty and key not in parameters:
            raise InvalidValueError(f"{name} needs {key}, such as {name}:{key}=…, got {text!r}")
    return parameters


def _pairs(text: str, allowed: Mapping[str, inspect.Parameter]) -> Iterator[tuple[str, str]]:
    """Yield each key with its value: a matrix, which also has commas, gets the whole rest."""
    while text:
        part, _, rest = text.partition(",")
        key, _, value = part.partition("=")
        if key in allowed and _is_matrix(allowed[key]):
            value, rest = text.removeprefix(f"{key}="), ""
        if part:
            yield key, value
        text = rest


def _is_matrix(parameter: inspect.Parameter) -> bool:
    return parameter.annotation is ArrayLike


def _number(key: str, value: str, parameter: inspect.Parameter) -> int | float:
    kind = int if parameter.annotation in (int, int | None) else float
    try:
        return kind(value)
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise InvalidValueError(f"{key} must be {what}, got {value!r}") from None


def _spelled(system: Any) -> str:
    """Return the shortest spelling that makes a mechanism with exactly the same numbers."""
    names = [name for name in MECHANISMS if _kind_of(name) is type(system)]
    ways = [(name, given) for name in names for given in _ways(system, name)]
    for name, given in sorted(ways, key=lambda way: len(way[1])):
        try:
            made = MECHANISMS[name](**given)
        except InvalidValueError:  # two parameters that stand for each other, both given or neither
            continue
        if _same(made, system):
            return f"{name}:" + ",".join(f"{key}={_value(value)}" for key, value in given.items())
    raise UnsupportedError(f"{system!r} has no spelling that makes exactly the same mechanism")


def _kind_of(name: str) -> Any:
    """Return the class of a maker, or the class whose other constructor it is."""
    make = MECHANISMS[name]
    return getattr(make, "__self__", make)


def _ways(system: Any, name: str) -> Iterator[dict[str, Any]]:
    """Yield the possible parameters of a mechanism, with or without optional ones; matrices last."""
    allowed = inspect.signature(MECHANISMS[name]).parameters
    optional = [key for key, parameter in allowed.items() if parameter.default is not parameter.empty]
    order = sorted(allowed, key=lambda key: _is_matrix(allowed[key]))
    for number in range(len(optional) + 1):
        for chosen in combinations(optional, number):
            left_out = {*optional} - {*chosen}
            yield {key: getattr(system, key) for key in order if key not in left_out}


def _value(value: Any) -> str:
    return spelled_matrix(value) if isinstance(value, np.ndarray) else spelled_number(value)


def _same(made: object, system: object) -> bool:
    """Return whether both have the same numbers, which determine everything else."""
    held = vars(system)
    values: dict[str, Any] = vars(made)
    numbers = [key for key, value in values.items() if isinstance(value, int | float | np.ndarray)]
    return all(np.array_equal(values[key], held[key]) for key in numbers)


for _name in MECHANISMS:
    spelled.register(_kind_of(_name))(_spelled)


@spelled.register
def _spelled_of_channel(channel: Channel) -> str:
    matrix: Any = channel.matrix
    dense = isinstance(matrix, np.ndarray) and channel.storage.fractions is None
    if not (dense and unlabelled(channel.inputs) and unlabelled(channel.outputs)):
        raise UnsupportedError(
            f"{channel!r} is sparse, has fractions or has its own labels, which have no spelling; name a file"
        )
    return f"channel:{spelled_matrix(matrix)}"


@spelled.register
def _spelled_of_channel_mechanism(mechanism: ChannelMechanism) -> str:
    return spelled(mechanism.channel()).replace("channel:", "channel-mechanism:", 1)


@spelled.register
def _spelled_of_exponential(mechanism: Exponential) -> str:
    # As given: the epsilon that holds of all secrets may be another.
    sensitivity = "" if mechanism.sensitivity == 1 else f"sensitivity={_value(mechanism.sensitivity)},"
    return f"exponential:epsilon={_value(mechanism.level)},{sensitivity}scores={_value(mechanism.scores)}"
