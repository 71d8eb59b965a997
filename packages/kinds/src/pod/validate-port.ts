// Ports of containers and of probes.
import {
  type Container,
  type ContainerPort,
  type FieldError,
  fieldError,
  type IntOrString,
  validatePortName,
  validatePortNumber,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { invalidBecause, oneOf } from "../field-rules.js";

const protocols = ["SCTP", "TCP", "UDP"];

/** The ports of one container. */
export function validatePorts(ports: readonly ContainerPort[] | undefined, field: string): FieldError[] {
  const names = new Set<string>();
  return checkEach(ports ?? [], (port, index) => portErrors(port, names, `${field}[${index}]`));
}

function portErrors(port: ContainerPort, names: Set<string>, field: string): FieldError[] {
  const errors = nameErrors(port.name, names, `${field}.name`);
  if (!port.containerPort) errors.push(fieldError.required(`${field}.containerPort`));
  else
    errors.push(
      ...invalidBecause(validatePortNumber(port.containerPort), port.containerPort, `${field}.containerPort`),
    );
  if (port.hostPort)
    errors.push(...invalidBecause(validatePortNumber(port.hostPort), port.hostPort, `${field}.hostPort`));
  errors.push(...oneOf(port.protocol, protocols, `${field}.protocol`));
  return errors;
}

function nameErrors(name: string | undefined, names: Set<string>, field: string): FieldError[] {
  if (!name) return [];
  const errors = invalidBecause(validatePortName(name), name, field);
  if (errors.length > 0) return errors;
  if (names.has(name)) return [fieldError.duplicate(field, name)];
  names.add(name);
  return [];
}

/** A port by number or by name. */
export function validatePortReference(port: IntOrString | undefined, field: string): FieldError[] {
  if (typeof port === "string") return invalidBecause(validatePortName(port), port, field);
  return invalidBecause(validatePortNumber(port ?? 0), port ?? 0, field);
}

/** Two containers cannot have the same port of the host. `field` is the list the containers stand in. */
export function validateHostPorts(containers: readonly Container[], field: string): FieldError[] {
  const taken = new Set<string>();
  return checkEach(containers, ({ ports }, container) =>
    checkEach(ports ?? [], ({ hostPort, protocol, hostIP }, index) => {
      if (!hostPort) return [];
      const port = `${protocol ?? ""}/${hostIP ?? ""}/${hostPort}`;
      if (taken.has(port))
        return [fieldError.duplicate(`${field}[${container}].ports[${index}].hostPort`, port)];
      taken.add(port);
      return [];
    }),
  );
}
