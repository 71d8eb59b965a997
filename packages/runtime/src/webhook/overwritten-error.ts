// Names the field manager that keeps changing an object back, from its managed fields.
import type { KubeObject, ManagedFieldsEntry } from "@kubewright/api";
import type { KeptObject } from "./kept-object.js";

interface OverwrittenOptions {
  /** The field manager of this manager. */
  readonly fieldManager: string;
  /** True when the object is no longer written. */
  readonly isLeft: boolean;
}

export function overwrittenError(
  object: KeptObject,
  found: KubeObject | undefined,
  { fieldManager, isLeft }: OverwrittenOptions,
): Error {
  const name = `${object.resource.kind} ${object.name}`;
  const consequence = isLeft
    ? "it is no longer written by this manager; stop the other program, or start without webhooks (ENABLE_WEBHOOKS=false)"
    : "it is corrected less and less often; stop the other program, or let it leave clientConfig alone";
  return new Error(
    `${name} is changed back again and again: ${rival(object, found, fieldManager)}; ${consequence}`,
  );
}

function rival(object: KeptObject, found: KubeObject | undefined, fieldManager: string): string {
  if (!found) return "somebody deletes it";
  const target = object.target(found);
  const writer = lastWriter(found.metadata?.managedFields ?? [], fieldManager);
  return `field manager "${writer}" wrote it last${target ? ` and sends the API server to ${target}` : ""}`;
}

/** Times have whole seconds: of two writers in one second the other one is meant. */
function lastWriter(entries: readonly ManagedFieldsEntry[], fieldManager: string): string {
  const rank = ({ time = "", manager }: ManagedFieldsEntry) => `${time} ${Number(manager !== fieldManager)}`;
  const [last] = entries.toSorted((one, other) => rank(other).localeCompare(rank(one)));
  return last?.manager ?? "unknown";
}
