// The rules for configurations of replica sets: what one must be by itself, and what it may become.
import {
  isArbiter,
  isVoting,
  type MemberConfig,
  majorityOf,
  priorityOf,
  type ReplicaSetConfig,
} from "../client/replica-set-documents.js";
import { CommandError } from "./command-error.js";

const invalid = (message: string): CommandError => new CommandError(93, "InvalidReplicaSetConfig", message);
const incompatible = (message: string): CommandError =>
  new CommandError(103, "NewReplicaSetConfigurationIncompatible", message);

export function checkConfig(config: ReplicaSetConfig, setName: string): void {
  const { members = [] } = config;
  if (config._id !== setName)
    throw invalid(
      `Rejecting initiate with a set name that differs from command line set name, initiate set name: ${config._id}, command line set name: ${setName}`,
    );
  if (members.length === 0 || members.length > 50) throw invalid("a replica set has 1 to 50 members");
  if (new Set(members.map(({ _id }) => _id)).size !== members.length)
    throw invalid("Found two member configurations with same _id field");
  if (new Set(members.map(({ host }) => host)).size !== members.length)
    throw invalid("Found two member configurations with same host field");
  if (members.filter(isVoting).length > 7)
    throw invalid("Replica set configuration contains more than 7 voting members");
  if (!members.some((member) => isVoting(member) && priorityOf(member) > 0))
    throw invalid("Replica set configuration must contain at least one non-arbiter member with priority > 0");
  for (const member of members) checkMember(member);
  checkHorizons(members);
}

function checkMember(member: MemberConfig): void {
  const { host, _id } = member;
  if (!/^[^\s:]+:\d+$/.test(host)) throw invalid(`host of member ${_id} is no host:port: ${host}`);
  if (!isVoting(member) && priorityOf(member) > 0)
    throw invalid("priority must be 0 when non-voting (votes:0)");
  if (isArbiter(member) && !isVoting(member)) throw invalid("arbiter must vote");
}

function checkHorizons(members: readonly MemberConfig[]): void {
  const names = members.map(({ horizons = {} }) => Object.keys(horizons).toSorted().join());
  if (new Set(names).size > 1)
    throw invalid("Saw a different number or different names of horizons in members of the replica set");
}

/** The members whose vote a change gives or takes. */
function changedVoters(before: ReplicaSetConfig, after: ReplicaSetConfig): readonly string[] {
  const voters = (config: ReplicaSetConfig) =>
    new Set(config.members.filter(isVoting).map(({ host }) => host));
  const [old, next] = [voters(before), voters(after)];
  return [...[...old].filter((host) => !next.has(host)), ...[...next].filter((host) => !old.has(host))];
}

export interface ChangeRules {
  /** From 4.4 on no change but a forced one gives or takes more than one vote. */
  readonly isOneVote: boolean;
  /** From 5.0 on none but a forced one changes the write concern that holds where nobody has set one. */
  readonly isDefaultKept: boolean;
}

/** With arbiters a majority of votes may be more than there are members with data: then one acknowledges. */
export function implicitWriteConcern({ members }: ReplicaSetConfig): 1 | "majority" {
  const voters = members.filter(isVoting);
  const bearing = voters.filter((member) => !isArbiter(member)).length;
  return bearing < voters.length && bearing <= majorityOf(voters.length) ? 1 : "majority";
}

export function checkChange(
  before: ReplicaSetConfig,
  after: ReplicaSetConfig,
  { isOneVote, isDefaultKept }: ChangeRules,
): void {
  if (!(after.version > before.version))
    throw incompatible(
      `New configuration version must be greater than old, but ${after.version} is not greater than ${before.version}`,
    );
  for (const { host, _id } of after.members) {
    const known = before.members.find((member) => member.host === host);
    if (known && known._id !== _id)
      throw incompatible(
        `New and old configurations both have members with host ${host} but in the new configuration the _id field is ${_id} and in the old configuration it is ${known._id}`,
      );
    if (
      known &&
      isArbiter(known) !== isArbiter(after.members.find((member) => member.host === host) ?? known)
    )
      throw incompatible("New and old configurations differ in the setting of the arbiterOnly field");
  }
  if (isOneVote && changedVoters(before, after).length > 1)
    throw incompatible("Non force replset reconfig can only add or remove at most 1 voting member");
  if (isDefaultKept && implicitWriteConcern(before) !== implicitWriteConcern(after))
    throw incompatible(
      "Reconfig attempted to install a config that would change the implicit default write concern. Use the setDefaultRWConcern command to set a cluster-wide write concern and try the reconfig again.",
    );
}

/** Whether one configuration is newer than another: by term, then by version. One without a term came by force. */
export function isNewer(a: ReplicaSetConfig, b: ReplicaSetConfig | undefined): boolean {
  if (!b) return true;
  const [one, other] = [a.term, b.term];
  if (one === undefined || other === undefined || one === -1 || other === -1) return a.version > b.version;
  return one === other ? a.version > b.version : one > other;
}

/** Whether two are the same. One without a term came by force, or from 4.2: then the version alone counts. */
export function isSame(
  a: Pick<ReplicaSetConfig, "version" | "term">,
  b: { version?: unknown; term?: unknown },
): boolean {
  const terms = [a.term ?? -1, b.term ?? -1];
  return a.version === b.version && (terms.includes(-1) || terms[0] === terms[1]);
}
