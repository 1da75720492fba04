"""What the paper numbers and no item of its own reproduces, and why."""

from discretion.reproduce.item import reasons_by_name

_ROOM = "discretion.shuffling"

REASONS = reasons_by_name(
    {
        "is a diagram of equivalent channels; the item 'equivalences' checks it": "figure-1 figure-8 figure-9",
        "has three parts; name one of the items 'table-1a', 'table-1b' and 'table-1c'": "table-1",
        "defines discretion.prior_vulnerability": "definition-1",
        "defines discretion.posterior_vulnerability": "definition-2",
        "defines discretion.cascade": "definition-3",
        "is what discretion.refines decides; the item 'equivalences' applies it": "theorem-4",
        "defines datasets and histograms; there is nothing to compute": "definition-5",
        "is the scenario of the items 'table-1a', 'table-1b', 'table-1c', 'table-2' and 'table-3'": "example-6",
        f"defines {_ROOM}.full_shuffle_channel": "definition-7",
        f"defines {_ROOM}.reduced_shuffle_channel": "definition-8",
        f"defines {_ROOM}.dataset_channel of randomized response": "definition-10",
        f"defines {_ROOM}.reduced_dataset_channel of randomized response": "definition-23",
        "is checked by the item 'equivalences'": (
            "proposition-9 proposition-11 proposition-12 proposition-26 proposition-28"
        ),
        "defines the gain of a guess of one user's value, which discretion.Shuffled takes by default": "definition-13",
        "is a formula that the item 'numbers' computes": "proposition-14 proposition-15",
        "is a formula that the item 'figure-2' draws": "proposition-16 theorem-17 proposition-18 theorem-19",
        "is a formula that the item 'figure-5' draws": "proposition-20",
        "is another name for Theorem 19; the item 'figure-2' draws it": "proposition-19",
        "is another name for Proposition 20; the item 'figure-5' draws it": "theorem-20",
        "is a formula that the item 'figure-4' draws": "proposition-21",
        "is an asymptotic bound, which the items 'figure-6' and 'figure-7' draw": "theorem-22",
        "is a channel that the item 'table-4' computes": "example-24",
        "is a channel that the item 'table-5' computes": "example-27",
        "says that channels on datasets and on histograms differ; there is nothing to compute": "proposition-25",
        f"is an identity of two sums, both of which {_ROOM}.maximum_load computes": "proposition-29",
        "is a step of a proof and has no value of its own": "lemma-30",
    }
)
