import { join, relative, resolve } from "node:path";
import { defineCommand, exitStatus, type Options, UsageError } from "../command.js";
import { type BuiltImage, buildImage, imageRequest } from "../image/build-image.js";
import { printResult } from "../output.js";
import { bundleOptions, bundleWithInputs, requireBanner } from "../run/bundle.js";
import { loadProject } from "../run/load-project.js";
import { projectRoot } from "../run/project-root.js";
import { writeWhole } from "../write-whole.js";
import { outputOption } from "./shared-options.js";

const options = {
  outfile: { type: "string", value: "FILE", description: "the bundled file (default: dist/main.js)" },
  minify: { type: "boolean", description: "minify the bundle, at the expense of readable stack traces" },
  image: {
    type: "string",
    value: "IMAGE",
    description: "build an image with this name, as registry/name:tag",
  },
  push: { type: "boolean", description: "push the image, with the credentials of docker login" },
  base: {
    type: "string",
    value: "IMAGE",
    description:
      "the base image with Node.js: a reference, an OCI layout or a docker save archive (default: kubewright.base in package.json, else distroless Node.js)",
  },
  platform: {
    type: "string",
    value: "OS/ARCH",
    description:
      "platforms, separated by commas (default: linux/amd64,linux/arm64, as far as the base has them)",
  },
  layout: {
    type: "string",
    value: "DIR",
    description: "write the image as an OCI layout (default: dist/image, without --push and --tarball)",
  },
  tarball: {
    type: "string",
    value: "FILE",
    description: "write the image as an archive for docker load and kind load image-archive",
  },
  "insecure-registry": {
    type: "string",
    value: "HOST",
    description: "registries to reach over HTTP, separated by commas (default: those on this machine)",
  },
  output: outputOption,
} as const satisfies Options;

const entry = `
import { runManager } from "@kubewright/runtime/main";
import definition from "./src/main.ts";
process.exitCode = await runManager(definition, process);
`;

/** `kubewright build`: one file that Node runs, and an image around it, without Docker. */
export const buildCommand = defineCommand({
  example:
    "kubewright build\nkubewright build --image registry.example.com/team/shop:1.0 --push\nkubewright build --image shop:dev --tarball dist/shop.tar",
  options,
  async run({ values }) {
    const { image: name, push = false, minify = false } = values;
    if (push && name === undefined)
      throw new UsageError("--push needs --image, as in --image registry/name:tag");
    const wantsImage = [name, values.base, values.platform, values.layout, values.tarball].some(
      (value) => value !== undefined,
    );
    const request = wantsImage ? imageRequest({ ...values, name, push }) : undefined;
    const { root, definition } = await loadProject(projectRoot());
    const { program, inputs } = await bundleWithInputs({
      ...bundleOptions(root, entry),
      minify,
      keepNames: true,
      banner: { js: requireBanner },
    });
    const file = resolve(root, values.outfile ?? join("dist", "main.js"));
    writeWhole(file, program);
    const result = { file: relative(root, file), size: program.length };
    const built = request
      ? await buildImage(request, {
          root,
          manager: definition.name,
          program,
          inputs,
          env: process.env,
          onProgress: (text) => (process.stderr.isTTY ? process.stderr.write(`${text}\n`) : undefined),
        })
      : undefined;
    await printResult(values.output, { ...result, ...built }, () =>
      [
        `wrote ${result.file} (${Math.ceil(program.length / 1024)} KiB)`,
        ...(built ? linesOf(built) : []),
      ].join("\n"),
    );
    return exitStatus.done;
  },
});

function linesOf({ base, platforms, layout, tarball, sbom, digest, pushed, warnings }: BuiltImage): string[] {
  const written = [layout, tarball, sbom].flatMap((path) => (path === undefined ? [] : [`wrote ${path}`]));
  return [
    `built ${digest} for ${platforms.join(", ")} on ${base}`,
    ...written,
    ...(pushed === undefined ? [] : [`pushed ${pushed}`]),
    ...warnings.map((text) => `warning: ${text}`),
  ];
}
