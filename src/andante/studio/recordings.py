"""Recordings of the session's folder as files of the page: GET /recording/NAME, and POST for one of the user's own."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from andante.bags.reader import SUFFIXES
from andante.errors import AndanteError, BadInput

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]{0,80}")  # names without folders
MOST_BYTES = 1 << 30  # of a recording that is brought


def recording_file(folder: Path, name: str) -> Path:
    """The place of a recording in a folder; BadInput for names that are none."""
    if not PLAIN.fullmatch(name) or ".." in name or Path(name).suffix not in SUFFIXES:
        raise BadInput(f"a recording is a file named with letters, digits, _ - . that ends in {', '.join(SUFFIXES)}")
    return folder / name


def checked(file: Path, name: str) -> int:
    """Messages of a bag that was brought; BadInput where it cannot be read, or has none."""
    from andante.bags import open_bag

    with open_bag(file) as bag:
        if not bag.count:
            raise BadInput(f"{name} holds no messages that can be read")
        return bag.count


def recording_routes(folder: Path, limit: int = MOST_BYTES) -> list[BaseRoute]:
    """Routes that hand recordings out and take them in."""
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import FileResponse, JSONResponse
    from starlette.routing import Route

    async def get(request: Request) -> Response:
        try:
            file = recording_file(folder, request.path_params["name"])
        except BadInput as error:
            return JSONResponse({"error": str(error)}, 422)
        if not file.is_file() or file.resolve().parent != folder.resolve():
            return JSONResponse({"error": f"no recording {file.name}"}, 404)
        return FileResponse(file, filename=file.name)

    async def put(request: Request) -> Response:
        try:
            file = recording_file(folder, request.path_params["name"])
            if file.exists():
                raise BadInput(f"{file.name} is there already; rename yours")
            folder.mkdir(parents=True, exist_ok=True)
            handle, place = tempfile.mkstemp(file.suffix, ".brought_", folder)
            try:
                size = 0
                with os.fdopen(handle, "wb") as out:
                    async for chunk in request.stream():
                        size += len(chunk)
                        if size > limit:
                            raise BadInput(f"recordings over {limit >> 20} MB are refused")
                        out.write(chunk)
                count = await run_in_threadpool(checked, Path(place), file.name)
                Path(place).rename(file)
            finally:
                with contextlib.suppress(FileNotFoundError):
                    Path(place).unlink()
        except AndanteError as error:
            words = str(error).replace(str(folder) + os.sep, "")
            return JSONResponse({"error": words}, 422)
        except OSError as error:
            return JSONResponse({"error": f"the session's folder: {error.strerror or error}"}, 507)
        return JSONResponse({"name": file.name, "messages": count})

    return [Route("/recording/{name}", get), Route("/recording/{name}", put, methods=["POST"])]
