// The assignment of endpoints to slices. An endpoint stays in its slice, so that a change touches as few slices as possible:
// room in slices that change anyway is used first, then one slice that has room for all the rest, then new ones.
import { deepEqual, type Endpoint, type EndpointSlice } from "@kubewright/api";
import type { EndpointGroup } from "./endpoint-groups.js";

/** Endpoints in one slice. */
const perSlice = 100;

/** The planned endpoints of a slice; undefined is the slice that is to be created. */
export interface PlannedSlice {
  readonly slice: EndpointSlice | undefined;
  readonly ports: EndpointGroup["ports"];
  readonly endpoints: readonly Endpoint[];
}

export interface SlicePlan {
  readonly slices: readonly PlannedSlice[];
  readonly surplus: readonly EndpointSlice[];
}

interface Draft {
  readonly slice: EndpointSlice | undefined;
  readonly endpoints: Endpoint[];
  isChanged: boolean;
}

/** The slices for all groups; one that is empty when there is no endpoint at all. */
export function planSlices(existing: readonly EndpointSlice[], groups: readonly EndpointGroup[]): SlicePlan {
  const slices: PlannedSlice[] = [];
  const spare = new Set(existing);
  for (const { ports, endpoints } of groups) {
    const mine = existing.filter((slice) => deepEqual(slice.ports ?? [], ports));
    for (const draft of fill(mine, endpoints)) {
      if (draft.slice) spare.delete(draft.slice);
      slices.push({ slice: draft.slice, ports, endpoints: draft.endpoints });
    }
  }
  if (slices.length === 0) slices.push({ slice: undefined, ports: [], endpoints: [] });
  // A slice that is no longer needed becomes one that is.
  const free = [...spare];
  const placed = slices.map((one) => (one.slice ? one : { ...one, slice: free.shift() }));
  return { slices: placed, surplus: free };
}

function fill(slices: readonly EndpointSlice[], wanted: readonly Endpoint[]): readonly Draft[] {
  const left = new Map(wanted.map((endpoint) => [identityOf(endpoint), endpoint]));
  const drafts = slices.map((slice) => keep(slice, left)).filter(isUseful);
  const changed = drafts.filter(({ isChanged }) => isChanged);
  for (const draft of changed.toSorted((a, b) => b.endpoints.length - a.endpoints.length)) pour(left, draft);
  while (left.size > 0) {
    const roomy = left.size < perSlice ? fullestWithRoom(drafts, left.size) : undefined;
    const draft: Draft = roomy ?? { slice: undefined, endpoints: [], isChanged: true };
    if (!roomy) drafts.push(draft);
    pour(left, draft);
  }
  return drafts;
}

/** The endpoints of a slice that stay, in their new state. */
function keep(slice: EndpointSlice, left: Map<string, Endpoint>): Draft {
  const endpoints: Endpoint[] = [];
  let isChanged = false;
  for (const endpoint of slice.endpoints ?? []) {
    const id = identityOf(endpoint);
    const wanted = left.get(id);
    isChanged ||= !wanted || !isSame(wanted, endpoint);
    if (wanted) endpoints.push(wanted);
    left.delete(id);
  }
  return { slice, endpoints, isChanged };
}

/** A slice that lost all its endpoints is deleted; one that was empty may be reused. */
const isUseful = ({ endpoints, isChanged }: Draft): boolean => endpoints.length > 0 || !isChanged;

function pour(left: Map<string, Endpoint>, draft: Draft): void {
  for (const [id, endpoint] of left) {
    if (draft.endpoints.length >= perSlice) return;
    draft.endpoints.push(endpoint);
    draft.isChanged = true;
    left.delete(id);
  }
}

function fullestWithRoom(drafts: readonly Draft[], count: number): Draft | undefined {
  return drafts
    .filter(({ endpoints, isChanged }) => !isChanged && endpoints.length + count <= perSlice)
    .toSorted((a, b) => b.endpoints.length - a.endpoints.length)[0];
}

const identityOf = ({ addresses, targetRef }: Endpoint): string =>
  `${targetRef?.namespace}/${targetRef?.name} ${targetRef?.uid} ${addresses.join()}`;

/** Hints are given when it is clear where everything goes. */
function isSame({ hints: _, ...a }: Endpoint, { hints: __, ...b }: Endpoint): boolean {
  return deepEqual(a, b);
}
