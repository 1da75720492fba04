"""Lowered limits: they hold where they should, are refused where they make no sense, and change no answer."""

import ast
import gzip
import math
import re
import tracemalloc
from contextvars import copy_context
from dataclasses import FrozenInstanceError, fields
from threading import Thread
from time import process_time

import numpy as np
import pyarrow as pa
import pytest

import discretion as dc
from discretion import limits
from discretion.errors import DiscretionError, InvalidValueError, TooLargeError
from discretion.estimate import Estimate, highest, lowest
from discretion.limits import Limits, within
from discretion.numerics.compiled import on_all_cores
from support.lowering import lowered, modules_with, sources

SKEWED = dc.Dirichlet([1, 2, 3])
HIGHEST = {each.name: each.default for each in fields(Limits)}

# Constants that neither bytes nor operations lower, and why.
UNSCALED = {
    # Within lists that are: they say which algorithm answers.
    "MAX_ANSWERS_GUESSED": "how many answers are guessed among",
    "MAX_BITS_LISTED": "as many columns as 2 to the power of them are entries",
    "MAX_CROWDS_GUESSED": "itself operations",
    "MAX_KINDS_SUMMED": "more of them are bounded, which takes less",
    "MAX_PARAMETERS": "integrals of a microsecond each",
    "MAX_TYPES_COMPARED": "more of them are bounded, which takes less",
    "MAX_VALUES_DRAWN": "a channel of few values",
    "MAX_VALUES_LISTED": "what is listed is entries",
    "MAX_VALUES_SAMPLED": "what is sampled is cells",
    "MAX_VALUES_SOUGHT": "a few seconds at most",
    "MAX_VALUES_WEIGHED": "the same",
    "MAX_VALUES_TRIED": "what is tried is likelihoods",
    # Up to where numbers are exact.
    "MAX_DATASET_USERS": "the logarithm of how many datasets there are",
    "MAX_PEOPLE_COMPARED": "its square is an integer of 64 bits",
    "MAX_STEPS": "what is computed takes as long for any number",
    # Columns, each of which is a question to the table: its people are limited.
    "MAX_COLUMNS": "columns of a table",
    "MAX_COLUMNS_COLLECTED": "columns of a table",
    "MAX_COLUMNS_COMBINED": "columns of a fingerprint",
    "MAX_COLUMNS_DECOYED": "columns of a table",
    "MAX_RULES": "columns of a table",
}

# Constants with such names that limit nothing a server could want less of.
NO_LIMITS = {
    # Where exponents leave the doubles, and probabilities what was proved.
    "_MOST_EXPONENT": "numerics/laws/poisson_multinomial.py",
    "_MOST_LOG_TILT": "measures/privacy_loss/loss_sketch.py",
    "_MOST_NODES": "numerics/means/smoothed_excess.py",
    "_MOST_LOUD": "mechanisms/protocols/unary_encoding.py",
    "_MAX_EPSILON": "mechanisms/protocols/d_bit_flip.py mechanisms/protocols/longitudinal.py",
    "_MAX_BINS": "shuffling/outsider.py",
    "_MOST_MISSES": "blackbox/compared_pairs.py",
    # From where on an interval has no middle, and what NumPy can walk through.
    "_MAX_DIMENSIONS": "validation.py",
    "_MAX_RATIO": "intervals.py",
    "_MAX_SHARE": "intervals.py",
    # How much at once, remembered, or copied.
    "_MOST_ADDED": "numerics/draws.py",
    "_MOST_AT_ONCE": "blackbox/nearest_neighbours.py",
    "_MOST_BLOCKS": "numerics/distances/l1_tiles.py",
    "_MOST_COPIED": "numerics/distances/l1_tiles.py",
    "_MAX_KEPT": "anonymity/choosing/redaction.py",
    # Which of two exact ways is the faster one, or keeps more digits.
    "_MAX_ATOMS": "mechanisms/noise/report_pairs.py",
    "_MAX_EXACT_CORNERS": "measures/guesses/worst_prior.py",
    "_MAX_NODES": "mechanisms/noise/subsampled_renyi.py",
    "_MAX_WHOLE": "mechanisms/noise/subsampled_renyi.py",
    "_MAX_AXES": "shuffling/laws/report_histograms.py",
    "_MAX_BITS": "shuffling/laws/monte_carlo.py",
    "_MOST_BY_ROWS": "numerics/distances/pairwise.py",
    "_MOST_CONVOLVED": "numerics/laws/lattice_sums.py",
    "_MOST_PIVOTS": "numerics/distances/l1_bounds.py",
    "_MAX_REPORTS": "shuffling/known_others.py",
    "_MOST_TERMS": "numerics/laws/lattice_sums.py",
    "MAX_CODES": "tables/engines/embedded.py",
    # What a number is made by: with others it would be another one.
    "_MOST_ASKED": "blackbox/nearest_neighbours.py",
    "_MOST_VOTES": "blackbox/nearest_neighbours.py",
    "_MAX_COVERS": "anonymity/choosing/suppressed_cuts.py",
    "_MAX_CUTS_TRIED": "anonymity/choosing/suppressed_cuts.py",
    "_MAX_PAIRS": "anonymity/choosing/suppressed_cuts.py",
    "_MOST_CELLS": "anonymity/choosing/value_rounds.py information/design/logdet.py",
    "_MOST_ROWS_TRIED": "anonymity/releasing/suppression.py",
    "_MOST_POINTS": "information/design/goals.py",
    "_MAX_VALUES_IN_BOUND": "shuffling/worst_others.py",
    "_MAX_VALUES_IN_PROFILE": "shuffling/worst_others.py",
    "_MAX_ENTRIES": "shuffling/laws/closed_bounds.py",
    "_MAX_EXPONENT": "shuffling/laws/closed_bounds.py",
    "_MAX_FEW": "shuffling/laws/closed_bounds.py",
    "_MAX_INVERTED": "shuffling/laws/closed_bounds.py",
    "_MAX_KINDS": "shuffling/laws/closed_bounds.py shuffling/laws/largest_counts.py",
    "_MAX_KINDS_OF_GUESSES": "shuffling/laws/closed_bounds.py",
    "_MAX_STEPS": "shuffling/laws/closed_bounds.py",
    "_MAX_WEIGHED": "anonymity/attacks/special_uniques.py",
    "MOST_CLASSES": "mechanisms/protocols/local_hashing.py",
    "MOST_VALUES_OF_GAUSS": "information/design/logdet.py",
    # What a message of a collection has room for, on its wire.
    "_MOST_FEATURES": "collection/wire/task.py",
    "_MOST_SHUFFLERS": "collection/wire/task.py",
    "MOST_ROUNDS": "collection/wire/task.py",
    "MOST_DUMMIES": "collection/wire/task.py",
    "_MOST_FOR_A_COUNT": "collection/wire/noise.py",
    "MOST_GROUPS": "collection/wire/selection.py",
    "MOST_ADMITTED_GROUPS": "collection/describing.py",
    "MOST_PEOPLE": "collection/planning.py",
    # What one reader's own page sends, holds and asks; it lowers the limits of what answers.
    "_MOST_BYTES": "web/answering.py",
    "_MOST_OPERATIONS": "web/answering.py",
    "_MOST_ANSWERS_KEPT": "web/application.py",
    "_MOST_LEFT_OUT": "jobs/columns.py",
    "_MOST_PORTS": "cli/serve.py",
    "_MOST_SETS_ASKED": "jobs/columns.py",
    "_MOST_SETS_COUNTED": "jobs/columns.py",
    "_MOST_SETS_KEPT": "jobs/columns.py",
    "_MOST_CLASSES_KEPT": "numerics/packed_rows.py",
    "MOST_TABLES_KEPT": "web/open_tables.py",
    "MOST_OPEN": "web/files.py",
    "MOST_SENT": "web/files.py",
    "MOST_ADDRESS": "web/guarding.py",
    "MOST_FORM": "web/guarding.py",
    "MOST_CONNECTIONS": "web/connections.py",
    "MOST_QUESTIONS": "web/workers.py",
    "MOST_WAITING": "web/workers.py",
    # What people can read, or would answer.
    "_MOST": "reproduce/bayes_security/mechanisms.py reproduce/bayes_security/privacy.py",
    "_MOST_NAMED": "blackbox/bayes_security.py jobs/samples.py",
    "_MOST_SPELLED": "spelling/numbers.py",
    "_MAX_REASONS": "jobs/received_reports.py",
    "MOST_CATEGORIES": "jobs/audit/collection.py",
    "MOST_ROWS": "presenting/views/document.py",
}


def constants():
    """Yield the constants with names of limits, and the files that they are in."""
    for path, text in sources().items():
        for statement in ast.parse(text).body if re.search(r"^_?(MOST|MAX)|, _?(MOST|MAX)", text, re.MULTILINE) else ():
            if isinstance(statement, ast.Assign | ast.AnnAssign):
                names = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
                yield from ((path, name) for name in sorted(names) if re.fullmatch(r"_?(MOST|MAX)(_[A-Z]+)*", name))


# The constants beside their algorithms, each of one file.
CONSTANTS = {
    name: getattr(modules[0], name)
    for _, name in constants()
    if name.startswith("MAX_") and name not in NO_LIMITS and (modules := modules_with(name))
}


def calls():
    """Yield the calls of Limits.numbers and Limits.steps: the method, the constant, and what each takes, if known."""
    for text in sources().values():
        for node in ast.walk(ast.parse(text)) if re.search(r"\.(numbers|steps)\(", text) else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                name, each = ast.unparse(node.args[0]), dict.fromkeys(["numbers"], 8).get(node.func.attr, 1)
                if node.func.attr in {"numbers", "steps"} and name in CONSTANTS:
                    given = "".join(ast.unparse(keyword.value) for keyword in node.keywords)
                    yield node.func.attr, name, eval(given) if re.fullmatch(r"[\d <]+", given) else each


def test_every_limit_limits_something():
    text = "\n".join(text for path, text in sources().items() if path.name != "limits.py")
    assert {method for method, _, _ in calls()} == {"numbers", "steps"}  # of bytes, and of operations
    assert re.search(r"current\(\)\.people\b", text)
    assert re.search(r"\ballowed\.seconds\b", text)


def test_a_constant_follows_bytes_or_operations_or_is_known_not_to():
    pytest.importorskip("discretion.collection", reason="the extra collect has constants too")
    assert {name for _, name, _ in calls()} | set(UNSCALED) == set(CONSTANTS)
    assert {name for _, name, _ in calls()}.isdisjoint(UNSCALED)


def test_at_the_defaults_the_constants_hold():
    for method, name, each in calls():
        assert getattr(Limits(), method)(CONSTANTS[name], each=each) == CONSTANTS[name]


def test_no_other_constant_is_a_limit():
    pytest.importorskip("discretion.collection", reason="the extra collect has constants too")
    found: dict[str, list[str]] = {}
    for path, name in constants():
        if name not in CONSTANTS:
            found.setdefault(name, []).append(path.as_posix())
    assert {name: " ".join(dict.fromkeys(paths)) for name, paths in found.items()} == NO_LIMITS


@pytest.mark.parametrize("given", [0, -1, 2.0, math.inf, True, None, "10", np.array([1, 2])])
def test_what_is_no_number_of_things_is_refused(given):
    for name, most in HIGHEST.items():
        sentence = re.escape(f"{name} must be a whole number from 1 to {most:,}, its default, since limits are only ")
        with pytest.raises(InvalidValueError, match=f"^{sentence}lowered; got "):
            Limits(**{name: given})


def test_a_limit_is_lowered_and_never_raised():
    for name, most in HIGHEST.items():
        assert Limits(**{name: most}) == Limits()
        least = Limits(**{name: np.int64(1)})
        assert type(getattr(least, name)) is int
        assert hash(least) == hash(Limits(**{name: 1})) != hash(Limits())
        for given in (most + 1, 10**5000):
            with pytest.raises(InvalidValueError, match=f"^{name} must be .* got more$"):
                Limits(**{name: given})
        with pytest.raises(FrozenInstanceError):
            setattr(least, name, 2)


def test_limits_are_named():
    with pytest.raises(TypeError):
        Limits(10)
    with pytest.raises(TypeError):
        Limits(dreams=10)


@pytest.mark.parametrize("given", [None, 10, {"people": 10}, Limits])
def test_a_block_takes_limits_and_nothing_else(given):
    with pytest.raises(InvalidValueError, match=r"within takes a discretion\.limits\.Limits, got"), within(given):
        pass


def test_limits_end_with_their_block_and_inner_ones_replace_outer_ones():
    few, fewer = Limits(people=100, bytes=1000), Limits(people=10)
    with within(few):
        with within(fewer):
            assert limits.current() is fewer
        assert limits.current() is few
        with pytest.raises(ZeroDivisionError), within(fewer):
            1 / 0  # noqa: B018
        assert limits.current() is few
        with pytest.raises(TooLargeError, match="n must be at most 100"):
            dc.Shuffled(dc.RandomizedResponse(2, p=0.9), 101)
    assert limits.current() == Limits()


def test_limits_hold_in_the_threads_of_a_computation_and_in_no_other():
    few = Limits(people=100)
    seen = []
    elsewhere = Thread(target=lambda: seen.append(limits.current()))
    with within(few):
        assert on_all_cores(lambda part: (part, limits.current()), range(20)) == [(part, few) for part in range(20)]
        elsewhere.start()
        elsewhere.join()
        copied = copy_context()
    assert seen == [Limits()]
    assert copied.run(limits.current) is few
    assert limits.current() == Limits()


@pytest.mark.long
def test_a_system_that_was_asked_within_a_block_is_not_held_to_its_limits_outside():
    def made():
        crowd = dc.Shuffled(dc.RandomizedResponse(3, p=0.7), 30)
        return crowd.seen_by(dc.PartlyInformed([5, 4, 3]), seed=1), crowd.seen_by(dc.WorstAllButOne())

    some, worst = made()
    with lowered(MAX_HISTOGRAMS=1, MAX_TERMS_ADDED=1, MAX_LIKELIHOODS_EXPECTED=1):
        before = [dc.mutual_information(some), dc.privacy_profile(some, 0.5), dc.privacy_profile(worst, 0.5)]
    after = [dc.mutual_information(some), dc.privacy_profile(some, 0.5), dc.privacy_profile(worst, 0.5)]
    fresh, fresh_worst = made()
    assert after == [
        dc.mutual_information(fresh),
        dc.privacy_profile(fresh, 0.5),
        dc.privacy_profile(fresh_worst, 0.5),
    ]
    assert all(isinstance(found, Estimate) for found in before)
    assert not any(isinstance(found, Estimate) for found in after)


RR3 = dc.RandomizedResponse(3, p=0.7)
OUE = dc.UnaryEncoding.oue(4, 1)
LEANING = dc.Channel([[0.5, 0.25, 0.25], [0.125, 0.75, 0.125], [0.25, 0.25, 0.5]])
POINTS = dc.PointMixture([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]], [0.5, 0.5])


FIVE = dc.Channel(np.random.default_rng(1).dirichlet(np.ones(5), size=3))


def table():
    drawn = np.random.default_rng(0).integers([2, 3, 4, 5], size=(60, 4)).astype(str)
    return pa.table({name: drawn[:, place] for place, name in enumerate(["a", "b", "c", "d"])})


def population():
    return dc.Population(table())


def crowd(mechanism, n, knowledge=None):
    shuffled = dc.Shuffled(mechanism, n)
    return shuffled.seen_by(dc.Uninformed() if knowledge is None else knowledge, seed=1)


def black_box():
    rng = np.random.default_rng(0)
    secrets = rng.integers(4, size=400)
    return secrets, (secrets + rng.integers(3, size=400)) % 5


def packed_read(folder):
    (folder / "people.csv.gz").write_bytes(gzip.compress(b"name\nada\nbob\n"))
    return dc.Population(folder / "people.csv.gz").people


def counts_read(tmp_path):
    (tmp_path / "counts.csv").write_text("column,value,count\na,x,3\na,y,1\nb,x,2\nb,y,2\n")
    return dc.Marginals(tmp_path / "counts.csv").people


def synthetic_linkability():
    drawn = np.random.default_rng(0).integers([[9, 9, 9]], size=(400, 3)).T.astype(str)
    people = pa.table(dict(zip("abc", drawn, strict=True)))
    original, others = people.slice(0, 200), people.slice(200)
    return dc.synthetic_risk(original, original, others, seed=1).measures["linkability"]


def stored(tmp_path):
    np.save(tmp_path / "channel.npy", np.random.default_rng(0).dirichlet(np.ones(5), size=40))
    return dc.StoredChannel(tmp_path / "channel.npy")


def fewest_cells():
    """Return the fewest cells that have to be suppressed: between those found and the bound."""
    rng = np.random.default_rng(3)
    counts = [np.bincount(rng.geometric(0.1, 2000)) for _ in range(4)]
    marginals = dc.Marginals({f"x{j}": dc.anonymity.ClassSizes.from_counts(each) for j, each in enumerate(counts)})
    found = dc.anonymity.fewest_suppressions(marginals, 0.5, k=2)
    return found.cells if found.proved else Estimate(found.cells, found.bound, found.cells, None, "search")


def decoyed():
    rules = [dc.anonymity.RedactionRule(column, 20, 0.25) for column in "ab"]
    return dc.anonymity.redacted_exposure(population(), rules, k=5, columns=["a", "b"])


# What is asked, each of a folder of its own.
def most_useful():
    """Return what the most useful set of columns is worth, or between what it is known to lie."""
    selection = dc.select_columns(population(), 0.2, k=3)
    found = 0.0 if selection.best is None else selection.best.utility
    return found if selection.proved else Estimate(selection.bound, found, selection.bound, None, "search")


QUESTIONS = {
    "a guess among uniform others": lambda _: dc.posterior_vulnerability(crowd(RR3, 50)),
    "a guess by a law": lambda _: dc.posterior_vulnerability(crowd(RR3, 50), [0.5, 0.25, 0.25]),
    "a guess of bits": lambda _: dc.posterior_vulnerability(crowd(OUE, 12)),
    "a guess among known others": lambda _: dc.posterior_vulnerability(crowd(RR3, 30, dc.AllButOne([12, 9, 8]))),
    "a guess in a population": lambda _: dc.posterior_vulnerability(crowd(RR3, 9, dc.Exchangeable([1, 2, 3]))),
    "a guess among the worst": lambda _: dc.posterior_vulnerability(crowd(RR3, 12, dc.WorstAllButOne())),
    "information on one of a crowd": lambda _: dc.mutual_information(crowd(LEANING, 20)),
    "information on one among some": lambda _: dc.mutual_information(crowd(RR3, 30, dc.PartlyInformed([5, 4, 3]))),
    "a profile": lambda _: dc.privacy_profile(crowd(LEANING, 40), 0.1),
    "a profile among known others": lambda _: dc.privacy_profile(crowd(LEANING, 30, dc.AllButOne([12, 9, 8])), 0.1),
    "a profile among the worst": lambda _: dc.privacy_profile(crowd(RR3, 20, dc.WorstAllButOne()), 0.5),
    "two values among the worst": lambda _: dc.bayes_security(
        crowd(dc.RandomizedResponse(2, p=0.8), 50, dc.WorstAllButOne())
    ),
    "hits among the worst of two values": lambda _: dc.tradeoff(
        crowd(dc.RandomizedResponse(2, p=0.8), 5000, dc.WorstAllButOne())
    ).true_positive_rate(0.01),
    "a loud profile": lambda _: dc.privacy_profile(
        crowd(dc.RandomizedResponse(3, epsilon=400), 9, dc.AllButOne([3, 3, 2])), 0.5
    ),
    "a divergence": lambda _: dc.renyi_dp(crowd(RR3, 150), 2),
    "leakiest pairs of a crowd": lambda _: dc.leakiest_pairs(crowd(LEANING, 20)),
    "a crowd's channel": lambda _: dc.bayes_security(crowd(LEANING, 20).channel()),
    "a large crowd's channel": lambda _: dc.bayes_security(crowd(RR3, 120).channel()),
    "all guesses of some tries": lambda _: dc.k_tries_gain(6, 3).guesses().sum(),
    "some tries at a stored channel": lambda folder: dc.posterior_vulnerability(
        stored(folder), gain=dc.k_tries_gain(stored(folder).secrets, 3)
    ),
    "blocks of a stored channel": lambda folder: dc.posterior_vulnerability(
        stored(folder), gain=dc.partition_gain(range(stored(folder).secrets))
    ),
    "the posteriors of a stored channel": lambda folder: dc.hyper(stored(folder)).outer.sum(),
    "datasets": lambda _: dc.posterior_vulnerability(dc.shuffling.dataset_channel(RR3, 3).channel()),
    "the smallest crowd": lambda _: dc.shuffling.smallest_crowd(
        dc.RandomizedResponse(2, epsilon=1), dc.posterior_vulnerability, at_most=0.51
    ),
    "a deficiency": lambda _: dc.deficiency(LEANING, dc.RandomizedResponse(LEANING.secrets, p=0.6)),
    "repeated uses": lambda _: dc.posterior_vulnerability(dc.repeated(LEANING, 6)),
    "many repeated uses": lambda _: dc.privacy_profile(dc.repeated(LEANING, 40), 1.0),
    "noise added up": lambda _: dc.privacy_profile(dc.repeated(dc.Laplace(scale=8), 30), 1.0),
    "steps of learning": lambda _: dc.privacy_profile(dc.SubsampledGaussian(sigma=1.0, rate=0.01, steps=100), 1.0),
    "whole noise added up": lambda _: dc.privacy_profile(dc.repeated(dc.Geometric(epsilon=0.5), 20), 1.0),
    "a profile of many reports": lambda _: dc.privacy_profile(crowd(FIVE, 60), 0.1),
    "a profile among others of two laws": lambda _: dc.privacy_profile(crowd(OUE, 9, dc.AllButOne([4, 2, 1, 1])), 0.1),
    "the leakiest pair among others of two laws": lambda _: dc.leakiest_pair(crowd(OUE, 9, dc.AllButOne([4, 2, 1, 1]))),
    "a stored channel": lambda folder: dc.bayes_security(stored(folder)),
    "information of a stored channel": lambda folder: dc.mutual_information(stored(folder)),
    "a capacity": lambda _: dc.shannon_capacity(LEANING),
    "a loss at its worst": lambda _: dc.bayes_security(
        LEANING, gain=dc.gain_matrix([[1, 0, 0], [0, 1, 0], [0.2, 0, 1]])
    ),
    "all pairs": lambda _: dc.leakiest_pairs(dc.Channel(np.eye(9))),
    "all pairs of a response": lambda _: dc.leakiest_pairs(dc.RandomizedResponse(9, epsilon=1)),
    "bounds of security": lambda _: dc.security.bayes_security_bounds(LEANING).low,
    "all bits": lambda _: dc.bayes_security(OUE.channel()),
    "all subsets": lambda _: dc.bayes_security(dc.SubsetSelection(8, epsilon=1).channel()),
    "reports of bits": lambda _: OUE.sample([0, 1, 2] * 10, rng=1).sum(),
    "reports of subsets": lambda _: len(dc.SubsetSelection(8, epsilon=1).sample([0, 1, 2] * 10, rng=1)),
    "tallies of subsets": lambda _: dc.SubsetSelection(8, epsilon=1).sample_aggregate([4] * 8, rng=1).sum() > 0,
    "tallies": lambda _: dc.HadamardResponse(4, epsilon=1).sample_aggregate([10, 5, 5, 5], rng=1).sum(),
    "tallies told": lambda _: dc.information.tally_utility(RR3, 20, rng=1),
    # Listing the posteriors of all tallies would be more than MAX_TALLY_CELLS.
    "tallies told by a bit of five values": lambda _: dc.information.tally_utility(
        dc.Channel([[x, 1 - x] for x in (0.9, 0.7, 0.5, 0.3, 0.1)]), 20, rng=1
    ),
    "tallies told among points": lambda _: dc.information.tally_utility(RR3, 20, POINTS, rng=1),
    "a population told": lambda _: dc.information.distribution_utility(RR3, 20, rng=1),
    "a population told by a channel": lambda _: dc.information.distribution_utility(LEANING, 12, rng=1),
    "a population of points told": lambda _: dc.information.distribution_utility(LEANING, 12, POINTS, rng=1),
    "two values told": lambda _: dc.information.distribution_utility(dc.RandomizedResponse(2, epsilon=1), 200, rng=1),
    "in the limit": lambda _: dc.information.asymptotic_utility(LEANING, dc.Dirichlet([1, 2, 3]), rng=1),
    "the best mechanism": lambda _: dc.optimal_mechanism(3, "mutual_information", epsilon=1.0).value,
    "the least loss on average": lambda _: dc.optimal_mechanism(3, 1 - np.eye(3), 1.0, min_average_privacy=0.1).value,
    "the least loss": lambda _: dc.optimal_mechanism(3, [[0, 1, 2], [1, 0, 1], [2, 1, 0]], epsilon=1.0).value,
    "the best mechanism in the limit": lambda _: dc.optimal_mechanism(3, epsilon=1.0, population=SKEWED, rng=1).value,
    "the best of many mechanisms in the limit": lambda _: dc.optimal_mechanism(13, epsilon=1.0).value,
    "the best mechanism for two": lambda _: dc.optimal_mechanism(3, "distribution_utility", epsilon=1.0, n=2).value,
    "a black box": lambda _: dc.estimate_bayes_security(*black_box(), rng=1),
    "a black box classified": lambda _: dc.estimate_bayes_security(*black_box(), method="nearest-neighbours", rng=1),
    "exposure": lambda _: dc.exposure(population(), k=3),
    "a bound": lambda _: dc.exposure_bound(population(), k=3),
    "a bound by pairs": lambda _: dc.exposure_bound(population(), k=3, groups=[("a", "b"), ("b", "c"), ("c", "d")]),
    "a theorem's bound": lambda _: dc.anonymity.theorem_bound(population(), k=3),
    "independent columns": lambda _: dc.anonymity.exposure_if_independent(population(), k=3),
    "the worst table": lambda _: dc.anonymity.worst_exposure(population(), k=3, columns=["a", "b"]),
    "attacks": lambda _: [attack.posterior for attack in dc.anonymity.attacks_on_all(population())],
    "a synthetic table": lambda _: synthetic_linkability(),
    "a release": lambda _: dc.anonymity.t_closeness(population(), ["a"], "d"),
    "a fingerprint": lambda _: [found.people for found in dc.anonymity.given_away(population(), {"a": "1"})],
    "a selection": lambda _: most_useful(),
    "rounds": lambda _: len(dc.anonymity.hierarchical_rounds(population(), 0.2, k=3)),
    "decoys": lambda _: decoyed(),
    "the fewest cells": lambda _: fewest_cells(),
    "counts in a file": counts_read,
    "a table in gzip": packed_read,
}


def rows(secrets, observations):
    return dc.Channel(np.random.default_rng(0).dirichlet(np.ones(observations), size=secrets))


def many_people(people, columns):
    drawn = np.random.default_rng(0).integers(9, size=(people, columns)).astype(str)
    return dc.Population(pa.table({f"c{place}": drawn[:, place] for place in range(columns)}))


def response(k):
    return dc.RandomizedResponse(k, epsilon=1)


def large_black_box(secrets, size, **options):
    rng = np.random.default_rng(0)
    return dc.estimate_bayes_security(rng.integers(secrets, size=size), rng.integers(500, size=size), rng=1, **options)


# The same, so large that some hundreds of MB or seconds would go by.
LARGE = {
    "many uniform others": lambda: dc.posterior_vulnerability(crowd(response(50), 10**6)),
    "many bits": lambda: dc.posterior_vulnerability(crowd(dc.UnaryEncoding.oue(8, 1), 500)),
    "many known others": lambda: dc.posterior_vulnerability(crowd(response(4), 400, dc.AllButOne([100, 100, 100, 99]))),
    "a large population": lambda: dc.posterior_vulnerability(crowd(response(3), 120, dc.Exchangeable([1, 2, 3]))),
    "many of the worst": lambda: dc.posterior_vulnerability(crowd(response(3), 60, dc.WorstAllButOne())),
    "much information on one": lambda: dc.mutual_information(crowd(rows(3, 5), 100)),
    "many values, some known": lambda: dc.mutual_information(
        crowd(response(4), 300, dc.PartlyInformed([50, 40, 30, 20]))
    ),
    "a profile of five reports": lambda: dc.privacy_profile(crowd(rows(3, 5), 100), 0.1),
    "a profile among the many worst": lambda: dc.privacy_profile(crowd(response(4), 60, dc.WorstAllButOne()), 0.5),
    "two values, all splits": lambda: dc.bayes_security(
        crowd(dc.RandomizedResponse(2, p=0.8), 4000, dc.WorstAllButOne())
    ),
    "a divergence of many": lambda: dc.renyi_dp(crowd(response(4), 300), 2),
    "a channel of many histograms": lambda: dc.bayes_security(crowd(rows(4, 4), 100).channel()),
    "many guesses": lambda: dc.k_tries_gain(24, 6).guesses().sum(),
    "many datasets": lambda: dc.posterior_vulnerability(dc.shuffling.dataset_channel(response(3), 7).channel()),
    "a deficiency of many": lambda: dc.deficiency(rows(20, 20), dc.RandomizedResponse(20, p=0.6)),
    "very many uses": lambda: dc.posterior_vulnerability(dc.repeated(rows(3, 6), 40)),
    "much noise": lambda: dc.privacy_profile(dc.repeated(dc.Laplace(scale=8), 300), 1.0),
    "much whole noise": lambda: dc.privacy_profile(dc.repeated(dc.Geometric(epsilon=0.01), 2000), 1.0),
    "a capacity of many": lambda: dc.shannon_capacity(rows(300, 300)),
    "all pairs of many": lambda: dc.bayes_security(rows(1500, 600)),
    "all pairs, listed": lambda: dc.leakiest_pairs(dc.Channel(np.eye(900))),
    "many reports of bits": lambda: dc.UnaryEncoding.oue(1000, 1).sample(np.zeros(20_000, int), rng=1).sum(),
    "many subsets": lambda: len(dc.SubsetSelection(1000, epsilon=1).sample(np.zeros(20_000, int), rng=1)),
    "many tallies": lambda: dc.HadamardResponse(64, epsilon=1).sample_aggregate([100_000] * 64, rng=1).sum(),
    "many tallies told": lambda: dc.information.tally_utility(rows(3, 4), 60, rng=1),
    "a population of many": lambda: dc.information.distribution_utility(rows(3, 4), 60, rng=1),
    "a population of many by two": lambda: dc.information.distribution_utility(response(2), 10**6, rng=1),
    "many values in the limit": lambda: dc.information.asymptotic_utility(
        rows(6, 12), dc.Dirichlet([1, 2, 3, 4, 5, 6]), rng=1
    ),
    "the least loss of many": lambda: (
        dc.optimal_mechanism(40, np.random.default_rng(0).random((40, 40)), epsilon=1.0).value
    ),
    "a large black box": lambda: large_black_box(1500, 40_000),
    "a large black box classified": lambda: large_black_box(12, 4000, method="nearest-neighbours"),
    "exposure of many": lambda: dc.exposure(many_people(20_000, 6), k=3),
    "a bound for many columns": lambda: dc.exposure_bound(many_people(20_000, 12), k=3),
    "the worst large table": lambda: dc.anonymity.worst_exposure(many_people(2000, 3), k=3),
    "attacks on many columns": lambda: len(dc.anonymity.attacks_on_all(many_people(2000, 9))),
    "a selection of many": lambda: dc.select_columns(many_people(20_000, 14), 0.05, k=3).bound,
    "rounds of many": lambda: len(dc.anonymity.hierarchical_rounds(many_people(5000, 9), 0.2, k=3)),
}

# What single limits do to these.
REFUSED_BY_NAME = [
    ("MAX_VALUES", 2, "a loud profile"),
    ("MAX_ENTRIES", 20, "datasets"),
    ("MAX_ENTRIES", 20, "all guesses of some tries"),
    ("MAX_ENTRIES", 10, "some tries at a stored channel"),
    ("MAX_ENTRIES", 20, "blocks of a stored channel"),
    ("MAX_ENTRIES", 20, "the posteriors of a stored channel"),
    ("MAX_ENTRIES", 20, "all subsets"),
    ("MAX_ENTRIES", 20, "information of a stored channel"),
    ("MAX_FACTOR_TERMS", 20, "a deficiency"),
    ("MAX_TALLY_ENTRIES", 20, "repeated uses"),
    ("MAX_PAIRS_LISTED", 20, "all pairs"),
    ("MAX_LAW_CELLS", 20, "a large crowd's channel"),
    ("MAX_STEPS", 20, "steps of learning"),
    ("MAX_PEOPLE_DRAWN", 20, "tallies"),
    ("MAX_BITS_DRAWN", 20, "reports of bits"),
    ("MAX_BYTES_DRAWN", 20, "reports of subsets"),
    ("MAX_BITS_LISTED", 3, "all bits"),
    ("MAX_USERS_SUMMED", 7, "a population told"),
    ("MAX_TALLIES_LISTED", 20, "tallies told among points"),
    ("MAX_VALUES_SOUGHT", 2, "the best mechanism in the limit"),
    ("MAX_ALIKE_VALUES_SOUGHT", 2, "the least loss on average"),
    ("MAX_VALUES_BOUNDED", 12, "the best of many mechanisms in the limit"),
    ("MAX_VALUES_WEIGHED", 2, "the best mechanism for two"),
    ("MAX_LOSSES", 8, "the least loss"),
    ("MAX_SECRETS_CLASSIFIED", 3, "a black box classified"),
    ("MAX_COLUMNS", 3, "exposure"),
    ("MAX_TABLE_CELLS", 5, "the worst table"),
    ("MAX_PEOPLE_COMPARED", 20, "a release"),
    ("MAX_SETS_ATTACKED", 14, "attacks"),
    ("MAX_SETS_PROMISED", 3, "rounds"),
    ("MAX_BYTES_OF_COUNTS", 1 << 3, "counts in a file"),
    ("MAX_BYTES_SPOOLED", 1 << 3, "a table in gzip"),
]
REFUSED = [
    ("MAX_PAIRS_LISTED", 20, "all pairs of a response"),
    ("MAX_CROWD_CELLS", 20, "a large crowd's channel"),
    ("MAX_HISTOGRAMS", 20, "leakiest pairs of a crowd"),
    ("MAX_TERMS_ADDED", 1, "a divergence"),
    pytest.param("MAX_REPORT_TYPES", 1, "the leakiest pair among others of two laws", marks=pytest.mark.long),
    ("MAX_CELLS_COMPARED", 20, "a black box"),
    ("MAX_PAIRS_COMPARED", 5, "a black box"),
]
LESS_IS_SAID = [
    ("MAX_REPORT_TYPES", 1, "a profile among others of two laws"),
    ("MAX_CAPACITY_TERMS", 1, "a capacity"),
    ("MAX_CHOICES_TRIED", 2, "a loss at its worst"),
    ("MAX_LOSS_POINTS", 1000, "noise added up"),
    ("MAX_RECORDS_COMPARED", 20_000, "a synthetic table"),
    ("MAX_HISTOGRAMS", 20, "a guess by a law"),
    ("MAX_HISTOGRAMS", 20, "information on one of a crowd"),
    ("MAX_LOG_TERMS", 20, "a loud profile"),
    ("MAX_VALUES_LISTED", 2, "a guess among known others"),
    ("MAX_WAYS_LISTED", 20, "a guess in a population"),
    ("MAX_LIKELIHOODS_TRIED", 20, "a profile among the worst"),
    ("MAX_LIKELIHOODS_EXPECTED", 20, "a profile among the worst"),
    ("MAX_SPLITS_WALKED", 20, "two values among the worst"),
    ("MAX_SPLITS_IN_A_CURVE", 20, "hits among the worst of two values"),
    ("MAX_VALUES_TRIED", 2, "a guess among the worst"),
    ("MAX_CROWDS_DRAWN", 2000, "a guess of bits"),
    ("MAX_TALLY_CELLS", 20, "tallies told among points"),
    ("MAX_TALLY_TABLE", 20, "tallies told by a bit of five values"),
    ("MAX_REPORT_TALLIES", 20, "a population told"),
    ("MAX_TALLY_TERMS", 20, "a population of points told"),
    ("MAX_PRODUCTS", 1, "independent columns"),
    ("MAX_COLUMNS_DECOYED", 1, "decoys"),
    ("MAX_CUTS_KEPT", 1, "the fewest cells"),
]


def asked(question, folder, constants=(), **fields):
    folder.mkdir()
    with lowered(**dict(constants)), within(Limits(**fields)):
        return QUESTIONS[question](folder)


def width(found):
    return highest(found) - lowest(found)


def agree(found, known):
    """Whether two answers to a question can both be right; what is not a number is equal."""
    if not isinstance(found, float | Estimate):
        return found == known
    off = 1e-12 + 1e-10 * abs(float(known))
    return lowest(found) - off <= highest(known) and lowest(known) <= highest(found) + off


@pytest.mark.parametrize(("name", "most", "question"), REFUSED_BY_NAME)
def test_a_question_beyond_a_limit_is_refused_by_its_number(name, most, question, tmp_path):
    asked(question, tmp_path / "before")
    with pytest.raises(TooLargeError) as refused:
        asked(question, tmp_path / "within", {name: most})
    said = "MB" if name == "MAX_BYTES_OF_COUNTS" else "8 bytes" if name == "MAX_BYTES_SPOOLED" else f"{most:,}"
    assert re.search(rf"\b{said}\b", str(refused.value))


@pytest.mark.parametrize(("name", "most", "question"), REFUSED)
def test_a_question_beyond_a_limit_that_says_nothing_to_people_is_refused(name, most, question, tmp_path):
    asked(question, tmp_path / "before")
    with pytest.raises(TooLargeError):
        asked(question, tmp_path / "within", {name: most})


@pytest.mark.long
@pytest.mark.parametrize(("name", "most", "question"), LESS_IS_SAID)
def test_a_question_beyond_a_limit_is_answered_by_an_interval(name, most, question, tmp_path):
    known, found = asked(question, tmp_path / "before"), asked(question, tmp_path / "within", {name: most})
    assert isinstance(found, Estimate)
    assert width(found) > width(known)
    assert agree(found, known)


# Beside what the limits allow: blocks of a fixed size that long sums are made in, and what starts an engine.
BLOCKS, START, ARRAYS, SECONDS_PER_OPERATION = 1 << 27, 10.0, 16, 1e-7


@pytest.mark.long
@pytest.mark.parametrize("fewer", [1, 16])
@pytest.mark.parametrize("question", [*QUESTIONS, *LARGE])
def test_a_question_keeps_to_the_limits_or_is_refused_by_their_names(question, fewer, tmp_path):
    allowed = Limits(bytes=(1 << 24) // fewer, operations=(1 << 28) // fewer, seconds=2, people=10**7)
    begun = process_time()
    tracemalloc.start()
    try:
        with within(allowed):
            LARGE[question]() if question in LARGE else QUESTIONS[question](tmp_path)
    except TooLargeError as refused:
        assert str(refused).endswith(f"(limits lowered to {allowed})")
        assert re.search(r"bytes=[\d,]+, operations=[\d,]+, seconds=2, people=", str(refused))
    finally:
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert most <= ARRAYS * allowed.bytes + BLOCKS
    assert process_time() - begun <= SECONDS_PER_OPERATION * allowed.operations + START


@pytest.mark.parametrize(
    ("lower", "question"),
    [
        ({"bytes": 100}, "all guesses of some tries"),
        ({"operations": 20}, "a deficiency"),
        ({"people": 20}, "a guess among uniform others"),
        ({"people": 20}, "exposure"),
    ],
)
def test_a_refusal_names_the_limit_that_was_lowered(lower, question, tmp_path):
    ((name, most),) = lower.items()
    with pytest.raises(TooLargeError, match=rf"; .*\(limits lowered to {name}={most:,}\)$"):
        asked(question, tmp_path / "within", **lower)


def test_where_integrals_are_not_affordable_tallies_are_sampled_or_that_is_refused(tmp_path):
    question, few = "a population told by a channel", {"MAX_USERS_BY_QUADRATURE": 7, "MAX_TALLY_CELLS": 1}
    known = asked(question, tmp_path / "before")
    found = asked(question, tmp_path / "sampled", few | {"MAX_CELLS_BRACKETED": 1 << 21})
    assert isinstance(known, float)
    assert found.confidence == 0.95
    assert agree(found, known)
    with pytest.raises(TooLargeError, match="too many to sample their tallies"):
        asked(question, tmp_path / "refused", few | {"MAX_CELLS_BRACKETED": 1 << 20})


def test_losses_that_fill_their_lattice_are_added_on_a_grid(tmp_path):
    question = "whole noise added up"
    known, found = asked(question, tmp_path / "exact"), asked(question, tmp_path / "grid", {"MAX_LOSS_PLACES": 1})
    assert found != known
    assert agree(found, known)


def test_subsets_of_more_values_than_can_be_read_are_left_out():
    values = {"a": "1", "b": "1", "c": "1"}
    every = dc.anonymity.given_away(population(), values)
    with lowered(MAX_COLUMNS_COMBINED=2):
        some = dc.anonymity.given_away(population(), values)
    assert some == tuple(found for found in every if len(found.columns) != 2)


FEW_OF_ALL = dict.fromkeys(CONSTANTS, 1) | {"MAX_VALUES": 10**4, "MAX_COLUMNS": 10}


def at_most(most):
    return {name: min(most, value) for name, value in CONSTANTS.items()}


LOWERED = {
    "to a million": (at_most(10**6), {"people": 10**6}),
    "to a thousand": (at_most(1000), {"people": 1000}),
    "to thirty": (at_most(30), {"people": 30}),
    "to one, but for people and values": (FEW_OF_ALL, {"people": 10**4}),
    "to one, but for people, values and lists": (
        FEW_OF_ALL | {"MAX_ENTRIES": 10**4, "MAX_BITS_LISTED": 18},
        {"people": 10**4},
    ),
    "all fields to a million": ({}, {"bytes": 10**6, "operations": 10**6, "people": 10**6}),
    "all fields to some thousands": ({}, {"bytes": 10**4, "operations": 10**5, "people": 1000, "seconds": 1}),
    "all fields to one, but for people": ({}, {"bytes": 1, "operations": 1, "people": 10**4, "seconds": 1}),
    "bytes": ({}, {"bytes": 1000}),
    "operations": ({}, {"operations": 1000}),
}


@pytest.mark.long
@pytest.mark.parametrize("question", QUESTIONS)
def test_whatever_is_lowered_an_answer_stays_what_it_is(question, tmp_path):
    known = asked(question, tmp_path / "before")
    for place, (few, least) in enumerate(LOWERED.values()):
        try:
            found = asked(question, tmp_path / str(place), few, **least)
        except DiscretionError as refused:
            assert isinstance(refused, InvalidValueError)
        else:
            assert agree(found, known), (few, least)
