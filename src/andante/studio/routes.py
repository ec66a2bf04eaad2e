"""The web addresses of robots and worlds, added to the server process by name."""

from __future__ import annotations

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from andante.errors import AndanteError

from .scenes import Scenes, Source

MODULE = "andante.studio.routes:scene_routes"


def scene_arguments(robots: dict[str, Source], worlds: dict[str, Source]) -> dict[str, Any]:
    """What `scene_routes` needs to know of a session, as JSON can carry it."""

    def plain(sources: dict[str, Source]) -> dict[str, Any]:
        return {name: {"file": s.file, "arguments": dict(s.arguments)} for name, s in sources.items()}

    return {"robots": plain(robots), "worlds": plain(worlds)}


def scene_routes(_bus: object, arguments: dict[str, Any] | None) -> list[BaseRoute]:
    """Routes of /robot/... and /world/..., for `start_server(routes=MODULE, arguments=scene_arguments(...))`."""
    known = arguments or {}
    scenes = Scenes(
        *({name: Source(**value) for name, value in known.get(kind, {}).items()} for kind in ("robots", "worlds"))
    )

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

    return [Route("/robot/{path:path}", answer), Route("/world/{path:path}", answer)]
