"""The picture of docs/vision.md: what both cameras of the NAO see on the pitch, and what is found in it."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from PIL import Image

from andante.description import load_world
from andante.session import LiveSession
from andante.session.behaviors.eyes import Eyes, EyeSettings
from andante.vision import Pinhole, find_ball, find_goal, find_lines
from andante.worlds import PITCH

OUT = Path(__file__).parents[1] / "docs" / "pictures" / "eyes.png"
SIZE = (640, 480)


def drawn(eyes: Eyes, name: str) -> np.ndarray:
    """A picture of a camera with ball, goal and lines marked."""
    image = eyes.picture(name)
    camera, at = Pinhole(*SIZE, eyes.cameras[name].model.horizontal_fov), eyes.odom_from_camera(name)
    out = np.ascontiguousarray(image.copy())

    def spot(x: float, y: float) -> tuple[int, int]:
        u, v = camera.pixels((np.linalg.inv(at) @ np.array([x, y, 0.0, 1.0]))[:3])
        return round(float(u)), round(float(v))

    for line in find_lines(image, camera, at):
        cv2.line(out, spot(*line.start), spot(*line.end), (255, 120, 0), 2, cv2.LINE_AA)
    ball, goal = find_ball(image, camera), find_goal(image, camera, at)
    if ball is not None:
        center = (round(ball.center[0]), round(ball.center[1]))
        cv2.circle(out, center, round(camera.focal_length * np.tan(ball.radius)) + 4, (255, 255, 255), 2, cv2.LINE_AA)
        cv2.putText(out, f"{ball.distance:.2f} m", (center[0] + 45, center[1]), 0, 0.7, (255, 255, 255), 2, cv2.LINE_AA)
    if goal is not None:
        for foot in (goal.left, goal.right):
            cv2.drawMarker(out, spot(*foot), (0, 255, 255), cv2.MARKER_CROSS, 24, 3)
    return out


def main() -> None:
    """Draw it."""
    session = LiveSession("nao", load_world(PITCH), start=(0.25, 0.12, -0.05), nodes=[])
    try:
        session.run(0.3)
        eyes = Eyes(session, EyeSettings(width=SIZE[0], height=SIZE[1]))
        eyes.wake(frozenset({"ball"}))
        Image.fromarray(np.concatenate([drawn(eyes, "CameraTop"), drawn(eyes, "CameraBottom")], axis=1)).save(OUT)
    finally:
        session.close()


if __name__ == "__main__":
    main()
