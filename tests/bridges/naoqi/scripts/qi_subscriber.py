import time

import qi


class Touched:
    def __init__(self, app):
        app.start()
        self.memory = app.session.service("ALMemory")
        self.seen = []
        self.touch = self.memory.subscriber("TouchChanged")
        self.id = self.touch.signal.connect(self.on_touch)

    def on_touch(self, value):
        self.seen += [part[0] for part in value if part[1]]


app = qi.Application(["Touched", "--qi-url=tcp://nao.local:9559"])
reader = Touched(app)
own = reader.memory.subscriber("MyEvent")
values = []
own.signal.connect(values.append)
reader.memory.raiseEvent("MyEvent", [1, "a"])
print("ready")
for _ in range(100):
    if reader.seen:
        break
    time.sleep(0.1)
print("seen", reader.seen, values)
