// The tokens of service accounts in the volumes of pods.
import type { Pod } from "@kubewright/api";
import type { CachedClient } from "@kubewright/runtime";
import type { TokenRequestOptions } from "./volume-data.js";

/** The lifetime of a token in a volume, in seconds, where the volume says nothing. */
export const tokenLife = 3600;

/** Gets a token of the pod's service account that is good for as long as the pod is there. */
export async function podToken(
  { metadata, spec }: Pod,
  client: CachedClient,
  { audience, expirationSeconds = tokenLife }: TokenRequestOptions,
): Promise<string> {
  const { status } = await client.live.createToken(
    spec?.serviceAccountName ?? "default",
    {
      expirationSeconds,
      audiences: audience === undefined ? [] : [audience],
      boundObjectRef: { apiVersion: "v1", kind: "Pod", name: metadata?.name, uid: metadata?.uid },
    },
    { namespace: metadata?.namespace },
  );
  return status?.token ?? "";
}
