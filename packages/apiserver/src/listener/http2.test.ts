import { once } from "node:events";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from "node:http2";
import { connect as connectTls } from "node:tls";
import type { TransportRequest, TransportResponse, WatchEvent } from "@kubewright/api";
import { afterEach, describe, expect, test } from "vitest";
import { TlsServer } from "./fixtures/tls-server.js";

const servers: TlsServer[] = [];
const sessions: ClientHttp2Session[] = [];

type Handle = Parameters<typeof TlsServer.start>[0];

async function start(handle: Handle, timeouts?: Parameters<typeof TlsServer.start>[1]) {
  const server = await TlsServer.start(handle, timeouts);
  servers.push(server);
  return { server, session: dial(server) };
}

function dial(server: TlsServer): ClientHttp2Session {
  const session = connect(server.listener.url, { rejectUnauthorized: false });
  session.on("error", () => undefined);
  sessions.push(session);
  return session;
}

afterEach(async () => {
  for (const session of sessions.splice(0)) session.destroy();
  for (const server of servers.splice(0)) await server.close();
});

const json = (value: unknown, status = 200): TransportResponse => ({
  status,
  headers: { "content-type": "application/json" },
  body: { kind: "object", value },
});

function open(session: ClientHttp2Session, headers: OutgoingHttpHeaders, body?: string): ClientHttp2Stream {
  const stream = session.request(headers, { endStream: body === undefined });
  stream.on("error", () => undefined);
  if (body !== undefined) stream.end(body);
  return stream;
}

async function call(session: ClientHttp2Session, headers: OutgoingHttpHeaders, body?: string) {
  const stream = open(session, headers, body);
  const [answer] = await once(stream, "response");
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return { status: answer[":status"], headers: answer, text: Buffer.concat(chunks).toString() };
}

const get = (path: string): OutgoingHttpHeaders => ({ ":path": path });

describe("HTTP/2", () => {
  test("carries requests as HTTP/1.1 does", async () => {
    const seen: TransportRequest[] = [];
    const { session } = await start(async (request) => {
      seen.push(request);
      return {
        ...json({ ok: true }),
        headers: { "content-type": "application/json", warning: ['299 - "a"', '299 - "ü"'] },
      };
    });
    const answer = await call(
      session,
      {
        ":method": "POST",
        ":path": "/api/v1/a%2Fb?x=1&x=2",
        "content-type": "application/json",
        "impersonate-group": ["a,b", "c"],
      },
      '{"a":1}',
    );
    expect([answer.status, answer.text]).toEqual([200, '{"ok":true}\n']);
    expect(answer.headers["warning"]).toContain('299 - "a"');
    expect(answer.headers["cache-control"]).toBe("no-cache, private");
    expect(seen[0]).toMatchObject({ method: "POST", path: "/api/v1/a%2Fb" });
    expect(seen[0]?.query?.getAll("x")).toEqual(["1", "2"]);
    expect(seen[0]?.body).toEqual({ kind: "bytes", bytes: Buffer.from('{"a":1}') });
    expect(seen[0]?.headers?.["impersonate-group"]).toContain("a,b");
    expect(Object.keys(seen[0]?.headers ?? {}).filter((name) => name.startsWith(":"))).toEqual([]);
  });

  test("is negotiated with clients that offer it, and HTTP/1.1 with others", async () => {
    const { server, session } = await start(async () => json({}));
    await call(session, get("/"));
    expect(session.alpnProtocol).toBe("h2");
    expect((await server.call("/")).status).toBe(200);
  });

  test("serves many requests on one connection at a time", async () => {
    let waiting = 0;
    const { server, session } = await start(async ({ path }) => {
      waiting++;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return json({ path, most: waiting });
    });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => call(session, get(`/${index}`))),
    );
    expect(answers.map(({ text }) => JSON.parse(text).path)).toEqual(answers.map((_, index) => `/${index}`));
    expect(waiting).toBe(50);
    expect(await server.listener.connections()).toBe(1);
  });

  test("sends watch events as they happen, and ends a watch with its client", async () => {
    let next: (event: WatchEvent<unknown>) => void = () => undefined;
    const events = async function* (): AsyncGenerator<WatchEvent<unknown>> {
      while (true) yield await new Promise<WatchEvent<unknown>>((resolve) => (next = resolve));
    };
    const aborted: Promise<void>[] = [];
    const { session } = await start(async ({ signal }) => {
      aborted.push(new Promise((resolve) => signal?.addEventListener("abort", () => resolve())));
      return { ...json({}), body: { kind: "events", events: events() } };
    });
    const stream = open(session, get("/api/v1/pods?watch=1"));
    await once(stream, "response");
    next({ type: "ADDED", object: { a: 1 } });
    expect(String((await once(stream, "data"))[0])).toBe('{"type":"ADDED","object":{"a":1}}\n');
    stream.close(constants.NGHTTP2_CANCEL);
    await aborted[0];
  });

  test("sends long lists in portions, with backpressure", async () => {
    const items = Array.from({ length: 20_000 }, (_, index) => ({ index, text: "x".repeat(200) }));
    const { session } = await start(async () => json({ kind: "List", items }));
    const { text } = await call(session, get("/"));
    expect(JSON.parse(text).items).toHaveLength(20_000);
  });

  test("responds before the end of a body that is too large", async () => {
    const { session } = await start(async ({ body }) =>
      json({ bytes: body?.kind === "bytes" ? body.bytes.length : 0 }, 413),
    );
    const stream = open(
      session,
      { ":method": "POST", ":path": "/", "content-length": String(8 << 20) },
      "x".repeat(8 << 20),
    );
    const [answer] = await once(stream, "response");
    expect(answer[":status"]).toBe(413);
  });

  test("times out on bodies that do not come", async () => {
    const { session } = await start(async () => json({}), { headers: 50, request: 100 });
    const stream = session.request({ ":method": "POST", ":path": "/" });
    stream.on("error", () => undefined);
    await once(stream, "close");
    expect(stream.rstCode).not.toBe(constants.NGHTTP2_NO_ERROR);
  });

  test("closes a connection after a request that could not be authenticated", async () => {
    const { session } = await start(async () => json({}, 401));
    expect((await call(session, get("/"))).status).toBe(401);
    if (!session.closed) await once(session, "goaway");
  });

  test("closes with the listener, after the last requests are answered", async () => {
    let finish: () => void = () => undefined;
    const begun = new Promise<void>((begin) => {
      finish = begin;
    });
    const { server, session } = await start(async () => {
      finish();
      await new Promise((resolve) => setTimeout(resolve, 50));
      return json({ last: true });
    });
    const answer = call(session, get("/"));
    await begun;
    const closed = server.listener.close();
    expect((await answer).text).toBe('{"last":true}\n');
    await closed;
    servers.splice(0);
  });
});

function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE(payload.length, 0, 3);
  header.writeUInt8(type, 3);
  header.writeUInt8(flags, 4);
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, payload]);
}

/** A connection that begins requests and takes each back in the next frame. */
function rapidResets(count: number): Buffer {
  const [headers, reset, settings] = [1, 3, 4];
  // `GET https://x/` in HPACK.
  const request = Buffer.from([0x82, 0x84, 0x87, 0x41, 1, 0x78]);
  const cancel = Buffer.from([0, 0, 0, constants.NGHTTP2_CANCEL]);
  const frames = Array.from({ length: count }, (_, index) => [
    frame(headers, 0x05, 2 * index + 1, request),
    frame(reset, 0, 2 * index + 1, cancel),
  ]).flat();
  return Buffer.concat([
    Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    frame(settings, 0, 0, Buffer.alloc(0)),
    ...frames,
  ]);
}

describe("HTTP/2: a hostile client", () => {
  test("that resets streams as fast as it can is disconnected, and others are served", {
    timeout: 20_000,
  }, async () => {
    let inFlight = 0;
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { server, session } = await start(async ({ path }) => {
      if (path === "/ok") return json({});
      inFlight++;
      await released;
      return json({});
    });
    session.destroy();
    const { port } = server.listener;
    const socket = connectTls({ host: "127.0.0.1", port, ALPNProtocols: ["h2"], rejectUnauthorized: false });
    socket.on("error", () => undefined);
    await once(socket, "secureConnect");
    const ended = new Promise((resolve) => socket.once("close", resolve));
    socket.resume();
    socket.write(rapidResets(3_000));
    await ended;
    expect(inFlight).toBe(400);
    expect((await call(dial(server), get("/ok"))).status).toBe(200);
    release();
  });

  test("may have a hundred requests in flight", async () => {
    const { session } = await start(async () => json({}));
    await once(session, "remoteSettings");
    expect(session.remoteSettings.maxConcurrentStreams).toBe(100);
  });

  test("that sends too many headers is refused", async () => {
    const { server, session } = await start(async () => json({}));
    const stream = open(session, { ...get("/"), "x-long": "x".repeat(100_000) });
    await new Promise((resolve) => stream.once("close", resolve));
    expect(stream.sentHeaders[":path"]).toBe("/");
    expect(stream.rstCode).toBe(constants.NGHTTP2_REFUSED_STREAM);
    expect((await call(dial(server), get("/"))).status).toBe(200);
  });
});
