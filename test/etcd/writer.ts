// A client that writes all the time and a checker of what was acknowledged. A write is tried on one member after the other until one
// acknowledges it; the time between two acknowledgements is how long nothing could be written.
import type { EtcdClient } from "../../operators/etcd/src/client/etcd-client.js";
import type { EtcdWorld } from "./etcd-world.js";

/** A client that retries for two election timeouts of etcd's default must not fail. */
export const retryLimit = 2_000;
const attemptLimit = 600;
const pause = 25;

export class Writer {
  readonly #world: EtcdWorld;
  readonly #cluster: string;
  readonly #run: string;
  readonly acknowledged: string[] = [];
  /** Writes that a client that retries for `retryLimit` has given up. */
  failures = 0;
  #isOver = false;
  /** When writes were acknowledged, beginning with the start. */
  readonly #times: number[] = [];
  #from = 0;
  #work: Promise<void> = Promise.resolve();
  #clients = new Map<string, EtcdClient & { close(): void }>();
  #preferred = "";

  constructor(world: EtcdWorld, cluster: string) {
    this.#world = world;
    this.#cluster = cluster;
    this.#run = Math.random().toString(36).slice(2, 8);
  }

  async start(): Promise<this> {
    await this.#refresh();
    this.#times.push(Date.now());
    this.#work = this.#write();
    return this;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#work;
    for (const client of this.#clients.values()) client.close();
    this.#clients.clear();
  }

  /** The longest time without an acknowledged write since the last call. */
  takeGap(): number {
    const gap = this.longestGap(this.#from, Date.now());
    this.#from = Date.now();
    return gap;
  }

  /** The longest time without an acknowledged write that was, at least in part, between two times. */
  longestGap(from: number, to: number): number {
    let longest = 0;
    let before = this.#times[0] ?? from;
    for (const time of [...this.#times, to]) {
      if (time >= from && before <= to) longest = Math.max(longest, time - before);
      before = time;
    }
    return longest;
  }

  takeFailures(): number {
    const { failures } = this;
    this.failures = 0;
    return failures;
  }

  /** Waits until a write is acknowledged. */
  async flowing(timeout = 30_000): Promise<void> {
    const from = this.acknowledged.length;
    for (const end = Date.now() + timeout; this.acknowledged.length === from; ) {
      if (Date.now() > end) throw new Error(`no write was acknowledged within ${timeout} ms`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async #write(): Promise<void> {
    for (let index = 0; !this.#isOver; index++) {
      const key = `${this.#run}/${index}`;
      const begin = Date.now();
      let hasFailed = false;
      // A write that was given up is tried on, so that one acknowledged late is checked, too; it counts as failed all the same.
      while (!this.#isOver && !(await this.#attempt(key, String(index)))) {
        if (!hasFailed && Date.now() - begin > retryLimit) {
          hasFailed = true;
          this.failures += 1;
        }
        await this.#refresh();
        await sleep(20);
      }
      if (this.#isOver) return;
      this.#times.push(Date.now());
      this.acknowledged.push(key);
      await sleep(pause);
    }
  }

  async #attempt(key: string, value: string): Promise<boolean> {
    const names = [this.#preferred, ...this.#clients.keys()].filter((name) => this.#clients.has(name));
    for (const name of new Set(names)) {
      try {
        await this.#clients.get(name)?.put(key, value);
        this.#preferred = name;
        return true;
      } catch {
        this.#preferred = "";
      }
    }
    return false;
  }

  async #refresh(): Promise<void> {
    const pods = (await this.#world.pods(this.#cluster)).filter(
      ({ metadata, status }) => status?.phase === "Running" && !metadata?.deletionTimestamp,
    );
    const keys = new Map(
      pods.map(({ metadata }) => [`${metadata?.name}/${metadata?.uid}`, metadata?.name ?? ""]),
    );
    for (const [key, client] of this.#clients) {
      if (keys.has(key)) continue;
      client.close();
      this.#clients.delete(key);
    }
    for (const [key, name] of keys)
      if (!this.#clients.has(key))
        this.#clients.set(key, this.#world.member(name, this.#cluster, attemptLimit));
  }

  /** Every acknowledged write is there, and all members hold the same. */
  async check(cluster = this.#cluster): Promise<void> {
    const members = (await this.#world.get(cluster)).status?.members ?? [];
    const clients = members.map(({ name }) => this.#world.member(name, cluster, 10_000));
    try {
      const [first] = clients;
      if (!first) throw new Error("no member to check");
      const keys = [...this.acknowledged];
      for (let at = 0; at < keys.length; at += 50)
        await Promise.all(
          keys.slice(at, at + 50).map(async (key) => {
            const value = await first.get(key);
            if (value !== key.split("/")[1]) throw new Error(`acknowledged write ${key} is lost: ${value}`);
          }),
        );
      await sameHash(clients);
    } finally {
      for (const client of clients) client.close();
    }
  }
}

/** The hash of all keys up to one revision is the same on all members. */
async function sameHash(clients: readonly EtcdClient[]): Promise<void> {
  const revision = (await clients[0]?.revision()) ?? 0;
  // A linearizable read on each brings it to that revision first.
  const hashes = await Promise.all(
    clients.map(async (client) => {
      await client.revision();
      return (await client.hashKV(revision)).hash;
    }),
  );
  if (new Set(hashes).size !== 1)
    throw new Error(`members differ at revision ${revision}: ${hashes.join(", ")}`);
}

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
