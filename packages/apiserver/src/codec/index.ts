export { type DecodeBodyOptions, type DecodedBody, decodeBody, maxBodyBytes } from "./decode-body.js";
export {
  type DecodedObject,
  type DecodeTarget,
  decodeObject,
  type FieldValidation,
  type FitResult,
  nativeTarget,
} from "./decode-object.js";
export { encodeJson, encodeYaml, shouldCompress } from "./encode.js";
export type { NumberLiterals } from "./json/number-literals.js";
export { isObject, type MutableJson, type MutableObject } from "./mutable-json.js";
export { allowsMetaForms, type Negotiated, type NegotiateOptions, negotiate } from "./negotiate.js";
export { normalizeNative } from "./native/normalize-native.js";
