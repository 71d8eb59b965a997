// What clients want of a running pod, answered by its node: logs, programs, ports.
import { ApiError, type Clock, type Container, type TransportResponse, type Upgrade } from "@kubewright/api";
import type { PodConnection } from "@kubewright/apiserver";
import type { CachedClient } from "@kubewright/runtime";
import type { ContainerRuntime } from "./container-runtime.js";
import { podLog } from "./pod-log.js";
import { channelProtocols } from "./streaming/channels.js";
import { ContainerFiles } from "./streaming/container-files.js";
import { serveExec } from "./streaming/exec-stream.js";
import { type PortConnection, servePorts } from "./streaming/port-stream.js";
import { serveSpdyPorts, spdyPortProtocol } from "./streaming/spdy/spdy-ports.js";

/** What the node answers with. */
export interface ConnectionMeans {
  readonly runtime: ContainerRuntime;
  readonly clock: Clock;
  readonly client: CachedClient;
}

/** Answers; undefined for what the node cannot do. */
export async function podConnection(
  connection: PodConnection,
  means: ConnectionMeans,
): Promise<TransportResponse | undefined> {
  const { runtime, clock } = means;
  if (connection.action === "log") return podLog(connection, runtime, clock);
  if (connection.action === "portforward" && runtime.connect) return forwarded(connection, means);
  if ((connection.action === "exec" || connection.action === "attach") && runtime.exec) {
    const container = runningContainer(connection);
    const serve = program(connection, container, means);
    return agreed(connection, new Map(channelProtocols.map((each) => [each, serve])));
  }
  return undefined;
}

/** Agrees on one of the protocols, by its name. */
function agreed(
  { request }: PodConnection,
  protocols: ReadonlyMap<string, Upgrade["serve"]>,
): TransportResponse {
  const wanted = request.headers?.["upgrade"]?.toLowerCase() ?? "";
  if (wanted.startsWith("spdy"))
    throw bad(
      "SPDY is spoken here only inside of a WebSocket: use a client that speaks WebSocket, such as kubectl 1.31 or later",
    );
  if (wanted !== "websocket") throw bad("Upgrade request required");
  const offered = (request.headers?.["sec-websocket-protocol"] ?? "").split(",").map((each) => each.trim());
  for (const [protocol, serve] of protocols)
    if (offered.includes(protocol))
      return { status: 101, headers: {}, body: { kind: "empty" }, upgrade: { protocol, serve } };
  const known = [...protocols.keys()].join(", ");
  throw bad(`none of the subprotocols offered is spoken here; there are: ${known}`);
}

const bad = (message: string): ApiError => new ApiError(message, { code: 400, reason: "BadRequest" });

function runningContainer({ pod, container: wanted }: PodConnection): Container {
  const { spec, status } = pod;
  const all = [
    ...(spec?.containers ?? []),
    ...(spec?.initContainers ?? []),
    ...(spec?.ephemeralContainers ?? []),
  ];
  const statuses = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []),
    ...(status?.ephemeralContainerStatuses ?? []),
  ];
  const found = all.find(({ name }) => name === wanted);
  if (found && statuses.some(({ name, state }) => name === wanted && state?.running)) return found;
  throw new ApiError(`unable to upgrade connection: container not found ("${wanted}")`, {
    code: 500,
    reason: "InternalError",
  });
}

function program(
  { pod, action, request }: PodConnection,
  container: Container,
  { runtime, client }: ConnectionMeans,
): Upgrade["serve"] {
  const query = request.query ?? new URLSearchParams();
  const flag = (name: string): boolean => query.get(name) === "true" || query.get(name) === "1";
  const streams = { stdin: flag("stdin"), stdout: flag("stdout"), stderr: flag("stderr"), tty: flag("tty") };
  const files = new ContainerFiles(client, pod, container);
  return (socket) =>
    serveExec(socket, streams, async (connection) => {
      const call = {
        ...connection,
        pod,
        container: container.name,
        command: action === "exec" ? query.getAll("command") : [],
        environment: () => files.environment(),
        readFile: (path: string) => files.readFile(path),
        listFiles: (path: string) => files.listFiles(path),
      };
      return runtime.exec ? runtime.exec(call) : 1;
    });
}

function forwarded(connection: PodConnection, { runtime }: ConnectionMeans): TransportResponse {
  const { pod, request } = connection;
  const serve = async (port: PortConnection): Promise<void> => runtime.connect?.({ ...port, pod });
  const wanted = (request.query?.getAll("ports") ?? []).flatMap((text) => text.split(",")).map(Number);
  const protocols = new Map<string, Upgrade["serve"]>([
    [spdyPortProtocol, (socket) => serveSpdyPorts(socket, serve)],
  ]);
  if (wanted.some((port) => !Number.isInteger(port) || port < 1 || port > 65_535))
    throw bad('query parameter "ports" must be numbers from 1 to 65535');
  // The channel protocol has the ports in its request, SPDY in its streams.
  if (wanted.length > 0)
    for (const protocol of channelProtocols)
      protocols.set(protocol, (socket) => servePorts(socket, wanted, serve));
  return agreed(connection, protocols);
}
