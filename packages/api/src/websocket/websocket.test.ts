import fc from "fast-check";
import { expect, it } from "vitest";
import { acceptKey, encodeFrame, FrameDecoder, FrameError, MessageAssembler, opcode } from "./index.js";

const mask = Buffer.from([1, 2, 3, 4]);
const decoder = (sender: "client" | "server", maxLength = 1 << 20) => new FrameDecoder({ sender, maxLength });

it.each(["client", "server"] as const)(
  "WebSocket frames of a %s are decoded however they are cut",
  (sender) => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 300 })),
        fc.integer({ min: 1, max: 50 }),
        (payloads, size) => {
          const own = sender === "client" ? mask : undefined;
          const bytes = Buffer.concat(payloads.map((payload) => encodeFrame(opcode.binary, payload, own)));
          const reader = decoder(sender);
          const found: string[] = [];
          for (let at = 0; at < bytes.length; at += size)
            for (const { payload } of reader.push(Buffer.from(bytes.subarray(at, at + size))))
              found.push(payload.toString("hex"));
          expect(found).toEqual(payloads.map((payload) => Buffer.from(payload).toString("hex")));
        },
      ),
      { numRuns: 50 },
    );
  },
);

it.each([0, 125, 126, 65_535, 65_536, 100_000])("WebSocket frames hold %i bytes", (length) => {
  const payload = Buffer.alloc(length, "x");
  const [frame] = decoder("client").push(encodeFrame(opcode.text, payload, mask));
  expect(frame).toMatchObject({ isFinal: true, opcode: opcode.text });
  expect(frame?.payload.equals(payload)).toBe(true);
});

it.each([
  ["an unmasked frame of a client", () => decoder("client").push(encodeFrame(2, Buffer.from("a"))), 1002],
  ["a masked frame of a server", () => decoder("server").push(encodeFrame(2, Buffer.from("a"), mask)), 1002],
  ["a frame with an extension", () => decoder("server").push(Buffer.from([0xc2, 0])), 1002],
  ["a frame that is too long", () => decoder("server", 3).push(encodeFrame(2, Buffer.from("abcd"))), 1009],
])("WebSocket: %s is a protocol error", (_what, push, code) => {
  expect(push).toThrow(FrameError);
  expect(push).toThrow(expect.objectContaining({ code }));
});

it("WebSocket messages are put together from fragments, and refused where one is interrupted or too long", () => {
  const frame = (code: number, text: string, isFinal: boolean) => ({
    opcode: code,
    payload: Buffer.from(text),
    isFinal,
  });
  const messages = new MessageAssembler(5);
  expect(messages.add(frame(opcode.text, "ab", false))).toBeUndefined();
  expect(messages.add(frame(opcode.continuation, "cd", true))?.toString()).toBe("abcd");
  messages.add(frame(opcode.text, "ab", false));
  expect(() => messages.add(frame(opcode.text, "c", true))).toThrow("interrupted");
  expect(() => new MessageAssembler(1).add(frame(opcode.text, "ab", true))).toThrow("too long");
});

it("WebSocket: the accept key is that of RFC 6455", () => {
  expect(acceptKey("dGhlIHNhbXBsZSBub25jZQ==")).toBe("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
});
