"""Recordings: rosbag1, rosbag2 and MCAP files, written, read, replayed and converted."""

from __future__ import annotations

from .convert import Conversion, convert_bag
from .info import BagInfo, TopicInfo, bag_info
from .player import Player
from .reader import Bag, BagMessage, open_bag
from .recorder import Recorder
from .topics import BagTopic, TopicChoice
from .writer import BagWriter

__all__ = [
    "Bag",
    "BagInfo",
    "BagMessage",
    "BagTopic",
    "BagWriter",
    "Conversion",
    "Player",
    "Recorder",
    "TopicChoice",
    "TopicInfo",
    "bag_info",
    "convert_bag",
    "open_bag",
]
