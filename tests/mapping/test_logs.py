"""Logs: CARMEN text, rosbag1, rosbag2 and MCAP give the same records; what is missing or broken is told in words."""

import gzip
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from andante.errors import BadInput
from andante.mapping import Scan
from andante.mapping.io.carmen import carmen_log, write_carmen
from andante.mapping.io.logs import LogOptions, read_log
from andante.mapping.records import ImuReading, Log, Odometry, odometry_at_scans

FLASER = "FLASER 3 1.0 2.0 81.83 {x} 0 0 {x} 0 0 {t} host {t}"


def carmen(tmp_path, *lines, name="a.log"):
    (tmp_path / name).write_text("\n".join(lines) + "\n")
    return tmp_path / name


def test_flaser_lines(tmp_path):
    path = carmen(
        tmp_path, "# a log", "PARAM x y", "ODOM 0.5 0 0.1 0 0 0 0.9 h 0.9", FLASER.format(x=1.0, t=1.0), "SYNC x"
    )
    log = read_log(path)
    assert [type(r).__name__ for r in log.records] == ["Odometry", "Odometry", "Scan"]
    scan = log.scans[0]
    assert scan.ranges.tolist() == [1.0, 2.0, math.inf]
    assert (scan.angle_min, scan.angle_increment) == pytest.approx((-math.pi / 2, math.pi / 2))
    assert log.odometry[1].pose == (1.0, 0.0, 0.0)
    assert log.warnings == ()


@pytest.mark.parametrize(("beams", "step"), [(180, 1.0), (181, 1.0), (360, 0.5), (361, 0.5)])
def test_angles_of_half_circles(tmp_path, beams, step):
    line = f"FLASER {beams} {' '.join(['1.0'] * beams)} 0 0 0 0 0 0 1.0 h 1.0"
    scan = read_log(carmen(tmp_path, line)).scans[0]
    assert math.degrees(scan.angle_min) == pytest.approx(-90.0)
    assert math.degrees(scan.angle_increment) == pytest.approx(step)


def test_offset_of_the_laser_and_corrected_logs(tmp_path):
    ahead = [f"FLASER 2 1 2 {x + 0.3} 0 0 {x} 0 0 {x} h {x}" for x in range(5)]
    assert read_log(carmen(tmp_path, *ahead)).scans[0].sensor == pytest.approx((0.3, 0.0, 0.0))
    corrected = [f"FLASER 2 1 2 {1.1 * x} {0.1 * x} 0 {x} 0 0 {x} h {x}" for x in range(5)]
    log = read_log(carmen(tmp_path, *corrected))
    assert log.scans[0].sensor == (0.0, 0.0, 0.0)
    assert "corrected log" in log.warnings[0]


def test_greatest_range_that_piles_up_is_no_echo(tmp_path):
    piled = read_log(carmen(tmp_path, *["FLASER 4 1 2 8.0 8.0 0 0 0 0 0 0 1 h 1"] * 3))
    assert piled.scans[0].hit.tolist() == [True, True, False, False]
    told = read_log(carmen(tmp_path, "PARAM robot_front_laser_max 5.0", "FLASER 4 1 2 6 7 0 0 0 0 0 0 1 h 1"))
    assert told.scans[0].hit.tolist() == [True, True, False, False]


def test_stamps_that_step_back_are_one_counted_warning(tmp_path):
    log = read_log(carmen(tmp_path, *[FLASER.format(x=k, t=t) for k, t in enumerate((1.0, 2.0, 1.5, 3.0, 2.0))]))
    assert log.backward == 2
    assert log.warnings == ("a.log: scan stamps step back 2 times; processed in file order",)
    assert [scan.time for scan in log.scans] == [1.0, 2.0, 1.5, 3.0, 2.0]
    assert odometry_at_scans(log)[:, 0].tolist() == [0, 1, 2, 3, 4]  # that of the same line, not of the same time


def test_written_logs_read_the_same(tmp_path, ring):
    write_carmen(ring.log, tmp_path / "r.clf.gz")
    log = read_log(tmp_path / "r.clf.gz")
    assert len(log.scans) == len(ring.log.scans)
    np.testing.assert_allclose(odometry_at_scans(log), odometry_at_scans(ring.log), atol=1e-5)
    for ours, theirs in zip(log.scans[::50], ring.log.scans[::50], strict=True):
        assert ours.hit.tolist() == theirs.hit.tolist()
        np.testing.assert_allclose(ours.points(), theirs.points(), atol=1e-3)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "no laser lines"),
        (["ODOM 0 0 0 0 0 0 1 h 1"], "no laser lines"),
        (["FLASER 3 1 2"], "no whole FLASER line"),
        (["FLASER 99999999 1 2 3"], "no whole FLASER line"),
        (["FLASER x"] * 50, "too many broken lines"),
    ],
)
def test_bad_carmen(tmp_path, lines, words):
    with pytest.raises(BadInput, match=words):
        read_log(carmen(tmp_path, *lines))


def test_broken_lines_are_counted(tmp_path):
    log = read_log(carmen(tmp_path, FLASER.format(x=0, t=1), "FLASER 3 1 nan", FLASER.format(x="nan", t=2), "ODOM a"))
    assert len(log.scans) == 1
    assert "3 broken lines left out" in log.warnings[0]


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(alphabet="FLASERODM 0123456789.-einfa\n", max_size=200))
def test_no_text_crashes_it(tmp_path, text):
    try:
        log = read_log(carmen(tmp_path, text))
    except BadInput:
        return
    assert len(log.scans) > 0


def test_names_and_flags(tmp_path):
    with pytest.raises(BadInput, match="no such log"):
        read_log(tmp_path / "none.log")
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(BadInput, match="logs are CARMEN"):
        read_log(tmp_path / "a.txt")
    path = carmen(tmp_path, FLASER.format(x=0, t=1))
    with pytest.raises(BadInput, match="leave --odom out"):
        read_log(path, LogOptions(odom="/odom"))
    with pytest.raises(BadInput, match="no RLASER lines; the log has FLASER"):
        read_log(path, LogOptions(scan="RLASER"))
    with pytest.raises(BadInput, match="no such file of frames"):
        read_log(path, LogOptions(tf=tmp_path / "none.txt"))
    (tmp_path / "b.log.gz").write_bytes(gzip.compress(path.read_bytes())[:-8])
    with pytest.raises(BadInput, match="gz"):
        read_log(tmp_path / "b.log.gz")


# ---- bags ------------------------------------------------------------------------------------------------------------


class Bag:
    """Writes messages of one kind of bag from plain values."""

    def __init__(self, path, kind):
        from rosbags.rosbag1 import Writer as Writer1
        from rosbags.rosbag2 import StoragePlugin
        from rosbags.rosbag2 import Writer as Writer2
        from rosbags.typesys import Stores, get_types_from_msg, get_typestore

        self.one = kind == "bag"
        self.store = get_typestore(Stores.ROS1_NOETIC if self.one else Stores.ROS2_HUMBLE)
        if self.one:
            text = "geometry_msgs/TransformStamped[] transforms\n"
            self.store.register(get_types_from_msg(text, "tf2_msgs/msg/TFMessage"))
            self.writer = Writer1(path)
        else:
            plugin = StoragePlugin.MCAP if kind == "mcap" else StoragePlugin.SQLITE3
            self.writer = Writer2(path, version=8, storage_plugin=plugin)
        self.writer.open()
        self.connections = {}

    def make(self, name, **values):
        return self.store.types[name](**values)

    def header(self, time, frame):
        stamp = self.make("builtin_interfaces/msg/Time", sec=int(time), nanosec=round(time % 1 * 1e9))
        extra = {"seq": 0} if self.one else {}
        return self.make("std_msgs/msg/Header", stamp=stamp, frame_id=frame, **extra)

    def send(self, topic, name, message, time):
        if topic not in self.connections:
            self.connections[topic] = self.writer.add_connection(topic, name, typestore=self.store)
        pack = self.store.serialize_ros1 if self.one else self.store.serialize_cdr
        self.writer.write(self.connections[topic], round(time * 1e9), pack(message, name))

    def pose(self, x, y, yaw, z=0.0):
        point = self.make("geometry_msgs/msg/Point", x=x, y=y, z=z)
        turn = self.make("geometry_msgs/msg/Quaternion", x=0.0, y=0.0, z=math.sin(yaw / 2), w=math.cos(yaw / 2))
        return self.make("geometry_msgs/msg/Pose", position=point, orientation=turn)

    def scan(self, time, ranges, frame="laser", topic="/scan"):
        name = "sensor_msgs/msg/LaserScan"
        values = {
            "angle_min": -1.0,
            "angle_max": 1.0,
            "angle_increment": 0.5,
            "time_increment": 0.001,
            "scan_time": 0.1,
        }
        message = self.make(
            name, header=self.header(time, frame), range_min=0.1, range_max=10.0,
            ranges=np.array(ranges, dtype=np.float32), intensities=np.zeros(0, np.float32), **values,
        )  # fmt: skip
        self.send(topic, name, message, time)

    def odom(self, time, x, y, yaw):
        name, zero = "nav_msgs/msg/Odometry", np.zeros(36)
        vector = self.make("geometry_msgs/msg/Vector3", x=0.0, y=0.0, z=0.0)
        twist = self.make("geometry_msgs/msg/Twist", linear=vector, angular=vector)
        message = self.make(
            name, header=self.header(time, "odom"), child_frame_id="base_link",
            pose=self.make("geometry_msgs/msg/PoseWithCovariance", pose=self.pose(x, y, yaw), covariance=zero),
            twist=self.make("geometry_msgs/msg/TwistWithCovariance", twist=twist, covariance=zero),
        )  # fmt: skip
        self.send("/odom", name, message, time)

    def imu(self, time, rate, attitude=None):
        """attitude: roll, pitch, yaw that the unit has found; None: it finds none."""
        from andante.geometry import so3

        name, zero = "sensor_msgs/msg/Imu", np.zeros(9)
        unknown = np.concatenate([[-1.0 if attitude is None else 0.1], np.zeros(8)])
        q = [float(v) for v in so3.to_quaternion(so3.from_rpy(attitude or (0.0, 0.0, 0.0)))]
        turn = self.make("geometry_msgs/msg/Quaternion", x=q[0], y=q[1], z=q[2], w=q[3])
        vector = self.store.types["geometry_msgs/msg/Vector3"]
        message = self.make(
            name, header=self.header(time, "imu_link"), orientation=turn, orientation_covariance=unknown,
            angular_velocity=vector(0.0, 0.0, rate), angular_velocity_covariance=zero,
            linear_acceleration=vector(0.0, 0.0, 9.81), linear_acceleration_covariance=zero,
        )  # fmt: skip
        self.send("/imu", name, message, time)

    def tf(self, time, parent, child, x, y, yaw, z=0.0, topic="/tf_static", roll=0.0):
        vector = self.make("geometry_msgs/msg/Vector3", x=x, y=y, z=z)
        from andante.geometry import so3

        q = [float(v) for v in so3.to_quaternion(so3.from_rpy([roll, 0.0, yaw]))]
        turn = self.make("geometry_msgs/msg/Quaternion", x=q[0], y=q[1], z=q[2], w=q[3])
        moved = self.make("geometry_msgs/msg/Transform", translation=vector, rotation=turn)
        stamped = self.make(
            "geometry_msgs/msg/TransformStamped",
            header=self.header(time, parent),
            child_frame_id=child,
            transform=moved,
        )
        name = "tf2_msgs/msg/TFMessage"
        self.send(topic, name, self.make(name, transforms=[stamped]), time)


@pytest.fixture(params=["bag", "db3", "mcap"])
def bag(request, tmp_path):
    """A bag with everything, closed by reading: yields a writer and a function that gives its path."""
    path = tmp_path / ("b.bag" if request.param == "bag" else "b")
    made = Bag(path, request.param)

    def done():
        made.writer.close()
        return path

    return made, done


def test_bags_of_every_kind(bag):
    writer, done = bag
    writer.tf(0.0, "base_link", "laser", 0.2, 0.1, 0.5, z=0.3)
    for k in range(3):
        writer.odom(k + 0.5, 1.0 * k, 0.0, 0.2)
        writer.scan(k + 1.0, [1.0, math.inf, -math.inf, math.nan, 2.0])
        writer.imu(k + 1.1, 0.2)
    log = read_log(done())
    assert [type(r) for r in log.records] == [Odometry, Scan, ImuReading] * 3
    scan = log.scans[0]
    assert scan.sensor == pytest.approx((0.2, 0.1, 0.5))
    assert (scan.height, scan.time, scan.time_increment) == pytest.approx((0.3, 1.0, 0.001))
    assert scan.hit.tolist() == [True, False, False, False, True]
    assert log.imu[0].orientation is None
    assert log.imu[0].gyro[2] == pytest.approx(0.2)
    assert log.warnings == ()
    np.testing.assert_allclose(odometry_at_scans(log)[0], [0.5, 0.0, 0.2], atol=1e-9)  # between two readings


def test_single_files_and_folders(tmp_path):
    for kind in ("db3", "mcap"):
        writer = Bag(tmp_path / kind, kind)
        writer.scan(1.0, [1.0, 2.0, 3.0, 4.0, 5.0])
        writer.writer.close()
        file = next((tmp_path / kind).glob(f"*.{kind}"))
        assert len(read_log(file).scans) == 1
        cut = tmp_path / f"cut.{kind}"
        for size in (0, 10):
            cut.write_bytes(file.read_bytes()[:size])
            with pytest.raises(BadInput, match="cut off or damaged"):
                read_log(cut)
        cut.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
        if kind == "db3":  # the page of its scan stands in the second half
            with pytest.raises(BadInput, match="cut off or damaged"):
                read_log(cut)
        else:
            log = read_log(cut)
            assert len(log.scans) == 1
            assert any("cut.mcap: " in note and "1 messages over 0.0 s salvaged" in note for note in log.warnings)
    (tmp_path / "folder").mkdir()
    with pytest.raises(BadInput, match=r"without metadata\.yaml"):
        read_log(tmp_path / "folder")
    (tmp_path / "x.bag").write_bytes(b"#ROSBAG V2.0\nnonsense")
    with pytest.raises(BadInput, match="damaged"):
        read_log(tmp_path / "x.bag")


def test_words_for_what_a_bag_lacks(bag):
    writer, done = bag
    writer.scan(1.0, [1.0] * 5)
    log = read_log(done())
    told = " / ".join(log.warnings)
    assert "no transform" in told
    assert "--tf FILE" in told
    assert "no odometry" in told


def test_files_that_do_not_help_are_named(bag, tmp_path):
    writer, done = bag
    writer.scan(1.0, [1.0] * 5)
    frames = tmp_path / "frames.txt"
    frames.write_text("base_link camera 0 0 0.5 0 0 0\n")
    told = " / ".join(read_log(done(), LogOptions(tf=frames)).warnings)
    assert "frames.txt: has no frame laser, in which the scans are; its frames: base_link, camera" in told
    (tmp_path / "day.bag.gz").write_bytes(b"x")
    with pytest.raises(BadInput, match=r"day\.bag\.gz: is packed; unpack it first, then name .*day\.bag$"):
        read_log(tmp_path / "day.bag.gz")


def test_frames_from_a_file(bag, tmp_path):
    writer, done = bag
    writer.scan(1.0, [1.0] * 5)
    path = done()
    frames = tmp_path / "frames.txt"
    frames.write_text(
        "# parent child x y z yaw pitch roll\nbase_link mast 0 0 0.5 0 0 0\nmast laser 0.1 0 0 1.57 0 0\n"
    )
    log = read_log(path, LogOptions(tf=frames))
    assert log.scans[0].sensor == pytest.approx((0.1, 0.0, 1.57))
    assert log.scans[0].height == pytest.approx(0.5)
    assert not any("has no frame" in words for words in log.warnings)
    robot = tmp_path / "r.urdf"
    robot.write_text(
        "<robot name='r'><link name='base_link'/><link name='laser'/><joint name='j' type='fixed'>"
        "<parent link='base_link'/><child link='laser'/><origin xyz='0.4 0 0.2'/></joint></robot>"
    )
    assert read_log(path, LogOptions(tf=robot)).scans[0].sensor == pytest.approx((0.4, 0.0, 0.0))
    with pytest.raises(BadInput, match="no such frame; frames: base_link, laser, mast"):
        read_log(path, LogOptions(tf=frames, base_frame="nowhere"))
    for text, words in (("a b 1 2\n", "a line is"), ("a b 0 0 0 0 0 0 0\n", "quaternion is zero"), ("\n", "no frames")):
        frames.write_text(text)
        with pytest.raises(BadInput, match=words):
            read_log(path, LogOptions(tf=frames))


def test_odometry_from_tf_and_a_lidar_upside_down(bag):
    writer, done = bag
    writer.tf(0.0, "base_link", "laser", 0.0, 0.0, 0.0, roll=math.pi)
    for k in range(3):
        writer.tf(k + 1.0, "odom", "base_link", 1.0 * k, 0.0, 0.0, topic="/tf")
        writer.scan(k + 1.0, [1.0, 1.0, 1.0, 1.0, 2.0])
    log = read_log(done())
    assert [o.pose[0] for o in log.odometry] == pytest.approx([0.0, 1.0, 2.0])
    assert "odometry taken from tf" in " ".join(log.warnings)
    assert log.scans[0].points()[-1] == pytest.approx([2 * math.cos(-1), 2 * math.sin(-1)], abs=1e-6)


def test_broken_messages_are_left_out_and_counted(bag):
    writer, done = bag
    writer.tf(0.0, "base_link", "laser", 0.2, 0.0, 0.0)
    writer.tf(0.0, "base_link", "other", math.nan, 0.0, 0.0)
    for k in range(3):
        writer.odom(k + 0.5, math.inf if k == 1 else 1.0 * k, 0.0, 0.0)
        writer.imu(k + 0.6, math.nan if k == 1 else 0.2)
        writer.scan(k + 1.0, [1.0] * 5)
    writer.writer.write(writer.connections["/scan"], 4_000_000_000, b"\0\1\2")
    log = read_log(done())
    assert len(log.scans) == 3
    assert [o.pose[0] for o in log.odometry] == [0.0, 2.0]
    assert len(log.imu) == 2
    assert log.scans[0].sensor == pytest.approx((0.2, 0.0, 0.0))
    assert any(words.endswith(": 4 broken messages left out") for words in log.warnings)


def test_a_bag_of_broken_scans_is_refused(bag):
    writer, done = bag
    scans = writer.writer.add_connection("/scan", "sensor_msgs/msg/LaserScan", typestore=writer.store)
    for k in range(3):
        writer.writer.write(scans, k + 1, b"\0\1")
    with pytest.raises(BadInput, match=r"holds no readable scan \(3 broken messages\)"):
        read_log(done())


def test_an_inertial_unit_on_its_side_is_turned_into_the_robots_axes(bag):
    writer, done = bag
    writer.tf(0.0, "base_link", "imu_link", 0.0, 0.0, 0.5, roll=math.pi / 2)
    writer.tf(0.0, "base_link", "laser", 0.0, 0.0, 0.0)
    writer.scan(1.0, [1.0] * 5)
    writer.imu(1.1, 0.2)
    writer.imu(1.2, 0.2, attitude=(math.pi / 2, 0.0, 0.5))  # of the unit: the robot stands level, looking along x
    first, second = read_log(done()).imu
    axis = np.array([math.sin(0.5), -math.cos(0.5), 0.0])  # the unit's z, seen from the robot
    np.testing.assert_allclose(first.gyro, 0.2 * axis, atol=1e-9)
    np.testing.assert_allclose(first.acceleration, 9.81 * axis, atol=1e-9)
    assert first.orientation is None
    np.testing.assert_allclose(second.orientation, np.zeros(3), atol=1e-9)


def test_topics_by_name(bag):
    writer, done = bag
    writer.scan(1.0, [1.0] * 5, topic="/front")
    writer.scan(1.5, [1.0] * 5, topic="/front")
    writer.scan(2.0, [2.0] * 5, topic="/rear")
    path = done()
    guessed = read_log(path)
    assert len(guessed.scans) == 2
    assert "takes /front; --scan chooses another of /rear" in guessed.warnings[0]
    assert read_log(path, LogOptions(scan="rear")).scans[0].ranges[0] == 2.0
    with pytest.raises(BadInput, match="--scan /top: no such LaserScan topic; it has: /front, /rear"):
        read_log(path, LogOptions(scan="/top"))
    with pytest.raises(BadInput, match="--odom /odom: no such Odometry topic; it has: none of that type"):
        read_log(path, LogOptions(odom="/odom"))


def test_a_bag_without_scans(bag):
    writer, done = bag
    writer.odom(1.0, 0.0, 0.0, 0.0)
    with pytest.raises(BadInput, match=r"no sensor_msgs/LaserScan topic .* /odom \(Odometry\)"):
        read_log(done())


def test_text_of_a_log_is_carmen():
    log = Log("x", (Odometry(1.0, (1.0, 2.0, 0.5)), Scan(2.0, np.array([1.0, np.inf, np.nan]), -0.5, 0.5, 0.1, 9.0)))
    lines = carmen_log(log).splitlines()
    assert lines[0] == "ODOM 1.000000 2.000000 0.500000 0 0 0 1.000000 andante 1.000000"
    assert " 3 1.0000 9.0000 0.0000 0 " in lines[1]
