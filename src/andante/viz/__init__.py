"""Pictures, films, plots and previews."""

from typing import TYPE_CHECKING

from andante.lazy import lazy_names

if TYPE_CHECKING:
    from .drives import plot_drive, plot_exploration, plot_map
    from .film import Film, save_picture, take_picture
    from .paths import plot_joints, plot_walk
    from .preview import draw_robot, preview_chain, preview_robot
    from .preview_plots import film_strip, picture_strip, preview_action, preview_bases, preview_motion

__all__ = [
    "Film",
    "draw_robot",
    "film_strip",
    "picture_strip",
    "plot_drive",
    "plot_exploration",
    "plot_joints",
    "plot_map",
    "plot_walk",
    "preview_action",
    "preview_bases",
    "preview_chain",
    "preview_motion",
    "preview_robot",
    "save_picture",
    "take_picture",
]

__getattr__ = lazy_names(
    __name__,
    {"Film": ".film", "draw_robot": ".preview", "film_strip": ".preview_plots", "picture_strip": ".preview_plots",
     "plot_drive": ".drives", "plot_exploration": ".drives", "plot_joints": ".paths", "plot_map": ".drives",
     "plot_walk": ".paths", "preview_action": ".preview_plots", "preview_bases": ".preview_plots",
     "preview_chain": ".preview", "preview_motion": ".preview_plots", "preview_robot": ".preview",
     "save_picture": ".film", "take_picture": ".film"},
)  # fmt: skip
