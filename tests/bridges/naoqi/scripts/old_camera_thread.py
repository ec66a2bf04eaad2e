# -*- coding: utf-8 -*-
import threading, Queue, StringIO, ConfigParser
import vision_definitions
from naoqi import ALProxy

NAO_IP = u"nao.local"


class ImageGetter(threading.Thread):
    def __init__(self, queue):
        threading.Thread.__init__(self)
        self.queue = queue
        self.setDaemon(True)

    def run(self):
        video = ALProxy("ALVideoDevice", NAO_IP, 9559)
        client = video.subscribe("python_client", vision_definitions.kQVGA, vision_definitions.kYUV422ColorSpace, 5)
        video.setParam(vision_definitions.kCameraSelectID, 1)
        try:
            for i in range(2):
                image = video.getImageRemote(client)
                self.queue.put((image[0], image[1], image[2], len(image[6])))
                video.releaseImage(client)
        finally:
            video.setParam(vision_definitions.kCameraSelectID, 0)
            video.unsubscribe(client)


config = ConfigParser.ConfigParser()
config.readfp(StringIO.StringIO("[camera]\nframes = 2\n"))
queue = Queue.Queue()
getter = ImageGetter(queue)
getter.start()
seen = {}
for i in xrange(config.getint("camera", "frames")):
    size = queue.get(True, 60)
    if not seen.has_key(size):
        seen[size] = 0
    seen[size] += 1
getter.join()
print sorted(seen.items())
