// The certificates of a cluster: issued by its CA and renewed before they expire, so that they stay valid in a cluster that
// runs for years, or whose clock does.
import type { Clock, Timer } from "@kubewright/api";
import type { CertificateAuthority, KeyPair } from "@kubewright/api/x509";
import type { Listener } from "@kubewright/apiserver";
import type { ClusterKeys } from "./cluster-keys.js";

const hour = 60 * 60 * 1000;
const year = 365 * 24 * hour;
/** The part of its life after which a certificate is replaced. */
const renewedAfter = 0.8;
const lookEvery = 12 * hour;
const names = [
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
];
const loopback = ["127.0.0.1", "::1", "localhost"];

interface Served {
  readonly listener: Listener;
  readonly hosts: readonly string[];
}

export class ClusterCertificates {
  readonly #keys: ClusterKeys;
  readonly #clock: Clock;
  /** Where validity begins, also of what is made later: clients may have a clock that is behind. */
  readonly #begin: number;
  readonly #served = new Set<Served>();
  readonly #listeners = new Set<() => void>();
  #renewAt: number;
  /** The CA bundle that was published last. */
  #published: string | undefined;
  #frontProxy: { readonly pair: KeyPair; readonly renewAt: number } | undefined;
  #kubeletClient: KeyPair | undefined;
  #timer: Timer | undefined;

  constructor(keys: ClusterKeys, clock: Clock) {
    this.#keys = keys;
    this.#clock = clock;
    this.#begin = clock.now() - hour;
    this.#renewAt = clock.now() + year * renewedAfter;
  }

  get authority(): CertificateAuthority {
    return this.#keys.authority(this.#clock.now());
  }

  /** The certificates, in PEM, of the CA and of former ones that are still trusted. */
  get trusted(): string {
    const { bundle } = this.#keys.trust(this.#clock.now());
    this.#published ??= bundle;
    return bundle;
  }

  /** Calls back when there are other CAs to trust, until the returned function is called. */
  onAuthority(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The serving certificate of a listener that is reached at these hosts, and the CA it verifies clients with. */
  identity(reachedAt: readonly string[]): { readonly serving: KeyPair; readonly clientAuthority: string } {
    const { bridges } = this.#keys.trust(this.#clock.now());
    const hosts = [...new Set([...reachedAt, ...loopback, ...names])];
    const { certificate, key } = this.authority.issue({
      commonName: "kube-apiserver",
      hosts,
      usage: "server",
      ...this.#validity(),
    });
    return { serving: { certificate: certificate + bridges, key }, clientAuthority: this.trusted };
  }

  /** Renews what a listener shows, as long as it listens. */
  keep(listener: Listener, hosts: readonly string[]): void {
    this.#served.add({ listener, hosts });
    if (!this.#timer) this.#lookLater();
  }

  /** The certificate, in PEM, of the CA that signs the front proxy's. */
  get frontProxyAuthority(): string {
    return this.#keys.frontProxyAuthority(this.#clock.now()).certificate;
  }

  /** The client certificate of the API server for extension API servers. */
  frontProxy(): KeyPair {
    const now = this.#clock.now();
    if (!this.#frontProxy || this.#frontProxy.renewAt < now) {
      const pair = this.#keys.frontProxyAuthority(now).issue({
        commonName: "front-proxy-client",
        usage: "client",
        ...this.#validity(),
      });
      this.#frontProxy = { pair, renewAt: now + year * renewedAfter };
    }
    return this.#frontProxy.pair;
  }

  /** The client certificate of the API server for kubelets. */
  kubeletClient(): KeyPair {
    this.#kubeletClient ??= this.authority.issue({
      commonName: "kube-apiserver-kubelet-client",
      organizations: ["system:masters"],
      usage: "client",
      ...this.#validity(),
    });
    return this.#kubeletClient;
  }

  /** Gives every listener a new certificate; connections that are open go on. */
  renew(): void {
    for (const { listener, hosts } of this.#served) listener.renew(this.identity(hosts));
    this.#frontProxy = undefined;
    this.#kubeletClient = undefined;
    this.#renewAt = this.#clock.now() + year * renewedAfter;
  }

  /** Replaces the CA, publishes the new one, and serves certificates signed by it from now on. */
  rotateCA(acceptFor: number): void {
    this.#published ??= this.trusted;
    this.#keys.rotateCA(this.#clock.now(), acceptFor);
    this.#look();
  }

  close(): void {
    this.#timer?.cancel();
    this.#served.clear();
    this.#listeners.clear();
  }

  #look(): void {
    if (this.#clock.now() >= this.#renewAt) this.renew();
    this.#notice();
    if (this.#served.size > 0) this.#lookLater();
  }

  /** Clocks jump, so that a timer for the day itself would not do. */
  #lookLater(): void {
    this.#timer?.cancel();
    const now = this.#clock.now();
    const { changesAt = Number.POSITIVE_INFINITY } = this.#keys.trust(now);
    this.#timer = this.#clock.setTimer(Math.min(lookEvery, changesAt - now), () => this.#look());
  }

  /** The CA is renewed when it is read and due; former CAs are trusted until they expire. */
  #notice(): void {
    const before = this.#published;
    const { trusted } = this;
    if (before === undefined || before === trusted) return;
    this.#published = trusted;
    this.renew();
    for (const notify of this.#listeners) notify();
  }

  #validity() {
    return { notBefore: this.#begin, notAfter: this.#clock.now() + year };
  }
}
