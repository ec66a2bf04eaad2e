"""Drawings of robots, chains, targets and paths in space. Figures are returned, never shown.

Functions named draw_* add to axes made by `space`; `preview_robot` and `preview_chain` make a whole figure. Lengths are
meters and equal along all three axes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection
from mpl_toolkits.mplot3d.proj3d import proj_transform
from numpy.typing import ArrayLike

from andante._moved import renamed
from andante.description import Robot
from andante.description.mesh.triangles import hull
from andante.description.shapes import Geometry, Heightmap, Mesh, Plane
from andante.description.solids import as_trimesh
from andante.errors import BadInput
from andante.geometry import SE3, Array, so3
from andante.kinematics import Chain

INK, GRAY, PALE = "#1f2933", "#8d99a6", "#d5dbe1"
COLORS = ("#2f6fb0", "#d9772b", "#3c9d6b", "#b8475a", "#7a5ea8", "#8c6d46")  # for things side by side
AXIS_COLORS = ("#c8403a", "#3f9a52", "#3566b8")  # x, y, z
SPEED_MAP = "viridis"
SHARP = math.radians(35.0)  # edges of collision shapes that bend more are drawn
RIM = 1.15  # left for labels and titles around a box in space, both sides together [inch]
SIDES = 16  # of round collision shapes

Positions = Mapping[str, float]


# ---- figures and axes ----------------------------------------------------------------------------
def space(
    columns: int = 1,
    titles: Sequence[str] = (),
    *,
    size: float = 4.6,
    tall: float = 0.86,
    elevation: float = 22.0,
    azimuth: float = -55.0,
) -> tuple[Figure, tuple[Any, ...]]:
    """A figure with 3D axes side by side, and the axes.

    size: width of each in inches; tall: height over width; elevation, azimuth: direction of view in degrees.
    """
    if columns < 1:
        raise BadInput(f"a figure needs at least one column, got {columns}")
    figure = Figure(figsize=(size * columns, tall * size))
    made = []
    for index in range(columns):
        # a square as wide as the column, whatever the height: 3D axes fill a square
        square = (index / columns, 0.5 - 0.5 / tall, 1.0 / columns, 1.0 / tall)
        axes: Any = figure.add_axes(square, projection="3d", computed_zorder=False)
        axes.view_init(elevation, azimuth)
        if index < len(titles):
            middle = (index + 0.5) / columns
            figure.text(middle, 1.0 - 0.02 / tall, titles[index], ha="center", va="top", fontsize=10, color=INK)
        for axis, letter in zip((axes.xaxis, axes.yaxis, axes.zaxis), "xyz", strict=True):
            axis.set_label_text(f"{letter} [m]", fontsize=8, color=INK)
            axis.set_tick_params(labelsize=7, colors=GRAY)
            axis.set_pane_color((1.0, 1.0, 1.0, 0.0))
            axis._axinfo["grid"].update(color=PALE, linewidth=0.5)
        made.append(axes)
    return figure, tuple(made)


def frame_all(axes: Any, margin: float = 0.04) -> None:
    """Limits around everything drawn, the same scale along x, y and z, as large as the column allows; call it last."""
    axes.autoscale_view()
    limits = np.array([axes.get_xlim3d(), axes.get_ylim3d(), axes.get_zlim3d()])
    middle, half = limits.mean(axis=1), np.diff(limits, axis=1)[:, 0] / 2
    half = np.maximum(half, 0.2 * half.max()) * (1.0 + margin)
    axes.set(xlim3d=middle[0] + [-half[0], half[0]], ylim3d=middle[1] + [-half[1], half[1]])
    axes.set_zlim3d(middle[2] - half[2], middle[2] + half[2])
    _fill(axes, half)
    fractions = half / half.max()
    for index, axis in enumerate((axes.xaxis, axes.yaxis, axes.zaxis)):
        axis.set_major_locator(MaxNLocator(max(2, round(5 * fractions[index])), steps=(1, 2, 5, 10)))
        axis.labelpad = 3.0 + 30.0 * (1.0 - np.delete(fractions, index).max())  # labels come too near in slender boxes


def _fill(axes: Any, half: Array) -> None:
    """Zoom and move a box of half edges (3,) so that it fills its column, but for a rim of labels."""
    square = axes.get_position(original=True)
    wide, tall = axes.figure.get_size_inches() * (square.width, 1.0)
    room = np.maximum(1.0 - RIM / np.array([wide, tall]), 0.3) * (1.0, tall / wide)  # in sides of the square
    corners = np.array(list(product(axes.get_xlim3d(), axes.get_ylim3d(), axes.get_zlim3d())))
    zoom = 1.0
    for _ in range(3):  # perspective: the size on paper is not quite in proportion
        axes.set_box_aspect(half, zoom=zoom)
        x, y, _ = proj_transform(*corners.T, axes.get_proj())
        seen = np.stack([x - axes.viewLim.x0, y - axes.viewLim.y0]) / axes.viewLim.width
        zoom *= float(np.min(room / np.ptp(seen, axis=1)))
    middle = 0.5 + np.array([-0.12, 0.1]) / wide  # labels stand to the right and below
    shift = middle - 0.5 * (seen.max(axis=1) + seen.min(axis=1))
    axes.set_position((*(square.min + shift * square.size), *square.size))


# ---- robots --------------------------------------------------------------------------------------
@renamed(colour="color")
def draw_robot(
    axes: Any,
    robot: Robot,
    positions: Positions | None = None,
    base: SE3 | None = None,
    *,
    outlines: bool = True,
    frames: Iterable[str] = (),
    color: str = GRAY,
    sticks: bool = True,
) -> None:
    """A robot at joint positions [rad, m]: sticks from joint to joint, outlines of collision shapes, frames by name.

    base is world_from_root. Links without body that carry nothing (sensor frames) get no stick.
    """
    world = SE3.identity() if base is None else base
    poses = {name: world @ pose for name, pose in robot.link_poses(robot.complete(positions or {})).items()}
    for name in frames:
        robot.link(name)
        draw_frame(axes, poses[name])
    if sticks:
        bones = [
            np.stack([poses[joint.parent].translation, poses[joint.child].translation])
            for joint in robot.joints
            if joint.child in _bodies(robot)
        ]
        if bones:
            axes.add_collection3d(Line3DCollection(bones, colors=color, linewidths=2.4, capstyle="round", zorder=3))
        joints = np.array([poses[joint.child].translation for joint in robot.movable]).reshape(-1, 3)
        axes.scatter(*joints.T, s=9, color=color, edgecolors="white", linewidths=0.5, depthshade=False, zorder=4)
    if outlines:
        _draw_outlines(axes, robot, poses, color)


def preview_robot(
    robot: Robot, positions: Positions | None = None, base: SE3 | None = None, *, frames: Iterable[str] = ()
) -> Figure:
    """A robot as sticks and collision outlines, with the frames of some links."""
    figure, (axes,) = space(titles=(robot.name,))
    draw_robot(axes, robot, positions, base, frames=frames)
    frame_all(axes)
    return figure


def draw_frame(axes: Any, pose: SE3 | ArrayLike, length: float = 0.05) -> None:
    """Axes of a frame, x red, y green, z blue, `length` long [m]; pose is (4, 4) or an SE3."""
    matrix = pose.matrix if isinstance(pose, SE3) else np.asarray(pose, dtype=float)
    origin, ends = matrix[:3, 3], matrix[:3, 3] + length * matrix[:3, :3].T
    lines = [np.stack([origin, end]) for end in ends]
    axes.add_collection3d(Line3DCollection(lines, colors=AXIS_COLORS, linewidths=1.6, zorder=7))


def _bodies(robot: Robot) -> set[str]:
    """Links with a body of their own, and everything that carries one."""
    kept = {link.name for link in robot.links if link.inertia or link.visuals or link.collisions}
    for joint in reversed(robot.topological):
        if joint.child in kept:
            kept.add(joint.parent)
    return kept


def _draw_outlines(axes: Any, robot: Robot, poses: Mapping[str, SE3], color: str) -> None:
    """Faint faces and sharp edges of all collision shapes."""
    faces: list[Array] = []
    edges: list[Array] = []
    for link in robot.links:
        for collision in link.collisions:
            if isinstance(collision.geometry, Plane | Heightmap):
                continue
            points, triangles, sharp = _outline(collision.geometry)
            placed = (poses[link.name] @ collision.pose) @ points
            faces += list(placed[triangles])
            edges += list(placed[sharp])
    if faces:
        axes.add_collection3d(Poly3DCollection(faces, facecolors=color, alpha=0.05, linewidths=0, zorder=1))
        axes.add_collection3d(Line3DCollection(edges, colors=color, linewidths=0.4, alpha=0.55, zorder=2))


def _outline(geometry: Geometry) -> tuple[Array, np.ndarray, np.ndarray]:
    """Points (n, 3), triangles (m, 3) and sharp edges (k, 2) of a shape; a mesh is told by its convex hull."""
    import trimesh

    if isinstance(geometry, Mesh):
        solid = trimesh.Trimesh(*hull(geometry))
    else:
        solid = as_trimesh(geometry, SIDES)
    return (
        np.asarray(solid.vertices),
        np.asarray(solid.faces),
        np.asarray(solid.face_adjacency_edges)[solid.face_adjacency_angles > SHARP],
    )


# ---- chains, targets, paths ----------------------------------------------------------------------
def chain_points(chain: Chain, q: ArrayLike) -> tuple[Array, Array]:
    """Corners of the stick figure of a chain (m, 3) and places of its joints (k, 3), in the base frame [m]."""
    chain.fk(q)  # says what is wrong with q
    values = dict(zip(chain.joint_names, np.asarray(q, dtype=float).tolist(), strict=True)) | dict(chain.held)
    pose, corners, joints = np.eye(4), [np.zeros(3)], []
    for step in chain.steps:
        one = Chain(chain.base, chain.tip, (step,), chain.bounds)
        if one.joint_names:
            joints.append(pose[:3, 3])
        pose = pose @ one.fk([values[name] for name in one.joint_names])
        if np.linalg.norm(pose[:3, 3] - corners[-1]) > 1e-9:
            corners.append(pose[:3, 3])
    return np.array(corners), np.array(joints).reshape(-1, 3)


@renamed(colour="color")
def draw_chain(
    axes: Any,
    chain: Chain,
    q: ArrayLike,
    base: SE3 | None = None,
    *,
    color: str = COLORS[0],
    label: str = "",
    tip_frame: bool = False,
    alpha: float = 1.0,
) -> None:
    """A chain at q [rad, m] as a stick with a dot per joint and a ring at its tip; base is world_from_base."""
    world = SE3.identity() if base is None else base
    corners, joints = (world @ points if len(points) else points for points in chain_points(chain, q))
    line = {"color": color, "linewidth": 2.6, "solid_capstyle": "round", "alpha": alpha, "zorder": 5}
    axes.plot(*corners.T, label=label or None, **line)
    dots = {"depthshade": False, "zorder": 6}
    axes.scatter(*joints.T, s=26, color=color, edgecolors="white", linewidths=0.8, alpha=alpha, **dots)
    axes.scatter(*corners[-1:].T, s=34, facecolors="white", edgecolors=color, linewidths=1.6, **dots)
    if tip_frame:
        draw_frame(axes, world.matrix @ chain.fk(q))


def draw_target(
    axes: Any, target: ArrayLike, near: ArrayLike, base: SE3 | None = None, *, size: float = 0.05, label: str = ""
) -> None:
    """A target x y z yaw pitch roll in the base frame, NaN = free [m, rad].

    A coordinate that counts is a short solid bar along its axis, a free one a long dotted line. An angle that counts is
    an arc about its axis (yaw z, pitch y, roll x). Free coordinates of the place are taken from `near` (3,).
    """
    wanted = np.asarray(target, dtype=float)
    if wanted.shape != (6,):
        raise BadInput(f"a target is x y z yaw pitch roll (6 numbers, NaN = free), got shape {wanted.shape}")
    world = SE3.identity() if base is None else base
    point = np.where(np.isnan(wanted[:3]), np.asarray(near, dtype=float), wanted[:3])
    for axis, color in enumerate(AXIS_COLORS):
        free = bool(np.isnan(wanted[axis]))
        reach = np.eye(3)[axis] * size * (2.2 if free else 0.6)
        ends = world @ np.stack([point - reach, point + reach])
        axes.plot(*ends.T, color=color, linewidth=1.2 if free else 2.4, linestyle=":" if free else "-", zorder=8)
        if not np.isnan(wanted[5 - axis]):
            turn = np.linspace(0.25, 1.75 * np.pi, 40)
            about, first = np.eye(3)[axis], np.eye(3)[(axis + 1) % 3]
            arc = point + 0.8 * size * so3.from_axis_angle(about, turn) @ first
            axes.plot(*(world @ arc).T, color=color, linewidth=1.2, zorder=8)
    place = world @ point
    axes.scatter(*place[:, None], s=26, marker="D", color=INK, label=label or None, depthshade=False, zorder=9)


@renamed(colour="color")
def draw_path(
    axes: Any, points: ArrayLike, speeds: ArrayLike | None = None, *, color: str = COLORS[1], label: str = ""
) -> None:
    """A way through points (m, 3) [m]; with speeds (m,) [m/s] it is colored by them and gets a scale."""
    way = np.asarray(points, dtype=float)
    if way.ndim != 2 or way.shape[1] != 3 or len(way) < 2:
        raise BadInput(f"a path is (m, 3) points with m >= 2, got shape {way.shape}")
    if speeds is None:
        axes.plot(*way.T, color=color, linewidth=1.6, label=label or None, zorder=7)
        return
    pace = np.asarray(speeds, dtype=float)
    if pace.shape != (len(way),):
        raise BadInput(f"a path of {len(way)} points needs as many speeds, got shape {pace.shape}")
    pieces = Line3DCollection(np.stack([way[:-1], way[1:]], axis=1), cmap=SPEED_MAP, linewidths=3.0, zorder=7)
    pieces.set_array(0.5 * (pace[:-1] + pace[1:]))
    axes.add_collection3d(pieces)
    square = axes.get_position(original=True)
    place = axes.figure.add_axes((square.x0 + 0.3 * square.width, 0.9, 0.4 * square.width, 0.025))
    bar = axes.figure.colorbar(pieces, cax=place, orientation="horizontal")
    bar.set_label("speed [m/s]", fontsize=8)
    bar.ax.tick_params(labelsize=7)


def preview_chain(
    chain: Chain, solutions: Sequence[ArrayLike], target: ArrayLike | None = None, labels: Sequence[str] = ()
) -> Figure:
    """A chain at one or more q, each in its color, with the target that they were solved for."""
    if not len(solutions):
        raise BadInput(f"{chain.name}: give at least one q to draw")
    figure, (axes,) = space(titles=(f"{chain.base} to {chain.tip}",))
    for index, q in enumerate(solutions):
        label = labels[index] if index < len(labels) else ""
        draw_chain(axes, chain, q, color=COLORS[index % len(COLORS)], label=label)
    draw_frame(axes, np.eye(4))
    if target is not None:
        draw_target(axes, target, chain.fk(solutions[0])[:3, 3], label="target")
    if labels or target is not None:
        figure.legend(fontsize=8, frameon=False, loc="upper left")
    frame_all(axes)
    return figure
