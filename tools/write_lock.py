"""Prints every installed distribution with its version, environment markers kept for the platform-bound engines."""

from importlib.metadata import distributions

HEADER = """\
# Versions of everything on the reference platform (Python 3.11, Linux x86_64), written by `make lock`.
# `pip install andante[all]` on other platforms resolves from pyproject.toml instead.\
"""
OWN = {"andante", "pip", "setuptools", "wheel"}
MARKERS = {
    "pybullet": "python_version < '3.12' and sys_platform == 'linux' and platform_machine == 'x86_64'",
    "dartpy": "python_version < '3.12' and sys_platform == 'linux'",
    "qi": "python_version < '3.13' and sys_platform == 'linux' and platform_machine == 'x86_64'",
}

print(HEADER)
seen = {}
for distribution in distributions():
    name = distribution.metadata["Name"].lower().replace("_", "-")
    if name not in OWN:
        seen[name] = distribution.version
for name, version in sorted(seen.items()):
    marker = f" ; {MARKERS[name]}" if name in MARKERS else ""
    print(f"{name}=={version}{marker}")
