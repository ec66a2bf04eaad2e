"""Samplers: the optimum of simple functions, the same candidates for the same results, shards, one-line errors."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from andante.errors import AndanteError
from andante.search import SAMPLERS, Choice, Grid, Real, Shard, Space, Told, check_sampler, make_sampler
from andante.search.samplers.evolution import ElitesSampler

_spec = importlib.util.spec_from_file_location("search_objectives", Path(__file__).parent / "objectives.py")
objectives = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(objectives)

MIXED = objectives.Mixed().space
DISCRETE = Space({"a": Grid((1, 2, 3)), "b": Real(0, 1, step=0.25), "c": Choice((True, False))})


def run(sampler, evaluate, count):
    """Results of the first candidates, told batch by batch as a study does."""
    waiting, results = [], []
    generation = 0
    while len(results) < count:
        if sampler.adaptive and len(waiting) > sampler.lag:
            sampler.tell(waiting.pop(0))
        batch = []
        for parameters in sampler.ask(generation):
            figures = evaluate(parameters, 0)
            told = Told(len(results), parameters, figures["fitness"], False, tuple(figures.get("objectives", ())))
            batch.append(told)
            results.append(told)
        if not batch:
            break
        waiting.append(batch)
        generation += 1
    return results


def best(results):
    return max(results, key=lambda told: told.fitness)


def made(name, space, seed=1, batch=0, shard=Shard(), **options):  # noqa: B008
    return make_sampler(name, space, seed, batch, shard, options)


@pytest.mark.parametrize(
    ("name", "count", "near"), [("cmaes", 800, 1e-6), ("tpe", 128, 0.3), ("elites", 2000, 0.05), ("nsga2", 480, 0.1)]
)
def test_finds_the_middle_of_a_sphere(name, count, near):
    sphere = objectives.Sphere(4)
    found = best(run(made(name, sphere.space), sphere.evaluate, count))
    random = best(run(made("random", sphere.space), sphere.evaluate, count))
    assert found.fitness > -near
    assert found.fitness > random.fitness


@pytest.mark.parametrize(("name", "count"), [("cmaes", 600), ("tpe", 128), ("elites", 1500)])
def test_finds_the_best_of_mixed_parameters(name, count):
    mixed = objectives.Mixed()
    found = best(run(made(name, mixed.space), mixed.evaluate, count))
    assert (found.parameters["n"], found.parameters["g"], found.parameters["c"]) == (1.5, 4.0, "b")
    assert found.parameters["x"] == pytest.approx(0.3, abs=0.2)


def test_cmaes_starts_again_with_larger_populations_and_leaves_local_optima():
    rastrigin = objectives.Rastrigin(2)
    sampler = made("cmaes", rastrigin.space, seed=5)
    results = run(sampler, rastrigin.evaluate, 6000)
    assert sampler.restarts >= 2
    assert sampler.batch == 16
    assert sampler._optimizer.population_size > sampler.batch
    assert best(results).fitness > -1e-6


def test_cmaes_takes_a_single_parameter_and_a_start():
    line = objectives.Sphere(1)
    assert best(run(made("cmaes", line.space), line.evaluate, 300)).fitness > -1e-8
    four = objectives.Sphere(4)
    start = dict.fromkeys(four.space, 1.9)
    first = made("cmaes", four.space, sigma=0.01, start=start).ask(0)
    assert np.mean([list(entry.values()) for entry in first]) == pytest.approx(1.9, abs=0.05)


def test_the_grid_is_drawn_without_repetition():
    sampler = made("grid", DISCRETE, batch=7)
    results = run(sampler, lambda *_: {"fitness": 0.0}, 1000)
    cells = {tuple(told.parameters.values()) for told in results}
    assert len(results) == len(cells) == DISCRETE.cells == 30
    assert [told.parameters for told in results] != [DISCRETE.cell(k) for k in range(30)]


@pytest.mark.parametrize("name", ["grid", "random"])
def test_shards_are_slices_of_the_whole(name):
    whole = run(made(name, DISCRETE), lambda *_: {"fitness": 0.0}, 30)[:30]
    parts = {}
    for number in range(4):
        sampler = made(name, DISCRETE, batch=3, shard=Shard(number, 4))
        for told in run(sampler, lambda *_: {"fitness": 0.0}, 8):
            parts[Shard(number, 4).index(told.index)] = told.parameters
    assert all(parts[told.index] == told.parameters for told in whole)


def test_shards_of_learning_samplers_are_islands():
    islands = [made("cmaes", MIXED, shard=Shard(number, 2)).ask(0) for number in range(2)]
    assert islands[0] != islands[1]


@pytest.mark.parametrize("space", [MIXED, DISCRETE], ids=["mixed", "discrete"])
@pytest.mark.parametrize("name", [name for name in SAMPLERS if name != "nsga2"])  # the check has a single aim
def test_samplers_pass_their_check(name, space):
    gridded = Space({**space.parameters, "x": Real(0, 1, levels=(0.2, 0.4))}) if name == "grid" else space
    assert check_sampler(lambda *words: make_sampler(name, *words), gridded, generations=5) == []


def test_nsga2_repeats_itself_and_spreads_along_the_front():
    sphere = objectives.Sphere(2)
    one, two = (run(made("nsga2", sphere.space), sphere.evaluate, 640) for _ in range(2))
    assert [told.parameters for told in one] == [told.parameters for told in two]
    front = [told for told in one if not any(beats(other.objectives, told.objectives) for other in one)]
    x0 = [told.parameters["x0"] for told in front]  # the true front: x0 from 0 to 0.3, x1 = 0.3
    assert len(front) > 10
    assert (min(x0), max(x0)) == pytest.approx((0.0, 0.3), abs=0.05)
    assert np.median([abs(told.parameters["x1"] - 0.3) for told in front]) < 0.1


def test_every_batch_of_nsga2_is_a_generation():
    sphere = objectives.Sphere(2)
    sampler = made("nsga2", sphere.space, batch=8)
    run(sampler, sphere.evaluate, 32)
    generations = [trial.system_attrs["NSGAIISampler:generation"] for trial in sampler._study.get_trials()]
    assert generations == [number // 8 for number in range(32)]


def beats(one, other):
    return one != other and all(a >= b for a, b in zip(one, other, strict=True))


def test_elites_fill_a_map_of_figures():
    sphere = objectives.Sphere(3)
    sampler = made("elites", sphere.space, axes="x0:-2:2:8,x1:-2:2:8")
    run(sampler, sphere.evaluate, 2500)
    assert len(sampler.elites) == 64
    cell = sampler.elites[4, 4]
    assert -0.001 <= cell.parameters["x0"] <= 0.5
    assert cell.fitness > -0.05
    failed = Told(0, cell.parameters, -1e300, failed=True)
    assert sampler.cell(failed) is None
    assert ElitesSampler(sphere.space, 0, 0, axes="speed:0:1:4").cell(cell) is None


@pytest.mark.parametrize("name", ["tpe", "elites"])
def test_asking_does_not_change_what_is_rebuilt_by_telling(name):
    sampler, rebuilt = made(name, MIXED, batch=8), made(name, MIXED, batch=8)
    told = run(sampler, objectives.Mixed().evaluate, 40)
    for start in range(0, 40 - 8 * (1 + sampler.lag), 8):
        rebuilt.tell(told[start : start + 8])
    assert rebuilt.ask(4) == [entry.parameters for entry in told[32:40]]


USER = """
class Halving:
    def __init__(self, space, seed, batch, width=1.0):
        self.space, self.batch, self.width, self.best = space, batch, width, None
    def ask(self, generation):
        center = [0.5] * self.space.dimensions if self.best is None else self.space.encode(self.best.parameters)
        spread = [(k + 0.5) / self.batch - 0.5 for k in range(self.batch)]
        return [self.space.decode([c + self.width * s for c in center]) for s in spread]
    def tell(self, results):
        self.best = max([*results, *([self.best] if self.best else [])], key=lambda told: told.fitness)
        self.width *= 0.5

class Rude(Halving):
    def ask(self, generation):
        return super().ask(generation) + super().ask(generation)

class Fickle(Halving):
    def ask(self, generation):
        import random
        return [self.space.decode([random.random()] * self.space.dimensions)]

class Mute:
    def __init__(self, space, seed, batch):
        pass
"""


def test_users_own_samplers(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(USER)
    space = Space({"x": Real(-1, 1), "y": Real(5, 6)}).freeze({"y": 5.5})
    assert check_sampler(lambda *words: make_sampler(f"{file}:Halving", *words), space) == []
    found = best(run(make_sampler(f"{file}:Halving", space, 0), lambda p, _: {"fitness": -abs(p["x"] - 0.2)}, 160))
    assert found.parameters["x"] == pytest.approx(0.2, abs=0.01)
    assert found.parameters["y"] == 5.5
    assert "different candidates" in check_sampler(lambda *w: make_sampler(f"{file}:Fickle", *w), space)[0]
    for name, told in (("Rude", "at most 16"), ("Mute", "needs ask(generation)"), ("Gone", "no name 'Gone'")):
        with pytest.raises(AndanteError, match=told.replace("(", r"\(").replace(")", r"\)")):
            make_sampler(f"{file}:{name}", space, 0).ask(0)
    with pytest.raises(AndanteError, match="cannot be made"):
        made(f"{file}:Halving", space, height=2)


@pytest.mark.parametrize(
    ("name", "space", "options", "told"),
    [
        ("annealing", MIXED, {}, "choices: grid, random, cmaes, tpe, nsga2, elites"),
        ("grid", MIXED, {}, "a step, levels or a grid for x"),
        ("grid", DISCRETE, {"sigma": 1}, "no options"),
        ("cmaes", MIXED, {"sigm": 1}, "choices: sigma, start, growth"),
        ("cmaes", MIXED, {"sigma": 0}, "fraction of the ranges"),
        ("cmaes", MIXED, {"start": {"x": 1}}, "parameter n is missing"),
        ("cmaes", MIXED, {"sigma": "wide"}, "options of the sampler cmaes"),
        ("cmaes", Space({"a": Real(0, 1)}, {"a": 0.5}), {}, "nothing is left to search"),
        ("tpe", MIXED, {"startup": 0}, "startup >= 1"),
        ("nsga2", MIXED, {"aims": 1}, "no option of nsga2 'aims'; choices: none"),
        ("elites", MIXED, {"axes": "x:1:0:4"}, "name:low:high:cells"),
    ],
)
def test_mistakes_are_named(name, space, options, told):
    with pytest.raises(AndanteError) as error:
        made(name, space, **options)
    assert told in str(error.value)
    assert "\n" not in str(error.value)


def test_shards_are_parsed():
    assert Shard.parse("2/5") == Shard(2, 5)
    for text in ("5/5", "a/b", "1", "-1/2", "1/0"):
        with pytest.raises(AndanteError, match="i/n"):
            Shard.parse(text)
    with pytest.raises(AndanteError, match="belongs to shard 1/2"):
        Shard(0, 2).local(3)


def test_nsga2_needs_several_aims_and_the_same_everywhere():
    def told(*aims):
        return [
            Told(k, parameters, 0.0, objectives=aim)
            for k, (parameters, aim) in enumerate(zip(asked, aims, strict=True))
        ]

    sampler = made("nsga2", MIXED, batch=4)
    asked = sampler.ask(0)
    with pytest.raises(AndanteError, match="two aims or more"):
        sampler.tell(told((), (), (), ()))
    with pytest.raises(AndanteError, match="others 3"):
        made("nsga2", MIXED, batch=4).tell(told((1.0, 2.0), (1.0, 3.0), (1.0, 2.0, 3.0), (1.0, 2.0)))
