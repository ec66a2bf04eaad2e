"""Gait search beside the session: another process that is started, paused, resumed and listened to."""

import time
from pathlib import Path

import numpy as np

from andante.session import LiveSession
from andante.session.nodes.search import SearchNode


def wait_for(session: LiveSession, done, seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    session.pause()
    while not done():
        assert time.monotonic() < end, "the search did not answer in time"
        session.step()
        time.sleep(0.01)
    session.resume()


def test_start_pause_resume_and_replay(tmp_path: Path) -> None:
    with LiveSession("nao", folder=tmp_path) as session:
        states: list = []
        session.bus.subscribe("/search/state", None, states.append, 1000)
        session.step()
        assert states[-1].status == "idle"
        assert not session.bus.call("/search/pause").success
        assert not session.bus.call("/search/resume").success
        for asked, fragment in (
            ({"sampler": "luck"}, "no sampler 'luck'"),
            ({"study": "../x"}, "no folder"),
            ({"budget": 2_000_000}, "up to 1000000 candidates"),
            ({"variant": "wild"}, "no variant 'wild'"),
            ({"fitness": "taste"}, "no fitness 'taste'"),
            ({"engine": "steam"}, "no engine 'steam'"),
            ({"parameters": ["T"], "low": [0.5], "high": []}, "as many ends"),
            ({"parameters": ["T"], "low": [0.9], "high": [0.5]}, "to a greater one"),
            ({"parameters": ["Q"], "low": [0.5], "high": [0.9]}, "no wave parameter 'Q'"),
        ):
            refused = session.bus.call("/search/start", asked)
            assert fragment in refused.message
        asked = {"study": "first", "sampler": "random", "budget": 5, "seed": 3, "seconds": 0.5}
        asked |= {"variant": "smooth", "fitness": "source", "parameters": ["T"], "low": [0.55], "high": [0.65]}
        assert session.bus.call("/search/start", asked).study == "first"
        assert not session.bus.call("/search/start", {}).success
        wait_for(session, lambda: states[-1].evaluated >= 1)
        session.bus.call("/search/pause")
        wait_for(session, lambda: states[-1].status in ("paused", "done"))
        assert session.bus.call("/search/resume").success
        wait_for(session, lambda: states[-1].status == "done")
        last = states[-1]
        assert last.evaluated == 5
        assert sorted(last.numbers) == [0, 1, 2, 3, 4]
        assert len(last.values) == 5 * len(last.parameters)
        assert np.isfinite(last.fitness).all()
        fitness = [candidate.fitness for candidate in last.best]
        assert fitness == sorted(fitness, reverse=True)
        assert ((last.low[:10] <= last.values[:10]) & (last.values[:10] <= last.high[:10])).all()
        at = list(last.parameters).index("T")
        assert (last.low[at], last.high[at]) == (0.55, 0.65)
        assert session.bus.call("/list", {"kind": "studies"}).names == ["first"]
        best = last.best[0]
        assert session.bus.call("/search/replay", {"number": best.number}).success
        wanted = dict(zip(last.parameters, best.values, strict=True))
        assert session.command_api.wave.parameters.symbols()["T"] == wanted["T"]
        session.run(1.5)
        assert not session.bus.call("/search/replay", {"number": 99}).success


def test_a_search_that_is_killed_is_told_and_the_session_goes_on(tmp_path: Path) -> None:
    with LiveSession("nao", folder=tmp_path) as session:
        states: list = []
        session.bus.subscribe("/search/state", None, states.append, 1000)
        assert session.bus.call("/search/start", {"study": "killed", "budget": 1000}).success
        node = next(node for node in session.nodes if isinstance(node, SearchNode))
        session.step()
        node._worker._child.process.kill()
        wait_for(session, lambda: states[-1].status == "failed")
        assert "exited with code" in states[-1].message
        session.run(0.1)
        assert session.bus.call("/search/resume").success  # the study goes on; closing the session ends it


def test_only_for_robots_with_that_gait(waffle: LiveSession) -> None:
    refused = waffle.bus.call("/search/start", {})
    assert "has no wave gait" in refused.message
