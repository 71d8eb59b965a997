// What clients may take together: connections, bodies in flight, and encoded answers that are waiting to be read.
import { once } from "node:events";
import type { TLSSocket } from "node:tls";
import type { TransportResponse } from "@kubewright/api";
import { encodeProtobuf } from "@kubewright/machinery";
import { afterEach, describe, expect, test } from "vitest";
import { readAll, TlsServer } from "./fixtures/tls-server.js";
import { defaultLimits, type ListenerLimits, type RequestFunction } from "./http-listener.js";
import { protobufPieces } from "./protobuf-pieces.js";

const servers: TlsServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function start(handle: RequestFunction, limits: Partial<ListenerLimits>): Promise<TlsServer> {
  const server = await TlsServer.start(handle, undefined, false, limits);
  servers.push(server);
  return server;
}

const ok: RequestFunction = async ({ body }) => ({
  status: 200,
  headers: {},
  body: { kind: "object", value: { length: body?.kind === "bytes" ? body.bytes.length : 0 } },
});

describe("bodies in flight", () => {
  const length = 100_000;
  /** Sends a body but for its end; returns a function that sends the end. */
  async function begin(server: TlsServer, sent: number): Promise<{ socket: TLSSocket; end(): void }> {
    const socket = await server.connect();
    socket.write(`POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${length}\r\n\r\n`);
    socket.write(Buffer.alloc(sent, "x"));
    return { socket, end: () => void socket.write(Buffer.alloc(length - sent, "x")) };
  }
  const answerOf = async (socket: TLSSocket): Promise<string> => String((await once(socket, "data"))[0]);

  test("beyond the limit are answered 429, and there is room again when others are done", async () => {
    const server = await start(ok, { bodies: 250_000 });
    const [first, second] = [await begin(server, 90_000), await begin(server, 90_000)];
    // What was sent has to be read before the next one comes.
    await new Promise((resolve) => setTimeout(resolve, 50));
    const third = await begin(server, 90_000);
    const refused = await answerOf(third.socket);
    expect(refused).toMatch(/^HTTP\/1.1 429 /);
    expect(refused.toLowerCase()).toContain("retry-after: 1");
    for (const each of [first, second]) {
      each.end();
      expect(await answerOf(each.socket)).toMatch(/^HTTP\/1.1 200 /);
    }
    const fourth = await begin(server, 90_000);
    fourth.end();
    expect(await answerOf(fourth.socket)).toMatch(/^HTTP\/1.1 200 /);
  });

  test("of clients that leave take no room", async () => {
    const server = await start(ok, { bodies: 150_000 });
    for (let round = 0; round < 5; round++) {
      const { socket } = await begin(server, 90_000);
      await new Promise((resolve) => setTimeout(resolve, 20));
      socket.destroy();
    }
    const last = await begin(server, 90_000);
    last.end();
    expect(await answerOf(last.socket)).toMatch(/^HTTP\/1.1 200 /);
  });
});

describe("connections", () => {
  test("beyond the limit are closed, and others are served again when some have ended", async () => {
    const server = await start(ok, { connections: 3 });
    const open = [await server.connect(), await server.connect(), await server.connect()];
    await expect(server.call("/", { agent: false })).rejects.toThrow();
    const [one, ...others] = open;
    one?.end();
    await expect.poll(() => server.listener.connections()).toBe(2);
    expect((await server.call("/", { agent: false })).status).toBe(200);
    for (const socket of others) {
      socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n");
      expect(String((await once(socket, "data"))[0])).toMatch(/^HTTP\/1.1 200 /);
    }
  });

  test("and bodies are limited without options", () => {
    expect(defaultLimits).toMatchObject({ connections: 5_000, bodies: 300 * 1024 * 1024 });
  });
});

describe("long lists in protobuf", () => {
  const items = Array.from({ length: 2_000 }, (_, index) => ({
    metadata: { name: `c-${index}` },
    data: { text: String(index).repeat(60) },
  }));
  const list = { apiVersion: "v1", kind: "ConfigMapList", metadata: { resourceVersion: "7" }, items };
  const whole = encodeProtobuf(list);

  test.each([0, 200_000, 64_000_000])("are the same with room for %i bytes", async (limit) => {
    const kept = { bytes: 0, limit };
    const { pieces, release } = await protobufPieces(list, items, kept);
    expect(kept.bytes).toBeLessThanOrEqual(limit);
    expect(kept.bytes > 0).toBe(limit > 0);
    expect(Buffer.concat([...pieces]).equals(whole)).toBe(true);
    release();
    expect(kept.bytes).toBe(0);
  });

  test("are sent in pieces, with and without room to keep them", async () => {
    const answer: TransportResponse = {
      status: 200,
      headers: { "content-type": "application/vnd.kubernetes.protobuf" },
      body: { kind: "object", value: list },
    };
    for (const keptAnswers of [0, 64_000_000]) {
      const server = await start(async () => answer, { keptAnswers });
      const opened = await server.open("/");
      expect(opened.headers["transfer-encoding"]).toBe("chunked");
      expect((await readAll(opened)).equals(Buffer.from(whole))).toBe(true);
    }
  });
});
