"""Parameter files of ROS before `map`, `localize` and `explore`: YAML and launch files."""

import pytest

import andante as an
from andante.description.io.xmltree import parse_xml
from andante.errors import BadInput
from andante.mapping import synthetic
from andante.tasks.ros_files import launch_tree, read_ros, read_values

LAUNCH = """<launch>
  <arg name="particles" default="800"/>
  <arg name="indoor" default="true"/>
  <include file="$(find my_robot)/bringup.launch"/>
  <node pkg="amcl" type="amcl" name="amcl" output="screen">
    <param name="max_particles" value="$(arg particles)"/>
    <param name="laser_z_hit" value="0.7" if="$(arg indoor)"/>
    <param name="laser_z_hit" value="0.2" unless="$(arg indoor)"/>
    <param name="odom_alpha1" type="double" value="1"/>
    <param name="odom_model_type" value="diff"/>
    <param name="frame" value="$(env NAME)/odom"/>
    <rosparam>
      laser_max_beams: 40
      deeper: {update_min_d: 0.15}
    </rosparam>
    <rosparam file="more.yaml" command="load" ns="extra"/>
  </node>
  <group ns="mapper">
    <node pkg="hector_mapping" type="hector_mapping" name="hector">
      <param name="map_resolution" value="0.1"/>
      <param name="map_multi_res_levels" value="2"/>
      <param name="laser_max_dist" value="8.0"/>
      <param name="pub_map_odom_transform" value="true"/>
    </node>
  </group>
</launch>"""


@pytest.fixture
def files(tmp_path):
    walls = synthetic.rooms([(0, 0), (6, 0), (6, 4), (0, 4)], (2.5, 1.5, 1, 1))
    run = synthetic.drive(walls, synthetic.smooth_path([(1, 1), (4.8, 1.2), (5, 3.2)], 0.1))
    an.mapping.write_carmen(run.log, tmp_path / "drive.log")
    (tmp_path / "robot.launch").write_text(LAUNCH)
    return tmp_path


def test_a_launch_file_is_a_tree_of_its_nodes():
    tree = launch_tree(parse_xml(LAUNCH.encode(), "robot.launch"))
    assert tree["amcl"]["max_particles"] == 800
    assert tree["amcl"]["laser_z_hit"] == 0.7
    assert tree["amcl"]["odom_alpha1"] == 1.0
    assert tree["amcl"]["deeper"] == {"update_min_d": 0.15}
    assert tree["amcl"]["frame"] == "$(env NAME)/odom"
    assert tree["mapper"]["hector"]["map_resolution"] == 0.1


def test_each_command_takes_its_own_and_names_the_rest(files):
    values, told = read_values(files / "robot.launch", "mcl")
    assert values == {
        "particles_max": 800, "z_hit": 0.7, "turn_from_turn": 1.0, "odometry_model": "diff", "beams": 40,
        "update_min_d": 0.15,
    }  # fmt: skip
    assert "mapper.hector.map_resolution" in told[0]
    assert "amcl.extra.rosparam file" in told[0]
    values, told = read_values(files / "robot.launch", "mapping")
    assert values == {"resolution": 0.1, "levels": 2, "range_max": 8.0}
    assert "amcl.max_particles" in told[0]
    assert set(read_ros(files / "robot.launch").tables) == {"mcl", "mapping"}


def test_map_and_localize_take_them(files):
    made = an.map_log(files / "drive.log", files / "room", params=files / "robot.launch")
    assert made.grid.resolution == 0.1
    assert any("pub_map_odom_transform" in words for words in made.warnings)
    (files / "amcl.yaml").write_text(
        "amcl: {ros__parameters: {max_particles: 900, min_particles: 900, tf_broadcast: true}}"
    )
    found = an.localize(
        files / "drive.log", map=files / "room.yaml", initial_pose=(0, 0, 0), params=files / "amcl.yaml"
    )
    assert found.details["particles"]["max"] == 900
    assert any("amcl.tf_broadcast" in words for words in found.warnings)


def test_a_table_of_its_own_may_stand_in_a_file_of_ours(tmp_path):
    (tmp_path / "p.toml").write_text("[mcl]\nparticles_max = 700\n")
    assert read_values(tmp_path / "p.toml", "mcl") == ({"particles_max": 700}, ())
    with pytest.raises(BadInput, match=r"p\.toml: there is no table \[mcl\] here"):
        read_values(tmp_path / "p.toml", "mapping")
    (tmp_path / "q.toml").write_text("mcl = 3\n")
    with pytest.raises(BadInput, match=r"q\.toml: \[mcl\] is a table"):
        read_values(tmp_path / "q.toml", "mcl")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<launch><node name='a'><rosparam>a: [1</rosparam></node></launch>", "cannot be read as parameters"),
        ("<launch>", "robot.launch"),
        ("<launch><param name='max_particles' value='many'/></launch>", "max_particles must be a finite number"),
    ],
)
def test_bad_launch_files_are_told_in_one_line(tmp_path, text, words):
    (tmp_path / "robot.launch").write_text(text)
    with pytest.raises(BadInput, match=words) as told:
        read_values(tmp_path / "robot.launch", "mcl")
    assert "\n" not in str(told.value)
