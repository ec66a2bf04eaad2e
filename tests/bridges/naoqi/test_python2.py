"""Python 2 programs in memory."""

import csv
import pickle

import pytest

from andante.bridges.naoqi import old_text
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


@pytest.fixture
def as_in_python_2(monkeypatch):
    for module, names in ((csv, ("reader",)), (pickle, ("load", "dump")), (old_text, ("_on",))):
        for name in names:
            monkeypatch.setattr(module, name, getattr(module, name))
    old_text.begin()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("print 1\na = str(bytearray([65, 200]))", b"A\xc8"),
        ("print 1\na = [ord(c) for c in data]", [1, 2, 250]),
        ("print 1\na = map(ord, data[1:])", [2, 250]),
        ("print 1\na = bytearray(data)[2], len(data), ord(data[-1])", (250, 3, 250)),
        ("print 1\na = 'x' + str(5) + 'y'", "x5y"),
        ("print 1\na = line.strip().split(',') + [line.startswith('1')]", ["1", "2", True]),
        ("print 1\na = {'1,2': 3}[line.strip()] if line.strip() == '1,2' else 0", 3),
        ("print 1\nstr = lambda x: 7\na = str(1)", 7),  # its own name
    ],
)
def test_bytes_are_text_too(as_in_python_2, text, wanted):
    given = {"data": old_text.given_back(bytearray([1, 2, 250])), "line": old_text.given_back(b"1,2\n")}
    assert result(text, **given)[0]["a"] == wanted


FILES = """
import csv, cPickle
out = open("rows.csv", "wb")
csv.writer(out).writerow([1, 2.5, "x"])
out.write("text\\n")
out.close()
rows = list(csv.reader(open("rows.csv", "rb")))
first = open("rows.csv", "rb").readline().strip().split(",")[0]
cPickle.dump({"a": [1]}, open("kept", "w"))
kept = cPickle.load(open("kept"))
print >> open("note.txt", "a"), "said", 3
with file("note.txt", "rU") as f:
    note = f.read()
"""


def test_files_take_text_and_bytes(as_in_python_2, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made, converted = result(FILES)
    assert converted
    assert made["rows"] == [["1", "2.5", "x"], ["text"]]
    assert (made["first"], made["kept"], made["note"]) == ("1", {"a": [1]}, "said 3\n")
