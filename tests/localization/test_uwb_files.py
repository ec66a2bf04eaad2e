"""Files of anchors and logs of ranges: every form, and words for what is wrong."""

import gzip
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.errors import AndanteError, BadInput
from andante.localization.io import read_uwb_log, read_uwb_setup, write_table
from andante.localization.synthetic import SETUP, uwb_drive

TEXT = """# hall
0x6902 0 0 0
anchor,0x6e7a,0,6,0
0x6e44, 8, 0, 0
0x6e6c;8;6;1.2
tag tag0 0 0 0
tag tag1 -0.3 0 0
map 1 2 0.5
"""
TOML = """map_from_uwb = [1, 2, 0.5]
[anchors]
0x6902 = [0, 0, 0]
0x6e7a = [0, 6, 0]
0x6e44 = [8, 0, 0]
0x6e6c = [8, 6, 1.2]
[tags]
tag0 = [0, 0, 0]
tag1 = [-0.3, 0, 0]
"""


def write(folder, name, text):
    path = folder / name
    path.write_text(text)
    return path


def test_every_form_of_a_setup_is_the_same(tmp_path):
    text, toml = write(tmp_path, "a.txt", TEXT), write(tmp_path, "a.toml", TOML)
    yaml = write(
        tmp_path,
        "a.yaml",
        "anchors:\n  '0x6902': [0, 0, 0]\n  '0x6e7a': [0, 6, 0]\n  '0x6e44': [8, 0, 0]\n  '0x6e6c': [8, 6, 1.2]\n"
        "tags: {tag0: [0, 0, 0], tag1: [-0.3, 0, 0]}\nmap_from_uwb: [1, 2, 0.5]\n",
    )
    setups = [read_uwb_setup(path) for path in (text, toml, yaml)]
    assert setups[0] == setups[1] == setups[2]
    assert setups[0].anchors == SETUP.anchors
    assert setups[0].map_from_uwb == (1, 2, 0.5)
    rows = [{"id": name, "x": x, "y": y, "z": z} for name, (x, y, z) in SETUP.anchors.items()]
    plain = {name: {"position": list(place)} for name, place in SETUP.anchors.items()}
    for data in (rows, plain, {"anchors": rows}):
        assert read_uwb_setup(write(tmp_path, "b.json", json.dumps(data))).anchors == SETUP.anchors
    header = write(tmp_path, "h.csv", "name,x,y,z\n0,0,0,0\n1,0,6,0\n2,8,0,0\n")
    assert list(read_uwb_setup(header).tags) == ["0"]


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.txt", "0 0 0\n", r"a.txt:1: cannot be read"),
        ("a.txt", "0 0 0 x\n", r"a.txt:1: needs three numbers"),
        ("a.txt", "", "holds no anchors"),
        ("a.txt", "0 0 0 0\n0 1 1 1\n", "comes twice"),
        ("a.txt", "0 0 0 0\n1 1 1 1\n", "at least 3 anchors"),
        ("a.toml", "anchors = 3", "needs a table 'anchors'"),
        ("a.toml", "anchors = [", "cannot be read"),
        ("a.toml", "[anchors]\n0 = [1, 2]\n", "anchor 0: needs three numbers"),
        ("a.json", '{"anchors": {}, "tags": 3}', "'tags' is a table"),
    ],
)
def test_broken_setups_are_told(tmp_path, name, text, said):
    with pytest.raises(BadInput, match=said):
        read_uwb_setup(write(tmp_path, name, text))


def test_missing_files(tmp_path):
    with pytest.raises(BadInput, match="no such file of anchors"):
        read_uwb_setup(tmp_path / "none.txt")
    with pytest.raises(BadInput, match="no such log"):
        read_uwb_log(tmp_path / "none.csv", SETUP)
    with pytest.raises(BadInput, match="UWB logs are tables"):
        read_uwb_log(write(tmp_path, "a.png", "x"), SETUP)


def test_table_round_trip(tmp_path):
    log = uwb_drive(0, 2.0).log
    for name in ("log.csv", "log.csv.gz"):
        path = tmp_path / name
        write_table(log, SETUP, tmp_path / "log.csv")
        if name.endswith("gz"):
            path.write_bytes(gzip.compress((tmp_path / "log.csv").read_bytes()))
        again = read_uwb_log(path, SETUP)
        np.testing.assert_allclose(again.ranges, log.ranges, atol=1e-4)
        assert (again.tags == log.tags).all()
        assert (again.anchors == log.anchors).all()
        assert len(again.imu) == len(log.imu)
        assert again.imu[7].gyro == pytest.approx(log.imu[7].gyro, abs=1e-5)


def test_headers_long_and_wide(tmp_path):
    rows = "0.1,tag1,0x6e44,3.5,,,,,,\n0.2,,,,0,0,0.1,0,0,9.8\n"
    long = write(tmp_path, "long.csv", "time,tag,anchor,range,gx,gy,gz,ax,ay,az\n" + rows)
    log = read_uwb_log(long, SETUP)
    assert (log.times[0], log.tags[0], log.anchors[0], log.ranges[0]) == (0.1, 1, 2, 3.5)
    assert log.imu[0].gyro == (0, 0, 0.1)
    typed = "type,timestamp_ns,anchor,distance_mm,gyro_x,gyro_y,gyro_z,acc_x,acc_y,acc_z\n"
    typed += "range,1500000000,0x6e7a,2500,,,,,,\nimu,1600000000,,,0,0,0.2,0,0,9.8\n"
    log = read_uwb_log(write(tmp_path, "typed.csv", typed), SETUP)
    assert (log.times[0], log.anchors[0], log.ranges[0]) == pytest.approx((1.5, 1, 2.5))
    assert log.imu[0].time == pytest.approx(1.6)
    head = "t,range_0x6902,d_0x6e7a_mm,range_tag1_0x6e44,note\n"
    wide = write(tmp_path, "wide.csv", head + "1,2.5,3500,4.5,x\n2,,nan,5,\n")
    log = read_uwb_log(wide, SETUP)
    assert log.ranges.tolist() == [2.5, 3.5, 4.5, 5.0]
    assert log.tags.tolist() == [0, 0, 1, 1]
    assert log.anchors.tolist() == [0, 1, 2, 2]
    assert any("left out" in note for note in log.notes)
    assert any("no IMU" in note for note in log.notes)


def test_accelerations_in_g_are_seen(tmp_path):
    path = write(tmp_path, "g.csv", "range,0,0,0x6902,3\nimu,0,0,0,0,0,0,1.0\nimu,1,0,0,0,0,0,1.0\n")
    log = read_uwb_log(path, SETUP)
    assert log.imu[0].acceleration == pytest.approx((0, 0, 9.80665))
    assert any("look like g" in note for note in log.notes)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no ranges"),
        ("speed,x\n1,2\n", "no column of times"),
        ("time,x\n1,2\n", "no column of ranges"),
        ("time,range\n1,2\n", "needs a column 'anchor'"),
        ("range,0,0,0x1,3\n", r"x.csv:1: no UWB anchor '0x1'"),
        ("range,0,7,0x6902,3\n", r"x.csv:1: no UWB tag '7'"),
        ("range,0,0,0x6902,3500\n", "look like millimeters"),
        ("range,0,0,0x6902,-1\n", "no usable range"),
        ("range,0,0,0x6902,1\nrange,x\nimu,1\nimu,2,3,4\n", "3 of 4 lines are broken"),
    ],
)
def test_broken_tables_are_told(tmp_path, text, said):
    with pytest.raises(AndanteError, match=said):
        read_uwb_log(write(tmp_path, "x.csv", text), SETUP)


@pytest.mark.parametrize("kind", ["mcap", "db3"])
def test_bags(tmp_path, kind):
    from rosbags.rosbag2 import StoragePlugin, Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    types = store.types
    log = uwb_drive(0, 1.0).log
    path = tmp_path / "bag"
    plugin = StoragePlugin.MCAP if kind == "mcap" else StoragePlugin.SQLITE3
    names, tags = list(SETUP.anchors), list(SETUP.tags)

    def header(time, frame):
        stamp = types["builtin_interfaces/msg/Time"](sec=int(time), nanosec=round((time % 1) * 1e9))
        return types["std_msgs/msg/Header"](stamp=stamp, frame_id=frame)

    with Writer(path, version=8, storage_plugin=plugin) as writer:
        topics = {}
        for time, tag, anchor, distance in zip(log.times, log.tags, log.anchors, log.ranges, strict=True):
            topic = f"/uwb/{names[anchor]}" if anchor % 2 else f"/uwb/{tags[tag]}/n_{names[anchor]}"
            if topic not in topics:
                topics[topic] = writer.add_connection(topic, "sensor_msgs/msg/Range", typestore=store)
            message = types["sensor_msgs/msg/Range"](header(time, tags[tag]), 0, 0.0, 0.0, 100.0, distance)
            writer.write(topics[topic], int(time * 1e9), store.serialize_cdr(message, "sensor_msgs/msg/Range"))
        imu = writer.add_connection("/imu/data", "sensor_msgs/msg/Imu", typestore=store)
        vector, quaternion = types["geometry_msgs/msg/Vector3"], types["geometry_msgs/msg/Quaternion"]
        for reading in log.imu:
            message = types["sensor_msgs/msg/Imu"](
                header(reading.time, "imu"), quaternion(0, 0, 0, 1), np.zeros(9), vector(*reading.gyro), np.zeros(9),
                vector(*reading.acceleration), np.zeros(9),
            )  # fmt: skip
            writer.write(imu, int(reading.time * 1e9), store.serialize_cdr(message, "sensor_msgs/msg/Imu"))
    again = read_uwb_log(path, SETUP)
    assert len(again.times) == len(log.times)
    assert len(again.imu) == len(log.imu)
    key = np.lexsort((log.anchors, log.tags, log.times))
    other = np.lexsort((again.anchors, again.tags, again.times))
    np.testing.assert_allclose(again.ranges[other], log.ranges[key], atol=1e-6)
    few = read_uwb_setup(write(tmp_path, "o.txt", "1 0 0 0\n2 0 1 0\n3 1 0 0\n"))
    with pytest.raises(BadInput, match="holds no UWB ranges"):
        read_uwb_log(path, few)


@given(st.lists(st.text(alphabet="range,imutag0123456789x.-e\n#;", max_size=40), max_size=12))
@settings(max_examples=150, deadline=None)
def test_wild_tables_are_read_or_refused(tmp_path_factory, lines):
    folder = tmp_path_factory.mktemp("wild")
    path = write(folder, "x.csv", "\n".join(lines))
    try:
        log = read_uwb_log(path, SETUP)
    except AndanteError as error:
        assert "\n" not in str(error)  # noqa: PT017
    else:
        assert np.isfinite(log.ranges).all()


def test_a_bag_that_is_none(tmp_path):
    with pytest.raises(BadInput, match="cut off or damaged"):
        read_uwb_log(write(tmp_path, "x.mcap", "nonsense"), SETUP)
