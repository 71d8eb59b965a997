import { describe, expect, test } from "vitest";
import { YamlError } from "../codec/yaml/yaml-error.js";
import { ObjectTooLarge } from "../storage/index.js";
import { readInTurns } from "./read-in-turns.js";
import { parseRequestInfo } from "./request-info.js";
import { TurnQueue } from "./turns.js";

const queue = new TurnQueue();
const read = async (
  text: string,
  type = "application/yaml",
  path = "/api/v1/configmaps",
  method: "POST" | "DELETE" = "POST",
) => {
  const bytes = Buffer.from(text);
  const headers = { "content-type": type };
  const request = { method, path, headers, body: { kind: "bytes", bytes } } as const;
  return readInTurns(queue, request, parseRequestInfo(request));
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
    const request = { method: "POST", path: "/", body } as const;
    expect(await readInTurns(queue, request, parseRequestInfo(request))).toEqual({});
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

  test.each([
    ["POST", "/api/v1/namespaces/a/pods/b/eviction"],
    ["POST", "/api/v1/namespaces/a/pods/b/binding"],
    ["POST", "/api/v1/namespaces/a/serviceaccounts/b/token"],
    ["DELETE", "/api/v1/namespaces/a/pods/b"],
    ["DELETE", "/api/v1/namespaces/a/pods"],
  ] as const)(
    "of %s %s is stored nowhere, so that it may be larger than any object",
    async (method, path) => {
      const text = JSON.stringify({ list: Array(600_000).fill(1), text: "x".repeat(1_600_000) });
      const { readers } = await read(text, "application/json", path, method);
      expect(readers?.readJson?.(Buffer.from(text), false).value).toHaveProperty("list.length", 600_000);
      const { readers: ofObject } = await read(text, "application/json");
      expect(() => ofObject?.readJson?.(Buffer.from(text), false)).toThrow(ObjectTooLarge);
    },
  );

  test("that is broken fails when it is needed", async () => {
    const { readers } = await read(`${lines}\n- x`);
    expect(() => readers?.readYaml?.(Buffer.from(lines))).toThrow(YamlError);
  });
});
