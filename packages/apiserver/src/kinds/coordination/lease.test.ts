import { describe, expect, it } from "vitest";
import { kindServer } from "../fixtures/kind-server.js";

const path = "/apis/coordination.k8s.io/v1/namespaces/test/leases";
const lease = (spec: object, metadata: object = { name: "l" }) => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata,
  spec,
});

describe("Lease", () => {
  it.each([
    [{ leaseDurationSeconds: 0 }, ["spec.leaseDurationSeconds"]],
    [{ leaseTransitions: -1 }, ["spec.leaseTransitions"]],
    [{ leaseDurationSeconds: 1, leaseTransitions: 0 }, []],
  ])("%j is wrong at %j", async (spec, expected) => {
    const { call, fields } = await kindServer();
    expect(fields(await call("POST", path, lease(spec)))).toEqual(expected);
  });

  it("is made by a PUT, and changed only by one that knows its version", async () => {
    const { call } = await kindServer();
    const made = await call("PUT", `${path}/l`, lease({ holderIdentity: "a" }));
    expect(made.status).toBe(201);
    expect((await call("PUT", `${path}/l`, lease({ holderIdentity: "b" }))).status).toBe(422);
    const { resourceVersion } = made.body.metadata;
    const renewed = await call(
      "PUT",
      `${path}/l`,
      lease({ holderIdentity: "a" }, { name: "l", resourceVersion }),
    );
    expect(renewed.status).toBe(200);
  });

  it("forgets what only coordinated leader election needs", async () => {
    const { call } = await kindServer();
    const { body } = await call(
      "POST",
      path,
      lease({ strategy: "OldestEmulationVersion", preferredHolder: "b" }),
    );
    expect(body.spec).toEqual({});
  });
});
