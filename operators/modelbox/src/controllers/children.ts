// The objects a ModelBox consists of, as pure functions of it.
import type { Deployment, Service } from "@kubewright/api";
import { budgetFor, mergePodTemplate, serviceSpec } from "@kubewright/runtime/workload";
import type { ModelBox } from "../api/v1/model-box.js";
import { containersOf } from "./containers.js";
import type { Additions } from "./policies.js";

/** On every pod of a box, with the name of the box. */
export const boxLabel = "model.github.com/box";

export const nameOf = ({ metadata }: ModelBox): string => metadata.name ?? "";

/** The selector labels of a box's Service and Deployment. They cannot change: selectors of Deployments are immutable. */
export const podLabels = (box: ModelBox) => ({ [boxLabel]: nameOf(box) });

const labelsOf = (box: ModelBox) => ({ "app.kubernetes.io/managed-by": "modelbox", ...podLabels(box) });

export function deploymentFor(box: ModelBox, additions: Additions) {
  const { replicas, minReadySeconds } = box.spec;
  const share = box.spec.rollingUpdate || "25%";
  const { containers, initContainers } = containersOf(box, additions);
  const template = {
    metadata: { labels: labelsOf(box) },
    spec: { containers, ...(initContainers.length > 0 ? { initContainers } : {}) },
  };
  return {
    metadata: { name: nameOf(box), labels: labelsOf(box) },
    spec: {
      replicas,
      minReadySeconds,
      selector: { matchLabels: podLabels(box) },
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: share, maxUnavailable: share } },
      template: mergePodTemplate(template, box.spec.podTemplate),
    },
  } satisfies Deployment;
}

export function serviceFor(box: ModelBox) {
  const { ports, serviceType: type } = box.spec;
  return {
    metadata: { name: nameOf(box), labels: labelsOf(box) },
    spec: serviceSpec({ type, ports, selector: podLabels(box) }),
  } satisfies Service;
}

export function disruptionBudgetFor(box: ModelBox) {
  const metadata = { name: nameOf(box), labels: labelsOf(box) };
  return budgetFor(metadata, podLabels(box), box.spec.podDisruptionBudget);
}
