// The front door of the package.
export { applyConfiguration } from "./apply/apply-configuration.js";
export type {
  AnyObject,
  ApplyOptions,
  ApplyResult,
  ConvertVersion,
  TrackUpdateOptions,
  VersionedObject,
} from "./apply/apply-types.js";
export { atomicFields } from "./apply/atomic-fields.js";
export { type Comparison, compare } from "./apply/compare.js";
export type { FieldsV1 } from "./apply/fields-v1.js";
export { managedFieldsProblem } from "./apply/managed-fields.js";
export { ManagedFieldsTracker } from "./apply/managed-fields-tracker.js";
export { merge } from "./apply/merge.js";
export { ignoreTimestamps, withManagedFields } from "./apply/object-managed-fields.js";
export {
  canonicalJson,
  type FieldPath,
} from "./apply/path-element.js";
export { parentEntries, type ReplicasPaths, scaleEntries } from "./apply/scale-managed-fields.js";
export { trackUpdate } from "./apply/track-update.js";
export { deducedTypeInfo } from "./apply/type-structure.js";
export { typeProblems } from "./apply/validate-typed.js";
export { type AcceptClause, parseAccept } from "./codec/accept.js";
export { adoptObject } from "./codec/adopt-object.js";
export { dropEmptyFields, emptyBytesOf, emptyFieldsOf } from "./codec/built-in/empty-fields.js";
export { normalizeBuiltIn, normalizeMetadata } from "./codec/built-in/normalize-built-in.js";
export {
  type DecodeBodyOptions,
  type DecodedBody,
  type Duplicate,
  decodeBody,
  maxBodyBytes,
} from "./codec/decode-body.js";
export {
  builtInDecoder,
  type DecodedObject,
  decodeObject,
  type FieldValidation,
  type Normalization,
  type ObjectDecoder,
  strictDecodingError,
  warningLines,
} from "./codec/decode-object.js";
export {
  type DecodedPatch,
  decodeJsonPatch,
  decodeObjectPatch,
  type PatchFormat,
} from "./codec/decode-patch.js";
export { encodeJson, encodeYaml, shouldCompress } from "./codec/encode.js";
export { JsonSyntaxError } from "./codec/json/json-syntax-error.js";
export { parseJson, parseJsonText } from "./codec/json/parse-json.js";
export type { BodyEncoding } from "./codec/media-type.js";
export type { MutableJson, MutableObject } from "./codec/mutable-json.js";
export {
  allowsMetaForms,
  listTypes,
  type Negotiated,
  type NegotiateOptions,
  negotiate,
  objectTypes,
} from "./codec/negotiate.js";
export { internalPackage, notRegistered, parseGroupVersion, unknownConversion } from "./codec/object-kind.js";
export { decodeProtobuf } from "./codec/protobuf/decode-protobuf.js";
export {
  encodeProtobuf,
  encodeProtobufEvent,
  hasProtobuf,
  ProtobufListEncoder,
} from "./codec/protobuf/encode-protobuf.js";
export { WireWriter } from "./codec/protobuf/wire-writer.js";
export { type ParsedYaml, parseYaml } from "./codec/yaml/parse-yaml.js";
export { stringifyYaml } from "./codec/yaml/stringify-yaml.js";
export { compareText, goValue } from "./go-format.js";
export type { JsonMap } from "./json-map.js";
export { applyJsonPatch } from "./patch/json-patch.js";
export { applyMergePatch } from "./patch/merge-patch.js";
export { applyStrategicMergePatch } from "./patch/strategic-merge-patch.js";
export { unifiedDiff } from "./unified-diff.js";
