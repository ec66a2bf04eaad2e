"""`python -m andante.tasks.zoo.plain_mujoco FILE`: load a model with MuJoCo alone; exit 1 where it refuses."""

from __future__ import annotations

import sys


def main(path: str) -> int:
    """Exit code: 0 where MuJoCo loads the file and makes a step."""
    import mujoco

    try:
        model = mujoco.MjModel.from_xml_path(path)
        mujoco.mj_step(model, mujoco.MjData(model))
    except (ValueError, mujoco.FatalError) as error:
        sys.stderr.write(" ".join(str(error).split()) + "\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
