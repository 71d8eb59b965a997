// The hashes were recorded from the functions of kube-controller-manager 1.36.4.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { PodTemplateSpec } from "@kubewright/api";
import { expect, test } from "vitest";
import { revisionDataHash, templateHash } from "./template-hash.js";
import { revisionData } from "./template-revisions.js";

interface Recorded {
  readonly what: string;
  readonly template: PodTemplateSpec;
  readonly collisions?: number;
  readonly hash: string;
  readonly revisionHash: string;
}

const file = join(import.meta.dirname, "fixtures/template-hashes.json");
const recorded = JSON.parse(readFileSync(file, "utf8")) as readonly Recorded[];

test.each(recorded)(
  "$what: the hash that kube-controller-manager gives it",
  ({ template, collisions, hash }) => {
    expect(templateHash(template, collisions)).toBe(hash);
  },
);

const stored = recorded.filter(({ what }) => !what.startsWith("empty lists"));
test.each(stored)("$what: the hash of its revision in a StatefulSet", ({ template, revisionHash }) => {
  expect(revisionDataHash(revisionData({ template }), 0)).toBe(revisionHash);
});
