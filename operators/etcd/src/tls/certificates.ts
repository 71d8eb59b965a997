// The certificates of a cluster: those that the operator issues from a CA of its own, or copies of those in Secrets that spec.tls names. What
// members mount is always a Secret of the operator's, so that another CA comes into use step by step, the operator's or a user's.
import { X509Certificate } from "node:crypto";
import { isConditionTrue, Pod } from "@kubewright/api";
import type { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import type { ClientTls } from "../client/etcd-client.js";
import type { Context } from "../cluster/context.js";
import { placeOf, type TlsSecrets, withoutTls } from "../cluster/member-pod.js";
import { certificatesAnnotation, memberLabel } from "../cluster/names.js";
import { hashOf } from "../cluster/template-hash.js";
import { type CertificateSource, type CertificatesInUse, rotated, rotationNote } from "./ca-rotation.js";
import {
  CertificateKeeper,
  clientSecret,
  lifetimeOf,
  memberSecret,
  ownAuthority,
} from "./certificate-keeper.js";
import { givenSource } from "./given-secret.js";
import { readSecret, type SecretData, writeSecret } from "./secret-data.js";

/** Clients have at least so long to read what changed, in milliseconds, or a twentieth of the life of a certificate. */
const longestPause = 120_000;
const partOfLife = 1 / 20;

/** Where certificates come from: the operator's own CA, or a Secret for one side. */
type Origin = "ca" | "client" | "peer";

/** The Secret with what is in use of an origin. */
const inUseSecret = (cluster: string, origin: Origin): string => `${cluster}-${origin}-in-use`;

/** The Secret that programs which connect to members mount; undefined without TLS. */
export function secretForClients(cluster: EtcdCluster): string | undefined {
  const { client } = cluster.spec.tls ?? {};
  const { name } = placeOf(cluster);
  return client && (client.secretName ? inUseSecret(name, "client") : clientSecret(name));
}

/** The certificates in use: what pods mount, and what the operator itself calls members with. */
export interface Certificates {
  readonly secrets: TlsSecrets;
  readonly client: ClientTls | undefined;
  /** What is wrong with a Secret that spec.tls names; what is in use stays. */
  readonly problem: string | undefined;
}

/** Makes, renews and replaces what is needed for the members named, and returns what is in use. */
export async function keepCertificates(
  cluster: EtcdCluster,
  ctx: Context,
  members: readonly string[],
): Promise<Certificates> {
  const { tls } = cluster.spec;
  if (!tls?.client && !tls?.peer) return { secrets: withoutTls, client: undefined, problem: undefined };
  const { inUse, problem } = await keepInUse(cluster, ctx);
  const own = inUse.get("ca");
  const keeper = own && new CertificateKeeper(cluster, ctx, own);
  for (const member of keeper ? members : []) await keeper?.keepMember(member);
  const given = inUse.get("client");
  const forClients = given ? dataOf(given) : tls.client && (await keeper?.keepClient());
  const { name } = placeOf(cluster);
  const mounted = (side: "client" | "peer") =>
    tls[side] &&
    ((member: string) => (tls[side]?.secretName ? inUseSecret(name, side) : memberSecret(member)));
  return {
    secrets: { client: mounted("client"), peer: mounted("peer"), fingerprint: fingerprintOf(inUse) },
    client: tls.client && forClients && clientTls(forClients),
    problem,
  };
}

const clientTls = (data: SecretData): ClientTls => ({
  ca: data["ca.crt"] ?? "",
  certificate: data["tls.crt"],
  key: data["tls.key"],
});

type AllInUse = ReadonlyMap<Origin, CertificatesInUse>;

/** Brings what is in use one state nearer to what the origins have. */
async function keepInUse(
  cluster: EtcdCluster,
  ctx: Context,
): Promise<{ inUse: AllInUse; problem: string | undefined }> {
  const { name } = placeOf(cluster);
  const origins = originsOf(cluster);
  const before = new Map<Origin, CertificatesInUse & { readonly changedAt: number }>();
  for (const origin of origins) {
    const data = await readSecret(ctx, inUseSecret(name, origin));
    if (data) before.set(origin, { ...inUseOf(data), changedAt: Number(data["changed-at"] ?? 0) });
  }
  const isRolled = hasEveryMember(cluster, ctx, fingerprintOf(before));
  const inUse = new Map<Origin, CertificatesInUse>();
  let problem: string | undefined;
  for (const origin of origins) {
    const present = before.get(origin);
    const source = await sourceOf(cluster, ctx, origin);
    if (typeof source === "string") {
      problem ??= source;
      if (present) inUse.set(origin, present);
      continue;
    }
    const isTakenUp = isRolled && ctx.now() - (present?.changedAt ?? 0) >= pauseOf(cluster, source, origin);
    const next = rotated(present, source, isTakenUp);
    inUse.set(origin, next);
    if (present && JSON.stringify(dataOf(present)) === JSON.stringify(dataOf(next))) continue;
    const note = rotationNote(present, next);
    const changedAt = present && note === undefined ? present.changedAt : ctx.now();
    const data = { ...dataOf(next), "changed-at": String(changedAt) };
    await writeSecret(cluster, ctx, inUseSecret(name, origin), data);
    if (note) ctx.event({ reason: "CertificateAuthorityRotated", note });
  }
  return { inUse, problem };
}

function originsOf({ spec }: EtcdCluster): readonly Origin[] {
  const { client, peer } = spec.tls ?? {};
  const isMade = (client && !client.secretName) || (peer && !peer.secretName);
  return [
    ...(isMade ? (["ca"] as const) : []),
    ...(client?.secretName ? (["client"] as const) : []),
    ...(peer?.secretName ? (["peer"] as const) : []),
  ];
}

async function sourceOf(
  cluster: EtcdCluster,
  ctx: Context,
  origin: Origin,
): Promise<CertificateSource | string> {
  if (origin === "ca") return ownAuthority(cluster, ctx);
  const secret = cluster.spec.tls?.[origin]?.secretName ?? "";
  return givenSource(secret, await readSecret(ctx, secret), placeOf(cluster));
}

function pauseOf(cluster: EtcdCluster, { certificate }: CertificateSource, origin: Origin): number {
  const { validFrom, validTo } = new X509Certificate(certificate);
  const life = origin === "ca" ? lifetimeOf(cluster) : Date.parse(validTo) - Date.parse(validFrom);
  return Math.min(longestPause, life * partOfLife);
}

/** Every member was started with these certificates, and is ready. */
function hasEveryMember({ status }: EtcdCluster, ctx: Context, fingerprint: string): boolean {
  const pods = ctx.children(Pod).filter(({ metadata }) => metadata?.labels?.[memberLabel] !== undefined);
  return (
    pods.length >= (status?.replicas ?? 0) &&
    pods.every(
      ({ metadata, status: { conditions } = {} }) =>
        metadata?.annotations?.[certificatesAnnotation] === fingerprint &&
        metadata.deletionTimestamp === undefined &&
        isConditionTrue(conditions as never, "Ready"),
    )
  );
}

/** Changes when members must be started again: for other CAs, not for a renewed certificate. */
const fingerprintOf = (inUse: AllInUse): string =>
  hashOf([...inUse].map(([origin, { trusted, issuer }]) => [origin, trusted, issuer]));

const dataOf = ({ trusted, issuer, certificate, key }: CertificatesInUse): SecretData => ({
  "ca.crt": trusted,
  "issuer.crt": issuer,
  "tls.crt": certificate,
  "tls.key": key,
});

const inUseOf = (data: SecretData): CertificatesInUse => ({
  trusted: data["ca.crt"] ?? "",
  issuer: data["issuer.crt"] ?? "",
  certificate: data["tls.crt"] ?? "",
  key: data["tls.key"] ?? "",
});
