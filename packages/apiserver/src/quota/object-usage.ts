// The quota usage of Services and PersistentVolumeClaims besides their number.
import { Amount, type PersistentVolumeClaim, type Service } from "@kubewright/api";
import { one, type Usage, zero } from "./usage.js";

/** The usage of a Service. */
export function serviceUsage({ spec }: Service): Usage {
  const isBalanced = spec?.type === "LoadBalancer";
  return new Map([
    ["count/services", one],
    ["services", one],
    ["services.loadbalancers", isBalanced ? one : zero],
    ["services.nodeports", Amount.of(nodePorts(spec))],
  ]);
}

/** Node ports count before they are allocated. */
function nodePorts(spec: Service["spec"]): number {
  const ports = spec?.ports ?? [];
  if (spec?.type === "NodePort") return ports.length;
  if (spec?.type !== "LoadBalancer") return 0;
  if (spec.allocateLoadBalancerNodePorts !== false) return ports.length;
  return ports.filter(({ nodePort }) => nodePort).length;
}

const classSuffix = ".storageclass.storage.k8s.io/";
const classAnnotation = "volume.beta.kubernetes.io/storage-class";

/** The usage of a claim, in total and for its StorageClass. */
export function claimUsage(claim: PersistentVolumeClaim): Usage {
  const { metadata, spec } = claim;
  const usage = new Map([
    ["count/persistentvolumeclaims", one],
    ["persistentvolumeclaims", one],
  ]);
  const storage = claimedStorage(claim);
  if (storage) usage.set("requests.storage", storage);
  const className = metadata?.annotations?.[classAnnotation] ?? spec?.storageClassName;
  if (!className) return usage;
  usage.set(`${className}${classSuffix}persistentvolumeclaims`, one);
  if (storage) usage.set(`${className}${classSuffix}requests.storage`, storage);
  return usage;
}

/** Whole bytes: the larger of requested and allocated storage. */
function claimedStorage({ spec, status }: PersistentVolumeClaim): Amount | undefined {
  const asked = spec?.resources?.requests?.["storage"];
  if (asked === undefined) return undefined;
  const wanted = Amount.parse(asked).roundUp(0);
  const given = status?.allocatedResources?.["storage"];
  const allocated = given === undefined ? wanted : Amount.parse(given).roundUp(0);
  return allocated.compare(wanted) > 0 ? allocated : wanted;
}

/** Whether a quota's resource name applies to claims. */
export function isClaimResource(name: string): boolean {
  const bare = name.includes(classSuffix) ? name.slice(name.indexOf(classSuffix) + classSuffix.length) : name;
  return (
    name === "count/persistentvolumeclaims" ||
    bare === "persistentvolumeclaims" ||
    bare === "requests.storage"
  );
}
