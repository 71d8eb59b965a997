import { constants, inflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { client, dataOn, frame, headerWriter, opening } from "../fixtures/spdy-client.js";
import { emptyHeaderBlock, HeaderReader, headerDictionary } from "./header-block.js";
import { serveSpdyPorts } from "./spdy-ports.js";

test("SPDY: the dictionary is that of the specification", () => {
  let [a, b] = [1, 0];
  for (const byte of headerDictionary()) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  expect(headerDictionary()).toHaveLength(1423);
  expect(((b << 16) | a) >>> 0).toBe(0xe3c6a7c2);
});

test("SPDY: header blocks are read one after another, as one compressed stream", async () => {
  const write = headerWriter();
  const reader = new HeaderReader();
  for (const port of ["80", "8080"]) {
    const headers = { streamType: "data", port, requestID: "0" };
    expect(await reader.read(await write(headers))).toEqual(
      new Map([
        ["streamtype", "data"],
        ["port", port],
        ["requestid", "0"],
      ]),
    );
  }
  await expect(reader.read(Buffer.from("this is not compressed"))).rejects.toThrow();
  reader.close();
});

test("SPDY: an empty block can be read with the dictionary", () => {
  const all = Buffer.concat([emptyHeaderBlock(true), emptyHeaderBlock(false)]);
  const options = { dictionary: headerDictionary(), finishFlush: constants.Z_SYNC_FLUSH };
  expect(inflateSync(all, options)).toEqual(Buffer.alloc(8));
});

describe("port-forward over SPDY", () => {
  test("sends bytes both ways, in pieces of any size, and failures in their own stream", async () => {
    const { socket, sent, say } = client();
    serveSpdyPorts(socket, async ({ port, received, send }) => {
      if (port === 1) throw new Error("connection refused");
      for await (const chunk of received) await send(`${port}:${Buffer.from(chunk)}`);
    });
    const write = headerWriter();
    const stream = async (id: number, streamtype: string, port: string) =>
      opening(id, await write({ streamtype, port, requestid: port }));
    const all = Buffer.concat([
      await stream(1, "error", "80"),
      await stream(3, "data", "80"),
      frame(3, 1, Buffer.from("ping")),
      await stream(5, "error", "1"),
      await stream(7, "data", "1"),
      frame(0x8003_0006, 0, Buffer.from([0, 0, 0, 9])),
    ]);
    for (let at = 0; at < all.length; at += 7) say(all.subarray(at, at + 7));
    await expect
      .poll(() => dataOn(sent, 5))
      .toBe("an error occurred forwarding to port 1: connection refused");
    expect(dataOn(sent, 3)).toBe("80:ping");
    const isFin = (id: number): boolean => sent.some((one) => one.readUInt32BE(0) === id && one[4] === 1);
    await expect.poll(() => [1, 3, 5, 7].map(isFin)).toEqual([true, true, true, true]);
    expect(sent.some((one) => one.readUInt32BE(0) === 0x8003_0006)).toBe(true);
  });

  test.each([
    ["a frame that is too long", frame(3, 0, Buffer.alloc(0)).fill(0xff, 5, 8)],
    ["headers that are none", opening(1, Buffer.from("nonsense"))],
  ])("%s ends the connection", async (_what, bytes) => {
    const { socket, say, isClosed } = client();
    serveSpdyPorts(socket, async () => undefined);
    say(bytes);
    await expect.poll(isClosed).toBe(true);
  });
});
