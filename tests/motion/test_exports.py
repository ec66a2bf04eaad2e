"""Motions as text: JSON and TOML read back alike, key-frame code too; the program compiles."""

from __future__ import annotations

import json
from math import inf
from pathlib import Path

import pytest

from andante.errors import BadInput, UnknownName
from andante.motion.io.choregraphe import read_choregraphe
from andante.motion.io.exports import motion_text
from andante.motion.io.library import find_motion, keyframes_of_json, library_motions, read_keyframes_toml
from andante.motion.keyframes import Key, Keyframes, Repeat, play_from

MOTION = Keyframes(
    "nod", (Key(0.0, {"HeadPitch": 0.0}), Key(0.5, {"HeadPitch": 0.2, "HeadYaw": 0.1}), Key(1.25, {"HeadPitch": 0.0})),
    "cubic", 3, Repeat(0.0, 1.25, 2), "nao",
)  # fmt: skip


def test_json_and_toml_give_it_back(tmp_path: Path) -> None:
    text, suffix = motion_text(MOTION, "json")
    assert keyframes_of_json(text, tmp_path / f"nod{suffix}") == MOTION
    (tmp_path / "nod.toml").write_text(motion_text(MOTION, "toml")[0])
    assert read_keyframes_toml(tmp_path / "nod.toml") == MOTION


def test_key_frame_code_is_read_back(tmp_path: Path) -> None:
    file = tmp_path / "nod.py"
    file.write_text(motion_text(MOTION, "choregraphe")[0])
    assert read_choregraphe(file).keys[-1].time == pytest.approx(2.5)


@pytest.mark.parametrize("loop", [1, inf])
def test_the_program_makes_the_same_motion(loop: float) -> None:
    motion = Keyframes("nod", MOTION.keys, "smooth", loop)
    text = motion_text(motion, "python")[0]
    code, _, _ = text.partition("robot = ")
    made: dict[str, object] = {}
    compile(text, "nod.py", "exec")
    exec(compile(code, "nod.py", "exec"), made)
    assert made["motion"] == motion


def test_own_motions_go_before_those_of_the_library(tmp_path: Path) -> None:
    import andante as an

    nao = an.robot("nao")
    (tmp_path / "mine.json").write_text(motion_text(MOTION, "json")[0])
    assert "mine" in library_motions(nao, tmp_path)
    found = find_motion(nao, "Mine", tmp_path)
    assert isinstance(found, Keyframes)
    assert found.keys == MOTION.keys
    with pytest.raises(UnknownName):
        find_motion(nao, "mine")


@pytest.mark.parametrize(
    ("text", "word"),
    [("[1", "JSON"), ("[]", "object"), ('{"keys": [{"HeadYaw": 1}]}', "time"), ('{"speed": 2}', "speed")],
)
def test_bad_json_is_told(text: str, word: str) -> None:
    with pytest.raises((BadInput, UnknownName), match=word):
        keyframes_of_json(text, Path("m.json"))


def test_curves_of_the_page_are_those_of_the_motion() -> None:
    """web/tests/curves.json is also read by the page's own test."""
    import andante as an

    nao = an.robot("nao")
    start = nao.complete(nao.pose("StandInit"))
    told = []
    for kind in ("smooth", "cubic", "linear", "hold"):
        keys = (
            Key(0.4, {"HeadYaw": 0.5}),
            Key(0.9, {"HeadYaw": -0.3, "LElbowRoll": -1.0}),
            Key(1.0, {"HeadYaw": 0.2, "HeadPitch": 0.1}),
            Key(2.3, {"HeadYaw": 0.0, "LElbowRoll": -0.2}),
        )
        motion = Keyframes(kind, keys, kind)
        played = play_from(motion, nao, start)
        times = [0.0, 0.13, 0.4, 0.55, 0.9, 0.95, 1.3, 2.0, 2.3, 3.0]
        rows = played.evaluate(times).tolist()
        table = json.loads(motion_text(motion, "json")[0])
        first = {name: start[name] for name in played.names}
        told.append({"motion": table, "start": first, "times": times, "names": list(played.names), "rows": rows})
    file = Path(__file__).parents[2] / "web" / "tests" / "curves.json"
    known = json.loads(file.read_text())
    for mine, page in zip(told, known, strict=True):
        assert {**page, "rows": None} == {**mine, "rows": None}
        for row, other in zip(mine["rows"], page["rows"], strict=True):
            assert row == pytest.approx(other, abs=1e-12)
