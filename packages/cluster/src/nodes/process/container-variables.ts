// The environment of a container's programs: what every container has, what its image and the Services give it, and what its pod says.
import type { Container, Pod, Service } from "@kubewright/api";
import { containerEnvironment } from "../container-environment.js";
import type { PodNode } from "../container-runtime.js";
import { linkedServices, serviceVariables } from "../service-variables.js";
import type { ImageProgram } from "./image-map.js";
import type { NodeMachine } from "./node-machine.js";

const searchPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

export async function containerVariables(
  { pod, container, node }: { readonly pod: Pod; readonly container: Container; readonly node: PodNode },
  program: ImageProgram,
  machine: NodeMachine,
): Promise<ReadonlyMap<string, string>> {
  const { cluster } = machine;
  const linked = await linkedServices(pod, (namespace) => cluster.servicesIn(namespace));
  const given: readonly (readonly [string, string])[] = [
    ["PATH", searchPath],
    ["HOSTNAME", pod.spec?.hostname ?? pod.metadata?.name ?? ""],
    ["HOME", "/root"],
    ...Object.entries(program.env ?? {}),
    ...serviceVariables(linked.map((service) => asFound(service, machine))),
  ];
  return containerEnvironment(pod, container, machine.asSeenInside(node), given);
}

const isServer = ({ metadata }: Service): boolean =>
  metadata?.name === "kubernetes" && metadata.namespace === "default";

/**
 * A Service at the address where programs find it. On loopback addresses only root could listen at port 443, so that the API server is found
 * where it listens itself.
 */
function asFound(service: Service, { network, cluster, isolation }: NodeMachine): Service {
  const { spec } = service;
  if (isolation.network === "bridge" || !/^\d/.test(spec?.clusterIP ?? "")) return service;
  const [port] = spec?.ports ?? [];
  const [target] = isServer(service) && port ? cluster.targetsOf("default", "kubernetes", port.port) : [];
  return target && port
    ? { ...service, spec: { ...spec, clusterIP: target.address, ports: [{ ...port, port: target.port }] } }
    : { ...service, spec: { ...spec, clusterIP: network.addressOf(spec?.clusterIP ?? "") } };
}
