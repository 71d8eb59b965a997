// The operator's own user: made from inside a pod while there is no user at all, and later as whoever the operator can still be.
import { majority, users } from "../client/commands.js";
import { type Document, errorCodes, MongoFailure, type MongoMember } from "../client/mongo-member.js";
import { mark, operatorMark, rememberedRoles } from "./accounts.js";
import type { Observation } from "./observe.js";

/** Makes the user, or sets its password anew. */
export async function keepOperatorUser(pod: string, observation: Observation): Promise<void> {
  const { observed, reach, operator, system } = observation;
  if (observed.inside) return make(reachable(pod, reach(pod, operator)), observation);
  try {
    await create(reachable(pod, reach(pod, undefined)), observation, []);
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

async function make(member: MongoMember, observation: Observation): Promise<void> {
  const { operator } = observation;
  const known = await users(member);
  const isThere = known.some(({ user, db }) => user === operator.user && db === operator.db);
  if (!isThere) return create(member, observation, rememberedRoles(known));
  await member.command(operator.db, { updateUser: operator.user, ...bodyOf(observation) });
}

/** What an earlier user remembers is remembered by this one, too. */
async function create(
  member: MongoMember,
  observation: Observation,
  roles: ReturnType<typeof rememberedRoles>,
): Promise<void> {
  const { user, db } = observation.operator;
  const customData = { ...(db === "admin" ? mark : operatorMark), ...(roles.length > 0 ? { roles } : {}) };
  await member.command(db, { createUser: user, ...bodyOf(observation), customData });
}

function bodyOf({ operator, password }: Observation): Document {
  const login = operator.db === "admin" ? { pwd: password, mechanisms: ["SCRAM-SHA-256"] } : {};
  return { ...login, roles: [{ role: "root", db: "admin" }], writeConcern: majority };
}
