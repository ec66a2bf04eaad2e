"""Search a gait of the NAO: make a study, stop it, go on, look at the best, export it as a key-frame motion.

The study is a folder; whatever stops it, nothing finished is lost, and the candidates are those of a study that never
stopped. This one is tiny; `andante gait search nao --study walk --budget 20000` takes an afternoon.
"""

import andante as an

objective = an.search.ObjectiveSpec(an.robots.nao.ROBOT.objective, {"robot": "nao", "seconds": 1.0})
space = objective.build().space.freeze({"T": 0.8, "b": 40.0})
print(f"{space.dimensions} free parameters: {', '.join(space.names)}")

config = an.search.StudyConfig(objective, space, sampler="cmaes", batch=8, budget=24, seed=3)
folder = an.search.StudyFolder.create("walk", config)

first = an.search.events(folder, workers=0)  # workers=None takes a process per processor
for event in first:
    if isinstance(event, an.search.Evaluated):
        if event.improved:
            ahead = event.record.figures["distance"]
            print(f"candidate {event.record.index:2}: fitness {event.record.fitness:+.3f}, {ahead:+.3f} m ahead")
        if event.done == 14:
            first.close()  # as Ctrl-C or kill -9 would
            break
print(f"stopped after {an.search.summarize(folder).candidates} candidates")

for event in an.search.events(folder, workers=0):
    if isinstance(event, an.search.Ended) and event.best is not None:
        print(f"{event.done} candidates in all, {event.evaluated} of them now; best fitness {event.best.fitness:+.3f}")

files = an.gait.export("walk", "found", cycles=4)
print(f"wrote {files.parameters} and {files.motion}; try: andante play nao {files.motion}")
