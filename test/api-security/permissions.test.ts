// Nobody does anything without the permission for it, whichever way they try; and with it, they can.
import type { PolicyRule } from "@kubewright/api";
import type { UserInfo } from "@kubewright/apiserver";
import { beforeAll, describe, expect, test } from "vitest";
import { GuardedServer, type Sent } from "./guarded-server.js";
import { type Permission, spellings, type WayIn, waysIn } from "./ways-in.js";

const guarded = new GuardedServer();
let nobody: UserInfo;

beforeAll(async () => {
  await guarded.fill();
  nobody = await guarded.user([]);
});

const verbs = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "proxy"];
const groups = [...new Set(waysIn.flatMap(({ needs }) => needs.map(({ group }) => group)))];
const resources = [...new Set(waysIn.flatMap(({ needs }) => needs.map(({ resource }) => resource)))];
const everyPath: PolicyRule = { verbs: ["*"], nonResourceURLs: ["*"] };

const titled = waysIn.map((way): [string, WayIn] => [
  `${way.request.method} ${way.request.url} ${way.request.headers?.["content-type"] ?? ""}`,
  way,
]);

const key = ({ verb, group, resource }: Permission): string => `${verb} ${group} ${resource}`;

/** Everything there is, but for one thing. */
function allBut(missing: Permission): PolicyRule[] {
  return groups.flatMap((group) =>
    resources.map(
      (resource): PolicyRule => ({
        apiGroups: [group],
        resources: [resource],
        verbs: verbs.filter((verb) => key({ verb, group, resource, name: "" }) !== key(missing)),
      }),
    ),
  );
}

const exactly = (needs: readonly Permission[]): PolicyRule[] =>
  needs.map(({ verb, group, resource, name }) => ({
    apiGroups: [group],
    resources: [resource],
    verbs: [verb],
    ...(name === "" ? {} : { resourceNames: [name] }),
  }));

const known = new Map<string, Promise<UserInfo>>();

/** One user for all ways that need the same. */
function userWith(
  rules: readonly PolicyRule[],
  everywhere: readonly PolicyRule[] = [],
  namespace = "default",
) {
  const id = JSON.stringify([rules, everywhere, namespace]);
  const user = known.get(id) ?? guarded.user(rules, everywhere, namespace);
  known.set(id, user);
  return user;
}

describe.each(titled)("%s", (_title, { request, needs }) => {
  const [first] = needs;

  test("is forbidden to users without permissions, in the words of kube-apiserver", async () => {
    const { status, message } = await guarded.send(request, nobody);
    expect(status).toBe(403);
    const { verb, resource, group } = first!;
    if (request.method !== "HEAD")
      expect(message).toContain(
        `User "${nobody.name}" cannot ${verb} resource "${resource}" in API group "${group}" in the namespace "default"`,
      );
  });

  test.each(needs.map((missing) => [key(missing), missing] as const))(
    "is forbidden to users who may do everything but %s",
    async (_key, missing) => {
      const user = await userWith(allBut(missing), [everyPath]);
      expect((await guarded.send(request, user)).status).toBe(403);
    },
  );

  test("is forbidden to users who may do it elsewhere, or to another", async () => {
    const elsewhere = await userWith(exactly(needs), [everyPath], "kube-system");
    const another = await userWith(exactly(needs.map((need) => ({ ...need, name: "other" }))));
    expect((await guarded.send(request, elsewhere)).status).toBe(403);
    expect((await guarded.send(request, another)).status).toBe(403);
  });

  test("is done for users who may do it, and nothing else", async () => {
    const { status } = await guarded.send(request, await userWith(exactly(needs)));
    expect(status).not.toBe(403);
    expect(status).not.toBe(401);
  });

  test("is forbidden however it is spelt", async () => {
    const paths = await userWith([], [everyPath]);
    for (const url of spellings(request)) {
      const spelt: Sent = { ...request, url };
      expect([url, (await guarded.send(spelt, nobody)).status]).toEqual([url, 403]);
      expect([url, (await guarded.send(spelt, paths)).status]).toEqual([url, 403]);
    }
  });
});
