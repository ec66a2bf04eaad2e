import qi

session = qi.Session()
session.connect("tcp://nao.local:9559")
tracker = session.service("ALTracker")
tracker.lookAt([1.0, 1.0, 0.4], 2, 0.3, False)
tracker.pointAt("RArm", [1.0, -0.4, 0.3], 2, 0.3)
