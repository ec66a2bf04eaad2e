"""What a paced session imports ahead."""

import subprocess
import sys
from importlib import import_module
from threading import Thread

from andante.session import LiveSession, prefetch
from andante.session import session as session_module

FIRST = """
import sys
from andante.session import LiveSession
from andante.session.prefetch import prefetch
with LiveSession("waffle", "arena") as session:
    session.run(0.1)
    assert "andante.session.navigating" not in sys.modules, "loaded at the start"
    prefetch().join()
    before = {*sys.modules}
    session.bus.subscribe("/amcl_pose", None, lambda message: None)
    session.run(0.1)
    print(sorted(name for name in {*sys.modules} - before if name.startswith("andante.")))
"""


def test_what_it_names_is_there():
    for name in prefetch.MODULES:
        import_module(name)


PACKS = """
import builtins
from andante.bags import messages
from andante.session.prefetch import prefetch
prefetch(["andante_msgs/msg/FootForces", "none/msg/Such"]).join()
made, usual = [], builtins.exec
builtins.exec = lambda *words: (made.append(words), usual(*words))
messages.to_cdr(messages.make("andante_msgs/msg/FootForces"))
print(len(made))
"""


def test_packers_of_messages_are_made(tmp_path):
    done = subprocess.run([sys.executable, "-c", PACKS], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "0", done.stderr or done.stdout


def test_the_first_wish_for_a_place_on_the_map_imports_nothing(tmp_path):
    done = subprocess.run([sys.executable, "-c", FIRST], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stderr or done.stdout


def test_it_is_made_ready_once_and_not_while_a_page_comes_up(monkeypatch):
    asked = []
    monkeypatch.setattr(session_module, "prefetch", lambda types, after: asked.append(after) or Thread())
    with LiveSession("waffle", "arena") as live:
        for _ in range(3):
            live.run(0.01, pace=True)
    assert asked == [prefetch.SETTLED]
    assert prefetch.SETTLED > 1.0


COLLECTED = """
import gc
from andante.session import LiveSession
from andante.session.prefetch import prefetch
with LiveSession("waffle", "arena") as session:
    prefetch().join()
    session.run(0.1)
    frozen = gc.get_freeze_count()
    session.reset()
    print(len(gc.get_objects()) < frozen, frozen > 50_000, gc.get_freeze_count() > 50_000)
"""


def test_the_garbage_collector_does_not_hold_the_loop():
    """It looked through all that was imported: 0.08 s, four times as long on a busy machine."""
    ran = subprocess.run([sys.executable, "-c", COLLECTED], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["True", "True", "True"]
