// Nodes and what describes them.
import {
  ComponentStatus,
  findCondition,
  Lease,
  Node,
  type NodeSystemInfo,
  PriorityClass,
  RuntimeClass,
} from "@kubewright/api";
import { ageColumn, column, nameColumn, wideColumn } from "../column.js";
import { definePrinter, type TablePrinter } from "../printer.js";
import { orElse } from "./cell-text.js";

const rolePrefix = "node-role.kubernetes.io/";
const roleLabel = "kubernetes.io/role";

const node = definePrinter(
  Node,
  [
    nameColumn,
    column("Status", { description: "The status of the node" }),
    column("Roles", { description: "The roles of the node" }),
    ageColumn,
    column("Version", { of: "NodeSystemInfo.kubeletVersion" }),
    wideColumn("Internal-IP", { of: "NodeStatus.addresses" }),
    wideColumn("External-IP", { of: "NodeStatus.addresses" }),
    wideColumn("OS-Image", { of: "NodeSystemInfo.osImage" }),
    wideColumn("Kernel-Version", { of: "NodeSystemInfo.kernelVersion" }),
    wideColumn("Container-Runtime", { of: "NodeSystemInfo.containerRuntimeVersion" }),
  ],
  (object, { age }) => {
    const info = object.status?.nodeInfo;
    return [
      object.metadata?.name ?? "",
      statusText(object),
      orElse(roles(object).join(","), "<none>"),
      age(object.metadata?.creationTimestamp),
      info?.kubeletVersion ?? "",
      address(object, "InternalIP"),
      address(object, "ExternalIP"),
      orElse(info?.osImage, "<unknown>"),
      kernelText(info),
      orElse(info?.containerRuntimeVersion, "<unknown>"),
    ];
  },
);

/** `6.12.0 (amd64)`. */
function kernelText(info: NodeSystemInfo | undefined): string {
  const kernel = orElse(info?.kernelVersion, "<unknown>");
  return info?.architecture ? `${kernel} (${info.architecture})` : kernel;
}

function statusText({ spec, status }: Node): string {
  const ready = findCondition(status?.conditions, "Ready");
  const text = ready ? (ready.status === "True" ? "Ready" : "NotReady") : "Unknown";
  return spec?.unschedulable ? `${text},SchedulingDisabled` : text;
}

function roles({ metadata }: Node): string[] {
  const found = new Set<string>();
  for (const [label, value] of Object.entries(metadata?.labels ?? {})) {
    if (label.startsWith(rolePrefix) && label.length > rolePrefix.length) {
      found.add(label.slice(rolePrefix.length));
    } else if (label === roleLabel && value !== "") found.add(value);
  }
  return [...found].sort();
}

function address({ status }: Node, type: string): string {
  return status?.addresses?.find((candidate) => candidate.type === type)?.address ?? "<none>";
}

const lease = definePrinter(
  Lease,
  [nameColumn, column("Holder", { of: "LeaseSpec.holderIdentity" }), ageColumn],
  ({ metadata, spec }, { age }) => [
    metadata?.name ?? "",
    spec?.holderIdentity ?? "",
    age(metadata?.creationTimestamp),
  ],
);

const priorityClass = definePrinter(
  PriorityClass,
  [
    nameColumn,
    column("Value", { type: "integer", of: "PriorityClass.value" }),
    column("Global-Default", { type: "boolean", of: "PriorityClass.globalDefault" }),
    ageColumn,
    column("PreemptionPolicy", { of: "PriorityClass.preemptionPolicy" }),
  ],
  ({ metadata, value, globalDefault, preemptionPolicy }, { age }) => [
    metadata?.name ?? "",
    value ?? 0,
    globalDefault ?? false,
    age(metadata?.creationTimestamp),
    preemptionPolicy ?? "",
  ],
);

const runtimeClass = definePrinter(
  RuntimeClass,
  [nameColumn, column("Handler"), ageColumn],
  ({ metadata, handler }, { age }) => [metadata?.name ?? "", handler ?? "", age(metadata?.creationTimestamp)],
);

const componentStatus = definePrinter(
  ComponentStatus,
  [
    nameColumn,
    column("Status", { description: "Status of the component conditions" }),
    column("Message", { description: "Message of the component conditions" }),
    column("Error", { description: "Error of the component conditions" }),
  ],
  ({ metadata, conditions }) => {
    const healthy = conditions?.find(({ type }) => type === "Healthy");
    const status = healthy ? (healthy.status === "True" ? "Healthy" : "Unhealthy") : "Unknown";
    return [metadata?.name ?? "", status, healthy?.message ?? "", healthy?.error ?? ""];
  },
);

export const nodePrinters: readonly TablePrinter[] = [
  node,
  lease,
  priorityClass,
  runtimeClass,
  componentStatus,
];
