"""What a process does beyond its folder, by Python's audit events: writes, processes, connections."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = {
    "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown",
    "shutil.rmtree", "shutil.move", "shutil.copyfile", "shutil.copytree", "shutil.unpack_archive",
}  # fmt: skip
FORBIDDEN = {
    "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty", "socket.connect",
    "socket.bind", "socket.getaddrinfo", "socket.gethostbyname", "urllib.Request", "ftplib.connect",
    "http.client.connect", "webbrowser.open", "ctypes.dlopen",
}  # fmt: skip


class Watch:
    """Notes what happens while `active`. There is one per process, as audit hooks cannot be taken away."""

    def __init__(self, allowed: tuple[Path, ...]) -> None:
        self.allowed = tuple(str(path) for path in allowed)  # of all cases: caches
        self.folder = ""  # of the present case
        self.active = False
        self.events: list[str] = []
        sys.addaudithook(self._hook)

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.active:
            return
        if event == "open":
            path, mode, flags = arguments
            writing = (isinstance(mode, str) and bool(set(mode) & set("wax+"))) or (
                isinstance(flags, int) and flags & WRITING
            )
            if writing and not self._inside(path):
                self._note(f"open {path!s}")
        elif event in CHANGES:
            for path in _changed(event, arguments):
                if not self._inside(path):
                    self._note(f"{event} {path!s}")
        elif event in FORBIDDEN:
            self._note(f"{event} {str(arguments[:2])[:160]}")

    def _note(self, text: str) -> None:
        if event_matters(text) and len(self.events) < 20:
            self.events.append(text)

    def _inside(self, path: Any) -> bool:
        """Whether a path lies in the case's output, its temporary folder, or a cache."""
        if isinstance(path, int) or path is None:
            return True
        full = os.path.realpath(os.fsdecode(path))
        places = (os.path.join(self.folder, "out"), os.path.join(self.folder, "tmp"), *self.allowed)
        return full == os.devnull or any(full == place or full.startswith(place + os.sep) for place in places)


def _changed(event: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The paths that an event changes; those relative to an open folder (as `rmtree` has them) are made whole."""
    if event.startswith("shutil.copy"):
        return (arguments[1],)
    if event in ("os.rename", "os.link", "os.symlink", "shutil.move"):
        return arguments[:2]
    path, folder = arguments[0], arguments[-1]
    if isinstance(folder, int) and folder >= 0 and event in ("os.remove", "os.rmdir", "os.mkdir"):
        if event == "os.mkdir" and len(arguments) < 3:
            return (path,)
        return (os.path.join(os.readlink(f"/proc/self/fd/{folder}"), os.fsdecode(path)),)
    return (path,)


def event_matters(text: str) -> bool:
    """False for what the interpreter and the compiler do for themselves: byte code and compiled kernels."""
    return "__pycache__" not in text and ".nbi" not in text and ".nbc" not in text
