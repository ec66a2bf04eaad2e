"""One robot, three doors: a task, a live session and a loop of one's own move it alike and record it alike."""

import numpy as np
import pytest
from tests.session.recorded import described

import andante as an
from andante.bags import messages, open_bag
from andante.control import ControlLoop
from andante.locomotion import Command
from andante.locomotion.gaits import Request, prepare
from andante.mobile import BaseDriver
from andante.session import LiveSession


@pytest.fixture
def steps(monkeypatch):
    """What every control step was asked for and sent."""
    taken = []
    finish = ControlLoop.finish

    def noted(self):
        finish(self)
        taken.append((self.asked, self.targets.copy()))

    monkeypatch.setattr(ControlLoop, "finish", noted)
    return taken


def played_live(robot, commands, folder, steps, **options):
    """Joint targets of a live session that gets the same commands, recorded."""
    with LiveSession(robot, folder=folder, **options) as session:
        session.bus.call("/record_start", {"name": "live"})
        del steps[:]
        for command in commands:
            publisher = session.bus.advertise("/cmd_vel", "geometry_msgs/msg/Twist", node="test")
            twist = {"linear": {"x": command.vx, "y": command.vy}, "angular": {"z": command.wz}}
            publisher.publish(messages.make("geometry_msgs/msg/Twist", **twist))
            session.step()
            publisher.close()
        session.bus.call("/record_stop", {})
    return [targets for _, targets in steps]


def test_a_walk_is_the_same_from_every_door(tmp_path, steps):
    result = an.walk("nao", distance=0.25, seed=3, record=tmp_path / "task.mcap")
    assert result.arrived
    commands, wanted = [asked for asked, _ in steps], [targets for _, targets in steps]
    assert any(command.vx > 0 for command in commands)

    with open_bag(tmp_path / "task.mcap") as bag:
        told = [message.position for _, _, message in bag.decoded(("/joint_targets/executed",))]
    np.testing.assert_array_equal(told, wanted)  # every one, once

    live = played_live("nao", commands, tmp_path, steps, seed=3)
    np.testing.assert_array_equal(live, wanted)

    ready = prepare(an.robot("nao"), Request("walk"))
    sim = an.simulate(ready.robot, pose=ready.pose, start=(0.0, 0.0, -ready.forward), seed=3, sensors=True)
    asked = iter(commands)
    loop = ControlLoop(sim, ready.walker, command=lambda state: next(asked))
    own = []
    for _ in commands:
        loop.step()
        own.append(loop.targets)
    np.testing.assert_array_equal(own, wanted)
    sim.close()

    task, session = described(tmp_path / "task.mcap"), described(tmp_path / "live.mcap")
    assert task[0] == session[0]
    assert task[1] == session[1]
    assert task[2] == session[2]
    assert ("map", "odom") in task[2]
    assert ("odom", ready.robot.root) in task[2]
    truth = {topic for topic in task[0] if topic.startswith("/ground_truth/")}
    assert len(truth) == 6


def test_a_drive_is_the_same_from_every_door(tmp_path, steps):
    """The waffle drives in an arc: in a live session and by a loop of one's own, recorded by both."""
    commands = [Command(vx=0.2, wz=0.4)] * 150 + [Command()] * 50
    live = played_live("waffle", commands, tmp_path, steps, seed=5)

    sim = an.simulate("waffle", seed=5, sensors=True)
    driver = BaseDriver(sim.robot, np.array(sim.engine.commands[sim.model].targets))
    asked = iter(commands)
    loop = ControlLoop(sim, driver, command=lambda state: next(asked))
    view = an.control.RobotView(sim, driver, loop)
    own = []
    with an.simulation.record(sim, tmp_path / "own.mcap", view):
        for _ in commands:
            loop.step()
            own.append(loop.targets)
    np.testing.assert_array_equal(own, live)
    assert np.hypot(*(sim.base_pose[:2])) > 0.2
    sim.close()
    assert described(tmp_path / "own.mcap") == described(tmp_path / "live.mcap")
