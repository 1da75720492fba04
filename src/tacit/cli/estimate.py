"""``tacit estimate``: how much a black box leaks, from samples of it."""

from contextlib import ExitStack
from secrets import randbits
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from tacit.cli.limits import Limits, as_seconds
from tacit.cli.measure import interval, print_notes
from tacit.cli.options import Whole, as_header_option, as_seed
from tacit.cli.output import Progress, check_not_an_input, print_json
from tacit.cli.samples import SamplesFile, read_samples
from tacit.cli.terminal import say
from tacit.cli.written import written_whole
from tacit.errors import InvalidValueError
from tacit.estimate import Estimate
from tacit.memory import as_memory
from tacit.numerics.rounding import rounded_down, rounded_up
from tacit.validation import as_confidence

if TYPE_CHECKING:
    from tacit.blackbox import Convergence

Method = Literal["auto", "frequentist", "nearest-neighbours"]


def estimate(
    samples: str,
    /,
    *,
    confidence: float = 0.95,
    method: Method = "auto",
    all_secrets: Annotated[bool, Parameter(negative="")] = False,
    show_rare: Annotated[bool, Parameter(negative="")] = False,
    half_width: float | None = None,
    header: str | None = None,
    chart: str | None = None,
    seed: Whole | None = None,
    memory: str | None = None,
    time: str | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Estimate from samples of a program or mechanism how well what it shows gives its secrets away.

    Parameters
    ----------
    samples
        A CSV file with a header: in its first column the secret, as text, in the others what was observed. A column of
        numbers is that; any other one is text, and its values alike or not.
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
    half_width
        Add samples_needed: how many samples would give estimate_bayes_risk an interval of ± this.
    header
        Whether the first line holds names: yes, no (it is a sample), or the names as a,b,… for a file without them. By
        default a first line that looks like a sample is refused.
    chart
        Write how the estimate of the Bayes risk settles with the number of samples as a chart to this .svg file.
    seed
        The same seed gives the same result; by default one is drawn, which the answer tells.
    memory
        How much memory to take beside some 500 MB of libraries, such as 2GB; half of what is available by default.
    time
        When to stop, in seconds or as 2m or 1h; no limit by default.
    json
        Print one JSON object.
    """
    # A tenth of a second each.
    from tacit.blackbox import convergence, estimate_bayes_risk, samples_needed  # noqa: PLC0415
    from tacit.blackbox.bayes_security import LEAST_NAMED, security_and_pair  # noqa: PLC0415
    from tacit.blackbox.planning import as_half_width  # noqa: PLC0415

    check_not_an_input(chart, samples)
    if chart is not None and not chart.lower().endswith(".svg"):
        raise InvalidValueError(f"--chart writes an SVG file, got {chart!r}; name one that ends in .svg")
    as_confidence(confidence)
    if half_width is not None:
        as_half_width(half_width)
    rng = as_seed(seed)
    if rng is None:
        rng = randbits(32)  # one for all parts of the answer
    progress, limits = Progress(), Limits(as_seconds(time), as_memory(memory))
    with ExitStack() as held:
        held.callback(progress.done)
        held.enter_context(limits.watched())
        held.enter_context(limits.working())
        drawing = None if chart is None else held.enter_context(written_whole(chart))
        progress("reading the samples")
        data = read_samples(samples, as_header_option(header))
        secrets, observed = data.secrets, _observations(data, method)
        progress("estimate_bayes_risk")
        results: dict[str, Any] = {
            "estimate_bayes_risk": estimate_bayes_risk(secrets, observed, confidence, method, rng)
        }
        progress("estimate_bayes_security")
        among = secrets if all_secrets else None
        security, pair = security_and_pair(secrets, observed, confidence, method, rng, among)
        withheld = pair is not None and not show_rare and min(map(data.samples_of, pair)) < LEAST_NAMED
        results |= {
            "estimate_bayes_security": security,
            "leakiest_pair": None if withheld else pair,
            "leakiest_pair_withheld": withheld,
        } | _described(data, observed)
        if half_width is not None:
            progress("samples_needed")
            try:
                results["samples_needed"] = samples_needed(half_width, secrets, observed, confidence, method, rng)
            except InvalidValueError as error:
                results["not_computed"] = {"samples_needed": str(error)}
        if drawing is not None:
            progress("drawing")
            drawing.append(_drawn(convergence(secrets, observed, confidence, method, rng)))
    if json:
        inputs = {
            "samples": samples, "confidence": confidence, "method": method, "all_secrets": all_secrets,
            "show_rare": show_rare, "half_width": half_width, "header": header, "chart": chart, "seed": rng,
            "memory": memory, "time": time,
        }  # fmt: skip
        print_json("estimate", inputs, results)
    else:
        _print_text(samples, results, half_width, all_secrets)
        say(f"Seed {rng} repeats this.")
    return 0


def _observations(data: SamplesFile, method: Method) -> Any:
    """Return what the method compares: numbers, or codes that are alike where the text is."""
    if data.numbers is not None and (method == "nearest-neighbours" or (method == "auto" and data.continuous)):
        return data.numbers
    if method == "nearest-neighbours":
        raise InvalidValueError(
            "nearest-neighbours needs observations of numbers only, and a column holds text; take --method frequentist"
        )
    return data.codes


def _described(data: SamplesFile, observed: Any) -> dict[str, Any]:
    import numpy as np  # noqa: PLC0415

    counts = np.unique(data.secrets, return_counts=True)[1]
    return {
        "samples": len(data.secrets),
        "secrets": len(counts),
        "rarest_secret": int(counts.min()),
        "observations": "numbers" if observed is data.numbers else "discrete",
        "columns": list(data.columns),
        "guessing_error": 1 - float(counts.max()) / len(data.secrets),
    }


def _drawn(curve: "Convergence") -> str:
    from tacit.charts import convergence_over_samples, to_svg  # noqa: PLC0415 - half a second

    return to_svg(
        convergence_over_samples(
            curve.sizes.tolist(), curve.held_out_errors.tolist(), curve.low.tolist(), curve.high.tolist(),
            curve.confidence, curve.method,
        )
    )  # fmt: skip


def _print_text(samples: str, results: dict[str, Any], half_width: float | None, all_secrets: bool) -> None:
    from rich import box  # noqa: PLC0415 - JSON needs no rich
    from rich.table import Table  # noqa: PLC0415

    from tacit.cli.screen import Screen  # noqa: PLC0415

    say(
        f"{samples}: {results['samples']:,} samples of {results['secrets']:,} secrets, at least "
        f"{results['rarest_secret']:,} of each; observations are {results['observations']} "
        f"({', '.join(results['columns'])})"
    )
    table = Table(box=box.SIMPLE, pad_edge=False)
    for header in ("measure", "value", "kind"):
        table.add_column(header, justify="right" if header == "value" else "left", overflow="fold")
    notes: dict[str, list[str]] = {}
    risk, security = results["estimate_bayes_risk"], results["estimate_bayes_security"]
    for name, found in (("estimate_bayes_risk", risk), ("estimate_bayes_security", security)):
        # A bound is quoted as what it is.
        value = rounded_up(found.value, 6) if found.value == found.high else f"{found.value:.6g}"
        table.add_row(name, value, interval(found))
        notes.setdefault(found.method, []).append(name)
    console = Screen()
    console.print(table)
    print_notes(console, notes)
    say()
    say(_risk_in_words(risk, results["guessing_error"]))
    say(_security_in_words(security, results["leakiest_pair"], withheld=results["leakiest_pair_withheld"]))
    if not all_secrets and results["observations"] == "discrete":
        say("Another secret may give itself away; if the file has samples of every one there is, add --all-secrets.")
    if half_width is not None and "samples_needed" in results:
        say(f"About {results['samples_needed']:,} samples would give the Bayes risk to ±{half_width:g}.")
    for name, reason in results.get("not_computed", {}).items():
        say(f"{name} is not computed: {reason}.")


def _risk_in_words(risk: Estimate, blind: float) -> str:
    """Return what the interval says to one who must act on it."""
    guess = "the best guess of the secret from an observation is wrong"
    if risk.low <= 0 and risk.high >= 1:
        return f"How often {guess}, these samples do not show at this confidence."
    none = "; no leakage is shown at this confidence" if risk.high >= blind else ""
    return f"T{guess[1:]} {_between(risk.low, risk.high)} of the time, a blind one {100 * blind:.6g}%{none}."


def _security_in_words(security: Estimate, pair: tuple[str, str] | None, *, withheld: bool) -> str:
    """Return what the interval says to one who must act on it."""
    two = "the two secrets easiest to tell apart"
    if pair is not None:
        two += f" (it seems, {pair[0]!r} and {pair[1]!r})"
    elif withheld:
        two += " (withheld, since one of them has fewer than 10 samples; --show-rare names them)"
    if security.low <= 0 and security.high >= 1:
        return f"How well {two} can be told apart, these samples do not show at this confidence."
    right = f"Of {two}, at even odds, the best guess names the right one"
    if security.high >= 1:
        most = rounded_up(100 * (1 - security.low / 2), 4)
        return f"{right} at most {most}% of the time; no leakage is shown at this confidence."
    low, high = 1 - security.high / 2, 1 - security.low / 2
    return f"{right} {_between(low, high)} of the time."


def _between(low: float, high: float) -> str:
    least, most = rounded_down(100 * low, 4), rounded_up(100 * high, 4)
    if low <= 0:
        return f"at most {most}%"
    return f"at least {least}%" if high >= 1 else f"{least}% to {most}%"
