"""What the fuzzing has found, each as one line now: launch files, recordings, tables, stores, logs, far places."""

import gzip
import json
import math
import warnings
import zlib

import numpy as np
import pytest

from andante.errors import BadInput
from andante.experiments import Experiment, Measure
from andante.experiments.importing import import_trials
from andante.experiments.reference import parse_reference
from andante.experiments.table import row_of
from andante.motion.io.recordings import BASE, read_recording
from andante.search.folder import StudyFolder
from andante.search.record import Record, from_line, to_line
from andante.session.launch_file import read_launch

SLIDE = Experiment("slide", "parity", {"scene": ("sliding",), "dt": (0.001, 0.002)}, {"off": Measure("off", "m")})
FIGURES = {"measures": {"off": 0.1}, "path": [[0, 0, 0, 0]], "trial_seed": 3}
PARAMETERS = {"engine": "mujoco", "scene": "sliding", "dt": 0.001, "trial": 0}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"seed = " + b"9" * 5000, "4300 digits"),
        (b"seed = " + b"9" * 400, "1329 bits"),
        (b"place = " + b"[" * 5000 + b"]" * 5000, "nested too deeply"),
        (b"robot = '\xff'", "not a text in UTF-8"),
        (b".".join([b"a"] * 50_000) + b" = 1", "a key of more than 100 parts"),
    ],
)
def test_launch_files(text, said, tmp_path):
    (tmp_path / "l.toml").write_bytes(text)
    with pytest.raises(BadInput, match=said):
        read_launch(tmp_path / "l.toml")


def test_recordings_with_a_cell_too_large(tmp_path):
    head = f"time,{','.join(BASE)},a\n".encode()
    (tmp_path / "r.csv").write_bytes(head + b"0," * 8 + b"x" * 200_000 + b"\n" + b"0," * 8 + b"0\n")
    with pytest.raises(BadInput, match="not a table"):
        read_recording(tmp_path / "r.csv")


def test_recordings_of_damaged_messages(tmp_path):
    from mcap.writer import Writer

    path = tmp_path / "r.mcap"
    with path.open("wb") as file:
        writer = Writer(file)
        writer.start(profile="ros2", library="test")
        schema = writer.register_schema("sensor_msgs/msg/JointState", "ros2msg", b"")
        channel = writer.register_channel("/joint_states", "cdr", schema)
        writer.add_message(channel, 0, b"\0\1\0\0" + b"\0" * 12, 0)
        writer.finish()
    with pytest.raises(BadInput, match=r"JointState that can be read on /joint_states \(1 are broken\)"):
        read_recording(path)


def test_references_of_another_encoding(tmp_path, monkeypatch):
    monkeypatch.setenv("ANDANTE_REFERENCES", str(tmp_path / "kept"))
    (tmp_path / "t.csv").write_bytes("scene,dt,off,größe\n".encode("latin-1"))
    with pytest.raises(BadInput, match="not a text in UTF-8"):
        import_trials(tmp_path / "t.csv", "x", SLIDE)
    assert not (tmp_path / "kept").exists()


def test_references_with_quotes_over_lines():
    with pytest.raises(BadInput, match="runs over several lines"):
        list(parse_reference('scene,dt,off\nsliding,0.001,"1\n2"\n', SLIDE))
    with pytest.raises(BadInput, match="not a table"):
        list(parse_reference("scene,dt,off\nsliding,0.001," + "1" * 200_000 + "\n", SLIDE))


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("index", "3"),
        ("index", True),
        ("seed", 1.5),
        ("parameters", [1]),
        ("fitness", "good"),
        ("fitness", float("inf")),
        ("figures", None),
        ("error", 3),
    ],
)
def test_records_of_another_kind(entry, value):
    line = to_line(Record(3, 7, {"x": 1.0}, 2.5))
    assert from_line(line).fitness == 2.5
    table = {name: held for name, held in json.loads(line).items() if name != "crc"} | {entry: value}
    body = json.dumps(table).encode()
    with pytest.raises(ValueError, match=entry):
        from_line(b'{"crc":"%08x",%s\n' % (zlib.crc32(body), body[1:]))
    with pytest.raises(ValueError, match="missing"):
        from_line(b'{"crc":"%08x","index": 1}\n' % zlib.crc32(b'{"index": 1}'))


@pytest.mark.parametrize(
    "change",
    [
        {"parameters": {"engine": "mujoco"}},
        {"parameters": {**PARAMETERS, "trial": "first"}},
        {"figures": {**FIGURES, "measures": [1]}},
        {"figures": {**FIGURES, "measures": {"off": "far"}}},
        {"figures": {**FIGURES, "path": [[1, 2], [3]]}},
    ],
)
def test_trials_that_are_none(change):
    sound = {"index": 4, "seed": 1, "parameters": PARAMETERS, "fitness": 1.0, "figures": FIGURES}
    row = row_of(Record(**sound), SLIDE)
    assert (row.source, row.measures, row.seed) == ("mujoco", {"off": 0.1}, 3)
    np.testing.assert_array_equal(row.path, FIGURES["path"])
    with pytest.raises(BadInput, match="trial 4 in the results is none of slide"):
        row_of(Record(**{**sound, **change}), SLIDE)


@pytest.mark.parametrize(
    "sessions",
    [
        "x",
        [1],
        [{"started": 1.0}],
        [{"started": "now", "ended": None, "first": 0}],
        [{"started": 0, "ended": 1, "first": 0}],
    ],
)
def test_manifests_with_other_sessions(sessions, tmp_path):
    (tmp_path / "manifest.json").write_text(json.dumps({"fingerprint": "x", "sessions": sessions}))
    with pytest.raises(BadInput, match="missing or damaged"):
        StudyFolder(tmp_path, None).manifest()


@pytest.fixture
def no_warnings():
    """Numbers that overflow on the way are a mistake, told or not."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.usefixtures("no_warnings")
@pytest.mark.parametrize("value", ["1e308", "-1e308", "1e10", "nan"])
def test_numbers_of_a_drive_beyond_belief(tmp_path, value):
    from andante.mapping.io.logs import read_log
    from andante.mapping.io.trajectories import read_trajectory
    from andante.mapping.records import Odometry

    scan = "FLASER 3 1 2 3 {x} 0 0 {x} 0 0 {t} h {t}\n"
    (tmp_path / "a.log").write_text(scan.format(x=0, t=1) + scan.format(x=value, t=2) + scan.format(x=1, t=3))
    log = read_log(tmp_path / "a.log")
    assert [record.pose[0] for record in log.odometry] == [0.0, 1.0]
    assert "1 broken lines" in log.warnings[0]
    with pytest.raises(BadInput, match=r"odometry must be finite numbers, places within 1e[+]09 m"):
        Odometry(0.0, (0.0, float(value), 0.0))
    if value != "1e10":  # which stamps may be
        (tmp_path / "a.tum").write_text(f"0 0 0 0 0 0 {value} 1\n")
        with pytest.raises(BadInput, match=r"a.tum:1: a number is not finite, or beyond"):
            read_trajectory(tmp_path / "a.tum")
    (tmp_path / "a.tum").write_text("1403636579763555584 0 0 0 0 0 0 1\n")  # stamps in nanoseconds
    assert read_trajectory(tmp_path / "a.tum").times == 1403636579763555584


@pytest.mark.usefixtures("no_warnings")
def test_inertial_readings_and_ranges_beyond_belief(tmp_path):
    from andante.localization.io import read_uwb_log
    from andante.localization.synthetic import SETUP

    lines = [f"range,0,0,0x6902,{value}" for value in ("3", "1e308", "4", "5", "inf", "3")]
    lines += [
        f"imu,{k},0,0,{turn},0,0,{force}" for k, (turn, force) in enumerate([(0, 9.8), (1e308, 9.8), (0, -1e308)])
    ]
    (tmp_path / "u.csv").write_text("\n".join(lines) + "\n")
    log = read_uwb_log(tmp_path / "u.csv", SETUP)
    np.testing.assert_array_equal(log.ranges, [3, 4, 5, 3])
    assert [reading.acceleration for reading in log.imu] == [(0.0, 0.0, 9.8)]
    assert "2 broken lines" in log.notes[0]
    assert "2 ranges" in log.notes[1]
    (tmp_path / "w.csv").write_text("time_ns,0x6902\n1403636579763555584,3.0\n")
    assert read_uwb_log(tmp_path / "w.csv", SETUP).times[0] == pytest.approx(1403636579.763555)


@pytest.mark.usefixtures("no_warnings")
@pytest.mark.parametrize("x", [1e308, -1e300, 1e8, math.nan])
def test_places_too_far_for_maps(x):
    from andante.mapping.grid import LogOddsGrid
    from andante.navigation.costmap import FARTHEST, Costmap
    from andante.navigation.planners import checked_pose

    with pytest.raises(BadInput, match=r"the goal must be x, y, yaw as finite numbers .* within 1e[+]07 m"):
        checked_pose("goal", [x, 0.5, 0.0])
    costmap = Costmap(0.05, (0.0, 0.0, 0.5), np.zeros((4, 4), np.uint8), np.zeros((4, 4), np.float32))
    with pytest.raises(BadInput, match="a place must be finite numbers x, y within"):
        costmap.cell_of((x, 0.5))
    assert costmap.cell_of((0.0, FARTHEST))[0] > 4
    with pytest.raises(BadInput, match=r"too far for cells|finite points|would grow|reaches over"):
        LogOddsGrid().add((0.0, 0.0), [[x, 1.0]])


def test_keys_at_the_end_of_time():
    from andante.motion.keyframes import Key, Keyframes

    with pytest.raises(BadInput, match=r"key 2 of 'nod' needs a time from 0 to 1e[+]06 s, got 1e[+]308"):
        Keyframes("nod", (Key(0.0, {"a": 0.0}), Key(1e308, {"a": 1.0})))


SPINNER = """<sdf version="1.9" xmlns:andante="urn:andante"><model name="m"><link name="a"/><link name="b"/>
<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis>
<andante:joint armature="{}"/></joint></model></sdf>"""


def test_rotors_of_negative_inertia(tmp_path):
    from andante.description.io.open import read_robot

    (tmp_path / "r.sdf").write_text(SPINNER.format(0.5))
    assert read_robot(tmp_path / "r.sdf").joints[0].dynamics.armature == 0.5
    (tmp_path / "r.sdf").write_text(SPINNER.format(-0.5))
    made = read_robot(tmp_path / "r.sdf")  # the odd value is left out, and told
    assert made.joints[0].dynamics.armature == 0.0
    assert any("armature must be >= 0, got -0.5" in problem.message for problem in made.problems)


def test_seeds_below_zero():
    import andante as an

    with pytest.raises(BadInput, match=r"a seed is a whole number from 0 .*, got -1"):
        an.simulate("waffle", seed=-1, sensors=True)


@pytest.mark.usefixtures("no_warnings")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a 0 0 0\nb 1e308 0 0\nc 0 1 0\n", "anchor b needs x y z as finite numbers up to 1e[+]09"),
        ("a 0 0 0\nb 1 0 0\nc 0 1 0\nmap 1 2 -1e308\n", "map_from_uwb needs x, y, yaw as finite numbers up to"),
    ],
)
def test_anchors_beyond_belief(tmp_path, text, said):
    from andante.localization.io import read_uwb_setup

    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(BadInput, match=f"a.txt: {said}"):
        read_uwb_setup(tmp_path / "a.txt")


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\v", "\u2028".encode()])
def test_logs_of_nothing_but_line_ends(tmp_path, monkeypatch, ending):
    from andante.mapping.io import carmen

    monkeypatch.setattr(carmen, "MOST_LINES", 10)
    (tmp_path / "a.log").write_bytes(b"x" + ending * 5)
    assert carmen.read_lines(tmp_path / "a.log")[0] == "x"
    (tmp_path / "a.log.gz").write_bytes(gzip.compress(b"x" + ending * 11))
    with pytest.raises(BadInput, match="more than 10 lines"):
        carmen.read_lines(tmp_path / "a.log.gz")
