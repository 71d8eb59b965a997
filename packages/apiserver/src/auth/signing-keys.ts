// The keys that sign service account tokens: the current key signs, former keys are accepted until they expire.
import type { Clock } from "@kubewright/api";
import { type ParsedToken, TokenSigner } from "./json-web-token.js";

/** A key that signs no longer. */
export interface FormerKey {
  /** PEM. */
  readonly key: string;
  /** Until when tokens it signed are accepted, in milliseconds since 1970. */
  readonly until: number;
}

interface Former {
  readonly signer: TokenSigner;
  readonly until: number;
}

/** The lifetime of the longest-lived tokens by default. */
const year = 365 * 24 * 60 * 60 * 1000;

export class SigningKeys {
  readonly #clock: Pick<Clock, "now">;
  #current: TokenSigner;
  #former: readonly Former[];

  /** Keys are PEM, on the curve P-256; without a current one, one is made when first needed. */
  constructor(clock: Pick<Clock, "now">, current?: string, former: readonly FormerKey[] = []) {
    this.#clock = clock;
    this.#current = new TokenSigner(current);
    this.#former = former.map(({ key, until }) => ({ signer: new TokenSigner(key), until }));
  }

  /** Signs with another key from now on; tokens signed before stay valid for `acceptFor` milliseconds. Default: a year. */
  rotate(key?: string, acceptFor = year): void {
    this.#former = [...this.#accepted(), { signer: this.#current, until: this.#clock.now() + acceptFor }];
    this.#current = new TokenSigner(key);
  }

  sign(claims: object): string {
    return this.#current.sign(claims);
  }

  /** The id of the key that signed the token, if it is accepted. */
  signerOf(token: ParsedToken): string | undefined {
    const named = this.#all().filter(({ id }) => token.keyId === undefined || id === token.keyId);
    return named.find((signer) => signer.verify(token))?.id;
  }

  /** Whether tokens signed by the key with this id are accepted. */
  accepts(id: string): boolean {
    return this.#all().some((signer) => signer.id === id);
  }

  /** The public keys, the current one first. */
  get jwks(): readonly Readonly<Record<string, string>>[] {
    return this.#all().map(({ jwk }) => jwk);
  }

  #all(): readonly TokenSigner[] {
    return [this.#current, ...this.#accepted().map(({ signer }) => signer)];
  }

  #accepted(): readonly Former[] {
    if (this.#former.length === 0) return this.#former;
    const now = this.#clock.now();
    return this.#former.filter(({ until }) => until > now);
  }
}
