"""A client for MICA, from kvs/mica/doc.go alone. As a program it tests it: client.py ADDR SEED"""
import collections
import json
import random
import socket
import struct
import sys

HELLO, WELCOME, REQUEST, ANSWER, ASK, STATS, FAILURE = range(1, 8)
MAGIC = b"dpukv\x00M1"
HEADER = struct.Struct("<IBBHQ")  # bytes, version, kind, count, sequence
OPERATION = struct.Struct("<BBHIQ")  # op, key bytes, value bytes, zero, hash
OUTCOME = struct.Struct("<BBH")  # status, zero, value bytes
OPS = {"get": 1, "set": 2, "add": 3, "delete": 4}
STATUSES = ("ok", "not found", "exists", "full", "too large", "wrong worker")
Outcome = collections.namedtuple("Outcome", "status value", defaults=[None])
K0, K1, K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F
M = (1 << 64) - 1
# How many requests a connection has under way. The server ends a connection that lets too many
# bytes of answers wait.
AHEAD = 3


def rotate(x, n):
    """Rotates the low 64 bits of a number to the right."""
    return ((x & M) >> n | x << (64 - n)) & M


def mix(x):
    """CityHash's ShiftMix."""
    return (x & M) ^ (x & M) >> 47


def join(u, v, mul=0x9DDFEA08EB382D69):
    """CityHash's HashLen16: makes one number of two."""
    return mix((v ^ mix(((u ^ v) & M) * mul)) * mul) * mul & M


def city64(s):
    """CityHash64 of Google's CityHash 1.1, without a seed."""
    n, mul = len(s), K2 + 2 * len(s)

    def at(i, size=8):  # A negative place counts from the end.
        i += n if i < 0 else 0
        return int.from_bytes(s[i:i + size], "little")

    def swap(x):  # Reverses the order of 8 bytes.
        return int.from_bytes((x & M).to_bytes(8, "little"), "big")

    def weak(i, a, b):  # WeakHashLen32WithSeeds
        i += n if i < 0 else 0
        a, d = a + at(i), at(i + 24)
        c = a + at(i + 8) + at(i + 16)
        return c + d & M, rotate(b + a + d, 21) + rotate(c, 44) + a & M

    if n < 4:
        a, b, c = (s[0], s[n >> 1], s[-1]) if n else (0, 0, 0)
        return mix((a + (b << 8)) * K2 ^ (n + (c << 2)) * K0) * K2 & M if n else K2
    if n < 8:
        return join(n + (at(0, 4) << 3), at(-4, 4), mul)
    if n <= 16:
        a, b = at(0) + K2, at(-8)
        return join(rotate(b, 37) * mul + a, (rotate(a, 25) + b) * mul, mul)
    if n <= 32:
        a, b, c, d = at(0) * K1, at(8), at(-8) * mul, at(-16) * K2
        return join(rotate(a + b, 43) + rotate(c, 30) + d, a + rotate(b + K2, 18) + c, mul)
    if n <= 64:
        a, b, c, d = at(0) * K2, at(8), at(-24), at(-32)
        e, f, g, h = at(16) * K2, at(24) * 9, at(-8), at(-16) * mul
        u, v = rotate(a + g, 43) + (rotate(b, 30) + c) * 9, ((a + g & M) ^ d) + f + 1
        w, x = swap((u + v) * mul) + h, rotate(e + f, 42) + c
        y = (swap((v + w) * mul) + g) * mul
        a = swap((x + e + f + c) * mul + y) + b
        return mix((e + f + c + a) * mul + d + h) * mul + x & M
    x, y, z = at(-40), at(-16) + at(-56), join(at(-48) + n, at(-24))
    v, w, x = weak(-64, n, z), weak(-32, y + K1, x), x * K1 + at(0)
    for i in range(0, (n - 1) & ~63, 64):
        x = rotate(x + y + v[0] + at(i + 8), 37) * K1 & M ^ w[1]
        y = rotate(y + v[1] + at(i + 48), 42) * K1 + v[0] + at(i + 40)
        z = rotate(z + w[0], 33) * K1
        v, w = weak(i, v[1] * K1, x + w[0]), weak(i + 32, z + w[1], y + at(i + 16))
        x, z = z, x
    return join(join(v[0], w[0]) + mix(y) * K1 + z, join(v[1], w[1]) + x)


def frame(kind, body=b"", count=0, sequence=0, version=1):
    """Makes one frame."""
    return HEADER.pack(HEADER.size + len(body), version, kind, count, sequence) + body


def encode(op, key, value=b"", hashed=None, zero=0):
    """Makes one operation of a request. It checks nothing, so that tests can send bad ones."""
    head = OPERATION.pack(op, len(key), len(value), zero, hashed or city64(key))
    return head + key + bytes(-len(key) % 8) + value + bytes(-len(value) % 8)


def decode(body, names):
    """Returns the outcomes in an answer to operations of these names."""
    place, outcomes = OUTCOME.size * (len(names) + len(names) % 2), []
    for i, name in enumerate(names):
        status, _, size = OUTCOME.unpack_from(body, OUTCOME.size * i)
        found = name == "get" and status == 0
        outcomes.append(Outcome(STATUSES[status], body[place:place + size] if found else None))
        place += size + -size % 8 if found else 0
    if place != len(body):
        raise ConnectionError(f"the body of an answer has {len(body)} bytes, not {place}")
    return outcomes


class Connection:
    """One connection to one worker."""

    def __init__(self, host, port, hello=True):
        self.socket = socket.create_connection((host, port), 15)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file, self.sent, self.answered = self.socket.makefile("rb"), 0, 0
        self.welcome = json.loads(self.call(HELLO, WELCOME, MAGIC)) if hello else None

    def close(self):
        """Closes the connection."""
        self.file.close()
        self.socket.close()

    def read(self, size):
        """Waits for so many bytes."""
        if len(data := self.file.read(size)) < size:
            raise ConnectionError("the server closed the connection")
        return data

    def receive(self):
        """Waits for a frame. Returns its (kind, count, sequence) and its body."""
        size, _, *rest = HEADER.unpack(self.read(HEADER.size))
        return tuple(rest), self.read(size - HEADER.size)

    def send(self, kind, body=b"", count=0):
        """Sends a frame with the next sequence."""
        self.sent += 1
        self.socket.sendall(frame(kind, body, count, self.sent))

    def expect(self, kind, count=0):
        """Waits for the frame that answers the next frame sent. Returns its body."""
        self.answered += 1
        want = (kind, count, self.answered)
        got, body = self.receive()
        if got != want:
            text = body.decode() if got[0] == FAILURE else f"{got}, not {want}"
            raise ConnectionError("the server answers: " + text)
        return body

    def call(self, kind, expected, body=b"", count=0):
        """Sends one frame. Returns the body of the frame that answers it."""
        self.send(kind, body, count)
        return self.expect(expected, count)


class Client:
    """A connection to every worker of a server. It is for one thread at a time."""

    def __init__(self, host, port):
        first = Connection(host, port)
        self.facts, ports = first.welcome["facts"], first.welcome["ports"]
        first.close()
        if self.facts["hash"] != "city64":
            raise ValueError(f"the server's hash is {self.facts['hash']}, this client has city64")
        self.connections = [Connection(host, p) for p in ports]
        self.get = lambda key: self.run([("get", key)])[0]
        self.set = lambda key, value: self.run([("set", key, value)])[0]
        self.add = lambda key, value: self.run([("add", key, value)])[0]
        self.delete = lambda key: self.run([("delete", key)])[0]

    def close(self):
        """Closes all connections."""
        for connection in self.connections:
            connection.close()

    def worker(self, hashed):
        """Tells which worker owns the keys with this hash."""
        partitions, workers = self.facts["partitions"], self.facts["workers"]
        return ((hashed >> 48) * partitions >> 16) // (partitions // workers)

    def stats(self):
        """Returns the counters, which are the same whoever is asked."""
        return json.loads(self.connections[0].call(ASK, STATS))

    def run(self, operations):
        """Does operations, such as ("get", key) and ("set", key, value).

        Returns an outcome for each. Operations on one key are done in order.
        After an exception of the network nothing but close works.
        """
        batches = [[] for _ in self.connections]  # for each worker: [places, parts, room]
        for i, (name, key, *value) in enumerate(operations):
            value = value[0] if value else b""
            if not 1 <= len(key) <= 255 or len(value) > (65535 if name in ("set", "add") else 0):
                raise ValueError(f"{name}: a key of {len(key)} bytes, a value of {len(value)}")
            part = encode(OPS[name], key, value, hashed := city64(key))
            # An answer of only the largest values fits, so no status is ever "too large".
            need = max(len(part), 65536 + OUTCOME.size if name == "get" else 0)
            mine = batches[self.worker(hashed)]
            if not mine or len(mine[-1][0]) == self.facts["max_batch"] or mine[-1][2] < need:
                mine.append([[], [], self.facts["max_frame_bytes"] - HEADER.size - 8])
            mine[-1][0].append(i)
            mine[-1][1].append(part)
            mine[-1][2] -= need
        outcomes = [None] * len(operations)
        for step in range(max(map(len, batches)) + AHEAD - 1):
            for connection, mine in zip(self.connections, batches):
                if step < len(mine):
                    connection.send(REQUEST, b"".join(mine[step][1]), len(mine[step][0]))
            for connection, mine in zip(self.connections, batches):
                if 0 <= step - AHEAD + 1 < len(mine):
                    places = mine[step - AHEAD + 1][0]
                    body = connection.expect(ANSWER, len(places))
                    for i, outcome in zip(places, decode(body, [operations[i][0] for i in places])):
                        outcomes[i] = outcome
        return outcomes


def same(what, got, want):
    """Ends the program with status 1 if two things differ."""
    if got != want:
        sys.exit(f"{what}: got {str(got)[:300]}, want {str(want)[:300]}")


def test_random(client, rng, total):
    """Compares random operations with a dict. Returns the keys that it used."""
    keys = [rng.randbytes(rng.choice((1, 8, 16, 255, rng.randint(1, 255)))) for _ in range(300)]
    client.run([("delete", key) for key in keys])
    model, done = {}, 0
    while done < total:
        operations, want = [], []
        for _ in range(min(total - done, rng.choice((1, 10, 100, 1000)))):
            name, key = rng.choice(list(OPS)), rng.choice(keys)
            value = rng.randbytes(rng.choice((0, 1, 8, rng.randint(0, 100), rng.randint(0, 100),
                                              rng.randint(0, 65535), 65535)))
            there, writes = key in model, name in ("set", "add")
            operations.append((name, key, value) if writes else (name, key))
            want.append(Outcome("exists" if name == "add" and there else
                                "ok" if there or writes else "not found",
                                model.get(key) if name == "get" else None))
            if name == "set" or name == "add" and not there:
                model[key] = value
            if name == "delete":
                model.pop(key, None)
        for operation, got, wanted in zip(operations, client.run(operations), want):
            same(f"{operation[0]} of {operation[1].hex()}", got, wanted)
        done += len(operations)
    return keys


def test_workers(client, keys):
    """Sends all operations on some keys to all workers. Returns how many were refused."""
    refused = 0
    body = [encode(n, key, b"v" * (n in (2, 3))) for key in keys for n in OPS.values()]
    for i, connection in enumerate(client.connections):
        answer = connection.call(REQUEST, ANSWER, b"".join(body), len(body))
        got = [o.status == "wrong worker" for o in decode(answer, list(OPS) * len(keys))]
        want = []
        for key in keys:  # In access "crew" all workers answer a GET.
            other = i != client.worker(city64(key))
            want += [other and client.facts["access"] == "erew", other, other, other]
        same(f"operations that worker {i} refuses", got, want)
        refused += sum(got)
    return refused


def test_bad_frames(client, host, port):
    """Sends bad frames, each on a connection of its own. Returns how many."""
    get, hello = encode(1, b"k"), frame(HELLO, MAGIC)
    bodies = {"op 0": encode(0, b"k"), "op 5": encode(5, b"k"), "no key": encode(1, b""),
              "GET with a value": encode(1, b"k", b"v"), "zero": encode(1, b"k", zero=1),
              "DELETE with a value": encode(4, b"k", b"v"), "a longer frame": get + b"1234"}
    bad = {what: frame(REQUEST, body, 1) for what, body in bodies.items()} | {
        "version 2": frame(REQUEST, get, 1, version=2), "kind 9": frame(9), "kind 4": frame(4),
        "15 bytes": HEADER.pack(15, 1, REQUEST, 0, 0),
        "8 MiB and 1": HEADER.pack((1 << 23) + 1, 1, REQUEST, 0, 0),
        "count too large": frame(REQUEST, get, 2), "count too small": frame(REQUEST, get, 0),
        "4,097 operations": frame(REQUEST, get * 4097, 4097), "second hello": frame(HELLO, MAGIC),
        "ask with a body": frame(ASK, b"12345678")}
    first = {"request before the hello": frame(REQUEST, get, 1), "ask before": frame(ASK),
             "magic": frame(HELLO, MAGIC[::-1]), "long hello": frame(HELLO, MAGIC + MAGIC),
             "short hello": frame(HELLO), "hello of version 2": frame(HELLO, MAGIC, version=2)}
    client.set(b"alive", b"yes")
    for what, data in (bad | first).items():
        connection = Connection(host, port, hello=what in bad)
        connection.socket.sendall(data)
        same(what, connection.receive()[0], (FAILURE, 0, 0))
        try:
            same(what + ", after the failure", connection.file.read(1), b"")
        except ConnectionResetError:
            pass
        connection.close()
        same("another connection after " + what, client.get(b"alive"), Outcome("ok", b"yes"))
    return len(bad | first)


def main(address, seed):
    """Does all tests and prints a line."""
    for text, want in (("", "9ae16a3b2f90404f"), ("12345678", "2f99d2664a0fb6ea"),
                       ("0123456789abcdef", "54b961e5dc834067"),
                       ("The quick brown fox jumps over the lazy dog", "c268724928feca7d"),
                       ("0123456789" * 7, "e81ab32abd5d8138")):
        same(f"the hash of {text!r}", f"{city64(text.encode()):016x}", want)
    host, port = address.rsplit(":", 1)
    client = Client(host, int(port))
    keys = test_random(client, random.Random(int(seed)), 5000)
    refused = test_workers(client, keys[:50])
    bad = test_bad_frames(client, host, int(port))
    same("workers in the counters", len(client.stats()["workers"]), client.facts["workers"])
    client.close()
    print(f"ok: 5 hashes, 5,000 operations, {refused} for the wrong worker, {bad} bad frames")


if __name__ == "__main__":
    main(*sys.argv[1:])
