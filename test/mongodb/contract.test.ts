// The contract of MongoDB that the operator relies on, over the driver: one suite against the model of mongod, and against real mongod
// where there is one. Results for "the model" say how the model behaves, nothing more.
import { describe, expect } from "vitest";
import { implicitWriteConcern, setStatus } from "../../operators/mongodb/src/client/commands.js";
import { errorCodes, type MongoMember } from "../../operators/mongodb/src/client/mongo-member.js";
import {
  type MemberConfig,
  type ReplicaSetConfig,
  withMembers,
} from "../../operators/mongodb/src/client/replica-set-documents.js";
import { isOfPassword, type Mechanism } from "../../operators/mongodb/src/client/scram.js";
import { compareVersions } from "../../operators/mongodb/src/release/series.js";
import { admin, contractWith, initiate, isPrimary, majority, statesOf } from "./contract.js";
import { implementations, skipWithoutMongod } from "./implementations.js";
import { eventually, type Members, setName } from "./members.js";

skipWithoutMongod();

const settings = { electionTimeoutMillis: 2_000, heartbeatIntervalMillis: 500 };

describe.each(implementations)("the contract, kept by %s", { timeout: 60_000 }, (_name, make) => {
  const contract = contractWith(make);

  const configOf = async (member: MongoMember): Promise<ReplicaSetConfig> =>
    (await member.command("admin", { replSetGetConfig: 1 }))["config"] as ReplicaSetConfig;
  /** Whether a member runs a series, or a later one: some rules came with one. */
  const isSince = async (member: MongoMember, series: string): Promise<boolean> => {
    const { version } = await member.command("admin", { buildInfo: 1 });
    return compareVersions(String(version), `${series}.0`) >= 0;
  };

  /** A set of one, with an administrator. */
  async function begun(members: Members): Promise<MongoMember> {
    await members.start("a");
    const inside = await members.as("a");
    const member = { _id: 0, host: await members.host("a") };
    await initiate(inside, { _id: setName, members: [member], settings });
    return members.as("a", admin);
  }

  async function reconfigure(
    primary: MongoMember,
    change: (members: readonly MemberConfig[]) => readonly MemberConfig[],
  ): Promise<void> {
    await eventually(async () => {
      const config = await configOf(primary);
      await primary.command("admin", { replSetReconfig: withMembers(config, change(config.members)) });
    });
  }

  /** Adds a member without a vote, and gives it one when it has the data. */
  async function grown(members: Members, primary: MongoMember, name: string, id: number): Promise<void> {
    await members.start(name);
    const host = await members.host(name);
    await reconfigure(primary, (all) => [...all, { _id: id, host, priority: 0, votes: 0 }]);
    await eventually(async () => expect((await statesOf(primary))[id]).toBe("SECONDARY"));
    await reconfigure(primary, (all) =>
      all.map((each) => (each.host === host ? { ...each, priority: 1, votes: 1 } : each)),
    );
  }

  async function three(members: Members): Promise<MongoMember> {
    const primary = await begun(members);
    await grown(members, primary, "b", 1);
    await grown(members, primary, "c", 2);
    return primary;
  }

  contract("a member begins a set once, and inside its pod only until there is a user", async (members) => {
    await members.start("a");
    const inside = await members.as("a");
    const notYet = { kind: "refused", code: errorCodes.notYetInitialized };
    await expect(inside.command("admin", { replSetGetStatus: 1 })).rejects.toMatchObject(notYet);
    const config = { _id: setName, members: [{ _id: 0, host: await members.host("a") }] };
    await inside.command("admin", { replSetInitiate: config });
    await eventually(() => isPrimary(inside));
    const refused = { code: errorCodes.unauthorized };
    await expect(inside.command("admin", { replSetGetConfig: 1 })).rejects.toMatchObject(refused);
    await expect(inside.command("test", { insert: "x", documents: [{ _id: 1 }] })).rejects.toMatchObject(
      refused,
    );
    const command = { createUser: admin.user, pwd: admin.password, roles: ["root"], writeConcern: majority };
    await expect(inside.command("test", command)).rejects.toMatchObject(refused);
    await inside.command("admin", command);
    await expect(inside.command("admin", { ...command, createUser: "other" })).rejects.toMatchObject(refused);
    await expect(inside.command("admin", { replSetGetStatus: 1 })).rejects.toMatchObject(refused);
    const known = await members.as("a", admin);
    await expect(known.command("admin", { replSetInitiate: config })).rejects.toMatchObject({
      code: errorCodes.alreadyInitialized,
    });
    expect((await configOf(known)).settings?.["replicaSetId"]).toBeDefined();
    const wrong = await members.as("a", { ...admin, password: "another" });
    await expect(wrong.command("admin", { replSetGetStatus: 1 })).rejects.toMatchObject({ kind: "login" });
  });

  contract("a user logs in by the mechanisms it was made with, and only by those", async (members) => {
    const primary = await begun(members);
    const make = (user: string, mechanisms: readonly Mechanism[]) =>
      primary.command("admin", {
        createUser: user,
        pwd: "pässword",
        roles: [],
        mechanisms,
        writeConcern: majority,
      });
    await make("old", ["SCRAM-SHA-1"]);
    await make("new", ["SCRAM-SHA-256"]);
    const ask = async (user: string, mechanism?: Mechanism) => {
      const login = { user, db: "admin", password: "pässword", ...(mechanism ? { mechanism } : {}) };
      const answer = await (await members.as("a", login)).command("admin", { ping: 1 });
      return answer["ok"];
    };
    expect(await ask("old")).toBe(1);
    expect(await ask("new")).toBe(1);
    await expect(ask("old", "SCRAM-SHA-256")).rejects.toMatchObject({ kind: "login" });
    const { users } = await primary.command("admin", { usersInfo: "new", showCredentials: true });
    const [{ credentials }] = users as [{ credentials: Record<Mechanism, never> }];
    expect(isOfPassword("SCRAM-SHA-256", "new", "pässword", credentials["SCRAM-SHA-256"])).toBe(true);
    expect(isOfPassword("SCRAM-SHA-256", "new", "password", credentials["SCRAM-SHA-256"])).toBe(false);
    await primary.command("admin", { updateUser: "new", pwd: "other", writeConcern: majority });
    await expect(ask("new")).rejects.toMatchObject({ kind: "login" });
  });

  contract("users and roles are made, changed and dropped, and roles are enforced", async (members) => {
    const primary = await begun(members);
    const run = (command: Record<string, unknown>, db = "admin") =>
      primary.command(db, { ...command, writeConcern: majority });
    const roles = [{ role: "reader", db: "shop" }];
    const make = { createUser: "u", pwd: "p", roles, customData: { by: "us" } };
    await expect(run(make)).rejects.toMatchObject({ code: errorCodes.roleNotFound });
    const privileges = [{ resource: { db: "shop", collection: "" }, actions: ["find"] }];
    await run({ createRole: "reader", privileges, roles: [] }, "shop");
    await expect(run({ createRole: "reader", privileges, roles: [] }, "shop")).rejects.toMatchObject({
      code: errorCodes.roleExists,
    });
    await run(make);
    await expect(run(make)).rejects.toMatchObject({ code: errorCodes.userExists });
    const { users } = await primary.command("admin", { usersInfo: { forAllDBs: true } });
    expect(users).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ user: "u", db: "admin", roles, customData: { by: "us" } }),
      ]),
    );
    const user = await members.as("a", { user: "u", db: "admin", password: "p" });
    const insert = { insert: "x", documents: [{ _id: 1 }] };
    await expect(user.command("shop", insert)).rejects.toMatchObject({ code: errorCodes.unauthorized });
    await user.command("shop", { find: "x" });
    await run({ updateUser: "u", roles: [{ role: "readWrite", db: "shop" }] });
    await eventually(() => user.command("shop", insert));
    const info = await primary.command("shop", { rolesInfo: 1, showPrivileges: true });
    expect(info["roles"]).toMatchObject([{ role: "reader", db: "shop", privileges }]);
    await run({ dropRole: "reader" }, "shop");
    await run({ dropUser: "u" });
    await expect(run({ dropUser: "u" })).rejects.toMatchObject({ code: errorCodes.userNotFound });
  });

  contract(
    "a member is added without a vote and gets one later; two at once are refused from 4.4 on, but by force",
    async (members) => {
      const primary = await begun(members);
      await primary.command("shop", { insert: "x", documents: [{ _id: 1 }], writeConcern: majority });
      await grown(members, primary, "b", 1);
      const second = await members.as("b", admin);
      const answer = await eventually(() =>
        second.command("shop", { find: "x", $readPreference: { mode: "secondaryPreferred" } }),
      );
      expect(answer["cursor"]).toMatchObject({ firstBatch: [{ _id: 1 }] });
      await members.start("c");
      await members.start("d");
      const [c, d] = [await members.host("c"), await members.host("d")];
      const config = await configOf(primary);
      const both = [...config.members, { _id: 2, host: c }, { _id: 3, host: d }];
      const incompatible = { code: errorCodes.configurationIncompatible };
      await expect(primary.command("admin", { replSetReconfig: config })).rejects.toMatchObject(incompatible);
      await expect(
        second.command("admin", { replSetReconfig: withMembers(config, config.members) }),
      ).rejects.toMatchObject({ code: errorCodes.notWritablePrimary });
      const two = { replSetReconfig: withMembers(config, both) };
      if (await isSince(primary, "4.4"))
        await expect(primary.command("admin", two)).rejects.toMatchObject(incompatible);
      await primary.command("admin", { ...two, force: true });
      await eventually(async () =>
        expect((await statesOf(primary)).filter((state) => state === "SECONDARY")).toHaveLength(3),
      );
    },
  );

  contract("a primary that ends is followed by another, and what a majority had stays", async (members) => {
    await three(members);
    const primary = await members.as("a", admin);
    await primary.command("shop", { insert: "x", documents: [{ _id: 1 }], writeConcern: majority });
    const before = Number((await primary.command("admin", { replSetGetStatus: 1 }))["term"]);
    await members.stop("a");
    const others = [await members.as("b", admin), await members.as("c", admin)];
    const next = await eventually(() => Promise.any(others.map((each) => isPrimary(each).then(() => each))));
    expect(Number((await next.command("admin", { replSetGetStatus: 1 }))["term"])).toBeGreaterThan(before);
    expect((await next.command("shop", { find: "x" }))["cursor"]).toMatchObject({ firstBatch: [{ _id: 1 }] });
    await eventually(() =>
      next.command("shop", { insert: "x", documents: [{ _id: 2 }], writeConcern: majority }),
    );
    await members.start("a");
    const back = await members.as("a", admin);
    const secondary = { find: "x", filter: { _id: 2 }, $readPreference: { mode: "secondaryPreferred" } };
    await eventually(async () =>
      expect((await back.command("shop", secondary))["cursor"]).toMatchObject({ firstBatch: [{ _id: 2 }] }),
    );
  });

  contract("a primary steps down when another can follow, and only then", async (members) => {
    const primary = await begun(members);
    const stepDown = { replSetStepDown: 60, secondaryCatchUpPeriodSecs: 1 };
    await expect(primary.command("admin", stepDown)).rejects.toMatchObject({
      code: errorCodes.exceededTimeLimit,
    });
    await grown(members, primary, "b", 1);
    await eventually(() => primary.command("admin", stepDown));
    await eventually(async () => isPrimary(await members.as("b", admin)));
    await expect(primary.command("shop", { insert: "x", documents: [{ _id: 1 }] })).rejects.toMatchObject({
      code: errorCodes.notWritablePrimary,
    });
  });

  contract("without a majority nobody is primary; with one somebody is again", async (members) => {
    const primary = await three(members);
    await members.stop("b");
    await members.stop("c");
    await eventually(async () =>
      expect((await primary.command("admin", { isMaster: 1 }))["ismaster"]).toBe(false),
    );
    await expect(primary.command("shop", { insert: "x", documents: [{ _id: 1 }] })).rejects.toThrow();
    await members.start("c");
    const all = [primary, await members.as("c", admin)];
    await eventually(() => Promise.any(all.map(isPrimary)));
  });

  contract("a member that lost its data copies it again", async (members) => {
    const primary = await three(members);
    await primary.command("shop", { insert: "x", documents: [{ _id: 1 }], writeConcern: majority });
    await members.stop("c");
    members.wipe("c");
    await members.start("c");
    const read = { find: "x", $readPreference: { mode: "secondaryPreferred" } };
    await eventually(async () => {
      const answer = await (await members.as("c", admin)).command("shop", read);
      expect(answer["cursor"]).toMatchObject({ firstBatch: [{ _id: 1 }] });
    });
    expect((await configOf(primary)).members).toHaveLength(3);
  });

  contract("a removed member is out, and the others go on", async (members) => {
    const primary = await three(members);
    const host = await members.host("c");
    await reconfigure(primary, (all) => all.filter((each) => each.host !== host));
    expect(await statesOf(primary)).toHaveLength(2);
    await eventually(() =>
      primary.command("shop", { insert: "x", documents: [{ _id: 1 }], writeConcern: majority }),
    );
  });

  contract("an arbiter votes and holds nothing", async (members) => {
    const primary = await begun(members);
    await grown(members, primary, "b", 1);
    await members.start("c");
    const host = await members.host("c");
    if (await isSince(primary, "5.0")) {
      // It would change the default write concern, which has to be set before.
      const config = await configOf(primary);
      const next = withMembers(config, [...config.members, { _id: 2, host, arbiterOnly: true, priority: 0 }]);
      await expect(primary.command("admin", { replSetReconfig: next })).rejects.toMatchObject({
        code: errorCodes.configurationIncompatible,
      });
      const concern = await implicitWriteConcern(primary);
      expect(concern).toMatchObject({ w: "majority" });
      await primary.command("admin", {
        setDefaultRWConcern: 1,
        defaultWriteConcern: concern,
        writeConcern: majority,
      });
      expect(await implicitWriteConcern(primary)).toBeUndefined();
    }
    await reconfigure(primary, (all) => [...all, { _id: 2, host, arbiterOnly: true, priority: 0 }]);
    await eventually(async () => expect((await statesOf(primary))[2]).toBe("ARBITER"));
    await members.stop("a");
    const other = await members.as("b", admin);
    await eventually(() => isPrimary(other));
  });

  contract("a member taken out of service is RECOVERING, and says so itself", async (members) => {
    const primary = await begun(members);
    await grown(members, primary, "b", 1);
    const second = await members.as("b", admin);
    await second.command("admin", { replSetMaintenance: true });
    expect((await setStatus(second)).own.state).toBe("RECOVERING");
    await eventually(async () => expect((await statesOf(primary))[1]).toBe("RECOVERING"));
    await second.command("admin", { replSetMaintenance: false });
    await eventually(async () => expect((await statesOf(primary))[1]).toBe("SECONDARY"));
  });

  contract("the feature compatibility version is that of the release or the one before", async (members) => {
    const primary = await begun(members);
    const { version } = await primary.command("admin", { buildInfo: 1 });
    const own = String(version).split(".").slice(0, 2).join(".");
    // Versions before 7.0 do not know the question, and refuse its answer.
    const isAsked = await isSince(primary, "7.0");
    const set = (value: string) =>
      primary.command("admin", {
        setFeatureCompatibilityVersion: value,
        ...(isAsked ? { confirm: true } : {}),
        writeConcern: majority,
      });
    await expect(set("3.6")).rejects.toMatchObject({ kind: "refused" });
    await set(own);
    const answer = await primary.command("admin", { getParameter: 1, featureCompatibilityVersion: 1 });
    expect(answer["featureCompatibilityVersion"]).toMatchObject({ version: own });
  });
});
