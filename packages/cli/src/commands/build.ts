import { join, relative, resolve } from "node:path";
import { defineCommand, exitStatus, type Options, UsageError } from "../command.js";
import { readBaseImage, scratch } from "../image/base-image.js";
import { imageOf, writeLayout } from "../image/image.js";
import { parseReference, pushImage } from "../image/push.js";
import { printResult } from "../output.js";
import { bundle, bundleOptions, requireBanner } from "../run/bundle.js";
import { loadProject } from "../run/load-project.js";
import { projectRoot } from "../run/project-root.js";
import { writeWhole } from "../write-whole.js";
import { outputOption } from "./shared-options.js";

const options = {
  outfile: { type: "string", value: "FILE", description: "where the bundled file goes (dist/main.js)" },
  minify: { type: "boolean", description: "make it small; names in stack traces suffer (off)" },
  base: {
    type: "string",
    value: "PATH",
    description: "a base image with Node: an OCI layout, or what docker save wrote",
  },
  platform: {
    type: "string",
    value: "OS/ARCH",
    description:
      "of a base image for several (linux/amd64); more than one, by commas, for an image for all of them",
  },
  layout: {
    type: "string",
    value: "DIR",
    description: "where the image goes, as an OCI layout (dist/image)",
  },
  image: { type: "string", value: "IMAGE", description: "the name of the image: registry/name:tag" },
  push: { type: "boolean", description: "push it to its registry; REGISTRY_AUTH=user:password logs in" },
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
    "kubewright build\nkubewright build --base node-20-slim.tar --image registry.example.com/modelbox:1.0 --push",
  options,
  async run({ values }) {
    const { base, image: name, push = false, minify = false } = values;
    if (push && (name === undefined || base === undefined))
      throw new UsageError("--push needs --image and --base");
    const reference = push && name !== undefined ? parseReference(name) : undefined;
    const { root, definition } = await loadProject(projectRoot());
    const program = await bundle({
      ...bundleOptions(root, entry),
      minify,
      keepNames: true,
      banner: { js: requireBanner },
    });
    const file = resolve(root, values.outfile ?? join("dist", "main.js"));
    writeWhole(file, program);
    const result = { file: relative(root, file), size: program.length };
    if (base === undefined && name === undefined && values.layout === undefined) {
      await printResult(
        values.output,
        result,
        () => `wrote ${result.file} (${Math.ceil(program.length / 1024)} KiB)`,
      );
      return exitStatus.done;
    }
    const platforms = values.platform?.split(",") ?? [undefined];
    const image = imageOf(
      base === undefined ? [scratch] : platforms.map((platform) => readBaseImage(resolve(base), platform)),
      program,
    );
    const layout = resolve(root, values.layout ?? join("dist", "image"));
    writeLayout(layout, image, name ?? `${definition.name}:latest`);
    if (reference) await pushImage(image, reference, { credentials: process.env["REGISTRY_AUTH"] });
    const { digest } = image.manifest;
    await printResult(
      values.output,
      { ...result, layout: relative(root, layout), digest, pushed: push },
      () =>
        [
          `wrote ${result.file}`,
          `wrote ${relative(root, layout)}, ${digest}`,
          ...(base === undefined ? ["without --base the image has no Node to run on"] : []),
          ...(push ? [`pushed ${name}`] : []),
        ].join("\n"),
    );
    return exitStatus.done;
  },
});
