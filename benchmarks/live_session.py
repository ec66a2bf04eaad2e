"""How much of the wall clock a live session needs, by processor time: python benchmarks/live_session.py [ROBOT] [WORLD]

Each row is the processor time per simulated second of the same walk: the behaviour alone, the session with nobody
listening, and with one listener per topic (cameras apart) who takes the packed bytes.
"""

import sys
import time

from andante.locomotion import Command
from andante.session import LiveSession
from andante.session.choice import SceneChoice
from andante.session.stage import Stage

SECONDS = 5.0


def spent(work) -> float:
    began = time.process_time()
    work()
    return (time.process_time() - began) / SECONDS


def main() -> None:
    robot, world = [*sys.argv[1:], *("nao", "lab")[len(sys.argv) - 1 :]][:2]
    stage = Stage(SceneChoice(robot, world))
    command = Command(vx=0.5 * stage.walker.max_speed)

    def alone(count: int = round(SECONDS / 0.01)) -> None:
        for _ in range(count):
            stage.step(command)

    alone(100)
    rows = [("behaviour, physics and sensors", spent(alone))]
    stage.close()
    with LiveSession(robot, world) as session:

        def walk() -> None:
            for _ in range(round(SECONDS / 0.1)):
                session.drive(vx=command.vx)
                session.run(0.1)

        session.run(0.5)
        rows.append(("session, nobody listens", spent(walk)))
        taken = [0, 0]

        def take(sample) -> None:
            taken[0] += 1
            taken[1] += len(sample.cdr)

        topics = [topic for topic in session.bus.topics() if not topic.startswith("/camera")]
        for topic in topics:
            session.bus.subscribe(topic, None, take, queue=1000, whole=True)
        session.run(1.0)
        taken[:] = [0, 0]
        rows.append((f"session, {len(topics)} topics with a listener", spent(walk)))
    print(f"{robot} in {world}: {taken[0] / SECONDS:.0f} messages/s, {taken[1] / SECONDS / 1024:.0f} KiB/s")
    for name, value in rows:
        print(f"{name:<44} {value:6.3f} s/s   real-time factor {1 / value:5.1f}")


if __name__ == "__main__":
    main()
