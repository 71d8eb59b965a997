// Inside a pod the API server's address is in the environment, and a token, its CA and the namespace are mounted
// as files that rotate.
import { readFile } from "node:fs/promises";
import { isIPv6 } from "node:net";
import { join } from "node:path";
import { ConfigError } from "../config-error.js";
import type { Environment, KubeConfig } from "./kubeconfig.js";

const serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Options of connecting with the service account of a pod. */
export interface InClusterOptions {
  readonly env: Environment;
  /** The directory in which the service account is mounted. */
  readonly directory?: string | undefined;
}

/** True when the environment is that of a pod. */
export function isInCluster(env: Environment): boolean {
  return Boolean(env["KUBERNETES_SERVICE_HOST"] && env["KUBERNETES_SERVICE_PORT"]);
}

/** The configuration of the pod this runs in. */
export async function inClusterConfig({
  env,
  directory = serviceAccount,
}: InClusterOptions): Promise<KubeConfig> {
  const host = env["KUBERNETES_SERVICE_HOST"];
  const port = env["KUBERNETES_SERVICE_PORT"];
  if (!host || !port) {
    throw new ConfigError(
      "not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set",
    );
  }
  const name = "in-cluster";
  const namespace = await readFile(join(directory, "namespace"), "utf8").catch(() => "");
  return {
    currentContext: name,
    contexts: new Map([[name, { cluster: name, user: name, namespace: namespace.trim() || undefined }]]),
    clusters: new Map([
      [
        name,
        {
          server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
          ca: { path: join(directory, "ca.crt") },
        },
      ],
    ]),
    users: new Map([[name, { tokenFile: join(directory, "token") }]]),
    files: [directory],
    env,
  };
}
