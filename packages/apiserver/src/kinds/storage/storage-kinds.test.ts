import { describe, expect, it } from "vitest";
import { kindServer } from "../fixtures/kind-server.js";

const base = "/apis/storage.k8s.io/v1";
const object = (kind: string, rest: object, name = "x.example.com") => ({
  apiVersion: "storage.k8s.io/v1",
  kind,
  metadata: { name },
  ...rest,
});

describe("StorageClass", () => {
  const path = `${base}/storageclasses`;
  const storageClass = (rest: object) => object("StorageClass", { provisioner: "p.example/x", ...rest }, "c");

  it("defaults to reclaimPolicy Delete and volumeBindingMode Immediate", async () => {
    const { call } = await kindServer();
    const { body } = await call("POST", path, storageClass({}));
    expect(body).toMatchObject({ reclaimPolicy: "Delete", volumeBindingMode: "Immediate" });
  });

  it.each([
    [{ provisioner: "" }, ["provisioner"]],
    [{ provisioner: "a b" }, ["provisioner"]],
    [{ parameters: { "": "x" } }, ["parameters"]],
    [{ parameters: { a: "x".repeat(256 * 1024) } }, ["parameters"]],
    [{ reclaimPolicy: "Recycle" }, ["reclaimPolicy"]],
    [{ volumeBindingMode: "Later" }, ["volumeBindingMode"]],
    [{ reclaimPolicy: "", volumeBindingMode: "" }, ["volumeBindingMode"]],
    [
      {
        allowedTopologies: [
          { matchLabelExpressions: [{ key: "a", values: ["x", "y"] }] },
          { matchLabelExpressions: [{ key: "a", values: ["y", "x", "x"] }] },
        ],
      },
      [
        "allowedTopologies[1].matchLabelExpressions[0].values[2]",
        "allowedTopologies[1].matchLabelExpressions",
      ],
    ],
    [{ allowedTopologies: [{ matchLabelExpressions: [] }] }, ["allowedTopologies[0].matchLabelExpressions"]],
    [
      { allowedTopologies: [{ matchLabelExpressions: [{ key: "a b", values: [] }] }] },
      [
        "allowedTopologies[0].matchLabelExpressions[0].values",
        "allowedTopologies[0].matchLabelExpressions[0].key",
      ],
    ],
  ])("validates %j: errors at %j", async (rest, expected) => {
    const { call, fields } = await kindServer();
    expect(fields(await call("POST", path, storageClass(rest)))).toEqual(expected);
  });

  it("refuses changes of its immutable fields", async () => {
    const { call, patch, causes } = await kindServer();
    await call("POST", path, storageClass({}));
    const change = {
      provisioner: "q.example/x",
      parameters: { a: "b" },
      reclaimPolicy: "Retain",
      volumeBindingMode: "WaitForFirstConsumer",
    };
    expect(causes(await patch(`${path}/c`, change))).toEqual([
      'parameters: Invalid value: {"a":"b"}: field is immutable',
      'provisioner: Invalid value: "q.example/x": field is immutable',
      'reclaimPolicy: Invalid value: "Retain": field is immutable',
      'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
    ]);
    expect((await patch(`${path}/c`, { allowVolumeExpansion: true })).status).toBe(200);
  });
});

describe("CSI kinds", () => {
  it("CSIDriver: gets the defaults of Kubernetes", async () => {
    const { call } = await kindServer();
    const { body } = await call("POST", `${base}/csidrivers`, object("CSIDriver", { spec: {} }));
    expect(body.spec).toEqual({
      attachRequired: true,
      podInfoOnMount: false,
      storageCapacity: false,
      fsGroupPolicy: "ReadWriteOnceWithFSType",
      requiresRepublish: false,
      seLinuxMount: false,
      volumeLifecycleModes: ["Persistent"],
    });
  });

  it.each([
    ["x.example.com", []],
    ["x".repeat(64), []],
    ["x.Example.com", ["metadata.name"]],
  ])("CSIDriver: validates the name %s", async (name, expected) => {
    const { call, fields } = await kindServer();
    const answer = await call("POST", `${base}/csidrivers`, object("CSIDriver", { spec: {} }, name));
    expect(answer.status === 201 ? [] : fields(answer)).toEqual(expected);
  });

  it.each([
    [
      "csidrivers",
      "CSIDriver",
      { spec: { fsGroupPolicy: "X", volumeLifecycleModes: ["Y"] } },
      ["spec.fsGroupPolicy", "spec.volumeLifecycleModes"],
    ],
    [
      "csidrivers",
      "CSIDriver",
      { spec: { tokenRequests: [{ audience: "a", expirationSeconds: 1 }, { audience: "a" }] } },
      ["spec.tokenRequests[0].expirationSeconds", "spec.tokenRequests[1].audience"],
    ],
    [
      "csinodes",
      "CSINode",
      { spec: { drivers: [{ name: "", nodeID: "" }] } },
      ["spec.drivers[0].name", "spec.drivers[0].nodeID"],
    ],
    [
      "csinodes",
      "CSINode",
      { spec: { drivers: [{ name: "a", nodeID: "1", topologyKeys: ["k", "k"] }] } },
      ["spec.drivers[0]"],
    ],
    [
      "volumeattachments",
      "VolumeAttachment",
      { spec: { attacher: "", nodeName: "n", source: {} } },
      ["spec.attacher", "spec.source"],
    ],
    [
      "volumeattachments",
      "VolumeAttachment",
      { spec: { attacher: "a.example", nodeName: "N", source: { persistentVolumeName: "" } } },
      ["spec.source.persistentVolumeName", "spec.nodeName", "spec.source.persistentVolumeName"],
    ],
    ["volumeattributesclasses", "VolumeAttributesClass", { driverName: "a.example" }, ["parameters"]],
  ])("in %s a %s of %j is validated: errors at %j", async (plural, kind, rest, expected) => {
    const { call, fields } = await kindServer();
    expect(fields(await call("POST", `${base}/${plural}`, object(kind, rest)))).toEqual(expected);
  });

  describe("VolumeAttachment: an inline volume", () => {
    const csi = { driver: "a.example", volumeHandle: "h" };
    const at = (name: string) => `spec.source.inlineVolumeSpec${name === "" ? "" : `.${name}`}`;
    const attach = async (inlineVolumeSpec: object) => {
      const { call, causes } = await kindServer();
      const spec = { attacher: "a.example", nodeName: "n", source: { inlineVolumeSpec } };
      const answer = await call("POST", `${base}/volumeattachments`, object("VolumeAttachment", { spec }));
      return answer.status === 201 ? [] : causes(answer);
    };

    it.each<[what: string, volume: object, causes: string[]]>([
      ["is one of a driver", { accessModes: ["ReadWriteOnce"], csi, volumeMode: "Filesystem" }, []],
      [
        "is nothing less",
        {},
        [
          `${at("csi")}: Required value: has to be specified in the context of inline volumes`,
          `${at("accessModes")}: Required value`,
          `${at("")}: Required value: must specify a volume type`,
        ],
      ],
      [
        "is nothing that stands for itself",
        {
          accessModes: ["ReadWriteOnce"],
          csi,
          capacity: { storage: "1Gi" },
          claimRef: { name: "c" },
          nodeAffinity: {},
          persistentVolumeReclaimPolicy: "Delete",
          storageClassName: "s",
          volumeMode: "Block",
        },
        [
          `${at("claimRef")}: Forbidden: may not be specified in the context of inline volumes`,
          `${at("capacity")}: Forbidden: may not be specified in the context of inline volumes`,
          `${at("persistentVolumeReclaimPolicy")}: Forbidden: may only be Retain in the context of inline volumes`,
          `${at("nodeAffinity")}: Forbidden: may not be specified in the context of inline volumes`,
          `${at("storageClassName")}: Forbidden: may not be specified in the context of inline volumes`,
          `${at("volumeMode")}: Forbidden: may not specify volumeMode other than Filesystem in the context of inline volumes`,
        ],
      ],
      [
        "is no disk of a cloud, and one thing only",
        { accessModes: ["ReadWriteOnce"], nfs: { server: "", path: "/a" }, csi },
        [
          `${at("nfs.server")}: Required value`,
          `${at("csi")}: Forbidden: may not specify more than 1 volume type`,
        ],
      ],
    ])("%s", async (_, volume, expected) => {
      expect(await attach(volume)).toEqual(expected);
    });
  });

  it("CSINode: drivers are immutable, except for their allocatable count", async () => {
    const { call, patch, fields } = await kindServer();
    const driver = { name: "a.example", nodeID: "1", topologyKeys: null };
    await call("POST", `${base}/csinodes`, object("CSINode", { spec: { drivers: [driver] } }, "n"));
    const change = (rest: object) =>
      patch(`${base}/csinodes/n`, { spec: { drivers: [{ ...driver, ...rest }] } });
    expect((await change({ allocatable: { count: 3 } })).status).toBe(200);
    expect(fields(await change({ nodeID: "2" }))).toEqual(["spec.drivers"]);
  });

  it("CSIStorageCapacity: requires a valid storageClassName and capacity", async () => {
    const { call, fields } = await kindServer();
    const path = `${base}/namespaces/test/csistoragecapacities`;
    const wrong = await call(
      "POST",
      path,
      object("CSIStorageCapacity", { storageClassName: "A", capacity: "-1" }),
    );
    expect(fields(wrong)).toEqual(["storageClassName", "capacity"]);
  });
});
