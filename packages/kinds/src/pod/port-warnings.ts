// Ports of a pod that get in each other's way.
import type { ContainerPort } from "@kubewright/api";
import { maxWarnings } from "../strategy.js";
import type { PlacedContainer } from "./validate-windows.js";

interface PlacedPort {
  readonly field: string;
  readonly port: ContainerPort;
}

/** Warnings for ports that are defined twice, or so that one hides another. */
export function portWarnings(containers: readonly PlacedContainer[]): string[] {
  const ports = containers.flatMap(([container, at]) =>
    (container.ports ?? []).map((port, index): PlacedPort => ({ field: `${at}.ports[${index}]`, port })),
  );
  return [...numberWarnings(ports), ...nameWarnings(ports)];
}

function numberWarnings(ports: readonly PlacedPort[]): string[] {
  const known = new Map<string, PlacedPort[]>();
  const warnings: string[] = [];
  for (const placed of ports) {
    const { port, field } = placed;
    if (port.hostIP && !port.hostPort)
      warnings.push(`${field}: hostIP set without hostPort: ${goText(port)}`);
    const key = `${port.containerPort}/${port.protocol}`;
    const others = known.get(key);
    // Thousands of ports with one number would come to millions of texts.
    for (const other of others ?? []) {
      if (warnings.length >= maxWarnings) return warnings;
      warnings.push(...overlap(placed, other));
    }
    if (others) others.push(placed);
    else known.set(key, [placed]);
  }
  return warnings;
}

/** A port as Go prints it. */
const goText = ({ name = "", hostPort = 0, containerPort, protocol, hostIP = "" }: ContainerPort): string =>
  `{Name:${name} HostPort:${hostPort} ContainerPort:${containerPort} Protocol:${protocol} HostIP:${hostIP}}`;

function nameWarnings(ports: readonly PlacedPort[]): string[] {
  const first = new Map<string, string>();
  return ports.flatMap(({ port: { name }, field }) => {
    if (!name) return [];
    const other = first.get(name);
    if (other === undefined) first.set(name, field);
    return other === undefined
      ? []
      : [
          `${field}: duplicate port name "${name}" with ${other}, services and probes that select ports by name will use ${other}`,
        ];
  });
}

function overlap({ field, port }: PlacedPort, other: PlacedPort): string[] {
  const hostPort = [port.hostPort ?? 0, other.port.hostPort ?? 0] as const;
  const hostIP = [port.hostIP ?? "", other.port.hostIP ?? ""] as const;
  const samePort = hostPort[0] === hostPort[1];
  if (samePort && hostIP[0] === hostIP[1]) return [`${field}: duplicate port definition with ${other.field}`];
  if (hostPort.includes(0)) return [`${field}: overlapping port definition with ${other.field}`];
  const ambiguous = samePort && hostIP.includes("");
  return ambiguous ? [`${field}: dangerously ambiguous port definition with ${other.field}`] : [];
}
