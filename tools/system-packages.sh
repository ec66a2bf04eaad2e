#!/bin/sh
# Installs the Debian packages that the tests use as real peers, where this may be done; otherwise says what is missing.
# Tests that need a missing package are skipped with the reason (with CI=true that is a failure).
set -u
packages="ignition-tools libsdformat-dev liburdfdom-tools libegl1 libgl1 libgles2 chromium \
    python3-rospy python3-rosbag python3-roslaunch python3-rostopic python3-rosservice python3-rosnode python3-rosparam python3-rosmaster \
    python3-std-srvs python3-sensor-msgs python3-geometry-msgs python3-nav-msgs python3-tf2-msgs python3-actionlib python3-move-base-msgs \
    iproute2 g++ libfastrtps-dev"
missing=""
for package in $packages; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing="$missing $package"
done
[ -z "$missing" ] && exit 0
if ! command -v apt-get >/dev/null 2>&1; then
    echo "andante: no apt-get here; some tests want:$missing" >&2
    exit 0
fi
if [ "$(id -u)" -eq 0 ]; then
    run=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    run="sudo"
else
    echo "andante: without root these packages stay missing:$missing" >&2
    exit 0
fi
export DEBIAN_FRONTEND=noninteractive
$run apt-get update -qq || echo "andante: apt-get update failed, trying with the lists at hand" >&2
known=""
for package in $missing; do # one that this release does not have would keep all others from being installed
    if apt-cache show "$package" >/dev/null 2>&1; then known="$known $package"; else echo "andante: no package $package here" >&2; fi
done
missing="$known"
[ -z "$missing" ] && exit 0
# shellcheck disable=SC2086
$run apt-get install -y -qq --no-install-recommends $missing >/dev/null || echo "andante: could not install:$missing" >&2
exit 0
