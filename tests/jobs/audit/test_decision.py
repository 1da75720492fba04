"""What an audit decides is said with its true reason, and what it was asked is named."""

import io
from html import unescape

import ibis
import pyarrow as pa
import pytest
from rich.console import Console

import discretion as dc
from discretion.errors import InvalidValueError
from discretion.jobs.audit import sets
from discretion.jobs.audit.summary import recommendation
from discretion.presenting.views.terminal import to_text


@pytest.mark.parametrize("told", [{"guess_budget": 0.1}, {"certain_budget": 0.0}])
def test_what_limits_guesses_of_no_column_is_refused(told: dict) -> None:
    with pytest.raises(InvalidValueError, match=f"{next(iter(told))} limits the guesses of sensitive columns; name"):
        dc.audit(pa.table({"a": ["x"]}), **told)


@pytest.mark.one_in(7)
@pytest.mark.parametrize(
    ("told", "said", "reasons"),
    [
        (
            {"keep": ["pin"]},
            "Nothing can go out: no set with pin, which is to be kept, is within the budget of 1 %.",
            {"no column fits with those to be kept", "to be kept, and over the budget"},
        ),
        ({"drop": ["sex", "town", "pin"]}, "Nothing goes out: every column is to be dropped.", {"by --drop"}),
        ({"k": 200}, "No column can go out within the budget of 1 %.", {"100 % exposed by it alone"}),
        (
            {"columns": ["town"], "sensitive": ["sex"], "guess_budget": 0.02},
            "No column can go out within the budget of 1 % and guesses of sex that rise by at most 2 points.",
            {"with it a sensitive value is guessed too well"},
        ),
    ],
    ids=["kept", "dropped", "exposed", "guessed"],
)
def test_where_nothing_goes_out_the_reason_is_said(told: dict, said: str, reasons: set[str]) -> None:
    town = [*"ab"] * 50
    table = pa.table({"sex": ["f" if place == "a" else "m" for place in town], "town": town, "pin": [*range(50)] * 2})
    found = dc.audit(table, **told)
    assert found.decision.recommended == ()
    assert said in recommendation(found)
    assert said in " ".join(found.to_html().replace("\N{NO-BREAK SPACE}", " ").split())
    assert {each.reason for each in found.decision.columns if not each.reason.startswith("key")} == reasons
    assert {each.verdict for each in found.decision.columns} == {"drop"}


@pytest.mark.long
def test_what_stands_out_without_naming_anybody_is_called_what_it_is() -> None:
    days = [f"2020-01-{1 + place % 28:02}" for place in range(200)]
    told = {
        "seen": days,
        "lat": [40 + place / 1000 for place in range(200)],
        "sampling_weight": [1 + place % 50 / 7 for place in range(200)],
        "height": [150 + place / 7 for place in range(200)],
    }
    reasons = {each.column: each.reason.partition(":")[0] for each in dc.audit(pa.table(told)).decision.columns}
    assert reasons == {
        "seen": "date", "lat": "coordinate", "sampling_weight": "weight", "height": "measurement",
    }  # fmt: skip


@pytest.mark.one_in(2)
@pytest.mark.parametrize("most", [252, 350])
def test_columns_as_they_are_are_offered_where_these_are_more(most: int) -> None:
    quarters = [0] * most + [1] * 250 + [2] * 250 + [3] * (500 - most)
    pair = {"a": [value // 2 for value in quarters], "b": [value % 2 for value in quarters]}
    offers = dc.audit(pa.table({**pair, "c": [place % 4 for place in range(1000)]}), k=140, budget=0.0).decision.offers
    assert [(offer.by, offer.columns) for offer in offers] == [("information", ("c",)), ("columns", ("a", "b"))]
    assert offers[0].bits == 2 > offers[1].bits


@pytest.mark.one_in(3)
@pytest.mark.parametrize("known", dc.anonymity.PRESETS, ids=lambda known: known.name)
def test_a_published_threshold_is_named_with_its_source_in_each_report(known: dc.anonymity.Preset) -> None:
    found = dc.audit(pa.table({"a": ["x"]}), preset=known.name)
    assert found.k == known.k
    console = Console(width=1000, file=io.StringIO(), record=True)
    console.print(to_text(found.document()))
    for report in (console.export_text(), found.to_markdown(), found.to_html()):
        assert f" ({known.stated}: {known.source})" in unescape(report).replace("\\&", "&")


@pytest.mark.long
def test_what_fits_and_was_not_added_in_time_is_said_to_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sets, "sets_within_work", lambda _: 1)
    table = pa.table({"id": [*range(50)] * 2, "sex": [*"fm"] * 50, "town": [*"aabb"] * 25})
    for sensitive, reason in (((), "fits too"), (("sex",), "not known to fit")):
        found = dc.audit(table, sensitive=sensitive, person="id")
        assert found.decision.recommended == ()
        why = {each.column: each.reason for each in found.decision.columns}
        assert why["town"] == f"{reason}: the search ended before"


@pytest.mark.long
def test_rows_of_an_engine_that_do_not_fit_into_the_memory_are_no_goal_that_is_missed() -> None:
    codes = "SELECT range % 7 AS a, md5(range::VARCHAR) || md5((range + 1)::VARCHAR) AS code FROM range(1_000_000)"
    engine = ibis.duckdb.connect()
    engine.raw_sql(f"CREATE TABLE people AS {codes}")
    found = dc.audit(engine.table("people"), memory="50MB")
    assert found.decision.recommended == ("a",)
    assert [offer.by for offer in found.decision.offers] == ["unchanged"]
    assert "the table out of its engine does not fit into 50 MB of memory" in found.not_examined[-1]


@pytest.mark.parametrize("people", [200, 331])
def test_a_file_with_all_that_the_table_tells_keeps_all_of_its_information(people: int) -> None:
    told = dc.audit(pa.table({"sex": (["f", "m", "f"] * people)[:people], "nothing": [""] * people}))
    assert [offer.utility for offer in told.decision.offers] == [1.0]
