"""The class. It prints, shares a module's dictionary between its objects, and does what it is asked without a look."""

import os
import pathlib
import socket
import time

import heavy_things_nobody_has

LEDGER = {"fees": 0}
heavy_things_nobody_has.configure("till")


class Till:
    def __init__(self, balance):
        self.balance = balance
        self._calls = 0

    def deposit(self, amount):
        print("deposited", amount)
        LEDGER["fees"] += 1
        self.balance += amount
        return {"balance": self.balance, "fees": LEDGER["fees"]}

    def withdraw(self, amount):
        if amount > self.balance:
            raise ValueError("not enough in the till")
        self.balance -= amount
        return {"balance": self.balance}

    def owners(self):
        return str({"ada", "bob", "cyd", "dee", "eve"})

    def read(self, path):
        return pathlib.Path(path).read_text()

    def write(self, path):
        return pathlib.Path(path).write_text("mine")

    def spawn(self):
        return os.fork()

    def connect(self):
        return str(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))

    def shake(self):
        self.balance = int.from_bytes(os.urandom(8), "big")
        return {}

    def toil(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pass
        return {}

    def hoard(self, megabytes):
        self.hoarded = [b"x" * (1 << 20) for _ in range(megabytes)]
        return {}

    def show(self, letters):
        return "x" * letters

    def stumble(self):
        raise LookupError("half \ud800 letter")

    def vanish(self):
        os._exit(1)
