import {
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  HorizontalPodAutoscaler,
  type KubeObject,
  MutatingWebhookConfiguration,
  type ResourceDescriptor,
} from "@kubewright/api";
import type { AdmissionPlugin } from "@kubewright/apiserver";
import { describe, expect, it } from "vitest";
import { labelled, recorder, webhookServer, wellBehaved } from "./webhook-server.js";

const inShop = { namespace: "shop" };
const settings = (
  name: string,
  data: Record<string, string> = {},
  labels?: Record<string, string>,
): ConfigMap => ({
  metadata: { name, namespace: "shop", ...(labels ? { labels } : {}) },
  data,
});
const sleeper = (replicas: number): Deployment => ({
  metadata: { name: "web", namespace: "shop" },
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "main", image: "nginx" }] },
    },
  },
});
const deployments = {
  apiGroups: ["apps"],
  apiVersions: ["v1"],
  operations: ["*"],
  resources: ["deployments/*"],
} as const;

describe("a mutating webhook", () => {
  it("changes what is created and updated, and owns no fields by it", async () => {
    await using at = await webhookServer();
    await at.mutating(
      "label",
      wellBehaved((request) => labelled("seen", request.operation, request)),
    );
    const created = await at.client.create(ConfigMap, settings("a", { a: "0" }), { fieldManager: "me" });
    expect(created.metadata?.labels).toEqual({ seen: "CREATE" });
    expect(created.metadata?.managedFields).toMatchObject([{ manager: "me", fieldsV1: { "f:data": {} } }]);
    expect(JSON.stringify(created.metadata?.managedFields)).not.toContain("f:labels");
    const changed = await at.client.update(ConfigMap, { ...created, data: { a: "1" } });
    expect(changed.metadata?.labels).toEqual({ seen: "UPDATE" });
    const applied = await at.client.apply(ConfigMap, {
      metadata: { name: "b", namespace: "shop" },
      data: { a: "1" },
    });
    expect(applied.metadata?.labels).toEqual({ seen: "CREATE" });
  });

  it("is told everything about a request", async () => {
    await using at = await webhookServer();
    const { asked, webhook } = recorder();
    await at.mutating("log", webhook);
    const created = await at.client.create(ConfigMap, settings("a"), { fieldManager: "me", dryRun: true });
    const resource = { group: "", version: "v1", resource: "configmaps" };
    const kind = { group: "", version: "v1", kind: "ConfigMap" };
    const { uid, object, ...rest } = asked[0]!;
    expect(uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(rest).toEqual({
      kind,
      resource,
      requestKind: kind,
      requestResource: resource,
      name: "a",
      namespace: "shop",
      operation: "CREATE",
      userInfo: { username: "admin", groups: ["system:masters", "system:authenticated"] },
      oldObject: null,
      dryRun: true,
      options: { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", dryRun: ["All"], fieldManager: "me" },
    });
    expect(object).toMatchObject({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a", namespace: "shop" },
    });
    expect(object?.["metadata"]).not.toHaveProperty("uid");
    expect(created.metadata?.uid).toBeDefined();
  });

  it("is told of the end of an object, and of what it was", async () => {
    await using at = await webhookServer();
    const { asked, webhook } = recorder();
    await at.client.create(ConfigMap, settings("a", { x: "1" }));
    await at.mutating("log", webhook);
    await at.client.delete(ConfigMap, "a", { ...inShop, gracePeriodSeconds: 5 });
    expect(asked[0]).toMatchObject({
      operation: "DELETE",
      object: null,
      oldObject: { data: { x: "1" } },
      options: { kind: "DeleteOptions", gracePeriodSeconds: 5 },
    });
  });

  it("sees subresources as what they are", async () => {
    await using at = await webhookServer();
    const { asked, webhook } = recorder(({ subResource, object }) =>
      subResource === "scale" && object?.["spec"]?.["replicas"] === 5
        ? { patch: [{ op: "replace", path: "/spec/replicas", value: 3 }] }
        : {},
    );
    await at.mutating("log", webhook, { rules: [deployments] });
    await at.client.create(Deployment, sleeper(1));
    await at.client.scale(Deployment, "web", 5, inShop);
    const web = await at.client.get(Deployment, "web", inShop);
    expect(web.spec?.replicas).toBe(3);
    await at.client.update(Deployment, { ...web, status: { replicas: 3 } }, { subresource: "status" });
    expect(asked.map(({ subResource, kind, operation }) => [operation, subResource, kind.kind])).toEqual([
      ["CREATE", undefined, "Deployment"],
      ["UPDATE", "scale", "Scale"],
      ["UPDATE", "status", "Deployment"],
    ]);
    expect(asked[1]?.oldObject).toMatchObject({ kind: "Scale", spec: { replicas: 1 } });
  });

  it("comes after those whose configuration has a smaller name, and sees their work", async () => {
    await using at = await webhookServer();
    await at.mutating(
      "b",
      wellBehaved((request) =>
        labelled("b", Object.keys(request.object?.["metadata"]?.["labels"] ?? {}).join(), request),
      ),
    );
    await at.mutating(
      "a",
      wellBehaved((request) => labelled("a", "first", request)),
    );
    const created = await at.client.create(ConfigMap, settings("x"));
    expect(created.metadata?.labels).toEqual({ a: "first", b: "a" });
  });

  it("leaves an object of its kind: defaults come back, unknown fields go", async () => {
    await using at = await webhookServer();
    const patch = [
      { op: "remove", path: "/spec/replicas" },
      { op: "add", path: "/spec/surprise", value: true },
      { op: "add", path: "/spec/template/spec/containers/-", value: { name: "side", image: "envoy:v1" } },
    ];
    await at.mutating(
      "change",
      wellBehaved(() => ({ patch })),
      { rules: [deployments] },
    );
    const { spec } = await at.client.create(Deployment, sleeper(4));
    expect(spec).toMatchObject({ replicas: 1 });
    expect(spec).not.toHaveProperty("surprise");
    expect(spec?.template.spec?.containers[1]).toMatchObject({
      name: "side",
      imagePullPolicy: "IfNotPresent",
      terminationMessagePath: "/dev/termination-log",
    });
  });

  it("leaves a custom resource as its schema wants it", async () => {
    await using at = await webhookServer();
    const Box: ResourceDescriptor<KubeObject & { readonly spec?: unknown }> = {
      group: "example.com",
      version: "v1",
      kind: "Box",
      plural: "boxes",
      singular: "box",
      scope: "Namespaced",
      shortNames: [],
      categories: [],
      verbs: ["create"],
      subresources: [],
    };
    const spec = {
      type: "object",
      properties: { size: { type: "integer", default: 3 }, color: { type: "string", maxLength: 5 } },
    };
    await at.client.create(CustomResourceDefinition, {
      metadata: { name: "boxes.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "boxes", kind: "Box" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
          },
        ],
      },
    });
    await expect.poll(() => at.client.list(Box, inShop)).toBeDefined();
    const rules = [
      { apiGroups: ["example.com"], apiVersions: ["*"], operations: ["*"], resources: ["*"] },
    ] as const;
    const webhook = wellBehaved(({ name }) => ({
      patch: [
        { op: "add", path: "/spec", value: { color: name === "bad" ? "crimson" : "red", shape: "round" } },
      ],
    }));
    await at.mutating("paint", webhook, { rules });
    const created = await at.client.create(Box, { metadata: { name: "a", namespace: "shop" } });
    expect(created.spec).toEqual({ color: "red", size: 3 });
    await expect(
      at.client.create(Box, { metadata: { name: "bad", namespace: "shop" } }),
    ).rejects.toMatchObject({
      code: 422,
      message: expect.stringContaining("spec.color: Too long"),
    });
  });

  it("is asked about another version of the resource where it knows only that one", async () => {
    await using at = await webhookServer();
    const { asked, webhook } = recorder(() => ({
      patch: [{ op: "replace", path: "/spec/maxReplicas", value: 7 }],
    }));
    const rules = [
      { apiGroups: ["autoscaling"], apiVersions: ["v2"], operations: ["CREATE"], resources: ["*"] },
    ] as const;
    const exact = recorder();
    await at.mutating("exact", exact.webhook, { rules, matchPolicy: "Exact" });
    await at.mutating("equivalent", webhook, { rules });
    const old = {
      ...HorizontalPodAutoscaler,
      version: "v1",
    };
    const spec = {
      maxReplicas: 3,
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      targetCPUUtilizationPercentage: 60,
    };
    const metadata = { name: "web", namespace: "shop" };
    const created = await at.client.create(old, { metadata, spec } as never);
    expect(exact.asked).toEqual([]);
    expect(asked[0]).toMatchObject({
      kind: { group: "autoscaling", version: "v2", kind: "HorizontalPodAutoscaler" },
      requestKind: { group: "autoscaling", version: "v1", kind: "HorizontalPodAutoscaler" },
      requestResource: { version: "v1" },
      object: { apiVersion: "autoscaling/v2", spec: { metrics: [{ resource: { name: "cpu" } }] } },
    });
    expect(created).toMatchObject({
      apiVersion: "autoscaling/v1",
      spec: { maxReplicas: 7, targetCPUUtilizationPercentage: 60 },
    });
  });

  it("whose configuration is changed or gone is asked accordingly, from the next request on", async () => {
    await using at = await webhookServer();
    const { asked, webhook } = recorder();
    await at.mutating("log", webhook);
    await at.client.create(ConfigMap, settings("a"));
    const value = { matchLabels: { watched: "yes" } };
    await at.client.patch(MutatingWebhookConfiguration, "log", {
      json: [{ op: "add", path: "/webhooks/0/objectSelector", value }],
    });
    await at.client.create(ConfigMap, settings("b"));
    await at.client.create(ConfigMap, settings("c", {}, { watched: "yes" }));
    await at.client.delete(MutatingWebhookConfiguration, "log");
    await at.client.create(ConfigMap, settings("d", {}, { watched: "yes" }));
    expect(asked.map(({ name }) => name)).toEqual(["a", "c"]);
  });
});

describe("reinvocation", () => {
  /** Three webhooks; those named change the object, all count their calls. */
  async function calls(policies: Record<string, "Never" | "IfNeeded">, changers: readonly string[]) {
    await using at = await webhookServer();
    const log: string[] = [];
    for (const [name, reinvocationPolicy] of Object.entries(policies)) {
      const webhook = wellBehaved((request) => {
        log.push(name);
        const done = request.object?.["metadata"]?.["labels"]?.[name] !== undefined;
        return changers.includes(name) && !done ? labelled(name, "yes", request) : {};
      });
      await at.mutating(name, webhook, { reinvocationPolicy });
    }
    await at.client.create(ConfigMap, settings("x"));
    return log.join(" ");
  }

  it.each([
    [{ a: "Never", b: "Never" }, ["b"], "a b"],
    [{ a: "IfNeeded", b: "Never" }, ["b"], "a b a"],
    [{ a: "IfNeeded", b: "IfNeeded" }, ["a"], "a b"],
    [{ a: "IfNeeded", b: "IfNeeded" }, ["b"], "a b a"],
    [{ a: "IfNeeded", b: "IfNeeded" }, [], "a b"],
    [{ a: "IfNeeded", b: "Never", c: "IfNeeded" }, ["b", "c"], "a b c a"],
  ] as const)("%j, changed by %j: %s", async (policies, changers, expected) => {
    expect(await calls(policies, changers)).toBe(expected);
  });

  it("lets the built-in plugins see the object again, and webhooks what those changed then", async () => {
    let rounds = 0;
    const plugin: AdmissionPlugin = {
      name: "Late",
      mutate({ object, kind }) {
        if (kind.kind !== "ConfigMap" || !object) return;
        rounds += 1;
        // Runs after the webhooks, and changes something only in the second round.
        if (rounds === 2) object.metadata.annotations = { late: "yes" };
      },
    };
    await using at = await webhookServer({ plugins: [plugin] });
    const { asked, webhook } = recorder((request) =>
      request.object?.["metadata"]?.["labels"] ? {} : labelled("a"),
    );
    await at.mutating("a", webhook, { reinvocationPolicy: "IfNeeded" });
    const created = await at.client.create(ConfigMap, settings("x"));
    expect(rounds).toBe(2);
    expect(created.metadata).toMatchObject({ labels: { a: "yes" }, annotations: { late: "yes" } });
    // The plugin comes after the webhooks in the chain, so there is no third round for them.
    expect(asked).toHaveLength(1);
  });
});
