"""A drill: everything bad that can come in on the way from sensors to wheels, through the doors that users have.

Files come in by the command line: one clear line, exit code 2, nothing half-written, and what is whole is used. Live
streams come in at the simulated rover while it drives: the motors stop where they must, nothing crashes, and it arrives
afterwards.
"""

import json
import math
import sys
from dataclasses import replace

import numpy as np
import pytest

from andante.cli import main as cli
from andante.description import load_world
from andante.hardware import Loopback, State
from andante.hardware.serial.messages import Fault
from andante.localization.synthetic import map_of_walls
from andante.mapping import Scan
from andante.mapping.io.carmen import write_carmen
from andante.mapping.io.map_files import save_map
from andante.mapping.records import Log
from andante.mapping.synthetic import drive, rooms, smooth_path
from andante.mapping.worlds import map_of_world
from andante.robots.rover.guides import NavigatorGuide, WaypointGuide
from andante.robots.rover.scene import RoverScene
from andante.robots.rover.trials import FIRMWARE

START = ("--initial-pose", "1 1 0")


# ---- files ---------------------------------------------------------------------------------------
@pytest.fixture
def andante(capsys, monkeypatch, tmp_path):
    """Runs a command in an empty folder: exit code, stdout, stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["andante", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        out, err = capsys.readouterr()
        return ended.value.code or 0, out, err

    return run


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a drive and its map."""
    folder = tmp_path_factory.mktemp("drill")
    walls = rooms([(0, 0), (6, 0), (6, 4), (0, 4)], (2.5, 1.5, 1, 1), (4, 0, 0.3, 0.8))
    run = drive(walls, smooth_path([(1, 1), (4.8, 1.2), (5, 3.2)], 0.1))
    write_carmen(run.log, folder / "drive.clf")
    save_map(map_of_walls(walls), folder / "room")
    return folder, run.log


def refused(outcome, *parts):
    code, out, err = outcome
    assert (code, out) == (2, ""), err
    assert err.startswith("andante: ")
    assert err.count("\n") == 1
    assert "0x" not in err.split("(")[0]  # no addresses of objects
    for part in parts:
        assert part in err


def files(folder):
    return sorted(path.name for path in folder.iterdir())


WHITE = b"P5\n50 50\n255\n" + b"\xfe" * 2500
MAPS = {
    "cut off": ({}, lambda pgm: pgm[: len(pgm) // 2], "bad.pgm: the picture ends early"),
    "no picture": ({"bad.pgm": "gone.pgm"}, None, "'gone.pgm' was not found"),
    "garbage": ({}, lambda pgm: bytes(range(256)) * 9, "bad.pgm: is no picture that can be read"),
    "too large": ({}, lambda pgm: b"P5\n99999999 99999999\n255\n", "larger than"),
    "no wall": ({}, lambda pgm: WHITE, "bad.yaml: the map has no occupied cell"),
    "resolution": ({"resolution: 0.05": "resolution: -0.05"}, None, "resolution must be a positive number"),
    "origin": ({"origin: [-0.5, -0.5, 0.0]": "origin: [a, b]"}, None, "origin"),
    "thresholds": ({"occupied_thresh: 0.65": "occupied_thresh: lots"}, None, "occupied_thresh"),
    "no yaml": ({"image": "\x00["}, None, "bad.yaml: is no yaml file"),
}


@pytest.mark.parametrize("case", MAPS)
def test_corrupt_maps(andante, made, tmp_path, case):
    changes, picture, words = MAPS[case]
    text = (made[0] / "room.yaml").read_text().replace("room.pgm", "bad.pgm")
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "bad.yaml").write_text(text)
    pgm = (made[0] / "room.pgm").read_bytes()
    (tmp_path / "bad.pgm").write_bytes(picture(pgm) if picture else pgm)
    before = files(tmp_path)
    refused(andante("localize", made[0] / "drive.clf", "--map", "bad.yaml", *START, "--trajectory", "t.txt"), words)
    if case != "no wall":
        refused(andante("navigate", "waffle", "--world", "lab", "--goal", "1 0 0", "--map", "bad.yaml"), words)
    assert files(tmp_path) == before


@pytest.mark.parametrize("suffix", ["clf", "bag", "mcap", "db3"])
@pytest.mark.parametrize("data", [b"", b"\x00" * 64, bytes(np.random.default_rng(0).bytes(4000))], ids=len)
def test_corrupt_logs(andante, made, tmp_path, suffix, data):
    (tmp_path / f"bad.{suffix}").write_bytes(data)
    before = files(tmp_path)
    for words in (
        ("map", f"bad.{suffix}", "-o", "m"),
        ("localize", f"bad.{suffix}", "--map", made[0] / "room", *START),
    ):
        refused(andante(*words), f"bad.{suffix}: ")
    assert files(tmp_path) == before


def mcap(folder, log, frame="laser"):
    """The log as rosbag2 in MCAP, with odometry of base_link and without any transform."""
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    t, path = store.types, folder / "bag"

    def header(time, name):
        stamp = t["builtin_interfaces/msg/Time"](sec=int(time), nanosec=round(time % 1 * 1e9))
        return t["std_msgs/msg/Header"](stamp=stamp, frame_id=name)

    with Writer(path, version=8, storage_plugin=StoragePlugin.MCAP) as writer:
        kinds = {"/scan": "sensor_msgs/msg/LaserScan", "/odom": "nav_msgs/msg/Odometry"}
        lines = {topic: writer.add_connection(topic, kind, typestore=store) for topic, kind in kinds.items()}
        vector = t["geometry_msgs/msg/Vector3"](x=0.0, y=0.0, z=0.0)
        twist = t["geometry_msgs/msg/Twist"](linear=vector, angular=vector)
        for record in log.records:
            if isinstance(record, Scan):
                topic, last = "/scan", record.angle_min + record.angle_increment * (len(record.ranges) - 1)
                message = t[kinds[topic]](
                    header=header(record.time, frame), angle_min=record.angle_min, angle_max=last,
                    angle_increment=record.angle_increment, time_increment=0.0, scan_time=0.1, range_min=0.05,
                    range_max=20.0, ranges=record.ranges.astype(np.float32), intensities=np.zeros(0, np.float32),
                )  # fmt: skip
            else:
                topic, (x, y, yaw) = "/odom", record.pose
                turn = t["geometry_msgs/msg/Quaternion"](x=0.0, y=0.0, z=math.sin(yaw / 2), w=math.cos(yaw / 2))
                pose = t["geometry_msgs/msg/Pose"](
                    position=t["geometry_msgs/msg/Point"](x=x, y=y, z=0.0), orientation=turn
                )
                message = t[kinds[topic]](
                    header=header(record.time, "odom"), child_frame_id="base_link",
                    pose=t["geometry_msgs/msg/PoseWithCovariance"](pose=pose, covariance=np.zeros(36)),
                    twist=t["geometry_msgs/msg/TwistWithCovariance"](twist=twist, covariance=np.zeros(36)),
                )  # fmt: skip
            writer.write(lines[topic], round(record.time * 1e9), store.serialize_cdr(message, kinds[topic]))
    return next(path.glob("*.mcap"))


def test_missing_tf_is_told_with_the_flag_that_repairs_it(andante, made, tmp_path):
    bag = mcap(tmp_path, made[1])
    code, out, err = andante("map", bag, "-o", "m", "--json")
    assert (code == 2) or json.loads(out)["warnings"]
    assert "laser" in err
    assert "--tf" in err
    assert "Traceback" not in err
    (tmp_path / "frames.txt").write_text("base_link laser 0 0 0 0 0 0\n")
    code, out, err = andante("map", bag, "-o", "whole", "--tf", "frames.txt", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["scans"] == len(made[1].scans)


def test_of_a_bag_that_was_cut_off_the_whole_part_is_saved_and_used(andante, made, tmp_path):
    bag = mcap(tmp_path, made[1], frame="base_link")
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(bag.read_bytes()[: bag.stat().st_size * 2 // 3])
    code, out, err = andante("map", "cut.mcap", "-o", "m", "--json")
    assert code == 0, err
    assert "messages over" in err
    assert "salvaged" in err
    saved = json.loads(out)["scans"]
    assert 0.3 * len(made[1].scans) < saved < len(made[1].scans)
    code, _, err = andante("bag", "convert", "cut.mcap", "whole.mcap")
    assert code == 0, err
    code, out, _ = andante("map", "whole.mcap", "-o", "m", "--json")
    assert (code, json.loads(out)["scans"]) == (0, saved)


def spoilt(log, change):
    """The log with every scan changed."""
    return Log("spoilt", tuple(change(k, r) if isinstance(r, Scan) else r for k, r in enumerate(log.records)))


def test_empty_scans_and_nan_ranges_are_counted_and_left_out(andante, made, tmp_path):
    def nothing(k, scan):
        return replace(scan, ranges=np.full(len(scan.ranges), np.nan if k % 2 else np.inf))

    write_carmen(spoilt(made[1], lambda k, s: nothing(k, s) if k % 10 < 3 else s), tmp_path / "some.clf")
    code, out, err = andante("map", "some.clf", "-o", "some", "--json")
    blind = sum(not scan.hit.any() for scan in read(tmp_path / "some.clf"))
    assert code == 0
    assert 5 < blind < len(made[1].scans)
    assert f"{blind} of {len(made[1].scans)} scans have no echo" in err
    told = json.loads(andante("localize", "some.clf", "--map", made[0] / "room", *START, "--json")[1])
    assert told["converged"]
    write_carmen(spoilt(made[1], nothing), tmp_path / "none.clf")
    before = files(tmp_path)
    refused(andante("map", "none.clf", "-o", "none"), "none.clf: none of its", "has an echo")
    assert files(tmp_path) == before
    code, out, err = andante("localize", "none.clf", "--map", made[0] / "room", *START, "--json")
    assert code == 0
    assert "too few echoes" in err
    assert not json.loads(out)["converged"]


def read(path):
    from andante.mapping.io.logs import read_log

    return read_log(path).scans


def test_a_log_whose_time_steps_back_is_used_in_its_order(andante, made, tmp_path):
    back = tuple(replace(r, time=r.time - 3.0) if 40 < k < 60 else r for k, r in enumerate(made[1].records))
    write_carmen(Log("back", back), tmp_path / "back.clf")
    code, out, err = andante("map", "back.clf", "-o", "m", "--json")
    assert code == 0
    assert err == "andante: back.clf: scan stamps step back 1 times; processed in file order\n"
    assert json.loads(out)["unmatched"] == 0
    told = json.loads(andante("localize", "back.clf", "--map", made[0] / "room", *START, "--json")[1])
    assert told["converged"]


def test_a_goal_inside_a_wall(andante, tmp_path):
    save_map(map_of_world(load_world("lab"), height=0.165), tmp_path / "lab")
    words = ("navigate", "rover", "--world", "lab", "--goal", "0 3.05 0", "--map", "lab", "--timeout", "20", "--json")
    code, out, err = andante(*words)
    told = json.loads(out)
    assert code == 0
    assert "Traceback" not in err
    assert not told["success"]
    assert not told["collided"]
    assert told["reason"].startswith("the goal (0.00, 3.05")
    assert told["path_length"] < 0.05


# ---- live streams --------------------------------------------------------------------------------
class FaultyCable(Loopback):
    """A cable on which bytes are flipped and dropped, garbage and floods come in, each per byte or per read."""

    def __init__(self):
        super().__init__()
        self.rng = np.random.default_rng(0)
        self.repair()

    def repair(self):
        self.flip = self.drop = self.garbage = 0.0
        self.flood = 0

    def take(self, pipe):
        data = bytearray()
        for byte in super().take(pipe):
            if self.drop and self.rng.random() < self.drop:
                continue
            data.append(byte ^ (1 << int(self.rng.integers(8))) if self.rng.random() < self.flip else byte)
        if self.garbage and self.rng.random() < self.garbage:
            at = int(self.rng.integers(len(data) + 1))
            data[at:at] = self.rng.bytes(int(self.rng.integers(1, 60)))
        return self.rng.bytes(self.flood) + bytes(data)


class Rover:
    """The rover in the lab with all of its chain; `spoil` changes what its sensors say."""

    def __init__(self):
        self.said = []
        self.cable = FaultyCable()
        self.scene = RoverScene(
            "lab", start=(-0.2, 0.0, 0.0), cable=self.cable, firmware=FIRMWARE,
            say=lambda time, who, words: self.said.append(words),
        )  # fmt: skip
        self.spoil = lambda stamp, values, now: (stamp, values)
        self.silent = False
        computer = self.scene.computer
        scan, ranges = computer.scan, computer.ranges

        def spoilt_scan(told, now):
            stamp, values = self.spoil(told.time, told.ranges, now)
            if not self.silent:
                scan(replace(told, time=stamp, ranges=values), now)

        def spoilt_ranges(stamp, tag, values, now):
            stamp, values = self.spoil(stamp, values, now)
            ranges(stamp, tag, values, now)

        computer.scan, computer.ranges = spoilt_scan, spoilt_ranges
        self.scene.connect()
        computer.align((0.0, 0.0, 0.0), 10)
        assert self.scene.until(lambda: computer.aligned, 5.0)

    def ready(self):
        """Put it back to the start with everything whole."""
        self.cable.repair()
        self.spoil, self.silent = (lambda stamp, values, now: (stamp, values)), False
        self.scene.body.stop()
        assert self.scene.until(lambda: self.scene.body.connected, 5.0)
        self.scene.carry((-0.8, 0.0, 0.0))
        self.scene.wait(0.3)
        self.scene.computer.put()
        assert self.scene.until(lambda: self.scene.computer.located, 10.0)
        self.said.clear()
        return self

    def set_off(self, x=0.4, guide=WaypointGuide):
        self.goal = np.array([x, 0.0])
        self.guide = guide(self.scene, self.goal)
        self.guide.start()

    def go_on(self, seconds):
        for _ in range(round(seconds / 0.02)):
            if self.guide.done:
                return
            self.scene.tick()
            self.guide.update()

    def arrives(self):
        self.go_on(20.0)
        self.scene.wait(0.3)
        return self.guide.arrived and self.off < 0.10

    @property
    def off(self):
        return float(np.hypot(*(self.scene.truth[:2] - self.goal)))

    @property
    def speed(self):
        return float(np.linalg.norm(self.scene.sim.base_velocity[:2]))

    def stands(self):
        """Whether its motors are neutral and it rolls out by less than 1 cm within the next 0.2 s."""
        here, neutral = self.scene.truth, self.neutral
        self.go_on(0.2)
        return neutral and self.neutral and float(np.hypot(*(self.scene.truth - here)[:2])) < 0.01

    @property
    def neutral(self):
        out = self.scene.body.micro.board.output
        return (out.throttle, out.steering) == (1500, 1500)


@pytest.fixture(scope="module")
def lab_rover():
    rover = Rover()
    yield rover
    rover.scene.close()


@pytest.fixture
def rover(lab_rover):
    return lab_rover.ready()


def test_a_line_that_garbles_and_drops(rover):
    rover.cable.flip = rover.cable.drop = 2e-3
    rover.cable.garbage = 0.05
    before = rover.scene.body.counters.garbled
    rover.set_off()
    assert rover.arrives()
    assert rover.scene.body.counters.garbled > before + 3


def test_a_line_that_is_flooded(rover):
    rover.set_off()
    rover.go_on(0.8)
    assert rover.speed > 0.2
    rover.cable.flood = 3000  # of noise per read, both ways
    firmware = rover.scene.body.micro.board.firmware
    rover.go_on(1.0)
    assert rover.neutral
    assert rover.stands()
    assert len(firmware._ring) <= 1024
    assert firmware.endpoint.counters.dropped > 10_000
    rover.cable.flood = 0
    assert rover.arrives()
    assert "no good frame for 0.3 s: motors stopped" in rover.said


def test_a_line_that_swallows_everything(rover):
    rover.set_off()
    rover.go_on(0.8)
    rover.cable.drop = 1.0
    rover.go_on(0.32)
    assert rover.neutral
    rover.go_on(0.5)
    assert rover.stands()
    assert rover.scene.body.micro.board.firmware.fault is Fault.LINK
    assert not rover.scene.body.read().health.ok
    rover.cable.drop = 0.0
    assert rover.arrives()


@pytest.mark.parametrize(
    ("fault", "guide"),
    [("nan", WaypointGuide), ("inf", WaypointGuide), ("silent", WaypointGuide), ("nan", NavigatorGuide)],
    ids=["nan", "inf", "silent", "navigator"],
)
def test_a_lidar_that_sees_nothing(rover, fault, guide):
    rover.set_off(guide=guide)
    rover.go_on(0.6)
    if fault == "silent":
        rover.silent = True
    else:
        rover.spoil = lambda stamp, values, now: (stamp, np.full(len(values), float(fault)))
    rover.go_on(1.8)
    assert rover.stands()
    assert not rover.guide.arrived
    assert "no scan with echoes for 1 s: the rover holds" in rover.said
    if guide is WaypointGuide:
        told = rover.scene.body.telemetry
        assert (State(told.state), Fault(told.fault)) == (State.HOLDING, Fault.POSE)
    rover.spoil, rover.silent = (lambda stamp, values, now: (stamp, values)), False
    assert rover.arrives()
    assert "scans have echoes again: the rover continues" in rover.said


@pytest.mark.parametrize("back", [0.3, 1e6, -5.0])
def test_a_stream_whose_time_goes_back(rover, back):
    """Lidar and tags stamp their readings by a clock that was set back (or ahead) while the rover drives."""
    before = rover.scene.computer.wrong_stamps
    rover.set_off()
    rover.go_on(0.8)
    rover.spoil = lambda stamp, values, now: (stamp - back, values)
    assert rover.arrives()
    assert rover.scene.computer.wrong_stamps > before + 10
    told = "stamps of the lidar do not follow the clock; arrival times are used instead"
    assert rover.said.count(told) == 1


def test_tags_that_tell_nonsense(rover):
    rng = np.random.default_rng(0)
    rover.set_off()

    def nonsense(stamp, values, now):
        if len(values) > 10:
            return stamp, values
        return stamp, rng.choice([np.nan, np.inf, -1.0, 0.0, 1e9, 3.0], len(values))

    rover.spoil = nonsense
    assert rover.arrives()
    assert rover.scene.computer.odometry.filter.refused == 0
