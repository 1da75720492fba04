"""A seed that a command draws is shown, repeats the answer, and is a number that JSON and JavaScript keep."""

import json
from pathlib import Path

import pytest

from support.cli_runner import run

EXCHANGEABLE = ["--users", "60", "--adversary", "exchangeable:1,1,1"]
DRAWING = {
    "measure": ["krr:k=3,epsilon=1", "--shuffled", *EXCHANGEABLE, "--only", "posterior_vulnerability"],
    "compare": ["krr:k=3,epsilon=1", *EXCHANGEABLE],
    "estimate": ["samples.csv"],
    "synthetic": ["people.csv", "people.csv", "--control", "people.csv"],
}


@pytest.mark.long
@pytest.mark.parametrize("command", DRAWING)
def test_a_drawn_seed_is_shown_and_repeats_the_answer(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("samples.csv").write_text("secret,shown\n" + "".join(f"{i % 2},{i * i % 7}\n" for i in range(300)))
    Path("people.csv").write_text("age,town\n" + "".join(f"{i % 9},{i * i % 5}\n" for i in range(90)))
    arguments = [command, *DRAWING[command], "--json"]
    code, out, err = run(*arguments)
    assert (code, err) == (0, "")
    answer = json.loads(out)
    seed = answer["inputs"]["seed"]
    assert int(float(seed)) == seed < 2**53
    assert json.loads(run(*arguments, "--seed", str(seed))[1]) == answer
    assert json.loads(run(*arguments)[1])["inputs"]["seed"] != seed
