"""The shuffle model: the leakage of a target's value in a crowd whose reports are shown without their senders."""

from discretion.shuffling import (  # these register the algorithms
    plans as plans,
    rounds as rounds,
    worst_rounds as worst_rounds,
)
from discretion.shuffling.composition import privacy_loss_distribution
from discretion.shuffling.crowd import Shuffled
from discretion.shuffling.dataset_gains import holder_gain, presence_gain, target_gain
from discretion.shuffling.datasets import (
    dataset_channel,
    full_shuffle_channel,
    reduced_dataset_channel,
    reduced_shuffle_channel,
)
from discretion.shuffling.inversion import largest_epsilon, smallest_crowd
from discretion.shuffling.outsider import asymptotic_vulnerability, maximum_load, maximum_load_bounds

__all__ = [
    "Shuffled",
    "asymptotic_vulnerability",
    "dataset_channel",
    "full_shuffle_channel",
    "holder_gain",
    "largest_epsilon",
    "maximum_load",
    "maximum_load_bounds",
    "presence_gain",
    "privacy_loss_distribution",
    "reduced_dataset_channel",
    "reduced_shuffle_channel",
    "smallest_crowd",
    "target_gain",
]
