"""`discretion check`: files held to a policy from the shell, by a hook, and by an action."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from discretion.jobs.check.policy import KEYS
from support.cli_runner import environment, run

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "discretion.toml"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A policy, a file that it allows, and one that it forbids."""
    monkeypatch.chdir(tmp_path)
    kept = [(30 + i % 5, "fm"[i % 2], ("flu", "cold")[i // 10 % 2]) for i in range(600)]
    lines = [",".join(map(str, row)) for row in kept]
    (tmp_path / "kept.csv").write_text("\n".join(["age,sex,diagnosis", *lines]) + "\n")
    towns = ["Oslo" if i % 20 else f"Town{i}" for i in range(600)]
    lines = [f"{line},{town}" for line, town in zip(lines, towns, strict=True)]
    (tmp_path / "broken.csv").write_text("\n".join(["age,sex,diagnosis,town", *lines]) + "\n")
    (tmp_path / "discretion.toml").write_text(EXAMPLE.read_text())
    return tmp_path


def test_a_file_that_keeps_to_the_policy_passes_every_rule() -> None:
    code, out, err = run("check", "kept.csv", "--policy", "discretion.toml")
    assert (code, err) == (0, "")
    first, *lines = out.splitlines()
    assert first == "kept.csv, 600 people, by discretion.toml"
    assert len(lines) == 6
    assert all(line.startswith("passed line ") for line in lines)


def test_a_file_that_the_policy_forbids_fails_and_each_line_is_named() -> None:
    code, out, err = run("check", "broken.csv", "--policy", "discretion.toml")
    assert (code, err) == (1, "")
    policy = EXAMPLE.read_text().splitlines()
    verdicts = re.findall(r"^(passed|FAILED) line (\d+), (\w+): ", out, re.MULTILINE)
    assert {rule: verdict for verdict, _, rule in verdicts} == {
        "columns": "passed", "together": "FAILED", "budget": "FAILED", "guess_budget": "passed",
        "certain_budget": "FAILED", "fail_over": "FAILED",
    }  # fmt: skip
    for _, line, rule in verdicts:
        assert policy[int(line) - 1].startswith(f"{rule} = ")
    assert "Town" not in out


@pytest.mark.long
def test_json_has_every_rule_of_every_file_and_the_gates() -> None:
    code, out, _ = run(
        "check", "kept.csv", "broken.csv", "--policy", "discretion.toml", "--json", "--fail-over", "marketer>1"
    )
    answer = json.loads(out)
    assert (code, answer["schema_version"], answer["command"]) == (1, 1, "check")
    assert [*answer["results"]] == ["kept.csv", "broken.csv"]
    assert {rule["verdict"] for rule in answer["results"]["kept.csv"]["rules"]} == {"passed"}
    assert answer["results"]["broken.csv"]["people"] == 600
    assert [(gate["of"], gate["verdict"]) for gate in answer["gates"]] == [
        ("kept.csv", "passed"), ("broken.csv", "passed"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("policy", "files", "expected"),
    [
        ("k = 5\nbudgt = 0.01\n", ["kept.csv"], ["line 2", "'budgt'", "did you mean 'budget'"]),
        ("k = 5", ["nowhere.csv"], ["cannot read a table from 'nowhere.csv': there is no such file"]),
        ("k = 5", [], ["check needs a file"]),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(policy: str, files: list[str], expected: list[str]) -> None:
    Path("discretion.toml").write_text(policy)
    code, out, err = run("check", *files, "--policy", "discretion.toml")
    assert (code, out, err.count("\n")) == (2, "", 1)
    for part in expected:
        assert part in err


def test_a_policy_has_to_be_named() -> None:
    code, out, err = run("check", "kept.csv")
    assert (code, out) == (2, "")
    assert "--policy" in err


def test_all_keys_stand_in_the_documentation() -> None:
    page = (ROOT / "docs" / "how-to" / "policies.md").read_text()
    assert sorted(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == sorted(KEYS)


def hooks() -> dict[str, dict[str, str]]:
    """The keys of each hook by its name, in whose file every one is on a line of its own."""
    text = re.sub(r"^#.*\n", "", (ROOT / ".pre-commit-hooks.yaml").read_text(), flags=re.MULTILINE)
    found = [
        dict(line.strip().split(": ", 1) for line in each.splitlines())
        for each in re.split("^- ", text, flags=re.MULTILINE)[1:]
    ]
    return {each["id"]: each for each in found}


def test_the_hooks_differ_in_what_they_install_alone() -> None:
    own, system = hooks()["discretion-check"], hooks()["discretion-check-system"]
    assert (own["language"], system["language"]) == ("python", "system")
    assert {key for key in own if own[key] != system[key]} == {"id", "description", "language"}


@pytest.mark.long
@pytest.mark.parametrize(("files", "code"), [(["kept.csv"], 0), (["kept.csv", "broken.csv"], 1)])
def test_the_hook_refuses_what_the_policy_forbids(folder: Path, files: list[str], code: int) -> None:
    given = hooks()["discretion-check"]
    assert all(re.search(given["files"], file) for file in files)
    assert not re.search(given["files"], "notes.md")
    arguments = given["args"].strip("[]").split(", ")
    command = [*given["entry"].split(), *arguments, *files]
    done = subprocess.run(command, cwd=folder, env=environment(folder), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, "")
    assert ("FAILED line 3, together" in done.stdout) == bool(code)


@pytest.mark.long
@pytest.mark.parametrize(("files", "code"), [("kept.csv\n", 0), ("\nkept.csv\nbroken.csv", 1)])
def test_the_action_s_step_fails_on_what_the_policy_forbids(folder: Path, files: str, code: int) -> None:
    text = (ROOT / "deploy" / "action.yml").read_text()
    (step,) = re.findall(r"run: '(.*)'", text)
    assert re.findall(r"^        (\w+): \$\{\{ inputs\.(\w+) \}\}$", text, re.MULTILINE) == [
        ("FILES", "files"), ("POLICY", "policy"),
    ]  # fmt: skip
    (default,) = re.findall(r"default: (.*)", text)
    given = environment(folder, GITHUB_ACTION_PATH=str(ROOT / "deploy"), FILES=files, POLICY=default)
    done = subprocess.run(["bash", "-c", step], cwd=folder, env=given, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, "")
    assert ("FAILED line 3, together" in done.stdout) == bool(code)
