// What a step is decided from: the configuration as the primary has it, the members' own answers, pods, claims, users and roles, and what
// is asked for. It is gathered anew for every step, and nothing else is known: an operator that was killed half-way finds what is half
// done in it.
import type { Hello, MemberReport, OwnState, RoleInfo, UserInfo } from "../client/commands.js";
import type { Credentials, Document } from "../client/mongo-member.js";
import {
  isVoting,
  type MemberConfig,
  type MemberState,
  majorityOf,
  type ReplicaSetConfig,
} from "../client/replica-set-documents.js";
import type { Mechanism } from "../client/scram.js";
import type { Exchange } from "./certificate-exchange.js";

export interface ObservedPod {
  readonly isReady: boolean;
  readonly isTerminating: boolean;
  readonly isScheduled: boolean;
  readonly createdAt: number;
  /** It was made from the present template of its StatefulSet. */
  readonly isCurrent: boolean;
  /** What it was started with of TLS that only another start changes. */
  readonly startedWith: string | undefined;
  readonly node: string | undefined;
  /** Why it does not start, in words for people. */
  readonly problem: string | undefined;
}

export interface ObservedClaim {
  readonly isBound: boolean;
  readonly isTerminating: boolean;
  readonly isLost: boolean;
  readonly createdAt: number;
  /** The StatefulSet made it from its template; others were made by hand. */
  readonly isFromTemplate: boolean;
}

/** Everything that has one pod's name. */
export interface Slot {
  readonly name: string;
  readonly ordinal: number;
  readonly isArbiter: boolean;
  /** Host and port. */
  readonly address: string;
  readonly pod: ObservedPod | undefined;
  readonly claim: ObservedClaim | undefined;
  /** Its own answer; undefined when it gave none. */
  readonly hello: Hello | undefined;
  /** Its place in the configuration. */
  readonly member: MemberConfig | undefined;
  /** The primary's report on it. */
  readonly report: MemberReport | undefined;
  /** What it says of its own state; undefined when it did not say. */
  readonly own: OwnState | undefined;
  /** It has a vote: by the configuration, or as it was recorded while nobody has shown the configuration. */
  readonly isVoter: boolean;
  /** Since when it is in the state that it is in, as far as that was seen. */
  readonly stateSince: number;
  /** The fingerprint of the certificate it shows; undefined without TLS. */
  readonly served: string | undefined;
  readonly unhealthySince: number | undefined;
}

export interface WantedUser {
  readonly name: string;
  readonly db: string;
  /** Undefined while its Secret is missing. */
  readonly password: string | undefined;
  readonly secret: string | undefined;
  readonly roles: readonly { readonly role: string; readonly db: string }[];
  readonly mechanisms: readonly Mechanism[];
  /** An agent of the operator's: it is no part of a backup. */
  readonly isAgent?: true;
}

export type WantedRole = RoleInfo;

/** What is asked for. */
export interface Wanted {
  readonly members: number;
  readonly arbiters: number;
  readonly version: string;
  readonly featureCompatibilityVersion: string | undefined;
  /** By ordinal. */
  readonly horizons: readonly Readonly<Record<string, string>>[];
  readonly users: readonly WantedUser[];
  readonly roles: readonly WantedRole[];
  readonly isPaused: boolean;
  /** Why nothing is done at all: doing it otherwise than asked would be worse. */
  readonly obstacle: string | undefined;
  /** The pod to go on with by force, where that is asked for and was not done yet. */
  readonly forceFrom: string | undefined;
}

/** What only somebody who has logged in sees. */
export interface Inside {
  readonly config: ReplicaSetConfig;
  readonly term: number;
  readonly compatibility: string | undefined;
  /** The write concern that holds only as long as no arbiter comes or goes: it has to be set before. */
  readonly unsetWriteConcern: Document | undefined;
  readonly users: readonly UserInfo[];
  readonly roles: readonly RoleInfo[];
}

/** How claims that were deleted by hand are waited for. */
export interface ClaimHold {
  readonly since: number;
}

/** Volumes that are smaller than asked for. */
export interface Storage {
  readonly size: string;
  /** Claims of the template that have to grow; those made by hand are left as they are. */
  readonly smaller: readonly string[];
  /** The StatefulSet's template asks for another size. */
  readonly isTemplateOld: boolean;
}

/** The certificates of members that use TLS. */
export interface Certificates {
  /** The fingerprint of the one they mount. */
  readonly mounted: string | undefined;
  /** What pods have to be started with to have read all that is mounted; see `ObservedPod.startedWith`. */
  readonly startedWith: string;
  /** The mounted one has expired: members refuse each other with it. */
  readonly isExpired: boolean;
  /** What to mount next. */
  readonly next: Exchange | undefined;
}

export interface Observed {
  readonly now: number;
  readonly name: string;
  readonly wanted: Wanted;
  /** The id of the replica set as recorded; undefined until it was initiated. */
  readonly replicaSetId: string | undefined;
  /** In the order of their numbers, arbiters last. */
  readonly slots: readonly Slot[];
  /** The pod of the primary; undefined while there is none. */
  readonly primary: string | undefined;
  /** Undefined while there is no primary, or it does not know the operator's user. */
  readonly inside: Inside | undefined;
  /** Why the primary could not be asked, where it is there. */
  readonly loginProblem: string | undefined;
  readonly hold: ClaimHold | undefined;
  readonly storage: Storage;
  /** Undefined while no member uses TLS. */
  readonly certificates: Certificates | undefined;
  /** The operator's own users: the one that it logs in as, and the one with the password that its agents have. */
  readonly operators: readonly Pick<Credentials, "user" | "db">[];
  /** The StatefulSets' controller has seen their present templates. */
  readonly areTemplatesSeen: boolean;
}

export const isAnswering = ({ hello }: Slot): boolean => hello !== undefined;

const steady: ReadonlySet<string> = new Set(["PRIMARY", "SECONDARY", "ARBITER"]);

/** It answers, the primary hears it, it has the data, and clients are sent to it. */
export const isHealthy = ({ hello, report, pod }: Slot): boolean =>
  hello !== undefined &&
  report?.isUp === true &&
  steady.has(report.state) &&
  pod?.isReady === true &&
  !pod.isTerminating;

/** The state of a member: its own answer counts before the primary's report, and neither for a member without a pod. */
export function stateOf({ own, report, hello, pod }: Slot): MemberState {
  if (own) return own.state;
  if (!hello && (!pod || pod.isTerminating)) return "UNKNOWN";
  if (report) return report.state;
  if (!hello) return "UNKNOWN";
  if (hello.isPrimary) return "PRIMARY";
  if (hello.isSecondary) return "SECONDARY";
  return hello.isArbiter ? "ARBITER" : "UNKNOWN";
}

export interface Majority {
  readonly voters: number;
  /** Voters that answer, or that the primary hears. */
  readonly there: number;
  readonly needed: number;
  /** Nothing can be written: fewer voters are there than are needed. */
  readonly isLost: boolean;
}

/** MongoDB's limit. */
export const mostVoters = 7;

export function majorityIn({ slots, wanted, replicaSetId }: Observed): Majority {
  const known = slots.filter(({ isVoter }) => isVoter);
  const voters = known.length || Math.min(mostVoters, wanted.members + wanted.arbiters);
  const there = (known.length > 0 ? known : slots).filter(isThere).length;
  const needed = majorityOf(voters);
  return { voters, there, needed, isLost: replicaSetId !== undefined && there < needed };
}

const isThere = ({ pod, hello, report }: Slot): boolean =>
  pod !== undefined && !pod.isTerminating && (hello !== undefined || report?.isUp === true);

export const membersOf = ({ slots }: Observed): readonly Slot[] => slots.filter(({ member }) => member);
export const votersOf = (observed: Observed): readonly Slot[] =>
  membersOf(observed).filter(({ member }) => member !== undefined && isVoting(member));
export const primaryOf = ({ slots, primary }: Observed): Slot | undefined =>
  slots.find(({ name }) => name === primary);
