// The certificates that the operator issues: one for each member and one for clients, each in a Secret, renewed when two thirds of their
// life are over.
import { X509Certificate } from "node:crypto";
import {
  type CertificateAuthority,
  createCertificateAuthority,
  createCertificateRequest,
  parseCertificateRequest,
  restoreCertificateAuthority,
} from "@kubewright/api/x509";
import type { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import type { Context } from "../cluster/context.js";
import { placeOf } from "../cluster/member-pod.js";
import { clientService, memberHost, type Place, peerService } from "../cluster/names.js";
import type { CertificateSource, CertificatesInUse } from "./ca-rotation.js";
import { readSecret, type SecretData, writeSecret } from "./secret-data.js";

const day = 24 * 3_600_000;
const defaultLifetime = 90 * day;
const authorityLifetime = 3_650 * day;
/** A certificate is renewed when this part of its life is over. */
const renewalPart = 2 / 3;

export const authoritySecret = (cluster: string): string => `${cluster}-ca`;
export const clientSecret = (cluster: string): string => `${cluster}-client-tls`;
export const memberSecret = (member: string): string => `${member}-tls`;

export const lifetimeOf = ({ spec }: EtcdCluster): number =>
  (spec.tls?.certificateLifetimeSeconds ?? 0) * 1_000 || defaultLifetime;

/** The CA of a cluster, made where there is none, or where it was deleted, and made anew when it grows old. */
export async function ownAuthority(cluster: EtcdCluster, ctx: Context): Promise<CertificateSource> {
  const secret = authoritySecret(placeOf(cluster).name);
  const { "tls.crt": certificate = "", "tls.key": key } = (await readSecret(ctx, secret)) ?? {};
  if (key && isYoung(certificate, ctx.now())) return { ca: certificate, certificate, key };
  const now = ctx.now();
  const validity = { notBefore: now - day, notAfter: now + authorityLifetime };
  const made = createCertificateAuthority({ commonName: nameOfAuthority(cluster), ...validity });
  await writeSecret(cluster, ctx, secret, { "tls.crt": made.certificate, "tls.key": made.key });
  return { ca: made.certificate, certificate: made.certificate, key: made.key };
}

const nameOfAuthority = (cluster: EtcdCluster): string => `${placeOf(cluster).name}-ca`;

export class CertificateKeeper {
  readonly #cluster: EtcdCluster;
  readonly #ctx: Context;
  readonly #trusted: string;
  readonly #authority: CertificateAuthority;

  constructor(cluster: EtcdCluster, ctx: Context, inUse: CertificatesInUse) {
    this.#cluster = cluster;
    this.#ctx = ctx;
    this.#trusted = inUse.trusted;
    this.#authority = restoreCertificateAuthority(inUse, nameOfAuthority(cluster));
  }

  async keepMember(member: string): Promise<void> {
    await this.#keep(memberSecret(member), member, memberHosts(placeOf(this.#cluster), member));
  }

  keepClient(): Promise<SecretData> {
    const { name } = placeOf(this.#cluster);
    return this.#keep(clientSecret(name), `${name}-client`, []);
  }

  async #keep(name: string, commonName: string, hosts: readonly string[]): Promise<SecretData> {
    const known = await readSecret(this.#ctx, name);
    const isCurrent = known !== undefined && this.#isCurrent(known);
    if (isCurrent && known["ca.crt"] === this.#trusted) return known;
    const data = { ...(isCurrent ? known : this.#issue(commonName, hosts)), "ca.crt": this.#trusted };
    await writeSecret(this.#cluster, this.#ctx, name, data);
    if (!isCurrent)
      this.#ctx.event({
        reason: known ? "CertificateRenewed" : "CertificateIssued",
        note: `the certificate in Secret ${name} was ${known ? "renewed" : "issued"}`,
      });
    return data;
  }

  #issue(commonName: string, hosts: readonly string[]): SecretData {
    const lifetime = lifetimeOf(this.#cluster);
    const now = this.#ctx.now();
    const { request, key } = createCertificateRequest({ commonName, hosts });
    const certificate = this.#authority.sign(parseCertificateRequest(request), {
      // Clocks of nodes differ.
      notBefore: now - Math.min(3_600_000, lifetime / 10),
      notAfter: now + lifetime,
      usages: ["digital signature", "key encipherment", "server auth", "client auth"],
    });
    return { "tls.crt": certificate, "tls.key": key };
  }

  /** It is of the CA in use, and not old. */
  #isCurrent({ "tls.crt": certificate = "", "tls.key": key }: SecretData): boolean {
    if (!key || !isYoung(certificate, this.#ctx.now())) return false;
    const { publicKey } = new X509Certificate(this.#authority.certificate);
    return new X509Certificate(certificate).verify(publicKey);
  }
}

function isYoung(certificate: string, now: number): boolean {
  try {
    const { validFrom, validTo } = new X509Certificate(certificate);
    const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
    return now < from + (to - from) * renewalPart;
  } catch {
    return false;
  }
}

/** A member resolves the names in a peer's certificate and compares the addresses, so each has only the one name that is its own. */
function memberHosts(place: Place, member: string): readonly string[] {
  const host = memberHost(place, member);
  const service = `${clientService(place.name)}.${place.namespace}.svc`;
  return [
    host,
    `${host}.cluster.local`,
    `${member}.${peerService(place.name)}`,
    clientService(place.name),
    `${clientService(place.name)}.${place.namespace}`,
    service,
    `${service}.cluster.local`,
    "localhost",
    "127.0.0.1",
  ];
}
