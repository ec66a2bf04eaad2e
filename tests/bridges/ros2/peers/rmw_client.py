"""A node as `rmw_cyclonedds` makes it, by `cyclonedds` alone: reads who has what, calls services, sends goals.

It prints what it got as JSON. Args: domain.
"""

import json
import sys
import time
from dataclasses import dataclass

from cyclone_types import CDR, RELIABLE, Header, Time
from cyclonedds.builtin import BuiltinDataReader, BuiltinTopicDcpsPublication, BuiltinTopicDcpsSubscription
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.types import array, bounded_str, float64, int8, int32, int64, sequence, uint8, uint32, uint64
from cyclonedds.pub import DataWriter
from cyclonedds.qos import Policy, Qos
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic

participant = DomainParticipant(int(sys.argv[1]))
Id = array[uint8, 16]


@dataclass
class Gid(IdlStruct, typename="rmw_dds_common.msg.dds_.Gid_"):
    data: Id


@dataclass
class NodeEntitiesInfo(IdlStruct, typename="rmw_dds_common.msg.dds_.NodeEntitiesInfo_"):
    node_namespace: bounded_str[256]
    node_name: bounded_str[256]
    reader_gid_seq: sequence[Gid]
    writer_gid_seq: sequence[Gid]


@dataclass
class ParticipantEntitiesInfo(IdlStruct, typename="rmw_dds_common.msg.dds_.ParticipantEntitiesInfo_"):
    gid: Gid
    node_entities_info_seq: sequence[NodeEntitiesInfo]


@dataclass
class TriggerRequest(IdlStruct, typename="std_srvs.srv.dds_.Trigger_Request_"):
    header_guid: uint64
    header_seq: int64
    structure_needs_at_least_one_member: uint8


@dataclass
class SetBoolRequest(IdlStruct, typename="std_srvs.srv.dds_.SetBool_Request_"):
    header_guid: uint64
    header_seq: int64
    data: bool


@dataclass
class Success(IdlStruct, typename="std_srvs.srv.dds_.Trigger_Response_"):
    header_guid: uint64
    header_seq: int64
    success: bool
    message: str


@dataclass
class SetBoolResponse(IdlStruct, typename="std_srvs.srv.dds_.SetBool_Response_"):
    header_guid: uint64
    header_seq: int64
    success: bool
    message: str


@dataclass
class Duration(IdlStruct, typename="builtin_interfaces.msg.dds_.Duration_"):
    sec: int32
    nanosec: uint32


@dataclass
class Point(IdlStruct, typename="trajectory_msgs.msg.dds_.JointTrajectoryPoint_"):
    positions: sequence[float64]
    velocities: sequence[float64]
    accelerations: sequence[float64]
    effort: sequence[float64]
    time_from_start: Duration


@dataclass
class Trajectory(IdlStruct, typename="trajectory_msgs.msg.dds_.JointTrajectory_"):
    header: Header
    joint_names: sequence[str]
    points: sequence[Point]


@dataclass
class Tolerance(IdlStruct, typename="control_msgs.msg.dds_.JointTolerance_"):
    name: str
    position: float64
    velocity: float64
    acceleration: float64


@dataclass
class UUID(IdlStruct, typename="unique_identifier_msgs.msg.dds_.UUID_"):
    uuid: Id


FOLLOW = "control_msgs.action.dds_.FollowJointTrajectory"


@dataclass
class Goal(IdlStruct, typename=f"{FOLLOW}_Goal_"):
    trajectory: Trajectory
    path_tolerance: sequence[Tolerance]
    goal_tolerance: sequence[Tolerance]
    goal_time_tolerance: Duration


@dataclass
class SendGoalRequest(IdlStruct, typename=f"{FOLLOW}_SendGoal_Request_"):
    header_guid: uint64
    header_seq: int64
    goal_id: UUID
    goal: Goal


@dataclass
class SendGoalResponse(IdlStruct, typename=f"{FOLLOW}_SendGoal_Response_"):
    header_guid: uint64
    header_seq: int64
    accepted: bool
    stamp: Time


@dataclass
class GetResultRequest(IdlStruct, typename=f"{FOLLOW}_GetResult_Request_"):
    header_guid: uint64
    header_seq: int64
    goal_id: UUID


@dataclass
class Result(IdlStruct, typename=f"{FOLLOW}_Result_"):
    error_code: int32
    error_string: str


@dataclass
class GetResultResponse(IdlStruct, typename=f"{FOLLOW}_GetResult_Response_"):
    header_guid: uint64
    header_seq: int64
    status: int8
    result: Result


@dataclass
class Feedback(IdlStruct, typename=f"{FOLLOW}_Feedback_"):
    header: Header
    joint_names: sequence[str]
    desired: Point
    actual: Point
    error: Point


@dataclass
class FeedbackMessage(IdlStruct, typename=f"{FOLLOW}_FeedbackMessage_"):
    goal_id: UUID
    feedback: Feedback


@dataclass
class GoalInfo(IdlStruct, typename="action_msgs.msg.dds_.GoalInfo_"):
    goal_id: UUID
    stamp: Time


@dataclass
class GoalStatus(IdlStruct, typename="action_msgs.msg.dds_.GoalStatus_"):
    goal_info: GoalInfo
    status: int8


@dataclass
class GoalStatusArray(IdlStruct, typename="action_msgs.msg.dds_.GoalStatusArray_"):
    status_list: sequence[GoalStatus]


@dataclass
class CancelGoalRequest(IdlStruct, typename="action_msgs.srv.dds_.CancelGoal_Request_"):
    header_guid: uint64
    header_seq: int64
    goal_info: GoalInfo


@dataclass
class CancelGoalResponse(IdlStruct, typename="action_msgs.srv.dds_.CancelGoal_Response_"):
    header_guid: uint64
    header_seq: int64
    return_code: int8
    goals_canceling: sequence[GoalInfo]


def until(condition):
    end = time.monotonic() + 20.0
    while not (found := condition()):
        if time.monotonic() > end:
            raise TimeoutError("waited in vain")
        time.sleep(0.01)
    return found


def reader(name, kind, *policies):
    return DataReader(
        participant, Topic(participant, name, kind), qos=Qos(CDR, RELIABLE, Policy.History.KeepLast(10), *policies)
    )


class Client:
    """Calls one service; `mark` is what it says about itself."""

    count = 0

    def __init__(self, name, request, response, mark="clientid=1.{};"):
        Client.count += 1
        self.guid, self.seq, self.kind = 0x1122334455667700 + Client.count, 0, request
        told = Policy.Userdata(mark.format(Client.count).encode())
        self.replies = reader(f"rr{name}Reply", response, told)
        self.requests = DataWriter(
            participant, Topic(participant, f"rq{name}Request", request), qos=Qos(CDR, RELIABLE, told)
        )
        until(self.is_there)

    def is_there(self):
        """What rmw_service_server_is_available asks: a reader and a writer of one server."""

        def marks(ends):
            return {one.qos[Policy.Userdata].data for one in ends if one is not None}

        asked = marks(map(self.requests.get_matched_subscription_data, self.requests.get_matched_subscriptions()))
        told = marks(map(self.replies.get_matched_publication_data, self.replies.get_matched_publications()))
        return any(mark.startswith(b"serviceid=") for mark in asked & told)

    def send(self, *content):
        self.seq += 1
        self.requests.write(self.kind(self.guid, self.seq, *content))

    def __call__(self, *content):
        self.send(*content)
        while True:
            reply = until(lambda: self.replies.take(N=1))[0]
            if (reply.header_guid, reply.header_seq) == (self.guid, self.seq):
                return reply


seen = {}

# Who has what.
infos = reader("ros_discovery_info", ParticipantEntitiesInfo, Policy.Durability.TransientLocal)
publications = BuiltinDataReader(participant, BuiltinTopicDcpsPublication)
subscriptions = BuiltinDataReader(participant, BuiltinTopicDcpsSubscription)
info = until(lambda: infos.take(N=1))[0]
ends = {}


def all_known():
    for one in (*publications.take(N=1000), *subscriptions.take(N=1000)):
        ends[one.key.bytes] = (one.topic_name, one.participant_key.bytes)
    gids = [gid for node in info.node_entities_info_seq for gid in (*node.reader_gid_seq, *node.writer_gid_seq)]
    return all(bytes(gid.data) in ends for gid in gids)


until(all_known)
seen["nodes"] = {
    f"{node.node_namespace.rstrip('/')}/{node.node_name}": [
        sorted({ends[bytes(gid.data)][0] for gid in gids}) for gids in (node.writer_gid_seq, node.reader_gid_seq)
    ]
    for node in info.node_entities_info_seq
}
seen["owner"] = {ends[bytes(g.data)][1] for n in info.node_entities_info_seq for g in n.writer_gid_seq} == {
    bytes(info.gid.data)
}

# Services.
trigger, other = (Client("/pause", TriggerRequest, Success) for _ in range(2))
seen["pause"] = [trigger(0).message, other(0).message, trigger(0).success]
seen["set"] = Client("/set", SetBoolRequest, SetBoolResponse)(True).success
broken = Client("/broken", TriggerRequest, Success)(0)
seen["broken"] = [broken.success, broken.message]
stray = Client("/pause", TriggerRequest, Success, mark="something={};")  # another middleware: no answer, no call
stray.send(0)

# Actions.
where = "/reach/_action"
send = Client(f"{where}/send_goal", SendGoalRequest, SendGoalResponse)
result = Client(f"{where}/get_result", GetResultRequest, GetResultResponse)
cancel = Client(f"{where}/cancel_goal", CancelGoalRequest, CancelGoalResponse)
feedback = reader(f"rt{where}/feedback", FeedbackMessage)
status = reader(f"rt{where}/status", GoalStatusArray, Policy.Durability.TransientLocal)
until(feedback.get_matched_publications)


def goal(joint):
    trajectory = Trajectory(Header(Time(0, 0), ""), [joint], [])
    return Goal(trajectory, [], [], Duration(0, 0))


quick, slow, unknown = (UUID([k] * 16) for k in (1, 2, 3))
seen["accepted"] = [send(quick, goal("quick")).accepted, send(quick, goal("again")).accepted]
got = result(quick)
seen["result"] = [got.status, got.result.error_code, got.result.error_string]
told = [(one.goal_id.uuid[0], one.feedback.desired.positions) for one in feedback.take(N=100)]
seen["feedback"] = [list(positions) for mark, positions in told if mark == 1]
send(slow, goal("slow"))
until(lambda: feedback.take(N=1))
asked = cancel(GoalInfo(slow, Time(0, 0)))
seen["cancel"] = [asked.return_code, [one.goal_id.uuid[0] for one in asked.goals_canceling]]
seen["canceled"] = result(slow).status
seen["again"] = [cancel(GoalInfo(mark, Time(0, 0))).return_code for mark in (slow, unknown)]
seen["unknown"] = result(unknown).status


def last_status():
    taken = status.take(N=100)
    states = {one.goal_info.goal_id.uuid[0]: one.status for one in taken[-1].status_list} if taken else {}
    return states if states.get(2) == 5 else None


seen["status"] = until(last_status)
seen["stray"] = len(stray.replies.take(N=10))
print(json.dumps(seen), flush=True)
