// Values as failures show them: in the order of their Go types, whatever order the client wrote them in.
import type { LabelSelector } from "@kubewright/api";

type Labels = Readonly<Record<string, string>>;

/** Labels by name. */
export const shownLabels = (labels: Labels | null | undefined): Labels | null =>
  labels ? Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))) : null;

/** A selector with its labels before its expressions. */
export function shownSelector(selector: LabelSelector | null | undefined): LabelSelector | null {
  if (!selector) return null;
  const { matchLabels, matchExpressions } = selector;
  return {
    ...(matchLabels && Object.keys(matchLabels).length > 0
      ? { matchLabels: shownLabels(matchLabels) ?? {} }
      : {}),
    ...(matchExpressions && matchExpressions.length > 0
      ? {
          matchExpressions: matchExpressions.map(({ key, operator, values }) => ({
            key,
            operator,
            ...(values && values.length > 0 ? { values } : {}),
          })),
        }
      : {}),
  };
}
