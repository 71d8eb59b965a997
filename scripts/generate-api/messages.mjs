// Kinds that only ever travel between the API server and webhooks have no published schema. Their protobuf messages say which fields they
// have and which are always printed, and that is all an interface needs.
import { shortName } from "./kube-facts.mjs";

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const rawExtension = "io.k8s.apimachinery.pkg.runtime.RawExtension";

/** The messages that become interfaces; a review is a kind, what it carries is not. */
const wanted = [
  {
    message: "k8s.io.api.admission.v1.AdmissionReview",
    group: "admission.k8s.io",
    words: "The message to an admission webhook, with a request, and its answer, with a response.",
  },
  {
    message: "k8s.io.api.admission.v1.AdmissionRequest",
    words:
      "The request that an admission webhook is asked about: operation, user, and the object before and after.",
  },
  {
    message: "k8s.io.api.admission.v1.AdmissionResponse",
    words: "The answer of an admission webhook: whether the request is allowed, patches, and warnings.",
  },
  {
    message: "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.ConversionReview",
    group: "apiextensions.k8s.io",
    words: "The message to a conversion webhook, with a request, and its answer, with a response.",
  },
  {
    message: "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.ConversionRequest",
    words: "The objects to convert, and the version to convert them to.",
  },
  {
    message: "k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.ConversionResponse",
    words: "The converted objects, or the reason why they could not be converted.",
  },
];

/** Enumerations that messages do not tell. */
const enumerations = {
  "AdmissionRequest.operation": ["CREATE", "UPDATE", "DELETE", "CONNECT"],
  "AdmissionResponse.patchType": ["JSONPatch"],
};

const scalars = { string: "string", bool: "boolean", int32: "integer", int64: "integer", bytes: "string" };

/** Schema name → schema of the webhook kinds, in the form of the published ones. */
export function webhookSchemas(messages) {
  return wanted.map(({ message, group, words }) => {
    const name = schemaName(message);
    const schema = { ...messageSchema(shortName(name), messages[message]), words };
    return [name, group === undefined ? schema : asKind(schema, group, shortName(name))];
  });
}

function messageSchema(owner, fields) {
  const properties = fields.map(([, , type, field, presence]) => {
    const values = enumerations[`${owner}.${field}`];
    return [field, values ? { type: "string", enum: values } : placeOf(type, presence)];
  });
  const required = fields
    .filter(([, , , , presence]) => presence.endsWith("!"))
    .map(([, , , field]) => field);
  return { type: "object", required, properties: sorted(properties) };
}

/** Nobody fills in what a review is called, so both names are required. */
function asKind({ required, properties, words }, group, kind) {
  const names = [
    ["apiVersion", { type: "string" }],
    ["kind", { type: "string" }],
  ];
  return {
    type: "object",
    words,
    required: ["apiVersion", "kind", ...required],
    properties: sorted([...names, ...Object.entries(properties)]),
    "x-kubernetes-group-version-kind": [{ group, version: "v1", kind }],
  };
}

function placeOf(type, presence) {
  if (type.endsWith("[]")) return { type: "array", items: placeOf(type.slice(0, -2)) };
  const [, value] = /^map<string,(.*)>$/.exec(type) ?? [];
  if (value !== undefined) return { type: "object", additionalProperties: placeOf(value) };
  if (scalars[type] !== undefined) return { type: scalars[type] };
  const place = { $ref: `#/components/schemas/${schemaName(type)}` };
  // A raw object that is not there is printed as null, however it is tagged.
  return schemaName(type) === rawExtension && presence === "value" ? { ...place, nullable: true } : place;
}

/** `k8s.io.api.core.v1.Pod` is `io.k8s.api.core.v1.Pod` in schemas. */
function schemaName(message) {
  return message
    .replace(/^k8s\.io\./, "io.k8s.")
    .replace("apiextensions_apiserver", "apiextensions-apiserver");
}

const sorted = (entries) => Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));

/** Types written by hand that messages refer to: schema name → module. */
export const handWritten = new Map([
  [`${meta}.GroupVersionKind`, "../resource"],
  [`${meta}.GroupVersionResource`, "../resource"],
]);
