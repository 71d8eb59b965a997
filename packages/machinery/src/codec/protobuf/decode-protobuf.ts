// Bodies of Go clients: `application/vnd.kubernetes.protobuf`.
import { type GroupVersionKind, parseApiVersion } from "@kubewright/api";
import { protobufMessageOf } from "@kubewright/api/type-info";
import type { MutableObject } from "../mutable-json.js";
import { MessageDecoder } from "./decode-message.js";
import { openEnvelope } from "./envelope.js";
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
