"""The reference of message types, written from the interface texts of the bus."""

from __future__ import annotations

from pathlib import Path

from andante.bags.messages.interface_files import FOLDER

KINDS = {"msg": "Messages", "srv": "Services", "action": "Actions"}
PARTS = {"srv": ("request", "response"), "action": ("goal", "result", "feedback")}
OWN = "andante_msgs"
WORDS = """\
Made from the interface texts of the bus. All message types of ROS 2 that `rosbags` ships are known as well (`std_msgs`,
`geometry_msgs`, `sensor_msgs`, `nav_msgs`, `visualization_msgs`, ...); below are those that Andante adds: its own, and
services, actions and messages of ROS packages that the library lacks. Which topic, service or action of a session has
which type is on the page [Live sessions](../live.md); how to make, pack and register them on [The bus](../bus.md).
Types are written `PKG/msg/Name`, or `PKG/Name`.
"""


def interface_files() -> dict[str, dict[str, list[Path]]]:
    """Interface texts by package (our own first) and kind."""
    packages = sorted((p for p in FOLDER.iterdir() if p.is_dir()), key=lambda p: (p.name != OWN, p.name))
    return {
        package.name: {kind: sorted((package / kind).glob(f"*.{kind}")) for kind in KINDS if (package / kind).is_dir()}
        for package in packages
    }


def messages_page() -> str:
    """The Markdown of the page."""
    parts = [
        "# Message types\n",
        WORDS,
    ]
    for package, kinds in interface_files().items():
        parts.append(f"## {package}\n")
        for kind, files in kinds.items():
            if not files:
                continue
            parts.append(f"**{KINDS[kind]}**\n")
            parts += [entry(package, kind, path) for path in files]
    return "\n".join(parts) + "\n"


def entry(package: str, kind: str, path: Path) -> str:
    """One type with its text; parts of services and actions are named."""
    text = path.read_text(encoding="utf-8").strip()
    names = PARTS.get(kind, ())
    blocks = [block.strip() for block in f"\n{text}\n".split("\n---\n")]
    if names:
        body = "\n\n".join(f"# {name}\n{block}".rstrip() for name, block in zip(names, blocks, strict=False))
    else:
        body = text
    name = f"{package}/{kind}/{path.stem}"
    return f"### {path.stem} {{ #{name.replace('/', '-')} }}\n\n`{name}`\n\n```yaml\n{body or '# no fields'}\n```\n"
