import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import {
  type Cluster,
  type ClusterOptions,
  type Endpoint,
  parseRules,
  type Rule,
  startCluster,
  UnknownControllerError,
} from "@kubewright/cluster";
import { defineCommand, UsageError } from "../command.js";
import { untilInterrupted } from "../interrupt.js";

/** `kubewright cluster`: the embedded cluster in the foreground. */
export const clusterCommand = defineCommand({
  example: "kubewright cluster --kubeconfig ./kubeconfig & kubectl --kubeconfig ./kubeconfig get namespaces",
  options: {
    port: { type: "string", value: "P", description: "TLS port on 127.0.0.1 (a free one)" },
    kubeconfig: {
      type: "string",
      value: "FILE",
      description: "where to write the kubeconfig (.kubewright/kubeconfig)",
    },
    nodes: { type: "string", value: "N", description: "simulated nodes (1)" },
    controllers: {
      type: "string",
      value: "LIST",
      description: "all, none, or names: a,b or -c to leave one out (all)",
    },
    "data-dir": {
      type: "string",
      value: "DIR",
      description: "keep the state in this folder from one run to the next (nowhere)",
    },
    manifests: { type: "string", value: "PATH", description: "a file or folder of YAML to begin with" },
    rules: {
      type: "string",
      value: "FILE",
      description: "what becomes of simulated pods and nodes (nothing)",
    },
    "disable-admission": { type: "string", value: "A,B", description: "admission plugins to leave out" },
  },
  async run({ values }) {
    const file = resolve(String(values["kubeconfig"] ?? ".kubewright/kubeconfig"));
    const port = numberOf(values["port"], "port", 65_535) ?? 0;
    const cluster = await start({
      nodes: numberOf(values["nodes"], "nodes", 1000),
      controllers: controllersOf(values["controllers"]),
      dataDir: pathOf(values["data-dir"]),
      manifests: pathOf(values["manifests"]),
      rules: rulesOf(pathOf(values["rules"])),
      disableAdmission: namesOf(values["disable-admission"]),
    });
    const endpoint = await listen(cluster, port);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, endpoint.kubeconfig, { mode: 0o600 });
    process.stdout.write(`cluster ready at ${endpoint.url}\nexport KUBECONFIG=${file}\n`);
    await untilInterrupted();
    await cluster.close();
    rmSync(file, { force: true });
    return 0;
  },
});

/** A cluster that cannot be reached is not left running. */
async function listen(cluster: Cluster, port: number): Promise<Endpoint> {
  try {
    return await cluster.listen({ port });
  } catch (error) {
    await cluster.close();
    const taken = error instanceof Error && "code" in error && error.code === "EADDRINUSE";
    if (taken) throw new Error(`port ${port} is in use; choose another with --port, or none for a free one`);
    throw error;
  }
}

/** A name that is not known is the caller's mistake. */
async function start(options: ClusterOptions): Promise<Cluster> {
  try {
    return await startCluster(options);
  } catch (error) {
    if (error instanceof UnknownControllerError) throw new UsageError(`--controllers: ${error.message}`);
    throw error;
  }
}

/** Rules that cannot be read are the caller's mistake. */
function rulesOf(file: string | undefined): readonly Rule[] {
  if (file === undefined) return [];
  try {
    return parseRules(readFileSync(file, "utf8"), file);
  } catch (error) {
    throw new UsageError(`--rules: ${error instanceof Error ? error.message : String(error)}`);
  }
}

type Value = string | boolean | undefined;

function numberOf(value: Value, option: string, most: number): number | undefined {
  if (value === undefined) return undefined;
  const number = Number(value);
  if (value !== "" && Number.isInteger(number) && number >= 0 && number <= most) return number;
  throw new UsageError(`--${option} ${value}: a number from 0 to ${most} is needed`);
}

const pathOf = (value: Value): string | undefined =>
  typeof value === "string" && value !== "" ? resolve(value) : undefined;

const namesOf = (value: Value): string[] =>
  String(value ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");

function controllersOf(value: Value): "all" | "none" | readonly string[] {
  const names = namesOf(value);
  if (names.length === 0 || value === "all") return "all";
  return value === "none" ? "none" : names;
}
