"""The same command with the same seed says the same, whatever it samples."""

from pathlib import Path
from random import Random

from cli_runner import run

MECHANISMS = ("krr:k={k},epsilon=1", "ss:k={k},epsilon=1", "oue:k={k},epsilon=1", "olh:k={k},epsilon=1")


def case(draw: Random, folder: Path) -> None:
    command = draw.choice((measure, measure, compare, estimate))(draw, folder)
    command += ["--seed", str(draw.randrange(2**32)), *draw.choice((["--json"], []))]
    first, second = run(*command), run(*command)
    assert first == second, (command, first, second)


def measure(draw: Random, _: Path) -> list[str]:
    k = draw.randint(3, 5)
    command = ["measure", draw.choice(MECHANISMS).format(k=k), "--users", str(draw.choice((5, 40, 300)))]
    if draw.random() < 0.7:
        command.append("--shuffled")
        counts = ",".join(["1"] * k)
        adversaries = ([], ["worst"], [f"exchangeable:{counts}"], [f"partly-informed:{counts}"], ["uninformed"])
        command += [word for known in draw.choice(adversaries) for word in ("--adversary", known)]
    if draw.random() < 0.1:
        command += ["--population", "jeffreys", "--only", draw.choice(("distribution_utility", "tally_utility"))]
    return command


def compare(draw: Random, _: Path) -> list[str]:
    k = draw.randint(3, 5)
    mechanisms = [name.format(k=k) for name in draw.sample(MECHANISMS, 2)]
    return ["compare", *mechanisms, "--users", str(draw.choice((50, 500)))]


def estimate(draw: Random, folder: Path) -> list[str]:
    decimals = draw.random() < 0.5
    samples = ((draw.choice("abc"), draw.gauss(0, 1) if decimals else draw.randint(0, 9)) for _ in range(300))
    path = folder / "samples.csv"
    path.write_text("secret,seen\n" + "".join(f"{secret},{seen}\n" for secret, seen in samples))
    return ["estimate", str(path)]
