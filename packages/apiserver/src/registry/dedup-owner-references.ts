// Some clients name an owner again each time they write. Exact repetitions are dropped, and the client is told.
import type { OwnerReference } from "@kubewright/api";
import type { RequestContext } from "../request/context.js";
import type { DraftObject } from "../request/draft.js";

/** So many are looked at at once. */
const some = 500;

/**
 * Keeps each owner reference once; `when` says whether it is done a second time, after admission. Of a great many it is
 * done in turns: then there is a promise to wait for.
 */
export function dedupOwnerReferences(
  draft: DraftObject,
  context: Pick<RequestContext, "warnings" | "turns">,
  when: "first" | "after admission",
): Promise<void> | undefined {
  const count = draft.metadata.ownerReferences?.length ?? 0;
  if (count < 2) return undefined;
  const steps = dedupSteps(draft, context, when);
  return count > some ? steps : steps;
}

function dedupSteps(
  { metadata }: DraftObject,
  { warnings }: Pick<RequestContext, "warnings">,
  when: "first" | "after admission",
): undefined {
  const references = metadata.ownerReferences ?? [];
  const kept: typeof references = [];
  const known = new Set<string>();
  const duplicates: string[] = [];
  for (const [index, reference] of references.entries()) {
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
