"""A hull that its COLLADA header would lay below the wheels is taken as RViz and Gazebo show it."""

from pathlib import Path

import pytest
from tests.description.mesh.test_triangles import collada

from andante.description import Robot, load_robot
from andante.description.solids import bounds

WHEEL = """<link name="{n}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial><collision>
<origin rpy="1.5708 0 0"/><geometry><cylinder radius="0.1" length="0.05"/></geometry></collision></link>
<joint name="{n}_joint" type="continuous"><parent link="base"/><child link="{n}"/><origin xyz="{x} {y} 0.1"/>
<axis xyz="0 1 0"/></joint>"""


def written(folder: Path, axis: str, z: float = 0.15) -> Path:
    """A robot on four wheels whose hull is 0.4 m wide to its right and 0.6 m high, its origin at z."""
    text = collada("0.2", f"<up_axis>{axis}</up_axis>").replace("0 0 0 1 0 0 0 2 0 0 0 3", "0 0 0 0 -2 0 1 0 0 0 0 3")
    (folder / "hull.dae").write_text(text)
    places = (("a", 0, 0.3), ("b", 0, -0.3), ("c", 0.3, 0.3), ("d", 0.3, -0.3))
    wheels = "".join(WHEEL.format(n=n, x=x, y=y) for n, x, y in places)
    path = folder / "robot.urdf"
    path.write_text(
        f"""<robot name="r"><link name="base"><inertial><mass value="9"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
        <collision><origin xyz="0 0 {z}"/><geometry><mesh filename="hull.dae"/></geometry></collision></link>
        {wheels}</robot>"""
    )
    return path


def lowest(robot: Robot) -> float:
    part = robot.link("base").collisions[0]
    return float(bounds(part.geometry, robot.link_poses()["base"] @ part.pose)[0][2])


def test_a_hull_below_the_wheels_is_turned_back(tmp_path: Path) -> None:
    robot = load_robot(written(tmp_path, "Y_UP"))  # as it says, 0.25 m below the ground
    assert lowest(robot) == pytest.approx(0.15)
    (told,) = [str(each) for each in robot.problems if "up_axis" in str(each)]
    assert "as RViz and Gazebo do" in told


@pytest.mark.parametrize(("axis", "z", "low"), [("Z_UP", 0.15, 0.15), ("Y_UP", 0.5, 0.1)])
def test_hulls_over_the_ground_are_turned_as_their_header_says(tmp_path: Path, axis: str, z: float, low: float) -> None:
    robot = load_robot(written(tmp_path, axis, z))
    assert lowest(robot) == pytest.approx(low)
    assert not any("up_axis" in str(each) for each in robot.problems)
