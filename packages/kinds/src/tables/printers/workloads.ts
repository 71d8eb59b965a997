// Kinds that keep pods running.
import {
  ControllerRevision,
  DaemonSet,
  Deployment,
  getControllerOf,
  LabelMatcher,
  PodTemplate,
  parseApiVersion,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from "@kubewright/api";
import { ageColumn, column, containerColumns, nameColumn, wideColumn } from "../column.js";
import type { DescribedField } from "../field-descriptions.js";
import { definePrinter, type TablePrinter } from "../printer.js";
import { containerCells, labelsText, selectorText } from "./cell-text.js";

const count = (name: string, of: DescribedField) => column(name, { type: "integer", of });
const ready = column("Ready", { description: "Number of the pod with ready state" });
const replicaColumns = (kind: "ReplicaSet" | "ReplicationController") => [
  nameColumn,
  count("Desired", `${kind}Spec.replicas`),
  count("Current", `${kind}Status.replicas`),
  count("Ready", `${kind}Status.readyReplicas`),
  ageColumn,
  ...containerColumns,
  wideColumn("Selector", { of: `${kind}Spec.selector` }),
];

const deployment = definePrinter(
  Deployment,
  [
    nameColumn,
    ready,
    column("Up-to-date", { of: "DeploymentStatus.updatedReplicas" }),
    column("Available", { of: "DeploymentStatus.availableReplicas" }),
    ageColumn,
    ...containerColumns,
    wideColumn("Selector", { of: "DeploymentSpec.selector" }),
  ],
  ({ metadata, spec, status }, { age }) => [
    metadata?.name ?? "",
    `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    status?.updatedReplicas ?? 0,
    status?.availableReplicas ?? 0,
    age(metadata?.creationTimestamp),
    ...containerCells(spec?.template?.spec?.containers),
    deploymentSelector(spec?.selector),
  ],
);

/** Unlike its siblings, this one shows nothing for an empty selector. */
function deploymentSelector(selector: Parameters<typeof LabelMatcher.from>[0] | null): string {
  try {
    return String(LabelMatcher.from(selector ?? undefined));
  } catch {
    return "<invalid>";
  }
}

const replicaSet = definePrinter(
  ReplicaSet,
  replicaColumns("ReplicaSet"),
  ({ metadata, spec, status }, { age }) => [
    metadata?.name ?? "",
    spec?.replicas ?? 0,
    status?.replicas ?? 0,
    status?.readyReplicas ?? 0,
    age(metadata?.creationTimestamp),
    ...containerCells(spec?.template?.spec?.containers),
    selectorText(spec?.selector),
  ],
);

const replicationController = definePrinter(
  ReplicationController,
  replicaColumns("ReplicationController"),
  ({ metadata, spec, status }, { age }) => [
    metadata?.name ?? "",
    spec?.replicas ?? 0,
    status?.replicas ?? 0,
    status?.readyReplicas ?? 0,
    age(metadata?.creationTimestamp),
    ...containerCells(spec?.template?.spec?.containers),
    labelsText(spec?.selector),
  ],
);

const statefulSet = definePrinter(
  StatefulSet,
  [nameColumn, ready, ageColumn, ...containerColumns],
  ({ metadata, spec, status }, { age }) => [
    metadata?.name ?? "",
    `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
    age(metadata?.creationTimestamp),
    ...containerCells(spec?.template?.spec?.containers),
  ],
);

const daemonSet = definePrinter(
  DaemonSet,
  [
    nameColumn,
    count("Desired", "DaemonSetStatus.desiredNumberScheduled"),
    count("Current", "DaemonSetStatus.currentNumberScheduled"),
    count("Ready", "DaemonSetStatus.numberReady"),
    count("Up-to-date", "DaemonSetStatus.updatedNumberScheduled"),
    count("Available", "DaemonSetStatus.numberAvailable"),
    column("Node Selector", { of: "PodSpec.nodeSelector" }),
    ageColumn,
    ...containerColumns,
    wideColumn("Selector", { of: "DaemonSetSpec.selector" }),
  ],
  ({ metadata, spec, status }, { age }) => [
    metadata?.name ?? "",
    status?.desiredNumberScheduled ?? 0,
    status?.currentNumberScheduled ?? 0,
    status?.numberReady ?? 0,
    status?.updatedNumberScheduled ?? 0,
    status?.numberAvailable ?? 0,
    labelsText(spec?.template?.spec?.nodeSelector),
    age(metadata?.creationTimestamp),
    ...containerCells(spec?.template?.spec?.containers),
    selectorText(spec?.selector),
  ],
);

const podTemplate = definePrinter(
  PodTemplate,
  [
    nameColumn,
    column("Containers", { description: "Names of each container in the template." }),
    column("Images", { description: "Images referenced by each container in the template." }),
    column("Pod Labels", { description: "The labels for the pod template." }),
  ],
  ({ metadata, template }) => [
    metadata?.name ?? "",
    ...containerCells(template?.spec?.containers),
    labelsText(template?.metadata?.labels),
  ],
);

const controllerRevision = definePrinter(
  ControllerRevision,
  [
    nameColumn,
    column("Controller", { description: "Controller of the object" }),
    column("Revision", { of: "ControllerRevision.revision" }),
    ageColumn,
  ],
  (revision, { age }) => [
    revision.metadata?.name ?? "",
    controllerText(revision),
    revision.revision,
    age(revision.metadata?.creationTimestamp),
  ],
);

/** `statefulset.apps/web`. */
function controllerText(revision: ControllerRevision): string {
  const owner = getControllerOf(revision);
  if (!owner) return "<none>";
  const group = parseApiVersion(owner.apiVersion)?.group;
  return `${[owner.kind, group].filter(Boolean).join(".").toLowerCase()}/${owner.name}`;
}

export const workloadPrinters: readonly TablePrinter[] = [
  deployment,
  replicaSet,
  replicationController,
  statefulSet,
  daemonSet,
  podTemplate,
  controllerRevision,
];
