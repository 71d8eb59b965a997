// The life of a CustomResourceDefinition: names, conditions, changes, and its end with all that it defined.
import { describe, expect, it } from "vitest";
import {
  definition,
  definitionServer,
  definitionsPath,
  version,
  widget,
  widgetsPath,
} from "./definition-server.js";

const path = `${definitionsPath}/widgets.example.com`;

describe("a new definition", () => {
  it("is named, then established, one step at a time", async () => {
    const { call, watch } = definitionServer();
    const events = await watch(definitionsPath);
    const created = await call("POST", definitionsPath, definition());
    expect(created.body.status).toEqual({
      conditions: null,
      acceptedNames: { plural: "", kind: "" },
      storedVersions: ["v1"],
    });
    const seen = [await events.next(), await events.next(), await events.next()];
    const reasons = seen.map((event) => [
      event?.type,
      ...(event?.object.status.conditions ?? []).map(
        (condition: { type: string; status: string; reason: string }) =>
          `${condition.type}=${condition.status} ${condition.reason}`,
      ),
    ]);
    expect(reasons).toEqual([
      ["ADDED"],
      ["MODIFIED", "NamesAccepted=True NoConflicts", "Established=False Installing"],
      ["MODIFIED", "NamesAccepted=True NoConflicts", "Established=True InitialNamesAccepted"],
    ]);
    expect(seen[2]?.object.metadata).toMatchObject({ generation: 1 });
  });

  it("is not served while its webhook cannot be believed", async () => {
    const { call, until, conditionOf } = definitionServer();
    const caBundle = Buffer.from("nonsense").toString("base64");
    const webhook = {
      conversionReviewVersions: ["v1"],
      clientConfig: { url: "https://127.0.0.1/convert", caBundle },
    };
    await call("POST", definitionsPath, definition({ conversion: { strategy: "Webhook", webhook } }));
    const answer = await until(
      path,
      (found) => conditionOf(found, "Established")?.reason === "InvalidCABundle",
    );
    expect(conditionOf(answer, "Established")).toMatchObject({
      status: "False",
      message: "The conversion webhook CABundle is invalid",
    });
    expect((await call("GET", widgetsPath())).status).toBe(404);
  });

  it.each([
    ["https://github.com/kubernetes/kubernetes/pull/78458", "True", "ApprovedAnnotation"],
    ["unapproved, experimental-only", "False", "UnapprovedAnnotation"],
  ])("in a group of the community says whether it was approved: %s", async (text, status, reason) => {
    const { call, until, conditionOf } = definitionServer();
    const annotations = { "api-approved.kubernetes.io": text };
    const created = await call(
      "POST",
      definitionsPath,
      definition({ group: "x.k8s.io" }, { annotations, name: "widgets.x.k8s.io" }),
    );
    expect(created.status).toBe(201);
    const type = "KubernetesAPIApprovalPolicyConformant";
    const answer = await until(
      `${definitionsPath}/widgets.x.k8s.io`,
      (found) => conditionOf(found, type) !== undefined,
    );
    expect(conditionOf(answer, type)).toMatchObject({ status, reason });
  });
});

describe("names", () => {
  const rival = definition({ names: { plural: "widgetz", kind: "Widget", shortNames: ["wg"] } });
  const rivalPath = `${definitionsPath}/widgetz.example.com`;

  it("that another has are refused until it is gone", async () => {
    const { call, define, until, conditionOf } = definitionServer();
    await define(definition());
    await call("POST", definitionsPath, rival);
    const refused = await until(
      rivalPath,
      (found) => conditionOf(found, "NamesAccepted")?.status === "False",
    );
    expect(conditionOf(refused, "NamesAccepted")).toMatchObject({
      reason: "ListKindConflict",
      message: '"WidgetList" is already in use',
    });
    expect(conditionOf(refused, "Established")).toMatchObject({ status: "False", reason: "NotAccepted" });
    expect(refused.body.status.acceptedNames).toEqual({ plural: "widgetz", kind: "", shortNames: ["wg"] });
    await call("DELETE", path);
    const accepted = await until(rivalPath, (found) => conditionOf(found, "Established")?.status === "True");
    expect(accepted.body.status.acceptedNames).toMatchObject({ kind: "Widget", listKind: "WidgetList" });
  });

  it("are granted once, however many ask at the same time", async () => {
    const { call, until, conditionOf } = definitionServer();
    const plurals = ["a", "b", "c", "d"];
    const asking = plurals.map((plural) => definition({ names: { plural, kind: "Same" } }));
    await Promise.all(asking.map((wanted) => call("POST", definitionsPath, wanted)));
    const decided = await Promise.all(
      asking.map(({ metadata }) =>
        until(`${definitionsPath}/${metadata.name}`, (found) => {
          const status = conditionOf(found, "NamesAccepted")?.status;
          return status === "False" || conditionOf(found, "Established")?.status === "True";
        }),
      ),
    );
    expect(decided.filter((found) => conditionOf(found, "Established")?.status === "True")).toHaveLength(1);
  });

  it("that are given up become free, and an established definition stays served without new ones", async () => {
    const { call, patch, define, until, conditionOf } = definitionServer();
    await define(definition({ names: { plural: "widgets", kind: "Widget", shortNames: ["w"] } }));
    await define(definition({ names: { plural: "gadgets", kind: "Gadget" } }));
    const gadgets = `${definitionsPath}/gadgets.example.com`;
    await patch(gadgets, { spec: { names: { shortNames: ["w"] } } });
    const refused = await until(gadgets, (found) => conditionOf(found, "NamesAccepted")?.status === "False");
    expect(conditionOf(refused, "NamesAccepted")).toMatchObject({ reason: "ShortNamesConflict" });
    expect(conditionOf(refused, "Established")).toMatchObject({ status: "True" });
    expect((await call("GET", "/apis/example.com/v1/gadgets")).status).toBe(200);
    await patch(path, { spec: { names: { shortNames: null } } });
    const granted = await until(gadgets, (found) => conditionOf(found, "NamesAccepted")?.status === "True");
    expect(granted.body.status.acceptedNames.shortNames).toEqual(["w"]);
  });

  it("of built-in resources stay theirs", async () => {
    const { call, define } = definitionServer();
    const annotations = { "api-approved.kubernetes.io": "unapproved, a test" };
    const leases = definition(
      { group: "coordination.k8s.io", names: { plural: "leases", kind: "Rent" } },
      { annotations },
    );
    await define(leases);
    expect((await call("GET", "/apis/coordination.k8s.io/v1/leases")).body.kind).toBe("LeaseList");
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "l" }, spec: {} };
    const leasesPath = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
    expect((await call("POST", leasesPath, lease)).status).toBe(201);
    await call("DELETE", `${definitionsPath}/leases.coordination.k8s.io`);
    expect((await call("GET", `${leasesPath}/l`)).status).toBe(200);
  });
});

describe("a changed definition", () => {
  it("must say which version it changes", async () => {
    const { call, define } = definitionServer();
    await define(definition());
    const { status, body } = await call("PUT", path, definition());
    expect(status).toBe(422);
    expect(body.message).toContain(
      "metadata.resourceVersion: Invalid value: 0: must be specified for an update",
    );
  });

  it("counts generations by its spec alone", async () => {
    const { patch, define } = definitionServer();
    await define(definition());
    expect((await patch(path, { metadata: { labels: { a: "b" } } })).body.metadata.generation).toBe(1);
    expect(
      (await patch(`${path}/status`, { status: { storedVersions: ["v1"] } })).body.metadata.generation,
    ).toBe(1);
    const changed = await patch(path, { spec: { names: { shortNames: ["w"] } } });
    expect(changed.body.metadata.generation).toBe(2);
  });

  it("remembers every version objects may be stored in, until told that none is left", async () => {
    const { call, patch, define } = definitionServer();
    await define(definition());
    const both = [version("v1", { storage: false }), version("v2")];
    const moved = await define(definition({ versions: both }));
    expect(moved.body.status.storedVersions).toEqual(["v1", "v2"]);
    const { body } = await patch(path, { spec: { versions: [version("v2")] } });
    expect(body.message).toContain(
      'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions',
    );
    expect((await patch(`${path}/status`, { status: { storedVersions: ["v2"] } })).status).toBe(200);
    expect((await patch(path, { spec: { versions: [version("v2")] } })).status).toBe(200);
    expect((await call("GET", widgetsPath("example.com/v1"))).status).toBe(404);
    expect((await call("GET", widgetsPath("example.com/v2"))).status).toBe(200);
  });

  it("ends watches of its resources, so that clients look again", async () => {
    const { call, define, watch } = definitionServer();
    await define(definition());
    const { next } = await watch(widgetsPath());
    await call("POST", widgetsPath(), widget("w"));
    expect((await next())?.type).toBe("ADDED");
    await define(definition({ versions: [version("v1"), version("v2", { storage: false })] }));
    expect(await next()).toBeUndefined();
  });

  it("that only got a label disturbs no one", async () => {
    const { call, patch, define, watch } = definitionServer();
    await define(definition());
    const { next } = await watch(widgetsPath());
    await patch(path, { metadata: { labels: { a: "b" } } });
    await call("POST", widgetsPath(), widget("w"));
    expect((await next())?.type).toBe("ADDED");
  });
});

describe("a deleted definition", () => {
  it("takes its resources with it, and leaves nothing for the next of its name", async () => {
    const { call, define, until, watch } = definitionServer();
    await define(definition());
    await call("POST", widgetsPath(), widget("w"));
    const { next } = await watch(widgetsPath());
    expect((await next())?.type).toBe("ADDED");
    const deleted = await call("DELETE", path);
    expect(deleted.body.metadata).toMatchObject({
      generation: 1,
      finalizers: ["customresourcecleanup.apiextensions.k8s.io"],
    });
    expect(deleted.body.metadata.deletionGracePeriodSeconds).toBeUndefined();
    await until(path, ({ status }) => status === 404);
    expect(await next()).toMatchObject({ type: "DELETED", object: { metadata: { name: "w" } } });
    expect(await next()).toBeUndefined();
    expect((await call("GET", widgetsPath())).status).toBe(404);
    await define(definition());
    expect((await call("GET", widgetsPath())).body.items).toEqual([]);
  });

  it("lets others be served while its many resources are deleted", async () => {
    const { call, define, until } = definitionServer();
    await define(definition());
    for (let index = 0; index < 1000; index++) await call("POST", widgetsPath(), widget(`w-${index}`));
    await call("DELETE", path);
    const left: number[] = [];
    while ((await call("GET", path)).status === 200) {
      left.push((await call("GET", widgetsPath())).body.items?.length ?? 0);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(left.some((count) => count > 0 && count < 1000)).toBe(true);
    await until(path, ({ status }) => status === 404);
  });

  it("waits for resources that others still work on; no new ones can be made meanwhile", async () => {
    const { call, patch, define, until, conditionOf } = definitionServer();
    await define(definition());
    await call("POST", widgetsPath(), widget("held", {}, undefined, { finalizers: ["a.example.com/b"] }));
    await call("POST", widgetsPath(), widget("free"));
    await call("DELETE", path);
    const waiting = await until(
      path,
      (found) => conditionOf(found, "Terminating")?.reason === "InstanceDeletionInProgress",
    );
    expect(waiting.status).toBe(200);
    await until(`${widgetsPath()}/free`, ({ status }) => status === 404);
    const refused = await call("POST", widgetsPath(), widget("late"));
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({
      reason: "Forbidden",
      message: expect.stringContaining(
        '"late" is forbidden: create not allowed while custom resource definition is terminating',
      ),
      details: { group: "example.com", kind: "widgets" },
    });
    const [resource] = (await call("GET", "/apis/example.com/v1")).body.resources;
    expect(resource.verbs).toEqual(["delete", "deletecollection", "get", "list", "watch"]);
    const held = await call("GET", `${widgetsPath()}/held`);
    expect(held.body.metadata.deletionTimestamp).toBeDefined();
    await patch(`${widgetsPath()}/held`, { metadata: { finalizers: [] } });
    await until(path, ({ status }) => status === 404);
  });

  it("that has finalizers of its own says when its resources are gone", async () => {
    const { call, patch, define, until, conditionOf } = definitionServer();
    await define(definition({}, { finalizers: ["keep.example.com/it"] }));
    await call("DELETE", path);
    const done = await until(path, (found) => conditionOf(found, "Terminating")?.status === "False");
    expect(conditionOf(done, "Terminating")).toMatchObject({
      reason: "InstanceDeletionCompleted",
      message: "removed all instances",
    });
    expect(done.body.metadata.finalizers).toEqual(["keep.example.com/it"]);
    await patch(path, { metadata: { finalizers: [] } });
    expect((await call("GET", path)).status).toBe(404);
  });

  it.each(["Foreground", "Orphan", "Background"])(
    "goes the same way under the policy %s",
    async (propagationPolicy) => {
      const { call, define, until } = definitionServer();
      await define(definition());
      const deleted = await call("DELETE", path, undefined, { query: { propagationPolicy } });
      expect(deleted.body.metadata.finalizers).toEqual(["customresourcecleanup.apiextensions.k8s.io"]);
      await until(path, ({ status }) => status === 404);
    },
  );

  it("that was never established goes without looking for resources", async () => {
    const { call, define, until } = definitionServer();
    await define(definition());
    await call("POST", definitionsPath, definition({ names: { plural: "other", kind: "Widget" } }));
    await call("DELETE", `${definitionsPath}/other.example.com`);
    await until(`${definitionsPath}/other.example.com`, ({ status }) => status === 404);
  });

  it("goes even when admission would keep its resources", async () => {
    const refusing = {
      name: "Refusing",
      validate({ operation, kind }: { operation: string; kind: { plural: string } }) {
        if (operation === "DELETE" && kind.plural === "widgets") throw new Error("no");
      },
    };
    const { call, define, until } = definitionServer({ admission: [refusing] });
    await define(definition());
    await call("POST", widgetsPath(), widget("w"));
    expect((await call("DELETE", `${widgetsPath()}/w`)).status).toBe(500);
    await call("DELETE", path);
    await until(path, ({ status }) => status === 404);
  });
});
