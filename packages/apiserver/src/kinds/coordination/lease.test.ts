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
  ])("validates %j: errors at %j", async (spec, expected) => {
    const { call, fields } = await kindServer();
    expect(fields(await call("POST", path, lease(spec)))).toEqual(expected);
  });

  it("is created by PUT, and updated only with a resourceVersion", async () => {
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

  it("drops the fields of coordinated leader election", async () => {
    const { call } = await kindServer();
    const { body } = await call(
      "POST",
      path,
      lease({ strategy: "OldestEmulationVersion", preferredHolder: "b" }),
    );
    expect(body.spec).toEqual({});
  });
});
