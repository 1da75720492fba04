"""What pools of processes are asked in tests: functions that a new process can import."""

import tacit as tc


def of_everything(k: int) -> tuple[int, float, float]:
    """Ask a table, a loop that is compiled, and a closed form."""
    classes = tc.Population("example:adult", columns=["sex", "race"]).class_sizes().classes
    crowd = tc.Shuffled(tc.RandomizedResponse(k, epsilon=1.0), 50)
    return (
        classes,
        float(tc.dp_epsilon(crowd.seen_by(tc.WorstAllButOne()), 1e-6)),
        tc.bayes_security(tc.RandomizedResponse(k, epsilon=1.0)),
    )


def of_an_unknown_column(_: int) -> None:
    tc.Population("example:adult", columns=["agee"])
