"""`an.bag`: what is in a recording, parts of it, a replay; mistakes by the names of the arguments."""

import pytest

import andante as an
from andante.errors import BadInput


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    path = tmp_path_factory.mktemp("bags") / "run.mcap"
    an.sim("waffle", seconds=0.2, record=path)
    return path


def test_info_prints_and_plots(recording):
    result = an.bag.info(recording)
    assert result.as_dict()["messages"] == result.count > 0
    assert "/joint_states" in str(result)
    assert "mapping: " in str(result)
    assert "mapping: " not in str(an.bag.info(recording, mapping=False))
    assert result.plot().axes


def test_messages_conversion_and_replay(recording, tmp_path):
    with an.bag.open(recording) as bag:
        assert "/joint_states" in [topic.name for topic in bag.topics]
    made = an.bag.convert(recording, tmp_path / "part.bag", ["/joint_states"])
    assert made.messages == an.bag.info(tmp_path / "part.bag", mapping=False).count > 0
    heard = []
    played = an.bag.play(tmp_path / "part.bag", speed=10.0, say=heard.append)
    assert played.messages == made.messages
    assert heard[0].startswith("replay at http://127.0.0.1:")
    assert str(played) == f"played {made.messages} messages of {tmp_path / 'part.bag'}"


def test_mistakes_name_the_arguments(recording, tmp_path):
    with pytest.raises(BadInput, match=r"^max_size should be"):
        an.bag.convert(recording, tmp_path / "x.bag", max_size=-1.0)
    with pytest.raises(BadInput, match=r"^seconds should be"):
        an.bag.record(tmp_path / "x.bag", seconds=-1.0)
    with pytest.raises(BadInput, match=r"^seconds should be"):
        an.bridge.foxglove(8642, seconds=-1.0)
