"""A designed question: the best parameters of each protocol within the goals, and no others."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

import discretion as dc
from discretion.errors import InvalidValueError
from discretion.estimate import highest, lowest
from discretion.jobs.design import run_design
from discretion.jobs.design.goals import Setting, goals_of
from discretion.jobs.monitor import Monitor
from discretion.jobs.options.mechanisms import DesignOptions
from discretion.jobs.protocols import EPSILONS, PEOPLE, PROTOCOLS, Protocol, last_place
from jobs.limited import Limited

# A crowd whose numbers are sums, so that they are known to the last digit.
CROWD = {"answers": 3, "users": 12, "seed": 1}
SMALL = {**CROWD, "adversary": "all-but-one:11,0,0"}


def place_of(epsilon: float) -> int:
    (place,) = (place for place in range(EPSILONS.last + 1) if EPSILONS[place] == epsilon)
    return place


@pytest.mark.long
def test_the_question_of_a_telemetry_team() -> None:
    result = dc.design(12, 50_000, guess="+0.01", protocols=["krr", "ss", "olh"], seed=1)
    chosen = result.recommended
    assert chosen is not None
    assert chosen.mechanism == "krr:k=12,epsilon=5.61"
    assert highest(chosen.guess) <= 1 / 12 + 0.01
    assert chosen.frequency_error["people"] == pytest.approx(18.5542, abs=1e-4)
    assert chosen.alone["posterior_vulnerability"] == pytest.approx(0.9613, abs=1e-4)
    assert 0.40 < lowest(chosen.shuffled["dp_epsilon"]) <= highest(chosen.shuffled["dp_epsilon"]) < 0.42
    assert result.runner_up is not None
    assert result.runner_up.protocol == "olh"  # subset selection of one answer is k-RR
    text = result.to_markdown()
    assert "knows all other answers" in text
    assert "If the shuffler is not honest" in text


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=60), st.integers(0, 200))
def test_a_search_finds_the_last_place_with_few_questions(margins: list[float], start: int) -> None:
    falling, asked = sorted(margins, reverse=True), []

    def margin(place: int) -> float:
        asked.append(place)
        return falling[place]

    found = last_place(margin, len(falling) - 1, start % len(falling))
    assert found == max((place for place, each in enumerate(falling) if each >= 0), default=None)
    assert len(asked) == len(set(asked))


def test_the_grids_are_numbers_of_three_digits_in_order() -> None:
    epsilons = [EPSILONS[place] for place in range(EPSILONS.last + 1)]
    people = [PEOPLE[place] for place in range(PEOPLE.last + 1)]
    for grid in (epsilons, people):
        assert all(one < other for one, other in itertools.pairwise(grid))
        assert all(float(f"{number:.3g}") == number for number in grid)
    assert (epsilons[0], epsilons[-1], people[0], people[-1]) == (0.001, 25.0, 1, 10**10)


@pytest.mark.parametrize(
    ("protocol", "adversary"),
    [("krr", "worst"), ("krr", "uninformed"), *((protocol, "all-but-one:11,0,0") for protocol in PROTOCOLS)],
)
def test_the_largest_epsilon_meets_the_goal_and_the_next_one_does_not(protocol: str, adversary: str) -> None:
    result = run_design(DesignOptions(**CROWD, guess="0.4", adversary=adversary, protocols=[protocol]))
    ((_, design),) = result.protocols.items()
    assert highest(design.guess) <= 0.4
    setting = Setting(result.options)
    goal, *_ = goals_of(result.options, setting)
    louder = EPSILONS[place_of(design.epsilon) + 1]
    assert goal.margin(goal.ask(Protocol(protocol, 3).at(louder), 12)) < 0


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_least_epsilon_reaches_the_error_and_the_one_before_does_not(protocol: str) -> None:
    result = dc.design(5, 1000, error=0.03, protocols=[protocol], unshuffled=True)
    ((_, design),) = result.protocols.items()
    assert design.frequency_error["share"] <= 0.03
    quieter = Protocol(protocol, 5).at(EPSILONS[place_of(design.epsilon) - 1])
    assert dc.frequency_error(quieter, 1000).share > 0.03


@pytest.mark.parametrize(("adversary", "error"), [("worst", 0.02), ("uninformed", 0.01)])
def test_the_fewest_people_meet_both_goals_and_fewer_do_not(adversary: str, error: float) -> None:
    both = {"answers": 2, "guess": "+0.01", "error": error, "protocols": ["krr"], "adversary": adversary}
    chosen = dc.design(**both).recommended
    assert chosen is not None
    assert highest(chosen.guess) <= 0.51
    assert chosen.frequency_error["share"] <= error
    place = next(place for place in range(PEOPLE.last) if PEOPLE[place] == chosen.users)
    fewer = {**both, "users": int(PEOPLE[place - 1])}
    options = DesignOptions(**{**fewer, "error": str(error)})
    setting = Setting(options)
    guess, accuracy = goals_of(options, setting)
    users = fewer["users"]
    reached = (place for place in range(EPSILONS.last) if _error(EPSILONS[place], users) <= accuracy.level)
    mechanism = dc.RandomizedResponse(2, EPSILONS[next(reached)])
    assert guess.margin(guess.ask(mechanism, users)) < 0


def _error(epsilon: float, users: int) -> float:
    return dc.frequency_error(dc.RandomizedResponse(2, epsilon), users).share


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"answers": 1, "users": 10, "guess": 0.7}, "answers must be a whole number of at least 2"),
        ({"answers": 3, "users": 10, "guess": 0.5, "shares": [0.5, 0.4, 0.3]}, "sum"),
        ({"answers": 3, "users": 10, "guess": 0.5, "shares": [0.5, 0.5]}, "3"),
        ({"answers": 3, "users": 10, "guess": 0.2}, "--guess must be at least 33.33 %"),
        ({"answers": 3, "users": 10, "guess": "+0.7"}, "--guess must be at least 33.33 %"),
        ({"answers": 3, "users": 10, "guess": "little"}, "--guess must be a share"),
        ({"answers": 3, "users": 10, "error": -1}, "--error must be a share above 0"),
        ({"answers": 3, "error": "10 people", "guess": "+0.1"}, "an error in people needs --users"),
        ({"answers": 3, "users": 10}, "a design needs a goal"),
        ({"answers": 3, "guess": 0.5}, "a design needs the number of people"),
        ({"answers": 3, "targets": ["ldp_epsilon<=1"], "local_epsilon": 1}, "none of the goals depends on the number"),
        ({"answers": 3, "users": 10, "epsilon": 1}, "--epsilon 1 needs --delta"),
        ({"answers": 3, "users": 10, "guess": 0.5, "protocols": ["krrr"]}, "protocol"),
        ({"answers": 3, "users": 10, "targets": ["tradeoff>=0.9"]}, "--false-positive-rate A"),
        ({"answers": 3, "users": 10, "targets": ["bayes_security<=0.9"]}, "more is better"),
        ({"answers": 3, "users": 10, "guess": 0.5, "questions": 0}, "questions"),
        (
            {"answers": 3, "users": 10, "guess": 0.5, "questions": 2, "adversary": "uninformed"},
            "knows all other answers",
        ),
        ({"answers": 3, "users": 10, "guess": 0.5, "unshuffled": True, "adversary": "uninformed"}, "--unshuffled"),
        ({"answers": 3, "guess": 0.5, "error": 0.1, "adversary": "all-but-one:3,3,3"}, "--users N"),
    ],
)
def test_what_cannot_be_designed_is_refused_in_a_sentence(arguments: dict, message: str) -> None:
    with pytest.raises(InvalidValueError, match=message):
        dc.design(**arguments)


def test_contradicting_goals_are_named_with_the_people_who_are_enough() -> None:
    goals = {"answers": 2, "guess": "+0.02", "error": 0.01, "protocols": ["krr"]}
    with pytest.raises(InvalidValueError) as refused:
        dc.design(users=100, **goals)
    sentence = str(refused.value)
    assert "both best guess at most 52 % and standard error of a share at most 1 %" in sentence
    enough = int(sentence.partition("goals, or ")[2].partition(" people")[0].replace(",", ""))
    assert dc.design(users=enough, **goals).recommended is not None


def test_goals_without_a_crowd_are_those_of_each_report() -> None:
    result = dc.design(12, 50_000, epsilon=1, unshuffled=True)
    assert {design.epsilon for design in result.protocols.values()} == {1.0}
    errors = [design.frequency_error["share"] for design in result.protocols.values()]
    assert errors == sorted(errors)
    assert result.recommended is not None
    assert result.recommended.protocol == "ss"  # Ye and Barg, Optimal schemes for discrete distribution estimation
    assert result.recommended.guess == dc.posterior_vulnerability(dc.SubsetSelection(12, 1.0))


def test_honest_answers_are_recommended_where_the_crowd_hides_each() -> None:
    result = dc.design(2, 10_000, guess="+0.01", adversary="uninformed", protocols=["krr"])
    assert result.recommended is not None
    assert result.recommended.epsilon == math.inf
    assert "The shuffler alone meets the goals" in result.to_markdown()
    assert "right 100 % of the time" in result.to_markdown()


@pytest.mark.long
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_several_questions_are_at_least_as_revealing_as_all_their_reports(protocol: str) -> None:
    # All questions with the same answer: the adversary sees a histogram for each, and knows the others.
    options = DesignOptions(answers=2, users=3, questions=3, seed=1, adversary="all-but-one:1,1", local_epsilon=0.7)
    setting, mechanism = Setting(options), Protocol(protocol, 2).at(0.7)
    one = setting.seen(mechanism, 3).channel()
    every = one & one & one
    guess = setting.guess(setting.seen(mechanism, 3), None)
    assert dc.posterior_vulnerability(every) <= highest(guess) + 1e-12
    assert lowest(guess) <= dc.posterior_vulnerability(every)
    assert lowest(setting.security(setting.seen(mechanism, 3))) <= dc.bayes_security(every) + 1e-12
    information = setting.measure("mutual_information")(mechanism, 3)
    assert lowest(information) <= dc.mutual_information(every) <= highest(information) + 1e-12


@pytest.mark.one_in(11)
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("shares", [None, [0.6, 0.3, 0.1]])
def test_whatever_each_person_answers_to_two_questions_no_guess_is_better_than_the_bound(
    protocol: str, shares: list[float] | None
) -> None:
    # The second answer is any function of the first, and the other two users answer anything to either question.
    spelled = None if shares is None else ",".join(map(str, shares))
    setting = Setting(DesignOptions(answers=3, users=3, questions=2, seed=1, shares=spelled))
    mechanism = Protocol(protocol, 3).at(1.2)
    crowd, prior = dc.Shuffled(mechanism, 3), np.full(3, 1 / 3) if shares is None else np.array(shares)
    others = [counts for counts in itertools.product(range(3), repeat=3) if sum(counts) == 2]
    seen = [crowd.seen_by(dc.AllButOne(counts)).channel().dense() for counts in others]
    best = max(
        float((prior[:, None, None] * first[:, :, None] * second[list(answers), None, :]).max(axis=0).sum())
        for first, second in itertools.product(seen, repeat=2)
        for answers in itertools.product(range(3), repeat=3)
    )
    guess = setting.guess(setting.seen(mechanism, 3), setting.shares)
    assert lowest(guess) <= best <= highest(guess) + 1e-12
    alone = mechanism.channel().dense()
    best = max(
        float((prior[:, None, None] * alone[:, :, None] * alone[list(answers), None, :]).max(axis=0).sum())
        for answers in itertools.product(range(3), repeat=3)
    )
    guess = setting.guess_without_shuffler(mechanism)
    assert lowest(guess) <= best + 1e-12
    assert best <= highest(guess) + 1e-12
    if mechanism.is_symmetric:  # then it is exact
        assert guess == pytest.approx(best)


@pytest.mark.long
def test_many_questions_cost_by_the_root_of_their_number_in_a_crowd() -> None:
    # By the product of capacities the guess of the first was at most 80 %, of the second 100 %.
    for questions, most in [(20, 0.705), (400, 0.74)]:
        setting = Setting(DesignOptions(answers=4, users=100_000, questions=questions, shares="0.7,0.1,0.1,0.1"))
        seen = setting.seen(dc.RandomizedResponse(4, epsilon=2), 100_000)
        guess = highest(setting.guess(seen, setting.shares))
        assert highest(dc.posterior_vulnerability(setting.together(seen), setting.shares)) <= guess <= most


def test_shares_are_the_prior_and_where_errors_are_measured() -> None:
    shares = [0.7, 0.2, 0.1]
    chosen = dc.design(3, 500, guess="+0.05", shares=shares, protocols=["krr"], adversary="uninformed").recommended
    assert chosen is not None
    mechanism = dc.RandomizedResponse(3, chosen.epsilon)
    crowd = dc.Shuffled(mechanism, 500).seen_by(dc.Uninformed())
    assert chosen.guess == dc.posterior_vulnerability(crowd, shares)
    assert chosen.shuffled["uniform_posterior_vulnerability"] == dc.posterior_vulnerability(crowd)
    assert chosen.frequency_error["share"] == dc.frequency_error(mechanism, 500, shares).share


class Interrupted(Monitor):
    """Is interrupted once the second protocol is begun."""

    def step(self, what: str):
        if what.startswith("oue"):
            raise KeyboardInterrupt
        return super().step(what)


def test_an_interrupted_search_returns_what_it_has() -> None:
    options = DesignOptions(**SMALL, guess="0.4", protocols=["krr", "oue", "hadamard"])
    result = run_design(options, Interrupted())
    assert [*result.protocols] == ["krr"]
    assert result.not_computed == dict.fromkeys(["oue", "hadamard"], "the search was interrupted")
    with pytest.raises(KeyboardInterrupt):
        run_design(DesignOptions(**SMALL, guess="0.4", protocols=["oue"]), Interrupted())


def test_beyond_a_limit_the_protocols_so_far_stay() -> None:
    options = DesignOptions(**SMALL, guess="0.4", protocols=["krr", "oue"])
    steps = Limited(10**6)
    run_design(options, steps)
    first = next(number for number, step in enumerate(steps.seen) if step.startswith("oue"))
    result = run_design(options, Limited(first))
    assert [*result.protocols] == ["krr"]
    assert result.not_computed == {"oue": "enough"}
    assert all("best so far krr:k=3" in step for step in steps.seen[first:])


@pytest.mark.long
def test_a_goal_within_all_intervals_is_not_decided() -> None:
    # The worst guess among many people is known between two ends only.
    crowd = dc.Shuffled(dc.RandomizedResponse(12, 4.0), 5000)
    guess = dc.posterior_vulnerability(crowd.seen_by(dc.WorstAllButOne()))
    assert lowest(guess) < highest(guess)
    middle = (lowest(guess) + highest(guess)) / 2
    result = dc.design(12, 5000, local_epsilon=4, guess=middle, protocols=["krr"])
    assert result.recommended is None
    assert "Not decided" in result.to_markdown()


@pytest.mark.long
def test_without_the_shuffler_a_guess_about_the_same_answer_to_all_questions_is_no_more_than_what_is_shown() -> None:
    result = dc.design(8, 80_000, guess="+0.01", questions=5, protocols=["krr"])
    alone, epsilon = result.recommended.alone["posterior_vulnerability"], result.recommended.epsilon
    same = float(dc.posterior_vulnerability(dc.repeated(dc.RandomizedResponse(8, epsilon=epsilon), 5)))
    assert alone == pytest.approx(same)
    assert f"right {100 * same:.2f} % of the time" in result.to_markdown()


def test_the_answers_to_a_million_questions_are_not_said_to_be_hidden() -> None:
    result = dc.design(3, 10, guess=0.34, questions=10**6, protocols=["krr"], adversary="all-but-one:9,0,0")
    assert result.recommended is None
    assert highest(result.protocols["krr"].guess) == 1


def test_results_are_plain_and_make_a_page_and_a_figure() -> None:
    result = run_design(DesignOptions(**SMALL, guess="0.4", protocols=["krr", "oue"]), figure=True)
    assert json.loads(result.to_json())["recommended"]["mechanism"] == result.recommended.mechanism
    assert {row["mechanism"] for row in result.to_frame().to_pylist()} == {
        design.mechanism for design in result.protocols.values()
    }
    assert "At its own ε, " in result.chart().to_dict()["description"]
    assert "<svg" in result.to_html() or "vega" in result.to_html()


@pytest.mark.long
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_simulated_collections_give_away_no_more_and_count_as_well(protocol: str) -> None:
    """Collect 100,000 times: the adversary knows all others, takes their mean from the counts and guesses the rest."""
    k, n, runs = 4, 30, 100_000
    goals = {"guess": "+0.15", "delta": 0.05, "adversary": "all-but-one:29,0,0,0"}
    design = dc.design(k, n, **goals, protocols=[protocol]).protocols[protocol]
    mechanism, rng = Protocol(protocol, k).at(design.epsilon), np.random.default_rng(1)
    others = np.array([n - 1, 0, 0, 0])
    mean = (others @ _support_probabilities(mechanism)).astype(float)
    secrets = rng.integers(k, size=runs)
    values = np.zeros((runs, n), dtype=np.int64)
    values[:, 0] = secrets
    supports = np.concatenate([_supports(mechanism, some, rng) for some in np.array_split(values, 50)])
    gained = supports - mean
    right = gained.argmax(axis=1) == secrets
    standard = math.sqrt(0.25 / runs)
    assert right.mean() <= highest(design.guess) + 4 * standard
    # No threshold between the first two answers tells them apart better than (ε, δ) allows.
    score = gained[:, 0] - gained[:, 1]
    of_first, of_second = np.sort(score[secrets == 0]), np.sort(score[secrets == 1])
    limits = np.unique(score)
    beyond = [1 - np.searchsorted(each, limits) / each.size for each in (of_first, of_second)]
    ratio = math.exp(highest(design.shuffled["dp_epsilon"]))
    assert (beyond[0] - ratio * beyond[1]).max() <= 0.05 + 4 * (1 + ratio) * math.sqrt(0.25 / of_first.size)
    counts = np.stack([(values == value).sum(axis=1) for value in range(k)], axis=1)
    estimates = (supports / n - mechanism.support.other) / mechanism.support.gap
    simulated = float(np.mean((estimates - counts / n) ** 2))
    claimed = np.mean([np.mean(mechanism.frequency_variance(n, row / n)) for row in counts[:200]])
    assert simulated == pytest.approx(claimed, rel=0.03)


def _supports(mechanism, values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return how many reports support each value in each collection: a row of people's values."""
    reports = mechanism.sample(values.ravel(), rng=rng)
    return mechanism._supports(mechanism.checked_reports(reports)).reshape(*values.shape, mechanism.k).sum(axis=1)


def _support_probabilities(mechanism) -> np.ndarray:
    own, _, other, *_ = mechanism.support
    return np.where(np.eye(mechanism.k, dtype=bool), own, other)
