// Reads the client certificate of a TLS connection, and judges it for each request as kube-apiserver does: a connection, or a TLS session
// that is resumed, may outlive the certificate or the CA that it was made with.
import { X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";
import type { Peer, PeerCertificate } from "../auth/authenticate.js";

/** A client certificate as it was verified in the handshake. */
interface Presented {
  readonly certificate: PeerCertificate;
  /** The certificate, and those that lead from it to a CA. */
  readonly chain: readonly X509Certificate[];
  /** Milliseconds since 1970. */
  readonly validFrom: number;
  readonly validTo: number;
  /** The CAs that it was last verified with. */
  authorities: readonly X509Certificate[];
  isTrusted: boolean;
}

export class PeerReader {
  readonly #now: () => number;
  readonly #known = new WeakMap<TLSSocket, Presented | Peer>();
  #authorities: readonly X509Certificate[];

  /** `authorities` is PEM; `now` is in milliseconds since 1970. */
  constructor(authorities: string, now: () => number) {
    this.#authorities = certificatesIn(authorities);
    this.#now = now;
  }

  /** Verifies client certificates with these CAs from now on, on open connections too. */
  trust(authorities: string): void {
    this.#authorities = certificatesIn(authorities);
  }

  /** The client of a connection, at this moment. */
  of(socket: TLSSocket): Peer {
    let known = this.#known.get(socket);
    if (!known) {
      known = present(socket);
      this.#known.set(socket, known);
    }
    const address = socket.remoteAddress;
    if (!("chain" in known)) return { ...known, address };
    return { certificate: this.#isGood(known) ? known.certificate : "untrusted", address };
  }

  #isGood(presented: Presented): boolean {
    const now = this.#now();
    if (now < presented.validFrom || now > presented.validTo) return false;
    if (presented.authorities !== this.#authorities) {
      presented.authorities = this.#authorities;
      presented.isTrusted = presented.chain.some((each) =>
        this.#authorities.some((ca) => isIssuedBy(each, ca)),
      );
    }
    return presented.isTrusted;
  }
}

/** What a connection shows once and for all. */
function present(socket: TLSSocket): Presented | Peer {
  const leaf = socket.getPeerX509Certificate();
  if (!leaf) return {};
  if (!socket.authorized) return { certificate: "untrusted" };
  const { subject } = socket.getPeerCertificate();
  const commonName: string | string[] | undefined = subject.CN;
  const organizations: string | string[] = subject.O ?? [];
  // Without a name it says nothing about who this is.
  if (!commonName) return {};
  return {
    certificate: {
      commonName: [commonName].flat().at(-1) ?? "",
      organizations: [organizations].flat(),
      fingerprint: leaf.fingerprint256.replaceAll(":", "").toLowerCase(),
    },
    chain: chainOf(leaf),
    validFrom: Date.parse(leaf.validFrom),
    validTo: Date.parse(leaf.validTo),
    authorities: [],
    isTrusted: false,
  };
}

function chainOf(leaf: X509Certificate): readonly X509Certificate[] {
  const chain = [leaf];
  for (let next = leaf.issuerCertificate; next && chain.length < 10; next = next.issuerCertificate) {
    if (chain.some(({ fingerprint256 }) => fingerprint256 === next?.fingerprint256)) break;
    chain.push(next);
  }
  return chain;
}

const isIssuedBy = (certificate: X509Certificate, authority: X509Certificate): boolean =>
  certificate.checkIssued(authority) && certificate.verify(authority.publicKey);

const certificatesIn = (pem: string): readonly X509Certificate[] =>
  (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(
    (each) => new X509Certificate(each),
  );
