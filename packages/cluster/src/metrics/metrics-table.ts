// Formatted metrics: quantities as Kubernetes writes them, and the table that `kubectl get podmetrics` shows.
import { Amount, type ObjectMeta } from "@kubewright/api";

/** Quantities of what is used. */
export interface UsageText {
  readonly cpu: string;
  readonly memory: string;
}

/** A pod or a node, and what it uses. */
export interface Measured {
  readonly metadata: ObjectMeta;
  readonly timestamp: string;
  readonly window: string;
  /** Of pods. */
  readonly containers?: readonly { readonly name: string; readonly usage: UsageText }[] | undefined;
  /** Of nodes. */
  readonly usage?: UsageText | undefined;
}

/** Cores and bytes as quantities. */
export const usageText = ({ cpu, memory }: { readonly cpu: number; readonly memory: number }): UsageText => ({
  cpu: Amount.of(Math.round(cpu * 1e9), "DecimalSI", -9).toString(),
  memory: Amount.of(Math.round(memory), "BinarySI").toString(),
});

/** Whether a client would rather have a table. */
export const isTableWanted = (accept: string | undefined): boolean =>
  (accept ?? "").split(",").some((type) => /;\s*as=Table/.test(type) && /;\s*v=v1(\s|;|$)/.test(type));

const columnDefinitions = [
  { name: "Name", type: "string", format: "name", description: "Name of the resource", priority: 0 },
  { name: "cpu", type: "string", format: "quantity", description: "", priority: 0 },
  { name: "memory", type: "string", format: "quantity", description: "", priority: 0 },
  { name: "Window", type: "string", format: "duration", description: "", priority: 0 },
];

export function metricsTable(items: readonly Measured[]): object {
  const rows = items.map(({ metadata, usage, containers = [], window }) => {
    const all = usage ? [usage] : containers.map((container) => container.usage);
    const cells = [metadata.name, total(all, "cpu"), total(all, "memory"), window];
    const object = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata };
    return { cells, object };
  });
  return { kind: "Table", apiVersion: "meta.k8s.io/v1", metadata: {}, columnDefinitions, rows };
}

function total(usages: readonly UsageText[], what: keyof UsageText): string {
  const [first = Amount.of(0), ...rest] = usages.map((usage) => Amount.parse(usage[what]));
  return rest.reduce((sum, amount) => sum.add(amount), first).toString();
}
