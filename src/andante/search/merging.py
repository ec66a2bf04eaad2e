"""Shards of one study put together into one folder, in the order of the candidates."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from andante.errors import BadInput

from .config import StudyConfig
from .folder import MANIFEST, StudyFolder
from .record import from_line, to_line
from .results import Appender
from .samplers import Shard
from .summary import sessions_of
from .tables import write_whole


@dataclass(frozen=True)
class Merged:
    """The study made of shards."""

    study: StudyFolder
    candidates: int
    notices: tuple[str, ...]


def merge(out: Path, parts: Sequence[Path]) -> Merged:
    """Put the results of several folders of one study into a new folder; each candidate counts once.

    Folders of different studies are refused, as are two results for one candidate that differ.
    """
    if len({part.resolve() for part in parts}) != len(parts) or not parts:
        raise BadInput("name the folders to merge, each once")
    studies = [StudyFolder.open(part) for part in parts]
    config = _common(studies)
    where: dict[int, tuple[int, int, int]] = {}  # candidate -> folder, place and length of its line
    notices: list[str] = []
    sessions: list[dict[str, Any]] = []
    for number, study in enumerate(studies):
        scan = study.records()
        before = 0
        for record in scan:
            place = (number, before, scan.end - before)
            before = scan.end
            if record.index in where:
                first = _line(studies, where[record.index])
                if first != to_line(record):
                    raise BadInput(
                        f"candidate {record.index} has different results in {studies[where[record.index][0]].path} "
                        f"and {study.path}"
                    )
                continue
            where[record.index] = place
        sessions += sessions_of(study, scan.count)
        if scan.torn:
            notices.append(f"{scan.torn} in the merged study")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise BadInput(f"{out} is there already; give a new folder")
    draft = out.with_name(f".{out.name}.merging")
    shutil.rmtree(draft, ignore_errors=True)
    try:
        made = StudyFolder.create(draft, config)
        with Appender(made.results) as appender:
            for index in sorted(where):
                appender.append(from_line(_line(studies, where[index])))
        manifest = {"format": 1, "fingerprint": made.config.fingerprint, "sessions": sessions}
        write_whole(draft / MANIFEST, json.dumps(manifest, indent=1) + "\n")
        if out.exists():
            out.rmdir()
        draft.rename(out)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return Merged(StudyFolder.open(out), len(where), tuple(notices))


def _common(studies: Sequence[StudyFolder]) -> StudyConfig:
    """The configuration of the whole; learning samplers make islands that can be read but not resumed as one."""
    first = studies[0]
    for study in studies[1:]:
        if study.config.fingerprint != first.config.fingerprint:
            raise BadInput(f"{study.path} and {first.path} are parts of different studies (compare their study.toml)")
    config = first.config
    budget = max(study.config.budget for study in studies)
    shards = max(max(study.config.shard.count, study.config.islands) for study in studies)
    islands = shards if shards > 1 and config.make_sampler().adaptive else 1
    return replace(config, shard=Shard(), budget=budget, islands=islands)


def _line(studies: Sequence[StudyFolder], place: tuple[int, int, int]) -> bytes:
    number, offset, length = place
    with studies[number].results.open("rb") as file:
        file.seek(offset)
        return file.read(length)
