// The schemas of the application kinds refuse what Kubernetes would refuse of their children, and let stored objects be.
import { CustomResourceDefinition, type KubeObject, Pod, PodDisruptionBudget } from "@kubewright/api";
import { customKindsOf } from "@kubewright/runtime";
import { type TestCluster, testCluster } from "@kubewright/testing";
import { describe, expect, test } from "vitest";
import { create, kindOf, type OperatorUnderTest, operators, settled } from "./operators.js";

const namespace = "default";

/** Fields of the container and of the Service, where the kind has them. */
function specWith(operator: OperatorUnderTest, container: object, ports?: object[]): object {
  if (operator.name === "application")
    return {
      deployment: { image: "nginx:1.27", ...container },
      ...(ports ? { service: { ports } } : {}),
    };
  return { ...operator.spec, ...container, ...(ports ? { ports } : {}) };
}

const wrongContainers: [string, object, string][] = [
  ["an image with white space", { image: " nginx" }, "image"],
  ["a variable with =", { envs: [{ name: "a=b", value: "1" }] }, "envs[0].name"],
  [
    "requests above limits",
    { resources: { requests: { cpu: "2" }, limits: { cpu: "1500m" } } },
    "requests must not exceed limits",
  ],
  ["a budget that says nothing", { podDisruptionBudget: {} }, "exactly one of the fields"],
  ["a pod template with a text for a number", { podTemplate: { spec: { hostUsers: "x" } } }, "hostUsers"],
];
const wrongPorts: [string, object[], string][] = [
  ["port 0", [{ port: 0 }], "ports[0].port"],
  ["port 70000", [{ port: 70000 }], "ports[0].port"],
  ["a node port above 65535", [{ port: 80, nodePort: 70000 }], "ports[0].nodePort"],
  ["a target port that is no name", [{ port: 80, targetPort: "No_Name" }], "ports[0].targetPort"],
  [
    "two ports of one name",
    [
      { port: 80, name: "a" },
      { port: 81, name: "a" },
    ],
    "names of ports must be different",
  ],
];

const withContainers = operators.filter(({ name }) => name !== "guestbook");

describe.each(withContainers)("$name", (operator) => {
  test("refuses what no container or Service can have", async () => {
    await using cluster = await testCluster({ resources: customKindsOf(operator.manager) });
    const refusal = async (spec: object) =>
      create(cluster, operator, "web", spec).then(
        () => "accepted",
        (error: Error) => error.message,
      );
    for (const [what, wrong, message] of wrongContainers)
      expect.soft(await refusal(specWith(operator, wrong)), what).toContain(message);
    for (const [what, wrong, message] of wrongPorts)
      expect.soft(await refusal(specWith(operator, {}, wrong)), what).toContain(message);
  });
});

/** The kind as it was before its schema was strict. */
function loosened(crd: CustomResourceDefinition): CustomResourceDefinition {
  const anything = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const openAPIV3Schema = { type: "object", properties: { spec: anything, status: anything } };
  const versions = crd.spec.versions.map((version) => ({ ...version, schema: { openAPIV3Schema } }));
  return { ...crd, spec: { ...crd.spec, versions, conversion: { strategy: "None" } } };
}

describe.each(operators)("$name", (operator) => {
  const Kind = kindOf(operator);

  test("keeps an object that an older schema accepted, and lets other fields of it change", async () => {
    const kinds = customKindsOf(operator.manager);
    const resources = kinds.map((kind) => ({ crd: () => loosened(kind.crd()) }));
    const manager = { ...operator.manager, webhooks: [] };
    await using cluster = await testCluster({ resources, manager });
    await operator.prepare?.(cluster);
    const wrong =
      operator.name === "guestbook"
        ? { ...operator.spec, size: 12 }
        : specWith(operator, {
            replicas: 2,
            port: 8080,
            resources: { requests: { cpu: "2" }, limits: { cpu: "1" } },
          });
    await create(cluster, operator, "web", wrong);
    await tighten(cluster, kinds);
    await cluster.client.patch(Kind, "web", { merge: { spec: operator.change } as never }, { namespace });
    const seen = await cluster.eventually(
      Kind,
      "web",
      (object) =>
        (object as Observed).status?.conditions?.some((each) => each.observedGeneration === 2) ?? false,
    );
    expect(seen.metadata?.generation).toBe(2);
  });

  test("takes a pod template and a disruption budget", async () => {
    await using cluster = await testCluster({
      resources: customKindsOf(operator.manager),
      manager: operator.manager,
    });
    const podTemplate = {
      metadata: { annotations: { team: "a" } },
      spec: {
        serviceAccountName: "default",
        tolerations: [{ key: "gpu", operator: "Exists" }],
        volumes: [{ name: "tmp", emptyDir: {} }],
      },
    };
    const extra = { podTemplate, podDisruptionBudget: { maxUnavailable: 1 } };
    const spec =
      operator.name === "application"
        ? { deployment: { ...(operator.spec as { deployment: object }).deployment, ...extra } }
        : { ...operator.spec, ...extra };
    await settled(cluster, { ...operator, spec });
    const [pod] = await cluster.list(Pod);
    expect(pod?.metadata?.annotations).toMatchObject({ team: "a" });
    expect(pod?.spec?.tolerations).toContainEqual({ key: "gpu", operator: "Exists" });
    expect(pod?.spec?.volumes).toContainEqual({ name: "tmp", emptyDir: {} });
    const { spec: budget, metadata } = await cluster.get(PodDisruptionBudget, "web");
    expect(budget?.maxUnavailable).toBe(1);
    expect(metadata?.ownerReferences).toMatchObject([{ kind: operator.kind, name: "web" }]);
    const without =
      operator.name === "application"
        ? { deployment: { podDisruptionBudget: null } }
        : { podDisruptionBudget: null };
    await cluster.client.patch(Kind, "web", { merge: { spec: without } as never }, { namespace });
    await cluster.eventuallyGone(PodDisruptionBudget, "web");
    expect(cluster.errors).toEqual([]);
  });
});

interface Observed extends KubeObject {
  readonly status?: { readonly conditions?: readonly { readonly observedGeneration?: number }[] };
}

async function tighten(cluster: TestCluster, kinds: ReturnType<typeof customKindsOf>): Promise<void> {
  for (const kind of kinds) {
    const { metadata, spec } = kind.crd();
    const strict = { ...spec, conversion: { strategy: "None" } };
    await cluster.client.patch(CustomResourceDefinition, metadata?.name ?? "", {
      merge: { spec: strict } as never,
    });
  }
}
