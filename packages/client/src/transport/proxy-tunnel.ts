// A tunnel through the proxy that `proxy-url` names: CONNECT for http and https proxies, SOCKS version 5 for socks5.
// The proxy's own user and password stand in its URL and never in a message.
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { ConnectionError } from "../connection-error.js";
import { type Address, readFrom, ready } from "./socket-ready.js";

/** Opens a connection to `address` through the proxy. */
export async function openTunnel(
  cluster: string,
  proxy: URL,
  address: Address,
  limit: number,
): Promise<Socket> {
  const socket = await connectProxy(cluster, proxy, limit).catch((error: Error) => {
    const message = `${cluster}: cannot connect to the proxy ${proxy.host}; check proxy-url`;
    throw new ConnectionError(message, "proxy", { cause: error });
  });
  try {
    await (proxy.protocol.startsWith("socks5") ? socksTunnel : httpTunnel)(
      cluster,
      socket,
      proxy,
      address,
      limit,
    );
    return socket;
  } catch (error) {
    socket.destroy();
    if (error instanceof ConnectionError) throw error;
    throw new ConnectionError(`${cluster}: the proxy ${proxy.host} closed the connection`, "proxy", {
      cause: error,
    });
  }
}

function connectProxy(cluster: string, proxy: URL, limit: number): Promise<Socket> {
  const host = proxy.hostname.replace(/^\[|\]$/g, "");
  const secure = proxy.protocol === "https:";
  const port = Number(proxy.port) || (proxy.protocol.startsWith("socks5") ? 1080 : secure ? 443 : 80);
  if (!secure) return ready(connectTcp({ host, port, noDelay: true }), "connect", cluster, limit);
  const servername = isIP(host) ? "" : host;
  return ready(connectTls({ host, port, servername }), "secureConnect", cluster, limit);
}

async function httpTunnel(
  cluster: string,
  socket: Socket,
  proxy: URL,
  to: Address,
  limit: number,
): Promise<void> {
  const authority = `${isIP(to.host) === 6 ? `[${to.host}]` : to.host}:${to.port}`;
  const { user, password } = login(proxy);
  const credentials = Buffer.from(`${user}:${password}`).toString("base64");
  const authorization = user === "" ? "" : `Proxy-Authorization: Basic ${credentials}\r\n`;
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${authorization}\r\n`);
  const status = await readFrom(socket, cluster, limit, (received) => {
    if (!received.includes("\r\n\r\n")) return undefined;
    return Number(/^HTTP\/1\.[01] (\d{3})/.exec(received.toString("latin1"))?.[1] ?? 0);
  });
  if (status >= 200 && status < 300) return;
  const remedy = status === 407 ? "; put a user and a password into proxy-url" : "";
  throw refused(cluster, proxy, to, status === 0 ? "it does not speak HTTP" : `HTTP ${status}${remedy}`);
}

const socksReplies = [
  "",
  "general failure",
  "not allowed",
  "network unreachable",
  "host unreachable",
  "connection refused",
  "expired",
];

async function socksTunnel(
  cluster: string,
  socket: Socket,
  proxy: URL,
  to: Address,
  limit: number,
): Promise<void> {
  const { user, password } = login(proxy);
  const method = user === "" ? 0 : 2;
  socket.write(Buffer.from([5, 1, method]));
  const chosen = await readFrom(socket, cluster, limit, (received) =>
    received.length < 2 ? undefined : received[1],
  );
  if (chosen !== method) throw refused(cluster, proxy, to, "it wants another way to log in");
  if (method === 2) {
    socket.write(Buffer.concat([Buffer.from([1]), counted(user), counted(password)]));
    const failed = await readFrom(socket, cluster, limit, (received) =>
      received.length < 2 ? undefined : received[1],
    );
    if (failed !== 0) throw refused(cluster, proxy, to, "it refused the user or the password");
  }
  const port = Buffer.from([to.port >> 8, to.port & 255]);
  socket.write(Buffer.concat([Buffer.from([5, 1, 0, 3]), counted(to.host), port]));
  const reply = await readFrom(socket, cluster, limit, socksReply);
  if (reply !== 0) throw refused(cluster, proxy, to, socksReplies[reply] ?? `reply ${reply}`);
}

/** The reply code, once the whole reply is there: its length depends on the kind of address in it. */
function socksReply(received: Buffer): number | undefined {
  const kind = received[3];
  if (kind === undefined) return undefined;
  const addressLength = kind === 1 ? 4 : kind === 4 ? 16 : 1 + (received[4] ?? 0);
  return received.length < 6 + addressLength ? undefined : received[1];
}

function counted(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

function login(proxy: URL): { user: string; password: string } {
  return { user: decodeURIComponent(proxy.username), password: decodeURIComponent(proxy.password) };
}

function refused(cluster: string, proxy: URL, to: Address, why: string): ConnectionError {
  return new ConnectionError(
    `${cluster}: the proxy ${proxy.host} would not connect to ${to.host}: ${why}`,
    "proxy",
  );
}
