"""Pictures of the pages on bodies: geometry, descriptions, physics, simulation, kinematics, wheels, motion.

python tools/body_pictures.py [NAME ...] draws all or some of them; also called by make_pictures.py.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from matplotlib.patches import Ellipse, Polygon
from picture_tools import BLUE, COLORS, GRAY, GREEN, ORANGE, RED, figure, save, shoot, strip

import andante as an
from andante.geometry import SE3, so3
from andante.kinematics import ackermann, differential, mecanum
from andante.motion import Nurbs, s_curve, time_path, trapezoid
from andante.physics import ENGINES, installed
from andante.physics.rendering.renderer import Renderer


def geometry() -> None:
    """A screw motion from one pose to another beside positions on a line with rotations on an arc."""
    start, end = SE3.from_xyz_rpy((0, 0, 0)), SE3.from_xyz_rpy((0.9, 0.5, 0.4), (0.0, 0.0, 2.4))
    between = (start.inverse() @ end).log()
    drawn = figure(9.0, 3.8)
    screw: Any = drawn.add_subplot(1, 2, 1, projection="3d")
    fractions = np.linspace(0.0, 1.0, 60)
    path = np.array([(start @ SE3.exp(s * between)).translation for s in fractions])
    screw.plot(*path.T, color=GRAY, linewidth=1.2, label="start @ exp(s log(start⁻¹ end))")
    screw.plot(*np.array([path[0], path[-1]]).T, ":", color=GRAY, linewidth=1.0, label="straight line")
    for s in np.linspace(0.0, 1.0, 9):
        pose = start @ SE3.exp(s * between)
        for axis, color in zip(np.eye(3), (RED, GREEN, BLUE), strict=True):
            tip = pose @ (0.16 * axis)
            screw.plot(*np.array([pose.translation, tip]).T, color=color, linewidth=1.6)
    screw.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]", title="constant twist: a screw")
    screw.legend(fontsize=7.5, loc="upper left")
    screw.view_init(24, -62)
    near = drawn.add_subplot(1, 2, 2)
    angles = np.logspace(-9, np.log10(np.pi), 200)
    axis = np.array([1.0, 2.0, 2.0]) / 3.0
    vectors = angles[:, None] * axis
    back = so3.log(so3.exp(vectors))
    error = np.linalg.norm(back - vectors, axis=1) / angles
    closed = np.array([naive_log(so3.exp(v)) for v in vectors])
    near.loglog(angles, np.maximum(np.linalg.norm(closed - vectors, axis=1) / angles, 1e-17), color=GRAY, lw=1)
    near.loglog(angles, np.maximum(error, 1e-17), color=BLUE, linewidth=1.4)
    near.text(2e-7, 1e-3, "textbook arccos", color=GRAY)
    near.text(2e-7, 1e-14, "so3.log", color=BLUE)
    near.set(xlabel="angle [rad]", ylabel="relative error", title="log(exp(w)) against w", ylim=(1e-17, 10))
    save(drawn, "geometry")


def naive_log(rotation: Any) -> Any:
    """The logarithm by arccos of the trace, which sees no angle below 1e-8 and has no axis at a half turn."""
    angle = np.arccos(np.clip((np.trace(rotation) - 1.0) / 2.0, -1.0, 1.0))
    skew = np.array([rotation[2, 1] - rotation[1, 2], rotation[0, 2] - rotation[2, 0], rotation[1, 0] - rotation[0, 1]])
    return np.zeros(3) if angle == 0.0 else angle / (2.0 * np.sin(angle)) * skew


def descriptions() -> None:
    """The NAO's links as ellipsoids of the same mass and inertia, from the front and from the left."""
    robot = an.robot("nao")
    poses = robot.link_poses(robot.pose("StandInit"))
    drawn = figure(9.0, 4.4)
    for k, (title, across) in enumerate((("from the front", 1), ("from the left", 0))):
        axes = drawn.add_subplot(1, 3, k + 1)
        for link in robot.links:
            inertia = link.inertia
            if inertia is None or inertia.mass < 1e-3:
                continue
            pose = poses[link.name]
            turn = pose.rotation
            tensor = turn @ inertia.matrix @ turn.T
            moments = (0.5 * np.trace(tensor) * np.eye(3) - tensor) / inertia.mass  # of x x', per mass
            center, pick = pose @ np.array(inertia.com), [across, 2]
            squares, vectors = np.linalg.eigh(moments[np.ix_(pick, pick)])
            width, height = 2.0 * np.sqrt(5.0 * np.maximum(squares, 0.0))
            angle = np.degrees(np.arctan2(vectors[1, 0], vectors[0, 0]))
            axes.add_patch(Ellipse(center[pick], width, height, angle=angle, fc=BLUE, ec=BLUE, alpha=0.35, lw=1))
            axes.plot(*center[pick], ".", color=RED, markersize=3)
        total = robot.mass
        middle = (
            sum(
                link.inertia.mass * (poses[link.name] @ np.array(link.inertia.com))
                for link in robot.links
                if link.inertia
            )
            / total
        )
        axes.plot(middle[across], middle[2], "+", color=RED, markersize=12, markeredgewidth=2)
        axes.set_aspect("equal")
        axes.autoscale_view()
        axes.set(title=title, xlabel="y [m]" if across else "x [m]", ylabel="z [m]")
        if across:
            axes.invert_xaxis()
    bars = drawn.add_subplot(1, 3, 3)
    heavy = sorted(((link.inertia.mass, link.name) for link in robot.links if link.inertia), reverse=True)[:14]
    bars.barh([name for _, name in heavy][::-1], [mass for mass, _ in heavy][::-1], color=BLUE, alpha=0.7)
    bars.set(title=f"heaviest links of {total:.2f} kg", xlabel="mass [kg]")
    bars.tick_params(axis="y", labelsize=7.5)
    save(drawn, "descriptions")


def physics() -> None:
    """One servo's step and one fall on every engine that is installed."""
    drawn = figure(9.0, 3.4)
    step, drop = drawn.subplots(1, 2)
    for color, (name, entry) in zip(COLORS, ENGINES.items(), strict=False):
        if not installed(entry):
            continue
        sim = an.simulate("nao", engine=name, fixed=True)
        sim.run(0.2)
        at, rows = sim.robot.joint_names.index("LShoulderPitch"), []
        first = sim.joints["LShoulderPitch"]
        sim.engine.command(sim.model, [first - 1.0], joints=[at])
        for _ in range(200):
            sim.run(0.002)
            rows.append((sim.time - 0.2, sim.joints["LShoulderPitch"] - first))
        step.plot(*np.array(rows).T, color=color, label=name, linewidth=1.4)
        sim.close()
        sim, rows = an.simulate("nao", engine=name, drop=0.1), []
        for _ in range(400):
            sim.run(0.002)
            rows.append((sim.time, sim.base_pose[2]))
        drop.plot(*np.array(rows).T, color=color, label=name, linewidth=1.4)
        sim.close()
    step.set(
        xlabel="time [s]", ylabel="left shoulder pitch [rad]", title="a step of -1 rad under limits of speed and effort"
    )
    drop.set(xlabel="time [s]", ylabel="height of the torso [m]", title="dropped from 0.1 m on its feet")
    step.legend(fontsize=8)
    save(drawn, "physics")


def simulation() -> None:
    """The NAO dropped on rough ground, pushed, and what follows."""
    sim = an.simulate("nao", world="rough", start=(1.6, 0.0, 0.0), drop=0.08, seed=1)
    tiles = []
    with Renderer(sim.engine.models, sim.engine.world, 420, 320) as renderer:
        for time in (0.0, 0.12, 0.25, 1.0, 1.5, 1.7, 1.9, 2.6):
            if time == 1.5:
                sim.run(time - sim.time)
                sim.push("torso", (0.0, 3.5, 0.0))
            sim.run(max(0.0, time - sim.time))
            middle = np.array([*sim.base_pose[:2], 0.22])
            words = f"{time:.2f} s" + ("  push" if time == 1.5 else "  fallen" if sim.fallen else "")
            tiles.append(shoot(renderer, sim, (1.15, -0.4, 0.3), middle, words))
    strip(tiles, 4, "simulation")


def kinematics() -> None:
    """Five poses of a NAO's leg on an arch of the sole, and where its foot can be."""
    robot = an.robot("nao")
    leg = robot.chain("torso", "l_sole")
    q = leg.vector(robot.pose("StandInit"))
    home = leg.coordinates(q)
    phase = np.linspace(0.0, np.pi, 5)
    targets = np.tile(home, (len(phase), 1))
    targets[:, 0] += -0.05 * np.cos(phase)
    targets[:, 2] += 0.012 + 0.035 * np.sin(phase)
    targets[:, 3:] = [np.nan, 0.0, 0.0]
    found = leg.ik(targets, start=q)
    drawn = figure(9.0, 3.8)
    arch, reach = drawn.subplots(1, 2)
    names = ["torso", "LHip", "LThigh", "LTibia", "LAnklePitch", "l_ankle", "l_sole"]
    names = [name for name in names if name in {link.name for link in robot.links}]
    for color, solution in zip((GRAY, BLUE, GREEN, ORANGE, RED), found.q, strict=True):
        poses = robot.link_poses(dict(zip(leg.joint_names, solution, strict=True)))
        points = np.array([poses[name].translation for name in names])
        arch.plot(points[:, 0], points[:, 2], "o-", color=color, markersize=3, linewidth=1.5)
        toe, heel = poses["l_sole"] @ np.array([[0.1, 0, 0], [-0.05, 0, 0]])
        arch.plot([heel[0], toe[0]], [heel[2], toe[2]], color=color, linewidth=3.2)
    arch.set_aspect("equal")
    arch.set(
        xlabel="x [m]",
        ylabel="z [m]",
        title=f"one batch: level sole, yaw free; {int(found.converged.sum())} of 5 converged",
    )
    side = np.array([(x, z) for z in np.linspace(-0.36, -0.14, 34) for x in np.linspace(-0.2, 0.22, 40)])
    asked = np.full((len(side), 6), np.nan)
    asked[:, 0], asked[:, 1], asked[:, 2], asked[:, 4], asked[:, 5] = side[:, 0], home[1], side[:, 1], 0.0, 0.0
    there = leg.ik(asked, start=q, restarts=20)
    ok = there.converged
    reach.scatter(*side[ok].T, s=9, c=GREEN, label="reached with a level sole")
    reach.scatter(
        *side[~ok].T,
        s=9,
        c=there.error[~ok],
        cmap="Reds",
        vmin=0,
        vmax=0.2,
        label="least-squares error (darker: larger)",
    )
    reach.set_aspect("equal")
    reach.set(
        xlabel="x of the sole [m]",
        ylabel="z of the sole [m]",
        title=f"{len(side)} targets in one call, y = {home[1]:.2f} m",
    )
    reach.legend(fontsize=7.5, loc="upper center", bbox_to_anchor=(0.5, -0.16), ncols=2, frameon=False)
    save(drawn, "kinematics")


def wheels() -> None:
    """Three bases in motion: axles meet in the centre of rotation, or rollers let it go anywhere."""
    cases = (
        ("differential", differential(track=0.3, radius=0.05), (0.3, 0.0, 0.6)),
        ("ackermann", ackermann(wheelbase=0.5, track=0.34, radius=0.06), (0.4, 0.0, 0.55)),
        ("mecanum", mecanum(wheelbase=0.4, track=0.34, radius=0.06), (0.2, 0.25, 0.4)),
    )
    drawn = figure(9.0, 2.9)
    for axes, (name, drive, twist) in zip(drawn.subplots(1, 3), cases, strict=True):
        base = drive.base
        motion = base.inverse(twist)
        vx, vy, w = twist
        center = np.array([-vy / w, vx / w])
        turned = dict(zip(base.turning, np.asarray(motion.angles), strict=True))
        back, front = (f(wheel.position[0] for wheel in base.wheels) for f in (min, max))
        corners = [(back - 0.12, -0.12), (front + 0.12, -0.12), (front + 0.12, 0.12), (back - 0.12, 0.12)]
        axes.add_patch(Polygon(corners, fc="#8882", ec=GRAY))
        for k, wheel in enumerate(base.wheels):
            place = wheel.position
            heading = wheel.bearing + turned.get(k, wheel.angle) - np.pi / 2
            along = np.array([np.cos(heading), np.sin(heading)])
            axes.plot(*np.array([place - wheel.radius * along, place + wheel.radius * along]).T, color="black", lw=5)
            speed = np.array([vx - w * place[1], vy + w * place[0]])
            axes.annotate("", place + 0.6 * speed, place, arrowprops={"arrowstyle": "->", "color": BLUE, "lw": 1.4})
            line = "--" if name != "mecanum" else ":"
            axes.plot(*np.array([place, center]).T, line, color=ORANGE, linewidth=0.9)
        axes.annotate("", (0.6 * vx, 0.6 * vy), (0, 0), arrowprops={"arrowstyle": "-|>", "color": RED, "lw": 1.8})
        axes.plot(*center, "o", color=ORANGE)
        axes.set_aspect("equal")
        axes.set(xlim=(-0.72, 0.88), ylim=(-0.3, 0.8))
        degrees = base.degrees
        axes.set(
            title=f"{name}: mobility {degrees.mobility}, steerability {degrees.steerability}",
            xlabel="x [m]",
            ylabel="y [m]",
        )
    save(drawn, "wheels")


def motion() -> None:
    """A curve through points with its quickest timing, and two profiles of one axis."""
    points = np.array([[0.0, 0.0], [0.1, 0.2], [0.3, 0.2], [0.4, 0.0], [0.6, 0.1]])
    curve = Nurbs.through(points, degree=3)
    timed = time_path(("x", "y"), curve.evaluate, curve.domain, np.array([0.5, 0.5]), np.array([2.0, 2.0]))
    drawn = figure(9.0, 3.2)
    path, speeds, profile = drawn.subplots(1, 3)
    u = np.linspace(*curve.domain, 300)
    path.plot(*curve.evaluate(u).T, color=BLUE)
    path.plot(*points.T, "o", color=ORANGE, markersize=5)
    ticks = timed.evaluate(np.arange(0.0, timed.duration, 0.1))
    path.plot(*ticks.T, "|", color="black", markersize=8)
    path.set_aspect("equal")
    path.set(title="five points, a mark every 0.1 s", xlabel="x [m]", ylabel="y [m]")
    t = np.linspace(0.0, timed.duration, 600)
    for k, name in enumerate("xy"):
        speeds.plot(t, timed.evaluate(t, 1)[:, k], color=COLORS[k], label=f"{name}'")
    for bound in (-0.5, 0.5):
        speeds.axhline(bound, color=GRAY, linestyle=":", linewidth=1)
    speeds.set(title="as fast as the limits allow", xlabel="time [s]", ylabel="velocity [m/s]")
    speeds.legend(fontsize=8)
    shapes = (("trapezoid", trapezoid(0, 1, 1.0, 2.5), "-"), ("s_curve", s_curve(0, 1, 1.0, 2.5, 12.0), "--"))
    for (name, one, style), color in zip(shapes, (BLUE, ORANGE), strict=True):
        t = np.linspace(0.0, one.duration, 500)
        profile.plot(t, one.evaluate(t, 1), style, color=color, label=f"{name}: velocity")
        profile.plot(t, one.evaluate(t, 2), style, color=color, alpha=0.4, label="acceleration")
    profile.set(title="one axis, 1 m", xlabel="time [s]", ylabel="[m/s], [m/s²]")
    profile.legend(fontsize=7)
    save(drawn, "motion")


PICTURES = (geometry, descriptions, physics, simulation, kinematics, wheels, motion)


def main(names: list[str] | None = None) -> None:
    """Draw all pictures, or those that are named."""
    for draw in PICTURES:
        if not names or draw.__name__ in names:
            draw()


if __name__ == "__main__":
    main(sys.argv[1:])
