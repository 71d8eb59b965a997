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

async function countingRounds<T>(work: () => Promise<T>): Promise<{ rounds: number; reading: T }> {
  let rounds = 0;
  const count = (): void => {
    rounds += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  const reading = await work();
  clearImmediate(next);
  return { rounds, reading };
}

describe("a body", () => {
  test("of the process itself is read at once", async () => {
    const body = { kind: "object", value: {} } as const;
    expect(await readInTurns(queue, { method: "POST", path: "/", body })).toEqual({});
  });

  test("of little JSON or YAML is read by whoever needs it", async () => {
    expect((await read("{}", "application/json")).readers).toBeUndefined();
    expect((await read("a: b")).readers).toBeUndefined();
  });

  test("of much YAML is read while others have their turns", async () => {
    const { rounds, reading } = await countingRounds(() => read(lines, "application/apply-patch+yaml"));
    const { readers } = reading;
    expect(rounds).toBeGreaterThan(1);
    const value = readers?.readYaml?.(Buffer.from(lines)).value as Record<string, string>;
    expect([Object.keys(value).length, value["key-4999"]]).toEqual([5_000, "value"]);
    // Who asks twice gets a value of their own.
    expect(readers?.readYaml?.(Buffer.from(lines)).value).not.toBe(value);
  });

  test("of much JSON is read while others have their turns", async () => {
    const list = Array.from({ length: 100_000 }, (_, index) => ({ index }));
    const text = JSON.stringify(list);
    const { rounds, reading } = await countingRounds(() => read(text, "application/json"));
    expect(rounds).toBeGreaterThan(1);
    expect(reading.readers?.readJson?.(Buffer.from(text), true).value).toEqual(list);
  });

  test("that is broken fails when it is needed", async () => {
    const { readers } = await read(`${lines}\n- x`);
    expect(() => readers?.readYaml?.(Buffer.from(lines))).toThrow(YamlError);
  });
});
