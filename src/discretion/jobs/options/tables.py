"""The options of the jobs on tables of people; their help is the parameters below."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from discretion.jobs.options import Header, Lines, LinkedColumns, Names, Options

if TYPE_CHECKING:
    from discretion.tables.layouts.text_format import TextFormat

#: The value of the option person if every row is a person of its own.
NO_PERSON = "none"
# The default k: people are exposed if fewer share their values.
DEFAULT_K = 10
# The distances of values for t-closeness, and the distributions that classes are compared with.
ValueDistance = Literal["equal", "ordered", "hierarchical"]
Against = Literal["file", "input"]


@dataclass(frozen=True, kw_only=True)
class ColumnOptions(Options):
    """The columns of a table, and the form of its file.

    Parameters
    ----------
    header
        Whether the first line of a CSV file holds names: yes, no (it holds a person, and the columns are called
        column1, column2, …), or the names as a,b,… for a file without them. By default a first line that looks like a
        person is refused.
    delimiter
        The character between the values of a CSV file: one of , ; | : or tab. By default a comma or a semicolon,
        whichever the first lines show; a tab in .tsv and .tab.
    encoding
        The encoding of a CSV file that is not UTF-8, such as latin-1, cp1252 or utf-16.
    """

    columns: Names | None = None
    sensitive: Names = ()
    header: Header = None
    delimiter: str | None = None
    encoding: str | None = None

    @property
    def form(self) -> "TextFormat":
        """The form of a CSV file."""
        from discretion.tables.layouts.text_format import TextFormat  # noqa: PLC0415 - NumPy takes a tenth of a second

        return TextFormat(header=self.header, delimiter=self.delimiter, encoding=self.encoding)


@dataclass(frozen=True, kw_only=True)
class TableOptions(ColumnOptions):
    """The columns of a table, the form of its file, and its persons.

    Parameters
    ----------
    person
        The column that names a person with several rows, or none if every row is a separate person. If a column
        repeats as the name of a person does, the table is refused until you set this option.
    """

    person: str | None = None


@dataclass(frozen=True, kw_only=True)
class FileOptions(TableOptions):
    """The limits of a file that goes out, and the changes that it may make to the table.

    Parameters
    ----------
    budget
        The share of the people in the file who may be exposed, such as 0.01 for 1 %; 0 is strict k-anonymity.
    l
        Each group has at least this number of values of each sensitive column that goes out (l-diversity).
    entropy_l
        The entropy of these values in each group is at least the logarithm of this number (entropy l-diversity).
    recursive_c
        With --l: recursive (c, l)-diversity. The commonest of these values in a group has fewer than c times as many
        people as the l-th commonest and all rarer ones together.
    t
        The largest distance between the distribution of these values in a group and their distribution in the whole
        (t-closeness): 0 allows no difference, 1 allows any.
    t_distance
        The distance between two values for --t. equal: all are 1 apart; ordered: numbers, dates or the lines of a
        hierarchy, by their places in order; hierarchical: by the level of the column's hierarchy on which they meet.
    t_against
        The whole that --t, --beta-likeness and --delta-disclosure compare a group with: the written file, or the input,
        as in ARX.
    beta_likeness
        The share of each value in a group is at most (1 + beta) times its share of the whole (basic beta-likeness).
    delta_disclosure
        Each group has all values, each with more than exp(-delta) and less than exp(delta) times its share of the whole
        (delta-disclosure privacy).
    guess_budget
        The largest rise in the share of correct guesses of a sensitive column, for an adversary that sees the file;
        0.05 by default.
    certain_budget
        The share of the people whose sensitive value an adversary may know with certainty; no limit by default.
    keep
        Columns that must go out, unchanged or generalized, as a,b,….
    drop
        Columns that must not go out, as a,b,….
    redact
        Columns whose rare values may be left blank, as a,b,…; some other values are left blank at random, as decoys.
    rules
        Leave a column blank for some people, such as "race: Other, null decoys 0.01": for all with one of these values,
        and as decoys for 1 % of the others. In place of values: rarer than 10, or any. With a condition: "income: any
        when workclass: Never-worked and sex: Male". Write names and values with blanks, commas, colons or quotes as
        JSON strings, and a missing value as null. Give the option once for each rule.
    hierarchies
        A file, or a folder of files, with coarser values in the format of ARX, each named after its column; or an ARX
        project (.deid), whose hierarchies are read by column. Other columns are generalized in steps, by months and
        years, by the first characters of codes, or by merging rare values.
    bins
        The numbers at which the ranges of a column begin, as age=0,18,30,45,65,income=0,20000.
    missing
        The marks that stand for a missing value, as a,b,…. By default NA, n/a, NaN, null, missing, ?, . and - in
        capitals or not, and blanks; in columns of numbers, dates and codes also none and unknown.
    dates
        The order of day, month and year in dates of digits: dmy, mdy or ymd; by default the order that the column
        shows.
    max_suppressed
        The largest share of the people who may be left out.
    suppress
        rows: leave people out who would be exposed; cells: leave blank the fewest of their cells that put them into
        groups.
    utility
        The measure that the search maximizes. information: what the columns carry together; columns: the share of each
        column's own information that is kept, added up, repeated columns counted once; entropy: the information of each
        column, added up; precision: how little each column is generalized; discernibility: how many pairs of people the
        file distinguishes.
    """

    budget: float = 0.01
    l: int = 1  # noqa: E741 - as it is called
    entropy_l: float | None = None
    recursive_c: float | None = None
    t: float | None = None
    t_distance: ValueDistance = "equal"
    t_against: Against = "file"
    beta_likeness: float | None = None
    delta_disclosure: float | None = None
    guess_budget: float | None = None
    certain_budget: float | None = None
    keep: Names = ()
    drop: Names = ()
    redact: Names = ()
    rules: Lines = ()
    hierarchies: str | None = None
    bins: Names = ()
    missing: Names = ()
    dates: Literal["dmy", "mdy", "ymd"] | None = None
    max_suppressed: float = 0.02
    suppress: Literal["rows", "cells"] = "rows"
    utility: Literal["information", "columns", "entropy", "precision", "discernibility"] = "information"


@dataclass(frozen=True, kw_only=True)
class AuditOptions(FileOptions):
    """The columns, the people and the limits of an audit.

    Parameters
    ----------
    columns
        The columns to examine, as a,b,…; all by default.
    sensitive
        The columns whose best guess to measure and to limit, as a,b,…; they go out only with --keep.
    person
        The column that names a person with several rows, or none if every row is a separate person. If a column
        repeats as the name of a person does, the audit asks for it, and decides no gate until you set this option.
    k
        A person is exposed if fewer than k people share their values; 10 by default.
    preset
        A published threshold instead of k: ema, health-canada, cms, cdc-wonder, k5 or k3.
    population
        The number of people in the population from which the table is a sample, for the journalist risk and for the
        people who are unique in the population.
    weight
        Instead of --population, a column of sampling weights; it is not published.
    show_rare
        Show values that fewer than k people hold, even those of a single person.
    engine
        The engine that counts the table: duckdb, on this machine; or spark, on the cluster that Spark's own settings
        name, for a Parquet file or folder or a CSV file that its workers can read. Spark's settings decide what the
        cluster keeps of it.
    """

    k: int | None = None
    preset: str | None = None
    population: int | None = None
    weight: str | None = None
    show_rare: bool = False
    engine: Literal["duckdb", "spark"] = "duckdb"


@dataclass(frozen=True, kw_only=True)
class ReleaseOptions(FileOptions):
    """The limits of a release, and the changes that it may make to the table, or the columns that it writes.

    Parameters
    ----------
    columns
        The columns to choose from, as a,b,…; by default all except those that identify a person.
    sensitive
        The columns whose best guess to limit, as a,b,…; they go out only with --keep, and unchanged.
    person
        The column that identifies a person, with one row for each; it does not go out. Or none: every row is a separate
        person. If a column repeats as the name of a person does, the table is refused until you set this option.
    k
        A person is exposed if fewer than k people in the file share their values.
    publish
        The columns that go out and the generalization of each, as an audit recommends them: sex,"age=in steps of 10";
        a column by itself goes out as it is. Nothing else goes out, and nothing is searched for.
    target
        A column that analysts predict: add how often a model trained on the table and one trained on the file predict
        it correctly, for the same people. It must be in the file (--keep).
    """

    k: int = DEFAULT_K
    publish: Names = ()
    target: str | None = None


@dataclass(frozen=True, kw_only=True)
class DiffOptions(TableOptions):
    """The columns, the persons and the limits of a comparison of two tables.

    Parameters
    ----------
    columns
        The columns to compare, as a,b,…, each in at least one of the two; all by default.
    sensitive
        Columns that no adversary knows about a person in advance, as a,b,….
    person
        A column of both tables that identifies a person and is not published: with it, the result follows people from
        OLD to NEW and counts the join. Or none: every row is a separate person. If a column repeats as the name of a
        person does, the tables are refused until you set this option.
    k
        A person is exposed if fewer than k people share their values, and found if fewer than k people with their
        values came or went.
    budget
        The share of the people in NEW who may be exposed, alone and joined.
    """

    k: int = DEFAULT_K
    budget: float = 0.01


@dataclass(frozen=True, kw_only=True)
class ExposureOptions(TableOptions):
    """The columns and the threshold of exposure, and further measures.

    Parameters
    ----------
    columns
        The columns that the adversary knows together, as a,b,…; all by default.
    sensitive
        The ones of these that the adversary does not know, as a,b,….
    k
        A person is exposed if fewer than k people share their values; 10 by default.
    threshold
        Instead of --k: a person is exposed if less than this share of the people share their values; a decimal, or a
        fraction such as 1/1000.
    bounds
        Add what the counts of single columns certify: exposure_bound, theorem_bound (the best of Anonymity's Theorems 2
        and 3, never below exposure_bound), and exposure_if_independent, the exposure if no column depended on another.
        --chart then draws the bound at every threshold too.
    special_uniques
        Count the people who are unique by at most this number of columns, such as 3: special_people, the number of
        people; and minimal_uniques, the number of sets of columns that single someone out and would not with one column
        less (SUDA).
    household
        The column that names the household of a person: add exposed_households and household_exposure, the number and
        the share of households with fewer than k of the same values; certain_households; and household_risk, the chance
        that the adversary finds some member.
    marginals
        Compute what --bounds adds from a file of counts of columns, without people: CSV of column,value,count, or
        JSON, as of Marginals.to_json.
    wildcards
        Values that could be anything, as *,… ("" is a blank): add wildcard_exposed_people, wildcard_exposure and
        wildcard_k_anonymity, which count with a person all people whose records could be the person's.
    """

    k: int | None = None
    threshold: str | None = None
    bounds: bool = False
    special_uniques: int | None = None
    household: str | None = None
    wildcards: Names = ()
    marginals: bool = False


@dataclass(frozen=True, kw_only=True)
class CheckOptions(Options):
    """The policy of a check, with the persons and earlier publications.

    Parameters
    ----------
    policy
        A TOML file of rules, such as columns = ["age", "sex", "diagnosis"], k = 10, budget = 0.01, sensitive =
        ["diagnosis"], guess_budget = 0.05; docs/how-to/policies.md lists all of them. The command exits with 1 if a
        file breaks one.
    person
        The column that names a person with several rows, or none if every row is a separate person; by default the one
        in the policy. Without either, a file with a column that repeats as the name of a person does is refused.
    ledger
        A TOML file of earlier publications about the same people; by default the one in the policy. The command exits
        with 1 if a file exposes more people together with these than the policy allows. docs/how-to/two-releases.md
        lists its keys.
    """

    policy: str
    person: str | None = None
    ledger: str | None = None


@dataclass(frozen=True, kw_only=True)
class SyntheticOptions(ColumnOptions):
    """The columns and the attacks of an evaluation of a synthetic table.

    Parameters
    ----------
    columns
        The columns to compare, as a,b,…; all by default.
    sensitive
        The columns to guess, as a,b,…, each from all columns that are not sensitive.
    keep
        Columns to compare although they look like identifiers, as a,b,…. By default identifiers and free texts are only
        searched for copies; the result lists them.
    linked
        The columns that each of two parties knows about a person, as "a,b|c,d"; by default the columns alternate
        between the parties.
    neighbours
        The number of nearest synthetic records that each party considers.
    attacks
        The largest number of people of each table, and of conditions, to try; all by default, or a sample where all
        would take minutes.
    confidence
        The confidence with which all intervals hold together, in (0, 1).
    seed
        The seed of the random draws: the same seed gives the same result. By default one is drawn.
    """

    keep: Names = ()
    linked: LinkedColumns | None = None
    neighbours: int = 1
    attacks: int | None = None
    confidence: float = 0.95
    seed: int | None = None
