// The network of process nodes, seen from the cluster: a namespace of its own in which the agent runs and pods are joined to a
// bridge, or loopback addresses of this machine. All of it is gone when the agent is.
import { type ChildProcess, spawn } from "node:child_process";
import { connect, type Socket } from "node:net";
import type { FromAgent, NameTable, ServicePort, ToAgent } from "./agent/messages.js";
import { LoopbackAddresses } from "./loopback-addresses.js";
import { type Isolation, ProcessNodesError, rootFlags, runTool } from "./machine.js";

/** Something did not work out at a pod's port, with the code that sockets have for it. */
export class ConnectError extends Error {
  override readonly name = "ConnectError";
  readonly code: string | undefined;

  constructor(message: string, code: string | undefined) {
    super(message);
    this.code = code;
  }
}

const agentGone = (): Error => new Error("the agent of the nodes is gone");

/** Connects to an address in the network of the nodes. */
export type Connect = (host: string, port: number) => Promise<Socket>;

export class NodeNetwork {
  /** The number that this machine knows the agent by. */
  readonly pid: number;
  readonly #isolation: Isolation;
  readonly #agent: ChildProcess;
  /** Where pods have no network of their own. */
  readonly #loopback: LoopbackAddresses | undefined;
  readonly #waiting = new Map<number, { resolve(socket: Socket): void; reject(error: Error): void }>();
  /** Tables that the agent has not followed yet. */
  readonly #applying = new Map<number, { resolve(): void; reject(error: Error): void }>();
  readonly #ended: Promise<void>;
  #isClosing = false;
  #nextId = 0;
  #nextPod = 0;

  private constructor(
    isolation: Isolation,
    agent: ChildProcess,
    pid: number,
    loopback: LoopbackAddresses | undefined,
  ) {
    this.#isolation = isolation;
    this.#agent = agent;
    this.pid = pid;
    this.#loopback = loopback;
    this.#ended = new Promise((resolve) => agent.once("exit", () => resolve()));
    agent.on("message", (message: FromAgent, socket: unknown) =>
      this.#receive(message, socket as Socket | undefined),
    );
    agent.once("exit", () => {
      for (const { reject } of [...this.#waiting.values(), ...this.#applying.values()]) reject(agentGone());
      this.#waiting.clear();
      this.#applying.clear();
    });
  }

  /** Makes the namespace and starts the agent in it; `onEnd` is called when it ends by itself. */
  static async open(
    isolation: Isolation,
    script: string,
    { onEnd, report }: { readonly onEnd: (why: string) => void; readonly report: (line: string) => void },
  ): Promise<NodeNetwork> {
    const { tools, userNamespace, network: kind } = isolation;
    const namespaces = [...(kind === "bridge" ? ["--net"] : []), "--pid"];
    const flags = [...rootFlags(userNamespace), ...namespaces, "--fork", "--kill-child", "--"];
    const program = [process.execPath, script, kind, tools.ip ?? "", "kubewright-agent"];
    const agent = spawn(tools.unshare, [...flags, ...program], {
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      env: {},
    });
    let problem = "";
    agent.stderr?.on("data", (chunk) => {
      problem = `${problem}${chunk}`.slice(-2000);
      report(String(chunk).trimEnd());
    });
    const pid = await new Promise<number>((resolve, reject) => {
      agent.once("message", (message: FromAgent) => {
        if (message.kind === "ready") resolve(message.pid);
        else
          reject(
            new ProcessNodesError(`the network of the nodes: ${"message" in message ? message.message : ""}`),
          );
      });
      agent.once("error", reject);
      agent.once("exit", (code) =>
        reject(new ProcessNodesError(`the agent of the nodes ended with ${code}: ${problem.trim()}`)),
      );
    });
    const loopback = kind === "loopback" ? await LoopbackAddresses.claim() : undefined;
    const network = new NodeNetwork(isolation, agent, pid, loopback);
    agent.once("exit", (code, signal) => {
      if (!network.#isClosing) onEnd(`the agent of the nodes ended (${signal ?? code})`);
    });
    return network;
  }

  /** The address at which programs here find what the API shows at an address of a pod, a node or a Service. */
  addressOf(address: string): string {
    return this.#loopback?.of(address) ?? address;
  }

  /** A connection to an address in the network. */
  async connect(host: string, port: number): Promise<Socket> {
    if (!this.#agent.connected) throw agentGone();
    const id = this.#nextId++;
    const found = new Promise<Socket>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#send({ kind: "connect", id, host: this.#loopback?.find(host) ?? host, port });
    return found;
  }

  /** Sets the ports of Services and the names, all at addresses that programs here find them at; resolves when that is done. */
  async update(ports: readonly ServicePort[], names: NameTable): Promise<void> {
    if (!this.#agent.connected) throw agentGone();
    const id = this.#nextId++;
    const applied = new Promise<void>((resolve, reject) => this.#applying.set(id, { resolve, reject }));
    this.#send({ kind: "tables", id, ports, names });
    return applied;
  }

  /** Joins the network namespace of a process to the bridge, where there is one; it finds a device `eth0`. */
  async plug(pid: number): Promise<void> {
    const { tools } = this.#isolation;
    if (this.#loopback || tools.ip === undefined) return;
    const name = `pod${this.#nextPod++}`;
    const commands = `link add ${name} type veth peer name eth0 netns ${pid}\nlink set ${name} master br0 up\n`;
    const { code, stderr } = await runTool(
      tools.nsenter,
      [...this.enter(["--net"]), "--", tools.ip, "-batch", "-"],
      commands,
    );
    if (code !== 0) throw new Error(`network of a pod: ${stderr.trim()}`);
  }

  /** Flags of `nsenter` for namespaces of the agent, or of a pod. */
  enter(namespaces: readonly string[], pid: number = this.pid): readonly string[] {
    // In the user namespace we are root already, so ids are not set again.
    const user = this.#isolation.userNamespace ? ["--user", "--preserve-credentials"] : [];
    const made = this.#loopback ? namespaces.filter((each) => each !== "--net") : namespaces;
    return ["--target", String(pid), ...user, ...made];
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#agent.connected) this.#agent.disconnect();
    this.#agent.kill("SIGKILL");
    try {
      process.kill(this.pid, "SIGKILL");
    } catch {
      // It ended by itself.
    }
    await this.#ended;
    this.#loopback?.close();
  }

  #receive(message: FromAgent, socket: Socket | undefined): void {
    if (message.kind === "connect") {
      this.#reachOutside(message);
      return;
    }
    if (message.kind === "applied") {
      this.#applying.get(message.id)?.resolve();
      this.#applying.delete(message.id);
    }
    if (message.kind !== "connected") return;
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (socket && waiting) waiting.resolve(socket);
    else {
      socket?.destroy();
      waiting?.reject(new ConnectError(message.error ?? "connection lost", message.code));
    }
  }

  /** The agent wants an endpoint outside of the network, as the API server is. */
  #reachOutside({ id, host, port }: Extract<FromAgent, { kind: "connect" }>): void {
    const socket = connect({ host, port });
    // The agent reads from it: nothing may be taken before.
    socket.pause();
    socket.once("error", (error) => this.#send({ kind: "connected", id, error: error.message }));
    socket.once("connect", () => this.#send({ kind: "connected", id }, socket));
  }

  #send(message: ToAgent, socket?: Socket): void {
    if (this.#agent.connected) this.#agent.send(message, socket, {}, () => undefined);
    else socket?.destroy();
  }
}
