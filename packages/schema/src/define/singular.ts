// The singular name of a kind, where its author gives none.
import { isBuiltInShortName } from "./built-in-names.js";

/**
 * The kind in lower case. Where that is the short name of a built-in resource (a kind Hpa would take `kubectl get hpa` away
 * from the HorizontalPodAutoscaler), the first label of the group stands before it: `autoscalhpa`.
 */
export function singularOf(kind: string, group: string): string {
  const singular = kind.toLowerCase();
  if (!isBuiltInShortName(singular)) return singular;
  return `${group.split(".")[0]?.replaceAll("-", "")}${singular}`;
}
