// Read recordings by the package @mcap/core, by their index and as a stream: so many messages of each
// topic as there are knots.
//   node recording.mjs PACKAGES DIR...
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import assert from "node:assert";

const [packages, ...folders] = process.argv.slice(2);
const { McapIndexedReader, McapStreamReader } = createRequire(packages + "/")("@mcap/core");

// bytes in memory, as the reader asks for them
const readable = (bytes) => ({
  size: async () => BigInt(bytes.length),
  read: async (at, size) => bytes.subarray(Number(at), Number(at + size)),
});

const parse = (message) => JSON.parse(new TextDecoder().decode(message.data));

// the topic, time and text of each message, through the index
async function readIndexed(bytes) {
  const reader = await McapIndexedReader.Initialize({ readable: readable(bytes) });
  const found = [];
  for await (const m of reader.readMessages())
    found.push([reader.channelsById.get(m.channelId).topic, m.logTime, parse(m)]);
  assert.equal(BigInt(found.length), reader.statistics.messageCount);
  return found;
}

// the same from the first byte to the last, with all CRCs
function readStream(bytes) {
  const reader = new McapStreamReader({ includeChunks: true, validateCrcs: true });
  const topics = new Map(), found = [];
  reader.append(bytes);
  for (let r; (r = reader.nextRecord()); ) {
    if (r.type === "Channel") topics.set(r.id, r.topic);
    if (r.type === "Message") found.push([topics.get(r.channelId), r.logTime, parse(r)]);
  }
  assert.ok(reader.done());
  return found;
}

for (const folder of folders) {
  const bytes = new Uint8Array(readFileSync(folder + "/motion.mcap"));
  const indexed = await readIndexed(bytes), streamed = readStream(bytes);
  assert.equal(indexed.length, streamed.length);
  const count = (list, topic) => list.filter((m) => m[0] === topic).length;
  for (const topic of new Set(streamed.map((m) => m[0]))) assert.equal(count(indexed, topic), count(streamed, topic));
  assert.ok(count(indexed, "/tf") > 1);
  assert.equal(count(indexed, "/tf"), count(indexed, "/joint_states"));
  assert.equal(count(indexed, "/tf"), count(indexed, "/trajectory"));
}
