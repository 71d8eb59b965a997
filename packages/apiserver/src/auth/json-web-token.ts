// JSON web tokens signed with ES256. Synchronous on purpose: in virtual time nothing may wait for a thread pool.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";

/** Signs tokens, and knows those it signed. The key is made when first needed. */
export class TokenSigner {
  #pem: string | undefined;
  #keys: { readonly private: KeyObject; readonly public: KeyObject; readonly id: string } | undefined;

  /** A PEM private key on the curve P-256; a fresh one is made if there is none. */
  constructor(privateKey?: string) {
    this.#pem = privateKey;
  }

  sign(claims: object): string {
    const { private: key, id } = this.#loaded();
    const signed = `${encode({ alg: "ES256", kid: id })}.${encode(claims)}`;
    const signature = sign("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" });
    return `${signed}.${signature.toString("base64url")}`;
  }

  /** Whether the signature is one of ours. */
  verify({ signed, signature }: ParsedToken): boolean {
    const key = this.#loaded().public;
    return verify("sha256", Buffer.from(signed), { key, dsaEncoding: "ieee-p1363" }, signature);
  }

  /** By what tokens name the key. */
  get id(): string {
    return this.#loaded().id;
  }

  /** The public key, for others to check tokens with. */
  get jwk(): Readonly<Record<string, string>> {
    const { public: key, id } = this.#loaded();
    const { kty = "", crv = "", x = "", y = "" } = key.export({ format: "jwk" });
    return { use: "sig", kty, kid: id, crv, alg: "ES256", x, y };
  }

  #loaded() {
    if (!this.#keys) {
      const key = this.#pem === undefined ? generateKey() : createPrivateKey(this.#pem);
      const publicKey = createPublicKey(key);
      const der = publicKey.export({ format: "der", type: "spki" });
      this.#keys = {
        private: key,
        public: publicKey,
        id: createHash("sha256").update(der).digest("base64url"),
      };
    }
    return this.#keys;
  }
}

const generateKey = (): KeyObject => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;

/** A token taken apart; nothing in it is proven yet. */
export interface ParsedToken {
  /** The key it says it is signed with. */
  readonly keyId: unknown;
  readonly claims: Readonly<Record<string, unknown>>;
  /** The signed text. */
  readonly signed: string;
  readonly signature: Buffer;
}

/** Takes a token apart; undefined when it is none that ES256 could have signed. */
export function parseToken(token: string): ParsedToken | undefined {
  const [header = "", payload = "", signature = "", ...rest] = token.split(".");
  if (rest.length > 0 || header === "" || payload === "") return undefined;
  const claims = decode(payload);
  const { alg, kid: keyId } = decode(header) ?? {};
  if (alg !== "ES256" || !claims) return undefined;
  const bytes = Buffer.from(signature, "base64url");
  // One token has one text: padding, other alphabets and loose bits would give it several.
  if (bytes.toString("base64url") !== signature) return undefined;
  return { keyId, claims, signed: `${header}.${payload}`, signature: bytes };
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

function decode(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
