// What the suites of MongoDB's contract share: a test with members of its own, an administrator, and questions about a set.
import { expect, test } from "vitest";
import type { Login, MongoMember } from "../../operators/mongodb/src/client/mongo-member.js";
import { eventually, type Members } from "./members.js";

export const admin: Login = { user: "admin", db: "admin", password: "of the operator" };
export const majority = { w: "majority", wtimeout: 10_000 };

/** Defines tests that run side by side, each with members of its own. */
export const contractWith =
  (make: () => Members) =>
  (name: string, body: (members: Members) => Promise<void>): void =>
    test.concurrent(name, async () => {
      const members = make();
      try {
        await body(members);
      } finally {
        await members.close();
      }
    });

export async function isPrimary(member: MongoMember): Promise<void> {
  expect((await member.command("admin", { isMaster: 1 }))["ismaster"]).toBe(true);
}

export async function statesOf(member: MongoMember): Promise<readonly string[]> {
  const { members } = await member.command("admin", { replSetGetStatus: 1 });
  return (members as { stateStr: string }[]).map(({ stateStr }) => stateStr);
}

/** Initiates a set from inside a member, and creates its administrator. */
export async function initiate(inside: MongoMember, config: object): Promise<void> {
  await inside.command("admin", { replSetInitiate: config });
  await eventually(() => isPrimary(inside));
  const command = { createUser: admin.user, pwd: admin.password, roles: [{ role: "root", db: "admin" }] };
  await eventually(() => inside.command("admin", { ...command, writeConcern: majority }));
}
