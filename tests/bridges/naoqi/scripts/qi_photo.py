import qi

session = qi.Session()
session.connect("tcp://nao.local:9559")
photo = session.service("ALPhotoCapture")
photo.setResolution(1)
photo.setPictureFormat("png")
for path in photo.takePictures(2, "/home/nao/recordings/cameras/", "image"):
    with open(path, "rb") as file:
        print(path.endswith(".png"), file.read(4) == b"\x89PNG")
