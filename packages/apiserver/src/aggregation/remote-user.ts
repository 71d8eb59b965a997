// Request headers that carry the user to an aggregated API server, which trusts them by the proxy's client certificate.

import type { TransportRequest } from "@kubewright/api";
import type { UserInfo } from "@kubewright/kinds";

type Headers = NonNullable<TransportRequest["headers"]>;

/** Headers that must not be forwarded: credentials, impersonation and user headers, and hop-by-hop headers. */
const dropped =
  /^(authorization|x-remote-|impersonate-|host$|connection$|keep-alive$|proxy-|te$|trailer$|transfer-encoding$|upgrade$|content-length$|expect$)/;

/** The user that checks availability and reads discovery. */
export const aggregatorUser: UserInfo = { name: "system:kube-aggregator", groups: ["system:masters"] };

/** The headers of a request, as the server behind gets them. Several values of one header come as a list. */
export function forwardedHeaders(headers: Headers, user: UserInfo): Record<string, string | string[]> {
  return { ...withoutCredentials(headers), ...userHeaders(user) };
}

/** The headers that may be forwarded to somebody else. */
export function withoutCredentials(headers: Headers): Record<string, string> {
  const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !dropped.test(name)));
  const { "sec-websocket-protocol": protocols, ...rest } = kept;
  if (protocols === undefined) return rest;
  // Browsers cannot set headers of WebSockets, so their token comes as the name of a protocol.
  const spoken = protocols.split(",").filter((name) => !name.trim().startsWith(tokenProtocol));
  return spoken.length === 0 ? rest : { ...rest, "sec-websocket-protocol": spoken.join(",").trim() };
}

const tokenProtocol = "base64url.bearer.authorization.k8s.io.";

function userHeaders({ name, uid, groups, extra = {} }: UserInfo): Record<string, string | string[]> {
  const more = Object.entries(extra).map(([key, values]) => [
    `x-remote-extra-${escapedKey(key)}`,
    [...values],
  ]);
  return {
    "x-remote-user": name,
    ...(uid ? { "x-remote-uid": uid } : {}),
    ...(groups.length > 0 ? { "x-remote-group": [...groups] } : {}),
    ...Object.fromEntries(more),
  };
}

/** Names of extra fields may hold what names of headers may not. */
const escapedKey = (key: string): string =>
  key.replace(/[^!#$&'*+\-.^_`|~0-9A-Za-z]/gu, (character) => encodeURIComponent(character));
