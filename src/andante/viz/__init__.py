"""Pictures, films, plots and previews."""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

if TYPE_CHECKING:
    from .drives import plot_drive, plot_exploration, plot_map
    from .film import Film, save_picture, take_picture
    from .paths import plot_joints, plot_walk
    from .preview import (
        COLORS,
        draw_chain,
        draw_frame,
        draw_path,
        draw_robot,
        draw_target,
        frame_all,
        preview_chain,
        preview_robot,
        space,
    )
    from .preview_plots import film_strip, picture_strip, preview_action, preview_bases, preview_motion

__all__ = [
    "COLORS", "Film", "draw_chain", "draw_frame", "draw_path", "draw_robot", "draw_target", "film_strip", "frame_all",
    "picture_strip", "plot_drive", "plot_exploration", "plot_joints", "plot_map", "plot_walk", "preview_action",
    "preview_bases", "preview_chain", "preview_motion", "preview_robot", "save_picture", "space", "take_picture",
]  # fmt: skip

_MODULES = {
    ".drives": "plot_drive plot_exploration plot_map",
    ".film": "Film save_picture take_picture",
    ".paths": "plot_joints plot_walk",
    ".preview": (
        "COLORS draw_chain draw_frame draw_path draw_robot draw_target frame_all preview_chain preview_robot space"
    ),
    ".preview_plots": "film_strip picture_strip preview_action preview_bases preview_motion",
}
__getattr__ = lazy_names(__name__, {name: module for module, names in _MODULES.items() for name in names.split()})
