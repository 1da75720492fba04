"""``discretion estimate``: estimate the leakage of a black box from samples."""

from dataclasses import replace

from discretion.cli.options import ChartOptions, LimitOptions, as_seed, command
from discretion.cli.output import monitored, show, writing
from discretion.cli.watchdog import Watchdog, as_seconds
from discretion.jobs.gates import Gate, gates_of, judged, numbers_in
from discretion.jobs.options.mechanisms import EstimateOptions
from discretion.memory import as_memory

_MEASURES = (
    "estimate_bayes_risk",
    "estimate_bayes_security",
    "guessing_error",
    "samples",
    "secrets",
    "rarest_secret",
)
_SETTLED = "more samples (for the Bayes risk --half-width shows how many)"
_ROUNDED = (
    "another limit, or round the observations to the precision of the observer: for numbers with decimals no number of "
    "samples bounds these measures from below"
)


def _settled(gate: Gate, observations: str) -> str:
    """Return how to decide a gate: no number of samples bounds guesses of numbers with decimals from below."""
    is_of_guesses = gate.measure in ("estimate_bayes_risk", "estimate_bayes_security")
    return _ROUNDED if is_of_guesses and gate.operator == "<" and observations != "discrete" else _SETTLED


@command
def estimate(samples: str, /, *, options: EstimateOptions, limits: LimitOptions, output: ChartOptions) -> int:
    """Estimate from samples of a program or mechanism how much its observations reveal about its secrets.

    Parameters
    ----------
    samples
        A CSV file with a header: one column has the secret, as text, the others the observation. A column of numbers
        has points; any other column is text, and its values are equal or not.
    output.fail_over
        Exit with 1 if a measure is, at the confidence, above or below a limit, as "estimate_bayes_risk<0.3"; once for
        each: estimate_bayes_risk, estimate_bayes_security, guessing_error, samples, secrets, rarest_secret, and with
        --epsilon, --delta and --half-width estimate_privacy_profile, estimate_epsilon and samples_needed. Exit with 3
        if a limit is not decided: the interval contains it.
    output.chart
        Write the estimate of the Bayes risk over the number of samples to this file, in the format of its suffix: .svg,
        .png, .pdf or .html.
    """
    from discretion.jobs.estimate import estimate as estimated  # noqa: PLC0415 - a tenth of a second

    added = {
        "estimate_privacy_profile": options.epsilon,
        "estimate_epsilon": options.delta,
        "samples_needed": options.half_width,
    }
    gates = gates_of(output.fail_over, (*_MEASURES, *(name for name, value in added.items() if value is not None)))
    options = replace(options, seed=as_seed(options.seed))  # one for all parts of the result
    limit = Watchdog(as_seconds(limits.time), as_memory(limits.memory))
    with monitored(limit) as monitor, writing(output, read=[samples]) as write:
        result = estimated(samples, options, converging=output.has_figure, monitor=monitor)
        numbers = numbers_in(result.to_dict()) | dict.fromkeys(result.not_computed)
        verdicts = tuple(
            verdict
            for gate in gates
            for verdict in judged([gate], numbers, _settled(gate, result.observations), result.not_computed)
        )
        write(result, verdicts)
    inputs = {"samples": samples, **options.inputs(), "memory": limits.memory, "time": limits.time}
    return show("estimate", inputs, result, verdicts, output)
