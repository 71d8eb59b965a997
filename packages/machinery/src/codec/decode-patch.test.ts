import { ApiError } from "@kubewright/api";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeJsonPatch, decodeObjectPatch } from "./decode-patch.js";

const bytes = (text: string) => ({ kind: "bytes", bytes: Buffer.from(text) }) as const;

describe("decoding a patch", () => {
  it("takes a list of operations, or an object", () => {
    expect(decodeJsonPatch(bytes('[{"op":"remove","path":"/a"}]')).patch).toEqual([
      { op: "remove", path: "/a" },
    ]);
    expect(decodeObjectPatch(bytes('{"a":null}'), "merge").patch).toEqual({ a: null });
    expect(decodeObjectPatch(bytes("a: 1\n"), "apply").patch).toEqual({ a: 1 });
    expect(decodeObjectPatch({ kind: "object", value: Object.freeze({ a: 1 }) }, "strategic").patch).toEqual({
      a: 1,
    });
  });

  it("says which keys stood twice", () => {
    expect(decodeObjectPatch(bytes('{"a":{"b":1,"b":2}}'), "merge").duplicates).toEqual([
      { path: "a.b", message: 'duplicate field "a.b"' },
    ]);
  });

  it.each([
    [
      "json",
      '{"op":"add"}',
      "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
    ],
    [
      "merge",
      '[{"data":{}}]',
      "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
    ],
    ["merge", '{"data": ', "error decoding patch: unexpected end of JSON input"],
    ["strategic", '"text"', "json: cannot unmarshal string into Go value of type map[string]interface {}"],
    ["apply", "a: [1", "error decoding YAML: error converting YAML to JSON: yaml: line 1: "],
  ] as const)("refuses a %s patch %s", (format, text, message) => {
    const run = () =>
      format === "json" ? decodeJsonPatch(bytes(text)) : decodeObjectPatch(bytes(text), format);
    expect(run).toThrow(ApiError);
    expect(run).toThrow(message);
  });

  it.each([
    ["merge", '{"a":9007199254740993}'],
    ["strategic", '{"a":9007199254740993}'],
    ["apply", "a: 9007199254740993"],
  ] as const)("keeps integers of 64 bits in a %s patch", (format, text) => {
    expect(decodeObjectPatch(bytes(text), format).patch).toEqual({ a: 9007199254740993n });
  });

  it("refuses too much", () => {
    const many = `[${Array(10_001).fill("{}").join()}]`;
    expect(() => decodeJsonPatch(bytes(many))).toThrow(
      "maximum operations in a JSON patch is 10000, got 10001",
    );
    expect(() => decodeJsonPatch(bytes(" ".repeat(4_000_000)))).toThrow("limit is 3145728");
  });

  it("survives arbitrary bytes", () => {
    const formats = ["merge", "strategic", "apply"] as const;
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.constantFrom(...formats), (body, format) => {
        for (const run of [
          () => decodeJsonPatch({ kind: "bytes", bytes: body }),
          () => decodeObjectPatch({ kind: "bytes", bytes: body }, format),
        ]) {
          try {
            run();
          } catch (error) {
            expect(error).toBeInstanceOf(ApiError);
          }
        }
      }),
    );
  });
});
