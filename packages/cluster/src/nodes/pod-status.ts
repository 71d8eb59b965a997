// The status of a pod, from the states of its containers.
import { findCondition, formatTime, type Pod, type PodCondition, type PodStatus } from "@kubewright/api";
import type { ContainerLifecycle } from "./container-lifecycle.js";
import type { PodRejection } from "./pod-admission.js";

export interface PodState {
  readonly init: readonly ContainerLifecycle[];
  readonly containers: readonly ContainerLifecycle[];
  readonly ephemeral: readonly ContainerLifecycle[];
  /** True when every init container has done its part. */
  readonly isInitialized: boolean;
  /** True once the pod has a network. */
  readonly hasSandbox: boolean;
  readonly isStopping: boolean;
  /** Why the kubelet ended the pod, when it did. */
  readonly failure: PodFailure | undefined;
  readonly podIP: string;
  readonly hostIP: string;
  readonly startTime: string;
}

/** Why the kubelet ended a pod. */
export interface PodFailure {
  readonly reason: string;
  readonly message: string;
  /** True when the pod was in somebody's way, not at fault. */
  readonly isDisruption: boolean;
}

type Phase = NonNullable<PodStatus["phase"]>;

/** The status that the kubelet would write. */
export function podStatus(pod: Pod, state: PodState, now: number): PodStatus {
  const phase = phaseOf(state);
  const { failure, init, ephemeral } = state;
  return {
    phase,
    observedGeneration: pod.metadata?.generation,
    conditions: conditionsOf(pod, state, phase, formatTime(now)),
    ...(failure && phase === "Failed" ? { reason: failure.reason, message: failure.message } : {}),
    hostIP: state.hostIP,
    hostIPs: [{ ip: state.hostIP }],
    ...(state.hasSandbox ? { podIP: state.podIP, podIPs: [{ ip: state.podIP }] } : {}),
    startTime: state.startTime,
    ...(init.length > 0 ? { initContainerStatuses: init.map((one) => one.status()) } : {}),
    containerStatuses: state.containers.map((one) => one.status()),
    ...(ephemeral.length > 0 ? { ephemeralContainerStatuses: ephemeral.map((one) => one.status()) } : {}),
  };
}

/** The status of a pod that its node did not take. */
export function rejectedStatus(
  { metadata }: Pod,
  { reason, message }: PodRejection,
  startTime: string,
): PodStatus {
  return {
    phase: "Failed",
    observedGeneration: metadata?.generation,
    reason,
    message: `Pod was rejected: ${message}`,
    startTime,
  };
}

function phaseOf({ init, containers, isInitialized, isStopping, failure }: PodState): Phase {
  const isRunning = [...init, ...containers].some((one) => one.isRunning);
  if (failure) return isRunning ? "Running" : "Failed";
  if (!isInitialized) {
    const hasFailed = init.some(({ isOver, terminated }) => isOver && terminated?.exitCode !== 0);
    return hasFailed || (isStopping && !isRunning && init.some((one) => one.hasRun)) ? "Failed" : "Pending";
  }
  const isDone = containers.every((one) => one.isOver || (isStopping && !one.isRunning && one.hasRun));
  if (isDone)
    return containers.every(({ terminated }) => terminated?.exitCode === 0) ? "Succeeded" : "Failed";
  return containers.some((one) => one.hasRun) ? "Running" : "Pending";
}

interface Why {
  readonly reason?: string;
  readonly message?: string;
}

function conditionsOf(pod: Pod, state: PodState, phase: Phase, now: string): readonly PodCondition[] {
  const { isInitialized, hasSandbox, failure } = state;
  const isOver = phase === "Succeeded" || phase === "Failed";
  const notReady = whyNotReady(state, phase, isOver);
  const areContainersReady = notReady === undefined;
  const gatesClosed = areContainersReady ? closedGates(pod) : undefined;
  const initialized = phase === "Succeeded" ? { reason: "PodCompleted" } : {};
  const say = (type: string, isTrue: boolean, why: Why): PodCondition =>
    condition(pod, type, isTrue, why, now);
  return [
    ...(failure?.isDisruption
      ? [say("DisruptionTarget", true, { reason: "TerminationByKubelet", message: failure.message })]
      : []),
    say("PodReadyToStartContainers", hasSandbox && !isOver, {}),
    say("Initialized", isInitialized, isInitialized ? initialized : whyNotInitialized(state)),
    say("Ready", areContainersReady && !gatesClosed, notReady ?? gatesClosed ?? {}),
    say("ContainersReady", areContainersReady, notReady ?? {}),
    say("PodScheduled", true, {}),
  ];
}

function whyNotReady(
  { init, containers, isInitialized }: PodState,
  phase: Phase,
  isOver: boolean,
): Why | undefined {
  if (isOver) return { reason: phase === "Succeeded" ? "PodCompleted" : "PodFailed" };
  const needed = [...init.filter(({ role }) => role.kind === "sidecar"), ...containers];
  const unready = needed.filter((one) => !one.isReady).map(({ container }) => container.name);
  if (isInitialized && unready.length === 0) return undefined;
  return {
    reason: "ContainersNotReady",
    message: `containers with unready status: [${unready.join(" ")}]`,
  };
}

function whyNotInitialized({ init }: PodState): Why {
  const missing = init.filter((one) => (one.role.kind === "sidecar" ? !one.isStarted : !one.isReady));
  const names = missing.map(({ container }) => container.name).join(" ");
  return { reason: "ContainersNotInitialized", message: `containers with incomplete status: [${names}]` };
}

function closedGates(pod: Pod): Why | undefined {
  const closed = (pod.spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const known = findCondition(pod.status?.conditions, conditionType);
    if (!known) return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    if (known.status === "True") return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${known.status}`];
  });
  return closed.length > 0 ? { reason: "ReadinessGatesNotReady", message: closed.join(", ") } : undefined;
}

function condition(pod: Pod, type: string, isTrue: boolean, why: Why, now: string): PodCondition {
  const status = isTrue ? "True" : "False";
  const before = findCondition(pod.status?.conditions, type);
  const since = before?.status === status ? before.lastTransitionTime : undefined;
  return {
    type,
    status,
    observedGeneration: pod.metadata?.generation,
    lastTransitionTime: since ?? now,
    ...why,
  };
}
