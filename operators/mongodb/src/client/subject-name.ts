// The names in certificates as MongoDB reads them: a user of $external is called what its certificate's subject is called, and members
// know each other by the organizations, units and domain components in theirs.
import type { X509Certificate } from "node:crypto";

/** One part a line, in the order of the certificate, with special characters escaped as RFC 2253 has it. */
const partsOf = ({ subject }: X509Certificate): readonly string[] =>
  subject.split("\n").map((part) => part.replaceAll(" + ", "+"));

/** The subject as MongoDB writes it, by RFC 2253: the last part first, as in `CN=me,O=us`. */
export const subjectName = (certificate: X509Certificate): string =>
  partsOf(certificate).toReversed().join(",");

const membership = /^(O|OU|DC)=./;

/** What makes a certificate one of a member: its organizations, units and domain components, in no order. */
export const membershipOf = (certificate: X509Certificate): readonly string[] =>
  partsOf(certificate)
    .flatMap((part) => part.split(/(?<!\\)\+/))
    .filter((part) => membership.test(part))
    .toSorted();

/** True where members take a client with this certificate for one of their own. */
export function isOfMember(own: X509Certificate, shown: X509Certificate): boolean {
  const [mine, theirs] = [membershipOf(own), membershipOf(shown)];
  return mine.length > 0 && mine.join("\n") === theirs.join("\n");
}
