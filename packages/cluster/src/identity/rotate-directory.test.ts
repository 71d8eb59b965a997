import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DataDirectoryInUseError } from "@kubewright/apiserver";
import { afterEach, expect, test } from "vitest";
import { startCluster } from "../cluster.js";
import { keptKeys } from "./cluster-keys.js";
import { rotatable, rotateDirectory } from "./rotate-directory.js";

let folder = "";
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("rotateDirectory: a stopped cluster starts with new keys, and accepts the former ones", async () => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-"));
  const options = { dataDir: folder, nodes: 0, controllers: "none" } as const;
  const first = await startCluster(options);
  await expect(rotateDirectory(folder, { what: rotatable })).rejects.toThrow(DataDirectoryInUseError);
  await first.close();
  const now = Date.now();
  const before = keptKeys(folder, now);
  await rotateDirectory(folder, { what: ["ca", "service-account-key"], acceptFor: 60_000 });
  const after = keptKeys(folder, now);
  expect(after.authority(now).key).not.toBe(before.authority(now).key);
  expect(after.trust(now).bundle).toContain(before.authority(now).certificate);
  expect(after.formerServiceAccountKeys.map(({ key }) => key)).toEqual([before.serviceAccountKey]);
  expect(after.token).toBe(before.token);
  await rotateDirectory(folder, { what: ["token"], acceptFor: 0 });
  expect(keptKeys(folder, now).token).not.toBe(before.token);
  await (await startCluster(options)).close();
});

test("rotateDirectory: refuses a directory without a cluster", async () => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-"));
  await expect(rotateDirectory(folder, { what: rotatable })).rejects.toThrow(
    `${folder} is not the data directory of a cluster`,
  );
});
