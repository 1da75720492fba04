"""Audits made by hand: a usual one, one with hostile names, one of several rows a person, one with nothing in it."""

from dataclasses import replace

from discretion.anonymity import PopulationUniqueness, UniquenessModel
from discretion.estimate import Estimate
from discretion.jobs.audit.result import (
    AnswerGuesses,
    Audit,
    CertifiedReport,
    CertifiedSet,
    CollectionOption,
    CollectionReport,
    ColumnDecision,
    ColumnReport,
    Columns,
    Decision,
    FrontSet,
    GuessReport,
    InferenceReport,
    Offer,
    ProtocolReport,
    RedactedColumn,
    RedactedSet,
    RedactionReport,
    ReleaseReport,
    RiskReport,
    SetReport,
    SetsReport,
)
from discretion.jobs.options.tables import AuditOptions, ReleaseOptions

HOSTILE = "</script><img src=x onerror=alert(1)>"
PEOPLE = 1000


def column(name: str, exposed: int = 0, **changes: object) -> ColumnReport:
    return replace(
        ColumnReport(
            column=name,
            values=4,
            entropy_bits=1.75,
            rarest_people=40,
            rarest_value="rare",
            rarest_withheld=False,
            most_common_share=0.5,
            exposed_people=exposed,
            exposure=exposed / PEOPLE,
            identifier_like=False,
        ),
        **changes,
    )


def released(*columns: str, exposed: int, unique: int = 0) -> SetReport:
    return SetReport(
        columns=columns,
        classes=12,
        unique_people=unique,
        smallest_class=1 if unique else 4,
        exposed_people=exposed,
        exposure=exposed / PEOPLE,
        reidentification_vulnerability=12 / PEOPLE,
    )


def certified(*columns: str, bound: float, exposure: float) -> CertifiedReport:
    independent = Estimate(0.07, 0.07, 0.07, None, "product of the columns' laws", "independent columns")
    return CertifiedReport(columns, Estimate(bound, 0.002, bound, None, "counting"), exposure, 1.0, independent)


def promised(*columns: str) -> ReleaseReport:
    return ReleaseReport(columns, 4, 2, 1.5, 0.25, Estimate(0.009, 0.001, 0.06, 0.95, "limits of all shares"))


def guessed(*known: str, posterior: float, exposure: float = 0.0, unique: int = 0) -> InferenceReport:
    return InferenceReport("sick", known, 0.5, posterior, 1.0, 17, exposure, unique)


def offered(*columns: str, exposed: int, by: str = "unchanged", **changes: object) -> Offer:
    offer = Offer(
        by=by,
        columns=columns,
        plan=None,
        suppressed=0,
        exposed_people=exposed,
        exposure=exposed / PEOPLE,
        bits=3.25,
        utility=float(len(columns)),
        bound=float(len(columns)),
        ended="proved",
        guesses=(GuessReport("sick", 0.5, 0.52, 3),),
    )
    return replace(offer, **changes)


def decided(**verdicts: tuple[str, str]) -> tuple[ColumnDecision, ...]:
    return tuple(ColumnDecision(name, *verdict) for name, verdict in verdicts.items())


RISKS = (
    RiskReport("prosecutor risk, highest", "The chance to find whoever is easiest to find.", 1.0, 0.25),
    RiskReport("prosecutor risk, average", "The chance to find a person drawn at random.", 0.987, 0.012),
    RiskReport(
        "journalist risk, highest",
        "The chance to find whose record it is among everybody.",
        Estimate(0.4, 0.3, 0.5, None, "matchings"),
        Estimate(0.1, 0.05, 0.2, None, "matchings"),
    ),
    RiskReport("singling out", "The share of the people who are unique in the table.", 0.976, 0.001),
)


def redacted(name: str, after: float | None = 0.0001) -> RedactedColumn:
    return RedactedColumn(name, 10, 0.002, 1, 2, 0.004, 0.5, 0.002, after)


def protocol(name: str, epsilon: float, error: float = 0.0123) -> ProtocolReport:
    return ProtocolReport(f"{name}:k=4,epsilon={epsilon:g}", error, error * PEOPLE)


def option(epsilon: float, knows_all: float | Estimate) -> CollectionOption:
    best = protocol("krr", epsilon)
    guesses = AnswerGuesses(blind=0.25, report=0.475, knows_none=0.26, knows_all=knows_all)
    compared = (best, protocol("ss", epsilon, 0.0234), protocol("oue", epsilon, 0.0345))
    return CollectionOption(epsilon, best, compared, uniform=guesses, shares=guesses)


def asked(name: str) -> CollectionReport:
    bound = Estimate(0.3, 0.25, 0.3, None, "blanket of uniform reports")
    best = option(1.0, bound)
    return CollectionReport(
        column=name,
        k=4,
        n=PEOPLE,
        options=(option(0.5, 0.27), best),
        recommended=best,
        hides=name != "sick",
        tells=True,
        delta=0.0001,
        shuffled_epsilon=Estimate(0.321, 0.0, 0.321, None, "blanket"),
        questions=2,
        if_all_asked=protocol("krr", 0.5, 0.0456),
    )


def usual(city: str = "city", job: str = "job", table: str = "people.csv") -> Audit:
    """Return an audit of three traits and an identifier in which every section has something to say."""
    whole = released(city, job, "sick", "email", exposed=1000, unique=1000)
    pair, over = released(city, "sick", exposed=8, unique=1), released(city, job, exposed=120, unique=30)
    other = released(job, "sick", exposed=5)
    all_three: Columns = (city, job, "sick")
    return Audit(
        table=table,
        people=PEOPLE,
        rows=PEOPLE,
        person=None,
        sensitive=("sick",),
        k=10,
        budget=0.01,
        guess_budget=0.05,
        preset=None,
        show_rare=False,
        options=AuditOptions(),
        decision=Decision(
            columns=decided(
                **{
                    city: ("publish", ""),
                    job: ("generalize", "values of fewer than 20 merged: 2.000 of 3.000 bits"),
                    "sick": ("publish", f"determined by {city}"),
                    "email": ("drop", "identifier: a value of her own for nearly everybody"),
                }
            ),
            offers=(
                offered(
                    city,
                    job,
                    "sick",
                    exposed=8,
                    by="information",
                    utility=0.6,
                    bound=0.6,
                    suppressed=3,
                    plan=ReleaseOptions(sensitive=["sick"], publish=[city, f"{job}=rare values merged", "sick"]),
                ),
                offered(
                    *(city, "sick", "age"),
                    exposed=5,
                    by="columns",
                    bits=3.0,
                    plan=ReleaseOptions(sensitive=["sick"], publish=[city, "sick", "age=in 2 ranges"]),
                ),
            ),
            question=None,
            functions={"sick": city},
            nearly={job: city},
            front=(FrontSet(("sick",), 1.0, 3, 0.003), FrontSet((city, "sick"), 2.0, 8, 0.008)),
            kept=(),
        ),
        risks=RISKS,
        uniqueness=PopulationUniqueness(
            (city, "sick"),
            1000,
            50_000,
            1,
            Estimate(0.0012, 0.0, 0.0012, 0.95, "limit", "a random sample"),
            (
                UniquenessModel("Zayatz", "what it assumes", 0.001, 0.4),
                UniquenessModel("Pitman", "what it assumes", None, None, why_not="it fits no parameters"),
            ),
            "Zayatz",
        ),
        columns=(
            column(city, exposed=2, rarest_people=2, rarest_value=None, rarest_withheld=True),
            column(job, rarest_value=None),
            column("sick", rarest_value="flu"),
            column("email", exposed=1000, values=1000, rarest_value=None, rarest_withheld=True, identifier_like=True),
        ),
        sets=SetsReport(
            whole=whole,
            smallest_over_budget=(over,),
            identifier_like=("email",),
            examined=7,
            possible=7,
            complete=True,
        ),
        certified=(
            certified(city, job, bound=0.3, exposure=0.12),
            certified(city, "sick", bound=0.0095, exposure=0.008),
        ),
        certified_selection=(CertifiedSet((city, "sick"), Estimate(0.0095, 0.002, 0.0095, None, "counting"), 0.008),),
        selected=(pair, other),
        release=(promised(city, "sick"), promised(job, "sick"), promised(*all_three)),
        inference=(
            guessed(city, posterior=0.51, exposure=0.002),
            guessed(job, posterior=0.5),
            guessed(city, job, posterior=0.75, exposure=0.12, unique=30),
        ),
        collection=(asked(city), asked("sick")),
        redaction=RedactionReport(
            columns=(redacted(city), replace(redacted("sick", after=None), decoys=1.0)),
            together=(RedactedSet((city, "sick"), 0.008, 0.0085), RedactedSet(all_three, 0.4, None)),
        ),
        cut_short=(),
        not_examined=("sets with email: nearly every person has her own value there.",),
    )


def hostile() -> Audit:
    """Return an audit whose table, column names and values try to become markup and script."""
    found = usual(city=HOSTILE, job='{{ 7 * 6 }} & "quoted" <b>', table="<script>alert(2)</script>")
    shown = replace(found.columns[2], rarest_value="<img src=http://example.com/x>")
    return replace(
        found,
        columns=(*found.columns[:2], shown, found.columns[3]),
        cut_short=(),
        not_examined=("sets with <svg onload=alert(4)>.",),
    )


def bare() -> Audit:
    """Return an audit of one identifier-like column of people with several rows: nothing to draw."""
    only = released("email", exposed=1000, unique=1000)
    return replace(
        usual(),
        rows=3 * PEOPLE,
        person="id",
        sensitive=(),
        decision=Decision(decided(email=("drop", "identifier")), (), None, {}, {}, (), ()),
        uniqueness=None,
        risks=tuple(replace(risk, recommended=None) for risk in RISKS),
        columns=(usual().columns[3],),
        sets=SetsReport(only, (), ("email",), examined=0, possible=0, complete=True),
        certified=(),
        certified_selection=(),
        selected=(),
        release=(),
        inference=(),
        collection=(),
        redaction=RedactionReport((), ()),
        cut_short=(),
        not_examined=(),
    )


def wide() -> Audit:
    """Return an audit of 42 columns, with more sets than a table shows and names longer than a phone is wide."""
    names = [f"a rather long name of column number {i}" for i in range(42)]
    sets = tuple(released(*names[i % 7 : i % 7 + 1 + i % 3], exposed=i % 1000, unique=i % 10) for i in range(60))
    large = tuple(released(*names[i : i + 13], exposed=i) for i in range(9))
    published = tuple(names[:13])
    verdicts = {name: ("publish", "") if name in published else ("drop", "12 % exposed with it") for name in names}
    return replace(
        usual(),
        decision=Decision(
            columns=decided(**verdicts),
            offers=(
                offered(*published, exposed=0, utility=12.0, bound=20.0, ended="time"),
                offered(*names[:20], exposed=9, by="columns", plan=ReleaseOptions(publish=names[:20])),
            ),
            question="number 0 has 400 values in 1,000 rows: if each is a person, name it with --person",
            functions={names[i]: names[i - 1] for i in range(1, 13)},
            nearly={names[14]: names[13]},
            front=tuple(FrontSet(published[:size], float(size), size, size / 1000) for size in range(1, 13)),
            kept=(),
        ),
        columns=tuple(column(name, exposed=place) for place, name in enumerate(names)),
        sets=SetsReport(
            released(*names, exposed=1000, unique=990), sets[30:], (), examined=1000, possible=2**42 - 1, complete=False
        ),
        selected=(*large, released(*names[1:], exposed=10)),
        release=tuple(promised(*report.columns) for report in (*large, released(*names, exposed=1000))),
        certified=tuple(certified(*names[: i + 2], bound=1.0, exposure=i / 40) for i in range(20)),
        inference=(
            *(guessed(name, posterior=0.5 + i / 100) for i, name in enumerate(names)),
            *(guessed(*report.columns, posterior=0.99) for report in large),
            guessed(*names[1:], posterior=1.0),
        ),
        redaction=RedactionReport(tuple(map(redacted, names)), (RedactedSet(tuple(names), 1.0, 0.9),)),
    )
