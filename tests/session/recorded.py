"""What a recording holds, to be compared with that of another door."""

from andante.bags import open_bag


def described(path):
    """Topics with their types, the frames of their headers, and the pairs of the tree of transforms."""
    frames, tree = {}, set()
    with open_bag(path) as bag:
        types = {topic.name: topic.type for topic in bag.topics}
        for topic, _, message in bag.decoded():
            if topic.name in ("/tf", "/tf_static"):
                tree |= {(t.header.frame_id, t.child_frame_id) for t in message.transforms}
            elif hasattr(message, "header"):
                frames.setdefault(topic.name, set()).add(message.header.frame_id)
    return types, frames, tree
