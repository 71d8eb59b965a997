import { expect, test } from "vitest";
import { MissingPermissions } from "./missing-permissions.js";

const refused = (message: string) =>
  ({ status: 403, headers: {}, body: { kind: "object", value: { kind: "Status", message } } }) as const;

const user = 'User "system:serviceaccount:a:b"';

test("names one rule for each resource and place, and reports each refusal once", () => {
  const reported: string[] = [];
  const permissions = new MissingPermissions("shop", ({ message }) => reported.push(message));
  const secret = `secrets "x" is forbidden: ${user} cannot get resource "secrets" in API group "" in the namespace "a"`;
  permissions.note(refused(secret));
  permissions.note(refused(secret));
  permissions.note(refused(secret.replace("cannot get", "cannot watch")));
  permissions.note(
    refused(`nodes is forbidden: ${user} cannot list resource "nodes" in API group "" at the cluster scope`),
  );
  expect(reported).toHaveLength(3);
  expect(permissions.lines()).toEqual([
    'manager "shop" may not get, watch secrets in namespace a; declare the kind in owns, watches or uses, or add the rule ' +
      '{"apiGroups":[""],"resources":["secrets"],"verbs":["get","watch"]} to rbac of its controller',
    'manager "shop" may not list nodes; declare the kind in owns, watches or uses, or add the rule ' +
      '{"apiGroups":[""],"resources":["nodes"],"verbs":["list"]} to rbac of its controller',
  ]);
});

test.each([
  ["a quota", 'pods "x" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1'],
  ["a webhook", 'admission webhook "a.b.c" denied the request: no'],
])("a refusal by %s is not for want of a permission", (_, message) => {
  const permissions = new MissingPermissions("shop", () => {
    throw new Error("reported");
  });
  permissions.note(refused(message));
  expect(permissions.lines()).toEqual([]);
});
