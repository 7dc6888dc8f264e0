"""Files for the verdicts: a name, the bytes, and where a file is longer than its bytes the length (a sparse file)."""

import dataclasses
import os
import pathlib


@dataclasses.dataclass
class Crafted:
    name: str
    data: bytes
    length: int = 0


class Collection:
    """Files under names that each occur once."""

    def __init__(self, suffix):
        self.suffix = suffix
        self.files = []
        self.names = set()

    def add(self, name, data, length=0):
        name += self.suffix
        assert name not in self.names, name
        self.names.add(name)
        self.files.append(Crafted(name, data, length))


def write_files(files, folder):
    for file in files:
        path = pathlib.Path(folder) / file.name
        path.write_bytes(file.data)
        if file.length:
            os.truncate(path, file.length)
