// The pods behind an object, found by a label that holds its name.
import { Pod } from "@kubewright/api";
import { type Watched, watch } from "../controller/watches.js";

/**
 * Watches the pods that carry a label, each for the object that the label names in the pod's namespace. The index `object`
 * finds the pods of one: `ctx.byIndex(Pod, "object", "namespace/name")`.
 */
export function watchPods(label: string): Watched<typeof Pod> {
  const ownerOf = ({ metadata }: Pod): readonly string[] => {
    const name = metadata?.labels?.[label];
    return name ? [`${metadata?.namespace ?? ""}/${name}`] : [];
  };
  return watch(Pod, { labelSelector: label, indexes: { object: ownerOf }, targets: ownerOf });
}
