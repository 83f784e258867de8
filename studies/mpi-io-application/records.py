"""Files of Fortran's sequential records, one a process, put together to the numbers of the one file."""

import struct
from array import array
from itertools import product

UNKNOWNS = 5


def contents(data: bytes) -> list[bytes]:
    """Of the records: length, content, length. Raises ValueError where the lengths differ."""
    found, at = [], 0
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at)
        end = at + 4 + length
        if data[end : end + 4] != data[at : at + 4]:
            raise ValueError(f"the record at {at} B ends with another length than it begins with")
        found.append(data[at + 4 : end])
        at = end + 4
    return found


def share(length: int, part: int, parts: int) -> range:
    return range(length * part // parts, length * (part + 1) // parts)


def joined(files: list[bytes], extents: tuple[int, ...], blocks: tuple[int, ...]) -> bytes:
    """``files`` in the order of ranks, which own consecutive blocks, x fastest; five records a block."""
    fields = [record for data in files for record in contents(data)[1:]]
    nx, ny, nz = extents
    whole = array("d", bytes(8 * UNKNOWNS * nx * ny * nz))
    for number, (z, y, x) in enumerate(product(*(range(count) for count in reversed(blocks)))):
        i, j, k = (share(n, at, parts) for n, at, parts in zip(extents, (x, y, z), blocks, strict=True))
        for unknown in range(UNKNOWNS):
            values = array("d", fields[UNKNOWNS * number + unknown])
            for row, (plane, line) in enumerate(product(k, j)):
                begin = ((unknown * nz + plane) * ny + line) * nx + i.start
                whole[begin : begin + len(i)] = values[row * len(i) : (row + 1) * len(i)]
    return whole.tobytes()
