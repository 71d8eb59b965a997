// Pods: the STATUS column sums up what every container is up to.
import {
  type ContainerState,
  type ContainerStatus,
  findCondition,
  isConditionTrue,
  type JsonObject,
  Pod,
} from "@kubewright/api";
import { ageColumn, column, nameColumn, wideColumn } from "../column.js";
import { millisecondsOf } from "../human-duration.js";
import { definePrinter, type PrintContext, type TablePrinter } from "../printer.js";
import { orElse } from "./cell-text.js";

const columns = [
  nameColumn,
  column("Ready", { description: "The aggregate readiness state of this pod for accepting traffic." }),
  column("Status", { description: "The aggregate status of the containers in this pod." }),
  column("Restarts", {
    description:
      "The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.",
  }),
  ageColumn,
  wideColumn("IP", { of: "PodStatus.podIP" }),
  wideColumn("Node", { of: "PodSpec.nodeName" }),
  wideColumn("Nominated Node", { of: "PodStatus.nominatedNodeName" }),
  wideColumn("Readiness Gates", { of: "PodSpec.readinessGates" }),
];

export const podPrinter: TablePrinter = definePrinter(Pod, columns, (pod, context) => {
  const summary = summarize(pod);
  const { spec, status, metadata } = pod;
  return {
    cells: [
      metadata?.name ?? "",
      `${summary.ready}/${summary.total}`,
      summary.reason,
      restartsText(summary, context),
      context.age(metadata?.creationTimestamp),
      orElse(status?.podIPs?.[0]?.ip ?? status?.podIP, "<none>"),
      orElse(spec?.nodeName, "<none>"),
      orElse(status?.nominatedNodeName, "<none>"),
      readinessGates(pod),
    ],
    conditions: completion(status?.phase),
  };
});

/** The summary of all containers of a pod. */
interface Summary {
  ready: number;
  total: number;
  reason: string;
  restarts: number;
  lastRestart: string | undefined;
}

function summarize(pod: Pod): Summary {
  const { spec, status } = pod;
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  const summary: Summary = {
    ready: 0,
    total: (spec?.containers?.length ?? 0) + sidecars.length,
    reason: baseReason(pod),
    restarts: 0,
    lastRestart: undefined,
  };
  const isSidecar = (name: string): boolean => sidecars.some((container) => container.name === name);
  const ofSidecars: Restarts = { restarts: 0, lastRestart: undefined };
  const initializing = addInitContainers(pod, summary, ofSidecars, isSidecar);
  if (!initializing || isConditionTrue(status?.conditions, "Initialized")) {
    Object.assign(summary, ofSidecars);
    addContainers(pod, summary);
  }
  summary.reason = deletionReason(pod) ?? summary.reason;
  return summary;
}

type Restarts = Pick<Summary, "restarts" | "lastRestart">;

function baseReason({ status }: Pod): string {
  if (findCondition(status?.conditions, "PodScheduled")?.reason === "SchedulingGated")
    return "SchedulingGated";
  return status?.reason || status?.phase || "";
}

function deletionReason({ metadata, status }: Pod): string | undefined {
  if (!metadata?.deletionTimestamp) return undefined;
  if (status?.reason === "NodeLost") return "Unknown";
  const isDone = status?.phase === "Succeeded" || status?.phase === "Failed";
  return isDone ? undefined : "Terminating";
}

/** Goes through init containers up to the first that is not done. True when there is one. */
function addInitContainers(
  { spec, status }: Pod,
  summary: Summary,
  ofSidecars: Restarts,
  isSidecar: (name: string) => boolean,
): boolean {
  const statuses = status?.initContainerStatuses ?? [];
  for (const [i, container] of statuses.entries()) {
    addRestarts(summary, container);
    const sidecar = isSidecar(container.name);
    if (sidecar) addRestarts(ofSidecars, container);
    if (container.state?.terminated?.exitCode === 0) continue;
    if (sidecar && container.started) {
      if (container.ready) summary.ready++;
      continue;
    }
    summary.reason = initReason(container.state, i, spec?.initContainers?.length ?? 0);
    return true;
  }
  return false;
}

function initReason(state: ContainerState | undefined, index: number, count: number): string {
  if (state?.terminated) return `Init:${terminationReason(state)}`;
  const waiting = state?.waiting?.reason;
  return waiting && waiting !== "PodInitializing" ? `Init:${waiting}` : `Init:${index}/${count}`;
}

function addContainers({ status }: Pod, summary: Summary): void {
  let running = false;
  let failure: string | undefined;
  for (const container of (status?.containerStatuses ?? []).toReversed()) {
    addRestarts(summary, container);
    const { state } = container;
    if (state?.waiting?.reason) summary.reason = state.waiting.reason;
    else if (state?.terminated) {
      summary.reason = terminationReason(state);
      if (state.terminated.exitCode) failure = summary.reason;
    } else if (container.ready && state?.running) {
      running = true;
      summary.ready++;
    }
  }
  // One container being done does not make the pod done, nor does it hide that another failed.
  if (summary.reason !== "Completed") return;
  if (running && isConditionTrue(status?.conditions, "Ready")) summary.reason = "Running";
  else summary.reason = failure ?? (running ? "NotReady" : "Completed");
}

function terminationReason({ terminated }: ContainerState): string {
  if (terminated?.reason) return terminated.reason;
  return terminated?.signal ? `Signal:${terminated.signal}` : `ExitCode:${terminated?.exitCode ?? 0}`;
}

function addRestarts(sum: Restarts, { restartCount, lastState }: ContainerStatus): void {
  sum.restarts += restartCount ?? 0;
  const finished = lastState?.terminated?.finishedAt;
  if (!finished) return;
  if (!sum.lastRestart || (millisecondsOf(finished) ?? 0) > (millisecondsOf(sum.lastRestart) ?? 0)) {
    sum.lastRestart = finished;
  }
}

function restartsText({ restarts, lastRestart }: Summary, context: PrintContext): string {
  return restarts !== 0 && lastRestart ? `${restarts} (${context.age(lastRestart)} ago)` : String(restarts);
}

function readinessGates({ spec, status }: Pod): string {
  const gates = spec?.readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  const open = gates.filter(({ conditionType }) => isConditionTrue(status?.conditions, conditionType));
  return `${open.length}/${gates.length}`;
}

function completion(phase: string | undefined): readonly JsonObject[] | undefined {
  if (phase === "Succeeded") return [completed(phase, "The pod has completed successfully.")];
  return phase === "Failed" ? [completed(phase, "The pod failed.")] : undefined;
}

function completed(reason: string, message: string): JsonObject {
  return { type: "Completed", status: "True", reason, message };
}
