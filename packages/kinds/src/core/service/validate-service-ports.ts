// The ports of a service: named when there are several, and each once.
import {
  type FieldError,
  fieldError,
  type ServicePort,
  validateDns1123Label,
  validatePortNumber,
  validateQualifiedName,
} from "@kubewright/api";
import { checkEach } from "../../check-each.js";
import { invalidBecause, oneOf } from "../../field-rules.js";
import { validatePortReference } from "../../pod/validate-port.js";
import type { AnySpec } from "./service-traits.js";

export const protocols = ["SCTP", "TCP", "UDP"];

/** Problems with single ports. */
export function validateServicePorts({ ports = [] }: AnySpec): FieldError[] {
  const names = new Set<string>();
  return checkEach(ports, (port, index) => {
    const field = `spec.ports[${index}]`;
    return [
      ...nameErrors(port.name ?? "", ports.length > 1, names, `${field}.name`),
      ...invalidBecause(validatePortNumber(port.port), port.port, `${field}.port`),
      ...oneOf(port.protocol, protocols, `${field}.protocol`),
      ...validatePortReference(port.targetPort, `${field}.targetPort`),
      ...(port.appProtocol === undefined
        ? []
        : invalidBecause(validateQualifiedName(port.appProtocol), port.appProtocol, `${field}.appProtocol`)),
    ];
  });
}

function nameErrors(name: string, required: boolean, names: Set<string>, field: string): FieldError[] {
  if (name === "") return required ? [fieldError.required(field)] : [];
  const errors = invalidBecause(validateDns1123Label(name), name, field);
  if (names.has(name)) errors.push(fieldError.duplicate(field, name));
  names.add(name);
  return errors;
}

/** Node ports on a service that has none, and ports that stand twice. */
export function validatePortUse({ type, ports = [] }: AnySpec): FieldError[] {
  const misplaced = checkEach(ports, ({ nodePort }, index) =>
    type === "ClusterIP" && nodePort
      ? [fieldError.forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'")]
      : [],
  );
  return [...misplaced, ...twinErrors(ports)];
}

function twinErrors(ports: readonly ServicePort[]): FieldError[] {
  const nodePorts = new Set<string>();
  const numbers = new Set<string>();
  const repeatedNodePorts: FieldError[] = [];
  const repeatedPorts: FieldError[] = [];
  ports.forEach(({ protocol, port, nodePort }, index) => {
    const asNodePort = `${protocol}/${nodePort}`;
    if (nodePort && nodePorts.has(asNodePort))
      repeatedNodePorts.push(fieldError.duplicate(`spec.ports[${index}].nodePort`, nodePort));
    nodePorts.add(asNodePort);
    const asPort = `${protocol}/${port}`;
    if (numbers.has(asPort))
      repeatedPorts.push(fieldError.duplicate(`spec.ports[${index}]`, printedPort(protocol ?? "", port)));
    numbers.add(asPort);
  });
  return [...repeatedNodePorts, ...repeatedPorts];
}

/** As Go prints its internal type. */
const printedPort = (protocol: string, port: number) => ({
  Name: "",
  Protocol: protocol,
  AppProtocol: null,
  Port: port,
  TargetPort: 0,
  NodePort: 0,
});
