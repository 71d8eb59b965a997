import { describe, expect, test } from "vitest";
import { YamlError } from "../codec/yaml/yaml-error.js";
import { readInTurns } from "./read-in-turns.js";
import { TurnQueue } from "./turns.js";

const queue = new TurnQueue();
const read = (text: string, type = "application/yaml") => {
  const bytes = Buffer.from(text);
  const headers = { "content-type": type };
  return readInTurns(queue, { method: "POST", path: "/", headers, body: { kind: "bytes", bytes } });
};
const lines = Array.from({ length: 5_000 }, (_, index) => `key-${index}: value`).join("\n");

describe("a body", () => {
  test("of the process itself is read at once", async () => {
    const body = { kind: "object", value: {} } as const;
    expect(await readInTurns(queue, { method: "POST", path: "/", body })).toEqual({});
  });

  test("of JSON, or of little YAML, is read by whoever needs it", async () => {
    expect((await read(lines, "application/json")).readYaml).toBeUndefined();
    expect((await read("a: b")).readYaml).toBeUndefined();
  });

  test("of much YAML is read while others have their turns", async () => {
    let rounds = 0;
    const count = (): void => {
      rounds += 1;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    const { readYaml } = await read(lines, "application/apply-patch+yaml");
    clearImmediate(next);
    expect(rounds).toBeGreaterThan(1);
    const value = readYaml?.(Buffer.from(lines)).value as Record<string, string>;
    expect([Object.keys(value).length, value["key-4999"]]).toEqual([5_000, "value"]);
    // Who asks twice gets a value of their own.
    expect(readYaml?.(Buffer.from(lines)).value).not.toBe(value);
  });

  test("that is broken fails when it is needed", async () => {
    const { readYaml } = await read(`${lines}\n- x`);
    expect(() => readYaml?.(Buffer.from(lines))).toThrow(YamlError);
  });
});
