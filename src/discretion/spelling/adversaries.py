"""The spelling of adversaries: their knowledge of the other users, of the population and of the secret."""

from collections.abc import Iterable

import numpy as np

from discretion.adversaries import (
    AllButOne,
    Dirichlet,
    DirichletMixture,
    Exchangeable,
    Knowledge,
    PartlyInformed,
    PointMixture,
    PopulationLaw,
    Uninformed,
    WorstAllButOne,
)
from discretion.adversaries.populations import as_population_law
from discretion.errors import InvalidValueError, one_of
from discretion.numerics.arrays import Reals
from discretion.spelling.numbers import matrix_of, numbers_of, spelled_matrix, spelled_numbers
from discretion.spelling.spelled import spelled

_KNOWLEDGE = ("uninformed", "all-but-one", "partly-informed", "exchangeable", "worst")
_POPULATIONS = ("jeffreys", "dirichlet", "mixture", "dirichlet-mixture")


def knowledge_of(text: str) -> Knowledge:
    """Return the knowledge of the other users from its spelling: a name, then a colon and its numbers.

    Examples
    --------
    >>> knowledge_of("all-but-one:3,4"), knowledge_of("uninformed")
    (AllButOne(known_counts=(3, 4)), Uninformed(population=None))
    """
    name, _, rest = text.partition(":")
    match one_of(name, _KNOWLEDGE, "adversary"):
        case "uninformed":
            return Uninformed(numbers_of(rest, "population", float) if rest else None)
        case "all-but-one":
            return AllButOne(numbers_of(rest, "all-but-one", int))
        case "partly-informed":
            counts, divided, population = rest.partition(";")
            law = numbers_of(population, "population", float) if divided else None
            return PartlyInformed(numbers_of(counts, "partly-informed", int), law)
        case "exchangeable":
            return Exchangeable(numbers_of(rest, "exchangeable", float))
        case _:
            shares = numbers_of(rest, "dropouts", float) if rest else [0.0]
            if len(shares) != 1:
                raise InvalidValueError(
                    f"the worst adversary takes one number, the share of the other users who may drop out, got {text!r}"
                )
            return WorstAllButOne(shares[0])


@spelled.register
def _spelled_of_uninformed(knowledge: Uninformed) -> str:
    return "uninformed" + _after(":", knowledge.population)


@spelled.register
def _spelled_of_all_but_one(knowledge: AllButOne) -> str:
    return f"all-but-one:{spelled_numbers(knowledge.known_counts)}"


@spelled.register
def _spelled_of_partly_informed(knowledge: PartlyInformed) -> str:
    return f"partly-informed:{spelled_numbers(knowledge.known_counts)}" + _after(";", knowledge.population)


@spelled.register
def _spelled_of_exchangeable(knowledge: Exchangeable) -> str:
    return f"exchangeable:{spelled_numbers(knowledge.alpha)}"


@spelled.register
def _spelled_of_worst_all_but_one(knowledge: WorstAllButOne) -> str:
    return "worst" + _after(":", [knowledge.dropouts] if knowledge.dropouts else None)


def _after(mark: str, law: Iterable[float] | None) -> str:
    return "" if law is None else mark + spelled_numbers(law)


def population_of(text: str, k: int) -> PopulationLaw:
    """Return the law of the shares of k values from its spelling: a name, then a colon and its numbers.

    Examples
    --------
    >>> population_of("jeffreys", 3), population_of("dirichlet:1,2", 2)
    (Dirichlet([0.5, 0.5, 0.5]), Dirichlet([1., 2.]))
    """
    name, _, rest = text.partition(":")
    match one_of(name, _POPULATIONS, "law of a population called"):
        case "jeffreys":
            if rest:
                raise InvalidValueError(f"Jeffreys' prior takes no numbers, got {text!r}")
            return Dirichlet.jeffreys(k)
        case "dirichlet":
            return as_population_law(Dirichlet(numbers_of(rest, "dirichlet", float)), k)
        case "dirichlet-mixture":
            rows = matrix_of(rest)
            return as_population_law(DirichletMixture([row[1:] for row in rows], [row[0] for row in rows]), k)
        case _:
            rows = matrix_of(rest)
            return as_population_law(PointMixture([row[1:] for row in rows], [row[0] for row in rows]), k)


@spelled.register
def _spelled_of_dirichlet(law: Dirichlet) -> str:
    return "jeffreys" if (law.alpha == 0.5).all() else f"dirichlet:{spelled_numbers(law.alpha.tolist())}"


@spelled.register
def _spelled_of_point_mixture(law: PointMixture) -> str:
    return f"mixture:{spelled_matrix(np.column_stack([law.weights, law.points]))}"


@spelled.register
def _spelled_of_dirichlet_mixture(law: DirichletMixture) -> str:
    return f"dirichlet-mixture:{spelled_matrix(np.column_stack([law.weights, law.alpha]))}"


def prior_of(text: str) -> list[float]:
    """Return the law of the secret from its probabilities, separated by commas."""
    return numbers_of(text, "prior", float)


@spelled.register(np.ndarray)
def _spelled_of_ndarray(prior: Reals) -> str:
    return spelled_numbers(prior.tolist())
