// Authentication: the client certificate, else the bearer token, else the anonymous user.

import type { TransportRequest } from "@kubewright/api";
import { anonymous, type UserInfo, unauthorized } from "@kubewright/kinds";

import { apiAudiences, authenticated, InvalidToken, type TokenIdentity } from "./token-authenticator.js";

/** The client as its connection identifies it. */
export interface Peer {
  /** The client certificate: its common name is the user, its organizations the groups; `untrusted` when no known CA signed it. */
  readonly certificate?: PeerCertificate | "untrusted" | undefined;
  /** The caller is in this process and was given this identity. */
  readonly user?: UserInfo | undefined;
  /** The listener did not read the body, because access was denied by the headers alone. */
  readonly isBodyUnread?: boolean | undefined;
  /** Where the connection comes from. */
  readonly address?: string | undefined;
}

export interface PeerCertificate {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** SHA-256 of the certificate, in hexadecimal. */
  readonly fingerprint?: string | undefined;
}

/** The user of a request. A bad token is refused; no credentials at all is the anonymous user. */
export function authenticate(
  request: TransportRequest,
  peer: Peer,
  tokens: (token: string, audiences: readonly string[]) => TokenIdentity,
  onStale?: (late: string) => void,
): UserInfo {
  if (peer.user) return peer.user;
  const { certificate } = peer;
  if (certificate && certificate !== "untrusted") return certificateUser(certificate);
  const token = bearerToken(request.headers) ?? webSocketToken(request.headers);
  if (token === undefined && certificate) throw unauthorized();
  if (token === undefined) return anonymous;
  try {
    const { user, stale } = tokens(token, apiAudiences);
    if (stale !== undefined) onStale?.(stale);
    return user;
  } catch (error) {
    throw error instanceof InvalidToken ? unauthorized() : error;
  }
}

function certificateUser({ commonName, organizations, fingerprint }: PeerCertificate): UserInfo {
  const id = fingerprint === undefined ? undefined : `X509SHA256=${fingerprint}`;
  return authenticated({
    name: commonName,
    groups: organizations,
    ...(id === undefined ? {} : { extra: { "authentication.kubernetes.io/credential-id": [id] } }),
  });
}

type Headers = TransportRequest["headers"];

/** The second word of `Authorization: Bearer …`. */
function bearerToken(headers: Headers): string | undefined {
  const [scheme, token] = (headers?.["authorization"] ?? "").trim().split(" ");
  return scheme?.toLowerCase() === "bearer" && token ? token : undefined;
}

const protocolPrefix = "base64url.bearer.authorization.k8s.io.";

/** Browsers cannot set headers on a web socket: there the token comes as a protocol. */
function webSocketToken(headers: Headers): string | undefined {
  if (headers?.["upgrade"]?.toLowerCase() !== "websocket") return undefined;
  const protocols = (headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  const encoded = protocols.find((name) => name.startsWith(protocolPrefix));
  return encoded && Buffer.from(encoded.slice(protocolPrefix.length), "base64url").toString();
}

/** The authentication methods that an unauthenticated request attempted, worded as in kube-apiserver's audit events. */
export function attempted(request: TransportRequest, { certificate }: Peer): string {
  const authorization = (request.headers?.["authorization"] ?? "").trim();
  const [scheme = "", ...rest] = authorization.split(" ");
  const methods = [
    ...(["basic", "bearer"].includes(scheme.toLowerCase()) && rest.length > 0 ? [scheme.toLowerCase()] : []),
    ...(request.query?.get("access_token")?.trim() ? ["access_token"] : []),
    ...(certificate ? ["x509"] : []),
  ];
  return methods.length > 0
    ? `Authentication failed, attempted: ${methods.join(", ")}`
    : "Authentication failed, no credentials provided";
}
