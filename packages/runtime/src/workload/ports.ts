// The two sides of a port: where a Service answers, and where the container behind it listens.
import type { ContainerPort, ServicePort } from "@kubewright/api";

/**
 * The ports a container must have for a Service to reach it. A target port that is a name is looked up in the container, so
 * the container gets a port of that name, with the Service's number.
 */
export function containerPorts(ports: readonly ServicePort[]): readonly ContainerPort[] {
  const found = new Map<string, ContainerPort>();
  for (const { port, targetPort, protocol = "TCP" } of ports) {
    const isNamed = typeof targetPort === "string";
    const containerPort = typeof targetPort === "number" && targetPort > 0 ? targetPort : port;
    const key = `${containerPort}/${protocol}`;
    const known = found.get(key);
    found.set(key, { ...known, ...(isNamed ? { name: targetPort } : {}), containerPort, protocol });
  }
  return [...found.values()];
}

/** Service ports as the API server wants them: named where there are several, and with no node ports where none can be. */
export function servicePorts(
  ports: readonly ServicePort[],
  { nodePorts }: { readonly nodePorts: boolean },
): readonly ServicePort[] {
  return ports.map(({ nodePort, ...port }) => ({
    protocol: "TCP",
    ...port,
    ...(ports.length > 1 && !port.name ? { name: nameFor(port) } : {}),
    ...(nodePorts && nodePort ? { nodePort } : {}),
  }));
}

function nameFor({ port, protocol = "TCP" }: ServicePort): string {
  return `${protocol.toLowerCase()}-${port}`;
}
