// A small base image for two platforms, in a registry of a test: two layers, of which the upper one removes a file of the lower.
import { createHash } from "node:crypto";
import { gunzipSync, gzipSync } from "node:zlib";
import { writeTar } from "../tar.js";
import type { OciRegistry } from "./oci-registry.js";

const docker = "application/vnd.docker.distribution.manifest.list.v2+json";
const manifestType = "application/vnd.docker.distribution.manifest.v2+json";
const text = (content: string): Uint8Array => Buffer.from(content);

/** Stores it as `base:1`, or under another name, with an attestation beside the images, as builders put it there. */
export function putBase(registry: OciRegistry, repository = "base", tag = "1") {
  const images = ["amd64", "arm64"].map((architecture) => putImage(registry, repository, architecture));
  const attestation = registry.putManifest(repository, manifestType, { mediaType: manifestType, layers: [] });
  return registry.putManifest(
    repository,
    docker,
    {
      schemaVersion: 2,
      mediaType: docker,
      manifests: [...images, { ...attestation, platform: { os: "unknown", architecture: "unknown" } }],
    },
    tag,
  );
}

/** The layers that both platforms share, and one that differs. */
function putImage(registry: OciRegistry, repository: string, architecture: string) {
  const layers = [
    [
      { path: "etc/os-release", content: text("base\n") },
      { path: "tmp/build-tools", content: text("not for production\n") },
    ],
    [
      { path: "nodejs/bin/node", content: text(`node for ${architecture}\n`) },
      { path: "tmp/.wh.build-tools", content: text("") },
    ],
  ].map((files) => gzipSync(writeTar(files)));
  const diffs = layers.map((layer) => createHash("sha256").update(gunzipSync(layer)).digest("hex"));
  const config = registry.putBlob(
    repository,
    text(
      JSON.stringify({
        architecture,
        os: "linux",
        config: {
          Env: ["PATH=/usr/bin"],
          Entrypoint: ["/nodejs/bin/node"],
          User: "65532",
          Labels: { "org.opencontainers.image.title": "the base", vendor: "somebody" },
        },
        rootfs: { type: "layers", diff_ids: diffs.map((digest) => `sha256:${digest}`) },
      }),
    ),
  );
  const descriptor = registry.putManifest(repository, manifestType, {
    schemaVersion: 2,
    mediaType: manifestType,
    config: { mediaType: "application/vnd.docker.container.image.v1+json", ...config },
    layers: layers.map((layer) => ({
      mediaType: "application/vnd.docker.image.rootfs.diff.tar.gzip",
      ...registry.putBlob(repository, layer),
    })),
  });
  return { ...descriptor, platform: { os: "linux", architecture } };
}
