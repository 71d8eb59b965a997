// Where a proxy request leads: to a port of a pod, to a pod behind a Service, to the kubelet or another port of a node.
import { BlockList, isIP } from "node:net";
import { ApiError, type Endpoints, type Node, type Pod, type Service } from "@kubewright/api";
import { badRequest, notFound, storedAs } from "@kubewright/kinds";
import type { RequestContext } from "../../registry/request-context.js";
import { plainFailure } from "../action-body.js";

export interface ProxyLocation {
  readonly scheme: "http" | "https";
  readonly address: string;
  /** As it was named; empty for the usual one of the scheme. */
  readonly port: string;
  readonly nodeName: string;
  readonly to: { readonly kind: "pod"; readonly pod: Pod } | { readonly kind: "node" | "kubelet" };
}

/** Finds the location for the name in the path, which may name a scheme and a port: `https:web:443`. Throws in kube-apiserver's words. */
export type LocationFinder = (
  context: RequestContext,
  namespace: string | undefined,
  id: string,
) => ProxyLocation;

/** The host part of the location's URL. */
export const hostOf = ({ address, port }: Pick<ProxyLocation, "address" | "port">): string =>
  `${address.includes(":") ? `[${address}]` : address}${port === "" ? "" : `:${port}`}`;

export const podLocation: LocationFinder = ({ services }, namespace, id) => {
  const { scheme, name, port } = splitId(id, "pod");
  const stored = services.storage.get("pods", `${namespace}/${name}`);
  if (!stored) throw notFound({ group: "", resource: "pods", name });
  const pod = storedAs<Pod>(stored);
  const declared = pod.spec?.containers.flatMap(({ ports = [] }) => ports).at(0)?.containerPort;
  const address = pod.status?.podIPs?.[0]?.ip ?? "";
  if (!isGlobalUnicast(address)) throw badRequest("address not allowed");
  return {
    scheme: scheme === "https" ? "https" : "http",
    address,
    port: port === "" ? String(declared ?? "") : port,
    nodeName: pod.spec?.nodeName ?? "",
    to: { kind: "pod", pod },
  };
};

export const serviceLocation: LocationFinder = (context, namespace, id) => {
  const { scheme, name, port } = splitId(id, "service");
  const { storage, random } = context.services;
  const portName = /^[+-]?\d+$/.test(port) ? namedPort(context, `${namespace}/${name}`, name, port) : port;
  const stored = storage.get("endpoints", `${namespace}/${name}`);
  // It is the Service that was asked for, whatever is missing.
  if (!stored) throw notFound({ group: "", resource: "services", name });
  const subsets = storedAs<Endpoints>(stored).subsets ?? [];
  if (subsets.length === 0) throw unavailable(`no endpoints available for service "${name}"`);
  const candidates = subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports
      .filter((each) => (each.name ?? "") === portName)
      .flatMap((each) => addresses.map((address) => ({ address, port: each.port }))),
  );
  const start = Math.floor(random() * candidates.length);
  for (const { address, port: number } of [...candidates.slice(start), ...candidates.slice(0, start)]) {
    const { targetRef, ip } = address;
    const found =
      targetRef?.namespace === namespace && storage.get("pods", `${namespace}/${targetRef?.name}`);
    if (!found) continue;
    const pod = storedAs<Pod>(found);
    // Only addresses that are a pod's own are connected to: Endpoints may be written by people who may not reach others.
    if (!pod.status?.podIPs?.some((each) => each.ip === ip) || !isGlobalUnicast(ip)) continue;
    return {
      scheme: scheme === "https" ? "https" : "http",
      address: ip,
      port: String(number),
      nodeName: pod.spec?.nodeName ?? "",
      to: { kind: "pod", pod },
    };
  }
  throw unavailable(`no endpoints available for service "${id}"`);
};

/** The name of the Service's port with that number. */
function namedPort({ services }: RequestContext, key: string, name: string, port: string): string {
  const stored = services.storage.get("services", key);
  if (!stored) throw notFound({ group: "", resource: "services", name });
  const found = storedAs<Service>(stored).spec?.ports?.find((each) => each.port === Number(port));
  if (!found) throw unavailable(`no service port ${Number(port)} found for service "${name}"`);
  return found.name ?? "";
}

const kubeletPort = 10_250;
/** The addresses of a node that are tried, in this order. */
const preferred = ["InternalIP", "ExternalIP", "Hostname"];

export const nodeLocation: LocationFinder = ({ services }, _namespace, id) => {
  const { scheme, name, port } = splitId(id, "node");
  const stored = services.storage.get("nodes", name);
  if (!stored) throw notFound({ group: "", resource: "nodes", name });
  const { status } = storedAs<Node>(stored);
  const address = addressOf(status?.addresses ?? []);
  // A user who may write the status of a node must not point the API server at itself.
  if (!isGlobalUnicast(address)) throw badRequest("address not allowed");
  const own = String(status?.daemonEndpoints?.kubeletEndpoint?.Port || kubeletPort);
  const isKubelet = port === "" || port === own;
  return {
    scheme: isKubelet || scheme === "https" ? "https" : "http",
    address,
    port: isKubelet ? own : port,
    nodeName: name,
    to: { kind: isKubelet ? "kubelet" : "node" },
  };
};

function addressOf(addresses: NonNullable<NonNullable<Node["status"]>["addresses"]>): string {
  for (const type of preferred) {
    const found = addresses.find((each) => each.type === type && each.address !== "");
    if (found) return found.address;
  }
  const known = addresses.map(({ type, address }) => `{${type} ${address}}`).join(" ");
  throw plainFailure(`no preferred addresses found; known addresses: [${known}]`);
}

const schemes = new Set(["", "http", "https"]);

/** `name`, `name:port` or `scheme:name:port`. */
function splitId(id: string, resource: string): { scheme: string; name: string; port: string } {
  const parts = id.split(":");
  const [first = "", second = "", third = ""] = parts;
  const [scheme, name, port] = parts.length === 3 ? [first, second, third] : ["", first, second];
  if (parts.length > 3 || name === "" || !schemes.has(scheme))
    throw badRequest(`invalid ${resource} request "${id}"`);
  return { scheme, name, port };
}

/** Addresses of this machine, of this link and of many, however they are written; those of IPv4 inside IPv6, too. */
const forbidden = new BlockList();
for (const [network, prefix] of [
  ["127.0.0.0", 8],
  ["0.0.0.0", 32],
  ["255.255.255.255", 32],
  ["169.254.0.0", 16],
  ["224.0.0.0", 4],
] as const)
  forbidden.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["::", 127],
  ["fe80::", 10],
  ["ff00::", 8],
] as const)
  forbidden.addSubnet(network, prefix, "ipv6");

function isGlobalUnicast(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && !forbidden.check(address, version === 4 ? "ipv4" : "ipv6");
}

const unavailable = (message: string): ApiError =>
  new ApiError(message, { code: 503, reason: "ServiceUnavailable" });
