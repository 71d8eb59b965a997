// The address of an Ingress, as far as that can be known from it and the Service behind it.
import type { HTTPIngressPath, Ingress, Service } from "@kubewright/api";

/** The first host that people can type: a wildcard is none. */
export function hostOf(ingress: Ingress): string | undefined {
  return hostedRule(ingress)?.host;
}

/** The address of the first such host with a path of its own; none when that path leads to a Service that does not exist. */
export function ingressUrl(ingress: Ingress, service: Service | undefined): string | undefined {
  const rule = hostedRule(ingress);
  const [path] = rule?.http?.paths ?? [];
  if (!rule?.host || (path && missingBackend(ingress, path, service))) return undefined;
  return `${isSecure(ingress, rule.host) ? "https" : "http"}://${rule.host}${pathText(path)}`;
}

/** The reason why the Ingress serves no requests. */
export function ingressProblem(ingress: Ingress, service: Service | undefined): string | undefined {
  const paths = (ingress.spec?.rules ?? []).flatMap(({ http }) => http?.paths ?? []);
  const missing = paths
    .map((path) => missingBackend(ingress, path, service))
    .find((name) => name !== undefined);
  if (missing !== undefined) return `it leads to Service ${missing}, which the Application does not have`;
  if ((ingress.status?.loadBalancer?.ingress ?? []).length > 0) return undefined;
  const ofClass = ingress.spec?.ingressClassName ? ` of class ${ingress.spec.ingressClassName}` : "";
  return `it has no address yet: no ingress controller${ofClass} has taken it up`;
}

/** The name of the Application's own Service, if the path leads there and there is none. Other Services are not checked. */
function missingBackend(
  ingress: Ingress,
  { backend }: HTTPIngressPath,
  service: Service | undefined,
): string | undefined {
  const name = backend.service?.name;
  return name === ingress.metadata?.name && !service ? name : undefined;
}

function hostedRule(ingress: Ingress) {
  return ingress.spec?.rules?.find(({ host }) => host && !host.startsWith("*"));
}

/** Only the path types of Kubernetes are texts of a URL; what others mean is their controller's. */
function pathText(path: HTTPIngressPath | undefined): string {
  return path?.pathType === "ImplementationSpecific" ? "/" : (path?.path ?? "/");
}

/** A certificate is for its hosts, of which one may be a wildcard for one label; without hosts it is for all. */
function isSecure(ingress: Ingress, host: string): boolean {
  const wildcard = `*${host.slice(host.indexOf("."))}`;
  return (ingress.spec?.tls ?? []).some(
    ({ hosts = [] }) => hosts.length === 0 || hosts.includes(host) || hosts.includes(wildcard),
  );
}
