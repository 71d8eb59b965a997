// The certificate that the operator logs in with, where users of a replica set do so: MongoDB's own operator calls it that of its agent.
import { defaultAgentSecret, type MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { type ClientCertificate, readClientCertificate, type SecretReader } from "./client-certificate.js";
import type { TlsMaterial } from "./tls.js";

/** How the operator logs in: as asked for, or in the way that is left. */
export function agentMode({ spec }: MongoDBCommunity): "SCRAM" | "X509" {
  const { modes = ["SCRAM"], agentMode: asked } = spec.security.authentication ?? {};
  if (asked !== undefined) return asked === "X509" ? "X509" : "SCRAM";
  return modes.length > 0 && modes.every((mode) => mode === "X509") ? "X509" : "SCRAM";
}

export const agentSecret = ({ security }: MongoDBCommunity["spec"]): string =>
  security.authentication?.agentCertificateSecretRef?.name ?? defaultAgentSecret;

const none: ClientCertificate = { login: undefined, problem: undefined };

export async function readOperatorCertificate(
  mongodb: MongoDBCommunity,
  ctx: SecretReader,
  tls: TlsMaterial | undefined,
  ca: string,
): Promise<ClientCertificate> {
  if (agentMode(mongodb) !== "X509" || !tls) return none;
  const holder = {
    who: "the operator",
    secret: agentSecret(mongodb.spec),
    field: "agentCertificateSecretRef",
    otherwise: mongodb.spec.security.authentication?.agentMode
      ? "leave agentMode out"
      : "add SCRAM to the modes",
  };
  return readClientCertificate(ctx, holder, { tls, ca });
}
