// Tar archives, read and written in memory. What is written is the same for the same contents: no times, no owners, in order.

export interface TarFile {
  readonly path: string;
  readonly content: Uint8Array;
}

const block = 512;

/** An archive of files, with the folders they are in. */
export function writeTar(files: readonly TarFile[]): Uint8Array {
  const folders = new Set<string>();
  for (const { path } of files) {
    const parts = path.split("/").slice(0, -1);
    for (let depth = 1; depth <= parts.length; depth += 1) folders.add(`${parts.slice(0, depth).join("/")}/`);
  }
  const parts: Uint8Array[] = [...folders].sort().map((path) => header(path, 0, "5", 0o755));
  for (const { path, content } of files) {
    parts.push(header(path, content.length, "0", 0o644), content, new Uint8Array(padding(content.length)));
  }
  parts.push(new Uint8Array(2 * block));
  return Buffer.concat(parts);
}

const padding = (length: number): number => (block - (length % block)) % block;

function header(path: string, size: number, type: string, mode: number): Uint8Array {
  if (Buffer.byteLength(path) > 100) throw new Error(`${path} is too long a path for the image`);
  const bytes = Buffer.alloc(block);
  const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, "0")}\0`;
  bytes.write(path, 0);
  bytes.write(octal(mode, 8), 100);
  bytes.write(octal(0, 8), 108);
  bytes.write(octal(0, 8), 116);
  bytes.write(octal(size, 12), 124);
  bytes.write(octal(0, 12), 136);
  bytes.write("        ", 148);
  bytes.write(type, 156);
  bytes.write("ustar\x0000", 257);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return bytes;
}

/** The plain files of an archive, by path. */
export function readTar(archive: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const bytes = Buffer.from(archive.buffer, archive.byteOffset, archive.byteLength);
  const files = new Map<string, Uint8Array>();
  let longName: string | undefined;
  for (let at = 0; at + block <= bytes.length; ) {
    const { path, size, type } = readHeader(bytes, at);
    if (path === "") break;
    const content = bytes.subarray(at + block, at + block + size);
    if (type === "L") longName = text(content, 0, content.length);
    else if (type === "x") longName = paxPath(content.toString("utf8"));
    else {
      if (type === "0") files.set((longName ?? path).replace(/^\.\//, ""), content);
      longName = undefined;
    }
    at += block + size + padding(size);
  }
  return files;
}

function readHeader(bytes: Buffer, at: number) {
  const name = text(bytes, at, 100);
  const size = Number.parseInt(text(bytes, at + 124, 12).trim() || "0", 8);
  if (!Number.isInteger(size) || at + block + size > bytes.length)
    throw new Error("the archive is cut short");
  const prefix = text(bytes, at + 257, 5) === "ustar" ? text(bytes, at + 345, 155) : "";
  return { path: prefix === "" ? name : `${prefix}/${name}`, size, type: text(bytes, at + 156, 1) || "0" };
}

function text(bytes: Buffer, at: number, length: number): string {
  const field = bytes.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.subarray(0, end === -1 ? length : end).toString("utf8");
}

const paxPath = (records: string): string | undefined => /(?:^|\n)\d+ path=([^\n]*)\n/.exec(records)?.[1];
