import type { Secret } from "@kubewright/api";

/** A value of a Secret as text; undefined where it is missing or empty. */
export function textIn(secret: Secret | undefined, key: string): string | undefined {
  const value = secret?.data?.[key];
  return value ? Buffer.from(value, "base64").toString("utf8") : undefined;
}
