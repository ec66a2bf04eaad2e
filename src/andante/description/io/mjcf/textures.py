"""<texture> of MJCF: pictures by file, and the built-in chequers as pictures of our own."""

from __future__ import annotations

import io
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import numpy as np

from andante.description.io.cached import cached_file
from andante.description.io.xmltree import Node, vec3
from andante.description.shapes import RGBA

from .spec import Document

if TYPE_CHECKING:
    import mujoco

SIDE = 128  # of a chequer [pixels]


def read_texture(document: Document, spec: mujoco.MjSpec, node: Node) -> tuple[RGBA | None, str, Path | None]:
    """Color of a texture that has no picture, the text that names its picture, and where that is."""
    file = node.get("file")
    if file:
        return None, *_found(document, spec, node, file)
    first = np.clip(vec3(node, node.get("rgb1"), "rgb1", (0.8, 0.8, 0.8)), 0, 1)
    second = np.clip(vec3(node, node.get("rgb2"), "rgb2", (0.5, 0.5, 0.5)), 0, 1)
    kind = node.get("builtin")
    r, g, b = (float(v) for v in (first if kind == "flat" else (first + second) / 2))
    if kind != "checker" or node.get("type") == "skybox":
        return (r, g, b, 1.0), "", None
    path = cached_file(_chequer(first, second, _edge(node)), "chequer", ".png")
    return (r, g, b, 1.0), path.as_uri(), path


def _found(document: Document, spec: mujoco.MjSpec, node: Node, file: str) -> tuple[str, Path | None]:
    settings = [each for each in document.root.all("compiler") if each.get("texturedir") or each.get("assetdir")]
    folder = next((each.get("texturedir") or each.get("assetdir") or "" for each in reversed(settings)), "")
    if spec.strippath:
        file = PurePosixPath(file.replace("\\", "/")).name
    joined = file if not folder or Path(file).is_absolute() else str(PurePosixPath(folder) / file)
    path = document.resolver.resolve(joined, document.path) or document.resolver.resolve(file, document.path)
    if path is None:
        document.warn(f"texture {joined[:200]!r} was not found; what it lies on keeps its color", node.source)
    return joined, path


def _edge(node: Node) -> np.ndarray | None:
    """Color of the lines around the fields, where there are any."""
    if node.get("mark") != "edge":
        return None
    return np.clip(vec3(node, node.get("markrgb"), "markrgb", (0.0, 0.0, 0.0)), 0, 1)


def _chequer(first: np.ndarray, second: np.ndarray, edge: np.ndarray | None) -> bytes:
    """PNG of four fields in two colors."""
    from PIL import Image

    half = np.arange(SIDE) // (SIDE // 2)
    pixels = np.where((half[:, None] + half)[..., None] % 2 == 0, first, second)
    if edge is not None:
        pixels[[0, -1]] = pixels[:, [0, -1]] = edge
    out = io.BytesIO()
    Image.fromarray(np.round(pixels * 255).astype(np.uint8)).save(out, "PNG")
    return out.getvalue()
