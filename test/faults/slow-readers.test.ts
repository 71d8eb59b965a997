// Slow readers of long lists. KUBEWRIGHT_LONG_TESTS=1: 10,000 pods and 100 readers for each form of a list.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildServer, KillableServer } from "../durability/killable-server.js";
import { createPods, type Form, forms, readSlowly } from "./slow-readers.js";

const long = Boolean(process.env["KUBEWRIGHT_LONG_TESTS"]);
const [pods, readers, seconds] = long ? [10_000, 100, 40] : [2_000, 30, 1.5];
const asked: readonly Form[] = long ? (Object.keys(forms) as Form[]) : ["JSON", "protobuf", "YAML"];
let folder: string;
let server: KillableServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-"));
  server = await KillableServer.start(await buildServer(folder), join(folder, "data"), {
    snapshotAfter: 100_000_000,
  });
  await createPods(server, pods);
}, 120_000);
afterAll(async () => {
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

describe.runIf(process.platform === "linux")("clients that read a kilobyte a second", () => {
  test.each(asked)(
    "of a long list in %s do not make others wait, and take little memory",
    { timeout: 60_000 + seconds * 2_000 },
    async (form) => {
      const { p99Before, p99, longest, memoryBefore, memory, answered } = await readSlowly(server, {
        readers,
        form,
        seconds,
      });
      process.stdout.write(
        `${readers} slow readers of ${pods} pods in ${form}: others p99 ${p99Before.toFixed(0)} → ${p99.toFixed(0)} ms, longest ${longest.toFixed(0)} ms; ${mb(memoryBefore)} → ${mb(memory)} MB\n`,
      );
      // Protobuf is encoded to its end before the first byte is sent, a hundred lists in turns.
      if (long && form !== "protobuf") expect(answered).toBe(readers);
      expect(longest).toBeLessThan(2_000);
      expect(p99).toBeLessThan(1_000);
      expect(memory - memoryBefore).toBeLessThan(700_000_000);
    },
  );
});

const mb = (bytes: number): string => (bytes / 1e6).toFixed(0);
