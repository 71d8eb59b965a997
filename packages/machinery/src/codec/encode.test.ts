import { describe, expect, it } from "vitest";
import { encodeJson, encodeYaml, shouldCompress } from "./encode.js";
import { parseYaml } from "./yaml/parse-yaml.js";

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

describe("encoding responses", () => {
  it("ends JSON with a line feed", () => {
    expect(text(encodeJson({ a: [1, "ü"] }))).toBe('{"a":[1,"ü"]}\n');
    expect(text(encodeJson({ a: 1 }, true))).toBe('{\n  "a": 1\n}');
  });

  it("writes YAML as kubectl users know it", () => {
    const value = {
      kind: "ConfigMap",
      apiVersion: "v1",
      data: { b: "yes", a: "1", c: "x\ny\n" },
      list: [{ z: 1 }],
    };
    expect(encodeYaml(value)).toBe(
      'apiVersion: v1\ndata:\n  a: "1"\n  b: "yes"\n  c: |\n    x\n    y\nkind: ConfigMap\nlist:\n- z: 1\n',
    );
    expect(parseYaml(Buffer.from(encodeYaml(value))).value).toEqual(value);
  });

  it("writes integers of 64 bits with all their digits", () => {
    const value = { a: [{ b: 9223372036854775807n }, -9223372036854775808n], c: 1 };
    expect(text(encodeJson(value))).toBe('{"a":[{"b":9223372036854775807},-9223372036854775808],"c":1}\n');
    expect(encodeYaml(value)).toBe("a:\n- b: 9223372036854775807\n- -9223372036854775808\nc: 1\n");
  });

  it.each([
    [200_000, "gzip", true],
    [200_000, "deflate, gzip;q=1.0", true],
    [200_000, "br", false],
    [200_000, undefined, false],
    [1_000, "gzip", false],
  ])("compresses %i bytes for %s: %s", (size, accepted, compress) => {
    expect(shouldCompress(size, accepted)).toBe(compress);
  });
});
