export { adoptObject, adoptValue } from "./adopt-object.js";
export {
  type DecodeBodyOptions,
  type DecodedBody,
  type Duplicate,
  decodeBody,
  maxBodyBytes,
} from "./decode-body.js";
export {
  type DecodedObject,
  type DecodeTarget,
  decodeObject,
  type FieldValidation,
  type FitResult,
  nativeTarget,
  strictDecodingError,
  warningLines,
} from "./decode-object.js";
export { type DecodedPatch, decodeJsonPatch, decodeObjectPatch, type PatchFormat } from "./decode-patch.js";
export { encodeJson, encodeYaml, shouldCompress } from "./encode.js";
export { JsonSyntaxError } from "./json/json-syntax-error.js";
export type { NumberLiterals } from "./json/number-literals.js";
export { parseJson, parseJsonText } from "./json/parse-json.js";
export { isObject, type MutableJson, type MutableObject } from "./mutable-json.js";
export { normalizeMetadata, normalizeNative } from "./native/normalize-native.js";
export { allowsMetaForms, type Negotiated, type NegotiateOptions, negotiate } from "./negotiate.js";
export { internalPackage, notRegistered, parseGroupVersion, unknownConversion } from "./object-kind.js";
export { decodeProtobuf, encodeProtobuf } from "./protobuf/decode-protobuf.js";
export { type ParsedYaml, parseYaml } from "./yaml/parse-yaml.js";
export { YamlError } from "./yaml/yaml-error.js";
