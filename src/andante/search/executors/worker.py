"""A worker process: an objective's table on the first line of stdin, then a task per line; answers go to stdout.

It ends at once when stdin does, also in the midst of a task, so that it never outlives whoever started it.
What an objective prints goes to stderr.
"""

from __future__ import annotations

import io
import json
import os
import queue
import sys
import threading
from typing import BinaryIO


def main() -> None:
    """Serve tasks until stdin ends."""
    answers = io.FileIO(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, lines), daemon=True).start()
    from andante.errors import AndanteError

    from .base import Evaluator

    try:
        evaluator = Evaluator.of(json.loads(lines.get()))
    except (AndanteError, Exception) as error:
        kind = "" if isinstance(error, AndanteError) else f"{type(error).__name__}: "
        _say(answers, json.dumps({"refused": f"{kind}{error}"}))
        os._exit(0)
    _say(answers, json.dumps({"ready": True}))
    while True:
        _say(answers, evaluator.evaluate(lines.get().decode()))


def _listen(stdin: BinaryIO, lines: queue.SimpleQueue[bytes]) -> None:
    for line in stdin:
        lines.put(line)
    os._exit(0)


def _say(answers: io.FileIO, text: str) -> None:
    try:
        rest = memoryview(text.encode() + b"\n")
        while rest:
            rest = rest[answers.write(rest) or 0 :]
    except OSError:  # nobody listens any more
        os._exit(0)


if __name__ == "__main__":
    main()
