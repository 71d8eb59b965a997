// Secret types and the keys that each requires; types that Kubernetes does not know may hold anything.

import { type Draft, type FieldError, fieldError, type Secret } from "@kubewright/api";
import { parseJson } from "@kubewright/machinery";

type Rule = (secret: Draft<Secret>, data: Readonly<Record<string, string>>) => FieldError[];

const accountName = "kubernetes.io/service-account.name";

const missing = (data: Readonly<Record<string, string>>, ...keys: readonly string[]): FieldError[] =>
  keys.filter((key) => !Object.hasOwn(data, key)).map((key) => fieldError.required(`data[${key}]`));

const holdsJson =
  (key: string): Rule =>
  (_, data) => {
    const absent = missing(data, key);
    return absent.length > 0 ? absent : jsonErrors(data[key] ?? "", `data[${key}]`);
  };

const rules: Readonly<Record<string, Rule>> = {
  "kubernetes.io/service-account-token": ({ metadata }) =>
    metadata?.annotations?.[accountName] ? [] : [fieldError.required(`metadata.annotations[${accountName}]`)],
  "kubernetes.io/dockercfg": holdsJson(".dockercfg"),
  "kubernetes.io/dockerconfigjson": holdsJson(".dockerconfigjson"),
  "kubernetes.io/basic-auth": (_, data) => {
    const absent = missing(data, "username", "password");
    return absent.length === 2 ? absent : [];
  },
  "kubernetes.io/ssh-auth": (_, data) =>
    data["ssh-privatekey"] ? [] : [fieldError.required("data[ssh-privatekey]")],
  "kubernetes.io/tls": (_, data) => missing(data, "tls.crt", "tls.key"),
};

/** Problems with what the type of a secret asks for. */
export function validateSecretType(secret: Draft<Secret>): FieldError[] {
  const type = secret.type ?? "";
  const rule = Object.hasOwn(rules, type) ? rules[type] : undefined;
  return rule?.(secret, secret.data ?? {}) ?? [];
}

function jsonErrors(base64: string, field: string): FieldError[] {
  const refuse = (text: string): FieldError[] => [
    fieldError.invalid(field, "<secret contents redacted>", text),
  ];
  try {
    const { value } = parseJson(Buffer.from(base64, "base64"), false);
    if (value === null || (typeof value === "object" && !Array.isArray(value))) return [];
    const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
    return refuse(`json: cannot unmarshal ${type} into Go value of type map[string]interface {}`);
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}
