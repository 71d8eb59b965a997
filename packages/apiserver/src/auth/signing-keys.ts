// The keys tokens of service accounts are signed with: one signs, those before it are still believed for a while.
import type { Clock } from "@kubewright/api";
import { type ParsedToken, TokenSigner } from "./json-web-token.js";

/** A key that signs no longer. */
export interface FormerKey {
  /** PEM. */
  readonly key: string;
  /** Until when tokens it signed are believed, in milliseconds since 1970. */
  readonly until: number;
}

interface Former {
  readonly signer: TokenSigner;
  readonly until: number;
}

/** The longest a token lives unless someone asks for more. */
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
    this.#former = [...this.#believed(), { signer: this.#current, until: this.#clock.now() + acceptFor }];
    this.#current = new TokenSigner(key);
  }

  sign(claims: object): string {
    return this.#current.sign(claims);
  }

  /** The key that signed the token, if it is one that is believed. */
  signerOf(token: ParsedToken): string | undefined {
    const named = this.#all().filter(({ id }) => token.keyId === undefined || id === token.keyId);
    return named.find((signer) => signer.verify(token))?.id;
  }

  /** Whether tokens of that key are still believed. */
  isBelieved(id: string): boolean {
    return this.#all().some((signer) => signer.id === id);
  }

  /** The keys others check tokens with, the one that signs first. */
  get jwks(): readonly Readonly<Record<string, string>>[] {
    return this.#all().map(({ jwk }) => jwk);
  }

  #all(): readonly TokenSigner[] {
    return [this.#current, ...this.#believed().map(({ signer }) => signer)];
  }

  #believed(): readonly Former[] {
    if (this.#former.length === 0) return this.#former;
    const now = this.#clock.now();
    return this.#former.filter(({ until }) => until > now);
  }
}
