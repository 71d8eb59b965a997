// The status of a pod, from the states of its containers.
import { findCondition, formatTime, type Pod, type PodCondition, type PodStatus } from "@kubewright/api";
import type { ContainerLifecycle } from "./container-lifecycle.js";

export interface PodState {
  readonly init: readonly ContainerLifecycle[];
  readonly containers: readonly ContainerLifecycle[];
  /** True when every init container has done its part. */
  readonly isInitialized: boolean;
  /** True once the pod has a network. */
  readonly hasSandbox: boolean;
  readonly isStopping: boolean;
  readonly podIP: string;
  readonly hostIP: string;
  readonly startTime: string;
}

type Phase = NonNullable<PodStatus["phase"]>;

/** What the kubelet would write. */
export function podStatus(pod: Pod, state: PodState, now: number): PodStatus {
  const phase = phaseOf(pod, state);
  return {
    phase,
    observedGeneration: pod.metadata?.generation,
    conditions: conditionsOf(pod, state, phase, now),
    hostIP: state.hostIP,
    hostIPs: [{ ip: state.hostIP }],
    ...(state.hasSandbox ? { podIP: state.podIP, podIPs: [{ ip: state.podIP }] } : {}),
    startTime: state.startTime,
    ...(state.init.length > 0 ? { initContainerStatuses: state.init.map((one) => one.status()) } : {}),
    containerStatuses: state.containers.map((one) => one.status()),
  };
}

function phaseOf(pod: Pod, { init, containers, isInitialized, isStopping }: PodState): Phase {
  const restart = pod.spec?.restartPolicy ?? "Always";
  const initFailed = init.some(({ terminated }) => terminated && terminated.exitCode !== 0);
  if (!isInitialized) return initFailed && (restart === "Never" || isStopping) ? "Failed" : "Pending";
  const ended = containers.filter(({ terminated }) => terminated);
  const failed = ended.some(({ terminated }) => terminated?.exitCode !== 0);
  if (ended.length === containers.length) {
    if (isStopping || restart === "Never") return failed ? "Failed" : "Succeeded";
    if (restart === "OnFailure" && !failed) return "Succeeded";
    return "Running";
  }
  const hasRun = containers.some(
    (one) => one.isRunning || one.terminated || one.status().lastState?.terminated,
  );
  return hasRun ? "Running" : "Pending";
}

function conditionsOf(pod: Pod, state: PodState, phase: Phase, now: number): readonly PodCondition[] {
  const { containers, isInitialized, hasSandbox } = state;
  const isOver = phase === "Succeeded" || phase === "Failed";
  const unready = containers.filter((one) => !one.isReady).map(({ container }) => container.name);
  const isReady = !isOver && isInitialized && unready.length === 0 && !state.isStopping;
  const gate = pod.spec?.readinessGates?.find(
    ({ conditionType }) => findCondition(pod.status?.conditions, conditionType)?.status !== "True",
  );
  const notReady = isOver
    ? { reason: phase === "Succeeded" ? "PodCompleted" : "PodFailed" }
    : {
        reason: "ContainersNotReady",
        message: `containers with unready status: [${unready.join(" ")}]`,
      };
  const notInitialized = {
    reason: "ContainersNotInitialized",
    message: `containers with incomplete status: [${state.init
      .filter(({ terminated }) => terminated?.exitCode !== 0)
      .map(({ container }) => container.name)
      .join(" ")}]`,
  };
  const gateClosed = {
    reason: "ReadinessGatesNotReady",
    message: `corresponding condition of pod readiness gate "${gate?.conditionType}" does not exist or is not True.`,
  };
  const initialized = isOver && phase === "Succeeded" ? { reason: "PodCompleted" } : {};
  return [
    condition(pod, "PodReadyToStartContainers", hasSandbox && !isOver, {}, now),
    condition(pod, "Initialized", isInitialized, isInitialized ? initialized : notInitialized, now),
    condition(pod, "Ready", isReady && !gate, isReady ? (gate ? gateClosed : {}) : notReady, now),
    condition(pod, "ContainersReady", isReady, isReady ? {} : notReady, now),
    condition(pod, "PodScheduled", true, {}, now),
  ];
}

function condition(
  pod: Pod,
  type: string,
  isTrue: boolean,
  why: { readonly reason?: string; readonly message?: string },
  now: number,
): PodCondition {
  const status = isTrue ? "True" : "False";
  const before = findCondition(pod.status?.conditions, type);
  const since = before?.status === status ? before.lastTransitionTime : undefined;
  return {
    type,
    status,
    observedGeneration: pod.metadata?.generation,
    lastTransitionTime: since ?? formatTime(now),
    ...why,
  };
}
