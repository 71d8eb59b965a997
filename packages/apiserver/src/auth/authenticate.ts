// Who is asking: a chain of authenticators, the first that recognises the request decides.
import type { TransportRequest } from "@kubewright/api";
import { unauthorized } from "../request/failures.js";
import { anonymous, type UserInfo } from "../request/user.js";

/** What the connection itself proves. */
export interface Peer {
  /** A verified client certificate: its common name is the user, its organizations the groups. */
  readonly certificate?:
    | { readonly commonName: string; readonly organizations: readonly string[] }
    | undefined;
  /** The caller is in this process and was given this identity. */
  readonly user?: UserInfo | undefined;
}

/** Returns the user a bearer token stands for; undefined when it is not one of its own. Throws for its own that are bad. */
export type TokenAuthenticator = (token: string) => UserInfo | undefined | Promise<UserInfo | undefined>;

/** The user of a request. A bad token is refused; no credentials at all is the anonymous user. */
export async function authenticate(
  request: TransportRequest,
  peer: Peer,
  tokens: readonly TokenAuthenticator[],
): Promise<UserInfo> {
  if (peer.user) return peer.user;
  const token = bearerToken(request.headers?.["authorization"]);
  if (token !== undefined) {
    for (const authenticator of tokens) {
      const user = await authenticator(token);
      if (user) return authenticated(user);
    }
    throw unauthorized();
  }
  if (peer.certificate) {
    const { commonName, organizations } = peer.certificate;
    return authenticated({ name: commonName, groups: organizations });
  }
  return anonymous;
}

function bearerToken(header: string | undefined): string | undefined {
  const match = /^bearer\s+(\S+)\s*$/i.exec(header ?? "");
  return match?.[1];
}

const authenticated = (user: UserInfo): UserInfo =>
  user.groups.includes("system:authenticated")
    ? user
    : { ...user, groups: [...user.groups, "system:authenticated"] };

/** Tokens known from the start. */
export function staticTokens(users: ReadonlyMap<string, UserInfo>): TokenAuthenticator {
  return (token) => users.get(token);
}
