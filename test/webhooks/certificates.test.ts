// Managers behind a Service, over TLS: certificates made, shared, rotated and healed while requests flow.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ClusterRole,
  ClusterRoleBinding,
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  Role,
  RoleBinding,
  Secret,
  ValidatingWebhookConfiguration,
  VirtualClock,
} from "@kubewright/api";
import { createCertificateAuthority } from "@kubewright/api/x509";
import { Client } from "@kubewright/client";
import {
  type AnyWebhook,
  defineManager,
  permissionsOf,
  type RunningManager,
  type ServiceServing,
  type StartOptions,
  viaService,
  webhookConfigurations,
  webhookPermissions,
} from "@kubewright/runtime";
import { describe, expect, test } from "vitest";
import { Box, boxConversion, boxNamed, boxWebhook, namespace, OldBox, Yard } from "./boxes.js";

const hour = 3_600_000;
const serviceName = "yard-webhook-service";
const secretName = "yard-webhook-server-cert";
const serving: ServiceServing = {
  mode: "service",
  host: "127.0.0.1",
  port: 0,
  certificates: { from: "secret", lifetime: 9 * hour },
};
const all = [boxWebhook, boxConversion];
const manager = (webhooks: readonly AnyWebhook[] = all) =>
  defineManager({ name: "yard", controllers: [], webhooks });

/** TLS knows only the real time, so virtual time begins there. */
const openYard = () => Yard.open({ clock: new VirtualClock({ start: Date.now(), timeout: 10_000 }) });

/** What `manifests` would have written. */
async function install(yard: Yard, webhooks = all): Promise<void> {
  const clientConfig = viaService({ namespace, name: serviceName });
  const { mutating, validating, definitions } = webhookConfigurations(manager(webhooks), { clientConfig });
  if (mutating) await yard.client.create(MutatingWebhookConfiguration, mutating);
  if (validating) await yard.client.create(ValidatingWebhookConfiguration, validating);
  for (const { metadata, spec } of definitions)
    await yard.client.patch(CustomResourceDefinition, metadata?.name ?? "", {
      merge: { spec: { conversion: spec.conversion } },
    });
  let next = 0;
  yard.services.set(`${namespace}/${serviceName}`, () => {
    const { ports } = yard;
    return { host: "127.0.0.1", port: ports[next++ % ports.length] ?? 0 };
  });
}

/** A box goes in, through defaulting and validation, and comes out in another version. */
async function passBox(yard: Yard, name: string): Promise<void> {
  const { spec } = await yard.client.create(Box, boxNamed(name));
  expect(spec.title).toBe(name);
  expect((await yard.client.get(OldBox, name, { namespace })).spec.count).toBe(1);
}

const secret = (yard: Yard) => yard.client.get(Secret, secretName, { namespace });
const bundles = async (yard: Yard) => {
  const mutating = await yard.client.get(MutatingWebhookConfiguration, "yard-mutating-webhook-configuration");
  const validating = await yard.client.get(
    ValidatingWebhookConfiguration,
    "yard-validating-webhook-configuration",
  );
  const definition = await yard.client.get(CustomResourceDefinition, "boxes.example.com");
  return [
    mutating.webhooks?.[0]?.clientConfig.caBundle,
    validating.webhooks?.[0]?.clientConfig.caBundle,
    definition.spec.conversion?.webhook?.clientConfig?.caBundle,
  ];
};

describe("behind a Service", () => {
  test("two replicas share a certificate, rotated while requests flow", { timeout: 60_000 }, async () => {
    const clock = new VirtualClock({ start: Date.now(), timeout: 10_000 });
    await using yard = await Yard.open({ clock });
    await install(yard);
    await yard.manage({ webhooks: serving, namespace });
    await yard.manage({ webhooks: serving, namespace });
    const served = new Set<string>();
    const trusted = new Set<string>();
    for (let step = 0; step < 60; step++) {
      await passBox(yard, `box-${step}`);
      const { data } = await secret(yard);
      served.add(data?.["tls.crt"] ?? "");
      trusted.add(data?.["ca.crt"] ?? "");
      expect(new Set(await bundles(yard))).toEqual(new Set([data?.["ca.crt"]]));
      await clock.advance(15 * 60_000);
    }
    expect(served.size).toBe(3);
    expect(trusted.size).toBe(3);
    expect(yard.logs.filter((line) => line.includes('"step":"replace"')).length).toBe(1);
    expect(yard.errors).toEqual([]);
  });

  test("a deleted Secret comes back as it was, and nobody notices", async () => {
    await using yard = await openYard();
    await install(yard);
    await yard.manage({ webhooks: serving, namespace });
    const before = await secret(yard);
    expect(before.type).toBe("kubernetes.io/tls");
    await yard.client.delete(Secret, secretName, { namespace });
    await yard.until(async () => (await yard.client.list(Secret, { namespace })).items.length === 1);
    const after = await secret(yard);
    expect(after.metadata?.uid).not.toBe(before.metadata?.uid);
    expect(after.data).toEqual(before.data);
    await passBox(yard, "a");
  });

  test("a Secret that was broken is replaced, and trusted", async () => {
    await using yard = await openYard();
    await install(yard);
    await yard.manage({ webhooks: serving, namespace });
    const before = await secret(yard);
    const broken = { ...before.data, "tls.crt": Buffer.from("nonsense").toString("base64"), "tls.key": "" };
    await yard.client.update(Secret, { ...before, data: broken });
    await yard.until(async () => {
      const { data } = await secret(yard);
      return (
        data?.["ca.crt"] !== before.data?.["ca.crt"] &&
        new Set([data?.["ca.crt"], ...(await bundles(yard))]).size === 1
      );
    });
    await passBox(yard, "a");
  });

  test("authorities that somebody overwrote are put back", async () => {
    await using yard = await openYard();
    await install(yard);
    await yard.manage({ webhooks: serving, namespace });
    const [bundle] = await bundles(yard);
    const stranger = createCertificateAuthority({
      commonName: "x",
      notBefore: Date.now(),
      notAfter: Date.now() + hour,
    });
    const caBundle = Buffer.from(stranger.certificate).toString("base64");
    const json = [{ op: "replace", path: "/webhooks/0/clientConfig/caBundle", value: caBundle } as const];
    await yard.client.patch(MutatingWebhookConfiguration, "yard-mutating-webhook-configuration", { json });
    await yard.client.patch(ValidatingWebhookConfiguration, "yard-validating-webhook-configuration", {
      json,
    });
    await yard.client.patch(CustomResourceDefinition, "boxes.example.com", {
      merge: { spec: { conversion: { webhook: { clientConfig: { caBundle } } } } },
    });
    await yard.until(async () => (await bundles(yard)).every((each) => each === bundle));
    await passBox(yard, "a");
    expect(yard.errors).toEqual([]);
  });

  test("configurations that come after the manager are completed", async () => {
    await using yard = await openYard();
    await yard.manage({ webhooks: serving, namespace });
    await install(yard);
    await yard.until(async () => (await bundles(yard)).every((each) => each !== undefined));
    await passBox(yard, "a");
  });

  test("certificates from files are served, trusted, and read again", async () => {
    const clock = new VirtualClock({ start: Date.now(), timeout: 10_000 });
    await using yard = await Yard.open({ clock });
    await install(yard);
    const directory = mkdtempSync(join(tmpdir(), "kubewright-webhooks-"));
    const issue = () => {
      const valid = { notBefore: Date.now() - hour, notAfter: Date.now() + hour };
      const authority = createCertificateAuthority({ commonName: `ca-${Math.random()}`, ...valid });
      const hosts = [`${serviceName}.${namespace}.svc`];
      const { certificate, key } = authority.issue({ commonName: "x", hosts, usage: "server", ...valid });
      writeFileSync(join(directory, "tls.crt"), certificate);
      writeFileSync(join(directory, "tls.key"), key);
      writeFileSync(join(directory, "ca.crt"), authority.certificate);
      return Buffer.from(authority.certificate).toString("base64");
    };
    try {
      const first = issue();
      await yard.manage({ webhooks: { ...serving, certificates: { from: "files", directory } }, namespace });
      expect(await bundles(yard)).toEqual([first, first, first]);
      await passBox(yard, "a");
      const second = issue();
      await clock.advance(10_000);
      expect(await bundles(yard)).toEqual([second, second, second]);
      await passBox(yard, "b");
      expect((await yard.client.list(Secret, { namespace })).items).toEqual([]);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });

  test.each([
    ["Fail", "failed calling webhook"],
    ["Ignore", undefined],
  ] as const)("with the server down and the policy %s", async (failurePolicy, message) => {
    await using yard = await openYard();
    const webhooks = [{ ...boxWebhook, failurePolicy }];
    const clientConfig = viaService({ namespace, name: serviceName });
    const { mutating } = webhookConfigurations(manager(webhooks), { clientConfig });
    await yard.client.create(MutatingWebhookConfiguration, mutating ?? {});
    yard.services.set(`${namespace}/${serviceName}`, () => ({ host: "127.0.0.1", port: yard.ports[0] ?? 0 }));
    const running: RunningManager = await yard.manage({ webhooks: serving, namespace }, webhooks);
    expect((await yard.client.create(Box, boxNamed("a"))).spec.title).toBe("a");
    await running.close();
    const creating = yard.client.create(Box, boxNamed("b"));
    if (message) await expect(creating).rejects.toThrow(message);
    else expect((await creating).spec.title).toBeUndefined();
  });

  test.each([
    ["by URL", (): StartOptions["webhooks"] => ({ mode: "url", port: 0 })],
    ["behind a Service", (): StartOptions["webhooks"] => serving],
    ["in process", (yard: Yard): StartOptions["webhooks"] => yard.local],
  ])("stopped, it leaves nothing behind: %s", async (how, settings) => {
    const clock = new VirtualClock({ start: Date.now(), timeout: 10_000 });
    await using yard = await Yard.open({ clock });
    if (how === "behind a Service") await install(yard);
    await clock.advance(60_000);
    const before = clock.pending;
    const running = await yard.manage({ webhooks: settings(yard), namespace });
    await passBox(yard, "a");
    await clock.runUntilSettled(running.close());
    await clock.settle();
    expect(clock.pending).toBe(before);
    expect(clock.inFlight).toEqual([]);
    const [port] = yard.ports;
    if (port !== undefined) {
      const connecting = new Promise((resolve, reject) =>
        connect(port, "127.0.0.1").on("connect", resolve).on("error", reject),
      );
      await expect(connecting).rejects.toThrow("ECONNREFUSED");
    }
  });

  test("a process on a laptop takes nothing away from a deployed one, and says so", async () => {
    await using yard = await openYard();
    await install(yard);
    await yard.manage({ webhooks: serving, namespace });
    const before = await bundles(yard);
    const laptop = await yard.manage({ webhooks: { mode: "url", port: 0 } });
    expect(
      yard.errors
        .map(({ where }) => where)
        .slice(0, 3)
        .toSorted(),
    ).toEqual([
      "webhook configuration CustomResourceDefinition boxes.example.com",
      "webhook configuration MutatingWebhookConfiguration yard-mutating-webhook-configuration",
      "webhook configuration ValidatingWebhookConfiguration yard-validating-webhook-configuration",
    ]);
    expect(String(yard.errors[0]?.error)).toContain("undeploy it, or start without webhooks");
    await yard.finish(laptop.close());
    expect(await bundles(yard)).toEqual(before);
  });

  test("the permissions that are derived are all it needs", async () => {
    const clock = new VirtualClock({ start: Date.now(), timeout: 10_000 });
    await using yard = await Yard.open({ clock });
    await install(yard);
    const { client } = yard;
    const subjects = [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "operator" }];
    const roleRef = (kind: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name: "operator" });
    await client.create(ClusterRole, { metadata: { name: "operator" }, rules: permissionsOf(manager()) });
    const name = "operator";
    await client.create(ClusterRoleBinding, {
      metadata: { name },
      subjects,
      roleRef: roleRef("ClusterRole"),
    });
    await client.create(Role, { metadata: { name, namespace }, rules: webhookPermissions(manager()) });
    await client.create(RoleBinding, { metadata: { name, namespace }, subjects, roleRef: roleRef("Role") });
    const user = { name: "operator", groups: ["system:authenticated"] };
    const limited = new Client({ transport: yard.cluster.server.transport(user), clock });
    await yard.manage({ client: limited, webhooks: serving, namespace });
    await clock.advance(8 * hour);
    await passBox(yard, "a");
    await client.delete(Secret, secretName, { namespace });
    await yard.until(async () => (await client.list(Secret, { namespace })).items.length === 1);
    expect(yard.errors).toEqual([]);
    expect(yard.logs.filter((line) => line.includes('"step"')).length).toBe(3);
  });

  test("a permission that is missing is named", async () => {
    await using yard = await openYard();
    const user = { name: "nobody", groups: ["system:authenticated"] };
    const client = new Client({ transport: yard.cluster.server.transport(user) });
    await expect(yard.manage({ client, webhooks: yard.local })).rejects.toThrow(
      'manager "yard" may not get, list, watch, patch, create, delete validatingwebhookconfigurations.admissionregistration.k8s.io yard-validating-webhook-configuration; add the rule',
    );
    await expect(yard.manage({ client, webhooks: serving, namespace })).rejects.toThrow(
      `manager "yard" may not get, list, watch, update secrets ${secretName} in namespace ${namespace}; add the rule`,
    );
    // Nothing was tried that could not have worked.
    expect(yard.errors).toEqual([]);
    expect(yard.ports).toEqual([]);
  });

  test("a manager says where its webhooks are served, and is ready when they are", async () => {
    await using yard = await openYard();
    await install(yard);
    const manager = await yard.manage({ webhooks: serving, namespace, health: { port: 0 } });
    const { webhooks, health } = manager.addresses;
    expect(webhooks).toBe(`https://127.0.0.1:${yard.ports[0]}`);
    expect(await (await fetch(`${health}/readyz/webhooks`)).text()).toBe("ok");
    await yard.finish(manager.close());
    expect(manager.addresses.webhooks).toBeUndefined();
  });
});
