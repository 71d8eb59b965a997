// The graph of owner references between all objects of the cluster, and the work that each change of it calls for.
//
// Invariants
// - A node is among the dependents of every node its owners name.
// - An owner that is named but was never seen is a virtual node: it is looked for, and goes if it is not there.
import { hasFinalizer, type KubeObject, type OwnerReference, parseApiVersion } from "@kubewright/api";

export const foregroundFinalizer = "foregroundDeletion";
export const orphanFinalizer = "orphan";

/** Where an object is, as far as is known. */
export interface Identity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Of the object, or of who named it as an owner. */
  readonly namespace: string | undefined;
}

export interface GraphNode {
  readonly uid: string;
  readonly identity: Identity;
  readonly owners: readonly OwnerReference[];
  readonly dependents: ReadonlySet<GraphNode>;
  readonly isVirtual: boolean;
  readonly isBeingDeleted: boolean;
  /** Waits for its dependents to go first. */
  readonly isDeletingDependents: boolean;
}

interface MutableNode extends GraphNode {
  identity: Identity;
  owners: readonly OwnerReference[];
  readonly dependents: Set<MutableNode>;
  isVirtual: boolean;
  isBeingDeleted: boolean;
  isDeletingDependents: boolean;
  isOrphaning: boolean;
}

/** Hears what a change calls for. */
export interface GraphWork {
  /** Look whether the object still has a reason to be. */
  examine(uid: string): void;
  /** Take the object away from its dependents. */
  orphan(uid: string): void;
  /** Say that the object names an owner of another namespace, which is none. */
  misplaced(uid: string, owner: string): void;
}

export class ObjectGraph {
  readonly #nodes = new Map<string, MutableNode>();
  readonly #work: GraphWork;

  constructor(work: GraphWork) {
    this.#work = work;
  }

  get size(): number {
    return this.#nodes.size;
  }

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  /** An object was seen. */
  put(identity: Identity, object: KubeObject): void {
    const { uid = "", ownerReferences = [] } = object.metadata ?? {};
    const known = this.#nodes.get(uid);
    const node = known ?? this.#add(uid, identity, false);
    node.identity = identity;
    if (node.isVirtual) this.#confirm(node);
    this.#setOwners(node, ownerReferences);
    this.#setDeletion(node, object);
  }

  /** An object is gone, or was found never to have been. */
  remove(uid: string): void {
    const node = this.#nodes.get(uid);
    if (!node) return;
    this.#nodes.delete(uid);
    for (const owner of node.owners) {
      const found = this.#nodes.get(owner.uid);
      found?.dependents.delete(node);
      if (found?.isDeletingDependents) this.#work.examine(owner.uid);
    }
    for (const dependent of node.dependents) this.#work.examine(dependent.uid);
  }

  #add(uid: string, identity: Identity, isVirtual: boolean): MutableNode {
    const node: MutableNode = {
      uid,
      identity,
      owners: [],
      dependents: new Set(),
      isVirtual,
      isBeingDeleted: false,
      isDeletingDependents: false,
      isOrphaning: false,
    };
    this.#nodes.set(uid, node);
    return node;
  }

  /** A virtual node turned out to be real; owner references to it may have wrong coordinates. */
  #confirm(node: MutableNode): void {
    node.isVirtual = false;
    for (const dependent of node.dependents) {
      const reference = dependent.owners.find(({ uid }) => uid === node.uid);
      if (reference) this.#compare(dependent, reference, node);
    }
  }

  #compare(node: MutableNode, reference: OwnerReference, owner: MutableNode): void {
    if (!isWithinReach(node, owner)) this.#work.misplaced(node.uid, owner.uid);
    if (!isWithinReach(node, owner) || !isRightName(reference, owner)) this.#work.examine(node.uid);
  }

  #setOwners(node: MutableNode, owners: readonly OwnerReference[]): void {
    const before = node.owners;
    node.owners = owners;
    for (const owner of owners) {
      if (!before.some(({ uid }) => uid === owner.uid)) this.#link(node, owner);
    }
    for (const owner of before) {
      const now = owners.find(({ uid }) => uid === owner.uid);
      if (!now) this.#nodes.get(owner.uid)?.dependents.delete(node);
      // An owner that waited for this one need not any more.
      if (owner.blockOwnerDeletion && !now?.blockOwnerDeletion && this.#nodes.has(owner.uid))
        this.#work.examine(owner.uid);
    }
  }

  #link(node: MutableNode, owner: OwnerReference): void {
    const known = this.#nodes.get(owner.uid);
    if (known) {
      known.dependents.add(node);
      if (!known.isVirtual) this.#compare(node, owner, known);
      return;
    }
    const { apiVersion, kind, name } = owner;
    const identity = { apiVersion, kind, name, namespace: node.identity.namespace };
    this.#add(owner.uid, identity, true).dependents.add(node);
    this.#work.examine(owner.uid);
  }

  #setDeletion(node: MutableNode, object: KubeObject): void {
    node.isBeingDeleted = object.metadata?.deletionTimestamp !== undefined;
    if (!node.isBeingDeleted) return;
    const isOrphaning = hasFinalizer(object, orphanFinalizer);
    if (isOrphaning && !node.isOrphaning) this.#work.orphan(node.uid);
    node.isOrphaning = isOrphaning;
    const isWaiting = hasFinalizer(object, foregroundFinalizer);
    if (isWaiting && !node.isDeletingDependents) {
      node.isDeletingDependents = true;
      for (const dependent of node.dependents) this.#work.examine(dependent.uid);
      this.#work.examine(node.uid);
    }
    if (!isWaiting) node.isDeletingDependents = false;
  }
}

/** Owners live in the same namespace or in none. */
function isWithinReach(dependent: GraphNode, { identity }: GraphNode): boolean {
  return identity.namespace === undefined || identity.namespace === dependent.identity.namespace;
}

/** Whether a reference names the object that has its uid. */
function isRightName(reference: OwnerReference, { identity }: GraphNode): boolean {
  const group = (apiVersion: string): string | undefined => parseApiVersion(apiVersion)?.group;
  return (
    reference.kind === identity.kind &&
    reference.name === identity.name &&
    group(reference.apiVersion) === group(identity.apiVersion)
  );
}
