"""The Python Image Library by its old name."""

import sys

import PIL.Image

sys.modules[__name__] = PIL.Image
