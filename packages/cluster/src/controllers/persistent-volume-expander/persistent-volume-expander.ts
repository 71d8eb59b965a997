// Grows volumes of this cluster's own provisioner when their claim asks for more.
import { compareQuantities, PersistentVolume, PersistentVolumeClaim } from "@kubewright/api";
import type { BuiltInController } from "../controller.js";
import { provisioner } from "../persistent-volume-provisioner/index.js";
import { SyncLoop } from "../sync-loop.js";

export const persistentVolumeExpander: BuiltInController = {
  name: "persistentvolume-expander",
  start(environment) {
    const { client } = environment;
    const loop = new SyncLoop(environment, { name: "persistentvolume-expander", sync });
    const claims = loop.watch(PersistentVolumeClaim, ({ key, current }) => (wantsMore(current) ? [key] : []));
    const volumes = loop.cache(PersistentVolume);
    return loop.start();

    async function sync(key: string): Promise<undefined> {
      const claim = claims.get(key);
      const volume = volumes.get(claim?.spec?.volumeName ?? "");
      if (!claim || !wantsMore(claim) || volume?.spec?.csi?.driver !== provisioner) return;
      const events = environment.events(`external-resizer ${provisioner}`);
      const name = volume.metadata?.name ?? "";
      events.normal(PersistentVolumeClaim, claim, "Resizing", `External resizer is resizing volume ${name}`);
      const storage = claim.spec?.resources?.requests?.["storage"] ?? "0";
      await client.patch(PersistentVolume, name, { merge: { spec: { capacity: { storage } } } });
      const status = { ...claim.status, capacity: { ...claim.status?.capacity, storage } };
      await client.update(PersistentVolumeClaim, { ...claim, status }, { subresource: "status" });
      events.normal(PersistentVolumeClaim, claim, "VolumeResizeSuccessful", "Resize volume succeeded");
    }
  },
};

function wantsMore(claim: PersistentVolumeClaim | undefined): boolean {
  const wanted = claim?.spec?.resources?.requests?.["storage"];
  const has = claim?.status?.capacity?.["storage"];
  if (claim?.status?.phase !== "Bound" || wanted === undefined || has === undefined) return false;
  return compareQuantities(wanted, has) > 0;
}
