// Pods from a template.
import {
  controllerReference,
  type KubeObject,
  type Pod,
  type PodTemplateSpec,
  type ResourceDescriptor,
} from "@kubewright/api";

/** A pod of the owner, as its template says; the server gives it a name. */
export function podFromTemplate(
  ownerKind: ResourceDescriptor,
  owner: KubeObject,
  template: PodTemplateSpec | undefined,
): Pod {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  return {
    metadata: {
      generateName: `${owner.metadata?.name}-`,
      namespace: owner.metadata?.namespace,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(finalizers ? { finalizers } : {}),
      ownerReferences: [controllerReference(owner, { kind: ownerKind })],
    },
    spec: template?.spec,
  };
}

/**
 * Creates that many pods: one, then two, then four at a time, so that a namespace where none can be created is not
 * asked hundreds of times. Throws the first failure after the batch it came in.
 */
export async function createInBatches(count: number, create: () => Promise<unknown>): Promise<void> {
  let size = 1;
  for (let left = count; left > 0; left -= size, size = Math.min(size * 2, left)) {
    size = Math.min(size, left);
    const outcomes = await Promise.allSettled(Array.from({ length: size }, create));
    const failure = outcomes.find((outcome) => outcome.status === "rejected");
    if (failure) throw failure.reason;
  }
}

export { isNamespaceTerminating } from "@kubewright/api";
