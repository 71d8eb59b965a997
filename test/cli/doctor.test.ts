// What the doctor finds, in the order in which it would stop an operator: each trouble is made, and found, with its remedy.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ClusterRole,
  CustomResourceDefinition,
  EndpointSlice,
  Lease,
  MutatingWebhookConfiguration,
  Pod,
  Secret,
  ValidatingWebhookConfiguration,
} from "@kubewright/api";
import { createCertificateAuthority } from "@kubewright/api/x509";
import { type Client, clientFromKubeConfig, loadKubeConfig } from "@kubewright/client";
import { type Cluster, startCluster } from "@kubewright/cluster";
import { defineController, defineManager, webhookObjectNames } from "@kubewright/runtime";
import { defineResource, z } from "@kubewright/schema";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parse, stringify } from "yaml";
import modelbox from "../../operators/modelbox/src/main.js";
import { applyObject } from "../../packages/cli/src/cluster-commands/apply-objects.js";
import { examine } from "../../packages/cli/src/cluster-commands/doctor/examine.js";
import type { Finding } from "../../packages/cli/src/cluster-commands/doctor/finding.js";
import { installObjects } from "../../packages/cli/src/manifests/config-files.js";
import { manifestSettings } from "../../packages/cli/src/manifests/manifest-settings.js";
import { operatorOf, podLabels } from "../../packages/cli/src/manifests/operator.js";
import { deployment } from "../../packages/cli/src/manifests/workload.js";
import { installKinds } from "../../packages/cli/src/run/install-kinds.js";
import { freePort } from "../free-port.js";

const operator = operatorOf(
  { ...modelbox, leaderElection: true },
  manifestSettings("/nonexistent", modelbox.name),
);
const { namespace } = operator.settings;
const day = 24 * 60 * 60 * 1000;
let cluster: Cluster;
let folder = "";

beforeEach(async () => {
  cluster = await startCluster({ nodes: 0, controllers: "none" });
  folder = mkdtempSync(join(tmpdir(), "kubewright-doctor-"));
});
afterEach(async () => {
  await cluster.close();
  rmSync(folder, { recursive: true });
});

const troubles = async (client: Client = cluster.client): Promise<readonly Finding[]> =>
  (await examine({ client, cluster: "the cluster", operator })).filter(({ state }) => state !== "ok");

/** The same client, but for what it says of the server's version. */
function ofVersion(version: object): Client {
  return new Proxy(cluster.client, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (key === "raw") return async (path: string) => (path === "/version" ? version : target.raw(path));
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

interface KubeConfigFile {
  clusters: { cluster: { server: string; "certificate-authority-data"?: string } }[];
  users: { user: object }[];
}

/** A client by the cluster's kubeconfig, with something wrong in it. */
async function misled(change: (config: KubeConfigFile) => void): Promise<Client> {
  const config = parse((await cluster.listen()).kubeconfig) as KubeConfigFile;
  change(config);
  const path = join(folder, "kubeconfig");
  writeFileSync(path, stringify(config));
  return clientFromKubeConfig(await loadKubeConfig({ path, env: {} }));
}

const authority = (name: string) =>
  createCertificateAuthority({
    commonName: name,
    notBefore: Date.now() - day,
    notAfter: Date.now() + 99 * day,
  });

/** Everything of config/default, as somebody would apply it. */
async function install(): Promise<void> {
  for (const object of installObjects(operator))
    if (object.kind !== "Deployment") await applyObject(cluster.client, object, "test");
}

describe("a cluster that cannot be reached is the only finding", () => {
  test("nobody listens", async () => {
    const port = await freePort();
    await using client = await misled(({ clusters: [first] }) => {
      if (first) first.cluster.server = `https://127.0.0.1:${port}`;
    });
    expect(await troubles(client)).toMatchObject([
      { check: "reachable", state: "problem", remedy: "start the cluster, or choose another with --context" },
    ]);
  });

  test("its certificate is of an authority that is not trusted", async () => {
    await using client = await misled(({ clusters: [first] }) => {
      if (first)
        first.cluster["certificate-authority-data"] = Buffer.from(authority("other").certificate).toString(
          "base64",
        );
    });
    expect(await troubles(client)).toMatchObject([
      { check: "reachable", state: "problem", remedy: expect.stringContaining("certificate-authority-data") },
    ]);
  });

  test("it does not know who asks", async () => {
    await using client = await misled(({ users: [first] }) => {
      if (first) first.user = { token: "not-a-token" };
    });
    expect(await troubles(client)).toEqual([
      {
        check: "reachable",
        state: "problem",
        message: "the cluster does not accept the credentials",
        remedy: "log in again, or fix the user in the kubeconfig",
      },
    ]);
  });
});

describe("the version of the server", () => {
  test.each([
    ["28", "problem", "the server is v1.28.0; 1.29 is the oldest that works", "upgrade the cluster"],
    ["30+", "warning", "the server is v1.30+.0; features it lacks are not used", "upgrade to 1.33 or newer"],
    ["40", "warning", "the server is v1.40.0, newer than the newest known (1.36)", "upgrade kubewright"],
  ])("1.%s is a %s", async (minor, state, message, remedy) => {
    const [first] = await troubles(ofVersion({ gitVersion: `v1.${minor}.0`, major: "1", minor }));
    expect(first).toEqual({ check: "version", state, message, remedy });
  });

  test("that is not told is a warning", async () => {
    const [first] = await troubles(ofVersion({}));
    expect(first).toMatchObject({
      check: "version",
      state: "warning",
      message: "the server is of an unknown version",
    });
  });
});

describe("kinds", () => {
  const name = "modelboxes.model.github.com";

  test("that are not there", async () => {
    expect((await troubles())[0]).toEqual({
      check: "kinds",
      state: "problem",
      message: `${name} is not installed`,
      remedy: "kubewright install",
    });
  });

  test("that are older than the code", async () => {
    await installKinds(cluster.client, operator.kinds);
    const schema = "/spec/versions/0/schema/openAPIV3Schema/properties/spec";
    await cluster.client.patch(CustomResourceDefinition, name, {
      json: [{ op: "add", path: `${schema}/description`, value: "older" }],
    });
    expect((await troubles())[0]).toEqual({
      check: "kinds",
      state: "problem",
      message: `${name} is not as the code has it: version v1 has another schema`,
      remedy: "kubewright install",
    });
  });
});

test("permissions that somebody lacks who would run it", async () => {
  const user = { name: "nobody", groups: ["system:authenticated"] };
  const found = (await troubles(cluster.connect({ user }))).filter(({ check }) => check === "permissions");
  expect(found[0]).toMatchObject({
    state: "problem",
    message: expect.stringMatching(/^you may not \w+ /),
    remedy: expect.stringContaining("kubewright deploy grants them to its own service account"),
  });
});

describe("webhooks", () => {
  const signer = authority("webhooks");
  const names = webhookObjectNames("modelbox");
  const encoded = (text: string): string => Buffer.from(text).toString("base64");

  /** The last thing that is found about them. */
  const last = async (): Promise<Finding | undefined> =>
    (await troubles()).findLast(({ check }) => check === "webhooks");

  /** Lays something over where each webhook is asked. */
  const ask = async (clientConfig: object): Promise<void> => {
    const { client } = cluster;
    const json = (webhooks: readonly { readonly clientConfig: object }[] = []) =>
      webhooks.map(({ clientConfig: before }, at) => ({
        op: "replace" as const,
        path: `/webhooks/${at}/clientConfig`,
        value: "url" in clientConfig ? clientConfig : { ...before, ...clientConfig },
      }));
    const mutating = await client.get(MutatingWebhookConfiguration, names.mutating);
    await client.patch(MutatingWebhookConfiguration, names.mutating, { json: json(mutating.webhooks) });
    const validating = await client.get(ValidatingWebhookConfiguration, names.validating);
    await client.patch(ValidatingWebhookConfiguration, names.validating, { json: json(validating.webhooks) });
  };
  const trust = (certificate: string): Promise<void> => ask({ caBundle: encoded(certificate) });

  const keep = async (certificate: string): Promise<void> => {
    const data = { "tls.crt": encoded(certificate), "tls.key": "" };
    await cluster.client.create(Secret, { metadata: { name: names.secret, namespace }, data });
  };

  const issued = (days: number, by = signer): string =>
    by.issue({
      commonName: "webhooks",
      usage: "server",
      notBefore: Date.now() - 50 * day,
      notAfter: Date.now() + days * day,
    }).certificate;

  test("that are not configured", async () => {
    await installKinds(cluster.client, operator.kinds);
    expect(await last()).toEqual({
      check: "webhooks",
      state: "warning",
      message: "no configuration points at them, so they are never called",
      remedy: "kubewright deploy, or kubewright run",
    });
  });

  test("whose Service has no pod, and of which the API server was not told whom to trust", async () => {
    await install();
    const found = (await troubles()).filter(({ check }) => check === "webhooks");
    expect(found.map(({ message }) => message)).toEqual([
      `no pod is ready behind Service ${namespace}/${operator.names.webhookService}`,
      "the configuration has no caBundle, so the API server trusts no certificate",
    ]);
  });

  test("whose Service has a pod", async () => {
    await install();
    await cluster.client.create(EndpointSlice, {
      metadata: {
        name: "webhooks",
        namespace,
        labels: { "kubernetes.io/service-name": operator.names.webhookService },
      },
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: true } }],
      ports: [{ port: 9443, protocol: "TCP" }],
    });
    expect((await troubles()).map(({ message }) => message).join()).not.toContain("no pod is ready");
  });

  test("without a certificate", async () => {
    await install();
    await trust(signer.certificate);
    expect(await last()).toMatchObject({
      state: "warning",
      message: expect.stringMatching(/^there is no certificate in Secret /),
      remedy: `kubectl -n ${namespace} rollout restart deployment/modelbox-controller-manager`,
    });
  });

  test.each([
    [
      "that cannot be read",
      (): string => "rubbish",
      "problem",
      /^the certificate in Secret .* cannot be read$/,
    ],
    ["that has ended", () => issued(-1), "problem", /^the certificate ended on /],
    ["that ends soon", () => issued(2), "warning", /^the certificate ends on /],
    [
      "of another authority than the one that is trusted",
      () => issued(50, authority("other")),
      "problem",
      /^the API server trusts another authority than that of the certificate$/,
    ],
  ] as const)("with a certificate %s", async (_, certificate, state, message) => {
    await install();
    await trust(signer.certificate);
    await keep(certificate());
    expect(await last()).toMatchObject({
      state,
      message: expect.stringMatching(message),
      remedy: expect.any(String),
    });
  });

  test("with a good certificate are no trouble but for the pod", async () => {
    await install();
    await trust(signer.certificate);
    await keep(issued(50));
    expect((await last())?.message).toContain("no pod is ready");
  });

  test("that are asked on somebody's laptop", async () => {
    await install();
    await ask({ url: "https://127.0.0.1:9443/x", caBundle: encoded(signer.certificate) });
    expect(await last()).toMatchObject({
      state: "problem",
      message: expect.stringContaining("calls https://127.0.0.1:9443, where no operator seems to run"),
    });
    const renewTime = new Date().toISOString().replace("Z", "000Z");
    await cluster.client.create(Lease, {
      metadata: { name: "modelbox-webhooks", namespace: "default" },
      spec: { holderIdentity: "laptop_42", leaseDurationSeconds: 60, renewTime },
    });
    expect(await last()).toMatchObject({
      state: "warning",
      message: "the API server calls https://127.0.0.1:9443, where laptop_42 runs",
    });
  });
});

test("doctor reports a served version that cannot be read because nobody converts it", async () => {
  const Order = defineResource({
    group: "shop.example.com",
    version: "v1",
    kind: "Order",
    conversion: "webhook",
    spec: z.object({ size: z.int().default(1) }),
    versions: { v2: { spec: z.object({ size: z.int().default(1) }) } },
  });
  const manager = defineManager({ name: "shop", controllers: [defineController(Order, { reconcile() {} })] });
  const shop = operatorOf(manager, manifestSettings("/nonexistent", "shop"));
  const { client } = cluster;
  const versions = async () =>
    (await examine({ client, cluster: "the cluster", operator: shop })).filter(
      ({ check }) => check === "versions",
    );
  await installKinds(client, shop.kinds);
  await client.create(Order, { metadata: { name: "a", namespace: "default" }, spec: { size: 2 } });
  await client.patch(CustomResourceDefinition, "orders.shop.example.com", {
    merge: {
      spec: {
        conversion: {
          webhook: { clientConfig: { service: null, url: `https://127.0.0.1:${await freePort()}/convert` } },
        },
      },
    },
  });
  expect(await versions()).toEqual([
    {
      check: "versions",
      state: "problem",
      message: expect.stringMatching(
        /^orders\.v2\.shop\.example\.com cannot be read: list Order: conversion webhook .* failed/,
      ),
      remedy: expect.stringContaining("kubewright deploy"),
    },
  ]);
  await client.patch(CustomResourceDefinition, "orders.shop.example.com", {
    json: [{ op: "replace", path: "/spec/conversion", value: { strategy: "None" } }],
  });
  expect(await versions()).toEqual([
    { check: "versions", state: "ok", message: "orders.shop.example.com can be read in v1, v2" },
  ]);
});

describe("the lease", () => {
  const hold = async (holderIdentity: string, ago = 0): Promise<void> => {
    await install();
    const time = new Date(Date.now() - ago).toISOString().replace("Z", "000Z");
    await cluster.client.create(Lease, {
      metadata: { name: "modelbox", namespace },
      spec: { holderIdentity, leaseDurationSeconds: 60, renewTime: time, acquireTime: time },
    });
  };
  const leader = async (): Promise<readonly Finding[]> =>
    (await examine({ client: cluster.client, cluster: "the cluster", operator })).filter(
      ({ check }) => check === "leader",
    );

  test("that another holds", async () => {
    await hold("laptop_1234");
    expect(await leader()).toMatchObject([
      {
        state: "warning",
        message: expect.stringContaining(`laptop_1234 holds the lease ${namespace}/modelbox until `),
        remedy: "another copy of the operator runs: stop it, or wait for it to end",
      },
    ]);
  });

  test("that another held is no trouble", async () => {
    await hold("laptop_1234", 3_600_000);
    expect(await leader()).toMatchObject([
      { state: "ok", message: `nobody holds the lease ${namespace}/modelbox` },
    ]);
  });

  test("that a pod of the operator holds is no trouble", async () => {
    await hold("manager-1_abc");
    const { template } = deployment(operator)["spec"] as { template: { spec: Pod["spec"] } };
    await cluster.client.create(Pod, {
      metadata: { name: "manager-1", namespace, labels: podLabels(operator) },
      spec: template.spec,
    });
    expect(await leader()).toMatchObject([{ state: "ok", message: "manager-1_abc leads" }]);
  });
});

test("all of it at once comes in the order in which it would stop the operator", async () => {
  await install();
  const policies = "modelboxpolicies.model.github.com";
  await cluster.client.delete(CustomResourceDefinition, policies);
  // Its objects go first, and that takes a moment.
  await vi.waitFor(() =>
    expect(cluster.client.get(CustomResourceDefinition, policies)).rejects.toThrow("not found"),
  );
  await cluster.client.delete(ClusterRole, "modelbox-manager-role");
  const time = new Date().toISOString().replace("Z", "000Z");
  await cluster.client.create(Lease, {
    metadata: { name: "modelbox", namespace },
    spec: { holderIdentity: "x_1", leaseDurationSeconds: 60, renewTime: time, acquireTime: time },
  });
  const found = await troubles(ofVersion({ gitVersion: "v1.20.0", minor: "20" }));
  const order = found.map(({ check }) => check).filter((check, at, all) => check !== all[at - 1]);
  expect(order).toEqual(["version", "kinds", "permissions", "webhooks", "leader"]);
  for (const { state, remedy } of found) if (state !== "unknown") expect(remedy).toBeTruthy();
});
