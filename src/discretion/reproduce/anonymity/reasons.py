"""What the paper numbers and no item of its own reproduces, and why."""

from discretion.reproduce.item import reasons_by_name

REASONS = reasons_by_name(
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
