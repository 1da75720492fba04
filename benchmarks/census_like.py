"""A made table like an extract of a census: 42 columns, most of them skewed and dependent, for timing searches.

People are in latent classes (children, the employed, the retired, …), and most columns depend on them: categories of
very unequal shares, ages, amounts that are nearly all zero, and sampling weights. Some columns are functions of others
(an industry and its sector), some nearly so (the birth year beside the age, the mother's country beside the father's),
and some have one value for everybody.
"""

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from discretion.numerics.arrays import Integers, Reals

PEOPLE, SEED = 299_285, 7
# Latent classes: their shares, and the ages that the people in them have, from and to.
_SHARES = (0.24, 0.07, 0.09, 0.13, 0.14, 0.10, 0.08, 0.10, 0.05)
_AGES = ((0, 15), (16, 22), (20, 34), (25, 44), (30, 59), (40, 64), (30, 64), (62, 91), (18, 80))
# Who is not asked about work, and of columns that follow the class more than this.
_NOT_ASKED, _PERSONAL = (0, 7), 0.25
# Categories: how many values, how unequal their shares are, and how much they follow the latent class.
_CATEGORIES: dict[str, tuple[int, float, float]] = {
    "worker_class": (9, 1.2, 0.8), "industry": (52, 1.0, 0.7), "occupation": (47, 1.0, 0.7),
    "education": (17, 0.7, 0.7), "enrolled": (3, 3.0, 0.6), "marital_status": (7, 1.3, 0.8), "race": (5, 2.2, 0.1),
    "hispanic_origin": (10, 3.2, 0.1), "sex": (2, 0.1, 0.2), "union_member": (3, 3.0, 0.5),
    "reason_unemployed": (6, 4.5, 0.2), "employment": (8, 1.2, 0.7), "tax_filer": (6, 1.2, 0.8),
    "previous_state": (51, 4.2, 0.1), "household": (38, 1.3, 0.9), "migration": (10, 1.6, 0.1),
    "same_house": (3, 0.7, 0.1), "sunbelt": (4, 1.8, 0.1), "employer_size": (7, 0.9, 0.8),
    "parents_present": (5, 2.0, 0.9), "father_country": (43, 3.2, 0.1), "veteran_questions": (3, 5.5, 0.1),
    "veteran": (3, 1.5, 0.8), "income": (2, 3.5, 0.3), "year": (2, 0.05, 0.0),
}  # fmt: skip


def census_like(people: int = PEOPLE, seed: int = SEED) -> pa.Table:
    """Return the table."""
    draw = np.random.default_rng(seed)
    latent = draw.choice(len(_SHARES), people, p=np.array(_SHARES) / sum(_SHARES))
    low, high = np.array(_AGES).T[:, latent]
    age = (low + (high - low) * draw.beta(1.1, 1.4, people)).astype(np.int64)
    columns: dict[str, Any] = {"age": age}
    codes = {name: _categories(draw, latent, *each) for name, each in _CATEGORIES.items()}
    codes["mother_country"] = _mostly(draw, codes["father_country"], 43, 0.05)
    codes["birth_country"] = _mostly(draw, np.where(draw.random(people) < 0.6, 0, codes["father_country"]), 43, 0.02)
    codes |= {"sector": codes["industry"] * 24 // 52, "major_occupation": codes["occupation"] * 15 // 47}
    codes |= {"household_summary": codes["household"] * 8 // 38, "moved": codes["migration"] * 9 // 10}
    codes["migration_within"] = _mostly(draw, codes["migration"], 10, 0.01)
    columns |= {name: _labels(name, each) for name, each in codes.items()}
    works = np.isin(latent, (2, 3, 4, 5, 6))
    columns["birth_year"] = 1995 - age - (draw.random(people) < 0.5)
    columns["weeks_worked"] = np.where(works & (draw.random(people) < 0.75), 52, works * draw.integers(0, 53, people))
    for name, share, scale in (
        ("wage", 0.06, 6.5),
        ("gains", 0.037, 8.0),
        ("losses", 0.02, 7.2),
        ("dividends", 0.1, 6.0),
    ):
        amounts = draw.lognormal(scale, 0.9, people).astype(np.int64)
        columns[name] = np.where(draw.random(people) < share, amounts // 10 * 10, 0)
    columns["weight"] = np.round(draw.gamma(4.0, 435.0, people), 2)
    columns |= {"country": ["US"] * people, "survey": np.full(people, 1995)}
    return pa.table(columns)


def _categories(draw: np.random.Generator, latent: Integers, values: int, skew: float, follows: float) -> Integers:
    """Return a category of each person: shares fall as a power of the rank, which the latent class may reorder."""
    shares = 1 / np.arange(1, values + 1) ** skew
    result = draw.choice(values, latent.size, p=shares / shares.sum())
    for each in range(len(_SHARES)):
        alike = follows > _PERSONAL and each in _NOT_ASKED  # nearly all of them are in no such case
        members = np.flatnonzero((latent == each) & (draw.random(latent.size) < (0.99 if alike else follows)))
        own = _own(draw, values, 6.0 if alike else skew + 1.5)
        result[members] = draw.choice(values, members.size, p=own)
    return result


def _own(draw: np.random.Generator, values: int, skew: float) -> Reals:
    """Return the shares in a latent class, where the commonest value is any."""
    shares = 1 / np.arange(1, values + 1) ** skew
    return draw.permutation(shares) / shares.sum()


def _mostly(draw: np.random.Generator, codes: Integers, values: int, share: float) -> Integers:
    """Return the codes, but others for a share of the people."""
    return np.where(draw.random(codes.size) < share, draw.integers(0, values, codes.size), codes)


def _labels(name: str, codes: Integers) -> Sequence[str]:
    names = pa.array([f"{name} {code}" for code in range(int(codes.max()) + 1)])
    return names.take(pa.array(codes))


if __name__ == "__main__":
    pq.write_table(census_like(), sys.argv[1])
