"""What commands print as JSON, and the files that others read, are as the published schemas have them."""

import json
import runpy
import shlex
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import discretion as dc
from discretion.cli.commands import COMMANDS
from discretion.jobs.shipping import parameters_of
from discretion.presenting.json_answers import as_json
from mechanisms.table import MECHANISMS
from support.cli_runner import run
from support.json_schemas import FOLDER, SCHEMAS, faults, faults_of_answer, validator
from test_shown_commands import people, samples

ROOT = Path(__file__).parent.parent
FILES = {"release-record", "parameters", "marginals"}
# Those of a collection that print more than what its services do.
OF_COLLECTIONS = {"collect-plan", "collect-result", "collect-simulate"}

COUNTS = {"sex": {"f": 6, "m": 4}, "blood": {"0": 9, "AB": 1}}
POLICY = """\
columns = ["age", "sex", "town"]
k = 5
budget = 0.01
sensitive = ["diagnosis"]
guess_budget = 0.05
missing = "fail"
"""
LEDGER = '[[table]]\nfile = "people.csv"\nperson = "id"\ncolumns = ["age", "sex"]\n'
SMALL = ["--columns", "sex,town,diagnosis", "--person", "none"]

#: What is asked, and how it ends.
QUICK = {
    "exact": ["measure krr:k=3,epsilon=1", 0],
    "infinite": ["measure krr:k=2,p=1", 0],
    "no secret to name": ["measure channel:0.5,0.5;0.5,0.5 --only leakage,leakiest_pair", 0],
    "levels": ["measure krr:k=3,epsilon=1 --epsilon 1 --delta 1e-6 --false-positive-rate 0.01", 0],
    "gain": ["measure krr:k=3,epsilon=1 --gain tries:2 --prior 0.5,0.3,0.2", 0],
    "gates": ["measure krr:k=3,epsilon=1 --fail-over leakage>2 --fail-over ldp_epsilon>0.5", 1],
    "not computed": ["measure laplace:scale=1 --population jeffreys", 0],
    "shuffled": ["measure krr:k=3,epsilon=1 --users 100 --shuffled --delta 1e-6", 0],
    "one mechanism": ["compare krr:k=3,epsilon=1", 0],
    "two in order": ["compare krr:k=3,epsilon=1 krr:k=3,epsilon=2 --fail-over ldp_epsilon>1.5", 1],
    "neither safer": ["compare krr:k=2,epsilon=1 channel:0.9,0.1;0.4,0.6", 0],
    "not comparable": ["compare krr:k=3,epsilon=1 krr:k=4,epsilon=1", 0],
    "reports": ["tally reports.jsonl --mechanism krr:k=3,epsilon=1 --labels a,b,c --fail-over share:a>0.5", 3],
    "counts": ["exposure counts.json --marginals --k 2 --fail-over theorem_bound>0.2", 3],
}
LONG = {
    "papers": ["reproduce", 0],
    "against a population": ["measure krr:k=3,epsilon=1 --users 100 --population jeffreys", 0],
    "bounds on a grid": ["measure dpsgd:sigma=1,rate=0.01,steps=100 --delta 1e-6", 0],
    "a target": [
        "compare krr:k=3,epsilon=1 oue:k=3,epsilon=1 --users 999 --delta 1e-6 --target posterior_vulnerability<=0.4", 0,
    ],
    "curves": ["compare krr:k=2,epsilon=1 krr:k=2,epsilon=2 --users 50 --chart curves.svg --epsilons 1,2", 0],
    "curves of no best": ["compare krr:k=3,epsilon=1 krr:k=12,epsilon=1 --chart curves.svg --epsilons 1", 0],
    "honest answers": ["design --answers 4 --users 1000 --guess +0.1 --adversary uninformed --protocols krr,ss", 0],
    "shipped": ["design --answers 3 --users 500 --local-epsilon 1 --unshuffled --ship shipped --fail-over bits>7", 1],
    "shares": ["design --answers 4 --users 500 --guess 0.5 --unshuffled --shares 0.4,0.3,0.2,0.1", 0],
    "bounds": [
        "exposure people.csv --columns age,sex,town --bounds --special-uniques 2 --fail-over exposure_bound>0.5", 3,
    ],
    "households": ["exposure people.csv --columns age,sex,household --household household --wildcards *", 0],
    "a claim": ["estimate samples.csv --epsilon 1 --delta 0.001 --half-width 0.01", 0],
    "a gate of samples": ["estimate samples.csv --fail-over estimate_bayes_risk<0.25 --all-secrets", 3],
    "a policy": ["check people.csv towns.csv --policy discretion.toml --person none --fail-over exposure>0.1", 1],
    "a policy and a ledger": ["check people.csv --policy discretion.toml --person id --ledger ledger.toml", 1],
    "persons": ["diff people.csv held-out.csv --sensitive diagnosis --person id --fail-over join.exposure>0.1", 1],
    "rows": ["diff people.csv sparse.csv --sensitive diagnosis --columns age,sex,town,diagnosis --person none", 0],
    "the same": ["diff people.csv people.csv --person id", 0],
    "synthetic": ["synthetic people.csv synthetic.csv --control held-out.csv --sensitive diagnosis --keep id", 0],
    "a release": ["release people.csv --out a.csv --person id --ledger empty.toml --drop hhwt", 0],
    "a release with blanks": [
        f"release people.csv {' '.join(SMALL)} --out b.csv --sensitive diagnosis --keep diagnosis --redact town --l 2 "
        "--guess-budget 1 --fail-over kept<0.99", 1,
    ],
    "an audit": ["audit people.csv --sensitive diagnosis --person id --fail-over exposure>0.01", 1],
    "an audit of few columns": [
        f"audit people.csv {' '.join(SMALL)} --population 6000 --redact town --rule 'sex: f decoys 0.1'", 0,
    ],
    "an audit without a release": ["audit people.csv --columns age,sex --person none --budget 0 --max-suppressed 0", 0],
    "an audit of whom": ["audit repeated.csv --fail-over exposure>0.01", 3],
    "a figure": ["reproduce shuffle figure-2 --out reproduced", 0],
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    made = tmp_path_factory.mktemp("answers")
    rows = people(600, 1).splitlines()
    files = {
        "people.csv": people(600, 1), "synthetic.csv": people(600, 2), "held-out.csv": people(600, 3),
        "samples.csv": samples(["alice", "bob"]), "reports.jsonl": "0\n1\n2\nx\n1\n", "ledger.toml": LEDGER,
        "empty.toml": "", "collect.toml": (ROOT / "docs" / "collect.toml").read_text(encoding="utf-8"),
        "counts.json": json.dumps(COUNTS), "discretion.toml": POLICY,
        "sparse.csv": "\n".join(["age,sex,town,diagnosis", *(",".join(row.split(",")[1:5]) for row in rows[1:300])]),
        "towns.csv": "\n".join(["age,town", *(f"{row.split(',')[1]},{row.split(',')[3]}" for row in rows[1:])]),
        "repeated.csv": "\n".join(["id,age", *(f"{row.split(',')[0]},{age}" for row in rows[1:] for age in (1, 2))]),
    }  # fmt: skip
    for name, content in files.items():
        (made / name).write_text(content)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made)
        yield made


@cache
def answered(words: str) -> tuple[int, str, str]:
    return run(*shlex.split(words), "--json")


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=name) for name, case in QUICK.items()]
    + [pytest.param(case, id=name, marks=pytest.mark.long) for name, case in LONG.items()],
)
def test_an_answer_is_as_its_schema_has_it(case: list[Any], folder: Path) -> None:
    words, expected = case
    code, out, err = answered(words)
    assert code == expected, err
    assert faults_of_answer(out) == []


def test_a_schema_is_published_of_every_command_and_each_is_asked_here() -> None:
    commands = {*COMMANDS} - {"collect", "serve"}
    assert {name.removesuffix("-1.json") for name in SCHEMAS} == commands | FILES | OF_COLLECTIONS
    assert {case[0].split()[0] for case in (QUICK | LONG).values()} == commands


def test_the_published_schemas_are_those_of_the_types() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "schemas.py"))
    texts = {name: made["text_of"](schema) for name, schema in made["schemas"]().items()}
    published = {name: (FOLDER / name).read_text(encoding="utf-8") for name in texts}
    assert published == texts, "write them again: python docs/schemas.py"
    assert find_spec("cryptography") is None or {*texts} == {*SCHEMAS}


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_one_by_the_draft_and_its_name(name: str) -> None:
    schema = SCHEMAS[name]
    validator(schema).check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    kind, _, version = name.removesuffix(".json").rpartition("-")
    assert schema["$id"] == f"urn:discretion:schema:{version}:{kind}"


def parts(schema: Any) -> Iterator[Mapping[str, Any]]:
    """A schema and all schemas in it."""
    if isinstance(schema, dict):
        yield schema
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from parts(part)


@pytest.mark.parametrize("name", SCHEMAS)
def test_no_object_may_have_keys_that_no_schema_is_about(name: str) -> None:
    objects = [part for part in parts(SCHEMAS[name]) if part.get("type") == "object"]
    assert objects
    assert all("additionalProperties" in part for part in objects)
    unused = {*SCHEMAS[name]["$defs"]} - {
        part["$ref"].removeprefix("#/$defs/") for part in parts(SCHEMAS[name]) if isinstance(part.get("$ref"), str)
    }
    assert unused == set()


def renamed(value: Any, path: str = "$") -> Iterator[tuple[str, Any]]:
    """The same once for each key of each object in it, with this key renamed."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield f"{path}.{key}", {(f"{name}_" if name == key else name): each for name, each in value.items()}
            yield from ((place, {**value, key: other}) for place, other in renamed(part, f"{path}.{key}"))
    elif isinstance(value, list):
        for place, part in enumerate(value[:3]):
            for at, other in renamed(part, f"{path}[{place}]"):
                yield at, [*value[:place], other, *value[place + 1 :]]


# Keys that are names of the user's own, such as those of columns and mechanisms, which may have any.
NAMED = {
    "two in order": {"$.results.krr:k=3,epsilon=1", "$.results.krr:k=3,epsilon=2"},
    "counts": {
        f"$.{place}.thresholds.{name}" for place in ("results.theorem_bound", "gates[0].value") for name in COUNTS
    },
}


@pytest.mark.parametrize("case", ["gates", "levels", "infinite", "two in order", "reports", "counts"])
def test_a_renamed_key_is_a_fault(case: str, folder: Path) -> None:
    words, _ = QUICK[case]
    name, answer = f"{words.split()[0]}-1.json", json.loads(answered(words)[1])
    allowed = {place for place, other in renamed(answer) if not faults(name, other)}
    assert allowed == NAMED.get(case, set())


@pytest.mark.long
def test_answers_have_numbers_of_every_kind_and_gates_that_end_in_every_way(folder: Path) -> None:
    answers = [json.loads(answered(words)[1]) for words, _ in (QUICK | LONG).values()]
    texts = {text for answer in answers for part in parts(answer) for text in part.values() if isinstance(text, str)}
    assert texts >= {"bound", "estimate", "assumption", "best guess", "upper bound", "lower bound", "inf"}
    assert texts >= {"passed", "failed", "not decided"}


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({}, False),
        ({"kind": "bound"}, True),
        ({"kind": "assumption"}, True),
        ({"confidence": None}, True),
        ({"confidence": None, "kind": "bound"}, False),
        ({"confidence": None, "kind": "assumption", "assuming": "independent columns"}, False),
        ({"assuming": "independent columns"}, True),
        ({"high": "inf"}, False),
        ({"high": "Infinity"}, True),
        ({"high": None}, True),
        ({"value_is": "middle"}, True),
    ],
)
def test_the_kind_of_an_estimate_is_that_of_its_fields(change: dict[str, Any], fault: bool) -> None:
    estimate = dc.Estimate(0.5, 0.25, 0.75, 0.95, "tries").to_dict() | change
    schema = {"$ref": "#/$defs/Estimate", "$defs": SCHEMAS["estimate-1.json"]["$defs"]}
    assert validator(schema).is_valid(estimate) is not fault


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_parameters_are_as_their_schema_has_them(mechanism: Any) -> None:
    parameters = json.loads(as_json(parameters_of(mechanism)))
    assert faults("parameters-1.json", parameters) == []
    assert [
        place
        for place, other in renamed(parameters)
        if ".coins." not in place and not faults("parameters-1.json", other)
    ] == []


def test_counts_of_columns_are_as_their_schema_has_them() -> None:
    written = json.loads(dc.Marginals(COUNTS).to_json())
    assert faults("marginals-1.json", COUNTS) == faults("marginals-1.json", written) == []
    assert faults("marginals-1.json", {**written, "people": "10"}) != []
    assert faults("marginals-1.json", {"sex": [6, 4]}) != []


@pytest.mark.long
def test_the_record_of_a_release_is_as_its_schema_has_it(folder: Path) -> None:
    for name in ("a release", "a release with blanks"):
        words, _ = LONG[name]
        results = json.loads(answered(words)[1])["results"]
        record = json.loads((folder / f"{results['out']}.discretion.json").read_text(encoding="utf-8"))
        assert faults("release-record-1.json", record) == []
        assert record == {"schema_version": 1, **results}


@pytest.mark.parametrize("words", ["measure krr:k=3", "exposure missing.csv", "tally reports.jsonl"])
def test_bad_input_has_no_answer_but_a_sentence(words: str, folder: Path) -> None:
    code, out, err = answered(words)
    assert (code, out) == (2, "")
    assert err.startswith("discretion: ")


@pytest.mark.long
@pytest.mark.parametrize(
    "words",
    [
        "plan collect.toml --users 5000",
        "simulate people.csv --columns sex,town --users 60 --randomize sex=krr:epsilon=1 --fail-over exposure>0.1",
        "simulate people.csv --columns sex --users 60 --noise 2",
        "simulate people.csv --columns sex,town --users 60 --curatorless",
    ],
)
def test_an_answer_of_a_collection_is_as_its_schema_has_it(words: str, folder: Path) -> None:
    pytest.importorskip("discretion.collection", reason="the extra collect")
    code, out, err = run("collect", *words.split(), "--json")
    assert code in (0, 3), err
    assert faults_of_answer(out) == []
