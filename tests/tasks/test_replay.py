"""Recorded and played again: the joints go the same way."""

import numpy as np
import pytest

import andante as an
from andante.control.activities import Playing
from andante.control.loop import ControlLoop
from andante.errors import BadInput
from andante.motion.io.library import find_motion
from andante.motion.io.recordings import Recording, is_recording, read_recording, recorded_motion
from andante.motion.keyframes import Keyframes
from andante.simulation.recording import open_recording
from andante.tasks.play import check_play, play

NAO = an.robot("nao")


@pytest.fixture(scope="module", params=[".csv", ".mcap"])
def recorded(request, tmp_path_factory):
    """A file, and the wave of a hand that it holds, every 20 ms."""
    path = tmp_path_factory.mktemp("run") / f"wave{request.param}"
    play("nao", "wave_hand", record=path)
    return path


def test_what_is_read_is_what_was_recorded(tmp_path):
    sim = an.simulate(NAO, sensors=True)
    rows = []

    class Watch:
        next_time = 0.0

        def update(self, sim):
            rows.append((sim.time, sim.joints.position.copy(), sim.read().position.copy()))
            self.next_time = len(rows) / 50.0

    paths = [tmp_path / "a.csv", tmp_path / "a.mcap"]
    recorders = [open_recording(path, sim) for path in paths]
    watch = Watch()
    watch.update(sim)
    sim.observers += [*recorders, watch]
    sim.target({"HeadYaw": 0.8, "LElbowRoll": -0.2})
    sim.run(0.5)
    for recorder in recorders:
        recorder.__exit__(None, None, None)
    times, true, measured = (np.array([row[k] for row in rows]) for k in range(3))
    for path, positions in zip(paths, (true, measured), strict=True):  # a table has the truth, a bag what was measured
        assert is_recording(path)
        got = read_recording(path)
        assert got.names == NAO.joint_names
        np.testing.assert_allclose(got.times, times, atol=1e-6)
        np.testing.assert_allclose(got.positions, positions, atol=1e-8)


def test_round_trip_through_physics(recorded, tmp_path):
    """Recorded, replayed and recorded again: the same motion within what a servo lags behind."""
    again = tmp_path / "again.csv"
    outcome = play("nao", str(recorded), record=again)
    assert (outcome.kind, outcome.finished, outcome.fallen) == ("recording", True, False)
    first, second = read_recording(recorded), read_recording(again)
    index = first.names.index("RShoulderPitch")
    assert np.ptp(first.positions[:, index]) > 0.5
    grid = np.arange(0.0, first.times[-1], 0.02)

    def sampled(recording, shift):
        return np.array([np.interp(grid + shift, recording.times, column) for column in recording.positions.T]).T

    lag = min(np.arange(0.0, 0.12, 0.01), key=lambda s: np.abs(sampled(second, s) - sampled(first, 0.0)).max())
    assert np.abs(sampled(second, lag) - sampled(first, 0.0)).max() < 0.05


def test_speed_joints_and_rate(recorded):
    recording = read_recording(recorded)
    whole = recorded_motion(recording, NAO)
    assert isinstance(whole, Keyframes)
    assert "RHipYawPitch" not in whole.names  # it follows its twin
    assert len(whole.names) == 25
    arm = recorded_motion(recording, NAO, ["RShoulder*", "RElbow*"], rate=10.0)
    assert arm.names == ("RShoulderPitch", "RShoulderRoll", "RElbowYaw", "RElbowRoll")
    assert np.diff([key.time for key in arm.keys]) == pytest.approx(0.1)
    times = np.linspace(0.3, whole.duration - 0.3, 50)
    index = [whole.names.index(name) for name in arm.names]
    assert np.abs(arm.evaluate(times) - whole.evaluate(times)[:, index]).max() < 0.1
    sim = an.simulate(NAO)
    playing = Playing(arm, NAO.joint_names, sim.joints.position, speed=2.0)
    assert ControlLoop(sim, playing).run(arm.duration / 2 + 0.02, until=lambda: playing.finished)
    assert sim.time == pytest.approx(arm.duration / 2, abs=0.02)


def test_found_by_name_and_checked(recorded):
    assert isinstance(find_motion(NAO, str(recorded)), Keyframes)
    checked = check_play("nao", str(recorded), joints=("L*",))
    assert (checked.kind, checked.ok, checked.problems) == ("recording", True, ())


HEAD = "time,x,y,z,qx,qy,qz,qw,HeadYaw\n"


def test_a_run_that_was_killed_can_be_read(tmp_path):
    cut = tmp_path / "cut.csv"
    cut.write_text(HEAD + "0,0,0,0,0,0,0,1,0.1\n0.02,0,0,0,0,0,0,1,0.2\n0.04,0,0,0,0,")
    np.testing.assert_allclose(read_recording(cut).positions[:, 0], [0.1, 0.2])


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.csv", HEAD, "empty"),
        ("a.csv", HEAD + "0,0,0,0,0,0,0,1,0\n1,0,0,0,0,zero,0,1,0\n2,0,0,0,0,0,0,1,0\n", "a.csv:3: 9 numbers"),
        ("a.csv", HEAD + "0,0,0,0,0,0,0,1,nan\n", "not finite"),
        ("a.csv", HEAD.replace("HeadYaw", "wheel") + "0,0,0,0,0,0,0,1,0\n", "no joint of robot 'nao'"),
        ("a.csv", "time,x\n", "time,x,y,z,qx"),
        ("a.mcap", "nonsense", "neither an MCAP file nor a rosbag1"),
    ],
)
def test_bad_files_are_told(tmp_path, name, text, said):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(BadInput, match=said):
        recorded_motion(read_recording(path), NAO)


def test_bad_wishes_are_told(recorded, tmp_path):
    recording = read_recording(recorded)
    with pytest.raises(BadInput, match=r"fits Wheel\*"):
        recorded_motion(recording, NAO, ["Wheel*"])
    with pytest.raises(BadInput, match="rate"):
        recorded_motion(recording, NAO, rate=0.0)
    with pytest.raises(BadInput, match="no such file"):
        read_recording(tmp_path / "none.csv")
    with pytest.raises(BadInput, match="joints are picked from recordings only"):
        check_play("nao", "wave_hand", joints=("L*",))
    assert isinstance(recording, Recording)
