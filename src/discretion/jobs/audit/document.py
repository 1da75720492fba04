"""An audit's document: the decision and its reasons first, then every section in full."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any

from discretion.estimate import Estimate
from discretion.jobs.audit.collection_document import collection_section
from discretion.jobs.audit.redaction_document import redaction_section
from discretion.jobs.audit.result import SHOWN, Audit, CertifiedReport, InferenceReport, ReleaseReport, SetNames
from discretion.jobs.audit.summary import columns_of, first_sections, guess_sentence
from discretion.presenting.json_answers import plain
from discretion.presenting.names import listed, short
from discretion.presenting.numbers import (
    bits,
    bounded,
    closeness,
    factor,
    interval,
    number,
    odds,
    people,
    percent,
)
from discretion.presenting.views.document import (
    MOST_ROWS,
    Advice,
    Block,
    Bullets,
    Caveat,
    Cell,
    Document,
    Figure,
    Grid,
    Section,
    Terms,
)

# Above this share of people with a class of their own, a guess repeats the table.
_NEARLY_UNIQUE = 0.1
# Of a section that a time limit left empty or incomplete.
_CUT_SHORT = "The time limit cut this short; section 8 lists what is missing."


def document_of(audit: Audit) -> Document:
    """Return an audit as a document.

    Examples
    --------
    >>> import discretion as dc
    >>> document = document_of(dc.audit("example:adult", columns=["sex", "race"]))
    >>> document.title, document.sections[0].heading
    ('What example:adult gives away', 'What to publish')
    """
    # Each with the name of its link, and the parts of the answer that it shows.
    parts: list[tuple[str, str, Iterator[Block], tuple[str, ...]]] = [
        ("What each column gives away alone", "columns", _columns(audit), ()),
        ("What columns give away together", "sets", _sets(audit), ("sets",)),
        ("What the columns’ own counts certify", "certified", _certified(audit), ("certified",)),
        (
            "The largest sets that may go out together", "selected", _selected(audit),
            ("sets", "release", "certified_selection"),
        ),
        ("How well a sensitive value is guessed", "guesses", _inference(audit), ("inference",)),
        ("Asking the people instead", "collection", collection_section(audit), ("collection",)),
        ("If people redacted rare values", "redaction", redaction_section(audit), ("redaction",)),
        ("What was not examined", "omitted", _omitted(audit), ()),
        ("What the words mean", "words", _words(audit), ()),
        ("How each number was computed", "methods", _methods(audit), ()),
    ]  # fmt: skip
    sections = (
        Section(
            f"{place}. {heading}",
            (*([] if set(shown).isdisjoint(audit.cut_short) else [Advice(_CUT_SHORT)]), *blocks),
            "full",
            name,
        )
        for place, (heading, name, blocks, shown) in enumerate(parts, 1)
    )
    count = f"{people(audit.people)}, {columns_of(len(audit.columns))}"
    return Document(
        f"What {audit.table} gives away",
        (_introduction(audit),),
        (*first_sections(audit), *sections),
        kind="audit",
        line=f"{audit.table}: {count}; publish {len(audit.decision.recommended):,}",
    )


def _introduction(audit: Audit) -> str:
    """Return a sentence on the audited table and the meaning of "exposed"."""
    rows = f" in {audit.rows:,} rows (a person is one value of {audit.person})" if audit.person else ""
    source = "" if audit.preset is None else f" ({audit.preset.stated}: {audit.preset.source})"
    return (
        f"{people(audit.people)}{rows}, {columns_of(len(audit.columns))}. Columns expose a person if fewer than "
        f"{audit.k:,} people, that person included, have the same values in them{source}. Every number is exact "
        "unless it is marked as a bound, an estimate or an assumption."
    )


def _columns(audit: Audit) -> Iterator[Block]:
    ranked = sorted((each for each in audit.columns if not each.identifier_like), key=lambda each: -each.exposure)
    if not ranked:
        yield "Every column is identifier-like: on average fewer than two people share a value."
    elif ranked[0].exposed_people:
        yield (
            f"{ranked[0].column} exposes most by itself: fewer than {audit.k:,} people share the value of "
            f"{_of_people(ranked[0].exposure, ranked[0].exposed_people)}."
        )
    else:
        aside = " of the columns that are not identifier-like" if len(ranked) < len(audit.columns) else ""
        yield f"No column exposes anybody by itself: at least {audit.k:,} people share every value{aside}."
    if ranked and audit.sets.identifier_like:
        yield (
            f"Identifier-like, with fewer than two people to a value on average: "
            f"{SetNames(audit).of(audit.sets.identifier_like)}. To release such a column is to release names."
        )
    if _vary(each.exposure for each in ranked):
        many = f" (the {MOST_ROWS} columns that expose most)" if len(ranked) > MOST_ROWS else ""
        yield Figure(
            "columns",
            f"People exposed by each column alone, and the budget{many}.",
            lambda: _charts().exposure_by_column(plain(audit.columns), audit.k, audit.budget),
        )
    heads = ("column", "exposed", "people exposed", "values", "bits", "most common", "rarest value")
    yield Grid(
        heads,
        tuple(
            (
                Cell(each.column, note="identifier-like" * each.identifier_like),
                percent(each.exposure),
                f"{each.exposed_people:,}",
                f"{each.values:,}",
                bits(each.entropy_bits),
                percent(each.most_common_share),
                f"held by fewer than {audit.least_holders:,} people, withheld"
                if each.rarest_withheld
                else f"{_value(each.rarest_value)}: {people(each.rarest_people)}",
            )
            for each in audit.columns
        ),
        frozenset((heads[0], heads[-1])),
        caption="Each column alone",
    )
    pairs = [
        *((column, source) for column, source in audit.decision.functions.items()),
        *((column, f"nearly {source}") for column, source in audit.decision.nearly.items()),
    ]
    if pairs:
        yield Grid(
            ("column", "follows from"),
            tuple(pairs),
            frozenset(("column", "follows from")),
            caption="Columns that follow from another one, and add nothing or little to it",
        )
    yield Caveat(
        "A column that exposes nobody alone can expose everybody together with others: see section 2. The bits "
        "(entropy) are an average over the people; a rare value gives away more."
    )


def _value(value: str | None) -> str:
    return "empty cell (NULL)" if value is None else f"“{short(value)}”"


def _sets(audit: Audit) -> Iterator[Block]:
    names, budget = SetNames(audit), percent(audit.budget)
    if over := audit.sets.smallest_over_budget:
        first = next((each for each in over if each.exposure > audit.budget), None)
        if first is None:
            yield (
                f"No set that was examined exceeds the budget of {budget}, but guesses of {listed(audit.sensitive)} "
                f"exceed theirs: {names.of(over[0].columns)} {'is' if len(over[0].columns) == 1 else 'are'} enough."
            )
        else:
            many, expose = ("One column is", "exposes") if len(first.columns) == 1 else (
                f"{len(first.columns):,} columns are", "expose"
            )  # fmt: skip
            yield (
                f"{many} enough to exceed the budget of {budget}: {names.of(first.columns)} {expose} "
                f"{odds(first.exposure)} people ({percent(first.exposure)})."
            )
        yield "Every set that contains such a set exceeds a budget too."
    elif audit.sets.examined:
        yield f"No set that was examined exceeds the budget of {budget}."
    else:
        yield "No set of columns was examined."
    if audit.sets.possible:
        others = "; section 8 lists what is known of the others" if audit.sets.examined < audit.sets.possible else ""
        were = "set was" if audit.sets.possible == 1 else "sets were"
        yield f"{number(audit.sets.examined)} of {number(audit.sets.possible)} possible {were} examined{others}."
    yield _set_grid(audit, "The whole table", [audit.sets.whole])
    if audit.sets.smallest_over_budget:
        yield _set_grid(audit, "The smallest sets over a budget", audit.sets.smallest_over_budget)
        if any(each.exposure <= audit.budget for each in audit.sets.smallest_over_budget):
            yield (
                f"Sets here that expose at most {budget} exceed the budget for guesses of {listed(audit.sensitive)}."
            )
    yield Caveat(
        "This counts people with equal values in this table. It does not count other tables or other knowledge of an "
        "adversary, which can expose more. People with equal values can still give away a secret: if all of them have "
        "the same sensitive value, an adversary learns it without finding anybody’s row (section 5)."
    )


def _set_grid(audit: Audit, caption: str, sets: Iterable[Any]) -> Grid:
    names = SetNames(audit)
    return Grid(
        ("columns", "exposed", "people exposed", "people unique", "smallest class", "classes"),
        tuple(
            (
                names.cell(each.columns),
                percent(each.exposure),
                f"{each.exposed_people:,}",
                f"{each.unique_people:,}",
                f"{each.smallest_class:,}",
                f"{each.classes:,}",
            )
            for each in sets
        ),
        frozenset(("columns",)),
        caption=caption,
    )


def _certified(audit: Audit) -> Iterator[Block]:
    reports, names = _tightest_first(audit), SetNames(audit)
    if not reports:
        if "certified" not in audit.cut_short:
            several = "A person has several rows, and the columns’ own counts do not determine a person’s values."
            few = "No set of two or more columns was examined."
            yield f"Nothing is certified here. {several if audit.person else few}"
        return
    first = reports[0]
    truth = "nobody" if first.exposure == 0 else f"{odds(first.exposure)} people"
    if first.bound.value >= 1:
        yield (
            "Each column’s counts, without ever joining them, rule nothing out: for none of these sets is the "
            f"certified upper bound below all people (100 %). In truth, {names.of(first.columns)} together expose "
            f"{truth} (exact {percent(first.exposure)})."
        )
    else:
        most = "nobody" if first.bound.value == 0 else f"at most {odds(first.bound.value)} people"
        yield (
            f"From each column’s counts, without ever joining them, it is certain that {names.of(first.columns)} "
            f"together expose {most} (certified upper bound: {bounded(first.bound)}). In truth they expose {truth} "
            f"(exact {percent(first.exposure)})."
        )
    sure = sum(report.bound.value <= audit.budget for report in reports)
    yield (
        f"{number(sure) if sure else 'None'} of the {len(reports):,} sets below {'is' if sure < 2 else 'are'} "
        "certified to be within the budget by the columns’ own counts."
    )
    if _vary((report.bound.value, report.exposure) for report in reports):
        yield Figure(
            "certified",
            "The filled circle is the exact exposure, the hollow diamond the upper bound that the columns’ own counts "
            "certify.",
            lambda: _charts().certified_beside_truth(_named(reports, "columns", names), audit.k),
        )
    yield Grid(
        ("columns", "certified upper bound", "exact", "if independent (an assumption)"),
        tuple(
            (
                names.cell(report.columns),
                bounded(report.bound),
                percent(report.exposure),
                percent(report.if_independent.value),
            )
            for report in reports
        ),
        frozenset(("columns",)),
        caption="The certified bound and the truth",
    )
    yield Caveat(
        "A high bound does not mean that anybody is exposed: the columns alone cannot rule exposure out. The bound is "
        "useful where the columns may not be joined, for instance because different parties hold them. The exposure "
        "of independent columns rests on an assumption and is no bound: the true exposure may be higher or lower."
    )


def _tightest_first(audit: Audit) -> list[CertifiedReport]:
    """Return the certified bounds of sets of columns, the lowest bound first."""
    return sorted(audit.certified, key=lambda report: (report.bound.value, report.exposure))


def _selected(audit: Audit) -> Iterator[Block]:
    names = SetNames(audit)
    if not audit.selected:
        if "sets" not in audit.cut_short:
            examined = "that was examined " if audit.sets.identifier_like else ""
            yield (
                f"None: every column {examined}exposes more than {percent(audit.budget)} of the people by itself. "
                "Raise the budget, merge rare values, or ask the people instead (section 6)."
            )
        return
    best = audit.selected[0]
    together = " together" if len(best.columns) > 1 else ""
    yield (
        f"{names.of(best.columns)} can go out{together}: {_of_people(best.exposure, best.exposed_people)} exposed, "
        f"within the budget of {percent(audit.budget)}."
    )
    each = f"each of these {len(audit.selected):,} sets" if len(audit.selected) > 1 else "this set"
    aside = ", identifier-like ones aside" if audit.sets.identifier_like else ""
    more = "" if audit.sets.complete else "; there may be more such sets among those that were not examined"
    yield f"To {each} no other column can be added within the budget{aside}{more}."
    if _vary(report.exposure for report in audit.selected):
        first = f" (the first {MOST_ROWS})" if len(audit.selected) > MOST_ROWS else ""
        yield Figure(
            "selected",
            f"People exposed by the largest sets within the budget{first}.",
            lambda: _charts().exposure_by_set(_named(audit.selected, "columns", names), audit.k, audit.budget),
        )
    yield _released(audit)
    yield from _traded(audit)
    yield from _promises(audit)
    if names.counted:
        places = enumerate(names.counted, 1)
        plural = "set 1" if len(names.counted) == 1 else f"sets 1 to {len(names.counted)}"
        sets = Bullets(tuple(f"Set {place}: {listed(columns)}" for place, columns in places))
        yield Section(f"The columns of {plural}", (sets,), "full")
    yield Caveat(
        "Choose one set: an adversary can match two tables row by row, and then two of these sets expose as much as "
        "the set of all their columns. A set within the budget still exposes people: those counted here stay exposed."
    )


def _released(audit: Audit) -> Grid:
    """Return the exposure of the largest sets within the budget, with l-diversity and t-closeness."""
    names, releases = SetNames(audit), {release.columns: release for release in audit.release}
    secret = ("l", "t") if audit.sensitive else ()
    rows: list[tuple[str, ...]] = []
    for report in audit.selected:
        release = releases.get(report.columns)
        promised = () if not secret else ("–", "–") if release is None else (f"{release.l_diversity}", _t(release))
        rows.append(
            (
                names.cell(report.columns), percent(report.exposure), f"{report.exposed_people:,}",
                f"{report.unique_people:,}", f"{report.classes:,}", f"{report.smallest_class:,}", *promised,
            )
        )  # fmt: skip
    return Grid(
        ("columns", "exposed", "people exposed", "people unique", "classes", "k-anonymous", *secret),
        tuple(rows),
        frozenset(("columns",)),
        caption="The largest sets within the budget",
    )


def _t(release: ReleaseReport) -> str:
    return "–" if release.t_closeness is None else closeness(release.t_closeness)


def _traded(audit: Audit) -> Iterator[Block]:
    """Yield the exposure of less useful sets that expose fewer people, the most useful first."""
    names, front = SetNames(audit), audit.decision.front[-SHOWN:]
    if len(audit.decision.front) < 2:
        return
    yield (
        "Fewer columns expose fewer people: for each of these sets, no examined set with a higher utility exposes as "
        "few people. The utility of a set is the largest number of its columns of which none follows from another, or "
        "the sum of their weights."
    )
    if _vary(each.exposure for each in front):
        yield Figure(
            "front",
            "People exposed by sets of columns of rising utility.",
            lambda: _charts().front_of_sets(_named(front, "columns", names)),
        )
    yield Grid(
        ("columns", "utility", "exposed", "people exposed"),
        tuple(
            (names.cell(each.columns), f"{each.utility:g}", percent(each.exposure), f"{each.exposed_people:,}")
            for each in reversed(front)
        ),
        frozenset(("columns",)),
        caption="Fewer columns, fewer people exposed",
    )


def _promises(audit: Audit) -> Iterator[Block]:
    """Yield the guarantees for people of one class, the estimate for other people, and the certified sets."""
    names = SetNames(audit)
    yield "k-anonymous: every equivalence class has at least this number of people."
    if audit.sensitive:
        secret = audit.sensitive[0]
        yield (
            f"l: every class by the other columns has at least this number of values of {secret}; with 1, the value "
            "of some people is certain. t: at most this share of a class would have to change for its values "
            f"of {secret} to be distributed as those of all people."
        )
    if audit.release:
        whole = audit.release[-1]
        if len(whole.columns) > 1 and whole.columns not in {report.columns for report in audit.selected}:
            aside = ", identifier-like ones aside," if audit.sets.identifier_like else ""
            secret = f", with l = {whole.l_diversity} and t = {_t(whole)}" if audit.sensitive else ""
            yield f"All {len(whole.columns):,} columns together{aside} are {whole.k_anonymity:,}-anonymous{secret}."
        if (future := audit.release[0].future_exposure) is not None:
            yield (
                f"In another release of the same number of people, {names.of(audit.selected[0].columns)} would expose "
                f"an estimated {interval(future)} of them. The estimate assumes that they are drawn from the same "
                "population, independently of each other."
            )
    best = next(iter(audit.certified_selection), None)
    if best is None or len(best.columns) == 1:
        return
    exposed = f"{bounded(best.bound)} of the people" if best.bound.value else "nobody"
    yield f"The counts of the single columns alone certify that {listed(best.columns)} expose {exposed}."
    yield Grid(
        ("columns", "certified upper bound", "exact"),
        tuple(
            (names.cell(each.columns), bounded(each.bound), percent(each.exposure))
            for each in audit.certified_selection
        ),
        frozenset(("columns",)),
        caption="The largest sets that single columns certify to be within the budget",
    )


def _inference(audit: Audit) -> Iterator[Block]:
    if not audit.inference:
        if "inference" not in audit.cut_short:
            yield (
                f"There is no column to guess {listed(audit.sensitive)} from, other than identifier-like ones."
                if audit.sensitive
                else "No guess was measured. Name a sensitive column with --sensitive COLUMN, or sensitive= in Python, "
                "to see how often an adversary that knows the others guesses its value."
            )
        return
    names = SetNames(audit)
    best_first = sorted(audit.inference, key=lambda report: (-report.posterior, len(report.known)))
    by_secret = ([report for report in best_first if report.sensitive == secret] for secret in audit.sensitive)
    for place, reports in enumerate(filter(None, by_secret)):
        yield from _guesses(audit, reports, names, f"guesses-{place}" if place else "guesses")
    yield Caveat(
        "This holds for the people in this table only. Where rows are nearly unique, a guess repeats this table. For "
        "a person whose row is not in the table, a model trained on it may reveal much less, or just as much."
    )


def _guesses(audit: Audit, reports: Sequence[InferenceReport], names: SetNames, figure: str) -> Iterator[Block]:
    """Yield the guesses of one sensitive column, the best first."""
    best = reports[0]
    yield (
        f"{guess_sentence(audit, best)} Without any column the guess is the most common value. With these columns the "
        f"value is certain for {people(best.certain_people)}."
    )
    if _vary(report.posterior for report in reports):
        most = f" (the {MOST_ROWS} sets that add most)" if len(reports) > MOST_ROWS else ""
        yield Figure(
            figure,
            f"Correct guesses of {best.sensitive}: the pale part of a bar is the share without any column, the dark "
            f"part the share that the columns add{most}.",
            lambda: _charts().inference_before_and_after(_named(reports, "known", names, best.sensitive)),
        )
    heads = ("known", "guess before", "guess after", "times", "known for certain", "released alone")
    yield Grid(
        heads,
        tuple(
            (
                names.cell(report.known, best.sensitive),
                percent(report.prior),
                percent(report.posterior),
                factor(report.posterior / report.prior),
                f"{report.certain_people:,}",
                _released_alone(audit, report),
            )
            for report in reports
        ),
        frozenset((heads[0], heads[-1])),
        caption=f"Correct guesses of {best.sensitive}",
    )


def _released_alone(audit: Audit, report: InferenceReport) -> str:
    verdict = "within budget" if report.exposure <= audit.budget else "over budget"
    unique = report.unique_people / audit.people
    return f"{verdict}; {percent(unique)} unique" if unique > _NEARLY_UNIQUE else verdict


def _omitted(audit: Audit) -> Iterator[Block]:
    yield Bullets(
        tuple(sentence[:1].upper() + sentence[1:] for sentence in audit.not_examined) or ("Nothing was left out.",)
    )
    rare = f"values held by fewer than {audit.least_holders:,} people"
    yield f"This audit shows {rare} (--show-rare)." if audit.show_rare else f"No {rare} are shown."


def _words(audit: Audit) -> Iterator[Block]:
    k = f"{audit.k:,}"
    yield Terms(
        (
            ("Exposed", f"A set of columns exposes a person at k = {k} if fewer than {k} people, that person included, "
             "have the same values there. An empty cell is a value like any other."),
            ("Unique", "Nobody else has the same values: an adversary that knows them finds the row."),
            ("Class", "All people with the same values (an equivalence class)."),
            ("Guess", "The probability that the best guess of one person’s value is correct."),
            ("Knows all", "The strongest adversary of its kind: it knows every answer but one. The weakest knows "
             "no other answer."),
            ("Error kept", "The share of a blind guess’s error that an adversary still has after it has seen the "
             "collected reports: with 100 % the reports do not help it, with 0 it is certain."),
            ("Off by", "The standard error of the share of people estimated for an answer, in percentage points, and "
             "in people."),
            ("Certified", "A bound that always holds, not only with some confidence. An upper bound may be far above "
             "the true value, but never below it."),
        )
    )  # fmt: skip


def _methods(audit: Audit) -> Iterator[Block]:
    options = [option for report in audit.collection for option in report.options]
    guesses = [guess for option in options for guess in (option.uniform, option.shares)]
    asked = [value for guess in guesses for value in (guess.knows_none, guess.knows_all)]
    future = audit.release[0].future_exposure if audit.release else None
    meanings = [
        ("What to publish", "For every set that the search examined, the exposed people were counted. The search ends "
         "with a proof that no set is better, or with an upper bound on how much better a set could be."),
        ("Sections 1, 2, 4 and 5", "Exact, except for numbers that are marked as certified or estimated. People with "
         "equal values were counted, and counts compared as whole numbers. A guess names the most common sensitive "
         "value of each equivalence class. Bits (entropy) are those of a random person’s value."),
        ("Section 3", "Certified upper bounds, from the number of people who hold each value of each column"
         f"{_named_methods(report.bound for report in audit.certified)}; the exposure next to them is exact. The "
         "exposure of independent columns is computed from the same numbers, under that assumption."),
    ]  # fmt: skip
    if future is not None:
        meanings.append(
            ("Another release, in section 4", "Estimated, with an interval that holds in "
             f"{percent(future.confidence or 1.0)} of all cases{_named_methods([future])}.")
        )  # fmt: skip
    yield Terms(
        (
            *meanings,
            ("Section 6", "Exact, by closed forms or sums over all observations, except where a number has "
             f"≤{_named_methods(asked)}."),
            ("Section 7", "Exact expectations over the random choices of the people who redact."),
        )
    )  # fmt: skip


def _named_methods(numbers: Iterable[float | Estimate]) -> str:
    """Return the distinct methods of those numbers that are not exact."""
    methods = list(dict.fromkeys(number.method for number in numbers if isinstance(number, Estimate)))
    return f" (method{'s' * (len(methods) > 1)}: {'; '.join(methods)})" if methods else ""


def _of_people(share: float, count: int) -> str:
    return f"{odds(share)} people ({people(count)}, {percent(share)})" if share < 1 else f"everybody ({people(count)})"


def _vary(shown: Iterable[Hashable]) -> bool:
    """Return whether a chart would show more than one value."""
    return len(set(shown)) > 1


def _named(reports: Sequence[Any], field: str, names: SetNames, but: str | None = None) -> list[Any]:
    """Return reports on sets of columns as plain data, with names short enough for a chart."""
    return [{**plain(report), field: [names.of(getattr(report, field), but)]} for report in reports]


def _charts() -> Any:
    from discretion import charts  # noqa: PLC0415 - Altair takes a second that other output need not wait for

    return charts
