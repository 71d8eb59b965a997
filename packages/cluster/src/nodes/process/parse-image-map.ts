// Image maps in files: YAML or JSON, a list or an object with `images`.
import { type FieldError, fieldError, isObject, ValidationError } from "@kubewright/api";
import { parseDocument } from "yaml";
import { listOf, shape, text, textMap } from "../rules/shape.js";
import type { ImageProgram } from "./image-map.js";

const fields = {
  image: text,
  programs: textMap,
  entrypoint: listOf(text),
  command: listOf(text),
  env: textMap,
  workingDir: text,
};
const checkEntries = listOf(shape(fields, ["image"]));

/**
 * Reads an image map; throws a ValidationError that names `source` and the place of everything that is wrong.
 *
 * @example
 * parseImageMap("- image: etcd\n  programs: { etcd: /opt/etcd/etcd }\n  command: [etcd]", "images.yaml");
 */
export function parseImageMap(content: string, source: string): readonly ImageProgram[] {
  const document = parseDocument(content);
  const [problem] = document.errors;
  if (problem) throw new ValidationError(source, [fieldError.invalid("", "", problem.message)]);
  const value: unknown = document.toJS({ maxAliasCount: 100 });
  const list = isObject(value) ? value["images"] : value;
  if (list === undefined || list === null) return [];
  const errors: FieldError[] = [];
  checkEntries(list, "images", errors);
  if (errors.length > 0) throw new ValidationError(source, errors);
  return list as readonly ImageProgram[];
}
