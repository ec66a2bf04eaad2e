"""What SDF and the <gazebo> elements of URDF share: colors by name, paths of surface values and of sensor values."""

from __future__ import annotations

from collections.abc import Mapping

from andante.description.shapes import RGBA

COLORS: Mapping[str, RGBA] = {  # of Gazebo's own material script
    "Black": (0.0, 0.0, 0.0, 1.0),
    "Blue": (0.0, 0.0, 1.0, 1.0),
    "DarkGray": (0.175, 0.175, 0.175, 1.0),
    "DarkGrey": (0.175, 0.175, 0.175, 1.0),
    "DarkYellow": (0.7, 0.7, 0.0, 1.0),
    "FlatBlack": (0.1, 0.1, 0.1, 1.0),
    "Gray": (0.7, 0.7, 0.7, 1.0),
    "Green": (0.0, 1.0, 0.0, 1.0),
    "Grey": (0.7, 0.7, 0.7, 1.0),
    "Indigo": (0.33, 0.0, 0.5, 1.0),
    "Orange": (1.0, 0.5088, 0.0468, 1.0),
    "Purple": (1.0, 0.0, 1.0, 1.0),
    "Red": (1.0, 0.0, 0.0, 1.0),
    "SkyBlue": (0.13, 0.44, 0.7, 1.0),
    "Turquoise": (0.0, 1.0, 1.0, 1.0),
    "White": (1.0, 1.0, 1.0, 1.0),
    "Yellow": (1.0, 1.0, 0.0, 1.0),
    "ZincYellow": (0.9725, 0.9529, 0.2078, 1.0),
}
SURFACE: Mapping[str, str] = {  # path below <surface> -> field of `Surface`
    "friction/ode/mu": "mu",
    "friction/ode/mu2": "mu2",
    "friction/torsional/coefficient": "torsional",
    "friction/bullet/rolling_friction": "rolling",
    "bounce/restitution_coefficient": "restitution",
    "contact/collide_bitmask": "collide_bitmask",
    "contact/ode/kp": "kp",
    "contact/ode/kd": "kd",
    "contact/ode/max_vel": "max_velocity",
    "contact/ode/min_depth": "min_depth",
    "friction/ode/fdir1": "fdir1",
    "friction/ode/slip1": "slip1",
    "friction/ode/slip2": "slip2",
    **{f"contact/mujoco/{name}": name for name in ("solref", "solimp", "margin", "gap")},  # a word of our own
}
ROWS = {"fdir1": 3, "solref": 2, "solimp": 5}  # fields of `Surface` that have several numbers
NOISE: Mapping[str, str] = {  # element below <noise> -> end of the parameter's name
    **{tag: f"noise_{tag}" for tag in ("type", "mean", "stddev", "precision")},
    **{tag: tag for tag in ("bias_mean", "bias_stddev", "dynamic_bias_stddev", "dynamic_bias_correlation_time")},
}
_SCAN = {"samples": "samples", "resolution": "sample_resolution", "min_angle": "min_angle", "max_angle": "max_angle"}


def noise(path: str = "", label: str = "") -> dict[str, str]:
    """The values of a <noise> below a path, under names that begin with a label."""
    return {f"{path}noise/{tag}": f"{label}{name}" for tag, name in NOISE.items()}


def _axes(group: str, label: str) -> dict[str, str]:
    """Noise of the three axes below an element."""
    return {path: name for axis in "xyz" for path, name in noise(f"{group}{axis}/", f"{label}{axis}_").items()}


def same(*names: str) -> dict[str, str]:
    """Elements whose values keep their names."""
    return {name: name for name in names}


# parameters of a kind of sensor: path below its own element -> name
SENSORS: dict[str, dict[str, str]] = {
    "lidar": {
        **{f"scan/horizontal/{tag}": name for tag, name in _SCAN.items()},
        **{f"scan/vertical/{tag}": f"vertical_{name}" for tag, name in _SCAN.items()},
        "range/min": "range_min",
        "range/max": "range_max",
        "range/resolution": "resolution",
        **noise(),
    },
    "camera": {
        "horizontal_fov": "horizontal_fov",
        **{f"image/{name}": name for name in ("width", "height", "format")},
        **{f"clip/{name}": name for name in ("near", "far")},
        **{f"depth_camera/clip/{name}": f"depth_{name}" for name in ("near", "far")},
        **{f"distortion/{name}": name for name in ("k1", "k2", "k3", "p1", "p2")},
        "distortion/center": "distortion_center",
        **{f"lens/intrinsics/{name}": name for name in ("fx", "fy", "cx", "cy")},
        **noise(),
    },
    "imu": {
        "orientation_reference_frame/localization": "localization",
        **_axes("angular_velocity/", "angular_velocity_"),
        **_axes("linear_acceleration/", "linear_acceleration_"),
    },
    "contact": {"collision": "collision", "topic": "contact_topic"},
    "sonar": {"geometry": "geometry", "min": "range_min", "max": "range_max", "radius": "radius"},
    "force_torque": {**same("frame", "measure_direction"), **_axes("force/", "force_"), **_axes("torque/", "torque_")},
    "gps": {
        **noise("position_sensing/horizontal/", "position_horizontal_"),
        **noise("position_sensing/vertical/", "position_vertical_"),
        **noise("velocity_sensing/horizontal/", "velocity_horizontal_"),
        **noise("velocity_sensing/vertical/", "velocity_vertical_"),
    },
    "altimeter": {**noise("vertical_position/", "position_"), **noise("vertical_velocity/", "velocity_")},
    "magnetometer": _axes("", ""),
    "logical_camera": same("near", "far", "aspect_ratio", "horizontal_fov"),
    "air_pressure": {"reference_altitude": "reference_altitude", **noise("pressure/")},
    "wireless_transmitter": same("essid", "frequency", "power", "gain"),
    "wireless_receiver": same("min_frequency", "max_frequency", "power", "gain", "sensitivity"),
}
SENSORS["depth_camera"] = SENSORS["rgbd_camera"] = SENSORS["camera"]
