"""Recordings of rosbag1, rosbag2 and MCAP: read whole or torn, written, converted; message types and wire forms."""

from __future__ import annotations

from . import messages
from .convert import Conversion, convert_bag
from .info import BagInfo, TopicInfo, bag_info
from .reader import Bag, BagMessage, is_bag, open_bag
from .topics import BagTopic, TopicChoice
from .writer import BagWriter

__all__ = [
    "Bag", "BagInfo", "BagMessage", "BagTopic", "BagWriter", "Conversion", "TopicChoice", "TopicInfo", "bag_info",
    "convert_bag", "is_bag", "messages", "open_bag",
]  # fmt: skip
