"""`andante localize` as scripts rely on it."""

import json
from dataclasses import replace

import numpy as np
import pytest

from andante.geometry import se2
from andante.localization.io import write_table
from andante.localization.synthetic import map_of_walls, uwb_drive
from andante.mapping import Scan, Trajectory
from andante.mapping.io.carmen import write_carmen
from andante.mapping.io.logs import read_log
from andante.mapping.io.map_files import save_map
from andante.mapping.io.trajectories import read_trajectory, write_trajectory
from andante.mapping.records import Log
from andante.mapping.synthetic import drive, rooms, smooth_path

ANCHORS = "0x6902 0 0 0\n0x6e7a 0 6 0\n0x6e44 8 0 0\n0x6e6c 8 6 1.2\ntag tag0 0 0 0\ntag tag1 -0.3 0 0\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a drive, its map, its true way, a UWB log, its anchors and its true way."""
    folder = tmp_path_factory.mktemp("localize")
    walls = rooms([(0, 0), (6, 0), (6, 4), (0, 4)], (2.5, 1.5, 1, 1), (4, 0, 0.3, 0.8))
    run = drive(walls, smooth_path([(1, 1), (4.8, 1.2), (5, 3.2), (1.2, 3), (1, 1.2), (3, 0.8)], 0.1))
    write_carmen(run.log, folder / "drive.clf")
    save_map(map_of_walls(walls), folder / "room")
    write_trajectory(run.truth, folder / "truth.txt")
    uwb = uwb_drive(1, 25.0)
    write_table(uwb.log, uwb.setup, folder / "uwb.csv")
    write_trajectory(uwb.truth, folder / "uwb_truth.txt")
    (folder / "anchors.txt").write_text(ANCHORS)
    return folder


def start(folder):
    x, y, yaw = read_trajectory(folder / "truth.txt").poses[0]
    return f"{x} {y} {yaw}"


def test_from_a_pose(andante, made, tmp_path):
    words = ["localize", made / "drive.clf", "--map", made / "room.yaml", "--initial-pose", start(made)]
    words += ["--reference", made / "truth.txt", "--trajectory", tmp_path / "t.txt", "--json"]
    code, out, err = andante(*words)
    told = json.loads(out)
    assert (code, err) == (0, "")
    assert told["converged"] is True
    assert {"mean", "median", "max", "within_0_5"} <= set(told["error"])
    assert told["error"]["max"] < 0.25
    assert told["error"]["within_0_5"] == 1.0
    assert 0 < told["updates"] <= told["scans"]
    assert told["rate"] > 0
    assert len(read_trajectory(tmp_path / "t.txt")) == told["scans"]
    again = json.loads(andante(*words)[1])
    assert again["pose"] == told["pose"]
    other = json.loads(andante(*words, "--seed", "3")[1])
    assert other["pose"] != told["pose"]


def test_a_reference_in_another_frame_is_told(andante, made, tmp_path):
    truth = read_trajectory(made / "truth.txt")
    write_trajectory(Trajectory(truth.times, se2.compose((2.0, 1.0, 0.5), truth.poses)), tmp_path / "elsewhere.txt")
    words = ["localize", made / "drive.clf", "--map", made / "room.yaml", "--initial-pose", start(made)]
    code, out, err = andante(*words, "--reference", tmp_path / "elsewhere.txt")
    assert code == 0
    assert "within 0.5 m 0.0 %" in out
    assert "the reference seems to be in another frame than the map: moved by x 2.0" in err
    assert "yaw 28." in err


def test_from_anywhere_in_words(andante, made):
    code, out, err = andante(
        "localize", made / "drive.clf", "--map", made / "room.yaml", "--global", "--reference", made / "truth.txt"
    )
    assert (code, err) == (0, "")
    assert " converged; last at" in out
    assert "within 0.5 m 100.0 %" in out


def test_by_ranges(andante, made):
    words = ["localize", made / "uwb.csv", "--uwb", made / "anchors.txt", "--reference", made / "uwb_truth.txt"]
    code, out, err = andante(*words, "--json")
    told = json.loads(out)
    assert (code, err) == (0, "")
    assert told["converged"] is True
    assert told["error"]["mean"] < 0.8 * told["trilateration"]["mean"]
    code, out, _ = andante(*words)
    assert "plain trilateration: mean" in out


def test_parameters(andante, made, tmp_path):
    (tmp_path / "p.toml").write_text('sensor_model = "likelihood_field"\nparticles_max = 700\n')
    words = ["localize", made / "drive.clf", "--map", made / "room.yaml", "--initial-pose", start(made)]
    told = json.loads(andante(*words, "--params", tmp_path / "p.toml", "--json")[1])
    assert told["particles"]["max"] == 700
    assert "error" not in told
    (tmp_path / "u.toml").write_text("height = -0.8\nrange_sigma = 0.08\n")
    words = ["localize", made / "uwb.csv", "--uwb", made / "anchors.txt", "--params", tmp_path / "u.toml", "--json"]
    assert json.loads(andante(*words)[1])["converged"] is True


def test_a_start_off_the_map_and_scans_without_echoes_are_told(andante, made, tmp_path):
    log = read_log(made / "drive.clf")
    scans = 0
    records = []
    for record in log.records[:90]:
        blank = isinstance(record, Scan) and (scans := scans + 1) in (7, 13)
        records.append(replace(record, ranges=np.full(len(record.ranges), np.inf)) if blank else record)
    write_carmen(Log("empty", tuple(records)), tmp_path / "empty.clf")
    code, _, err = andante(
        "localize", tmp_path / "empty.clf", "--map", made / "room.yaml", "--initial-pose", "90 90 0", "--json"
    )
    assert code == 0
    assert "lies outside the known area of the map" in err
    assert "2 scans had too few echoes" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["drive.clf"], "needs a map"),
        (["drive.clf", "--map", "room.yaml"], "no start is given"),
        (["drive.clf", "--map", "room.yaml", "--global", "--initial-pose", "0 0 0"], "exclude each other"),
        (["drive.clf", "--map", "room.yaml", "--initial-pose", "0 0"], 'is "x y yaw"'),
        (["drive.clf", "--map", "room.yaml", "--initial-pose", "0 nan 0"], "in meters and radians"),
        (["uwb.csv", "--uwb", "anchors.txt", "--global"], "belongs to a map"),
        (["none.clf", "--map", "room.yaml", "--global"], "no such log"),
        (["drive.clf", "--map", "none.yaml", "--global"], "no such map file"),
        (["drive.clf", "--map", "broken.yaml", "--global"], "broken.yaml"),
        (["drive.clf", "--map", "room.yaml", "--global", "--reference", "none.txt"], "no such reference"),
        (["drive.clf", "--map", "room.yaml", "--global", "--reference", "later.txt"], "do not overlap in time"),
        (["drive.clf", "--map", "room.yaml", "--global", "--params", "bad.toml"], "no localization parameter 'speed'"),
        (["uwb.csv", "--uwb", "anchors.txt", "--params", "bad.toml"], "no UWB parameter 'speed'"),
        (["uwb.csv", "--uwb", "none.txt"], "no such file of anchors"),
        (["drive.clf", "--map", "room.yaml", "--global", "--trajectory", "t.png"], "t.png"),
        (["drive.clf", "--map", "room.yaml", "--global", "--trajectory", "drive.clf"], "overwritten"),
    ],
)
def test_bad_input(andante, made, monkeypatch, words, said):
    monkeypatch.chdir(made)
    (made / "bad.toml").write_text("speed = 3\n")
    (made / "later.txt").write_text("99999 0 0 0\n")
    (made / "broken.yaml").write_text("image: room.pgm\nresolution: -1\norigin: [0, 0, 0]\n")
    before = sorted(path.name for path in made.iterdir())
    code, out, err = andante("localize", *words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert sorted(path.name for path in made.iterdir()) == before


def test_tags_tell_the_start(andante, made, tmp_path):
    """A bag with scans, odometry and ranges: no initial pose is needed, and the drive aligns the frames."""
    bag = pytest.importorskip("rosbags.rosbag2")
    from rosbags.typesys import Stores, get_typestore

    walls = rooms([(0, 0), (6, 0), (6, 4), (0, 4)], (2.5, 1.5, 1, 1), (4, 0, 0.3, 0.8))
    run = drive(walls, smooth_path([(1, 1), (4.8, 1.2), (5, 3.2), (1.2, 3)], 0.1))
    anchors = np.array([[0, 0, 0], [0, 4, 0], [6, 0, 0], [6, 4, 2.0]])
    store = get_typestore(Stores.ROS2_HUMBLE)
    types, rng = store.types, np.random.default_rng(0)

    def header(time, frame):
        stamp = types["builtin_interfaces/msg/Time"](sec=int(time), nanosec=round((time % 1) * 1e9))
        return types["std_msgs/msg/Header"](stamp=stamp, frame_id=frame)

    with bag.Writer(tmp_path / "bag", version=8) as writer:

        def put(topic, kind, time, message, made={}):  # noqa: B006
            if topic not in made:
                made[topic] = writer.add_connection(topic, kind, typestore=store)
            writer.write(made[topic], int(time * 1e9), store.serialize_cdr(message, kind))

        point, quaternion = types["geometry_msgs/msg/Point"], types["geometry_msgs/msg/Quaternion"]
        zero = types["geometry_msgs/msg/Vector3"](0, 0, 0)
        twist = types["geometry_msgs/msg/TwistWithCovariance"](
            types["geometry_msgs/msg/Twist"](zero, zero), np.zeros(36)
        )
        truth = run.truth.poses
        for k, (scan, odom) in enumerate(zip(run.log.scans, run.log.odometry, strict=True)):
            x, y, yaw = odom.pose
            pose = types["geometry_msgs/msg/Pose"](point(x, y, 0), quaternion(0, 0, np.sin(yaw / 2), np.cos(yaw / 2)))
            held = types["geometry_msgs/msg/PoseWithCovariance"](pose, np.zeros(36))
            kind = "nav_msgs/msg/Odometry"
            put("/odom", kind, scan.time, types[kind](header(scan.time, "odom"), "base_link", held, twist))
            kind = "sensor_msgs/msg/LaserScan"
            ranges = scan.ranges.astype(np.float32)
            put(
                "/scan", kind, scan.time,
                types[kind](
                    header(scan.time, "base_link"), scan.angle_min, scan.angle_min + scan.angle_increment * 179,
                    scan.angle_increment, 0.0, 0.2, 0.05, 12.0, ranges, np.zeros(0, np.float32),
                ),
            )  # fmt: skip
            c, s = np.cos(truth[k, 2]), np.sin(truth[k, 2])
            for tag, lever in (("tag0", 0.0), ("tag1", -0.3)):
                at = np.array([truth[k, 0] + lever * c, truth[k, 1] + lever * s, 0.2])
                for name, anchor in enumerate(anchors):
                    far = float(np.linalg.norm(at - anchor)) + 0.03 * rng.standard_normal()
                    kind = "sensor_msgs/msg/Range"
                    message = types[kind](header(scan.time, tag), 0, 0.0, 0.0, 100.0, far)
                    put(f"/uwb/{tag}/{name}", kind, scan.time, message)
    rows = "".join(f"{k} {x} {y} {z}\n" for k, (x, y, z) in enumerate(anchors))
    (tmp_path / "a.txt").write_text(rows + "tag tag0 0 0 0\ntag tag1 -0.3 0 0\n")
    words = ["localize", tmp_path / "bag", "--map", made / "room.yaml", "--uwb", tmp_path / "a.txt", "--json"]
    code, out, err = andante(*words)
    told = json.loads(out)
    assert code == 0
    assert "anchors are taken to be given on the map" in err
    assert told["converged"] is True
    assert np.hypot(*(np.array(told["pose"]) - truth[-1])[:2]) < 0.15
    assert np.abs(told["map_from_uwb"]["pose"]).max() < 0.1
