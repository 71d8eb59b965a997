// Some clients name an owner again each time they write. Exact repetitions are dropped, and the client gets a warning.

import type { OwnerReference } from "@kubewright/api";
import type { DraftObject } from "@kubewright/kinds";

import type { RequestContext } from "./request-context.js";

/** Keeps each owner reference once and warns of duplicates; `when` says whether mutating admission has run. */
export function dedupOwnerReferences(
  { metadata }: DraftObject,
  { warnings }: Pick<RequestContext, "warnings">,
  when: "first" | "after admission",
): void {
  const references = metadata.ownerReferences ?? [];
  if (references.length < 2) return;
  const kept: typeof references = [];
  const known = new Set<string>();
  const duplicates: string[] = [];
  for (const reference of references) {
    const text = textOf(reference);
    if (known.has(text)) {
      duplicates.push(reference.uid);
      continue;
    }
    kept.push(reference);
    known.add(text);
  }
  if (duplicates.length === 0) return;
  metadata.ownerReferences = kept;
  const entries = when === "first" ? "" : " after mutating admission happens";
  warnings.push(
    `.metadata.ownerReferences contains duplicate entries${entries}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${duplicates.join(", ")}`,
  );
}

/** Equal for equal references only: the lengths say where each text ends. */
function textOf({
  apiVersion = "",
  kind = "",
  name = "",
  uid = "",
  controller,
  blockOwnerDeletion: blocks,
}: OwnerReference): string {
  return `${controller} ${blocks} ${apiVersion.length} ${kind.length} ${name.length} ${apiVersion}${kind}${name}${uid}`;
}
