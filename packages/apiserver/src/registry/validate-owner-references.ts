// Who owns an object: each owner is named in full, and at most one of them controls it.
import { type FieldError, fieldError, type OwnerReference } from "@kubewright/api";

const field = "metadata.ownerReferences";

/** Problems with owner references; the paths name no index, as on the real server. */
export function validateOwnerReferences(references: readonly OwnerReference[] = []): FieldError[] {
  return [...references.flatMap(referenceErrors), ...controllerErrors(references)];
}

function referenceErrors(reference: OwnerReference): FieldError[] {
  const { apiVersion, kind, name, uid } = reference;
  const errors: FieldError[] = [];
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  if (version === "")
    errors.push(fieldError.invalid(`${field}.apiVersion`, apiVersion, "version must not be empty"));
  for (const [part, value] of Object.entries({ kind, name, uid })) {
    if (value === "") errors.push(fieldError.invalid(`${field}.${part}`, value, "must not be empty"));
  }
  if (apiVersion === "v1" && kind === "Event") {
    const text = "/v1, Kind=Event is disallowed from being an owner";
    errors.push(fieldError.invalid(field, printed(reference), text));
  }
  return errors;
}

function controllerErrors(references: readonly OwnerReference[]): FieldError[] {
  const [first, second] = references.filter(({ controller }) => controller);
  if (!first || !second) return [];
  const text = `Only one reference can have Controller set to true. Found "true" in references for ${first.kind}/${first.name} and ${second.kind}/${second.name}`;
  return [fieldError.invalid(field, references.map(printed), text)];
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
