import qi
from PIL import Image

session = qi.Session()
session.connect("tcp://nao.local:9559")
video = session.service("ALVideoDevice")
handle = video.subscribeCamera("python", 0, 1, 11, 10)
image = video.getImageRemote(handle)
picture = Image.frombytes("RGB", (image[0], image[1]), bytes(image[6]))
video.setColorSpace(handle, 0)
gray = video.getImageRemote(handle)
print(picture.size, gray[2], len(gray[6]), video.unsubscribe(handle), type(image[6]).__name__)
