"""The trials of the source: the rover arrives, knows where it is, comes back from pushes, and repeats itself."""

import math
from dataclasses import replace

import numpy as np
import pytest

from andante.description import Link, Placement, Robot, load_robot, load_world
from andante.description.link import Collision
from andante.description.shapes import Box
from andante.errors import BadInput, UnknownName
from andante.geometry import SE3
from andante.hardware import Loopback
from andante.localization import MclParameters
from andante.robots.rover.plots import plot_rover_study, plot_rover_trial
from andante.robots.rover.scene import noisier, smoother, smoother_world
from andante.robots.rover.trials import COURSES, RoverTrial, rover_trial
from andante.sensors.uwb import UwbErrors

FINAL, ESTIMATE = 0.10, 0.05  # what is promised [m]


@pytest.fixture(scope="module")
def ahead() -> RoverTrial:
    return rover_trial("ahead", seed=1)


def check(trial: RoverTrial) -> None:
    assert trial.arrived
    assert not trial.collided
    assert trial.final_error < FINAL
    assert trial.estimate_rms < ESTIMATE


def test_the_waypoint_ahead(ahead):
    check(ahead)
    assert ahead.off_line < 0.05
    assert ahead.path_length == pytest.approx(1.5, abs=0.1)
    assert ahead.rms["amcl"] < ahead.rms["odometry"] < ahead.rms["uwb"]


@pytest.mark.parametrize("name", ["diagonal", "left"])  # all five, five seeds each: benchmarks/rover_study.py
def test_the_other_trials(name):
    trial = rover_trial(name, seed=1)
    check(trial)
    if name != "left":  # lines are driven straight
        assert trial.off_line < 0.05


def test_the_rover_stands_until_it_may_move(ahead):
    may = [event.time for event in ahead.events if event.words.endswith("the robot may move now")]
    assert len(may) == 1
    assert may[0] < 0
    first = min(event.time for event in ahead.events)  # connected
    assert may[0] - first >= 4.9  # 50 positions at 10 Hz
    assert np.hypot(*(ahead.truth[0, :2] - COURSES["ahead"].start[:2])) < 0.01


def test_what_the_trial_tells(ahead):
    n = len(ahead.times)
    assert ahead.truth.shape == (n, 3)
    assert all(poses.shape == (n, 3) and np.isfinite(poses).all() for poses in ahead.estimates.values())
    assert np.diff(ahead.times) == pytest.approx(0.02)
    told = ahead.telemetry
    assert set(told.state) >= {"driving", "arrived"}
    assert told.throttle.max() > 1600
    assert told.throttle[-1] == 1500
    assert told.voltage[0] > told.voltage[len(told.voltage) // 2]  # it sags under the throttle
    assert ahead.as_dict()["estimate_rms"] == ahead.estimate_rms
    gap = ahead.estimates["uwb"] - ahead.truth
    assert ahead.rms["uwb"] == pytest.approx(math.sqrt(np.mean(gap[:, 0] ** 2 + gap[:, 1] ** 2)))
    with pytest.raises(UnknownName, match="no estimate 'gps'; choices: uwb, odometry, amcl"):
        ahead.error("gps")


def test_the_same_seed_gives_the_same_trial(ahead):
    again = rover_trial("ahead", seed=1, timeout=1.5)  # a third of the drive
    n = int(np.sum(again.times < 1.5))  # then it is stopped
    assert n > 60
    assert np.array_equal(again.truth[:n], ahead.truth[:n])
    assert all(np.array_equal(again.estimates[name][:n], poses[:n]) for name, poses in ahead.estimates.items())
    assert [e for e in again.events if e.time < 1.5] == [e for e in ahead.events if e.time < 1.5]


@pytest.mark.engine("bullet")
def test_on_bullet():
    check(rover_trial("left", seed=0, engine="bullet"))


def test_pushed_off_its_line_it_steers_back():
    trial = rover_trial("along_y", seed=0, push="12 left 1.5")
    assert trial.off_line > 0.3
    assert trial.arrived
    assert trial.final_error < FINAL
    late = trial.times > 1.5 + 1.5
    assert trial.error("amcl")[late].max() < ESTIMATE
    assert trial.error("odometry")[late].min() > 0.2  # wheels alone have not felt it
    assert [event.words for event in trial.events if event.who == "world"] == ["pushed with 12 left 1.5"]


def test_the_navigator_goes_round_what_no_map_shows_and_plans_anew_when_pushed():
    box = Box((0.25, 0.25, 0.4))
    parcel = Robot("parcel", (Link("parcel", collisions=(Collision(box),)),), ())
    others = (Placement("parcel", parcel, SE3.from_xyz_rpy([0.65, 0.05, 0.2]), fixed=True),)
    trial = rover_trial("along_y", seed=0, guide="navigator", others=others, push="10 right 0.8")
    assert trial.arrived
    assert not trial.collided
    assert trial.final_error < FINAL
    said = [event.words for event in trial.events if event.who == "navigator"]
    assert any("replanning" in words for words in said)
    assert said[-1] == "the goal is reached"


def test_a_line_that_breaks_on_the_way_is_taken_up_again():
    """The cable is pulled for a second: the motors stop by themselves; then the waypoint is named again."""

    class Pulled(Loopback):
        reads = 0

        def take(self, pipe):
            self.reads += 1
            if self.reads == 900:
                self.pull()
            return super().take(pipe)

        def _open(self, incoming, outgoing):
            self.reads += 1
            if self.reads > 910:
                self.plug()
            return super()._open(incoming, outgoing)

    cable = Pulled()
    trial = rover_trial("ahead", seed=0, cable=cable)
    assert cable.reads > 910
    assert trial.arrived
    assert trial.final_error < FINAL
    assert "" in trial.telemetry.state  # nothing came for a while
    assert sum(event.words.startswith("connected") for event in trial.events) == 2


def test_a_wish_that_cannot_be_is_refused_in_words():
    for options, error, words in (
        ({"name": "backwards"}, UnknownName, "no trial 'backwards'; choices: along_y"),
        ({"name": "ahead", "guide": "hand"}, UnknownName, "no guide 'hand'; choices: waypoint, navigator"),
        ({"name": "ahead", "odometry": "gps"}, UnknownName, "no odometry 'gps'; choices: wheels, uwb"),
        ({"name": "ahead", "push": "hard"}, BadInput, "push 'hard' should be"),
        ({"name": "ahead", "noise": -1.0}, BadInput, "noise must be a number >= 0"),
        ({"name": "ahead", "friction": 0.0}, BadInput, "friction must be a number > 0"),
        ({"name": "ahead", "waypoint": (math.nan, 0.0)}, BadInput, "waypoint of a trial is x, y"),
        ({"name": "ahead", "start": (0.0, 0.0)}, BadInput, "start of a trial is x, y, yaw"),
        ({"name": "ahead", "timeout": 0.0}, BadInput, "timeout of a trial must be"),
        ({"name": "ahead", "map_pose": (1.0, 0.0, 0.0)}, BadInput, "give the grid too"),
        ({"name": "ahead", "firmware": {"gain": 1.0}}, UnknownName, "no parameter 'gain'"),
    ):
        with pytest.raises(error, match=words):
            rover_trial(**options)


def test_a_timeout_stops_the_rover(ahead):
    trial = rover_trial("ahead", seed=0, timeout=1.0, parameters=MclParameters(sigma_hit=0.05))
    assert not trial.arrived
    assert trial.events[-1].words == "timed out after 1 s"
    assert trial.telemetry.throttle[-1] == 1500
    assert trial.telemetry.state[-1] == "stopped"
    assert np.hypot(*(trial.truth[-1, :2] - trial.truth[-10, :2])) < 0.01  # at full speed it would be 0.13 m
    assert not np.allclose(trial.map_from_uwb, ahead.map_from_uwb)  # another seed, other noise


def test_conditions_scale_what_they_name():
    rover = load_robot("rover")
    loud = {spec.name: spec.parameters for spec in noisier(rover, 2.0).sensors}
    assert loud["tag0"]["noise_stddev"] == pytest.approx(0.16)
    assert loud["tag0"]["wall_bias"] == pytest.approx(2 * UwbErrors().wall_bias)
    assert loud["laser"]["noise_stddev"] == pytest.approx(0.02)
    assert loud["imu"]["noise_stddev"] == pytest.approx(0.02)
    still = {spec.name: spec.parameters for spec in noisier(rover, 0.0).sensors}
    assert still["tag1"]["noise_stddev"] == still["laser"]["noise_stddev"] == still["imu"]["noise_stddev"] == 0.0
    assert noisier(rover, 1.0) is rover
    mus = [shape.surface.mu for link in smoother(rover, 0.5).links for shape in link.collisions]
    before = [
        1.0 if shape.surface.mu is None else shape.surface.mu for link in rover.links for shape in link.collisions
    ]
    assert mus == pytest.approx([0.5 * mu for mu in before])
    lab = load_world("lab")
    ground = smoother_world(lab, 0.5).models[0].robot.links[0].collisions[0].surface
    assert (ground.mu, ground.mu2) == pytest.approx((0.4, 0.4))
    assert smoother_world(lab, 1.0) is lab


def test_pictures(ahead, tmp_path):
    plot_rover_trial(ahead, tmp_path / "trial.png")
    pushed = replace(ahead, name="left", events=(*ahead.events, replace(ahead.events[0], time=1.0, who="world")))
    plot_rover_trial(pushed, tmp_path / "pushed.svg")
    plot_rover_study([ahead, pushed], tmp_path / "study.png")
    assert all((tmp_path / name).stat().st_size > 10_000 for name in ("trial.png", "pushed.svg", "study.png"))
    words = (tmp_path / "pushed.svg").read_text()
    assert "waypoint" in words
    with pytest.raises(BadInput, match="pictures are written as"):
        plot_rover_trial(ahead, tmp_path / "trial.txt")
    with pytest.raises(BadInput, match="at least one trial"):
        plot_rover_study([], tmp_path / "none.png")
