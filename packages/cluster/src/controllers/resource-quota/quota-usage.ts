// What an object uses of a quota. Pure, so that whoever enforces quotas can count as whoever reports them does.
import {
  Amount,
  type PersistentVolumeClaim,
  type Pod,
  type Quantity,
  type ResourceRequirements,
  type Service,
} from "@kubewright/api";

/** By the names quotas use: `pods`, `requests.cpu`, `count/deployments.apps`. */
export type Usage = ReadonlyMap<string, Amount>;

const one = Amount.of(1);
const zero = Amount.of(0);
/** Resources that a quota may name without `requests.`. */
const plainNames = new Set(["cpu", "memory", "ephemeral-storage"]);

/** The sum of several usages. */
export function sumUsage(usages: Iterable<Usage>): Usage {
  const total = new Map<string, Amount>();
  for (const usage of usages) for (const [name, amount] of usage) add(total, name, amount);
  return total;
}

/** What a pod uses: finished ones take nothing but their place among objects. */
export function podUsage(pod: Pod, now: number): Usage {
  const usage = new Map([["count/pods", one]]);
  if (isOver(pod, now)) return usage;
  usage.set("pods", one);
  for (const [name, amount] of podAmounts(pod, "requests")) {
    usage.set(`requests.${name}`, amount);
    if (plainNames.has(name) || name.startsWith("hugepages-")) usage.set(name, amount);
  }
  for (const [name, amount] of podAmounts(pod, "limits")) usage.set(`limits.${name}`, amount);
  return usage;
}

/** Finished, or deleted so long ago that only its node is to blame. */
function isOver({ status, metadata }: Pod, now: number): boolean {
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return true;
  return metadata?.deletionTimestamp !== undefined && Date.parse(metadata.deletionTimestamp) < now;
}

/** Containers together, or the largest init container beside the sidecars started before it, and the overhead. */
function podAmounts({ spec }: Pod, which: "requests" | "limits"): Usage {
  const total = new Map<string, Amount>();
  for (const { resources } of spec?.containers ?? []) addAll(total, resources?.[which]);
  const sidecars = new Map<string, Amount>();
  const initial = new Map<string, Amount>();
  for (const { resources, restartPolicy } of spec?.initContainers ?? []) {
    if (restartPolicy === "Always") {
      addAll(sidecars, resources?.[which]);
      addAll(total, resources?.[which]);
      continue;
    }
    const own = new Map(sidecars);
    addAll(own, resources?.[which]);
    for (const [name, amount] of own) initial.set(name, larger(initial.get(name) ?? zero, amount));
  }
  for (const [name, amount] of initial) total.set(name, larger(total.get(name) ?? zero, amount));
  for (const [name, quantity] of Object.entries(spec?.resources?.[which] ?? {}))
    total.set(name, Amount.parse(quantity));
  if (which === "requests" || total.size > 0) addAll(total, spec?.overhead);
  return total;
}

/** What a Service uses. */
export function serviceUsage({ spec }: Service): Usage {
  const usage = new Map([["services", one]]);
  const isBalanced = spec?.type === "LoadBalancer";
  const ports = Amount.of(spec?.ports?.length ?? 0);
  if (isBalanced) usage.set("services.loadbalancers", one);
  if (spec?.type === "NodePort") usage.set("services.nodeports", ports);
  if (isBalanced && spec.allocateLoadBalancerNodePorts !== false) usage.set("services.nodeports", ports);
  return usage;
}

/** What a claim uses, altogether and of its class. */
export function claimUsage({ spec }: PersistentVolumeClaim): Usage {
  const storage = Amount.parse(spec?.resources?.requests?.["storage"] ?? "0");
  const usage = new Map([
    ["persistentvolumeclaims", one],
    ["requests.storage", storage],
  ]);
  if (!spec?.storageClassName) return usage;
  const prefix = `${spec.storageClassName}.storageclass.storage.k8s.io/`;
  usage.set(`${prefix}persistentvolumeclaims`, one);
  usage.set(`${prefix}requests.storage`, storage);
  return usage;
}

/** The name under which objects of a kind are counted. */
export function countName({ plural, group }: { readonly plural: string; readonly group: string }): string {
  return group ? `count/${plural}.${group}` : `count/${plural}`;
}

/** Kinds that quotas may also name without `count/`. */
export const plainlyCounted: ReadonlySet<string> = new Set([
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "resourcequotas",
]);

function addAll(total: Map<string, Amount>, amounts: ResourceRequirements["requests"]): void {
  for (const [name, quantity] of Object.entries(amounts ?? {})) add(total, name, parsed(quantity));
}

const parsed = (quantity: Quantity): Amount => Amount.parse(quantity);
const larger = (a: Amount, b: Amount): Amount => (a.compare(b) >= 0 ? a : b);

function add(total: Map<string, Amount>, name: string, amount: Amount): void {
  total.set(name, (total.get(name) ?? zero).add(amount));
}
