"""Read motion.mcap of a result folder by the format's specification, and hold it against the tables.

    recording.py DIR [BODY:X:Y:Z=OUTPUT]

Every record is walked: lengths, CRCs, the offsets of indexes and of the summary, counts, the order of
times. Messages are held against trajectory.csv; with a point of a body, that point through the frames
against an output of outputs.csv.
"""
import csv
import json
import math
import pathlib
import struct
import sys
import zlib

MAGIC = b"\x89MCAP0\r\n"
HEADER, FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, MESSAGE_INDEX, CHUNK_INDEX = range(1, 9)
STATISTICS, METADATA, METADATA_INDEX, SUMMARY_OFFSET, DATA_END = range(0x0b, 0x10)


class Fields:
    """The fields of a record, one after the other."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        part = self.data[self.at:self.at + size]
        assert len(part) == size, "a record ends early"
        self.at += size
        return part

    def number(self, size):
        return int.from_bytes(self.take(size), "little")

    def text(self):
        return self.take(self.number(4)).decode()

    def map(self, key, value):
        end = self.number(4) + self.at
        found = {}
        while self.at < end:
            k = key(self)
            found[k] = value(self)
        assert self.at == end
        return found


def records(data, at=0):
    """(place, opcode, content) of each record."""
    while at < len(data):
        op, size = struct.unpack_from("<BQ", data, at)
        assert at + 9 + size <= len(data), "a record is longer than what is there"
        yield at, op, data[at + 9:at + 9 + size]
        at += 9 + size


class Recording:
    def __init__(self, path):
        self.data = path.read_bytes()
        assert self.data[:8] == MAGIC == self.data[-8:]
        self.schemas, self.channels, self.messages, self.chunks = {}, {}, [], {}
        self.counts, self.metadata = {}, {}
        ops = [self.read_record(*r) for r in self.walk_data()]
        assert ops[0] == HEADER and ops[-1] == DATA_END
        self.check_summary()

    def walk_data(self):
        for at, op, content in records(self.data[:-8], 8):
            yield at, op, content
            if op == DATA_END:
                self.end = at + 9 + len(content)
                return

    def read_record(self, at, op, content):
        f = Fields(content)
        if op == SCHEMA:
            number, name, encoding = f.number(2), f.text(), f.text()
            assert encoding == "jsonschema" and number not in self.schemas
            self.schemas[number] = (name, encoding, json.loads(f.text()))
        elif op == CHANNEL:
            number, schema, topic, encoding = f.number(2), f.number(2), f.text(), f.text()
            assert encoding == "json" and schema in self.schemas and number not in self.channels
            self.channels[number] = (topic, self.schemas[schema])
        elif op == CHUNK:
            self.read_chunk(at, f)
        elif op == MESSAGE_INDEX:
            self.check_index(at, f)
        elif op == METADATA:
            name = f.text()
            self.metadata[name] = (at, len(content) + 9, f.map(Fields.text, Fields.text))
        else:
            assert op in (HEADER, DATA_END), f"opcode {op} in the data"
        return op

    def read_chunk(self, at, f):
        first, last, size, crc, compression, length = (
            f.number(8), f.number(8), f.number(8), f.number(4), f.text(), f.number(8))
        inner = f.take(length)
        assert compression == "" and size == length and f.at == len(f.data)
        assert crc == zlib.crc32(inner) != 0
        self.last_chunk = {}
        times = []
        for place, op, content in records(inner):
            assert op == MESSAGE
            m = Fields(content)
            channel, sequence, log, publish = m.number(2), m.number(4), m.number(8), m.number(8)
            assert channel in self.channels and log == publish
            assert sequence == self.counts.get(channel, 0)
            self.counts[channel] = sequence + 1
            self.messages.append((channel, log, json.loads(content[22:])))
            self.last_chunk.setdefault(channel, []).append((log, place))
            times.append(log)
        assert (first, last) == (min(times), max(times))
        self.chunks[at] = {"span": (first, last), "length": len(f.data) + 9, "size": size, "indexes": {}}

    def check_index(self, at, f):
        channel, end = f.number(2), f.number(4) + f.at
        found = []
        while f.at < end:
            found.append((f.number(8), f.number(8)))
        assert found == self.last_chunk.pop(channel), "an index is of other messages"
        list(self.chunks.values())[-1]["indexes"][channel] = at

    def check_summary(self):
        """The summary says of the data what the data are."""
        footer = self.data[-8 - 29:-8]
        op, size, start, offsets, crc = struct.unpack("<BQQQI", footer)
        assert (op, size, start) == (FOOTER, 20, self.end)
        assert crc == zlib.crc32(self.data[start:-12]) != 0
        groups, again = {}, Recording.__new__(Recording)
        again.schemas, again.channels = {}, {}
        for at, op, content in records(self.data[:offsets], start):
            groups.setdefault(op, []).append((at, len(content) + 9))
            f = Fields(content)
            if op in (SCHEMA, CHANNEL):
                again.read_record(at, op, content)
            elif op == CHUNK_INDEX:
                self.check_chunk_index(f)
            elif op == METADATA_INDEX:
                place, length, name = f.number(8), f.number(8), f.text()
                assert self.metadata[name][:2] == (place, length)
            else:
                assert op == STATISTICS
                self.check_statistics(f)
        assert (again.schemas, again.channels) == (self.schemas, self.channels)
        assert len(groups[CHUNK_INDEX]) == len(self.chunks) and len(groups[METADATA_INDEX]) == len(self.metadata)

        # each group by its offset, without gaps
        for _, op, content in records(self.data[:-8 - 29], offsets):
            f = Fields(content)
            group, at, length = f.number(1), f.number(8), f.number(8)
            places = groups.pop(group)
            assert op == SUMMARY_OFFSET and at == places[0][0]
            assert at + length == places[-1][0] + places[-1][1]
        assert not groups

    def check_chunk_index(self, f):
        span, at, length = (f.number(8), f.number(8)), f.number(8), f.number(8)
        chunk = self.chunks[at]
        indexes = f.map(lambda g: g.number(2), lambda g: g.number(8))
        assert (span, length, indexes) == (chunk["span"], chunk["length"], chunk["indexes"])
        f.number(8)
        assert f.text() == "" and f.number(8) == f.number(8) == chunk["size"]

    def check_statistics(self, f):
        counts = {c: self.counts.get(c, 0) for c in self.channels}
        assert f.number(8) == len(self.messages)
        assert (f.number(2), f.number(4), f.number(4)) == (len(self.schemas), len(self.channels), 0)
        assert (f.number(4), f.number(4)) == (len(self.metadata), len(self.chunks))
        times = [m[1] for m in self.messages]
        assert times == sorted(times), "times go back"
        assert (f.number(8), f.number(8)) == (times[0], times[-1])
        assert f.map(lambda g: g.number(2), lambda g: g.number(8)) == counts

    def topic(self, name):
        return [(t, m) for c, t, m in self.messages if self.channels[c][0] == name]


def fits(schema, value):
    """Whether a value is of the types of a schema; fields that the schema does not know fail."""
    kinds = {"object": dict, "array": list, "number": (int, float), "integer": int, "string": str, "boolean": bool}
    if not isinstance(value, kinds[schema["type"]]):
        return False
    if isinstance(value, list):
        return all(fits(schema["items"], v) for v in value)
    if isinstance(value, dict):
        return all(k not in schema["properties"] or fits(schema["properties"][k], v) for k, v in value.items())
    return True


def turn(q, a):
    """a turned by the quaternion q."""
    w, v = q["w"], [q["x"], q["y"], q["z"]]
    cross = lambda b, c: [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]]
    t = [2 * x for x in cross(v, a)]
    return [x + w * y + z for x, y, z in zip(a, t, cross(v, t))]


def place(frames, body, at):
    """A point of a body in the world."""
    by = {f["child_frame_id"]: f for f in frames["transforms"]}
    while body in by:
        f = by[body]
        p = f["translation"]
        at = [x + y for x, y in zip(turn(f["rotation"], at), (p["x"], p["y"], p["z"]))]
        body = f["parent_frame_id"]
    return at


def inner(o, name):
    """The field of a dotted name."""
    while name:
        if name in o:
            return o[name]
        key, _, name = name.partition(".")
        o = o[key]
    return o


def table(path):
    with open(path, encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


def check_motion(r, folder, begin, joints, frames, point):
    rows = table(folder / "trajectory.csv")
    coords = [c[2:] for c in rows[0] if c.startswith("q.")]
    outputs = table(folder / "outputs.csv") if point else None
    for k, row in enumerate(rows):
        time, message = joints[k]
        assert abs(time - 1e9 * (begin + float(row["t"]))) <= 1.5, (folder, k)
        stamp = message["timestamp"]
        assert stamp["sec"] * 10**9 + stamp["nsec"] == time
        for joint in message["joints"]:
            name = joint["name"]
            assert name in coords and joint["position"] == float(row["q." + name])
            assert joint["velocity"] == float(row["v." + name])
            if row.get("u." + name):
                assert joint["effort"] == float(row["u." + name])
        if point:
            body, *at, output = point.replace("=", ":").split(":")
            found = place(frames[k][1], body, [float(a) for a in at])
            for axis, x in zip("xyz", found):
                y = outputs[k].get(f"y.{output}.{axis}")
                assert y is None or abs(float(y) - x) < 1e-12, (k, axis, y, x)
    return rows


def main(folder, point=None):
    folder = pathlib.Path(folder)
    r = Recording(folder / "motion.mcap")
    for channel, _, message in r.messages:
        assert fits(r.channels[channel][1][2], message), r.channels[channel]

    # phases follow one another on one clock
    result = json.loads((folder / "result.json").read_text())
    phases = result.get("phases", [{"name": ".", "time": 0}])
    joints, frames, at, rows = r.topic("/joint_states"), r.topic("/tf"), 0, 0
    for p in phases:
        part = folder / p["name"]
        motion = check_motion(r, part, at, joints[rows:], frames[rows:], point)
        messages = r.topic("/trajectory")[rows:rows + len(motion)]
        for row, (_, message) in zip(motion, messages):
            assert all(inner(message, c) == float(x) for c, x in row.items() if x)
        rows += len(motion)
        at += p["time"]
    assert rows == len(joints) == len(frames) == len(r.topic("/trajectory")) == len(r.topic("/energy"))
    assert len(r.topic("/scene")) == len(phases)
    assert ("phases" in result) == (len(r.topic("/phase")) == len(phases))

    # every frame that something is shown in is there, and every quaternion has length 1
    known = {f[k] for _, m in frames for f in m["transforms"] for k in ("parent_frame_id", "child_frame_id")}
    shown = [e for t in ("/scene", "/outline") for _, m in r.topic(t) for e in m["entities"]]
    assert shown and all(e["frame_id"] in known for e in shown)
    for _, m in frames[:3]:
        for f in m["transforms"]:
            assert math.isclose(sum(x * x for x in f["rotation"].values()), 1, abs_tol=1e-12)
    assert r.metadata["dmoc"][2]["version"] == result["version"]


if __name__ == "__main__":
    main(*sys.argv[1:])
