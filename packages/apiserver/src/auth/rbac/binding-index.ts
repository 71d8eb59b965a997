// An index of bindings by subject, so that an authorization costs what the user's own bindings cost. The store's change
// events keep it up to date: a write that succeeded is seen by the very next request.

import type { ClusterRoleBinding, RoleRef, Subject } from "@kubewright/api";
import type { StoredObject, UserInfo } from "@kubewright/kinds";

import type { Change, Storage } from "../../storage/index.js";

/** A RoleBinding or ClusterRoleBinding, as the index keeps it. */
export interface Binding {
  readonly name: string;
  /** Empty for a binding that holds everywhere. */
  readonly namespace: string;
  readonly roleRef: RoleRef;
  readonly subjects: readonly Subject[];
}

type BindingsByName = Map<string, Binding>;

/** The bindings of one namespace, or of the cluster. Service accounts are users here. */
interface Scope {
  readonly User: Map<string, BindingsByName>;
  readonly Group: Map<string, BindingsByName>;
}

const tables = ["rbac.authorization.k8s.io/clusterrolebindings", "rbac.authorization.k8s.io/rolebindings"];

export class BindingIndex {
  readonly #scopes = new Map<string, Scope>();
  readonly #unsubscribe: (() => void)[] = [];

  constructor(storage: Storage) {
    for (const table of tables) {
      for (const object of storage.list(table, { prefix: "" })) this.#add(bindingOf(object));
      this.#unsubscribe.push(storage.subscribe(table, storage.revision, (change) => this.#follow(change)));
    }
  }

  /**
   * Every binding of that namespace (of the cluster if empty) that applies to the user. One that applies for several
   * reasons comes several times: the authorizer stops at the first rule that allows the request.
   */
  *find(namespace: string, user: UserInfo): Iterable<Binding> {
    const scope = this.#scopes.get(namespace);
    if (!scope) return;
    const own = scope.User.get(user.name);
    if (own) yield* own.values();
    for (const group of user.groups) {
      const shared = scope.Group.get(group);
      if (shared) yield* shared.values();
    }
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  #follow({ type, object, previous }: Change): void {
    if (previous) this.#remove(bindingOf(previous));
    if (type === "put") this.#add(bindingOf(object));
  }

  #add(binding: Binding): void {
    const scope = this.#scopes.get(binding.namespace) ?? { User: new Map(), Group: new Map() };
    this.#scopes.set(binding.namespace, scope);
    for (const subject of binding.subjects) {
      const bound = boundName(subject, binding.namespace);
      if (!bound) continue;
      const bindings = scope[bound.kind].get(bound.name) ?? new Map<string, Binding>();
      scope[bound.kind].set(bound.name, bindings.set(binding.name, binding));
    }
  }

  #remove({ name, namespace, subjects }: Binding): void {
    const scope = this.#scopes.get(namespace);
    for (const subject of subjects) {
      const bound = boundName(subject, namespace);
      if (!scope || !bound) continue;
      const bindings = scope[bound.kind].get(bound.name);
      bindings?.delete(name);
      if (bindings?.size === 0) scope[bound.kind].delete(bound.name);
    }
    if (scope?.User.size === 0 && scope.Group.size === 0) this.#scopes.delete(namespace);
  }
}

/** The first of the subjects through which a binding applies to the user. */
export function subjectFor({ subjects, namespace }: Binding, user: UserInfo): Subject | undefined {
  return subjects.find((subject) => {
    const bound = boundName(subject, namespace);
    return bound?.kind === "User" ? bound.name === user.name : bound && user.groups.includes(bound.name);
  });
}

/** Tables of the store hold objects of their own kind only. */
function bindingOf(object: StoredObject): Binding {
  const { roleRef, subjects } = object as unknown as Pick<ClusterRoleBinding, "roleRef" | "subjects">;
  const { name, namespace = "" } = object.metadata;
  return { name, namespace, roleRef, subjects: subjects ?? [] };
}

/** A service account is bound as the user it appears as; one without a namespace is of the binding's own. */
function boundName(
  { kind, name, namespace }: Subject,
  bindingNamespace: string,
): { readonly kind: "User" | "Group"; readonly name: string } | undefined {
  if (kind === "User" || kind === "Group") return { kind, name };
  const home = namespace || bindingNamespace;
  if (kind !== "ServiceAccount" || home === "") return undefined;
  return { kind: "User", name: `system:serviceaccount:${home}:${name}` };
}
