// The resource requests of a pod, as plain numbers: scheduling compares them by the million.
import { Amount, type Pod, type ResourceRequirements } from "@kubewright/api";

/** By resource: thousandths of a CPU, bytes of memory, counts of the rest. */
export type Requests = ReadonlyMap<string, number>;

/** The requests to reserve: containers together, or the largest init container if that is more, and the overhead. */
export function requestsOf(pod: Pod): Requests {
  const total = new Map<string, number>();
  for (const { resources } of pod.spec?.containers ?? []) add(total, amountsOf(resources?.requests));
  const sidecars = new Map<string, number>();
  let initial: Map<string, number> | undefined;
  for (const container of pod.spec?.initContainers ?? []) {
    const own = amountsOf(container.resources?.requests);
    if (container.restartPolicy === "Always") {
      add(sidecars, own);
      add(total, own);
      continue;
    }
    // An init container runs beside the sidecars started before it.
    add(own, sidecars);
    initial ??= new Map();
    for (const [name, amount] of own) initial.set(name, Math.max(initial.get(name) ?? 0, amount));
  }
  for (const [name, amount] of initial ?? []) total.set(name, Math.max(total.get(name) ?? 0, amount));
  for (const [name, quantity] of Object.entries(pod.spec?.resources?.requests ?? {}))
    total.set(name, plainAmount(name, quantity));
  add(total, amountsOf(pod.spec?.overhead));
  total.set("pods", 1);
  return total;
}

/** A list of amounts, in plain numbers. */
export function plainAmounts(amounts: ResourceRequirements["requests"]): Map<string, number> {
  return amountsOf(amounts);
}

function amountsOf(amounts: ResourceRequirements["requests"]): Map<string, number> {
  const found = new Map<string, number>();
  for (const [name, quantity] of Object.entries(amounts ?? {})) {
    const amount = plainAmount(name, quantity);
    if (amount !== 0) found.set(name, amount);
  }
  return found;
}

function plainAmount(name: string, quantity: string | number): number {
  const amount = Amount.parse(quantity).toNumber();
  return name === "cpu" ? Math.ceil(amount * 1000) : amount;
}

function add(total: Map<string, number>, more: Requests): void {
  for (const [name, amount] of more) total.set(name, (total.get(name) ?? 0) + amount);
}
