// Clients that take their time, or leave in the middle.
import { once } from "node:events";
import { afterEach, describe, expect, test, vi } from "vitest";
import { memoryInUse } from "./memory.js";
import { readAll, requestText, Wire } from "./target.js";

const maps = "/api/v1/namespaces/default/configmaps";
const megabyte = 1024 * 1024;

let wire: Wire;
afterEach(async () => {
  expect(await wire.target.uncaught()).toEqual([]);
  await wire.close();
});

const put = (name: string, text: string) =>
  wire.target.send({
    method: "PATCH",
    path: `${maps}/${name}`,
    type: "application/apply-patch+yaml",
    query: "fieldManager=m&force=true",
    object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { text } },
  });

/** Resolves to all a connection received until it closed. */
async function untilClosed(socket: Awaited<ReturnType<Wire["connect"]>>): Promise<string> {
  let received = "";
  socket.setEncoding("latin1").on("data", (chunk) => (received += chunk));
  await once(socket, "close");
  return received;
}

describe("requests that come slowly", () => {
  test.each([
    ["no byte at all", ""],
    ["half a first line", "GET /api"],
    ["headers that never end", "GET / HTTP/1.1\r\nhost: x\r\n"],
    ["a body that never ends", `POST ${maps} HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{`],
    [
      "chunks that never end",
      `POST ${maps} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n`,
    ],
  ])("are given up: %s", async (_, text) => {
    wire = await Wire.start({ headers: 150, request: 300, idle: 300 });
    const socket = await wire.connect();
    if (text !== "") socket.write(text);
    // Another byte now and then does not help.
    const drip = setInterval(() => socket.write(text === "" ? "" : "x"), 50);
    await untilClosed(socket);
    clearInterval(drip);
    expect((await wire.call("/version")).status).toBe(200);
  });

  test("do not keep others waiting", async () => {
    wire = await Wire.start();
    for (let index = 0; index < 50; index++) {
      const socket = await wire.connect();
      socket.write(`POST ${maps} HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000\r\n\r\n{`);
    }
    expect((await wire.call("/version")).status).toBe(200);
  });
});

describe("clients that close their half of the connection", () => {
  test("get the answer they asked for", async () => {
    wire = await Wire.start();
    const socket = await wire.connect();
    socket.write(requestText("/version"));
    const received = untilClosed(socket);
    socket.end();
    expect(await received).toMatch(/^HTTP\/1.1 200 .*gitVersion/s);
  });

  test("end their watch", async () => {
    wire = await Wire.start();
    const socket = await wire.connect();
    socket.write(requestText(`${maps}?watch=1`));
    await vi.waitUntil(() => openWatches().then((count) => count === 1));
    socket.end();
    await vi.waitUntil(() => openWatches().then((count) => count === 0));
  });

  test("leave no trace when they vanish in the middle of a body", async () => {
    wire = await Wire.start();
    const socket = await wire.connect();
    socket.write(`POST ${maps} HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n{`);
    socket.destroy();
    expect((await wire.call("/version")).status).toBe(200);
  });
});

async function openWatches(): Promise<number> {
  const { body } = await wire.target.send({ method: "GET", path: "/metrics" });
  const text = body.kind === "bytes" ? Buffer.from(body.bytes).toString() : "";
  const counts = text.matchAll(/^apiserver_longrunning_requests\{.*resource="configmaps".*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

async function terminatedWatches(): Promise<number> {
  const { body } = await wire.target.send({ method: "GET", path: "/metrics" });
  const text = body.kind === "bytes" ? Buffer.from(body.bytes).toString() : "";
  return Number(/^apiserver_terminated_watchers_total\{.*\} (\d+)$/m.exec(text)?.[1] ?? 0);
}

describe("a client that stops reading", () => {
  test("its watch is dropped, memory stays bounded, others miss nothing, and it can go on from where it was", async () => {
    wire = await Wire.start();
    await put("a", "first");
    const slow = await wire.open(`${maps}?watch=1`);
    slow.pause();
    const quick = await wire.open(`${maps}?watch=1&fieldSelector=metadata.name%3Da`);
    let seen = 0;
    quick.setEncoding("utf8").on("data", (chunk: string) => (seen += chunk.split("\n").length - 1));
    const before = await memoryInUse();
    const updates = 600;
    for (let index = 1; index <= updates; index++) {
      await put("a", `${index} ${"x".repeat(100_000)}`);
      // Sockets have their turn, as when clients write over the wire.
      await new Promise((resolve) => setImmediate(resolve));
    }
    await vi.waitUntil(() => seen === updates + 1, { timeout: 10_000 });
    expect(await terminatedWatches()).toBe(1);
    // Sixty megabytes were sent its way; what history keeps of them is half of that.
    expect((await memoryInUse()) - before).toBeLessThan(50 * megabyte);
    const lines = (await readAll(slow)).toString().trimEnd().split("\n");
    expect(slow.complete).toBe(true);
    expect(lines.length).toBeLessThan(updates);
    const last = JSON.parse(lines.at(-1) ?? "{}");
    const again = await wire.open(
      `${maps}?watch=1&timeoutSeconds=1&resourceVersion=${last.object.metadata.resourceVersion}`,
    );
    const next = JSON.parse((await readAll(again)).toString().split("\n")[0] ?? "{}");
    expect(next.type === "ERROR" ? next.object.code : next.type).toBeOneOf([410, "MODIFIED"]);
  });

  test("of a long list costs little, and is cut off in the end", async () => {
    wire = await Wire.start({ stalled: 300 });
    for (let index = 0; index < 300; index++) await put(`m${index}`, `${index} ${"x".repeat(100_000)}`);
    const before = await memoryInUse();
    const answers = await Promise.all(Array.from({ length: 20 }, () => wire.open(maps)));
    for (const answer of answers) answer.pause();
    await new Promise((resolve) => setTimeout(resolve, 200));
    // Twenty times thirty megabytes are asked for.
    expect((await memoryInUse()) - before).toBeLessThan(60 * megabyte);
    await expect.poll(() => wire.connections(), { timeout: 5000 }).toBe(0);
    for (const answer of answers) await expect(readAll(answer)).rejects.toThrow("aborted");
  });
});

describe("storms", () => {
  test("of large updates leave bounded history, and say from where on they are known", async () => {
    wire = await Wire.start();
    const first = await wire.target.must({ method: "POST", path: maps, object: { metadata: { name: "a" } } });
    const before = await memoryInUse();
    for (let index = 0; index < 200; index++) await put("a", `${index} ${"x".repeat(800_000)}`);
    expect((await memoryInUse()) - before).toBeLessThan(60 * megabyte);
    const { resourceVersion } = first["metadata"] as { resourceVersion: string };
    const answer = await wire.call(`${maps}?watch=1&resourceVersion=${resourceVersion}`);
    expect(JSON.parse(answer.text)).toMatchObject({
      type: "ERROR",
      object: { code: 410, reason: "Expired" },
    });
    const old = await wire.call(`${maps}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
    expect(old.status).toBe(410);
  });
});
