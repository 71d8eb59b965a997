// The operator's own user: made from inside a pod while there is no user at all, and later with any login that members still take.
import { majority, users } from "../client/commands.js";
import { type Document, errorCodes, MongoFailure, type MongoMember } from "../client/mongo-member.js";
import { mark, operatorMark, rememberedRoles } from "./accounts.js";
import type { Observation } from "./observe.js";

/** Makes the users, or sets a password anew. */
export async function keepOperatorUser(pod: string, observation: Observation): Promise<void> {
  const { observed, reach, operator, system } = observation;
  if (observed.inside) return make(reachable(pod, reach(pod, operator)), observation);
  try {
    await create(reachable(pod, reach(pod, undefined)), observation, operator, []);
    return;
  } catch (error) {
    // The localhost exception ends with the first user: then the operator comes in as a member.
    const hasUsers = error instanceof MongoFailure && error.code === errorCodes.unauthorized;
    if (!hasUsers) throw error;
  }
  return make(reachable(pod, reach(pod, system)), observation);
}

function reachable(pod: string, member: MongoMember | undefined): MongoMember {
  if (!member) throw new MongoFailure("unavailable", `${pod} does not run`);
  return member;
}

/** Those of its users that are missing are made; where none is, the one that it logs in as gets its password anew. */
async function make(member: MongoMember, observation: Observation): Promise<void> {
  const { operators } = observation.observed;
  const known = await users(member);
  const missing = operators.filter(
    ({ user, db }) => !known.some((each) => each.user === user && each.db === db),
  );
  for (const user of missing) await create(member, observation, user, rememberedRoles(known));
  const [own] = operators;
  if (missing.length > 0 || !own) return;
  await member.command(own.db, { updateUser: own.user, ...bodyOf(observation, own) });
}

type OwnUser = Observation["observed"]["operators"][number];

/** What an earlier user remembers is remembered by this one, too. */
async function create(
  member: MongoMember,
  observation: Observation,
  own: OwnUser,
  roles: ReturnType<typeof rememberedRoles>,
): Promise<void> {
  const customData = {
    ...(own.db === "admin" ? mark : operatorMark),
    ...(roles.length > 0 ? { roles } : {}),
  };
  await member.command(own.db, { createUser: own.user, ...bodyOf(observation, own), customData });
}

function bodyOf({ password }: Observation, { db }: OwnUser): Document {
  const login = db === "admin" ? { pwd: password, mechanisms: ["SCRAM-SHA-256"] } : {};
  return { ...login, roles: [{ role: "root", db: "admin" }], writeConcern: majority };
}
