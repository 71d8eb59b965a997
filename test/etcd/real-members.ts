// Members of real etcd that are started and stopped one by one, without a cluster of Kubernetes.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EtcdClient } from "../../operators/etcd/src/client/etcd-client.js";
import { NetworkEtcd } from "../../operators/etcd/src/client/network-etcd.js";
import { freePort } from "../free-port.js";
import { tryUntil } from "../try-until.js";
import { program } from "./etcd-binaries.js";

export type Start = "seed" | "join" | "guarded" | "recover";

/** Members that can be started and stopped one by one. */
export interface Members {
  peerURL(name: string): Promise<string>;
  /** Starts a member; it may refuse to, and then answers nobody. */
  start(name: string, how: Start): Promise<EtcdClient>;
  /** Ends its process; its data stays. With SIGTERM it writes first how much of its log it knows to be agreed on. */
  stop(name: string, signal?: "SIGTERM"): Promise<void>;
  wipe(name: string): Promise<void>;
  close(): Promise<void>;
}

export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

export function flagsFor(name: string, own: string, how: Start, peers: string): readonly string[] {
  if (how === "guarded")
    return ["--initial-cluster=no-data=http://127.0.0.1:1", "--initial-cluster-state=existing"];
  if (how === "join") return [`--initial-cluster=${peers}`, "--initial-cluster-state=existing"];
  const flags = [`--initial-cluster=${name}=${own}`, "--initial-cluster-state=new"];
  return how === "recover" ? [...flags, "--force-new-cluster=true"] : flags;
}

/** Members that are processes of this machine. */
export class RealMembers implements Members {
  readonly #version: string;
  readonly #folder = mkdtempSync(join(tmpdir(), "kubewright-etcd-contract-"));
  readonly #ports = new Map<string, { client: number; peer: number }>();
  readonly #running = new Map<string, { kill(signal: NodeJS.Signals): Promise<void> }>();
  readonly #clients: NetworkEtcd[] = [];
  readonly #advertised = new Map<string, string>();

  constructor(version: string) {
    this.#version = version;
  }

  async peerURL(name: string): Promise<string> {
    return this.#advertised.get(name) ?? `http://127.0.0.1:${await this.peerPort(name)}`;
  }

  async peerPort(name: string): Promise<number> {
    return (await this.#portsOf(name)).peer;
  }

  /** Others find a member at this address, instead of where it listens. */
  advertise(name: string, url: string): void {
    this.#advertised.set(name, url);
  }

  async start(name: string, how: Start): Promise<EtcdClient> {
    const ports = await this.#portsOf(name);
    const own = await this.peerURL(name);
    const known = await Promise.all(
      [...this.#ports.keys()].map(async (each) => `${each}=${await this.peerURL(each)}`),
    );
    const peers = known.join(",");
    const url = `http://127.0.0.1:${ports.client}`;
    const child = spawn(
      program(this.#version, "etcd"),
      [
        `--name=${name}`,
        `--data-dir=${this.#folder}/${name}`,
        `--listen-client-urls=${url}`,
        `--advertise-client-urls=${url}`,
        `--listen-peer-urls=http://127.0.0.1:${ports.peer}`,
        `--initial-advertise-peer-urls=${own}`,
        "--heartbeat-interval=50",
        "--election-timeout=500",
        "--log-level=error",
        "--logger=zap",
        ...flagsFor(name, own, how, peers),
      ],
      { stdio: "ignore" },
    );
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    this.#running.set(name, {
      kill: (signal) => {
        child.kill(signal);
        return ended;
      },
    });
    const client = new NetworkEtcd(
      {
        what: name,
        open: () =>
          new Promise((resolve, reject) => {
            const socket = connect(ports.client, "127.0.0.1");
            socket.once("connect", () => resolve(socket)).once("error", reject);
          }),
        clientPort: ports.client,
        metricsPort: ports.client,
      },
      { call: 2_000, defragment: 10_000, snapshot: 10_000 },
    );
    this.#clients.push(client);
    const end = Date.now() + 8_000;
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    while (!isOver && Date.now() < end && !(await client.status().catch(() => undefined))) await sleep(50);
    return client;
  }

  async stop(name: string, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    await this.#running.get(name)?.kill(signal);
    this.#running.delete(name);
  }

  async wipe(name: string): Promise<void> {
    rmSync(join(this.#folder, name), { recursive: true, force: true });
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.close();
    await Promise.all([...this.#running.values()].map((running) => running.kill("SIGKILL")));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #portsOf(name: string): Promise<{ client: number; peer: number }> {
    const known = this.#ports.get(name);
    if (known) return known;
    const made = { client: await freePort(), peer: await freePort() };
    this.#ports.set(name, made);
    return made;
  }
}

/** Tries until it works: real clusters elect, and check connections for five seconds before they change their members. */
export const eventually = <T>(work: () => Promise<T>, timeout = 12_000): Promise<T> =>
  tryUntil(work, timeout, 50);
