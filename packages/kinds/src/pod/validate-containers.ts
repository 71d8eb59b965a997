// The three lists of containers, and what each kind may not do.
import {
  type Container,
  type EphemeralContainer,
  type FieldError,
  fieldError,
  type PodSpec,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { isSidecar } from "./pod-resources.js";
import { type ContainerScope, validateContainer, validateImagePadding } from "./validate-container.js";
import { validateHostPorts } from "./validate-port.js";
import { validateLifecycle, validateProbe } from "./validate-probe.js";
import { validateInitRestartRules, validateRestartRules } from "./validate-restart-rules.js";

const onlyRunning = ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"] as const;
const notEphemeral = [
  "ports",
  "resources",
  "resizePolicy",
  "restartPolicy",
  "restartPolicyRules",
  ...onlyRunning.slice(1),
  onlyRunning[0],
] as const;

/** The containers that make up the pod. */
export function validateContainers(spec: PodSpec, scope: ContainerScope, field: string): FieldError[] {
  const containers = spec.containers ?? [];
  if (containers.length === 0) return [fieldError.required(field)];
  const names = new Set<string>();
  const errors = checkEach(containers, (container, index) => {
    const at = `${field}[${index}]`;
    const own = validateContainer(container, scope, at);
    if (names.has(container.name)) own.push(fieldError.duplicate(`${at}.name`, container.name));
    names.add(container.name);
    return [...own, ...runningErrors(container, scope, at), ...validateRestartRules(container, at)];
  });
  return [...errors, ...validateHostPorts(containers, field)];
}

/** Hooks and probes, for containers that keep running. */
const runningErrors = (container: Container, scope: ContainerScope, field: string): FieldError[] => [
  ...validateLifecycle(container.lifecycle, scope.gracePeriod, `${field}.lifecycle`),
  ...validateProbe(container.livenessProbe, "livenessProbe", field),
  ...validateProbe(container.readinessProbe, "readinessProbe", field),
  ...validateProbe(container.startupProbe, "startupProbe", field),
];

/** Containers that run before; those that go on running are sidecars. */
export function validateInitContainers(spec: PodSpec, scope: ContainerScope, field: string): FieldError[] {
  const names = new Set((spec.containers ?? []).map(({ name }) => name));
  return checkEach(spec.initContainers, (container, index) => {
    const at = `${field}[${index}]`;
    const errors = [...validateContainer(container, scope, at), ...validateInitRestartRules(container, at)];
    if (names.has(container.name)) errors.push(fieldError.duplicate(`${at}.name`, container.name));
    else if (container.name) names.add(container.name);
    errors.push(...validateHostPorts([container], field));
    if (isSidecar(container)) return [...errors, ...runningErrors(container, scope, at)];
    const text = "may not be set for init containers without restartPolicy=Always";
    const set = onlyRunning.filter((name) => container[name] !== undefined);
    return [
      ...errors,
      ...set.map((name) => fieldError.forbidden(`${at}.${name}`, text)),
      ...initResizeErrors(container, `${at}.resizePolicy`),
    ];
  });
}

/** Init containers run once and end, so a resize policy cannot restart them. */
const initResizeErrors = ({ resizePolicy = [] }: Container, field: string): FieldError[] =>
  checkEach(resizePolicy, ({ restartPolicy }, index) =>
    restartPolicy === "RestartContainer"
      ? [
          fieldError.invalid(
            `${field}[${index}].restartPolicy`,
            restartPolicy,
            "must not be set to 'RestartContainer' for non-sidecar initContainers",
          ),
        ]
      : [],
  );

/** Containers added to look into a running pod. */
export function validateEphemeralContainers(
  spec: PodSpec,
  scope: ContainerScope,
  field: string,
): FieldError[] {
  const others = new Set(
    [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name),
  );
  const names = new Set(others);
  return checkEach(spec.ephemeralContainers ?? [], (container, index) => {
    const at = `${field}[${index}]`;
    const errors = [...validateContainer(container, scope, at), ...validateImagePadding(container, at)];
    if (names.has(container.name)) errors.push(fieldError.duplicate(`${at}.name`, container.name));
    names.add(container.name);
    const target = container.targetContainerName;
    if (target && !others.has(target)) errors.push(fieldError.notFound(`${at}.targetContainerName`, target));
    return [...errors, ...ephemeralOnlyErrors(container, at)];
  });
}

/** The text for a field that only containers of the workload have. */
export const notForEphemeral = "cannot be set for an Ephemeral Container";

/** They are no part of the workload, so they may not offer or reserve anything. */
function ephemeralOnlyErrors(container: EphemeralContainer, field: string): FieldError[] {
  const set = notEphemeral.filter((name) =>
    name === "resources" ? !isEmpty(container[name]) : container[name] !== undefined,
  );
  const mounts = (container.volumeMounts ?? []).flatMap(({ subPath, subPathExpr }, index) => [
    ...(subPath ? [`volumeMounts[${index}].subPath`] : []),
    ...(subPathExpr ? [`volumeMounts[${index}].subPathExpr`] : []),
  ]);
  return [...set, ...mounts].map((name) => fieldError.forbidden(`${field}.${name}`, notForEphemeral));
}

const isEmpty = (value: object | undefined): boolean => Object.keys(value ?? {}).length === 0;
