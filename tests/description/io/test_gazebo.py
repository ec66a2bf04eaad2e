"""The tables that SDF and <gazebo> elements of URDF share lead to fields and parameters that are there."""

from dataclasses import fields

import pytest

from andante.description import Surface, load_robot
from andante.description.io.gazebo import COLORS, NOISE, ROWS, SENSORS, SURFACE, noise

SDF = """<sdf version="1.7"><model name="m"><link name="l"><sensor name="s" type="{kind}">{body}</sensor>
<collision name="c"><geometry><sphere><radius>1</radius></sphere></geometry><surface>{surface}</surface></collision>
</link></model></sdf>"""


def nested(path, value):
    """XML of a path with a value."""
    tags = path.split("/")
    return "".join(f"<{tag}>" for tag in tags) + str(value) + "".join(f"</{tag}>" for tag in reversed(tags))


def read(tmp_path, **parts):
    file = tmp_path / "m.sdf"
    file.write_text(SDF.format(**{"kind": "imu", "body": "", "surface": "", **parts}))
    return load_robot(file)


@pytest.mark.parametrize("path", SURFACE)
def test_every_path_of_a_surface_arrives_in_its_field(tmp_path, path):
    field = SURFACE[path]
    assert field in {each.name for each in fields(Surface)}
    row = tuple(float(k) for k in range(ROWS.get(field, 0)))
    value = " ".join(str(number) for number in row) or "3"
    told = read(tmp_path, surface=nested(path, value)).link("l").collisions[0].surface
    assert getattr(told, field) == (row or 3)


@pytest.mark.parametrize(("kind", "element"), [("gpu_lidar", "lidar"), ("camera", "camera"), ("imu", "imu")])
def test_every_number_of_a_sensor_arrives_under_its_own_name(tmp_path, kind, element):
    table = {path: name for path, name in SENSORS[element].items() if not name.endswith(("type", "format"))}
    table = {path: name for path, name in table.items() if name not in ("localization", "distortion_center")}
    assert len(set(table.values())) == len(table)  # no two paths under one name
    for k, (path, name) in enumerate(table.items(), start=1):
        (spec,) = read(tmp_path, kind=kind, body=nested(f"{element}/{path}", k)).sensors
        assert float(spec.parameters[name]) == k, path


def test_noise_has_a_label_in_front():
    assert noise("pressure/", "air_")["pressure/noise/stddev"] == "air_noise_stddev"
    assert set(noise().values()) == set(NOISE.values())
    assert SENSORS["imu"]["angular_velocity/x/noise/bias_mean"] == "angular_velocity_x_bias_mean"


def test_both_spellings_of_gray_are_one_color():
    assert COLORS["Gray"] == COLORS["Grey"]
    assert COLORS["DarkGray"] == COLORS["DarkGrey"]
    assert all(len(color) == 4 and all(0 <= part <= 1 for part in color) for color in COLORS.values())
