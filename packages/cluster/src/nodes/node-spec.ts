// Options of simulated nodes.
import type { Taint } from "@kubewright/api";

/** A simulated node to begin with: its name, labels, taints, zone and capacity. */
export interface NodeSpec {
  /** `node-1`, `node-2`, … by default. */
  readonly name?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly taints?: readonly Taint[] | undefined;
  /** `topology.kubernetes.io/region` and `topology.kubernetes.io/zone`. */
  readonly region?: string | undefined;
  readonly zone?: string | undefined;
  /** `amd64` by default. */
  readonly arch?: string | undefined;
  /** The capacity. Default: 32 cores, 256Gi of memory, 1Ti of storage and 110 pods. */
  readonly capacity?: Readonly<Record<string, string>> | undefined;
  /** The part of it for pods. Default: all of it. */
  readonly allocatable?: Readonly<Record<string, string>> | undefined;
}

/** How many nodes there are, or which. */
export type NodesOption = number | readonly NodeSpec[];

/** The nodes asked for; throws when a number or a name cannot be. */
export function nodeSpecs(nodes: NodesOption): readonly NodeSpec[] {
  if (typeof nodes === "number") {
    if (!Number.isInteger(nodes) || nodes < 0) throw new RangeError(`nodes: ${nodes} is no number of nodes`);
    return Array.from({ length: nodes }, () => ({}));
  }
  const names = nodes.map((spec, at) => nodeNameOf(spec, at));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new RangeError(`nodes: there are two named "${twice}"`);
  return nodes;
}

/** The name of the node at that place of the list. */
export const nodeNameOf = ({ name }: NodeSpec, index: number): string => name ?? `node-${index + 1}`;
