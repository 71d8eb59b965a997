// Kubernetes names places in the CustomResourceDefinition; the author of a kind knows the definition. This translates.
import type { CustomResourceDefinition, FieldError } from "@kubewright/api";

const versionPath = /^spec\.versions\[(\d+)\]\.?/;
/** Kubernetes holds what all versions share, and so everything of a single version, beside the list of versions. */
const sharedPath = /^spec\.(?=(?:validation|subresources|additionalPrinterColumns|selectableFields)\b)/;
const schemaStep = /^(?:\.?properties\[([^\]]*)\]|\.?(items|additionalProperties)(?=\.|$))/;
const namesPath =
  /^spec\.(?:names\.)?(?=(?:group|scope|plural|singular|kind|listKind|shortNames|categories|versions)\b)/;

/** Kubernetes prints the whole rule as its server holds it; what follows shows its text anyway. */
const printedRule = /^Invalid value: \{"Rule":.*?"OptionalOldSelf":(?:null|true|false)\}: /s;

/** The error with a place in the definition: `spec.ports[].name.pattern`, `columns.Ready.jsonPath`, `plural`. */
export function inTermsOfDefinition(found: FieldError, crd: CustomResourceDefinition): FieldError {
  const error = { ...found, message: found.message.replace(printedRule, "") };
  const { field } = error;
  if (sharedPath.test(field))
    return { ...error, field: placeInVersion(field.replace(sharedPath, ""), crd, 0) };
  const version = versionPath.exec(field);
  if (version === null) return { ...error, field: field.replace(namesPath, "") };
  const index = Number(version[1]);
  const place = placeInVersion(field.slice(version[0].length), crd, index);
  if (index > 0) return { ...error, field: inVersion(crd.spec.versions[index]?.name ?? "", place) };
  return { ...error, field: place === "name" ? "version" : place };
}

/** A place in a version other than the definition's own. */
export function inVersion(version: string, field: string): string {
  return field === "" ? `versions.${version}` : `versions.${version}.${field}`;
}

function placeInVersion(field: string, crd: CustomResourceDefinition, index: number): string {
  const column = /^additionalPrinterColumns\[(\d+)\]/.exec(field);
  if (column !== null) {
    const name = crd.spec.versions[index]?.additionalPrinterColumns?.[Number(column[1])]?.name;
    return `columns.${name}${field.slice(column[0].length)}`;
  }
  if (field.startsWith("subresources.scale.")) return field.slice("subresources.".length);
  const schema = /^(?:schema|validation)\.openAPIV3Schema/.exec(field);
  return schema === null ? field : placeInSchema(field.slice(schema[0].length));
}

function placeInSchema(path: string): string {
  let rest = path;
  let place = "";
  for (let step = schemaStep.exec(rest); step !== null; step = schemaStep.exec(rest)) {
    if (step[1] !== undefined) place += place === "" ? step[1] : `.${step[1]}`;
    else place += step[2] === "items" ? "[]" : "[*]";
    rest = rest.slice(step[0].length);
  }
  const keyword = rest.replace(/^\./, "");
  return place === "" || keyword === "" ? `${place}${keyword}` : `${place}.${keyword}`;
}
