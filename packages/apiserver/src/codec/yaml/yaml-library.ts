// The YAML library, loaded with the first YAML body: most servers never see one, and loading it costs a quarter of their start.
import { createRequire } from "node:module";
import type * as Yaml from "yaml";

const require = createRequire(import.meta.url);

/** The library; Node keeps what it has loaded. */
export const yamlLibrary = (): typeof Yaml => require("yaml");

export const isAlias = (node: unknown): node is Yaml.Alias => yamlLibrary().isAlias(node);
export const isMap = (node: unknown): node is Yaml.YAMLMap => yamlLibrary().isMap(node);
export const isScalar = (node: unknown): node is Yaml.Scalar => yamlLibrary().isScalar(node);
export const isSeq = (node: unknown): node is Yaml.YAMLSeq => yamlLibrary().isSeq(node);
