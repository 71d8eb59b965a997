import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from "@kubewright/api";
import { describe, expect, test } from "vitest";
import { planClaim } from "./claim-plan.js";
import { planVolume } from "./volume-plan.js";

interface ClaimWords {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: PersistentVolumeClaim["spec"];
}

const claim = ({ annotations = {}, spec = {} }: ClaimWords = {}): PersistentVolumeClaim => ({
  metadata: { name: "data", namespace: "shop", uid: "u1", annotations },
  spec: {
    accessModes: ["ReadWriteOnce"],
    storageClassName: "disk",
    resources: { requests: { storage: "5Gi" } },
    ...spec,
  },
});

interface VolumeWords {
  readonly storage?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: PersistentVolume["spec"];
  readonly phase?: NonNullable<PersistentVolume["status"]>["phase"];
}

const volume = (
  name: string,
  { storage = "5Gi", phase = "Available", spec = {}, ...metadata }: VolumeWords = {},
): PersistentVolume => ({
  metadata: { name, ...metadata },
  spec: {
    accessModes: ["ReadWriteOnce", "ReadOnlyMany"],
    capacity: { storage },
    storageClassName: "disk",
    ...spec,
  },
  status: { phase },
});

const late: StorageClass = {
  metadata: { name: "disk" },
  provisioner: "example.com/disk",
  volumeBindingMode: "WaitForFirstConsumer",
};
const now: StorageClass = {
  metadata: { name: "disk" },
  provisioner: "example.com/disk",
  volumeBindingMode: "Immediate",
};
const ours = { name: "data", namespace: "shop", uid: "u1" };
const theirs = { name: "other", namespace: "shop", uid: "u2" };
const bound = { "pv.kubernetes.io/bind-completed": "yes" };

/** `bind NAME`, or the other action and its event. */
function planned(
  one: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[] = [],
  storageClass?: StorageClass,
  waitingPod?: string,
): string {
  const plan = planClaim(one, {
    candidates: volumes,
    volume: (name) => volumes.find(({ metadata }) => metadata?.name === name),
    storageClass,
    waitingPod,
  });
  if (plan.do === "bind") return `bind ${plan.volume.metadata?.name}`;
  if (plan.do === "provision") return `provision ${plan.provisioner}`;
  return [plan.do, plan.note?.reason].filter(Boolean).join(" ");
}

describe("persistent volume binder: a claim", () => {
  test.each([
    [
      "takes the smallest that is large enough",
      claim(),
      [
        volume("big", { storage: "50Gi" }),
        volume("small", { storage: "1Gi" }),
        volume("fit", { storage: "6Gi" }),
      ],
      undefined,
      "bind fit",
    ],
    [
      "takes the one made for it",
      claim(),
      [
        volume("fit"),
        volume("mine", { storage: "50Gi", spec: { claimRef: { name: "data", namespace: "shop" } } }),
      ],
      undefined,
      "bind mine",
    ],
    [
      "takes none that is somebody's",
      claim(),
      [volume("x", { spec: { claimRef: theirs } })],
      now,
      "provision example.com/disk",
    ],
    [
      "takes none of another class",
      claim(),
      [volume("x", { spec: { storageClassName: "tape" } })],
      now,
      "provision example.com/disk",
    ],
    [
      "takes none with other modes",
      claim({ spec: { accessModes: ["ReadWriteMany"] } }),
      [volume("x")],
      now,
      "provision example.com/disk",
    ],
    [
      "takes none its selector does not mean",
      claim({ spec: { selector: { matchLabels: { tier: "gold" } } } }),
      [volume("x"), volume("y", { labels: { tier: "gold" } })],
      undefined,
      "bind y",
    ],
    [
      "takes none that was used before",
      claim(),
      [volume("x", { phase: "Released" })],
      now,
      "provision example.com/disk",
    ],
    ["waits for a pod", claim(), [volume("x")], late, "wait WaitForFirstConsumer"],
    [
      "has a volume made when the node is known",
      claim({ annotations: { "volume.kubernetes.io/selected-node": "a" } }),
      [],
      late,
      "provision example.com/disk",
    ],
    [
      "without a class waits for a volume",
      claim({ spec: { storageClassName: "" } }),
      [],
      undefined,
      "wait FailedBinding",
    ],
    ["of an unknown class waits", claim(), [], undefined, "wait ProvisioningFailed"],
    [
      "that names its volume gets it",
      claim({ spec: { volumeName: "x" } }),
      [volume("x", { storage: "9Gi" })],
      undefined,
      "bind x",
    ],
    [
      "that names a volume that is not there waits",
      claim({ spec: { volumeName: "x" } }),
      [],
      undefined,
      "wait",
    ],
    [
      "that names a volume too small waits",
      claim({ spec: { volumeName: "x" } }),
      [volume("x", { storage: "1Gi" })],
      undefined,
      "wait VolumeMismatch",
    ],
    [
      "that names somebody's volume waits",
      claim({ spec: { volumeName: "x" } }),
      [volume("x", { spec: { claimRef: theirs } })],
      undefined,
      "wait FailedBinding",
    ],
    [
      "that is bound stays bound",
      claim({ annotations: bound, spec: { volumeName: "x" } }),
      [volume("x", { spec: { claimRef: ours } })],
      undefined,
      "bind x",
    ],
    [
      "whose volume is gone is lost",
      claim({ annotations: bound, spec: { volumeName: "x" } }),
      [],
      undefined,
      "lose ClaimLost",
    ],
    [
      "whose volume was taken is lost",
      claim({ annotations: bound, spec: { volumeName: "x" } }),
      [volume("x", { spec: { claimRef: theirs } })],
      undefined,
      "lose ClaimMisbound",
    ],
  ])("%s", (_, one, volumes, storageClass, expected) => {
    expect(planned(one, volumes, storageClass)).toBe(expected);
  });

  test("names the pod it waits for", () => {
    expect(planned(claim(), [], late, "web-0")).toBe("wait WaitForPodScheduled");
  });
});

describe("persistent volume binder: a volume", () => {
  const mine = (volumeName: string) => claim({ spec: { volumeName } });
  test.each([
    ["that nobody wants is available", volume("x"), undefined, "set Available"],
    [
      "that is reserved is available",
      volume("x", { spec: { claimRef: { name: "data", namespace: "shop" } } }),
      undefined,
      "set Available",
    ],
    ["whose claim has it is bound", volume("x", { spec: { claimRef: ours } }), mine("x"), "set Bound"],
    ["whose claim has to say first waits", volume("x", { spec: { claimRef: ours } }), claim(), "wait"],
    [
      "whose claim is gone is released",
      volume("x", { phase: "Bound", spec: { claimRef: ours } }),
      undefined,
      "set Released",
    ],
    [
      "whose claim came back as another is released",
      volume("x", { phase: "Bound", spec: { claimRef: { ...ours, uid: "u0" } } }),
      mine("x"),
      "set Released",
    ],
    [
      "that is released is deleted",
      volume("x", { phase: "Released", spec: { claimRef: ours, persistentVolumeReclaimPolicy: "Delete" } }),
      undefined,
      "delete",
    ],
    [
      "that is released is kept",
      volume("x", { phase: "Released", spec: { claimRef: ours, persistentVolumeReclaimPolicy: "Retain" } }),
      undefined,
      "set Released",
    ],
    [
      "whose claim took another is free again",
      volume("x", {
        annotations: { "pv.kubernetes.io/bound-by-controller": "yes" },
        spec: { claimRef: ours },
      }),
      mine("y"),
      "unbind",
    ],
  ])("%s", (_, one, its, expected) => {
    const plan = planVolume(one, its);
    expect(plan.do === "set" ? `set ${plan.phase}` : plan.do).toBe(expected);
  });
});
