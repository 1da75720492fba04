"""``discretion synthetic``: a synthetic table beside the one it was made from."""

import contextlib
from typing import Annotated

from cyclopts import Parameter

from discretion.cli.limits import Limits, as_seconds
from discretion.cli.options import FailOver, Whole, as_header_option, as_names, as_seed
from discretion.cli.output import code_of, print_document, print_json, say_verdicts
from discretion.errors import InvalidValueError
from discretion.jobs.gates import gates_of, judged
from discretion.memory import as_memory
from discretion.presenting.progress import Progress


def synthetic(
    original: str,
    synthetic: str,
    /,
    *,
    control: str | None = None,
    columns: str | None = None,
    sensitive: str | None = None,
    keep: str | None = None,
    linked: str | None = None,
    neighbours: Whole = 1,
    attacks: Whole | None = None,
    seed: Whole | None = None,
    header: str | None = None,
    fail_over: FailOver = (),
    memory: str | None = None,
    time: str | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Attack people by a synthetic table: and say whether it tells more of those it was made from than of others.

    Parameters
    ----------
    original
        The table that the synthetic one was made from, a person a row, as for discretion audit.
    synthetic
        The synthetic table, with the same columns.
    control
        People like the original's, chosen at random, whom the synthetic table was not made from. Needed: what holds of
        everybody is otherwise not told from what is known of the original's people.
    columns
        The columns to look at, as a,b,…; all by default.
    sensitive
        The columns to guess, as a,b,…, each from all that are not sensitive.
    keep
        Columns to compare though they look as if they name people, as a,b,…. By default identifiers and free texts are
        not compared, only looked for; the answer lists them.
    linked
        What either of two parties knows of a person, as "a,b|c,d"; by default the columns are dealt out in turn.
    neighbours
        How many nearest synthetic records either party looks at.
    attacks
        How many people of each table, and conditions, are tried at most; all by default, or what takes no minutes.
    seed
        The same seed gives the same result; drawn afresh by default.
    header
        What the first line of a CSV file is, as for discretion audit.
    fail_over
        Exit with 1 if a risk is above or below a limit, as "risk>0.1", the highest, "linkability>0.05",
        "singling_out_multivariate>0.05", "inference:income>0.05", "copied>0.01"; once for each. Exit with 3 if that is
        not decided.
    memory
        How much memory to take beside some 500 MB of libraries, such as 2GB; half of what is available by default.
    time
        When to stop, in seconds or as 2m or 1h; no limit by default.
    json
        Print one JSON object.
    """
    from discretion.jobs.synthetic import synthetic_risk  # noqa: PLC0415 - the engine takes a second
    from discretion.jobs.synthetic.result import synthetic_measures  # noqa: PLC0415

    if control is None:
        raise InvalidValueError(
            "synthetic needs --control HELD_OUT, people like the original's whom the synthetic table was not made "
            "from: without them, what holds of everybody cannot be told from what is known of the original's people; "
            "hold out some, at random, before it is made"
        )
    secrets = as_names(sensitive) or []
    gates = gates_of(fail_over, synthetic_measures(secrets))
    progress, room = Progress(), as_memory(memory)
    limits = Limits(as_seconds(time), room)
    with contextlib.ExitStack() as stack:
        stack.callback(progress.done)
        stack.enter_context(limits.watched())
        stack.enter_context(limits.working())
        found = synthetic_risk(
            original,
            synthetic,
            control,
            as_names(columns),
            sensitive=secrets,
            keep=as_names(keep) or (),
            linked=_as_parties(linked),
            neighbours=neighbours,
            attacks=attacks,
            seed=as_seed(seed),
            header=as_header_option(header),
            memory=room,
            progress=progress,
        )
    numbers = dict.fromkeys(synthetic_measures(secrets)) | found.measures
    verdicts = judged(gates, numbers, "more people, more held out, or a limit outside of this", found.not_attacked)
    if json:
        inputs = {
            "original": found.original, "synthetic": found.synthetic, "control": found.control, "columns": columns,
            "sensitive": sensitive, "keep": keep, "linked": linked, "neighbours": neighbours, "attacks": attacks,
            "seed": found.seed, "header": header, "memory": memory, "time": time,
        }  # fmt: skip
        print_json("synthetic", inputs, found.to_dict(), verdicts)
    else:
        print_document(found.document())
        say_verdicts(verdicts)
    return code_of(verdict.verdict for verdict in verdicts)


def _as_parties(text: str | None) -> tuple[list[str], list[str]] | None:
    """Return the two sets of columns of ``a,b|c,d``."""
    if text is None:
        return None
    first, mark, second = text.partition("|")
    if not mark or "|" in second:
        raise InvalidValueError(f'--linked must be two sets of columns, as in "a,b|c,d", got {text!r}')
    return as_names(first) or [], as_names(second) or []
