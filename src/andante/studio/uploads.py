"""The addresses under which the page hands over files: POST /upload file by file, POST /upload/done for all of them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from andante.errors import AndanteError, BadInput

from .gallery import MOST_BYTES, Entry, Gallery

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

LOOKING = 90.0  # a look that takes longer is given up [s]


def upload_routes(folder: Path) -> list[BaseRoute]:
    """Routes that fill the gallery of a session's folder."""
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    gallery = Gallery(folder)

    def answered(work: Callable[[Request], Awaitable[Any]]) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            try:
                return JSONResponse(await work(request))
            except AndanteError as error:
                return JSONResponse({"error": str(error)}, 422)
            except OSError as error:
                return JSONResponse({"error": f"the session's folder: {error.strerror or error}"}, 507)

        return answer

    async def put(request: Request) -> Any:
        drop, path = request.query_params.get("drop", ""), request.query_params.get("path", "")
        data = await body_within(request, MOST_BYTES)
        await run_in_threadpool(gallery.put, drop, path, data)
        return {"bytes": len(data)}

    async def done(request: Request) -> Any:
        drop = request.query_params.get("drop", "")
        try:
            place = await run_in_threadpool(gallery.take, drop)
        except AndanteError:
            with contextlib.suppress(BadInput):
                gallery.abandon(drop)
            raise
        entry = await look(place)
        await run_in_threadpool(gallery.keep, entry)
        return asdict(entry)

    async def shown(_: Request) -> Any:
        return [asdict(entry) for entry in await run_in_threadpool(gallery.entries)]

    return [
        Route("/upload", answered(put), methods=["POST"]),
        Route("/upload/done", answered(done), methods=["POST"]),
        Route("/gallery.json", answered(shown)),
    ]


async def body_within(request: Request, limit: int) -> bytes:
    """The body of a request; BadInput for one beyond the limit, before all of it has come."""
    whole = bytearray()
    async for chunk in request.stream():
        whole += chunk
        if len(whole) > limit:
            raise BadInput(f"files over {limit >> 20} MB are refused")
    return bytes(whole)


async def look(place: Path) -> Entry:
    """What a folder holds, found by a process of its own."""
    words = [sys.executable, "-m", "andante.studio.gallery", str(place)]
    process = await asyncio.create_subprocess_exec(
        *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, stdin=asyncio.subprocess.DEVNULL
    )
    try:
        async with asyncio.timeout(LOOKING):
            said, errors = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        return _broken(place, f"it could not be read within {LOOKING:g} s")
    try:
        return Entry(**json.loads(said.decode().splitlines()[-1]))
    except (ValueError, IndexError, TypeError):
        last = (errors.decode(errors="replace").strip().splitlines() or ["no reason given"])[-1]
        return _broken(place, f"it cannot be read: {last[:200]}")


def _broken(place: Path, message: str) -> Entry:
    return Entry(place.name, problems=[{"severity": "error", "where": "", "message": message}])
