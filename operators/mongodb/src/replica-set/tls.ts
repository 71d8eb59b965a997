// What members need for TLS: a certificate with its key, and the CA that they trust. They come from a Secret as cert-manager makes it, are
// checked, and are copied to a Secret that members mount.
import { ConfigMap, Secret } from "@kubewright/api";
import type { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import type { ClientTls } from "../client/mongo-member.js";
import { certificatesIn, together } from "../client/pem.js";
import { compareVersions } from "../release/series.js";
import { certificateProblem } from "./certificate-check.js";
import type { SecretReader } from "./client-certificate.js";
import type { Context } from "./context.js";
import { hashOf } from "./hash.js";
import { arbiterSet, hostOf, labelsOf, placeOf, podName } from "./names.js";
import { textIn } from "./secret-text.js";
import type { TlsMode } from "./security-modes.js";

export const certificateSecret = (name: string): string => `${name}-server-certificate-key`;
export const certificateFile = "server.pem";
export const authorityFile = "ca.crt";

/** What members mount. */
export interface TlsMaterial {
  /** One or several certificates. */
  readonly ca: string;
  /** Certificate and key in one file, as mongod reads them. */
  readonly certificateKey: string;
}

export interface TlsProblem {
  readonly reason: "CertificateMissing" | "CertificateInvalid";
  readonly message: string;
}

export type TlsReading =
  | { readonly kind: "off" }
  | { readonly kind: "ready"; readonly material: TlsMaterial }
  /** Something is missing or wrong; nothing is started without it, and nobody is given it. */
  | { readonly kind: "refused"; readonly problem: TlsProblem };

const missing = (message: string): TlsReading => ({
  kind: "refused",
  problem: { reason: "CertificateMissing", message },
});

export async function readTls(mongodb: MongoDBCommunity, ctx: Context): Promise<TlsReading> {
  const { tls, authentication } = mongodb.spec.security;
  if (!tls?.enabled) return { kind: "off" };
  const name = tls.certificateKeySecretRef?.name;
  if (!name) return missing("security.tls needs certificateKeySecretRef: a Secret with tls.crt and tls.key");
  const secret = await ctx.get(Secret, name);
  const [certificate, key] = [textIn(secret, "tls.crt"), textIn(secret, "tls.key")];
  if (!certificate || !key)
    return missing(`there is no certificate in the Secret ${name}: it needs tls.crt and tls.key`);
  const ca = await readAuthority(mongodb, ctx, secret);
  if (typeof ca !== "string") return missing(ca.missing);
  const material = { ca, certificateKey: `${certificate.trim()}\n${key.trim()}\n` };
  const message = certificateProblem({
    source: `the Secret ${name}`,
    ...material,
    now: ctx.now(),
    purposes: ["server", "client"],
    hosts: membersOf(mongodb),
    isMembership: authentication?.internalCluster === "X509",
  });
  return message === undefined
    ? { kind: "ready", material }
    : { kind: "refused", problem: { reason: "CertificateInvalid", message } };
}

/** The CA comes from a ConfigMap, a Secret, or beside the certificate. */
async function readAuthority(
  { spec }: MongoDBCommunity,
  ctx: Context,
  certificate: Secret | undefined,
): Promise<string | { readonly missing: string }> {
  const { caConfigMapRef, caCertificateSecretRef } = spec.security.tls ?? {};
  if (caCertificateSecretRef) {
    const found = textIn(await ctx.get(Secret, caCertificateSecretRef.name), "ca.crt");
    return found || { missing: `there is no ca.crt in the Secret ${caCertificateSecretRef.name}` };
  }
  if (caConfigMapRef) {
    const found = (await ctx.get(ConfigMap, caConfigMapRef.name))?.data?.["ca.crt"];
    return found || { missing: `there is no ca.crt in the ConfigMap ${caConfigMapRef.name}` };
  }
  const name = certificate?.metadata?.name;
  return (
    textIn(certificate, "ca.crt") || {
      missing: `there is no ca.crt in the Secret ${name}, and security.tls names no caConfigMapRef`,
    }
  );
}

/** The names that the certificate has to be good for. */
function membersOf(mongodb: MongoDBCommunity): readonly string[] {
  const place = placeOf(mongodb);
  const { members = 1, arbiters = 0 } = mongodb.spec;
  const named = (set: string, count: number) =>
    Array.from({ length: count }, (_, ordinal) => hostOf(place, podName(set, ordinal)));
  return [...named(place.name, members), ...named(arbiterSet(place.name), arbiters)];
}

/** The Secret that members mount. It stays while a member may still need it. */
export async function keepCertificate(
  mongodb: MongoDBCommunity,
  ctx: Context,
  { ca, certificateKey }: TlsMaterial,
): Promise<void> {
  const { name } = placeOf(mongodb);
  const encode = (text: string): string => Buffer.from(text, "utf8").toString("base64");
  await ctx.apply(Secret, {
    metadata: { name: certificateSecret(name), labels: labelsOf(name) },
    data: { [certificateFile]: encode(certificateKey), [authorityFile]: encode(ca) },
  });
}

/** What members mount at the moment. */
export async function mountedMaterial(
  ctx: SecretReader,
  name: string,
  live = false,
): Promise<TlsMaterial | undefined> {
  const secret = await ctx.get(Secret, certificateSecret(name), { live });
  const [ca, certificateKey] = [textIn(secret, authorityFile), textIn(secret, certificateFile)];
  return ca && certificateKey ? { ca, certificateKey } : undefined;
}

/** From 5.0 on members take up another certificate when they are asked to; before, they are started again. */
export const canReload = (version: string): boolean => compareVersions(version, "5.0.0") >= 0;

/** Changes with what members take up only when they are started again. Whether they have read another CA cannot be seen otherwise. */
export const startedWith = ({ ca, certificateKey }: TlsMaterial, version: string): string =>
  hashOf(canReload(version) ? ca : `${certificateKey}${ca}`);

/** The fingerprint of a certificate, as members show it in a handshake. */
export const fingerprintOf = ({ certificateKey }: TlsMaterial): string | undefined =>
  certificatesIn(certificateKey)[0]?.fingerprint256;

/** How to connect to a member that was started in some mode; both the CA in use and the one to come are trusted. */
export const clientTls = (mode: TlsMode, authorities: readonly string[]): ClientTls | undefined =>
  mode === "disabled" || authorities.length === 0
    ? undefined
    : { ca: together(...authorities), certificate: undefined, key: undefined };
