// The port of kubelets: logs, programs and ports of pods for the API server, as the kubelets of Kubernetes serve them. One port serves
// every node of this process.
import { ApiError, type Pod, type TransportRequest, type TransportResponse } from "@kubewright/api";
import type { KeyPair } from "@kubewright/api/x509";
import { type Listener, listen, type Peer, type PodConnection } from "@kubewright/apiserver";
import type { KubeletAuth } from "./kubelet-auth.js";

export interface KubeletEndpointOptions {
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly serving: KeyPair;
  /** PEM; who signs certificates of clients. */
  readonly clientAuthority: string;
  readonly auth: KubeletAuth;
  readonly pod: (namespace: string, name: string) => Pod | undefined;
  readonly connect: (connection: PodConnection) => Promise<TransportResponse | undefined>;
}

const actions = { containerLogs: "log", exec: "exec", attach: "attach", portForward: "portforward" } as const;

/** The kubelet's names of the API's parameters. */
const parameters: Readonly<Record<string, string>> = { input: "stdin", output: "stdout", error: "stderr" };

export function openKubeletEndpoint(options: KubeletEndpointOptions): Promise<Listener> {
  return listen((request, peer) => answer(request, peer, options).catch(refusal), options);
}

async function answer(
  request: TransportRequest,
  peer: Peer,
  { auth, pod: find, connect }: KubeletEndpointOptions,
): Promise<TransportResponse> {
  if (request.path === "/healthz") return text(200, "ok");
  await auth.check(request, peer);
  const [, what = "", namespace = "", name = "", container] = request.path.split("/").map(decodeURIComponent);
  const action = Object.hasOwn(actions, what) ? actions[what as keyof typeof actions] : undefined;
  if (!action) throw failure(404, `404 page not found: ${request.path}`);
  const pod = find(namespace, name);
  if (!pod) throw failure(404, `pod "${name}_${namespace}" not found`);
  const connection = {
    pod,
    nodeName: pod.spec?.nodeName ?? "",
    action,
    container: container || pod.spec?.containers[0]?.name,
    path: undefined,
    request: Object.assign(Object.create(request), { query: translated(request.query) }) as TransportRequest,
  };
  const found = await connect(connection);
  if (!found) throw failure(404, `pod "${name}_${namespace}" is not on a node of this kubelet`);
  return found;
}

function translated(query: URLSearchParams | undefined): URLSearchParams {
  const found = new URLSearchParams();
  for (const [name, value] of query ?? []) found.append(parameters[name] ?? name, value);
  return found;
}

const failure = (code: number, message: string): ApiError => new ApiError(message, { code, reason: "" });

/** Kubelets answer in plain text. */
function refusal(error: unknown): TransportResponse {
  if (error instanceof ApiError) return text(error.code ?? 500, error.message);
  return text(500, error instanceof Error ? error.message : String(error));
}

const text = (status: number, message: string): TransportResponse => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body: { kind: "bytes", bytes: Buffer.from(`${message}\n`) },
});
