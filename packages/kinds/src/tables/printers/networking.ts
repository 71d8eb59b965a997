// Kinds of networking.k8s.io.
import { Ingress, IngressClass, IPAddress, NetworkPolicy, ServiceCIDR } from "@kubewright/api";
import { ageColumn, column, nameColumn } from "../column.js";
import { definePrinter, type TablePrinter } from "../printer.js";
import { loadBalancerText, selectorText } from "./cell-text.js";

const maxHosts = 3;
const defaultClass = "ingressclass.kubernetes.io/is-default-class";

const ingress = definePrinter(
  Ingress,
  [
    nameColumn,
    column("Class", {
      description: "The name of the IngressClass resource that should be used for additional configuration",
    }),
    column("Hosts", {
      description: "Hosts that incoming requests are matched against before the ingress rule",
    }),
    column("Address", { description: "Address is a list containing ingress points for the load-balancer" }),
    column("Ports", { description: "Ports of TLS configurations that open" }),
    ageColumn,
  ],
  ({ metadata, spec, status }, { age }) => [
    metadata?.name ?? "",
    spec?.ingressClassName ?? "<none>",
    hostsText(spec?.rules ?? []),
    loadBalancerText(status?.loadBalancer?.ingress),
    (spec?.tls ?? []).length > 0 ? "80, 443" : "80",
    age(metadata?.creationTimestamp),
  ],
);

/** Rules beyond the first few hosts are counted, those without a host included. */
function hostsText(rules: readonly { readonly host?: string | undefined }[]): string {
  const hosts: string[] = [];
  let more = false;
  for (const { host } of rules) {
    if (hosts.length === maxHosts) more = true;
    if (!more && host) hosts.push(host);
  }
  if (hosts.length === 0) return "*";
  return more ? `${hosts.join(",")} + ${rules.length - maxHosts} more...` : hosts.join(",");
}

const ingressClass = definePrinter(
  IngressClass,
  [
    nameColumn,
    column("Controller", { description: "Controller that is responsible for handling this class" }),
    column("Parameters", { description: "A reference to a resource with additional parameters" }),
    ageColumn,
  ],
  ({ metadata, spec }, { age }) => {
    const parameters = spec?.parameters;
    const kind = parameters && [parameters.kind, parameters.apiGroup].filter(Boolean).join(".");
    const isDefault = metadata?.annotations?.[defaultClass] === "true";
    return [
      `${metadata?.name ?? ""}${isDefault ? " (default)" : ""}`,
      spec?.controller ?? "",
      parameters ? `${kind}/${parameters.name}` : "<none>",
      age(metadata?.creationTimestamp),
    ];
  },
);

const networkPolicy = definePrinter(
  NetworkPolicy,
  [nameColumn, column("Pod-Selector", { of: "NetworkPolicySpec.podSelector" }), ageColumn],
  ({ metadata, spec }, { age }) => [
    metadata?.name ?? "",
    selectorText(spec?.podSelector ?? {}),
    age(metadata?.creationTimestamp),
  ],
);

const serviceCidr = definePrinter(
  ServiceCIDR,
  [nameColumn, column("CIDRs", { of: "ServiceCIDRSpec.cidrs" }), ageColumn],
  ({ metadata, spec }, { age }) => [
    metadata?.name ?? "",
    (spec?.cidrs ?? []).join(","),
    age(metadata?.creationTimestamp),
  ],
);

const ipAddress = definePrinter(
  IPAddress,
  [nameColumn, column("ParentRef", { of: "IPAddressSpec.parentRef" })],
  ({ metadata, spec }, { age }) => {
    const parent = spec?.parentRef;
    const resource = [parent?.resource, parent?.group].filter(Boolean).join(".").toLowerCase();
    const path = [resource, parent?.namespace, parent?.name].filter(Boolean).join("/");
    // kube-apiserver sends an age without a column for it.
    return [metadata?.name ?? "", parent ? path : "<none>", age(metadata?.creationTimestamp)];
  },
);

export const networkingPrinters: readonly TablePrinter[] = [
  ingress,
  ingressClass,
  networkPolicy,
  serviceCidr,
  ipAddress,
];
