// What clients want of a running pod, answered by its node: logs, programs, ports.
import { ApiError, type Clock, type Container, type TransportResponse, type Upgrade } from "@kubewright/api";
import type { PodConnection } from "@kubewright/apiserver";
import type { CachedClient } from "@kubewright/runtime";
import type { ContainerRuntime } from "./container-runtime.js";
import { podLog } from "./pod-log.js";
import { channelProtocols } from "./streaming/channels.js";
import { ContainerFiles } from "./streaming/container-files.js";
import { serveExec } from "./streaming/exec-stream.js";
import { servePorts } from "./streaming/port-stream.js";

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
  if (connection.action === "portforward" && runtime.connect)
    return upgraded(connection, () => ports(connection, means));
  if ((connection.action === "exec" || connection.action === "attach") && runtime.exec) {
    const container = runningContainer(connection);
    return upgraded(connection, () => program(connection, container, means));
  }
  return undefined;
}

/** Agrees on a protocol. */
function upgraded({ request }: PodConnection, serve: () => Upgrade["serve"]): TransportResponse {
  const wanted = request.headers?.["upgrade"]?.toLowerCase() ?? "";
  if (wanted.startsWith("spdy"))
    throw bad("SPDY is not spoken here: use a client that speaks WebSocket, such as kubectl 1.31 or later");
  if (wanted !== "websocket") throw bad("Upgrade request required");
  const offered = (request.headers?.["sec-websocket-protocol"] ?? "").split(",").map((each) => each.trim());
  const protocol = channelProtocols.find((each) => offered.includes(each));
  if (protocol === undefined)
    throw bad(`none of the subprotocols offered is spoken here; there are: ${channelProtocols.join(", ")}`);
  return { status: 101, headers: {}, body: { kind: "empty" }, upgrade: { protocol, serve: serve() } };
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

function ports({ pod, request }: PodConnection, { runtime }: ConnectionMeans): Upgrade["serve"] {
  const wanted = (request.query?.getAll("ports") ?? []).flatMap((text) => text.split(",")).map(Number);
  if (wanted.length === 0) throw bad('query parameter "ports" is required');
  if (wanted.some((port) => !Number.isInteger(port) || port < 1 || port > 65_535))
    throw bad('query parameter "ports" must be numbers from 1 to 65535');
  return (socket) =>
    servePorts(socket, wanted, async (connection) => runtime.connect?.({ ...connection, pod }));
}
