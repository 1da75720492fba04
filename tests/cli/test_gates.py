"""`--fail-over` on every command: gates that pass, fail, or are not decided, and one of no measure."""

import importlib.util
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from html import unescape
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import discretion as dc
from discretion.cli.commands import COMMANDS
from discretion.jobs.audit.measures import audit_measures, measures_of, why_missing
from discretion.jobs.compare import Comparison, compare, compared_measures
from discretion.jobs.gates import gate_of, judged, numbers_in
from discretion.jobs.scenario import Scenario
from discretion.jobs.target import target_of
from support.cli_options import option_names
from support.cli_runner import run


@dataclass
class Gated:
    """A command, gates of it that end as they are called, and a measure it does not have beside the nearest."""

    command: list[str]
    passes: tuple[str, ...]
    fails: tuple[str, ...]
    unknown: tuple[str, str]
    undecided: tuple[str, ...] = ()


TABLE = ["example:adult", "--columns", "sex,race,workclass"]
GATED = {
    "audit": Gated(
        ["audit", *TABLE, "--sensitive", "workclass"],
        ("exposure>0.9", "k_anonymity<1", "guess_rise:workclass>0.5", "singling_out>1", "t_closeness:workclass>1"),
        ("exposure>0", "prosecutor_highest>0.01", "guess:workclass>0.1", "l_diversity:workclass<99"),
        ("exposur>0", "exposure"),
    ),
    "audit of a sample": Gated(
        ["audit", *TABLE, "--population", "1000000"], ("marketer>0.9",), ("marketer>0",), ("market>0", "marketer"),
        ("journalist_highest>0.5",),
    ),
    "audit of nothing to publish": Gated(
        ["audit", "example:adult", "--columns", "fnlwgt", "--budget", "0", "--k", "30000"],
        ("exposure>1",), ("exposure>0",), ("x>0", "x"), ("recommended_exposure>0.5",),
    ),
    "measure": Gated(
        ["measure", "krr:k=5,epsilon=1", "--users", "100"],
        ("ldp_epsilon>1", "bayes_security<0.5", "frequency_error.share>0.9"),
        ("ldp_epsilon>0.99", "bayes_security<0.9", "frequency_error.people>1"),
        ("bayes_securty<0.9", "bayes_security"),
    ),
    "measure what is sampled": Gated(
        ["measure", "olh:k=50,epsilon=1", "--users", "60", "--shuffled", "--only", "posterior_vulnerability"],
        ("posterior_vulnerability>0.9",), ("posterior_vulnerability>0.02",), ("leakage>2", "posterior_vulnerability"),
    ),
    "compare": Gated(
        ["compare", "krr:k=2,epsilon=1", "oue:k=11,epsilon=2", "--users", "100"],
        ("ldp_epsilon>2", "shuffled.posterior_vulnerability>0.9"),
        ("ldp_epsilon>1.5", "frequency_error.share>0.001"),
        ("shuffled.bayes_securty<1", "shuffled.bayes_security"),
        ("effective_participation<0.001",),
    ),
    "exposure": Gated(
        ["exposure", *TABLE, "--k", "300", "--bounds"],
        ("exposure>0.9", "classes<2", "exposure_bound>0.9"),
        ("exposure>0.001", "unique_rows>0"),
        ("exposure_bond>1", "exposure_bound"),
        ("exposure_bound>0.2",),
    ),
    "estimate": Gated(
        ["estimate", "samples.csv", "--seed", "1"],
        ("estimate_bayes_risk>0.9", "samples<400"),
        ("estimate_bayes_risk>0.01", "samples<401"),
        ("estimate_bayes_rik>1", "estimate_bayes_risk"),
        ("estimate_bayes_risk>0.25",),
    ),
    "estimate of a claim": Gated(
        ["estimate", "samples.csv", "--seed", "1", "--epsilon", "0.1", "--delta", "0"], ("samples<400",),
        ("estimate_epsilon>0.1", "estimate_privacy_profile>0"), ("estimate_epsilo>1", "estimate_epsilon"),
        ("estimate_epsilon>3", "estimate_privacy_profile>0.9"),
    ),
    "design": Gated(
        ["design", "--answers", "3", "--users", "12", "--guess", "40%", "--protocols", "krr", "--adversary",
         "all-but-one:11,0,0"],
        ("posterior_vulnerability>0.4", "bits>8", "users<12"),
        ("frequency_error.people>0.001", "alone.posterior_vulnerability>0.01"),
        ("posterior_vulnerabilty>0.4", "posterior_vulnerability"),
        ("uniform_posterior_vulnerability>0.4",),
    ),
    "tally": Gated(
        ["tally", "reports.jsonl", "--mechanism", "krr:k=2,p=0.9", "--labels", "yes,no"],
        ("bad_reports>0", "share:yes>0.9", "share:no<0.2"),
        ("reports<1000", "share:no>0.2", "share:yes>0.1"),
        ("share:ja>0", "measure here called"),
        ("share:yes>0.5",),
    ),
    "check": Gated(
        ["check", "samples.csv", "--policy", "discretion.toml"],
        ("exposure>0.9", "k_anonymity<50", "guess:secret>0.75", "l_diversity:secret<2"),
        ("guess_rise:secret>0.2", "t_closeness:secret>0.2"),
        ("recommended_exposure>0", "'recommended_exposure'"),
    ),
    "synthetic": Gated(
        ["synthetic", "people.csv", "synthetic.csv", "--control", "held_out.csv", "--sensitive", "c", "--seed", "1"],
        ("copied>0.9", "linkability>0.9", "inference:c>0.9", "risk>0.9"),
        ("risk>0.1", "linkability>0.2"),
        ("risc>0", "'risk'"),
        ("inference:c>0.5",),
    ),
    "release": Gated(
        ["release", "samples.csv", "--out", "made.csv"],
        ("exposure>0.5", "suppressed>0", "smallest_class<50"),
        ("people>100",),
        ("supressed>0", "'suppressed'"),
    ),
    "diff": Gated(
        ["diff", "old.csv", "new.csv", "--sensitive", "b"],
        ("added_found>0", "new.exposure>0.5", "rows_only_in_old>0", "join.exposure>1", "new.guess:b>0.5"),
        ("rise.smallest_class>0", "rows_in_both>399", "old.unique_people<1"),
        ("aded_found>0", "'added_found'"),
        ("join.exposure>0.1", "persons.added>0", "old.guess:b>0.5"),
    ),
    "collect simulate": Gated(
        ["collect", "simulate", "samples.csv", "--users", "60", "--seed", "1", "--budget", "1", "--memory", "1GB"],
        ("lost>0", "differing>0", "counted<60", "exposure>0.5"),
        ("counted>59",),
        ("losst>0", "'lost'"),
        ("certified_exposure<0.5",),
    ),
    "reproduce": Gated(
        ["reproduce", "shuffle", "numbers", "--out", "made"],
        ("disagree>1000", "published<1"),
        ("published>0",),
        ("disagre>0", "disagree"),
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{secret},{secret if number % 4 else 1 - secret}" for number in range(200) for secret in (0, 1)]
    Path("samples.csv").write_text("secret,seen\n" + "\n".join(rows) + "\n")
    Path("reports.jsonl").write_text("0\n1\n" * 100)
    numbers = range(400)
    Path("old.csv").write_text("".join(["s,a\n", *(f"{i % 2},{i // 2 % 5}\n" for i in numbers)]))
    Path("new.csv").write_text("".join(["s,b,c\n", *(f"{i % 2},{i % 3},{i % 7}\n" for i in numbers)]))
    drawn = np.random.default_rng(0).integers([50, 50, 4], size=(600, 3)).astype(str).tolist()
    half_copied = drawn[:100] + drawn[400:]
    for name, people in (("people", drawn[:200]), ("held_out", drawn[200:400]), ("synthetic", half_copied)):
        Path(f"{name}.csv").write_text("\n".join(["a,b,c", *map(",".join, people)]) + "\n")
    Path("discretion.toml").write_text('k = 2\nsensitive = "secret"\nl = 1\n')


def over(gates: tuple[str, ...]) -> list[str]:
    return [part for gate in gates for part in ("--fail-over", gate)]


def ended(command: list[str], *gates: str) -> tuple[int, set[str]]:
    """The exit code, and the verdicts in text, which are those in JSON."""
    code, out, err = run(*command, *over(gates))
    assert err == ""
    as_json = run(*command, *over(gates), "--json")
    assert as_json[::2] == (code, "")
    verdicts = json.loads(as_json[1])["gates"]
    lines = out.splitlines()[-len(verdicts) :]
    for line, verdict in zip(lines, verdicts, strict=True):
        assert line.lower().startswith(f"{verdict['verdict']} {verdict['of'] + ': ' if verdict['of'] else ''}".lower())
        assert f"{verdict['measure']} " in line
        assert (verdict["settle"] or "") in line
    return code, {verdict["verdict"] for verdict in verdicts}


SLOW = (
    "audit",
    "audit of a sample",
    "audit of nothing to publish",
    "synthetic",
    "collect simulate",
    "compare",
    "diff",
    "exposure",
    "measure what is sampled",
    "release",
    "reproduce",
)


def once(job: Callable[..., Any]) -> Callable[..., Any]:
    """Return a job that is done once for the same arguments: its gates judge what it has made."""
    made: dict[str, Any] = {}

    def done(*arguments: Any, tell: Any, **options: Any) -> Any:
        asked = repr((arguments, options))
        if asked not in made:
            made[asked] = job(*arguments, tell=tell, **options)
        return made[asked]

    return done


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", [pytest.param(name, marks=[pytest.mark.long] * (name in SLOW)) for name in GATED])
def test_gates_end_a_command_as_they_are_called(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    gated = GATED[name]
    if name == "collect simulate":  # by a seed, with each party as a process
        simulation = import_module("discretion.collection.simulation.simulate")
        monkeypatch.setattr(simulation, "simulate", once(simulation.simulate))
    assert ended(gated.command, *gated.passes) == (0, {"passed"})
    code, verdicts = ended(gated.command, *gated.fails)
    assert (code, verdicts - {"passed"}) == (1, {"failed"})  # of several mechanisms one may pass
    if gated.undecided:
        code, verdicts = ended(gated.command, *gated.undecided)
        assert (code, verdicts - {"passed"}) == (3, {"not decided"})
        assert ended(gated.command, *gated.undecided, *gated.fails, *gated.passes)[0] == 1


@pytest.mark.skipif(importlib.util.find_spec("cryptography") is not None, reason="the extra collect is installed")
def test_a_collection_without_its_extra_says_what_to_install() -> None:
    for command in (["simulate", "samples.csv"], ["submit", "http://127.0.0.1:1", "--state", "x"], ["status", "home"]):
        code, out, err = run("collect", *command)
        assert (code, out, err) == (2, "", "discretion: the collection needs cbor2: install discretion[collect]\n")


def without_the_extra(name: str) -> bool:
    return name == "collect simulate" and importlib.util.find_spec("cryptography") is None


@pytest.mark.parametrize("name", [name for name in GATED if not without_the_extra(name)])
def test_a_measure_that_a_command_does_not_have_is_bad_input(name: str) -> None:
    gated = GATED[name]
    gate, nearest = gated.unknown
    code, out, err = run(*gated.command, "--fail-over", gate)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert nearest in err
    assert not Path("made").exists()


def test_every_command_has_it() -> None:
    assert {name.split()[0] for name in GATED} == {*COMMANDS} - {"serve"}  # whose pages show, and decide nothing
    commands = [[name] for name in COMMANDS if name not in ("collect", "serve")]
    # Of a collection those that give numbers.
    for command in [*commands, ["collect", "simulate"], ["collect", "result"]]:
        assert "--fail-over" in option_names(*command), command


def test_a_list_of_papers_has_nothing_to_gate() -> None:
    code, _, err = run("reproduce", "--fail-over", "disagree>0")
    assert code == 2
    assert "name one" in err


def test_without_gates_json_has_none() -> None:
    assert list(json.loads(run("measure", "krr:k=2,p=0.75", "--json")[1])) == [
        "schema_version", "command", "inputs", "results",
    ]  # fmt: skip


@pytest.mark.long
def test_what_the_time_left_out_of_an_audit_is_not_decided() -> None:
    found = dc.audit("example:adult", ["sex", "race", "income"], "income", seconds=1e-9)
    gates = [gate_of(f"{measure}>0.9") for measure in measures_of(found)]
    verdicts = judged(gates, measures_of(found), "a way out", why_missing(found))
    undecided = {verdict.measure: verdict for verdict in verdicts if verdict.verdict == "not decided"}
    models = ("l_diversity", "recursive_c", "t_closeness", "beta_likeness", "delta_disclosure")
    missing = {f"{name}:income" for name in models}
    missing.add("recommended_exposure")
    missing |= {f"all_columns.{name}" for name in missing}
    assert {*undecided} == missing
    assert all("--time" in str(verdict) for verdict in undecided.values())


@pytest.mark.long
def test_an_audit_gates_what_its_json_says() -> None:
    found = dc.audit("example:adult", ["sex", "race", "income"], "income", k=50)
    numbers, risks = measures_of(found), {risk.name: risk.whole for risk in found.risks}
    people = dc.Population("example:adult", ["sex", "race", "income"])
    known = ["sex", "race"]
    sizes, guess = people.class_sizes(known), dc.anonymity.inference(people, known, "income")
    assert numbers["exposure"] == Fraction(sizes.exposed(k=50), sizes.people)
    assert numbers["k_anonymity"] == sizes.smallest
    assert numbers["all_columns.k_anonymity"] == people.class_sizes().smallest < sizes.smallest
    assert numbers["all_columns.exposure"] == Fraction(people.class_sizes().exposed(k=50), sizes.people) > 0
    assert numbers["singling_out"] == risks["singling out"] == sizes.unique / sizes.people
    assert float(numbers["guess:income"]) == guess.posterior
    assert numbers["guess_rise:income"] == numbers["guess:income"] - Fraction(
        round(guess.prior * sizes.people), sizes.people
    )
    assert float(numbers["certain:income"]) == guess.certain
    assert numbers["l_diversity:income"] == dc.anonymity.l_diversity(people, ["sex", "race"], "income")
    assert numbers["t_closeness:income"] == dc.anonymity.t_closeness(people, ["sex", "race"], "income")
    assert float(numbers["recommended_exposure"]) == found.decision.offers[0].exposure


@pytest.mark.parametrize("users", [None, 20])
def test_a_comparison_has_the_measures_that_are_named_beforehand(users: int | None) -> None:
    scenario = Scenario(users=users, epsilon=0.5, delta=1e-6, seed=1)
    goal = target_of("posterior_vulnerability<=0.6", scenario)
    systems = {f"krr:k={k},epsilon=1": dc.RandomizedResponse(k, epsilon=1) for k in (2, 3)}
    found: Comparison = compare(systems, scenario, goal)
    measured = {name for row in found.answers.values() for name in numbers_in(row.to_dict())}
    assert measured == {*compared_measures(scenario, goal)}


def test_the_measures_of_an_audit_are_told_in_its_help() -> None:
    said = run("audit", "--help")[1]
    for measure in audit_measures(["COLUMN"]):
        assert measure.removeprefix("all_columns.") in " ".join(said.split())
    assert "all_columns.exposure" in said


@pytest.mark.one_in(7)
@pytest.mark.parametrize("name", ["measure", "compare", "estimate", "exposure", "diff"])
def test_the_page_and_the_markdown_show_the_gates_as_the_terminal_does(name: str) -> None:
    gated = GATED[name]
    files = ["--html", "gates.html", "--markdown", "gates.md"]
    out = run(*gated.command, *over(gated.fails), *files)[1]
    verdicts = [line for line in out.splitlines() if line.startswith(("FAILED", "passed"))]
    assert any(line.startswith("FAILED") for line in verdicts)
    page, markdown = (Path(file).read_text(encoding="utf-8") for file in files[1::2])
    markdown = unescape(markdown.replace("\\", ""))
    assert "\n## Gates\n" in markdown
    assert re.findall("^- ((?:FAILED|passed) .*)$", markdown, re.MULTILINE) == verdicts
    shown = " ".join(unescape(re.sub("<[^>]*>", " ", page)).split())
    assert all(" ".join(verdict.split()) in shown for verdict in verdicts)
    plain = run(*gated.command, *files)
    assert plain[0] == 0
    assert "Gates" not in Path("gates.md").read_text(encoding="utf-8")
