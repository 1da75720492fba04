"""How option values are spelled: lists, mechanisms, adversaries, gains, matrices in a file."""

import csv
import inspect
import io
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import Annotated, TypeVar

from cyclopts import Parameter, Token

from tacit.adversaries import (
    AllButOne,
    Dirichlet,
    Exchangeable,
    Gain,
    Knowledge,
    PartlyInformed,
    PointMixture,
    PopulationLaw,
    Uninformed,
    WorstAllButOne,
    gain_matrix,
)
from tacit.adversaries.populations import as_population
from tacit.channels import Channel, StoredChannel, System
from tacit.channels.stored import STORED
from tacit.errors import InvalidValueError
from tacit.input_files import opened
from tacit.measures import method, privacy_profile, shuffle_epsilon
from tacit.mechanisms import DiscreteGaussian, Gaussian, Geometric, Laplace, SubsampledGaussian, mechanisms_by_name
from tacit.validation import as_count

T = TypeVar("T", int, float)


def _whole(_: object, tokens: Sequence[Token]) -> int:
    """Return the whole number, where cyclopts would round."""
    return int(tokens[0].value)


Whole = Annotated[int, Parameter(converter=_whole)]

NOISE = {kind.short_name: kind for kind in (Laplace, Gaussian, Geometric, DiscreteGaussian, SubsampledGaussian)}
ADVERSARIES = ("uninformed", "all-but-one", "partly-informed", "exchangeable", "worst")
POPULATIONS = ("jeffreys", "dirichlet", "mixture")


def as_names(text: str | None) -> list[str] | None:
    """Return the names in a comma-separated list; a name that holds a comma goes in double quotes."""
    if text is None:
        return None
    try:
        (names,) = csv.reader(io.StringIO(text, newline=""), skipinitialspace=True, strict=True)
    except (csv.Error, ValueError):
        raise InvalidValueError(
            f"names must be separated by commas, in double quotes where they hold a comma, got {text!r}"
        ) from None
    return names


def as_header_option(text: str | None) -> bool | list[str] | None:
    """Return what a file's first line is said to be: ``yes``, it holds names, ``no``, or the names."""
    return {"yes": True, "no": False}[text] if text in ("yes", "no") else as_names(text)


def one_of(word: str, words: Iterable[str], what: str) -> str:
    """Return the word if it is one of those, or suggest the nearest."""
    known = list(words)
    if word in known:
        return word
    nearest = get_close_matches(word, known, n=1)
    hint = f"did you mean {nearest[0]!r}?" if nearest else "it is one of " + ", ".join(known)
    raise InvalidValueError(f"there is no {what} {word!r}; {hint}")


def as_mechanism(text: str) -> System:
    """Return the mechanism spelled as ``name:key=value,…``, or the channel in ``channel:FILE``."""
    name, _, rest = text.partition(":")
    if name == "channel":
        return StoredChannel(rest) if rest.endswith(STORED) else Channel(_matrix_in(rest))
    make = _maker(name)
    return make(**_parameters(make, name, rest))


def as_family(text: str) -> Callable[[float], System]:
    """Return the mechanism spelled like this for every epsilon, with all else that was given."""
    name, _, rest = text.partition(":")
    if name == "channel" or "epsilon" not in inspect.signature(_maker(name)).parameters:
        raise InvalidValueError(f"{name} has no parameter epsilon that could be changed")
    make = _maker(name)
    given = _parameters(make, name, rest)
    if "epsilon" not in given:  # what stands in its place, such as p, cannot stay
        allowed = inspect.signature(make).parameters
        given = {key: value for key, value in given.items() if allowed[key].default is inspect.Parameter.empty}
    return lambda epsilon: make(**(given | {"epsilon": epsilon}))


def as_knowledge(text: str) -> Knowledge:
    """Return the adversary spelled as a name that ADVERSARIES has, with a colon and her numbers."""
    name, _, rest = text.partition(":")
    match one_of(name, ADVERSARIES, "adversary"):
        case "uninformed":
            return Uninformed(as_numbers(rest, "population", float) if rest else None)
        case "all-but-one":
            return AllButOne(as_numbers(rest, "all-but-one", int))
        case "partly-informed":
            counts, divided, population = rest.partition(";")
            law = as_numbers(population, "population", float) if divided else None
            return PartlyInformed(as_numbers(counts, "partly-informed", int), law)
        case "exchangeable":
            return Exchangeable(as_numbers(rest, "exchangeable", float))
        case _:
            if rest:
                raise InvalidValueError(f"the worst adversary takes no numbers, got {text!r}")
            return WorstAllButOne()


def as_population_option(text: str, k: int) -> PopulationLaw:
    """Return the law of a population's shares spelled as a name that POPULATIONS has, with a colon and its numbers."""
    name, _, rest = text.partition(":")
    match one_of(name, POPULATIONS, "law of a population called"):
        case "jeffreys":
            if rest:
                raise InvalidValueError(f"Jeffreys' prior takes no numbers, got {text!r}")
            return Dirichlet.jeffreys(k)
        case "dirichlet":
            return as_population(Dirichlet(as_numbers(rest, "dirichlet", float)), k)
        case _:
            rows = _matrix_in(rest)
            return as_population(PointMixture([row[1:] for row in rows], [row[0] for row in rows]), k)


def as_gain_option(text: str) -> Gain | None:
    """Return the gain spelled as ``identity`` or ``matrix:FILE.csv``."""
    name, _, rest = text.partition(":")
    return None if one_of(name, ["identity", "matrix"], "gain") == "identity" else gain_matrix(_matrix_in(rest))


def as_numbers(text: str, name: str, kind: Callable[[str], T]) -> list[T]:
    """Return the numbers in a comma-separated list."""
    try:
        return [kind(part) for part in text.split(",")]
    except ValueError:
        what = "whole numbers" if kind is int else "numbers"
        raise InvalidValueError(f"{name} must be {what} separated by commas, got {text!r}") from None


def as_seed(seed: int | None) -> int | None:
    """Return the seed, or say that it must not be negative."""
    return None if seed is None else as_count(seed, "--seed", at_least=0)


def check_levels(mechanism: System, epsilon: float | None, delta: float | None) -> None:
    """Refuse an ε or a δ that no system can be measured at."""
    if epsilon is not None:
        method(privacy_profile, mechanism, epsilon)
    if delta is not None:
        method(shuffle_epsilon, mechanism, delta)


def _maker(name: str) -> Callable[..., System]:
    known: dict[str, Callable[..., System]] = {**mechanisms_by_name(), **NOISE}
    return known[one_of(name, [*known, "channel"], "mechanism")]


def _parameters(make: Callable[..., System], name: str, text: str) -> dict[str, int | float]:
    allowed = inspect.signature(make).parameters
    parameters: dict[str, int | float] = {}
    for part in filter(None, text.split(",")):
        key, _, value = part.partition("=")
        one_of(key, allowed, f"parameter of {name},")
        if key in parameters:
            raise InvalidValueError(f"{name} has {key} twice, got {text!r}")
        number = int if allowed[key].annotation in (int, int | None) else float
        try:
            parameters[key] = number(value)
        except ValueError:
            what = "a whole number" if number is int else "a number"
            raise InvalidValueError(f"{key} must be {what}, got {value!r}") from None
    for key, parameter in allowed.items():
        if parameter.default is parameter.empty and key not in parameters:
            raise InvalidValueError(f"{name} needs {key}, as in {name}:{key}=…, got {text!r}")
    return parameters


def _matrix_in(path: str) -> list[list[float]]:
    with opened(path, "a matrix", InvalidValueError) as file:
        text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
        try:
            rows = [row for row in csv.reader(text) if row]
        except UnicodeDecodeError:
            raise InvalidValueError(f"cannot read a matrix from {path!r}: it is not UTF-8 text") from None
        except csv.Error:
            raise InvalidValueError(f"cannot read a matrix from {path!r}: it is not text with commas") from None
    matrix: list[list[float]] = []
    for number, row in enumerate(rows, start=1):
        try:
            matrix.append([float(entry) for entry in row])
        except ValueError:
            raise InvalidValueError(
                f"{path} must hold numbers only, without a header, and row {number} does not"
            ) from None
        if len(row) != len(rows[0]):
            raise InvalidValueError(
                f"{path} must have rows of equal length, and row {number} has {len(row)} of {len(rows[0])}"
            )
    return matrix
