import { describe, expect, it } from "vitest";
import { cronTab, cronTabs, defineCronTabs } from "./cron-tabs.js";
import { causes, configMap, configMaps, type patchTypes, requestServer, said } from "./request-server.js";

type Type = keyof typeof patchTypes;
const path = `${configMaps}/a`;
const undeterminable =
  "400 the name of the object (a based on URL) was undeterminable: name must be provided";

/** A server with a ConfigMap `a`. */
async function withConfigMap() {
  const server = await requestServer();
  await server.call("POST", configMaps, configMap({ name: "a" }, { data: { k: "v" } }));
  return server;
}

describe("a patch of what says what the object is", () => {
  it.each<[Type, unknown, string | RegExp]>([
    ["merge", { kind: null }, "200"],
    ["json", [{ op: "remove", path: "/kind" }], "200"],
    ["merge", { apiVersion: null }, undeterminable],
    ["merge", { metadata: null }, undeterminable],
    ["json", [{ op: "remove", path: "/metadata" }], undeterminable],
    ["merge", { metadata: { name: null } }, undeterminable],
    ["strategic", { metadata: { name: null } }, undeterminable],
    ["merge", { metadata: { name: "b" } }, /^400 the name of the object \(b\) does not match/],
    ["merge", { metadata: { namespace: "b" } }, /^400 the namespace of the provided object does not match/],
    ["merge", { metadata: { namespace: null } }, "200"],
    ["merge", { metadata: { uid: null, creationTimestamp: null, resourceVersion: null } }, "200"],
    ["merge", { apiVersion: "v2" }, /: no kind "ConfigMap" is registered for version "v2" in scheme/],
    ["merge", { kind: "Unicorn" }, /: no kind "Unicorn" is registered for version "v1" in scheme/],
    [
      "merge",
      { kind: "Pod", data: null },
      /: converting \(v1\.Pod\) to \(core\.ConfigMap\): unknown conversion$/,
    ],
    ["merge", { kind: "Secret" }, /: illegal base64 data at input byte 0$/],
    ["merge", { apiVersion: "a/b/c" }, /: unexpected GroupVersion string: a\/b\/c$/],
    ["merge", { kind: 5 }, /cannot unmarshal number into Go struct field \.kind of type string$/],
  ])("%s %j", async (type, body, expected) => {
    const { patch } = await withConfigMap();
    expect(said(await patch(type, path, body))).toMatch(expected);
  });

  it("of a custom resource has no types to fall back on", async () => {
    const server = await requestServer();
    await defineCronTabs(server);
    await server.call("POST", cronTabs, cronTab({ name: "a" }));
    const answer = async (body: object) => said(await server.patch("merge", `${cronTabs}/a`, body));
    expect(await answer({ kind: null })).toMatch(/: Object 'Kind' is missing in '\{.*\}'$/);
    expect(await answer({ metadata: { name: null } })).toBe(undeterminable);
  });
});

describe("patches that are none", () => {
  it.each<[Type, string, string]>([
    ["json", "", "400 error decoding patch: unexpected end of JSON input"],
    [
      "json",
      "{}",
      "400 error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
    ],
    [
      "json",
      "[1]",
      "400 error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp",
    ],
    [
      "json",
      '[{"op":1}]',
      "400 error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string",
    ],
    ["json", "null", "200"],
    ["json", "[null]", "422 the server rejected our request due to an error in our request"],
    ["merge", "", "400 error decoding patch: unexpected end of JSON input"],
    ["merge", "null", "400 Invalid JSON Patch"],
    [
      "merge",
      "5",
      "400 error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}",
    ],
    ["strategic", "", "400 unexpected end of JSON input"],
    ["strategic", "[]", "400 json: cannot unmarshal array into Go value of type map[string]interface {}"],
    ["strategic", "null", "200"],
    [
      "apply",
      "- a",
      "400 error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go value of type map[string]interface {}",
    ],
    ["apply", "", "400 invalid object type: /, Kind="],
  ])("%s %j", async (type, body, expected) => {
    const { patch } = await withConfigMap();
    const query = type === "apply" ? "?fieldManager=m" : "";
    expect(said(await patch(type, `${path}${query}`, body))).toBe(expected);
  });

  it.each<Type>(["json", "merge", "strategic"])("%s: what is not there is missed first", async (type) => {
    const { patch } = await withConfigMap();
    expect(said(await patch(type, `${configMaps}/none`, "{{"))).toBe('404 configmaps "none" not found');
  });

  it("of a missing object's status are not read either", async () => {
    const { apply } = await requestServer();
    const answer = await apply("/apis/apps/v1/namespaces/test/deployments/none/status?fieldManager=m", "- a");
    expect(said(answer)).toBe('404 deployments.apps "none" not found');
  });
});

describe("what a patch would lose", () => {
  it.each<[Type, string, string[]]>([
    ["merge", '{"data":{"a":"1","a":"2"},"bogus":1}', ['duplicate field "data.a"', 'unknown field "bogus"']],
    [
      "strategic",
      '{"data":{"a":"1","a":"2"},"bogus":1}',
      ['duplicate field "data.a"', 'unknown field "bogus"'],
    ],
    [
      "json",
      '[{"op":"add","op":"add","path":"/data/a","value":"1","bogus":1},{"op":"add","path":"/x","value":1}]',
      ['json patch duplicate field "[0].op"', 'json patch unknown field "[0].bogus"', 'unknown field "x"'],
    ],
  ])("%s %s", async (type, body, problems) => {
    const { patch } = await withConfigMap();
    const warned = await patch(type, path, body);
    expect([warned.status, warned.warnings]).toEqual([200, problems]);
    const ignored = await patch(type, `${path}?fieldValidation=Ignore`, body);
    expect([ignored.status, ignored.warnings]).toEqual([200, []]);
    const strict = await patch(type, `${path}?fieldValidation=Strict`, body);
    expect(strict.status).toBe(422);
    expect(causes(strict)[0]).toMatch(
      new RegExp(
        `^patch: Invalid value: .*: strict decoding error: ${problems.join(", ").replace(/[[\]]/g, "\\$&")}$`,
      ),
    );
  });

  it("is shown as the patch where that is merged by strategy, and as its outcome elsewhere", async () => {
    const { patch } = await withConfigMap();
    const shown = async (type: Type, body: unknown) =>
      causes(await patch(type, `${path}?fieldValidation=Strict`, body))[0]?.slice(0, 60);
    expect(await shown("strategic", { bogus: { b: [1, "x"], a: null } })).toMatch(
      'patch: Invalid value: "map[bogus:map[a:<nil> b:[1 x]]]": str',
    );
    expect(await shown("merge", { bogus: 1 })).toMatch('patch: Invalid value: "{\\"apiVersion\\":\\"v1\\",');
  });

  it("of an applied configuration are keys that stand twice", async () => {
    const { apply } = await withConfigMap();
    const body =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata:\n  x: a\n  x: b\n  z: c\n  z: d\n";
    const url = `${configMaps}/b?fieldManager=m`;
    const warned = await apply(`${url}&dryRun=All`, body);
    expect([warned.status, warned.warnings]).toEqual([
      201,
      ['line 6: key "x" already set in map', 'line 8: key "z" already set in map'],
    ]);
    expect(said(await apply(`${url}&fieldValidation=Strict`, body))).toBe(
      '400 error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 6: key "x" already set in map\n  line 8: key "z" already set in map',
    );
    expect((await apply(`${url}&fieldValidation=Ignore`, body)).warnings).toEqual([]);
  });
});

describe("versions in patches", () => {
  it.each([
    ["1", 409],
    ["0", 200],
    ["abc", 500],
  ])("%s", async (resourceVersion, status) => {
    const { patch } = await withConfigMap();
    expect((await patch("merge", path, { metadata: { resourceVersion } })).status).toBe(status);
  });

  it("are not needed: a patch is of whatever is there", async () => {
    const { call, patch } = await requestServer();
    const leases = "/apis/coordination.k8s.io/v1/namespaces/test/leases";
    await call("POST", leases, { metadata: { name: "a" }, spec: {} });
    expect((await patch("merge", `${leases}/a`, { spec: { holderIdentity: "me" } })).status).toBe(200);
  });

  it("let patches of different fields pass each other", async () => {
    const { patch, call } = await withConfigMap();
    const keys = Array.from({ length: 20 }, (_, index) => `k${index}`);
    const answers = await Promise.all(keys.map((key) => patch("merge", path, { data: { [key]: "x" } })));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(Object.keys((await call("GET", path)).body.data)).toHaveLength(21);
  });
});

describe("an applied configuration", () => {
  const url = `${configMaps}/new?fieldManager=m`;

  it.each([
    [
      "no name",
      configMap({}),
      "400 the name of the object (new based on URL) was undeterminable: name must be provided",
    ],
    [
      "only a prefix",
      configMap({ generateName: "new-" }),
      "400 the name of the object (new based on URL) was undeterminable: name must be provided",
    ],
    [
      "another name",
      configMap({ name: "other" }),
      "400 the name of the object (other) does not match the name on the URL (new)",
    ],
    [
      "another namespace",
      configMap({ name: "new", namespace: "other" }),
      "400 the namespace of the provided object does not match the namespace sent on the request",
    ],
    [
      "another kind",
      { apiVersion: "v1", kind: "Secret", metadata: { name: "new" } },
      "400 invalid object type: /v1, Kind=Secret",
    ],
    ["no kind", { metadata: { name: "new" } }, "400 invalid object type: /, Kind="],
    [
      "owners of its own",
      configMap({ name: "new", managedFields: [] }),
      "400 metadata.managedFields must be nil",
    ],
    [
      "a uid",
      configMap({ name: "new", uid: "x" }),
      '409 Operation cannot be fulfilled on configmaps "new": uid mismatch: the provided object specified uid x, and no existing object was found',
    ],
    ["a version", configMap({ name: "new", resourceVersion: "7" }), "201"],
    ["nothing more", configMap({ name: "new" }), "201"],
  ])("with %s", async (_, body, expected) => {
    const { apply } = await requestServer();
    expect(said(await apply(url, body))).toBe(expected);
  });

  it("need not name what is there already, but may not name another version of it", async () => {
    const { apply } = await withConfigMap();
    const own = `${path}?fieldManager=m`;
    expect((await apply(own, configMap({}, { data: { x: "1" } }))).status).toBe(200);
    expect(
      (await apply(own, configMap({ name: "a", resourceVersion: "1" }, { data: { x: "2" } }))).status,
    ).toBe(409);
    expect((await apply(own, configMap({ name: "a", uid: "x" }, { data: { x: "2" } }))).status).toBe(422);
  });

  it("can be tried", async () => {
    const { apply, call } = await requestServer();
    const tried = await apply(`${url}&dryRun=All`, configMap({ name: "new" }));
    expect([tried.status, tried.body.metadata.resourceVersion]).toEqual([201, undefined]);
    expect((await call("GET", `${configMaps}/new`)).status).toBe(404);
  });
});

it("applies what two declare at once to one object", async () => {
  const { apply, call } = await requestServer();
  const declare = (who: string) =>
    apply(`${path}?fieldManager=${who}`, configMap({ name: "a" }, { data: { [who]: "x" } }));
  const answers = await Promise.all(["one", "two"].map(declare));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 201]);
  expect((await call("GET", path)).body.data).toEqual({ one: "x", two: "x" });
});
