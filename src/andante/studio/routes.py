"""The web addresses of robots and worlds, added to the server process by name."""

from __future__ import annotations

import threading

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from andante.errors import AndanteError

from .scenes import Scenes


def scene_routes(_bus: object, arguments: dict[str, list[str]] | None) -> list[BaseRoute]:
    """Routes of /robot/... and /world/..., for `start_server(routes=ROUTES, arguments=scene_arguments(...))`."""
    scenes = Scenes()
    threading.Thread(target=prepare, args=(scenes, arguments or {}), daemon=True).start()

    async def answer(request: Request) -> Response:
        path = request.url.path.lstrip("/")
        try:
            found = await run_in_threadpool(scenes.file, request.scope["path"].lstrip("/"))
        except AndanteError as error:
            return PlainTextResponse(f"andante: {error}\n", 422)
        if found is None:
            return PlainTextResponse(f"andante: no {path[:100]}\n", 404)
        headers = {"etag": found.etag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == found.etag:
            return Response(status_code=304, headers=headers)
        return Response(found.data, media_type=found.media_type, headers=headers)

    first = {kind: next((n for n in (arguments or {}).get(f"{kind}s", []) if n in known), None)
             for kind, known in (("robot", scenes.robots), ("world", scenes.worlds))}  # fmt: skip

    async def opening(_: Request) -> Response:
        return JSONResponse(first)

    return [
        Route("/robot/{path:path}", answer),
        Route("/world/{path:path}", answer),
        Route("/scene.json", opening),  # what the page may load while the session is still being built
    ]


def prepare(scenes: Scenes, wanted: dict[str, list[str]]) -> None:
    """Make the files of some robots and worlds ahead of the page that will ask for them."""
    for kind, known in (("world", scenes.worlds), ("robot", scenes.robots)):
        for name in wanted.get(f"{kind}s", []):
            if name in known:
                for _ in scenes.all(kind, name, collisions=False):
                    pass
