"""Hostile input to the command line: one clear line, exit 2, nothing written; odd files of people are read."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

MASS = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>"
BOX = "<collision><geometry><box size='1 1 1'/></geometry></collision>"
ROBOT = f"<robot name='r'><link name='a'>{MASS}{BOX}</link></robot>"


@pytest.fixture(autouse=True)
def empty_folder(monkeypatch, tmp_path):
    """Every test stands in an empty folder, and leaves signals as they were."""
    monkeypatch.chdir(tmp_path)
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def refused(outcome: tuple[int, str, str], *words: str) -> None:
    code, out, err = outcome
    assert (code, out) == (2, ""), err
    assert err.startswith("andante: ")
    assert err.count("\n") == 1
    for word in words:
        assert word in err


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--record", "x.csv", "--video", "x.avi"), "x.avi: videos are written as .mp4, .gif or .webp"),
        (("--record", "x.csv", "--picture", "x.tiff"), "x.tiff: pictures are written as"),
        (("--video", "x.webp", "--picture", "x.webp"), "asked for twice"),
        (("--record", "folder.csv"), "folder.csv is a folder"),
        (("--picture", "folder.png"), "folder.png is a folder"),
        (("--drop", "1e308"), "drop must be a height between 0 and"),
        (("--push", "1e308 forward 0.1"), "N·s direction time"),
    ],
)
def test_what_a_run_shall_write_is_checked_before_it_starts(andante, tmp_path, words, said):
    (tmp_path / "r.urdf").write_text(ROBOT)
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "folder.png").mkdir()
    before = names(tmp_path)
    refused(andante("sim", "r.urdf", "--seconds", "0.1", *words), said)
    assert names(tmp_path) == before


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("folder.urdf", "folder.urdf is a folder"),
        ("pipe.urdf", "pipe.urdf is not a regular file"),
        ("zero.urdf", "zero.urdf is not a regular file"),
        ("loop.urdf", "loop.urdf"),
        ("x" * 5000 + ".urdf", "5005 characters"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="no pipes and devices in folders there")
def test_what_is_no_plain_file_is_named_for_what_it_is(andante, tmp_path, name, said):
    (tmp_path / "folder.urdf").mkdir()
    os.mkfifo(tmp_path / "pipe.urdf")
    (tmp_path / "zero.urdf").symlink_to("/dev/zero")
    (tmp_path / "loop.urdf").symlink_to("loop.urdf")
    refused(andante("check", name), said)


def test_convert_never_overwrites_its_input(andante, tmp_path):
    (tmp_path / "r.urdf").write_text(ROBOT)
    (tmp_path / "same.urdf").symlink_to("r.urdf")
    refused(andante("convert", "r.urdf", "r.urdf"), "is the file to convert itself")
    refused(andante("convert", "r.urdf", "same.urdf"), "is the file to convert itself")
    refused(andante("convert", "r.urdf", "o.sdf", "--meshes", "r.urdf"), "is not a folder")
    assert (tmp_path / "r.urdf").read_text() == ROBOT
    assert names(tmp_path) == ["r.urdf", "same.urdf"]


def test_names_with_brackets_are_printed_as_they_are(andante, tmp_path):
    for name in ("[bold]x[/]", "[/nope]"):
        (tmp_path / "r.urdf").write_text(ROBOT.replace("'r'", f"'{name}'"))
        code, out, err = andante("check", "r.urdf")
        assert (code, err) == (0, "")
        assert out.startswith(f"{name} (robot)")
        code, out, _ = andante("sim", "r.urdf", "--seconds", "0.01")
        assert code == 0
        assert f"{name} in empty on mujoco" in out


def test_a_mesh_cannot_be_scaled_out_of_all_bounds(andante, tmp_path):
    (tmp_path / "t.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    refused(andante("mesh", "t.obj", "o.stl", "--scale", "1e300"), "smaller factor")
    assert names(tmp_path) == ["t.obj"]


def test_an_obj_with_foreign_letters_in_comments_is_read(andante, tmp_path):
    (tmp_path / "t.obj").write_bytes(
        b"# K\xf6rper\nmtllib t.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    (tmp_path / "t.mtl").write_bytes(b"# gr\xfcn\nnewmtl g\nKd 0 1 0\n")
    code, out, err = andante("mesh", "t.obj", "o.stl", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out)["files"][0]["faces"] == 4


def test_mjcf_without_a_body_is_a_world(andante, tmp_path):
    (tmp_path / "ground.xml").write_text("<mujoco><worldbody><geom type='plane' size='1 1 1'/></worldbody></mujoco>")
    code, out, _ = andante("check", "ground.xml", "--json")
    assert code == 0
    assert json.loads(out)["kind"] == "world"
    assert andante("convert", "ground.xml", "ground.sdf")[0] == 0
    refused(andante("sim", "ground.xml"), "no robot")


@pytest.mark.parametrize("engine", ["mujoco", "bullet", "dart", "ode"])
def test_missing_meshes_only_matter_where_they_are_touched(andante, tmp_path, engine):
    mesh = "<geometry><mesh filename='package://nope/x.dae'/></geometry>"
    (tmp_path / "v.urdf").write_text(ROBOT.replace(BOX, f"<visual>{mesh}</visual>{BOX}"))
    (tmp_path / "c.urdf").write_text(ROBOT.replace(BOX, f"<collision>{mesh}</collision>").replace(MASS, ""))
    code, out, err = andante("sim", "v.urdf", "--seconds", "0.01", "--engine", engine, "--json")
    assert (code, err) == (0, "")
    problem = json.loads(out)["problems"][0]
    assert set(problem) == {"severity", "where", "message"}
    assert (problem["severity"], problem["where"]) == ("warning", "v.urdf:1")
    assert "visual mesh 'package://nope/x.dae' not found" in problem["message"]
    refused(andante("sim", "c.urdf", "--engine", engine), "c.urdf:1: link 'a' of 'r': collision mesh", "was not found")


def test_missing_visuals_are_left_out_of_pictures_and_mjcf(andante, tmp_path):
    visual = "<visual><geometry><mesh filename='nope.dae'/></geometry></visual>"
    (tmp_path / "v.urdf").write_text(ROBOT.replace(BOX, visual + BOX))
    assert andante("sim", "v.urdf", "--seconds", "0.01", "--picture", "p.png", "--json")[0] == 0
    code, out, _ = andante("convert", "v.urdf", "v.xml")
    assert code == 0
    assert "visual mesh 'nope.dae' was not found and is left out" in out
    assert names(tmp_path) == ["p.png", "v.urdf", "v.xml"]


@pytest.mark.parametrize("engine", ["mujoco", "dart", "ode"])  # Bullet bounds every velocity
def test_what_is_out_of_bounds_ends_with_one_line(andante, tmp_path, engine):
    (tmp_path / "w.sdf").write_text(
        "<sdf version='1.7'><world name='w'><gravity>0 0 -9e8</gravity></world></sdf>"  # 4e8 m deep after a second
    )
    (tmp_path / "r.urdf").write_text(ROBOT)
    code, out, err = andante("sim", "r.urdf", "--world", "w.sdf", "--seconds", "1", "--engine", engine)
    refused((code, out, err), engine, "'r' flew apart", "smaller step")


@pytest.mark.engine("dart")
def test_a_joint_out_of_reach_does_not_end_the_process(andante, tmp_path):
    far = "<joint name='j' type='continuous'><parent link='a'/><child link='b'/><origin xyz='1e9 0 0'/></joint>"
    (tmp_path / "r.urdf").write_text(f"<robot name='r'>{''.join(_link(n) for n in 'ab')}{far}</robot>")
    refused(andante("sim", "r.urdf", "--engine", "dart", "--seconds", "0.1"), "poses up to 1e+07 m")


def _link(name: str) -> str:
    return f"<link name='{name}'>{MASS}{BOX}</link>"


def test_endless_chains_of_joints_are_refused_at_once(andante, tmp_path):
    count = 1200
    links = "".join(f"<link name='l{i}'>{MASS}</link>" for i in range(count))
    joints = "".join(
        f"<joint name='j{i}' type='continuous'><parent link='l{i}'/><child link='l{i + 1}'/></joint>"
        for i in range(count - 1)
    )
    (tmp_path / "r.urdf").write_text(f"<robot name='r'>{links}{joints}</robot>")
    refused(andante("sim", "r.urdf"), "1199 joints that move; up to 1000")


def test_a_crowd_of_models_fits_into_mujoco(andante, tmp_path):
    box = "<collision name='c'><geometry><box><size>.1 .1 .1</size></box></geometry></collision>"
    models = "".join(
        f"<model name='m{i}'><static>1</static><pose>{i} 0 0 0 0 0</pose><link name='l'>{box}</link></model>"
        for i in range(2800)
    )
    (tmp_path / "w.sdf").write_text(f"<sdf version='1.7'><world name='w'>{models}</world></sdf>")
    (tmp_path / "r.urdf").write_text(ROBOT)
    code, _, err = andante("sim", "r.urdf", "--world", "w.sdf", "--seconds", "0.004", "--json")
    assert (code, err) == (0, "")


def test_benchmarks_need_a_time(andante):
    for seconds in ("nan", "-1", "0", "inf"):
        refused(andante("bench", "--seconds", seconds), "seconds should be a time")


def start(folder: Path, *words: str, **more) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "andante", *words],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more,
    )  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="other signals there")
@pytest.mark.parametrize(
    ("number", "record", "more"),
    [
        (signal.SIGINT, "a.csv", ("--video", "a.mp4", "--realtime")),
        (signal.SIGTERM, "a.mcap", ()),
        (signal.SIGKILL, "a.csv", ("--realtime",)),
        (signal.SIGKILL, "a.mcap", ()),
    ],
)
def test_a_stopped_run_leaves_a_readable_recording_and_no_half_film(tmp_path, number, record, more):
    (tmp_path / "r.urdf").write_text(ROBOT)
    run = start(tmp_path, "sim", "r.urdf", "--seconds", "100000", "--json", "--record", record, *more)
    try:
        _wait_for_bytes(tmp_path / record, 300 if record == "a.csv" else 32 * 1024)
    finally:
        run.send_signal(number)
        try:
            said = run.communicate(timeout=30)
        finally:
            run.kill()
    if number != signal.SIGKILL:
        assert (run.returncode, *said) == (128 + number, "", "andante: stopped\n")
    assert names(tmp_path) == [record, "r.urdf"]
    if record == "a.csv":
        rows = (tmp_path / record).read_text().splitlines()
        assert len(rows) > 2
        assert {row.count(",") for row in rows} == {7}
    else:
        messages, whole = _messages(tmp_path / record)
        assert messages > 100
        assert whole == (number != signal.SIGKILL)


def _messages(path: Path) -> tuple[int, bool]:
    """How many messages a log gives, and whether it has its end."""
    from mcap.exceptions import EndOfFile
    from mcap.records import Message
    from mcap.stream_reader import StreamReader

    count = 0
    with path.open("rb") as file:
        try:
            for record in StreamReader(file, emit_chunks=False).records:
                count += isinstance(record, Message)
        except EndOfFile:
            return count, False
    return count, True


def _wait_for_bytes(path: Path, count: int) -> None:
    _wait(lambda: path.exists() and path.stat().st_size >= count)


def _wait(ready) -> None:
    for _ in range(600):
        if ready():
            return
        time.sleep(0.05)
    raise AssertionError("the run did not begin")


def test_output_that_cannot_be_spelt_or_written_is_no_traceback(tmp_path):
    (tmp_path / "r.urdf").write_text(ROBOT.replace("'r'", "'rö机'"), encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    plain = start(tmp_path, "check", "r.urdf", env=environment)
    out, err = plain.communicate(timeout=30)
    assert (plain.returncode, err) == (0, "")
    assert out.startswith("r\\xf6\\u673a (robot)")
    if sys.platform != "win32":
        closed = subprocess.run(
            f"'{sys.executable}' -m andante check r.urdf --json >&-",
            shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=30, check=False,
        )  # fmt: skip
        assert (closed.returncode, closed.stderr) == (0, "")
