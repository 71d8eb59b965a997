// The HTTP API of a kubelet: health, the pods of its node, their logs, programs and ports.
import {
  ApiError,
  type Pod,
  stringifyJson,
  type TransportRequest,
  type TransportResponse,
} from "@kubewright/api";
import type { PodConnection } from "@kubewright/apiserver";

/** What a kubelet knows of its pods. */
export interface KubeletPods {
  list(): readonly Pod[];
  get(namespace: string, name: string): Pod | undefined;
  connect(connection: PodConnection): Promise<TransportResponse | undefined>;
}

const actions = { containerLogs: "log", exec: "exec", attach: "attach", portForward: "portforward" } as const;

/** The kubelet's names of the API's parameters. */
const parameters: Readonly<Record<string, string>> = { input: "stdin", output: "stdout", error: "stderr" };

/** Answers a request that was admitted; failures are plain text. */
export async function kubeletApi(request: TransportRequest, pods: KubeletPods): Promise<TransportResponse> {
  try {
    return await answer(request, pods);
  } catch (error) {
    return kubeletRefusal(error);
  }
}

/** Kubelets answer in plain text. */
export function kubeletRefusal(error: unknown): TransportResponse {
  if (error instanceof ApiError) return text(error.code ?? 500, `${error.message}\n`);
  return text(500, `${error instanceof Error ? error.message : String(error)}\n`);
}

async function answer(request: TransportRequest, pods: KubeletPods): Promise<TransportResponse> {
  const [, what = "", ...rest] = request.path.split("/").map(decodeURIComponent);
  if (Object.hasOwn(actions, what))
    return connected(request, actions[what as keyof typeof actions], rest, pods);
  switch (`/${what}${rest.some((part) => part !== "") ? "/" : ""}`) {
    case "/healthz":
      return text(200, "ok");
    case "/pods":
      return podList(pods.list());
    case "/runningpods":
      return podList(pods.list().filter(({ status }) => status?.phase === "Running"));
    case "/logs":
      // The files of a machine's /var/log; simulated machines have none.
      return {
        ...text(200, "<!doctype html>\n<pre>\n</pre>\n"),
        headers: { "content-type": "text/html; charset=utf-8" },
      };
    default:
      return text(404, "404 page not found\n");
  }
}

async function connected(
  request: TransportRequest,
  action: PodConnection["action"],
  [namespace = "", name = "", container]: readonly string[],
  pods: KubeletPods,
): Promise<TransportResponse> {
  const pod = pods.get(namespace, name);
  if (!pod) throw failure(404, `pod "${name}_${namespace}" not found`);
  const found = await pods.connect({
    pod,
    nodeName: pod.spec?.nodeName ?? "",
    action,
    container: container || pod.spec?.containers[0]?.name,
    request: Object.assign(Object.create(request), { query: translated(request.query) }) as TransportRequest,
  });
  if (!found) throw failure(404, `pod "${name}_${namespace}" is not on a node of this kubelet`);
  return found;
}

function translated(query: URLSearchParams | undefined): URLSearchParams {
  const found = new URLSearchParams();
  for (const [name, value] of query ?? []) found.append(parameters[name] ?? name, value);
  return found;
}

const failure = (code: number, message: string): ApiError => new ApiError(message, { code, reason: "" });

const podList = (items: readonly Pod[]): TransportResponse => ({
  status: 200,
  headers: { "content-type": "application/json" },
  body: {
    kind: "bytes",
    bytes: Buffer.from(stringifyJson({ kind: "PodList", apiVersion: "v1", metadata: {}, items })),
  },
});

const text = (status: number, message: string): TransportResponse => ({
  status,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body: { kind: "bytes", bytes: Buffer.from(message) },
});
