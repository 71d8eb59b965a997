// Proxies: passes a request on to a pod, a pod of a Service or a node, and the answer back, as kube-apiserver's proxies do.
import { request as httpRequest } from "node:http";
import { posix } from "node:path";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import { ApiError, type TransportRequest, type TransportResponse } from "@kubewright/api";
import { badRequest, methodNotAllowed } from "@kubewright/kinds";
import { maxBodyBytes } from "@kubewright/machinery";
import { bytesOf } from "../../aggregation/ask-extension.js";
import { exchange } from "../../aggregation/https-extension.js";
import { withoutCredentials } from "../../aggregation/remote-user.js";
import type { RequestContext } from "../../registry/request-context.js";
import type { Subresource } from "../../registry/resource-kind.js";
import { decodedPath, type ResourceRequestInfo } from "../../request/request-info.js";
import { plainFailure } from "../action-body.js";
import type { NodeProxy } from "../connect-pod.js";
import { dialErrorText } from "./dial-error.js";
import { uncompressed, withLinks } from "./proxied-answer.js";
import { hostOf, type LocationFinder, type ProxyLocation } from "./proxy-location.js";

/** The proxy subresource of a kind. Without `nodes` nothing can be reached. */
export const proxySubresource = (
  find: LocationFinder,
  nodes: NodeProxy | undefined,
): Pick<Subresource, "respond"> => ({
  respond: async (context) => {
    const { info } = context;
    if (info.kind !== "resource" || info.name === undefined) throw methodNotAllowed();
    return proxy(context, info, find(context, info.namespace, info.name), nodes);
  },
});

async function proxy(
  context: RequestContext,
  info: ResourceRequestInfo,
  location: ProxyLocation,
  nodes: NodeProxy | undefined,
): Promise<TransportResponse> {
  const { request } = context;
  const requested = decodedPath(request.path);
  const path = locationPath(info.subpath, requested);
  const isUpgrade = /(?:^|,)\s*upgrade\s*(?:,|$)/i.test(request.headers?.["connection"] ?? "");
  if (!isUpgrade && path === "" && (request.method === "GET" || request.method === "HEAD"))
    return redirect(request);
  const links = {
    prefix: withoutEnd(requested, path),
    host: hostOf(location),
    requestHost: request.headers?.["host"] ?? "",
  };
  const forwarded = forwardedRequest(context, { path, prefix: links.prefix, isUpgrade });
  try {
    const asked = isUpgrade ? forwarded : askingForGzip(forwarded);
    const answer = await send(location, asked, nodes);
    if (!isUpgrade) return await withLinks(asked === forwarded ? answer : uncompressed(answer), links);
    if (answer.status !== 101 && answer.status < 400)
      throw plainFailure(`invalid upgrade response: status code ${answer.status}`);
    return answer;
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const text = dialErrorText(error, location);
    if (isUpgrade) throw plainFailure(`error dialing backend: ${text}`);
    const message = `error trying to reach service: ${text}`;
    throw new ApiError(message, { code: 503, reason: "ServiceUnavailable", cause: error });
  }
}

/** The path behind the proxy, clean; a slash at the end of the request's path is kept. */
function locationPath(subpath: string | undefined, requested: string): string {
  const asked = `${subpath === undefined ? "" : `/${subpath}`}${requested.endsWith("/") ? "/" : ""}`;
  if (asked === "") return "";
  const clean = posix.join("/", asked);
  return asked.endsWith("/") && !clean.endsWith("/") ? `${clean}/` : clean;
}

/** Pages without a slash at the end would take their relative links for those of the API. */
function redirect({ path, query }: TransportRequest): TransportResponse {
  const search = query?.size ? `?${query}` : "";
  return { status: 301, headers: { location: `${path}/${search}` }, body: { kind: "empty" } };
}

const withoutEnd = (path: string, end: string): string =>
  path.endsWith(end) ? path.slice(0, path.length - end.length) : path;

/** The request as it is passed on: without credentials, with the X-Forwarded headers. Upgrades come without their query. */
function forwardedRequest(
  { request, clientAddress }: RequestContext,
  { path, prefix, isUpgrade }: { path: string; prefix: string; isUpgrade: boolean },
): TransportRequest {
  const { headers = {}, body } = request;
  const bytes = bytesOf(body);
  if (bytes && bytes.length > maxBodyBytes)
    throw new ApiError(`Request entity too large: limit is ${maxBodyBytes}`, {
      code: 413,
      reason: "RequestEntityTooLarge",
    });
  const escaped = escapePath(path === "" ? "/" : path);
  const uri = posix.join(prefix, escaped);
  const before = headers["x-forwarded-for"];
  const forwardedFor = [before, clientAddress].filter((each) => each !== undefined).join(", ");
  const kept: Record<string, string> = {
    ...withoutCredentials(headers),
    ...(headers["host"] === undefined ? {} : { host: headers["host"] }),
    ...(forwardedFor === "" ? {} : { "x-forwarded-for": forwardedFor }),
  };
  const more: Record<string, string> = isUpgrade
    ? { connection: "Upgrade", upgrade: headers["upgrade"] ?? "", ...goUserAgent(headers) }
    : { "x-forwarded-uri": escaped.endsWith("/") && !uri.endsWith("/") ? `${uri}/` : uri };
  return {
    method: request.method,
    path: escaped,
    query: isUpgrade ? undefined : request.query,
    headers: { ...kept, ...more },
    body: bytes && { kind: "bytes", bytes },
    signal: request.signal,
  };
}

/** Go names itself in upgrades of clients that do not say who they are. */
const goUserAgent = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  headers["user-agent"] === undefined ? { "user-agent": "Go-http-client/1.1" } : {};

/** As Go's client does for requests that ask for no encoding themselves: answers come compressed, and are passed on as they were. */
function askingForGzip(request: TransportRequest): TransportRequest {
  const { headers = {}, method } = request;
  if (headers["accept-encoding"] !== undefined || headers["range"] !== undefined || method === "HEAD")
    return request;
  return { ...request, headers: { ...headers, "accept-encoding": "gzip" } };
}

/** A path as Go writes it in a URL. */
const escapePath = (path: string): string =>
  encodeURI(path).replace(/[!'()*#?]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

async function send(
  location: ProxyLocation,
  request: TransportRequest,
  nodes: NodeProxy | undefined,
): Promise<TransportResponse> {
  const { to, nodeName } = location;
  if (to.kind === "kubelet") {
    const answer = await nodes?.kubelet?.(nodeName, request);
    if (answer) return answer;
    throw refused();
  }
  const socket = await dial(location, nodes, request.signal);
  const search = request.query?.toString() ?? "";
  const bytes = bytesOf(request.body);
  return exchange(
    httpRequest,
    {
      createConnection: () =>
        location.scheme === "https" ? connectTls({ socket, rejectUnauthorized: false }) : socket,
      path: search === "" ? request.path : `${request.path}?${search}`,
      method: request.method,
      headers: { ...request.headers, ...(bytes ? { "content-length": bytes.length } : {}) },
      signal: request.signal,
    },
    bytes,
  );
}

async function dial(
  { address, port, scheme, nodeName, to }: ProxyLocation,
  nodes: NodeProxy | undefined,
  signal: AbortSignal | undefined,
): Promise<Duplex> {
  const number = port === "" ? (scheme === "https" ? 443 : 80) : Number(port);
  if (!Number.isInteger(number)) throw badRequest(`invalid port "${port}"`);
  if (number < 0 || number > 65_535) throw new Error(`dial tcp: address ${port}: invalid port`);
  const pod = to.kind === "pod" ? to.pod : undefined;
  const socket = await nodes?.dial?.({ nodeName, address, port: number, pod, signal });
  if (!socket) throw refused();
  return socket;
}

const refused = (): Error => Object.assign(new Error("connection refused"), { code: "ECONNREFUSED" });
