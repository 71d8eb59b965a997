// The pods behind an object, found by a label that holds its name.
import { Pod } from "@kubewright/api";
import { type Watched, watch } from "./watches.js";

/** Names the index of pods by the key of the object they belong to, which `ctx.pods()` reads. */
export const podIndex = "kubewright.dev/object";

/**
 * Watches the pods that carry a label, each for the object that the label names in the pod's namespace. `ctx.pods()` returns
 * those of the object being reconciled.
 *
 * @example
 * watches: [watchPods("example.com/app")]
 */
export function watchPods(label: string): Watched<typeof Pod> {
  const ownerOf = ({ metadata }: Pod): readonly string[] => {
    const name = metadata?.labels?.[label];
    return name ? [`${metadata?.namespace ?? ""}/${name}`] : [];
  };
  return watch(Pod, { labelSelector: label, indexes: { [podIndex]: ownerOf }, targets: ownerOf });
}
