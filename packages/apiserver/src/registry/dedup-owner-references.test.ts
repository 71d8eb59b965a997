import type { DraftObject } from "@kubewright/kinds";
import { expect, it } from "vitest";

import { dedupOwnerReferences } from "./dedup-owner-references.js";

const reference = (uid: string, name = "x") => ({ apiVersion: "v1", kind: "Pod", name, uid });

function dedup(...ownerReferences: ReturnType<typeof reference>[]) {
  const draft = { metadata: { ownerReferences } } as unknown as DraftObject;
  const warnings: string[] = [];
  dedupOwnerReferences(draft, { warnings }, "first");
  return { kept: draft.metadata.ownerReferences, warnings };
}

it("owner references: keeps each once and reports those that were repeated", () => {
  const { kept, warnings } = dedup(reference("1"), reference("2"), reference("1"), reference("1", "y"));
  expect(kept).toEqual([reference("1"), reference("2"), reference("1", "y")]);
  expect(warnings).toEqual([expect.stringMatching(/duplicate UID\(s\) observed: 1$/)]);
});

it("owner references: reports nothing where all differ", () => {
  const { kept, warnings } = dedup(reference("1"), reference("1", "y"));
  expect(kept).toHaveLength(2);
  expect(warnings).toEqual([]);
});

it("owner references: compares every field by itself, wherever a text ends", () => {
  const { kept } = dedup(
    { apiVersion: "v1", kind: "Pod", name: "a", uid: "b" },
    { apiVersion: "v1", kind: "Po", name: "da", uid: "b" },
    { apiVersion: "v1", kind: "Pod", name: "ab", uid: "" },
  );
  expect(kept).toHaveLength(3);
});
