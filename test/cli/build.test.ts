// The one file that `kubewright build` makes, on plain Node, with nothing else beside it.
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster } from "@kubewright/cluster";
import { customKindsOf } from "@kubewright/runtime";
import { expect, test } from "vitest";
import modelbox from "../../operators/modelbox/src/main.js";
import { installKinds } from "../../packages/cli/src/run/install-kinds.js";
import { CliFixture } from "./cli-fixture.js";
import { freePort } from "./free-port.js";

test("the bundled main.js starts on plain Node, answers probes, and ends with 0 on SIGTERM", async () => {
  const fixture = new CliFixture("modelbox");
  await fixture.bundle();
  const built = await fixture.start(["build", "--layout", "image", "-o", "json"]).ended;
  expect(JSON.parse(built.stdout)).toMatchObject({ file: "dist/main.js", layout: "image" });
  const again = await fixture.start(["build", "--layout", "image", "-o", "json"]).ended;
  expect(again.stdout).toBe(built.stdout);
  const alone = mkdtempSync(join(tmpdir(), "kubewright-alone-"));
  const main = join(alone, "main.js");
  copyFileSync(join(fixture.project, "dist/main.js"), main);
  fixture.close();
  expect(execFileSync(process.execPath, [main, "--help"], { encoding: "utf8" })).toContain(
    'the manager "modelbox"',
  );
  await using cluster = await startCluster();
  await installKinds(cluster.client, customKindsOf(modelbox));
  const kubeconfig = join(alone, "kubeconfig");
  writeFileSync(kubeconfig, (await cluster.listen()).kubeconfig);
  const port = await freePort();
  const flags = [
    "--kubeconfig",
    kubeconfig,
    "--webhook-port=0",
    `--health-probe-bind-address=127.0.0.1:${port}`,
    "--leader-elect",
  ];
  const child = spawn(process.execPath, [main, ...flags], { stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  let log = "";
  await new Promise<void>((resolve, reject) => {
    child.stderr.on("data", (chunk: Buffer) => {
      log += chunk.toString();
      if (log.includes('"msg":"leading"')) resolve();
    });
    void ended.then(() => reject(new Error(log)));
  });
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  child.kill("SIGTERM");
  expect({ code: await ended, errors: log.includes('"level":"error"') }).toEqual({ code: 0, errors: false });
  rmSync(alone, { recursive: true, force: true });
}, 90_000);
