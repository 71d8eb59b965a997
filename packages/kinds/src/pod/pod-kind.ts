// Pods.
import { type Pod, validateDns1123Label } from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { ipWarnings } from "../ip-warnings.js";
import type { StoredObject } from "../objects.js";
import { draftAs, storedAs } from "../objects.js";
import type { Strategy } from "../strategy.js";
import { defaultPod } from "./default-pod.js";
import { ephemeralContainers } from "./ephemeral-containers.js";
import { podWarnings } from "./pod-warnings.js";
import { prepareNewPod, preparePodStatus } from "./prepare-pod.js";
import { resize } from "./resize.js";
import { podSpecOf, validateNewPod } from "./validate-pod.js";
import { validatePodStatus } from "./validate-pod-status.js";
import { validatePodUpdate } from "./validate-pod-update.js";

const strategy: Strategy = {
  applyDefaults: defaultPod,
  prepareForCreate: prepareNewPod,
  validateCreate: (object) => validateNewPod(draftAs<Pod>(object)),
  validateUpdate: (object, old) => validatePodUpdate(draftAs<Pod>(object), storedAs<Pod>(old)),
  metadata: { onUpdate: ["update", "object"] },
  warnings: (object, old) => (old ? [] : newPodWarnings(draftAs<Pod>(object))),
  selectableFields: [
    "spec.nodeName",
    "spec.host",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.podIPs",
    "status.nominatedNodeName",
  ],
  selectableField,
  gracePeriod,
  returnsDeleted: true,
};

function newPodWarnings(pod: Pod): string[] {
  const texts = validateDns1123Label(pod.metadata?.name ?? "");
  const name =
    texts.length > 0
      ? [
          `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${texts.join(" ")}]`,
        ]
      : [];
  return [...name, ...podWarnings(podSpecOf(pod), pod.metadata)];
}

const addressWarnings = ({ status }: Pod): string[] =>
  (["podIPs", "hostIPs"] as const).flatMap((list) =>
    (status?.[list] ?? []).flatMap(({ ip = "" }, index) => ipWarnings(ip, `status.${list}[${index}].ip`)),
  );

function selectableField(object: StoredObject, field: string): string {
  const { spec, status } = storedAs<Pod>(object);
  switch (field) {
    case "spec.nodeName":
    case "spec.host":
      return spec?.nodeName ?? "";
    case "spec.restartPolicy":
      return spec?.restartPolicy ?? "";
    case "spec.schedulerName":
      return spec?.schedulerName ?? "";
    case "spec.serviceAccountName":
      return spec?.serviceAccountName ?? "";
    case "spec.hostNetwork":
      return String(spec?.hostNetwork ?? false);
    case "status.phase":
      return status?.phase ?? "";
    case "status.podIP":
      return status?.podIPs?.[0]?.ip ?? "";
    case "status.nominatedNodeName":
      return status?.nominatedNodeName ?? "";
    default:
      return "";
  }
}

/** A pod that runs nowhere, or has ended, goes at once. */
function gracePeriod(object: StoredObject, requested: number | undefined): number {
  const { spec, status } = storedAs<Pod>(object);
  if (!spec?.nodeName || status?.phase === "Failed" || status?.phase === "Succeeded") return 0;
  const seconds = requested ?? spec.terminationGracePeriodSeconds ?? 0;
  return seconds < 0 ? 1 : seconds;
}

/** Pods and their subresources. */
export const pods: BuiltInKind = {
  resource: "pods",
  strategy,
  status: {
    resetFields: ["spec", "metadata.deletionTimestamp", "metadata.ownerReferences"],
    prepareForUpdate: preparePodStatus,
    validateUpdate: (object, old) => validatePodStatus(draftAs<Pod>(object), storedAs<Pod>(old)),
    warnings: (object) => addressWarnings(draftAs<Pod>(object)),
  },
  subresources: {
    ephemeralcontainers: ephemeralContainers,
    resize,
  },
};
