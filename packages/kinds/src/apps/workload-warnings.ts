// Warnings about a workload: its name ends up in those of its pods, its template in their specs.
import { type ObjectMeta, type PodTemplateSpec, validateDns1123Label } from "@kubewright/api";
import type { DraftObject, StoredObject } from "../objects.js";
import { podWarnings } from "../pod/pod-warnings.js";

/** Names of workloads may have dots, hostnames should not. */
export function nameWarnings({ name = "" }: ObjectMeta): string[] {
  const texts = validateDns1123Label(name);
  if (texts.length === 0) return [];
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${texts.join(" ")}]`,
  ];
}

/** Warnings for the template at a field. */
export const templateWarnings = (template: PodTemplateSpec | undefined, field: string): string[] =>
  template?.spec ? podWarnings(template.spec, template.metadata, field) : [];

/** Whether the spec changed, which is when an update warns about it again. */
export const isNewGeneration = (object: DraftObject, old: StoredObject): boolean =>
  object.metadata.generation !== old.metadata.generation;
