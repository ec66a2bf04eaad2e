"""`andante ik`: JSON, words, exit codes, one-line errors."""

import json

import numpy as np
import pytest

import andante as an


def test_json_holds_the_contract(andante):
    code, out, err = andante(
        "ik", "nao", "--base", "torso", "--tip", "l_sole", "--target", "0.02 0.05 -0.30 nan nan nan", "--json"
    )
    assert (code, err) == (0, "")
    data = json.loads(out)
    assert data["converged"] is True
    assert data["error"] <= 1e-6
    assert data["iterations"] > 0
    leg = an.robot("nao").chain("torso", "l_sole")
    assert tuple(data["q"]) == leg.joint_names
    np.testing.assert_allclose(leg.fk(list(data["q"].values()))[:3, 3], [0.02, 0.05, -0.30], atol=1e-6)


def test_the_root_is_the_base_and_words_are_printed(andante):
    code, out, _ = andante("ik", "shell", "--tip", "lower_foot_2", "--target", "-0.13,0.27,-0.147,nan,nan,nan")
    assert code == 0
    assert "base_link to lower_foot_2: reached" in out
    assert all(name in out for name in ("q122", "q123", "q124"))


def test_a_target_out_of_reach_is_an_outcome(andante):
    code, out, _ = andante("ik", "shell", "--tip", "upper_tip_1", "--target", "3 0 0 nan nan nan", "--json")
    data = json.loads(out)
    assert code == 0
    assert data["converged"] is False
    assert data["error"] > 2.0
    code, out, _ = andante("ik", "shell", "--tip", "upper_tip_1", "--target", "3 0 0 nan nan nan")
    assert code == 0
    assert "out of reach" in out


def test_start_hold_and_limits(andante):
    words = ("ik", "shell", "--tip", "lower_foot_2", "--target", "-0.1 0.2 -0.1 nan nan nan", "--json")
    code, out, _ = andante(*words, "--pose", "stand", "--hold", "q111=0.3")
    data = json.loads(out)
    assert code == 0
    assert data["held"] == {"q111": 0.3}
    assert data["notes"] == []
    code, out, _ = andante(*words, "--no-limits", "--restarts", "5", "--seed", "3", "--axes", "tool")
    assert code == 0


def test_a_start_outside_the_limits_is_cut_with_a_note(andante, tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text(
        "<robot name='arm'><link name='a'/><link name='b'/><link name='c'/>"
        "<joint name='j' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>"
        "<limit lower='0.5' upper='1' effort='1' velocity='1'/></joint>"
        "<joint name='k' type='fixed'><parent link='b'/><child link='c'/><origin xyz='1 0 0'/></joint></robot>"
    )
    (tmp_path / "arm.toml").write_text("[poses.home]\nj = 0.0\n")
    words = ("ik", file, "--tip", "c", "--target", "nan nan nan 0.7 nan nan", "--pose", "home")
    code, out, _ = andante(*words, "--json")
    assert code == 0
    data = json.loads(out)
    assert data["q"]["j"] == pytest.approx(0.7, abs=1e-6)
    assert data["notes"] == ["pose: j at 0 is outside 0.5 to 1; begins at 0.5"]
    code, out, _ = andante(*words)
    assert "outside 0.5 to 1" in out


@pytest.mark.parametrize(
    ("words", "fragment"),
    [
        (("--tip", "hand", "--target", "0 0 0 0 0 0"), "no link 'hand'"),
        (("--tip", "l_sole", "--base", "hip", "--target", "0 0 0 0 0 0"), "no link 'hip'"),
        (("--tip", "l_sole", "--target", "nan nan nan nan nan nan"), "NaN in all"),
        (("--tip", "l_sole", "--target", "0 0 0"), "expected six numbers (x y z yaw pitch roll, nan = free)"),
        (("--tip", "l_sole", "--target", "a b c d e f"), "expected six numbers (x y z"),
        (("--tip", "l_sole", "--target", "inf 0 0 0 0 0"), "infinite coordinate"),
        (("--tip", "torso", "--base", "base_link", "--target", "0 0 0 0 0 0"), "no movable joint"),
        (("--tip", "l_sole", "--target", "0 0 0 0 0 0", "--pose", "flying"), "no pose 'flying'"),
        (("--tip", "l_sole", "--target", "0 0 0 0 0 0", "--axes", "world"), "choices: base, tool"),
        (("--tip", "l_sole", "--target", "0 0 0 0 0 0", "--hold", "LKneePitch"), "should look like joint=0.5"),
        (("--tip", "l_sole", "--target", "0 0 0 0 0 0", "--hold", "Tail=1"), "no joint 'Tail'"),
        (("--tip", "l_sole", "--target", "0 0 0 0 0 0", "--restarts", "-1"), "restarts must be >= 0"),
        (("--tip", "l_sole", "--target", "0 0 0 0 0 0", "--seed", "-1"), "seed"),
        (("--tip", "l_sole"), "--target"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(andante, words, fragment):
    code, out, err = andante("ik", "nao", *words, "--json")
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert fragment in err


def test_unknown_links_list_the_choices(andante):
    _, _, err = andante("ik", "nao", "--tip", "hand", "--target", "0 0 0 0 0 0")
    assert "l_gripper" in err
    assert "r_sole" in err
