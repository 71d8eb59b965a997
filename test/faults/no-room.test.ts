// Servers without descriptors, and on a disk without room: they refuse what they cannot keep, and go on when they can.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildServer, KillableServer } from "../durability/killable-server.js";
import { isAllowed } from "./allowed.js";
import { create, names } from "./config-maps.js";

let folder: string;
let program: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-"));
  program = await buildServer(folder);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.runIf(process.platform === "linux")(
  "a server without descriptors goes on with its log, and begins the next one later",
  {
    timeout: 60_000,
  },
  async () => {
    const directory = join(folder, "descriptors");
    const logs = () =>
      readdirSync(directory)
        .filter((name) => name.startsWith("log-"))
        .sort();
    const server = await KillableServer.start(program, directory, {
      within: ["sh", "-c", 'ulimit -n 64 && exec "$@"', "sh"],
      snapshotAfter: 20_000,
      connections: 1,
    });
    expect(await create(server, "first")).toBe(201);
    const { port } = new URL(server.hello.url);
    const silent: Socket[] = [];
    for (let count = 0; count < 100; count++)
      silent.push(connect(Number(port), "127.0.0.1").on("error", () => undefined));
    await expect.poll(() => readdirSync(`/proc/${server.pid}/fd`).length).toBeGreaterThanOrEqual(64);
    const before = logs();
    const acknowledged = ["first"];
    for (let count = 0; count < 20; count++) {
      const name = `c-${String(count).padStart(2, "0")}`;
      expect(await create(server, name, "x".repeat(50_000))).toBe(201);
      acknowledged.push(name);
    }
    expect(server.errors).toContain("EMFILE");
    expect(logs()).toEqual(before);
    for (const socket of silent) socket.destroy();
    for (let count = 0; logs().at(-1) === before.at(-1); count++) {
      const name = `d-${String(count).padStart(3, "0")}`;
      expect(await create(server, name, "x".repeat(50_000))).toBe(201);
      acknowledged.push(name);
      expect(count).toBeLessThan(200);
    }
    await server.kill();
    const next = await KillableServer.start(program, directory);
    expect(await names(next)).toEqual(acknowledged.sort());
    await next.kill();
  },
);

const small = mkdtempSync(join(tmpdir(), "kubewright-small-"));
const mayMount = isAllowed("mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", small);
afterAll(() => {
  if (mayMount) spawnSync("umount", ["--lazy", small]);
  rmSync(small, { recursive: true, force: true });
});

test.runIf(mayMount)(
  "a server on a full disk refuses writes until there is room, and loses none",
  {
    timeout: 60_000,
  },
  async () => {
    const directory = join(small, "data");
    mkdirSync(directory);
    const server = await KillableServer.start(program, directory, { snapshotAfter: 50_000_000 });
    const acknowledged = ["before"];
    expect(await create(server, "before")).toBe(201);
    const filler = join(small, "filler");
    expect(() => writeFileSync(filler, Buffer.alloc(8 * 1024 * 1024))).toThrow("ENOSPC");
    // How many find room in the blocks that the log has already depends on the moment.
    let status = 201;
    for (let count = 0; status === 201; count++) {
      const name = `c-${String(count).padStart(3, "0")}`;
      status = await create(server, name, "x".repeat(20_000));
      if (status === 201) acknowledged.push(name);
      expect(count).toBeLessThan(200);
    }
    expect(status).toBe(500);
    expect(await create(server, "refused")).toBe(500);
    expect(server.exitCode).toBeUndefined();
    expect(server.errors).toMatch(/cannot be written at the moment: ENOSPC.*it is tried again every second/);
    rmSync(filler);
    await expect.poll(() => create(server, "later"), { timeout: 10_000 }).toBe(201);
    await server.kill();
    const next = await KillableServer.start(program, directory);
    const found = await names(next);
    expect(found).toEqual(expect.arrayContaining([...acknowledged, "later"]));
    expect(found).not.toContain("refused");
    await next.kill();
  },
);
