"""Each door answers an ordinary question: with its document, the same as JSON, and where else to ask it."""

import json
from pathlib import Path

import pytest

from discretion.jobs.monitor import Monitor
from discretion.web.answering import Answered, Asked, Refused, answered
from discretion.web.doors import DOORS, Question
from discretion.web.open_tables import OpenTables

PEOPLE = "town,job,ill\n" + "".join(f"t{i % 3},j{i % 4},{'yn'[i % 7 == 0]}\n" for i in range(84))
SAMPLES = "secret,shown\n" + "".join(f"{i % 2},{i * i % 7}\n" for i in range(100))
QUESTIONS = {
    "table": {"about": ["people.csv"], "sensitive": ["ill"], "k": ["3"], "person": ["none"]},
    "columns": {"about": ["people.csv"], "sensitive": ["ill"], "k": ["3"], "person": ["none"]},
    "release": {"about": ["people.csv"], "k": ["3"], "budget": ["1"]},
    "exposure": {"about": ["people.csv"], "columns": ["town,job"], "k": ["3"]},
    "design": {"answers": ["3"], "users": ["12"], "guess": ["40%"], "protocols": ["krr"], "unshuffled": ["yes"]},
    "mechanism": {"about": ["krr:k=3,epsilon=1"]},
    "compare": {"about": ["krr:k=3,epsilon=1\noue:k=3,epsilon=1"]},
    "black-box": {"about": ["samples.csv"], "seed": ["1"]},
    "claim": {"about": ["dp:epsilon=1,delta=1e-6"], "base_rate": ["0.1"], "delta": ["1e-5"]},
    "channel": {"about": ["0.9 0.1\n0.2 0.8", "krr:k=2,epsilon=1"]},
    "papers": {"about": ["ldp\nexample-3-2"]},
}
# What is told of a question beside its document.
COMMANDS = {
    "channel": ["discretion measure 'channel:0.9,0.1;0.2,0.8'", "discretion measure krr:k=2,epsilon=1"],
    "claim": ["discretion measure dp:epsilon=1,delta=1e-6 --false-positive-rate=0.1 --delta=1e-05"],
    "papers": ["discretion reproduce ldp example-3-2"],
}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    written = {"people.csv": PEOPLE, "samples.csv": SAMPLES}
    for name, content in written.items():
        (tmp_path / name).write_text(content)
    return {name: str(tmp_path / name) for name in written}


def test_every_door_is_asked() -> None:
    assert {*QUESTIONS} == {*DOORS}


@pytest.mark.one_in(7)
@pytest.mark.parametrize("path", QUESTIONS)
def test_a_door_answers_with_a_document_and_the_same_as_json(path: str, files: dict[str, str], tmp_path: Path) -> None:
    texts = QUESTIONS[path] | ({"out": [str(tmp_path / "published.csv")]} if path == "release" else {})
    reply = answered(Asked(path, texts, files), Monitor(), OpenTables())
    assert isinstance(reply, Answered), reply
    assert json.loads(reply.json)["results"]
    assert f"<h2>{reply.title.split(':')[0][:3]}" in reply.markup
    assert str(tmp_path) not in reply.markup or path == "release"
    for command in COMMANDS.get(path, []):
        assert command in reply.elsewhere.commands


@pytest.mark.one_in(3)
@pytest.mark.parametrize("path", ["table", "columns", "exposure", "black-box"])
def test_a_file_whose_first_line_is_no_header_is_asked_about(path: str, tmp_path: Path) -> None:
    rows = {"table": PEOPLE, "columns": PEOPLE, "exposure": PEOPLE, "black-box": SAMPLES}[path].partition("\n")[2]
    (tmp_path / "bare.csv").write_text(rows)
    files = {"bare.csv": str(tmp_path / "bare.csv")}
    texts = {"about": ["bare.csv"], "header": ["no"], **({"person": ["none"]} if path != "black-box" else {})}
    reply = answered(Asked(path, texts, files), Monitor(), OpenTables())
    assert isinstance(reply, Answered), reply
    assert "column1" in reply.title + reply.json


@pytest.mark.one_in(5)
@pytest.mark.parametrize("path", ["table", "columns", "exposure", "black-box"])
def test_commands_call_a_file_by_its_path_and_one_that_was_sent_by_its_name(
    path: str, files: dict[str, str], tmp_path: Path
) -> None:
    (name,) = QUESTIONS[path]["about"]
    for paths in ({name: files[name]}, {}):
        reply = answered(Asked(path, QUESTIONS[path], files, paths), Monitor(), OpenTables())
        assert isinstance(reply, Answered), reply
        said = [*reply.elsewhere.commands, *filter(None, [reply.elsewhere.python])]
        assert said
        assert all(paths.get(name, name) in each for each in said)
        assert all((str(tmp_path) in each) == bool(paths) for each in said)
        if reply.elsewhere.release is not None:
            assert reply.elsewhere.release["about"] == [name]


def test_the_papers_lead_to_all_their_items(files: dict[str, str]) -> None:
    reply = answered(Asked("papers", {}, files), Monitor(), OpenTables())
    assert isinstance(reply, Answered)
    assert len(reply.elsewhere.leads) > 30
    for lead in reply.elsewhere.leads:
        assert len(Question.of_texts(lead.path, lead.texts).about) == 2


def test_a_design_gives_its_files_to_take_away(files: dict[str, str]) -> None:
    reply = answered(Asked("design", QUESTIONS["design"], files), Monitor(), OpenTables())
    assert isinstance(reply, Answered)
    assert {"parameters.json", "collect.toml"} <= {*reply.elsewhere.files}


@pytest.mark.parametrize(
    ("path", "texts", "sentence"),
    [
        ("channel", {"about": ["0.9 0.1\n0.2"]}, "equal length"),
        ("papers", {"about": ["nobody's"]}, "there is no paper"),
        ("claim", {"about": ["dp:epsilon=-1"]}, "epsilon"),
        ("exposure", {"about": ["other.csv"]}, "'other.csv' is not open here"),
    ],
)
def test_what_has_no_answer_ends_in_a_sentence(path: str, texts: dict[str, list[str]], sentence: str) -> None:
    reply = answered(Asked(path, texts, {}), Monitor(), OpenTables())
    assert isinstance(reply, Refused)
    assert sentence in reply.sentence
