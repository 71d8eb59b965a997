// The templates a workload had, kept as ControllerRevisions so that pods of an old one can be made and gone back to.
import {
  ControllerRevision,
  controllerReference,
  deepEqual,
  getControllerOf,
  isAlreadyExists,
  isControlledBy,
  type KubeObject,
  type PodTemplateSpec,
  type ResourceDescriptor,
} from "@kubewright/api";
import type { CachedClient } from "@kubewright/runtime";
import { withSortedKeys } from "./sorted-keys.js";
import { revisionDataHash, templateHash } from "./template-hash.js";

/** On pods: which template they were made from. */
export const revisionLabel = "controller-revision-hash";
/** On revisions of StatefulSets: the hash of their template. Those of DaemonSets carry it as their pods do. */
const revisionHashLabel = "controller.kubernetes.io/hash";

/** The hash of a revision's template. */
export function revisionHash({ metadata }: ControllerRevision): string {
  return metadata?.labels?.[revisionHashLabel] ?? metadata?.labels?.[revisionLabel] ?? "";
}

/** The template pods have now, and the one they are to get. */
export interface TemplateRevisions {
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
}

/** A workload whose templates are kept. */
export interface RevisedWorkload {
  readonly kind: ResourceDescriptor;
  readonly object: KubeObject;
  readonly template: PodTemplateSpec | undefined;
  /** The name of the revision its pods had so far. */
  readonly currentRevision?: string | undefined;
}

/** Finds both, making the newest if the template is new. `known` are the revisions of the workload. */
export async function templateRevisions(
  client: CachedClient,
  workload: RevisedWorkload,
  known: readonly ControllerRevision[],
): Promise<TemplateRevisions> {
  const sorted = known.toSorted((a, b) => a.revision - b.revision);
  const next = (sorted.at(-1)?.revision ?? 0) + 1;
  const data = revisionData(workload);
  const equal = sorted.findLast((revision) => deepEqual(revision.data, data));
  let update = equal ?? (await create(client, workload, data, next));
  if (equal && equal !== sorted.at(-1))
    update = await client.update(ControllerRevision, { ...equal, revision: next });
  const current = sorted.find(({ metadata }) => metadata?.name === workload.currentRevision);
  const isSame = current?.metadata?.name === update.metadata?.name;
  return { current: isSame ? update : (current ?? update), update };
}

/** The template in a revision. */
export function templateIn({ data }: ControllerRevision): PodTemplateSpec | undefined {
  // The data was written by `revisionData`.
  const { template } = (data as RevisionData | undefined)?.spec ?? {};
  if (!template) return undefined;
  const { $patch: _patch, ...rest } = template;
  return rest;
}

/** The oldest revisions beyond the limit that are not among the names in use. */
export function pastRevisions(
  known: readonly ControllerRevision[],
  inUse: ReadonlySet<string | undefined>,
  limit: number,
): readonly ControllerRevision[] {
  const past = known
    .filter(({ metadata }) => !inUse.has(metadata?.name))
    .toSorted((a, b) => a.revision - b.revision);
  return past.slice(0, Math.max(0, past.length - limit));
}

interface RevisionData {
  readonly spec?: { readonly template?: PodTemplateSpec & { readonly $patch?: string } };
}

/** A patch of the template, written as Go writes maps: programs compare its bytes to know which revision a template is. */
export function revisionData({
  template,
}: Pick<RevisedWorkload, "template">): NonNullable<ControllerRevision["data"]> {
  const data: RevisionData = { spec: { template: { ...template, $patch: "replace" } } };
  return withSortedKeys(data) as NonNullable<ControllerRevision["data"]>;
}

const hashLabelOf = ({ kind }: ResourceDescriptor): string =>
  kind === "DaemonSet" ? revisionLabel : revisionHashLabel;

/** DaemonSets hash the template, as Deployments do; StatefulSets hash the data of the revision. */
function hashOf({ kind, template }: RevisedWorkload, data: unknown, collisions: number): string {
  return kind.kind === "DaemonSet"
    ? templateHash(template, collisions || undefined)
    : revisionDataHash(data, collisions);
}

async function create(
  client: CachedClient,
  workload: RevisedWorkload,
  data: NonNullable<ControllerRevision["data"]>,
  revision: number,
): Promise<ControllerRevision> {
  const { kind, object, template } = workload;
  for (let collisions = 0; ; collisions++) {
    const hash = hashOf(workload, data, collisions);
    const name = `${object.metadata?.name}-${hash}`;
    const namespace = object.metadata?.namespace;
    const revised: ControllerRevision = {
      metadata: {
        name,
        namespace,
        labels: { ...template?.metadata?.labels, [hashLabelOf(kind)]: hash },
        ...(object.metadata?.annotations ? { annotations: object.metadata.annotations } : {}),
        ownerReferences: [controllerReference(object, { kind })],
      },
      data,
      revision,
    };
    try {
      return await client.create(ControllerRevision, revised);
    } catch (error) {
      if (!isAlreadyExists(error) || collisions > 10) throw error;
      const existing = await client.live.get(ControllerRevision, name, { namespace });
      if (!deepEqual(existing.data, data)) continue;
      if (isControlledBy(existing, object)) return existing;
      if (!getControllerOf(existing)) return adopt(client, existing, workload);
    }
  }
}

/** A workload that is made again around its pods finds the revision that they were made from. */
function adopt(
  client: CachedClient,
  revision: ControllerRevision,
  { object, kind }: RevisedWorkload,
): Promise<ControllerRevision> {
  const { ownerReferences = [] } = revision.metadata ?? {};
  const owners = [...ownerReferences, controllerReference(object, { kind })];
  return client.update(ControllerRevision, {
    ...revision,
    metadata: { ...revision.metadata, ownerReferences: owners },
  });
}
