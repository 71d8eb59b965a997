import type { DraftObject, StoredObject, Strategy } from "@kubewright/kinds";
import { describe, expect, it } from "vitest";

import type { ResourceKind } from "./resource-kind.js";
import { metadataErrors, metadataUpdateErrors } from "./validate-metadata.js";

const kindWith = (strategy: Strategy = {}, custom = false) =>
  ({ scope: "Namespaced", strategy, custom }) as unknown as ResourceKind;

const objectWith = (metadata: DraftObject["metadata"]): DraftObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", namespace: "n", uid: "u1", ...metadata },
});

const stored = (metadata: DraftObject["metadata"] = {}): StoredObject =>
  objectWith({ resourceVersion: "1", ...metadata }) as unknown as StoredObject;

const owner = { apiVersion: "v1", kind: "Pod", name: "x", uid: "u" };

describe("metadata validation of a new object", () => {
  it.each([
    ["a finalizer without a domain", { finalizers: ["nodomain"] }, ["metadata.finalizers[0]"]],
    ["a finalizer of Kubernetes' own", { finalizers: ["orphan"] }, []],
    ["an owner without uid", { ownerReferences: [{ ...owner, uid: "" }] }, ["metadata.ownerReferences.uid"]],
    [
      "an owner without version",
      { ownerReferences: [{ ...owner, apiVersion: "apps/" }] },
      ["metadata.ownerReferences.apiVersion"],
    ],
    ["an event as owner", { ownerReferences: [{ ...owner, kind: "Event" }] }, ["metadata.ownerReferences"]],
    [
      "two controllers",
      {
        ownerReferences: [
          { ...owner, controller: true },
          { ...owner, uid: "v", controller: true },
        ],
      },
      ["metadata.ownerReferences"],
    ],
    ["a bad label", { labels: { a: "-" } }, ["metadata.labels"]],
    ["no name", { name: "" }, ["metadata.name"]],
    ["a bad prefix", { name: "A_b-x", generateName: "A_b-" }, ["metadata.generateName", "metadata.name"]],
  ])("%s", (_, metadata, fields) => {
    expect(metadataErrors(objectWith(metadata), kindWith()).map(({ field }) => field)).toEqual(fields);
  });

  it("lets custom objects have any qualified finalizer", () => {
    const object = objectWith({ finalizers: ["nodomain"] });
    expect(metadataErrors(object, kindWith({}, true))).toEqual([]);
  });
});

describe("metadata validation of a changed object", () => {
  const times = (metadata: DraftObject["metadata"], strategy: Strategy = {}, before = stored()) =>
    metadataUpdateErrors(objectWith(metadata), before, kindWith(strategy)).length;

  it("reports immutable fields in the generic layer and by the kind", () => {
    expect(times({ uid: "u2" })).toBe(2);
  });

  it("reports labels in both generic checks and by the kind, once more where the kind checks all of it again", () => {
    expect(times({ labels: { a: "-" } })).toBe(3);
    expect(times({ labels: { a: "-" } }, { metadata: { onUpdate: ["update", "object"] } })).toBe(4);
    expect(times({ labels: { a: "-" } }, { metadata: { onUpdate: ["update", "object", "object"] } })).toBe(5);
  });

  it("reports immutable fields in the generic layer alone where the kind does not", () => {
    const strategy: Strategy = { metadata: { onUpdate: ["object", "object"] } };
    expect(times({ uid: "u2" }, strategy)).toBe(1);
    expect(times({ labels: { a: "-" } }, strategy)).toBe(4);
  });

  it("refuses new finalizers during deletion", () => {
    const before = stored({ deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["a.example/x"] });
    const { deletionTimestamp } = before.metadata;
    const kept = { deletionTimestamp, finalizers: ["a.example/x"] };
    expect(times(kept, {}, before)).toBe(0);
    expect(times({ ...kept, finalizers: ["a.example/x", "a.example/y"] }, {}, before)).toBe(2);
  });
});
