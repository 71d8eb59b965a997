import type { DaemonSet, DaemonSetSpec, Node, Pod } from "@kubewright/api";
import { expect, test } from "vitest";
import { revisionLabel } from "../../workload/template-revisions.js";
import { DaemonBackoff } from "./daemon-backoff.js";
import { daemonPlan } from "./daemon-plan.js";
import { daemonStatus } from "./daemon-status.js";

const rolling = (rollingUpdate: { maxUnavailable?: number | string; maxSurge?: number | string }) => ({
  updateStrategy: { type: "RollingUpdate" as const, rollingUpdate },
});
const set = (spec: Partial<DaemonSetSpec> = rolling({ maxUnavailable: 1 })): DaemonSet => ({
  metadata: { name: "agent" },
  spec: { selector: {}, template: { spec: { containers: [] } }, ...spec },
});
const nodes = ["a", "b", "c"].map((name): Node => ({ metadata: { name } }));
const tainted: Node = { metadata: { name: "a" }, spec: { taints: [{ key: "x", effect: "NoExecute" }] } };

/** `a` is a pod that works on node a, of the new template; marks: `o` old, `b` broken, `t` terminating, `f` failed. */
function pods(text: string): Pod[] {
  return text
    .split(" ")
    .filter(Boolean)
    .map((word, at): Pod => {
      const [nodeName = "", marks = ""] = [word[0], word.slice(1)];
      const has = (mark: string): boolean => marks.includes(mark);
      return {
        metadata: {
          name: word,
          creationTimestamp: `2026-01-01T00:00:0${at}Z`,
          labels: { [revisionLabel]: has("o") ? "old" : "new" },
          ...(has("t") ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
        },
        spec: { nodeName, containers: [] },
        status: {
          phase: has("f") ? "Failed" : "Running",
          conditions: [{ type: "Ready", status: has("b") || has("f") ? "False" : "True" }],
        },
      };
    });
}

const plan = (subject: DaemonSet, there: string, places: readonly Node[] = nodes): string => {
  const steps = daemonPlan({ set: subject, nodes: places, pods: pods(there), hash: "new", now: 0 });
  const names = (sign: string, list: readonly Pod[]) =>
    list.map(({ metadata }) => `${sign}${metadata?.name}`);
  return [
    ...steps.create.map((node) => `+${node}`),
    ...names("-", steps.delete),
    ...names("!", steps.ended),
  ].join(" ");
};

test.each([
  ["fills empty nodes", set(), "a", "+b +c"],
  ["waits where a pod is still terminating", set(), "at b c", ""],
  ["keeps the oldest of several", set(), "a ab b c", "-ab"],
  ["clears what has ended", set(), "af b c", "!af"],
  ["clears a node that is gone", set(), "a b c z", "-z"],
  ["replaces one old pod", set(), "ao bo co", "-ao"],
  ["waits for the new one", set(), "ab bo co", ""],
  ["replaces as many as may be missing", set(rolling({ maxUnavailable: 2 })), "ao bo co", "-ao -bo"],
  ["rounds a share up", set(rolling({ maxUnavailable: "34%" })), "ao bo co", "-ao -bo"],
  ["replaces broken old pods whatever may be missing", set(), "ao bob cob", "-bob -cob"],
  [
    "leaves old pods until they are deleted, with OnDelete",
    set({ updateStrategy: { type: "OnDelete" } }),
    "ao bo co",
    "",
  ],
  ["puts a new pod beside an old one", set(rolling({ maxSurge: 1, maxUnavailable: 0 })), "ao bo co", "+a"],
  [
    "puts as many as the share says",
    set(rolling({ maxSurge: "50%", maxUnavailable: 0 })),
    "ao bo co",
    "+a +b",
  ],
  ["waits for the new one beside it", set(rolling({ maxSurge: 1, maxUnavailable: 0 })), "ao ab bo co", ""],
  [
    "ends the old one when the new one works",
    set(rolling({ maxSurge: 1, maxUnavailable: 0 })),
    "ao a bo co",
    "-ao",
  ],
  [
    "does not wait for an old one that is broken",
    set(rolling({ maxSurge: 1, maxUnavailable: 0 })),
    "aob bo co",
    "+a +b",
  ],
  [
    "keeps no broken old one beside a new one",
    set(rolling({ maxSurge: 1, maxUnavailable: 0 })),
    "aob ab bo co",
    "-aob",
  ],
])("DaemonSet: %s", (_name, subject, there, expected) => {
  expect(plan(subject, there)).toBe(expected);
});

test("DaemonSet: deletes the pods of a node that may not have any", () => {
  expect(plan(set(), "a", [tainted])).toBe("-a");
});

test("DaemonSet: the status counts nodes, by the oldest pod of each", () => {
  const state = { set: set(rolling({ maxSurge: 1, maxUnavailable: 0 })), hash: "new", now: 0 };
  expect(daemonStatus({ ...state, nodes, pods: pods("ao ab b cb") })).toEqual({
    observedGeneration: undefined,
    desiredNumberScheduled: 3,
    currentNumberScheduled: 3,
    numberMisscheduled: 0,
    numberReady: 2,
    numberAvailable: 2,
    numberUnavailable: 1,
    updatedNumberScheduled: 2,
  });
});

test("DaemonSet: pods that keep failing are replaced with backoff", () => {
  const backoff = new DaemonBackoff();
  expect(backoff.take("k", 0)).toBe(0);
  expect(backoff.take("k", 400)).toBe(600);
  expect(backoff.take("k", 1000)).toBe(0);
  expect(backoff.take("k", 1000)).toBe(2000);
  expect(backoff.take("k", 3_600_000)).toBe(0);
  expect(backoff.take("k", 3_600_000)).toBe(1000);
  backoff.forget("k");
  expect(backoff.take("k", 3_600_000)).toBe(0);
});
