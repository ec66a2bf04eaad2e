"""Records of MCAP files against the library of its makers, both ways."""

import pytest
from mcap import records as theirs
from mcap.data_stream import RecordBuilder

from andante.bags import mcap_records as ours


def packed(record):
    """A record as the library writes it."""
    builder = RecordBuilder()
    record.write(builder)
    return builder.end()


SCHEMA = ours.Schema(7, "std_msgs/msg/String", "ros2msg", "string data # ü".encode())
CHANNEL = ours.Channel(3, 7, "/größe", "cdr", {"offered_qos_profiles": "- a: ü", "": ""})
PAIRS = [
    (SCHEMA.packed(), theirs.Schema(id=7, name=SCHEMA.name, encoding="ros2msg", data=SCHEMA.text)),
    (CHANNEL.packed(), theirs.Channel(id=3, schema_id=7, topic="/größe", message_encoding="cdr",
                                      metadata=dict(CHANNEL.metadata))),
    (ours.header("ros2", "andante"), theirs.Header(profile="ros2", library="andante")),
    (ours.chunk(1, 2**40, 99, 17, "zstd", b"abc"), theirs.Chunk(
        message_start_time=1, message_end_time=2**40, uncompressed_size=99, uncompressed_crc=17, compression="zstd",
        data=b"abc")),
    (ours.message_index(5, [(1, 2), (3, 4)]), theirs.MessageIndex(channel_id=5, records=[(1, 2), (3, 4)])),
    (ours.chunk_index(1, 2, 3, 4, {5: 6, 7: 8}, 9, "zstd", 10, 11), theirs.ChunkIndex(
        message_start_time=1, message_end_time=2, chunk_start_offset=3, chunk_length=4,
        message_index_offsets={5: 6, 7: 8}, message_index_length=9, compression="zstd", compressed_size=10,
        uncompressed_size=11)),
    (ours.statistics(2, 1, 4, 5, 6, {1: 10, 2: 20}), theirs.Statistics(
        message_count=30, schema_count=2, channel_count=2, attachment_count=0, metadata_count=1, chunk_count=4,
        message_start_time=5, message_end_time=6, channel_message_counts={1: 10, 2: 20})),
    (ours.metadata("rosbag2", {"a": "b"}), theirs.Metadata(name="rosbag2", metadata={"a": "b"})),
    (ours.metadata_index(1, 2, "rosbag2"), theirs.MetadataIndex(offset=1, length=2, name="rosbag2")),
    (ours.data_end(), theirs.DataEnd(data_section_crc=0)),
    (ours.summary_offset(3, 4, 5), theirs.SummaryOffset(group_opcode=3, group_start=4, group_length=5)),
]  # fmt: skip


@pytest.mark.parametrize(("mine", "record"), PAIRS, ids=[type(record).__name__ for _, record in PAIRS])
def test_records_are_those_of_the_library(mine, record):
    assert mine == packed(record)


@pytest.mark.parametrize("record", [SCHEMA, CHANNEL], ids=["schema", "channel"])
def test_schemas_and_channels_come_back(record):
    content = record.packed()[9:]
    assert type(record).unpacked(content) == record
    for end in range(len(content)):
        with pytest.raises((ValueError, ours.struct.error)):
            type(record).unpacked(content[:end])
