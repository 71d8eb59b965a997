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

  it("deletes at once and binds at once unless told", async () => {
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
    [
      { allowedTopologies: [{ matchLabelExpressions: [{ key: "a b", values: [] }] }] },
      [
        "allowedTopologies[0].matchLabelExpressions[0].values",
        "allowedTopologies[0].matchLabelExpressions[0].key",
      ],
    ],
  ])("%j is wrong at %j", async (rest, expected) => {
    const { call, fields } = await kindServer();
    expect(fields(await call("POST", path, storageClass(rest)))).toEqual(expected);
  });

  it("stays what it is", async () => {
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
  it("a driver says what it leaves open", async () => {
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
    ["x.Example.com", []],
    [
      "a_b",
      [
        "name: Invalid value: \"a_b\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ],
    ],
    ["x".repeat(64), ["name: Too long: may not be more than 63 bytes"]],
  ])("a driver is named as drivers are: %s", async (name, expected) => {
    const { call, causes } = await kindServer();
    const answer = await call("POST", `${base}/csidrivers`, object("CSIDriver", { spec: {} }, name));
    expect(answer.status === 201 ? [] : causes(answer)).toEqual(expected);
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
      ["spec.drivers[0].name", "spec.drivers[0].name", "spec.drivers[0].nodeID"],
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
      ["spec.source.persistentVolumeName", "spec.nodeName"],
    ],
    ["volumeattributesclasses", "VolumeAttributesClass", { driverName: "a.example" }, ["parameters"]],
  ])("in %s a %s of %j is wrong at %j", async (plural, kind, rest, expected) => {
    const { call, fields } = await kindServer();
    expect(fields(await call("POST", `${base}/${plural}`, object(kind, rest)))).toEqual(expected);
  });

  it("fills in the volume that an attachment brings along", async () => {
    const { call } = await kindServer();
    const inlineVolumeSpec = { accessModes: ["ReadWriteOnce"], azureDisk: { diskName: "d", diskURI: "u" } };
    const spec = { attacher: "a.example", nodeName: "n", source: { inlineVolumeSpec } };
    const { body } = await call("POST", `${base}/volumeattachments`, object("VolumeAttachment", { spec }));
    expect(body.spec.source.inlineVolumeSpec.azureDisk.cachingMode).toBe("ReadWrite");
  });

  it("a node keeps what it says of a driver, but for how much it can attach", async () => {
    const { call, patch, fields } = await kindServer();
    const driver = { name: "a.example", nodeID: "1", topologyKeys: null };
    await call("POST", `${base}/csinodes`, object("CSINode", { spec: { drivers: [driver] } }, "n"));
    const change = (rest: object) =>
      patch(`${base}/csinodes/n`, { spec: { drivers: [{ ...driver, ...rest }] } });
    expect((await change({ allocatable: { count: 3 } })).status).toBe(200);
    expect(fields(await change({ nodeID: "2" }))).toEqual(["spec.drivers"]);
  });

  it("a capacity names its class", async () => {
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
