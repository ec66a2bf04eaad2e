"""Key-frame motions: interpolation, repeats, loops, files, and what is said about bad ones."""

from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from andante.errors import BadInput, UnknownName
from andante.motion import Key, Keyframes, Repeat, check_keyframes, fit, play_from
from andante.motion.io.library import read_keyframes_csv, read_keyframes_toml, write_keyframes_toml
from andante.motion.keyframes import speed_problems

TWO = (Key(0.0, {"a": 0.0, "b": 1.0}), Key(1.0, {"a": 2.0}), Key(3.0, {"a": 1.0, "b": -1.0}))


@pytest.mark.parametrize("kind", ["smooth", "cubic", "linear", "hold"])
def test_keys_are_met_and_derivatives_fit(kind):
    motion = Keyframes("m", TWO, kind)
    assert motion.names == ("a", "b")
    assert motion.duration == 3.0
    assert motion.evaluate([0.0, 1.0, 3.0]) == pytest.approx(np.array([[0, 1], [2, motion.evaluate(1.0)[1]], [1, -1]]))
    t, h = np.array([0.31, 0.77, 1.4, 2.9]), 1e-6
    for order in (1, 2):
        change = (motion.evaluate(t + h, order - 1) - motion.evaluate(t - h, order - 1)) / (2 * h)
        assert motion.evaluate(t, order) == pytest.approx(change, abs=1e-4)
    assert motion.evaluate(9.0) == pytest.approx(motion.evaluate(3.0))
    assert motion.evaluate(9.0, 1) == pytest.approx([0, 0])


def test_kinds_differ_as_told():
    at = [Keyframes("m", TWO, kind).evaluate(2.0)[0] for kind in ("hold", "linear", "smooth")]
    assert at == pytest.approx([2.0, 1.5, 1.5])
    smooth = Keyframes("m", TWO, "smooth")
    assert smooth.evaluate([0.0, 1.0, 3.0], 1)[:, 0] == pytest.approx([0, 0, 0])
    cubic = Keyframes("m", TWO, "cubic")
    jump = cubic.evaluate(1 - 1e-9, 2) - cubic.evaluate(1 + 1e-9, 2)
    assert jump == pytest.approx([0, 0], abs=1e-6)


def test_loops_and_repeats():
    looped = Keyframes("m", TWO, "linear", loop=3)
    assert looped.duration == 9.0
    assert looped.evaluate([0.5, 3.5, 6.5])[:, 0] == pytest.approx([1, 1, 1])
    assert looped.evaluate(9.0) == pytest.approx([1, -1])
    endless = Keyframes("m", TWO, "linear", loop=inf)
    assert endless.duration == inf
    assert endless.evaluate(300.5)[0] == pytest.approx(1.0)
    keys = tuple(Key(float(k), {"a": v}) for k, v in enumerate([0, 1, 2, 1, 0]))
    repeated = Keyframes("m", keys, "linear", repeat=Repeat(1.0, 3.0, 3))
    assert repeated.duration == 8.0
    assert repeated.evaluate(np.arange(9.0))[:, 0] == pytest.approx([0, 1, 2, 1, 2, 1, 2, 1, 0])


key_tables = st.lists(
    st.tuples(
        st.floats(0.001, 100, allow_nan=False),
        st.dictionaries(
            st.text(min_size=1, max_size=8).filter(lambda s: s != "time"), st.floats(-1e6, 1e6), min_size=1, max_size=4
        ),
    ),
    min_size=1,
    max_size=8,
    unique_by=lambda row: row[0],
)


@given(
    key_tables,
    st.sampled_from(["smooth", "cubic", "linear", "hold"]),
    st.sampled_from([1, 4, inf]),
    st.text(max_size=20),
)
@settings(max_examples=60, deadline=None)
def test_toml_gives_back_what_was_written(tmp_path_factory, rows, kind, loop, name):
    motion = Keyframes(name, tuple(Key(t, p) for t, p in sorted(rows)), kind, loop)
    path = tmp_path_factory.mktemp("toml") / "m.toml"
    write_keyframes_toml(motion, path)
    assert read_keyframes_toml(path) == motion
    assert [p.name for p in path.parent.iterdir()] == ["m.toml"]


def test_csv_with_gaps(tmp_path):
    (tmp_path / "m.csv").write_text("time,a,b\n0.0,0.0,1.0\n1.0,2.0,\n3.0,1.0,-1.0\n")
    assert read_keyframes_csv(tmp_path / "m.csv") == Keyframes("m", TWO, "cubic")


def test_toml_with_repeat_round_trip(tmp_path):
    motion = Keyframes("wave", TWO, "linear", repeat=Repeat(1.0, 3.0, 4), robot="nao")
    write_keyframes_toml(motion, tmp_path / "wave.toml")
    assert read_keyframes_toml(tmp_path / "wave.toml") == motion


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("", BadInput, "is empty"),
        ("[[keys]]\ntime = 1.0", BadInput, "is empty"),
        ("[[keys]]\ntime = 1.0\na = 1\n\n[[keys]]\ntime = 0.5\na = 2", BadInput, r"m.toml:5: key 2 .* back in time"),
        ("[[keys]]\ntime = 1.0\na = 1\n[[keys]]\ntime = 1.0\na = 2", BadInput, "back in time"),
        ("[[keys]]\ntime = -1.0\na = 1", BadInput, "a time from 0 to"),
        ("[[keys]]\ntime = 1.0\na = nan", BadInput, r"m.toml:1: .*joint 'a' is nan"),
        ("[[keys]]\ntime = inf\na = 1", BadInput, "a time from 0 to"),
        ("[[keys]]\na = 1", BadInput, r"m.toml:1: a key needs a time"),
        ("[[keys]]\ntime = 1\na = 'x'", BadInput, "a should be a number"),
        ("[[keys]]\ntime = 1\na = true", BadInput, "a should be a number"),
        ("interpolation = 'jumpy'\n[[keys]]\ntime = 1\na = 1", UnknownName, "smooth, cubic, linear, hold"),
        ("interpolation = 1\n[[keys]]\ntime = 1\na = 1", BadInput, "word in quotes"),
        ("loop = 0\n[[keys]]\ntime = 1\na = 1", BadInput, "rounds"),
        ("loop = 'x'\n[[keys]]\ntime = 1\na = 1", BadInput, "rounds"),
        ("repeat = 3\n[[keys]]\ntime = 1\na = 1", BadInput, "repeat should look like"),
        ("repeat = {from=0.0, to=1.0, count=2}\n[[keys]]\ntime = 1\na = 1", BadInput, "times of keys"),
        ("speed = 2\n[[keys]]\ntime = 1\na = 1", UnknownName, "interpolation"),
        ("keys = 3", BadInput, "must be tables"),
        ("[[keys\n", BadInput, "not valid TOML"),
    ],
)
def test_bad_toml(tmp_path, text, error, words):
    path = tmp_path / "m.toml"
    path.write_text(text)
    with pytest.raises(error, match=words) as caught:
        read_keyframes_toml(path)
    assert "m.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty"),
        ("a,b\n1,2", r"m.csv:1: the first row"),
        ("time,a\n0,x", r"m.csv:2: a should be a number"),
        ("time,a\n0,1\n\n0.0,2", r"m.csv:4: key 2 .* back in time"),
        ("time,a,a\n0,1,2", "same name"),
        ("time,a\n0,1,2", "3 cells under 2"),
        ("time,a\n,1", "no time"),
        ("time,a\n1,nan", "not a number"),
    ],
)
def test_bad_csv(tmp_path, text, words):
    path = tmp_path / "m.csv"
    path.write_text(text)
    with pytest.raises(BadInput, match=words):
        read_keyframes_csv(path)


@given(st.binary(max_size=200))
@settings(max_examples=80, deadline=None)
def test_any_bytes_are_read_or_refused(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("wild")
    for name, read in (("m.toml", read_keyframes_toml), ("m.csv", read_keyframes_csv)):
        (folder / name).write_bytes(data)
        message = ""
        try:
            read(folder / name)
        except (BadInput, UnknownName) as error:
            message = str(error)
        assert "\n" not in message


# ---- on a robot -----------------------------------------------------------------------------------------------
def test_fit_clips_and_tells_and_drops_mimics(nao):
    motion = Keyframes("m", (Key(1.0, {"HeadYaw": 9.0, "RHipYawPitch": 0.1, "HeadPitch": 0.1}),))
    fitted = fit(motion, nao)
    assert fitted.motion.keys[0].positions == {"HeadYaw": pytest.approx(2.08567), "HeadPitch": 0.1}
    assert "HeadYaw" in str(fitted.problems[0])
    assert "follows 'LHipYawPitch'" in str(fitted.problems[1])
    with pytest.raises(UnknownName, match=r"Tail.*HeadYaw"):
        fit(Keyframes("m", (Key(1.0, {"Tail": 0.0}),)), nao)


def test_played_from_where_the_robot_is(nao):
    start = nao.pose("StandInit")
    motion = Keyframes("m", (Key(1.0, {"HeadYaw": 0.5, "LElbowRoll": -0.2}), Key(2.0, {"HeadYaw": -0.5})), loop=3)
    played = play_from(motion, nao, start)
    assert played.lead is None
    assert played.duration == 6.0
    assert played.evaluate(0.0) == pytest.approx([0.0, -1.01])
    assert played.evaluate([1.0, 2.0, 3.0, 6.0])[:, 0] == pytest.approx([0.5, -0.5, 0.5, -0.5])
    t = np.linspace(0, 6, 3001)
    assert np.abs(np.diff(played.evaluate(t), axis=0)).max() < 0.01  # no jump from round to round
    assert speed_problems(played, nao, motion.source) == ()


def test_a_key_at_zero_is_approached_first(nao):
    motion = Keyframes("m", (Key(0.0, {"HeadYaw": 1.0}), Key(1.0, {"HeadYaw": 0.0, "HeadPitch": 0.2})), "linear")
    played = play_from(motion, nao, nao.pose("StandInit"))
    assert played.lead is not None
    assert played.duration == pytest.approx(played.lead_duration + 1.0)
    assert played.evaluate(0.0) == pytest.approx([0, 0])
    assert played.evaluate(played.lead_duration) == pytest.approx([1, 0])
    assert played.evaluate(played.lead_duration + 0.5) == pytest.approx([0.5, 0.1])
    speed = np.abs(played.evaluate(np.linspace(0, played.lead_duration, 200, endpoint=False), 1))
    assert speed.max() <= 0.4 * 8.27


def test_haste_overshoot_and_seams_are_told(nao):
    start = nao.pose("StandInit")
    quick = Keyframes("m", (Key(0.1, {"HeadYaw": 2.0}),))
    assert "give it more time" in str(check_keyframes(nao, quick, start, collisions=False)[0])
    wild = Keyframes("m", (Key(0.8, {"HeadYaw": 2.08}), Key(1.6, {"HeadYaw": 2.08}), Key(2.4, {"HeadYaw": 0})), "cubic")
    assert any("between keys" in str(p) for p in check_keyframes(nao, wild, start, collisions=False))
    seam = Keyframes("m", (Key(0.0, {"HeadYaw": 0.0}), Key(1.0, {"HeadYaw": 1.0})), loop=2)
    assert any("round to round" in str(p) for p in check_keyframes(nao, seam, start, collisions=False))
