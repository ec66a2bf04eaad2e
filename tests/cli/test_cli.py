"""The command line as scripts rely on it: JSON, exit codes, one-line errors, nothing half-written."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def test_listings(andante):
    for command, key, some in (
        ("robots", "robots", "nao"),
        ("worlds", "worlds", "lab"),
        ("engines", "engines", "mujoco"),
    ):
        code, out, _ = andante(command, "--json")
        assert code == 0
        assert some in [row["name"] for row in json.loads(out)[key]]
        code, out, _ = andante(command)
        assert code == 0
        assert some in out


def test_check_json_and_exit_codes(andante, tmp_path):
    code, out, err = andante("check", "nao", "--json")
    data = json.loads(out)
    assert (code, err) == (0, "")
    assert data["name"] == "nao"
    assert data["mass"] == pytest.approx(5.19535, abs=1e-3)
    assert {"links", "joints", "problems"} <= set(data)
    bad = tmp_path / "bad.urdf"
    bad.write_text("<robot name='r'><link name='a'/><link name='a'/></robot>")
    code, out, _ = andante("check", bad, "--json")
    assert code == 1
    problem = json.loads(out)["problems"][0]
    assert problem["severity"] == "error"
    assert problem["where"] == f"{bad}:1"
    code, out, err = andante("check", tmp_path / "missing.urdf", "--json")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "missing.urdf" in err


def test_fuel_models_of_a_folder_for_any_command(andante, tmp_path, monkeypatch):
    monkeypatch.setenv("GZ_FUEL_CACHE", "")
    folder = tmp_path / "cache" / "crate"
    folder.mkdir(parents=True)
    (folder / "model.sdf").write_text('<sdf version="1.6"><model name="crate"><link name="planks"/></model></sdf>')
    world = tmp_path / "w.sdf"
    uri = "https://fuel.gazebosim.org/1.0/Someone/models/Crate"
    world.write_text(f'<sdf version="1.6"><world name="w"><include><uri>{uri}</uri></include></world></sdf>')
    cache = tmp_path / "cache"
    for words in (("check", world, "--fuel-cache", cache), (f"--fuel-cache={cache}", "check", world)):
        code, out, _ = andante(*words, "--json")
        assert code == 0
        assert "no local cache" not in out
    code, out, err = andante("check", world, "--fuel-cache", tmp_path / "nowhere")
    assert (code, out) == (2, "")
    assert "--fuel-cache" in err
    monkeypatch.setenv("GZ_FUEL_CACHE", "")
    code, out, _ = andante("check", world, "--json")
    assert code == 0
    assert "no local cache" in out


def test_sim_json_holds_the_contract(andante):
    code, out, err = andante("sim", "nao", "--seconds", "0.5", "--json")
    assert (code, err) == (0, "")
    data = json.loads(out)
    assert data["engine"] == "mujoco"
    assert data["seconds"] == pytest.approx(0.5)
    assert data["steps"] == 250
    assert len(data["base"]) == 7
    assert data["fallen"] is False
    assert data["real_time_factor"] > 0


def test_a_fixed_base_hangs_where_it_is(andante):
    code, out, _ = andante("sim", "nao", "--fixed", "--drop", "0.3", "--seconds", "0.3", "--json")
    assert code == 0
    assert json.loads(out)["base"][2] > 0.6


def test_sim_push_drop_record_video_picture(andante, tmp_path):
    csv, film, picture = tmp_path / "run.csv", tmp_path / "run.mp4", tmp_path / "end.png"
    code, out, err = andante(
        "sim", "nao", "--seconds", "0.4", "--drop", "0.02", "--push", "0.2 left 0.1",
        "--record", csv, "--video", film, "--picture", picture, "--json",
    )  # fmt: skip
    assert code == 0, err
    rows = csv.read_text().splitlines()
    assert rows[0].startswith("time,x,y,z,qx,qy,qz,qw,")
    assert len(rows) == 1 + 21
    assert film.stat().st_size > 1000
    assert picture.read_bytes()[:4] == b"\x89PNG"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["end.png", "run.csv", "run.mp4"]
    assert json.loads(out)["fallen"] is False


def test_recorded_mcap_is_read_by_rosbags(andante, tmp_path):
    from mcap.reader import make_reader
    from rosbags.typesys import Stores, get_typestore

    log = tmp_path / "run.mcap"
    assert andante("sim", "nao", "--seconds", "0.5", "--record", log, "--json")[0] == 0
    store = get_typestore(Stores.ROS2_HUMBLE)
    topics: dict[str, int] = {}
    with log.open("rb") as file:
        reader = make_reader(file)
        assert reader.get_header().profile == "ros2"
        for schema, channel, message in reader.iter_messages():
            topics[channel.topic] = topics.get(channel.topic, 0) + 1
            if schema.name.startswith("andante_msgs/"):  # its definition stands in the schema
                continue
            decoded = store.deserialize_cdr(message.data, schema.name)
            if channel.topic == "/joint_states":
                assert len(decoded.position) == 26
    assert topics["/joint_states"] == topics["/tf"] == topics["/ground_truth/pose"] == 26
    assert topics["/imu/data"] == topics["/clock"] == 51


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("sim", "robo"), "no robot 'robo'; choices:"),
        (("sim", "nao", "--engine", "havok"), "no engine 'havok'; choices: mujoco, bullet, dart, ode"),
        (("sim", "nao", "--world", "mars"), "no world 'mars'"),
        (("sim", "nao", "--pose", "Handstand"), "no pose 'Handstand'"),
        (("sim", "nao", "--dt", "7"), "step size"),
        (("sim", "nao", "--seconds", "-1"), "seconds"),
        (("sim", "nao", "--seconds", "nan"), "seconds"),
        (("sim", "nao", "--push", "hard"), "N·s direction time"),
        (("sim", "nao", "--record", "run.txt", "--seconds", "0.1"), ".csv, .mcap or .bag"),
        (("sim", "nao", "--record", "no/such/folder/run.csv"), "folder does not exist"),
        (("sim", "nao", "--video", "film.doc", "--seconds", "0.1"), "film.doc"),
        (("sim", "nao", "colour=red"), "name:=value"),
        (("sim", "nao", "colour:=red"), "colour"),
        (("sim",), "ROBOT"),
        (("sim", "nao", "--frobnicate"), "frobnicate"),
        (("convert", "nao", "nao.doc"), "can be written as .urdf"),
        (("convert", "nao", "no/such/nao.urdf"), "folder does not exist"),
        (("frobnicate",), "frobnicate"),
        (("bench", "frobnicate"), "no benchmark 'frobnicate'"),
    ],
)
def test_bad_input_is_one_line_on_stderr_and_exit_2(andante, tmp_path, monkeypatch, words, expected):
    monkeypatch.chdir(tmp_path)
    code, out, err = andante(*words)
    assert code == 2, (out, err)
    assert out == ""
    assert err.startswith("andante: ")
    assert err.count("\n") == 1
    assert expected in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == []


def test_convert_writes_whole_files(andante, tmp_path):
    for name in ("nao.urdf", "nao.sdf", "nao.xml"):
        code, _, err = andante("convert", "nao", tmp_path / name)
        assert code == 0, err
        code, out, _ = andante("check", tmp_path / name, "--json")
        assert code == 0, out
        assert json.loads(out)["mass"] == pytest.approx(5.19535, abs=1e-3)
    code, _, err = andante("convert", "lab", tmp_path / "lab.world")
    assert code == 0, err
    assert andante("sim", tmp_path / "nao.sdf", "--world", tmp_path / "lab.world", "--seconds", "0.1", "--json")[0] == 0


def test_convert_copies_meshes(andante, tmp_path):
    code, _, err = andante("convert", "nao", tmp_path / "nao.urdf", "--meshes", tmp_path / "meshes")
    assert code == 0, err
    text = (tmp_path / "nao.urdf").read_text()
    assert "package://" not in text
    assert 'filename="meshes/' in text
    assert list((tmp_path / "meshes").iterdir())


def test_doctor_tells_of_every_engine(andante):
    code, out, _ = andante("doctor", "--json")
    assert code == 0
    parts = {row["part"]: row for row in json.loads(out)["findings"]}
    assert parts["engine mujoco"]["ready"]
    assert {"engine bullet", "engine dart", "engine ode", "pictures and films"} <= set(parts)


def test_missing_engine_names_the_extra(andante, monkeypatch):
    from andante.physics import registry

    monkeypatch.setattr(registry, "installed", lambda entry: entry.name != "dart")
    code, _, err = andante("sim", "nao", "--engine", "dart", "--seconds", "0.1")
    assert code == 2
    assert "pip install 'andante[dart]'" in err


def test_users_own_engine(andante, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "from andante.physics.mujoco.engine import MujocoEngine\nclass Mine(MujocoEngine):\n    name = 'mine'\n"
    )
    code, out, err = andante("sim", "nao", "--engine", f"{file}:Mine", "--seconds", "0.1", "--json")
    assert code == 0, err
    assert json.loads(out)["engine"] == "mine"
    code, _, err = andante("sim", "nao", "--engine", f"{file}:Yours", "--seconds", "0.1")
    assert (code, "no name 'Yours'" in err) == (2, True)


def test_help_and_version_in_a_fresh_process():
    for words, expected in ((["--help"], "simulate"), (["--version"], "andante 0."), (["sim", "--help"], "--engine")):
        done = subprocess.run([sys.executable, "-m", "andante", *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert expected in done.stdout


def test_closed_pipe_ends_quietly():
    command = f"{sys.executable} -m andante robots | head -c 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr


def test_import_is_light():
    code = "import andante, sys; print(sorted(m for m in ('numpy', 'mujoco', 'typer', 'trimesh') if m in sys.modules))"
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("module", "code", "told"),
    [
        (
            "cbor2",
            2,
            "the package cbor2 is missing (no module 'cbor2'): this environment is older than the code; pip in",
        ),
        ("andante.nowhere", 70, "internal error (ModuleNotFoundError: No module named 'andante.nowhere')"),
    ],
)
def test_an_environment_older_than_the_code(andante, monkeypatch, module, code, told):
    def command(**_options):
        raise ModuleNotFoundError(f"No module named {module!r}", name=module)

    monkeypatch.setattr("andante.cli.main.app", command)
    monkeypatch.delenv("ANDANTE_DEBUG", raising=False)
    found, out, err = andante("robots")
    assert (found, out) == (code, "")
    assert err.startswith(f"andante: {told}")
    assert err.count("\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="sends signals")
@pytest.mark.parametrize("joined", [False, True])
def test_ctrl_c_that_ends_the_reader_too_is_quiet(joined):
    """As in `andante ... | tee log`: lines that wait for the reader are dropped, the exit code stays that of Ctrl-C."""
    script = (
        "import sys\n"
        "from andante.cli import main as cli\n"
        "def command(**_options):\n"
        "    sys.stdin.readline()\n"
        "    sys.stdout.write('a line that waits')\n"
        "    raise KeyboardInterrupt\n"
        "cli.app = command\n"
        "cli.main()\n"
    )
    run = subprocess.Popen(
        [sys.executable, "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if joined else subprocess.PIPE,
        env={name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"},
    )
    run.stdout.close()  # the reader is gone
    run.stdin.write(b"go\n")
    run.stdin.close()
    told = b"" if joined else run.stderr.read()
    assert run.wait(60) == 130
    assert told == (b"" if joined else b"andante: stopped\n")
