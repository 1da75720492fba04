"""`discretion compare`: mechanisms side by side, and how far each is from a target."""

import json
import math
import xml.etree.ElementTree as ET

import pytest

import discretion as dc
import discretion.charts.page
from discretion.presenting.numbers import rounded_down, rounded_up
from support.cli_runner import run
from support.public_names import BY_NAME

RR = dc.RandomizedResponse


def compared(*arguments: str) -> dict:
    code, out, err = run("compare", *arguments, "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    assert (answer["schema_version"], answer["command"]) == (1, "compare")
    return answer["results"]


def value(result) -> float:
    return result["value"] if isinstance(result, dict) else result


@pytest.mark.long
def test_alone_every_result_is_the_function_of_its_name() -> None:
    results = compared("krr:k=4,epsilon=1", "oue:k=4,epsilon=1")
    assert list(results) == ["krr:k=4,epsilon=1", "oue:k=4,epsilon=1", "refinement"]
    results.pop("refinement")
    for found, mechanism in zip(results.values(), (RR(4, 1), dc.UnaryEncoding.oue(4, 1)), strict=True):
        worth = dc.information.effective_participation(mechanism, rng=0)
        assert float(worth) == pytest.approx(value(found.pop("effective_participation")), rel=1e-5)
        names = ("ldp_epsilon", "posterior_vulnerability", "bayes_security", "average_privacy")
        assert found == {name: BY_NAME[name](mechanism) for name in names}


def test_shuffled_results_stand_beside_those_alone() -> None:
    prior = [0.5, 0.3, 0.2]
    arguments = ["--users", "50", "--prior", "0.5,0.3,0.2", "--adversary", "partly-informed:5,1,0;0.2,0.2,0.6"]
    found = compared("krr:k=3,epsilon=1", *arguments, "--epsilon", "0.2", "--delta", "0.01")["krr:k=3,epsilon=1"]
    mechanism, adversary = RR(3, 1), dc.PartlyInformed([5, 1, 0], [0.2, 0.2, 0.6])
    crowd = dc.Shuffled(mechanism, 50)
    assert found["posterior_vulnerability"] == dc.posterior_vulnerability(mechanism, prior)
    assert found["frequency_error"] == dc.frequency_error(mechanism, 50)._asdict()
    assert found["shuffled"] == {
        "posterior_vulnerability": dc.posterior_vulnerability(crowd.seen_by(adversary), prior),
        "bayes_security": dc.bayes_security(crowd.seen_by(adversary), prior),
        "privacy_profile": dc.privacy_profile(crowd.seen_by(adversary), 0.2),
        "dp_epsilon": dc.dp_epsilon(crowd.seen_by(adversary), 0.01),
    }


def test_a_target_says_whether_it_is_met_and_what_it_takes() -> None:
    target = ["--users", "200", "--target", "posterior_vulnerability<=0.51"]
    results = compared("krr:k=2,p=0.9", "krr:k=2,p=0.6", *target)
    # Shuffle, Theorem 19: 0.52254 and 0.50563 at n = 200; the excess is that without noise times tanh(ε/2).
    loose, tight = (results[name]["target"] for name in ("krr:k=2,p=0.9", "krr:k=2,p=0.6"))
    assert (loose["met"], tight["met"]) == (False, True)
    assert [round(found["value"], 5) for found in (loose, tight)] == [0.52254, 0.50563]
    without_noise = math.comb(199, 99) / 2**200
    for found, share in ((loose, 0.8), (tight, 0.2)):
        assert math.isclose(found["largest_epsilon"], 2 * math.atanh(0.01 / without_noise), rel_tol=1e-8)
        enough = (n for n in range(1, 3000) if share * math.comb(n - 1, (n - 1) // 2) <= 0.01 * 2**n)
        assert found["smallest_crowd"] == next(enough)


@pytest.mark.long
@pytest.mark.parametrize(
    ("target", "question"),
    [
        ("leakage<=1.05", dc.leakage),
        ("bayes_risk>=0.48", dc.bayes_risk),
        ("bayes_security >= 0.95", dc.bayes_security),
        ("mutual_information <= 1e-3", dc.mutual_information),
        ("privacy_profile<=0.02", lambda s: dc.privacy_profile(s.seen_by(dc.WorstAllButOne()), 0.1)),
        ("dp_epsilon<=0.3", lambda s: dc.dp_epsilon(s.seen_by(dc.WorstAllButOne()), 0.01)),
    ],
)
def test_a_target_can_be_any_of_these(target: str, question) -> None:
    levels = ["--epsilon", "0.1", "--delta", "0.01"]
    found = compared("krr:k=2,epsilon=1", "--users", "100", *levels, "--target", target)["krr:k=2,epsilon=1"]["target"]
    assert found["value"] == question(dc.Shuffled(RR(2, 1), 100))
    level = float(target.split("=")[1])
    limit = {"at_most": level} if "<" in target else {"at_least": level}
    assert found["smallest_crowd"] == dc.shuffling.smallest_crowd(RR(2, 1), question, **limit)
    largest = dc.shuffling.largest_epsilon(lambda e: RR(2, e), 100, question, **limit)
    assert math.isclose(found["largest_epsilon"], largest, rel_tol=1e-8)
    assert found["met"] == (found["smallest_crowd"] <= 100)


def test_without_users_a_target_is_a_question_for_their_number() -> None:
    found = compared("krr:k=2,epsilon=1", "--target", "bayes_security>=0.99")["krr:k=2,epsilon=1"]
    assert found["target"] == {
        "smallest_crowd": dc.shuffling.smallest_crowd(RR(2, 1), dc.bayes_security, at_least=0.99)
    }


def test_the_worst_adversary_has_a_smallest_crowd() -> None:
    arguments = ["--adversary", "worst", "--target", "posterior_vulnerability<=0.55"]
    found = compared("krr:k=2,epsilon=1", *arguments)["krr:k=2,epsilon=1"]["target"]

    def guess(n: int) -> float:
        return float(dc.posterior_vulnerability(dc.Shuffled(RR(2, 1), n).seen_by(dc.WorstAllButOne())))

    assert guess(found["smallest_crowd"]) <= 0.55 < guess(found["smallest_crowd"] - 1)


def test_what_a_mechanism_or_an_adversary_does_not_have_says_why(tmp_path) -> None:
    file = tmp_path / "channel.csv"
    file.write_text("0.9,0.1\n0.2,0.8\n")
    arguments = ["--users", "10", "--target", "posterior_vulnerability<=0.6"]
    refused = compared(f"channel:{file}", *arguments)[f"channel:{file}"]["not_computed"]
    assert set(refused) == {"largest_epsilon"}
    assert "no parameter epsilon" in refused["largest_epsilon"]
    known = compared("krr:k=2,epsilon=1", *arguments, "--adversary", "all-but-one:4,5")["krr:k=2,epsilon=1"]
    assert "fix the number of users" in known["not_computed"]["smallest_crowd"]
    assert set(known["target"]) == {"value", "met", "largest_epsilon", "error_at_largest_epsilon"}
    no_crowd = compared("krr:k=2,epsilon=1", "--users", "10", "--target", "posterior_vulnerability<=0.4")
    refused = no_crowd["krr:k=2,epsilon=1"]["not_computed"]
    assert "no crowd" in refused["smallest_crowd"]
    assert "no epsilon" in refused["largest_epsilon"]


def test_no_need_of_noise_is_an_infinite_epsilon() -> None:
    found = compared("rappor:k=2,epsilon=1", "--users", "10", "--target", "posterior_vulnerability<=0.7")
    assert found["rappor:k=2,epsilon=1"]["target"]["largest_epsilon"] == "inf"


@pytest.mark.long
def test_a_seed_makes_a_sample_the_same_again() -> None:
    arguments = ["krr:k=3,epsilon=1", "--users", "300", "--adversary", "exchangeable:1,1,1", "--seed", "5"]
    first, again = (compared(*arguments)["krr:k=3,epsilon=1"] for _ in range(2))
    assert first == again
    estimate = first["shuffled"]["posterior_vulnerability"]
    assert set(estimate) == {"value", "value_is", "kind", "low", "high", "confidence", "method", "assuming"}
    # Alone an exchangeable target's value is drawn from alpha over its sum.
    assert first["posterior_vulnerability"] == dc.posterior_vulnerability(RR(3, 1))


def test_which_is_safer_against_everybody_is_told() -> None:
    two = ["krr:k=2,epsilon=1", "krr:k=2,p=0.7310585786300049", "rappor:k=2,epsilon=1"]
    order = compared(*two)["refinement"]
    assert order["classes"] == [two[:2], two[2:]]
    assert order["covers"] == [{"refined": two[:2], "by": two[2:]}]
    said = " ".join(run("compare", *two)[1].split())
    assert f"{two[0]}, {two[1]} leak the same to every adversary" in said
    assert f"{two[2]} is at least as safe as {two[0]} against every adversary" in said
    either = ["krr:k=3,epsilon=1", "oue:k=3,epsilon=1"]
    ((first, second),) = [found["gaps"] for found in compared(*either)["refinement"]["incomparable"]]
    said = " ".join(run("compare", *either)[1].split())
    assert (
        f"{', '.join(either)}: neither is safer against every adversary; some adversary gains {second:.4g} more" in said
    )
    assert f"another {first:.4g} more from the second" in said


def test_what_cannot_be_ordered_is_said_with_the_reason() -> None:
    said = " ".join(run("compare", "krr:k=2,epsilon=1", "krr:k=3,epsilon=1")[1].split())
    assert "Not compared: the first system's secrets (2) and the second's (3) must be equal in number" in said
    said = " ".join(run("compare", "krr:k=1000,epsilon=1", "krr:k=1000,epsilon=2")[1].split())
    assert "epsilon=2: not compared: a comparison of 1,000 kinds" in said


def test_eighty_columns_hold_every_number(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    mechanisms = ["krr:k=5,epsilon=1", "krr:k=20,epsilon=0.125"]
    arguments = ["--users", "10000", "--adversary", "uninformed", "--target", "posterior_vulnerability<=0.21"]
    for levels in ([], ["--epsilon", "0.1", "--delta", "1e-6"]):
        code, out, _ = run("compare", *mechanisms, *arguments, *levels)
        assert code == 0
        assert "…" not in out
        assert max(map(len, out.splitlines())) <= 80
        assert "smallest crowd" in out
        for name in mechanisms:
            found = compared(name, *arguments, *levels)[name]
            shuffled, error, target = found["shuffled"], found["frequency_error"], found["target"]
            numbers = [found["ldp_epsilon"], found["posterior_vulnerability"], *shuffled.values(), *error.values()]
            assert all(f"{number:.4g}" in out for number in numbers)
            assert f"{target['smallest_crowd']:,}" in out


@pytest.mark.long
def test_an_estimate_is_starred_and_its_interval_told() -> None:
    arguments = ["krr:k=3,epsilon=1", "--users", "300", "--adversary", "exchangeable:1,1,1", "--seed", "5"]
    estimate = compared(*arguments)["krr:k=3,epsilon=1"]["shuffled"]["posterior_vulnerability"]
    code, out, _ = run("compare", *arguments)
    assert code == 0
    said = " ".join(out.split())
    assert f"{estimate['value']:.4g}*" in said
    assert f"95 % sure in [{rounded_down(estimate['low'], 6)}, {rounded_up(estimate['high'], 6)}]" in said
    assert f"*: {estimate['method']}" in said


CHARTED = ["krr:k=2,epsilon=1", "oue:k=2,epsilon=2", "--epsilons", "0.5,4", "--seed", "1"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("suffix", "beginning"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF-"), ("html", b"<!doctype html>")]
)
def test_a_chart_is_what_its_name_says(tmp_path, suffix: str, beginning: bytes) -> None:
    file = tmp_path / f"chart.{suffix}"
    code, out, err = run("compare", *CHARTED, "--chart", file)
    assert (code, err) == (0, "")
    assert f"Chart: {file}" in out
    assert file.read_bytes().startswith(beginning)
    assert [path.name for path in tmp_path.iterdir()] == [file.name]


@pytest.mark.long
def test_a_chart_shows_each_mechanism_as_epsilon_varies(tmp_path) -> None:
    results = compared(*CHARTED, "--users", "100", "--chart", tmp_path / "chart.svg")
    best = results.pop("optimal_mechanism")
    assert results.pop("refinement")["undecided"] == []
    for make, own, found in zip((RR, dc.UnaryEncoding.oue), (1, 2), results.values(), strict=True):
        assert [point["epsilon"] for point in found["curve"]] == pytest.approx([0.5, 1, 2, 4])
        for epsilon, point in zip((0.5, 1, 2, 4), found["curve"], strict=True):
            mechanism = make(2, epsilon)
            assert point["given"] == (epsilon == own)
            assert point["worst_case_privacy"] == pytest.approx(math.exp(-epsilon))
            assert point["average_privacy"] == pytest.approx(dc.information.average_privacy(mechanism))
            assert value(point["effective_participation"]) == pytest.approx(
                dc.information.effective_participation(mechanism)
            )
            assert point["frequency_error"]["people"] == pytest.approx(dc.frequency_error(mechanism, 100).people)
    for row in results.values():
        for point in row["curve"]:
            assert value(point["effective_participation"]) <= 1 - point["average_privacy"]
    # Of two values nothing beats randomized response.
    for point, own in zip(best["curve"], results["krr:k=2,epsilon=1"]["curve"], strict=True):
        assert point["effective_participation"] == pytest.approx(own["effective_participation"])
        assert point["gap"] <= 1e-6


def drawn(file) -> str:
    return " ".join(text for text in ET.parse(file).getroot().itertext())


@pytest.mark.long
def test_a_chart_names_its_axes_and_its_mechanisms(tmp_path) -> None:
    file = tmp_path / "chart.svg"
    compared(*CHARTED, "--users", "100", "--chart", file)
    words = drawn(file)
    axes = ("hidden on average", "hidden in the worst case", "utility of a report", "a count of 100, in people")
    for expected in (
        *axes,
        "krr:k=2,epsilon=1",
        "the largest utility of any mechanism",
        "F = 1 - S",
        "ε from 0.5 to 4",
    ):
        assert expected in words


@pytest.mark.long
def test_a_mechanism_whose_epsilon_cannot_vary_is_a_mark(tmp_path) -> None:
    channel = tmp_path / "channel.csv"
    channel.write_text("0.9,0.1\n0.2,0.8\n")
    spelled = [f"channel:{channel}", "ue:k=2,kappa=0.6,lam=0.2"]
    results = compared(*spelled, "--epsilons", "1", "--chart", tmp_path / "chart.svg")
    for name in spelled:
        assert len(results[name]["curve"]) == 1
        assert results[name]["curve"][0]["epsilon"] == results[name]["ldp_epsilon"]


@pytest.mark.long
def test_beyond_ten_values_a_chart_says_what_it_leaves_out(tmp_path) -> None:
    file = tmp_path / "chart.svg"
    results = compared("krr:k=100,epsilon=1", "oue:k=100,epsilon=1", "--users", "100", "--chart", file)
    assert "2 to 10 values" in results["optimal_mechanism"]["not_computed"]
    assert "effective_participation" not in results["oue:k=100,epsilon=1"]
    words = drawn(file)
    assert "Without the utility of a report, which takes too long" in words
    assert "the largest utility of any mechanism: the best mechanism is" in words


@pytest.mark.long
def test_mechanisms_on_different_values_have_no_common_best(tmp_path) -> None:
    results = compared("krr:k=2,epsilon=1", "krr:k=3,epsilon=1", "--chart", tmp_path / "chart.svg")
    assert "different numbers of values" in results["optimal_mechanism"]["not_computed"]


def test_a_chart_that_fails_half_way_leaves_the_old_one(tmp_path, monkeypatch) -> None:
    def full_disk(_: object) -> str:
        raise OSError("no space left")

    monkeypatch.setattr(discretion.charts.page, "to_svg", full_disk)
    file = tmp_path / "chart.svg"
    file.write_text("old")
    assert run("compare", *CHARTED, "--chart", file)[0] == 2
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("chart.svg", "old")]


BAD = {
    "a chart of no kind": (["krr:k=2,p=0.7", "--chart", "chart.gif"], "ends in .svg, .png, .pdf, .html"),
    "a chart in no folder": (["krr:k=2,p=0.7", "--chart", "nowhere/chart.svg"], "no such file or directory"),
    "a chart of nothing": (["oue:k=100,epsilon=1", "--chart", "chart.svg"], "with --users N the standard error"),
    "points of no chart": (["krr:k=2,p=0.7", "--epsilons", "1"], "add --chart"),
    "points at no epsilon": (["krr:k=2,p=0.7", "--epsilons", "0,1", "--chart", "chart.svg"], "above 0 and finite"),
    "points of words": (["krr:k=2,p=0.7", "--epsilons", "a", "--chart", "chart.svg"], "numbers separated by commas"),
    "nothing": ([], "needs a mechanism"),
    "twice": (["krr:k=2,p=0.7", "krr:k=2,p=0.7"], "given twice"),
    "misspelt mechanism": (["krr:k=2,p=0.7", "kr:k=2,p=0.7"], "did you mean 'krr'"),
    "a target in words": (["krr:k=2,p=0.7", "--target", "little leakage"], "a measure, <= or >=, and a number"),
    "a target without number": (["krr:k=2,p=0.7", "--target", "leakage<=little"], "numbers separated by commas"),
    "misspelt target": (["krr:k=2,p=0.7", "--target", "leakag<=1"], "did you mean 'leakage'"),
    "a target away from privacy": (["krr:k=2,p=0.7", "--target", "leakage>=2"], "use leakage<=2"),
    "a risk away from privacy": (["krr:k=2,p=0.7", "--target", "bayes_risk<=0.2"], "use bayes_risk>=0.2"),
    "a profile at no epsilon": (["krr:k=2,p=0.7", "--target", "privacy_profile<=0.1"], "needs --epsilon E"),
    "an epsilon at no delta": (["krr:k=2,p=0.7", "--target", "dp_epsilon<=0.1"], "needs --delta D"),
    "counts for all crowds": (
        ["krr:k=2,p=0.7", "--target", "leakage<=2", "--adversary", "all-but-one:1,2"], "uninformed or worst"
    ),
    "an exchangeable one for all crowds": (
        ["krr:k=2,p=0.7", "--target", "leakage<=2", "--adversary", "exchangeable:1,2"], "uninformed or worst"
    ),
    "an adversary of nobody": (["krr:k=2,p=0.7", "--adversary", "worst"], "add --users N"),
    "wrong counts": (["krr:k=2,p=0.7", "--users", "9", "--adversary", "all-but-one:1,2"], "n-1 = 8 other users"),
    "no users": (["krr:k=2,p=0.7", "--users", "0"], "at least 1, got 0"),
    "prior too short": (["krr:k=2,p=0.7", "krr:k=3,p=0.7", "--prior", "0.5,0.5"], "one probability per secret (3)"),
    "negative epsilon": (["krr:k=2,p=0.7", "--epsilon", "-1"], "epsilon must be at least 0"),
    "a delta above 1": (["krr:k=2,p=0.7", "--delta", "2"], "delta must be in [0, 1]"),
    "negative seed": (["krr:k=2,p=0.7", "--seed", "-1"], "--seed must be a whole number of at least 0"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_one_sentence_and_exit_code_2(tmp_path, monkeypatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    arguments, expected = BAD[name]
    code, out, err = run("compare", *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("discretion: ")
    assert err.count("\n") == 1
    assert expected in err
    assert list(tmp_path.iterdir()) == []
