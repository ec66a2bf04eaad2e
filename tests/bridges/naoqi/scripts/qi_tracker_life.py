# -*- encoding: UTF-8 -*-
"""ALTracker with a red ball and awareness; 2.x with qi session, argparse"""
import qi, argparse, sys, time, functools

def main(session, ballSize):
    motion = session.service("ALMotion")
    posture = session.service("ALRobotPosture")
    tracker = session.service("ALTracker")
    awareness = session.service("ALBasicAwareness")
    moves = session.service("ALAutonomousMoves")
    awareness.setEnabled(False) if hasattr(awareness, "setEnabled") else awareness.stopAwareness()
    moves.setExpressiveListeningEnabled(False)
    motion.setBreathEnabled("Body", False)
    motion.setIdlePostureEnabled("Body", False)
    motion.setExternalCollisionProtectionEnabled("All", False)
    motion.setCollisionProtectionEnabled("Arms", True)
    motion.wakeUp()
    posture.goToPosture("StandInit", 0.5)
    targetName = "RedBall"
    diameterOfBall = ballSize
    tracker.registerTarget(targetName, diameterOfBall)
    mode = "Move"
    tracker.setMode(mode)
    tracker.setRelativePosition([-0.5, 0.0, 0.0, 0.1, 0.1, 0.3])
    tracker.track(targetName)
    print(tracker.getActiveTarget(), tracker.getMode(), tracker.getRegisteredTargets())
    time.sleep(1.0)
    print("new", tracker.isNewTargetDetected() in (True, False), tracker.isTargetLost() in (True, False))
    tracker.stopTracker()
    tracker.unregisterAllTargets()
    print(tracker.getRegisteredTargets())
    tracker.lookAt([1.0, 0.5, 0.3], 2, 0.3, False)
    yaw = motion.getAngles("HeadYaw", True)[0]
    print("looks left", yaw > 0.2)
    tracker.pointAt("LArm", [1.0, 0.5, 0.3], 2, 0.3)
    lim = motion.getLimits("LShoulderPitch")
    print(len(lim), len(lim[0]))
    task = functools.partial(motion.setAngles, "HeadYaw", 0.0, 0.2)
    p = qi.PeriodicTask()
    p.setCallback(task); p.setUsPeriod(200000); p.start(True)
    time.sleep(1.2)
    p.stop()
    print("straight", abs(motion.getAngles("HeadYaw", True)[0]) < 0.1)
    f = qi.runAsync(motion.getAngles, "Body", True)
    print(len(f.value()))
    motion.rest()

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ip", type=str, default="127.0.0.1")
    parser.add_argument("--port", type=int, default=9559)
    parser.add_argument("--ballsize", type=float, default=0.06)
    args = parser.parse_args()
    session = qi.Session()
    try:
        session.connect("tcp://" + args.ip + ":" + str(args.port))
    except RuntimeError:
        print("Can't connect")
        sys.exit(1)
    main(session, args.ballsize)
