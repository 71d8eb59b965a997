// Tokens of service accounts: made on request, good until they expire or what they are bound to is gone.

import { parseTime } from "@kubewright/api";
import { goStrings, type StoredObject, type UserInfo } from "@kubewright/kinds";

import type { Services } from "../registry/request-context.js";
import { parseToken } from "./json-web-token.js";
import { type FormerKey, SigningKeys } from "./signing-keys.js";
import {
  apiAudiences,
  authenticated,
  commonAudiences,
  InvalidToken,
  serviceAccountIssuer,
  type TokenIdentity,
} from "./token-authenticator.js";

/** An object at one point of its life. */
export interface ObjectIdentity {
  readonly name: string;
  /** Absent for a node that nobody has registered yet. */
  readonly uid?: string | undefined;
}

/** The service account of a token, and the object it is bound to. */
export interface TokenSubject {
  readonly namespace: string;
  readonly serviceaccount: ObjectIdentity;
  readonly pod?: ObjectIdentity | undefined;
  readonly secret?: ObjectIdentity | undefined;
  readonly node?: ObjectIdentity | undefined;
}

export interface TokenTerms {
  readonly audiences: readonly string[];
  readonly seconds: number;
  /** Seconds after which its use is worth a warning. */
  readonly warnAfter?: number | undefined;
}

export interface IssuedToken {
  readonly token: string;
  readonly id: string;
}

interface Claims {
  readonly aud: readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly nbf: number;
  readonly jti: string;
  readonly "kubernetes.io": TokenSubject & { readonly warnafter?: number | undefined };
}

/** Clocks differ, and news of deletions travels: a minute is forgiven. */
const leewaySeconds = 60;
/** Checking a signature is the costly part; that many tokens are remembered as genuine. */
const rememberedTokens = 512;

/** A token with a signature of ours, and the user it stands for while it is good. */
interface GenuineToken {
  readonly claims: Claims;
  readonly user: UserInfo;
  /** The ID of the key it was signed with. */
  readonly keyId: string;
}

type Needs = Pick<Services, "storage" | "clock" | "newUid">;

export class ServiceAccountTokens {
  readonly #services: Needs;
  readonly #keys: SigningKeys;
  readonly #genuine = new Map<string, GenuineToken>();

  /** The key is a PEM private key on the curve P-256; a fresh one is made when first needed if there is none. */
  constructor(services: Needs, privateKey?: string, formerKeys?: readonly FormerKey[]) {
    this.#services = services;
    this.#keys = new SigningKeys(services.clock, privateKey, formerKeys);
  }

  /** The keys others check tokens with. */
  get jwks(): readonly Readonly<Record<string, string>>[] {
    return this.#keys.jwks;
  }

  /** Signs with another key from now on; see SigningKeys. */
  rotate(key?: string, acceptFor?: number): void {
    this.#keys.rotate(key, acceptFor);
  }

  /** A new token, and by what the audit log knows it. */
  issue(subject: TokenSubject, { audiences, seconds, warnAfter }: TokenTerms): IssuedToken {
    const now = this.#seconds();
    const jti = this.#services.newUid();
    const { namespace, serviceaccount, pod, secret, node } = subject;
    const token = this.#keys.sign({
      aud: audiences,
      exp: now + seconds,
      iat: now,
      iss: serviceAccountIssuer,
      jti,
      "kubernetes.io": {
        namespace,
        ...(node ? { node } : {}),
        ...(pod ? { pod } : {}),
        ...(secret ? { secret } : {}),
        serviceaccount,
        ...(warnAfter === undefined ? {} : { warnafter: now + warnAfter }),
      },
      nbf: now,
      sub: `system:serviceaccount:${namespace}:${serviceaccount.name}`,
    });
    return { token, id: `JTI=${jti}` };
  }

  /** Recognises tokens it issued. */
  readonly authenticate = (token: string, audiences: readonly string[]): TokenIdentity | undefined => {
    const known = this.#genuine.get(token);
    const genuine = known && this.#keys.accepts(known.keyId) ? known : this.#verify(token);
    if (!genuine) return undefined;
    const { claims, user } = genuine;
    const offered = claims.aud.length === 0 ? apiAudiences : claims.aud;
    const common = commonAudiences(offered, audiences);
    if (common.length === 0)
      throw new InvalidToken(
        `token audiences ${goStrings(offered)} is invalid for the target audiences ${goStrings(audiences)}`,
      );
    this.#checkTime(claims);
    this.#checkObjects(claims["kubernetes.io"]);
    return { user, audiences: common, stale: this.#lateness(claims) };
  };

  /** Tokens that old programs go on using are good, but worth a word. */
  #lateness({ "kubernetes.io": { namespace, serviceaccount, warnafter } }: Claims): string | undefined {
    const late = warnafter === undefined ? 0 : this.#seconds() - warnafter;
    if (late <= 0) return undefined;
    return `subject: system:serviceaccount:${namespace}:${serviceaccount.name}, seconds after warning threshold: ${late}`;
  }

  /** The verified claims of a token with our issuer; undefined when the issuer is another. */
  #verify(token: string): GenuineToken | undefined {
    const parsed = parseToken(token);
    if (parsed?.claims["iss"] !== serviceAccountIssuer) return undefined;
    const keyId = this.#keys.signerOf(parsed);
    if (keyId === undefined) throw new InvalidToken("go-jose/go-jose: error in cryptographic primitive");
    // Only this class signs with the key, so the claims are of its making.
    const claims = parsed.claims as unknown as Claims;
    const genuine = { claims, user: userOf(claims), keyId };
    if (this.#genuine.size >= rememberedTokens) this.#genuine.clear();
    this.#genuine.set(token, genuine);
    return genuine;
  }

  #checkTime({ exp, nbf, iat }: Claims): void {
    const now = this.#seconds();
    if (now - leewaySeconds > exp) throw new InvalidToken("service account token has expired");
    if (now + leewaySeconds < nbf) throw new InvalidToken("service account token is not valid yet");
    if (now + leewaySeconds < iat) throw new InvalidToken("service account token is issued in the future");
  }

  #checkObjects({ namespace, serviceaccount, secret, pod, node }: TokenSubject): void {
    const { name } = serviceaccount;
    const account = this.#find("serviceaccounts", namespace, name);
    if (!account) throw new InvalidToken(`serviceaccounts "${name}" not found`);
    const { uid } = account.metadata;
    if (uid !== serviceaccount.uid)
      throw new InvalidToken(`service account UID (${uid}) does not match claim (${serviceaccount.uid})`);
    if (this.#isGone(account))
      throw new InvalidToken(`service account ${namespace}/${name} has been deleted`);
    if (secret) this.#checkBound("secret", this.#find("secrets", namespace, secret.name), secret);
    if (pod) this.#checkBound("pod", this.#find("pods", namespace, pod.name), pod);
    else if (node) this.#checkBound("node", this.#services.storage.get("nodes", node.name), node);
  }

  #checkBound(kind: string, object: StoredObject | undefined, bound: ObjectIdentity): void {
    const uid = object?.metadata.uid;
    if (object && uid !== bound.uid)
      throw new InvalidToken(
        `${kind} UID (${uid}) does not match service account ${kind} ref claim (${bound.uid})`,
      );
    if (!object || this.#isGone(object)) throw new InvalidToken("service account token has been invalidated");
  }

  /** On its way out for longer than is forgiven. */
  #isGone({ metadata }: StoredObject): boolean {
    if (metadata.deletionTimestamp === undefined) return false;
    return parseTime(metadata.deletionTimestamp) / 1000 < this.#seconds() - leewaySeconds;
  }

  #find(resource: string, namespace: string, name: string): StoredObject | undefined {
    return this.#services.storage.get(resource, `${namespace}/${name}`);
  }

  #seconds(): number {
    return Math.floor(this.#services.clock.now() / 1000);
  }
}

/** The groups every service account of a namespace is in. */
export const serviceAccountGroups = (namespace: string): string[] => [
  "system:serviceaccounts",
  `system:serviceaccounts:${namespace}`,
];

function userOf({ jti, "kubernetes.io": subject }: Claims): UserInfo {
  const { namespace, serviceaccount, pod, node } = subject;
  const extra = { "credential-id": `JTI=${jti}`, ...identity("node", node), ...identity("pod", pod) };
  return authenticated({
    name: `system:serviceaccount:${namespace}:${serviceaccount.name}`,
    uid: serviceaccount.uid,
    groups: serviceAccountGroups(namespace),
    extra: Object.fromEntries(
      Object.entries(extra).map(([key, value]) => [`authentication.kubernetes.io/${key}`, [value]]),
    ),
  });
}

const identity = (kind: "node" | "pod", object: ObjectIdentity | undefined): Record<string, string> =>
  object ? { [`${kind}-name`]: object.name, ...(object.uid ? { [`${kind}-uid`]: object.uid } : {}) } : {};
