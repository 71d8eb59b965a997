// Browsers, whose messages are text: everything over TLS as they send and receive it.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Simulation, shell } from "../fixtures/simulation.js";
import { Base64Socket } from "./base64-socket.js";
import { client } from "./fixtures/spdy-client.js";
import { type HeardFrame, openWebSocket } from "./fixtures/text-frames.js";

const encoded = (text: string | Uint8Array): string => Buffer.from(text).toString("base64");
const decoded = (text: string): string => Buffer.from(text, "base64").toString();

async function browser(simulation: Simulation, path: string, protocol: string) {
  const { port, kubeconfig } = await simulation.cluster.listen();
  const token = /token: "(.*)"/.exec(kubeconfig)?.[1] ?? "";
  const url = new URL(`https://127.0.0.1:${port}/api/v1/namespaces/default/pods/p/${path}`);
  return openWebSocket(url, token, protocol);
}

/** The text received on a channel. */
const on = (received: readonly HeardFrame[], channel: number): string =>
  received
    .filter(({ text, opcode }) => opcode === 1 && text.startsWith(String(channel)))
    .map(({ text }) => decoded(text.slice(1)))
    .join("");

test.each([
  ["v4.base64.channel.k8s.io", /^\{"metadata":\{\},"status":"Failure".*"message":"3"/],
  ["base64.channel.k8s.io", /^command terminated with non-zero exit code: exit status 3$/],
])("base64 protocols: exec over %s", async (protocol, outcome) => {
  await using simulation = await Simulation.start();
  await simulation.run();
  const path = "exec?command=sh&command=-c&command=hostname%3B+exit+3&stdout=1&stderr=1";
  const { received, close } = await browser(simulation, path, protocol);
  await expect.poll(() => received.at(-1)?.opcode).toBe(8);
  expect(received[0]).toMatchObject({ opcode: 1, text: "1" });
  expect(on(received, 1)).toBe("p\n");
  expect(on(received, 3)).toMatch(outcome);
  expect(received.map(({ opcode }) => opcode).filter((opcode) => opcode !== 8 && opcode !== 1)).toEqual([]);
  close();
});

test("base64 protocols: input is decoded, and what is not base64 is ignored", async () => {
  await using simulation = await Simulation.start();
  await simulation.run();
  const { received, say, close } = await browser(
    simulation,
    "exec?command=cat&stdin=1&stdout=1",
    "base64.channel.k8s.io",
  );
  for (const text of ["0", "", "0!!!!", "0YQ", `7${encoded("nowhere")}`, `0${encoded("hello\n")}`]) say(text);
  await expect.poll(() => on(received, 1)).toBe("hello\n");
  close();
});

test("base64 protocols: port-forward", async () => {
  await using simulation = await Simulation.start();
  await simulation.run();
  const { received, say, close } = await browser(
    simulation,
    "portforward?ports=8080",
    "v4.base64.channel.k8s.io",
  );
  await expect.poll(() => received.length).toBe(2);
  const number = encoded(Uint8Array.of(8080 & 255, 8080 >> 8));
  expect(received.map(({ text }) => text)).toEqual([`0${number}`, `1${number}`]);
  say(`0${encoded("GET / HTTP/1.1\r\nHost: x\r\n\r\n")}`);
  await expect.poll(() => on(received, 0)).toContain("pod default/p, port 8080: GET / HTTP/1.1\n");
  close();
});

test("base64 protocols: logs", async () => {
  await using simulation = await Simulation.start();
  await simulation.run(shell("echo one; echo two"), { restartPolicy: "Never" });
  const { received, close } = await browser(simulation, "log", "base64.binary.k8s.io");
  await expect.poll(() => received.at(-1)?.opcode).toBe(8);
  const texts = received.slice(0, -1);
  expect(texts[0]).toMatchObject({ opcode: 1, text: "" });
  expect(texts.every(({ opcode }) => opcode === 1)).toBe(true);
  expect(texts.map(({ text }) => decoded(text)).join("")).toBe("one\ntwo\n");
  close();
});

test("base64 protocols: a socket without text messages sends bytes", async () => {
  const { socket, sent } = client();
  await new Base64Socket(socket).send(Uint8Array.of(2, 255, 0));
  expect(sent.map(String)).toEqual([`2${encoded(Uint8Array.of(255, 0))}`]);
});

test("base64 protocols: exec is audited", async () => {
  const folder = mkdtempSync(join(tmpdir(), "base64-"));
  const auditLog = join(folder, "audit.log");
  await using simulation = await Simulation.start({ auditLog });
  await simulation.run();
  const path = "exec?command=hostname&stdout=1";
  const { received, close } = await browser(simulation, path, "base64.channel.k8s.io");
  await expect.poll(() => received.at(-1)?.opcode).toBe(8);
  expect(received[0]).toMatchObject({ opcode: 1, text: "1" });
  close();
  await expect.poll(() => readFileSync(auditLog, "utf8")).toMatch(/"ResponseComplete".*"subresource":"exec"/);
  rmSync(folder, { recursive: true });
});
