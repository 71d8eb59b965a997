// The resources that all containers of a pod need together, counted as the scheduler counts: init containers run one after the
// other before the rest, sidecars run beside everything that starts after them.
import { Amount, type Container, type PodSpec, type Quantity } from "@kubewright/api";

/** Amounts by resource name. */
export type Amounts = ReadonlyMap<string, Amount>;
type Kind = "requests" | "limits";

/** The effective requests or limits of all containers. */
export function aggregateResources(
  spec: Pick<PodSpec, "containers" | "initContainers">,
  kind: Kind,
): Amounts {
  const total = new Map<string, Amount>();
  for (const container of spec.containers ?? []) addAll(total, amountsOf(container, kind));
  const sidecars = new Map<string, Amount>();
  const atStart = new Map<string, Amount>();
  for (const container of spec.initContainers ?? []) {
    const own = new Map(amountsOf(container, kind));
    if (isSidecar(container)) {
      addAll(total, own);
      addAll(sidecars, own);
      raise(atStart, sidecars);
    } else {
      addAll(own, sidecars);
      raise(atStart, own);
    }
  }
  raise(total, atStart);
  return total;
}

/** An init container that keeps running. */
export const isSidecar = (container: Pick<Container, "restartPolicy">): boolean =>
  container.restartPolicy === "Always";

/** Amounts of a resource list. */
export function parseAmounts(list: Readonly<Record<string, Quantity>> | undefined): Map<string, Amount> {
  return new Map(Object.entries(list ?? {}).map(([name, quantity]) => [name, Amount.parse(quantity)]));
}

const amountsOf = (container: Container, kind: Kind): Amounts => parseAmounts(container.resources?.[kind]);

function addAll(target: Map<string, Amount>, more: Amounts): void {
  for (const [name, amount] of more) target.set(name, target.get(name)?.add(amount) ?? amount);
}

function raise(target: Map<string, Amount>, atLeast: Amounts): void {
  for (const [name, amount] of atLeast) {
    const current = target.get(name);
    if (!current || amount.compare(current) > 0) target.set(name, amount);
  }
}
