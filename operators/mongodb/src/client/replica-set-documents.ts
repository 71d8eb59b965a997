// The documents of MongoDB's replica set commands, as far as the operator reads and writes them.

export interface MemberConfig {
  readonly _id: number;
  readonly host: string;
  readonly arbiterOnly?: boolean | undefined;
  readonly hidden?: boolean | undefined;
  readonly priority?: number | undefined;
  readonly votes?: number | undefined;
  readonly horizons?: Readonly<Record<string, string>> | undefined;
  readonly [other: string]: unknown;
}

export interface ReplicaSetConfig {
  /** The name of the replica set. */
  readonly _id: string;
  readonly version: number;
  /** From version 4.4 on. */
  readonly term?: number | undefined;
  readonly members: readonly MemberConfig[];
  readonly settings?: Readonly<Record<string, unknown>> | undefined;
  readonly [other: string]: unknown;
}

/** The states of members, by MongoDB's numbers. */
export const memberStates = {
  0: "STARTUP",
  1: "PRIMARY",
  2: "SECONDARY",
  3: "RECOVERING",
  5: "STARTUP2",
  6: "UNKNOWN",
  7: "ARBITER",
  8: "DOWN",
  9: "ROLLBACK",
  10: "REMOVED",
} as const;

export type MemberState = (typeof memberStates)[keyof typeof memberStates];

export const isVoting = ({ votes }: MemberConfig): boolean => (votes ?? 1) > 0;
export const isArbiter = ({ arbiterOnly }: MemberConfig): boolean => arbiterOnly === true;
export const priorityOf = ({ priority, arbiterOnly }: MemberConfig): number =>
  arbiterOnly === true ? 0 : (priority ?? 1);

export const majorityOf = (voters: number): number => Math.floor(voters / 2) + 1;

/** Every field of the members as it was but for those changed, and the next version. */
export function withMembers(config: ReplicaSetConfig, members: readonly MemberConfig[]): ReplicaSetConfig {
  return { ...config, version: config.version + 1, members };
}
