// Reads an image back from a registry and unpacks it as a container runtime does: platform, digests, layers in order, whiteouts. It uses
// none of what made the image.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: { readonly os: string; readonly architecture: string };
}

export interface UnpackedImage {
  readonly digest: string;
  readonly index: {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly manifests: Descriptor[];
  };
  readonly manifest: {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly layers: Descriptor[];
  };
  readonly config: {
    readonly architecture: string;
    readonly config: Readonly<Record<string, unknown>> & { readonly Entrypoint: readonly string[] };
  };
  /** Where its files are. */
  readonly root: string;
}

/** Unpacks `host/repository:tag` for a platform of Linux into a folder. */
export async function unpackImage(
  address: { readonly host: string; readonly repository: string; readonly tag: string },
  architecture: string,
  root: string,
  token = "",
): Promise<UnpackedImage> {
  const base = `http://${address.host}/v2/${address.repository}`;
  const read = async (path: string, digest?: string): Promise<Buffer> => {
    const response = await fetch(`${base}/${path}`, { headers: { authorization: `Bearer ${token}` } });
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    const content = Buffer.from(await response.arrayBuffer());
    const found = sha256(content);
    if (digest !== undefined && found !== digest) throw new Error(`${path} has the digest ${found}`);
    return content;
  };
  const tagged = await read(`manifests/${address.tag}`);
  const index = JSON.parse(tagged.toString());
  const chosen = (index.manifests as Descriptor[]).find(
    (each) => each.platform?.architecture === architecture,
  );
  if (!chosen) throw new Error(`not for ${architecture}`);
  const manifest = JSON.parse((await read(`manifests/${chosen.digest}`, chosen.digest)).toString());
  const config = JSON.parse(
    (await read(`blobs/${manifest.config.digest}`, manifest.config.digest)).toString(),
  );
  mkdirSync(root, { recursive: true });
  for (const [at, { digest, mediaType, size }] of (manifest.layers as Descriptor[]).entries()) {
    const content = await read(`blobs/${digest}`, digest);
    if (content.length !== size) throw new Error(`${digest} has ${content.length} bytes, not ${size}`);
    const tar = mediaType.endsWith("+gzip") ? gunzipSync(content) : content;
    const diff = sha256(tar);
    if (config.rootfs.diff_ids[at] !== diff) throw new Error(`layer ${at} is not that of the configuration`);
    applyLayer(root, tar);
  }
  return { digest: sha256(tagged), index, manifest, config, root };
}

const sha256 = (content: Buffer): string => `sha256:${createHash("sha256").update(content).digest("hex")}`;

function applyLayer(root: string, tar: Buffer): void {
  const names = execFileSync("tar", ["-t"], { input: tar, encoding: "utf8" }).split("\n");
  for (const name of names) {
    const [, folder = "", hidden = ""] = /^(.*\/)?\.wh\.([^/]+)$/.exec(name) ?? [];
    if (hidden !== "") rmSync(join(root, dirname(`${folder}x`), hidden), { recursive: true, force: true });
  }
  execFileSync("tar", ["-x", "-C", root, "--exclude=.wh.*"], { input: tar });
}
