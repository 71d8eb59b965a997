// The connections of clients to a running pod, served by its node: logs, exec and attach, forwarded ports.
import { ApiError, type Clock, type Container, type TransportResponse, type Upgrade } from "@kubewright/api";
import type { PodConnection } from "@kubewright/apiserver";
import type { ContainerRuntime } from "./container-runtime.js";
import { podLog } from "./pod-log.js";
import { channelProtocols, version4, version4Base64 } from "./streaming/channels.js";
import { type ExecConnection, type ExecStreams, serveExec } from "./streaming/exec-stream.js";
import { type PortConnection, servePorts } from "./streaming/port-stream.js";
import { serveSpdyExec, spdyExecProtocol } from "./streaming/spdy/spdy-exec.js";
import { serveSpdyPorts, spdyPortProtocol } from "./streaming/spdy/spdy-ports.js";

/** The context in which a node serves a connection to a pod. */
export interface ConnectionContext {
  readonly runtime: ContainerRuntime;
  readonly clock: Clock;
}

/** Answers; undefined for what the node cannot do. */
export async function podConnection(
  connection: PodConnection,
  context: ConnectionContext,
): Promise<TransportResponse | undefined> {
  const { runtime, clock } = context;
  if (connection.action === "log") return podLog(connection, runtime, clock);
  if (connection.action === "portforward" && runtime.connect) return forwarded(connection, context);
  if ((connection.action === "exec" || connection.action === "attach") && runtime.exec) {
    const container = runningContainer(connection);
    const { streams, run } = program(connection, container, context);
    return agreed(connection, {
      webSocket: new Map(
        channelProtocols.map((each) => [each.name, (socket) => serveExec(socket, streams, each, run)]),
      ),
      spdy: new Map([[spdyExecProtocol, (socket) => serveSpdyExec(socket, streams, run)]]),
    });
  }
  return undefined;
}

type Serve = Upgrade["serve"];

/** The supported protocols by name, the preferred one first. */
interface Protocols {
  readonly webSocket: ReadonlyMap<string, Serve>;
  readonly spdy: ReadonlyMap<string, Serve>;
}

/** Agrees on one of the protocols. */
function agreed({ request }: PodConnection, { webSocket, spdy }: Protocols): TransportResponse {
  const wanted = request.headers?.["upgrade"]?.toLowerCase() ?? "";
  if (wanted === "spdy/3.1") {
    const offered = namesIn(request.headers?.["x-stream-protocol-version"]);
    return chosen(spdy, offered, "SPDY/3.1") ?? refuseProtocols(offered, spdy);
  }
  if (wanted !== "websocket") throw bad("Upgrade request required");
  const answer = chosen(webSocket, namesIn(request.headers?.["sec-websocket-protocol"]), undefined);
  if (answer) return answer;
  const known = [...webSocket.keys()].filter((name) => name !== "").join(", ");
  throw new ApiError(`none of the subprotocols offered is spoken here; there are: ${known}`, {
    code: 403,
    reason: "Forbidden",
  });
}

/** The newest version is chosen wherever it is offered; of others, the one that the client names first. */
function chosen(
  protocols: ReadonlyMap<string, Serve>,
  offered: readonly string[],
  as: Upgrade["as"],
): TransportResponse | undefined {
  const [newest] = protocols.keys();
  const protocol = offered.find((name) => name === newest) ?? offered.find((name) => protocols.has(name));
  const serve = protocol === undefined ? undefined : protocols.get(protocol);
  if (protocol === undefined || !serve) return undefined;
  return { status: 101, headers: {}, body: { kind: "empty" }, upgrade: { as, protocol, serve } };
}

function refuseProtocols(offered: readonly string[], protocols: ReadonlyMap<string, Serve>): never {
  const list = (names: Iterable<string>): string => `[${[...names].join(" ")}]`;
  throw new ApiError(
    `unable to upgrade: unable to negotiate protocol: client supports ${list(offered)}, server accepts ${list(protocols.keys())}`,
    { code: 403, reason: "Forbidden" },
  );
}

const namesIn = (header: string | undefined): readonly string[] =>
  (header ?? "").split(",").map((each) => each.trim());

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
  { runtime }: ConnectionContext,
): { readonly streams: ExecStreams; readonly run: (connection: ExecConnection) => Promise<number> } {
  const query = request.query ?? new URLSearchParams();
  const flag = (name: string): boolean => query.get(name) === "true" || query.get(name) === "1";
  const streams = { stdin: flag("stdin"), stdout: flag("stdout"), stderr: flag("stderr"), tty: flag("tty") };
  const command = action === "exec" ? query.getAll("command") : [];
  const run = async (connection: ExecConnection): Promise<number> =>
    runtime.exec?.({ ...connection, pod, container: container.name, command }) ?? 1;
  return { streams, run };
}

function forwarded(connection: PodConnection, { runtime }: ConnectionContext): TransportResponse {
  const { pod, request } = connection;
  const serve = async (port: PortConnection): Promise<void> => runtime.connect?.({ ...port, pod });
  const wanted = (request.query?.getAll("ports") ?? []).flatMap((text) => text.split(",")).map(Number);
  const overSpdy: Serve = (socket) => serveSpdyPorts(socket, serve);
  const webSocket = new Map<string, Serve>([[`SPDY/3.1+${spdyPortProtocol}`, overSpdy]]);
  if (wanted.some((port) => !Number.isInteger(port) || port < 1 || port > 65_535))
    throw bad('query parameter "ports" must be numbers from 1 to 65535');
  // The channel protocol has the ports in its request, SPDY in its streams.
  if (wanted.length > 0)
    for (const protocol of [version4, version4Base64, { ...version4, name: "" }])
      webSocket.set(protocol.name, (socket) => servePorts(socket, wanted, protocol, serve));
  return agreed(connection, { webSocket, spdy: new Map([[spdyPortProtocol, overSpdy]]) });
}
