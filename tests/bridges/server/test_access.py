"""Who is let in."""

import pytest

from andante.bridges import Access
from andante.bridges.server.access import is_loopback
from andante.errors import BadInput

HOME = Access()
AWAY = Access("0.0.0.0", "a-long-token", ("https://lab.example",))


@pytest.mark.parametrize("host", ["127.0.0.1", "127.3.2.1", "::1", "[::1]", "localhost", "LOCALHOST", "app.localhost"])
def test_loopback_names(host):
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "10.0.0.1", "example.org", "localhost.example.org", "", "127.0.0.1.x"]
)
def test_other_names(host):
    assert not is_loopback(host)


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("127.0.0.1:8000", None),
        ("localhost:8000", "http://localhost:8000"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("127.0.0.1:8000", "http://localhost:5173"),
        ("[::1]:8000", "http://[::1]:8000"),
    ],
)
def test_our_own_pages_and_scripts_are_welcome(host, origin):
    assert HOME.refusal(host, origin, ()) == ""


@pytest.mark.parametrize(
    ("host", "origin", "told"),
    [
        ("127.0.0.1:8000", "http://evil.example", "origin"),
        ("127.0.0.1:8000", "null", "origin"),
        ("127.0.0.1:8000", "file:///home", "origin"),
        ("127.0.0.1:8000", "http://localhost.evil.example", "origin"),
        ("127.0.0.1:8000", "http://[", "origin"),
        ("evil.example:8000", "http://evil.example:8000", "not this machine"),  # a name that points at 127.0.0.1
        ("evil.example:8000", None, "not this machine"),
        ("", None, "not this machine"),
        (None, None, "not this machine"),
        ("[", None, "not this machine"),
    ],
)
def test_strangers_are_refused(host, origin, told):
    assert told in HOME.refusal(host, origin, ())


def test_beyond_loopback_the_token_decides():
    assert AWAY.refusal("10.0.0.2:8000", None, ("a-long-token",)) == ""
    assert AWAY.refusal("10.0.0.2:8000", "http://10.0.0.2:8000", ("x", "a-long-token")) == ""
    assert AWAY.refusal("10.0.0.2:8000", "https://lab.example", ("a-long-token",)) == ""
    assert "token" in AWAY.refusal("10.0.0.2:8000", None, ())
    assert "token" in AWAY.refusal("10.0.0.2:8000", None, ("a-long-tokem",))
    assert "origin" in AWAY.refusal("10.0.0.2:8000", "http://localhost:1", ("a-long-token",))
    assert "origin" in AWAY.refusal("10.0.0.2:8000", "http://10.0.0.3:8000", ("a-long-token",))


def test_unsafe_rules_cannot_be_made():
    with pytest.raises(BadInput, match=r"'0\.0\.0\.0' can be reached from other machines: give a token"):
        Access("0.0.0.0")
    with pytest.raises(BadInput, match="too short"):
        Access("0.0.0.0", "short")
