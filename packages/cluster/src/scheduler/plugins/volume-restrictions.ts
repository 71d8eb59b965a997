// A claim that one pod may use at a time is used by one pod at a time.
import { type FilterPlugin, resolvable } from "../plugin.js";

const once = "ReadWriteOncePod";
const misfit = resolvable(
  "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode",
);

export const volumeRestrictions: FilterPlugin = {
  name: "VolumeRestrictions",
  prepare({ namespace, claims }, cluster) {
    const exclusive = claims.filter((name) => {
      const key = `${namespace}/${name}`;
      return cluster.volumes.claim(key)?.spec?.accessModes?.includes(once) && cluster.isClaimUsed(key);
    });
    if (exclusive.length === 0) return undefined;
    let users = exclusive.length;
    return {
      check: () => (users > 0 ? misfit : undefined),
      update(other, _node, sign) {
        if (other.namespace !== namespace) return;
        for (const name of other.claims) if (exclusive.includes(name)) users += sign;
      },
    };
  },
};
