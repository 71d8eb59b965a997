// Validates containers: regular, init and ephemeral.
import {
  type Container,
  type ContainerResizePolicy,
  type EphemeralContainer,
  type FieldError,
  fieldError,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { oneOf, requiredLabel, requiredText } from "../field-rules.js";
import { validateEnv, validateEnvFrom } from "./validate-env.js";
import { type Volumes, validateDevices, validateMounts } from "./validate-mounts.js";
import { validatePorts } from "./validate-port.js";
import { validateResources } from "./validate-resources.js";
import { validateSecurityContext } from "./validate-security-context.js";

/** The context of a container in its pod. */
export interface ContainerScope {
  readonly volumes: Volumes;
  /** Names of the pod's resource claims. */
  readonly claims: ReadonlySet<string>;
  readonly restartPolicy: string | undefined;
  readonly gracePeriod: number | undefined;
  readonly hostUsers: boolean;
}

/** The rules all containers share. */
export function validateContainer(
  container: Container | EphemeralContainer,
  scope: ContainerScope,
  field: string,
): FieldError[] {
  return [
    ...requiredLabel(container.name, `${field}.name`),
    ...requiredText(container.image, `${field}.image`),
    ...oneOf(
      container.terminationMessagePolicy,
      ["File", "FallbackToLogsOnError"],
      `${field}.terminationMessagePolicy`,
    ),
    ...validatePorts(container.ports, `${field}.ports`),
    ...validateEnv(container.env, `${field}.env`),
    ...validateEnvFrom(container.envFrom, `${field}.envFrom`),
    ...validateMounts(container, scope.volumes, `${field}.volumeMounts`),
    ...validateDevices(container, scope.volumes, `${field}.volumeDevices`),
    ...oneOf(container.imagePullPolicy, ["Always", "IfNotPresent", "Never"], `${field}.imagePullPolicy`),
    ...validateResources(container.resources, scope.claims, `${field}.resources`),
    ...resizeErrors(container.resizePolicy, scope.restartPolicy, `${field}.resizePolicy`),
    ...validateSecurityContext(container.securityContext, scope.hostUsers, `${field}.securityContext`),
  ];
}

/** Whether changing a resource restarts the container; reported against the list. */
function resizeErrors(
  policies: readonly ContainerResizePolicy[] | undefined,
  podRestartPolicy: string | undefined,
  field: string,
): FieldError[] {
  const seen = new Set<string>();
  return checkEach(policies ?? [], ({ resourceName, restartPolicy }, index) => {
    const errors = [
      ...(seen.has(resourceName) ? [fieldError.duplicate(`${field}[${index}]`, resourceName)] : []),
      ...oneOf(resourceName, ["cpu", "memory"], field),
      ...oneOf(restartPolicy, ["NotRequired", "RestartContainer"], field),
    ];
    seen.add(resourceName);
    if (podRestartPolicy === "Never" && restartPolicy !== "NotRequired") {
      const text = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
      errors.push(fieldError.invalid(field, restartPolicy, text));
    }
    return errors;
  });
}

/** Variables from a file read it from an empty directory of the pod. */
export function validateFileKeys(
  container: Pick<Container, "env">,
  volumes: Volumes,
  field: string,
): FieldError[] {
  return checkEach(container.env ?? [], ({ valueFrom }, index) => {
    if (!valueFrom?.fileKeyRef) return [];
    const name = valueFrom.fileKeyRef.volumeName ?? "";
    const at = `${field}[${index}].valueFrom.fileKeyRef.volumeName`;
    const volume = volumes.get(name);
    if (!volume) return [fieldError.notFound(at, name)];
    return volume.emptyDir
      ? []
      : [fieldError.invalid(at, name, "referenced volume must be of type emptyDir")];
  });
}

/** Images of pods may not be padded; in templates that was once allowed. */
export const validateImagePadding = ({ image }: Pick<Container, "image">, field: string): FieldError[] =>
  image !== undefined && image.trim() !== image
    ? [fieldError.invalid(`${field}.image`, image, "must not have leading or trailing whitespace")]
    : [];
