import { describe, expect, it } from "vitest";
import { kindServer } from "../kinds/fixtures/kind-server.js";

const group = "/apis/flowcontrol.apiserver.k8s.io/v1";
const schema = {
  apiVersion: "flowcontrol.apiserver.k8s.io/v1",
  kind: "FlowSchema",
  metadata: { name: "f" },
  spec: {
    priorityLevelConfiguration: { name: "late" },
    matchingPrecedence: 900,
    rules: [
      {
        subjects: [{ kind: "User", user: { name: "x" } }],
        nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/z"] }],
      },
    ],
  },
};
const level = {
  apiVersion: "flowcontrol.apiserver.k8s.io/v1",
  kind: "PriorityLevelConfiguration",
  metadata: { name: "late" },
  spec: { type: "Limited", limited: { nominalConcurrencyShares: 1, limitResponse: { type: "Reject" } } },
};

/** The server's own controllers work between requests. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

describe("the condition Dangling of a FlowSchema", () => {
  it("reports whether its priority level exists, also after that is created or deleted", async () => {
    const { call, server } = await kindServer();
    const conditions = async () => {
      await settled();
      const { body } = await call("GET", `${group}/flowschemas/f`);
      return body.status.conditions.map(
        (each: Record<string, string>) =>
          `${each["type"]}=${each["status"]} ${each["reason"]}: ${each["message"]}`,
      );
    };
    await call("POST", `${group}/flowschemas`, schema);
    const about = 'This FlowSchema references the PriorityLevelConfiguration object named "late"';
    const dangling = `Dangling=True NotFound: ${about} but there is no such object`;
    expect(await conditions()).toEqual([dangling]);
    await call("POST", `${group}/prioritylevelconfigurations`, level);
    expect(await conditions()).toEqual([`Dangling=False Found: ${about} and it exists`]);
    await call("DELETE", `${group}/prioritylevelconfigurations/late`);
    expect(await conditions()).toEqual([dangling]);
    server.close();
  });

  it("is applied by the manager that kube-apiserver names, and written once", async () => {
    const { call, server } = await kindServer();
    await call("POST", `${group}/flowschemas`, schema);
    await settled();
    const { body } = await call("GET", `${group}/flowschemas/f`);
    expect(body.metadata.managedFields[0]).toMatchObject({
      manager: "api-priority-and-fairness-config-consumer-v1",
      operation: "Apply",
      subresource: "status",
    });
    await settled();
    const again = await call("GET", `${group}/flowschemas/f`);
    expect(again.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
    server.close();
  });
});
