"""A gait of a study as files: its parameters, and the key-frame motion that `andante play` replays."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from andante.description import load_robot
from andante.errors import BadInput, MissingFile
from andante.search import Record, StudyFolder, summarize
from andante.search.tables import toml_text, write_whole

from .gait import WAVE


@dataclass(frozen=True)
class Exported:
    """The files that were written; `motion` is None for objectives other than the wave gait."""

    record: Record
    parameters: Path
    motion: Path | None


def export_gait(study: Path, out: Path, rank: int = 1, index: int | None = None, cycles: int = 8) -> Exported:
    """Write OUT.toml (parameters, as --params takes them) and OUT.motion.toml (key-frames).

    rank: 1 is the best candidate, 2 the next; index: a candidate by its number instead.
    """
    folder = StudyFolder.open(study)
    record = _chosen(folder, rank, index)
    stem = out.with_suffix("") if out.suffix == ".toml" else out
    if not stem.name or not stem.absolute().parent.is_dir():
        raise MissingFile(f"{out}: the folder does not exist; make it first")
    parameters, motion = stem.with_name(f"{stem.name}.toml"), stem.with_name(f"{stem.name}.motion.toml")
    for path in (parameters, motion):
        if path.is_dir():
            raise BadInput(f"{path} is a folder; give another name")
    played = wave_motion(folder, record, cycles, stem.name) if folder.config.objective.factory == WAVE else None
    fitness = "failed" if record.fitness is None else f"fitness {record.fitness:.6g}"
    head = f"# candidate {record.index} of the study {study.name}: {fitness}\n"
    write_whole(parameters, head + toml_text(dict(record.parameters)))
    if played is None:
        return Exported(record, parameters, None)
    from andante.motion.io.keyframe_files import write_keyframes_toml

    write_keyframes_toml(played, motion)
    return Exported(record, parameters, motion)


def wave_motion(folder: StudyFolder, record: Record, cycles: int, name: str) -> Any:
    """The wave gait of a candidate as key-frames, from the pose in which its trial began."""
    from andante.control.start import first_positions
    from andante.locomotion.wave.model import WaveModel, WaveParameters
    from andante.locomotion.wave.playback import wave_keyframes

    arguments = folder.config.objective.arguments
    robot = load_robot(arguments.get("robot", "nao"))
    model = WaveModel(robot, WaveParameters.of(record.parameters), arguments.get("variant", "smooth"))
    first = first_positions(robot, arguments.get("pose"))
    return wave_keyframes(model, _vector(robot.joint_names, first), cycles, name)


def _vector(names: tuple[str, ...], positions: Any) -> Any:
    import numpy as np

    return np.array([positions.get(name, 0.0) for name in names])


def _chosen(folder: StudyFolder, rank: int, index: int | None) -> Record:
    if index is not None:
        for record in folder.records():
            if record.index == index:
                return record
        raise BadInput(f"{folder.path} has no candidate {index}")
    if not 1 <= rank <= 100_000:
        raise BadInput(f"--rank is a number from 1 on, got {rank}")
    best = summarize(folder, rank).best
    if len(best) < rank:
        raise BadInput(f"{folder.path} has {len(best)} candidates with a fitness; --rank {rank} is not among them")
    return best[rank - 1]
