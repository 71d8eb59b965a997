import { once } from "node:events";
import { gunzipSync } from "node:zlib";
import type { TransportRequest, TransportResponse, WatchEvent } from "@kubewright/api";
import { afterEach, describe, expect, test } from "vitest";
import { readAll, TlsServer } from "./fixtures/tls-server.js";

/** Busy machines take their time. */
const patient = { timeout: 10_000 };

const servers: TlsServer[] = [];

async function start(...[handle, timeouts]: Parameters<typeof TlsServer.start>): Promise<TlsServer> {
  const server = await TlsServer.start(handle, timeouts);
  servers.push(server);
  return server;
}

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const json = (value: unknown, status = 200): TransportResponse => ({
  status,
  headers: { "content-type": "application/json" },
  body: { kind: "object", value },
});
const items = Array.from({ length: 20_000 }, (_, index) => ({ index, text: "x".repeat(200) }));
const list = { kind: "List", metadata: { resourceVersion: "1" }, items };
const wide = {
  spec: { free: Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`key-${index}`, index])) },
};

describe("HTTP requests", () => {
  test("arrive as they were sent", async () => {
    const seen: TransportRequest[] = [];
    const server = await start(async (request) => {
      seen.push(request);
      return json({});
    });
    const headers = { "content-type": "application/json", "x-a": "1" };
    await server.call("/api/v1/../a%2Fb?x=1&x=2&y=%20", { method: "POST", headers, body: "{}" });
    expect(seen[0]).toMatchObject({ method: "POST", path: "/api/v1/../a%2Fb" });
    expect(seen[0]?.query?.getAll("x")).toEqual(["1", "2"]);
    expect(seen[0]?.query?.get("y")).toBe(" ");
    expect(seen[0]?.headers).toMatchObject(headers);
    expect(seen[0]?.body).toEqual({ kind: "bytes", bytes: Buffer.from("{}") });
    await server.call("/");
    expect(seen[1]).toMatchObject({ method: "GET", path: "/", body: undefined });
  });

  test.each([
    ["GET /a%zz HTTP/1.1", 400],
    ["GET a HTTP/1.1", 400],
    ["GET /%", 400],
    ["TRACE /api HTTP/1.1", 405],
    ["PROPFIND /api HTTP/1.1", 405],
    ["GET http://x/ok HTTP/1.1", 200],
    ["GET //ok HTTP/1.1", 200],
  ])("with a first line like %j get status %i", async (line, status) => {
    const server = await start(async () => json({}));
    const socket = await server.connect();
    socket.write(`${line.includes("HTTP") ? line : `${line} HTTP/1.1`}\r\nhost: x\r\n\r\n`);
    const [answer] = await once(socket, "data");
    expect(String(answer)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  test("are aborted when the client disconnects, also before their response", async () => {
    let signal: AbortSignal | undefined;
    const server = await start((request) => {
      signal = request.signal;
      return new Promise(() => undefined);
    });
    const socket = await server.connect();
    socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
    await expect.poll(() => signal?.aborted, patient).toBe(false);
    socket.destroy();
    await expect.poll(() => signal?.aborted, patient).toBe(true);
  });

  test("with a body that is too large are refused before its end, and the response arrives", async () => {
    const server = await start(async ({ body }) =>
      json({ length: body?.kind === "bytes" ? body.bytes.length : 0 }, 413),
    );
    const answer = await server.call("/", { method: "POST", body: Buffer.alloc(20 * 1024 * 1024) });
    expect(answer.status).toBe(413);
    expect(answer.headers.connection).toBe("close");
    const { length } = JSON.parse(String(answer.body));
    expect(length).toBeGreaterThan(3 * 1024 * 1024);
    expect(length).toBeLessThan(4 * 1024 * 1024);
  });

  test("that do not come to an end time out", async () => {
    const server = await start(async () => json({}), { headers: 100, request: 200 });
    for (const sent of [
      "GET / HTTP/1.1\r\nhost:",
      "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n{",
    ]) {
      const socket = await server.connect();
      socket.resume().write(sent);
      await once(socket, "close");
    }
  });
});

describe("HTTP responses", () => {
  test.each([
    ["small", { a: "ä" }, undefined],
    ["long", list, undefined],
    ["long and compressed", list, "gzip"],
  ])("that are %s report how many bytes they took", async (_what, value, encoding) => {
    const sizes: number[] = [];
    const server = await start(async () => ({ ...json(value), onSent: (bytes) => void sizes.push(bytes) }));
    const headers = encoding ? { "accept-encoding": encoding } : {};
    const { body } = await server.call("/", { headers });
    await expect.poll(() => sizes, patient).toEqual([body.length]);
  });

  test("that are small are sent whole", async () => {
    const server = await start(async () => json({ text: "ü" }, 201));
    const { status, headers, body } = await server.call("/");
    expect(status).toBe(201);
    expect(headers["content-length"]).toBe("14");
    expect(String(body)).toBe('{"text":"ü"}\n');
  });

  test("keep text beyond ASCII in headers and body", async () => {
    const warning = ['299 - "größe 個"'];
    const server = await start(async () => ({ ...json({ text: "größe 個" }), headers: { warning } }));
    const { headers, body } = await server.call("/");
    expect(Buffer.from(headers["warning"] ?? "", "latin1").toString()).toBe(warning[0]);
    expect(String(body)).toBe('{"text":"größe 個"}\n');
  });

  test.each([
    ["lists come in pieces", "", list, undefined, "chunked"],
    ["lists come in pieces", "gzip", list, "gzip", "chunked"],
    ["lists come in pieces", "deflate", list, undefined, "chunked"],
    ["objects come whole", "", wide, undefined, undefined],
    ["objects come whole", "gzip", wide, "gzip", undefined],
  ])("that are long: %s (accepting %j)", async (_what, accepted, value, encoding, transfer) => {
    const server = await start(async () => json(value));
    const { headers, body } = await server.call("/", { headers: { "accept-encoding": accepted } });
    expect(headers["content-encoding"]).toBe(encoding);
    expect(headers["transfer-encoding"]).toBe(transfer);
    const text = encoding ? gunzipSync(body) : body;
    expect(String(text) === `${JSON.stringify(value)}\n`).toBe(true);
  });

  test("to HEAD have the length and no body", async () => {
    const server = await start(async () => json(list));
    const { headers, body } = await server.call("/", { method: "HEAD" });
    expect(Number(headers["content-length"])).toBe(JSON.stringify(list).length + 1);
    expect(body).toHaveLength(0);
  });

  test("do not wait for another client that reads slowly", async () => {
    const server = await start(async ({ path }) => json(path === "/list" ? list : { ok: true }));
    const slow = await server.open("/list");
    slow.pause();
    for (let round = 0; round < 10; round++) expect((await server.call("/")).status).toBe(200);
    expect((await readAll(slow)).length).toBe(JSON.stringify(list).length + 1);
  });

  test.each([
    ["a list", {}, {}],
    ["a compressed list", {}, { "accept-encoding": "gzip" }],
    ["a stream", { stream: true }, {}],
    ["a watch", { watch: true }, {}],
  ])("are aborted when nobody reads %s", async (_, { stream, watch }: Kinds, headers) => {
    let returned = false;
    async function* forever<T>(value: T): AsyncIterable<T> {
      try {
        while (true) yield value;
      } finally {
        returned = true;
      }
    }
    const event: WatchEvent<unknown> = { type: "ADDED", object: { text: "x".repeat(10_000) } };
    const endless = Array.from({ length: 200_000 }, (_, index) => ({ index, noise: Math.random() }));
    let signal: AbortSignal | undefined;
    const server = await start(
      async (request) => {
        signal = request.signal;
        if (stream) return { ...json({}), body: { kind: "stream", chunks: forever(Buffer.alloc(10_000)) } };
        if (watch) return { ...json({}), body: { kind: "events", events: forever(event) } };
        return json({ items: endless });
      },
      { stalled: 100 },
    );
    const answer = await server.open("/", { headers });
    answer.pause();
    await expect.poll(() => signal?.aborted, patient).toBe(true);
    if (stream || watch) await expect.poll(() => returned, patient).toBe(true);
  });

  test("are cut off when they are not read to their end in time", async () => {
    let signal: AbortSignal | undefined;
    const longer = { items: Array.from({ length: 10 }, () => items).flat() };
    const server = await start(
      async (request) => {
        signal = request.signal;
        return json(longer);
      },
      { answer: 300 },
    );
    const slow = await server.open("/");
    slow.on("error", () => undefined);
    slow.pause();
    const reader = setInterval(() => slow.read(1_024), 20);
    await expect.poll(() => signal?.aborted, patient).toBe(true);
    clearInterval(reader);
  });

  interface Kinds {
    readonly stream?: boolean;
    readonly watch?: boolean;
  }
});

describe("watches over HTTP/1.1", () => {
  async function* events(count: number): AsyncIterable<WatchEvent<unknown>> {
    for (let index = 0; index < count; index++) yield { type: "ADDED", object: { index, text: "ü" } };
    await new Promise(() => undefined);
  }

  test("send one event per line, as they happen", async () => {
    const server = await start(async () => ({ ...json({}), body: { kind: "events", events: events(5000) } }));
    const answer = await server.open("/");
    let text = "";
    for await (const chunk of answer) {
      text += chunk;
      if (text.split("\n").length > 5000) break;
    }
    const lines = text.trimEnd().split("\n");
    expect(lines).toHaveLength(5000);
    expect(JSON.parse(lines[4999] ?? "")).toEqual({ type: "ADDED", object: { index: 4999, text: "ü" } });
  });

  test("end in order when the listener closes", async () => {
    const server = await start(async () => ({ ...json({}), body: { kind: "events", events: events(1) } }));
    const answer = await server.open("/");
    const [first] = await once(answer, "data");
    expect(String(first)).toContain('"index":0');
    const closing = server.listener.close();
    await once(answer, "end");
    expect(answer.complete).toBe(true);
    await closing;
  });
});
