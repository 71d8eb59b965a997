import type { TLSSocket } from "node:tls";
import { admin } from "@kubewright/kinds";
import { afterEach, expect, test } from "vitest";

import { createApiServer } from "../server.js";
import { TlsServer } from "./fixtures/tls-server.js";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

/** A server with a ConfigMap, and what it answers to a watch that is to become a WebSocket. */
async function watching(headers: Readonly<Record<string, string>>) {
  const api = createApiServer();
  const create = (name: string) =>
    api.transport()({
      method: "POST",
      path: "/api/v1/namespaces/default/configmaps",
      body: { kind: "object", value: { metadata: { name } } },
    });
  await create("first");
  const server = await TlsServer.start((request) => api.handle(request, { user: admin }));
  open.push(server, api);
  const socket: TLSSocket = await server.connect();
  let received = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
  });
  const lines = Object.entries({
    host: "x",
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    "sec-websocket-version": "13",
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  const path = "/api/v1/namespaces/default/configmaps?watch=1";
  socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  const head = () => received.toString("latin1").split("\r\n\r\n", 1)[0] ?? "";
  return { api, create, socket, head, frames: () => framesIn(received.subarray(head().length + 4)) };
}

/** Texts of frames of less than 64 KiB, as servers send them. */
function framesIn(bytes: Buffer): { readonly opcode: number; readonly text: string }[] {
  const frames = [];
  for (let at = 0; at + 2 <= bytes.length; ) {
    const short = (bytes[at + 1] ?? 0) & 0x7f;
    const start = at + (short === 126 ? 4 : 2);
    const length = short === 126 ? bytes.readUInt16BE(at + 2) : short;
    frames.push({ opcode: (bytes[at] ?? 0) & 15, text: bytes.toString("utf8", start, start + length) });
    at = start + length;
  }
  return frames;
}

const page = { origin: "https://dashboard.example" };

test("watch over WebSocket: every event is a text message", async () => {
  const { create, head, frames } = await watching(page);
  await expect.poll(() => frames().length, { timeout: 10_000 }).toBe(1);
  expect(head()).toMatch(/^HTTP\/1\.1 101 /);
  expect(head()).not.toMatch(/sec-websocket-protocol/i);
  await create("second");
  await expect.poll(() => frames().length, { timeout: 10_000 }).toBe(2);
  expect(frames().map(({ opcode }) => opcode)).toEqual([1, 1]);
  const events = frames().map(({ text }) => JSON.parse(text));
  expect(events.map(({ type, object }) => [type, object.metadata.name])).toEqual([
    ["ADDED", "first"],
    ["ADDED", "second"],
  ]);
});

test("watch over WebSocket: the watch ends with the connection, and the connection with the server", async () => {
  const { api, socket, frames } = await watching(page);
  await expect.poll(() => frames().length, { timeout: 10_000 }).toBe(1);
  const openWatches = async () => {
    const { body } = await api.transport()({ method: "GET", path: "/metrics" });
    return /apiserver_longrunning_requests\{.*configmaps.*\} (\d+)/.exec(
      body.kind === "bytes" ? Buffer.from(body.bytes).toString() : "",
    )?.[1];
  };
  expect(await openWatches()).toBe("1");
  socket.destroy();
  await expect.poll(openWatches, { timeout: 10_000 }).toBeUndefined();
  const second = await watching(page);
  await expect.poll(() => second.frames().length, { timeout: 10_000 }).toBe(1);
  second.api.close();
  await expect.poll(() => second.frames().at(-1)?.opcode, { timeout: 10_000 }).toBe(8);
});

test.each([
  [
    "accepts the one protocol that is offered",
    { ...page, "sec-websocket-protocol": "a" },
    /101 [\s\S]*protocol: a/i,
  ],
  [
    "accepts a bearer token beside a protocol",
    { ...page, "sec-websocket-protocol": "base64url.bearer.authorization.k8s.io.dG9rZW4, b" },
    /101 [\s\S]*protocol: b$/i,
  ],
  ["refuses several protocols", { ...page, "sec-websocket-protocol": "a, b" }, /400 /],
  ["refuses a request without an Origin", {}, /403 /],
])("watch over WebSocket: %s", async (_, headers, answer) => {
  const { head } = await watching(headers);
  await expect.poll(head, { timeout: 10_000 }).toMatch(answer);
});
