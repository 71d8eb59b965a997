// Secrets: bytes under keys, of a type that says which keys there must be.
import { type Draft, type FieldError, fieldError, type Secret, setOwn } from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { immutable } from "../field-rules.js";
import { draftAs, storedAs } from "../objects.js";
import { checkBytes, maxDataBytes } from "./data-keys.js";
import { validateFrozenData } from "./frozen-data.js";
import { validateSecretType } from "./secret-types.js";
import { tlsKeyPairProblem } from "./tls-key-pair.js";

export const secrets: BuiltInKind = {
  resource: "secrets",
  strategy: {
    metadata: { onUpdate: ["update", "object"] },
    selectableFields: ["type"],
    applyDefaults: (object) => defaultSecret(draftAs<Secret>(object)),
    validateCreate: (object) => validateSecret(draftAs<Secret>(object)),
    validateUpdate(object, old) {
      const secret = draftAs<Secret>(object);
      const before = storedAs<Secret>(old);
      return [
        ...immutable(secret.type, before.type, "type"),
        ...validateFrozenData<Secret>(secret, before, ["data"]),
        ...validateSecret(secret),
      ];
    },
    warnings: (object) => pairWarnings(draftAs<Secret>(object)),
  },
};

function pairWarnings({ type, data = {} }: Draft<Secret>): string[] {
  if (type !== "kubernetes.io/tls") return [];
  const textOf = (key: string): string => Buffer.from(data[key] ?? "", "base64").toString("latin1");
  const problem = tlsKeyPairProblem(textOf("tls.crt"), textOf("tls.key"));
  return problem === undefined ? [] : [problem];
}

/** `stringData` is a way to write, never to read: it ends up in `data`. */
function takeStringData(secret: Draft<Secret>): void {
  const { stringData } = secret;
  if (!stringData) return;
  delete secret.stringData;
  const data: Record<string, string> = secret.data ?? {};
  for (const [key, text] of Object.entries(stringData))
    setOwn(data, key, Buffer.from(text).toString("base64"));
  secret.data = data;
}

function defaultSecret(secret: Draft<Secret>): void {
  takeStringData(secret);
  secret.type ||= "Opaque";
}

function validateSecret(secret: Draft<Secret>): FieldError[] {
  const { errors, size } = checkBytes(secret.data ?? {}, "data");
  if (size > maxDataBytes) errors.push(fieldError.tooLong("data", maxDataBytes));
  return [...errors, ...validateSecretType(secret)];
}
