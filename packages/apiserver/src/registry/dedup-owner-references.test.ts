import { expect, it } from "vitest";
import type { DraftObject } from "../request/draft.js";
import type { Turns } from "../request/turns.js";
import { dedupOwnerReferences } from "./dedup-owner-references.js";

const reference = (uid: string, name = "x") => ({ apiVersion: "v1", kind: "Pod", name, uid });

async function dedup(...ownerReferences: ReturnType<typeof reference>[]) {
  const draft = { metadata: { ownerReferences } } as unknown as DraftObject;
  const warnings: string[] = [];
  await dedupOwnerReferences(draft, { warnings }, "first");
  return { kept: draft.metadata.ownerReferences, warnings };
}

it("keeps each owner once and tells of those that were repeated", async () => {
  const { kept, warnings } = await dedup(reference("1"), reference("2"), reference("1"), reference("1", "y"));
  expect(kept).toEqual([reference("1"), reference("2"), reference("1", "y")]);
  expect(warnings).toEqual([expect.stringMatching(/duplicate UID\(s\) observed: 1$/)]);
});

it("says nothing of owners that differ", async () => {
  const { kept, warnings } = await dedup(reference("1"), reference("1", "y"));
  expect(kept).toHaveLength(2);
  expect(warnings).toEqual([]);
});

it("tells texts apart wherever one of them ends", async () => {
  const { kept } = await dedup(
    { apiVersion: "v1", kind: "Pod", name: "a", uid: "b" },
    { apiVersion: "v1", kind: "Po", name: "da", uid: "b" },
    { apiVersion: "v1", kind: "Pod", name: "ab", uid: "" },
  );
  expect(kept).toHaveLength(3);
});

it("looks through a great many in turns", async () => {
  const many = Array.from({ length: 4000 }, (_, index) => reference(`${index % 3000}`));
  const draft = { metadata: { ownerReferences: many } } as unknown as DraftObject;
  let turns = 0;
  const busy = { isOver: true, next: async () => void turns++ } as unknown as Turns;
  await dedupOwnerReferences(draft, { warnings: [], turns: busy }, "first");
  expect(draft.metadata.ownerReferences).toHaveLength(3000);
  expect(turns).toBeGreaterThanOrEqual(7);
});
