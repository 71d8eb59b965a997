// Labels of nodes that have newer names, wherever objects select nodes by them.
import { type LabelSelector, type NodeSelectorTerm, validateLabelValue } from "@kubewright/api";

const newerNames: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
  "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
  "failure-domain.beta.kubernetes.io/region":
    'deprecated since v1.17; use "topology.kubernetes.io/region" instead',
  "failure-domain.beta.kubernetes.io/zone":
    'deprecated since v1.17; use "topology.kubernetes.io/zone" instead',
  "beta.kubernetes.io/instance-type":
    'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead',
};

/** The warning for a deprecated label; undefined for others. */
export const deprecatedLabel = (key: string): string | undefined =>
  Object.hasOwn(newerNames, key) ? newerNames[key] : undefined;

/** Warnings for a term of a node selector; `checkValues` where values that no node can have are let through. */
export function nodeTermWarnings(
  { matchExpressions }: NodeSelectorTerm,
  checkValues: boolean,
  field: string,
): string[] {
  return (matchExpressions ?? []).flatMap(({ key, values = [] }, index) => {
    const at = `${field}.matchExpressions[${index}]`;
    const text = deprecatedLabel(key);
    return [
      ...(text ? [`${at}.key: ${key} is ${text}`] : []),
      ...(checkValues ? values : []).flatMap((value, item) =>
        validateLabelValue(value).map((problem) => `${at}.values[${item}]: ${value} is invalid, ${problem}`),
      ),
    ];
  });
}

/** Warnings for a label selector that selects nodes. */
export function nodeSelectorWarnings(selector: LabelSelector | undefined, field: string): string[] {
  const { matchExpressions = [], matchLabels = {} } = selector ?? {};
  return [
    ...matchExpressions.flatMap(({ key }, index) => {
      const text = deprecatedLabel(key);
      return text ? [`${field}.matchExpressions[${index}].key: ${key} is ${text}`] : [];
    }),
    ...Object.keys(matchLabels).flatMap((label) => {
      const text = deprecatedLabel(label);
      return text ? [`${field}.matchLabels.${label}: ${text}`] : [];
    }),
  ];
}
