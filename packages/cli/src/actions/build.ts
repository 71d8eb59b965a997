import { join, relative, resolve } from "node:path";
import { type Action, exitStatus, UsageError } from "../command.js";
import type { BuildFlags } from "../commands/build.js";
import { readBaseImage, scratch } from "../image/base-image.js";
import { imageOf, writeLayout } from "../image/image.js";
import { parseReference, pushImage } from "../image/push.js";
import { printResult } from "../output.js";
import { bundle, bundleOptions, requireBanner } from "../run/bundle.js";
import { loadProject } from "../run/load-project.js";
import { projectRoot } from "../run/project-root.js";
import { writeWhole } from "../write-whole.js";

const entry = `
import { runManager } from "@kubewright/runtime/main";
import definition from "./src/main.ts";
process.exitCode = await runManager(definition, process);
`;

/** Does what `kubewright build` says. */
export const buildAction: Action<BuildFlags> = async ({ values }) => {
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
  await printResult(values.output, { ...result, layout: relative(root, layout), digest, pushed: push }, () =>
    [
      `wrote ${result.file}`,
      `wrote ${relative(root, layout)}, ${digest}`,
      ...(base === undefined ? ["without --base the image has no Node to run on"] : []),
      ...(push ? [`pushed ${name}`] : []),
    ].join("\n"),
  );
  return exitStatus.done;
};
