// Webhooks of a manager outside a pod are configured only where the API server can call them.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "@kubewright/api";
import { createLogger, defineManager } from "@kubewright/runtime";
import { openManager } from "@kubewright/runtime/main";
import { expect, test } from "vitest";
import { Box, boxConversion, boxNamed, boxWebhook, Yard } from "./boxes.js";

const configurations = async ({ client }: Yard): Promise<readonly string[]> => {
  const mutating = await client.list(MutatingWebhookConfiguration);
  const validating = await client.list(ValidatingWebhookConfiguration);
  return [...mutating.items, ...validating.items].map(({ metadata }) => metadata?.name ?? "");
};

test("an API server that cannot reach the advertised address: webhooks are left out, and writes go on", async () => {
  await using yard = await Yard.open();
  const before = await yard.client.get(CustomResourceDefinition, "boxes.example.com");
  // Nobody listens there: the server of the manager is on 127.0.0.1 only.
  await yard.manage({ webhooks: { mode: "url", port: 0, host: "127.0.0.1", advertise: "127.0.0.2" } });
  expect(await configurations(yard)).toEqual([]);
  const after = await yard.client.get(CustomResourceDefinition, "boxes.example.com");
  expect(after.spec.conversion).toEqual(before.spec.conversion);
  expect(yard.logs.filter((line) => line.startsWith("warn"))).toEqual([
    expect.stringMatching(
      /running without webhooks: the API server cannot reach them.*https:\/\/127\.0\.0\.2:\d+.*ECONNREFUSED|connection refused/,
    ),
  ]);
  expect((await yard.client.create(Box, boxNamed("a"))).spec.title).toBeUndefined();
});

test("an API server that can reach them: nothing of the probe stays", async () => {
  await using yard = await Yard.open();
  await yard.manage({ webhooks: { mode: "url", port: 0 } });
  expect(await configurations(yard)).toEqual([
    "yard-mutating-webhook-configuration",
    "yard-validating-webhook-configuration",
  ]);
  expect((await yard.client.create(Box, boxNamed("a"))).spec.title).toBe("a");
});

test("a kubeconfig for a server on another machine: webhooks are left out, and the log names the remedy", async () => {
  const folder = mkdtempSync(join(tmpdir(), "kubewright-reach-"));
  const file = join(folder, "kubeconfig");
  writeFileSync(file, kubeconfigFor("https://kubernetes.example:6443"));
  const logs: string[] = [];
  const log = createLogger((level, message, fields) =>
    logs.push(`${level} ${message} ${JSON.stringify(fields)}`),
  );
  const manager = defineManager({ name: "yard", controllers: [], webhooks: [boxWebhook, boxConversion] });
  try {
    const running = await openManager(manager, { kubeconfig: file, preflight: "off" }, { env: {}, log });
    await running.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
  expect(logs).toEqual(
    expect.arrayContaining([
      expect.stringMatching(
        /^warn running without webhooks.*https:\/\/kubernetes\.example:6443.*--webhook-host/,
      ),
    ]),
  );
  expect(logs.some((line) => line.includes("serving webhooks"))).toBe(false);
});

const kubeconfigFor = (server: string): string => `
apiVersion: v1
kind: Config
clusters: [{ name: far, cluster: { server: "${server}" } }]
users: [{ name: me, user: { token: none } }]
contexts: [{ name: far, context: { cluster: far, user: me } }]
current-context: far
`;
