/** The contents of a kubeconfig. */
export interface KubeconfigOptions {
  readonly server: string;
  /** PEM. */
  readonly authority: string;
  readonly token: string;
}

/** A kubeconfig with one context, named `kubewright`. */
export function kubeconfig({ server, authority, token }: KubeconfigOptions): string {
  const name = "kubewright";
  const quoted = (text: string): string => JSON.stringify(text);
  return `apiVersion: v1
kind: Config
current-context: ${name}
clusters:
  - name: ${name}
    cluster:
      server: ${quoted(server)}
      certificate-authority-data: ${Buffer.from(authority).toString("base64")}
users:
  - name: admin
    user:
      token: ${quoted(token)}
contexts:
  - name: ${name}
    context:
      cluster: ${name}
      user: admin
      namespace: default
`;
}
