"""``discretion estimate``: how much a black box leaks, from samples of it."""

from contextlib import ExitStack
from secrets import randbits
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from discretion.cli.limits import Limits, as_seconds
from discretion.cli.options import FailOver, Whole, as_header_option, as_seed
from discretion.cli.output import code_of, monitored, print_json, say_verdicts
from discretion.cli.privacy_words import privacy_in_words
from discretion.cli.terminal import say, say_folded
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate, are_far_apart
from discretion.jobs.gates import gates_of, judged, numbers_in
from discretion.memory import as_memory
from discretion.presenting.files import check_not_an_input, written_whole
from discretion.presenting.numbers import between, rounded_down, rounded_up, sign_of_end, within

if TYPE_CHECKING:
    from discretion.blackbox import Convergence
    from discretion.jobs.estimate import BlackBoxEstimates

Method = Literal["auto", "frequentist", "nearest-neighbours"]
_NOTHING = "Nothing can be concluded on"
_MEASURES = (
    "estimate_bayes_risk",
    "estimate_bayes_security",
    "guessing_error",
    "samples",
    "secrets",
    "rarest_secret",
)


def estimate(
    samples: str,
    /,
    *,
    secret: str | None = None,
    confidence: float = 0.95,
    method: Method = "auto",
    all_secrets: Annotated[bool, Parameter(negative="")] = False,
    show_rare: Annotated[bool, Parameter(negative="")] = False,
    epsilon: float | None = None,
    delta: float | None = None,
    half_width: float | None = None,
    header: str | None = None,
    chart: str | None = None,
    seed: Whole | None = None,
    fail_over: FailOver = (),
    memory: str | None = None,
    time: str | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Estimate from samples of a program or mechanism how well what it shows gives its secrets away.

    Parameters
    ----------
    samples
        A CSV file with a header: in one column the secret, as text, in the others what was observed. A column of
        numbers is that; any other one is text, and its values alike or not.
    secret
        The column of the secret; the first one by default. A file in which most samples have a secret that no other has
        is refused: nothing can be concluded from it.
    confidence
        With what probability each interval covers, in (0, 1).
    method
        What guesses secrets: frequentist (observations are alike or not), nearest-neighbours (they are points) or auto:
        frequentist for text and whole numbers, and for decimals where they repeat, else nearest-neighbours. The
        intervals hold for any; a bad guesser makes them wide.
    all_secrets
        The file has samples of every secret there is. Without it nothing bounds estimate_bayes_security from below: it
        is about the two secrets easiest to tell apart, and one that is not in the file may give itself away.
    show_rare
        Name a secret even if fewer than 10 samples have it.
    epsilon
        Add estimate_privacy_profile: a lower bound of the δ for which the program is (ε, δ)-differentially private at
        this ε, from a file of two secrets, which stand for two neighbouring inputs. With --delta the text says whether
        the samples refute the claim of both.
    delta
        Add estimate_epsilon: the same of ε at this δ.
    half_width
        Add samples_needed: how many samples would give estimate_bayes_risk an interval of ± this.
    header
        Whether the first line holds names: yes, no (it is a sample), or the names as a,b,… for a file without them. By
        default a first line that looks like a sample is refused.
    chart
        Write how the estimate of the Bayes risk settles with the number of samples as a chart to this .svg file.
    seed
        The same seed gives the same result; by default one is drawn, which the answer tells.
    fail_over
        Exit with 1 if a measure is, at the confidence, above or below a limit, as "estimate_bayes_risk<0.3"; once for
        each: estimate_bayes_risk, estimate_bayes_security, guessing_error, samples, secrets, rarest_secret, and with
        --epsilon, --delta and --half-width estimate_privacy_profile, estimate_epsilon and samples_needed. Exit with 3
        if that is not decided, for the interval holds the limit.
    memory
        How much memory to take beside some 500 MB of libraries, such as 2GB; half of what is available by default.
    time
        When to stop, in seconds or as 2m or 1h; no limit by default.
    json
        Print one JSON object.
    """
    from discretion.jobs.estimate import estimate as estimated  # noqa: PLC0415 - a tenth of a second

    options = {"estimate_privacy_profile": epsilon, "estimate_epsilon": delta, "samples_needed": half_width}
    gates = gates_of(fail_over, (*_MEASURES, *(name for name, option in options.items() if option is not None)))
    check_not_an_input(chart, samples)
    if chart is not None and not chart.lower().endswith(".svg"):
        raise InvalidValueError(f"--chart writes an SVG file, got {chart!r}; name one that ends in .svg")
    rng = as_seed(seed)
    if rng is None:
        rng = randbits(32)  # one for all parts of the answer
    limits = Limits(as_seconds(time), as_memory(memory))
    with ExitStack() as held:
        monitor = held.enter_context(monitored(limits))
        drawing = None if chart is None else held.enter_context(written_whole(chart))
        found = estimated(
            samples,
            confidence,
            method,
            secret=secret,
            all_secrets=all_secrets,
            show_rare=show_rare,
            epsilon=epsilon,
            delta=delta,
            half_width=half_width,
            header=as_header_option(header),
            converging=drawing is not None,
            rng=rng,
            monitor=monitor,
        )
        if drawing is not None and found.convergence is not None:
            with monitor.step("drawing"):
                drawing.append(_drawn(found.convergence))
    numbers = numbers_in(found.to_dict()) | dict.fromkeys(found.not_computed)
    verdicts = judged(gates, numbers, "more samples (of the Bayes risk --half-width says how many)", found.not_computed)
    if json:
        inputs = {
            "samples": samples, "secret": secret, "confidence": confidence, "method": method,
            "all_secrets": all_secrets, "show_rare": show_rare, "epsilon": epsilon, "delta": delta,
            "half_width": half_width, "header": header, "chart": chart, "seed": rng, "memory": memory, "time": time,
        }  # fmt: skip
        print_json("estimate", inputs, found.to_dict(), verdicts)
    else:
        _print_text(samples, found, half_width, all_secrets)
        if said := privacy_in_words(found, epsilon, delta):
            say_folded(said)
        say(f"Seed {rng} repeats this.")
        say_verdicts(verdicts)
    return code_of(verdict.verdict for verdict in verdicts)


def _drawn(curve: "Convergence") -> str:
    from discretion.charts import convergence_over_samples, to_svg  # noqa: PLC0415 - half a second

    return to_svg(
        convergence_over_samples(
            curve.sizes.tolist(), curve.held_out_errors.tolist(), curve.low.tolist(), curve.high.tolist(),
            curve.confidence, curve.method,
        )
    )  # fmt: skip


def _print_text(samples: str, found: "BlackBoxEstimates", half_width: float | None, all_secrets: bool) -> None:
    from discretion.presenting.tables import Screen, print_notes, titled_table  # noqa: PLC0415 - JSON needs no rich

    say_folded(
        f"{samples}: {found.samples:,} samples of {found.secrets:,} secrets ({found.secret}), at least "
        f"{found.rarest_secret:,} of each; observations are {found.observations} "
        f"({', '.join(found.columns)})"
    )
    table = titled_table(None, ("measure", "value", "kind"), numbers=("value",))
    notes: dict[str, list[str]] = {}
    risk, security = found.estimate_bayes_risk, found.estimate_bayes_security
    results = {name: value for name, value in found.to_dict().items() if isinstance(value, Estimate)}
    for name, result in results.items():
        # A bound is quoted as what it is.
        rounded = {result.low: rounded_down, result.high: rounded_up}.get(result.value)
        if rounded is not None:
            said = rounded(result.value, 6)
        else:  # a guess within an interval that holds everything is none
            said = "not known" if result.low <= 0 and result.high >= 1 else f"{result.value:.6g}"
        table.add_row(name, sign_of_end(result) + said, within(result))
        notes.setdefault(result.method, []).append(name)
    console = Screen()
    console.print(table)
    print_notes(console, notes)
    say()
    sentences = [
        _risk_in_words(risk, found.guessing_error),
        _security_in_words(security, found.leakiest_pair, withheld=found.leakiest_pair_withheld),
    ]
    for sentence in sentences:
        say_folded(sentence)
    if any(sentence.startswith(_NOTHING) for sentence in sentences):
        numbers = found.observations == "discrete"
        say_folded(
            "More samples of each secret may settle it"
            + (", or --method nearest-neighbours if the observations are numbers." if numbers else ".")
        )
    if not all_secrets and found.observations == "discrete":
        say_folded(
            "Another secret may give itself away; if the file has samples of every one there is, add --all-secrets."
        )
    if half_width is not None and found.samples_needed is not None:
        say_folded(f"About {found.samples_needed:,} samples would give the Bayes risk to ±{half_width:g}.")
    for name, reason in found.not_computed.items():
        say_folded(f"{name} is not computed: {reason}.")


def _risk_in_words(risk: Estimate, blind: float) -> str:
    """Return what the interval says to one who must act on it."""
    guess = "the best guess of the secret from an observation is wrong"
    if risk.high < blind:
        return f"T{guess[1:]} {between(risk.low, risk.high)} of the time, a blind one {100 * blind:.6g} %."
    if risk.low <= 0:
        return (
            f"{_NOTHING} how often {guess}: at most as often as a blind one, {100 * blind:.6g} % of "
            "the time, and perhaps never."
        )
    often = f"{guess} {between(risk.low, risk.high)} of the time, a blind one {100 * blind:.6g} %"
    if are_far_apart(risk.low, blind, span=blind):
        return f"{_NOTHING} whether the program leaks: {often}."
    return f"T{often[1:]}; no leakage is shown at this confidence."


def _security_in_words(security: Estimate, pair: tuple[str, str] | None, *, withheld: bool) -> str:
    """Return what the interval says to one who must act on it."""
    two = "the two secrets easiest to tell apart"
    if pair is not None:
        two += f" (it seems, {pair[0]!r} and {pair[1]!r})"
    elif withheld:
        two += " (withheld, since one of them has fewer than 10 samples; --show-rare names them)"
    if security.low <= 0 and security.high >= 1:
        return f"{_NOTHING} how well {two} can be told apart."
    right = f"f {two}, at even odds, the best guess names the right one"
    if security.high < 1:
        guess = 1 - security / 2
        return f"O{right} {between(guess.low, guess.high)} of the time."
    right += f" at most {rounded_up(100 * (1 - security.low / 2), 4)} % of the time"
    if are_far_apart(security.low, 1.0, span=1.0):
        return f"{_NOTHING} whether two secrets can be told apart: o{right}."
    return f"O{right}; no leakage is shown at this confidence."
