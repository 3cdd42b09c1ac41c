"""A text as a QR code (ISO/IEC 18004): bytes with correction of level M, in the smallest of the versions 1 to 20 that holds it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, groupby, pairwise, product, zip_longest

from envscaler_mcp.errors import WorldError

_CORRECTION = (10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26)
"""By version, the bytes that correct each block, at level M."""
_BLOCKS = (1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16)
"""By version, how many blocks there are, at level M."""
_BYTES = 0b0100
_PADDING = (0xEC, 0x11)
_Mask = Callable[[int, int], bool]
_MASKS: tuple[_Mask, ...] = (
    lambda x, y: (x + y) % 2 == 0,
    lambda _, y: y % 2 == 0,
    lambda x, _: x % 3 == 0,
    lambda x, y: (x + y) % 3 == 0,
    lambda x, y: (y // 2 + x // 3) % 2 == 0,
    lambda x, y: x * y % 2 + x * y % 3 == 0,
    lambda x, y: (x * y % 2 + x * y % 3) % 2 == 0,
    lambda x, y: ((x + y) % 2 + x * y % 3) % 2 == 0,
)


def qr_code(text: str) -> tuple[str, ...]:
    """Its rows from the top, `1` for dark; WorldError where the text is too long. Draw a margin of four light modules around it."""
    data = text.encode()
    for version in range(1, len(_BLOCKS) + 1):
        grid = _Grid(version)
        room = grid.free // 8 - _CORRECTION[version - 1] * _BLOCKS[version - 1]
        long_count = version >= 10
        if len(data) + 2 + long_count <= room:
            grid.write(_corrected(_stream(data, room, 16 if long_count else 8), version))
            return min((grid.masked(mask) for mask in range(len(_MASKS))), key=_penalty)
    raise WorldError(f"A QR code of {len(data)} bytes would be too dense to be read.")


def _stream(data: bytes, room: int, count_bits: int) -> bytes:
    """The data with what stands before and behind it, exactly as long as there is room."""
    bits = f"{_BYTES:04b}{len(data):0{count_bits}b}" + "".join(f"{byte:08b}" for byte in data)
    bits += "0" * min(4, room * 8 - len(bits))
    bits += "0" * (-len(bits) % 8)
    stream = [int(bits[place : place + 8], 2) for place in range(0, len(bits), 8)]
    return bytes(stream + [_PADDING[place % 2] for place in range(room - len(stream))])


def _corrected(data: bytes, version: int) -> bytes:
    """The data in blocks, each followed by what corrects it, byte by byte in turn."""
    count, length = _BLOCKS[version - 1], _CORRECTION[version - 1]
    short, longer = divmod(len(data), count)
    blocks: list[bytes] = []
    start = 0
    for number in range(count):
        end = start + short + (number >= count - longer)
        blocks.append(data[start:end])
        start = end
    divisor = _divisor(length)
    checks = [_remainder(block, divisor) for block in blocks]
    return bytes(
        byte for turn in chain(zip_longest(*blocks), zip(*checks, strict=True)) for byte in turn if byte is not None
    )


def _times(left: int, right: int) -> int:
    """The product of two numbers of the field with 256 elements."""
    result = 0
    while right:
        if right & 1:
            result ^= left
        left <<= 1
        if left & 0x100:
            left ^= 0x11D
        right >>= 1
    return result


def _divisor(degree: int) -> list[int]:
    """The coefficients of (x - 1)(x - 2)(x - 4)…, without the first, which is 1."""
    made = [1]
    root = 1
    for _ in range(degree):
        shifted, scaled = [*made, 0], [0, *(_times(coefficient, root) for coefficient in made)]
        made = [left ^ right for left, right in zip(shifted, scaled, strict=True)]
        root = _times(root, 2)
    return made[1:]


def _remainder(data: bytes, divisor: Sequence[int]) -> bytes:
    rest = [0] * len(divisor)
    for byte in data:
        factor = byte ^ rest.pop(0)
        rest.append(0)
        rest = [old ^ _times(coefficient, factor) for old, coefficient in zip(rest, divisor, strict=True)]
    return bytes(rest)


def _with_check(number: int, bits: int, divisor: int) -> int:
    """A number followed by so many bits, so that all together divide."""
    rest = number << bits
    top = 1 << (rest.bit_length())
    while top >= 1 << bits:
        if rest & top:
            rest ^= divisor * (top >> bits)
        top >>= 1
    return number << bits | rest


class _Grid:
    """The modules of one version: the patterns that readers look for, and the places that are left for data."""

    def __init__(self, version: int) -> None:
        self.size = 17 + 4 * version
        self._fixed: dict[tuple[int, int], bool] = {}
        self._data: dict[tuple[int, int], bool] = {}
        for place in range(self.size):
            self._fixed[place, 6] = self._fixed[6, place] = place % 2 == 0
        for x, y in ((3, 3), (self.size - 4, 3), (3, self.size - 4)):
            self._square(x, y, 4, light=(2, 4))
        for x, y in self._alignments(version):
            self._square(x, y, 2, light=(1,))
        self._format(0)
        if version >= 7:
            self._version(version)
        self.free = self.size**2 - len(self._fixed)

    def _square(self, x: int, y: int, reach: int, light: Sequence[int]) -> None:
        for right, down in product(range(-reach, reach + 1), repeat=2):
            if 0 <= x + right < self.size and 0 <= y + down < self.size:
                self._fixed[x + right, y + down] = max(abs(right), abs(down)) not in light

    def _alignments(self, version: int) -> Iterator[tuple[int, int]]:
        if version == 1:
            return
        many = version // 7 + 2
        step = -(-(4 * version + 4) // (2 * many - 2)) * 2
        last = self.size - 7
        places = [6, *(last - step * number for number in reversed(range(many - 1)))]
        corners = {(6, 6), (6, last), (last, 6)}
        yield from ((x, y) for x, y in product(places, places) if (x, y) not in corners)

    def _format(self, mask: int) -> None:
        """The level (M is 00) and the mask, beside two of the corners."""
        bits = _with_check(mask, 10, 0x537) ^ 0x5412
        once = [*((8, y) for y in (0, 1, 2, 3, 4, 5, 7, 8)), *((x, 8) for x in (7, 5, 4, 3, 2, 1, 0))]
        last = self.size - 1
        again = [*((last - place, 8) for place in range(8)), *((8, last - 6 + place) for place in range(7))]
        for places in (once, again):
            for number, place in enumerate(places):
                self._fixed[place] = bool(bits >> number & 1)
        self._fixed[8, last - 7] = True

    def _version(self, version: int) -> None:
        bits = _with_check(version, 12, 0x1F25)
        for number in range(18):
            far, near = self.size - 11 + number % 3, number // 3
            self._fixed[far, near] = self._fixed[near, far] = bool(bits >> number & 1)

    def _way(self) -> Iterator[tuple[int, int]]:
        """The free places as data goes through them: in pairs of columns from the right, up and down in turn."""
        upwards = True
        for right in (*range(self.size - 1, 6, -2), 5, 3, 1):
            rows = reversed(range(self.size)) if upwards else range(self.size)
            upwards = not upwards
            yield from ((x, y) for y in rows for x in (right, right - 1) if (x, y) not in self._fixed)

    def write(self, data: bytes) -> None:
        """Put the data in; what is left over is light."""
        bits = chain.from_iterable((byte >> shift & 1 for shift in range(7, -1, -1)) for byte in data)
        self._data = {place: bool(next(bits, 0)) for place in self._way()}

    def masked(self, mask: int) -> tuple[str, ...]:
        """The rows with this mask."""
        self._format(mask)
        inverts = _MASKS[mask]
        dark = {**self._fixed, **{(x, y): bit != inverts(x, y) for (x, y), bit in self._data.items()}}
        return tuple("".join("01"[dark[x, y]] for x in range(self.size)) for y in range(self.size))


def _penalty(rows: Sequence[str]) -> int:
    """How hard it is to read: long runs, blocks, what looks like a corner, and too much of one colour."""
    columns = ["".join(column) for column in zip(*rows, strict=True)]
    total = 0
    for line in (*rows, *columns):
        total += sum(length - 2 for length in (len(list(run)) for _, run in groupby(line)) if length >= 5)
        total += 40 * sum(line[place : place + 11] in ("10111010000", "00001011101") for place in range(len(line) - 10))
    for upper, lower in pairwise(rows):
        pairs = zip(upper, upper[1:], lower, lower[1:], strict=False)
        total += 3 * sum(len(set(block)) == 1 for block in pairs)
    dark, area = sum(row.count("1") for row in rows), len(rows) ** 2
    return total + 10 * (abs(20 * dark - 10 * area) // area)
