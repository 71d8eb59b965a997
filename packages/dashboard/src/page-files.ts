// The files of the page, read once and kept compressed.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
}

const files = {
  "/": ["index.html", "text/html; charset=utf-8"],
  "/app.js": ["app.js", "text/javascript; charset=utf-8"],
  "/app.css": ["app.css", "text/css; charset=utf-8"],
  "/icon.svg": ["icon.svg", "image/svg+xml"],
} as const;

/** Beside the built package. */
export const builtPage = fileURLToPath(new URL("./page/", import.meta.url));

/** By path. */
export function readPage(folder: string): ReadonlyMap<string, PageFile> {
  return new Map(
    Object.entries(files).map(([path, [file, type]]) => {
      const bytes = readFileSync(join(folder, file));
      return [path, { type, bytes, gzipped: gzipSync(bytes, { level: 9 }) }];
    }),
  );
}
