// A PUT or patch that leaves out what the server once allocated does not mean to give it up.
import { type Draft, deepEqual, type ServiceSpec } from "@kubewright/api";
import { hasClusterIp, hasHealthCheck, hasNodePorts, nodePortsOf } from "./service-traits.js";

type SpecDraft = Draft<ServiceSpec>;

/** Takes addresses and ports over from before where the new spec says nothing of them. */
export function inheritAllocated(spec: SpecDraft, before: ServiceSpec): void {
  if (hasClusterIp(before) && hasClusterIp(spec)) {
    if (!spec.clusterIP && before.clusterIP) spec.clusterIP = before.clusterIP;
    if ((spec.clusterIPs ?? []).length === 0 && before.clusterIPs && spec.clusterIP === before.clusterIP)
      spec.clusterIPs = [...before.clusterIPs];
  }
  if (hasNodePorts(before) && hasNodePorts(spec)) inheritNodePorts(spec, before);
  if (hasHealthCheck(before) && hasHealthCheck(spec) && before.healthCheckNodePort)
    spec.healthCheckNodePort ||= before.healthCheckNodePort;
}

/** Ports are known by their names; a node port that another port now asks for is not inherited. */
function inheritNodePorts(spec: SpecDraft, before: ServiceSpec): void {
  const asked = new Set(nodePortsOf(spec));
  const used = new Set(nodePortsOf(before).filter((port) => asked.has(port)));
  const byName = new Map((before.ports ?? []).map(({ name = "", nodePort }) => [name, nodePort]));
  for (const port of spec.ports ?? []) {
    const former = byName.get(port.name ?? "");
    if (port.nodePort || !former || used.has(former)) continue;
    port.nodePort = former;
    used.add(former);
  }
}

/** `clusterIP` is the first of `clusterIPs`: whichever of the two was changed moves the other. */
export function syncClusterIps(spec: SpecDraft, before: ServiceSpec | undefined): void {
  const { clusterIP = "", clusterIPs = [] } = spec;
  if (!before) {
    if (clusterIP !== "" && clusterIPs.length === 0) spec.clusterIPs = [clusterIP];
    return;
  }
  const sameOne = clusterIP === (before.clusterIP ?? "");
  const sameAll = deepEqual(clusterIPs, before.clusterIPs ?? []);
  if (clusterIP === "" && !sameOne) {
    if (sameAll) delete spec.clusterIPs;
  } else if (clusterIP !== "" && !sameOne && sameAll) spec.clusterIPs = [clusterIP];
  else if (clusterIPs.length === 0 && !sameAll && sameOne) delete spec.clusterIP;
}
