// Bearer tokens: who recognises them, and for whom they are meant.

import { aggregateErrors } from "@kubewright/api";
import type { UserInfo } from "@kubewright/kinds";

/** Whom a token stands for, and which of the audiences asked about it is meant for. */
export interface TokenIdentity {
  readonly user: UserInfo;
  readonly audiences: readonly string[];
  /** Whose it is and how late, where it should have been replaced by a newer one. */
  readonly stale?: string | undefined;
}

/** Recognises tokens of its own; undefined for others. Throws InvalidToken for one of its own that is no good. */
export type TokenAuthenticator = (token: string, audiences: readonly string[]) => TokenIdentity | undefined;

/** Nobody vouches for the token. */
export class InvalidToken extends Error {
  override readonly name = "InvalidToken";
}

/** Those who call this server mean it when they say nothing else; also the issuer of its tokens. */
export const serviceAccountIssuer = "https://kubernetes.default.svc";

/** Tokens for the server itself name one of these. */
export const apiAudiences: readonly string[] = [serviceAccountIssuer];

/** The audiences both lists have, in the order they were asked for. */
export const commonAudiences = (offered: readonly string[], asked: readonly string[]): string[] =>
  asked.filter((audience) => offered.includes(audience));

/** Users by bearer token. */
export type TokenLookup = Pick<ReadonlyMap<string, UserInfo>, "get">;

/** Tokens known from the start. They are for this server, and for no one else. */
export function staticTokens(users: TokenLookup): TokenAuthenticator {
  return (token, audiences) => {
    const common = commonAudiences(apiAudiences, audiences);
    const user = common.length === 0 ? undefined : users.get(token);
    return user && { user: authenticated(user), audiences: common };
  };
}

/** Asks one after the other; the first that recognises the token decides. Throws InvalidToken when none does. */
export function anyOf(
  authenticators: readonly TokenAuthenticator[],
): (token: string, audiences: readonly string[]) => TokenIdentity {
  return (token, audiences) => {
    const reasons = ["invalid bearer token"];
    for (const authenticator of authenticators) {
      try {
        const identity = authenticator(token, audiences);
        if (identity) return identity;
      } catch (error) {
        if (!(error instanceof InvalidToken)) throw error;
        reasons.push(error.message);
      }
    }
    throw new InvalidToken(aggregateErrors(reasons));
  };
}

/** The user as a member of all that have proven who they are. */
export const authenticated = (user: UserInfo): UserInfo =>
  user.groups.includes("system:authenticated")
    ? user
    : { ...user, groups: [...user.groups, "system:authenticated"] };
