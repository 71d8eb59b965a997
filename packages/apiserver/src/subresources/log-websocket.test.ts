import type { MessageSocket, TransportRequest, TransportResponse } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { logForClient } from "./log-websocket.js";

const request = (protocols?: string): TransportRequest => ({
  method: "GET",
  path: "/api/v1/namespaces/a/pods/p/log",
  headers: {
    upgrade: "WebSocket",
    ...(protocols === undefined ? {} : { "sec-websocket-protocol": protocols }),
  },
});

async function* lines(): AsyncIterable<Uint8Array> {
  yield Buffer.from("one\n");
  yield Buffer.from("two\n");
}

const whole: TransportResponse = {
  status: 200,
  headers: {},
  body: { kind: "bytes", bytes: Buffer.from("one\ntwo\n") },
};
const followed: TransportResponse = {
  status: 200,
  headers: {},
  body: { kind: "stream", chunks: { [Symbol.asyncIterator]: () => lines()[Symbol.asyncIterator]() } },
};

/** The messages a client receives until the end. */
async function received({ upgrade }: TransportResponse): Promise<string[]> {
  const messages: string[] = [];
  await new Promise<void>((resolve) => {
    const socket: MessageSocket = {
      send: async (message) => void messages.push(Buffer.from(message).toString()),
      listen: () => undefined,
      pause: () => undefined,
      resume: () => undefined,
      close: () => resolve(),
    };
    upgrade?.serve(socket);
  });
  return messages;
}

describe("pod log over a WebSocket", () => {
  test.each([
    ["whole", whole, ["", "one\ntwo\n"]],
    ["as it is written", followed, ["", "one\n", "two\n"]],
  ])("is sent %s, after an empty message", async (_, answer, expected) => {
    expect(await received(logForClient(request("binary.k8s.io"), answer))).toEqual(expected);
  });

  test.each([
    ["whole", whole, ["", "b25lCnR3bwo="]],
    ["as it is written", followed, ["", "b25lCg==", "dHdvCg=="]],
  ])("is sent %s as text in the base64 protocol", async (_, answer, expected) => {
    const { upgrade } = logForClient(request("base64.binary.k8s.io"), answer);
    const texts: string[] = [];
    await new Promise<void>((resolve) =>
      upgrade?.serve({
        send: () => Promise.reject(new Error("a browser would have to read bytes")),
        sendText: async (text) => void texts.push(Buffer.from(text).toString()),
        listen: () => undefined,
        pause: () => undefined,
        resume: () => undefined,
        close: resolve,
      }),
    );
    expect(texts).toEqual(expected);
  });

  test.each([
    [undefined, ""],
    ["binary.k8s.io", "binary.k8s.io"],
    ["v5.channel.k8s.io, binary.k8s.io", "binary.k8s.io"],
    ["base64.binary.k8s.io, binary.k8s.io", "base64.binary.k8s.io"],
  ])("for clients that offer %j is in protocol %j", (offered, chosen) => {
    expect(logForClient(request(offered), whole).upgrade?.protocol).toBe(chosen);
  });

  test("is refused to clients with another WebSocket protocol", () => {
    expect(() => logForClient(request("v5.channel.k8s.io"), whole)).toThrow(
      "there are: binary.k8s.io, base64.binary.k8s.io",
    );
  });

  test("is an ordinary response without an upgrade, and failures always are", () => {
    expect(logForClient({ method: "GET", path: "/" }, whole)).toBe(whole);
    const failure: TransportResponse = { ...whole, status: 400 };
    expect(logForClient(request(), failure)).toBe(failure);
  });
});
