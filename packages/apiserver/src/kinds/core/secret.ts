// Secrets: bytes under keys, of a type that says which keys there must be.
import { type FieldError, fieldError, type Secret } from "@kubewright/api";
import type { NativeKind } from "../../registry/native-kinds.js";
import type { Draft } from "../../request/draft.js";
import { draftAs, storedAs } from "../as-kind.js";
import { immutable } from "../field-rules.js";
import { base64Bytes, maxDataBytes, validateDataKeys } from "./data-keys.js";
import { validateFrozenData } from "./frozen-data.js";
import { validateSecretType } from "./secret-types.js";
import { tlsKeyPairProblem } from "./tls-key-pair.js";

export const secrets: NativeKind = {
  resource: "secrets",
  strategy: {
    repeatsMetadataChecks: true,
    selectableFields: ["type"],
    applyDefaults(object) {
      const secret = draftAs<Secret>(object);
      takeStringData(secret);
      secret.type ||= "Opaque";
    },
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
  const added = Object.entries(stringData).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
  secret.data = { ...secret.data, ...Object.fromEntries(added) };
}

function validateSecret(secret: Draft<Secret>): FieldError[] {
  const data = secret.data ?? {};
  const errors = validateDataKeys(data, "data");
  let size = 0;
  for (const key of Object.keys(data)) size += base64Bytes(data[key] ?? "");
  if (size > maxDataBytes) errors.push(fieldError.tooLong("data", maxDataBytes));
  return [...errors, ...validateSecretType(secret)];
}
