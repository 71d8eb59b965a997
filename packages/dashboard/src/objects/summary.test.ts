import type { KubeObject } from "@kubewright/api";
import type { DynamicResource } from "@kubewright/client";
import { describe, expect, test } from "vitest";
import { referencesIn } from "./references.js";
import { summaryOf } from "./summary.js";

const resource: DynamicResource = {
  group: "example.com",
  version: "v1",
  plural: "boxes",
  singular: "box",
  kind: "Box",
  scope: "Namespaced",
  shortNames: [],
  categories: [],
  verbs: ["list", "watch"],
  subresources: [],
};

const summary = (object: object) =>
  summaryOf({ metadata: { name: "a", namespace: "shop", uid: "1" }, ...object } as KubeObject, resource);

describe("the summary of an object", () => {
  test("an object without conditions is ready and custom", () => {
    expect(summary({})).toMatchObject({
      health: "ready",
      custom: true,
      kind: "Box",
      name: "a",
      namespace: "shop",
    });
  });

  test("a failed reconcile counts more than a condition Ready that is still True", () => {
    const conditions = [
      { type: "Ready", status: "True" },
      { type: "ReconcileFailed", status: "True", message: "quota exceeded" },
    ];
    expect(summary({ status: { conditions } })).toMatchObject({
      health: "failed",
      message: "quota exceeded",
    });
  });

  test("an object being deleted names the finalizers it waits for", () => {
    const metadata = { name: "a", uid: "1", deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["x/y"] };
    expect(summary({ metadata })).toMatchObject({
      health: "terminating",
      message: "waits for finalizer x/y",
    });
  });

  test("the controller comes first among the owners", () => {
    const ownerReferences = [
      { uid: "plain", apiVersion: "v1", kind: "A", name: "a" },
      { uid: "controller", apiVersion: "v1", kind: "B", name: "b", controller: true },
    ];
    expect(summary({ metadata: { name: "a", uid: "1", ownerReferences } }).owners).toEqual([
      "controller",
      "plain",
    ]);
  });

  test("schedules are found in the spec and in its jobs, the next run in the status", () => {
    const spec = { jobs: [{ schedule: "0 8 * * *" }, { schedule: "0 20 * * *" }] };
    const status = {
      jobs: [{ nextRunTime: "2026-01-02T20:00:00Z" }, { nextRunTime: "2026-01-02T08:00:00Z" }],
    };
    expect(summary({ spec, status })).toMatchObject({
      schedule: "0 8 * * *, 0 20 * * *",
      nextRun: "2026-01-02T08:00:00Z",
    });
  });

  test("a status that is no object is no obstacle", () => {
    expect(summary({ status: "odd", spec: 7 })).toMatchObject({ health: "ready" });
  });
});

describe("references of an object", () => {
  test("volumes, environments, backends and references by kind and name are found", () => {
    const spec = {
      containers: [{ envFrom: [{ configMapRef: { name: "settings" } }, { secretRef: { name: "keys" } }] }],
      volumes: [{ persistentVolumeClaim: { claimName: "data" } }, { secret: { secretName: "keys" } }],
      scaleTargetRef: { kind: "Deployment", name: "web" },
      backend: { service: { name: "front" } },
      configMapName: "page",
    };
    expect(referencesIn(spec, "shop")).toEqual([
      "ConfigMap/shop/settings",
      "Secret/shop/keys",
      "PersistentVolumeClaim/shop/data",
      "Deployment/shop/web",
      "Service/shop/front",
      "ConfigMap/shop/page",
    ]);
  });

  test("fields named as members of JavaScript objects are fields like any other", () => {
    const spec = JSON.parse(
      '{"constructor": "a", "__proto__": {"name": "b"}, "toString": {"name": "c", "undefined": "d"}}',
    );
    expect(referencesIn(spec, "shop")).toEqual([]);
  });

  test("the CA that every pod mounts is left out", () => {
    expect(referencesIn({ volumes: [{ configMap: { name: "kube-root-ca.crt" } }] }, "shop")).toEqual([]);
  });
});
