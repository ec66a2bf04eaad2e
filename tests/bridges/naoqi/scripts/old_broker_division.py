# Old ways of Python: division, has_key, unicode, sort, raw_input, exec.
import sys, string
reload(sys)
sys.setdefaultencoding("utf-8")
from naoqi import *
d = {"HeadYaw": 1}
broker = ALBroker("b", "0.0.0.0", 0, "1.2.3.4", 9559)
m = ALProxy("ALMotion")
count = len(m.getBodyNames("Body")) / 4
print count, d.has_key("HeadYaw"), unicode("x"), map(lambda x: x / 2, range(3)), raw_input("name? ")
exec "count = 5"
print `count`, 0777, 10L
broker.shutdown()
