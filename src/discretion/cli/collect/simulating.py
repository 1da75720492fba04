"""``discretion collect simulate``: run a whole collection on this machine."""

import contextlib
from typing import Annotated

from cyclopts import Parameter

from discretion.cli.options import FailOver, Whole, as_seed
from discretion.cli.output import code_of, print_json, say_verdicts
from discretion.cli.watchdog import Watchdog, as_seconds
from discretion.errors import InvalidValueError
from discretion.input_files import without_password
from discretion.jobs.gates import gates_of, judged
from discretion.jobs.options import as_header_option, as_names
from discretion.memory import as_memory
from discretion.presenting.progress import Progress


def simulate(
    table: str,
    /,
    *,
    columns: str | None = None,
    users: Whole | None = None,
    k: Whole = 10,
    budget: str = "0.01",
    shufflers: Whole = 1,
    curatorless: Annotated[bool, Parameter(negative="")] = False,
    admitter: Annotated[bool, Parameter(negative="")] = False,
    rounds: Whole = 1,
    by_value: Annotated[bool, Parameter(negative="")] = False,
    other_people: str | None = None,
    redact: str | None = None,
    rule: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    noise: float | None = None,
    randomize: Annotated[tuple[str, ...], Parameter(negative="")] = (),
    cores: Whole = 2,
    seed: Whole | None = None,
    header: str | None = None,
    fail_over: FailOver = (),
    memory: str | None = None,
    time: str | None = None,
    full: Annotated[bool, Parameter(negative="")] = False,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Run a whole collection on this machine: each row of a table is a person, and each party a process.

    The parties communicate over sockets. The output shows what each party saw and can guess, and compares the result
    with the table.

    Parameters
    ----------
    table
        A table of people, as for discretion audit: each column is a question.
    columns
        The columns to ask for, as a,b,…; all by default.
    users
        The number of participants, drawn at random from the table; all by default.
    k
        A person is exposed if fewer than k people share their answers.
    budget
        The share of the people whom the analyst's data may expose.
    shufflers
        The number of shufflers; each passes its messages to the next.
    curatorless
        Run without a curator: the participants see the single answers, and choose the questions by themselves.
    admitter
        Run with an admitter, which knows who is eligible and signs blinded tokens.
    rounds
        The number of rounds for single answers, pairs, triples, … before the analyst's round.
    by_value
        Ask about combinations of answers rather than of whole features after the first round: less frequent answers
        count as one, and the budget is for all questions about several features together.
    other_people
        The confidence with which to certify if different people give single and joint answers, half of the people each
        by chance, such as 0.95. By default all people answer in every round.
    redact
        The largest probability that a redacted answer is a rare one, as 0.5: the curator lets people redact answers
        that fewer than k people gave, and others with them. By default rare answers are not redacted.
    rule
        A rule that decides who redacts an answer before sending it, such as "race: Other when sex: Female decoys 0.01";
        give the option once for each.
    noise
        The ε of the noise that each shuffler's dummies add, for all answers of a person together and δ = 1e-6; no
        dummies by default.
    randomize
        The randomizer of answers on participants' devices: krr:epsilon=2 for all columns, or COLUMN=krr:epsilon=2, once
        for each.
    cores
        The number of processes that open messages, and of those that play the participants.
    seed
        The seed that draws the participants. Sealing, shuffling and randomizing use the system's randomness.
    header
        The first line of a CSV file: names or a person, as for discretion audit.
    fail_over
        Exit with 1 if a measure is above or below a limit, as "lost>0", and with 3 if only a bound is; once for each:
        counted, lost, differing, exposure, certified_exposure.
    memory
        The memory to use for the table in addition to about 500 MB of libraries, such as 2GB; by default half of what
        is available.
    time
        The time limit, in seconds or as 2m or 1h; no limit by default.
    full
        Show everything that JSON has: what each party can guess, the influence of liars, each table next to the true
        one.
    json
        Print one JSON object.
    """
    from discretion.collection.simulation.document import simulation_document  # noqa: PLC0415 - the extra collect
    from discretion.collection.simulation.simulate import MEASURES, simulate as simulated  # noqa: PLC0415

    gates = gates_of(fail_over, MEASURES)
    room = as_memory(memory)
    limits = Watchdog(as_seconds(time))
    laws, start = dict(map(_law, randomize)), as_seed(seed)
    if len(laws) < len(randomize):
        raise InvalidValueError("--randomize names a column twice; give the option once for each column")
    progress = Progress()
    with contextlib.ExitStack() as stack:
        stack.callback(progress.done)
        stack.enter_context(limits.watched())
        stack.enter_context(limits.working())
        simulation = simulated(
            table, as_names(columns), users=users, k=k, budget=budget, shufflers=shufflers, curatorless=curatorless,
            admitter=admitter, rounds=rounds, by_value=by_value, other_people=other_people, redact=redact, rules=rule,
            noise=noise, randomize=laws, cores=cores, seed=start, tell=progress, header=as_header_option(header),
            memory=room,
        )  # fmt: skip
    missing = dict.fromkeys(MEASURES, "a budget within which a question goes out")
    verdicts = judged(gates, simulation.measures, "a limit outside of this", missing)
    if json:
        inputs = {
            "table": without_password(table), "columns": as_names(columns), "users": users, "k": k, "budget": budget,
            "shufflers": shufflers, "curatorless": curatorless, "admitter": admitter, "rounds": rounds,
            "by_value": by_value, "other_people": other_people, "redact": redact, "rule": list(rule),
            "noise": noise, "randomize": list(randomize), "cores": cores, "seed": start, "header": header,
            "memory": memory, "time": time,
        }  # fmt: skip
        print_json("collect simulate", inputs, simulation.to_dict(), verdicts)
    else:
        from discretion.presenting.tables import Screen  # noqa: PLC0415 - JSON needs no rich
        from discretion.presenting.views.terminal import to_text  # noqa: PLC0415

        Screen().print(to_text(simulation_document(simulation, full=full)))
        say_verdicts(verdicts)
    return code_of(verdict.verdict for verdict in verdicts)


def _law(text: str) -> tuple[str, str]:
    """Return a column, or an empty text for all, and the randomizer of its answers."""
    mechanism, colon, parameters = text.partition(":")
    column, _, name = mechanism.rpartition("=")
    return column, f"{name}{colon}{parameters}"
