// Addresses of pods: each node has a range, and an address is used again once its pod is gone.

/** Usable addresses in the range of a node. */
const perNode = 254;

export class PodAddresses {
  readonly #held = new Map<string, { readonly node: number; readonly offset: number }>();
  readonly #used = new Map<number, Set<number>>();
  readonly #next = new Map<number, number>();

  /** An address for a pod: the one it had, if it is free. */
  allocate(node: number, pod: string, had?: string): string {
    const used = this.#used.get(node) ?? new Set();
    this.#used.set(node, used);
    const prefix = `10.${244 + Math.floor(node / 256)}.${node % 256}.`;
    const kept = had?.startsWith(prefix) ? Number(had.slice(prefix.length)) : 0;
    let offset = kept > 0 && kept <= perNode ? kept : (this.#next.get(node) ?? 1);
    for (let tried = 0; tried < perNode && used.has(offset); tried++) offset = (offset % perNode) + 1;
    used.add(offset);
    this.#next.set(node, (offset % perNode) + 1);
    this.#held.set(pod, { node, offset });
    return `${prefix}${offset}`;
  }

  release(pod: string): void {
    const held = this.#held.get(pod);
    if (!held) return;
    this.#held.delete(pod);
    this.#used.get(held.node)?.delete(held.offset);
  }
}
