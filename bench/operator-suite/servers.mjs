// The server that a benchmark runs against: where it is, how its CPU is read, and how it is closed.
import { readFileSync } from "node:fs";
import { loadKubeConfig } from "@kubewright/client";
import { ask, end, next, start } from "./processes.mjs";

/** An embedded API server in a process of its own. */
export async function embeddedServer(file) {
  const child = start(file);
  const where = await next(child);
  return {
    title: "an embedded API server",
    where,
    cpu: () => ask(child, "cpu"),
    memory: () => ask(child, "memory"),
    close: () => end(child),
  };
}

/** The cluster of KUBECONFIG; its own CPU is not ours to read. */
export async function kubeconfigServer() {
  const file = process.env.KUBECONFIG;
  if (!file) throw new Error("--server kubeconfig needs KUBECONFIG");
  const { contexts, clusters, users, currentContext } = await loadKubeConfig({ env: process.env });
  const { cluster: clusterName, user: userName } = contexts.get(currentContext);
  const [cluster, user] = [clusters.get(clusterName), users.get(userName)];
  const where = {
    url: cluster.server,
    ca: pem(cluster.ca),
    token: user.token,
    cert: pem(user.cert),
    key: pem(user.key),
    kubeconfig: readFileSync(file, "utf8"),
  };
  return {
    title: "the API server of KUBECONFIG",
    where,
    cpu: async () => undefined,
    close: async () => {},
  };
}

function pem(value) {
  return value && (value.data ?? readFileSync(value.path, "utf8"));
}
