"""``discretion measure``: compute the measures of one mechanism, alone or shuffled."""

from dataclasses import replace

from discretion.cli.options import ChartOptions, TimeOption, as_seed, command
from discretion.cli.output import monitored, show, writing
from discretion.cli.watchdog import Watchdog, as_seconds
from discretion.errors import UnsupportedError
from discretion.jobs.gates import SETTLED, gate_of, judged, numbers_in
from discretion.jobs.measure import run_measure
from discretion.jobs.options.mechanisms import MeasureOptions
from discretion.spelling import read_by


@command
def measure(mechanism: str, /, *, options: MeasureOptions, limits: TimeOption, output: ChartOptions) -> int:
    """Measure a mechanism: what an adversary can guess about one person's value.

    Parameters
    ----------
    mechanism
        The mechanism as name:key=value,…, such as krr:k=5,epsilon=1 or krr:k=5,p=0.8. Randomizers: krr, rappor, oue,
        blh, ue, olh (local hashing; g=2 is binary), ss (subset selection) and hadamard. Noise on a number, measured
        between the two values that are furthest apart: laplace:scale=1,sensitivity=1, gaussian:sigma=1,sensitivity=1,
        geometric:epsilon=1, discrete-gaussian:sigma=1. DP-SGD (is a record in the data?):
        dpsgd:sigma=1,rate=0.01,steps=1000. The exponential mechanism: exponential:epsilon=1,scores=FILE.csv (rows
        secrets, columns answers). A claim of differential privacy: dp:epsilon=1,delta=1e-6 (the two secrets that any
        such mechanism protects least). A channel: channel:FILE.csv (numbers, no header), or a .npy, .parquet or .arrow
        file, which may be larger than memory; rows may also stand in a file's place: channel:0.9,0.1;0.2,0.8.
    output.fail_over
        Exit with 1 if a measure is above or below a limit, as "posterior_vulnerability>0.25" or "bayes_security<0.9";
        once for each computed measure, and its parts as in "frequency_error.share>0.01". Exit with 3 if a limit is not
        decided: an interval contains it, or the measure is not computed.
    output.chart
        Write the curve of the best attack (the share of the guilty that it finds, at every share of false accusations),
        on logarithmic axes, to this file, in the format of its suffix: .svg, .png, .pdf or .html; for shuffled reports
        against the worst adversary unless you set --adversary.
    limits.time
        The time limit, in seconds or as 2m or 1h; the result lists the measures that are not computed by then. No limit
        by default.
    """
    gates = tuple(map(gate_of, output.fail_over))
    options = replace(options, seed=as_seed(options.seed))
    files = filter(None, [read_by(mechanism)])
    with monitored(Watchdog(as_seconds(limits.time))) as monitor, writing(output, read=files) as write:
        result = run_measure(
            mechanism,
            options,
            needed=[gate.measure.partition(".")[0] for gate in gates],
            curve=output.has_figure,
            monitor=monitor,
        )
        numbers = numbers_in(result.answers) | dict.fromkeys(result.not_computed)
        verdicts = judged(gates, numbers, SETTLED, result.not_computed)
        if output.chart and result.curve is None:
            raise UnsupportedError(result.not_computed["tradeoff_curve"])
        write(result, verdicts)
    inputs = {"mechanism": mechanism, **options.inputs(), "time": limits.time}
    return show("measure", inputs, result, verdicts, output)
