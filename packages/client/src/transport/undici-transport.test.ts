import { getEventListeners, once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { type ConfigMap, Node, Pod, TimeoutError, type TransportRequest } from "@kubewright/api";
import { afterEach, describe, expect, it } from "vitest";
import { Client } from "../client.js";
import { ConnectionError } from "../connection-error.js";
import type { Credential } from "../credentials/credentials.js";
import { json, loopback, rawLoopback, testAuthority, unusedPort } from "../fixtures/loopback-server.js";
import { type UndiciTransportOptions, undiciTransport } from "./undici-transport.js";

const cleanup: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanup.splice(0).reverse()) await close();
});

/** A client that is closed after the test. Default: no retries. */
function clientFor(server: string, options: Partial<UndiciTransportOptions> = {}): Client {
  const transport = undiciTransport({ server, retry: false, ...options });
  cleanup.push(() => transport.close());
  return new Client({ transport, defaultNamespace: "shop" });
}

async function serve(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  tls?: Parameters<typeof loopback>[1],
) {
  const server = await loopback(handler, tls);
  cleanup.push(server.close);
  return server;
}

async function serveRaw(handler: Parameters<typeof rawLoopback>[0]) {
  const server = await rawLoopback(handler);
  cleanup.push(server.close);
  return server;
}

const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } };

describe("undici transport: connections", () => {
  it("are kept and used again", async () => {
    const server = await serve((_request, response) => json(response, node));
    const client = clientFor(server.url);
    for (let i = 0; i < 20; i++) await client.get(Node, "n1");
    // undici may open a second one before it notices that the first is free.
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  it("carry no request whose last check fails after it waited for one", async () => {
    const paths: string[] = [];
    const server = await serve((request, response) => {
      paths.push(request.url ?? "");
      setTimeout(() => json(response, node), 50);
    });
    const client = clientFor(server.url, { maxConnections: 1 });
    let isAllowed = true;
    const beforeSend = () => {
      if (!isAllowed) throw new Error("no longer allowed");
    };
    const first = client.get(Node, "n1", { beforeSend });
    const second = client.get(Node, "n2", { beforeSend });
    await expect.poll(() => paths.length).toBe(1);
    isAllowed = false;
    await expect(second).rejects.toThrow("no longer allowed");
    await first;
    isAllowed = true;
    await client.get(Node, "n3", { beforeSend });
    expect(paths).toEqual(["/api/v1/nodes/n1", "/api/v1/nodes/n3"]);
  });

  it("are as many as calls at once, up to the limit", async () => {
    let active = 0;
    let most = 0;
    const server = await serve((_request, response) => {
      most = Math.max(most, ++active);
      setImmediate(() => {
        active--;
        json(response, node);
      });
    });
    const client = clientFor(server.url, { maxConnections: 4 });
    await Promise.all(Array.from({ length: 40 }, () => client.get(Node, "n1")));
    expect(most).toBeLessThanOrEqual(4);
    expect(server.connections()).toBeLessThanOrEqual(4);
  });

  it("of watches do not starve calls", async () => {
    const server = await serve((request, response) => {
      if (request.url?.includes("watch")) response.writeHead(200).flushHeaders();
      else json(response, node);
    });
    const client = clientFor(server.url, { maxConnections: 1 });
    const stop = new AbortController();
    const watches = [1, 2, 3].map(() => client.watch(Pod, { signal: stop.signal }).next());
    expect(await client.get(Node, "n1")).toEqual(node);
    stop.abort(new Error("enough"));
    for (const watch of watches) await expect(watch).rejects.toThrow("enough");
  });

  it("are gone after close, and calls then say so", async () => {
    const server = await serve((_request, response) => json(response, node));
    const client = clientFor(server.url);
    await client.get(Node, "n1");
    await client.close();
    await expect(client.get(Node, "n1")).rejects.toMatchObject({ problem: "closed" });
    await expect.poll(() => server.open()).toBe(0);
  });

  it("are opened anew when the server closed an idle one", async () => {
    const server = await serve((_request, response) => json(response, node, 200, { connection: "close" }));
    const client = clientFor(server.url);
    await client.get(Node, "n1");
    await client.get(Node, "n1");
    expect(server.connections()).toBe(2);
  });
});

describe("undici transport: requests", () => {
  async function recorded(options: Partial<UndiciTransportOptions>, path = ""): Promise<IncomingMessage> {
    const seen: IncomingMessage[] = [];
    const server = await serve((request, response) => {
      seen.push(request);
      json(response, node);
    });
    await clientFor(`${server.url}${path}`, options).get(Node, "n1");
    return seen[0]!;
  }

  it("carry a bearer token", async () => {
    expect((await recorded({ token: "t0ken" })).headers.authorization).toBe("Bearer t0ken");
  });

  it("carry a user and a password", async () => {
    const { headers } = await recorded({ username: "ann", password: "päss" });
    expect(headers.authorization).toBe(`Basic ${Buffer.from("ann:päss").toString("base64")}`);
  });

  it("go under the path of the server's address", async () => {
    expect((await recorded({}, "/k8s/clusters/c1/")).url).toBe("/k8s/clusters/c1/api/v1/nodes/n1");
  });

  it("repeat a header that has several values", async () => {
    const { rawHeaders } = await recorded({ headers: { "impersonate-group": ["a", "b"] } });
    expect(rawHeaders.filter((name) => name.toLowerCase() === "impersonate-group")).toHaveLength(2);
  });

  it("send objects as JSON", async () => {
    const bodies: string[] = [];
    const server = await serve(async (request, response) => {
      bodies.push(Buffer.concat(await request.toArray()).toString("utf8"));
      json(response, {}, 201);
    });
    await clientFor(server.url).create(Pod, { metadata: { name: "ä" } });
    expect(JSON.parse(bodies[0]!)).toEqual({ apiVersion: "v1", kind: "Pod", metadata: { name: "ä" } });
  });

  it("pass through the middleware, the first being outermost", async () => {
    const order: string[] = [];
    const note =
      (name: string) =>
      (next: (request: TransportRequest) => Promise<never>) =>
      (request: TransportRequest) => {
        order.push(name);
        return next(request);
      };
    await recorded({ middleware: [note("a"), note("b")] as never });
    expect(order).toEqual(["a", "b"]);
  });

  it("are reported with verb, code and host", async () => {
    const seen: object[] = [];
    const server = await serve((_request, response) => json(response, node));
    const client = clientFor(server.url, { onRequest: (observation) => seen.push(observation) });
    await client.get(Node, "n1");
    await client.list(Pod);
    await client.close();
    await client.get(Node, "n1").catch(() => undefined);
    const host = `127.0.0.1:${server.port}`;
    expect(seen).toMatchObject([
      { verb: "get", method: "GET", code: "200", host },
      { verb: "list", method: "GET", code: "200", host },
      { verb: "get", method: "GET", code: "<error>", host },
    ]);
  });
});

describe("undici transport: compressed responses", () => {
  const list = {
    metadata: {},
    items: Array.from({ length: 1000 }, (_, i) => ({ metadata: { name: `p${i}` } })),
  };

  it("are asked for and unpacked", async () => {
    const server = await serve((request, response) => {
      expect(request.headers["accept-encoding"]).toBe("gzip");
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(JSON.stringify(list)));
    });
    expect((await clientFor(server.url).list(Pod)).items).toHaveLength(1000);
  });

  it("are unpacked as they stream", async () => {
    const event = `${JSON.stringify({ type: "ADDED", object: { metadata: { name: "a" } } })}\n`;
    const server = await serve((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(event.repeat(100)));
    });
    let count = 0;
    for await (const _event of clientFor(server.url).watch(Pod)) count++;
    expect(count).toBe(100);
  });

  it("that are damaged are an error", async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end("not gzip at all");
    });
    await expect(clientFor(server.url).list(Pod)).rejects.toBeInstanceOf(ConnectionError);
  });

  it("are not asked for when switched off", async () => {
    const server = await serve((request, response) =>
      json(response, { x: request.headers["accept-encoding"] ?? null }),
    );
    const answer = await clientFor(server.url, { compression: false }).get(Node, "n1");
    expect(answer).toEqual({ x: null });
  });
});

describe("undici transport: nothing hangs:", () => {
  it("an answer that never begins", async () => {
    const server = await serve(() => undefined);
    const failure = clientFor(server.url, { answerTimeout: 50 }).get(Node, "n1");
    await expect(failure).rejects.toBeInstanceOf(TimeoutError);
    await expect(failure).rejects.toThrow(`get Node n1: ${server.url}: no answer in 50 ms`);
  });

  it("an answer that stops in the middle", async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200, { "content-length": "100" }).write('{"kind":');
    });
    await expect(clientFor(server.url, { answerTimeout: 50 }).get(Node, "n1")).rejects.toBeInstanceOf(
      TimeoutError,
    );
  });

  it("a call with a limit of its own", async () => {
    let closed = false;
    const server = await serve((request) => {
      request.socket.on("close", () => {
        closed = true;
      });
    });
    const failure = clientFor(server.url).get(Node, "n1", { timeout: 30 });
    await expect(failure).rejects.toThrow("get Node n1: no answer in 30 ms");
    await expect.poll(() => closed, { timeout: 10_000 }).toBe(true);
  });

  it("a handshake that never ends", async () => {
    const server = await serveRaw(() => undefined);
    const client = clientFor(server.url.replace("http:", "https:"), { connectTimeout: 50 });
    await expect(client.get(Node, "n1")).rejects.toMatchObject({ problem: "unreachable" });
  });

  it("a watch that goes silent", async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200).write('{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"1"}}}\n');
    });
    const watch = clientFor(server.url).watch(Pod, { idleTimeout: 50 });
    expect((await watch.next()).value?.type).toBe("BOOKMARK");
    const failure = watch.next();
    await expect(failure).rejects.toBeInstanceOf(TimeoutError);
    await expect(failure).rejects.toThrow("watch Pod: no data for 50 ms");
    await expect.poll(() => server.open()).toBe(0);
  });

  it("a watch that never begins", async () => {
    const server = await serve(() => undefined);
    const watch = clientFor(server.url).watch(Pod, { timeout: 30 });
    await expect(watch.next()).rejects.toThrow("watch Pod: no answer in 30 ms");
    await expect.poll(() => server.open()).toBe(0);
  });
});

describe("undici transport: an abort signal", () => {
  it("that is aborted already keeps the request from being sent", async () => {
    const server = await serve((_request, response) => json(response, node));
    const failure = clientFor(server.url).get(Node, "n1", {
      signal: AbortSignal.abort(new Error("never mind")),
    });
    await expect(failure).rejects.toThrow("never mind");
    expect(server.connections()).toBe(0);
  });

  it("ends a call under way, and its connection", async () => {
    const stop = new AbortController();
    let closed = false;
    const server = await serve((request) => {
      request.socket.on("close", () => {
        closed = true;
      });
      stop.abort(new Error("never mind"));
    });
    await expect(clientFor(server.url).get(Node, "n1", { signal: stop.signal })).rejects.toThrow(
      "never mind",
    );
    await expect.poll(() => closed, { timeout: 10_000 }).toBe(true);
  });

  it("ends a watch under way, and its connection", async () => {
    const stop = new AbortController();
    const server = await serve((_request, response) => response.writeHead(200).flushHeaders());
    const watch = clientFor(server.url).watch(Pod, { signal: stop.signal });
    const waiting = watch.next();
    setImmediate(() => stop.abort(new Error("never mind")));
    await expect(waiting).rejects.toThrow("never mind");
    expect(await watch.next()).toEqual({ value: undefined, done: true });
    await expect.poll(() => server.open()).toBe(0);
  });

  it("may be shared by many calls without a warning, and keeps no trace of them", async () => {
    const server = await serve((_request, response) => json(response, node));
    const client = clientFor(server.url);
    const { signal } = new AbortController();
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    await Promise.all(Array.from({ length: 30 }, () => client.get(Node, "n1", { signal, timeout: 5000 })));
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", onWarning);
    expect(warnings).toEqual([]);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("is not needed to leave a watch", async () => {
    const server = await serve((_request, response) => {
      response.writeHead(200).write('{"type":"ADDED","object":{}}\n');
    });
    for await (const _event of clientFor(server.url).watch(Pod)) break;
    await expect.poll(() => server.open()).toBe(0);
  });
});

describe("undici transport: a broken server", () => {
  const broken: [string, string, string][] = [
    ["closes before it answers", "", "closed"],
    ["closes inside the headers", "HTTP/1.1 200 OK\r\nContent-Le", "closed"],
    ["closes inside the body", 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"kind":', "closed"],
    [
      "closes inside a chunk",
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{"kind":',
      "closed",
    ],
    ["sends half a document", 'HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n{"kind":', "malformed"],
    ["sends nothing", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "malformed"],
    ["sends a list of numbers", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n[1]", "malformed"],
    ["speaks another protocol", "SSH-2.0-OpenSSH_9.6\r\n", "malformed"],
  ];

  it.each(broken)("that %s is reported as such", async (_what, text, problem) => {
    const server = await serveRaw((socket) => {
      socket.once("data", () => socket.end(text));
    });
    const failure = clientFor(server.url).get(Node, "n1");
    await expect(failure).rejects.toBeInstanceOf(ConnectionError);
    await expect(failure).rejects.toThrow(/^get Node n1: /);
    await expect(failure).rejects.toMatchObject({ problem });
  });

  it("that resets the connection is reported as such", async () => {
    const server = await serveRaw((socket) => {
      socket.once("data", () => socket.resetAndDestroy());
    });
    await expect(clientFor(server.url).get(Node, "n1")).rejects.toMatchObject({ problem: "closed" });
  });

  it("that cuts a watch inside an event fails the watch after the events before", async () => {
    const server = await serveRaw((socket) => {
      const events = '{"type":"ADDED","object":{}}\n{"type":"ADD';
      socket.once("data", () =>
        socket.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n${events}`),
      );
    });
    const watch = clientFor(server.url).watch(Pod);
    expect((await watch.next()).value?.type).toBe("ADDED");
    await expect(watch.next()).rejects.toMatchObject({ problem: "closed" });
  });

  it("that cannot be reached is reported with a remedy", async () => {
    const port = await unusedPort();
    const client = clientFor(`http://127.0.0.1:${port}`, {
      cluster: `cluster dev (http://127.0.0.1:${port})`,
    });
    const failure = client.get(Pod, "web");
    await expect(failure).rejects.toMatchObject({ problem: "refused" });
    await expect(failure).rejects.toThrow(
      `get Pod shop/web: cluster dev (http://127.0.0.1:${port}): connection refused; is the API server running`,
    );
  });

  it("whose name does not resolve is reported as such", async () => {
    await expect(clientFor("http://nowhere.invalid").get(Node, "n1")).rejects.toMatchObject({
      problem: "unreachable",
    });
  });
});

describe("undici transport: TLS", () => {
  const authority = testAuthority();
  const answer = (_request: IncomingMessage, response: ServerResponse): void => json(response, node);

  it("is checked against the authority given", async () => {
    const server = await serve(answer, authority.server());
    expect(await clientFor(server.url, { ca: authority.ca }).get(Node, "n1")).toEqual(node);
  });

  it("is trusted where the server's own certificate is the authority given", async () => {
    const own = authority.server();
    const server = await serve(answer, own);
    expect(await clientFor(server.url, { ca: own.cert }).get(Node, "n1")).toEqual(node);
  });

  it("takes the authority of the day", async () => {
    const server = await serve(answer, authority.server());
    const client = clientFor(server.url, { ca: async () => authority.ca });
    expect(await client.get(Node, "n1")).toEqual(node);
  });

  const mistakes: [string, () => Promise<[string, Partial<UndiciTransportOptions>]>, RegExp][] = [
    [
      "an unknown authority",
      async () => [(await serve(answer, authority.server())).url, { ca: testAuthority("other").ca }],
      /unknown authority; set certificate-authority/,
    ],
    [
      "no authority",
      async () => [(await serve(answer, authority.server())).url, {}],
      /unknown authority; set certificate-authority/,
    ],
    [
      "a certificate for another name",
      async () => [(await serve(answer, authority.server(["example.com"]))).url, { ca: authority.ca }],
      /for another name; use that name, or set tls-server-name/,
    ],
    [
      "a certificate that has expired",
      async () => [(await serve(answer, authority.expired())).url, { ca: authority.ca }],
      /has expired/,
    ],
    [
      "a server that speaks plain HTTP",
      async () => [(await serve(answer)).url.replace("http:", "https:"), { ca: authority.ca }],
      /does not speak TLS/,
    ],
  ];

  it.each(mistakes)("reports %s", async (_what, setUp, message) => {
    const [url, options] = await setUp();
    const failure = clientFor(url, options).get(Node, "n1");
    await expect(failure).rejects.toMatchObject({ name: "ConnectionError", problem: "tls" });
    await expect(failure).rejects.toThrow(message);
  });

  it("accepts the name set as tls-server-name", async () => {
    const server = await serve(answer, authority.server(["api.example.com"]));
    const options = { ca: authority.ca, serverName: "api.example.com" };
    expect(await clientFor(server.url, options).get(Node, "n1")).toEqual(node);
  });

  it("is not checked with insecure-skip-tls-verify", async () => {
    const server = await serve(answer, authority.server(["example.com"]));
    expect(await clientFor(server.url, { insecureSkipTlsVerify: true }).get(Node, "n1")).toEqual(node);
  });

  it("shows the client's certificate, and a new one when it has changed", async () => {
    const server = await serve(
      (request, response) => {
        const socket = request.socket as unknown as { getPeerCertificate(): { subject: { CN: string } } };
        json(response, { metadata: { name: socket.getPeerCertificate().subject.CN } });
      },
      { ...authority.server(), ca: authority.ca, requestCert: true },
    );
    let certificate = authority.client("ann");
    const credentials = { current: (): Credential => ({ certificate }) };
    const client = clientFor(server.url, { ca: authority.ca, credentials });
    expect((await client.get(Node, "x")).metadata?.name).toBe("ann");
    certificate = authority.client("bob");
    expect((await client.get(Node, "x")).metadata?.name).toBe("bob");
    await expect.poll(() => server.open()).toBe(1);
  });

  const badPem: [string, Partial<UndiciTransportOptions>, RegExp][] = [
    ["authority", { ca: "rubbish" }, /certificate authority is not PEM/],
    ["certificate", { ...authority.client("a"), cert: "rubbish" }, /client certificate is not PEM/],
    ["key", { ...authority.client("a"), key: "rubbish" }, /client key is not PEM/],
    [
      "pair",
      { cert: authority.client("a").cert, key: authority.client("b").key },
      /certificate and key do not fit together/,
    ],
  ];

  it.each(badPem)("reports a bad %s without showing it", async (_what, options, message) => {
    const failure = clientFor("https://127.0.0.1:1", options).get(Node, "n1");
    await expect(failure).rejects.toMatchObject({ name: "ConfigError" });
    await expect(failure).rejects.toThrow(message);
    await expect(failure).rejects.not.toThrow("rubbish");
  });
});

describe("undici transport: a 401 response", () => {
  it("is healed by a newer credential, once", async () => {
    const seen: (string | undefined)[] = [];
    const server = await serve((request, response) => {
      seen.push(request.headers.authorization);
      json(response, node, request.headers.authorization === "Bearer new" ? 200 : 401);
    });
    let token = "old";
    const credentials = {
      current: (): Credential => ({ headers: { authorization: `Bearer ${token}` } }),
      renew: async () => {
        token = "new";
        return true;
      },
    };
    expect(await clientFor(server.url, { credentials }).get(Node, "n1")).toEqual(node);
    expect(seen).toEqual(["Bearer old", "Bearer new"]);
  });

  it("stands when there is nothing newer, or the newer one fails too", async () => {
    let count = 0;
    const server = await serve((_request, response) => {
      count++;
      json(response, { kind: "Status", message: "Unauthorized", reason: "Unauthorized", code: 401 }, 401);
    });
    const current = (): Credential => ({});
    await expect(clientFor(server.url, { credentials: { current } }).get(Node, "n1")).rejects.toMatchObject({
      code: 401,
    });
    expect(count).toBe(1);
    const renew = async () => true;
    await expect(
      clientFor(server.url, { credentials: { current, renew } }).get(Node, "n1"),
    ).rejects.toMatchObject({
      reason: "Unauthorized",
    });
    expect(count).toBe(3);
  });
});

describe("undici transport: an overloaded server", () => {
  const quick = { retry: { delay: 1, random: () => 0 } } as const;

  it("that asks for a moment gets it, whatever the call", async () => {
    let count = 0;
    const server = await serve((_request, response) => {
      if (++count < 3) json(response, { kind: "Status", code: 429 }, 429, { "retry-after": "0" });
      else json(response, node, 201);
    });
    await clientFor(server.url, quick).create(Pod, { metadata: { name: "a" } });
    expect(count).toBe(3);
  });

  it("that only fails is left alone after a few tries, with its last words", async () => {
    let count = 0;
    const server = await serve((_request, response) => {
      count++;
      json(response, { kind: "Status", code: 500, reason: "InternalError", message: "etcd is gone" }, 500);
    });
    await expect(clientFor(server.url, quick).get(Node, "n1")).rejects.toMatchObject({
      code: 500,
      message: "get Node n1: etcd is gone",
    });
    expect(count).toBe(5);
  });

  it("that comes back is found again", async () => {
    const port = await unusedPort();
    const client = clientFor(`http://127.0.0.1:${port}`, {
      retry: { attempts: 50, delay: 10, maxDelay: 10 },
    });
    const call = client.get(Node, "n1");
    const { createServer } = await import("node:http");
    const server = createServer((_request, response) => json(response, node)).listen(port, "127.0.0.1");
    expect(await call).toEqual(node);
    await client.close();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe("undici transport: a large watch", () => {
  it.each(["http", "https"])("keeps its order and content under backpressure over %s", async (scheme) => {
    const payload = "ä€😀".repeat(40_000);
    const total = 40;
    const authority = testAuthority();
    const tls = scheme === "https" ? authority.server() : undefined;
    const server = await serve(async (_request, response) => {
      for (let i = 0; i < total; i++) {
        const event = { type: "ADDED", object: { metadata: { name: `c${i}` }, data: { payload } } };
        if (!response.write(`${JSON.stringify(event)}\n`)) await once(response, "drain");
      }
      response.end();
    }, tls);
    let count = 0;
    const ConfigMapLike = { ...Pod, plural: "configmaps", kind: "ConfigMap" } as never;
    for await (const { object } of clientFor(server.url, tls && { ca: authority.ca }).watch<
      ConfigMap,
      ConfigMap
    >(ConfigMapLike)) {
      expect(object.metadata?.name).toBe(`c${count++}`);
      expect(object.data?.["payload"]).toBe(payload);
    }
    expect(count).toBe(total);
  });
});
