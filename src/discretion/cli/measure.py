"""``discretion measure``: the measures of one mechanism, alone or shuffled."""

from functools import partial
from typing import Annotated

from cyclopts import Parameter

from discretion.cli.limits import Limits, as_seconds
from discretion.cli.options import FailOver, Whole, as_names, as_seed
from discretion.cli.output import code_of, monitored, print_document, print_json, say_verdicts
from discretion.cli.terminal import say
from discretion.errors import InvalidValueError
from discretion.jobs.gates import SETTLED, gate_of, judged, numbers_in
from discretion.jobs.measure import measure as measured
from discretion.jobs.scenario import Scenario
from discretion.presenting.files import chart_format, check_not_an_input, written_whole
from discretion.spelling import gain_of, knowledge_of, mechanism_of, population_of, prior_of, read_by


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
    false_positive_rate: float | None = None,
    chart: str | None = None,
    only: str | None = None,
    seed: Whole | None = None,
    fail_over: FailOver = (),
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
        exponential:epsilon=1,scores=FILE.csv (rows secrets, columns answers); or channel:FILE.csv (numbers, no header),
        or a .npy, .parquet or .arrow file, which may be larger than memory. Rows may also stand in a file's place:
        channel:0.9,0.1;0.2,0.8.
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
        What the adversary wants: identity (default, to name the value), tries:2 (to name it in so many tries), set:0,3
        (to say whether it is one of these), partition:0,0,1 (to name the block that it is in, a label for each value),
        distance:ordinal (to name a near one: 1 less the distance, as a share of the largest) or distance:FILE.csv,
        matrix:FILE.csv (what a guess, a row, is worth for a value, a column) or loss:FILE.csv (what it costs: a
        vulnerability is then minus a risk). Rows may also stand in a file's place: matrix:1,0,0;0,1,1.
    population
        The law of the population's shares: jeffreys, dirichlet:a0,a1,… or mixture:FILE.csv (in each row a weight, then
        the share of each value). Adds what is measured against it, in information: worst_case_privacy and
        average_privacy of one who is not shuffled, asymptotic_utility and effective_participation, and with --users
        population_information, distribution_utility, tally_utility and digit_utility, from which shuffling takes
        nothing. Without --population these run only where --only names them, then with jeffreys.
    epsilon
        Add privacy_profile, the δ at this ε; when shuffled against the worst adversary unless one is named.
    delta
        Add dp_epsilon, the ε at this δ; likewise.
    false_positive_rate
        Add tradeoff: how many of the guilty the best attack misses that falsely accuses this share of the innocent, to
        tell any two values of the target apart; likewise.
    chart
        Write what the best attack finds at every such share as a figure on logarithmic axes to this file, in the format
        of its suffix: .svg, .png, .pdf or .html; likewise.
    only
        The measures to compute, as NAME,…; by default all but those that --population adds.
    seed
        Where what is too large to sum over is sampled, the same seed gives the same result; drawn afresh by default.
    fail_over
        Exit with 1 if a measure is above or below a limit, as "posterior_vulnerability>0.25" or "bayes_security<0.9";
        once for each, of those that are computed, the parts of one as in "frequency_error.share>0.01". Exit with 3 if
        that is not decided, for an interval holds the limit or the measure is not computed.
    time
        When to stop, in seconds or as 2m or 1h; what is not computed until then is named. No limit by default.
    json
        Print one JSON object.
    """
    limits, gates = Limits(as_seconds(time)), tuple(map(gate_of, fail_over))
    check_not_an_input(chart, *filter(None, [read_by(mechanism)]))
    suffix = None if chart is None else chart_format(chart)
    system = mechanism_of(mechanism)
    shares = None if population is None else population_of(population, system.secrets)
    scenario = Scenario(
        users=users,
        knowledge=None if adversary is None else knowledge_of(_needing_shuffled(adversary, shuffled)),
        prior=None if prior is None else prior_of(prior),
        gain=None if gain is None else gain_of(gain, system.secrets),
        epsilon=epsilon,
        delta=delta,
        false_positive_rate=false_positive_rate,
        seed=as_seed(seed),
    )
    if shuffled and users is None:
        raise InvalidValueError("--shuffled needs the number of users; add --users N")
    ask = partial(
        measured,
        system,
        scenario,
        name=mechanism,
        shuffled=shuffled,
        population=shares,
        only=as_names(only) or (),
        needed=[gate.measure.partition(".")[0] for gate in gates],
    )
    with monitored(limits) as monitor:
        if chart is None or suffix is None:
            found = ask(monitor=monitor)
        else:
            with written_whole(chart) as contents:
                from discretion.charts.page import to_format  # noqa: PLC0415 - half a second

                found = ask(curve=True, monitor=monitor)
                contents.append(to_format(found.chart(), suffix, found.document().title))
    numbers = numbers_in(found.answers) | dict.fromkeys(found.not_computed)
    verdicts = judged(gates, numbers, SETTLED, found.not_computed)
    if json:
        inputs = {
            "mechanism": mechanism, "users": users, "shuffled": shuffled, "adversary": adversary, "prior": prior,
            "gain": gain, "population": population, "epsilon": epsilon, "delta": delta,
            "false_positive_rate": false_positive_rate, "only": only, "seed": scenario.seed, "time": time,
        }  # fmt: skip
        print_json("measure", inputs, found.to_dict(), verdicts)
    else:
        print_document(found.document())
        if chart is not None:
            say(f"Chart: {chart}")
        say_verdicts(verdicts)
    return code_of(verdict.verdict for verdict in verdicts)


def _needing_shuffled(adversary: str, shuffled: bool) -> str:
    if not shuffled:
        raise InvalidValueError(
            f"--adversary {adversary} says what is known of the other users, who matter only with --shuffled; add "
            "--shuffled --users N"
        )
    return adversary
