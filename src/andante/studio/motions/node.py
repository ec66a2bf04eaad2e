"""/motion/...: key-frame motions made in the page, kept in the folder `motions` of the session."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from andante.bags import messages
from andante.child import Child
from andante.errors import AndanteError, BadInput, UnknownName
from andante.files import write_whole
from andante.locomotion.biped.standing import StandFilter
from andante.motion.actions.check import check_keyframes
from andante.motion.io.exports import motion_text
from andante.motion.io.library import find_motion, keyframes_of_json, keyframes_table, library_motions, toml_text
from andante.motion.io.recordings import read_recording, recorded_motion
from andante.motion.keyframes import Keyframes, fit, play_from
from andante.motion.mirror import mates
from andante.session.nodes.node import Answer, LiveNode, plain_name
from andante.session.nodes.recording import recordings
from andante.tasks.inputs import file_of

from .posing import feet_of, reach

if TYPE_CHECKING:
    from andante.session.session import LiveSession

MOST_BYTES = 4 * 1024 * 1024  # of a motion that comes from a page
MOST_KEYS = 2000  # that an editor can show
SAMPLE = 0.1  # between two looks at whether it stands [s]
MOST_SAMPLES = 200
CAPTURE = 4.0  # keys a second unless another number is given


class MotionEditNode(LiveNode):
    """Services of `EditMotion` (open check save export play rehearse capture), `/motion/reach`, and
    /motion/rehearsal, which tells how a motion went under physics."""

    name = "motions"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self._child: Child | None = None
        self._rehearsed = ""  # name of the motion that is tried
        self._balance: StandFilter | None = None
        self._balanced_stage: object = None
        self._told = self.advertise("/motion/rehearsal", "andante_msgs/msg/Rehearsal", latched=True)
        for verb, handler in (
            ("open", self._open), ("check", self._check), ("save", self._save), ("export", self._export),
            ("play", self._play), ("rehearse", self._rehearse), ("capture", self._capture),
        ):  # fmt: skip
            self._provide(f"/motion/{verb}", "andante_msgs/srv/EditMotion", handler)
        self._provide("/motion/reach", "andante_msgs/srv/Reach", self._reach)
        self.lists = {"editable": self._editable}

    def _provide(self, name: str, kind: str, handler: Callable[[Any], Answer]) -> None:
        """A service without a line in the log for every call, of which a drag makes many."""

        def answered(request: Any) -> Answer:
            try:
                return {"success": True, **handler(request)}
            except AndanteError as error:
                return {"success": False, "message": str(error)}

        self._handles.append(self.bus.provide(name, kind, answered, self.name))

    @property
    def folder(self) -> Path:
        """Where motions are kept."""
        own = self.command_api.own
        assert own is not None
        return own

    def _editable(self) -> dict[str, str]:
        """Motions of the robot that are key-frames, by name."""
        known = library_motions(self.stage.robot, self.folder)
        return {name: "own" if path.parent == self.folder else "" for name, path in known.items() if _keyed(path)}

    # ---- a motion ----------------------------------------------------------------------------------
    def _given(self, request: Any) -> Keyframes:
        text = str(request.motion)
        if len(text) > MOST_BYTES:
            raise BadInput(f"a motion has at most {MOST_BYTES // 1024**2} MB")
        return keyframes_of_json(text, Path("motion"))

    def _start(self) -> dict[str, float]:
        return dict(zip(self.stage.robot.joint_names, self.command_api.motion_start().tolist(), strict=True))

    def _open(self, request: Any) -> Answer:
        """A motion by name; without one only what the editor has to know of the robot."""
        robot, name = self.stage.robot, str(request.name)
        told = ""
        if name:
            known = self._editable()
            if name not in known:
                raise UnknownName.among("motion", name, known, f"robot {robot.name!r}")
            found = find_motion(robot, name, self.folder)
            if not isinstance(found, Keyframes):
                raise BadInput(f"{name} is no key-frame motion")
            if len(found.expanded) > MOST_KEYS:
                raise BadInput(f"{name} has {len(found.expanded)} keys; the editor takes {MOST_KEYS}")
            told = json.dumps(keyframes_table(replace(found, keys=found.expanded, repeat=None)))
        about = {
            "robot": robot.name,
            "start": self._start(),
            "mates": {name: [mate.joint, mate.sign, mate.offset] for name, mate in mates(robot).items()},
            "limits": {
                j.name: [_finite(j.limits.lower), _finite(j.limits.upper), _finite(j.limits.velocity)]
                for j in robot.independent
                if not self.stage.speeds[robot.joint_names.index(j.name)]
            },
            "feet": list(feet_of(robot)),
            "balance": self._filter() is not None,
        }
        return {"motion": told, "about": json.dumps(about)}

    def _filter(self) -> StandFilter | None:
        """What balances a posture of this robot; made once for every scene."""
        if self._balanced_stage is not self.stage:
            self._balanced_stage = self.stage
            try:
                self._balance = self.stage.stand_filter()
            except AndanteError:  # legs that it does not understand
                self._balance = None
        return self._balance

    def _check(self, request: Any) -> Answer:
        """Limits, speeds and standing, without the search for collisions, which takes long."""
        motion, robot, start = self._given(request), self.stage.robot, self._start()
        told = [f"{each.severity}: {each.message}" for each in check_keyframes(robot, motion, start, collisions=False)]
        balance = self._filter()
        names = robot.joint_names
        if balance is not None and balance.stands(np.array([start[name] for name in names])):
            played = play_from(fit(motion, robot).motion, robot, start)
            span = min(played.duration, played.lead_duration + played.round_duration)
            times = np.linspace(0.0, span, min(MOST_SAMPLES, max(2, round(span / SAMPLE) + 1)))[1:]
            rows = played.evaluate(times)
            for time, row in zip(times, rows, strict=True):
                whole = robot.complete({**start, **dict(zip(played.names, row.tolist(), strict=True))})
                if not balance.stands(np.array([whole[name] for name in names])):
                    told.append(f"warning: at {time - played.lead_duration:.2f} s it does not stand on both feet")
                    break
        return {"problems": told, "message": f"{len(told)} remarks" if told else "nothing is wrong with it"}

    def _save(self, request: Any) -> Answer:
        motion = self._given(request)
        key = plain_name(str(request.name) or motion.name, "motion").casefold().replace("-", "_").replace(".", "_")
        if key in {pose.casefold() for pose in self.stage.robot.poses}:
            raise BadInput(f"{key} is a pose of the robot; choose another name")
        kept = replace(fit(motion, self.stage.robot).motion, name=key, robot=self.stage.robot.name)
        file = self.folder / f"{key}.toml"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            write_whole(file, toml_text(kept))
        except OSError as error:
            raise BadInput(f"{file} cannot be written: {error.strerror or error}") from None
        self.bus.log("info", f"motion {key}: {len(kept.keys)} keys saved", self.name)
        return {"message": f"saved as {key}; play it by its name", "motion": json.dumps(keyframes_table(kept))}

    def _export(self, request: Any) -> Answer:
        motion = replace(self._given(request), robot=self.stage.robot.name)
        text, suffix = motion_text(motion, str(request.name))
        return {"motion": text, "message": f"{motion.name}{suffix}"}

    def _play(self, request: Any) -> Answer:
        motion = self._given(request)
        seconds = self.command_api.play_choice(motion)
        self.bus.log("info", f"/motion/play: {motion.name}", self.name)
        return {"message": f"{motion.name}, {seconds:.1f} s" if seconds else motion.name}

    def _capture(self, request: Any) -> Answer:
        """Keys of a recording of the session's folder, so many a second."""
        name, rate, folder = str(request.name), float(request.rate) or CAPTURE, self.session.folder
        if name not in recordings(folder):
            raise UnknownName.among("recording", name, recordings(folder))
        if not (math.isfinite(rate) and 0.1 <= rate <= 50):
            raise BadInput(f"a capture takes 0.1 to 50 keys a second, got {rate}")
        recording = read_recording(folder / name)
        if recording.times[-1] * rate > MOST_KEYS:
            raise BadInput(f"{name} lasts {recording.times[-1]:.0f} s: too long for {rate:g} keys a second")
        motion = recorded_motion(recording, self.stage.robot, rate=rate)
        return {"motion": json.dumps(keyframes_table(motion)), "message": f"{len(motion.keys)} keys of {name}"}

    def _reach(self, request: Any) -> Answer:
        given = dict(zip(map(str, request.joints), map(float, request.positions), strict=True))
        if not all(math.isfinite(value) for value in given.values()):
            raise BadInput("a posture has finite numbers")
        robot = self.stage.robot
        start = {name: given.get(name, value) for name, value in self._start().items()}
        found = reach(
            robot, str(request.link), np.array(request.position, dtype=float), start,
            self._filter() if request.balanced else None,
        )  # fmt: skip
        own = {joint.name for joint in robot.independent}
        kept = {name: value for name, value in found.positions.items() if name in own}
        return {
            "message": found.words,
            "joints": list(kept),
            "positions": np.array(list(kept.values())),
            "reached": found.reached,
        }

    # ---- under physics -----------------------------------------------------------------------------
    def _rehearse(self, request: Any) -> Answer:
        motion = self._given(request)
        fit(motion, self.stage.robot)  # joints that it lacks are told at once
        self._end()
        choice, engine = self.session.choice, self.stage.sim.engine
        x, y, yaw = choice.start
        job = {
            "robot": str(file_of(choice.robot)),
            "arguments": dict(choice.arguments),
            "world": str(file_of(choice.world)),
            "engine": engine.name,
            "place": [x, y, yaw - self.stage.ready.forward],
            "start": self._start(),
            "motion": keyframes_table(motion),
        }
        self._child = Child("andante.studio.motions.rehearsal", told=True, heard=True)
        self._child.tell(json.dumps(job))
        self._rehearsed = motion.name
        self._tell(running=True, message=f"{motion.name} is tried under physics")
        return {"message": ""}

    def _tell(self, **fields: Any) -> None:
        self._told.publish(messages.make("andante_msgs/msg/Rehearsal", name=self._rehearsed, **fields))

    def update(self) -> None:
        """Tell how a rehearsal went, once it has."""
        child = self._child
        if child is None or child.said.empty():
            return
        line = child.said.get()
        answer = json.loads(line) if line.strip() else {"error": child.last_words() or "the rehearsal has ended early"}
        self._end()
        if "error" in answer:
            self._tell(message=answer["error"], problems=[f"error: {answer['error']}"])
            return
        time, problems = float(answer["time"]), [str(each) for each in answer["problems"]]
        words = f"falls at {time:.1f} s" if answer["fallen"] else f"stays up for {time:.1f} s"
        more = f", {len(problems)} remarks" if problems else ""
        self._tell(fallen=bool(answer["fallen"]), time=time, problems=problems, message=f"It {words}{more}.")

    def _end(self) -> None:
        if self._child is not None:
            self._child.end(1.0)
            self._child = None

    def rebuilt(self) -> None:
        """Another scene: what was tried no longer counts."""
        if self._child is not None:
            self._end()
            self._tell(message="the scene was built anew")

    def close(self) -> None:
        """Leave the bus."""
        self._end()
        super().close()


def _keyed(path: Path) -> bool:
    return path.suffix in (".toml", ".json", ".csv", ".py")


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
