"""What the analyst gives out: the joint answers, how sure they are, and nobody rare but in her own file."""

import json
from io import BytesIO

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from pyarrow import parquet

from discretion.collection import Feature
from discretion.collection.results.analyst import analyst_result
from discretion.collection.results.documents import analyst_document
from discretion.collection.results.leaks import leaks_of
from discretion.collection.results.page import to_page
from discretion.collection.results.parquet import to_parquet
from discretion.errors import InvalidValueError
from discretion.estimate import Estimate
from discretion.presenting.json_answers import answer
from discretion.presenting.views.html import to_html
from support.collection.drawn_results import collected, drawn, features_of, rows_counted
from support.collection.in_process import made, round_of

KRR = "krr:epsilon=2"
ROWS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=60)


def json_of(result, **options) -> dict:
    return json.loads(answer("collect", {}, result.to_dict(**options)))["results"]


@given(ROWS, st.integers(1, 6))
def test_counted_shares_are_exact_and_add_up(rows, k: int) -> None:
    of = collected(features_of(2, 2), rows, k=k)
    told = json_of(of.analysed(0, 1))
    labels = [feature.labels for feature in of.task.features]
    for each in told["shares"]:
        held = sum([labels[0][a], labels[1][b]] == each["answers"] for a, b in rows)
        assert each["share"] == held / len(rows)
        assert held >= k
    rare = told["rare"]["people"] if told["rare"] else 0
    assert sum(round(each["share"] * len(rows)) for each in told["shares"]) + rare == len(rows)
    assert rare == 0 or rare >= k or not told["shares"]
    everything = json_of(of.analysed(0, 1), show_rare=True)
    assert len(everything["shares"]) == len({tuple(row) for row in rows})
    assert everything["rare"] is None


@settings(max_examples=25)
@given(ROWS, st.integers(0, 3))
def test_randomized_shares_are_estimates_that_add_up(rows, seed: int) -> None:
    of = collected(features_of(2, 2, randomizers=[KRR]), rows, seed)
    result = of.analysed(0, 1, confidence=0.9)
    assert result.joint.shares.sum() == pytest.approx(1)
    for place in range(len(result.joint.counts)):
        share = result.share(place)
        assert isinstance(share, Estimate)
        assert 0 <= share.low <= share.value <= share.high <= 1
        assert (share.confidence, share.certified) == (0.9, False)
    assert json_of(result)["randomized"] == {"a": KRR}


def test_who_stands_out_is_measured_in_what_was_told() -> None:
    of = collected(features_of(2), [0] * 6 + [1] * 3 + [2], k=4)
    assert of.analysed(0).exposure == 0.4


def test_an_estimate_that_says_fewer_than_k_people_is_not_told_by_itself() -> None:
    of = drawn(features_of(6, randomizers=[KRR]), 500, k=40)
    result = of.analysed(0)
    for answers, share, error in result.frequent():
        assert result.joint.shares[result.joint.answers.index(answers)] * 500 >= 40
        assert error > 0
        assert isinstance(share, Estimate)
    assert len([*result.frequent()]) < len([*result.frequent(show_rare=True)]) == 8


def planted() -> list[Feature]:
    return [Feature("town", ("Kyiv", "Lima", "PLANTED")), Feature("sex", ("f", "m"))]


@pytest.mark.parametrize("show_rare", [False, True])
def test_a_planted_rare_answer_is_on_no_page_unless_asked_for(show_rare: bool) -> None:
    rows = [[i % 2, i // 2 % 2] for i in range(200)] + [[2, 0]]
    of = collected(planted(), rows, k=5)
    result = of.analysed(0, 1)
    leaks = leaks_of(of.task, of.counts, of.choice(0, 1), result)
    said = [
        answer("collect", {}, result.to_dict(show_rare=show_rare)),
        to_html(analyst_document(result, show_rare=show_rare)),
        to_page(result, leaks, show_rare=show_rare),
    ]
    assert all("Kyiv" in text for text in said)
    assert [("PLANTED" in text) for text in said] == [show_rare] * 3
    assert "PLANTED" not in answer("collect", {}, leaks.to_dict())
    assert b"PLANTED" in to_parquet(result)  # hers by the protocol


def test_the_file_has_every_row_and_says_no_more() -> None:
    of = collected(planted(), [[0, 0]] * 4 + [[1, 4 - 1]] * 2 + [[2, 1]], k=5)
    file = parquet.ParquetFile(BytesIO(to_parquet(of.analysed(0, 1))))
    assert file.read().to_pylist() == [
        {"town": town, "sex": sex, "people": n, "share": n / 7, "standard_error": 0.0, "low": n / 7, "high": n / 7}
        for town, sex, n in (("Kyiv", "f", 4), ("Lima", None, 2), ("PLANTED", "m", 1))
    ]
    columns = [file.metadata.row_group(0).column(place) for place in range(file.metadata.num_columns)]
    assert not any(column.is_stats_set for column in columns)
    assert file.metadata.metadata is None


def test_a_feature_may_be_called_as_what_is_told_of_it() -> None:
    of = collected([Feature("people", ("x",)), Feature("share", ("y",))], [[0, 0]] * 3)
    (row,) = parquet.read_table(BytesIO(to_parquet(of.analysed(0, 1)))).to_pylist()
    assert row["people"], row["share"] == ("x", "y")
    assert (row["people_"], row["share_"], row["low"]) == (3, 1.0, 1.0)


def test_one_randomized_feature_has_a_posterior() -> None:
    of = drawn(features_of(1, randomizers=[KRR]), 300)
    law = of.analysed(0).posterior
    assert law is not None
    assert sum(law.means) == pytest.approx(1)
    truth = np.bincount(of.rows[:, 0], minlength=3) / 300
    assert all(low - 0.02 <= share <= high + 0.02 for share, (low, high) in zip(truth, law.intervals, strict=True))
    assert of.analysed(0).posterior == law
    assert drawn(features_of(1), 300).analysed(0).posterior is None
    assert drawn(features_of(1, 1, randomizers=[KRR]), 300).analysed(0, 1).posterior is None


def test_nobody_s_answers_have_no_shares() -> None:
    for randomizers in ([], [KRR]):
        of = made(features_of(1, randomizers=randomizers)).task
        result = analyst_result(rows_counted(np.empty((0, 1), np.int64), 4), round_of(of, 0))
        told = json_of(result)
        assert (told["people"], told["dropped"], told["exposure"], told["rare"]) == (0, 4, 0.0, None)
        assert to_page(result).startswith("<!doctype html>")


def test_the_page_is_self_contained_and_runs_only_its_own_scripts() -> None:
    of = collected([Feature("<b>&", ("</script>", "x"))], [0] * 20 + [1] * 20, k=5)
    page = to_page(of.analysed(0), leaks_of(of.task, of.counts, of.choice(0), of.analysed(0)))
    assert "default-src 'none'" in page
    assert "<b>&" not in page
    assert "<h1>Joint answers to &lt;b&gt;&amp;</h1>" in page
    assert page.count("</script>") == 3
    assert "://" not in page.partition("<script>")[0]
    assert to_page(of.analysed(0)) == to_page(of.analysed(0))


def test_a_confidence_out_of_range_is_refused() -> None:
    with pytest.raises(InvalidValueError, match="confidence must be in"):
        collected(features_of(1), [0]).analysed(0, confidence=1.0)
