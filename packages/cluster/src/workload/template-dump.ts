// A pod template as Go prints the struct behind it, field by field with their types: kube-controller-manager hashes this text,
// and its hash is part of the names of ReplicaSets and of the revisions of DaemonSets.
import { isObject, type PodTemplateSpec } from "@kubewright/api";
import { protobufMessage } from "@kubewright/api/type-info";
import { goNameOf, namedTypeOf } from "./go-names.js";
import { dumpQuantity } from "./quantity-dump.js";

type Field = NonNullable<ReturnType<typeof protobufMessage>>[number];

/** The text; equal templates have equal texts. */
export function dumpTemplate(template: PodTemplateSpec | undefined): string {
  const message = "k8s.io.api.core.v1.PodTemplateSpec";
  return `(${goType(message)})${body(message, template)}`;
}

const lastPart = (name: string): string => name.slice(name.lastIndexOf(".") + 1);

function goType(type: string): string {
  const name = lastPart(type);
  if (name === type) return type === "bytes" ? "[]uint8" : type;
  if (name === "Quantity") return "resource.Quantity";
  return name === "IntOrString" ? "intstr.IntOrString" : `v1.${name}`;
}

/** `Name:(type)value`, for every field whether it is set or not. */
function dumpField(message: string, field: Field, object: Readonly<Record<string, unknown>>): string {
  const { jsonName, type, presence, repeated, mapKey } = field;
  if (jsonName === null) return `${lastPart(type)}:(${goType(type)})${body(type, object)}`;
  const named = namedTypeOf(lastPart(message), jsonName);
  const base = named ?? goType(type);
  const name = goNameOf(lastPart(message), jsonName);
  const value = object[jsonName];
  if (mapKey) return `${name}:(${named ?? `map[${mapKey}]${base}`})${dumpMap(type, value)}`;
  if (repeated) return `${name}:([]${base})${dumpList(type, value)}`;
  if (!presence.startsWith("pointer")) return `${name}:(${base})${body(type, value)}`;
  return `${name}:(*${base})${value === undefined || value === null ? "<nil>" : body(type, value)}`;
}

/** Empty lists and maps do not survive storage, and are none. */
function dumpList(type: string, value: unknown): string {
  if (!Array.isArray(value) || value.length === 0) return "<nil>";
  return `[${value.map((item) => body(type, item)).join(" ")}]`;
}

function dumpMap(type: string, value: unknown): string {
  const entries = isObject(value) ? Object.entries(value) : [];
  if (entries.length === 0) return "<nil>";
  const sorted = entries.toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return `map[${sorted.map(([key, item]) => `${key}:${body(type, item)}`).join(" ")}]`;
}

const zeroTime = "{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}";

function body(type: string, value: unknown): string {
  const name = lastPart(type);
  if (name === type) return String(value ?? (type === "string" ? "" : type === "bool" ? false : 0));
  if (name === "Quantity") return dumpQuantity(value);
  if (name === "IntOrString") return dumpIntOrString(value);
  if (name === "Time") return zeroTime;
  const object = isObject(value) ? value : {};
  return `{${(protobufMessage(type) ?? []).map((field) => dumpField(type, field, object)).join(" ")}}`;
}

function dumpIntOrString(value: unknown): string {
  const isText = typeof value === "string";
  const [int, text] = isText ? [0, value] : [Number(value ?? 0), ""];
  return `{Type:(intstr.Type)${isText ? 1 : 0} IntVal:(int32)${int} StrVal:(string)${text}}`;
}
