// `kubectl apply` keeps the whole object in an annotation, and all annotations together may hold 262144 bytes. A definition that is too large
// for that without any description was probably not meant to be, so it is refused unless its author says otherwise.
import {
  type CustomResourceDefinition,
  type FieldError,
  fieldError,
  type JSONSchemaProps,
} from "@kubewright/api";

/** The size limit of all annotations of an object together, names included. */
const annotationLimit = 262_144;

/** `kubectl.kubernetes.io/last-applied-configuration`, and the empty annotations it adds to what it keeps. */
const overhead = 128;

/** Whether, and where, a definition is too large for `kubectl apply`. */
export function sizeProblems(crd: CustomResourceDefinition): readonly FieldError[] {
  const size = bytesOf(crd) + bytesOf(crd.metadata?.annotations ?? {}) + overhead;
  if (size <= annotationLimit) return [];
  const detail = `the definition takes ${kilobytes(size)} and kubectl apply carries ${kilobytes(annotationLimit)}: embed large types with kube.opaque(), or set serverSideApply and apply it with --server-side`;
  return [fieldError.forbidden(largestPlace(crd), detail)];
}

/** The innermost field that alone makes up more than half of the largest version, as a path from the object's root. */
function largestPlace({ spec }: CustomResourceDefinition): string {
  const schemas = spec.versions.map(({ schema }) => schema?.openAPIV3Schema ?? {});
  const [largest = {}] = schemas.sort((a, b) => bytesOf(b) - bytesOf(a));
  return heavyPath(largest, bytesOf(largest) / 2).join(".");
}

function heavyPath(schema: JSONSchemaProps, half: number): readonly string[] {
  const heavy = Object.entries(schema.properties ?? {}).find(([, field]) => bytesOf(field) > half);
  return heavy === undefined ? [] : [heavy[0], ...heavyPath(heavy[1], half)];
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? "");

const kilobytes = (bytes: number): string => `${Math.ceil(bytes / 1024)} KiB`;
