"""``discretion check``: a file held to a policy."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from discretion.cli.limits import Limits, as_seconds
from discretion.cli.options import FailOver
from discretion.cli.output import code_of, print_document, print_json
from discretion.errors import InvalidValueError
from discretion.input_files import without_password
from discretion.jobs.gates import Gate
from discretion.memory import as_memory

if TYPE_CHECKING:
    from discretion.jobs.check import Policy, PolicyCheck, PolicyChecks


def check(
    *files: str,
    policy: str,
    person: str | None = None,
    fail_over: FailOver = (),
    memory: str | None = None,
    time: str | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Check that files of people give away no more than a policy allows.

    Parameters
    ----------
    files
        CSV, Parquet or JSON files, each counted as it stands, with all its columns together.
    policy
        A TOML file of rules, such as columns = ["age", "sex", "diagnosis"], k = 10, budget = 0.01,
        sensitive = ["diagnosis"], guess_budget = 0.05; docs/policies.md says all of them. A file that breaks one is
        exit code 1.
    person
        The column that names a person with several rows, or none if every row is a person of its own; by default what
        the policy has. A file with a column that repeats as the name of a person does is refused without either.
    fail_over
        Exit with 1 too if a measure is above or below a limit, as "exposure>0.01"; once for each: those of audit but
        recommended_exposure. The plain names are of an adversary who knows all columns but the sensitive ones; a name
        that begins with all_columns. is of one who knows these too.
    memory
        How much memory to take beside some 500 MB of libraries, such as 2GB; half of what is available by default.
    time
        When to stop, in seconds or as 2m or 1h; no limit by default.
    json
        Print one JSON object.
    """
    from discretion.jobs.check import checked_gates, read_policy  # noqa: PLC0415 - the engine takes a second

    if not files:
        raise InvalidValueError("check needs a file, as in discretion check people.csv --policy discretion.toml")
    rules = read_policy(policy)
    gates = checked_gates(fail_over, rules.sensitive)
    room = as_memory(memory)
    limits = Limits(as_seconds(time), room)
    with limits.watched(), limits.working():
        checks = _checked(dict.fromkeys(files), rules, gates, person, room)
    if json:
        inputs = {
            "files": list(map(without_password, files)),
            "policy": policy,
            "person": person,
            "memory": memory,
            "time": time,
        }
        print_json("check", inputs, checks.to_dict(), checks.gates)
    else:
        print_document(checks.document())
    return code_of(checks.words)


def _checked(
    files: Iterable[str], policy: "Policy", gates: tuple[Gate, ...], person: str | None, memory: int | None
) -> "PolicyChecks":
    from discretion.jobs.check import PolicyChecks, check as checked  # noqa: PLC0415

    checks: list[PolicyCheck] = []
    for file in files:
        try:
            checks.append(checked(file, policy, gates, person=person, memory=memory))
        except InvalidValueError as error:
            if without_password(file) in str(error):
                raise
            raise InvalidValueError(f"{without_password(file)!r}: {error}") from None
    return PolicyChecks(tuple(checks))
