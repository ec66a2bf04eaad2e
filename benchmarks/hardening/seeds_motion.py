# ruff: noqa: E501 (tables of data)
"""Seeds: rigs, motions, actions, recordings, and parameter files of gaits, mapping, localisation and navigation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from andante.description import load_robot
from andante.motion.io.library import library_motions

from .seeds import Seed, words
from .seeds_bags import mcap_plain
from .seeds_description import ARM, PARTS, XACRO
from .seeds_maps import YAML, carmen, pgm
from .seeds_meshes import cube

KEYS = b"""name = "nod"
robot = "arm"
interpolation = "smooth"
repeat = {from = 0.2, to = 0.6, count = 2}
[[keys]]
time = 0.2
shoulder = 0.3
[[keys]]
time = 0.6
shoulder = -0.2
wrist = 0.5
[[keys]]
time = 1.0
shoulder = 0.0
wrist = 0.0
"""
TABLE = b"time,shoulder,wrist\n0.0,0.0,0.0\n0.5,0.2,\n1.0,0.1,0.4\n"
RECORDED = b"time,x,y,z,qx,qy,qz,qw,shoulder,elbow,wrist\n" + b"".join(
    b"%.3f,0,0,0.1,0,0,0,1,%.3f,0.0,0.1\n" % (0.02 * k, 0.01 * k) for k in range(20)
)
GAIT = b"T = 0.9\nA_h = 5.0\ns_h = 8.0\nA_k = 10.0\nb = 30.0\n"
MAPPING = b"resolution = 0.05\n"
MCL = b"particles_min = 100\nparticles_max = 500\n"
DRIVING = b"[navigator]\n[layers]\n[inflation]\nradius = 0.4\n[pursuit]\nlook_ahead = [0.3, 0.8]\n"
SPACE = b"[T]\nlow = 0.6\nhigh = 1.2\n[A_h]\nlow = 2.0\nhigh = 8.0\nstep = 0.5\n"
FRAMES = b"# parent child x y z yaw pitch roll\nbase_link mast 0 0 0.5 0 0 0\nmast laser 0.1 0 0 1.57 0 0\n"


def seeds() -> Iterator[Seed]:
    """Motions and parameters."""
    arm = {"arm.urdf": ARM, "cube.stl": cube("stl")}
    for name, data in (("nod.toml", KEYS), ("nod.csv", TABLE), ("run.csv", RECORDED), ("run.mcap", mcap_plain())):
        yield Seed("motion", name, {name: data, **arm},
                   words(f"play {{in}}/arm.urdf {{in}}/{name} --check --json"), (name,),
                   words(f"play {{in}}/arm.urdf {{in}}/{name} --seconds 0.02 --anyway --json"))  # fmt: skip
    for robot, name in (("shell", "bow"), ("nao", "point")):
        text = library_motions(load_robot(robot))[name].read_bytes()
        yield Seed(
            "motion",
            f"{name}.action",
            {f"{name}.action": text},
            words(f"play {robot} {{in}}/{name}.action --check --json"),
        )
    beast = {"beast.urdf.xacro": XACRO, "parts.xacro": PARTS, "beast.yaml": b"mass: 4.0\nleg: 0.3\n"}
    walk = "walk {in}/beast.urdf.xacro --rig {in}/r.toml --velocity 0.1~0~0 --seconds 0.02 --json"
    yield Seed("rig", "beast", {"r.toml": _rig(beast), **beast}, words(walk), ("r.toml",))
    yield from _parameters()


def _rig(files: dict[str, bytes]) -> bytes:
    """The rig that is inferred of the four-legged robot."""
    import tempfile

    from andante.description import load_robot
    from andante.locomotion.io.rig_file import rig_text
    from andante.locomotion.rigs.infer import infer_rig

    with tempfile.TemporaryDirectory() as folder:
        for name, data in files.items():
            (Path(folder) / name).write_bytes(data)
        return rig_text(infer_rig(load_robot(str(Path(folder) / "beast.urdf.xacro")))).encode()


def _parameters() -> Iterator[Seed]:
    drive = {"drive.log": carmen(), "room.yaml": YAML, "room.pgm": pgm()}
    yield Seed(
        "parameters", "gait", {"g.toml": GAIT}, words("gait eval nao --params {in}/g.toml --seconds 0.02 --json")
    )
    json = b'{"T": 0.9, "A_h": 5.0, "b": 30}'
    yield Seed(
        "parameters", "gait.json", {"g.json": json}, words("gait eval nao --params {in}/g.json --seconds 0.02 --json")
    )
    yield Seed("parameters", "space", {"s.toml": SPACE},
               words("gait search nao --space {in}/s.toml --study {out}/s --budget 1 --workers 0 --seconds 0.02 --sampler random --json"))  # fmt: skip
    yield Seed("parameters", "mapping", {"p.toml": MAPPING, **drive},
               words("map {in}/drive.log -o {out}/m --params {in}/p.toml --json"), ("p.toml",))  # fmt: skip
    where = "localize {in}/drive.log --map {in}/room.yaml --initial-pose 1~1~0 --params {in}/p.toml --json"
    yield Seed("parameters", "mcl", {"p.toml": MCL, **drive}, words(where), ("p.toml",))
    go = "navigate waffle --goal 1~0~0 --timeout 0.02 --controller pursuit --params {in}/p.toml --json"
    yield Seed("parameters", "driving", {"p.toml": DRIVING}, words(go))
    yield Seed("parameters", "frames", {"f.txt": FRAMES, "plain.mcap": mcap_plain()},
               words("map {in}/plain.mcap -o {out}/m --tf {in}/f.txt --json"), ("f.txt",))  # fmt: skip
    explore = "explore waffle --world corridor -o {out}/m --waypoints {in}/w.txt --timeout 0.02 --json"
    yield Seed("parameters", "waypoints", {"w.txt": b"0.5 0\n1.0 0.5 1.57  # turn\n"}, words(explore))
