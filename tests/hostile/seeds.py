"""The same command with the same seed says the same and writes the same, whatever it samples."""

from pathlib import Path
from random import Random

from support.cli_runner import run

# A mechanism → how many values it is about.
MECHANISMS = {
    "krr:k=3,epsilon=1": 3,
    "krr:k=5,epsilon=2": 5,
    "ss:k=4,epsilon=1": 4,
    "oue:k=3,epsilon=1": 3,
    "olh:k=3,epsilon=1": 3,
}
CHARTS = ".svg", ".html", ".png", ".pdf"

# The words of a command, and the files that it writes.
Command = tuple[list[str], list[Path]]


def case(draw: Random, folder: Path) -> None:
    command, files = draw.choice(COMMANDS)(draw, folder, str(draw.randrange(2**32)))
    command += draw.choice((["--json"], []))

    def answered() -> tuple[tuple[int, str, str], list[bytes]]:
        said = run(*command)
        assert said[0] == 0, (command, said)
        return said, [path.read_bytes() for path in files]

    assert answered() == answered(), command


def measure(draw: Random, _: Path, seed: str) -> Command:
    mechanism, k = draw.choice(list(MECHANISMS.items()))
    command = ["measure", mechanism, "--users", draw.choice(("5", "40", "300")), "--seed", seed]
    alike, shares = ",".join("1" * k), ",".join([str(1 / k)] * k)
    among = "uninformed", f"exchangeable:{alike}", f"partly-informed:{'1' + ',0' * (k - 1)};{shares}"
    shuffled = [["--shuffled", "--adversary", adversary] for adversary in among]
    of_population = ["--population", "jeffreys", "--only", "average_privacy,tally_utility"]
    return [*command, *draw.choice([*shuffled, of_population])], []


def compare(draw: Random, folder: Path, seed: str) -> Command:
    command = ["compare", *draw.sample(list(MECHANISMS), 2), "--users", draw.choice(("20", "100")), "--seed", seed]
    if draw.random() < 0.7:
        return [*command, *draw.choice(([], ["--target", "posterior_vulnerability<=0.6"]))], []
    chart = folder / f"chart{draw.choice(CHARTS)}"
    return [*command, "--chart", str(chart), "--epsilons", "1,2"], [chart]


def estimate(draw: Random, folder: Path, seed: str) -> Command:
    samples, chart = folder / "samples.csv", folder / "chart.svg"
    decimals = draw.random() < 0.5
    secrets, claim = draw.choice((("abc", []), ("ab", ["--epsilon", "0", "--delta", "0"])))
    drawn = ((draw.choice(secrets), draw.gauss(0, 1) if decimals else draw.randint(0, 9)) for _ in range(300))
    samples.write_text("secret,seen\n" + "".join(f"{secret},{seen}\n" for secret, seen in drawn))
    return ["estimate", str(samples), *claim, "--chart", str(chart), "--seed", seed], [chart]


def audit(draw: Random, folder: Path, _: str) -> Command:
    table, page = folder / "people.csv", folder / "page.html"
    people = ([draw.choice("abcd"), draw.choice("klm"), draw.choice(["", "x"])] for _ in range(draw.randint(1, 60)))
    table.write_text("town,work,note\n" + "".join(",".join(person) + "\n" for person in people))
    return ["audit", str(table), "--sensitive", "town", "--html", str(page)], [page]


def exposure(draw: Random, folder: Path, _: str) -> Command:
    curve = folder / "curve.svg"
    columns = ",".join(draw.sample(["sex", "race", "age", "income", "workclass"], draw.randint(1, 4)))
    command = ["exposure", "example:adult", "--columns", columns, "--k", str(draw.randint(1, 50)), "--bounds"]
    return [*command, "--chart", str(curve)], [curve]


COMMANDS = measure, measure, measure, compare, estimate, audit, exposure
