import { describe, expect, it } from "vitest";
import { kindServer } from "../fixtures/kind-server.js";

const storage = { requests: { storage: "1Gi" } };

describe("PersistentVolumeClaim", () => {
  const path = "/api/v1/namespaces/test/persistentvolumeclaims";
  const claim = (spec: object) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "c" },
    spec: { accessModes: ["ReadWriteOnce"], resources: storage, ...spec },
  });
  const report = (call: Awaited<ReturnType<typeof kindServer>>["call"], status: object) =>
    call("PATCH", `${path}/c/status`, { status }, { contentType: "application/merge-patch+json" });

  it("is Pending, has its protection finalizer, and the default storage class", async () => {
    const { call } = await kindServer();
    await call("POST", "/apis/storage.k8s.io/v1/storageclasses", {
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name: "std", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
      provisioner: "p.example/x",
    });
    const { body } = await call("POST", path, claim({}));
    expect(body).toMatchObject({
      metadata: { finalizers: ["kubernetes.io/pvc-protection"] },
      spec: { storageClassName: "std", volumeMode: "Filesystem" },
      status: { phase: "Pending" },
    });
    const own = await call("POST", path, { ...claim({ storageClassName: "" }), metadata: { name: "d" } });
    expect(own.body.spec.storageClassName).toBe("");
  });

  it("copies dataSource to dataSourceRef", async () => {
    const { call } = await kindServer();
    const dataSource = { kind: "PersistentVolumeClaim", name: "d" };
    const { body } = await call("POST", path, claim({ dataSource }));
    expect(body.spec.dataSourceRef).toEqual({ ...dataSource, apiGroup: null });
  });

  it.each([
    [
      "what the older field never knew",
      { dataSource: { kind: "Foo", name: "d", apiGroup: "a.b" } },
      undefined,
    ],
    [
      "a source in another namespace",
      { dataSourceRef: { kind: "PersistentVolumeClaim", name: "d", namespace: "n" } },
      undefined,
    ],
    [
      "nothing of a snapshot",
      { dataSource: { kind: "VolumeSnapshot", name: "d", apiGroup: "snapshot.storage.k8s.io" } },
      { kind: "VolumeSnapshot", name: "d", apiGroup: "snapshot.storage.k8s.io" },
    ],
  ])("drops %s", async (_, spec, expected) => {
    const { call } = await kindServer();
    const { body } = await call("POST", path, claim(spec));
    expect([body.spec.dataSource, body.spec.dataSourceRef]).toEqual([expected, expected]);
  });

  it("accepts another volumeAttributesClassName only when it is bound", async () => {
    const { call, patch, causes } = await kindServer();
    await call("POST", path, claim({}));
    const change = (name: string | null) => patch(`${path}/c`, { spec: { volumeAttributesClassName: name } });
    expect(causes(await change("fast"))).toEqual([expect.stringMatching(/^spec: Forbidden/)]);
    await report(call, { phase: "Bound", capacity: { storage: "1Gi" } });
    expect((await change("fast")).status).toBe(200);
    expect((await change("")).status).toBe(200);
    await report(call, {
      phase: "Bound",
      capacity: { storage: "1Gi" },
      currentVolumeAttributesClassName: "fast",
    });
    await change("fast");
    const until = "is forbidden when status.currentVolumeAttributesClassName is not nil";
    const field = "spec.volumeAttributesClassName: Forbidden";
    expect(causes(await change(""))).toEqual([`${field}: update to empty string ${until}`]);
    expect(causes(await change(null))).toEqual([`${field}: update to nil ${until}`]);
  });

  it("refuses a change of an immutable field, with the difference", async () => {
    const { call, patch, causes } = await kindServer();
    await call("POST", path, claim({ storageClassName: "a" }));
    expect(causes(await patch(`${path}/c`, { spec: { storageClassName: "b" } }))).toEqual([
      `spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims
@@ -10,7 +10,7 @@
   }
  },
  "VolumeName": "",
- "StorageClassName": "a",
+ "StorageClassName": "b",
  "VolumeMode": "Filesystem",
  "DataSource": null,
  "DataSourceRef": null,
`,
    ]);
  });

  it("accepts storageClassName equal to the beta annotation, and refuses a change of either", async () => {
    const { call, patch, causes } = await kindServer();
    const beta = "volume.beta.kubernetes.io/storage-class";
    const metadata = { name: "c", annotations: { [beta]: "old" } };
    const { warnings } = await call("POST", path, { ...claim({}), metadata });
    expect(warnings).toEqual([
      `299 - "metadata.annotations[${beta}]: deprecated since v1.8; use \\"storageClassName\\" attribute instead"`,
    ]);
    expect(causes(await patch(`${path}/c`, { metadata: { annotations: { [beta]: "new" } } }))).toEqual([
      `metadata.annotations.${beta}: Invalid value: "new": field is immutable`,
    ]);
    expect(causes(await patch(`${path}/c`, { spec: { storageClassName: "new" } }))).toEqual([
      expect.stringMatching(/^spec: Forbidden/),
    ]);
    expect((await patch(`${path}/c`, { spec: { storageClassName: "old" } })).status).toBe(200);
  });

  it("refuses unknown resources and statuses in its status", async () => {
    const { call, causes } = await kindServer();
    await call("POST", path, claim({}));
    const status = {
      capacity: { storage: "-1" },
      allocatedResources: { cpu: "1" },
      allocatedResourceStatuses: { storage: "Growing" },
    };
    expect(causes(await report(call, status))).toEqual([
      "status.capacity[storage]: Invalid value: -1: must be a valid resource quantity",
      'status.allocatedResourceStatuses: Unsupported value: "storage": supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"',
      'status.allocatedResources: Unsupported value: "cpu": supported values: "storage"',
    ]);
  });

  it("warns of fractional bytes", async () => {
    const { call } = await kindServer();
    const { warnings } = await call("POST", path, claim({ resources: { requests: { storage: "1500m" } } }));
    expect(warnings).toEqual([
      '299 - "spec.resources.requests[storage]: fractional byte value \\"1500m\\" is invalid, must be an integer"',
    ]);
  });

  it("accepts volumeName and storageClassName once, and no other change of the spec", async () => {
    const { call, patch, fields } = await kindServer();
    await call("POST", path, claim({}));
    expect((await patch(`${path}/c`, { spec: { volumeName: "v", storageClassName: "s" } })).status).toBe(200);
    expect(fields(await patch(`${path}/c`, { spec: { volumeName: "w" } }))).toEqual(["spec"]);
    expect(fields(await patch(`${path}/c`, { spec: { storageClassName: "t" } }))).toEqual(["spec"]);
    expect(fields(await patch(`${path}/c`, { spec: { accessModes: ["ReadWriteMany"] } }))).toEqual(["spec"]);
    expect(
      fields(await patch(`${path}/c`, { spec: { resources: { requests: { storage: "2Gi" } } } })),
    ).toEqual(["spec"]);
  });

  it("accepts a larger size when it is bound and its class allows expansion", async () => {
    const { call, patch, fields } = await kindServer();
    const classes = "/apis/storage.k8s.io/v1/storageclasses";
    const storageClass = {
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name: "s" },
      provisioner: "p.example/x",
    };
    await call("POST", classes, storageClass);
    await call("POST", path, claim({ storageClassName: "s" }));
    await report(call, { phase: "Bound", capacity: { storage: "1Gi" } });
    const grow = (size: string) =>
      patch(`${path}/c`, { spec: { resources: { requests: { storage: size } } } });
    expect((await grow("2Gi")).body.message).toContain("only dynamically provisioned pvc can be resized");
    await patch(`${classes}/s`, { allowVolumeExpansion: true });
    expect((await grow("2Gi")).status).toBe(200);
    expect((await grow("1500Mi")).status).toBe(200);
    expect(fields(await grow("1Gi"))).toEqual(["spec.resources.requests.storage"]);
  });
});

describe("PersistentVolume", () => {
  const path = "/api/v1/persistentvolumes";
  const volume = (spec: object) => ({
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: "v" },
    spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, ...spec },
  });
  const nfs = { server: "s", path: "/p" };

  it("defaults to reclaim policy Retain, is Pending, and has its protection finalizer", async () => {
    const { call } = await kindServer();
    const { body } = await call("POST", path, volume({ nfs }));
    expect(body).toMatchObject({
      metadata: { finalizers: ["kubernetes.io/pv-protection"] },
      spec: { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" },
      status: { phase: "Pending", lastPhaseTransitionTime: expect.any(String) },
    });
  });

  it.each([
    [{}, ["spec"]],
    [{ nfs, accessModes: [] }, ["spec.accessModes"]],
    [{ nfs, accessModes: ["ReadWriteOncePod", "ReadOnlyMany"] }, ["spec.accessModes"]],
    [{ nfs, capacity: {} }, ["spec.capacity", "spec.capacity"]],
    [{ nfs, capacity: { storage: "0" } }, ["spec.capacity[storage]"]],
    [{ nfs, hostPath: { path: "/" } }, ["spec.nfs"]],
    [{ nfs: { server: "", path: "p" } }, ["spec.nfs.server", "spec.nfs.path"]],
    [{ local: { path: "/x" } }, ["spec.nodeAffinity"]],
    [{ csi: { driver: "", volumeHandle: "" } }, ["spec.csi.driver", "spec.csi.volumeHandle"]],
    [
      { glusterfs: { endpoints: "e", path: "p", endpointsNamespace: "N" } },
      ["spec.glusterfs.endpointsNamespace"],
    ],
    [
      { azureFile: { secretName: "s", shareName: "s", secretNamespace: "" } },
      ["spec.azureFile.secretNamespace"],
    ],
    [{ cinder: { volumeID: "v", secretRef: { name: "s" } } }, ["spec.cinder.secretRef.namespace"]],
    [{ storageos: { volumeName: "v", secretRef: { name: "s" } } }, ["spec.storageos.secretRef.namespace"]],
    [
      {
        iscsi: {
          targetPortal: "x".repeat(64),
          iqn: "x",
          lun: 0,
          secretRef: { namespace: "n" },
          initiatorName: "iqn",
        },
      },
      ["spec.iscsi.targetportal", "spec.iscsi.iqn", "spec.iscsi.secretRef.name", "spec.iscsi.initiatorname"],
    ],
    [
      { hostPath: { path: "/" }, persistentVolumeReclaimPolicy: "Recycle" },
      ["spec.persistentVolumeReclaimPolicy"],
    ],
    [{ nfs, nodeAffinity: {} }, ["spec.nodeAffinity.required"]],
    [{ nfs, volumeAttributesClassName: "A_" }, ["spec.volumeAttributesClassName", "spec.csi"]],
    [
      { csi: { driver: "d", volumeHandle: "h", nodeExpandSecretRef: { name: "A_" } } },
      ["spec.csi.nodeExpandSecretRef.name", "spec.csi.nodeExpandSecretRef.namespace"],
    ],
  ])("validates %j: errors at %j", async (spec, expected) => {
    const { call, fields } = await kindServer();
    expect(fields(await call("POST", path, volume(spec)))).toEqual(expected);
  });

  it.each<[string, object, object]>([
    ["hostPath", { path: "/x" }, { type: "" }],
    [
      "iscsi",
      { targetPortal: "1.2.3.4", iqn: "iqn.2001-04.com.example:a", lun: 0 },
      { iscsiInterface: "default" },
    ],
    ["rbd", { monitors: ["m"], image: "i" }, { pool: "rbd", user: "admin", keyring: "/etc/ceph/keyring" }],
    [
      "azureDisk",
      { diskName: "d", diskURI: "https://blob/d" },
      { cachingMode: "ReadWrite", kind: "Shared", fsType: "ext4", readOnly: false },
    ],
    [
      "scaleIO",
      { gateway: "g", system: "s", volumeName: "v", secretRef: { name: "x" } },
      { storageMode: "ThinProvisioned", fsType: "xfs" },
    ],
  ])("gets the defaults of %s", async (source, given, filled) => {
    const { call } = await kindServer();
    const { body } = await call("POST", path, volume({ [source]: given }));
    expect(body.spec[source]).toEqual({ ...given, ...filled });
  });

  it("refuses another source", async () => {
    const { call, patch, fields } = await kindServer();
    await call("POST", path, volume({ nfs }));
    expect(fields(await patch(`${path}/v`, { spec: { nfs: { path: "/q" } } }))).toEqual([
      "spec.persistentvolumesource",
    ]);
  });
});

describe("PersistentVolume with a CSI source", () => {
  const path = "/api/v1/persistentvolumes";
  const csi = { driver: "d.example", volumeHandle: "h" };
  const secret = { name: "s", namespace: "n" };

  it("accepts a secret for expansion once, and refuses another volumeAttributesClassName", async () => {
    const { call, patch, fields } = await kindServer();
    await call("POST", path, {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: "v" },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1Gi" },
        csi,
        volumeAttributesClassName: "fast",
      },
    });
    const change = (spec: object) => patch(`${path}/v`, { spec });
    expect((await change({ csi: { controllerExpandSecretRef: secret } })).status).toBe(200);
    expect(fields(await change({ csi: { controllerExpandSecretRef: { name: "t" } } }))).toEqual([
      "spec.persistentvolumesource",
    ]);
    expect(fields(await change({ volumeAttributesClassName: null }))).toEqual([
      "spec.volumeAttributesClassName",
    ]);
  });
});

describe("PersistentVolumeClaim: a change of size", () => {
  it("is refused before the claim is bound", async () => {
    const { call, patch } = await kindServer();
    const path = "/api/v1/namespaces/test/persistentvolumeclaims";
    const spec = { accessModes: ["ReadWriteOnce"], resources: storage };
    await call("POST", path, {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name: "c" },
      spec,
    });
    const { status } = await patch(`${path}/c`, { spec: { resources: { requests: { storage: "2Gi" } } } });
    expect(status).toBe(422);
  });
});
