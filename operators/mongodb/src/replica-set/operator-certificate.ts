// The certificate that the operator logs in with, where users of a replica set do so: MongoDB's own operator calls it that of its agent.
import { X509Certificate } from "node:crypto";
import { Secret } from "@kubewright/api";
import { defaultAgentSecret, type MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import type { CertificateLogin } from "../client/mongo-member.js";
import { certificatesIn } from "../client/pem.js";
import { isOfMember, subjectName } from "../client/subject-name.js";
import { certificateProblem } from "./certificate-check.js";
import type { Context } from "./context.js";
import { textIn } from "./secret-text.js";
import type { TlsMaterial, TlsProblem } from "./tls.js";

/** How the operator logs in: as asked for, or in the way that is left. */
export function agentMode({ spec }: MongoDBCommunity): "SCRAM" | "X509" {
  const { modes = ["SCRAM"], agentMode: asked } = spec.security.authentication ?? {};
  if (asked !== undefined) return asked === "X509" ? "X509" : "SCRAM";
  return modes.length > 0 && modes.every((mode) => mode === "X509") ? "X509" : "SCRAM";
}

export const agentSecret = ({ security }: MongoDBCommunity["spec"]): string =>
  security.authentication?.agentCertificateSecretRef?.name ?? defaultAgentSecret;

export interface OperatorCertificate {
  readonly login: CertificateLogin | undefined;
  readonly problem: TlsProblem | undefined;
}

const none: OperatorCertificate = { login: undefined, problem: undefined };

export async function readOperatorCertificate(
  mongodb: MongoDBCommunity,
  ctx: Context,
  tls: TlsMaterial | undefined,
  ca: string,
): Promise<OperatorCertificate> {
  if (agentMode(mongodb) !== "X509" || !tls) return none;
  const name = agentSecret(mongodb.spec);
  const source = `the Secret ${name}`;
  const refused = (reason: TlsProblem["reason"], message: string): OperatorCertificate => ({
    login: undefined,
    problem: { reason, message },
  });
  const secret = await ctx.get(Secret, name);
  const [certificate, key] = [textIn(secret, "tls.crt"), textIn(secret, "tls.key")];
  if (!certificate || !key)
    return refused(
      "CertificateMissing",
      `there is no certificate for the operator in ${source}: it needs tls.crt and tls.key`,
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
    }) ?? memberProblem(source, certificate, tls);
  if (message !== undefined) return refused("CertificateInvalid", message);
  const user = subjectName(new X509Certificate(certificate));
  return {
    login: { mechanism: "MONGODB-X509", user, db: "$external", certificate, key },
    problem: undefined,
  };
}

/** MongoDB makes no user of a name that members would take for one of their own. */
function memberProblem(
  source: string,
  certificate: string,
  { certificateKey }: TlsMaterial,
): string | undefined {
  const [own] = certificatesIn(certificateKey);
  return own && isOfMember(own, new X509Certificate(certificate))
    ? `the certificate in ${source} has the organizations, units and domain components of the members': members would take the operator for one of their own; issue it with others`
    : undefined;
}
