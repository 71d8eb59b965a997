// Response bodies.

/** JSON as it travels, with the line feed the real server ends it with. */
export function encodeJson(_value: unknown, _pretty?: boolean): Uint8Array {
  throw new Error("not implemented yet");
}

/** The same value as YAML, keys sorted. */
export function encodeYaml(_value: unknown): Uint8Array {
  throw new Error("not implemented yet");
}

/** Whether the real server would gzip a body of this size for this client; the listener does it. */
export function shouldCompress(_size: number, _acceptEncoding: string | undefined): boolean {
  throw new Error("not implemented yet");
}
