"""A synthetic table is found to tell what it does: of copies, parts of them, noise, models, and nothing."""

import csv
import json
import sqlite3
from contextlib import closing
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from hashlib import sha256
from math import isnan
from pathlib import Path
from uuid import UUID

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.stats import norm, rankdata

import discretion as dc
from discretion.errors import InvalidTableError, InvalidValueError, UnknownColumnError, UnsupportedError
from discretion.jobs.synthetic import SyntheticRisk, synthetic_risk
from discretion.jobs.synthetic.job import _of_each
from discretion.tables.locations import path_of
from support.cli_runner import run

NUMBERS = ("age", "fnlwgt", "education_num", "capital_gain", "capital_loss", "hours_per_week")


@pytest.fixture(scope="module")
def adult() -> tuple[pa.Table, pa.Table]:
    """Return an original and a control, of 4,000 people each."""
    table = pq.read_table(path_of("example:adult"))
    for name in NUMBERS:
        place = table.column_names.index(name)
        table = table.set_column(place, name, table[name].cast(pa.int64()))
    order = np.random.default_rng(0).permutation(table.num_rows)
    return table.take(order[:4000]), table.take(order[4000:8000])


def columns_of(table: pa.Table) -> dict[str, np.ndarray]:
    return {name: np.asarray(table[name].to_pylist()) for name in table.column_names}


def of_marginals(table: pa.Table, seed: int) -> pa.Table:
    """Return records whose columns are drawn one by one, numbers with noise: nobody's values are together."""
    rng = np.random.default_rng(seed)
    drawn = {name: rng.choice(column, column.size) for name, column in columns_of(table).items()}
    drawn["fnlwgt"] = rng.normal(190_000, 100_000, table.num_rows).round().astype(int)
    return pa.table(drawn)


def of_copula(table: pa.Table, seed: int) -> pa.Table:
    """Return records by a Gaussian copula: numbers by smoothed marginals, other values by their ranks."""
    rng, n = np.random.default_rng(seed), table.num_rows
    columns = columns_of(table)
    codes = {name: np.unique(column, return_inverse=True) for name, column in columns.items()}
    scores = np.array([norm.ppf(rankdata(c, "average") / (n + 1)) for _, c in codes.values()])
    drawn = norm.cdf(rng.multivariate_normal(np.zeros(len(scores)), np.corrcoef(scores), size=n)).T
    made = {}
    for (name, (values, code)), u in zip(codes.items(), drawn, strict=True):
        if name == "fnlwgt":
            made[name] = (190_000 + 100_000 * norm.ppf(u)).round().astype(int)
        else:
            made[name] = values[np.sort(code)[np.minimum((u * n).astype(int), n - 1)]]
    return pa.table(made)


def of_quantiles(table: pa.Table, seed: int) -> pa.Table:
    """Return the same with a number between two people's, next to them."""
    near = np.random.default_rng(seed).uniform(0.01, 0.99, table.num_rows)
    made = np.quantile(columns_of(table)["fnlwgt"], near).round().astype(int)
    return pa.table(columns_of(of_copula(table, seed)) | {"fnlwgt": made})


def noisy(table: pa.Table, share: float, seed: int) -> pa.Table:
    """Return copies of which each cell is another person's with this probability."""
    rng, columns = np.random.default_rng(seed), columns_of(table)
    n = table.num_rows
    return pa.table(
        {name: np.where(rng.random(n) < share, rng.permutation(column), column) for name, column in columns.items()}
    )


def risks(found: SyntheticRisk) -> dict[str, float]:
    return {each.attack: each.risk.value for each in found.attacks}


@pytest.mark.long
def test_of_copies_everything_is_told(adult: tuple[pa.Table, pa.Table]) -> None:
    original, control = adult
    found = synthetic_risk(original, original, control, sensitive=["income", "age"], seed=1)
    assert found.decision == "tells more"
    assert min(risks(found).values()) > 0.98
    assert {*risks(found)} == {
        "copied", "copied_alone", "singling_out_univariate", "singling_out_multivariate", "linkability",
        "inference:income", "inference:age",
    }  # fmt: skip


@pytest.mark.long
def test_of_half_copies_half_is_told(adult: tuple[pa.Table, pa.Table]) -> None:
    original, control = adult
    others = of_marginals(original, 3)
    half = pa.concat_tables([original.slice(0, 2000), others.select(original.column_names).slice(0, 2000)])
    found = synthetic_risk(original, half, control, sensitive="income", seed=1)
    assert risks(found)["copied"] == pytest.approx(0.5, abs=0.01)
    assert risks(found)["linkability"] == pytest.approx(0.5, abs=0.03)
    assert 0.2 < risks(found)["inference:income"] < 0.6
    assert 0.1 < risks(found)["singling_out_multivariate"] < 0.9


@pytest.mark.long
def test_noise_takes_the_risk_down(adult: tuple[pa.Table, pa.Table]) -> None:
    original, control = adult
    found = [
        risks(synthetic_risk(original, noisy(original, share, 2), control, seed=1))["linkability"]
        for share in (0.05, 0.2, 0.6)
    ]
    assert found[0] > found[1] > found[2]
    assert found[0] > 0.5
    assert abs(found[2]) < 0.1


@pytest.mark.long
@pytest.mark.parametrize("generator", [of_marginals, of_copula])
def test_of_a_model_of_few_numbers_nothing_is_told(adult: tuple[pa.Table, pa.Table], generator) -> None:
    original, control = adult
    found = synthetic_risk(original, generator(original, 5), control, sensitive="income", seed=1)
    assert found.decision == "no sign"
    assert found.risk.high < 0.3
    assert found.risk.confidence == 0.95


@pytest.mark.long
def test_numbers_next_to_those_of_people_are_found_out(adult: tuple[pa.Table, pa.Table]) -> None:
    original, control = adult
    found = synthetic_risk(original, of_quantiles(original, 5), control, sensitive="income", seed=1)
    assert found.decision == "tells more"
    assert found.measures["singling_out_univariate"].low > 0 >= found.measures["linkability"].low


@pytest.mark.long
def test_tables_in_the_wrong_order_do_not_compare(adult: tuple[pa.Table, pa.Table]) -> None:
    original, control = adult
    found = synthetic_risk(original, control, control, seed=1)
    assert found.decision == "not alike"
    assert found.measures["copied"].high < -0.9


@pytest.mark.long
def test_the_same_seed_gives_the_same_result_and_a_drawn_one_is_told(adult: tuple[pa.Table, pa.Table]) -> None:
    original, control = adult
    asked = (original, of_copula(original, 5), control)
    first = synthetic_risk(*asked, attacks=500)
    assert all(each.original.attacks <= 500 for each in first.attacks if each.attack.startswith("singling"))
    assert first.measures["linkability"] == synthetic_risk(*asked, attacks=500, seed=first.seed).measures["linkability"]
    assert first == synthetic_risk(*asked, attacks=500, seed=first.seed)


def small(n: int = 60, seed: int = 4) -> dict[str, list]:
    rng = np.random.default_rng(seed)
    return {
        "age": rng.integers(90, size=n).tolist(), "town": rng.choice(["Oslo", "Rome", "Bonn"], n).tolist(),
        "ill": rng.choice(["yes", "no"], n).tolist(),
    }  # fmt: skip


def test_a_missing_value_is_a_value_of_its_own() -> None:
    people = small() | {"ill": [None, "no"] * 30}
    held_out = small() | {"ill": ["no", None] * 30}
    found = synthetic_risk(pa.table(people), pa.table(people), pa.table(held_out), sensitive="ill", seed=1)
    by_name = {each.attack: each for each in found.attacks}
    assert by_name["copied"].original.hits == 60
    assert by_name["copied"].control.hits < 60
    assert by_name["inference:ill"].original.hits > 50


def test_numbers_are_the_same_in_any_file(tmp_path: Path) -> None:
    people = small() | {"born": ["2001-02-03"] * 60}
    as_text = tmp_path / "text.csv"
    with as_text.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(people)
        writer.writerows(zip(*people.values(), strict=True))
    pq.write_table(pa.table(people | {"age": [float(age) for age in people["age"]]}), tmp_path / "real.parquet")
    found = synthetic_risk(as_text, tmp_path / "real.parquet", pa.table(people), seed=1)
    assert found.attacks[0].original.hits == found.attacks[0].control.hits == 60


def test_values_of_different_kinds_are_refused_without_being_shown() -> None:
    people = small()
    other = people | {"age": [f"wombat{age}" for age in people["age"]]}
    with pytest.raises(InvalidTableError, match=r"'age' holds numbers in the original, text in the synthetic") as e:
        synthetic_risk(pa.table(people), pa.table(other), pa.table(people))
    assert "wombat" not in str(e.value)


def test_texts_that_are_one_number_are_not_one_value() -> None:
    people = {"flat": ["01", "1"] * 30, "town": ["Oslo", "Rome"] * 30}
    found = synthetic_risk(pa.table(people), pa.table(people), pa.table(people | {"flat": ["1", "01"] * 30}), seed=1)
    assert found.attacks[0].control.hits == 0


def test_constants_and_single_columns_are_not_attacked_and_that_is_said() -> None:
    people = pa.table({"land": ["here"] * 60})
    found = synthetic_risk(people, people, people)
    assert {*found.not_attacked} == {
        "singling_out_univariate", "singling_out_multivariate", "linkability", "inference",
    }  # fmt: skip
    assert found.decision == "nothing can be concluded"
    assert found.risk.high == 1.0


def test_texts_that_everybody_has_alone_say_nothing() -> None:
    def named(seed: int) -> pa.Table:
        return pa.table(small(seed=seed) | {"name": [f"n{100 * seed + i}" for i in range(60)]})

    found = synthetic_risk(named(0), named(1), named(2), keep="name", seed=1)
    assert found.newly_made == ("name",)
    assert found.measures["copied"].low <= 0 <= found.measures["copied"].high < 0.3


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"columns": ["agee"]}, "the original: there is no column 'agee'; did you mean 'age'"),
        ({"sensitive": "il"}, "there is no column 'il'"),
        ({"sensitive": ["age", "town", "ill"]}, "all columns are sensitive"),
        ({"linked": (["age"], ["age", "ill"])}, "without a common column"),
        ({"linked": (["age"], [])}, "not empty"),
        ({"linked": "age"}, "two sets of columns"),
        ({"neighbours": 0}, "neighbours must be"),
        ({"attacks": 5}, "attacks must be a whole number of at least 20"),
        ({"confidence": 1.0}, "confidence"),
        ({"seed": -1}, "seed"),
    ],
)
def test_what_makes_no_sense_is_refused(change: dict, sentence: str) -> None:
    people = pa.table(small())
    with pytest.raises(InvalidValueError, match=sentence):
        synthetic_risk(people, people, people, **change)


@pytest.mark.long
def test_a_control_of_too_few_people_is_refused() -> None:
    people = pa.table(small())
    for held_out in (1, 19):
        with pytest.raises(
            InvalidTableError, match=rf"held-out table must have at least 20 people, .* got {held_out}\."
        ):
            synthetic_risk(people, people, people.slice(0, held_out))
    with pytest.raises(InvalidTableError, match=r"the original must have at least 20 people, .* got 3\."):
        synthetic_risk(people.slice(0, 3), people, people)
    with pytest.raises(InvalidTableError, match="one record"):
        synthetic_risk(people, people.slice(0, 1), people)
    assert synthetic_risk(people, people.slice(0, 2), people.slice(0, 20), seed=1).held_out == 20


@pytest.mark.long
def test_a_column_that_a_table_lacks_is_named() -> None:
    people = pa.table(small())
    with pytest.raises(InvalidTableError, match="the synthetic table lacks the column 'town' of the original"):
        synthetic_risk(people, people.drop_columns("town"), people)
    with pytest.raises(InvalidTableError, match="the original lacks the column 'pay' of the held-out table"):
        synthetic_risk(people, people, people.append_column("pay", people["age"]))
    with pytest.raises(InvalidTableError, match="the synthetic table: there is no column 'town'"):
        synthetic_risk(people, people.drop_columns("town"), people, ["town", "age"])
    assert synthetic_risk(people, people.append_column("pay", people["age"]), people, ["town", "age"]).columns == (
        "town", "age",
    )  # fmt: skip


ODD = {
    "huge": [10**17 + i for i in range(60)],
    "infinite": [float("inf"), -1.5, float("nan")] * 20,
    "extreme": [1.7e308, -1.7e308, 0.0] * 20,
    "money": [Decimal(i).scaleb(-2) for i in range(60)],
    "day": [date(2001, 1, 1) + timedelta(i) for i in range(60)],
    "moment": [datetime(2001, 1, 1, 12, 0, i) for i in range(60)],
    "time": [time(12, 0, i) for i in range(60)],
    "known": [True, False, None] * 20,
    "nothing": [None] * 60,
    "signed": [0.0, -0.0, 1.0] * 20,
    "bytes": [bytes([i]) for i in range(60)],
}


@pytest.mark.one_in(17)
@pytest.mark.parametrize("name", ODD)
def test_values_of_any_kind_are_attacked(name: str) -> None:
    people = pa.table(small() | {name: ODD[name]})
    turned = pa.table(small() | {name: ODD[name][7:] + ODD[name][:7]})
    found = synthetic_risk(people, people, turned, sensitive=name, linked=(["age", "town"], ["ill", name]), seed=1)
    by_name = {each.attack: each for each in found.attacks}
    assert by_name["copied"].original.hits == by_name["linkability"].original.hits == 60
    assert by_name["copied"].control.hits == sum(row in rows_of(people) for row in rows_of(turned))


def rows_of(table: pa.Table) -> list[tuple]:
    """Return the rows, with nothing where there is no number."""
    rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
    return [tuple(None if isinstance(value, float) and isnan(value) else value for value in row) for row in rows]


def test_a_column_without_values_goes_with_any_other() -> None:
    people, emptied = pa.table(small()), pa.table(small() | {"age": pa.nulls(60)})
    found = synthetic_risk(people, emptied, pa.table(small(seed=5)), sensitive="age", seed=1)
    assert found.measures["inference:age"].value == 0.0


def test_lists_are_refused() -> None:
    people = pa.table(small() | {"visits": [[1, 2]] * 60})
    with pytest.raises(UnsupportedError, match="lists"):
        synthetic_risk(people, people, people)


@pytest.mark.parametrize("count", [1, 5, 7, 100])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999999])
def test_intervals_hold_together_as_often_as_is_asked(count: int, confidence: float) -> None:
    each = _of_each(confidence, count)
    assert confidence <= each < 1
    assert count * (1 - each) <= (1 - confidence) * (1 + 1e-7)


def written(folder: Path, **tables: dict[str, list]) -> list[str]:
    for name, table in tables.items():
        pq.write_table(pa.table(table), folder / f"{name}.parquet")
    return [str(folder / f"{name}.parquet") for name in tables]


@pytest.mark.long
def test_the_command_decides_first_and_shows_nothing_rare(tmp_path: Path) -> None:
    people = small(200)
    people["town"][7] = "Xyzzyville"
    original, held_out = written(tmp_path, original=people, held_out=small(300))
    code, out, err = run("synthetic", original, original, "--control", held_out, "--sensitive", "ill", "--seed", "3")
    assert (code, err) == (0, "")
    title = "The synthetic table reveals more about the people it was made from than about others."
    assert " ".join(out.split()).startswith(title)
    assert "Seed 3" in out
    assert "Xyzzyville" not in out
    assert "samples" not in out
    _, out, _ = run("synthetic", original, original, "--control", held_out, "--attacks", "50")
    assert "on samples of 50 of the original's people" in " ".join(out.split())
    code, out, _ = run("synthetic", original, held_out, "--control", held_out, "--linked", "age|town,ill", "--json")
    found = json.loads(out)["results"]
    assert found["linked"] == [["age"], ["town", "ill"]]
    assert found["decision"] == "not alike"
    assert found["risk"]["confidence"] == 0.95
    assert "Xyzzyville" not in out


def test_without_held_out_people_the_command_says_why_not(tmp_path: Path) -> None:
    (people,) = written(tmp_path, original=small())
    code, out, err = run("synthetic", people, people)
    assert (code, out) == (2, "")
    assert "facts about all people" in err
    for linked in ("age", "age|town|ill", "age|age"):
        assert run("synthetic", people, people, "--control", people, "--linked", linked)[0] == 2


def test_an_unknown_sensitive_column_is_named_with_the_nearest() -> None:
    people = pa.table(small())
    with pytest.raises(UnknownColumnError, match="'ill'"):
        dc.synthetic_risk(people, people, people, sensitive="il")


def six_facts(n: int, seed: int) -> dict[str, list]:
    """Return facts that hardly two people share."""
    rng = np.random.default_rng(seed)
    return {
        "age": rng.integers(18, 90, n).tolist(), "town": rng.choice([f"t{i}" for i in range(40)], n).tolist(),
        "job": rng.choice([f"j{i}" for i in range(30)], n).tolist(), "ill": rng.choice(["yes", "no"], n).tolist(),
    }  # fmt: skip


def as_stored(rows: dict[str, list], how: str, path: Path) -> object:
    """Return a table as a file of some format, or in memory."""
    table = pa.table(rows)
    match how:
        case "csv":
            with path.with_suffix(".csv").open("w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(rows)
                writer.writerows(zip(*rows.values(), strict=True))
            return path.with_suffix(".csv")
        case "parquet":
            pq.write_table(table, path.with_suffix(".parquet"))
            return path.with_suffix(".parquet")
        case "sqlite":
            with closing(sqlite3.connect(path.with_suffix(".db"))) as database, database:
                database.execute(f"CREATE TABLE people ({', '.join(rows)})")
                marks = ", ".join("?" * len(rows))
                database.executemany(f"INSERT INTO people VALUES ({marks})", zip(*rows.values(), strict=True))
            return path.with_suffix(".db")
        case _:
            return table


# A column that names rows or people → its value in the i-th row of a table.
NAMED = {
    "id": lambda table, i: i,
    "ID": lambda table, i: float(i),
    "unnamed": lambda table, i: i + 1,
    "record_no": lambda table, i: f"P{i:05}",
    "uuid": lambda table, i: str(UUID(int=(hash_of(table, i) << 64) + hash_of(i, table))),
    "token": lambda table, i: sha256(f"{table} {i}".encode()).hexdigest(),
    "mail": lambda table, i: f"{chr(97 + i % 26)}{hash_of(table, i)}@{table}.org",
    "customer": lambda table, i: hash_of(table, i) % 10**9,
    "remarks": lambda table, i: " ".join(f"{table}{hash_of(i, place) % 99}" for place in range(9)),
}  # fmt: skip


def hash_of(*parts: object) -> int:
    return int(sha256(repr(parts).encode()).hexdigest()[:15], 16)


@pytest.mark.long
@pytest.mark.parametrize(
    "how", ["memory", *(pytest.param(each, marks=pytest.mark.long) for each in ("csv", "parquet", "sqlite"))]
)
@pytest.mark.parametrize("name", NAMED)
def test_no_name_of_a_row_hides_a_copy_or_makes_one(name: str, how: str, tmp_path: Path) -> None:
    n = 150

    def table(rows: dict[str, list], which: str) -> object:
        column = {name: [NAMED[name](which, i) for i in range(n)]}
        return as_stored(column | rows, how, tmp_path / which)

    shuffled = {fact: values[::-1] for fact, values in six_facts(n, 1).items()}
    original, control = table(six_facts(n, 1), "original"), table(six_facts(n, 2), "control")
    copied = synthetic_risk(original, table(shuffled, "copy"), control, seed=1)
    apart = synthetic_risk(original, table(six_facts(n, 3), "other"), control, seed=1)
    assert [*copied.left_out] == [*apart.left_out] == [name]
    assert copied.decision == "tells more"
    assert copied.measures["copied"].low > 0.9
    assert apart.decision == "no sign"
    assert apart.measures["copied"].high < 0.1


@pytest.mark.one_in(7)
@pytest.mark.parametrize("name", ["uuid", "token", "mail", "customer", "remarks"])
def test_names_of_people_that_were_copied_are_told(name: str) -> None:
    def table(seed: int, which: str) -> pa.Table:
        return pa.table({name: [NAMED[name](which, i) for i in range(150)]} | six_facts(150, seed))

    found = synthetic_risk(table(1, "original"), table(3, "original"), table(2, "control"), seed=1)
    assert found.decision == "tells more"
    assert found.measures[f"copied:{name}"].low > 0.9
    assert found.measures["copied"].high < 0.1


@pytest.mark.long
@pytest.mark.parametrize("name", ["seen", "blood pressure"])
def test_values_of_its_own_make_no_copy_another_table(name: str) -> None:
    """Time stamps of when it was made, or noise on a number, hide no copy, and are still attacked by."""

    def table(seed: int, of: int) -> pa.Table:
        rng, n = np.random.default_rng(of), 150
        times = [datetime(2020, 1, 1) + timedelta(seconds=int(s)) for s in rng.integers(10**7, size=n)]
        return pa.table({name: times if name == "seen" else rng.normal(120, 9, n)} | six_facts(n, seed))

    original, control = table(1, 1), table(2, 2)
    copied = synthetic_risk(original, table(1, 3), control, seed=1)
    assert copied.newly_made == (name,)
    assert copied.measures["copied"].low > 0.9
    apart = synthetic_risk(original, table(3, 3), control, seed=1)
    assert apart.measures["copied"].high < 0.1
    assert apart.decision == "no sign"
    whole = synthetic_risk(original, original, control, seed=1)
    assert whole.newly_made == ()


@pytest.mark.long
def test_a_column_is_kept_that_somebody_names() -> None:
    rows = [six_facts(150, seed) | {"id": [*range(150)]} for seed in (1, 3, 2)]
    tables = [pa.table(each) for each in rows]
    for asked in ({"keep": "id"}, {"sensitive": "id"}, {"linked": (["id"], ["age"])}):
        found = synthetic_risk(*tables, **asked, seed=1)
        assert "id" in found.columns
        assert not found.left_out
    with pytest.raises(UnknownColumnError, match="'idd'"):
        synthetic_risk(*tables, keep="idd")
    with pytest.raises(InvalidTableError, match="no facts to compare; keep"):
        synthetic_risk(*tables, ["id"])


def test_a_name_that_one_table_lacks_is_no_matter() -> None:
    facts = [six_facts(150, seed) for seed in (1, 3, 2)]
    original = pa.table({"id": [*range(150)]} | facts[0])
    found = synthetic_risk(original, pa.table(facts[1]), pa.table(facts[2]), seed=1)
    assert [*found.left_out] == ["id"]
    assert found.decision == "no sign"


@pytest.mark.long
def test_people_with_several_rows_are_refused_until_somebody_answers() -> None:
    tables = [pa.table({"patient": [i // 3 for i in range(150)]} | six_facts(150, seed)) for seed in (1, 3, 2)]
    with pytest.raises(InvalidTableError, match=r"'patient' has 50 values in 150 rows, each in 3 rows.*--keep patient"):
        synthetic_risk(*tables)
    assert synthetic_risk(*tables, keep="patient", seed=1).decision == "no sign"
    assert synthetic_risk(*tables, ["age", "town", "job"], seed=1).decision == "no sign"


@pytest.mark.long
@pytest.mark.parametrize("share", [0.1, 0.5, 1.0])
def test_of_people_who_are_not_held_out_nothing_can_be_concluded(share: float) -> None:
    people, others = six_facts(300, 1), six_facts(300, 2)
    some = int(300 * share)
    control = {name: people[name][:some] + others[name][some:] for name in people}
    apart = synthetic_risk(pa.table(people), pa.table(six_facts(300, 3)), pa.table(control), sensitive="ill", seed=1)
    assert apart.decision == "nothing can be concluded"
    assert apart.overlap is not None
    assert some - 2 <= apart.overlap.people <= some  # two others may have the row by chance
    assert {(each.low, each.high) for each in apart.measures.values() if each is not None} == {(-1.0, 1.0)}
    copied = synthetic_risk(pa.table(people), pa.table(people), pa.table(control), sensitive="ill", seed=1)
    assert copied.decision == ("tells more" if share < 1 else "nothing can be concluded")
    of_others = synthetic_risk(pa.table(people), pa.table(people), pa.table(others), sensitive="ill", seed=1)
    for name, risk in copied.measures.items():  # what is said is at most what people held out would have shown
        if risk is not None:
            assert risk.high == 1.0
            assert risk.low <= of_others.measures[name].low + 0.01


@pytest.mark.long
@pytest.mark.parametrize("name", ["mail", "uuid", "token", "seen"])
def test_people_are_known_again_by_their_names_or_by_what_did_not_change(name: str) -> None:
    """Half of the people held out are the original's: with other facts under the same name, or with a new time."""

    def table(which: str, seed: int, same: bool) -> pa.Table:
        facts = six_facts(150, 1 if same and name == "seen" else seed)
        start = datetime(2020 + seed, 1, 1)
        made = NAMED.get(name, lambda _, i: start + timedelta(seconds=7919 * i))
        mine = [made("original" if same and i < 75 else which, i) for i in range(150)]
        return pa.table(facts | {name: mine})

    original, synthetic = table("original", 1, same=True), table("other", 3, same=False)
    assert synthetic_risk(original, synthetic, table("control", 2, same=False), seed=1).overlap is None
    found = synthetic_risk(original, synthetic, table("control", 2, same=True), seed=1)
    assert found.overlap is not None
    assert found.overlap.people >= 75
    assert found.decision == "nothing can be concluded"


# Tables of which no attack can show anything → what else is asked.
VACUOUS: dict[str, tuple[list[dict[str, list]], dict]] = {
    "the original held out": ([six_facts(60, 1), six_facts(60, 3), six_facts(60, 1)], {"sensitive": "ill"}),
    "a copy, and the original held out": ([six_facts(60, 1)] * 3, {"sensitive": "ill"}),
    "one value": ([{"land": ["here"] * 60}] * 3, {}),
    "no value": ([{"land": [None, "x"] * 30}] * 3, {}),
    "one column of few values": ([six_facts(60, seed) for seed in (1, 3, 2)], {"columns": ["ill"]}),
    "few people": ([six_facts(20, seed) for seed in (1, 3, 2)], {"columns": ["ill", "age"], "sensitive": "ill"}),
}


@pytest.mark.one_in(11)
@pytest.mark.parametrize("name", VACUOUS)
def test_what_shows_nothing_gets_no_reassuring_word(name: str) -> None:
    tables, asked = VACUOUS[name]
    found = synthetic_risk(*map(pa.table, tables), **asked, seed=1)
    assert found.decision == "nothing can be concluded"
    assert found.to_dict()["decision"] == "nothing can be concluded"
    assert found.risk.high >= 0.5


@pytest.mark.one_in(2)
@pytest.mark.parametrize("value", ["no", None])
def test_a_sensitive_column_of_one_value_is_not_attacked(value: str | None) -> None:
    tables = [six_facts(200, seed) | {"ill": pa.array([value] * 200, pa.string())} for seed in (1, 2)]
    found = synthetic_risk(
        pa.table(tables[0]), pa.table(six_facts(200, 3)), pa.table(tables[1]), sensitive="ill", seed=1
    )
    assert found.not_attacked["inference:ill"].startswith("all people, held out or not, have the same value")
    assert found.measures["inference:ill"] is None
    assert found.decision == "no sign"


@pytest.mark.long
@pytest.mark.parametrize("name", VACUOUS)
def test_the_command_says_so_in_its_first_words(name: str, tmp_path: Path) -> None:
    tables, asked = VACUOUS[name]
    paths = written(tmp_path, original=tables[0], made=tables[1], held_out=tables[2])
    options = [f"--{option}={','.join(value) if isinstance(value, list) else value}" for option, value in asked.items()]
    command = ("synthetic", *paths[:2], "--control", paths[2], *options, "--seed", "1")
    code, out, _ = run(*command, "--fail-over", "risk>0.4")
    assert code == 3
    assert out.startswith("Nothing can be concluded")
    assert "No sign" not in out
    assert json.loads(run(*command, "--json")[1])["results"]["decision"] == "nothing can be concluded"
