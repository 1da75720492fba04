"""``tacit measure``: the measures of one mechanism, alone or shuffled."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from cyclopts import Parameter

import tacit as tc
from tacit.adversaries import Exchangeable, Gain, Knowledge, PopulationLaw
from tacit.adversaries.gains import IdentityGain, as_gain
from tacit.adversaries.priors import as_prior
from tacit.channels import System
from tacit.cli.limits import Limits, as_seconds
from tacit.cli.options import (
    Whole,
    as_gain_option,
    as_knowledge,
    as_mechanism,
    as_names,
    as_numbers,
    as_population_option,
    as_seed,
    check_levels,
    one_of,
)
from tacit.cli.output import Progress, print_json
from tacit.errors import InvalidValueError, UnsupportedError
from tacit.estimate import Estimate
from tacit.measures import (
    bayes_risk,
    bayes_security,
    ldp_epsilon,
    leakage,
    leakiest_pair,
    multiplicative_bayes_capacity,
    mutual_information,
    posterior_vulnerability,
    prior_vulnerability,
    privacy_profile,
    shuffle_epsilon,
)
from tacit.measures.measure import prior_on
from tacit.mechanisms import Mechanism, SubsampledGaussian, frequency_error
from tacit.numerics.rounding import rounded_down, rounded_up
from tacit.shuffling import Shuffled

if TYPE_CHECKING:
    from rich.console import Console

Quantity = Callable[[], Any]


def measure(
    mechanism: str,
    /,
    *,
    users: Whole | None = None,
    shuffled: Annotated[bool, Parameter(negative="")] = False,
    adversary: str | None = None,
    prior: str | None = None,
    gain: str | None = None,
    population: str | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    only: str | None = None,
    seed: Whole | None = None,
    time: str | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Measure a mechanism: what an adversary can guess of one person's value.

    Parameters
    ----------
    mechanism
        As name:key=value,… such as krr:k=5,epsilon=1 or krr:k=5,p=0.8, with the names krr, rappor, oue, blh, ue, olh
        (local hashing; g=2 is binary), ss (subset selection) and hadamard; noise on a number, of which the two values
        that are furthest apart are measured: laplace:scale=1,sensitivity=1, gaussian:sigma=1,sensitivity=1,
        geometric:epsilon=1, discrete-gaussian:sigma=1; dpsgd:sigma=1,rate=0.01,steps=1000 (is a record in the data?);
        or channel:FILE.csv (numbers, no header), or a .npy, .parquet or .arrow file, which may be larger than memory.
    users
        How many people report, the target included.
    shuffled
        Whether the reports go through a shuffler.
    adversary
        What is known of the others when shuffled: uninformed (default), uninformed:p0,p1,… (their population law),
        all-but-one:c0,c1,… (how many of the others hold each value), partly-informed:c0,c1,… (the same of some of
        them) or partly-informed:c0,c1,…;p0,p1,… (with the law of the rest), exchangeable:a0,a1,… (all are drawn from a
        population that is drawn from this Dirichlet law), or worst (all others' values, those that expose most).
    prior
        The law of the target's value as p0,p1,…; uniform by default.
    gain
        What the adversary wants: identity (default) or matrix:FILE.csv (rows guesses, columns secrets).
    population
        The law of the population's shares: jeffreys, dirichlet:a0,a1,… or mixture:FILE.csv (in each row a weight, then
        the share of each value). Adds what is measured against it, in information: worst_case_privacy and
        average_privacy of one who is not shuffled, asymptotic_utility and effective_participation, and with --users
        population_information, distribution_utility, tally_utility and digit_utility, from which shuffling takes
        nothing. Without --population these run only where --only names them, then with jeffreys.
    epsilon
        Add privacy_profile, the δ at this ε; when shuffled against the worst adversary unless one is named.
    delta
        Add shuffle_epsilon, the ε at this δ; likewise.
    only
        The measures to compute, as NAME,…; by default all but those that --population adds.
    seed
        Where what is too large to sum over is sampled, the same seed gives the same result; drawn afresh by default.
    time
        When to stop, in seconds or as 2m or 1h; what is not computed until then is named. No limit by default.
    json
        Print one JSON object.
    """
    limits = Limits(as_seconds(time))
    system = as_mechanism(mechanism)
    shares = None if population is None else as_population_option(population, system.secrets)
    law = None if prior is None else as_numbers(prior, "prior", float)
    as_prior(law, system.secrets)
    wanted = as_gain(None if gain is None else as_gain_option(gain), system.secrets)
    crowd = _crowd(system, users, shuffled)
    knowledge = None if adversary is None else as_knowledge(_needing_shuffled(adversary, shuffled))
    if isinstance(crowd, Shuffled):
        prior_on(crowd.seen_by(knowledge), law)
    check_levels(system, epsilon, delta)
    quantities = _quantities(
        system,
        crowd,
        adversary=knowledge,
        prior=law,
        gain=None if isinstance(wanted, IdentityGain) else wanted,
        users=users,
        rng=as_seed(seed),
    ) | _privacy(crowd, knowledge, epsilon, delta)
    of_population = _information(system, shares, users, shuffled, as_seed(seed))
    if population is not None:
        quantities |= of_population
    known = quantities | of_population
    chosen = [one_of(name, known, "measure here called") for name in as_names(only) or []]
    results: dict[str, Any] = {}
    refused: dict[str, str] = {}
    progress = Progress()
    with ExitStack() as stack:
        stack.callback(progress.done)
        stack.enter_context(limits.watched())
        for name in chosen or quantities:
            progress(name)
            try:
                with limits.working():
                    results[name] = known[name]()
            except (InvalidValueError, UnsupportedError) as error:
                if (chosen and limits.reached is None) or (limits.reached is not None and not results):
                    raise
                refused[name] = str(error)
    if json:
        inputs = {
            "mechanism": mechanism, "users": users, "shuffled": shuffled, "adversary": adversary, "prior": prior,
            "gain": gain, "population": population, "epsilon": epsilon, "delta": delta, "only": only, "seed": seed,
            "time": time,
        }  # fmt: skip
        print_json("measure", inputs, results | ({"not_computed": refused} if refused else {}))
    else:
        _print_text(mechanism, results, refused)
    return 0


def _needing_shuffled(adversary: str, shuffled: bool) -> str:
    if not shuffled:
        raise InvalidValueError(
            f"--adversary {adversary} says what is known of the other users, who matter only with --shuffled; add "
            "--shuffled --users N"
        )
    return adversary


def _crowd(mechanism: System, users: int | None, shuffled: bool) -> System:
    if not shuffled:
        return mechanism
    if users is None:
        raise InvalidValueError("--shuffled needs the number of users; add --users N")
    return Shuffled(mechanism, users)


def _quantities(
    mechanism: System,
    system: System,
    *,
    adversary: Knowledge | None,
    prior: list[float] | None,
    gain: Gain | None,
    users: int | None,
    rng: int | None,
) -> dict[str, Quantity]:
    """Return the measures that have a meaning for these inputs, by their function's name."""
    before = adversary.prior if isinstance(adversary, Exchangeable) else prior
    law = np.full(system.secrets, 1 / system.secrets) if before is None else before
    quantities: dict[str, Quantity] = {
        "prior_vulnerability": lambda: prior_vulnerability(law, gain),
        "posterior_vulnerability": lambda: posterior_vulnerability(system, prior, gain, adversary, rng),
        "leakage": lambda: leakage(system, prior, gain, adversary=adversary, rng=rng),
    }
    if gain is None:
        quantities |= {
            "bayes_security": lambda: bayes_security(system, prior, adversary, rng),
            "mutual_information": lambda: mutual_information(system, prior, adversary=adversary, rng=rng),
            "bayes_risk": lambda: bayes_risk(system, prior, adversary, rng),
        }
        if adversary is None:
            quantities["multiplicative_bayes_capacity"] = lambda: multiplicative_bayes_capacity(system, rng)
        if isinstance(mechanism, SubsampledGaussian):
            quantities["asymptotic_bayes_security"] = mechanism.asymptotic_bayes_security
        if system is mechanism:
            quantities["ldp_epsilon"] = lambda: ldp_epsilon(system)
        if system.secrets > 1:
            quantities["leakiest_pair"] = lambda: leakiest_pair(system, adversary)
        if users is not None and isinstance(mechanism, Mechanism):
            quantities["frequency_error"] = lambda: frequency_error(mechanism, users)._asdict()
    return quantities


def _information(
    mechanism: System, population: PopulationLaw | None, users: int | None, shuffled: bool, rng: int | None
) -> dict[str, Quantity]:
    """Return what is measured against a law of the population, loaded when it is asked for."""
    quantities: dict[str, Quantity] = {}
    if not shuffled:
        quantities |= {
            "worst_case_privacy": lambda: tc.worst_case_privacy(mechanism),
            "average_privacy": lambda: tc.average_privacy(mechanism, population),
        }
    quantities |= {
        "asymptotic_utility": lambda: tc.asymptotic_utility(mechanism, population, rng),
        "effective_participation": lambda: tc.effective_participation(mechanism, population, rng),
    }
    if (n := users) is not None:
        quantities |= {
            "population_information": lambda: tc.population_information(mechanism, n, population, rng),
            "distribution_utility": lambda: tc.distribution_utility(mechanism, n, population, rng),
            "tally_utility": lambda: tc.tally_utility(mechanism, n, population, rng),
            "digit_utility": lambda: tc.digit_utility(mechanism, n, population, rng),
        }
    return quantities


def _privacy(
    system: System, adversary: Knowledge | None, epsilon: float | None, delta: float | None
) -> dict[str, Quantity]:
    """Return the measures of differential privacy whose level is given."""
    quantities: dict[str, Quantity] = {}
    if epsilon is not None:
        quantities["privacy_profile"] = lambda: privacy_profile(system, epsilon, adversary)
    if delta is not None:
        quantities["shuffle_epsilon"] = lambda: shuffle_epsilon(system, delta, adversary)
    return quantities


def _print_text(mechanism: str, results: dict[str, Any], refused: dict[str, str]) -> None:
    from rich import box  # noqa: PLC0415 - JSON needs no rich
    from rich.table import Table  # noqa: PLC0415

    from tacit.cli.screen import Screen  # noqa: PLC0415

    table = Table(box=box.SIMPLE, pad_edge=False, title=mechanism, title_justify="left")
    for header in ("measure", "value", "kind"):
        table.add_column(header, justify="right" if header == "value" else "left", overflow="fold")
    notes: dict[str, list[str]] = {}
    for name, result in results.items():
        if isinstance(result, Estimate):
            table.add_row(name, f"{result.value:.6g}", interval(result))
            notes.setdefault(result.method, []).append(name)
        else:
            table.add_row(name, _shown(result), "exact")
    for name, reason in refused.items():
        table.add_row(name, "—", "not computed")
        notes.setdefault(f"not computed: {reason}", []).append(name)
    console = Screen()
    console.print(table)
    print_notes(console, notes)


def print_notes(console: "Console", notes: Mapping[str, Sequence[str]]) -> None:
    """Print each note once, after the names of all that it is about."""
    for note, names in notes.items():
        console.print(f"{', '.join(names)}: {note}")


def interval(estimate: Estimate) -> str:
    """Return where the number is, and how surely or under which assumption; what is printed is rounded outwards."""
    words = [f"in [{rounded_down(estimate.low, 6)}, {rounded_up(estimate.high, 6)}]"]
    if estimate.certified:
        words.insert(0, "certified")
    if estimate.confidence is not None:  # with all digits: 99.9% is not 100%
        words.insert(0, f"{(Decimal(str(estimate.confidence)) * 100).normalize():f}% sure")
    if estimate.assuming is not None:
        words.append(f"assuming {estimate.assuming}")
    return " ".join(words)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.12g}"
    if isinstance(value, dict):
        return ", ".join(f"{key} {item:.6g}" for key, item in value.items())  # pyright: ignore
    if isinstance(value, tuple):
        return ", ".join(map(str, value))  # pyright: ignore
    return str(value)
