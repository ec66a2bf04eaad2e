import argparse
import sys

import qi


def main(session):
    motion_service = session.service("ALMotion")
    posture_service = session.service("ALRobotPosture")
    motion_service.wakeUp()
    posture_service.goToPosture("StandInit", 0.8)
    motion_service.setAngles(["HeadYaw", "HeadPitch"], [0.3, 0.1], 0.2)
    while abs(motion_service.getAngles("HeadYaw", True)[0] - 0.3) > 0.02:
        pass
    print("there")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--ip", type=str, default="127.0.0.1")
    parser.add_argument("--port", type=int, default=9559)
    args = parser.parse_args()
    try:
        app = qi.Application(["HeadExample", "--qi-url=" + "tcp://" + args.ip + ":" + str(args.port)])
    except RuntimeError:
        print("Can't connect to Naoqi at ip " + args.ip)
        sys.exit(1)
    app.start()
    main(app.session)
