// The identity of a cluster to its clients: the CA they trust, the administrator's token, and the keys that sign service
// account tokens. A cluster with a data directory keeps them there; another makes them when first needed.
import { generateKeyPairSync, randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isObject } from "@kubewright/api";
import type { CertificateAuthority, KeyPair } from "@kubewright/api/x509";
import { DataError, type FormerKey, syncDirectory } from "@kubewright/apiserver";
import {
  type Authorities,
  type FormerAuthority,
  newAuthority,
  renewed,
  restored,
  succeeded,
  type Trust,
  trustOf,
} from "./authorities.js";

export interface ClusterKeys {
  /** Of the user `admin`, now. */
  readonly token: string;
  /** Former tokens that are still accepted. */
  readonly formerTokens: readonly FormerToken[];
  /** PEM; undefined where the server is to make one itself. */
  readonly serviceAccountKey: string | undefined;
  /** Former signing keys whose tokens are still accepted. */
  readonly formerServiceAccountKeys: readonly FormerKey[];
  /** The CA, renewed where its certificate is about to expire; its key stays. */
  authority(now: number): CertificateAuthority;
  /**
   * The CA that signs nothing but the front proxy's certificate: with one CA for both, a CertificateSigningRequest could ask for a certificate
   * by which extension API servers believe any user.
   */
  frontProxyAuthority(now: number): CertificateAuthority;
  /** The CAs that clients and servers trust: the current one, and former ones for a while. */
  trust(now: number): Trust;
  /** Replaces the CA by one with a key of its own; the former is to be trusted for that long. The front proxy's is replaced at once. */
  rotateCA(now: number, acceptFor: number): void;
  /** Rotates the signing key; former keys are accepted for `acceptFor` milliseconds. */
  rotateServiceAccountKey(now: number, acceptFor: number): string;
  /** Rotates the token; former tokens are accepted for `acceptFor` milliseconds. */
  rotateToken(now: number, acceptFor: number): void;
}

/** A former token that is accepted until a time, in milliseconds since 1970. */
export interface FormerToken {
  readonly token: string;
  readonly until: number;
}

const version = 1;

/** Keys of a cluster that nobody will meet again. */
export function freshKeys(): ClusterKeys {
  let made: CertificateAuthority | undefined;
  let frontProxy: CertificateAuthority | undefined;
  let former: readonly FormerAuthority[] = [];
  let tokens: Tokens = { token: newToken() };
  return {
    get token() {
      return tokens.token;
    },
    get formerTokens() {
      return tokens.formerTokens ?? [];
    },
    rotateToken: (now, acceptFor) => {
      tokens = nextTokens(tokens, now, acceptFor);
    },
    serviceAccountKey: undefined,
    formerServiceAccountKeys: [],
    authority,
    frontProxyAuthority: (now) => {
      frontProxy = frontProxy ? renewed(frontProxy, now) : newAuthority(now, frontProxyName);
      return frontProxy;
    },
    trust: (now) => trustOf(authority(now), former, now),
    rotateCA: (now, acceptFor) => {
      frontProxy = undefined;
      const next = succeeded(authority(now), former, { now, acceptFor, newName: newName() });
      [made, former] = [next.authority, next.formerAuthorities];
    },
    rotateServiceAccountKey: newSigningKey,
  };
  function authority(now: number): CertificateAuthority {
    made = made ? renewed(made, now) : newAuthority(now);
    return made;
  }
}

export const keysFile = (directory: string): string => join(directory, "keys.json");

/**
 * The keys in a data directory, made there where it has none. The caller holds the lock of the directory; once another process does, keys are
 * not changed any more.
 */
export function keptKeys(directory: string, now: number, lock: Held = { isHeld: true }): ClusterKeys {
  const file = keysFile(directory);
  removeUnfinished(directory);
  let kept = read(file) ?? write(file, newKeys(now), lock);
  let current = restored(kept);
  let frontProxy = kept.frontProxy && restored(kept.frontProxy);
  const { serviceAccountKey, formerServiceAccountKeys = [] } = kept;
  return {
    get token() {
      return kept.token;
    },
    get formerTokens() {
      return kept.formerTokens ?? [];
    },
    rotateToken: (at, acceptFor) => {
      kept = write(file, { ...kept, ...nextTokens(kept, at, acceptFor) }, lock);
    },
    serviceAccountKey,
    formerServiceAccountKeys,
    authority,
    frontProxyAuthority: (at) => {
      const next = frontProxy ? renewed(frontProxy, at) : newAuthority(at, frontProxyName);
      if (next !== frontProxy && lock.isHeld) kept = write(file, { ...kept, frontProxy: pairOf(next) }, lock);
      frontProxy = next;
      return next;
    },
    trust: (at) => trustOf(authority(at), kept.formerAuthorities ?? [], at),
    rotateCA: (at, acceptFor) => {
      const former = kept.formerAuthorities ?? [];
      const next = succeeded(authority(at), former, { now: at, acceptFor, newName: newName() });
      const { formerAuthorities } = next;
      kept = write(
        file,
        { ...kept, ...pairOf(next.authority), formerAuthorities, frontProxy: undefined },
        lock,
      );
      current = next.authority;
      frontProxy = undefined;
    },
    rotateServiceAccountKey: (at, acceptFor) => {
      const former = (kept.formerServiceAccountKeys ?? []).filter(({ until }) => until > at);
      const formerServiceAccountKeys = [...former, { key: kept.serviceAccountKey, until: at + acceptFor }];
      kept = write(file, { ...kept, serviceAccountKey: newSigningKey(), formerServiceAccountKeys }, lock);
      return kept.serviceAccountKey;
    },
  };
  function authority(at: number): CertificateAuthority {
    const next = renewed(current, at);
    if (next !== current && lock.isHeld) kept = write(file, { ...kept, certificate: next.certificate }, lock);
    current = next;
    return current;
  }
}

interface Tokens {
  readonly token: string;
  readonly formerTokens?: readonly FormerToken[] | undefined;
}

function nextTokens({ token, formerTokens = [] }: Tokens, now: number, acceptFor: number): Tokens {
  const former = [...formerTokens, { token, until: now + acceptFor }];
  return { token: newToken(), formerTokens: former.filter(({ until }) => until > now) };
}

interface KeptKeys extends Tokens, Authorities {
  readonly version: number;
  readonly serviceAccountKey: string;
  readonly formerServiceAccountKeys?: readonly FormerKey[] | undefined;
  /** Directories of older versions have none before it is needed. */
  readonly frontProxy?: KeyPair | undefined;
}

/** The lock of a data directory. */
interface Held {
  readonly isHeld: boolean;
}

const frontProxyName = "kubewright-front-proxy-ca";

const pairOf = ({ certificate, key }: KeyPair): KeyPair => ({ certificate, key });

const newToken = (): string => randomBytes(24).toString("base64url");

/** A name that distinguishes a CA from former ones. */
const newName = (): string => randomBytes(4).toString("hex");

function newSigningKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

function newKeys(now: number): KeptKeys {
  return {
    version,
    token: newToken(),
    serviceAccountKey: newSigningKey(),
    ...pairOf(newAuthority(now)),
    frontProxy: pairOf(newAuthority(now, frontProxyName)),
  };
}

/** What a process that was killed while it wrote has left behind. */
function removeUnfinished(directory: string): void {
  for (const name of readdirSync(directory))
    if (/^keys\.json\.(\w+\.)?tmp$/.test(name)) rmSync(join(directory, name), { force: true });
}

/** There whole or not at all, whatever happens. Throws where the directory is another process's by now. */
function write(file: string, keys: KeptKeys, lock: Held): KeptKeys {
  // The next owner of the directory may be writing keys too.
  const unfinished = `${file}.${newName()}.tmp`;
  const descriptor = openSync(unfinished, "w", 0o600);
  try {
    writeFileSync(descriptor, `${JSON.stringify(keys, undefined, 2)}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  if (!lock.isHeld) {
    rmSync(unfinished, { force: true });
    throw new DataError(
      `${file} belongs to another process by now, which took the directory over; keys stay as they are`,
    );
  }
  renameSync(unfinished, file);
  // Without this, a token that was revoked may be back after a power cut.
  syncDirectory(dirname(file));
  return keys;
}

function read(file: string): KeptKeys | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  const keys = parsed(text);
  if (isKept(keys)) return keys;
  const newer = typeof keys["version"] === "number" && keys["version"] > version;
  throw new DataError(
    newer
      ? `${file}: the file has format ${keys["version"]}, and this version of kubewright reads up to ${version}; use a newer one`
      : `${file} is damaged; restore it from a copy, or remove it to have new keys (kubeconfigs and tokens of before are refused then)`,
  );
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function isKept(
  keys: Readonly<Record<string, unknown>>,
): keys is Readonly<Record<string, unknown>> & KeptKeys {
  const texts = ["token", "serviceAccountKey", "certificate", "key"];
  return (
    keys["version"] === version &&
    texts.every((name) => typeof keys[name] === "string") &&
    (keys["frontProxy"] === undefined || isPair(keys["frontProxy"]))
  );
}

const isPair = (value: unknown): boolean =>
  isObject(value) && typeof value["certificate"] === "string" && typeof value["key"] === "string";
