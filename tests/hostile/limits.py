"""A command under limits of the system and its own: an answer or a sentence, in time, and nothing half-written."""

import json
import time
from pathlib import Path
from random import Random

from support.cli_runner import run_under

GRACE = 15.0  # seconds on a machine that is busy: to start, and to end
MB = 10**6

LIMITS = {
    "RLIMIT_AS": (50 * MB, 2000 * MB),
    "RLIMIT_DATA": (20 * MB, 2000 * MB),
    "RLIMIT_STACK": (200_000, 16 * MB),
    "RLIMIT_NOFILE": (12, 64),
    "RLIMIT_FSIZE": (1, 2 * MB),
    "RLIMIT_CPU": (1, 20),
    "RLIMIT_NPROC": (1, 50),
}


def case(draw: Random, folder: Path) -> None:
    command = draw.choice((audit, audit, exposure, measure, compare, estimate))(draw, folder)
    seconds = draw.choice((None, None, draw.uniform(0.1, 4)))
    if seconds is not None:
        command += ["--time", f"{seconds:.2f}"]
    if command[0] in ("audit", "exposure", "estimate") and draw.random() < 0.5:
        command += ["--memory", f"{draw.randint(50, 1000)}MB"]
    names = draw.sample(sorted(LIMITS), draw.choice((0, 1, 1, 1, 2)))
    limits = {name: round(draw.uniform(*LIMITS[name])) for name in names}
    before = set(folder.iterdir())
    begun = time.monotonic()
    code, out, err = run_under(limits, *command, folder=folder)
    took, said = time.monotonic() - begun, (command, limits, err[-2000:])
    assert code in (0, 2), (code, *said)
    assert seconds is None or took < 1.1 * seconds + GRACE, (took, *said)
    written = {path.name for path in set(folder.iterdir()) - before}
    if code:
        assert not out, (out[:200], *said)
        assert err.startswith("discretion: "), said
        assert err.count("\n") == 1, said
        assert not written, (written, *said)
    else:
        assert not err, said
        assert "--json" not in command or json.loads(out)["results"], said
        assert written <= set(command), (written, *said)
        for name in written:
            assert (folder / name).read_text().rstrip().endswith(("</html>", "</svg>")), said


def audit(draw: Random, folder: Path) -> list[str]:
    return ["audit", _table(draw, folder), *draw.choice(([], ["--html", "page.html"])), *_json(draw)]


def exposure(draw: Random, folder: Path) -> list[str]:
    return ["exposure", _table(draw, folder), "--k", "5", *draw.choice(([], ["--chart", "curve.svg"])), *_json(draw)]


def measure(draw: Random, _: Path) -> list[str]:
    users = str(draw.choice((10, 1000, 1_000_000)))
    return ["measure", _mechanism(draw), "--users", users, *draw.choice(([], ["--shuffled"])), *_json(draw)]


def compare(draw: Random, _: Path) -> list[str]:
    users = str(draw.choice((10, 1000)))
    chart = draw.choice(([], [], ["--chart", "chart.svg", "--epsilons", "1"]))
    return ["compare", f"krr:k={draw.randint(2, 5)},epsilon=1", "--users", users, *chart, *_json(draw)]


def estimate(draw: Random, folder: Path) -> list[str]:
    secrets, claim = draw.choice((("abc", []), ("ab", ["--epsilon", "1", "--delta", "1e-5"])))
    lines = (f"{draw.choice(secrets)},{draw.randint(0, 5)}" for _ in range(300))
    (folder / "samples.csv").write_text("\n".join(("secret,seen", *lines)))
    return ["estimate", "samples.csv", *claim, *_json(draw)]


def _mechanism(draw: Random) -> str:
    return draw.choice(("krr:k=5,epsilon=1", "olh:k=20,epsilon=3", "ss:k=8,epsilon=1", "gaussian:sigma=1"))


def _table(draw: Random, folder: Path) -> str:
    rows, columns = draw.choice(((30, 3), (3000, 6), (20, 60)))
    values = draw.choice((2, 20, 10**6))
    lines = [[f"c{j}" for j in range(columns)]]
    lines += [[str(draw.randrange(values)) for _ in range(columns)] for _ in range(rows)]
    (folder / "table.csv").write_text("\n".join(map(",".join, lines)))
    return "table.csv"


def _json(draw: Random) -> list[str]:
    return draw.choice(([], ["--json"]))
