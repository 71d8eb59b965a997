// The templates a StatefulSet had, kept as ControllerRevisions so that pods of an old one can be made again.
import {
  ControllerRevision,
  controllerReference,
  deepEqual,
  isAlreadyExists,
  type PodTemplateSpec,
  StatefulSet,
} from "@kubewright/api";
import type { CachedClient } from "@kubewright/runtime";
import { templateHash } from "../../workload/template-hash.js";

export const revisionLabel = "controller-revision-hash";

/** The template pods have now, and the one they are to get. */
export interface SetRevisions {
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
}

/** Finds both, making the newest if the template is new. `known` are the revisions of the set. */
export async function setRevisions(
  client: CachedClient,
  set: StatefulSet,
  known: readonly ControllerRevision[],
): Promise<SetRevisions> {
  const sorted = known.toSorted((a, b) => a.revision - b.revision);
  const next = (sorted.at(-1)?.revision ?? 0) + 1;
  const data = revisionData(set);
  const equal = sorted.findLast((revision) => deepEqual(revision.data, data));
  let update = equal ?? (await create(client, set, data, next));
  if (equal && equal !== sorted.at(-1))
    update = await client.update(ControllerRevision, { ...equal, revision: next });
  const current = sorted.find(({ metadata }) => metadata?.name === set.status?.currentRevision);
  return {
    current: current?.metadata?.name === update.metadata?.name ? update : (current ?? update),
    update,
  };
}

/** The template in a revision. */
export function templateIn({ data }: ControllerRevision): PodTemplateSpec | undefined {
  const { template } =
    (data as { readonly spec?: { readonly template?: PodTemplateSpec & { $patch?: string } } } | undefined)
      ?.spec ?? {};
  if (!template) return undefined;
  const { $patch: _patch, ...rest } = template;
  return rest;
}

function revisionData({ spec }: StatefulSet): NonNullable<ControllerRevision["data"]> {
  const data: unknown = { spec: { template: { ...spec?.template, $patch: "replace" } } };
  return data as NonNullable<ControllerRevision["data"]>;
}

async function create(
  client: CachedClient,
  set: StatefulSet,
  data: NonNullable<ControllerRevision["data"]>,
  revision: number,
): Promise<ControllerRevision> {
  for (let collisions = 0; ; collisions++) {
    const hash = templateHash(set.spec?.template, collisions);
    const object: ControllerRevision = {
      metadata: {
        name: `${set.metadata?.name}-${hash}`,
        namespace: set.metadata?.namespace,
        labels: { ...set.spec?.template.metadata?.labels, "controller.kubernetes.io/hash": hash },
        ownerReferences: [controllerReference(set, { kind: StatefulSet })],
      },
      data,
      revision,
    };
    try {
      return await client.create(ControllerRevision, object);
    } catch (error) {
      if (!isAlreadyExists(error) || collisions > 10) throw error;
    }
  }
}
