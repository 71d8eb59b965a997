// `format.dns1123Label().validate(self)`: Kubernetes' own rules for names and values, with its messages.
import {
  validateDns1035Label,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabelValue,
  validateQualifiedName,
} from "@kubewright/api";
import { type CallSite, price, scale } from "../cost.js";
import { declare, globalOverload, type Library, memberOverload } from "../declarations.js";
import { isString, on0, on1, on2 } from "../guards.js";
import { listType, opaqueType, optionalType, stringType } from "../types.js";
import { OpaqueValue } from "../values/opaque.js";
import { Optional } from "../values/optional.js";
import { parseTimestamp } from "../values/temporal.js";
import { argSize, searchPrice } from "./prices.js";
import { typeConstant } from "./type-names.js";
import { UrlProblem } from "./url-text.js";
import { tryParseUrl } from "./urls.js";

/** The problems of a text; empty when it is valid. */
type Validate = (text: string) => readonly string[];

class FormatValue extends OpaqueValue {
  readonly typeName = "kubernetes.NamedFormat";
  readonly name: string;
  readonly validate: Validate;
  /** The length of an equivalent pattern, from which the cost of a validation is computed. */
  readonly patternSize: number;

  constructor(name: string, patternSize: number, validate: Validate) {
    super();
    this.name = name;
    this.patternSize = patternSize;
    this.validate = validate;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof FormatValue && other.name === this.name;
  }
}

const unless =
  (problem: string, test: (text: string) => boolean): Validate =>
  (text) =>
    test(text) ? [] : [problem];

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

/** Standard base64 with padding. */
export const isBase64 = (text: string): boolean =>
  text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);

const isDate = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && parseTimestamp(`${text}T00:00:00Z`) !== undefined;

function validateUri(text: string): readonly string[] {
  const parsed = tryParseUrl(text);
  return parsed instanceof UrlProblem ? [parsed.message] : [];
}

const formats: ReadonlyMap<string, FormatValue> = new Map([
  ["dns1123Label", new FormatValue("DNS1123Label", 30, (text) => validateDns1123Label(text))],
  ["dns1123Subdomain", new FormatValue("DNS1123Subdomain", 60, (text) => validateDns1123Subdomain(text))],
  ["dns1035Label", new FormatValue("DNS1035Label", 30, (text) => validateDns1035Label(text))],
  ["qualifiedName", new FormatValue("QualifiedName", 60, validateQualifiedName)],
  [
    "dns1123LabelPrefix",
    new FormatValue("DNS1123LabelPrefix", 30, (text) => validateDns1123Label(text, { prefix: true })),
  ],
  [
    "dns1123SubdomainPrefix",
    new FormatValue("DNS1123SubdomainPrefix", 60, (text) => validateDns1123Subdomain(text, { prefix: true })),
  ],
  [
    "dns1035LabelPrefix",
    new FormatValue("DNS1035LabelPrefix", 30, (text) => validateDns1035Label(text, { prefix: true })),
  ],
  ["labelValue", new FormatValue("LabelValue", 40, validateLabelValue)],
  ["uri", new FormatValue("URI", 913, validateUri)],
  [
    "uuid",
    new FormatValue(
      "uuid",
      81,
      unless("does not match the UUID format", (text) => uuid.test(text)),
    ),
  ],
  ["byte", new FormatValue("byte", 95, unless("invalid base64", isBase64))],
  ["date", new FormatValue("date", 114, unless("invalid date", isDate))],
  [
    "datetime",
    new FormatValue(
      "datetime",
      114,
      unless("invalid datetime", (text) => parseTimestamp(text) !== undefined),
    ),
  ],
]);

const formatType = opaqueType("kubernetes.NamedFormat");
const isFormat = (value: unknown): value is FormatValue => value instanceof FormatValue;
/** The longest pattern of a format for names, which estimates assume. */
const assumedPattern = 128;

function validate(format: FormatValue, text: string): Optional {
  const problems = format.validate(text);
  return problems.length === 0 ? Optional.none : Optional.of(problems);
}

/** Kubernetes' named formats. */
export const formatLibrary: Library = {
  functions: [
    declare(
      "format.named",
      globalOverload(
        "format-named",
        [stringType],
        optionalType(formatType),
        on1(isString, (name) => {
          const format = formats.get(name);
          return format === undefined ? Optional.none : Optional.of(format);
        }),
      ),
    ),
    ...Array.from(formats, ([name, format]) =>
      declare(
        `format.${name}`,
        globalOverload(
          `format.${name}`,
          [],
          formatType,
          on0(() => format),
        ),
      ),
    ),
    declare(
      "validate",
      memberOverload(
        "format-validate",
        [formatType, stringType],
        optionalType(listType(stringType)),
        on2(isFormat, isString, validate),
        {
          cost: ([format, text]) => searchPrice(text, isFormat(format) ? format.patternSize : assumedPattern),
          estimate: (call: CallSite) => ({
            cost: scale(scale(argSize(call, 0), price.traversal), assumedPattern * price.regex),
          }),
        },
      ),
    ),
  ],
  constants: [typeConstant(formatType)],
};
