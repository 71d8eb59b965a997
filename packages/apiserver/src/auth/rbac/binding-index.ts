// Bindings by whom they bind, so that a question costs what the asker's own bindings cost. Kept up to date by the
// store's own notices: a write that went through is seen by the very next question.
import type { ClusterRoleBinding, RoleRef, Subject } from "@kubewright/api";
import type { UserInfo } from "../../request/user.js";
import type { Change, Storage, StoredObject } from "../../storage/index.js";

/** A binding that applies to a user. */
export interface Bound {
  readonly name: string;
  /** Empty for a binding that holds everywhere. */
  readonly namespace: string;
  readonly roleRef: RoleRef;
  /** The subject through which it applies. */
  readonly subject: Subject;
  /** Its place among the subjects: the first one that fits is the one to name. */
  readonly position: number;
}

type Binding = Pick<ClusterRoleBinding, "roleRef" | "subjects">;

const tables = ["rbac.authorization.k8s.io/clusterrolebindings", "rbac.authorization.k8s.io/rolebindings"];

export class BindingIndex {
  /** By namespace and subject, then by the name of the binding. */
  readonly #bySubject = new Map<string, Map<string, Bound>>();
  readonly #unsubscribe: (() => void)[] = [];

  constructor(storage: Storage) {
    for (const table of tables) {
      for (const object of storage.list(table, { prefix: "" })) this.#add(object);
      this.#unsubscribe.push(storage.subscribe(table, storage.revision, (change) => this.#follow(change)));
    }
  }

  /** Every binding of that namespace (of the cluster if empty) that applies to the user, by name. */
  find(namespace: string, user: UserInfo): readonly Bound[] {
    const found = new Map<string, Bound>();
    collect(found, this.#bySubject.get(`${namespace}/User:${user.name}`));
    for (const group of user.groups) collect(found, this.#bySubject.get(`${namespace}/Group:${group}`));
    const bound = [...found.values()];
    return bound.length > 1 ? bound.sort((a, b) => (a.name < b.name ? -1 : 1)) : bound;
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }

  #follow({ type, object, previous }: Change): void {
    if (previous) this.#remove(previous);
    if (type === "put") this.#add(object);
  }

  #add(object: StoredObject): void {
    const { name, namespace = "" } = object.metadata;
    const { roleRef, subjects = [] } = bindingOf(object);
    for (const [position, subject] of subjects.entries()) {
      const key = keyOf(subject, namespace);
      if (key === undefined) continue;
      const bindings = this.#bySubject.get(key) ?? new Map<string, Bound>();
      if (bindings.size === 0) this.#bySubject.set(key, bindings);
      if (!bindings.has(name)) bindings.set(name, { name, namespace, roleRef, subject, position });
    }
  }

  #remove(object: StoredObject): void {
    const { name, namespace = "" } = object.metadata;
    for (const subject of bindingOf(object).subjects ?? []) {
      const key = keyOf(subject, namespace);
      const bindings = key === undefined ? undefined : this.#bySubject.get(key);
      if (key === undefined || !bindings) continue;
      bindings.delete(name);
      if (bindings.size === 0) this.#bySubject.delete(key);
    }
  }
}

/** Tables of the store hold objects of their own kind only. */
const bindingOf = (object: StoredObject): Binding => object as unknown as Binding;

/** A service account is bound as the user it appears as; one without a namespace is of the binding's own. */
function keyOf({ kind, name, namespace }: Subject, bindingNamespace: string): string | undefined {
  if (kind === "User" || kind === "Group") return `${bindingNamespace}/${kind}:${name}`;
  const home = namespace || bindingNamespace;
  if (kind !== "ServiceAccount" || home === "") return undefined;
  return `${bindingNamespace}/User:system:serviceaccount:${home}:${name}`;
}

function collect(into: Map<string, Bound>, bindings: ReadonlyMap<string, Bound> | undefined): void {
  if (!bindings) return;
  for (const [name, bound] of bindings) {
    const known = into.get(name);
    if (!known || known.position > bound.position) into.set(name, bound);
  }
}
