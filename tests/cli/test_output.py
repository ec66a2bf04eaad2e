"""What is printed cannot steer a terminal, and a message is one line of bounded length."""

import warnings

import pytest

from andante.cli.output import LONGEST_LINE, console, one_line, printable, table, warn


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain words, größer 漢字", "plain words, größer 漢字"),
        ("\x1b[31mred\x07", "\\x1b[31mred\\x07"),
        ("a\nb\tc", "a\nb\tc"),
        ("abc\u202edef", "abc\\u202edef"),
        ("\x9b2J", "\\x9b2J"),
    ],
)
def test_printable(text, shown):
    assert printable(text) == shown


def test_one_line_is_bounded():
    assert one_line(" two\n lines \x1b ") == "two lines \\x1b"
    long = one_line("begin " + "x" * 100_000 + " end")
    assert len(long) <= LONGEST_LINE
    assert long.startswith("begin xxx")
    assert long.endswith("xxx end")
    assert one_line("y" * LONGEST_LINE) == "y" * LONGEST_LINE


def test_names_of_a_table_are_whole_in_a_pipe(capsys):
    name = "a_robot_with_a_name_longer_than_a_terminal_is_wide" * 3
    table("", ["robot", "file"], [[name, name]])
    assert capsys.readouterr().out.splitlines()[1].split() == [name, name]


def test_consoles_and_warnings_show_escapes(capsys):
    console().print("name \x1b]0;title\x07", markup=False)
    table("", ["a"], [["\x1b[2J"]])
    warn("topic \x1b[1m")
    out, err = capsys.readouterr()
    assert "\x1b" not in out + err
    assert "name \\x1b]0;title\\x07" in out
    assert "\\x1b[2J" in out
    assert err == "andante: topic \\x1b[1m\n"


def test_warnings_of_python_are_lines_like_any_other(andante, monkeypatch):
    def tells(*words):
        warnings.warn("the left knee is weak", RuntimeWarning, stacklevel=1)

    monkeypatch.setattr("andante.cli.main.app", lambda **options: tells())
    before = warnings.showwarning
    assert andante("list") == (0, "", "andante: the left knee is weak\n")
    assert warnings.showwarning is before
    monkeypatch.setenv("ANDANTE_DEBUG", "1")
    with pytest.warns(RuntimeWarning, match="left knee"):
        andante("list")


def test_names_in_files_do_not_reach_the_terminal(andante, tmp_path):
    (tmp_path / "l.toml").write_text('"\\u001b[31mrobot" = 1\n')
    code, out, err = andante("launch", tmp_path / "l.toml")
    assert (code, out) == (2, "")
    assert "\x1b" not in err
    assert err.count("\n") == 1
