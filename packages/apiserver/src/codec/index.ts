export { adoptObject, adoptValue } from "./adopt-object.js";
export {
  type BodyReaders,
  bodySteps,
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
  decodingSteps,
  type FieldValidation,
  type FitResult,
  fittingSteps,
  nativeTarget,
  strictDecodingError,
  warningLines,
} from "./decode-object.js";
export { type DecodedPatch, decodeJsonPatch, decodeObjectPatch, type PatchFormat } from "./decode-patch.js";
export { encodeJson, encodeYaml, shouldCompress } from "./encode.js";
export { JsonSyntaxError } from "./json/json-syntax-error.js";
export { leaveKeys, leftKeys, peekKeys, takeKeys } from "./json/listed-keys.js";
export { type NumberLiterals, roundedInteger } from "./json/number-literals.js";
export { type JsonReader, parseJson } from "./json/parse-json.js";
export { jsonSteps } from "./json/parse-json-steps.js";
export { isObject, type MutableJson, type MutableObject } from "./mutable-json.js";
export { normalizeMetadata, normalizeNative } from "./native/normalize-native.js";
export { allowsMetaForms, type Negotiated, type NegotiateOptions, negotiate } from "./negotiate.js";
export { internalPackage, notRegistered, parseGroupVersion, unknownConversion } from "./object-kind.js";
export {
  decodeProtobuf,
  encodeProtobuf,
  type ProtobufReader,
  protobufSteps,
} from "./protobuf/decode-protobuf.js";
export { hasLongList, isLong, isLongPretty, jsonSlices, prettyJsonSlices } from "./slices.js";
export { type ParsedYaml, parseYaml, parsingSteps, type YamlReader } from "./yaml/parse-yaml.js";
export { YamlError } from "./yaml/yaml-error.js";
export { isLongYaml, yamlSlices } from "./yaml-slices.js";
