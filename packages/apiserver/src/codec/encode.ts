// Response bodies.
import { stringify } from "yaml";

/** Smaller bodies are not worth compressing, says the real server. */
const compressFrom = 128 * 1024;

/** JSON as it travels, with the line feed the real server ends it with. */
export function encodeJson(value: unknown, pretty = false): Uint8Array {
  return Buffer.from(pretty ? JSON.stringify(value, undefined, 2) : `${JSON.stringify(value)}\n`);
}

/** The same value as YAML, keys sorted, in the style kubectl users know. */
export function encodeYaml(value: unknown): Uint8Array {
  return Buffer.from(yamlText(value));
}

export function yamlText(value: unknown): string {
  return stringify(value, {
    // What version 1.1 takes for a boolean must be quoted: that is what clients read with.
    version: "1.1",
    sortMapEntries: true,
    aliasDuplicateObjects: false,
    indentSeq: false,
    lineWidth: 0,
  });
}

/** Whether the real server would gzip a body of this size for this client; the listener does it. */
export function shouldCompress(size: number, acceptEncoding: string | undefined): boolean {
  if (size < compressFrom || !acceptEncoding) return false;
  return acceptEncoding.split(",").some((clause) => clause.split(";")[0]?.trim().toLowerCase() === "gzip");
}
