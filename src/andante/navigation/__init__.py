"""Costmaps, planners, controllers and the navigator: from a pose, scans and a goal to velocity commands."""

from . import footsteps
from .choose import CONTROLLERS, PLANNERS, check_controller, check_planner, controller_named, planner_named
from .collision_monitor import CollisionMonitor
from .controllers import Controller, Decision, Margins, MotionState, VehicleController
from .controllers.dwa import Dwa, DwaSettings
from .controllers.mppi import Mppi, MppiSettings
from .controllers.pursuit import PurePursuit, PursuitSettings
from .controllers.waypoint import (
    Pulses,
    WaypointCommand,
    WaypointDriver,
    WaypointSettings,
    pulses_of,
    twist_of,
    waypoint_command,
)
from .costmap import Costmap, Inflation
from .frontier import Explorer, Frontier, Target, frontiers
from .layers import LayeredCostmap, LayerSettings
from .movers import MoverTracker
from .navigator import Navigator, NavigatorInput, NavigatorOutput, NavigatorSettings, State
from .path import Path, simplified, smoothed
from .planners import Plan, Planner
from .planners.grid import AStar, Dijkstra, ThetaStar, distance_field
from .planners.hybrid import HybridAStar
from .planners.reeds_shepp import Word, reeds_shepp
from .recoveries import BackUp, ClearCostmap, Recovery, Relocalize, Situation, Spin, Wait, usual_recoveries
from .tracking import GoalChecker, ProgressChecker
from .vehicle import Vehicle, convex_outline, rectangle, robot_outline, vehicle_of

__all__ = [
    "CONTROLLERS", "PLANNERS", "AStar", "BackUp", "ClearCostmap", "CollisionMonitor", "Controller", "Costmap",
    "Decision", "Dijkstra", "Dwa", "DwaSettings", "Explorer", "Frontier", "GoalChecker", "HybridAStar", "Inflation",
    "LayerSettings", "LayeredCostmap", "Margins", "MotionState", "MoverTracker", "Mppi", "MppiSettings", "Navigator",
    "NavigatorInput", "NavigatorOutput", "NavigatorSettings", "Path", "Plan", "Planner", "ProgressChecker", "Pulses",
    "PurePursuit", "PursuitSettings", "Recovery", "Relocalize", "Situation", "Spin", "State", "Target", "ThetaStar",
    "Vehicle", "VehicleController", "Wait", "WaypointCommand", "WaypointDriver", "WaypointSettings", "Word",
    "check_controller", "check_planner", "controller_named", "convex_outline", "distance_field", "footsteps",
    "frontiers", "planner_named", "pulses_of", "rectangle", "reeds_shepp", "robot_outline", "simplified", "smoothed",
    "twist_of", "usual_recoveries", "vehicle_of", "waypoint_command",
]  # fmt: skip
