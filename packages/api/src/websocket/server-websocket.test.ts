import { duplexPair } from "node:stream";
import { describe, expect, test } from "vitest";
import { encodeFrame, opcode } from "./frame.js";
import { ServerWebSocket } from "./server-websocket.js";

/** A frame as clients send it. */
function masked(code: number, payload: string | Buffer, isFinal = true): Buffer {
  const bytes = Buffer.from(payload);
  const frame = encodeFrame(code, bytes);
  const start = frame.length - bytes.length;
  const mask = Buffer.from([1, 2, 3, 4]);
  const header = Buffer.from(frame.subarray(0, start));
  header[0] = (isFinal ? 0x80 : 0) | code;
  header[1] = (header[1] ?? 0) | 0x80;
  return Buffer.concat([header, mask, bytes.map((byte, at) => byte ^ (mask[at & 3] ?? 0))]);
}

function connected() {
  const [client, server] = duplexPair();
  const received: string[] = [];
  const answers: Buffer[] = [];
  let isOver = false;
  client.on("data", (chunk: Buffer) => answers.push(chunk));
  client.on("error", () => undefined);
  const socket = new ServerWebSocket(server, Buffer.alloc(0));
  socket.listen({
    onMessage: (message) => received.push(Buffer.from(message).toString()),
    onEnd: () => {
      isOver = true;
    },
  });
  return { client, socket, received, answer: () => Buffer.concat(answers), isOver: () => isOver };
}

test("ServerWebSocket: fragments become one message, and pings between them are answered", async () => {
  const { client, received, answer } = connected();
  client.write(masked(opcode.text, "one ", false));
  client.write(masked(opcode.ping, "still there?"));
  client.write(masked(opcode.continuation, "two"));
  await expect.poll(() => received).toEqual(["one two"]);
  expect(answer()).toEqual(encodeFrame(opcode.pong, Buffer.from("still there?")));
});

test("ServerWebSocket: messages that come before a listener is set are not lost", async () => {
  const [, server] = duplexPair();
  const socket = new ServerWebSocket(server, masked(opcode.binary, "early"));
  const received: string[] = [];
  socket.listen({
    onMessage: (message) => received.push(Buffer.from(message).toString()),
    onEnd: () => undefined,
  });
  expect(received).toEqual(["early"]);
});

test("ServerWebSocket: the close frame of a client is answered", async () => {
  const { client, answer, isOver } = connected();
  client.write(masked(opcode.close, Buffer.from([3, 232])));
  await expect.poll(isOver).toBe(true);
  expect(answer()).toEqual(encodeFrame(opcode.close, Buffer.from([3, 232])));
});

describe("ServerWebSocket: clients that violate the protocol get a close frame and are disconnected", () => {
  const tooLong = Buffer.alloc(10);
  tooLong[0] = 0x82;
  tooLong[1] = 0xff;
  tooLong.writeBigUInt64BE(2n ** 40n, 2);

  test.each([
    ["a frame that is not masked", encodeFrame(opcode.binary, Buffer.from("x")), 1002],
    ["an extension", Buffer.concat([Buffer.from([0xc2]), masked(opcode.binary, "x").subarray(1)]), 1002],
    ["a frame that is too long", Buffer.concat([tooLong, Buffer.alloc(4)]), 1009],
    ["the rest of no message", masked(opcode.continuation, "x"), 1002],
    [
      "a message inside of another",
      Buffer.concat([masked(opcode.text, "a", false), masked(opcode.text, "b")]),
      1002,
    ],
  ])("%s", async (_what, bytes, code) => {
    const { client, answer, isOver, received } = connected();
    client.write(bytes);
    await expect.poll(isOver).toBe(true);
    await expect.poll(answer).toEqual(encodeFrame(opcode.close, Buffer.from([code >> 8, code & 255])));
    expect(received).toEqual([]);
  });
});
