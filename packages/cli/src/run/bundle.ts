// From the TypeScript of a project to JavaScript that Node runs. Errors are told with file and line, as compilers do.
import { join } from "node:path";
import type { BuildOptions, Message } from "esbuild";

/** The sources cannot be compiled; the message has a line for each reason. */
export class CompileError extends Error {
  override readonly name = "CompileError";
}

/** True when this command runs from its sources, in which case projects get the sources of the libraries, too. */
export const runsFromSource = import.meta.url.endsWith(".ts");

/** What every bundle of a project has in common. `entry` is a module in the root of the project. */
export function bundleOptions(root: string, entry: string): BuildOptions {
  return {
    absWorkingDir: root,
    stdin: { contents: entry, resolveDir: root, sourcefile: "kubewright-entry.ts", loader: "ts" },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node20.19",
    logLevel: "silent",
    legalComments: "none",
    ...(runsFromSource ? { conditions: ["kubewright-source"] } : {}),
  };
}

/** Packages written for `require` find it in an ES module, too. */
export const requireBanner =
  'import { createRequire as kubewrightRequire } from "node:module"; const require = kubewrightRequire(import.meta.url);';

/** The JavaScript of a bundle. */
export const bundle = async (options: BuildOptions): Promise<Uint8Array> =>
  (await bundleWithInputs(options)).program;

/** The JavaScript of a bundle, and the files it was made of. */
export async function bundleWithInputs(
  options: BuildOptions,
): Promise<{ readonly program: Uint8Array; readonly inputs: readonly string[] }> {
  const { build } = await import("esbuild");
  const result = await build({ ...options, write: false, metafile: true }).catch((error: unknown) => {
    throw compileErrorOf(error);
  });
  return { program: outputOf(result.outputFiles), inputs: Object.keys(result.metafile.inputs) };
}

/** The one file of a bundle. */
export function outputOf(files: readonly { readonly contents: Uint8Array }[] | undefined): Uint8Array {
  const [file] = files ?? [];
  if (!file) throw new Error("the bundle is empty");
  return file.contents;
}

/** What the bundler complained about, in the order it did. */
export function compileErrorOf(error: unknown): unknown {
  const messages = messagesOf(error);
  return messages.length === 0 ? error : new CompileError(messages.map(lineOf).join("\n"));
}

function messagesOf(error: unknown): readonly Message[] {
  if (!(error instanceof Error) || !("errors" in error) || !Array.isArray(error.errors)) return [];
  return error.errors.filter(isMessage);
}

const isMessage = (value: unknown): value is Message =>
  typeof value === "object" && value !== null && "text" in value && typeof value.text === "string";

function lineOf({ location, text, notes }: Message): string {
  const place = location ? `${join(location.file)}:${location.line}:${location.column + 1}: ` : "";
  const note = notes?.[0]?.text ? ` (${notes[0].text.split("\n")[0]})` : "";
  return `${place}${text}${note}`;
}
