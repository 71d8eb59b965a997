import { ConfigMap, Namespace, Pod } from "@kubewright/api";
import { defineResource, z } from "@kubewright/schema";
import { describe, expect, test } from "vitest";
import { defineManager } from "../manager/define-manager.js";
import { permissionsOf, webhookPermissions } from "../manager/permissions.js";
import { defineConversion } from "./define-conversion.js";
import { defineWebhook } from "./define-webhook.js";
import { includes } from "./kept-object.js";
import { viaService, viaUrl, webhookConfigurations } from "./webhook-configurations.js";
import { webhookPath } from "./webhook-names.js";
import { webhookNeeds } from "./webhook-needs.js";

const Box = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Box",
  plural: "boxes",
  conversion: "webhook",
  spec: z.object({ size: z.int() }),
  versions: { v1alpha1: { spec: z.object({ size: z.int() }) } },
});
const conversion = defineConversion(Box, {
  v1alpha1: { up: ({ spec }) => ({ spec }), down: ({ spec }) => ({ spec }) },
});
const clientConfig = viaService({ namespace: "shop-system", name: "shop-webhook-service" }, "Q0E=");

describe("webhook configurations", () => {
  test("hold the settings of the definitions, and defaults for the rest", () => {
    const webhook = defineWebhook(Box, {
      timeoutSeconds: 3,
      reinvocationPolicy: "IfNeeded",
      objectSelector: { matchLabels: { a: "b" } },
      matchConditions: [{ name: "x", expression: "true" }],
      default() {},
      validate: { create() {}, delete() {} },
    });
    const manager = defineManager({ name: "shop", controllers: [], webhooks: [webhook, conversion] });
    const { mutating, validating, definitions } = webhookConfigurations(manager, { clientConfig });
    const rule = {
      apiGroups: ["example.com"],
      apiVersions: ["v1"],
      resources: ["boxes"],
      scope: "Namespaced",
    };
    const shared = {
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      failurePolicy: "Fail",
      matchPolicy: "Equivalent",
      timeoutSeconds: 3,
      matchConditions: [{ name: "x", expression: "true" }],
      objectSelector: { matchLabels: { a: "b" } },
    };
    const service = { namespace: "shop-system", name: "shop-webhook-service" };
    expect(mutating).toEqual({
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "MutatingWebhookConfiguration",
      metadata: {
        name: "shop-mutating-webhook-configuration",
        labels: { "app.kubernetes.io/name": "shop" },
      },
      webhooks: [
        {
          ...shared,
          name: "mutate.box.v1.example.com",
          clientConfig: { service: { ...service, path: "/mutate-example-com-v1-box" }, caBundle: "Q0E=" },
          rules: [{ ...rule, operations: ["CREATE", "UPDATE"] }],
          reinvocationPolicy: "IfNeeded",
        },
      ],
    });
    expect(validating?.webhooks).toEqual([
      {
        ...shared,
        name: "validate.box.v1.example.com",
        clientConfig: { service: { ...service, path: "/validate-example-com-v1-box" }, caBundle: "Q0E=" },
        rules: [{ ...rule, operations: ["CREATE", "DELETE"] }],
      },
    ]);
    expect(definitions.map(({ spec }) => spec.conversion?.webhook?.clientConfig)).toEqual([
      { service: { ...service, path: "/convert" }, caBundle: "Q0E=" },
    ]);
  });

  test("select the namespaces of the manager, except for cluster-scoped kinds", () => {
    const webhooks = [defineWebhook(Pod, { default() {} }), defineWebhook(Namespace, { default() {} })];
    const manager = defineManager({ name: "shop", controllers: [], namespaces: ["a", "b"], webhooks });
    const { mutating, validating } = webhookConfigurations(manager, { clientConfig });
    expect(validating).toBeUndefined();
    expect(mutating?.webhooks?.map(({ name, namespaceSelector }) => [name, namespaceSelector])).toEqual([
      [
        "mutate.pod.v1.core.kubewright.dev",
        { matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "In", values: ["a", "b"] }] },
      ],
      ["mutate.namespace.v1.core.kubewright.dev", undefined],
    ]);
  });

  test.each([
    [{}, "/mutate--v1-pod", "mutate.pod.v1.core.kubewright.dev", "pods"],
    [{ name: "sidecar" }, "/mutate--v1-pod-sidecar", "mutate.sidecar.v1.core.kubewright.dev", "pods"],
    [
      { subresource: "status" },
      "/mutate--v1-pod-status",
      "mutate.status.pod.v1.core.kubewright.dev",
      "pods/status",
    ],
  ])("name webhooks, paths and resources for %j", (options, path, name, resource) => {
    const webhook = defineWebhook(Pod, { ...options, default() {} });
    expect(webhookPath("mutate", webhook)).toBe(path);
    const manager = defineManager({ name: "shop", controllers: [], webhooks: [webhook] });
    const { mutating } = webhookConfigurations(manager, { clientConfig: viaUrl("https://127.0.0.1:9443") });
    expect(mutating?.webhooks?.[0]).toMatchObject({
      name,
      clientConfig: { url: `https://127.0.0.1:9443${path}` },
      rules: [{ resources: [resource] }],
    });
  });

  test("with the same webhook twice are refused", () => {
    const webhook = defineWebhook(Pod, { default() {} });
    expect(() => defineManager({ name: "shop", controllers: [], webhooks: [webhook, webhook] })).toThrow(
      'manager "shop" has webhook pod.v1.core.kubewright.dev twice; give one another name',
    );
    expect(() =>
      defineManager({ name: "shop", controllers: [], webhooks: [conversion, conversion] }),
    ).toThrow("the conversion of Box.example.com twice");
  });
});

test.each([
  [{ a: 1, b: { c: [1], d: 2 } }, { b: { c: [1] } }, true],
  [{ a: [{ b: 1, c: 2 }] }, { a: [{ b: 1 }] }, true],
  [{ a: [1, 2] }, { a: [1] }, false],
  [{ a: 1 }, { a: 1, b: undefined }, true],
  [{ a: 1 }, { b: 1 }, false],
  [undefined, { a: 1 }, false],
])("%j includes %j: %s", (found, stated, isSo) => {
  expect(includes(found, stated)).toBe(isSo);
});

describe("permissions of a manager with webhooks", () => {
  const webhook = defineWebhook(Box, { uses: [ConfigMap], watches: [Pod], default() {}, validate() {} });
  const manager = defineManager({ name: "shop", controllers: [], webhooks: [webhook, conversion] });

  test("cover the kinds webhooks read, and their configurations by name", () => {
    const rules = permissionsOf(manager);
    expect(rules).toEqual(
      expect.arrayContaining([
        { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list"] },
        { apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"] },
        {
          apiGroups: ["admissionregistration.k8s.io"],
          resources: ["mutatingwebhookconfigurations"],
          resourceNames: ["shop-mutating-webhook-configuration"],
          verbs: ["get", "list", "watch", "patch"],
        },
        {
          apiGroups: ["admissionregistration.k8s.io"],
          resources: ["validatingwebhookconfigurations"],
          resourceNames: ["shop-validating-webhook-configuration"],
          verbs: ["get", "list", "watch", "patch"],
        },
        {
          apiGroups: ["apiextensions.k8s.io"],
          resources: ["customresourcedefinitions"],
          resourceNames: ["boxes.example.com"],
          verbs: ["get", "list", "watch", "patch"],
        },
      ]),
    );
    expect(rules.some(({ resources }) => resources?.includes("secrets"))).toBe(false);
  });

  test("for the certificate Secret are limited to the manager's own namespace", () => {
    expect(webhookPermissions(manager)).toEqual([
      { apiGroups: [""], resources: ["secrets"], verbs: ["create"] },
      {
        apiGroups: [""],
        resources: ["secrets"],
        resourceNames: ["shop-webhook-server-cert"],
        verbs: ["get", "list", "watch", "update"],
      },
    ]);
    expect(webhookPermissions(defineManager({ name: "shop", controllers: [] }))).toEqual([]);
  });

  test("depend on how webhooks are served", () => {
    const verbs = (options: Parameters<typeof webhookNeeds>[1]) =>
      webhookNeeds(manager, options).map((need) => `${need.resource}: ${need.verbs}`);
    expect(verbs({ webhooks: false })).toEqual([]);
    expect(verbs({})).toContain("mutatingwebhookconfigurations: get,list,watch,patch,create,delete");
    expect(verbs({}).some((need) => need.startsWith("secrets"))).toBe(false);
    const inCluster = verbs({ webhooks: { mode: "service" }, namespace: "shop-system" });
    expect(inCluster).toContain("mutatingwebhookconfigurations: get,list,watch,patch");
    expect(inCluster).toContain("secrets: get,list,watch,update");
  });
});
