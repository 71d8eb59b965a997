import type { KubeObject, ObjectMeta } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import type { ObjectChange } from "../informer/delta-queue.js";
import {
  allOf,
  annotationsChanged,
  anyOf,
  generationChanged,
  hasLabels,
  labelsChanged,
  not,
} from "./predicates.js";

const change = (
  previous: ObjectMeta | undefined,
  current: ObjectMeta | undefined,
): ObjectChange<KubeObject> => ({
  key: "a",
  previous: previous && { metadata: previous },
  current: current && { metadata: current },
  initial: false,
  origin: "watch",
});
const added = change(undefined, { generation: 1 });
const deleted = change({ generation: 1 }, undefined);

describe.each([
  ["generationChanged", generationChanged, { generation: 1 }, { generation: 2 }],
  ["generationChanged", generationChanged, { generation: 1 }, { generation: 1, deletionTimestamp: "now" }],
  ["generationChanged", generationChanged, {}, { labels: { a: "b" } }],
  ["labelsChanged", labelsChanged, { labels: { a: "b" } }, { labels: { a: "c" } }],
  ["labelsChanged", labelsChanged, { labels: { a: "b" } }, {}],
  ["annotationsChanged", annotationsChanged, {}, { annotations: { a: "b" } }],
])("predicate %s", (_, predicate, before, after) => {
  test(`passes additions, deletions, and ${JSON.stringify(before)} → ${JSON.stringify(after)}`, () => {
    expect([added, deleted, change(before, after)].map(predicate)).toEqual([true, true, true]);
  });

  test("drops updates without a change", () => {
    const same = { generation: 1, labels: { a: "b" }, annotations: { a: "b" } };
    expect(predicate(change(same, { ...same, resourceVersion: "2" }))).toBe(false);
  });
});

test("predicate hasLabels matches labels before and after an update", () => {
  const gold = hasLabels("tier=gold");
  expect(gold(change({ labels: { tier: "gold" } }, { labels: {} }))).toBe(true);
  expect(gold(change({ labels: {} }, { labels: { tier: "gold" } }))).toBe(true);
  expect(gold(change({ labels: {} }, undefined))).toBe(false);
  expect(hasLabels({ matchLabels: { tier: "gold" } })(change(undefined, { labels: { tier: "gold" } }))).toBe(
    true,
  );
});

test("predicates compose with anyOf, allOf and not", () => {
  const [yes, no] = [() => true, () => false];
  expect([
    anyOf(no, yes)(added),
    anyOf(no, no)(added),
    allOf(yes, yes)(added),
    allOf(yes, no)(added),
    not(no)(added),
  ]).toEqual([true, false, true, false, true]);
});
