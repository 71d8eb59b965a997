// Validates owner references: each is complete, and at most one is the controller.

import { type FieldError, fieldError, type OwnerReference } from "@kubewright/api";
import { checkEach } from "@kubewright/kinds";

const field = "metadata.ownerReferences";

/** Each error about a second controller shows all references: of very many, a few errors say enough. */
const mostShown = 10_000;

/** Problems with owner references; the paths name no index, as on kube-apiserver. */
export function ownerErrors(references: readonly OwnerReference[] = []): FieldError[] {
  let controller: OwnerReference | undefined;
  let shown = 0;
  return checkEach(references, (reference) => {
    const errors = referenceErrors(reference);
    if (!reference.controller) return errors;
    if (controller && shown <= mostShown) {
      errors.push(secondController(references, controller, reference));
      shown += references.length;
    }
    controller ??= reference;
    return errors;
  });
}

function referenceErrors(reference: OwnerReference): FieldError[] {
  const { apiVersion, kind, name, uid } = reference;
  const errors: FieldError[] = [];
  if (!hasVersion(apiVersion))
    errors.push(fieldError.invalid(`${field}.apiVersion`, apiVersion, "version must not be empty"));
  const requireText = (part: string, value: string): void => {
    if (value === "") errors.push(fieldError.invalid(`${field}.${part}`, value, "must not be empty"));
  };
  requireText("kind", kind);
  requireText("name", name);
  requireText("uid", uid);
  if (apiVersion === "v1" && kind === "Event") {
    const text = "/v1, Kind=Event is disallowed from being an owner";
    errors.push(fieldError.invalid(field, printed(reference), text));
  }
  return errors;
}

/** An apiVersion with more than one slash is no group version, hence without a version. */
function hasVersion(apiVersion: string): boolean {
  const [first = "", second, ...more] = apiVersion.split("/");
  return more.length === 0 && (second ?? first) !== "";
}

function secondController(
  references: readonly OwnerReference[],
  first: OwnerReference,
  second: OwnerReference,
): FieldError {
  const text = `Only one reference can have Controller set to true. Found "true" in references for ${first.kind}/${first.name} and ${second.kind}/${second.name}`;
  return fieldError.invalid(field, references.map(printed), text);
}

/** In the order of the Go type. */
const printed = ({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference) => ({
  apiVersion,
  kind,
  name,
  uid,
  controller,
  blockOwnerDeletion,
});
