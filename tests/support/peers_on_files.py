"""What pycanon and anjana say of released files: run by an interpreter that has them, which pin older libraries.

Reads a list of files as JSON, each with its path, the columns known, the sensitive one, and the limits of anjana's
functions by name; writes for each what pycanon measures, and for which of anjana's functions the file passes unchanged.
"""

import contextlib
import io
import json
import sys

import anjana.anonymity as anjana
import pandas as pd
from pycanon import anonymity as pycanon


def measured(file):
    data, known, secret = pd.read_csv(file["path"]), file["known"], file["sensitive"]
    c, least = pycanon.recursive_c_l_diversity(data, known, [secret])
    return {
        "k": int(pycanon.k_anonymity(data, known)), "l": int(least), "c": float(c),
        "entropy_l": int(pycanon.entropy_l_diversity(data, known, [secret])),
        "t": float(pycanon.t_closeness(data, known, [secret])),
        "beta": float(pycanon.basic_beta_likeness(data, known, [secret])),
        "delta": float(pycanon.delta_disclosure(data, known, [secret])),
        "unchanged": [
            name for name, limits in file["limits"].items()
            if data.equals(getattr(anjana, name)(data.copy(), [], known, secret, *limits, 0, {}))
        ],
    }  # fmt: skip


with contextlib.redirect_stdout(io.StringIO()):  # anjana prints what it does
    answer = [measured(file) for file in json.load(sys.stdin)]
json.dump(answer, sys.stdout)
