"""Figures of the bus, the bridges and the studio."""

from __future__ import annotations

from .descriptions import tests
from .model import Asked, Figure, Run
from .readers import at, over, row

SOFTWARE = "every frame is drawn by the processor, on the same two cores as physics and server"
LOOK, PANELS, ROAMING = "studio/test_page_look", "studio/test_page_panels", "studio/test_page_roaming"

BENCH = Run(
    "bench-studio", 6, ("andante", "bench", "studio", "--json"), 0.9,
    (
        Figure("key", "speed", "key press to joint target on loopback, median", Asked("<", 50.0, "ms"),
               row("key press to joint target, median", scale=1e3)),
        Figure("page", "speed", "page interactive after `andante studio`", Asked("<=", 5.0, "s"),
               row("page interactive"), reason="the start of Python, of the engine and of the browser's first frame in "
               "software share two cores"),
        Figure("frames", "speed", "NAO view in headless Chromium with software GL", Asked(">=", 20.0, "frames/s"),
               row("frames a second, NAO without a graphics card"), reason=SOFTWARE),
        Figure("pace-clients", "speed", "real-time factor with 20 clients", Asked(">=", 0.995),
               row("real-time factor, 20 clients"), reason="the loop was held up by other work on the machine"),
    ),
)  # fmt: skip

LOAD = Run(
    "bridge-load", 6, ("python", "benchmarks/bridge_load.py", "--json"), 0.6,
    (
        Figure("sleeper-pace", "speed", "pace of a loop of 100 Hz with 20 clients and one that does not read",
               Asked(">=", 99.0, "cycles/s"), over("rows", "cycles_per_second", min, sleeper=True),
               reason="the loop was held up by other work on the machine"),
        Figure("key-bus", "speed", "key to bus with 20 clients, median", None,
               over("rows", "key_to_bus_ms", max, clients=20, sleeper=False), unit="ms"),
    ),
)  # fmt: skip

MEMORY = Run(
    "studio-memory", 6, ("python", "benchmarks/studio_memory.py", "--minutes", "10", "--json"), 10.5,
    (
        Figure("memory", "speed", "growth of memory over a 10-minute run, second half",
               Asked("<", 0.25, "MB/min"), at("slope")),
        Figure("memory-total", "speed", "the same from minute 2 to the end", None, at("growth"), unit="MB"),
    ),
    long=True,
)  # fmt: skip

TESTS = Run(
    "tests-studio", 6, (), 2.0,
    (
        Figure("drive-nao", "shown", "held keys walk the NAO, letting go stops it",
               tests=tests(ROAMING, "test_a_held_key_walks_the_nao_and_letting_go_stops_it",
                           "test_keys_are_let_go_when_the_window_loses_its_focus",
                           "test_the_speed_slider_reaches_the_session")),
        Figure("drive-shell", "shown", "held keys walk the Shell",
               tests=tests(ROAMING, "test_held_keys_walk_the_shell_and_its_own_keys_raise_it")),
        Figure("map-goal", "shown", "a goal set on the map is reached; a pose estimate is taken over",
               tests=tests(ROAMING, "test_a_goal_dragged_on_the_map_is_reached", "test_a_pose_estimate_is_taken_over")),
        Figure("search-page", "shown", "a gait search runs, pauses, resumes and replays",
               tests=tests(ROAMING, "test_a_gait_search_runs_pauses_resumes_and_replays")),
        Figure("record-page", "shown", "a recording is made and read again",
               tests=(*tests(PANELS, "test_a_recording_can_be_read_again"),
                      *tests("bus/test_player", "test_replay_gives_the_same_messages_at_the_same_times"))),
        Figure("panels", "shown", "every other panel of the page",
               tests=(*tests(PANELS, "test_a_slider_moves_its_joint_and_mimic_joints_say_so",
                             "test_poses_and_motions_are_played_by_a_click",
                             "test_sensors_show_forces_attitude_and_sonar",
                             "test_camera_shows_a_picture_only_while_it_is_looked_at",
                             "test_terminal_answers_completes_and_remembers",
                             "test_log_has_a_line_per_command_and_filters",
                             "test_graph_shows_who_publishes_and_who_listens", "test_pause_step_and_go_on"),
                      *tests(LOOK, "test_a_click_on_a_link_tells_name_mass_and_pose", "test_overlays_come_and_go",
                             "test_dragging_a_link_pushes_it"))),
        Figure("page-look", "shown", "no outside request, names for screen readers, 1280 x 720, themes, sizes",
               tests=tests(LOOK, "test_robot_and_world_are_shown_without_any_outside_request",
                           "test_every_control_has_a_name_for_screen_readers",
                           "test_everything_fits_into_1280_by_720", "test_theme_follows_the_system_and_the_button",
                           "test_panels_change_their_size_by_mouse_and_keyboard")),
    ),
)  # fmt: skip

INTEROP = Run(
    "tests-bridges", 6, (), 1.2,
    (
        Figure("roslib", "shown", "rosbridge with `roslibpy` and `roslib`",
               tests=tests("bridges/test_real_clients", "test_roslib_of_javascript", "test_roslibpy")),
        Figure("ros1", "shown", "a real ROS 1 master: `rostopic echo`, `pub`, `hz`, `rosbag record`",
               tests=tests("bridges/test_ros1", "test_rostopic_echo_prints_our_messages",
                           "test_rostopic_pub_reaches_the_session_and_its_silence_stops_the_robot",
                           "test_rostopic_hz_sees_a_steady_stream",
                           "test_rosbag_record_makes_a_bag_of_our_messages")),
        Figure("ros2", "shown", "ROS 2 over DDS between two processes, bytes as those of `rosbags`",
               tests=tests("bridges/ros2/test_bridge", "test_cyclone_packs_the_same_bytes",
                           "test_a_default_peer_hears_and_drives")),
        Figure("foxglove", "shown", "Foxglove",
               tests=tests("bridges/test_foxglove", "test_topics_are_advertised_and_sent_as_cdr",
                           "test_clients_drive_and_their_silence_stops_the_robot",
                           "test_services_and_parameters")),
        Figure("ros-body", "shown", "a robot behind ROS is a body",
               tests=tests("hardware/ros/test_lines", "test_a_live_waffle_is_driven_over_rosbridge",
                           "test_a_body_at_a_real_master_with_the_real_tools")),
        Figure("bags-others", "shown", "our bags in `rosbags`, `mcap` and Debian's `rosbag`",
               tests=tests("bags/test_bag_writing", "test_rosbags_reads_what_we_record",
                           "test_the_mcap_library_reads_and_checks_what_we_record",
                           "test_rosbag_of_debian_reads_what_we_record")),
        Figure("kill-server", "shown", "the web process killed or hung: the loop goes on and says so",
               tests=tests("bridges/test_server", "test_a_killed_server_is_reported_and_can_come_back",
                           "test_a_server_that_hangs_costs_messages_not_time",
                           "test_the_server_ends_with_the_loop")),
        Figure("kill-client", "shown", "a client that dies or stops reading: the robot stops, the loop goes on",
               tests=tests("bridges/test_server", "test_a_client_that_dies_while_driving_stops_the_robot",
                           "test_a_client_that_does_not_read_is_cut_off_and_the_loop_goes_on",
                           "test_a_flood_is_held_back_and_then_cut_off")),
        Figure("sleeper", "speed", "a client that stops reading is dropped, not waited for",
               tests=tests("bridges/test_server", "test_a_client_that_does_not_read_is_cut_off_and_the_loop_goes_on")),
        Figure("kill-bridge", "shown", "a bridge killed or its master lost: the session goes on",
               tests=(*tests("session/test_launch_run",
                             "test_a_bridge_that_ends_is_told_and_the_session_goes_on"),
                      *tests("bridges/test_ros1", "test_rosnode_kill_ends_the_bridge",
                             "test_a_master_that_comes_later_and_comes_back"))),
        Figure("kill-recorder", "shown", "the recorder killed or its disk full: what was written is readable",
               tests=(*tests("bags/test_bag_damage", "test_what_was_written_before_kill_9_is_readable"),
                      *tests("bags/test_bag_writing", "test_an_error_of_the_disk_ends_the_recording_only"))),
        Figure("deadman", "shown", "no key message for 0.5 s: the robot stops",
               tests=tests("control/test_teleop_mux", "test_a_velocity_lasts_for_the_deadman",
                           "test_in_a_paced_session_the_wall_clock_counts_too")),
        Figure("access", "shown", "loopback, tokens, origins, sizes, rates, no path leaves the folder",
               tests=(*tests("bridges/test_server", "test_a_foreign_page_cannot_connect",
                             "test_a_message_that_is_too_large_ends_the_connection",
                             "test_no_path_leaves_what_is_served", "test_an_open_address_needs_a_token",
                             "test_a_token_is_asked_for_everywhere"),)),
    ),
)  # fmt: skip

STRIKER = Run(
    "striker", 6, ("python", "benchmarks/striker_study.py", "--runs", "12", "--json"), 9.0,
    (
        Figure("goals", "shown", "a ball found and kicked into an empty goal within 120 s, of 12 random starts",
               Asked(">=", 10.0), at("scored")),
        Figure("goal-time", "shown", "median time to the goal", None, at("median_time"), unit="s"),
    ),
    long=True,
)  # fmt: skip

RUNS = (BENCH, LOAD, TESTS, INTEROP, MEMORY, STRIKER)
