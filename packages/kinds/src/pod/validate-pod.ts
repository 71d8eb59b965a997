// A new pod: its spec, and what templates may leave open but pods may not.
import { type FieldError, fieldError, type Pod, type PodSpec } from "@kubewright/api";
import { emptyFieldsOf } from "@kubewright/machinery";
import { checkEach } from "../check-each.js";
import { validateImagePadding } from "./validate-container.js";
import { notForEphemeral } from "./validate-containers.js";
import { validatePodAnnotations, validateProfilesAgree } from "./validate-pod-annotations.js";
import { placedContainers, validatePodSpec } from "./validate-pod-spec.js";

/** The spec of a pod, or an empty one. */
export const podSpecOf = (pod: Pod): PodSpec => pod.spec ?? { containers: [] };

/** A pod that is about to be created. */
export function validateNewPod(pod: Pod): FieldError[] {
  const spec = podSpecOf(pod);
  const errors = validatePod(pod);
  if ((spec.ephemeralContainers ?? []).length > 0)
    errors.push(fieldError.forbidden("spec.ephemeralContainers", "cannot be set on create"));
  if (spec.nodeName && (spec.schedulingGates ?? []).length > 0) {
    const text = "cannot be set until all schedulingGates have been cleared";
    errors.push(fieldError.forbidden("spec.nodeName", text));
  }
  const { annotations } = pod.metadata ?? {};
  return [...errors, ...validateProfilesAgree(annotations, spec, placedContainers(spec, "spec"), "spec")];
}

/** A pod, new or changed. */
export function validatePod(pod: Pod): FieldError[] {
  const spec = podSpecOf(pod);
  const containers = placedContainers(spec, "spec");
  return [
    ...validatePodAnnotations(pod.metadata?.annotations, spec, containers, "metadata.annotations"),
    ...validatePodSpec(spec, { isPod: true, podName: pod.metadata?.name }, "spec"),
    ...emptyEphemeralErrors(pod),
    ...tokenErrors(spec),
    ...checkEach(containers, ([container, field]) =>
      field.startsWith("spec.ephemeralContainers") ? [] : validateImagePadding(container, field),
    ),
  ];
}

const emptyInEphemeral = /^spec\.ephemeralContainers\.(\d+)\.(ports|resizePolicy|restartPolicyRules)$/;

/** Lists that ephemeral containers may not have are refused when they are empty, too. */
function emptyEphemeralErrors(pod: Pod): FieldError[] {
  return [...emptyFieldsOf(pod)].flatMap((path) => {
    const [, index, list] = emptyInEphemeral.exec(path) ?? [];
    if (list === undefined) return [];
    return [fieldError.forbidden(`spec.ephemeralContainers[${index}].${list}`, notForEphemeral)];
  });
}

/** A token needs an account it stands for. */
function tokenErrors(spec: PodSpec): FieldError[] {
  if (spec.serviceAccountName) return [];
  const text = "must not be specified when serviceAccountName is not set";
  return checkEach(spec.volumes ?? [], ({ projected }, volume) =>
    checkEach(projected?.sources ?? [], ({ serviceAccountToken }, source) =>
      serviceAccountToken
        ? [
            fieldError.forbidden(
              `spec.volumes[${volume}].projected.sources[${source}].serviceAccountToken`,
              text,
            ),
          ]
        : [],
    ),
  );
}
