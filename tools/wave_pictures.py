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
from andante.locomotion.io.wave_file import default_gait
from andante.locomotion.wave import WaveModel, WaveParameters
from andante.locomotion.wave_playback import playback
from andante.physics.camera import Camera
from andante.physics.render import Renderer

SHOWN = ("HipPitch", "KneePitch", "AnklePitch", "HipRoll", "AnkleRoll", "ShoulderPitch")
OUT = Path(__file__).resolve().parents[1] / "docs" / "pictures"
TILE = (400, 250)
INSTANTS = (0.0, 1.0, 1.8, 2.7, 3.5, 4.4, 5.2, 6.0)  # [s]


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
        for side, colour in (("R", "#b2182b"), ("L", "#2166ac")):
            column = robot.joint_names.index(side + part)
            angles = np.degrees(WaveModel(robot, exact, "exact").angles(t)[:, column])
            jumps = np.abs(np.diff(angles, prepend=angles[0])) > 2.0
            angles[jumps] = np.nan
            axis.plot(t, angles, color=colour, lw=1.1, alpha=0.55)
            axis.plot(t, np.degrees(WaveModel(robot, smooth).angles(t)[:, column]), color=colour, lw=1.8, ls="--")
            cycle = np.degrees(WaveModel(robot, exact, "exact").cycle()[:, column])
            axis.plot(held + exact.period / 18, cycle, ".", color=colour, ms=4)
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
    """The NAO walking by the shipped smooth gait, always seen from the same place."""
    parameters = default_gait("smooth").parameters
    sim = an.simulate("nao")
    sim.run(0.5)
    first = np.array(sim.engine.wishes[sim.actor].references)
    played = playback(WaveModel(sim.robot, parameters), first, INSTANTS[-1])
    camera = Camera((0.42, -2.6, 0.55), (0.42, 0.0, 0.27), math.radians(17))
    font = ImageFont.load_default(size=17)
    tiles = []
    with Renderer(sim.engine.actors, sim.engine.world, *TILE) as renderer:
        for k in range(len(played.times) + 1):
            now = 0.01 * k
            if any(abs(now - instant) < 1e-6 for instant in INSTANTS):
                tile = Image.fromarray(renderer.shoot(sim.engine, camera))
                label = f"{now:.1f} s   {sim.base_pose[0]:.2f} m"
                ImageDraw.Draw(tile).text((10, 8), label, fill=(25, 25, 30), font=font)
                tiles.append(tile)
            if k < len(played.times):
                sim.target(played.targets[k])
                sim.run(0.01)
    width, height = TILE
    page = Image.new("RGB", (4 * (width + 4) - 4, 2 * (height + 4) - 4), "white")
    for i, each in enumerate(tiles):
        page.paste(each, ((i % 4) * (width + 4), (i // 4) * (height + 4)))
    page.save(out / "wave_strip.webp", quality=78)


def main(out: Path = OUT) -> None:
    """Write both."""
    out.mkdir(parents=True, exist_ok=True)
    draw_waves(out)
    film_strip(out)


if __name__ == "__main__":
    main(*(Path(word) for word in sys.argv[1:]))
