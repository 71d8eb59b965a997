import { readFileSync } from "node:fs";
import type { Taint } from "@kubewright/api";
import { clientFromKubeConfig, type KubeConfig, loadKubeConfig } from "@kubewright/client";
import { type NodeSpec, parseRules, startNodes } from "@kubewright/cluster";
import { withRemedy } from "../cluster-commands/remedies.js";
import { defineCommand, UsageError } from "../command.js";
import { untilInterrupted } from "../interrupt.js";
import { numberOf, pathOf } from "./option-values.js";

/** `kubewright nodes`: simulated nodes for any cluster, in the foreground. */
export const nodesCommand = defineCommand({
  example: "kubewright nodes --count 100 --zones a,b,c --taints simulated=true:NoSchedule",
  options: {
    kubeconfig: {
      type: "string",
      value: "FILE",
      description: "the kubeconfig to use (default: as kubectl does)",
    },
    context: {
      type: "string",
      value: "NAME",
      description: "the context to use (default: the current context)",
    },
    count: {
      type: "string",
      value: "N",
      description: "how many nodes to create (default: 1); 0 with --selector to create none",
    },
    "name-prefix": {
      type: "string",
      value: "TEXT",
      description: "the prefix of their names (default: simulated)",
    },
    zones: { type: "string", value: "LIST", description: "the zones to spread them over" },
    labels: { type: "string", value: "K=V,…", description: "the labels of the nodes" },
    taints: {
      type: "string",
      value: "K=V:EFFECT,…",
      description: "the taints of the nodes, which keep other pods away",
    },
    capacity: {
      type: "string",
      value: "R=Q,…",
      description: "the capacity of each node (default: cpu=32,memory=256Gi,pods=110)",
    },
    selector: {
      type: "string",
      value: "SELECTOR",
      description: "also simulate existing nodes, as in kubectl get -l",
    },
    manager: {
      type: "string",
      value: "NAME",
      description: "the name of this command among several (default: kubewright)",
    },
    rules: {
      type: "string",
      value: "FILE",
      description: "rules for the behaviour of simulated pods and nodes",
    },
    "kubelet-address": {
      type: "string",
      value: "IP",
      description: "the address at which the API server reaches logs and exec (default: 127.0.0.1)",
    },
    "kubelet-port": {
      type: "string",
      value: "P",
      description: "the port for logs and exec (default: a free port)",
    },
    "anonymous-auth": { type: "boolean", description: "answer API servers without a client certificate" },
    keep: { type: "boolean", description: "keep the nodes on exit" },
  },
  async run({ values }) {
    const config = await loadKubeConfig({
      path: values.kubeconfig,
      context: values.context,
      env: process.env,
    });
    const count = numberOf(values.count, "count", 10_000) ?? 1;
    const client = clientFor(config);
    const address = values["kubelet-address"] ?? "127.0.0.1";
    const started = Date.now();
    const file = pathOf(values.rules);
    const nodes = await startNodes({
      client,
      actAs: (user, groups) => clientFor(config, { user, groups }),
      nodes: specsOf(count, values),
      selector: values.selector,
      name: values.manager,
      rules: file === undefined ? [] : parseRules(readFileSync(file, "utf8"), file),
      kubelet: {
        host: address === "127.0.0.1" ? address : "0.0.0.0",
        address,
        port: numberOf(values["kubelet-port"], "kubelet-port", 65_535),
        anonymous: values["anonymous-auth"],
      },
      onError: (where, error) =>
        process.stderr.write(`${where}: ${error instanceof Error ? error.message : String(error)}\n`),
    }).catch((error: unknown) => {
      throw withRemedy(error);
    });
    if (nodes.certificateProblem !== undefined)
      process.stderr.write(`the certificate of the kubelet is its own: ${nodes.certificateProblem}\n`);
    const interrupted = untilInterrupted();
    process.stdout.write(
      `${nodes.size} nodes ready after ${((Date.now() - started) / 1000).toFixed(1)} s, kubelet at ${nodes.kubeletUrl}\n`,
    );
    await interrupted;
    await nodes.close({ remove: values.keep !== true });
    await client.close();
    process.stdout.write("\nstopped\n");
    return 0;
  },
});

/** A client, as another user where one is named. */
function clientFor(
  config: KubeConfig,
  impersonate?: { readonly user: string; readonly groups: readonly string[] },
) {
  const options = { userAgent: "kubewright-nodes", fieldManager: "kubelet" };
  const name = config.contexts.get(config.currentContext ?? "")?.user ?? "";
  if (!impersonate) return clientFromKubeConfig(config, options);
  const users = new Map(config.users).set(name, { ...config.users.get(name), impersonate });
  return clientFromKubeConfig({ ...config, users }, options);
}

function specsOf(
  count: number,
  values: Partial<Record<"name-prefix" | "zones" | "labels" | "taints" | "capacity", string | undefined>>,
): readonly NodeSpec[] {
  const zones = listOf(values.zones);
  const labels = pairsOf(values.labels, "labels");
  const taints = taintsOf(values.taints);
  const capacity = pairsOf(values.capacity, "capacity");
  const prefix = values["name-prefix"] ?? "simulated";
  return Array.from({ length: count }, (_, at) => ({
    name: `${prefix}-${at + 1}`,
    labels,
    taints,
    capacity,
    ...(zones.length > 0 ? { zone: zones[at % zones.length] } : {}),
  }));
}

const listOf = (text = ""): string[] =>
  text
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");

function pairsOf(text: string | undefined, option: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    listOf(text).map((each) => {
      const at = each.indexOf("=");
      if (at < 1) throw new UsageError(`--${option} ${each}: must be NAME=VALUE`);
      return [each.slice(0, at), each.slice(at + 1)];
    }),
  );
}

function taintsOf(text: string | undefined): readonly Taint[] {
  return listOf(text).map((each) => {
    const [, key, value, effect] =
      /^([^=:]+)(?:=([^:]*))?:(NoSchedule|PreferNoSchedule|NoExecute)$/.exec(each) ?? [];
    if (key === undefined || effect === undefined)
      throw new UsageError(`--taints ${each}: must be KEY=VALUE:NoSchedule, PreferNoSchedule or NoExecute`);
    return { key, ...(value === undefined ? {} : { value }), effect } as Taint;
  });
}
