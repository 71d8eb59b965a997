// Node ports: kept where a port keeps its name, given out where one is missing.
import { type Draft, fieldError, type ServiceSpec } from "@kubewright/api";
import { internalError, invalid, unknownError } from "../../failures.js";
import { AllocationError } from "./allocation-error.js";
import type { ServiceLedger } from "./service-ledger.js";
import { allocatesNodePorts, hasHealthCheck, hasNodePorts, nodePortsOf } from "./service-traits.js";

type SpecDraft = Draft<ServiceSpec>;
type PortDraft = Draft<NonNullable<ServiceSpec["ports"]>[number]>;

/** Ports of a new service. Ports with the same number (TCP and UDP) share one node port. */
export function giveNodePorts(spec: SpecDraft, name: string, ledger: ServiceLedger): void {
  if (!hasNodePorts(spec)) return;
  const ports = spec.ports ?? [];
  const given = new Map<number, number>();
  const asked = new Map<number, number>();
  for (const { port, nodePort } of ports) if (nodePort && !asked.has(port)) asked.set(port, nodePort);
  ports.forEach((port, index) => {
    if (!port.nodePort && !allocatesNodePorts(spec)) return;
    const shared = given.get(port.port);
    if (shared === undefined) {
      port.nodePort = takePort(ledger, asked.get(port.port) ?? 0, name, index);
      given.set(port.port, port.nodePort);
    } else if (!port.nodePort) port.nodePort = shared;
    else if (port.nodePort !== shared) takePort(ledger, port.nodePort, name, index);
  });
}

/** Ports of a changed service: new ones are allocated, those it no longer names are released. */
export function changeNodePorts(
  spec: SpecDraft,
  before: ServiceSpec,
  name: string,
  ledger: ServiceLedger,
): void {
  const former = nodePortsOf(before);
  if (!hasNodePorts(spec)) {
    if (hasNodePorts(before)) for (const port of former) ledger.dropPort(port);
    return;
  }
  const taken = new Set(former);
  const seen = new Set<string>();
  (spec.ports ?? []).forEach((port, index) => {
    if (!port.nodePort && !allocatesNodePorts(spec)) return;
    if (!port.nodePort || !taken.has(port.nodePort)) {
      port.nodePort = takePort(ledger, port.nodePort ?? 0, name, index);
      taken.add(port.nodePort);
    }
    refuseTwins(port, seen);
  });
  const current = new Set(nodePortsOf(spec));
  for (const port of former) if (!current.has(port)) ledger.dropPort(port);
}

function refuseTwins({ protocol, nodePort }: PortDraft, seen: Set<string>): void {
  const key = `{${protocol} ${nodePort}}`;
  if (seen.has(key)) throw unknownError(`duplicate nodePort: ${key}`);
  seen.add(key);
}

function takePort(ledger: ServiceLedger, port: number, name: string, index: number): number {
  try {
    return ledger.takePort(port);
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    if (port === 0) throw internalError(`failed to allocate a nodePort: ${error.message}`);
    const problem = fieldError.invalid(`spec.ports[${index}].nodePort`, port, error.message);
    throw invalid({ group: "", kind: "Service" }, name, [problem]);
  }
}

/** The port at which nodes say whether they have endpoints. */
export function changeHealthCheckPort(
  spec: SpecDraft,
  before: ServiceSpec | undefined,
  ledger: ServiceLedger,
): void {
  const needed = before !== undefined && hasHealthCheck(before);
  const needs = hasHealthCheck(spec);
  if (needed && !needs && before.healthCheckNodePort) ledger.dropPort(before.healthCheckNodePort);
  if (needed || !needs) return;
  const asked = spec.healthCheckNodePort ?? 0;
  try {
    spec.healthCheckNodePort = ledger.takePort(asked);
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    const what = asked === 0 ? "a HealthCheck NodePort" : "requested HealthCheck NodePort";
    throw internalError(`failed to allocate ${what} ${asked}: ${error.message}`);
  }
}
