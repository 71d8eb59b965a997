// The variables by which containers find Services, as Docker once linked them.
import type { Pod, Service } from "@kubewright/api";

/** The Services that a pod is given variables of: the API server's always, those beside it unless its spec says otherwise. */
export async function linkedServices(
  { metadata, spec }: Pod,
  servicesIn: (namespace: string) => Promise<readonly Service[]> | readonly Service[],
): Promise<readonly Service[]> {
  const namespace = metadata?.namespace ?? "";
  const common = (await servicesIn("default")).filter((service) => service.metadata?.name === "kubernetes");
  return spec?.enableServiceLinks === false ? common : [...common, ...(await servicesIn(namespace))];
}

export function serviceVariables(services: readonly Service[]): readonly (readonly [string, string])[] {
  return services.flatMap(({ metadata, spec }) => {
    const address = spec?.clusterIP ?? "";
    const [first] = spec?.ports ?? [];
    if (!/^\d/.test(address) || !first) return [];
    const name = (metadata?.name ?? "").toUpperCase().replaceAll("-", "_");
    const url = (protocol: string, port: number): string => `${protocol.toLowerCase()}://${address}:${port}`;
    const found: (readonly [string, string])[] = [
      [`${name}_SERVICE_HOST`, address],
      [`${name}_SERVICE_PORT`, String(first.port)],
      [`${name}_PORT`, url(first.protocol ?? "TCP", first.port)],
    ];
    for (const { name: portName, port, protocol = "TCP" } of spec?.ports ?? []) {
      if (portName)
        found.push([`${name}_SERVICE_PORT_${portName.toUpperCase().replaceAll("-", "_")}`, String(port)]);
      const prefix = `${name}_PORT_${port}_${protocol.toUpperCase()}`;
      found.push(
        [prefix, url(protocol, port)],
        [`${prefix}_PROTO`, protocol.toLowerCase()],
        [`${prefix}_PORT`, String(port)],
        [`${prefix}_ADDR`, address],
      );
    }
    return found;
  });
}
