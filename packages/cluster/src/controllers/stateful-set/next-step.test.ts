import type { Pod, StatefulSet, StatefulSetSpec } from "@kubewright/api";
import { expect, test } from "vitest";
import { revisionLabel } from "../../workload/template-revisions.js";
import { claimOwners, isStaleClaim } from "./claim-retention.js";
import { nextSteps } from "./next-step.js";

const set = (spec: Partial<StatefulSetSpec> = {}, currentReplicas = 0): StatefulSet => ({
  metadata: { name: "db", namespace: "n", uid: "set" },
  spec: {
    replicas: 3,
    selector: {},
    template: {},
    updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
    ...spec,
  },
  status: { replicas: 0, currentReplicas },
});

/** `0` is a healthy pod of the new template; `o` marks an old one, `b` a broken one, `t` one on its way out, `f` a failed one. */
function pods(text: string): Pod[] {
  return text
    .split(" ")
    .filter(Boolean)
    .map((word): Pod => {
      const has = (mark: string): boolean => word.includes(mark);
      const name = `db-${Number.parseInt(word, 10)}`;
      return {
        metadata: {
          name,
          uid: name,
          labels: { [revisionLabel]: has("o") ? "old" : "new" },
          ...(has("t") ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
        },
        status: {
          phase: has("f") ? "Failed" : has("b") ? "Pending" : "Running",
          conditions: [{ type: "Ready", status: has("b") || has("f") ? "False" : "True" }],
        },
      };
    });
}

const rolling = (maxUnavailable: number | string, partition = 0): Partial<StatefulSetSpec> => ({
  updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition, maxUnavailable } },
});
const parallel = { podManagementPolicy: "Parallel" } as const;

test.each<[string, StatefulSet, string, string]>([
  ["starts with the first", set(), "", "+0"],
  ["goes on when the first is healthy", set(), "0", "+1"],
  ["waits for one that is not ready", set(), "0b", ""],
  ["starts all at once in parallel", set(parallel), "", "+0 +1 +2"],
  ["starts where its numbers do", set({ ordinals: { start: 5 } }), "5", "+6"],
  ["removes pods before its first number", set({ ordinals: { start: 1 }, replicas: 2 }), "0 1 2", "-0"],
  ["replaces one that has ended", set(), "0 1f 2", "-1"],
  ["removes the last first", set({ replicas: 1 }), "0 1 2", "-2"],
  ["removes nothing while a pod that stays is broken", set({ replicas: 1 }), "0b 1 2", ""],
  ["waits with a broken one for a broken one before it", set({ replicas: 1 }), "0 1b 2b", ""],
  ["removes the only broken one", set({ replicas: 1 }), "0 1 2b", "-2"],
  ["removes all at once in parallel", set({ ...parallel, replicas: 1 }), "0 1 2b", "-2 -1"],
  ["updates the last", set(), "0o 1o 2o", "-2"],
  ["goes on with the update", set(), "0o 1o 2", "-1"],
  ["waits with the update", set(), "0o 1o 2b", ""],
  ["leaves the part before the partition", set(rolling(1, 2)), "0o 1o 2", ""],
  ["updates two at a time", set(rolling(2)), "0o 1o 2o", "-2 -1"],
  ["updates a share, rounded down", set(rolling("70%")), "0o 1o 2o", "-2 -1"],
  ["updates one when the share is less", set(rolling("10%")), "0o 1o 2o", "-2"],
  ["counts what is missing in parallel", set({ ...rolling(2), ...parallel }), "0o 1o 2b", "-1"],
  ["does not miss a broken old pod in parallel", set({ ...rolling(1), ...parallel }), "0o 1ob 2o", "-1"],
  ["stays stuck on a broken pod in order", set(), "0o 1o 2ob", ""],
  ["leaves updates to whoever deletes", set({ updateStrategy: { type: "OnDelete" } }), "0o 1o 2o", ""],
])("%s", (_name, subject, there, expected) => {
  const steps = nextSteps({ set: subject, pods: pods(there), updateRevision: "new", now: 0 });
  const text = steps.map((step) =>
    step.does === "create" ? `+${step.ordinal}` : `-${step.pod.metadata?.name?.slice(3)}`,
  );
  expect(text.join(" ")).toBe(expected);
});

test.each([
  [set(rolling(1, 2)), 1, true],
  [set(rolling(1, 0), 3), 0, false],
  [set({ updateStrategy: { type: "RollingUpdate" } }, 2), 1, true],
])("a pod that is made again has the template of its part", (subject, ordinal, isCurrent) => {
  const others = [0, 1, 2].filter((one) => one < ordinal).join(" ");
  const [step] = nextSteps({ set: subject, pods: pods(others), updateRevision: "new", now: 0 });
  expect(step).toEqual({ does: "create", ordinal, isCurrent });
});

const retaining = (whenScaled: string, whenDeleted: string) =>
  set({ replicas: 1, persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted } });
const owners = (
  subject: StatefulSet,
  pod: string,
  references: { kind: string; name: string; uid: string }[],
) =>
  claimOwners(subject, pods(pod)[0] as Pod, {
    metadata: { ownerReferences: references.map((one) => ({ apiVersion: "v1", controller: true, ...one })) },
  })?.map(({ uid }) => uid);
const bySet = { kind: "StatefulSet", name: "db", uid: "set" };

test.each([
  ["Retain", "Retain", "0", undefined],
  ["Retain", "Delete", "0", ["set"]],
  ["Retain", "Delete", "1", ["set"]],
  ["Delete", "Retain", "0", undefined],
  ["Delete", "Retain", "1", ["db-1"]],
  ["Delete", "Delete", "0", ["set"]],
  ["Delete", "Delete", "1", ["db-1"]],
])("scaled: %s, deleted: %s, pod %s: owned by %j", (whenScaled, whenDeleted, pod, expected) => {
  expect(owners(retaining(whenScaled, whenDeleted), pod, [])).toEqual(expected);
});

test("a claim changes hands with the policy, and back; those of others are left alone", () => {
  expect(owners(retaining("Delete", "Delete"), "1", [bySet])).toEqual(["db-1"]);
  expect(owners(retaining("Retain", "Retain"), "0", [bySet])).toEqual([]);
  expect(owners(retaining("Retain", "Delete"), "0", [bySet])).toBeUndefined();
  expect(owners(retaining("Retain", "Delete"), "0", [{ ...bySet, uid: "earlier" }])).toBeUndefined();
  expect(
    owners(retaining("Retain", "Delete"), "0", [{ kind: "Other", name: "o", uid: "o" }]),
  ).toBeUndefined();
});

test("a claim that goes with an earlier pod is waited for", () => {
  const ownerReferences = [{ apiVersion: "v1", kind: "Pod", name: "db-0", uid: "earlier" }];
  expect(isStaleClaim(retaining("Delete", "Retain"), "db-0", { metadata: { ownerReferences } })).toBe(true);
  expect(isStaleClaim(retaining("Retain", "Retain"), "db-0", { metadata: { ownerReferences } })).toBe(false);
});
