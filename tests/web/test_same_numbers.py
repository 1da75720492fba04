"""A page answers with the numbers of the command that it shows, and an address spells one question."""

import json
import random
import re
import shlex
from collections.abc import Callable
from html import unescape
from urllib.parse import urlencode

import pytest

from discretion.cli.run import command_line
from discretion.web.doors import DOORS, Question
from support.cli_runner import run
from support.served_page import serving

pytestmark = pytest.mark.long

_COLUMNS = ["sex", "race", "relationship", "workclass", "income", "marital_status"]
_COMMAND = re.compile(r'Command line</dt><dd><pre><code class="command">(.*?)</code>', re.DOTALL)
_Texts = dict[str, list[str]]


def _law(draw: random.Random, k: int) -> str:
    weights = [draw.randint(1, 9) for _ in range(k - 1)]
    shares = [round(weight / (sum(weights) + 5), 3) for weight in weights]
    return ",".join(map(str, [*shares, round(1 - sum(shares), 3)]))


def _some(draw: random.Random, texts: _Texts) -> _Texts:
    """Return each text or not."""
    return {name: given for name, given in texts.items() if draw.random() < 0.5}


def _mechanism(draw: random.Random, k: int) -> str:
    name = draw.choice(["krr", "rappor", "oue", "ss", "hadamard"])
    return f"{name}:k={k},epsilon={draw.choice(['0.5', '1', '2.25'])}"


def _of_table(draw: random.Random) -> _Texts:
    columns = draw.sample(_COLUMNS, 3)
    more = {"sensitive": [columns[0]], "k": [str(draw.randint(2, 30))], "budget": ["0.05"], "keep": [columns[1]]}
    return {"about": ["example:adult"], "columns": [",".join(columns)], **_some(draw, more)}


def _of_exposure(draw: random.Random) -> _Texts:
    columns = draw.sample(_COLUMNS, draw.randint(1, 4))
    more = {"k": [str(draw.randint(2, 500))], "sensitive": [columns[0]]}
    return {"about": ["example:adult"], "columns": [",".join(columns)], **_some(draw, more)}


def _of_design(draw: random.Random) -> _Texts:
    k = draw.randint(2, 8)
    goal = draw.choice([{"local_epsilon": ["1.5"]}, {"guess": ["+0.2"]}, {"guess": ["70%"]}, {"error": ["0.05"]}])
    more = {"shares": [_law(draw, k)], "protocols": ["krr,oue,rappor"], "targets": ["bayes_security>=0.1"]}
    users = {"users": [str(draw.randint(100, 5000))]}
    return {"answers": [str(k)], "unshuffled": ["yes"], "seed": ["1"], **users, **goal, **_some(draw, more)}


def _of_mechanism(draw: random.Random) -> _Texts:
    k = draw.randint(2, 4)
    more = {
        "prior": [_law(draw, k)],
        "gain": [draw.choice(["tries:2", "set:0", "identity"])],
        "epsilon": ["0.5"],
        "delta": ["0.001"],
        "false_positive_rate": ["0.05"],
        "shuffled": ["yes"],
    }
    return {"about": [_mechanism(draw, k)], "users": [str(draw.randint(2, 5))], "seed": ["1"], **_some(draw, more)}


def _of_compare(draw: random.Random) -> _Texts:
    k = draw.randint(2, 5)
    about = [_mechanism(draw, k) for _ in range(draw.randint(2, 3))]
    more = {"prior": [_law(draw, k)], "target": ["posterior_vulnerability<=0.5"], "epsilon": ["0.5"]}
    return {"about": about, "seed": ["1"], **_some(draw, more)}


def _of_black_box(draw: random.Random) -> _Texts:
    more = {
        "secret": ["seen"],
        "confidence": ["0.9"],
        "all_secrets": ["yes"],
        "epsilon": ["0.5"],
        "delta": ["0.01"],
        "half_width": ["0.01"],
    }
    return {"about": ["samples.csv"], "seed": [str(draw.randint(1, 9))], **_some(draw, more)}


_DRAWN: dict[str, Callable[[random.Random], _Texts]] = {
    "table": _of_table,
    "exposure": _of_exposure,
    "design": _of_design,
    "mechanism": _of_mechanism,
    "compare": _of_compare,
    "black-box": _of_black_box,
}
# The doors of one command each: the others' numbers are compared with the measures', in tests of their jobs.
_ASKED = [path for path, door in DOORS.items() if door.is_listed and door.commands is None and path != "papers"]
_QUESTIONS = [(path, number) for number in range(9) for path in _ASKED if path != "table" or number < 5]


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    path = tmp_path_factory.mktemp("samples") / "samples.csv"
    draw = random.Random(1)
    rows = [(secret, secret if draw.random() < 0.6 else "b") for secret in "ab" for _ in range(200)]
    path.write_text("secret,seen\n" + "\n".join(map(",".join, rows)), encoding="utf-8")
    return path.resolve()


@pytest.fixture(scope="module")
def ask(samples):
    """Return what asks a server that has a file of samples open."""
    with serving(samples.parent, samples) as server:

        def asked(path: str, texts: _Texts, form: str) -> str:
            headers = [("x-part", "answer")] if form == "part" else [("accept", "application/json")]
            return server.asked(f"/{path}?{urlencode(texts, doseq=True)}", headers=headers).text

        yield asked


def test_every_door_is_drawn_and_50_questions_are():
    assert _DRAWN.keys() == {*_ASKED}
    assert len(_QUESTIONS) == 50


@pytest.mark.parametrize(("path", "number"), _QUESTIONS)
def test_an_address_has_the_numbers_of_the_command_that_its_page_shows(ask, samples, path, number):
    texts = _DRAWN[path](random.Random(number))
    given, part = ask(path, texts, "json"), ask(path, texts, "part")
    question = Question.of_texts(path, texts)
    about = question.on_this_machine({samples.name: str(samples)}).about
    command = ["discretion", DOORS[path].command, *about, *question.options.arguments()]
    shown = shlex.split(unescape(_COMMAND.search(part)[1]))
    assert shown == command
    code, out, err = run(*shown[1:], "--json")
    assert code == 0, err
    assert json.loads(given)["results"] == json.loads(out)["results"]
    _, bound, _ = command_line().parse_args(shown[1:], exit_on_error=False, print_error=False)
    bound.apply_defaults()
    assert bound.arguments["options"] == question.asked


@pytest.mark.parametrize(("path", "number"), _QUESTIONS)
def test_a_question_reads_its_own_texts(path, number):
    question = Question.of_texts(path, _DRAWN[path](random.Random(number)))
    again = Question.of_texts(path, question.texts)
    assert again == question
    assert again.texts == question.texts


@pytest.mark.parametrize("path", [path for path in DOORS if path in ("design", "compare")])
def test_lines_in_one_text_are_texts_of_their_own(path):
    name = next(field.name for field in DOORS[path].all_fields if field.lines > 1)
    lines = ["krr:k=2,epsilon=1", "bayes_security>=0.1"]
    assert Question.of_texts(path, {name: ["\r\n".join(lines)]}).texts == {name: lines}
