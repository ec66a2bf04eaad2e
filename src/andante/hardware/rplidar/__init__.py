"""RPLIDAR A1, A2 and A3 at a serial port: the protocol as pure functions, and a reader that gives scans."""

from .protocol import Decoder, Health, Info, Reading, express_request, motor_request, request
from .reader import RpLidar, scan_of_turn

__all__ = [
    "Decoder",
    "Health",
    "Info",
    "Reading",
    "RpLidar",
    "express_request",
    "motor_request",
    "request",
    "scan_of_turn",
]
