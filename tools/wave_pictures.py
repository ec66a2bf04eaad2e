"""Pictures of the wave gait for docs/wave.md: the waves of both variants, and the NAO walking by them.

python tools/wave_pictures.py [OUT]; also called by make_pictures.py.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
from PIL import Image, ImageDraw, ImageFont

import andante as an
from andante.locomotion.wave.gait import playback
from andante.locomotion.wave.model import WaveModel, WaveParameters, default_gait
from andante.physics.rendering import Camera
from andante.physics.rendering.renderer import Renderer

SHOWN = ("HipPitch", "KneePitch", "AnklePitch", "HipRoll", "AnkleRoll", "ShoulderPitch")
OUT = Path(__file__).resolve().parents[1] / "docs" / "pictures"
TILE = (260, 300)
COLUMNS = 6
INSTANTS = (0.0, 0.8, 1.4, 2.0, 2.12, 2.24, 2.36, 2.48, 2.6, 2.72, 4.5, 6.0)  # [s]


def draw_waves(out: Path) -> None:
    """One cycle of the shipped exact gait beside smooth waves of the same ten numbers."""
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    robot = an.robot("nao")
    exact = default_gait("exact").parameters
    smooth = WaveParameters.of({"w_k": 0.25, "c_a": 0.0, "p_h": 1.0}, exact)
    t = np.linspace(0.0, exact.period, 1500)
    held = np.arange(18) * exact.period / 18
    figure, axes = plt.subplots(2, 3, figsize=(11, 5.2), layout="constrained", sharex=True)
    for axis, part in zip(axes.flat, SHOWN, strict=True):
        for side, color in (("R", "#b2182b"), ("L", "#2166ac")):
            column = robot.joint_names.index(side + part)
            angles = np.degrees(WaveModel(robot, exact, "exact").angles(t)[:, column])
            jumps = np.abs(np.diff(angles, prepend=angles[0])) > 2.0
            angles[jumps] = np.nan
            axis.plot(t, angles, color=color, lw=1.1, alpha=0.55)
            axis.plot(t, np.degrees(WaveModel(robot, smooth).angles(t)[:, column]), color=color, lw=1.8, ls="--")
            cycle = np.degrees(WaveModel(robot, exact, "exact").cycle()[:, column])
            axis.plot(held + exact.period / 18, cycle, ".", color=color, ms=4)
        axis.set_title(part, fontsize=10)
        axis.grid(alpha=0.3)
    for axis in axes[1]:
        axis.set_xlabel("t [s]")
    for axis in axes[:, 0]:
        axis.set_ylabel("angle [deg]")
    axes[0, 0].plot([], [], color="grey", lw=1.1, label="exact")
    axes[0, 0].plot([], [], ".", color="grey", label="the 18 samples")
    axes[0, 0].plot([], [], color="grey", lw=1.8, ls="--", label="smooth, same numbers")
    figure.legend(*axes[0, 0].get_legend_handles_labels(), fontsize=8, loc="outside lower center", ncols=3)
    figure.suptitle("Coupled waves over one cycle (right leg red, left leg blue)", fontsize=11)
    figure.savefig(out / "waves.png", dpi=75)
    plt.close(figure)


def film_strip(out: Path) -> None:
    """The NAO walking by the shipped smooth gait, from a stand, over one cycle and on; the camera goes beside it."""
    parameters = default_gait("smooth").parameters
    sim = an.simulate("nao")
    sim.run(0.5)
    first = np.array(sim.engine.commands[sim.model].references)
    played = playback(WaveModel(sim.robot, parameters), first, INSTANTS[-1])
    font = ImageFont.load_default(size=17)
    tiles = []
    with Renderer(sim.engine.models, sim.engine.world, *TILE) as renderer:
        for k in range(len(played.times) + 1):
            now = 0.01 * k
            if any(abs(now - instant) < 1e-6 for instant in INSTANTS):
                x = float(sim.base_pose[0])
                camera = Camera((x + 0.25, -2.2, 0.47), (x + 0.02, 0.0, 0.29), math.radians(18))
                tile = Image.fromarray(renderer.shoot(sim.engine, camera))
                label = f"{now:.2f} s   {x:.2f} m"
                ImageDraw.Draw(tile).text((10, 8), label, fill=(25, 25, 30), font=font)
                tiles.append(tile)
            if k < len(played.times):
                sim.target(played.targets[k])
                sim.run(0.01)
    width, height = TILE
    rows = -(-len(tiles) // COLUMNS)
    page = Image.new("RGB", (COLUMNS * (width + 4) - 4, rows * (height + 4) - 4), "white")
    for i, each in enumerate(tiles):
        page.paste(each, ((i % COLUMNS) * (width + 4), (i // COLUMNS) * (height + 4)))
    page.save(out / "wave_strip.webp", quality=78)


def main(out: Path = OUT) -> None:
    """Write both."""
    out.mkdir(parents=True, exist_ok=True)
    draw_waves(out)
    film_strip(out)


if __name__ == "__main__":
    main(*(Path(word) for word in sys.argv[1:]))
