// The registration of a node: the kubelet creates its Node, or reports that it is back; labels, taints and address ranges that
// a kubelet may not set are written as the node controllers.
import { type Clock, isAlreadyExists, Node } from "@kubewright/api";
import type { CachedClient } from "@kubewright/runtime";
import type { Heartbeats } from "./heartbeats.js";
import { splitLabels } from "./kubelet-labels.js";
import { healthyConditions, type NodePlace, nodeObject, podRange, readyStatus } from "./node-object.js";
import type { NodeSpec } from "./node-spec.js";
import type { StatusReports } from "./status-reports.js";

const notReady = "node.kubernetes.io/not-ready";

export class NodeRegistration {
  readonly #kubelet: (node: string) => CachedClient;
  readonly #control: CachedClient;
  readonly #clock: Clock;
  readonly #heartbeats: Heartbeats;
  readonly #reports: StatusReports;
  readonly #place: () => NodePlace;

  constructor(options: {
    /** Acts as the kubelet of the node. */
    readonly kubelet: (node: string) => CachedClient;
    /** Acts as the controllers of nodes do: taints and ranges of addresses are not a kubelet's to change. */
    readonly control: CachedClient;
    readonly clock: Clock;
    readonly heartbeats: Heartbeats;
    readonly reports: StatusReports;
    readonly place: () => NodePlace;
  }) {
    this.#kubelet = options.kubelet;
    this.#control = options.control;
    this.#clock = options.clock;
    this.#heartbeats = options.heartbeats;
    this.#reports = options.reports;
    this.#place = options.place;
  }

  /** Makes the node, unless it is there already. */
  async create(spec: NodeSpec, index: number): Promise<Node | undefined> {
    try {
      const wanted = nodeObject(spec, index, this.#clock.now(), this.#place());
      const name = wanted.metadata?.name ?? "";
      const { own, others } = splitLabels(wanted.metadata?.labels ?? {});
      const metadata = { ...wanted.metadata, labels: own };
      const node = await this.#kubelet(name).create(Node, { ...wanted, metadata });
      if (Object.keys(others).length > 0)
        await this.#control.patch(Node, name, { merge: { metadata: { labels: others } } });
      await this.#makeReady(node);
      return node;
    } catch (error) {
      if (isAlreadyExists(error)) return undefined;
      throw error;
    }
  }

  /** Takes over a node that somebody else made; what they said of its room stays. */
  async adopt(node: Node, index: number): Promise<void> {
    const name = node.metadata?.name ?? "";
    const range = podRange(index);
    if (!node.spec?.podCIDR)
      await this.#control.patch(Node, name, { merge: { spec: { podCIDR: range, podCIDRs: [range] } } });
    const { capacity, allocatable } = node.status ?? {};
    const status = readyStatus({
      name,
      index,
      now: this.#clock.now(),
      ...this.#place(),
      arch: node.metadata?.labels?.["kubernetes.io/arch"],
      capacity: texts(capacity),
      allocatable: texts(allocatable),
      before: node.status?.conditions,
    });
    await this.#kubelet(name).patch(Node, name, { merge: { status } }, { subresource: "status" });
    await this.#makeReady(node);
  }

  /** The kubelet is back. */
  async back(node: Node): Promise<void> {
    const conditions = healthyConditions(this.#clock.now(), node.status?.conditions);
    const strategic = { status: { conditions } };
    const name = node.metadata?.name ?? "";
    await this.#heartbeats.add(node);
    this.#reports.spoke(name);
    await this.#kubelet(name).patch(Node, name, { strategic }, { subresource: "status" });
  }

  /** Admission marks every new node as not ready; a kubelet that is there at once needs nobody to take that back. */
  async #makeReady(node: Node): Promise<void> {
    const taints = node.spec?.taints ?? [];
    const others = taints.filter(({ key }) => key !== notReady);
    const merge = { spec: { taints: others.length > 0 ? others : null } };
    if (others.length < taints.length) await this.#control.patch(Node, node.metadata?.name ?? "", { merge });
    this.#reports.spoke(node.metadata?.name ?? "");
    await this.#heartbeats.add(node);
  }
}

function texts(amounts: Readonly<Record<string, unknown>> | undefined): Record<string, string> | undefined {
  if (!amounts) return undefined;
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]));
}
