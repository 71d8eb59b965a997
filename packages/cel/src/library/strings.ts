// The string functions Kubernetes has beyond standard CEL.
import { add, type CallSite, price, type Range, scale } from "../cost.js";
import {
  type Costs,
  declare,
  globalOverload,
  type Invoke,
  type Library,
  memberOverload,
} from "../declarations.js";
import { isInt, isList, isString, mismatch, on1, on2, on3 } from "../guards.js";
import { dynType, intType, listType, stringType } from "../types.js";
import { formatString } from "./format-string.js";
import { argSize, subjectSize, transformsSubject, traversal, visitsSubject } from "./prices.js";
import { joinEstimate, replaceEstimate, splitEstimate } from "./string-estimates.js";
import {
  charAt,
  indexOf,
  join,
  lastIndexOf,
  quote,
  replace,
  split,
  substring,
  trim,
} from "./string-functions.js";

const twice: Costs = {
  cost: ([text]) => traversal(text, 2),
};

const quoting: Costs = {
  cost: ([text]) => traversal(text),
  estimate(call: CallSite) {
    const size = argSize(call, 0);
    const resultSize: Range = add(scale(size, 1), { min: 2, max: size.max + 2 });
    return { cost: scale(size, price.traversal), resultSize };
  },
};

const formatting: Costs = {
  cost: ([text]) => traversal(text),
  estimate: (call) => ({ cost: scale(subjectSize(call), price.traversal) }),
};

const replaceLimited: Invoke = ([text, old, by, limit], meter) =>
  isString(text) && isString(old) && isString(by) && isInt(limit)
    ? replace(text, old, by, limit, meter)
    : mismatch;

const texts = listType(stringType);
const ascii = (change: (text: string) => string, letters: RegExp): Invoke =>
  on1(isString, (text) => text.replace(letters, change));

/** `charAt`, `indexOf`, `replace`, `split`, `format` and the rest. */
export const stringLibrary: Library = {
  functions: [
    declare(
      "charAt",
      memberOverload("string_char_at_int", [stringType, intType], stringType, on2(isString, isInt, charAt)),
    ),
    declare(
      "indexOf",
      memberOverload(
        "string_index_of_string",
        [stringType, stringType],
        intType,
        on2(isString, isString, (a, b, meter) => indexOf(a, b, 0, meter)),
        visitsSubject,
      ),
      memberOverload(
        "string_index_of_string_int",
        [stringType, stringType, intType],
        intType,
        on3(isString, isString, isInt, indexOf),
        visitsSubject,
      ),
    ),
    declare(
      "lastIndexOf",
      memberOverload(
        "string_last_index_of_string",
        [stringType, stringType],
        intType,
        on2(isString, isString, (a, b, meter) => lastIndexOf(a, b, undefined, meter)),
        visitsSubject,
      ),
      memberOverload(
        "string_last_index_of_string_int",
        [stringType, stringType, intType],
        intType,
        on3(isString, isString, isInt, lastIndexOf),
        visitsSubject,
      ),
    ),
    declare(
      "lowerAscii",
      memberOverload(
        "string_lower_ascii",
        [stringType],
        stringType,
        ascii((text) => text.toLowerCase(), /[A-Z]+/g),
        transformsSubject,
      ),
    ),
    declare(
      "upperAscii",
      memberOverload(
        "string_upper_ascii",
        [stringType],
        stringType,
        ascii((text) => text.toUpperCase(), /[a-z]+/g),
        transformsSubject,
      ),
    ),
    declare(
      "replace",
      memberOverload(
        "string_replace_string_string",
        [stringType, stringType, stringType],
        stringType,
        on3(isString, isString, isString, (text, old, by, meter) => replace(text, old, by, -1, meter)),
        { ...twice, estimate: replaceEstimate },
      ),
      memberOverload(
        "string_replace_string_string_int",
        [stringType, stringType, stringType, intType],
        stringType,
        replaceLimited,
        { ...twice, estimate: replaceEstimate },
      ),
    ),
    declare(
      "split",
      memberOverload(
        "string_split_string",
        [stringType, stringType],
        texts,
        on2(isString, isString, (a, b, meter) => split(a, b, -1, meter)),
        { ...twice, estimate: splitEstimate },
      ),
      memberOverload(
        "string_split_string_int",
        [stringType, stringType, intType],
        texts,
        on3(isString, isString, isInt, split),
        { ...twice, estimate: splitEstimate },
      ),
    ),
    declare(
      "substring",
      memberOverload(
        "string_substring_int",
        [stringType, intType],
        stringType,
        on2(isString, isInt, (text, start, meter) => substring(text, start, undefined, meter)),
        transformsSubject,
      ),
      memberOverload(
        "string_substring_int_int",
        [stringType, intType, intType],
        stringType,
        on3(isString, isInt, isInt, substring),
        transformsSubject,
      ),
    ),
    declare(
      "trim",
      memberOverload("string_trim", [stringType], stringType, on1(isString, trim), transformsSubject),
    ),
    declare(
      "join",
      memberOverload(
        "list_join",
        [texts],
        stringType,
        on1(isList, (list, meter) => join(list, "", meter)),
        { cost: (_args, result) => traversal(result, 2), estimate: joinEstimate },
      ),
      memberOverload("list_join_string", [texts, stringType], stringType, on2(isList, isString, join), {
        cost: (_args, result) => traversal(result, 2),
        estimate: joinEstimate,
      }),
    ),
    declare(
      "format",
      memberOverload(
        "string_format",
        [stringType, listType(dynType)],
        stringType,
        on2(isString, isList, formatString),
        formatting,
      ),
    ),
    declare(
      "strings.quote",
      globalOverload("strings_quote", [stringType], stringType, on1(isString, quote), quoting),
    ),
  ],
};
