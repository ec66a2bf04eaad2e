"""Flat drawings: joint motions with their velocities, timelines of actions, wheel bases, strips of pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from numpy.typing import ArrayLike
from scipy.spatial import ConvexHull

from andante.description import Robot
from andante.errors import BadInput, UnknownName
from andante.geometry import Array
from andante.kinematics import Drive, SwedishWheel, Wheel, instantaneous_center
from andante.motion import ActionSet, JointMotion, MotionLimits, Planned, Reach, Step, Take, Turn, bind, plan_step
from andante.motion.actions.model import Atomic, Value
from andante.physics.rendering import Camera
from andante.physics.rendering.renderer import Renderer
from andante.simulation.simulation import Simulation

from .film import view_of
from .preview import COLORS, GRAY, INK, PALE

SAMPLES = 500
ORDERS = ("position", "velocity", "acceleration")
WHEEL_WIDTH = 0.35  # of a drawn wheel, in radii


def from_above(axes: Any, **text: Any) -> None:
    """Axes of the floor: x and y in meters, equally long; `text` is passed to the labels."""
    axes.set_aspect("equal")
    axes.set_xlabel("x [m]", **text)
    axes.set_ylabel("y [m]", **text)


def plain(axes: Any) -> None:
    """The look of all flat drawings."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(GRAY)
    axes.tick_params(labelsize=8, colors=INK, length=3, color=GRAY)
    axes.grid(color=PALE, linewidth=0.5)
    axes.set_axisbelow(True)


# ---- joint motions -------------------------------------------------------------------------------
def preview_motion(
    motion: JointMotion,
    names: Sequence[str] | None = None,
    *,
    orders: Sequence[int] = (0, 1),
    limits: MotionLimits | None = None,
    unit: str = "rad",
    seconds: float | None = None,
) -> Figure:
    """Positions and velocities (orders 0, 1; 2 for accelerations) of some joints over time, one plot per order.

    limits adds dashed lines at the tightest velocity and acceleration bounds of the joints drawn. A motion without end
    is drawn for `seconds`.
    """
    chosen = tuple(names) if names is not None else motion.names
    for name in chosen:
        if name not in motion.names:
            raise UnknownName.among("joint", name, motion.names, "the motion")
    until = motion.duration if seconds is None else seconds
    if not (np.isfinite(until) and until >= 0):
        raise BadInput(f"the motion lasts {until} s; say how many seconds of it to draw")
    times = np.linspace(0.0, until, SAMPLES)
    columns = [motion.names.index(name) for name in chosen]
    figure = Figure(figsize=(7.4, 1.9 * len(orders) + 0.6), layout="constrained")
    rows = figure.subplots(len(orders), 1, sharex=True, squeeze=False)[:, 0]
    for axes, order in zip(rows, orders, strict=True):
        values = np.asarray(motion.evaluate(times, order))
        for index, (name, column) in enumerate(zip(chosen, columns, strict=True)):
            axes.plot(times, values[:, column], color=_color(index), linewidth=1.6, label=name)
        bound = _bound(limits, chosen, order)
        if np.isfinite(bound):
            for side in (-bound, bound):
                axes.axhline(side, color=GRAY, linewidth=1.0, linestyle="--")
        power = ("", "/s", "/s²")[order]
        axes.set_ylabel(f"{ORDERS[order]} [{unit}{power}]", fontsize=8, color=INK)
        plain(axes)
    rows[-1].set_xlabel("time [s]", fontsize=8, color=INK)
    rows[0].legend(fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def _color(index: int) -> str:
    return COLORS[index % len(COLORS)]


def _bound(limits: MotionLimits | None, names: Sequence[str], order: int) -> float:
    if limits is None or order == 0:
        return np.inf
    values = limits.velocity if order == 1 else limits.acceleration
    found = [values[limits.names.index(name)] for name in names if name in limits.names]
    return float(min(found, default=np.inf))


# ---- actions -------------------------------------------------------------------------------------
def planned_steps(
    robot: Robot,
    actions: ActionSet,
    name: str,
    start: Mapping[str, float],
    parameters: Mapping[str, Value] | None = None,
) -> tuple[tuple[Step, Planned], ...]:
    """One round of an action, step by step, each planned from where the one before ends."""
    here, made = dict(start), []
    for step in bind(actions, name, parameters).steps:
        planned = plan_step(robot, actions, step, here)
        made.append((step, planned))
        here = dict(planned.end)
    return tuple(made)


def preview_action(
    robot: Robot,
    actions: ActionSet,
    name: str,
    start: Mapping[str, float],
    parameters: Mapping[str, Value] | None = None,
) -> Figure:
    """Timeline of one round of an action: a bar per atomic action, and below it the joints that move [rad or m]."""
    steps = planned_steps(robot, actions, name, start, parameters)
    rows = list(dict.fromkeys(_who(atomic) for step, _ in steps for atomic in step.atomics))
    figure = Figure(figsize=(7.4, 3.2 + 0.26 * len(rows)), layout="constrained")
    top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=(0.5 + 0.26 * len(rows), 2.0))
    colors = {label: _color(i) for i, label in enumerate(dict.fromkeys(step.name for step, _ in steps))}
    began = 0.0
    tracks: dict[str, list[tuple[Array, Array]]] = {}
    for step, planned in steps:
        whole = planned.motion.duration
        for atomic in step.atomics:
            own = atomic.duration
            lasts = whole if own is None else float(own)
            top.barh(rows.index(_who(atomic)), lasts, 0.62, began, color=colors[step.name], edgecolor="white")
        top.text(began + whole / 2, -0.62, step.name or "step", ha="center", va="bottom", fontsize=8, color=INK)
        times = np.linspace(0.0, whole, max(2, round(60 * whole)))
        values = np.asarray(planned.motion.evaluate(times))
        for column, joint in enumerate(planned.motion.names):
            tracks.setdefault(joint, []).append((began + times, values[:, column]))
        began += whole
        for axes in (top, bottom):
            axes.axvline(began, color=PALE, linewidth=1.0, zorder=0)
    top.set_yticks(range(len(rows)), rows)
    top.set_ylim(len(rows) - 0.5, -0.95)
    moving = [joint for joint, parts in tracks.items() if np.ptp(np.concatenate([v for _, v in parts])) > 1e-4]
    for index, joint in enumerate(moving):
        times, values = (np.concatenate(parts) for parts in zip(*tracks[joint], strict=True))
        bottom.plot(times, values, color=_color(index), linewidth=1.4, label=joint if len(moving) <= 8 else None)
    if 0 < len(moving) <= 8:
        bottom.legend(fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    bottom.set_xlabel("time [s]", fontsize=8, color=INK)
    bottom.set_ylabel(f"{len(moving)} joints [rad]", fontsize=8, color=INK)
    top.set_title(f"action {name}", fontsize=10, color=INK)
    for axes in (top, bottom):
        plain(axes)
    top.grid(False)
    return figure


def _who(atomic: Atomic) -> str:
    """What an atomic action moves, in a word or two."""
    match atomic:
        case Reach():
            return atomic.group
        case Turn():
            return ", ".join(atomic.positions)
        case Take():
            return f"pose {atomic.pose}"
        case _:
            return "wait"


# ---- wheel bases ---------------------------------------------------------------------------------
def draw_wheel_base(axes: Any, drive: Drive, twist: ArrayLike) -> None:
    """A wheel base from above under a twist (vx, vy, w) [m/s, rad/s]: wheels as they stand, twist, center.

    The axles of wheels that bind the base meet in its instantaneous center of rotation (ICR). Rollers are drawn as they
    are seen from above.
    """
    wanted = np.asarray(twist, dtype=float)
    base = drive.base
    angles = dict(zip(base.turning, np.asarray(drive.wheel_motion(wanted).angles).tolist(), strict=True))
    center = instantaneous_center(wanted)
    corners = []
    for index, wheel in enumerate(base.wheels):
        heading = wheel.heading + angles.get(index, wheel.angle) - wheel.angle
        corners.append(_wheel_corners(wheel, heading))
        color = COLORS[1] if isinstance(wheel, SwedishWheel) else INK
        axes.add_patch(Polygon(corners[-1], facecolor=color, edgecolor="white", linewidth=0.8, zorder=3))
        if isinstance(wheel, SwedishWheel):
            for fraction in (-0.6, -0.2, 0.2, 0.6):  # the rollers on top lean the other way than those on the ground
                middle = wheel.position + fraction * wheel.radius * _direction(heading)
                half = WHEEL_WIDTH * wheel.radius * _direction(heading - wheel.roller_angle)
                axes.plot(*np.stack([middle - half, middle + half]).T, color="white", linewidth=1.2, zorder=4)
        if wheel.binds and center.finite:
            axes.plot(*np.stack([wheel.position, center.point]).T, color=GRAY, linewidth=0.9, linestyle="--")
    outer = np.concatenate(corners)
    body = outer[ConvexHull(outer).vertices]
    axes.add_patch(Polygon(body, facecolor=PALE, edgecolor="none", alpha=0.6, zorder=1))
    speed = np.hypot(wanted[0], wanted[1])
    if speed > 0:
        tip = wanted[:2] / speed * 0.9 * base.length
        arrow = {"arrowstyle": "-|>", "color": COLORS[0], "linewidth": 2.2, "shrinkA": 0, "shrinkB": 0}
        axes.annotate("", tip, (0.0, 0.0), arrowprops=arrow, zorder=4)
        axes.update_datalim([tip])
    if center.finite:
        axes.plot(*center.point, marker="o", color=COLORS[3], markersize=7, zorder=5)
        axes.update_datalim([center.point - 0.2 * base.length, center.point + 0.2 * base.length])
        axes.annotate("ICR", center.point, (6, 6), textcoords="offset points", fontsize=8, color=COLORS[3])
    room = 0.25 * base.length
    axes.update_datalim(np.concatenate([outer - room, outer + room]))
    axes.autoscale_view()
    from_above(axes, fontsize=8, color=INK)
    axes.set_aspect("equal", adjustable="datalim")
    plain(axes)


def preview_bases(drives: Sequence[Drive], twists: ArrayLike) -> Figure:
    """Wheel bases side by side, each under its twist (n, 3) [m/s, rad/s]."""
    told = np.asarray(twists, dtype=float)
    if told.shape != (len(drives), 3) or not drives:
        raise BadInput(f"{len(drives)} bases need as many twists vx, vy, w, got shape {told.shape}")
    figure = Figure(figsize=(3.4 * len(drives), 3.4), layout="constrained")
    for axes, drive, twist in zip(figure.subplots(1, len(drives), squeeze=False)[0], drives, told, strict=True):
        draw_wheel_base(axes, drive, twist)
        axes.set_title(f"{drive.kind}: {twist[0]:g}, {twist[1]:g} m/s, {twist[2]:g} rad/s", fontsize=9, color=INK)
    return figure


def _wheel_corners(wheel: Wheel, heading: float) -> Array:
    """Corners (4, 2) of a wheel seen from above [m]."""
    along, across = wheel.radius * _direction(heading), wheel.radius * WHEEL_WIDTH * _direction(heading + np.pi / 2)
    corners: Array = wheel.position + np.array([along + across, along - across, -along - across, -along + across])
    return corners


def _direction(angle: float) -> Array:
    return np.array([np.cos(angle), np.sin(angle)])


# ---- pictures ------------------------------------------------------------------------------------
def picture_strip(pictures: Sequence[np.ndarray], captions: Sequence[str] = (), columns: int | None = None) -> Figure:
    """Pictures (height, width, 3) in rows, each with its caption."""
    if not pictures:
        raise BadInput("a strip needs at least one picture")
    wide = min(columns or len(pictures), len(pictures))
    rows = -(-len(pictures) // wide)
    height, width = pictures[0].shape[:2]
    each = 11.0 / wide
    figure = Figure(figsize=(11.0, rows * (each * height / width + 0.25)), layout="constrained")
    cells = figure.subplots(rows, wide, squeeze=False).ravel()
    for index, axes in enumerate(cells):
        axes.axis("off")
        if index < len(pictures):
            axes.imshow(pictures[index])
            if index < len(captions):
                axes.set_title(captions[index], fontsize=9, color=INK, pad=3)
    return figure


def film_strip(
    sim: Simulation,
    instants: Sequence[float],
    *,
    run: Callable[[float], object] | None = None,
    width: int = 320,
    height: int = 320,
    camera: Camera | None = None,
    room: float = 1.15,
    columns: int | None = None,
) -> Figure:
    """Run a simulation and show it at growing instants of its time [s], by one renderer and one camera.

    `run` lets a time [s] pass, such as the `run` of a control loop on it; None: the simulation runs alone.
    Without a camera the pictures show the box around the robot as it stands now, `room` times as large.
    """
    if list(instants) != sorted(instants) or any(instant < sim.time - 1e-9 for instant in instants):
        raise BadInput(f"instants grow from the present time {sim.time:g} s on, got {list(instants)}")
    seen = camera or view_of(sim, width / height, room)
    pictures = []
    with Renderer(sim.engine.models, sim.engine.world, width, height) as renderer:
        for instant in instants:
            (run or sim.run)(max(0.0, instant - sim.time))
            pictures.append(renderer.shoot(sim.engine, seen))
    return picture_strip(pictures, [f"{instant:.1f} s" for instant in instants], columns)
