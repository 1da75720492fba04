"""How much a black box leaks, from samples of it in a file."""

from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np

from discretion.blackbox import (
    Convergence,
    convergence,
    estimate_bayes_risk,
    estimate_epsilon,
    estimate_privacy_profile,
    samples_needed,
)
from discretion.blackbox.bayes_security import LEAST_NAMED, security_and_pair
from discretion.blackbox.planning import as_half_width
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate
from discretion.jobs.monitor import Monitor
from discretion.jobs.samples import SamplesFile, read_samples
from discretion.tables.layouts.headers import Header
from discretion.validation import as_confidence, as_epsilon, as_probability

# What is in the answer only if it was asked for.
_ASKED_FOR = ("estimate_privacy_profile", "estimate_epsilon", "samples_needed")

Method = Literal["auto", "frequentist", "nearest-neighbours"]


@dataclass(frozen=True)
class BlackBoxEstimates:
    """What samples tell of the secrets and the observations in a file.

    The leakiest pair of secrets is None where there is none, or where it is withheld: too few samples have one of them.
    ``guessing_error`` is that of who sees nothing and names the commonest secret. How private the program is at best is
    None where no claim was given.
    """

    estimate_bayes_risk: Estimate
    estimate_bayes_security: Estimate
    leakiest_pair: tuple[str, str] | None
    leakiest_pair_withheld: bool
    samples: int
    secret: str
    secrets: int
    rarest_secret: int
    observations: Literal["numbers", "discrete"]
    columns: tuple[str, ...]
    guessing_error: float
    estimate_privacy_profile: Estimate | None
    estimate_epsilon: Estimate | None
    samples_needed: int | None
    not_computed: dict[str, str]
    convergence: Convergence | None

    def to_dict(self) -> dict[str, Any]:
        """Return what was found as one object, as JSON has it."""
        found = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "convergence"}
        asked_for = {"not_computed": bool(self.not_computed)}
        asked_for |= {name: value is not None for name, value in found.items() if name in _ASKED_FOR}
        return {name: value for name, value in found.items() if asked_for.get(name, True)}


def estimate(
    path: str,
    confidence: float = 0.95,
    method: Method = "auto",
    *,
    all_secrets: bool = False,
    show_rare: bool = False,
    secret: str | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    half_width: float | None = None,
    header: Header = None,
    converging: bool = False,
    rng: int,
    monitor: Monitor | None = None,
) -> BlackBoxEstimates:
    r"""Return how well what a program shows gives its secrets away, with intervals that hold.

    Parameters
    ----------
    path
        A CSV file: in one column the secret, in the others what was observed.
    confidence
        With what probability each interval covers, in (0, 1).
    method
        What guesses the secrets.
    all_secrets
        Whether the file has samples of every secret there is.
    show_rare
        Whether a secret is named that fewer than 10 samples have.
    secret
        The name of the column of the secret; None is the first one.
    epsilon, delta
        A claim of differential privacy, on files of two secrets: add how private the program is at best, as a lower
        bound of δ at this ε, of ε at this δ.
    half_width
        Add how many samples would give the Bayes risk to this.
    header
        What the file's first line is, as for `discretion.Population`.
    converging
        Whether to add how the estimate settles with the number of samples.
    rng
        A seed for all parts of the answer.
    monitor
        Follows each step, and may end it.

    Raises
    ------
    InvalidTableError
        If the file does not hold samples, or most of them have a secret that no other has.
    UnknownColumnError
        If there is no column of secrets by this name.
    InvalidValueError
        If an argument is outside its range, the method needs numbers where a column holds text, or there is a claim
        and not two secrets.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "samples.csv")
    >>> _ = path.write_text("secret,seen\n" + "a,x\nb,y\n" * 50)
    >>> found = estimate(str(path), rng=1)
    >>> found.samples, found.leakiest_pair, found.guessing_error
    (100, ('a', 'b'), 0.5)
    """
    as_confidence(confidence)
    if half_width is not None:
        as_half_width(half_width)
    if epsilon is not None:
        as_epsilon(epsilon)
    if delta is not None:
        as_probability(delta, "delta")
    monitor = monitor or Monitor()
    with monitor.step("reading the samples"):
        data = read_samples(path, header, secret)
        secrets, observed = data.secrets, _observations(data, method)
        sides = None if epsilon is None and delta is None else _two_sides(data, method)
    with monitor.step("estimate_bayes_risk"):
        risk = estimate_bayes_risk(secrets, observed, confidence, method, rng)
    with monitor.step("estimate_bayes_security"):
        among = secrets if all_secrets else None
        security, pair = security_and_pair(secrets, observed, confidence, method, rng, among)
        withheld = pair is not None and not show_rare and min(map(data.samples_of, pair)) < LEAST_NAMED
        counts = np.unique(secrets, return_counts=True)[1]
    profile = least = None
    if sides is not None and epsilon is not None:
        with monitor.step("estimate_privacy_profile"):
            profile = estimate_privacy_profile(sides.x, sides.y, epsilon, confidence, sides.method, rng)
    if sides is not None and delta is not None:
        with monitor.step("estimate_epsilon"):
            least = estimate_epsilon(sides.x, sides.y, delta, confidence, sides.method, rng)
    needed, not_computed, settling = None, dict[str, str](), None
    if half_width is not None:
        with monitor.step("samples_needed"):
            try:
                needed = samples_needed(half_width, secrets, observed, confidence, method, rng)
            except InvalidValueError as error:
                not_computed["samples_needed"] = str(error)
    if converging:
        with monitor.step("how the estimate settles"):
            settling = convergence(secrets, observed, confidence, method, rng)
    return BlackBoxEstimates(
        estimate_bayes_risk=risk,
        estimate_bayes_security=security,
        leakiest_pair=None if withheld else pair,
        leakiest_pair_withheld=withheld,
        samples=len(secrets),
        secret=data.secret,
        secrets=len(counts),
        rarest_secret=int(counts.min()),
        observations="numbers" if observed is data.numbers else "discrete",
        columns=data.columns,
        guessing_error=1 - float(counts.max()) / len(secrets),
        estimate_privacy_profile=profile,
        estimate_epsilon=least,
        samples_needed=needed,
        not_computed=not_computed,
        convergence=settling,
    )


def _observations(data: SamplesFile, method: Method) -> Any:
    """Return what the method compares: numbers, or codes that are alike where the text is."""
    if data.numbers is not None and (method == "nearest-neighbours" or (method == "auto" and data.continuous)):
        return data.numbers
    if method == "nearest-neighbours":
        raise InvalidValueError(
            "nearest-neighbours needs observations of numbers only, and a column holds text; take --method frequentist"
        )
    return data.codes


@dataclass(frozen=True)
class _Sides:
    x: Any
    y: Any
    method: Method


def _two_sides(data: SamplesFile, method: Method) -> _Sides:
    """Return what was observed on either of the two secrets, and by which method to tell it apart."""
    inputs = np.unique(data.secrets)
    if inputs.size != 2:
        raise InvalidValueError(
            "a claim of differential privacy is about two neighbouring inputs, so the column of secrets must have two "
            f"secrets, got {inputs.size:,}; keep the samples of two"
        )
    outputs = _observations(data, method)
    if method == "auto" and data.numbers is not None:
        outputs = data.numbers  # put into bins, or compared as rows
    elif outputs is data.codes:
        method = "frequentist"
    x, y = (outputs[data.secrets == secret] for secret in inputs)
    return _Sides(x, y, method)
