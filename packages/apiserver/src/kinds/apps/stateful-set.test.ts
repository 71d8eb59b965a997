import { describe, expect, it } from "vitest";
import { selector, template, workloadServer } from "../fixtures/workload-server.js";

const server = () => workloadServer("apps/v1", "StatefulSet", "statefulsets");
const shared = server();
const valid = { serviceName: "s", selector, template: template() };
const claimSpec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

describe("StatefulSet", () => {
  it("gets the defaults of Kubernetes", async () => {
    const { attempt } = await shared;
    const volumeClaimTemplates = [{ metadata: { name: "data" }, spec: claimSpec }];
    const { body } = await attempt({ spec: { ...valid, volumeClaimTemplates } });
    expect(body.spec).toMatchObject({
      replicas: 1,
      podManagementPolicy: "OrderedReady",
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      revisionHistoryLimit: 10,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
      volumeClaimTemplates: [
        {
          kind: "PersistentVolumeClaim",
          apiVersion: "v1",
          spec: { volumeMode: "Filesystem" },
          status: { phase: "Pending" },
        },
      ],
    });
  });

  it("accepts mounts of the volumes of its volumeClaimTemplates", async () => {
    const { wrong } = await shared;
    const container = { name: "c", image: "i", volumeMounts: [{ name: "data", mountPath: "/data" }] };
    const spec = { ...valid, template: template({ containers: [container] }) };
    expect(await wrong({ spec })).toEqual([
      'spec.template.spec.containers[0].volumeMounts[0].name: Not found: "data"',
    ]);
    const volumeClaimTemplates = [{ metadata: { name: "data" }, spec: claimSpec }];
    expect(await wrong({ spec: { ...spec, volumeClaimTemplates } })).toEqual([]);
  });

  it.each<[what: string, spec: object, causes: string[]]>([
    [
      "nothing",
      {},
      [
        "spec.selector: Required value",
        "spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`",
        "spec.template.spec.containers: Required value",
      ],
    ],
    [
      "unknown policies",
      {
        ...valid,
        podManagementPolicy: "Some",
        updateStrategy: { type: "Magic" },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Burn" },
      },
      [
        "spec.podManagementPolicy: Invalid value: \"Some\": must be 'OrderedReady' or 'Parallel'",
        'spec.updateStrategy: Invalid value: {"Type":"Magic","RollingUpdate":null}: must be \'RollingUpdate\' or \'OnDelete\'',
        'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Burn": supported values: "Retain", "Delete"',
      ],
    ],
    [
      "numbers",
      {
        ...valid,
        replicas: -1,
        ordinals: { start: -1 },
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: -1 } },
      },
      [
        "spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0",
        "spec.replicas: Invalid value: -1: must be greater than or equal to 0",
        "spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0",
      ],
    ],
  ])("is refused with %s", async (_, spec, causes) => {
    const { wrong } = await shared;
    expect(await wrong({ spec })).toEqual(causes);
  });

  it("refuses a name with dots, which pod names cannot contain", async () => {
    const { wrong } = await shared;
    expect(await wrong({ spec: valid }, { name: "a.b" })).toEqual([
      'metadata.name: Invalid value: "a.b": must not contain dots',
    ]);
  });

  it("refuses changes of its spec except for the mutable fields", async () => {
    const { create, refused, patch, path } = await server();
    await create("s", { spec: valid });
    const settled =
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
    expect(await refused("s", { spec: { serviceName: "t" } })).toEqual([settled]);
    expect(await refused("s", { spec: { podManagementPolicy: "Parallel" } })).toEqual([settled]);
    const allowed = {
      replicas: 3,
      ordinals: { start: 1 },
      minReadySeconds: 2,
      revisionHistoryLimit: 3,
      persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete" },
      updateStrategy: { rollingUpdate: { partition: 1 } },
      template: template({ containers: [{ name: "c", image: "j" }] }),
    };
    expect((await patch(`${path}/s`, { spec: allowed })).status).toBe(200);
  });

  it("refuses a status with more available than ready replicas", async () => {
    const { create, refused } = await server();
    await create("s", { spec: valid });
    expect(
      await refused("s", { status: { replicas: 2, readyReplicas: 1, availableReplicas: 2 } }, "/status"),
    ).toEqual(["status.availableReplicas: Invalid value: 2: cannot be greater than status.readyReplicas"]);
  });
});
