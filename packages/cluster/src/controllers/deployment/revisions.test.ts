import type { ReplicaSet } from "@kubewright/api";
import { expect, test } from "vitest";
import { byRevision, lastRevision, revisionAnnotation, setAnnotations } from "./revisions.js";

const set = (revision: string): ReplicaSet => ({
  metadata: { annotations: { [revisionAnnotation]: revision } },
});

test("Deployment: revisions have 64 bits", () => {
  const sets = [set("3546343826724305832"), set("3546343826724305833"), set("2"), set("x"), {}];
  expect(lastRevision(sets)).toBe(3546343826724305833n);
  expect(sets.toSorted(byRevision).at(-1)).toBe(sets[1]);
  expect(setAnnotations({}, undefined, lastRevision(sets) + 1n)).toEqual({
    [revisionAnnotation]: "3546343826724305834",
  });
});
