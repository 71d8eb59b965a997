import { describe, expect, it } from "vitest";
import { podOf, podServer, podsPath } from "../../kinds/fixtures/pod-server.js";
import type { ApiServerOptions } from "../../server.js";

const label = (mode: string) => `pod-security.kubernetes.io/${mode}`;

async function labelled(labels: Record<string, string>, options: ApiServerOptions = {}) {
  const server = await podServer(options);
  await server.patch("/api/v1/namespaces/test", { metadata: { labels } });
  return server;
}

const safe = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } },
  containers: [
    {
      name: "c",
      image: "i",
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } },
    },
  ],
};
const withContext = (securityContext: object) => ({
  containers: [{ name: "c", image: "i", securityContext }],
});

describe("PodSecurity enforce", () => {
  it("refuses a pod that is not restricted with all violations", async () => {
    const { attempt } = await labelled({ [label("enforce")]: "restricted" });
    const { status, body } = await attempt({});
    expect(status).toBe(403);
    expect(body.message).toBe(
      'pods "p" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    );
    expect((await attempt(safe)).status).toBe(201);
  });

  it.each([
    [{ hostNetwork: true, hostPID: true }, "host namespaces (hostNetwork=true, hostPID=true)"],
    [
      withContext({ privileged: true }),
      'privileged (container "c" must not set securityContext.privileged=true)',
    ],
    [
      withContext({ capabilities: { add: ["SYS_ADMIN", "NET_ADMIN", "CHOWN"] } }),
      'non-default capabilities (container "c" must not include "NET_ADMIN", "SYS_ADMIN" in securityContext.capabilities.add)',
    ],
    [
      {
        volumes: [
          { name: "a", hostPath: { path: "/a" } },
          { name: "b", hostPath: { path: "/b" } },
        ],
      },
      'hostPath volumes (volumes "a", "b")',
    ],
    [
      { containers: [{ name: "c", image: "i", ports: [{ containerPort: 80, hostPort: 8080 }] }] },
      'hostPort (container "c" uses hostPort 8080)',
    ],
    [
      {
        containers: [
          { name: "c", image: "i", livenessProbe: { httpGet: { host: "a.example", port: 80, path: "/" } } },
        ],
      },
      'probe or lifecycle host (container "c" uses probe or lifecycle host "a.example")',
    ],
    [
      { securityContext: { seLinuxOptions: { type: "spc_t", user: "u" } } },
      'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be set)',
    ],
    [
      { securityContext: { seccompProfile: { type: "Unconfined" } } },
      'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
    ],
    [
      { securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] } },
      "forbidden sysctls (kernel.msgmax)",
    ],
    [
      { securityContext: { appArmorProfile: { type: "Unconfined" } } },
      'forbidden AppArmor profile (pod must not set AppArmor profile type to "Unconfined")',
    ],
  ])("baseline refuses %j", async (spec, text) => {
    const { attempt } = await labelled({ [label("enforce")]: "baseline" });
    expect((await attempt(spec)).body.message).toBe(
      `pods "p" is forbidden: violates PodSecurity "baseline:latest": ${text}`,
    );
  });

  it.each([
    [
      { volumes: [{ name: "a", hostPath: { path: "/a" } }] },
      'restricted volume types (volume "a" uses restricted volume type "hostPath")',
    ],
    [
      {
        volumes: [
          { name: "a", photonPersistentDisk: { pdID: "p" } },
          { name: "b", image: { reference: "i" } },
        ],
      },
      'restricted volume types (volume "a" uses restricted volume type "photonPersistentDisk")',
    ],
    [
      { securityContext: { ...safe.securityContext, runAsUser: 0 } },
      "runAsUser=0 (pod must not set runAsUser=0)",
    ],
    [
      { securityContext: { ...safe.securityContext, runAsNonRoot: false } },
      "runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false)",
    ],
  ])("restricted refuses %j", async (spec, text) => {
    const { attempt } = await labelled({ [label("enforce")]: "restricted" });
    expect((await attempt({ ...safe, ...spec })).body.message).toBe(
      `pods "p" is forbidden: violates PodSecurity "restricted:latest": ${text}`,
    );
  });

  it("applies the checks of the version in the label", async () => {
    const sysctl = { securityContext: { sysctls: [{ name: "net.ipv4.tcp_rmem", value: "1 2 3" }] } };
    const old = await labelled({ [label("enforce")]: "baseline", [label("enforce-version")]: "v1.31" });
    expect((await old.attempt(sysctl)).body.message).toContain('violates PodSecurity "baseline:v1.31"');
    const now = await labelled({ [label("enforce")]: "baseline" });
    expect((await now.attempt(sysctl)).status).toBe(201);
  });

  it("ignores updates of a pod that change only labels", async () => {
    const server = await podServer();
    await server.create("old", withContext({ privileged: true }));
    await server.patch("/api/v1/namespaces/test", {
      metadata: { labels: { [label("enforce")]: "baseline" } },
    });
    expect((await server.patch(`${podsPath}/old`, { metadata: { labels: { a: "b" } } })).status).toBe(200);
  });

  it.each([
    ["a namespace", { namespaces: ["test"] }],
    ["a user", { usernames: ["admin"] }],
  ])("exempts %s", async (_, exemptions) => {
    const { attempt } = await labelled({ [label("enforce")]: "restricted" }, { podSecurity: { exemptions } });
    expect((await attempt({})).status).toBe(201);
  });
});

describe("PodSecurity warn", () => {
  it("warns about pods and workload resources", async () => {
    const server = await labelled({ [label("warn")]: "baseline" });
    const text = '299 - "would violate PodSecurity \\"baseline:latest\\": host namespaces (hostPID=true)"';
    expect((await server.attempt({ hostPID: true })).warnings).toEqual([text]);
    const { metadata, spec } = podOf("p", { hostPID: true });
    const deployment = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata,
      spec: { selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "b" } }, spec } },
    };
    const answer = await server.call("POST", "/apis/apps/v1/namespaces/test/deployments", deployment);
    expect(answer).toMatchObject({ status: 201, warnings: [text] });
  });
});

describe("PodSecurity namespaces", () => {
  it("are refused with invalid levels or versions in their labels", async () => {
    const { call } = await podServer();
    const labels = { [label("enforce")]: "strict", [label("warn-version")]: "1.30" };
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "x", labels } };
    expect((await call("POST", "/api/v1/namespaces", namespace)).body.message).toBe(
      'Namespace "x" is invalid: [metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "strict": must be one of privileged, baseline, restricted, metadata.labels[pod-security.kubernetes.io/warn-version]: Invalid value: "1.30": must be "latest" or "v1.x"]',
    );
  });

  it("warn about existing pods that violate a stricter level", async () => {
    const server = await podServer();
    await server.create("a", { hostPID: true });
    await server.create("b", { hostPID: true });
    await server.create("c");
    const labels = { [label("enforce")]: "baseline" };
    expect((await server.patch("/api/v1/namespaces/test", { metadata: { labels } })).warnings).toEqual([
      '299 - "existing pods in namespace \\"test\\" violate the new PodSecurity enforce level \\"baseline:latest\\""',
      '299 - "a (and 1 other pod): host namespaces"',
    ]);
  });
});
