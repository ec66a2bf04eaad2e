"""What only the simulator knows, for those who watch: link poses, contacts, centre of mass, support, footsteps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.spatial import ConvexHull, QhullError

from andante.bags import messages
from andante.geometry import Array, so3

from .node import LiveNode, Point, Vector3

if TYPE_CHECKING:
    from andante.runtime.live.session import LiveSession

LINK_RATE, RATE = 30.0, 20.0  # [Hz]
WORLD = "world"
FLAT = 0.03  # contacts this far above the lowest one do not carry [m]

LinkPoses = messages.cls("andante_msgs/msg/LinkPoses")
Contact = messages.cls("andante_msgs/msg/Contact")
Contacts = messages.cls("andante_msgs/msg/Contacts")
Point32 = messages.cls("geometry_msgs/msg/Point32")


class TruthNode(LiveNode):
    """/ground_truth/links, /contacts, /com, /support_polygon. Behaviours never see these."""

    name = "ground_truth"

    def __init__(self, session: LiveSession) -> None:
        super().__init__(session)
        self._links = self.advertise("/ground_truth/links", "andante_msgs/msg/LinkPoses", LINK_RATE)
        self._contacts = self.advertise("/contacts", "andante_msgs/msg/Contacts", RATE)
        self._com = self.advertise("/com", "geometry_msgs/msg/PointStamped", RATE)
        self._support = self.advertise("/support_polygon", "geometry_msgs/msg/PolygonStamped", RATE)
        self.rebuilt()

    def rebuilt(self) -> None:
        """Names of all links that can move."""
        engine, actor = self.stage.sim.engine, self.stage.sim.actor
        self._actors = [a.index for a in engine.actors if a.index == actor or not a.fixed]
        self._actors.sort(key=lambda index: index != actor)
        self._names: list[str] = []
        for index in self._actors:
            placed = engine.actors[index]
            prefix = "" if index == actor else f"{placed.name}::"
            self._names += [prefix + link.name for link in placed.tree.robot.links]
        self._link_names = [[link.name for link in a.tree.robot.links] for a in engine.actors]

    def update(self) -> None:
        """What is due now."""
        if self._links.wanted():
            engine = self.stage.sim.engine
            poses = np.concatenate([engine.link_poses(index) for index in self._actors]).ravel()
            self._links.publish(LinkPoses(self.header(WORLD), self.session.scene, self._names, poses))
        if self._contacts.wanted():
            self._contacts.publish(self._touching())
        if self._com.wanted():
            x, y, z = self.centre_of_mass().tolist()
            kind = "geometry_msgs/msg/PointStamped"
            self._com.publish(messages.make(kind, header=self.header(WORLD), point=Point(x, y, z)))
        if self._support.wanted():
            corners = [Point32(*corner) for corner in self.support().tolist()]
            kind = "geometry_msgs/msg/PolygonStamped"
            self._support.publish(messages.make(kind, header=self.header(WORLD), polygon={"points": corners}))

    def _touching(self) -> Any:
        sim = self.stage.sim
        found = sim.engine.contacts_of(sim.actor)
        out = []
        for k in range(len(found)):
            other = int(found.actor_b[k])
            link = self._link_names[other][int(found.link_b[k])]
            out.append(
                Contact(
                    self._link_names[sim.actor][int(found.link_a[k])],
                    f"{sim.engine.actors[other].name}::{link}",
                    Point(*found.position[k].tolist()),
                    Vector3(*found.normal[k].tolist()),
                    Vector3(*found.force[k].tolist()),
                )
            )
        return Contacts(self.header(WORLD), out)

    def centre_of_mass(self) -> Array:
        """True centre of mass in the world (3,) [m]."""
        sim = self.stage.sim
        masses, coms = sim.engine.actors[sim.actor].tree.weights
        poses = sim.engine.body_poses(sim.actor)
        turned = np.einsum("nij,nj->ni", so3.from_quaternion(poses[:, 3:]), coms)
        return np.asarray(masses @ (poses[:, :3] + turned) / max(float(masses.sum()), 1e-9), dtype=float)

    def support(self) -> Array:
        """Corners (n, 3) of the hull of the points that carry the robot, counter-clockwise [m]."""
        sim = self.stage.sim
        found = sim.engine.contacts_of(sim.actor)
        mine = found.actor_b != sim.actor
        points = found.position[mine]
        if len(points) == 0:
            return np.zeros((0, 3))
        points = points[points[:, 2] < points[:, 2].min() + FLAT]
        if len(points) < 3:
            return points
        try:
            return points[ConvexHull(points[:, :2]).vertices]
        except QhullError:
            return points
