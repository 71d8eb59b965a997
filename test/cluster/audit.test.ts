import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigMap, Secret } from "@kubewright/api";
import { startCluster } from "@kubewright/cluster";
import { afterEach, beforeEach, expect, test } from "vitest";

const namespace = "default";
const bare = { controllers: "none", nodes: 0 } as const;
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "kubewright-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("an audit log tells what its policy wants, and keeps secrets", async () => {
  const auditLog = join(folder, "logs", "audit.log");
  const auditPolicy = join(folder, "policy.yaml");
  writeFileSync(
    auditPolicy,
    `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: Metadata, resources: [{group: "", resources: [secrets]}]}
- {level: RequestResponse, users: [admin], verbs: [create]}
`,
  );
  {
    await using cluster = await startCluster({ ...bare, auditLog, auditPolicy });
    await cluster.client.create(ConfigMap, { metadata: { name: "a", namespace }, data: { shown: "yes" } });
    await cluster.client.create(Secret, { metadata: { name: "s", namespace }, stringData: { word: "hush" } });
    await cluster.client.list(ConfigMap, { namespace });
  }
  const text = readFileSync(auditLog, "utf8");
  const lines = text.trimEnd().split("\n");
  expect(
    lines.map((line) => JSON.parse(line)).map(({ level, objectRef }) => [level, objectRef.resource]),
  ).toEqual([
    ["RequestResponse", "configmaps"],
    ["Metadata", "secrets"],
  ]);
  expect(text).toContain('"shown":"yes"');
  expect(text).not.toContain("hush");
});

test("a policy that is none is refused before anything is opened", async () => {
  const options = { ...bare, auditLog: join(folder, "audit.log"), dataDir: join(folder, "data") };
  const auditPolicy = join(folder, "policy.yaml");
  writeFileSync(auditPolicy, "kind: Pod\n");
  await expect(startCluster({ ...options, auditPolicy })).rejects.toThrow(
    `${auditPolicy}: kind: must be Policy`,
  );
  expect(existsSync(options.dataDir)).toBe(false);
  await expect(startCluster({ ...bare, auditPolicy })).rejects.toThrow("needs an audit log");
});
