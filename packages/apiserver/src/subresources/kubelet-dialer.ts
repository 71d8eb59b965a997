// Reaches kubelets that run in other processes, as kube-apiserver does: at the address and the port that their Node names, over TLS
// with a certificate that the cluster's own CA has signed, and with a certificate of the API server.
import type { Node, TransportRequest, TransportResponse } from "@kubewright/api";
import type { KeyPair } from "@kubewright/api/x509";
import type { RemoteExtension } from "../aggregation/extension-server.js";
import { askRemote } from "../aggregation/https-extension.js";
import type { PodConnection } from "./connect-pod.js";

/** How connections to kubelets are found and authenticated. */
export interface KubeletDialerOptions {
  readonly node: (name: string) => Node | undefined;
  /** The CA that kubelets' certificates are verified with, in PEM. */
  readonly authority: () => string;
  /** What the API server shows. */
  readonly client: () => KeyPair;
}

const paths = { log: "containerLogs", exec: "exec", attach: "attach", portforward: "portForward" } as const;
/** What kubelets call the parameters of the API. */
const parameters: Readonly<Record<string, string>> = { stdin: "input", stdout: "output", stderr: "error" };

/** The answer of the kubelet; undefined when the node names none, or nobody answers there. */
export function dialKubelet(
  { pod, nodeName, action, container, request }: PodConnection,
  options: KubeletDialerOptions,
): Promise<TransportResponse | undefined> {
  const { namespace = "", name = "" } = pod.metadata ?? {};
  const parts = [paths[action], namespace, name, ...(action === "portforward" ? [] : [container ?? ""])];
  const query = new URLSearchParams();
  for (const [key, value] of request.query ?? [])
    if (key !== "container") query.append(parameters[key] ?? key, value);
  const { method, signal } = request;
  const path = `/${parts.map(encodeURIComponent).join("/")}`;
  const headers = upgradeHeaders(request.headers ?? {});
  return askKubelet(nodeName, { method, path, query, headers, signal }, options);
}

/** The answer of a node's kubelet to a request; undefined when the node names none, or nobody answers there. */
export async function askKubelet(
  nodeName: string,
  { method, path, query, headers = {}, body, signal }: TransportRequest,
  options: KubeletDialerOptions,
): Promise<TransportResponse | undefined> {
  const status = options.node(nodeName)?.status;
  const address = status?.addresses?.find(({ type }) => type === "InternalIP")?.address;
  const port = status?.daemonEndpoints?.kubeletEndpoint?.Port;
  if (address === undefined || port === undefined) return undefined;
  const server: RemoteExtension = {
    kind: "address",
    origin: `https://${address}:${port}`,
    serverName: address,
    authority: Buffer.from(options.authority()),
    insecure: false,
  };
  const bytes = body?.kind === "bytes" ? body.bytes : undefined;
  const target = query?.size ? `${path}?${query}` : path;
  try {
    return await askRemote(server, { method, target, headers, body: bytes, signal }, options.client());
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ECONNREFUSED") return undefined;
    throw error;
  }
}

/** What asks for the connection itself; who asks is the API server, so that no credentials go along. */
function upgradeHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) =>
    /^(?:connection|upgrade|sec-websocket-.*|x-stream-protocol-version)$/.test(name),
  );
  return Object.fromEntries(kept);
}
