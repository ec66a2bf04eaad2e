"""`andante bridge`: what it says of itself and of wrong words; the bridges themselves are tested in tests/bridges."""

import socket

import pytest


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_help_names_the_four_worlds(andante):
    code, out, _ = andante("bridge", "--help")
    assert code == 0
    for name in ("ros1", "ros2", "foxglove", "rosbridge"):
        assert name in out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("ros1", "lab"), "session 'lab' should be a port or look like ws://127.0.0.1:8000/rosbridge"),
        (("ros1", "1", "--seconds", "0"), "seconds should be a number above 0, got 0"),
        (("ros2", "1", "--domain", "233"), "a ROS domain is a number from 0 to 232, got 233"),
        (("foxglove", "1", "--seconds", "nan"), "seconds should be a number above 0"),
        (("rosbridge", "1"), "Missing argument 'SERVER'"),
        (("ros1", "1", "--master", "nowhere"), "'nowhere' should look like http://127.0.0.1:11311"),
        (("ros1", "1", "--name", "a b"), "'a b' is not a name"),
    ],
)
def test_wrong_words_are_told_in_one_line(andante, words, told):
    code, out, err = andante("bridge", *words)
    assert code == 2
    assert told in err
    assert err.count("\n") == 1
    assert out == ""


def test_a_domain_from_the_environment_is_checked(andante, monkeypatch):
    monkeypatch.setenv("ROS_DOMAIN_ID", "x")
    code, _, err = andante("bridge", "ros2", "1")
    assert code == 2
    assert "ROS_DOMAIN_ID should be a number, got 'x'" in err


def test_a_session_that_is_not_there_is_told(andante, monkeypatch):
    monkeypatch.setattr("andante.bridges.rosbridge.client.PATIENCE", 0.5)
    port = free_port()
    code, out, err = andante("bridge", "foxglove", port)
    assert code == 2
    assert f"no session answers at ws://127.0.0.1:{port}/rosbridge; start one with andante studio" in err
    assert "no connection" in out
