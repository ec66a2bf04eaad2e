"""Pictures, films, plots and previews."""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Figure

    from .drives import plot_drive, plot_exploration, plot_map, plot_way, save_figure
    from .feet import plot_feet
    from .film import Film, save_picture, take_picture
    from .paths import plot_bars, plot_joints, plot_search, plot_walk
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
    )  # fmt: skip
    from .preview_plots import film_strip, picture_strip, preview_action, preview_bases, preview_motion
    from .shown import FootShown, Shown
    from .stories import plot_story
    from .tuning import plot_tuning

__all__ = [
    "COLORS", "Film", "FootShown", "Shown", "draw_chain", "draw_frame", "draw_path", "draw_robot", "draw_target",
    "film_strip", "frame_all", "picture_strip", "plot_bars", "plot_drive", "plot_exploration", "plot_feet",
    "plot_joints", "plot_map", "plot_search", "plot_story", "plot_tuning", "plot_walk", "plot_way", "preview_action",
    "preview_bases", "preview_chain", "preview_motion", "preview_robot", "save_figure", "save_picture", "space",
    "take_picture",
]  # fmt: skip

__getattr__ = lazy_names(__name__)
