"""A column with its rare values left blank, and others with them, so that a blank does not tell of a rare value."""

import secrets

import numpy as np

from discretion.anonymity.choosing.redaction import RedactionRule
from discretion.anonymity.releasing.generalizations import REDACTED, View
from discretion.numerics.alike import Column


def redacted(view: View, rule: RedactionRule) -> View:
    """Return a column in which a rule was followed: what is blank is null.

    The coins are tossed by the system's own randomness: those that came from a seed somebody might toss again.
    """
    rare = (view.sizes < rule.rarer_than) & np.array([label is not None for label in view.labels])
    coins = np.frombuffer(secrets.token_bytes(8 * view.column.codes.size), np.uint64) / 2.0**64
    blank = rare[view.column.codes] | (coins < rule.decoys)
    labels = [*view.labels] if None in view.labels else [*view.labels, None]
    left, codes = np.unique(np.where(blank, labels.index(None), view.column.codes), return_inverse=True)
    held = [labels[code] for code in left]
    return View(REDACTED, Column(codes.astype(np.int32), left.size), held, held.index(None) if None in held else None)
