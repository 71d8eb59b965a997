// Giving up managed fields. An empty apply would remove the values with them, so the entries themselves are taken out.
import type { KubeObject } from "@kubewright/api";
import type { JsonPatchOperation } from "@kubewright/client";

/** The patch that takes a manager's entries out, and annotations with them; undefined when there is nothing to take out. */
export function disowning(
  { metadata = {} }: KubeObject,
  manager: string,
  annotations: readonly string[] = [],
): readonly JsonPatchOperation[] | undefined {
  const { managedFields = [], resourceVersion } = metadata;
  const others = managedFields.filter((entry) => entry.manager !== manager);
  const present = annotations.filter((name) => metadata.annotations?.[name] !== undefined);
  if (others.length === managedFields.length && present.length === 0) return undefined;
  return [
    { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
    ...present.map((name) => ({ op: "remove", path: `/metadata/annotations/${escaped(name)}` }) as const),
    // An empty list would mean that nothing is said of managed fields; one empty entry means that there are none.
    { op: "replace", path: "/metadata/managedFields", value: others.length === 0 ? [{}] : others },
  ];
}

const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
