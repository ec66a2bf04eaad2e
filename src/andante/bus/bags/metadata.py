"""metadata.yaml of a rosbag2 folder (version 5, as ROS 2 Humble writes it; later ones read it)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .topics import BagTopic, qos_text


@dataclass(frozen=True)
class FilePart:
    """One storage file of a folder."""

    name: str
    start: int  # [ns]
    end: int  # [ns]
    count: int


def metadata_text(
    topics: list[tuple[BagTopic, int]], parts: list[FilePart], storage: str = "mcap", inside: bool = False
) -> str:
    """The text of the file. topics come with their counts; inside is the form that MCAP files carry themselves."""
    import yaml

    full = [part for part in parts if part.count]
    start = min((part.start for part in full), default=0)
    end = max((part.end for part in full), default=0)
    content: dict[str, Any] = {
        "version": 5,
        "storage_identifier": storage,
        "duration": {"nanoseconds": end - start},
        "starting_time": {"nanoseconds_since_epoch": start},
        "message_count": sum(part.count for part in parts),
        "topics_with_message_count": [
            {
                "topic_metadata": {
                    "name": topic.name,
                    "type": topic.type,
                    "serialization_format": "cdr",
                    "offered_qos_profiles": qos_text(topic.latched, topic.sensor),
                },
                "message_count": count,
            }
            for topic, count in topics
        ],
        "compression_format": "",
        "compression_mode": "",
        "relative_file_paths": [part.name for part in parts],
        "files": [
            {
                "path": part.name,
                "starting_time": {"nanoseconds_since_epoch": part.start},
                "duration": {"nanoseconds": part.end - part.start},
                "message_count": part.count,
            }
            for part in parts
        ],
    }
    return yaml.safe_dump(content if inside else {"rosbag2_bagfile_information": content}, sort_keys=False)
