"""Each kind of diversity of a sensitive column of three values, as it is counted and one person after the other."""

from fractions import Fraction

from discretion.anonymity.people.ground_distances import OrderedDistance, TreeDistance
from discretion.anonymity.releasing.diversity import (
    Closeness,
    Disclosure,
    Distinct,
    Diversity,
    Entropy,
    Likeness,
    Recursive,
)
from oracles import coarsened

TREE = (("s", "t"), ("u",))
LEVELS = TreeDistance(((0, 1, 2), (0, 0, 1)))
ORDER = OrderedDistance((0, 1, 2))
# Of each kind of diversity how it is counted, of a column of three values in order, and how one row after the other.
DIVERSE: dict[str, tuple[Diversity, coarsened.Diverse]] = {
    "distinct 1": (Distinct("secret", 1), coarsened.distinct(1)),
    "distinct 2": (Distinct("secret", 2), coarsened.distinct(2)),
    "entropy 1.5": (Entropy("secret", 1.5), coarsened.entropy(1.5)),
    "entropy 2": (Entropy("secret", 2), coarsened.entropy(2)),
    "recursive 3/2, 2": (Recursive("secret", Fraction(3, 2), 2), coarsened.recursive(Fraction(3, 2), 2)),
    "recursive 3, 3": (Recursive("secret", Fraction(3), 3), coarsened.recursive(Fraction(3), 3)),
    "t 1/5": (Closeness("secret", Fraction(1, 5)), coarsened.close(Fraction(1, 5))),
    "t 0": (Closeness("secret", Fraction(0)), coarsened.close(Fraction(0))),
    "t 1/5 in order": (
        Closeness("secret", Fraction(1, 5), ORDER), coarsened.close_in_order(Fraction(1, 5), "stu"),
    ),
    "t 1/5 in a tree": (Closeness("secret", Fraction(1, 5), LEVELS), coarsened.close_in_tree(Fraction(1, 5), TREE)),
    "likeness 1/2": (Likeness("secret", Fraction(1, 2)), coarsened.likeness(Fraction(1, 2))),
    "likeness 2": (Likeness("secret", Fraction(2)), coarsened.likeness(Fraction(2))),
    "disclosure 0.8": (Disclosure("secret", 0.8), coarsened.disclosure(0.8)),
    "disclosure 2": (Disclosure("secret", 2), coarsened.disclosure(2)),
}  # fmt: skip
# The same beside the input, in which 5 people have the first value, 3 the second, and 4 the third.
INPUT, COUNTS = "ssssstttuuuu", (5, 3, 4)
DIVERSE |= {
    "t 1/5 beside the input": (
        Closeness("secret", Fraction(1, 5), whole=COUNTS), coarsened.close(Fraction(1, 5), INPUT),
    ),
    "t 1/5 in order beside the input": (
        Closeness("secret", Fraction(1, 5), ORDER, COUNTS), coarsened.close_in_order(Fraction(1, 5), "stu", INPUT),
    ),
    "t 1/5 in a tree beside the input": (
        Closeness("secret", Fraction(1, 5), LEVELS, COUNTS), coarsened.close_in_tree(Fraction(1, 5), TREE, INPUT),
    ),
    "likeness 1/2 beside the input": (
        Likeness("secret", Fraction(1, 2), COUNTS), coarsened.likeness(Fraction(1, 2), INPUT),
    ),
    "disclosure 0.8 beside the input": (
        Disclosure("secret", 0.8, COUNTS), coarsened.disclosure(0.8, INPUT),
    ),
}  # fmt: skip
