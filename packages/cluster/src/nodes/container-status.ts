// The status of a container, from where it is in its life.
import type {
  Container,
  ContainerState,
  ContainerStateTerminated,
  ContainerStatus,
  Pod,
  VolumeMountStatus,
} from "@kubewright/api";
import type { ContainerExit } from "./container-runtime.js";

/** The input of a container's status. */
export interface ContainerStatusInput {
  readonly pod: Pod;
  readonly container: Container;
  readonly state: ContainerState;
  readonly last: ContainerStateTerminated | undefined;
  readonly containerID: string | undefined;
  readonly imageID: string;
  readonly isReady: boolean;
  readonly isStarted: boolean;
  readonly restarts: number;
}

/** As the kubelet of Kubernetes 1.36 writes it. */
export function containerStatus(input: ContainerStatusInput): ContainerStatus {
  const { container, containerID, state, last } = input;
  const { name, image = "", volumeMounts, resources = {} } = container;
  return {
    name,
    image,
    imageID: input.imageID,
    ...(containerID === undefined ? {} : { containerID }),
    state,
    lastState: last ? { terminated: last } : {},
    ready: input.isReady,
    started: input.isStarted,
    restartCount: input.restarts,
    ...(resources.requests ? { allocatedResources: resources.requests } : {}),
    // Also for containers without any: a status with resources shows that a container can be resized.
    ...(containerID === undefined ? {} : { resources }),
    ...(state.running ? { user: userOf(input) } : {}),
    ...(volumeMounts && volumeMounts.length > 0 ? { volumeMounts: mountsOf(container) } : {}),
  };
}

function mountsOf({ volumeMounts = [] }: Container): readonly VolumeMountStatus[] {
  return volumeMounts.map(({ name, mountPath, readOnly }) => ({
    name,
    mountPath,
    ...(readOnly ? { readOnly, recursiveReadOnly: "Disabled" } : {}),
  }));
}

function userOf({
  pod,
  container: { securityContext },
}: ContainerStatusInput): NonNullable<ContainerStatus["user"]> {
  const shared = pod.spec?.securityContext;
  const uid = securityContext?.runAsUser ?? shared?.runAsUser ?? 0;
  const gid = securityContext?.runAsGroup ?? shared?.runAsGroup ?? 0;
  const groups = new Set([gid, ...(shared?.fsGroup === undefined ? [] : [shared.fsGroup])]);
  return {
    linux: { uid, gid, supplementalGroups: [...groups, ...(shared?.supplementalGroups ?? [])] },
  };
}

/** The state of a container that ended. */
export function terminatedState(
  { exitCode, reason, message }: ContainerExit,
  times: { readonly startedAt: string; readonly finishedAt: string },
  containerID: string,
): ContainerStateTerminated {
  return {
    exitCode,
    reason: reason ?? (exitCode === 0 ? "Completed" : "Error"),
    ...(message === undefined ? {} : { message }),
    ...times,
    containerID,
  };
}
