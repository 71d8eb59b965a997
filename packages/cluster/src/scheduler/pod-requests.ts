// What a pod needs of a node, in plain numbers: scheduling compares them by the million.
import { Amount, type Pod, type ResourceRequirements } from "@kubewright/api";

/** By resource: thousandths of a CPU, bytes of memory, counts of the rest. */
export type Requests = ReadonlyMap<string, number>;

/** What to reserve: containers together, or the largest init container if that is more, and the overhead. */
export function requestsOf(pod: Pod): Requests {
  const total = new Map<string, number>();
  for (const { resources } of pod.spec?.containers ?? []) add(total, amountsOf(resources));
  const sidecars = new Map<string, number>();
  for (const container of pod.spec?.initContainers ?? []) {
    const own = amountsOf(container.resources);
    if (container.restartPolicy === "Always") {
      add(sidecars, own);
      add(total, own);
      continue;
    }
    for (const [name, amount] of own)
      total.set(name, Math.max(total.get(name) ?? 0, amount + (sidecars.get(name) ?? 0)));
  }
  add(total, amountsOf({ requests: pod.spec?.overhead }));
  total.set("pods", 1);
  return total;
}

/** A list of amounts, in plain numbers. */
export function plainAmounts(amounts: ResourceRequirements["requests"]): Map<string, number> {
  return amountsOf({ requests: amounts });
}

function amountsOf(resources: ResourceRequirements | undefined): Map<string, number> {
  const found = new Map<string, number>();
  for (const [name, quantity] of Object.entries(resources?.requests ?? {})) {
    const amount = Amount.parse(quantity).toNumber();
    if (amount !== 0) found.set(name, name === "cpu" ? Math.ceil(amount * 1000) : amount);
  }
  return found;
}

function add(total: Map<string, number>, more: Requests): void {
  for (const [name, amount] of more) total.set(name, (total.get(name) ?? 0) + amount);
}
