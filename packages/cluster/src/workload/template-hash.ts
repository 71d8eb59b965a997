// A short name for a pod template, by which the pods and ReplicaSets of its revisions differ: the one that
// kube-controller-manager gives it.
import type { PodTemplateSpec } from "@kubewright/api";
import { dumpTemplate } from "./template-dump.js";

export const hashLabel = "pod-template-hash";

/** Letters and digits that cannot spell anything. */
const alphabet = "bcdfghjklmnpqrstvwxz2456789";
const basis = 0x811c9dc5;
const prime = 0x01000193;

/** The same for equal templates; another one for every collision counted. */
export function templateHash(template: PodTemplateSpec | undefined, collisions: number | undefined): string {
  const text = Buffer.from(dumpTemplate(template));
  const counted = Buffer.alloc(collisions === undefined ? 0 : 8);
  if (collisions !== undefined) counted.writeUInt32LE(collisions);
  let hash = basis;
  for (const byte of Buffer.concat([text, counted])) hash = Math.imul(hash ^ byte, prime);
  return spelled(hash);
}

/** The hash of the data of a revision; another one for every collision counted. */
export function revisionDataHash(data: unknown, collisions: number): string {
  let hash = basis;
  for (const byte of Buffer.from(`${goJson(data)}${collisions}`)) hash = Math.imul(hash, prime) ^ byte;
  return spelled(hash);
}

/** JSON as Go writes it, safe to stand in HTML. */
const goJson = (data: unknown): string =>
  JSON.stringify(data).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const spelled = (hash: number): string =>
  [...(hash >>> 0).toString()].map((digit) => alphabet[digit.charCodeAt(0) % alphabet.length]).join("");
