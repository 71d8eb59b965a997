import { describe, expect, it } from "vitest";
import { podServer } from "../fixtures/pod-server.js";

const server = podServer();
const wrongWith = async (...volumes: object[]) => {
  const { wrong } = await server;
  const named = volumes.map((volume, index) => ({ name: `v${index}`, ...volume }));
  return (await wrong({ volumes: named })).map((cause) => cause.replace("spec.volumes", ""));
};
const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

describe("pod volume validation", () => {
  it.each<[what: string, volumes: object[], errors: string[]]>([
    ["no name", [{ name: "" }], ["[0].name: Required value"]],
    ["one name twice", [{ name: "a" }, { name: "a" }], ['[1].name: Duplicate value: "a"']],
    [
      "two sources",
      [{ emptyDir: {}, secret: { secretName: "s" } }],
      ["[0].secret: Forbidden: may not specify more than 1 volume type"],
    ],
    [
      "a negative size",
      [{ emptyDir: { sizeLimit: "-1" } }],
      ["[0].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity"],
    ],
    [
      "paths of the host",
      [
        { hostPath: { path: "" } },
        { hostPath: { path: "/a/../b" } },
        { hostPath: { path: "/a", type: "Pipe" } },
      ],
      [
        "[0].hostPath.path: Required value",
        "[1].hostPath.path: Invalid value: \"/a/../b\": must not contain '..'",
        '[2].hostPath.type: Unsupported value: "Pipe": supported values: "", "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket"',
      ],
    ],
    [
      "files of a secret",
      [
        {
          secret: {
            secretName: "",
            defaultMode: 512,
            items: [
              { key: "", path: "/a" },
              { key: "k", path: "../b" },
            ],
          },
        },
      ],
      [
        "[0].secret.secretName: Required value",
        "[0].secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 (octal), both inclusive",
        "[0].secret.items[0].key: Required value",
        '[0].secret.items[0].path: Invalid value: "/a": must be a relative path',
        "[0].secret.items[1].path: Invalid value: \"../b\": must not contain '..'",
      ],
    ],
    ["a config map without a name", [{ configMap: {} }], ["[0].configMap.name: Required value"]],
    [
      "fields as files",
      [
        {
          downwardAPI: {
            items: [
              { path: "a", fieldRef: { fieldPath: "spec.nodeName" } },
              { path: "b", resourceFieldRef: { resource: "limits.cpu" } },
              { path: "c" },
            ],
          },
        },
      ],
      [
        '[0].downwardAPI.fieldRef.fieldPath: Unsupported value: "spec.nodeName": supported values: "metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"',
        "[0].downwardAPI.resourceFieldRef.containerName: Required value",
        "[0].downwardAPI: Required value: one of fieldRef and resourceFieldRef is required",
      ],
    ],
    [
      "a token without an account",
      [{ projected: { sources: [{ serviceAccountToken: { path: "t", expirationSeconds: 60 } }] } }],
      [
        "[0].projected.sources[0].serviceAccountToken.expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes",
        "[0].projected.sources[0].serviceAccountToken: Forbidden: must not be specified when serviceAccountName is not set",
      ],
    ],
    [
      "projections onto one path",
      [
        {
          projected: {
            sources: [
              { secret: { name: "s", items: [{ key: "k", path: "p" }] } },
              { configMap: { name: "m", items: [{ key: "k", path: "p" }] } },
            ],
          },
        },
      ],
      ['[0].projected: Invalid value: "m": conflicting duplicate paths'],
    ],
    [
      "a claim without a name",
      [{ persistentVolumeClaim: { claimName: "" } }],
      ["[0].persistentVolumeClaim.claimName: Required value"],
    ],
    [
      "a claim that belongs to another volume",
      [
        { ephemeral: { volumeClaimTemplate: { spec: claim } } },
        { persistentVolumeClaim: { claimName: "p-v0" } },
      ],
      [
        '[1].persistentVolumeClaim.claimName: Invalid value: "p-v0": must not reference a PVC that gets created for an ephemeral volume',
      ],
    ],
    [
      "a claim of its own that says little",
      [{ ephemeral: {} }, { ephemeral: { volumeClaimTemplate: { spec: {} } } }],
      [
        "[0].ephemeral.volumeClaimTemplate: Required value",
        "[1].ephemeral.volumeClaimTemplate.spec.accessModes: Required value: at least 1 access mode is required",
        "[1].ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value",
      ],
    ],
    [
      "network disks",
      [
        { nfs: { server: "", path: "a" } },
        { gcePersistentDisk: { pdName: "", partition: 300 } },
        { fc: {} },
        { iscsi: { targetPortal: "", iqn: "x", lun: 300 } },
        { csi: { driver: "" } },
      ],
      [
        "[0].nfs.server: Required value",
        '[0].nfs.path: Invalid value: "a": must be an absolute path',
        "[1].persistentDisk.pdName: Required value",
        "[1].persistentDisk.partition: Invalid value: 300: must be between 1 and 255, inclusive",
        "[2].fc.targetWWNs: Required value: must specify either targetWWNs or wwids, but not both",
        "[3].iscsi.targetPortal: Required value",
        '[3].iscsi.iqn: Invalid value: "x": must be valid format starting with iqn, eui, or naa',
        "[3].iscsi.lun: Invalid value: 300: must be between 0 and 255, inclusive",
        "[4].csi.driver: Required value",
      ],
    ],
    [
      "an image without a reference",
      [{ image: { pullPolicy: "Maybe" } }],
      [
        "[0].image.reference: Required value",
        '[0].image.pullPolicy: Unsupported value: "Maybe": supported values: "Always", "IfNotPresent", "Never"',
      ],
    ],
  ])("%s", async (_, volumes, errors) => {
    expect(await wrongWith(...volumes)).toEqual(errors);
  });
});
