"""What the fuzzing has found, each as one line now: launch files, recordings, tables, stores."""

import json
import zlib

import numpy as np
import pytest

from andante.errors import BadInput
from andante.experiments import Experiment, Measure
from andante.experiments.importing import import_trials
from andante.experiments.reference import parse_reference
from andante.experiments.table import row_of
from andante.motion.io.recordings import BASE, read_recording
from andante.runtime.live.launch_file import read_launch
from andante.search.folder import StudyFolder
from andante.search.record import Record, from_line, to_line

SLIDE = Experiment("slide", "parity", {"scene": ("sliding",), "dt": (0.001, 0.002)}, {"off": Measure("off", "m")})
FIGURES = {"measures": {"off": 0.1}, "path": [[0, 0, 0, 0]], "trial_seed": 3}
PARAMETERS = {"engine": "mujoco", "scene": "sliding", "dt": 0.001, "trial": 0}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"seed = " + b"9" * 5000, "4300 digits"),
        (b"seed = " + b"9" * 400, "1329 bits"),
        (b"place = " + b"[" * 5000 + b"]" * 5000, "nested too deeply"),
        (b"robot = '\xff'", "decode"),
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
    with pytest.raises(BadInput, match="not an MCAP log that can be read"):
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
