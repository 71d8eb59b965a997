// The warning that clients of a deprecated version get.
import {
  type CustomResourceDefinitionVersion,
  type FieldError,
  fieldError,
  utf8Length,
} from "@kubewright/api";

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** The errors of the deprecation warning of a version. */
export function deprecationErrors(version: CustomResourceDefinitionVersion, path: string): FieldError[] {
  const { deprecated, deprecationWarning: warning } = version;
  if (warning === undefined) return [];
  return problems(deprecated === true, warning).map((text) => fieldError.invalid(path, warning, text));
}

function problems(deprecated: boolean, warning: string): string[] {
  if (!deprecated) return ["can only be set for deprecated versions"];
  const texts: string[] = [];
  if (utf8Length(warning) > 256) texts.push("must be <= 256 characters long");
  if (warning === "") texts.push("must not be an empty string");
  let index = 0;
  for (const character of warning) {
    if (!printable.test(character)) {
      texts.push(
        `must only contain printable UTF-8 characters; non-printable character found at index ${index}`,
      );
      break;
    }
    index += utf8Length(character);
  }
  return texts;
}
