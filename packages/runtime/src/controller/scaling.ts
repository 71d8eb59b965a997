// Scaling what a controller learns of only at run time: its kind is looked up on the server.
import { isNotFound, type PolicyRule, TerminalError } from "@kubewright/api";
import type { Client } from "@kubewright/client";
import type { AnyResource } from "./kinds.js";
import type { ScaleTarget } from "./reconcile-context.js";

/** The kind of a target. Throws a TerminalError where there is no such kind, or it cannot be scaled. */
export async function scalableKind(client: Client, { apiVersion, kind }: ScaleTarget): Promise<AnyResource> {
  const resource = await client.resource({ apiVersion, kind }).catch((error: unknown) => {
    if (isNotFound(error)) throw new TerminalError(error.message, { cause: error });
    throw error;
  });
  if (resource.subresources.includes("scale")) return resource;
  throw new TerminalError(`${kind} of ${apiVersion} cannot be scaled: it has no scale subresource`);
}

/** True when a rule permits to read and set the scale of a kind. */
export function permitsScaling(rule: PolicyRule, { group, plural }: AnyResource): boolean {
  const { apiGroups = [], resources = [], verbs } = rule;
  const names = (list: readonly string[], ...any: string[]): boolean =>
    any.some((name) => list.includes(name));
  return (
    names(apiGroups, group, "*") &&
    names(resources, `${plural}/scale`, "*/scale", "*") &&
    (verbs.includes("*") || (verbs.includes("get") && verbs.includes("patch")))
  );
}
