"""Kernels from the store of the installation: found, refused when stale or of other versions, never wrong."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import andante
from andante.compiling import store
from andante.compiling.cache import processor, stamp
from andante.compiling.store import Processor

SOURCE = Path(andante.__file__).parent
LOWER = "from andante.compiling import njit\n\nFACTOR = {factor}\n\n\n@njit()\ndef lower(x):\n    return {lower}\n"
UPPER = """from lower_file import FACTOR, lower
from andante.compiling import njit


@njit({options})
def upper(x):
    return lower(x) * FACTOR + 1.0
"""
PROGRAM = """
import json, sys
from pathlib import Path
from andante.compiling import store
store.STORES = Path(sys.argv[1])
{before}
from numba.core import event
with event.install_recorder("numba:compile") as seen:
    from upper_file import upper
    values = [upper(2.0)]
print(json.dumps([values, sum(each.is_start for _, each in seen.buffer)]))
"""

MINE = store.levels(processor())


def fresh(folder: Path) -> bool:
    """Whether a store was built from these sources."""
    mark = folder / "sources.sha256"
    return mark.is_file() and mark.read_text(encoding="utf-8") == store.sources()


needs_level = pytest.mark.skipif(not MINE, reason="no store is made for this machine")


class Place:
    """Two files of kernels, a store and a user's cache."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.stores, self.user = folder, folder / "stores", folder / "user"
        self.level = MINE[-1]  # the least portable one

    @property
    def store(self) -> Path:
        return self.stores / store.folder_of(self.level).name

    def write(self, lower: str = "x + 1.0", factor: float = 10.0, options: str = "") -> None:
        (self.folder / "lower_file.py").write_text(LOWER.format(lower=lower, factor=factor))
        (self.folder / "upper_file.py").write_text(UPPER.format(options=options))

    def run(self, build: bool = False, before: str = "", user: str = "user") -> tuple[list[float], int]:
        """What the kernel gives, and how many were compiled for it."""
        variables = {**os.environ, "PYTHONPATH": os.pathsep.join([str(self.folder), str(SOURCE.parent)])}
        variables |= {"NUMBA_CACHE_DIR": str(self.folder / user)}
        if build:
            self.store.mkdir(parents=True, exist_ok=True)
            variables |= {store.BUILD: str(self.store)}
            if self.level != MINE[0]:
                variables |= {"NUMBA_CPU_NAME": self.level.name, "NUMBA_CPU_FEATURES": ""}
        words = [sys.executable, "-P", "-c", PROGRAM.format(before=before), str(self.stores)]
        ran = subprocess.run(words, env=variables, capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stderr
        values, compiled = json.loads(ran.stdout)
        return values, compiled


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = Place(tmp_path_factory.mktemp("built"))
    place.write()
    assert place.run(build=True) == ([31.0], 2)
    assert not list(place.user.rglob("*.nbc"))  # nothing is kept beside the store
    return place.folder


@pytest.fixture
def place(built: Path, tmp_path: Path) -> Place:
    """The store and its sources in another folder."""
    shutil.copytree(built, tmp_path, dirs_exist_ok=True)
    return Place(tmp_path)


@needs_level
def test_a_store_serves_everybody_and_without_it_the_user_keeps_kernels(place: Place) -> None:
    assert place.run() == ([31.0], 0)
    assert not list(place.user.rglob("*.nbc"))
    os.rename(place.store, place.stores / "of-another-numba")
    assert place.run() == ([31.0], 2)
    assert place.run() == ([31.0], 0)
    place.write(lower="x + 2.0")  # the file of the upper kernel is the same: numba alone would take that for fresh
    assert place.run() == ([41.0], 2)


@needs_level
def test_what_the_user_has_kept_is_compiled_for_the_store_too(tmp_path: Path) -> None:
    place = Place(tmp_path)
    place.level = MINE[0]  # code for this very processor is what both keep
    place.write()
    assert place.run() == ([31.0], 2)
    assert place.run(build=True) == ([31.0], 2)
    assert place.run(user="nobody") == ([31.0], 0)


@needs_level
def test_other_versions_damage_and_lesser_processors_are_compiled_for(place: Place) -> None:
    other = 'store.versions = lambda: "cpython-311-numba-9.9"'
    assert place.run(before=other, user="a") == ([31.0], 2)
    lesser = "import andante.compiling.cache as made; made.processor = lambda: store.Processor('old', frozenset())"
    assert place.run(before=lesser, user="b") == ([31.0], 2)
    foreign = 'import numba; numba.__version__ = "9.9"'  # an index tells its version too
    assert place.run(before=foreign, user="c") == ([31.0], 2)
    for file in place.store.glob("*.nbc"):
        file.write_bytes(file.read_bytes()[:100])
    assert place.run(user="d") == ([31.0], 2)


@needs_level
@pytest.mark.parametrize(
    ("change", "value"),
    [({"lower": "x + 2.0"}, 41.0), ({"factor": 100.0}, 301.0), ({"options": "error_model='numpy'"}, 31.0)],
)
def test_a_kernel_is_fresh_only_with_all_that_it_is_made_of(place: Place, change: dict[str, str], value: float) -> None:
    place.write(**change)
    values, compiled = place.run()
    assert values == [value]
    assert compiled >= 1


MIXED = """
import sys
from pathlib import Path
from andante.compiling import njit, store
store.STORES = Path(sys.argv[1])
from upper_file import upper
first, registered = upper(2.0), "numba.np.arraymath" in sys.modules

@njit()
def own(x):
    return upper(x) + sum([1.0, 2.0])

print(first, registered, own(2.0), upper(2), "numba.np.arraymath" in sys.modules)
"""


@needs_level
def test_kernels_of_the_store_do_not_wait_for_what_only_a_compiler_needs(place: Place) -> None:
    """Numba's registries of Python and numpy cost a third of a second of each start; one that compiles has them."""
    (place.folder / "mixed.py").write_text(MIXED)
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join([str(place.folder), str(SOURCE.parent)])}
    variables |= {"NUMBA_CACHE_DIR": str(place.user)}
    words = [sys.executable, "-P", str(place.folder / "mixed.py"), str(place.stores)]
    ran = subprocess.run(words, env=variables, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["31.0", "False", "34.0", "31.0", "True"]


EVERY = """
import json, pickle, sys, zlib
from pathlib import Path
from numba.core.runtime import rtsys
from numba.core.registry import cpu_target
from numba.core.compiler import CompileResult
context, count = cpu_target.target_context, 0
rtsys.initialize(context)
for path in sorted(Path(sys.argv[1]).glob("*.nbc")):
    print(path.name, file=sys.stderr, flush=True)
    made = CompileResult._rebuild(context, *pickle.loads(zlib.decompress(path.read_bytes())))
    assert made.entry_point is not None
    count += 1
print(count)
"""


@pytest.mark.skipif(not any(map(os.path.isdir, map(store.folder_of, MINE))), reason="no store was built here")
def test_all_kernels_of_the_store_are_linked_with_the_runtime_alone() -> None:
    folder = next(path for path in map(store.folder_of, MINE) if path.is_dir())
    variables = {**os.environ, "PYTHONPATH": str(SOURCE.parent)}
    words = [sys.executable, "-P", "-c", EVERY, str(folder)]
    ran = subprocess.run(words, env=variables, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-500:]
    assert int(ran.stdout) > 100


ONLY_TESTED = {"locomotion.biped.kernels.mass_places", "locomotion.biped.kernels.holding"}  # the tests' own references


@pytest.mark.skipif(
    not any(fresh(folder) for folder in map(store.folder_of, MINE)), reason="no store of these sources was built here"
)
def test_every_kernel_is_in_the_store() -> None:
    """One that the warm-up does not reach is compiled in a user's session: those of the balance filter were."""
    folder = next(folder for folder in map(store.folder_of, MINE) if fresh(folder))
    kept, missing = {path.stem for path in folder.glob("*.nbi")}, []
    for path in sorted(SOURCE.rglob("*.py")):
        module = ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
        own_code = r"^@njit\((?![^\n]*inline=\"always\")[^\n]*\)\ndef (\w+)"  # others are a part of their callers
        names = re.findall(own_code, path.read_text(encoding="utf-8"), re.MULTILINE)
        missing += [f"{module}.{name}" for name in names if f"{module}.{name}" not in kept | ONLY_TESTED]
    assert missing == []


def test_stamps_do_not_depend_on_the_process() -> None:
    """Options of several words stand in sets, whose order differs from process to process."""
    show = "from andante.kinematics.ik.solver import solve; print(solve._cache._cache_file._source_stamp)"
    seen = set()
    for seed in ("1", "2"):
        variables = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(SOURCE.parent)}
        ran = subprocess.run([sys.executable, "-P", "-c", show], env=variables, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        seen.add(ran.stdout)
    assert len(seen) == 1


def test_functions_that_were_typed_have_no_stamp() -> None:
    space: dict[str, object] = {}
    exec(compile("def typed(x):\n    return x\n", "<typed>", "exec"), space)
    assert stamp(space["typed"]) == ""


@needs_level
def test_the_store_of_this_very_processor_is_taken_first(place: Place) -> None:
    place.level = MINE[0]
    place.write(lower="x + 2.0")
    assert place.run(build=True) == ([41.0], 2)
    assert place.run() == ([41.0], 0)
    shutil.rmtree(place.store)
    assert place.run() == ([41.0], 2)  # the portable one is of other sources


def test_which_store_serves_a_processor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv(store.BUILD, raising=False)
    monkeypatch.setattr(store, "STORES", tmp_path)
    high, low = Processor("v9", frozenset(("avx", "wings"))), Processor("v8", frozenset(("avx",)))
    monkeypatch.setattr(store, "portable", lambda: (high, low))
    bird, fish = Processor("bird", high.features | {"beak"}), Processor("fish", low.features | {"fins"})
    assert [level.name for level in store.levels(fish)[1:]] == ["v8"]
    assert [level.name for level in store.levels(bird)[1:]] == ["v9", "v8"]
    assert store.levels(bird)[0] != store.levels(Processor("bird", high.features))[0]
    assert store.store_folder(bird) is None
    for level, served in ((low, (bird, fish)), (high, (bird,)), (store.levels(bird)[0], (bird,))):
        store.folder_of(level).mkdir()
        assert all(store.store_folder(each) == store.folder_of(level) for each in served)
    assert store.store_folder(fish) == store.folder_of(low)
    assert store.store_folder(Processor("stone", frozenset())) is None
    monkeypatch.setattr(store, "portable", lambda: ())
    assert store.store_folder(bird) is None


def test_every_kernel_is_made_by_our_decorator() -> None:
    """One of numba's own would be neither in the store nor known by what it is made of."""
    own = re.compile(r"from numba import [^\n]*\b(n?jit|vectorize|guvectorize|cfunc)\b|@numba\.")
    found = [path for path in SOURCE.rglob("*.py") if own.search(path.read_text(encoding="utf-8"))]
    assert found == []
