import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { LineDecoder } from "./line-decoder.js";

/** Cuts bytes at the given places. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const cuts = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return cuts.slice(1).map((end, i) => bytes.subarray(cuts[i], end));
}

function decode(chunks: readonly Uint8Array[]): string[] {
  const decoder = new LineDecoder();
  const lines = chunks.flatMap((chunk) => decoder.push(chunk));
  const last = decoder.end();
  return last === "" ? lines : [...lines, last];
}

const text = fc.string({ unit: "binary", maxLength: 30 }).map((s) => s.replaceAll("\n", ""));

describe("LineDecoder", () => {
  it("gives back every line, wherever the stream is cut", () => {
    fc.assert(
      fc.property(fc.array(text), fc.array(fc.nat()), (lines, places) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
        expect(decode(cut(bytes, places))).toEqual(lines);
      }),
    );
  });

  it("gives back a last line that has no end", () => {
    expect(decode([Buffer.from("a\nb")])).toEqual(["a", "b"]);
  });

  it("joins the pieces of a large line once", () => {
    const line = JSON.stringify({ data: "ä".repeat(500_000) });
    const bytes = Buffer.from(`${line}\n`);
    const chunks = Array.from({ length: Math.ceil(bytes.length / 1000) }, (_, i) =>
      bytes.subarray(i * 1000, (i + 1) * 1000),
    );
    const concat = vi.spyOn(Buffer, "concat");
    expect(decode(chunks)).toEqual([line]);
    expect(concat).toHaveBeenCalledTimes(1);
    concat.mockRestore();
  });

  it("refuses a line without end", () => {
    const decoder = new LineDecoder(100);
    decoder.push(Buffer.alloc(60, "a"));
    expect(() => decoder.push(Buffer.alloc(60, "a"))).toThrow("longer than 100 bytes");
  });
});
