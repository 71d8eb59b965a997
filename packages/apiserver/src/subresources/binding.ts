// `/binding` and the `bindings` collection: how a scheduler says where a pod is to run.

import {
  type Binding,
  type Draft,
  type FieldError,
  fieldError,
  joinFieldErrors,
  type Pod,
} from "@kubewright/api";
import {
  badRequest,
  conflict,
  type DraftObject,
  draftAs,
  notFound,
  type StoredObject,
  setPodCondition,
  storedAs,
} from "@kubewright/kinds";

import type { RequestContext } from "../registry/request-context.js";
import { keyOf, type ResourceKind, type SubresourceResult, subjectOf } from "../registry/resource-kind.js";
import { writeOptions } from "../registry/write-options.js";
import { RevisionConflict } from "../storage/index.js";
import { decodeAction, done, plainFailure } from "./action-body.js";

const bindingKind = { group: "", version: "v1", kind: "Binding" };

/** POST to a pod's `/binding`. */
export async function bindNamedPod(context: RequestContext, kind: ResourceKind): Promise<SubresourceResult> {
  const { info } = context;
  if (info.kind !== "resource" || info.name === undefined) return done;
  const options = writeOptions(context, "CreateOptions");
  const binding = decodeAction<Draft<Binding>>(context, [bindingKind], options);
  if (binding.metadata?.name && binding.metadata.name !== info.name)
    throw badRequest("name in URL does not match name in Binding object");
  binding.metadata = { ...binding.metadata, name: info.name };
  await bindPod(context, kind, info.namespace, binding, options.dryRun);
  return done;
}

/** POST to `bindings`. */
export async function reviewBinding(object: DraftObject, context: RequestContext): Promise<DraftObject> {
  const { info } = context;
  const kind = context.services.registry.find("", "v1", "pods");
  if (!kind || info.kind !== "resource") throw plainFailure("there are no pods");
  const options = writeOptions(context, "CreateOptions");
  await bindPod(context, kind, info.namespace, draftAs<Binding>(object), options.dryRun);
  return done.object as DraftObject;
}

async function bindPod(
  context: RequestContext,
  kind: ResourceKind,
  namespace: string | undefined,
  binding: Draft<Binding>,
  dryRun: boolean,
): Promise<void> {
  const name = binding.metadata?.name ?? "";
  const { admission } = context.services;
  const request = {
    operation: "CREATE" as const,
    kind,
    subresource: "binding",
    name,
    namespace,
    object: binding as unknown as DraftObject,
    oldObject: undefined,
    dryRun,
    context,
  };
  await admission.mutate(request);
  const errors = validateBinding(binding);
  if (errors.length > 0) throw plainFailure(joinFieldErrors(errors));
  await admission.validate(request);
  while (!(await tryBind(context, kind, namespace, binding, dryRun)));
}

function validateBinding({ target }: Binding): FieldError[] {
  const errors: FieldError[] = [];
  if (target?.kind && target.kind !== "Node")
    errors.push(fieldError.notSupported("target.kind", target.kind, ["Node", "<empty>"]));
  if (!target?.name) errors.push(fieldError.required("target.name"));
  return errors;
}

/** False when someone else wrote to the pod meanwhile. */
async function tryBind(
  context: RequestContext,
  kind: ResourceKind,
  namespace: string | undefined,
  binding: Draft<Binding>,
  dryRun: boolean,
): Promise<boolean> {
  const { storage, clock } = context.services;
  const name = binding.metadata?.name ?? "";
  const key = keyOf(kind, namespace, name);
  const stored = storage.get(kind.storage, key);
  if (!stored) throw notFound(subjectOf(kind, name));
  const pod = storedAs<Pod>(stored);
  const problem = whyNot(pod, binding);
  if (problem) throw conflict({ group: "", resource: "pods/binding", name }, problem);
  if (dryRun) return true;
  const object = bound(stored, binding, clock.now());
  try {
    storage.put(kind.storage, key, object, { revision: stored.metadata.resourceVersion });
  } catch (error) {
    if (error instanceof RevisionConflict) return false;
    throw error;
  }
  return true;
}

function whyNot({ metadata, spec }: Pod, binding: Binding): string | undefined {
  const name = metadata?.name;
  const { uid, resourceVersion } = binding.metadata ?? {};
  if (uid && uid !== metadata?.uid)
    return `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata?.uid}`;
  if (resourceVersion && resourceVersion !== metadata?.resourceVersion) {
    return `Precondition failed: ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${metadata?.resourceVersion}`;
  }
  if (metadata?.deletionTimestamp) return `pod ${name} is being deleted, cannot be assigned to a host`;
  if (spec?.nodeName) return `pod ${name} is already assigned to node "${spec.nodeName}"`;
  return (spec?.schedulingGates ?? []).length > 0
    ? `pod ${name} has non-empty .spec.schedulingGates`
    : undefined;
}

/** The pod with its node. All that the binding does not change is shared with the pod as it was. */
function bound(stored: StoredObject, { metadata, target }: Binding, now: number): DraftObject {
  const before = draftAs<Pod>(stored as unknown as DraftObject);
  const pod = { ...before, metadata: { ...before.metadata }, status: { ...before.status } };
  pod.spec = { ...(before.spec ?? { containers: [] }), nodeName: target.name };
  for (const field of ["annotations", "labels"] as const)
    if (Object.keys(metadata?.[field] ?? {}).length > 0)
      pod.metadata[field] = { ...pod.metadata[field], ...metadata?.[field] };
  delete pod.status.nominatedNodeName;
  const scheduled = { type: "PodScheduled", status: "True" };
  pod.status.conditions = setPodCondition(pod.status.conditions, scheduled, now);
  return pod as unknown as DraftObject;
}
