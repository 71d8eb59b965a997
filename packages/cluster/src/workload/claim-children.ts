// The children of a controller's owner: objects it controls that match its selector. Matching objects without a controller are
// adopted, its own that no longer match are released.
import {
  controllerReference,
  getControllerOf,
  isNotFound,
  type KubeObject,
  type LabelMatcher,
  type ResourceDescriptor,
} from "@kubewright/api";
import type { CachedClient } from "@kubewright/runtime";

export interface Claim<T extends KubeObject> {
  readonly client: CachedClient;
  readonly ownerKind: ResourceDescriptor<KubeObject, KubeObject>;
  readonly owner: KubeObject;
  readonly selector: LabelMatcher;
  readonly childKind: ResourceDescriptor<T, T>;
  /** Of the owner's namespace: those it controls, and those nobody controls. */
  readonly candidates: Iterable<T>;
  /** Narrows which of those nobody controls may be adopted. */
  readonly mayAdopt?: ((child: T) => boolean) | undefined;
}

/** The children the owner has after adopting and releasing. */
export async function claimChildren<T extends KubeObject>(claim: Claim<T>): Promise<T[]> {
  const claimed: T[] = [];
  let isOwnerAlive: boolean | undefined;
  for (const child of claim.candidates) {
    const controller = getControllerOf(child);
    const matches = claim.selector.matches(child.metadata?.labels);
    if (controller) {
      if (controller.uid !== claim.owner.metadata?.uid) continue;
      if (matches) claimed.push(child);
      else if (!claim.owner.metadata?.deletionTimestamp) await release(claim, child);
      continue;
    }
    if (!matches || child.metadata?.deletionTimestamp || claim.owner.metadata?.deletionTimestamp) continue;
    if (claim.mayAdopt?.(child) === false) continue;
    // The cache may not know yet that the owner is terminating; what it adopts then would be deleted with it.
    isOwnerAlive ??= await stillThere(claim);
    if (isOwnerAlive) claimed.push(await adopt(claim, child));
  }
  return claimed;
}

async function stillThere<T extends KubeObject>({ client, ownerKind, owner }: Claim<T>): Promise<boolean> {
  const { name = "", namespace, uid } = owner.metadata ?? {};
  const fresh = await client.live.get(ownerKind, name, { namespace });
  return fresh.metadata?.uid === uid && !fresh.metadata?.deletionTimestamp;
}

function adopt<T extends KubeObject>(claim: Claim<T>, child: T): Promise<T> {
  const reference = controllerReference(claim.owner, { kind: claim.ownerKind });
  return patchOwners(claim, child, reference);
}

async function release<T extends KubeObject>(claim: Claim<T>, child: T): Promise<void> {
  try {
    await patchOwners(claim, child, { $patch: "delete", uid: claim.owner.metadata?.uid });
  } catch (error) {
    // It is gone: so is the claim.
    if (!isNotFound(error)) throw error;
  }
}

function patchOwners<T extends KubeObject>(claim: Claim<T>, child: T, entry: object): Promise<T> {
  const { name = "", namespace, uid } = child.metadata ?? {};
  const strategic = { metadata: { uid, ownerReferences: [entry] } };
  return claim.client.patch(claim.childKind, name, { strategic }, { namespace });
}
