// A container that has ended for good cannot be running again.
import {
  type Container,
  type ContainerStatus,
  type FieldError,
  fieldError,
  type PodSpec,
  type PodStatus,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { firstByName } from "../first-by-name.js";

/** Validates the transitions of containers that had terminated. */
export function validateTransitions(now: PodStatus, before: PodStatus, spec: PodSpec): FieldError[] {
  const { containers = [], initContainers = [] } = spec;
  const ephemeral = revived(
    now.ephemeralContainerStatuses,
    before.ephemeralContainerStatuses,
    () => false,
    "status.ephemeralContainerStatuses",
  );
  // One container that may restart all of them lets every one of them start again.
  const all = [...containers, ...initContainers];
  if (
    all.some(({ restartPolicyRules }) =>
      restartPolicyRules?.some(({ action }) => action === "RestartAllContainers"),
    )
  )
    return ephemeral;
  const restartsAmong = (list: readonly Container[]) => {
    const named = firstByName(list);
    return (name: string, exitCode: number): boolean => {
      const container = named.get(name);
      return container !== undefined && restarts(container, spec.restartPolicy, exitCode);
    };
  };
  return [
    ...revived(
      now.containerStatuses,
      before.containerStatuses,
      restartsAmong(containers),
      "status.containerStatuses",
    ),
    ...revived(
      now.initContainerStatuses,
      before.initContainerStatuses,
      restartsAmong(initContainers),
      "status.initContainerStatuses",
    ),
    ...ephemeral,
  ];
}

/** Rules for exit codes come first, then its own policy, then that of its pod. */
function restarts(container: Container, ofPod: string | undefined, exitCode: number): boolean {
  const matched = (container.restartPolicyRules ?? []).some(({ exitCodes }) => {
    const listed = exitCodes?.values?.includes(exitCode) ?? false;
    return exitCodes?.operator === "NotIn" ? !listed : listed;
  });
  const policy = container.restartPolicy ?? ofPod;
  return matched || policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

function revived(
  now: readonly ContainerStatus[] | undefined,
  before: readonly ContainerStatus[] | undefined,
  mayRestart: (name: string, exitCode: number) => boolean,
  field: string,
): FieldError[] {
  return checkEach(before ?? [], ({ name, state }, index) => {
    const ended = state?.terminated;
    if (!ended || !(now ?? []).some((status) => status.name === name && !status.state?.terminated)) return [];
    const text = "may not be transitioned to non-terminated state";
    return mayRestart(name, ended.exitCode) ? [] : [fieldError.forbidden(`${field}[${index}].state`, text)];
  });
}
