// SCRAM, as RFC 5802 has it and MongoDB uses it: what a password becomes, and the proofs of the handshake. The driver does the client's
// side itself; this is for credentials that are compared or handed out, and for the model's server side.
import { createHash, createHmac, pbkdf2Sync, timingSafeEqual } from "node:crypto";

export type Mechanism = "SCRAM-SHA-1" | "SCRAM-SHA-256";
export const mechanisms: readonly Mechanism[] = ["SCRAM-SHA-1", "SCRAM-SHA-256"];

/** What a member stores of a password, in base64. */
export interface ScramCredential {
  readonly iterationCount: number;
  readonly salt: string;
  readonly storedKey: string;
  readonly serverKey: string;
}

const hashes = { "SCRAM-SHA-1": "sha1", "SCRAM-SHA-256": "sha256" } as const;
const lengths = { "SCRAM-SHA-1": 20, "SCRAM-SHA-256": 32 } as const;

/** MongoDB hashes the password with the name before SCRAM-SHA-1. */
const prepared = (mechanism: Mechanism, user: string, password: string): string =>
  mechanism === "SCRAM-SHA-256"
    ? password.normalize("NFKC")
    : createHash("md5").update(`${user}:mongo:${password}`).digest("hex");

export function scramCredential(
  mechanism: Mechanism,
  user: string,
  password: string,
  salt: Buffer,
  iterationCount: number,
): ScramCredential {
  const hash = hashes[mechanism];
  const text = prepared(mechanism, user, password);
  const salted = pbkdf2Sync(text, salt, iterationCount, lengths[mechanism], hash);
  const clientKey = createHmac(hash, salted).update("Client Key").digest();
  return {
    iterationCount,
    salt: salt.toString("base64"),
    storedKey: createHash(hash).update(clientKey).digest("base64"),
    serverKey: createHmac(hash, salted).update("Server Key").digest("base64"),
  };
}

/** Whether a stored credential is of this password. */
export function isOfPassword(
  mechanism: Mechanism,
  user: string,
  password: string,
  stored: Pick<ScramCredential, "salt" | "iterationCount" | "storedKey">,
): boolean {
  const salt = Buffer.from(stored.salt, "base64");
  const { storedKey } = scramCredential(mechanism, user, password, salt, stored.iterationCount);
  return timingSafeEqual(digest(storedKey), digest(stored.storedKey));
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

/** Whether a client that sent this proof knows the password. */
export function isProofValid(
  mechanism: Mechanism,
  credential: ScramCredential,
  authMessage: string,
  proof: Buffer,
): boolean {
  const hash = hashes[mechanism];
  const storedKey = Buffer.from(credential.storedKey, "base64");
  const signature = createHmac(hash, storedKey).update(authMessage).digest();
  if (proof.length !== signature.length) return false;
  const clientKey = Buffer.from(proof.map((byte, at) => byte ^ (signature[at] ?? 0)));
  return timingSafeEqual(createHash(hash).update(clientKey).digest(), storedKey);
}

export const serverSignature = (
  mechanism: Mechanism,
  credential: ScramCredential,
  authMessage: string,
): string =>
  createHmac(hashes[mechanism], Buffer.from(credential.serverKey, "base64"))
    .update(authMessage)
    .digest("base64");
