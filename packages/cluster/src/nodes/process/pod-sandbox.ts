// The place of a pod: a process that holds its network, its host name and its memory shared between processes. It reads from a
// pipe of the cluster, and ends with it.
import { type ChildProcess, spawn } from "node:child_process";
import type { Pod } from "@kubewright/api";
import { gateway, podRange } from "./agent/messages.js";
import type { Isolation } from "./machine.js";
import type { NodeNetwork } from "./node-network.js";

/** Says its number, waits until its device is there, and then for its end. */
const script = (ip: string | undefined): string => `
read -r pid rest < /proc/self/stat
hostname "$HOSTNAME" 2>/dev/null || echo "$HOSTNAME" > /proc/sys/kernel/hostname || true
echo "$pid"
read -r go
if [ -n "$ADDRESS" ]; then
  ${ip} -batch - <<END || exit 1
link set lo up
link set eth0 up
addr add $ADDRESS/32 dev eth0
route add ${podRange} dev eth0
route add default via ${gateway} dev eth0 onlink
END
fi
echo ready
read -r end
`;

export class PodSandbox {
  /** The number that this machine knows its process by. */
  readonly pid: number;
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;

  private constructor(process: ChildProcess, pid: number) {
    this.#process = process;
    this.pid = pid;
    this.#ended = new Promise((resolve) => {
      if (process.exitCode !== null || process.signalCode !== null) resolve();
      else process.once("exit", () => resolve());
    });
  }

  static async open(
    pod: Pod,
    podIP: string,
    isolation: Isolation,
    network: NodeNetwork,
  ): Promise<PodSandbox> {
    const { tools } = isolation;
    const hasNetwork = pod.spec?.hostNetwork !== true && isolation.network === "bridge";
    const own = [...(hasNetwork ? ["--net"] : []), "--uts", "--ipc"];
    const args = [
      ...network.enter(["--net", "--pid"]),
      "--",
      tools.unshare,
      ...own,
      "--",
      tools.sh,
      "-c",
      script(tools.ip),
    ];
    const hostname = (pod.spec?.hostname ?? pod.metadata?.name ?? "").slice(0, 63).replace(/[^a-z0-9]+$/, "");
    const child = spawn(tools.nsenter, args, {
      stdio: ["pipe", "pipe", "pipe"],
      env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", HOSTNAME: hostname, ADDRESS: hasNetwork ? podIP : "" },
    });
    child.stdin.on("error", () => undefined);
    const lines = new Lines(child);
    try {
      const sandbox = new PodSandbox(child, Number(await lines.next()));
      if (hasNetwork) await network.plug(sandbox.pid);
      child.stdin.write("go\n");
      if ((await lines.next()) !== "ready") throw new Error("the place of the pod could not be made");
      return sandbox;
    } catch (error) {
      child.stdin.destroy();
      child.kill("SIGKILL");
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#process.stdin?.destroy();
    try {
      process.kill(this.pid, "SIGKILL");
    } catch {
      // It ended by itself.
    }
    await this.#ended;
  }
}

/** The lines that a program writes. */
class Lines {
  readonly #lines: string[] = [];
  #problem = "";
  #isOver = false;
  #wake: () => void = () => undefined;

  constructor(child: ChildProcess) {
    let rest = "";
    child.stdout?.on("data", (chunk) => {
      const parts = `${rest}${chunk}`.split("\n");
      rest = parts.pop() ?? "";
      this.#lines.push(...parts);
      this.#wake();
    });
    child.stderr?.on("data", (chunk) => {
      this.#problem = `${this.#problem}${chunk}`.slice(-1000);
    });
    const end = (): void => {
      this.#isOver = true;
      this.#wake();
    };
    child.once("close", end);
    child.once("error", end);
  }

  async next(): Promise<string> {
    for (;;) {
      const line = this.#lines.shift();
      if (line !== undefined) return line;
      if (this.#isOver) throw new Error(`the place of the pod could not be made: ${this.#problem.trim()}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
