// The periodic status reports of kubelets: every five minutes they report that the conditions still hold, and which images the
// node has. Nobody misses a report that nobody reads, and virtual time would drown in them: reports that are due are written
// when a client asks for nodes, with the time they were due, and by the clock once a client watches.
import { type Clock, formatTime, isNotFound, Node, type Timer } from "@kubewright/api";
import type { CachedClient } from "@kubewright/runtime";
import type { ContainerRuntime } from "./container-runtime.js";
import { kubeletConditions } from "./node-object.js";

/** How often a kubelet reports when there is nothing new. */
const frequency = 5 * 60_000;
/** The kubelet reports no more images. */
const maxImages = 50;

export interface StatusReportsOptions {
  /** Acts as the kubelet of the node. */
  readonly kubelet: (node: string) => CachedClient;
  readonly node: (name: string) => Node | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly runtime: ContainerRuntime;
}

export class StatusReports {
  readonly #options: StatusReportsOptions;
  /** By name of the node: when its next report is due. Nodes that are silent have none. */
  readonly #due = new Map<string, number>();
  /** How many images of a node were reported. */
  readonly #reportedImages = new Map<string, number>();
  #isWatched: (() => boolean) | undefined;
  #timer: Timer | undefined;
  #isClosed = false;

  constructor(options: StatusReportsOptions) {
    this.#options = options;
  }

  /** The node has just said something new. Like kubelets, nodes that start together do not report together. */
  spoke(name: string): void {
    const jitter = (this.#options.random() - 0.5) * frequency;
    this.#due.set(name, this.#options.clock.now() + frequency + jitter);
    if (this.#timer) this.#wait();
  }

  /** The node is gone. */
  remove(name: string): void {
    this.#due.delete(name);
    this.#reportedImages.delete(name);
  }

  /** The node is down; its last report is written. */
  async silence(name: string): Promise<void> {
    const due = this.#due.get(name);
    if (due === undefined) return;
    await this.#catchUp(name, due);
    this.#due.delete(name);
  }

  /** Somebody is about to read nodes. */
  async refresh(): Promise<void> {
    if (this.#isClosed) return;
    for (const [name, due] of [...this.#due]) await this.#catchUp(name, due);
  }

  /** Somebody watches nodes: reports are written in time for as long as somebody does. */
  keepUp(isWatched: () => boolean): void {
    this.#isWatched = isWatched;
    if (!this.#timer) this.#wait();
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #wait(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#isClosed || this.#due.size === 0) return;
    const { clock } = this.#options;
    const first = Math.min(...this.#due.values());
    this.#timer = clock.setTimer(Math.max(0, first - clock.now()), () => {
      this.#timer = undefined;
      if (!this.#isWatched?.()) return;
      this.refresh()
        .catch(() => undefined)
        .finally(() => this.#wait());
    });
  }

  async #catchUp(name: string, due: number): Promise<void> {
    const now = this.#options.clock.now();
    const images = this.#newImages(name);
    if (images) {
      this.spoke(name);
      await this.#write(name, now, images);
    } else if (due <= now) {
      const last = now - ((now - due) % frequency);
      this.#due.set(name, last + frequency);
      await this.#write(name, last);
    }
  }

  async #write(name: string, time: number, images?: object): Promise<void> {
    const lastHeartbeatTime = formatTime(time);
    const known = this.#options.node(name)?.status?.conditions ?? [];
    const conditions = known
      .filter(({ type }) => kubeletConditions.has(type))
      .map(({ type }) => ({ type, lastHeartbeatTime }));
    const strategic = { status: { ...(conditions.length > 0 ? { conditions } : {}), ...images } };
    try {
      await this.#options.kubelet(name).patch(Node, name, { strategic }, { subresource: "status" });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #newImages(node: string): object | undefined {
    const found = this.#options.runtime.images?.(node) ?? [];
    if (found.length === (this.#reportedImages.get(node) ?? 0)) return undefined;
    this.#reportedImages.set(node, found.length);
    const images = found
      .toSorted((a, b) => b.image.bytes - a.image.bytes)
      .slice(0, maxImages)
      .map(({ name, image }) => ({ names: [image.id, name], sizeBytes: image.bytes }));
    return { images };
  }
}
