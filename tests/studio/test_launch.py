"""`an.launch`: a launch file in Python, with what is replaced."""

import andante as an

FILE = 'robot = "waffle"\nworld = "empty"\nrealtime = false\nseconds = 0.2\n'


def test_a_launch_file_runs(tmp_path):
    (tmp_path / "run.toml").write_text(FILE)
    said = []
    result = an.launch(tmp_path / "run.toml", "seconds:=0.1", seed=3, say=said.append)
    assert said == ["waffle in empty on mujoco"]
    assert result.as_dict()["seconds"] < 0.15
    assert str(result).startswith("0.1")
