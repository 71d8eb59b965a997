// A service that changes its type loses what the new type has no use for, unless the change also touches it: then the
// client must have meant something, and validation says what is wrong with it.
import { type Draft, deepEqual, type Service, type ServiceSpec } from "@kubewright/api";
import type { DraftObject, StoredObject } from "../../objects.js";
import { draftAs, storedAs } from "../../objects.js";
import {
  type AnySpec,
  hasClusterIp,
  hasHealthCheck,
  hasNodePorts,
  isExternallyAccessible,
  nodePortsOf,
} from "./service-traits.js";

type SpecDraft = Draft<ServiceSpec>;
type Trait = (spec: AnySpec) => boolean;

const isLoadBalancer: Trait = ({ type }) => type === "LoadBalancer";

/** Fields that go together with a trait a service can lose. */
const dependents: readonly { readonly trait: Trait; readonly fields: readonly (keyof ServiceSpec)[] }[] = [
  { trait: hasClusterIp, fields: ["ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"] },
  { trait: hasHealthCheck, fields: ["healthCheckNodePort"] },
  { trait: isLoadBalancer, fields: ["allocateLoadBalancerNodePorts", "loadBalancerClass"] },
  { trait: isExternallyAccessible, fields: ["externalTrafficPolicy"] },
];

export function dropTypeDependents(object: DraftObject, old: StoredObject): void {
  const service = draftAs<Service>(object);
  const spec = service.spec ?? {};
  const before = storedAs<Service>(old).spec ?? {};
  const lost = (trait: Trait): boolean => trait(before) && !trait(spec);
  for (const { trait, fields } of dependents) {
    if (!lost(trait)) continue;
    for (const field of fields) if (deepEqual(spec[field], before[field])) delete spec[field];
  }
  if (lost(hasClusterIp)) dropClusterIps(spec, before);
  if (lost(hasNodePorts)) dropNodePorts(spec, before);
  if (!isLoadBalancer(spec) && service.status) service.status.loadBalancer = {};
}

function dropClusterIps(spec: SpecDraft, before: ServiceSpec): void {
  if (spec.clusterIP !== before.clusterIP || !deepEqual(spec.clusterIPs, before.clusterIPs)) return;
  delete spec.clusterIP;
  delete spec.clusterIPs;
}

/** Ports may come and go along with the change, as long as no new node port is asked for. */
function dropNodePorts(spec: SpecDraft, before: ServiceSpec): void {
  const former = nodePortsOf(before);
  if (!nodePortsOf(spec).every((port) => former.includes(port))) return;
  for (const port of spec.ports ?? []) delete port.nodePort;
}
