"""The audit as data: every number against the rows, whatever the table."""

import io
import math

import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st
from rich.console import Console

import discretion as dc
from discretion.errors import InvalidValueError, UnknownColumnError
from discretion.jobs.audit import sets as search
from discretion.jobs.audit.result import Audit
from discretion.presenting.views.terminal import to_text
from discretion.spelling import spelled
from discretion.spelling.rules import rule_of
from discretion.tables.counting.threshold import most_exposed
from oracles.audits import best_guesses, classes, exposed_people, subsets
from support.lowering import lowered

NAMES = ["a", "b", "c", "d"]


@st.composite
def tables(draw: st.DrawFn) -> list[dict]:
    width = draw(st.integers(1, 4))
    value = st.one_of(st.none(), st.sampled_from("xyz"))
    row = st.tuples(*[value] * width)
    return [dict(zip(NAMES, cells, strict=False)) for cells in draw(st.lists(row, min_size=1, max_size=25))]


def arrow(rows: list[dict]) -> pa.Table:
    return pa.Table.from_pylist(rows, schema=pa.schema([(name, pa.string()) for name in rows[0]]))


@pytest.mark.long
@settings(max_examples=25, deadline=None)
@given(tables(), st.integers(1, 6), st.sampled_from([0.0, 0.2, 0.5, 1.0]))
def test_every_number_of_an_audit_is_what_counting_rows_gives(rows: list[dict], k: int, budget: float) -> None:
    names = list(rows[0])
    found = dc.audit(arrow(rows), sensitive=names[0], k=k, budget=budget)
    n = len(rows)
    assert found.people == found.rows == n
    for report in found.columns:
        sizes = classes(rows, (report.column,))
        assert report.values == len(sizes)
        assert report.rarest_people == min(sizes.values())
        assert report.rarest_withheld == (report.rarest_people < max(k, 2))
        assert report.exposed_people == exposed_people(rows, (report.column,), k)
        entropy = -sum(c / n * math.log2(c / n) for c in sizes.values())
        assert report.entropy_bits == pytest.approx(entropy, rel=1e-10, abs=1e-12)
    for report in (*found.selected, *found.sets.smallest_over_budget, found.sets.whole):
        sizes = classes(rows, report.columns)
        assert report.classes == len(sizes)
        assert report.unique_people == sum(size == 1 for size in sizes.values())
        assert report.exposed_people == exposed_people(rows, report.columns, k)
        assert report.exposure == report.exposed_people / n
        assert report.reidentification_vulnerability == len(sizes) / n
    for report in found.certified:
        assert report.exposure <= report.bound.value
        assert report.bound.certified
    for report in found.inference:
        assert report.posterior == best_guesses(rows, report.known, names[0]) / n
        assert report.prior == best_guesses(rows, (), names[0]) / n
    check_selected(found, rows, k, budget)


def check_selected(found: Audit, rows: list[dict], k: int, budget: float) -> None:
    """Check that the selected sets are just the maximal ones within the budgets, and the first the one to publish."""
    secret, n, names = found.sensitive[0], len(rows), list(rows[0])
    naming = {
        kind.column for kind in dc.anonymity.column_kinds(dc.Population(arrow(rows))) if kind.kind in search.NAMING
    }
    open_to = [name for name in rows[0] if name != secret and name not in naming]
    most = best_guesses(rows, (), secret) + most_exposed(n, found.guess_budget)
    within = [
        set(s)
        for s in subsets(open_to)
        if exposed_people(rows, s, k) / n <= budget and best_guesses(rows, s, secret) <= most
    ]
    maximal = [s for s in within if not any(s < other for other in within)]
    assert sorted(map(sorted, maximal))[:10] == sorted(sorted(report.columns) for report in found.selected) or (
        len(maximal) > 10
    )
    published = {each.column for each in found.decision.columns if each.verdict != "drop"}
    assert published == set(found.decision.recommended)
    information = found.decision.offers[0].bits if found.decision.offers else 0
    common = [s for s in within if all(min(classes(rows, (name,)).values()) >= k for name in s)]
    for s in common:  # the file is as good as any columns that may go out as they are, none with a rare value
        sizes = classes(rows, tuple(s)).values()
        assert information >= sum(size / n * math.log2(n / size) for size in sizes) - 1e-9
    verdicts = {each.column: each.verdict for each in found.decision.columns}
    assert list(verdicts) == list(rows[0])
    assert verdicts[secret] == "drop"
    for offer in found.decision.offers:
        assert offer.ended == "proved"
        if offer.suppressed == 0 and set(offer.plan.publish) <= set(names):  # all rows and columns as they are
            assert offer.exposed_people == exposed_people(rows, offer.columns, k)
            (guess,) = offer.guesses
            assert (guess.before * n, guess.after * n) == pytest.approx(
                (best_guesses(rows, (), secret), best_guesses(rows, offer.columns, secret))
            )


@pytest.mark.long
@settings(max_examples=20, deadline=None)
@given(tables(), st.integers(1, 6), st.sampled_from([0.0, 0.2, 0.5, 1.0]), st.booleans())
def test_what_an_audit_says_is_what_the_functions_say(rows, k: int, budget: float, named: bool) -> None:
    population = dc.Population(arrow(rows))
    found = dc.audit(population, sensitive=population.columns[-1] if named else None, k=k, budget=budget)
    check_what_the_columns_alone_say(found, population, rows)
    check_what_a_release_promises(found, population)
    check_what_redacting_would_do(found, population, rows)


def check_what_the_columns_alone_say(found: Audit, population: dc.Population, rows: list[dict]) -> None:
    k, budget = found.k, found.budget
    for report in found.certified:
        assert report.theorems == dc.anonymity.theorem_bound(population, k=k, columns=report.columns).value
        assert report.if_independent == dc.anonymity.exposure_if_independent(population, k=k, columns=report.columns)
    traits = [report.column for report in found.columns if not report.identifier_like]
    maximal = dc.select_columns(population, budget, k=k, by="certified", columns=traits).maximal
    promised = [chosen for chosen in maximal if chosen.columns]
    assert [report.columns for report in found.certified_selection] == [chosen.columns for chosen in promised][:10]
    for report, chosen in zip(found.certified_selection, promised, strict=False):
        assert report.bound == chosen.exposure == dc.exposure_bound(population, k=k, columns=report.columns)
        assert report.exposure == exposed_people(rows, report.columns, k) / len(rows) <= report.bound.value


def check_what_a_release_promises(found: Audit, population: dc.Population) -> None:
    k, sensitive = found.k, next(iter(found.sensitive), None)
    traits = tuple(report.column for report in found.columns if not report.identifier_like)
    released = [report.columns for report in found.selected[:10]]
    assert [report.columns for report in found.release] == list(
        dict.fromkeys([*released, *([traits] if traits else [])])
    )
    for report in found.release:
        assert report.k_anonymity == dc.anonymity.k_anonymity(population, report.columns)
        future = dc.anonymity.future_exposure(population, found.rows, k, columns=report.columns)
        assert report.future_exposure == (future if report is found.release[0] else None)
        told = (report.l_diversity, report.entropy_l_diversity, report.t_closeness)
        if sensitive is None:
            assert told == (None, None, None)
        else:
            known = [column for column in report.columns if column != sensitive]
            assert told == tuple(
                quantity(population, known, sensitive)
                for quantity in (dc.anonymity.l_diversity, dc.anonymity.entropy_l_diversity, dc.anonymity.t_closeness)
            )
    for report in found.inference:
        attack = dc.anonymity.inference(population, report.known, sensitive)
        assert report.prior == attack.prior == population.best_guesses((), sensitive) / population.people
        assert (
            report.posterior == attack.posterior == population.best_guesses(report.known, sensitive) / population.people
        )
        assert (report.worst_person, report.certain_people) == (attack.worst_person, attack.certain_people)


def check_what_redacting_would_do(found: Audit, population: dc.Population, rows: list[dict]) -> None:
    k = found.k
    traits = tuple(report.column for report in found.columns if not report.identifier_like)
    rules = dc.anonymity.redaction_rules(population, k, traits, suspicion=0.5)
    told = found.redaction.columns
    assert (
        tuple(dc.anonymity.RedactionRule(report.column, report.rarer_than, report.decoys) for report in told) == rules
    )
    for report, rule in zip(told, rules, strict=True):
        leakage = dc.anonymity.redaction_leakage(population, rule)
        for name in ("redacted", "rare_values", "rare_people", "suspicion"):
            assert getattr(report, name) == getattr(leakage, name)
        assert report.exposure == exposed_people(rows, (rule.column,), k) / len(rows)
        assert report.redacted_exposure == dc.anonymity.redacted_exposure(
            population, [rule], k=k, columns=[rule.column]
        )
    for report in found.redaction.together:
        assert report.exposure == exposed_people(rows, report.columns, k) / len(rows)
        assert report.redacted_exposure == dc.anonymity.redacted_exposure(
            population, rules, k=k, columns=report.columns
        )
    sets = [report.columns for report in found.redaction.together]
    assert (traits in sets) == (len(traits) > 1 and bool(rules))


@pytest.mark.long
def test_given_rules_are_reported_beside_the_audits_own() -> None:
    columns = ["sex", "race", "workclass", "native_country"]
    population = dc.Population("example:adult", columns=[*columns, "income"])
    lines = ["race: Other", "workclass: rarer than 30 when income: <=50K decoys 0.001"]
    found = dc.audit(population, columns=columns, rules=lines)
    ours = [rule_of(line) for line in lines]
    own = dc.anonymity.redaction_rules(population, 10, ["sex", "native_country"])
    assert [report.column for report in found.redaction.columns] == [rule.column for rule in own]
    for report, rule, about in zip(found.redaction.ruled, ours, (["race"], ["workclass", "income"]), strict=True):
        leakage = dc.anonymity.redaction_leakage(population, rule)
        assert (report.column, report.rules) == (rule.column, (spelled(rule),))
        assert (report.people, report.redacted, report.suspicion) == (
            leakage.rare_people, leakage.redacted, leakage.suspicion
        )  # fmt: skip
        assert [guess.about for guess in report.guesses] == about
        for guess in report.guesses:
            told = dc.anonymity.redaction_leakage(population, rule, guess.about)
            assert (guess.prior, guess.posterior) == (told.prior, told.posterior)
        alone = dc.anonymity.redacted_exposure(population, [rule], k=10, columns=[rule.column])
        assert report.redacted_exposure == alone
    for together in found.redaction.together:
        assert together.redacted_exposure == dc.anonymity.redacted_exposure(
            population, [*ours, *own], k=10, columns=together.columns
        )
    assert found.redaction.ruled[0].suspicion == 1


@pytest.mark.long
@pytest.mark.parametrize("columns", [4, 11])
def test_redacting_with_too_many_answers_is_left_out_and_says_so(columns: int) -> None:
    rows = [{f"c{j}": "rare" if i == j else "common" for j in range(columns)} for i in range(40)]
    with lowered(MAX_ANSWERS_REDACTED=2**3 if columns == 4 else 2**20):
        found = dc.audit(arrow(rows), k=2, budget=0.01)
    assert [(len(report.columns), report.redacted_exposure) for report in found.redaction.together] == [(columns, None)]
    assert any(f"the exposure of {columns} columns together" in sentence for sentence in found.not_examined)
    assert all(report.redacted_exposure is not None for report in found.redaction.columns)


@pytest.mark.long
def test_identifiers_are_set_apart() -> None:
    rows = [{"id": str(i), "sex": "mf"[i % 2]} for i in range(100)]
    found = dc.audit(arrow(rows))
    assert found.sets.identifier_like == ("id",)
    assert found.decision.recommended == ("sex",)
    assert found.decision.columns[0].verdict == "drop"
    assert found.decision.columns[0].reason.startswith("identifier: ")
    assert found.sets.whole.unique_people == 100
    assert any("id" in sentence for sentence in found.not_examined)


def test_a_person_with_several_rows_is_one_person_and_gets_no_bound() -> None:
    rows = [{"id": str(i // 2), "drug": "abcd"[i % 4]} for i in range(80)]
    found = dc.audit(arrow(rows), person="id", k=5)
    assert (found.people, found.rows) == (40, 80)
    assert found.sets.whole.classes == 2
    assert found.certified == found.certified_selection == found.collection == ()
    assert found.redaction.columns == found.redaction.together == ()
    assert [report.future_exposure for report in found.release] == [None]
    assert sum("several rows" in sentence for sentence in found.not_examined) == 3


@pytest.mark.long
def test_no_value_of_fewer_than_k_people_is_in_the_data() -> None:
    rows = [{"town": "Paris"}] * 20 + [{"town": "Xanadu"}] * 2
    assert "Xanadu" not in str(dc.audit(arrow(rows)).to_dict())
    assert "Xanadu" in str(dc.audit(arrow(rows), show_rare=True).to_dict())
    assert "Xanadu" in str(dc.audit(arrow(rows), k=2).to_dict())


@pytest.mark.parametrize("budget", [-0.1, 1.1, math.nan, "much"])
def test_a_budget_is_a_share(budget) -> None:
    with pytest.raises(InvalidValueError, match="budget"):
        dc.audit("example:adult", columns=["sex"], budget=budget)


@pytest.mark.long
def test_some_columns_of_a_population_are_audited_as_if_they_were_all() -> None:
    columns = ["sex", "race"]
    assert dc.audit(dc.Population("example:adult"), columns).to_dict() == dc.audit("example:adult", columns).to_dict()


def test_an_unknown_sensitive_column_is_refused() -> None:
    with pytest.raises(UnknownColumnError, match="did you mean 'sex'"):
        dc.audit("example:adult", columns=["sex"], sensitive="sx")


@pytest.mark.long
def test_the_report_says_which_columns_a_risk_and_a_guess_are_of() -> None:
    """Who knows an identifier knows the sensitive value; the table goes out with it, and guesses are without."""
    visits = pa.table({
        "who": [person for person in range(40) for _ in range(2)],
        "card": [f"card {place}" for place in range(80)],
        "town": ["Oslo", "Rome"] * 40,
        "sick": ["yes" if person % 3 else "no" for person in range(40) for _ in range(2)],
    })  # fmt: skip
    for person in (None, "who"):
        found = dc.audit(visits, ["card", "town", "sick"], "sick", k=2, person=person)
        risks = {risk.name: risk.whole for risk in found.risks}
        assert risks["inference: sick"] == 1.0
        assert {report.known for report in found.inference} == {("town",)}
        assert {report.posterior for report in found.inference} == {26 / 40}
        said = "“Whole table” includes card, which mostly names a person; other guesses exclude it."
        for face in (printed(found), printed(found, full=True), found.to_markdown(), found.to_html()):
            assert said in face
    none = dc.audit(visits, ["town", "sick"], "sick", k=2)
    assert "“Whole table”" not in printed(none, full=True) + none.to_html()


def printed(found: Audit, *, full: bool = False) -> str:
    """Return what a terminal of 200 columns shows."""
    console = Console(width=200, file=io.StringIO())
    with console.capture() as capture:
        console.print(to_text(found.document(), full=full))
    return capture.get()


@pytest.mark.long
def test_the_risks_of_a_file_without_its_weights_among_everybody_are_missing() -> None:
    table = pa.table({"sex": ["f", "m"] * 100, "age": [str(20 + row % 5) for row in range(200)], "w": [50.0] * 200})
    with_weights, of_table = dc.audit(table, weight="w"), dc.audit(table.drop_columns("w"))
    assert {risk.name for risk in with_weights.risks if risk.recommended is None} == {
        "journalist risk, highest", "journalist risk, average", "marketer risk",
    }  # fmt: skip
    assert all(risk.recommended is not None for risk in of_table.risks)


@pytest.mark.long
def test_a_column_of_weights_is_offered_until_it_is_used() -> None:
    columns = ["sex", "race", "fnlwgt"]
    offered = [
        sentence for sentence in dc.audit("example:adult", columns).not_examined if "--weight fnlwgt" in sentence
    ]
    assert len(offered) == 1
    assert not any(
        "--weight" in sentence for sentence in dc.audit("example:adult", columns, weight="fnlwgt").not_examined
    )
    assert not any("--weight" in sentence for sentence in dc.audit("example:adult", ["sex", "race"]).not_examined)


@pytest.mark.long
def test_a_column_that_names_the_person_of_each_row_takes_nothing_from_the_recommendation() -> None:
    people = 2_000
    table = pa.table(
        {
            "age": [str(20 + i * i % 61) for i in range(people)],
            "town": ["abcdefgh"[i % 7 % 5] for i in range(people)],
            "ill": ["no" if i % 9 else "yes" for i in range(people)],
        }
    )
    named = table.append_column("who", pa.array([f"p{i}" for i in range(people)]))
    alone, by_person = dc.audit(table), dc.audit(named, person="who")
    assert by_person.decision.columns == alone.decision.columns
    assert [offer.columns for offer in by_person.decision.offers] == [offer.columns for offer in alone.decision.offers]
    assert by_person.decision.offers
    assert (by_person.people, by_person.rows) == (people, people)
