"""Figures of maps, localisation, navigation and the rover."""

from __future__ import annotations

from .descriptions import ENGINES, TITLES, tests
from .model import Asked, Figure, Run
from .readers import at, least, over, row

TWO_TAGS = "ranges and IMU, two tags"

BENCH = Run(
    "bench-nav", 5, ("andante", "bench", "nav", "--json"), 1.4,
    (
        Figure("mcl-2000", "speed", "Monte Carlo localisation, 2000 particles x 60 beams",
               Asked(">=", 1500.0, "updates/s"), row("mcl 2000 x 60, intel")),
        Figure("mcl-5000", "speed", "Monte Carlo localisation, 5000 particles x 60 beams",
               Asked(">=", 750.0, "updates/s"), row("mcl 5000 x 60, intel")),
        Figure("match-odometry", "speed", "matching on intel-dense with odometry, no loop closure",
               Asked(">=", 3000.0, "scans/s"), row("map with odometry, intel-dense")),
        Figure("match-alone", "speed", "matching on intel-dense without odometry", Asked(">=", 300.0, "scans/s"),
               row("map without odometry, intel-dense")),
        Figure("a-star", "speed", "A* corner to corner on 2000 x 2000 cells, 400 inflated discs",
               Asked("<=", 250.0, "ms"), row("A* corner to corner 2000 x 2000 beside scipy's field")),
        Figure("dijkstra", "speed", "full Dijkstra field on the same", Asked("<=", 600.0, "ms"),
               row("Dijkstra field 2000 x 2000 beside scipy")),
        Figure("hybrid", "speed", "hybrid A* across a part of 400 x 400", Asked("<=", 500.0, "ms"),
               row("hybrid A* across 400 x 400 beside scipy's field")),
        Figure("mppi", "speed", "MPPI, 1000 x 50 with footprint", Asked(">=", 80.0, "Hz"),
               row("MPPI 1000 x 50 with footprint")),
        Figure("monitor", "speed", "the collision monitor: a scan of 360 beams taken in, and ten checks until the next",
               Asked("<", 0.2, "ms"), row("collision monitor, a scan of 360 beams and 10 checks")),
        *(
            Figure(f"lidar-{engine}", "speed", f"lidar of 360 beams at 10 Hz among 150 obstacles on {TITLES[engine]}",
                   Asked("<", 2.0 if engine == "mujoco" else 10.0, "% of real time"),
                   row(f"lidar 360 beams 10 Hz, 150 obstacles, {engine}"))
            for engine in ENGINES
        ),
    ),
)  # fmt: skip

MAPS = Run(
    "map-intel", 5, ("python", "benchmarks/mapping.py", "--command", "--json"), 0.4,
    (
        Figure("map-seconds", "speed", "the whole `andante map` of intel-dense, start and reading included",
               Asked("<", 30.0, "s"), over("maps", "seconds", max, log="intel-dense", odometry=True)),
        Figure("map-dense", "shown", "intel-dense with odometry, mean error of the relations",
               Asked("<=", 0.025, "m"), over("maps", "translation", max, log="intel-dense", odometry=True)),
        Figure("map-dense-yaw", "shown", "the same in yaw", Asked("<=", 0.35, "deg"),
               over("maps", "yaw", max, log="intel-dense", odometry=True)),
        Figure("map-dense-alone", "shown", "intel-dense without odometry", Asked("<=", 0.08, "m"),
               over("maps", "translation", max, log="intel-dense", odometry=False)),
        Figure("map-whole", "shown", "the sparse log of the whole run with loop closure", Asked("<=", 0.031, "m"),
               over("maps", "translation", max, log="intel")),
        Figure("map-whole-yaw", "shown", "the same in yaw", Asked("<=", 1.3, "deg"),
               over("maps", "yaw", max, log="intel")),
        Figure("map-whole-seconds", "speed", "the whole `andante map` of the sparse log, processor time",
               Asked("<", 6.0, "s"), over("maps", "processor", max, log="intel")),
    ),
)  # fmt: skip

LOCALIZATION = Run(
    "localization", 5, ("python", "benchmarks/localization_study.py", "--json"), 0.9,
    (
        Figure("mcl-tracked", "shown", "seeds of 10 within 0.5 m for all of the Intel run", Asked("=", 10.0),
               at("tracked")),
        Figure("mcl-global", "shown", "global starts of 10 that converge, from scratch", Asked(">=", 8.0),
               at("global from scratch")),
        Figure("mcl-global-search", "shown", "global starts of 10 that converge, by scan search", Asked(">=", 8.0),
               at("global by scan search")),
        Figure("mcl-carried", "shown", "robots of 10 that find themselves again after they were carried elsewhere",
               Asked(">=", 8.0), at("carried")),
        Figure("uwb-gain", "shown", "UWB and IMU beside plain trilateration with outliers and walls, least of 10 logs",
               Asked(">=", 20.0, "% better"), at("uwb", TWO_TAGS, "least_gain")),
    ),
)  # fmt: skip

BARN = Run(
    "barn", 5,
    ("python", "benchmarks/barn_study.py", "--bases", "courier", "--seeds", "5", "--worlds", "0,60,120,180,240",
     "--workers", "2", "--json"), 1.6,
    (
        Figure("barn-arrived", "shown", "BARN: runs of 25 that arrive without collision", Asked(">=", 24.0),
               at("arrived")),
        Figure("barn-metric", "shown", "BARN: mean metric", Asked(">=", 0.25), at("metric")),
    ),
)  # fmt: skip

ANY_BASE = Run(
    "barn-bases", 5, ("python", "benchmarks/barn_study.py", "--workers", "2", "--json"), 14.0,
    (
        Figure("bases-collided", "shown", "BARN, 20 worlds x 4 bases x 3 seeds: runs that touch something",
               Asked("<=", 1.0), at("collided")),
        Figure("bases-arrived", "shown", "the same: runs that arrive", Asked(">=", 97.0, "%"),
               lambda output: 100 * output["arrived"] / output["runs"]),
        Figure("bases-courier", "shown", "the same: mean metric of the courier", Asked(">=", 0.49),
               at("bases", "courier", "metric")),
        Figure("bases-metric", "shown", "the same: least mean metric of the other bases", Asked(">=", 0.40),
               least(at("bases", base, "metric") for base in ("differential", "skid", "car"))),
        Figure("bases-shut", "shown", "worlds left out for the car: no way for it by an exhaustive search beforehand",
               None, lambda output: float(len(output["bases"]["car"]["impassable"]))),
    ),
    long=True,
)  # fmt: skip

HALL = Run(
    "hall", 5, ("python", "benchmarks/hall_study.py", "--workers", "2", "--json"), 4.0,
    (
        Figure("hall-contacts", "shown", "30 crossings of a hall with 6 people: contacts unless it had stood for 0.5 s",
               Asked("<=", 1.0), at("contacts")),
        Figure("hall-arrived", "shown", "the same: crossings that arrive", Asked(">=", 28.0), at("arrived")),
    ),
    long=True,
)  # fmt: skip

DOORS = tuple(
    Run(
        f"door-{robots}", 5,
        ("python", "benchmarks/fleet_study.py", "door", "--robots", str(robots), "--runs", "20", "--json"), minutes,
        (
            Figure(f"door-{robots}", "shown", f"{words} robots through one door: runs of 20 in which all arrive",
                   Asked("=", 20.0), at("through")),
        ),
        long=True,
    )
    for robots, words, minutes in ((2, "two", 4.0), (4, "four", 8.0))
)  # fmt: skip

TEN = Run(
    "ten-waffles", 5, ("python", "benchmarks/fleet_study.py", "ten", "--json"), 1.0,
    (
        Figure("ten-waffles", "speed", "ten waffles with lidar, four navigating, on MuJoCo by processor time",
               Asked(">=", 1.0, "times real time"), at("real_time_factor_cpu")),
    ),
    long=True,
)  # fmt: skip

ROVER = Run(
    "rover", 5, ("python", "benchmarks/rover_study.py", "--workers", "2", "--json"), 2.5,
    (
        *(
            figure
            for engine in ("mujoco", "bullet")
            for figure in (
                Figure(f"rover-{engine}", "shown", f"five trials x 5 seeds on {TITLES[engine]}: arrived of 25",
                       Asked("=", 25.0), over("rows", "there", min, case=f"{engine:7} all")),
                Figure(f"rover-{engine}-end", "shown", f"worst final error on {TITLES[engine]}", Asked("<", 0.10, "m"),
                       over("rows", "worst_end", max, case=f"{engine:7} all")),
                Figure(f"rover-{engine}-estimate", "shown", f"worst estimate, rms, on {TITLES[engine]}",
                       Asked("<", 0.05, "m"), over("rows", "worst_estimate", max, case=f"{engine:7} all")),
            )
        ),
        Figure("rover-pushed", "shown", "pushed off its path: fraction of the trials that arrive",
               Asked("=", 100.0, "%"),
               lambda output: 100 * min(
                   each["there"] / each["trials"] for each in output["rows"] if "pushed" in each["case"])),
    ),
)  # fmt: skip

TESTS = Run(
    "tests-navigation", 5, (), 1.0,
    (
        Figure("replans", "shown", "pushed off its path it plans anew",
               tests=(*tests("robots/rover/test_trials", "test_pushed_off_its_line_it_steers_back",
                             "test_the_navigator_goes_round_what_no_map_shows_and_plans_anew_when_pushed"),
                      *tests("navigation/test_navigator", "test_pushed_off_its_path_it_plans_anew"))),
        Figure("localize-uwb", "shown", "`andante localize LOG --uwb ANCHORS` from a file",
               tests=tests("cli/test_localize", "test_by_ranges")),
        Figure("bad-scans", "shown", "empty scans and NaN ranges",
               tests=(*tests("drills/test_bad_input_drill",
                             "test_empty_scans_and_nan_ranges_are_counted_and_left_out",
                             "test_a_lidar_that_sees_nothing"),
                      *tests("mapping/test_live", "test_empty_scans_and_invalid_ranges"))),
        Figure("bad-time", "shown", "a live stream whose time goes backwards",
               tests=(*tests("drills/test_bad_input_drill", "test_a_stream_whose_time_goes_back",
                             "test_a_log_whose_time_steps_back_is_used_in_its_order"),
                      *tests("mapping/test_live", "test_time_that_goes_back"))),
        Figure("bad-tf", "shown", "missing tf",
               tests=tests("drills/test_bad_input_drill", "test_missing_tf_is_told_with_the_flag_that_repairs_it")),
        Figure("bad-files", "shown", "corrupt maps and bags",
               tests=tests("drills/test_bad_input_drill", "test_corrupt_maps", "test_corrupt_logs",
                           "test_of_a_bag_that_was_cut_off_the_whole_part_is_saved_and_used")),
        Figure("bad-goal", "shown", "a goal inside a wall",
               tests=(*tests("drills/test_bad_input_drill", "test_a_goal_inside_a_wall"),
                      *tests("navigation/test_navigator", "test_a_goal_inside_a_wall_is_moved_and_told"))),
        Figure("bad-line", "shown", "a serial line that garbles, drops or floods bytes",
               tests=tests("drills/test_bad_input_drill", "test_a_line_that_garbles_and_drops",
                           "test_a_line_that_is_flooded", "test_a_line_that_swallows_everything")),
    ),
)  # fmt: skip

FEET = Run(
    "feet-goals", 5, ("python", "benchmarks/feet_study.py", "goals", "--count", "30", "--json"), 12.0,
    (
        Figure("feet-goals", "shown", "goals that the NAO reaches in `lab` and `arena` among things not on its map, "
               "by head lidar and Xtion, within 8 cm and 8 deg, of 30", Asked(">=", 28.0), at("reached")),
        Figure("feet-falls", "shown", "falls in all of them", Asked("<=", 1.0), at("falls")),
    ),
    long=True,
)  # fmt: skip

ANYWHERE = Run(
    "feet-anywhere", 5, ("python", "benchmarks/feet_study.py", "anywhere", "--count", "10", "--json"), 2.0,
    (
        Figure("feet-anywhere", "shown", "starts without a pose in the lab that are right after ten clouds, of 10",
               Asked(">=", 9.0), at("right")),
    ),
    long=True,
)  # fmt: skip

PLACE = Run(
    "feet-speed", 5, ("python", "benchmarks/feet_study.py", "speed", "--count", "200", "--json"), 1.0,
    (
        Figure("feet-speed", "speed", "localisation in six dimensions, 500 particles x 200 points, median of a cloud",
               Asked("<=", 20.0, "ms"), at("median_ms")),
    ),
    long=True,
)  # fmt: skip

RUNS = (BENCH, MAPS, LOCALIZATION, BARN, ANY_BASE, HALL, *DOORS, TEN, ROVER, FEET, ANYWHERE, PLACE, TESTS)
