// Steps that cannot be taken back, where the operator's cache shows an older state than the API server has.
import { PersistentVolumeClaim, Pod } from "@kubewright/api";
import { expect, test } from "vitest";
import type { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import type { EtcdClient } from "../client/etcd-client.js";
import type { Context } from "./context.js";
import { memberLabel } from "./names.js";
import type { Observation } from "./observe.js";
import { takeStep } from "./take-step.js";

const step = {
  kind: "remove-member",
  member: "c-1",
  id: "id1",
  why: "its volume claim is gone",
  isFailed: true,
} as const;
const object = (name: string, resourceVersion: string) => ({
  metadata: { name, resourceVersion, labels: { [memberLabel]: "c-1" } },
});

type Versions = Partial<Record<"pod" | "claim", string>>;

/** Removes a failed member, given what the cache and the API server have of its pod and its claim. */
async function remove(cached: Versions, live: Versions) {
  const removed: string[] = [];
  const objects = (kind: unknown, { pod, claim }: Versions) => {
    if (kind === Pod) return pod === undefined ? [] : [object("c-1", pod)];
    return kind === PersistentVolumeClaim && claim !== undefined ? [object("data-c-1", claim)] : [];
  };
  const ctx = {
    children: (kind: unknown) => objects(kind, cached),
    get: async (kind: unknown, name: string, { live: isLive }: { live?: boolean } = {}) =>
      objects(kind, isLive ? live : cached).find(({ metadata }) => metadata.name === name),
  } as unknown as Context;
  const leader = { memberRemove: async (id: string) => removed.push(id) } as unknown as EtcdClient;
  const slot = { name: "c-0", member: { id: "id0" }, status: { memberId: "id0", leader: "id0" } };
  const observation = {
    observed: { slots: [slot] },
    clients: new Map([["c-0", leader]]),
  } as unknown as Observation;
  const cluster = { metadata: { name: "c", namespace: "default" } } as unknown as EtcdCluster;
  const outcome = await takeStep(step, cluster, ctx, observation, {
    secrets: {} as never,
    restore: undefined,
  });
  return { outcome: outcome.kind, removed };
}

test("a member is removed as failed when the API server shows the same as the cache", async () => {
  expect(await remove({}, {})).toEqual({ outcome: "done", removed: ["id1"] });
  expect(await remove({ pod: "7", claim: "5" }, { pod: "7", claim: "5" })).toEqual({
    outcome: "done",
    removed: ["id1"],
  });
});

test.each([
  ["its claim was created after", {}, { claim: "5" }],
  ["its pod was created after", { claim: "5" }, { pod: "7", claim: "5" }],
  ["its pod changed after", { pod: "7", claim: "5" }, { pod: "8", claim: "5" }],
  ["its claim was deleted after", { claim: "5" }, {}],
])("a member is not removed as failed on an older view: %s", async (_, cached, live) => {
  expect(await remove(cached, live)).toEqual({ outcome: "waiting", removed: [] });
});
