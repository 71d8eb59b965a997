import { defineCommand, type Options } from "../command.js";
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

/** The options it has. */
export type BuildFlags = typeof options;

/** `kubewright build`: one file that Node runs, and an image around it, without Docker. */
export const buildCommand = defineCommand({
  example:
    "kubewright build\nkubewright build --base node-20-slim.tar --image registry.example.com/modelbox:1.0 --push",
  options,
  load: async () => (await import("../actions/build.js")).buildAction,
});
