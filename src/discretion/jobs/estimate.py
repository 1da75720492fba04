"""The estimate job: the leakage of a black box, from samples in a file."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
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
from discretion.blackbox.distinct import codes_of_rows
from discretion.blackbox.planning import as_half_width
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate, are_far_apart
from discretion.jobs.gates import numbers_in
from discretion.jobs.monitor import Monitor
from discretion.jobs.options.mechanisms import EstimateOptions, Method
from discretion.jobs.samples import SamplesFile, read_samples
from discretion.numerics.draws import fresh_seed
from discretion.presenting.numbers import between, in_full, percent, rounded_down, rounded_up, sign_of_end, within
from discretion.presenting.sentences import not_computed
from discretion.presenting.views.document import Block, Document, Figure, Grid, Section, Terms
from discretion.presenting.views.result import JobResult, number_row
from discretion.validation import as_confidence, as_epsilon, as_probability

_NOTHING = "Nothing can be concluded on"
_BY_DISTANCE: Method = "nearest-neighbours"
# Results that JSON has only if the options request them.
_OPTIONAL = ("estimate_privacy_profile", "estimate_epsilon", "samples_needed")
# Fields for the document only.
_NOT_IN_JSON = ("convergence", "whole_numbers", "path", "options")


@dataclass(frozen=True, repr=False)
class BlackBoxEstimates(JobResult):
    """Estimates of a program's leakage of its secrets, from samples.

    Parameters
    ----------
    estimate_bayes_risk, estimate_bayes_security
        The estimates, with their intervals.
    leakiest_pair, leakiest_pair_withheld
        The two secrets that are easiest to distinguish: None if there are none, or if they are withheld since too few
        samples have one of them.
    samples, secret, secrets, rarest_secret
        The number of samples, the column of secrets, the number of secrets, and the number of samples of the rarest
        one.
    observations, columns
        The type of the observations, and their columns.
    guessing_error
        The error of an adversary that observes nothing and names the most common secret.
    estimate_privacy_profile, estimate_epsilon
        Lower bounds on δ and ε of the program; None if no claim was given.
    samples_needed
        The number of samples for an interval of the Bayes risk with a given half-width; None without a half-width.
    not_computed
        The name of each measure without a result → the reason.
    convergence
        The convergence of the estimate with the number of samples, or None.
    whole_numbers
        The number of different observations if they are whole numbers that were compared as texts, else None.
    path, options
        The file, and the options with the seed that was used.
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
    whole_numbers: int | None
    path: str
    options: EstimateOptions

    def to_dict(self) -> dict[str, Any]:
        """Return the estimates as one object for JSON."""
        results = {field.name: getattr(self, field.name) for field in fields(self) if field.name not in _NOT_IN_JSON}
        given = {"not_computed": bool(self.not_computed)}
        given |= {name: value is not None for name, value in results.items() if name in _OPTIONAL}
        return {name: value for name, value in results.items() if given.get(name, True)}

    def table_rows(self) -> Iterator[Mapping[str, Any]]:
        """Yield a row for each number."""
        return (number_row(name, value) for name, value in numbers_in(self.to_dict()).items())

    def document(self) -> Document:
        """Return the document: conclusions from the samples, each estimate with its kind, and the methods."""
        estimates = {name: value for name, value in self.to_dict().items() if isinstance(value, Estimate)}
        heads = ("measure", "value", "kind")
        rows = tuple((name, _value(estimate), within(estimate)) for name, estimate in estimates.items())
        methods: dict[str, list[str]] = {}
        for name, estimate in estimates.items():
            methods.setdefault(estimate.method, []).append(name)
        numbers: list[Block] = [
            f"{self.samples:,} samples of {self.secrets:,} secrets ({self.secret}), at least {self.rarest_secret:,} of "
            f"each; observations are {self.observations} ({', '.join(self.columns)}).",
            Grid(heads, rows, frozenset(["measure", "kind"])),
            Terms(tuple((", ".join(names), method) for method, names in methods.items())),
            *not_computed(self.not_computed),
            f"Seed {self.options.seed} repeats this.",
        ]
        if self.convergence is not None:
            caption = "The estimate of the Bayes risk by the number of samples"
            numbers.append(Figure("convergence", caption, self._chart))
        conclusions = Section("What the samples show", tuple(self._conclusions()))
        risk = self.estimate_bayes_risk
        line = f"{self.path}: {self.samples:,} samples, Bayes risk {in_full(risk)} {within(risk)}"
        return Document(
            self.path, (), (conclusions, Section("The estimates", tuple(numbers))), kind="estimate", line=line
        )

    def _conclusions(self) -> Iterator[str]:
        """Yield the conclusions from the intervals, and ways to settle open ones."""
        discrete = self.observations == "discrete"
        sentences = [
            _risk_sentence(self.estimate_bayes_risk, self.guessing_error),
            _security_sentence(self.estimate_bayes_security, self.leakiest_pair, withheld=self.leakiest_pair_withheld),
        ]
        yield from sentences
        if claim := privacy_sentence(
            self.estimate_privacy_profile, self.estimate_epsilon, self.options.epsilon, self.options.delta
        ):
            yield claim
        if any(sentence.startswith(_NOTHING) for sentence in sentences):
            yield "More samples of each secret may settle this."
            if self.whole_numbers is not None and 2 * self.whole_numbers > self.samples:
                yield (
                    f"The observations are whole numbers that hardly recur ({self.whole_numbers:,} different ones in "
                    f"{self.samples:,} samples), and this estimate uses only whether two of them are equal: --method "
                    f"{_BY_DISTANCE} uses their distance."
                )
        if not self.options.all_secrets and discrete:
            yield (
                "A secret that is not in the file may be easier to distinguish from the others; if the file has "
                "samples of every secret, add --all-secrets."
            )
        if self.options.half_width is not None and self.samples_needed is not None:
            yield f"About {self.samples_needed:,} samples would bound the Bayes risk to ±{self.options.half_width:g}."

    def _chart(self) -> Any:
        from discretion.charts import convergence_over_samples  # noqa: PLC0415 - half a second

        curve = self.convergence
        assert curve is not None
        return convergence_over_samples(
            curve.sizes.tolist(), curve.held_out_errors.tolist(), curve.low.tolist(), curve.high.tolist(),
            curve.confidence, curve.method,
        )  # fmt: skip


def estimate(
    path: str, options: EstimateOptions, *, converging: bool = False, monitor: Monitor | None = None
) -> BlackBoxEstimates:
    r"""Estimate a program's leakage of its secrets from samples, with confidence intervals.

    Parameters
    ----------
    path
        A CSV file: the secret in one column, the observation in the others.
    options
        The form of the file, and the estimates to compute.
    converging
        Whether to add the convergence of the estimate with the number of samples.
    monitor
        Follows each step, and may end it.

    Raises
    ------
    InvalidTableError
        If the file has no samples, or most of them have a secret that no other sample has.
    UnknownColumnError
        If the file has no column of this name.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "samples.csv")
    >>> _ = path.write_text("secret,seen\n" + "a,x\nb,y\n" * 50)
    >>> result = estimate(str(path), EstimateOptions(seed=1))
    >>> result.samples, result.leakiest_pair, result.guessing_error
    (100, ('a', 'b'), 0.5)
    """
    if options.seed is None:
        options = replace(options, seed=fresh_seed())
    confidence, method, rng = as_confidence(options.confidence), options.method, options.seed
    epsilon = None if options.epsilon is None else as_epsilon(options.epsilon)
    delta = None if options.delta is None else as_probability(options.delta, "delta")
    half_width = None if options.half_width is None else as_half_width(options.half_width)
    monitor = monitor or Monitor()
    with monitor.step("reading the samples"):
        data = read_samples(path, options.header, options.secret)
        secrets, observed = data.secrets, _observations(data, method)
        are_whole = data.numbers is not None and observed is data.codes
        sides = None if epsilon is None and delta is None else _two_sides(data, method)
    with monitor.step("estimate_bayes_risk"):
        risk = estimate_bayes_risk(secrets, observed, confidence, method, rng)
    with monitor.step("estimate_bayes_security"):
        among = secrets if options.all_secrets else None
        security, pair = security_and_pair(secrets, observed, confidence, method, rng, among)
        withheld = pair is not None and not options.show_rare and min(map(data.samples_of, pair)) < LEAST_NAMED
        counts = np.unique(secrets, return_counts=True)[1]
    profile = least = None
    if sides is not None and epsilon is not None:
        with monitor.step("estimate_privacy_profile"):
            profile = estimate_privacy_profile(sides.x, sides.y, epsilon, confidence, sides.method, rng)
    if sides is not None and delta is not None:
        with monitor.step("estimate_epsilon"):
            least = estimate_epsilon(sides.x, sides.y, delta, confidence, sides.method, rng)
    needed, refused, settling = None, dict[str, str](), None
    if half_width is not None:
        with monitor.step("samples_needed"):
            try:
                needed = samples_needed(half_width, secrets, observed, confidence, method, rng)
            except InvalidValueError as error:
                refused["samples_needed"] = str(error)
    if converging:
        with monitor.step("the convergence of the estimate"):
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
        not_computed=refused,
        convergence=settling,
        whole_numbers=int(codes_of_rows(observed).max()) + 1 if are_whole else None,
        path=path,
        options=options,
    )


def _observations(data: SamplesFile, method: Method) -> Any:
    """Return the observations that the method compares: numbers, or codes of equal texts."""
    if data.numbers is not None and (method == _BY_DISTANCE or (method == "auto" and data.continuous)):
        return data.numbers
    if method == _BY_DISTANCE:
        raise InvalidValueError(
            f"{method} needs observations of numbers only, but a column has text; use --method frequentist"
        )
    return data.codes


@dataclass(frozen=True)
class _Sides:
    x: Any
    y: Any
    method: Method


def _two_sides(data: SamplesFile, method: Method) -> _Sides:
    """Return the observations for each of the two secrets, and the method that distinguishes them."""
    inputs = np.unique(data.secrets)
    if inputs.size != 2:
        raise InvalidValueError(
            "a claim of differential privacy is about two neighboring inputs, so the column of secrets must have two "
            f"secrets, got {inputs.size:,}; keep the samples of two"
        )
    outputs = _observations(data, method)
    if method == "auto" and data.numbers is not None:
        outputs = data.numbers  # put into bins, or compared as rows
    elif outputs is data.codes:
        method = "frequentist"
    x, y = (outputs[data.secrets == secret] for secret in inputs)
    return _Sides(x, y, method)


def _value(estimate: Estimate) -> str:
    """Return the value of an estimate: a bound rounded outwards with its sign, a best guess with six digits."""
    rounded = {estimate.low: rounded_down, estimate.high: rounded_up}.get(estimate.value)
    if rounded is not None:
        return sign_of_end(estimate) + rounded(estimate.value, 6)
    # A best guess is not shown if its interval allows every value.
    value = "not known" if estimate.low <= 0 and estimate.high >= 1 else f"{estimate.value:.6g}"
    return sign_of_end(estimate) + value


def _risk_sentence(risk: Estimate, blind: float) -> str:
    """Return the conclusion from the interval of the Bayes risk."""
    guess = "the best guess of the secret from an observation is wrong"
    without = f"a guess without the observation {100 * blind:.6g} %"
    if risk.high < blind:
        sure = "" if risk.confidence is None else f" ({percent(risk.confidence)} confidence)"
        return f"The program leaks{sure}: {guess} {between(risk.low, risk.high)} of the time, {without}."
    if risk.low <= 0:
        return f"{_NOTHING} how often {guess}: between never and {100 * blind:.6g} %, as without the observation."
    often = f"{guess} {between(risk.low, risk.high)} of the time, {without}"
    if are_far_apart(risk.low, blind, span=blind):
        return f"{_NOTHING} whether the program leaks: {often}."
    return f"T{often[1:]}; no leakage is shown at this confidence."


def _security_sentence(security: Estimate, pair: tuple[str, str] | None, *, withheld: bool) -> str:
    """Return the conclusion from the interval of the Bayes security."""
    two = "the two secrets that are easiest to distinguish"
    if pair is not None:
        two += f" (an estimate: {pair[0]!r} and {pair[1]!r})"
    elif withheld:
        two += " (withheld, since one of them has fewer than 10 samples; --show-rare names them)"
    if security.low <= 0 and security.high >= 1:
        return f"{_NOTHING} how well {two} can be distinguished."
    right = f"f {two}, at even odds, the best guess names the correct one"
    if security.high < 1:
        guess = 1 - security / 2
        return f"O{right} {between(guess.low, guess.high)} of the time."
    right += f" at most {rounded_up(100 * (1 - security.low / 2), 4)} % of the time"
    if are_far_apart(security.low, 1.0, span=1.0):
        return f"{_NOTHING} whether two secrets can be distinguished: o{right}."
    return f"O{right}; no leakage is shown at this confidence."


def privacy_sentence(
    profile: Estimate | None, least: Estimate | None, epsilon: float | None, delta: float | None
) -> str:
    """Return a sentence on whether samples refute a claim of differential privacy, by a one-sided confidence bound.

    ``profile`` bounds the δ at ``epsilon`` and ``least`` the ε at ``delta``, from below.
    """
    if least is not None:
        at = f"at δ = {in_full(delta)}"
        shown = f"its ε {at} is at least {rounded_down(least.low, 6)}" if least.low > 0 else f"no ε above 0 {at}"
        if epsilon is not None:
            claim = f"({in_full(epsilon)}, {in_full(delta)})"
            return _claim_sentence(claim, shown, refuted=least.low > epsilon, vacuous=least.low <= 0)
        if least.low <= 0:
            return f"Nothing can be concluded on how private the program is: these samples show {shown}."
        return f"These samples show that, on these two inputs, {shown}."
    if profile is not None:
        at, refuted = f"at ε = {in_full(epsilon)}", profile.low > 0
        shown = f"its δ {at} is at least {rounded_down(profile.low, 6)}" if refuted else f"no δ above 0 {at}"
        return _claim_sentence(in_full(epsilon), shown, refuted=refuted, vacuous=not refuted)
    return ""


def _claim_sentence(claim: str, shown: str, *, refuted: bool, vacuous: bool) -> str:
    if refuted:
        return f"These samples show that the program is not {claim}-differentially private: {shown}."
    they_show = f"they show {shown}, and nothing can be concluded from that" if vacuous else f"they show that {shown}"
    return (
        f"These samples do not refute the claim that the program is {claim}-differentially private: {they_show}. Other "
        "inputs, or more samples, may."
    )
