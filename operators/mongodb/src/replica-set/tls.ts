// TLS between members, and between clients and members. A running replica set takes it up, or gives it up, in steps between which every
// member understands every other: disabled, allowTLS, preferTLS, requireTLS. Certificates come from a Secret, as cert-manager makes it.
import { ConfigMap, type Pod, Secret } from "@kubewright/api";
import type { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import type { ClientTls } from "../client/mongo-member.js";
import type { Context } from "./context.js";
import { hashOf } from "./hash.js";
import { labelsOf, placeOf } from "./names.js";

export const tlsModes = ["disabled", "allowTLS", "preferTLS", "requireTLS"] as const;
export type TlsMode = (typeof tlsModes)[number];

export const certificateSecret = (name: string): string => `${name}-server-certificate-key`;
export const certificateFile = "server.pem";
export const authorityFile = "ca.crt";

/** What members and the operator need for TLS. */
export interface TlsMaterial {
  readonly ca: string;
  /** Certificate and key in one file, as mongod reads them. */
  readonly certificateKey: string;
  /** Changes with the certificate or the CA: members are started again then. */
  readonly fingerprint: string;
}

export type TlsReading =
  | { readonly kind: "off" }
  | { readonly kind: "ready"; readonly material: TlsMaterial; readonly final: TlsMode }
  /** Something is missing; nothing is started without it. */
  | { readonly kind: "missing"; readonly message: string };

const textIn = (secret: Secret | undefined, key: string): string | undefined => {
  const value = secret?.data?.[key];
  return value ? Buffer.from(value, "base64").toString("utf8") : undefined;
};

export async function readTls(mongodb: MongoDBCommunity, ctx: Context): Promise<TlsReading> {
  const { tls } = mongodb.spec.security;
  if (!tls?.enabled) return { kind: "off" };
  const name = tls.certificateKeySecretRef?.name;
  if (!name)
    return {
      kind: "missing",
      message: "security.tls needs certificateKeySecretRef: a Secret with tls.crt and tls.key",
    };
  const secret = await ctx.get(Secret, name);
  const [certificate, key] = [textIn(secret, "tls.crt"), textIn(secret, "tls.key")];
  if (!certificate || !key)
    return {
      kind: "missing",
      message: `there is no certificate in the Secret ${name}: it needs tls.crt and tls.key`,
    };
  const reference = tls.caConfigMapRef?.name;
  const config = reference === undefined ? undefined : await ctx.get(ConfigMap, reference);
  const ca = reference === undefined ? textIn(secret, "ca.crt") : config?.data?.["ca.crt"];
  if (!ca)
    return {
      kind: "missing",
      message:
        reference === undefined
          ? `there is no ca.crt in the Secret ${name}, and security.tls names no caConfigMapRef`
          : `there is no ca.crt in the ConfigMap ${reference}`,
    };
  const certificateKey = `${certificate.trim()}\n${key.trim()}\n`;
  return {
    kind: "ready",
    final: tls.optional ? "preferTLS" : "requireTLS",
    material: { ca, certificateKey, fingerprint: hashOf(`${certificateKey}${ca}`) },
  };
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

/**
 * The mode that members are started with next: one step from those there are towards the final one, so that the modes of two members
 * never differ by more than one step.
 */
export function nextMode(final: TlsMode, present: readonly TlsMode[]): TlsMode {
  if (present.length === 0) return final;
  const indexes = present.map((mode) => tlsModes.indexOf(mode));
  const [lowest, highest, aim] = [Math.min(...indexes), Math.max(...indexes), tlsModes.indexOf(final)];
  const next = aim >= highest ? Math.min(aim, lowest + 1) : Math.max(aim, highest - 1);
  return tlsModes[next] ?? final;
}

/** The mode in a configuration file, which the operator wrote. */
export function modeIn(config: string | undefined): TlsMode {
  if (config === undefined) return "disabled";
  const { net } = JSON.parse(config) as { readonly net?: { readonly tls?: { readonly mode?: string } } };
  return tlsModes.find((mode) => mode === net?.tls?.mode) ?? "disabled";
}

/** How to connect to a member that was started in some mode. */
export const clientTls = (mode: TlsMode, material: TlsMaterial | undefined): ClientTls | undefined =>
  mode === "disabled" || !material ? undefined : { ca: material.ca, certificate: undefined, key: undefined };

/** Pods that count for the step from one mode to the next. */
export const isThere = ({ metadata }: Pod): boolean => metadata?.deletionTimestamp === undefined;
