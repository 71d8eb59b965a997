// The contents of the Secrets with certificates.
import { Secret } from "@kubewright/api";
import type { EtcdCluster } from "../api/v1alpha1/etcd-cluster.js";
import type { Context } from "../cluster/context.js";
import { clusterLabels } from "../cluster/member-pod.js";

/** Texts by key. */
export type SecretData = Readonly<Record<string, string>>;

/** Undefined where there is no such Secret. */
export async function readSecret(ctx: Context, name: string): Promise<SecretData | undefined> {
  const secret = await ctx.get(Secret, name);
  return (
    secret?.data &&
    Object.fromEntries(
      Object.entries(secret.data).map(([key, text]) => [key, Buffer.from(text, "base64").toString("utf8")]),
    )
  );
}

export async function writeSecret(
  cluster: EtcdCluster,
  ctx: Context,
  name: string,
  data: SecretData,
): Promise<void> {
  await ctx.apply(Secret, {
    metadata: { name, labels: clusterLabels(cluster) },
    type: "kubernetes.io/tls",
    data: Object.fromEntries(
      Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString("base64")]),
    ),
  });
}
