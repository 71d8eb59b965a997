// One data directory, and processes that do not see each other: two containers with the same volume.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildServer, KillableServer } from "../durability/killable-server.js";
import { inPidNamespace, mayMakePidNamespaces } from "./allowed.js";
import { create, names } from "./config-maps.js";

let folder: string;
let program: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-"));
  program = await buildServer(folder);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.runIf(mayMakePidNamespaces)(
  "a data directory in several PID namespaces has one owner, and the next one finds everything",
  { timeout: 120_000 },
  async () => {
    const directory = join(folder, "data");
    const start = () => KillableServer.start(program, directory, { within: inPidNamespace });
    const first = await start();
    expect(await create(first, "a")).toBe(201);
    await expect(start()).rejects.toThrow("is in use by process 1 of another container or machine; stop it");
    expect(await create(first, "b")).toBe(201);
    await first.kill();
    const outcomes = await Promise.allSettled([start(), start(), start()]);
    const owners = outcomes.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
    expect(owners).toHaveLength(1);
    expect(await names(owners[0]!)).toEqual(["a", "b"]);
    expect(await create(owners[0]!, "c")).toBe(201);
    await owners[0]?.kill();
    const last = await start();
    expect(await names(last)).toEqual(["a", "b", "c"]);
    await last.kill();
  },
);
