"""The options of the jobs on tables of people; their help is the parameters below."""

from dataclasses import dataclass
from typing import Literal

from discretion.jobs.options import Header, LinkedColumns, Names, Options


@dataclass(frozen=True, kw_only=True)
class ColumnOptions(Options):
    """What the columns of a table are.

    Parameters
    ----------
    header
        Whether the first line of a CSV file holds names: yes, no (it is a person, and the columns are called column1,
        column2, …), or the names as a,b,… for a file without them. By default a first line that looks like a person
        is refused.
    """

    columns: Names | None = None
    sensitive: Names = ()
    header: Header = None


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
class AuditOptions(TableOptions):
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
    budget
        The share of exposed people up to which columns count as fit to go out together.
    guess_budget
        By how much the share of right guesses of a sensitive column may rise with the columns that go out; 0.05 by
        default.
    certain_budget
        The share of the people whose sensitive value may be known for certain; no limit by default.
    keep
        Columns that go out in any case, as a,b,….
    drop
        Columns that go out in no case, as a,b,….
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
    budget: float = 0.01
    guess_budget: float | None = None
    certain_budget: float | None = None
    keep: Names = ()
    drop: Names = ()
    population: int | None = None
    weight: str | None = None
    show_rare: bool = False
    engine: Literal["duckdb", "spark"] = "duckdb"


@dataclass(frozen=True, kw_only=True)
class ReleaseOptions(TableOptions):
    """What a release may give away, and how it changes the table.

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
    budget
        The share of the people in the file who may be exposed; 0 is strict k-anonymity.
    l
        How many values of a sensitive column that goes out each group has, at least.
    entropy_l
        At least this entropy l-diversity of these values in each group: the entropy is at least its logarithm.
    t
        How far the distribution of these values in a group may be from the one in the file: 0 is the same, 1 is any.
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
    hierarchies
        A file or folder of files with coarser values, as ARX writes them, each named after its column; other columns
        are coarsened in steps, months and years, or by merging rare values.
    max_suppressed
        The share of the people who may be left out.
    suppress
        rows: leave these people out; cells: leave as few of their cells blank as put them into groups.
    utility
        What the file keeps most of: the entropy of its columns, their precision by how much coarser each is, or
        discernibility, the pairs of people that it distinguishes.
    """

    k: int = 10
    budget: float = 0.01
    l: int = 1  # noqa: E741 - as it is called
    entropy_l: float | None = None
    t: float | None = None
    guess_budget: float | None = None
    certain_budget: float | None = None
    keep: Names = ()
    drop: Names = ()
    redact: Names = ()
    hierarchies: str | None = None
    max_suppressed: float = 0.02
    suppress: Literal["rows", "cells"] = "rows"
    utility: Literal["entropy", "precision", "discernibility"] = "entropy"


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

    k: int = 10
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
        A person is exposed if fewer than k people share their values.
    threshold
        Instead of --k: a person is exposed if less than this share of the people share their values; a decimal, or a
        fraction such as 1/1000.
    bounds
        Add what the single columns alone certify: exposure_bound, theorem_bound (the best of Anonymity's Theorems 2
        and 3, which it is never above), and exposure_if_independent, the exposure if no column depended on another.
        --chart then draws the bound at every threshold too.
    marginals
        Compute what --bounds adds from a file of counts of columns, without people: CSV of column,value,count, or
        JSON, as of Marginals.to_json.
    """

    k: int | None = None
    threshold: str | None = None
    bounds: bool = False
    marginals: bool = False


@dataclass(frozen=True, kw_only=True)
class CheckOptions(Options):
    """What a file is checked by.

    Parameters
    ----------
    policy
        A TOML file of rules, such as columns = ["age", "sex", "diagnosis"], k = 10, budget = 0.01,
        sensitive = ["diagnosis"], guess_budget = 0.05; docs/policies.md lists all of them. A file that breaks one is
        exit code 1.
    person
        The column that names a person with several rows, or none if every row is a separate person; by default what
        the policy has. Without either, a file with a column that repeats as the name of a person does is refused.
    """

    policy: str
    person: str | None = None


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
