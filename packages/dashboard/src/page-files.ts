// The files of the page, read once and kept compressed. A built package has them inside, so that they are in bundles of operators, too.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";

export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly gzipped: Buffer;
}

/** By name, compressed and in base64. `scripts/build.mjs` puts it here. */
declare const builtPageFiles: Readonly<Record<string, string>> | null | undefined;

const files = {
  "/": ["index.html", "text/html; charset=utf-8"],
  "/app.js": ["app.js", "text/javascript; charset=utf-8"],
  "/app.css": ["app.css", "text/css; charset=utf-8"],
  "/icon.svg": ["icon.svg", "image/svg+xml"],
} as const;

/** By path. From a folder, or what was built in; beside a program that was made of the sources, from the folder `page`. */
export function readPage(folder?: string): ReadonlyMap<string, PageFile> {
  const builtIn = folder === undefined && typeof builtPageFiles !== "undefined" ? builtPageFiles : null;
  const place = folder ?? fileURLToPath(new URL("./page/", import.meta.url));
  return new Map(
    Object.entries(files).map(([path, [file, type]]) => {
      const packed = builtIn?.[file];
      const gzipped =
        packed === undefined
          ? gzipSync(readFileSync(join(place, file)), { level: 9 })
          : Buffer.from(packed, "base64");
      return [path, { type, bytes: gunzipSync(gzipped), gzipped }];
    }),
  );
}
