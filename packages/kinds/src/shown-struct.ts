// Structs as kube-apiserver prints them in failures: all fields of its own Go type, set or not, under their Go names.
import { isObject } from "@kubewright/api";
import { protobufMessage } from "@kubewright/api/type-info";

type Field = NonNullable<ReturnType<typeof protobufMessage>>[number];

/** Names that are not those in JSON with a capital. */
const goNames = new Map([
  ["apiVersion", "APIVersion"],
  ["cel", "CEL"],
  ["uid", "UID"],
]);

/** Types with a text of their own. */
const plain = /\.(Quantity|Time|MicroTime|Duration|IntOrString|RawExtension|LabelSelector|NodeSelector)$/;

/** A value of the type that a protobuf message such as `k8s.io.api.batch.v1.PodFailurePolicy` describes; null where there is none. */
export function shownStruct(value: unknown, message: string): unknown {
  if (!isObject(value)) return null;
  const shown: Record<string, unknown> = {};
  for (const field of protobufMessage(message) ?? []) {
    if (field.jsonName === null) Object.assign(shown, shownStruct(value, field.type));
    else shown[goName(field.jsonName)] = shownField(value[field.jsonName], field);
  }
  return shown;
}

const goName = (name: string): string => goNames.get(name) ?? name.charAt(0).toUpperCase() + name.slice(1);

function shownField(value: unknown, { type, repeated, mapKey, presence }: Field): unknown {
  const isStruct = type.includes(".") && !plain.test(type);
  const one = (item: unknown): unknown => (isStruct ? shownStruct(item, type) : item);
  if (repeated && mapKey === undefined) return Array.isArray(value) ? value.map(one) : null;
  if (mapKey !== undefined) return isObject(value) ? shownMap(value, one) : null;
  if (value !== undefined && value !== null) return one(value);
  if (presence.startsWith("pointer")) return null;
  return isStruct ? shownStruct({}, type) : zeroOf(type);
}

const shownMap = (map: Readonly<Record<string, unknown>>, one: (item: unknown) => unknown): unknown =>
  Object.fromEntries(
    Object.keys(map)
      .sort()
      .map((key) => [key, one(map[key])]),
  );

function zeroOf(type: string): unknown {
  if (type === "string") return "";
  if (type === "bool") return false;
  return /^u?int|double/.test(type) ? 0 : null;
}
