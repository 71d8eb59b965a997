import { connect, type Socket } from "node:net";
import { Node } from "@kubewright/api";
import { afterEach, describe, expect, it } from "vitest";
import { Client } from "../client.js";
import {
  json,
  type Loopback,
  loopback,
  rawLoopback,
  testAuthority,
  unusedPort,
} from "../fixtures/loopback-server.js";
import { undiciTransport } from "./undici-transport.js";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const authority = testAuthority();
const node = { metadata: { name: "n1" } };

async function api(): Promise<Loopback> {
  const server = await loopback((_request, response) => json(response, node), authority.server());
  open.push(server);
  return server;
}

async function proxy(handler: (socket: Socket) => void): Promise<Loopback> {
  const server = await rawLoopback(handler);
  open.push(server);
  return server;
}

function clientThrough(proxyUrl: string, server: string): Client {
  const transport = undiciTransport({
    server,
    ca: authority.ca,
    proxyUrl,
    retry: false,
    connectTimeout: 1000,
  });
  open.push(transport);
  return new Client({ transport });
}

const line = (index: number) =>
  `${JSON.stringify({ type: "ADDED", object: { metadata: { name: `n${index}` } } })}\n`;

/** Connects both ways once the greeting is over. */
function join(socket: Socket, host: string, port: number, ready: () => void): void {
  const upstream = connect({ host, port }, () => {
    ready();
    socket.pipe(upstream).pipe(socket);
  });
  upstream.on("error", () => socket.destroy());
}

describe("HTTP proxy", () => {
  function httpProxy(seen: string[], answer = "HTTP/1.1 200 OK") {
    return proxy((socket) => {
      socket.once("data", (data) => {
        const text = data.toString("latin1");
        seen.push(text);
        const [, host = "", port = ""] = /^CONNECT ([^:]+):(\d+)/.exec(text) ?? [];
        if (!answer.includes("200")) socket.end(`${answer}\r\n\r\n`);
        else join(socket, host, Number(port), () => socket.write(`${answer}\r\nVia: me\r\n\r\n`));
      });
    });
  }

  it("carries TLS to the API server", async () => {
    const server = await api();
    const seen: string[] = [];
    const via = await httpProxy(seen);
    expect(await clientThrough(via.url, server.url).get(Node, "n1")).toEqual(node);
    expect(seen[0]).toMatch(new RegExp(`^CONNECT 127.0.0.1:${server.port} HTTP/1.1\r\n`));
  });

  it.each(["https", "http"])(
    "carries a watch to an API server that speaks %s, until it is left",
    async (scheme) => {
      const server = await loopback(
        (_request, response) => {
          for (let index = 0; index < 2000; index++) response.write(line(index));
        },
        scheme === "https" ? authority.server() : undefined,
      );
      open.push(server);
      const via = await httpProxy([]);
      const names: (string | undefined)[] = [];
      for await (const { object } of clientThrough(via.url, server.url).watch(Node)) {
        names.push(object.metadata?.name);
        if (names.length === 2000) break;
      }
      expect(names).toEqual(Array.from({ length: 2000 }, (_, index) => `n${index}`));
      await expect.poll(via.open, { timeout: 10_000 }).toBe(0);
    },
  );

  it("receives the user and the password of its address", async () => {
    const server = await api();
    const seen: string[] = [];
    const via = await httpProxy(seen);
    await clientThrough(`http://ann:s%40crt@127.0.0.1:${via.port}`, server.url).get(Node, "n1");
    expect(seen[0]).toContain(
      `Proxy-Authorization: Basic ${Buffer.from("ann:s@crt").toString("base64")}\r\n`,
    );
  });

  it.each([
    ["HTTP/1.1 407 Proxy Authentication Required", "put a user and a password into proxy-url"],
    ["HTTP/1.1 403 Forbidden", "HTTP 403"],
    ["what?", "it does not speak HTTP"],
  ])("that answers %s is reported, without its password", async (answer, message) => {
    const via = await httpProxy([], answer);
    const failure = clientThrough(`http://ann:s3cret@127.0.0.1:${via.port}`, "https://10.255.255.1").get(
      Node,
      "n1",
    );
    await expect(failure).rejects.toMatchObject({ problem: "proxy" });
    await expect(failure).rejects.toThrow(message);
    await expect(failure).rejects.not.toThrow("s3cret");
  });

  it("that cannot be reached is reported", async () => {
    const failure = clientThrough(`http://127.0.0.1:${await unusedPort()}`, "https://10.255.255.1").get(
      Node,
      "n1",
    );
    await expect(failure).rejects.toThrow("cannot connect to the proxy");
  });

  it("that says nothing does not hang the call", async () => {
    const via = await proxy(() => undefined);
    const transport = undiciTransport({
      server: "https://10.255.255.1",
      proxyUrl: via.url,
      retry: false,
      connectTimeout: 50,
    });
    open.push(transport);
    await expect(new Client({ transport }).get(Node, "n1")).rejects.toThrow("no connection in 50 ms");
  });
});

describe("SOCKS proxy", () => {
  function socksProxy(login: string | undefined, reply = 0) {
    return proxy((socket) => {
      const method = login === undefined ? 0 : 2;
      const onConnect = (data: Buffer): void => {
        const host = data.subarray(5, 5 + data[4]!).toString();
        const port = data.readUInt16BE(5 + data[4]!);
        const answer = Buffer.from([5, reply, 0, 1, 0, 0, 0, 0, 0, 0]);
        if (reply !== 0) socket.end(answer);
        else join(socket, host, port, () => socket.write(answer));
      };
      const onLogin = (data: Buffer): void => {
        const user = data.subarray(2, 2 + data[1]!).toString();
        const password = data.subarray(3 + data[1]!).toString();
        const accepted = `${user}:${password}` === login;
        if (accepted) socket.once("data", onConnect);
        socket.write(Buffer.from([1, accepted ? 0 : 1]));
      };
      socket.once("data", () => {
        socket.once("data", login === undefined ? onConnect : onLogin);
        socket.write(Buffer.from([5, method]));
      });
    });
  }

  it("carries TLS to the API server", async () => {
    const server = await api();
    const via = await socksProxy(undefined);
    expect(await clientThrough(`socks5://127.0.0.1:${via.port}`, server.url).get(Node, "n1")).toEqual(node);
  });

  it("receives the user and the password", async () => {
    const server = await api();
    const via = await socksProxy("ann:secret");
    const url = `socks5://ann:secret@127.0.0.1:${via.port}`;
    expect(await clientThrough(url, server.url).get(Node, "n1")).toEqual(node);
  });

  it.each([
    ["ann:other", 0, "it refused the user or the password"],
    [undefined, 0, "it wants another way to log in"],
    ["ann:secret", 5, "connection refused"],
  ])("that refuses (%s, %s) is reported", async (login, reply, message) => {
    const via = await socksProxy(login, reply);
    const failure = clientThrough(`socks5://ann:secret@127.0.0.1:${via.port}`, "https://10.255.255.1").get(
      Node,
      "n1",
    );
    await expect(failure).rejects.toThrow(message);
    await expect(failure).rejects.toMatchObject({ problem: "proxy" });
  });
});

it("proxy: an invalid address is a configuration error", () => {
  expect(() => undiciTransport({ server: "http://x", proxyUrl: "ftp://ann:secret@x" })).toThrow(
    "proxy-url must be an address that starts with http:// or",
  );
});
