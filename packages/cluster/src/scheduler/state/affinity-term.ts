// A term of pod affinity, compiled: which pods it means and what counts as being together.
import { LabelMatcher, type LabelSelector, type Labels, type PodAffinityTerm } from "@kubewright/api";

/** Labels of a namespace; undefined when it is not known. */
export type NamespaceLabels = (namespace: string) => Labels | undefined;

export interface AffinityTerm {
  /** The same for terms that mean the same. */
  readonly id: string;
  readonly selector: LabelMatcher;
  readonly namespaces: ReadonlySet<string>;
  readonly namespaceSelector: LabelMatcher | undefined;
  readonly topologyKey: string;
}

export interface WeightedTerm {
  readonly term: AffinityTerm;
  readonly weight: number;
}

/** Compiles a term of a pod in `namespace` with `labels`. */
export function compileTerm(term: PodAffinityTerm, namespace: string, labels: Labels): AffinityTerm {
  const { topologyKey } = term;
  const selector = withKeys(term.labelSelector, labels, term.matchLabelKeys, term.mismatchLabelKeys);
  const isOwnNamespace = !term.namespaceSelector && (term.namespaces ?? []).length === 0;
  const namespaces = new Set(isOwnNamespace ? [namespace] : term.namespaces);
  const namespaceSelector = term.namespaceSelector && LabelMatcher.from(term.namespaceSelector);
  const wider = namespaceSelector ? `?${namespaceSelector}` : "";
  const id = `${topologyKey}|${[...namespaces].sort()}${wider}|${selector.isNothing ? "!" : selector}`;
  return { id, selector, namespaces, namespaceSelector, topologyKey };
}

/** A selector narrowed to pods that share (or do not share) the pod's own values of some labels. */
export function withKeys(
  selector: LabelSelector | undefined,
  labels: Labels,
  same: readonly string[] = [],
  different: readonly string[] = [],
): LabelMatcher {
  if (!selector || same.length + different.length === 0) return LabelMatcher.from(selector);
  const known = new Set((selector.matchExpressions ?? []).map((one) => JSON.stringify(one)));
  const more = [
    ...same.map((key) => ({ key, operator: "In" })),
    ...different.map((key) => ({ key, operator: "NotIn" })),
  ]
    .flatMap(({ key, operator }) =>
      labels[key] === undefined ? [] : [{ key, operator, values: [labels[key]] }],
    )
    .filter((one) => !known.has(JSON.stringify(one)));
  return LabelMatcher.from({
    ...selector,
    matchExpressions: [...(selector.matchExpressions ?? []), ...more],
  });
}

/** Whether a term means pods of a namespace. */
export function coversNamespace(term: AffinityTerm, namespace: string, labelsOf: NamespaceLabels): boolean {
  if (term.namespaces.has(namespace)) return true;
  return term.namespaceSelector?.matches(labelsOf(namespace) ?? {}) ?? false;
}

/** Whether a term means a pod. */
export function meansPod(
  term: AffinityTerm,
  pod: { readonly namespace: string; readonly labels: Labels },
  labelsOf: NamespaceLabels,
): boolean {
  return term.selector.matches(pod.labels) && coversNamespace(term, pod.namespace, labelsOf);
}
