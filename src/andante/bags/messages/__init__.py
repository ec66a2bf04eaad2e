"""ROS messages: classes, defaults, dictionaries, and the wire forms of ROS 2 (CDR) and ROS 1.

Classes and codecs come from `rosbags` (ROS 2 Humble names, `pkg/msg/Name`); services, actions and what it lacks are
added from the texts in `interfaces`. Short names (`geometry_msgs/Twist`) are understood everywhere.
"""

from __future__ import annotations

from .codec import (
    definition,
    duration,
    from_cdr,
    from_dict,
    from_ros1,
    header,
    make,
    md5,
    seconds,
    time,
    to_cdr,
    to_dict,
    to_ros1,
    type_hash,
)
from .store import (
    ActionType,
    ServiceType,
    action,
    actions,
    cls,
    full_name,
    load,
    register,
    ros1_store,
    service,
    services,
    store,
    type_name,
    type_of,
)

__all__ = [
    "ActionType", "ServiceType", "action", "actions", "cls", "definition", "duration", "from_cdr", "from_dict",
    "from_ros1", "full_name", "header", "load", "make", "md5", "register", "ros1_store", "seconds", "service",
    "services", "store", "time", "to_cdr", "to_dict", "to_ros1", "type_hash", "type_name", "type_of",
]  # fmt: skip
