// The filter plugins: the requirements of one pod, prepared once, and checked node by node.
import type { FilterPlugin, Misfit, NodeFilter } from "./plugin.js";
import { filterPlugins } from "./plugins/index.js";
import type { ClusterState } from "./state/cluster-state.js";
import type { NodeState } from "./state/node-state.js";
import type { PodInfo } from "./state/pod-info.js";

interface Named {
  readonly name: string;
  readonly filter: NodeFilter;
}

/** The filters of one pod. */
export class Fitting {
  readonly pod: PodInfo;
  readonly #cluster: ClusterState;
  readonly #filters: readonly Named[];
  /** Names of plugins that rejected nodes: their events decide when the pod is tried again. */
  readonly objectors = new Set<string>();

  private constructor(pod: PodInfo, cluster: ClusterState, filters: readonly Named[]) {
    this.pod = pod;
    this.#cluster = cluster;
    this.#filters = filters;
  }

  /** The filters that have something to say, or the plugin that rejects the pod as a whole. */
  static prepare(
    pod: PodInfo,
    cluster: ClusterState,
    plugins: readonly FilterPlugin[] = filterPlugins,
  ): Fitting | { readonly rejection: string; readonly plugin: string } {
    const filters: Named[] = [];
    for (const plugin of plugins) {
      const filter = plugin.prepare(pod, cluster);
      if (!filter) continue;
      if ("rejection" in filter) return { rejection: filter.rejection, plugin: plugin.name };
      filters.push({ name: plugin.name, filter });
    }
    return new Fitting(pod, cluster, filters);
  }

  /** The only nodes that come into question, when they are known by name, and who said so. */
  get narrowed(): { readonly only: ReadonlySet<string>; readonly plugin: string } | undefined {
    for (const { name, filter } of this.#filters) if (filter.only) return { only: filter.only, plugin: name };
    return undefined;
  }

  /** Why the node cannot take the pod; room that is kept for others counts as taken. */
  check(node: NodeState): Misfit | undefined {
    const promised = this.#cluster.nominatedOn(node.name, this.pod);
    if (promised.length > 0) {
      for (const other of promised) this.add(other, node);
      const misfit = this.#ask(node);
      for (const other of promised) this.remove(other, node);
      if (misfit) return misfit;
    }
    // Promised pods may never come: the pod must fit without them too.
    return this.#ask(node);
  }

  /** From here on the other pod is taken to be on the node. */
  add(other: PodInfo, node: NodeState): void {
    node.add(other);
    for (const { filter } of this.#filters) filter.update?.(other, node, 1);
  }

  /** From here on the other pod is taken to be gone. */
  remove(other: PodInfo, node: NodeState): void {
    node.remove(other);
    for (const { filter } of this.#filters) filter.update?.(other, node, -1);
  }

  #ask(node: NodeState): Misfit | undefined {
    for (const { name, filter } of this.#filters) {
      const misfit = filter.check(node);
      if (!misfit) continue;
      this.objectors.add(name);
      return misfit;
    }
    return undefined;
  }
}
