// The apiVersion and kind of a body, and whether the endpoint accepts them.
import { apiVersionOf, type GroupVersionKind, goQuote, parseApiVersion } from "@kubewright/api";
import { kindTypeInfo } from "@kubewright/api/type-info";
import { goKind } from "./built-in/go-type.js";
import { normalizeBuiltIn } from "./built-in/normalize-built-in.js";
import { badRequest, cannotBeHandled, unrecognizedObject } from "./decode-error.js";
import type { ObjectDecoder } from "./decode-object.js";
import type { MutableObject } from "./mutable-json.js";

/** Kinds of the API machinery that travel under the group version of the resource they are sent to. */
const optionKinds = new Set(["CreateOptions", "DeleteOptions", "PatchOptions", "UpdateOptions"]);

/** Where kube-apiserver makes the schemes that know its kinds; part of a message people search for. */
const schemes: Readonly<Record<string, string>> = {
  "apiextensions.k8s.io": "k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:55",
  "apiregistration.k8s.io": "k8s.io/kube-aggregator/pkg/apiserver/scheme/scheme.go:28",
};

const schemeOf = (group: string): string => schemes[group] ?? "pkg/api/legacyscheme/scheme.go:30";

/** The kind of a body; what it leaves out is taken from the endpoint. Throws ApiError 400. */
export function objectKind(
  value: MutableObject,
  { gvk, custom }: ObjectDecoder,
  bytes: Uint8Array,
): GroupVersionKind {
  if (value["kind"] === gvk.kind && value["apiVersion"] === apiVersionOf(gvk)) return gvk;
  const kind = typeMeta(value, "kind", gvk.kind, bytes);
  const apiVersion = typeMeta(value, "apiVersion", gvk.kind, bytes);
  if (kind === "" && custom) {
    const text = Buffer.from(bytes).toString("utf8");
    throw unrecognizedObject(gvk.kind, `Object 'Kind' is missing in '${text}'`, bytes);
  }
  if (apiVersion === "") return { ...gvk, kind: kind || gvk.kind };
  const groupVersion = parseGroupVersion(apiVersion);
  if (!groupVersion) {
    throw unrecognizedObject(gvk.kind, `unexpected GroupVersion string: ${apiVersion}`, bytes);
  }
  return { ...groupVersion, kind: kind || gvk.kind };
}

/** Refuses a body of another kind than the endpoint takes. Throws ApiError 400. */
export function checkKind(actual: GroupVersionKind, decoder: ObjectDecoder, value: MutableObject): void {
  const { gvk: expected, custom } = decoder;
  if (actual === expected) return;
  if (optionKinds.has(expected.kind) && actual.kind === expected.kind) return;
  const sameVersion = actual.group === expected.group && actual.version === expected.version;
  if (sameVersion && actual.kind === expected.kind) return;
  const isElsewhere = schemeOf(actual.group) !== schemeOf(expected.group);
  if (!custom && (isElsewhere || decoder.isRegistered?.(actual) === false))
    throw cannotBeHandled(actual, expected.kind, notRegistered(actual, expected.group));
  // A kind known in several versions is converted before anyone looks at the version.
  if (custom ? !sameVersion : actual.kind === expected.kind) {
    throw badRequest(
      `the API version in the data (${apiVersionOf(actual)}) does not match the expected API version (${apiVersionOf(expected)})`,
    );
  }
  if (custom) return;
  const typeInfo = kindTypeInfo(actual);
  // It is read as the kind it is before anyone sees that it is not the one wanted.
  const malformed = typeInfo && normalizeBuiltIn(value, typeInfo).error;
  throw cannotBeHandled(actual, expected.kind, malformed ?? unknownConversion(actual, expected));
}

/** The error of kube-apiserver for a kind it does not know at the endpoints of a group. */
export const notRegistered = (gvk: GroupVersionKind, group: string): string =>
  `no kind ${goQuote(gvk.kind)} is registered for version ${goQuote(apiVersionOf(gvk))} in scheme ${goQuote(schemeOf(group))}`;

/** Its error for a known kind where it expects another. */
export const unknownConversion = (actual: GroupVersionKind, expected: GroupVersionKind): string =>
  `converting (${actual.version}.${actual.kind}) to (${internalPackage(expected.group)}.${expected.kind}): unknown conversion`;

function typeMeta(
  value: MutableObject,
  field: "kind" | "apiVersion",
  kind: string,
  bytes: Uint8Array,
): string {
  const text = value[field];
  if (text === undefined || text === null) return "";
  if (typeof text === "string") return text;
  const problem = `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKind(text)} into Go struct field .${field} of type string`;
  throw unrecognizedObject(kind, problem, bytes);
}

/** `a/` and `/v1` are group versions to kube-apiserver, only a second slash is not. */
export function parseGroupVersion(apiVersion: string): { group: string; version: string } | undefined {
  const parsed = parseApiVersion(apiVersion);
  if (parsed) return parsed;
  const [group = "", version = "", ...more] = apiVersion.split("/");
  return more.length === 0 ? { group, version } : undefined;
}

/** The Go package of a group's internal types: `core`, `apps`, `rbac`. */
export function internalPackage(group: string): string {
  if (group === "" || group === "events.k8s.io") return "core";
  if (group === "internal.apiserver.k8s.io") return "apiserverinternal";
  return group.split(".")[0] ?? group;
}
