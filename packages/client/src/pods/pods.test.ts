import { once } from "node:events";
import { isForbidden, isTooManyRequests } from "@kubewright/api";
import { WebSocket } from "undici";
import { afterEach, describe, expect, it } from "vitest";
import { Client } from "../client.js";
import { json, loopback } from "../fixtures/loopback-server.js";
import { bytes, failed, object, scripted, urlOf } from "../fixtures/scripted-transport.js";
import { type Peer, websocketServer } from "../fixtures/websocket-peer.js";
import { undiciTransport } from "../transport/undici-transport.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const shop = { namespace: "shop" };
const success = JSON.stringify({ kind: "Status", status: "Success" });
const exitedWith = (code: number): string =>
  JSON.stringify({
    kind: "Status",
    status: "Failure",
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(code) }] },
  });

function clientFor(server: string): Client {
  const transport = undiciTransport({ server, retry: false, token: "t" });
  open.push(transport);
  return new Client({ transport });
}

async function connected(handler: (peer: Peer) => void, protocols?: string[]): Promise<Client> {
  const server = await websocketServer(handler, protocols);
  open.push(server);
  return clientFor(server.url);
}

describe("WebSocket peer of the tests", () => {
  it("is understood by another WebSocket client", async () => {
    const server = await websocketServer((peer) => {
      peer.onMessage = (channel, data) => peer.send(channel, data);
    });
    open.push(server);
    const socket = new WebSocket(server.url.replace("http", "ws"), "v5.channel.k8s.io");
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => socket.send(Uint8Array.of(1, 104, 105)));
    const [{ data }] = (await once(socket as never, "message")) as [{ data: ArrayBuffer }];
    expect(Buffer.from(data)).toEqual(Buffer.from([1, 104, 105]));
    socket.close();
    await once(socket as never, "close");
  });
});

describe("bidirectional connection", () => {
  it("passes through middleware and is counted like any other request", async () => {
    await using server = await websocketServer((peer) => {
      peer.send(3, success);
      peer.close();
    });
    const seen: string[] = [];
    const transport = undiciTransport({
      server: server.url,
      onRequest: ({ verb, code }) => seen.push(`${verb} ${code}`),
      middleware: [
        (next) => (request) => {
          seen.push(String(request.headers?.["x-note"] ?? request.path));
          return next(request);
        },
      ],
    });
    open.push(transport);
    const session = await new Client({ transport }).pods.exec("web", ["true"], shop);
    await session.output();
    expect(seen).toEqual(["/api/v1/namespaces/shop/pods/web/exec", "get 101"]);
  });
});

describe("exec", () => {
  it("runs a program and gives its output and exit code", async () => {
    let request = "";
    const client = await connected((peer) => {
      request = `${peer.request.url} ${peer.request.headers.authorization}`;
      peer.send(1, "hello ");
      peer.send(2, "careful");
      peer.send(1, "wörld");
      peer.send(3, exitedWith(7));
      peer.close();
    });
    const session = await client.pods.exec("web-0", ["sh", "-c", "echo hi"], { ...shop, container: "app" });
    expect(await session.output()).toEqual({ stdout: "hello wörld", stderr: "careful", exitCode: 7 });
    expect(request).toBe(
      "/api/v1/namespaces/shop/pods/web-0/exec?container=app&stdin=false&stdout=true&stderr=true&tty=false&command=sh&command=-c&command=echo+hi Bearer t",
    );
  });

  it("sends input and says where it ends", async () => {
    let input = "";
    const client = await connected((peer) => {
      peer.onMessage = (channel, data) => {
        if (channel === 0) input += data.toString();
        if (channel !== 255) return;
        expect([...data]).toEqual([0]);
        peer.send(1, String(input.length));
        peer.send(3, success);
        peer.close();
      };
    });
    const session = await client.pods.exec("web-0", ["wc", "-c"], { ...shop, stdin: true });
    await session.write("ab");
    await session.write(Buffer.alloc(100_000, "x"));
    await session.end();
    expect(await session.output()).toEqual({ stdout: "100002", stderr: "", exitCode: 0 });
  });

  it("resizes its terminal", async () => {
    let peer!: Peer;
    const client = await connected((connectedPeer) => {
      peer = connectedPeer;
    });
    const session = await client.pods.attach("web-0", { ...shop, tty: true });
    await session.resize({ width: 120, height: 40 });
    await expect.poll(() => peer.received).toEqual([[4, '{"Width":120,"Height":40}']]);
    expect(peer.request.url).toContain("/attach?stdin=false&stdout=true&stderr=false&tty=true");
    session.close();
  });

  it("cannot end the input alone with version 4, and says so", async () => {
    const client = await connected(() => undefined, ["v4.channel.k8s.io"]);
    const session = await client.pods.exec("web-0", ["cat"], { ...shop, stdin: true });
    await expect(session.end()).rejects.toThrow("this server cannot end the input alone");
    session.close();
  });

  it("answers pings, joins fragments and takes frames cut anywhere", async () => {
    const pongs: string[] = [];
    const client = await connected((peer) => {
      peer.onFrame = (opcode, payload) => {
        if (opcode === 10) pongs.push(payload.toString());
      };
      peer.frame(9, Buffer.from("are you there"));
      peer.frame(2, Buffer.from([1, 97]), false);
      peer.frame(0, Buffer.from("b"), false);
      peer.frame(9, Buffer.from("and now"));
      peer.frame(0, Buffer.from("c"));
      const large = Buffer.concat([Buffer.from([1]), Buffer.alloc(70_000, "d")]);
      const status = Buffer.concat([Buffer.from([3]), Buffer.from(success)]);
      const written: Buffer[] = [];
      const { write } = peer.socket;
      peer.socket.write = (chunk: Buffer) => written.push(chunk) > 0;
      peer.frame(2, large);
      peer.frame(2, status);
      peer.close();
      peer.socket.write = write;
      const all = Buffer.concat(written);
      for (let i = 0; i < all.length; i += 999) peer.socket.write(all.subarray(i, i + 999));
    });
    const session = await client.pods.exec("web-0", ["x"], shop);
    const { stdout } = await session.output();
    expect(stdout).toBe(`abc${"d".repeat(70_000)}`);
    await expect.poll(() => pongs).toEqual(["are you there", "and now"]);
  });

  it("waits with the rest while output is not read, and loses nothing", async () => {
    const part = Buffer.alloc(30_000, "z");
    const client = await connected(async (peer) => {
      for (let i = 0; i < 300; i++) {
        peer.send(1, part);
        if (peer.socket.writableNeedDrain) await once(peer.socket, "drain");
      }
      peer.send(3, success);
      peer.close();
    });
    const session = await client.pods.exec("web-0", ["x"], shop);
    await new Promise((resolve) => setImmediate(resolve));
    let size = 0;
    for await (const chunk of session.stdout) size += chunk.length;
    expect(size).toBe(300 * 30_000);
    expect(await session.exitCode).toBe(0);
  });

  const endings: [string, (peer: Peer) => void, object][] = [
    [
      "that could not be started",
      (peer) => {
        peer.send(
          3,
          JSON.stringify({ status: "Failure", reason: "InternalError", message: "no such file", code: 500 }),
        );
        peer.close();
      },
      { name: "ApiError", message: "connect to Pod exec shop/web-0: no such file" },
    ],
    [
      "whose connection breaks",
      (peer) => peer.socket.destroy(),
      { name: "ConnectionError", problem: "closed" },
    ],
    [
      "whose connection ends too soon",
      (peer) => peer.close(),
      { name: "ConnectionError", problem: "closed" },
    ],
    [
      "whose server masks its frames",
      (peer) => peer.socket.write(Buffer.from([0x82, 0x81, 0, 0, 0, 0, 1])),
      { name: "ConnectionError", problem: "closed" },
    ],
  ];

  it.each(endings)("reports the end of a program %s", async (_what, handler, expected) => {
    const client = await connected(handler);
    const session = await client.pods.exec("web-0", ["x"], shop);
    await expect(session.exitCode).rejects.toMatchObject(expected);
  });

  it("is refused with the server's own words", async () => {
    const server = await loopback((_request, response) => {
      json(response, { kind: "Status", code: 403, reason: "Forbidden", message: "no exec for you" }, 403);
    });
    open.push(server);
    const failure = clientFor(server.url).pods.exec("web-0", ["x"], shop);
    await expect(failure).rejects.toSatisfy(isForbidden);
    await expect(failure).rejects.toThrow("connect to Pod exec shop/web-0: no exec for you");
  });

  it("needs a server that speaks the protocol, and a transport that can", async () => {
    const client = await connected(() => undefined, ["other"]);
    await expect(client.pods.exec("web-0", ["x"], shop)).rejects.toThrow(
      "does not speak v5.channel.k8s.io or",
    );
    const { transport } = scripted({});
    await expect(new Client({ transport }).pods.exec("web-0", ["x"], shop)).rejects.toThrow(
      "no streams in both",
    );
  });

  it("leaves nothing open", async () => {
    let peer!: Peer;
    const client = await connected((connectedPeer) => {
      peer = connectedPeer;
    });
    const session = await client.pods.exec("web-0", ["x"], shop);
    await session[Symbol.asyncDispose]();
    await expect.poll(() => peer.socket.destroyed).toBe(true);
  });
});

describe("portForward", () => {
  const port = Buffer.from([80, 0]);

  it("connects to a port in both directions", async () => {
    let url = "";
    const client = await connected((peer) => {
      url = peer.request.url ?? "";
      peer.send(0, port);
      peer.send(1, port);
      peer.onMessage = (channel, data) => {
        if (channel === 0) peer.send(0, `you said ${data}`);
      };
    });
    const stream = await client.pods.portForward("web-0", 80, shop);
    stream.write("hello");
    const [data] = await once(stream, "data");
    expect(String(data)).toBe("you said hello");
    expect(url).toBe("/api/v1/namespaces/shop/pods/web-0/portforward?ports=80");
    stream.destroy();
  });

  it("ends when the pod does", async () => {
    const client = await connected((peer) => {
      peer.send(0, Buffer.concat([port, Buffer.from("bye")]));
      peer.close();
    });
    const stream = await client.pods.portForward("web-0", 80, shop);
    expect(Buffer.concat(await stream.toArray()).toString()).toBe("bye");
  });

  it("fails with what the server says", async () => {
    const client = await connected((peer) => {
      peer.send(0, port);
      peer.send(1, port);
      peer.send(1, "connection refused inside the pod");
    });
    const stream = await client.pods.portForward("web-0", 80, shop);
    stream.resume();
    const [error] = await once(stream, "error");
    expect(error).toMatchObject({
      name: "ConnectionError",
      message: "connect to Pod portforward shop/web-0: connection refused inside the pod",
    });
  });
});

describe("log", () => {
  it("gives lines as they come", async () => {
    const server = await loopback(async (request, response) => {
      expect(request.url).toBe(
        "/api/v1/namespaces/shop/pods/web-0/log?container=app&follow=true&tailLines=5",
      );
      response.writeHead(200, { "content-type": "text/plain" });
      for (const part of ["one\n  tw", "o ", "\u00e4\n\nfour", "\n"]) {
        response.write(part);
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end("no end");
    });
    open.push(server);
    const options = { ...shop, container: "app", follow: true, tailLines: 5 };
    const lines: string[] = [];
    for await (const line of clientFor(server.url).pods.log("web-0", options)) lines.push(line);
    expect(lines).toEqual(["one", "  two ä", "", "four", "no end"]);
  });

  it("ends with its signal, and its connection with it", async () => {
    const stop = new AbortController();
    const server = await loopback((_request, response) => {
      response.writeHead(200).write("one\n");
    });
    open.push(server);
    const log = clientFor(server.url).pods.log("web-0", {
      ...shop,
      follow: true,
      signal: stop.signal,
      timeout: 5000,
    });
    expect((await log.next()).value).toBe("one");
    const waiting = log.next();
    stop.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await expect.poll(() => server.open()).toBe(0);
  });

  it.each([["bytes", bytes("a\nb\n")] as const, ["object", object("a\nb\n")] as const])(
    "takes an answer of %s too",
    async (_kind, body) => {
      const lines: string[] = [];
      for await (const line of new Client(scripted({ body })).pods.log("web-0", shop)) lines.push(line);
      expect(lines).toEqual(["a", "b"]);
    },
  );
});

describe("evict and bind", () => {
  it("post what the server expects", async () => {
    const { transport, requests } = scripted({ status: 201 });
    const client = new Client({ transport, fieldManager: "t" });
    await client.pods.evict("web-0", { ...shop, gracePeriodSeconds: 5, dryRun: true });
    await client.pods.bind("web-0", "node-1", shop);
    expect(requests.map(urlOf)).toEqual([
      "POST /api/v1/namespaces/shop/pods/web-0/eviction?dryRun=All",
      "POST /api/v1/namespaces/shop/pods/web-0/binding?fieldManager=t",
    ]);
    expect(requests.map(({ body }) => (body as { value: unknown }).value)).toMatchObject([
      { kind: "Eviction", metadata: { name: "web-0" }, deleteOptions: { gracePeriodSeconds: 5 } },
      { kind: "Binding", target: { kind: "Node", name: "node-1" } },
    ]);
  });

  it("report when a PodDisruptionBudget does not allow it", async () => {
    const { transport } = scripted(failed(429, "TooManyRequests", "Cannot evict pod"));
    await expect(new Client({ transport }).pods.evict("web-0", shop)).rejects.toSatisfy(isTooManyRequests);
  });
});
