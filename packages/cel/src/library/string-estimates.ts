// Estimates of the result sizes of string functions, on which the cost of rules depends.
import { add, type CallEstimate, type CallSite, fixed, multiply, price, type Range, scale } from "../cost.js";
import { argSize, subjectSize } from "./prices.js";

/** The most places of one text in another, and how much of the original is kept besides. */
function mostReplaced(text: Range, old: Range, by: Range): readonly [count: number, kept: number] {
  if (old.min === 0) return [text.max + 1, text.max];
  if (by.max <= old.min) return [0, text.max];
  return [Math.ceil(text.max / old.min), 0];
}

function leastReplaced(text: Range, old: Range, by: Range): readonly [count: number, kept: number] {
  if (old.max === 0) return [text.min + 1, text.min];
  if (old.max <= by.min) return [0, text.min];
  return [Math.ceil(text.min / old.max), 0];
}

/** The cost of `replace` and the size of its result. */
export function replaceEstimate(call: CallSite): CallEstimate {
  const text = subjectSize(call);
  const old = argSize(call, 0);
  const by = argSize(call, 1);
  const [mostCount, mostKept] = mostReplaced(text, old, by);
  const [leastCount, leastKept] = leastReplaced(text, old, by);
  const resultSize = add(multiply({ min: leastCount, max: mostCount }, by), {
    min: leastKept,
    max: mostKept,
  });
  return { cost: scale(text, 2 * price.traversal), resultSize };
}

/** A separator may be empty; then every character is a piece. */
export function splitEstimate(call: CallSite): CallEstimate {
  const text = subjectSize(call);
  return {
    cost: scale(text, 2 * price.traversal),
    resultSize: { min: 0, max: call.args[1]?.literalInt ?? text.max },
  };
}

/** The cost of `join` and the size of its result. */
export function joinEstimate(call: CallSite): CallEstimate {
  const list = subjectSize(call);
  const pieces = multiply(list, call.target?.element?.size ?? fixed(0));
  const gaps = { min: Math.max(0, list.min - 1), max: Math.max(0, list.max - 1) };
  const resultSize = call.args.length > 0 ? add(pieces, multiply(argSize(call, 0), gaps)) : pieces;
  return { cost: scale(resultSize, price.traversal), resultSize };
}
