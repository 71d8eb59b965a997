// A Secret with certificates that somebody else made, such as cert-manager: whether members could use it.
import { X509Certificate } from "node:crypto";
import { memberHost, memberName, type Place } from "../cluster/names.js";
import type { CertificateSource } from "./ca-rotation.js";
import type { SecretData } from "./secret-data.js";

const usages = { server: "1.3.6.1.5.5.7.3.1", client: "1.3.6.1.5.5.7.3.2" } as const;

/** The certificates of the Secret, or what is wrong with it. */
export function givenSource(
  name: string,
  data: SecretData | undefined,
  place: Place,
): CertificateSource | string {
  if (!data) return `there is no Secret ${name} with certificates`;
  const { "ca.crt": ca, "tls.crt": certificate, "tls.key": key } = data;
  if (!ca || !certificate || !key) return `Secret ${name} needs ca.crt, tls.crt and tls.key`;
  const problem = problemOf(certificate, place);
  return problem === undefined ? { ca, certificate, key } : `the certificate in Secret ${name} ${problem}`;
}

function problemOf(pem: string, place: Place): string | undefined {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(pem);
  } catch {
    return "cannot be read";
  }
  // Members dial each other by the first name, and look up the second one by the address of the member that connects.
  const host = memberHost(place, memberName(place.name, 0));
  const missing = [host, `${host}.cluster.local`].find((each) => certificate.checkHost(each) === undefined);
  if (missing !== undefined) return `is not good for *${missing.slice(missing.indexOf("."))}`;
  const { keyUsage = [] } = certificate;
  const isBoth = keyUsage.length === 0 || Object.values(usages).every((usage) => keyUsage.includes(usage));
  return isBoth ? undefined : "must be good both for servers and for clients (server auth, client auth)";
}
