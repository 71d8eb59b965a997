import { describe, expect, it } from "vitest";
import { accessServer, causesOf, user } from "../../auth/fixtures/access-server.js";

const apiVersion = "rbac.authorization.k8s.io/v1";
const jane = user("jane", "dev");
const pods = (...verbs: string[]) => ({ apiGroups: [""], resources: ["pods"], verbs });
const role = (rules: unknown, kind = "Role", name = "r") => ({ apiVersion, kind, metadata: { name }, rules });
const binding = (fields: object, kind = "RoleBinding") => ({
  apiVersion,
  kind,
  metadata: { name: "b" },
  ...fields,
});

function world() {
  const { ask, grant, rbac } = accessServer();
  const home = `${rbac}/namespaces/default`;
  return { ask, grant, rbac, home };
}

describe("Role and ClusterRole", () => {
  it.each<[string, unknown, string[]]>([
    [
      "verbs",
      [{ apiGroups: [""], resources: ["pods"] }],
      ["rules[0].verbs: Required value: verbs must contain at least one value"],
    ],
    [
      "groups and resources",
      [pods("get"), { verbs: ["get"] }],
      [
        "rules[1].apiGroups: Required value: resource rules must supply at least one api group",
        "rules[1].resources: Required value: resource rules must supply at least one resource",
      ],
    ],
    [
      "no paths",
      [{ verbs: ["get"], nonResourceURLs: ["/x"] }],
      ['rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs'],
    ],
  ])("require %s", async (_, rules, expected) => {
    const { ask, home } = world();
    const answer = await ask("POST", `${home}/roles`, role(rules));
    expect(answer.status).toBe(422);
    expect(causesOf(answer)).toEqual(expected);
  });

  it.each<[string, object, string[]]>([
    [
      "either resources or paths",
      { rules: [{ ...pods("get"), nonResourceURLs: ["/x"] }] },
      [
        'rules[0].nonResourceURLs: Invalid value: ["/x"]: rules cannot apply to both regular resources and non-resource URLs',
      ],
    ],
    [
      "something to gather by",
      { aggregationRule: {} },
      [
        "aggregationRule.clusterRoleSelectors: Required value: at least one clusterRoleSelector required if aggregationRule is non-nil",
      ],
    ],
    [
      "selectors that select",
      { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { "a b": "c" } }] } },
      [
        expect.stringMatching(
          /^aggregationRule\.clusterRoleSelectors\[0\]\.matchLabels: Invalid value: "a b"/,
        ),
        "aggregationRule.clusterRoleSelectors[0]: Invalid value: null: invalid label selector.",
      ],
    ],
  ])("of the cluster require %s", async (_, fields, expected) => {
    const { ask, rbac } = world();
    const answer = await ask("POST", `${rbac}/clusterroles`, { ...role(null, "ClusterRole"), ...fields });
    expect(answer.status).toBe(422);
    expect(causesOf(answer)).toEqual(expected);
  });

  it("accept any name that fits into a path", async () => {
    const { ask, home } = world();
    expect((await ask("POST", `${home}/roles`, role([], "Role", "a:B_c"))).status).toBe(201);
    const answer = await ask("POST", `${home}/roles`, role([], "Role", "a/b"));
    expect(causesOf(answer)).toEqual(["metadata.name: Invalid value: \"a/b\": may not contain '/'"]);
  });

  it("are created by PUT too", async () => {
    const { ask, home } = world();
    expect((await ask("PUT", `${home}/roles/r`, role([pods("get")]))).status).toBe(201);
    expect((await ask("PUT", `${home}/roles/r`, role([pods("list")]))).body.rules).toEqual([pods("list")]);
  });

  it("never grant more than their writer holds", async () => {
    const { ask, grant, home } = world();
    await grant(jane, [
      pods("get", "list"),
      { apiGroups: [apiVersion.split("/")[0]], resources: ["roles"], verbs: ["*"] },
    ]);
    // A user with all verbs on roles may also escalate, which is a verb like any other.
    expect((await ask("POST", `${home}/roles`, role([pods("*")]), { as: jane })).status).toBe(201);
    const joe = user("joe", "dev");
    await grant(joe, [
      pods("get", "list"),
      { apiGroups: ["*"], resources: ["roles"], verbs: ["create", "update", "patch"] },
    ]);
    const refused = await ask("POST", `${home}/roles`, role([pods("get", "watch", "delete")], "Role", "x"), {
      as: joe,
    });
    expect(refused.status).toBe(403);
    expect(refused.body).toMatchObject({
      reason: "Forbidden",
      details: { name: "x", group: "rbac.authorization.k8s.io", kind: "roles" },
      message:
        'roles.rbac.authorization.k8s.io "x" is forbidden: user "joe" (groups=["dev" "system:authenticated"]) is attempting to ' +
        'grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["watch" "delete"]}',
    });
    expect((await ask("POST", `${home}/roles`, role([pods("get")], "Role", "x"), { as: joe })).status).toBe(
      201,
    );
    const patch = await ask("PATCH", `${home}/roles/x`, { rules: [pods("create")] }, { as: joe });
    expect(patch.status).toBe(403);
    const lifetime = { metadata: { finalizers: ["example.org/keep"] } };
    expect((await ask("PATCH", `${home}/roles/r`, lifetime, { as: joe })).status).toBe(200);
  });

  it("are checked for privilege escalation before they are validated", async () => {
    const { ask, grant, home } = world();
    await grant(jane, [{ apiGroups: ["*"], resources: ["roles"], verbs: ["create"] }]);
    const rules = [pods("get"), { verbs: null }];
    expect((await ask("POST", `${home}/roles`, role(rules), { as: jane })).status).toBe(403);
  });

  it("aggregate rules only where the writer holds all permissions", async () => {
    const { ask, grant, rbac } = world();
    await grant(jane, [{ apiGroups: ["*"], resources: ["clusterroles"], verbs: ["create", "update"] }], true);
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] };
    const gathering = { ...role(null, "ClusterRole"), aggregationRule };
    const refused = await ask("POST", `${rbac}/clusterroles`, gathering, { as: jane });
    expect(refused.body.message).toBe(
      'clusterroles.rbac.authorization.k8s.io "r" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    );
    await ask("POST", `${rbac}/clusterroles`, gathering);
    const plain = await ask("PUT", `${rbac}/clusterroles/r`, role([], "ClusterRole"), { as: jane });
    expect(plain.status).toBe(403);
    await grant(jane, [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }], true);
    await grant(jane, [{ nonResourceURLs: ["*"], verbs: ["*"] }], true);
    expect((await ask("PUT", `${rbac}/clusterroles/r`, role([], "ClusterRole"), { as: jane })).status).toBe(
      200,
    );
  });
});

describe("RoleBinding and ClusterRoleBinding", () => {
  it("get the default API groups of roles, users and groups", async () => {
    const { ask, home } = world();
    const { body } = await ask("POST", `${home}/rolebindings`, {
      ...binding({ roleRef: { kind: "ClusterRole", name: "view" } }),
      subjects: [
        { kind: "User", name: "jane" },
        { kind: "Group", name: "dev" },
        { kind: "ServiceAccount", name: "robot" },
      ],
    });
    const apiGroup = "rbac.authorization.k8s.io";
    expect(body).toMatchObject({
      roleRef: { apiGroup, kind: "ClusterRole", name: "view" },
      subjects: [
        { kind: "User", apiGroup, name: "jane" },
        { kind: "Group", apiGroup, name: "dev" },
        { kind: "ServiceAccount", name: "robot" },
      ],
    });
    expect(body.subjects[2]).not.toHaveProperty("apiGroup");
  });

  it.each<[string, object, string[]]>([
    [
      "a role",
      {},
      [
        'roleRef.kind: Unsupported value: "": supported values: "Role", "ClusterRole"',
        "roleRef.name: Required value",
      ],
    ],
    [
      "a role of this group",
      { roleRef: { apiGroup: "x", kind: "Role", name: "a/b" } },
      [
        'roleRef.apiGroup: Unsupported value: "x": supported values: "rbac.authorization.k8s.io"',
        "roleRef.name: Invalid value: \"a/b\": may not contain '/'",
      ],
    ],
    [
      "subjects of a known kind",
      { roleRef: { kind: "Role", name: "r" }, subjects: [{ kind: "Robot", name: "x" }] },
      ['subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"'],
    ],
    [
      "subjects with names",
      { roleRef: { kind: "Role", name: "r" }, subjects: [{ kind: "User" }, { kind: "ServiceAccount" }] },
      ["subjects[0].name: Required value", "subjects[1].name: Required value"],
    ],
    [
      "subjects of the right group",
      {
        roleRef: { kind: "Role", name: "r" },
        subjects: [
          { kind: "Group", name: "x", apiGroup: "y" },
          { kind: "ServiceAccount", name: "A", apiGroup: "y" },
        ],
      },
      [
        'subjects[0].apiGroup: Unsupported value: "y": supported values: "rbac.authorization.k8s.io"',
        expect.stringMatching(/^subjects\[1\]\.name: Invalid value: "A": a lowercase RFC 1123 subdomain/),
        'subjects[1].apiGroup: Unsupported value: "y": supported values: ""',
      ],
    ],
  ])("require %s", async (_, fields, expected) => {
    const { ask, home } = world();
    const answer = await ask("POST", `${home}/rolebindings`, binding(fields));
    expect(answer.status).toBe(422);
    expect(causesOf(answer)).toEqual(expected);
  });

  it("of the cluster require a ClusterRole, and service accounts with a namespace", async () => {
    const { ask, rbac } = world();
    const fields = {
      roleRef: { kind: "Role", name: "r" },
      subjects: [{ kind: "ServiceAccount", name: "x" }],
    };
    const answer = await ask("POST", `${rbac}/clusterrolebindings`, binding(fields, "ClusterRoleBinding"));
    expect(causesOf(answer)).toEqual([
      'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
      "subjects[0].namespace: Required value",
    ]);
  });

  it("refuse another roleRef", async () => {
    const { ask, home } = world();
    await ask("POST", `${home}/rolebindings`, binding({ roleRef: { kind: "Role", name: "r" } }));
    const answer = await ask("PATCH", `${home}/rolebindings/b`, { roleRef: { name: "other" } });
    expect(causesOf(answer)).toEqual([
      'roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"other"}: cannot change roleRef',
    ]);
    const subjects = [{ kind: "User", name: "x" }];
    expect((await ask("PATCH", `${home}/rolebindings/b`, { subjects })).status).toBe(200);
  });

  it("can be created by users who hold the permissions of the role, or may bind it", async () => {
    const { ask, grant, home } = world();
    await ask("POST", `${home}/roles`, role([pods("get")], "Role", "reader"));
    await grant(jane, [{ apiGroups: ["*"], resources: ["rolebindings"], verbs: ["create"] }]);
    const bind = (name: string, kind = "Role") =>
      ask(
        "POST",
        `${home}/rolebindings`,
        binding({ metadata: { generateName: "b-" }, roleRef: { kind, name } }),
        { as: jane },
      );
    expect((await bind("gone")).body).toMatchObject({
      code: 404,
      message: 'roles.rbac.authorization.k8s.io "gone" not found',
    });
    const refused = await bind("reader");
    expect(refused.status).toBe(403);
    expect(refused.body.message).toContain(
      'not currently held:\n{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
    );
    await grant(jane, [
      { apiGroups: ["*"], resources: ["roles"], resourceNames: ["reader"], verbs: ["bind"] },
    ]);
    expect((await bind("reader")).status).toBe(201);
    expect((await bind("cluster-admin", "ClusterRole")).status).toBe(403);
    const joe = user("joe");
    await grant(joe, [pods("*"), { apiGroups: ["*"], resources: ["rolebindings"], verbs: ["create"] }]);
    const held = binding({ metadata: { name: "mine" }, roleRef: { kind: "Role", name: "reader" } });
    expect((await ask("POST", `${home}/rolebindings`, held, { as: joe })).status).toBe(201);
  });
});
