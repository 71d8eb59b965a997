// The set of fields a manager owns: a tree of path elements. Sets are immutable once built and operations return one of
// their operands when the result equals it, so that "nothing changed" costs a comparison of references.
import { type FieldPath, fieldElement, type PathElement, sortElements } from "./path-element.js";

const noMembers: ReadonlySet<PathElement> = new Set();
const noChildren: ReadonlyMap<PathElement, FieldSet> = new Map();

/**
 * A set of field paths.
 *
 * @example
 * const owned = FieldSet.of(["f:spec", "f:replicas"]);
 * owned.difference(FieldSet.of(["f:spec", "f:replicas"])).isEmpty; // true
 */
export class FieldSet {
  static readonly empty = new FieldSet(noMembers, noChildren);

  /** Elements that are in the set themselves. */
  readonly members: ReadonlySet<PathElement>;
  /** The sets below elements; none is empty. */
  readonly children: ReadonlyMap<PathElement, FieldSet>;

  constructor(members: ReadonlySet<PathElement>, children: ReadonlyMap<PathElement, FieldSet>) {
    this.members = members;
    this.children = children;
  }

  /** The set of these paths. */
  static of(...paths: readonly FieldPath[]): FieldSet {
    const builder = new FieldSetBuilder();
    for (const path of paths) builder.insert(path);
    return builder.build();
  }

  /** The set of these dotted paths of plain fields: `metadata.labels`. */
  static ofFields(paths: readonly string[]): FieldSet {
    return FieldSet.of(...paths.map((path) => path.split(".").map(fieldElement)));
  }

  get isEmpty(): boolean {
    return this.members.size === 0 && this.children.size === 0;
  }

  /** Number of paths. */
  get size(): number {
    let size = this.members.size;
    for (const child of this.children.values()) size += child.size;
    return size;
  }

  has(path: FieldPath): boolean {
    const last = path.at(-1);
    if (last === undefined) return false;
    let set: FieldSet | undefined = this;
    for (let index = 0; index < path.length - 1; index++) set = set?.children.get(path[index] ?? "");
    return set?.members.has(last) ?? false;
  }

  equals(other: FieldSet): boolean {
    if (this === other) return true;
    if (this.members.size !== other.members.size || this.children.size !== other.children.size) return false;
    for (const member of this.members) if (!other.members.has(member)) return false;
    for (const [element, child] of this.children) {
      const counterpart = other.children.get(element);
      if (!counterpart || !child.equals(counterpart)) return false;
    }
    return true;
  }

  /** True when every path of the other is here too. */
  includes(other: FieldSet): boolean {
    if (this === other) return true;
    for (const member of other.members) if (!this.members.has(member)) return false;
    for (const [element, child] of other.children) {
      if (!this.children.get(element)?.includes(child)) return false;
    }
    return true;
  }

  union(other: FieldSet): FieldSet {
    if (this === other || other.isEmpty) return this;
    if (this.isEmpty) return other;
    const members = withMembers(this.members, other.members);
    let children: Map<PathElement, FieldSet> | undefined;
    for (const [element, theirs] of other.children) {
      const ours = this.children.get(element);
      const both = ours?.union(theirs) ?? theirs;
      if (both === ours) continue;
      children ??= new Map(this.children);
      children.set(element, both);
    }
    if (members === this.members && !children) return this;
    return new FieldSet(members, children ?? this.children);
  }

  /** The paths in both sets. */
  intersection(other: FieldSet): FieldSet {
    if (this === other) return this;
    const members = selectMembers(this.members, other.members, true);
    return this.rebuilt(members, (child, element) => {
      const theirs = other.children.get(element);
      return theirs ? child.intersection(theirs) : FieldSet.empty;
    });
  }

  /** The paths that are not in the other set; a path stays when the other has only paths above or below it. */
  difference(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    if (this === other) return FieldSet.empty;
    const members = selectMembers(this.members, other.members, false);
    return this.rebuilt(members, (child, element) => {
      const theirs = other.children.get(element);
      return theirs ? child.difference(theirs) : child;
    });
  }

  /** The paths that are neither in the other set nor below one of its paths. */
  recursiveDifference(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    const members = selectMembers(this.members, other.members, false);
    return this.rebuilt(members, (child, element) => {
      if (other.members.has(element)) return FieldSet.empty;
      const theirs = other.children.get(element);
      return theirs ? child.recursiveDifference(theirs) : child;
    });
  }

  /** Only the paths that nothing in the set lies below. */
  leaves(): FieldSet {
    const members = selectMembers(this.members, this.children, false);
    return this.rebuilt(members, (child) => child.leaves());
  }

  /** Every path, in the server's order: an object's own members before what lies deeper. */
  *paths(prefix: FieldPath = []): Generator<FieldPath> {
    for (const member of sortElements([...this.members])) yield [...prefix, member];
    for (const element of sortElements([...this.children.keys()])) {
      yield* this.children.get(element)?.paths([...prefix, element]) ?? [];
    }
  }

  /** This set with other members and every child mapped; children that became empty go. */
  rebuilt(
    members: ReadonlySet<PathElement>,
    map: (child: FieldSet, element: PathElement) => FieldSet,
  ): FieldSet {
    const children: [PathElement, FieldSet][] = [];
    let changed = false;
    for (const entry of this.children) {
      const mapped = map(entry[1], entry[0]);
      if (mapped === entry[1]) {
        children.push(entry);
        continue;
      }
      changed = true;
      if (!mapped.isEmpty) children.push([entry[0], mapped]);
    }
    if (members === this.members && !changed) return this;
    if (members.size === 0 && children.length === 0) return FieldSet.empty;
    return new FieldSet(members, changed ? new Map(children) : this.children);
  }
}

/** Collects paths into a set. */
export class FieldSetBuilder {
  #members: Set<PathElement> | undefined;
  #children: Map<PathElement, FieldSetBuilder> | undefined;

  /** Adds a path; the root itself is never a member. */
  insert(path: FieldPath): void {
    let node: FieldSetBuilder = this;
    const last = path.length - 1;
    for (let index = 0; index < last; index++) node = node.#descend(path[index] ?? "");
    const element = path[last];
    if (element === undefined) return;
    node.#members ??= new Set();
    node.#members.add(element);
  }

  #descend(element: PathElement): FieldSetBuilder {
    this.#children ??= new Map();
    let child = this.#children.get(element);
    if (!child) {
      child = new FieldSetBuilder();
      this.#children.set(element, child);
    }
    return child;
  }

  build(): FieldSet {
    if (!this.#members && !this.#children) return FieldSet.empty;
    if (!this.#children) return new FieldSet(this.#members ?? noMembers, noChildren);
    const children = new Map<PathElement, FieldSet>();
    for (const [element, child] of this.#children) children.set(element, child.build());
    return new FieldSet(this.#members ?? noMembers, children);
  }
}

function withMembers(a: ReadonlySet<PathElement>, b: ReadonlySet<PathElement>): ReadonlySet<PathElement> {
  let result: Set<PathElement> | undefined;
  for (const member of b) {
    if (a.has(member)) continue;
    result ??= new Set(a);
    result.add(member);
  }
  return result ?? a;
}

/** The members that are (or are not) among others; the very set when those are all. */
function selectMembers(
  members: ReadonlySet<PathElement>,
  others: Pick<ReadonlySet<PathElement>, "has">,
  present: boolean,
): ReadonlySet<PathElement> {
  const selected: PathElement[] = [];
  for (const member of members) if (others.has(member) === present) selected.push(member);
  if (selected.length === members.size) return members;
  return selected.length === 0 ? noMembers : new Set(selected);
}
