// Makes the claims of ephemeral volumes, which belong to their pod and go with it.
import { controllerReference, isAlreadyExists, PersistentVolumeClaim, Pod } from "@kubewright/api";
import { keyOf, objectKey } from "@kubewright/runtime";
import type { BuiltInController } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";

export const ephemeralVolumeController: BuiltInController = {
  name: "ephemeral-volume",
  start(environment) {
    const loop = new SyncLoop(environment, { name: "ephemeral-volume", sync });
    const pods = loop.watch(Pod, ({ current }) =>
      current && claimsFor(current).length > 0 ? [objectKey(current)] : [],
    );
    const claims = loop.cache(PersistentVolumeClaim);
    return loop.start();

    async function sync(key: string): Promise<undefined> {
      const pod = pods.get(key);
      if (!pod || pod.metadata?.deletionTimestamp) return;
      for (const claim of claimsFor(pod)) {
        if (claims.get(keyOf(claim.metadata?.name ?? "", claim.metadata?.namespace))) continue;
        await environment.client.create(PersistentVolumeClaim, claim).catch((error: unknown) => {
          if (!isAlreadyExists(error)) throw error;
        });
      }
    }
  },
};

/** The claims a pod's ephemeral volumes ask for. */
export function claimsFor(pod: Pod): readonly PersistentVolumeClaim[] {
  return (pod.spec?.volumes ?? []).flatMap(({ name, ephemeral }) => {
    const template = ephemeral?.volumeClaimTemplate;
    if (!template) return [];
    const { labels, annotations } = template.metadata ?? {};
    const metadata = {
      name: `${pod.metadata?.name}-${name}`,
      namespace: pod.metadata?.namespace,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ownerReferences: [controllerReference(pod, { kind: Pod })],
    };
    return [{ metadata, spec: template.spec }];
  });
}
