import type { Socket } from "node:net";
import type { TransportRequest } from "@kubewright/api";
import { afterEach, describe, expect, it } from "vitest";
import { ConfigError } from "../config-error.js";
import { type Loopback, rawLoopback } from "../fixtures/loopback-server.js";
import { undiciTransport } from "./undici-transport.js";

const cleanup: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of cleanup.splice(0).reverse()) await close();
});

/** A server that answers the first bytes with this; the bytes it received are kept. */
async function serve(text: string, end = (socket: Socket): unknown => socket.end()) {
  let received = "";
  const server: Loopback = await rawLoopback((socket) => {
    socket.once("data", (data) => {
      received = data.toString("latin1");
      socket.write(text, () => end(socket));
    });
  });
  cleanup.push(server.close);
  return { server, received: () => received };
}

const watch: TransportRequest = { method: "GET", path: "/api/v1/pods", headers: {}, stream: true };

function transportTo(url: string) {
  const transport = undiciTransport({ server: url, retry: false });
  cleanup.push(() => transport.close());
  return transport;
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
}

describe("streamed response", () => {
  it("is asked for under the server's name, port included", async () => {
    const { server, received } = await serve("HTTP/1.1 200 OK\r\n\r\n");
    await transportTo(server.url)(watch);
    expect(received()).toMatch(/^GET \/api\/v1\/pods HTTP\/1\.1\r\n/);
    expect(received().toLowerCase()).toContain(`\r\nhost: 127.0.0.1:${server.port}\r\n`);
  });

  it("brings a header that came twice as a list", async () => {
    const { server } = await serve(
      "HTTP/1.1 200 OK\r\nWarning: 299 - one\r\nWarning: 299 - two\r\nX-One: 1\r\n\r\n",
    );
    const { status, headers } = await transportTo(server.url)(watch);
    expect(status).toBe(200);
    expect(headers).toEqual({ warning: ["299 - one", "299 - two"], "x-one": "1" });
  });

  it.each([
    ["with its length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"],
    ["in chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"],
    ["until the connection ends", "HTTP/1.1 200 OK\r\n\r\nhello"],
    ["after one that only informs", "HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\n\r\nhello"],
  ])("is read %s", async (_how, text) => {
    const { server } = await serve(text);
    const { body } = await transportTo(server.url)(watch);
    expect(body.kind === "stream" && (await textOf(body.chunks))).toBe("hello");
  });

  it("that is no HTTP is reported as such, without its bytes", async () => {
    const { server } = await serve("SSH-2.0-OpenSSH_9.6\r\n");
    const failure = transportTo(server.url)(watch);
    await expect(failure).rejects.toMatchObject({ problem: "malformed" });
    await expect(failure).rejects.not.toHaveProperty("cause");
  });

  it("ends when the client is closed, and says so", async () => {
    const { server } = await serve("HTTP/1.1 200 OK\r\n\r\nhello", () => undefined);
    const transport = transportTo(server.url);
    const { body } = await transport(watch);
    const reading = body.kind === "stream" ? textOf(body.chunks) : "";
    await transport.close();
    await expect(reading).rejects.toThrow(/this client was closed/);
    await expect.poll(server.open, { timeout: 10_000 }).toBe(0);
  });

  it("is not asked for with a header that cannot be sent", async () => {
    const { server, received } = await serve("");
    const request = { ...watch, headers: { "x-user": "one\r\ntwo" } };
    await expect(transportTo(server.url)(request)).rejects.toBeInstanceOf(ConfigError);
    expect(received()).toBe("");
  });
});
