// `semver('1.2.3').isLessThan(semver('1.10.0'))`.
import { goQuote } from "@kubewright/api";
import { declare, globalOverload, type Invoke, type Library, memberOverload } from "../declarations.js";
import { isBool, isString, on1, on2 } from "../guards.js";
import { boolType, intType, opaqueType, stringType } from "../types.js";
import { CelFailure } from "../values/failure.js";
import { intFromBigInt } from "../values/int.js";
import { OpaqueValue } from "../values/opaque.js";
import { walksArgument } from "./prices.js";
import { compareVersions, parseLenientVersion, parseVersion, type Version } from "./semver-text.js";
import { typeConstant } from "./type-names.js";

class SemverValue extends OpaqueValue {
  readonly typeName = "kubernetes.Semver";
  readonly version: Version;

  constructor(version: Version) {
    super();
    this.version = version;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof SemverValue && compareVersions(other.version, this.version) === 0;
  }
}

const semverType = opaqueType("kubernetes.Semver");
const isVersion = (value: unknown): value is SemverValue => value instanceof SemverValue;

const parse = (text: string, lenient: boolean): Version | undefined =>
  lenient ? parseLenientVersion(text) : parseVersion(text);

function toSemver(text: string, lenient: boolean): SemverValue {
  const version = parse(text, lenient);
  if (version === undefined) throw new CelFailure(`invalid semantic version ${goQuote(text.slice(0, 100))}`);
  return new SemverValue(version);
}

const number = (name: string, index: 0 | 1 | 2) =>
  declare(
    name,
    memberOverload(
      `semver_${name}`,
      [semverType],
      intType,
      on1(isVersion, ({ version }) => intFromBigInt(version.numbers[index])),
    ),
  );

const pair = [semverType, semverType];
const comparison = (test: (order: number) => unknown): Invoke =>
  on2(isVersion, isVersion, (a, b) => test(compareVersions(a.version, b.version)));

/** Kubernetes' semantic version functions. */
export const semverLibrary: Library = {
  functions: [
    declare(
      "semver",
      globalOverload(
        "string_to_semver",
        [stringType],
        semverType,
        on1(isString, (text) => toSemver(text, false)),
        walksArgument,
      ),
      globalOverload(
        "string_bool_to_semver",
        [stringType, boolType],
        semverType,
        on2(isString, isBool, toSemver),
        walksArgument,
      ),
    ),
    declare(
      "isSemver",
      globalOverload(
        "is_semver_string",
        [stringType],
        boolType,
        on1(isString, (text) => parse(text, false) !== undefined),
        walksArgument,
      ),
      globalOverload(
        "is_semver_string_bool",
        [stringType, boolType],
        boolType,
        on2(isString, isBool, (text, lenient) => parse(text, lenient) !== undefined),
        walksArgument,
      ),
    ),
    declare(
      "isGreaterThan",
      memberOverload(
        "semver_is_greater_than",
        pair,
        boolType,
        comparison((order) => order > 0),
      ),
    ),
    declare(
      "isLessThan",
      memberOverload(
        "semver_is_less_than",
        pair,
        boolType,
        comparison((order) => order < 0),
      ),
    ),
    declare(
      "compareTo",
      memberOverload(
        "semver_compare_to",
        pair,
        intType,
        comparison((order) => order),
      ),
    ),
    number("major", 0),
    number("minor", 1),
    number("patch", 2),
  ],
  constants: [typeConstant(semverType)],
};
