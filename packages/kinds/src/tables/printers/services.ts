// Services and the addresses behind them.
import { EndpointSlice, Endpoints, Service, type ServicePort } from "@kubewright/api";
import { ageColumn, column, nameColumn, wideColumn } from "../column.js";
import { definePrinter, type TablePrinter } from "../printer.js";
import { firstFew, labelsText, loadBalancerText, orElse } from "./cell-text.js";

const service = definePrinter(
  Service,
  [
    nameColumn,
    column("Type", { of: "ServiceSpec.type" }),
    column("Cluster-IP", { of: "ServiceSpec.clusterIP" }),
    column("External-IP", { of: "ServiceSpec.externalIPs" }),
    column("Port(s)", { of: "ServiceSpec.ports" }),
    ageColumn,
    wideColumn("Selector", { of: "ServiceSpec.selector" }),
  ],
  (object, { age }) => [
    object.metadata?.name ?? "",
    object.spec?.type ?? "",
    object.spec?.clusterIPs?.[0] ?? "<none>",
    externalText(object),
    orElse((object.spec?.ports ?? []).map(portText).join(","), "<none>"),
    age(object.metadata?.creationTimestamp),
    labelsText(object.spec?.selector),
  ],
);

function externalText({ spec, status }: Service): string {
  const external = (spec?.externalIPs ?? []).join(",");
  switch (spec?.type) {
    case "ClusterIP":
    case "NodePort":
      return orElse(external, "<none>");
    case "LoadBalancer": {
      const balanced = loadBalancerText(status?.loadBalancer?.ingress);
      return orElse([balanced, external].filter(Boolean).join(","), "<pending>");
    }
    case "ExternalName":
      return spec.externalName ?? "";
    default:
      return "<unknown>";
  }
}

function portText({ port, nodePort, protocol }: ServicePort): string {
  return nodePort ? `${port}:${nodePort}/${protocol ?? ""}` : `${port}/${protocol ?? ""}`;
}

const maxShown = 3;

const endpoints = definePrinter(
  Endpoints,
  [nameColumn, column("Endpoints", { of: "Endpoints.subsets" }), ageColumn],
  ({ metadata, subsets }, { age }) => {
    const addresses = (subsets ?? []).flatMap((subset) => {
      const ips = (subset.addresses ?? []).map(({ ip }) => ip);
      const ports = subset.ports ?? [];
      return ports.length === 0 ? ips : ports.flatMap(({ port }) => ips.map((ip) => hostPort(ip, port)));
    });
    const none = (subsets ?? []).length === 0 ? "<none>" : "";
    return [metadata?.name ?? "", firstFew(addresses, maxShown, none), age(metadata?.creationTimestamp)];
  },
);

function hostPort(ip: string, port: number): string {
  return ip.includes(":") ? `[${ip}]:${port}` : `${ip}:${port}`;
}

const endpointSlice = definePrinter(
  EndpointSlice,
  [
    nameColumn,
    column("AddressType", { of: "EndpointSlice.addressType" }),
    column("Ports", { of: "EndpointSlice.ports" }),
    column("Endpoints", { of: "EndpointSlice.endpoints" }),
    ageColumn,
  ],
  ({ metadata, addressType, ports, endpoints: all }, { age }) => {
    const numbers = (ports ?? []).map(({ port, name }) => String(port ?? name ?? "*"));
    const addresses = (all ?? []).flatMap((endpoint) => endpoint.addresses ?? []);
    return [
      metadata?.name ?? "",
      addressType ?? "",
      firstFew(numbers, maxShown, "<unset>"),
      firstFew(addresses, maxShown, "<unset>"),
      age(metadata?.creationTimestamp),
    ];
  },
);

export const servicePrinters: readonly TablePrinter[] = [service, endpoints, endpointSlice];
