import { describe, expect, it } from "vitest";
import { podServer, podsPath } from "../fixtures/pod-server.js";

const debug = (container: object = {}) => ({
  spec: { ephemeralContainers: [{ name: "debug", image: "busybox", ...container }] },
});

describe("ephemeral containers", () => {
  it("are added to a running pod", async () => {
    const { create, call } = await podServer();
    await create("p");
    const { status, body } = await call(
      "PATCH",
      `${podsPath}/p/ephemeralcontainers`,
      debug({ targetContainerName: "c" }),
      {
        contentType: "application/strategic-merge-patch+json",
      },
    );
    expect(status).toBe(200);
    expect(body.spec.ephemeralContainers).toEqual([
      {
        name: "debug",
        image: "busybox",
        resources: {},
        targetContainerName: "c",
        imagePullPolicy: "Always",
        terminationMessagePath: "/dev/termination-log",
        terminationMessagePolicy: "File",
      },
    ]);
    expect(body.metadata.generation).toBe(2);
  });

  it("cannot be changed or removed", async () => {
    const { create, patch } = await podServer();
    await create("p");
    const path = `${podsPath}/p/ephemeralcontainers`;
    await patch(path, debug());
    const changed = await patch(path, debug({ image: "other" }));
    expect(changed.body.message).toContain('existing ephemeral containers "debug" may not be changed');
    const removed = await patch(path, { spec: { ephemeralContainers: null } });
    expect(removed.body.message).toContain('existing ephemeral containers "debug" may not be removed');
  });

  it.each<[what: string, container: object, causes: string[]]>([
    ["the name of another", { name: "c" }, ['spec.ephemeralContainers[0].name: Duplicate value: "c"']],
    [
      "a target that is not there",
      { targetContainerName: "x" },
      ['spec.ephemeralContainers[0].targetContainerName: Not found: "x"'],
    ],
    [
      "probes, ports and resources",
      {
        livenessProbe: { tcpSocket: { port: 1 } },
        ports: [{ containerPort: 1 }],
        resources: { limits: { cpu: "1" } },
      },
      [
        "spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container",
        "spec.ephemeralContainers[0].resources: Forbidden: cannot be set for an Ephemeral Container",
        "spec.ephemeralContainers[0].livenessProbe: Forbidden: cannot be set for an Ephemeral Container",
      ],
    ],
    [
      "part of a volume",
      { volumeMounts: [{ name: "v", mountPath: "/v", subPath: "a" }] },
      [
        "spec.ephemeralContainers[0].volumeMounts[0].subPath: Forbidden: cannot be set for an Ephemeral Container",
      ],
    ],
  ])("cannot have %s", async (_, container, expected) => {
    const { create, patch, causes } = await podServer();
    await create("p", { volumes: [{ name: "v" }] });
    expect(causes(await patch(`${podsPath}/p/ephemeralcontainers`, debug(container)))).toEqual(expected);
  });

  it("are the only change that their subresource makes", async () => {
    const { create, patch } = await podServer();
    await create("p");
    const { body } = await patch(`${podsPath}/p/ephemeralcontainers`, {
      metadata: { labels: { a: "b" } },
      spec: { ...debug().spec, nodeName: "n" },
      status: { phase: "Running" },
    });
    expect(body.metadata.labels).toBeUndefined();
    expect(body.spec.nodeName).toBeUndefined();
    expect(body.status.phase).toBe("Pending");
  });

  it("cannot be added through the pod itself", async () => {
    const { create, patch } = await podServer();
    await create("p");
    expect((await patch(`${podsPath}/p`, debug())).status).toBe(422);
  });
});
