// The parts of this machine that all process nodes of a cluster share: how pods are kept apart, the folder they work in, their
// network, and what limits their memory.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { PodNode, RuntimeEnvironment } from "../container-runtime.js";
import type { NameTable } from "./agent/messages.js";
import { ClusterNetwork } from "./cluster-network.js";
import { findRootEntries, type RootEntry } from "./container-root.js";
import { findIsolation, type Isolation, type IsolationOptions } from "./machine.js";
import { findMemoryControl, type MemoryControl } from "./memory-limit.js";
import { mapAddresses, type NetworkTables } from "./network-tables.js";
import { NodeNetwork } from "./node-network.js";
import { StateDirectory } from "./state-directory.js";

export interface NodeMachineOptions extends IsolationOptions {
  /** The program that runs in the network of the nodes. Default: the one of this package. */
  readonly agent?: string | undefined;
}

export class NodeMachine {
  readonly environment: RuntimeEnvironment;
  readonly isolation: Isolation;
  /** What is at the root of this machine. */
  readonly entries: readonly RootEntry[];
  readonly state: StateDirectory;
  readonly memory: MemoryControl;
  readonly network: NodeNetwork;
  readonly cluster: ClusterNetwork;
  readonly #onNames: () => void;
  #names: NameTable | undefined;
  /** Settles when the network follows the tables sent last. */
  #applied: Promise<void> = Promise.resolve();
  #nextId = 0;

  private constructor(
    parts: Pick<NodeMachine, "environment" | "isolation" | "entries" | "state" | "memory" | "network">,
    onNames: () => void,
  ) {
    this.environment = parts.environment;
    this.isolation = parts.isolation;
    this.entries = parts.entries;
    this.state = parts.state;
    this.memory = parts.memory;
    this.network = parts.network;
    this.#onNames = onNames;
    const { pool, clock } = parts.environment;
    this.cluster = new ClusterNetwork(pool, clock, (tables) => this.#update(tables));
  }

  /** Throws a ProcessNodesError where this machine cannot have process nodes; `onNames` is called when the hosts files of pods are to change. */
  static async open(
    environment: RuntimeEnvironment,
    options: NodeMachineOptions,
    onNames: () => void,
  ): Promise<NodeMachine> {
    const { report } = environment;
    const isolation = await findIsolation(options);
    const state = new StateDirectory();
    try {
      const entries = await findRootEntries(isolation, join(state.path, "root"));
      const memory = findMemoryControl(state.id);
      if (memory.version !== 0) state.noteGroup(memory.parent);
      const network = await NodeNetwork.open(isolation, options.agent ?? agentScript(), {
        onEnd: (why) => report("process nodes", new Error(why)),
        report: (line) => report("process nodes", new Error(line)),
      });
      return new NodeMachine({ environment, isolation, entries, state, memory, network }, onNames);
    } catch (error) {
      state.remove();
      throw error;
    }
  }

  /** How pods are kept apart here, one property a line. */
  describe(): readonly string[] {
    const { isolation, memory, entries } = this;
    const bare = entries
      .filter(({ link, isLayered }) => link === undefined && !isLayered)
      .map(({ name }) => `/${name}`);
    return [
      `privileges: ${isolation.userNamespace ? "a user namespace of this user" : "root"}`,
      ...networkLines(isolation),
      `files: layers in memory over the folders of this machine${bare.length > 0 ? `, except ${bare.join(", ")}` : ""}`,
      memory.version === 0
        ? `memory limits: not enforced (${memory.why})`
        : `memory limits: control groups, version ${memory.version}`,
      `other users (runAsUser): ${isolation.otherUsers ? "yes" : "no, needs root"}`,
    ];
  }

  /** The names of the cluster for hosts files; undefined where a name server answers for them. */
  get names(): NameTable | undefined {
    return this.isolation.network === "loopback" ? this.#names : undefined;
  }

  /** The node of a pod with the addresses that programs of the pod can use. */
  asSeenInside(node: PodNode): PodNode {
    const { network } = this;
    return { ...node, podIP: network.addressOf(node.podIP), hostIP: network.addressOf(node.hostIP) };
  }

  /** Resolves when the network has every Service that the API shows now; rejects when there is no network any more. */
  async networkReady(): Promise<void> {
    await this.cluster.current();
    await this.#applied;
  }

  /** A number that nothing else here has. */
  nextId(): number {
    return this.#nextId++;
  }

  async close(): Promise<void> {
    await this.cluster.close();
    await this.network.close();
    this.state.remove();
  }

  #update(tables: NetworkTables): void {
    const { ports, names } = mapAddresses(tables, (address) => this.network.addressOf(address));
    this.#names = names;
    this.#applied = this.network.update(ports, names);
    // Who waits for it learns of a failure; nobody may wait.
    this.#applied.catch(() => undefined);
    if (this.isolation.network === "loopback") this.#onNames();
  }
}

function networkLines({ network, noBridge }: Isolation): readonly string[] {
  if (network === "bridge")
    return ["namespaces: mount, pid, uts, ipc, net (pods on a bridge in a network namespace of the nodes)"];
  return [
    `namespaces: mount, pid, uts, ipc; no net${noBridge === undefined ? "" : ` (${noBridge})`}`,
    "network: that of this machine; every pod has a loopback address, which its address in the API stands for. A program that listens at all addresses takes its port from every other pod: let it listen at $(POD_IP)",
  ];
}

/** Beside this file where everything is one bundle, else the one of the package. */
function agentScript(): string {
  const beside = fileURLToPath(new URL("./process-agent.js", import.meta.url));
  return existsSync(beside)
    ? beside
    : createRequire(import.meta.url).resolve("@kubewright/cluster/process-agent");
}
