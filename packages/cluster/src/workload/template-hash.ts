// A short name for a pod template, by which the pods and ReplicaSets of its revisions differ.
import type { PodTemplateSpec } from "@kubewright/api";
import { withSortedKeys } from "./sorted-keys.js";

export const hashLabel = "pod-template-hash";

/** Letters and digits that cannot spell anything. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** The same for equal templates; another one for every collision counted. */
export function templateHash(template: PodTemplateSpec | undefined, collisions: number | undefined): string {
  const text = canonical(template) + (collisions === undefined ? "" : `\n${collisions}`);
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  const digits = (hash >>> 0).toString();
  return [...digits].map((digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join("");
}

/** JSON with keys in order, so that the order in which fields were written does not matter. */
const canonical = (value: unknown): string => JSON.stringify(withSortedKeys(value));
