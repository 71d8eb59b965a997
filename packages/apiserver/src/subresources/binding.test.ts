import { describe, expect, it } from "vitest";
import { podServer, podsPath } from "../kinds/fixtures/pod-server.js";

const binding = (target: object, metadata: object = { name: "p" }) => ({
  apiVersion: "v1",
  kind: "Binding",
  metadata,
  target,
});

describe("pod binding", () => {
  it.each([
    ["through the pod", `${podsPath}/p/binding`],
    ["through the collection of bindings", "/api/v1/namespaces/test/bindings"],
  ])("%s", async (_, path) => {
    const { create, call, patch } = await podServer();
    await create("p", {}, { labels: { old: "1" } });
    await patch(`${podsPath}/p/status`, { status: { nominatedNodeName: "n" } });
    const answer = await call(
      "POST",
      path,
      binding({ kind: "Node", name: "n" }, { name: "p", annotations: { a: "1" }, labels: { new: "2" } }),
    );
    expect(answer).toMatchObject({ status: 201, body: { kind: "Status", status: "Success", code: 201 } });
    const { body } = await call("GET", `${podsPath}/p`);
    expect(body).toMatchObject({
      metadata: { annotations: { a: "1" }, labels: { old: "1", new: "2" } },
      spec: { nodeName: "n" },
      status: { conditions: [{ type: "PodScheduled", status: "True" }] },
    });
    expect(body.status.nominatedNodeName).toBeUndefined();
  });

  it.each<[what: string, spec: object, body: object, status: number, message: string]>([
    [
      "is bound already",
      { nodeName: "m" },
      binding({ name: "n" }),
      409,
      'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "m"',
    ],
    [
      "is gated",
      { schedulingGates: [{ name: "a" }] },
      binding({ name: "n" }),
      409,
      'Operation cannot be fulfilled on pods/binding "p": pod p has non-empty .spec.schedulingGates',
    ],
    ["has no node to go to", {}, binding({}), 500, "target.name: Required value"],
    [
      "should go to something else",
      {},
      binding({ kind: "Pod", name: "n" }),
      500,
      'target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
    ],
    [
      "has another name",
      {},
      binding({ name: "n" }, { name: "q" }),
      400,
      "name in URL does not match name in Binding object",
    ],
  ])("is refused when it %s", async (_, spec, body, status, message) => {
    const { create, call } = await podServer();
    await create("p", spec);
    expect(await call("POST", `${podsPath}/p/binding`, body)).toMatchObject({ status, body: { message } });
  });

  it("is refused for another pod, or a missing one", async () => {
    const { create, call } = await podServer();
    const { metadata } = await create("p");
    const other = await call(
      "POST",
      `${podsPath}/p/binding`,
      binding({ name: "n" }, { name: "p", uid: "x" }),
    );
    expect(other.body.message).toContain(`UID in precondition: x, UID in object meta: ${metadata.uid}`);
    expect((await call("POST", `${podsPath}/q/binding`, binding({ name: "n" }, { name: "q" }))).status).toBe(
      404,
    );
  });

  it("changes nothing in a dry run", async () => {
    const { create, call } = await podServer();
    await create("p");
    const answer = await call("POST", `${podsPath}/p/binding`, binding({ name: "n" }), {
      query: { dryRun: "All" },
    });
    expect(answer.status).toBe(201);
    expect((await call("GET", `${podsPath}/p`)).body.spec.nodeName).toBeUndefined();
  });
});
