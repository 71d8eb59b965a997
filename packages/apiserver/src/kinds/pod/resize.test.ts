import { describe, expect, it } from "vitest";
import { podServer, podsPath } from "../fixtures/pod-server.js";

const asking = (cpu: string) => ({ resources: { requests: { cpu } } });
const withInit = (init: object) => ({
  initContainers: [{ name: "i", image: "i", ...init }],
  containers: [{ name: "c", image: "i", ...asking("1") }],
});

const sized = (requests: object, limits?: object) => ({
  containers: [{ name: "c", image: "i", resources: { requests, ...(limits ? { limits } : {}) } }],
});

describe("pod resize", () => {
  it("changes cpu and memory, and nothing else", async () => {
    const { create, patch } = await podServer();
    await create("p", sized({ cpu: "1", memory: "1Gi" }));
    const resized = sized({ cpu: "2", memory: "1Gi" });
    const { status, body } = await patch(`${podsPath}/p/resize`, {
      metadata: { labels: { a: "b" } },
      spec: { ...resized, nodeName: "n" },
    });
    expect(status).toBe(200);
    expect(body.spec.containers[0].resources.requests).toEqual({ cpu: "2", memory: "1Gi" });
    expect(body.spec.containers[0].image).toBe("i");
    expect(body.spec.nodeName).toBeUndefined();
    expect(body.metadata.labels).toBeUndefined();
    expect(body.metadata.generation).toBe(2);
  });

  it.each<[what: string, before: object, after: object, causes: string[]]>([
    [
      "its class",
      sized({ cpu: "1", memory: "1Gi" }, { cpu: "1", memory: "1Gi" }),
      sized({ cpu: "1", memory: "1Gi" }, { cpu: "2", memory: "1Gi" }),
      ['spec: Invalid value: "Guaranteed": Pod QOS Class may not change as a result of resizing'],
    ],
    [
      "other resources",
      sized({ cpu: "1", "ephemeral-storage": "1Gi" }),
      sized({ cpu: "1", "ephemeral-storage": "2Gi" }),
      ["spec: Forbidden: only cpu and memory resources are mutable"],
    ],
    [
      "what it no longer asks for",
      sized({ cpu: "1", memory: "1Gi" }),
      sized({ cpu: "1" }),
      ["spec.containers[0].resources.requests: Forbidden: resource requests cannot be removed"],
    ],
    [
      "a restart policy of its sizes",
      sized({ cpu: "1" }),
      {
        containers: [
          {
            name: "c",
            image: "i",
            ...asking("1"),
            resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }],
          },
        ],
      },
      ["spec: Forbidden: only cpu and memory resources are mutable"],
    ],
    [
      "containers that have claims",
      {
        resourceClaims: [{ name: "d", resourceClaimName: "d" }],
        containers: [
          { name: "c", image: "i", resources: { requests: { cpu: "1" }, claims: [{ name: "d" }] } },
        ],
      },
      {
        containers: [
          { name: "c", image: "i", resources: { requests: { cpu: "2" }, claims: [{ name: "d" }] } },
        ],
      },
      ["spec: Forbidden: only cpu and memory resources are mutable"],
    ],
    [
      "its list of containers",
      sized({ cpu: "1" }),
      { containers: [{ name: "d", image: "i", ...asking("1") }] },
      ["spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize"],
    ],
    [
      "other resources of an init container",
      withInit({ resources: { requests: { "ephemeral-storage": "1Gi" } } }),
      withInit({ resources: { requests: { "ephemeral-storage": "2Gi" } } }),
      [
        "spec.initContainers[0]: Forbidden: only cpu and memory resources for init or sidecar containers are mutable",
      ],
    ],
    [
      "what all of it no longer asks for",
      { ...sized({ cpu: "1" }), resources: { requests: { cpu: "2", memory: "1Gi" } } },
      { resources: { requests: { memory: null } } },
      ["spec.resources.requests: Forbidden: pod-level resource requests cannot be removed"],
    ],
  ])("refuses to change %s", async (_, before, after, expected) => {
    const { create, patch, causes } = await podServer();
    await create("p", before);
    expect(causes(await patch(`${podsPath}/p/resize`, { spec: after }))).toEqual(expected);
  });

  it.each<[what: string, before: object, after: object]>([
    ["init containers", withInit(asking("1")), withInit(asking("2"))],
    [
      "the pod as a whole",
      { ...sized({ cpu: "1" }), resources: { requests: { cpu: "2" } } },
      { resources: { requests: { cpu: "3" } } },
    ],
  ])("changes %s", async (_, before, after) => {
    const { create, patch } = await podServer();
    await create("p", before);
    expect(await patch(`${podsPath}/p/resize`, { spec: after })).toMatchObject({ status: 200 });
  });

  it("is refused for Windows pods and mirror pods", async () => {
    const { create, patch, causes } = await podServer();
    await create("w", { ...sized({ cpu: "1" }), os: { name: "windows" } });
    await create(
      "m",
      { ...sized({ cpu: "1" }), nodeName: "n" },
      { annotations: { "kubernetes.io/config.mirror": "x" } },
    );
    const attempt = (name: string) => patch(`${podsPath}/${name}/resize`, { spec: sized({ cpu: "2" }) });
    expect(causes(await attempt("w"))).toEqual([": Forbidden: windows pods cannot be resized"]);
    expect(causes(await attempt("m"))).toEqual([": Forbidden: static pods cannot be resized"]);
  });

  it("is refused through the pod itself", async () => {
    const { create, patch } = await podServer();
    await create("p", sized({ cpu: "1" }));
    expect((await patch(`${podsPath}/p`, { spec: sized({ cpu: "2" }) })).status).toBe(422);
  });
});
