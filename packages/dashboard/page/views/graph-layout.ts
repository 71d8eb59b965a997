// Where the objects of a graph are drawn: owners left of what they own, each family in rows of its own. Owner references nearly always
// make trees, so a walk over them is enough, and takes a millisecond where a general layout takes hundreds.
import type { ObjectSummary } from "../../src/protocol.js";

export interface PlacedObject {
  readonly object: ObjectSummary;
  readonly x: number;
  readonly y: number;
}

export interface Line {
  readonly id: string;
  readonly kind: "owns" | "refers";
  readonly from: PlacedObject;
  readonly to: PlacedObject;
}

export interface Layout {
  readonly placed: readonly PlacedObject[];
  readonly lines: readonly Line[];
  readonly width: number;
  readonly height: number;
}

export const boxWidth = 190;
export const boxHeight = 40;
const columnWidth = 240;
const rowHeight = 50;

export function layout(objects: readonly ObjectSummary[]): Layout {
  const byUid = new Map(objects.map((object) => [object.uid, object]));
  const children = childrenOf(objects, byUid);
  const placed = new Map<string, PlacedObject>();
  let row = 0;
  let deepest = 0;
  const place = (object: ObjectSummary, depth: number): number => {
    deepest = Math.max(deepest, depth);
    // Reserves its place first, so that a circle of owners ends.
    placed.set(object.uid, { object, x: depth * columnWidth, y: 0 });
    const owned = (children.get(object.uid) ?? []).filter(({ uid }) => !placed.has(uid));
    const rows = owned.map((child) => place(child, depth + 1));
    const y = rows.length > 0 ? ((rows[0] ?? 0) + (rows.at(-1) ?? 0)) / 2 : row++ * rowHeight;
    placed.set(object.uid, { object, x: depth * columnWidth, y });
    return y;
  };
  const hasOwner = ({ owners }: ObjectSummary): boolean => owners.some((uid) => byUid.has(uid));
  for (const root of sorted(objects.filter((object) => !hasOwner(object))))
    if (!placed.has(root.uid)) place(root, 0);
  for (const object of objects) if (!placed.has(object.uid)) place(object, 0);
  return {
    placed: [...placed.values()],
    lines: linesOf(placed),
    width: deepest * columnWidth + boxWidth,
    height: row * rowHeight,
  };
}

function childrenOf(
  objects: readonly ObjectSummary[],
  byUid: ReadonlyMap<string, ObjectSummary>,
): ReadonlyMap<string, readonly ObjectSummary[]> {
  const children = new Map<string, ObjectSummary[]>();
  for (const object of sorted(objects)) {
    const owner = object.owners.find((uid) => byUid.has(uid));
    if (owner === undefined) continue;
    const known = children.get(owner);
    if (known) known.push(object);
    else children.set(owner, [object]);
  }
  return children;
}

function sorted(objects: readonly ObjectSummary[]): readonly ObjectSummary[] {
  return [...objects].sort(
    (one, other) =>
      Number(other.custom) - Number(one.custom) ||
      one.kind.localeCompare(other.kind) ||
      one.name.localeCompare(other.name),
  );
}

const referenceOf = ({ kind, namespace, name }: ObjectSummary): string =>
  `${kind}/${namespace ?? ""}/${name}`;

function linesOf(placed: ReadonlyMap<string, PlacedObject>): readonly Line[] {
  const byReference = new Map([...placed.values()].map((each) => [referenceOf(each.object), each]));
  return [...placed.values()].flatMap((to): Line[] => {
    const { uid, owners, references } = to.object;
    const owns = owners.flatMap((owner): Line[] => {
      const from = placed.get(owner);
      return from ? [{ id: `${owner} ${uid}`, kind: "owns", from, to }] : [];
    });
    const refers = references.flatMap((reference): Line[] => {
      const target = byReference.get(reference);
      return target && target !== to
        ? [{ id: `${uid} ${reference}`, kind: "refers", from: to, to: target }]
        : [];
    });
    return [...owns, ...refers];
  });
}

/** Objects with their owners, everything below those, and what they refer to; each once. */
export function familiesOf(
  all: ReadonlyMap<string, ObjectSummary>,
  uids: readonly string[],
): readonly ObjectSummary[] {
  const children = new Map<string, ObjectSummary[]>();
  const byReference = new Map<string, ObjectSummary>();
  for (const object of all.values()) {
    byReference.set(referenceOf(object), object);
    for (const owner of object.owners) {
      const known = children.get(owner);
      if (known) known.push(object);
      else children.set(owner, [object]);
    }
  }
  const family = new Map<string, ObjectSummary>();
  const addBelow = (object: ObjectSummary): void => {
    if (family.has(object.uid)) return;
    family.set(object.uid, object);
    for (const child of children.get(object.uid) ?? []) addBelow(child);
    for (const reference of object.references) {
      const target = byReference.get(reference);
      if (target) family.set(target.uid, target);
    }
  };
  for (const uid of uids) {
    const top = topOf(all, uid);
    if (top) addBelow(top);
  }
  return [...family.values()];
}

function topOf(all: ReadonlyMap<string, ObjectSummary>, uid: string): ObjectSummary | undefined {
  const seen = new Set<string>();
  let object = all.get(uid);
  for (;;) {
    const owner = object?.owners.map((each) => all.get(each)).find((each) => each !== undefined);
    if (!owner || seen.has(owner.uid)) return object;
    seen.add(owner.uid);
    object = owner;
  }
}
