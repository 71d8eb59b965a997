// Bearer tokens: authenticators, and the audiences of tokens.

import { aggregateErrors } from "@kubewright/api";
import type { UserInfo } from "@kubewright/kinds";

/** The user of a token, and those of the requested audiences that it is valid for. */
export interface TokenIdentity {
  readonly user: UserInfo;
  readonly audiences: readonly string[];
  /** The subject and age of a token that should have been replaced by a newer one. */
  readonly stale?: string | undefined;
}

/** Recognises tokens of its own; undefined for others. Throws InvalidToken for one of its own that is no good. */
export type TokenAuthenticator = (token: string, audiences: readonly string[]) => TokenIdentity | undefined;

/** The token is not valid. */
export class InvalidToken extends Error {
  override readonly name = "InvalidToken";
}

/** The issuer of service account tokens, and the default audience. */
export const serviceAccountIssuer = "https://kubernetes.default.svc";

/** Tokens for the server itself name one of these. */
export const apiAudiences: readonly string[] = [serviceAccountIssuer];

/** The audiences that both lists have, in the order of the second. */
export const commonAudiences = (offered: readonly string[], asked: readonly string[]): string[] =>
  asked.filter((audience) => offered.includes(audience));

/** Users by bearer token. */
export type TokenLookup = Pick<ReadonlyMap<string, UserInfo>, "get">;

/** Authenticates static tokens, whose only audience is this server. */
export function staticTokens(users: TokenLookup): TokenAuthenticator {
  return (token, audiences) => {
    const common = commonAudiences(apiAudiences, audiences);
    const user = common.length === 0 ? undefined : users.get(token);
    return user && { user: authenticated(user), audiences: common };
  };
}

/** Tries one authenticator after the other; the first that recognises the token decides. Throws InvalidToken when none does. */
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

/** The user with the group `system:authenticated`. */
export const authenticated = (user: UserInfo): UserInfo =>
  user.groups.includes("system:authenticated")
    ? user
    : { ...user, groups: [...user.groups, "system:authenticated"] };
