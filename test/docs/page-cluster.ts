// The cluster on which the commands of pages are run with kubectl, and the operators that pages start with the `kubewright` command: here
// they start in this process.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Cluster, startCluster } from "@kubewright/cluster";
import {
  customKindsOf,
  type ManagerDefinition,
  type RunningManager,
  startManager,
} from "@kubewright/runtime";
import { installKinds } from "../../packages/cli/src/run/install-kinds.js";
import { checkOutput, PageRunner, type Step } from "./page-runner.js";

export class PageCluster {
  readonly cluster: Cluster;
  readonly kubeconfig: string;
  readonly terminal = new PageRunner();

  private constructor(cluster: Cluster, kubeconfig: string) {
    this.cluster = cluster;
    this.kubeconfig = kubeconfig;
  }

  static async start(): Promise<PageCluster> {
    const cluster = await startCluster();
    const { kubeconfig } = await cluster.listen();
    return new PageCluster(cluster, kubeconfig);
  }

  /** Does what `kubewright dev` does in a folder: writes the kubeconfig, installs the CRDs and starts the operator. */
  async dev(definition: ManagerDefinition, folder: string): Promise<RunningManager> {
    mkdirSync(join(folder, ".kubewright"), { recursive: true });
    writeFileSync(join(folder, ".kubewright/kubeconfig"), this.kubeconfig);
    const { client } = this.cluster;
    await installKinds(client, customKindsOf(definition));
    return startManager(definition, { client, webhooks: { mode: "url", port: 0 } });
  }

  /** Runs a command of a page, and compares what it prints. */
  async walk(step: Step): Promise<void> {
    checkOutput(step, await this.terminal.run(step.command));
  }

  async close(): Promise<void> {
    await this.terminal.close();
    await this.cluster.close();
  }
}
