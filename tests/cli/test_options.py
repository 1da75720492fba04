"""The options of a job are one value, which a command, a public function and a printed command all spell alike."""

import inspect
import re
import shlex
from dataclasses import MISSING, fields, replace
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, strategies as st

import discretion as dc
from discretion.cli.run import command_line
from discretion.escaping import printable
from discretion.jobs.audit.summary import next_step
from discretion.jobs.check import check
from discretion.jobs.check.policy import KEYS
from discretion.jobs.options import Header, Lines, LinkedColumns, Names, Options, option_name
from discretion.jobs.options.mechanisms import (
    CompareOptions,
    DesignOptions,
    EstimateOptions,
    MeasureOptions,
    TallyOptions,
)
from discretion.jobs.options.tables import (
    AuditOptions,
    CheckOptions,
    DiffOptions,
    ExposureOptions,
    ReleaseOptions,
    SyntheticOptions,
)
from jobs.audit import samples
from support.cli_options import option_names

# A command, its arguments that are no options, its options, and the public function that does the same job.
JOBS: dict[str, tuple[list[str], type[Options], Any]] = {
    "audit": (["t"], AuditOptions, dc.audit),
    "release": (["t", "--out=o.csv"], ReleaseOptions, dc.release),
    "diff": (["t", "u"], DiffOptions, dc.diff),
    "check": (["t"], CheckOptions, check),
    "synthetic": (["t", "u"], SyntheticOptions, dc.synthetic_risk),
    "exposure": (["t"], ExposureOptions, None),
    "measure": (["m"], MeasureOptions, None),
    "compare": (["m", "n"], CompareOptions, None),
    "estimate": (["s"], EstimateOptions, None),
    "design": ([], DesignOptions, dc.design),
    "tally": (["r", "--mechanism=m"], TallyOptions, dc.tally),
}
# In Python a table on Spark is an Ibis table.
ONLY_OF_THE_COMMAND = {"audit": {"engine"}}

text = (
    st.text(max_size=8) | st.text(",\"'|- \n\r=\\yesno", max_size=6) | st.sampled_from(["yes", "no", "-", "--k", '"'])
)
names = st.lists(text, min_size=1, max_size=3).map(tuple)
STRATEGIES: dict[Any, st.SearchStrategy[Any]] = {
    bool: st.booleans(),
    int: st.integers(),
    float: st.floats(allow_nan=False),
    str: text,
    Names: names | st.just(()),
    Names | None: st.none() | names,
    Lines: st.lists(text, max_size=3).map(tuple),
    Header: st.none() | st.booleans() | names,
    LinkedColumns | None: st.none() | st.tuples(names, names),
    **{
        kind | None: st.none() | strategy
        for kind, strategy in {int: st.integers(), float: st.floats(allow_nan=False), str: text}.items()
    },
}


def values_of(hint: Any) -> st.SearchStrategy[Any]:
    if hint in STRATEGIES:
        return STRATEGIES[hint]
    if get_origin(hint) is Literal:
        return st.sampled_from(get_args(hint))
    (choices,) = (each for each in get_args(hint) if get_origin(each) is Literal)
    return st.none() | values_of(choices)


def options_of(kind: type[Options]) -> st.SearchStrategy[Options]:
    hints = get_type_hints(kind)
    return st.builds(kind, **{field.name: values_of(hints[field.name]) for field in fields(kind)})


def parsed(command: str, arguments: list[str]) -> Options:
    _, bound, _ = command_line().parse_args([command, *arguments], exit_on_error=False, print_error=False)
    bound.apply_defaults()
    return bound.arguments["options"]


@pytest.mark.parametrize("command", JOBS)
def test_each_option_of_a_job_is_one_of_its_command_and_of_its_public_function(command: str) -> None:
    _, kind, function = JOBS[command]
    assert {*map(option_name, fields(kind))} <= option_names(command)
    if function is not None:
        parameters = inspect.signature(function).parameters
        for field in fields(kind):
            if field.name not in ONLY_OF_THE_COMMAND.get(command, ()):
                default, required = parameters[field.name].default, field.default is MISSING
                assert default == (inspect.Parameter.empty if required else field.default) or (
                    (default, field.default) == (None, ())
                ), field.name


@pytest.mark.one_in(11)
@pytest.mark.parametrize("command", JOBS)
@given(data=st.data())
def test_the_arguments_that_options_print_are_read_as_the_same_options(command: str, data: st.DataObject) -> None:
    given_arguments, kind, _ = JOBS[command]
    options = data.draw(options_of(kind))
    again = parsed(command, [*given_arguments, *options.arguments()])
    assert again == options
    assert type(again) is kind


@pytest.mark.parametrize("command", JOBS)
@given(data=st.data())
def test_the_texts_that_options_are_spelled_by_are_read_as_the_same_options(command: str, data: st.DataObject) -> None:
    _, kind, _ = JOBS[command]
    options = data.draw(options_of(kind))
    again = kind.of_texts(options.texts())
    assert again == options
    assert type(again) is kind


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        ({"users": ["many"]}, "users must be a whole number, got 'many'"),
        ({"epsilon": ["1,5"]}, "epsilon must be a number, got '1,5'"),
        ({"shuffled": ["maybe"]}, "it is one of yes, no"),
        ({"user": ["5"]}, "did you mean 'users'?"),
        ({"users": ["5", "6"]}, "users is given 2 times; give it once"),
        ({"only": ['a,"b']}, "in double quotes if they have a comma"),
    ],
)
def test_texts_that_spell_no_options_end_in_a_sentence(texts: dict[str, list[str]], sentence: str) -> None:
    with pytest.raises(dc.errors.InvalidValueError, match=re.escape(sentence)):
        MeasureOptions.of_texts(texts)


@pytest.mark.parametrize("command", [name for name in JOBS if name != "check"])
def test_options_are_the_same_where_pydantic_is_loaded(command: str) -> None:
    pytest.importorskip("pydantic")
    given_arguments, kind, _ = JOBS[command]
    assert type(parsed(command, given_arguments)) is kind


@pytest.mark.parametrize("command", [name for name in JOBS if name != "check"])
def test_options_that_nobody_set_print_no_argument(command: str) -> None:
    given_arguments, kind, _ = JOBS[command]
    assert kind().arguments() == []
    assert parsed(command, given_arguments) == kind()


def test_a_policy_has_the_names_of_an_audit_a_release_and_an_exposure() -> None:
    own, kinds = (
        {"together", "missing", "fail_over", "ledger", "counts"},
        (AuditOptions, ReleaseOptions, ExposureOptions),
    )
    assert {*KEYS} - own <= {field.name for kind in kinds for field in fields(kind)}


def test_inputs_are_the_options_by_name_as_json_has_them() -> None:
    options = SyntheticOptions(columns=iter(["a", "b"]), sensitive="a", linked=(["a"], ["b", "c"]), header=False)
    inputs = options.inputs()
    assert [*inputs] == [field.name for field in fields(SyntheticOptions)]
    assert (inputs["columns"], inputs["sensitive"], inputs["linked"]) == (["a", "b"], ["a"], [["a"], ["b", "c"]])
    assert (inputs["header"], inputs["seed"]) == (False, None)


@given(plan=options_of(ReleaseOptions), table=text.filter(lambda name: name != "-"))
def test_the_command_that_an_audit_recommends_has_its_plan(plan: ReleaseOptions, table: str) -> None:
    audit = replace(samples.usual(), table=table)
    offer = replace(audit.decision.offers[0], plan=plan)
    step = next_step(replace(audit, decision=replace(audit.decision, offers=(offer,))))
    if step is None:  # a terminal would show another name
        assert any(printable(name) != name for name in [table, *plan.arguments()])
        return
    program, command, *arguments = shlex.split(str(step[1]))
    assert (program, command) == ("discretion", "release")
    _, bound, _ = command_line().parse_args([command, *arguments], exit_on_error=False, print_error=False)
    assert bound.arguments["table"] == (f"./{table}" if table.startswith("-") else table)
    assert bound.arguments["options"] == plan


@pytest.mark.long
@given(key=text, options=options_of(AuditOptions))
def test_the_same_audit_by_its_key_has_all_other_options(key: str, options: AuditOptions) -> None:
    audit = replace(samples.usual(), options=options)
    audit = replace(audit, decision=replace(audit.decision, key=key))
    step = next_step(audit)
    columns = None if options.columns is None else tuple(name for name in options.columns if name != key)
    same = replace(options, person=key, columns=columns, drop=[name for name in options.drop if name != key])
    if step is None:
        unfit = key in (*audit.sensitive, *audit.decision.kept) or columns == ()
        assert unfit or any(printable(argument) != argument for argument in same.arguments())
        return
    assert parsed("audit", shlex.split(str(step[1]))[2:]) == same


def test_names_of_a_repeated_option_are_all_taken() -> None:
    options = parsed("measure", ["krr:k=2,epsilon=1", "--only", "leakage", "--only=bayes_risk,ldp_epsilon"])
    assert options.only == ("leakage", "bayes_risk", "ldp_epsilon")
