// Probes and lifecycle hooks: exactly one handler, sane numbers.
import {
  type ExecAction,
  type FieldError,
  fieldError,
  type HTTPGetAction,
  type Lifecycle,
  type LifecycleHandler,
  type Probe,
  validateHttpHeaderName,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { invalidBecause, notNegative } from "../field-rules.js";
import { validatePortReference } from "./validate-port.js";

/** A handler of either kind. */
type Handler = Pick<Probe, "exec" | "httpGet" | "tcpSocket" | "grpc"> & Pick<LifecycleHandler, "sleep">;

/** The use of a probe: the three differ in the fields they may set. */
export type ProbeUse = "livenessProbe" | "readinessProbe" | "startupProbe";

/** One probe of a container; `field` is the container. */
export function validateProbe(probe: Probe | undefined, use: ProbeUse, container: string): FieldError[] {
  if (!probe) return [];
  const field = `${container}.${use}`;
  const errors = [...handlerErrors(probe, undefined, field), ...numberErrors(probe, field)];
  const { terminationGracePeriodSeconds: grace, successThreshold } = probe;
  if (grace !== undefined && grace <= 0)
    errors.push(
      fieldError.invalid(`${field}.terminationGracePeriodSeconds`, grace, "must be greater than 0"),
    );
  if (use === "readinessProbe" && grace !== undefined) {
    const text = "must not be set for readinessProbes";
    errors.push(fieldError.invalid(`${field}.terminationGracePeriodSeconds`, grace, text));
  }
  if (use !== "readinessProbe" && successThreshold !== 1)
    errors.push(fieldError.invalid(`${field}.successThreshold`, successThreshold ?? 0, "must be 1"));
  return errors;
}

const numberErrors = (probe: Probe, field: string): FieldError[] => [
  ...notNegative(probe.initialDelaySeconds, `${field}.initialDelaySeconds`),
  ...notNegative(probe.timeoutSeconds, `${field}.timeoutSeconds`),
  ...notNegative(probe.periodSeconds, `${field}.periodSeconds`),
  ...notNegative(probe.successThreshold, `${field}.successThreshold`),
  ...notNegative(probe.failureThreshold, `${field}.failureThreshold`),
];

/** Hooks after the start and before the end of a container. */
export function validateLifecycle(
  lifecycle: Lifecycle | undefined,
  gracePeriod: number | undefined,
  field: string,
): FieldError[] {
  const { postStart, preStop } = lifecycle ?? {};
  return [
    ...(postStart ? handlerErrors(postStart, gracePeriod, `${field}.postStart`) : []),
    ...(preStop ? handlerErrors(preStop, gracePeriod, `${field}.preStop`) : []),
  ];
}

/** The first handler is checked, any other is one too many. */
function handlerErrors(handler: Handler, gracePeriod: number | undefined, field: string): FieldError[] {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  const present: [name: string, errors: (field: string) => FieldError[]][] = [];
  if (exec) present.push(["exec", (at) => execErrors(exec, at)]);
  if (httpGet) present.push(["httpGet", (at) => httpGetErrors(httpGet, at)]);
  if (tcpSocket) present.push(["tcpSocket", (at) => validatePortReference(tcpSocket.port, `${at}.port`)]);
  if (grpc) present.push(["grpc", (at) => validatePortReference(grpc.port, `${at}.port`)]);
  if (sleep) present.push(["sleep", (at) => sleepErrors(sleep.seconds, gracePeriod, at)]);
  if (present.length === 0) return [fieldError.required(field, "must specify a handler type")];
  return present.flatMap(([name, errors], index) =>
    index === 0
      ? errors(`${field}.${name}`)
      : [fieldError.forbidden(`${field}.${name}`, "may not specify more than 1 handler type")],
  );
}

const execErrors = ({ command }: ExecAction, field: string): FieldError[] =>
  (command ?? []).length === 0 ? [fieldError.required(`${field}.command`)] : [];

function httpGetErrors({ path, port, scheme, httpHeaders }: HTTPGetAction, field: string): FieldError[] {
  const schemes = ["HTTP", "HTTPS"];
  return [
    ...(path ? [] : [fieldError.required(`${field}.path`)]),
    ...validatePortReference(port, `${field}.port`),
    ...(schemes.includes(scheme ?? "")
      ? []
      : [fieldError.notSupported(`${field}.scheme`, scheme ?? "", schemes)]),
    ...checkEach(httpHeaders ?? [], ({ name }) =>
      invalidBecause(validateHttpHeaderName(name), name, `${field}.httpHeaders`),
    ),
  ];
}

function sleepErrors(seconds: number, gracePeriod: number | undefined, field: string): FieldError[] {
  if (gracePeriod === undefined || (seconds >= 0 && seconds <= gracePeriod)) return [];
  const text = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriod})`;
  return [fieldError.invalid(field, seconds, text)];
}
