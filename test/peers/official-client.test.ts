// Programs written for the official JavaScript client must find in the embedded server what they find in a real one.
import {
  ApiException,
  ApiextensionsV1Api,
  AppsV1Api,
  CoordinationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
  type V1CustomResourceDefinition,
  V1MicroTime,
  Watch,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Served } from "./served.js";

interface Widget extends KubernetesObject {
  spec?: { size?: number; parts?: { name: string; count?: number }[] };
  status?: { size?: number };
}

const namespace = "default";
const widgets = { group: "example.com", version: "v1", namespace, plural: "widgets" };
// The client has names of its own for what JavaScript reserves or cannot write without quotes.
const definition: V1CustomResourceDefinition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Widget", plural: "widgets" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: {
                  size: { type: "integer", _default: 1, maximum: 9 },
                  parts: {
                    type: "array",
                    x_kubernetes_list_type: "map",
                    x_kubernetes_list_map_keys: ["name"],
                    items: {
                      type: "object",
                      required: ["name"],
                      properties: { name: { type: "string" }, count: { type: "integer" } },
                    },
                  },
                },
              },
              status: { type: "object", properties: { size: { type: "integer" } } },
            },
          },
        },
      },
    ],
  },
};

let served: Served;
const config = new KubeConfig();
let core: CoreV1Api;
let objects: KubernetesObjectApi;
let custom: CustomObjectsApi;

beforeAll(async () => {
  served = await Served.start();
  config.loadFromString(served.kubeconfig);
  core = config.makeApiClient(CoreV1Api);
  custom = config.makeApiClient(CustomObjectsApi);
  objects = KubernetesObjectApi.makeApiClient(config);
  await config.makeApiClient(ApiextensionsV1Api).createCustomResourceDefinition({ body: definition });
  await vi.waitFor(() => custom.listNamespacedCustomObject(widgets));
});

afterAll(() => served.close());

const widget = (name: string, spec: Widget["spec"] = {}): Widget => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name, namespace },
  spec,
});

const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => expect.fail("the call succeeded"),
    (error: unknown) => error,
  );

describe("native kinds", () => {
  test("a ConfigMap is created, read, replaced and deleted", async () => {
    const body = { metadata: { name: "life" }, data: { a: "1" }, binaryData: { raw: "AP+A" } };
    const made = await core.createNamespacedConfigMap({ namespace, body });
    expect(made.metadata?.creationTimestamp).toBeInstanceOf(Date);
    const replaced = await core.replaceNamespacedConfigMap({
      name: "life",
      namespace,
      body: { ...made, data: { a: "2" } },
    });
    expect(replaced.data).toEqual({ a: "2" });
    const { items } = await core.listNamespacedConfigMap({ namespace, fieldSelector: "metadata.name=life" });
    expect(items.map((item) => item.metadata?.uid)).toEqual([made.metadata?.uid]);
    expect(await core.deleteNamespacedConfigMap({ name: "life", namespace })).toMatchObject({
      status: "Success",
      details: { uid: made.metadata?.uid },
    });
  });

  test("a Deployment is completed with defaults and scaled", async () => {
    const apps = config.makeApiClient(AppsV1Api);
    const labels = { app: "main" };
    const containers = [{ name: "main", image: "example.com/main:1" }];
    const made = await apps.createNamespacedDeployment({
      namespace,
      body: {
        metadata: { name: "main" },
        spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
      },
    });
    expect(made.spec).toMatchObject({ replicas: 1, strategy: { rollingUpdate: { maxSurge: "25%" } } });
    const scale = await apps.readNamespacedDeploymentScale({ name: "main", namespace });
    await apps.replaceNamespacedDeploymentScale({
      name: "main",
      namespace,
      body: { ...scale, spec: { replicas: 3 } },
    });
    const scaled = await apps.readNamespacedDeployment({ name: "main", namespace });
    expect([scaled.spec?.replicas, scaled.metadata?.generation]).toEqual([3, 2]);
  });

  test("a Service gets an address and a Secret its data", async () => {
    const service = await core.createNamespacedService({
      namespace,
      body: { metadata: { name: "main" }, spec: { ports: [{ port: 80, targetPort: "http" }] } },
    });
    expect(service.spec?.clusterIP).toMatch(/^10\./);
    const secret = await core.createNamespacedSecret({
      namespace,
      body: { metadata: { name: "main" }, stringData: { word: "open" } },
    });
    expect([secret.data, secret.type]).toEqual([{ word: "b3Blbg==" }, "Opaque"]);
  });

  test("a Lease keeps its time", async () => {
    const leases = config.makeApiClient(CoordinationV1Api);
    const renewTime = new V1MicroTime("2024-02-29T23:59:59.123Z");
    await leases.createNamespacedLease({
      namespace,
      body: { metadata: { name: "main" }, spec: { renewTime } },
    });
    const got = await leases.readNamespacedLease({ name: "main", namespace });
    expect(new Date(got.spec?.renewTime ?? 0).getTime()).toBe(renewTime.getTime());
  });

  test("lists come in pages", async () => {
    for (const name of ["page-1", "page-2", "page-3"]) {
      await core.createNamespacedConfigMap({ namespace, body: { metadata: { name, labels: { page: "" } } } });
    }
    const ask = { namespace, labelSelector: "page", limit: 2 };
    const first = await core.listNamespacedConfigMap(ask);
    const rest = await core.listNamespacedConfigMap({ ...ask, _continue: first.metadata?._continue ?? "" });
    expect([first, rest].map((page) => page.items.map((item) => item.metadata?.name))).toEqual([
      ["page-1", "page-2"],
      ["page-3"],
    ]);
    await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: "page" });
    expect((await core.listNamespacedConfigMap(ask)).items).toEqual([]);
  });
});

describe("patches", () => {
  const name = "patched";
  const patch = (type: string, body: unknown, more: object = {}) =>
    core.patchNamespacedConfigMap({ name, namespace, body, ...more }, setHeaderOptions("Content-Type", type));

  test("of every type change a ConfigMap", async () => {
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name }, data: { a: "1" } } });
    await patch(PatchStrategy.MergePatch, { data: { merge: "1", a: null } });
    await patch(PatchStrategy.StrategicMergePatch, { metadata: { finalizers: ["example.com/one"] } });
    await patch(PatchStrategy.StrategicMergePatch, { metadata: { finalizers: ["example.com/two"] } });
    const got = await patch(PatchStrategy.JsonPatch, [{ op: "add", path: "/data/json", value: "1" }]);
    expect(got.data).toEqual({ merge: "1", json: "1" });
    expect(got.metadata?.finalizers?.toSorted()).toEqual(["example.com/one", "example.com/two"]);
  });

  test("apply makes owners of fields, and conflicts say whose they are", async () => {
    const wanted = (value: string): V1ConfigMap => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "applied", namespace },
      data: { a: value },
    });
    const apply = (value: string, manager: string, force = false) =>
      objects.patch<V1ConfigMap>(
        wanted(value),
        undefined,
        undefined,
        manager,
        force,
        PatchStrategy.ServerSideApply,
      );
    await apply("1", "one");
    expect(await failure(apply("2", "two"))).toMatchObject({
      code: 409,
      body: expect.stringContaining('conflict with \\"one\\": .data.a'),
    });
    const forced = await apply("2", "two", true);
    expect(forced.metadata?.managedFields?.map(({ manager, operation }) => [manager, operation])).toEqual([
      ["two", "Apply"],
    ]);
  });
});

describe("custom kinds", () => {
  test("are created, replaced, patched, given a status and deleted", async () => {
    const made: Widget = await custom.createNamespacedCustomObject({ ...widgets, body: widget("life") });
    expect(made.spec).toEqual({ size: 1 });
    const replaced: Widget = await custom.replaceNamespacedCustomObject({
      ...widgets,
      name: "life",
      body: { ...made, spec: { size: 2 } },
    });
    expect(replaced.metadata?.generation).toBe(2);
    const merge = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
    const shown: Widget = await custom.patchNamespacedCustomObjectStatus(
      { ...widgets, name: "life", body: { status: { size: 2 }, spec: { size: 9 } } },
      merge,
    );
    expect([shown.spec, shown.status]).toEqual([{ size: 2 }, { size: 2 }]);
    await custom.deleteNamespacedCustomObject({ ...widgets, name: "life" });
    expect(await failure(custom.getNamespacedCustomObject({ ...widgets, name: "life" }))).toMatchObject({
      code: 404,
    });
  });

  test("are applied by two managers side by side", async () => {
    for (const manager of ["one", "two"]) {
      const wanted = widget("shared", { parts: [{ name: manager, count: 1 }] });
      await objects.patch(wanted, undefined, undefined, manager, false, PatchStrategy.ServerSideApply);
    }
    const got = await objects.read<Widget>({
      apiVersion: "example.com/v1",
      kind: "Widget",
      metadata: { name: "shared", namespace },
    });
    expect(got.spec?.parts?.map(({ name }) => name)).toEqual(["one", "two"]);
  });

  test("refuse strategic merge patches", async () => {
    const body = { spec: {} };
    const strategic = setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch);
    const call = custom.patchNamespacedCustomObject({ ...widgets, name: "shared", body }, strategic);
    expect(await failure(call)).toMatchObject({ code: 415 });
  });
});

describe("errors", () => {
  const cases: [string, () => Promise<unknown>, object][] = [
    [
      "absent",
      () => core.readNamespacedConfigMap({ name: "absent", namespace }),
      { code: 404, reason: "NotFound", details: { name: "absent", kind: "configmaps" } },
    ],
    [
      "there already",
      () => core.createNamespace({ body: { metadata: { name: namespace } } }),
      { code: 409, reason: "AlreadyExists" },
    ],
    [
      "invalid",
      () => custom.createNamespacedCustomObject({ ...widgets, body: widget("huge", { size: 10 }) }),
      {
        code: 422,
        reason: "Invalid",
        details: { causes: [{ reason: "FieldValueInvalid", field: "spec.size" }] },
      },
    ],
    [
      "of another version",
      () =>
        core.replaceNamespace({
          name: namespace,
          body: { metadata: { name: namespace, resourceVersion: "1" } },
        }),
      { code: 409, reason: "Conflict" },
    ],
  ];

  test.each(cases)("%s", async (_name, call, status) => {
    const error = await failure(call());
    if (!(error instanceof ApiException)) throw error;
    const body: unknown = typeof error.body === "string" ? JSON.parse(error.body) : error.body;
    expect(body).toMatchObject({ kind: "Status", apiVersion: "v1", status: "Failure", ...status });
  });
});

describe("watching", () => {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;

  test("tells of every change from a version on, and ends when asked to", async () => {
    const { metadata } = await core.listNamespacedConfigMap({ namespace });
    const seen: string[] = [];
    const name = "watched";
    await core.createNamespacedConfigMap({ namespace, body: { metadata: { name } } });
    await core.deleteNamespacedConfigMap({ name, namespace });
    const query = {
      resourceVersion: metadata?.resourceVersion,
      fieldSelector: `metadata.name=${name}`,
      timeoutSeconds: 1,
    };
    const ended = await new Promise((resolve, reject) => {
      new Watch(config).watch(path, query, (phase) => seen.push(phase), resolve).catch(reject);
    });
    expect([seen, ended]).toEqual([["ADDED", "DELETED"], null]);
  });

  test("from a version long gone tells that it is", async () => {
    const events: unknown[] = [];
    await new Promise((resolve, reject) => {
      const query = { resourceVersion: "1", timeoutSeconds: 1 };
      new Watch(config)
        .watch(path, query, (phase, object) => events.push([phase, object.code]), resolve)
        .catch(reject);
    });
    expect(events).toEqual([["ERROR", 410]]);
  });

  test("an informer keeps up with its objects when the server goes away and comes back", async () => {
    const informer = makeInformer(config, path, () => core.listNamespacedConfigMap({ namespace }));
    const names = (): (string | undefined)[] => informer.list().map(({ metadata }) => metadata?.name);
    const create = (name: string) =>
      core.createNamespacedConfigMap({ namespace, body: { metadata: { name } } });
    informer.on("error", () => setTimeout(() => informer.start(), 20));
    await create("early");
    await informer.start();
    await create("before");
    await vi.waitFor(() => expect(names()).toEqual(expect.arrayContaining(["early", "before"])));
    await served.listenAgain();
    await core.deleteNamespacedConfigMap({ name: "before", namespace });
    await create("after");
    await vi.waitFor(() => expect(names()).toContain("after"), 5000);
    expect(names()).not.toContain("before");
    await informer.stop();
  });
});
