// The availability check of aggregated API servers, with the reasons and messages of kube-apiserver's Available condition.

import { type APIService, type EndpointSlice, goQuote, type Service } from "@kubewright/api";
import type { Availability } from "@kubewright/kinds";

import type { Storage } from "../storage/index.js";
import { extensionApi } from "./extension-server.js";

const not = (reason: string, message: string): Availability => ({ status: "False", reason, message });

export const passed: Availability = { status: "True", reason: "Passed", message: "all checks passed" };

export const failedDiscovery = (message: string): Availability => not("FailedDiscoveryCheck", message);

/** The availability by Service and endpoints; undefined when they give no reason not to try. */
export function checkService(apiService: APIService, storage: Storage): Availability | undefined {
  const { service: wanted } = extensionApi(apiService);
  if (!wanted) return undefined;
  const { namespace, name, port } = wanted;
  const where = `service/${name} in ${goQuote(namespace)}`;
  const service = storage.get("services", `${namespace}/${name}`) as unknown as Service | undefined;
  if (!service) return not("ServiceNotFound", `${where} is not present`);
  if (service.spec?.type !== "ClusterIP") return undefined;
  const found = service.spec.ports?.find((each) => each.port === port);
  if (!found) return not("ServicePortError", `${where} is not listening on port ${port}`);
  const slices = slicesOf(storage, namespace, name);
  if (slices.length === 0) return not("EndpointsNotFound", `cannot find endpointslices for ${where}`);
  const portName = found.name ?? "";
  return slices.some((slice) => isReady(slice, portName))
    ? undefined
    : not(
        "MissingEndpoints",
        `endpointslices for ${where} have no addresses with port name ${goQuote(portName)}`,
      );
}

function slicesOf(storage: Storage, namespace: string, name: string): readonly EndpointSlice[] {
  const all = storage.list("discovery.k8s.io/endpointslices", { prefix: `${namespace}/` });
  const own = [...all].filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === name);
  return own as unknown as EndpointSlice[];
}

const isReady = ({ endpoints, ports }: EndpointSlice, portName: string): boolean =>
  (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false) &&
  (ports ?? []).some((each) => (each.name ?? "") === portName && each.port !== undefined);
