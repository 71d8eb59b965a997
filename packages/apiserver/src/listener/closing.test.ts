import { once } from "node:events";
import type { TransportRequest, TransportResponse, WatchEvent } from "@kubewright/api";
import { afterEach, describe, expect, test } from "vitest";
import { readAll, TlsServer } from "./fixtures/tls-server.js";

/** Busy machines take their time. */
const patient = { timeout: 10_000 };

const servers: TlsServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function start(...parameters: Parameters<typeof TlsServer.start>): Promise<TlsServer> {
  const server = await TlsServer.start(...parameters);
  servers.push(server);
  return server;
}

const json = (value: unknown): TransportResponse => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: { kind: "object", value },
});

/** Responds to `/slow` when `finish` is called, and to everything else at once. */
function slowly() {
  const { promise: begun, resolve: begin } = promised();
  const { promise: over, resolve: finish } = promised();
  const handle = async ({ path }: TransportRequest): Promise<TransportResponse> => {
    if (path === "/slow") {
      begin();
      await over;
    }
    return json({ path });
  };
  return { handle, begun, finish };
}

async function* events(): AsyncIterable<WatchEvent<unknown>> {
  yield { type: "ADDED", object: {} };
  await new Promise(() => undefined);
}

async function* lines(): AsyncIterable<Uint8Array> {
  yield Buffer.from('{"type":"ADDED"}\n');
  await new Promise(() => undefined);
}

describe("closing a listener", () => {
  test("completes requests in flight, and closes their connections", async () => {
    const { handle, begun, finish } = slowly();
    const server = await start(handle);
    const answer = server.call("/slow");
    await begun;
    const closed = server.listener.close();
    finish();
    expect(await answer).toMatchObject({ status: 200, headers: { connection: "close" } });
    await closed;
  });

  test("does not wait for ever", async () => {
    const { promise: begun, resolve: begin } = promised();
    const server = await start(
      async () => {
        begin();
        return new Promise<never>(() => undefined);
      },
      { closing: 20 },
    );
    const answer = server.call("/never").catch(() => "cut off");
    await begun;
    await server.listener.close();
    expect(await answer).toBe("cut off");
  });

  test.each<[string, TransportResponse["body"]]>([
    ["watches", { kind: "events", events: events() }],
    ["watches of servers behind this one", { kind: "stream", chunks: lines() }],
  ])("ends %s in order", async (_what, body) => {
    const server = await start(async () => ({ ...json({}), body }));
    const answer = await server.open("/?watch=1");
    await once(answer, "data");
    const closing = server.listener.close();
    await readAll(answer);
    expect(answer.complete).toBe(true);
    await closing;
  });

  test("cuts off other streams and upgraded connections", async () => {
    const ended: string[] = [];
    const server = await start(async ({ path }) =>
      path === "/log"
        ? { ...json({}), body: { kind: "stream", chunks: lines() } }
        : {
            status: 101,
            headers: {},
            body: { kind: "empty" },
            upgrade: {
              protocol: "",
              serve: (socket) =>
                socket.listen({ onMessage: () => undefined, onEnd: () => ended.push("exec") }),
            },
          },
    );
    const log = await server.open("/log");
    await once(log, "data");
    const exec = await server.connect();
    exec.write(
      "GET /exec HTTP/1.1\r\nhost: x\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n\r\n",
    );
    const [head] = await once(exec, "data");
    expect(String(head)).toMatch(/^HTTP\/1.1 101 /);
    const closed = once(exec, "close");
    await server.listener.close();
    await closed;
    await expect(readAll(log)).rejects.toThrow("aborted");
    await expect.poll(() => ended, patient).toEqual(["exec"]);
  });
});

describe("listener that is closing", () => {
  /** A listener that is kept from its end by one request, and a connection from before that was not used yet. */
  async function closing(sendRetryAfter: boolean) {
    const { handle, begun, finish } = slowly();
    const server = await start(handle, undefined, sendRetryAfter);
    const socket = await server.connect();
    socket.write("GET /slow HTTP/1.1\r\nhost: x\r\n\r\n");
    await begun;
    const fresh = await server.connect();
    const closed = server.listener.close();
    return { server, fresh, finish, closed };
  }

  test("refuses new connections", async () => {
    const { server, finish, closed } = await closing(false);
    await expect(server.call("/", { agent: false })).rejects.toThrow("ECONNREFUSED");
    finish();
    await closed;
  });

  test("responds with 503, Retry-After and Connection: close to new requests on open connections", async () => {
    const { fresh, finish, closed } = await closing(false);
    fresh.write("GET /new HTTP/1.1\r\nhost: x\r\n\r\n");
    let text = "";
    for await (const chunk of fresh) text += chunk;
    expect(text).toMatch(/^HTTP\/1.1 503 /);
    expect(text).toMatch(/retry-after: 1\r\n/i);
    expect(text).toMatch(/connection: close\r\n/i);
    expect(text).toContain('"message":"apiserver is shutting down","reason":"ServiceUnavailable"');
    finish();
    await closed;
  });

  test("with sendRetryAfter, responds with 429 until the end, and to probes as before", async () => {
    const { server, finish, closed } = await closing(true);
    const { status, headers, body } = await server.call("/", { agent: false });
    expect(status).toBe(429);
    expect(headers).toMatchObject({ "retry-after": "5", connection: "close" });
    expect(String(body)).toBe("The apiserver is shutting down, please try again later.\n");
    expect((await server.call("/readyz", { agent: false })).status).toBe(200);
    finish();
    await closed;
  });
});

function promised(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
