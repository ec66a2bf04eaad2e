"""Compiled parts of the footstep planners: soles on the ground, and AD* on a lattice of foot poses.

A state is a pose of the foot that stands: x, y in cells of the lattice, yaw in parts of a turn, and which foot. The
search runs backward from the goal, so that what it has learned holds while the robot moves on. Likhachev, Ferguson,
Gordon, Stentz, Thrun, "Anytime dynamic A*: an anytime, replanning algorithm", ICAPS 2005; with nothing changed it is
ARA*, with an inflation of 1 A*. Entries of the heap are dropped when they come up and are out of date.
The guess of what is left is admissible but not consistent (it comes from a coarse plan), so states are expanded again
when the inflation is 1, and states whose price has grown at any time.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from andante.compiling import njit
from andante.geometry import Array
from andante.mapping.octree.kernels import EMPTY, find
from andante.navigation.planners.grid import heap_pop, heap_push

FOUND, NOTHING, MORE, FULL_STATES, FULL_HEAP = 0, 1, 2, 3, 4
BAD = -1e9  # height of a foot that cannot stand
OFFSET = 1 << 19
UNSEEN, OK, NO = 0, 1, 2
MIDDLE_OF = 0.02  # from the middle of a sole: what counts as below the ankle [m]
SLACK = 1e-4  # of heights: they are rounded [m]


class Ground(NamedTuple):
    """Terrain and soles."""

    heights: NDArray[np.float32]
    clearance: NDArray[np.float32]
    resolution: float
    x: float  # of the corner of cell (0, 0) [m]
    y: float
    samples: Array  # (2, m, 2) points of both soles in their frames [m]
    fit: Array  # (2, 3, m) heights of those points to the plane a + b x + c y
    max_tilt: float  # tangent
    rough: float  # farthest that a point lies off the plane [m]
    support: float  # least part of a sole that stands, where the rest hangs over an edge
    body: float  # radius [m]
    lift: float  # highest thing between two places of a foot [m]
    even: NDArray[np.float32]  # (rows, cols) distance to the next cell that is higher or lower than its neighbors [m]


class Lattice(NamedTuple):
    """Steps between cells."""

    cell: float  # [m]
    angles: int  # parts of a turn
    moves: NDArray[np.int64]  # (angles, 2, n, 3) cells and parts from a standing foot to the next one, by its yaw, foot
    prices: Array  # (2, n) of the steps
    max_up: float
    max_down: float
    up_price: float  # per meter of height
    edge_price: float  # for standing near things, at the limit of the body
    step_price: float
    meter_price: float  # least price of a meter
    turn_price: float  # least price of a radian
    plain_turn: float  # price of a radian beside that of the step
    limits: Array  # (5,) of a step: back, ahead, inward, outward [m], turn [rad]
    width: float  # between the feet of a stand [m]


class Memory(NamedTuple):
    """What the search knows; all of one length but table and heap."""

    table: NDArray[np.int64]
    slots: NDArray[np.int32]
    key: NDArray[np.int64]
    g: Array
    rhs: Array
    after: NDArray[np.int32]  # the next state on the way to the goal
    closed: NDArray[np.int32]  # round in which it was expanded
    stamp: NDArray[np.int32]  # of its newest entry in the heap; 0: it is not in it
    waits: NDArray[np.int8]  # inconsistent, for the next round
    fine: NDArray[np.int8]  # whether a foot can stand there
    height: Array
    price: Array  # of standing there
    heap: Array  # (entries, 2) keys
    entry: NDArray[np.int32]  # (entries, 2) state and stamp
    used: NDArray[np.int64]  # states, entries of the heap, round, next stamp, expansions


@njit(nogil=True)
def name_of(x: int, y: int, yaw: int, foot: int) -> int:
    """A state in one number."""
    return (((x + OFFSET) << 20 | (y + OFFSET)) << 9 | yaw) << 1 | foot


@njit(nogil=True)
def parts_of(name: int) -> tuple[int, int, int, int]:
    """x, y, yaw, foot of a state."""
    return ((name >> 30) & 0xFFFFF) - OFFSET, ((name >> 10) & 0xFFFFF) - OFFSET, (name >> 1) & 0x1FF, name & 1


@njit(nogil=True)
def stand(ground: Ground, x: float, y: float, yaw: float, foot: int) -> tuple[float, float]:
    """Height of a foot that is put there [m], BAD where it cannot stand, and how uneven it stands (0..1)."""
    c, s = math.cos(yaw), math.sin(yaw)
    a = b = d = 0.0
    rows, cols = ground.heights.shape
    points = ground.samples[foot]
    for n in range(points.shape[0]):
        px = x + c * points[n, 0] - s * points[n, 1]
        py = y + s * points[n, 0] + c * points[n, 1]
        row, col = math.floor((py - ground.y) / ground.resolution), math.floor((px - ground.x) / ground.resolution)
        if not (0 <= row < rows and 0 <= col < cols):
            return BAD, 0.0
        z = ground.heights[row, col]
        if math.isnan(z):
            return BAD, 0.0
        a += ground.fit[foot, 0, n] * z
        b += ground.fit[foot, 1, n] * z
        d += ground.fit[foot, 2, n] * z
    tilt = math.hypot(b, d)
    worst = top = -np.inf
    for n in range(points.shape[0]):
        px = x + c * points[n, 0] - s * points[n, 1]
        py = y + s * points[n, 0] + c * points[n, 1]
        row, col = math.floor((py - ground.y) / ground.resolution), math.floor((px - ground.x) / ground.resolution)
        z = ground.heights[row, col]
        worst = max(worst, abs(z - a - b * points[n, 0] - d * points[n, 1]))
        top = max(top, z)
    if worst <= ground.rough and tilt <= ground.max_tilt:
        return a, 0.5 * (tilt / ground.max_tilt + worst / ground.rough)
    carried, middle = 0, False  # it stands on the highest part, over whose edge the rest may hang
    for n in range(points.shape[0]):
        px = x + c * points[n, 0] - s * points[n, 1]
        py = y + s * points[n, 0] + c * points[n, 1]
        row, col = math.floor((py - ground.y) / ground.resolution), math.floor((px - ground.x) / ground.resolution)
        if top - ground.heights[row, col] <= ground.rough:
            carried += 1
            middle = middle or math.hypot(points[n, 0], points[n, 1]) < MIDDLE_OF
    fraction = carried / points.shape[0]
    if fraction < ground.support or not middle:
        return BAD, 0.0
    return top, 1.0 - 0.5 * (fraction - ground.support) / max(1.0 - ground.support, 1e-9)


@njit(nogil=True)
def clear_of(ground: Ground, x: float, y: float) -> float:
    """Distance of a point to the next thing that a body would touch [m]; 0 outside the map."""
    row, col = math.floor((y - ground.y) / ground.resolution), math.floor((x - ground.x) / ground.resolution)
    if not (0 <= row < ground.clearance.shape[0] and 0 <= col < ground.clearance.shape[1]):
        return 0.0
    return float(ground.clearance[row, col])


@njit(nogil=True)
def highest_between(ground: Ground, x0: float, y0: float, x1: float, y1: float) -> float:
    """Highest ground along a line [m]; points of unknown ground are passed over."""
    top = -np.inf
    steps = max(1, math.ceil(math.hypot(x1 - x0, y1 - y0) / ground.resolution))
    for n in range(steps + 1):
        x, y = x0 + (x1 - x0) * n / steps, y0 + (y1 - y0) * n / steps
        row, col = math.floor((y - ground.y) / ground.resolution), math.floor((x - ground.x) / ground.resolution)
        if 0 <= row < ground.heights.shape[0] and 0 <= col < ground.heights.shape[1]:
            z = ground.heights[row, col]
            if not math.isnan(z):
                top = max(top, z)
    return top


@njit(nogil=True)
def look(ground: Ground, lattice: Lattice, memory: Memory, state: int) -> None:
    """Find out whether a foot can stand at a state, how high and at what price."""
    x, y, yaw, foot = parts_of(memory.key[state])
    height, uneven = stand(ground, x * lattice.cell, y * lattice.cell, 2.0 * math.pi * yaw / lattice.angles, foot)
    memory.fine[state] = NO if height == BAD else OK
    memory.height[state] = height
    memory.price[state] = lattice.edge_price * uneven


@njit(nogil=True)
def edge(ground: Ground, lattice: Lattice, memory: Memory, here: int, there: int, move: int) -> float:
    """Price of the step from one standing foot to the other; infinite where it cannot be made."""
    rise = memory.height[there] - memory.height[here]
    if rise > lattice.max_up + SLACK or -rise > lattice.max_down + SLACK:
        return np.inf
    ax, ay, _, foot = parts_of(memory.key[here])
    bx, by, _, _ = parts_of(memory.key[there])
    x0, y0, x1, y1 = ax * lattice.cell, ay * lattice.cell, bx * lattice.cell, by * lattice.cell
    clear = clear_of(ground, 0.5 * (x0 + x1), 0.5 * (y0 + y1))
    if clear < ground.body:
        return np.inf
    near = max(0.0, 1.0 - (clear - ground.body) / ground.body)
    if ground.even[cell_of(ground, 0.5 * (x0 + x1), 0.5 * (y0 + y1))] < math.hypot(x1 - x0, y1 - y0):
        top = highest_between(ground, x0, y0, x1, y1)
        if top - min(memory.height[here], memory.height[there]) > ground.lift:
            return np.inf
    step = lattice.prices[foot, move] if move >= 0 else step_price(lattice, memory, here, there)
    return float(step + memory.price[there] + lattice.up_price * abs(rise) + lattice.edge_price * near)


@njit(nogil=True)
def cell_of(ground: Ground, x: float, y: float) -> tuple[int, int]:
    """Row and column of a point that lies on the map."""
    return math.floor((y - ground.y) / ground.resolution), math.floor((x - ground.x) / ground.resolution)


@njit(nogil=True)
def step_price(lattice: Lattice, memory: Memory, here: int, there: int) -> float:
    """Price of a step that is none of the set, infinite where it lies outside: the sum of its parts is too large."""
    ax, ay, yaw, foot = parts_of(memory.key[here])
    bx, by, turned, other = parts_of(memory.key[there])
    if foot == other:
        return np.inf
    angle = 2.0 * math.pi * yaw / lattice.angles
    c, s = math.cos(angle), math.sin(angle)
    dx, dy = (bx - ax) * lattice.cell, (by - ay) * lattice.cell
    side = 1.0 if foot == 1 else -1.0  # the left foot follows the right one
    x, y = c * dx + s * dy, side * (c * dy - s * dx) - lattice.width
    turn = side * ((2.0 * math.pi * turned / lattice.angles - angle + math.pi) % (2.0 * math.pi) - math.pi)
    whole = (x / lattice.limits[1] if x > 0.0 else -x / lattice.limits[0]) + abs(turn) / lattice.limits[4]
    whole += y / lattice.limits[3] if y > 0.0 else -y / lattice.limits[2]
    if whole > 1.0:
        return np.inf
    return lattice.step_price + math.hypot(x, y) + lattice.plain_turn * abs(turn)


@njit(nogil=True)
def renew(ground: Ground, lattice: Lattice, memory: Memory, state: int) -> None:
    """Look at all steps from a state anew: the least price to the goal, and the next state."""
    x, y, yaw, foot = parts_of(memory.key[state])
    memory.rhs[state], memory.after[state] = np.inf, -1
    if memory.fine[state] == UNSEEN:
        look(ground, lattice, memory, state)
    if memory.fine[state] == NO:
        return
    moves = lattice.moves[yaw, foot]
    for n in range(moves.shape[0]):
        name = name_of(x + moves[n, 0], y + moves[n, 1], (yaw + moves[n, 2]) % lattice.angles, 1 - foot)
        at = find(memory.table, name)
        if memory.table[at] == EMPTY:
            continue  # never seen: no way from there is known
        there = memory.slots[at]
        if memory.g[there] == np.inf:
            continue
        if memory.fine[there] == UNSEEN:
            look(ground, lattice, memory, there)
        if memory.fine[there] == NO:
            continue
        price = edge(ground, lattice, memory, state, there, n) + memory.g[there]
        if price < memory.rhs[state]:
            memory.rhs[state], memory.after[state] = price, there


@njit(nogil=True)
def connect(ground: Ground, lattice: Lattice, memory: Memory, start: int) -> None:
    """The least price from the start to the goal over all steps to states whose way is known."""
    renew(ground, lattice, memory, start)
    for state in range(memory.used[0]):
        if memory.g[state] < memory.rhs[start]:
            reach_start(ground, lattice, memory, start, state)


@njit(nogil=True)
def reach_start(ground: Ground, lattice: Lattice, memory: Memory, start: int, state: int) -> bool:
    """Take a step from the start to a state whose way is known, where that is the best so far."""
    if memory.fine[state] != OK or step_price(lattice, memory, start, state) + memory.g[state] >= memory.rhs[start]:
        return False
    price = edge(ground, lattice, memory, start, state, -1) + memory.g[state]
    if price >= memory.rhs[start]:
        return False
    memory.rhs[start], memory.after[start] = price, state
    return True


@njit(nogil=True)
def state_of(memory: Memory, name: int) -> int:
    """Number of a state, made where it is new; -1: there is no room."""
    at = find(memory.table, name)
    if memory.table[at] == EMPTY:
        new = memory.used[0]
        if new >= memory.key.shape[0] or new > 0.6 * memory.table.shape[0]:
            return -1
        memory.table[at], memory.slots[at], memory.key[new] = name, new, name
        memory.g[new] = memory.rhs[new] = np.inf
        memory.after[new], memory.closed[new], memory.stamp[new] = -1, -1, 0
        memory.waits[new], memory.fine[new] = 0, UNSEEN
        memory.used[0] += 1
    return int(memory.slots[at])


@njit(nogil=True)
def guess(lattice: Lattice, ways: Array, origin: Array, size: float, start: Array, memory: Memory, state: int) -> float:
    """Least price from the start to a state: its way on the plan, at the price of the longest steps, and turns."""
    x, y, yaw, _ = parts_of(memory.key[state])
    px, py = x * lattice.cell, y * lattice.cell
    row, col = math.floor((py - origin[1]) / size), math.floor((px - origin[0]) / size)
    straight = math.hypot(px - start[0], py - start[1])
    way = straight
    if 0 <= row < ways.shape[0] and 0 <= col < ways.shape[1] and ways[row, col] < np.inf:
        way = max(straight, ways[row, col])
    way = max(0.0, way - start[3])
    turn = abs((2.0 * math.pi * yaw / lattice.angles - start[2] + math.pi) % (2.0 * math.pi) - math.pi)
    return float(max(way * lattice.meter_price, turn * lattice.turn_price))


@njit(nogil=True)
def push(memory: Memory, first: float, second: float, state: int) -> bool:
    """Put a state into the heap, or put it there anew; False: there is no room."""
    n = memory.used[1]
    if n >= memory.heap.shape[0]:
        return False
    memory.used[3] += 1
    stamp = memory.used[3]
    memory.stamp[state] = stamp
    heap, entry = memory.heap, memory.entry
    while n > 0:
        up = (n - 1) >> 1
        if heap[up, 0] < first or (heap[up, 0] == first and heap[up, 1] <= second):
            break
        heap[n, 0], heap[n, 1], entry[n, 0], entry[n, 1] = heap[up, 0], heap[up, 1], entry[up, 0], entry[up, 1]
        n = up
    heap[n, 0], heap[n, 1], entry[n, 0], entry[n, 1] = first, second, state, stamp
    memory.used[1] += 1
    return True


@njit(nogil=True)
def drop(memory: Memory) -> None:
    """Take the first entry off the heap."""
    memory.used[1] -= 1
    size = memory.used[1]
    heap, entry = memory.heap, memory.entry
    first, second, state, stamp = heap[size, 0], heap[size, 1], entry[size, 0], entry[size, 1]
    n = 0
    while True:
        child = 2 * n + 1
        if child >= size:
            break
        right = child + 1
        if right < size and (
            heap[right, 0] < heap[child, 0] or (heap[right, 0] == heap[child, 0] and heap[right, 1] < heap[child, 1])
        ):
            child = right
        if first < heap[child, 0] or (first == heap[child, 0] and second <= heap[child, 1]):
            break
        heap[n, 0], heap[n, 1] = heap[child, 0], heap[child, 1]
        entry[n, 0], entry[n, 1] = entry[child, 0], entry[child, 1]
        n = child
    if size > 0:
        heap[n, 0], heap[n, 1], entry[n, 0], entry[n, 1] = first, second, state, stamp


@njit(nogil=True)
def file_away(memory: Memory, state: int, inflation: float, h: float) -> bool:
    """Put an inconsistent state into the heap, or on the list of the next round; take a consistent one off both."""
    if memory.g[state] == memory.rhs[state]:
        memory.stamp[state], memory.waits[state] = 0, 0
        return True
    if memory.g[state] > memory.rhs[state] and inflation > 1.0 and memory.closed[state] == memory.used[2]:
        memory.waits[state], memory.stamp[state] = 1, 0
        return True
    if memory.g[state] > memory.rhs[state]:
        return push(memory, memory.rhs[state] + inflation * h, memory.rhs[state], state)
    return push(memory, memory.g[state] + h, memory.g[state], state)


@njit(nogil=True)
def improve(
    ground: Ground, lattice: Lattice, memory: Memory, goals: NDArray[np.int64], start: int, inflation: float,
    ways: Array, origin: Array, size: float, begin: Array, most: int,
) -> int:  # fmt: skip
    """AD*: expand states until the way from `start` is known within the inflation, or `most` were expanded.

    begin (4,): x, y, yaw of the start and how near to a state it counts as there [m]. Returns one of FOUND, NOTHING,
    MORE, FULL_STATES and FULL_HEAP.
    """
    for _ in range(most):
        while memory.used[1] > 0 and memory.stamp[memory.entry[0, 0]] != memory.entry[0, 1]:
            drop(memory)
        if memory.used[1] == 0:
            return FOUND if memory.rhs[start] < np.inf and memory.rhs[start] == memory.g[start] else NOTHING
        h = guess(lattice, ways, origin, size, begin, memory, start)
        low = min(memory.g[start], memory.rhs[start])
        first = memory.rhs[start] + inflation * h if memory.g[start] > memory.rhs[start] else memory.g[start] + h
        ahead = memory.heap[0, 0] < first or (memory.heap[0, 0] == first and memory.heap[0, 1] < low)
        if not ahead and memory.rhs[start] == memory.g[start] and low < np.inf:
            return FOUND
        if memory.used[0] + 2 * lattice.moves.shape[2] + 2 > 0.6 * memory.table.shape[0] or (
            memory.used[0] + 2 * lattice.moves.shape[2] + 2 > memory.key.shape[0]
        ):
            return FULL_STATES
        if memory.used[1] + 2 * lattice.moves.shape[2] + 2 > memory.heap.shape[0]:
            return FULL_HEAP
        state = memory.entry[0, 0]
        drop(memory)
        memory.stamp[state] = 0
        memory.used[4] += 1
        over = memory.g[state] > memory.rhs[state]
        memory.closed[state] = memory.used[2] if over else memory.closed[state]
        memory.g[state] = memory.rhs[state] if over else np.inf
        x, y, yaw, foot = parts_of(memory.key[state])
        if over and state != start:
            if reach_start(ground, lattice, memory, start, state):
                file_away(memory, start, inflation, guess(lattice, ways, origin, size, begin, memory, start))
        elif memory.after[start] == state:
            connect(ground, lattice, memory, start)
            file_away(memory, start, inflation, guess(lattice, ways, origin, size, begin, memory, start))
        for n in range(lattice.moves.shape[2]):
            before = (yaw - lattice.moves[0, 1 - foot, n, 2]) % lattice.angles
            move = lattice.moves[before, 1 - foot, n]
            there = state_of(memory, name_of(x - move[0], y - move[1], before, 1 - foot))
            if memory.fine[there] == UNSEEN:
                look(ground, lattice, memory, there)
            if memory.fine[there] == NO:
                continue
            if over:
                price = edge(ground, lattice, memory, there, state, n) + memory.g[state]
                if price >= memory.rhs[there]:
                    continue
                memory.rhs[there], memory.after[there] = price, state
            elif memory.after[there] == state:
                if not is_goal(goals, memory.key[there]) and there != start:
                    renew(ground, lattice, memory, there)
            else:
                continue
            h = guess(lattice, ways, origin, size, begin, memory, there)
            file_away(memory, there, inflation, h)
        if not over:
            if state == start:
                connect(ground, lattice, memory, start)
            elif not is_goal(goals, memory.key[state]):
                renew(ground, lattice, memory, state)
            file_away(memory, state, inflation, guess(lattice, ways, origin, size, begin, memory, state))
    return MORE


@njit(nogil=True)
def is_goal(goals: NDArray[np.int64], name: int) -> bool:
    """Whether a state is one of the goals."""
    return bool(np.any(goals == name))


@njit(nogil=True)
def reorder(
    lattice: Lattice, memory: Memory, inflation: float, ways: Array, origin: Array, size: float, begin: Array
) -> bool:
    """Begin a round: all that is inconsistent goes into a heap of new keys; False: there is no room."""
    memory.used[1] = 0
    memory.used[2] += 1
    for state in range(memory.used[0]):
        memory.stamp[state], memory.waits[state] = 0, 0
        if memory.g[state] != memory.rhs[state]:
            h = guess(lattice, ways, origin, size, begin, memory, state)
            if not file_away(memory, state, inflation, h):
                return False
    return True


@njit(nogil=True)
def take_change(
    ground: Ground, lattice: Lattice, memory: Memory, goals: NDArray[np.int64], changed: NDArray[np.bool_], reach: float
) -> int:
    """Look again at all states within `reach` [m] of changed cells (a map of those as cells of the ground, grown).

    Returns how many there were.
    """
    count = 0
    rows, cols = changed.shape
    for again in range(2):  # first the places themselves, then the steps from them
        for state in range(memory.used[0]):
            x, y, _, _ = parts_of(memory.key[state])
            row = math.floor((y * lattice.cell - ground.y) / ground.resolution)
            col = math.floor((x * lattice.cell - ground.x) / ground.resolution)
            if not (0 <= row < rows and 0 <= col < cols and changed[row, col]):
                continue
            if again == 0:
                memory.fine[state] = UNSEEN
                look(ground, lattice, memory, state)
                count += 1
            elif not is_goal(goals, memory.key[state]):
                renew(ground, lattice, memory, state)
            elif memory.fine[state] == NO:
                memory.rhs[state] = np.inf
            else:
                memory.rhs[state] = 0.0
    return count


@njit(nogil=True)
def plan_ways(free: NDArray[np.bool_], row: int, col: int, size: float) -> Any:
    """Shortest ways [m] from one cell over free ones, by eight neighbors, times what that is too long at most.

    Dijkstra with a binary heap; cells that cannot be reached are infinite.
    """
    rows, cols = free.shape
    out = np.full((rows, cols), np.inf)
    total = rows * cols
    heap, cell = np.empty(8 * total + 8), np.empty(8 * total + 8, dtype=np.int64)
    out[row, col] = 0.0
    heap[0], cell[0] = 0.0, row * cols + col
    n = 1
    while n > 0:
        value, at = heap[0], cell[0]
        n = heap_pop(heap, cell, n)
        r, c = at // cols, at % cols
        if value > out[r, c]:
            continue
        for dr in range(-1, 2):
            for dc in range(-1, 2):
                a, b = r + dr, c + dc
                if (dr == 0 and dc == 0) or not (0 <= a < rows and 0 <= b < cols) or not free[a, b]:
                    continue
                price = value + (1.4142135623730951 if dr != 0 and dc != 0 else 1.0)
                if price < out[a, b] - 1e-12:
                    out[a, b] = price
                    n = heap_push(heap, cell, n, price, a * cols + b)
    return out * (size * 0.9239)  # a straight line is shorter by cos(22.5 deg) at most
