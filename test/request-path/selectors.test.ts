import { beforeAll, describe, expect, it } from "vitest";
import { clusterCronTabs, cronTab, cronTabs, defineCronTabs } from "./cron-tabs.js";
import { configMap, configMaps, requestServer, said } from "./request-server.js";

const labelKey =
  "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
const namePart =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValue =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

let server: Awaited<ReturnType<typeof requestServer>>;
beforeAll(async () => {
  server = await requestServer();
  const maps: readonly (readonly [string, object])[] = [
    ["a", { app: "x", size: "5" }],
    ["b", { app: "y", size: "20" }],
    ["c", { app: "" }],
    ["d", {}],
  ];
  for (const [name, labels] of maps) await server.call("POST", configMaps, configMap({ name, labels }));
});

const list = (parameter: "labelSelector" | "fieldSelector", selector: string, path = configMaps) =>
  server.call("GET", `${path}?${parameter}=${encodeURIComponent(selector)}`);

const namesIn = ({ body }: Awaited<ReturnType<typeof list>>): string =>
  (body.items ?? []).map(({ metadata }: { metadata: { name: string } }) => metadata.name).join("");

describe("labels", () => {
  it.each([
    ["app=x", "a"],
    ["app==x", "a"],
    ["app!=x", "bcd"],
    ["app=", "c"],
    ["app in ()", "c"],
    ["app in (,x)", "ac"],
    ["app in (x,y,)", "abc"],
    ["app notin (x,y)", "cd"],
    ["app notin ()", "abd"],
    ["app", "abc"],
    ["!app", "d"],
    [" app , !size ", "c"],
    ["size>5", "b"],
    ["size>4", "ab"],
    ["size<20", "a"],
    ["app=x,app=y", ""],
    ["", "abcd"],
    [" ", "abcd"],
    ["in in (in)", ""],
    ["notin", ""],
  ])("%j", async (selector, expected) => {
    expect(namesIn(await list("labelSelector", selector))).toBe(expected);
  });

  it.each([
    ["app in", "unable to parse requirement: found '' expected: '('"],
    ["app in x", "unable to parse requirement: found 'x' expected: '('"],
    ["app in (x", "unable to parse requirement: found '', expected: ',' or ')'"],
    ["app in (x y)", "unable to parse requirement: found 'y', expected: ',' or ')'"],
    ["app notin", "unable to parse requirement: found '' expected: '('"],
    ["app=x y", "found 'y', expected: ',' or 'end of string'"],
    ["app x", "unable to parse requirement: found 'x', expected: in, notin, =, ==, !=, gt, lt"],
    ["app =", undefined],
    ["=x", "found '=', expected: !, identifier, or 'end of string'"],
    ["(app)", "found '(', expected: !, identifier, or 'end of string'"],
    [",", "found ',', expected: !, identifier, or 'end of string'"],
    ["app,", "found '', expected: identifier after ','"],
    ["app,,size", "found ',', expected: identifier after ','"],
    ["!", "unable to parse requirement: found '', expected: identifier"],
    ["!app=x", "found '=', expected: ',' or 'end of string'"],
    [
      "app>",
      "unable to parse requirement: values[0]: Invalid value: \"\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    [
      "app>x",
      "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
    ],
    ["a//b=c", `unable to parse requirement: <nil>: Invalid value: "a//b": ${labelKey}`],
    ["-a=c", `unable to parse requirement: <nil>: Invalid value: "-a": ${namePart}`],
    ["app=-x", `unable to parse requirement: values[0][app]: Invalid value: "-x": ${labelValue}`],
    ["app in (x,-y)", undefined],
    [
      `app=${"x".repeat(64)}`,
      `unable to parse requirement: values[0][app]: Invalid value: "${"x".repeat(64)}": must be no more than 63 bytes`,
    ],
  ])("%j is refused", async (selector, expected) => {
    const answer = await list("labelSelector", selector);
    if (expected === undefined) expect(answer.status).toBe(selector === "app =" ? 200 : 400);
    else expect(said(answer)).toBe(`400 ${expected}`);
  });
});

describe("fields", () => {
  it.each([
    ["metadata.name=a", "a"],
    ["metadata.name==a", "a"],
    ["metadata.name!=a", "bcd"],
    ["metadata.name=a,metadata.name=b", ""],
    ["metadata.name=", ""],
    ["metadata.namespace=test", "abcd"],
    ["metadata.namespace!=test", ""],
    [",metadata.name=a,", "a"],
  ])("%s", async (selector, expected) => {
    expect(namesIn(await list("fieldSelector", selector))).toBe(expected);
  });

  it.each([
    [configMaps, "metadata.name", "invalid selector: 'metadata.name'; can't understand 'metadata.name'"],
    [configMaps, "a=b,c", "invalid selector: 'a=b,c'; can't understand 'c'"],
    [configMaps, "a=b\\c", "invalid field selector: invalid escape sequence: \\c"],
    [configMaps, "metadata.name=a=b", "invalid field selector: unescaped character in value: 61"],
    [configMaps, "=x", '"" is not a known field selector: only "metadata.name", "metadata.namespace"'],
    [
      configMaps,
      "data.a=b",
      '"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
    ["/api/v1/namespaces/test/pods", "spec.hostname=x", "field label not supported: spec.hostname"],
    ["/api/v1/namespaces", "metadata.namespace=x", "field label not supported: metadata.namespace"],
    ["/api/v1/nodes", "metadata.namespace=x", "field label not supported: metadata.namespace"],
    ["/api/v1/nodes", "spec.podCIDR=x", "field label not supported: spec.podCIDR"],
  ])("%s?fieldSelector=%s is refused", async (path, selector, expected) => {
    expect(said(await list("fieldSelector", selector, path))).toBe(`400 ${expected}`);
  });

  it.each([
    ["/apis/rbac.authorization.k8s.io/v1/clusterroles", "metadata.namespace=x", 0],
    ["/api/v1/namespaces", "status.phase=Active,metadata.name=test", 1],
    ["/api/v1/namespaces", "status.phase!=Active", 0],
    ["/api/v1/namespaces/test/services", "spec.type=ClusterIP", 0],
  ])("%s?fieldSelector=%s selects %i", async (path, selector, count) => {
    const { status, body } = await list("fieldSelector", selector, path);
    expect([status, body.items?.length]).toEqual([200, count]);
  });
});

describe("fields of custom resources", () => {
  it.each([
    ["Namespaced", cronTabs, "metadata.namespace=test", "200"],
    ["Namespaced", cronTabs, "spec.image=x,metadata.name=a", "200"],
    ["Namespaced", cronTabs, "spec.replicas=1", "400 field label not supported: spec.replicas"],
    ["Cluster", clusterCronTabs, "metadata.name=a", "200"],
    [
      "Cluster",
      clusterCronTabs,
      "metadata.namespace=test",
      "400 field label not supported: metadata.namespace",
    ],
  ] as const)("%s %s?fieldSelector=%s", async (scope, path, selector, expected) => {
    const own = await requestServer();
    await defineCronTabs(own, { scope, selectableFields: [{ jsonPath: ".spec.image" }] });
    await own.call("POST", path, cronTab({ name: "a" }, { spec: { image: "x" } }));
    const answer = await own.call("GET", `${path}?fieldSelector=${encodeURIComponent(selector)}`);
    expect(said(answer)).toBe(expected);
    if (expected === "200") expect(answer.body.items).toHaveLength(1);
  });
});

describe("a name in the path of a watch", () => {
  const path = "/api/v1/watch/namespaces/test/configmaps/a";
  it("must be the one a field selector names", async () => {
    expect(said(await list("fieldSelector", "metadata.name=b", path))).toBe(
      "400 fieldSelector metadata.name doesn't match requested name",
    );
    expect(said(await list("fieldSelector", "metadata.namespace=test", path))).toBe(
      "400 fieldSelector metadata.name doesn't match requested name",
    );
    expect((await list("fieldSelector", "metadata.name=a", path)).status).toBe(200);
  });
});
