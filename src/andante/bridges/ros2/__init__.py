"""A session in a ROS 2 domain over DDS, by `cyclonedds` (experimental). No ROS install is needed.

DDS writers and readers have the names, type hashes and quality of service of ROS 2; samples carry CDR as it is.
"""

from .bridge import Ros2Bridge
from .ends import Participant, qos, require
from .names import dds_topic, dds_type, user_data
from .network import check_domain, configuration
from .samples import typed_class

__all__ = [
    "Participant",
    "Ros2Bridge",
    "check_domain",
    "configuration",
    "dds_topic",
    "dds_type",
    "qos",
    "require",
    "typed_class",
    "user_data",
]
