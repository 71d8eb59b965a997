// Response bodies.
import { stringifyJson } from "@kubewright/api";
import { writeYaml } from "./yaml/write-yaml.js";

/** kube-apiserver does not compress smaller bodies. */
const compressFrom = 128 * 1024;

/** JSON as it travels, with the line feed kube-apiserver ends it with. */
export function encodeJson(value: unknown, pretty = false): Uint8Array {
  return Buffer.from(pretty ? stringifyJson(value, 2) : `${stringifyJson(value)}\n`);
}

/** The same value as YAML, in kube-apiserver's style. */
export const encodeYaml = (value: unknown): string => writeYaml(value);

/** Whether kube-apiserver would gzip a body of this size for this client; the listener does it. */
export function shouldCompress(size: number, acceptEncoding: string | undefined): boolean {
  if (size < compressFrom || !acceptEncoding) return false;
  return acceptEncoding.split(",").some((clause) => clause.split(";")[0]?.trim().toLowerCase() === "gzip");
}
