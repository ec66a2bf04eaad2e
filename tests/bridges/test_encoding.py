"""JSON, CBOR and PNG forms of values, against their rules and against other decoders."""

import base64
import contextlib
import io
import json
import math

import cbor2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from andante.bags import messages
from andante.bridges.encoding import Frame, from_cbor, plain, to_cbor, to_json, to_png
from andante.errors import BadInput


def test_json_has_null_for_what_it_cannot_carry():
    value = {"a": math.nan, "b": [math.inf, 1.5], "c": np.array([np.nan, 2.0, -np.inf]), "d": np.float32(0.5)}
    assert json.loads(to_json(value)) == {"a": None, "b": [None, 1.5], "c": [None, 2.0, None], "d": 0.5}


def test_bytes_are_base64_in_json():
    data = np.arange(256, dtype=np.uint8)
    assert base64.b64decode(plain({"data": data})["data"]) == bytes(range(256))
    assert base64.b64decode(plain(b"abc")) == b"abc"


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8"])
def test_cbor_keeps_every_number(dtype):
    values = np.array([0, 1, 100], dtype)
    if dtype[0] == "f":
        values = np.array([math.nan, math.inf, -0.0, 1e-30], dtype)
    back = from_cbor(to_cbor({"v": values}))["v"]
    back = np.frombuffer(back, np.uint8) if isinstance(back, bytes) else back
    assert back.dtype == values.dtype
    assert back.tobytes() == values.tobytes()


def test_cbor_marks_typed_arrays_as_the_standard_says():
    decoded = cbor2.loads(to_cbor({"v": np.array([1.5, 2.0]), "w": np.array([1, 2], ">i4"), "b": np.uint8([7, 8])}))
    assert decoded["v"].tag == 86
    assert np.frombuffer(decoded["v"].value, "<f8").tolist() == [1.5, 2.0]
    assert decoded["w"].tag == 78
    assert np.frombuffer(decoded["w"].value, "<i4").tolist() == [1, 2]
    assert decoded["b"] == bytes([7, 8])


def test_cbor_of_arrays_of_truth_values_and_of_nothing_known():
    assert cbor2.loads(to_cbor({"v": np.array([True, False]), "n": np.int16(3)})) == {"v": [True, False], "n": 3}
    with pytest.raises(BadInput, match="object cannot be sent as CBOR"):
        to_cbor({"v": object()})


@pytest.mark.parametrize(
    "data", [b"", b"\xff", b"\x5f", cbor2.dumps(cbor2.CBORTag(86, b"123")), cbor2.dumps(cbor2.CBORTag(4711, 1))]
)
def test_bad_cbor_is_refused(data):
    with pytest.raises(BadInput, match="CBOR"):
        from_cbor(data)


@pytest.mark.parametrize(
    "tag",
    [0, 1, 2, 3, 4, 5, 25, 28, 29, 30, 35, 36, 37, 100, 258, 260, 261, 1004, 43000, 55799],
)
def test_tags_to_which_a_decoder_gives_a_meaning_are_refused_unread(tag, monkeypatch):
    monkeypatch.setattr(cbor2, "loads", lambda *a, **k: pytest.fail("decoded"))
    with pytest.raises(BadInput, match=f"CBOR tag {tag} is not an array"):
        from_cbor(encoded := cbor2.dumps({"op": "publish", "msg": [1.5, {"deep": cbor2.CBORTag(tag, "(a*)*" * 50)}]}))
    assert encoded


def test_deep_cbor_is_refused():
    with pytest.raises(BadInput, match="deeper than 64"):
        from_cbor(b"\x81" * 100_000 + b"\x00")
    assert from_cbor(b"\x81" * 50 + b"\x00") is not None


plain_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@given(plain_values)
def test_plain_cbor_passes(value):
    assert from_cbor(cbor2.dumps(value)) == value


@given(st.binary(max_size=80))
def test_any_bytes_are_a_value_or_refused(data):
    with contextlib.suppress(BadInput):
        from_cbor(data)


def test_cbor_of_unknown_length_passes():
    assert from_cbor(b"\xbf\x61a\x9f\x01\x5f\x42xy\x41z\xff\xff\xff") == {"a": [1, b"xyz"]}


@pytest.mark.parametrize("text", ["", "x", "ab" * 500, '{"a": "ä€"}'])
def test_png_holds_the_text(text):
    from PIL import Image

    picture = Image.open(io.BytesIO(base64.b64decode(to_png(text))))
    assert picture.tobytes().decode().rstrip("\n") == text


def test_a_frame_is_encoded_once():
    message = messages.make("sensor_msgs/msg/JointState", name=["a"], position=[math.nan])
    frame = Frame("/joint_states", "sensor_msgs/msg/JointState", 1.25, messages.to_cdr(message))
    assert frame.encoded("none") is frame.encoded("none")
    assert json.loads(frame.encoded("none"))["msg"]["position"] == [None]
    assert frame.encoded("cbor") is frame.encoded("cbor")
    assert math.isnan(from_cbor(frame.encoded("cbor"))["msg"]["position"][0])
    raw = from_cbor(frame.encoded("cbor-raw"))["msg"]
    assert raw == {"secs": 1, "nsecs": 250000000, "bytes": messages.to_cdr(message)}
    assert json.loads(frame.encoded("png"))["op"] == "png"
