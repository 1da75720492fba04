"""The options of the jobs on tables of people; their help is the parameters below."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from discretion.jobs.options import Header, Lines, LinkedColumns, Names, Options

if TYPE_CHECKING:
    from discretion.tables.layouts.text_format import TextFormat

#: What a user names in place of a column where every row is a person of its own.
NO_PERSON = "none"
# Fewer people alike are exposed, by default.
DEFAULT_K = 10
# How far values are from each other in t-closeness, and what distributions are compared with.
ValueDistance = Literal["equal", "ordered", "hierarchical"]
Against = Literal["file", "input"]


@dataclass(frozen=True, kw_only=True)
class ColumnOptions(Options):
    """What the columns of a table are.

    Parameters
    ----------
    header
        Whether the first line of a CSV file holds names: yes, no (it is a person, and the columns are called column1,
        column2, …), or the names as a,b,… for a file without them. By default a first line that looks like a person
        is refused.
    delimiter
        What separates the values of a CSV file: one of , ; | : or tab. By default commas or semicolons, as the first
        lines show; tabs in .tsv and .tab.
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
        """How a CSV file is written."""
        from discretion.tables.layouts.text_format import TextFormat  # noqa: PLC0415 - NumPy takes a tenth of a second

        return TextFormat(header=self.header, delimiter=self.delimiter, encoding=self.encoding)


@dataclass(frozen=True, kw_only=True)
class TableOptions(ColumnOptions):
    """What the columns of a table are, and whose its rows.

    Parameters
    ----------
    person
        The column that names a person with several rows, or none if every row is a separate person. If a column
        repeats as the name of a person does, the table is refused until you set this option.
    """

    person: str | None = None


@dataclass(frozen=True, kw_only=True)
class FileOptions(TableOptions):
    """What a file that goes out may give away, and how it changes the table.

    Parameters
    ----------
    budget
        The share of the people in the file who may be exposed; 0 is strict k-anonymity.
    l
        How many values of a sensitive column that goes out each group has, at least.
    entropy_l
        At least this entropy l-diversity of these values in each group: the entropy is at least its logarithm.
    recursive_c
        With --l: the commonest of these values in a group has fewer than c times as many people as the l-th commonest
        and all rarer ones together: recursive (c, l)-diversity.
    t
        How far the distribution of these values in a group may be from the one in the whole: 0 is the same, 1 is any.
    t_distance
        How far values are from each other for --t. equal: all are 1 apart; ordered: numbers, dates or the lines of a
        hierarchy, by their places in order; hierarchical: by the level of the column's hierarchy on which they meet.
    t_against
        The whole that --t, --beta-likeness and --delta-disclosure compare with: the file, or the input, as ARX does.
    beta_likeness
        No value's share in a group is more than (1 + beta) times its share of the whole: basic beta-likeness.
    delta_disclosure
        Each group has all values, each with more than exp(-delta) and less than exp(delta) times its share of the
        whole: delta-disclosure privacy.
    guess_budget
        By how much the share of right guesses of a sensitive column may rise; 0.05 by default.
    certain_budget
        The share of the people whose sensitive value may be known for certain; no limit by default.
    keep
        Columns that go out in any case, unchanged or generalized, as a,b,….
    drop
        Columns that go out in no case, as a,b,….
    redact
        Columns that may go out with their rare values blank, and decoys with them, as a,b,….
    rules
        Leave a column blank for some people, such as "race: Other, null decoys 0.01": for all with one of these values,
        and as decoys for 1 % of the others. In place of values: rarer than 10, or any. With a condition: "income: any
        when workclass: Never-worked and sex: Male". Write names and values with blanks, commas, colons or quotes as
        JSON strings, and a missing value as null. Give the option once for each rule.
    hierarchies
        A file or folder of files with coarser values, as ARX writes them, each named after its column; or an ARX
        project (.deid), whose hierarchies are read by column. Other columns are coarsened in steps, months and years,
        by the first characters of codes, or by merging rare values.
    bins
        The numbers at which the ranges of a column begin, as age=0,18,30,45,65,income=0,20000.
    missing
        The marks that stand for a missing value, as a,b,…; by default NA, n/a, NaN, null, missing, ?, . and - in
        capitals or not, blanks, and beside numbers, dates and codes none and unknown.
    dates
        The order of day, month and year in dates of digits: dmy, mdy or ymd; by default what the column shows.
    max_suppressed
        The share of the people who may be left out.
    suppress
        rows: leave these people out; cells: leave as few of their cells blank as put them into groups.
    utility
        What the file keeps most of. information: what its columns carry together; columns: the share of each column's
        own information that is kept, added up, repeated columns counted once; entropy: the information of each column,
        added up; precision: by how much coarser each column is; discernibility: the pairs of people that it
        distinguishes.
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
    """What an audit examines, and what it recommends.

    Parameters
    ----------
    columns
        The columns to examine, as a,b,…; all by default.
    sensitive
        The columns whose guessing to measure and to limit, as a,b,…; they go out only if they are kept.
    person
        The column that names a person with several rows, or none if every row is a separate person. If a column
        repeats as the name of a person does, the audit asks for it, and decides no gate until you set this option.
    k
        A person is exposed if fewer than k people share their values; 10 by default.
    preset
        A published threshold instead of k: ema, health-canada, cms, cdc-wonder, k5 or k3.
    population
        How many people the table is a sample of, for the journalist's risk and for who is unique among them.
    weight
        Instead of --population, a column of sampling weights; it is not published.
    show_rare
        Show values that fewer than k people hold, or one person alone.
    engine
        Where the table is counted: duckdb, on this machine; or spark, on the cluster that Spark's own settings name,
        for a Parquet file or folder or a CSV file that its workers can read. Spark's settings decide what the cluster
        keeps of it.
    """

    k: int | None = None
    preset: str | None = None
    population: int | None = None
    weight: str | None = None
    show_rare: bool = False
    engine: Literal["duckdb", "spark"] = "duckdb"


@dataclass(frozen=True, kw_only=True)
class ReleaseOptions(FileOptions):
    """What a release may give away, how it changes the table, or which file it writes.

    Parameters
    ----------
    columns
        The columns to choose from, as a,b,…; all by default, but for those that name their person.
    sensitive
        The columns whose guessing to limit, as a,b,…; they go out only if they are kept, and unchanged.
    person
        The column that names the persons, each of whom has one row; it does not go out. Or none: every row is a
        separate person. If a column repeats as the name of a person does, the table is refused until you set this
        option.
    k
        A person is exposed if fewer than k people in the file share their values.
    publish
        The columns that go out and the generalization of each, as an audit recommends them: sex,"age=in steps of 10";
        a column by itself goes out as it is. Nothing else goes out, and nothing is searched for.
    target
        A column that analysts predict: add how often a model of the table and one of the file predict it correctly, of
        the same people. It must be in the file (--keep).
    """

    k: int = DEFAULT_K
    publish: Names = ()
    target: str | None = None


@dataclass(frozen=True, kw_only=True)
class DiffOptions(TableOptions):
    """What two tables are compared on.

    Parameters
    ----------
    columns
        The columns to compare, as a,b,…, each in at least one of the two; all by default.
    sensitive
        Columns that no adversary knows of a person before, as a,b,….
    person
        A column of both that identifies a person and is not published: with it people are followed, and the join is
        counted. Or none: every row is a separate person. If a column repeats as the name of a person does, the tables
        are refused until you set this option.
    k
        A person is exposed if fewer than k people share their values, and found if fewer than k who came or went do.
    budget
        The share of the people in NEW who may be exposed, alone and joined.
    """

    k: int = DEFAULT_K
    budget: float = 0.01


@dataclass(frozen=True, kw_only=True)
class ExposureOptions(TableOptions):
    """What counts as exposed, and by which columns.

    Parameters
    ----------
    columns
        The columns that are known together, as a,b,…; all by default.
    sensitive
        Those of them that the adversary does not know, as a,b,….
    k
        A person is exposed if fewer than k people share their values; 10 by default.
    threshold
        Instead of --k: a person is exposed if less than this share of the people share their values; a decimal, or a
        fraction such as 1/1000.
    bounds
        Add what the single columns alone certify: exposure_bound, theorem_bound (the best of Anonymity's Theorems 2
        and 3, which it is never above), and exposure_if_independent, the exposure if no column depended on another.
        --chart then draws the bound at every threshold too.
    special_uniques
        Add who is unique by at most so many of the columns, such as 3: special_people, how many people; and
        minimal_uniques, how many sets of columns single someone out and would not with one column less (SUDA).
    household
        The column that names the household of a person: add exposed_households and household_exposure, the households
        that fewer than k look like; certain_households; and household_risk, the chance that some member is found.
    marginals
        Compute what --bounds adds from a file of counts of columns, without people: CSV of column,value,count, or
        JSON, as of Marginals.to_json.
    wildcards
        Values that could be anything, as *,… ("" is a blank): add wildcard_exposed_people, wildcard_exposure and
        wildcard_k_anonymity, which count with a person all those whose records could be the person's.
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
    """What a file is checked by.

    Parameters
    ----------
    policy
        A TOML file of rules, such as columns = ["age", "sex", "diagnosis"], k = 10, budget = 0.01,
        sensitive = ["diagnosis"], guess_budget = 0.05; docs/how-to/policies.md lists all of them. A file that breaks
        one is exit code 1.
    person
        The column that names a person with several rows, or none if every row is a separate person; by default what
        the policy has. Without either, a file with a column that repeats as the name of a person does is refused.
    ledger
        A TOML file of what was published before about the same people; by default what the policy has. A file that
        exposes more people together with it than the policy allows is exit code 1. docs/how-to/two-releases.md lists
        its keys.
    """

    policy: str
    person: str | None = None
    ledger: str | None = None


@dataclass(frozen=True, kw_only=True)
class SyntheticOptions(ColumnOptions):
    """Whom a synthetic table is attacked with, and how.

    Parameters
    ----------
    columns
        The columns to compare, as a,b,…; all by default.
    sensitive
        The columns to guess, as a,b,…, each from all that are not sensitive.
    keep
        Columns to compare though they look as if they name people, as a,b,…. By default identifiers and free texts are
        only searched for copies; the result lists them.
    linked
        The columns that either of two parties knows of a person, as "a,b|c,d"; by default the columns are dealt out
        in turn.
    neighbours
        How many nearest synthetic records either party considers.
    attacks
        How many people of each table, and conditions, are tried at most; all by default, or a sample where all would
        take minutes.
    confidence
        The confidence with which all intervals hold together.
    seed
        The same seed gives the same result; drawn afresh by default.
    """

    keep: Names = ()
    linked: LinkedColumns | None = None
    neighbours: int = 1
    attacks: int | None = None
    confidence: float = 0.95
    seed: int | None = None
