"""What pools of processes are asked in tests: functions that a new process can import."""

import discretion as dc


def of_everything(k: int) -> tuple[int, float, float]:
    """Ask a table, a loop that is compiled, and a closed form."""
    classes = dc.Population("example:adult", columns=["sex", "race"]).class_sizes().classes
    crowd = dc.Shuffled(dc.RandomizedResponse(k, epsilon=1.0), 50)
    return (
        classes,
        float(dc.dp_epsilon(crowd.seen_by(dc.WorstAllButOne()), 1e-6)),
        dc.bayes_security(dc.RandomizedResponse(k, epsilon=1.0)),
    )


def of_an_unknown_column(_: int) -> None:
    dc.Population("example:adult", columns=["agee"])
