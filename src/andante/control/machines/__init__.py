"""Hierarchical state machines: behaviours that people write, check, draw and edit.

`Machine` is data, `check_machine` says what is wrong with it, `MachineRunner` runs it over skills and facts that
somebody else provides.
"""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

if TYPE_CHECKING:
    from .author import StateMachine, skill, to
    from .check import check_machine
    from .io.files import read_machine, write_machine
    from .model import Kind, Machine, State, Transition
    from .runner import MachineRunner, Taken
    from .skills import Skill, SkillFailed, skill_of

__all__ = [
    "Kind", "Machine", "MachineRunner", "Skill", "SkillFailed", "State", "StateMachine", "Taken", "Transition",
    "check_machine", "read_machine", "skill", "skill_of", "to", "write_machine",
]  # fmt: skip

__getattr__ = lazy_names(__name__)
