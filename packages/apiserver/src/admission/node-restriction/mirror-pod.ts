// NodeRestriction for pods: a kubelet creates only mirror pods, which refer to no API objects.

import type { Pod } from "@kubewright/api";
import { draftAs, notFound } from "@kubewright/kinds";
import { mirrorAnnotation, type ReferenceKind, references } from "../../auth/node/pod-references.js";

import type { AdmissionRequest } from "../../registry/admission-control.js";

/** The reason why the pod may not be created. */
export function checkMirrorPod(node: string, { object, context }: AdmissionRequest): string | undefined {
  if (!object) return undefined;
  const pod = draftAs<Pod>(object) as Pod;
  if (pod.metadata?.annotations?.[mirrorAnnotation] === undefined)
    return `pod does not have "${mirrorAnnotation}" annotation, node "${node}" can only create mirror pods`;
  if (pod.spec?.nodeName !== node)
    return `node "${node}" can only create pods with spec.nodeName set to itself`;
  return (
    ownerProblem(node, pod, () => {
      const found = context.services.storage.get("nodes", node);
      if (!found) throw notFound({ group: "", resource: "nodes", name: node });
      return found.metadata.uid;
    }) ?? referenceProblem(node, pod)
  );
}

function ownerProblem(node: string, { metadata }: Pod, uidOfNode: () => string): string | undefined {
  const owners = metadata?.ownerReferences ?? [];
  if (owners.length > 1)
    return `node "${node}" can only create pods with a single owner reference set to itself`;
  const [owner] = owners;
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node)
    return `node "${node}" can only create pods with an owner reference set to itself`;
  if (!owner.controller)
    return `node "${node}" can only create pods with a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion) return `node "${node}" must not set blockOwnerDeletion on an owner reference`;
  const uid = uidOfNode();
  return owner.uid === uid ? undefined : `node ${node} UID mismatch: expected ${owner.uid} got ${uid}`;
}

const named: readonly (readonly [ReferenceKind, string])[] = [
  ["serviceaccounts", "a service account"],
  ["secrets", "secrets"],
  ["configmaps", "configmaps"],
];

function referenceProblem(node: string, pod: Pod): string | undefined {
  const no = (what: string): string => `node "${node}" can not create pods that reference ${what}`;
  for (const [kind, what] of named) for (const name of references(pod, kind)) if (name) return no(what);
  const volumes = pod.spec?.volumes ?? [];
  if (volumes.some(({ projected }) => projected?.sources?.some((source) => source.clusterTrustBundle)))
    return no("clustertrustbundles");
  if (volumes.some(({ persistentVolumeClaim }) => persistentVolumeClaim)) return no("persistentvolumeclaims");
  return (pod.spec?.resourceClaims?.length ?? 0) > 0 ? no("resourceclaims") : undefined;
}
