// What makes a cluster the same one to its clients: the authority they trust, the administrator's token, and what tokens of
// service accounts are signed with. A cluster with a data directory keeps them there; another makes them when first needed.
import { generateKeyPairSync, randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type CertificateAuthority,
  createCertificateAuthority,
  restoreCertificateAuthority,
} from "@kubewright/api/x509";
import { DataError } from "@kubewright/apiserver";

export interface ClusterKeys {
  /** Of the user `admin`. */
  readonly token: string;
  /** PEM; undefined where the server is to make one itself. */
  readonly serviceAccountKey: string | undefined;
  authority(now: number): CertificateAuthority;
}

const hour = 60 * 60 * 1000;
const year = 365 * 24 * hour;
const authorityName = "kubewright-ca";
const version = 1;

/** Keys of a cluster that nobody will meet again. */
export function freshKeys(): ClusterKeys {
  let made: CertificateAuthority | undefined;
  return {
    token: newToken(),
    serviceAccountKey: undefined,
    authority: (now) => {
      made ??= newAuthority(now);
      return made;
    },
  };
}

/** The keys in a data directory, made there where it has none. Whoever calls holds the directory. */
export function keptKeys(directory: string, now: number): ClusterKeys {
  const file = join(directory, "keys.json");
  const kept = read(file) ?? make(file, now);
  const authority = restoreCertificateAuthority(
    { certificate: kept.certificate, key: kept.key },
    authorityName,
  );
  return { token: kept.token, serviceAccountKey: kept.serviceAccountKey, authority: () => authority };
}

interface KeptKeys {
  readonly version: number;
  readonly token: string;
  readonly serviceAccountKey: string;
  readonly certificate: string;
  readonly key: string;
}

const newToken = (): string => randomBytes(24).toString("base64url");

const newAuthority = (now: number): CertificateAuthority =>
  createCertificateAuthority({
    commonName: authorityName,
    notBefore: now - hour,
    notAfter: now + 10 * year,
  });

function make(file: string, now: number): KeptKeys {
  const { certificate, key } = newAuthority(now);
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const serviceAccountKey = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const keys = { version, token: newToken(), serviceAccountKey, certificate, key };
  const unfinished = `${file}.tmp`;
  const descriptor = openSync(unfinished, "w", 0o600);
  try {
    writeFileSync(descriptor, `${JSON.stringify(keys, undefined, 2)}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(unfinished, file);
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
  return keys["version"] === version && texts.every((name) => typeof keys[name] === "string");
}
