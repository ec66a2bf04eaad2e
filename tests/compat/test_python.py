"""Programs as the pages and examples of 0.1.0 wrote them: they run, and are told what to write now."""

import numpy as np
import pytest

from andante.errors import BadInput

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def test_a_walker_as_an_observer():
    from andante.runtime.behave import Behave

    import andante as an
    from andante.locomotion import Command
    from andante.locomotion.gaits import Request, prepare

    ready = prepare(an.robot("nao"), Request("walk"))
    sim = an.simulate(ready.robot, pose=ready.pose, sensors=True)
    sim.observers.append(Behave(ready.walker, lambda t: Command(vx=0.2) if t > 0.5 else Command()))
    sim.run(2.0)
    assert sim.base_pose[0] == pytest.approx(ready.walker.position[0], abs=0.05)
    assert sim.base_pose[0] > 0.1
    assert not sim.fallen


def test_key_frames_and_actions_as_an_observer():
    from andante.runtime.player import Player

    import andante as an
    from andante.motion import ActionRunner, play_from
    from andante.motion.io.library import find_motion

    nao = an.robot("nao")
    sim = an.simulate(nao)
    start = dict(zip(nao.joint_names, sim.joints.position, strict=True))
    motion = play_from(find_motion(nao, "wave_hand"), nao, start)
    player = Player(sim, motion)
    sim.observers.append(player)
    sim.run(motion.duration + 0.5)
    assert player.finished
    assert player.ended_at == pytest.approx(motion.duration, abs=0.02)
    assert 0 < player.tracking()["max"] < 0.3
    assert set(player.errors()) == set(motion.names)
    runner = ActionRunner(nao, find_motion(nao, "point").actions)
    runner.start("point")
    acting = Player(sim, runner)
    sim.observers.append(acting)
    sim.run(1.0)
    assert acting.tracking()["joint"] is not None


def test_jobs(tmp_path):
    from andante.runtime.explore_job import ExploreJob, run_explore
    from andante.runtime.walk import WalkJob, WalkOutcome, run_walk

    job = WalkJob("nao", velocity="0.1 0 0", seconds=1.0)
    assert (job.world, job.engine, job.speed) == ("empty", "mujoco", 60.0)
    outcome = run_walk(job)
    assert isinstance(outcome, WalkOutcome)
    assert outcome.distance > 0.05
    way = tmp_path / "way.txt"
    way.write_text("0.3 0.0\n")
    told = run_explore(ExploreJob("rover", "lab", tmp_path / "map", waypoints=way))
    assert told.scans > 0
    assert (tmp_path / "map.yaml").is_file()


def test_a_job_says_what_to_write_now():
    from andante.runtime.job import SimJob, run_sim

    with pytest.warns(DeprecationWarning, match=r"SimJob is an\.sim\(\.\.\.\) now"):
        assert run_sim(SimJob("waffle", seconds=0.1)).seconds == pytest.approx(0.1)


def test_a_search_and_its_export(tmp_path):
    from andante.runtime.gait_export import export_gait
    from andante.runtime.gait_job import GaitTask, SearchJob, best_of, run_search

    study = tmp_path / "study"
    task = GaitTask("nao", seconds=1.0)
    run_search(SearchJob(task, study, sampler="random", budget=2, workers=0, frozen={"T": 0.8}))
    assert best_of(study).best.parameters["T"] == 0.8
    assert export_gait(study, tmp_path / "found", cycles=2).parameters.is_file()


def test_modules_that_were_packages_and_names_that_moved():
    from andante.bus.bags import bag_info
    from andante.experiments.statistics.summary import summarize
    from andante.localization.io.uwb_setup import read_uwb_setup
    from andante.runtime.live.pilot import DEADMAN

    from andante.kinematics.wheels import FixedWheel, Wheel
    from andante.physics.actuators import ACTUATORS
    from andante.robots.nao.actuators import LEG_ROLL

    assert issubclass(FixedWheel, Wheel)
    assert callable(summarize)
    assert callable(read_uwb_setup)
    assert DEADMAN == 0.5
    with pytest.raises(BadInput):
        bag_info("none.bag", mapping=False)
    with pytest.warns(DeprecationWarning, match=r"ACTUATORS\[nao-leg-roll\] is andante\.robots\.nao"):
        assert ACTUATORS["nao-leg-roll"] is LEG_ROLL
    with pytest.raises(KeyError, match="steam"):
        ACTUATORS["steam"]


def test_pictures_by_the_old_spelling():
    import matplotlib as mpl

    mpl.use("agg")
    from andante.runtime.preview import COLOURS, draw_chain, space

    import andante as an

    nao = an.robot("nao")
    _, (axes,) = space()
    draw_chain(axes, nao.chain("torso", "l_sole"), np.zeros(6), colour=COLOURS[1])
