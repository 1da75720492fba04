"""pycanon and anjana measure of 20 released files what was asked of them, and what Discretion measures.

Where the peers differ, the definition is worked out by hand here. They pin older libraries than Discretion uses, so
that an interpreter of their own counts.
"""

import json
import math
import shutil
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest

import discretion as dc

# What is asked, whether the sensitive values are numbers, and by which function of anjana's with which limit it passes.
Goal = tuple[dict[str, Any], bool, str, float]
GOALS: list[Goal] = [
    ({}, True, "l_diversity", 1),
    ({"l": 2}, False, "l_diversity", 2),
    ({"l": 4}, True, "l_diversity", 4),
    ({"entropy_l": 3}, False, "entropy_l_diversity", 3),
    ({"recursive_c": 2, "l": 3}, False, "l_diversity", 3),
    ({"t": 0.25}, False, "t_closeness", 0.25),
    ({"t": 0.15, "t_distance": "ordered"}, True, "t_closeness", 0.15),
    ({"t": 0.2, "t_distance": "ordered"}, True, "t_closeness", 0.2),
    ({"beta_likeness": 1}, False, "basic_beta_likeness", 1),
    ({"delta_disclosure": 1}, False, "delta_disclosure", 1),
]
K = 5
SCRIPT = Path(__file__).parents[2] / "support" / "peers_on_files.py"


def people(seed: int, *, numbers: bool) -> pa.Table:
    draw, n = Random(seed), 600
    age = [draw.randrange(20, 80) for _ in range(n)]
    pain = [min(4, draw.randrange(5) + each // 65) for each in age]
    return pa.table({
        "age": age,
        "town": [draw.choice(["Bergen", "Oslo", "Oslo", "Tromsø"]) for _ in range(n)],
        "sex": [draw.choice("fm") for _ in range(n)],
        "pain": pain if numbers else [f"level {each}" for each in pain],
    })  # fmt: skip


@pytest.fixture(scope="module")
def counting() -> list[str]:
    """The command that measures files with the peers."""
    if shutil.which("uv") is None:
        pytest.skip("uv, which gives the peers an interpreter of their own, is not installed")
    peers = ["--no-project", "--isolated", "--quiet", "--with=pycanon==1.3.5", "--with=anjana==1.2.3"]
    try:
        subprocess.run(["uv", "run", *peers, "python", "-c", "import anjana"], check=True, capture_output=True)
    except subprocess.CalledProcessError:
        pytest.skip("uv finds no pycanon and anjana")
    return ["uv", "run", *peers, "python", str(SCRIPT)]


def asked_of_peers(counting: list[str], files: list[dict[str, Any]]) -> list[dict[str, Any]]:
    ran = subprocess.run(counting, input=json.dumps(files), check=True, capture_output=True, text=True)
    return json.loads(ran.stdout)


@pytest.mark.long
def test_peers_measure_of_twenty_files_what_was_asked_of_them(tmp_path: Path, counting: list[str]) -> None:
    files: list[dict[str, Any]] = []
    for seed in (1, 2):
        for options, numbers, function, limit in GOALS:
            out = tmp_path / f"{len(files)}.csv"
            result = dc.release(
                people(seed, numbers=numbers), out, k=K, budget=0, sensitive="pain", guess_budget=1,
                keep=["pain", "sex", "town"][: seed + 1], **options,
            )  # fmt: skip
            known = [each.column for each in result.columns if each.verdict != "drop" and each.column != "pain"]
            files.append({"path": str(out), "known": known, "sensitive": "pain", "limits": {function: [K, limit]}})
    for file, theirs, (options, numbers, function, _) in zip(
        files, asked_of_peers(counting, files), GOALS * 2, strict=True
    ):
        released = dc.Population(file["path"])
        known, least = file["known"], theirs["l"]
        assert theirs["unchanged"] == [function], file
        assert theirs["k"] == dc.anonymity.k_anonymity(released, known) >= K
        assert least == dc.anonymity.l_diversity(released, known, "pain") >= options.get("l", 1)
        entropy = dc.anonymity.entropy_l_diversity(released, known, "pain")
        assert theirs["entropy_l"] in {math.floor(entropy), math.floor(entropy + 1e-9)}  # rounded down
        assert entropy >= options.get("entropy_l", 1) - 1e-9
        t = dc.anonymity.t_closeness(released, known, "pain", "numeric" if numbers else None)
        assert theirs["t"] == pytest.approx(t, rel=1e-9)
        assert t <= options.get("t", 1)
        beta = dc.anonymity.beta_likeness(released, known, "pain")
        assert theirs["beta"] == pytest.approx(beta, rel=1e-9)
        assert beta <= options.get("beta_likeness", math.inf)
        delta = dc.anonymity.delta_disclosure(released, known, "pain")
        # A class without one of the values: its share is 0, the logarithm infinite. pycanon leaves the value out.
        assert theirs["delta"] == pytest.approx(delta, rel=1e-9) or delta == math.inf > theirs["delta"]
        assert "delta_disclosure" not in options or delta < options["delta_disclosure"]
        if "recursive_c" in options:
            assert dc.anonymity.recursive_c_l_diversity(released, known, "pain", options["l"]) < options["recursive_c"]


@pytest.mark.long
def test_where_peers_miss_the_definition(tmp_path: Path, counting: list[str]) -> None:
    # One class, of whose people 4, 1 and 1 have a value. Recursive (c, 3)-diversity is 4 < c·1, so that c is above 4:
    # the definition numbers values from the commonest on. pycanon does from the rarest on: 1 < c·4, rounded up.
    (tmp_path / "one.csv").write_text("x,s\n" + "1,a\n" * 4 + "1,b\n1,c\n")
    # Two classes of two people, with values a, b and a, a. Of delta-disclosure privacy |ln 0| must be below delta.
    (tmp_path / "two.csv").write_text("x,s\n1,a\n1,b\n2,a\n2,a\n")
    paths = [tmp_path / "one.csv", tmp_path / "two.csv"]
    files = [{"path": str(path), "known": ["x"], "sensitive": "s", "limits": {}} for path in paths]
    one, two = asked_of_peers(counting, files)
    assert (one["l"], one["c"]) == (3, 1)
    assert dc.anonymity.recursive_c_l_diversity(tmp_path / "one.csv", ["x"], "s", 3) == 4
    assert two["delta"] == pytest.approx(math.log(2))
    assert dc.anonymity.delta_disclosure(tmp_path / "two.csv", ["x"], "s") == math.inf
