"""An experiment from start to end: trials that vary, statistics, a report beside the real robot.

The NAO walks half a meter at two speeds, twice each. The real robot's trials ship with Andante; the report tells how
far the simulation is from them. `andante experiment run straight-walk --out walk` does all nine tests, seven times.
"""

from dataclasses import replace

import andante as an

whole = an.experiment.load("straight-walk")
print(f"{whole.name}: {whole.count} trials, {len(whole.tests)} tests, varied: {', '.join(whole.vary.as_dict())}")

few = {name: levels for name, levels in whole.tests.items() if name in "DG"}
experiment = replace(whole, factors={"speed": (80, 100), "distance": (0.5,)}, tests=few, trials=2)
outcome = an.experiment.run(experiment, "walk", workers=0)  # workers=None takes a process per processor
print(f"{outcome.trials} trials in {outcome.seconds:.1f} s, {outcome.failed} failed")

simulated = an.experiments.Values.of(experiment, an.experiments.rows_of("walk", experiment))
real = an.experiments.Values.of(experiment, an.experiments.read_reference(experiment.reference, experiment))
for test in simulated.tests:
    ours, theirs = simulated.get("mujoco", test, "planar"), real.get("real", test, "planar")
    s, r = an.experiments.summarize(ours), an.experiments.summarize(theirs)
    found = an.experiments.compare(ours, theirs)
    print(
        f"test {test}: simulated {s.mean:.3f} m, real {r.mean:.3f} m [{r.low:.3f}, {r.high:.3f}], "
        f"difference {found.difference:+.3f} m, p {found.welch:.2g}, effect {found.size}"
    )
print("next: andante experiment report walk")
