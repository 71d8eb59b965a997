// Logs and streams of a pod: found out here which container of which node is meant, answered by the node.

import type { Duplex } from "node:stream";
import {
  ApiError,
  type FieldError,
  fieldError,
  type Node,
  type Pod,
  type TransportRequest,
  type TransportResponse,
} from "@kubewright/api";
import {
  badRequest,
  invalid,
  methodNotAllowed,
  negativeText,
  notFound,
  placedContainers,
  podSpecOf,
  storedAs,
} from "@kubewright/kinds";

import type { RequestContext } from "../registry/request-context.js";
import { keyOf, type ResourceKind, type Subresource, subjectOf } from "../registry/resource-kind.js";
import { integerParameter } from "../registry/write-options.js";
import { plainFailure } from "./action-body.js";
import { logForClient } from "./log-websocket.js";

type Action = PodConnection["action"];
const kubeletPort = 10_250;

/** The nodes, as the API server reaches them. */
export interface NodeProxy {
  /** Answers for the pod; undefined when the proxy does not know the node. */
  connect(connection: PodConnection): Promise<TransportResponse | undefined>;
  /** Opens a connection to a port; undefined when there is no way to it. Rejects with the error of the connection. */
  dial?(target: PortTarget): Promise<Duplex | undefined>;
  /** The answer of the node's kubelet to a request; undefined when it cannot be reached. */
  kubelet?(nodeName: string, request: TransportRequest): Promise<TransportResponse | undefined>;
}

/** A port in the network of the cluster. */
export interface PortTarget {
  readonly nodeName: string;
  readonly address: string;
  readonly port: number;
  /** Absent for ports of the node itself. */
  readonly pod: Pod | undefined;
  readonly signal: AbortSignal | undefined;
}

/** A client's request for a log, a stream or a port of a running pod. */
export interface PodConnection {
  readonly pod: Pod;
  readonly nodeName: string;
  readonly action: "log" | "exec" | "attach" | "portforward";
  /** Absent for ports. */
  readonly container: string | undefined;
  readonly request: TransportRequest;
}

/** The subresource of that name. Without `nodes` no node can be reached. */
export const connectPod = (action: Action, nodes: NodeProxy | undefined): Pick<Subresource, "respond"> => ({
  respond: (context, kind) => connect(context, kind, action, nodes),
});

async function connect(
  context: RequestContext,
  kind: ResourceKind,
  action: Action,
  nodes: NodeProxy | undefined,
): Promise<TransportResponse> {
  const { info, request } = context;
  if (info.kind !== "resource" || info.name === undefined) throw methodNotAllowed();
  if (action === "log") checkLogRequest(context, info.name);
  const { name } = info;
  const stored = context.services.storage.get(kind.storage, keyOf(kind, info.namespace, name));
  if (!stored) throw notFound(subjectOf(kind, name));
  const pod = storedAs<Pod>(stored);
  const hasContainer = action === "log" || action === "exec" || action === "attach";
  const container = hasContainer ? containerOf(pod, context.query.get("container") ?? "") : undefined;
  const nodeName = podSpecOf(pod).nodeName ?? "";
  if (nodeName === "") {
    // Nobody has anything to say about a pod that runs nowhere.
    if (action === "log") return { status: 204, headers: {}, body: { kind: "empty" } };
    throw badRequest(`pod ${name} does not have a host assigned`);
  }
  const answer = await nodes?.connect({ pod, nodeName, action, container, request });
  if (!answer) return unreachable(context, { pod, nodeName, action, container });
  return action === "log" ? logForClient(request, answer) : answer;
}

/** The container named, or the only one there is. */
function containerOf(pod: Pod, wanted: string): string {
  const spec = podSpecOf(pod);
  const name = pod.metadata?.name;
  const names = placedContainers(spec, "").map(([container]) => container.name);
  if (wanted !== "") {
    if (!names.includes(wanted)) throw badRequest(`container ${wanted} is not valid for pod ${name}`);
    return wanted;
  }
  const [only, ...more] = spec.containers;
  if (!only) throw badRequest(`a container name must be specified for pod ${name}`);
  if (more.length === 0) return only.name;
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${names.join(" ")}]`);
}

function checkLogRequest({ info, query }: RequestContext, name: string): void {
  if (info.verb !== "get") throw methodNotAllowed();
  const errors = logOptionErrors(query);
  if (errors.length > 0) throw invalid({ group: "", kind: "PodLogOptions" }, name, errors);
}

function logOptionErrors(query: URLSearchParams): FieldError[] {
  const errors: FieldError[] = [];
  const tailLines = integerParameter(query, "tailLines");
  const limitBytes = integerParameter(query, "limitBytes");
  const sinceSeconds = integerParameter(query, "sinceSeconds");
  const stream = query.get("stream");
  if (tailLines !== undefined && tailLines < 0)
    errors.push(fieldError.invalid("tailLines", tailLines, negativeText));
  if (limitBytes !== undefined && limitBytes < 1)
    errors.push(fieldError.invalid("limitBytes", limitBytes, "must be greater than 0"));
  if (sinceSeconds !== undefined && query.get("sinceTime")) {
    const text = "at most one of `sinceTime` or `sinceSeconds` may be specified";
    errors.push(fieldError.forbidden("", text));
  } else if (sinceSeconds !== undefined && sinceSeconds < 1)
    errors.push(fieldError.invalid("sinceSeconds", sinceSeconds, "must be greater than 0"));
  if (stream && !["All", "Stderr", "Stdout"].includes(stream))
    errors.push(fieldError.notSupported("stream", stream, ["All", "Stderr", "Stdout"]));
  return errors;
}

/** kube-apiserver's error when the node does not answer. */
function unreachable(
  context: RequestContext,
  { pod, nodeName, action, container }: Pick<PodConnection, "pod" | "nodeName" | "action" | "container">,
): never {
  const stored = context.services.storage.get("nodes", nodeName);
  if (!stored) throw notFound({ group: "", resource: "nodes", name: nodeName });
  const addresses = storedAs<Node>(stored).status?.addresses ?? [];
  const address = addresses.find(({ type }) => type === "InternalIP") ?? addresses[0];
  if (!address) throw plainFailure("no preferred addresses found; known addresses: []");
  const host = `${address.address}:${kubeletPort}`;
  const refused = `dial tcp ${host}: connect: connection refused`;
  if (action !== "log") {
    throw new ApiError(`error dialing backend: ${refused}`, { code: 500, reason: "InternalError" });
  }
  const { namespace, name } = pod.metadata ?? {};
  throw plainFailure(`Get "https://${host}/containerLogs/${namespace}/${name}/${container}": ${refused}`);
}
