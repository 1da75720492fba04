"""Channels when only some secrets are possible."""

import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

import discretion as dc
from discretion.channels import restricted
from discretion.errors import InvalidValueError
from oracles import measures as slow
from oracles.channels import exact
from oracles.promise import exactly
from oracles.strategies import matrices

PAGES = dc.Channel([[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]], inputs=["short", "medium", "long"], outputs=["few", "many"])


@pytest.mark.parametrize("storage", [np.array, sparse.csr_array])
def test_rows_come_in_the_order_asked_for_with_their_labels(storage):
    C = restricted(dc.Channel(storage(PAGES.matrix), PAGES.inputs, PAGES.outputs), ["long", "short"])
    rows = C.matrix.toarray() if sparse.issparse(C.matrix) else C.matrix
    assert rows.tolist() == [[0.2, 0.8], [0.9, 0.1]]
    assert (C.inputs, C.outputs) == (("long", "short"), ("few", "many"))


def test_what_is_given_away_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        restricted(PAGES, ["long"]).matrix[0, 0] = 1


@given(matrices(rows=st.integers(2, 4)))
def test_bayes_security_is_the_least_over_pairs_of_candidates(matrix):
    C = dc.Channel(matrix)
    pairs = itertools.combinations(range(len(matrix)), 2)
    assert dc.bayes_security(C) == exactly(min(dc.bayes_security(restricted(C, pair)) for pair in pairs))
    assert dc.bayes_security(restricted(C, [0, 1])) == exactly(1 - slow.pair_distances(exact(matrix))[0, 1])


def test_one_possible_secret_is_no_secret():
    assert dc.bayes_security(restricted(PAGES, ["medium"])) == 1.0


def test_a_mechanism_can_be_restricted():
    mechanism = dc.RandomizedResponse(5, epsilon=1)
    assert dc.bayes_security(restricted(mechanism, [0, 4])) == exactly(dc.bayes_security(mechanism))


@pytest.mark.parametrize(
    ("secrets", "words"),
    [
        ([], "at least one"),
        (["short", "tiny"], "'tiny' is not a secret of the channel; its inputs are 'short', 'medium', 'long'"),
        ([["short"]], r"\['short'\] is not a secret"),
        (["short", "long", "short"], "named once, got 'short'"),
    ],
    ids=["none", "unknown", "unhashable", "twice"],
)
def test_what_is_no_set_of_secrets_is_refused(secrets, words):
    with pytest.raises(dc.errors.InvalidValueError, match=words):
        restricted(PAGES, secrets)


def test_only_the_first_of_many_secrets_are_listed():
    with pytest.raises(dc.errors.InvalidValueError, match="0, 1, 2, 3, 4, …"):
        restricted(dc.RandomizedResponse(6, epsilon=1), [6])


def test_only_systems_can_be_restricted():
    with pytest.raises(dc.errors.UnsupportedError, match=r"discretion\.Channel"):
        restricted(np.eye(2), [0])


@pytest.mark.parametrize("secrets", [3, None])
def test_one_label_is_no_sequence_of_labels(secrets):
    with pytest.raises(InvalidValueError, match="a sequence of labels"):
        dc.restricted(dc.Channel([[0.5, 0.5]]), secrets)
