// What to do about a cluster that does not do what it is asked.
import { isForbidden, isUnauthorized } from "@kubewright/api";
import { ConfigError, ConnectionError } from "@kubewright/client";

const connectionRemedies: Readonly<Record<string, string>> = {
  refused: "start the cluster, or choose another with --context",
  unreachable: "check the server's address in the kubeconfig, and the network",
  tls: "check certificate-authority-data of the cluster, and the client certificate, in the kubeconfig",
  proxy: "check proxy-url in the kubeconfig and HTTPS_PROXY",
};

/** For the message of an error that comes from asking a cluster; undefined where there is nothing to say. */
export function remedyFor(error: unknown): string | undefined {
  if (error instanceof ConfigError)
    return "kubewright cluster starts a cluster and writes a kubeconfig for it";
  if (error instanceof ConnectionError)
    return connectionRemedies[error.problem] ?? "check that the cluster is up: kubectl version";
  if (isUnauthorized(error)) return "log in again, or fix the user in the kubeconfig";
  if (isForbidden(error)) return "have an administrator grant it, or choose another user with --context";
  return undefined;
}

/** The same error, with what to do about it. */
export function withRemedy(error: unknown): unknown {
  const remedy = remedyFor(error);
  if (remedy === undefined || !(error instanceof Error)) return error;
  return new Error(`${error.message}; ${remedy}`, { cause: error });
}
