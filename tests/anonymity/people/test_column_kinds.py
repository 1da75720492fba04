"""What kind of column each is: recognised by counts, names and forms, the same on every engine, and rarely wrong."""

from datetime import date, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID

import ibis  # pyright: ignore[reportMissingTypeStubs]
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv

from discretion.anonymity import ColumnKind, Population, column_kinds, person_question
from discretion.errors import UnknownColumnError, UnsupportedError
from discretion.tables.counting import contents
from support.engines import Engine

MARK = "Zq7x"
ROWS = 400
DRAW = np.random.default_rng(16)
DAY = datetime(2020, 1, 1)
AMOUNTS = DRAW.permutation(10**6)[:ROWS].tolist()
WORDS = ["late", "room", "small", "nice", "the", "was", "staff", "noisy", "again", "never"]


def drawn(values: Any) -> list[Any]:
    return [values[i] for i in DRAW.integers(0, len(values), ROWS)]


def texts(form: str) -> list[str]:
    return [form.format(i) for i in range(ROWS)]


def sentences() -> list[str]:
    return [" ".join(drawn(WORDS)[:12]) + f" {i}" for i in range(ROWS)]


def days(form: str) -> list[str]:
    return [(DAY + timedelta(days=int(i), minutes=37 * int(i))).strftime(form) for i in DRAW.integers(0, 700, ROWS)]


# Name of a column, its values → its kind.
COLUMNS: list[tuple[str, list[Any], str]] = [
    ("sex", drawn(["f", "m"]), "trait"),
    ("age", drawn(range(18, 90)), "trait"),
    ("married", drawn([True, False]), "trait"),
    ("income band", drawn(["under 10 a week, before tax, all told", "10 to 20 a week, before tax, all told"]), "trait"),
    ("school_id", drawn(range(1000, 1020)), "trait"),
    ("region_id", drawn([f"region {i}" for i in range(60)]), "trait"),
    ("subject", drawn(["physics", "art", "music"]), "trait"),
    ("weight", drawn(np.arange(45, 110, 0.5).tolist()), "trait"),
    ("birth_weight", drawn(range(2000, 4000, 10)), "trait"),
    ("person_weight", drawn(range(40, 140)), "trait"),
    ("long", drawn(range(5)), "trait"),
    ("year", drawn(range(1, 5)), "trait"),
    ("size", drawn(["5-9", "10-14", "15-19"]), "trait"),
    ("version", drawn(["1.2.3", "1.2.4"]), "trait"),
    ("email", texts("a{}@b.c"), "identifier"),
    ("patient", list(range(ROWS)), "identifier"),
    ("ID", DRAW.permutation(ROWS * 1000)[:ROWS].tolist(), "identifier"),
    ("number", list(range(ROWS)), "identifier"),
    ("name", [f"name {i // 1.2:.0f}" for i in range(ROWS)], "identifier"),
    ("mail, if any", [None] * (ROWS - 100) + texts("a{}@b.c")[:100], "identifier"),
    ("patientId", [i % 150 for i in range(ROWS)], "key"),
    ("CUSTOMER ID", drawn([f"customer {i}" for i in range(60)]), "key"),
    ("who", [i % 80 for i in range(ROWS)], "key"),
    ("sha", drawn([sha256(bytes([i])).hexdigest() for i in range(90)]), "key"),
    ("device", drawn([str(UUID(int=i << 90)) for i in range(90)]), "key"),
    ("school key", drawn([str(UUID(int=i)) for i in range(90)]), "trait"),
    ("site_of_12", drawn([sha256(bytes([i])).hexdigest()[:32] for i in range(12)]), "trait"),
    ("cholesterol", (DRAW.random(ROWS) * 100).round(5).tolist(), "measurement"),
    ("salary", [int(i) * 7 for i in DRAW.integers(0, 500, ROWS)], "measurement"),
    ("income", AMOUNTS, "measurement"),
    ("wages in all", [f"{amount:,}" for amount in AMOUNTS], "measurement"),
    ("price", [f"{amount:,}".replace(",", ".") + ",50" for amount in AMOUNTS], "measurement"),
    ("x", AMOUNTS, "identifier"),
    ("ssn", AMOUNTS, "identifier"),
    ("income_id", AMOUNTS, "identifier"),
    ("account number", [f"{amount:,}" for amount in AMOUNTS], "identifier"),
    ("phone", [f"555 {i:03} {i * 7 % 1000:03}" for i in [*range(ROWS - 40), *range(40)]], "key"),
    ("total", list(range(ROWS)), "identifier"),
    ("remarks", sentences(), "free text"),
    ("few remarks", [None] * (ROWS - 50) + sentences()[:50], "free text"),
    ("born", [date(1950, 1, 1) + timedelta(days=int(i)) for i in DRAW.integers(0, 9999, ROWS)], "date"),
    ("seen", [DAY + timedelta(seconds=i) for i in range(ROWS)], "date"),
    ("iso", days("%Y-%m-%d"), "date"),
    ("iso and time", days("%Y-%m-%dT%H:%M:%S+01:00"), "date"),
    ("american", days("%m/%d/%Y"), "date"),
    ("german", days("%d.%m.%y"), "date"),
    ("spelled", days("%d-%b-%Y"), "date"),
    ("in words", days("%B %d, %Y"), "date"),
    ("clock", days("%H:%M"), "date"),
    ("clock of 12", days("%I:%M %p"), "date"),
    ("dob", [int(day) for day in days("%Y%m%d")], "date"),
    ("created_at", DRAW.integers(1_500_000_000, 1_600_000_000, ROWS).tolist(), "date"),
    ("event time", (DRAW.integers(1_500_000_000, 1_600_000_000, ROWS) * 1000 + 7).tolist(), "date"),
    ("updated", (DRAW.integers(1_500_000_000, 1_600_000_000, ROWS) * 10**6 + 7).tolist(), "date"),
    ("timestamp", (DRAW.integers(1_500_000_000, 1_600_000_000, ROWS) * 10**9 + 7).tolist(), "date"),
    ("ts", [str(t * 10**9) for t in DRAW.integers(1_500_000_000, 1_600_000_000, ROWS)], "date"),
    ("birthYear", drawn(range(1930, 2005)), "date"),
    ("home_lat", (DRAW.random(ROWS) * 10 + 45).round(4).tolist(), "coordinate"),
    ("Longitude", (DRAW.random(ROWS) * 300 - 150).round(4).tolist(), "coordinate"),
    ("place", [f"({a:.3f}, {b:.3f})" for a, b in DRAW.random((ROWS, 2)) * 90], "coordinate"),
    ("fnlwgt", DRAW.integers(12_000, 999_999, ROWS).tolist(), "weight"),
    ("instance_weight", (DRAW.random(ROWS) * 9000).round(2).tolist(), "weight"),
    ("pweight", drawn([0.5 + i / 40 for i in range(40)]), "weight"),
    ("one", ["x"] * ROWS, "constant"),
    ("none", [None] * ROWS, "constant"),
    ("nearly", [MARK] * 2 + ["x"] * (ROWS - 2), "nearly constant"),
    ("nearly none", [1] * 3 + [None] * (ROWS - 3), "nearly constant"),
]  # fmt: skip
KINDS = {name: kind for name, _, kind in COLUMNS}
TABLE = pa.table(
    {name: pa.array(values, pa.string()) if set(values) == {None} else values for name, values, _ in COLUMNS}
)


def as_csv(folder: Path) -> str:
    path = folder / "people.csv"
    csv.write_csv(TABLE, path)
    return str(path)


def in_sqlite(folder: Path) -> Any:
    connection = ibis.sqlite.connect(folder / "people.db")
    return connection.create_table("people", TABLE)


HELD: dict[str, Any] = {
    "Arrow": lambda _: TABLE,
    "CSV": as_csv,
    "SQLite": in_sqlite,
}


def kinds_of(**columns: list[Any]) -> dict[str, ColumnKind]:
    return {kind.column: kind for kind in column_kinds(Population(pa.table(columns)))}


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:.*infer_string")  # Ibis asks pandas 3 for it
@pytest.mark.parametrize("held", HELD)
def test_every_kind_is_recognised_wherever_the_table_lives(held: str, tmp_path: Path) -> None:
    check(Population(HELD[held](tmp_path), header=True if held == "CSV" else None))


@pytest.mark.long
def test_every_kind_is_recognised_in_an_engine(engine: Engine) -> None:
    check(Population(engine(TABLE)))


def check(P: Population) -> None:
    # A column that is a key by its evenness alone is taken for one only where none has the name of one.
    named = [kind for kind in column_kinds(P) if kind.column != "who"]
    unnamed = column_kinds(P, ["sex", "who"])
    assert [kind for kind in (*named, *unnamed) if kind.kind != KINDS[kind.column]] == []


def test_json_is_read_as_its_values_are(tmp_path: Path) -> None:
    path = tmp_path / "people.json"
    rows = [f'{{"iso": "2020-01-{i % 28 + 1:02}", "lat": {45 + i / 7}, "ID": "p{i % 20}"}}' for i in range(60)]
    path.write_text("\n".join(rows))
    assert [kind.kind for kind in column_kinds(Population(path))] == ["date", "coordinate", "key"]


def test_a_reason_has_the_numbers_and_no_value() -> None:
    kinds = kinds_of(
        ID=[f"{MARK}{i}" for i in range(400) for _ in range(2 + i % 3)][:1196],
        note=[f"{MARK} x" if i < 5 else "y" for i in range(1196)],
        mail=[f"{MARK}{i}" if i % 2 else None for i in range(1196)],
        one=[MARK] * 1196,
    )
    assert [kind.reason for kind in kinds.values()] == [
        "399 values in 1,196 rows, each in 2 to 4 rows",
        "the same in all but 5 of 1,196 rows",
        "598 values in 598 rows, empty in 598",
        "the same in every row",
    ]
    assert MARK not in repr(kinds)


def test_the_question_names_the_finest_key() -> None:
    table = pa.table({"client": [i % 40 for i in range(200)], "it's ID": [i % 100 for i in range(200)], "x": [1] * 200})
    kinds = column_kinds(Population(table))
    assert person_question(kinds) == (
        "client has 40 values in 200 rows, each in 5 rows: if it names the person of a row, add --person client; "
        "without it, every row counts as a person"
    )
    renamed = column_kinds(Population(table.rename_columns(["client", "the 'ID'", "x"])))
    question = person_question(renamed)
    assert question is not None
    assert question.startswith("the 'ID' has 100 values")
    assert "--person 'the '\"'\"'ID'\"'\"''; " in question


def test_nobody_is_asked_who_said_whose_row_it_is() -> None:
    table = pa.table({"who": [i % 40 for i in range(200)], "patient": [i % 100 for i in range(200)], "x": [1] * 200})
    kinds = column_kinds(Population(table, person="who"))
    assert [(kind.column, kind.kind, kind.reason) for kind in kinds] == [
        ("patient", "trait", "100 values in 200 rows"),
        ("x", "constant", "the same in every row"),
    ]
    assert person_question(kinds) is None


def test_adult_has_traits_and_a_weight() -> None:
    kinds = column_kinds(Population("example:adult"))
    assert {kind.column: kind.kind for kind in kinds if kind.kind != "trait"} == {"fnlwgt": "weight"}
    assert person_question(kinds) is None


@pytest.mark.parametrize("rows", [1, 2, 5])
def test_tables_of_hardly_anybody_have_kinds_too(rows: int) -> None:
    kinds = kinds_of(ID=list(range(rows)), sex=["f"] * rows, none=[1.5] * rows)
    assert [kind.kind for kind in kinds.values()] == ["constant" if rows == 1 else "identifier", *["constant"] * 2]


def test_numbers_that_are_none_and_columns_of_other_types_are_no_hindrance() -> None:
    kinds = kinds_of(
        x=[float("nan"), float("inf"), -1e300, 1e20, *[0.5] * 28],
        y=["NaN", "inf", "-1e99", "9" * 15, *["0.5"] * 28],
        user_id=[2**62 + i for i in range(32)],
        bag=[[1, i % 3] for i in range(32)],
        raw=[b"\xff"] * 16 + [b"\x00"] * 16,
    )
    assert [kind.kind for kind in kinds.values()] == ["trait", "trait", "identifier", "trait", "trait"]


@pytest.mark.parametrize(("mean", "taken"), [(2, "key"), (12, "key"), (16, "trait")])
def test_an_even_column_without_a_name_is_a_key_if_its_values_have_few_rows_each(mean: int, taken: str) -> None:
    assert kinds_of(code=[i % 40 for i in range(40 * mean)])["code"].kind == taken


@pytest.mark.one_in(3)
@pytest.mark.parametrize("rows", [25, 60, 150])
def test_numbers_that_chance_would_have_repeated_are_row_numbers(rows: int) -> None:
    order = np.random.default_rng(rows).permutation(rows).tolist()
    halved = np.random.default_rng(rows).permutation(2 * rows)[:rows].tolist()
    spread = [1000 * place for place in order]
    kinds = kinds_of(x=order, from_one=[place + 1 for place in order], real=[float(place) for place in order])
    assert {kind.kind for kind in kinds.values()} == {"identifier"}
    assert kinds_of(x=halved)["x"].kind == ("identifier" if rows > 40 else "measurement")
    assert kinds_of(x=spread)["x"].kind == "measurement"


@pytest.mark.long
def test_whole_numbers_drawn_at_random_are_hardly_ever_taken_for_row_numbers() -> None:
    draw = np.random.default_rng(5)
    taken = 0
    for _ in range(300):
        rows, width = int(draw.integers(20, 199)), int(draw.integers(20, 20_000))
        taken += kinds_of(x=draw.integers(0, width, rows).tolist())["x"].kind == "identifier"
    assert taken == 0


def test_uuids_in_their_own_type_are_keys() -> None:
    ids = pa.array([UUID(int=i % 40 << 90).bytes for i in range(120)], pa.binary(16))
    table = pa.table({"who": pa.ExtensionArray.from_storage(pa.uuid(), ids), "x": [1, 2] * 60})
    assert column_kinds(Population(table))[0].kind == "key"


@pytest.mark.parametrize("name", ["week", "county", "strata", "time point", "schoolClass"])
def test_an_even_column_of_times_or_groups_is_no_key(name: str) -> None:
    assert kinds_of(**{name: [i % 40 for i in range(200)]})[name].kind == "trait"


@pytest.mark.long
def test_traits_that_chance_spreads_over_rows_are_no_keys() -> None:
    for seed in range(20):
        draw = np.random.default_rng(seed)
        values = int(draw.integers(30, 300))
        rows = values * int(draw.integers(1, 15))
        assert kinds_of(code=draw.integers(0, values, rows).tolist())["code"].kind != "key"


def test_without_patterns_in_the_engine_names_and_sizes_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = contents._forms

    def refused(rows: Any, fields: Any, *, patterns: bool) -> Any:
        if patterns:
            raise UnsupportedError("no patterns")
        return asked(rows, fields, patterns=False)

    monkeypatch.setattr(contents, "_forms", refused)
    kinds = kinds_of(ID=[i % 20 for i in range(60)], day=["2020-01-01", "2020-01-02"] * 30, remark=sentences()[:60])
    assert [kind.kind for kind in kinds.values()] == ["key", "trait", "free text"]


@pytest.mark.long
def test_more_columns_than_one_question_takes() -> None:
    kinds = kinds_of(**{f"x{i}": [i % 2, 1, 1, 0] for i in range(2 * contents._COLUMNS_AT_ONCE + 1)})
    assert len(kinds) == 2 * contents._COLUMNS_AT_ONCE + 1


def test_what_is_no_population_and_no_column_is_said() -> None:
    with pytest.raises(UnsupportedError, match="column_kinds takes a Population or a table; got list"):
        column_kinds(["people.csv"])  # pyright: ignore[reportArgumentType]
    with pytest.raises(UnknownColumnError):
        column_kinds(Population("example:adult"), ["sexx"])


@pytest.mark.parametrize(("name", "kind"), [("age", "measurement"), ("Alter", "measurement"), ("total", "identifier")])
def test_ages_of_few_people_number_no_rows_though_each_has_another(name: str, kind: str) -> None:
    (found,) = column_kinds(pa.table({name: np.random.default_rng(1).permutation(range(20, 80))}))
    assert found.kind == kind
