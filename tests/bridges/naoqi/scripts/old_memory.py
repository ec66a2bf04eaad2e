from naoqi import ALProxy
memProxy = ALProxy("ALMemory", "nao.local", 9559)
memProxy.insertData("myValueName1", 5)
memProxy.insertListData([["myValueName2", [1, [2.5, "x"]]], ["myValueName3", "text"]])
print memProxy.getListData(["myValueName1", "myValueName2", "myValueName3", "nothing"])
memProxy.removeData("myValueName1")
try:
    memProxy.getData("myValueName1")
except RuntimeError, e:
    print "gone", "myValueName1" in str(e)
