// Makes volumes for claims of classes that name this provisioner, as a storage driver would.
import {
  isAlreadyExists,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
} from "@kubewright/api";
import { classOf, selectedNode, waitsForConsumer } from "../../volumes/claim-binding.js";
import type { BuiltInController } from "../controller.js";
import { SyncLoop } from "../sync-loop.js";
import { provisionedVolume, provisioner } from "./provisioned-volume.js";

export { provisioner };

export const persistentVolumeProvisioner: BuiltInController = {
  name: "persistentvolume-provisioner",
  start(environment) {
    const { client } = environment;
    const loop = new SyncLoop(environment, { name: "persistentvolume-provisioner", sync });
    const claims = loop.watch(PersistentVolumeClaim, ({ key, current }) => (current ? [key] : []));
    const classes = loop.cache(StorageClass);
    const nodes = loop.cache(Node);
    return loop.start();

    async function sync(key: string): Promise<undefined> {
      const claim = claims.get(key);
      const storageClass = claim && classes.get(classOf(claim));
      if (!storageClass || !isAsked(claim, storageClass)) return;
      const events = environment.events(provisioner);
      events.normal(
        PersistentVolumeClaim,
        claim,
        "Provisioning",
        `External provisioner is provisioning volume for claim "${key}"`,
      );
      const node = nodes.get(claim.metadata?.annotations?.[selectedNode] ?? "");
      const volume = provisionedVolume(claim, storageClass, node);
      try {
        await client.create(PersistentVolume, volume);
      } catch (error) {
        if (isAlreadyExists(error)) return;
        throw error;
      }
      const text = `Successfully provisioned volume ${volume.metadata?.name}`;
      events.normal(PersistentVolumeClaim, claim, "ProvisioningSucceeded", text);
    }
  },
};

/** Whether the binder has asked this provisioner for a volume that is not made yet. */
function isAsked({ metadata, spec }: PersistentVolumeClaim, storageClass: StorageClass): boolean {
  const annotations = metadata?.annotations ?? {};
  return (
    !metadata?.deletionTimestamp &&
    !spec?.volumeName &&
    annotations["volume.kubernetes.io/storage-provisioner"] === provisioner &&
    storageClass.provisioner === provisioner &&
    (!waitsForConsumer(storageClass) || annotations[selectedNode] !== undefined)
  );
}
