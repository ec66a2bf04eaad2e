"""The whole chain: pose down the line, firmware, pulses, wheels of the simulated rover, telemetry up, on real ports.

The simulator's pose with noise stands for the pose estimate here; estimators are tested with localisation.
"""

import numpy as np
import pytest

import andante as an
from andante.errors import BadInput
from andante.geometry import SE3
from andante.hardware import Board, BodyCommand, Firmware, Loopback, SerialBody, State
from andante.hardware.serial.board import Battery, FirmwareOnBoard
from andante.hardware.serial.messages import Fault

from .lines import NoisyPort, wait_until

POSE_PERIOD = 5  # control periods between poses: 10 Hz
NOISE = 0.02  # of the stand-in estimate [m, rad]


class Trial:
    """A simulated rover, its microcontroller and the computer in lock-step on simulated time."""

    def __init__(self, computer, microcontroller, seed=0, settle=lambda trial: None, **parameters):
        self.sim = an.simulate("rover", sensors=True, seed=seed)
        self.micro = FirmwareOnBoard(self.sim, microcontroller)
        self.sim.observers.append(self.micro)
        self.body = SerialBody(computer, "rover", clock=lambda: self.sim.time, threaded=False, parameters=parameters)
        self.rng = np.random.default_rng(seed)
        self.settle = settle

    def tick(self, count=1):
        for _ in range(count):
            self.sim.run(0.02)
            self.settle(self)
            self.body.poll()

    def estimate(self):
        pose = SE3.from_vector(self.sim.base_pose)
        return np.array([*pose.translation[:2], pose.rpy[2]]) + self.rng.normal(0.0, NOISE, 3)

    def drive(self, x, y, seconds=30.0):
        """Go there; final distance by the simulator's truth."""
        self.body.connect(20.0, self.tick)
        number, step = self.body.go_to(x, y), 0
        self.body.start()
        while not self.body.arrived(number) and self.sim.time < seconds:
            if step % POSE_PERIOD == 0:
                self.body.send_pose(*self.estimate())
            self.tick()
            step += 1
        assert self.body.arrived(number)
        self.tick(25)
        return float(np.hypot(*(self.sim.base_pose[:2] - (x, y))))

    def close(self):
        self.body.close()
        self.micro.close()
        self.sim.close()


@pytest.fixture
def loop():
    cable = Loopback()
    trial = Trial(cable.computer, cable.microcontroller)
    yield trial, cable
    trial.close()


class PtyTrial(Trial):
    """Over a pseudo terminal: each side waits until what the other wrote has come through the kernel."""

    def __init__(self, cable, **options):
        self.taken = 0
        super().__init__(cable.path, lambda: self, **options)
        self.cable = cable
        self.body.poll()  # opening a port drops what came before

    def read(self):
        owed = self.body.counters.bytes_out - self.taken
        data = self.cable.read(owed)
        assert len(data) >= owed, f"{owed - len(data)} bytes lost: {[log.text for log in self.body.logs]}"
        self.taken += len(data)
        return data

    def write(self, data):
        return self.cable.write(data)

    def tick(self, count=1):
        for _ in range(count):
            self.sim.run(0.02)
            self.body.poll()
            assert wait_until(lambda: self.body.counters.bytes_in >= self.cable.sent or self.body.poll(), 20.0)

    def close(self):
        self.body.close()
        self.sim.close()


@pytest.mark.parametrize("goal", [(1.5, 0.0), (1.0, 1.0)], ids=["ahead", "left"])
def test_the_rover_drives_to_a_waypoint_over_a_pseudo_terminal(cable, goal):
    trial = PtyTrial(cable)
    assert trial.drive(*goal) < 0.25
    assert trial.body.counters.troubles == 0
    assert trial.micro.board.firmware.endpoint.counters.troubles == 0
    state = trial.body.read()
    assert state.health.ok
    left = state.position[trial.body.joint_names.index("rear_left_wheel_joint")]
    true = trial.sim.joints["rear_left_wheel_joint"]
    assert left == pytest.approx(true, abs=2 * np.pi / 1200 + 0.05)
    assert state.power.voltage == pytest.approx(trial.micro.board.battery.voltage, abs=0.002)
    assert "arrived at waypoint 1" in trial.body.logs[-1].text
    trial.close()


def test_a_waypoint_inside_the_turning_circle_is_reached(loop):
    assert loop[0].drive(0.0, 0.9) < 0.25


def test_a_noisy_line_still_brings_it_there():
    """One byte in three hundred is flipped, dropped or doubled and garbage comes in between, both ways."""
    cable, ports = Loopback(), []

    def noisy(open_end, seed):
        def open_port():
            ports.append(NoisyPort(open_end(), seed, flip=1e-3, drop=1e-3, double=1e-3, garbage=5e-4))
            return ports[-1]

        return open_port

    trial = Trial(noisy(cable.computer, 1), noisy(cable.microcontroller, 2))
    assert trial.drive(1.5, 0.0) < 0.25
    assert sum(port.faults for port in ports) > 20
    assert trial.body.counters.garbled > 5
    trial.close()


def test_a_pulled_cable_stops_the_rover_where_it_is(loop):
    trial, cable = loop
    trial.body.connect(20.0, trial.tick)
    trial.body.go_to(5.0, 0.0)
    trial.body.start()
    for _ in range(75):
        trial.body.send_pose(*trial.estimate())
        trial.tick()
    assert trial.sim.base_velocity[0] > 0.3
    cable.pull()
    trial.tick(15)
    at_watchdog = trial.sim.base_pose[0]
    trial.tick(50)
    assert np.linalg.norm(trial.sim.base_velocity[:2]) < 0.01
    assert trial.sim.base_pose[0] - at_watchdog < 0.25
    assert trial.micro.board.firmware.fault is Fault.LINK
    assert trial.micro.breaks == 1
    cable.plug()
    trial.tick(200)
    assert trial.body.connected
    assert np.linalg.norm(trial.sim.base_velocity[:2]) < 0.01
    assert trial.drive(trial.sim.base_pose[0] + 1.0, 0.0, trial.sim.time + 30.0) < 0.25


def test_gyro_and_ticks_come_up_and_twists_go_down(loop):
    trial, _ = loop
    trial.body.connect(20.0, trial.tick)
    trial.body.start()
    for _ in range(100):
        trial.body.write(BodyCommand(twist=(0.6, 0.0, 0.5)))
        trial.tick()
    state = trial.body.read()
    assert state.gyro[2] == pytest.approx(0.5, abs=0.1)
    assert trial.body.inertial.gyro_z == state.gyro[2]
    assert trial.body.yaw == state.yaw
    assert state.yaw == pytest.approx(SE3.from_vector(trial.sim.base_pose).rpy[2], abs=0.05)
    speeds = state.velocity[[trial.body.joint_names.index(f"rear_{side}_wheel_joint") for side in ("left", "right")]]
    assert speeds.mean() * 0.055 == pytest.approx(0.6, rel=0.05)
    assert speeds[1] > speeds[0]


def test_the_same_seed_gives_the_same_run():
    ends = []
    for _ in range(2):
        cable = Loopback()
        trial = Trial(cable.computer, cable.microcontroller, seed=4)
        trial.drive(1.0, 0.3)
        ends.append(trial.sim.base_pose.copy())
        trial.close()
    assert np.array_equal(*ends)


def test_an_empty_battery_stops_it():
    sim = an.simulate("rover", sensors=True)
    board = Board(sim, battery=Battery(voltage=6.0))
    board.step(b"")
    assert board.firmware.fault is Fault.VOLTAGE
    assert board.firmware.state in (State.STOPPED, State.WAITING)


def test_wrong_use_is_told():
    sim = an.simulate("rover")
    with pytest.raises(BadInput, match="needs sensors"):
        FirmwareOnBoard(sim, Loopback().microcontroller)
    sim = an.simulate("rover", sensors=True)
    with pytest.raises(BadInput, match="rate must lie"):
        FirmwareOnBoard(sim, Loopback().microcontroller, Firmware(), rate=0.0)


def test_nothing_is_told_before_the_microcontroller_answers():
    body = SerialBody(Loopback().computer, "rover", threaded=False)
    assert body.inertial is None
    assert np.isnan(body.yaw)
    body.close()


def test_a_session_number_makes_the_bytes_repeat():
    sent = []
    for _ in range(2):
        cable = Loopback()
        body = SerialBody(cable.computer, "rover", clock=lambda: 0.0, threaded=False, session=77)
        body.poll()
        sent.append(cable.microcontroller().read())
        body.close()
    assert sent[0] == sent[1] != b""
