// The shard map: the members that share the work, in one object that all members agree on, because each change of it is a
// compare-and-swap. Every change has its own generation, one more than the one before.

/** A member, and the generation it has been one since. */
export interface ShardMember {
  readonly id: string;
  readonly since: number;
}

export interface ShardMap {
  readonly generation: number;
  readonly members: readonly ShardMember[];
}

export const emptyMap: ShardMap = { generation: 0, members: [] };

export function withMember({ generation, members }: ShardMap, id: string): ShardMap {
  return { generation: generation + 1, members: [...members, { id, since: generation + 1 }] };
}

export function withoutMembers({ generation, members }: ShardMap, gone: ReadonlySet<string>): ShardMap {
  return { generation: generation + 1, members: members.filter(({ id }) => !gone.has(id)) };
}

/** As it is written down. */
export function encodeMap({ generation, members }: ShardMap): string {
  return JSON.stringify({ generation, members });
}

/** Undefined for what is no map. */
export function decodeMap(text: string | undefined): ShardMap | undefined {
  const value = parse(text);
  if (typeof value !== "object" || value === null || !("generation" in value) || !("members" in value))
    return undefined;
  const { generation, members } = value;
  if (typeof generation !== "number" || !Array.isArray(members) || !members.every(isMember)) return undefined;
  return { generation, members: members.map(({ id, since }) => ({ id, since })) };
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isMember(value: unknown): value is ShardMember {
  if (typeof value !== "object" || value === null || !("id" in value) || !("since" in value)) return false;
  return typeof value.id === "string" && typeof value.since === "number";
}
