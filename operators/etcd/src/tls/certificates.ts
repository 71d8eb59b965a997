// The certificates of a cluster: a CA of its own, one certificate for each member, and one for clients, each in a Secret. etcd reads its
// certificate anew for every connection, so that a renewed one needs no restart; its CAs it reads once, so that another CA does.
import { X509Certificate } from "node:crypto";
import { Secret } from "@kubewright/api";
import {
  type CertificateAuthority,
  createCertificateAuthority,
  createCertificateRequest,
  parseCertificateRequest,
  restoreCertificateAuthority,
} from "@kubewright/api/x509";
import type { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import type { ClientTls } from "../client/etcd-client.js";
import type { Context } from "../cluster/context.js";
import { clusterLabels, placeOf, type TlsSecrets, withoutTls } from "../cluster/member-pod.js";
import { clientService, memberHost, type Place, peerService } from "../cluster/names.js";
import { hashOf } from "../cluster/template-hash.js";

const day = 24 * 3_600_000;
const defaultLifetime = 90 * day;
const authorityLifetime = 3_650 * day;
/** A certificate is renewed when this part of its life is over. */
const renewalPart = 2 / 3;

export const authoritySecret = (cluster: string): string => `${cluster}-ca`;
export const clientSecret = (cluster: string): string => `${cluster}-client-tls`;
export const memberSecret = (member: string): string => `${member}-tls`;

/** The certificates in force: what pods mount, and what the operator itself calls members with. */
export interface Certificates {
  readonly secrets: TlsSecrets;
  readonly client: ClientTls | undefined;
}

type SecretData = Readonly<Record<string, string>>;

/** Makes and renews what is missing or old, for the members named, and returns what is in force. */
export async function keepCertificates(
  cluster: EtcdCluster,
  ctx: Context,
  members: readonly string[],
): Promise<Certificates> {
  const { tls } = cluster.spec;
  if (!tls?.client && !tls?.peer) return { secrets: withoutTls, client: undefined };
  const isMade = (tls.client && !tls.client.secretName) || (tls.peer && !tls.peer.secretName);
  const keeper = isMade ? await CertificateKeeper.open(cluster, ctx) : undefined;
  if (keeper) for (const member of members) await keeper.keepMember(member);
  const own = tls.client && !tls.client.secretName ? await keeper?.keepClient() : undefined;
  const given = tls.client?.secretName ? await dataOf(ctx, tls.client.secretName) : own;
  const secretOf = (given: string | undefined) => (member: string) => given ?? memberSecret(member);
  const authorities = [keeper?.bundle, given?.["ca.crt"], await givenAuthority(ctx, tls.peer?.secretName)];
  return {
    secrets: {
      client: tls.client && secretOf(tls.client.secretName),
      peer: tls.peer && secretOf(tls.peer.secretName),
      fingerprint: hashOf(authorities),
    },
    client: tls.client && given?.["ca.crt"] ? clientTls(given) : undefined,
  };
}

const clientTls = (data: SecretData): ClientTls => ({
  ca: data["ca.crt"] ?? "",
  certificate: data["tls.crt"],
  key: data["tls.key"],
});

async function givenAuthority(ctx: Context, name: string | undefined): Promise<string | undefined> {
  return name === undefined ? undefined : (await dataOf(ctx, name))?.["ca.crt"];
}

async function dataOf(ctx: Context, name: string): Promise<SecretData | undefined> {
  const secret = await ctx.get(Secret, name);
  return secret?.data && decoded(secret);
}

const decoded = ({ data = {} }: Secret): SecretData =>
  Object.fromEntries(
    Object.entries(data).map(([name, text]) => [name, Buffer.from(text, "base64").toString("utf8")]),
  );

class CertificateKeeper {
  readonly bundle: string;
  readonly #cluster: EtcdCluster;
  readonly #ctx: Context;
  readonly #authority: CertificateAuthority;

  private constructor(cluster: EtcdCluster, ctx: Context, authority: CertificateAuthority) {
    this.#cluster = cluster;
    this.#ctx = ctx;
    this.#authority = authority;
    this.bundle = authority.certificate;
  }

  /** The CA is made once. Its key is read from its Secret, never from anywhere else. */
  static async open(cluster: EtcdCluster, ctx: Context): Promise<CertificateKeeper> {
    const { name } = placeOf(cluster);
    const commonName = `${name}-ca`;
    const known = await dataOf(ctx, authoritySecret(name));
    const { "tls.crt": certificate, "tls.key": key } = known ?? {};
    if (certificate && key)
      return new CertificateKeeper(
        cluster,
        ctx,
        restoreCertificateAuthority({ certificate, key }, commonName),
      );
    const now = ctx.now();
    const made = createCertificateAuthority({
      commonName,
      notBefore: now - day,
      notAfter: now + authorityLifetime,
    });
    await ctx.create(Secret, {
      metadata: { name: authoritySecret(name), labels: clusterLabels(cluster) },
      type: "kubernetes.io/tls",
      stringData: { "tls.crt": made.certificate, "tls.key": made.key },
    });
    return new CertificateKeeper(cluster, ctx, made);
  }

  async keepMember(member: string): Promise<void> {
    await this.#keep(memberSecret(member), member, memberHosts(placeOf(this.#cluster), member));
  }

  keepClient(): Promise<SecretData> {
    const { name } = placeOf(this.#cluster);
    return this.#keep(clientSecret(name), `${name}-client`, []);
  }

  async #keep(name: string, commonName: string, hosts: readonly string[]): Promise<SecretData> {
    const known = await dataOf(this.#ctx, name);
    if (known && this.#isGood(known)) return known;
    const data = this.#issue(commonName, hosts);
    const { metadata } = await this.#ctx.apply(Secret, {
      metadata: { name, labels: clusterLabels(this.#cluster) },
      type: "kubernetes.io/tls",
      data: Object.fromEntries(
        Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
      ),
    });
    const reason = known ? "CertificateRenewed" : "CertificateIssued";
    this.#ctx.event({
      reason,
      note: `the certificate in Secret ${metadata?.name} was ${known ? "renewed" : "issued"}`,
    });
    return data;
  }

  #issue(commonName: string, hosts: readonly string[]): SecretData {
    const lifetime = (this.#cluster.spec.tls?.certificateLifetimeSeconds ?? 0) * 1_000 || defaultLifetime;
    const now = this.#ctx.now();
    const { request, key } = createCertificateRequest({ commonName, hosts });
    const certificate = this.#authority.sign(parseCertificateRequest(request), {
      // Clocks of nodes differ.
      notBefore: now - Math.min(3_600_000, lifetime / 10),
      notAfter: now + lifetime,
      usages: ["digital signature", "key encipherment", "server auth", "client auth"],
    });
    return { "ca.crt": this.bundle, "tls.crt": certificate, "tls.key": key };
  }

  #isGood(data: SecretData): boolean {
    if (data["ca.crt"] !== this.bundle || !data["tls.key"]) return false;
    try {
      const { validFrom, validTo } = new X509Certificate(data["tls.crt"] ?? "");
      const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
      return this.#ctx.now() < from + (to - from) * renewalPart;
    } catch {
      return false;
    }
  }
}

/** Members check the name of whoever connects to them against the addresses it resolves to, so each has the one name that is its own. */
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
