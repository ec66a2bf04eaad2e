"""A seeded random order of 0 .. n-1 in constant memory: the k-th number is computed, not stored.

A balanced Feistel network permutes the 2h-bit numbers, 4^h >= n; numbers that fall outside are sent through it again
until they come back inside (cycle walking), which keeps it a bijection. Luby and Rackoff 1988; Black and Rogaway 2002.
"""

from __future__ import annotations

from andante.errors import BadInput

ROUNDS = 6
MASK64 = (1 << 64) - 1


def mix64(x: int) -> int:
    """A 64-bit number scrambled so that every input bit changes half of the output bits (splitmix64, Steele 2014)."""
    x = (x + 0x9E3779B97F4A7C15) & MASK64
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK64
    return x ^ (x >> 31)


def derived_seed(seed: int, *numbers: int) -> int:
    """A seed in 0 .. 2^31-1 of its own for every sequence of numbers."""
    state = mix64(seed & MASK64)
    for number in numbers:
        state = mix64(state ^ (number & MASK64))
    return state >> 33


class Permutation:
    """A random order of 0 .. size-1; `permutation[k]` is the k-th number of it."""

    def __init__(self, size: int, seed: int) -> None:
        if size < 1:
            raise BadInput(f"an order needs at least one number, got {size}")
        self.size = size
        self._half = max(1, ((size - 1).bit_length() + 1) // 2)
        self._mask = (1 << self._half) - 1
        self._keys = tuple(mix64(mix64(seed & MASK64) ^ (round_ + 1)) for round_ in range(ROUNDS))

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, k: int) -> int:
        if not 0 <= k < self.size:
            raise IndexError(f"the order has {self.size} numbers, asked for number {k}")
        at = self._through(k)
        while at >= self.size:
            at = self._through(at)
        return at

    def _through(self, x: int) -> int:
        left, right = x >> self._half, x & self._mask
        for key in self._keys:
            left, right = right, left ^ (mix64(right ^ key) & self._mask)
        return (left << self._half) | right
