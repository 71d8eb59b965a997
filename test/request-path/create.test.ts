import { describe, expect, it } from "vitest";
import { causes, configMap, configMaps, requestServer, said } from "./request-server.js";

const owner = { apiVersion: "v1", kind: "Pod", name: "x", uid: "u" };
const duplicateOwners = (when: string) =>
  `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u`;

describe("a namespace in the body", () => {
  it("must be that of the path", async () => {
    const { call } = await requestServer();
    expect(said(await call("POST", configMaps, configMap({ name: "a", namespace: "other" })))).toBe(
      "400 the namespace of the provided object does not match the namespace sent on the request",
    );
  });

  it.each([
    ["/apis/rbac.authorization.k8s.io/v1/clusterroles", { name: "a", namespace: "other" }],
    ["/api/v1/namespaces", { name: "b", namespace: "other" }],
  ])("is dropped where there are none: %s", async (path, metadata) => {
    const { call } = await requestServer();
    const { status, body } = await call("POST", path, { metadata });
    expect([status, body.metadata.namespace]).toEqual([201, undefined]);
  });

  it("is checked to be one, wherever it comes from", async () => {
    const { call } = await requestServer({ disableAdmission: ["ServiceAccount", "NamespaceLifecycle"] });
    expect(causes(await call("POST", "/api/v1/namespaces/A_b/configmaps", configMap({ name: "a" })))).toEqual(
      [expect.stringMatching(/^metadata.namespace: Invalid value: "A_b": a lowercase RFC 1123 label must/)],
    );
  });
});

describe("a resourceVersion in the body of a create", () => {
  it.each([
    ["12", "500 resourceVersion should not be set on objects to be created"],
    ["0", "201"],
    ["abc", "201"],
  ])("%s", async (resourceVersion, answer) => {
    const { call } = await requestServer();
    expect(said(await call("POST", configMaps, configMap({ name: "a", resourceVersion })))).toBe(answer);
  });

  it("is looked at last, and not at all where nothing is stored", async () => {
    const { call } = await requestServer();
    const bad = await call("POST", configMaps, configMap({ name: "BAD", resourceVersion: "12" }));
    expect(bad.status).toBe(422);
    const tried = await call(
      "POST",
      `${configMaps}?dryRun=All`,
      configMap({ name: "a", resourceVersion: "12" }),
    );
    expect([tried.status, tried.body.metadata.resourceVersion]).toEqual([201, "12"]);
  });
});

describe("what the server fills in", () => {
  it("is not what a client says of it", async () => {
    const { call } = await requestServer();
    const { body } = await call(
      "POST",
      configMaps,
      configMap({
        name: "a",
        uid: "mine",
        creationTimestamp: "2001-01-01T00:00:00Z",
        deletionTimestamp: "2001-01-01T00:00:00Z",
        deletionGracePeriodSeconds: 5,
        selfLink: "/x",
        generation: 7,
      }),
    );
    expect(body.metadata).toMatchObject({ generation: 7, resourceVersion: expect.any(String) });
    expect(body.metadata.uid).not.toBe("mine");
    expect(body.metadata.creationTimestamp).not.toMatch(/^2001/);
    expect(Object.keys(body.metadata)).not.toContain("deletionTimestamp");
    expect(Object.keys(body.metadata)).not.toContain("deletionGracePeriodSeconds");
    expect(Object.keys(body.metadata)).not.toContain("selfLink");
  });

  it("refuses a generation before the first", async () => {
    const { call } = await requestServer();
    expect(causes(await call("POST", configMaps, configMap({ name: "a", generation: -4 })))).toEqual([
      "metadata.generation: Invalid value: -4: must be greater than or equal to 0",
    ]);
  });

  it("is not shown to admission as the client had it", async () => {
    const seen: unknown[] = [];
    const { call } = await requestServer({
      admission: [
        {
          name: "Witness",
          async mutate({ kind, object }) {
            if (kind.plural === "configmaps") seen.push({ ...object?.metadata, managedFields: undefined });
          },
        },
      ],
    });
    await call("POST", configMaps, configMap({ name: "a", uid: "mine", selfLink: "/x" }));
    expect(seen).toEqual([{ name: "a", namespace: "test" }]);
  });
});

describe("owners named twice", () => {
  it("are kept once, and the client is told", async () => {
    const { call } = await requestServer();
    const { body, warnings } = await call(
      "POST",
      configMaps,
      configMap({ name: "a", ownerReferences: [owner, owner] }),
    );
    expect(body.metadata.ownerReferences).toEqual([owner]);
    expect(warnings).toEqual([duplicateOwners("")]);
  });

  it("are both kept when they differ in anything", async () => {
    const { call } = await requestServer();
    const ownerReferences = [owner, { ...owner, name: "y" }, { ...owner, controller: false }];
    const { body, warnings } = await call("POST", configMaps, configMap({ name: "a", ownerReferences }));
    expect(body.metadata.ownerReferences).toEqual(ownerReferences);
    expect(warnings).toEqual([]);
  });

  it("are found in updates too, and in patches when all is said", async () => {
    const { call, patch } = await requestServer();
    await call("POST", configMaps, configMap({ name: "a" }));
    const twice = configMap({ name: "a", ownerReferences: [owner, owner] });
    const put = await call("PUT", `${configMaps}/a`, twice);
    expect([put.body.metadata.ownerReferences, put.warnings]).toEqual([[owner], [duplicateOwners("")]]);
    const patched = await patch("merge", `${configMaps}/a`, { metadata: twice.metadata });
    expect([patched.body.metadata.ownerReferences, patched.warnings]).toEqual([
      [owner],
      [duplicateOwners(" after mutating admission happens")],
    ]);
  });
});

describe("owners", () => {
  it("may have any version there is", async () => {
    const { call } = await requestServer();
    const answer = async (apiVersion: string) =>
      causes(
        await call(
          "POST",
          `${configMaps}?dryRun=All`,
          configMap({ name: "a", ownerReferences: [{ ...owner, apiVersion }] }),
        ),
      );
    expect(await answer("a/b/c")).toEqual([
      'metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty',
    ]);
    expect(await answer("a/v1")).toEqual([]);
  });

  it("cannot all be in control: each one too many is named", async () => {
    const { call } = await requestServer();
    const ownerReferences = ["a", "b", "c"].map((name) => ({ ...owner, name, uid: name, controller: true }));
    const answer = await call("POST", configMaps, configMap({ name: "a", ownerReferences }));
    expect(causes(answer).map((text) => text.replace(/Invalid value: .*\]: /, ""))).toEqual([
      'metadata.ownerReferences: Only one reference can have Controller set to true. Found "true" in references for Pod/a and Pod/b',
      'metadata.ownerReferences: Only one reference can have Controller set to true. Found "true" in references for Pod/a and Pod/c',
    ]);
  });
});

describe("a generated name", () => {
  const generated = configMap({ generateName: "g-" });

  it("is drawn again while it is taken", async () => {
    const draws = [0, 0, 0.5];
    let letters = 0;
    const { call } = await requestServer({ random: () => draws[Math.floor(letters++ / 5)] ?? 0 });
    const first = await call("POST", configMaps, generated);
    const second = await call("POST", configMaps, generated);
    expect([first.body.metadata.name, second.body.metadata.name]).toEqual(["g-bbbbb", "g-rrrrr"]);
  });

  it("that stays taken is the server's failure, and worth another try", async () => {
    const { call } = await requestServer({ random: () => 0 });
    await call("POST", configMaps, generated);
    const { status, headers, body } = await call("POST", configMaps, generated);
    expect([status, headers["retry-after"], body.message, body.details]).toEqual([
      409,
      "1",
      'configmaps "g-bbbbb" already exists, the server was not able to generate a unique name for the object',
      { name: "g-bbbbb", kind: "configmaps", retryAfterSeconds: 1 },
    ]);
  });

  it("takes the blame even where a name was given", async () => {
    const { call } = await requestServer();
    const both = configMap({ name: "a", generateName: "g-" });
    await call("POST", configMaps, both);
    expect(said(await call("POST", configMaps, both))).toBe(
      '409 configmaps "a" already exists, the server was not able to generate a unique name for the object',
    );
    expect(said(await call("POST", configMaps, configMap({ name: "a" })))).toBe(
      '409 configmaps "a" already exists',
    );
  });

  it("is cut to fit a label", async () => {
    const { call } = await requestServer();
    const { body } = await call("POST", configMaps, configMap({ generateName: "a".repeat(70) }));
    expect(body.metadata.name).toMatch(/^a{58}[a-z0-9]{5}$/);
  });
});
