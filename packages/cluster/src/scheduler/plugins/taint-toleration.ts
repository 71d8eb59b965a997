// Taints keep pods away that do not tolerate them, or make a node a worse choice.
import { tolerates, untoleratedTaint } from "../node-fit.js";
import { type FilterPlugin, final, type ScorePlugin, spreadByHighest } from "../plugin.js";

export const untolerated = "node(s) had untolerated taint(s)";
const misfit = final(untolerated);

export const taintToleration: FilterPlugin = {
  name: "TaintToleration",
  prepare({ pod }) {
    return { check: ({ node }) => (untoleratedTaint(pod, node) ? misfit : undefined) };
  },
};

export const taintTolerationScore: ScorePlugin = {
  name: "TaintToleration",
  weight: 3,
  prepare({ pod }, _cluster, nodes) {
    const isSoft = ({ effect }: { readonly effect?: string | undefined }) => effect === "PreferNoSchedule";
    if (!nodes.some(({ node }) => node.spec?.taints?.some(isSoft))) return undefined;
    const tolerations = pod.spec?.tolerations ?? [];
    return {
      score: ({ node }) =>
        (node.spec?.taints ?? []).filter(
          (taint) => isSoft(taint) && !tolerations.some((one) => tolerates(one, taint)),
        ).length,
      normalize: (scores) => spreadByHighest(scores, true),
    };
  },
};
