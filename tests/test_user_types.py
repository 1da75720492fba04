"""What a user writes is typed: strictly the README and a sweep over sizes, and every page of the documentation."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from support.prose import PAGES

ROOT = Path(__file__).parents[1]
SWEEP = """
import discretion as dc

report = dc.RandomizedResponse(2, p=0.9)
sweep: list[dc.Answer] = [dc.bayes_security(dc.Shuffled(report, n)) for n in (10, 1000)]
ends: list[tuple[float, float]] = [(answer.low, answer.high) for answer in sweep]
kinds: set[str] = {answer.kind for answer in sweep}
answers: list[dc.Answer] = [dc.ldp_epsilon(report), dc.shannon_capacity(report), dc.tradeoff(report).advantage]
vulnerability: float = dc.privacy_profile(report, 0.5).value
exposed: float = dc.exposure("people.csv", 5)
estimate: dc.Estimate = 1 / (dc.Estimate(0.5, 0.4, 0.6, 0.95, "tries") ** 2 + dc.Estimate(0.1, 0.0, 0.1, None, "sums"))
below: bool = estimate < 10 and (1 - dc.mutual_information(report)) < 2
"""


def lines(page: Path) -> str:
    """The lines of Python that a page shows, in examples and in the cells of a tutorial."""
    text = page.read_text(encoding="utf-8")
    cells = re.findall(r"^```\{code-cell\} ipython3\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    examples = re.findall(r"^(?:>>>|\.\.\.) (.*\n)", text, re.MULTILINE)
    return "".join(
        [*(re.sub(r"\A---\n.*?^---\n", "", cell, flags=re.DOTALL | re.MULTILINE) for cell in cells), *examples]
    )


@pytest.mark.long
@pytest.mark.parametrize("checker", [["mypy", "--strict"], ["pyright"]], ids=["mypy", "pyright"])
def test_what_a_user_writes_is_typed(checker: list[str], tmp_path: Path) -> None:
    if shutil.which(checker[0]) is None:
        pytest.skip(f"{checker[0]} is not installed")
    sources = {"readme.py": lines(ROOT / "README.md"), "sweep.py": SWEEP}
    for name, source in sources.items():
        (tmp_path / name).write_text(source, encoding="utf-8")
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": "strict"}), encoding="utf-8")
    run = subprocess.run([*checker, *sources], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout


@pytest.mark.long
def test_what_the_pages_show_is_typed(tmp_path: Path) -> None:
    if shutil.which("pyright") is None:
        pytest.skip("pyright is not installed")
    pages = [page for page in PAGES if page.is_relative_to(ROOT / "docs")]
    sources = {f"{page.parent.name}_{page.stem}".replace("-", "_") + ".py": lines(page) for page in pages}
    for name, source in sources.items():
        (tmp_path / name).write_text(source, encoding="utf-8")
    # An example shows a value without using it, and takes what its answer is known to have.
    rules = {"typeCheckingMode": "standard", "reportUnusedExpression": False, "reportOptionalMemberAccess": False}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(rules), encoding="utf-8")
    run = subprocess.run(["pyright"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout
