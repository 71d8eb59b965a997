// Carries out a step. Each is repeated without harm: what is done already is found done, and an answer that was lost is found in what is
// observed next.
import { isDeepStrictEqual } from "node:util";
import { PersistentVolumeClaim, Pod, StatefulSet } from "@kubewright/api";
import type { MongoDBCommunity } from "../api/v1/mongo-db-community.js";
import { majority } from "../client/commands.js";
import { type Document, errorCodes, MongoFailure, type MongoMember } from "../client/mongo-member.js";
import { type MemberConfig, type ReplicaSetConfig, withMembers } from "../client/replica-set-documents.js";
import { agentMark, isOperator, mark, rememberedRoles } from "./accounts.js";
import type { Context } from "./context.js";
import { placeOf } from "./names.js";
import type { Observation } from "./observe.js";
import type { Inside, WantedRole, WantedUser } from "./observed.js";
import { keepOperatorUser } from "./operator-user.js";
import type { Step } from "./step.js";
import { describe } from "./step-events.js";
import { keepCertificate, mountedMaterial, type TlsMaterial } from "./tls.js";

export type Outcome =
  | { readonly kind: "done" }
  /** MongoDB does not do it yet: a configuration is still spreading, or a member is busy. */
  | { readonly kind: "waiting"; readonly message: string }
  /** MongoDB refused or did not answer; the step is decided anew. */
  | { readonly kind: "failed"; readonly message: string };

const early: ReadonlySet<number> = new Set([
  errorCodes.configNotCommitted,
  errorCodes.configurationInProgress,
  errorCodes.notWritablePrimary,
  errorCodes.exceededTimeLimit,
]);

/** What is asked for has to happen elsewhere first. */
class NotYet extends Error {}

export async function takeStep(
  step: Step,
  mongodb: MongoDBCommunity,
  ctx: Context,
  observation: Observation,
): Promise<Outcome> {
  try {
    await carryOut(step, mongodb, ctx, observation);
    return { kind: "done" };
  } catch (error) {
    if (error instanceof NotYet) return { kind: "waiting", message: error.message };
    if (!(error instanceof MongoFailure)) throw error;
    if (isDoneAlready(step, error)) return { kind: "done" };
    const isEarly = error.kind === "refused" && error.code !== undefined && early.has(error.code);
    return { kind: isEarly ? "waiting" : "failed", message: `${describe(step)}: ${error.message}` };
  }
}

/** The answer to the command before was lost. */
function isDoneAlready({ kind }: Step, { code }: MongoFailure): boolean {
  if (kind === "initiate") return code === errorCodes.alreadyInitialized;
  if (kind === "create-user") return code === errorCodes.userExists;
  if (kind === "create-role") return code === errorCodes.roleExists;
  if (kind === "drop-user") return code === errorCodes.userNotFound;
  return kind === "drop-role" && code === errorCodes.roleNotFound;
}

async function carryOut(
  step: Step,
  mongodb: MongoDBCommunity,
  ctx: Context,
  observation: Observation,
): Promise<void> {
  switch (step.kind) {
    case "none":
    case "wait":
    // The StatefulSet is written with every reconcile; see the controller.
    case "hold-claims":
    case "release-claims":
      return;
    case "initiate":
      return initiate(step.member, observation);
    case "create-operator-user":
      return keepOperatorUser(step.member, observation);
    case "add-member":
    case "add-arbiter":
      return reconfigure(observation, (members) => [...members, step.entry]);
    case "promote":
      return reconfigure(observation, (members) =>
        changed(members, addressIn(observation, step.member), { votes: 1, priority: 1 }),
      );
    case "remove-member": {
      const address = addressIn(observation, step.member);
      return reconfigure(observation, (members) => members.filter(({ host }) => host !== address));
    }
    case "set-horizons":
      return reconfigure(observation, (members) => withHorizons(members, observation, step.horizons));
    case "step-down":
      await primary(observation).command("admin", { replSetStepDown: 60, secondaryCatchUpPeriodSecs: 10 });
      return;
    case "force":
      return force(step.member, observation);
    case "restart":
      return ctx.delete(Pod, observation.view.pods.get(step.member) ?? step.member);
    case "grow-claim":
      await ctx.apply(PersistentVolumeClaim, {
        metadata: { name: step.claim },
        spec: { resources: { requests: { storage: step.size } } },
      });
      return;
    case "replace-set":
      return ctx.delete(StatefulSet, observation.view.sets.data ?? observation.observed.name, {
        propagationPolicy: "Orphan",
      });
    case "delete-claim":
      return ctx.delete(PersistentVolumeClaim, step.claim);
    case "reload-certificate":
      return reloadCertificate(step.member, observation);
    case "exchange-certificate":
      return exchangeCertificate(mongodb, ctx, observation, step.material);
    case "set-write-concern":
      await primary(observation).command("admin", {
        setDefaultRWConcern: 1,
        defaultWriteConcern: step.concern,
        writeConcern: majority,
      });
      return;
    case "set-compatibility":
      return setCompatibility(step.version, observation);
    default:
      return changeAccount(step, observation);
  }
}

type AccountStep = Extract<
  Step,
  { kind: "create-role" | "update-role" | "drop-role" | "create-user" | "update-user" | "drop-user" }
>;

async function changeAccount(step: AccountStep, observation: Observation): Promise<void> {
  const run = (db: string, command: Document) =>
    primary(observation).command(db, { ...command, writeConcern: majority });
  switch (step.kind) {
    case "create-role":
      await remember(observation, (roles) => [...roles, { role: step.role.role, db: step.role.db }]);
      await run(step.role.db, { createRole: step.role.role, ...roleBody(step.role) });
      return;
    case "update-role":
      await run(step.role.db, { updateRole: step.role.role, ...roleBody(step.role) });
      return;
    case "drop-role":
      try {
        await run(step.db, { dropRole: step.role });
      } catch (error) {
        if (!(error instanceof MongoFailure) || error.code !== errorCodes.roleNotFound) throw error;
      }
      return remember(observation, (roles) =>
        roles.filter(({ role, db }) => role !== step.role || db !== step.db),
      );
    case "create-user":
      await run(step.user.db, { createUser: step.user.name, ...userBody(step.user) });
      return;
    case "update-user":
      await run(step.user.db, { updateUser: step.user.name, ...userBody(step.user) });
      return;
    case "drop-user":
      await run(step.db, { dropUser: step.user });
  }
}

const roleBody = ({ privileges, roles, authenticationRestrictions }: WantedRole): Document => ({
  privileges,
  roles,
  ...(authenticationRestrictions.length > 0 ? { authenticationRestrictions } : {}),
});

const userBody = ({ db, password, roles, mechanisms, isAgent }: WantedUser): Document => ({
  roles,
  customData: isAgent ? agentMark : mark,
  ...(password === undefined || db === "$external" ? {} : { pwd: password, mechanisms }),
});

/** Keeps the names of roles that the operator has made with its own users. */
async function remember(
  observation: Observation,
  change: (roles: ReturnType<typeof rememberedRoles>) => ReturnType<typeof rememberedRoles>,
): Promise<void> {
  const { users } = inside(observation);
  const next = change(rememberedRoles(users));
  const roles = [...new Map(next.map((role) => [`${role.db}.${role.role}`, role])).values()];
  for (const { user, db, customData } of users.filter(isOperator))
    await primary(observation).command(db, {
      updateUser: user,
      customData: { ...customData, roles },
      writeConcern: majority,
    });
}

function inside({ observed }: Observation): Inside {
  if (!observed.inside) throw new MongoFailure("unavailable", "there is no primary");
  return observed.inside;
}

function primary({ observed, reach, operator }: Observation): MongoMember {
  const member = observed.primary === undefined ? undefined : reach(observed.primary, operator);
  if (!member) throw new MongoFailure("unavailable", "there is no primary");
  return member;
}

const addressIn = ({ observed }: Observation, pod: string): string =>
  observed.slots.find(({ name }) => name === pod)?.address ?? "";

const changed = (
  members: readonly MemberConfig[],
  address: string,
  change: Partial<MemberConfig>,
): readonly MemberConfig[] =>
  members.map((member) => (member.host === address ? { ...member, ...change } : member));

/** One change of the configuration that was observed. Another one meanwhile makes MongoDB refuse it, by its version. */
async function reconfigure(
  observation: Observation,
  change: (members: readonly MemberConfig[]) => readonly MemberConfig[],
): Promise<void> {
  const { config } = inside(observation);
  const next = withMembers(config, change(config.members));
  await primary(observation).command("admin", { replSetReconfig: next, maxTimeMS: 10_000 });
}

function withHorizons(
  members: readonly MemberConfig[],
  { observed }: Observation,
  horizons: readonly Readonly<Record<string, string>>[],
): readonly MemberConfig[] {
  return members.map(({ horizons: _, ...member }) => {
    const slot = observed.slots.find(({ address }) => address === member.host);
    const own = slot && !slot.isArbiter ? horizons[slot.ordinal] : undefined;
    return { ...member, ...(own ? { horizons: own } : {}) } as MemberConfig;
  });
}

async function initiate(pod: string, observation: Observation): Promise<void> {
  const { observed, reach } = observation;
  const member = reach(pod, undefined);
  if (!member) throw new MongoFailure("unavailable", `${pod} does not run`);
  const members = [{ _id: 0, host: addressIn(observation, pod) }];
  await member.command("admin", { replSetInitiate: { _id: observed.name, members } });
}

/** An older certificate in the cache would take members back to it. */
async function exchangeCertificate(
  mongodb: MongoDBCommunity,
  ctx: Context,
  { mounted }: Observation,
  next: TlsMaterial,
): Promise<void> {
  const there = await mountedMaterial(ctx, placeOf(mongodb).name, true);
  if (!isDeepStrictEqual(there, mounted))
    throw new NotYet("exchange-certificate: the cache of the operator is behind the API server");
  await keepCertificate(mongodb, ctx, next);
}

/** The kubelet brings what is mounted to the pod in its own time: until then the member reads what it had. */
async function reloadCertificate(
  pod: string,
  { reach, operator, served, observed }: Observation,
): Promise<void> {
  await reach(pod, operator)?.command("admin", { rotateCertificates: 1 });
  if ((await served(pod)) !== observed.certificates?.mounted)
    throw new NotYet(`reload-certificate ${pod}: its certificate has not reached the pod yet`);
}

/** The member alone, with the votes of no other: the others are added again by the steps that follow. */
async function force(pod: string, { reach, operator, observed }: Observation): Promise<void> {
  const member = reach(pod, operator);
  if (!member) throw new MongoFailure("unavailable", `${pod} does not run`);
  const { config } = (await member.command("admin", { replSetGetConfig: 1 })) as unknown as {
    config: ReplicaSetConfig;
  };
  const address = observed.slots.find(({ name }) => name === pod)?.address;
  const members = config.members.filter(({ host }) => host === address);
  const next = withMembers(
    config,
    members.map((own) => ({ ...own, votes: 1, priority: 1 })),
  );
  await member.command("admin", { replSetReconfig: next, force: true });
}

/** From 7.0 on MongoDB asks whether one is sure. */
async function setCompatibility(version: string, observation: Observation): Promise<void> {
  const { hello } =
    observation.observed.slots.find(({ name }) => name === observation.observed.primary) ?? {};
  const isAsked = Number(hello?.version.split(".")[0]) >= 7;
  await primary(observation).command("admin", {
    setFeatureCompatibilityVersion: version,
    ...(isAsked ? { confirm: true } : {}),
    writeConcern: majority,
  });
}
