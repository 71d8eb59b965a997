// How members of the model show each other that they are members, by mongod's clusterAuthMode.
import type { ClusterAuthMode, TlsMode } from "./command.js";

export type Proof = "keyFile" | "x509";

export const sentBy = (mode: ClusterAuthMode): Proof =>
  mode === "keyFile" || mode === "sendKeyFile" ? "keyFile" : "x509";

export const accepts = (mode: ClusterAuthMode, proof: Proof): boolean =>
  mode === "sendKeyFile" || mode === "sendX509" || mode === proof;

/** Why mongod does not start in these modes together. */
export function modeRefusal(clusterAuth: ClusterAuthMode, tls: TlsMode): string | undefined {
  if (clusterAuth !== "keyFile" && tls === "disabled")
    return `need to enable TLS via the tlsMode flag when using clusterAuthMode ${clusterAuth}`;
  return sentBy(clusterAuth) === "x509" && tls === "allowTLS"
    ? "cannot have x.509 cluster authentication in allowTLS mode"
    : undefined;
}
