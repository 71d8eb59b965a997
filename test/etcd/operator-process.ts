// The operator as a process of its own, which is killed with SIGKILL.
import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundleProgram } from "../bundle.js";
import type { EtcdWorld } from "./etcd-world.js";

export class OperatorProcess {
  readonly #program: string;
  readonly #kubeconfig: string;
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  kills = 0;

  private constructor(program: string, kubeconfig: string) {
    this.#program = program;
    this.#kubeconfig = kubeconfig;
  }

  static async of(world: EtcdWorld): Promise<OperatorProcess> {
    const kubeconfig = join(world.folder, "kubeconfig");
    writeFileSync(kubeconfig, world.nodes.endpoint.kubeconfig);
    return new OperatorProcess(await bundleProgram("test/etcd/operator-main.ts", world.folder), kubeconfig);
  }

  start(): void {
    const child = spawn(process.execPath, [this.#program, "--kubeconfig", this.#kubeconfig], {
      stdio: "ignore",
      env: { ...process.env, ENABLE_WEBHOOKS: "false", OPERATOR_IMAGE: "etcd-operator:test" },
    });
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once("exit", () => resolve()));
  }

  async kill(): Promise<void> {
    this.#child?.kill("SIGKILL");
    await this.#ended;
    this.#child = undefined;
    this.kills += 1;
  }

  /** Lives a little longer each time it is killed, until the work is done. */
  async killUntil(done: Promise<unknown>): Promise<void> {
    let isOver = false;
    const over = done.finally(() => {
      isOver = true;
    });
    over.catch(() => undefined);
    for (let life = 1_500; !isOver; life += 400) {
      this.start();
      await Promise.race([over.catch(() => undefined), new Promise((resolve) => setTimeout(resolve, life))]);
      await this.kill();
    }
    await over;
  }
}
