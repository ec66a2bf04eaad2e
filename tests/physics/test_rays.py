"""The ray caster against a plain numpy reference, shape by shape and in whole scenes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from andante.description import shapes
from andante.description.link import Collision, Link
from andante.description.robot import Robot
from andante.description.solids import surface
from andante.errors import BadInput
from andante.geometry import SE3, so3
from andante.physics.rays import Raycaster, bounding_tree
from andante.physics.tree import BodyTree, body_tree


@dataclass(frozen=True)
class Placed:
    tree: BodyTree
    fixed: bool = True


def placed(*geometries: shapes.Geometry, poses: tuple[SE3, ...] = ()) -> Placed:
    links = Link(
        "root",
        collisions=tuple(
            Collision(g, poses[i] if poses else SE3.identity(), name=f"c{i}") for i, g in enumerate(geometries)
        ),
    )
    return Placed(body_tree(Robot("thing", (links,))))


def cast_one(geometry: shapes.Geometry, pose: SE3, origins: np.ndarray, directions: np.ndarray) -> np.ndarray:
    return Raycaster([placed(geometry)]).cast([pose.vector[None]], origins, directions, 100.0).distance


# ---- the reference: signed distance of a point, marched and bisected -----------------------------------------
def outside(geometry: shapes.Geometry, p: np.ndarray) -> np.ndarray:
    """Positive outside of a solid, negative inside, zero on its surface; p (..., 3) in the frame of the shape."""
    match geometry:
        case shapes.Box(size=size):
            return np.max(np.abs(p) - np.asarray(size) / 2, axis=-1)
        case shapes.Sphere(radius=r):
            return np.linalg.norm(p, axis=-1) - r
        case shapes.Cylinder(radius=r, length=length):
            return np.maximum(np.hypot(p[..., 0], p[..., 1]) - r, np.abs(p[..., 2]) - length / 2)
        case shapes.Capsule(radius=r, length=length):
            z = p[..., 2] - np.clip(p[..., 2], -length / 2, length / 2)
            return np.sqrt(p[..., 0] ** 2 + p[..., 1] ** 2 + z**2) - r
        case shapes.Ellipsoid(radii=radii):
            return np.linalg.norm(p / np.asarray(radii), axis=-1) - 1
    raise AssertionError(geometry)


def reference(geometry: shapes.Geometry, pose: SE3, o: np.ndarray, d: np.ndarray, reach: float = 8.0) -> float:
    inverse = pose.inverse()
    start, way = inverse @ o, inverse.rotation @ d
    t = np.linspace(0.0, reach, 8001)
    value = outside(geometry, start + t[:, None] * way)
    change = np.flatnonzero(np.sign(value[:-1]) != np.sign(value[1:]))
    if not len(change):
        return math.inf
    low, high = t[change[0]], t[change[0] + 1]
    sign = np.sign(value[change[0]])
    for _ in range(60):
        middle = (low + high) / 2
        if np.sign(outside(geometry, start + middle * way)) == sign:
            low = middle
        else:
            high = middle
    return (low + high) / 2


size = st.floats(0.1, 1.5)
solids = st.one_of(
    st.builds(shapes.Box, st.tuples(size, size, size)),
    st.builds(shapes.Sphere, size),
    st.builds(shapes.Cylinder, size, size),
    st.builds(shapes.Capsule, size, size),
    st.builds(shapes.Ellipsoid, st.tuples(size, size, size)),
)
vector = st.tuples(*[st.floats(-2.0, 2.0)] * 3)
direction = vector.filter(lambda v: np.linalg.norm(v) > 1e-2)


@settings(max_examples=300, deadline=None)
@given(solids, vector, vector, vector, direction)
def test_solids_agree_with_the_reference(geometry, position, turn, origin, way):
    pose = SE3.from_parts(so3.exp(turn), position)
    o, d = np.asarray(origin), np.asarray(way) / np.linalg.norm(way)
    assume(abs(outside(geometry, pose.inverse() @ o[None])[0]) > 1e-9)  # else both 0 and what lies behind are right
    got = cast_one(geometry, pose, o[None], d[None])[0]
    want = reference(geometry, pose, o, d)
    if math.isinf(want) or math.isinf(got):  # the reference may step over a grazing hit: it must then be a graze
        if math.isfinite(got) and got < 8.0:
            middle = pose.inverse() @ (o + d * (got + np.linspace(0, 1e-3, 20))[:, None])
            assert np.all(outside(geometry, middle) > -1e-2)
        else:
            assert math.isinf(want)
    else:
        assert got == pytest.approx(want, abs=1e-3)
        on_surface = outside(geometry, pose.inverse() @ (o + got * d))
        assert abs(on_surface) < 1e-9 * max(1.0, 10 / min(getattr(geometry, "radii", (1.0,))))


@pytest.mark.parametrize(
    ("geometry", "origin", "way", "distance"),
    [
        (shapes.Box((2, 2, 2)), (-3, 0, 0), (1, 0, 0), 2.0),
        (shapes.Box((2, 2, 2)), (0, 0, 0), (0, 1, 0), 1.0),  # from within: the far side
        (shapes.Box((2, 2, 2)), (-3, 1.5, 0), (1, 0, 0), math.inf),
        (shapes.Sphere(0.5), (0, 0, 3), (0, 0, -2), 2.5),
        (shapes.Cylinder(0.5, 2), (0, 0, 3), (0, 0, -1), 2.0),
        (shapes.Cylinder(0.5, 2), (3, 0, 0.9), (-1, 0, 0), 2.5),
        (shapes.Cylinder(0.5, 2), (3, 0, 1.1), (-1, 0, 0), math.inf),
        (shapes.Capsule(0.5, 2), (0, 0, 3), (0, 0, -1), 1.5),
        (shapes.Ellipsoid((1, 2, 3)), (0, 0, 5), (0, 0, -1), 2.0),
        (shapes.Plane(), (4, 5, 2), (0, 0, -1), 2.0),
        (shapes.Plane(), (4, 5, 2), (0, 0, 1), math.inf),
        (shapes.Plane(), (4, 5, -2), (0, 0, 1), math.inf),  # from below a plane is not seen
        (shapes.Plane((1, 0, 0)), (4, 5, -2), (-1, 0, 0), 4.0),
    ],
)
def test_known_distances(geometry, origin, way, distance):
    got = cast_one(geometry, SE3.identity(), np.array([origin], float), np.array([way], float))[0]
    assert got == pytest.approx(distance, abs=1e-12)


def brute(triangles: np.ndarray, o: np.ndarray, d: np.ndarray) -> float:
    """Nearest triangle by solving v0 + u e1 + w e2 = o + t d for each."""
    best = math.inf
    for v in triangles:
        matrix = np.column_stack([v[1] - v[0], v[2] - v[0], -d])
        if abs(np.linalg.det(matrix)) < 1e-14:
            continue
        u, w, t = np.linalg.solve(matrix, o - v[0])
        if u >= 0 and w >= 0 and u + w <= 1 and t >= 0:
            best = min(best, t)
    return best


def test_heightmap_against_all_triangles():
    rng = np.random.default_rng(3)
    field = shapes.Heightmap(tuple(map(tuple, rng.uniform(0, 0.5, (9, 7)))), (3.0, 4.0))
    vertices, faces = surface(field)
    pose = SE3.from_xyz_rpy((0.3, -0.2, 0.1), (0.2, -0.1, 0.7))
    origins = np.column_stack([rng.uniform(-1.5, 1.5, (80, 2)), np.full(80, 2.0)])
    directions = np.column_stack([rng.uniform(-0.4, 0.4, (80, 2)), np.full(80, -1.0)])
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    got = cast_one(field, pose, origins, directions)
    world = (pose @ vertices)[faces]
    want = [brute(world, o, d) for o, d in zip(origins, directions, strict=True)]
    assert np.isfinite(want).any()
    np.testing.assert_allclose(got, want, atol=1e-10)


def test_heightmap_corner_order():
    """Row 0 lies at -y, column 0 at -x."""
    field = shapes.Heightmap(((0.0, 0.0), (0.0, 1.0)), (2.0, 2.0))
    down = np.array([[0.0, 0.0, -1.0]])
    assert cast_one(field, SE3.identity(), np.array([[0.999, 0.999, 3.0]]), down)[0] == pytest.approx(2.0005, abs=1e-6)
    assert cast_one(field, SE3.identity(), np.array([[-0.9, 0.9, 3.0]]), down)[0] == pytest.approx(2.95, abs=1e-6)


def test_mesh_moves_as_hull_and_stands_as_it_is(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    ring = trimesh.creation.annulus(0.5, 1.0, 0.4)
    path = tmp_path / "ring.stl"
    ring.export(path)
    mesh = shapes.Mesh("ring.stl", path)
    robot = Robot("ring", (Link("root", collisions=(Collision(mesh),)),))
    origin, down = np.array([[0.0, 0.0, 2.0], [0.75, 0, 2.0]]), np.array([[0.0, 0.0, -1.0]] * 2)
    pose = [SE3.identity().vector[None]]
    standing = Raycaster([Placed(body_tree(robot), True)]).cast(pose, origin, down, 10.0).distance
    moving = Raycaster([Placed(body_tree(robot), False)]).cast(pose, origin, down, 10.0).distance
    np.testing.assert_allclose(standing, [math.inf, 1.8], atol=1e-6)
    np.testing.assert_allclose(moving, [1.8, 1.8], atol=1e-6)


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 60), st.integers(0, 2**31))
def test_bounding_tree_holds_every_triangle(count, seed):
    triangles = np.random.default_rng(seed).normal(size=(count, 3, 3))
    nodes, ordered, inner = bounding_tree(triangles)
    real = ordered[~np.isnan(ordered[:, 0, 0])]
    assert len(real) == count
    assert len(nodes) == 2 * inner + 1
    for i in range(inner):
        for child in (nodes[2 * i + 1], nodes[2 * i + 2]):
            if np.isfinite(child).all():
                assert np.all(child[:3] >= nodes[i][:3])
                assert np.all(child[3:] <= nodes[i][3:])
    np.testing.assert_allclose(nodes[0], np.concatenate([triangles.min((0, 1)), triangles.max((0, 1))]))


def test_scene_tells_model_link_and_range():
    near, far = placed(shapes.Box((1, 1, 1))), placed(shapes.Sphere(1.0), shapes.Box((0.1, 0.1, 0.1)))
    caster = Raycaster([near, far])
    poses = [SE3.from_xyz_rpy((2, 0, 0)).vector[None], SE3.from_xyz_rpy((6, 0, 0)).vector[None]]
    ways = np.array([[1.0, 0, 0], [0, 1.0, 0]])
    hits = caster.cast(poses, (0, 0, 0), ways, 10.0)
    np.testing.assert_allclose(hits.distance, [1.5, math.inf])
    assert hits.model.tolist() == [0, -1]
    assert hits.link.tolist() == [0, -1]
    through = caster.cast(poses, (0, 0, 0), ways, 10.0, ignore=0)
    assert through.distance[0] == pytest.approx(5.0)
    assert through.model[0] == 1
    assert math.isinf(caster.cast(poses, (0, 0, 0), ways, 1.4).distance[0])
    assert len(caster.cast(poses, np.zeros((0, 3)), np.zeros((0, 3)), 1.0).distance) == 0


def test_many_shapes_against_one_by_one():
    rng = np.random.default_rng(1)
    things = [shapes.Box(tuple(rng.uniform(0.1, 0.6, 3))) for _ in range(30)]
    things += [shapes.Cylinder(*rng.uniform(0.1, 0.4, 2)) for _ in range(20)]
    poses = [SE3.from_xyz_rpy(rng.uniform(-4, 4, 3), rng.uniform(-3, 3, 3)) for _ in things]
    angle = np.linspace(0, 2 * np.pi, 360, endpoint=False)
    ways = np.stack([np.cos(angle), np.sin(angle), np.zeros(360)], axis=1)
    scene = Raycaster([placed(*things, poses=tuple(poses))])
    got = scene.cast([SE3.identity().vector[None]], np.zeros(3), ways, 20.0).distance
    single = [
        np.where((d := cast_one(g, p, np.zeros((360, 3)), ways)) <= 20.0, d, math.inf)
        for g, p in zip(things, poses, strict=True)
    ]
    np.testing.assert_allclose(got, np.min(single, axis=0), atol=1e-12)


@pytest.mark.parametrize(
    ("origins", "directions"),
    [
        ([[0, 0, 0]], [[0, 0, 0]]),
        ([[0, 0, math.nan]], [[1, 0, 0]]),
        ([[0, 0]], [[1, 0]]),
        ([[0, 0, 0]] * 2, [[1, 0, 0]]),
    ],
)
def test_bad_rays_are_refused(origins, directions):
    with pytest.raises(BadInput, match="ray"):
        Raycaster([placed(shapes.Sphere(1.0))]).cast([SE3.identity().vector[None]], origins, directions, 1.0)


@pytest.mark.parametrize("half", [0.0, 0.02, 0.5, 1.2, 1.6, math.pi])
@pytest.mark.parametrize("spread", [0.0, 0.3])
def test_shapes_out_of_reach_of_a_bundle_are_met_by_none_of_its_rays(half, spread):
    random = np.random.default_rng(int(1000 * half) + int(10 * spread))
    left_out = 0
    for _ in range(20):
        geometries = [
            shapes.Box(tuple(random.uniform(0.05, 1.0, 3))),
            shapes.Sphere(random.uniform(0.05, 0.6)),
            shapes.Cylinder(random.uniform(0.05, 0.5), random.uniform(0.1, 1.0)),
            shapes.Plane(),
        ] * 5
        poses = tuple(
            SE3(np.block([[so3.exp(random.normal(size=3)), random.uniform(-3, 3, (3, 1))], [np.zeros(3), 1.0]]))
            for _ in geometries
        )
        caster = Raycaster([placed(*geometries, poses=poses)])
        caster.place(np.array([SE3.identity().vector]))
        axis = random.normal(size=3)
        ways = axis / np.linalg.norm(axis) + math.sin(min(half, 0.5 * math.pi)) * random.uniform(-1, 1, (60, 3))
        if half > 0.5 * math.pi:
            ways = random.normal(size=(60, 3))
        ways /= np.linalg.norm(ways, axis=1, keepdims=True)
        origins = random.uniform(-1, 1, 3) + spread * random.uniform(-1, 1, (60, 3))
        near = caster.reachable(origins, ways, 2.5)
        whole = caster.nearest(origins, ways, 2.5, np.zeros(len(near), dtype=bool))
        some = caster.nearest(origins, ways, 2.5, ~near)
        np.testing.assert_array_equal(some[0], whole[0])
        np.testing.assert_array_equal(some[1], whole[1])
        left_out += int((~near).sum())
    assert half > 1.0 or left_out > 20
