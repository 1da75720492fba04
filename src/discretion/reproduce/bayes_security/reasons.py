"""What the paper numbers and no item of its own reproduces, and why."""

from discretion.reproduce.item import reasons_by_name

REASONS = reasons_by_name(
    {
        "lists the notation; there is nothing to compute": "table-1",
        "is how discretion.bayes_security finds the worst prior; the item 'figure-1' shows it": "theorem-1 theorem-2",
        "is computed by the item 'numbers'": (
            "theorem-3 theorem-7 proposition-1 proposition-2 proposition-3 proposition-4 corollary-1"
        ),
        "is an inequality for discretion.cascade; discretion.bayes_security computes both of its sides": "theorem-4",
        "is the formula of discretion.security.bayes_security_of_ldp; the item 'figure-3' attains it": "theorem-5",
        "is cited from another paper; the item 'numbers' has Corollary 1, which follows from it": "theorem-6",
        "is the bound that the item 'figure-4' draws": "corollary-2",
        "is the bound that the item 'figure-8' draws": "proposition-5",
        "is a step of a proof and has no value of its own": (
            "definition-1 proposition-6 proposition-7 corollary-3 fact-1 lemma-1 lemma-2 lemma-3 lemma-4"
        ),
    }
)
