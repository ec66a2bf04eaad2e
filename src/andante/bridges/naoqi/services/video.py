"""ALVideoDevice and ALPhotoCapture: pictures of the robot's cameras in the containers of NAOqi."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from andante.bridges.naoqi.forms import CallError
from andante.bridges.naoqi.names import CAMERAS, COLOR_SPACES, RESOLUTIONS
from andante.bridges.naoqi.service import Service, method

CONTAINER = "(iiiiiiriffff)"  # width height layers space seconds microseconds data camera left top right bottom
MOST_HANDLES = 8  # of one name
LARGEST = 2  # resolution that is rendered; larger ones are scaled up
CAMERA_SELECT = 18  # parameter of old programs
FRESH = 1 / 30  # a picture younger than this is given again [s]


@dataclass(frozen=True)
class Subscription:
    """What a program has asked for."""

    camera: int
    resolution: int
    space: int
    rate: int


@dataclass(frozen=True)
class Shot:
    """A picture (height, width, 3) RGB of a camera, with the time of the session [s]."""

    pixels: np.ndarray
    time: float
    stamp: tuple[int, int]  # [s], [us] of the wall clock


class Video(Service):
    """Pictures of the cameras."""

    name = "ALVideoDevice"

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._handles: dict[str, Subscription] = {}
        self._active = 0
        self._parameters: dict[tuple[int, int], int] = {}
        self._shots: dict[tuple[int, int], Shot] = {}
        self._locks = {camera: threading.Lock() for camera in range(len(CAMERAS))}

    # ---- subscriptions -----------------------------------------------------------------------------
    def _add(self, name: str, camera: int, resolution: int, space: int, rate: int) -> str:
        self._check(camera, resolution, space)
        if not 1 <= rate <= 30:
            raise CallError(f"the frame rate is 1 to 30, got {rate}")
        taken = [f"{name}_{k}" for k in range(MOST_HANDLES) if f"{name}_{k}" in self._handles]
        if len(taken) >= MOST_HANDLES:
            raise CallError(f"{name} has subscribed {MOST_HANDLES} times already; unsubscribe first")
        handle = next(f"{name}_{k}" for k in range(MOST_HANDLES) if f"{name}_{k}" not in self._handles)
        self._handles[handle] = Subscription(camera, resolution, space, rate)
        return handle

    def _check(self, camera: int, resolution: int, space: int) -> None:
        if not 0 <= camera < len(CAMERAS):
            raise CallError(f"camera is 0 (top) or 1 (bottom), got {camera}")
        if resolution not in RESOLUTIONS:
            raise CallError(f"resolution is one of {sorted(RESOLUTIONS)}, got {resolution}")
        if space not in COLOR_SPACES:
            raise CallError(f"color space is one of {sorted(COLOR_SPACES)}, got {space}")

    @method("name:text camera:int resolution:int space:int rate:int")
    def subscribeCamera(self, name: str, camera: int, resolution: int, space: int, rate: int) -> str:
        """A handle for pictures of a camera."""
        return self._add(name, camera, resolution, space, rate)

    @method("name:text resolution:int space:int rate:int")
    def subscribe(self, name: str, resolution: int, space: int, rate: int) -> str:
        """A handle for pictures of the active camera."""
        return self._add(name, self._active, resolution, space, rate)

    @method("name:text cameras:list resolutions:list spaces:list rate:int")
    def subscribeCameras(self, name: str, cameras: Any, resolutions: Any, spaces: Any, rate: int) -> str:
        """A handle for pictures of several cameras: here of the first one."""
        if not (cameras and resolutions and spaces):
            raise CallError("cameras, resolutions and spaces are lists of one or more")
        return self._add(name, int(cameras[0]), int(resolutions[0]), int(spaces[0]), rate)

    @method("handle:text")
    def unsubscribe(self, handle: str) -> bool:
        """Give a handle back."""
        return self._handles.pop(handle, None) is not None

    @method("name:text")
    def unsubscribeAllInstances(self, name: str) -> bool:
        """Give all handles of a name back."""
        found = [handle for handle in self._handles if handle.rsplit("_", 1)[0] == name]
        for handle in found:
            del self._handles[handle]
        return bool(found)

    @method()
    def getSubscribers(self) -> list[str]:
        """All handles."""
        return list(self._handles)

    # ---- cameras are open, always --------------------------------------------------------------------
    @method("camera:int")
    @method("camera:int", name="startCamera")
    @method("camera:int", name="stopCamera")
    @method("camera:int", name="closeCamera")
    @method("camera:int", name="isCameraOpen")
    @method("camera:int", name="isCameraStarted")
    @method("camera:int", name="startFrameGrabber")
    @method("camera:int", name="stopFrameGrabber")
    def openCamera(self, camera: int) -> bool:
        """Whether there is such a camera."""
        self._check(camera, 0, 0)
        return True

    @method("camera:int?")
    def getCameraModel(self, camera: int = 0) -> int:
        """1 OV7670 (V3.3), 2 MT9M114 (V4, V5), 3 OV5640 (V6)."""
        self._check(camera, 0, 0)
        return {"V3.3": 1, "V6.0": 3}.get(self.model.version, 2)

    @method()
    def hasDepthCamera(self) -> bool:
        """No."""
        return False

    # ---- pictures ----------------------------------------------------------------------------------
    def shoot(self, camera: int, resolution: int) -> Shot:
        """A picture of now; one that is younger than a thirtieth of a second is taken again."""
        with self._locks[camera]:
            kept = self._shots.get((camera, resolution))
            if kept is not None and 0 <= self.link.now - kept.time < FRESH:
                return kept
            width, height = RESOLUTIONS[resolution]
            small = resolution if width <= RESOLUTIONS[LARGEST][0] else LARGEST
            asked = RESOLUTIONS[small]
            found = self.link.call("/take_picture", "andante_msgs/srv/TakePicture", camera=CAMERAS[camera],
                                   width=asked[0], height=asked[1])  # fmt: skip
            pixels = np.frombuffer(found.image.data, dtype=np.uint8).reshape(asked[1], asked[0], 3)
            if asked != (width, height):
                import cv2

                pixels = cv2.resize(pixels, (width, height), interpolation=cv2.INTER_LINEAR)
            now = time.time()
            shot = Shot(pixels, self.link.now, (int(now), int(1e6 * (now % 1.0))))
            self._shots[camera, resolution] = shot
            return shot

    def _image(self, handle: str) -> Any:
        subscription = self._handles.get(handle)
        if subscription is None:
            raise CallError(f"no subscription {handle}")
        shot = self.shoot(subscription.camera, subscription.resolution)
        data = in_space(shot.pixels, subscription.space)
        height, width = shot.pixels.shape[:2]
        half, up = (0.5 * angle for angle in self.model.view(CAMERAS[subscription.camera]))
        return (width, height, COLOR_SPACES[subscription.space], subscription.space, *shot.stamp, data.tobytes(),
                subscription.camera, half, -up, -half, up)  # fmt: skip

    @method("handle:text", returns=CONTAINER, blocking=True)
    @method("handle:text", returns=CONTAINER, blocking=True, name="getImageLocal")
    @method("handle:text", returns=CONTAINER, blocking=True, name="getDirectRawImageRemote")
    def getImageRemote(self, handle: str) -> Any:
        """The container of a picture: 12 items, the seventh its bytes."""
        return self._image(handle)

    @method("handle:text")
    @method("handle:text", name="releaseDirectRawImage")
    def releaseImage(self, handle: str) -> bool:
        """Nothing is held."""
        return handle in self._handles

    @method("handle:text")
    def getImageInfo(self, handle: str) -> list[Any]:
        """Width, height, layers and color space of a handle's pictures."""
        s = self._handles.get(handle)
        if s is None:
            raise CallError(f"no subscription {handle}")
        return [*RESOLUTIONS[s.resolution], COLOR_SPACES[s.space], s.space]

    # ---- settings ----------------------------------------------------------------------------------
    def _change(self, handle: str, **changes: int) -> bool:
        if handle not in self._handles:
            return False
        made = replace(self._handles[handle], **changes)
        self._check(made.camera, made.resolution, made.space)
        self._handles[handle] = made
        return True

    @method("camera:int | handle:text camera:int")
    def setActiveCamera(self, *given: Any) -> bool:
        """The camera of old subscriptions, or of one handle."""
        self._check(given[-1], 0, 0)
        if len(given) == 2:
            return self._change(given[0], camera=given[1])
        self._active = given[0]
        for handle in self._handles:
            self._change(handle, camera=self._active)
        return True

    @method("handle:text?")
    def getActiveCamera(self, handle: str = "") -> int:
        """0 top, 1 bottom."""
        return self._handles[handle].camera if handle in self._handles else self._active

    @method("handle:text resolution:int")
    def setResolution(self, handle: str, resolution: int) -> bool:
        """Of a handle."""
        return self._change(handle, resolution=resolution)

    @method("handle:text")
    def getResolution(self, handle: str) -> int:
        """Of a handle, -1 where there is none."""
        return self._handles[handle].resolution if handle in self._handles else -1

    @method("handle:text space:int")
    def setColorSpace(self, handle: str, space: int) -> bool:
        """Of a handle."""
        return self._change(handle, space=space)

    @method("handle:text")
    def getColorSpace(self, handle: str) -> int:
        """Of a handle, -1 where there is none."""
        return self._handles[handle].space if handle in self._handles else -1

    @method("handle:text rate:int")
    def setFrameRate(self, handle: str, rate: int) -> bool:
        """Of a handle."""
        return self._change(handle, rate=rate)

    @method("handle:any")
    def getFrameRate(self, handle: Any) -> int:
        """Of a handle."""
        return self._handles[handle].rate if handle in self._handles else 30

    @method("parameter:int value:int")
    def setParam(self, parameter: int, value: int) -> None:
        """A parameter of the active camera; 18 chooses the camera."""
        if parameter == CAMERA_SELECT:
            self.setActiveCamera(value)
        self._parameters[self._active, parameter] = value

    @method("parameter:int")
    def getParam(self, parameter: int) -> int:
        """As it was set."""
        return self._active if parameter == CAMERA_SELECT else self._parameters.get((self._active, parameter), 0)

    @method("camera:int parameter:int value:int")
    def setParameter(self, camera: int, parameter: int, value: int) -> bool:
        """Noted."""
        self._check(camera, 0, 0)
        self._parameters[camera, parameter] = value
        return True

    @method("camera:int parameter:int")
    def getParameter(self, camera: int, parameter: int) -> int:
        """As it was set."""
        return self._parameters.get((camera, parameter), 0)

    @method()
    def getCameraIndexes(self) -> list[int]:
        """0 and 1."""
        return list(range(len(CAMERAS)))

    @method("camera:int?")
    def getCameraName(self, camera: int = 0) -> str:
        """CameraTop or CameraBottom."""
        self._check(camera, 0, 0)
        return CAMERAS[camera]

    # ---- angles ------------------------------------------------------------------------------------
    @method("camera:int?")
    def getHorizontalFOV(self, camera: int = 0) -> float:
        """[rad]."""
        self._check(camera, 0, 0)
        return self.model.view(CAMERAS[camera])[0]

    @method("camera:int?")
    def getVerticalFOV(self, camera: int = 0) -> float:
        """[rad]."""
        self._check(camera, 0, 0)
        return self.model.view(CAMERAS[camera])[1]

    @method("camera:int place:numbers")
    def getAngularPositionFromImagePosition(self, camera: int, place: Any) -> list[float]:
        """Yaw (left +) and pitch (down +) [rad] of a place 0..1 in the picture."""
        self._check(camera, 0, 0)
        return list(angles_at(float(place[0]), float(place[1]), self.model.view(CAMERAS[camera])))

    @method("camera:int angles:numbers")
    def getImagePositionFromAngularPosition(self, camera: int, angles: Any) -> list[float]:
        """The inverse."""
        self._check(camera, 0, 0)
        across, up = self.model.view(CAMERAS[camera])
        u = 0.5 - math.tan(float(angles[0])) / (2 * math.tan(across / 2))
        v = 0.5 + math.tan(float(angles[1])) / (2 * math.tan(up / 2))
        return [u, v]


def angles_at(u: float, v: float, view: tuple[float, float]) -> tuple[float, float]:
    """Yaw (left +) and pitch (down +) [rad] of a place in a picture, u, v from 0 to 1; `view`: its full angles."""
    return math.atan((0.5 - u) * 2 * math.tan(view[0] / 2)), math.atan((v - 0.5) * 2 * math.tan(view[1] / 2))


def in_space(pixels: np.ndarray, space: int) -> np.ndarray:
    """RGB pixels (h, w, 3) in a color space of NAOqi."""
    if space == 11:
        return pixels
    if space == 13:
        return np.ascontiguousarray(pixels[:, :, ::-1])
    import cv2

    if space == 12:
        return np.asarray(cv2.cvtColor(pixels, cv2.COLOR_RGB2HSV_FULL))
    r, g, b = (pixels[:, :, k].astype(np.float32) for k in range(3))
    y = 0.299 * r + 0.587 * g + 0.114 * b  # ITU-R BT.601
    if space == 0:
        return np.asarray(np.clip(np.rint(y), 0, 255).astype(np.uint8))
    u, v = 128 + 0.564 * (b - y), 128 + 0.713 * (r - y)
    whole: np.ndarray = np.clip(np.rint(np.stack([y, u, v], axis=2)), 0, 255).astype(np.uint8)
    if space == 10:
        return whole
    out = np.empty((*whole.shape[:2], 2), dtype=np.uint8)  # YUYV
    out[:, :, 0] = whole[:, :, 0]
    out[:, 0::2, 1], out[:, 1::2, 1] = whole[:, 0::2, 1], whole[:, 0::2, 2]
    return out


class Shooting(Service):
    """What is asked for before pictures or films are made: camera, resolution, color space."""

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._resolution, self._space, self._camera = 1, 11, 0

    @method("resolution:int")
    def setResolution(self, resolution: int) -> None:
        """Of what is made next."""
        if resolution not in RESOLUTIONS:
            raise CallError(f"resolution is one of {sorted(RESOLUTIONS)}, got {resolution}")
        self._resolution = resolution

    @method()
    def getResolution(self) -> int:
        """As it was set."""
        return self._resolution

    @method("space:int")
    def setColorSpace(self, space: int) -> None:
        """Noted."""
        self._space = space

    @method()
    def getColorSpace(self) -> int:
        """As it was set."""
        return self._space

    @method("camera:int")
    def setCameraID(self, camera: int) -> None:
        """0 top, 1 bottom."""
        if not 0 <= camera < len(CAMERAS):
            raise CallError(f"camera is 0 (top) or 1 (bottom), got {camera}")
        self._camera = camera

    @method()
    def getCameraID(self) -> int:
        """0 top, 1 bottom."""
        return self._camera


class PhotoCapture(Shooting):
    """Pictures as files, in a folder of this machine."""

    name = "ALPhotoCapture"

    def __init__(self, robot: Any) -> None:
        super().__init__(robot)
        self._format, self._interval = "jpg", 200

    @method("format:text")
    def setPictureFormat(self, kind: str) -> None:
        """jpg, png, bmp ..."""
        if kind.casefold() not in ("jpg", "jpeg", "png", "bmp", "ppm", "pgm", "tiff"):
            raise CallError(f"the format is jpg, png, bmp, ppm, pgm or tiff, got {kind}")
        self._format = kind.casefold()

    @method()
    def getPictureFormat(self) -> str:
        """As it was set."""
        return self._format

    @method("interval:int")
    def setCaptureInterval(self, interval: int) -> None:
        """Between two pictures [ms]."""
        self._interval = max(0, interval)

    @method()
    def getCaptureInterval(self) -> int:
        """[ms]."""
        return self._interval

    def _save(self, folder: str, name: str) -> str:
        from PIL import Image

        file = self.robot.file(folder, f"{Path(name).stem or 'image'}.{self._format}")
        Image.fromarray(self.robot.service(Video).shoot(self._camera, self._resolution).pixels).save(file)
        return str(file)

    @method("folder:text name:text overwrite:bool?", blocking=True)
    def takePicture(self, folder: str, name: str, _: bool = True) -> list[str]:
        """One picture; its path."""
        return [self._save(folder, name)]

    @method("count:int folder:text name:text overwrite:bool?", blocking=True)
    def takePictures(self, count: int, folder: str, name: str, _: bool = True) -> list[str]:
        """Some pictures; their paths."""
        if not 1 <= count <= 100:
            raise CallError(f"1 to 100 pictures are taken, got {count}")
        out = []
        for k in range(count):
            out.append(self._save(folder, f"{name}_{k}"))
            if k + 1 < count and not self.link.sleep(1e-3 * self._interval):
                break
        return out
