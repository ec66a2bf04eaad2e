"""Key-frame code of Choregraphe: what is read is what a NAO would do; nothing runs; round trips."""

import math

import numpy as np
import pytest

from andante.errors import BadInput
from andante.motion.io.choregraphe import read_choregraphe, write_choregraphe
from andante.motion.io.library import find_motion
from andante.motion.keyframes import Key, Keyframes

EXPORT = """
# Choregraphe simplified export in Python.
from naoqi import ALProxy
names = list()
times = list()
keys = list()

names.append("HeadPitch")
times.append([0.8, 1.56])
keys.append([-0.17, 30 * almath.TO_RAD])

names.append("HeadYaw")
times.append([1.2])
keys.append([+0.5])

try:
  motion = ALProxy("ALMotion", IP, 9559)
  %s
except BaseException, err:
  print err
"""


def written(tmp_path, text):
    file = tmp_path / "dance.py"
    file.write_text(text)
    return file


def test_lists_of_names_times_and_keys(tmp_path):
    motion = read_choregraphe(written(tmp_path, EXPORT % "motion.angleInterpolation(names, keys, times, True)"))
    assert motion.name == "dance"
    told = {round(key.time, 6): dict(key.positions) for key in motion.keys}
    assert told == {
        0.8: {"HeadPitch": -0.17},
        1.2: {"HeadYaw": 0.5},
        1.56: {"HeadPitch": pytest.approx(math.pi / 6)},
    }


def test_bezier_curves_follow_their_handles(tmp_path):
    text = """
motion.angleInterpolationBezier(["A"], [[1.0, 2.0]],
    [[[0.6, [3, -0.333333, 0.0], [3, 0.333333, 0.0]], [0.0, [3, -0.333333, 0.0], [3, 0.0, 0.0]]]])
"""
    motion = read_choregraphe(written(tmp_path, text))
    t = np.linspace(1.0, 2.0, 41)
    s = t - 1.0  # handles of a third: time is linear in the parameter
    bezier = 0.6 * (1 - s) ** 3 + 3 * 0.6 * (1 - s) ** 2 * s
    np.testing.assert_allclose(motion.evaluate(t)[:, 0], bezier, atol=3e-3)


def test_calls_follow_one_another(tmp_path):
    text = """
def onInput_onStart(self):
    proxy.angleInterpolation("HeadYaw", [0.5], [1.0], True)
    proxy.angleInterpolation(["HeadYaw", "HeadPitch"], [0.0, 0.1], 0.5, True)
"""
    motion = read_choregraphe(written(tmp_path, text))
    assert [round(key.time, 6) for key in motion.keys] == [1.0, 1.5]
    assert motion.keys[-1].positions == {"HeadYaw": 0.0, "HeadPitch": 0.1}


@pytest.mark.parametrize("bezier", [False, True])
def test_a_motion_comes_back_as_it_was(tmp_path, bezier):
    motion = Keyframes("nod", (Key(0.5, {"A": 0.25, "B": -1.0}), Key(1.25, {"A": 0.0}), Key(2.0, {"A": 0.5, "B": 0.0})))
    file = tmp_path / "nod.py"
    write_choregraphe(motion, file, bezier=bezier)
    back = read_choregraphe(file)
    for key in motion.keys:
        for name, place in key.positions.items():
            assert back.evaluate(key.time)[back.names.index(name)] == pytest.approx(place, abs=1e-6)
    if not bezier:
        assert [dict(key.positions) for key in back.keys] == [dict(key.positions) for key in motion.keys]


def test_nothing_runs(tmp_path):
    mark = tmp_path / "mark"
    text = f"open({str(mark)!r}, 'w').write('x')\nmotion.angleInterpolation('A', 0.5, 1.0, True)\n"
    assert read_choregraphe(written(tmp_path, text)).names == ("A",)
    assert not mark.exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 1\n", "no call of angleInterpolation"),
        ("motion.angleInterpolation(names(), 1.0, 1.0, True)", ":1: angleInterpolation takes lists that are written"),
        ("motion.angleInterpolation('A', 0.5, 1.0, False)", "relative"),
        ("motion.angleInterpolation(['A', 'B'], [0.5], [1.0], True)", "2 joints need a list of 2"),
        ("motion.angleInterpolation('A', [0.5, 0.1], [1.0, 0.5], True)", "increase"),
        ("motion.angleInterpolation('A', 'far', 1.0, True)", "lists of numbers"),
        ("motion.angleInterpolation([], [], [], True)", "list of joint names"),
        ("motion.angleInterpolation('A', 1e400, 1.0, True)", "finite"),
        ("def (:", ":1: not Python"),
        ("(" * 5000, "not Python"),
    ],
)
def test_bad_files_are_told_in_one_line(tmp_path, text, words):
    with pytest.raises(BadInput, match=words) as told:
        read_choregraphe(written(tmp_path, text))
    assert "\n" not in str(told.value)
    assert "dance.py" in str(told.value)


def test_it_is_a_motion_like_others(tmp_path):
    from andante.description.load import load_robot

    file = written(tmp_path, "motion.angleInterpolation('HeadYaw', 0.5, 1.0, True)")
    assert find_motion(load_robot("nao"), str(file)).names == ("HeadYaw",)
