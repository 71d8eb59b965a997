// Resource versions are opaque to clients and whole numbers to the server.

/** The number behind a version; undefined when it is none. */
export function parseRevision(version: string): number | undefined {
  return /^\d{1,15}$/.test(version) ? Number(version) : undefined;
}

/** What the real server says of a version that is no number; gets and watches answer with it and status 500. */
export const notARevision = (version: string): string =>
  `resourceVersion: Invalid value: ${JSON.stringify(version)}: strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`;
