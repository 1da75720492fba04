"""`discretion estimate`: what samples in a CSV file say of a black box, and what cannot be read."""

import json
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import discretion as dc
from support.cli_runner import run

CHANNEL = np.random.default_rng(0).dirichlet(np.ones(20), size=5)


def estimated(*arguments) -> dict:
    code, out, err = run("estimate", *map(str, arguments), "--seed", "1", "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert (answer["schema_version"], answer["command"]) == (1, "estimate")
    return answer["results"]


def written(path, header, *columns):
    rows = (",".join(map(str, row)) for row in zip(*columns, strict=True))
    path.write_text("\n".join([header, *rows, ""]))
    return path


@pytest.fixture
def drawn():
    rng = np.random.default_rng(1)
    secrets = rng.integers(0, 5, 3000)
    return secrets, (rng.random(3000)[:, None] > CHANNEL.cumsum(axis=1)[secrets]).sum(axis=1)


def test_intervals_cover_the_truth_and_are_narrow(tmp_path, drawn):
    secrets, observations = drawn
    results = estimated(written(tmp_path / "s.csv", "page,size", [f"page {s}" for s in secrets], observations))
    risk, security = results["estimate_bayes_risk"], results["estimate_bayes_security"]
    assert risk["low"] < dc.bayes_risk(dc.Channel(CHANNEL)) < risk["high"] < risk["low"] + 0.08
    assert security["low"] < dc.bayes_security(dc.Channel(CHANNEL)) < security["high"]
    assert risk["confidence"] == security["confidence"] == 0.95
    assert (results["samples"], results["secrets"], results["columns"]) == (3000, 5, ["size"])
    assert results["observations"] == "discrete"
    assert results["rarest_secret"] == np.bincount(secrets).min()
    assert results["guessing_error"] == pytest.approx(1 - np.bincount(secrets).max() / 3000)


def test_a_secret_that_is_not_in_the_file_may_give_itself_away(tmp_path, drawn):
    file = written(tmp_path / "s.csv", "page,size", *drawn)
    assert estimated(file)["estimate_bayes_security"]["low"] == 0
    assert "if the file has samples of every secret, add --all-secrets" in said(file)
    security = estimated(file, "--all-secrets")["estimate_bayes_security"]
    assert 0.1 < security["low"] < dc.bayes_security(dc.Channel(CHANNEL)) < security["high"]
    assert "--all-secrets" not in said(file, "--all-secrets")


def test_it_answers_as_the_functions_do(tmp_path, drawn):
    secrets, observations = drawn
    results = estimated(written(tmp_path / "s.csv", "page,size", secrets, observations), "--confidence", "0.9")
    names = secrets.astype(str).astype(object)
    for ask in (dc.estimate_bayes_risk, dc.estimate_bayes_security):
        assert results[ask.__name__]["high"] == ask(names, observations, confidence=0.9, rng=1).high


def test_decimals_are_points_and_whole_numbers_alike_or_not(tmp_path):
    secrets = np.arange(400) % 2
    times = secrets + np.random.default_rng(2).normal(size=400)
    decimals = written(tmp_path / "d.csv", "secret,time", secrets, times)
    results = estimated(decimals)
    assert results["observations"] == "numbers"
    assert results["estimate_bayes_risk"]["method"].startswith("nearest neighbors")
    assert estimated(decimals, "--method", "frequentist")["observations"] == "discrete"
    whole = written(tmp_path / "w.csv", "secret,time", secrets, (10 * times).astype(int))
    assert estimated(whole)["observations"] == "discrete"
    assert estimated(whole, "--method", "nearest-neighbours")["observations"] == "numbers"


def test_text_makes_a_row_discrete_and_is_compared_as_it_stands(tmp_path):
    # 01 is not 1: as numbers all would be alike.
    results = estimated(written(tmp_path / "s.csv", "s,o", ["a", "b"] * 200, ["01", "1"] * 200))
    assert results["estimate_bayes_risk"]["high"] < 0.05
    mixed = written(tmp_path / "m.csv", "s,o,p", ["a", "b"] * 200, [0.5, 1.5] * 200, ["x", "y"] * 200)
    assert estimated(mixed)["observations"] == "discrete"
    code, _, err = run("estimate", str(mixed), "--method", "nearest-neighbours")
    assert code == 2
    assert "use --method frequentist" in err


def test_it_says_how_many_samples_a_width_takes(tmp_path, drawn):
    file = written(tmp_path / "s.csv", "page,size", *drawn)
    needed = estimated(file, "--half-width", "0.01")["samples_needed"]
    assert needed == dc.blackbox.samples_needed(0.01, drawn[0].astype(str).astype(object), drawn[1], rng=1)
    assert needed > 3000


@pytest.mark.parametrize("rows", [2, 3000])
def test_the_chart_is_an_svg_file(tmp_path, drawn, rows):
    file = written(tmp_path / "s.csv", "page,size", [0, 1, *drawn[0][2:rows]], drawn[1][:rows])
    estimated(file, "--chart", tmp_path / "chart.svg")
    assert ET.parse(tmp_path / "chart.svg").getroot().tag.endswith("svg")


def test_text_says_what_follows(tmp_path, drawn):
    file = written(tmp_path / "s.csv", "page,size", *drawn)
    code, out, err = run("estimate", str(file), "--seed", "1", "--half-width", "0.01")
    assert (code, err) == (0, "")
    assert "3,000 samples of 5 secrets (page)" in " ".join(out.split())
    words = " ".join(out.split())
    assert "(95 % confidence): the best guess of the secret from an observation is wrong" in words
    assert "samples would bound the Bayes risk to ±0.01" in out
    code, out, _ = run("estimate", str(file), "--method", "nearest-neighbours", "--seed", "1")
    assert "is wrong at most" in out


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("secret\na\n", "must have the secret in one column"),
        ("secret,o\n", "a header and no samples"),
        ("secret,o\na,1\na,2\n", "at least two different secrets"),
        ("secret,o\na,1\n,2\n", "no secret in sample 2"),
        ("secret,o\na,1\nb\n", "line 3"),
        ("secret,o\na,1\nb,nan\nc,2\n", "must have finite numbers"),
        ("secret,o\na,1\nb,2\nc,3\nd,n/a\n", "has numbers, but also text, first in sample 4"),
        ("secret,o\na,1\nb,2.5\nc,1e400\n", "must have finite numbers"),
        ("secret,o\na,1.5\nb,2.5\nc,1_000\n", "has numbers, but also text, first in sample 3"),
        ("secret,o\na,1\nb,\u0661\n", "has numbers, but also text, first in sample 2"),
        ("secret,o\na,1\nb, 1\n", "has numbers, but also text, first in sample 2"),
        ("secret,o,o\na,1,1\nb,2,2\n", "columns 2 and 3 of"),
        ("secret,o,O\na,1,1\nb,2,2\n", "differ only by case"),
        ("secret,\na,1\nb,2\n", "has no name for column 2"),
        ("", "is empty"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path, content, complaint):
    (tmp_path / "s.csv").write_text(content)
    code, out, err = run("estimate", str(tmp_path / "s.csv"))
    assert (code, out) == (2, "")
    assert complaint in err


def test_what_is_wrong_with_a_call_is_said(tmp_path, drawn):
    file = str(written(tmp_path / "s.csv", "page,size", *drawn))
    for arguments, complaint in [
        ([str(tmp_path / "none.csv")], "there is no such file"),
        ([str(tmp_path)], "it is a folder"),
        (["/dev/null"], "it is not a regular file"),
        ([file, "--half-width", "1e-200"], "half_width must be at least 1e-06"),
        ([str(tmp_path / "none.csv"), "--half-width", "2"], "half_width must be in (0, 1/2)"),
        ([str(tmp_path / "none.csv"), "--confidence", "2"], "confidence must be in (0, 1)"),
        ([file, "--chart", str(tmp_path / "chart.gif")], "must name a file that ends in .svg, .png, .pdf, .html, got"),
        ([file, "--confidence", "1"], "confidence must be in (0, 1)"),
        ([file, "--half-width", "0.6"], "half_width must be in (0, 1/2)"),
        ([file, "--method", "guess"], "guess"),
        ([file, "--chart", file], "it is an input file"),
    ]:
        code, out, err = run("estimate", *arguments)
        assert (code, out) == (2, "")
        assert complaint in err


def test_quoted_line_breaks_and_empty_observations_are_values(tmp_path):
    (tmp_path / "s.csv").write_text("secret,o\n" + 'a,"x\ny"\nb,\n' * 100)
    results = estimated(tmp_path / "s.csv")
    assert results["samples"] == 200
    assert results["estimate_bayes_risk"]["high"] < 0.1


def test_words_are_text_even_if_they_could_be_read_as_numbers(tmp_path):
    rng = np.random.default_rng(3)
    for words in (["nan", "Bob"], ["0x1F", "1_000"], ["inf", "Infinity"]):
        file = written(tmp_path / "w.csv", "s,o", rng.permutation(["a", "b"] * 50), [words[i % 2] for i in range(100)])
        assert estimated(file)["observations"] == "discrete"


def test_whole_numbers_of_any_length_stay_apart(tmp_path):
    for base in (2**63, 2**70, 10**500):
        file = written(tmp_path / "w.csv", "s,o", ["a", "b"] * 100, [str(base), str(base + 1)] * 100)
        results = estimated(file)
        assert results["observations"] == "discrete"
        assert results["estimate_bayes_risk"]["high"] < 0.1


def test_a_row_may_be_longer_than_a_block(tmp_path):
    file = written(tmp_path / "long.csv", "s,o", ["a", "b"] * 20, ["q", "z" * 1_500_000] * 20)
    assert estimated(file)["estimate_bayes_risk"]["high"] < 0.2


def test_without_a_seed_one_is_drawn_and_told(tmp_path, drawn):
    file = str(written(tmp_path / "s.csv", "page,size", *drawn))
    code, out, _ = run("estimate", file, "--json", "--half-width", "0.01")
    answer = json.loads(out)
    assert code == 0
    seed, risk = answer["inputs"]["seed"], answer["results"]["estimate_bayes_risk"]
    again = json.loads(run("estimate", file, "--json", "--half-width", "0.01", "--seed", seed)[1])
    assert again == answer
    # All parts are about the same draw.
    half_width = (risk["high"] - risk["low"]) / 2
    assert answer["results"]["samples_needed"] == pytest.approx(3000 * (half_width / 0.01) ** 2, abs=1)
    assert f"Seed {seed} repeats this." in run("estimate", file, "--seed", seed)[1]
    assert json.loads(run("estimate", file, "--json")[1])["inputs"]["seed"] != seed


def test_the_leakiest_pair_is_named(tmp_path):
    rng = np.random.default_rng(4)
    secrets = rng.integers(0, 4, 2000)
    file = written(tmp_path / "s.csv", "s,o", secrets, np.where(secrets == 3, 1, rng.integers(0, 2, 2000)))
    assert "3" in estimated(file)["leakiest_pair"]
    assert "that are easiest to distinguish (an estimate: '" in " ".join(run("estimate", str(file))[1].split())


def test_decimals_get_their_estimates_though_no_number_of_samples_gives_a_width(tmp_path):
    times = np.arange(400) % 2 + np.random.default_rng(2).normal(size=400)
    file = written(tmp_path / "d.csv", "secret,time", np.arange(400) % 2, times)
    results = estimated(file, "--half-width", "0.1")
    assert "samples_needed" not in results
    assert "no finite sample bounds it from below" in results["not_computed"]["samples_needed"]
    assert results["estimate_bayes_risk"]["high"] < 0.5
    code, out, err = run("estimate", str(file), "--half-width", "0.1", "--seed", "1")
    assert (code, err) == (0, "")
    assert "samples_needed is not computed: " in out


def said(file, *arguments) -> str:
    code, out, err = run("estimate", str(file), "--seed", "1", *arguments)
    assert (code, err) == (0, "")
    return " ".join(out.split())


def test_what_is_printed_of_an_interval_holds(tmp_path):
    file = written(tmp_path / "s.csv", "s,o", ["a", "b"] * 10_000, [0, 1] * 10_000)
    high = estimated(file)["estimate_bayes_risk"]["high"]
    words = said(file)
    most = float(words.split("is wrong at most ")[1].split("%")[0])
    assert 100 * high <= most <= 100 * high * 1.001
    least = float(words.split("names the correct one at least ")[1].split("%")[0])
    assert 99.9 < least <= 100 * (1 - estimated(file)["estimate_bayes_security"]["high"] / 2)
    assert "99.9 % sure in [0, " in said(file, "--confidence", "0.999")
    assert "99.5 % sure in [0, " in said(file, "--confidence", "0.995")


def test_text_says_where_nothing_is_shown(tmp_path):
    nothing = said(written(tmp_path / "two.csv", "s,o", ["a", "b"], [1, 2]))
    assert "Nothing can be concluded on how often the best guess of the secret from an observation is wrong" in nothing
    assert "Nothing can be concluded on how well the two secrets that are easiest to distinguish" in nothing
    assert "no leakage" not in nothing
    assert "0 errors of 0" not in nothing
    assert "100.0%" not in nothing
    rng = np.random.default_rng(5)
    alike = written(tmp_path / "null.csv", "s,o", rng.permutation(["a", "b"] * 500), rng.integers(0, 2, 1000))
    words = said(alike, "--all-secrets")
    assert "a guess without the observation 50 %; no leakage is shown at this confidence." in words
    assert "of the time; no leakage is shown at this confidence." in words


def test_no_name_steers_the_terminal(tmp_path):
    file = tmp_path / "s\x1b[2J.csv"
    file.write_text('secret,"o\x1b[31mred"\n' + "a\x1b[1m,1\nb,2\n" * 50)
    code, out, _ = run("estimate", str(file))
    assert code == 0
    assert "\x1b" not in out
    assert "o\\x1b[31mred" in out


@pytest.mark.parametrize("method", ["frequentist", "nearest-neighbours"])
def test_a_secret_that_few_samples_have_is_named_only_if_asked_for(tmp_path, method):
    secrets = ["a", "b"] * 40 + ["seldom"] * 9
    file = str(written(tmp_path / "s.csv", "s,o", secrets, [0, 0] * 40 + [7] * 9))
    command = ["estimate", file, "--method", method, "--seed", "1"]
    for more in ([], ["--json"], ["--all-secrets"], ["--all-secrets", "--json"]):
        code, out, err = run(*command, *more)
        assert (code, err) == (0, "")
        assert "seldom" not in out
    assert "withheld" in out
    if method == "nearest-neighbours":
        return  # with ten samples it does not find the pair
    common = str(written(tmp_path / "c.csv", "s,o", [*secrets, "seldom"], [0, 0] * 40 + [7] * 10))
    told = [
        run(*command, "--show-rare", "--json"),
        run("estimate", common, "--method", method, "--seed", "1", "--json"),
    ]
    for code, out, _ in told:
        results = json.loads(out)["results"]
        assert code == 0
        assert not results["leakiest_pair_withheld"]
        assert "seldom" in results["leakiest_pair"]


@pytest.mark.parametrize(
    "content", ["s,o\na,1\nb,2\nc,PLANTED\n", "s,o\nPLANTED,1\nPLANTED,2\n", "s,o\na,1\nb,PLANTED,2\n"]
)
def test_no_error_quotes_a_value_of_the_file(tmp_path, content):
    (tmp_path / "s.csv").write_text(content)
    code, out, err = run("estimate", str(tmp_path / "s.csv"))
    assert code == 2
    assert "PLANTED" not in out + err


@pytest.mark.parametrize("header", ['"se\0cret",seen', "secret,seen", "a\0,1"])
def test_the_first_line_is_no_sample_whatever_its_bytes(header: str, tmp_path) -> None:
    path = tmp_path / "samples.csv"
    path.write_text(header + "\n" + "".join(f'"a\n{i % 3}",{i % 5}\n' for i in range(40)))
    code, out, _ = run("estimate", path, "--header", "yes", "--seed", "1", "--json")
    found = json.loads(out)["results"]
    assert (code, found["samples"], found["secrets"], found["rarest_secret"]) == (0, 40, 3, 13)


def test_what_may_be_any_share_is_not_shown_as_one(tmp_path) -> None:
    path = tmp_path / "few.csv"
    path.write_text("secret,observation\n" + "a,x\nb,x\n" * 3)
    code, out, _ = run("estimate", str(path), "--seed", "1")
    (row,) = (line.split() for line in out.splitlines() if line.strip().startswith("estimate_bayes_security "))
    assert code == 0
    assert row[1:] == ["≤", "1", "95", "%", "sure", "in", "[0,", "1]"]


class TestClaims:
    """Of differential privacy: Laplace noise with ε = 2, and randomized answers with ε = ln(7/3)."""

    @pytest.fixture
    def noise(self, tmp_path):
        rng = np.random.default_rng(4)
        inputs = np.arange(1600) % 2
        return written(tmp_path / "noise.csv", "input,output", inputs, inputs + rng.laplace(scale=0.5, size=1600))

    @pytest.fixture
    def answers(self, tmp_path):
        rng = np.random.default_rng(5)
        inputs = np.arange(1600) % 2
        said_yes = np.where(rng.random(1600) < np.where(inputs, 0.7, 0.3), "yes", "no")
        return written(tmp_path / "answers.csv", "input,answer,day", inputs, said_yes, rng.integers(3, size=1600))

    def test_one_that_is_wrong_is_refuted(self, noise):
        code, out, _ = run("estimate", str(noise), "--seed", "1", "--epsilon", "1", "--delta", "1e-5")
        assert code == 0
        assert "not (1, 1e-05)-differentially private: its ε at δ = 1e-05 is at least 1." in " ".join(out.split())
        _, out, _ = run("estimate", str(noise), "--seed", "1", "--epsilon", "1")
        assert "is not 1-differentially private: its δ at ε = 1 is at least 0.2" in " ".join(out.split())

    def test_one_that_is_right_is_not(self, noise, answers):
        _, out, _ = run("estimate", str(noise), "--seed", "1", "--epsilon", "2", "--delta", "0")
        assert "do not refute the claim that the program is (2, 0)-differentially private" in " ".join(out.split())
        _, out, _ = run("estimate", str(answers), "--seed", "1", "--epsilon", "0.9")
        assert "do not refute the claim that the program is 0.9-differentially private" in " ".join(out.split())

    def test_without_an_epsilon_none_is_judged(self, answers):
        _, out, _ = run("estimate", str(answers), "--seed", "1", "--delta", "0")
        assert "its ε at δ = 0 is at least 0." in " ".join(out.split())

    def test_it_answers_as_the_functions_do(self, noise, answers):
        results = estimated(noise, "--epsilon", "1", "--delta", "0.01", "--confidence", "0.9")
        rows = np.loadtxt(noise, delimiter=",", skiprows=1)
        x, y = (rows[rows[:, 0] == side, 1] for side in (0, 1))
        assert results["estimate_epsilon"]["low"] == dc.estimate_epsilon(x, y, 0.01, 0.9, rng=1).low > 1
        assert results["estimate_privacy_profile"]["low"] == dc.estimate_privacy_profile(x, y, 1, 0.9, rng=1).low > 0.25
        assert (results["estimate_epsilon"]["high"], results["estimate_privacy_profile"]["high"]) == ("inf", 1)
        assert 0.6 < estimated(answers, "--delta", "0")["estimate_epsilon"]["low"] < np.log(7 / 3)
        assert "estimate_epsilon" not in estimated(noise, "--epsilon", "1")

    @pytest.mark.parametrize("method", ["frequentist", "nearest-neighbours"])
    def test_the_method_is_the_one_that_was_asked_for(self, noise, method):
        named = estimated(noise, "--delta", "0", "--method", method)["estimate_epsilon"]["method"]
        assert named.startswith(method.replace("-", " "))

    def test_rows_of_decimals_are_points(self, tmp_path):
        rng, inputs = np.random.default_rng(6), np.arange(600) % 2
        noise = rng.laplace(scale=2, size=600)
        file = written(tmp_path / "two.csv", "input,a,b", inputs, noise + inputs, noise)
        assert estimated(file, "--delta", "0")["estimate_epsilon"]["low"] > 2

    def test_a_gate_fails_or_is_not_decided(self, noise):
        for limit, code in ((1, 1), (3, 3)):
            gate = f"estimate_epsilon>{limit}"
            assert run("estimate", str(noise), "--seed", "1", "--delta", "0", "--fail-over", gate)[0] == code
        code, _, err = run("estimate", str(noise), "--fail-over", "estimate_epsilon>1")
        assert code == 2
        assert "estimate_epsilon" in err

    def test_it_takes_two_secrets_and_a_claim_that_can_be(self, tmp_path, drawn, noise):
        file = written(tmp_path / "s.csv", "page,size", *drawn)
        for path, option, value, complaint in [
            (file, "--epsilon", "1", "must have two secrets, got 5; keep the samples of two"),
            (noise, "--epsilon", "-1", "epsilon must be at least 0"),
            (noise, "--delta", "2", "delta must be in [0, 1]"),
        ]:
            code, out, err = run("estimate", str(path), option, value)
            assert (code, out) == (2, "")
            assert complaint in " ".join(err.split())


@pytest.fixture
def timing(tmp_path):
    """Return samples of a program whose cycles give its key away, the columns in this order."""
    rng = np.random.default_rng(1)
    keys = rng.integers(4, size=3000)
    cycles = 100_000 + 20_000 * keys + rng.integers(-9000, 9000, size=3000)
    return lambda *columns: written(
        tmp_path / f"{'-'.join(columns)}.csv", ",".join(columns), *({"key": keys, "cycles": cycles}[c] for c in columns)
    )


def test_secrets_are_not_taken_for_observations(timing):
    code, out, err = run("estimate", str(timing("cycles", "key")))
    assert (code, out) == (2, "")
    assert "samples in" in err
    assert "have a secret (column 'cycles') that no other sample has, and nothing can be concluded" in err
    assert "--secret if it is another one (key)" in err


def test_the_secret_is_in_the_column_that_is_named(timing):
    by_name, first = timing("cycles", "key"), timing("key", "cycles")
    method = ("--method", "nearest-neighbours")
    assert estimated(by_name, "--secret", "key", *method) == estimated(first, *method)
    assert estimated(first, *method)["secret"] == "key"
    assert estimated(first, *method)["estimate_bayes_risk"]["high"] < 0.01
    assert "3,000 samples of 4 secrets (key)" in said(by_name, "--secret", "key", *method)
    code, _, err = run("estimate", str(first), "--secret", "kez")
    assert code == 2
    assert "'kez'" in err
    assert "'key'" in err


# Samples that show nothing → what else is asked.
VACUOUS = {
    "two samples": ((["a", "b"], [1, 2]), ()),
    "few samples": ((["a", "b"] * 8, [1, 2, 2, 1] * 4), ("--all-secrets",)),
    "few of each": ((np.arange(60) // 2, np.random.default_rng(1).integers(9, size=60)), ("--all-secrets",)),
    "points": ((["a", "b"] * 30, np.random.default_rng(1).normal(size=60)), ()),
    "no claim": ((["a", "b"] * 30, np.random.default_rng(2).integers(2, size=60)), ("--epsilon", "1", "--delta", "0")),
    "no epsilon": ((["a", "b"] * 30, np.random.default_rng(2).integers(2, size=60)), ("--delta", "0")),
    "no delta": ((["a", "b"] * 30, np.random.default_rng(2).integers(2, size=60)), ("--epsilon", "1")),
}


@pytest.mark.parametrize("name", VACUOUS)
def test_what_shows_nothing_gets_no_reassuring_word(name, tmp_path):
    columns, options = VACUOUS[name]
    words = said(written(tmp_path / "s.csv", "s,o", *columns), *options)
    assert words.lower().count("nothing can be concluded") == 2 + (
        "claim" in name or "epsilon" in name or "delta" in name
    )
    assert "More samples of each secret may settle this" in words
    assert "no leakage" not in words
    assert "at least 0" not in words


def test_whole_numbers_that_hardly_recur_name_the_method_that_compares_their_distance(tmp_path):
    rng, secrets = np.random.default_rng(3), ["a", "b"] * 500
    times = [int(rng.normal(10**6 + 5000 * (secret == "b"), 10**4)) for secret in secrets]
    path = written(tmp_path / "times.csv", "s,t", secrets, times)
    words = said(path)
    assert "whole numbers that hardly recur (" in words
    assert "Nothing can be concluded on whether the program leaks" in words
    assert "The program leaks" in said(path, "--method", "nearest-neighbours")
    few = said(written(tmp_path / "few.csv", "s,t", secrets, rng.integers(9, size=1000).tolist()))
    assert "hardly recur" not in few


def test_a_gate_that_no_number_of_samples_passes_names_the_way_out(tmp_path):
    rng = np.random.default_rng(6)
    times = written(tmp_path / "times.csv", "s,t", rng.permutation(["a", "b"] * 500), rng.normal(10, 1, 1000).tolist())
    code, out, _ = run("estimate", times, "--seed", "1", "--fail-over", "estimate_bayes_security<0.9")
    assert code == 3
    assert "round the observations to the precision of the observer" in " ".join(out.split())


@pytest.mark.parametrize("gate", ["estimate_bayes_security>0.9", "estimate_epsilon>2"])
def test_a_gate_that_more_samples_can_decide_names_them(tmp_path, gate):
    rng = np.random.default_rng(6)
    times = written(tmp_path / "times.csv", "s,t", rng.permutation(["a", "b"] * 500), rng.normal(10, 1, 1000).tolist())
    code, out, _ = run("estimate", times, "--seed", "1", "--delta", "0.001", "--fail-over", gate)
    assert code == 3
    assert "take more samples" in " ".join(out.split())
