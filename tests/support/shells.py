"""What a shell makes of a command that is pasted into it."""

import subprocess
from collections.abc import Iterable


def in_a_shell(lines: Iterable[str]) -> list[str]:
    """Return the arguments that a shell gives to ``discretion`` in these lines."""
    script = "discretion() { for each; do printf '%s\\0' \"$each\"; done; }\n" + "\n".join(lines)
    done = subprocess.run(["sh", "-c", script], capture_output=True, check=True, text=True, timeout=60)
    return done.stdout.split("\0")[:-1]
