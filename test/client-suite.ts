// What a client must do against any API server: the embedded one with no socket, the same over TLS, a real cluster.
// Everything it makes is in a namespace of its own, which it deletes, except one CustomResourceDefinition, which it
// deletes too. It assumes neither that controllers run nor that they do not.
import { randomBytes } from "node:crypto";
import {
  ConfigMap,
  CustomResourceDefinition,
  Deployment,
  isAlreadyExists,
  isConflict,
  isInvalid,
  isNotFound,
  type KubeObject,
  Namespace,
  Pod,
  Secret,
  ServiceAccount,
  type WatchEvent,
} from "@kubewright/api";
import {
  type Client,
  createOrUpdate,
  type DynamicResource,
  deleteOwned,
  hasCondition,
  isAbsent,
  metadataOnly,
  retryOnConflict,
  waitFor,
} from "@kubewright/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** A way to an API server. */
export interface SuiteTarget {
  readonly client: Client;
  /** API warnings heard so far. */
  readonly warnings: readonly string[];
  close(): Promise<void>;
}

/** Declares the tests; `makeTarget` is called once for all of them. */
export function clientSuite(makeTarget: () => Promise<SuiteTarget>): void {
  const suffix = randomBytes(4).toString("hex");
  const namespace = `client-suite-${suffix}`;
  const here = { namespace };
  let target: SuiteTarget;
  let client: Client;

  beforeAll(async () => {
    target = await makeTarget();
    client = target.client;
    await client.create(Namespace, { metadata: { name: namespace } });
  });
  afterAll(async () => {
    await client?.delete(Namespace, namespace);
    await target?.close();
  });

  const settings = (name: string, data: Record<string, string> = {}): ConfigMap => ({
    metadata: { name, namespace },
    data,
  });

  const sleeper = (name: string): Deployment => ({
    metadata: { name, namespace },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: "main", image: "registry.k8s.io/pause:3.10" }] },
      },
    },
  });

  /** A pod that no scheduler can place. */
  const waiting = (name: string): Pod => ({
    metadata: { name, namespace },
    spec: {
      containers: [{ name: "main", image: "registry.k8s.io/pause:3.10" }],
      nodeSelector: { "client-suite/nowhere": suffix },
      automountServiceAccountToken: false,
    },
  });

  describe("one object", () => {
    it("is created, read, replaced and deleted", async () => {
      const created = await client.create(ConfigMap, settings("one", { a: "1" }));
      expect(created).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", data: { a: "1" } });
      expect(created.metadata).toMatchObject({
        uid: expect.any(String),
        resourceVersion: expect.any(String),
        creationTimestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      });
      const updated = await client.update(ConfigMap, { ...created, data: { a: "2", b: "ä😀" } });
      expect(updated.metadata?.resourceVersion).not.toBe(created.metadata?.resourceVersion);
      expect(await client.get(ConfigMap, "one", here)).toEqual(updated);
      await client.delete(ConfigMap, "one", here);
      await expect(client.get(ConfigMap, "one", here)).rejects.toSatisfy(isNotFound);
    });

    it("gets a name from the server", async () => {
      const created = await client.create(ConfigMap, { metadata: { generateName: "gen-", namespace } });
      expect(created.metadata?.name).toMatch(/^gen-[a-z0-9]{5,}$/);
    });

    it("may be large", async () => {
      const large = "€".repeat(300_000);
      await client.create(ConfigMap, settings("large", { large }));
      expect((await client.get(ConfigMap, "large", here)).data?.["large"]).toBe(large);
    });

    it("keeps bytes that are no text", async () => {
      const value = randomBytes(64).toString("base64");
      await client.create(Secret, { metadata: { name: "bytes", namespace }, data: { value } });
      expect((await client.get(Secret, "bytes", here)).data?.["value"]).toBe(value);
    });
  });

  describe("failures", () => {
    it("name the call and the object, and say why", async () => {
      const missing = client.get(ConfigMap, "missing", here);
      await expect(missing).rejects.toSatisfy(isNotFound);
      await expect(missing).rejects.toThrow(
        `get ConfigMap ${namespace}/missing: configmaps "missing" not found`,
      );
      await client.create(ConfigMap, settings("twice"));
      await expect(client.create(ConfigMap, settings("twice"))).rejects.toSatisfy(isAlreadyExists);
    });

    it("tell a change that comes too late", async () => {
      const first = await client.create(ConfigMap, settings("late"));
      await client.update(ConfigMap, { ...first, data: { by: "another" } });
      await expect(client.update(ConfigMap, { ...first, data: { by: "me" } })).rejects.toSatisfy(isConflict);
    });

    it("carry the causes of an invalid object", async () => {
      const invalid = client.create(ConfigMap, settings("Not A Name"));
      await expect(invalid).rejects.toSatisfy(isInvalid);
      await expect(invalid).rejects.toMatchObject({
        code: 422,
        details: { causes: [{ field: "metadata.name", reason: "FieldValueInvalid" }] },
      });
    });
  });

  describe("writes", () => {
    it("with dryRun store nothing", async () => {
      const created = await client.create(ConfigMap, settings("dry"), { dryRun: true });
      expect(created.metadata?.uid).toEqual(expect.any(String));
      await expect(client.get(ConfigMap, "dry", here)).rejects.toSatisfy(isNotFound);
    });

    it("with unknown fields are refused, or warned of", async () => {
      const odd = { ...settings("odd"), dta: { a: "1" } };
      await expect(client.create(ConfigMap, odd, { fieldValidation: "Strict" })).rejects.toMatchObject({
        code: 400,
      });
      await client.create(ConfigMap, odd, { fieldValidation: "Warn" });
      await client.update(ConfigMap, odd, { fieldValidation: "Warn" });
      expect(target.warnings.filter((text) => text.includes('unknown field "dta"'))).toHaveLength(1);
    });

    it("change part of an object: merge patch", async () => {
      await client.create(ConfigMap, settings("merge", { a: "1", b: "2" }));
      const patched = await client.patch(ConfigMap, "merge", { merge: { data: { a: null, c: "3" } } }, here);
      expect(patched.data).toEqual({ b: "2", c: "3" });
    });

    it("change part of an object: JSON patch", async () => {
      await client.create(ConfigMap, settings("json", { a: "1" }));
      const test = { op: "test", path: "/data/a", value: "1" } as const;
      const replace = { op: "replace", path: "/data/a", value: "2" } as const;
      expect((await client.patch(ConfigMap, "json", { json: [test, replace] }, here)).data).toEqual({
        a: "2",
      });
      await expect(client.patch(ConfigMap, "json", { json: [test, replace] }, here)).rejects.toMatchObject({
        code: 422,
      });
    });

    it("change part of an object: strategic merge patch", async () => {
      await client.create(Deployment, sleeper("strategic"));
      const sidecar = { name: "sidecar", image: "registry.k8s.io/pause:3.9" };
      const strategic = { spec: { template: { spec: { containers: [sidecar] } } } };
      const patched = await client.patch(Deployment, "strategic", { strategic }, here);
      expect(patched.spec?.template.spec?.containers.map(({ name }) => name).sort()).toEqual([
        "main",
        "sidecar",
      ]);
    });
  });

  describe("apply", () => {
    const fields = (data: Record<string, string>) => ({ metadata: { name: "applied", namespace }, data });

    it("declares fields, shares them, and takes back what is no longer declared", async () => {
      const a = { fieldManager: "a" };
      const b = { fieldManager: "b" };
      expect((await client.apply(ConfigMap, fields({ one: "1", two: "2" }), a)).data).toEqual({
        one: "1",
        two: "2",
      });
      await client.apply(ConfigMap, fields({ three: "3" }), b);
      expect((await client.apply(ConfigMap, fields({ one: "1" }), a)).data).toEqual({ one: "1", three: "3" });
    });

    it("does not take another's field, unless forced", async () => {
      const theft = client.apply(ConfigMap, fields({ three: "mine" }), { fieldManager: "a" });
      await expect(theft).rejects.toSatisfy(isConflict);
      const forced = await client.apply(ConfigMap, fields({ three: "mine" }), {
        fieldManager: "a",
        force: true,
      });
      expect(forced.data?.["three"]).toBe("mine");
    });

    it("writes the status by itself", async () => {
      await client.create(Deployment, sleeper("status"));
      const status = {
        metadata: { name: "status", namespace },
        status: { observedGeneration: 1, replicas: 0 },
      };
      const applied = await client.apply(Deployment, status, { subresource: "status", force: true });
      expect(applied.spec?.template.spec?.containers).toHaveLength(1);
      expect(applied.metadata?.managedFields?.map((entry) => entry.subresource)).toContain("status");
    });
  });

  describe("collections", () => {
    const labels = { list: suffix };

    beforeAll(async () => {
      const names = Array.from({ length: 7 }, (_, i) => `item-${i}`);
      await Promise.all(
        names.map((name, i) =>
          client.create(ConfigMap, {
            metadata: { name, namespace, labels: { ...labels, parity: i % 2 ? "odd" : "even" } },
          }),
        ),
      );
    });

    const namesOf = (items: readonly KubeObject[]): (string | undefined)[] =>
      items.map(({ metadata }) => metadata?.name).sort();

    it("are selected by labels and fields", async () => {
      const odd = {
        matchLabels: labels,
        matchExpressions: [{ key: "parity", operator: "In", values: ["odd"] }],
      };
      const byLabel = await client.list(ConfigMap, { ...here, labelSelector: odd });
      expect(namesOf(byLabel.items)).toEqual(["item-1", "item-3", "item-5"]);
      expect(byLabel.items[0]).toMatchObject({ apiVersion: "v1", kind: "ConfigMap" });
      const byField = await client.list(ConfigMap, { ...here, fieldSelector: "metadata.name=item-2" });
      expect(namesOf(byField.items)).toEqual(["item-2"]);
    });

    it("are found across namespaces", async () => {
      const all = await client.list(ConfigMap, { labelSelector: `list=${suffix}` });
      expect(all.items).toHaveLength(7);
    });

    it("are read page by page", async () => {
      const page = await client.list(ConfigMap, { ...here, labelSelector: `list=${suffix}`, limit: 3 });
      expect(page.items).toHaveLength(3);
      expect(page.metadata.continue).toEqual(expect.any(String));
      const items: ConfigMap[] = [];
      for await (const item of client.items(ConfigMap, {
        ...here,
        labelSelector: `list=${suffix}`,
        pageSize: 3,
      })) {
        items.push(item);
      }
      expect(namesOf(items)).toEqual(["item-0", "item-1", "item-2", "item-3", "item-4", "item-5", "item-6"]);
    });

    it("are read as metadata alone, and as tables", async () => {
      const partial = await client.list(metadataOnly(ConfigMap), {
        ...here,
        labelSelector: `list=${suffix}`,
      });
      expect(partial.items).toHaveLength(7);
      expect(Object.keys(partial.items[0]!).sort()).toEqual(["apiVersion", "kind", "metadata"]);
      expect((await client.get(metadataOnly(ConfigMap), "item-0", here)).metadata.labels).toMatchObject(
        labels,
      );
      const table = await client.table(ConfigMap, { ...here, labelSelector: `list=${suffix}` });
      expect(table.columnDefinitions[0]?.name).toBe("Name");
      expect(table.rows.map(({ cells }) => cells[0])).toContain("item-0");
    });

    it("are deleted by selection", async () => {
      await client.deleteCollection(ConfigMap, { ...here, labelSelector: `list=${suffix},parity=odd` });
      const left = await client.list(ConfigMap, { ...here, labelSelector: `list=${suffix}` });
      expect(namesOf(left.items)).toEqual(["item-0", "item-2", "item-4", "item-6"]);
    });
  });

  describe("deletion", () => {
    it("keeps to its preconditions", async () => {
      const { metadata } = await client.create(ConfigMap, settings("precious"));
      const wrong = { ...here, preconditions: { uid: "another" } };
      await expect(client.delete(ConfigMap, "precious", wrong)).rejects.toSatisfy(isConflict);
      await client.delete(ConfigMap, "precious", { ...here, preconditions: { uid: metadata?.uid } });
      await expect(client.get(ConfigMap, "precious", here)).rejects.toSatisfy(isNotFound);
    });

    it("waits for finalizers", async () => {
      const finalizers = ["client-suite.example.com/hold"];
      await client.create(ConfigMap, { metadata: { name: "held", namespace, finalizers } });
      const going = await client.delete(ConfigMap, "held", here);
      expect(going?.metadata?.deletionTimestamp).toEqual(expect.any(String));
      await client.patch(ConfigMap, "held", { merge: { metadata: { finalizers: null } } }, here);
      await waitFor(client, ConfigMap, "held", isAbsent, { ...here, timeout: 10_000 });
    });

    it("spares what the owner does not own", async () => {
      const owner = await client.create(ConfigMap, settings("owner"));
      const { uid = "" } = owner.metadata ?? {};
      const reference = { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid, controller: true };
      await client.create(ConfigMap, { metadata: { name: "own", namespace, ownerReferences: [reference] } });
      await client.create(ConfigMap, settings("foreign"));
      expect(await deleteOwned(client, ConfigMap, "own", owner, here)).toBe("deleted");
      expect(await deleteOwned(client, ConfigMap, "own", owner, here)).toBe("absent");
      expect(await deleteOwned(client, ConfigMap, "foreign", owner, here)).toBe("not owned");
    });
  });

  describe("watch", () => {
    /** The next events of a watch, bookmarks left out. */
    async function take<T extends KubeObject>(
      events: AsyncIterable<WatchEvent<T>>,
      count: number,
    ): Promise<[string, string | undefined][]> {
      const seen: [string, string | undefined][] = [];
      for await (const { type, object } of events) {
        if (type !== "BOOKMARK") seen.push([type, object.metadata?.name]);
        if (seen.length === count) break;
      }
      return seen;
    }

    it("tells every change after a version, in order", async () => {
      const labelSelector = `watch=${suffix}`;
      const { resourceVersion } = (await client.list(ConfigMap, { ...here, labelSelector })).metadata;
      const metadata = { name: "watched", namespace, labels: { watch: suffix } };
      await client.create(ConfigMap, { metadata });
      await client.patch(ConfigMap, "watched", { merge: { data: { a: "1" } } }, here);
      await client.delete(ConfigMap, "watched", here);
      const events = client.watch(ConfigMap, { ...here, labelSelector, resourceVersion, timeoutSeconds: 30 });
      expect(await take(events, 3)).toEqual([
        ["ADDED", "watched"],
        ["MODIFIED", "watched"],
        ["DELETED", "watched"],
      ]);
    });

    it("tells what comes while it waits", async () => {
      const labelSelector = `live=${suffix}`;
      const { resourceVersion } = (await client.list(ConfigMap, { ...here, labelSelector })).metadata;
      const watch = client.watch(ConfigMap, { ...here, labelSelector, resourceVersion, timeoutSeconds: 30 });
      const first = watch.next();
      await client.create(ConfigMap, { metadata: { name: "live", namespace, labels: { live: suffix } } });
      expect((await first).value).toMatchObject({ type: "ADDED", object: { metadata: { name: "live" } } });
      await watch.return?.();
    });

    it("begins with the present state when asked, and says where that ends", async () => {
      const seen: string[] = [];
      const watch = client.watch(ConfigMap, {
        ...here,
        fieldSelector: "metadata.name=live",
        sendInitialEvents: true,
        resourceVersionMatch: "NotOlderThan",
        allowWatchBookmarks: true,
        timeoutSeconds: 30,
      });
      for await (const { type, object } of watch) {
        seen.push(type);
        if (type === "BOOKMARK" && object.metadata?.annotations?.["k8s.io/initial-events-end"] === "true")
          break;
      }
      expect(seen).toEqual(["ADDED", "BOOKMARK"]);
    });

    it("ends when the server ends it", async () => {
      const { resourceVersion } = (await client.list(ConfigMap, here)).metadata;
      const seen: string[] = [];
      for await (const { type } of client.watch(ConfigMap, { ...here, resourceVersion, timeoutSeconds: 1 })) {
        seen.push(type);
      }
      expect(seen).toEqual([]);
    });

    it("ends with its signal", async () => {
      const stop = new AbortController();
      const watch = client.watch(ConfigMap, {
        ...here,
        signal: stop.signal,
        fieldSelector: "metadata.name=none",
      });
      const next = watch.next();
      setTimeout(() => stop.abort(new Error("enough")), 50);
      await expect(
        next.then(({ done }) => (done ? Promise.reject(new Error("enough")) : undefined)),
      ).rejects.toThrow("enough");
    });
  });

  describe("subresources", () => {
    it("scale", async () => {
      await client.create(Deployment, sleeper("scaled"));
      expect((await client.getScale(Deployment, "scaled", here)).spec?.replicas ?? 0).toBe(0);
      await client.scale(Deployment, "scaled", 0, here);
      expect((await client.get(Deployment, "scaled", here)).spec?.replicas).toBe(0);
    });

    it("eviction", async () => {
      await client
        .create(ServiceAccount, { metadata: { name: "default", namespace } })
        .catch(() => undefined);
      await client.create(Pod, waiting("evicted"));
      await client.pods.evict("evicted", { ...here, gracePeriodSeconds: 0 });
      await waitFor(client, Pod, "evicted", isAbsent, { ...here, timeout: 20_000 });
    });

    it("token", async () => {
      await client.create(ServiceAccount, { metadata: { name: "bot", namespace } });
      const { status } = await client.createToken("bot", { expirationSeconds: 600 }, here);
      expect(status?.token?.split(".")).toHaveLength(3);
    });
  });

  describe("recipes", () => {
    it("let many change one object at once", async () => {
      const key = { name: "counter", namespace };
      const increment = () =>
        createOrUpdate(
          client,
          ConfigMap,
          key,
          (now) => ({
            ...now,
            metadata: { ...now?.metadata, ...key },
            data: { count: String(Number(now?.data?.["count"] ?? 0) + 1) },
          }),
          { attempts: 50 },
        );
      await increment();
      await Promise.all(Array.from({ length: 5 }, increment));
      expect((await client.get(ConfigMap, "counter", here)).data).toEqual({ count: "6" });
    });

    it("wait for what somebody else does", async () => {
      const wait = waitFor(client, ConfigMap, "awaited", (each) => each?.data?.["ready"] === "yes", {
        ...here,
        timeout: 20_000,
      });
      await client.create(ConfigMap, settings("awaited"));
      await retryOnConflict(() => client.update(ConfigMap, settings("awaited", { ready: "yes" })));
      expect((await wait)?.metadata?.name).toBe("awaited");
    });
  });

  describe("kinds known only at run time", () => {
    const group = `suite-${suffix}.example.com`;
    const plural = "gadgets";
    const definition: CustomResourceDefinition = {
      metadata: { name: `${plural}.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { kind: "Gadget", plural, singular: "gadget", shortNames: ["gd"] },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: "object",
                properties: {
                  spec: {
                    type: "object",
                    required: ["size"],
                    properties: {
                      size: { type: "integer", minimum: 0 },
                      color: { type: "string", default: "red" },
                    },
                  },
                  status: { type: "object", properties: { size: { type: "integer" } } },
                },
              },
            },
            subresources: {
              status: {},
              scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" },
            },
            additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
          },
        ],
      },
    };
    let Gadget: DynamicResource;
    const gadget = (name: string, spec: object) => ({ metadata: { name, namespace }, spec });

    /** A real server publishes a new kind a moment after it is established. */
    async function published(kind: { apiVersion: string; kind: string }): Promise<DynamicResource> {
      for (let attempt = 0; ; attempt++) {
        try {
          return await client.resource(kind);
        } catch (error) {
          if (attempt === 100 || !isNotFound(error)) throw error;
          await new Promise((resolve) => setTimeout(resolve, 250));
        }
      }
    }

    beforeAll(async () => {
      await client.create(CustomResourceDefinition, definition);
      await waitFor(
        client,
        CustomResourceDefinition,
        definition.metadata?.name ?? "",
        hasCondition("Established"),
        {
          timeout: 30_000,
        },
      );
      Gadget = await published({ apiVersion: `${group}/v1`, kind: "Gadget" });
    }, 60_000);
    afterAll(() => client?.delete(CustomResourceDefinition, definition.metadata?.name ?? ""));

    it("are found by discovery", () => {
      expect(Gadget).toMatchObject({ plural, scope: "Namespaced", shortNames: ["gd"] });
      expect(Gadget.subresources).toContain("status");
    });

    it("are written and read, with defaults and validation", async () => {
      const created = await client.create(Gadget, gadget("a", { size: 1 }));
      expect(created["spec"]).toEqual({ size: 1, color: "red" });
      await expect(client.create(Gadget, gadget("b", { size: -1 }))).rejects.toSatisfy(isInvalid);
      await expect(client.create(Gadget, gadget("b", {}))).rejects.toSatisfy(isInvalid);
      const applied = await client.apply(Gadget, gadget("a", { size: 2 }), { force: true });
      expect(applied["spec"]).toMatchObject({ size: 2 });
      expect((await client.list(Gadget, here)).items).toHaveLength(1);
    });

    it("have a status of their own", async () => {
      const merge = { spec: { size: 9 }, status: { size: 2 } };
      const patched = await client.patch(Gadget, "a", { merge }, { ...here, subresource: "status" });
      expect(patched).toMatchObject({ spec: { size: 2 }, status: { size: 2 } });
    });

    it("have a scale", async () => {
      expect(Gadget.subresources).toContain("scale");
      await client.scale(Gadget, "a", 5, here);
      expect(await client.getScale(Gadget, "a", here)).toMatchObject({
        spec: { replicas: 5 },
        status: { replicas: 2 },
      });
    });

    it("print their columns, and take no strategic merge patch", async () => {
      const table = await client.table(Gadget, here);
      expect(table.columnDefinitions.map(({ name }) => name)).toEqual(["Name", "Size"]);
      expect(table.rows[0]?.cells).toEqual(["a", expect.any(Number)]);
      const strategic = client.patch(Gadget, "a", { strategic: { spec: { size: 1 } } }, here);
      await expect(strategic).rejects.toMatchObject({ code: 415 });
    });

    it("that are not there are said so", async () => {
      await expect(client.resource({ apiVersion: `${group}/v1`, kind: "Gizmo" })).rejects.toSatisfy(
        isNotFound,
      );
    });
  });

  describe("the server itself", () => {
    it("tells its version and its kinds", async () => {
      expect(await client.raw("/version")).toMatchObject({
        major: "1",
        gitVersion: expect.stringMatching(/^v1\./),
      });
      const resources = await client.resources();
      const pods = resources.find(({ group, plural }) => group === "" && plural === "pods");
      expect(pods).toMatchObject({ kind: "Pod", shortNames: ["po"] });
    });
  });
}
