import { stringify } from "yaml";

export interface KubeconfigOptions {
  readonly server: string;
  /** PEM. */
  readonly authority: string;
  readonly token: string;
}

/** A kubeconfig with one context, named `kubewright`. */
export function kubeconfig({ server, authority, token }: KubeconfigOptions): string {
  const name = "kubewright";
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name, cluster: { server, "certificate-authority-data": Buffer.from(authority).toString("base64") } },
    ],
    users: [{ name: "admin", user: { token } }],
    contexts: [{ name, context: { cluster: name, user: "admin", namespace: "default" } }],
    "current-context": name,
  });
}
