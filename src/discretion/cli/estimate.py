"""``discretion estimate``: how much a black box leaks, from samples of it."""

from contextlib import ExitStack
from typing import Annotated, Literal

from cyclopts import Parameter

from discretion.cli.limits import Limits, as_seconds
from discretion.cli.options import FailOver, Whole, as_header_option, as_seed
from discretion.cli.output import code_of, monitored, print_document, print_json, say_verdicts
from discretion.cli.terminal import say
from discretion.jobs.gates import gates_of, judged, numbers_in
from discretion.memory import as_memory
from discretion.presenting.files import chart_format, check_not_an_input, written_whole

Method = Literal["auto", "frequentist", "nearest-neighbours"]
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
        Write how the estimate of the Bayes risk settles with the number of samples as a figure to this file, in the
        format of its suffix: .svg, .png, .pdf or .html.
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
    suffix = None if chart is None else chart_format(chart)
    rng = as_seed(seed)  # one for all parts of the answer
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
        if drawing is not None and suffix is not None:
            from discretion.charts.page import to_format  # noqa: PLC0415 - half a second

            with monitor.step("drawing"):
                drawing.append(to_format(found.chart(), suffix, found.document().title))
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
        print_document(found.document())
        if chart is not None:
            say(f"Chart: {chart}")
        say_verdicts(verdicts)
    return code_of(verdict.verdict for verdict in verdicts)
