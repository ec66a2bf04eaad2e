"""Inverse kinematics beside roboticstoolbox and Pinocchio: the same as `andante bench ik`."""

from andante.bench.ik import run

if __name__ == "__main__":
    for row in run(seconds=4.0, quiet=False):
        print(f"{row.case:70} {row.andante:12.5g} {row.baseline:12.5g} {row.unit:9} {row.ratio:8.3f}")
