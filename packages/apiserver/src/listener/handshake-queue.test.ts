import { type AddressInfo, connect as connectPlain, Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { connect } from "node:tls";
import { createCertificateAuthority } from "@kubewright/api/x509";
import { expect, test } from "vitest";
import { HandshakeQueue } from "./handshake-queue.js";
import { listen } from "./http-listener.js";

test("HandshakeQueue: begins a few handshakes in each round, in order, and none of closed sockets", async () => {
  const begun: Socket[] = [];
  const queue = new HandshakeQueue((socket) => void begun.push(socket));
  const sockets = Array.from({ length: 30 }, () => new Socket());
  for (const socket of sockets) queue.add(socket);
  expect(begun).toEqual(sockets.slice(0, 12));
  sockets[20]?.destroy();
  await setImmediate();
  expect(begun).toHaveLength(23);
  await setImmediate();
  expect(begun).toEqual(sockets.filter((_, index) => index !== 20));
  await setImmediate();
  const late = new Socket();
  queue.add(late);
  expect(begun.at(-1)).toBe(late);
});

const validity = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 3_600_000 };
const authority = createCertificateAuthority({ commonName: "ca", ...validity });
const serving = authority.issue({ commonName: "api", hosts: ["127.0.0.1"], usage: "server", ...validity });

const start = (handshake = 10_000) =>
  listen(async () => ({ status: 200, headers: {}, body: { kind: "bytes", bytes: Buffer.from("hello") } }), {
    host: "127.0.0.1",
    port: 0,
    serving,
    clientAuthority: authority.certificate,
    timeouts: { handshake },
  });

const ask = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = "";
    const socket = connect({ host: "127.0.0.1", port, ca: authority.certificate });
    socket.on("error", reject);
    socket.on("data", (chunk) => (text += chunk));
    socket.on("close", () => resolve(text));
    socket.write("GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  });

test("HandshakeQueue: serves hundreds of clients at once while others connect and send nothing", async () => {
  const listener = await start();
  const silent = Array.from({ length: 20 }, () => connectPlain(listener.port, "127.0.0.1"));
  for (const socket of silent) socket.on("error", () => undefined);
  const answers = await Promise.all(Array.from({ length: 60 }, () => ask(listener.port)));
  expect(answers.filter((text) => text.endsWith("hello"))).toHaveLength(60);
  // Nobody waits for them at the end.
  const closed = Promise.all(silent.map((socket) => new Promise((resolve) => socket.once("close", resolve))));
  await listener.close();
  await closed;
});

test("HandshakeQueue: closes a connection that sends nothing within the timeout", async () => {
  const listener = await start(50);
  const socket = connectPlain(listener.port, "127.0.0.1");
  socket.resume();
  await new Promise((resolve) => socket.once("close", resolve));
  expect((socket.address() as AddressInfo).port).toBeUndefined();
  await listener.close();
});
