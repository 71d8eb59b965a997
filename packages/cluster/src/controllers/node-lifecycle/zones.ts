// The disruption state of zones: when most nodes of a zone stop reporting at once, the network is more likely broken than the
// nodes, so their pods had better stay where they are.
import { findCondition, type Node } from "@kubewright/api";

/** Enough nodes are ready, most are not ready, or none is. */
export type ZoneState = "normal" | "partial" | "full";

interface Counts {
  ready: number;
  notReady: number;
}

const exclusionLabel = "node.kubernetes.io/exclude-disruption";
/** The share of nodes that may be not ready in a healthy zone. */
const unhealthyShare = 0.55;

/** The key of a node's zone. */
export function zoneOf({ metadata }: Node): string {
  const { labels } = metadata ?? {};
  return `${labels?.["topology.kubernetes.io/region"] ?? ""}:${labels?.["topology.kubernetes.io/zone"] ?? ""}`;
}

export class Zones {
  readonly #zones = new Map<string, Counts>();

  /** Keeps up with a change; true when it is another state now, of a zone or of all. */
  update(previous: Node | undefined, current: Node | undefined): boolean {
    const [before, after] = [previous && zoneOf(previous), current && zoneOf(current)];
    const was = this.#shown(before, after);
    if (previous) this.#count(previous, -1);
    if (current) this.#count(current, 1);
    return was !== this.#shown(before, after);
  }

  /** How many nodes the zone has. */
  size(zone: string): number {
    const { ready = 0, notReady = 0 } = this.#zones.get(zone) ?? {};
    return ready + notReady;
  }

  state(zone: string): ZoneState {
    const { ready = 0, notReady = 0 } = this.#zones.get(zone) ?? {};
    if (ready === 0 && notReady > 0) return "full";
    return notReady > 2 && notReady / (ready + notReady) >= unhealthyShare ? "partial" : "normal";
  }

  /** No node anywhere is ready: it must be the controller that sees nothing. */
  get isAllDisrupted(): boolean {
    return this.#zones.size > 0 && [...this.#zones.keys()].every((zone) => this.state(zone) === "full");
  }

  #shown(...zones: readonly (string | undefined)[]): string {
    return [this.isAllDisrupted, ...zones.map((zone) => zone !== undefined && this.state(zone))].join();
  }

  #count(node: Node, sign: 1 | -1): void {
    if (node.metadata?.labels?.[exclusionLabel] !== undefined) return;
    const zone = zoneOf(node);
    const counts = this.#zones.get(zone) ?? { ready: 0, notReady: 0 };
    if (findCondition(node.status?.conditions, "Ready")?.status === "True") counts.ready += sign;
    else counts.notReady += sign;
    if (counts.ready + counts.notReady === 0) this.#zones.delete(zone);
    else this.#zones.set(zone, counts);
  }
}
