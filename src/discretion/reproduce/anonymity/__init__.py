"""Bravo-Hermsdorff, Busa-Fekete, Gunderson, Muñoz Medina, Syed: "Statistical anonymity", 2022."""

from types import MappingProxyType

from discretion.reproduce.anonymity.composition import figure_2
from discretion.reproduce.anonymity.entropy import proposition_13
from discretion.reproduce.anonymity.estimates import figure_3
from discretion.reproduce.anonymity.extensions import section_3, section_8
from discretion.reproduce.anonymity.numbers import all_numbers
from discretion.reproduce.anonymity.other_people import section_7
from discretion.reproduce.anonymity.slack import theorem_4
from discretion.reproduce.item import Item, Paper, reasons_by_name

# The numbered parts of the paper without an item of their own, and the reasons.
_REASONS = reasons_by_name(
    {
        "is a diagram of the two-round protocol; there is nothing to compute": "figure-1",
        "defines discretion.exposure": "definition-1",
        "is a bound that the item 'figure-2' draws": "theorem-2 theorem-3",
        "is computed by the item 'numbers'": "theorem-5 theorem-6 definition-7 theorem-8",
        "is computed by the item 'proposition-13'": "proposition-9",
        "is a step of a proof; the item 'numbers' names its slip": "lemma-11",
        "is a step of a proof and has no value of its own": "lemma-10 theorem-12",
        "is background in words; there is nothing to compute": "section-1 section-2",
        "sets the notation; there is nothing to compute": "section-4",
        "describes the two-round protocol, which discretion collect simulate runs": "section-5",
        "is computed by the items 'figure-2' and 'theorem-4'": "section-6",
        "draws conclusions in words; there is nothing to compute": "section-9",
    }
)

ANONYMITY = Paper(
    "Bravo-Hermsdorff, Busa-Fekete, Gunderson, Muñoz Medina, Syed: Statistical anonymity: Quantifying "
    "reidentification risks without reidentifying users. 2022",
    MappingProxyType(
        {
            "figure-2": Item("Exposure of features of Adult, alone and together, and bounds on it", figure_2),
            "theorem-4": Item("The slack that the composition of single features needs", theorem_4),
            "figure-3": Item("Two estimates of the exposure of future users", figure_3),
            "proposition-13": Item("The number of unique users that a small entropy allows", proposition_13),
            "section-3": Item("The information that each party receives, and the release that it allows", section_3),
            "section-7": Item("The exposure of other users that a sample certifies", section_7),
            "section-8": Item("The release after rounds of questions, and the information in redaction", section_8),
            "numbers": Item("Formulas and numbers in the text", all_numbers),
        }
    ),
    _REASONS,
)
