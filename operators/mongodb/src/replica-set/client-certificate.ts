// Certificates by which the operator, the agents of backups and the exporter log in. Each is referenced by the name of a Secret, as
// cert-manager makes it, and checked before anything uses it: the key of the CA is usually not in the cluster, so that none can be issued.
import { X509Certificate } from "node:crypto";
import { Secret } from "@kubewright/api";
import type { CertificateLogin } from "../client/mongo-member.js";
import { certificatesIn } from "../client/pem.js";
import { isOfMember, subjectName } from "../client/subject-name.js";
import { certificateProblem } from "./certificate-check.js";
import { textIn } from "./secret-text.js";
import type { TlsMaterial, TlsProblem } from "./tls.js";

/** Reads Secrets; the contexts of all controllers do. */
export interface SecretReader {
  get(kind: typeof Secret, name: string, options?: { readonly live?: boolean }): Promise<Secret | undefined>;
  now(): number;
}

/** Whom a certificate is for. */
export interface Holder {
  /** For people, as in "the certificate of …". */
  readonly who: string;
  /** The name of the Secret. */
  readonly secret: string;
  /** The field of security.authentication that names another. */
  readonly field: string;
  /** How to do without one. */
  readonly otherwise: string;
}

/** What certificates are checked against. */
export interface Trust {
  /** What members mount. */
  readonly tls: TlsMaterial;
  /** The CAs that issue certificates. */
  readonly ca: string;
}

export interface ClientCertificate {
  readonly login: CertificateLogin | undefined;
  readonly problem: TlsProblem | undefined;
}

export async function readClientCertificate(
  ctx: SecretReader,
  holder: Holder,
  { tls, ca }: Trust,
): Promise<ClientCertificate> {
  const { who, secret: name, field, otherwise } = holder;
  const source = `the Secret ${name}`;
  const secret = await ctx.get(Secret, name);
  const [certificate, key] = [textIn(secret, "tls.crt"), textIn(secret, "tls.key")];
  if (!certificate || !key)
    return refused(
      "CertificateMissing",
      `there is no certificate for ${who} in ${source}: it needs tls.crt and tls.key. Issue one for clients and name its Secret in security.authentication.${field}, or ${otherwise}`,
    );
  const message =
    certificateProblem({
      source,
      certificateKey: `${certificate}\n${key}`,
      ca,
      now: ctx.now(),
      purposes: ["client"],
      hosts: [],
      isMembership: false,
    }) ?? memberProblem(holder, certificate, tls);
  if (message !== undefined) return refused("CertificateInvalid", message);
  const user = subjectName(new X509Certificate(certificate));
  return {
    login: { mechanism: "MONGODB-X509", user, db: "$external", certificate, key },
    problem: undefined,
  };
}

export const refused = (reason: TlsProblem["reason"], message: string): ClientCertificate => ({
  login: undefined,
  problem: { reason, message },
});

/** MongoDB makes no user of a name that members would take for one of their own. */
function memberProblem(
  { who, secret }: Holder,
  certificate: string,
  { certificateKey }: TlsMaterial,
): string | undefined {
  const [own] = certificatesIn(certificateKey);
  return own && isOfMember(own, new X509Certificate(certificate))
    ? `the certificate in the Secret ${secret} has the organizations, units and domain components of the members': members would take ${who} for one of their own; issue it with others`
    : undefined;
}
