"""`andante bridge`: join a running session to ROS 1, ROS 2, Foxglove, another rosbridge server, or NAOqi."""

from __future__ import annotations

import sys

from .command import Command
from .options import Take, group

app = group("bridge", "Join a running session to ROS 1, ROS 2, Foxglove, another rosbridge server, or NAOqi.")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _add(name: str, about: str, /, topics: bool = True, **takes: Take) -> None:
    """A command for a kind of bridge; all have a session, those that pass topics on have patterns of names."""
    patterns = {"session": Take("SESSION")}
    if topics:
        patterns |= {
            "out": Take("PATTERN"), "into": Take("PATTERN", flags="--in"),
            "exclude": Take("PATTERN", flags="-x --exclude"),
        }  # fmt: skip
    function = f"andante.tasks.bridge:{name}"
    Command(function, about, {**patterns, **takes}, run=lambda call: call.run(say=_say), json=False).add_to(app)


_add(
    "ros1",
    "Make a session a node of a ROS 1 master. No ROS install is needed on this side.",
    master=Take("URI"),
    name=Take("N"),
    types=Take("DIR"),
)
_add(
    "ros2",
    "Bring the topics of a session into a ROS 2 domain over DDS (experimental). No ROS install is needed.",
    interface=Take("I"),
)
_add("foxglove", "Show a session to Foxglove on this machine.")
_add(
    "rosbridge",
    "Join a session to another rosbridge server: what the session hears comes in, what --out names goes out.",
    server=Take("SERVER"),
)
_add(
    "naoqi",
    "Offer a session as a NAO: programs that use qi or naoqi move its robot.",
    topics=False,
    host=Take("A"),
    folder=Take("DIR"),
)
