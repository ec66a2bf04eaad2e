"""Motions: a curve through points, a pose, a wave of the hand, and an action that another one interrupts."""

import numpy as np

import andante as an

# a smooth curve through four points, run as fast as 1 m/s and 4 m/s² per axis allow
curve = an.motion.Nurbs.through([[0, 0, 0], [0.2, 0.1, 0], [0.3, -0.1, 0.1], [0.5, 0, 0.2]])
timed = an.motion.time_path(("x", "y", "z"), curve.evaluate, curve.domain, np.ones(3), np.full(3, 4.0))
print(f"curve of {an.motion.ArcLength(curve).length:.3f} m in {timed.duration:.2f} s")

nao = an.robot("nao")
print(f"StandInit to Crouch: {an.motion.transition(nao, nao.pose('StandInit'), 'Crouch', speed=0.4).duration:.2f} s")

# key-frames under physics
sim = an.simulate(nao, sensors=True)
start = sim.read().position
waving, here = an.motion.find_motion(nao, "wave_hand"), dict(zip(nao.joint_names, start, strict=True))
motion = an.motion.play_from(waving, nao, here)
loop = an.ControlLoop(sim, an.control.Playing(motion, nao.joint_names, start))
tracking = an.control.Tracking(nao.joint_names)
while sim.time < 3.0:
    tracking.measure(loop.step(), loop.targets)
worst = tracking.summary()
print(f"waving: joints within {worst['max']:.3f} rad (worst: {worst['joint']}), fallen: {sim.fallen}")

# an action of our own on the shell; a second one with more priority interrupts it
TEXT = """
group body = base_link on lower_foot_{1..6} hold q111
action rise preempted resume
  step up
    body in 0.8 by 0 0 0.02
  step down
    body in 0.8 by 0 0 -0.02
action nod priority 3
  step
    joint q211 in 0.5 by -0.1 ; 0
"""
shell = an.robot("shell")
actions = an.motion.parse_actions(TEXT, "example.action")
print("problems:", [str(problem) for problem in an.motion.check_set(shell, actions, shell.pose("stand"))])
sim = an.simulate(shell, sensors=True)
runner = an.motion.ActionRunner(shell, actions)
runner.start("rise")
loop = an.ControlLoop(sim, an.control.Acting(runner, shell.joint_names, sim.read().position))
loop.run(0.5)
runner.start("nod")
loop.run(2.5)
for event in runner.events:
    print(f"{event.time:5.2f} s  {event.action} {event.what}")
