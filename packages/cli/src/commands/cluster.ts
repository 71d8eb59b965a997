import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ConfigError, dashboardUserAgent } from "@kubewright/client";
import {
  AuditPolicyError,
  type Cluster,
  type ClusterOptions,
  clusterControls,
  type Endpoint,
  JournalError,
  KubeconfigFile,
  type ListenOptions,
  parseFeatureGates,
  parseRules,
  type Rule,
  ServiceRangeError,
  startCluster,
  type TornTail,
  UnknownControllerError,
} from "@kubewright/cluster";
import type { ProcessRuntime } from "@kubewright/cluster/process";
import type { Dashboard } from "@kubewright/dashboard";
import { defineCommand, UsageError, type ValuesOf } from "../command.js";
import { untilInterrupted } from "../interrupt.js";
import { openDashboard } from "../run/open-dashboard.js";
import { answerRotationRequests } from "../run/rotation-request.js";
import { shellWord } from "../shell-word.js";
import { auditWebhookOf } from "./audit-webhook.js";
import { type ClusterFlags, clusterOptions } from "./cluster-options.js";
import { durationOf, numberOf, pathOf, type Value } from "./option-values.js";

/** `kubewright cluster`: the embedded cluster in the foreground. */
export const clusterCommand = defineCommand({
  example: "kubewright cluster --kubeconfig ./kubeconfig & kubectl --kubeconfig ./kubeconfig get namespaces",
  options: clusterOptions,
  async run({ values }) {
    const file = await KubeconfigFile.reserve(resolve(values.kubeconfig ?? ".kubewright/kubeconfig"), {
      orAnother: values.kubeconfig === undefined,
    });
    const port = numberOf(values["port"], "port", 65_535) ?? 0;
    const dataDir = pathOf(values["data-dir"]);
    const disk = diskFailure();
    const runtime = await runtimeOf(values, dataDir);
    const cluster = await start({
      runtime,
      nodes: numberOf(values["nodes"], "nodes", 1000),
      controllers: controllersOf(values["controllers"]),
      dataDir,
      defaultStorageClass: values["default-storage-class"],
      manifests: pathOf(values["manifests"]),
      rules: rulesOf(pathOf(values["rules"])),
      disableAdmission: namesOf(values["disable-admission"]),
      featureGates: gatesOf(namesOf(values["feature-gates"])),
      serviceRanges: rangesOf(values["service-cluster-ip-range"]),
      auditLog: pathOf(values["audit-log"]),
      auditPolicy: pathOf(values["audit-policy"]),
      auditLogLimits: limitsOf(values),
      auditWebhook: auditWebhookOf(values),
      shutdownDelay: durationOf(values["shutdown-delay-duration"], "shutdown-delay-duration", { zero: true }),
      compactionInterval: durationOf(values["compaction-interval"], "compaction-interval", { zero: true }),
      eventTtl: durationOf(values["event-ttl"], "event-ttl"),
      onError: disk.onError,
    });
    if (cluster.torn) process.stderr.write(`${tornText(cluster.torn)}\n`);
    const endpoint = await listen(cluster, file, {
      port,
      sendRetryAfter: values["shutdown-send-retry-after"],
    });
    const interrupted = untilInterrupted(); // from before anybody can know that it is ready
    for (const line of runtime?.isolation ?? []) process.stdout.write(`process nodes: ${line}\n`);
    process.stdout.write(`cluster ready at ${endpoint.url}\nexport KUBECONFIG=${shellWord(file.path)}\n`);
    const dashboard = values.dashboard ? await dashboardOf(cluster, endpoint) : undefined;
    if (dashboard) process.stdout.write(`dashboard at ${dashboard.url}\n`);
    const unanswer =
      dataDir === undefined
        ? undefined
        : answerRotationRequests(dataDir, (request) => cluster.rotate(request));
    const failed = await Promise.race([interrupted, disk.failed]);
    unanswer?.();
    await dashboard?.close();
    await cluster.close();
    file.remove();
    if (failed) throw failed;
    process.stdout.write("\nstopped\n"); // On a line of its own: the terminal shows ^C where the cursor is.
    return 0;
  },
});

function dashboardOf(cluster: Cluster, { url }: Endpoint): Promise<Dashboard> {
  const client = cluster.connect({ userAgent: dashboardUserAgent });
  return openDashboard({ client, server: url, controls: clusterControls(cluster) });
}

/** Process nodes are loaded only where they are asked for. */
async function runtimeOf(
  { runtime, images }: ValuesOf<ClusterFlags>,
  dataDir: string | undefined,
): Promise<ProcessRuntime | undefined> {
  if (runtime !== "process") {
    if (images !== undefined) throw new UsageError("--images needs --runtime process");
    return undefined;
  }
  const { parseImageMap, ProcessRuntime } = await import("@kubewright/cluster/process");
  const file = pathOf(images);
  try {
    return new ProcessRuntime({
      path: process.env["PATH"],
      images: file === undefined ? [] : parseImageMap(readFileSync(file, "utf8"), file),
      volumes: dataDir === undefined ? undefined : join(dataDir, "process-volumes"),
    });
  } catch (error) {
    throw new UsageError(`--images: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A cluster whose disk fails cannot go on; failures of other kinds it retries by itself. */
function diskFailure(): { failed: Promise<Error>; onError(where: string, error: unknown): void } {
  let fail: (error: Error) => void;
  const failed = new Promise<Error>((resolve) => {
    fail = resolve;
  });
  const onError = (where: string, error: unknown): void => {
    if (error instanceof JournalError) fail(error);
    else if (where === "data directory" || where.startsWith("audit "))
      process.stderr.write(`${where}: ${error instanceof Error ? error.message : error}\n`);
  };
  return { failed, onError };
}

const tornText = ({ file, offset, bytes }: TornTail): string =>
  `${file}: the last write was not finished and never acknowledged; ${bytes} bytes from offset ${offset} on were removed`;

/** A cluster that cannot be reached is not left running. */
async function listen(
  cluster: Cluster,
  file: KubeconfigFile,
  options: ListenOptions & { port: number },
): Promise<Endpoint> {
  const { port } = options;
  try {
    const endpoint = await cluster.listen({ ...options, onKubeconfig: (text) => file.write(text) });
    file.write(endpoint.kubeconfig);
    return endpoint;
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
    if (error instanceof ServiceRangeError)
      throw new UsageError(`--service-cluster-ip-range: ${error.message}`);
    if (error instanceof ConfigError) throw new UsageError(`--audit-webhook-config-file: ${error.message}`);
    if (error instanceof AuditPolicyError) throw new UsageError(`--audit-policy: ${error.message}`);
    throw error;
  }
}

function gatesOf(settings: readonly string[]): ClusterOptions["featureGates"] {
  try {
    return parseFeatureGates(settings);
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`--feature-gates: ${error.message}`);
    throw error;
  }
}

function rangesOf(value: Value): readonly string[] | undefined {
  const ranges = namesOf(value);
  return ranges.length > 0 ? ranges : undefined;
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

/** As kube-apiserver takes them: megabytes, files and days, of which 0 is no limit, and for the size the usual one. */
function limitsOf(values: ValuesOf<ClusterFlags>): ClusterOptions["auditLogLimits"] {
  const number = (name: "audit-log-maxsize" | "audit-log-maxbackup" | "audit-log-maxage") =>
    numberOf(values[name], name, 1_000_000) || undefined;
  const [megabytes, maxBackups, days] = [
    number("audit-log-maxsize"),
    number("audit-log-maxbackup"),
    number("audit-log-maxage"),
  ];
  return {
    maxBytes: megabytes && megabytes * 1024 * 1024,
    maxBackups,
    maxAge: days && days * 24 * 60 * 60 * 1000,
  };
}

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
