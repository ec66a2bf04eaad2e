"""Where a robot stands by its UWB tags: the first pose of a localizer, from a log or from tags that measure now."""

from __future__ import annotations

import time

import numpy as np

from andante.control.body import Body
from andante.errors import BadInput
from andante.geometry import Array, se2
from andante.localization import UwbLog, UwbSetup
from andante.localization.uwb import epochs, tag_pose

DEVIATION = (0.4, 0.4, 0.4)  # of a pose told by the tags [m, m, rad]
STANDING = 5.0  # the tags' first so many seconds tell the initial pose [s]
LONGEST_WAIT = 15.0  # for them [s]
ENOUGH = 8  # rounds of every tag
RangeRow = tuple[float, int, int, float]  # time [s], numbers of tag and anchor, range [m]


def rows_of(time: float, tag: int, ranges: Array) -> list[RangeRow]:
    """The rows time, tag, anchor, range of what a tag measured at one time (m,) [m]; NaN: no answer."""
    return [(time, tag, anchor, float(value)) for anchor, value in enumerate(ranges) if np.isfinite(value)]


def start_by_tags(tags: UwbLog, setup: UwbSetup, warnings: list[str]) -> tuple[Array, Array]:
    """Pose (3,) on the map and deviations (3,) from the first ranges of the tags."""
    groups = [group for group in epochs(tags) if group.time <= float(tags.times.min()) + STANDING]
    at, yaw = tag_pose(groups, setup)
    if setup.map_from_uwb is None:
        warnings.append("the anchors file has no line 'map x y yaw'; anchors are taken to be given on the map")
    if yaw is None:
        warnings.append("one tag gives no heading; the localizer starts with all headings")
    pose = se2.compose(setup.map_from_uwb or (0.0, 0.0, 0.0), [at[0], at[1], yaw or 0.0])
    spread = np.array(DEVIATION)
    if yaw is None:
        spread[2] = np.pi
    return np.asarray(pose, dtype=float), spread


def standing_ranges(body: Body, wait: float = LONGEST_WAIT) -> tuple[UwbLog, UwbSetup]:
    """Ranges that the tags of a real robot measure while it stands, and where its anchors and tags are."""
    from andante.hardware.serial.body import SerialBody  # with serial ports

    if not isinstance(body, SerialBody) or body.uwb is None or body.setup is None:
        raise BadInput(f"{body.name} at {body.address} has no UWB tags here; name them by uwb and anchors")
    end, since = time.monotonic() + wait, body.time
    while True:
        told = body.ranges(since)
        counts = [sum(each.tag == tag for each in told) for tag in range(len(body.setup.tags))]
        if min(counts) >= ENOUGH:
            break
        if time.monotonic() > end:
            raise BadInput(f"the UWB tags of {body.name} gave {counts} rounds of ranges in {wait:g} s; {ENOUGH} needed")
        time.sleep(0.02)
    rows = [row for each in told for row in rows_of(each.time, each.tag, each.ranges)]
    return UwbLog.of_rows(body.address, rows, ()), body.setup
