// What is wrong with a certificate before anything uses it: one that members would refuse is not given to any of them.
import type { KeyObject, X509Certificate } from "node:crypto";
import { certificatesIn, keyIn } from "../client/pem.js";
import { membershipOf } from "../client/subject-name.js";
import { isTrusted } from "../client/trust.js";

const purposes = { server: "1.3.6.1.5.5.7.3.1", client: "1.3.6.1.5.5.7.3.2" } as const;

export interface CertificateUse {
  /** Where it comes from, for people. */
  readonly source: string;
  readonly certificateKey: string;
  readonly ca: string;
  readonly now: number;
  readonly purposes: readonly (keyof typeof purposes)[];
  /** The names of the members it has to be good for. */
  readonly hosts: readonly string[];
  /** Members know each other by it. */
  readonly isMembership: boolean;
}

/** What is wrong, with the remedy; undefined when nothing is. */
export function certificateProblem(use: CertificateUse): string | undefined {
  const { source, certificateKey, ca } = use;
  let parts: { chain: readonly X509Certificate[]; key: KeyObject; authorities: readonly X509Certificate[] };
  try {
    const [chain, authorities] = [certificatesIn(certificateKey), certificatesIn(ca)];
    parts = { chain, authorities, key: keyIn(certificateKey) };
  } catch (error) {
    return `the certificate in ${source} cannot be read: ${(error as Error).message}`;
  }
  const [certificate] = parts.chain;
  if (!certificate) return `there is no certificate in PEM in ${source}`;
  if (!certificate.checkPrivateKey(parts.key))
    return `the key in ${source} is not that of its certificate; let both be issued together`;
  return timeProblem(certificate, use) ?? fitProblem(certificate, parts.chain, parts.authorities, use);
}

function timeProblem({ validFrom, validTo }: X509Certificate, use: CertificateUse): string | undefined {
  const day = (text: string): string => new Date(Date.parse(text)).toISOString().slice(0, 16);
  if (Date.parse(validTo) < use.now)
    return `the certificate in ${use.source} expired at ${day(validTo)}; renew it`;
  if (Date.parse(validFrom) > use.now)
    return `the certificate in ${use.source} is not valid before ${day(validFrom)}`;
  return undefined;
}

function fitProblem(
  certificate: X509Certificate,
  chain: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
  use: CertificateUse,
): string | undefined {
  const { source, hosts, now } = use;
  if (!isTrusted(chain, authorities, now))
    return `the certificate in ${source} is not issued by a CA in ca.crt; set ca.crt to the CA that issued it`;
  // What Node.js calls keyUsage is the extended one: purposes by their numbers, or nothing where every purpose is allowed.
  const allowed = certificate.keyUsage as readonly string[] | undefined;
  const missing = use.purposes.find((purpose) => allowed && !allowed.includes(purposes[purpose]));
  if (missing) return `the certificate in ${source} is not for use as a ${missing}; add that to its usages`;
  const host = hosts.find((each) => certificate.checkHost(each) === undefined);
  if (host !== undefined) return `the certificate in ${source} is not good for ${host}; add it to its names`;
  return use.isMembership && membershipOf(certificate).length === 0
    ? `the certificate in ${source} has no organization, unit or domain component, by which members would know each other`
    : undefined;
}

/** Members that know each other by certificates would not know those with other organizations, units or domain components. */
export function membershipProblem(mounted: string, wanted: string): string | undefined {
  const [before, after] = [mounted, wanted].map((text) =>
    certificatesIn(text).slice(0, 1).flatMap(membershipOf),
  );
  if (before?.join() === after?.join()) return undefined;
  return `members know each other by ${before?.join(", ")}, and would not know one with ${after?.join(", ") || "none of these"}: issue the certificate with the same organizations, units and domain components, or leave security.authentication.internalCluster out meanwhile`;
}
