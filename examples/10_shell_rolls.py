"""The Shell folds into a ball, rolls by its legs alone, rights itself, unfolds and walks on: by its keys."""

import andante as an

ShellMode = an.robots.shell.ShellMode

ready = an.locomotion.prepare(an.robot("shell"), an.locomotion.Request("tripod"))  # the walker of its legs
shell = an.robots.shell.ShellController(ready.robot, ready.walker)
sim = an.simulate(ready.robot, pose=ready.pose, sensors=True, seed=1)
loop = an.ControlLoop(sim, shell)


def press(*keys: str, until: ShellMode | None = None, seconds: float = 20.0) -> None:
    """Hold keys until a mode is reached or the time is over, then let go."""
    for key in keys:
        print(shell.handle(key))
    end = sim.time + seconds
    while sim.time < end and (until is None or shell.mode is not until):
        loop.run(0.1)
    for key in keys:
        shell.handle(key, False)
    x, y, z = sim.base_pose[:3]
    print(f"{sim.time:8.2f} {shell.mode.value} at x {x:.2f} y {y:.2f} m, center {z:.3f} m high")


press("shell", until=ShellMode.BALL)
press("w", seconds=4.0)  # rolls ahead
press("w", "q", seconds=3.0)  # and curves to the left
press("hexapod", until=ShellMode.HEXAPOD)
press("w", seconds=3.0)  # walks
print("fallen" if sim.fallen else "stands")
