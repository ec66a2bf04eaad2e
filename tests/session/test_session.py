"""The session as a whole: the loop, time, scenes, driving, services. Mostly on wheels, which are built quickly."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from andante.bags import messages
from andante.bus import Bus
from andante.control.activities import Activity
from andante.description import SolverSettings, load_world
from andante.errors import BadInput, UnknownName
from andante.session import LiveSession


def log_of(session: LiveSession) -> list[str]:
    """Lines of the log from now on, filled as the session runs."""
    lines: list[str] = []
    session.bus.subscribe("/rosout", None, lambda message: lines.append(message.msg), queue=1000)
    return lines


def publish(session: LiveSession, topic: str, kind: str, **fields) -> None:
    publisher = session.bus.advertise(topic, kind)
    publisher.publish(messages.make(kind, **fields))
    publisher.close()


def test_drives_while_it_is_told_to_and_stops_by_itself(waffle: LiveSession) -> None:
    lines = log_of(waffle)
    for _ in range(10):
        publish(waffle, "/cmd_vel", "geometry_msgs/msg/Twist", linear={"x": 0.2})
        waffle.run(0.1)
    assert waffle.behaviour == "drive"
    waffle.run(0.25)
    assert waffle.behaviour == "drive"
    waffle.run(0.6)
    assert waffle.behaviour == "balance"
    gone = waffle.stage.sim.base_pose[0]
    assert 0.2 < gone < 0.4
    assert waffle.position[0] == pytest.approx(gone, abs=0.02)  # its own estimate, not the truth
    waffle.run(0.5)
    assert waffle.stage.sim.base_pose[0] == pytest.approx(gone, abs=2e-3)
    assert [line for line in lines if line.startswith("/cmd_vel")] == [
        "/cmd_vel: drive 0.20 m/s ahead, 0.00 m/s left, 0.00 rad/s"
    ]


def test_same_seed_and_inputs_same_bytes(tmp_path: Path) -> None:
    def record() -> list[tuple[str, float, bytes]]:
        out: list[tuple[str, float, bytes]] = []
        with LiveSession("waffle", world="lab", seed=7, folder=tmp_path) as session:
            for topic in list(session.bus.topics()):
                if "camera" not in topic:
                    session.bus.subscribe(
                        topic, None, lambda s: out.append((s.topic, s.stamp, s.cdr)), queue=1000, whole=True
                    )
            session.run(0.3)
            publish(session, "/cmd_vel", "geometry_msgs/msg/Twist", linear={"x": 0.2}, angular={"z": 0.3})
            session.run(0.8)
            session.bus.call("/set_speed", {"percent": 30.0})
            publish(session, "/goal_pose", "geometry_msgs/msg/PoseStamped", pose={"position": {"x": 1.0}})
            session.run(1.5)
        return out

    first, second = record(), record()
    told = {topic for topic, *_ in first}
    assert {"/scan", "/tf", "/odom", "/imu/data", "/status", "/amcl_pose", "/particlecloud", "/plan", "/rosout"} <= told
    assert first == second


def test_nothing_is_built_without_a_listener(waffle: LiveSession, monkeypatch: pytest.MonkeyPatch) -> None:
    from andante.control import publishers as robot_state
    from andante.session.nodes import robot as status
    from andante.simulation import publishers as sensors

    def refuse(*_: object) -> None:
        raise AssertionError("a message was built that nobody wanted")

    for module, kinds in (
        (robot_state, ("JointState", "TFMessage")),
        (sensors, ("ImuMessage", "LaserScan")),
        (sensors, ("LinkPoses", "Contacts")),
        (status, ("Status",)),
    ):
        for kind in kinds:
            monkeypatch.setattr(module, kind, refuse)
    waffle.run(1.0)
    waffle.bus.subscribe("/status", None, lambda message: None)
    with pytest.raises(AssertionError, match="nobody wanted"):
        waffle.run(0.2)


def test_rates_are_kept(waffle: LiveSession) -> None:
    stamps: dict[str, list[float]] = {}
    for topic in ("/joint_states", "/tf", "/ground_truth/links", "/status", "/clock", "/scan"):
        waffle.bus.subscribe(topic, None, lambda s: stamps.setdefault(s.topic, []).append(s.stamp), 1000, whole=True)
    waffle.run(2.0)
    rates = {topic: len(times) / 2.0 for topic, times in stamps.items()}
    assert rates["/clock"] == 100
    assert rates["/joint_states"] == pytest.approx(50, abs=1)
    assert rates["/tf"] == pytest.approx(50, abs=1)
    assert rates["/ground_truth/links"] == pytest.approx(30, abs=1)
    assert rates["/status"] == 10
    assert rates["/scan"] == pytest.approx(5, abs=1)


def test_pause_step_and_resume(waffle: LiveSession) -> None:
    status: list[bool] = []
    waffle.bus.subscribe("/status", None, lambda message: status.append(message.paused))
    assert waffle.bus.call("/pause").success
    now = waffle.time
    for _ in range(10):
        assert not waffle.step()
    assert waffle.time == now
    assert status[-1]
    answer = waffle.bus.call("/step", {"periods": 3})
    assert answer.success
    assert [waffle.step() for _ in range(5)] == [True, True, True, False, False]
    assert waffle.time == pytest.approx(now + 0.03)
    assert answer.sim_time == pytest.approx(now + 0.03)
    waffle.bus.call("/resume")
    assert waffle.step()
    refused = waffle.bus.call("/step", {"periods": 1})
    assert not refused.success
    assert "pause it first" in refused.message


def test_a_reset_is_a_fresh_start_and_time_goes_on(waffle: LiveSession) -> None:
    waffle.drive(vx=0.2)
    waffle.run(0.5)
    before = waffle.time
    assert waffle.bus.call("/reset").success
    assert waffle.scene == 1
    assert waffle.time == before
    assert waffle.stage.sim.base_pose[0] == pytest.approx(0.0, abs=1e-6)
    waffle.run(0.2)
    assert waffle.time == pytest.approx(before + 0.2)


@pytest.mark.engine("bullet")
def test_other_engine_world_and_robot(waffle: LiveSession) -> None:
    topics = set(waffle.bus.topics())
    assert waffle.bus.call("/select", {"engine": "bullet", "world": "lab"}).success
    assert waffle.stage.sim.engine.name == "bullet"
    waffle.run(0.1)
    assert waffle.bus.call("/select", {"robot": "rover", "engine": "mujoco", "world": "empty"}).success
    waffle.run(0.1)
    assert set(waffle.bus.topics()) ^ topics == {
        "/camera/image_raw/compressed",
        "/camera/camera/image_raw/compressed",
        *(
            f"/uwb/{tag}/{anchor}"
            for tag in ("tag0", "tag1")
            for anchor in ("n_0x6902", "n_0x6e44", "n_0x6e6c", "n_0x6e7a", "position")
        ),
        *("/uwb/tag0/filtered", "/uwb/pose", "/ahrs/rpy"),
        *(f"/car/{name}" for name in ("odometry", "pose", "telemetry", "state", "waypoint")),
        *(f"/{robot}/{gain}" for robot in ("waffle", "rover") for gain in ("pgain", "dgain")),
    }
    assert "/rover/pgain" in waffle.bus.parameters
    assert "/waffle/pgain" not in waffle.bus.parameters
    for asked, fragment in (
        ({"engine": "bulet"}, "no engine"),
        ({"world": "labb"}, "no world"),
        ({"robot": "x"}, "no robot"),
    ):
        refused = waffle.bus.call("/select", asked)
        assert not refused.success
        assert fragment in refused.message
    assert waffle.stage.name == "rover"


def test_spawning(waffle: LiveSession) -> None:
    names: list[list[str]] = []
    waffle.bus.subscribe("/ground_truth/links", None, lambda m: names.append(list(m.names)))
    answer = waffle.bus.call("/spawn", {"x": 1.0, "y": -2.0, "yaw": math.pi / 2})
    assert answer.success
    np.testing.assert_allclose(waffle.stage.sim.base_pose[:2], [1.0, -2.0], atol=1e-6)
    assert waffle.bus.tf.lookup("map", "base_footprint") if waffle.bus.tf.can("map", "base_footprint") else True
    assert waffle.bus.call("/spawn", {"model": "rover", "name": "other", "x": 3.0, "y": 0.0}).success
    np.testing.assert_allclose(waffle.stage.sim.base_pose[:2], [1.0, -2.0], atol=1e-3)
    waffle.run(0.1)
    assert "other::base_link" in names[-1]
    assert "base_footprint" in names[-1]
    refused = waffle.bus.call("/spawn", {"model": "rover", "name": "other", "x": 5.0})
    assert "already" in refused.message
    assert not waffle.bus.call("/spawn", {"model": "../secret", "x": 0.0}).success
    assert not waffle.bus.call("/spawn", {"x": math.nan}).success
    waffle.reset()
    np.testing.assert_allclose(waffle.stage.sim.base_pose[:2], [1.0, -2.0], atol=1e-3)


def test_a_push_moves_it_and_ends(waffle: LiveSession) -> None:
    publish(waffle, "/push", "andante_msgs/msg/Push", force={"y": 40.0}, seconds=0.1)
    waffle.run(0.05)
    assert waffle.stage.sim.engine.pushes
    waffle.run(0.2)
    assert not waffle.stage.sim.engine.pushes
    assert abs(waffle.stage.sim.base_pose[1]) > 1e-3
    for fields, fragment in (
        ({"force": {"x": 1e6}}, "up to 1000 N"),
        ({"force": {"x": 1.0}, "seconds": 60.0}, "up to 5 s"),
        ({"link": "tail", "force": {"x": 1.0}}, "tail"),
    ):
        lines = log_of(waffle)
        publish(waffle, "/push", "andante_msgs/msg/Push", **fields)
        waffle.run(0.02)
        assert any(fragment in line for line in lines)


def test_gains_and_stiffness_reach_the_engine(waffle: LiveSession) -> None:
    engine, model = waffle.stage.sim.engine, waffle.stage.sim.model
    waffle.bus.parameters.set("/waffle/pgain/wheel_left_joint", 7.0)
    assert engine.commands[model].gains.kp[0] == 7.0
    publish(waffle, "/waffle/dgain", "std_msgs/msg/Float64", data=0.5)
    waffle.run(0.02)
    np.testing.assert_allclose(engine.commands[model].gains.kd, 0.5)
    assert waffle.bus.parameters.get("/waffle/dgain/wheel_right_joint") == 0.5
    assert waffle.bus.call("/set_stiffness", {"share": 0.5, "joints": ["*left*"]}).success
    assert engine.commands[model].gains.kp[0] == pytest.approx(3.5)
    assert not waffle.bus.call("/set_stiffness", {"share": 0.5, "joints": ["Head*"]}).success
    with pytest.raises(BadInput):
        waffle.bus.parameters.set("/waffle/pgain", -1.0)


def test_keys_drive_any_robot(waffle: LiveSession) -> None:
    waffle.bus.call("/set_speed", {"percent": 100.0})
    for _ in range(10):
        publish(waffle, "/key", "std_msgs/msg/String", data="w")
        waffle.run(0.1)
    assert waffle.stage.sim.base_pose[0] > 0.05
    lines = log_of(waffle)
    publish(waffle, "/key", "std_msgs/msg/String", data="shell")
    waffle.run(0.02)
    assert any("no button 'shell' in robot" in line for line in lines)


def test_lists(waffle: LiveSession) -> None:
    def names(kind: str) -> list[str]:
        return list(waffle.bus.call("/list", {"kind": kind}).names)

    assert "nao" in names("robots")
    assert "lab" in names("worlds")
    assert set(names("engines")) == {"mujoco", "bullet", "dart", "ode"}
    assert names("gaits") == ["wheels"]
    assert names("keys")[:6] == ["w", "s", "a", "d", "q", "e"]
    assert names("joints") == ["wheel_left_joint", "wheel_right_joint"]
    assert "cmaes" in names("samplers")
    assert "help" in names("commands")
    assert names("recordings") == names("clips") == names("studies") == []
    with pytest.raises(Exception, match="no kind of names 'x'"):
        names("x")


def test_recording(waffle: LiveSession) -> None:
    from andante.bags import open_bag

    answer = waffle.bus.call("/record_start", {"name": "run", "topics": ["/odom", "/clock"]})
    assert answer.success
    assert answer.file == "run.mcap"
    assert not waffle.bus.call("/record_start", {}).success
    waffle.run(0.5)
    stopped = waffle.bus.call("/record_stop")
    assert stopped.success
    with open_bag(waffle.folder / "run.mcap") as bag:
        names = [message.topic.name for message in bag.messages()]
    assert names.count("/clock") == 50
    assert names.count("/odom") == pytest.approx(25, abs=1)
    assert len(names) == stopped.messages
    assert not waffle.bus.call("/record_stop").success
    assert not waffle.bus.call("/record_start", {"name": "../../x"}).success


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        ({"robot": "nobody"}, "no robot 'nobody'"),
        ({"robot": "waffle", "engine": "unreal"}, "no engine 'unreal'"),
        ({"robot": "waffle", "start": (0, 0, math.nan)}, "start must be"),
        ({"robot": "waffle", "dt": 0.003}, "dt must divide"),
        ({"robot": "waffle", "gait": "walk"}, "no gait 'walk'"),
    ],
)
def test_refuses(arguments, fragment, tmp_path: Path) -> None:
    with pytest.raises((BadInput, UnknownName), match=fragment):
        LiveSession(**arguments, folder=tmp_path)


def test_a_failing_activity_does_not_end_the_session(waffle: LiveSession) -> None:
    lines = log_of(waffle)

    class Broken(Activity):
        name, resting = "broken", False

        def stop(self) -> None: ...

        def update(self, readings, command, dt):
            return np.full(2, np.nan)

    waffle.stage.activities.replace(Broken())
    waffle.run(0.05)
    assert any("broken failed" in line for line in lines)
    assert waffle.behaviour == "hold"
    waffle.drive(vx=0.2)
    waffle.run(0.4)
    assert waffle.stage.sim.base_pose[0] > 0.01


def test_the_camera_draws_for_those_who_look(waffle: LiveSession) -> None:
    import io

    from PIL import Image

    waffle.run(0.3)
    pictures: list = []
    looking = waffle.bus.subscribe("/camera/image_raw/compressed", None, pictures.append)
    waffle.run(0.4)
    assert 2 <= len(pictures) <= 3
    assert pictures[0].format == "jpeg"
    assert pictures[0].header.frame_id == "camera_link"
    picture = Image.open(io.BytesIO(bytes(pictures[0].data)))
    assert max(picture.size) == 320
    assert np.asarray(picture).std() > 5  # a horizon at least
    looking.close()
    with pytest.raises(UnknownName, match="no camera 'eye'"):
        waffle.bus.parameters.set("/camera/name", "eye")


def test_a_paced_session_keeps_to_the_clock_and_says_so(waffle: LiveSession) -> None:
    from andante.session.session import Pacer

    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    waffle.pacer = Pacer(lambda: now[0], sleep)
    waffle.inbound.append(lambda: sleep(0.004))  # the work of a period
    told: list = []
    waffle.bus.subscribe("/status", None, told.append, 100)
    waffle.run(2.0, pace=True)
    assert now[0] == pytest.approx(2.0, abs=0.02)
    assert told[-1].real_time_factor == pytest.approx(1.0, abs=0.02)
    assert told[-1].load == pytest.approx(0.4, abs=0.05)
    waffle.inbound.append(waffle.stop)
    waffle.run(pace=True)
    assert waffle.stopped


def test_a_failing_node_does_not_end_a_live_session(waffle: LiveSession) -> None:
    class Broken:
        def update(self) -> None:
            raise ValueError("out of luck")

        def rebuilt(self) -> None: ...

        def close(self) -> None: ...

    lines = log_of(waffle)
    waffle.nodes.append(Broken())
    waffle.run(0.03, pace=True)
    assert lines.count("Broken failed: ValueError: out of luck") == 1
    with pytest.raises(ValueError, match="out of luck"):
        waffle.run(0.01)


def test_a_stream_of_nonsense_is_told_once_a_second(waffle: LiveSession) -> None:
    lines = log_of(waffle)
    for _ in range(25):
        publish(waffle, "/cmd_vel", "geometry_msgs/msg/Twist", linear={"x": math.nan})
        waffle.run(0.1)
    told = [line for line in lines if line.startswith("/cmd_vel")]
    assert len(told) == 3
    assert "three finite numbers" in told[0]
    assert waffle.behaviour == "balance"


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda s: s.run(-1.0), "seconds must be >= 0"),
        (lambda s: s.single_step(), "pause it first"),
        (lambda s: (s.pause(), s.single_step(0)), "1 to 1000 control periods"),
        (lambda s: s.respawn(0.0, 0.0, 0.0, height=11.0), "0 to 10 m"),
        (lambda s: s.set_speed(0.0), "above 0 and up to 100"),
        (lambda s: s.spawn("rover", "waffle", 1.0, 0.0, 0.0), "a model 'waffle' already"),
    ],
)
def test_what_a_session_refuses(waffle: LiveSession, ask: Any, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        ask(waffle)


def test_more_of_the_same_are_numbered_until_it_is_enough(waffle: LiveSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("andante.session.session.MOST_MODELS", 2)
    assert waffle.spawn("waffle", "", 2.0, 0.0, 0.0) == "waffle_2"
    assert waffle.spawn("waffle", "", 3.0, 0.0, 0.0) == "waffle_3"
    with pytest.raises(BadInput, match="up to 2 models"):
        waffle.spawn("waffle", "", 4.0, 0.0, 0.0)


def test_a_scene_that_blows_up_starts_anew_and_waits(waffle: LiveSession) -> None:
    lines = log_of(waffle)
    waffle.run(0.2)
    engine, model = waffle.stage.sim.engine, waffle.stage.sim.model
    engine.set_base(model, engine.base_pose(model), [0.0, 0.0, 1e12, 0.0, 0.0, 0.0])
    waffle.run(0.1)
    assert waffle.paused
    assert np.isfinite(waffle.stage.sim.base_pose).all()
    assert any("is reset and paused" in line for line in lines)
    waffle.resume()
    waffle.run(0.1)
    assert not waffle.paused


def test_another_solver_builds_the_scene_anew_where_the_robot_stands():
    with LiveSession("waffle", "empty", start=(0.5, 0.2, 0.3), solver={"iterations": 40}) as session:
        assert session.stage.sim.engine.settings.iterations == 40
        session.run(0.1)
        scene, here = session.scene, session.stage.sim.base_pose[:2].copy()
        answer = session.bus.call("/set_solver", {"name": "dt=0.001, cone=pyramidal"})
        assert answer.success
        assert session.scene == scene + 1
        engine = session.stage.sim.engine
        assert (engine.dt, engine.settings.cone, engine.settings.iterations) == (0.001, "pyramidal", None)
        np.testing.assert_allclose(session.stage.sim.base_pose[:2], here, atol=1e-3)
        listed = session.bus.call("/list", {"kind": "solver"})
        lines = dict(zip(listed.names, listed.help, strict=True))
        assert lines["cone"].startswith("pyramidal | elliptic | form of the friction cone | elliptic, pyramidal")
        for wrong, words in (
            ("erp=0.1", "has no solver.erp"),
            ("dt=0.003", "must divide"),
            ("conee=1", "did you mean"),
        ):
            refused = session.bus.call("/set_solver", {"name": wrong})
            assert not refused.success
            assert words in refused.message
        assert session.stage.sim.engine is engine
        session.select(engine="ode")  # has a step of its own, and no cone
        assert session.choice.solver.stated == {"dt": 0.001}
        session.run(0.05)


def test_the_settings_of_a_world_count_in_a_session_and_are_told():
    world = replace(load_world("empty"), physics=SolverSettings(dt=0.001, erp=0.2))
    lines: list[str] = []
    bus = Bus()
    bus.subscribe("/rosout", None, lambda message: lines.append(message.msg), queue=1000)
    with LiveSession("waffle", world, bus=bus) as session:
        assert session.stage.sim.engine.dt == 0.001
        session.run(0.05)
    assert any("the world asks for dt 0.001, erp 0.2; the step is 1 ms" in line for line in lines)
    assert any("'mujoco' has no erp" in line for line in lines)


ODD = """<robot name="my robot-2.0 ä"><link name="base"><inertial><mass value="1"/>
<inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><box size=".3 .3 .1"/></geometry></collision></link><link name="1 arm"><inertial><mass value="1"/>
<inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="1st joint.x" type="revolute"><parent link="base"/><child link="1 arm"/><origin xyz="0 0 .2"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="10" velocity="2"/></joint>
<gazebo reference="base"><sensor name="ümu 1" type="imu"><update_rate>50</update_rate></sensor></gazebo>
<gazebo reference="base"><sensor name="ümu-1" type="imu"><update_rate>50</update_rate></sensor></gazebo></robot>"""


def test_a_robot_with_odd_names_lives_on_the_bus(tmp_path: Path) -> None:
    (tmp_path / "odd.urdf").write_text(ODD)
    bus, lines = Bus(), []
    bus.subscribe("/rosout", None, lambda m: lines.append(m.msg))
    with LiveSession(tmp_path / "odd.urdf", folder=tmp_path, bus=bus) as session:
        session.run(0.2)
        assert session.bus.parameters.get("/my_robot_2_0_a/pgain/n_1st_joint_x") >= 0.0
        assert {"/imu/data", "/imu/umu_1_2", "/my_robot_2_0_a/pgain"} <= set(session.bus.topics())
        assert "'1st joint.x' is n_1st_joint_x" in "".join(lines)
        session.bus.parameters.set("/my_robot_2_0_a/pgain", 7.0)
        session.run(0.1)
        assert session.bus.parameters.get("/my_robot_2_0_a/pgain/n_1st_joint_x") == 7.0


def test_models_stand_within_reach_of_physics(waffle: LiveSession) -> None:
    """Far away a step of a coordinate is larger than any contact, and everything flies apart on the next resume."""
    before = waffle.stage
    for request in ({"x": 1e9}, {"model": "rover", "y": -1e9}, {"x": 1e308}):
        refused = waffle.bus.call("/spawn", request)
        assert not refused.success
        assert "must" in refused.message
    assert waffle.stage is before
    waffle.run(0.05)


def test_a_push_acts_at_a_point(waffle: LiveSession) -> None:
    for point in ((math.nan, 0.0, 0.0), (0.0, math.inf, 0.0), (1e9, 0.0, 0.0)):
        with pytest.raises(BadInput, match="acts at a point of the link"):
            waffle.push("", (1.0, 0.0, 0.0), 0.1, point)
    waffle.run(0.05)
    assert np.isfinite(waffle.stage.sim.base_pose).all()
