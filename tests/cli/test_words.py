"""Words of the command line as values."""

import json
import math

import pytest

from andante.cli.words import arguments_of, merge_of, numbers_of, pose_of, texts_of, values_of
from andante.errors import BadInput


def test_numbers_between_blanks_or_commas():
    assert numbers_of("1 2,3, 4") == [1.0, 2.0, 3.0, 4.0]
    assert numbers_of("1 two") == []
    assert numbers_of("") == []


def test_a_pose():
    assert pose_of("--start", "1, 2 0.5") == (1.0, 2.0, 0.5)
    x, y, yaw = pose_of("--goal", "1 2", free_yaw=True)
    assert (x, y) == (1.0, 2.0)
    assert math.isnan(yaw)


@pytest.mark.parametrize("text", ["", "1 2", "1 2 3 4", "a b c", "nan 0 0", "0 inf 0", "0 0 inf", "0 0 nan"])
def test_a_bad_pose_names_its_option(text):
    with pytest.raises(BadInput, match=r"^--start "):
        pose_of("--start", text)


@pytest.mark.parametrize("text", ["1", "nan 0", "0 0 inf"])
def test_a_free_yaw_frees_nothing_else(text):
    with pytest.raises(BadInput, match=r"^--goal is"):
        pose_of("--goal", text, free_yaw=True)


def test_values_are_read_as_in_toml_and_else_as_words():
    words = ["a=1", "b = 2.5", "c=[1, 2]", "d=true", "e=word", "f=x=y"]
    assert values_of(words) == {"a": 1, "b": 2.5, "c": [1, 2], "d": True, "e": "word", "f": "x=y"}
    assert texts_of(["a=1"]) == {"a": "1"}
    assert values_of(None) == {}


def test_deep_values_do_not_overflow():
    deep = "[" * 5000
    assert values_of([f"a={deep}"]) == {"a": deep}


@pytest.mark.parametrize("word", ["a", "=1", "a=", " = "])
def test_a_setting_needs_name_and_value(word):
    with pytest.raises(BadInput, match="should look like NAME=VALUE"):
        texts_of([word])


def test_arguments():
    assert arguments_of(["a:=1", "b:="]) == {"a": "1", "b": ""}
    for word in ("a", "a=1", "1a:=2", ":=2"):
        with pytest.raises(BadInput, match="should look like name:=value"):
            arguments_of([word])


def test_the_folder_of_a_merge_stands_apart_or_leads(tmp_path):
    one, two, new = tmp_path / "one", tmp_path / "two", tmp_path / "new"
    assert merge_of(new, [one, two]) == (new, [one, two])
    assert merge_of(None, [new, one, two]) == (new, [one, two])
    one.mkdir()
    with pytest.raises(BadInput, match="exists already; name a new folder with --out"):
        merge_of(None, [one, two])
    with pytest.raises(BadInput, match="name the folders of the shards"):
        merge_of(None, [new])


def test_convert_tells_what_it_wrote_as_json(andante, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = andante("convert", "waffle", "waffle.urdf", "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert told["path"] == "waffle.urdf"
    assert all(set(problem) == {"severity", "where", "message"} for problem in told["problems"])
    assert (tmp_path / "waffle.urdf").is_file()
