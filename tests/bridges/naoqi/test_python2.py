"""Python 2 programs in memory."""

import pytest

from andante.bridges.naoqi.python2 import code_of, text_of
from andante.errors import BadInput


def result(text, **names):
    code, converted = code_of(text, "program.py")
    exec(code, names)
    return names, converted


@pytest.mark.parametrize(
    ("text", "name", "wanted"),
    [
        ("print 'x'\na = 7 / 2", "a", 3),
        ("print 'x'\na = 7 / 2.0", "a", 3.5),
        ("print 'x'\na = 7\na /= 2", "a", 3),
        ("from __future__ import division\nprint 'x'\na = 7 / 2", "a", 3.5),
        ("try:\n    1 / 0\nexcept ZeroDivisionError, e:\n    a = str(e) != ''", "a", True),
        ("a = {1: 2}.has_key(1)\nprint a", "a", True),
        ("a = map(lambda x: x + 1, xrange(3))\nprint a", "a", [1, 2, 3]),
        ("if True:\n\ta = 1\n        print a", "a", 1),
        ("a = u'x' + unicode(5)\nprint a", "a", "x5"),
        ("a = 0x10L\nprint a", "a", 16),
        ("a = [x for x in xrange(7 / 2)]\nprint(a)", "a", [0, 1, 2]),  # syntax of both, names of Python 2
        ("import Queue\na = Queue.Queue().empty()", "a", True),
        ("a = {1: 2}.items()[0] if {1: 2}.has_key(1) else 0", "a", (1, 2)),
    ],
)
def test_old_programs(text, name, wanted, capsys):
    names, converted = result(text)
    assert converted
    assert names[name] == wanted


def test_new_programs_are_left_alone():
    names, converted = result("a = 7 / 2")
    assert (names["a"], converted) == (3.5, False)


def test_what_imports_naoqi_divides_as_python_2_did():
    rest = "a = 7 / 2\nif a < 0:\n    from naoqi import ALProxy\n"
    assert result(rest)[0]["a"] == 3
    assert result(f"from __future__ import division\n{rest}")[0]["a"] == 3.5
    assert result("xrange = range\na = len(xrange(3))")[1] is False  # its own name


def test_the_old_name_of_run_async():
    class Qi:
        pass

    setattr(Qi, "async", staticmethod(lambda f, *given: f(*given)))
    assert result("a = qi.async(max, 1, 2)", qi=Qi)[0]["a"] == 2


def test_texts_in_their_codings():
    assert text_of("# -*- coding: latin-1 -*-\nx = 'é'\r\n".encode("latin-1")).endswith("x = 'é'\n")
    assert text_of("x = 'é'".encode()) == "x = 'é'"
    assert text_of(b"\xef\xbb\xbfx = 1") == "x = 1"
    assert text_of("x = 'é'".encode("latin-1")) == "x = 'é'"


def test_neither_of_both():
    with pytest.raises(BadInput, match=r"program\.py:1: neither Python 3 .* nor Python 2"):
        code_of("def (:\n", "program.py")
