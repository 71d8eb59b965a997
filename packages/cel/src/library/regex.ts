// `find` and `findAll`.
import { type Costs, declare, type Library, memberOverload, type Overload } from "../declarations.js";
import { type Int, isInt, isString, mismatch } from "../guards.js";
import { evaluatedRegex, type Regex, requireRegex } from "../regex.js";
import { intType, listType, stringType } from "../types.js";
import type { Meter } from "../values/meter.js";
import { sizeOf } from "../values/value.js";
import { argSize, searchEstimate, searchPrice, subjectSize } from "./prices.js";

/** The operation on a pattern, which is compiled ahead when it is a literal. */
type Search = (regex: Regex, text: string, limit: Int, meter: Meter) => unknown;

function searching(search: Search): Pick<Overload, "invoke" | "prepare"> {
  const limitOf = (limit: unknown): Int => (isInt(limit) ? limit : -1);
  return {
    invoke: ([text, pattern, limit], meter) =>
      isString(text) && isString(pattern)
        ? search(evaluatedRegex(pattern, meter), text, limitOf(limit), meter)
        : mismatch,
    prepare([, pattern]) {
      if (typeof pattern !== "string") return undefined;
      const regex = requireRegex(pattern);
      return ([text, , limit], meter) =>
        isString(text) ? search(regex, text, limitOf(limit), meter) : mismatch;
    },
  };
}

const find = searching((regex, text, _limit, meter) => regex.findAll(text, 1, meter)[0] ?? "");
const findAll = searching((regex, text, limit, meter) =>
  regex.findAll(text, limit < 0 ? Number.POSITIVE_INFINITY : Number(limit), meter),
);

const searches: Costs = {
  cost: ([text, pattern]) => searchPrice(text, sizeOf(pattern)),
  estimate(call) {
    const size = subjectSize(call);
    return { cost: searchEstimate(size, argSize(call, 0)), resultSize: { min: 0, max: size.max } };
  },
};

const pair = [stringType, stringType];
const texts = listType(stringType);

/** Kubernetes' regular expression functions. */
export const regexLibrary: Library = {
  functions: [
    declare(
      "find",
      memberOverload("string_find_string", pair, stringType, find.invoke, {
        ...searches,
        prepare: find.prepare,
      }),
    ),
    declare(
      "findAll",
      memberOverload("string_find_all_string", pair, texts, findAll.invoke, {
        ...searches,
        prepare: findAll.prepare,
      }),
      memberOverload("string_find_all_string_int", [...pair, intType], texts, findAll.invoke, {
        ...searches,
        prepare: findAll.prepare,
      }),
    ),
  ],
};
