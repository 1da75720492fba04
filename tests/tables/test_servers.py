"""A table in PostgreSQL is counted there, and what its address tells of a password is told nobody."""

from pathlib import Path

import pyarrow as pa
import pytest

from discretion.anonymity import ClassSizes, Population
from discretion.errors import EngineError, InvalidTableError, InvalidValueError
from discretion.jobs.persons import open_people
from support.cli_runner import run
from support.servers import PASSWORD, Server

SECRET = "sEcReT"
PEOPLE = pa.table(
    {
        "sex": ["f", "m", "f", None, "m", "f"] * 5,
        "job, or none": ["nurse", 'say "a"', "nurse", "tab\there", None, "two\nlines"] * 5,
        "blood": ["0", "A", "0", "0", "A", None, "B", "AB", "é", "é"] * 3,
    }
)
SETS = (["sex"], ["sex", "blood"], ["blood", "job, or none"], ["sex", "job, or none", "blood"])


def sizes(population: Population) -> list[ClassSizes]:
    return [population.class_sizes(columns) for columns in SETS]


STAYS = pa.table(
    {
        "id": [f"p{i // 3}" for i in range(90)],
        "ill": [("yes", "no", None, "yes")[i * i % 7 % 4] for i in range(90)],
        "weeks": [(1, None, 3)[i * i % 5 % 3] for i in range(90)],
    }
)


ADDRESS = f"postgres://ada:{PASSWORD}@127.0.0.1:1/clinic?table=people&password={PASSWORD}"


@pytest.mark.parametrize(
    "arguments",
    [
        ["audit", ADDRESS],
        ["audit", ADDRESS, "--json"],
        ["audit", ADDRESS, "--engine", "spark"],
        ["audit", ADDRESS.replace("postgres", "postgre")],
        ["audit", ADDRESS.replace("://", ":/")],
        ["audit", ADDRESS.replace(":1/", ":99999/")],
        ["exposure", ADDRESS, "--k", "2"],
        ["exposure", ADDRESS, "--k", "2", "--marginals"],
        ["estimate", ADDRESS],
    ],
)
def test_a_password_is_in_no_error(arguments: list[str]) -> None:
    code, out, err = run(*arguments)
    assert (code, err.count("\n")) == (2, 1), err
    assert PASSWORD not in out + err


def test_a_dead_database_is_one_sentence() -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(EngineError, match=r"does not answer or refuses .*PGPASSWORD"):
        Population("postgres://ada@127.0.0.1:1/clinic?table=people")


@pytest.fixture(scope="module")
def clinic(postgres: Server) -> Server:
    import psycopg

    with psycopg.connect(
        host="127.0.0.1", port=postgres.port, user="ada", password=PASSWORD, dbname="clinic", autocommit=True
    ) as made:
        made.execute('CREATE TABLE people (sex text, "job, or none" text, blood text)')
        with made.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO people VALUES (%s, %s, %s)", list(zip(*PEOPLE.to_pydict().values(), strict=True))
            )
        made.execute("CREATE TABLE stays (id text, ill text, weeks int)")
        with made.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO stays VALUES (%s, %s, %s)", list(zip(*STAYS.to_pydict().values(), strict=True))
            )
        made.execute("CREATE SCHEMA ward; CREATE TABLE ward.beds AS SELECT * FROM people")
        made.execute("CREATE TABLE spans AS SELECT interval '1 month' AS a, 1 AS b")
        made.execute("CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)")
        made.execute("CREATE TABLE names (a text COLLATE loose); INSERT INTO names VALUES ('a'), ('A')")
        made.execute("CREATE TABLE headless (\"sEcReT\" text); INSERT INTO headless VALUES ('sEcReT')")
        made.execute('CREATE TABLE "it\'s ""odd""" AS SELECT * FROM people')
        made.execute(
            "CREATE TABLE visits AS SELECT person AS id, person % 2 AS sex, visit % 3 AS ill, interval '1 h' AS stay"
            " FROM generate_series(1, 40) AS person, generate_series(1, 12) AS visit"
        )
    return postgres


@pytest.mark.postgres
@pytest.mark.filterwarnings("ignore:.*infer_string")
@pytest.mark.parametrize("table", ["people", "ward.beds", "it%27s%20%22odd%22", "public.people"])
def test_a_table_on_postgresql_gives_the_counts_of_the_table(
    clinic: Server, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    population = Population(clinic.address(asks=f"?table={table}"))
    assert sizes(population) == sizes(Population(PEOPLE))
    assert population.rarest_value("blood") == Population(PEOPLE).rarest_value("blood")
    assert population.best_guesses(["sex"], "blood") == Population(PEOPLE).best_guesses(["sex"], "blood")


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("asks", "fault"),
    [
        ("", "has several tables; name one as .table=NAME: .*people"),
        ("?table=nobody", "has no table 'nobody'"),
        ("?table=ward.nobody", "has no table 'nobody'"),
        ("?table=spans", "the column 'a' of the table spans is interval.*, which cannot be counted exactly"),
        ("?table=names", "the column 'a' of the table names is of a type or collation"),
        ("?table=headless", "the name of column 1 comes again below"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*infer_string")
def test_a_table_on_postgresql_that_will_not_do(
    clinic: Server, asks: str, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    with pytest.raises(InvalidTableError, match=fault) as refusal:
        Population(clinic.address(asks=asks))
    assert SECRET not in str(refusal.value)


@pytest.mark.postgres
def test_a_wrong_password_is_refused_and_not_shown(clinic: Server) -> None:
    with pytest.raises(EngineError, match="does not answer or refuses") as refusal:
        Population(clinic.address("ada:wRoNg", "?table=people"))
    assert "wRoNg" not in str(refusal.value)


@pytest.mark.postgres
@pytest.mark.filterwarnings("ignore:.*infer_string")
@pytest.mark.parametrize("command", [["audit", "--full"], ["audit", "--json"], ["exposure", "--k=2", "--json"]])
def test_a_password_is_in_no_output(clinic: Server, command: list[str], tmp_path: Path) -> None:
    page, document = tmp_path / "page.html", tmp_path / "page.md"
    files = ["--html", str(page), "--markdown", str(document)] if command[0] == "audit" else []
    given = clinic.address(f"ada:{PASSWORD}", "?table=people&connect_timeout=9")
    code, out, err = run(command[0], given, *command[1:], *files)
    assert code == 0, err
    told = out + err + "".join(path.read_text() for path in tmp_path.iterdir())
    assert PASSWORD not in told
    if command[0] == "audit":
        assert clinic.address(asks="?table=people") in told


@pytest.mark.postgres
@pytest.mark.filterwarnings("ignore:.*infer_string")
def test_rows_of_one_person_on_postgresql_are_answered_for_though_their_key_is_not_asked_for(
    clinic: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    visits = clinic.address(asks="?table=visits")
    with pytest.raises(InvalidValueError, match="the column id has 40 values in 480 rows, each in 12 rows"):
        open_people(visits, ["sex"], None)
    assert open_people(visits, ["sex"], "none").people == 480
    assert open_people(visits, ["sex"], "id").people == 40


@pytest.mark.postgres
@pytest.mark.filterwarnings("ignore:.*infer_string")
def test_people_with_several_rows_on_postgresql_are_those_of_the_table(
    clinic: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    there, here = Population(clinic.address(asks="?table=stays"), person="id"), Population(STAYS, person="id")
    for columns in (["ill"], ["weeks"], ["ill", "weeks"], ["weeks", "ill"]):
        assert there.class_sizes(columns) == here.class_sizes(columns)
        assert 1 < there.class_sizes(columns).classes < there.people == 30
    assert there.best_guesses(["ill"], "weeks") == here.best_guesses(["ill"], "weeks")
    assert there.rarest_value("ill") == here.rarest_value("ill")
    for command in (["exposure"], ["audit", "--full"]):
        code, out, err = run(
            command[0], clinic.address(asks="?table=stays"), "--person", "id", "--k", "2", *command[1:]
        )
        assert code == 0, err
        assert "30 people" in out
