// The operator deployed as its manifests say: with the permissions they grant and no others, behind the Service they name.
import { connect } from "node:net";
import {
  ClusterRole,
  ClusterRoleBinding,
  Deployment,
  MutatingWebhookConfiguration,
  Secret,
  ServiceAccount,
  ValidatingWebhookConfiguration,
} from "@kubewright/api";
import { hasCondition, waitFor } from "@kubewright/client";
import { type Cluster, type PortHandler, rule, startCluster } from "@kubewright/cluster";
import {
  clientNames,
  createLogger,
  type ManagerDefinition,
  permissionsOf,
  type RunningManager,
  startManager,
  webhookObjectNames,
} from "@kubewright/runtime";
import { afterEach, expect, test, vi } from "vitest";
import appservice from "../../operators/appservice/src/main.js";
import modelbox from "../../operators/modelbox/src/main.js";
import { applyObject } from "../../packages/cli/src/cluster-commands/apply-objects.js";
import { askPod } from "../../packages/cli/src/cluster-commands/ask-manager.js";
import { warnOfMissingKinds } from "../../packages/cli/src/commands/run.js";
import { installObjects } from "../../packages/cli/src/manifests/config-files.js";
import { manifestSettings } from "../../packages/cli/src/manifests/manifest-settings.js";
import { operatorOf } from "../../packages/cli/src/manifests/operator.js";
import { deployment } from "../../packages/cli/src/manifests/workload.js";
import { freePort } from "../free-port.js";

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).toReversed()) await each.close();
});

/** A cluster with everything of config/default but the Deployment, which this process stands in for. */
async function installed(
  definition: ManagerDefinition,
  leaveOut: (kind: string, name: string) => boolean = () => false,
) {
  const port = await freePort();
  const cluster = await startCluster({ resolveService: () => ({ host: "127.0.0.1", port }) });
  opened.push(cluster);
  const operator = operatorOf(definition, manifestSettings("/nonexistent", definition.name));
  for (const object of installObjects(operator)) {
    const { kind = "", metadata } = object;
    if (kind !== "Deployment" && !leaveOut(kind, metadata?.name ?? ""))
      await applyObject(cluster.client, object, "test");
  }
  return { cluster, port, operator };
}

/** Started as the pod would start it, as its service account. */
async function deployed(
  definition: ManagerDefinition,
  { cluster, port, operator }: Awaited<ReturnType<typeof installed>>,
  errors: string[],
) {
  const { namespace } = operator.settings;
  const user = {
    name: `system:serviceaccount:${namespace}:${operator.names.serviceAccount}`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
  };
  const manager: RunningManager = await startManager(
    { ...definition, leaderElection: true },
    {
      client: cluster.connect({ user, ...clientNames(definition) }),
      namespace,
      webhooks: { mode: "service", host: "127.0.0.1", port },
      metrics: { port: 0, secure: true },
      onError: (where, error) => errors.push(`${where}: ${error}`),
    },
  );
  opened.push(manager);
  return { namespace, manager };
}

const resourceOf = (cluster: Cluster, apiVersion: string, kind: string) =>
  cluster.client.resource({ apiVersion, kind });

test("ModelBox: becomes available, defaulted and validated, with the generated permissions alone", async () => {
  const place = await installed(modelbox);
  const errors: string[] = [];
  const { namespace } = await deployed(modelbox, place, errors);
  const { client } = place.cluster;
  const kind = await resourceOf(place.cluster, "model.github.com/v1", "ModelBox");
  const spec = { image: "nginx:1.27", ports: [{ port: 80 }], rollingUpdate: "" };
  const inNamespace = { namespace: "default" };
  await client.create(kind, { metadata: { name: "web", ...inNamespace }, spec });
  await waitFor(client, kind, "web", hasCondition("Available"), inNamespace);
  expect(await client.get(kind, "web", inNamespace)).toMatchObject({ spec: { rollingUpdate: "25%" } });
  expect((await client.get(Deployment, "web", inNamespace)).metadata?.ownerReferences).toHaveLength(1);
  const bad = {
    metadata: { name: "bad", ...inNamespace },
    spec: { ...spec, containers: [{ name: "bad", image: "b" }] },
  };
  await expect(client.create(kind, bad)).rejects.toThrow("spec.containers[0].name: Duplicate value");
  await client.get(Secret, "modelbox-webhook-server-cert", { namespace });
  expect(errors).toEqual([]);
}, 60_000);

test("AppService: its older version is converted through the Service, with the generated permissions alone", async () => {
  const place = await installed(appservice);
  const errors: string[] = [];
  await deployed(appservice, place, errors);
  const { client } = place.cluster;
  const kind = await resourceOf(place.cluster, "app.example.com/v1", "AppService");
  const inNamespace = { namespace: "default" };
  await client.create(kind, {
    metadata: { name: "web", ...inNamespace },
    spec: { size: 1, image: "nginx", ports: [{ port: 80 }] },
  });
  await waitFor(client, kind, "web", hasCondition("Available"), inNamespace);
  const versions = (await client.resources()).filter((resource) => resource.kind === "AppService");
  // Until the definition names the authority of the webhook, nothing is converted.
  for (const version of versions)
    await vi.waitFor(
      async () =>
        expect(await client.get(version, "web", inNamespace)).toMatchObject({ metadata: { name: "web" } }),
      20_000,
    );
  expect(versions.length).toBeGreaterThan(1);
  expect(errors).toEqual([]);
}, 60_000);

test("kubewright run: starts for a user with exactly the derived role, and leaves the webhooks out", async () => {
  const { cluster, operator } = await installed(modelbox);
  const { client } = cluster;
  const rules = permissionsOf(modelbox);
  await client.create(ClusterRole, { metadata: { name: "developer" }, rules });
  await client.create(ClusterRoleBinding, {
    metadata: { name: "developer" },
    subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "jane" }],
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "developer" },
  });
  const jane = cluster.connect({ user: { name: "jane", groups: ["system:authenticated"] } });
  const said = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  await warnOfMissingKinds(jane, operator);
  said.mockRestore();
  const logs: string[] = [];
  const manager = await startManager(modelbox, {
    client: jane,
    leaderElection: false,
    log: createLogger((level, message) => logs.push(`${level} ${message}`)),
  });
  opened.push(manager);
  expect(said).not.toHaveBeenCalled();
  expect(logs).toContain("warn running without webhooks: you may not configure them");
  expect(logs.some((line) => line.startsWith("error"))).toBe(false);
  const box = await client.resource({ apiVersion: "model.github.com/v1", kind: "ModelBox" });
  await client.delete(ValidatingWebhookConfiguration, webhookObjectNames("modelbox").validating);
  await client.delete(MutatingWebhookConfiguration, webhookObjectNames("modelbox").mutating);
  const spec = { image: "nginx:1.27", ports: [{ port: 80 }] };
  await client.create(box, { metadata: { name: "web", namespace: "default" }, spec });
  await waitFor(client, box, "web", hasCondition("Available"), { namespace: "default" });
});

test("without the binding it is refused, and says what it lacks", async () => {
  const place = await installed(
    modelbox,
    (kind, name) => kind === ClusterRoleBinding.kind && name.includes("manager-role"),
  );
  await expect(deployed(modelbox, place, [])).rejects.toThrow(/manager "modelbox" .*deployments/);
});

test("explain-reconcile asks the pod through the API server, and those alone may ask who are allowed to", async () => {
  const place = await installed(modelbox);
  const { manager, namespace } = await deployed(modelbox, place, []);
  const { client } = place.cluster;
  place.cluster.simulate(
    rule({}, { portForward: bridgeTo(Number(new URL(manager.addresses.metrics ?? "").port)) }),
  );
  await applyObject(client, deployment(place.operator), "test");
  await waitFor(client, Deployment, place.operator.names.deployment, hasCondition("Available"), {
    namespace,
  });
  const roleRef = {
    apiGroup: "rbac.authorization.k8s.io",
    kind: "ClusterRole",
    name: "modelbox-debug-reader",
  };
  await client.create(ServiceAccount, { metadata: { name: "reader", namespace } });
  const subjects = [{ kind: "ServiceAccount", name: "reader", namespace }];
  await client.create(ClusterRoleBinding, { metadata: { name: "reader" }, roleRef, subjects });
  const ask = (serviceAccount: string | undefined) =>
    askPod(client, place.operator, "/debug/explain?key=default/web", { serviceAccount });
  expect(await ask(undefined)).toMatchObject({ status: 403 });
  expect(await ask("reader")).toMatchObject({
    status: 200,
    body: expect.stringContaining('"controller":"modelbox"'),
  });
}, 60_000);

/** What comes in at a pod's port goes to a port of this process, and back. */
function bridgeTo(port: number): PortHandler {
  return async ({ received, send }) => {
    const socket = connect(port, "127.0.0.1");
    const back = (async () => {
      for await (const chunk of socket) await send(chunk);
    })();
    for await (const chunk of received) socket.write(chunk);
    socket.end();
    await back;
  };
}
