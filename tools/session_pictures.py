"""Pictures of the pages on sensing, ways, sessions and search: sensors, navigation, hardware, live, launch, bus, bags.

python tools/session_pictures.py [NAME ...] draws all or some of them; also called by make_pictures.py.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.patches import Circle, FancyBboxPatch
from picture_tools import BLUE, COLORS, GRAY, GREEN, ORANGE, RED, draw_walls, figure, save

import andante as an
from andante.bags import bag_info, messages
from andante.bags.reader import open_bag
from andante.bus import Bus, Recorder, TfBuffer
from andante.geometry import SE3, se2
from andante.hardware import Loopback, SerialBody
from andante.kinematics import find_drive
from andante.mapping import map_of_world
from andante.mobile.rover.firmware import FirmwareOnBoard
from andante.navigation import AStar, Costmap, HybridAStar, ThetaStar, vehicle_of
from andante.physics import Mode
from andante.search import ObjectiveSpec, StudyConfig, StudyFolder
from andante.search import search as run_search
from andante.search.results import tail
from andante.session import LiveSession
from andante.session.launch_file import launch_plan
from andante.session.launch_run import run_launch
from andante.simulation.scans import scans_since


def sensors() -> None:
    """A scan of a car that turns, drawn as if it stood; UWB ranges beside the true ones; two channels of the IMU."""
    sim = an.simulate("rover", world="lab", start=(0.0, -0.8, 0.0), sensors=True, seed=1)
    robot, drive = sim.robot, find_drive(sim.robot)
    rows: list[tuple[float, ...]] = []
    links, scans = [link.name for link in robot.links], []
    tag = links.index("tag0")
    imu = next(channel for channel in sim.sensors if "imu" in channel.name)
    ranges = []
    for k in range(140):
        for joint, (mode, value) in drive.joint_commands((1.0, 0.0, 0.9 if k > 25 else 0.0)).items():
            sim.engine.command(sim.model, float(value), Mode[mode.upper()], [robot.joint_names.index(joint)])
        sim.run(0.02)
        poses = sim.engine.link_poses(sim.model)
        uwb = sim.sensors["tag0"]
        new = scans_since(robot, sim.sensors, sim.time - 0.02, "laser")
        scans += [(scan, sim.base_pose.copy()) for scan in new]
        anchors = np.array(list(uwb.sensor.anchors.values()))
        true = np.linalg.norm(anchors - SE3.from_vector(poses[tag]).translation, axis=1)
        ranges.append((sim.time, true[0], uwb.reading.values[0]))
        rows.append((sim.time, imu.reading.values[2], sim.base_velocity[5]))
    drawn = figure(9.0, 3.6)
    above, uwbs, gyro = drawn.subplots(1, 3, width_ratios=[1.35, 1, 1])
    draw_walls(above, map_of_world(an.world("lab"), resolution=0.03), "#c9ccd2")
    scan, base = scans[-1]
    pose = SE3.from_vector(base)
    place = np.array([*pose.translation[:2], pose.rpy[2]])
    hit = scan.hit
    angles = scan.angle_min + scan.angle_increment * np.arange(len(scan.ranges))
    sensor = np.asarray(scan.sensor, dtype=float)
    points = np.stack([scan.ranges * np.cos(angles), scan.ranges * np.sin(angles)], axis=-1)[hit]
    seen = se2.transform(se2.compose(place, sensor), points)
    above.plot(*seen.T, ".", color=BLUE, markersize=2, zorder=3)
    above.plot(*place[:2], "o", color=RED)
    above.set(title="one turn of the lidar at 1 m/s and 0.9 rad/s,\nlaid on the room")
    table = np.array(ranges)
    uwbs.plot(table[:, 0], table[:, 2], ".", color=BLUE, markersize=3, label="read")
    uwbs.plot(table[:, 0], table[:, 1], color=ORANGE, linewidth=1.2, label="true")
    uwbs.set(title="UWB range to an anchor", xlabel="time [s]", ylabel="[m]")
    uwbs.legend(fontsize=8)
    turn = np.array(rows)
    gyro.plot(turn[:, 0], turn[:, 1], color=BLUE, linewidth=0.8, label="gyro z")
    gyro.plot(turn[:, 0], turn[:, 2], color=ORANGE, linewidth=1.2, label="true")
    gyro.set(title="yaw rate", xlabel="time [s]", ylabel="[rad/s]")
    gyro.legend(fontsize=8)
    save(drawn, "sensors")
    sim.close()


def navigation() -> None:
    """The lab's costmap for two robots, and the ways of three planners to one goal."""
    grid = map_of_world(an.world("lab"), resolution=0.03)
    start, goal = (-3.0, -1.9, 0.0), (3.2, 1.2, np.pi / 2)
    waffle, rover = vehicle_of(an.robot("waffle")), vehicle_of(an.robot("rover"), max_speed=1.0)
    cases = (("astar", AStar(), waffle), ("theta_star", ThetaStar(), waffle), ("hybrid", HybridAStar(rover), rover))
    drawn = figure(9.0, 3.9)
    for axes, vehicle, title in zip(drawn.subplots(1, 2), (waffle, rover), ("waffle", "rover"), strict=True):
        costmap = Costmap.of(grid, vehicle)
        cost = np.where(costmap.cost == 255, 0, costmap.cost).astype(float)
        rows, columns = cost.shape
        corner, edge = costmap.origin, costmap.resolution
        box = (corner[0], corner[0] + columns * edge, corner[1], corner[1] + rows * edge)
        axes.imshow(cost, origin="lower", extent=box, cmap="Greys", vmin=0, vmax=330)
        for (name, planner, whose), color in zip(cases, (BLUE, ORANGE, GREEN), strict=True):
            if whose is not vehicle:
                continue
            plan = planner.plan(start, goal, costmap)
            axes.plot(*plan.path.poses[:, :2].T, color=color, linewidth=1.8, label=f"{name}: {plan.path.length:.2f} m")
            if name == "hybrid":
                for pose in plan.path.poses[:: max(1, len(plan.path.poses) // 12)]:
                    outline = vehicle.outline_at(pose)
                    axes.fill(*outline.T, facecolor="none", edgecolor=GREEN, linewidth=0.7)
        axes.plot(*start[:2], "o", color=RED)
        axes.plot(*goal[:2], "*", color=RED, markersize=11)
        axes.set(
            title=f"{title}: darker costs more", xlabel="x [m]", ylabel="y [m]", xlim=(-4.3, 4.3), ylim=(-3.3, 3.3)
        )
        axes.legend(fontsize=8, loc="upper left")
    save(drawn, "navigation")


def hardware() -> None:
    """The simulated rover drives to two waypoints by the firmware: way, pulse widths, what the line carries."""
    sim = an.simulate("rover", sensors=True)
    cable = Loopback()
    sim.observers.append(FirmwareOnBoard(sim, cable.microcontroller))
    body = SerialBody(cable.computer, clock=lambda: sim.time, threaded=False)
    noise, rows = np.random.default_rng(0), []

    def tick() -> None:
        sim.run(0.02)
        body.poll()
        told = body.telemetry
        if told is not None:
            rows.append((sim.time, *sim.base_pose[:2], told.throttle, told.steering, told.state))

    body.connect(step=tick)
    goals = ((1.5, 0.0), (2.5, 1.0))
    for goal in goals:
        number = body.go_to(*goal)
        body.start()
        steps = 0
        while not body.arrived(number) and sim.time < 30.0:
            if steps % 5 == 0:
                pose = SE3.from_vector(sim.base_pose)
                place = np.array([*pose.translation[:2], pose.rpy[2]])
                body.send_pose(*(place + noise.normal(0.0, 0.02, 3)))
            tick()
            steps += 1
    body.close()
    table = np.array(rows)
    drawn = figure(9.0, 3.2)
    way, pulses = drawn.subplots(1, 2)
    way.plot(table[:, 1], table[:, 2], color=BLUE)
    for goal in goals:
        way.plot(*goal, "*", color=RED, markersize=10)
        way.add_patch(Circle(goal, 0.1, fill=False, ec=RED, ls=":"))
    way.set_aspect("equal")
    way.set(xlabel="x [m]", ylabel="y [m]", title="two waypoints by the firmware's own law")
    pulses.plot(table[:, 0], table[:, 3], color=BLUE, label="throttle")
    pulses.plot(table[:, 0], table[:, 4], color=ORANGE, label="steering")
    pulses.axhline(1500, color=GRAY, linewidth=0.8, linestyle=":")
    pulses.set(xlabel="time [s]", ylabel="pulse width [µs]", title="what its telemetry tells")
    pulses.legend(fontsize=8)
    save(drawn, "hardware")


def live() -> None:
    """When each topic of a session with a NAO is published, over 0.4 s of simulated time."""
    session = LiveSession("nao", world="lab", seed=1)
    heard: dict[str, list[float]] = {}
    for topic in session.bus.topics():
        name = topic if isinstance(topic, str) else topic[0]
        if "camera" in name:
            continue
        heard[name] = []
        session.bus.subscribe(name, None, lambda _m, name=name: heard[name].append(session.time))
    session.run(1.0)
    begin = session.time
    for _ in range(4):
        session.drive(vx=0.1)
        session.run(0.1)
    session.close()
    often = {name: [t - begin for t in times if t > begin] for name, times in sorted(heard.items())}
    often = {name: times for name, times in often.items() if times}
    drawn = figure(9.0, 0.6 + 0.19 * len(often))
    axes = drawn.subplots()
    axes.eventplot(list(often.values()), lineoffsets=range(len(often)), linelengths=0.7, colors=BLUE, linewidths=1.4)
    axes.set_yticks(range(len(often)), list(often), fontsize=8)
    axes.invert_yaxis()
    axes.set(xlabel="simulated time [s]", title="messages of a session that somebody listens to")
    save(drawn, "live")


def launch() -> None:
    """The way of a waffle that a launch file sends about: lines of the terminal at their times."""
    then = [(0.5, "drive 0.25 0 0 6"), (7.0, "drive 0.2 0 0.6 3"), (10.5, "goto -1.6 0.3 180")]
    with tempfile.TemporaryDirectory() as folder:
        table = {
            "robot": "waffle", "world": "lab", "seed": 1, "realtime": False, "seconds": 34.0, "folder": folder,
            "record": {"name": "run", "topics": ["/odom", "/plan"]},
            "then": [{"at": at, "do": do} for at, do in then],
        }  # fmt: skip
        run_launch(launch_plan(table, "in code"))
        file = next(Path(folder).rglob("run*.mcap"))
        rows, plans = [], []
        with open_bag(file) as bag:
            for message in bag.messages():
                if message.topic.name == "/odom":
                    place = messages.from_cdr("nav_msgs/Odometry", message.data).pose.pose.position
                    rows.append((message.time * 1e-9, place.x, place.y))
                elif message.topic.name == "/plan":
                    poses = messages.from_cdr("nav_msgs/Path", message.data).poses
                    plans.append(np.array([(p.pose.position.x, p.pose.position.y) for p in poses]))
    way = np.array(rows)
    drawn = figure(7.2, 3.9)
    axes = drawn.subplots()
    draw_walls(axes, map_of_world(an.world("lab"), resolution=0.03), "#b9bdc6")
    if plans and len(plans[0]):
        axes.plot(*plans[0].T, ":", color=GREEN, linewidth=1.4, label="first plan")
    axes.plot(way[:, 1], way[:, 2], color=BLUE, label="/odom of the recording")
    for (at, do), shift in zip(then, ((-95, -15), (5, -15), (-20, 9)), strict=True):
        x, y = way[np.searchsorted(way[:, 0] - way[0, 0], at), 1:]
        axes.plot(x, y, "o", color=RED, markersize=5)
        axes.annotate(f"{at:g} s: {do}", (x, y), shift, textcoords="offset points", fontsize=8)
    axes.legend(fontsize=8, loc="upper left")
    save(drawn, "launch")


def bus() -> None:
    """Who hears what of a topic with a rate, and how a transform lies between two others."""
    hub = Bus()
    heard: dict[str, list[float]] = {"every message": [], "throttle 0.1 s": [], "comes at 0.25 s, latched": []}

    def listen(name: str, **more: Any) -> None:
        hub.subscribe("/joint_states", None, lambda _m: heard[name].append(hub.clock.now), **more)

    topic = hub.advertise("/joint_states", "sensor_msgs/msg/JointState", rate=50, latched=True)
    listen("every message")
    listen("throttle 0.1 s", throttle=0.1)
    calls, sent = [], []
    for k in range(1, 51):
        hub.clock.advance_to(0.01 * k)
        calls.append(0.01 * k)
        if k == 25:
            listen("comes at 0.25 s, latched")
        if topic.wanted():
            topic.publish(messages.make("sensor_msgs/JointState"))
            sent.append(0.01 * k)
        hub.spin()
    drawn = figure(9.0, 3.0)
    times, turns = drawn.subplots(1, 2, width_ratios=[1.5, 1])
    rows = {"the loop asks wanted()": calls, "published, rate 50": sent, **heard}
    times.eventplot(
        list(rows.values()), lineoffsets=range(len(rows)), linelengths=0.7, colors=[GRAY, BLUE, *[ORANGE] * 3]
    )
    times.set_yticks(range(len(rows)), list(rows))
    times.invert_yaxis()
    times.set(xlabel="simulated time [s]", title="one topic, three listeners")
    tf = TfBuffer()
    yaws = (0.0, 2.2)
    for t, yaw, x in ((0.0, yaws[0], 0.0), (1.0, yaws[1], 1.0)):
        tf.set_pose("odom", "base", t, (x, 0.3 * x, 0, 0, 0, np.sin(yaw / 2), np.cos(yaw / 2)))
    for t in np.linspace(0.0, 1.0, 9):
        pose = tf.lookup("odom", "base", float(t))
        pose = pose if isinstance(pose, SE3) else SE3.from_vector(pose)
        x, y = pose.translation[:2]
        direction = pose.rotation[:2, 0] * 0.12
        edge = t in (0.0, 1.0)
        turns.annotate("", (x + direction[0], y + direction[1]), (x, y),
                       arrowprops={"arrowstyle": "->", "color": RED if edge else BLUE, "lw": 1.6})  # fmt: skip
        turns.plot(x, y, "o", color=RED if edge else BLUE, markersize=4)
    turns.set_aspect("equal")
    turns.set(
        xlim=(-0.15, 1.2),
        ylim=(-0.15, 0.55),
        xlabel="x [m]",
        ylabel="y [m]",
        title="tf: two that were told, seven between",
    )
    save(drawn, "bus")


def bags() -> None:
    """How many messages are left of a recording that is cut off."""
    fractions = np.linspace(0.05, 1.0, 20)
    drawn = figure(7.2, 3.0)
    axes = drawn.subplots()
    with tempfile.TemporaryDirectory() as folder:
        for name, color in (("run.mcap", BLUE), ("run.bag", ORANGE)):
            hub = Bus()
            state = hub.advertise("/joint_states", "sensor_msgs/msg/JointState")
            path = Path(folder) / name
            joints = [f"joint_{k}" for k in range(26)]
            rng = np.random.default_rng(0)
            with Recorder(hub, path):
                for k in range(4000):
                    hub.clock.advance_to(k * 0.02)
                    state.publish(messages.make("sensor_msgs/JointState", name=joints, position=rng.random(26)))
                    hub.spin()
            whole = path.read_bytes()
            left = []
            for fraction in fractions:
                cut = path.with_name(f"cut_{name}")
                cut.write_bytes(whole[: int(fraction * len(whole))])
                left.append(bag_info(cut).count / 4000)
            axes.plot(100 * fractions, 100 * np.array(left), "o-", color=color, markersize=3, label=name)
    axes.plot([0, 100], [0, 100], ":", color=GRAY, linewidth=1)
    axes.set(
        xlabel="bytes of the file that are left [%]",
        ylabel="messages that are read [%]",
        title="a recording that was cut off",
    )
    axes.legend(fontsize=8)
    save(drawn, "bags")


def bridges() -> None:
    """The processes of a session and what goes between them."""
    drawn = figure(9.0, 3.3)
    axes = drawn.subplots()
    axes.set_axis_off()
    axes.set(xlim=(0, 100), ylim=(0, 40))

    def box(x: float, y: float, width: float, height: float, words: str, color: str) -> None:
        axes.add_patch(
            FancyBboxPatch((x, y), width, height, boxstyle="round,pad=0.4,rounding_size=1.2", fc=color + "22", ec=color)
        )
        axes.text(x + width / 2, y + height / 2, words, ha="center", va="center", fontsize=9)

    def arrow(a: tuple[float, float], b: tuple[float, float], words: str, style: str = "<|-|>") -> None:
        axes.annotate("", b, a, arrowprops={"arrowstyle": style, "color": GRAY, "lw": 1.3})
        axes.text((a[0] + b[0]) / 2, (a[1] + b[1]) / 2 + 1.0, words, ha="center", fontsize=7.5, color="#555")

    box(1, 11, 19, 18, "loop process\n\nengine, sensors,\nbehaviours\nBus", BLUE)
    box(36, 11, 20, 18, "server process\n\npage, meshes\nrosbridge v2\naccess, limits", ORANGE)
    arrow((21, 20), (35.4, 20), "bounded line\nCDR bytes, one copy")
    ends = (
        "browser: the studio",
        "roslib, roslibpy",
        "bridge ros1: ROS 1 master",
        "bridge ros2: DDS",
        "bridge foxglove",
        "bridge rosbridge: a robot",
    )
    for k, words in enumerate(ends):
        y = 34.5 - 6.6 * k
        box(74, y, 25, 4.2, words, GREEN if k < 2 else RED)
        axes.annotate(
            "",
            (73.4, y + 2.1),
            (56.8, 20 + 0.12 * (y - 18)),
            arrowprops={"arrowstyle": "<|-|>", "color": GRAY, "lw": 1.0},
        )
    axes.text(64.5, 33.5, "WebSocket:\nJSON, CBOR", ha="center", fontsize=7.5, color="#555")
    save(drawn, "bridges")


OBJECTIVE = '''
import math
from andante.search import Real, Space

class Valley:
    """Ten parameters, a bent valley with ripples; the best is 0 at 0.3 in all of them."""

    space = Space({f"p{k}": Real(-1.0, 1.0) for k in range(10)})

    def evaluate(self, parameters, seed):
        x = [v - 0.3 for v in parameters.values()]
        bend = sum(10.0 * (b - a * a) ** 2 + a * a for a, b in zip(x, x[1:]))
        return {"fitness": -bend - 0.02 * sum(1.0 - math.cos(12.0 * v) for v in x)}

    def stamp(self):
        return {}
'''


def search() -> None:
    """The best so far of four samplers on one function of ten parameters, three seeds each."""
    drawn = figure(7.2, 3.2)
    axes = drawn.subplots()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "valley.py"
        file.write_text(OBJECTIVE)
        spec = ObjectiveSpec(f"{file}:Valley").resolved()
        for color, name in zip((GRAY, *COLORS), ("random", "cmaes", "tpe", "elites"), strict=False):
            budget = 300 if name == "tpe" else 1500
            for seed in range(3):
                study = Path(folder) / f"{name}{seed}"
                options = {"axes": "p0:-1:1:8,p1:-1:1:8"} if name == "elites" else {}
                run_search(
                    study,
                    StudyConfig(spec, spec.build().space, name, options=options, budget=budget, seed=seed),
                    workers=0,
                )
                records, _ = tail(StudyFolder.open(study).results)
                best = np.maximum.accumulate([r.fitness for r in sorted(records, key=lambda r: r.index)])
                axes.semilogy(-best, color=color, linewidth=1.3, label=name if seed == 0 else None)
    axes.set(xlabel="candidates", ylabel="distance from the best possible", title="ten parameters, three seeds each")
    axes.legend(fontsize=8)
    save(drawn, "search")


PICTURES = (sensors, navigation, hardware, live, launch, bus, bags, bridges, search)


def main(names: list[str] | None = None) -> None:
    """Draw all pictures, or those that are named."""
    for draw in PICTURES:
        if not names or draw.__name__ in names:
            draw()


if __name__ == "__main__":
    main(sys.argv[1:])
