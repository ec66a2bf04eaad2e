"""`check_engine` and the small robots that it measures."""

from .battery import CHECKS, Check, CheckResult, check_engine

__all__ = ["CHECKS", "Check", "CheckResult", "check_engine"]
