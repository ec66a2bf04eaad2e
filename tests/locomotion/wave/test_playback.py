"""Wave gaits as key-frames: they are what the gait plays, and a file gives them back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from andante.description import load_robot
from andante.errors import BadInput
from andante.locomotion.wave.gait import envelope, wave_keyframes
from andante.locomotion.wave.model import WaveModel, default_gait
from andante.motion.io.library import read_keyframes_toml, write_keyframes_toml
from andante.tasks.play import play

NAO = load_robot("nao")
POSE = NAO.complete(NAO.pose("StandInit"))
FIRST = np.array([POSE[name] for name in NAO.joint_names])
SMOOTH = WaveModel(NAO, default_gait("smooth").parameters)
EXACT = WaveModel(NAO, default_gait("exact").parameters, "exact")


def columns(names: tuple[str, ...]) -> list[int]:
    return [NAO.joint_names.index(name) for name in names]


def test_smooth_keys_are_the_gait_at_any_time() -> None:
    motion = wave_keyframes(SMOOTH, FIRST, cycles=3)
    period, ramp = SMOOTH.parameters.period, SMOOTH.parameters.ramp
    growing, dying = int(np.ceil(ramp / period)), int(np.ceil(1.5 * ramp / period))
    assert motion.duration == pytest.approx((growing + 3 + dying) * period, abs=1e-4)
    t = np.linspace(0, motion.duration - dying * period, 700)  # until the stop
    arrived = envelope(t, ramp)
    wanted = FIRST + arrived[:, None] * (SMOOTH.angles(t, arrived) - FIRST)
    np.testing.assert_allclose(motion.evaluate(t), wanted[:, columns(motion.names)], atol=2e-3)
    end = SMOOTH.angles(0.0, fraction=0.0)[columns(motion.names)]
    np.testing.assert_allclose(motion.evaluate(motion.duration), end, atol=1e-6)
    assert set(motion.names) == {*SMOOTH.joints.joints, "LHipYawPitch"}


def test_exact_keys_are_held_samples_that_come_back_to_the_first_pose() -> None:
    motion = wave_keyframes(EXACT, FIRST, cycles=2)
    hold, pick = EXACT.parameters.hold, columns(motion.names)
    cycle = EXACT.cycle()[:, pick]
    middles = hold * (np.arange(36) + 0.5)
    np.testing.assert_allclose(motion.evaluate(middles), np.tile(cycle, (2, 1)), atol=1e-6)
    assert motion.duration == pytest.approx(36 * hold + 0.5)
    np.testing.assert_allclose(motion.evaluate(motion.duration), FIRST[pick], atol=1e-6)


def test_a_file_gives_it_back_and_plays(tmp_path: Path) -> None:
    motion = wave_keyframes(SMOOTH, FIRST, cycles=1, name="stroll")
    file = tmp_path / "stroll.toml"
    write_keyframes_toml(motion, file)
    assert read_keyframes_toml(file) == motion
    outcome = play("nao", str(file))
    assert outcome.finished
    assert not outcome.fallen
    assert outcome.base[0] > 0.1


@pytest.mark.parametrize("cycles", [0, 1001])
def test_cycles_are_bounded(cycles: int) -> None:
    with pytest.raises(BadInput, match=f"1 to 1000 cycles, got {cycles}"):
        wave_keyframes(SMOOTH, FIRST, cycles)
