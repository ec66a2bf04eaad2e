"""Costmaps, planners, controllers and the navigator: from a pose, scans and a goal to velocity commands."""

from .checkers import GoalChecker, ProgressChecker
from .checks import check_controller, check_planner
from .choose import CONTROLLERS, PLANNERS, controller_named, planner_named
from .control import Decision, LocalPlanner, Margins, MotionState
from .costmap import Costmap, Inflation
from .dwa import Dwa, DwaSettings
from .footprint import convex_outline, rectangle, robot_outline
from .frontier import Explorer, Frontier, Target, frontiers
from .grid_planners import AnyAngle, AStar, Dijkstra, distance_field
from .hybrid import HybridAStar
from .layers import LayeredCostmap, LayerSettings
from .movers import MoverTracker
from .mppi import Mppi, MppiSettings
from .navigator import Navigator, NavigatorSettings, Output, Reading, State
from .path import Path, simplified, smoothed
from .planning import GlobalPlanner, Plan
from .pursuit import PurePursuit, PursuitSettings
from .recoveries import BackUp, ClearCostmap, Recovery, Relocalise, Situation, Spin, Wait, usual_recoveries
from .reeds_shepp import Word, reeds_shepp
from .vehicle import Vehicle, vehicle_of
from .waypoint import Pulses, WaypointCommand, WaypointDriver, WaypointSettings, pulses_of, twist_of, waypoint_command

__all__ = [
    "CONTROLLERS",
    "PLANNERS",
    "AStar",
    "AnyAngle",
    "BackUp",
    "ClearCostmap",
    "Costmap",
    "Decision",
    "Dijkstra",
    "Dwa",
    "DwaSettings",
    "Explorer",
    "Frontier",
    "GlobalPlanner",
    "GoalChecker",
    "HybridAStar",
    "Inflation",
    "LayerSettings",
    "LayeredCostmap",
    "LocalPlanner",
    "Margins",
    "MotionState",
    "MoverTracker",
    "Mppi",
    "MppiSettings",
    "Navigator",
    "NavigatorSettings",
    "Output",
    "Path",
    "Plan",
    "ProgressChecker",
    "Pulses",
    "PurePursuit",
    "PursuitSettings",
    "Reading",
    "Recovery",
    "Relocalise",
    "Situation",
    "Spin",
    "State",
    "Target",
    "Vehicle",
    "Wait",
    "WaypointCommand",
    "WaypointDriver",
    "WaypointSettings",
    "Word",
    "check_controller",
    "check_planner",
    "controller_named",
    "convex_outline",
    "distance_field",
    "frontiers",
    "planner_named",
    "pulses_of",
    "rectangle",
    "reeds_shepp",
    "robot_outline",
    "simplified",
    "smoothed",
    "twist_of",
    "usual_recoveries",
    "vehicle_of",
    "waypoint_command",
]
