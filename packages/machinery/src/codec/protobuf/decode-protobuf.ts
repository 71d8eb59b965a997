// Bodies of Go clients: `application/vnd.kubernetes.protobuf`.
import { apiVersionOf, type GroupVersionKind, parseApiVersion } from "@kubewright/api";
import { protobufMessageOf } from "@kubewright/api/type-info";
import type { MutableObject } from "../mutable-json.js";
import { MessageDecoder } from "./decode-message.js";
import { encodeMessage } from "./encode-message.js";
import { openEnvelope, sealEnvelope } from "./envelope.js";
import { ProtobufError } from "./protobuf-error.js";
import { WireReader } from "./wire-reader.js";

/** A decoded body, its zero values as the wire had them. */
export interface DecodedProtobuf {
  readonly value: MutableObject;
}

/**
 * Decodes the body of a request. `expected` is the kind of the endpoint, for envelopes that name none. An object of an
 * unknown kind comes out with nothing but its `apiVersion` and `kind`, for the caller to refuse. Throws ProtobufError.
 */
export function decodeProtobuf(bytes: Uint8Array, expected: GroupVersionKind): DecodedProtobuf {
  const { apiVersion, kind, raw } = openEnvelope(bytes);
  const groupVersion = apiVersion === "" ? expected : parseApiVersion(apiVersion);
  const gvk = groupVersion && { ...groupVersion, kind: kind === "" ? expected.kind : kind };
  const message = gvk && protobufMessageOf(gvk);
  const value: MutableObject = {};
  const decoder = new MessageDecoder();
  if (message !== undefined) decoder.decodeInto(new WireReader(raw), message, value, 0);
  if (apiVersion !== "") value["apiVersion"] = apiVersion;
  if (kind !== "") value["kind"] = kind;
  return { value };
}

/** Encodes an object of a built-in kind as a Go client would. Throws ProtobufError for kinds without a message. */
export function encodeProtobuf(value: MutableObject, gvk: GroupVersionKind): Uint8Array {
  const message = protobufMessageOf(gvk);
  if (message === undefined)
    throw new ProtobufError(`${apiVersionOf(gvk)} ${gvk.kind} has no protobuf message`);
  return sealEnvelope({ apiVersion: apiVersionOf(gvk), kind: gvk.kind, raw: encodeMessage(value, message) });
}
