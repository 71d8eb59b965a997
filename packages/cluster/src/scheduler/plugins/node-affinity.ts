// Node selectors and node affinity, required and preferred.
import type { Pod } from "@kubewright/api";
import { matchesNodeTerm, matchesSelectors } from "../node-fit.js";
import { type FilterPlugin, final, type ScorePlugin, spreadByHighest } from "../plugin.js";

export const selectorsDiffer = "node(s) didn't match Pod's node affinity/selector";
const misfit = final(selectorsDiffer);

export const nodeAffinity: FilterPlugin = {
  name: "NodeAffinity",
  prepare({ pod }) {
    const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
    if (!required && !pod.spec?.nodeSelector) return undefined;
    const only = namedNodes(pod);
    if (only?.size === 0) return { rejection: "pod affinity terms conflict" };
    return { check: ({ node }) => (matchesSelectors(pod, node) ? undefined : misfit), only };
  },
};

/** The names of nodes, when every term gives some: pods of DaemonSets are meant for one node. */
function namedNodes({ spec }: Pod): ReadonlySet<string> | undefined {
  const terms =
    spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (!terms) return undefined;
  const names = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const listed = matchFields.filter(({ key, operator }) => key === "metadata.name" && operator === "In");
    const [first, ...rest] = listed.map(({ values }) => values ?? []);
    if (!first) return undefined;
    for (const name of first) if (rest.every((values) => values.includes(name))) names.add(name);
  }
  return names;
}

export const nodeAffinityScore: ScorePlugin = {
  name: "NodeAffinity",
  weight: 2,
  prepare({ pod }) {
    const preferred = pod.spec?.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    if (preferred.length === 0) return undefined;
    return {
      score: ({ node }) =>
        preferred.reduce(
          (sum, { weight, preference }) => (matchesNodeTerm(preference, node) ? sum + weight : sum),
          0,
        ),
      normalize: (scores) => spreadByHighest(scores),
    };
  },
};
