// A data directory between processes: who may open it, and what they say of what they find.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { buildServer, KillableServer } from "./killable-server.js";

/** What a log begins with. */
const firstLine = "kubewright log 1\n";
const collection = "/api/v1/namespaces/default/configmaps";
let folder: string;
let program: string;
let directory: string;
let count = 0;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-"));
  program = await buildServer(folder);
}, 120_000);
beforeEach(() => {
  directory = join(folder, `data-${count++}`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = () => KillableServer.start(program, directory);
const create = async (server: KillableServer, name: string): Promise<void> => {
  const { statusCode, body } = await server.send("POST", collection, { metadata: { name } });
  await body.dump();
  expect(statusCode).toBe(201);
};
const names = async (server: KillableServer): Promise<string[]> => {
  const { body } = await server.send("GET", collection);
  const { items } = (await body.json()) as { items: { metadata: { name: string } }[] };
  return items.map(({ metadata }) => metadata.name);
};

/** A directory with two objects, of a server that was killed. */
async function killed(): Promise<void> {
  const server = await start();
  for (const name of ["a", "b"]) await create(server, name);
  await server.kill();
}

/** The newest file of a kind. */
const file = (kind: string): string => {
  const found = readdirSync(directory).filter((name) => name.startsWith(`${kind}-`));
  return join(directory, found.sort().at(-1) ?? "");
};

describe("a data directory", { timeout: 120_000 }, () => {
  test("belongs to one of the processes that want it at the same time", async () => {
    await killed();
    const outcomes = await Promise.allSettled(Array.from({ length: 5 }, start));
    const owners = outcomes.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    const refusals = outcomes.flatMap((each) => (each.status === "rejected" ? [String(each.reason)] : []));
    expect(owners).toHaveLength(1);
    expect(refusals).toHaveLength(4);
    for (const refusal of refusals)
      expect(refusal).toMatch(
        /DataDirectoryInUseError: the data directory .* (is in use by process \d+|was taken)/,
      );
    expect(await names(owners[0]!)).toEqual(["a", "b"]);
    await owners[0]?.kill();
  });

  test("is free again once its owner was killed", async () => {
    await killed();
    const next = await start();
    expect(await names(next)).toEqual(["a", "b"]);
    await next.kill();
  });

  test("with a write that was not finished goes on without it, and says so", async () => {
    await killed();
    const bytes = readFileSync(file("log"));
    const end = bytes.findLastIndex((byte) => byte !== 0) + 1;
    // The beginning of another frame, as when the machine stopped while it was written.
    const begun = bytes.subarray(firstLine.length, firstLine.length + 20);
    writeFileSync(file("log"), Buffer.concat([bytes.subarray(0, end), begun]));
    const next = await start();
    expect(next.hello.torn?.bytes).toBeGreaterThan(0);
    expect(await names(next)).toEqual(["a", "b"]);
    await create(next, "c");
    await next.kill();
    const last = await start();
    expect(last.hello.torn).toBeUndefined();
    expect(await names(last)).toEqual(["a", "b", "c"]);
    await last.kill();
  });

  test("that is damaged is refused by file and offset, and left alone", async () => {
    await killed();
    const bytes = readFileSync(file("log"));
    const middle = Math.floor((bytes.findLastIndex((byte) => byte !== 0) + 1) / 2);
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    writeFileSync(file("log"), bytes);
    await expect(start()).rejects.toThrow(/DataError: .*log-\d+.* offset \d+/);
    expect(readFileSync(file("log")).equals(bytes)).toBe(true);
    await expect(start()).rejects.toThrow("DataError");
  });

  test("of a newer format is refused, and says what reads it", async () => {
    await killed();
    const log = readFileSync(file("log"));
    writeFileSync(
      file("log"),
      Buffer.concat([Buffer.from("kubewright log 9\n"), log.subarray(firstLine.length)]),
    );
    await expect(start()).rejects.toThrow(
      /DataError: .*log-\d+: the file has format 9, and this version of kubewright reads up to 1; use a newer one/,
    );
    writeFileSync(file("log"), log);
    await (await start()).kill();
  });
});
