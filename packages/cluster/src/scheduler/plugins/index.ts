// The plugins, in the order they are asked: the first that objects says why.
import type { FilterPlugin, ScorePlugin } from "../plugin.js";
import { interPodAffinity } from "./inter-pod-affinity.js";
import { interPodAffinityScore } from "./inter-pod-affinity-score.js";
import { nodeAffinity, nodeAffinityScore } from "./node-affinity.js";
import { nodePorts } from "./node-ports.js";
import { balancedAllocation, leastAllocated, nodeResourcesFit } from "./node-resources.js";
import { nodeUnschedulable } from "./node-unschedulable.js";
import { taintToleration, taintTolerationScore } from "./taint-toleration.js";
import { topologySpread } from "./topology-spread.js";
import { topologySpreadScore } from "./topology-spread-score.js";
import { volumeBinding } from "./volume-binding.js";
import { volumeRestrictions } from "./volume-restrictions.js";

export const filterPlugins: readonly FilterPlugin[] = [
  nodeUnschedulable,
  taintToleration,
  nodeAffinity,
  nodePorts,
  nodeResourcesFit,
  volumeRestrictions,
  volumeBinding,
  topologySpread,
  interPodAffinity,
];

export const scorePlugins: readonly ScorePlugin[] = [
  taintTolerationScore,
  nodeAffinityScore,
  topologySpreadScore,
  interPodAffinityScore,
  leastAllocated,
  balancedAllocation,
];
