import numpy as np
import vision_definitions
from naoqi import ALProxy
video = ALProxy("ALVideoDevice", "nao.local", 9559)
video.setParam(vision_definitions.kCameraSelectID, vision_definitions.kBottomCamera)
handle = video.subscribe("finder", vision_definitions.kQVGA, vision_definitions.kBGRColorSpace, 10)
result = video.getImageRemote(handle)
image = np.fromstring(result[6], np.uint8).reshape(result[1], result[0], 3)
video.releaseImage(handle)
video.unsubscribe(handle)
video.setParam(vision_definitions.kCameraSelectID, vision_definitions.kTopCamera)
print "camera", result[7], image.shape, image.std() > 0, image.shape[1] / 3
