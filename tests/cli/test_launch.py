import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ANDANTE = [sys.executable, "-m", "andante"]
FILE = """robot = "waffle"
realtime = false
seconds = 0.5

[[then]]
at = 0.1
do = "drive 0.2 0 0 2"
"""


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*ANDANTE, "launch", *words], capture_output=True, text=True, timeout=120, check=False)


def test_json_and_overrides(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text(FILE)
    done = run(str(file), "seconds:=0.7", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["seconds"] == pytest.approx(0.7)
    assert told["robot"] == "waffle"
    assert told["position"][0] > 0.02
    assert not list(tmp_path.glob("andante_sessions/*"))


def test_bad_files_are_one_line_with_line_and_key(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text(FILE + "[server]\nprt = 3\n")
    done = run(str(file))
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == f"andante: {file}:9: no key 'prt' in [server]; choices: port, host, token, browser\n"


def test_sigterm_ends_the_server_and_completes_the_recording(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text('robot = "waffle"\n[server]\nport = 0\n[record]\nname = "run"\ntopics = ["/clock"]\n')
    process = subprocess.Popen(
        [*ANDANTE, "launch", str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert "waffle in empty on mujoco at http://127.0.0.1:" in line
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        servers = [int(pid) for pid in children.read_text().split()]
        assert servers
        time.sleep(1.0)
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 143
    assert errors == "andante: stopped\n"
    assert not any(Path(f"/proc/{pid}").exists() for pid in servers)
    from andante.bags import open_bag

    with open_bag(tmp_path / "andante_sessions" / "run.mcap") as bag:
        assert bag.whole
        assert sum(1 for _ in bag.messages()) > 5


def test_a_real_robot_is_asked_for_first(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text('robot = "waffle"\nbody = "ws://192.0.2.1:9090"\n')
    done = run(str(file))
    assert done.returncode == 2
    assert "waffle at ws://192.0.2.1:9090 would move and nobody can be asked here" in done.stderr
    done = run(str(file), "--dry-run")
    assert done.returncode == 0, done.stderr
    assert '"/cmd_vel"' in done.stdout
    assert "name one" in run(str(file), "body:=sim", "--dry-run").stderr
