"""``discretion check``: hold files to a policy."""

from discretion.cli.options import LimitOptions, OutputOptions, command
from discretion.cli.output import show, working, writing
from discretion.cli.watchdog import Watchdog, as_seconds
from discretion.errors import InvalidValueError
from discretion.input_files import without_password
from discretion.jobs.options.tables import CheckOptions
from discretion.memory import as_memory


@command
def check(*files: str, options: CheckOptions, limits: LimitOptions, output: OutputOptions) -> int:
    """Check that files of people give away no more than a policy allows.

    Parameters
    ----------
    files
        CSV, Parquet or JSON files, each counted unchanged, with all its columns together.
    output.fail_over
        Also exit with 1 if a measure is above or below a limit, as "exposure>0.01"; once for each: those of audit
        except recommended_exposure and t_closeness_hierarchical; recursive_c uses the policy's l, at least 2. A plain
        name is for an adversary that knows all columns except the sensitive ones; with the prefix all_columns., a name
        is for an adversary that knows all columns. A policy with wildcards also has people_with_wildcards,
        wildcard_exposed_people, wildcard_exposure and wildcard_k_anonymity.
    """
    from discretion.jobs.check import check_files, checked_gates, read_policy  # noqa: PLC0415 - the engine takes a second

    if not files:
        raise InvalidValueError("check needs a file, such as discretion check people.csv --policy discretion.toml")
    policy = read_policy(options.policy)
    gates = checked_gates(output.fail_over, policy.sensitive, policy.wildcards)
    memory = as_memory(limits.memory)
    read = [file for file in (options.policy, options.ledger, policy.ledger) if file is not None]
    with working(Watchdog(as_seconds(limits.time), memory)), writing(output, *files, read=read) as write:
        result = check_files(files, policy, gates, person=options.person, ledger=options.ledger, memory=memory)
        write(result)
    inputs = {
        "files": list(map(without_password, files)), **options.inputs(), "memory": limits.memory, "time": limits.time
    }  # fmt: skip
    return show("check", inputs, result, result.gates, output, words=result.words)
