// Managers outside a pod share the webhook configurations of a cluster: one of them writes, the others wait or give way.
import {
  CustomResourceDefinition,
  Lease,
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
  VirtualClock,
} from "@kubewright/api";
import { defineManager, startManager } from "@kubewright/runtime";
import { expect, test } from "vitest";
import { Box, boxConversion, boxNamed, boxWebhook, Yard } from "./boxes.js";

const definitionName = "boxes.example.com";
const validatingName = "yard-validating-webhook-configuration";
const openYard = (): Promise<Yard> =>
  Yard.open({ clock: new VirtualClock({ start: Date.now(), timeout: 10_000 }) });

const definitionOf = (yard: Yard) => yard.client.get(CustomResourceDefinition, definitionName);
const conversionUrl = async (yard: Yard): Promise<string | undefined> =>
  (await definitionOf(yard)).spec.conversion?.webhook?.clientConfig?.url;
const validatingUrl = async (yard: Yard): Promise<string | undefined> =>
  (await yard.client.get(ValidatingWebhookConfiguration, validatingName)).webhooks?.[0]?.clientConfig.url;
const served = (yard: Yard, manager: number): string => `https://127.0.0.1:${yard.ports[manager]}`;
const warnings = (yard: Yard): readonly string[] => yard.logs.filter((line) => line.startsWith("warn"));

test("two managers on one cluster: the second leaves the webhooks to the first, and names it", async () => {
  await using yard = await openYard();
  await yard.manage({ identity: "first-laptop_11" });
  const { metadata } = await definitionOf(yard);
  await yard.manage({ identity: "second-laptop_22" });
  await yard.advance(60_000);
  expect((await definitionOf(yard)).metadata?.generation).toBe(metadata?.generation);
  expect(await conversionUrl(yard)).toBe(`${served(yard, 0)}/convert`);
  expect(await validatingUrl(yard)).toContain(served(yard, 0));
  expect(warnings(yard)).toEqual([
    expect.stringMatching(/another manager serves these webhooks.*first-laptop_11.*start without webhooks/),
  ]);
});

test("two managers on one cluster: when the first stops, the second takes over at once", async () => {
  await using yard = await openYard();
  const first = await yard.manage({ identity: "first" });
  await yard.manage({ identity: "second" });
  await yard.finish(first.close());
  await yard.until(async () => (await conversionUrl(yard)) === `${served(yard, 1)}/convert`);
  await yard.until(
    async () => (await validatingUrl(yard).catch(() => undefined))?.startsWith(served(yard, 1)) === true,
  );
  expect((await yard.client.create(Box, boxNamed("a"))).spec.title).toBe("a");
});

test("a holder that died without a word is waited for, then replaced", async () => {
  await using yard = await openYard();
  await yard.client.create(Lease, {
    metadata: { name: "yard-webhooks", namespace: "default" },
    spec: { holderIdentity: "gone", leaseDurationSeconds: 15 },
  });
  await yard.manage({ identity: "heir" });
  expect(await conversionUrl(yard)).toBeUndefined();
  await yard.until(async () => (await conversionUrl(yard)) === `${served(yard, 0)}/convert`);
});

test("with leader election only the leader writes webhook configurations", async () => {
  await using yard = await openYard();
  const leaderElection = { namespace: "default", leaseName: "yard" };
  const start = (identity: string) =>
    yard.manage({ identity }, [boxWebhook, boxConversion], "yard", { leaderElection });
  const first = await start("first");
  await yard.until(() => first.isLeader);
  await yard.until(async () => (await conversionUrl(yard)) === `${served(yard, 0)}/convert`);
  const { metadata } = await definitionOf(yard);
  const second = await start("second");
  await yard.advance(30_000);
  expect(second.isLeader).toBe(false);
  expect((await definitionOf(yard)).metadata?.generation).toBe(metadata?.generation);
  await yard.finish(first.close());
  await yard.until(async () => (await conversionUrl(yard)) === `${served(yard, 1)}/convert`);
  expect(second.isLeader).toBe(true);
});

test("a program that takes a configuration back again and again is given way to, and named", async () => {
  await using yard = await openYard();
  await yard.manage({ identity: "ours" });
  const url = "https://127.0.0.1:1/validate-example-com-v1-box";
  let rounds = 0;
  const takeBack = async (): Promise<boolean> => {
    if ((await validatingUrl(yard)) === url) return false;
    await yard.client.patch(
      ValidatingWebhookConfiguration,
      validatingName,
      { json: [{ op: "replace", path: "/webhooks/0/clientConfig/url", value: url }] },
      { fieldManager: "rival" },
    );
    rounds++;
    return true;
  };
  for (let second = 0; second < 120; second++) {
    await takeBack();
    await yard.advance(1_000);
  }
  expect(rounds).toBeLessThanOrEqual(5);
  expect(await validatingUrl(yard)).toBe(url);
  expect(yard.errors.map(({ error }) => String(error))).toEqual([
    expect.stringMatching(
      /ValidatingWebhookConfiguration yard-validating-webhook-configuration.*"rival".*https:\/\/127\.0\.0\.1:1\/.*no longer written.*start without webhooks/,
    ),
  ]);
});

test("behind a Service a configuration that is taken back is corrected less and less often, never given up", async () => {
  await using yard = await openYard();
  const definition = defineManager({ name: "yard", controllers: [], webhooks: [boxWebhook] });
  const manager = await yard.finish(
    startManager(definition, {
      client: yard.cluster.client,
      clock: yard.clock,
      random: () => 0,
      namespace: "default",
      webhooks: { mode: "service", port: 0, configurations: "apply" },
      onError: (where, error) => yard.errors.push({ where, error }),
    }),
  );
  const bundle = async () =>
    (await yard.client.get(MutatingWebhookConfiguration, "yard-mutating-webhook-configuration")).webhooks?.[0]
      ?.clientConfig.caBundle;
  const json = [{ op: "replace" as const, path: "/webhooks/0/clientConfig/caBundle", value: "QQ==" }];
  let corrections = 0;
  for (let second = 0; second < 600; second++) {
    if ((await bundle()) !== "QQ==") {
      corrections++;
      await yard.client.patch(MutatingWebhookConfiguration, "yard-mutating-webhook-configuration", { json });
    }
    await yard.advance(1_000);
  }
  expect(corrections).toBeGreaterThan(4);
  expect(corrections).toBeLessThan(15);
  await yard.until(async () => (await bundle()) !== "QQ==");
  expect(String(yard.errors[0]?.error)).toContain("is changed back again and again");
  await yard.finish(manager.close());
});

test.each([
  ["None", { strategy: "None" }],
  [
    "a Service",
    {
      strategy: "Webhook",
      webhook: {
        conversionReviewVersions: ["v1"],
        clientConfig: { service: { namespace: "box-system", name: "boxes", path: "/convert", port: 443 } },
      },
    },
  ],
])("a manager that stops puts the conversion back as it was: %s", async (_, before) => {
  await using yard = await openYard();
  const { metadata } = await definitionOf(yard);
  await yard.client.patch(CustomResourceDefinition, definitionName, {
    json: [{ op: "replace", path: "/spec/conversion", value: before }],
  });
  const manager = await yard.manage();
  expect(await conversionUrl(yard)).toBe(`${served(yard, 0)}/convert`);
  await yard.finish(manager.close());
  const after = await definitionOf(yard);
  expect(after.spec.conversion).toEqual(before);
  expect(after.metadata?.annotations).toEqual(metadata?.annotations);
  await expect(yard.client.get(ValidatingWebhookConfiguration, validatingName)).rejects.toThrow("not found");
});

test("a manager after one that was killed puts back what was there before both", async () => {
  await using yard = await openYard();
  await yard.client.patch(CustomResourceDefinition, definitionName, {
    json: [{ op: "replace", path: "/spec/conversion", value: { strategy: "None" } }],
  });
  const killed = await yard.manage({ identity: "killed" });
  const left = await definitionOf(yard);
  await yard.finish(killed.close());
  await yard.client.patch(CustomResourceDefinition, definitionName, {
    merge: {
      metadata: { annotations: left.metadata?.annotations },
      spec: { conversion: left.spec.conversion },
    },
  });
  const next = await yard.manage({ identity: "next" });
  expect(await conversionUrl(yard)).toBe(`${served(yard, 1)}/convert`);
  await yard.finish(next.close());
  expect((await definitionOf(yard)).spec.conversion).toEqual({ strategy: "None" });
});
