"""``tacit estimate``: how much a black box leaks, from samples of it."""

from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from tacit.cli.measure import interval, print_notes
from tacit.cli.options import Whole, as_seed
from tacit.cli.output import Progress, check_not_the_table, print_json, written_whole
from tacit.cli.samples import SamplesFile, read_samples
from tacit.errors import InvalidValueError
from tacit.estimate import Estimate

if TYPE_CHECKING:
    from tacit.blackbox import Convergence

Method = Literal["auto", "frequentist", "nearest-neighbours"]


def estimate(
    samples: str,
    /,
    *,
    confidence: float = 0.95,
    method: Method = "auto",
    half_width: float | None = None,
    chart: str | None = None,
    seed: Whole | None = None,
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
    half_width
        Add samples_needed: how many samples would give estimate_bayes_risk an interval of ± this.
    chart
        Write how the estimate of the Bayes risk settles with the number of samples as a chart to this SVG file.
    seed
        The same seed gives the same result; drawn afresh by default.
    json
        Print one JSON object.
    """
    from tacit.blackbox import (  # noqa: PLC0415 - its k-d tree takes a tenth of a second
        convergence,
        estimate_bayes_risk,
        estimate_bayes_security,
        samples_needed,
    )

    check_not_the_table(chart, samples)
    rng = as_seed(seed)
    progress = Progress()
    with ExitStack() as held:
        held.callback(progress.done)
        drawing = None if chart is None else held.enter_context(written_whole(chart))
        progress(f"reading {samples}")
        data = read_samples(samples)
        secrets, observed = data.secrets, _observations(data, method)
        progress("estimate_bayes_risk")
        results: dict[str, Any] = {
            "estimate_bayes_risk": estimate_bayes_risk(secrets, observed, confidence, method, rng)
        }
        progress("estimate_bayes_security")
        results["estimate_bayes_security"] = estimate_bayes_security(secrets, observed, confidence, method, rng)
        results |= _described(data, observed)
        if half_width is not None:
            progress("samples_needed")
            results["samples_needed"] = samples_needed(half_width, secrets, observed, confidence, method, rng)
        if drawing is not None:
            progress("drawing")
            drawing.append(_drawn(convergence(secrets, observed, confidence, method, rng)))
    if json:
        inputs = {
            "samples": samples, "confidence": confidence, "method": method, "half_width": half_width, "chart": chart,
            "seed": seed,
        }  # fmt: skip
        print_json("estimate", inputs, results)
    else:
        _print_text(samples, results, half_width)
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


def _print_text(samples: str, results: dict[str, Any], half_width: float | None) -> None:
    from rich import box  # noqa: PLC0415 - JSON needs no rich
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    print(
        f"{samples}: {results['samples']:,} samples of {results['secrets']:,} secrets, at least "
        f"{results['rarest_secret']:,} of each; observations are {results['observations']} "
        f"({', '.join(results['columns'])})"
    )
    table = Table(box=box.SIMPLE, pad_edge=False)
    for header in ("measure", "value", "kind"):
        table.add_column(header, justify="right" if header == "value" else "left", overflow="fold")
    notes: dict[str, list[str]] = {}
    for name in ("estimate_bayes_risk", "estimate_bayes_security"):
        found: Estimate = results[name]
        table.add_row(name, f"{found.value:.6g}", interval(found))
        notes.setdefault(found.method, []).append(name)
    console = Console(markup=False, emoji=False, highlight=False)
    console.print(table)
    print_notes(console, notes)
    print(_in_words(results["estimate_bayes_risk"], results["estimate_bayes_security"], results["guessing_error"]))
    if half_width is not None:
        print(f"About {results['samples_needed']:,} samples would give the Bayes risk to ±{half_width:g}.")


def _in_words(risk: Estimate, security: Estimate, blind: float) -> str:
    """Return what the intervals say to one who must act on them."""
    return (
        f"\nThe best guess of the secret from an observation is wrong {_between(risk.low, risk.high)} of the time, "
        f"a blind one {blind:.1%}.\n"
        "Of the two secrets easiest to tell apart, at even odds, the best guess names the right one "
        f"{_between(1 - security.high / 2, 1 - security.low / 2)} of the time."
    )


def _between(low: float, high: float) -> str:
    if low <= 0:
        return f"at most {high:.1%}"
    return f"at least {low:.1%}" if high >= 1 else f"{low:.1%} to {high:.1%}"
