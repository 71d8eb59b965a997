// The fields that a service account token Secret still lacks.
import type { Secret, ServiceAccount } from "@kubewright/api";

export const tokenType = "kubernetes.io/service-account-token";
export const accountName = "kubernetes.io/service-account.name";
export const accountUid = "kubernetes.io/service-account.uid";

export type SecretPlan =
  | "nothing"
  /** Its account is gone, or another one of the same name has come. */
  | "delete"
  | { readonly needsToken: boolean; readonly data: Readonly<Record<string, string>> };

/** The plan for a token Secret; `authority` is the CA certificate in PEM. */
export function planSecret(
  secret: Secret,
  account: ServiceAccount | undefined,
  authority: string,
): SecretPlan {
  const uid = secret.metadata?.annotations?.[accountUid];
  if (!account) return "delete";
  if (uid && uid !== account.metadata?.uid) return "delete";
  const data = {
    "ca.crt": Buffer.from(authority).toString("base64"),
    namespace: Buffer.from(secret.metadata?.namespace ?? "").toString("base64"),
  };
  const has = secret.data ?? {};
  const needsToken = !has["token"];
  const isComplete = has["ca.crt"] === data["ca.crt"] && has["namespace"] === data.namespace && uid;
  return isComplete && !needsToken ? "nothing" : { needsToken, data };
}
